"""The long table of disaggregated ratings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.data.cells import ArrowCells, blocks
from nbyk.data.scales import Scale
from nbyk.data.text import are_plain, seen
from nbyk.data.units import UNKNOWN, VECTOR, Units, clusters_of_items, numbered_clusters
from nbyk.errors import DataPlace, NbykError
from nbyk.files import read_parquet
from nbyk.words import number_of

if TYPE_CHECKING:
    import pyarrow as pa

MOST_CELLS = 5 * 10**7
"""Cells of a matrix of ratings that may be nearly all empty; 400 MB."""

_SPARSE = 20
_DIGITS = re.compile("[0-9]{1,4000}")
_UNREAD = DataPlace(name="ratings")


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings of items by raters, one entry per rating; items may have any number of ratings.

    Make one with `read_ratings`, a parser or `Ratings.from_columns`, which validate.

    Attributes
    ----------
    items
        Distinct item ids in the order in which they first appear.
    raters
        Distinct rater ids, likewise.
    item_index, rater_index : ndarray of int, shape (n_ratings,)
        The item and the rater of each rating.
    values : ndarray of float, shape (n_ratings,)
        The ratings, finite, in the unit of their table.
    raters_known
        Whether equal rater ids are one rater; false if ids only number the ratings of each item.
    clusters
        The name of each item's cluster, shape (items,); None where none was read.
    recognised
        The columns that were read in place of those asked for, and their roles, in words.
    mended
        Ratings left out or averaged while reading, with their number, a sentence each.
    place
        Where the ratings are, for errors.
    nameless
        Whether items have no ids but their row numbers.
    wide
        Whether each rater has a column.
    """

    items: Sequence[str]
    raters: tuple[str, ...]
    item_index: Integers
    rater_index: Integers
    values: Floats
    raters_known: bool = True
    clusters: tuple[str, ...] | None = None
    recognised: str = ""
    mended: tuple[str, ...] = ()
    place: DataPlace = _UNREAD
    nameless: bool = False
    wide: bool = False

    def __repr__(self) -> str:
        by = f" by {number_of(len(self.raters), 'rater')}" if self.raters_known else ""
        return f"{self.n_ratings} ratings of {self.n_items} items{by}"

    @classmethod
    def from_columns(
        cls,
        items: Sequence[str],
        raters: Sequence[str],
        values: Sequence[float] | Floats,
        *,
        at: Callable[[int], DataPlace] = lambda row: replace(_UNREAD, row=f"row {row}"),
        raters_known: bool = True,
        clusters: Sequence[str] | None = None,
        fewest: int = 2,
        apart: Callable[[Integers], str] = lambda pairs: "",
    ) -> Ratings:
        """Return the ratings in three columns of equal length: item, rater and value of each.

        `at` returns the place of a rating in its file, given its position, for errors, which name what is
        empty, infinite, repeated or too few; `clusters` are those of the ratings' items. `apart` says what
        else tells ratings apart, given a number for the item and rater of each; "" if nothing does.
        """
        numbers = np.asarray(values, dtype=np.float64)
        if not len(items) == len(raters) == len(numbers):
            raise NbykError(
                f"{len(items)} items, {len(raters)} raters, {len(numbers)} values; expected as many of each"
            )
        if len(numbers) == 0:
            raise NbykError("there are none; expected ratings of at least two items", name="ratings")
        if not np.isfinite(numbers).all():
            row = int(np.flatnonzero(~np.isfinite(numbers))[0])
            raise at(row).error(
                f"value is {numbers[row]}; expected a finite number: leave missing ratings out"
            )
        item_ids, item_index = numbered(items)
        rater_ids, rater_index = numbered(raters)
        rater_ids = tuple(rater_ids)
        refuse_alike("item", item_ids, item_index, at)
        refuse_alike("rater", rater_ids, rater_index, at)
        if len(item_ids) < fewest:
            raise at(len(numbers) - 1).error(
                f"{item_ids[0]!r} is the only item; give at least two, so that nbyk can see how items vary"
            )
        _refuse_duplicates(item_ids, rater_ids if raters_known else (), item_index, rater_index, at, apart)
        item_clusters = None if clusters is None else clusters_of_items(item_ids, item_index, clusters, at)
        return cls(item_ids, rater_ids, item_index, rater_index, numbers, raters_known, item_clusters)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ratings):
            return NotImplemented
        return (
            (self.items, self.raters, self.clusters) == (other.items, other.raters, other.clusters)
            and np.array_equal(self.item_index, other.item_index)
            and np.array_equal(self.rater_index, other.rater_index)
            and np.array_equal(self.values, other.values)
        )

    @property
    def n_items(self) -> int:
        """Number of items N."""
        return len(self.items)

    @property
    def n_ratings(self) -> int:
        """Number of ratings, over all items."""
        return len(self.values)

    def in_order(self) -> Ratings:
        """Return the same ratings in the order of their items' and raters' ids; row numbers are ids too."""
        items = ordered_ids(self.items)
        raters = tuple(ordered_ids(self.raters)) if self.raters_known else self.raters
        item = rows_of(items, self.items)[self.item_index]
        rater = rows_of(raters, self.raters)[self.rater_index]
        order = np.lexsort((rater, item))
        clusters = self.clusters and tuple(self.clusters[row] for row in rows_of(self.items, items))
        in_order = replace(self, items=items, raters=raters, clusters=clusters, values=self.values[order])
        return replace(in_order, item_index=item[order], rater_index=rater[order])

    def counts(self) -> Integers:
        """Return the number of ratings of each item, shape (N,)."""
        return np.bincount(self.item_index, minlength=self.n_items)

    def matrix(self) -> Floats:
        """Return the ratings as one row per item, shape (N, K_max).

        A row holds the item's ratings in their order in the table, and NaN after them. A column is therefore
        not a rater.
        """
        return self.responses(self.items)[0]

    def units(self) -> Units:
        """Return the rater of each place of `matrix`."""
        return self.responses(self.items)[1]

    def responses(self, items: Sequence[str]) -> tuple[Floats, Units]:
        """Return the ratings of some items, each in a row, and the rater of each place.

        A row holds the item's ratings in their order in the table, and NaN after them.
        """
        row = rows_of(items, self.items)[self.item_index]
        order = np.argsort(row, kind="stable")
        order = order[row[order] >= 0]
        row = row[order]
        counts = np.bincount(row, minlength=len(items))
        shape = len(items), int(counts.max())
        n_cells = shape[0] * shape[1]
        if n_cells > max(MOST_CELLS, _SPARSE * len(row)):
            most = int(counts.argmax())
            raise NbykError(
                f"item {items[most]!r} has {counts[most]:,} ratings, so {len(items):,} items "
                f"make {n_cells:,} cells, expected at most {MOST_CELLS:,} if most are empty; keep fewer of "
                "its ratings, or leave it out",
                name="ratings",
            )
        column = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
        matrix = np.full(shape, np.nan)
        matrix[row, column] = self.values[order]
        if not self.raters_known:
            return matrix, VECTOR if shape[1] == 1 else UNKNOWN
        index = np.full(shape, -1, np.int32)
        index[row, column] = self.rater_index[order]
        return matrix, Units("ids", self.raters, index).taken(slice(None))

    def normalised(self, scale: Scale) -> Ratings:
        """Return the same ratings with their values normalised to [0, 1].

        Raise NbykError if a value is off the scale.
        """

        def refuse(row: int, problem: str) -> NbykError:
            item, rater = self.items[self.item_index[row]], self.raters[self.rater_index[row]]
            return self.place.error(f"the rating of item {item!r} by rater {rater!r}: {problem}")

        return replace(self, values=scale.normalise(self.values, refuse))

    def to_table(self) -> pa.Table:
        """Return a pyarrow table of a row per rating, with item and rater (text) and value (float64)."""
        import pyarrow as pa

        columns = {
            "item": pa.DictionaryArray.from_arrays(self.item_index, pa.array(self.items, pa.string())),
            "rater": pa.DictionaryArray.from_arrays(self.rater_index, pa.array(self.raters, pa.string())),
        }
        return pa.table(
            {name: ids.cast(pa.string()) for name, ids in columns.items()} | {"value": self.values}
        )


def stored_ratings(path: Path) -> tuple[Ratings, dict[str, Any]]:
    """Return the ratings in a file that `nbyk study normalise` wrote, and the file's metadata."""
    table, made = read_parquet(path, ("item", "rater", "value"), whole=True)
    items, raters = (table.column(name).to_pylist() for name in ("item", "rater"))
    return Ratings.from_columns(items, raters, table.column("value").to_numpy()), made


def ordered_ids(ids: Iterable[str]) -> Sequence[str]:
    """Return ids in the order in which comparisons take them: q2 before q10, in Unicode's normal form C."""
    return _ordered(ids if isinstance(ids, ArrowCells) else tuple(ids))


@lru_cache(maxsize=2)  # the files of a comparison have the same ids
def _ordered(ids: ArrowCells | tuple[str, ...]) -> Sequence[str]:
    if isinstance(ids, ArrowCells):
        order = _order_of(ids)
        return ids if np.array_equal(order, np.arange(len(ids))) else ids.taken(order)
    return tuple(sorted(sorted(ids), key=_by_text_and_number))


def _order_of(ids: ArrowCells) -> Integers:
    """Return the rows of ids in order."""
    import pyarrow as pa
    import pyarrow.compute as pc

    keys = pa.chunked_array([pa.array(map(_by_text_and_number, block)) for block in blocks(ids)])
    keys = keys.combine_chunks()
    if pc.all(pc.less(keys[:-1], keys[1:])).as_py():
        return np.arange(len(ids))
    by = [("key", "ascending"), ("id", "ascending")]
    order = pc.sort_indices(pa.table({"key": keys, "id": ids.array}), sort_keys=by)
    return np.asarray(order.to_numpy(), dtype=np.int64)


def _by_text_and_number(name: str) -> str:
    """Return text that sorts as the name does, its numbers by size; 01 and 1 are equal."""
    text = name if name.isascii() else unicodedata.normalize("NFC", name)
    return _DIGITS.sub(_sized, text.replace("\0", "\0\uffff"))


def _sized(digits: re.Match[str]) -> str:
    """Return a number as text that sorts by its size, and before all other text."""
    significant = digits[0].lstrip("0")
    return f"\0{chr(len(significant))}{significant}"


def rows_of(ids: Sequence[str], names: Sequence[str]) -> Integers:
    """Return the row of each of some names among ids, -1 where it is none."""
    if names is ids or names == ids:
        return np.arange(len(ids))
    if isinstance(ids, ArrowCells) and isinstance(names, ArrowCells):
        return ids.places_of(names)
    row_of = {name: row for row, name in enumerate(ids)}
    return np.fromiter((row_of.get(name, -1) for name in names), dtype=np.int64, count=len(names))


def agreed_clusters(tables: Iterable[Ratings], items: Sequence[str]) -> tuple[str, ...] | None:
    """Return the cluster of each of some items, from all tables that hold clusters; None if none does.

    `tables` are ratings of these items, and perhaps of others.
    """
    cluster_of: dict[str, tuple[str, DataPlace]] = {}
    for ratings in tables:
        if ratings.clusters is None:
            continue
        for item, cluster in zip(ratings.items, ratings.clusters, strict=True):
            other, said_by = cluster_of.setdefault(item, (cluster, ratings.place))
            if other != cluster:
                raise ratings.place.error(
                    f"item {item!r} is in cluster {cluster!r}, and in {other!r} in {said_by}; "
                    "expected one cluster per item in all files"
                )
    if not cluster_of:
        return None
    clusters = tuple(cluster_of[item][0] for item in items)
    numbered_clusters(clusters, len(items))
    return clusters


def numbered(names: Sequence[str]) -> tuple[Sequence[str], Integers]:
    """Return the distinct names in order of first appearance, and each name's place among them."""
    if isinstance(names, ArrowCells):
        return names.numbered()
    distinct = tuple(dict.fromkeys(names))
    if len(distinct) == 1:
        return distinct, np.zeros(len(names), np.int64)
    return distinct, rows_of(distinct, distinct if len(distinct) == len(names) else names)


def refuse_alike(what: str, ids: Sequence[str], index: Integers, at: Callable[[int], DataPlace]) -> None:
    """Raise NbykError if an id is empty, or looks as another does; `index` is the place of each row's id."""
    first: dict[str, str] = {}
    for position, name in enumerate(() if are_plain(ids) else ids):
        if fault := _fault(name, first.setdefault(seen(name), name)):
            row = int(np.flatnonzero(index == position)[0])
            raise at(row).error(f"the {what} id {fault}; give every {what} an id of its own")


def _fault(name: str, other: str) -> str:
    """Return the error in an id, given the first id that looks the same; "" if there is none."""
    if not name.isascii() and any("\ud800" <= character <= "\udfff" for character in name):
        # JSON can escape half a surrogate pair, which no file can hold as text.
        return f"{name!r} holds half a character"
    if not name or name.isspace():
        return "is empty"
    if name.split() == other.split():
        return "" if name == other else f"{name!r} differs from {other!r} in spaces alone"
    return f"{name!a} differs from {other!a} in signs that nobody sees"


def _refuse_duplicates(
    items: Sequence[str],
    raters: Sequence[str],
    item_index: Integers,
    rater_index: Integers,
    at: Callable[[int], DataPlace],
    apart: Callable[[Integers], str],
) -> None:
    if len(items) == len(item_index):
        return
    pairs = item_index * (int(rater_index.max()) + 1) + rater_index
    order = np.argsort(pairs, kind="stable")
    is_again = pairs[order][1:] == pairs[order][:-1]
    again = order[1:][is_again]
    if again.size:
        row = int(again.min())
        before = at(int(order[:-1][is_again][again.argmin()]))
        item = items[item_index[row]]
        found = f"item {item!r} is already on {before}, and no column names raters"
        if raters:
            found = f"rater {raters[rater_index[row]]!r} has already rated item {item!r}"
        count = f" ({len(again)} such ratings in all)" if len(again) > 1 else ""
        if differ := apart(pairs):
            raise at(row).error(f"{found}{count}; expected one rating per item and rater: {differ}")
        raise at(row).error(
            f"{found}{count}; expected one rating per item and rater: keep one of them, name the column of "
            "raters with `rater` (if they are unknown, add one with another id on each row), or choose with "
            "`on_duplicates` first, last or mean"
        )
