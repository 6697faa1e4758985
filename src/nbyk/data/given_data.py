"""One system, or gold, as it is given, and read as some kind of data."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nbyk.data.alignment import ItemIds, rows_of
from nbyk.data.columns import Columns, missing_roles, proposed
from nbyk.data.kinds import CellKind, Classes, ClassShares, Kind, distribution_cells, kind_of, numbers_on
from nbyk.data.layouts import Entries
from nbyk.data.lm_eval import SampleChoice
from nbyk.data.mending import Mending
from nbyk.data.ratings import Ratings, ordered_ids
from nbyk.data.reading import as_ratings, cells_of, is_log, reader_of, table_of
from nbyk.data.scales import Scale
from nbyk.data.tables import Table, given_place
from nbyk.data.units import Units
from nbyk.errors import DataPlace, NbykError, renaming

Floats = NDArray[np.float64]
_LISTED = 8
Input: TypeAlias = Any
"""A path, ratings, a data frame of pandas, polars or pyarrow, or an array of numpy."""


@dataclass(frozen=True)
class GivenData:
    """A table or ratings, and the place that they come from; `read` makes ratings of a table.

    The values of ratings are numbers, or places of classes or in `rows`, which are distributions. A folder
    has a file for each of its `runs`; its table is the first's.
    """

    place: DataPlace
    table: Table | None = None
    columns: Columns = field(default_factory=Columns)
    given: Ratings | None = None
    rows: Floats | None = None
    runs: tuple[GivenData, ...] = ()

    def each(self, read: Callable[[GivenData], GivenData]) -> GivenData:
        """Return the source read by a function; the files of a folder are read one by one, each as a run."""
        return _as_runs(self, [read(run) for run in self.runs]) if self.runs else read(self)

    @property
    def nameless(self) -> bool:
        """Whether rows and columns have no names."""
        return self.table is not None and self.table.nameless

    @property
    def ratings(self) -> Ratings:
        """The ratings, once they are read."""
        assert self.given is not None
        return self.given

    def ids(self) -> ItemIds:
        """Return the items, with their place."""
        return ItemIds(self.place, self.ratings.items, self.nameless)

    def refuse_missing(self, asked: Columns) -> None:
        """Raise NbykError if columns are asked for by name, and the table has none or not that of values."""
        if self.table is None:
            return
        for role, name in (("item", asked.item), ("value", asked.value)):
            if name != role and self.table.nameless and name not in self.table.names:
                raise NbykError(
                    "has no columns; leave it out, or give a table, such as .csv",
                    argument=role,
                    file=self.place.file,
                    name=self.place.name,
                )
        if asked.value != "value" and not self.table.nameless:
            self.table.column(asked.value, "name the column of the values with `value`")

    def read(self, cells: Entries, kind: CellKind, mending: Mending) -> GivenData:
        """Return the data with the ratings in some cells."""
        return replace(self, given=as_ratings(cells, kind, self.columns, mending))

    def cells(self, kind: Kind, mending: Mending) -> Entries:
        """Return the cells of the table, one for each rating."""
        if self.table is None:
            raise self.place.error(
                f"holds numbers, expected {kind}; read all data as numbers, or give a table"
            )
        if kind == "distributions":
            return distribution_cells(self.table, self.columns)
        return cells_of(self.table, self.columns, mending)

    def numbers(self, scale: Scale | None, mending: Mending) -> GivenData:
        """Return the data read as numbers."""
        if self.given is None:
            return self.read(self.cells("numbers", mending), numbers_on(scale), mending)
        return self if scale is None else replace(self, given=self.given.normalised(scale, self.place))

    def distributions(self, over: ClassShares, mending: Mending, *, is_gold: bool = False) -> GivenData:
        """Return the source read as distributions; classes that people chose stay classes."""
        table, classes = self.table, over.names
        are_chosen = is_gold and table is not None and kind_of(table, self.columns) != "distributions"
        # one-hot rows look like the choices of several people
        if table is None or not are_chosen or set(classes) <= set(table.names):
            read = self.read(self.cells("distributions", mending), over.kind, mending)
            return replace(read, rows=over.rows)
        return self.read(self.cells("classes", mending), Classes(classes).kind, mending)

    def values(self, items: tuple[str, ...]) -> tuple[Floats, Units]:
        """Return the values of some items, without columns that are all NaN, and their units."""
        ratings = self.ratings
        if ordered_ids(items) == items:
            ratings = ratings.in_order_of_ids()
        matrix, units = ratings.matrix(), ratings.units()
        if ratings.items != items:
            rows = rows_of(ratings.items, items)
            matrix, units = matrix[rows], units.taken(rows)
        filled = ~np.isnan(matrix).all(axis=0)
        matrix, units = np.ascontiguousarray(matrix[:, filled]), units.taken(slice(None), filled)
        if self.rows is None:
            return matrix, units
        there = ~np.isnan(matrix)
        distributions = np.full((*matrix.shape, self.rows.shape[1]), np.nan)
        distributions[there] = self.rows[matrix[there].astype(np.int64)]
        return distributions, units


def _as_runs(folder: GivenData, runs: Sequence[GivenData]) -> GivenData:
    """Return a folder whose files have been read, each as a run under its name."""
    items: list[str] = []
    names: list[str] = []
    clusters: list[str] = []
    values, rows, n_rows = [], [], 0
    for run in runs:
        ratings, file = run.ratings, Path(str(run.place.file))
        if len(ratings.item_index) > len(ratings.items):
            raise run.place.error(
                "holds several answers to an item, expected one run in each file of a folder; give the file "
                "alone, or one file for each run"
            )
        of_entries = ratings.item_index.tolist()
        items += [ratings.items[item] for item in of_entries]
        names += [file.stem] * len(of_entries)
        if ratings.clusters is not None:
            clusters += [ratings.clusters[item] for item in of_entries]
        values.append(ratings.values + n_rows)
        if run.rows is not None:
            rows.append(run.rows)
            n_rows += len(run.rows)
    if clusters and len(clusters) < len(items):
        raise folder.place.error("some of its files have clusters, and others have none; give them to all")
    ratings = Ratings.from_columns(items, names, np.concatenate(values), clusters=clusters or None)
    said = tuple(note for run in runs for note in run.ratings.mended)
    recognised = ", ".join(dict.fromkeys(run.ratings.recognised for run in runs if run.ratings.recognised))
    ratings = replace(ratings, mended=said, recognised=recognised)
    return replace(folder, given=ratings, rows=np.concatenate(rows) if rows else None)


def _folder(path: Path, name: str, columns: Columns, samples: SampleChoice | None) -> GivenData:
    files = [path / file for file in ordered_ids({f.name for f in path.iterdir() if _is_of_run(f)})]
    if not files:
        raise NbykError(
            "is a folder without files, expected one of each run, such as seed1.csv, or the output of "
            "lm_eval --log_samples (samples_<task>_<date>.jsonl)",
            file=path,
        )
    runs = tuple(given_data(file, name, columns, samples) for file in files)
    return replace(runs[0], place=DataPlace(path), runs=runs)


def refuse_unnamed(
    sources: Sequence[GivenData], gold: GivenData | None, columns: Columns, of_gold: Columns
) -> None:
    """Raise NbykError if columns of several files are missing, with all the options that name the right ones.

    Parameters
    ----------
    sources, gold
        The systems, and gold if there is any.
    columns, of_gold
        The columns asked for.
    """
    files = [(source, columns, "") for source in sources]
    files = [(gold, of_gold, "gold_columns."), *files] if gold else files
    missing: list[tuple[Table, list[str]]] = []
    roles: dict[str, str] = {}
    for source, asked, prefix in reversed(files):
        table = source.table
        if (
            table is None
            or table.nameless
            or table.roles
            or kind_of(table, asked) in ("scores", "distributions")
        ):
            continue
        with renaming({role: f"{prefix}{role}" for role in ("item", "rater", "value")}):
            of_table = missing_roles(table, asked, is_named=not prefix or asked.value != columns.value)
            of_roles = proposed(table, asked)
        if of_table:
            missing.insert(0, (table, of_table))
        for role, name in of_roles.items():
            if not prefix or roles.get(role) != name:
                roles[f"{prefix}{role}"] = name
    if sum(len(of_table) for _, of_table in missing) < (1 if gold else 2):
        return  # the error of the file names the column
    (table, (role, *_)), *others = missing
    elsewhere = {other.place: other for other, _ in others if str(other.place) != str(table.place)}
    found = "".join(f"; {place} has {_quoted(other)}" for place, other in [*elsewhere.items()][:_LISTED])
    options = " ".join(f"`{of}` {shlex.quote(name)}" for of, name in roles.items())
    what = "item column" if role == "item" else "column of the ratings"
    asked = of_gold if gold and table is gold.table else columns
    prefix = "gold_columns." if asked is of_gold else ""
    hint = f"rename the {what}, or name it with `{prefix}{role}`, as in {options}{found}"
    table.column(getattr(asked, role), hint)


def _quoted(table: Table) -> str:
    return ", ".join(map(repr, table.names[:_LISTED])) + (", …" if len(table.names) > _LISTED else "")


def _is_of_run(file: Path) -> bool:
    return file.is_file() and not file.name.startswith((".", "_"))


def given_data(
    given: Input, name: str, columns: Columns, samples: SampleChoice | None, *, is_gold: bool = False
) -> GivenData:
    """Return data as they are given; the parameters are those of `nbyk.read_systems`."""
    is_path, place = isinstance(given, str | os.PathLike), given_place(given, name)
    if isinstance(given, Ratings):
        return GivenData(place, given=given)
    if is_gold and is_log(given):
        raise place.error(
            "is a folder or a log of lm_eval, expected a file of gold ratings; "
            "give the scores of a model as a system"
        )
    if is_path and Path(given).is_dir() and reader_of(given) is None:
        if is_gold:
            raise place.error(
                "is a folder, expected a file of gold; give one file, with a column for each person"
            )
        return _folder(Path(given), name, columns, samples)
    table = table_of(given, samples)
    if table is not given and not is_path:
        # "the data frame" would be any of the systems'
        table = replace(table, rows=replace(table.rows, place=place))
    if columns.cluster not in table.names or table.nameless:
        columns = replace(columns, cluster=None)  # one file with clusters is enough
    return GivenData(place, table, columns)
