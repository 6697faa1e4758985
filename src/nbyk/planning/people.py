"""Planning with people: the power of the t-test over new items, new raters and new runs, in closed form.

The effect is a mean over N items of what J raters say of R answers of either system. Items, raters and runs
each have a variance of their own, and so have single ratings and answers (generalisability theory: Brennan
2001).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from scipy.special import nctdtr, stdtrit

from nbyk.errors import NbykError
from nbyk.testing.shared_units.generalise import SharedUnitsTest

FEWEST = 3
"""Raters or runs that the test needs to speak of others."""

_SURE = 8.0
"""So far beyond the critical value a power is 1. Before it, scipy has NaN for a tail that is almost 0."""

_MOST = {"n_items": 1_000_000, "raters": 10_000, "ratings_per_item": 10_000, "runs": 10_000}


@dataclass(frozen=True)
class Spread:
    """By how much an effect varies, as variances of one item, rater, rating, run or answer.

    Attributes
    ----------
    items
        Between items: of an item's effect with infinitely many ratings and answers.
    raters
        Between raters, over all items: a rater whose severity moves the effect by s adds s².
    ratings
        Between single ratings, beyond items and raters.
    runs
        Between runs of both systems together: twice that of one system if they are alike.
    answers
        Between single answers of both systems together, beyond items and runs.
    """

    items: float
    raters: float = 0.0
    ratings: float = 0.0
    runs: float = 0.0
    answers: float = 0.0

    def __post_init__(self) -> None:
        for name, variance in asdict(self).items():
            if not 0.0 <= variance < math.inf:
                raise NbykError(f"found {variance:g}, expected a variance of at least 0", argument=name)

    @classmethod
    def of(cls, test: SharedUnitsTest, *, rated: bool = False) -> Spread:
        """Return what a comparison with ids shows, in which each rater and each run answered all items.

        Estimates below 0 are taken for 0. `rated` says that people rated the systems' answers: they are the
        units then, and not runs.
        """
        n = test.items.units
        found = {"raters": 0.0, "ratings": 0.0, "runs": 0.0, "answers": 0.0}
        explained = 0.0
        for source, part in test.sources.items():
            between, within = ("raters", "ratings") if rated or source == "raters" else ("runs", "answers")
            found[between] += max(part.between, 0.0) * part.units
            found[within] += part.within * part.units * n
            explained += part.within
        return cls(items=max(test.items.total - explained, 0.0) * n, **found)


@dataclass(frozen=True)
class Crew:
    """Who rates and answers what.

    Attributes
    ----------
    n_items
        Items N.
    raters
        Raters J, each with as many items; 0 where each rating is of another person.
    ratings_per_item
        Ratings per item K, at most J.
    runs
        Runs R of either system, each on all items; 0 where each answer is of another run.
    """

    n_items: int
    raters: int
    ratings_per_item: int
    runs: int

    @property
    def items_per_rater(self) -> float:
        """The items L that a rater rates."""
        return self.n_items * self.ratings_per_item / self.raters if self.raters else 1.0

    def check(self) -> None:
        """Raise NbykError unless people can share the work so."""
        for name, count, least in (
            ("n_items", self.n_items, 2),
            ("raters", self.raters, 0),
            ("ratings_per_item", self.ratings_per_item, 1),
            ("runs", self.runs, 0),
        ):
            if count != int(count) or count < least:
                raise NbykError(f"found {count}, expected a whole number of at least {least}", argument=name)
        if self.raters and self.ratings_per_item > self.raters:
            raise NbykError(
                f"found {self.ratings_per_item}, and there are {self.raters} raters, who rate an item once: "
                "give fewer ratings per item, or more raters",
                argument="ratings_per_item",
            )


@dataclass(frozen=True)
class Costs:
    """What an item, a rating, a rater and a run of either system cost."""

    item: float = 0.0
    rating: float = 1.0
    rater: float = 0.0
    run: float = 0.0

    def of(self, crew: Crew) -> float:
        """Return what a crew costs."""
        ratings = crew.n_items * crew.ratings_per_item
        return (
            crew.n_items * self.item
            + ratings * self.rating
            + crew.raters * self.rater
            + 2 * crew.runs * self.run
        )


def variance_of(spread: Spread, crew: Crew) -> tuple[float, float]:
    """Return the variance of the effect, and Satterthwaite's degrees of freedom of its estimate.

    The estimate is the test's V = I + Σ (T − W) (`nbyk.testing.shared_units.generalise`): I has N − 1 degrees
    of freedom, T of J raters J − 1, and that of R runs of each system 2 (R − 1). Where K of J raters rate an
    item, those who happen to do so add to I.
    """
    n, k = crew.n_items, crew.ratings_per_item
    answers = max(1, crew.runs)
    noise = {"raters": spread.ratings / (n * k), "runs": spread.answers / (n * answers)}
    items = spread.items / n + sum(noise.values())
    between = {}
    for source, units, single, variance in (
        ("raters", crew.raters, k, spread.raters),
        ("runs", crew.runs, answers, spread.runs),
    ):
        if units:
            # A's runs and B's have each their own degrees of freedom.
            between[source] = (variance / units, (units - 1) * (2 if source == "runs" else 1))
            items += variance * (1.0 / single - 1.0 / units) / n
        else:
            items += variance / (n * single)
    total, squares = items, items**2 / (n - 1)
    for source, (part, df) in between.items():
        total += part
        squares += (part + noise[source]) ** 2 / max(df, 1)
    return total, max(1.0, total**2 / squares) if squares > 0.0 else n - 1.0


def power_with_people(spread: Spread, crew: Crew, effect: float, alpha: float = 0.05) -> float:
    """Return the power of the two-sided t-test over new items, raters and runs: by the noncentral t.

    It is 0 with fewer than three raters or runs that are shared, of which the test makes no claim.
    """
    crew.check()
    if any(0 < units < FEWEST for units in (crew.raters, crew.runs)):
        return 0.0
    variance, df = variance_of(spread, crew)
    if variance == 0.0:
        return 1.0 if effect else alpha
    shift = abs(effect) / math.sqrt(variance)
    critical = -float(stdtrit(df, 0.5 * alpha))
    if shift > critical + _SURE:
        return 1.0
    below, far_below = (nctdtr(df, shift, end) for end in (critical, -critical))
    return 1.0 - float(np.nan_to_num(below)) + float(np.nan_to_num(far_below))


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
    effect, power, alpha
        The effect on the metric, the power, and the level of the two-sided test.
    costs
        What they cost.

    Raises
    ------
    NbykError
        If not exactly one is left out, or a number is out of range.
    """
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
        raise NbykError(f"plan with people: left out {named}; expected exactly one, which is solved for")
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
        if units and name != opened:
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
