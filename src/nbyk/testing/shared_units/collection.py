"""What a collection is made of: the variances of an effect, and numbers of items, raters and runs.

The effect is a mean over N items, with ratings by J raters and R answers of each system. Items, clusters of
items, raters and runs each have a variance of their own, and so do single ratings and answers
(generalisability theory: Brennan 2001).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.testing.shared_units.generalise import SharedUnitsTest, shared_units_test
from nbyk.testing.shared_units.responses import Responses
from nbyk.words import counted, listed

FEWEST_UNITS = 3
"""With fewer shared units or clusters, a claim about new ones is inconclusive (docs/shared-units.md)."""


def too_few(units: str, n_units: int = 2) -> str:
    """Return why a claim about others than these, such as "2 raters", is inconclusive, and what helps."""
    return f"{units} {'is' if n_units == 1 else 'are'} too few; collect {FEWEST_UNITS} or more"


MOST_OF_A_COUNT = 1_000_000_000
"""The largest number of items, raters, ratings or runs that nbyk plans with."""

LEAST_OF_CREW = {
    "n_items": 2,
    "raters": 0,
    "ratings_per_item": 1,
    "runs": 0,
    "items_per_cluster": 1,
    "items_per_rater": 1,
    "calls": 0,
}
"""The least number of items, raters, …, by the name of the argument."""

LARGEST_VARIANCE = 2e150
"""The largest of those of a `Spread`, whose squares are numbers too."""


def check_count(argument: str, count: object, least: int) -> None:
    """Raise NbykError about `argument` unless a number of items, raters, … is whole and in range."""
    if isinstance(count, int | float | np.integer | np.floating):
        if least <= count <= MOST_OF_A_COUNT and count == int(count):
            return
        if math.inf > count > MOST_OF_A_COUNT:
            raise NbykError(f"found {count}, expected at most {MOST_OF_A_COUNT:,}", argument=argument)
    raise NbykError(f"found {count}, expected a whole number of at least {least}", argument=argument)


@dataclass(frozen=True)
class Spread:
    """The variances of an effect for one item, rater, rating, run or answer.

    Attributes
    ----------
    items
        Variance between items: of an item's effect with infinitely many ratings and answers.
    raters, ratings
        Between raters, over all items: a rater whose severity moves the effect by s adds s². And between
        single ratings, beyond items and raters.
    runs, answers
        Between runs of both systems together: twice that of one system if they are alike. And between single
        answers of both systems together, beyond items and runs.
    clusters
        Between clusters of items, such as passages, beyond the items in them.
    calls
        Between single calls of a judge whom people correct (`nbyk.compare_judged`), over outputs that people
        did not rate, times the square of its weight.
    """

    items: float
    raters: float = 0.0
    ratings: float = 0.0
    runs: float = 0.0
    answers: float = 0.0
    clusters: float = 0.0
    calls: float = 0.0

    def __post_init__(self) -> None:
        for name, variance in asdict(self).items():
            if not 0.0 <= variance <= LARGEST_VARIANCE:
                raise NbykError(
                    f"found {variance:g}, expected a variance from 0 to {LARGEST_VARIANCE:g}", argument=name
                )

    def times(self, unit: float) -> Spread:
        """Return the variances of the effect in another unit; one present unit is `unit` of these."""
        return Spread(**{name: unit**2 * variance for name, variance in asdict(self).items()})

    @classmethod
    def of(cls, test: SharedUnitsTest, *, rated: bool = False) -> Spread:
        """Return the variances that a comparison with ids shows.

        Units that answer different numbers of items count as J = 1 / Σ w² units, with weights w that add up
        to 1. The choice of the units that answer an item is part of the variance over items, and is removed
        here. One response an item does not tell the two apart: its noise is the items'. Estimates below 0 are
        set to 0. `rated` means that people rated the systems' answers: then people are the units, not runs.
        """
        if not math.isfinite(test.variance):
            raise NbykError(test.roughness)
        n = test.items.units
        variances = {"raters": 0.0, "ratings": 0.0, "runs": 0.0, "answers": 0.0}
        explained = 0.0
        for source, part in test.sources.items():
            between, within = ("raters", "ratings") if rated or source == "raters" else ("runs", "answers")
            variance = max(part.between, 0.0) / part.weight_squares
            single = test.of_single(source) if part.responses > n else 0.0
            variances[between] += variance
            variances[within] += single * part.responses
            explained += single + variance * max(1.0 / part.responses - part.weight_squares / n, 0.0)
        return cls(items=max(test.items.total - explained, 0.0) * n, **variances)


@dataclass(frozen=True)
class Crew:
    """The numbers of items, raters, ratings and runs, and their design.

    Attributes
    ----------
    n_items, ratings_per_item
        Items N, and ratings per item K, at most J.
    raters, runs
        Raters J, each with the same number of items, and runs R of each system, each on all items; 0 if each
        rating is by another person, or each answer from another run.
    items_per_cluster
        Items in a cluster; 1 without clusters.
    paired_runs
        Whether run r is the same for both systems, as with one seed for both.
    calls
        Calls of a judge whom people correct, in all; 0 without a judge.
    """

    n_items: int
    raters: int
    ratings_per_item: int
    runs: int
    items_per_cluster: int = 1
    paired_runs: bool = False
    calls: int = 0

    def with_counts(self, **counts: int) -> Crew:
        """Return the crew with other numbers; if all raters rate all items, more raters do too."""
        crew = replace(self, **counts)  # type: ignore[arg-type]
        if self.all_rate_all and "ratings_per_item" not in counts:
            return replace(crew, ratings_per_item=crew.raters)
        return crew

    @property
    def all_rate_all(self) -> bool:
        """Whether all raters rate all items."""
        return 0 < self.raters <= self.ratings_per_item

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
            words.append(f"{self.runs} runs of each system{', paired' * self.paired_runs}")
        if self.calls:
            words.append(f"{self.calls} judge calls")
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
        if self.clusters < 2:
            raise NbykError(
                f"found {self.items_per_cluster}, and there are {self.n_items} items: one cluster, which "
                "is too few; give more items, or smaller clusters",
                argument="items_per_cluster",
            )
        if self.raters and self.ratings_per_item > self.raters:
            raise NbykError(
                f"found {self.ratings_per_item}, and there are {self.raters} raters, who rate an item once "
                "each: give fewer ratings per item, or more raters",
                argument="ratings_per_item",
            )


def tests_of(found: Responses, metric: Metric) -> tuple[SharedUnitsTest, SharedUnitsTest]:
    """Return the unweighted test over clusters, and that over items; the same one without clusters."""
    test = shared_units_test(metric, found, weighted=False)
    if not found.clustered:
        return test, test
    alone = replace(found, clusters=np.arange(found.n_items), clustered=False)
    return test, shared_units_test(metric, alone, weighted=False)


def spread_from(found: Responses, tests: tuple[SharedUnitsTest, SharedUnitsTest], *, rated: bool) -> Spread:
    """Return the variances that responses show by their `tests_of`; `rated` as for `Spread.of`.

    The variance between clusters is s² = N (C − I) / (M − 1) with the variances of the effect over clusters C
    and over items I, and M = Σ m² / N for clusters of m items. Unequal clusters count as fewer: the plan's
    variance with the pilot's own sizes is C.
    """
    test, alone = tests
    over_items = Spread.of(alone, rated=rated)
    if not found.clustered:
        return over_items
    sizes = np.bincount(found.clusters)
    excess = max(test.items.total - alone.items.total, 0.0)
    more = float(np.sum(sizes**2)) / found.n_items - 1.0
    between = min(found.n_items * excess / more, over_items.items) if more > 0.0 else 0.0
    clusters = len(sizes) * (excess + between / found.n_items)
    return replace(over_items, items=over_items.items - between, clusters=clusters)


def crew_of(found: Responses, *, rated: bool) -> Crew:
    """Return the numbers of items, shared raters, ratings and shared runs; `rated` as for `spread_from`."""
    has_gold = found.gold.values.shape[1] > 0
    raters = max(found.sizes.values(), default=0) if rated else found.sizes.get("raters", 0)
    runs = 0 if rated else max((n for source, n in found.sizes.items() if source != "raters"), default=0)
    ratings = 1
    if rated or has_gold:
        answers = found.gold.values if has_gold else found.a.values
        ratings = max(1, round(float((~np.isnan(answers)).sum(axis=1).mean())))
    per_cluster = round(found.n_items / (found.clusters.max() + 1)) if found.clustered else 1
    paired = not rated and "runs" in found.source_units
    return Crew(found.n_items, raters, min(ratings, raters) if raters else ratings, runs, per_cluster, paired)
