"""Few ratings by people and many by a judge, of the same outputs of one system or more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.data.cells import picked, union
from nbyk.data.columns import Columns, known_names, recognised, refuse_unnamed
from nbyk.data.given import given_systems
from nbyk.data.kinds import CellKind, NumberKind
from nbyk.data.layouts import Entries, Mending, as_numbers, ids_in
from nbyk.data.ratings import Ratings, agreed_clusters, ordered_ids, rows_of
from nbyk.data.reading import table_of
from nbyk.data.scales import GivenScale, Scale, as_scale
from nbyk.data.systems import OnMissing, check_names, common_items
from nbyk.data.tables import Table
from nbyk.data.text import notes_on_look_alikes, shown
from nbyk.errors import NbykError, renaming, unknown_name
from nbyk.words import in_full, listed, number_of

THE_SYSTEM = "the system"
"""The name of a single system without one."""


@dataclass(frozen=True, eq=False)
class JudgedSystems:
    """A judge's scores of all outputs, and people's ratings of some. Make it with `read_judged`.

    Attributes
    ----------
    items, systems, raters
        Ids of M items, S systems, and of the people.
    judge : ndarray, shape (M, S)
        The mean of the judge's answers to each output.
    answers, answer_variance : ndarray, shape (M, S)
        The number of these answers, and their variance within the output (0 for a single answer).
    item, system, rater : ndarray of int, shape (E,)
        The output and the person of each rating.
    values : ndarray, shape (E,)
        The ratings, in the unit of the file.
    chance : ndarray, shape (M, S), or None
        The chance with which an output was chosen for people, NaN where none rated it; None if all had the
        same.
    batch : ndarray of int, shape (E,), or None
        The place of each rating's batch in their order.
    slices : ndarray of int, shape (M,), or None
        The slice of each item, whose share of all items is known.
    scale
        The scale of all values, if it was given.
    notes
        What was left out or averaged, a sentence each.
    """

    items: tuple[str, ...]
    systems: tuple[str, ...]
    raters: tuple[str, ...]
    judge: Floats
    answers: Integers
    answer_variance: Floats
    item: Integers
    system: Integers
    rater: Integers
    values: Floats
    chance: Floats | None = None
    batch: Integers | None = None
    slices: Integers | None = None
    scale: Scale | None = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        systems, raters = (
            number_of(len(of), noun) for of, noun in ((self.systems, "system"), (self.raters, "rater"))
        )
        return f"{len(self.values)} ratings by {raters}, and a judge, of {systems} on {len(self.items)} items"

    def ratings_of(self, system: int) -> tuple[Floats, Floats]:
        """Return the ratings of a system's outputs (N, J), NaN where none, and the judge's scores (N,)."""
        mine = self.system == system
        items, row = np.unique(self.item[mine], return_inverse=True)
        matrix = np.full((len(items), len(self.raters)), np.nan)
        matrix[row, self.rater[mine]] = self.values[mine]
        return matrix, self.judge[items, system]


def read_judged(
    people: Any,
    judge: Any,
    *,
    item: str = "item",
    rater: str = "rater",
    value: str = "value",
    system: str | None = None,
    judges: str | None = None,
    counts: Mapping[str, float] | None = None,
    chance: str | None = None,
    batch: str | None = None,
    slices: str | None = None,
    scale: GivenScale | None = None,
    on_missing: OnMissing = "refuse",
    on_duplicates: str = "refuse",
    on_empty: str = "refuse",
) -> JudgedSystems:
    """Read people's ratings of some outputs and a judge's scores of all.

    Parameters
    ----------
    people, judge
        Two long tables, each a file or a data frame as for `read_ratings`. If one has a column of
        systems, both must. Several rows of one output in the judge's table are several answers.
    item, rater, value, system
        The columns' names; `system` is None for one of a known name.
    judges
        The judge to take, if the table has a column `judge` with several; None averages all.
    counts
        What each class or vote counts: ``{"yes": 1, "no": 0}``, or ``{"model_a": 1, "tie": 0, "model_b":
        -1}`` for votes between two systems. Other values are then refused.
    chance, batch
        Columns of people's table: the chance with which the output was chosen, above 0 and at most 1; and the
        batch of the rating. Batches are in the order of their ids.
    slices
        Column of the judge's table: the slice of each item.
    scale
        The scale of all values, which are checked against it and stay in their unit.
    on_missing
        How to treat outputs that people rated and the judge did not, and items that the judge did not score
        for every system: "refuse" or "drop" them.
    on_duplicates, on_empty
        As for `read_ratings`; the first is about people's ratings.

    Raises
    ------
    NbykError
        If a table cannot be read, has no number or known class in a cell, or a value off the scale; if
        the two have other systems, items or scales; or if a chance or a slice contradicts another.
    """
    on_scale = as_scale(scale)
    kind = _Counted(on_scale, counts)
    rated_by, judged = table_of(people), table_of(judge)
    by_people = _by_system(rated_by, system)
    by_judge = _by_system(_of_judge(judged, judges, value), system)
    unrated = [name for name in by_judge if name not in by_people]
    if {*by_people} - {*by_judge} or (unrated and on_missing == "refuse"):
        raise rated_by.place.error(
            f"people rated {listed([*by_people])}, and the judge scored {listed([*by_judge])}; expected the "
            "same systems: give both of every system, with both columns of systems named alike, or leave out "
            'systems that people did not rate with `on_missing="drop"`'
        )
    by_judge = {name: table for name, table in by_judge.items() if name in by_people}
    systems = tuple(by_judge)
    judge_columns, people_columns = Columns(item, None, value), Columns(item, rater, value)
    firsts = [
        (next(iter(by_people.values())), people_columns, ""),
        (next(iter(by_judge.values())), judge_columns, ""),
    ]
    refuse_unnamed(firsts, people_columns)
    one_each, mending = Mending(on_duplicates, on_empty), Mending("refuse", on_empty)
    scored = {name: _read(kind, table, judge_columns, mending, slices) for name, table in by_judge.items()}
    rated = {name: _read(kind, table, people_columns, one_each) for name, table in by_people.items()}
    by_system = [replace(read, place=replace(read.place, name=name)) for name, (_, read) in scored.items()]
    items = tuple(ordered_ids(common_items(by_system, on_missing)))
    answers, means, variances = (
        np.stack(numbers, axis=1)
        for numbers in zip(*(_of_answers(read, items) for read in by_system), strict=True)
    )
    entries, values = [], []
    for cells, read in rated.values():
        rows = rows_of(items, read.items)[read.item_index]
        lacking = np.flatnonzero(rows < 0)
        if lacking.size and on_missing == "refuse":
            raise cells.at(int(lacking[0])).error(
                f"people rated item {cells.items[lacking[0]]!r}, and the judge did not score it; expected "
                "the judge's score of every rated output: add it, or leave such ratings out with "
                '`on_missing="drop"`'
            )
        entries.append(cells.taken(np.flatnonzero(rows >= 0).tolist()))
        values.append(read.values[rows >= 0])
    if not any(cells.items for cells in entries):
        raise rated_by.place.error(
            "the judge scored none of the items that people rated; check that both name items alike"
        )
    notes = [f"{name} was left out: people rated none of its outputs" for name in unrated]
    if judges is None and "judge" in {*judged.names} - {*next(iter(by_judge.values())).names}:
        every = ordered_ids({*ids_in(judged, "judge")})
        if len(every) > 1:
            notes.append(f"the judge is the mean of {len(every)}: {listed(every)}")
    notes += [note for _, read in (*scored.values(), *rated.values()) for note in read.mended]
    if n_unscored := sum(read.n_ratings for _, read in rated.values()) - sum(map(len, values)):
        notes.append(
            f"nbyk dropped {number_of(n_unscored, 'rating')} of outputs that the judge did not score"
        )
    if n_dropped := len(union([read.items for read in by_system])) - len(items):
        notes.append(
            f"nbyk dropped {number_of(n_dropped, 'item')} that the judge did not score for every system"
        )
    raters = tuple(ordered_ids({name for cells in entries for name in cells.raters}))
    if len(raters) == 1 and not any(
        known_names(table.names, "rater") or rater in table.names for table in by_people.values()
    ):
        notes.append("people's table has no column of raters, so all ratings count as those of one rater")
    named = (("judges", judged, "judge"), ("slices", judged, slices), ("batches", rated_by, batch))
    further = {
        what: ids_in(table, name) for what, table, name in named if name is not None and name in table.names
    }
    notes += notes_on_look_alikes({"items": items, "raters": raters, "systems": systems, **further})
    data = JudgedSystems(
        items,
        systems,
        raters,
        means,
        answers.astype(np.int64),
        variances,
        rows_of(items, [name for cells in entries for name in cells.items]),
        np.repeat([systems.index(name) for name in rated], [*map(len, values)]),
        rows_of(raters, [name for cells in entries for name in cells.raters]),
        np.concatenate(values),
        scale=on_scale,
        notes=tuple(notes),
    )
    _refuse_other_scale(data, entries[0])
    with renaming({"cluster": "slices"}):
        slice_of = agreed_clusters(by_system, items)
    return replace(
        data,
        chance=None if chance is None else _chances(data, entries, chance),
        batch=None if batch is None else _batches(entries, batch),
        slices=None if slice_of is None else rows_of(ordered_ids({*slice_of}), slice_of),
    )


def _read(
    kind: CellKind, table: Table, columns: Columns, mending: Mending, slices: str | None = None
) -> tuple[Entries, Ratings]:
    """Return a system's cells, and the ratings in them; slices are their clusters."""
    cells, values, said = kind.read(table, columns, mending)
    clusters = None if slices is None else cells.ids(slices, "name the column of slices with `slices`")
    return cells, replace(cells.ratings(values, clusters), mended=tuple(said))


def _of_answers(ratings: Ratings, items: Sequence[str]) -> tuple[Floats, Floats, Floats]:
    """Return the number, the mean and the variance of the answers to each item."""
    rows = rows_of(items, ratings.items)[ratings.item_index]
    values, rows = ratings.values[rows >= 0], rows[rows >= 0]
    counts = np.bincount(rows, minlength=len(items)).astype(np.float64)
    means = np.bincount(rows, weights=values) / counts
    squares = np.bincount(rows, weights=(values - means[rows]) ** 2)
    return counts, means, squares / np.maximum(counts - 1.0, 1.0)


class _Counted(NumberKind):
    """Numbers in the unit of the file, on a scale, or what each class counts."""

    expected = "a number or a class"

    def __init__(self, scale: Scale | None, counts: Mapping[str, float] | None) -> None:
        super().__init__(scale)
        self.counts = counts

    def numbers(self, cells: Entries) -> Floats:
        if self.counts is None:
            numbers = cells.numbers(way_out="say with `counts` what each class counts, as in yes=1,no=0")
            super().numbers(cells)
            return numbers
        known = {name.strip(): float(number) for name, number in self.counts.items()}
        names = [str(cell).strip() for cell in cells.found]
        numbers = as_numbers(cells.found)
        names = [  # 1.0 and True are 1
            name if name in known or not number.is_integer() else str(int(number))
            for name, number in zip(names, numbers.tolist(), strict=True)
        ]
        unknown = [row for row, name in enumerate(names) if name not in known]
        if unknown:
            others = listed([repr(name) for name in dict.fromkeys(names[row] for row in unknown)])
            raise cells.at(unknown[0]).error(
                f"found {others}, expected {listed(list(known))}; mend these, or say with `counts` what they "
                "count"
            )
        return np.array([known[name] for name in names])


def _by_system(table: Table, column: str | None) -> dict[str, Table]:
    if table.nameless:
        raise table.place.error("has no columns; give a table with the columns item, rater and value")
    if column is None and not known_names(table.names, "system"):
        return {THE_SYSTEM: table}
    systems = given_systems(table, column)
    check_names(systems)
    return systems


def _of_judge(table: Table, judge: str | None, value: str) -> Table:
    """Return the rows of one judge, or of all, without the column that names them."""
    value = recognised(table, Columns(rater=None, value=value)).value
    if table.nameless or "judge" not in table.names or value not in {*table.names} - {"judge"}:
        if judge is not None:
            raise NbykError(
                f"found {judge!r}, and {table.place} has no column 'judge'; leave it out", argument="judges"
            )
        return table
    names = ids_in(table, "judge")
    if judge is not None and judge not in names:
        raise unknown_name("judge", judge, set(names)).about(argument="judges")
    rows = [row for row, name in enumerate(names) if judge in (None, name)]
    return table.taken(rows, without="judge")


def _refuse_other_scale(data: JudgedSystems, cells: Entries) -> None:
    """Raise NbykError if no reading of the ranges lets people and the judge use one scale."""
    if data.scale is not None:
        return
    low, high = float(data.values.min()), float(data.values.max())
    least, most = float(data.judge.min()), float(data.judge.max())
    apart = most < low or least > high or (high > low and (most <= low or least >= high) and most > least)
    beyond = max(most - high, low - least) > high - low > 0.0
    if apart or beyond:
        raise cells.table.place.error(
            f"people's ratings run from {in_full(low)} to {in_full(high)}, and the judge's scores from "
            f"{in_full(least)} to {in_full(most)}; expected one scale: bring the judge's "
            "scores to the people's scale, or declare it with `scale` if it is one"
        )


def _chances(data: JudgedSystems, cells: list[Entries], column: str) -> Floats:
    chances = np.full(data.judge.shape, np.nan)
    entry = 0
    for of in cells:
        column_cells = picked(of.table.column(column, "name the column of chances with `chance`"), of.rows)
        for row, number in enumerate(as_numbers(column_cells)):
            cell, place = column_cells[row], (data.item[entry], data.system[entry])
            if not 0.0 < number <= 1.0:
                raise of.at(row).error(
                    f"column {column!r}: found {shown(cell)}, expected a chance above 0 and at most 1"
                )
            if not np.isnan(chances[place]) and chances[place] != number:
                raise of.at(row).error(
                    f"column {column!r}: found {number:g} for an output that has {chances[place]:g} on "
                    "another row; expected one chance for each output"
                )
            chances[place] = number
            entry += 1
    return chances


def _batches(cells: list[Entries], column: str) -> Integers:
    names = [name for of in cells for name in of.ids(column, "name the column of batches with `batch`")]
    order = ordered_ids(set(names))
    if len(order) < 2:
        raise cells[0].table.place.error(f"column {column!r} names one batch; expected two or more")
    return rows_of(order, names)
