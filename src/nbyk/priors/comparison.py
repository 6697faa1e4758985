"""Comparison of families by numbers: which one describes the items best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbyk.errors import NbykError, unknown_name
from nbyk.priors.families import open_uniforms
from nbyk.priors.family import Family
from nbyk.priors.fitting import METHODS, FittedFamily, checked_values, fit_family, refit
from nbyk.priors.goodness import ks_distance
from nbyk.priors.templates import TEMPLATES

Floats = NDArray[np.float64]

STAGES: dict[str, tuple[str, ...]] = {
    "mu": tuple(TEMPLATES),
    # The families left out can be negative, but a standard deviation cannot.
    "sigma": tuple(name for name in TEMPLATES if name not in ("normal", "triangular")),
}
"""The families compared for each stage by default."""


@dataclass(frozen=True)
class FamilyRow:
    """One family, fitted by one method, in a comparison.

    Attributes
    ----------
    stage, family_name, method
        The stage of the values, the family fitted to them, and the method of the fit.
    family
        The fitted distribution; None if the fit was refused (`note` says why).
    n
        Number of values.
    log_likelihood
        Log-likelihood at the fitted parameters; None if it is not finite. Compare it only between families
        with the same atoms: a probability and a density are different things.
    aic
        2 p − 2 log-likelihood of a maximum-likelihood fit with p parameters; None for other fits.
    ks
        Kolmogorov-Smirnov distance, atoms included.
    histogram_mae, histogram_mae_relative
        Mean absolute error between the histogram's bars, in counts and as a share of n.
    p
        Parametric-bootstrap p-value of `ks`; None if not asked for.
    note
        The reason if there is no fit; empty otherwise.
    """

    stage: str
    family_name: str
    method: str
    n: int
    family: Family | None = None
    log_likelihood: float | None = None
    aic: float | None = None
    ks: float | None = None
    histogram_mae: float | None = None
    histogram_mae_relative: float | None = None
    p: float | None = None
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the row as JSON can hold it."""
        family = self.family.to_dict() if self.family else None
        return {**asdict(self), "family": family}


def bootstrap_p_value(
    fitted: FittedFamily, *, n_bootstrap: int = 200, seed: int | Sequence[int] = 0
) -> float:
    """Return the parametric-bootstrap p-value of the fitted family's Kolmogorov-Smirnov distance.

    Each of B samples of the same size is drawn from the fitted family and fitted afresh by the same method.
    Without the refit the distances would be too large, and p would hardly ever be small. Then
    p = (1 + #{D* ≥ D})/(B + 1).

    Parameters
    ----------
    fitted
        A result of `fit_family`.
    n_bootstrap
        Number of samples B.
    seed
        Fixes the samples.

    Notes
    -----
    The samples are continuous, apart from the family's own atoms. The mean of K ratings on L levels is not:
    it lies on a lattice, which the test ignores. With few ratings per item the lattice alone makes D large
    and p small for every family. A small p then shows that no continuous family is the distribution of the
    items' means, which is true. It does not show that the family is useless: compare the distances, and see
    `predictive_check`, which works on the ratings.
    """
    if n_bootstrap < 1:
        raise NbykError(f"number of bootstrap samples is {n_bootstrap}; expected at least 1")
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    shape = (fitted.fitting.values.size, fitted.family.n_uniforms)
    as_far = 0
    for _ in range(n_bootstrap):
        sample = fitted.family.draw(open_uniforms(rng, shape))
        as_far += ks_distance(refit(fitted, sample), sample) >= fitted.ks
    return (1 + as_far) / (n_bootstrap + 1)


def compare_families(
    values: ArrayLike,
    stage: str,
    top: float = 1.0,
    *,
    families: Sequence[str] | None = None,
    methods: Sequence[str] = METHODS,
    n_bootstrap: int = 200,
    seed: int = 0,
) -> list[FamilyRow]:
    """Fit several families by several methods and rank them by their Kolmogorov-Smirnov distance.

    Parameters
    ----------
    values : array_like, shape (n,)
        Item means or standard deviations, as `item_parameters` returns them.
    stage
        "mu" or "sigma": decides the candidate families and the names of the rows.
    top
        Top of the range of clamped and truncated families.
    families
        Keys of `TEMPLATES`; those of `STAGES` by default.
    methods
        "histogram" and "likelihood", or one of them.
    n_bootstrap
        Samples behind each p-value; 0 for none.
    seed
        Fixes the bootstrap. A row's p depends only on its own family and method, not on the other rows.

    Returns
    -------
    list of FamilyRow
        The smallest distance first (ties in order of name and method); refused fits last, with the reason.

    Raises
    ------
    NbykError
        If a name is unknown, or the values cannot be fitted by any family.
    """
    if stage not in STAGES:
        raise unknown_name("stage", stage, STAGES)
    sample = checked_values(values, top, stage)
    rows = []
    for name in dict.fromkeys(STAGES[stage] if families is None else families):
        if name not in TEMPLATES:
            raise unknown_name("fittable family", name, TEMPLATES)
        for method in dict.fromkeys(methods):
            if method not in METHODS:
                raise unknown_name("method", method, METHODS)
            rows.append(_row(stage, name, method, sample, top, n_bootstrap, seed))
    return sorted(rows, key=lambda row: (row.ks is None, row.ks or 0.0, row.family_name, row.method))


def _row(
    stage: str, name: str, method: str, sample: Floats, top: float, n_bootstrap: int, seed: int
) -> FamilyRow:
    try:
        fitted = fit_family(name, sample, method, top=top)
    except NbykError as refusal:
        return FamilyRow(stage, name, method, sample.size, note=str(refusal))
    finite = np.isfinite(fitted.log_likelihood)
    n_parameters = len(TEMPLATES[name].axes)
    key = [seed, *f"{stage}/{name}/{method}".encode()]
    return FamilyRow(
        stage,
        name,
        method,
        sample.size,
        family=fitted.family,
        log_likelihood=fitted.log_likelihood if finite else None,
        aic=2.0 * (n_parameters - fitted.log_likelihood) if finite and method == "likelihood" else None,
        ks=fitted.ks,
        histogram_mae=fitted.histogram_mae,
        histogram_mae_relative=fitted.histogram_mae / sample.size,
        p=bootstrap_p_value(fitted, n_bootstrap=n_bootstrap, seed=key) if n_bootstrap else None,
    )
