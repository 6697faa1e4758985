"""Some systems of many: the same answer as if the others were not there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import nbyk
from nbyk.errors import NbykError
from tests.report.test_kinds import runs, votes

MANY = {name: np.round(runs(k + 2)[:, :2], 3) for k, name in enumerate("abcd")}
QUICK = {"n_resamples": 199, "max_resamples": 199}


def table(systems: dict[str, np.ndarray]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"item": f"i{item:02d}", "rater": f"run{run}", "system": name, "value": value}
            for name, matrix in systems.items()
            for (item, run), value in np.ndenumerate(matrix)
        ]
    )


def few(*names: str) -> dict[str, np.ndarray]:
    return {name: MANY[name] for name in names}


FORMS: dict[str, Callable[[dict[str, np.ndarray]], tuple[Any, ...]]] = {
    "arrays": lambda systems: (None, systems),
    "a table": lambda systems: (table(systems),),
    "read": lambda systems: (nbyk.read_systems(table(systems)),),
    "scores": lambda systems: (None, {name: of[:9, 0] for name, of in systems.items()}),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("names", ["ca", "bda"])
def test_only_some_systems_are_compared_and_the_first_is_a(form: str, names: str) -> None:
    how = QUICK if form != "scores" else {"kind": "scores"}
    some = nbyk.compare(*FORMS[form](MANY), only=[*names], **how)
    alone = nbyk.compare(*FORMS[form](few(*names)), **how)
    assert some.to_dict() == alone.to_dict()
    assert some.pairs[0].a == names[0]


def test_only_votes_between_some_models_count() -> None:
    every = votes("m", "n", "o")
    assert nbyk.compare(every, only=["o", "m"]).pair.p == nbyk.compare(every.among(("o", "m"))).pair.p


def test_items_that_only_others_lack_do_not_matter() -> None:
    frame = table(MANY)
    lacking = frame[(frame["system"] != "d") | (frame["item"] > "i03")]
    board = nbyk.compare(nbyk.read_systems(lacking, only=["c", "a"]))
    assert board.to_dict()["pairs"] == nbyk.compare(table(few("c", "a"))).to_dict()["pairs"]


@pytest.mark.parametrize(
    ("only", "line"),
    [
        (["a", "x"], "unknown system 'x'"),
        (["a", "a"], "expected each system once"),
        ([], "no name"),
    ],
)
def test_names_that_are_not_there_are_refused(only: list[str], line: str) -> None:
    with pytest.raises(NbykError, match=line):
        nbyk.compare(None, MANY, only=only)
