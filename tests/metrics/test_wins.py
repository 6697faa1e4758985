"""Winsδ by any metric of single items."""

from __future__ import annotations

import numpy as np
import pytest

import nbyk
from nbyk.errors import NbykError
from nbyk.metrics import get, register
from nbyk.metrics.registry import names_in


def _responses(seed=3, items=40, width=4):
    rng = np.random.default_rng(seed)
    gold = rng.random((items, width)).round(1)
    a, b = (np.clip(gold + rng.normal(0, s, gold.shape), 0, 1).round(1) for s in (0.1, 0.2))
    return gold, a, b


@pytest.mark.parametrize("by", ["mse", "mean", "accuracy(threshold=0.6)", "mean_of_emds"])
def test_an_item_is_won_by_its_own_score(by):
    """Against the definition: each item is compared as a data set of its own, in which it comes twice."""
    gold, a, b = _responses()
    of, lead = get(by), 0
    for i in range(len(gold)):
        alone = nbyk.response_set(*(rows[[i, i]] for rows in (gold, a, b)))
        effect = nbyk.observed_effects(alone, of)[0]
        lead += int(effect > 1e-9) - int(effect < -1e-9)
    data = nbyk.response_set(gold, a, b)
    assert nbyk.observed_effects(data, f"wins({by})")[0] == pytest.approx(lead / len(gold), abs=1e-15)


def test_wins_by_absolute_error_is_the_papers_wins():
    assert get("wins(mae)") == get("wins_mae")
    assert get("wins( mae , tolerance=0 )") == get("wins_mae(tolerance=0.0)")
    assert get("wins(mse, 0.1)").name == "wins(mse, tolerance=0.1)"
    gold, a, b = _responses()
    squared = nbyk.observed_effects(nbyk.response_set(gold, a, b), ["wins_mae", "wins(mse)"])
    assert squared[0] == squared[1]  # the same items are won by |error| and by its square


def test_a_users_own_metric_decides_too():
    @register(direction="lower", additive=True)
    def far_off(system, gold):
        """Share of items that are off by more than a fifth."""
        return np.mean(np.abs(system - gold) > 0.2)

    gold, a, b = _responses()
    far = np.abs(np.array([a.mean(axis=1), b.mean(axis=1)]) - gold.mean(axis=1)) > 0.2
    found = nbyk.observed_effects(nbyk.response_set(gold, a, b), "wins(far_off)")[0]
    assert found == pytest.approx((far[1].sum() - far[0].sum()) / len(gold))
    assert far.any()
    assert names_in("wins(far_off, tolerance=0)") == {"wins", "far_off"}


def test_comparing_by_wins_takes_the_road_of_sums():
    """Draws of the engine, which adds items up, are those of `wins_mae` where both are the same."""
    gold, a, b = _responses(items=60)
    options = {"n_resamples": 999, "generalise": ("items",)}
    ours = nbyk.compare(gold, a, b, metric="wins(mse)", **options)
    theirs = nbyk.compare(gold, a, b, metric="wins_mae", **options)
    assert (ours.p, ours.effect, ours.interval) == (theirs.p, theirs.effect, theirs.interval)


def test_where_an_item_has_no_score_wins_have_none():
    @register(direction="higher", additive=True)
    def undefined(system, gold):
        """Nothing on items whose gold is 0."""
        return np.nan if (gold == 0.0).any() else np.mean(-np.abs(system - gold))

    systems, gold = np.full((2, 2, 3), 0.5), np.array([[0.1, 0.2, 0.3], [0.0, 0.2, 0.3]])
    assert np.isnan(get("wins(undefined)").effects(systems, gold)).tolist() == [False, True]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("wins(spearman)", "spearman is not a mean over items, .* choose one of mae, mse, mean, .*accuracy"),
        ("wins(rmse)", "rmse is not a mean over items"),
        ("wins(wins_mae_vectorized)", "compares two systems itself"),
        ("wins(wins(mse))", "not wins again"),
        ("wins(" * 3000 + "mse" + ")" * 3000, "not wins again"),
        ("wins(msee)", "unknown metric 'msee'; did you mean mse"),
        ("wins(mse, 2)", "tolerance must be a finite number from 0 to 1, found '2'"),
        ("wins(mse, bins=2)", "unexpected parameter 'bins=2'; wins takes tolerance"),
        ("wins()", "is not a name"),
        ("wins", "unknown metric 'wins'"),
    ],
)
def test_what_cannot_be_won_is_refused(spec, message):
    with pytest.raises(NbykError, match=message):
        get(spec)


def test_the_name_is_taken():
    with pytest.raises(NbykError, match="'wins' exists already in nbyk"):

        @register(direction="higher")
        def wins(system, gold):
            return 0.0
