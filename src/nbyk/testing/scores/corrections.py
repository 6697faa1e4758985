"""Corrections of p-values for multiple comparisons, by statsmodels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbyk.data.arrays import Floats, as_scores
from nbyk.errors import NbykError, unknown_name
from nbyk.testing.scores.result import SignificanceResult

METHODS = {"bonferroni": "bonferroni", "holm": "holm", "benjamini_hochberg": "fdr_bh"}
"""Our names and statsmodels'. The first two bound the chance of a false claim, the last their share."""


def correct_p_values(p_values: Any, method: str = "holm") -> Floats:
    """Return p-values adjusted for how many there are, to be compared with the level as they are.

    Parameters
    ----------
    p_values
        p-values in [0, 1], or results of tests.
    method
        "holm" (Holm 1979; never worse than Bonferroni), "bonferroni", or "benjamini_hochberg", which bounds
        the expected share of false claims among those made (Benjamini and Hochberg 1995).

    Returns
    -------
    ndarray, shape (m,)
        In the order given.

    Raises
    ------
    NbykError
        If the method is unknown or a p-value is none.
    """
    from statsmodels.stats.multitest import multipletests

    if method not in METHODS:
        raise unknown_name("correction", method, METHODS)
    if isinstance(p_values, Sequence):
        p_values = [value.p if isinstance(value, SignificanceResult) else value for value in p_values]
    p = as_scores(p_values, "p-values")
    outside = (p < 0.0) | (p > 1.0)
    if outside.any():
        at = int(np.flatnonzero(outside)[0])
        raise NbykError(f"p-values: value {at} is {p[at]}; expected a number in [0, 1]")
    return np.asarray(multipletests(p, method=METHODS[method])[1], dtype=np.float64)
