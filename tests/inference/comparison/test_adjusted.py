"""Corrected decisions on many hypotheses: enough draws, settled for good, and bounds that hold."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from nbyk.errors import NbykError
from nbyk.inference.comparison.adjusted import Family, adjusted, swap_bound
from nbyk.inference.comparison.decision import Decision
from nbyk.inference.pvalues import Alternative


def family(correction: str = "holm", alternative: Alternative = "two-sided", **changed: float) -> Family:
    n = {"n_resamples": 999, "max_resamples": 64_000, "max_draws": 10**9, **changed}
    decision = Decision(alternative, 0.05, int(n["n_resamples"]), int(n["max_resamples"]), 1e-3)
    return Family(decision, correction, int(n["max_draws"]))


def test_corrections_are_those_of_their_authors() -> None:
    p = np.array([0.01, 0.04, 0.03, 0.2])
    assert_allclose(adjusted(p, "holm"), [0.04, 0.09, 0.09, 0.2])
    assert_allclose(adjusted(p, "benjamini_hochberg"), stats.false_discovery_control(p))
    assert_allclose(adjusted(p, "none"), p)


@pytest.mark.parametrize(("alternative", "sides"), [("two-sided", 2), ("greater", 1)])
def test_the_first_look_lets_the_smallest_p_reach_its_level(alternative: Alternative, sides: int) -> None:
    few = family(alternative=alternative, n_resamples=9)
    for m in (1, 3, 10, 435):
        draws = few.first_look(m)
        assert sides / (1 + draws) <= 0.05 / m * (1 + 1e-9) < sides / draws
    assert family("none", alternative, n_resamples=9).first_look(435) == sides * 20 - 1


def test_too_few_draws_are_refused_with_how_many_it_takes() -> None:
    with pytest.raises(NbykError, match=r"435 pairs .* takes 17399 draws: raise max_resamples"):
        family(max_resamples=10_000).first_look(435)
    with pytest.raises(NbykError, match="correction 'bonferoni'"):
        family("bonferoni")


@pytest.mark.parametrize("correction", ["holm", "benjamini_hochberg", "none"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_settled_decisions_are_those_of_infinitely_many_draws(
    correction: str, alternative: Alternative
) -> None:
    # Chance of any wrong decision at most 0.001 a family: of 40 families, 0.04.
    sides = 2.0 if alternative == "two-sided" else 1.0
    n_settled = 0
    for seed in range(40):
        generator = np.random.default_rng(seed)
        observed = generator.normal(1.5, 1.5, 8)
        tails = stats.norm.sf(np.abs(observed) if sides == 2.0 else observed)
        truth = adjusted(np.minimum(1.0, sides * tails), correction) <= 0.05
        asked = family(correction, alternative)
        draw = [lambda start, n, g=generator: g.standard_normal(n - start)] * 8  # type: ignore[misc]
        null, settled = asked.draw(draw, observed, [1.0] * 8)
        counts = [
            np.array([(of_one >= effect).sum(), (of_one <= effect).sum()])
            for of_one, effect in zip(null, observed, strict=True)
        ]
        p = [
            sides * (1 + (c.min() if sides == 2.0 else c[0])) / (1 + of_one.size)
            for c, of_one in zip(counts, null, strict=True)
        ]
        found = adjusted(np.minimum(1.0, p), correction) <= 0.05
        assert_array_equal(found[settled], truth[settled])
        n_settled += sum(settled)
    assert n_settled > 0.8 * 8 * 40


def test_draws_stop_where_memory_would_be_spent() -> None:
    def draw(start: int, n_draws: int) -> np.ndarray:
        return np.random.default_rng(start).standard_normal(n_draws - start)

    null, settled = family(max_draws=10_000).draw([draw] * 2, np.array([2.2, 2.2]), [1.0, 1.0])
    assert settled == [False, False]
    assert sum(effects.size for effects in null) <= 2 * 999 + 10_000


def test_a_bound_settles_what_draws_cannot() -> None:
    draw = [lambda start, n: np.zeros(n - start)] * 3
    _, settled = family(max_resamples=999).draw(draw, np.full(3, 9.0), [1e-9] * 3)
    assert settled == [True] * 3
    _, settled = family(max_resamples=999).draw(draw, np.full(3, 9.0), [1.0] * 3)
    assert settled == [False] * 3


def test_the_bound_is_above_the_exact_p_value() -> None:
    generator = np.random.default_rng(5)
    for shift in (0.0, 0.3, 1.0, 3.0):
        gains = generator.normal(shift, 1.0, 10)
        sums = np.array([np.dot(signs, gains) for signs in product((-1.0, 1.0), repeat=10)])
        exact = (np.abs(sums) >= abs(gains.sum()) - 1e-12).mean()
        assert exact <= swap_bound(gains)
    assert swap_bound(np.zeros(4)) == 1.0
    assert swap_bound(np.ones(50)) == pytest.approx(2 * np.exp(-25))
