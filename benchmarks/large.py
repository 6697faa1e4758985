"""CPU and memory of `nbyk compare` against items, raters, runs, systems and metrics, from Parquet files.

    python -m benchmarks.large benchmarks/large.csv

A row is the quicker of two commands of their own processes, with compiled code at hand. The exponent is that
of the CPU beyond that of a tiny command, from the size before; that of systems is against their pairs.
"""

from __future__ import annotations

import csv
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

METRICS = ("mae", "mse", "rmse", "cosine")
BASE = {"items": 160_000, "raters": 1, "runs": 1, "systems": 2, "metrics": 1}
AXES = {
    "items": (640_000, 2_560_000),
    "raters": (4, 16),
    "runs": (4, 16),
    "systems": (4, 8),
    "metrics": (2, 4),
}


def write(path: Path, values: np.ndarray, of: str) -> None:
    """Write ratings, shape (items, columns), one a row."""
    n, k = values.shape
    items = np.char.add("q", np.arange(n).astype(str))
    columns = {"item": np.repeat(items, k), "value": values.ravel()}
    if k > 1:
        columns[of] = np.tile(np.char.add(of, np.arange(k).astype(str)), n)
    pq.write_table(pa.table(columns), path)


def measure(folder: Path, sizes: dict[str, int]) -> tuple[float, float]:
    """Return the seconds of CPU and the MB at the peak of one command."""
    rng = np.random.default_rng(0)
    truth = rng.normal(3.0, 1.0, (sizes["items"], 1))

    def ratings(columns: int, noise: float) -> np.ndarray:
        return np.clip(np.rint(truth + noise * rng.standard_normal((len(truth), columns))), 1, 5)

    write(folder / "gold.parquet", ratings(sizes["raters"], 0.5), "rater")
    systems = [folder / f"s{number}.parquet" for number in range(sizes["systems"])]
    for number, path in enumerate(systems):
        write(path, ratings(sizes["runs"], 0.8 + 0.01 * number), "rater")
    chosen = [option for name in METRICS[: sizes["metrics"]] for option in ("--metric", name)]
    command = [str(Path(sys.executable).with_name("nbyk")), "compare", *map(str, systems)]
    process = subprocess.Popen(
        [*command, "--gold", str(folder / "gold.parquet"), "--scale", "1..5", *chosen],
        stdout=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, sizes
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def units(axis: str, size: int) -> int:
    """Return what work grows with: pairs of systems, and else the size itself."""
    return math.comb(size, 2) if axis == "systems" else size


def main(out: Path) -> None:
    """Measure and write all rows; the first two are a tiny command's, twice, which compiles."""
    with tempfile.TemporaryDirectory() as folder, out.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["axis", *BASE, "cpu_seconds", "peak_mb", "exponent"])

        def row(axis: str, sizes: dict[str, int], start: tuple[float, int, float] | None = None) -> float:
            cpu, peak = min(measure(Path(folder), sizes) for _ in range(2))
            exponent = ""
            if start is not None:
                tiny, smaller, less = start
                growth = math.log(units(axis, sizes[axis]) / units(axis, smaller))
                exponent = f"{math.log((cpu - tiny) / (less - tiny)) / growth:.2f}"
            table.writerow([axis, *sizes.values(), f"{cpu:.2f}", f"{peak:.0f}", exponent])
            file.flush()
            return cpu

        measure(Path(folder), BASE | {"items": 100})
        tiny = row("start", BASE | {"items": 100})
        base = row("base", BASE)
        for axis, sizes in AXES.items():
            before = BASE[axis], base
            for size in sizes:
                before = size, row(axis, BASE | {axis: size}, (tiny, *before))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
