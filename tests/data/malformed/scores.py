# ruff: noqa: E501 - a table, one case per line
"""Malformed files of scores, each with the one-line error that `nbyk compare` must give."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

GOOD = "0.5\n0.75\n0.25\n1\n0\n"
GOOD_ITEMS = "item,score\na,0.5\nb,0.25\nc,1\nd,0\ne,0.75\n"


@dataclass(frozen=True)
class Case:
    """One malformed input: `build` writes files and returns what follows ``nbyk compare``; the error matches `expected`."""

    name: str
    build: Callable[[Path], list[str]]
    expected: str

    def __str__(self) -> str:
        return self.name


def bad(
    name: str,
    file_name: str,
    content: str | bytes,
    expected: str,
    *,
    options: str = "",
    good: str = "good.txt",
    place: str = "",
) -> Case:
    """Return a case of one malformed file beside a good one; the error begins with its path and `place`."""

    def build(folder: Path) -> list[str]:
        (folder / "good.txt").write_text(GOOD)
        (folder / "good.csv").write_text(GOOD_ITEMS)
        (folder / file_name).write_bytes(content.encode() if isinstance(content, str) else content)
        return [str(folder / good), str(folder / file_name), *options.split()]

    return Case(name, build, rf"{file_name}{place}[:,].*{expected}")


def array(name: str, values: object, expected: str) -> Case:
    def build(folder: Path) -> list[str]:
        (folder / "good.txt").write_text(GOOD)
        np.save(folder / "bad.npy", np.asarray(values), allow_pickle=True)
        return [str(folder / "good.txt"), str(folder / "bad.npy")]

    return Case(name, build, rf"bad\.npy[:,].*{expected}")


def parquet(name: str, columns: dict[str, object], expected: str, *, options: str = "") -> Case:
    def build(folder: Path) -> list[str]:
        (folder / "good.txt").write_text(GOOD)
        pd.DataFrame(columns).to_parquet(folder / "bad.parquet", index=False)
        return [str(folder / "good.txt"), str(folder / "bad.parquet"), *options.split()]

    return Case(name, build, rf"bad\.parquet[:,].*{expected}")


def together(name: str, contents: dict[str, str], expected: str, *, options: str = "") -> Case:
    """Return a case of files that do not go together."""

    def build(folder: Path) -> list[str]:
        for file_name, content in contents.items():
            (folder / file_name).write_text(content)
        return [*(str(folder / file_name) for file_name in contents), *options.split()]

    return Case(name, build, expected)


_NUMBER = "expected a finite number; mend it, or leave it out"

CASES = [
    # text
    bad("an empty text file", "bad.txt", "", "has no rows; expected at least one rating or score"),
    bad("blank lines alone", "bad.txt", "\n\n \n", "has no rows"),
    bad("a word", "bad.txt", "0.5\ngood\n0.7\n", f"found 'good', {_NUMBER}", place=":2"),
    bad("NaN", "bad.txt", "0.5\n0.7\nnan\n", "has no rating", place=":3"),
    bad("infinity", "bad.txt", "inf\n0.7\n", f"found 'inf', {_NUMBER}", place=":1"),
    bad("a blank line between", "bad.txt", "0.5\n\n0.7\n", "has no rating", place=":2"),
    bad("two numbers on a line", "bad.txt", "0.5 0.7\n0.6 0.8\n", "found '0.5 0.7'", place=":1"),
    bad("a decimal comma", "bad.txt", "0,5\n0,7\n", "found '0,5'", place=":1"),
    bad("a percent sign", "bad.txt", "71%\n74%\n", "found '71%'", place=":1"),
    bad("an underscore", "bad.txt", "1_000\n2\n", "found '1_000'", place=":1"),
    bad("a header in a text file", "bad.txt", "accuracy\n0.7\n0.8\n", "found 'accuracy'", place=":1"),
    bad("not UTF-8", "bad.txt", b"0.5\n\xff0.7\n", "byte 1 is not UTF-8", place=":2"),
    bad("UTF-16", "bad.txt", "0.5\n0.7\n".encode("utf-16"), "is UTF-16, expected text in UTF-8"),
    bad("an unknown suffix", "bad.xls", "0.5\n0.7\n", r"unknown suffix '.xls'; expected one of .csv"),
    # CSV and TSV
    bad("an empty table", "bad.csv", "", "is empty; expected a header line"),
    bad("a header alone", "bad.csv", "item,score\n", "has no rows"),
    bad(
        "text for a score",
        "bad.csv",
        "item,score\na,0.5\nb,n/a\n",
        f"found 'n/a', {_NUMBER}",
        place=":3: column 'score'",
    ),
    bad(
        "an empty cell",
        "bad.csv",
        "item,score\na,0.5\nb,\n",
        "no value|no rating",
        place=":3: column 'score'",
    ),
    bad(
        "NaN as the first score without a header",
        "bad.csv",
        "nan\n0.5\n0.6\n",
        "has no rating",
        place=":1",
    ),
    bad(
        "numbers for a header",
        "bad.csv",
        "0.5,0.7\n0.6,0.8\n",
        r"first line holds numbers alone \(0.5, 0.7\).*add a header",
    ),
    bad(
        "unclear columns",
        "bad.csv",
        "seed,accuracy,f1\n1,0.7,0.6\n",
        "found columns 'seed', 'accuracy', 'f1', expected one of scores; name it, as in --value f1",
    ),
    bad("no column of scores", "bad.csv", "item\na\nb\n", "found no column beside 'item'"),
    together(
        "no such column",
        {"a.csv": GOOD_ITEMS.replace("score", "accuracy"), "b.csv": GOOD_ITEMS},
        r"a\.csv: no column 'acuracy'; found 'item', 'accuracy' \(nearest: 'accuracy'\).*--value",
        options="--value acuracy",
    ),
    together(
        "no such ids",
        {"a.csv": "id,score\na,0.5\n", "b.csv": GOOD_ITEMS},
        r"a\.csv: no column 'nope'; .*name it with --item",
        options="--item nope",
    ),
    bad(
        "a short line",
        "bad.csv",
        "item,score\na,0.5\nb\n",
        "found 1 fields, expected 2 as in the header",
        place=":3",
    ),
    bad("semicolons", "bad.csv", "item;score\na;0.5\n", "looks separated by ';'; expected ','"),
    bad(
        "an id twice",
        "bad.csv",
        "item,score\na,0.5\nb,0.6\na,0.7\n",
        "item 'a' is already on .*:2, .*on.duplicates",
        place=":4",
    ),
    bad(
        "an empty id",
        "bad.csv",
        "item,score\n,0.5\nb,0.6\n",
        "the id is empty",
        place=":2: column 'item'",
    ),
    bad(
        "two columns of a name",
        "bad.tsv",
        "score\tscore\n1\t2\n",
        "2 columns are named 'score'",
        options="--value score",
        good="good.csv",
    ),
    # JSON
    bad("no JSON", "bad.json", "[0.5, 0.7", "not JSON", place=":1"),
    bad("an empty list", "bad.json", "[]", "has no rows"),
    bad("a number", "bad.json", "0.5", "is JSON, but not of a tool .* expected a list of scores"),
    bad("a string in a list", "bad.json", '[0.5, "0.7x"]', "found '0.7x'", place=", entry 1"),
    bad("null in a list", "bad.json", "[0.5, null]", "no value|no rating", place=", entry 1"),
    bad("NaN in JSON", "bad.json", "[0.5, NaN]", "has no rating", place=", entry 1"),
    bad("a list in a list", "bad.json", "[[0.5, 0.7]]", r"found \[0.5, 0.7\]", place=", entry 0"),
    bad("empty objects", "bad.json", "[{}, {}]", "holds empty objects; expected one for each rating"),
    bad(
        "two tables",
        "bad.json",
        json.dumps({name: [{"id": "q1", "score": 1}] for name in ("a", "b")}),
        "holds 2 tables, 'a', 'b'; expected one: write each to a file of its own",
    ),
    bad(
        "lists of unequal length",
        "bad.json",
        json.dumps({"item": ["a", "b"], "score": [1]}),
        "found 2 of 'item', 1 of 'score'; expected as many",
    ),
    bad("a key twice", "bad.json", '{"a": 1, "a": 2}', "the key 'a' comes twice"),
    bad(
        "a text for an id's score",
        "bad.json",
        '{"a": 0.5, "b": "bad"}',
        "found 'bad'",
        place=", entry 1: column 'score'",
    ),
    bad("a broken line of JSON", "bad.jsonl", '{"score": 1}\n{"score": \n', "not JSON", place=":2"),
    bad(
        "a missing key",
        "bad.jsonl",
        '{"item": "a", "score": 1}\n{"item": "b"}\n',
        "no value|no rating",
        place=":2: column 'score'",
    ),
    # arrays and Parquet
    array("an empty array", [], "the array is empty"),
    array("a matrix", [[0.5, 0.7], [0.6, 0.8]], "found 2 columns without names, expected one"),
    array("NaN in an array", [0.5, np.nan], "row 1: .*has no rating"),
    array("an array of text", ["0.5", "0.7"], "found an array of <U3, expected numbers"),
    array("a pickle", np.array([0.5, None], dtype=object), "not a readable NumPy array"),
    bad("no array", "bad.npy", GOOD, "not a readable NumPy array"),
    parquet("NaN in Parquet", {"score": [0.5, float("nan")]}, "row 1: .*no (value|rating)"),
    parquet("text in Parquet", {"score": ["high", "low"]}, "row 0: found 'high'"),
    bad("a cut Parquet file", "bad.parquet", b"PAR1abc", "not a readable Parquet file"),
    # files that do not go together, and too few scores
    together(
        "lengths that differ by order",
        {"a.txt": GOOD, "b.txt": "1\n2\n"},
        r"b\.txt: lacks 3 of .*a\.txt's items .*no names by which to match them",
        options="--pair-runs yes",
    ),
    together(
        "lengths that differ for a paired test",
        {"a.txt": GOOD, "b.txt": "1\n2\n"},
        r"b\.txt: lacks 3 of .*no names by which to match them",
        options="--test wilcoxon",
    ),
    together(
        "ids in one file alone",
        {"a.csv": GOOD_ITEMS, "b.txt": GOOD},
        r"b\.txt: lacks 5 of .*a\.csv's items .*no names by which to match them",
        options="--pair-runs yes",
    ),
    together(
        "items missing",
        {"a.csv": GOOD_ITEMS, "b.csv": "item,score\na,1\nb,0\nx,1\n"},
        r"b\.csv: lacks 3 of .*a\.csv's items \(c, d, e\) and has 1 that .* lacks \(x\).*--on-missing drop.*--pair-runs no",
    ),
    together(
        "no item in common",
        {"a.csv": GOOD_ITEMS, "b.csv": "item,score\nA,1\nB,0\n"},
        r"a\.csv: has 0 item\(s\) in common with .*b\.csv \(is 'A' the same as 'a'\?.*check.*--pair-runs no",
        options="--on-missing drop",
    ),
    together(
        "one score for aso",
        {"a.txt": GOOD, "b.txt": "0.7\n"},
        r"b\.txt: found 1 score, expected at least 2 for aso",
        options="--test aso",
    ),
    together(
        "one score for Welch's t",
        {"a.txt": "0.7\n", "b.txt": GOOD},
        r"a\.txt: found 1 score, expected at least 2 for welch_t",
        options="--test welch_t",
    ),
    together(
        "one score for the bootstrap",
        {"a.csv": "0.7\n", "b.txt": GOOD},
        r"a\.csv: found 1 score, expected at least 2 for bootstrap",
        options="--test bootstrap",
    ),
    together(
        "one file",
        {"a.txt": GOOD},
        "found one system, a, expected at least two to compare; give another file",
    ),
    together(
        "equal scores for Welch's t",
        {"a.txt": "1\n1\n", "b.txt": "1\n1\n"},
        "a and b: welch_t: neither sample varies",
        options="--test welch_t",
    ),
    together(
        "equal pairs for Wilcoxon",
        {"a.txt": GOOD, "b.txt": GOOD},
        "a and b: wilcoxon:",
        options="--test wilcoxon",
    ),
    together(
        "an unknown test",
        {"a.txt": GOOD, "b.txt": GOOD},
        "unknown test 'welch'; did you mean welch_t",
        options="--test welch",
    ),
    together(
        "an unknown correction",
        {"a.txt": GOOD, "b.txt": GOOD},
        "unknown correction 'holms'; did you mean holm",
        options="--correction holms",
    ),
    together(
        "Holm's correction of bounds",
        {"a.txt": GOOD, "b.txt": GOOD},
        "--correction: found 'holm' for aso",
        options="--test aso --correction holm",
    ),
    together(
        "an unknown baseline", {"a.txt": GOOD, "b.txt": GOOD}, "unknown system 'c'", options="--against c"
    ),
    together(
        "a side of all pairs",
        {"a.txt": GOOD, "b.txt": GOOD, "c.txt": GOOD},
        "--alternative: found 'greater' for all pairs",
        options="--alternative greater",
    ),
    together(
        "a level out of range",
        {"a.txt": GOOD, "b.txt": GOOD},
        "--alpha: found 5.0, expected a level between 0 and 1",
        options="--alpha 5",
    ),
    together(
        "power of a paired test",
        {"a.txt": GOOD, "b.txt": GOOD},
        "--lift: found approximate_randomisation, a test of pairs",
        options="--pair-runs yes --lift 1.25",
    ),
    together(
        "a paired test of unpaired scores",
        {"a.txt": GOOD, "b.txt": GOOD},
        "--test wilcoxon needs paired scores",
        options="--test wilcoxon --pair-runs no",
    ),
    Case(
        "a missing file",
        lambda folder: [str(folder / "none.txt"), str(folder / "other.csv")],
        r"none\.txt: no such file",
    ),
]
