"""Gold and any number of systems, rated on the same items: from files of any format to aligned matrices."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nbyk.data.alignment import differing_items
from nbyk.data.categories import Categories, Kind
from nbyk.data.columns import Columns
from nbyk.data.given_systems import columns_like_systems, given_systems, too_few
from nbyk.data.lm_eval import SampleChoice, holds_samples, read_samples, refuse_other_document
from nbyk.data.mending import Mending
from nbyk.data.ratings import Ratings, agreed_clusters, ordered_ids
from nbyk.data.readers import is_recorded
from nbyk.data.reading import NAMELESS_SUFFIXES, numbers_on, read_as, table_of
from nbyk.data.response_set import ResponseSet, response_set
from nbyk.data.rows import given_place
from nbyk.data.scales import GivenScale, Interval, Scale, as_scale
from nbyk.data.tables import Table
from nbyk.data.units import Units
from nbyk.errors import DataPlace, NbykError, renaming, unknown_name
from nbyk.words import listed

Floats = NDArray[np.float64]
Input: TypeAlias = Any
"""A path, ratings, or a data frame of pandas, polars or pyarrow."""

OnMissing = Literal["refuse", "drop"]

_MOST_LEVELS = 11
"""Errors propose whole numbers as levels if they span fewer than this many values."""


@dataclass(frozen=True, eq=False)
class Systems:
    """Responses of raters (gold, if any) and of systems to the same N items, normalised to [0, 1].

    Make one with `read_systems`, which validates.

    Attributes
    ----------
    items
        The items' ids, in the order of the rows: that of `nbyk.data.ratings.ordered_ids`, not that of
        the files, so that no number depends on the latter. Arrays, whose items have no ids, keep theirs.
    gold : ndarray, shape (N, K_gold), or None
        The raters' responses; None if people rated the systems' outputs.
    responses
        Each system's responses by its name, in the order given: shape (N, K), where K may differ between
        systems. The responses of an item come first in its row, and NaN after them.
    scale
        The scale of the ratings before they were normalised.
    dropped
        The number of items dropped from each file because another file lacks them; files that lost none are
        left out. Ratings that do not come from a file are named "gold" or by their system.
    notes
        Warnings about things that are allowed but seldom meant, such as a system equal to gold, a sentence
        each.
    units
        The raters or runs behind the responses, by the system's name.
    gold_units
        The raters behind gold; None if there is no gold.
    clusters
        The name of each item's cluster, shape (N,); None if no clusters were read.
    recognised
        The columns that were read in place of those asked for, and their roles, in words by file.
    """

    items: tuple[str, ...]
    gold: Floats | None
    responses: Mapping[str, Floats]
    scale: Scale
    dropped: Mapping[str, int]
    notes: tuple[str, ...]
    units: Mapping[str, Units]
    gold_units: Units | None
    clusters: tuple[str, ...] | None = None
    recognised: Mapping[str, str] = field(default_factory=dict)
    categories: Categories | None = None

    @property
    def kind(self) -> Kind:
        """What the responses are: "numbers", "classes" or "distributions"."""
        return "numbers" if self.categories is None else self.categories.kind

    @property
    def names(self) -> tuple[str, ...]:
        """The systems' names."""
        return tuple(self.responses)

    @property
    def n_items(self) -> int:
        """Number of items N."""
        return len(self.items)

    @property
    def all_units(self) -> dict[str, Units]:
        """The units behind all responses: by system, and by "gold" if there is any."""
        return dict(self.units) if self.gold_units is None else {"gold": self.gold_units, **self.units}

    def with_units(self, raters: str | None, runs: str | None) -> Systems:
        """Return the systems with gold's raters, and the systems' runs, "shared" or "fresh" as declared.

        Raises
        ------
        NbykError
            If the declaration contradicts the ids (`nbyk.data.units.Units.declared`), or there are no raters.
        """
        gold, units = self.gold_units, self.units
        if raters is not None:
            if gold is None:
                raise NbykError(
                    "there is no gold, and this is about gold's raters; leave it out", argument="rater_ids"
                )
            gold = gold.declared(raters, "rater_ids")
        if runs is not None:
            units = {name: of_name.declared(runs, "run_ids") for name, of_name in units.items()}
        return replace(self, gold_units=gold, units=units)

    def pair(self, a: str, b: str) -> ResponseSet:
        """Return two systems and gold, if any, as a response set.

        Raises
        ------
        NbykError
            If there is no system of that name.
        """
        for name in (a, b):
            if name not in self.responses:
                raise unknown_name("system", name, self.responses)
        units = {"a": self.units[a], "b": self.units[b]}
        if self.gold_units is not None:
            units["gold"] = self.gold_units
        data = response_set(
            self.gold, self.responses[a], self.responses[b], units=units, cluster=self.clusters
        )
        return replace(data, categories=self.categories)


@dataclass(frozen=True)
class _Source:
    """Ratings and the place that they come from."""

    place: DataPlace
    ratings: Ratings
    is_array: bool = False
    documents: Mapping[str, Mapping[str, str]] | None = None

    @property
    def label(self) -> str:
        return str(self.place)


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
) -> Systems:
    """Read two or more systems, and gold if there is any, as responses to the same items.

    Each is a file or a data frame that `read_ratings` reads, or ratings already read. One long table may hold
    all systems, with a column that names them. A system may also be logs of ``lm_eval --log_samples``: a
    folder of runs or one samples file (see `read_samples`).

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
        The metric, task and filter of lm-evaluation-harness to take.
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

    Raises
    ------
    NbykError
        If there are fewer than two systems, two have the same name, a file cannot be read, a rating is off
        the scale, items do not match, or fewer than two items are left; if `samples` is given without such
        logs; or if no file has the column of clusters, two files disagree on an item's cluster, or there is
        only one cluster.
    """
    if on_missing not in ("refuse", "drop"):
        raise NbykError(f"found {on_missing!r}, expected refuse or drop", argument="on_missing")
    scale = as_scale(scale)
    named = given_systems(systems, system)
    if len(named) < 2:
        raise too_few(named, item, cluster)
    columns, mending = Columns(item, rater, value, cluster), Mending(on_duplicates, on_empty)
    sources = {name: _read(given, name, scale, samples, columns, mending) for name, given in named.items()}
    if samples not in (None, SampleChoice()) and all(source.documents is None for source in sources.values()):
        raise NbykError(
            "`SampleChoice.metric`, `SampleChoice.task` and `SampleChoice.filter` choose among the scores of "
            "lm_eval logs, but no system is such a log; drop them, or give folders that "
            "lm_eval --log_samples wrote"
        )
    gold_source = None
    if gold is not None:
        is_path = isinstance(gold, str | os.PathLike)
        if is_path and not is_recorded(gold) and holds_samples(gold):
            raise NbykError(
                "is a folder or a log of lm_eval, expected a file of gold ratings; "
                "give the scores of a model as a system",
                file=gold,
            )
        of_gold = replace(gold_columns or columns, cluster=cluster)
        own = {role: f"gold_columns.{role}" for role in ("item", "rater", "value")}
        with renaming({} if gold_columns is None else own):
            gold_source = _read(gold, "gold", scale, samples, of_gold, mending)
    every = [*([gold_source] if gold_source else []), *sources.values()]
    if scale is None:
        scale = _only_scale(every)
    _refuse_other_documents(sources.values())
    items = _common_items(every, on_missing)
    if not any(source.is_array for source in every):
        items = ordered_ids(items)
    dropped = {source.label: source.ratings.n_items - len(items) for source in every}
    raters = {name: source.ratings.raters for name, source in sources.items()}
    like_systems = columns_like_systems(named, raters, has_gold=gold is not None)
    matrices: dict[str, Floats] = {}
    units: dict[str, Units] = {}
    for name, source in sources.items():
        matrices[name], units[name] = _rows(source.ratings, items)
    gold_matrix, gold_units = _rows(gold_source.ratings, items) if gold_source else (None, None)
    clusters = agreed_clusters(((source.place, source.ratings) for source in every), items)
    if cluster is not None and clusters is None:
        raise NbykError(
            f"found {cluster}, but no file has a column of that name; name the column of clusters that gold "
            "or a system has",
            argument="cluster",
        )
    return Systems(
        items,
        gold_matrix,
        matrices,
        scale,
        {label: count for label, count in dropped.items() if count},
        (
            *(note for source in every for note in source.ratings.mended),
            *like_systems,
            *_notes(gold_matrix, matrices),
        ),
        units,
        gold_units,
        clusters,
        {source.label: source.ratings.recognised for source in every if source.ratings.recognised},
    )


def _read(
    given: Input,
    name: str,
    scale: Scale | None,
    samples: SampleChoice | None,
    columns: Columns,
    mending: Mending,
) -> _Source:
    is_path, place = isinstance(given, str | os.PathLike), given_place(given, name)
    if isinstance(given, Ratings):
        return _Source(place, given if scale is None else given.normalised(scale, place))
    if is_path and not is_recorded(given) and holds_samples(given):
        logged = read_samples(given, samples)
        ratings = logged.ratings if scale is None else logged.ratings.normalised(scale, place)
        return _Source(place, ratings, documents=logged.documents)
    is_nameless = is_path and Path(given).suffix.lower() in NAMELESS_SUFFIXES
    table = given if is_nameless else table_of(given)
    if isinstance(table, Table) and table is not given and not is_path:
        # "the data frame" would be any of the systems'
        table = replace(table, rows=replace(table.rows, place=place))
    if columns.cluster is not None and not (isinstance(table, Table) and columns.cluster in table.names):
        columns = replace(columns, cluster=None)  # one file with clusters is enough
    return _Source(place, read_as(numbers_on(scale), table, columns, "auto", mending), is_nameless)


def _only_scale(sources: Sequence[_Source]) -> Scale:
    """Return [0, 1] if all ratings lie in it; every other scale must be declared."""
    scale = Interval(0.0, 1.0)
    for source in sources:
        ratings = source.ratings
        outside = scale.outside(ratings.values)
        if outside.any():
            row = int(np.flatnonzero(outside)[0])
            values = np.unique(np.concatenate([other.ratings.values for other in sources]))
            low, high = values[0], values[-1]
            options = f"`scale` {low:g}..{high:g} if those are its ends"
            if (values == np.rint(values)).all() and high - low < _MOST_LEVELS:
                levels = ",".join(f"{level:g}" for level in np.arange(low, high + 1))
                options += f", or `scale` {levels} for ordered levels"
            raise source.place.error(
                f"item {ratings.items[ratings.item_index[row]]!r} is rated "
                f"{ratings.values[row]:g}, and all ratings run from {low:g} to {high:g}; expected 0 to 1 "
                f"where no scale is declared: declare it, as with {options}"
            )
    return scale


def _refuse_other_documents(sources: Iterable[_Source]) -> None:
    """Raise NbykError if two logs of lm_eval have different documents under one id."""
    known: dict[str, dict[str, str]] = {}
    for source in sources:
        for item, hashes in (source.documents or {}).items():
            refuse_other_document(known, item, hashes, source.place)


def _common_items(sources: Sequence[_Source], on_missing: OnMissing) -> tuple[str, ...]:
    """Return the items that all sources have, in the order of the first."""
    first, *others = sources
    differing = [
        source
        for source in others
        if source.ratings.items != first.ratings.items
        and set(source.ratings.items) != set(first.ratings.items)
    ]
    if not differing:
        return first.ratings.items
    nameless = any(source.is_array for source in (first, *differing))
    common = set(first.ratings.items).intersection(*(source.ratings.items for source in others))
    if nameless or on_missing == "refuse":
        way_out = "give all files the same items, or keep those in all of them with `on_missing` drop"
        if nameless:
            way_out = (
                "the rows of an array have no names by which to match them: give all files the same rows in "
                "the same order, or write the array as a table with a column item"
            )
        elif not common:
            way_out = (
                "no item is in all files: check that the ids are of the same items, and written the same way"
            )
        raise differing_items(
            [(source.place, source.ratings.items) for source in differing],
            first.place,
            first.ratings.items,
            f"{_near(first, differing[0])}; {way_out}",
        )
    if len(common) < 2:
        names = listed([source.label for source in others])
        raise first.place.error(
            f"has {len(common)} item(s) in common with {names}{_near(first, differing[0])}, expected at "
            "least two; check that the ids are of the same items and written alike"
        )
    return tuple(name for name in first.ratings.items if name in common)


def _near(first: _Source, other: _Source) -> str:
    """Return a hint about two ids of two sources that may be meant to be one; "" if there are none."""
    shared = set(first.ratings.items).intersection(other.ratings.items)
    lacking = {_simplified(name): name for name in first.ratings.items if name not in shared}
    for name in other.ratings.items:
        meant = lacking.get(_simplified(name))
        if name not in shared and meant is not None:
            # Two forms of an accent look the same unless they are spelt out.
            alike = unicodedata.normalize("NFC", name) == unicodedata.normalize("NFC", meant)
            shown = ascii if alike else repr
            return f" (is {shown(name)} the same as {shown(meant)}? then write them alike)"
    return ""


def _simplified(name: str) -> str:
    """Return an id without the usual differences between two spellings: spaces, case, a decimal .0."""
    text = unicodedata.normalize("NFKC", name).strip().casefold()
    try:
        return f"{float(text):.17g}"
    except ValueError:
        return text


def _rows(ratings: Ratings, items: tuple[str, ...]) -> tuple[Floats, Units]:
    """Return some items' rows of `Ratings.matrix`, without columns that are all NaN, and their units."""
    if ordered_ids(items) == items:
        ratings = ratings.in_order_of_ids()
    matrix, units = ratings.matrix(), ratings.units()
    if ratings.items != items:
        row_of = {name: row for row, name in enumerate(ratings.items)}
        rows = [row_of[name] for name in items]
        matrix, units = matrix[rows], units.taken(rows)
    filled = ~np.isnan(matrix).all(axis=0)
    return np.ascontiguousarray(matrix[:, filled]), units.taken(slice(None), filled)


def _notes(gold: Floats | None, responses: Mapping[str, Floats]) -> Iterable[str]:
    """Say which systems are equal to gold or to each other."""
    for name, matrix in responses.items():
        if gold is not None and np.array_equal(gold, matrix, equal_nan=True):
            yield f"{name} has the same ratings as gold"
    for (name, matrix), (other, same) in combinations(responses.items(), 2):
        if np.array_equal(matrix, same, equal_nan=True):
            yield f"{name} and {other} have the same ratings"
