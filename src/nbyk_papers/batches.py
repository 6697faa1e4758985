"""Batches: the names (metrics, samplers, tests, sizes and the like) that each file of a study holds.

Names that share one pass over the draws share a file, and the file's name lists them. A run that asks for
more or fewer names finds the files that are there, and computes only the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from nbyk_papers.grids import Grid, Point

Batches = dict[str, list[str]]
"""Names by the key of their file."""

SHARED_SECONDS = 240.0
"""Longest time, in seconds, that the names of a grid that share a file may take."""

_LONGEST = 80
_OMITTED = "-without-"


def slug(name: str) -> str:
    """Return a name as part of a file's name."""
    return re.sub(r"[^A-Za-z0-9_.=]+", "-", name).strip("-")


@dataclass(frozen=True)
class Axis:
    """Names of one kind.

    Attributes
    ----------
    key
        The name of a file that holds all of `together`.
    together
        Names that share a file; any other name has its own file, or shares one by `further`.
    further
        The grid whose points are the other names, and the seconds of a point: they share files that take
        minutes.
    n_shared
        The most names of `together` that share a new file; 0 for all.
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
            names = self.names(key) or [name for name in asked if slug(name) == key]
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
        omitted = [slug(name) for name in self.together if name not in names]
        if not omitted:
            return self.key
        kept = "-and-".join(map(slug, names))
        shortest = min(kept, f"{self.key}{_OMITTED}{'-or-'.join(omitted)}", key=len)
        if len(shortest) <= _LONGEST:
            return shortest
        # Too many to name: their places, as the bits of a number.
        return f"{self.key}-{sum(1 << place for place, name in enumerate(self.together) if name in names):x}"

    def names(self, key: str) -> list[str]:
        """Return the names of `together` in the file of a key, if any."""
        return _names(self, key)


@cache
def _names(axis: Axis, key: str) -> list[str]:
    of_slug = {slug(name): name for name in axis.together}
    if key == axis.key:
        return list(axis.together)
    if all(part in of_slug for part in key.split("-and-")):
        return [of_slug[part] for part in key.split("-and-")]
    first, _, omitted = key.partition(_OMITTED)
    if first == axis.key and all(part in of_slug for part in omitted.split("-or-")):
        left_out = set(omitted.split("-or-"))
        return [name for name in axis.together if slug(name) not in left_out]
    bits = re.fullmatch(rf"{re.escape(axis.key)}-([0-9a-f]+)", key)
    if bits is None or int(bits[1], 16) >> len(axis.together):
        grid = axis.further[0] if axis.further else None
        return [grid.key([point]) for point in grid.points(key)] if grid else []
    return [name for place, name in enumerate(axis.together) if int(bits[1], 16) >> place & 1]


@dataclass(frozen=True)
class Ranges:
    """Numbers from 0 on, such as test sets; those that share a file follow one another: ``sets-20-to-99``.

    Attributes
    ----------
    name
        What they count.
    n_shared
        New files begin at multiples of this at the latest.
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

    def names(self, key: str) -> list[int]:
        """Return the numbers of a key; none if it is no such key."""
        match = re.fullmatch(rf"{re.escape(self.name)}-(\d+)-to-(\d+)", key)
        return list(range(int(match[1]), int(match[2]) + 1)) if match else []


@cache
def stored_names(folder: Path) -> tuple[str, ...]:
    """Return the names of a folder's files ``NAME.parquet``; folders are read once."""
    return tuple(sorted(path.stem for path in folder.glob("*.parquet"))) if folder.is_dir() else ()


def stored_keys(folder: Path, start: str) -> list[list[str]]:
    """Return the keys in the names of a folder's files ``START+KEY+KEY.parquet``."""
    return [name.split("+")[1:] for name in stored_names(folder) if name.partition("+")[0] == start]


def plan_of_axes(
    asked: Sequence[tuple[Axis | Ranges, Sequence[Any]]], stored: Iterable[Sequence[str]] = ()
) -> list[tuple[tuple[str, list[Any]], ...]]:
    """Return every combination of the batches of several axes, each batch as its key and its names."""
    known = [keys for keys in stored if len(keys) == len(asked)]
    batches = [
        axis.plan(names, (keys[place] for keys in known)).items() for place, (axis, names) in enumerate(asked)
    ]
    return list(product(*batches))
