"""ConvAbuse: the embedded file, and upstream's splits."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from nbyk.data import Ratings, load_source
from nbyk.errors import NbykError

ROOT = Path(__file__).resolve().parents[3]
SPLITS = ("train", "valid", "test")
SCORES = (1, 0, -1, -2, -3)


def convabuse_split(path: Path, rows: list[tuple[str, dict[int, tuple[str, ...]]]]) -> None:
    """Write a file in the upstream layout; each row gives some annotators' five cells."""
    columns = [f"Annotator{j}_is_abuse.{score}" for j in range(1, 9) for score in SCORES]
    # Upstream repeats a header name among the columns that are not read.
    lines = [",".join(["example_id", "user", *columns, "Annotator6_transphobic", "Annotator6_transphobic"])]
    for example, rated in rows:
        cells = [f'"{cell}"' for j in range(1, 9) for cell in rated.get(j, ("",) * 5)]
        lines.append(",".join([example, '"hi, you"', *cells, "", ""]))
    path.write_text("\r\n".join(lines) + "\r\n", encoding="utf-8")


def read_splits(paths: list[Path]) -> Ratings:
    made: Ratings = runpy.run_path(str(ROOT / "scripts" / "embed_convabuse.py"))["read_splits"](paths)
    return made


def one_hot(*scores: int) -> tuple[str, ...]:
    return tuple(", ".join(str(int(score == column)) for score in scores) for column in SCORES)


def test_embedded_convabuse_has_the_published_totals():
    ratings = load_source("convabuse")
    assert (ratings.n_items, ratings.n_ratings, len(ratings.raters)) == (4185, 12411, 8)
    counts, items = np.unique(ratings.counts(), return_counts=True)
    assert dict(zip(counts, items, strict=True)) == {2: 1094, 3: 2445, 4: 377, 5: 235, 6: 33, 7: 1}
    values, times = np.unique(ratings.values, return_counts=True)
    assert dict(zip(values, times, strict=True)) == {0: 276, 0.2: 899, 0.4: 788, 0.6: 651, 0.8: 9797}


def test_upstream_convabuse_is_what_is_embedded(tmp_path, datasets):
    """The embedded file against the real splits, where they are at hand."""
    splits = datasets / "convabuse" / "2_splits"
    script = [sys.executable, str(ROOT / "scripts" / "embed_convabuse.py"), str(splits)]
    done = subprocess.run([*script, "--output", str(tmp_path / "again.csv")], capture_output=True, check=True)
    assert b"4185 items, 12411 ratings" in done.stdout
    embedded = ROOT / "src" / "nbyk" / "data" / "embedded" / "convabuse.csv"
    assert (tmp_path / "again.csv").read_bytes() == embedded.read_bytes()


def test_convabuse_splits_in_the_upstream_layout(tmp_path):
    convabuse_split(tmp_path / "ConvAbuseEMNLPtrain.csv", [("278.0", {2: one_hot(1), 8: one_hot(-3)})])
    convabuse_split(tmp_path / "ConvAbuseEMNLPvalid.csv", [("10.0", {1: one_hot(-1, 0)})])
    convabuse_split(tmp_path / "ConvAbuseEMNLPtest.csv", [("9.0", {1: one_hot(0, 0, 1), 5: one_hot(-2)})])
    raw = read_splits([tmp_path / f"ConvAbuseEMNLP{split}.csv" for split in SPLITS])
    assert raw.items == ("278", "10", "9")
    assert raw.raters == ("Annotator2", "Annotator8", "Annotator1", "Annotator5")
    np.testing.assert_array_equal(raw.values, [1, -3, -1, 0, -2])


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([("1.0", {1: ("0",) * 5})], ":2: Annotator1_is_abuse"),
        ([("1.0", {1: ("1", "1", "0", "0", "0")})], "expected 1 in one cell"),
        ([("1.0", {1: ("1", "0", "", "0", "0")})], ":2: Annotator1_is_abuse"),
        ([("1.0", {1: ("1, 0", "0", "0", "0", "0")})], ":2: Annotator1_is_abuse"),
        ([("1.0", {1: one_hot(1)}), ("2.0", {1: ("yes", "0", "0", "0", "0")})], ":3: Annotator1_is_abuse"),
        ([("1.0", {1: one_hot(1)}), ("2.0", {})], ":3: no annotator"),
        (
            [("1.0", {1: one_hot(1)}), ("2.0", {1: one_hot(1)}), ("1.0", {1: one_hot(1)})],
            ":4: rater 'Annotator1' has already rated item '1'",
        ),
        ([("1.0", {1: one_hot(1)}), ("", {2: one_hot(1)})], ":3: the item id is empty"),
    ],
)
def test_a_malformed_convabuse_row_is_named(tmp_path, rows, says):
    convabuse_split(tmp_path / "split.csv", rows)
    with pytest.raises(NbykError) as refusal:
        read_splits([tmp_path / "split.csv"])
    assert f"{tmp_path / 'split.csv'}" in str(refusal.value)
    assert says in str(refusal.value)


def test_a_copy_of_the_embedded_table_is_read_by_its_path(tmp_path):
    (tmp_path / "mine.csv").write_text("item,Annotator1,Annotator2\n1,-3,1\n2,0,\n")
    np.testing.assert_array_equal(load_source("convabuse", tmp_path / "mine.csv").values, [0, 0.8, 0.6])


def test_another_file_is_not_taken_for_convabuse(tmp_path):
    (tmp_path / "other.csv").write_text("example_id,user\n1,hi\n")
    with pytest.raises(NbykError, match=r"other\.csv: no column 'Annotator1_is_abuse\.1'.*upstream"):
        read_splits([tmp_path / "other.csv"])
