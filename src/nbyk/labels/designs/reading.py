"""Reading hard and soft labels from files: text, CSV, TSV, JSON lines, Parquet and NumPy arrays."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from nbyk.data.arrays import ARRAY_SUFFIXES, load_array
from nbyk.data.columns import known_names
from nbyk.data.kinds import probabilities
from nbyk.data.tables import DELIMITERS, JSON_LINES, DataRows, Table, is_number, read_table, unknown_suffix
from nbyk.data.text import shown, text_lines
from nbyk.errors import DataPlace, NbykError
from nbyk.labels.designs.columns import Array, LabelColumn, check_items
from nbyk.metrics.label_scores import Kind

TYPED_SUFFIXES = (*JSON_LINES, ".parquet")
LABEL_SUFFIXES = (".txt", *DELIMITERS, *TYPED_SUFFIXES, *ARRAY_SUFFIXES)

ITEM, LABEL = "item", "label"
"""Column names, in files with a header."""

_Rows = list[tuple[int, list[str]]]


def read_labels(path: str | os.PathLike[str], kind: Kind) -> LabelColumn:
    """Read the labels in a file; its suffix gives the format.

    ``.txt`` holds a label per line, or probabilities with commas, tabs or spaces between. ``.csv`` and
    ``.tsv`` hold one label, or a row of probabilities, per line; a header may name the columns: `label` and
    `item` of hard labels, the classes and `item` of soft ones. ``.jsonl`` and ``.parquet`` have a column
    `label`, of text or whole numbers, or of lists of probabilities or objects with one per class, and may
    have `item`. ``.npy`` and ``.npz`` hold one array, (N,) or (N, 1) of hard labels, (N, C) of soft ones.
    The column of items may also have another of the known names (`nbyk.data.columns.KNOWN_NAMES`), such as
    `id`. Files without it are matched row by row, so nothing but labels may then be in them.

    Parameters
    ----------
    path
        The file.
    kind
        "hard" or "soft": the expected kind of labels.

    Raises
    ------
    NbykError
        If the file is missing, unreadable, of an unknown suffix or empty, holds the other kind of labels
        or none at all, or has other columns and none of items; the message names the line or row.
    """
    suffix = Path(path).suffix.lower()
    if suffix in ARRAY_SUFFIXES:
        return _of_array(path, load_array(path), kind)
    if suffix in TYPED_SUFFIXES:
        table = read_table(path)
        if LABEL in table.names:
            _item_beside_label(path, table.names)
        return column_of(table, LABEL, kind, table.rows)
    if suffix not in LABEL_SUFFIXES:
        raise unknown_suffix(path, LABEL_SUFFIXES)
    rows = list(_rows(path, suffix, kind))
    if not rows:
        raise NbykError("is empty; expected one label, or one row of probabilities, per line", file=path)
    return _hard_rows(path, rows) if kind == "hard" else _soft_rows(path, rows)


def column_of(table: Table, column: str, kind: Kind, rows: DataRows) -> LabelColumn:
    """Return the labels in a column of a table, and its items if a column names them (`read_labels`).

    Parameters
    ----------
    table
        The table.
    column
        The column's name.
    kind
        "hard" or "soft"; soft labels are lists, or objects with a number per class.
    rows
        The places of the labels in an error.

    Raises
    ------
    NbykError
        If there is no such column, or its cells are not such labels.
    """
    cells = table.column(column, "name the column that holds the labels")
    items = None
    of_items = _item_name(table.place, [other for other in table.names if other != column])
    if of_items is not None:
        ids = table.column(of_items, "")
        check_items(ids, table.at)
        items = np.array(ids, dtype=object)
    if kind == "soft":
        shares, classes = probabilities(cells, table.at)
        return LabelColumn(shares, rows, items, classes)
    labels = np.empty(len(cells), dtype=object)
    labels[:] = cells
    return LabelColumn(labels, rows, items).as_text()


def _of_array(path: str | os.PathLike[str], array: Array, kind: Kind) -> LabelColumn:
    if array.size == 0:
        raise NbykError("the array is empty; expected labels of at least two items", file=path)
    if kind == "hard" and array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != (1 if kind == "hard" else 2):
        shape = " × ".join(map(str, array.shape))
        wanted = "(N,): one label per item" if kind == "hard" else "(N, C): a row of probabilities per item"
        raise NbykError(f"found an array of {shape}, expected {kind} labels, {wanted}", file=path)
    if kind == "soft" and array.dtype.kind not in "biuf":
        raise NbykError(f"found an array of {array.dtype}, expected probabilities: numbers", file=path)
    column = LabelColumn(array, DataRows(DataPlace(path)))
    return column.as_text() if kind == "hard" else column


def _rows(path: str | os.PathLike[str], suffix: str, kind: Kind) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the fields of each line, except empty lines at the end."""
    skipped: list[int] = []
    for number, fields in _split(path, suffix, kind):
        if not any(field.strip() for field in fields):
            skipped.append(number)
            continue
        if skipped:
            raise NbykError(
                "is empty, expected a label; mend it, or leave the item out of all files",
                file=path,
                row=skipped[0],
            )
        yield number, [field.strip() for field in fields]


def _split(path: str | os.PathLike[str], suffix: str, kind: Kind) -> Iterator[tuple[int, list[str]]]:
    if suffix == ".txt":
        for number, line in enumerate(text_lines(path), start=1):
            yield number, [line] if kind == "hard" else line.replace(",", " ").split()
        return
    reader = csv.reader(text_lines(path), delimiter=DELIMITERS[suffix], strict=True)
    begins = 1
    try:
        for fields in reader:
            yield begins, fields
            begins = reader.line_num + 1
    except csv.Error as error:
        raise NbykError(f"cannot be split into fields ({error}); mend it", file=path, row=begins) from None


def _hard_rows(path: str | os.PathLike[str], rows: _Rows) -> LabelColumn:
    header = rows[0][1]
    items = of_items = None
    if LABEL in header:
        _check_header(path, header)
        of_items = _item_beside_label(path, header)
        rows = rows[1:]
        if not rows:
            raise NbykError("has a header and no labels; expected one label per line", file=path)
    elif len(header) > 1:
        raise NbykError(
            f"found {len(header)} fields, expected one label per line, or a "
            f"header with columns {LABEL} and {ITEM} (for rows of probabilities declare the kind soft)",
            file=path,
            row=rows[0][0],
        )
    _check_widths(path, rows, len(header))
    if of_items is not None:
        items = _item_column(path, rows, header.index(of_items))
    place = header.index(LABEL) if LABEL in header else 0
    labels = np.array([fields[place] for _, fields in rows], dtype=object)
    return LabelColumn(labels, _lines(path, rows), items).as_text()


def _soft_rows(path: str | os.PathLike[str], rows: _Rows) -> LabelColumn:
    header = rows[0][1]
    items = classes = None
    named = not all(map(is_number, header))
    if named:
        _check_header(path, header)
        rows = rows[1:]
        if not rows:
            raise NbykError("has a header and no labels; expected a row of probabilities per line", file=path)
    _check_widths(path, rows, len(header))
    of_items = _item_name(DataPlace(path), header) if named else None
    if of_items not in (None, ITEM) and _are_probabilities(rows, header.index(str(of_items))):
        of_items = None  # a class may have such a name: "id" is Indonesian
    places = [place for place, name in enumerate(header) if name != of_items]
    if of_items is not None:
        items = _item_column(path, rows, header.index(of_items))
    if named:
        classes = tuple(header[place] for place in places)
    values = np.empty((len(rows), len(places)))
    for row, (number, fields) in enumerate(rows):
        for column, place in enumerate(places):
            if not is_number(fields[place]):
                raise NbykError(
                    f"column {place + 1}: found {shown(fields[place])}, expected a probability: a number "
                    "from 0 to 1",
                    file=path,
                    row=number,
                )
            values[row, column] = float(fields[place])
    return LabelColumn(values, _lines(path, rows), items, classes)


def _item_name(place: DataPlace, names: Sequence[str]) -> str | None:
    """Return the column of items: `item`, or else the one with a known name."""
    if ITEM in names:
        return ITEM
    known = known_names(names, ITEM)
    if len(known) > 1:
        raise place.error(
            f"the columns {' and '.join(known)} could all be the items; rename the right one to {ITEM}"
        )
    return known[0] if known else None


def _item_beside_label(path: str | os.PathLike[str], names: Sequence[str]) -> str | None:
    """Return the column of items; refuse other columns without one: their rows may be in any order."""
    others = [name for name in names if name != LABEL]
    of_items = _item_name(DataPlace(path), others)
    if others and of_items is None:
        raise NbykError(
            f"found {', '.join(map(shown, others))} beside {LABEL}, expected a column of items; "
            f"rename it to {ITEM}, or leave only {LABEL} if all files have their rows in the same order",
            file=path,
        )
    return of_items


def _are_probabilities(rows: _Rows, place: int) -> bool:
    cells = [fields[place] for _, fields in rows]
    return all(is_number(cell) and 0.0 <= float(cell) <= 1.0 for cell in cells)


def _item_column(path: str | os.PathLike[str], rows: _Rows, place: int) -> Array:
    items = [fields[place] for _, fields in rows]
    check_items(items, _lines(path, rows).at)
    # numpy's own text would store all of them with the length of the longest
    return np.array(items, dtype=object)


def _lines(path: str | os.PathLike[str], rows: _Rows) -> DataRows:
    return DataRows(DataPlace(path), "line", [number for number, _ in rows])


def _check_header(path: str | os.PathLike[str], header: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in header:
        if not name or name in seen:
            found = f"{name!r} twice" if name else "a column without a name"
            raise NbykError(f"the header has {found}; name every column, and each once", file=path)
        seen.add(name)


def _check_widths(path: str | os.PathLike[str], rows: _Rows, width: int) -> None:
    for number, fields in rows:
        if len(fields) != width:
            raise NbykError(
                f"found {len(fields)} field{'s' if len(fields) > 1 else ''}, expected "
                f"{width} as in the first line; mend the line",
                file=path,
                row=number,
            )
