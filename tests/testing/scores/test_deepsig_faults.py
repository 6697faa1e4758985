"""What goes wrong in deep-significance 1.2.8, and does not here; and where both should agree, they do."""

from __future__ import annotations

import math
from functools import partial
from types import ModuleType

import numpy as np
import pytest
from scipy import stats

import nbyk
from nbyk.errors import NbykError
from nbyk.testing.scores.facts import TESTS


def test_corrections_grow_with_the_number_of_comparisons() -> None:
    """There, the confidence falls back to the uncorrected one as comparisons are added."""
    generator = np.random.default_rng(1)
    a, b = generator.normal(0.9, 1, 20), generator.normal(0, 1, 20)
    counts = (1, 2, 10, 100, 1000)
    results = [nbyk.aso(a, b, n_comparisons=m) for m in counts]
    bounds = [result.eps_min for result in results]
    assert bounds == sorted(bounds)
    assert len(set(bounds)) == len(counts)
    for m, result in zip(counts, results, strict=True):
        deviate = stats.norm.ppf(1 - 0.05 / m)
        assert result.eps_min == pytest.approx(result.violation_ratio + deviate * result.standard_error)


def test_two_systems_have_bounds_that_are_numbers() -> None:
    """There, two systems are compared at a confidence of 1, whose quantile is infinite."""
    generator = np.random.default_rng(2)
    a, b = generator.normal(2.0, 1, 20), generator.normal(0, 1, 20)
    order = nbyk.compare(None, [a, b], test="aso").pair.claims[0].order
    assert order is not None
    assert 0.0 < order.eps_min < 0.5 < order.reversed().eps_min < np.inf


def test_holm_has_a_running_maximum_and_keeps_the_order() -> None:
    """There, [.04, .01, .03, .02, .015] becomes [.06, .04, .06, .06, .05]."""
    adjusted = nbyk.correct_p_values([0.04, 0.01, 0.03, 0.02, 0.015], "holm")
    np.testing.assert_allclose(adjusted, [0.06, 0.05, 0.06, 0.06, 0.06])
    np.testing.assert_allclose(nbyk.correct_p_values([0.9, 0.001], "holm"), [0.9, 0.002])


def test_bonferroni_is_bonferroni() -> None:
    """There, `bonferroni_correction` is a step-down of its own."""
    adjusted = nbyk.correct_p_values([0.04, 0.01, 0.03, 0.3], "bonferroni")
    np.testing.assert_allclose(adjusted, [0.16, 0.04, 0.12, 1.0])


def grid_without_ends(a: np.ndarray, b: np.ndarray, dt: float) -> float:  # type: ignore[type-arg]
    """Return the ratio on t = dt, 2 dt, … < 1, the first left out of the numerator: Appendix A."""
    t = np.arange(dt, 1, dt)
    f, g = (np.sort(x)[np.clip(np.ceil(len(x) * t).astype(int) - 1, 0, len(x) - 1)] for x in (a, b))
    violated = np.where(f < g, (g - f) ** 2, 0.0)
    return float(violated[1:].sum() / ((g - f) ** 2).sum())


def test_the_ends_count() -> None:
    """Where the extremes differ most, a grid that drops them says another thing by a third and more."""
    n = 100
    a = np.concatenate([[-3.0], np.zeros(n - 2), [3.0]])
    b = np.concatenate([[-1.0], np.full(n - 2, 0.05), [2.5]])
    violated = 2.0**2 + (n - 2) * 0.05**2
    exact = violated / (violated + 0.5**2)
    assert nbyk.violation_ratio(a, b) == pytest.approx(exact, abs=1e-12)
    assert abs(grid_without_ends(a, b, 1 / n) - exact) > 0.3


@pytest.mark.parametrize("name", ["aso", *TESTS])
def test_nan_has_no_p_value(name: str) -> None:
    """There, a failed run makes p the smallest that there is."""
    test = nbyk.aso if name == "aso" else partial(nbyk.score_test, name)
    with pytest.raises(NbykError, match="a: score 0 is nan"):
        test([math.nan, 1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 1.0, 2.0, 1.0])


def test_nan_is_refused_wherever_scores_are_taken() -> None:
    bad, good = [math.nan, 1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 1.0, 2.0, 1.0]
    for call in (
        lambda: nbyk.compare(None, [good, bad], test="aso"),
        lambda: nbyk.compare(None, [good, bad], kind="scores"),
        lambda: nbyk.violation_ratio(good, bad),
        lambda: nbyk.bootstrap_power_analysis(bad),
        lambda: nbyk.correct_p_values(bad),
    ):
        with pytest.raises(NbykError, match="is nan"):
            call()


def test_neighbouring_seeds_share_no_draws() -> None:
    """There, seeds 1 and 2 share 999 of 1000. Of these nulls all values are different, but for chance."""
    generator = np.random.default_rng(3)
    a, b = generator.normal(size=40), generator.normal(size=40)
    for test, options in (
        (partial(nbyk.score_test, "bootstrap"), {}),
        (partial(nbyk.score_test, "paired_bootstrap"), {}),
        (partial(nbyk.score_test, "permutation"), {"exact_up_to": 0}),
        (partial(nbyk.score_test, "approximate_randomisation"), {"exact_up_to": 0}),
    ):
        nulls = [
            test(a, b, seed=seed, n_resamples=1000, keep_null=True, **options).null  # type: ignore[operator]
            for seed in (1, 2)
        ]
        assert len(np.intersect1d(*np.round(nulls, 13))) == 0
        assert abs(np.corrcoef(*nulls)[0, 1]) < 4.5 / math.sqrt(1000)
    first, second = (nbyk.aso(a, b, seed=seed, keep_resamples=True).resampled for seed in (1, 2))
    assert set(np.intersect1d(first, second)) <= {0.0, 1.0}  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def deepsig() -> ModuleType:
    return pytest.importorskip("deepsig")


def test_aso_agrees_with_theirs_on_a_fine_grid(deepsig: ModuleType) -> None:
    """On a grid of 1000 their ends hardly count; the rest is the Monte-Carlo error of 100 resamples."""
    generator = np.random.default_rng(4)
    a, b = generator.normal(1.0, 1, 10), generator.normal(0, 1, 8)
    theirs = deepsig.aso(a, b, dt=0.001, num_bootstrap_iterations=100, show_progress=False, seed=1)
    ours = nbyk.aso(a, b, n_resamples=100)
    assert 0.0 < ours.eps_min < 1.0
    assert theirs == pytest.approx(ours.eps_min, abs=4.5 * math.sqrt(2) * ours.monte_carlo_error)


def test_p_values_agree_with_theirs(deepsig: ModuleType) -> None:
    """Their bootstrap is unpaired, their permutation test swaps pairs; 20,000 draws each."""
    generator = np.random.default_rng(5)
    a, b = generator.normal(0.5, 1, 10), generator.normal(0, 1, 10)
    for name, ours in (
        ("bootstrap_test", partial(nbyk.score_test, "bootstrap")),
        ("permutation_test", partial(nbyk.score_test, "approximate_randomisation")),
    ):
        theirs = getattr(deepsig, name)(a, b, num_samples=20_000, seed=1)
        options = {"exact_up_to": 0} if "perm" in name else {}
        found = ours(a, b, alternative="greater", n_resamples=20_000, **options)  # type: ignore[operator]
        assert theirs == pytest.approx(found.p, abs=4.5 * math.sqrt(2) * found.pvalue.standard_error)


def test_power_agrees_with_theirs(deepsig: ModuleType) -> None:
    scores = np.random.default_rng(6).gamma(4.0, 1.0, 10)
    theirs = deepsig.bootstrap_power_analysis(
        scores, num_bootstrap_iterations=2000, show_progress=False, seed=1
    )
    ours = nbyk.bootstrap_power_analysis(scores, n_resamples=20_000, alternative="greater").power
    assert theirs == pytest.approx(ours, abs=4.5 * math.sqrt(ours * (1 - ours) * (1 / 2000 + 1 / 20_000)))
