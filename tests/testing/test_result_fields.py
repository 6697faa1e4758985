"""Results of all fronts have the same fields, so that who knows one knows all (docs/vocabulary.md)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np
import pytest

import nbyk
from nbyk.errors import NbykError

pytestmark = pytest.mark.quick

ARRAYS = np.random.default_rng(0).random((3, 12, 2))
GOLD, SYSTEMS = ARRAYS[0], {"x": ARRAYS[1], "y": ARRAYS[2], "z": ARRAYS[1] + 0.1}
SCORES = {name: values.mean(axis=1) for name, values in SYSTEMS.items()}
TARGET, A, B = ("pnnppnpnnn" * 2, "pnnpnnpnnn" * 2, "pnppnnnnpn" * 2)
FEW: dict[str, Any] = {"n_resamples": 99}
ITEMS: dict[str, Any] = {**FEW, "generalise": ("items",)}

ONE: dict[str, Callable[[], Any]] = {
    "compare": lambda: nbyk.compare(*ARRAYS, **ITEMS),
    "compare, by name": lambda: nbyk.compare(GOLD, {k: SYSTEMS[k] for k in "xy"}, **ITEMS),
    "compare, of scores": lambda: nbyk.compare(None, {k: SCORES[k] for k in "xy"}, kind="scores", **FEW),
    "compare, of classes": lambda: nbyk.compare(list(TARGET), list(A), list(B), **FEW),
    "paired_bootstrap, of outputs": lambda: nbyk.paired_bootstrap(SCORES["x"], SCORES["y"], **FEW),
    "permutation": lambda: nbyk.score_test("permutation", SCORES["x"], SCORES["y"]),
    "approximate_randomisation": lambda: nbyk.score_test(
        "approximate_randomisation", SCORES["x"], SCORES["y"]
    ),
    "bootstrap": lambda: nbyk.score_test("bootstrap", SCORES["x"], SCORES["y"], **FEW),
    "welch_t": lambda: nbyk.score_test("welch_t", SCORES["x"], SCORES["y"]),
    "wilcoxon": lambda: nbyk.score_test("wilcoxon", SCORES["x"], SCORES["y"]),
    "mann_whitney": lambda: nbyk.score_test("mann_whitney", SCORES["x"], SCORES["y"]),
}
"""Each front on one pair by one metric."""

SEVERAL: dict[str, Callable[[], Any]] = {
    "compare": lambda: nbyk.compare(GOLD, SYSTEMS, **ITEMS),
    "compare, of scores": lambda: nbyk.compare(None, SCORES, kind="scores", **FEW),
}


def check_numbers(result: Any) -> None:
    assert 0.0 < result.p <= 1.0
    assert 0.0 <= result.standard_error < 0.5
    low, high = result.interval
    assert math.isfinite(result.effect)
    assert low <= result.effect <= high


@pytest.mark.parametrize("front", ONE)
def test_a_result_has_the_fields(front: str) -> None:
    result = ONE[front]()
    check_numbers(result)
    assert isinstance(result.warnings, tuple)
    assert all(isinstance(text, str) for text in result.warnings)
    assert result.sentence.endswith(".")
    (shown,) = re.findall(r"(-?[\d.]+)(?: (?:higher|lower)| more)", result.sentence)
    low, high = result.interval
    assert float(shown) == pytest.approx(abs(result.effect), abs=0.06 * (high - low))


@pytest.mark.parametrize("front", SEVERAL)
def test_each_part_of_several_has_the_numbers(front: str) -> None:
    result = SEVERAL[front]()
    assert len(result.pairs) == 3
    for part in result.pairs:
        check_numbers(part)
    assert isinstance(result.warnings, tuple)
    assert result.sentence.endswith(".")
    for field in ("p", "standard_error", "interval", "effect"):
        with pytest.raises(NbykError, match=f"has {len(result.pairs)} pairs"):
            getattr(result, field)


@pytest.mark.parametrize("front", ONE)
def test_a_notebook_shows_the_sentence_and_the_warnings(front: str) -> None:
    result = ONE[front]()
    shown = result._repr_html_()
    head = result.head
    assert all(escape(text) in shown for text in (head.verdict, head.about, *head.careful))
    assert all(line in repr(result) for line in (head.verdict, head.about))


def test_p_of_one_pair_is_that_of_the_pair() -> None:
    board = nbyk.compare(GOLD, {k: SYSTEMS[k] for k in "xy"}, **ITEMS)
    pair = nbyk.compare(GOLD, SYSTEMS["x"], SYSTEMS["y"], **ITEMS)
    assert (board.p, board.effect, board.interval) == (pair.p, pair.effect, pair.interval)
    scores = nbyk.compare(None, {k: SCORES[k] for k in "xy"}, test="welch_t")
    alone = nbyk.score_test("welch_t", SCORES["x"], SCORES["y"])
    assert (scores.p, scores.effect) == (alone.p, alone.effect)
    assert scores.interval == pytest.approx(alone.interval)


def test_an_interval_and_p_of_t_agree() -> None:
    """Welch's interval at 1 − p just leaves out 0."""
    found = nbyk.score_test("welch_t", SCORES["x"], SCORES["y"])
    edge = nbyk.compare(None, {k: SCORES[k] for k in "xy"}, test="welch_t", confidence_level=1 - found.p)
    assert min(map(abs, edge.interval)) == pytest.approx(0.0, abs=1e-12)


def test_aso_has_no_p() -> None:
    found = nbyk.compare(None, {k: SCORES[k] for k in "xy"}, test="aso", **FEW)
    assert math.isnan(found.p)
    assert math.isnan(found.standard_error)
    assert found.sentence


def test_aso_has_the_effect_of_the_means_and_no_p() -> None:
    scores = SCORES["x"] + 0.3, SCORES["y"]
    found = nbyk.aso(*scores, confidence_level=0.9, n_comparisons=2)
    means = nbyk.compare(None, dict(zip("ab", scores, strict=True)), test="aso", confidence_level=0.9)
    assert found.effect == means.effect
    assert np.isnan(means.interval).all()
    assert not hasattr(found, "p")
    assert found.reversed().effect == -found.effect
    with pytest.warns(UserWarning, match="eps_min says little"):
        nbyk.aso([1.0, 2.0], [0.0, 1.0])


def test_a_plan_has_all_but_p() -> None:
    plan = nbyk.plan(
        nbyk.published_prior("toxicity"),
        n_items=50,
        k_responses=3,
        epsilon=0.2,
        n_resamples=99,
        precision=0.05,
    )
    assert plan.effect is not None
    assert plan.interval == (plan.low, plan.high)
    assert plan.simulated is not None
    assert plan.standard_error == plan.simulated.standard_error > 0.0
    assert plan.sentence.endswith(".")
    assert plan.warnings == ()
    assert not hasattr(plan, "p")
