"""The answers and recommendations of Wein et al. 2023, and a verdict on each from the cells of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from nbyk.resampling.samplers import get_sampler
from nbyk_papers.verdicts import Case, PaperClaim, Verdict, verdicts_on
from nbyk_papers.wein2023.choices import NOT_ACCEPTABLE, SourceErrors, places_of
from nbyk_papers.wein2023.comparison import Cells
from nbyk_papers.wein2023.design import PRIORS

FIRST, ALL = "bootstrap_items/first_element", "bootstrap_items/all"
SMALL = 0.1
"""The paper's three lowest perturbations are 0, .05 and this."""

Places = Sequence[SourceErrors]

_WELL_ON_TOXICITY = ("mse", "mae", "wins_mae", "spearman")


def _claim_first_is_poor(places: Places) -> Iterator[Case]:
    for place in places:
        if place.epsilon <= SMALL and FIRST in place.samplers:
            for other in place.samplers:
                if other != FIRST:
                    yield place.lead(place.of_samplers(other), place.of_samplers(FIRST))


def _claim_several_responses(places: Places) -> Iterator[Case]:
    for place in places:
        one = [name for name in place.samplers if get_sampler(name).responses_per_item(2) == 1]
        several = [name for name in place.samplers if name not in one]
        if one and several:
            yield place.lead(place.of_samplers(*several), place.of_samplers(*one))


def _claim_best_sampler(places: Places) -> Iterator[Case]:
    for place in places:
        for other in place.samplers if ALL in place.samplers else ():
            if other != ALL:
                yield place.lead(place.of_samplers(ALL), place.of_samplers(other))


def _claim_wins_is_best(places: Places) -> Iterator[Case]:
    return _of_metrics(places, "simulated", ("wins_mae",), lambda epsilon: epsilon > 0.0)


def _claim_mse_and_spearman(places: Places) -> Iterator[Case]:
    return _of_metrics(places, "toxicity", ("mse", "spearman"), lambda epsilon: epsilon <= SMALL)


def _of_metrics(
    places: Places, source: str, chosen: Sequence[str], at: Callable[[float], bool]
) -> Iterator[Case]:
    """Return cases for each of some metrics against each other metric, over the samplers."""
    for place in places:
        if place.source == source and at(place.epsilon):
            for metric in chosen:
                for other in place.metrics if metric in place.metrics else ():
                    if other not in chosen:
                        yield place.lead(place.of_metric(metric), place.of_metric(other))


def _claim_do_well_on_toxicity(places: Places) -> Iterator[Case]:
    for place in places:
        if place.source == "toxicity" and place.epsilon > SMALL:
            for metric in _WELL_ON_TOXICITY:
                if metric in place.metrics:
                    yield place.below(NOT_ACCEPTABLE, place.of_metric(metric))


def _claim_wins_is_consistent(places: Places) -> Iterator[Case]:
    simulated = [place for place in places if place.source == "simulated" and "wins_mae" in place.metrics]
    for nearer, farther in pairwise(sorted(simulated, key=lambda place: place.epsilon)):
        (first, error), (second, other) = (
            place.below(NOT_ACCEPTABLE, place.of_metric("wins_mae")) for place in (nearer, farther)
        )
        yield Case(second - first, float(np.hypot(error, other)))


def _claim_recommended_pair(places: Places) -> Iterator[Case]:
    for place in places:
        chosen = (ALL, "wins_mae")
        if chosen in place.errors and place.epsilon > (SMALL if place.source == "toxicity" else 0.0):
            others = [pair for pair in place.errors if pair != chosen]
            rival = min(others, key=lambda pair: place.mean([pair]))
            yield place.lead([chosen], [rival])


def _claim_reliable_metrics(places: Places) -> Iterator[Case]:
    for place in places:
        for metric in ("wins_mae", "spearman"):
            if (ALL, metric) in place.errors:
                yield place.below(NOT_ACCEPTABLE, [(ALL, metric)])


SEVERAL_RESPONSES = PaperClaim(
    "sections 5 and 8.1",
    "sampling methods which incorporate variance perform better",
    "at each source and ε, samplers of several responses have a smaller mean error than those of one",
    "sources and ε",
    _claim_several_responses,
)
BEST_SAMPLER = PaperClaim(
    "section 7, RQ2",
    "The most promising sampling method is (bootstrap_items, all)",
    "at each source and ε its mean error is smaller than that of each other sampler",
    "comparisons of samplers",
    _claim_best_sampler,
)

_CLAIMS = (
    PaperClaim(
        "section 7, RQ1",
        "(bootstrap_items, first_element) […] generally performs poorly in the three lowest perturbation "
        "settings",
        "at ε ≤ .1 its mean error is larger than that of each other sampler",
        "comparisons of samplers",
        _claim_first_is_poor,
    ),
    SEVERAL_RESPONSES,
    BEST_SAMPLER,
    PaperClaim(
        "section 7, RQ3",
        "In the purely simulated data, Wins(MAE) is the best",
        "on simulated data at each ε > 0, its mean error is smaller than that of each other metric",
        "comparisons of metrics",
        _claim_wins_is_best,
    ),
    PaperClaim(
        "section 7, RQ3",
        "In the toxicity dataset, MSE, MAE, Wins(MAE), and Spearman Rho all do very well for ε ≥ 0.3",
        "on toxicity at ε ≥ .3, the mean error of each is below .05",
        "metrics and ε",
        _claim_do_well_on_toxicity,
    ),
    PaperClaim(
        "section 7, RQ3",
        "MSE and Spearman Rho do better than the rest for smaller perturbation levels",
        "on toxicity at ε ≤ .1, the mean error of each is smaller than that of each other metric",
        "comparisons of metrics",
        _claim_mse_and_spearman,
    ),
    PaperClaim(
        "section 7, RQ4",
        "On the purely simulated data, Wins(MAE) is the most consistent metric when considering sensitivity",
        "on simulated data, its mean error falls from each ε to the next",
        "steps of ε",
        _claim_wins_is_consistent,
    ),
    PaperClaim(
        "section 7",
        "the Wins(MAE) metric, in combination with the (bootstrap_items, all) sampling technique, provides "
        "the most effective p-value estimate on a single test set",
        "at ε > 0 (toxicity: ε ≥ .3), no other pair of a metric and a sampler has a smaller mean error",
        "sources and ε",
        _claim_recommended_pair,
    ),
    PaperClaim(
        "sections 5 and 8.1",
        "Wins(MAE) and Spearman Rho are reliable metrics",
        "with (bootstrap_items, all), their mean error is below .05, which section 5 calls not acceptable",
        "metrics, sources and ε",
        _claim_reliable_metrics,
    ),
)


def verdicts_of(cells: Cells) -> list[Verdict]:
    """Return a verdict on each claim that the run has numbers for, from the paper's own sources."""
    return verdicts_on(
        _CLAIMS,
        {
            semantics: [place for place in places_of(cells.of(semantics)) if place.source in PRIORS]
            for semantics in sorted(cells.semantics)
        },
    )
