"""No argument of `nbyk.compare` is passed over in silence: what means nothing for some data is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nbyk
from nbyk.errors import NbykError

Arguments = dict[str, Any]

RNG = np.random.default_rng(0)
GOLD, A, B = RNG.random((3, 24)).round(1)
LABELS = np.array(["no", "yes"])[(GOLD > 0.5).astype(int)]
SCORES = {"a": [0.5, 0.7, 0.6], "b": [0.8, 0.9, 0.75]}
TASKS = nbyk.Suite.of(["t", "u", "v"] * 8)

ASKS: dict[str, tuple[Callable[..., Any], Arguments]] = {
    "numbers": (lambda **more: nbyk.compare(None, A, B, **more), {"tau": 0.3}),
    "gold": (lambda **more: nbyk.compare(GOLD, A, B, **more), {"lower_is_better": True}),
    "classes": (
        lambda **more: nbyk.compare(LABELS, LABELS, LABELS[::-1], **more),
        {"scale": "0..1", "lower_is_better": True, "tau": 0.3},
    ),
    "scores": (
        lambda **more: nbyk.compare(None, SCORES, kind="scores", **more),
        {
            **{"metric": "mse", "cluster": [1, 2, 3], "classes": ["no", "yes"], "null": "shifted"},
            **{"interval": "bca", "generalise": "items", "suite": TASKS, "looks": 3, "tau": 0.3},
            **{"max_resamples": 9, "max_draws": 9, "decision_error": 0.1, "scale": "0..1"},
        },
    ),
    "suite": (
        lambda **more: nbyk.compare(None, A, B, suite=TASKS, **more),
        {
            "null": "shifted",
            "interval": "bca",
            "pair_runs": True,
            "margin": 0.1,
            "n_resamples": 99,
            "tau": 0.3,
        },
    ),
    "one": (
        lambda **more: nbyk.compare({"a": A}, **more),
        {"null": "shifted", "pair_runs": True, "against": "b", "alternative": "less", "looks": 2},
    ),
    "suite of one": (lambda **more: nbyk.compare({"a": A}, suite=TASKS, **more), {"against": "b"}),
    "read": (
        lambda **more: nbyk.compare(nbyk.response_set(None, A, B), **more),
        {
            **{"kind": "classes", "classes": ["no", "yes"], "scale": "0..1", "cluster": ["t"] * 24},
            **{"test": "welch_t", "tau": 0.3},
        },
    ),
}


@pytest.mark.parametrize(
    ("data", "argument"), [(data, name) for data, (_, given) in ASKS.items() for name in given]
)
def test_an_argument_that_means_nothing_is_refused_by_its_name(data: str, argument: str) -> None:
    ask, given = ASKS[data]
    with pytest.raises(NbykError, match=f"^{argument}: .*"):
        ask(**{argument: given[argument]})


@pytest.mark.parametrize("data", ASKS)
def test_without_it_there_is_an_answer(data: str) -> None:
    ask, _ = ASKS[data]
    assert ask().names


def test_lower_scores_of_runs_and_of_items_can_be_better() -> None:
    assert nbyk.compare(None, SCORES, kind="scores", lower_is_better=True).question.direction == "lower"
    assert nbyk.compare(nbyk.response_set(None, A, B), lower_is_better=True).question.metric == "mean_cost"


def test_the_bound_of_aso_is_a_fifth_by_default() -> None:
    scores = {"a": np.linspace(0.5, 0.7, 8), "b": np.linspace(0.8, 0.9, 8)}
    assert nbyk.compare(None, scores, test="aso").question.tau == 0.2
    assert nbyk.compare(None, scores, test="aso", tau=0.4).question.tau == 0.4
