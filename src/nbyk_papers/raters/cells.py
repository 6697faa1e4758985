"""The cells: p-values of test sets whose raters items share, with and without their ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nbyk.studies.study import DOWNLOADS, Cell, fit_file, ratings_file
from nbyk_papers.batches import Trials
from nbyk_papers.homan2025.design import LABELS as PUBLISHED
from nbyk_papers.homan2025.study import prior_file
from nbyk_papers.raters.design import ALPHA, FORGOTTEN, KEPT, METRICS, OTHERS, WITH_IDS

if TYPE_CHECKING:
    import pyarrow as pa

    from nbyk.data.response_set import ResponseSet
    from nbyk.resampling.population import Population
    from nbyk.studies.steps import Work
    from nbyk_papers.raters.shared_population import Sharing

Floats = NDArray[np.float64]


def sources_of(config: Any, settings: Any) -> list[str]:
    """Return the data sets of the study: those asked for, or all with ids that you have."""
    at_hand = config.at_hand(DOWNLOADS)
    return settings.sources or [name for name in WITH_IDS if name in at_hand]


def p_value_cells(config: Any, settings: Any) -> Iterator[Cell]:
    """Yield a cell for each data set with ids and each kind of system B."""
    systems = [
        *((epsilon, 0.0) for epsilon in settings.epsilons),
        *((0.0, shift) for shift in settings.shifts),
    ]
    ratings = sum(n * k for n, k in settings.all_sizes)
    for source in sources_of(config, settings):
        prior = prior_file(source) if source in PUBLISHED else fit_file(source, "prior")
        for epsilon, shift in systems:
            yield Cell(
                f"raters/pvalues/source={source}/epsilon-{epsilon}_shift-{shift}.parquet",
                "pvalues",
                {
                    "epsilon": epsilon,
                    "shift": shift,
                    "sizes": [list(size) for size in settings.all_sizes],
                    "n_sets": settings.n_sets,
                    "n_resamples": settings.n_resamples,
                    "seed": config.seed,
                },
                {"prior": prior, "ratings": ratings_file(source)},
                memory=400,
                seconds=min(500.0, 5.0 + 2e-7 * ratings * settings.n_sets * settings.n_resamples),
            )


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
    import pyarrow as pa

    from nbyk.data.ratings import stored_ratings
    from nbyk.priors import read_prior
    from nbyk.resampling.population import Population
    from nbyk_papers.raters.sharing_fit import fit_sharing

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
    from nbyk_papers.raters.shared_population import Sharing, simulate_shared

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
    from nbyk.resampling.resample import hypothesis_effects
    from nbyk.testing.pvalues import expected_p
    from nbyk_papers.raters.multilevel import effects_over_raters

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
    from nbyk.metrics import get
    from nbyk.testing.shared_units import responses, shared_units_test

    raters = data.units["gold"].index if kept else None
    sample = responses(data.a, data.b, gold=data.gold, gold_units=raters)
    return [shared_units_test(get(metric), sample).p_value() for metric in METRICS]
