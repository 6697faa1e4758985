"""Reading ratings from a file of any format, or from a data frame."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nbyk.data.columns import Columns, described, described_wide, recognised
from nbyk.data.layouts import ARRAY_SUFFIXES, Entries, array_cells, as_ids, long_cells, text_cells, wide_cells
from nbyk.data.mending import Mending, without_duplicates, without_empty
from nbyk.data.ratings import Ratings
from nbyk.data.readers import Recording, recorded_at, recorded_in
from nbyk.data.rows import DataRows
from nbyk.data.scales import GivenScale, Scale, as_scale
from nbyk.data.tables import TABLE_SUFFIXES, Table, read_table, unknown_suffix
from nbyk.data.text import columns_of_objects, json_content
from nbyk.errors import DataPlace, NbykError

Layout = Literal["auto", "long", "wide"]
Given: TypeAlias = Any
"""A path, or a data frame of pandas, polars or pyarrow."""

NAMELESS_SUFFIXES = (*ARRAY_SUFFIXES, ".txt")
"""Suffixes of files whose items have only row numbers for names."""

_MADE = (".json", ".eval", ".xlsx")


@dataclass(frozen=True)
class CellKind:
    """The kind of a table's ratings, numbers or names of classes.

    Attributes
    ----------
    numbers
        Returns the number of each rating; raises NbykError if a cell holds none.
    expected
        A rating in words, for errors.
    givers
        Those who give ratings, in words.
    """

    numbers: Callable[[Entries], NDArray[np.float64]]
    expected: str = "a finite number"
    givers: str = "raters or runs"


def read_ratings(
    path: Given,
    *,
    item: str = "item",
    rater: str | None = "rater",
    value: str = "value",
    cluster: str | None = None,
    scale: GivenScale | None = None,
    layout: Layout = "auto",
    on_duplicates: str = "refuse",
    on_empty: str = "refuse",
) -> Ratings:
    """Read ratings from a file, in the format of its suffix, or from a data frame.

    ``.csv``, ``.tsv``, ``.jsonl``/``.ndjson`` and ``.parquet`` hold a table, in UTF-8 if text. In the long
    layout each row is a rating; in the wide one each row is an item and each further column a rater, and
    an empty cell, null, ``NA`` or ``NaN`` is a missing rating. ``.npy`` and ``.npz`` hold one array of
    items × raters, or of one rating per item; NaN is a missing rating and the ids are the indices. ``.txt``
    holds one number a line, one per item. Files of other tools are read as docs/formats.md says.

    Parameters
    ----------
    path
        The file, or a data frame of pandas, polars or pyarrow.
    item, rater, value
        The names of the columns. ``rater=None`` numbers the ratings of each item 1, 2, … in a long table
        whose raters are unknown; equal numbers are then not one person. If a column of a default name is
        missing, a column of a known name takes its place (`nbyk.data.columns.KNOWN_NAMES`), and
        `Ratings.recognised` names it. A table without raters in which each item is on one row has one rating
        per item.
    cluster
        The name of the column of clusters, such as the text that an item asks about, if there is one.
    scale
        The scale of the values: its two ends, such as (1, 5), text such as "1..5" or "1,2,3,4,5", or an
        `Interval`, `Levels` or `Binary`. With a scale, every value is checked against it and **normalised to
        [0, 1]**. Without, the values are returned as they are.
    layout
        "long", "wide", or "auto": long if the table has a column `value` or `rater`.
    on_duplicates
        How to treat a rater's further ratings of an item: "refuse" them, keep the "first" or the "last", or
        take their "mean". `Ratings.mended` says how many there were.
    on_empty
        How to treat rows without a rating: "refuse" or "drop" them. `Ratings.mended` says how many there
        were.

    Raises
    ------
    NbykError
        If the file is missing, unreadable, empty or of an unknown suffix; a column is missing; an id is
        empty; a value is not a finite number or off the scale; an item has no rating or two clusters; a
        rater rates an item twice; or there is only one item. The message names the file and the line (from
        1) or, in Parquet and arrays, the row (from 0).
    """
    columns, mending = Columns(item, rater, value, cluster), Mending(on_duplicates, on_empty)
    return read_as(numbers_on(as_scale(scale)), path, columns, layout, mending)


def numbers_on(scale: Scale | None) -> CellKind:
    """Return the kind of numbers on a scale, normalised to [0, 1], or of any numbers."""
    return CellKind(partial(_numbers, scale=scale))


def read_as(kind: CellKind, path: Given, columns: Columns, layout: Layout, mending: Mending) -> Ratings:
    """Return ratings of some kind; the other arguments and the errors are those of `read_ratings`."""
    if layout not in ("auto", "long", "wide"):
        raise NbykError(f"found {layout!r}, expected auto, long or wide", argument="layout")
    cluster, named = columns.cluster, columns.value != "value"
    suffix = "" if isinstance(path, Table) or _is_frame(path) else Path(path).suffix.lower()
    if suffix in NAMELESS_SUFFIXES:
        if cluster is not None:
            raise NbykError(
                f"an array has no column {cluster!r}; write it as a table, or leave the clusters out",
                file=path,
            )
        cells = text_cells(path) if suffix == ".txt" else array_cells(path)
        # a vector does not tell who gave its ratings
        found, raters_known = None, len(set(cells.raters)) > 1
    else:
        table = table_of(path)
        found = recognised(table, columns)
        cells, raters_known = _table_cells(table, found, layout, mending, named=named)
    cells, no_value = without_empty(cells, mending, kind.expected)
    values = kind.numbers(cells)
    cells, values, repeated = without_duplicates(cells, values, mending)
    clusters = None
    if cluster is not None:
        column = cells.table.column(cluster, "rename the column of clusters, or name it with `cluster`")
        of_rows = as_ids(cells.table, cluster, column)
        clusters = [of_rows[row] for row in cells.rows]
    raters = cells.raters
    if cells.value is None and all(map(str.isdigit, set(raters))):
        raters = [f"column {place}" for place in raters]
    ratings = Ratings.from_columns(
        cells.items, raters, values, at=cells.at, raters_known=raters_known, clusters=clusters
    )
    said = ""
    if found is not None:
        unused: list[str] = []
        if named and not raters_known and not cells.table.roles:
            unused = [name for name in cells.table.names if name not in astuple(found)]
        if cells.value is None:
            if len(ratings.raters) > 1 and layout == "auto":
                said = described_wide(found, ratings.items, ratings.raters, givers=kind.givers)
        elif found != columns or cells.table.roles or unused:
            said = described(found, ratings.items, ratings.raters, raters_known=raters_known, unused=unused)
    return replace(ratings, recognised=said, mended=tuple(filter(None, (no_value, repeated))))


def _numbers(cells: Entries, scale: Scale | None) -> NDArray[np.float64]:
    """Return the ratings as numbers, normalised if their scale is declared."""
    values = cells.numbers()
    if scale is None:
        return values
    outside = scale.outside(values)
    if outside.any():
        row = int(np.flatnonzero(outside)[0])
        raise cells.at(row).error(
            f"column {cells.column(row)!r}: found {values[row]:g}, "
            f"expected {scale.expected}; mend the value or declare another scale"
        )
    return scale.normalise(values)


def table_of(given: Given) -> Table:
    """Return the table in a file, of any tool, or in a data frame.

    Raises
    ------
    NbykError
        As `read_ratings`, or if a maker's reader is not installed or cannot read its file.
    """
    if isinstance(given, Table):
        return given
    if _is_frame(given):
        return _frame(given)
    recording = recorded_at(given)
    suffix = Path(given).suffix.lower()
    if recording is None and suffix == ".json":
        content = json_content(given)
        recording = recorded_in(content)
        listed = columns_of_objects(content)
        if recording is None and listed is not None:
            recording = Recording("", listed, {})
        if recording is None:
            raise NbykError(
                "is JSON, but not of a tool that nbyk knows (docs/formats.md); expected a list "
                "of objects "
                'such as {"item": "a", "rater": "r1", "value": 1}',
                file=given,
            )
    if recording is not None:
        return _recorded(given, recording)
    if suffix not in TABLE_SUFFIXES:
        raise unknown_suffix(given, (*TABLE_SUFFIXES, *NAMELESS_SUFFIXES, *_MADE))
    return read_table(given)


def _table_cells(
    table: Table, columns: Columns, layout: Layout, mending: Mending, *, named: bool
) -> tuple[Entries, bool]:
    """Return the ratings of a table, and whether equal raters in it are one rater.

    `named` means that the user named the column of ratings.
    """
    item, rater, value = columns.item, columns.rater, columns.value
    is_long = layout == "long" or bool(table.roles)
    if not (is_long or (layout == "auto" and (value in table.names or rater in table.names))):
        return wide_cells(
            table,
            columns,
            guessed=layout == "auto",
            may_repeat=mending.on_duplicates != "refuse",
            may_be_unrated=mending.on_empty == "drop",
        ), True
    if rater == "rater" and rater not in table.names and item in table.names and value in table.names:
        others = set(table.names) - {item, value, columns.cluster}
        ids = as_ids(table, item, table.column(item, ""))
        # The table has one score per item, unless further columns could be raters' or an item repeats.
        if len(set(ids)) == len(ids):
            if not (value == "value" or named or not others):
                raise table.place.error(
                    f"each item is on one row, with the columns {', '.join(table.names)}; say "
                    f"which one holds the scores with `value`, as in {value}, or which one holds the raters "
                    "with `rater`"
                )
            columns = replace(columns, rater=None)
    return long_cells(table, columns), columns.rater is not None


def _recorded(path: str | os.PathLike[str], recording: Recording) -> Table:
    columns = tuple(list(column) for column in recording.columns.values())
    n_rows = len(columns[0]) if columns else 0
    if not n_rows:
        raise NbykError(
            f"is {recording.maker or 'a list'} without rows; expected at least one rating", file=path
        )
    names = tuple(map(str, recording.columns))
    numbers = range(1, n_rows + 1) if recording.numbers is None else recording.numbers
    rows = DataRows(DataPlace(path), recording.unit, numbers)
    return Table(rows, names, columns, recording.roles, recording.scores)


def _is_frame(given: Given) -> bool:
    """Return whether something is a data frame; no library of frames is loaded to tell that a path is not."""
    if isinstance(given, str | os.PathLike | Table):
        return False
    import narwhals.stable.v1 as nw

    try:
        nw.from_native(given, eager_only=True)
    except TypeError:
        raise NbykError(
            f"found {type(given).__name__}, expected a path or a data frame of pandas, polars or pyarrow"
        ) from None
    return True


def _frame(given: Given) -> Table:
    import narwhals.stable.v1 as nw

    frame = nw.from_native(given, eager_only=True)
    columns: Sequence[Any] = [frame[name].to_list() for name in frame.columns]
    if not len(frame):
        raise NbykError("has no rows; expected at least one rating per row", name="the data frame")
    rows = DataRows(DataPlace(name="the data frame"), "row", range(len(frame)))
    return Table(rows, tuple(frame.columns), tuple(columns))
