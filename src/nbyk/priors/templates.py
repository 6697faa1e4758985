"""The families that can be fitted, each with the coordinates of its search.

A search runs over coordinates that do not restrict each other (log sd, not sd; the two half-widths of a
triangle, not its ends), so every point of a box is a valid family. A new fittable family is one entry of
`FITTABLE`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, expit

from nbyk.priors import curves
from nbyk.priors.families import (
    Beta,
    Clamped,
    FoldedNormal,
    Mixture,
    Normal,
    Triangular,
    TruncatedNormal,
    Uniform,
)
from nbyk.priors.family import Family

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Coordinate:
    """One coordinate of a search: its bounds, and the points from which a search starts."""

    bounds: tuple[float, float]
    start: tuple[float, ...]

    @cached_property
    def centre(self) -> float:
        """The mean of the points from which a search starts."""
        return float(np.mean(self.start))


@dataclass(frozen=True)
class Template:
    """One fittable family.

    Attributes
    ----------
    axes
        The coordinates, one for each parameter to estimate.
    build
        Returns the family at a point, given the top of the range.
    cdf
        P(X ≤ x) at values x of shape (E,), points of shape (p, P, 1) and the top of the range: (P, E). For a
        clamped family it is that of the family inside.
    """

    axes: tuple[Coordinate, ...]
    build: Callable[[Floats, float], Family]
    cdf: Callable[[Floats, Floats, float], Floats]


def _span(low: float, high: float, n: int) -> tuple[float, ...]:
    return tuple(float(value) for value in np.linspace(low, high, n))


# Values lie in [0, 1]. Beyond these boxes a truncated normal is an exponential or a uniform to three digits,
# and the data cannot separate its mean from its sd.
_CENTRE = Coordinate((-4.0, 5.0), _span(-1.0, 2.0, 13))
_LOG_SD = Coordinate((float(np.log(0.005)), float(np.log(4.0))), _span(np.log(0.03), np.log(1.5), 10))
_FOLD = Coordinate((0.0, 2.0), _span(0.0, 1.0, 9))
_MODE = Coordinate((-1.0, 2.0), _span(-0.2, 1.1, 14))
_LOG_REACH = Coordinate((float(np.log(0.001)), float(np.log(4.0))), _span(np.log(0.02), np.log(1.5), 9))
_LOG_SHAPE = Coordinate((float(np.log(0.02)), float(np.log(500.0))), _span(np.log(0.1), np.log(50.0), 13))
_LOW = Coordinate((0.0, 0.95), _span(0.0, 0.9, 10))
_LOG_WIDTH = Coordinate((float(np.log(0.001)), 0.0), _span(np.log(0.05), 0.0, 12))
# A narrower component would pile an unbounded likelihood on tied values.
_LOG_PART_SD = Coordinate((float(np.log(0.02)), float(np.log(4.0))), _span(np.log(0.05), np.log(0.8), 4))
_LOW_PART = Coordinate((-4.0, 5.0), (-0.5, 0.0, 0.25, 0.5))
_HIGH_PART = Coordinate((-4.0, 5.0), (0.25, 0.5, 0.75, 1.0, 1.5))
_LOGIT_WEIGHT = Coordinate((-6.0, 6.0), (-1.5, -0.5, 0.5, 1.5))

_NORMAL = (_CENTRE, _LOG_SD)
_FOLDED = (_FOLD, _LOG_SD)
_TRIANGLE = (_MODE, _LOG_REACH, _LOG_REACH)
_TWO_NORMALS = (_LOGIT_WEIGHT, _LOW_PART, _LOG_PART_SD, _HIGH_PART, _LOG_PART_SD)


def _normal(point: Floats, top: float) -> Family:
    return Normal(point[0], np.exp(point[1]))


def _folded(point: Floats, top: float) -> Family:
    return FoldedNormal(point[0], np.exp(point[1]))


def _triangular(point: Floats, top: float) -> Family:
    mode, left, right = point[0], *np.exp(point[1:])
    return Triangular(mode - left, mode, mode + right)


def _two(point: Floats, part: Callable[[float, float], Family]) -> Mixture:
    weight = float(expit(point[0]))
    first, second = part(point[1], np.exp(point[2])), part(point[3], np.exp(point[4]))
    # The search finds the components in arbitrary order; the record has them in order of their means.
    if point[1] > point[3]:
        return Mixture((1.0 - weight, weight), (second, first))
    return Mixture((weight, 1.0 - weight), (first, second))


def _clamp(build: Callable[[Floats, float], Family]) -> Callable[[Floats, float], Family]:
    return lambda point, top: Clamped(build(point, top), 0.0, top)


def _normal_cdf(x: Floats, points: Floats, top: float) -> Floats:
    return curves.normal_cdf(x, points[0], np.exp(points[1]))


def _folded_cdf(x: Floats, points: Floats, top: float) -> Floats:
    return curves.folded_normal_cdf(x, points[0], np.exp(points[1]))


def _triangular_cdf(x: Floats, points: Floats, top: float) -> Floats:
    left, right = np.exp(points[1]), np.exp(points[2])
    return curves.triangular_cdf(x, points[0] - left, points[0], points[0] + right)


def _two_cdf(x: Floats, points: Floats, part: Callable[[Floats, Floats, Floats], Floats]) -> Floats:
    weight = expit(points[0])
    first, second = part(x, points[1], np.exp(points[2])), part(x, points[3], np.exp(points[4]))
    return np.asarray(weight * first + (1.0 - weight) * second)


FITTABLE: dict[str, Template] = {
    "uniform": Template(
        (_LOW, _LOG_WIDTH),
        lambda point, top: Uniform(point[0], min(point[0] + np.exp(point[1]), top)),
        lambda x, points, top: curves.uniform_cdf(
            x, points[0], np.minimum(points[0] + np.exp(points[1]), top)
        ),
    ),
    "truncated_normal": Template(
        _NORMAL,
        lambda point, top: TruncatedNormal(point[0], np.exp(point[1]), 0.0, top),
        lambda x, points, top: curves.truncated_normal_cdf(x, points[0], np.exp(points[1]), 0.0, top),
    ),
    "beta": Template(
        (_LOG_SHAPE, _LOG_SHAPE),
        lambda point, top: Beta(np.exp(point[0]), np.exp(point[1])),
        lambda x, points, top: np.asarray(betainc(np.exp(points[0]), np.exp(points[1]), x)),
    ),
    "clamped_normal": Template(_NORMAL, _clamp(_normal), _normal_cdf),
    "clamped_folded_normal": Template(_FOLDED, _clamp(_folded), _folded_cdf),
    "clamped_triangular": Template(_TRIANGLE, _clamp(_triangular), _triangular_cdf),
    "truncated_normal_mixture": Template(
        _TWO_NORMALS,
        lambda point, top: _two(point, lambda mean, sd: TruncatedNormal(mean, sd, 0.0, top)),
        lambda x, points, top: _two_cdf(
            x, points, lambda at, mean, sd: curves.truncated_normal_cdf(at, mean, sd, 0.0, top)
        ),
    ),
    "clamped_normal_mixture": Template(
        _TWO_NORMALS,
        _clamp(lambda point, top: _two(point, Normal)),
        lambda x, points, top: _two_cdf(x, points, curves.normal_cdf),
    ),
}
"""The families that can be fitted, for either stage: those that stay within [0, top]."""
