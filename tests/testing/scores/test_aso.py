"""Almost Stochastic Order against exact fractions, its own symmetries and a bootstrap that sorts."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import nbyk
from nbyk.errors import NbykError
from nbyk.testing.scores.aso import aso_batch

whole = st.lists(st.integers(-6, 6), min_size=1, max_size=7)
real = st.lists(st.floats(-100, 100).map(lambda x: round(x, 6)), min_size=1, max_size=12)


def exact_ratio(a: Sequence[int | Fraction], b: Sequence[int | Fraction]) -> Fraction:
    """Return the ratio from its definition, over the merged breakpoints in fractions."""
    n, m = len(a), len(b)
    a, b = sorted(a), sorted(b)
    edges = sorted({Fraction(i, n) for i in range(n + 1)} | {Fraction(j, m) for j in range(m + 1)})
    total = violated = Fraction(0)
    for left, right in pairwise(edges):
        middle = (left + right) / 2
        difference = Fraction(a[math.ceil(n * middle) - 1]) - Fraction(b[math.ceil(m * middle) - 1])
        total += (right - left) * difference**2
        violated += (right - left) * difference**2 * (difference < 0)
    return violated / total if total else Fraction(1, 2)


@given(a=whole, b=whole)
@settings(max_examples=200, deadline=None)
def test_the_ratio_is_its_definition_in_fractions(a: list[int], b: list[int]) -> None:
    assert nbyk.violation_ratio(a, b) == pytest.approx(float(exact_ratio(a, b)), abs=1e-13)


def on_grid(a: list[float], b: list[float], cells: int) -> float:
    """Return the ratio on cells of equal length, each with the quantiles at its right end."""
    ends = np.arange(1, cells + 1)
    f, g = (np.sort(x)[-(-len(x) * ends // cells) - 1] for x in (a, b))
    total = float(((f - g) ** 2).sum())
    return float((np.minimum(f - g, 0.0) ** 2).sum()) / total if total else 0.5


@given(a=real, b=real)
@settings(max_examples=200, deadline=None)
def test_the_ratio_is_the_limit_of_the_grid(a: list[float], b: list[float]) -> None:
    """A cell is wrong only if it holds a breakpoint, and then by no more than its length times the largest
    squared difference; numerator and denominator are both wrong by at most that."""
    exact = nbyk.violation_ratio(a, b)
    n, m = len(a), len(b)
    assert on_grid(a, b, 7 * n * m) == pytest.approx(exact, abs=1e-9)
    x, y = (np.repeat(np.sort(values), times) for values, times in ((a, m), (b, n)))
    largest, mean = float(((x - y) ** 2).max()), float(((x - y) ** 2).mean())
    if mean > 0.0:
        for cells in (10**2, 10**3, 10**4, 10**5):
            error = (n + m) / cells * largest
            if error < 0.5 * mean:
                assert abs(on_grid(a, b, cells) - exact) <= 2.0 * error / (mean - error)


@given(a=real, b=real, shift=st.integers(-1000, 1000), exponent=st.integers(-300, 300))
@settings(max_examples=200, deadline=None)
def test_the_ratio_has_its_symmetries(a: list[float], b: list[float], shift: int, exponent: int) -> None:
    ratio = nbyk.violation_ratio(a, b)
    assert 0.0 <= ratio <= 1.0
    assert ratio + nbyk.violation_ratio(b, a) == pytest.approx(1.0, abs=1e-12)
    assert nbyk.violation_ratio(a[::-1], sorted(b)) == ratio
    assert nbyk.violation_ratio([-x for x in b], [-x for x in a]) == pytest.approx(ratio, abs=1e-12)
    scale = 2.0**exponent
    assert nbyk.violation_ratio([scale * x for x in a], [scale * x for x in b]) == ratio
    whole_a, whole_b = [round(x) for x in a], [round(x) for x in b]
    moved = nbyk.violation_ratio([x + shift for x in whole_a], [x + shift for x in whole_b])
    assert moved == pytest.approx(nbyk.violation_ratio(whole_a, whole_b), abs=1e-12)


def test_extremes() -> None:
    assert nbyk.violation_ratio([2, 3, 4], [1, 1, 1, 1]) == 0.0
    assert nbyk.violation_ratio([0.0], [1.0, 2.0]) == 1.0
    assert nbyk.violation_ratio([1, 2, 3], [3, 1, 2]) == 0.5
    assert nbyk.violation_ratio([1, 2], [1, 1, 2, 2]) == 0.5
    assert nbyk.aso([4.0] * 6, [4.0] * 5).eps_min == 0.5


def all_resamples(a: list[int], b: list[int]) -> list[float]:
    return [
        float(exact_ratio(x, y)) for x, y in product(product(a, repeat=len(a)), product(b, repeat=len(b)))
    ]


def test_bootstrap_variance_is_that_of_all_resamples() -> None:
    """27 × 16 resamples in fractions; 200,000 draws, whose standard deviation has an error of about 0.2 %."""
    a, b = [0, 3, 4], [1, 5]
    exact = np.array(all_resamples(a, b))
    with pytest.warns(UserWarning, match="once in 10 times"):
        result = nbyk.aso(a, b, n_resamples=200_000, keep_resamples=True)
    assert result.resampled is not None
    assert set(np.round(result.resampled, 12)) == set(np.round(exact, 12))
    error = result.monte_carlo_error / stats.norm.ppf(0.95)
    assert abs(result.standard_error - exact.std()) < 4.5 * error
    assert error < 0.003 * result.standard_error
    assert abs(result.resampled.mean() - exact.mean()) < 4.5 * exact.std() / math.sqrt(200_000)


@pytest.mark.parametrize(("n", "m"), [(5, 5), (12, 7), (30, 41)])
def test_resamples_are_those_of_drawing_and_sorting(n: int, m: int) -> None:
    """20,000 resamples of either implementation come from one distribution."""
    generator = np.random.default_rng([7, n, m])
    a, b = generator.normal(0.3, 1, n), generator.normal(0, 1.3, m)
    resampled = nbyk.aso(a, b, n_resamples=20_000, keep_resamples=True).resampled
    direct = []
    for _ in range(20_000):
        x, y = np.sort(generator.choice(a, n)), np.sort(generator.choice(b, m))
        difference = np.repeat(x, m) - np.repeat(y, n)
        direct.append((difference[difference < 0] ** 2).sum() / (difference**2).sum())
    assert resampled is not None
    assert stats.ks_2samp(resampled, direct).pvalue > 0.001
    assert np.std(resampled) == pytest.approx(np.std(direct), rel=0.03)


def test_eps_min_is_equations_3_and_4() -> None:
    generator = np.random.default_rng(1)
    a, b = generator.normal(0.8, 1, 14), generator.normal(0, 1, 9)
    result = nbyk.aso(a, b, keep_resamples=True, confidence_level=0.9)
    assert result.resampled is not None
    n, m = 14, 9
    sigma = np.std(math.sqrt(n * m / (n + m)) * (result.resampled - result.violation_ratio), ddof=1)
    expected = result.violation_ratio - math.sqrt((n + m) / (n * m)) * sigma * stats.norm.ppf(0.1)
    assert 0.0 < expected < 1.0
    assert result.eps_min == pytest.approx(expected, abs=1e-12)


def test_eps_min_grows_with_confidence_and_comparisons_and_stays_in_its_range() -> None:
    generator = np.random.default_rng(2)
    a, b = generator.normal(0.6, 1, 20), generator.normal(0, 1, 20)
    by_level = [
        nbyk.aso(a, b, confidence_level=level).eps_min for level in (0.05, 0.5, 0.8, 0.9, 0.95, 0.999)
    ]
    assert by_level == sorted(by_level)
    assert len(set(by_level)) > 3
    assert by_level[1] == pytest.approx(nbyk.violation_ratio(a, b))
    assert by_level[0] >= 0.0
    assert by_level[-1] <= 1.0


def test_neither_threads_nor_batches_nor_longer_runs_change_a_number() -> None:
    generator = np.random.default_rng(3)
    a, b = generator.normal(size=(9, 11)), generator.normal(size=(9, 6))
    whole_batch = aso_batch(a, b, n_resamples=700)
    for threads, rows in ((3, 9), (1, 4)):
        part = aso_batch(a[:rows], b[:rows], n_resamples=700, threads=threads)
        np.testing.assert_array_equal(part, whole_batch[:rows])
    alike = aso_batch(np.tile(a[0], (5, 1)), np.tile(b[0], (5, 1)), n_resamples=700)
    assert len(set(alike)) == 5, "rows have draws of their own"
    one = nbyk.aso(a[0], b[0], n_resamples=700, keep_resamples=True)
    assert one.eps_min == whole_batch[0]
    assert one.violation_ratio == nbyk.violation_ratio(a[0], b[0])
    more = nbyk.aso(a[0], b[0], n_resamples=1500, keep_resamples=True, threads=2)
    assert one.resampled is not None
    assert more.resampled is not None
    np.testing.assert_array_equal(more.resampled[:700], one.resampled)
    done: list[int] = []
    nbyk.aso(a[0], b[0], n_resamples=1500, threads=2, progress=done.append)
    assert sum(done) == 1500


def test_the_reverse_comes_from_the_same_resamples() -> None:
    generator = np.random.default_rng(4)
    a, b = generator.normal(0.2, 1, 10), generator.normal(0, 1, 12)
    result = nbyk.aso(a, b, keep_resamples=True)
    reverse = result.reversed()
    assert reverse.violation_ratio == pytest.approx(nbyk.violation_ratio(b, a))
    assert (reverse.n_a, reverse.n_b) == (12, 10)
    assert reverse.reversed().eps_min == pytest.approx(result.eps_min)
    assert reverse.eps_min == pytest.approx(nbyk.aso(b, a, n_resamples=50_000).eps_min, abs=0.03)


@pytest.mark.statistics
def test_the_bound_misses_as_often_as_its_level_where_the_ratio_is_one_half() -> None:
    """N(0, 1) over N(0, 2²) has a ratio of one half by symmetry, and an estimate that is nearly normal at
    n = 300: of 2000 bounds at 95 %, the share below one half lies in the binomial band of .05 (99.9 %)."""
    generator = np.random.default_rng(5)
    a, b = generator.normal(0, 1, (2000, 300)), generator.normal(0, 2, (2000, 300))
    missed = int((aso_batch(a, b, n_resamples=300) < 0.5).sum())
    low, high = stats.binom.interval(0.999, 2000, 0.05)
    assert low <= missed <= high


def test_too_few_scores() -> None:
    with pytest.raises(NbykError, match="b: found 1 score, expected at least 2"):
        nbyk.aso([1.0, 2.0], [1.0])
    with pytest.warns(UserWarning, match="once in 10 times"):
        assert nbyk.aso([2.0, 3.0, 4.0], [0.0, 1.0]).eps_min == 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nbyk.aso([1, 2, 3, 4, 5], [2, 3, 4, 5, 7])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence_level": 1.0}, "confidence_level: found 1.0"),
        ({"confidence_level": 95}, "confidence_level: found 95"),
        ({"n_comparisons": 0}, "n_comparisons: found 0"),
        ({"n_resamples": 1}, "n_resamples: found 1, expected a whole number of at least 2"),
    ],
)
def test_bad_options_are_named(options: dict[str, float], message: str) -> None:
    with pytest.raises(NbykError, match=message):
        nbyk.aso([1, 2, 3, 4, 5], [1, 2, 3, 4, 6], **options)  # type: ignore[arg-type]


def test_uncertainty_reduction_is_the_papers() -> None:
    assert nbyk.aso_uncertainty_reduction(5, 5, 10, 10) == pytest.approx(1.414, abs=5e-4)
    assert nbyk.aso_uncertainty_reduction(5, 5, 15, 15) == pytest.approx(1.732, abs=5e-4)
    assert nbyk.aso_sizes(5, 8, math.sqrt(2)) == (10, 16)
    assert nbyk.aso_sizes(5, 5, 1.0) == (5, 5)
    assert nbyk.aso_uncertainty_reduction(5, 7, *nbyk.aso_sizes(5, 7, 1.3)) >= 1.3
    with pytest.raises(NbykError, match="m_new: found 0"):
        nbyk.aso_uncertainty_reduction(5, 5, 5, 0)
    with pytest.raises(NbykError, match=r"reduction: found 0\.5"):
        nbyk.aso_sizes(5, 5, 0.5)


def test_last_digits_decide_no_order() -> None:
    sums, tenths = [0.1 + 0.2] * 5, [0.3] * 5
    for result in (nbyk.aso(sums, tenths), nbyk.aso(tenths, sums)):
        assert (result.violation_ratio, result.eps_min) == (0.5, 0.5)
    assert nbyk.violation_ratio([0.1 + 0.2, 0.5], [0.3, 0.6]) == 1.0
