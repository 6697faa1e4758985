"""The planner with people: it solves for one of items, raters, ratings, runs, effect and power."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import product
from typing import Any

from nbyk.errors import NbykError
from nbyk.planning.checks import check_budget, check_power
from nbyk.planning.people import Costs
from nbyk.planning.pilot_law import PilotLaw
from nbyk.planning.sides import SIDES, check_side
from nbyk.testing.decision import check_level
from nbyk.testing.pvalues import Alternative
from nbyk.testing.shared_units.collection import (
    FEWEST_UNITS,
    LEAST_OF_CREW,
    Crew,
    Spread,
    check_count,
)
from nbyk.testing.shared_units.power import (
    MOST_ITEMS,
    MOST_UNITS,
    least_number,
    power_with_people,
)
from nbyk.words import ShownInNotebooks, listed

_MOST = {
    "n_items": MOST_ITEMS,
    "raters": MOST_UNITS,
    "ratings_per_item": MOST_UNITS,
    "runs": MOST_UNITS,
}
_LEAST = {"n_items": 2, "raters": FEWEST_UNITS, "ratings_per_item": 1, "runs": FEWEST_UNITS}
FEW_UNITS = 5
"""From a pilot of fewer raters or runs, the range leads."""

_PILOTS = (5, 8, 10, 12, 15, 20, 25, 30, 40, 50)

_TRIED = (*range(1, 21), 25, 30, 40, 50, 75, 100)
"""The numbers of raters, ratings per item and runs to try if several numbers are left out."""


@dataclass(frozen=True)
class CrewRequest:
    """The known quantities of a collection; None for a quantity to solve for.

    Attributes
    ----------
    n_items, raters, ratings_per_item, runs
        Items N, raters J who share them, ratings per item K, and runs R of each system. With 0 raters (or
        runs), each rating is by another person (each answer from another run). If `ratings_per_item` and one
        other quantity are left out and there is no budget, all raters rate all items.
    items_per_rater
        In place of `raters`: the items L that one person rates, so that there are N K / L raters.
    items_per_cluster
        Items in a cluster; 1 without clusters.
    effect, power
        The effect on the metric, and the power.
    alpha, alternative
        The level of the test, and its question: "two-sided", or "greater" for one side.
    costs, budget
        The costs of items, ratings, raters and runs, and the total budget.

    Raises
    ------
    NbykError
        If a number is out of range.
    """

    n_items: int | None = None
    raters: int | None = None
    ratings_per_item: int | None = None
    runs: int | None = None
    items_per_rater: int | None = None
    items_per_cluster: int = 1
    effect: float | None = None
    power: float | None = None
    alpha: float = 0.05
    alternative: Alternative = "two-sided"
    costs: Costs = field(default_factory=Costs)
    budget: float | None = None

    @property
    def lacking(self) -> tuple[str, ...]:
        """The quantities that are left out."""
        names = (*_MOST, "effect", "power")
        by_load = self.items_per_rater is not None
        return tuple(
            name for name in names if getattr(self, name) is None and not (by_load and name == "raters")
        )

    def without(self, name: str) -> CrewRequest:
        """Return the request with one more quantity to solve for."""
        unknown: dict[str, Any] = {name: None}
        return replace(self, **unknown)

    def power_at(self, effect: float, spread: Spread | PilotLaw, crew: Crew) -> float:
        """Return the power of the requested test; by a pilot's law, the assured one."""
        of = spread.assured(crew) if isinstance(spread, PilotLaw) else spread
        return power_with_people(of, crew, effect, self.alpha, self.alternative)

    def __post_init__(self) -> None:
        for name, least in LEAST_OF_CREW.items():
            count = getattr(self, name)
            if count is not None:
                check_count(name, count, least)
        check_level(self.alpha)
        check_power(self.power, self.alpha)
        check_side(self.alternative)
        if self.effect is not None and not 0.0 < abs(self.effect) < math.inf:
            raise NbykError(f"found {self.effect}, expected a number other than 0", argument="effect")
        check_budget(self.budget)

    def check(self) -> None:
        """Raise NbykError if the number of raters is given twice, or not at all by `items_per_rater`."""
        if self.items_per_rater is not None and (self.raters is not None or self.ratings_per_item is None):
            raise NbykError(
                f"found {self.items_per_rater}, expected it with `ratings_per_item` and without `raters`: "
                "nbyk computes the raters from these two",
                argument="items_per_rater",
            )

    def least(self, name: str) -> int:
        """Return the least number of items, raters, ratings or runs to consider."""
        return max(_LEAST[name], self.items_per_cluster + 1) if name == "n_items" else _LEAST[name]

    def crew(self, **sizes: int) -> Crew:
        """Return the crew with these numbers; the other numbers that are left out take their least value."""
        known = {name: getattr(self, name) for name in _LEAST}
        counts = {name: self.least(name) if count is None else count for name, count in known.items()}
        counts |= sizes
        if self.ratings_per_item is None and "ratings_per_item" not in sizes and counts["raters"]:
            counts["ratings_per_item"] = counts["raters"]
        elif "raters" in sizes:
            counts["ratings_per_item"] = min(counts["ratings_per_item"], sizes["raters"])
        if self.items_per_rater is not None:
            loads = math.ceil(counts["n_items"] * counts["ratings_per_item"] / self.items_per_rater)
            counts["raters"] = max(counts["ratings_per_item"], loads)
        return Crew(**counts, items_per_cluster=self.items_per_cluster)


@dataclass(frozen=True)
class PeoplePlan(ShownInNotebooks):
    """A crew, an effect and a power that go together.

    Attributes
    ----------
    request
        The request.
    spread
        The variances of the effect.
    open
        The quantities solved for: some of "n_items", "raters", "ratings_per_item", "runs", "effect" and
        "power".
    crew, effect, power
        The answer; `crew` also holds the given numbers.
    reachable
        Whether the requested power is reached. If not, no value of the open quantity reaches it, and `power`
        is the highest possible.
    instead
        If it is not: the least number of raters or of runs that reaches it, with all else unchanged.
    warnings
        Cautions about the plan, one sentence each, such as about a small pilot.
    assured
        The plan that has its power in four of five such pilots (`nbyk.planning.pilot_law`); None without a
        pilot or a stated effect.
    pilot_units, pilot_that_tells
        The raters or runs of the pilot, and those of one whose assured plan would be at most twice the size;
        0 if this one's is, or if none of up to 50 units would.
    """

    request: CrewRequest
    spread: Any
    open: tuple[str, ...]
    crew: Crew
    effect: float
    power: float
    reachable: bool = True
    instead: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    assured: PeoplePlan | None = None
    pilot_units: int = 0
    pilot_that_tells: int = 0

    @property
    def cost(self) -> float:
        """The cost of the crew."""
        return self.request.costs.of(self.crew)

    @property
    def interval(self) -> tuple[float, float]:
        """The power twice: a formula gives it, without Monte-Carlo error.

        It does not include the error of the variances, which a pilot estimates.
        """
        return self.power, self.power

    @property
    def standard_error(self) -> float:
        """Monte-Carlo standard error of the power: 0, because a formula gives it."""
        return 0.0

    @property
    def sentence(self) -> str:
        """The answer in a few sentences that you can quote; from a pilot of few units, its range first."""
        if self.assured is None:
            return self._answer
        return f"{self._range}{self._answer} {self._assurance}"

    @property
    def _range(self) -> str:
        if self.assured is None or self.pilot_units >= FEW_UNITS or len(self.open) > 1:
            return ""
        (name,) = self.open
        if name in ("power", "effect"):
            ends = sorted((getattr(self.assured, name), getattr(self, name)))
            return f"The {name} is between {ends[0]:.3g} and {ends[1]:.3g}, as far as the pilot can tell. "
        low = getattr(self.crew, name)
        if not self.reachable:
            return ""
        high = f"to {getattr(self.assured.crew, name)}" if self.assured.reachable else "or far more"
        return f"It takes {low} {high} {_NAMES[name]}, as far as the pilot can tell. "

    @property
    def _assurance(self) -> str:
        """The assured plan in words."""
        sure, share = self.assured, "in four of five such pilots"
        assert sure is not None
        if "power" in self.open:
            words = f"That is the best guess: {share}, the power is at least {sure.power:.3f}."
        elif "effect" in self.open:
            words = f"That is the best guess: {share}, it finds an effect of {sure.effect:.3g}."
        elif sure.reachable:
            words = (
                f"That is the best guess. With {sure.crew.words}, at a cost of {sure.cost:g}, the power is "
                f"at least {self.request.power:g} {share}."
            )
        else:
            words = f"That is the best guess: no number of them has this power {share}."
        if self.pilot_that_tells:
            words += f" This pilot tells little; one of {self.pilot_that_tells} raters or runs would tell."
        return words

    @property
    def _answer(self) -> str:
        crew, asked = self.crew, self.request
        test = f"the t-test over {crew.populations} ({SIDES[asked.alternative]}, α = {asked.alpha:g})"
        if not self.reachable:
            way = " or ".join(f"{count} {name} would" for name, count in self.instead.items())
            *first, last = (_NAMES[name] for name in self.open)
            opened = f"{', '.join(first)} or {last}" if first else last
            limited = listed([_NAMES[name] for name in self.open if name != "n_items"])
            if len(self.open) > 1:
                way = f" among those that nbyk tries if several are open (up to {_TRIED[-1]} {limited})"
            elif way:
                way = f"; {way}"
            else:
                way = "; more raters or runs alone would not"
            return (
                f"No number of {opened} settles this {crew.words_of_given(self.open)}{way}. With an effect "
                f"of {self.effect:.3g}, the power of {test} is at most {self.power:.2f}; you asked for "
                f"{asked.power:g}."
            )
        why = f" {self.crew.too_few.capitalize()} cannot speak for others: give at least {FEWEST_UNITS}."
        cost = f"{self.cost:g}" if asked.budget is None else f"{self.cost:g} of {asked.budget:g}"
        return (
            f"With {crew.words}, at a cost of {cost}, {test} finds an effect of {self.effect:.3g} "
            f"with a power of {self.power:.3f}.{why if self.crew.too_few else ''}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold."""
        return {
            "sentence": self.sentence,
            "open": list(self.open),
            "crew": asdict(self.crew),
            "items_per_rater": self.crew.items_per_rater,
            "effect": self.effect,
            "power": self.power,
            "cost": self.cost,
            "budget": self.request.budget,
            "reachable": self.reachable,
            "instead": dict(self.instead),
            "spread": asdict(self.spread),
            "alpha": self.request.alpha,
            "alternative": self.request.alternative,
            "asked_power": self.request.power,
            "assured": None if self.assured is None else self.assured.to_dict(),
            "pilot_that_tells": self.pilot_that_tells,
            "warnings": list(self.warnings),
        }


_NAMES = {
    "n_items": "items",
    "raters": "raters",
    "ratings_per_item": "ratings per item",
    "runs": "runs",
    "effect": "effects",
}


def plan_with_people(spread: Spread | PilotLaw, request: CrewRequest) -> PeoplePlan:
    """Solve for the quantities left out of N, J, K, R, effect and power.

    If one of them is left out, nbyk solves for it. If several numbers are, it finds the cheapest collection
    with the requested power. With a budget and either effect or power, it finds the affordable collection
    with the largest power or the least effect.

    Parameters
    ----------
    spread
        The variances of the effect, or the law of those that a pilot leaves possible.
    request
        The known quantities; see `CrewRequest`.
    """
    request.check()
    lacking = request.lacking
    sizes = [name for name in lacking if name in _MOST]
    if request.budget is not None:
        return _for_the_money(spread, request, sizes)
    if len(lacking) == 2 and "ratings_per_item" in lacking:
        # All raters rate all items.
        lacking = tuple(name for name in lacking if name != "ratings_per_item")
    if len(lacking) > 1 and len(sizes) == len(lacking):
        return _cheapest(spread, request, sizes)
    if len(lacking) != 1:
        named = ", ".join(f"`{name}`" for name in lacking) or "nothing"
        aims = [name for name in lacking if name not in sizes]
        way = (
            f"give `{aims[0]}` too, or a `budget`"
            if sizes and len(aims) == 1
            else "leave out one argument, and nbyk solves for it, or leave out several of items, raters, "
            "ratings per item and runs, and give an effect and a power or a budget"
        )
        raise NbykError(f"plan with people: found {named} left out; {way}")
    return _for_one(spread, request, lacking[0])


def assured_plan(best: PeoplePlan, law_of: Callable[[float], PilotLaw]) -> PeoplePlan:
    """Return a plan from a pilot with its assured plan beside it.

    Parameters
    ----------
    best
        The plan for the variances that the pilot estimates.
    law_of
        Returns the law of a pilot of so many times the raters and runs.
    """
    law = law_of(1.0)
    sure = _assured(best, law)
    found = replace(best, assured=sure, pilot_units=law.units)
    if not best.reachable or {"power", "effect"} & set(best.open) or _tells(best, sure):
        return found
    for units in _PILOTS:
        if units > law.units and _tells(best, _assured(best, law_of(units / law.units))):
            return replace(found, pilot_that_tells=units)
    return found


def _assured(best: PeoplePlan, law: PilotLaw) -> PeoplePlan:
    request, crew = best.request, best.crew
    if "power" in best.open:
        return replace(best, power=request.power_at(best.effect, law, crew))
    if "effect" in best.open:
        size, power = _least_effect(law, request, crew)
        return replace(best, effect=size, power=power, reachable=math.isfinite(size))
    sure = plan_with_people(law, request)
    return replace(sure, spread=law.assured(sure.crew))


def _tells(best: PeoplePlan, sure: PeoplePlan) -> bool:
    sizes = [(getattr(best.crew, name), getattr(sure.crew, name)) for name in best.open]
    return sure.reachable and all(most <= 2 * least for least, most in sizes)


def _reached(spread: Spread | PilotLaw, request: CrewRequest, crew: Crew) -> float:
    """Return the power of a crew for the requested effect."""
    return request.power_at(request.effect or 0.0, spread, crew)


def _least_number(
    spread: Spread | PilotLaw,
    request: CrewRequest,
    name: str,
    most: int,
    sizes: Mapping[str, int] | None = None,
) -> int | None:
    """Return the least number of items, raters, … with the requested power, beside other `sizes`, or None.

    Items come in whole clusters.
    """

    def power(count: int) -> float:
        return _reached(spread, request, request.crew(**{**(sizes or {}), name: count}))

    size = request.items_per_cluster if name == "n_items" else 1
    count = least_number(
        lambda groups: power(groups * size),
        request.power or 0.0,
        -(-request.least(name) // size),
        most // size,
    )
    return None if count is None else count * size


def _for_one(spread: Spread | PilotLaw, request: CrewRequest, opened: str) -> PeoplePlan:
    """Solve for the one quantity that is left out."""
    made = partial(PeoplePlan, request, spread, (opened,))
    effect = request.effect or 0.0
    if opened == "power":
        return made(request.crew(), effect, _reached(spread, request, request.crew()))
    if opened == "effect":
        size, power = _least_effect(spread, request, request.crew())
        return made(request.crew(), size, power, math.isfinite(size))
    most = _MOST[opened]
    if opened == "ratings_per_item" and request.raters:
        most = request.raters
    count = _least_number(spread, request, opened, most)
    crew = request.crew(**{opened: most if count is None else count})
    instead = {}
    if count is None:
        for name in ("raters", "runs"):
            by_load = name == "raters" and request.items_per_rater is not None
            if getattr(request, name) and not by_load:
                other = _least_number(spread, request, name, _MOST[name], {opened: most})
                if other is not None:
                    instead[name] = other
    return made(crew, effect, _reached(spread, request, crew), count is not None, instead)


def _crews(request: CrewRequest, sizes: Sequence[str]) -> Iterator[dict[str, int]]:
    """Yield the numbers to try of raters, ratings per item and runs, as far as they are left out."""
    grids = {
        name: [count for count in _TRIED if count >= _LEAST[name]] for name in sizes if name != "n_items"
    }
    for counts in product(*grids.values()):
        tried = dict(zip(grids, counts, strict=True))
        raters = tried.get("raters", request.raters)
        if not raters or tried.get("ratings_per_item", request.ratings_per_item or 1) <= raters:
            yield tried


def _cheapest(spread: Spread | PilotLaw, request: CrewRequest, sizes: Sequence[str]) -> PeoplePlan:
    """Return the cheapest collection with the requested power; of equal costs, the first."""
    cost_of, target = request.costs.of, request.power or 0.0
    best: Crew | None = None
    tried: dict[str, int] = {}
    for tried in _crews(request, sizes):
        if "n_items" in sizes:
            most = _MOST["n_items"] if best is None else _affordable(request, tried, cost_of(best))
            n_items = _least_number(spread, request, "n_items", most, tried)
            if n_items is None:
                continue
            tried["n_items"] = n_items
        crew = request.crew(**tried)
        if (best is None or cost_of(crew) < cost_of(best)) and _reached(spread, request, crew) >= target:
            best = crew
    # The last that was tried is the largest.
    most_items = {"n_items": _MOST["n_items"]} if "n_items" in sizes else {}
    crew = request.crew(**{**tried, **most_items}) if best is None else best
    power = _reached(spread, request, crew)
    return PeoplePlan(request, spread, tuple(sizes), crew, request.effect or 0.0, power, best is not None)


def _for_the_money(spread: Spread | PilotLaw, request: CrewRequest, sizes: Sequence[str]) -> PeoplePlan:
    """Return the collection with the largest power for an effect, or the least effect, within the budget."""
    budget = request.budget or 0.0
    if (request.effect is None) == (request.power is None):
        found = "neither an effect nor a power" if request.effect is None else "an effect and a power"
        raise NbykError(
            f"found {budget:g} with {found}; expected one of the two: give `effect` or `power`, and nbyk "
            "finds the other within the budget",
            argument="budget",
        )
    if not sizes:
        raise NbykError(
            f"found {budget:g}, but you gave all numbers of items, raters, ratings and runs; leave out those "
            "that the budget should pay for, or the budget",
            argument="budget",
        )
    crews = []
    for tried in _crews(request, sizes):
        if "n_items" in sizes:
            tried["n_items"] = _affordable(request, tried, budget)
        if tried.get("n_items", request.least("n_items")) >= request.least("n_items"):
            crew = request.crew(**tried)
            if request.costs.of(crew) <= budget:
                crews.append(crew)
    if not crews:
        smallest = request.crew(**{name: request.least(name) for name in sizes})
        raise NbykError(
            f"found {budget:g}, which is too little: the smallest collection costs "
            f"{request.costs.of(smallest):g}",
            argument="budget",
        )
    made = partial(PeoplePlan, request, spread, (*sizes, "power" if request.power is None else "effect"))
    if request.effect is not None:
        powers = [_reached(spread, request, crew) for crew in crews]
        best = max(range(len(crews)), key=powers.__getitem__)
        return made(crews[best], request.effect, powers[best])
    best_crew, size, power = crews[0], math.inf, 0.0
    for crew in crews:
        if request.power_at(min(size, 1e12), spread, crew) > (request.power or 0.0):
            found_size, found_power = _least_effect(spread, request, crew)
            if found_size < size:
                best_crew, size, power = crew, found_size, found_power
    return made(best_crew, size, power, math.isfinite(size))


def _affordable(request: CrewRequest, tried: Mapping[str, int], money: float) -> int:
    """Return the most items, in whole clusters, that the money buys; 0 if it buys none."""
    found = least_number(
        lambda n: float(request.costs.of(request.crew(n_items=n, **tried)) > money), 1.0, 1, _MOST["n_items"]
    )
    most = _MOST["n_items"] if found is None else found - 1
    return most - most % request.items_per_cluster


def _least_effect(spread: Spread | PilotLaw, request: CrewRequest, crew: Crew) -> tuple[float, float]:
    """Return the least effect that the crew detects with the requested power, and that power; or (∞, 0)."""
    from scipy.optimize import brentq

    target = request.power or 0.0

    def power(size: float) -> float:
        return request.power_at(size, spread, crew)

    high = 1e-6
    while power(high) < target:
        high *= 4.0
        if high > 1e12:
            return math.inf, 0.0
    size = float(brentq(lambda size: power(size) - target, 0.0, high, xtol=1e-9 * high))
    return size, power(size)
