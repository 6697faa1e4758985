"""Files that are no ratings: each is refused by its place and a way out."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nbyk.data import Interval, Levels, read_ratings
from nbyk.errors import NbykError

LONG = "item,rater,value\n"


def refusal(path: Path, **options: object) -> str:
    with pytest.raises(NbykError) as error:
        read_ratings(path, **options)
    message = str(error.value)
    assert str(path) in message
    assert "\n" not in message
    return message


# name: file name, content, options, what the message must say (place, found, expected or way out)
BAD = {
    "unknown suffix": ("r.xls", "x", {}, ["'.xls'", ".csv", "convert"]),
    "empty": ("r.csv", "", {}, ["empty", "header"]),
    "empty tsv": ("r.tsv", "\n\n", {}, ["empty"]),
    "empty jsonl": ("r.jsonl", "\n", {}, ["no rows"]),
    "header only": ("r.csv", LONG, {}, ["no rows"]),
    "not utf-8": ("r.csv", b"item,rater,value\na,r,1\nb\xff,r,2\n", {}, [":3", "UTF-8"]),
    "not utf-8 json": ("r.jsonl", b'{"item": "\xe9"}\n', {}, [":1", "UTF-8"]),
    "cut off in a quote": ("r.csv", LONG + 'a,r,1\nb,"r', {}, [":3", "cut off"]),
    "cut off in a row": ("r.csv", LONG + "a,r,1\nb,r", {}, [":3", "2 fields", "3"]),
    "too many fields": ("r.csv", LONG + "a,r,1,x\nb,r,2\n", {}, [":2", "4 fields"]),
    "wrong separator": ("r.csv", "item;rater;value\na;r;1\n", {}, ["'item;rater;value'"]),
    "line after a quoted break": (
        "r.csv",
        LONG + 'a,"two\nlines",1\nb,r,x\n',
        {},
        [":4: column 'value'", "'x'"],
    ),
    "no item column": ("r.csv", "itme,rater,value\na,r,1\n", {}, ["'item'", "nearest: 'itme'", "`item`"]),
    "no value column": ("r.csv", "item,rater,points\na,r,1\n", {}, ["'value'", "'points'", "`value`"]),
    "no rater column": ("r.csv", "item,value\na,1\na,2\nb,2\n", {}, ["`rater`", "another id on each row"]),
    "column twice": ("r.csv", "item,rater,value,value\na,r,1,2\n", {}, ["2 columns", "'value'"]),
    "one item": ("r.csv", LONG + "a,r,1\na,s,2\n", {}, [":3", "'a'", "two"]),
    "not a number": ("r.csv", LONG + "a,r,1\nb,r,good\n", {}, [":3: column 'value'", "'good'"]),
    "digit groups": ("r.csv", LONG + "a,r,1\nb,r,1_000\n", {}, [":3", "'1_000'"]),
    "no value": ("r.csv", LONG + "a,r,\nb,r,1\n", {}, [":2", "no value", "leave the row out"]),
    "nan": ("r.csv", LONG + "a,r,1\nb,r,NaN\n", {}, [":3", "'NaN'", "finite"]),
    "infinite": ("r.tsv", "item\trater\tvalue\na\tr\t-inf\nb\tr\t1\n", {}, [":2", "'-inf'", "finite"]),
    "beyond floats": ("r.jsonl", '{"item": 1, "rater": 1, "value": 1e999}\n', {}, [":1", "inf"]),
    "empty item": ("r.csv", LONG + "a,r,1\n ,r,2\n", {}, [":3: column 'item'", "empty"]),
    "empty rater": ("r.csv", LONG + "a,,1\nb,r,2\n", {}, [":2: column 'rater'", "empty"]),
    "off the levels": (
        "r.csv",
        LONG + "a,r,1\nb,r,2.5\n",
        {"scale": Levels((1, 2, 3))},
        [":3: column 'value'", "2.5", "one of 1, 2, 3"],
    ),
    "off the interval": (
        "r.csv",
        "item,x,y\na,0,1\nb,,-1\n",
        {"scale": Interval(0, 1)},
        [":3: column 'y'", "-1", "from 0 to 1"],
    ),
    "duplicate": ("r.csv", LONG + "a,r,1\nb,r,1\na,r,2\n", {}, [":4", "'r'", "'a'", "keep one"]),
    "json array": ("r.jsonl", '{"item": "a", "rater": "r", "value": 1}\n[1, 2]\n', {}, [":2", "array"]),
    "json cut off": (
        "r.jsonl",
        '{"item": "a", "rater": "r", "value": 1}\n{"item"',
        {},
        [":2", "cut off"],
    ),
    "json without a value": (
        "r.jsonl",
        '{"item": "a", "rater": "r", "value": 1}\n{"item": "b", "rater": "r"}\n',
        {},
        [":2: column 'value'", "no value"],
    ),
    "json text value": ("r.jsonl", '{"item": "a", "rater": "r", "value": "hi"}\n', {}, [":1", "'hi'"]),
    "json list id": ("r.jsonl", '{"item": [1], "rater": "r", "value": 1}\n', {}, [":1", "[1]"]),
    "json half a character": (
        "r.jsonl",
        '{"item": "a", "rater": "r", "value": 1}\n{"item": "\\ud800", "rater": "r", "value": 1}\n',
        {},
        [":2", "'\\ud800'", "half a character"],
    ),
    "wide text": ("r.csv", "item,x,y\na,1,2\nb,yes,1\n", {}, [":3: column 'x'", "'yes'"]),
    "wide item twice": ("r.csv", "item,x,y\na,1,\na,,1\n", {}, [":3", "'a'", "on line 2"]),
    "wide item unrated": ("r.csv", "item,x,y\na,1,\nb,,\n", {}, [":3", "'b'", "no rating"]),
    "wide without raters": ("r.csv", "item\na\nb\n", {}, ["no ratings", "'item'"]),
    "wide rater without a name": ("r.csv", "item,x,\na,1,2\n", {}, ["column ''", "leave it out"]),
    "wide rater twice": ("r.csv", "item,x,x\na,1,2\n", {}, ["2 columns", "'x'"]),
    "long under other names": (
        "r.csv",
        "item,worker_id,judge,score\na,1,1,2\nb,1,1,3\n",
        {},
        ["'worker_id', 'judge'", "name the right one", "rater"],
    ),
    "not parquet": ("r.parquet", "PAR1", {}, ["not a readable Parquet"]),
    "not an array": ("r.npy", "1,2\n3,4\n", {}, ["not a readable NumPy array", "numpy.save"]),
    "not a zip": ("r.npz", "PK\x03\x04", {}, ["not a readable NumPy array"]),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_with_its_place_and_a_way_out(tmp_path, case):
    name, content, options, says = BAD[case]
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    message = refusal(path, **options)
    assert [part for part in says if part not in message] == []


BAD_ARRAYS = {
    "objects": (np.array([[1, None], [2, 3]]), ["not a readable NumPy array", "save an array of numbers"]),
    "text": (np.array([["a", "b"]]), ["row 0: column '0'", "found 'a', expected a finite number"]),
    "three dimensions": (np.zeros((2, 2, 2)), ["3 dimensions", "items × ratings"]),
    "none": (np.float64(1), ["0 dimensions"]),
    "empty": (np.zeros((0, 3)), ["empty"]),
    "one item": (np.zeros((1, 3)), ["row 0", "at least two"]),
    "infinite": (np.array([[1.0, 2.0], [np.inf, 1.0]]), ["row 1: column '0'", "inf"]),
    "unrated item": (np.array([[1.0], [np.nan]]), ["row 1", "no rating"]),
}


@pytest.mark.parametrize("case", BAD_ARRAYS)
def test_a_bad_array_is_refused(tmp_path, case):
    array, says = BAD_ARRAYS[case]
    np.save(tmp_path / "r.npy", array, allow_pickle=True)
    message = refusal(tmp_path / "r.npy")
    assert [part for part in says if part not in message] == []


def test_two_arrays_in_a_file_are_refused_by_name(tmp_path):
    np.savez(tmp_path / "r.npz", gold=np.zeros((2, 2)), system=np.ones((2, 2)))
    message = refusal(tmp_path / "r.npz")
    assert "gold, system" in message
    assert "exactly one" in message


def test_arrays_of_one_name_are_two(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "r.npz", "w") as archive:
        for name, value in (("a", 0.0), ("a.npy", 1.0)):
            with archive.open(name, "w") as member:
                np.save(member, np.full((2, 2), value))
    assert "found the arrays a, a, expected exactly one" in refusal(tmp_path / "r.npz")


@pytest.mark.parametrize("suffix", [".parquet", ".npy", ".npz"])
def test_every_truncation_of_a_binary_file_is_refused(tmp_path, suffix):
    path = tmp_path / f"r{suffix}"
    if suffix == ".parquet":
        pq.write_table(pa.table({"item": ["a", "b"], "rater": ["r", "r"], "value": [1.0, 2.0]}), path)
    else:
        (np.save if suffix == ".npy" else np.savez)(path, np.ones((2, 3)))
    whole = path.read_bytes()
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        refusal(path)


@pytest.mark.parametrize("name", ["gone.csv", "gone.parquet", "gone.npy"])
def test_a_missing_file_and_a_folder_are_refused(tmp_path, name):
    assert "no such file" in refusal(tmp_path / name)
    (tmp_path / name).mkdir()
    assert "cannot be read" in refusal(tmp_path / name)


def test_parquet_refusals_name_the_row(tmp_path):
    pq.write_table(
        pa.table({"item": ["a", "b"], "rater": ["r", None], "value": [1, 2]}), tmp_path / "r.parquet"
    )
    assert "row 1: column 'rater'" in refusal(tmp_path / "r.parquet")
    pq.write_table(
        pa.table({"item": ["a", "b"], "rater": ["r", "r"], "value": [1, None]}), tmp_path / "r.parquet"
    )
    assert "row 1: column 'value'" in refusal(tmp_path / "r.parquet")
