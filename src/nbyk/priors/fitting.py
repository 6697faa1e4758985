"""Fit a family to the items' means or standard deviations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbyk.data.response_set import response_matrix
from nbyk.errors import NbykError, unknown_name
from nbyk.priors.family import Family
from nbyk.priors.goodness import N_BINS, histogram_counts, histogram_mae, ks_distance
from nbyk.priors.templates import TEMPLATES, Coordinate, Template

Floats = NDArray[np.float64]

METHODS = ("histogram", "likelihood")

_N_BEAMS = 3
_SNAP = 1e-9


def item_parameters(matrix: ArrayLike) -> tuple[Floats, Floats]:
    """Return every item's mean and standard deviation (Wein et al. 2023, appendix B).

    Parameters
    ----------
    matrix : array_like, shape (N, K)
        Responses, with NaN for missing ones.

    Returns
    -------
    means : ndarray, shape (N,)
    sds : ndarray, shape (n,), n ≤ N
        Computed with ddof = 1; items with a single response are left out.

    Raises
    ------
    NbykError
        If the matrix does not have at least two items with a response each, or if every item has a single
        response: the data then do not show how responses vary within an item.

    Notes
    -----
    Both are rounded to 12 decimals, so that the same ratings in another order give the same number: families
    with atoms, histograms and Kolmogorov-Smirnov distances all depend on ties being ties.
    """
    responses = response_matrix(matrix, "matrix")
    present = ~np.isnan(responses)
    if present.sum(axis=1).max() == 1:
        raise NbykError(
            "every item has a single response, so sigma is not identified; "
            "collect at least two responses for some items, or set sigma by hand"
        )
    return moments(responses, present)


def moments(responses: Floats, present: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return the same as `item_parameters`, for a valid matrix and a mask of its responses."""
    counts = present.sum(axis=1)
    means = np.where(present, responses, 0.0).sum(axis=1) / counts
    squares = (np.where(present, responses - means[:, np.newaxis], 0.0) ** 2).sum(axis=1)
    several = counts > 1
    return np.round(means, 12), np.round(np.sqrt(squares[several] / (counts[several] - 1)), 12)


@dataclass(frozen=True)
class Fitting:
    """A family, the values that it is fitted to, and the method.

    Attributes
    ----------
    family_name, method
        As for `fit_family`.
    values : ndarray, shape (n,)
        The values.
    top
        Top of the range [0, top] that clamped and truncated families are given.
    bins
        Bars of the histogram on [0, 1].
    """

    family_name: str
    method: str
    values: Floats = field(compare=False)
    top: float
    bins: int

    @property
    def template(self) -> Template:
        """The family with the coordinates of its search."""
        return TEMPLATES[self.family_name]

    def build(self, point: Floats) -> Family:
        """Return the family at a point."""
        return self.template.build(point, self.top)


@dataclass(frozen=True)
class FittedFamily:
    """A family fitted to values, and its distances from them.

    Attributes
    ----------
    fitting
        The family that was fitted, the values, and the method.
    family
        The fitted distribution.
    point
        The point where the search ended, in the coordinates of the family's template. A refit starts there.
    log_likelihood
        Log-likelihood, a sum over the values; −∞ if the family rules one of them out.
    ks
        Kolmogorov-Smirnov distance.
    histogram_mae
        Mean absolute error between the histogram's bars, in counts.
    """

    fitting: Fitting
    family: Family
    point: tuple[float, ...]
    log_likelihood: float
    ks: float
    histogram_mae: float


def fit_family(
    family_name: str, values: ArrayLike, method: str = "histogram", *, top: float = 1.0, bins: int = N_BINS
) -> FittedFamily:
    """Fit a family to item means or standard deviations; the same input always gives the same fit.

    Parameters
    ----------
    family_name
        A key of `TEMPLATES`, such as "truncated_normal" or "clamped_triangular".
    values : array_like, shape (n,)
        Item means or standard deviations.
    method
        "histogram" minimises the mean absolute error between the bars of the two histograms (Wein et al.
        2023, appendix B): over a grid, then over ever finer grids around the best points. "likelihood"
        maximises the likelihood from several starts; for a clamped family it is the censored one.
    top
        Top of the range [0, top] of clamped and truncated families: (L − 1)/L for the means of a Likert scale
        of L levels.
    bins
        Bars of the histogram on [0, 1]; values outside are in no bar.

    Raises
    ------
    NbykError
        If a name is unknown; the values are too few, all equal or not finite; a value lies outside [0, top]
        but the family cannot; or the likelihood is infinite or zero for all parameters.

    Notes
    -----
    The density of a beta is infinite or zero at exactly 0 and 1, and rated items often have these means. nbyk
    therefore refuses its likelihood there, but not its histogram fit. A lower bound of 0.02 on the sd of a
    mixture's components keeps them from collapsing on tied values.
    """
    if method not in METHODS:
        raise unknown_name("method", method, METHODS)
    if family_name not in TEMPLATES:
        raise unknown_name("fittable family", family_name, TEMPLATES)
    fitting = Fitting(family_name, method, checked_values(values, top), top, bins)
    sample = fitting.values
    if fitting.template.ranged and (sample.min() < 0 or sample.max() > top):
        outside = int(((sample < 0) | (sample > top)).sum())
        raise NbykError(
            f"{family_name}: {outside} of {sample.size} values lie outside [0, {top}], the range of this "
            "family; scale the responses, or use a family without ends"
        )
    if method == "histogram":
        point = _histogram_fits(fitting)[0]
    else:
        _refuse_infinite_density(fitting)
        closed = _closed_form(fitting)
        point = _likelihood_fit(fitting) if closed is None else closed
    family = fitting.build(point)
    return FittedFamily(
        fitting,
        family,
        tuple(float(coordinate) for coordinate in point),
        log_likelihood=_total(family, sample),
        ks=ks_distance(family, sample),
        histogram_mae=histogram_mae(family, sample, bins),
    )


def refit(fitted: FittedFamily, values: Floats) -> Family:
    """Fit the same family by the same method to other values, starting from where `fitted` ended.

    A parametric bootstrap does this some hundred times. The search is local, and comes as close to the
    optimum as the distance between the fitted and the observed distribution needs.
    """
    fitting, start = replace(fitted.fitting, values=values), np.array(fitted.point)
    template = fitting.template
    if fitting.method == "histogram":
        point, _ = _refine(_bar_error(fitting), start, template.axes, rounds=12)
        return fitting.build(point)
    closed = _closed_form(fitting)
    if closed is not None:
        return fitting.build(closed)
    step = 2.0 / np.sqrt(values.size)
    point, value = _climb(fitting, [start], step, tolerance=1e-3, restarts=0)
    if not np.isfinite(value) and template.cover:
        point, _ = _climb(fitting, template.cover(values), step, tolerance=1e-3, restarts=0)
    return fitting.build(point)


def checked_values(values: ArrayLike, top: float, name: str = "values") -> Floats:
    """Return values to fit in ascending order; values within rounding of 0 or `top` are put exactly there.

    Raises
    ------
    NbykError
        If they are not at least three finite numbers, or are all equal, or if `top` is not in (0, 1].
    """
    sample = np.asarray(values, dtype=np.float64)
    if not 0 < top <= 1:
        raise NbykError(f"top of the range is {top!r}; expected more than 0 and at most 1")
    if sample.ndim != 1 or sample.size < 3:
        raise NbykError(f"{name} have shape {sample.shape}; expected a vector of at least three to fit")
    if not np.isfinite(sample).all():
        raise NbykError(f"{name}: found NaN or infinity; expected finite numbers")
    for end in (0.0, top):
        sample = np.where(np.abs(sample - end) < _SNAP, end, sample)
    if sample.min() == sample.max():
        raise NbykError(
            f"{name}: all {sample.size} are {sample[0]}; nbyk cannot fit a prior, use the family `constant`"
        )
    return np.sort(sample)


def _total(family: Family, sample: Floats) -> float:
    """Return the log-likelihood: −∞ if a value is ruled out, even where another's density is infinite."""
    terms = family.log_likelihood(sample)
    return -np.inf if np.isneginf(terms).any() else float(terms.sum())


def _refuse_infinite_density(fitting: Fitting) -> None:
    sample = fitting.values
    at_ends = int(((sample == 0) | (sample == 1)).sum())
    if fitting.family_name == "beta" and at_ends:
        raise NbykError(
            f"beta: {at_ends} of {sample.size} values are exactly 0 or 1, where its density is infinite "
            "or zero; use the histogram method, or a clamped family"
        )


def _closed_form(fitting: Fitting) -> Floats | None:
    sample = fitting.values
    if fitting.family_name == "uniform":
        return np.array([sample.min(), np.log(np.ptp(sample))])
    if fitting.family_name == "normal":
        return np.array([sample.mean(), np.log(sample.std())])
    return None


def _bar_error(fitting: Fitting) -> Callable[[Floats], Floats]:
    counts, n = histogram_counts(fitting.values, fitting.bins), fitting.values.size

    def error(points: Floats) -> Floats:
        bars = fitting.template.bars(points, fitting.top, fitting.bins)
        return np.asarray(np.abs(n * bars - counts).mean(axis=1))

    return error


def _histogram_fits(fitting: Fitting) -> list[Floats]:
    """Return the end points of the searches from the best points of the first grid, best first."""
    objective, axes = _bar_error(fitting), fitting.template.axes
    grid = _product([np.array(axis.start) for axis in axes])
    best = np.argsort(objective(grid), kind="stable")[:_N_BEAMS]
    ends = [_refine(objective, grid[:, index], axes, rounds=30) for index in best]
    return [point for point, _ in sorted(ends, key=lambda end: end[1])]


def _refine(
    objective: Callable[[Floats], Floats], start: Floats, axes: tuple[Coordinate, ...], rounds: int
) -> tuple[Floats, float]:
    """Search grids around the best point so far; halve them whenever the best point is not on their rim."""
    offsets = np.linspace(-1.0, 1.0, 5 if len(axes) <= 3 else 3)
    box = _product([offsets] * len(axes))
    lows, highs = np.array([axis.bounds for axis in axes]).T[:, :, np.newaxis]
    reach = np.array([axis.start[1] - axis.start[0] for axis in axes])[:, np.newaxis]
    point = np.clip(start[:, np.newaxis], lows, highs)
    value = float(objective(point)[0])
    for _ in range(rounds):
        candidates = np.clip(point + reach * box, lows, highs)
        errors = objective(candidates)
        index = int(np.argmin(errors))
        if errors[index] < value:
            point, value = candidates[:, [index]], float(errors[index])
            on_rim = np.abs(box[:, index]).max() == 1
            reach = reach * (0.75 if on_rim else 0.5)
        else:
            reach = reach * 0.5
    return point[:, 0], value


def _product(axes: list[Floats]) -> Floats:
    return np.stack([coordinate.ravel() for coordinate in np.meshgrid(*axes, indexing="ij")])


def _likelihood_fit(fitting: Fitting) -> Floats:
    starts = _histogram_fits(fitting)
    if fitting.template.cover:
        starts += fitting.template.cover(fitting.values)
    point, value = _climb(fitting, starts, step=0.2, tolerance=1e-6, restarts=1)
    if not np.isfinite(value):
        raise NbykError(
            f"{fitting.family_name}: no parameters give all {fitting.values.size} values a positive density"
        )
    return point


def _climb(
    fitting: Fitting, starts: list[Floats], step: float, tolerance: float, restarts: int
) -> tuple[Floats, float]:
    """Return the best point that Nelder-Mead reaches from the starts, and minus its log-likelihood."""
    from scipy.optimize import minimize

    bounds = [axis.bounds for axis in fitting.template.axes]
    lows, highs = np.array(bounds).T

    def cost(point: Floats) -> float:
        total = _total(fitting.build(point), fitting.values)
        # Use a large finite cost if a value is ruled out: the simplex subtracts costs, and ∞ − ∞ is NaN.
        return -total if np.isfinite(total) else 1e12

    best, least = starts[0], np.inf
    for start in starts:
        point = np.clip(start, lows, highs)
        if cost(point) >= 1e12:
            continue
        for _ in range(restarts + 1):
            inward = np.where(point + step <= highs, step, -step)
            found = minimize(
                cost,
                point,
                method="Nelder-Mead",
                bounds=bounds,
                options={
                    "initial_simplex": np.vstack([point, point + np.diag(inward)]),
                    "xatol": np.sqrt(tolerance),
                    "fatol": tolerance,
                    "maxfev": 200 * len(bounds),
                },
            )
            point = found.x
        if found.fun < least:
            best, least = point, float(found.fun)
    return best, least
