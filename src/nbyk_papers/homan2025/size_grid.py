"""Expected p-values over a grid of sizes (N, K): Homan et al. 2025, section 5.3 and appendix A."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from nbyk.arrays import Floats
from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.priors import read_prior
from nbyk.resampling.effects import Progress, run_chunks
from nbyk.resampling.population import Population
from nbyk.testing.pvalues import expected_p
from nbyk_papers.homan2025.design import Size
from nbyk_papers.homan2025.size_draws import HYPOTHESES, RESAMPLINGS, NestedDraws, SizeDraws
from nbyk_papers.homan2025.size_patterns import PatternDraws, few_patterns
from nbyk_papers.metrics import as_metrics

if TYPE_CHECKING:
    from nbyk.studies.steps import Work


LOOKS = (1024, 2048, 4096)
"""Smallest number of draws after which a p-value may be settled."""

CLEARLY_NOT_SIGNIFICANT = 0.2
"""A p-value is settled if it is above this by three standard errors."""

RELATIVE_ERROR = 0.02
"""A p-value is settled if its standard error is below this share of it."""


def size_grid(
    populations: Sequence[Population],
    metrics: str | Metric | Sequence[str | Metric],
    *,
    n_draws: int = 10_000,
    seed: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> pa.Table:
    """Return expected p-values of test sets of many sizes, by metrics that need only counts of responses.

    The populations differ in nothing but N and K. A p-value is settled with fewer than `n_draws` draws M (the
    paper's b) if it is above 0.2 by three standard errors, or its standard error is below 2 % of it. There is
    a row per size, metric, semantics ("published": the items of each fresh draw are bootstrapped once more)
    and bootstrap ("multistage": under the null every response is A's or B's by a fair coin; "flat": each
    system's item mean is). p and its error are empty if the metric is undefined on a draw; effect and
    effect_sd are over plain draws of the alternative. Both semantics, both bootstraps and all metrics share
    their draws.
    """
    chosen = as_metrics(metrics)
    if not chosen or not populations:
        raise NbykError("a grid needs at least one metric and one size (N, K)")
    one = populations[0]
    if any(replace(one, n_items=of.n_items, k_responses=of.k_responses) != of for of in populations):
        raise NbykError("found populations that differ in more than N and K, which need a grid each")
    sizes = [(of.n_items, of.k_responses) for of in populations]
    rows: list[dict[str, Any]] = []
    for k in dict.fromkeys(k for _, k in sizes):
        item_counts = sorted({n for n, size_k in sizes if size_k == k})
        as_patterns = [n for n in item_counts if few_patterns(one.prior.response, n, k)]
        nested = [n for n in item_counts if n not in as_patterns]
        for together, draws in ((nested, NestedDraws), (as_patterns, PatternDraws)):
            if together:
                source = draws(replace(one, n_items=item_counts[0], k_responses=k), chosen, seed)
                rows += _settle(source, chosen, together, k, n_draws, threads, progress)
    place = {size: index for index, size in enumerate(sizes)}
    rows.sort(key=lambda row: place[row["n_items"], row["k_responses"]])
    return pa.Table.from_pylist(rows)


def _settle(
    source: SizeDraws,
    metrics: Sequence[Metric],
    sizes: Sequence[int],
    k: int,
    n_draws: int,
    threads: int,
    progress: Progress | None,
) -> list[dict[str, Any]]:
    """Draw until every p-value of the sizes with K responses is settled; return the rows of the table."""
    rows: dict[tuple[int, int, int, int], dict[str, Any]] = {}
    open_sizes, drawn = (
        list(sizes),
        np.empty((len(RESAMPLINGS), len(HYPOTHESES), len(metrics), len(sizes), 0)),
    )
    for n_so_far in (*(look for look in LOOKS if look < n_draws), n_draws):
        shape = (*drawn.shape[:-2], len(open_sizes))

        def work(chunk: int, size: int, asked: Sequence[int] = tuple(open_sizes)) -> Floats:
            return source.draw(asked, chunk, size).reshape(-1, size)

        (more,) = run_chunks(n_so_far, work, start=drawn.shape[-1], threads=threads, progress=progress)
        drawn = np.concatenate([drawn, more.reshape(*shape, -1)], axis=-1)
        for place, n in enumerate(open_sizes):
            for key, row in _p_values(drawn[..., place, :], metrics, source.paired):
                if (n, *key) not in rows and (n_so_far == n_draws or _is_settled(row)):
                    rows[(n, *key)] = {"n_items": n, "k_responses": k, **row}
        per_size = len(RESAMPLINGS) * (len(HYPOTHESES) - 1) * len(metrics)
        still = [place for place, n in enumerate(open_sizes) if sum(key[0] == n for key in rows) < per_size]
        if not still:
            break
        open_sizes, drawn = [open_sizes[place] for place in still], drawn[..., still, :]
    return [rows[key] for key in sorted(rows)]


def _p_values(
    draws: Floats, metrics: Sequence[Metric], paired: bool
) -> list[tuple[tuple[int, int, int], dict[str, Any]]]:
    """Return the rows of one size, by (metric, resampling, null); `draws` is (2, 3, metrics, M)."""
    rows = []
    for m, metric in enumerate(metrics):
        plain = draws[0, 0, m]
        for r, semantics in enumerate(RESAMPLINGS):
            for h, bootstrap in enumerate(HYPOTHESES[1:], start=1):
                defined = bool(np.isfinite(draws[r, [0, h], m]).all())
                p = expected_p(draws[r, 0, m], draws[r, h, m], paired=paired) if defined else None
                row = {
                    "metric": metric.name,
                    "semantics": semantics,
                    "bootstrap": bootstrap,
                    "p": p.p if p else None,
                    "standard_error": p.standard_error if p else None,
                    "effect": float(plain.mean()) if defined else None,
                    "effect_sd": float(plain.std(ddof=1)) if defined else None,
                    "n_draws": len(plain),
                }
                rows.append(((m, r, h), row))
    return rows


def _is_settled(row: dict[str, Any]) -> bool:
    p, error = row["p"], row["standard_error"]
    if p is None:
        return True
    return bool(p - 3.0 * error > CLEARLY_NOT_SIGNIFICANT or error < RELATIVE_ERROR * p)


@dataclass(frozen=True)
class GridDraws:
    """The draws behind the p-values of a size."""

    metrics: Sequence[str]
    n_draws: int
    seed: int


def grid(
    prior: Path, *, sizes: Sequence[Size], epsilon_b: float, draws: GridDraws, work: Work
) -> tuple[pa.Table, dict[str, Any]]:
    """Compute expected p-values at every size, under both semantics and by both bootstraps."""
    item_prior = read_prior(prior)
    with work.progress(draws.n_draws * len(sizes)):
        table = size_grid(
            [Population(item_prior, n, k, epsilon_b) for n, k in sizes],
            draws.metrics,
            n_draws=draws.n_draws,
            seed=draws.seed,
            threads=work.threads,
            progress=work.advance,
        )
    column = pa.array([epsilon_b] * table.num_rows, pa.float64())
    return table.append_column("epsilon_b", column), {"M": draws.n_draws, "prior": item_prior.to_dict()}


def claims(
    prior: Path,
    *,
    own_size: Size,
    own_draws: int,
    sizes: Sequence[Size],
    epsilons: Sequence[float],
    draws: GridDraws,
    work: Work,
) -> tuple[pa.Table, dict[str, Any]]:
    """Compute expected p-values at a data set's own size and at further sizes, for each ε."""
    parts = []
    for epsilon in epsilons:
        for at, draws_there in (([own_size], replace(draws, n_draws=own_draws)), (sizes, draws)):
            table, made = grid(prior, sizes=at, epsilon_b=epsilon, draws=draws_there, work=work)
            parts.append(table)
    return pa.concat_tables(parts), made | {"M": max(own_draws, draws.n_draws)}
