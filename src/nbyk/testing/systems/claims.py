"""What a comparison claims, from the broadest population that it speaks of to the narrowest.

A claim over new items alone is the test that draws. One over new raters or runs too is the t-test of
`nbyk.testing.shared_units`, whose variance has a part for each kind of units that items share.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nbyk.data.response_set import ResponseSet
from nbyk.data.units import Units
from nbyk.errors import NbykError, unknown_name
from nbyk.metrics import Metric
from nbyk.testing.pvalues import Alternative
from nbyk.testing.shared_units import (
    NO_UNIT,
    Responses,
    SharedUnitsTest,
    Source,
    responses,
    shared_units_test,
)

Integers = NDArray[np.int64]

FACTORS = ("items", "raters", "runs")
"""What a claim may generalise over. Without gold, who rates a system's outputs may be called either."""

FEWEST_UNITS = 3
"""Of fewer shared units nothing can be said about others (docs/shared-units.md)."""

FEW_UNITS = 5
"""Of fewer, the level of the test was measured to reach twice the nominal one."""

_ROUNDING = 1e-10
"""A standard error below this share of the effect is rounding: nothing varies."""

_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SEED = re.compile(r"seed", re.IGNORECASE)


@dataclass(frozen=True)
class Claim:
    """Whether A is better than B over one population.

    Attributes
    ----------
    over
        What the population is of, such as ``("items", "raters")``: new ones of each.
    population
        The same in words, with the units that stay as they are: "new items, with these 5 raters".
    p, p_greater, p_less, p_two_sided
        p-values, of the alternative asked for and of each; NaN where nothing can be said.
    standard_error
        Monte-Carlo standard error of `p`; 0 where it is not drawn.
    low, high
        Interval of the effect at the comparison's confidence level; NaN where nothing can be said.
    method
        How p was found: the null that was drawn, or "t".
    df
        Degrees of freedom of t; NaN of a p that was drawn.
    decided
        Whether p ≤ α is certain: of a p that was drawn, but for the comparison's decision error; of t, always
        where there is a p.
    reason
        Why nothing can be said; "" where something can.
    advice
        What would settle it, if the effect is what it is now: how many more raters or runs; "" where nothing
        is known.
    """

    over: tuple[str, ...]
    population: str
    p: float
    p_greater: float
    p_less: float
    p_two_sided: float
    standard_error: float
    low: float
    high: float
    method: str
    df: float
    decided: bool
    reason: str = ""
    advice: str = ""

    @property
    def is_settled(self) -> bool:
        """Whether there is a p at all."""
        return not self.reason


@dataclass(frozen=True)
class Panel:
    """The units behind a comparison, and those that it generalises over.

    Attributes
    ----------
    responses
        Values and units as the test for shared units takes them; None where no units are shared.
    sources
        The sources that the broadest claim generalises over; none where items alone are.
    fixed
        The units that every claim leaves as they are, in words: "this run of each system".
    """

    responses: Responses | None
    sources: tuple[Source, ...]
    fixed: tuple[str, ...]

    @property
    def is_broad(self) -> bool:
        """Whether there is a claim beyond new items."""
        return bool(self.sources)

    def population(self, sources: Sequence[Source]) -> str:
        """Return in words what a claim that generalises over some sources speaks of."""
        of_new = f"new {_listed(['items', *self._in_words(sources, counted=False)])}"
        others = [source for source in self._all if source not in sources]
        kept = [*(f"these {words}" for words in self._in_words(others)), *self.fixed]
        return f"{of_new}, with {_listed(kept)}" if kept else of_new

    @property
    def _all(self) -> tuple[Source, ...]:
        return () if self.responses is None else tuple(self.responses.source_units)

    def size(self, source: Source) -> int:
        """Return how many units of a source there are."""
        return 0 if self.responses is None else len(self.responses.source_units[source])

    def _in_words(self, sources: Sequence[Source], *, counted: bool = True) -> list[str]:
        """Return sources in words: the runs of both systems as one, if there are as many."""
        both: tuple[Source, Source] = ("runs of A", "runs of B")
        together = set(both) <= set(sources) and (not counted or self.size(both[0]) == self.size(both[1]))
        words = []
        for source in sources:
            if together and source == both[1]:
                continue
            name = "runs" if together and source == both[0] else str(source)
            each = " of each system" if counted and together and source == both[0] else ""
            words.append(f"{self.size(source)} {name}{each}" if counted else name)
        return words

    def few(self, fewest: int, below: int) -> list[str]:
        """Return in words the sources to generalise over that have from `fewest` to below `below` units."""
        few = [source for source in self.sources if fewest <= self.size(source) < below]
        return [_spelt(words) for words in self._in_words(few)]


def panel_of(data: ResponseSet, generalise: Sequence[str] | None) -> Panel:
    """Return the units behind a response set, and those to generalise over.

    Parameters
    ----------
    data
        The responses with their units.
    generalise
        Of `FACTORS`; None for items, and every kind of units that items share, if it has two or more.

    Raises
    ------
    NbykError
        If a factor is unknown or not there, or items are left out.
    """
    if generalise is not None:
        _check_factors(generalise)
    fixed = tuple(_single_units(data))
    found = _responses(data)
    sources: tuple[Source, ...] = () if found is None else tuple(found.source_units)
    if generalise is None:
        return Panel(found, sources, fixed)
    asked = {factor for factor in generalise if factor != "items"}
    names = {source: _factor_of(source, has_gold=data.has_gold) for source in sources}
    for factor in sorted(asked):
        if not any(factor in of_source for of_source in names.values()):
            raise NbykError(
                f"found {factor}, and items share no two {factor} here"
                f"{_what_is_shared(names.values())}; leave {factor} out, or give ids that say who gave which "
                "response",
                argument="generalise",
            )
    return Panel(found, tuple(s for s in sources if asked & set(names[s])), fixed)


def broad_claim(
    metric: Metric,
    panel: Panel,
    items: Claim,
    *,
    alternative: Alternative,
    alpha: float,
    confidence_level: float,
) -> Claim:
    """Return the claim over new items and new units.

    Parameters
    ----------
    metric
        The metric.
    panel
        Units with something to generalise over.
    items
        The claim over new items alone, whose numbers it has where nothing varies.
    alternative, alpha, confidence_level
        As for `nbyk.compare`.
    """
    assert panel.responses is not None
    few = panel.few(0, FEWEST_UNITS)
    over = ("items", *panel.sources)
    population = panel.population(panel.sources)
    if few:
        return _unsettled(over, population, f"{_listed(few)} cannot speak for others")
    test = shared_units_test(metric, panel.responses, sources=panel.sources)
    if test.variance <= (_ROUNDING * test.effect) ** 2:
        return replace(items, over=over, population=population)
    if test.is_too_rough:
        return _unsettled(over, population, f"{metric.name} hangs on single items, and is too rough for it")
    low, high = test.interval(confidence_level)
    sides: tuple[Alternative, ...] = ("greater", "less", "two-sided")
    p = {side: test.p_value(side) for side in sides}
    return Claim(
        over=over,
        population=population,
        p=p[alternative],
        p_greater=p["greater"],
        p_less=p["less"],
        p_two_sided=p["two-sided"],
        standard_error=0.0,
        low=low,
        high=high,
        method="t",
        df=test.df,
        decided=True,
        advice="" if p[alternative] <= alpha else _advice(test, alpha, alternative),
    )


def few_units(panel: Panel) -> Iterator[str]:
    """Yield the caution of a claim that rests on few units."""
    few = panel.few(FEWEST_UNITS, FEW_UNITS)
    if few:
        yield (
            f"{_listed(few)} are few to speak for others: of equally good systems the test was measured to "
            "call up to .12 different at α = .05 (docs/shared-units.md)"
        )


def _advice(test: SharedUnitsTest, alpha: float, alternative: Alternative) -> str:
    """Return whether more items would settle the claim, or how many more units of which kind.

    The effect is taken for what it is now, and the variance for what its parts say of other numbers of items
    and units (a D-study, Brennan 2001).
    """
    from scipy.special import ndtri

    sides = 2.0 if alternative == "two-sided" else 1.0
    wanted = (test.effect / float(ndtri(alpha / sides))) ** 2
    between = {
        source: test.stretch**2 * part.between for source, part in test.sources.items() if part.between > 0.0
    }
    if wanted == 0.0 or sum(between.values()) < wanted:
        return ""
    these = _listed([f"{_counted(test.sources[source].units)} {source}" for source in between])
    largest = max(between, key=lambda source: between[source])
    rest = test.variance - between[largest]
    says = f"no number of items will settle this with {these}"
    if rest >= wanted:
        return says
    units = math.ceil(test.sources[largest].units * between[largest] / (wanted - rest))
    return f"{says}; about {units} {largest} would, if the effect is what it is now"


def _unsettled(over: tuple[str, ...], population: str, reason: str) -> Claim:
    nan = math.nan
    return Claim(over, population, nan, nan, nan, nan, nan, nan, nan, "t", nan, False, reason)


def _responses(data: ResponseSet) -> Responses | None:
    """Return the responses with the units that items share; None where there are none."""
    places, paired = _places(data)
    ids = {role: _shared_ids(data, role, places.get(role)) for role in ("gold", "a", "b")}
    if all(of_role is None for of_role in ids.values()):
        return None
    found = responses(
        data.a,
        data.b,
        gold=data.gold if data.has_gold else None,
        a_units=ids["a"],
        b_units=ids["b"],
        gold_units=ids["gold"],
        paired=paired,
    )
    return found if found.source_units else None


def _places(data: ResponseSet) -> tuple[dict[str, Integers], bool]:
    """Return a number for each name of A's and of B's units, the same for one that is one unit in both.

    Runs are the same where a seed's name says so. Without gold the units may be people, who are the same
    where their ids are.
    """
    a, b = (data.units.get(role) for role in ("a", "b"))
    if a is None or b is None or not (a.known_by == b.known_by == "ids"):
        return {}, False
    same = {name for name in a.names if name in set(b.names)}
    if data.has_gold:
        same = {name for name in same if _SEED.search(name)}
    if not same:
        return {}, False
    numbers = {name: number for number, name in enumerate(sorted(same))}
    places = {}
    for role, units, first in (("a", a, len(same)), ("b", b, len(same) + len(a.names))):
        places[role] = np.array(
            [numbers.get(name, first + place) for place, name in enumerate(units.names)], dtype=np.int64
        )
    return places, True


def _shared_ids(data: ResponseSet, role: str, places: Integers | None) -> Integers | None:
    units = data.units.get(role)
    if units is None or units.index is None or units.n_shared < 1:
        return None
    shared = np.append(units.items_of > 1, False)  # −1, where nothing is, is the last
    numbers = np.append(np.arange(len(units.names)) if places is None else places, NO_UNIT)
    ids: Integers = np.where(shared[units.index], numbers[units.index], NO_UNIT)
    return ids


def _single_units(data: ResponseSet) -> Iterator[str]:
    """Yield in words the roles behind which one unit stands, which no claim can generalise over."""
    one = {role: _is_one_unit(data.units.get(role)) for role in ("a", "b")}
    if data.has_gold and _is_one_unit(data.units.get("gold"), or_vector=False):
        yield "this rater"
    of_ids = [data.units[role].known_by == "ids" for role in ("a", "b") if one[role]]
    unit = "rater or run" if any(of_ids) and not data.has_gold else "run"
    if one["a"] and one["b"]:
        yield f"this {unit} of each system"
    else:
        yield from (f"this {unit} of {role.upper()}" for role in ("a", "b") if one[role])


def _is_one_unit(units: Units | None, *, or_vector: bool = True) -> bool:
    if units is None:
        return False
    return (units.n_shared == 1 and len(units.names) == 1) or (or_vector and units.known_by == "vector")


def _check_factors(generalise: Sequence[str]) -> None:
    for factor in generalise:
        if factor not in FACTORS:
            raise unknown_name("factor to generalise over", factor, FACTORS).about(argument="generalise")
    if "items" not in generalise:
        raise NbykError(
            "found no items, over which every claim generalises; add items", argument="generalise"
        )


def _factor_of(source: Source, *, has_gold: bool) -> tuple[str, ...]:
    if source == "raters":
        return ("raters",)
    return ("runs",) if has_gold else ("raters", "runs")


def _what_is_shared(factors: Iterable[tuple[str, ...]]) -> str:
    names = sorted({name for of_source in factors for name in of_source})
    return f" (they share {_listed(names)})" if names else ""


def _spelt(words: str) -> str:
    number, _, rest = words.partition(" ")
    return f"{_counted(int(number))} {rest}"


def _counted(number: int) -> str:
    return _COUNTS[number] if number < len(_COUNTS) else str(number)


def _listed(names: Sequence[str]) -> str:
    shown = list(names)
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
