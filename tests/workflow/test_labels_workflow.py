"""Designs of label predictions in the workflow: a job per design."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from nbyk.files import read_json
from tests.workflow.runs import ROOT, configure, planned, snakemake

TARGET = ("--", "labels")
DESIGN = "kind: hard\ntargets: gold.txt\nfolder: runs\ncontrols: [base]\nn_resamples: 99\nmetric: accuracy\n"


def add(folder: Path, name: str, right: float, seed: int) -> None:
    """Write the predictions of one system, and the targets."""
    gold = np.random.default_rng(0).integers(0, 2, 60)
    labels = np.where(np.random.default_rng(seed).random(60) < right, gold, 1 - gold)
    (folder / "runs" / name).mkdir(parents=True)
    (folder / "gold.txt").write_text("\n".join(map(str, gold)))
    (folder / "runs" / name / "seed.txt").write_text("\n".join(map(str, labels)))


def test_a_design_is_a_job_that_a_new_run_makes_again(tmp_path: Path) -> None:
    add(tmp_path, "base", 0.6, 1)
    add(tmp_path, "new", 0.9, 2)
    (tmp_path / "design.yaml").write_text(DESIGN)
    config: dict[str, Any] = {"labels": {"designs": {"mine": "design.yaml"}}}
    configure(tmp_path, config)
    code, output = snakemake(ROOT, tmp_path, *TARGET)
    assert code == 0, output[-3000:]
    found = read_json(tmp_path / "results/labels/mine/labels.json")
    assert [each["treatment"] for each in found["comparisons"]] == ["new"]
    assert planned(ROOT, tmp_path, *TARGET) == []

    add(tmp_path, "newer", 0.95, 3)
    code, output = snakemake(ROOT, tmp_path, *TARGET)
    assert code == 0, output[-3000:]
    again = read_json(tmp_path / "results/labels/mine/labels.json")["comparisons"]
    assert sorted(each["treatment"] for each in again) == ["new", "newer"]

    os.remove(tmp_path / "gold.txt")
    code, output = snakemake(ROOT, tmp_path, *TARGET)
    assert code != 0
    assert "a design under labels.designs is wrong" in output
    assert "targets: gold.txt: no such file" in output
