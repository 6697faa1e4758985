"""Writing a table of worlds row by row, so that a run that is stopped leaves what it has."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pandas as pd


def write_table(
    description: str | None, sets: int, rows_of: Callable[[int], Iterable[dict[str, Any]]]
) -> None:
    """Print the rows of so many sets a world, and write them to the file that the command line names."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("table", type=Path)
    parser.add_argument("--sets", type=int, default=sets)
    options = parser.parse_args()
    rows = []
    for row in rows_of(options.sets):
        rows.append(row)
        print(row, flush=True)
        pd.DataFrame(rows).to_csv(options.table, index=False, float_format="%.4g")
