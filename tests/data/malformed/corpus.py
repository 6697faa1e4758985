# ruff: noqa: E501 - a table, one case per line
"""Malformed input in every format, each with the one-line error that it must give.

`CASES` is a list of `Case`: `build(folder)` writes the files and returns `Arguments`, whose `argv` is what follows
``nbyk compare`` and whose `read` is the same in Python; `expected` is a regular expression for the error.

    @pytest.mark.parametrize("case", CASES, ids=str)
    def test_it_is_refused(case, tmp_path): ...
"""

from __future__ import annotations

import datetime
import decimal
import gzip
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.data.lm_eval_log import DATES, older, sample, write_run
from tests.data.malformed.case import GOOD, LONG, array, arrays, built, file, files, good, logs, parquet

WIDE = "item,r1,r2\na,0.5,0.25\nb,1,\nc,0,\n"


def _cut(file_name: str) -> Callable[[Path], Path]:
    """Return what writes a good file and cuts it in half."""

    def make(folder: Path) -> Path:
        path = folder / file_name
        if path.suffix == ".parquet":
            pq.write_table(pa.table({"item": ["a", "b"], "rater": ["r", "r"], "value": [0.5, 1.0]}), path)
        elif path.suffix == ".gz":
            path.write_bytes(gzip.compress(GOOD.encode()))
        else:
            (np.save if path.suffix == ".npy" else np.savez)(path, np.ones((40, 3)))
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        return path

    return make


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


def _unreadable(folder: Path) -> Path:
    path = Path(good(folder, "secret.csv")[0])
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    return path


def _below_a_file(folder: Path) -> Path:
    return Path(good(folder, "plain.csv")[0]) / "bad.csv"


def _two_arrays(folder: Path) -> Path:
    path = folder / "bad.npy"
    with path.open("wb") as target:
        np.save(target, np.zeros((3, 1)))
        np.save(target, np.ones((3, 1)))
    return path


def _saved_by_pandas(folder: Path) -> Path:
    import pandas as pd

    frame = pd.DataFrame({"item": ["a", "b", "c"], "r1": [0.5, 1.0, 0.0]}, index=[0, 1, 3])
    frame.to_parquet(folder / "bad.parquet")
    return folder / "bad.parquet"


def _acc(folder: Path, scores: Sequence[object], **options: str) -> Path:
    return write_run(folder, [sample(place, {"acc": score}) for place, score in enumerate(scores)], **options)


def _in_turn(*steps: Callable[[Path], Path]) -> Callable[[Path], Path]:
    """Return what takes all the steps in one folder, and returns the last one's result."""
    return lambda folder: [step(folder) for step in steps][-1]


def _raw(content: str, file_name: str = f"samples_gsm8k_{DATES[0]}.jsonl") -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        folder.mkdir(parents=True)
        (folder / file_name).write_text(content)
        return folder

    return write


_FINITE = "expected a finite number; mend it"
_DAYS = [datetime.date(2025, 1, day) for day in (1, 2, 3)]
_IDS = {"item": ["a", "b", "c"], "rater": ["r", "r", "r"]}
_ROW = '{"item": "a", "rater": "r", "value": 1}\n'
_BEGINS = r".*is UTF-16, expected text in UTF-8; save it as UTF-8"

CSV = [
    file("an empty file", "bad.csv", "", "is empty; expected a header line"),
    file("an empty gold file", "bad.csv", "", "is empty; expected a header line", role="gold"),
    file("blank lines only", "bad.tsv", "\n\n\n", "is empty; expected a header line"),
    file("a header only", "bad.csv", LONG, "has no rows; expected at least one rating"),
    file("a byte-order mark only", "bad.csv", "\ufeff", "is empty; expected a header line"),
    file("one item", "bad.csv", LONG + "a,r,1\na,s,0\n", ":3: 'a' is the only item; give at least two"),
    file("a word for a number", "bad.csv", LONG + "a,r,1\nb,r,good\n", f":3: column 'value': found 'good', {_FINITE}"),
    file("a word in gold", "bad.csv", LONG + "a,r,1\nb,r,good\n", f":3.*found 'good', {_FINITE}", role="gold"),
    file("NaN", "bad.csv", LONG + "a,r,NaN\nb,r,1\n", f":2: column 'value': found 'NaN', {_FINITE}.*leave the row out"),
    file("infinity", "bad.tsv", "item\trater\tvalue\na\tr\t1\nb\tr\t-inf\n", f":3.*found '-inf', {_FINITE}"),
    file("a number beyond floats", "bad.csv", LONG + "a,r,1e999\nb,r,1\n", f":2.*found '1e999', {_FINITE}"),
    file("no value", "bad.csv", LONG + "a,r,1\nb,r,\n", ":3: column 'value': found no value.*leave the row out"),
    file("thousands with a comma", "bad.csv", LONG + 'a,r,"1,000"\nb,r,1\n', ":2.*found '1,000', expected a finite number with a decimal point and no comma; mend it"),
    file("thousands with an underscore", "bad.csv", LONG + "a,r,1_0\nb,r,1\n", f":2.*found '1_0', {_FINITE}"),
    file("a decimal comma", "bad.csv", LONG + 'a,r,1\nb,r,"0,5"\n', ":3.*found '0,5', expected a finite number with a decimal point and no comma; mend it"),
    file("a decimal comma without quotes", "bad.csv", LONG + "a,r,0,5\nb,r,1\n", ":2: found 4 fields, expected 3"),
    file("a per cent sign", "bad.csv", LONG + "a,r,50%\nb,r,1\n", f":2.*found '50%', {_FINITE}"),
    file("a date", "bad.csv", LONG + "a,r,2025-01-01\nb,r,1\n", f":2.*found '2025-01-01', {_FINITE}"),
    file("yes and no", "bad.csv", LONG + "a,r,Yes\nb,r,No\n", f":2.*found 'Yes', {_FINITE}"),
    file("a hexadecimal number", "bad.csv", LONG + "a,r,0x1\nb,r,1\n", f":2.*found '0x1', {_FINITE}"),
    file("a rating given twice", "bad.csv", LONG + "a,r,1\nb,r,1\na,r,0\n", ":4: rater 'r' has already rated item 'a'; .*keep one"),
    file("an item on two lines", "bad.csv", "item,value\na,1\nb,1\na,0\n", ":4: item 'a' is already on .*:2, and no column names raters; expected one rating per item"),
    file("ids that differ in a sign that nobody sees", "bad.csv", LONG + "a,r,1\na\u200b,r,0\nb,r,0\n", r":3: the item id 'a\\u200b' differs from 'a' in signs that nobody sees; give"),
    file("ids in two forms of an accent", "bad.csv", LONG + "\u00e4,r,1\na\u0308,r,0\nb,r,0\n", r":3: the item id 'a\\u0308' differs from '\\xe4' in signs that nobody sees; give"),
    file("columns that look alike", "bad.csv", "item,rater,value,Value \na,r,1,0\nb,r,1,0\n", "the columns 'value' and 'Value ' look alike; rename one"),
    file("a column twice", "bad.csv", "item,rater,value,value\na,r,1,0\n", "2 columns are named 'value'; rename all but one"),
    file("no column of items", "bad.csv", "itme,rater,value\na,r,1\n", "no column 'item'; found 'itme', .*nearest: 'itme'.*rename"),
    file("no column of values", "bad.csv", "item,rater,points\na,r,1\n", "no column 'value'; found .*'points'; rename"),
    file("no column of raters", "bad.csv", "item,value,x\na,1,\na,0,\nb,1,\n", "no column 'rater'; found 'item', 'value', 'x'; rename"),
    file("semicolons", "bad.csv", "item;rater;value\na;r;0,5\n", "'item;rater;value' is one field, and looks separated by ';'; expected ','"),
    file("tabs in a CSV file", "bad.csv", "item\trater\tvalue\na\tr\t1\n", r"looks separated by '\\t'; expected ','"),
    file("commas in a TSV file", "bad.tsv", GOOD, r"looks separated by ','; expected '\\t'"),
    file("a line too long", "bad.csv", LONG + "a,r,1,x\nb,r,1\n", ":2: found 4 fields, expected 3 as in the header; mend"),
    file("a line cut off", "bad.csv", LONG + "a,r,1\nb,r", ":3: found 2 fields, expected 3 .*cut off"),
    file("a quote left open", "bad.csv", LONG + 'a,"r,1\nb,r,1\n', ":2: cannot be split into fields .*mend the quotes"),
    file("text after a quote", "bad.csv", LONG + 'a,r,1\n"b"x,r,1\n', ":3: cannot be split into fields .*mend the quotes"),
    file("carriage returns alone", "bad.csv", GOOD.replace("\n", "\r"), ":1: cannot be split .*carriage return.*line ends"),
    file("bytes that are no UTF-8", "bad.csv", b"item,rater,value\na,r,1\nb\xff,r,1\n", ":3: byte 2 is not UTF-8; save the file as UTF-8"),
    file("UTF-16", "bad.csv", GOOD.encode("utf-16"), _BEGINS),
    file("UTF-16 without a mark", "bad.csv", GOOD.encode("utf-16-le"), ":1: byte 2 is NUL; save the file as UTF-8"),
    file("a NUL byte", "bad.csv", LONG + "a,r,1\nb\0,r,1\n", ":3: byte 2 is NUL; save the file as UTF-8"),
    file("gzip under another name", "bad.csv", gzip.compress(GOOD.encode()), "is compressed with gzip, expected text in UTF-8; decompress"),
    file("a workbook under another name", "bad.csv", b"PK\x03\x04\x14\0\x06\0\x08", "a zip file or a workbook, .*save the sheet as CSV"),
    file("an empty item id", "bad.csv", LONG + "a,r,1\n ,r,1\n", ":3: column 'item': the id is empty; give"),
    file("an empty rater id", "bad.csv", LONG + "a,,1\nb,r,1\n", ":2: column 'rater': the id is empty; give"),
    file("ids that differ in a space", "bad.csv", LONG + "a,r,1\na ,r,0\nb,r,0\n", ":3: the item id 'a ' differs from 'a' in spaces alone; give"),
    file("raters that differ in a space", "bad.csv", LONG + "a,r,1\na, r,0\nb,r,0\n", ":3: the rater id ' r' differs from 'r' in spaces alone; give"),
    file("a wide item twice", "bad.csv", "item,x,y\na,1,\na,,1\n", ":3: item 'a' is already on line 2; .*merge the rows"),
    file("a wide item without ratings", "bad.csv", "item,x,y\na,1,\nb,,\n", ":3: item 'b' has no rating; add one, or delete the row"),
    file("a wide table without raters", "bad.csv", "item\na\nb\n", "no ratings beside 'item'; expected columns rater and value"),
    file("a wide table without items", "bad.csv", "x,y\n1,0\n0,1\n", "no column 'item'; found 'x', 'y'; rename the item column"),
    file("a wide rater without a name", "bad.csv", "item,x,\na,1,1\n", "column '' is of no rater or run by its name; leave it out"),
    file("a wide rater twice", "bad.csv", "item,x,x\na,1,1\n", "2 columns are named 'x'; rename all but one"),
    file("a word in a wide table", "bad.csv", "item,x,y\na,1,1\nb,yes,1\n", f":3: column 'x': found 'yes', {_FINITE}.*leave it out"),
    file("a long table under other names", "bad.csv", "item,worker_id,points\na,1,1\nb,1,0\n", "no column 'value'"),
    file("two columns that can be the raters", "bad.csv", "item,worker,judge,score\na,1,1,1\nb,1,1,0\n", "'worker', 'judge' could all be the raters; name"),
    file("row numbers beside the raters", "bad.csv", "index,item,x\n0,a,1\n1,b,1\n", "column 'index' is of no rater or run by its name; leave it out"),
]  # fmt: skip
JSON = [
    file("an empty JSON file", "bad.jsonl", "\n", "has no rows; expected"),
    file("empty JSON objects", "bad.jsonl", "{}\n{}\n", "holds empty objects; expected one for each rating"),
    file("a JSON array", "bad.jsonl", f"[{_ROW.strip()}, {_ROW.strip()}]\n", ":1: found an array; expected one object per line"),
    file("a JSON array over lines", "bad.jsonl", f"[\n{_ROW.strip()}\n]\n", r":1: not JSON .*call the file \.json if it is one document"),
    file("a JSON number", "bad.jsonl", _ROW + "5\n", ":2: found a number; expected one object per line"),
    file("JSON cut off", "bad.jsonl", _ROW + '{"item": "b", "ra', ":2: not JSON .*cut off"),
    file("JSON in single quotes", "bad.jsonl", "{'item': 'a'}\n", ":1: not JSON .*mend the line"),
    file("a JSON key twice", "bad.jsonl", '{"item": "a", "item": "b", "rater": "r", "value": 1}\n', ":1: not JSON .*'item' comes twice"),
    file("a nested value", "bad.jsonl", _ROW + '{"item": "b", "rater": "r", "value": {"x": 1}}\n', f":2.*found {{'x': 1}}, {_FINITE}"),
    file("a list of values", "bad.jsonl", '{"item": "a", "rater": "r", "value": [1, 0]}\n', rf":1.*found \[1, 0\], {_FINITE}"),
    file("a JSON null", "bad.jsonl", _ROW + '{"item": "b", "rater": "r", "value": null}\n', ":2: column 'value': found no value"),
    file("a JSON key missing", "bad.jsonl", _ROW + '{"item": "b", "rater": "r"}\n', ":2: column 'value': found no value"),
    file("JSON's NaN", "bad.jsonl", _ROW + '{"item": "b", "rater": "r", "value": NaN}\n', f":2.*found nan, {_FINITE}"),
    file("a JSON number beyond floats", "bad.jsonl", _ROW + '{"item": "b", "rater": "r", "value": 1e999}\n', f":2.*found inf, {_FINITE}"),
    file("a huge JSON integer", "bad.jsonl", _ROW + f'{{"item": "b", "rater": "r", "value": 1{"0" * 400}}}\n', f":2.*found 1000.*…, {_FINITE}"),
    file("an integer of 5000 digits", "bad.jsonl", _ROW + f'{{"item": "b", "rater": "r", "value": 1{"0" * 5000}}}\n', ":2: not JSON"),
    file("a list for an id", "bad.jsonl", '{"item": [1], "rater": "r", "value": 1}\n', r":1: column 'item': found \[1\], expected an id; use text"),
    file("true for an id", "bad.jsonl", '{"item": true, "rater": "r", "value": 1}\n', ":1: column 'item': found True, expected an id; use text"),
    file("half a character", "bad.jsonl", _ROW + '{"item": "\\ud800", "rater": "r", "value": 1}\n', ":2: the item id .*half a character"),
]  # fmt: skip
PARQUET = [
    file("text called Parquet", "bad.parquet", GOOD, "not a readable Parquet file .*give the file the suffix of its format"),
    built("Parquet cut off", _cut("bad.parquet"), "bad.parquet: not a readable Parquet file .*cut off"),
    parquet("Parquet without rows", {"item": pa.array([], pa.string()), "rater": pa.array([], pa.string()), "value": pa.array([], pa.float64())}, "has no rows"),
    parquet("a null in Parquet", {**_IDS, "value": [1.0, None, 0.0]}, "row 1: column 'value': found no value"),
    parquet("NaN in Parquet", {**_IDS, "value": [1.0, 0.0, float("nan")]}, f"row 2: column 'value': found nan, {_FINITE}"),
    parquet("dates", {**_IDS, "value": _DAYS}, rf"row 0: column 'value': found datetime.date\(.*, {_FINITE}"),
    parquet("text in Parquet", {**_IDS, "value": pa.array(["hi", "1", "0"]).dictionary_encode()}, f"row 0: column 'value': found 'hi', {_FINITE}"),
    parquet("lists in Parquet", {**_IDS, "value": [[1.0], [0.0], [1.0]]}, rf"row 0: column 'value': found \[1.0\], {_FINITE}"),
    parquet("structs in Parquet", {**_IDS, "value": [{"x": 1}] * 3}, f"row 0: column 'value': found {{'x': 1}}, {_FINITE}"),
    parquet("bytes in Parquet", {**_IDS, "value": [b"1", b"0", b"1"]}, f"row 0: column 'value': found b'1', {_FINITE}"),
    parquet("decimals off the scale", {**_IDS, "value": pa.array([decimal.Decimal("1.5")] * 3)}, "(item 'a' is rated|row 0.*found) 1.5, .*expected"),
    parquet("an id that is no text", {"item": [1.5, 2.5, 3.5], "rater": ["r"] * 3, "value": [1.0] * 3}, "row 0: column 'item': found 1.5, expected an id; use text"),
    parquet("lists for ids", {"item": [["a"], ["b"], ["c"]], "rater": ["r"] * 3, "value": [1.0] * 3}, r"row 0: column 'item': found \['a'\], expected an id"),
    parquet("large floats for ids", {"item": [2.0**53, 1.0, 2.0], "rater": ["r"] * 3, "value": [1.0] * 3}, r"row 0: column 'item': found 9007199254740992.0, a number of so many digits"),
    parquet("a missing rater", {"item": ["a", "b"], "rater": ["r", None], "value": [1, 0]}, "row 1: column 'rater': the id is empty; give", role="gold"),
    built("pandas' row numbers", _saved_by_pandas, "bad.parquet: column '__index_level_0__' is of no rater or run by its name"),
]  # fmt: skip
ARRAYS = [
    array("Python objects", np.array([[1, None], [0, 1]], dtype=object), "not a readable NumPy array .*save an array of numbers"),
    array("strings", [["a", "b"], ["c", "d"]], "row 0: column '0': found 'a', expected a finite number"),
    array("complex numbers", [[1j, 0], [1, 0]], "found an array of complex128, expected numbers"),
    array("times", np.array(["2025-01-01", "2025-01-02"], dtype="datetime64[D]"), "found an array of datetime64.*expected numbers"),
    array("a record array", np.zeros(3, dtype=[("item", "i8"), ("value", "f8")]), "found an array of .*expected numbers"),
    array("three dimensions", np.zeros((3, 2, 2)), "3 dimensions, expected two, items × ratings; reshape it"),
    array("no dimension", np.float64(1), "0 dimensions, expected two"),
    array("an array without items", np.zeros((0, 3)), "the array is empty; expected items × ratings"),
    array("an array of one item", np.zeros((1, 3)), "row 0: '0' is the only item; give at least two"),
    array("infinity in an array", [[1.0, 0.0], [np.inf, 1.0], [0.0, 1.0]], f"row 1: column '0': found inf, {_FINITE}"),
    array("an item of NaN", [[1.0], [np.nan], [0.0]], "row 1: item '1' has no rating; add one"),
    arrays("Python objects in npz", "not a readable NumPy array .*save an array of numbers", ratings=np.array([1, None], dtype=object)),
    arrays("strings in npz", "row 0: found 'a', expected a finite number", ratings=["a", "b", "c"]),
    arrays("unknown keys in npz", "found the arrays gold, system, expected exactly one; save one alone", gold=np.zeros((3, 1)), system=np.ones((3, 1))),
    arrays("an npz of nothing", r"found the arrays \(none\), expected exactly one"),
    file("text called npy", "bad.npy", GOOD, "not a readable NumPy array .*save it with numpy.save"),
    built("npy cut off", _cut("bad.npy"), "bad.npy: not a readable NumPy array .*cut off"),
    built("npz cut off", _cut("bad.npz"), "bad.npz: not a readable NumPy array .*cut off"),
    built("two arrays in one npy", _two_arrays, "bad.npy: not a readable NumPy array .*more follows the array"),
]  # fmt: skip
PATHS = [
    built("a file that is not there", lambda folder: folder / "gone.csv", "gone.csv: no such file; check the path"),
    built("gold that is not there", lambda folder: folder / "gone.parquet", "gone.parquet: no such file", role="gold"),
    built("a folder without samples", lambda folder: _folder(folder / "bad.csv"), "bad.csv: is a folder without files, expected one of each run", in_one_file=False),
    built("a folder for gold", lambda folder: _folder(folder / "bad.csv"), "bad.csv: is a folder or a log of lm_eval, expected a file of gold", role="gold", in_one_file=False),
    built("a file that may not be read", _unreadable, "secret.csv: cannot be read .*check that it is a file that you may read"),
    built("a path below a file", _below_a_file, "bad.csv: cannot be read .*check that it is a file"),
    file("an unknown suffix", "bad.xls", "x", "unknown suffix '.xls'; expected one of .csv, .* or convert it"),
    file("no suffix", "bad", GOOD, "unknown suffix ''; expected one of .csv"),
    built("gzip cut off", _cut("bad.csv.gz"), "bad.csv.gz: unknown suffix '.gz'; expected one of .csv"),
]  # fmt: skip
SCALES = [
    files("ratings on another scale", {"gold.csv": LONG + "a,r,5\nb,r,1\nc,r,2\n", "a.csv": GOOD, "b.csv": GOOD}, r"gold.csv: item 'a' is rated 5, and all ratings run from 0 to 5; expected 0 to 1 .*`scale=.0..5.` if .*"),
    files("whole numbers of another scale", {"a.csv": LONG + "a,r,5\nb,r,1\n", "b.csv": LONG + "a,r,2\nb,r,4\n"}, r"a.csv: item 'a' is rated 5, .*from 1 to 5; .*`scale=.1..5.` .*`scale=.1,2,3,4,5.` if these are all"),
    files("ratings from 0 to 100", {"a.csv": LONG + "a,r,0\nb,r,100\n", "b.csv": LONG + "a,r,0\nb,r,1\n"}, r"a.csv: item 'b' is rated 100, .*from 0 to 100; .*`scale=.0..100.` if those are its ends$"),
    files("a negative rating", {"a.csv": LONG + "a,r,-0.5\nb,r,1\n", "b.csv": LONG + "a,r,0\nb,r,1\n"}, "a.csv: item 'a' is rated -0.5, .*from -0.5 to 1; expected 0 to 1"),
    file("a rating off the declared scale", "bad.csv", LONG + "a,r,1\nb,r,6\n", ":3: column 'value': found 6, expected a number from 0 to 5; mend", options="--scale 0..5"),
    file("a rating between levels", "bad.csv", LONG + "a,r,1\nb,r,0.6\n", ":3: column 'value': found 0.6, expected one of 0, 0.25, 0.5, 1; mend", options="--scale 0,0.25,0.5,1"),
    files("a scale upside down", {"a.csv": GOOD, "b.csv": GOOD}, "scale: runs from 5 to 1; the low end must be below", options="--scale 5..1"),
    files("a scale of one end", {"a.csv": GOOD, "b.csv": GOOD}, "found '5..', expected levels as in 1,2,3,4,5, two ends as in 0..100, or binary", options="--scale 5.."),
    files("a scale in words", {"a.csv": GOOD, "b.csv": GOOD}, "found 'low..high', expected levels as in 1,2,3,4,5, two ends", options="--scale low..high"),
    files("one level", {"a.csv": GOOD, "b.csv": GOOD}, "scale: found 1, expected two ends", options="--scale 1"),
    files("two kinds of scale", {"a.csv": GOOD, "b.csv": GOOD}, "found '0..1,2', expected levels as in 1,2,3,4,5, two ends", options="--scale 0..1,2"),
]  # fmt: skip
ITEMS = [
    files("an item missing from a system", {"gold.csv": GOOD, "a.csv": GOOD, "b.csv": LONG + "a,r,1\nb,r,0\n"}, r"b.csv: lacks 1 of \S*gold.csv's items \(c\); .*`on_missing=.drop.`"),
    files("an item missing from gold", {"gold.csv": LONG + "a,r,1\nb,r,0\n", "a.csv": GOOD, "b.csv": GOOD}, r"a.csv: has 1 that \S*gold.csv lacks \(c\); \S*b.csv has 1 .*`on_missing=.drop.`"),
    files("an item missing without gold", {"a.csv": GOOD, "b.csv": LONG + "a,r,1\nb,r,0\n"}, r"b.csv: lacks 1 of \S*a.csv's items \(c\)"),
    files("other items", {"a.csv": GOOD, "b.csv": LONG + "x,r,1\ny,r,0\n"}, r"b.csv: lacks 3 .*\(a, b, c\) and has 2 .*\(x, y\)"),
    files("nothing left after dropping", {"a.csv": GOOD, "b.csv": LONG + "a,r,1\ny,r,0\n"}, r"has 1 item\(s\) in common with \S*b.csv, expected at least two; check", options="--on-missing drop"),
    files("an unknown way with missing items", {"a.csv": GOOD, "b.csv": GOOD}, "on.missing.*'ignore'.*drop", options="--on-missing ignore"),
    files("1 and 1.0", {"a.csv": "item,x\n1,0\n2,1\n", "b.csv": "item,x\n1.0,0\n2.0,1\n"}, r"b.csv: lacks 2 .*\(is '1.0' the same as '1'\? then write them alike\)"),
    files("ids in another case", {"a.csv": GOOD, "b.csv": WIDE.replace("\na", "\nA")}, r"\(is 'A' the same as 'a'\? then write them alike\)"),
    files("ids with a space in one file", {"a.csv": GOOD, "b.csv": WIDE.replace("\na", "\n a")}, r"\(is ' a' the same as 'a'\?"),
    files("accents in two forms", {"a.csv": GOOD.replace("a,", "\u00e4,"), "b.csv": WIDE.replace("\na", "\na\u0308")}, r"\(is 'a\\u0308' the same as '\\xe4'\?"),
    files("arrays of other lengths", {"gold.npy": np.zeros((3, 2)), "a.npy": np.zeros((3, 1)), "b.npy": np.zeros((2, 1))}, "b.npy: lacks 1 .*the rows of an array have no names"),
    files("dropping rows of arrays", {"a.npy": np.zeros((3, 1)), "b.npy": np.zeros((2, 1))}, "b.npy: lacks 1 .*give all files the same rows in the same order", options="--on-missing drop"),
    files("an array and a table of other ids", {"a.npy": np.zeros((3, 1)), "b.csv": GOOD}, "b.csv: lacks 3 .*write the array as a table with a column item"),
]  # fmt: skip
NAMES = [
    files("no system", {"gold.csv": GOOD}, r"found no system, expected at least two to compare"),
    files("two systems of a name", {"x/a.csv": GOOD, "y/a.csv": GOOD}, r"two systems are named 'a' \(.*\); give one another name, as in a2="),
    files("a name given twice", {"a.csv": GOOD, "b.csv": GOOD}, "two systems are named 'm'", systems=["m={folder}/a.csv", "m={folder}/b.csv"]),
    files("an empty name", {"a.csv": GOOD, "b.csv": GOOD}, "system '=.*b.csv': expected a path, or name=path", systems=["{folder}/a.csv", "={folder}/b.csv"]),
    files("a name without a path", {"a.csv": GOOD, "b.csv": GOOD}, "system 'm=': expected a path, or name=path", systems=["{folder}/a.csv", "m="]),
]  # fmt: skip
LOGS = [
    logs("no samples", _raw("{}", "results_x.json"), "results_x.json: has no rows; expected at least one rating or score"),
    logs("an empty log", _raw(""), rf"samples_gsm8k_{DATES[0]}.jsonl: is empty; expected one sample per line"),
    logs("a log cut off", _raw('{"doc_id": 0, "ac'), r"samples_\S*:1: not JSON .*cut off"),
    logs("a log without documents", _raw('{"acc": 1}\n'), r"samples_\S*:1: no 'doc_id'; expected a sample"),
    logs("a log without scores", _in_turn(lambda folder: write_run(folder, [sample(0, {}), sample(1, {})])), r"samples_\S*:1: found no score, expected a number"),
    logs("scores that are pairs", lambda folder: write_run(folder, [sample(i, {"f1": [0, 1]}) for i in range(3)]), r"samples_\S*:1: 'f1' is the list \[0, 1\], expected a number"),
    logs("a score that is no number", lambda folder: _acc(folder, [1.0, "good", 0.0]), rf"samples_\S*:2: column 'acc': found 'good', {_FINITE}"),
    logs("a score that is missing", lambda folder: _acc(folder, [1.0, None, 0.0]), r"samples_\S*:2: column 'acc': found no value"),
    logs("a score of NaN", lambda folder: _acc(folder, [1.0, float("nan"), 0.0]), rf":2: column 'acc': found nan, {_FINITE}"),
    logs("answers without scores", lambda folder: write_run(folder, [sample(i, {"bypass": 999}) for i in range(3)]), "holds no score; evaluate again without --predict_only"),
    logs("several metrics", lambda folder: write_run(folder, [sample(i, {"acc": 1.0, "acc_norm": 0.0}) for i in range(3)]), r"bad\S*: found the scores 'acc', 'acc_norm', expected one; choose it with `value=.acc.`"),
    logs("an unknown metric", lambda folder: _acc(folder, [1.0, 0.0, 1.0]), r"no column 'exact_match'; .*the scores are 'acc'; ", options="--value exact_match"),
    logs("several tasks", _in_turn(lambda folder: _acc(folder, [1.0, 0.0, 1.0]), lambda folder: _acc(folder, [1.0, 0.0, 1.0], task="mmlu_law")), r"bad\S*: found the tasks 'gsm8k', 'mmlu_law', expected one; choose one with `SampleChoice.task`"),
    logs("an unknown task", lambda folder: _acc(folder, [1.0, 0.0, 1.0]), "found the tasks 'gsm8k', expected arc; choose one with `SampleChoice.task`", options="--task arc"),
    logs("several filters", lambda folder: write_run(folder, [sample(i, {"acc": 1.0}, filter_key=key) for key in ("strict", "flexible") for i in range(3)]), "found the filters 'flexible', 'strict', expected one; choose one with `SampleChoice.filter`"),
    logs("an unknown filter", lambda folder: _acc(folder, [1.0, 0.0, 1.0]), "found the filters 'none', expected strict; choose one with `SampleChoice.filter`", options="--filter strict"),
    logs("several models", lambda folder: _in_turn(lambda at: _acc(at, [1.0, 0.0, 1.0], model="x"), lambda at: _acc(at, [1.0, 0.0, 1.0], model="y", date=DATES[1]))(folder).parent, r"bad: holds samples of 2 models \(x, y\); expected the runs of one"),
    logs("a document twice in a run", lambda folder: write_run(folder, [sample(i, {"acc": 1.0}) for i in (0, 1, 2, 1)]), ":4: rater 'run 2025-\\S+' has already rated item '1'; expected one rating"),
    logs("two filters without their names", lambda folder: write_run(folder, older([sample(i, {"acc": 1.0}) for i in (0, 1, 0, 1)])), ":3: rater 'run 2025-\\S+' has already rated item '0' \\(2 such"),
    logs("one document", lambda folder: _acc(folder, [1.0]), ":1: '0' is the only item; give at least two"),
    logs("other documents in a second run", _in_turn(lambda folder: _acc(folder, [1.0, 0.0, 1.0]), lambda folder: write_run(folder, [sample(i, {"acc": 1.0}, doc="another") for i in range(3)], date=DATES[1])), r":1: item '0' has doc_hash \w+, elsewhere \w+; expected one document, or input, under one id"),
    logs("other documents than another model's", lambda folder: write_run(folder, [sample(i, {"acc": 1.0}, doc="another") for i in range(3)]), r"bad\S*: item '0' has doc_hash \w+, elsewhere \w+; expected"),
    logs("fewer documents than another model", lambda folder: _acc(folder, [1.0, 0.0]), r"bad\S*: lacks 1 of \S*good\S*'s items \(2\); .*`on_missing=.drop.`"),
    logs("results that are cut off", lambda folder: _in_turn(lambda at: _acc(at, [1.0, 0.0, 1.0]), lambda at: (at / "org__model" / f"results_{DATES[0]}.json").write_text("{") and at / "org__model")(folder), r"results_\S*: not a JSON file .*write it again"),
    logs("ratings called samples", _raw(_ROW), r"samples_\S*:1: no 'doc_id'; expected a sample"),
]  # fmt: skip
CASES = [*CSV, *JSON, *PARQUET, *ARRAYS, *PATHS, *SCALES, *ITEMS, *NAMES, *LOGS]
