"""The one matcher: the items that all data have, and their rows; data without ids match by row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nbyk.data.ratings import Ratings, agreed_clusters
from nbyk.data.response_set import ResponseSet, response_set
from nbyk.data.text import look_alikes, simplified
from nbyk.errors import DataPlace
from nbyk.words import listed

OnMissing = Literal["refuse", "drop"]

_SHOWN = 3


class ItemIds(NamedTuple):
    """The items of some data, in their order, with the place of the data; `nameless` ones are row numbers."""

    place: DataPlace
    ids: Sequence[str]
    nameless: bool = False


def common_items(
    data: Sequence[ItemIds], on_missing: OnMissing = "refuse", way_out: str = ""
) -> tuple[str, ...]:
    """Return the items that all data have, in the order of the first.

    Parameters
    ----------
    data
        The items of each of the data.
    on_missing
        How to treat items that not all have: "refuse", or "drop" them. Rows without names are never dropped.
    way_out
        A further way out for the error.
    """
    first, *others = data
    ids = set(first.ids)
    differing = [other for other in others if set(other.ids) != ids]
    if not differing:
        return tuple(first.ids)
    nameless = any(of.nameless for of in (first, *differing))
    common = ids.intersection(*(other.ids for other in others))
    if nameless or on_missing == "refuse":
        known = "give all files the same items, or keep those in all of them with `on_missing` drop"
        if nameless:
            known = (
                "the rows of an array have no names by which to match them: give all files the same rows in "
                "the same order, or write the array as a table with a column item"
            )
        elif not common:
            known = (
                "no item is in all files: check that the ids are of the same items, and written the same way"
            )
        found = [_difference(of.ids, str(first.place), first.ids) for of in differing]
        more = [f"; {of.place} {what}" for of, what in zip(differing[1:], found[1:], strict=True)]
        raise differing[0].place.error(
            f"{found[0]}{''.join(more)}{_near(first, differing[0])}; {known}{way_out}"
        )
    if len(common) < 2:
        raise first.place.error(
            f"has {len(common)} item(s) in common with {listed([str(of.place) for of in others])}"
            f"{_near(first, differing[0])}, expected at "
            f"least two; check that the ids are of the same items and written alike{way_out}"
        )
    return tuple(name for name in first.ids if name in common)


def rows_of(ids: Sequence[str], items: Sequence[str]) -> NDArray[np.int64]:
    """Return the row of each of some items among ids."""
    row_of = {name: row for row, name in enumerate(ids)}
    return np.array([row_of[name] for name in items], dtype=np.int64)


def align(gold: Ratings, a: Ratings, b: Ratings) -> ResponseSet:
    """Return the response set of three rating tables, rows in gold's order of items.

    Parameters
    ----------
    gold, a, b
        Ratings of the same items by raters, and by (runs of) systems A and B, on one scale.

    Raises
    ------
    NbykError
        If an item is in one table and not in another, or its clusters differ. The message names the table and
        the items.
    """
    tables = {"gold": gold, "a": a, "b": b}
    items = common_items([ItemIds(DataPlace(name=name), of.items) for name, of in tables.items()])
    rows = {name: rows_of(of.items, items) for name, of in tables.items()}
    matrices = {name: of.matrix()[rows[name]] for name, of in tables.items()}
    units = {name: of.units().taken(rows[name]) for name, of in tables.items()}
    clusters = agreed_clusters(((DataPlace(name=name), of) for name, of in tables.items()), items)
    return response_set(**matrices, units=units, cluster=clusters)


def _difference(items: Sequence[str], other: str, others_items: Sequence[str]) -> str:
    rated, wanted = set(items), set(others_items)
    missing = [item for item in others_items if item not in rated]
    extra = [item for item in items if item not in wanted]
    parts = []
    if missing:
        parts.append(f"lacks {len(missing)} of {other}'s items ({_some(missing)})")
    if extra:
        parts.append(f"has {len(extra)} that {other} lacks ({_some(extra)})")
    return " and ".join(parts)


def _some(items: Sequence[str]) -> str:
    return ", ".join(items[:_SHOWN]) + (", …" if len(items) > _SHOWN else "")


def _near(first: ItemIds, other: ItemIds) -> str:
    """Return a hint about two ids of two data that may be meant to be one; "" if there are none."""
    shared = set(first.ids).intersection(other.ids)
    lacking = {simplified(name): name for name in first.ids if name not in shared}
    for name in other.ids:
        meant = lacking.get(simplified(name))
        if name not in shared and meant is not None:
            shown = look_alikes([meant, name]) or (meant, name)
            return f" (is {shown[1]} the same as {shown[0]}? then write them alike)"
    return ""
