"""The one intake: systems and gold, of any kind of data, from files of any format to aligned matrices."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nbyk.data.cells import union
from nbyk.data.columns import Columns, is_usually_lower, notes_on_summaries, refuse_unnamed, value_column
from nbyk.data.given import (
    GivenData,
    Input,
    are_runs,
    columns_like_systems,
    columns_may_be_systems,
    given_data,
    given_systems,
    percent_beside_shares,
    systems_like_gold,
    too_few,
)
from nbyk.data.kinds import (
    KINDS,
    CellKind,
    ClassKind,
    Kind,
    NumberKind,
    ShareKind,
    counts_labels,
    kind_of,
)
from nbyk.data.layouts import Mending
from nbyk.data.lm_eval import SampleChoice
from nbyk.data.makers import HASHES, refuse_other_item
from nbyk.data.ratings import Ratings, agreed_clusters, ordered_ids
from nbyk.data.reading import is_log
from nbyk.data.response_set import Categories, places_in_table
from nbyk.data.scales import FROM_0_TO_1, GivenScale, Interval, Scale, as_scale
from nbyk.data.scores import ScoreKind
from nbyk.data.systems import OnMissing, Systems, common_items, equal_systems
from nbyk.data.tables import Table
from nbyk.data.text import check_choice, notes_on_look_alikes
from nbyk.data.units import Units
from nbyk.errors import NbykError, argument_with
from nbyk.words import listed

Floats = NDArray[np.float64]

_MOST_LEVELS = 11
"""Errors propose whole numbers as levels if they span fewer than this many values."""

_OPTIONS: Mapping[Kind, tuple[str, ...]] = {
    "numbers": ("scale", "cluster", "lower_is_better"),
    "classes": ("classes", "cluster"),
    "distributions": ("cluster",),
    "scores": ("paired", "lower_is_better"),
}
"""The options that mean something for one kind of data alone."""


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
    classes: Sequence[str] | None = None,
    paired: bool | None = None,
    lower_is_better: bool | None = None,
    fewest: int = 2,
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
    classes
        The classes of gold, in order; without it those that gold has, in the order of their names.
    paired
        Whether scores are paired: by ids of items if every file has them, else by their order. None pairs
        them if every file has ids.
    lower_is_better
        Whether lower numbers or scores are better, such as error rates, without gold. None means as a log
        says, or that higher ones are.
    fewest
        The least number of systems: 1 for one by itself.

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
    on_scale = as_scale(scale)
    wide = Columns(item, None, value, cluster)
    named = given_systems(systems, system, wide, as_scores=kind == "scores")
    columns, mending = Columns(item, rater, value, cluster), Mending(on_duplicates, on_empty)
    sources = {name: given_data(given, name, columns, samples) for name, given in named.items()}
    (first,) = sources.values() if len(sources) == 1 else (None,)
    if len(sources) < fewest or (first and columns_may_be_systems(first)):
        raise too_few(sources)
    if samples not in (None, SampleChoice()) and not any(map(is_log, named.values())):
        raise NbykError(
            "`SampleChoice.task` and `SampleChoice.filter` choose among the scores of lm_eval logs, but no "
            "system is such a log; drop them, or give folders that lm_eval --log_samples wrote"
        )
    roles = () if gold_columns is None else ("item", "rater", "value")
    own = {role: f"gold_columns.{role}" for role in roles}
    gold_roles = replace(gold_columns or columns, cluster=cluster)
    people = None if gold is None else given_data(gold, "gold", gold_roles, None, is_gold=True)
    people = people and replace(people, arguments=own)
    if kind != "scores":
        files = [(people.table, gold_roles, "gold_columns.")] if people else []
        files += [(source.table, columns, "") for source in sources.values()]
        unknown = [(table, asked, of) for table, asked, of in files if table and _needs_names(table, asked)]
        refuse_unnamed(unknown, columns)
    for source in sources.values():
        source.refuse_missing(columns)
    if people is not None and gold_columns is not None:
        # gold may lack a name that is only the systems'
        names = {role: getattr(gold_columns, role) for role in ("item", "value")}
        own_names = {role: name for role, name in names.items() if name != getattr(columns, role)}
        people.refuse_missing(Columns(rater=None, **own_names))
    kind = kind or _kind([*sources.values()], people)
    options = {"scale": scale, "classes": classes, "cluster": cluster, "paired": paired}
    options["lower_is_better"] = lower_is_better
    for argument, option in options.items():
        if option is not None and argument not in _OPTIONS[kind]:
            given = on_scale if argument == "scale" else option
            given = listed(classes) if argument == "classes" and classes else given
            raise NbykError(f"found {given}, and {kind} have none; leave it out", argument=argument)
    if gold is not None and lower_is_better is not None:
        raise NbykError(
            "metrics that compare with gold say which is better; leave it out", argument="lower_is_better"
        )
    direction = _direction(sources.values(), lower_is_better) if gold is None else (False, [])
    incomplete = tuple(
        f"{table.place}: {words}"
        for source in sources.values()
        for table in source.tables
        for words in table.incomplete
    )
    if kind == "scores":
        if gold is not None:
            raise NbykError("found gold beside scores of runs; leave it out, or give columns of items")
        if len(named) < 2:
            raise too_few(sources)
    if kind in ("classes", "distributions") and on_duplicates == "mean":
        raise NbykError(f"found mean, and {kind} have none; choose first or last", argument="on_duplicates")
    if kind == "classes" and people is None:
        raise NbykError("found classes, and no gold by which they are right; give it", argument="gold")
    labels, shares = ClassKind(classes), ShareKind()
    systems_kind = gold_kind = {
        "numbers": NumberKind(on_scale),
        "classes": labels,
        "distributions": shares,
        "scores": ScoreKind(by_runs=bool(paired)),
    }[kind]
    gold_ratings: Ratings | None = None
    if kind == "classes" and people is not None:  # gold names the classes
        gold_ratings = people.read(labels, mending)
        systems_kind = ClassKind(labels.names, "runs")
    ratings = {name: source.read(systems_kind, mending) for name, source in sources.items()}
    if gold_ratings is None and people is not None:
        gold_kind = NumberKind(on_scale, "raters") if kind == "numbers" else _kind_of_gold(people, shares)
        gold_ratings = people.read(gold_kind, mending)
    every = [*([] if gold_ratings is None else [gold_ratings]), *ratings.values()]
    if kind != "numbers":
        on_scale = FROM_0_TO_1
    elif on_scale is None:
        on_scale = _only_scale(every)
    _refuse_other_items(sources.values())
    notes = [note for read in every for note in read.mended] + direction[1]
    nameless = [read.place for read in every if read.nameless]
    if paired is None and kind == "scores":
        paired = not nameless
        if 0 < len(nameless) < len(every):
            notes.append(
                f"{nameless[0]} has no ids of items, as others have, so nbyk does not pair the scores"
            )
    is_paired = kind != "scores" or bool(paired)
    items: Sequence[str] = ()
    if is_paired:
        way_out = ", or test without pairs with `paired=False`" if kind == "scores" else ""
        items = common_items(every, on_missing, way_out)
    ordered = ordered_ids(items)
    if not nameless:
        items = ordered
    dropped = {str(read.place): read.n_items - len(items) for read in every if is_paired}
    notes += notes_on_summaries("item", items)
    notes += notes_on_summaries("run", (name for read in every if read.nameless for name in read.raters))
    names_of = {
        "items": union([read.items for read in every]),
        "raters or runs": (name for read in every for name in read.raters),
        "clusters": (name for read in every for name in read.clusters or ()),
        "systems": named,
    }
    notes += notes_on_look_alikes(names_of)
    column_sources = sources if kind in ("numbers", "classes") else {}
    like_systems = columns_like_systems(column_sources, has_gold=gold is not None)
    matrices: dict[str, Floats] = {}
    units: dict[str, Units] = {}
    for name, read in ratings.items():
        in_order = is_paired and items == ordered
        matrices[name], units[name] = read.responses(items if is_paired else read.items, in_order=in_order)
        if kind == "scores":
            matrices[name] = matrices[name][:, 0]
    gold_matrix: Floats | None = None
    gold_units: Units | None = None
    if gold_ratings is not None:
        gold_matrix, gold_units = gold_ratings.responses(items, in_order=items == ordered)
    may_be_gold = kind != "scores" and (gold_units is None or are_runs(gold_units))
    like_gold = systems_like_gold(ratings, units, matrices) if may_be_gold else {}
    doubts = tuple(like_gold.values())
    are_percent = kind == "numbers" and on_scale == Interval(0.0, 100.0)
    if (kind == "scores" or are_percent) and not direction[0] and not direction[1]:
        in_unit = {name: of * (100.0 if are_percent else 1.0) for name, of in matrices.items()}
        doubts += tuple(percent_beside_shares(in_unit))
    clusters = agreed_clusters(every, items)
    if cluster is not None and clusters is None:
        raise NbykError(
            f"found {cluster}, but no file has a column of that name; name the column of clusters that gold "
            "or a system has",
            argument="cluster",
        )
    said = {str(read.place): read.recognised for read in every if read.recognised}
    categories: Categories | None = None
    if kind == "classes":
        categories = Categories(labels.names, np.eye(len(labels.names)), kind, labels.ordered)
        if gold_ratings is not None and str(gold_ratings.place) in said:
            said[str(gold_ratings.place)] += f", classes = {', '.join(labels.names)}"
    elif kind == "distributions":
        places = matrices if gold_kind is not shares or gold_matrix is None else {"": gold_matrix, **matrices}
        arrays = {name: shares.of(matrix) for name, matrix in places.items()}
        coded, table = places_in_table(arrays, len(shares.names))
        gold_matrix = coded.pop("", gold_matrix)
        matrices, categories = coded, Categories(shares.names, table, kind)
    return Systems(
        () if kind == "scores" and nameless else items,
        gold_matrix,
        matrices,
        on_scale,
        {label: count for label, count in dropped.items() if count},
        (*doubts, *notes, *like_systems, *equal_systems(gold_matrix, matrices)),
        units,
        gold_units,
        clusters,
        said,
        kind,
        categories,
        is_paired,
        lower_is_better=direction[0],
        incomplete=incomplete,
        like_gold=like_gold,
        doubts=doubts,
    )


def _kind_of_gold(people: GivenData, shares: ShareKind) -> CellKind:
    """Return the kind of gold beside distributions, which may be the classes that people chose."""
    # one-hot rows look like the choices of several people
    is_one_hot = people.table is not None and {*shares.names} <= {*people.table.names}
    are_shares = people.table is None or people.kind == "distributions" or is_one_hot
    return shares if are_shares else ClassKind(shares.names)


def _needs_names(table: Table, asked: Columns) -> bool:
    """Return whether a table must have columns of items and values."""
    is_known = table.nameless or bool(table.roles)
    return not is_known and kind_of(table, asked) not in ("scores", "distributions")


def _direction(sources: Iterable[GivenData], asked: bool | None) -> tuple[bool, list[str]]:
    """Return whether lower values are better, as asked or as a log says, and notes if that may be wrong."""
    said: dict[bool, str] = {}
    notes = dict[str, None]()
    for source in sources:
        if source.table is None or source.table.nameless:
            continue
        name = value_column(source.table, source.columns)
        if source.table.scores:
            said.setdefault(name in source.table.lower, name)
        elif asked is None and is_usually_lower(name):
            notes[
                f"the values are called {name}, of which lower ones are usually better, and nbyk takes "
                "higher ones for better; say which is right with `lower_is_better`"
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


def _kind(sources: Sequence[GivenData], gold: GivenData | None) -> Kind:
    """Return the kind of all data: that of every table if they agree, and numbers otherwise."""
    if any(source.table is None for source in sources):
        return "numbers"
    found = [(source, source.kind) for source in sources]
    kinds = {kind for _, kind in found}
    if kinds == {"distributions"} or (kinds == {"scores"} and gold is None):
        return kinds.pop()
    gold_kind: Kind | None = None
    if gold is not None and gold.table is not None:
        gold_kind = gold.kind
        if kinds == {"classes"}:
            return "classes" if counts_labels(gold.table, gold.columns) else gold_kind
        if kinds == {"distributions", "numbers"} and gold_kind == "classes":
            return "distributions"  # the rows that sum to something else are named
        if kinds == {"numbers"} and gold_kind == "classes":
            raise sources[0].place.error(
                f"found numbers, expected classes as in {gold.place}, or a column for each with its "
                "probability; divide percentages by 100, or write gold as numbers, such as 1 for yes and 0 "
                "for no"
            )
    with_classes = [source for source, kind in found if kind == "classes"]
    if len(with_classes) == 1 < len(found) and gold_kind in (None, "distributions"):
        (odd,) = with_classes
        other, kind = next((source, kind) for source, kind in found if source is not odd)
        way_out = "give it as gold"
        if odd.place.file is not None:
            way_out = f"give it as {argument_with('gold', str(odd.place.file))}"
        raise odd.place.error(
            f"found classes, expected {kind} as in {other.place}; if it is gold, {way_out}"
            f"{f' in place of {gold.place}' if gold is not None else ''}"
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


def _refuse_other_items(sources: Iterable[GivenData]) -> None:
    """Raise NbykError if makers' files have different documents, or inputs, under one id."""
    known: dict[str, dict[str, str]] = {}
    for source in sources:
        for table in source.tables:
            for kind in (kind for kind in HASHES if table.roles and kind in table.names):
                items = table.column(table.roles["item"], "")
                for row, value in table.cells(kind):
                    refuse_other_item(known, str(items[row]), {kind: str(value)}, table.at(row))
