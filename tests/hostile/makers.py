# ruff: noqa: E501 - tables, one case per line
"""Files of other tools with one node of their structure changed: each node, in each way."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa

from tests.hostile.case import GOOD, QUICK, Words, write

Change = Callable[[Any], Any]
GONE = object()
"""The node is left out."""

CHANGES: dict[str, Change] = {
    "gone": lambda node: GONE,
    "null": lambda node: None,
    "a word": lambda node: "x",
    "empty text": lambda node: "",
    "a number": lambda node: 7,
    "minus one and a half": lambda node: -1.5,
    "true": lambda node: True,
    "1e999": lambda node: float("inf"),
    "NaN": lambda node: float("nan"),
    "400 digits": lambda node: int("9" * 400),
    "2 to the 53": lambda node: 2.0**53,
    "an empty array": lambda node: [],
    "an empty object": lambda node: {},
    "in an array": lambda node: [node],
    "twice in an array": lambda node: [node, node],
    "in an object": lambda node: {"value": node},
    "text of it": json.dumps,
    "a line end": lambda node: "a\nb\x1b[2J",
    "half a character": lambda node: "\ud800",
    "100 kB": lambda node: "y" * 100_000,
    "arrays 500 deep": lambda node: json.loads("[" * 500 + "]" * 500),
}


def helm() -> Any:
    stats = [
        {"name": {"name": name, "split": "test"}, "count": 1, "sum": 0.5, "mean": 0.5}
        for name in ("em", "f1")
    ]
    return [
        {
            "instance_id": f"id{i}",
            "train_trial_index": trial,
            "stats": stats,
            "perturbation": {"name": "typos"},
        }
        for i in range(3)
        for trial in (0, 1)
    ]


def label_studio() -> Any:
    results = [
        {"from_name": "q", "to_name": "t", "type": "rating", "value": {"rating": 1}},
        {"from_name": "c", "to_name": "t", "type": "choices", "value": {"choices": ["1"]}},
    ]
    return [
        {
            "id": i,
            "data": {"text": f"t{i}"},
            "annotations": [
                {"id": who, "completed_by": {"id": who}, "was_cancelled": False, "result": results}
                for who in (1, 2)
            ],
        }
        for i in range(3)
    ]


def argilla() -> Any:
    return [
        {
            "id": f"r{i}",
            "fields": {"text": "t"},
            "metadata": {"post": "p"},
            "responses": {"q": [{"value": 1, "user_id": who, "status": "submitted"} for who in "uv"]},
        }
        for i in range(3)
    ]


def argilla_1() -> Any:
    return [
        {
            "id": f"r{i}",
            "fields": {"text": "t"},
            "metadata": {},
            "responses": [
                {"user_id": who, "status": "submitted", "values": {"q": {"value": 1}}} for who in "uv"
            ],
        }
        for i in range(3)
    ]


def promptfoo() -> Any:
    results = [
        {
            "testIdx": test,
            "promptIdx": 0,
            "provider": {"id": "openai:gpt", "label": "gpt"},
            "score": 1,
            "success": True,
            "namedScores": {"tone": 0.5},
            "vars": {"topic": f"a{test}"},
            "gradingResult": {"pass": True, "score": 1},
        }
        for test in range(3)
    ]
    return {"evalId": "e", "results": {"version": 3, "results": results}}


def lm_eval() -> Any:
    return [
        {
            "doc_id": i,
            "doc": {"q": "x"},
            "target": "a",
            "arguments": {},
            "resps": [["r"]],
            "filtered_resps": ["r"],
            "filter": "none",
            "metrics": ["acc"],
            "doc_hash": f"d{i}",
            "acc": 1.0,
        }
        for i in range(3)
    ]


def tau_bench() -> Any:
    return [
        {"task_id": i, "reward": i / 2, "info": {"task": {}}, "traj": [{"role": "user"}], "trial": 0}
        for i in range(3)
    ]


def tau2_bench() -> Any:
    simulations = [{"id": "s", "task_id": i, "trial": 0, "reward_info": {"reward": i / 2}} for i in range(3)]
    tasks = [{"id": i, "user_scenario": {"instructions": "x"}} for i in range(3)]
    return {"timestamp": "t", "info": {}, "tasks": tasks, "simulations": simulations}


def swe_bench() -> Any:
    return {
        "total_instances": 4,
        "submitted_ids": ["a", "b", "c"],
        "resolved_ids": ["a"],
        "unresolved_ids": ["b"],
        "error_ids": ["c"],
        "empty_patch_ids": [],
        "incomplete_ids": ["d"],
        "schema_version": 2,
    }


def deepeval() -> Any:
    cases = [
        {
            "name": f"test_case_{i}",
            "input": "x",
            "actualOutput": "y",
            "success": True,
            "metricsData": [
                {"name": "Bias", "threshold": 0.5, "success": True, "score": i / 2, "error": None}
            ],
        }
        for i in range(3)
    ]
    return {"testCases": cases, "conversationalTestCases": []}


def lighteval() -> Any:
    return [
        {"doc": {"id": str(i), "task_name": "t", "query": "x"}, "model_response": {}, "metric": {"em": i / 2}}
        for i in range(3)
    ]


def openai_evals() -> Any:
    events = [
        {"run_id": "r", "sample_id": f"s.{i}", "type": "match", "data": {"correct": i > 0, "picked": "a"}}
        for i in range(3)
    ]
    return [{"spec": {"run_id": "r"}}, *events]


def openai_evals_event() -> Any:
    return openai_evals()[1:]


def langfuse() -> Any:
    scores = [
        {
            "id": f"s{i}",
            "traceId": f"t{i}",
            "observationId": None,
            "name": "q",
            "value": i / 2,
            "source": "ANNOTATION",
            "authorUserId": "u",
            "dataType": "NUMERIC",
        }
        for i in range(3)
    ]
    return {"data": scores, "meta": {"page": 1}}


def langfuse_3() -> Any:
    scores = [
        {
            "id": f"s{i}",
            "name": "q",
            "value": i / 2,
            "source": "ANNOTATION",
            "authorUserId": "u",
            "dataType": "NUMERIC",
            "subject": {"kind": "observation", "id": f"o{i}", "traceId": f"t{i // 2}"},
        }
        for i in range(3)
    ]
    return {"data": scores, "meta": {"limit": 3}}


def mlflow() -> Any:
    return {
        "columns": ["inputs", "outputs", "token_count", "relevance/v1/score"],
        "data": [[f"q{i}", "a", 3, i / 2] for i in range(3)],
    }


def promptfoo_table() -> Any:
    names = [
        "topic",
        "[echo] Say",
        "Status",
        "Score",
        "Named Scores",
        "Metric: tone",
        "Grader Reason",
        "Comment",
    ]
    return [names, *([f"x{i}", "said", "PASS", f"{i / 2:.2f}", "", "0.50", "", ""] for i in range(3))]


def inspect_log() -> Any:
    samples = [
        {
            "id": f"q{i}",
            "epoch": 1,
            "input": "x",
            "target": "y",
            "scores": {"match": {"value": "C" if i else "I"}},
            "metadata": {"text": "t"},
        }
        for i in range(3)
    ]
    run = {"run_id": "r", "created": "2025-01-01T00:00:00+00:00", "task": "t", "task_id": "t", "model": "m/m"}
    of_run = {**run, "dataset": {"samples": 3}, "config": {"epochs": 1}}
    return {"version": 2, "status": "success", "eval": of_run, "samples": samples}


def table() -> Any:
    return [{"item": f"i{i}", "rater": "r", "value": i / 2, "extra": {"a": [1]}} for i in range(3)]


JSON_MAKERS: dict[str, tuple[Callable[[], Any], str]] = {
    "HELM": (helm, "b.json"),
    "Label Studio": (label_studio, "b.json"),
    "Argilla": (argilla, "b.json"),
    "Argilla 1": (argilla_1, "b.json"),
    "promptfoo": (promptfoo, "b.json"),
    "lm_eval": (lm_eval, "samples_t_2025-01-01T00-00-00.jsonl"),
    "τ-bench": (tau_bench, "b.json"),
    "τ²-bench": (tau2_bench, "b.json"),
    "SWE-bench": (swe_bench, "b.json"),
    "DeepEval": (deepeval, "b.json"),
    "lighteval": (lighteval, "b.jsonl"),
    "OpenAI's evals": (openai_evals, "b.jsonl"),
    "an event of OpenAI's evals": (openai_evals_event, "b.jsonl"),
    "Langfuse": (langfuse, "b.json"),
    "Langfuse 3": (langfuse_3, "b.json"),
    "MLflow": (mlflow, "b.json"),
    "Inspect": (inspect_log, "b.json"),
    "promptfoo's table": (promptfoo_table, "b.csv"),
    "a list of objects": (table, "b.json"),
    "lines of objects": (table, "b.jsonl"),
}


def nodes(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of a node and of those in it; of a list, those in its first."""
    yield path
    if isinstance(node, dict):
        for key, inner in node.items():
            yield from nodes(inner, (*path, key))
    elif isinstance(node, list) and node:
        yield from nodes(node[0], (*path, 0))


def changed(content: Any, path: tuple[Any, ...], change: Change) -> Any:
    """Return content with one node changed."""
    if not path:
        return change(content)
    whole = parent = deepcopy(content)
    for key in path[:-1]:
        parent = parent[key]
    found = change(parent[path[-1]])
    if found is GONE:
        del parent[path[-1]]
    else:
        parent[path[-1]] = found
    return whole


def given(folder: Path, name: str, content: str | bytes, *options: str) -> Words:
    """Return the words that compare a file with itself, so that its items and its layout are alike."""
    write(folder, name, content)
    return ["compare", *QUICK, *options, f"a={name}", f"b={name}"]


def of_json() -> Iterator[tuple[str, Callable[[Path], Words]]]:
    for maker, (make, _) in JSON_MAKERS.items():
        for path in nodes(make()):
            where = "/".join(map(str, path)) or "all"
            for what, change in CHANGES.items():
                if path or what != "gone":
                    yield f"{maker}, {where}: {what}", of_maker(maker, path, change)


def of_maker(maker: str, path: tuple[Any, ...], change: Change) -> Callable[[Path], Words]:
    """Return how to write a maker's file with one node changed."""
    return partial(_json, *JSON_MAKERS[maker], path, change)


def _json(make: Callable[[], Any], name: str, path: tuple[Any, ...], change: Change, folder: Path) -> Words:
    content = changed(make(), path, change)
    if name.endswith("v"):
        rows = content if isinstance(content, list) else [content]
        out = io.StringIO()
        csv.writer(out).writerows(row if isinstance(row, list) else [row] for row in rows)
        return given(folder, name, out.getvalue(), "--value", "score")
    if make is openai_evals_event:
        content = [openai_evals()[0], *(content if isinstance(content, list) else [content])]
    if name.endswith("l"):
        rows = content if isinstance(content, list) else [content]
        return given(folder, name, "\n".join(map(json.dumps, rows)) + "\n")
    options = ("--value", "em") if make is helm else ("--value", "q") if make is label_studio else ()
    return given(folder, name, json.dumps(content), *options)


def workbook() -> bytes:
    book = openpyxl.Workbook()
    for line in GOOD.splitlines():
        item, rater, value = line.split(",")
        book.active.append([item, rater, value if value == "value" else float(value)])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


SHEET = "xl/worksheets/sheet1.xml"
XML: tuple[tuple[bytes, bytes], ...] = (
    *(
        (rb'<dimension ref="[^"]*"', b'<dimension ref="' + ref + b'"')
        for ref in (b"A1", b"A1:A1", b"C9:A1", b"A1:XFD1048576", b"", b"x")
    ),
    (rb"<dimension[^>]*>", b""),
    *(
        (rb'<c r="C3"([^>]*)>', b'<c r="' + ref + rb'"\1>')
        for ref in (b"C2", b"XFD3", b"A3", b"C", b"3", b"ZZZZ3", b"C0", b"C99999999")
    ),
    *(
        (rb'<row r="3"', b'<row r="' + row + b'"')
        for row in (b"2", b"1", b"0", b"-1", b"x", b"1048576", b"99999999999", b"3.5", b"")
    ),
    *(
        (rb'<c r="C3"[^>]*>', b'<c r="C3" t="' + kind + b'">')
        for kind in (b"s", b"b", b"e", b"str", b"inlineStr", b"d", b"n", b"x", b"")
    ),
    *(
        (rb"(<c r=\"C3\"[^>]*>)<v>[^<]*</v>", rb"\1" + value)
        for value in (
            b"",
            b"<v/>",
            b"<v>x</v>",
            b"<v>1e999</v>",
            b"<v>NaN</v>",
            b"<v>0.5</v><v>1</v>",
            b"<f>1/2</f>",
            b"<f>1/2</f><v/>",
            b"<f>1/0</f><v>#DIV/0!</v>",
            b'<f t="shared" si="9"/>',
            b'<f t="array" ref="C3:C5">A1</f>',
            b"<is><t>0.5</t></is>",
            b"<v>" + b"9" * 5000 + b"</v>",
        )
    ),
    *(
        (rb"</sheetData>", b'</sheetData><mergeCells count="1"><mergeCell ref="' + ref + b'"/></mergeCells>')
        for ref in (b"C2:C5", b"A1:C1", b"A1:XFD1048576", b"x", b"Z90:Z99")
    ),
    (rb"</sheetData>", b""),
    (rb"<sheetData>", b"<sheetData>" + b"<row/>" * 2000),
    (rb"<sheetData>.*</sheetData>", b"<sheetData/>"),
    (rb"^", b"<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]>"),
    (rb"<worksheet", b"<worksheet x='" + b"y" * 100_000 + b"'"),
)
"""Patterns in the sheet of a workbook, and what takes their place."""


def of_workbooks() -> Iterator[tuple[str, Callable[[Path], Words]]]:
    for number, (pattern, by) in enumerate(XML):
        yield (
            f"Excel, sheet {number}: {by[:30]!r}",
            partial(
                _workbook,
                lambda m, p=pattern, b=by: m | {SHEET: re.sub(p, b, m[SHEET], count=1, flags=re.DOTALL)},
            ),
        )
    with zipfile.ZipFile(io.BytesIO(workbook())) as archive:
        names = archive.namelist()
    for name in names:
        for what, content in (
            ("gone", None),
            ("empty", b""),
            ("cut", ...),
            ("no XML", b"x" * 99),
            ("zeros", b"\0" * 10**6),
        ):
            yield f"Excel, {name}: {what}", partial(_workbook, partial(_member, name, content))
    for what, change in (("a macro's suffix", None), ("no zip file", b"x"), ("empty", b""), ("cut", -200)):
        yield f"Excel, {what}", partial(_bytes, change)


def _member(name: str, content: Any, members: dict[str, bytes]) -> dict[str, bytes]:
    if content is None:
        return {other: inner for other, inner in members.items() if other != name}
    return members | {name: members[name][: len(members[name]) // 2] if content is ... else content}


def _workbook(change: Callable[[dict[str, bytes]], dict[str, bytes]], folder: Path) -> Words:
    with zipfile.ZipFile(io.BytesIO(workbook())) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in change(members).items():
            archive.writestr(name, content)
    return given(folder, "b.xlsx", out.getvalue())


def _bytes(change: Any, folder: Path) -> Words:
    content = workbook()
    if change is None:
        return given(folder, "b.xlsm", content)
    return given(folder, "b.xlsx", content[:change] if isinstance(change, int) else change)


def saved_dataset() -> Any:
    """Return the JSON of a data set of Hugging Face, by the name of the file."""
    features = {
        "item": {"dtype": "string", "_type": "Value"},
        "value": {"dtype": "float64", "_type": "Value"},
    }
    return {
        "dataset_info.json": {"citation": "", "features": features},
        "state.json": {
            "_data_files": [{"filename": "data-00000-of-00001.arrow"}],
            "_fingerprint": "c3efa569da333967",
            "_format_columns": None,
            "_format_kwargs": {},
            "_format_type": None,
            "_output_all_columns": False,
            "_split": None,
        },
    }


def of_datasets() -> Iterator[tuple[str, Callable[[Path], Words]]]:
    for path in nodes(saved_dataset()):
        for what, change in CHANGES.items():
            if path:
                yield f"a data set, {'/'.join(map(str, path))}: {what}", partial(_saved, path, change)


def _saved(path: tuple[Any, ...], change: Change, folder: Path) -> Words:
    (folder / "set").mkdir()
    for name, content in changed(saved_dataset(), path, change).items():
        write(folder / "set", name, json.dumps(content))
    table = pa.table({"item": ["a", "b", "c"], "value": [1.0, 0.0, 0.5]})
    with pa.ipc.new_stream(folder / "set/data-00000-of-00001.arrow", table.schema) as stream:
        stream.write_table(table)
    return ["compare", *QUICK, "a=set", "b=set"]


def of_folders() -> Iterator[tuple[str, Callable[[Path], Words]]]:
    """Yield folders of Hugging Face's data sets and of logs, whole or not, whether their readers are installed."""
    names = ("dataset_info.json", "state.json", "dataset_dict.json", "data-00000-of-00001.arrow")
    contents: dict[str, Any] = {
        "missing": None,
        "empty": "",
        "an object": "{}",
        "a list": "[]",
        "a folder": ...,
        "cut": '{"a',
        "NUL": "\0",
    }
    for name in names:
        for what, content in contents.items():
            yield f"a data set's {name}: {what}", partial(_dataset, name, content)
    for what, content in contents.items():
        for suffix in (".eval", ".json"):
            yield f"a log of Inspect {suffix}: {what}", partial(_inspect, suffix, content)


def _put(path: Path, content: Any) -> None:
    if content is ...:
        path.mkdir()
    elif content is not None:
        path.write_text(content)


def _dataset(changed_name: str, content: Any, folder: Path) -> Words:
    (folder / "set").mkdir()
    for name in ("dataset_info.json", "state.json", "data-00000-of-00001.arrow"):
        _put(folder / "set" / name, content if name == changed_name else "{}")
    if changed_name == "dataset_dict.json":
        _put(folder / "set" / changed_name, content)
    return ["compare", *QUICK, "a=set", "b=set"]


def _inspect(suffix: str, content: Any, folder: Path) -> Words:
    _put(folder / f"b{suffix}", content)
    return ["compare", *QUICK, write(folder, "good.csv", GOOD), f"b=b{suffix}"]


def cases() -> Iterator[tuple[str, Callable[[Path], Words]]]:
    """Yield the name and the files of each."""
    yield from of_json()
    yield from of_workbooks()
    yield from of_folders()
    yield from of_datasets()
