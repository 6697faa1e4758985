"""Classes and distributions as responses: each is the place of a row in a table of distributions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from nbyk.data.kinds import Kind, unit_rows
from nbyk.data.ratings import ordered_ids
from nbyk.errors import DataPlace, NbykError, unknown_name

Floats = NDArray[np.float64]

_SHOWN = 5


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
    """

    names: tuple[str, ...]
    table: Floats
    kind: Kind


def kind_of(sources: Mapping[str, Any], kind: str | None = None) -> Kind:
    """Return what responses are: "classes" if all are text, else "numbers", unless `kind` says it."""
    if kind is not None:
        if kind not in get_args(Kind):
            raise unknown_name("kind of responses", kind, get_args(Kind)).about(argument="kind")
        return kind  # type: ignore[return-value]
    if any(isinstance(source, np.ndarray) and source.dtype.kind in "biuf" for source in sources.values()):
        return "numbers"
    cells = [_cells(source) for source in sources.values() if source is not None]
    there = [[cell for cell in of_source.flat if not _is_missing(cell)] for of_source in cells]
    texts = [bool(of_source) and all(isinstance(cell, str) for cell in of_source) for of_source in there]
    return "classes" if texts and all(texts) else "numbers"


def coded(
    sources: Mapping[str, Any], kind: Kind, classes: Sequence[Any] | None = None
) -> tuple[dict[str, Any], Categories]:
    """Return responses as places in a table, in the containers that they came in, and the table.

    Parameters
    ----------
    sources
        Responses by role. Classes: text or whole numbers, shape (N,) or (N, K), or frames and series.
        Distributions: of "gold" shape (N, C), or classes as above; of systems shape (N, C), or one such array
        per run. Sources that are None stay None.
    kind
        "classes" or "distributions".
    classes
        The classes in their order, or the names of the columns; by default all that occur, in order, or
        "0", "1" and so on.
    """
    if kind == "distributions":
        return _coded_distributions(sources, classes)
    cells = {name: _cells(source) for name, source in sources.items() if source is not None}
    texts = {name: _texts(of_source, name) for name, of_source in cells.items()}
    known = {text for of_source in texts.values() for text in of_source.flat if text is not None}
    names = tuple(map(_name, classes)) if classes is not None else tuple(ordered_ids(known))
    if len(names) < 2 or len(set(names)) < len(names):
        raise NbykError(
            f"found {_listed(names)}, expected at least two classes, each once; declare them with `classes`",
            argument="classes",
        )
    if unknown := known - set(names):
        raise NbykError(
            f"found {_listed(ordered_ids(unknown))}, and the classes are {_listed(names)}; declare all",
            argument="classes",
        )
    place = {name: float(number) for number, name in enumerate(names)}
    codes = {
        name: np.array(
            [np.nan if text is None else place[text] for text in of_source.flat], np.float64
        ).reshape(of_source.shape)
        for name, of_source in texts.items()
    }
    in_form = {
        name: None if source is None else _as_before(source, codes[name]) for name, source in sources.items()
    }
    return in_form, Categories(names, np.eye(len(names)), "classes")


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
    widths = {name: rows.shape[1] for name, of_source in runs.items() for rows in of_source}
    if len(set(widths.values())) > 1:
        found = ", ".join(f"{name} has {width}" for name, width in widths.items())
        raise NbykError(f"rows of probabilities must be over the same classes: {found}")
    n_classes = next(iter(widths.values()))
    names = tuple(map(_name, classes)) if classes is not None else tuple(map(str, range(n_classes)))
    if len(names) != n_classes:
        raise NbykError(
            f"found {len(names)} classes and rows of {n_classes} probabilities; name each column once",
            argument="classes",
        )
    if any(len(rows) != len(of_source[0]) for of_source in runs.values() for rows in of_source):
        raise NbykError("the runs of a system differ in their number of items; give the same items to all")
    arrays = {name: np.stack(of_source, axis=1) for name, of_source in runs.items()}
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


def _is_missing(cell: Any) -> bool:
    return cell is None or type(cell).__name__ in ("NAType", "NaTType") or bool(cell != cell)


def _texts(cells: NDArray[Any], name: str) -> NDArray[Any]:
    """Return classes as text, None where there is none."""
    texts = np.empty(cells.shape, dtype=object)
    for place, cell in np.ndenumerate(cells):
        if _is_missing(cell):
            continue
        if isinstance(cell, float | np.floating) and not float(cell).is_integer():
            raise NbykError(
                f"found {cell:g}; expected a class, text or a whole number",
                name=name,
                row=f"item {place[0]}",
            )
        if isinstance(cell, str) and not cell.strip():
            raise NbykError("is empty; expected a class, or None", name=name, row=f"item {place[0]}")
        texts[place] = _name(cell)
    return texts


def _name(cell: Any) -> str:
    if isinstance(cell, bool | np.bool_):
        return str(int(cell))
    return f"{int(cell)}" if isinstance(cell, float | np.floating) else str(cell)


def _as_before(source: Any, codes: Floats) -> Any:
    """Return codes in the container of their source, so that frames keep their index and columns."""
    module = type(source).__module__.partition(".")[0]
    if module != "pandas":
        return codes
    import pandas as pd

    if codes.ndim == 1:
        return pd.Series(codes, index=source.index, name=source.name)
    return pd.DataFrame(codes, index=source.index, columns=source.columns)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, list(names)[:_SHOWN]))
    return f"{shown}, …" if len(names) > _SHOWN else shown or "none"
