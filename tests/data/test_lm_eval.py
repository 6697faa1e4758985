"""Logs of lm-evaluation-harness as ratings: documents by runs."""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nbyk.data import SampleChoice, read_ratings, read_systems
from nbyk.errors import NbykError
from tests.data.lm_eval_log import DATES, older, runs, sample, write_run

SCORES = [[1.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.5]]


def values(path: Path, choice: SampleChoice | None = None, value: str = "value") -> list[list[float]]:
    read = read_systems({"x": path, "y": path}, samples=choice, value=value)
    assert read.responses["x"] is not None
    return read.responses["x"].tolist()


def test_the_runs_of_a_model_are_the_raters_of_its_documents(tmp_path: Path) -> None:
    ratings = read_ratings(runs(tmp_path, SCORES), cluster="question")
    assert ratings.items == ("0", "1", "2")
    assert ratings.raters == tuple(f"run {date}" for date in DATES)
    np.testing.assert_array_equal(ratings.matrix(), np.transpose(SCORES))
    assert ratings.recognised == (
        "items = doc_id (3), runs = run (3), values = acc; not used: answer; model = org/model, seed = 1234"
    )
    assert ratings.clusters == ("question 0", "question 1", "question 2")


def test_a_run_is_its_file_or_its_folder_at_any_depth(tmp_path: Path) -> None:
    folder = runs(tmp_path, SCORES[:1])
    assert values(folder) == values(tmp_path) == values(next(folder.glob("samples_*"))) == [[1], [0], [1]]


def test_runs_in_folders_of_their_own_are_told_apart_by_their_path(tmp_path: Path) -> None:
    for seed, row in enumerate(SCORES):
        runs(tmp_path / f"seed{seed}", [row])
    ratings = read_ratings(tmp_path)
    np.testing.assert_array_equal(ratings.matrix(), np.transpose(SCORES))
    assert ratings.raters[1] == f"run seed1/org__model/samples_gsm8k_{DATES[0]}.jsonl"


def test_an_output_path_that_is_a_file_puts_the_runs_beside_it(tmp_path: Path) -> None:
    # --output_path out/mine.json: out/mine_<date>.json and out/samples_<task>_<date>.jsonl, for any model.
    for date, model, row in zip(DATES, ("x", "y"), SCORES, strict=False):
        folder = runs(tmp_path / "made", [row], model=model)
        next(folder.glob("samples_*")).rename(tmp_path / f"samples_gsm8k_{date}.jsonl")
        next(folder.glob("results_*")).rename(tmp_path / f"mine_{date}.json")
    with pytest.raises(NbykError, match=r"samples of 2 models \(x, y\)"):
        read_ratings(tmp_path)
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
    assert values(folder, SampleChoice("arc_easy", "flexible"), "acc") == [[0.75], [0.75]]
    file = folder / f"samples_arc_easy_{DATES[0]}.jsonl"
    with pytest.raises(NbykError, match="found the tasks 'arc_easy', expected arc"):
        values(file, SampleChoice("arc", "strict"))
    with pytest.raises(NbykError, match="found the scores 'acc', 'f1', expected one; choose it with `value="):
        values(file, SampleChoice("arc_easy", "strict"))
    with pytest.raises(NbykError, match=r"no column 'acc_norm'; .*the scores are 'acc', 'f1'"):
        values(file, SampleChoice("arc_easy", "strict"), "acc_norm")


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
    assert read_ratings(folder).recognised.endswith(
        "values = acc; not used: f1, question, answer; model = org/model, seed = 1234"
    )
    with pytest.raises(NbykError, match=r"column 'f1': found the list \[0, 1\], expected a finite number"):
        read_ratings(folder, value="f1")


def test_older_logs_name_neither_metrics_nor_filter(tmp_path: Path) -> None:
    write_run(tmp_path, older([sample(i, {"exact_match": 1.0}) for i in range(2)]))
    folder = write_run(tmp_path, [sample(i, {"exact_match": 0.0}) for i in range(2)], date=DATES[1])
    assert "values = exact_match" in read_ratings(folder).recognised
    assert values(folder) == [[1, 0], [1, 0]]


def test_options_mean_on_a_log_what_they_mean_on_a_table(tmp_path: Path) -> None:
    """The same cells as a table of text give the same answer, or the same refusal."""
    cells = [(0, 1.0), (1, None), (2, 0.5), (2, 0.0), (3, 0.25)]
    folder = write_run(tmp_path, [sample(i, {"acc": score, "f1": 0.5}) for i, score in cells])
    text = "".join(f"{i},r,{'' if score is None else score},0.5\n" for i, score in cells)
    table = tmp_path / "a.csv"
    table.write_text("doc_id,run,acc,f1\n" + text)
    for options in (
        {"value": "acc"},
        {"value": "acc", "on_empty": "drop"},
        {"value": "acc", "on_empty": "drop", "on_duplicates": "first"},
        {"value": "acc", "on_empty": "drop", "on_duplicates": "mean"},
        {"value": "f1", "on_duplicates": "last"},
        {"value": "f1", "on_duplicates": "last", "cluster": "none"},
        {"value": "f1", "on_duplicates": "last", "item": "none"},
    ):
        answers = []
        for path in (folder, table):
            try:
                ratings = read_ratings(path, **options)
                notes = [note.partition(": ")[2] for note in ratings.mended]
                answers.append((ratings.items, ratings.values.tolist(), notes))
            except NbykError as error:
                answers.append(re.sub(r"'(run \S+|r)'|; found .*", "", error.problem))
        assert answers[0] == answers[1]


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
        ratings = read_ratings(path)
        assert ratings.n_items >= 2
        assert np.isfinite(ratings.values).all()


def test_a_group_of_tasks_is_read_with_its_tasks_as_clusters(tmp_path: Path) -> None:
    for name, factor in (("x", 1.0), ("y", 0.5)):
        for date in DATES[:2]:
            for task, scores in (("stem_a", (0.0, 1.0)), ("stem_b", (0.5, 0.25, 0.0)), ("arc", (1.0, 1.0))):
                samples = [sample(i, {"acc": of * factor}, doc=task) for i, of in enumerate(scores)]
                folder = write_run(tmp_path, samples, model=name, task=task, date=date)
        for path in folder.glob("results_*"):
            groups = {"mmlu": ["stem"], "stem": ["stem_a", "stem_b"], "arc": []}
            path.write_text(json.dumps(json.loads(path.read_text()) | {"group_subtasks": groups}))
    with pytest.raises(
        NbykError, match=r"found the tasks 'arc', 'stem_a', 'stem_b', .*\(or all of a group: mmlu, stem\)"
    ):
        read_ratings(folder)
    for group in ("mmlu", "stem"):
        choice = SampleChoice(group)
        read = read_systems([tmp_path / "x", tmp_path / "y"], samples=choice, cluster="task")
        assert read.items == ("stem_a 0", "stem_a 1", "stem_b 0", "stem_b 1", "stem_b 2")
        assert read.clusters == ("stem_a",) * 2 + ("stem_b",) * 3
        assert read.responses["x"].tolist() == [[0, 0], [1, 1], [0.5, 0.5], [0.25, 0.25], [0, 0]]
        said = "the column 'task' is not used, so items of one task count as independent"
        assert not any(said in note for note in read.notes)
        read = read_systems([tmp_path / "x", tmp_path / "y"], samples=choice)
        assert said in read.notes[0]


def group_of(folder: Path, **further: dict[str, object]) -> Path:
    """Write the logs of tasks t1 and t2 of a group that has t3, too, and what the results say of them."""
    for task in ("t1", "t2"):
        of_model = write_run(folder, [sample(i, {"acc": 1.0}, doc=task) for i in range(3)], task=task)
    (results,) = of_model.glob("results_*")
    results.write_text(json.dumps(json.loads(results.read_text()) | further))
    return of_model


def test_a_task_of_a_group_without_a_log_is_missed_by_name(tmp_path: Path) -> None:
    folder = group_of(tmp_path, group_subtasks={"g": ["t1", "t2", "t3"], "h": ["t1", "t2"]})
    for group, lacks in (("g", True), ("h", False), ("t1", False)):
        read = read_systems({"x": folder, "y": folder}, samples=SampleChoice(group))
        said = f"{folder}: the run of {DATES[0]} has no log of t3, tasks of the group"
        assert read.incomplete == ((said, said) if lacks else ())


def test_a_score_of_two_directions_in_a_group_is_refused(tmp_path: Path) -> None:
    folder = group_of(
        tmp_path,
        group_subtasks={"g": ["t1", "t2"]},
        higher_is_better={"t1": {"acc": False}, "t2": {"acc": True}},
    )
    with pytest.raises(
        NbykError, match="the score acc is better if higher in some tasks and if lower in others, expected"
    ):
        read_systems({"x": folder, "y": folder}, samples=SampleChoice("g"))
    for task in ("t1", "t2"):
        read = read_systems({"x": folder, "y": folder}, samples=SampleChoice(task))
        assert read.lower_is_better == (task == "t1")


def test_tables_beside_the_logs_are_named(tmp_path: Path) -> None:
    folder = runs(tmp_path, SCORES[:1])
    assert read_ratings(folder).mended == ()
    for name in ("samples_gsm8k.jsonl", "seed1.csv"):
        (folder / name).write_text("item,value\n1,0\n")
    (folder / "notes.md").write_text("seen")
    assert read_ratings(folder).mended == (
        f"{folder}: not read, because they are not named samples_<task>_<date>.jsonl: samples_gsm8k.jsonl, "
        "seed1.csv",
    )
