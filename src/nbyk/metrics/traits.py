"""What can be said of a metric beyond its function: traits, parameters, faster ways to the same numbers."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from nbyk.errors import NbykError, unknown_name

Direction: TypeAlias = Literal["higher", "lower"]
Smoothness: TypeAlias = Literal["linear", "smooth", "jumps"]
Change: TypeAlias = Literal["location", "scale", "monotone"]
Needs: TypeAlias = Literal["item_means", "responses", "classes", "distributions", "outputs"]
Data: TypeAlias = Literal["numbers", "classes", "distributions", "outputs"]
Kind: TypeAlias = Literal["score", "comparison"]
Implementation: TypeAlias = str | Callable[..., Any]


DATA: dict[Needs, tuple[Data, ...]] = {
    "item_means": ("numbers",),
    "responses": ("numbers",),
    "classes": ("classes",),
    "distributions": ("classes", "distributions"),
    "outputs": ("outputs",),
}
"""What a metric scores, by what it needs to see of it."""


def loaded(function: Implementation) -> Callable[..., Any]:
    """Return a function, imported if it is given as ``"module:function"``."""
    if callable(function):
        return function
    module, _, name = function.partition(":")
    imported: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return imported


@dataclass(frozen=True)
class Traits:
    """What is known of a metric. None where nobody said it; `nbyk.metrics.probe` then measures it.

    Attributes
    ----------
    smoothness
        How a score follows a rating: in proportion ("linear"), without steps ("smooth"), or in steps, as at a
        threshold, or by single items, as a maximum does ("jumps").
    unchanged_by
        The changes of one system's responses alone that change no score: a constant added to all of them
        ("location"), a positive factor ("scale"), any rising map, which includes both ("monotone").
    unit_power
        The power of the ratings' unit in a score: 2 for a mean squared error, 0 for a share.
    mean_over_items
        Whether a score is the mean over items of the scores of single items; an additive metric is one.
    follows_one_item
        Whether a single item can bring most of a small change, as in a maximum.
    score_range
        The least and the largest score, of a comparison the least and the largest effect, for ratings from 0
        to 1; of a metric without a unit, for any ratings. An end is infinite if it is unknown or depends on
        the number of items.
    """

    smoothness: Smoothness | None = None
    unchanged_by: tuple[Change, ...] | None = None
    unit_power: int | None = None
    mean_over_items: bool | None = None
    follows_one_item: bool | None = None
    score_range: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if self.smoothness is not None:
            check_option("smoothness", self.smoothness, Smoothness)
        for change in self.unchanged_by or ():
            check_option("change in unchanged_by", change, Change)
        if self.score_range is not None and not self.score_range[0] < self.score_range[1]:
            raise NbykError(
                f"metric score_range: found {self.score_range}, expected the least score before the largest"
            )


def check_option(option: str, value: str, literal: Any) -> None:
    """Raise NbykError if a metric's option is not one of a literal type's values."""
    if value not in get_args(literal):
        raise unknown_name(f"metric {option}", str(value), get_args(literal))


@dataclass(frozen=True)
class Parameter:
    """A number that a metric takes by name, as in ``accuracy(threshold=0.6)``.

    Attributes
    ----------
    name
        Its name in a spec.
    default
        Its value if the spec gives none; None if the spec must give one.
    whole
        Whether it must be a whole number.
    minimum, maximum
        The least and the greatest value accepted.
    example
        A sensible value, for messages and listings.
    """

    name: str
    default: float | None = None
    whole: bool = False
    minimum: float = float("-inf")
    maximum: float = float("inf")
    example: float = 0.5

    @property
    def expected(self) -> str:
        """The condition on a value, in words."""
        number = "a whole number" if self.whole else "a finite number"
        if self.minimum > float("-inf"):
            number += f" from {self.minimum:g} to {self.maximum:g}"
        return number


@dataclass(frozen=True)
class FromCounts:
    """How an additive metric follows from counts of responses (`nbyk.metrics.counts`).

    `kernel` names a compiled function of (gold, a, b, k, starts, out), and `unit` the size of one unit of its
    numbers: a step of an item's mean, its square, an item, or a bin.
    """

    kernel: str
    unit: Literal["response", "square", "item", "bin"]


@dataclass(frozen=True)
class FromMean:
    """A metric that is a function, with a derivative, of arrays of the scores of another, additive one."""

    metric: str
    value: Implementation
    slope: Implementation


UNSAID = Traits()


def said(
    smoothness: Smoothness,
    unchanged_by: tuple[Change, ...] = (),
    *,
    unit_power: int = 0,
    mean_over_items: bool = False,
    follows_one_item: bool = False,
    score_range: tuple[float, float] = (-math.inf, math.inf),
) -> Traits:
    """Return traits of which none is left to measure; an additive metric is a mean over items anyway."""
    return Traits(smoothness, unchanged_by, unit_power, mean_over_items, follows_one_item, score_range)
