"""Shares of an effect's variance against known and against simulated truths."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import nbyk
from nbyk.errors import NbykError
from nbyk.metrics import get
from nbyk.testing.systems.variance import SOURCES, variance_shares

SD = {"gold": 0.2, "a": 0.1, "b": 0.3}
SD_ITEMS = 0.2


def draw(n: int, k: dict[str, int] | int, seed: int, mean_b: np.ndarray | float | None = None):  # type: ignore[no-untyped-def]
    """Responses around item means that A shares with gold and B has shifted at random."""
    generator = np.random.default_rng(seed)
    counts = k if isinstance(k, dict) else dict.fromkeys(SD, k)
    mean = generator.random((n, 1))
    shift = SD_ITEMS * generator.standard_normal((n, 1))
    means = {"gold": mean, "a": mean, "b": mean + shift}
    return [means[role] + sd * generator.standard_normal((n, counts[role])) for role, sd in SD.items()]


def shares_of(result) -> list[float]:  # type: ignore[no-untyped-def]
    return [getattr(result, source).share for source in SOURCES]


def test_of_the_mean_they_are_the_variance_components() -> None:
    """Four standard errors of a variance of 4000 items are 9 %, and more where parts are subtracted."""
    n, k = 4000, {"gold": 4, "a": 4, "b": 5}
    result = variance_shares(*draw(n, k, seed=1), metric="mean")
    parts = {"items": SD_ITEMS**2, "gold": 0.0, "a": SD["a"] ** 2 / 4, "b": SD["b"] ** 2 / 5}
    whole = sum(parts.values())
    for source, part in parts.items():
        share = getattr(result, source)
        assert share.variance == pytest.approx(part / n, rel=0.12)
    assert result.standard_error == pytest.approx(math.sqrt(whole / n), rel=0.045)
    assert sum(shares_of(result)) == pytest.approx(1.0)
    (said,) = result.warnings
    assert "leave out how these differ" in said


def simulated_truth(metric: str, k: int, repeats: int = 150) -> list[float]:
    """Return the items' part and the roles' Shapley effects on 4000 items, from fresh pairs of responses."""
    generator = np.random.default_rng(2)
    n = 4000
    mean, shift = generator.random((n, 1)), SD_ITEMS * generator.standard_normal((n, 1))
    means = (mean, mean, mean + shift)
    subsets = list(itertools.product((0, 1), repeat=3))
    explained = dict.fromkeys(subsets, 0.0)
    for _ in range(repeats):
        pairs = [
            [m + sd / math.sqrt(k) * generator.standard_normal((n, 1)) for _ in range(2)]
            for m, sd in zip(means, SD.values(), strict=True)
        ]
        d = {
            which: get(metric).effects(np.stack([pairs[1][which[1]], pairs[2][which[2]]]), pairs[0][which[0]])
            for which in subsets
        }
        centre = np.mean(list(d.values()))
        for common in subsets:
            other = tuple(1 - bit for bit in common)
            explained[common] += float(((d[0, 0, 0] - centre) * (d[other] - centre)).mean()) / repeats
    roles = [0.0, 0.0, 0.0]
    for order in itertools.permutations(range(3)):
        common = [0, 0, 0]
        for role in order:
            before = explained[tuple(common)]
            common[role] = 1
            roles[role] += (explained[tuple(common)] - before) / 6
    return [explained[0, 0, 0] / explained[1, 1, 1], *(part / explained[1, 1, 1] for part in roles)]


@pytest.mark.parametrize(("metric", "k"), [("mse", 4), ("mae", 20), ("wins_mae", 20)])
def test_of_other_metrics_they_are_near_the_simulated_truth(metric: str, k: int) -> None:
    """What splits leave of the bias of fewer responses, and of 4000 items, is a few percent of the whole."""
    result = variance_shares(*draw(4000, k, seed=3), metric=metric)
    np.testing.assert_allclose(shares_of(result), simulated_truth(metric, k), atol=0.05)
    assert sum(shares_of(result)) == pytest.approx(1.0)


def test_with_one_response_per_item_the_parts_are_not_identified() -> None:
    alone = variance_shares(*draw(50, 1, seed=4))
    assert alone.items.share == 1.0
    assert all(getattr(alone, role).share is None for role in SD)
    assert "one response per item from gold, A, B" in alone.warnings[0]
    some = variance_shares(*draw(50, {"gold": 3, "a": 1, "b": 1}, seed=4))
    assert some.a.variance is None
    assert some.items.share + some.gold.share == pytest.approx(1.0)


def test_items_with_one_response_are_left_out_and_said() -> None:
    gold, a, b = draw(60, 3, seed=5)
    gold[:20, 1:] = np.nan
    result = variance_shares(gold, a, b)
    assert "40 of 60 items" in result.warnings[0]
    kept = variance_shares(gold[20:], a[20:], b[20:])
    assert sum(shares_of(result)) == pytest.approx(1.0)
    assert result.gold.share == pytest.approx(kept.gold.share, abs=0.1)
    with pytest.raises(NbykError, match="1 items have two responses or more"):
        variance_shares([[0, 1], [0.5], [1, 1], [0]], [[0.1], [0, 1], [1, 1], [1]], [0, 1, 0, 1])


def test_functions_of_the_mean_squared_error_are_linearised() -> None:
    """The standard error is that of the bootstrap; both hold to first order, at N = 2000 within 5 %."""
    arrays = draw(2000, 4, seed=6)
    result = variance_shares(*arrays, metric="rmse")
    bootstrap = nbyk.compare(*arrays, metric="rmse").pair.drawn.bootstrapped
    assert result.standard_error == pytest.approx(bootstrap.std(), rel=0.05)
    assert "linear in the mean squared errors" in result.warnings[-2]


def test_nothing_varies() -> None:
    constant = np.full((5, 2), 0.5)
    result = variance_shares(constant, constant, constant)
    assert result.standard_error == 0.0
    assert (result.items.variance, result.items.share) == (0.0, None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"metric": "spearman"}, "spearman is not a sum over items"),
        ({"metric": "mea"}, "unknown metric"),
    ],
)
def test_what_cannot_be_done_is_named(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(NbykError, match=message):
        variance_shares(*draw(10, 2, seed=8), **arguments)  # type: ignore[arg-type]
