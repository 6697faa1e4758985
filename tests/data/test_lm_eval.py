"""Logs of lm-evaluation-harness as ratings: documents by runs."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nbyk.data import SampleChoice, read_samples
from nbyk.errors import NbykError
from tests.data.lm_eval_log import DATES, older, runs, sample, write_run

SCORES = [[1.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.5]]


def values(path: Path, choice: SampleChoice | None = None) -> list[list[float]]:
    return read_samples(path, choice).ratings.matrix().tolist()


def test_the_runs_of_a_model_are_the_raters_of_its_documents(tmp_path: Path) -> None:
    samples = read_samples(runs(tmp_path, SCORES))
    assert samples.ratings.items == ("0", "1", "2")
    assert samples.ratings.raters == tuple(f"run {date}" for date in DATES)
    np.testing.assert_array_equal(samples.ratings.matrix(), np.transpose(SCORES))
    assert samples.metric == "acc"
    assert set(samples.documents["1"]) == {"doc_hash", "target_hash"}


def test_a_run_is_its_file_or_its_folder_at_any_depth(tmp_path: Path) -> None:
    folder = runs(tmp_path, SCORES[:1])
    assert values(folder) == values(tmp_path) == values(next(folder.glob("samples_*"))) == [[1], [0], [1]]


def test_runs_in_folders_of_their_own_are_told_apart_by_their_path(tmp_path: Path) -> None:
    for seed, row in enumerate(SCORES):
        runs(tmp_path / f"seed{seed}", [row])
    ratings = read_samples(tmp_path).ratings
    np.testing.assert_array_equal(ratings.matrix(), np.transpose(SCORES))
    assert ratings.raters[1] == f"run seed1/org__model/samples_gsm8k_{DATES[0]}.jsonl"


def test_an_output_path_that_is_a_file_puts_the_runs_beside_it(tmp_path: Path) -> None:
    # --output_path out/mine.json: out/mine_<date>.json and out/samples_<task>_<date>.jsonl, for any model.
    for date, model, row in zip(DATES, ("x", "y"), SCORES, strict=False):
        folder = runs(tmp_path / "made", [row], model=model)
        next(folder.glob("samples_*")).rename(tmp_path / f"samples_gsm8k_{date}.jsonl")
        next(folder.glob("results_*")).rename(tmp_path / f"mine_{date}.json")
    with pytest.raises(NbykError, match=r"samples of 2 models \(x, y\)"):
        read_samples(tmp_path)
    assert values(tmp_path / f"samples_gsm8k_{DATES[1]}.jsonl") == [[0], [0], [1]]


def test_a_run_may_lack_documents(tmp_path: Path) -> None:
    write_run(tmp_path, [sample(i, {"acc": 1.0}) for i in (0, 1, 2)])
    folder = write_run(tmp_path, [sample(2, {"acc": 0.0})], date=DATES[1])
    np.testing.assert_array_equal(values(folder), [[1, np.nan], [1, np.nan], [1, 0]])


def test_metric_task_and_filter_are_chosen_by_name(tmp_path: Path) -> None:
    for task, shift in (("arc", 0.0), ("arc_easy", 0.25)):
        samples = [
            sample(i, {"acc": at + shift, "f1": 0.75}, filter_key=key)
            for key, at in (("strict", 0.0), ("flexible", 0.5))
            for i in range(2)
        ]
        folder = write_run(tmp_path, samples, task=task)
    choice = SampleChoice(metric="acc", task="arc_easy", filter="flexible")
    assert values(folder, choice) == [[0.75], [0.75]]
    with pytest.raises(NbykError, match="no task 'arc'; found 'arc_easy'"):
        read_samples(
            folder / f"samples_arc_easy_{DATES[0]}.jsonl", SampleChoice("acc", task="arc", filter="strict")
        )


def test_numpy_scalars_that_became_text_are_numbers_again(tmp_path: Path) -> None:
    scores = [np.bool_(True), np.bool_(False), np.float32(0.25), np.int64(1), np.float64(0.5), True]
    folder = write_run(tmp_path, [sample(i, {"acc": score}) for i, score in enumerate(scores)])
    text = next(folder.glob("samples_*")).read_text()
    assert '"acc": "True"' in text
    assert '"acc": "0.25"' in text
    assert values(folder) == [[1], [0], [0.25], [1], [0.5], [1]]


def test_a_metric_whose_samples_are_no_numbers_is_not_offered(tmp_path: Path) -> None:
    # Corpus metrics, such as f1 of all documents, log what they aggregate.
    folder = write_run(tmp_path, [sample(i, {"f1": (0, 1), "acc": 1.0}) for i in range(2)])
    assert read_samples(folder).metric == "acc"


def test_older_logs_name_neither_metrics_nor_filter(tmp_path: Path) -> None:
    write_run(tmp_path, older([sample(i, {"exact_match": 1.0}) for i in range(2)]))
    folder = write_run(tmp_path, [sample(i, {"exact_match": 0.0}) for i in range(2)], date=DATES[1])
    samples = read_samples(folder)
    assert samples.metric == "exact_match"
    assert samples.ratings.matrix().tolist() == [[1, 0], [1, 0]]


def test_runs_without_hashes_are_taken_at_their_ids(tmp_path: Path) -> None:
    bare = [{"doc_id": i, "resps": [], "acc": 1} for i in range(2)]
    assert values(write_run(tmp_path, bare)) == [[1], [1]]


anything = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from(["acc", "True", "0.5", "x"])
    ),
    lambda parts: st.one_of(
        st.lists(parts, max_size=2), st.dictionaries(st.sampled_from("ab"), parts, max_size=2)
    ),
    max_leaves=3,
)
FIELDS = ("doc_id", "resps", "filter", "metrics", "doc_hash", "target_hash", "acc", "bypass")


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.dictionaries(st.sampled_from(FIELDS), anything), max_size=3))
def test_no_log_gives_anything_but_ratings_or_a_refusal(
    tmp_path: Path, changes: list[dict[str, object]]
) -> None:
    good = [sample(i, {"acc": 1.0}) for i in range(3)]
    lines = [json.dumps({**one, **change}) for one, change in zip(good, changes, strict=False)]
    path = tmp_path / f"samples_gsm8k_{DATES[0]}.jsonl"
    path.write_text("\n".join([*lines, *map(json.dumps, good[len(lines) :])]))
    with contextlib.suppress(NbykError):
        ratings = read_samples(path).ratings
        assert ratings.n_items >= 2
        assert np.isfinite(ratings.values).all()
