"""p-values against their definitions, and their standard errors against repetition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from nbyk.errors import NbykError
from nbyk.inference.pvalues import expected_p, p_value

effects = st.lists(st.integers(-4, 4).map(float) | st.floats(-3, 3), min_size=1, max_size=25)


@given(alternative=effects, null=effects)
@settings(max_examples=300, deadline=None)
def test_expected_p_is_its_definition(alternative: list[float], null: list[float]) -> None:
    """The mean over all pairs of 1[β ≥ α], after negating both where the null's median is the larger."""
    sign = -1.0 if np.median(null) > np.median(alternative) else 1.0
    pairs = [sign * beta >= sign * alpha for alpha in alternative for beta in null]
    result = expected_p(alternative, null)
    assert result.p == sum(pairs) / len(pairs)
    assert result.flipped == (sign < 0)
    assert result.standard_error >= 0.0


def test_expected_p_of_two_normals_is_the_closed_form() -> None:
    """α ~ N(1, 1), β ~ N(0, 1): P(β ≥ α) = Φ(−1/√2) = .2398."""
    generator = np.random.default_rng(1)
    result = expected_p(generator.normal(1, 1, 100_000), generator.normal(0, 1, 100_000))
    assert abs(result.p - stats.norm.cdf(-(2**-0.5))) < 4 * result.standard_error
    assert result.standard_error < 0.002


@pytest.mark.parametrize("shift", [0.0, 1.5, 6.0])
@pytest.mark.parametrize("correlation", [0.0, 0.7])
def test_standard_error_is_the_spread_over_repetitions(shift: float, correlation: float) -> None:
    """Over 1500 repetitions the SD of p matches the mean standard error within 15 % (its own error: 2 %).

    At a shift of 6 most repetitions have no pair on the wrong side: only the normal approximation knows the
    error there, and only its size can be asked for.
    """
    generator = np.random.default_rng(2)
    p, errors = [], []
    for _ in range(1500):
        common = generator.normal(size=100)
        own = np.sqrt(1 - correlation)
        alternative = shift + np.sqrt(correlation) * common + own * generator.normal(size=100)
        null = np.sqrt(correlation) * common + own * generator.normal(size=100)
        result = expected_p(alternative, null, paired=True)
        p.append(-result.p + 1.0 if result.flipped else result.p)
        errors.append(result.standard_error)
    ratio = np.sqrt(np.mean(np.square(errors))) / np.std(p)
    assert 0.5 < ratio < 2.0 if shift == 6.0 else abs(ratio - 1) < 0.15


def test_pairing_changes_the_error_and_not_the_p() -> None:
    generator = np.random.default_rng(3)
    common = generator.normal(size=500)
    alternative, null = common + 0.5, common + 0.1 * generator.normal(size=500)
    paired, apart = expected_p(alternative, null, paired=True), expected_p(alternative, null)
    assert paired.p == apart.p
    assert paired.standard_error < 0.5 * apart.standard_error


def test_no_pair_on_the_wrong_side_still_has_an_error() -> None:
    generator = np.random.default_rng(4)
    result = expected_p(generator.normal(6, 1, 1000), generator.normal(0, 1, 1000))
    assert result.p < 1e-4
    assert 0.0 < result.standard_error < 1e-4


def test_identical_effects_have_p_one() -> None:
    assert expected_p([0.0, 0.0], [0.0, 0.0]).p == 1.0
    assert expected_p([0.0, 0.0], [0.0, 0.0]).standard_error == 0.0


@given(observed=st.floats(-3, 3), null=effects)
@settings(deadline=None)
def test_p_value_is_its_definition(observed: float, null: list[float]) -> None:
    m = len(null)
    greater = (1 + sum(beta >= observed for beta in null)) / (1 + m)
    less = (1 + sum(beta <= observed for beta in null)) / (1 + m)
    assert p_value(observed, null).p == greater
    assert p_value(observed, null, alternative="less").p == less
    assert p_value(observed, null, alternative="two-sided").p == min(1.0, 2 * min(greater, less))
    assert 0.0 < p_value(observed, null).p <= 1.0


def test_p_value_agrees_with_scipy() -> None:
    """The same p as scipy's permutation_test gives from its own null distribution."""
    generator = np.random.default_rng(5)
    x, y = generator.normal(0.3, 1, 12), generator.normal(0, 1, 12)
    for alternative in ("greater", "less", "two-sided"):
        test = stats.permutation_test(
            (x, y),
            lambda x, y: x.mean() - y.mean(),
            permutation_type="samples",
            n_resamples=999,
            alternative=alternative,
            rng=6,
        )
        ours = p_value(test.statistic, test.null_distribution, alternative=alternative)
        assert ours.p == pytest.approx(test.pvalue, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: expected_p([], [1.0]), "alternative: no draws"),
        (lambda: expected_p([1.0], []), "null: no draws"),
        (lambda: expected_p([1.0, np.nan], [1.0]), "alternative: draw 1 is nan"),
        (lambda: expected_p([1.0], [np.inf]), "null: draw 0 is inf"),
        (lambda: expected_p([1.0], [1.0, 2.0], paired=True), "1 of the alternative, 2 of the null"),
        (lambda: p_value(np.nan, [1.0]), "observed effect: found nan"),
        (lambda: p_value(0.0, [1.0], alternative="both"), "found 'both'"),
    ],
)
def test_bad_draws_never_give_a_number(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(NbykError, match=message):
        call()
