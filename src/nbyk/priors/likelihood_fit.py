"""Fit a two-stage prior to ratings on levels by the likelihood of the ratings themselves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import product as pairs_of
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtrc  # scipy.stats takes long to load

from nbyk.errors import NbykError, unknown_name
from nbyk.priors.description import Description, describe_counts
from nbyk.priors.family import Family
from nbyk.priors.likelihood_search import Search
from nbyk.priors.marginal import Counts, Marginal, Patterns, response_counts
from nbyk.priors.templates import FITTABLE, Template
from nbyk.priors.two_stage import Response, TwoStagePrior
from nbyk.sums import product

if TYPE_CHECKING:
    import pyarrow as pa

Floats = NDArray[np.float64]

MU_FAMILIES = ("truncated_normal", "beta", "truncated_normal_mixture")
SIGMA_FAMILIES = ("truncated_normal", "beta")

_MAX_PATTERNS = 1000
_MIN_EXPECTED = 5.0


@dataclass(frozen=True)
class FamilyFit:
    """One pair of families, fitted.

    Attributes
    ----------
    mu, sigma
        The fitted distributions.
    n_parameters
        Parameters of both together.
    log_likelihood
        Log-likelihood of the responses.
    """

    mu: Family
    sigma: Family
    n_parameters: int
    log_likelihood: float

    @property
    def aic(self) -> float:
        """2 × parameters − 2 × log-likelihood: the smallest is best."""
        return 2.0 * (self.n_parameters - self.log_likelihood)

    def to_dict(self) -> dict[str, Any]:
        """Return the candidate as JSON can hold it."""
        return {
            "mu": self.mu.to_dict(),
            "sigma": self.sigma.to_dict(),
            "n_parameters": self.n_parameters,
            "log_likelihood": self.log_likelihood,
            "aic": self.aic,
        }


@dataclass(frozen=True)
class SumCheck:
    """Observed and expected sums of an item's levels, among items with the most common number of ratings.

    Attributes
    ----------
    n_responses
        The most common number of ratings K, at least 2.
    observed
        Number of items with each sum from 0 to K (L − 1).
    expected
        The numbers of items that the fit expects.
    chi2
        Pearson's statistic, neighbouring sums pooled until at least 5 items are expected.
    df
        Cells − 1 − parameters. The parameters were fitted to all ratings rather than to these sums, so the
        statistic is a little larger than its distribution says: p never flatters the fit.
    p
        p-value; None if df < 1, because the fit then cannot be tested this way.
    """

    n_responses: int
    observed: tuple[int, ...]
    expected: tuple[float, ...]
    chi2: float
    df: int
    p: float | None


@dataclass(frozen=True)
class LikelihoodFit:
    """A prior fitted to ratings by maximum likelihood, and its goodness of fit.

    Attributes
    ----------
    prior
        The fitted prior.
    log_likelihood
        Log-probability of the ratings, in the order they were given, under the fit.
    saturated_log_likelihood
        The largest log-likelihood that any model of exchangeable raters could reach.
    n_items
        Number of items.
    candidates
        All pairs of families, the smallest AIC first; the prior is made of the first pair.
    goodness
        Observed and expected sums of ratings.
    description
        The fit beside the data, with total-variation distances.
    """

    prior: TwoStagePrior
    log_likelihood: float
    saturated_log_likelihood: float
    n_items: int
    candidates: tuple[FamilyFit, ...]
    goodness: SumCheck
    description: Description

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON can hold it."""
        return {
            "prior": self.prior.to_dict(),
            "log_likelihood": self.log_likelihood,
            "saturated_log_likelihood": self.saturated_log_likelihood,
            "n_items": self.n_items,
            "candidates": [candidate.to_dict() for candidate in self.candidates],
            "goodness": asdict(self.goodness),
            "description": self.description.to_dict(),
        }


def fit_by_likelihood(
    name: str,
    matrix: ArrayLike,
    response: Response,
    *,
    mu: str | Sequence[str] = MU_FAMILIES,
    sigma: str | Sequence[str] = SIGMA_FAMILIES,
) -> LikelihoodFit:
    """Fit a two-stage prior to ratings on levels by maximum likelihood; item parameters are integrated out.

    It does not use the moments of an item's ratings as the item's μ and σ, as Wein et al. (2023) do. Few
    ratings per item and rounding to levels therefore do not bias it. The same input always gives the same
    fit.

    Parameters
    ----------
    name
        The prior's name.
    matrix : array_like, shape (N, K)
        Ratings on the scale of `response`, with NaN for missing ones.
    response
        The response stage, "likert" or "binary".
    mu, sigma
        Families for each stage, keys of `FITTABLE`: one, or several to choose from by AIC.

    Notes
    -----
    A weak normal penalty (standard deviation 2 in each search coordinate: means, log sds, log shapes and
    logit weights) keeps parameters that the data do not determine from drifting. Where the data determine
    them, the penalty is negligible beside the likelihood. Binary ratings determine little: they depend on
    (μ − ½)/σ alone. Priors with different scales of σ then predict the same counts, and the penalty chooses
    among them. Predictions for such counts are as good as the fit says. A shift of μ by ε is not such a
    prediction: its effect depends on the chosen scale of σ.

    With more than 1000 different patterns of counts, the search uses 1000 items spread evenly over the
    ordered ones. Likelihoods, goodness and distances still cover all items.
    """
    families = [_families(stage, names) for stage, names in (("mu", mu), ("sigma", sigma))]
    counts = response_counts(matrix, response)
    _check_identified(counts, response)
    patterns = Patterns.of(counts)
    search = Search(patterns.at_most(_MAX_PATTERNS), response)
    templates = list(pairs_of(*families))
    pairs = [search.fit(*pair_templates) for pair_templates in templates]
    candidates = [
        FamilyFit(*pair, sum(len(template.axes) for template in pair_templates), log_likelihood)
        for pair, pair_templates, log_likelihood in zip(
            pairs, templates, search.log_likelihoods(pairs, patterns, response), strict=True
        )
    ]
    candidates.sort(key=lambda candidate: candidate.aic)
    best = candidates[0]
    prior = TwoStagePrior(name, best.mu, best.sigma, response)
    marginal = Marginal.of(prior)
    return LikelihoodFit(
        prior=prior,
        log_likelihood=best.log_likelihood,
        saturated_log_likelihood=patterns.saturated_log_likelihood(),
        n_items=patterns.n_items,
        candidates=tuple(candidates),
        goodness=_sum_check(marginal, counts, best.n_parameters),
        description=describe_counts(prior, marginal, counts),
    )


def candidates_table(fit: LikelihoodFit) -> pa.Table:
    """Return the pairs of families of a fit as an Arrow table, each family as JSON text, best first."""
    import pyarrow as pa

    rows = [
        {
            "mu_family": candidate.mu.name,
            "sigma_family": candidate.sigma.name,
            **candidate.to_dict(),
            "mu": json.dumps(candidate.mu.to_dict()),
            "sigma": json.dumps(candidate.sigma.to_dict()),
        }
        for candidate in fit.candidates
    ]
    return pa.Table.from_pylist(rows)


def _families(stage: str, names: str | Sequence[str]) -> list[Template]:
    chosen = dict.fromkeys([names] if isinstance(names, str) else names)
    if not chosen:
        raise NbykError(f"no family for {stage}; expected one or more of {', '.join(sorted(FITTABLE))}")
    for name in chosen:
        if name not in FITTABLE:
            raise unknown_name(f"family for a likelihood fit of {stage}", name, FITTABLE)
    return [FITTABLE[name] for name in chosen]


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


def _sum_check(marginal: Marginal, counts: Counts, n_parameters: int) -> SumCheck:
    n_responses = counts.sum(axis=1)
    k = int(np.argmax(np.bincount(n_responses[n_responses > 1])))
    sums = product(counts[n_responses == k], np.arange(counts.shape[1]))
    expected = len(sums) * marginal.sums(k)
    observed = np.bincount(sums, minlength=expected.size)
    starts = _pools(expected)
    pooled = np.add.reduceat(expected, starts)
    statistic = float(((np.add.reduceat(observed, starts) - pooled) ** 2 / pooled).sum())
    df = len(starts) - 1 - n_parameters
    return SumCheck(
        n_responses=k,
        observed=tuple(int(n) for n in observed),
        expected=tuple(float(n) for n in expected),
        chi2=statistic,
        df=df,
        p=float(chdtrc(df, statistic)) if df > 0 else None,
    )


def _pools(expected: Floats) -> list[int]:
    """Return the starts of pools of neighbouring cells that each have enough expected items."""
    starts, pooled = [0], 0.0
    for cell, items in enumerate(expected):
        if pooled >= _MIN_EXPECTED:
            starts.append(cell)
            pooled = 0.0
        pooled += items
    return starts[:-1] if pooled < _MIN_EXPECTED and len(starts) > 1 else starts
