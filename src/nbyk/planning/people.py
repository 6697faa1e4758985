"""Planning with people: what a pilot shows of an effect's variances, and what a collection costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from nbyk.data.response_set import ResponseSet
from nbyk.errors import NbykError
from nbyk.metrics import Metric, get
from nbyk.planning.checks import check_cost
from nbyk.testing.engine.inputs import as_response_set
from nbyk.testing.shared_units import Responses, SharedUnitsTest, responses, shared_units_test
from nbyk.testing.shared_units.collection import (
    FEWEST_UNITS,
    LARGEST_VARIANCE,
    Crew,
    Spread,
    crew_of,
    spread_from,
    tests_of,
)
from nbyk.testing.systems.panel import panel_of
from nbyk.testing.unit_kinds import kind_of_units

_LARGEST_SD = math.sqrt(LARGEST_VARIANCE / 2.0)


def spread_of(
    gold: Any, a: Any = None, b: Any = None, *, cluster: Any = None, metric: str | Metric = "mae"
) -> Spread:
    """Return the variances of the effect of A over B, from a pilot with shared raters, runs or clusters.

    Parameters
    ----------
    gold, a, b, cluster
        As for `nbyk.compare`.
    metric
        The metric.
    """
    data = as_response_set(gold, a, b, cluster=cluster)
    chosen = metric if isinstance(metric, Metric) else get(metric)
    return spread_of_pilot(data, chosen)


def variances_of(sds: Mapping[str, float | None]) -> dict[str, float]:
    """Return the variances of `Spread` for those standard deviations that are given.

    Parameters
    ----------
    sds
        Standard deviations of the effect by name: "item_sd", "cluster_sd", "severity_sd" (of a rater),
        "rating_sd", and of one system "run_sd" and "answer_sd"; None for one that is not given.
    """
    found = {}
    for name, sd in sds.items():
        if sd is not None:
            if not 0.0 <= sd <= _LARGEST_SD:
                raise NbykError(
                    f"found {sd:g}, expected a standard deviation from 0 to {_LARGEST_SD:g}", argument=name
                )
            field, systems = _VARIANCE_OF_SD[name]
            found[field] = systems * sd**2
    return found


_VARIANCE_OF_SD = {
    "item_sd": ("items", 1.0),
    "cluster_sd": ("clusters", 1.0),
    "severity_sd": ("raters", 1.0),
    "rating_sd": ("ratings", 1.0),
    "run_sd": ("runs", 2.0),
    "answer_sd": ("answers", 2.0),
}
"""The variance of `Spread` that each standard deviation gives, and how many systems it counts for."""


def rated_by_people(data: ResponseSet) -> bool:
    """Return whether the units behind the systems' responses are people, or may be (`kind_of_units`)."""
    return kind_of_units(data) != "run"


def spread_of_pilot(pilot: ResponseSet, metric: Metric, *, rated: bool | None = None) -> Spread:
    """Return the variances that a pilot shows; see `pilot_test` for what it needs.

    `rated` says whether people rated the systems' answers; by default `rated_by_people` decides.
    """
    found = pilot_responses(pilot)
    rated = rated_by_people(pilot) if rated is None else rated
    return spread_from(found, tests_of(found, metric), rated=rated)


def pilot_test(pilot: ResponseSet, metric: Metric) -> SharedUnitsTest:
    """Return a pilot's test over new items or clusters, raters and runs, without weights of precision."""
    return shared_units_test(metric, pilot_responses(pilot), weighted=False)


def responses_of(pilot: ResponseSet) -> Responses:
    """Return a pilot's responses with their units, if it has any, and clusters."""
    gold = pilot.gold if pilot.has_gold else None
    found = panel_of(pilot, None).responses
    return responses(pilot.a, pilot.b, gold=gold, clusters=pilot.clusters) if found is None else found


def pilot_responses(pilot: ResponseSet) -> Responses:
    """Return the responses of a pilot that shows how units or clusters differ."""
    check_clusters(pilot)
    found = responses_of(pilot)
    if not pilot.n_clusters and not found.source_units:
        raise NbykError(
            "no rater and no run of this pilot answers two items, so it does not show how they differ; give "
            "the standard deviations instead"
        )
    return found


def check_clusters(data: ResponseSet) -> None:
    """Raise NbykError if items come in clusters, but in too few for a claim about others."""
    if 0 < data.n_clusters < FEWEST_UNITS:
        raise NbykError(
            f"found {data.n_clusters} clusters, which cannot speak for others; collect at least "
            f"{FEWEST_UNITS}, or leave the clusters out",
            argument="cluster",
        )


@dataclass(frozen=True)
class Costs:
    """The costs of an item, a rating, a rater and a run of each system."""

    item: float = 0.0
    rating: float = 1.0
    rater: float = 0.0
    run: float = 0.0

    def __post_init__(self) -> None:
        for name, cost in asdict(self).items():
            check_cost(f"cost_per_{name}", cost)

    def of_item(self, ratings: float) -> float:
        """Return the cost of an item with a number of ratings."""
        return self.item + ratings * self.rating

    def of(self, crew: Crew) -> float:
        """Return the cost of a crew."""
        ratings = crew.n_items * crew.ratings_per_item
        return (
            crew.n_items * self.item
            + ratings * self.rating
            + crew.raters * self.rater
            + 2 * crew.runs * self.run
        )


def ratings_per_item(data: ResponseSet) -> int:
    """Return the mean number of gold ratings of an item or, without gold, of responses of A to it."""
    rated = data.gold if data.has_gold else data.a
    return max(1, round(float((~np.isnan(rated)).sum(axis=1).mean())))


def present_crew(data: ResponseSet, *, rated: bool | None = None) -> Crew:
    """Return the numbers of items, shared raters, ratings and shared runs that a comparison has now.

    `rated` is as for `spread_of_pilot`. Raters or runs that answer one item each count as none.
    """
    return crew_of(responses_of(data), rated=rated_by_people(data) if rated is None else rated)
