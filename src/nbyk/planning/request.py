"""The request of a plan: what is known of a collection, a difference and a power, and what is open."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.planning.item_moments import SeenEffect, quantile
from nbyk.planning.pilot import PilotLaw
from nbyk.planning.power.battery import SystemTest
from nbyk.priors.prior import ItemSource
from nbyk.resampling.labels import LabelPopulation, SimulatedPopulation
from nbyk.resampling.pilot_items import RedrawnPilot
from nbyk.resampling.population import Population, check_epsilon
from nbyk.testing.decision import check_level
from nbyk.testing.pvalues import Alternative
from nbyk.testing.shared_units.collection import FEWEST_UNITS, LEAST_OF_CREW, Crew, Spread, check_count
from nbyk.testing.shared_units.power import (
    MOST_ITEMS,
    MOST_UNITS,
    least_number,
    power_with_people,
    variance_of,
)
from nbyk.words import number_of

LADDER = (*range(1, 11), 12, 15, 20, 25, 30, 40, 50, 60, 75, 100, 150, 200, 300, 500, 750, 1000)
_SHORT_LADDER = (1, 2, 3, 5, 7, 10, 15, 20, 50, 100, 200, 500, 1000)

MAX_ITEMS, MAX_RESPONSES = 100_000, 100
"""Limits of a simulated search that nobody has limited."""

_NEARLY = 0.25
"""No test does better by so much, in normal quantiles, than one that knows the variance."""

_MOST_POWER = 1.0 - 2.0**-53

SIZES = {
    "n_items": "items",
    "raters": "raters",
    "k_responses": "ratings per item",
    "runs": "runs",
    "calls": "judge calls",
}
"""The numbers of a collection, and what a sentence calls them."""

LEAST = {"n_items": 2, "raters": FEWEST_UNITS, "k_responses": 1, "runs": FEWEST_UNITS, "calls": 2}
SIDES = {"two-sided": "two-sided", "greater": "one-sided"}
"""The alternatives of a planned test, and how a sentence calls the test."""


def size_in_words(name: str, count: int) -> str:
    """Return one of the numbers of a collection, by its name in `SIZES`: "1 rating per item"."""
    things, *per = SIZES[name].split(" per ")
    return " per ".join([number_of(count, things.removesuffix("s")), *per])


@dataclass(frozen=True)
class Costs:
    """The costs of an item, a rating, a rater, a run of each system, and a call of a judge.

    `rated_systems` is the number of systems whose answers each of K ratings is about: 1, or 2 without gold.
    """

    item: float = 0.0
    rating: float = 1.0
    rater: float = 0.0
    run: float = 0.0
    rated_systems: int = 1
    call: float = 0.0

    def __post_init__(self) -> None:
        for name, cost in asdict(self).items():
            if not 0.0 <= cost < math.inf:
                raise NbykError(f"found {cost}, expected a cost of at least 0", argument=f"cost_per_{name}")

    def check_of_size(self) -> None:
        """Raise NbykError if neither items nor ratings cost anything."""
        if self.item == self.rating == 0.0:
            raise NbykError(
                "found 0, and `cost_per_item` is 0 too; expected one of them above 0",
                argument="cost_per_rating",
            )

    def of(self, crew: Crew) -> float:
        """Return the cost of a crew."""
        each = self.item + crew.ratings_per_item * self.rated_systems * self.rating
        people_and_runs = crew.raters * self.rater + 2 * crew.runs * self.run + crew.calls * self.call
        return crew.n_items * each + people_and_runs


@dataclass(frozen=True)
class Simulated:
    """Items and responses to simulate, for want of a formula: each item has its own raters and runs.

    They come from a prior, or are a pilot's own items; `n_runs` and `epsilon_a` are as for `Population`. A
    single answer has no spread, and more have that of people's ratings.
    """

    prior: Any
    test: SystemTest
    n_runs: int | None = 1
    epsilon_a: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.prior, ItemSource):
            raise NbykError(
                f"found {type(self.prior).__name__}, expected a pilot's items, as in "
                'nbyk.PilotItems("pilot", nbyk.read_ratings(path, scale="1..5").matrix(), '
                'nbyk.Response("likert", 5)); or for raters and runs nbyk.response_set(gold, a, b) or '
                "nbyk.Spread (of ratings alone: nbyk plan --pilot FILE --solve raters); or a prior, as from "
                "nbyk.fit_prior",
                argument="source",
            )
        check_epsilon("epsilon_a", self.epsilon_a)

    @property
    def has_gold(self) -> bool:
        """Whether people rate the items; without a metric that needs it, they rate both systems' answers."""
        return self.test.metric.needs_gold

    @property
    def of_pair(self) -> bool:
        """Whether A and B are real systems, so that their difference is not given by ε."""
        return bool(self.prior.of_pair)

    @property
    def of_labels(self) -> bool:
        """Whether responses are classes."""
        return bool(self.prior.of_labels)

    def population(self, n_items: int, k_responses: int, epsilon: float) -> SimulatedPopulation:
        """Return the population of a size and an ε: noise in B's item means, or without gold their shift."""
        noise, shift = (epsilon, 0.0) if self.has_gold else (0.0, -epsilon * self.test.metric.sign)
        if self.of_labels:
            return LabelPopulation(self.prior, n_items, k_responses, epsilon, self.epsilon_a, self.n_runs)
        spread = 0.0 if self.n_runs == 1 else 1.0
        systems = (noise, self.epsilon_a, spread, spread, self.n_runs, shift)
        if self.prior.n_items:
            return RedrawnPilot(self.prior, n_items, k_responses, *systems, self.has_gold)
        return Population(self.prior, n_items, k_responses, *systems)


@dataclass(frozen=True, kw_only=True)
class Request:
    """A question to the planner; a quantity that is None is solved for.

    What is not described is as for `nbyk.plan`. With 0 raters (or runs), each rating is by another person
    (each answer from another run), as in every simulation. If `k_responses` and one other quantity are left
    out and there is no budget, all raters rate all items.

    Attributes
    ----------
    source
        Where the effect's variance comes from: items and responses to simulate, variances, the law of those
        that a pilot leaves possible, or an effect over items that was seen.
    paired_runs
        Whether run r is the same for both systems.
    epsilon, unit
        The difference of simulated systems, for responses from 0 to 1 (0 for real ones), and the length, on
        the scale of the ratings, of 1 in these.
    max_items, max_responses
        Limits of the search, raised to the N or K that is given.
    at_hand
        Numbers that a search goes beyond.
    noun
        What a response that is collected is called (`noun_of`).
    typed
        The names of what the user gave, for errors.
    """

    source: Simulated | Spread | PilotLaw | SeenEffect
    n_items: int | None = None
    raters: int | None = None
    k_responses: int | None = None
    runs: int | None = None
    calls: int | None = 0
    items_per_rater: int | None = None
    items_per_cluster: int = 1
    paired_runs: bool = False
    epsilon: float | None = None
    unit: float = 1.0
    effect: float | None = None
    power: float | None = None
    budget: float | None = None
    alpha: float = 0.05
    alternative: Alternative = "two-sided"
    costs: Costs = field(default_factory=Costs)
    max_items: int = MOST_ITEMS
    max_responses: int = MOST_UNITS
    at_hand: Mapping[str, int] = field(default_factory=dict)
    noun: str = "rating"
    typed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.is_simulated:
            object.__setattr__(self, "raters", 0)
            object.__setattr__(self, "runs", 0)
            self.costs.check_of_size()
            check_epsilon("epsilon", self.epsilon or 0.0)
        elif self.effect is not None and not 0.0 < abs(self.effect) < math.inf:
            raise NbykError(f"found {self.effect}, expected a number other than 0", argument="effect")
        fewest = self.fewest_responses
        counts = LEAST_OF_CREW | {"k_responses": fewest, "max_items": 2, "max_responses": fewest}
        for name, least in counts.items():
            count = getattr(self, name, None)
            if count is not None:
                check_count(name, count, least)
        check_level(self.alpha)
        if self.power is not None and not self.alpha < self.power < 1.0:
            raise NbykError(
                f"found {self.power}, expected a number between α = {self.alpha:g} and 1, as 0.8",
                argument="power",
            )
        if self.alternative not in SIDES:
            raise NbykError(
                f"found {self.alternative!r}, expected {' or '.join(map(repr, SIDES))}: a plan takes B for "
                "the worse system",
                argument="alternative",
            )
        if self.budget is not None and not 0.0 < self.budget < math.inf:
            raise NbykError(f"found {self.budget:g}, expected a sum above 0", argument="budget")
        object.__setattr__(self, "max_items", max(self.max_items, self.n_items or 0))
        object.__setattr__(self, "max_responses", max(self.max_responses, self.k_responses or 0))

    @property
    def is_simulated(self) -> bool:
        """Whether the power is simulated, for want of a formula."""
        return isinstance(self.source, Simulated)

    @property
    def world(self) -> Simulated:
        """What is simulated."""
        assert isinstance(self.source, Simulated)
        return self.source

    @property
    def fewest_responses(self) -> int:
        """The fewest ratings of an item, or trials, that the metric of a simulation can score."""
        return self.world.test.metric.fewest_responses if self.is_simulated else 1

    @property
    def one_sided_alpha(self) -> float:
        """The level of each side on which the test rejects."""
        return 0.5 * self.alpha if self.alternative == "two-sided" else self.alpha

    @property
    def spread(self) -> Spread:
        """The variances of a plan in closed form."""
        assert isinstance(self.source, Spread)
        return self.source

    @property
    def difference(self) -> str:
        """The quantity that says by how much A is better: "epsilon" or "effect"."""
        return "epsilon" if self.is_simulated else "effect"

    @property
    def quantities(self) -> tuple[str, ...]:
        """The quantities of this request, of which some are open."""
        sizes = ("n_items", "k_responses") if self.is_simulated else tuple(SIZES)
        return (*sizes, self.difference, "power", "budget")

    @property
    def given(self) -> tuple[str, ...]:
        """Names of the quantities that are given."""
        return tuple(name for name in self.quantities if getattr(self, name) is not None)

    @property
    def open(self) -> tuple[str, ...]:
        """The quantities to solve for: one; or several sizes, alone or with what a budget buys."""
        *sizes, difference, power, _ = self.quantities
        lacking = [name for name in sizes if getattr(self, name) is None]
        if self.items_per_rater is not None:
            lacking.remove("raters")
        goals = [name for name in (difference, power) if getattr(self, name) is None]
        if self.budget is not None and lacking and len(goals) == 1:
            return (*lacking, *goals)
        everybody = "k_responses" in lacking and len(lacking) + len(goals) == 2 and not self.is_simulated
        if everybody and self.budget is None:
            lacking.remove("k_responses")  # all raters rate all items
        if self.budget is None and (len(lacking) + len(goals) == 1 or (lacking and not goals)):
            return (*lacking, *goals)
        raise self._not_one(lacking, goals)

    def _not_one(self, lacking: list[str], goals: list[str]) -> NbykError:
        """Return the error of a request that leaves open nothing, or too much."""
        typed = {f"`{name}`": 0 for name in (*self.quantities, "effect") if name in self.typed}
        start = f"given {', '.join(typed)}; " if typed else ""
        if self.budget is not None and not lacking:
            problem = "the numbers already fix the cost; drop `budget`, or the numbers that it should pay for"
        elif not goals and (self.budget is not None or not lacking):
            problem = "nothing is left to solve for"
        else:
            named = ", ".join(f"`{name}`" for name in (*lacking, *goals))
            problem = f"more than one of {named} is open"
            if lacking and len(goals) == 1:
                problem += f"; give `{goals[0]}` too, or a `budget`"
        return NbykError(
            f"plan: {start}{problem}. Leave out one quantity, and nbyk solves for it; or give "
            f"`{self.difference}` and `power` for the cheapest numbers, or a `budget` and one of the two for "
            "the best that it buys"
        )

    def cost(self, n_items: int, k_responses: int) -> float:
        """Return the cost of N items with K ratings each; the systems' own answers are free."""
        return self.costs.of(Crew(n_items, 0, k_responses, 0))

    def least(self, name: str) -> int:
        """Return the least number of items, raters, ratings or runs to consider: K ratings need K raters."""
        rated = (self.n_items or 0) * self.costs.rated_systems  # outputs that the judge scores too
        given = {"n_items": self.items_per_cluster + 1, "raters": self.k_responses or 0, "calls": rated + 2}
        least = self.fewest_responses if name == "k_responses" else LEAST[name]
        return max(least, given.get(name, 0), self.at_hand.get(name, 0) + 1)

    def most(self, name: str) -> int:
        """Return the largest number of items, raters, … to consider: J raters give J ratings of an item."""
        if name == "n_items":
            return self.max_items
        if name == "k_responses":
            return min(self.max_responses, self.raters or MOST_UNITS)
        all_rate_all = name == "raters" and self.k_responses is None and "k_responses" not in self.open
        most = MOST_ITEMS if name == "calls" else MOST_UNITS
        return self.max_responses if all_rate_all else most

    def crew(self, sizes: Mapping[str, int] | None = None) -> Crew:
        """Return the crew with these numbers; others that are left out take their least value."""
        given = sizes or {}
        known = {name: getattr(self, name) for name in SIZES}
        counts = {name: self.least(name) if count is None else count for name, count in known.items()}
        counts |= given
        if self.k_responses is None and "k_responses" not in given and counts["raters"]:
            counts["k_responses"] = counts["raters"]
        elif "raters" in given:
            counts["k_responses"] = min(counts["k_responses"], given["raters"])
        if self.items_per_rater is not None:
            loads = math.ceil(counts["n_items"] * counts["k_responses"] / self.items_per_rater)
            counts["raters"] = max(counts["k_responses"], loads)
        size = (counts["n_items"], counts["raters"], counts["k_responses"], counts["runs"])
        return Crew(*size, self.items_per_cluster, self.paired_runs, counts["calls"])

    def power_of(self, crew: Crew, effect: float | None = None) -> float:
        """Return the power in closed form; by a pilot's law, the assured one."""
        if isinstance(self.source, SeenEffect):
            return self.source.power(crew.n_items, crew.ratings_per_item, self.one_sided_alpha)
        size = (self.effect or 0.0) if effect is None else effect
        return power_with_people(self._spread(crew), crew, size, self.alpha, self.alternative)

    def may_reach(self, crew: Crew, power: float | None = None, effect: float | None = None) -> bool:
        """Return whether a crew would come near the power if its test knew the variance of the effect."""
        wanted, size = self.power or 0.0 if power is None else power, effect or self.effect or 0.0
        needed = quantile(min(wanted, _MOST_POWER)) - quantile(self.one_sided_alpha) - _NEARLY
        return size**2 >= max(needed, 0.0) ** 2 * self.variance_of(crew)

    def variance_of(self, crew: Crew) -> float:
        """Return the variance of the effect that a crew measures."""
        return variance_of(self._spread(crew), crew)

    def _spread(self, crew: Crew) -> Spread:
        assert isinstance(self.source, Spread | PilotLaw)
        return self.source.assured(crew) if isinstance(self.source, PilotLaw) else self.source

    def affordable(self, name: str, money: float, others: Mapping[str, int] | None = None) -> int:
        """Return the most items or ratings per item that the money buys, beside other numbers; 0 for none.

        Items come in whole clusters.
        """

        def is_too_much(count: int) -> float:
            cost = self.costs.of(self.crew({**(others or {}), name: count}))
            return float(cost > money * (1.0 + 1e-12))

        too_many = least_number(is_too_much, 1.0, 1, self.most(name))
        count = self.most(name) if too_many is None else too_many - 1
        return count - count % self.items_per_cluster if name == "n_items" else count

    def ladder(self, *, short: bool = False) -> tuple[int, ...]:
        """Return the K to try, in ascending order; the short ladder, if each needs a simulation."""
        rungs, fewest = _SHORT_LADDER if short else LADDER, self.least("k_responses")
        return tuple(sorted({k for k in rungs if fewest <= k < self.max_responses} | {self.max_responses}))

    def allows_more(self, n_items: int, k_responses: int) -> bool:
        """Return whether the budget buys a larger size than one at the limits of the search."""
        if self.budget is None:
            return False
        more = (n_items, k_responses + 1) if self.k_responses is None else (n_items + 1, k_responses)
        return self.cost(*more) <= self.budget * (1.0 + 1e-12)

    def sizes(self, *, short: bool = False) -> dict[int, int]:
        """Return the N of every K to compare: the given size, or the sizes that the budget buys."""
        if self.budget is None:
            return {self.k_responses or 1: self.n_items or 2}
        if self.n_items is not None:
            k = self.affordable("k_responses", self.budget)
            sizes = {k: self.n_items} if k else {}
        else:
            ladder = self.ladder(short=short) if self.k_responses is None else (self.k_responses,)
            bought = {k: self.affordable("n_items", self.budget, {"k_responses": k}) for k in ladder}
            sizes = {k: n for k, n in bought.items() if n >= 2}
        if not sizes:
            n, k = self.n_items or 2, self.k_responses or 1
            each = "one rating each" if k == 1 else f"{k} ratings"
            raise self.too_little(f"{n} items of {each} cost {self.cost(n, k):g}")
        most = self.cost(self.max_items, self.max_responses)
        # Whoever lowers a limit has no more items or raters, and may have money left.
        is_limited = self.max_items < MAX_ITEMS or self.max_responses < MAX_RESPONSES
        both_open = self.n_items is None and self.k_responses is None
        if both_open and self.budget > most * (1.0 + 1e-12) and not is_limited:
            raise NbykError(
                f"found {self.budget:g}, which buys more than the largest size that the search allows, "
                f"{self.max_items} items of {self.max_responses} ratings for {most:g}; give at most that, or "
                "raise `max_items` or `max_responses`",
                argument="budget",
            )
        return sizes

    def too_little(self, smallest: str) -> NbykError:
        """Return the error of a budget that does not buy the smallest collection, which is given in words."""
        return NbykError(
            f"found {self.budget:g}, which is too little: {smallest}; give more, or smaller numbers",
            argument="budget",
        )


def noun_of(metric: Metric) -> str:
    """Return what a response that a metric scores is called: "rating", "label" or "trial"."""
    if metric.takes_trials:
        return "trial"
    return "rating" if metric.needs in ("item_means", "responses") else "label"


def typed_in(given: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the arguments of `nbyk.plan` that are given."""
    return tuple(name for name, value in given.items() if value is not None)


def request_of(
    source: Simulated | Spread,
    given: Mapping[str, Any],
    rated_systems: int,
    typed: tuple[str, ...],
    **more: Any,
) -> Request:
    """Return the request with the prices, limits and numbers among the arguments of `nbyk.plan`."""
    prices = {name: given[f"cost_per_{name}"] or 0.0 for name in ("item", "rating", "rater", "run", "call")}
    simulated = isinstance(source, Simulated)
    most = (MAX_ITEMS, MAX_RESPONSES) if simulated else (MOST_ITEMS, MOST_UNITS)
    numbers: dict[str, Any] = {
        name: limit if given[name] is None else given[name]
        for name, limit in zip(("max_items", "max_responses"), most, strict=True)
    }
    names = ("n_items", "k_responses", "power", "budget", "alpha", "alternative")
    numbers |= {name: given[name] for name in names}
    return Request(
        source=source,
        costs=Costs(rated_systems=rated_systems, **prices),
        typed=typed,
        **numbers,
        **more,
    )
