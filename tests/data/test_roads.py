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
import pyarrow as pa
import pytest

import nbyk
from nbyk import read_systems
from nbyk.data import read_ratings
from nbyk.errors import NbykError
from tests.data.lm_eval_log import sample, write_run

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


def pandas(path: Path, rows: Rows) -> Any:
    return frame(rows).set_index(["item", "rater"]).astype({"value": "Float64"})


def arrow(path: Path, rows: Rows) -> Any:
    return pa.table(frame(rows))


def polars(path: Path, rows: Rows) -> Any:
    return pytest.importorskip("polars").DataFrame(rows, schema=["item", "rater", "value"], orient="row")


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


TABLES = (csv, tsv, jsonl, objects, parquet, dictionaries, excel, pandas, arrow, polars)
MAKERS = (helm, label_studio, argilla, lm_eval)


@pytest.mark.parametrize("road", [*TABLES, *MAKERS])
def test_every_road_gives_the_same_p_value(road: Callable[[Path, Rows], Any], tmp_path: Path) -> None:
    given = {name: road(tmp_path / name, drawn(seed)) for name, seed in (("a", 1), ("b", 2))}
    expected = {name: csv(tmp_path / f"expected_{name}", drawn(seed)) for name, seed in (("a", 1), ("b", 2))}
    found, wanted = read_systems(given), read_systems(expected)
    for name in ("a", "b"):
        np.testing.assert_array_equal(found.responses[name], wanted.responses[name])
    assert [item.removeprefix("q") for item in found.items] == [item[1:] for item in wanted.items]
    p_values = [
        nbyk.compare(of.pair("a", "b"), metric="mean", generalise=("items",), n_resamples=99, seed=3).p
        for of in (found, wanted)
    ]
    assert p_values[0] == p_values[1]


@pytest.mark.parametrize("road", [*TABLES, *MAKERS])
def test_no_cell_is_lost_without_a_word(road: Callable[[Path, Rows], Any], tmp_path: Path) -> None:
    rows = drawn(3, extra=True)
    given = road(tmp_path / "a", rows)
    with pytest.raises(NbykError, match="found no value"):
        read_ratings(given)
    with pytest.raises(NbykError, match="has already rated item"):
        read_ratings(given, on_empty="drop")
    for choice in ("first", "last", "mean"):
        ratings = read_ratings(given, on_empty="drop", on_duplicates=choice)
        counted = [int(re.search(r": (\d+) ", note)[1]) for note in ratings.mended]  # type: ignore[index]
        assert counted == [2, 4]
        assert ratings.n_ratings + sum(counted) == len(rows)


def test_a_file_of_promptfoo_holds_a_system_for_each_provider(tmp_path: Path) -> None:
    results = [
        {
            "testIdx": test,
            "promptIdx": 0,
            "provider": {"id": name},
            "score": (test + shift) % 2,
            "success": True,
            "namedScores": {"tone": 0.5},
        }
        for name, shift in (("a", 0), ("b", 1))
        for test in range(4)
    ]
    path = as_json(tmp_path / "out", {"evalId": "x", "results": {"version": 3, "results": results}})
    systems = read_systems(path, value="score")
    assert systems.names == ("a, prompt 0", "b, prompt 0")
    assert systems.responses["b, prompt 0"][:, 0].tolist() == [1, 0, 1, 0]
    assert read_systems(path, value="tone").responses["a, prompt 0"][:, 0].tolist() == [0.5] * 4
