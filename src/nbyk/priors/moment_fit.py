"""Fit a two-stage prior to responses by their item means and deviations, as Wein et al. (2023) do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from numpy.typing import ArrayLike

from nbyk.errors import NbykError, unknown_name
from nbyk.priors.comparison import FamilyRow, compare_families
from nbyk.priors.family import Family
from nbyk.priors.fitting import METHODS, item_parameters
from nbyk.priors.predictive import PredictiveCheck, on_scale, predictive_check
from nbyk.priors.two_stage import Response, TwoStagePrior


@dataclass(frozen=True)
class MomentFit:
    """A prior fitted to data, the candidates it was chosen from, and a check that it makes such data.

    Attributes
    ----------
    prior
        The fitted prior.
    mu_table, sigma_table
        All candidates for each stage, best first; the prior uses the first of each that is allowed in a
        prior.
    predictive
        The predictive check against the data that it was fitted to.
    """

    prior: TwoStagePrior
    mu_table: tuple[FamilyRow, ...]
    sigma_table: tuple[FamilyRow, ...]
    predictive: PredictiveCheck

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON can hold it."""
        return {
            "prior": self.prior.to_dict(),
            "mu_table": [row.to_dict() for row in self.mu_table],
            "sigma_table": [row.to_dict() for row in self.sigma_table],
            "predictive": self.predictive.to_dict(),
        }


def fit_by_moments(
    name: str,
    matrix: ArrayLike,
    response: Response,
    *,
    mu_families: Sequence[str] | None = None,
    sigma_families: Sequence[str] | None = None,
    method: str = "best",
    n_bootstrap: int = 99,
    n_sets: int = 200,
    seed: int = 0,
) -> MomentFit:
    """Fit a two-stage prior to responses by their item means and standard deviations.

    Each stage gets the family with the smallest Kolmogorov-Smirnov distance to the item means (standard
    deviations). All families can be compared by this distance; by likelihood, families with atoms cannot be
    compared with families without.

    Parameters
    ----------
    name
        What to call the prior.
    matrix : array_like, shape (N, K)
        Responses, with NaN for missing ones.
    response
        The response stage; the responses must be on its scale.
    mu_families, sigma_families
        Candidates, as in `compare_families`. Families of the means live on [0, top of the scale], those of
        the standard deviations on [0, 1].
    method
        "histogram", "likelihood", or "best" for the closer of the two.
    n_bootstrap
        Samples behind each candidate's p-value; 0 for none.
    n_sets
        Simulated data sets of the predictive check.
    seed
        Fixes everything random: the same input always gives the same output.

    Raises
    ------
    NbykError
        As `item_parameters`, `compare_families` and `predictive_check`, or if no candidate can be fitted.

    Notes
    -----
    This is the method of Wein et al. (2023, appendix B): the moments of the responses stand in for the item's
    latent (μ, σ). They are not the same. The mean of K responses varies more than μ does, by σ²/K; rounding
    down to levels moves it by about half a level, and clamping and rounding change the standard deviation, to
    exactly 0 wherever all raters agree. Data simulated from the fitted prior, responses included, can
    therefore differ from the data although both tables look good. The predictive check shows by how much.
    `fit_prior` does not confuse the two.
    """
    if method not in ("best", *METHODS):
        raise unknown_name("method", method, ("best", *METHODS))
    responses = on_scale(matrix, response)
    means, sds = item_parameters(responses)
    methods = METHODS if method == "best" else (method,)
    compare = partial(compare_families, methods=methods, n_bootstrap=n_bootstrap, seed=seed)
    mu_table = compare(means, "mu", response.top, families=mu_families)
    sigma_table = compare(sds, "sigma", families=sigma_families)
    prior = TwoStagePrior(name, _first(mu_table, -math.inf), _first(sigma_table, 0.0), response)
    check = predictive_check(prior, responses, seed, n_sets)
    return MomentFit(prior, tuple(mu_table), tuple(sigma_table), check)


def _first(table: Sequence[FamilyRow], low: float) -> Family:
    """Return the best family that never falls below `low`."""
    for row in table:
        if row.family is not None and row.family.support[0] >= low:
            return row.family
    reasons = "; ".join(row.note or f"{row.family_name}: falls below {low:g}" for row in table)
    raise NbykError(f"no candidate for {table[0].stage} can be used: {reasons}")
