"""Files that other tools' own packages write here: `make test-inspect` installs those that have one.

lighteval's package needs torch, and that of OpenAI's evals old versions of what others need; promptfoo and
Langfuse's server are no packages of Python. Their layouts are in tests/data/test_roads.py.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from nbyk import read_systems
from nbyk.data import read_ratings


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
