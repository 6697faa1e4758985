"""The ordinal model's effect: statsmodels, finite differences and the jackknife as oracles."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm, t
from statsmodels.miscmodels.ordinal_model import OrderedModel

import nbyk
from nbyk.testing.systems.latent import cumulative_probit

CUTS = [-1.0, -0.3, 0.5, 1.5]


def rated(n: int, k: int, shift: float = 0.4, seed: int = 0, apart: float = 0.0) -> tuple[Any, Any]:
    """Return ratings from 1 to 5 of two systems by k raters, who lean to either by `apart`."""
    draw = np.random.default_rng(seed)
    items = draw.normal(size=(n, 1))
    a, b = (
        np.digitize(items + of + apart * draw.normal(size=k) + draw.normal(size=(n, k)), CUTS) + 1.0
        for of in (shift, 0.0)
    )
    return a, b


def shares(ratings: Any, levels: Any) -> Any:
    return np.mean([[(row == level).mean() for level in levels] for row in ratings], axis=0)


@pytest.mark.parametrize("n_levels", [3, 5, 8, 11])
@pytest.mark.parametrize("spread", [1.0, 1.6])
def test_the_effect_is_that_of_ordered_model(n_levels: int, spread: float) -> None:
    draw = np.random.default_rng(n_levels)
    cuts = norm.ppf(np.arange(1, n_levels) / n_levels)
    a, b = (np.digitize(draw.normal(at, sd, 500), cuts) for at, sd in ((0.5, spread), (0.0, 1.0)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = OrderedModel(np.r_[a, b], np.repeat([0.5, -0.5], 500)[:, None], distr="probit")
        expected = model.fit(method="bfgs", disp=0, gtol=1e-8).params[0]
    found = cumulative_probit([np.bincount(of, minlength=n_levels) / 500 for of in (a, b)])
    assert found is not None
    assert found[0] == pytest.approx(expected, abs=2e-6)


def test_a_score_is_how_the_effect_moves_with_the_share_of_a_level() -> None:
    p = np.array([[0.1, 0.2, 0.4, 0.3], [0.2, 0.35, 0.3, 0.15]])
    effect, scores = cumulative_probit(p)  # type: ignore[misc]
    assert (p * scores).sum() == pytest.approx(0.0, abs=1e-12)
    step = 1e-5
    for system in range(2):
        for level in range(4):
            ends = []
            for sign in (1.0, -1.0):
                moved = p.copy()
                moved[system] = (1.0 - sign * step) * moved[system]
                moved[system, level] += sign * step
                ends.append(cumulative_probit(moved)[0])  # type: ignore[index]
            own_mean = (p[system] * scores[system]).sum()
            assert (ends[0] - ends[1]) / (2.0 * step) == pytest.approx(
                scores[system, level] - own_mean, rel=1e-5, abs=1e-7
            )
    assert effect > 0.0


def test_the_interval_over_items_is_that_of_the_jackknife() -> None:
    a, b = rated(80, 3)
    a[::4, 2] = np.nan
    (claim,) = nbyk.compare(None, a, b, metric="mean", generalise=["items"]).claims
    levels = np.arange(1.0, 6.0)
    of_items = [np.array([shares(row[~np.isnan(row)][None], levels) for row in of]) for of in (a, b)]
    whole = cumulative_probit([of.mean(axis=0) for of in of_items])
    without = [cumulative_probit([np.delete(of, i, 0).mean(axis=0) for of in of_items]) for i in range(80)]
    effects = np.array([of[0] for of in without if of is not None])
    error = np.sqrt(79 / 80 * ((effects - effects.mean()) ** 2).sum())
    reach = t.ppf(0.975, 79) * error
    assert claim.latent is not None
    assert whole is not None
    assert claim.latent.effect == pytest.approx(whole[0], abs=1e-10)
    assert claim.latent.interval == pytest.approx((whole[0] - reach, whole[0] + reach), rel=0.01)


def test_the_interval_has_the_population_of_its_claim() -> None:
    a, b = rated(300, 8, apart=0.3)
    broad, items = nbyk.compare(None, a, b, metric="mean", pair_runs=True).claims
    alone = nbyk.compare(None, a, b, metric="mean", generalise=["items"]).claims[0]
    assert broad.latent is not None
    assert items.latent is not None
    assert items.latent == alone.latent
    assert broad.latent.effect == items.latent.effect
    width, narrower = (high - low for low, high in (broad.latent.interval, items.latent.interval))
    of_mean, narrower_mean = (high - low for low, high in (broad.interval, items.interval))
    assert width > 2.0 * narrower
    assert width / narrower == pytest.approx(of_mean / narrower_mean, rel=0.1)


def test_exchanging_systems_or_reversing_the_scale_mirrors_it() -> None:
    a, b = rated(60, 4)
    found, exchanged, costs = (
        nbyk.compare(None, *of, metric=metric).claims[0].latent
        for of, metric in (((a, b), "mean"), ((b, a), "mean"), ((6.0 - a, 6.0 - b), "mean_cost"))
    )
    assert found is not None
    for other, sign in ((exchanged, -1.0), (costs, 1.0)):
        assert other is not None
        assert other.effect == pytest.approx(sign * found.effect, abs=1e-12)
        assert sorted(sign * end for end in other.interval) == pytest.approx(found.interval, abs=1e-9)


def test_it_does_not_depend_on_the_numbers_of_the_levels_nor_on_the_order_of_rows() -> None:
    a, b = rated(60, 4)
    order = np.random.default_rng(0).permutation(60)
    other = [np.array([1.0, 2.0, 4.0, 8.0, 50.0])[of.astype(int) - 1][order] for of in (a, b)]
    found, moved = (nbyk.compare(None, *of, metric="mean") for of in ((a, b), other))
    for claim, of_moved in zip(found.claims, moved.claims, strict=True):
        assert claim.latent is not None
        assert of_moved.latent is not None
        assert of_moved.latent.effect == pytest.approx(claim.latent.effect, abs=1e-12)
        assert of_moved.latent.interval == pytest.approx(claim.latent.interval, abs=1e-9)
    assert found.effect != pytest.approx(moved.effect)


@pytest.mark.parametrize(
    "ratings",
    [
        (np.array([0.0, 1, 0, 1, 1, 0]), np.array([0.0, 0, 0, 1, 0, 1])),
        (np.array([1.0, 2, 2, 1, 2, 1]), np.array([2.0, 3, 2, 3, 3, 2])),
        (np.linspace(0.0, 1.0, 6), np.linspace(0.1, 0.9, 6)),
        (np.arange(6.0), np.arange(6.0, 12.0)),
    ],
    ids=["two levels", "no overlap", "no levels", "too many"],
)
def test_other_ratings_have_none(ratings: Any) -> None:
    found = nbyk.compare(None, *ratings, metric="mean")
    assert [claim.latent for claim in found.claims] == [None]
    assert "latent" not in found.to_frame()


def test_a_comparison_with_gold_has_none() -> None:
    a, b = rated(30, 3)
    assert nbyk.compare(a, a, b, metric="mean").claims[0].latent is not None
    assert nbyk.compare(a / 5.0, a / 5.0, b / 5.0, metric="mae").claims[0].latent is None


def test_frames_of_pairs_and_boards_have_it_and_its_interval() -> None:
    a, b = rated(60, 4)
    board = nbyk.compare(None, {"a": a, "b": b, "c": a[::-1]}, metric="mean")
    from nbyk.report.comparison.tables import pairs_table

    first = board.pairs[0]
    for frame, told in (
        (first.to_frame(), [(claim, 1.0) for claim in first.claims]),
        (pairs_table(board.pairs), [(pair.claims[0], pair.in_order()[2]) for pair in board.pairs]),
    ):
        assert len(frame) == len(told)
        effects = [(sign, claim.latent) for claim, sign in told if claim.latent]
        assert set(frame["latent"]) == {sign * of.effect for sign, of in effects}
        assert set(frame["latent low"]) == {min(sign * end for end in of.interval) for sign, of in effects}
    of_json = board.to_dict()["pairs"][0]["claims"][0]["latent"]
    assert of_json["effect"] == board.pairs[0].claims[0].latent.effect  # type: ignore[union-attr]
    assert len(of_json["interval"]) == 2


def test_a_caution_stands_where_the_model_calls_the_other_better() -> None:
    """A mostly has the lower level, and now and then one whose number is far higher."""
    a, b = (np.repeat([0.0, 1.0, 2.0, 50.0], counts) for counts in ([10, 140, 30, 20], [10, 20, 168, 2]))
    found = nbyk.compare(None, a, b, metric="mean", generalise=["items"])
    (claim,) = found.claims
    assert claim.latent is not None
    assert claim.effect > 0.0 > claim.latent.interval[1]
    (said,) = [text for text in found.warnings if "ordinal model" in text]
    assert said.startswith("B is the worse by the mean and the better by an ordinal model")
