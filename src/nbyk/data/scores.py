"""Plain scores of systems, one per run or per item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from nbyk.data.arrays import array_of, is_of_pandas
from nbyk.data.columns import ITEM_NAMES, KNOWN_NAMES, Columns, columns_of_values, recognised, run_columns
from nbyk.data.kinds import NumberKind
from nbyk.data.layouts import Entries, Mending, ids_in
from nbyk.data.tables import Table
from nbyk.data.text import some
from nbyk.errors import argument_with

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
    cells = [cell for row in rows for cell in (row if isinstance(row, Sequence) else array_of(row, ""))]
    are_numbers = all(isinstance(cell, Real) and not isinstance(cell, np.timedelta64) for cell in cells)
    return are_numbers and not {float(cell) for cell in cells} <= {0.0, 1.0}


def _is_plain(given: Any) -> bool:
    """Return whether one thing after the other is given, without names."""
    has_ids = is_of_pandas(given) and type(given.index).__name__ != "RangeIndex"
    is_row = hasattr(given, "__len__") and getattr(given, "ndim", 1) == 1
    return is_row and not has_ids and not isinstance(given, str | bytes | Mapping | Set | np.ma.MaskedArray)


class ScoreKind(NumberKind):
    """Scores, one of each run or item; `by_runs` says that runs may pair them."""

    name = "scores"
    fewest_items = 1

    def __init__(self, *, by_runs: bool) -> None:
        super().__init__()
        self.by_runs = by_runs

    def cells(self, table: Table, asked: Columns, mending: Mending) -> Entries:
        """Return the scores in a table, one a row, and the ids of items, or of runs to pair by, if any."""
        if table.nameless:
            if table.unit != "line" and len(table.names) > 1:
                raise table.place.error(
                    f"found {len(table.names)} columns without names, expected one; save one system's alone"
                )
            return super().cells(table, asked, mending)
        value = _score_column(table, asked)
        roles = replace(recognised(table, replace(asked, rater=None, value=value)), cluster=None)
        runs = [name for name in run_columns(table) if name != value]
        has_ids = asked.item != "item" or roles.item in table.names
        scores = table.column(value, "name the column of the scores with `value`")
        names = ["1"] * len(scores)
        items: Sequence[str]
        if self.by_runs and runs and not has_ids:
            every = (ids_in(table, name) for name in runs)
            items = [", ".join(ids) for ids in zip(*every, strict=True)]
            roles = replace(roles, item=runs[0])
        elif not has_ids:
            _refuse_repeated_runs(table)
            items = list(map(str, range(len(scores))))
            names = list(map(str, table.column(runs[0], ""))) if runs else names
        else:
            hint = "name it with `item`, or leave `item` out if no ids pair the scores"
            items = ids_in(table, roles.item, hint)
        return Entries(items, names, scores, range(len(items)), table, value, roles, raters_known=False)


def _score_column(table: Table, asked: Columns) -> str:
    """Return the column of scores."""
    names = [asked.value] if asked.value != "value" else columns_of_values(table, asked)
    if len(names) == 1:
        return names[0]
    others = [name for name in table.names if name.lower() not in ITEM_NAMES]
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
