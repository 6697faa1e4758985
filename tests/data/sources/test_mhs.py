"""Measuring Hate Speech: one question of many, on a scale of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nbyk.data import load_source, parse_mhs
from nbyk.errors import NbykError


def mhs_file(path: Path, *rows: tuple[int, int, float, float]) -> Path:
    """Write a file in the upstream layout: comment, annotator, respect and hatespeech of each row."""
    comments, annotators, respect, hatespeech = zip(*rows, strict=True)
    columns = {
        "comment_id": pa.array(comments, pa.int32()),
        "annotator_id": pa.array(annotators, pa.int32()),
        "text": ["text"] * len(rows),
        "respect": pa.array(respect, pa.float64()),
        "hatespeech": pa.array(hatespeech, pa.float64()),
    }
    pq.write_table(pa.table(columns), path)
    return path


def test_a_question_of_measuring_hate_speech(tmp_path):
    path = mhs_file(tmp_path / "mhs.parquet", (47777, 10873, 0, 0), (47777, 2, 4, 2), (39773, 10873, 3, 1))
    ratings = load_source("mhs", path)
    assert (ratings.items, ratings.raters) == (("47777", "39773"), ("10873", "2"))
    np.testing.assert_array_equal(ratings.values, [0, 0.8, 0.6])
    assert load_source("mhs", path, "respect") == ratings
    np.testing.assert_allclose(load_source("mhs", path, "hatespeech").values, [0, 2 / 3, 1 / 3])
    with pytest.raises(NbykError, match=r"unknown question of mhs 'respekt'; did you mean respect"):
        load_source("mhs", path, "respekt")
    with pytest.raises(NbykError, match=r"no column 'insult'; .*; expected an upstream measuring-"):
        load_source("mhs", path, "insult")
    with pytest.raises(NbykError, match=r"'armis' has no questions to choose from; leave 'respect' out"):
        load_source("armis", path, "respect")


def test_an_annotators_first_answer_of_a_comment_counts(tmp_path):
    path = mhs_file(tmp_path / "mhs.parquet", (1, 5, 3, 0), (1, 6, 4, 0), (1, 5, 0, 0), (2, 5, 1, 0))
    np.testing.assert_array_equal(parse_mhs(path).matrix(), [[3, 4], [1, np.nan]])


@pytest.mark.parametrize(
    ("value", "says"),
    [(5.0, "item '2' by rater '5': found 5, expected one of 0"), (float("nan"), "row 1: column 'respect'")],
)
def test_an_answer_off_the_scale_is_named(tmp_path, value, says):
    path = mhs_file(tmp_path / "mhs.parquet", (1, 5, 3, 0), (2, 5, value, 0))
    with pytest.raises(NbykError) as refusal:
        load_source("mhs", path)
    assert str(path) in str(refusal.value)
    assert says in str(refusal.value)
