"""The candidates of the step for skewness: `python -m benchmarks.shared_units.steps steps.csv`.

J people differ by a law of skewness 0 or 1.6, by the mean, on 100 items. A share of the variance of the
effect is the people's; a third of the rest is noise of ratings, and two thirds are items'. Power is at an
effect of 3 standard errors. `nbyk.testing.shared_units.mixture` has the step of p, for one set; here it is
for many.

Normal people have levels at .01 and .001 too, three of them (who take no step) as well, with shares down to
a fifth.

The rows of any test bound the power of all whose level is .05 for normal people and at most so much at a
skewness of 1.6, where people are all the variance and their SD is unknown: by Neyman and Pearson's lemma,
from the densities of the directions of the people's means. The test that reaches it has to know both laws.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import gammaln, logsumexp, stdtr

from benchmarks.shared_units.table import write_table

Floats = NDArray[np.float64]

N_ITEMS, EFFECT = 100, 3.0
SHARES = (1.0, 0.95, 0.8)
CEILINGS, SETS_OF_BOUND = (0.07, 0.08), 20_000
"""Levels at a skewness of 1.6 for which the most power is computed, and sets for it."""
_SHAPE, _SIZES = 4.0 / 1.6**2, 160
"""The shape of a gamma law of that skewness, and the points of an integral over the unknown SD."""
OF_FEW = (1.0, 0.5, 0.2)
"""The people's shares of the variance where few people meet the far tail."""

FAR = "as it stands, far tail"
LEVELS = {"normal": 0.05, "normal_01": 0.01, "normal_001": 0.001}


@dataclass(frozen=True)
class Step:
    """How far |t| moves: by skewness counted min(|t|, most) / full in one tail, and by `back` in the other.

    `own_share` is the share of the people's variance below which the step is smaller in proportion; 0: none.
    """

    name: str
    full: float = 3.5
    most: float = 8.0
    back: float = 0.3
    own_share: float = 0.0


STEPS = (
    Step("none", math.inf, back=0.0),
    Step("at every t", 1.0, most=1.0, back=0.0),
    Step("a grows to 8, / 3.9", 3.9, back=0.0),
    Step("chosen: to 8, / 3.5, and .3 g back"),
    Step(".35 g back", back=0.35),
    Step("less below a share of .8", own_share=0.8),
)


CHOSEN = STEPS[3]


class Sets(NamedTuple):
    """Effects of many sets, the variances of items and people, and the third moment of the effect."""

    effects: Floats
    items: Floats
    people: Floats
    third: Floats


def sets_of(people: int, share: float, skewness: float, sets: int, rng: np.random.Generator) -> Sets:
    """Return sets whose effect has the variance 1, of which people have a share."""
    shape = (sets, people)
    if skewness:
        gamma = 4.0 / skewness**2
        likes = (rng.gamma(gamma, size=shape) - gamma) / math.sqrt(gamma)
    else:
        likes = rng.standard_normal(shape)
    noise, of_items = (1.0 - share) / 3.0, (1.0 - share) * 2.0 / 3.0
    means = math.sqrt(share * people) * likes + math.sqrt(noise * people) * rng.standard_normal(shape)
    effects = means.mean(axis=1) + math.sqrt(of_items) * rng.standard_normal(sets)
    apart = means - means.mean(axis=1, keepdims=True)
    df = (N_ITEMS - 1) * (people - 1)
    within = noise * rng.chisquare(df, sets) / df
    items = (of_items + noise) * rng.chisquare(N_ITEMS - 1, sets) / (N_ITEMS - 1)
    third = np.sum(apart**3, axis=1) / (people * (people - 1) * (people - 2))
    third += math.sqrt(6.0) / N_ITEMS * items**1.5 * rng.standard_normal(sets)  # of normal items, by chance
    return Sets(
        effects,
        np.maximum(items - within, 0.0),
        np.sum(apart**2, axis=1) / (people * (people - 1)),
        third,
    )


def p_values(sets: Sets, people: int, step: Step) -> Floats:
    """Return two-sided p after a step, shape (sets,)."""
    whole = sets.items + sets.people
    t, h = np.abs(sets.effects) / np.sqrt(whole), np.sign(sets.effects) * sets.third / whole**1.5
    counts = np.minimum(t, step.most) / step.full
    if step.own_share:
        counts = counts * np.minimum(sets.people / whole / step.own_share, 1.0)
    a = np.maximum(-h, 0.0) / 6.0 * counts
    root = np.sqrt(np.maximum(1.0 + 8.0 * a * (t - a), 0.0))
    size = np.maximum(2.0 * (t - a) / (1.0 + root), 0.0)
    size += step.back * np.clip(h, 0.0, 1.0) * np.minimum(t, 2.0)
    tails = sets.items * stdtr(N_ITEMS - 1.0, -size) + sets.people * stdtr(people - 1.0, -size)
    p: Floats = 2.0 * tails / whole
    return p


def most_power(people: int, ceiling: float, sets: int = SETS_OF_BOUND) -> float:
    """Return the most power of any test whose level at a skewness of 1.6 is at most the ceiling."""
    rng = np.random.default_rng(people)
    shift = EFFECT / math.sqrt(people)
    normal, other = rng.standard_normal((2, sets, people))
    skewed = (rng.gamma(_SHAPE, size=normal.shape) - _SHAPE) / math.sqrt(_SHAPE)
    means = np.concatenate([normal, other + shift, skewed]) * rng.choice([-1.0, 1.0], (3 * sets, 1))
    logs = [
        np.logaddexp(*(_log_density(side * means, of) for side in (1.0, -1.0))) for of in (0.0, shift, None)
    ]
    null, better, unkind = np.exp(np.array(logs) - logsumexp(logs, axis=0) + math.log(3.0))

    def bound(prices: Floats) -> float:
        of_null, of_unkind = np.exp(prices)
        gain = np.maximum(better - of_null * null - of_unkind * unkind, 0.0)
        return float(0.05 * of_null + ceiling * of_unkind + gain.mean())

    starts = ([1.0, 0.0], [1.0, -5.0], [0.0, 1.0])
    return min(float(minimize(bound, start, method="Nelder-Mead").fun) for start in starts)


def _log_density(means: Floats, shift: float | None) -> Floats:
    """Return the log density of the directions of means, (M, J): of normal people, or skewed for None."""
    people = means.shape[1]
    places = (np.arange(_SIZES) + 0.5) / _SIZES
    densities = []
    for of in np.array_split(means, -(-len(means) // 1000)):
        directions = of / np.linalg.norm(of, axis=1, keepdims=True)
        least = np.maximum(-directions.min(axis=1, keepdims=True), 1e-12)
        most = np.minimum(math.sqrt(_SHAPE) / least, 30.0) if shift is None else np.full(least.shape, 10.0)
        sizes = most * (1.0 - (1.0 - places) ** 2)  # closer together near the end of the skewed law
        x = sizes[..., None] * directions[:, None]
        if shift is None:
            at = np.maximum(_SHAPE + math.sqrt(_SHAPE) * x, 1e-300)
            each = 0.5 * math.log(_SHAPE) - gammaln(_SHAPE) + (_SHAPE - 1.0) * np.log(at) - at
        else:
            each = -0.5 * (x - shift) ** 2 - 0.5 * math.log(2.0 * math.pi)
        steps = most * 2.0 * (1.0 - places) / _SIZES
        whole = each.sum(axis=2) + (people - 1) * np.log(sizes) + np.log(steps)
        densities.append(logsumexp(whole, axis=1))
    return np.concatenate(densities)


def rows(sets: int) -> Iterator[dict[str, Any]]:
    """Yield the level and the power of each step, for 5 and 8 people and each share of the variance."""
    for people in (5, 8):
        for share in SHARES:
            rng = np.random.default_rng([39, people, round(100 * share)])
            equal, skewed = (sets_of(people, share, skewness, sets, rng) for skewness in (0.0, 1.6))
            better = equal._replace(effects=equal.effects + EFFECT)
            cell = {"people": people, "share": share, "sets": sets}
            for step in STEPS:
                p = [p_values(of, people, step) for of in (equal, skewed, better)]
                rates = (np.mean(p[0] <= 0.05), np.mean(p[1] <= 0.05), np.mean(p[1] <= 0.01))
                columns = dict(zip(("normal", "skewed", "skewed_01"), map(float, rates), strict=True))
                yield {**cell, "step": step.name, **columns, "power": float(np.mean(p[2] <= 0.05))}
            for ceiling in CEILINGS if share == 1.0 else ():
                levels = {"normal": 0.05, "skewed": ceiling, "power": most_power(people, ceiling)}
                yield {**cell, "sets": SETS_OF_BOUND, "step": f"any test: at {ceiling:g}", **levels}
    for people, share in itertools.product((3, 5, 8), OF_FEW):
        rng = np.random.default_rng([3, people, round(100 * share)])
        of_normal = p_values(
            sets_of(people, share, 0.0, sets, rng), people, CHOSEN if people >= 5 else STEPS[0]
        )
        levels = {name: float(np.mean(of_normal <= alpha)) for name, alpha in LEVELS.items()}
        yield {"people": people, "share": share, "sets": sets, "step": FAR, **levels}


def main() -> None:
    """Write the table."""
    write_table(__doc__, 400_000, rows)


if __name__ == "__main__":
    main()
