"""BooStSa's outcomes.json, read and written: all input of BooStSa, condition by condition."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nbyk.data.tables import DataRows
from nbyk.data.text import json_object, shown
from nbyk.errors import DataPlace, NbykError
from nbyk.files import write_text
from nbyk.labels.designs.columns import Array, LabelColumn, check_items, kind_of
from nbyk.labels.designs.design import Arm, Condition, Design, LabelRun

_OF_RUNS = ("exp_idxs", "preds", "targs", "idxs")
_KEYS = (*_OF_RUNS, "epochs")


def read_outcomes(path: str | os.PathLike[str]) -> Design:
    """Read an ``outcomes.json`` by BooStSa 0.2.13 or `write_outcomes`.

    Raises
    ------
    NbykError
        If the file is missing, not JSON, or has another layout; the message names the condition, the key, the
        run (from 0) and the row (from 0).
    """
    content = json_object(path)
    if not content:
        raise NbykError(
            "is empty; expected a control with its targets, predictions and treatments", file=path
        )
    arms = []
    for name, entry in content.items():
        control = _condition(path, name, entry, name, (*_KEYS, "h1"))
        treatments = entry["h1"]
        if not isinstance(treatments, dict):
            raise NbykError(f"{name}.h1: found {shown(treatments)}; expected treatments by name", file=path)
        of_control = [
            _condition(path, each, found, f"{name}.h1.{each}", _KEYS) for each, found in treatments.items()
        ]
        arms.append(Arm(control, tuple(of_control)))
    every = [run for arm in arms for run in arm.runs]
    kinds = {kind_of(column.values): column for run in every for column in (run.target, run.prediction)}
    if len(kinds) > 1:
        raise NbykError(
            f"{kinds['soft'].place.name} has rows of probabilities, {kinds['hard'].place.name} single "
            "labels; expected one kind in a file",
            file=path,
        )
    return Design(next(iter(kinds)), tuple(arms))


def write_outcomes(design: Design, path: str | os.PathLike[str]) -> None:
    """Write a design in the layout of BooStSa's ``outcomes.json``, which its `loadjson` reads.

    A file by BooStSa gives the same bytes again; whole numbers and decimals stay as they were. Classes and
    ids that are whole numbers are written as whole numbers.

    Raises
    ------
    NbykError
        If the file cannot be written.
    """
    content = {
        arm.control.name: {
            **_written(arm.control),
            "h1": {each.name: _written(each) for each in arm.treatments},
        }
        for arm in design.arms
    }
    write_text(path, json.dumps(content))


def _condition(
    path: str | os.PathLike[str], name: str, entry: Any, key: str, keys: Sequence[str]
) -> Condition:
    if not isinstance(entry, dict):
        raise NbykError(f"{key}: found {shown(entry)}; expected an object with {', '.join(keys)}", file=path)
    for wanted in keys:
        if wanted not in entry:
            raise NbykError(f"{key}: has no {wanted!r}; expected {', '.join(keys)}", file=path)
    for found in entry:
        if found not in keys:
            raise NbykError(f"{key}: unknown key {found!r}; expected {', '.join(keys)}", file=path)
    for each in _KEYS:
        if not isinstance(entry[each], list):
            raise NbykError(
                f"{key}.{each}: found {shown(entry[each])}; expected a list, one per run", file=path
            )
    counts = {each: len(entry[each]) for each in _OF_RUNS}
    if len(set(counts.values())) > 1:
        found = ", ".join(f"{count} {each}" for each, count in counts.items())
        raise NbykError(f"{key}: found {found}; expected as many of each, one per run", file=path)
    if not entry["preds"]:
        raise NbykError(f"{key}: has no runs; feed at least one, or delete the condition", file=path)
    runs = tuple(_run(path, entry, key, number) for number in range(len(entry["preds"])))
    for epochs in entry["epochs"]:
        if isinstance(epochs, bool) or not isinstance(epochs, int | float):
            raise NbykError(f"{key}.epochs: found {shown(epochs)}; expected numbers", file=path)
    return Condition(name, runs, tuple(entry["epochs"]))


def _run(path: str | os.PathLike[str], entry: Mapping[str, Any], key: str, number: int) -> LabelRun:
    places = {
        each: DataRows(DataPlace(path, name=f"{key}.{each}[{number}]")) for each in ("preds", "targs", "idxs")
    }
    arrays = {each: _array(rows, entry[each][number]) for each, rows in places.items()}
    items = arrays["idxs"]
    if items.ndim != 1:
        raise places["idxs"].error(f"found {items.shape[1]} ids per row; expected one, as in [[0], [1]]")
    check_items(items.tolist(), places["idxs"].at)
    lengths = {each: len(array) for each, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{length} {each}" for each, length in lengths.items())
        raise NbykError(f"{key}, run {number}: found {found}; expected as many of each", file=path)
    name = entry["exp_idxs"][number]
    if name is not None and (isinstance(name, bool) or not isinstance(name, str | int)):
        raise NbykError(f"{key}.exp_idxs[{number}]: found {shown(name)}; expected text or null", file=path)
    prediction, target = (LabelColumn(arrays[each], places[each], items=items) for each in ("preds", "targs"))
    return LabelRun(name, prediction, target)


def _array(place: DataRows, rows: Any) -> Array:
    """Return the rows as an array: shape (N,) if rows have one cell, else (N, C) of numbers."""
    if not isinstance(rows, list) or not rows:
        raise place.error(f"found {shown(rows)}; expected rows, as in [[0], [1]]")
    width = len(rows[0]) if isinstance(rows[0], list) else 0
    for row, cells in enumerate(rows):
        if not isinstance(cells, list) or not cells or len(cells) != width:
            raise place.at(row).error(
                f"found {shown(cells)}; expected a list"
                + (f" of {width}, as the first" if width else ", as in [[0], [1]]")
            )
    if width > 1:
        for row, cells in enumerate(rows):
            for cell in cells:
                large = isinstance(cell, int) and abs(cell) >= 2**63
                if large or isinstance(cell, bool) or not isinstance(cell, int | float | None):
                    raise place.at(row).error(f"found {shown(cell)}; expected probabilities, numbers")
        whole = all(isinstance(cell, int) for cells in rows for cell in cells)
        return np.array(rows, dtype=np.int64 if whole else np.float64)
    flat = [cells[0] for cells in rows]
    for row, cell in enumerate(flat):
        if isinstance(cell, str) and "\0" in cell:
            raise place.at(row).error(f"found {shown(cell)}; expected text without NUL")
    if set(map(type, flat)) in ({int}, {float}):
        return np.array(flat)
    mixed = np.empty(len(flat), dtype=object)
    mixed[:] = flat
    return mixed


def _written(condition: Condition) -> dict[str, Any]:
    return {
        "exp_idxs": [run.name for run in condition.runs],
        "preds": [_rows(run.prediction.values) for run in condition.runs],
        "targs": [_rows(run.target.values) for run in condition.runs],
        "idxs": [_rows(_ids(run)) for run in condition.runs],
        "epochs": list(condition.epochs),
    }


def _ids(run: LabelRun) -> Array:
    for column in (run.target, run.prediction):
        if column.items is not None:
            return column.items
    return np.arange(len(run.target))


def _rows(values: Array) -> list[list[Any]]:
    cells = values.tolist()
    if values.ndim == 2:
        return cells  # type: ignore[no-any-return]
    if all(isinstance(cell, str) and _is_whole(cell) for cell in cells):
        cells = list(map(int, cells))
    return [[cell] for cell in cells]


def _is_whole(text: str) -> bool:
    """Return whether text is a whole number as Python writes it: "007" is not."""
    return len(text) < 19 and text.lstrip("-").isdecimal() and str(int(text)) == text
