"""Files that other tools' own packages write here: `make test-inspect` installs those that have one.

That target has none for these, whose layouts are in other tests: lighteval's, which needs torch (its test is
here); τ-bench, which is no package; the servers of Label Studio and Langfuse (whose own classes of scores are
here); version 1 of Argilla, whose package needs an older pydantic.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from nbyk import read_systems
from nbyk.data import SampleChoice, read_ratings
from nbyk.errors import NbykError


@pytest.mark.parametrize("latest", [False, True])
def test_a_test_run_of_deepeval(latest: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")
    api = pytest.importorskip("deepeval.test_run.api", reason="deepeval is not installed: make test-inspect")
    from deepeval.test_run.test_run import TestRun
    from deepeval.tracing.api import MetricData

    scores = [0.25, 0.75, 0.5, 0.0]
    cases = [
        api.LLMApiTestCase(
            name=f"test_case_{n}",
            input="q",
            actualOutput="a",
            success=score >= 0.5,
            metricsData=[MetricData(name="Faithfulness", threshold=0.5, success=score >= 0.5, score=score)],
            order=n,
        )
        for n, score in enumerate(scores)
    ]
    run = TestRun(testFile=None, testCases=cases, metricsScores=[]).model_dump(
        by_alias=True, exclude_none=True
    )
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"testRunData": run} if latest else run, default=str))
    ratings = read_ratings(path)
    assert ratings.items == tuple(f"test_case_{n}" for n in range(4))
    assert ratings.values.tolist() == scores
    assert not read_systems({"a": path, "b": path}).lower_is_better


def test_details_of_lighteval(tmp_path: Path) -> None:
    loggers = pytest.importorskip("lighteval.logging.info_loggers", reason="lighteval needs torch")
    from datasets import Dataset
    from lighteval.models.model_output import ModelResponse
    from lighteval.tasks.requests import Doc

    for name, metrics in (
        ("one", [{"em": 1.0}, {"em": 0.0}]),
        ("two", [{"em": 1, "f1": 0.5}, {"em": 0, "f1": 1}]),
    ):
        details = [
            loggers.DetailsLogger.Detail(
                Doc(query=f"q{n}", choices=["a"], gold_index=0, id=str(n), task_name="gsm8k|0"),
                ModelResponse(text=["a"]),
                metric,
            )
            for n, metric in enumerate(metrics)
        ]
        rows: list[dict[str, Any]] = [
            {"doc": asdict(of.doc), "model_response": {"text": of.model_response.text}, "metric": of.metric}
            for of in details
        ]
        path = tmp_path / f"details_{name}.parquet"
        Dataset.from_list(rows).to_parquet(path)
        ratings = read_ratings(path, value="em")
        assert ratings.items == ("gsm8k|0 0", "gsm8k|0 1")
        assert ratings.values.tolist() == [1, 0]


def test_a_report_of_swe_bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reporting = pytest.importorskip("swebench.harness.reporting", reason="swebench is not installed")
    monkeypatch.chdir(tmp_path)
    outcomes: dict[str, Any] = {"a": True, "b": False, "c": None, "d": "", "e": ...}
    predictions = {
        name: {
            "instance_id": name,
            "model_name_or_path": "org/m",
            "model_patch": outcome if outcome == "" else "x",
        }
        for name, outcome in outcomes.items()
        if outcome is not ...
    }
    for name in "ab":
        folder = reporting.RUN_EVALUATION_LOG_DIR / "run" / "org__m" / name
        folder.mkdir(parents=True)
        (folder / reporting.LOG_REPORT).write_text(json.dumps({name: {"resolved": outcomes[name]}}))
    path = reporting.make_run_report(predictions, [{"instance_id": name} for name in outcomes], "run")
    read = read_systems({"x": path, "y": path})
    assert dict(zip(read.items, read.responses["x"][:, 0], strict=True)) == {"a": 1, "b": 0, "c": 0, "d": 0}
    (missing,) = {note.partition(": ")[2] for note in read.incomplete}
    assert missing == "instances of the data set without a prediction were left out: 1"


def test_a_report_of_swe_bench_of_a_run_that_ended_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reporting = pytest.importorskip("swebench.harness.reporting", reason="swebench is not installed")
    monkeypatch.chdir(tmp_path)
    predictions = {}
    for name, resolved in (("django__django-1", False), ("sympy__sympy-2", True)):
        predictions[name] = {"instance_id": name, "model_name_or_path": "m", "model_patch": "x"}
        folder = reporting.RUN_EVALUATION_LOG_DIR / "run" / "m" / name
        folder.mkdir(parents=True)
        (folder / reporting.LOG_REPORT).write_text(json.dumps({name: {"resolved": resolved}}))
    path = reporting.make_run_report(predictions, [{"instance_id": name} for name in predictions], "run")
    ratings = read_ratings(path)
    assert (ratings.items, ratings.values.tolist()) == (("sympy__sympy-2", "django__django-1"), [1, 0])
    assert ratings.mended == ()


def test_a_table_of_mlflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed")
    pd = pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/runs.db")
    table = pd.DataFrame({"inputs": ["p", "q"], "outputs": ["a", "b"], "relevance/v1/score": [4, 2]})
    with mlflow.start_run() as run:
        mlflow.log_table(table, artifact_file="eval_results_table.json")
    path = mlflow.artifacts.download_artifacts(
        run_id=run.info.run_id, artifact_path="eval_results_table.json"
    )
    ratings = read_ratings(path, scale="1..5")
    assert ratings.values.tolist() == [0.75, 0.25]
    assert ratings.recognised == "items = inputs (2), runs = run (1), values = relevance/v1/score"


def test_a_table_of_mlflows_own_evaluation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed")
    pd = pytest.importorskip("pandas")
    from mlflow.metrics import MetricValue, make_metric
    from mlflow.models import evaluate

    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/runs.db")
    length = make_metric(
        eval_fn=lambda predictions, targets, metrics: MetricValue([len(of) / 4 for of in predictions]),
        greater_is_better=True,
        name="length",
    )
    asked = pd.DataFrame(
        {"inputs": ["p", "q", "r"], "outputs": ["a", "bb", "cccc"], "truth": ["a", "b", "c"]}
    )
    with mlflow.start_run() as run:
        evaluate(data=asked, predictions="outputs", targets="truth", extra_metrics=[length])
    path = mlflow.artifacts.download_artifacts(
        run_id=run.info.run_id, artifact_path="eval_results_table.json"
    )
    ratings = read_ratings(path, value="length/score")
    assert (ratings.items, ratings.values.tolist()) == (("p", "q", "r"), [0.25, 0.5, 1])


def test_scores_of_langfuse(tmp_path: Path) -> None:
    api = pytest.importorskip("langfuse.api", reason="langfuse is not installed")
    makers = [getattr(api, name) for name in ("ScoreV1_Numeric", "Score_Numeric") if hasattr(api, name)]
    if not makers:
        pytest.skip("this version has no class of a score")
    fields = {
        "timestamp": "2025-01-01T00:00:00Z",
        "created_at": "2025-01-01T00:00:00Z",
        "updated_at": "2025-01-01T00:00:00Z",
    }
    scores = [
        makers[0].model_construct(
            id=f"{t}{u}", trace_id=t, name="q", value=v, source="ANNOTATION", author_user_id=u, **fields
        )
        for t, u, v in (("s", "x", 1.0), ("s", "y", 0.0), ("t", "x", 0.5))
    ]
    rows = [json.loads(score.model_dump_json(by_alias=True)) for score in scores]
    if not {"traceId", "authorUserId"} <= set(rows[0]):
        pytest.skip("this version writes other names")
    path = tmp_path / "scores.json"
    path.write_text(json.dumps({"data": rows, "meta": {"page": 1}}))
    ratings = read_ratings(path)
    assert (ratings.items, ratings.raters) == (("s", "t"), ("x", "y"))
    assert ratings.values.tolist() == [1, 0, 0.5]


@pytest.mark.parametrize("more", [None, "next"])
def test_scores_of_langfuse_in_their_third_version(more: str | None, tmp_path: Path) -> None:
    api = pytest.importorskip("langfuse.api", reason="langfuse is not installed")
    from langfuse.api.core.pydantic_utilities import parse_obj_as

    if not hasattr(api, "GetScoresV3Response"):
        pytest.skip("this version has no such scores")
    time = "2026-01-01T00:00:00Z"
    fields = {
        **{"timestamp": time, "createdAt": time, "updatedAt": time, "projectId": "p", "environment": "e"},
        **{"name": "tone", "dataType": "CATEGORICAL", "source": "EVAL"},
    }
    subjects = [{"kind": "observation", "id": f"o{n}", "traceId": f"t{n // 2}"} for n in range(4)]
    subjects.append({"kind": "trace", "id": "t2"})
    scores = [
        {**fields, "id": f"s{n}", "value": ("rude", "kind")[n % 2], "subject": subject}
        for n, subject in enumerate(subjects)
    ]
    content = {"data": scores, "meta": {"limit": 5, "cursor": more}}
    page = parse_obj_as(api.GetScoresV3Response, content)
    path = tmp_path / "scores.json"
    path.write_text(page.model_dump_json(by_alias=True, exclude_none=True))
    read = read_systems({"a": path, "b": path}, path)
    assert (read.classes, read.items) == (("kind", "rude"), ("o0", "o1", "o2", "o3", "t2"))
    assert read.clusters == ("t0", "t0", "t1", "t1", "t2")
    ends = [note.endswith("it is a page of several: there is a cursor") for note in read.incomplete]
    assert ends == ([True] * 2 if more else [])


def test_records_of_argilla_with_labels(tmp_path: Path) -> None:
    rg = pytest.importorskip("argilla", reason="argilla is not installed")
    from argilla.records._io import JsonIO

    user = "00000000-0000-0000-0000-00000000000{}"
    labels = {"p1": "yn", "p2": "nn", "p3": "y"}
    records = [
        rg.Record(
            id=name,
            fields={"text": "x"},
            suggestions=[rg.Suggestion("right", "y")],
            responses=[rg.Response("right", of, user_id=user.format(n)) for n, of in enumerate(given)],
        )
        for name, given in labels.items()
    ]
    JsonIO.to_json(records, tmp_path / "records.json")
    read = read_systems(
        {"a": tmp_path / "records.json", "b": tmp_path / "records.json"}, tmp_path / "records.json"
    )
    assert (read.items, read.classes) == (("p1", "p2", "p3"), ("n", "y"))
    assert read.responses["a"][:2].tolist() == [[1, 0], [0, 0]]


@pytest.mark.parametrize(("kind", "value"), [("match", "correct"), ("metrics", "f1")])
def test_a_log_of_openais_evals(
    kind: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    record = pytest.importorskip("evals.record", reason="evals is not installed: make test-inspect")
    about = {"eval_name": "sums.dev.v0", "base_eval": "sums", "split": "dev", "created_by": ""}
    spec = record.RunSpec(completion_fns=["dummy"], run_config={"seed": 20220722}, **about)
    path = tmp_path / "log.jsonl"
    recorder = record.LocalRecorder(str(path), run_spec=spec)
    for n in range(4):
        with recorder.as_default_recorder(f"sums.dev.{n}"):
            record.record_sampling(prompt=f"{n} + {n}", sampled="4")
            if kind == "match":
                record.record_match(n == 2, expected=str(2 * n), picked="4", sampled="4", options=["4"])
            else:
                record.record_metrics(em=0.0, f1=n / 4)
    recorder.flush_events()
    lacks = f"{path}: the run did not end: there is no final_report"
    assert read_ratings(path, value=value).mended == (lacks,)
    recorder.record_final_report({"accuracy": 0.25})
    with recorder.as_default_recorder("sums.dev.4"):  # as the events that evals writes when it exits
        record.record_metrics(**{value: 1.0})
    recorder.flush_events()
    ratings = read_ratings(path, value=value)
    assert ratings.items == tuple(f"sums.dev.{n}" for n in range(5))
    assert ratings.values.tolist() == ([0, 0, 1, 0, 1] if kind == "match" else [0, 0.25, 0.5, 0.75, 1])
    assert ratings.mended == ()


@pytest.mark.parametrize("suffix", ["json", "csv"])
def test_an_output_of_promptfoo_of_which_each_test_was_repeated(suffix: str, tmp_path: Path) -> None:
    program = shutil.which("promptfoo") or pytest.skip("promptfoo is not installed: make test-inspect")
    tests = [
        {"vars": {"topic": topic}, "assert": [{"type": "contains", "value": word, "metric": "polite"}]}
        for topic, word in (("pears", "Say"), ("apples", "apples"), ("plums", "Repeat"))
    ]
    prompts = ["Say {{topic}}", "Repeat {{topic}}"]
    config = {"prompts": prompts, "providers": ["echo"], "tests": tests}
    (tmp_path / "config.json").write_text(json.dumps(config))
    path = tmp_path / f"out.{suffix}"
    own = {"PROMPTFOO_CONFIG_DIR": str(tmp_path), "PROMPTFOO_DISABLE_TELEMETRY": "1"}
    subprocess.run(
        [program, "eval", "--config", "config.json", "--output", str(path), "--repeat", "2", "--no-cache"],
        env=os.environ | own | {"PROMPTFOO_DISABLE_UPDATE": "1", "PROMPTFOO_FAILED_TEST_EXIT_CODE": "0"},
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    names = ["echo, prompt 0", "echo, prompt 1"] if suffix == "json" else [f"[echo] {of}" for of in prompts]
    for value in ("success", "polite"):
        read = read_systems(path, value=value)
        assert {name: of[:, 0].tolist() for name, of in read.responses.items()} == {
            names[0]: [1, 1, 1, 1, 0, 0],
            names[1]: [0, 0, 1, 1, 1, 1],
        }
        assert read.clusters is not None
        assert [read.clusters.index(of) for of in read.clusters] == [0, 0, 2, 2, 4, 4]


def test_logs_of_lm_eval(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    lm_eval = pytest.importorskip("lm_eval", reason="lm_eval is not installed: make test-inspect")
    from datasets import Dataset
    from lm_eval.api.task import ConfigurableTask
    from lm_eval.loggers import EvaluationTracker

    docs = [{"question": f"{n}?", "answer": n % 2, "subject": f"s{n // 2}"} for n in range(6)]
    common = {
        "custom_dataset": lambda **_: {"test": Dataset.from_list(docs)},
        "test_split": "test",
        "doc_to_text": "{{question}}",
        "doc_to_target": "answer",
    }
    chosen = {
        "output_type": "multiple_choice",
        "doc_to_choice": ["a", "b"],
        "metric_list": [{"metric": "acc"}],
    }
    said = {
        "output_type": "generate_until",
        "generation_kwargs": {"until": ["\n"]},
        "process_results": lambda doc, _: {"errors": float(doc["answer"])},
        "metric_list": [{"metric": "errors", "aggregation": "mean", "higher_is_better": False}],
        "filter_list": [
            {"name": name, "filter": [{"function": "take_first"}]} for name in ("strict", "loose")
        ],
    }
    tasks = [
        ConfigurableTask(config={**common, **of, "task": name})
        for name, of in (("mc", chosen), ("say", said))
    ]
    answers = []
    for seed in (1, 2):
        tracker = EvaluationTracker(output_path=str(tmp_path))
        results = lm_eval.simple_evaluate(
            model="dummy",
            model_args="pretrained=org/m",
            tasks=tasks,
            log_samples=True,
            evaluation_tracker=tracker,
            random_seed=seed,
            bootstrap_iters=0,
        )
        samples = results.pop("samples")
        tracker.save_results_aggregated(results=results, samples=samples)
        for task, of_task in samples.items():
            tracker.save_results_samples(task_name=task, samples=of_task)
        answers.append([sample["acc"] for sample in samples["mc"]])
    (folder,) = tmp_path.iterdir()
    read = read_systems(
        {"a": folder, "b": folder}, samples=SampleChoice(task="mc"), value="acc", cluster="subject"
    )
    assert read.responses["a"].T.tolist() == answers
    assert read.clusters == ("s0", "s0", "s1", "s1", "s2", "s2")
    assert next(iter(read.recognised.values())).endswith("; model = org/m, seeds = 1, 1234, 2")
    said_by = read_systems({"a": folder, "b": folder}, samples=SampleChoice("say", "loose"))
    assert said_by.lower_is_better
    assert said_by.responses["a"].T.tolist() == [[0, 1, 0, 1, 0, 1]] * 2
    assert not read.incomplete


@pytest.mark.parametrize("engine", ["openpyxl", "xlsxwriter"])
def test_a_workbook_of_each_maker(engine: str, tmp_path: Path) -> None:
    pytest.importorskip(engine, reason=f"{engine} is not installed: make test-inspect")
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"item": ["007", "8", "9"], "ann": [1, 0, 0.5], "bo": [True, False, None]})
    table.to_excel(tmp_path / "gold.xlsx", index=False, engine=engine)
    ratings = read_ratings(tmp_path / "gold.xlsx")
    assert ratings.items == ("007", "8", "9")
    assert ratings.values.tolist() == [1, 1, 0, 0, 0.5]


def test_statistics_of_helm_and_its_instances(tmp_path: Path) -> None:
    program = shutil.which("helm-run") or pytest.skip("HELM is not installed: make test-inspect")
    entry = {"description": "simple_mcqa:model=simple/model1", "priority": 1}
    (tmp_path / "entries.conf").write_text(json.dumps({"entries": [entry]}))
    how = ["--max-eval-instances", "6", "--num-train-trials", "2", "--disable-cache"]
    systems = {}
    for name in ("one", "two"):
        suite = ["--suite", name]
        for command in (
            [program, "--conf-paths", "entries.conf", *how, *suite],
            [str(Path(program).with_name("helm-summarize")), *suite],
        ):
            environment = os.environ | {"HOME": str(tmp_path)}
            subprocess.run(command, env=environment, cwd=tmp_path, check=True, capture_output=True)
        (systems[name],) = (tmp_path / "benchmark_output" / "runs" / name).glob(
            "simple*/per_instance_stats.json"
        )
    for value, all_are in (("exact_match", 0), ("num_references", 2)):
        read = read_systems(systems, value=value, scale="0..2")
        assert len(read.items) == 6
        assert (read.responses["one"] * 2 == all_are).all()
        assert read.responses["one"].shape == (6, 2)
    instances = systems["two"].with_name("instances.json")
    instances.write_text(instances.read_text().replace("even or odd", "prime or not"))
    with pytest.raises(NbykError, match=r"has input_hash \w+, elsewhere \w+; expected one document"):
        read_systems(systems, value="exact_match")
