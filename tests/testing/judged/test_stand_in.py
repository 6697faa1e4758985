# mypy: disable-error-code="arg-type"
"""The alternative annotator test, beside the output of its authors' code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from nbyk import stand_in
from nbyk.errors import NbykError
from tests.oracles.judge_peers import NUMBERS, SETS, read_alt_test, stored

FOLDER = next(
    (folder for parent in Path(__file__).parents if (folder := parent / "shared/datasets/judges").exists()),
    Path("none"),
)
"""The five sets of github nitaytech/AltTest, which do not come with nbyk."""


@pytest.mark.skipif(not FOLDER.exists(), reason="needs the sets of nitaytech/AltTest beside the project")
@pytest.mark.parametrize("name", SETS)
def test_the_five_sets_say_what_the_authors_code_says(name: str) -> None:
    people, judges = read_alt_test(FOLDER / name, as_numbers=name in NUMBERS)
    place: dict[object, float] = {}
    items = {item: row for row, item in enumerate(sorted({item for of in people.values() for item in of}))}

    def column(values: dict[str, object]) -> np.ndarray:
        filled = np.full(len(items), np.nan)
        for item, value in values.items():
            if item in items:
                filled[items[item]] = value if name in NUMBERS else place.setdefault(value, len(place))
        return filled

    ratings = np.stack([column(of) for of in people.values()], axis=1)
    for judge, scores in judges.items():
        for epsilon in (0.1, 0.2):
            by = "distance" if name in NUMBERS else "accuracy"
            found = stand_in(ratings, column(scores), by=by, epsilon=epsilon)
            said = stored()["alt_test"][f"{name} {judge} {epsilon}"]
            assert [found.winning_rate, found.advantage] == pytest.approx(said, abs=1e-12)


def test_a_judge_who_copies_people_may_stand_in_and_one_who_guesses_may_not() -> None:
    rng = np.random.default_rng(0)
    people = np.where(rng.random((200, 5)) < 0.8, 1.0, 0.0)
    assert stand_in(people, np.ones(200)).passed
    wrong = stand_in(people, np.zeros(200))
    assert (wrong.winning_rate, wrong.passed) == (0.0, False)
    assert wrong.advantage < 0.6


@pytest.mark.parametrize("unit", [0.1, 1 / 3, 1 / 7])
def test_who_is_as_near_does_not_depend_on_the_unit(unit: float) -> None:
    levels = np.random.default_rng(0).integers(1, 8, (60, 5)).astype(float)
    plain, other = (stand_in(of[:, :4], of[:, 4], by="distance") for of in (levels, unit * levels))
    assert other.advantages.tolist() == plain.advantages.tolist()
    assert other.p.tolist() == plain.p.tolist()


def test_people_with_few_items_are_left_out_and_named() -> None:
    rng = np.random.default_rng(1)
    people = rng.integers(0, 2, (60, 3)).astype(float)
    people[20:, 2] = np.nan
    found = stand_in(people, people[:, 0])
    assert (found.raters, found.left_out) == ((0, 1), (2,))
    with pytest.raises(NbykError, match="nobody has 100 items"):
        stand_in(people, people[:, 0], fewest_items=100)


def test_a_judge_on_another_index_is_refused() -> None:
    levels = np.random.default_rng(0).integers(1, 5, (40, 4)).astype(float)
    people, judge = pd.DataFrame(levels[:, :3]), pd.Series(levels[::-1, 3], range(39, -1, -1))
    with pytest.raises(NbykError, match="different indices"):
        stand_in(people, judge)


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"by": "Accuracy"}, "by: unknown way to compare 'Accuracy'"),
        ({"epsilon": 20}, "epsilon: found 20, expected a share"),
        ({"alpha": 5}, "alpha: found 5"),
    ],
)
def test_arguments_out_of_range_are_refused(asked: dict[str, Any], error: str) -> None:
    people = np.random.default_rng(0).integers(0, 3, (40, 3)).astype(float)
    with pytest.raises(NbykError, match=error):
        stand_in(people, people[:, 0], **asked)


def test_it_prints_as_its_verdict() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, (60, 1)).astype(float)
    people = np.where(rng.random((60, 4)) < 0.8, truth, rng.integers(0, 3, (60, 4)))
    people[5:, 3] = np.nan
    first, *lines = str(stand_in(people, truth[:, 0])).splitlines()
    assert first.split("  ")[0] == "The judge may stand in for a person"
    assert first.endswith("1 of 4 people left out: too few items")
    assert " ".join(lines).startswith("It may replace 3 of 3 people, and is as near to the others as one of")
