"""The candidates of the step for skewness: `python -m benchmarks.shared_units.steps steps.csv`.

J people differ by a law of skewness 0 or 1.6, by the mean, on 100 items. A share of the variance of the
effect is the people's; a third of the rest is noise of ratings, and two thirds are items'. Power is at an
effect of 3 standard errors. `nbyk.testing.shared_units.mixture` has the step of p, for one set; here it is
for many.

Normal people have levels at .01 and .001 too, three of them (who take no step) as well, with shares down to
a fifth.

The last candidate is about the best of all tests by t and by the skewness g of the data whose levels are at
most .05 for normal people and .07 at a skewness of 1.6 (Neyman and Pearson's lemma, as a linear program over
cells of t and g). Half of the sets choose the cells, and the other half give the rates.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.special import stdtr

from benchmarks.shared_units.table import write_table

Floats = NDArray[np.float64]

N_ITEMS, EFFECT = 100, 3.0
SHARES = (1.0, 0.95, 0.8)
OF_FEW = (1.0, 0.5, 0.2)
"""The people's shares of the variance where few people meet the far tail."""

BEST = "the best by t and g"
FAR = "as it stands, far tail"
LEVELS = {"normal": 0.05, "normal_01": 0.01, "normal_001": 0.001}
_CELLS = 30


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


def best_rates(of_truths: tuple[Sets, Sets, Sets], levels: tuple[float, float] = (0.05, 0.07)) -> list[float]:
    """Return how often about the best test by t and g rejects: normal, skewed and unequal sets."""
    pairs = []
    for sets in of_truths:
        whole = sets.items + sets.people
        t, h = np.abs(sets.effects) / np.sqrt(whole), np.sign(sets.effects) * sets.third / whole**1.5
        pairs.append(np.stack([t, h]))
    inner = np.linspace(0.0, 1.0, _CELLS + 1)[1:-1]
    edges = np.quantile(pairs[2], inner, axis=1)
    shares = []  # of either half of the sets in each cell
    for pair in pairs:
        t, h = (np.searchsorted(edges[:, axis], pair[axis]) for axis in (0, 1))
        halves = np.arange(len(t)) % 2
        counts = np.bincount((halves * _CELLS + t) * _CELLS + h, minlength=2 * _CELLS**2)
        shares.append(counts.reshape(2, -1) / (0.5 * len(t)))
    chosen, others = np.stack(shares, axis=1)
    cells = linprog(-chosen[2], A_ub=chosen[:2], b_ub=levels, bounds=(0.0, 1.0)).x
    return [float(np.sum(cells * share)) for share in others]


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
            if share == 1.0:  # else cells of t and g tell the share, which no data do
                best = zip(("normal", "skewed", "power"), best_rates((equal, skewed, better)), strict=True)
                yield {**cell, "step": BEST, **dict(best)}
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
