"""Plain scores of systems, one per run or per item: from files of any format to samples or matched pairs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.data.alignment import differing_items
from nbyk.data.given_systems import named_systems
from nbyk.data.layouts import as_ids, as_numbers, numeric_array
from nbyk.data.ratings import ordered_ids
from nbyk.data.rows import DataRows
from nbyk.data.systems import OnMissing
from nbyk.data.tables import DELIMITERS, TABLE_SUFFIXES, Table, read_table, unknown_suffix
from nbyk.data.text import cells_of_lines, columns_of_objects, json_content, shown, text_lines
from nbyk.errors import DataPlace, NbykError
from nbyk.words import listed

Floats = NDArray[np.float64]

SCORE_SUFFIXES = (".txt", *TABLE_SUFFIXES, ".json", ".npy")

_ITEM = "item"
_VALUES = ("score", "value")
_NO_ITEMS = "name it with `item`, or leave `item` out if no ids pair the scores"
_LISTED = 8


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores in one file.

    Attributes
    ----------
    path
        The file.
    values : ndarray, shape (n,)
        The scores, finite, in the file's order.
    items
        The id of each score's item, all different; None if the file has no ids.
    """

    path: str
    values: Floats
    items: tuple[str, ...] | None


@dataclass(frozen=True, eq=False)
class ScoreSet:
    """The scores of two systems or more.

    Attributes
    ----------
    scores
        Each system's scores by its name, in the order given.
    paired
        Whether score i of every system belongs to the same item or run. All systems then have equally many
        scores.
    items
        Ids of the items that pair the scores, in their order; None if scores are paired by their order, or
        not at all.
    notes
        Warnings about things that are allowed but seldom meant, a sentence each.
    """

    scores: Mapping[str, Floats]
    paired: bool
    items: tuple[str, ...] | None
    notes: tuple[str, ...]


def read_score_set(
    systems: Mapping[str, str | os.PathLike[str]] | Sequence[str | os.PathLike[str]],
    *,
    value: str | None = None,
    item: str | None = None,
    paired: bool | None = None,
    on_missing: OnMissing = "refuse",
) -> ScoreSet:
    """Read the scores of two systems or more.

    Parameters
    ----------
    systems
        Files by the system's name, or arguments in a form that `named_systems` takes.
    value, item
        Columns, as for `read_scores`.
    paired
        Whether scores are paired: by ids of items if every file has them, else by their order. None pairs
        them if every file has ids.
    on_missing
        How to treat items that not all files have: "refuse", or "drop" them.

    Raises
    ------
    NbykError
        If there are fewer than two systems, a file cannot be read, or scores cannot be paired as asked.
    """
    named = systems if isinstance(systems, Mapping) else named_systems(systems)
    if len(named) < 2:
        raise NbykError(f"found {len(named)} file(s) of scores, expected at least two systems; give another")
    read = {name: read_scores(path, value=value, item=item) for name, path in named.items()}
    with_ids = [scores for scores in read.values() if scores.items is not None]
    notes = list(_notes(read))
    if paired is None and with_ids and len(with_ids) < len(read):
        without = next(scores for scores in read.values() if scores.items is None)
        notes.append(
            f"{with_ids[0].path} names the items of its scores and {without.path} does not, so nbyk does not "
            "pair them"
        )
    if not (len(with_ids) == len(read) if paired is None else paired):
        return ScoreSet({name: scores.values for name, scores in read.items()}, False, None, tuple(notes))
    if len(with_ids) == len(read):
        items = ordered_ids(_common_items(list(read.values()), on_missing))
        matched = {name: _in_order(scores, items) for name, scores in read.items()}
        n_dropped = max(len(scores.values) for scores in read.values()) - len(items)
        if n_dropped:
            dropped = "an item was" if n_dropped == 1 else f"up to {n_dropped} items of a system were"
            notes.append(f"{dropped} dropped: not every system has a score there")
        return ScoreSet(matched, True, items, tuple(notes))
    _refuse_unequal(list(read.values()), with_ids)
    return ScoreSet({name: scores.values for name, scores in read.items()}, True, None, tuple(notes))


def read_scores(path: str | os.PathLike[str], *, value: str | None = None, item: str | None = None) -> Scores:
    """Read the scores of one system.

    Parameters
    ----------
    path
        Text with a number per line (.txt); a table (.csv, .tsv, .jsonl, .ndjson, .parquet); a flat array
        (.npy); or JSON: a list of numbers or of objects, an object from ids to numbers, or one from names of
        columns to lists.
    value
        The column of the scores. By default the only one beside the items', or else "score" or "value".
    item
        The column of the items' ids. By default "item", if there is one.

    Raises
    ------
    NbykError
        If the file is missing or unreadable, it is unclear which column holds the scores, a score is not a
        finite number, there are no scores, or an item has two.
    """
    suffix = Path(path).suffix.lower()
    if suffix == ".npy":
        table = _array_table(path)
    elif suffix == ".txt":
        table = _text_table(path)
    elif suffix == ".json":
        table = _json_table(path)
    elif suffix in DELIMITERS:
        table = _delimited_table(path)
    elif suffix in TABLE_SUFFIXES:
        table = read_table(path)
    else:
        raise unknown_suffix(path, SCORE_SUFFIXES)
    column, ids = _columns(table, value, item)
    cells = table.column(column, "name the column of the scores with `value`")
    values = _finite(table, column, cells)
    if ids is None:
        return Scores(str(path), values, None)
    items = as_ids(table, ids, table.column(ids, _NO_ITEMS))
    _refuse_repeated(table, items)
    return Scores(str(path), values, tuple(items))


def _columns(table: Table, value: str | None, item: str | None) -> tuple[str, str | None]:
    """Return the column of the scores, and that of the items, if any."""
    if item is not None:
        table.column(item, _NO_ITEMS)
    ids = item if item is not None else (_ITEM if _ITEM in table.names and value != _ITEM else None)
    if value is not None:
        return value, ids
    others = [name for name in table.names if name != ids]
    if len(others) == 1:
        return others[0], ids
    usual = [name for name in _VALUES if name in others]
    if len(usual) == 1:
        return usual[0], ids
    listed = ", ".join(map(repr, others[:_LISTED])) + (", …" if len(others) > _LISTED else "")
    found = f"columns {listed}" if others else f"no column beside {ids!r}"
    raise table.place.error(
        f"found {found}, expected one of scores; name it with `value`, as in "
        f"{others[-1] if others else 'score'}"
    )


def _finite(table: Table, column: str, cells: Sequence[Any]) -> Floats:
    values = as_numbers(cells)
    wrong = np.flatnonzero(~np.isfinite(values))
    if wrong.size:
        row, found = int(wrong[0]), cells[int(wrong[0])]
        empty = found is None or (isinstance(found, str) and not found.strip())
        named = f"column {column!r}: " if len(table.names) > 1 else ""
        raise table.at(row).error(
            f"{named}found {'no score' if empty else shown(found)}, expected a finite "
            "number; mend it, or leave out a run that failed (of all systems, if they are paired)"
        )
    return values


def _refuse_repeated(table: Table, items: Sequence[str]) -> None:
    first: dict[str, int] = {}
    for row, name in enumerate(items):
        if first.setdefault(name, row) != row:
            raise table.at(row).error(
                f"item {name!r} already has a score on {table.rows.shown(first[name])}; "
                "expected one per item: average them, or compare several runs "
                "on the same items with `nbyk compare`"
            )


def _delimited_table(path: str | os.PathLike[str]) -> Table:
    """Return the table in a CSV or TSV file; a file of one column needs no header."""
    first = next((line for line in text_lines(path) if line.strip()), "")
    cells = first.strip().split(DELIMITERS[Path(path).suffix.lower()])
    if not all(map(_is_number, cells)):
        return read_table(path)
    if len(cells) == 1:
        return _text_table(path)
    raise NbykError(
        f"the first line holds numbers alone ({', '.join(cells[:_LISTED])}), expected the columns' "
        "names; add a header",
        file=path,
    )


def _is_number(cell: str) -> bool:
    try:
        float(cell.strip('"'))
    except ValueError:
        return False
    return True


def _text_table(path: str | os.PathLike[str]) -> Table:
    cells = cells_of_lines(path, "score")
    return Table(DataRows(DataPlace(path), "line", range(1, len(cells) + 1)), ("score",), (cells,))


def _array_table(path: str | os.PathLike[str]) -> Table:
    array = numeric_array(path)
    if array.ndim != 1:
        raise NbykError(
            f"found an array of shape {array.shape}, expected (n,); save one system's alone", file=path
        )
    if not len(array):
        raise NbykError("the array is empty; expected a score of each run or item", file=path)
    return Table(DataRows(DataPlace(path), "row", range(len(array))), ("score",), (array.tolist(),))


def _json_table(path: str | os.PathLike[str]) -> Table:
    content = json_content(path)
    columns: dict[str, list[Any]]
    if isinstance(content, dict) and any(isinstance(cell, list) for cell in content.values()):
        columns = {name: cells for name, cells in content.items() if isinstance(cells, list)}
        lengths = {name: len(cells) for name, cells in columns.items()}
        if len(set(lengths.values())) > 1:
            found = ", ".join(f"{n} of {name!r}" for name, n in lengths.items())
            raise NbykError(f"found {found}; expected as many entries in each list", file=path)
    elif isinstance(content, dict):
        columns = {_ITEM: list(content), "score": list(content.values())}
    elif isinstance(content, list):
        of_objects = columns_of_objects(content)
        columns = {"score": content} if of_objects is None else of_objects
    else:
        raise NbykError(
            f"found {shown(content)}, expected a list of scores, as in [0.71, 0.74], or an "
            "object from ids to scores",
            file=path,
        )
    n = len(next(iter(columns.values()), []))
    if not n:
        raise NbykError("holds no scores; expected one of each run or item", file=path)
    return Table(DataRows(DataPlace(path), "entry", range(n)), tuple(columns), tuple(columns.values()))


def _common_items(read: Sequence[Scores], on_missing: OnMissing) -> tuple[str, ...]:
    """Return the items that all files have."""
    first, *others = read
    wanted = first.items or ()
    differing = [scores for scores in others if set(scores.items or ()) != set(wanted)]
    if not differing:
        return wanted
    common = set(wanted).intersection(*(scores.items or () for scores in others))
    if on_missing == "refuse":
        way_out = (
            "give all files the same items, keep those in all of them with `on_missing` drop, or"
            if common
            else "no item is in all files: check that the ids are of the same items and written alike, or"
        )
        read_items = [(DataPlace(scores.path), scores.items or ()) for scores in differing]
        raise differing_items(
            read_items, DataPlace(first.path), wanted, f"; {way_out} test without pairs with `paired=False`"
        )
    if not common:
        raise NbykError(
            f"has no item in common with {listed([scores.path for scores in others])}; check that the ids "
            "are of the same items and written alike, or test without pairs with `paired=False`",
            file=first.path,
        )
    return tuple(name for name in wanted if name in common)


def _in_order(scores: Scores, items: tuple[str, ...]) -> Floats:
    row_of = {name: row for row, name in enumerate(scores.items or ())}
    return scores.values[[row_of[name] for name in items]]


def _refuse_unequal(read: Sequence[Scores], with_ids: Sequence[Scores]) -> None:
    """Raise NbykError if scores cannot be paired by their order."""
    if with_ids:
        without = next(scores for scores in read if scores.items is None)
        raise NbykError(
            f"has no ids of items, and {with_ids[0].path} has; expected them in every file "
            "or in none: add a column item, name it with `item`, or test without pairs with `paired=False`",
            file=without.path,
        )
    first = read[0]
    for scores in read[1:]:
        if len(scores.values) != len(first.values):
            raise NbykError(
                f"found {len(scores.values)} scores, expected {len(first.values)} as in "
                f"{first.path}, to pair them by their order: give scores of the same items, or leave "
                "`paired=True` out and choose an unpaired test",
                file=scores.path,
            )


def _notes(read: Mapping[str, Scores]) -> Iterable[str]:
    """Say which systems have the same scores."""
    for (name, scores), (other, others) in combinations(read.items(), 2):
        if np.array_equal(scores.values, others.values):
            yield f"the scores of {name} and {other} are the same: are they two files of one system?"
