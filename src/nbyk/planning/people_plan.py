"""The planner with people: any one of items, raters, ratings, runs, effect and power, from the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from nbyk.errors import NbykError
from nbyk.planning.people import FEWEST, Costs, Crew, Spread, power_with_people

_MOST = {"n_items": 1_000_000, "raters": 10_000, "ratings_per_item": 10_000, "runs": 10_000}


@dataclass(frozen=True)
class PeoplePlan:
    """A crew, an effect and a power that go together.

    Attributes
    ----------
    open
        What was solved for: "n_items", "raters", "ratings_per_item", "runs", "effect" or "power".
    crew, effect, power, cost
        The answer; `crew` holds what was given too.
    reachable
        Whether the power asked for is reached; if not, no number of what was open reaches it, and `power` is
        the highest there is.
    instead
        Where it is not: the least number of raters or of runs that reaches it, with everything else as it is.
    spread, alpha, asked_power
        What was asked.
    """

    open: str
    crew: Crew
    effect: float
    power: float
    cost: float
    reachable: bool
    instead: Mapping[str, int]
    spread: Spread
    alpha: float
    asked_power: float | None
    warnings: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The answer in a sentence or two that can be quoted."""
        crew = self.crew
        with_whom = _crew_words(crew)
        test = f"the t-test over {_populations(crew)} (two-sided, α = {self.alpha:g})"
        if not self.reachable:
            way = " or ".join(f"{count} {name} would" for name, count in self.instead.items())
            way = f"; {way}" if way else "; no number of raters or runs alone would"
            return (
                f"No number of {_NAMES[self.open]} settles this {_fixed(self)}{way}. With an effect of "
                f"{self.effect:.3g}, the power of {test} comes to {self.power:.2f} at most, and "
                f"{self.asked_power:g} was asked for."
            )
        return (
            f"With {with_whom}, at a cost of {self.cost:g}, {test} finds an effect of {self.effect:.3g} "
            f"with a power of {self.power:.3f}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON can hold it."""
        kept = {**asdict(self), "instead": dict(self.instead), "warnings": list(self.warnings)}
        return {**kept, "items_per_rater": self.crew.items_per_rater, "sentence": self.sentence}


_NAMES = {
    "n_items": "items",
    "raters": "raters",
    "ratings_per_item": "ratings per item",
    "runs": "runs",
    "effect": "effects",
}


def plan_with_people(
    spread: Spread,
    *,
    n_items: int | None,
    raters: int | None,
    ratings_per_item: int | None,
    runs: int | None,
    items_per_rater: int | None = None,
    effect: float | None = None,
    power: float | None = None,
    alpha: float = 0.05,
    costs: Costs | None = None,
) -> PeoplePlan:
    """Solve for the one of N, J, K, R, effect and power that is left out.

    Parameters
    ----------
    spread
        By how much the effect varies; see `Spread`.
    n_items, raters, ratings_per_item, runs
        Items N, raters J who share them, ratings per item K, and runs R of either system. With 0 raters (or
        runs) each rating is of another person. If `ratings_per_item` is left out beside something else, all
        raters rate all items.
    items_per_rater
        In place of `raters`: the items L that one person rates, so that there are N K / L raters.
    effect, power, alpha
        The effect on the metric, the power, and the level of the two-sided test.
    costs
        What they cost.

    Raises
    ------
    NbykError
        If not exactly one is left out, or a number is out of range.
    """
    if items_per_rater is not None:
        if raters is not None or items_per_rater < 1 or ratings_per_item is None:
            raise NbykError(
                f"found {items_per_rater}, expected at least 1, with `ratings_per_item` and no `raters`, "
                "which follow from it",
                argument="items_per_rater",
            )
        raters = max(FEWEST, ratings_per_item)
    given = {
        "n_items": n_items,
        "raters": raters,
        "ratings_per_item": ratings_per_item,
        "runs": runs,
        "effect": effect,
        "power": power,
    }
    lacking = [name for name, value in given.items() if value is None]
    everybody = ratings_per_item is None and len(lacking) == 2
    if everybody:
        lacking.remove("ratings_per_item")
    if len(lacking) != 1:
        named = ", ".join(f"`{name}`" for name in lacking) or "nothing"
        raise NbykError(f"plan with people: left out {named}; expected exactly one, which nbyk solves for")
    (opened,) = lacking
    if power is not None and not alpha < power < 1.0:
        raise NbykError(f"found {power}, expected a number between α = {alpha:g} and 1", argument="power")
    if effect is not None and not 0.0 < abs(effect) < math.inf:
        raise NbykError(f"found {effect}, expected a number other than 0", argument="effect")
    start = Crew(
        n_items or 2,
        FEWEST if raters is None else raters,
        1 if ratings_per_item is None else ratings_per_item,
        FEWEST if runs is None else runs,
    )

    def crew_with(name: str, count: int, base: Crew = start) -> Crew:
        crew = replace(base, **{name: count})
        if everybody and crew.raters:
            crew = replace(crew, ratings_per_item=crew.raters)
        elif name == "raters" and crew.ratings_per_item > count:
            crew = replace(crew, ratings_per_item=max(1, count))
        if items_per_rater is not None:
            loads = math.ceil(crew.n_items * crew.ratings_per_item / items_per_rater)
            crew = replace(crew, raters=max(crew.ratings_per_item, loads))
        return crew

    def reached(name: str, count: int, base: Crew = start) -> float:
        return power_with_people(spread, crew_with(name, count, base), effect or 0.0, alpha)

    prices = costs or Costs()
    crew = (
        crew_with(opened, getattr(start, opened)) if opened in _MOST else crew_with("n_items", start.n_items)
    )
    if opened == "power":
        found = power_with_people(spread, crew, effect or 0.0, alpha)
        return PeoplePlan(opened, crew, effect or 0.0, found, prices.of(crew), True, {}, spread, alpha, None)
    target = power or 0.0
    if opened == "effect":
        size = _least_effect(lambda size: power_with_people(spread, crew, size, alpha), target)
        found = power_with_people(spread, crew, size, alpha) if math.isfinite(size) else 0.0
        reachable = math.isfinite(size)
        return PeoplePlan(opened, crew, size, found, prices.of(crew), reachable, {}, spread, alpha, target)
    most = _MOST[opened]
    if opened == "ratings_per_item" and start.raters:
        most = start.raters
    least = {"n_items": 2, "ratings_per_item": 1}.get(opened, FEWEST)
    count = _least(lambda count: reached(opened, count), target, least, most)
    if count is not None:
        crew = crew_with(opened, count)
        return PeoplePlan(
            opened,
            crew,
            effect or 0.0,
            reached(opened, count),
            prices.of(crew),
            True,
            {},
            spread,
            alpha,
            target,
        )
    crew = crew_with(opened, most)
    instead = {}
    for name, units in (("raters", start.raters), ("runs", start.runs)):
        if units and name != opened and not (name == "raters" and items_per_rater):
            other = _least(lambda count, name=name: reached(name, count, crew), target, FEWEST, _MOST[name])  # type: ignore[misc]
            if other is not None:
                instead[name] = other
    best = reached(opened, most)
    return PeoplePlan(
        opened, crew, effect or 0.0, best, prices.of(crew), False, instead, spread, alpha, target
    )


def _least(power: Callable[[int], float], target: float, low: int, high: int) -> int | None:
    """Return the least whole number at which a power that grows reaches the target; None if none does."""
    if high < low or power(high) < target:
        return None
    while low < high:
        middle = (low + high) // 2
        if power(middle) >= target:
            high = middle
        else:
            low = middle + 1
    return low


def _least_effect(power: Callable[[float], float], target: float) -> float:
    from scipy.optimize import brentq

    high = 1e-6
    while power(high) < target:
        high *= 4.0
        if high > 1e12:
            return math.inf
    return float(brentq(lambda size: power(size) - target, 0.0, high, xtol=1e-9 * high))


def _crew_words(crew: Crew) -> str:
    words = [f"{crew.n_items} items"]
    words.append(f"{crew.ratings_per_item} rating{'s' * (crew.ratings_per_item > 1)} each")
    if crew.raters:
        words.append(f"{crew.raters} raters with {crew.items_per_rater:.4g} items each")
    if crew.runs:
        words.append(f"{crew.runs} runs of each system")
    return ", ".join(words)


def _populations(crew: Crew) -> str:
    parts = ["new items", *["new raters"] * bool(crew.raters), *["new runs"] * bool(crew.runs)]
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]


def _fixed(plan: PeoplePlan) -> str:
    crew, parts = plan.crew, []
    if crew.raters and plan.open != "raters":
        parts.append(f"{crew.raters} raters")
    if crew.runs and plan.open != "runs":
        parts.append(f"{crew.runs} runs")
    if plan.open != "n_items":
        parts.append(f"{crew.n_items} items")
    return f"with {' and '.join(parts)}" if parts else "here"
