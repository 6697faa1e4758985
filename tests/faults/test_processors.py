"""No result depends on the processor, whose BLAS adds in an order of its own; OPENBLAS_CORETYPE plays one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

COMMANDS = """
import sys
from nbyk.cli import main
for line in sys.argv[1:]:
    sys.argv = ["nbyk", *line.split()]
    try:
        main()
    except SystemExit as ended:
        assert not ended.code, line
"""
"""Runs each command line that it is given, in one process."""

CORES = ("Prescott", "Nehalem", "Sandybridge", "Haswell", "Zen", "SkylakeX", "Cooperlake", "Sapphirerapids")
"""From the oldest to those that may crash where the processor lacks their instructions."""

EVERY = 1 if int(os.environ.get("NBYK_FAULTS_TIMES") or 1) > 1 else 5
"""Without `make test-faults`, an old and a new one do, and answers are printed in place of written."""


def playable(cores: Sequence[str]) -> tuple[str, ...]:
    """Return the kinds of processor as which this one can work."""
    product = "import numpy as np; a = np.ones((200, 200)) / 3; print((a @ a).sum())"
    return tuple(
        core
        for core in cores
        if subprocess.run(
            [sys.executable, "-c", product],
            env={**os.environ, "OPENBLAS_CORETYPE": core},
            capture_output=True,
            check=False,
        ).returncode
        == 0
    )


def written(folder: Path, core: str) -> dict[str, bytes]:
    """Return what the commands write on a kind of processor, by path."""
    draws = np.random.default_rng(7)
    rows = [(item, rater) for item in range(60) for rater in range(4)]
    levels = draws.integers(0, 5, 60)
    for name, shift in (("gold", 0.0), ("a", 0.4), ("b", 0.9)):
        noise = np.rint(levels[:, None] + shift * draws.normal(size=(60, 4)) + draws.normal(size=(60, 4)))
        rated = [f"i{item},r{rater},{int(np.clip(noise[item, rater], 0, 4))}" for item, rater in rows]
        (folder / f"{name}.csv").write_text("\n".join(["item,rater,value", *rated]) + "\n")
        (folder / f"{name}.txt").write_text("\n".join(f"{x:.17g}" for x in noise.mean(axis=1)) + "\n")
    lines: tuple[str, ...] = (
        "compare a.csv b.csv --gold gold.csv --scale 0,1,2,3,4 --resamples 199 --max-resamples 999 --out one",
        "study normalise own --path gold.csv --scale 0,1,2,3,4 --out own.parquet",
        "compare a.txt b.txt --kind scores --out tested",
    )
    if EVERY > 1:  # figures take most of the time
        lines = (lines[0].replace("--out one", "--format json"), lines[1])
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS, *lines],
        cwd=folder,
        env={**os.environ, "OPENBLAS_CORETYPE": core},
        check=True,
        capture_output=True,
    )
    if EVERY > 1:
        (folder / "printed.txt").write_bytes(done.stdout)
    files = (path for path in folder.rglob("*") if path.is_file() and ".nbyk" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_every_processor_writes_the_same_bytes(tmp_path: Path) -> None:
    cores = playable(CORES[::EVERY])
    if len(cores) < 2:
        pytest.skip("this machine's BLAS plays one kind of processor only")
    folders = {core: tmp_path / core for core in cores}
    found = {}
    for core, folder in folders.items():
        folder.mkdir()
        found[core] = written(folder, core)
    first = found[cores[0]]
    for core in cores[1:]:
        assert sorted(found[core]) == sorted(first)
        differing = [name for name in first if found[core][name] != first[name]]
        assert differing == [], core
