"""Counts of a bootstrap's draws of each run of a system."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nbyk.resampling.streams import ReplicateStreams, StreamKey
from nbyk.testing.engine.item_draws import count_draws
from nbyk.testing.engine.swaps import DRAWS

Ints: TypeAlias = NDArray[np.int64]
Runs: TypeAlias = Literal["independent", "paired", "fixed", "concatenated"]


def run_counts(key: StreamKey, n_runs: tuple[int, int], runs: Runs, chunk: int) -> tuple[Ints, Ints]:
    """Return how often each run of A and of B is drawn in the draws of a chunk, shape (runs, 64) each.

    From R runs, R − 1 are drawn with replacement. Their mean varies as the mean of R fresh runs does. The
    mean of R redrawn runs would vary only (R − 1)/R as much (McCarthy and Snowden 1985). A single run is
    kept. All runs are kept if `runs` is "fixed" or "concatenated".
    """
    if runs in ("fixed", "concatenated"):
        of_a, of_b = (np.ones((of_system, DRAWS), dtype=np.int64) for of_system in n_runs)
        return of_a, of_b
    of_a = _drawn(key, "runs", n_runs[0], chunk)
    return of_a, of_a if runs == "paired" else _drawn(key, "runs of b", n_runs[1], chunk)


def _drawn(key: StreamKey, role: str, n_runs: int, chunk: int) -> Ints:
    counts = np.ones((DRAWS, n_runs), dtype=np.int64)
    if n_runs > 1:
        streams = ReplicateStreams(key, chunk)
        each = np.arange(n_runs)
        count_draws(*streams.take(role, DRAWS), n_runs, n_runs - 1, each, counts)
    return np.ascontiguousarray(counts.T)
