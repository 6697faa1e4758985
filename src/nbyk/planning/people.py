"""Planning with people: the variances of an effect, a pilot that shows them, and a collection's numbers.

The effect is a mean over N items, with ratings by J raters and R answers of each system. Items, clusters of
items, raters and runs each have a variance of their own, and so do single ratings and answers
(generalisability theory: Brennan 2001).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from nbyk.data.response_set import ResponseSet
from nbyk.errors import NbykError
from nbyk.metrics import Metric, get
from nbyk.planning.checks import check_cost, check_count
from nbyk.testing.engine.inputs import as_response_set
from nbyk.testing.shared_units import SharedUnitsTest, responses, shared_units_test
from nbyk.testing.systems.panel import FEWEST_UNITS, panel_of
from nbyk.testing.unit_kinds import kind_of_units
from nbyk.words import counted, listed

LEAST_OF_CREW = {
    "n_items": 2,
    "raters": 0,
    "ratings_per_item": 1,
    "runs": 0,
    "items_per_cluster": 1,
    "items_per_rater": 1,
}
"""The least number of items, raters, …, by the name of the argument."""

_LARGEST_SD = 1e75
_LARGEST_VARIANCE = 2.0 * _LARGEST_SD**2
"""The largest of those of a `Spread`, whose squares are numbers too."""


@dataclass(frozen=True)
class Spread:
    """The variances of an effect for one item, rater, rating, run or answer.

    Attributes
    ----------
    items
        Variance between items: of an item's effect with infinitely many ratings and answers.
    raters
        Between raters, over all items: a rater whose severity moves the effect by s adds s².
    ratings
        Between single ratings, beyond items and raters.
    runs
        Between runs of both systems together: twice that of one system if they are alike.
    answers
        Between single answers of both systems together, beyond items and runs.
    clusters
        Between clusters of items, such as passages, beyond the items in them.
    """

    items: float
    raters: float = 0.0
    ratings: float = 0.0
    runs: float = 0.0
    answers: float = 0.0
    clusters: float = 0.0

    def __post_init__(self) -> None:
        for name, variance in asdict(self).items():
            if not 0.0 <= variance <= _LARGEST_VARIANCE:
                raise NbykError(
                    f"found {variance:g}, expected a variance from 0 to {_LARGEST_VARIANCE:g}", argument=name
                )

    def times(self, unit: float) -> Spread:
        """Return the variances of the effect in another unit; one present unit is `unit` of these."""
        return Spread(**{name: unit**2 * variance for name, variance in asdict(self).items()})

    @classmethod
    def of(cls, test: SharedUnitsTest, *, rated: bool = False) -> Spread:
        """Return the variances that a comparison with ids shows.

        Units that answer different numbers of items count as J = 1 / Σ w² units, with weights w that add up
        to 1. If K of them answer an item, single responses weigh K (J − 1) / (J (K − 1)) times as much in the
        jackknife over units as in the effect. The choice of the units that answer an item is then part of the
        variance over items. Both are removed here. Estimates below 0 are set to 0. `rated` means that people
        rated the systems' answers: then people are the units, not runs.
        """
        n = test.items.units
        found = {"raters": 0.0, "ratings": 0.0, "runs": 0.0, "answers": 0.0}
        explained = 0.0
        for source, part in test.sources.items():
            between, within = ("raters", "ratings") if rated or source == "raters" else ("runs", "answers")
            variance = max(part.between, 0.0) / part.weight_squares
            per_item = part.responses / n
            single = part.within
            if per_item > 1.0:
                single *= (1.0 - 1.0 / per_item) / (1.0 - part.weight_squares)
            found[between] += variance
            found[within] += single * part.responses
            explained += single + variance * max(1.0 / part.responses - part.weight_squares / n, 0.0)
        return cls(items=max(test.items.total - explained, 0.0) * n, **found)


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

    Raises
    ------
    NbykError
        If the input is malformed, there are fewer than three clusters, or there are none and every rater and
        every run answers only one item.
    """
    data = as_response_set(gold, a, b, cluster=cluster)
    chosen = metric if isinstance(metric, Metric) else get(metric)
    return spread_of_test(data, chosen, pilot_test(data, chosen))


def variances_of(sds: Mapping[str, float | None]) -> dict[str, float]:
    """Return the variances of `Spread` for those standard deviations that are given.

    Parameters
    ----------
    sds
        Standard deviations of the effect by name: "item_sd", "cluster_sd", "severity_sd" (of a rater),
        "rating_sd", and of one system "run_sd" and "answer_sd"; None for one that is not given.

    Raises
    ------
    NbykError
        If one is below 0, or not a number that can be squared.
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


def spread_of_test(
    pilot: ResponseSet, metric: Metric, test: SharedUnitsTest, *, rated: bool | None = None
) -> Spread:
    """Return the variances that a pilot shows, from its `pilot_test`: those of clusters too, if it has any.

    `rated` says whether people rated the systems' answers; by default `rated_by_people` decides.

    The variance between clusters is s² = N (C − I) / (M − 1) with the variances of the effect over clusters C
    and over items I, and M = Σ m² / N for clusters of m items. Unequal clusters count as fewer: the plan's
    variance with the pilot's own sizes is C.
    """
    rated = rated_by_people(pilot) if rated is None else rated
    alone = test if pilot.clusters is None else _test_of(replace(pilot, clusters=None), metric)
    return spread_from(pilot, test, alone, rated=rated)


def tests_of(pilot: ResponseSet, metric: Metric) -> tuple[SharedUnitsTest, SharedUnitsTest]:
    """Return a pilot's test over its clusters, and that over its items; the same one without clusters."""
    test = pilot_test(pilot, metric)
    return test, test if pilot.clusters is None else _test_of(replace(pilot, clusters=None), metric)


def spread_from(pilot: ResponseSet, test: SharedUnitsTest, alone: SharedUnitsTest, *, rated: bool) -> Spread:
    """Return the variances that a pilot's `tests_of` show; see `spread_of_test`."""
    over_items = Spread.of(alone, rated=rated)
    if pilot.clusters is None:
        return over_items
    sizes = np.bincount(pilot.clusters)
    excess = max(test.items.total - alone.items.total, 0.0)
    more = float(np.sum(sizes**2)) / pilot.n_items - 1.0
    between = min(pilot.n_items * excess / more, over_items.items) if more > 0.0 else 0.0
    clusters = len(sizes) * (excess + between / pilot.n_items)
    return replace(over_items, items=over_items.items - between, clusters=clusters)


def pilot_test(pilot: ResponseSet, metric: Metric) -> SharedUnitsTest:
    """Return a pilot's test over new items or clusters, raters and runs.

    Raises
    ------
    NbykError
        If there are fewer than three clusters; or if there are none, and no shared raters or runs.
    """
    check_clusters(pilot)
    if not pilot.n_clusters and panel_of(pilot, None).responses is None:
        raise NbykError(
            "no rater and no run of this pilot answers two items, so it does not show how they differ; give "
            "the standard deviations instead"
        )
    return _test_of(pilot, metric)


def _test_of(pilot: ResponseSet, metric: Metric) -> SharedUnitsTest:
    found = panel_of(pilot, None).responses
    if found is None:
        gold = pilot.gold if pilot.has_gold else None
        found = responses(pilot.a, pilot.b, gold=gold, clusters=pilot.clusters)
    return shared_units_test(metric, found, weighted=False)


def check_clusters(data: ResponseSet) -> None:
    """Raise NbykError if items come in clusters, but in too few for a claim about others."""
    if 0 < data.n_clusters < FEWEST_UNITS:
        raise NbykError(
            f"found {data.n_clusters} clusters, which cannot speak for others; collect at least "
            f"{FEWEST_UNITS}, or leave the clusters out",
            argument="cluster",
        )


@dataclass(frozen=True)
class Crew:
    """The numbers of items, raters, ratings and runs, and their design.

    Attributes
    ----------
    n_items
        Items N.
    raters
        Raters J, each with the same number of items; 0 if each rating is by another person.
    ratings_per_item
        Ratings per item K, at most J.
    runs
        Runs R of each system, each on all items; 0 if each answer is from another run.
    items_per_cluster
        Items in a cluster; 1 without clusters.
    """

    n_items: int
    raters: int
    ratings_per_item: int
    runs: int
    items_per_cluster: int = 1

    @property
    def clusters(self) -> int:
        """Number of clusters; the last one may be smaller."""
        return -(-self.n_items // self.items_per_cluster)

    @property
    def items_per_rater(self) -> float:
        """The items L that a rater rates."""
        return self.n_items * self.ratings_per_item / self.raters if self.raters else 1.0

    @property
    def words(self) -> str:
        """The numbers in words: "30 items, 2 ratings each, 8 raters with 7 or 8 items each"."""
        in_clusters = f" in {self.clusters} clusters" if self.items_per_cluster > 1 else ""
        words = [f"{self.n_items} items{in_clusters}"]
        words.append(f"{self.ratings_per_item} rating{'s' * (self.ratings_per_item > 1)} each")
        if self.raters:
            least, more = divmod(self.n_items * self.ratings_per_item, self.raters)
            load = f"{least} or {least + 1}" if more else f"{least}"
            words.append(f"{self.raters} raters with {load} item{'s' * (load != '1')} each")
        if self.runs:
            words.append(f"{self.runs} runs of each system")
        return ", ".join(words)

    def words_of_given(self, opened: Sequence[str]) -> str:
        """Return the numbers that are not solved for, in words: "with 3 runs"; "here" if there are none."""
        counts = (
            ("raters", self.raters, "raters"),
            ("runs", self.runs, "runs"),
            ("n_items", self.n_items, "items"),
        )
        parts = [f"{count} {noun}" for name, count, noun in counts if count and name not in opened]
        return f"with {' and '.join(parts)}" if parts else "here"

    @property
    def populations(self) -> str:
        """The populations that a test over items, raters and runs speaks of: "new items and new raters"."""
        items = "new items" if self.items_per_cluster == 1 else "new clusters of items"
        return listed([items, *["new raters"] * bool(self.raters), *["new runs"] * bool(self.runs)])

    @property
    def too_few(self) -> str:
        """The units of which there are too few for a claim about others, in words; "" if there are enough."""
        clusters = self.clusters if self.items_per_cluster > 1 else 0
        counts = (("raters", self.raters), ("runs", self.runs), ("clusters", clusters))
        return listed([f"{counted(count)} {noun}" for noun, count in counts if 0 < count < FEWEST_UNITS])

    def check(self) -> None:
        """Raise NbykError unless raters can divide the work like this."""
        for name, count in asdict(self).items():
            check_count(name, count, LEAST_OF_CREW[name])
        if self.clusters < 2:
            raise NbykError(
                f"found {self.items_per_cluster}, and there are {self.n_items} items: one cluster, which "
                "cannot speak for others; give more items, or smaller clusters",
                argument="items_per_cluster",
            )
        if self.raters and self.ratings_per_item > self.raters:
            raise NbykError(
                f"found {self.ratings_per_item}, and there are {self.raters} raters, who rate an item once "
                "each: give fewer ratings per item, or more raters",
                argument="ratings_per_item",
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

    `rated` is as for `spread_of_test`. Raters or runs that answer one item each count as none.
    """
    rated = rated_by_people(data) if rated is None else rated
    panel = panel_of(data, None)
    sizes = {source: panel.size(source) for source in panel.sources}
    raters = max(sizes.values(), default=0) if rated else sizes.get("raters", 0)
    runs = 0 if rated else max((size for source, size in sizes.items() if source != "raters"), default=0)
    ratings = ratings_per_item(data) if rated or data.has_gold else 1
    per_cluster = round(data.n_items / data.n_clusters) if data.n_clusters else 1
    return Crew(data.n_items, raters, min(ratings, raters) if raters else ratings, runs, per_cluster)
