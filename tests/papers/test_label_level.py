"""How often the test rejects where both systems are equally good: items, fractions, and runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from nbyk.studies.steps import Work
from nbyk_papers.boostsa2022.design import HARD_SCORES, SOFT_SCORES
from nbyk_papers.boostsa2022.label_cells import LevelTests, equally_good, levels

pytestmark = pytest.mark.statistics


def type_one_error(
    kind: Any, scores: list[str], fractions: list[float], **asked: Any
) -> list[dict[str, Any]]:
    """Return the rows of the step, by default of 2000 sets of 200 items."""
    work = Work("test", asked.pop("threads", 1))
    told = {"n_items": 200, "semantics": "recommended", "n_sets": 2000, "n_resamples": 999, "alpha": 0.05}
    tests = LevelTests(scores, fractions, **{**told, "seed": 0, **asked})
    return levels(kind=kind, tests=tests, work=work)[0].to_pylist()


def names_of(kind: str) -> list[str]:
    """Return the names of the scores of a kind of labels."""
    return list(HARD_SCORES if kind == "hard" else SOFT_SCORES)


@pytest.mark.parametrize("kind", ["hard", "soft"])
def test_the_default_holds_its_level_for_every_score(kind: Any) -> None:
    """2000 test sets of 200 items: the band is .038 to .063, three standard errors of .0049 or less."""
    measures = ("precision", "recall", "f1") if kind == "hard" else ()
    names = [
        *names_of(kind),
        *[f"{measure}({label})" for measure in measures for label in range(3)],
    ]
    found = type_one_error(kind, names, fractions=[1.0], threads=2)
    assert [level["score"] for level in found] == names
    for level in found:
        assert (level["n_sets"], level["band_low"], level["band_high"]) == (2000, 0.038, 0.063)
        assert level["band_low"] <= level["rate"] <= level["band_high"], level


def test_small_fractions_are_blind() -> None:
    """As design and paper have it: at f = .1 next to nothing is found, by either semantics."""
    for semantics in ("recommended", "published"):
        options: Any = {"fractions": [0.1, 1.0], "n_sets": 400, "n_resamples": 499, "semantics": semantics}
        for kind in ("hard", "soft"):
            blind, seeing = type_one_error(kind, ["f1_macro" if kind == "hard" else "js_distance"], **options)
            assert blind["rate"] <= 0.005
            assert 0.02 < seeing["rate"] < 0.09


@pytest.mark.parametrize("kind", ["hard", "soft"])
def test_the_simulated_systems_are_exchangeable(kind: Any) -> None:
    sets = equally_good(kind, 200, 0, 64)
    right: Any = [
        [(x == t).mean() if kind == "hard" else np.abs(x - t).sum(axis=1).mean() for x in (a, b)]
        for t, a, b in sets
    ]
    assert stats.ttest_rel(*np.transpose(right)).pvalue > 1e-3
    again = equally_good(kind, 200, 0, 3)
    np.testing.assert_array_equal(again[2][1], sets[2][1])
    assert not np.array_equal(equally_good(kind, 200, 1, 1)[0][1], sets[0][1])


def test_levels_depend_on_neither_threads_nor_company() -> None:
    options: Any = {"n_sets": 130, "n_resamples": 64, "n_items": 30}
    names = ["accuracy", "f1_macro"]
    one = type_one_error("hard", names, fractions=[0.5, 1.0], **options)
    two = type_one_error("hard", names, fractions=[0.5, 1.0], threads=2, **options)
    assert one == two
    assert type_one_error("hard", ["f1_macro"], fractions=[1.0], **options)[0] == one[-1]
