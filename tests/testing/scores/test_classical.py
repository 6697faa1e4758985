"""The classical tests and corrections: scipy's and statsmodels' numbers, and clear refusals."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import nbyk
from nbyk.errors import NbykError
from nbyk.testing.pvalues import Alternative
from nbyk.testing.scores.battery import p_values

SIDES: tuple[Alternative, ...] = ("greater", "less", "two-sided")


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("n", [6, 30])
def test_they_are_scipys(alternative: str, n: int) -> None:
    generator = np.random.default_rng(n)
    a, b = generator.normal(0.3, 1, n), generator.normal(0, 2, n)
    pairs = (
        (
            nbyk.score_test("welch_t", a, b, alternative=alternative),
            stats.ttest_ind(a, b, equal_var=False, alternative=alternative),
        ),
        (
            nbyk.score_test("wilcoxon", a, b, alternative=alternative),
            stats.wilcoxon(a, b, alternative=alternative),
        ),
        (
            nbyk.score_test("mann_whitney", a, b, alternative=alternative),
            stats.mannwhitneyu(a, b, alternative=alternative),
        ),
    )
    for ours, theirs in pairs:
        assert ours.p == pytest.approx(theirs.pvalue, rel=1e-12)
        assert ours.statistic == pytest.approx(theirs.statistic)
        assert ours.pvalue.standard_error == 0.0
        assert (ours.n_a, ours.n_b, ours.alternative) == (n, n, alternative)


def test_methods_are_passed_on() -> None:
    generator = np.random.default_rng(1)
    a, b = generator.normal(0.3, 1, 9), generator.normal(0, 2, 9)
    assert (
        nbyk.score_test("wilcoxon", a, b, method="approx", alternative="greater").p
        == stats.wilcoxon(a, b, alternative="greater", method="asymptotic").pvalue
    )
    assert (
        nbyk.score_test("mann_whitney", a, b, method="asymptotic", alternative="greater").p
        != nbyk.score_test("mann_whitney", a, b, method="exact", alternative="greater").p
    )
    with pytest.raises(NbykError, match="scipy refused"):
        nbyk.score_test("mann_whitney", a, b, method="precise", alternative="greater")


def test_what_is_undefined_is_refused_and_nan_in_a_batch() -> None:
    same, other = [1.0, 1.0, 1.0], [2.0, 2.0, 2.0]
    with pytest.raises(NbykError, match="neither sample varies"):
        nbyk.score_test("welch_t", same, other)
    with pytest.raises(NbykError, match="all pairs tie"):
        nbyk.score_test("wilcoxon", [1.0, 2.0], [1.0, 2.0])
    with pytest.raises(NbykError, match="all scores are equal"):
        nbyk.score_test("mann_whitney", same, same)
    rows = np.array([[1.0, 1.0, 1.0], [1.0, 2.0, 4.0]])
    for p in (
        p_values("welch_t", rows, np.ones((2, 3))),
        p_values("wilcoxon", rows, np.ones((2, 3))),
        p_values("mann_whitney", rows, np.ones((2, 3))),
    ):
        np.testing.assert_array_equal(np.isnan(p), [True, False])


def by_definition(p: list[float], method: str) -> list[float]:
    """Return corrected p-values, each by its step-down or step-up rule."""
    m = len(p)
    order = sorted(range(m), key=lambda i: p[i])
    out = [0.0] * m
    if method == "bonferroni":
        return [min(1.0, m * value) for value in p]
    if method == "holm":
        running = 0.0
        for rank, i in enumerate(order):
            running = max(running, (m - rank) * p[i])
            out[i] = min(1.0, running)
        return out
    running = 1.0
    for rank, i in reversed(list(enumerate(order, start=1))):
        running = min(running, m * p[i] / rank)
        out[i] = running
    return out


@given(
    p=st.lists(st.floats(0, 1), min_size=1, max_size=12),
    method=st.sampled_from(["bonferroni", "holm", "benjamini_hochberg"]),
)
@settings(max_examples=50, deadline=None)
def test_corrections_are_their_definitions(p: list[float], method: str) -> None:
    np.testing.assert_allclose(nbyk.correct_p_values(p, method), by_definition(p, method), atol=1e-12)


def test_results_can_be_corrected_as_they_are() -> None:
    results = [nbyk.score_test("permutation", [3, 4, 5], [1, 2, shift]) for shift in (0, 3, 4)]
    np.testing.assert_allclose(
        nbyk.correct_p_values(results, "bonferroni"), np.minimum(1, [3 * r.p for r in results])
    )
    with pytest.raises(NbykError, match=r"value 1 is 1\.5"):
        nbyk.correct_p_values([0.1, 1.5])
    with pytest.raises(NbykError, match="value 0 is nan"):
        nbyk.correct_p_values([np.nan, 0.1])
    with pytest.raises(NbykError, match="did you mean bonferroni"):
        nbyk.correct_p_values([0.1], "bonferoni")


@pytest.fixture(scope="module")
def whole_numbers() -> tuple[np.ndarray, np.ndarray, list[float]]:
    """Scores of A and B with ties, and scipy's p-values, which take it long."""
    a, b = np.random.default_rng(4).integers(0, 11, (2, 20, 9)).astype(float)
    return a, b, [stats.wilcoxon(x, y).pvalue for x, y in zip(a, b, strict=True)]


@pytest.mark.parametrize("unit", [1.0, 0.1, 0.01, 100.0, 1 / 3])
def test_signed_ranks_do_not_depend_on_the_unit_of_the_scores(
    unit: float, whole_numbers: tuple[np.ndarray, np.ndarray, list[float]]
) -> None:
    a, b, expected = whole_numbers
    np.testing.assert_allclose(p_values("wilcoxon", unit * a, unit * b), expected, rtol=1e-12)


def test_signed_ranks_of_tenths_are_those_of_whole_numbers() -> None:
    a, b = np.array([[7, 3, 4, 6, 9, 5, 8, 2], [6, 2, 3, 7, 8, 3, 5, 1]])
    p = nbyk.score_test("wilcoxon", a, b).p
    assert nbyk.score_test("wilcoxon", a / 10, b / 10).p == p == pytest.approx(0.0547, abs=5e-5)
    nearly = nbyk.score_test("wilcoxon", a / 10 + [0.1 + 0.2 - 0.3] * 8, b / 10)
    assert nearly.p == p


few = st.lists(st.integers(0, 4), min_size=2, max_size=8)


def of_all(sums: list[float], observed: float, alternative: str) -> float:
    """Return p of a sum among all that are equally likely."""
    greater, less = (
        np.mean(np.array(sums) >= observed - 1e-9),
        np.mean(np.array(sums) <= observed + 1e-9),
    )
    p = {"greater": greater, "less": less, "two-sided": min(1.0, 2.0 * min(greater, less))}
    return float(p[alternative])


@given(
    scores=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=8),
    unit=st.sampled_from([1.0, 0.1, 1 / 3]),
)
@settings(max_examples=60, deadline=None)
def test_exact_signed_ranks_with_ties_count_all_signs(scores: list[tuple[int, int]], unit: float) -> None:
    a, b = np.array(scores, dtype=float).T
    differences = (a - b)[a != b]
    if not differences.size:
        return
    ranks = stats.rankdata(np.abs(differences))
    sums = [float(ranks @ signs) for signs in product((0.0, 1.0), repeat=len(ranks))]
    observed = float(ranks[differences > 0].sum())
    for side in SIDES:
        found = nbyk.score_test("wilcoxon", unit * a, unit * b, method="exact", alternative=side)
        assert found.p == pytest.approx(of_all(sums, observed, side))
        assert found.least_p == pytest.approx(min(of_all(sums, extreme, side) for extreme in {*sums}))


@given(a=few, b=few, unit=st.sampled_from([1.0, 0.1, 1 / 3]))
@settings(max_examples=60, deadline=None)
def test_exact_rank_sums_with_ties_count_all_deals(a: list[int], b: list[int], unit: float) -> None:
    if len({*a, *b}) == 1:
        return
    ranks = stats.rankdata([*a, *b])
    sums = [float(ranks[list(deal)].sum()) for deal in combinations(range(len(ranks)), len(a))]
    observed = float(ranks[: len(a)].sum())
    for side in SIDES:
        scores = unit * np.array(a), unit * np.array(b)
        found = nbyk.score_test("mann_whitney", *scores, method="exact", alternative=side)
        assert found.p == pytest.approx(of_all(sums, observed, side))
        assert found.least_p == pytest.approx(min(of_all(sums, extreme, side) for extreme in {*sums}))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([2, 2, 2], [1, 1, 1, 1]),
        ([5, 5, 5, 4], [3, 3, 3, 3]),
        ([1], [2, 2, 3]),
        ([1, 0], [1] * 6 + [0] * 234),
    ],
)
@pytest.mark.parametrize("side", SIDES)
def test_few_scores_with_ties_are_exact_by_default(a: list[float], b: list[float], side: Alternative) -> None:
    """The normal law gives .025 for .057 to three scores above four."""
    ranks = stats.rankdata([*a, *b])
    sums = [float(ranks[list(deal)].sum()) for deal in combinations(range(len(ranks)), len(a))]
    found = nbyk.score_test("mann_whitney", a, b, alternative=side)
    assert found.p == pytest.approx(of_all(sums, float(ranks[: len(a)].sum()), side))


@pytest.mark.parametrize("unit", [2.0**-1000, 1e-170, 1e150])
def test_welchs_p_does_not_depend_on_the_unit_of_the_scores(unit: float) -> None:
    """Squares of 1e-170 are 0, and their p would be."""
    a, b = np.random.default_rng(0).normal(0.5, 1.0, (2, 7))
    assert nbyk.score_test("welch_t", unit * a, unit * b).p == pytest.approx(
        nbyk.score_test("welch_t", a, b).p, rel=1e-9
    )


def test_intervals_of_very_large_scores_are_those_of_others() -> None:
    a, b = np.random.default_rng(0).normal(0.5, 1.0, (2, 7))
    for test in ("permutation", "welch_t", "mann_whitney"):
        plain, large = (nbyk.score_test(test, unit * a, unit * b).interval for unit in (1.0, 1e150))
        assert np.array(large) / 1e150 == pytest.approx(plain, rel=1e-4)


@pytest.mark.parametrize("test", ["wilcoxon", "mann_whitney"])
@pytest.mark.parametrize("n", [6, 9, 20])
def test_p_of_a_row_does_not_depend_on_ties_in_others(test: str, n: int) -> None:
    a, b = np.random.default_rng(0).normal(0.0, 1.0, (2, 6, n))
    a[::2], b[::2] = np.round(a[::2]), np.round(b[::2])
    alone = [nbyk.score_test(test, x, y).p for x, y in zip(a, b, strict=True)]
    np.testing.assert_array_equal(p_values(test, a, b), alone)


def test_exact_ranks_of_many_scores_are_nearly_normal() -> None:
    a, b = np.random.default_rng(5).integers(0, 5, (2, 60)).astype(float)
    for test, approximate in (("wilcoxon", "approx"), ("mann_whitney", "asymptotic")):
        exact = nbyk.score_test(test, a, b, method="exact").p
        assert 0.0 < exact < 1.0
        assert exact == pytest.approx(nbyk.score_test(test, a, b, method=approximate).p, abs=0.01)


def test_last_digits_rank_no_scores() -> None:
    """5 × (.1 + .2) against 5 × .3: scipy's Mann–Whitney p is .004."""
    sums, tenths = [0.1 + 0.2] * 5, [0.3] * 5
    assert stats.mannwhitneyu(sums, tenths).pvalue < 0.005
    for test, words in (
        ("mann_whitney", "all scores are equal"),
        ("welch_t", "neither sample varies"),
        ("wilcoxon", "all pairs tie"),
    ):
        with pytest.raises(NbykError, match=words):
            nbyk.score_test(test, sums, tenths)
    for test in ("permutation", "approximate_randomisation", "bootstrap"):
        assert nbyk.score_test(test, sums, tenths).p == 1.0
    assert nbyk.paired_bootstrap(sums, tenths).p == 1.0
    a, b = [0.1 + 0.2, 0.5, 0.7, 0.3, 0.9], [0.3, 0.4, 0.6, 0.3, 0.2]
    whole = [round(10 * x) for x in a], [round(10 * x) for x in b]
    for method in ("asymptotic", "exact"):
        assert nbyk.score_test("mann_whitney", a, b, method=method).p == pytest.approx(
            nbyk.score_test("mann_whitney", *whole, method=method).p
        )
