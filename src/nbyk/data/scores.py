"""Plain scores of systems, one per run or per item: paired by ids, by their order, or not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.data.cells import union
from nbyk.data.columns import KNOWN_NAMES, RUN_NAMES, Columns, notes_on_summaries, run_word
from nbyk.data.columns import recognised as recognised_in
from nbyk.data.kinds import headless
from nbyk.data.layouts import Entries, Mending, as_ids, refuse_repeated, without_duplicates, without_empty
from nbyk.data.ratings import ordered_ids, rows_of
from nbyk.data.scales import Interval
from nbyk.data.systems import ItemIds, OnMissing, Systems, common_items
from nbyk.data.tables import Table
from nbyk.data.text import notes_on_look_alikes, some
from nbyk.data.units import VECTOR
from nbyk.errors import DataPlace, NbykError, argument_with
from nbyk.words import listed

Floats = NDArray[np.float64]


MOST_RUNS = 30
"""More plain numbers, as many of each system, are answers to items."""

TAKEN_AS_SCORES = (
    "each number was taken for the score of a run; if they are answers to the same items, say "
    '`kind="numbers"`'
)


def are_scores(systems: Any) -> bool:
    """Return whether two systems or more have plain numbers that are scores of runs, as files of such are.

    They are rows of numbers without ids, few of each system or not as many of each, and not all 0 or 1.
    """
    if not isinstance(systems, Mapping | list | tuple) or len(systems) < 2:
        return False
    rows = [*(systems.values() if isinstance(systems, Mapping) else systems)]
    if not all(map(_is_plain, rows)):
        return False
    lengths = {len(row) for row in rows}
    if max(lengths) > MOST_RUNS and len(lengths) == 1:
        return False
    cells = [cell for row in rows for cell in row]
    return all(isinstance(cell, Real) for cell in cells) and not {float(cell) for cell in cells} <= {0.0, 1.0}


def _is_plain(given: Any) -> bool:
    """Return whether one thing after the other is given, without names."""
    index = getattr(given, "index", None) if hasattr(given, "to_numpy") else None
    has_ids = index is not None and type(index).__name__ != "RangeIndex"
    is_row = hasattr(given, "__len__") and getattr(given, "ndim", 1) == 1
    return is_row and not has_ids and not isinstance(given, str | bytes | Mapping | np.ma.MaskedArray)


def read_scores(
    tables: Mapping[str, tuple[Table | None, Columns]],
    mending: Mending,
    on_missing: OnMissing,
    paired: bool | None,
) -> Systems:
    """Return the scores in the tables of systems; the other arguments are those of `read_systems`."""
    ids: dict[str, ItemIds] = {}
    scores: dict[str, Floats] = {}
    rows: list[Sequence[str]] = []
    is_one_table = len({table.place for table, _ in tables.values() if table}) == 1
    notes: list[str] = []
    recognised: dict[str, str] = {}
    columns_of: dict[str, dict[str, None]] = {}
    for name, (table, columns) in tables.items():
        if table is None:
            raise NbykError("holds ratings with raters, expected scores of runs; give a table", name=name)
        cells = _score_cells(table, columns, by_runs=bool(paired))
        said = ""
        if mending.on_empty == "drop":
            cells, said = without_empty(cells, mending, "a finite number")
        way_out = "leave out a run that failed (of all systems, if they are paired)"
        cells, scores[name], averaged = without_duplicates(cells, cells.numbers("score", way_out), mending)
        refuse_repeated(
            table,
            cells.items,
            "; expected one score per item: average them, choose with `on_duplicates` first, last or mean, "
            "or compare several runs on the same items with `nbyk compare`",
            cells.rows,
        )
        found = cells.columns
        if not table.nameless and (not cells.has_ids or (found.item, found.value) != ("item", "value")):
            what = "runs" if run_word(found.item) else "items"
            items_said = f"{what} = {found.item} ({len(cells.items)}), " if cells.has_ids else ""
            about = f"; {table.about}" if table.about else ""
            values = columns_of.setdefault(str(table.place), {})
            values[found.value] = None
            recognised[str(table.place)] = f"{items_said}values = {listed([*values])}{about}"
        rows.append(cells.items if cells.has_ids else cells.raters)
        place = DataPlace(name=name) if is_one_table else table.place
        ids[name] = ItemIds(place, cells.items, not cells.has_ids)
        notes += [*(f"{table.place}: {note}" for note in table.notes), *filter(None, (said, averaged))]
    with_ids = [of for of in ids.values() if not of.nameless]
    without = [of for of in ids.values() if of.nameless]
    if paired is None and with_ids and without:
        notes.append(
            f"{with_ids[0].place} names the items of its scores and {without[0].place} does not, so nbyk "
            "does not pair them"
        )
    notes += notes_on_look_alikes({"items": union([of.ids for of in with_ids]), "systems": scores})
    notes += notes_on_summaries("item or run", chain.from_iterable(rows))
    paired = not without if paired is None else paired
    items: Sequence[str] = ()
    dropped: dict[str, int] = {}
    if paired and not without:
        items = ordered_ids(common_items(with_ids, on_missing, ", or test without pairs with `paired=False`"))
        scores = {name: of[rows_of(ids[name].ids, items)] for name, of in scores.items()}
        dropped = {str(of.place): len(of.ids) - len(items) for of in with_ids if len(of.ids) > len(items)}
    elif paired:
        _refuse_unequal(list(ids.values()), with_ids, without)
    notes += [
        f"the scores of {name} and {other} are the same: are they two files of one system?"
        for (name, of), (other, same) in combinations(scores.items(), 2)
        if np.array_equal(of, same)
    ]
    units = dict.fromkeys(scores, VECTOR)
    return Systems(
        items,
        None,
        scores,
        Interval(0.0, 1.0),
        dropped,
        tuple(notes),
        units,
        None,
        recognised=recognised,
        kind="scores",
        paired=paired,
    )


def _score_cells(table: Table, asked: Columns, *, by_runs: bool) -> Entries:
    """Return the scores in a table, one a row, and the ids of items, or of runs to pair by, if any."""
    if table.nameless:
        if table.array is not None and table.array.ndim != 1:
            raise table.place.error(
                f"found an array of shape {table.array.shape}, expected (n,); save one system's alone"
            )
        if table.array is not None and not len(table.array):
            raise table.place.error("the array is empty; expected a score of each run or item")
        if table.array is None and len(table.names) > 1:
            raise headless(table)
        found = list(table.columns[0]) if table.array is None else table.array.tolist()
        rows = range(len(found))
        return Entries(list(map(str, rows)), ["1"] * len(found), found, rows, table, "score")
    named = asked.item != "item"
    value = _score_column(table, asked)
    found = recognised_in(table, replace(asked, rater=None, value=value))
    runs = [name for name in table.names if name.lower() in RUN_NAMES and name != value]
    has_ids = named or found.item in table.names
    scores = table.column(value, "name the column of the scores with `value`")
    names = ["1"] * len(scores)
    items: Sequence[str]
    if by_runs and runs and not has_ids:
        every = (as_ids(table, name, table.column(name, "")) for name in runs)
        items = [", ".join(ids) for ids in zip(*every, strict=True)]
        found = replace(found, item=runs[0])
    elif not has_ids:
        _refuse_repeated_runs(table)
        items = list(map(str, range(len(scores))))
        names = list(map(str, table.column(runs[0], ""))) if runs else names
    else:
        hint = "name it with `item`, or leave `item` out if no ids pair the scores"
        items = as_ids(table, found.item, table.column(found.item, hint))
    return Entries(items, names, scores, range(len(items)), table, value, found)


def _score_column(table: Table, asked: Columns) -> str:
    """Return the column of scores."""
    if asked.value != "value":
        return asked.value
    ids = {asked.item, *(name for name in table.names if name.lower() in KNOWN_NAMES["item"])}
    others = [name for name in table.names if name not in ids]
    usual = [name for name in others if name.lower() in ("value", *KNOWN_NAMES["value"])]
    beside_runs = [name for name in others if name.lower() not in RUN_NAMES]
    for names in (others, usual, beside_runs):
        if len(names) == 1:
            return names[0]
    found = f"columns {some(others)}" if others else f"no column beside {table.names[0]!r}"
    raise table.place.error(
        f"found {found}, expected one of scores; name it, as in "
        f"{argument_with('value', others[-1] if others else 'score')}"
    )


def _refuse_repeated_runs(table: Table) -> None:
    """Raise NbykError if a run or a rater comes twice: then rows are responses to items, no scores."""
    for name in table.names:
        if name.lower() in KNOWN_NAMES["rater"]:
            counts = Counter(map(str, table.column(name, "")))
            run, times = counts.most_common(1)[0] if counts else ("", 0)
            if times > 1:
                raise table.place.error(
                    f"found {times} scores of {name} {run} and no column of items; if the rows are responses "
                    "to items, add their column, or name it with `item`; if each is a run, give each a "
                    f"{name} of its own"
                )


def _refuse_unequal(ids: Sequence[ItemIds], with_ids: Sequence[ItemIds], without: Sequence[ItemIds]) -> None:
    """Raise NbykError if scores cannot be paired by their order."""
    if with_ids:
        raise without[0].place.error(
            f"has no ids of items, and {with_ids[0].place} has; expected them in every file "
            "or in none: add a column item, name it with `item`, or test without pairs with `paired=False`"
        )
    first = ids[0]
    for other in ids[1:]:
        if len(other.ids) != len(first.ids):
            raise other.place.error(
                f"found {len(other.ids)} scores, expected {len(first.ids)} as in "
                f"{first.place}, to pair them by their order: give scores of the same items, or leave "
                "`paired=True` out and choose an unpaired test"
            )
