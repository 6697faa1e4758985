"""The cells of Pandita et al. 2026: p, Δ and power of each prior at every N·K, K, ε and metric."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa

from nbyk.arrays import Floats
from nbyk.resampling.effects import run_chunks
from nbyk.resampling.streams import Streams, stream_key
from nbyk_papers.pandita2026.category_sets import Sizes, draw_scores, rejections
from nbyk_papers.pandita2026.design import (
    ALPHA,
    METRICS,
    PRIORS,
)

if TYPE_CHECKING:
    from nbyk.studies.steps import Work

Side = Literal["left", "right"]

_ROUNDED = 9
"""Digits of scores that are compared: those that differ by rounding alone are tied."""


def grid(
    *,
    source: str,
    budgets: Sequence[int],
    k_responses: Sequence[int],
    epsilons: Sequence[float],
    n_sets: int,
    seed: int,
    work: Work,
) -> tuple[pa.Table, dict[str, Any]]:
    """Draw test sets of a prior's categories; return a row for each size, ε and metric."""
    alpha, sizes = PRIORS[source], Sizes(tuple(budgets), tuple(k_responses))
    key = stream_key(seed, study="pandita2026", source=source)
    shape = (2, len(METRICS), len(epsilons), len(sizes.cells))

    def scored(chunk: int, size: int) -> Floats:
        sums, squares = draw_scores(Streams(key, chunk), alpha, epsilons, sizes, size)
        found = np.stack([sums, rejections(sums, squares, sizes.cells[:, 1], ALPHA)], axis=1)
        return found.reshape(size, -1).T

    with work.progress(n_sets):
        (drawn,) = run_chunks(n_sets, scored, threads=work.threads, progress=work.advance)
    sums, decisions = drawn.reshape(2, *shape, n_sets)
    rows = []
    for (m, metric), (e, epsilon), (c, cell) in product(
        enumerate(METRICS), enumerate(epsilons), enumerate(sizes.cells.tolist())
    ):
        budget, n_items, k = cell
        alternative, null = sums[:, m, e, c]
        unit = n_items * (k * len(alpha) if metric == "tv" else 1)
        found = {"budget": budget, "n_items": n_items, "k_responses": k, "epsilon": epsilon, "metric": metric}
        decided, decided_null = decisions[:, m, e, c]
        rows.append(
            {
                **found,
                "delta": float(alternative.mean()) / unit,
                "delta_error": float(alternative.std(ddof=1)) / unit / n_sets**0.5,
                **p_values(alternative, null),
                "power": float((decided > 0).mean()),
                "wrong": float((decided < 0).mean()),
                "level": float((decided_null != 0).mean()),
                "n_sets": n_sets,
            }
        )
    return pa.Table.from_pylist(rows), {"M": n_sets}


def p_values(alternative: Floats, null: Floats) -> dict[str, float]:
    """Return the mean over alternative sets of the share of null sets above, by both countings of ties.

    Keys: p (null scores strictly above count, as the text says), p_with_ties (those at least as high, as the
    code does), p_error and p_with_ties_error, their standard errors over sets of both hypotheses.
    """
    alternative, null = (np.sort(np.round(scores, _ROUNDED)) for scores in (alternative, null))
    columns: dict[str, float] = {}
    sides: dict[str, tuple[Side, Side]] = {"p": ("right", "left"), "p_with_ties": ("left", "right")}
    for name, (side, other) in sides.items():
        above = 1.0 - np.searchsorted(null, alternative, side=side) / null.size
        below = np.searchsorted(alternative, null, side=other) / alternative.size
        variance = above.var(ddof=1) / above.size + below.var(ddof=1) / below.size
        columns |= {name: float(above.mean()), f"{name}_error": float(variance**0.5)}
    return columns
