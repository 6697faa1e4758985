"""The response set of two systems; classes and distributions in it are places in a table of distributions."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbyk.data.kinds import ClassKind, Kind, class_names, unit_rows
from nbyk.data.layouts import is_missing
from nbyk.data.scales import FROM_0_TO_1, Scale
from nbyk.data.units import Units, column_units, numbered_clusters
from nbyk.errors import DataPlace, NbykError, unknown_name

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Categories:
    """The classes of responses that are classes or distributions.

    Attributes
    ----------
    names
        The classes, in their order.
    table : ndarray, shape (U, C)
        Distributions over the classes; a response is the place of one. The first C are the classes.
    kind
        What the systems' responses are.
    ordered
        Whether somebody gave the order of the names, or they are whole numbers.
    """

    names: tuple[str, ...]
    table: Floats
    kind: Kind
    ordered: bool = True


def kind_of(sources: Mapping[str, Any], kind: str | None = None) -> Kind:
    """Return what responses are: "classes" if all are text, else "numbers", unless `kind` says it."""
    if kind is not None:
        if kind not in get_args(Kind):
            raise unknown_name("kind of responses", kind, get_args(Kind)).about(argument="kind")
        return kind  # type: ignore[return-value]
    if any(isinstance(source, np.ndarray) and source.dtype.kind in "biuf" for source in sources.values()):
        return "numbers"
    cells = [_cells(source) for source in sources.values() if source is not None]
    there = [[cell for cell in given_cells.flat if _is_there(cell)] for given_cells in cells]
    texts = [
        bool(given_cells) and all(isinstance(cell, str) for cell in given_cells) for given_cells in there
    ]
    return "classes" if texts and all(texts) else "numbers"


def coded(
    sources: Mapping[str, Any], kind: Kind, classes: Sequence[Any] | None = None
) -> tuple[dict[str, Any], Categories]:
    """Return classes or distributions as places in a table, in the containers they came in, and the table.

    Distributions have shape (N, C), or one such array per run, and their gold may be classes.
    """
    if kind == "distributions":
        return _coded_distributions(sources, classes)
    cells = {name: _cells(source) for name, source in sources.items() if source is not None}
    there = {
        name: np.array([*map(_is_there, given.flat)]).reshape(given.shape) for name, given in cells.items()
    }
    refuse = {name: partial(_refuse, name, np.argwhere(given)) for name, given in there.items()}
    labels = {name: class_names(given[there[name]], refuse[name]) for name, given in cells.items()}
    among = ClassKind(classes)
    naming = [labels["gold"]] if "gold" in labels else labels.values()
    among.name_by(chain.from_iterable(naming), DataPlace(name="classes"))
    codes = {name: np.full(given.shape, np.nan) for name, given in cells.items()}
    for name, texts in labels.items():
        codes[name][there[name]] = among.places(texts, refuse[name])
    in_form = {
        name: None if source is None else _as_before(source, codes[name]) for name, source in sources.items()
    }
    return in_form, Categories(among.names, np.eye(len(among.names)), "classes", among.ordered)


def _coded_distributions(
    sources: Mapping[str, Any], classes: Sequence[Any] | None
) -> tuple[dict[str, Any], Categories]:
    runs: dict[str, list[Floats]] = {}
    people: dict[str, Any] = {}
    for name, source in sources.items():
        if source is None:
            continue
        if name == "gold" and kind_of({name: source}) == "classes":
            people[name] = source
        else:
            runs[name] = [_distributions(run, name) for run in _runs(source)]
    widths = {name: rows.shape[1] for name, system_runs in runs.items() for rows in system_runs}
    if len(set(widths.values())) > 1:
        sizes = ", ".join(f"{name} has {width}" for name, width in widths.items())
        raise NbykError(f"rows of probabilities must be over the same classes: {sizes}")
    n_classes = next(iter(widths.values()))
    names = tuple(map(str, range(n_classes)) if classes is None else ClassKind(classes).names)
    if len(names) != n_classes:
        raise NbykError(
            f"found {len(names)} classes and rows of {n_classes} probabilities; name each column once",
            argument="classes",
        )
    if any(len(rows) != len(system_runs[0]) for system_runs in runs.values() for rows in system_runs):
        raise NbykError("the runs of a system differ in their number of items; give the same items to all")
    arrays = {name: np.stack(system_runs, axis=1) for name, system_runs in runs.items()}
    places, table = places_in_table(arrays, n_classes)
    codes: dict[str, Any] = dict(places)
    if people:
        codes |= coded(people, "classes", names)[0]
    return {name: codes.get(name) for name in sources}, Categories(names, table, "distributions")


def places_in_table(arrays: Mapping[str, Floats], n_classes: int) -> tuple[dict[str, Floats], Floats]:
    """Return the places of distributions, shape (N, K) from (N, K, C), and their table (`Categories.table`).

    A distribution that is missing, NaN, has no place.
    """
    there = {name: ~np.isnan(array).any(axis=2) for name, array in arrays.items()}
    rows = [array[there[name]] for name, array in arrays.items()]
    table, place = np.unique(np.concatenate([np.eye(n_classes), *rows]), axis=0, return_inverse=True)
    classes = place.reshape(-1)[:n_classes]
    order = np.concatenate([classes, np.setdiff1d(np.arange(len(table)), classes)])
    rank = np.empty(len(table))
    rank[order] = np.arange(len(table))
    ends = np.cumsum([n_classes, *map(len, rows)])
    places = {}
    for name, start, end in zip(arrays, ends[:-1], ends[1:], strict=True):
        places[name] = np.full(there[name].shape, np.nan)
        places[name][there[name]] = rank[place.reshape(-1)[start:end]]
    return places, table[order]


def _runs(source: Any) -> list[Any]:
    """Return the runs of a source: arrays (N, C)."""
    if isinstance(source, list | tuple) and np.ndim(source[0]) == 2:
        return list(source)
    return list(source) if np.ndim(source) == 3 else [source]


def _distributions(values: Any, name: str) -> Floats:
    try:
        rows = np.array(values, np.float64)
    except (TypeError, ValueError):
        raise NbykError("expected rows of as many probabilities each, one per class", name=name) from None
    if rows.ndim != 2 or rows.shape[1] < 2:
        raise NbykError(
            f"found shape {rows.shape}, expected a row of probabilities over two classes or more per item",
            name=name,
        )
    return unit_rows(rows, lambda row: DataPlace(name=name, row=f"row {row}"))


def _cells(source: Any) -> NDArray[Any]:
    """Return the cells of a container as an array of objects."""
    if hasattr(source, "to_numpy"):
        return np.asarray(source.to_numpy(), dtype=object)
    if isinstance(source, np.ndarray) or not isinstance(source, list | tuple):
        return np.asarray(source).astype(object)
    rows = list(source)
    if any(isinstance(row, list | tuple | np.ndarray) for row in rows):
        wide = [list(row) if isinstance(row, list | tuple | np.ndarray) else [row] for row in rows]
        width = max(map(len, wide))
        return np.array([[*row, *[None] * (width - len(row))] for row in wide], dtype=object)
    cells = np.empty(len(rows), dtype=object)
    cells[:] = rows
    return cells


def _is_there(cell: Any) -> bool:
    return isinstance(cell, str) or not is_missing(cell)


def _refuse(name: str, places: NDArray[np.int64], row: int, problem: str) -> NbykError:
    return NbykError(problem, name=name, row=f"item {places[row, 0]}")


def _as_before(source: Any, codes: Floats) -> Any:
    """Return codes in the container of their source, so that frames keep their index and columns."""
    module = type(source).__module__.partition(".")[0]
    if module != "pandas":
        return codes
    import pandas as pd

    if codes.ndim == 1:
        return pd.Series(codes, index=source.index, name=source.name)
    return pd.DataFrame(codes, index=source.index, columns=source.columns)


_NUMBERS = "biufO"
"""Kinds of arrays that may hold responses: no text, dates or complex numbers, which numpy would convert."""


@dataclass(frozen=True)
class ResponseSet:
    """Responses of raters (gold) and of two systems to the same N items.

    Every matrix has one row per item and one column per response; rows may hold fewer responses than
    there are columns, and the rest of such a row is NaN. Make one with `response_set`, which validates.

    Attributes
    ----------
    gold : ndarray, shape (N, K_gold)
        Human responses. K_gold is 0 without gold: people rated each system's outputs, and `a` and `b` hold
        those ratings (Homan et al. 2025, section 6).
    a, b : ndarray, shape (N, K_a) and (N, K_b)
        Responses of system A and of system B.
    units
        The raters or runs behind the responses, by "gold", "a" and "b". If a role is left out, nothing is
        known about its raters or runs. The fingerprint does not depend on them.
    clusters : ndarray of int, shape (N,), or None
        The cluster of each item, such as the text that it asks about, from 0 in the order of first
        appearance; None if items have no clusters. The fingerprint does not depend on them either.
    categories
        The classes or distributions that the responses stand for; None for numbers.
    names
        The systems' names.
    scale
        The scale of numbers before they were normalised; from 0 to 1 if none was declared.
    """

    gold: Floats
    a: Floats
    b: Floats
    units: Mapping[str, Units] = field(default_factory=dict, repr=False, compare=False)
    clusters: NDArray[np.int64] | None = field(default=None, repr=False, compare=False)
    categories: Categories | None = field(default=None, repr=False, compare=False)
    names: tuple[str, str] = field(default=("A", "B"), repr=False, compare=False)
    scale: Scale = field(default=FROM_0_TO_1, repr=False, compare=False)

    @property
    def kind(self) -> Kind:
        """What the systems' responses are: "numbers", "classes" or "distributions"."""
        return "numbers" if self.categories is None else self.categories.kind

    @property
    def n_items(self) -> int:
        """Number of items N."""
        return len(self.gold)

    @property
    def n_clusters(self) -> int:
        """Number of clusters G; 0 if items have none."""
        return 0 if self.clusters is None else int(self.clusters.max()) + 1

    @property
    def has_gold(self) -> bool:
        """Whether there is gold. Without gold only metrics that do not need it can be used."""
        return bool(self.gold.shape[1])

    @property
    def names_of_roles(self) -> dict[str, str]:
        """The names of "gold", "a" and "b": "gold" and the systems'."""
        return dict(zip(("gold", "a", "b"), ("gold", *self.names), strict=True))

    def fingerprint(self) -> str:
        """Return the SHA-256 hex digest of the shapes and values: equal data have equal fingerprints."""
        digest = hashlib.sha256()
        for matrix in (self.gold, self.a, self.b):
            digest.update(repr(matrix.shape).encode())
            digest.update(np.ascontiguousarray(matrix + 0.0).tobytes())
        return digest.hexdigest()


def response_set(
    gold: ArrayLike | None,
    a: ArrayLike,
    b: ArrayLike,
    *,
    units: Mapping[str, Units] | None = None,
    cluster: ArrayLike | None = None,
) -> ResponseSet:
    """Validate three response matrices and return them as a `ResponseSet`.

    Parameters
    ----------
    gold, a, b : array_like, shape (N, K) or (N,)
        One row per item, in the same order of items; K may differ between the three. NaN marks a missing
        response. A vector counts as one response per item. `gold` is None if people rated the systems'
        outputs; `a` and `b` then hold those ratings.
    units
        The raters or runs behind the responses, by "gold", "a" and "b", aligned to matrices whose rows have
        their responses first. By default each column of two or more is one rater or run.
    cluster : array_like, shape (N,), optional
        The name of each item's cluster, such as the text that it asks about.

    Raises
    ------
    NbykError
        If there are fewer than two items, the numbers of items differ, a value is infinite or not a
        number, an item has no response at all or no cluster, or all are in one cluster.
    """
    given = {"gold": gold, "a": a, "b": b}
    read = {name: responses_and_units(values, name) for name, values in given.items() if values is not None}
    matrices = {name: matrix for name, (matrix, _) in read.items()}
    lengths = {name: len(matrix) for name, matrix in matrices.items()}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        names = "gold, a and b" if gold is not None else "a and b"
        raise NbykError(f"{names} must have the same items: {found}; align them by item first")
    no_gold = np.empty((lengths["a"], 0))
    if units is None:
        units = {name: found for name, (_, found) in read.items()}
    clusters = None if cluster is None else numbered_clusters(cluster, lengths["a"])
    return ResponseSet(matrices.get("gold", no_gold), matrices["a"], matrices["b"], units, clusters)


def response_matrix(values: ArrayLike, name: str) -> Floats:
    """Return responses, shape (N, K) or (N,), as a matrix with each row's responses first, then NaN.

    NaN or a mask marks a missing response; `name` is that of the matrix in errors, which are those of
    `response_set`.
    """
    return responses_and_units(values, name)[0]


def responses_and_units(values: ArrayLike, name: str) -> tuple[Floats, Units]:
    """Return the result of `response_matrix`, and the matrix's columns as units."""
    try:
        if isinstance(values, np.ma.MaskedArray):
            values = np.ma.filled(values.astype(np.float64), np.nan)
        if np.asarray(values).dtype.kind not in _NUMBERS:
            raise TypeError
        matrix = np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise NbykError(
            "responses must be numbers in a matrix of items × responses; pad short rows with NaN", name=name
        ) from None
    if matrix.ndim == 1:
        matrix = matrix[:, np.newaxis]
    if matrix.ndim != 2:
        raise NbykError(f"expected a matrix of items × responses, found {matrix.ndim} dimensions", name=name)
    if matrix.size == 0:
        raise NbykError("no responses; give at least two items", name=name)
    if len(matrix) < 2:
        raise NbykError("only one item; give at least two, so that nbyk can see how items vary", name=name)
    if np.isinf(matrix).any():
        item, response = np.argwhere(np.isinf(matrix))[0]
        raise NbykError(
            f"item {item}, response {response} is {matrix[item, response]}; expected a finite number",
            name=name,
        )
    missing = np.isnan(matrix)
    if missing.all(axis=1).any():
        item = int(np.flatnonzero(missing.all(axis=1))[0])
        raise NbykError(f"item {item} has no response; drop the item everywhere or add a response", name=name)
    if missing.any():
        left_packed = np.argsort(missing, axis=1, kind="stable")
        matrix = np.take_along_axis(matrix, left_packed, axis=1)
        matrix = np.ascontiguousarray(matrix[:, : int((~missing).sum(axis=1).max())])
    return matrix, column_units(missing)


def stack_responses(*systems: Floats) -> Floats:
    """Return systems' responses, each (..., K), as one array (S, ..., K), filled up with NaN."""
    width = max(system.shape[-1] for system in systems)
    if all(system.shape[-1] == width for system in systems):
        return np.stack(systems)
    stacked = np.full((len(systems), *systems[0].shape[:-1], width), np.nan)
    for out, system in zip(stacked, systems, strict=True):
        out[..., : system.shape[-1]] = system
    return stacked
