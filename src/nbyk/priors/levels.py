"""Responses between two ends, cut into levels so that they can be counted."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbyk.errors import NbykError
from nbyk.priors.predictive import on_scale
from nbyk.priors.two_stage import Response

_CUT = Response("likert", 10)
_DECIMALS = 12


def on_levels(matrix: ArrayLike, response: Response) -> tuple[NDArray[np.float64], Response]:
    """Return responses on levels, and the response stage that has those levels.

    Responses with levels stay as they are. Those clamped to [0, 1] are cut into ten equal parts. The
    probability of a part is that of a normal draw between two edges, clamped or not, so μ and σ are the same
    for both.

    Parameters
    ----------
    matrix : array_like, shape (N, K)
        Responses on the scale of `response`, with NaN for missing ones.
    response
        Their response stage.
    """
    responses = on_scale(matrix, response)
    if response.levels:
        return responses, response
    if response.kind != "clamped":
        raise NbykError(
            f"response {response.kind} has neither levels nor ends; put the responses on a scale with both "
            "ends"
        )
    # In floating point 0.7 - 0.4 is a little less than 0.3, but belongs to the same part.
    return _CUT.apply(np.round(responses, _DECIMALS)), _CUT
