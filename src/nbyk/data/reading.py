"""Reading ratings from a file of any format, or from a data frame."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from nbyk.data.arrays import ARRAY_SUFFIXES, as_matrix, filled, load_array, table_of_frame
from nbyk.data.cells import number_cells
from nbyk.data.columns import (
    KNOWN_NAMES,
    LIKE_VALUES,
    ROLE_NAMES,
    Columns,
    known_names,
    refuse_absent_rater,
    run_word,
)
from nbyk.data.containers import (
    is_dataset,
    read_dataset,
    read_parquet,
    read_workbook,
    read_zipped_log,
)
from nbyk.data.exports import json_lines_table, json_table, layout_of
from nbyk.data.kinds import LOOKED_AT, CellKind, NumberKind, kind_of_cells
from nbyk.data.layouts import Entries, Mending
from nbyk.data.lm_eval import SampleChoice, holds_samples, read_samples
from nbyk.data.makers import HASHES
from nbyk.data.ratings import Ratings
from nbyk.data.scales import GivenScale, as_scale
from nbyk.data.tables import (
    DELIMITERS,
    JSON_LINES,
    Table,
    is_number,
    read_delimited,
)
from nbyk.data.text import shown, some, text_lines
from nbyk.errors import DataPlace

Given: TypeAlias = Any
"""A path, a data frame of pandas, polars or pyarrow, or an array of numpy."""


def read_ratings(
    path: Given,
    *,
    item: str = "item",
    rater: str | None = "rater",
    value: str = "value",
    cluster: str | None = None,
    scale: GivenScale | None = None,
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
    return read_alone(NumberKind(as_scale(scale)), path, columns, mending)


def read_alone(kind: CellKind, path: Given, columns: Columns, mending: Mending) -> Ratings:
    """Return ratings of some kind that no others stand beside: `columns` name those of this table."""
    table = table_of(path)
    refuse_absent_rater([table], columns.rater)
    return read_as(kind, table, columns, mending)


def read_as(kind: CellKind, path: Given, columns: Columns, mending: Mending) -> Ratings:
    """Return ratings of some kind; the other arguments and the errors are those of `read_ratings`."""
    cells, values, mended = kind.read(table_of(path), columns, mending)
    clusters = None
    cluster = columns.cluster or cells.columns.cluster
    if cluster is not None:
        clusters = cells.ids(cluster, "rename the column of clusters, or name it with `cluster`")
        if columns.cluster is None and len(set(clusters)) == 1:
            raise cells.table.place.error(
                f"all items are of one {cluster}, {clusters[0]!r}, and say nothing of others; expected two "
                "or more: give a file that has them, or name another column of clusters with `cluster`"
            )
    raters = cells.raters
    if cells.value is None and all(map(str.isdigit, set(raters))):
        raters = [f"column {place}" for place in raters]
    ratings = replace(cells, raters=raters).ratings(values, clusters, kind.fewest_items)
    said = "; ".join(filter(None, (_recognised(cells, ratings, kind, columns), cells.table.about)))
    notes = [type(note)(f"{cells.table.place}: {note}") for note in cells.table.notes]
    if cluster is None:
        unused = [*known_names(cells.table.names, "cluster"), *filter(None, [cells.table.roles.get("task")])]
        notes += [
            f"{cells.table.place}: the column {name!r} is not used, so items of one {name} count as "
            "independent; if they are not, name it as the column of clusters in a comparison, or in a plan "
            "with two systems"
            for name in unused
        ]
    return replace(ratings, recognised=said, mended=(*notes, *mended))


def _recognised(cells: Entries, ratings: Ratings, kind: CellKind, asked: Columns) -> str:
    """Return the columns and their roles in words; "" if they have the names asked for."""
    table, found, known = cells.table, cells.columns, ratings.raters_known
    if table.nameless:
        return ""
    what = "runs" if run_word(found.item) else "items"
    parts = [f"{what} = {found.item} ({ratings.n_items})"] if cells.has_ids else []
    if cells.value is None:
        columns = {*cells.raters}  # whose names may be numbers, which raters do not keep
        names = [name for name in table.names if name in columns]
        names = [*ratings.raters] if columns.isdisjoint(ratings.raters) else names
        count = f" ({len(names)} columns)" if len(names) > 12 else ""
        who = kind.givers if len(names) > 1 else "values"
        used = {found.item, found.cluster} | columns
        unused = [name for name in table.names if name not in used]
        return f"{parts[0]}, {who} = {some(names, str)}{count}{_unused(unused)}"
    unused = []
    if table.roles or (asked.value != "value" and not known):
        unused = [name for name in table.names if name not in (*astuple(found), asked.cluster, *HASHES)]
    rater = found.rater if cells.raters_known else asked.rater
    if replace(found, rater=rater) == asked and asked.value == "value" and not table.roles and not unused:
        return ""
    if found.rater is not None and known:
        parts.append(
            f"{'runs' if run_word(found.rater) else 'raters'} = {found.rater} ({len(ratings.raters)})"
        )
    if ratings.clusters is not None and asked.cluster is None:
        parts.append(f"clusters = {found.cluster} ({len(set(ratings.clusters))})")
    parts.append(f"values = {found.value}")
    return ", ".join(parts) + _unused(unused)


def _unused(names: Sequence[str]) -> str:
    return f"; not used: {some(names, str)}" if names else ""


def reader_of(given: Given) -> Callable[..., Table] | None:
    """Return the reader of a data set's folder, or of logs of lm_eval; None of anything else."""
    if not isinstance(given, str | os.PathLike):
        return None
    return read_dataset if is_dataset(given) else read_samples if holds_samples(given) else None


def is_log(given: Given) -> bool:
    """Return whether a path is a log of lm_eval."""
    return reader_of(given) is read_samples


def table_of(given: Given, samples: SampleChoice | None = None) -> Table:
    """Return the table in a file, of any tool, in a data frame or in an array."""
    if isinstance(given, Table):
        return given
    if isinstance(given, np.ndarray):
        return _array(filled(given), DataPlace(name="the array"))
    if not isinstance(given, str | os.PathLike):
        return table_of_frame(given)
    if reader := reader_of(given):
        return reader(given, samples) if reader is read_samples else reader(given)
    suffix = Path(given).suffix.lower()
    if suffix not in _READERS:
        raise DataPlace(given).error(
            f"unknown suffix {suffix!r}; expected one of {', '.join(_READERS)}: give the file the suffix of "
            "its format, or convert it"
        )
    table = _READERS[suffix](given)
    if table.nameless or table.roles:
        return table
    if suffix not in JSON_LINES and (layout := layout_of([dict.fromkeys(table.names)])):
        first: dict[str, int] = {}
        names = [  # one that comes again has its place
            name if first.setdefault(name, place) == place else f"{name}\n{place}"
            for place, name in enumerate(table.names)
        ]
        cells = zip(*map(table.cells_in, range(len(names))), strict=True)
        rows = [dict(zip(names, row, strict=True)) for row in cells]
        return layout.table(rows, given, table.numbers if table.unit == "line" else None)
    if len(table.names) == 1:
        known, column = table.names[0].strip().lower(), table.cells_in(0)
        are_labels = known in LIKE_VALUES and kind_of_cells(column[:LOOKED_AT]) == "classes"
        if are_labels or known in ("value", *KNOWN_NAMES["value"]):
            return replace(table, nameless=True, columns=(column,))
    return table


def _array(array: np.ndarray[Any, Any], place: DataPlace) -> Table:
    matrix = as_matrix(array, place)
    columns: Sequence[Sequence[Any]]
    if matrix.dtype.kind in "UO":
        columns = matrix.T.tolist()
    else:
        columns = [number_cells(column.astype(np.float64)) for column in matrix.T]
    names = tuple(map(str, range(matrix.shape[1])))
    return Table(place, names, tuple(columns), range(len(matrix)), nameless=True)


def _array_file(path: str | os.PathLike[str]) -> Table:
    return _array(load_array(path), DataPlace(path))


def _lines(path: str | os.PathLike[str]) -> Table:
    lines = [line.strip() for line in text_lines(path)]
    while lines and not lines[-1]:
        lines.pop()
    return Table(DataPlace(path), ("0",), (lines,), range(1, len(lines) + 1), "line", nameless=True)


def _delimited(path: str | os.PathLike[str]) -> Table:
    """Return the table in a CSV or TSV file, which may lack the header."""
    header, columns, numbers = read_delimited(path, DELIMITERS[Path(path).suffix.lower()])
    if not _is_data(path, header, columns):
        return Table(DataPlace(path), tuple(header), columns, numbers, "line")
    first = next(number for number, line in enumerate(text_lines(path), start=1) if line.strip())
    columns = tuple([name, *cells] for name, cells in zip(header, columns, strict=True))
    names = tuple(map(str, range(len(columns))))
    return Table(DataPlace(path), names, columns, [first, *numbers], "line", nameless=True)


def _is_data(path: str | os.PathLike[str], header: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """Return whether the first line is data: numbers alone, or a label among labels that comes again."""
    if all(map(is_number, header)):
        return True
    (name, *others), cells = header, columns[0]
    known = name.strip().lower()
    if others or known in ROLE_NAMES or 2 * sum(map(is_number, cells)) >= len(cells):
        return False
    if (known in LIKE_VALUES) == (name in cells):
        raise DataPlace(path).error(
            f"the first line, {shown(name)}, may be the column's name or a label; write value above it if it "
            "is a label, or in its place"
        )
    return name in cells


_READERS: Mapping[str, Callable[[Any], Table]] = {
    **dict.fromkeys(DELIMITERS, _delimited),
    **dict.fromkeys(JSON_LINES, json_lines_table),
    ".parquet": read_parquet,
    **dict.fromkeys(ARRAY_SUFFIXES, _array_file),
    ".txt": _lines,
    ".json": json_table,
    ".eval": read_zipped_log,
    ".xlsx": read_workbook,
    ".xlsm": read_workbook,
}
"""The reader of a file by its suffix."""
