"""Files of results as one table, and the datasets that hold the rows of every study in one form."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbyk.errors import NbykError
from nbyk.files import read_parquet

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def read_partitioned(
    files: Sequence[str | os.PathLike[str]], columns: Sequence[str], partitions: Sequence[str]
) -> pd.DataFrame:
    """Return files as one table, with the partitions that their folders name as columns."""
    import pandas as pd

    parts = []
    for file in files:
        part = read_parquet(file, columns)[0].to_pandas()
        folders = dict(name.split("=", 1) for name in Path(file).parent.parts if "=" in name)
        if not set(partitions) <= set(folders):
            expected = "/".join(f"{name}=…" for name in partitions)
            raise NbykError(f"expected it in folders {expected}, as the workflow lays them out", file=file)
        parts.append(part.assign(**{name: folders[name] for name in partitions}))
    table: pd.DataFrame = pd.concat(parts, ignore_index=True)
    return table


def in_order(table: pd.DataFrame, by: Sequence[str], orders: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Return rows sorted by columns, of which some have names in an order of their own.

    Further names come after those in `orders`, sorted. Rows that are equal in all of the columns keep their
    order.
    """

    def key(values: pd.Series) -> pd.Series:
        if values.name not in orders:
            return values
        order = orders[str(values.name)]
        further = sorted(set(values) - set(order))
        return values.map({name: place for place, name in enumerate((*order, *further))})

    return table.sort_values(list(by), key=key, kind="stable", ignore_index=True)


_CELL = {
    "study": "text",
    "source": "text",
    "semantics": "text",
    "epsilon_a": "number",
    "epsilon_b": "number",
    "n_items": "count",
    "k_responses": "count",
    "sampler": "text",
    "metric": "text",
    "null": "text",
}
"""Columns of every dataset. A sampler is whatever draws, or the test; a source is where items are from."""

P_VALUES = {
    **_CELL,
    "reference": "count",
    "estimated_p": "number",
    "estimated_se": "number",
    "true_p": "number",
    "true_se": "number",
    "estimated_effect": "number",
    "true_effect": "number",
    "n_resamples": "count",
    "n_draws": "count",
    "seed": "count",
    "version": "text",
}
"""Columns of ``results/pvalues``: an estimated p-value is of one test set. A true one is of many. It is the
same for each test set, unless the set is one of them (published toxicity)."""

RATES = {
    **_CELL,
    "alpha": "number",
    "rate": "number",
    "rate_se": "number",
    "n_sets": "count",
    "n_resamples": "count",
    "seed": "count",
    "version": "text",
}
"""Columns of ``results/rates``: the share of test sets that a test rejects at level α, a level or a power."""


def read_rows(files: Sequence[str | os.PathLike[str]]) -> pd.DataFrame:
    """Return files of the dataset of p-values as one table."""
    import pandas as pd

    parts = [read_parquet(file, tuple(P_VALUES))[0].to_pandas() for file in files]
    return pd.concat([decoded(part) for part in parts], ignore_index=True)


def decoded(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose categories are plain values."""
    categories = {
        name: table[name].cat.categories.dtype for name in table.columns[table.dtypes == "category"]
    }
    return table.astype(categories)


def as_rows(columns: dict[str, str], study: str, seed: int, frame: pd.DataFrame, **same: Any) -> pa.Table:
    """Return a study's rows of a dataset, `P_VALUES` or `RATES`; columns that it does not have are empty.

    The frame's other columns are left out; `same` are columns with the same value in every row. Rates have
    their standard errors from the numbers of test sets.
    """
    import pyarrow as pa

    import nbyk

    types = {"text": pa.dictionary(pa.int32(), pa.string()), "number": pa.float64(), "count": pa.int64()}
    given = frame.assign(**same, study=study, seed=seed, version=nbyk.__version__)
    if columns is RATES and len(given):
        given = given.assign(rate_se=(given["rate"] * (1.0 - given["rate"]) / given["n_sets"]) ** 0.5)
    arrays = []
    for name, kind in columns.items():
        if name not in given:
            arrays.append(pa.nulls(len(given), types[kind]))
        elif kind == "text":
            arrays.append(
                pa.array(given[name].astype("object"), pa.string(), from_pandas=True).dictionary_encode()
            )
        else:
            arrays.append(pa.array(given[name], types[kind], from_pandas=True, safe=kind == "number"))
    return pa.table(dict(zip(columns, arrays, strict=True)))
