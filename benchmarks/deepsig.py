"""Tests of scores against deep-significance (Ulmer et al. 2022), where that is installed."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.timing import Line, interleaved, line
from nbyk.testing.scores.aso import aso, aso_batch
from nbyk.testing.scores.battery import score_test

N = 20
DRAWS = 1000
_PAIRS = 2000  # a third of a second: in a tenth, where the system puts the threads decides
_TURNS = 20
"""Calls of nbyk that are timed as one: a single one is shorter than what the clock and the system do."""


def load_deepsig() -> Any:
    """Return the package, or None where it is not installed."""
    try:
        return importlib.import_module("deepsig")
    except ImportError:
        return None


def against_deepsig(repeats: int) -> Iterator[Line]:
    """Time Almost Stochastic Order, the bootstrap and the permutation test on the same scores, in turns."""
    deepsig = load_deepsig()
    if deepsig is None:
        print("deepsig is not installed, so that nothing is measured against it: pip install deepsig==1.2.8")
        return
    generator = np.random.default_rng(0)
    a, b = generator.normal(0.5, 1.0, N), generator.normal(0.0, 1.0, N)
    yield _measured(
        f"ASO, n = {N}, {DRAWS} resamples",
        lambda: deepsig.aso(a, b, num_bootstrap_iterations=DRAWS, show_progress=False, seed=1),
        lambda: aso(a, b, n_resamples=DRAWS),
        2000.0,
        repeats,
    )
    yield _measured(
        f"bootstrap test, n = {N}, {DRAWS} resamples",
        lambda: deepsig.bootstrap_test(a, b, num_samples=DRAWS, seed=1),
        lambda: score_test("bootstrap", a, b, alternative="greater", n_resamples=DRAWS),
        20.0,
        repeats,
    )
    yield _measured(
        f"permutation of pairs, n = {N}, {DRAWS} draws",
        lambda: deepsig.permutation_test(a, b, num_samples=DRAWS, seed=1),
        lambda: score_test(
            "approximate_randomisation", a, b, alternative="greater", n_resamples=DRAWS, exact_up_to=0
        ),
        20.0,
        repeats,
    )
    yield _measured(
        f"permutation of pairs, n = {N}, theirs {DRAWS} draws, ours all 2^{N}",
        lambda: deepsig.permutation_test(a, b, num_samples=DRAWS, seed=1),
        lambda: score_test("approximate_randomisation", a, b, alternative="greater"),
        20.0,
        repeats,
    )


def many_pairs(repeats: int) -> Line:
    """Time one thread over two, for Almost Stochastic Order of many pairs of samples."""
    generator = np.random.default_rng(0)
    a, b = generator.normal(size=(2, _PAIRS, N))
    aso_batch(a[:1], b[:1])  # compiles
    one, two = interleaved(
        lambda: aso_batch(a, b), lambda: aso_batch(a, b, threads=2), repeats, time.perf_counter
    )
    one, two = ([value / _PAIRS for value in side] for side in (one, two))
    name = f"speed of two threads over one, ASO of {_PAIRS} pairs of samples"
    return line(name, ("one thread", one), ("two threads", two), 1.0, goal=1.8)


def _measured(
    name: str, theirs: Callable[[], object], ours: Callable[[], object], floor: float, repeats: int
) -> Line:
    def turns() -> None:
        for _ in range(_TURNS):
            ours()

    ours()  # compiles
    top, bottom = interleaved(theirs, turns, repeats)
    return line(name, ("deepsig", top), ("nbyk", [value / _TURNS for value in bottom]), floor)
