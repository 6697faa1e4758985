"""Files that tools export as objects or tables: for each tool, a function that yields the rows of a unit.

A new reader is such a function under `Export`, and a row in docs/formats.md.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from itertools import chain, islice, pairwise
from typing import Any

from nbyk.data.columns import ITEM_NAMES
from nbyk.data.makers import (
    EXPORTS,
    HASHES,
    PLACE,
    Beside,
    Export,
    Incomplete,
    Path,
    Row,
    UnexpectedNodeError,
    as_list,
    as_object,
    member,
    name_in,
    objects_in,
    one_of,
    required,
)
from nbyk.data.tables import Table, Unusable, columns_of_objects, made_table, said
from nbyk.data.text import json_content, json_lines, shown, some
from nbyk.errors import DataPlace

_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Inspect's grades: correct, partial, incorrect and no answer."""


def _instances(entries: Any, path: Path) -> Iterator[tuple[Any, Any]]:
    """Yield the instances that HELM writes beside their statistics."""
    beside = os.path.join(os.path.dirname(path), "instances.json")
    for instance in objects_in(json_content(beside) if os.path.isfile(beside) else None):
        copy = _copy(instance.get("id"), member(instance, "perturbation", "name"))
        yield copy, member(instance, "input", "text")


def _copy(instance: Any, perturbation: Any) -> Any:
    return instance if perturbation is None else f"{instance} ({perturbation})"


@Export(
    "entry",
    "instance",
    "train_trial_index",
    keys=("instance_id", "train_trial_index", "stats"),
    cluster="instance_id",
    inputs=_instances,
)
def helm(entry: Mapping[str, Any]) -> Iterator[Row]:
    """Yield an instance, or a perturbed copy, which is an item of its own in the cluster of its instance."""
    instance, trial, stats = required(entry, "instance_id", "train_trial_index", "stats")
    perturbation = entry.get("perturbation")
    scores = []
    for statistic in map(as_object, as_list(stats)):
        name, count, total = name_in(statistic.get("name")), statistic.get("count"), statistic.get("sum", 0.0)
        if count:
            are_numbers = all(isinstance(of, int | float) and abs(of) < 1e300 for of in (count, total))
            scores.append((name, statistic.get("mean", total / count if are_numbers else [total, count])))
    item = _copy(instance, None if perturbation is None else name_in(perturbation))
    yield Row(item, trial, scores, {"instance_id": instance})


@Export(
    "sample",
    "sample_id",
    "epoch",
    keys=("id", "epoch", "input", "target"),
    within=(("samples",),),
    status="success",
    meant=(("eval", "dataset", "samples"), ("eval", "config", "epochs")),
    about={"model": ("eval", "model"), "seed": ("eval", "model_generate_config", "seed")},
)
def inspect(sample: Mapping[str, Any]) -> Iterator[Row | str]:
    """Yield a sample in an epoch; a scorer can give several scores. Inspect's grades become numbers."""
    item, epoch, asked = required(sample, "id", "epoch", "input")
    scores: list[tuple[str, Any]] = []
    for scorer, score in as_object(sample.get("scores") or {}).items():
        (value,) = required(as_object(score), "value")
        parts = {f"{scorer}/{part}": of for part, of in value.items()} if isinstance(value, dict) else {}
        scores += (parts or {scorer: value}).items()
    if isinstance(asked, list):
        asked = [(message.get("role"), message.get("content")) for message in objects_in(asked)]
    graded = [(name, _graded(value)) for name, value in scores]
    # without ids of their own, Inspect numbers the samples
    yield Row(item, epoch, graded, sample.get("metadata"), input=asked if type(item) is int else None)
    if sample.get("error") is not None:
        yield Incomplete("samples that ended in an error")


def _graded(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return _GRADES.get(value, {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}.get(value.lower(), value))


@Export("task", "task", "completed_by", keys=("id", "annotations"))
def label_studio(task: Mapping[str, Any]) -> Iterator[Row | str]:
    """Yield an annotation; controls that give a number or one choice hold scores."""
    item, annotations = required(task, "id", "annotations")
    if annotations == []:
        yield "tasks without an annotation were left out"
    for annotation in map(as_object, as_list(annotations)):
        if one_of((True, False, None), annotation.get("was_cancelled")):
            yield "cancelled annotations were left out"
            continue
        who = annotation.get("completed_by")
        if isinstance(who, Mapping):  # newer exports wrap it
            who = who.get("id", who.get("email"))
        results = map(as_object, as_list(annotation.get("result") or []))
        scores = [(str(result.get("from_name")), _label_studio_value(result)) for result in results]
        yield Row(item, who, scores, task.get("data"))


def _label_studio_value(result: Mapping[str, Any]) -> Any:
    """Return the number or the one choice that a control gave."""
    kind, value = result.get("type"), result.get("value")
    if not isinstance(value, Mapping):
        return None if value is None else Unusable(said(value))
    if kind in ("rating", "number"):
        return value.get(kind)
    choices = value.get("choices")
    if kind == "choices" and isinstance(choices, list):
        return choices[0] if len(choices) == 1 else Unusable(f"{len(choices)} choices {choices}"[:80])
    return Unusable(f"{said(value)} of a control {kind!r}")


@Export("record", "id", "user_id", keys=("id", "fields", "responses"))
def argilla(record: Mapping[str, Any]) -> Iterator[Row | str]:
    """Yield each response; in records of version 1 they are a list with one object for each user."""
    item, responses = required(record, "id", "responses")
    given: list[tuple[Mapping[str, Any], str, Any]] = []
    if isinstance(responses, list):
        for response in map(as_object, responses):
            values = as_object(required(response, "values")[0] or {})
            given += [
                (response, question, as_object(value).get("value")) for question, value in values.items()
            ]
    else:
        for question, question_answers in as_object(responses or {}).items():
            answers = map(as_object, as_list(question_answers or []))
            given += [(response, question, response.get("value")) for response in answers]
    if not given:
        yield "records without a response were left out"
    for response, question, value in given:
        if one_of(("submitted", "draft", "discarded"), response.get("status", "submitted")) == "submitted":
            yield Row(item, response.get("user_id"), [(question, value)], record.get("metadata"))
        else:
            yield "responses that are drafts or discarded were left out"


@Export(
    "result",
    "test",
    "run",
    keys=("testIdx", "promptIdx"),
    within=(("results", "results"), ()),
    cluster=HASHES[-1],
)
def promptfoo(result: Mapping[str, Any]) -> Iterator[Row | str]:
    """Yield a result; providers and prompts are systems, and a repeated test has further numbers."""
    test, prompt, provider = required(result, "testIdx", "promptIdx", "provider")
    if not isinstance(provider, str):
        label = as_object(provider).get("label")
        provider = f"{provider.get('id')} ({label})" if label else provider.get("id")
    system = f"{provider}, prompt {prompt}"
    if result.get("failureReason") == 2:  # its word for an error, not a failed assertion
        yield "results that ended in an error, whose score is 0"
    named = as_object(result.get("namedScores") or {})
    scores = [("score", result.get("score")), ("success", result.get("success")), *named.items()]
    run = f"run {result.get('repeatIndex', 0)} of {system}"
    yield Row(test, run, scores, {"system": system}, input=result.get("vars"))


@Export("row", "test", "run", keys=("Status", "Score", "Named Scores", "Grader Reason"), cluster=HASHES[-1])
def promptfoo_table(row: Mapping[str, Any]) -> Iterator[Row | str]:
    """Yield each prompt's result: an output, a status, a score and others, in this order."""
    cells = [(name.partition("\n")[0], cell) for name, cell in row.items()]
    system, scores = "", list[tuple[str, Any]]()
    before_outputs = cells[: [*dict(cells), "Status"].index("Status") - 1]
    for (before, _), (name, cell) in pairwise([*cells, ("", None)]):
        if name == "Status":
            if cell == "ERROR":
                yield "results that ended in an error, whose score is 0"
            is_passed = one_of(("PASS", "FAIL", "ERROR", "", None), cell) == "PASS"
            system, scores = before, [("success", int(is_passed))] if cell else []
        elif system and (name == "Score" or name.startswith("Metric: ")):
            scores.append((name.removeprefix("Metric: ") if name != "Score" else "score", cell))
        elif name == "Grader Reason":
            yield Row(PLACE, f"run of {system}", scores, {"system": system}, input=before_outputs)


def _scenarios(results: Any, path: Path) -> Iterator[tuple[Any, Any]]:
    """Yield the tasks of τ²-bench and what their users want."""
    return ((task.get("id"), task.get("user_scenario")) for task in objects_in(results.get("tasks")))


@Export("task", "task", "trial", keys=("id", "user_scenario"), within=(("tasks",), ()))
@Export(
    "simulation",
    "task",
    "trial",
    keys=("task_id",),
    within=(("simulations",), ("simulation_index",)),
    inputs=_scenarios,
    meant=(("tasks",), ("info", "num_trials")),
    about={"model": ("info", "agent_info", "llm"), "seed": ("info", "seed")},
)
@Export("result", "task", "trial", keys=("task_id", "reward", "traj"))
def tau_bench(result: Mapping[str, Any]) -> Iterator[Row | str]:
    """Yield a task's reward; in τ²-bench it is in an object, and a task that broke off has none."""
    if "user_scenario" in result:
        raise UnexpectedNodeError(
            "a task of τ²-bench and no rewards (a voice run has those in the files of a folder simulations), "
            "expected simulations in this file"
        )
    (task,) = required(result, "task_id")
    reward = result.get("reward", member(result, "reward_info", "reward"))
    if member(result, "info", "error") is not None:
        yield "tasks that ended in an error, whose reward is 0"
    instruction = member(result, "info", "task", "instruction")
    yield Row(task, result.get("trial", 0), [("reward", reward)], input=instruction)


@Export("report", "instance", "run", keys=("resolved_ids", "submitted_ids"))
def swe_bench(report: Mapping[str, Any]) -> Iterator[Row | str]:
    """Yield each instance; one that failed or has no patch is not resolved, as in SWE-bench's own rate."""
    outcomes = {"resolved_ids": 1, "unresolved_ids": 0, "error_ids": 0, "empty_patch_ids": 0}
    known = set[Any]()
    for name, resolved in outcomes.items():
        for instance in as_list(report.get(name) or []):
            known.add(repr(instance))
            yield Row(instance, 1, [("resolved", resolved)])
    for name in ("error_ids", "empty_patch_ids", "infra_failure_ids", "ambiguous_failure_ids"):
        for _ in as_list(report.get(name) or []):
            yield f"instances of {name}, which count as not resolved"
    for instance in as_list(report["submitted_ids"]):
        if repr(instance) not in known:
            yield Incomplete("submitted instances without an outcome were left out")
    for _ in as_list(report.get("incomplete_ids") or []):
        yield Incomplete("instances of the data set without a prediction were left out")


@Export(
    "test case",
    "name",
    "run",
    keys=("name", "metricsData"),
    within=(("testCases",), ("testRunData", "testCases")),
    about={"model": ("hyperparameters", "model")},
)
def deepeval(case: Mapping[str, Any]) -> Iterator[Row | str]:
    """Yield a test case; a metric that failed has no score."""
    (item,) = required(case, "name")
    metrics = list(map(as_object, as_list(case.get("metricsData") or [])))
    lower = [name_in(metric) for metric in metrics if _passes_below(metric)]
    scores = [(name_in(metric), metric.get("score")) for metric in metrics]
    asked = case.get("input")
    by_place = isinstance(item, str) and re.fullmatch(r"test_case_\d+", item)
    yield Row(item, "run 1", scores, {"input": asked}, lower, asked if by_place else None)
    for metric in metrics:
        if metric.get("error"):
            yield f"scores of {name_in(metric)} that ended in an error"


def _passes_below(metric: Mapping[str, Any]) -> bool:
    """Return whether a score passes that is below its threshold, or fails above it."""
    score, threshold, passed = (metric.get(name) for name in ("score", "threshold", "success"))
    if not (isinstance(score, int | float) and isinstance(threshold, int | float)):
        return False
    return isinstance(passed, bool) and score != threshold and passed != (score > threshold)


@Export("row", "example", "run", keys=("example", "full_prompt", "metrics"))  # older details
@Export("row", "doc", "run", keys=("doc", "metric", "model_response"))
def lighteval(row: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a document, whose id is that of a task; older files have no id, and call the scores `metrics`."""
    item, further, asked = row.get("example"), dict[str, Any](), None
    if "doc" in row:
        item, task = required(as_object(row["doc"]), "id", "task_name")
        asked = row["doc"].get("query")
        further = {"task": task}
        item = f"{task} {item}" if isinstance(item, str | int) else item
    scores = list(as_object(row.get("metric", row.get("metrics"))).items())
    yield Row(item, "run 1", scores, further, input=asked)


@Export(
    "event",
    "sample_id",
    "run",
    keys=("spec",),
    begins="spec",
    ends="final_report",
    about={"model": ("spec", "completion_fns"), "seed": ("spec", "run_config", "seed")},
)
def openai_evals(event: Mapping[str, Any]) -> Iterator[Row | str]:
    """Yield matches and metrics; the lines of the run and of its report are none."""
    kind = "" if {"spec", "final_report"} & set(event) else name_in(*required(event, "type"))
    if kind in ("match", "metrics"):
        data = as_object(event.get("data"))
        given = {"correct": data.get("correct")} if kind == "match" else data
        yield Row(event.get("sample_id"), "run 1", list(given.items()), input=data.get("expected"))
    elif kind == "error":
        yield Incomplete("samples with an error")


@Export(
    "score",
    "target",
    "author",
    keys=("traceId", "name", "value", "source"),
    within=((), ("data",)),
    meant=(("meta", "totalItems"),),
    about={"page": ("meta", "page"), "pages in all": ("meta", "totalPages")},
    cluster="trace",
)
@Export(
    "score",
    "target",
    "author",
    keys=("subject", "name", "value", "source"),
    within=((), ("data",)),
    more=("meta", "cursor"),
    cluster="trace",
)
def langfuse(score: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a score of a trace, or of an observation in it, by a person or by a source such as EVAL."""
    name, value = required(score, "name", "value")
    if "subject" in score:  # since the third version of its scores
        subject = as_object(score["subject"])
        (item,) = required(subject, "id")
        trace = subject.get("traceId") or item
    else:
        (trace,) = required(score, "traceId")
        item = score.get("observationId") or trace
    if score.get("dataType") == "CATEGORICAL":
        value = score.get("stringValue", value)
    who = score.get("authorUserId") or score.get("source")
    yield Row(item, who, [(name_in(name), value)], {"trace": trace})


@Export("row", "inputs", "run", keys=("inputs", "outputs"), within=(("data",),))
def mlflow(row: Mapping[str, Any]) -> Iterator[Row]:
    """Yield an input; what MLflow calls a score or a value, and the numbers beside them, are scores."""
    item = row["inputs"]
    scores = [
        (name, Beside(cell) if isinstance(cell, str) and not name.endswith(("/score", "/value")) else cell)
        for name, cell in row.items()
        if name not in ("outputs", "inputs", "token_count")
    ]
    yield Row(item if item is None or isinstance(item, str) else json.dumps(item), "run 1", scores)


def layout_of(content: Any) -> Export | None:
    """Return the layout of a file's content, or of its first row; None if no tool wrote it."""
    return next((layout for layout in EXPORTS if layout.units(content)), None)


def json_table(path: str | os.PathLike[str]) -> Table:
    """Return the table in a JSON file: a maker's, or a list, or an object of columns or of scores by id."""
    content = json_content(path)
    if split := _rows_of_split(content):
        content = {"data": split}
    if layout := layout_of(content):
        return layout.table(content, path)
    members = content if isinstance(content, dict) else {}
    tables = [name for name, inner in members.items() if _is_table(inner)]
    lists = [name for name, inner in members.items() if isinstance(inner, list)]
    if len(tables) > 1 and all(not {*ITEM_NAMES}.isdisjoint(members[name][0]) for name in tables):
        raise DataPlace(path).error(
            f"holds {len(tables)} tables, {some(tables)}; expected one: write each to a file of its own"
        )
    used = tables if len(tables) == 1 else lists
    unused = ", ".join(shown(name) for name in members if used and name not in used)
    notes = (f"the members {unused} are not used",) if unused else ()
    rows = members[tables[0]] if len(tables) == 1 else content
    if _is_table(rows):
        listed, numbers = columns_of_objects(enumerate(rows, start=1), path)
        return made_table(path, listed, numbers, notes=notes)
    if isinstance(content, list):
        columns = {"score": content}
    elif lists:
        columns = {name: members[name] for name in lists}
    elif isinstance(content, dict) and not any(isinstance(inner, dict) for inner in members.values()):
        columns = {"item": list(members), "score": list(members.values())}
    else:
        raise DataPlace(path).error(
            "is JSON, but not of a tool that nbyk knows (docs/formats.md); expected a list of scores, an "
            'object from ids to scores, or a list of objects such as {"item": "a", "value": 1}'
        )
    lengths = {name: len(cells) for name, cells in columns.items()}
    if len(set(lengths.values())) > 1:
        sizes = ", ".join(f"{n} of {name!r}" for name, n in lengths.items())
        raise DataPlace(path).error(f"found {sizes}; expected as many entries in each list")
    rows = range(max(lengths.values(), default=0))
    return made_table(path, columns, rows, "entry", nameless=isinstance(content, list), notes=notes)


def json_lines_table(path: str | os.PathLike[str]) -> Table:
    """Return the table in a file of JSON lines: a maker's, or one with a row for each object."""
    lines = json_lines(path)
    first = [*islice(lines, 1)]
    objects = chain(first, lines)
    if layout := layout_of([content for _, content in first]):
        numbers, units = map(list, zip(*objects, strict=True))
        return layout.table(units, path, numbers)
    columns, numbers = columns_of_objects(objects, path)
    return made_table(path, columns, numbers, "line")


def _is_table(content: Any) -> bool:
    return isinstance(content, list) and bool(content) and all(isinstance(row, dict) for row in content)


def _rows_of_split(content: Any) -> list[dict[str, Any]]:
    """Return the rows of a table that pandas split into columns and data; [] if it is no such table."""
    names, data = (content.get(of) if isinstance(content, Mapping) else None for of in ("columns", "data"))
    if not (isinstance(names, list) and isinstance(data, list) and len(set(map(str, names))) == len(names)):
        return []
    are_rows = all(isinstance(row, list) and len(row) == len(names) for row in data)
    return [dict(zip(map(str, names), row, strict=True)) for row in data] if are_rows else []
