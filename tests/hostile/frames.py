"""Data frames of pandas, polars and pyarrow, and arrays of numpy, with anything in any place."""

from __future__ import annotations

import datetime
import decimal
import uuid
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from tests.hostile.case import Words

N = 4
DAY = datetime.date(2025, 1, 1)
CELLS: dict[str, Callable[[], Any]] = {
    "pd.NA": lambda: pd.Series([0, 1, pd.NA, 1], dtype="object"),
    "all pd.NA": lambda: pd.Series([pd.NA] * N, dtype="object"),
    "None": lambda: pd.Series([0.5, None, 1, 0], dtype="object"),
    "Int64": lambda: pd.Series([0, 1, None, 1], dtype="Int64"),
    "Float64": lambda: pd.Series([0, 1, None, 1], dtype="Float64"),
    "Float64 with NaN": lambda: (
        pd.Series([0.0, 1, 0, 1], dtype="Float64") / pd.Series([0, 1, 0, 2], dtype="Float64")
    ),
    "boolean": lambda: pd.Series([True, False, None, True], dtype="boolean"),
    "bool": lambda: pd.Series([True, False, False, True]),
    "objects of bool": lambda: pd.Series([True, False, np.True_, None], dtype="object"),
    "int64 of pyarrow": lambda: pd.Series([0, 1, None, 1], dtype="int64[pyarrow]"),
    "string of pyarrow": lambda: pd.Series(["a", "b", None, "c"], dtype="string[pyarrow]"),
    "categories": lambda: pd.Series(["a", "b", "a", None], dtype="category"),
    "ordered categories of numbers": lambda: pd.Series(pd.Categorical([1, 0, 1, 0], ordered=True)),
    "float16": lambda: pd.Series([0.5, 0, 1, 0.25], dtype="float16"),
    "sparse": lambda: pd.Series(pd.arrays.SparseArray([0.0, 1.0, 0.0, np.nan])),
    "dates": lambda: pd.Series([DAY + datetime.timedelta(days=n) for n in range(N)], dtype="object"),
    "one date": lambda: pd.Series([DAY] * N, dtype="object"),
    "times": lambda: pd.Series(pd.date_range("2025", periods=N, freq="h")),
    "times in a zone": lambda: pd.Series(pd.date_range("2025", periods=N, tz="Asia/Kolkata")),
    "NaT": lambda: pd.Series([pd.Timestamp("2025"), pd.NaT, pd.Timestamp("2026"), pd.NaT]),
    "differences of time": lambda: pd.Series(pd.to_timedelta(range(N), unit="D")),
    "periods": lambda: pd.Series(pd.period_range("2025", periods=N, freq="M")),
    "intervals": lambda: pd.Series(pd.interval_range(0, N)),
    "UUIDs": lambda: pd.Series([uuid.UUID(int=n) for n in range(N)], dtype="object"),
    "decimals": lambda: pd.Series([decimal.Decimal(f"0.{n}") for n in range(N)], dtype="object"),
    "decimals that are NaN": lambda: pd.Series(
        [decimal.Decimal(of) for of in ("NaN", "1", "sNaN", "Infinity")]
    ),
    "complex": lambda: pd.Series([1 + 1j, 0, 1, 0]),
    "bytes": lambda: pd.Series([b"1", b"0", b"\xff", b""]),
    "lists": lambda: pd.Series([[0.5, 0.5], [1, 0], [], [0.2, 0.8]]),
    "arrays": lambda: pd.Series(
        [np.array([0.5, 0.5]), np.array([1, 0]), np.array(1.0), None], dtype="object"
    ),
    "objects": lambda: pd.Series([{"a": 1.0, "b": 0.0}, {"a": 0.5}, {}, {"a": None}]),
    "sets": lambda: pd.Series([{1}, {2}, frozenset(), {3}]),
    "frames": lambda: pd.Series([pd.DataFrame(), pd.DataFrame({"a": [1]}), 1, 2], dtype="object"),
    "functions": lambda: pd.Series([len, print, type, None], dtype="object"),
    "large integers": lambda: pd.Series([2**80, 2**53 + 1, -(2**70), 1], dtype="object"),
    "floats from 2 to the 53": lambda: pd.Series([2.0**53, 2.0**53 + 2, 1e300, 1.0]),
    "infinity": lambda: pd.Series([np.inf, 1, -np.inf, 0]),
    "minus zero": lambda: pd.Series([-0.0, 0.0, 1, 1]),
    "text and numbers": lambda: pd.Series([1, "1", 1.0, "01"], dtype="object"),
    "spaces": lambda: pd.Series([" ", "", "a ", "a"]),
    "half a character": lambda: pd.Series(["\ud800", "a", "b", "c"], dtype="object"),
    "long text": lambda: pd.Series(["x" * 10**6, "a", "b", "c"]),
    "numpy's text": lambda: pd.Series([np.str_("a"), np.str_("b"), "c", "d"], dtype="object"),
}
"""What may stand in a column, N cells of it."""

PLACES = (
    "values",
    "items",
    "raters",
    "values of a wide frame",
    "the index",
    "a level of the index",
    "names of columns",
)
LIBRARIES = ("pandas", "polars", "pyarrow", "a column alone", "numpy")


def frame(library: str, cells: str, place: str) -> Any:
    """Return the data; what a library cannot hold is left to pandas."""
    column = CELLS[cells]()
    if library == "a column alone":
        return column
    if library == "numpy":
        return (
            np.ma.MaskedArray(column.to_numpy(), [False, True, False, False])
            if place == "items"
            else column.to_numpy()
        )
    long = pd.DataFrame({"item": list("abcd"), "rater": list("rrss"), "value": [1.0, 0.0, 0.5, 1.0]})
    wide = pd.DataFrame({"item": list("abcd"), "x": [1.0, 0.0, 0.5, 1.0], "y": [0.0, 0.0, 1.0, 1.0]})
    places = {
        "values": lambda: long.assign(value=column),
        "items": lambda: long.assign(item=column),
        "raters": lambda: long.assign(rater=column),
        "values of a wide frame": lambda: wide.assign(y=column),
        "the index": lambda: long.drop(columns="item").set_index(pd.Index(column)),
        "a level of the index": lambda: long.assign(item=column).set_index(["item", "rater"]),
        "names of columns": lambda: pd.DataFrame(np.eye(N), columns=column.tolist()).assign(
            item=list("abcd")
        ),
    }
    try:
        made = places[place]()
    except (TypeError, ValueError, NotImplementedError):  # pandas cannot hold it there
        made = places["values"]()
    try:
        if library == "polars":
            return pl.DataFrame({str(name): made[name].tolist() for name in made.columns}, strict=False)
        if library == "pyarrow":
            return pa.Table.from_pandas(made)
    except (Exception, pl.exceptions.PanicException):  # neither library promises which
        return made
    return made


def compare(library: str, cells: str, place: str) -> None:
    """Compare a frame with itself, as Python's users do."""
    import nbyk

    read = nbyk.read_systems({"a": frame(library, cells, place), "b": frame(library, cells, place)})
    nbyk.compare(read, n_resamples=99, max_resamples=99)


def cases() -> Iterator[tuple[str, Callable[[Path], Words]]]:
    """Yield the name and the words of each."""
    for library in LIBRARIES:
        places = PLACES if library in ("pandas", "polars", "pyarrow") else PLACES[:2]
        for cells in CELLS:
            for place in places:
                yield f"{library}, {place}: {cells}", partial(_words, library, cells, place)


def _words(library: str, cells: str, place: str, folder: Path) -> Words:
    return ["frame", library, cells, place]
