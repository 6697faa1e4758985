"""The request of a plan: the open one of N, K, ε, power and budget, and checks of the others."""

from __future__ import annotations

from dataclasses import dataclass, replace

from nbyk.errors import NbykError
from nbyk.planning.checks import check_budget, check_costs_of_size, check_power
from nbyk.planning.power.battery import SystemTest
from nbyk.priors import TwoStagePrior
from nbyk.resampling.pilot_items import PilotItems, RedrawnPilot
from nbyk.resampling.population import Population, check_epsilon, check_systems
from nbyk.testing.shared_units.collection import check_count

OPEN = {
    frozenset({"n_items", "k_responses", "epsilon"}): "power",
    frozenset({"n_items", "k_responses", "power"}): "epsilon",
    frozenset({"n_items", "epsilon", "power"}): "k_responses",
    frozenset({"k_responses", "epsilon", "power"}): "n_items",
    frozenset({"epsilon", "power"}): "budget",
    frozenset({"budget", "epsilon"}): "power",
    frozenset({"budget", "power"}): "epsilon",
    frozenset({"budget", "n_items", "epsilon"}): "power",
    frozenset({"budget", "k_responses", "epsilon"}): "power",
    frozenset({"budget", "n_items", "power"}): "epsilon",
    frozenset({"budget", "k_responses", "power"}): "epsilon",
}
"""The quantity solved for, by the quantities given. A budget replaces a size: the best (N, K) it buys."""

_EXAMPLES = (
    "give `epsilon` and `power` for the cheapest size, `epsilon` and a size (`n_items` and `k_responses`, "
    "or `budget`) for the power, `power` and a size for the smallest `epsilon`, or `epsilon`, `power` and "
    "one of `n_items` and `k_responses` for the other"
)
LADDER = (*range(1, 11), 12, 15, 20, 25, 30, 40, 50, 60, 75, 100, 150, 200, 300, 500, 750, 1000)
MAX_ITEMS, MAX_RESPONSES = 100_000, 100
"""Limits of a search that nobody has limited."""
_SHORT_LADDER = (1, 2, 3, 5, 7, 10, 15, 20, 50, 100, 200, 500, 1000)


def check_numbers(
    *,
    alpha: float,
    n_items: int | None,
    k_responses: int | None,
    epsilon: float | None,
    power: float | None,
    budget: float | None,
    cost_per_item: float,
    cost_per_rating: float,
    epsilon_a: float,
    sd_scale_a: float | None,
    sd_scale_b: float | None,
    max_items: int,
    max_responses: int,
) -> None:
    """Raise NbykError if a number of a `Request` is out of range; None for those that are not given."""
    check_epsilon("epsilon", 0.0 if epsilon is None else epsilon)
    spreads = (1.0 if scale is None else scale for scale in (sd_scale_a, sd_scale_b))
    check_systems(0.0, epsilon_a, *spreads)
    for name, count, least in (
        ("n_items", n_items, 2),
        ("k_responses", k_responses, 1),
        ("max_items", max_items, 2),
        ("max_responses", max_responses, 1),
    ):
        if count is not None:
            check_count(name, count, least)
    check_power(power, alpha)
    check_costs_of_size(cost_per_item, cost_per_rating)
    check_budget(budget)


@dataclass(frozen=True)
class Request:
    """A checked question to the planner; quantities that are not given are None.

    Attributes
    ----------
    prior
        The source of items and responses: a prior, or a pilot's own items.
    test
        The test that should find the difference, with its metric and α.
    n_items, k_responses, epsilon, power, budget
        The five quantities; the open one is None. With a budget, N or K or both may be None too.
    cost_per_item, cost_per_rating
        The cost of one item and of one rating, in the unit of the budget.
    n_runs, epsilon_a, sd_scale_a, sd_scale_b
        As for `Population`.
    max_items, max_responses
        Limits of the search, raised to the N or K that is given.
    """

    prior: TwoStagePrior | PilotItems
    test: SystemTest
    n_items: int | None
    k_responses: int | None
    epsilon: float | None
    power: float | None
    budget: float | None
    cost_per_item: float
    cost_per_rating: float
    n_runs: int | None
    epsilon_a: float
    sd_scale_a: float
    sd_scale_b: float
    max_items: int
    max_responses: int

    def __post_init__(self) -> None:
        if not isinstance(self.prior, TwoStagePrior | PilotItems):
            raise NbykError(
                f"found {type(self.prior).__name__}, expected a prior, as from `nbyk.published_prior` or "
                "`nbyk.fit_prior`, or the items of a pilot, `nbyk.PilotItems(name, ratings, response)`",
                argument="prior",
            )
        check_numbers(
            alpha=self.test.alpha,
            n_items=self.n_items,
            k_responses=self.k_responses,
            epsilon=self.epsilon,
            power=self.power,
            budget=self.budget,
            cost_per_item=self.cost_per_item,
            cost_per_rating=self.cost_per_rating,
            epsilon_a=self.epsilon_a,
            sd_scale_a=self.sd_scale_a,
            sd_scale_b=self.sd_scale_b,
            max_items=self.max_items,
            max_responses=self.max_responses,
        )
        object.__setattr__(self, "max_items", max(self.max_items, self.n_items or 0))
        object.__setattr__(self, "max_responses", max(self.max_responses, self.k_responses or 0))

    @property
    def given(self) -> tuple[str, ...]:
        """Names of the quantities that are given."""
        quantities = ("n_items", "k_responses", "epsilon", "power", "budget")
        return tuple(name for name in quantities if getattr(self, name) is not None)

    @property
    def open(self) -> str:
        """The quantity to solve for."""
        given = frozenset(self.given)
        if given in OPEN:
            return OPEN[given]
        named = ", ".join(f"`{name}`" for name in self.given) or "nothing"
        if {"budget", "n_items", "k_responses"} <= given:
            found = "`n_items` and `k_responses` already fix the cost of the size; drop `budget`"
        elif {"n_items", "k_responses", "epsilon", "power"} == given:
            found = "N and K already fix the power at an epsilon; drop `power` to see it"
        elif {"epsilon", "power", "budget"} == given:
            found = (
                "nothing is left to solve for; drop `budget` to see the lowest cost of this power, or "
                "`power` to see the highest power for this budget"
            )
        elif any(given > smaller for smaller in OPEN):
            found = "nothing is left to solve for; drop one of them"
        else:
            lacking = [
                f"`{name}`"
                for name in ("n_items", "k_responses", "epsilon", "power", "budget")
                if name not in given and not (name == "budget" and {"n_items", "k_responses"} & given)
            ]
            found = f"more than one of {', '.join(lacking)} is open"
        raise NbykError(f"plan: given {named}; {found}; {_EXAMPLES}")

    @property
    def has_gold(self) -> bool:
        """Whether people rate the items; without a metric that needs it, they rate both systems' answers."""
        return self.test.metric.needs_gold

    @property
    def of_pair(self) -> bool:
        """Whether A and B are real systems, so that their difference is not given by ε."""
        return isinstance(self.prior, PilotItems) and self.prior.systems is not None

    @property
    def cost_per_response(self) -> float:
        """The cost per item of one more K: a gold rating, or a rating of each system's answer."""
        return self.cost_per_rating if self.has_gold else 2.0 * self.cost_per_rating

    def cost(self, n_items: int, k_responses: int) -> float:
        """Return the cost of N items with K ratings each; the systems' own answers are free."""
        return n_items * (self.cost_per_item + k_responses * self.cost_per_response)

    def items_within(self, budget: float, k_responses: int) -> int:
        """Return the largest N within the budget and the limits; it may be below 2."""
        each = self.cost_per_item + k_responses * self.cost_per_response
        return self.max_items if each == 0.0 else int(min(self.max_items, budget / each * (1.0 + 1e-12)))

    def responses_within(self, budget: float, n_items: int) -> int:
        """Return the largest K within the budget and the limits; it may be below 1."""
        left = budget / n_items - self.cost_per_item
        if self.cost_per_rating == 0.0:
            return self.max_responses if left >= -1e-12 else 0
        return int(min(self.max_responses, left / self.cost_per_response * (1.0 + 1e-12)))

    def ladder(self) -> tuple[int, ...]:
        """Return the K to try, in ascending order."""
        return tuple(sorted({k for k in LADDER if k < self.max_responses} | {self.max_responses}))

    def short_ladder(self) -> tuple[int, ...]:
        """Return the K to try if each needs a simulation, in ascending order."""
        return tuple(sorted({k for k in _SHORT_LADDER if k < self.max_responses} | {self.max_responses}))

    def allows_more(self, n_items: int, k_responses: int) -> bool:
        """Return whether the budget buys a larger size than one at the limits of the search."""
        if self.budget is None:
            return False
        more = (n_items, k_responses + 1) if self.k_responses is None else (n_items + 1, k_responses)
        return self.cost(*more) <= self.budget * (1.0 + 1e-12)

    def population(self, n_items: int, k_responses: int, epsilon: float) -> Population | RedrawnPilot:
        """Return the population of a size and an ε: noise in B's item means, or without gold their shift."""
        noise, shift = (epsilon, 0.0) if self.has_gold else (0.0, -epsilon * self.test.metric.sign)
        spreads = (self.sd_scale_a, self.sd_scale_b)
        size_and_systems = (n_items, k_responses, noise, self.epsilon_a, *spreads, self.n_runs, shift)
        if isinstance(self.prior, PilotItems):
            return RedrawnPilot(self.prior, *size_and_systems, self.has_gold)
        return Population(self.prior, *size_and_systems)

    def sized(self) -> Request:
        """Return the request with the N or K that a budget buys filled in, if the other one is given."""
        if self.budget is None:
            return self
        if self.k_responses is not None:
            n_items = self.items_within(self.budget, self.k_responses)
            if n_items < 2:
                raise self._too_little(2, self.k_responses, f"{self.k_responses} ratings")
            return replace(self, n_items=n_items, budget=None)
        if self.n_items is not None:
            k_responses = self.responses_within(self.budget, self.n_items)
            if k_responses < 1:
                raise self._too_little(self.n_items, 1, "one rating each")
            return replace(self, k_responses=k_responses, budget=None)
        if self.items_within(self.budget, 1) < 2:
            raise self._too_little(2, 1, "one rating each")
        most = self.cost(self.max_items, self.max_responses)
        # Whoever lowers a limit has no more items or raters, and may have money left.
        is_limited = self.max_items < MAX_ITEMS or self.max_responses < MAX_RESPONSES
        if self.budget > most * (1.0 + 1e-12) and not is_limited:
            raise NbykError(
                f"found {self.budget:g}, which buys more than the largest size that the search allows, "
                f"{self.max_items} items of {self.max_responses} ratings for {most:g}; give at most that, or "
                "raise `max_items` or `max_responses`",
                argument="budget",
            )
        return self

    def _too_little(self, n_items: int, k_responses: int, each: str) -> NbykError:
        """Return the error of a budget that does not buy a size."""
        return NbykError(
            f"{self.budget:g} does not buy {n_items} items of {each}, which cost "
            f"{self.cost(n_items, k_responses):g}",
            argument="budget",
        )
