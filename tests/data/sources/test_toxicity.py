"""The toxicity perspectives of Kumar et al.: levels, ids and lines that are wrong."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from nbyk.data import load_source, parse_toxicity
from nbyk.errors import NbykError


def toxicity_file(path: Path, *comments: object) -> Path:
    path.write_text("".join(json.dumps(comment) + "\n" for comment in comments), encoding="utf-8")
    return path


def scored(*pairs: tuple[int, str]) -> dict[str, object]:
    return {"comment": "same text", "ratings": [{"toxic_score": s, "worker_id": w} for s, w in pairs]}


def test_toxicity_normalises_its_five_levels(tmp_path):
    path = toxicity_file(
        tmp_path / "toxicity_ratings.json",
        scored((0, "w1"), (1, "w2"), (2, "w3"), (3, "w4"), (4, "w5")),
        scored((4, "w1"), (0, "w9")),
    )
    assert parse_toxicity(path).items == ("1", "2")
    ratings = load_source("toxicity", path)
    np.testing.assert_array_equal(ratings.values, [0, 0.2, 0.4, 0.6, 0.8, 0.8, 0])
    assert ratings.raters[ratings.rater_index[5]] == "w1"


def test_toxicity_takes_ids_where_there_are_some(tmp_path):
    first = {"comment_id": 71, "ratings": [{"toxic_score": 1}, {"toxic_score": 1.0, "worker_id": "w"}]}
    second = {"comment_id": "072", "ratings": [{"toxic_score": 3, "worker_id": "w"}]}
    ratings = parse_toxicity(toxicity_file(tmp_path / "t.json", first, second))
    assert ratings.items == ("71", "072")
    assert ratings.raters == ("1", "2", "w")


def test_a_workers_first_rating_of_a_comment_counts(tmp_path):
    path = toxicity_file(tmp_path / "t.json", scored((1, "w"), (4, "v"), (3, "w")), scored((2, "w")))
    np.testing.assert_array_equal(parse_toxicity(path).matrix(), [[1, 4], [2, np.nan]])


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"ratings": [{"toxic_score": 1}', "not JSON"),
        ("[]", "an array"),
        ("{}", "ratings is None"),
        ('{"ratings": []}', "ratings is []"),
        ('{"ratings": {"toxic_score": 1}}', "expected a list"),
        ('{"ratings": [3]}', "expected a list"),
        ('{"ratings": [{"toxic_score": 1}, {}]}', "column 'value': found no value, expected a finite number"),
        ('{"ratings": [{"toxic_score": NaN}]}', "column 'value': found nan"),
        ('{"ratings": [{"toxic_score": "x"}]}', "column 'value': found 'x'"),
        ('{"ratings": [{"toxic_score": 1, "worker_id": " "}]}', "column 'rater': the id is empty"),
        ('{"ratings": [{"toxic_score": 1}], "comment_id": [1]}', "column 'item': found [1], expected an id"),
        ('{"ratings": [{"toxic_score": 1}], "comment_id": 1}', "json:2: item '1' is already on"),
    ],
)
def test_a_malformed_toxicity_line_is_named(tmp_path, line, says):
    path = tmp_path / "toxicity_ratings.json"
    path.write_text(json.dumps(scored((1, "w"))) + "\n" + line + "\n")
    with pytest.raises(NbykError) as refusal:
        parse_toxicity(path)
    assert (refusal.value.file, refusal.value.row) == (str(path), 2)
    assert str(refusal.value).startswith(f"{path}:2: ")
    assert says in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("score", [5, 2.5])
def test_a_score_off_the_scale_is_named(tmp_path, score):
    path = toxicity_file(tmp_path / "t.json", scored((1, "w")), scored((score, "v")))
    with pytest.raises(NbykError) as refusal:
        load_source("toxicity", path)
    assert f"{path}: the rating of item '2' by rater 'v': found {score:g}, expected one of 0" in str(
        refusal.value
    )


def test_toxicity_without_a_path_says_where_to_get_it():
    with pytest.raises(
        NbykError, match=r"data\.esrg\.stanford\.edu/study/toxicity-perspectives.*password.*path"
    ):
        load_source("toxicity")
