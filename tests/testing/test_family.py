"""Corrected decisions on many hypotheses: enough draws, settled for good, and bounds that hold."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import stats

from nbyk.errors import NbykError
from nbyk.testing.corrections import correct_p_values
from nbyk.testing.decision import Decision
from nbyk.testing.family import Hypotheses, swap_bound
from nbyk.testing.pvalues import Alternative, p_value


def family(correction: str = "holm", alternative: Alternative = "two-sided", **changed: float) -> Hypotheses:
    n = {"n_resamples": 999, "max_resamples": 64_000, "max_draws": 10**9, **changed}
    decision = Decision(alternative, 0.05, int(n["n_resamples"]), int(n["max_resamples"]), 1e-3)
    return Hypotheses(decision, correction, int(n["max_draws"]))


@pytest.mark.parametrize(("alternative", "sides"), [("two-sided", 2), ("greater", 1)])
def test_the_first_look_lets_the_smallest_p_reach_its_level(alternative: Alternative, sides: int) -> None:
    few = family(alternative=alternative, n_resamples=9)
    for m in (1, 3, 10, 435):
        draws = few.first_look(m)
        assert sides / (1 + draws) <= 0.05 / m * (1 + 1e-9) < sides / draws
    assert family("none", alternative, n_resamples=9).first_look(435) == sides * 20 - 1


def test_too_few_draws_are_refused_with_how_many_it_takes() -> None:
    with pytest.raises(NbykError, match=r"435 pairs .* takes 17399 draws: raise `max_resamples`"):
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
        truth = correct_p_values(np.minimum(1.0, sides * tails), correction) <= 0.05
        asked = family(correction, alternative)

        def draw(which: list[int], n: int, *, start: int, g: np.random.Generator = generator) -> np.ndarray:
            return g.standard_normal((len(which), n - start))

        drawn = asked.draw(draw, observed, [1.0] * 8)
        p = np.array(
            [
                p_value(effect, of_one.effects, alternative=alternative).p
                for effect, of_one in zip(observed.tolist(), drawn, strict=True)
            ]
        )
        settled = np.array([of_one.settled for of_one in drawn])
        alone = np.array([of_one.settled_alone for of_one in drawn])
        found = correct_p_values(p, correction) <= 0.05
        assert_array_equal(found[settled], truth[settled])
        assert_array_equal((p <= 0.05)[alone], (np.minimum(1.0, sides * tails) <= 0.05)[alone])
        n_settled += settled.sum()
    assert n_settled > 0.8 * 8 * 40


def test_draws_stop_where_memory_would_be_spent() -> None:
    def draw(which: list[int], n_draws: int, *, start: int) -> np.ndarray:
        return np.tile(np.random.default_rng(start).standard_normal(n_draws - start), (len(which), 1))

    drawn = family(max_draws=12_000).draw(draw, np.array([2.2, 2.2]), [1.0, 1.0])
    assert [of_one.settled for of_one in drawn] == [False, False]
    assert 2 * 999 < sum(of_one.effects.size for of_one in drawn) <= 12_000
    with pytest.raises(NbykError, match=r"max_draws: found 1997; 2 pairs take 999 draws each at first"):
        family(max_draws=1_997).first_look(2)


def test_a_bound_stands_for_the_p_of_a_family_too_large_for_its_draws() -> None:
    """40 hypotheses of normal tails with Hoeffding-like bounds, where 1599 draws each would be too many."""
    generator = np.random.default_rng(6)
    observed = np.concatenate([generator.normal(0.0, 1.0, 30), [6.0, -6.5, 7.0, 8.0, 9.0], [3.4] * 5])
    bounds = np.minimum(1.0, 2.0 * np.exp(-(observed**2) / 2.0))

    def draw(which: list[int], n_draws: int, *, start: int) -> np.ndarray:
        # Each draw belongs to its number, as those of streams do.
        every = np.random.default_rng(1).standard_normal((64_000, 40))
        return every[start:n_draws, which].T

    drawn = family(max_draws=50_000).draw(draw, observed, bounds.tolist())
    truth = correct_p_values(np.minimum(1.0, 2.0 * stats.norm.sf(np.abs(observed)))) <= 0.05
    p = np.array([null.p_values("two-sided")["two-sided"].p for null in drawn])
    settled = np.array([null.settled for null in drawn])
    assert settled[30:35].all()
    assert_array_equal(p[30:35], bounds[30:35])
    assert_array_equal((correct_p_values(p) <= 0.05)[settled], truth[settled])
    assert settled[:30].mean() > 0.9
    for null, effect, row in zip(drawn, observed, range(40), strict=True):
        every = draw([row], null.n_draws, start=0)[0]
        assert (null.n_greater, null.n_less) == ((every >= effect).sum(), (every <= effect).sum())
        assert_array_equal(null.effects, every[: null.effects.size])
        assert null.effects.size <= 1250
    assert max(null.n_draws for null in drawn) > 999 * 4 - 1


def test_a_bound_settles_what_draws_cannot() -> None:
    def draw(which: list[int], n_draws: int, *, start: int) -> np.ndarray:
        return np.zeros((len(which), n_draws - start))

    clear = np.full(3, 9.0)
    assert all(of_one.settled for of_one in family(max_resamples=999).draw(draw, clear, [1e-9] * 3))
    assert not any(of_one.settled for of_one in family(max_resamples=999).draw(draw, clear, [1.0] * 3))


def test_what_a_bound_settles_is_drawn_until_its_p_says_so() -> None:
    # Bad luck of 40 in the first 999 draws, where infinitely many are known to give less than 1e-9.
    def unlucky(which: list[int], n_draws: int, *, start: int) -> np.ndarray:
        return np.tile(np.where(np.arange(start, n_draws) < 40, 9.0, 0.0), (len(which), 1))

    (of_one,) = family().draw(unlucky, np.array([9.0]), [1e-9])
    assert of_one.settled
    assert of_one.effects.size > 999
    assert p_value(9.0, of_one.effects, alternative="two-sided").p <= 0.05
    three = family(max_resamples=999).draw(unlucky, np.full(3, 9.0), [1e-9] * 3)
    assert not any(drawn.settled or drawn.settled_alone for drawn in three)  # p = .08: no claim


def test_the_bound_is_above_the_exact_p_value() -> None:
    generator = np.random.default_rng(5)
    for shift in (0.0, 0.3, 1.0, 3.0):
        gains = generator.normal(shift, 1.0, 10)
        sums = np.array([np.dot(signs, gains) for signs in product((-1.0, 1.0), repeat=10)])
        exact = (np.abs(sums) >= abs(gains.sum()) - 1e-12).mean()
        assert exact <= swap_bound(gains)
    assert swap_bound(np.zeros(4)) == 1.0
    assert swap_bound(np.ones(50)) == pytest.approx(2 * np.exp(-25))
