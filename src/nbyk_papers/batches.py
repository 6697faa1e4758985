"""Files of a study's results: which points and names share one, and what it is called."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache, lru_cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

Point = tuple[float, ...]
Box = tuple[Point, ...]
"""The values of each field."""

_LONGEST_POINTS = 100
_SHORTEST_RANGE = 3


class Field(NamedTuple):
    """A field of a point: its name in files' names, its kind of number, and the value left out there."""

    name: str
    kind: type[float]
    unsaid: float | None = None


@dataclass(frozen=True)
class Grid:
    """A grid of points, which have these fields."""

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
        """Return points in shares for a file each; a share takes at most `limit` seconds, or is one point.

        Points that differ in the first field alone come together first, then those that differ in the second;
        their order does not matter.
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
                if total + cost <= limit and len(self._key((*before, longer, *after))) <= _LONGEST_POINTS:
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


Batches = dict[str, list[str]]
"""Names by the key of their file."""

SHARED_SECONDS = 240.0
"""Longest time, in seconds, that the names of a grid that share a file may take."""

_LONGEST = 80


def slug(name: str) -> str:
    """Return a name as part of a file's name."""
    return re.sub(r"[^A-Za-z0-9_.=]+", "-", name).strip("-")


@dataclass(frozen=True)
class Axis:
    """Names of one kind: those of `together` share a file, whose name is `key` if it has all of them.

    Any other name has its own file, or shares one by `further`: the grid whose points are the other names,
    and the seconds of a point; they share files that take minutes. A new file has at most `n_shared` of
    `together`; 0 for all.
    """

    key: str
    together: tuple[str, ...]
    further: tuple[Grid, Callable[[Point], float]] | None = None
    n_shared: int = 0

    def plan(self, asked: Sequence[str], stored: Iterable[str] = ()) -> Batches:
        """Return the batches that hold the names asked for: the stored ones, and one of the rest.

        Parameters
        ----------
        asked
            Names, in the order to keep.
        stored
            Keys of the files that exist.
        """
        batches: Batches = {}
        missing = list(asked)
        for key in sorted(set(stored), key=lambda key: (-len(self.names(key)), key)):
            names = self.names(key, asked)
            if set(names) & set(missing):
                batches[key] = names
                missing = [name for name in missing if name not in names]
        shared = [name for name in self.together if name in missing]
        for start in range(0, len(shared), self.n_shared or len(self.together)):
            names = shared[start : start + (self.n_shared or len(self.together))]
            batches[self.key_of(names)] = names
        alone = [name for name in missing if name not in shared]
        if self.further is None:
            return batches | {slug(name): [name] for name in alone}
        grid, seconds = self.further
        points = [grid.points(name)[0] for name in asked if name not in self.together]
        # Names share a file by the request alone, so a stopped run resumes with the same files.
        for share in grid.shares(points, seconds, SHARED_SECONDS):
            rest = [point for point in share if grid.key([point]) in alone]
            for each in [rest] if rest == share else grid.shares(rest, seconds, SHARED_SECONDS):
                batches[grid.key(each)] = [grid.key([point]) for point in each]
        return batches

    def key_of(self, names: Sequence[str]) -> str:
        """Return the key of names of `together`, in their order there; `names` is its inverse."""
        if set(names) == set(self.together):
            return self.key
        kept = "-and-".join(map(slug, names))
        if len(kept) <= _LONGEST:
            return kept
        # Too many to name: their places, as the bits of a number.
        return f"{self.key}-{sum(1 << place for place, name in enumerate(self.together) if name in names):x}"

    def names(self, key: str, asked: Sequence[str] = ()) -> list[str]:
        """Return the names in a key's file: of `together`, further ones, or one of those asked for."""
        return _names(self, key) or [name for name in asked if slug(name) == key]


@cache
def _names(axis: Axis, key: str) -> list[str]:
    name_by_slug = {slug(name): name for name in axis.together}
    if key == axis.key:
        return list(axis.together)
    if all(part in name_by_slug for part in key.split("-and-")):
        return [name_by_slug[part] for part in key.split("-and-")]
    bits = re.fullmatch(rf"{re.escape(axis.key)}-([0-9a-f]+)", key)
    if bits is None or int(bits[1], 16) >> len(axis.together):
        grid = axis.further[0] if axis.further else None
        return [grid.key([point]) for point in grid.points(key)] if grid else []
    return [name for place, name in enumerate(axis.together) if int(bits[1], 16) >> place & 1]


@dataclass(frozen=True)
class Ranges:
    """Numbers from 0 on, such as test sets; those that share a file follow one another: ``sets-20-to-99``.

    New files begin at multiples of `n_shared` at the latest.
    """

    name: str
    n_shared: int

    def plan(self, asked: Sequence[int], stored: Iterable[str] = ()) -> dict[str, list[int]]:
        """Return the ranges that hold the numbers asked for, 0 to the last: the stored ones, and the rest."""
        ranges, missing = {}, set(asked)
        for key in sorted(set(stored), key=lambda key: (len(set(self.names(key)) - set(asked)), key)):
            numbers = self.names(key)
            if missing & set(numbers):
                ranges[key] = numbers
                missing -= set(numbers)
        for first in sorted(missing):
            if first - 1 not in missing or first % self.n_shared == 0:
                last = first
                while last + 1 in missing and (last + 1) % self.n_shared:
                    last += 1
                ranges[f"{self.name}-{first}-to-{last}"] = list(range(first, last + 1))
        return ranges

    def names(self, key: str, asked: Sequence[int] = ()) -> list[int]:
        """Return the numbers of a key, whichever are asked for; none if it is no such key."""
        match = re.fullmatch(rf"{re.escape(self.name)}-(\d+)-to-(\d+)", key)
        return list(range(int(match[1]), int(match[2]) + 1)) if match else []


@cache
def stored_names(folder: Path) -> tuple[str, ...]:
    """Return the names of a folder's files ``NAME.parquet``; folders are read once."""
    return tuple(sorted(path.stem for path in folder.glob("*.parquet"))) if folder.is_dir() else ()


def plan_of_axes(
    asked: Sequence[tuple[Axis | Ranges, Sequence[Any]]], stored: Iterable[Sequence[str]] = ()
) -> list[tuple[tuple[str, list[Any]], ...]]:
    """Return every combination of the batches of several axes, each batch as its key and its names."""
    known = [keys for keys in stored if len(keys) == len(asked)]
    batches = [
        axis.plan(names, (keys[place] for keys in known)).items() for place, (axis, names) in enumerate(asked)
    ]
    return list(product(*batches))


def batched(file: str, asked: Sequence[tuple[Axis, Sequence[str]]]) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield the files, existing and new ones, that hold every combination of names, and the names in each.

    `file` is what their paths below ``results/`` begin with; ``+KEY`` for each axis follows it.
    """
    place = Path("results", file)
    stored = [name.split("+")[1:] for name in stored_names(place.parent) if name.split("+")[0] == place.name]
    for batch in plan_of_axes(asked, stored):
        yield f"{'+'.join([file, *(key for key, _ in batch)])}.parquet", [names for _, names in batch]


@dataclass(frozen=True)
class Trials:
    """Simulated test sets, each with its own resamples."""

    n_sets: int
    n_resamples: int
    seed: int
