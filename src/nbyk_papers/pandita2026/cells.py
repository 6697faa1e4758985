"""The cells of Pandita et al. 2026: p, Δ and power of each prior at every N·K, K, ε and metric.

An item's responses have the distribution β ~ Dirichlet(α). System B's have γ = (1 − ε) β + ε ρ, where
ρ ~ Dirichlet(1/M, …, 1/M). Under the null each response of A, and of B, comes from β or from γ with
probability ½, so from ρ with probability ε/2. A response comes from ρ where its uniform is below ε or ε/2,
so one draw of it serves every ε. Every metric is a mean over items, so the first N items of a set are the
smaller set, and an item's first K responses are those of a smaller K.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa

from nbyk.arrays import Floats, Integers
from nbyk.compiled import njit
from nbyk.resampling.effects import run_chunks
from nbyk.resampling.kernels import fill_uniforms
from nbyk.resampling.streams import Streams, stream_key
from nbyk_papers.pandita2026.design import ALPHA, METRICS, PRIORS

if TYPE_CHECKING:
    from nbyk.studies.steps import Work


Side = Literal["left", "right"]

_ROUNDED = 9
"""Digits of scores that are compared: those that differ by rounding alone are tied."""


def grid(
    *,
    source: str,
    budgets: Sequence[int],
    k_responses: Sequence[int],
    epsilons: Sequence[float],
    n_sets: int,
    seed: int,
    work: Work,
) -> tuple[pa.Table, dict[str, Any]]:
    """Draw test sets of a prior's categories; return a row for each size, ε and metric."""
    alpha, sizes = PRIORS[source], Sizes(tuple(budgets), tuple(k_responses))
    key = stream_key(seed, study="pandita2026", source=source)
    shape = (2, len(METRICS), len(epsilons), len(sizes.cells))

    def scored(chunk: int, size: int) -> Floats:
        sums, squares = draw_scores(Streams(key, chunk), alpha, epsilons, sizes, size)
        found = np.stack([sums, rejections(sums, squares, sizes.cells[:, 1], ALPHA)], axis=1)
        return found.reshape(size, -1).T

    with work.progress(n_sets):
        (drawn,) = run_chunks(n_sets, scored, threads=work.threads, progress=work.advance)
    sums, decisions = drawn.reshape(2, *shape, n_sets)
    rows = []
    for (m, metric), (e, epsilon), (c, cell) in product(
        enumerate(METRICS), enumerate(epsilons), enumerate(sizes.cells.tolist())
    ):
        budget, n_items, k = cell
        alternative, null = sums[:, m, e, c]
        unit = n_items * (k * len(alpha) if metric == "tv" else 1)
        found = {"budget": budget, "n_items": n_items, "k_responses": k, "epsilon": epsilon, "metric": metric}
        decided, decided_null = decisions[:, m, e, c]
        rows.append(
            {
                **found,
                "delta": float(alternative.mean()) / unit,
                "delta_error": float(alternative.std(ddof=1)) / unit / n_sets**0.5,
                **p_values(alternative, null),
                "power": float((decided > 0).mean()),
                "wrong": float((decided < 0).mean()),
                "level": float((decided_null != 0).mean()),
                "n_sets": n_sets,
            }
        )
    return pa.Table.from_pylist(rows), {"M": n_sets}


def p_values(alternative: Floats, null: Floats) -> dict[str, float]:
    """Return the mean over alternative sets of the share of null sets above, by both countings of ties.

    Keys: p (null scores strictly above count, as the text says), p_with_ties (those at least as high, as the
    code does), p_error and p_with_ties_error, their standard errors over sets of both hypotheses.
    """
    alternative, null = (np.sort(np.round(scores, _ROUNDED)) for scores in (alternative, null))
    columns: dict[str, float] = {}
    sides: dict[str, tuple[Side, Side]] = {"p": ("right", "left"), "p_with_ties": ("left", "right")}
    for name, (side, other) in sides.items():
        above = 1.0 - np.searchsorted(null, alternative, side=side) / null.size
        below = np.searchsorted(alternative, null, side=other) / alternative.size
        variance = above.var(ddof=1) / above.size + below.var(ddof=1) / below.size
        columns |= {name: float(above.mean()), f"{name}_error": float(variance**0.5)}
    return columns


SMOOTHING = 1e-12
"""Added to each relative frequency of a category before the Kullback–Leibler divergence."""

FEWEST_ITEMS = 6
"""With fewer items, no choice of swaps has a two-sided p ≤ .05, so a test over items cannot reject."""

ACCURACY, TV, WINS, KL = range(4)
N_METRICS = 4


@dataclass(frozen=True)
class Sizes:
    """The cells of a grid: budget // K items of K responses, for budgets and K that allow it, both rising."""

    budgets: tuple[int, ...]
    k_responses: tuple[int, ...]

    @cached_property
    def cells(self) -> Integers:
        """Budget, N and K of each cell, shape (cells, 3); those of one K follow one another, N rising."""
        sizes = [(budget, budget // k, k) for k in self.k_responses for budget in self.budgets if budget >= k]
        return np.array(sizes, np.int64).reshape(-1, 3)

    @cached_property
    def starts(self) -> Integers:
        """The first cell of each K, and the number of cells, shape (len(k_responses) + 1,)."""
        return np.searchsorted(self.cells[:, 2], [*self.k_responses, np.inf]).astype(np.int64)


def draw_scores(
    streams: Streams, alpha: Sequence[float], epsilons: Sequence[float], sizes: Sizes, n_sets: int
) -> tuple[Floats, Floats]:
    """Draw test sets, and score A against B in each cell, under the alternative and under the null.

    `alpha` are the concentrations of the prior, one per category; `epsilons` the perturbations of B, the
    largest last. Sets of the two hypotheses share items and gold. Returned are the sums over items of A's
    score minus B's, turned so that more is better for A, and of its square, each of shape (n_sets, 2
    hypotheses, metrics, epsilons, cells), the alternative first. Metrics are `ACCURACY` of the plurality
    class (ties go to the first), `TV` as the sum over categories times K, `WINS` by it, and `KL` from gold in
    nats.
    """
    shape = (n_sets, 2, N_METRICS, len(epsilons), len(sizes.cells))
    sums, squares = np.empty(shape), np.empty(shape)
    values = np.array(sizes.k_responses, np.int64)
    probability, logarithm = _tables(values, len(alpha))
    n_items = int(sizes.cells[:, 1].max(initial=0))
    generator, state = streams.generator("items"), streams.state("responses")
    flat = np.full(len(alpha), 1.0 / len(alpha))
    for r in range(n_sets):
        beta = _cumulated(generator.standard_gamma(np.asarray(alpha), (n_items, len(alpha))))
        rho = _cumulated(generator.standard_gamma(flat, (n_items, len(alpha))))
        set_sums = sums[r], squares[r]
        _score_set(
            *(state, beta, rho, np.asarray(epsilons, np.float64), values, sizes.starts),
            *(np.ascontiguousarray(sizes.cells[:, 1]), probability, logarithm, *set_sums),
        )
    return sums, squares


def rejections(sums: Floats, squares: Floats, n_items: Integers, alpha: float) -> Floats:
    """Return the sign of each set's t-test over items where its two-sided p ≤ α, else 0.

    `sums` and `squares`, shape (..., cells), are over items of differences and of their squares; `n_items`
    has shape (cells,). Sets of fewer than `FEWEST_ITEMS` are never rejected.
    """
    from scipy.stats import t

    critical = t.ppf(1.0 - 0.5 * alpha, np.maximum(n_items - 1, 1))
    # t² = n d² / s² ≥ c², with both sides times the squares' sum around the mean
    around = np.maximum(squares - sums**2 / n_items, 0.0)
    rejected = sums**2 * (n_items - 1) >= critical**2 * n_items * around * (1.0 - 1e-9)
    return np.asarray(np.where(rejected & (sums != 0.0) & (n_items >= FEWEST_ITEMS), np.sign(sums), 0.0))


def _cumulated(gammas: Floats) -> Floats:
    """Make gamma draws, shape (n, M), cumulated shares, in place."""
    for c in range(1, gammas.shape[1]):
        gammas[:, c] += gammas[:, c - 1]
    gammas /= gammas[:, -1:].copy()
    return gammas


def _tables(k_responses: Integers, n_categories: int) -> tuple[Floats, Floats]:
    """Return smoothed frequencies of each count and their logarithms, shape (values of K, largest K + 1)."""
    counts = np.arange(int(k_responses.max(initial=0)) + 1)
    frequency = (counts / k_responses[:, None] + SMOOTHING) / (1.0 + n_categories * SMOOTHING)
    return frequency, np.log(frequency)


@njit(nogil=True, cache=True)
def _drawn(u: float, cumulated: Any, i: int) -> int:
    category = 0
    for c in range(cumulated.shape[1] - 1):
        category += int(u > cumulated[i, c])
    return category


@njit(nogil=True, cache=True)
def _respond(uniforms: Floats, beta: Floats, rho: Floats, i: int, epsilons: Floats, counts: Any) -> None:
    """Add a response of gold, of A, and at each ε of B, of A under the null and of B under it."""
    n = len(epsilons)
    counts[_drawn(uniforms[0], beta, i), 0] += 1
    counts[_drawn(uniforms[1], beta, i), 1] += 1
    for who in range(3):
        own = _drawn(uniforms[2 + who], beta, i)
        first = 2 + who * n
        for v in range(first, first + n):
            counts[own, v] += 1
        perturbed = uniforms[5 + who] if who == 0 else 2.0 * uniforms[5 + who]
        if perturbed < epsilons[n - 1]:
            other = _drawn(uniforms[8 + who], rho, i)
            for e in range(n):
                moved = int(perturbed < epsilons[e])
                counts[own, first + e] -= moved
                counts[other, first + e] += moved


@njit(nogil=True, cache=True)
def _compare_with_gold(
    counts: Any,
    probability: Floats,
    logarithm: Floats,
    k: int,
    distance: Any,
    plurality: Any,
    most: Any,
    alike: Floats,
) -> int:
    """Fill each system's distance, class and Σ gold ln system where gold > 0; return gold's class."""
    n_categories, n = counts.shape
    for v in range(n):  # slices may raise, and would have compiled code count references to each array
        distance[v], plurality[v], most[v], alike[v] = 0, 0, counts[0, v], 0.0
    for c in range(n_categories):
        gold = counts[c, 0]
        for v in range(n):
            count = counts[c, v]
            distance[v] += abs(count - gold)
            plurality[v] = c if count > most[v] else plurality[v]
            most[v] = max(count, most[v])
        if gold > 0:
            for v in range(n):
                alike[v] += probability[k, gold] * logarithm[k, counts[c, v]]
    return int(plurality[0])


@njit(nogil=True, cache=True)
def _score_set(
    state: Any,
    beta: Floats,
    rho: Floats,
    epsilons: Floats,
    k_responses: Any,
    starts: Any,
    n_items: Any,
    probability: Floats,
    logarithm: Floats,
    sums: Floats,
    squares: Floats,
) -> None:
    n_categories, n, n_k = beta.shape[1], len(epsilons), len(k_responses)
    columns = -(-(2 + 3 * n) // 8) * 8  # a few at a time by vector instructions; the last ones are not used
    counts = np.zeros((n_categories, columns), np.int32)
    distance, plurality, most = np.empty_like(counts[0]), np.empty_like(counts[0]), np.empty_like(counts[0])
    alike = np.empty(columns)
    total = np.zeros((n_k, 2, N_METRICS, n))
    squared = np.zeros((n_k, 2, N_METRICS, n))
    uniforms = np.empty(11)
    upcoming = starts[:-1].copy()
    for i in range(len(beta)):
        counts[:] = 0
        answered = 0
        for k in range(n_k):
            if upcoming[k] == starts[k + 1]:
                continue
            while answered < k_responses[k]:
                fill_uniforms(state, uniforms)
                _respond(uniforms, beta, rho, i, epsilons, counts)
                answered += 1
            gold = _compare_with_gold(counts, probability, logarithm, k, distance, plurality, most, alike)
            for h in range(2):
                for e in range(n):
                    a = 1 + h * (1 + n + e)
                    b = 2 + h * 2 * n + e
                    nearer = distance[b] - distance[a]
                    won = int(nearer > 0) - int(nearer < 0)
                    right = int(plurality[a] == gold) - int(plurality[b] == gold)
                    closer = alike[a] - alike[b]
                    total[k, h, ACCURACY, e] += right
                    total[k, h, TV, e] += nearer
                    total[k, h, WINS, e] += won
                    total[k, h, KL, e] += closer
                    squared[k, h, ACCURACY, e] += right * right
                    squared[k, h, TV, e] += float(nearer) * float(nearer)
                    squared[k, h, WINS, e] += won * won
                    squared[k, h, KL, e] += closer * closer
            while upcoming[k] < starts[k + 1] and n_items[upcoming[k]] == i + 1:
                sums[:, :, :, upcoming[k]] = total[k]
                squares[:, :, :, upcoming[k]] = squared[k]
                upcoming[k] += 1
