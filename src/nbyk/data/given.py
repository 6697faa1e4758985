"""Systems and gold as a user gives them: files by name, folders of runs, or one table of all systems."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from nbyk.arrays import Floats
from nbyk.data.arrays import is_frame
from nbyk.data.columns import (
    RUN_NAMES,
    Columns,
    clusters_beside,
    columns_of_values,
    known_column,
    other_than_system,
    recognised,
    run_columns,
)
from nbyk.data.kinds import CellKind, Kind, NumberKind, kind_of, same_kind
from nbyk.data.layouts import Mending, ids_in
from nbyk.data.lm_eval import SampleChoice
from nbyk.data.makers import refuse_models
from nbyk.data.ratings import Ratings, numbered, ordered_ids, refuse_alike
from nbyk.data.reading import is_log, read_as, reader_of, table_of
from nbyk.data.systems import by_name, check_names
from nbyk.data.tables import Table
from nbyk.data.text import some
from nbyk.data.units import Units
from nbyk.errors import DataPlace, NbykError, argument_with, renaming
from nbyk.words import DataDoubt, listed

Input: TypeAlias = Any
"""A path, ratings, a data frame of pandas, polars or pyarrow, or an array of numpy."""

_SPLIT = (
    "write each one into a file of its own, with the columns item and value, or all into one table with the "
    "columns item, system and value"
)
_LIKE_GOLD = re.compile(
    r"(.*[-_. ])?(gold|labels?|references?|truth)([-_. ](labels?|ratings?|answers?|standard))?", re.IGNORECASE
)
_RUN = re.compile("|".join(RUN_NAMES), re.IGNORECASE)


def named_systems(arguments: Iterable[str | os.PathLike[str]]) -> dict[str, str]:
    """Return the path of each system by its name, from arguments ``path`` or ``name=path``.

    A path without a name gets its file name without the suffix, or its folder's name.
    """
    named: dict[str, str] = {}
    for given in arguments:
        argument = os.fspath(given)
        name, equals, path = argument.partition("=")
        # A folder may be called task=mmlu, as partitioned data sets are.
        if not equals or os.path.exists(argument) or os.sep in name:
            path = argument
            resolved = Path(os.path.abspath(argument))
            name = resolved.name if resolved.is_dir() else resolved.stem
        if not name.strip() or not path:
            raise NbykError(f"system {argument!r}: expected a path, or name=path with a name and a path")
        check_names([name])
        if name in named:
            raise NbykError(
                f"two systems are named {name!r} ({named[name]} and {path}); give one another name, as in "
                f"{name}2={path}"
            )
        named[name] = path
    return named


def given_systems(
    systems: Any, column: str | None, wide: Columns | None = None, *, as_scores: bool = False
) -> dict[str, Any]:
    """Return each system by its name: a path, a data frame, ratings, or its rows of one table.

    `systems` are systems by name, arguments in a form that `named_systems` takes, or one data frame. One
    table may hold them all, with a `column` of systems (None for one of a known name), or a column for each
    beside those of items in `wide` (None if such columns are not systems), or in a table without items beside
    those of runs; `as_scores` says that there need be none of runs.
    """
    if is_frame(systems):
        named: dict[str, Any] = {"systems": systems}
    elif isinstance(systems, Mapping):
        named = by_name(systems)
    else:
        is_one = isinstance(systems, str | os.PathLike) or not isinstance(systems, Iterable)
        paths = [systems] if is_one else [*systems]
        if strange := [type(of).__name__ for of in paths if not isinstance(of, str | os.PathLike)]:
            raise NbykError(
                f"found {strange[0]}, expected paths, one table of all, or each system by its "
                'name, as in {"a": frame_a, "b": frame_b}',
                argument="systems",
            )
        named = dict(named_systems(paths))
    if len(named) != 1:
        if column is not None:
            raise NbykError(
                f"found {column!r} and {len(named)} files; a column of systems needs one table of all "
                "systems: give that table alone",
                argument="system",
            )
        return named
    given = next(iter(named.values()))
    is_path = isinstance(given, str | os.PathLike)
    if not is_frame(given) and (not is_path or is_log(given) or _holds_runs(given)):
        return named
    table = table_of(given)
    if table.nameless:
        return named
    system_column = column or known_column(table, "system")
    if system_column is None:
        return _systems_in_columns(table, wide, as_scores=as_scores) or named
    hint = "name the column of systems with `system`"
    names, system_of_row = numbered(ids_in(table, system_column, hint))
    refuse_alike("system", names, system_of_row, table.at)
    rows = np.split(np.argsort(system_of_row, kind="stable"), np.cumsum(np.bincount(system_of_row))[:-1])
    return {
        name: table.taken(of.tolist(), without=system_column) for name, of in zip(names, rows, strict=False)
    }


def _systems_in_columns(table: Table, wide: Columns | None, *, as_scores: bool) -> dict[str, Table]:
    """Return the systems of a table with a column for each; {} of another table."""
    asked = replace(wide or Columns(), rater=None)
    roles = recognised(table, asked)
    runs = run_columns(table)
    has_items = roles.item in table.names
    known = (clusters_beside(table, roles) | {roles.item}) if has_items else set()
    beside = [name for name in table.names if name in known]
    others = [name for name in table.names if name not in (*runs, *beside)]
    if len(others) < 2 or roles.value in table.names or len(set(table.names)) < len(table.names):
        return {}
    if has_items:
        if wide is None or table.roles or any(map(other_than_system, others)):
            return {}
        columns = [table.column(name, "") for name in others]
        if not same_kind(columns):
            return {}
        beside += runs[:1]
    elif not runs and not as_scores:
        return {}
    elif other := next(filter(other_than_system, others), None):
        raise table.place.error(
            f"the columns {listed(others)} would each be a system, and {other!r} is of none by its name; "
            "leave it out, or name the column of one system's scores with `value`"
        )
    else:
        beside = runs
    about = f"each a column of {table.place}"
    kept = tuple(table.column(name, "") for name in beside)
    names = {name: (*beside, asked.value if has_items else name) for name in others}
    return {
        name: replace(table, names=of, columns=(*kept, table.column(name, "")), about=about)
        for name, of in names.items()
    }


@dataclass(frozen=True)
class GivenData:
    """A table or ratings; `runs` are the files of a folder, and `notes` say what else is in it.

    `arguments` are the names of those that say the columns, if they have others, by role.
    """

    place: DataPlace
    table: Table | None = None
    columns: Columns = field(default_factory=Columns)
    ratings: Ratings | None = None
    runs: tuple[GivenData, ...] = ()
    notes: tuple[str, ...] = ()
    arguments: Mapping[str, str] = field(default_factory=dict)

    @property
    def tables(self) -> list[Table]:
        """The tables: one, those of the files of a folder, or none of ratings."""
        return [run.table for run in self.runs or (self,) if run.table is not None]

    @cached_property
    def kind(self) -> Kind:
        """The kind of the cells; ratings that were read are numbers."""
        with renaming(self.arguments):
            return "numbers" if self.table is None else kind_of(self.table, self.columns)

    @property
    def needs_names(self) -> bool:
        """Whether there must be columns of items and values."""
        is_known = self.table is None or self.table.nameless or bool(self.table.roles)
        return not is_known and self.kind not in ("scores", "distributions")

    @property
    def givers(self) -> list[str]:
        """The columns of a table with one for each rater, run or system; none of another table's."""
        table = self.table
        if table is None or table.nameless or table.roles or self.runs:
            return []
        if recognised(table, Columns()).rater in table.names:
            return []
        names = columns_of_values(table, self.columns)
        return names if len(names) > 1 else []

    def refuse_missing(self, asked: Columns) -> None:
        """Raise NbykError if columns are asked for by name, and the table has none or not that of values."""
        if self.table is None:
            return
        with renaming(self.arguments):
            for role, name in (("item", asked.item), ("value", asked.value)):
                is_one = role == "value" and name in self.table.names
                if name != role and self.table.nameless and not is_one:
                    raise self.place.error(
                        "has no columns; leave it out, or give a table, such as .csv", argument=role
                    )
            if asked.value != "value" and not self.table.nameless:
                self.table.column(asked.value, "name the column of the values with `value`")

    def read(self, kind: CellKind, mending: Mending) -> Ratings:
        """Return the data read as a kind, the files of a folder one by one, each as a run."""
        if self.runs:
            return self._as_runs([run.read(kind, mending) for run in self.runs], kind)
        if self.table is not None:
            with renaming(self.arguments):
                return replace(read_as(kind, self.table, self.columns, mending), place=self.place)
        assert self.ratings is not None
        if type(kind) is not NumberKind:
            raise self.place.error(
                f"holds numbers, expected {kind.name}; read all data as numbers, or give a table"
            )
        ratings = replace(self.ratings, place=self.place)
        return ratings if kind.scale is None else ratings.normalised(kind.scale)

    def _as_runs(self, runs: Sequence[Ratings], kind: CellKind) -> Ratings:
        """Return the ratings in the files of a folder, each as a run under its name."""
        if kind.name == "scores" and len(runs) > 1:
            raise self.place.error(
                f"is a folder of {len(runs)} files of scores, expected one file; write them into one "
                "table, with a row for each run"
            )
        items: list[str] = []
        names: list[str] = []
        clusters: list[str] = []
        for run in runs:
            if run.n_ratings > run.n_items:
                raise run.place.error(
                    "holds several answers to an item, expected one run in each file of a folder; give the "
                    "file alone, or one file for each run"
                )
            stem = Path(str(run.place.file)).stem
            items += run.items
            names += [stem if _RUN.search(stem) else f"run {stem}"] * run.n_items
            clusters += run.clusters or ()
        if clusters and len(clusters) < len(items):
            raise self.place.error("some of its files have clusters, and others have none; give them to all")
        n_items = len(set(items))
        notes = [
            f"{run.place} has {run.n_items} of the {n_items} items" for run in runs if run.n_items < n_items
        ]
        values = np.concatenate([run.values for run in runs])
        ratings = Ratings.from_columns(
            items,
            names,
            values,
            at=lambda _: self.place,
            clusters=clusters or None,
            fewest=kind.fewest_items,
        )
        return replace(
            ratings,
            mended=(*self.notes, *notes, *(note for run in runs for note in run.mended)),
            recognised=", ".join(dict.fromkeys(run.recognised for run in runs if run.recognised)),
            place=self.place,
            nameless=runs[0].nameless,
        )


def _folder(path: Path, name: str, columns: Columns, samples: SampleChoice | None) -> GivenData:
    names = ordered_ids(file.name for file in path.iterdir() if not file.name.startswith("."))
    files = [path / name for name in names if (path / name).is_file() and not name.startswith("_")]
    # other tools write marks such as _SUCCESS into their folders
    others = [name for name in names if path / name not in files and (Path(name).suffix or name[0] != "_")]
    if not files:
        raise NbykError(
            "is a folder without files, expected one of each run, such as seed1.csv, or the output of "
            "lm_eval --log_samples (samples_<task>_<date>.jsonl)",
            file=path,
        )
    for one, other in combinations(files, 2):
        if one.stem == other.stem:
            raise NbykError(
                f"holds {one.name} and {other.name}, which would be one run; expected one file of each: "
                "rename one, or move it away",
                file=path,
            )
    runs = tuple(given_data(file, name, columns, samples) for file in files)
    models = dict.fromkeys(" and ".join(run.table.models) for run in runs if run.table and run.table.models)
    refuse_models(path, "runs", models)
    for run in runs:
        if run.table and runs[0].table and run.table.nameless and len(run.table) != len(runs[0].table):
            raise run.place.error(
                f"has {len(run.table)} items, and {runs[0].place} has {len(runs[0].table)}, without ids; "
                "expected as many in each run: mend the file, or add a column item to all"
            )
    notes = (f"{path}: not read, because they are folders or begin with _: {some(others, str)}",)
    return replace(runs[0], place=DataPlace(path), runs=runs, notes=notes if others else ())


def _holds_runs(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a folder with a file of each run."""
    return Path(path).is_dir() and reader_of(path) is None


def given_data(
    given: Input, name: str, columns: Columns, samples: SampleChoice | None, *, is_gold: bool = False
) -> GivenData:
    """Return data as they are given; the parameters are those of `nbyk.read_systems`."""
    is_path = isinstance(given, str | os.PathLike)
    place = DataPlace(given) if is_path else DataPlace(name=name)
    if isinstance(given, Ratings):
        return GivenData(place, ratings=given)
    if is_gold and is_path and (is_log(given) or _holds_runs(given)):
        raise place.error(
            "is a folder or a log of lm_eval, expected a file of gold, with a column for each person; give "
            "the scores of a model as a system"
        )
    if is_path and _holds_runs(given):
        return _folder(Path(given), name, columns, samples)
    table = table_of(given, samples)
    if table is not given and not is_path:
        # "the data frame" would be any of the systems'
        table = replace(table, place=place)
    if columns.cluster not in table.names or table.nameless:
        columns = replace(columns, cluster=None)  # one file with clusters is enough
    return GivenData(place, table, columns)


def refuse_too_few(sources: Mapping[str, GivenData], fewest: int, *, has_gold: bool = False) -> None:
    """Raise NbykError if there are too few systems, or if the columns of the only one may be systems."""
    if not sources:
        raise NbykError("found no system, expected at least two to compare; give a file for each")
    (name, source), *others = sources.items()
    givers = [] if others else source.givers
    are_shares = bool(givers) and source.kind == "distributions"
    may_be_systems = bool(givers) and not all(map(_RUN.search, givers)) and not (are_shares and has_gold)
    if not may_be_systems and len(sources) >= fewest:
        return
    if not givers or source.table is None:
        raise NbykError(
            f"found one system, {name}, expected at least two to compare; give another file, or, if this one "
            "holds all systems, name their column with `system`"
        )
    alike = same_kind([source.table.column(name, "") for name in givers])
    others_are = "" if alike else "; if one is of clusters, name it (`cluster`)"
    if are_shares:
        others_are = "; if they are classes with their probabilities, give gold (`gold`)"
    has_items = recognised(source.table, Columns(source.columns.item, None)).item in source.table.names
    are_systems = f"they are systems, {_SPLIT}"
    if not has_items:
        are_systems = (
            'each row is a run of systems, give `kind="scores"`; if it is an item, add a column item'
        )
    raise source.place.error(
        f"found one system, with the columns {listed(givers)}, expected at least two to compare; if "
        f"{are_systems}; if they are raters of one system, write one rating a row, with "
        f"the columns item, rater and value{others_are}",
    )


def columns_like_systems(sources: Mapping[str, GivenData], *, has_gold: bool) -> Iterator[str]:
    """Yield a note on tables whose columns have names of systems; with gold, of runs, it is an error."""
    for name, source in sources.items():
        same = [column for column in source.givers if column in sources]
        if len(same) > 1:
            what = f"the columns {listed(same)} have the names of systems"
            if has_gold:
                raise source.place.error(f"{what}, expected columns of runs of {name}; {_SPLIT}")
            read = f"and nbyk reads them as raters or runs of {name}"
            yield f"{name}: {what}, {read}; if they are systems, {_SPLIT}"


def systems_like_gold(
    systems: Mapping[str, Ratings], units: Mapping[str, Units], responses: Mapping[str, Floats]
) -> Iterator[DataDoubt]:
    """Yield the caution about a system that looks like gold, if one does.

    It has such a name, or several people for each item where all others have one answer, or runs.
    """
    several = [name for name, matrix in responses.items() if matrix.shape[1] > 1]
    people = [name for name in several if are_people(units[name])]
    named = [name for name in systems if _LIKE_GOLD.fullmatch(name)]
    if len(systems) < 2:
        return
    if len(named) == 1:
        name, why = named[0], "its name"
    elif len(people) == 1 and all(map(are_runs, (units[of] for of in several if of not in people))):
        name = people[0]
        others = "runs" if several != people else "one answer"
        why = f"up to {responses[name].shape[1]} people for each item, and {others} of each other system"
    else:
        return
    file = systems[name].place.file
    way = argument_with("gold", os.fspath(file)) if file is not None else "`gold`"
    doubt = DataDoubt(
        f"{name} looks like gold ({why}), and is compared as a system: if it is gold, give it as {way}"
    )
    doubt.system = name
    yield doubt


def percent_beside_shares(values: Mapping[str, Floats]) -> Iterator[DataDoubt]:
    """Yield the caution about values that look like percentages, where the other systems' look like shares.

    They are then 50 to 200 times as large, which no two systems of use are apart.
    """
    ends = {name: (float(np.nanmin(of)), float(np.nanmax(of))) for name, of in values.items()}
    shares = [name for name, (low, high) in ends.items() if low >= 0.0 and high <= 1.0]
    percent = [name for name, (low, high) in ends.items() if low >= 0.0 and 1.0 < high <= 100.0]
    if not shares or not percent or len(shares) + len(percent) < len(values):
        return
    means = [np.mean([np.nanmean(values[name]) for name in names]) for names in (shares, percent)]
    if not 50.0 * means[0] <= means[1] <= 200.0 * means[0] or means[0] == 0.0:
        return
    said = [f"{name} from {ends[name][0]:g} to {ends[name][1]:g}" for name in (shares[0], percent[0])]
    yield DataDoubt(
        f"the values of {' and those of '.join(said)} look like shares and percentages, and nbyk compares "
        f"them as they are: divide those of {listed(percent)} by 100 if they are"
    )


def are_people(units: Units) -> bool:
    """Return whether responses have raters whose names are not those of runs."""
    return units.known_by == "ids" and not any(map(_RUN.search, units.names))


def are_runs(units: Units) -> bool:
    """Return whether responses have runs, by the names of all."""
    return units.known_by == "ids" and all(map(_RUN.search, units.names))
