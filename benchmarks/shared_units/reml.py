"""Restricted maximum likelihood beside the chosen test: a real one, on a few worlds.

Run ``python -m benchmarks.shared_units.reml TABLE.csv --sets 2000``. The same raters rate both systems'
outputs, by `mean`, or gold, by `mse`. Each rating gives a difference d = δ + item + rater + noise, with
crossed random items and raters: of the ratings of both outputs; or of both squared errors, since
(g − a)² − (g − b)² = (b − a)(2 g − a − b) is linear in g. The three variances maximise the restricted
likelihood, none below 0. Degrees of freedom are Satterthwaite's, from the curvature of that likelihood; a
variance of 0 is left out of them.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import stdtr

from benchmarks.shared_units.simulate import draw_set
from benchmarks.shared_units.table import write_table
from benchmarks.shared_units.world import World
from benchmarks.shared_units.worlds import worlds
from nbyk.metrics import get
from nbyk.sums import product
from nbyk.testing.shared_units import shared_units_test

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CHOSEN = (
    "5 of 5 output raters, SD 0.0",
    "5 of 5 output raters, SD 0.05",
    "3 of 8 output raters, SD 0.0",
    "3 of 8 output raters, SD 0.05",
    "3 of 8 people, power-law activity, SD 0.1",
    "3 of 20 people, power-law activity, SD 0.1",
    "3 of 40 people, power-law activity, SD 0.1",
    *(f"3 of {raters} raters, power-law activity, biased systems" for raters in (8, 20, 40)),
)
_TESTS = ("shared", "equal weights", "REML", "items alone")
_BETTER = {"mean": 0.12, "mse": 0.08}
"""By how much A is better, where loads are unequal and power is measured."""

_STEP = 1e-3
_LEAST = 1e-9


@dataclass(frozen=True)
class Crossed:
    """Ratings of N items by K of J raters each: values and raters, both of shape (N, K)."""

    values: Floats
    raters: Ints

    def criterion(self, noise: float, items: float, raters: float) -> tuple[float, float, float]:
        """Return −2 log of the restricted likelihood, the estimate of the mean, and its variance.

        The covariance is V = noise·1 + items·ZZ' + raters·WW'. Without raters an item's block has the inverse
        (1 − h 11') / noise with h = items / (noise + K items); raters add a matrix of rank J.
        """
        n, k = self.values.shape
        n_raters = int(self.raters.max()) + 1
        shrink = items / (noise + k * items)
        met = np.zeros((n, n_raters))
        met[np.arange(n)[:, None], self.raters] = 1.0
        of_raters = np.bincount(self.raters.ravel(), weights=self.values.ravel(), minlength=n_raters)
        sums = self.values.sum(axis=1)
        # Of X' V0⁻¹ X with X = (ones, values, raters' columns)
        ww = (np.diag(met.sum(axis=0)) - shrink * product(met.T, met)) / noise
        w1 = met.sum(axis=0) * (1.0 - shrink * k) / noise
        wy = (of_raters - shrink * product(met.T, sums)) / noise
        one = n * k * (1.0 - shrink * k) / noise
        y1 = float(sums.sum()) * (1.0 - shrink * k) / noise
        yy = float((self.values**2).sum() - shrink * (sums**2).sum()) / noise
        inner = np.eye(n_raters) + raters * ww
        solved = raters * np.linalg.solve(inner, np.column_stack([w1, wy]))
        one -= float(product(w1, solved[:, 0]))
        y1 -= float(product(w1, solved[:, 1]))
        yy -= float(product(wy, solved[:, 1]))
        log_det = n * (k * math.log(noise) + math.log1p(k * items / noise)) + np.linalg.slogdet(inner)[1]
        return log_det + math.log(one) + yy - y1**2 / one, y1 / one, 1.0 / one


def reml_p_value(data: Crossed) -> float:
    """Return the two-sided p of a mean of 0."""
    scale = float(data.values.var())

    def of(variances: Floats) -> float:
        return data.criterion(*(scale * np.maximum(variances, [_LEAST, 0.0, 0.0])))[0]

    start = np.array([0.5, 0.4, 0.05])
    bounds = [(1e-4, None), (0.0, None), (0.0, None)]
    best = minimize(of, start, method="L-BFGS-B", bounds=bounds).x
    free = [place for place in range(3) if best[place] > 1e-6]
    step = _STEP * np.maximum(best, 1e-2)

    def moved(one: int, by_one: float, other: int = 0, by_other: float = 0.0) -> Floats:
        there: Floats = best.copy()
        there[one] += by_one * step[one]
        there[other] += by_other * step[other]
        return there

    def variance(variances: Floats) -> float:
        return data.criterion(*(scale * variances))[2]

    slope = np.array([(variance(moved(j, 1)) - variance(moved(j, -1))) / (2 * step[j]) for j in free])
    curve = np.empty((len(free), len(free)))
    for row, j in enumerate(free):
        for column, m in enumerate(free):
            corners = [of(moved(j, s, m, t)) * s * t for s in (1, -1) for t in (1, -1)]
            curve[row, column] = sum(corners) / (4 * step[j] * step[m])
    _, mean, of_mean = data.criterion(*(scale * best))
    # The information is half the curvature of −2 log L
    spread = float(product(slope, np.linalg.solve(0.5 * curve, slope)))
    df = 2.0 * of_mean**2 / spread if spread > 0.0 else len(data.values) - 1.0
    return float(2.0 * stdtr(max(df, 1.0), -abs(mean) / math.sqrt(of_mean)))


def p_values(world: World, number: int) -> list[float]:
    """Return p of a set by each way; "equal weights" never weights ratings by precision."""
    data = draw_set(world, np.random.default_rng([zlib.crc32(repr(world).encode()), number]))
    if world.factor == "raters":
        metric, units = get("mse"), data.gold.units
        a, b = (role.values.mean(axis=1, keepdims=True) for role in (data.a, data.b))
        values = (b - a) * (2.0 * data.gold.values - a - b)
    else:
        metric, units, values = get("mean"), data.a.units, data.a.values - data.b.values
    first = min(int(of_source[0]) for of_source in data.source_units.values())
    return [
        shared_units_test(metric, data).p_value(),
        shared_units_test(metric, data, weighted=False).p_value(),
        reml_p_value(Crossed(values, units - first)),
        shared_units_test(metric, data, sources=()).p_value(),
    ]


def rows(sets: int) -> Iterator[dict[str, Any]]:
    """Yield how often each way rejects, a row a world.

    Power is adjusted for size: how often p is at most the p that a share of .05 of sets of equal systems has.
    """
    named = {world.name: world for world in worlds()}
    for name in CHOSEN:
        world = named[name]
        equal = np.array([p_values(world, number) for number in range(sets)])
        metric = "mse" if world.factor == "raters" else "mean"
        row = {"world": name, "items": world.n_items, "metric": metric, "sets": sets}
        row |= dict(zip(_TESTS, np.mean(equal <= 0.05, axis=0).tolist(), strict=True))
        row |= {f"power, {test}": math.nan for test in _TESTS[:-1]}
        if world.load == "power":
            better = replace(world, better=_BETTER[metric])
            unlike = np.array([p_values(better, number) for number in range(sets)])
            power = np.mean(unlike <= np.quantile(equal, 0.05, axis=0), axis=0)
            row |= {f"power, {test}": float(power[place]) for place, test in enumerate(_TESTS[:-1])}
        yield row


def main() -> None:
    """Write the table."""
    write_table(__doc__, 2000, rows)


if __name__ == "__main__":
    main()
