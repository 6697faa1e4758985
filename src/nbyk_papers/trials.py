"""Simulated test sets and their resamples, as settings of a step."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Trials:
    """Simulated test sets, each with its own resamples."""

    n_sets: int
    n_resamples: int
    seed: int
