"""Data frames of pandas, polars and pyarrow, and arrays of objects, as cells that a file could hold."""

from __future__ import annotations

import datetime
import decimal
import uuid
from typing import Any

import numpy as np

from nbyk.data.columns import KNOWN_NAMES
from nbyk.data.layouts import as_numbers
from nbyk.data.readers import Unusable, said
from nbyk.data.tables import DataRows, Table
from nbyk.data.text import shown
from nbyk.errors import DataPlace, NbykError


def table_of_frame(given: Any) -> Table:
    """Return the table in a data frame, or in a series of pandas."""
    import narwhals.stable.v1 as nw

    place = DataPlace(name="the data frame")
    if type(given).__module__.partition(".")[0] == "pandas":
        columns = _columns_of_pandas(given, place)
    else:
        try:
            frame = nw.from_native(given, eager_only=True)
        except TypeError:
            kind = type(given).__name__
            raise NbykError(
                f"found {kind}, expected a path or a data frame of pandas, polars or pyarrow, "
                "or an array of numpy"
            ) from None
        columns = {name: [_plain(cell) for cell in frame[name].to_list()] for name in frame.columns}
    n_rows = max(map(len, columns.values()), default=0)
    if not n_rows:
        raise place.error("has no rows; expected at least one rating per row")
    return Table(DataRows(place, "row", range(n_rows)), tuple(columns), tuple(columns.values()))


def _columns_of_pandas(given: Any, place: DataPlace) -> dict[str, list[Any]]:
    """Return the columns of a frame or series of pandas, and those of an index that is no row number."""
    import pandas as pd

    frame = given.to_frame("value" if given.name is None else given.name) if given.ndim == 1 else given
    index = frame.index
    is_count = pd.api.types.is_integer_dtype(index.dtype) and index.nlevels == 1
    has_items = any(str(name).lower() in ("item", *KNOWN_NAMES["item"]) for name in frame.columns)
    levels: list[tuple[Any, Any]] = []
    if any(name is not None for name in index.names) or not is_count:
        if index.nlevels > 1 and None in index.names:
            raise place.error("the index has levels without a name; name them, or drop them by reset_index")
        if index.nlevels == 1 and index.names[0] is None and has_items:
            raise place.error(
                f"the index holds {index[0]!r}, … beside a column of items; drop it by reset_index(drop=True)"
            )
        levels = [("item" if name is None else name, level) for level, name in enumerate(index.names)]
        levels = [(name, index.get_level_values(level)) for name, level in levels]
    elif not has_items and not index.equals(pd.RangeIndex(len(index))):
        levels = [("item", index)]
    columns: dict[str, list[Any]] = {}
    for name, cells in (*levels, *((of, frame.iloc[:, at]) for at, of in enumerate(frame.columns))):
        text = "/".join(filter(None, map(str, name))) if isinstance(name, tuple) else str(name)
        if text in columns:
            raise place.error(f"2 columns are named {text!r}; rename one")
        columns[text] = [_plain(cell) for cell in cells.astype(object)]
    return columns


def numbers_or_text(array: np.ndarray[Any, Any], place: DataPlace) -> np.ndarray[Any, Any]:
    """Return an array of objects as one of numbers, NaN where one is missing, or of text."""
    cells = [_plain(cell) for cell in array.ravel()]
    if cells and all(isinstance(cell, str) for cell in cells):
        return np.array(cells).reshape(array.shape)
    numbers = as_numbers([np.nan if cell is None else cell for cell in cells])
    for row, cell in enumerate(cells):
        is_number = isinstance(cell, int | float) and (np.isfinite(numbers[row]) or cell != cell)
        if not (cell is None or is_number):
            raise place.error(f"found {shown(cell)} in an array of objects, expected numbers or text")
    return numbers.reshape(array.shape)


def _plain(cell: Any) -> Any:
    """Return the cell of a data frame as files have them: None if it is missing, numpy's as Python's."""
    if isinstance(cell, np.ndarray | np.generic):
        cell = cell.tolist()
    if isinstance(cell, str | int | float | datetime.date | uuid.UUID | list | dict) and cell == cell:
        return cell
    if isinstance(cell, decimal.Decimal):
        return None if cell.is_nan() else cell
    # pandas' missing values have types of their own
    if cell is None or isinstance(cell, float) or type(cell).__name__ in ("NAType", "NaTType"):
        return None
    return Unusable(said(cell))
