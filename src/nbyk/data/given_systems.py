"""Systems as a user gives them: files by name, or one table of all with a column of systems."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from nbyk.data.columns import KNOWN_NAMES, LIKE_VALUES, RUN_NAMES, Columns, recognised, system_column
from nbyk.data.kinds import same_kind
from nbyk.data.layouts import NO_RATERS, as_ids
from nbyk.data.ratings import Ratings
from nbyk.data.reading import is_log, table_of
from nbyk.data.tables import Table, given_place
from nbyk.errors import NbykError
from nbyk.words import listed

_SPLIT = (
    "write each one into a file of its own, with the columns item and value, or all into one table with the "
    "columns item, system and value"
)
_LIKE_GIVERS = re.compile(
    r".*(run|seed|epoch|trial|rater|annotator|coder|worker|judge|user|person|expert|crowd).*|[arp][ _-]?\d+",
    re.IGNORECASE,
)
"""Names of columns that may be those of raters or runs of one system."""

_UNFIT = re.compile(r"[\x00-\x1f\x7f\u2028\u2029\ud800-\udfff]")


def named_systems(arguments: Iterable[str | os.PathLike[str]]) -> dict[str, str]:
    """Return the path of each system by its name, from arguments ``path`` or ``name=path``.

    A path without a name gets its file name without the suffix, or its folder's name.

    Raises
    ------
    NbykError
        If a name is empty or two systems have the same name.
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
        _check_name(name)
        if not name.strip() or not path:
            raise NbykError(f"system {argument!r}: expected a path, or name=path with a name and a path")
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

    Parameters
    ----------
    systems
        Systems by name, arguments in a form that `named_systems` takes, or one data frame.
    column
        The column of systems of one table that holds them all; None for one of a known name, if there is one.
    wide
        The columns of one table that has a column for each system beside that of items; None if columns
        beside items are not systems.
    as_scores
        Whether a table without items, and without a column of runs, holds the scores of systems' runs.
    """
    is_frame = not isinstance(systems, Mapping | str | os.PathLike) and hasattr(systems, "columns")
    if is_frame:
        named: dict[str, Any] = {"systems": systems}
    elif isinstance(systems, Mapping):
        named = dict(systems)
    else:
        named = dict(named_systems([systems] if isinstance(systems, str | os.PathLike) else systems))
    if len(named) != 1:
        if column is not None:
            raise NbykError(
                f"found {column!r} and {len(named)} files; a column of systems needs one table of all "
                "systems: give that table alone",
                argument="system",
            )
        return named
    given = next(iter(named.values()))
    if not is_frame and (not isinstance(given, str | os.PathLike) or is_log(given)):
        return named
    table = table_of(given)
    if table.nameless:
        return named
    found = column or system_column(table)
    if found is None:
        return _systems_in_columns(table, wide, as_scores=as_scores) or named
    names = as_ids(table, found, table.column(found, "name the column of systems with `system`"))
    rows_of: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        rows_of.setdefault(name, []).append(row)
    for name in rows_of:
        _check_name(name)
    return {name: table.taken(rows, without=found) for name, rows in rows_of.items()}


def _systems_in_columns(table: Table, wide: Columns | None, *, as_scores: bool) -> dict[str, Table]:
    """Return the systems of a table with a column for each; {} of another table."""
    asked = replace(wide or Columns(), rater=None)
    found = recognised(table, asked)
    runs = [name for name in table.names if name.lower() in RUN_NAMES]
    beside = [name for name in (found.item, found.cluster) if name in table.names]
    others = [name for name in table.names if name not in (*runs, *beside)]
    if len(others) < 2 or found.value in table.names or len(set(table.names)) < len(table.names):
        return {}
    if found.item in beside:
        if wide is None or table.roles or any(map(_other_than_system, others)):
            return {}
        columns = [table.column(name, "") for name in others]
        if not same_kind(columns):
            return {}
        beside += runs[:1]
    elif not runs and not as_scores:
        return {}
    else:
        beside = []
    for name in others:
        _check_name(name)
    about = f"systems = {listed(others)}"
    kept = tuple(table.column(name, "") for name in beside)
    return {
        name: replace(
            table,
            names=(*beside, asked.value if beside else name),
            columns=(*kept, table.column(name, "")),
            about=about,
        )
        for name in others
    }


def _other_than_system(name: str) -> bool:
    """Return whether a column's name says that it is of a rater, a run, a cluster, or one of many values."""
    known = {*LIKE_VALUES, *NO_RATERS, *(of for names in KNOWN_NAMES.values() for of in names)}
    return name.lower() in known or _LIKE_GIVERS.fullmatch(name) is not None


def too_few(named: Mapping[str, Any], item: str, cluster: str | None) -> NbykError:
    """Return the error about fewer than two systems; it says so if one file's columns look like systems.

    Parameters
    ----------
    named
        The systems as `given_systems` returns them.
    item, cluster
        The columns that are no system's.
    """
    if not named:
        return NbykError("found no system, expected at least two to compare; give a file for each")
    (name, given), *_ = named.items()
    columns = _columns(given, item, cluster)
    if columns:
        table = table_of(given)
        has_items = recognised(table, Columns(item, None)).item in table.names
        way_out = _SPLIT if has_items else "add a column item, or, if each row is a run, give `kind` scores"
        return given_place(given, name).error(
            f"found one system, with the columns {listed(columns)}, expected at least two to compare; if "
            f"they are systems, {way_out}; if they are raters of one system, write one rating a row, with "
            "the columns item, rater and value",
        )
    return NbykError(
        f"found one system, {name}, expected at least two to compare; give another file, or, if this one "
        "holds all systems, name their column with `system`"
    )


def columns_may_be_systems(named: Mapping[str, Any], item: str, cluster: str | None) -> bool:
    """Return whether the only table has a column for each rater or system, and no names of runs."""
    (given,) = named.values()
    columns = _columns(given, item, cluster)
    return bool(columns) and not all(re.search("|".join(RUN_NAMES), name, re.IGNORECASE) for name in columns)


def columns_like_systems(
    named: Mapping[str, Any], raters: Mapping[str, Sequence[str]], *, has_gold: bool
) -> Iterator[str]:
    """Yield a note on each table whose columns have names of the systems, though they are read as raters.

    Parameters
    ----------
    named
        The systems as `given_systems` returns them.
    raters
        The raters or runs that were read from each.
    has_gold
        Whether there is gold: then the columns are runs, which never have the names of systems.
    """
    for name, of_name in raters.items():
        same = [column for column in of_name if column in named]
        if len(same) > 1 and set(of_name) <= set(_columns(named[name])):
            found = f"the columns {listed(same)} have the names of systems"
            if has_gold:
                raise given_place(named[name], name).error(
                    f"{found}, expected columns of runs of {name}; {_SPLIT}"
                )
            read = f"and nbyk reads them as raters or runs of {name}"
            yield f"{name}: {found}, {read}; if they are systems, {_SPLIT}"


def _columns(given: Any, item: str = "", cluster: str | None = None) -> list[str]:
    """Return the columns of a table with a column for each rater, run or system; empty for another one."""
    if isinstance(given, Ratings):
        return []
    if is_log(given):
        return []
    table = table_of(given)
    if table.nameless:
        return []
    known = recognised(table, Columns())
    if table.roles or known.value in table.names or known.rater in table.names:
        return []
    others = [name for name in table.names if name not in (item, known.item, cluster)]
    return others if len(others) > 1 else []


def _check_name(name: str) -> None:
    """Raise NbykError if a system cannot have this name."""
    if _UNFIT.search(name):
        raise NbykError(
            f"system {name!r}: the name holds a line end, a control character or what is not UTF-8; "
            "give it another one, as in a=FILE"
        )
