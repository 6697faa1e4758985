"""Bootstrap tests against their definition and against direct resampling; power analysis against loops."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
import pytest
from scipy import stats

import nbyk
from nbyk.errors import NbykError
from nbyk.testing.scores.battery import p_values

SIDES = ("greater", "less", "two-sided")
M = 100_000


def exact_p(null: np.ndarray, delta: float, alternative: str) -> float:  # type: ignore[type-arg]
    greater, less = (null >= 2 * delta - 1e-12).mean(), (null <= 2 * delta + 1e-12).mean()
    p = {"greater": greater, "less": less, "two-sided": min(1.0, 2 * min(greater, less))}[alternative]
    return float(p)


@pytest.mark.parametrize("alternative", SIDES)
def test_bootstrap_is_that_of_all_resamples(alternative: str) -> None:
    """All 4⁴ × 3³ unpaired and 5⁵ paired resamples of whole numbers, ties included; 4.5 standard errors."""
    a, b = np.array([1.0, 3, 2, 5]), np.array([2.0, 0, 3])
    null = np.array([np.mean(x) - np.mean(y) for x in product(a, repeat=4) for y in product(b, repeat=3)])
    result = nbyk.score_test("bootstrap", a, b, alternative=alternative, n_resamples=M, keep_null=True)
    assert result.statistic == pytest.approx(a.mean() - b.mean())
    exact = exact_p(null, a.mean() - b.mean(), alternative)
    assert abs(result.p - exact) < 4.5 * result.pvalue.standard_error + 1e-5
    assert result.null is not None
    assert abs(result.null.mean()) < 4.5 * null.std() / np.sqrt(M)
    assert result.null.std() == pytest.approx(null.std(), rel=0.02)
    d = np.array([1.0, -1, 0, 2, 1])
    other = np.array([0.5, 0.1, 0.2, 0.9, 0.4])
    null = np.array([np.mean(x) for x in product(d, repeat=5)])
    result = nbyk.score_test("paired_bootstrap", d + other, other, alternative=alternative, n_resamples=M)
    assert abs(result.p - exact_p(null, 0.6, alternative)) < 4.5 * result.pvalue.standard_error + 1e-5


def test_smoothing_counts_the_observed() -> None:
    a, b = [3.0, 4.0, 5.0, 6.0], [0.0, 0.1, 0.2]
    assert nbyk.score_test("bootstrap", a, b, n_resamples=999, alternative="greater").p == 1 / 1000
    plain = p_values("bootstrap", [a], [b], n_resamples=999, smoothing=False, alternative="greater")
    assert plain.tolist() == [0.0]


def test_neither_threads_nor_batches_nor_longer_runs_change_a_number() -> None:
    generator = np.random.default_rng(1)
    a, b = generator.normal(size=(8, 13)), generator.normal(size=(8, 13))
    for paired in (False, True):
        test = "paired_bootstrap" if paired else "bootstrap"
        p = p_values(test, a, b, n_resamples=1200)
        np.testing.assert_array_equal(p_values(test, a, b, n_resamples=1200, threads=3), p)
        np.testing.assert_array_equal(p_values(test, a[:2], b[:2], n_resamples=1200), p[:2])
        alike = p_values(test, np.tile(a[0], (5, 1)), np.tile(b[0], (5, 1)), n_resamples=1200)
        assert len(set(alike)) > 1, "rows have draws of their own"
        short = nbyk.score_test(test, a[0], b[0], n_resamples=1200, keep_null=True)
        longer = nbyk.score_test(test, a[0], b[0], n_resamples=3000, keep_null=True, threads=2)
        assert short.p == p[0]
        np.testing.assert_array_equal(longer.null[:1200], short.null)  # type: ignore[index]
    shifted = p_values("bootstrap", a + 1e6, b + 1e6, n_resamples=1200)
    np.testing.assert_array_equal(shifted, p_values("bootstrap", a, b, n_resamples=1200))


def test_power_is_that_of_a_loop_over_resamples() -> None:
    """Welch's t, 5000 pairs of resamples of either; the difference of two shares, by 4.5 standard errors."""
    generator = np.random.default_rng(2)
    scores = generator.gamma(4.0, 1.0, 10)
    for lift_is, lifted in (("factor", 1.25 * scores), ("shift", scores + 1.25)):
        found = nbyk.bootstrap_power_analysis(scores, lift_is=lift_is, alternative="greater")  # type: ignore[arg-type]
        a, b = generator.choice(lifted, (5000, 10)), generator.choice(scores, (5000, 10))
        share = (stats.ttest_ind(a, b, axis=1, equal_var=False, alternative="greater").pvalue <= 0.05).mean()
        assert 0.05 < found.power < 0.95
        assert abs(found.power - share) < 4.5 * np.sqrt(2 * share * (1 - share) / 5000)
        assert found.low < found.power < found.high
    assert nbyk.bootstrap_power_analysis(scores, lift=1.0, alternative="greater").power == pytest.approx(
        0.05, abs=0.02
    )


def test_power_takes_any_test() -> None:
    scores = np.random.default_rng(3).normal(5, 1, 12)
    by_name = nbyk.bootstrap_power_analysis(scores, test="bootstrap", n_resamples=300)
    again = nbyk.bootstrap_power_analysis(scores, test=partial(p_values, "bootstrap"), n_resamples=300)
    assert by_name == again
    assert nbyk.bootstrap_power_analysis(scores, seed=1, n_resamples=300) != by_name


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: nbyk.bootstrap_power_analysis([1.0, -1.0]),
            "found -1, and a factor lifts only scores that are not",
        ),
        (lambda: nbyk.bootstrap_power_analysis([1.0]), "expected at least 2"),
        (lambda: nbyk.bootstrap_power_analysis([1.0, 2.0], alpha=5.0), "alpha: found 5.0"),
        (lambda: nbyk.bootstrap_power_analysis([1.0, 2.0], lift=np.inf), "lift: found inf"),
        (
            lambda: nbyk.bootstrap_power_analysis([1.0, 2.0], lift=np.nan),
            "lift: found nan, expected a factor",
        ),
        (
            lambda: nbyk.bootstrap_power_analysis([1.0, 2.0], lift=-1.0),
            "lift: found -1, expected a factor of",
        ),
        (
            lambda: nbyk.bootstrap_power_analysis([1.0, 2.0], lift=0.5),
            "lift: found 0.5, expected a factor of",
        ),
        (
            lambda: nbyk.bootstrap_power_analysis([1.0, 2.0], lift=-1.0, lift_is="shift"),
            "lift: found -1, expected a shift of at least 0",
        ),
        (lambda: nbyk.bootstrap_power_analysis([1.0, 2.0], lift=1e200), "lift: found 1e\\+200, which lifts"),
        (lambda: nbyk.bootstrap_power_analysis([1.0, 2.0], n_resamples=0), "n_resamples: found 0"),
        (lambda: nbyk.bootstrap_power_analysis([1.0, 2.0], lift_is="add"), "lift_is: found 'add'"),  # type: ignore[arg-type]
        (lambda: nbyk.bootstrap_power_analysis([1.0, 2.0], test="welch"), "did you mean welch_t"),
        (lambda: nbyk.score_test("bootstrap", [1.0, 2.0], [1.0, 1.5], n_resamples=0), "n_resamples: found 0"),
        (
            lambda: nbyk.score_test("bootstrap", [1.0, 2.0], [1.0, 1.5], seed=-1),
            "seed: found -1, expected a seed",
        ),
        (
            lambda: nbyk.score_test("bootstrap", [1.0, 2.0], [1.0, 1.5], seed=1.5),
            "seed: found 1.5, expected a seed",
        ),
        (lambda: nbyk.score_test("bootstrap", [1.0], [0.0, 0.1]), "a: found 1 score, expected at least 2"),
        (lambda: nbyk.score_test("paired_bootstrap", [1.0], [0.0]), "a: found 1 score, expected at least 2"),
    ],
)
def test_bad_options_are_named(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(NbykError, match=message):
        call()
