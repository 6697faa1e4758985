"""The fit of a two-stage prior to ratings that every command uses, with a check against the ratings."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import product as pairs_of
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from nbyk.arrays import Floats
from nbyk.errors import NbykError
from nbyk.priors.likelihood_search import FITTABLE, Search
from nbyk.priors.marginal import Counts, Patterns
from nbyk.priors.nominal import ClassPrior
from nbyk.priors.predictive import FamilyFit, FittedPrior, RatingFit, predictive_check
from nbyk.priors.responses import Response
from nbyk.priors.two_stage import TwoStagePrior
from nbyk.sums import product

if TYPE_CHECKING:
    import pandas as pd

FAMILY_PAIRS = tuple(pairs_of(("truncated_normal", "beta", "mixture"), ("truncated_normal", "beta")))
"""The families of μ and of σ that a fit tries together."""

_MAX_PATTERNS = 1000
_LOG_CONCENTRATIONS = (-7.0, 14.0)


def fit_prior(
    name: str, matrix: ArrayLike, response: Response, *, n_sets: int = 200, seed: int = 0
) -> RatingFit:
    """Fit a two-stage prior to ratings by the likelihood, and check it against them.

    `nbyk fit`, `nbyk plan` and every data set of the workflow fit priors this way, so the same
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
        If the ratings are not on the scale, or do not tell μ and σ apart.

    Notes
    -----
    The check rejects a prior if the item means, the spread within items or the overall mean of the ratings
    lie further from simulated ones than chance explains (`PredictiveCheck.rejected`). With thousands of items
    small differences are enough; the distances show how small.
    """
    responses = response.on_scale(matrix)
    response = response.seen_in(responses)
    on_levels, cut = response.on_levels(responses)
    if np.nanmin(on_levels) == np.nanmax(on_levels) and np.nanmin(responses) < np.nanmax(responses):
        raise NbykError(
            f"all {np.isfinite(responses).sum()} responses lie in one of the {cut.levels} parts that a fit "
            "cuts the scale into; put them on a scale whose ends are nearer to theirs"
        )
    candidates = fit_by_likelihood(on_levels, cut)
    prior = TwoStagePrior(name, candidates[0].mu, candidates[0].sigma, response)
    return FittedPrior.of(prior, predictive_check(prior, responses, seed, n_sets), candidates)


def fit_by_likelihood(
    matrix: ArrayLike, response: Response, families: Sequence[tuple[str, str]] = FAMILY_PAIRS
) -> tuple[FamilyFit, ...]:
    """Fit pairs of families of μ and σ to ratings on levels by maximum likelihood, the best AIC first.

    `matrix`, (N, K), is on the scale of `response`, which has levels; NaN is missing. Item parameters are
    integrated out, so that few ratings per item and rounding to levels do not bias the fit.

    A weak normal penalty (standard deviation 2 in each search coordinate: means, log sds, log shapes and
    logit weights) keeps parameters that the data do not determine from drifting. Binary ratings determine
    little: they depend on (μ − ½)/σ alone. Priors with different scales of σ then predict the same counts,
    and the penalty chooses among them. A shift of μ by ε has an effect that depends on the chosen scale.

    With more than 1000 different patterns of counts, the search uses 1000 items spread evenly over the
    ordered ones. Likelihoods still cover all items.
    """
    counts = response.counts(matrix)
    _check_identified(counts, response)
    patterns = Patterns.of(counts)
    search = Search(patterns.at_most(_MAX_PATTERNS), response)
    templates = [(FITTABLE[mu], FITTABLE[sigma]) for mu, sigma in families]
    pairs = [search.fit(*pair_templates) for pair_templates in templates]
    candidates = [
        FamilyFit(*pair, sum(len(template.axes) for template in pair_templates), log_likelihood)
        for pair, pair_templates, log_likelihood in zip(
            pairs, templates, search.log_likelihoods(pairs, patterns, response), strict=True
        )
    ]
    return tuple(sorted(candidates, key=lambda candidate: candidate.aic))


def prior_of_items(
    matrix: Floats, response: Response, families: Sequence[tuple[str, str]]
) -> TwoStagePrior | None:
    """Return the prior of these families that is fitted to ratings (N, K).

    None if a Dirichlet distribution of items' shares has a lower AIC than several, if ratings are yes or no,
    whose variance within an item follows from its mean, or if nothing can be fitted: all ratings are alike,
    each is of another item, or they are off the levels.
    """
    if response.seen_in(matrix).levels == 2:
        return None
    try:
        on_levels, cut = response.on_levels(matrix)
        best = fit_by_likelihood(on_levels, cut, families)[0]
    except NbykError:
        return None
    if len(families) > 1 and _aic_of_dirichlet(cut.counts(on_levels)) < best.aic:
        return None
    return TwoStagePrior("these items", best.mu, best.sigma, response)


def _aic_of_dirichlet(counts: Counts) -> float:
    """Return the AIC of the Dirichlet whose base has the shares of all responses, of counts (N, L)."""
    from scipy.optimize import minimize_scalar

    seen = counts[:, counts.any(axis=0)]
    base = seen.sum(axis=0) / seen.sum()

    def cost(log_concentration: float) -> float:
        alpha = tuple((math.exp(log_concentration) * base).tolist())
        return -float(ClassPrior("these items", alpha).log_likelihood(seen))

    least = minimize_scalar(cost, bounds=_LOG_CONCENTRATIONS, method="bounded")
    return 2.0 * (len(base) + float(least.fun))


def candidates_table(candidates: Sequence[FamilyFit]) -> pd.DataFrame:
    """Return pairs of families as a table, each family as JSON text, best first."""
    import pandas as pd

    rows = [
        {
            "mu_family": candidate.mu.name,
            "sigma_family": candidate.sigma.name,
            "mu": json.dumps(candidate.mu.to_dict()),
            "sigma": json.dumps(candidate.sigma.to_dict()),
            "n_parameters": candidate.n_parameters,
            "log_likelihood": candidate.log_likelihood,
            "aic": candidate.aic,
        }
        for candidate in candidates
    ]
    return pd.DataFrame(rows)


def _check_identified(counts: Counts, response: Response) -> None:
    level_totals = counts.sum(axis=0)
    if level_totals.max() == level_totals.sum():
        level = response.values[int(np.argmax(level_totals))]
        raise NbykError(
            f"all {level_totals.sum()} responses are {level:g}: nbyk cannot fit a prior; use the family "
            "`constant`, or collect items that raters see differently"
        )
    if counts.sum(axis=1).max() == 1:
        shares = zip(response.values, level_totals / level_totals.sum(), strict=True)
        listed = ", ".join(f"{value:g}: {share:.1%}" for value, share in shares)
        mean = float(product(response.values, level_totals) / level_totals.sum())
        raise NbykError(
            "every item has a single response, so sigma is not identified: nbyk cannot separate how much "
            "raters of the same item differ from how much items do. These data do show how single responses "
            f"are distributed (mean {mean:.3g}; {listed}). Collect at least two responses for some items, or "
            "set the prior by hand"
        )
