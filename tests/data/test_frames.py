"""Data frames hold what the file of their rows holds, whatever their dtypes, columns and index."""

from __future__ import annotations

import datetime
import decimal
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import nbyk
from nbyk.data import Ratings, read_ratings
from nbyk.errors import NbykError

ITEMS, VALUES = ["a", "b", "c", "d"], [1, 0, 1, 1]
LONG = {"item": ITEMS, "rater": ["r", "r", "s", "s"], "value": VALUES}
EXPECTED = Ratings.from_columns(**{f"{name}s": cells for name, cells in LONG.items()})  # type: ignore[arg-type]


def test_nullable_dtypes_are_read_and_na_is_an_empty_cell() -> None:
    for dtype in ("Int64", "Float64", "boolean", "int64[pyarrow]", "float32", "object", "category"):
        frame = pd.DataFrame(LONG).astype({"value": "bool" if dtype == "boolean" else "int64"})
        frame = frame.astype({"value": dtype, "rater": "category", "item": "string"})
        assert read_ratings(frame) == EXPECTED, dtype
        if dtype != "float32":
            frame.loc[1, "value"] = pd.NA
        else:
            frame.loc[1, "value"] = np.nan
        with pytest.raises(NbykError, match="row 1: column 'value': found no value"):
            read_ratings(frame)
        assert read_ratings(frame, on_empty="drop").items == ("a", "c", "d")
    frame = pd.DataFrame(LONG).astype({"item": "string"})
    frame.loc[2, "item"] = pd.NA
    with pytest.raises(NbykError, match="row 2: column 'item': the id is empty"):
        read_ratings(frame)
    wide = pd.DataFrame({"item": ITEMS, "x": pd.array([1, None, 0, 1], "Int64"), "y": [0, 1, 0, 1]})
    assert read_ratings(wide).n_ratings == 7


def test_columns_may_be_numbers_or_levels() -> None:
    wide = pd.DataFrame({"item": ITEMS, 0: VALUES, 1: VALUES})
    assert read_ratings(wide).raters == ("column 0", "column 1")
    pivoted = pd.DataFrame(LONG).assign(more=[0, 1, 0, 1]).pivot(index="item", columns="rater")
    assert read_ratings(pivoted).raters == ("value/r", "more/r", "value/s", "more/s")
    with pytest.raises(NbykError, match="2 columns are named '1'"):
        read_ratings(pd.DataFrame([[1, 2, 3]], columns=["item", 1, "1"]))


def test_two_columns_of_one_name_are_refused_in_every_library() -> None:
    names = ["item", "value", "value"]
    for frame in (
        pa.table([["a", "b"], [1, 0], [1, 0]], names=names),
        pd.DataFrame([["a", 1, 0]], columns=names),
    ):
        with pytest.raises(NbykError, match="2 columns are named 'value'; rename one"):
            read_ratings(frame)


def test_an_index_that_holds_the_items_is_never_ignored() -> None:
    long = pd.DataFrame(LONG)
    assert read_ratings(long.set_index("item")) == EXPECTED
    assert read_ratings(long.set_index(["item", "rater"])) == EXPECTED
    assert read_ratings(long.set_index("item").rename_axis(None)) == EXPECTED
    wide = pd.DataFrame({"x": VALUES, "y": VALUES}, index=pd.Index(ITEMS, name="question_id"))
    assert read_ratings(wide).items == tuple(ITEMS)
    assert read_ratings(pd.Series(VALUES, index=ITEMS)).items == tuple(ITEMS)
    assert read_ratings(wide.reset_index(drop=True).iloc[[3, 1]]).items == ("3", "1")
    # rows that were filtered or sorted keep numbers that name nothing beside a column of items
    assert read_ratings(long.iloc[[3, 1, 0]]).items == ("d", "b", "a")
    with pytest.raises(NbykError, match=r"the index holds 'p', … beside a column of items; drop it"):
        read_ratings(long.set_axis(list("pqrs"), axis=0))
    with pytest.raises(NbykError, match="the index has levels without a name"):
        read_ratings(long.set_index(["item", "rater"]).rename_axis([None, None]))


def test_dates_uuids_and_decimals_are_ids_as_in_a_file_of_text(tmp_path: Path) -> None:
    ids: dict[str, list[Any]] = {
        "dates": [datetime.date(2025, 1, day) for day in range(1, 5)],
        "times": [pd.Timestamp(2025, 1, day) for day in range(1, 5)],
        "uuids": [uuid.UUID(int=n) for n in range(4)],
        "decimals": [decimal.Decimal(f"{n}.50") for n in range(4)],
        "numpy": list(np.arange(4)),
    }
    for name, of_items in ids.items():
        frame = pd.DataFrame({**LONG, "item": of_items})
        frame.to_csv(tmp_path / "a.csv", index=False)
        assert read_ratings(frame) == read_ratings(tmp_path / "a.csv"), name


def test_what_python_writes_for_truth_is_a_number_on_every_road(tmp_path: Path) -> None:
    frame = pd.DataFrame({**LONG, "value": [True, False, True, True]})
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    frame.to_parquet(tmp_path / "a.parquet")
    for name in ("a.csv", "a.jsonl", "a.parquet"):
        assert read_ratings(tmp_path / name) == EXPECTED
    assert read_ratings(frame) == read_ratings(pa.table(frame)) == EXPECTED


def test_masked_arrays_are_arrays_with_nan() -> None:
    masked = np.ma.MaskedArray([[1, 0], [1, 9], [0, 1]], [[0, 0], [0, 1], [0, 0]])
    assert read_ratings(masked) == read_ratings(np.array([[1, 0], [1, np.nan], [0, 1]]))


def test_items_left_out_of_a_wide_table_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("item,x,y\na,1,0\nb,,\nc,,1\nd,,\n")
    assert read_ratings(path, on_empty="drop").mended == (f"{path}: 2 rows without a value were left out",)


def test_an_item_on_two_rows_is_named_or_mended(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("item,value\na,1\nb,0\na,0\n")
    with pytest.raises(NbykError, match=r"a\.csv:4: item 'a' is already on .*a\.csv:2, .*`on_duplicates`"):
        read_ratings(path)
    for choice, expected in (("first", 1.0), ("last", 0.0), ("mean", 0.5)):
        ratings = read_ratings(path, on_duplicates=choice)
        assert ratings.values.tolist() == [expected, 0.0]
        assert len(ratings.mended) == 1


HELD_BY_ARROW_ALONE: dict[str, Callable[[], pa.Array]] = {
    "text that is not UTF-8": lambda: pa.Array.from_buffers(
        pa.string(), 2, pa.array([b"\xff", b"b"]).buffers()
    ),
    "a time out of range": lambda: pa.array([2**60, 1], pa.timestamp("us")),
    "a date out of range": lambda: pa.array([2**30, 1], pa.date32()),
    "an unknown time zone": lambda: pa.array([0, 1], pa.timestamp("us", tz="Mars/Base")),
    "a field twice": lambda: pa.StructArray.from_arrays([pa.array([0.5, 1])] * 2, names=["a", "a"]),
}


@pytest.mark.parametrize("make", HELD_BY_ARROW_ALONE.values(), ids=HELD_BY_ARROW_ALONE)
def test_cells_that_python_cannot_hold_are_refused_by_their_column(
    make: Callable[[], pa.Array], tmp_path: Path
) -> None:
    for role in ("item", "value"):
        table = pa.table({"item": ["a", "b"], "value": [1, 0]} | {role: make()})
        pq.write_table(table, tmp_path / "a.parquet")
        for given in (table, tmp_path / "a.parquet"):
            with pytest.raises(
                NbykError, match=f"column '{role}': Python cannot hold its cells .* as text, or"
            ):
                read_ratings(given)
    beside = pa.table({"item": ["a", "b"], "value": [1, 0], "beside": make()})
    pq.write_table(beside, tmp_path / "b.parquet")
    assert read_ratings(tmp_path / "b.parquet", value="value").values.tolist() == [1, 0]


@pytest.mark.parametrize(("kind", "cell"), [(pl.Date, 2**30), (pl.Datetime("us"), 2**60)])
def test_dates_of_polars_out_of_range_are_refused_by_their_column(kind: Any, cell: int) -> None:
    frame = pl.DataFrame(
        {"item": pl.Series([cell, 1]).cast(pl.Int32 if kind is pl.Date else pl.Int64).cast(kind)}
    )
    with pytest.raises(NbykError, match="column 'item': Python cannot hold its cells"):
        read_ratings(frame.with_columns(value=pl.Series([1, 0])))


@pytest.mark.filterwarnings("error")
def test_a_lazy_frame_is_refused_without_a_look_at_its_columns() -> None:
    lazy = pl.LazyFrame({"item": ["a", "b"], "value": [1, 0]})
    for ask in (
        lambda: read_ratings(lazy),
        lambda: nbyk.compare(None, lazy, lazy),
        lambda: nbyk.compare(lazy),
        lambda: nbyk.read_systems({"a": lazy, "b": lazy}),
    ):
        with pytest.raises(NbykError, match=r"found a LazyFrame, .*collect\(\) it first"):
            ask()


def test_what_pandas_makes_of_a_frame_is_no_frame() -> None:
    frame = pd.DataFrame({"item": ["a", "b"], "value": [1, 0]})
    for given in (frame.groupby("item"), frame.style):
        with pytest.raises(NbykError, match=f"found {type(given).__name__}, expected a path or a data frame"):
            read_ratings(given)
    fields = np.ma.array([(1, 2), (3, 4)], dtype=[("item", int), ("value", int)])
    with pytest.raises(NbykError, match=r"found an array of \[\('item', .*, expected numbers; convert it"):
        read_ratings(fields)


@pytest.mark.parametrize("ids", [range(12), [f"q{i}" for i in range(12)]])
@pytest.mark.parametrize("column", ["item", "question_id", "annotator", "index", "latency"])
def test_a_column_of_ids_in_a_frame_is_no_rater(ids: Sequence[object], column: str) -> None:
    text = isinstance(ids[0], str)
    cells = [("yes" if i % 2 else "no") if text else i % 2 for i in range(12)]
    frame = pd.DataFrame({column: ids, "answer_1": cells})
    said = f"column '{column}' is of no rater or run by its name; choose the columns of responses"
    gold = cells if text else None
    with pytest.raises(NbykError, match=said):
        nbyk.compare(gold, {"a": frame, "b": frame})
    assert nbyk.compare(gold, {"a": frame[["answer_1"]], "b": frame[["answer_1"]]}).effect == 0.0


def test_a_column_of_clusters_in_a_frame_is_no_rater_who_gives_classes() -> None:
    frame = pd.DataFrame({"ann": ["yes", "no"] * 6, "passage": [f"text {i // 3}" for i in range(12)]})
    systems = {"a": ["yes"] * 12, "b": ["yes", "no"] * 6}
    with pytest.raises(NbykError, match=r"gold: column 'passage' has none .* give it as `cluster`"):
        nbyk.compare(frame, systems)
    assert nbyk.compare(frame[["ann"]], systems, cluster=frame["passage"]).sample.n_clusters == 4
