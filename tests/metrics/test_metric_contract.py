"""What every registered metric must do; a new one is covered by being registered."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from nbyk.errors import NbykError
from nbyk.metrics import definitions, get, names


def _spec(name):
    required = [p for p in definitions()[name].parameters if p.default is None]
    return f"{name}({', '.join(f'{p.name}={p.example}' for p in required)})" if required else name


CONSTRUCTED = ["wins(mse)", "wins(mean)", "wins(accuracy(threshold=0.6))", "wins(mean_of_emds)"]
ALL = [get(spec) for spec in (*map(_spec, names()), *CONSTRUCTED)]
SCORES = [metric for metric in ALL if metric.kind == "score"]


def _batch(metric, systems=2, replicates=4, items=400, width=5):
    """Gold from 0 to 1; system s strays from it the further the larger s, and the lower, too."""
    rng = np.random.default_rng(11)
    centre = np.linspace(0.02, 0.98, items)[:, np.newaxis]
    gold = np.clip(centre + rng.normal(0, 0.02, (replicates, items, width)), 0, 1)
    stray = np.array([0.03, 0.35, 0.5, 0.7])[:systems].reshape(-1, 1, 1, 1)
    spread = rng.normal(0, 1, (systems, replicates, items, 1)) * stray
    answers = gold + spread - 0.5 * stray
    if metric.needs == "item_means":
        return np.ascontiguousarray(answers.mean(axis=-1)), gold.mean(axis=-1)
    if metric.takes_trials:
        answers = (answers > 0.5).astype(float)
    return np.ascontiguousarray(answers), gold


def _one_by_one(metrics):
    return pytest.mark.parametrize("metric", metrics, ids=lambda metric: metric.name)


@_one_by_one(ALL)
def test_declaration_is_complete_and_the_name_leads_back(metric):
    assert metric.direction in ("higher", "lower")
    assert metric.needs in ("item_means", "responses")
    assert metric.kind in ("score", "comparison")
    assert metric.summary.endswith(".")
    assert "\n" not in metric.summary
    assert get(metric.name) == metric


@_one_by_one(ALL)
def test_the_system_nearer_to_gold_has_a_positive_effect(metric):
    systems, gold = _batch(metric)
    effects = metric.effects(systems, gold)
    assert effects.shape == (4,)
    assert effects.dtype == np.float64
    if metric.base_name == "mean_cost":  # gold is no cost: it is the mean mirrored
        np.testing.assert_array_equal(effects, -get("mean").effects(systems, gold))
        return
    assert (effects > 0).all()


@_one_by_one(ALL)
def test_swapping_the_systems_flips_the_effect_exactly(metric):
    systems, gold = _batch(metric)
    swapped = metric.effects(systems[::-1], gold)
    np.testing.assert_array_equal(swapped, -metric.effects(systems, gold))


@_one_by_one(ALL)
def test_a_batch_gives_what_its_replicates_give_one_at_a_time(metric):
    systems, gold = _batch(metric)
    alone = [metric.effects(systems[:, r : r + 1], gold[r : r + 1])[0] for r in range(4)]
    np.testing.assert_array_equal(metric.effects(systems, gold), alone)


@_one_by_one(ALL)
def test_inputs_stay_as_they_are_and_may_be_read_only(metric):
    systems, gold = _batch(metric)
    kept = systems.copy(), gold.copy()
    expected = metric.effects(systems, gold)
    np.testing.assert_array_equal(systems, kept[0])
    np.testing.assert_array_equal(gold, kept[1])
    systems.flags.writeable = gold.flags.writeable = False
    np.testing.assert_array_equal(metric.effects(systems, gold), expected)


@_one_by_one(SCORES)
def test_three_systems_are_scored_each_by_itself(metric):
    systems, gold = _batch(metric, systems=3)
    scores = metric.scores(systems, gold)
    assert scores.shape == (3, 4)
    for s in range(3):
        np.testing.assert_array_equal(scores[s], metric.scores(systems[s : s + 1], gold)[0])
    sign = 1 if metric.direction == "higher" else -1
    np.testing.assert_array_equal(metric.effects(systems, gold), sign * (scores[0] - scores[1]))


@_one_by_one([metric for metric in ALL if metric.needs == "responses"])
def test_trailing_columns_without_a_response_change_nothing(metric):
    systems, gold = _batch(metric)
    padding = ((0, 0), (0, 0), (0, 0), (0, 2))
    padded = np.pad(systems, padding, constant_values=np.nan)
    padded_gold = np.pad(gold, padding[1:], constant_values=np.nan)
    expected = metric.effects(systems, gold)
    for wide, wide_gold in ((padded, gold), (systems, padded_gold), (padded, padded_gold)):
        np.testing.assert_allclose(metric.effects(wide, wide_gold), expected, rtol=1e-12)


@_one_by_one(ALL)
def test_shapes_that_do_not_fit_are_refused_before_compiled_code_sees_them(metric):
    systems, gold = _batch(metric)
    with pytest.raises(NbykError, match=r"gold of the same R and N"):
        metric.effects(systems, gold[:, 1:])
    with pytest.raises(NbykError, match=r"systems of shape"):
        metric.effects(systems[0], gold)
    with pytest.raises(NbykError, match=r"two systems|S at least 2"):
        metric.effects(systems[:1], gold)


@_one_by_one(ALL)
def test_gold_may_be_left_out_only_where_it_is_not_needed(metric):
    systems, gold = _batch(metric)
    if metric.needs_gold:
        with pytest.raises(NbykError, match="needs gold"):
            metric.effects(systems)
    else:
        np.testing.assert_array_equal(metric.effects(systems), metric.effects(systems, gold))


@_one_by_one([metric for metric in ALL if metric.kind == "comparison"])
def test_a_comparison_has_no_scores(metric):
    with pytest.raises(NbykError, match="compares two systems"):
        metric.scores(*_batch(metric))


def test_listing_and_parsing_import_no_compiled_code():
    code = (
        "import sys, nbyk.metrics as m; m.get('spearman'); m.names();"
        "print([name for name in ('numba', 'scipy', 'pandas', 'sklearn') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
