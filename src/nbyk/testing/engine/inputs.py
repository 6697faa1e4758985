"""Conversion of ratings (arrays, lists, pandas) to a response set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from nbyk.arrays import Floats
from nbyk.data.ratings import ordered_ids
from nbyk.data.response_set import Categories, ResponseSet, coded, kind_of, responses_and_units
from nbyk.data.systems import Systems
from nbyk.data.units import UNKNOWN, Units, numbered_clusters
from nbyk.errors import NbykError
from nbyk.words import number_of

_ROW = (list, tuple, np.ndarray)


def as_response_set(
    gold: Any,
    a: Any = None,
    b: Any = None,
    *,
    cluster: Any = None,
) -> ResponseSet:
    """Return the response set of gold and two systems, given in any form; gold is None without gold.

    Responses are arrays (N,) or (N, K) with NaN where one is missing, lists of numbers or of lists, which may
    differ in length, or pandas frames and series, which are aligned by their index if all have one. Each of
    two columns or more is one rater or run, by its name if a frame has one; those of lists of differing
    lengths are unknown. `a` may be a mapping of both systems by name, and `gold` a `ResponseSet` or `Systems`
    of two, alone. `cluster`, shape (N,), has the name of each item's cluster.
    """
    if isinstance(gold, ResponseSet):
        if a is not None or b is not None or cluster is not None:
            raise NbykError("compare: a ResponseSet holds a, b and clusters already; give it alone")
        return gold
    if isinstance(gold, Systems):
        if len(gold.names) == 2 and a is None and b is None and cluster is None:
            return gold.pair(*gold.names)
        names = ", ".join(gold.names)
        raise NbykError(
            f"found {len(gold.names)} systems ({names}), expected two; take .pair(a, b), or give all to "
            "nbyk.compare"
        )
    systems = ("A", "B")
    if isinstance(a, Mapping) and len(a) == 2 and b is None:
        systems = cast("tuple[str, str]", tuple(a))
        a, b = a.values()
    if a is None or b is None:
        missing = "a" if a is None else "b"
        raise NbykError(f"compare: {missing} is missing; give gold (or None), a and b, or one ResponseSet")
    sources, categories = as_numbers({"gold": gold, "a": a, "b": b}, None, None)
    matrices, units = as_matrices(sources)
    n_items = len(matrices["a"])
    clusters = as_clusters(cluster, sources, n_items)
    gold = matrices.get("gold", np.empty((n_items, 0)))
    return ResponseSet(gold, matrices["a"], matrices["b"], units, clusters, categories, names=systems)


def as_numbers(
    sources: dict[str, Any], kind: str | None, classes: Sequence[Any] | None, scored: str | None = None
) -> tuple[dict[str, Any], Categories | None]:
    """Return responses as numbers: as they are, or as places in the table of their classes or distributions.

    The parameters and errors are those of `nbyk.data.response_set.coded`; `kind` is as for `nbyk.compare`.
    `scored` is what the metric scores, if not numbers; those of distributions score classes, too.
    """
    if kind is None and scored == "distributions" and kind_of({"gold": sources["gold"]}) == "classes":
        with suppress(ValueError):  # runs of probabilities of different shapes are no text
            kind = "classes" if kind_of(sources) == "classes" else None
    known = kind_of(sources, kind or scored)
    if known == "numbers":
        return sources, None
    codes, categories = coded(sources, known, classes)
    for name, source in sources.items():
        if _is_ragged(source):
            codes[name] = [row[:size] for row, size in zip(codes[name], _sizes(source), strict=True)]
    return codes, categories


def as_clusters(cluster: Any, sources: dict[str, Any], n_items: int) -> NDArray[np.int64] | None:
    """Return the number of each item's cluster, for items in the order of `as_matrices` of the sources.

    `cluster` is aligned by its index, or in the item order of the first source that is not None.
    """
    if cluster is None:
        return None
    given = [source for source in sources.values() if source is not None]
    index, wanted = _index(cluster), _index(given[0])
    if index is not None and wanted is not None:
        cluster = cluster.iloc[_rows_in_order({"the items": wanted, "cluster": index})["cluster"]]
    if _is_pandas(cluster):
        cluster = cluster.to_numpy(object)
    if all(_index(source) is not None for source in given) and len(cluster) == len(wanted):
        cluster = [cluster[row] for row in _order_of(wanted)]
    return numbered_clusters(cluster, n_items)


def as_matrices(sources: dict[str, Any]) -> tuple[dict[str, Floats], dict[str, Units]]:
    """Return each source's responses as a matrix (N, K), items in the same order, and its units.

    A source that is None is left out. If all are pandas objects, items are in the order of their index
    labels (`nbyk.data.ratings.ordered_ids`), and columns in that of their names, so that no number depends on
    the order of either. Arrays and lists keep theirs.
    """
    given = {name: _with_ordered_columns(source) for name, source in sources.items() if source is not None}
    matrices: dict[str, Floats] = {}
    units: dict[str, Units] = {}
    for name, source in given.items():
        matrices[name], units[name] = responses_and_units(_values(source, name), name)
        if _is_ragged(source):
            units[name] = UNKNOWN
        elif units[name].known_by == "columns" and (labels := _labels(source)):
            units[name] = Units("ids", labels, units[name].index)
    indices = {name: _index(source) for name, source in given.items()}
    if all(index is not None for index in indices.values()):
        order = _order_of(next(iter(indices.values())))
        rows = {name: np.arange(len(order))[taken][order] for name, taken in _rows_in_order(indices).items()}
        matrices = {name: matrix[rows[name]] for name, matrix in matrices.items()}
        units = {name: role_units.taken(rows[name]) for name, role_units in units.items()}
    lengths = {name: len(matrix) for name, matrix in matrices.items()}
    if len(set(lengths.values())) > 1:
        (first, size), *others = lengths.items()
        other = next(name for name, length in others if length != size)
        raise NbykError(
            f"{first} has {number_of(size, 'item')} and {other} has {lengths[other]}, expected the same "
            "items in all; align them by item first"
        )
    return matrices, units


def _is_pandas(source: Any) -> bool:
    return type(source).__module__.partition(".")[0] == "pandas" and hasattr(source, "to_numpy")


def _index(source: Any) -> Any:
    return source.index if _is_pandas(source) and hasattr(source, "index") else None


def _labels(source: Any) -> tuple[str, ...]:
    """Return the names of a frame's columns; empty without a frame, or unless each is a text of its own."""
    labels = list(getattr(source, "columns", ()))
    named = all(isinstance(label, str) for label in labels) and len(set(labels)) == len(labels)
    return tuple(labels) if named else ()


def _with_ordered_columns(source: Any) -> Any:
    labels = _labels(source)
    return source[list(ordered_ids(labels))] if labels and _is_pandas(source) else source


def _values(source: Any, name: str) -> Any:
    if _is_pandas(source):
        try:
            return source.to_numpy(dtype=np.float64, na_value=np.nan)
        except (TypeError, ValueError):
            raise NbykError(
                f"{name}: the {type(source).__name__} holds values that are not numbers; choose columns of "
                "responses, or read a table with a row for each response by `nbyk.read_systems`"
            ) from None
    if isinstance(source, str | bytes):
        raise NbykError(f"{name}: found text, expected responses; read files with nbyk.read_ratings")
    return _padded(source, name) if _has_rows(source) else source


def _has_rows(source: Any) -> bool:
    return (
        isinstance(source, Sequence)
        and not isinstance(source, str | bytes)
        and any(isinstance(row, _ROW) for row in source)
    )


def _is_ragged(source: Any) -> bool:
    """Return whether a source holds lists of differing lengths; places in them identify no rater or run."""
    return _has_rows(source) and len(set(_sizes(source))) > 1


def _sizes(rows: Sequence[Any]) -> list[int]:
    return [len(row) if isinstance(row, _ROW) else 1 for row in rows]


def _padded(rows: Sequence[Any], name: str) -> Any:
    """Return rows of differing lengths as one matrix, padded with NaN; None is missing too."""
    whole = [list(row) if isinstance(row, _ROW) else [row] for row in rows]
    width = max(len(row) for row in whole)
    matrix = np.full((len(whole), width), np.nan)
    for item, row in enumerate(whole):
        try:
            matrix[item, : len(row)] = np.array(row, dtype=np.float64)
        except (TypeError, ValueError):
            raise NbykError(f"{name}: item {item} holds {row!r}; expected a list of numbers") from None
    return matrix


def _order_of(index: Any) -> NDArray[np.int64]:
    """Return the rows of an index in the order of its labels."""
    labels = [str(label) for label in index.tolist()]
    place = {name: number for number, name in enumerate(ordered_ids(set(labels)))}
    return np.argsort([place[label] for label in labels], kind="stable")


def _rows_in_order(indices: dict[str, Any]) -> dict[str, Any]:
    """Return each source's row numbers in the order of the first source's index labels."""
    (first, wanted), *others = indices.items()
    in_order: dict[str, Any] = {first: slice(None)}
    for name, index in others:
        if index.equals(wanted):
            in_order[name] = slice(None)
            continue
        if not (index.is_unique and wanted.is_unique):
            raise NbykError(f"{first} and {name}: an index label appears twice; expected one row per item")
        rows = index.get_indexer(wanted)
        if len(index) != len(wanted) or (rows < 0).any():
            lacking = [str(label) for label in wanted[rows < 0][:3]] or ["none"]
            raise NbykError(
                f"{first} has {len(wanted)} items and {name} {len(index)}, which lacks {', '.join(lacking)}; "
                "both must rate the same items"
            )
        in_order[name] = rows
    return in_order
