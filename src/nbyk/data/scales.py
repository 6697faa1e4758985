"""Declared scales, and how the values on them become numbers in [0, 1]."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike

from nbyk.arrays import Booleans, Floats
from nbyk.errors import NbykError

_UNEVEN = 0.05
"""Steps that differ by at most this share count as equal, because people round: 0, 0.33, 0.67, 1."""


Refusal: TypeAlias = Callable[[int, str], NbykError]
"""What makes an error of the place of a value, and of what was found there and expected."""


def refuse_value(place: int, problem: str) -> NbykError:
    """Return the error about one of some values."""
    return NbykError(f"value at index {place}: {problem}")


@dataclass(frozen=True)
class Levels:
    """An ordinal scale: its levels, lowest first.

    A level's normalised value is its rank, counted from 0, over the number of levels L: the five levels
    0–4 become {0, .2, .4, .6, .8}, as in Wein et al. (2023), section 6. The top level is therefore
    (L − 1)/L, not 1, and the distances between the levels do not matter. For a scale whose ends should be
    0 and 1 use `Interval`, or `Binary` for 0/1 labels.

    Parameters
    ----------
    levels : sequence of float
        At least two finite numbers, in increasing order.

    Raises
    ------
    NbykError
        If there are fewer than two levels, or they are not finite and increasing.
    """

    levels: tuple[float, ...]

    def __post_init__(self) -> None:
        levels = tuple(_number(level, "a level") for level in self.levels)
        if len(levels) < 2:
            raise NbykError(
                f"found {', '.join(f'{level:g}' for level in levels) or 'nothing'}, expected two "
                "ends, as in 1..5, or two levels or more, as in 1,2,3,4,5",
                argument="scale",
            )
        for lower, upper in pairwise(levels):
            if not lower < upper:
                raise NbykError(
                    f"level {lower:g} stands before {upper:g}; list levels lowest first", argument="scale"
                )
        object.__setattr__(self, "levels", levels)

    @property
    def expected(self) -> str:
        """The values on the scale, in words."""
        return "one of " + ", ".join(f"{level:g}" for level in self.levels)

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest rating."""
        return self.levels[0], self.levels[-1]

    @property
    def unit(self) -> float | None:
        """The difference of ratings whose normalised values differ by 1; None if steps are uneven."""
        steps = np.diff(self.levels)
        if np.ptp(steps) > _UNEVEN * steps.max():
            return None
        return float(steps.mean()) * len(self.levels)

    def outside(self, values: ArrayLike) -> Booleans:
        """Return, per value, whether it is off the scale; NaN is."""
        return ~np.isin(np.asarray(values, dtype=np.float64), self.levels)

    def normalise(self, values: ArrayLike, refuse: Refusal = refuse_value) -> Floats:
        """Return rank/L of each value, in the shape of `values`; `refuse` makes the error about one."""
        array = _on_scale(self, values, refuse)
        return np.searchsorted(self.levels, array) / len(self.levels)

    def original(self, values: Floats) -> Floats:
        """Return the levels that `normalise` turned into `values`."""
        return np.array(self.levels)[np.rint(values * len(self.levels)).astype(np.intp)]

    def __str__(self) -> str:
        return ",".join(map(_written, self.levels))


class _Ends:
    """What scales with two ends have in common; the ends become 0 and 1."""

    low: float = 0.0
    high: float = 1.0

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest rating."""
        return self.low, self.high

    @property
    def unit(self) -> float:
        """By how much ratings differ whose normalised values differ by 1."""
        return self.high - self.low

    def normalise(self, values: ArrayLike, refuse: Refusal = refuse_value) -> Floats:
        """Return (v − low)/(high − low) of each value, in the shape of `values`; `refuse` is as above."""
        array = _on_scale(cast("Scale", self), values, refuse)
        normalised: Floats = (array - self.low) / (self.high - self.low)
        return normalised

    def original(self, values: Floats) -> Floats:
        """Return the ratings that `normalise` turned into `values`, up to rounding."""
        return self.low + (self.high - self.low) * values


@dataclass(frozen=True)
class Interval(_Ends):
    """A scale with two ends, which become 0 and 1: v becomes (v − low)/(high − low).

    Parameters
    ----------
    low, high : float
        The ends, both of them on the scale; finite, `low` below `high`.

    Raises
    ------
    NbykError
        If an end is not finite or `low` is not below `high`.
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        low, high = _number(self.low, "the low end"), _number(self.high, "the high end")
        if not low < high or np.isinf(high - low):
            raise NbykError(
                f"runs from {low:g} to {high:g}; the low end must be below the high end", argument="scale"
            )
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    @property
    def expected(self) -> str:
        """The values on the scale, in words."""
        return f"a number from {self.low:g} to {self.high:g}"

    def outside(self, values: ArrayLike) -> Booleans:
        """Return, per value, whether it is off the scale; NaN is."""
        array = np.asarray(values, dtype=np.float64)
        return ~((array >= self.low) & (array <= self.high))

    def __str__(self) -> str:
        return f"{_written(self.low)}..{_written(self.high)}"


@dataclass(frozen=True)
class OpenInterval(Interval):
    """A scale without an upper end, such as of times: `high` is the number that becomes 1."""

    @property
    def expected(self) -> str:
        """The values on the scale, in words."""
        return f"a number of at least {self.low:g}"

    def outside(self, values: ArrayLike) -> Booleans:
        """Return, per value, whether it is off the scale; NaN is."""
        return ~(np.asarray(values, dtype=np.float64) >= self.low)


@dataclass(frozen=True)
class Binary(_Ends):
    """Labels of two kinds, 0 and 1, which stay 0 and 1."""

    @property
    def expected(self) -> str:
        """The values on the scale, in words."""
        return "0 or 1"

    def outside(self, values: ArrayLike) -> Booleans:
        """Return, per value, whether it is off the scale; NaN is."""
        return ~np.isin(np.asarray(values, dtype=np.float64), (0.0, 1.0))

    def __str__(self) -> str:
        return "binary"


Scale: TypeAlias = Levels | Interval | Binary

GivenScale: TypeAlias = Scale | str | tuple[float, float]
"""A scale, or how people write one: "1..5", "1,2,3,4,5", "binary", or the two ends (1, 5).

The text of a scale is the one that `scale_from_text` reads.
"""


def scale_from_text(text: str) -> Scale:
    """Return the scale that people write as "1,2,3,4,5" (levels), "0..100" (two ends) or "binary".

    Raises
    ------
    NbykError
        If the text is none of these, or its numbers do not make a scale.
    """
    if text.strip() == "binary":
        return Binary()
    low, dots, high = text.partition("..")
    try:
        if dots:
            return Interval(float(low), float(high))
        return Levels(tuple(float(level) for level in text.split(",")))
    except NbykError:
        raise
    except ValueError:
        raise NbykError(
            f"found {text!r}, expected levels as in 1,2,3,4,5, two ends as in 0..100, or binary",
            argument="scale",
        ) from None


def scale_text(scale: Scale) -> str:
    """Return a scale as `scale_from_text` reads it; "" for the scale from 0 to 1."""
    return "" if scale == FROM_0_TO_1 else str(scale)


def as_scale(given: GivenScale | None) -> Scale | None:
    """Return the scale that somebody gave in any form; None stays None."""
    if given is None or isinstance(given, Levels | Interval | Binary):
        return given
    if isinstance(given, str):
        return scale_from_text(given)
    if isinstance(given, tuple | list) and len(given) == 2:
        return Interval(*given)
    raise NbykError(
        f'found {given!r}, expected two ends as in (1, 5), or text: "1..5", "1,2,3,4,5" or "binary"',
        argument="scale",
    )


def _written(number: float) -> str:
    """Return a number with all its digits."""
    return repr(float(number)).removesuffix(".0")


def _number(value: Any, what: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if isinstance(value, str) or not np.isfinite(number):
        raise NbykError(f"{what} is {value!r}; expected a finite number", argument="scale")
    return number


def _on_scale(scale: Scale, values: ArrayLike, refuse: Refusal) -> Floats:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise NbykError(f"values are not all numbers; expected {scale.expected}") from None
    outside = np.flatnonzero(scale.outside(array))
    if outside.size:
        raise refuse(
            int(outside[0]),
            f"found {array.flat[outside[0]]:.16g}, expected {scale.expected}; mend the value or declare "
            "another scale",
        )
    return array


FROM_0_TO_1 = Interval(0.0, 1.0)
"""The scale of numbers if none is declared."""
