"""Items of few kinds: their counts are drawn, not the items, for swaps and bootstraps alike."""

from itertools import combinations, product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import nbyk
from nbyk.metrics import get
from nbyk.testing.engine import item_draws
from nbyk.testing.engine.draws import ItemStreams
from nbyk.testing.engine.forms import Sums, form_of
from nbyk.testing.engine.item_draws import Kinds
from nbyk.testing.engine.rows import Rows

WORD, DRAWS = np.uint64(11), 64 * 400


def _of(*columns: list[float], monkeypatch: pytest.MonkeyPatch) -> Kinds:
    monkeypatch.setattr(item_draws, "ITEMS_PER_KIND", 1)
    kinds = Kinds.of([np.array(column) for column in columns])
    assert kinds is not None
    return kinds


def test_kinds_are_in_the_order_of_their_first_items(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = _of([3.0, 1.0, 3.0, 1.0, 1.0], [0.0, 0.0, 0.0, 5.0, 0.0], monkeypatch=monkeypatch)
    assert_array_equal(kinds.first, [0, 1, 3])
    assert_array_equal(kinds.sizes, [2, 2, 1])


def test_a_level_that_the_first_items_do_not_show_is_a_kind_of_its_own() -> None:
    column = np.zeros(1000)
    column[990:] = 7.0
    kinds = Kinds.of([column])
    assert kinds is not None
    assert_array_equal(kinds.first, [0, 990])
    assert_array_equal(kinds.sizes, [990, 10])


def test_values_that_are_many_have_no_kinds() -> None:
    assert Kinds.of([np.arange(1000.0)]) is None
    assert Kinds.of([np.arange(1000.0) % 8]) is None  # 8 kinds of 1000 items: more than one to 128


def test_counts_of_a_few_items_are_those_of_all_their_swaps_and_all_their_draws(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Chi-squared at .001 against enumeration: 2⁵ swaps, and 5⁵ draws with replacement."""
    values = np.array([2.0, -1.0, 2.0, -1.0, 0.5])
    kinds = _of(values.tolist(), monkeypatch=monkeypatch)
    of_kinds = values[kinds.first]
    swaps = [float(np.dot(coins, values)) for coins in product((0, 1), repeat=5)]
    resamples = [float(values[list(items)].sum()) for items in product(range(5), repeat=5)]
    for counts, sums in ((kinds.swapped, swaps), (kinds.drawn, resamples)):
        drawn = counts(WORD, 0, DRAWS) @ of_kinds
        levels, expected = np.unique(np.round(sums, 9), return_counts=True)
        places = np.searchsorted(levels, np.round(drawn, 9))
        assert_allclose(levels[places], drawn)
        observed = np.bincount(places, minlength=len(levels))
        rare = expected * DRAWS / len(sums) < 5.0
        observed, shares = (
            np.append(observed[~rare], observed[rare].sum()),
            np.append(expected[~rare], expected[rare].sum()),
        )
        kept = shares > 0
        assert stats.chisquare(observed[kept], shares[kept] * DRAWS / len(sums)).pvalue > 0.001


def test_draws_do_not_depend_on_their_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = _of([1.0, 0.0, 1.0], monkeypatch=monkeypatch)
    for counts in (kinds.swapped, kinds.drawn):
        assert_array_equal(counts(WORD, 64, 64), counts(WORD, 0, 256)[64:128])


def _answers(metric: str, *, threads: int = 1, mirrored: bool = False) -> nbyk.Board:
    rng = np.random.default_rng(5)
    scale = 2 if metric in ("mean", "accuracy", "f1") else 5
    gold, a, b = np.floor(scale * np.clip(rng.normal(0.5, 0.2, (3, 3300)), 0.0, 0.999))
    a = np.where(rng.random(3300) < 0.5, gold, a)
    b = np.where(rng.random(3300) < 0.48, gold, b)
    if mirrored:
        a, b = b, a
    options = {"metric": f"{metric}(threshold=1)" if metric in ("accuracy", "f1") else metric}
    return nbyk.compare(
        None if metric == "mean" else gold, a, b, **options, threads=threads, max_resamples=9999
    )


@pytest.mark.parametrize("metric", ["mean", "mae", "rmse", "accuracy", "f1"])
def test_numbers_are_those_of_single_items(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draws as far off within 4.5 standard errors, spread within 5 % (seven standard errors)."""
    counted = _answers(metric).pair
    monkeypatch.setattr(item_draws, "ITEMS_PER_KIND", 10**9)
    single = _answers(metric).pair
    assert counted.drawn is not None
    assert single.drawn is not None
    assert not np.array_equal(counted.drawn.null, single.drawn.null)
    shares = [(np.abs(of.drawn.null) >= abs(of.effect)).mean() for of in (counted, single)]
    error = (2.0 * shares[1] * (1.0 - shares[1]) / single.drawn.null.size) ** 0.5
    assert abs(shares[0] - shares[1]) < 4.5 * error
    for kind in ("null", "bootstrapped"):
        spread = getattr(counted.drawn, kind).std() / getattr(single.drawn, kind).std()
        assert spread == pytest.approx(1.0, abs=0.05)
    assert counted.effect == single.effect


def test_threads_and_order_of_the_systems_change_no_number() -> None:
    for metric in ("mean", "f1"):
        one, two = _answers(metric).pair, _answers(metric, threads=2).pair
        mirror = _answers(metric, mirrored=True).pair
        assert one.drawn is not None
        assert two.drawn is not None
        assert mirror.drawn is not None
        assert_array_equal(one.drawn.null, two.drawn.null)
        assert_array_equal(one.drawn.bootstrapped, two.drawn.bootstrapped)
        assert_allclose(mirror.drawn.null, -one.drawn.null, atol=1e-12)
        assert mirror.p == one.p


def test_a_few_pairs_of_many_systems_are_drawn_by_their_own_kinds() -> None:
    """Two-sample KS of 6400 draws each: p above 10⁻³; and B against A is the mirror image of A against B."""
    rng = np.random.default_rng(6)
    answers = rng.integers(0, 5, (13, 3300, 1)).astype(float)
    rows = Rows.of(answers[0], answers[1:])
    form, swaps = form_of(get("mae"), rows), ItemStreams(3, rows).swaps(0, 6400)
    assert isinstance(form, Sums)
    every = list(combinations(range(12), 2))
    few = [(0, 1), (4, 7)]
    by_kinds, by_items = form.swapped_pairs(swaps, few), form.swapped_pairs(swaps, every)
    for pair, scores in zip(few, by_kinds, strict=True):
        of_items = by_items[every.index(pair)]
        assert not np.array_equal(scores, of_items)
        assert stats.ks_2samp(scores[0] - scores[1], of_items[0] - of_items[1]).pvalue > 1e-3
        assert_allclose(scores.sum(axis=0), of_items.sum(axis=0), rtol=1e-12)
    assert_array_equal(form.swapped_pairs(swaps, [(1, 0)])[0, ::-1], by_kinds[0])


@pytest.mark.parametrize("test", ["approximate_randomisation", "paired_bootstrap"])
def test_tests_of_scores_count_kinds_too(test: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """P within 4.5 standard errors of its difference."""
    rng = np.random.default_rng(7)
    a, b = (rng.random((2, 8000)) < [[0.5], [0.49]]).astype(float)
    options = {"test": test, "pair_runs": True}
    counted = nbyk.compare(None, a, b, **options)
    monkeypatch.setattr(item_draws, "ITEMS_PER_KIND", 10**9)
    monkeypatch.setattr(item_draws, "SWAPS_PER_KIND", 10**9)
    single = nbyk.compare(None, a, b, **options)
    assert counted.p != single.p
    error = np.hypot(counted.pair.claims[0].standard_error, single.pair.claims[0].standard_error)
    assert abs(counted.p - single.p) < 4.5 * error
    exact = stats.binomtest(int((a > b).sum()), int((a != b).sum())).pvalue
    if test == "approximate_randomisation":
        assert abs(counted.p - exact) < 4.5 * counted.pair.claims[0].standard_error


@pytest.mark.parametrize("differing", [40_000, 30])
def test_many_items_are_bootstrapped_by_random_signs_only_if_none_weighs_much(differing: int) -> None:
    """Mean, spread and skewness are the bootstrap's own within four errors; threads change no number."""
    rng = np.random.default_rng(9)
    a = rng.normal(size=40_000)
    b = a.copy()
    b[:differing] += rng.exponential(size=differing)
    drawn = nbyk.compare(None, a, b, max_resamples=9999).pair.drawn
    assert drawn is not None
    effects = drawn.bootstrapped
    deviations = (a - b) - (a - b).mean()
    spread = np.sqrt((deviations**2).sum())
    assert abs(effects.mean() - (a - b).mean()) < 4.0 * effects.std() / np.sqrt(len(effects))
    assert effects.std() == pytest.approx(spread / 40_000, rel=4.0 / np.sqrt(2 * len(effects)))
    skewness = (deviations**3).sum() / spread**3
    assert stats.skew(effects) == pytest.approx(skewness, abs=0.02 + 4.0 * np.sqrt(6 / len(effects)))
    assert differing > 30 or abs(skewness) > 0.2
    two = nbyk.compare(None, a, b, max_resamples=9999, threads=2).pair.drawn
    assert two is not None
    assert_array_equal(two.bootstrapped, effects)
