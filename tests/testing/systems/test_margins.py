"""Margins: two one-sided t-tests, against statsmodels', their own interval and a simulation at the margin."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from statsmodels.stats.weightstats import ttost_paired

import nbyk
from nbyk.errors import NbykError
from nbyk.metrics import get
from nbyk.testing.shared_units import responses, shared_units_test

QUICK = {"n_resamples": 19, "max_resamples": 19}


def one_response(seed: int, n: int = 40, shift: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    a = generator.normal(0.5, 0.1, (n, 1))
    return a, a + shift + generator.normal(0.0, 0.05, (n, 1))


@pytest.mark.parametrize("shift", [-0.02, 0.0, 0.03])
def test_with_items_alone_it_is_the_paired_test_of_statsmodels(shift: float) -> None:
    a, b = one_response(1, shift=shift)
    (found,) = nbyk.compare(None, a, b, metric="mean", margin=0.025, **QUICK).margins
    p, (_, p_low, _), (_, p_high, _) = ttost_paired(a[:, 0], b[:, 0], -0.025, 0.025)
    assert found.p_not_worse == pytest.approx(p_low, rel=1e-10)
    assert found.p_equivalent == pytest.approx(p, rel=1e-10) == pytest.approx(max(p_low, p_high))


@settings(max_examples=25)
@given(st.integers(0, 200), st.floats(0.001, 0.1), st.floats(-0.05, 0.05), st.sampled_from([0.01, 0.05, 0.2]))
def test_the_verdict_is_that_of_the_interval_and_its_mirror_image(
    seed: int, margin: float, shift: float, alpha: float
) -> None:
    a, b = one_response(seed, 30, shift)
    (found,) = nbyk.compare(None, a, b, metric="mean", margin=margin, alpha=alpha, **QUICK).margins
    assume(not found.reason)  # a few items at the edge may have nearly all of the variance
    inside = -margin <= found.low and found.high <= margin
    expected = "equivalent" if inside else "not worse" if found.low >= -margin else "inconclusive"
    assert found.verdict == ("worse" if found.high <= -margin else expected)
    (mirrored,) = nbyk.compare(None, b, a, metric="mean", margin=margin, alpha=alpha, **QUICK).margins
    assert mirrored.p_equivalent == pytest.approx(found.p_equivalent)
    assert (mirrored.low, mirrored.high) == pytest.approx((-found.high, -found.low))


def test_each_claim_has_a_margin_of_its_own() -> None:
    generator = np.random.default_rng(3)
    runs = [generator.normal(0.5, 0.1, (50, 1)) + generator.normal(0.0, 0.02, 5) for _ in range(2)]
    result = nbyk.compare(None, *runs, metric="mean", margin=0.05, **QUICK)
    broad, items = result.margins
    assert [broad.population, items.population] == [claim.population for claim in result.claims]
    assert broad.high - broad.low > items.high - items.low
    assert "equivalent within ±0.05" in result.margin_sentences("x", "y")[1]


def test_where_nothing_can_be_said_there_is_a_reason() -> None:
    generator = np.random.default_rng(4)
    gold, a, b = generator.random((3, 30, 2))
    (rough, *_) = nbyk.compare(gold, a, b, metric="max_error", margin=0.1, **QUICK).margins
    assert "cannot speak for others" in rough.reason
    assert rough.verdict == "inconclusive"
    assert math.isnan(rough.p_not_worse)
    same = nbyk.compare(gold[:, :1], a[:, :1], a[:, :1], margin=0.1, **QUICK)
    assert same.margins[0].verdict == "equivalent"


def test_with_few_items_the_reason_says_so_and_with_many_there_is_none() -> None:
    (few,) = nbyk.compare(None, *one_response(6, n=8), metric="mean", margin=0.1, **QUICK).margins
    assert few.verdict == "inconclusive"
    assert few.reason.startswith("the effect rests on about ")
    assert "needs 5; collect more items" in few.reason
    (many,) = nbyk.compare(None, *one_response(6, n=80), metric="mean", margin=0.1, **QUICK).margins
    assert many.reason == ""


@pytest.mark.parametrize("margin", [0.0, -1.0, math.inf, math.nan])
def test_a_margin_is_above_0(margin: float) -> None:
    with pytest.raises(NbykError, match=r"margin: found .*expected a number above 0"):
        nbyk.compare(None, *one_response(0), metric="mean", margin=margin, **QUICK)


def test_at_the_margin_it_errs_as_often_as_alpha() -> None:
    """Gold has one rating: A misses it by U(0, .2) and B exactly, so that the effect on mae is −.1."""
    generator = np.random.default_rng(5)
    n_sets, passed = 1000, 0
    for _ in range(n_sets):
        gold = generator.random((60, 1))
        a = gold + generator.choice([-1.0, 1.0], (60, 1)) * generator.random((60, 1)) * 0.2
        test = shared_units_test(get("mae"), responses(a, gold, gold=gold))
        passed += test.p_value("greater", null=-0.1) <= 0.05
    assert abs(passed / n_sets - 0.05) < 3.3 * math.sqrt(0.05 * 0.95 / n_sets)
