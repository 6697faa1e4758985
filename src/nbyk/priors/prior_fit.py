"""The fit of a two-stage prior to ratings that every command uses, with a check against the ratings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nbyk.priors.likelihood_fit import LikelihoodFit, fit_by_likelihood
from nbyk.priors.predictive import PredictiveCheck, on_levels, on_scale, predictive_check
from nbyk.priors.two_stage import Response, TwoStagePrior


@dataclass(frozen=True)
class FittedPrior:
    """A prior fitted to ratings, and whether it makes such ratings.

    Attributes
    ----------
    prior
        The fitted prior; its `caution` is a sentence if the check rejects it.
    likelihood
        The fit: the families that were compared, their likelihoods, and the fit beside the data.
    check
        The ratings beside data sets simulated from the prior.
    """

    prior: TwoStagePrior
    likelihood: LikelihoodFit
    check: PredictiveCheck

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON can hold it."""
        return {
            **self.likelihood.to_dict(),
            "prior": self.prior.to_dict(),
            "predictive": self.check.to_dict(),
        }


def fit_prior(
    name: str, matrix: ArrayLike, response: Response, *, n_sets: int = 200, seed: int = 0
) -> FittedPrior:
    """Fit a two-stage prior to ratings by the likelihood, and check it against them.

    `nbyk fit`, `nbyk plan`, `nbyk.settle` and every data set of the workflow fit priors this way, so the same
    ratings have the same prior everywhere.

    Parameters
    ----------
    name
        What to call the prior.
    matrix : array_like, shape (N, K)
        Ratings on the scale of `response`, with NaN for missing ones.
    response
        The response stage: "likert", "binary", or "clamped" for numbers between two ends. Clamped ratings are
        cut into ten levels for the fit; if all are 0 or 1 they count as binary.
    n_sets
        Simulated data sets of the check.
    seed
        Fixes the check. The prior does not depend on it.

    Raises
    ------
    NbykError
        As `on_levels`, `fit_by_likelihood` and `predictive_check`.

    Notes
    -----
    The check rejects a prior if the item means, the spread within items or the overall mean of the ratings
    lie further from simulated ones than chance explains (`PredictiveCheck.rejected`). With thousands of items
    small differences are enough; the distances show how small.
    """
    responses = on_scale(matrix, response)
    if response.kind == "clamped" and np.isin(responses[~np.isnan(responses)], (0.0, 1.0)).all():
        response = Response("binary")
    levels, stage = on_levels(responses, response)
    likelihood = fit_by_likelihood(name, levels, stage)
    prior = replace(likelihood.prior, response=response)
    check = predictive_check(prior, responses, seed, n_sets)
    return FittedPrior(replace(prior, caution=_caution(name, check)), likelihood, check)


def _caution(name: str, check: PredictiveCheck) -> str:
    """Return the caution about a prior that its check rejects; "" otherwise."""
    if not check.rejected:
        return ""
    return (
        f"The prior fitted to {name} does not describe its ratings well: ratings simulated from it differ in "
        f"{' and '.join(check.misfits)}. Treat results that use it as approximate."
    )
