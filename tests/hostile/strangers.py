# ruff: noqa: E501 - a table, one case per line
"""Files as strangers have them: saved by another program, of another version of a tool, or with more in them."""

from __future__ import annotations

import datetime
import io
import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from tests.hostile.case import QUICK, Words, write

V = "item,value\n" + "".join(f"q{i},{i % 3 / 2}\n" for i in range(6))
LINES = [{"item": "a", "value": 1}, {"item": "b", "value": 0}]


def xlsx(rows: list[list[Any]], change: Callable[[Any], object] = lambda book: None) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    change(book)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def parquet(**columns: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def npy(array: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def lines(*objects: Any) -> str:
    return "\n".join(map(json.dumps, objects))


def control(kind: str, value: Any, **further: Any) -> list[Any]:
    result = [{"from_name": "p", "type": kind, "value": value}]
    return [{"id": i, "annotations": [{"result": result, **further}]} for i in range(3)]


def argilla(value: Any, **further: Any) -> list[Any]:
    return [
        {"id": f"r{i}", "fields": {}, "responses": {"q": [{"value": value, **further}]}} for i in range(3)
    ]


def helm(**stat: Any) -> list[Any]:
    stats = [{"name": {"name": "em"}, **stat}]
    return [{"instance_id": f"i{i}", "train_trial_index": 0, "stats": stats} for i in range(3)]


def langfuse(**further: Any) -> dict[str, Any]:
    score = {"traceId": "t", "name": "q", "source": "API", "dataType": "NUMERIC"}
    return {"data": [{**score, "observationId": f"o{i}", "value": i / 2, **further} for i in range(3)]}


ROWS = [["item", "value"], *([f"q{i}", i % 3 / 2] for i in range(6))]
TEXTS: dict[str, tuple[Any, str]] = {
    "a mark and carriage returns.csv": (("\ufeff" + V.replace("\n", "\r\n") + "\r\n\r\n"), ""),
    "semicolons.csv": (V.replace(",", ";"), "looks separated by ';'"),
    "tabs.csv": (V.replace(",", "\t"), "looks separated by"),
    "a comma more.csv": ("\n".join(f"{line}," for line in V.splitlines()), ""),
    "capitals.csv": (V.replace("item,value", "Item,Value"), "--item Item --value Value"),
    "a space in the header.csv": (
        V.replace("item,value", "item, value "),
        "the column ' value ' differs from 'value' in spaces",
    ),
    "an invisible sign in the header.csv": (
        V.replace("value", "value\u200b"),
        r"the column 'value\\u200b' differs from 'value'",
    ),
    "a half.csv": (f"{V}q9,½\n", "found '½', expected a finite number"),
    "a sign and a space.csv": (f"{V}q9, +0.5 \n", ""),
    "old line ends.csv": (V.replace("\n", "\r"), "carriage return"),
    "a comment.csv": (f"# made by x\n{V}", "found 2 fields, expected 1"),
    "UTF-16.csv": (V.encode("utf-16"), "is UTF-16"),
    "Latin 1.csv": (f"{V}é,1\n".encode("latin-1"), "is not UTF-8"),
    **{
        f"missing as {word!a}.csv": (f"{V}q9,{word}\n", "expected a finite number")
        for word in ("n/a", "-", "null", "None", "<NA>", "#N/A", "missing", "?")
    },
    "row numbers of a long table.csv": (
        ",item,rater,value\n" + "".join(f"{i},q{i},r,{i % 3 / 2}\n" for i in range(6)),
        "",
    ),
    "row numbers of a wide table.csv": (
        ",item,x,y\n" + "".join(f"{i},q{i},0,{i % 3 / 2}\n" for i in range(6)),
        "column '' is of no rater or run by its name",
    ),
    "a rater without a name.csv": ("item,rater,value\nq1,r,1\nq2,,0\nq3,s,1\n", "the id is empty"),
    "two columns of items.csv": ("id,item_id,value\n1,x,1\n2,y,0\n", "could all be the items"),
    "two tables.csv": (f"{V}\n{V}", "found 'value', expected a finite number|item 'q0' is already"),
    "a mean as an item.csv": (f"{V}mean,0.5\n", ""),
    "a mean as a rater.csv": (
        "item,r1,r2,mean\nq1,1,0,0.5\nq2,0,1,0.5\nq3,1,1,1\n",
        "column 'mean' is of no rater or run by its name",
    ),
    "seeds of a rater.csv": (
        "item,rater,seed,value\nq1,r,1,1\nq2,r,1,0\nq1,r,2,0\nq2,r,2,1\n",
        "has already rated item 'q1'",
    ),
    "raters that look alike.csv": ("item,ann,Ann\nq1,1,0\nq2,0,1\nq3,1,1\n", ""),
    "quotes.csv": ('item,value\n"q ""1""",1\n"q,2",0\n"q\n3",1\n', ""),
    "a header.txt": ("score\n0.1\n0.2\n0.3\n", "found 'score'"),
    "a gap.txt": ("0.1\n\n0.2\n0.3\n", "has no rating"),
    "two a line.txt": ("0.1 0.2\n0.3 0.4\n", "found '0.1 0.2'"),
    "wrapped.json": ({"data": LINES}, ""),
    "wrapped twice.json": ({"a": LINES, "b": LINES}, "."),
    "columns of objects.json": ({"item": {"0": "a"}, "value": {"0": 1}}, "is JSON, but not of a tool"),
    "split.json": ({"columns": ["item", "value"], "index": [0, 1], "data": [["a", 1], ["b", 0]]}, ""),
    "table.json": (
        {"schema": {"fields": []}, "data": [{"index": 0, **LINES[0]}, {"index": 1, **LINES[1]}]},
        "",
    ),
    "a matrix.json": ([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], "sums to 0.3"),
    "two lists.json": ({"run1": [0.1, 0.2], "run2": [0.3, 0.4]}, "no column 'item'"),
    "keys of their own.json": (
        [{"item": f"i{n}", f"k{n}": 0.5} for n in range(20_000)],
        "nearly all of them empty",
    ),
    "two objects a line.jsonl": ('{"item":"a","value":1}{"item":"b","value":0}\n', "Extra data"),
    "scores inside.jsonl": (
        lines({"item": "a", "metrics": {"acc": 1}}, {"item": "b", "metrics": {"acc": 0}}),
        "found {'acc': 1}",
    ),
    "truths as ids.jsonl": (
        lines({"item": True, "value": 1}, {"item": False, "value": 0}),
        "found True, expected an id",
    ),
    "objects as ids.jsonl": (
        lines({"item": {"id": 1}, "value": 1}, {"item": {"id": 2}, "value": 0}),
        "expected an id",
    ),
    "no id.jsonl": (lines({"item": None, "value": 1}, {"item": "b", "value": 0}), "the id is empty"),
    "whole numbers of 16 digits.jsonl": (
        lines({"item": 2**53 + 1, "value": 1}, {"item": 2**53, "value": 0}),
        "",
    ),
    "dates.xlsx": (
        xlsx([["item", "value"], [datetime.date(2024, 1, 1), 1], [datetime.datetime(2024, 1, 2, 3), 0]]),
        "",
    ),
    "an error.xlsx": (xlsx([*ROWS, ["q9", "#DIV/0!"]]), "found '#DIV/0!'"),
    "truths.xlsx": (xlsx([["item", "value"], ["a", True], ["b", False], ["c", True]]), ""),
    "a title.xlsx": (xlsx([["My results"], *ROWS]), "expected a name of its own for each; mend row 1"),
    "a hidden row.xlsx": (
        xlsx(ROWS, lambda book: setattr(book.active.row_dimensions[3], "hidden", True)),
        "",
    ),
    "a hidden sheet.xlsx": (
        xlsx(ROWS, lambda book: book.create_sheet("old").append(["item", "value"])),
        "found filled sheets",
    ),
    "numbers as text.xlsx": (xlsx([["item", "value"], ["a", "0.5"], ["b", "1"], ["c", "0"]]), ""),
    "shares.xlsx": (xlsx([["item", "value"], ["a", "50%"], ["b", "1"], ["c", "0"]]), "found '50%'"),
    "large ids.xlsx": (
        xlsx([["item", "value"], [1.79e18, 1], [1.79e18 + 512, 0]]),
        "a number of so many digits",
    ),
    "an empty column.xlsx": (
        xlsx([["item", None, "value"], ["a", None, 1], ["b", None, 0]]),
        "a name of its own for each",
    ),
    "a note beside.xlsx": (
        xlsx([["item", "value"], ["a", 1, None, "checked"], ["b", 0]]),
        "a name of its own for each",
    ),
    "no workbook.xlsx": (V, "not a readable Excel workbook"),
    "an old workbook.xls": (b"\xd0\xcf\x11\xe0" + b"\0" * 600, "unknown suffix '.xls'"),
    "another suffix.ods": (b"PK\x03\x04", "unknown suffix '.ods'"),
    "objects.parquet": (parquet(item=["a", "b"], value=[{"x": 1.0}, {"x": 0.0}]), "sums to 0"),
    "decimals.parquet": (
        parquet(item=["a", "b", "c"], value=pa.array([1, 0, 1]).cast(pa.decimal128(24, 2))),
        "",
    ),
    "bytes as ids.parquet": (parquet(item=[b"a", b"b"], value=[1, 0]), "expected an id"),
    "times as ids.parquet": (parquet(item=pa.array([1, 2], pa.timestamp("ns", "UTC")), value=[1, 0]), ""),
    "nulls.parquet": (parquet(item=["a", "b"], value=pa.nulls(2)), "found no value"),
    "ids of 64 bits.parquet": (parquet(item=pa.array([2**64 - 1, 2**64 - 2], pa.uint64()), value=[1, 0]), ""),
    "an index.parquet": (
        pd.DataFrame({"value": [1, 0, 1]}, index=list("abc")).to_parquet(),
        "--item __index_level_0__",
    ),
    "complex.npy": (npy(np.ones((3, 2)) * 1j), "an array of complex128"),
    "truths.npy": (npy(np.array([[True, False], [False, True], [True, True]])), ""),
    "records.npy": (
        npy(np.array([(1, 0.5), (2, 0.1)], dtype=[("item", "i4"), ("value", "f8")])),
        "expected numbers",
    ),
    "three dimensions.npy": (npy(np.zeros((3, 2, 2))), "3 dimensions"),
    "infinity.npy": (npy(np.array([1, np.inf, 0])), "found inf"),
    "dates.npy": (npy(np.array(["2024-01-01", "2024-01-02"], "M8[D]")), "expected numbers"),
    "Label Studio, pairs.json": (
        control("pairwise", {"selected": "left"}, completed_by=1),
        "of a control 'pairwise'",
    ),
    "Label Studio, text.json": (control("number", {"number": "0.5"}, completed_by=1), ""),
    "Label Studio, nobody.json": (control("number", {"number": 0.5}), "the id is empty"),
    "Label Studio, an address.json": (control("number", {"number": 0.5}, completed_by={"email": "x@y"}), ""),
    "Label Studio, skipped.json": ([{"id": i, "annotations": []} for i in range(3)], "has no rows"),
    "Label Studio, flat.json": (
        [{"text": "a", "id": i, "quality": i, "annotator": 1} for i in range(3)],
        "--value",
    ),
    "Argilla, a ranking.json": (argilla(["a", "b"], user_id="u"), r"the list \['a', 'b'\]"),
    "Argilla, drafts.json": (argilla(1, user_id="u", status="draft"), "has no rows"),
    "Argilla, nobody.json": (argilla(0.5), "the id is empty"),
    "HELM, a sum.json": (helm(count=2, sum=1.0), ""),
    "HELM, no count.json": (helm(count=0, sum=0), "found no score"),
    "HELM, one value.json": (helm(count=1, mean=-1.0), r"as with --scale LOW\.\.HIGH with its two ends"),
    "HELM, its means.json": (
        [{"name": {"name": "em"}, "count": 1, "sum": 0.5, "mean": 0.5}],
        "no column 'item'",
    ),
    "promptfoo 2.json": (
        {"version": 2, "results": [{"provider": {"id": "x"}, "score": 1}]},
        "no column 'item'",
    ),
    "promptfoo, none.json": (
        {"evalId": "e", "results": {"version": 3, "results": []}},
        "is JSON, but not of a tool",
    ),
    "DeepEval, talks.json": (
        {"testCases": [], "conversationalTestCases": [{"name": "c", "metricsData": []}]},
        "no column 'item'",
    ),
    "DeepEval, a name twice.json": (
        {"testCases": [{"name": n, "metricsData": [{"name": "m", "score": 0.5}]} for n in "ttu"]},
        "has already rated item 't'",
    ),
    "OpenAI, not ended.jsonl": (
        lines(
            {"spec": {}},
            *({"sample_id": f"s{i}", "type": "match", "data": {"correct": i > 0}} for i in range(3)),
        ),
        "",
    ),
    "OpenAI, two matches.jsonl": (
        lines({"spec": {}}, *({"sample_id": s, "type": "match", "data": {"correct": True}} for s in "sst")),
        "has already rated item 's'",
    ),
    "Langfuse, sessions.json": (langfuse(traceId=None, observationId=None), "the id is empty"),
    "Langfuse, a table.csv": ("id,traceId,name,value,source\n1,t1,q,0.5,API\n2,t2,q,1,API\n", ""),
    "Langfuse, observations.json": (langfuse(), ""),
    "τ-bench, no reward.json": (
        [{"task_id": i, "reward": None, "info": {}, "traj": []} for i in range(3)],
        "found no score",
    ),
    "τ²-bench, broken off.json": (
        {"simulations": [{"task_id": i, "reward_info": None if i else {"reward": 1.0}} for i in range(3)]},
        "found no value",
    ),
    "SWE-bench, old.json": (
        {"no_generation": [], "generated": ["a", "b"], "resolved": ["a"]},
        "expected as many entries",
    ),
    "SWE-bench, one.json": (
        {"d__1": {"resolved": True}, "d__2": {"resolved": False}},
        "is JSON, but not of a tool",
    ),
    "SWE-bench, two outcomes.json": (
        {"submitted_ids": ["a", "b"], "resolved_ids": ["a"], "unresolved_ids": ["a", "b"]},
        "has already rated item 'a'",
    ),
    "MLflow, records.json": (
        [{"inputs": "a", "outputs": "b", "score": 1}, {"inputs": "c", "outputs": "d", "score": 0}],
        "--item inputs --value score",
    ),
    "MLflow, an input twice.json": (
        {"columns": ["inputs", "outputs", "s"], "data": [["a", "b", 1], ["a", "c", 0], ["d", "e", 1]]},
        "has already rated item 'a'",
    ),
    "lm_eval, its means.json": (
        {"results": {"t": {"acc,none": 0.5}}, "model_name": "x"},
        "is JSON, but not of a tool",
    ),
}
"""Files by name, with what the line that refuses each says; "" if it is read."""


def cases() -> Iterator[tuple[str, Callable[[Path], Words], str]]:
    """Yield the name, the files and what refuses it, of each."""
    for name, (content, says) in TEXTS.items():
        yield f"a stranger's {name}", partial(_words, f"b{Path(name).suffix}", content), says


def _words(name: str, content: Any, folder: Path) -> Words:
    write(folder, name, content if isinstance(content, str | bytes) else json.dumps(content))
    scores = name == "b.txt"
    return ["compare", *([] if scores else QUICK), f"a={name}", f"c={name}"]
