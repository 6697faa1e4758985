"""The cells of Homan et al. 2025: p-values over a grid of sizes, and the power of tests at one size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbyk.studies.study import Cell, fit_file
from nbyk_papers.batches import Axis, plan_of_axes, stored_keys
from nbyk_papers.grids import Field, Grid, Point
from nbyk_papers.homan2025.design import (
    BUDGETS,
    CLAIM_EPSILONS,
    CLAIM_ITEMS,
    CLAIM_RESPONSES,
    FIGURE_5_BUDGET,
    FIGURE_5_METRICS,
    METRICS,
    PANELS,
    RESPONSES,
    grid_sizes,
    is_own_fit,
    own_size,
    published_source,
)
from nbyk_papers.trials import Trials

if TYPE_CHECKING:
    import pyarrow as pa

    from nbyk.studies.steps import Work

Size = tuple[int, int]
PAPERS_SIZES = tuple(grid_sizes(BUDGETS, RESPONSES))
PAPERS_RESPONSES = sum(n * k for n, k in PAPERS_SIZES)
"""Responses in all test sets of the paper's grid, in units of one draw."""


def size_name(size: Size) -> str:
    """Return a size (N, K) as part of a file's name."""
    return f"n-{size[0]}_k-{size[1]}"


_PAPERS_SECONDS = 245.0
"""The measured seconds of a cell with all sizes of the paper's grid."""


_GRID = Grid((Field("n", int), Field("k", int)))


def _size_of(name: str) -> Size:
    ((n, k),) = _GRID.points(name)
    return int(n), int(k)


def _seconds(size: Point) -> float:
    return max(0.5, _PAPERS_SECONDS * size[0] * size[1] / PAPERS_RESPONSES)


SIZES = Axis("grid", tuple(map(size_name, PAPERS_SIZES)), further=(_GRID, _seconds))
GRID_METRICS = Axis("homan2025", METRICS)


FITS = "homan2025/fits"
"""The folder of the priors that are fitted by the paper's method."""


def prior_file(source: str) -> str:
    """Return the file of a source's prior: the published one, or that of our own fit."""
    if is_own_fit(source):
        return fit_file(published_source(source), "prior", FITS)
    return f"results/priors/published/{source}.json"


def asked_sizes(settings: Any) -> list[Size]:
    """Return every size that a section of the configuration asks for."""
    further = [(size.n_items, size.k_responses) for size in settings.sizes]
    return list(dict.fromkeys([*grid_sizes(settings.budgets, settings.k_responses), *further]))


def grid_cells(config: Any, settings: Any) -> Iterator[Cell]:
    """Yield the cells of p-values: of each source and ε, by batches of sizes and of metrics."""
    asked = [size_name(size) for size in asked_sizes(settings)]
    figure_5 = [
        size for size in grid_sizes([FIGURE_5_BUDGET], settings.k_responses) if size_name(size) in asked
    ]
    further = [name for name in FIGURE_5_METRICS if name not in settings.metrics]
    for source in settings.sources:
        folder = f"homan2025/pvalues/source={source}"
        for epsilon in settings.epsilons:
            stored = stored_keys(Path("results", folder), f"epsilon-{epsilon}")
            plan = [
                (f"{points}+{metrics}", [_size_of(name) for name in names], of_metrics)
                for (points, names), (metrics, of_metrics) in plan_of_axes(
                    [(SIZES, asked), (GRID_METRICS, settings.metrics)], stored
                )
            ]
            if (source, epsilon) in PANELS and figure_5 and further:
                plan.append(("figure_05+further", figure_5, further))
            for key, of_sizes, of_metrics in plan:
                share = sum(n * k for n, k in of_sizes) / PAPERS_RESPONSES
                yield Cell(
                    f"{folder}/epsilon-{epsilon}+{key}.parquet",
                    "grid",
                    {
                        "sizes": of_sizes,
                        "epsilon_b": epsilon,
                        "metrics": of_metrics,
                        "n_draws": settings.n_draws,
                        "seed": config.seed,
                    },
                    {"prior": prior_file(source), "metric_files": config.files_of_metrics(of_metrics)},
                    memory=355,
                    seconds=_PAPERS_SECONDS * share * settings.n_draws / 10_000,
                )


def has_claims(settings: Any) -> bool:
    """Return whether a configuration asks for the sizes that only the paper's conclusions need."""
    return bool(settings.claim_draws and set(settings.epsilons) & set(CLAIM_EPSILONS))


def claim_cells(config: Any, settings: Any) -> Iterator[Cell]:
    """Yield the cells of sizes that only the paper's conclusions need, one for each source."""
    if not has_claims(settings):
        return
    epsilons = [epsilon for epsilon in settings.epsilons if epsilon in CLAIM_EPSILONS]
    for source in settings.sources:
        own = own_size(source)
        raters = [(CLAIM_ITEMS, k) for k in CLAIM_RESPONSES]
        responses = settings.claim_draws * own[0] * own[1] + settings.n_draws * sum(n * k for n, k in raters)
        yield Cell(
            f"homan2025/claims/source={source}/sizes.parquet",
            "claims",
            {
                "own_size": own,
                "own_draws": settings.claim_draws,
                "sizes": raters,
                "epsilons": epsilons,
                "metrics": settings.metrics,
                "n_draws": settings.n_draws,
                "seed": config.seed,
            },
            {"prior": prior_file(source), "metric_files": config.files_of_metrics(settings.metrics)},
            memory=355,
            seconds=10 + 1e-7 * responses * len(epsilons),
        )


def power_cells(config: Any, settings: Any) -> Iterator[Cell]:
    """Yield the cells of power, one for each size."""
    source, epsilon = settings.power_source, settings.power_epsilon
    for size in settings.power_sizes:
        responses = max(1.0, size.n_items * size.k_responses / 20_000)
        work = responses * settings.power_n_sets / 1000 * settings.power_resamples / 10_000
        name = size_name((size.n_items, size.k_responses))
        yield Cell(
            f"homan2025/power/source={source}/epsilon-{epsilon}_{name}.parquet",
            "power",
            {
                "n_items": size.n_items,
                "k_responses": size.k_responses,
                "epsilon_b": epsilon,
                "n_sets": settings.power_n_sets,
                "n_resamples": settings.power_resamples,
                "seed": config.seed,
            },
            {"prior": prior_file(source)},
            memory=331,
            seconds=64 * work,
        )


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
    import pyarrow as pa

    from nbyk.priors import read_prior
    from nbyk.resampling.population import Population
    from nbyk_papers.homan2025.size_grid import size_grid

    of_items = read_prior(prior)
    with work.progress(draws.n_draws * len(sizes)):
        table = size_grid(
            [Population(of_items, n, k, epsilon_b) for n, k in sizes],
            draws.metrics,
            n_draws=draws.n_draws,
            seed=draws.seed,
            threads=work.threads,
            progress=work.advance,
        )
    column = pa.array([epsilon_b] * table.num_rows, pa.float64())
    return table.append_column("epsilon_b", column), {"M": draws.n_draws, "prior": of_items.to_dict()}


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
    import pyarrow as pa

    parts = []
    for epsilon in epsilons:
        for at, of_them in (([own_size], replace(draws, n_draws=own_draws)), (sizes, draws)):
            table, of_prior = grid(prior, sizes=at, epsilon_b=epsilon, draws=of_them, work=work)
            parts.append(table)
    return pa.concat_tables(parts), of_prior | {"M": max(own_draws, draws.n_draws)}


def power(
    prior: Path,
    *,
    n_items: int,
    k_responses: int,
    epsilon_b: float,
    trials: Trials,
    work: Work,
) -> tuple[pa.Table, dict[str, Any]]:
    """Compute the power of the multistage bootstrap and of the usual tests at one size."""
    from nbyk.priors import read_prior
    from nbyk.resampling.population import Population
    from nbyk_papers.homan2025.power_study import power_study

    population = Population(read_prior(prior), n_items, k_responses, epsilon_b)
    with work.progress(trials.n_sets):
        table = power_study(population, trials, threads=work.threads, progress=work.advance)
    return table, {"M": trials.n_resamples, "prior": population.prior.to_dict()}
