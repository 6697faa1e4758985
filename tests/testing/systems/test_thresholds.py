"""Metrics that cut ratings say where they cut, in both units."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbyk
from nbyk.data.scales import Binary, Interval, Levels, Scale
from nbyk.metrics import get

DRAWS: dict[str, Any] = {"n_resamples": 199, "max_resamples": 199}


@pytest.mark.parametrize(
    ("spec", "scale", "expected"),
    [
        ("f1", Levels((1.0, 2.0, 3.0, 4.0, 5.0)), 3.5),
        ("f1(threshold=0.6)", Levels((1.0, 2.0, 3.0, 4.0, 5.0)), 4.0),
        ("accuracy", Interval(1.0, 5.0), 3.0),
        ("f1", Binary(), None),
        ("f1", Levels((1.0, 2.0, 4.0)), None),
        ("mae", Interval(1.0, 5.0), None),
    ],
)
def test_the_cut_in_the_ratings_own_unit(spec: str, scale: Scale, expected: float | None) -> None:
    found = get(spec).threshold_in_ratings(scale)
    assert found == (None if expected is None else pytest.approx(expected))
    if found is not None and found.is_integer():
        assert scale.normalise([found])[0] == pytest.approx(get(spec).threshold)


@pytest.mark.parametrize(("spec", "cut"), [("f1", 0.5), ("accuracy(threshold=0.6)", 0.6), ("auc", 0.5)])
def test_a_comparison_on_ratings_says_where_it_cuts(spec: str, cut: float) -> None:
    generator = np.random.default_rng(0)
    gold, a, b = generator.integers(0, 6, (3, 40, 3)) / 5
    warnings = nbyk.compare(gold, a, b, metric=spec, **DRAWS).warnings
    told = [text for text in warnings if "an item positive" in text]
    assert len(told) == 1
    assert told[0].startswith(f"{spec} calls an item positive if ")
    assert f" mean rating is {cut:g} or more; " in told[0]
    assert ("gold's mean" in told[0]) == (spec == "auc")
    assert not [t for t in nbyk.compare(gold, a, b, metric="mae", **DRAWS).warnings if "positive" in t]


def test_labels_of_0_and_1_need_no_threshold() -> None:
    gold, a, b = np.random.default_rng(0).integers(0, 2, (3, 40)).astype(float)
    assert not [t for t in nbyk.compare(gold, a, b, metric="f1", **DRAWS).warnings if "positive" in t]
