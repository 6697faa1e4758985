"""Points of a grid: which share a file, and the file's name.

A point is a number for each field, such as an ε, an N and a K. Points that share a file are every combination
of a few values of each field. The file's name lists the values:
``epsilon-0.1-and-0.3_n-100-to-1000-by-100_k-5``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from itertools import product
from typing import NamedTuple

Point = tuple[float, ...]
Box = tuple[Point, ...]
"""The values of each field."""

_LONGEST = 100
_SHORTEST_RANGE = 3


class Field(NamedTuple):
    """A field of a point.

    Attributes
    ----------
    name
        Its name in the names of files.
    kind
        The kind of number in it: float or int.
    unsaid
        The value that, together with its field, is left out of names; None if there is none.
    """

    name: str
    kind: type[float]
    unsaid: float | None = None


@dataclass(frozen=True)
class Grid:
    """A grid of points.

    Attributes
    ----------
    fields
        The fields of a point.
    """

    fields: tuple[Field, ...]

    def key(self, points: Sequence[Point]) -> str:
        """Return the name of points that are every combination of the values of their fields."""
        return self._key(tuple(tuple(dict.fromkeys(values)) for values in zip(*points, strict=True)))

    def points(self, key: str) -> list[Point]:
        """Return the points in a name; none if it is not such a name."""
        texts = {name: text for name, _, text in (part.partition("-") for part in key.split("_"))}
        box: list[list[float]] = []
        for name, kind, unsaid in self.fields:
            text = texts.pop(name, None)
            values = unsaid if text is None else _read(text)
            if values is None:
                return []
            box.append([kind(value) for value in values] if isinstance(values, list) else [values])
        return [] if texts else list(product(*box))

    def shares(
        self, points: Iterable[Point], seconds: Callable[[Point], float], limit: float
    ) -> list[list[Point]]:
        """Return points in shares for a file each; a share takes at most `limit`, or is one point.

        Points that differ in the first field alone come together first, then those that differ in the second.

        Parameters
        ----------
        points
            Points; their order does not matter.
        seconds
            Seconds for a point.
        limit
            Longest time, in seconds, for a share.
        """
        boxes: dict[Box, float] = {
            tuple((value,) for value in point): seconds(point) for point in sorted(set(points))
        }
        for place in range(len(self.fields)):
            boxes = self._joined(boxes, place, limit)
        return [list(product(*box)) for box in boxes]

    def _joined(self, boxes: Mapping[Box, float], place: int, limit: float) -> dict[Box, float]:
        """Return boxes, joined if they differ only in one field, as far as the limits allow."""
        alike: dict[tuple[Box, Box], list[tuple[Point, float]]] = {}
        for box, cost in boxes.items():
            alike.setdefault((box[:place], box[place + 1 :]), []).append((box[place], cost))
        joined: dict[Box, float] = {}
        for (before, after), several in alike.items():
            values, total = several[0]
            for more, cost in several[1:]:
                longer = values + more
                if total + cost <= limit and len(self._key((*before, longer, *after))) <= _LONGEST:
                    values, total = longer, total + cost
                else:
                    joined[*before, values, *after] = total
                    values, total = more, cost
            joined[*before, values, *after] = total
        return joined

    def _key(self, box: Box) -> str:
        return "_".join(
            f"{name}-{_written(values)}"
            for (name, _, unsaid), values in zip(self.fields, box, strict=True)
            if values != (unsaid,)
        )


@lru_cache(maxsize=100_000)
def _written(values: Point) -> str:
    """Return numbers as words: each by itself, or equal steps as a range."""
    exact = [Decimal(repr(value)) for value in values]
    parts, place = [], 0
    while place < len(exact):
        end = place + 1
        if end < len(exact):
            step = exact[end] - exact[place]
            while end + 1 < len(exact) and exact[end + 1] - exact[end] == step:
                end += 1
        if end - place + 1 >= _SHORTEST_RANGE and end < len(exact) and step > 0:
            parts.append(f"{values[place]!r}-to-{values[end]!r}-by-{step}")
            place = end + 1
        else:
            parts.append(repr(values[place]))
            place += 1
    return "-and-".join(parts)


def _read(text: str) -> list[Decimal] | None:
    """Return the numbers in the words of `_written`; None if they are none."""
    numbers = []
    try:
        for part in text.split("-and-"):
            first, is_range, rest = part.partition("-to-")
            if not is_range:
                numbers.append(Decimal(first))
                continue
            last, _, step = rest.partition("-by-")
            count = int((Decimal(last) - Decimal(first)) / Decimal(step))
            numbers += [Decimal(first) + place * Decimal(step) for place in range(count + 1)]
    except (InvalidOperation, ValueError, ZeroDivisionError):
        return None
    return numbers
