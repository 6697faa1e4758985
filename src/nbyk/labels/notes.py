"""Notes to a p-value: parts that were not resampled, scores that counted as 0, draws that were left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from nbyk.data.labels import HardLabels, SoftLabels
from nbyk.labels.asked import AskedOfLabels
from nbyk.metrics.label_scores import LabelScore
from nbyk.metrics.soft_labels import LEAST_PROBABILITY

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

_FEW_RUNS = 5

FEW_ITEMS = 20
"""With fewer items, the bootstrap rejects too often."""

_REJECTED = {6: "more than .17", 10: "up to .17", 15: "about .08", 20: "about .07"}
"""The share of equally good systems that the test called different at α = .05 by `f1_macro`, below each
number of items: .19 of 300 sets of 4 items, .175 of 1500 of 6, .083 of 10, .067 of 15, .053 of 300 of 20."""


def lacking_flag(lacking: Ints, runs: tuple[int, ...], names: tuple[str, str]) -> tuple[str, ...]:
    """Return the note on classes of each system that counted as 0 on the data; `lacking` has shape (S,)."""
    owners = np.repeat((0, 1), runs)
    worst = [int(lacking[owners == owner].max()) for owner in (0, 1)]
    found = [f"{count} of {name}" for name, count in zip(names, worst, strict=True) if count]
    if not found:
        return ()
    return (f"classes without predictions or targets count as 0: {', '.join(found)}",)


def drawn_flag(lacking: Floats, effects: Floats) -> tuple[str, ...]:
    """Return the note on resamples with a class that counted as 0 or an undefined score; both shape (M,)."""
    warnings = []
    n_lacking, n_undefined = int((lacking > 0).sum()), int((~np.isfinite(effects)).sum())
    if n_lacking:
        warnings.append(f"{n_lacking} of {effects.size} resamples lack a class, which counts as 0")
    if n_undefined:
        warnings.append(f"undefined on {n_undefined} of {effects.size} resamples, which are left out")
    return tuple(warnings)


def warnings_on(
    data: HardLabels | SoftLabels,
    scores: Sequence[LabelScore],
    n_runs: tuple[int, ...],
    asked: AskedOfLabels,
    names: tuple[str, str],
) -> tuple[str, ...]:
    """Return the notes about all scores of a test."""
    warnings = []
    fraction, runs = asked.fraction, asked.runs
    if fraction < 1.0:
        warnings.append(
            f"resamples of {fraction:g} of the items scatter {fraction**-0.5:.2g} times as widely as the "
            "effect: p-values are too large if A is better, and intervals are too wide"
        )
    if runs == "concatenated":
        if n_runs[0] > 1:
            warnings.append("nbyk concatenates the runs, so every item counts once for each run")
    elif runs == "fixed" and max(n_runs) > 1:
        warnings.append("runs are fixed: the p-values are about these runs, not about fresh ones")
    elif max(n_runs) == 1:
        warnings.append("one run each: nbyk resamples items, not runs")
    else:
        for name, count in zip(names, n_runs, strict=True):
            if count == 1:
                warnings.append(f"{name} has one run: the p-values leave out how its runs vary")
            elif count < _FEW_RUNS:
                warnings.append(f"{name} has {count} runs: these show only roughly how its runs vary")
    if isinstance(data, SoftLabels) and any(score.measure == "cross_entropy" for score in scores):
        raised = ((data.predictions < LEAST_PROBABILITY) & (data.target > 0.0)).any(axis=2)
        if raised.any():
            warnings.append(
                f"cross entropy: {int(raised.sum())} predictions give less than {LEAST_PROBABILITY:g} to a "
                f"class that the target holds, and count as {LEAST_PROBABILITY:g}"
            )
    n_items = data.n_items // max(n_runs) if runs == "concatenated" else data.n_items
    if n_items < FEW_ITEMS:
        rejected = next(share for below, share in _REJECTED.items() if n_items < below)
        warnings.append(
            f"only {n_items} items: the bootstrap rejects too often. By f1_macro at α = .05, it called "
            f"{rejected} of equally good systems different. For the accuracy, use the exact test `mcnemar`; "
            f"for other scores, collect at least {FEW_ITEMS} items"
        )
    return tuple(warnings)
