"""Files of a study's steps whose columns hold other things than the steps write end in one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from nbyk.files import write_parquet
from tests.cli.conftest import Run

SETS = {
    "reference": pa.array([0] * 6, pa.int32()),
    "system": pa.array(["gold", "gold", "a", "a", "b", "b"]).dictionary_encode(),
    "item": pa.array([0, 1] * 3, pa.int32()),
    "response": pa.array([0] * 6, pa.int32()),
    "value": pa.array([0.0, 1.0, 0.5, 0.5, 1.0, 0.0]),
}
EFFECTS = {
    "sampler": pa.array(["bootstrap_items/all"] * 4),
    "reference": pa.array([0] * 4),
    "hypothesis": pa.array(["alternative", "alternative", "null", "null"]),
    "draw": pa.array([0, 1, 0, 1], pa.int32()),
    "mae": pa.array([0.5, 0.25, 0.0, 0.1]),
}
COMMANDS: dict[str, tuple[str, dict[str, Any]]] = {
    "estimate": (
        "study estimate in.parquet --out o.parquet --metric mae --sampler bootstrap_items/all",
        SETS,
    ),
    "pvalues": ("study pvalues in.parquet --out o.parquet", EFFECTS),
}
COLUMNS = [(command, name) for command, (_, columns) in COMMANDS.items() for name in columns]


@pytest.mark.parametrize(("command", "name"), COLUMNS)
def test_a_column_of_another_type_or_with_empty_cells_ends_in_one_line(
    command: str, name: str, nbyk: Run
) -> None:
    line, columns = COMMANDS[command]
    n = len(columns[name])
    for cells in (pa.nulls(n), pa.array([[1]] * n), pa.array([b"x"] * n)):
        write_parquet(
            Path("in.parquet"),
            pa.table(columns | {name: cells}),
            {"metrics": {"mae": "mae"}, "M": 2, "null": "swap_items", "semantics": "recommended"},
        )
        code, _, errors = nbyk(line)
        assert code == 2
        assert errors.startswith(f"error: in.parquet: column '{name}' ")
        assert errors.count("\n") == 1
    write_parquet(Path("in.parquet"), pa.table(columns).slice(0, 0), {"semantics": "recommended"})
    assert "in.parquet: no rows" in nbyk(line)[2]
