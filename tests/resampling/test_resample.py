"""Resampling against exact enumeration, and the contracts of its streams."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import stats

from nbyk.data.responses import response_set
from nbyk.errors import NbykError
from nbyk.priors import Response
from nbyk.resampling.effects import batches
from nbyk.resampling.resample import observed_effects, resample, resampled_effects
from nbyk.resampling.samplers import NULLS, WEIN_SAMPLERS, get_sampler
from nbyk_papers.wein2023.cells import simulate_systems
from tests.oracles import enumerate as exact
from tests.oracles.chisquare import assert_drawn_from

M = 8_000
SAMPLERS = (*WEIN_SAMPLERS, "all_items/all", "all_items/first_element", "bootstrap_items/sample(2)")
ENUMERATED_NULLS = [name for name in NULLS if name != "shifted"]


def tiny(n: int) -> tuple[exact.Matrix, exact.Matrix, exact.Matrix]:
    """N ≤ 3 items with two responses each, of distinct values, so that effects tell resamples apart."""
    values = np.array([0.11, 0.93, 0.37, 0.58, 0.02, 0.71, 0.29, 0.83, 0.47, 0.66, 0.17, 0.99])
    a, b, gold = (np.roll(values, shift)[: 2 * n].reshape(n, 2) for shift in (0, 5, 9))
    return tuple(tuple(map(tuple, matrix.tolist())) for matrix in (gold, a, b))  # type: ignore[return-value]


def mae_effect(gold: exact.Row, a: exact.Row, b: exact.Row) -> float:
    mean_gold, mean_a, mean_b = (sum(row) / len(row) for row in (gold, a, b))
    return abs(mean_b - mean_gold) - abs(mean_a - mean_gold)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_alternative_has_the_enumerated_distribution(sampler: str) -> None:
    gold, a, b = tiny(2)
    draws = resampled_effects(response_set(gold, a, b), "mae", sampler=sampler, n_resamples=M, seed=3)
    assert_drawn_from(draws.alternative[0], exact.effects(gold, a, b, sampler, None, mae_effect))


@pytest.mark.parametrize("null", ENUMERATED_NULLS)
@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("share_gold", [True, False])
def test_null_has_the_enumerated_distribution(sampler: str, null: str, share_gold: bool) -> None:
    gold, a, b = tiny(2)
    data = response_set(gold, a, b)
    draws = resampled_effects(
        data, "mae", sampler=sampler, null=null, share_gold=share_gold, n_resamples=M, seed=5
    )
    assert_drawn_from(draws.null[0], exact.effects(gold, a, b, sampler, null, mae_effect))


def mean_effect(gold: exact.Row, a: exact.Row, b: exact.Row) -> float:
    return sum(a) / len(a) - sum(b) / len(b)


@pytest.mark.parametrize("null", ENUMERATED_NULLS)
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_without_gold_the_systems_own_ratings_have_the_enumerated_distribution(
    sampler: str, null: str
) -> None:
    _, a, b = tiny(2)
    data = response_set(None, a, b)
    draws = resampled_effects(data, "mean", sampler=sampler, null=null, n_resamples=M, seed=5)
    nobodys = ((0.0,), (0.0,))
    assert_drawn_from(draws.alternative[0], exact.effects(nobodys, a, b, sampler, None, mean_effect))
    assert_drawn_from(draws.null[0], exact.effects(nobodys, a, b, sampler, null, mean_effect))
    drawn = resample(data, sampler=sampler, null=null, seed=5)
    assert not drawn.has_gold
    assert drawn.n_items == 2


def test_without_gold_effects_are_those_of_the_mean_and_other_metrics_are_refused() -> None:
    data = response_set(None, [[1, 0.5], [0.25, np.nan], [0, 1]], [0.5, 0, 1])
    assert observed_effects(data, "mean")[0] == pytest.approx((0.25 + 0.25 - 0.5) / 3)
    shifted = resampled_effects(
        data, "mean", sampler="bootstrap_items/sample(K)", null="shifted", n_resamples=50
    )
    assert np.isfinite(shifted.null).all()
    for metrics in (["mean", "mae"], ["cosine"]):
        with pytest.raises(NbykError, match=r"metric '(mae|cosine)' needs gold, and there is none; .* mean"):
            observed_effects(data, metrics)
        with pytest.raises(NbykError, match="needs gold, and there is none"):
            resampled_effects(data, metrics, sampler="all_items/all", n_resamples=4)


@pytest.mark.parametrize("null", ["permutation", "swap_items", "pooled"])
def test_three_items(null: str) -> None:
    gold, a, b = tiny(3)
    draws = resampled_effects(
        response_set(gold, a, b), "mae", sampler="all_items/all", null=null, n_resamples=M, seed=7
    )
    assert_drawn_from(draws.null[0], exact.effects(gold, a, b, "all_items/all", null, mae_effect))


@pytest.mark.parametrize("null", ENUMERATED_NULLS)
def test_ragged_rows_have_the_enumerated_distribution(null: str) -> None:
    gold: exact.Matrix = ((0.3, 0.8), (0.5,))
    a: exact.Matrix = ((0.2,), (0.9, 0.4))
    b: exact.Matrix = ((0.1, 0.7), (0.6,))
    padded = [[[*row, *[np.nan] * (2 - len(row))] for row in matrix] for matrix in (gold, a, b)]
    for sampler in ("bootstrap_items/sample(K)", "all_items/sample(1)", "all_items/all"):
        draws = resampled_effects(
            response_set(*padded), "mae", sampler=sampler, null=null, n_resamples=M, seed=11
        )
        assert_drawn_from(draws.null[0], exact.effects(gold, a, b, sampler, null, mae_effect))
        assert_drawn_from(draws.alternative[0], exact.effects(gold, a, b, sampler, None, mae_effect))


def random_set(n: int = 60, k: int = 4, seed: int = 0):  # type: ignore[no-untyped-def]
    generator = np.random.default_rng(seed)
    gold, a, b = generator.random((3, n, k))
    gold[generator.random((n, k)) < 0.2] = np.nan
    gold[:, 0] = 0.5
    return response_set(gold, a, b)


METRICS = ("mae", "spearman", "cosine", "mean_of_emds")


@pytest.mark.parametrize("null", NULLS)
def test_numbers_do_not_depend_on_threads_batches_metrics_or_m(
    null: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = random_set()
    settings = {"sampler": "bootstrap_items/sample(K)", "null": null, "seed": 9}
    whole = resampled_effects(data, METRICS, n_resamples=150, **settings)
    threaded = resampled_effects(data, METRICS, n_resamples=150, threads=3, **settings)
    alone = resampled_effects(data, "cosine", n_resamples=150, **settings)
    shorter = resampled_effects(data, METRICS, n_resamples=70, **settings)
    monkeypatch.setattr("nbyk.resampling.effects._BATCH_VALUES", 1)
    one_by_one = resampled_effects(data, METRICS, n_resamples=150, **settings)
    for field in ("alternative", "null"):
        numbers = getattr(whole, field)
        assert_array_equal(getattr(threaded, field), numbers)
        assert_array_equal(getattr(one_by_one, field), numbers)
        assert_array_equal(getattr(alone, field)[0], numbers[2])
        assert_array_equal(getattr(shorter, field), numbers[:, :70])


@pytest.mark.parametrize("sampler", ["bootstrap_items/all", "all_items/all"])
def test_resampling_item_means_is_resampling_rows(sampler: str) -> None:
    """The shortcut for metrics of item means gives the numbers of the long way, which `cosine` forces."""
    data = random_set()
    settings = {"sampler": sampler, "null": "swap_items", "n_resamples": 100, "seed": 1}
    short, long = (
        resampled_effects(data, "mae", **settings),
        resampled_effects(data, ("mae", "cosine"), **settings),
    )
    assert_array_equal(short.alternative[0], long.alternative[0])
    assert_array_equal(short.null[0], long.null[0])


def test_shared_gold_shares_items_and_gold_alone() -> None:
    data = random_set()
    drawn = {
        null: resample(data, sampler="bootstrap_items/sample(K)", null=null, seed=4)
        for null in (None, "pooled", "permutation")
    }
    assert_array_equal(drawn["pooled"].gold, drawn[None].gold)
    assert_array_equal(drawn["permutation"].gold, drawn[None].gold)
    assert not np.array_equal(drawn["pooled"].a, drawn[None].a)
    assert not np.array_equal(drawn["pooled"].a, drawn["pooled"].b), "one pool matrix for both systems"


def test_shifted_null_is_centred_on_no_effect() -> None:
    data = random_set(n=400)
    draws = resampled_effects(
        data, "mean", sampler="bootstrap_items/sample(K)", null="shifted", n_resamples=4000, seed=2
    )
    error = draws.null[0].std() / np.sqrt(4000)
    assert abs(draws.null[0].mean()) < 4 * error
    assert abs(draws.alternative[0].mean() - observed_effects(data, "mean")[0]) < 4 * error


def test_permutation_test_is_exact_under_the_strong_null() -> None:
    """P is uniform when A and B have one distribution; 200 data sets, KS at a fixed seed."""
    generator = np.random.default_rng(8)
    p = []
    for seed in range(200):
        mean = generator.random((30, 1))
        data = response_set(*(mean + 0.3 * generator.standard_normal((30, 3)) for _ in range(3)))
        draws = resampled_effects(
            data, "mae", sampler="all_items/all", null="permutation", n_resamples=199, seed=seed
        )
        p.append((1 + (draws.null[0] >= observed_effects(data, "mae")[0]).sum()) / 200)
    assert stats.kstest(p, "uniform").pvalue > 0.01


@given(
    n=st.integers(2, 12),
    k=st.integers(1, 4),
    sampler=st.sampled_from(SAMPLERS),
    null=st.sampled_from([None, *ENUMERATED_NULLS]),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=60, deadline=None)
def test_resamples_hold_responses_of_their_own_items(
    n: int, k: int, sampler: str, null: str | None, seed: int
) -> None:
    """Values carry their item and system, so that one from elsewhere shows."""
    item = np.arange(n)[:, None] * 100.0
    gold, a, b = (item + offset + np.arange(k) for offset in (0, 20, 40))
    drawn = resample(response_set(gold, a, b), sampler=sampler, null=null, seed=seed)
    rows = drawn.gold[:, 0] // 100
    for matrix, offsets in ((drawn.gold, {0}), (drawn.a, {20, 40}), (drawn.b, {20, 40})):
        assert_array_equal(matrix // 100, np.broadcast_to(rows[:, None], matrix.shape))
        assert set(np.unique(matrix % 100 // 20 * 20)) <= offsets
    if null is None:
        assert set(np.unique(drawn.a % 100 // 20 * 20)) == {20}
        assert set(np.unique(drawn.b % 100 // 20 * 20)) == {40}
    if get_sampler(sampler).items == "all_items":
        assert_array_equal(rows, np.arange(n))


def test_batches_cover_the_chunk() -> None:
    assert sum(batches(64, 15_000)) == 64
    assert batches(64, 10**9) == [1] * 64
    assert batches(3, 10) == [3]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sampler": "bootstrap_items/al"}, "did you mean all"),
        ({"sampler": "bootstrap/all"}, "did you mean bootstrap_items"),
        ({"sampler": "all_items"}, "item sampler/response sampler"),
        ({"sampler": "all_items/sample(0)"}, "at least 1"),
        ({"sampler": "all_items/all", "n_resamples": 0}, "at least 1, found 0"),
        ({"sampler": "all_items/all", "metrics": "mea"}, "did you mean"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(NbykError, match=message.replace("(", r"\(")):
        resampled_effects(random_set(), **{"metrics": "mae", **arguments})  # type: ignore[arg-type]


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_an_unknown_null_is_named_whatever_the_sampler(sampler: str) -> None:
    with pytest.raises(NbykError, match="did you mean permutation"):
        resampled_effects(random_set(), "mae", sampler=sampler, null="permutations")
    with pytest.raises(NbykError, match="did you mean permutation"):
        resample(random_set(), sampler=sampler, null="permutations")


@pytest.mark.parametrize("responses", ["all", "sample(K)", "first_element"])
def test_the_shifted_null_asks_for_bootstrapped_items(responses: str) -> None:
    data = random_set()
    with pytest.raises(NbykError, match=f"use bootstrap_items/{re.escape(responses)}$"):
        resampled_effects(data, "mae", sampler=f"all_items/{responses}", null="shifted")
    draws = resampled_effects(
        data, "mae", sampler=f"bootstrap_items/{responses}", null="shifted", n_resamples=20
    )
    assert draws.null[0].std() > 0.0


def test_the_default_null_swaps_items() -> None:
    settings = {"sampler": "all_items/all", "n_resamples": 20}
    default = resampled_effects(random_set(), "mae", **settings)
    assert_array_equal(
        default.null, resampled_effects(random_set(), "mae", null="swap_items", **settings).null
    )


def test_systems_of_other_response_stages_have_streams_of_their_own() -> None:
    """One stream would make the clamped responses the normal ones, clipped."""
    gold = np.random.default_rng(2).random((20, 3))
    normal, clamped = (
        simulate_systems(gold, Response(kind), k_responses=2, epsilon_b=0.1) for kind in ("normal", "clamped")
    )
    inside = (normal.a > 0) & (normal.a < 1)
    assert not np.isclose(normal.a[inside], clamped.a[inside]).any()


def test_undefined_metric_is_an_error_not_a_number() -> None:
    constant = response_set(np.full((5, 2), 0.5), np.full((5, 2), 0.5), np.full((5, 2), 0.5))
    with pytest.raises(NbykError, match="spearman is undefined on 10 of 10"):
        resampled_effects(constant, "spearman", sampler="all_items/all", n_resamples=10)
