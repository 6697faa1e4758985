"""The one intake: systems and gold, of any kind of data, from files of any format to aligned matrices."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nbyk.arrays import Floats
from nbyk.data.cells import union
from nbyk.data.columns import (
    Columns,
    columns_of_values,
    is_usually_lower,
    notes_on_summaries,
    refuse_absent_rater,
    refuse_unnamed,
)
from nbyk.data.given import (
    GivenData,
    Input,
    are_runs,
    columns_like_systems,
    given_data,
    given_systems,
    percent_beside_shares,
    refuse_too_few,
    systems_like_gold,
)
from nbyk.data.kinds import (
    KINDS,
    CellKind,
    ClassKind,
    Kind,
    NumberKind,
    ShareKind,
    counts_in,
    refuse_options,
    refuse_strange_columns,
    scored_kind,
)
from nbyk.data.layouts import Mending, as_numbers
from nbyk.data.lm_eval import SampleChoice
from nbyk.data.makers import refuse_other_items
from nbyk.data.ratings import Ratings, agreed_clusters, ordered_ids
from nbyk.data.reading import is_log
from nbyk.data.response_set import Categories, placed
from nbyk.data.scales import FROM_0_TO_1, GivenScale, Interval, Scale, as_scale
from nbyk.data.scores import ScoreKind, are_scores
from nbyk.data.systems import OnMissing, Systems, check_names, chosen, common_items, equal_systems
from nbyk.data.tables import is_number
from nbyk.data.text import notes_on_look_alikes, shown
from nbyk.data.units import Units
from nbyk.errors import DataPlace, NbykError, argument_with, check_choice, renaming
from nbyk.words import listed

_MOST_LEVELS = 11
"""Errors propose whole numbers as levels if they span fewer than this many values."""


def read_systems(
    systems: Mapping[str, Input] | Sequence[str | os.PathLike[str]] | Input,
    gold: Input | None = None,
    *,
    scale: GivenScale | None = None,
    on_missing: OnMissing = "refuse",
    samples: SampleChoice | None = None,
    item: str = "item",
    rater: str | None = "rater",
    value: str = "value",
    cluster: str | None = None,
    system: str | None = None,
    gold_columns: Columns | None = None,
    on_duplicates: str = "refuse",
    on_empty: str = "refuse",
    kind: Kind | None = None,
    scored: Kind | None = None,
    classes: Sequence[str] | None = None,
    paired: bool | None = None,
    lower_is_better: bool | None = None,
    only: Sequence[str] | None = None,
    fewest: int = 2,
    of_items: bool = False,
) -> Systems:
    """Read two or more systems, and gold if there is any: numbers, classes, distributions or scores of runs.

    Each is a file, a data frame or an array that `read_ratings` reads, ratings already read, or logs of
    ``lm_eval --log_samples``: a folder of runs or one samples file. One long table may hold all systems, with
    a column that names them.

    What the cells are decides their kind, and `Systems.taken_as` says it: cells are **distributions** over
    classes if they are lists or objects of probabilities, or if the columns of each row sum to one and are
    not all whole; **classes** if most are text and there is gold; and **numbers** otherwise. Tables without
    items and gold hold **scores**, one for each run.

    Parameters
    ----------
    systems
        The sources to read by the system's name, arguments in a form that `named_systems` takes, or one table
        of all.
    gold
        The raters' ratings. Without them each system's ratings are of its outputs: its responses are the
        ratings that people, or a metric in several runs, gave to the system's answer.
    scale
        The scale of all ratings, as for `read_ratings`. Without one they must lie in [0, 1]; nbyk never
        guesses another scale.
    on_missing
        How to treat items that not all files have: "refuse", or "drop" them and count them in `dropped`.
    samples
        The task and filter of lm-evaluation-harness to take.
    item, rater, value
        Column names, as in `read_ratings`.
    cluster
        Column of clusters of items, of gold or of any of the systems.
    system
        Column that names the system of each row, in one table of all systems; None for a column of a known
        name (`nbyk.data.columns.KNOWN_NAMES`).
    gold_columns
        Gold's columns, if their names differ from the systems'.
    on_duplicates, on_empty
        How to treat ratings that come twice and rows without a rating, as in `read_ratings`.
    kind
        The kind to read the data as, whatever the cells look like: whole numbers can be classes, and numbers
        of items can be scores.
    scored
        What the metric scores, "classes" or "distributions"; None if numbers, too. Metrics of distributions
        take classes.
    classes
        The classes of gold or of distributions, lowest first; without it those that gold has, in the order of
        their levels, if a column is of an ordered type, or else of their names.
    paired
        Whether scores are paired: by ids of items if every file has them, else by their order. None pairs
        them if every file has ids.
    lower_is_better
        Whether lower numbers or scores are better, such as error rates, without gold. None means as a log
        says, or that higher ones are.
    only
        The names of the systems to read, if not all; the first is A.
    fewest
        The least number of systems: 1 for one by itself.
    of_items
        Whether numbers without ids are responses to items, even if they look like scores of runs.

    Raises
    ------
    NbykError
        If there are fewer systems, or fewer than two items, two have one name, a file cannot be read, a value
        is off the scale or does not fit the kind, items do not match, or an option goes with another kind or
        other files; or if two files disagree on an item's cluster, or there is only one; or if the only table
        may hold a system in each column.
    """
    check_choice("on_missing", on_missing, ("refuse", "drop"))
    check_choice("kind", kind or "numbers", KINDS)
    on_scale, columns = as_scale(scale), Columns(item, rater, value, cluster)
    named = given_systems(systems, system, columns, as_scores=kind == "scores")
    if only is not None:
        named = chosen(named, only)
    check_names(named, has_gold=gold is not None)
    sources = {name: given_data(given, name, columns, samples) for name, given in named.items()}
    refuse_too_few(sources, fewest, has_gold=gold is not None)
    if samples not in (None, SampleChoice()) and not any(map(is_log, named.values())):
        raise NbykError(
            "`SampleChoice.task` and `SampleChoice.filter` choose among the scores of lm_eval logs, but no "
            "system is such a log; drop them, or give folders that lm_eval --log_samples wrote"
        )
    people = None if gold is None else _people(gold, gold_columns, columns)
    _refuse_columns(sources, people, columns, of_scores=kind == "scores")
    options: dict[str, Any] = {
        "scale": on_scale,
        "classes": classes and listed([*map(str, classes)]),
        "cluster": cluster,
    }
    asks_of_items = of_items or scored is not None or any(of is not None for of in options.values())
    kind = kind or _kind([*sources.values()], people, scored, classes, asks_of_items=asks_of_items)
    options |= {"paired": paired, "lower_is_better": lower_is_better}
    _refuse_options(kind, options, on_duplicates, has_gold=people is not None)
    if kind == "scores":
        refuse_too_few(sources, 2)
    lower, about_direction = (False, []) if people else _direction(sources.values(), lower_is_better)
    every = [*([people] if people else []), *sources.values()]
    cells = cells_of(kind, on_scale, classes, every, by_runs=bool(paired))
    mending = Mending(on_duplicates, on_empty)
    read = read_all(
        sources, people, cells, mending, lambda name: f"name it with {argument_with('cluster', name)}"
    )
    if kind != "numbers":
        on_scale = FROM_0_TO_1
    elif on_scale is None:
        on_scale = _only_scale(read.every)
    refuse_other_items(table for source in sources.values() for table in source.tables)
    items = _matched(read, kind, paired, on_missing)
    clusters = agreed_clusters(read.every, items or ())
    if cluster is not None and clusters is None:
        raise NbykError(
            f"found {cluster!r}, but no file has a column of that name; name the column of clusters that "
            "gold or a system has",
            argument="cluster",
        )
    systems_read = read.matched(items)
    matrices = systems_read.responses
    doubts: list[str] = []
    if kind != "scores" and (systems_read.gold_units is None or are_runs(systems_read.gold_units)):
        doubts += systems_like_gold(read.systems, systems_read.units, matrices)
    are_percent = kind == "numbers" and on_scale == Interval(0.0, 100.0)
    if (kind == "scores" or are_percent) and not lower and not about_direction:
        in_unit = {name: of * (100.0 if are_percent else 1.0) for name, of in matrices.items()}
        doubts += percent_beside_shares(in_unit)
    dropped = {
        str(of.place): of.n_items - len(items) for of in read.every if items and of.n_items > len(items)
    }
    notes = [*(note for ratings in read.every for note in ratings.mended), *about_direction]
    if items and dropped:
        each = listed([f"{n} of {label}" for label, n in dropped.items()])
        said = f"nbyk dropped items that another file lacks ({each}) and compares the {len(items)} others"
        notes.insert(0, said)
    if items is None and paired is None and len(read.nameless) < len(read.every):
        notes.append(
            f"{read.nameless[0]} has no ids of items, as others have, so nbyk does not pair the scores"
        )
    notes += _about_names(read, items or (), named)
    if kind in ("numbers", "classes"):
        notes += columns_like_systems(sources, has_gold=people is not None)
    return replace(
        systems_read,
        items=() if items is None or (kind == "scores" and read.nameless) else items,
        clusters=clusters,
        scale=on_scale,
        kind=kind,
        paired=items is not None,
        lower_is_better=lower,
        dropped=dropped,
        recognised=read.recognised,
        notes=(*doubts, *notes, *equal_systems(systems_read.gold, matrices)),
    )


def _people(gold: Input, gold_columns: Columns | None, columns: Columns) -> GivenData:
    """Return gold, with the names of the arguments that name its columns, if they are its own."""
    roles = () if gold_columns is None else ("item", "rater", "value")
    asked = replace(gold_columns or columns, cluster=columns.cluster)
    people = given_data(gold, "gold", asked, None, is_gold=True)
    return replace(people, arguments={role: f"gold_columns.{role}" for role in roles})


def _refuse_columns(
    sources: Mapping[str, GivenData], people: GivenData | None, columns: Columns, *, of_scores: bool
) -> None:
    """Raise NbykError if columns of items or values are missing."""
    if not of_scores:
        files = [(people, "gold_columns.")] if people else []
        files += [(source, "") for source in sources.values()]
        refuse_absent_rater([table for of, _ in files for table in of.tables], columns.rater)
        if people is not None and people.table and people.columns.rater != columns.rater:
            with renaming(people.arguments):
                refuse_absent_rater([people.table], people.columns.rater)
        unknown = [(of.table, of.columns, prefix) for of, prefix in files if of.table and of.needs_names]
        refuse_unnamed(unknown, columns)
    for source in sources.values():
        source.refuse_missing(columns)
    if people is not None and people.arguments:
        # gold may lack a name that is only the systems'
        names = {role: getattr(people.columns, role) for role in ("item", "value")}
        own_names = {role: name for role, name in names.items() if name != getattr(columns, role)}
        people.refuse_missing(Columns(rater=None, **own_names))


def _refuse_options(kind: Kind, options: Mapping[str, Any], on_duplicates: str, *, has_gold: bool) -> None:
    """Raise NbykError if an option, or gold, means nothing for data of a kind, or if gold is missing."""
    refuse_options(kind, options, has_gold=has_gold)
    if kind in ("classes", "distributions") and on_duplicates == "mean":
        raise NbykError(f"found mean, and {kind} have none; choose first or last", argument="on_duplicates")
    if kind == "classes" and not has_gold:
        raise NbykError("found classes, and no gold by which they are right; give it", argument="gold")


@dataclass(frozen=True)
class _Read:
    """Ratings as they were read, each system's by its name and gold's, if any, and how their cells were."""

    systems: Mapping[str, Ratings]
    gold: Ratings | None
    cells: CellKind
    gold_cells: CellKind | None

    @property
    def every(self) -> list[Ratings]:
        """Gold's ratings, and the systems'."""
        return [*([] if self.gold is None else [self.gold]), *self.systems.values()]

    @property
    def nameless(self) -> list[DataPlace]:
        """The data whose items have no ids."""
        return [ratings.place for ratings in self.every if ratings.nameless]

    @property
    def recognised(self) -> dict[str, str]:
        """The columns that were recognised, by file, and the classes of gold."""
        said = {str(ratings.place): ratings.recognised for ratings in self.every if ratings.recognised}
        if self.gold is not None and isinstance(self.cells, ClassKind) and str(self.gold.place) in said:
            said[str(self.gold.place)] += f", classes = {', '.join(self.cells.names)}"
        return said

    def matched(self, items: Sequence[str] | None) -> Systems:
        """Return the responses to some items, with the table of their classes; without items, scores."""
        gold, units = (None, None) if self.gold is None else _responses(self.gold, items)
        responses = {name: _responses(ratings, items) for name, ratings in self.systems.items()}
        matrices = {name: matrix for name, (matrix, _) in responses.items()}
        categories = None
        if isinstance(self.cells, ScoreKind):
            matrices = {name: matrix[:, 0] for name, matrix in matrices.items()}
        elif isinstance(self.cells, ClassKind):
            names = self.cells.names
            categories = Categories(names, np.eye(len(names)), "classes", self.cells.ordered)
        elif isinstance(self.cells, ShareKind):
            places, categories = placed(self.cells.rows, self.cells.names, ordered=self.cells.ordered)
            matrices = {name: _in_table(places, matrix) for name, matrix in matrices.items()}
            if gold is not None and self.gold_cells is self.cells:
                gold = _in_table(places, gold)
        units_of = {name: behind for name, (_, behind) in responses.items()}
        return Systems(matrices, gold, units_of, units, kind=self.cells.name, categories=categories)


def _responses(ratings: Ratings, items: Sequence[str] | None) -> tuple[Floats, Units]:
    """Return responses to items, in the order of raters' ids, and their units; without items, scores."""
    if items is None:
        return ratings.responses(ratings.items)
    return (ratings.in_order() if items == ordered_ids(items) else ratings).responses(items)


def _in_table(places: Floats, matrix: Floats) -> Floats:
    """Return rows of distributions, by number, as places in the table of all."""
    rows = np.nan_to_num(matrix).astype(np.int64)
    return np.where(np.isnan(matrix), np.nan, places[rows])


def cells_of(
    kind: Kind,
    scale: Scale | None,
    classes: Sequence[Any] | None,
    data: Iterable[GivenData],
    *,
    by_runs: bool = False,
) -> CellKind:
    """Return how to read the systems' cells, or gold's if they are classes."""
    if kind == "numbers":
        return NumberKind(scale)
    if kind == "scores":
        return ScoreKind(by_runs=by_runs)
    orders = [order for of in data for table in of.tables for order in table.levels]
    return ClassKind(classes, orders=orders) if kind == "classes" else ShareKind(classes)


def read_all(
    sources: Mapping[str, GivenData],
    people: GivenData | None,
    cells: CellKind,
    mending: Mending,
    as_clusters: Callable[[str], str],
) -> _Read:
    """Return all data as they were read; classes are named by gold, and other kinds by the systems.

    `as_clusters` says what to do with a column that holds clusters in place of classes.
    """
    gold: Ratings | None = None
    gold_cells: CellKind | None = None
    if people is not None and isinstance(cells, ClassKind):
        gold, gold_cells = people.read(cells, mending), cells
        cells = copy(cells)
        cells.givers = "runs"
    systems = {name: source.read(cells, mending) for name, source in sources.items()}
    if people is not None and gold is None:
        gold_cells = _cells_of_gold(people, cells)
        gold = people.read(gold_cells, mending)
    read = _Read(systems, gold, cells, gold_cells)
    if isinstance(cells, ClassKind) and not cells.given:
        refuse_strange_columns(read.every, as_clusters)
    return read


def _cells_of_gold(people: GivenData, cells: CellKind) -> CellKind:
    """Return how to read gold beside numbers, or distributions: it may be the classes that people chose."""
    if isinstance(cells, NumberKind):
        return NumberKind(cells.scale, "raters")
    assert isinstance(cells, ShareKind)
    # one-hot rows look like the choices of several people
    is_one_hot = people.table is not None and {*cells.names} <= {*people.table.names}
    are_shares = people.table is None or people.kind == "distributions" or is_one_hot
    return cells if are_shares else ClassKind(cells.names)


def _matched(read: _Read, kind: Kind, paired: bool | None, on_missing: OnMissing) -> Sequence[str] | None:
    """Return the items that all data have, in the order of ids, if any; None of scores without pairs."""
    way_out = ""
    if kind == "scores":
        way_out = ", or test without pairs with `paired=False`"
        if paired is False or (paired is None and read.nameless):
            return None
    items = common_items(read.every, on_missing, way_out)
    return items if read.nameless else ordered_ids(items)


def _about_names(read: _Read, items: Sequence[str], systems: Iterable[str]) -> Iterator[str]:
    """Yield notes on names of summaries, and on names that look alike."""
    yield from notes_on_summaries("item", items)
    runs = (name for ratings in read.every if ratings.nameless for name in ratings.raters)
    yield from notes_on_summaries("run", runs)
    names = {
        "items": union([ratings.items for ratings in read.every]),
        "raters or runs": (name for ratings in read.every for name in ratings.raters),
        "clusters": (name for ratings in read.every for name in ratings.clusters or ()),
        "systems": systems,
    }
    yield from notes_on_look_alikes(names)


def _direction(sources: Iterable[GivenData], asked: bool | None) -> tuple[bool, list[str]]:
    """Return whether lower values are better, as asked or as a log says, and notes if that may be wrong."""
    said: dict[bool, str] = {}
    notes = dict[str, None]()
    for source in sources:
        if source.table is None or source.table.nameless:
            continue
        names = columns_of_values(source.table, source.columns)
        name = names[0] if len(names) == 1 else ""
        if source.table.scores:
            said.setdefault(name in source.table.lower, name)
        elif asked is None and is_usually_lower(name):
            notes[
                f"the values are called {name}, of which lower ones are usually better, and nbyk takes "
                "higher ones for better; say which is right with `lower_is_better`, or in a plan by the "
                "metric mean_cost"
            ] = None
    if asked is not None:
        return asked, []
    if len(said) > 1:
        raise NbykError(
            f"one log says that lower values are better ({said[True]}) and another does not ({said[False]}); "
            "compare one score, or say which is right",
            argument="lower_is_better",
        )
    lower = said.get(True)
    return lower is not None, [f"the log says that lower values of {lower} are better"] if lower else [*notes]


def _kind(
    sources: Sequence[GivenData],
    gold: GivenData | None,
    scored: Kind | None,
    classes: Sequence[str] | None,
    *,
    asks_of_items: bool,
) -> Kind:
    """Return the kind of all data: what is scored, that of every table if they agree, or else numbers."""
    if scored is None:
        kinds = {_kind_of_cells(sources, gold, asks_of_items=asks_of_items)}
    else:
        kinds = {of.kind for of in sources} if scored == "distributions" else set()
    tables = [of.table for of in sources if of.table is not None]
    in_columns = any(len(of.names) > 1 if of.nameless else {*(classes or ())} <= {*of.names} for of in tables)
    return scored_kind(kinds, scored, classes, in_columns=in_columns)


def _kind_of_cells(sources: Sequence[GivenData], gold: GivenData | None, *, asks_of_items: bool) -> Kind:
    tables = [of.table for of in sources if of.table is not None]
    if len(tables) < len(sources):
        return "numbers"
    kinds = [of.kind for of in sources]
    are_plain = [kind == "scores" and of.nameless for of, kind in zip(tables, kinds, strict=True)]
    if (
        asks_of_items
        or gold is not None
        or any(len(of.runs) > 1 for of in sources)
        or (all(are_plain) and not are_scores([as_numbers(of.columns[0]) for of in tables]))
    ):
        kinds = ["numbers" if is_plain else kind for is_plain, kind in zip(are_plain, kinds, strict=True)]
    all_kinds = {*kinds}
    if all_kinds == {"distributions"} or (all_kinds == {"scores"} and gold is None):
        return kinds[0]
    gold_kind: Kind | None = None
    if gold is not None and gold.table is not None:
        gold_kind = gold.kind
        if all_kinds == {"classes"}:
            return gold_kind if counts_in(gold.table, gold.columns) is None else "classes"
        if all_kinds == {"distributions", "numbers"} and gold_kind == "classes":
            return "distributions"  # the rows that sum to something else are named
        if all_kinds == {"numbers"} and gold_kind == "classes":
            raise sources[0].place.error(
                f"found numbers, expected classes as in {gold.place}, or a column for each with its "
                "probability; divide percentages by 100, or write gold as numbers, such as 1 for yes and 0 "
                "for no"
            )
    if kinds.count("classes") == 1 < len(kinds) and gold_kind in (None, "distributions"):
        at = kinds.index("classes")
        odd, table, other = sources[at], tables[at], int(at == 0)
        way_out = "give it as gold"
        if odd.place.file is not None:
            way_out = f"give it as {argument_with('gold', str(odd.place.file))}"
        names = columns_of_values(table, odd.columns)
        cells = (cell for name in names for _, cell in table.cells(name))
        word = next(cell for cell in cells if isinstance(cell, str) and not is_number(cell))
        raise odd.place.error(
            f"found classes, as {shown(word)}, expected {kinds[other]} as in {sources[other].place}; if it "
            f"is gold, {way_out}{f' in place of {gold.place}' if gold is not None else ''}"
        )
    return "numbers"


def _only_scale(every: Sequence[Ratings]) -> Scale:
    """Return [0, 1] if all ratings lie in it; every other scale must be declared."""
    for ratings in every:
        outside = FROM_0_TO_1.outside(ratings.values)
        if outside.any():
            row = int(np.flatnonzero(outside)[0])
            values = np.unique(np.concatenate([other.values for other in every]))
            low, high = values[0], values[-1]
            ends = (f"{float(end)!r}".removesuffix(".0") for end in (low, high))
            options = f"{argument_with('scale', '..'.join(ends))} if those are its ends"
            if low == high:
                options = f"{argument_with('scale', 'LOW..HIGH')} with its two ends"
            elif (values == np.rint(values)).all() and high - low < _MOST_LEVELS:
                levels = ",".join(f"{level:g}" for level in np.arange(low, high + 1))
                options += f", or {argument_with('scale', levels)} if these are all that one can choose"
            raise ratings.place.error(
                f"item {ratings.items[ratings.item_index[row]]!r} is rated "
                f"{ratings.values[row]:g}, and all ratings run from {low:g} to {high:g}; expected 0 to 1 "
                f"where no scale is declared: declare it, as with {options}"
            )
    return FROM_0_TO_1
