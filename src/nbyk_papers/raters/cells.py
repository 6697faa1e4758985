"""The cells: p-values of test sets whose raters items share, with and without their ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from nbyk.arrays import Floats
from nbyk.data.ratings import stored_ratings
from nbyk.metrics import get
from nbyk.priors import read_prior
from nbyk.resampling.population import Population
from nbyk.resampling.resample import hypothesis_effects
from nbyk.testing.pvalues import expected_p
from nbyk.testing.shared_units import responses, shared_units_test
from nbyk_papers.batches import Trials
from nbyk_papers.raters.design import ALPHA, FORGOTTEN, KEPT, METRICS, OTHERS
from nbyk_papers.raters.multilevel import effects_over_raters
from nbyk_papers.raters.shared_population import Sharing, simulate_shared
from nbyk_papers.raters.sharing_fit import fit_sharing

if TYPE_CHECKING:
    from nbyk.data.response_set import ResponseSet
    from nbyk.studies.steps import Work


def pvalues(
    prior: Path,
    ratings: Path,
    *,
    epsilon: float,
    shift: float,
    sizes: Sequence[Sequence[int]],
    trials: Trials,
    work: Work,
) -> tuple[pa.Table, dict[str, Any]]:
    """Compute p at every size, by the papers' method and by nbyk's, with and without the raters' ids.

    The severities and sensitivities of raters are those fitted to the ratings. Column `p` is the mean over
    test sets on which the metric is defined, and `standard_error` is that of the mean. `rejected` is the
    share of sets with p below .05.
    """
    of_items = read_prior(prior)
    fit = fit_sharing(stored_ratings(ratings)[0], of_items)
    rows: list[dict[str, Any]] = []
    with work.progress(len(sizes)):
        for n_items, k in sizes:
            population = Population(of_items, n_items, k, epsilon, shift_b=shift)
            shared = replace(fit.sharing, n_raters=k)
            of_size = _of_size(population, shared, trials)
            size = {
                "epsilon": epsilon,
                "shift": shift,
                "n_items": n_items,
                "k_responses": k,
                "n_sets": trials.n_sets,
            }
            rows += [{**size, **row} for row in of_size]
            work.advance(1)
    of_raters = {
        "raters_of_the_data": fit.sharing.n_raters,
        "severity_sd": fit.severity_sd,
        "rater_share": fit.sharing.rater_share,
        "sensitivity_sd": fit.sensitivity_sd,
        "sensitivity_share": fit.sharing.sensitivity_share,
    }
    table = pa.Table.from_pylist(rows)
    for name, value in of_raters.items():
        table = table.append_column(name, pa.array([value] * len(rows)))
    return table, {"M": trials.n_resamples, **of_raters}


def _of_size(population: Population, shared: Sharing, trials: Trials) -> Iterator[dict[str, Any]]:
    """Yield the rows of one size: one for each metric, semantics and way to treat raters."""
    p: dict[tuple[str, str, str], list[float]] = {}
    for index in range(trials.n_sets):
        fresh, same = (
            simulate_shared(population, sharing, seed=trials.seed, index=index)
            for sharing in (Sharing(), shared)
        )
        for raters, data in ((OTHERS, fresh), (FORGOTTEN, same), (KEPT, same)):
            for semantics, values in (
                ("published", _published(data, trials, kept=raters == KEPT)),
                ("recommended", _recommended(data, kept=raters == KEPT)),
            ):
                for metric, value in zip(METRICS, values, strict=True):
                    p.setdefault((metric, semantics, raters), []).append(value)
    for (metric, semantics, raters), values in p.items():
        finite = np.array(values)[np.isfinite(values)]
        yield {
            "metric": metric,
            "semantics": semantics,
            "raters": raters,
            "p": float(finite.mean()) if finite.size else np.nan,
            "standard_error": float(finite.std(ddof=1) / finite.size**0.5) if finite.size > 1 else np.nan,
            "rejected": float((finite < ALPHA).mean()) if finite.size else np.nan,
        }


def _published(data: ResponseSet, trials: Trials, *, kept: bool) -> list[float]:
    """Return the papers' expected p under the null of pooled responses, for each metric.

    Raters whose ids are kept are drawn with the items, others anew in each item.
    """
    within_items = partial(hypothesis_effects, sampler="bootstrap_items/sample(K)", share_gold=False)
    draws: Callable[..., Floats] = effects_over_raters if kept else within_items
    drawn = [
        draws(data, METRICS, null=null, n_resamples=trials.n_resamples, seed=trials.seed)
        for null in (None, "pooled")
    ]
    return [
        expected_p(alternative, null).p if np.isfinite([alternative, null]).all() else np.nan
        for alternative, null in zip(*drawn, strict=True)
    ]


def _recommended(data: ResponseSet, *, kept: bool) -> list[float]:
    """Return nbyk's two-sided p over new items and, if ids are kept, new raters, for each metric."""
    raters = data.units["gold"].index if kept else None
    sample = responses(data.a, data.b, gold=data.gold, gold_units=raters)
    return [shared_units_test(get(metric), sample).p_value() for metric in METRICS]
