"""How often tests of equal correlations and AUCs reject, by what they swap.

Run ``python -m benchmarks.invariances --sets 2000``; it prints the numbers of docs/method.md. A and B have
equal true scores in each world (`level`), or A has the higher one (`power`); B's responses are then shifted,
bent or coarsened, which changes no score. Columns: p by swaps of the raw values; by swaps of what the metric
sees, ranks or standardised values; the same with the difference over its standard error; by signs of the
items' influences; and Student's t of the influences.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtr
from scipy.stats import rankdata

from nbyk.compiled import njit

Array = NDArray[Any]
Floats = NDArray[np.float64]
Map = Callable[[Floats], Floats]

METHODS = ("raw swap", "swap", "studentised swap", "signs of influences", "t of influences")
N_DRAWS = 199
SPEARMAN, PEARSON, AUC = range(3)
CODES = {"spearman": SPEARMAN, "pearson": PEARSON, "auc": AUC}


@njit(cache=True)
def _ranks(order: Array, ends: Array, system: int, coins: Array, out: Array) -> None:
    """Fill `out` with average ranks minus (N + 1)/2 of the values that a system gets."""
    n = out.size
    start, before = 0, 0
    for end in ends:
        count = 0
        for place in range(start, end):
            entry = order[place]
            count += int(((entry & 1) ^ coins[entry >> 1]) == system)
        for place in range(start, end):
            entry = order[place]
            if ((entry & 1) ^ coins[entry >> 1]) == system:
                out[entry >> 1] = before + 0.5 * (count - 1) - 0.5 * (n - 1)
        before += count
        start = end


@njit(cache=True)
def _later(values: Array, by: Array, order: Array, out: Array) -> None:
    """Fill `out` with the sum of `values` over the items after each in the order of `by`; ties count half."""
    total = 0.0
    place = order.size - 1
    while place >= 0:
        first = place
        while first > 0 and by[order[first - 1]] == by[order[place]]:
            first -= 1
        tied = 0.0
        for k in range(first, place + 1):
            tied += values[order[k]]
        for k in range(first, place + 1):
            out[order[k]] = total + 0.5 * tied
        total += tied
        place = first - 1


@njit(cache=True)
def _score(code: int, x: Array, gold: Array, gold_order: Array, influence: Array) -> float:
    """Return a system's score, and fill the influence of each item; x are ranks but for Pearson's."""
    n = x.size
    if code == 2:  # gold is 0 or 1; x are centred ranks
        positive = gold.sum()
        negative = n - positive
        total = 0.0
        for i in range(n):
            total += x[i] * gold[i]
        score = total / (positive * negative) + 0.5
        order = np.argsort(x)
        above, negatives_above = np.empty(n), np.empty(n)
        _later(gold, x, order, above)
        _later(1.0 - gold, x, order, negatives_above)
        for i in range(n):
            if gold[i] == 1.0:
                influence[i] = ((negative - negatives_above[i]) / negative - score) * n / positive
            else:
                influence[i] = (above[i] / positive - score) * n / negative
        return float(score)
    sx = np.sqrt((x * x).mean() - x.mean() ** 2)
    if sx == 0.0:
        return float(np.nan)
    z = (x - x.mean()) / sx
    score = (z * gold).mean()
    if code == 1:
        for i in range(n):
            influence[i] = z[i] * gold[i] - 0.5 * score * (z[i] ** 2 + gold[i] ** 2)
        return float(score)
    order = np.argsort(x)
    by_system, by_gold = np.empty(n), np.empty(n)
    _later(gold, x, order, by_system)
    _later(z, gold, gold_order, by_gold)
    scale = np.sqrt(12.0) / n  # of ranks over N that have unit variance
    for i in range(n):
        influence[i] = z[i] * gold[i] + scale * (by_system[i] + by_gold[i])
    return float(score)


@njit(cache=True)
def _statistics(code: int, values: Array, gold: Array, coins: Array, out: Array, influences: Array) -> None:
    """Fill `out`, shape (draws + 1, 2), with differences and t; the first draw swaps nothing."""
    n = gold.size
    pooled = values.T.copy().reshape(-1)
    order = np.argsort(pooled, kind="mergesort")
    n_ends = 1
    for place in range(2 * n - 1):
        n_ends += int(pooled[order[place + 1]] > pooled[order[place]])
    ends = np.empty(n_ends, np.int64)
    n_ends = 0
    for place in range(2 * n - 1):
        if pooled[order[place + 1]] > pooled[order[place]]:
            ends[n_ends] = place + 1
            n_ends += 1
    ends[n_ends] = 2 * n
    gold_order = np.argsort(gold, kind="mergesort")
    x, influence = np.empty(n), np.empty((2, n))
    for draw in range(coins.shape[0]):
        scores = np.zeros(2)
        for system in range(2):
            if code == 1:
                for i in range(n):
                    x[i] = values[system ^ coins[draw, i], i]
            else:
                _ranks(order, ends, system, coins[draw], x)
            scores[system] = _score(code, x, gold, gold_order, influence[system])
        gaps = influence[0] - influence[1]
        error = np.sqrt(((gaps - gaps.mean()) ** 2).sum() / (n - 1) / n)
        out[draw, 0] = scores[0] - scores[1]
        out[draw, 1] = out[draw, 0] / error if error > 1e-12 else 0.0
        if draw == 0:
            influences[:] = gaps - gaps.mean()


def p_values(metric: str, gold: Floats, a: Floats, b: Floats, rng: np.random.Generator) -> Floats:
    """Return the two-sided p of each of `METHODS`."""
    code, n = CODES[metric], len(gold)
    seen = rankdata(gold) if code == SPEARMAN else gold
    seen = (seen - seen.mean()) / seen.std() if code != AUC else (gold >= 0.0).astype(np.float64)
    coins = np.zeros((N_DRAWS + 1, n), np.int64)
    coins[1:] = rng.integers(0, 2, (N_DRAWS, n))
    raw = np.array([a, b])
    alike = np.array([(x - x.mean()) / x.std() if code == PEARSON else rankdata(x) for x in raw])
    influences, out = np.empty(n), np.empty((2, N_DRAWS + 1, 2))
    for values, filled in zip((raw, alike), out, strict=True):
        _statistics(code, values, seen, coins, filled, influences)
    effect, t = out[1, 0]
    signed = np.concatenate([[effect], ((influences + effect) @ (1.0 - 2.0 * coins[1:].T)) / n])
    nulls = (out[0, :, 0], out[1, :, 0], out[1, :, 1], signed)
    return np.array([*(_two_sided(null) for null in nulls), 2.0 * float(stdtr(n - 1, -abs(t)))])


def _two_sided(null: Floats) -> float:
    tolerance = 1e-10 * np.abs(null).max()
    shares = [np.mean(side * null >= side * null[0] - tolerance) for side in (1.0, -1.0)]
    return min(1.0, 2.0 * float(min(shares)))


def draw(world: str, n: int, noise_a: float, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Return gold, A and B of a world; B's noise is 1."""
    truth = rng.normal(size=n)
    gold = truth + 0.5 * rng.normal(size=n) if world == "noisy gold" else truth
    shared = rng.normal(size=n) if world == "shared errors" else np.zeros(n)
    a = truth + noise_a * rng.normal(size=n) + shared
    b = truth + rng.normal(size=n) + shared
    if world == "30 % of B random":
        random = rng.random(n) < 0.3
        b = np.where(random, np.sqrt(2.0) * rng.normal(size=n), b)
    elif world == "heavy tails in B":
        b = truth + rng.standard_t(3, n) / np.sqrt(3.0)
    elif world == "errors grow in B":
        b = truth + np.abs(truth) * rng.normal(size=n)
    elif world == "Likert":
        a, b = np.clip(np.round(a), -2, 2), np.clip(np.round(b), -2, 2)
    elif world == "Likert, B lenient":
        a, b = np.clip(np.round(a), -2, 2), np.clip(np.round(b + 0.7), -2, 2)
    elif world == "B in three levels":
        b = np.clip(np.round(b / 1.5), -1, 1)
    return gold, a, b


MAPS: dict[str, Map] = {
    "": lambda x: x,
    ", B + .1": lambda x: x + 0.1 * np.sqrt(2.0),
    ", B + .3": lambda x: x + 0.3 * np.sqrt(2.0),
    ", B + 1": lambda x: x + np.sqrt(2.0),
    ", exp(B)": np.exp,
}
WORLDS = (
    "normal",
    "30 % of B random",
    "errors grow in B",
    "heavy tails in B",
    "noisy gold",
    "shared errors",
    "Likert",
    "Likert, B lenient",
    "B in three levels",
)


def score(metric: str, gold: Floats, x: Floats) -> float:
    """Return the score of one system."""
    if metric == "pearson":
        return float(np.corrcoef(gold, x)[0, 1])
    ranks = rankdata(x)
    if metric == "spearman":
        return float(np.corrcoef(rankdata(gold), ranks)[0, 1])
    positive = gold >= 0.0
    n, m = int(positive.sum()), int((~positive).sum())
    return float((ranks[positive].sum() - 0.5 * n * (n + 1)) / (n * m))


@cache
def equal_noise(metric: str, world: str) -> float:
    """Return the noise of A with which both true scores are equal, by bisection on 400,000 items."""
    if world in ("normal", "noisy gold", "shared errors", "Likert"):
        return 1.0
    low, high = 0.2, 4.0
    for _ in range(18):
        middle = 0.5 * (low + high)
        gold, a, b = draw(world, 400_000, middle, np.random.default_rng(1))
        low, high = (middle, high) if score(metric, gold, a) > score(metric, gold, b) else (low, middle)
    return 0.5 * (low + high)


def rates(metric: str, world: str, n: int, sets: int, *, better: bool) -> dict[str, Floats]:
    """Return p of each map of B, shape (sets, methods)."""
    noise = equal_noise(metric, world) * (1.0 - 3.4 / np.sqrt(n) if better else 1.0)
    maps = MAPS if world == "normal" else {"": MAPS[""]}
    p: dict[str, list[Floats]] = {name: [] for name in maps}
    for number in range(sets):
        gold, a, b = draw(world, n, noise, np.random.default_rng([number, n, better]))
        for name, changed in maps.items():
            if metric == "pearson" and name == ", exp(B)":
                continue
            p[name].append(p_values(metric, gold, a, changed(b), np.random.default_rng([number, 7])))
    return {name: np.array(values) for name, values in p.items() if values}


def main() -> None:
    """Print a row for each metric, world and number of items."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=2000)
    parser.add_argument("--items", type=int, nargs="+", default=[30, 150, 500])
    parser.add_argument("--metrics", nargs="+", default=list(CODES))
    parser.add_argument("--worlds", nargs="+", default=list(WORLDS))
    parser.add_argument("--power", action="store_true")
    options = parser.parse_args()
    rows = []
    for metric in options.metrics:
        for n in options.items:
            for world in options.worlds:
                for name, p in rates(metric, world, n, options.sets, better=options.power).items():
                    for alpha in (0.05, 0.01):
                        row = {"metric": metric, "N": n, "world": world + name, "alpha": alpha}
                        rows.append(row | dict(zip(METHODS, (p <= alpha).mean(axis=0), strict=True)))
    print(pd.DataFrame(rows).to_markdown(index=False, floatfmt=".3f"))


if __name__ == "__main__":
    main()
