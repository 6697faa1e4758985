"""Arrays of scores, as tests take them from any container; those in NumPy's files; data frames as tables."""

from __future__ import annotations

import datetime
import decimal
import fractions
import numbers
import os
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from nbyk.arrays import Array, Floats
from nbyk.bounded import MOST_CELLS, MOST_ROWS, TimedBytes, refuse_bomb, refuse_more
from nbyk.data.cells import in_full
from nbyk.data.columns import ITEM_NAMES, refuse_no_rater
from nbyk.data.layouts import as_numbers
from nbyk.data.tables import Table, Unusable, as_cells, is_number, said
from nbyk.data.text import content_of, readable, shown
from nbyk.errors import DataPlace, NbykError

ARRAY_SUFFIXES = (".npy", ".npz")

_NARROW = {"float": np.float32, "float32": np.float32, "halffloat": np.float16, "float16": np.float16}
"""Floats narrower than doubles, by the names that Arrow, pandas and polars give them."""


def as_scores(values: Any, name: str, *, least: int = 1) -> Floats:
    """Return `least` scores or more, called `name` in errors, as a new array of shape (n,).

    They are a list, a numpy array, a pandas Series, or a tensor of torch, JAX or another library that speaks
    the array protocol or DLPack; tensors are detached and copied from their device.
    """
    return _checked(values, name, ("n",), least)


def as_rows(values: Any, name: str, *, least: int = 1) -> Floats:
    """Return R samples of scores, each in a form that `as_scores` takes, as a new array of shape (R, n)."""
    return _checked(values, name, ("R", "n"), least)


def as_pairs(a: Any, b: Any, *, least: int = 1) -> tuple[Floats, Floats]:
    """Return the scores of two systems on the same runs or items."""
    first, second = as_scores(a, "a", least=least), as_scores(b, "b", least=least)
    if len(first) != len(second):
        raise NbykError(
            f"a paired test needs a score of either system for each item; found {len(first)} of a and "
            f"{len(second)} of b: choose an unpaired test, or give scores on the same items"
        )
    check_aligned(a, b)
    return first, second


def check_aligned(*values: Any) -> None:
    """Raise NbykError if scores paired by position include pandas Series with different indices."""
    series = [of for of in values if is_of_pandas(of)]
    if any(not of.index.equals(series[0].index) for of in series[1:]):
        raise NbykError(
            "the Series have different indices, so it is unclear which values belong together; align them "
            "first (a, b = a.align(b, join='inner')), or give a.to_numpy() and so on"
        )


def as_row_pairs(a: Any, b: Any, *, paired: bool = False, least: int = 1) -> tuple[Floats, Floats]:
    """Return R samples of either system, shapes (R, n) and (R, m), with n = m if they are paired."""
    first, second = as_rows(a, "a", least=least), as_rows(b, "b", least=least)
    if len(first) != len(second) or (paired and first.shape != second.shape):
        expected = "the same shape" if paired else "as many rows"
        raise NbykError(f"found shapes {first.shape} and {second.shape}, expected {expected}", name="a and b")
    return first, second


def _checked(values: Any, name: str, axes: tuple[str, ...], least: int) -> Floats:
    if np.ma.is_masked(values):
        raise NbykError("some scores are masked; give values.compressed() or fill them", name=name)
    array = array_of(values, name)
    if array.ndim != len(axes):
        raise NbykError(
            f"found a {type(values).__name__} of shape {array.shape}, expected ({', '.join(axes)})", name=name
        )
    if array.dtype.kind not in "biuf":
        array = _numbers(array, name)
    scores = np.array(array, dtype=np.float64, order="C")
    finite = np.isfinite(scores)
    if not finite.all():
        at = tuple(np.argwhere(~finite)[0].tolist())
        raise NbykError(
            f"score {_position(at)} is {scores[at]}; expected finite numbers: leave out the "
            "runs that failed (of both systems, if the test is paired)",
            name=name,
        )
    n = array.shape[-1] if len(array) else 0
    if n < max(1, least):
        raise NbykError(f"found {n} score{'s' * (n != 1)}, expected at least {least}", name=name)
    return scores


def as_ratings(values: Any, name: str) -> Floats:
    """Return numbers of any shape, NaN where there is none."""
    place = DataPlace(name=name)
    refuse_no_rater([*map(str, names_of_frame(values))], place)
    array = array_of(values, name)
    array = numbers_or_text(array, place) if array.dtype.kind == "O" else array
    no_numbers = (shown(str(cell)) for cell in array.flat if not is_number(str(cell)))
    if array.dtype.kind not in "biuf" and (no_number := next(no_numbers, None)):
        raise NbykError(
            f"found {no_number}, which is no number; give numbers, also of classes, and NaN for none",
            argument=name,
        )
    ratings = np.array(array, dtype=np.float64)
    if np.isinf(ratings).any():
        raise NbykError("found inf, expected finite numbers, and NaN where there is none", argument=name)
    return ratings


def array_of(values: Any, name: str) -> Array:
    """Return what holds numbers, or responses, as an array."""
    if type(values) is np.ndarray:  # by far the most common, and neither masked nor a tensor
        return in_full(values)
    values = filled(on_host(values))
    if isinstance(values, list | tuple) and values and hasattr(values[0], "detach"):
        values = [on_host(value) for value in values]
    try:
        if hasattr(values, "__dlpack__") and not hasattr(values, "__array__"):
            return in_full(np.from_dlpack(values))
        return in_full(np.asarray(values))
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        raise NbykError(
            f"{type(values).__name__} cannot be read as numbers ({error}); expected a list, a numpy "
            "array, a pandas Series or a tensor on the CPU",
            name=name,
        ) from error


def is_of_pandas(values: Any) -> bool:
    """Return whether this is a series or a frame of pandas, with an index; columns of Arrow have a method."""
    return hasattr(values, "to_numpy") and hasattr(getattr(values, "index", None), "equals")


def on_host(values: Any) -> Any:
    """Return a tensor detached and copied from its device; otherwise it has no array protocol."""
    for method in ("detach", "cpu"):
        if hasattr(values, method):
            values = getattr(values, method)()
    return values


def _numbers(array: Array, name: str) -> Floats:
    out = np.empty(array.shape)
    for at, value in np.ndenumerate(array):
        if isinstance(value, str | bytes) or not isinstance(value, numbers.Real):
            raise NbykError(f"score {_position(at)} is {value!r}; expected a number", name=name)
        out[at] = float(value)
    return out


def _position(at: tuple[int, ...]) -> str:
    return str(at[0]) if len(at) == 1 else str(at)


def load_array(path: str | os.PathLike[str]) -> Array:
    """Return the one array in a NumPy file."""
    content = content_of(path)
    begins = content[:6]
    if begins != b"\x93NUMPY" and not begins.startswith(b"PK"):
        # numpy takes such a file for a pickle, and advises you to allow pickles.
        raise NbykError(
            f"not a readable NumPy array (it begins with {begins!r}); save it with numpy.save", file=path
        )
    source = TimedBytes(path, content)
    with readable(path, "NumPy array", "save an array of numbers with numpy.save"):
        refuse_bomb(path, content)
        # A pickle runs code when loaded, so an array that needs one is refused.
        loaded = np.load(source, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            if source.read(1):
                raise ValueError("more follows the array")
            return _bounded(loaded, path)
        # Members a and a.npy have the same name.
        names = loaded.files
        arrays = [loaded[name] for name in names[:1]]
    if len(names) != 1:
        raise NbykError(
            f"found the arrays {', '.join(names) or '(none)'}, expected exactly one; save one alone",
            file=path,
        )
    return _bounded(np.asarray(arrays[0]), path)


def _bounded(array: Array, path: str | os.PathLike[str]) -> Array:
    refuse_more(path, len(array) if array.ndim else 0, MOST_ROWS, "rows")
    refuse_more(path, array.size, MOST_CELLS, "cells")
    return array


def is_frame(given: Any) -> bool:
    """Return whether somebody gave a data frame of pandas, polars or pyarrow, or a table made of one."""
    _refuse_lazy(given)
    return hasattr(given, "columns") and not isinstance(given, Mapping)


def _refuse_lazy(given: Any) -> None:
    if type(given).__name__ == "LazyFrame":  # polars warns of each look at its columns
        raise NbykError(
            "found a LazyFrame, which holds no rows yet, expected a data frame; collect() it first"
        )


def names_of_frame(given: Any) -> tuple[Any, ...]:
    """Return the names of the columns of a data frame; none of anything else."""
    if not is_frame(given):
        return ()
    return tuple(given.schema.names if hasattr(given, "to_pydict") else given.columns)


def table_of_frame(given: Any) -> Table:
    """Return the table in a data frame, or in a series of pandas."""
    import narwhals.stable.v1 as nw
    import pandas as pd

    _refuse_lazy(given)
    place = DataPlace(name="the data frame")
    library = type(given).__module__.partition(".")[0]
    levels = levels_of(given)
    named: Iterable[tuple[str, Callable[[], Iterable[Any]]]]
    if isinstance(given, pd.DataFrame | pd.Series):
        named = _columns_of_pandas(given, place)
    elif library == "pyarrow" and hasattr(given, "to_pydict"):  # a table, or a batch
        named = ((name, _cells(given.column(at), "to_pylist")) for at, name in enumerate(given.schema.names))
    else:
        try:
            frame = nw.from_native(given, eager_only=True)
        except TypeError:
            kind = type(given).__name__
            raise NbykError(
                f"found {kind}, expected a path or a data frame of pandas, polars or pyarrow, "
                "or an array of numpy"
            ) from None
        named = ((name, _cells(frame[name], "to_list")) for name in frame.columns)
    columns: dict[str, list[Any]] = {}
    for name, read in named:
        if name in columns:
            raise place.error(f"2 columns are named {name!r}; rename one")
        columns[name] = [_plain(cell) for cell in as_cells(read, name, place)]
    rows = range(max(map(len, columns.values()), default=0))
    return Table(place, tuple(columns), tuple(columns.values()), rows, levels=levels)


def levels_of(given: Any) -> tuple[tuple[str, ...], ...]:
    """Return the levels, lowest first, of the columns of an ordered type of pandas or polars."""
    by_name = getattr(given, "dtypes", None)
    own = getattr(given, "dtype", None)
    types = [own] if own is not None else [] if by_name is None else list(by_name)
    ordered = (of for of in types if getattr(of, "ordered", type(of).__name__ == "Enum"))
    return tuple(dict.fromkeys(tuple(map(_level, of.categories)) for of in ordered))


def _level(level: Any) -> str:
    """Return a level as the class of its name: 3.0 is 3."""
    is_whole = isinstance(level, bool | float) and float(level).is_integer()
    return str(int(level) if is_whole else level)


def _columns_of_pandas(given: Any, place: DataPlace) -> Iterator[tuple[str, Callable[[], Iterable[Any]]]]:
    """Yield the columns of a frame or series of pandas, and those of an index that is no row number."""
    import pandas as pd

    frame = given.to_frame("value" if given.name is None else given.name) if given.ndim == 1 else given
    index = frame.index
    is_count = pd.api.types.is_integer_dtype(index.dtype) and index.nlevels == 1
    has_items = any(str(name).lower() in ITEM_NAMES for name in frame.columns)
    is_named = any(name is not None for name in index.names) or not is_count
    if is_named and index.nlevels > 1 and None in index.names:
        raise place.error("the index has levels without a name; name them, or drop them by reset_index")
    if is_named and index.names == [None] and has_items:
        raise place.error(
            f"the index holds {index[0]!r}, … beside a column of items; drop it by reset_index(drop=True)"
        )
    levels: list[tuple[Any, Any]] = []
    if is_named or not (has_items or index.equals(pd.RangeIndex(len(index)))):
        # reset_index would encode the ids, which may hold half a character
        names = ["item" if name is None else name for name in index.names]
        levels = [(name, index.get_level_values(level)) for level, name in enumerate(names)]
    for name, cells in (*levels, *((of, frame.iloc[:, at]) for at, of in enumerate(frame.columns))):
        text = "/".join(filter(None, map(str, name))) if isinstance(name, tuple) else str(name)
        yield text, _cells(cells, "astype", object)


def _cells(column: Any, method: str, *arguments: Any) -> Callable[[], Iterable[Any]]:
    """Return the function that makes a list of a column, of narrow floats by their digits."""
    kind = str(getattr(column, "dtype", getattr(column, "type", ""))).lower()
    if narrow := _NARROW.get(kind.removesuffix("[pyarrow]")):
        return lambda: in_full(np.asarray(column, narrow)).tolist()
    return partial(getattr(column, method), *arguments)


def filled(given: Any) -> Any:
    """Return an array without its mask: what it covers is missing."""
    if not isinstance(given, np.ma.MaskedArray):
        return given
    if given.dtype.kind == "V":
        return given.data
    if given.dtype.kind == "f":
        return given.filled(np.nan)
    kind, missing = (float, np.nan) if given.dtype.kind in "biu" else (object, None)
    return np.ma.filled(given.astype(kind), missing)


def as_matrix(array: Array, place: DataPlace) -> Array:
    """Return items × responses, (N, K) from (N,) or (N, K): numbers, NaN where one is missing, or text."""
    if array.dtype.kind == "O":
        array = numbers_or_text(array, place)
    refuse_dimensions(array, place)
    if array.size == 0:
        raise place.error("the array is empty; expected items × ratings with at least two items")
    are_text = array.dtype.kind == "O" or (array.dtype.kind == "U" and not all(map(is_number, array.flat)))
    if array.dtype.kind not in "biuf" and not are_text:
        raise place.error(f"found an array of {array.dtype}, expected numbers; convert it to float64")
    return in_full(array).reshape(len(array), -1)


def refuse_dimensions(array: Array, place: DataPlace, most: int = 2) -> None:
    """Raise NbykError if an array has no items, or more dimensions than responses to them have."""
    if not 1 <= array.ndim <= most:
        raise place.error(
            f"found an array of {array.ndim} dimensions, expected two, items × ratings; reshape it"
        )


def numbers_or_text(array: Array, place: DataPlace) -> Array:
    """Return an array of objects as one of numbers, NaN where one is missing, or of text."""
    cells = [_plain(cell) for cell in array.ravel()]
    there = {type(cell) for cell in cells if cell is not None}
    if there == {str}:
        return np.array(cells, dtype=object if None in cells else str).reshape(array.shape)
    numbers = as_numbers([np.nan if cell is None else cell for cell in cells])
    for row, cell in enumerate(cells):
        are_numbers = isinstance(cell, int | float | decimal.Decimal) and (
            np.isfinite(numbers[row]) or cell != cell
        )
        if not (cell is None or are_numbers):
            raise place.error(f"found {shown(cell)}, expected numbers alone, or text")
    return numbers.reshape(array.shape)


def _plain(cell: Any) -> Any:
    """Return the cell of a data frame as files have them: None if it is missing, numpy's as Python's."""
    if isinstance(cell, np.ndarray | np.generic):
        cell = cell.tolist()
    if isinstance(cell, str | int | float | datetime.date | uuid.UUID | list | dict) and cell == cell:
        return cell
    if isinstance(cell, decimal.Decimal):
        return None if cell.is_nan() else cell
    if isinstance(cell, fractions.Fraction):
        return float(cell)
    # pandas' missing values have types of their own
    if cell is None or isinstance(cell, float) or type(cell).__name__ in ("NAType", "NaTType"):
        return None
    return Unusable(said(cell))
