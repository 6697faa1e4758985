"""DICES: the harm that raters see in a conversation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nbyk.data import load_source, parse_dices
from nbyk.errors import NbykError

DICES = "diverse_safety_adversarial_dialog_350.csv"


def dices_file(path: Path, *rows: tuple[str, str, str]) -> Path:
    """Write a file in the upstream layout; its texts have line breaks, commas and quotes."""
    lines = ["id,rater_id,rater_gender,item_id,context,Q_overall,Q_overall_gold"]
    for number, (item, rater, answer) in enumerate(rows):
        lines.append(f'{number},{rater},Woman,{item},"LAMDA: hi,\nUSER: ""no""",{answer},Yes')
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_dices_has_the_harm_that_raters_see(tmp_path):
    rows = [("1", "r1", "No"), ("1", "r2", "Unsure"), ("2", "r1", "Yes")]
    path = dices_file(tmp_path / DICES, *rows)
    raw = parse_dices(path)
    assert (raw.items, raw.raters) == (("1", "2"), ("r1", "r2"))
    np.testing.assert_array_equal(raw.values, [0, 0.5, 1])
    for name in ("dices_350", "dices_990"):
        # As on every scale of levels, a level is its rank over their number.
        np.testing.assert_allclose(load_source(name, path).values, [0, 1 / 3, 2 / 3])


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (
            [("1", "r", "No"), ("2", "r", "Maybe")],
            ":4: column 'Q_overall': found 'Maybe', expected one of",
        ),
        ([("1", "r", "No"), ("2", "r", "")], ":4: column 'Q_overall': found ''"),
        (
            [("1", "r", "No"), ("2", "r", "No"), ("1", "r", "Yes")],
            ":6: rater 'r' has already rated item '1'",
        ),
        ([("1", "r", "No"), ("", "r", "No")], ":4: column 'item_id': the id is empty"),
        ([("1", "r", "No")], "is the only item"),
    ],
)
def test_a_malformed_row_of_dices_is_named(tmp_path, rows, says):
    path = dices_file(tmp_path / DICES, *rows)
    with pytest.raises(NbykError) as refusal:
        load_source("dices_350", path)
    assert f"{path}, {says}" in str(refusal.value) or says in str(refusal.value)


def test_the_answers_that_an_answer_may_be_are_named(tmp_path):
    path = dices_file(tmp_path / DICES, ("1", "r", "No"), ("2", "r", "Maybe"))
    with pytest.raises(NbykError, match="one of the classes No, Unsure and Yes; mend it"):
        load_source("dices_350", path)


def test_another_file_is_not_taken_for_dices(tmp_path):
    (tmp_path / "other.csv").write_text("item_id,rater_id,Q_all\n1,r,No\n")
    with pytest.raises(
        NbykError, match=r"no column 'Q_overall'; found 'item_id', .*nearest: 'Q_all'.*upstream"
    ):
        parse_dices(tmp_path / "other.csv")
