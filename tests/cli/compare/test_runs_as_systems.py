"""Runs of a system that are given as systems of their own."""

from __future__ import annotations

import shutil

from tests.cli.compare.ratings import unfolded
from tests.cli.conftest import Run

CAUTION = "the names of big_seed1 and big_seed2 differ only in the number of a run"


def test_files_of_seeds_are_pointed_out(nbyk: Run) -> None:
    for name, copied in {"big_seed1": "sim_a", "big_seed2": "sim_b", "small_seed1": "sim_c"}.items():
        shutil.copy(f"{copied}.csv", f"{name}.csv")
    line = "compare --gold gold.csv {} --generalise items --resamples 199 --max-resamples 199"
    code, text, _ = nbyk(line.format("big_seed1.csv big_seed2.csv small_seed1.csv"))
    assert (code, CAUTION in unfolded(text), "small_seed1 and" in text) == (0, True, False)
    code, text, _ = nbyk(line.format("sim_a.csv sim_b.csv sim_c.csv"))
    assert (code, "differ only in the number" in text) == (0, False)
