"""What is known of a metric: said on its definition, or measured."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from nbyk.errors import NbykError
from nbyk.metrics import Metric, definitions, get, names, register
from nbyk.metrics.metric import Traits
from nbyk.metrics.probe import measured_traits

TRAITS = ("smoothness", "unchanged_by", "unit_power", "follows_one_item")


def every_metric() -> list[Metric]:
    """Return all metrics of ratings, each with its required parameters at an example."""
    specs = []
    for name in names():
        required = [p for p in definitions()[name].parameters if p.default is None]
        specs.append(f"{name}({', '.join(f'{p.name}={p.example}' for p in required)})" if required else name)
    return [get(spec) for spec in (*specs, "wins(mse)", "wins(mean)", "auc(0.6)", "accuracy(threshold=0.4)")]


@pytest.mark.parametrize("metric", every_metric(), ids=lambda metric: metric.name)
def test_what_is_declared_is_what_is_measured(metric: Metric) -> None:
    measured = measured_traits(metric)
    for trait in TRAITS:
        assert getattr(metric.traits, trait) == getattr(measured, trait), trait
    assert measured.score_range == pytest.approx(metric.traits.score_range, abs=1e-12)
    assert metric.is_mean_over_items == measured.mean_over_items


@pytest.mark.parametrize("metric", every_metric(), ids=lambda metric: metric.name)
def test_scores_of_ratings_from_0_to_1_stay_within_the_declared_range(metric: Metric) -> None:
    if metric.score_range is None:
        return
    rng = np.random.default_rng(5)
    spread = rng.choice([0.05, 0.5, 4.0], (2, 400, 1, 1))
    systems = np.clip(0.5 + spread * rng.normal(0, 1, (2, 400, 6, 2)), 0, 1)
    gold = np.clip(0.5 + 0.5 * rng.normal(0, 1, (400, 6, 2)), 0, 1)
    if metric.needs == "item_means":
        systems, gold = systems.mean(axis=-1), gold.mean(axis=-1)
    scores = (metric.effects if metric.kind == "comparison" else metric.scores)(systems, gold)
    defined = scores[np.isfinite(scores)]
    low, high = metric.score_range
    assert defined.size > 100
    assert defined.min() >= low - 1e-12
    assert defined.max() <= high + 1e-12
    effects = metric.effects(systems, gold)
    ends = metric.effect_range
    assert ends is not None
    assert np.nanmin(effects) >= ends[0] - 1e-12
    assert np.nanmax(effects) <= ends[1] + 1e-12


def test_an_effect_range_is_as_wide_as_twice_that_of_scores():
    assert get("spearman").effect_range == (-2.0, 2.0)
    assert get("wins(mse)").effect_range == (-1.0, 1.0)
    assert get("histogram_emd_aggregated(5)").effect_range is None


def test_a_copy_of_a_metric_under_another_name_is_known_as_well():
    @register(direction="higher")
    def own_accuracy(system, gold):
        return np.mean((system >= 0.5) == (gold >= 0.5))

    @register(direction="higher")
    def own_spearman(system, gold):
        return stats.spearmanr(system, gold).statistic

    @register(direction="lower")
    def own_largest(system, gold):
        return np.abs(system - gold).max()

    @register(direction="lower")
    def own_median(system, gold):
        return np.median(np.abs(system - gold))

    @register(direction="higher", kind="comparison", needs_gold=False)
    def own_lead(a, b):
        return np.mean(a) - np.mean(b)

    @register(direction="lower")
    def own_sum(system, gold):
        return np.abs(system - gold).sum()

    @register(direction="higher")
    def own_similarity(system, gold):
        return np.mean(1.0 / (1.0 + np.abs(system - gold)))

    for own, builtin in (("own_accuracy", "accuracy"), ("own_spearman", "spearman")):
        for trait in TRAITS:
            assert getattr(get(own), _PROPERTY.get(trait, trait)) == getattr(get(builtin).traits, trait)
    assert get("own_largest").smoothness == get("own_median").smoothness == "jumps"
    assert get("own_lead").smoothness == "linear"
    assert get("own_lead").unit_power == 1
    assert get("own_lead").is_mean_over_items
    assert get("own_accuracy").score_range == (0.0, 1.0)
    assert get("own_spearman").score_range == pytest.approx((-1.0, 1.0))
    assert get("own_lead").effect_range == (-1.0, 1.0)
    # the end of a sum depends on the number of items; that of a metric without a unit, on the ratings
    assert get("own_sum").score_range == (0.0, np.inf)
    assert get("own_similarity").score_range == (-np.inf, 1.0)
    assert get("own_sum").effect_range == get("own_similarity").effect_range == (-np.inf, np.inf)


_PROPERTY = {"mean_over_items": "is_mean_over_items"}


def test_a_threshold_far_from_0_and_1_is_seen():
    @register(direction="higher")
    def above_fifty(system, gold):
        return np.mean((system >= 50) == (gold >= 50))

    assert get("above_fifty").unchanged_by == ()
    assert get("above_fifty").smoothness == "jumps"


def test_what_register_says_goes_before_what_is_measured():
    @register(
        direction="higher",
        smoothness="jumps",
        unchanged_by=("scale",),
        unit_power=3,
        score_range=(0, 5),
    )
    def said(system, gold):
        return np.mean(system * gold)

    metric = get("said")
    assert metric.traits == Traits("jumps", ("scale",), 3, None, None, (0, 5))
    assert (metric.smoothness, metric.unchanged_by, metric.unit_power) == ("jumps", ("scale",), 3)
    assert metric.score_range == (0, 5)


def test_of_a_metric_that_fails_on_other_ratings_nothing_is_taken_for_granted():
    @register(direction="higher")
    def only_of_this_test(system, gold):
        raise ValueError("made for seven items")

    metric = get("only_of_this_test")
    assert (metric.smoothness, metric.unchanged_by, metric.unit_power) == ("smooth", (), 0)
    assert metric.score_range is None
    assert not metric.is_mean_over_items


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"smoothness": "wavy"}, "smoothness 'wavy'"),
        ({"unchanged_by": ("locations",)}, "'locations'; did you mean location"),
        ({"score_range": (1, 0)}, "expected the least score before the largest"),
    ],
)
def test_unknown_words_are_refused(said, message):
    with pytest.raises(NbykError, match=message):
        register(direction="higher", **said)
