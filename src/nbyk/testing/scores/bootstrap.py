"""The bootstrap test of a difference of means, of paired or unpaired scores.

Resamples of the data centre on the observed difference δ instead of on zero. So the test counts the resampled
differences that exceed δ by another δ: #{δ* ≥ 2 δ} (Efron and Tibshirani 1994). Berg-Kirkpatrick et al. 2012
do the same for any metric; see `nbyk.paired_bootstrap`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from nbyk.arrays import Floats
from nbyk.data.arrays import as_pairs, as_scores
from nbyk.resampling.effects import Progress
from nbyk.testing.engine.item_draws import Kinds
from nbyk.testing.pvalues import Alternative
from nbyk.testing.scores.draws import Drawing
from nbyk.testing.scores.kernels import resampled_differences
from nbyk.testing.scores.nulls import NullSums, result_of_means, rounding
from nbyk.testing.scores.result import SignificanceResult


def bootstrap_test(
    a: Any,
    b: Any,
    *,
    paired: bool = False,
    alternative: Alternative = "two-sided",
    n_resamples: int = 10_000,
    smoothing: bool = True,
    seed: Any = 0,
    threads: int = 1,
    keep_null: bool = False,
    progress: Progress | None = None,
) -> SignificanceResult:
    """Test the difference of two means by resampling the scores.

    Parameters
    ----------
    a, b
        Two or more scores of each system, higher is better: lists, arrays, Series or tensors.
    paired
        Whether score i of both belongs to the same item or run, so that pairs are resampled; else each sample
        is resampled by itself.
    n_resamples
        Resamples M.
    smoothing
        p = (1 + count)/(1 + M), never zero; else count/M, as in Berg-Kirkpatrick et al.
    alternative, seed, threads, keep_null, progress
        As for `nbyk.approximate_randomisation`; the statistic under the null is δ* − δ.

    Returns
    -------
    SignificanceResult
        `statistic` is δ = mean(a) − mean(b).

    Raises
    ------
    NbykError
        If a system has fewer than two scores, they are not finite numbers or do not pair, or an argument is
        out of range.

    Notes
    -----
    The test is liberal on small samples: the variance of resampled means is (n − 1)/n times that of means. At
    a level of .05 it rejects equally good systems about .09 of the time with n = 5, and .06 with n = 20.
    Prefer `permutation_test` or `approximate_randomisation` there.
    """
    samples = as_pairs(a, b, least=2) if paired else (as_scores(a, "a", least=2), as_scores(b, "b", least=2))
    drawing = Drawing(n_resamples, seed, threads, progress)
    name, null = "paired_bootstrap" if paired else "bootstrap", partial(resampled, paired=paired)
    return result_of_means(
        name, samples, null, alternative, drawing, keep_null=keep_null, smoothing=smoothing
    )


def resampled(a: Floats, b: Floats, *, paired: bool) -> NullSums:
    """Return the resampled differences δ* of R pairs of samples, which are to reach 2 δ."""
    n, m = a.shape[1], b.shape[1]
    if paired:
        parts_a = (a - b) / n
        parts_b = np.empty((len(a), 0))
        ties = rounding(parts_a, (np.abs(a) + np.abs(b)) / n)
    else:
        centre = 0.5 * (a.mean(axis=1, keepdims=True) + b.mean(axis=1, keepdims=True))
        parts_a, parts_b = (a - centre) / n, (b - centre) / m
        ties = rounding(parts_a, np.abs(a) / n) + rounding(parts_b, np.abs(b) / m)
    observed = parts_a.sum(axis=1) - parts_b.sum(axis=1)
    return NullSums(
        observed=observed,
        low=2.0 * observed - ties,
        high=2.0 * observed + ties,
        kernel=resampled_differences,
        summed=(parts_a, parts_b),
        axes={"purpose": "resampled scores", "n": n, "m": parts_b.shape[1]},
        differences=lambda resampled: resampled - observed[:1, None],
        of_kinds=Kinds.drawn if paired else None,
    )
