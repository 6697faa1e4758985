"""Containers are read by what they hold, not by what they say of themselves, and up to a bound."""

from __future__ import annotations

import importlib
import inspect
import io
import json
import re
import time
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nbyk import bounded, read_systems
from nbyk.data import containers, read_ratings
from nbyk.errors import NbykError

openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")

ROWS = [["item", "ann", "bo", "cy"], *([f"i{i}", i % 2, (i % 5) / 4, 1 - i % 2] for i in range(12))]


def workbook(path: Path, rows: list[list[Any]], change: Callable[[Any], object] = lambda sheet: None) -> Path:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    change(book.active)
    book.save(path)
    return path


def rewritten(path: Path, pattern: bytes, by: bytes, encoding: str = "utf-8") -> Path:
    """Replace bytes in the sheet of a workbook, and write it in an encoding."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    members[sheet], n = re.subn(pattern, by, members[sheet])
    assert n == 1
    members[sheet] = members[sheet].decode().encode(encoding)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def saved(folder: Path, table: pa.Table, codec: str | None = None) -> Path:
    """Write a data set as Hugging Face's `save_to_disk` does, or compressed, which it never is."""
    folder.mkdir()
    (folder / "dataset_info.json").write_text("{}")
    (folder / "state.json").write_text('{"_data_files": [{"filename": "data-00000-of-00001.arrow"}]}')
    options = pa.ipc.IpcWriteOptions(compression=codec)
    file = folder / "data-00000-of-00001.arrow"
    with pa.ipc.new_stream(file, table.schema, options=options) as stream:
        stream.write_table(table)
    return folder


def test_a_data_set_without_rows_or_files_is_told_so_without_pythons_own_errors(tmp_path: Path) -> None:
    table = pa.table({"item": ["a", "b"], "value": [1.0, 0.0]})
    with pytest.raises(NbykError, match="has no rows; expected"):
        read_ratings(saved(tmp_path / "none", table.slice(0, 0)))
    for name, by, says in (
        ("state.json", '{"_data_files": [{"filename": "../x"}]}', "no such file; check the path"),
        ("dataset_info.json", '{"features": [1]}', "not a readable data set of Hugging Face; get it again"),
    ):
        folder = saved(tmp_path / Path(name).stem, table)
        (folder / name).write_text(by)
        with pytest.raises(NbykError) as refused:
            read_ratings(folder)
        assert str(refused.value).startswith(str(folder))
        assert says in str(refused.value)


def test_a_data_set_that_selects_rows_by_a_file_of_indices_is_refused(tmp_path: Path) -> None:
    folder = saved(tmp_path / "a", pa.table({"item": ["a", "b", "c"], "value": [1.0, 0.0, 0.5]}))
    state = json.loads((folder / "state.json").read_text())
    for indices, is_refused in ((None, False), ([], False), ([{"filename": "indices.arrow"}], True)):
        (folder / "state.json").write_text(json.dumps(state | {"_indices_data_files": indices}))
        if is_refused:
            with pytest.raises(NbykError, match=r"holds a selection of rows .*after flatten_indices"):
                read_ratings(folder)
        else:
            assert read_ratings(folder).n_items == 3


def test_a_data_set_is_not_larger_than_its_files_and_has_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = [f"q{place}" for place in range(90)]
    text = pa.array(["x" * 90] * 90).dictionary_encode()
    table = pa.table({"item": items, "value": [0.0, 1.0] * 45, "k": text, "list": [[1]] * 90})
    assert read_ratings(saved(tmp_path / "a", table), value="value").values.tolist() == [0, 1] * 45
    for codec, large in (("zstd", table), ("lz4", pa.table({"k": table["k"]}))):
        with pytest.raises(NbykError, match="is compressed, as save_to_disk writes none"):
            read_ratings(saved(tmp_path / codec, large, codec))
    for bound, most, says in (
        ("MOST_ROWS", 2, "holds more than 2 rows"),
        ("MOST_CELLS", 60, "holds more than 60 cells"),
        ("MOST_BYTES", 90, "holds more than 90 bytes"),
        ("MOST_SECONDS", -1.0, "took longer than -1 s of CPU to read"),
    ):
        monkeypatch.setattr(bounded, bound, most)
        with pytest.raises(NbykError, match=says):
            read_ratings(tmp_path / "a")
        monkeypatch.undo()


@pytest.mark.parametrize("dimension", [b"A1:C7", b"A1", b"A1:XFD1048576", b"B2:C3", b"nonsense"])
def test_the_declared_range_of_a_sheet_does_not_decide_what_is_read(dimension: bytes, tmp_path: Path) -> None:
    whole = read_ratings(workbook(tmp_path / "a.xlsx", ROWS))
    path = rewritten(tmp_path / "a.xlsx", rb'<dimension ref="[^"]*"', b'<dimension ref="' + dimension + b'"')
    if dimension == b"nonsense":
        with pytest.raises(NbykError, match="not a readable Excel workbook"):
            read_ratings(path)
        return
    assert read_ratings(path) == whole
    assert whole.n_ratings == 36


@pytest.mark.parametrize(
    ("cell", "formula", "says"),
    [
        ("C3", "=1/2", r"row 3: column 'bo': found the formula =1/2 without a saved value"),
        ("D1", '="cy"', r"'bo', ''\], expected a name of its own for each; mend row 1"),
        ("A4", '="i"&2', r"row 4: column 'item': found the formula =\"i\"&2 without"),
    ],
)
def test_a_formula_without_a_saved_value_is_not_an_empty_cell(
    cell: str, formula: str, says: str, tmp_path: Path
) -> None:
    path = workbook(tmp_path / "a.xlsx", ROWS, lambda sheet: sheet.__setitem__(cell, formula))
    with pytest.raises(NbykError, match=says):
        read_ratings(path)
    with pytest.raises(NbykError, match=says):
        read_ratings(path, on_empty="drop")


def test_a_column_of_formulas_without_saved_values_does_not_vanish(tmp_path: Path) -> None:
    def change(sheet: Any) -> None:
        for row in range(2, 14):
            sheet.cell(row, 4, f"=B{row}*1")

    path = workbook(tmp_path / "a.xlsx", ROWS, change)
    with pytest.raises(NbykError, match="column 'cy': found the formula =B2"):
        read_ratings(path)


ORDER = "found a row or cell out of order, or two of one place, expected each once; save it again"
TWICE = r"row 3: column 'ann': found 2 values in one cell"
MERGED = "the cells B2:B3 are merged, so one value stands for several"


@pytest.mark.parametrize(
    ("pattern", "by", "says"),
    [
        (rb'<row r="3"', b'<row r="2"', ORDER),
        (rb'<row r="3"', b'<row r="-1"', ORDER),
        (rb'<row r="3"', b"<row\nr='2'", ORDER),
        (rb'<c r="C3"', b'<c r="B3"', ORDER),
        (rb'<c r="C3"', b'<c r="D3"', ORDER),
        (rb'<c r="C3"', b'<c r="C9"', ORDER),
        (rb'(<c r="B3"[^>]*>)<v>[^<]*</v>', rb"\1<v>0</v><v>1</v>", TWICE),
        (rb'(<c r="B3"[^>]*>)<v>[^<]*</v>', rb"\1<v >0</v ><is><t>1</t></is>", TWICE),
        (rb"</sheetData>", b'</sheetData><mergeCells><mergeCell ref="B2:B3"/></mergeCells>', MERGED),
        (rb"</sheetData>", b"</sheetData><mergeCells><mergeCell\nref='B2:B3'/></mergeCells>", MERGED),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_sheet_that_says_two_things_of_one_place_is_refused(
    encoding: str, pattern: bytes, by: bytes, says: str, tmp_path: Path
) -> None:
    path = rewritten(workbook(tmp_path / "a.xlsx", ROWS), pattern, by, encoding)
    with pytest.raises(NbykError, match=says):
        read_ratings(path)


def test_merged_cells_and_cells_without_a_name_are_refused(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", ROWS, lambda sheet: sheet.merge_cells("B2:B5"))
    with pytest.raises(NbykError, match="the cells B2:B5 are merged, so one value stands for several"):
        read_ratings(path)
    rows = [ROWS[0], *(row if place else [*row, 0.5] for place, row in enumerate(ROWS[1:]))]
    with pytest.raises(NbykError, match=r"'cy', ''\], expected a name of its own for each; mend row 1"):
        read_ratings(workbook(tmp_path / "b.xlsx", rows))


def parquet_of(rows: int, **columns: pa.Array) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out, compression="zstd", row_group_size=max(rows, 1))
    return out.getvalue()


def zeros(n: int) -> bytes:
    column = pa.array(np.zeros(n, np.int8))
    return parquet_of(n, item=column, rater=column, value=column)


def long_texts(n: int) -> bytes:
    texts = pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, np.int32)), pa.array(["x" * 10**6]))
    return parquet_of(n, item=texts, value=pa.array(np.zeros(n)))


def plain_texts(n: int) -> bytes:
    return parquet_of(n, item=pa.array(["x" * 10**6] * n), value=pa.array(np.zeros(n)))


def long_lists() -> bytes:
    lists = pa.array([np.zeros(12_000_000), np.ones(12_000_000)])
    return parquet_of(2, item=pa.array(["a", "b"]), value=lists)


def long_text() -> bytes:
    return parquet_of(2, item=pa.array(["x" * 410_000_000, "b"]), value=pa.array([0.5, 1]))


def cells(n: int) -> bytes:
    out = io.BytesIO()
    np.savez_compressed(out, np.zeros((n, 1000), np.int8))
    return out.getvalue()


def zipped(*members: tuple[str, int]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, size in members:
            with archive.open(name, "w") as member:
                for _ in range(size // 10**7):
                    member.write(b" " * 10**7)
                member.write(b" " * (size % 10**7))
    return out.getvalue()


BOMBS = {
    "a.parquet": (
        lambda: zeros(30_000_000),
        "has 30,000,000 rows, expected at most 20,000,000 of 3 columns in",
    ),
    "b.parquet": (lambda: long_texts(3_000), "holds more than 400,000,000 bytes, expected at most"),
    "d.parquet": (lambda: plain_texts(600), "holds more than 400,000,000 bytes, expected at most"),
    "e.parquet": (long_lists, "holds more than 20,000,000 cells, expected at most"),
    "c.parquet": (long_text, "holds more than 400,000,000 bytes, expected at most"),
    "a.xlsx": (
        lambda: zipped(("xl/worksheets/sheet1.xml", 101_000_000)),
        "holds 101,000,000 bytes once decompressed, expected at most 100,000,000",
    ),
    "b.xlsx": (lambda: zipped(*((f"{n}", 10**8) for n in range(5))), "holds 500,000,000 bytes once"),
    "d.xlsx": (
        lambda: zipped(("xl/styles.xml", 11_000_000), ("xl/worksheets/sheet1.xml", 10**7)),
        "holds 11,000,000 bytes once decompressed, expected at most 10,000,000",
    ),
    "c.xlsx": (lambda: zipped(("a", 1), ("a", 1)), "holds two members named 'a'"),
    "a.npz": (lambda: zipped(("a.npy", 401_000_000)), "holds 401,000,000 bytes once decompressed"),
    "b.npz": (lambda: cells(20_001), "holds more than 20,000,000 cells, expected at most that many"),
    "a.json": (lambda: b"[" * 20_000_001, "holds more than 20,000,000 values in one JSON document"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_by_a_bound_that_the_message_names(name: str, tmp_path: Path) -> None:
    make, says = BOMBS[name]
    path = tmp_path / name
    path.write_bytes(make())
    assert path.stat().st_size < 2_000_000 or path.suffix == ".json"
    begun = time.process_time()
    with pytest.raises(NbykError, match=rf"{name}: {says}"):
        read_systems({"a": path, "b": path})
    assert time.process_time() - begun < 5


@pytest.mark.parametrize("name", ["b.parquet", "d.parquet", "e.parquet"])
def test_long_texts_and_lists_are_counted_before_they_are_written_out(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, says = BOMBS[name]
    path = tmp_path / name
    path.write_bytes(make())
    monkeypatch.setattr(containers, "_decoded", lambda batch: pytest.fail("written out"))
    with pytest.raises(NbykError, match=says):
        read_ratings(path)


def test_a_sheet_is_read_up_to_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = workbook(tmp_path / "a.xlsx", ROWS)
    for what, most in (("ROWS", 12), ("CELLS", 51)):
        with monkeypatch.context() as patch:
            patch.setattr(bounded, f"MOST_{what}", most)
            with pytest.raises(NbykError, match=f"holds more than {most} {what.lower()}"):
                read_ratings(path)


@pytest.mark.parametrize("suffix", [".xlsx", ".parquet", ".npz", ".npy", ".json"])
def test_a_container_is_read_within_a_minute(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"a{suffix}"
    content = {
        ".parquet": lambda: parquet_of(2, item=pa.array(["a", "b"]), value=pa.array([0.5, 1])),
        ".json": lambda: b'[{"item": "a", "value": 1}]',
    }
    if suffix == ".xlsx":
        workbook(path, ROWS)
    elif suffix in content:
        path.write_bytes(content[suffix]())
    else:
        (np.save if suffix == ".npy" else np.savez)(path, np.zeros((3, 2)))
    monkeypatch.setattr(bounded, "MOST_SECONDS", -1.0)
    with pytest.raises(NbykError, match=rf"a{suffix}: took longer than -1 s of CPU to read"):
        read_ratings(path)


def test_the_version_of_excels_reader_is_bounded_since_part_of_it_is_private() -> None:
    """Its public names show only the last of two cells in one place, which nbyk refuses."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    for extra in ("excel", "dev"):
        assert "openpyxl>=3.1,<3.2" in project["optional-dependencies"][extra]
    assert openpyxl.__version__.startswith("3.1.")
    reader = importlib.import_module("openpyxl.worksheet._reader").WorkSheetParser
    asked = ("src", "shared_strings", "data_only", "epoch", "date_formats", "timedelta_formats")
    assert tuple(inspect.signature(reader).parameters)[:6] == asked


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_arrays_keep_the_bound_on_rows(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a{suffix}"
    (np.save if suffix == ".npy" else np.savez_compressed)(path, np.zeros(bounded.MOST_ROWS + 1, np.int8))
    with pytest.raises(
        NbykError, match=r"a\.np.: holds more than 20,000,000 rows, expected at most that many"
    ):
        read_ratings(path)


@pytest.mark.parametrize("number", [2**53, 2**53 + 1, 10**16])
def test_numbers_of_excel_from_2_to_the_53_on_are_no_ids(number: int, tmp_path: Path) -> None:
    """Excel keeps all numbers as floats, however many digits another program wrote into the file."""
    path = workbook(tmp_path / "a.xlsx", [["item", "value"], [number, 1], [number + 2, 0]])
    with pytest.raises(
        NbykError, match=r"row 2: column 'item': found \d+\.0, a number of so many digits|e\+16"
    ):
        read_ratings(path)
    path = workbook(tmp_path / "b.xlsx", [["item", "value"], [2**53 - 1, 1], [str(number), 0]])
    assert read_ratings(path).items == ("9007199254740991", str(number))
