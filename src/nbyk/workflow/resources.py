"""The memory and time that a job asks for, from measurements (docs/cluster.md)."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import Any

Measured = float | Callable[[Any], float]
"""Memory or time of a job: a number, or a function of the job's wildcards."""

_SNAKEMAKES = 350
"""MB of the two Snakemakes that a cluster runs around a job."""


def memory(measured: Measured) -> Callable[[Any, int], int]:
    """Return the memory (MB) to ask for: twice what a job takes, and room for Snakemake.

    It grows with each attempt.
    """
    return lambda wildcards, attempt: 50 * ceil((2 * _of(measured, wildcards) + _SNAKEMAKES) / 50) * attempt


def minutes(seconds: Measured) -> Callable[[Any, int], int]:
    """Return the time limit (minutes): thrice what a job takes, and at least 2 for a cold start.

    It grows with each attempt.
    """
    return lambda wildcards, attempt: max(2, ceil(3 * _of(seconds, wildcards) / 60)) * attempt


def _of(measured: Measured, wildcards: Any) -> float:
    return measured(wildcards) if callable(measured) else measured
