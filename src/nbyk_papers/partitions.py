"""Files of results as one table: read from hive folders, and put in order."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nbyk.errors import NbykError
from nbyk.files import read_parquet

if TYPE_CHECKING:
    import pandas as pd


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

    Parameters
    ----------
    table
        The rows. Those that are equal in all of the columns keep their order.
    by
        The columns.
    orders
        The order of the names in a column; further names come after those, sorted.
    """

    def key(values: pd.Series) -> pd.Series:
        if values.name not in orders:
            return values
        order = orders[str(values.name)]
        further = sorted(set(values) - set(order))
        return values.map({name: place for place, name in enumerate((*order, *further))})

    return table.sort_values(list(by), key=key, kind="stable", ignore_index=True)
