"""Inputs on which a comparison once lost power, or said more than its data."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import nbyk
from nbyk.errors import NbykError
from nbyk.testing.results import Doubt


def raters_with_unequal_loads(seed: int, n: int = 100, n_raters: int = 40) -> nbyk.Systems:
    """Return two systems whose n outputs are rated by 3 people each; person k gives k^-1.5 of the ratings."""
    rng = np.random.default_rng(seed)
    chosen = np.argsort(rng.standard_exponential((n, n_raters)) * np.arange(1, n_raters + 1) ** 1.5, axis=1)[
        :, :3
    ]
    lean = 0.1 * rng.normal(size=n_raters)[chosen] + 0.1 * rng.normal(size=(n, 1))
    effect = 0.12 + lean + 0.05 * rng.normal(size=(n, 3))
    frames = {}
    for name, values in (("a", 0.5 + effect / 2), ("b", np.full((n, 3), 0.5))):
        rows = [(f"q{i:03}", f"w{chosen[i, k]:02}", values[i, k]) for i in range(n) for k in range(3)]
        frames[name] = pd.DataFrame(rows, columns=["item", "rater", "value"])
    return nbyk.read_systems(frames)


def test_people_who_rated_one_item_do_not_turn_the_weights_off() -> None:
    """Unweighted, two people who give most ratings leave p at .1 and more in two of three such sets."""
    of_sets = []
    for seed in range(6):
        systems = raters_with_unequal_loads(seed)
        result = nbyk.compare(systems, metric="mean", n_resamples=99, max_resamples=99)
        claim = result.claims[0]
        assert claim.by_precision
        of_sets.append(claim.p)
    assert np.median(of_sets) < 0.01


def test_a_pair_with_weights_has_the_reserve_of_its_items() -> None:
    systems = raters_with_unequal_loads(1, n=30)
    result = nbyk.compare(systems, metric="mean", n_resamples=999, max_resamples=999)
    broad, items = result.claims
    assert broad.by_precision
    assert broad.p < items.p
    assert broad.reserve == items.reserve != ""
    assert result.verdict == "better, with reserve"


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_a_margin_of_numpy_is_the_number(alternative: str) -> None:
    rng = np.random.default_rng(1)
    a = rng.random((60, 1))
    b = np.clip(a + 0.01 * rng.normal(size=(60, 1)), 0, 1)
    plain, of_numpy = (
        nbyk.compare(
            None, a, b, metric="mean", margin=margin, alternative=alternative, n_resamples=99
        ).pair.margin  # type: ignore[arg-type]
        for margin in (0.05, np.float64(0.05))
    )
    assert plain is not None
    assert of_numpy is not None
    assert of_numpy.p_equivalent == plain.p_equivalent < 0.05


@pytest.mark.parametrize("metric", ["accuracy", "wins_mae"])
@pytest.mark.parametrize("seed", range(3))
def test_no_interval_of_a_margin_leaves_the_metrics_range(metric: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    gold = rng.random((20, 1))
    a = np.clip(gold + 0.02 * rng.normal(size=(20, 3)) + 0.02 * rng.normal(size=3), 0, 1)
    b = np.clip(rng.random((20, 1)) + 0.3 * rng.normal(size=3), 0, 1)
    result = nbyk.compare(gold, a, b, metric=metric, margin=0.1, n_resamples=99, max_resamples=99)
    for claim in result.claims:
        assert claim.margin is not None
        low, high = claim.margin.interval
        assert math.isnan(low) or -1.0 <= low <= high <= 1.0


@pytest.mark.parametrize("metric", ["f1", "recall", "auc"])
def test_a_score_that_no_sample_of_items_changes_has_no_interval_and_a_reserve(metric: str) -> None:
    gold = np.tile([1.0, 0.0], 12)[:, None]
    result = nbyk.compare(gold, gold, 1.0 - gold, metric=metric, n_resamples=999)
    assert result.p < 0.05
    assert math.isnan(result.interval[0])
    assert "nothing shows how it varies" in result.reserves[0]


def test_one_reason_for_a_reserve_is_said_once_for_all_claims() -> None:
    a = np.random.default_rng(0).normal(0.5, 0.1, (40, 3))
    pair = nbyk.compare(None, {"a": a + 0.1, "b": a}, metric="mean", n_resamples=99).pair
    broad, *others = (
        replace(claim, doubts=(Doubt("why"),), favours="better", p=0.001) for claim in pair.claims
    )
    (said,) = replace(pair, claims=(broad, *others), p=0.001, decided=True).reserves
    places = ", and for ".join(claim.population for claim in pair.claims)
    assert len(pair.claims) == 2
    assert said == f"with reserve, as p may be too small for {places}: why"


def test_the_reason_why_so_few_pairs_show_nothing_comes_first() -> None:
    x, y = [0.81, 0.84, 0.86, 0.80, 0.85], [0.72, 0.74, 0.75, 0.70, 0.76]
    board = nbyk.compare(None, {"x": x, "y": y}, kind="scores", pair_runs=True)
    assert "smallest p-value" in board.warnings[0]
    assert board.sample.pairing == "Scores in one place are a pair."


@pytest.mark.parametrize("people", [1, 3])
@pytest.mark.parametrize("unit", [1e-10, 1e-3, 1e10, 1e45])
def test_an_answer_does_not_depend_on_the_unit_of_the_numbers(people: int, unit: float) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.6, 1.0, (40, people)), rng.normal(0.0, 1.0, (40, people))
    one, other = (nbyk.compare(None, a * by, b * by, metric="mean") for by in (1.0, unit))
    assert_allclose([other.p, *other.interval], [one.p, *np.multiply(one.interval, unit)], rtol=1e-9)


@pytest.mark.parametrize("people", [1, 3])
@pytest.mark.parametrize(
    ("unit", "line"),
    [
        *((unit, "found no number beyond .* in size, so that mean is lost") for unit in (1e-16, 1e-120)),
        *((unit, "expected a finite number, of at most 1e\\+50 in size") for unit in (1e60, 1e140)),
    ],
)
def test_numbers_that_no_unit_should_have_are_refused(people: int, unit: float, line: str) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.6, 1.0, (40, people)), rng.normal(0.0, 1.0, (40, people))
    with pytest.raises(NbykError, match=line):
        nbyk.compare(None, a * unit, b * unit, metric="mean")
    assert nbyk.compare(None, a * 0.0, b * 0.0, metric="mean").effect == 0.0
