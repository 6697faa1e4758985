"""A suite of 57 tasks in one folder of lm_eval's logs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nbyk.cli import main

SIZES = np.random.default_rng(1).integers(5, 20, 57)
TASKS = [f"mmlu_subject_{number:02d}" for number in range(57)]
DATE = "2025-06-01T10-00-00.000000"


def log_of(folder: Path, rate: float, seed: int) -> list[np.ndarray]:
    """Write one run of a model on all tasks, in the layout of lm_eval --log_samples; return its scores."""
    rng, scores = np.random.default_rng(seed), []
    folder.mkdir(parents=True)
    results = {"model_name": folder.name, "group_subtasks": {"mmlu": TASKS}}
    results["higher_is_better"] = {task: {"acc": True} for task in TASKS}
    (folder / f"results_{DATE}.json").write_text(json.dumps(results), encoding="utf-8")
    for task, size in zip(TASKS, SIZES, strict=True):
        scores.append((rng.random(size) < rate).astype(float))
        lines = [
            json.dumps(
                {
                    "doc_id": place,
                    "doc": {"question": f"{task} {place}"},
                    "filter": "none",
                    "metrics": ["acc"],
                    "doc_hash": f"{task}{place}",
                    "acc": score,
                }
            )
            for place, score in enumerate(scores[-1].tolist())
        ]
        (folder / f"samples_{task}_{DATE}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return scores


def test_the_macro_mean_of_a_group_is_one_suite(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    new, old = log_of(tmp_path / "new", 0.7, 1), log_of(tmp_path / "old", 0.6, 2)
    paths = [str(tmp_path / name) for name in ("new", "old")]
    out = tmp_path / "out"
    monkeypatch.setattr(
        "sys.argv", ["nbyk", "compare", *paths, "--task", "mmlu", "--suite", "task", "--out", str(out)]
    )
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code in (None, 0), capsys.readouterr().err
    (board,) = json.loads((out / "compare.json").read_text(encoding="utf-8"))["boards"]
    scores = {standing["name"]: standing["score"] for standing in board["standings"]}
    assert_allclose(
        [scores["new"], scores["old"]], [np.mean([of.mean() for of in run]) for run in (new, old)]
    )
    # lm_eval's standard error of a macro mean, of the differences
    differences = [a - b for a, b in zip(new, old, strict=True)]
    error = np.sqrt(sum(of.var(ddof=1) / of.size for of in differences)) / 57
    low, high = board["pairs"][0]["interval"]
    assert_allclose((high - low) / 2 / error, 1.96, rtol=0.02)
    assert len((out / "tables" / "tasks.csv").read_text(encoding="utf-8").splitlines()) == 58
