"""The paper's own fit of a prior to ratings (Appendix B), beside nbyk's.

The paper takes the mean and the standard deviation of an item's ratings for the μ and the σ behind them. It
gives the means a clamped folded normal and the deviations a clamped triangle, and searches grids for the
parameters that bring the bars of the two histograms nearest. The moments of ratings are not μ and σ, though.
The mean of K ratings varies more than μ does, by σ²/K, and rounding down lowers it by about half a level. The
deviation is 0 wherever all raters agree. `nbyk.fit_prior` does not confuse them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbyk.data.ratings import stored_ratings
from nbyk.priors import Response, TwoStagePrior, curves, item_parameters, read_prior
from nbyk.priors.families import Clamped, FoldedNormal, Triangular
from nbyk.priors.family import Family
from nbyk.priors.likelihood_search import LOG_SD, Coordinate, Template, span
from nbyk.priors.predictive import predictive_check

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

N_BINS = 20
"""Bars of a histogram on [0, 1]; the paper does not give its own number."""

_N_BEAMS = 3
_N_SETS = 20

_FOLD = Coordinate((0.0, 2.0), span(0.0, 1.0, 9))
_MODE = Coordinate((-1.0, 2.0), span(-0.2, 1.1, 14))
_LOG_REACH = Coordinate((float(np.log(0.001)), float(np.log(4.0))), span(np.log(0.02), np.log(1.5), 9))


def _triangle(point: Floats) -> Family:
    mode, left, right = point[0], *np.exp(point[1:])
    return Triangular(mode - left, mode, mode + right)


def _triangle_cdf(x: Floats, points: Floats) -> Floats:
    left, right = np.exp(points[1]), np.exp(points[2])
    return curves.triangular_cdf(x, points[0] - left, points[0], points[0] + right)


FAMILIES = {
    "clamped_folded_normal": Template(
        (_FOLD, LOG_SD),
        lambda point: FoldedNormal(point[0], np.exp(point[1])),
        lambda x, points: curves.folded_normal_cdf(x, points[0], np.exp(points[1])),
    ),
    "clamped_triangular": Template((_MODE, _LOG_REACH, _LOG_REACH), _triangle, _triangle_cdf),
}
"""The paper's families before they are clamped to [0, top]."""


def fit_by_moments(name: str, matrix: ArrayLike, response: Response) -> TwoStagePrior:
    """Fit the paper's two families to item means and deviations of responses, NaN if missing."""
    means, sds = item_parameters(response.on_scale(matrix))
    mu = fit_bars("clamped_folded_normal", means, response.top)
    return TwoStagePrior(name, mu, fit_bars("clamped_triangular", sds, 1.0), response)


def fit_bars(family_name: str, values: Floats, top: float) -> Family:
    """Return the clamped family on [0, top] whose histogram is nearest to that of values."""
    template, counts, n = FAMILIES[family_name], histogram_counts(values), len(values)
    axes = template.axes

    def error(points: Floats) -> Floats:
        return np.asarray(np.abs(n * _bars(template, points, top) - counts).mean(axis=1))

    grid = _product([np.array(axis.start) for axis in axes])
    starts = grid[:, np.argsort(error(grid), kind="stable")[:_N_BEAMS]].T
    bounds = np.array([axis.bounds for axis in axes]).T
    reach = np.array([axis.start[1] - axis.start[0] for axis in axes])
    ends = [_refine(error, start, bounds, reach) for start in starts]
    return Clamped(template.build(min(ends, key=lambda end: end[1])[0]), 0.0, top)


def histogram_counts(values: Floats) -> Floats:
    """Return the number of values in each of equal bars on [0, 1], shape (N_BINS,).

    Bars are closed on the left, and the last one on the right too. A value that is off an edge only by
    rounding counts as on the edge: means of ratings lie on the edges. Values outside [0, 1] are in no bar.
    """
    scaled = np.round(values * N_BINS, 9)
    inside = scaled[(scaled >= 0) & (scaled <= N_BINS)]
    return np.bincount(np.minimum(inside.astype(np.int64), N_BINS - 1), minlength=N_BINS).astype(np.float64)


def bar_error(family: Family, values: Floats) -> float:
    """Return the mean absolute error between the bars of a family and of values, in counts."""
    below = family.cdf_left(np.arange(N_BINS + 1) / N_BINS)
    below[-1] = family.cdf(1.0)
    return float(np.abs(len(values) * np.diff(below) - histogram_counts(values)).mean())


def fits_table(fits: Mapping[str, tuple[Path, Path]], seed: int) -> pd.DataFrame:
    """Return the paper's own fit and ours to each source (files of ratings and our prior), a row each."""
    import pandas as pd

    rows = []
    for source, (ratings, prior) in fits.items():
        ours = read_prior(prior)
        matrix = stored_ratings(ratings)[0].matrix()
        means, sds = item_parameters(ours.response.on_scale(matrix))
        theirs = fit_by_moments(source, matrix, ours.response)
        errors = bar_error(theirs.mu, means) / len(means), bar_error(theirs.sigma, sds) / len(sds)
        for way, fitted, of_bars in (("the paper's", theirs, errors), ("nbyk's", ours, (np.nan, np.nan))):
            check = predictive_check(fitted, matrix, seed, _N_SETS)
            rows.append(
                {
                    "source": source,
                    "fit": way,
                    "error of the means' bars": of_bars[0],
                    "error of the deviations' bars": of_bars[1],
                    "KS of item means": check.means_ks,
                    "KS of deviations": check.sds_ks,
                    "mean of ratings": check.mean_data,
                    "mean under the prior": check.mean_prior,
                }
            )
    return pd.DataFrame(rows)


def _bars(template: Template, points: Floats, top: float) -> Floats:
    """Return the bars' probabilities of a clamped family at points of shape (p, P): shape (P, N_BINS)."""
    edges = np.arange(N_BINS + 1) / N_BINS
    below = template.cdf(edges, points[:, :, np.newaxis])
    below = np.where(edges <= 0, 0.0, np.where(edges > top, 1.0, below))
    below[:, -1] = 1.0
    return np.asarray(np.diff(below, axis=1))


def _refine(
    error: Callable[[Floats], Floats], start: Floats, bounds: Floats, reach: Floats
) -> tuple[Floats, float]:
    """Search grids around the best point so far; halve them whenever the best point is not on their rim."""
    lows, highs = bounds[:, :, np.newaxis]
    box = _product([np.linspace(-1.0, 1.0, 5)] * len(start))
    point, reach = np.clip(start[:, np.newaxis], lows, highs), reach[:, np.newaxis]
    least = float(error(point)[0])
    for _ in range(30):
        candidates = np.clip(point + reach * box, lows, highs)
        errors = error(candidates)
        index = int(np.argmin(errors))
        shrink = 0.5
        if errors[index] < least:
            point, least = candidates[:, [index]], float(errors[index])
            shrink = 0.75 if np.abs(box[:, index]).max() == 1 else 0.5
        reach = shrink * reach
    return point[:, 0], least


def _product(axes: list[Floats]) -> Floats:
    return np.stack([coordinate.ravel() for coordinate in np.meshgrid(*axes, indexing="ij")])
