"""Permutation tests and approximate randomisation against full enumeration and scipy."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import nbyk
from nbyk.errors import NbykError
from nbyk.testing.scores.battery import p_values
from nbyk.testing.scores.subset_sums import ANY_SIZE, is_feasible

SIDES = ("greater", "less", "two-sided")
tenths = st.lists(st.integers(-5, 5), min_size=1, max_size=6)


def p_of(null: list[Fraction], observed: Fraction, alternative: str) -> float:
    greater = sum(value >= observed for value in null) / len(null)
    less = sum(value <= observed for value in null) / len(null)
    return {"greater": greater, "less": less, "two-sided": min(1.0, 2 * min(greater, less))}[alternative]


def mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


@given(a=tenths, b=tenths, alternative=st.sampled_from(SIDES))
@settings(max_examples=150, deadline=None)
def test_permutation_is_all_deals_in_fractions(a: list[int], b: list[int], alternative: str) -> None:
    """Scores are tenths, so that sums that tie in fractions differ by rounding in binary."""
    pool = [Fraction(x, 10) for x in a + b]
    null = []
    for chosen in combinations(range(len(pool)), len(a)):
        rest = [i for i in range(len(pool)) if i not in chosen]
        null.append(mean([pool[i] for i in chosen]) - mean([pool[i] for i in rest]))
    result = nbyk.score_test("permutation", [x / 10 for x in a], [x / 10 for x in b], alternative=alternative)
    assert result.exact
    assert result.pvalue.standard_error == 0.0
    assert result.n_resamples == len(null)
    assert result.p == pytest.approx(p_of(null, null[0], alternative), abs=1e-12)


@given(
    pairs=st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=1, max_size=9),
    alternative=st.sampled_from(SIDES),
)
@settings(max_examples=150, deadline=None)
def test_randomisation_is_all_swaps_in_fractions(pairs: list[tuple[int, int]], alternative: str) -> None:
    differences = [Fraction(x - y, 10) for x, y in pairs]
    null = [
        mean([sign * d for sign, d in zip(signs, differences, strict=True)])
        for signs in product((1, -1), repeat=len(pairs))
    ]
    a, b = ([pair[system] / 10 for pair in pairs] for system in (0, 1))
    result = nbyk.score_test("approximate_randomisation", a, b, alternative=alternative)
    assert result.exact
    assert result.p == pytest.approx(p_of(null, mean(differences), alternative), abs=1e-12)


@pytest.mark.parametrize(("n", "m"), [(6, 6), (3, 9), (9, 4)])
@pytest.mark.parametrize("alternative", SIDES)
def test_exact_tests_agree_with_scipy(n: int, m: int, alternative: str) -> None:
    generator = np.random.default_rng([1, n, m])
    a, b = generator.normal(0.5, 1, n), generator.normal(0, 1, m)

    def difference(x: np.ndarray, y: np.ndarray, axis: int) -> np.ndarray:  # type: ignore[type-arg]
        return x.mean(axis=axis) - y.mean(axis=axis)

    theirs = stats.permutation_test((a, b), difference, alternative=alternative, n_resamples=10**6)
    ours = nbyk.score_test("permutation", a, b, alternative=alternative, keep_null=True)
    assert ours.statistic == pytest.approx(theirs.statistic)
    assert ours.p == pytest.approx(theirs.pvalue, abs=1e-12)
    np.testing.assert_allclose(np.sort(ours.null), np.sort(theirs.null_distribution), atol=1e-12)
    a, b = a[: min(n, m)], b[: min(n, m)]
    theirs = stats.permutation_test(
        (a, b), difference, permutation_type="samples", alternative=alternative, n_resamples=10**6
    )
    ours = nbyk.score_test("approximate_randomisation", a, b, alternative=alternative, keep_null=True)
    assert ours.p == pytest.approx(theirs.pvalue, abs=1e-12)
    np.testing.assert_allclose(np.sort(ours.null), np.sort(theirs.null_distribution), atol=1e-12)


def test_p_values_are_exactly_uniform_under_the_null() -> None:
    """Of all C(8, 3) deals, and all 2⁷ swaps, of different scores each has a p-value of its own."""
    generator = np.random.default_rng(2)
    pool = generator.normal(size=8)
    p = []
    for chosen in combinations(range(8), 3):
        rest = [i for i in range(8) if i not in chosen]
        p.append(nbyk.score_test("permutation", pool[list(chosen)], pool[rest], alternative="greater").p)
    np.testing.assert_allclose(np.sort(p), np.arange(1, 57) / 56)
    a, b = generator.normal(size=(2, 7))
    swaps = np.array(list(product((True, False), repeat=7)))
    of_a, of_b = np.where(swaps, b, a), np.where(swaps, a, b)
    np.testing.assert_allclose(
        np.sort(p_values("approximate_randomisation", of_a, of_b, alternative="greater")),
        np.arange(1, 129) / 128,
    )


@pytest.mark.parametrize(("n", "m"), [(10, 10), (4, 13), (13, 5)])
@pytest.mark.parametrize("alternative", SIDES)
def test_drawn_nulls_agree_with_enumerated_ones(n: int, m: int, alternative: str) -> None:
    """100,000 draws against the exact p, by 4.5 Monte-Carlo standard errors."""
    generator = np.random.default_rng([3, n, m])
    a, b = generator.normal(0.3, 1, n), generator.normal(0, 1, m)
    for test, x, y in (
        ("permutation", a, b),
        ("approximate_randomisation", a[: min(n, m)], b[: min(n, m)]),
    ):
        exact = nbyk.score_test(test, x, y, alternative=alternative, keep_null=True)
        drawn = nbyk.score_test(
            test, x, y, alternative=alternative, exact_up_to=0, n_resamples=100_000, keep_null=True
        )
        assert exact.exact
        assert not drawn.exact
        assert abs(drawn.p - exact.p) < 4.5 * drawn.pvalue.standard_error + 1e-5
        expected = (
            math.sqrt(exact.p / 2 * (1 - exact.p / 2) * 4 / 1e5) if alternative == "two-sided" else None
        )
        assert expected is None or drawn.pvalue.standard_error == pytest.approx(expected, rel=0.05)
        assert exact.null is not None
        assert drawn.null is not None
        assert drawn.null.mean() == pytest.approx(exact.null.mean(), abs=4.5 * exact.null.std() / 316)
        assert drawn.null.std() == pytest.approx(exact.null.std(), rel=0.02)


def test_large_samples_are_drawn_and_agree_with_the_normal_limit() -> None:
    generator = np.random.default_rng(4)
    a, b = generator.normal(0.1, 1, 900), generator.normal(0, 1, 700)
    t = stats.ttest_ind(a, b, alternative="greater").pvalue
    drawn = nbyk.score_test("permutation", a, b, n_resamples=50_000, alternative="greater")
    assert not drawn.exact
    assert abs(drawn.p - t) < 4.5 * drawn.pvalue.standard_error + 0.002
    paired = nbyk.score_test(
        "approximate_randomisation", a[:700], b, n_resamples=50_000, alternative="greater"
    )
    t = stats.ttest_rel(a[:700], b, alternative="greater").pvalue
    assert abs(paired.p - t) < 4.5 * paired.pvalue.standard_error + 0.002


def test_scores_far_from_zero_tie_as_those_near_it() -> None:
    a, b = np.array([3.0, 1, 4, 1, 5]), np.array([2.0, 7, 1, 8])
    near = nbyk.score_test("permutation", a, b).p
    assert nbyk.score_test("permutation", a + 2.0**40, b + 2.0**40).p == near
    assert nbyk.score_test("permutation", a * 1e-12, b * 1e-12).p == near
    assert nbyk.score_test("permutation", [0.7, 0.7], [0.7, 0.7, 0.7]).p == 1.0
    assert nbyk.score_test("approximate_randomisation", [0.1 + 0.2, 0.5], [0.3, 0.5]).p == 1.0


def test_neither_threads_nor_batches_nor_longer_runs_change_a_number() -> None:
    generator = np.random.default_rng(5)
    a, b = generator.normal(size=(7, 25)), generator.normal(size=(7, 25))
    for many in ("permutation", "approximate_randomisation"):
        one = partial(nbyk.score_test, many)
        p = p_values(many, a, b, n_resamples=900, exact_up_to=0)
        np.testing.assert_array_equal(p_values(many, a, b, n_resamples=900, exact_up_to=0, threads=3), p)
        np.testing.assert_array_equal(p_values(many, a[:3], b[:3], n_resamples=900, exact_up_to=0), p[:3])
        alike = p_values(many, np.tile(a[0], (5, 1)), np.tile(b[0], (5, 1)), n_resamples=900, exact_up_to=0)
        assert len(set(alike)) > 1, "rows have draws of their own"
        short = one(a[0], b[0], n_resamples=900, exact_up_to=0, keep_null=True)
        longer = one(a[0], b[0], n_resamples=2000, exact_up_to=0, keep_null=True, threads=2)
        assert short.p == p[0]
        assert short.null is not None
        assert longer.null is not None
        np.testing.assert_array_equal(longer.null[:900], short.null)
        done: list[int] = []
        one(a[0], b[0], n_resamples=900, exact_up_to=0, threads=2, progress=done.append)
        assert sum(done) == 900
        exact = p_values(many, a[:, :9], b[:, :9])
        np.testing.assert_array_equal(p_values(many, a[:, :9], b[:, :9], threads=2), exact)


def test_enumeration_stays_within_bounds() -> None:
    """One score against many is exact by its rank, and what would take too long is drawn."""
    generator = np.random.default_rng(6)
    many = generator.normal(size=1500)
    result = nbyk.score_test("permutation", [2.5], many, alternative="greater")
    assert result.exact
    assert result.p == pytest.approx((1 + (many >= 2.5).sum()) / 1501)
    assert is_feasible(40, 20)
    assert not is_feasible(80, 40)
    assert not is_feasible(40_000, 2)
    assert is_feasible(44, ANY_SIZE)
    assert not is_feasible(60, ANY_SIZE)
    assert not nbyk.score_test("permutation", many[:2], many, n_resamples=50, alternative="greater").exact
    assert nbyk.score_test(
        "permutation", many[:20], many[20:40], exact_up_to=10**12, alternative="greater"
    ).exact


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: nbyk.score_test("permutation", [1.0], [2.0], n_resamples=0), "n_resamples: found 0"),
        (lambda: nbyk.score_test("permutation", range(15), range(15), keep_null=True), "exact_up_to=0"),
    ],
)
def test_bad_options_are_named(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(NbykError, match=message):
        call()


@pytest.mark.parametrize("test", ["approximate_randomisation", "permutation"])
def test_no_difference_has_no_sign(test: str) -> None:
    found = nbyk.score_test(test, [1.0, 2.0, 3.0], [2.0, 3.0, 1.0])
    assert (found.statistic, np.signbit(found.statistic)) == (0.0, False)
