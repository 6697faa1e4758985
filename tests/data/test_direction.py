"""Which values are better: as the user or a log says, and a word where a name says otherwise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nbyk
from nbyk import read_systems
from nbyk.errors import NbykError
from tests.data.lm_eval_log import sample, write_run

LOW, HIGH = [0.135, 0.124, 0.014, 0.096, 0.189, 0.061], [0.296, 0.278, 0.315, 0.311, 0.302, 0.321]


def written(folder: Path, name: str, value: str, cells: list[float]) -> Path:
    rows = "".join(f"q{i},{cell}\n" for i, cell in enumerate(cells))
    (folder / f"{name}.csv").write_text(f"item,{value}\n{rows}")
    return folder / f"{name}.csv"


@pytest.mark.parametrize("value", ["wer", "WER", "eval_loss", "latency_ms", "Error Rate", "test/ter"])
def test_an_error_rate_is_taken_as_the_user_says_and_its_name_brings_a_caution(
    value: str, tmp_path: Path
) -> None:
    files = [written(tmp_path, "ours", value, LOW), written(tmp_path, "old", value, HIGH)]
    found = read_systems(files)
    (note,) = found.notes
    assert note.startswith(f"the values are called {value}, of which lower ones are usually better")
    for lower, better in ((None, "old"), (False, "old"), (True, "ours")):
        read = read_systems(files, lower_is_better=lower)
        assert (read.notes == ()) == (lower is not None)
        board = nbyk.compare(read, alpha=0.5, seed=1)
        assert (board.pairs[0].better, board.standings[0].name) == (better, better)
        assert board.effect == pytest.approx((np.mean(LOW) - np.mean(HIGH)) * (-1 if lower else 1))
    assert nbyk.compare(None, LOW, HIGH, lower_is_better=True, seed=1, kind="numbers").p == board.p


@pytest.mark.parametrize("kind", ["numbers", "scores"])
def test_the_first_line_says_which_values_are_better_where_a_mean_does_not(kind: str) -> None:
    """Who forgets gold, or the direction of errors, sees what was taken for better beside the verdict."""
    for lower, direction in ((None, "higher"), (True, "lower")):
        board = nbyk.compare(None, LOW, HIGH, lower_is_better=lower, seed=1, kind=kind)
        assert f", {direction} is better, 6 " in board.head.about
        assert "_" not in board.head.lines[0].left
    assert "better" not in nbyk.compare(HIGH, LOW, HIGH, seed=1).head.about  # an error says it itself


@pytest.mark.parametrize("test", ["permutation", "welch_t", "mann_whitney", "aso", "bootstrap"])
def test_scores_of_runs_are_mirrored_and_their_means_shown_as_they_are(test: str) -> None:
    lower = nbyk.compare(None, LOW, HIGH, test=test, lower_is_better=True, n_resamples=200, seed=1)
    mirrored = nbyk.compare(None, *(-np.array(of) for of in (LOW, HIGH)), test=test, n_resamples=200, seed=1)
    higher = nbyk.compare(None, LOW, HIGH, test=test, n_resamples=200, seed=1)
    assert lower.pairs[0].claims == mirrored.pairs[0].claims
    assert [standing.name for standing in lower.standings] == ["A", "B"]
    assert [standing.name for standing in higher.standings] == ["B", "A"]
    assert lower.standings[0].score == pytest.approx(np.mean(LOW))
    assert lower.effect == -higher.effect > 0


def log(folder: Path, name: str, metric: str, higher: Any, scores: list[float]) -> Path:
    made = write_run(folder, [sample(i, {metric: s}) for i, s in enumerate(scores)], model=name, task="t")
    for path in made.glob("results_*"):
        content = json.loads(path.read_text()) | {"higher_is_better": higher}
        path.write_text(json.dumps(content))
    return made


def test_the_direction_in_a_log_is_used(tmp_path: Path) -> None:
    for metric, higher, lower_is_better in (("ter", False, True), ("acc", True, False)):
        files = [
            log(tmp_path / metric, name, metric, {"t": {metric: higher}}, scores)
            for name, scores in (("ours", LOW), ("old", HIGH))
        ]
        read = read_systems(files)
        assert read.lower_is_better == lower_is_better
        assert read.notes == (
            ("the log says that lower values of ter are better",) if lower_is_better else ()
        )
        assert read_systems(files, lower_is_better=not lower_is_better).lower_is_better != lower_is_better
    mixed = [tmp_path / "ter/ours", tmp_path / "acc/old"]
    with pytest.raises(
        NbykError, match=r"lower_is_better: one log says that lower values are better \(ter\)"
    ):
        read_systems(mixed)


def test_what_a_log_of_deepeval_passes_below_the_threshold_is_better_if_lower(tmp_path: Path) -> None:
    for name, score in (("a", 0.25), ("b", 0.75)):
        metric = {"name": "Bias", "threshold": 0.5, "success": score < 0.5, "score": score}
        cases = [{"name": f"case {i}", "metricsData": [metric]} for i in range(3)]
        (tmp_path / f"{name}.json").write_text(json.dumps({"testCases": cases}))
    read = read_systems([tmp_path / "a.json", tmp_path / "b.json"])
    assert read.lower_is_better
    assert nbyk.compare(read, seed=1).standings[0].name == "a"


def test_a_direction_beside_gold_or_a_metric_or_classes_is_refused(tmp_path: Path) -> None:
    files = [written(tmp_path, "ours", "value", LOW), written(tmp_path, "old", "value", HIGH)]
    with pytest.raises(NbykError, match=r"lower_is_better: .*metrics that compare with gold say"):
        read_systems(files, files[0], lower_is_better=True)
    with pytest.raises(NbykError, match=r"lower_is_better: .*give one of them"):
        nbyk.compare(read_systems(files), metric="mean", lower_is_better=True)


def test_documents_that_a_log_lacks_are_counted(tmp_path: Path) -> None:
    for name, counts, says, is_incomplete in (
        ("whole", {"original": 6, "effective": 6}, "", False),
        ("limited", {"original": 9, "effective": 6}, "6 of 9 documents were evaluated (--limit)", False),
        ("cut", {"original": 9, "effective": 8}, "2 of 8 documents are missing", True),
    ):
        folder = log(tmp_path, name, "acc", {"t": {"acc": True}}, LOW)
        for path in folder.glob("results_*"):
            path.write_text(json.dumps(json.loads(path.read_text()) | {"n-samples": {"t": counts}}))
        other = tmp_path / f"{name}.csv"
        other.write_text("item,value\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(HIGH)))
        read = read_systems({"a": folder, "b": other})
        notes = [note for note in read.notes if "documents" in note]
        assert [note.rpartition(": ")[2] for note in notes] == ([says] if says else [])
        assert list(read.incomplete) == (notes if is_incomplete else [])
