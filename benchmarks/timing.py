"""Timing two things against each other, and a line that says how it went."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal

Floor = Literal["at least", "at most"]


@dataclass(frozen=True)
class Line:
    """One measured ratio.

    Attributes
    ----------
    name
        What was measured.
    ratio
        The median over the pairs of timings of one side's seconds over the other's.
    seconds
        Median seconds per replicate (or per number drawn) of either side, by name.
    floor
        What the ratio has to reach, also where the machine is busy; None if it is for information.
    direction
        Whether the floor is the least or the greatest ratio that will do.
    goal
        What it reaches on a machine of its own, where that is more.
    """

    name: str
    ratio: float
    seconds: dict[str, float]
    floor: float | None = None
    direction: Floor = "at least"
    goal: float | None = None

    @property
    def missed(self) -> bool:
        if self.floor is None:
            return False
        return self.ratio < self.floor if self.direction == "at least" else self.ratio > self.floor

    def __str__(self) -> str:
        figure = f"{self.ratio:.0f}" if self.ratio >= 100 else f"{self.ratio:.2f}"
        text = f"{self.name}: {figure} x"
        if self.floor is not None:
            goal = "" if self.goal is None else f"; goal {self.goal:g}"
            text += f" ({'at most ' if self.direction == 'at most' else ''}{self.floor:g}{goal})"
        return text + ("  <-- MISSED" if self.missed else "")

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "missed": self.missed}


def line(
    name: str,
    top: tuple[str, list[float]],
    bottom: tuple[str, list[float]],
    floor: float | None = None,
    direction: Floor = "at least",
    goal: float | None = None,
) -> Line:
    """Return the line of `top` over `bottom`, each a name and its seconds, pair by pair."""
    ratio = statistics.median(x / y for x, y in zip(top[1], bottom[1], strict=True))
    seconds = {label: statistics.median(values) for label, values in (top, bottom)}
    return Line(name, ratio, seconds, floor, direction, goal)


def seconds(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """Return the seconds of one call: of CPU, which other programs hardly change, unless by another clock."""
    start = clock()
    work()
    return clock() - start


def interleaved(
    first: Callable[[], object],
    second: Callable[[], object],
    repeats: int,
    clock: Callable[[], float] = time.process_time,
) -> tuple[list[float], list[float]]:
    """Time two things in turns, so that what else the machine does weighs on both alike."""
    pairs = [(seconds(first, clock), seconds(second, clock)) for _ in range(repeats)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]
