"""Comparisons of classes in the workflow: a job per comparison, again for a new run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from nbyk.files import read_json
from tests.workflow.runs import ROOT, configure, planned, snakemake

TARGET = ("--", "comparisons")


def add(folder: Path, name: str, run: str, right: float, seed: int) -> None:
    """Write a run of one system, and the gold classes."""
    gold = np.random.default_rng(0).integers(0, 2, 60)
    classes = np.where(np.random.default_rng(seed).random(60) < right, gold, 1 - gold)
    (folder / name).mkdir(parents=True, exist_ok=True)
    for file, values in ((folder / "gold.txt", gold), (folder / name / f"{run}.txt", classes)):
        file.write_text("\n".join("ny"[value] for value in values))


def test_a_comparison_of_classes_is_a_job_that_a_new_run_makes_again(tmp_path: Path) -> None:
    add(tmp_path, "base", "seed1", 0.6, 1)
    add(tmp_path, "new", "seed1", 0.9, 2)
    mine = {"systems": ["new", "base"], "gold": "gold.txt", "metrics": ["f1_macro", "accuracy"]}
    config: dict[str, Any] = {"comparisons": {"mine": {**mine, "n_resamples": 99, "max_resamples": 99}}}
    configure(tmp_path, config)
    code, output = snakemake(ROOT, tmp_path, *TARGET)
    assert code == 0, output[-3000:]
    found = read_json(tmp_path / "results/comparisons/mine/compare.json")
    assert [each["metric"] for each in found["boards"]] == ["f1_macro", "accuracy"]
    assert found["boards"][0]["sample"]["responses"]["new"]["most"] == 1
    assert planned(ROOT, tmp_path, *TARGET) == []

    add(tmp_path, "new", "seed2", 0.95, 3)
    code, output = snakemake(ROOT, tmp_path, *TARGET)
    assert code == 0, output[-3000:]
    again = read_json(tmp_path / "results/comparisons/mine/compare.json")
    assert again["boards"][0]["sample"]["responses"]["new"]["most"] == 2
