"""People's ratings and a judge's scores: what is read, and the line for each bad input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nbyk import read_judged
from nbyk.data.judged import JudgedSystems
from nbyk.errors import NbykError

PEOPLE = "item,system,rater,value\nq1,A,x,4\nq1,B,x,2\nq2,A,y,5\nq2,B,y,3\n"
JUDGE = "item,system,value\n" + "".join(f"q{i},{s},{i % 5 + 1}\n" for i in range(1, 7) for s in "AB")


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def read(folder: Path, people: str = PEOPLE, judge: str = JUDGE, **options: Any) -> JudgedSystems:
    return read_judged(written(folder, "people.csv", people), written(folder, "judge.csv", judge), **options)


def test_ratings_and_scores_are_matched_by_item_and_system(tmp_path: Path) -> None:
    data = read(tmp_path)
    assert (data.items, data.systems, data.raters) == (
        ("q1", "q2", "q3", "q4", "q5", "q6"),
        ("A", "B"),
        ("x", "y"),
    )
    assert data.judge[:, 0].tolist() == [2, 3, 4, 5, 1, 2]
    rows = zip(
        data.item.tolist(), data.system.tolist(), data.rater.tolist(), data.values.tolist(), strict=True
    )
    assert sorted(rows) == [(0, 0, 0, 4.0), (0, 1, 0, 2.0), (1, 0, 1, 5.0), (1, 1, 1, 3.0)]


def test_several_answers_are_averaged_and_their_variance_kept(tmp_path: Path) -> None:
    data = read(tmp_path, judge=JUDGE + "q1,A,4\n")
    assert (data.judge[0, 0], data.answers[0, 0], data.answer_variance[0, 0]) == (3.0, 2, 2.0)
    assert data.answer_variance.sum() == 2.0


def test_a_judge_is_chosen_by_name(tmp_path: Path) -> None:
    people = "item,rater,value\nq1,x,1\nq2,x,2\n"
    judge = "item,judge,value\nq1,m,1\nq2,m,2\nq1,n,2\nq2,n,1\n"
    assert read(tmp_path, people, judge, judges="n").judge[:, 0].tolist() == [2, 1]
    assert read(tmp_path, people, judge).judge[:, 0].tolist() == [1.5, 1.5]
    with pytest.raises(NbykError, match="unknown judge 'o'"):
        read(tmp_path, people, judge, judges="o")


def test_classes_and_votes_count_what_you_say(tmp_path: Path) -> None:
    people = "item,rater,value\nq1,x,model_a\nq2,y,tie\n"
    judge = "item,value\nq1,model_b\nq2,model_a\nq3,tie\n"
    votes = {"model_a": 1.0, "tie": 0.0, "model_b": -1.0}
    data = read(tmp_path, people, judge, counts=votes)
    assert data.values.tolist() == [1.0, 0.0]
    assert data.judge[:, 0].tolist() == [-1.0, 1.0, 0.0]
    with pytest.raises(
        NbykError, match=r"judge\.csv:2: found .model_b., .model_a. and .tie., expected yes and no"
    ):
        read(tmp_path, people, judge, counts={"yes": 1.0, "no": 0.0} | {})


def test_chances_batches_and_slices_are_columns(tmp_path: Path) -> None:
    people = "item,rater,value,chance,day\nq1,x,1,.5,d2\nq2,y,2,1,d10\n"
    judge = "item,value,topic\nq1,1,b\nq2,2,a\nq3,1,b\n"
    data = read(tmp_path, people, judge, chance="chance", batch="day", slices="topic")
    assert data.chance is not None
    np.testing.assert_array_equal(data.chance[:, 0], [0.5, 1.0, np.nan])
    assert data.batch is not None
    assert data.batch.tolist() == [0, 1]
    assert data.slices is not None
    assert data.slices.tolist() == [1, 0, 1]


TWO = "item,value\nq1,1\nq2,2\n"
BAD = {
    "no score of a rated item": (
        {"people": PEOPLE + "q9,A,x,3\n"},
        "people.csv:6: people rated item 'q9', and the judge did not score it",
    ),
    "a system that the judge lacks": (
        {"people": PEOPLE + "q1,C,x,3\n"},
        "people.csv: people rated A, B and C, and the judge scored A and B; expected the same systems",
    ),
    "a system that people lack": (
        {"judge": JUDGE + "q1,C,3\n"},
        "people rated A and B, and the judge scored A, B and C; expected the same systems",
    ),
    "another scale": (
        {"judge": JUDGE.replace(",1\n", ",90\n").replace(",2\n", ",70\n")},
        "people's ratings run from 2 to 5, and the judge's scores from 3 to 90",
    ),
    "scores of some systems only": (
        {"judge": JUDGE.replace("q6,B,2\n", "")},
        "judge.csv: A's items (q6); give all files the same items",
    ),
    "off the scale": ({"scale": "1..4"}, "judge.csv:8: column 'value': found 5, expected"),
    "text without counts": (
        {"people": PEOPLE.replace(",4\n", ",good\n")},
        "people.csv:2: column 'value': found 'good'",
    ),
    "one rater twice": ({"people": PEOPLE + "q1,A,x,3\n"}, "people.csv:6"),
    "no common item": (
        {"people": PEOPLE.replace("q", "z"), "on_missing": "drop"},
        "scored none of the items",
    ),
    "a chance above 1": (
        {
            "people": "item,rater,value,p\nq1,x,1,2\nq2,x,2,1\n",
            "judge": TWO,
            "chance": "p",
        },
        "people.csv:2: column 'p': found '2', expected a chance above 0 and at most 1",
    ),
    "two chances of one output": (
        {
            "people": "item,rater,value,p\nq1,x,1,.5\nq1,y,2,.6\nq2,x,2,1\n",
            "judge": TWO,
            "chance": "p",
        },
        "found 0.6 for an output that has 0.5 on another row",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_with_one_line(tmp_path: Path, case: str) -> None:
    options, says = BAD[case]
    with pytest.raises(NbykError) as caught:
        read(tmp_path, **options)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unmatched_outputs_are_dropped_and_counted_if_you_say_so(tmp_path: Path) -> None:
    data = read(tmp_path, PEOPLE + "q9,A,x,3\n", JUDGE.replace("q6,B,2\n", ""), on_missing="drop")
    assert len(data.items) == 5
    assert sum("dropped" in note for note in data.notes) == 2


def test_ratings_without_raters_are_those_of_one_and_a_note_says_so(tmp_path: Path) -> None:
    people = "item,value\nq1,1\nq2,2\n"
    data = read(tmp_path, people, TWO)
    assert len(data.raters) == 1
    assert any("no column of raters" in note for note in data.notes)
    assert not read(tmp_path, "item,rater,value\nq1,x,1\nq2,y,2\n", TWO).notes


def test_names_of_judges_slices_and_batches_that_look_alike_are_named(tmp_path: Path) -> None:
    judge = "item,system,value,judge,topic\n" + "".join(
        f"q{i},{s},{i % 5 + 1},{'GPT' if i % 2 else 'gpt'},{'law' if i < 4 else 'Law'}\n"
        for i in range(1, 7)
        for s in "AB"
    )
    people = PEOPLE.replace("value\n", "value,week\n").replace(",4\n", ",4,1\n").replace(",2\n", ",2,1\n")
    people = people.replace(",5\n", ",5,01\n").replace(",3\n", ",3,01\n")
    data = read(tmp_path, people, judge, slices="topic", batch="week")
    for what, one, other in (("judges", "GPT", "gpt"), ("slices", "law", "Law"), ("batches", "1", "01")):
        assert f"the {what} {one!r} and {other!r} look alike, and nbyk tells them apart" in data.notes


def test_columns_of_other_names_are_named_at_once(tmp_path: Path) -> None:
    people = "prompt_no,system,who,grade\n" + "".join(
        f"q{i},{s},{r},{i % 5 + 1}\n" for i in range(1, 7) for s in "AB" for r in ("ann", "bo", "cy")
    )
    judge = JUDGE.replace("item,system,value", "prompt_no,system,grade")
    with pytest.raises(NbykError) as error:
        read(tmp_path, people, judge)
    for named in ('`item="prompt_no"`', '`value="grade"`', '`rater="who"`'):
        assert named in error.value.problem
    assert read(tmp_path, people, judge, item="prompt_no", value="grade", rater="who").raters == (
        "ann",
        "bo",
        "cy",
    )
