"""The same data through any road are the same data, and no cell is lost without a word."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import nbyk
from nbyk import read_systems
from nbyk.data import read_ratings
from nbyk.errors import NbykError
from tests.data.lm_eval_log import sample, write_run
from tests.data.test_containers import saved

Rows = list[tuple[str, str, float | None]]
"""Item, run and value of each cell; None is an empty one."""


def drawn(seed: int, *, extra: bool = False) -> Rows:
    """Return three runs of six items; with `extra`, some cells are empty and some come twice."""
    rng = np.random.default_rng(seed)
    rows: Rows = [(f"q{i}", f"run {r}", float(rng.integers(5)) / 4) for r in range(3) for i in range(6)]
    if extra:
        rows[2], rows[9] = (*rows[2][:2], None), (*rows[9][:2], None)
        rows += [(*rows[place][:2], 0.25) for place in (0, 4, 4, 17)]
    return rows


def frame(rows: Rows) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["item", "rater", "value"])


def csv(path: Path, rows: Rows) -> Path:
    frame(rows).to_csv(path.with_suffix(".csv"), index=False)
    return path.with_suffix(".csv")


def tsv(path: Path, rows: Rows) -> Path:
    frame(rows).to_csv(path.with_suffix(".tsv"), index=False, sep="\t")
    return path.with_suffix(".tsv")


def jsonl(path: Path, rows: Rows) -> Path:
    frame(rows).to_json(path.with_suffix(".jsonl"), orient="records", lines=True)
    return path.with_suffix(".jsonl")


def as_json(path: Path, content: Any) -> Path:
    path.with_suffix(".json").write_text(json.dumps(content))
    return path.with_suffix(".json")


def objects(path: Path, rows: Rows) -> Path:
    return as_json(path, [dict(zip(("item", "rater", "value"), row, strict=True)) for row in rows])


def parquet(path: Path, rows: Rows) -> Path:
    frame(rows).to_parquet(path.with_suffix(".parquet"))
    return path.with_suffix(".parquet")


def dictionaries(path: Path, rows: Rows) -> Path:
    frame(rows).astype({"item": "category", "rater": "category"}).to_parquet(path.with_suffix(".parquet"))
    return path.with_suffix(".parquet")


def excel(path: Path, rows: Rows) -> Path:
    book = openpyxl.Workbook()
    for row in (("item", "rater", "value"), *rows):
        book.active.append(row)
    book.save(path.with_suffix(".xlsx"))
    return path.with_suffix(".xlsx")


def data_set(path: Path, rows: Rows) -> Path:
    return saved(path, pa.Table.from_pandas(frame(rows)))


def pandas(path: Path, rows: Rows) -> Any:
    return frame(rows).set_index(["item", "rater"]).astype({"value": "Float64"})


def arrow(path: Path, rows: Rows) -> Any:
    return pa.table(frame(rows))


def polars(path: Path, rows: Rows) -> Any:
    return pl.DataFrame(rows, schema=["item", "rater", "value"], orient="row")


def helm(path: Path, rows: Rows) -> Path:
    return as_json(
        path,
        [
            {
                "instance_id": item,
                "train_trial_index": run,
                "stats": [{"name": {"name": "em"}, "count": 1, "mean": value}],
            }
            for item, run, value in rows
        ],
    )


def label_studio(path: Path, rows: Rows) -> Path:
    tasks: dict[str, list[Any]] = {}
    for item, run, value in rows:
        result = [] if value is None else [{"from_name": "q", "type": "number", "value": {"number": value}}]
        tasks.setdefault(item, []).append({"completed_by": run, "result": result})
    return as_json(path, [{"id": item, "annotations": given} for item, given in tasks.items()])


def argilla(path: Path, rows: Rows) -> Path:
    records: dict[str, list[Any]] = {}
    for item, run, value in rows:
        response = {"user_id": run, "value": value, "status": "submitted"}
        records.setdefault(item, []).append(response)
    return as_json(
        path, [{"id": item, "fields": {}, "responses": {"q": given}} for item, given in records.items()]
    )


def lm_eval(path: Path, rows: Rows) -> Path:
    for number, run in enumerate(dict.fromkeys(run for _, run, _ in rows)):
        samples = [sample(int(item[1:]), {"acc": value}) for item, of_run, value in rows if of_run == run]
        write_run(path, samples, date=f"2025-01-0{number + 1}T00-00-00")
    return path


def tau_bench(path: Path, rows: Rows) -> Path:
    return as_json(
        path,
        [
            {"task_id": item, "trial": run, "reward": value, "info": {}, "traj": []}
            for item, run, value in rows
        ],
    )


def tau2_bench(path: Path, rows: Rows) -> Path:
    simulations = [
        {"id": "s", "task_id": item, "trial": run, "reward_info": {"reward": value}}
        for item, run, value in rows
    ]
    return as_json(path, {"timestamp": "t", "info": {}, "tasks": [], "simulations": simulations})


def langfuse(path: Path, rows: Rows) -> Path:
    scores = [
        {"id": "s", "traceId": item, "name": "q", "value": value, "source": "ANNOTATION", "authorUserId": run}
        for item, run, value in rows
    ]
    return as_json(path, {"data": scores, "meta": {"page": 1}})


def promptfoo(path: Path, rows: Rows) -> Path:
    runs = list(dict.fromkeys(run for _, run, _ in rows))
    results = [
        {
            "testIdx": item,
            "promptIdx": 0,
            "repeatIndex": runs.index(run),
            "provider": {"id": "echo"},
            "score": 1,
            "success": True,
            "namedScores": {"q": value},
        }
        for item, run, value in rows
    ]
    return as_json(path, {"evalId": "e", "results": {"version": 3, "results": results}})


def of_each_run(suffix: str, write: Callable[[Path, Rows], object]) -> Callable[[Path, Rows], Path]:
    """Return a road of a tool whose file holds one run: a folder of them, or the file if there is one run."""

    def road(path: Path, rows: Rows) -> Path:
        runs = list(dict.fromkeys(run for _, run, _ in rows))
        path.mkdir()
        for run in runs:
            write(path / f"{run}{suffix}", [row for row in rows if row[1] == run])
        return path if len(runs) > 1 else path / f"{runs[0]}{suffix}"

    road.__name__ = write.__name__
    return road


def deepeval(path: Path, rows: Rows) -> None:
    cases = [
        {
            "name": item,
            "input": "x",
            "success": True,
            "metricsData": [{"name": "q", "threshold": 0.5, "success": True, "score": value}],
        }
        for item, _, value in rows
    ]
    as_json(path, {"testCases": cases, "conversationalTestCases": []})


def lighteval(path: Path, rows: Rows) -> None:
    table = pa.Table.from_pylist(
        [
            {
                "doc": {"id": item, "task_name": "t", "query": "x"},
                "model_response": {"text": ["x"]},
                "metric": {"em": value},
            }
            for item, _, value in rows
        ]
    )
    pq.write_table(table, path)


def older_lighteval(path: Path, rows: Rows) -> None:
    table = pa.Table.from_pylist(
        [{"example": item, "full_prompt": "x", "metrics": {"em": value}} for item, _, value in rows]
    )
    pq.write_table(table, path)


def openai_evals(path: Path, rows: Rows) -> None:
    events: list[dict[str, Any]] = [
        {"run_id": "r", "event_id": n, "sample_id": item, "type": kind, "data": data}
        for n, (item, _, value) in enumerate(rows)
        for kind, data in (("sampling", {"prompt": "p"}), ("metrics", {"f1": value}))
    ]
    lines = [{"spec": {"run_id": "r"}}, *events, {"final_report": {"f1": 0.5}}]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def mlflow(path: Path, rows: Rows) -> None:
    data = [[item, "answer", 12, value, "since"] for item, _, value in rows]
    names = ["inputs", "outputs", "token_count", "relevance/v1/score", "relevance/v1/justification"]
    as_json(path, {"columns": names, "data": data})


TABLES = (csv, tsv, jsonl, objects, parquet, dictionaries, excel, data_set, pandas, arrow, polars)
MAKERS = (helm, label_studio, argilla, lm_eval, tau_bench, tau2_bench, langfuse)
OF_EACH_RUN = (
    of_each_run(".json", deepeval),
    of_each_run(".parquet", lighteval),
    of_each_run(".parquet", older_lighteval),
    of_each_run(".jsonl", openai_evals),
    of_each_run(".json", mlflow),
)
VALUES = {promptfoo: "q"}
"""The score to choose where a tool writes several."""


@pytest.mark.parametrize("road", [*TABLES, *MAKERS, promptfoo, *OF_EACH_RUN])
def test_every_road_gives_the_same_p_value(road: Callable[[Path, Rows], Any], tmp_path: Path) -> None:
    given = {name: road(tmp_path / name, drawn(seed)) for name, seed in (("a", 1), ("b", 2))}
    expected = {name: csv(tmp_path / f"expected_{name}", drawn(seed)) for name, seed in (("a", 1), ("b", 2))}
    found = read_systems(given, value=VALUES.get(road, "value"))
    wanted = read_systems(expected)
    for name in ("a", "b"):
        np.testing.assert_array_equal(found.responses[name], wanted.responses[name])
    assert [item.rpartition(" ")[2].removeprefix("q") for item in found.items] == [
        item[1:] for item in wanted.items
    ]
    p_values = [
        nbyk.compare(of.pair("a", "b"), metric="mean", generalise=("items",), n_resamples=99, seed=3).p
        for of in (found, wanted)
    ]
    assert p_values[0] == p_values[1]


def written_as(form: str, path: Path, table: pd.DataFrame) -> Any:
    """Write a table into a container, by its suffix, or make it a frame of a library."""
    path = path.with_name(f"{path.name}.{form}")
    match form:
        case "csv" | "tsv":
            table.to_csv(path, index=False, sep="\t" if form == "tsv" else ",")
        case "jsonl" | "objects.json":
            table.to_json(path, orient="records", lines=form == "jsonl")
        case "columns.json":
            path.write_text(json.dumps(table.to_dict(orient="list")))
        case "parquet":
            table.to_parquet(path)
        case "categories.parquet":
            table.astype({"item": "category", "post": "category"}).to_parquet(path, row_group_size=5)
        case "xlsx":
            table.to_excel(path, index=False)
        case "data set":
            return saved(path, pa.Table.from_pandas(table))
        case "pandas":
            return table.set_index("item")
        case "pyarrow":
            return pa.table(table)
        case "polars":
            return pl.from_pandas(table)
    return path


@pytest.mark.parametrize("layout", ["long", "wide"])
@pytest.mark.parametrize(
    "form",
    [
        *("csv", "tsv", "jsonl", "objects.json", "columns.json", "parquet", "categories.parquet", "xlsx"),
        *("data set", "pandas", "pyarrow", "polars"),
    ],
)
def test_each_container_and_layout_gives_the_same_p_value_with_clusters_of_long_names(
    form: str, layout: str, tmp_path: Path
) -> None:
    given, expected = dict[str, Any](), dict[str, Any]()
    for name, seed in (("a", 1), ("b", 2)):
        rng = np.random.default_rng(seed)
        cells = [
            (f"q{i}", "L" * 1100 + str(i // 3), f"run {r}", rng.integers(5) / 4)
            for r in "01"
            for i in range(36)
        ]
        table = pd.DataFrame(cells, columns=["item", "post", "rater", "value"])
        expected[name] = written_as("csv", tmp_path / f"expected_{name}", table)
        if layout == "wide":
            table = table.pivot(index=["item", "post"], columns="rater", values="value").reset_index()
            table = table.rename_axis(columns=None)
        given[name] = written_as(form, tmp_path / name, table)
    found, wanted = (read_systems(of, cluster="post") for of in (given, expected))
    assert (found.items, found.clusters) == (wanted.items, wanted.clusters)
    assert len(set(found.clusters or ())) == 12
    p_values = [
        nbyk.compare(of.pair("a", "b"), generalise=("items", "clusters"), n_resamples=99, seed=3).p
        for of in (found, wanted)
    ]
    assert 0 < p_values[0] < 1
    assert p_values[0] == p_values[1]


@pytest.mark.parametrize("road", [*TABLES, *MAKERS, promptfoo, *OF_EACH_RUN])
def test_no_cell_is_lost_without_a_word(road: Callable[[Path, Rows], Any], tmp_path: Path) -> None:
    rows = drawn(3, extra=True)
    if road in OF_EACH_RUN:
        rows = [row for row in rows if row[1] == "run 0"]
    given, value = road(tmp_path / "a", rows), VALUES.get(road, "value")
    with pytest.raises(NbykError, match="found no value"):
        read_ratings(given, value=value)
    with pytest.raises(NbykError, match="has already rated item"):
        read_ratings(given, value=value, on_empty="drop")
    for choice in ("first", "last", "mean"):
        ratings = read_ratings(given, value=value, on_empty="drop", on_duplicates=choice)
        counted = [int(re.search(r": (\d+) ", note)[1]) for note in ratings.mended]  # type: ignore[index]
        assert counted == ([1, 3] if road in OF_EACH_RUN else [2, 4])
        assert ratings.n_ratings + sum(counted) == len(rows)


def test_what_a_file_says_of_its_run_is_in_the_answer(tmp_path: Path) -> None:
    def seeded(path: Path, rows: Rows) -> Path:
        for seed in (7, 8):
            samples = [sample(int(item[1:]), {"acc": value}) for item, run, value in rows if run == "run 0"]
            write_run(path, samples, date=f"2025-01-0{seed}T00-00-00", seed=seed)
        return path

    def known(write: Callable[[Path, Rows], Any], **further: Any) -> Callable[[Path, Rows], Path]:
        def road(path: Path, rows: Rows) -> Path:
            file = write(path, rows) or path.with_suffix(".json")
            return as_json(file, json.loads(file.read_text()) | further)

        return road

    def evals(path: Path, rows: Rows) -> Path:
        openai_evals(path.with_suffix(".jsonl"), rows)
        _, *events = path.with_suffix(".jsonl").read_text().splitlines()
        spec = {"completion_fns": ["gpt-4", "gpt-3"], "run_config": {"seed": 20220722}}
        path.with_suffix(".jsonl").write_text("\n".join([json.dumps({"spec": spec}), *events]))
        return path.with_suffix(".jsonl")

    of_tau2 = {"agent_info": {"llm": "m", "implementation": "llm_agent"}, "seed": 300}
    for name, road, says in (
        ("a", seeded, "model = org/model, seeds = 7, 8"),
        ("b", known(tau2_bench, info=of_tau2), "model = m, seed = 300"),
        ("e", known(langfuse, meta={"page": 1, "totalPages": 5}), "page = 1, pages in all = 5"),
        ("c", known(deepeval, hyperparameters={"model": "m"}), "model = m"),
        ("d", evals, "models = gpt-4, gpt-3, seed = 20220722"),
    ):
        rows = drawn(1) if road is not evals and name != "c" else drawn(1)[:6]
        assert read_ratings(road(tmp_path / name, rows)).recognised.endswith(f"; {says}")


def test_conversations_of_deepeval_are_left_out_with_a_word(tmp_path: Path) -> None:
    deepeval(tmp_path / "a", drawn(1)[:6])
    content = json.loads((tmp_path / "a.json").read_text())
    path = as_json(tmp_path / "a", content | {"conversationalTestCases": content["testCases"][:2]})
    assert read_ratings(path).mended == (
        f"{path}: the test cases in conversationalTestCases were left out: 2",
    )


@pytest.mark.parametrize("suffix", [".json", ".csv"])
def test_a_file_of_promptfoo_holds_a_system_for_each_provider(suffix: str, tmp_path: Path) -> None:
    scores = [("a", test, test % 2) for test in range(4)] + [("b", test, (test + 1) % 2) for test in range(4)]
    path = tmp_path / f"out{suffix}"
    if suffix == ".json":
        results = [
            {
                "testIdx": test,
                "promptIdx": 0,
                "provider": {"id": name},
                "score": score,
                "success": True,
                "namedScores": {"tone": 0.5},
            }
            for name, test, score in scores
        ]
        as_json(path, {"evalId": "x", "results": {"version": 3, "results": results}})
    else:
        of_prompt = ["Status", "Score", "Named Scores", "Metric: tone", "Grader Reason", "Comment"]
        header = ["topic", *(name for of in "ab" for name in (f"[{of}] Say {{{{topic}}}}", *of_prompt))]
        cells = [
            [
                f"x{test}",
                *(
                    cell
                    for of in (test % 2, (test + 1) % 2)
                    for cell in ("said", "PASS", f"{of}.00", "{}", "0.50", "", "")
                ),
            ]
            for test in range(4)
        ]
        pd.DataFrame(cells, columns=header).to_csv(path, index=False)
    systems = read_systems(path, value="score")
    end = ", prompt 0" if suffix == ".json" else "] Say {{topic}}"
    assert systems.names == tuple(f"{'' if suffix == '.json' else '['}{name}{end}" for name in "ab")
    first, second = systems.responses.values()
    assert (first[:, 0].tolist(), second[:, 0].tolist()) == ([0, 1, 0, 1], [1, 0, 1, 0])
    tones = read_systems(path, value="tone").responses
    assert next(iter(tones.values()))[:, 0].tolist() == [0.5] * 4
    assert read_systems(path, value="success").n_items == 4
    with pytest.raises(NbykError, match=r"holds 2 systems \(.*\), expected one; give the file alone"):
        read_systems({"x": path, "y": path}, value="score")


def test_a_report_of_swe_bench_counts_what_failed_and_says_what_is_missing(tmp_path: Path) -> None:
    report = {
        "total_instances": 7,
        "submitted_ids": list("abcdef"),
        "resolved_ids": ["a", "b"],
        "unresolved_ids": ["c"],
        "error_ids": ["d"],
        "empty_patch_ids": ["e"],
        "incomplete_ids": ["g"],
        "schema_version": 2,
    }
    path = as_json(tmp_path / "model.run", report)
    ratings = read_ratings(path)
    assert dict(zip(ratings.items, ratings.values, strict=True)) == {"a": 1, "b": 1, "c": 0, "d": 0, "e": 0}
    notes = [note.removeprefix(f"{path}: ") for note in ratings.mended]
    assert notes == [
        "instances of error_ids, which count as not resolved: 1",
        "instances of empty_patch_ids, which count as not resolved: 1",
        "submitted instances without an outcome were left out: 1",
        "instances of the data set without a prediction were left out: 1",
    ]
    with pytest.raises(NbykError, match="rater 'run 1' has already rated item 'a'"):
        read_ratings(as_json(path, report | {"unresolved_ids": ["a"]}))


def test_a_file_that_holds_fewer_units_than_were_meant_is_incomplete(tmp_path: Path) -> None:
    for write, further, lacks in (
        (tau2_bench, {"tasks": [{}] * 6, "info": {"num_trials": 4}}, "6 of 24 simulations"),
        (langfuse, {"meta": {"page": 1, "totalPages": 2, "totalItems": 20}}, "2 of 20 scores"),
        (tau2_bench, {"tasks": [{}] * 6, "info": {"num_trials": 3}}, ""),
        (langfuse, {"meta": {"totalItems": "many"}}, ""),
    ):
        path = write(tmp_path / "a", drawn(1))
        path.write_text(json.dumps(json.loads(path.read_text()) | further))
        lacking = [f"{path}: {lacks} that were meant are missing"] * 2 if lacks else []
        assert [*read_systems({"a": path, "b": path}).incomplete] == lacking


def test_errors_of_a_tool_are_counted_and_classes_of_langfuse_are_their_names(tmp_path: Path) -> None:
    results = [
        {"task_id": task, "trial": 0, "reward": 0.0, "info": info, "traj": []}
        for task, info in ((0, {"error": "x"}), (1, {"error": "y"}), (2, {}))
    ]
    (note,) = read_ratings(as_json(tmp_path / "tau", results)).mended
    assert note.endswith("tasks that ended in an error, whose reward is 0: 2")
    scores = [
        {
            "traceId": t,
            "name": "q",
            "value": 0,
            "stringValue": word,
            "source": "EVAL",
            "dataType": "CATEGORICAL",
        }
        for t, word in (("s", "good"), ("t", "bad"), ("u", "bad"))
    ]
    path = as_json(tmp_path / "langfuse", scores)
    assert read_systems({"a": path, "b": path}, path).classes == ("bad", "good")


def test_one_table_of_runs_holds_systems_in_a_column_or_in_columns(tmp_path: Path) -> None:
    """No items: `system,seed,f1` and `seed,ours,baseline` are the same scores as a file for each system."""
    scores = {"ours": [0.7, 0.72, 0.71], "baseline": [0.6, 0.65, 0.61]}
    by_row = [(name, seed, of) for name, cells in scores.items() for seed, of in enumerate(cells)]
    tables = {
        "rows": pd.DataFrame(by_row, columns=["system", "seed", "f1"]),
        "columns": pd.DataFrame({"seed": range(3), **scores}),
    }
    for name, table in tables.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
        for given in (table, tmp_path / f"{name}.csv"):
            read = read_systems(given)
            assert read.kind == "scores"
            assert {of: cells.tolist() for of, cells in read.responses.items()} == scores
    both = pd.DataFrame({"item": list("aabb"), "seed": [1, 2, 1, 2], "ours": [1, 0, 1, 1], "baseline": 1})
    read = read_systems(both)
    assert (read.kind, read.items, [list(of.ravel()) for of in read.responses.values()]) == (
        "numbers",
        ("a", "b"),
        [[1, 0, 1, 1], [1, 1, 1, 1]],
    )


@pytest.mark.parametrize(
    "name", ["confidence", "logprob", "latency", "latency_ms", "cost (usd)", "prompt_tokens_time", "length"]
)
def test_a_column_that_is_of_no_run_by_its_name_is_not_read_as_one(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    pd.DataFrame({"item": ["a", "b"], "run_1": [1, 0], name: [0.5, 0.25]}).to_csv(path, index=False)
    if name == "prompt_tokens_time":
        assert read_ratings(path).raters == ("run_1", name)
        return
    with pytest.raises(NbykError, match=f"column '{re.escape(name)}' is of no rater or run by its name"):
        read_ratings(path)
    ratings = read_ratings(path, value=name)
    assert ratings.values.tolist() == [0.5, 0.25]


def test_columns_of_classes_that_sum_to_one_are_soft_labels(tmp_path: Path) -> None:
    for name, shares in (("gold", [1.0, 0.0, 0.5]), ("a", [0.75, 0.25, 0.5]), ("b", [0.5, 0.25, 0.25])):
        classes = {"item": list("xyz"), "class1": shares, "class2": [1 - of for of in shares]}
        pd.DataFrame(classes).to_csv(tmp_path / f"{name}.csv", index=False)
    read = read_systems([tmp_path / "a.csv", tmp_path / "b.csv"], tmp_path / "gold.csv")
    assert (read.kind, read.classes) == ("distributions", ("class1", "class2"))


@pytest.mark.parametrize(
    ("no", "says"),
    [
        ([0.5, 0.5, 0.6], r"b\.csv:2: sums to 1.1, 0.1 more than one \(3 rows of 3 off\)"),
        ([0.4, None, 0.5], r"b\.csv:3: class 'no': found '', expected a probability|class 1 is nan"),
    ],
)
def test_soft_labels_that_do_not_sum_to_one_are_named_and_not_gold(
    no: list[float | None], says: str, tmp_path: Path
) -> None:
    items = list("xyz")
    pd.DataFrame({"item": items, "value": ["yes", "no", "yes"]}).to_csv(tmp_path / "gold.csv", index=False)
    yes = [0.6, 0.6, 0.5]
    pd.DataFrame({"item": items, "yes": yes, "no": [0.4, 0.4, 0.5]}).to_csv(tmp_path / "a.csv", index=False)
    pd.DataFrame({"item": items, "yes": yes, "no": no}).to_csv(tmp_path / "b.csv", index=False)
    with pytest.raises(NbykError, match=says):
        read_systems([tmp_path / "a.csv", tmp_path / "b.csv"], tmp_path / "gold.csv")


def test_a_date_is_not_proposed_as_the_values(tmp_path: Path) -> None:
    tasks = [
        {
            "id": i,
            "annotator": 1,
            "annotation_id": i,
            "quality": i % 2,
            "created_at": "2025",
            "updated_at": "2025",
        }
        for i in range(3)
    ]
    path = as_json(tmp_path / "a", tasks)
    with pytest.raises(NbykError, match=r"as in .*`?value=.quality"):
        read_ratings(path)
