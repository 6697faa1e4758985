"""Every function that draws takes the same seeds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nbyk
from nbyk.errors import NbykError
from nbyk.priors.published import published_prior

A, B, C = np.random.default_rng(4).uniform(size=(3, 12)).round(2)
LABELS = (list("abcabcabcabc"), list("abcabcabcaaa"), list("abbabbabcaba"))
PRIOR = published_prior("simulated")

DRAW: dict[str, Callable[[Any], Any]] = {
    "compare": lambda seed: nbyk.compare(A, B, C, n_resamples=99, max_resamples=99, seed=seed),
    "compare, by name": lambda seed: nbyk.compare(
        A, {"b": B, "c": C}, n_resamples=99, max_resamples=99, seed=seed
    ),
    "compare, of scores": lambda seed: nbyk.compare(
        None, [B, C], test="bootstrap", n_resamples=99, seed=seed
    ),
    "compare, by aso": lambda seed: nbyk.compare(None, [B, C], test="aso", n_resamples=99, seed=seed),
    "compare, of classes": lambda seed: nbyk.compare(*LABELS, n_resamples=99, max_resamples=99, seed=seed),
    "paired_bootstrap": lambda seed: nbyk.paired_bootstrap(B, C, n_resamples=99, seed=seed),
    "plan": lambda seed: nbyk.plan(
        PRIOR, n_items=9, k_responses=1, epsilon=0.3, n_resamples=99, precision=0.1, seed=seed
    ),
    "plan by two metrics": lambda seed: nbyk.plan(
        PRIOR,
        metric=["mae", "mse"],
        n_items=9,
        k_responses=1,
        epsilon=0.3,
        n_resamples=99,
        precision=0.1,
        seed=seed,
    ),
    "settle": lambda seed: nbyk.settle(A, B, C, n_resamples=99, seed=seed),
    "sensitivity": lambda seed: nbyk.sensitivity(A, B, C, metrics=["mae"], n_resamples=99, seed=seed),
    "aso": lambda seed: nbyk.aso(B, C, n_resamples=99, seed=seed),
    "bootstrap": lambda seed: nbyk.score_test("bootstrap", B, C, n_resamples=99, seed=seed),
    "approximate_randomisation": lambda seed: nbyk.score_test(
        "approximate_randomisation", B, C, n_resamples=99, seed=seed
    ),
    "permutation": lambda seed: nbyk.score_test("permutation", B, C, n_resamples=99, seed=seed),
    "bootstrap_power_analysis": lambda seed: nbyk.bootstrap_power_analysis(B, n_resamples=99, seed=seed),
    "power_of_test": lambda seed: nbyk.power_of_test(
        nbyk.Population(PRIOR, 9, 1, 0.3), n_sets=64, n_resamples=99, seed=seed
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", DRAW)
def test_seeds_are_treated_alike(name: str) -> None:
    draw = DRAW[name]
    assert repr(draw(7)) == repr(draw(np.int64(7)))
    number = int(np.random.default_rng(7).integers(2**63))
    assert repr(draw(np.random.default_rng(7))) == repr(draw(number))
    sequence = np.random.SeedSequence(7)
    assert repr(draw(sequence)) == repr(draw(sequence))
    draw(None)
    for wrong in (-1, 1.5, "word", True):
        with pytest.raises(NbykError, match=r"^seed: found .*, expected a seed of at least 0, or numpy's"):
            draw(wrong)
