"""McNemar's and Cochran–Mantel–Haenszel's tests, against statsmodels and exact enumeration."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.contingency_tables import StratifiedTable
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

from nbyk import cochran_mantel_haenszel, mcnemar
from nbyk.errors import NbykError


def labelled(only_a: int, only_b: int, both: int = 7, neither: int = 5):
    """Return targets and predictions with so many items right by A alone, by B alone, by both and neither."""
    right = np.repeat([[1, 0], [0, 1], [1, 1], [0, 0]], [only_a, only_b, both, neither], axis=0)
    target = np.arange(len(right)) % 3
    a, b = ((target + 1 - of) % 3 for of in right.T)
    return target, a, b


def runs_of(rng, target, n_runs, accuracy):
    runs = [np.where(rng.random(len(target)) < accuracy, target, (target + 1) % 3) for _ in range(n_runs)]
    return np.stack(runs, axis=1)


@pytest.mark.parametrize(("only_a", "only_b"), [(0, 0), (1, 0), (0, 6), (5, 5), (9, 2), (40, 61)])
def test_mcnemars_test_is_that_of_statsmodels(only_a, only_b):
    target, a, b = labelled(only_a, only_b)
    table = [[7, only_a], [only_b, 5]]
    found = mcnemar(target, a, b, method="exact")
    assert found.p == pytest.approx(statsmodels_mcnemar(table, exact=True).pvalue, rel=1e-12)
    assert (found.won_a, found.won_b) == (only_a, only_b)
    assert found.effect == pytest.approx((only_a - only_b) / len(target))
    of_items = cochran_mantel_haenszel(target, a, b)
    if only_a + only_b:
        chi2 = statsmodels_mcnemar(table, exact=False, correction=False)
        assert of_items.p == pytest.approx(chi2.pvalue, rel=1e-12)
    else:
        assert of_items.p == 1.0


@pytest.mark.parametrize(("only_a", "only_b"), [(0, 0), (1, 0), (3, 3), (6, 1), (2, 9)])
def test_mid_p_counts_half_of_what_was_observed(only_a, only_b):
    """Against every way in which that many fair coins fall."""
    n = only_a + only_b
    heads = np.array([sum(coins) for coins in product((0, 1), repeat=n)])
    greater = (heads > only_a).mean() + 0.5 * (heads == only_a).mean()
    less = (heads < only_a).mean() + 0.5 * (heads == only_a).mean()
    found = mcnemar(*labelled(only_a, only_b))
    assert found.test == "mcnemar_mid_p"
    assert found.p_greater == pytest.approx(greater)
    assert found.p_less == pytest.approx(less)
    assert found.p == pytest.approx(min(1.0, 2.0 * min(greater, less)))
    assert mcnemar(*labelled(only_a, only_b), alternative="greater").p == found.p_greater


@pytest.mark.parametrize("n_runs", [(1, 1), (3, 3), (4, 2)])
@pytest.mark.parametrize("grouped", [False, True])
def test_strata_are_those_of_statsmodels(n_runs, grouped):
    rng = np.random.default_rng(5)
    target = rng.integers(0, 3, 90)
    a, b = (runs_of(rng, target, n, accuracy) for n, accuracy in zip(n_runs, (0.8, 0.7), strict=True))
    strata = np.array(["x", "y", "z"])[rng.integers(0, 3, 90)] if grouped else None
    found = cochran_mantel_haenszel(target, a, b, strata=strata)
    tables = []
    for stratum in range(90) if strata is None else np.unique(strata):
        items = np.array([stratum]) if strata is None else np.flatnonzero(strata == stratum)
        right = [sum(int((run[items] == target[items]).sum()) for run in runs.T) for runs in (a, b)]
        tables.append([[r, len(items) * n - r] for r, n in zip(right, n_runs, strict=True)])
    oracle = StratifiedTable(np.array(tables, dtype=float).transpose(1, 2, 0))
    assert found.p == pytest.approx(oracle.test_null_odds(correction=False).pvalue, rel=1e-9)
    assert found.n_strata == len(tables)
    assert found.p_greater < 0.5 < found.p_less
    told = " ".join(found.warnings)
    assert ("the test counts runs" in told) == (max(n_runs) > 1)
    assert ("does not pair" in told) == grouped


def test_the_tests_hold_their_level():
    """4000 pairs of equally accurate systems, N = 60: at most .05 exactly, near .05 else (error .0034)."""
    rng = np.random.default_rng(8)
    target = np.zeros(60, dtype=int)
    counts = dict.fromkeys(("exact", "mid_p", "strata"), 0)
    cache: dict[tuple[int, int], tuple[bool, bool, bool]] = {}
    for _ in range(4000):
        only_a, only_b = rng.multinomial(60, [0.2, 0.2, 0.6])[:2]
        if (only_a, only_b) not in cache:
            target, a, b = labelled(only_a, only_b, both=60 - only_a - only_b, neither=0)
            cache[only_a, only_b] = (
                mcnemar(target, a, b, method="exact").p <= 0.05,
                mcnemar(target, a, b).p <= 0.05,
                cochran_mantel_haenszel(target, a, b).p <= 0.05,
            )
        for name, rejected in zip(counts, cache[only_a, only_b], strict=True):
            counts[name] += rejected
    assert counts["exact"] / 4000 <= 0.05
    assert 0.035 < counts["mid_p"] / 4000 < 0.055
    assert 0.035 < counts["strata"] / 4000 < 0.061


def test_few_differences_are_too_few_for_a_normal_approximation():
    assert any(
        "mcnemar, which is exact" in text for text in cochran_mantel_haenszel(*labelled(5, 2)).warnings
    )
    assert cochran_mantel_haenszel(*labelled(12, 9)).warnings == ()


def test_what_the_tests_cannot_take_is_refused():
    target, a, b = labelled(4, 2)
    with pytest.raises(NbykError, match="a has 2 runs, b has 1; McNemar's test takes one of each"):
        mcnemar(target, np.stack([a, a], axis=1), b)
    with pytest.raises(NbykError, match="expected a class: text of 1 to 1000 characters, or a whole number"):
        mcnemar([[0.2, 0.8], [0.6, 0.4]], [[0.2, 0.8], [0.6, 0.4]], [[0.1, 0.9], [0.6, 0.4]])
    with pytest.raises(
        NbykError, match=r"strata.*found shape \(3,\), expected one stratum for each of the 18"
    ):
        cochran_mantel_haenszel(target, a, b, strata=[1, 2, 3])
    with pytest.raises(NbykError, match="unknown method 'midp'; did you mean mid_p"):
        mcnemar(target, a, b, method="midp")


def test_strata_with_an_index_are_matched_by_it() -> None:
    rng = np.random.default_rng(0)
    ids = [f"q{number}" for number in range(40)]
    target, strata = (pd.Series(rng.integers(0, n, 40), ids) for n in (2, 4))
    a, b = (pd.DataFrame(rng.integers(0, 2, (40, 2)), ids) for _ in "ab")
    p = cochran_mantel_haenszel(target, a, b, strata=strata).p
    other = rng.permutation(40)
    assert cochran_mantel_haenszel(target, a, b, strata=strata.iloc[other]).p == p
    # without an index they are in the order of the targets
    moved = strata.iloc[other].to_numpy()
    assert cochran_mantel_haenszel(target.iloc[other], a, b, strata=moved).p == pytest.approx(p, rel=1e-12)
    with pytest.raises(NbykError, match="strata: an item has none"):
        cochran_mantel_haenszel(target, a, b, strata=[None, *strata[1:]])
    with pytest.raises(NbykError, match="has no"):
        cochran_mantel_haenszel(target, a, b, strata=[pd.NA, *strata[1:]])
