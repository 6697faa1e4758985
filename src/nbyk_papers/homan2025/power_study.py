"""Power of the papers' test beside others on the same test sets (Homan et al. 2025, 5.3 and Figure 6)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa
from numba import uint64

from nbyk.arrays import Array, Integers
from nbyk.compiled import njit
from nbyk.metrics import get
from nbyk.planning.power.battery import (
    SimulatedSets,
    SystemTest,
    decided_by,
    sign_flips,
)
from nbyk.planning.power.estimate import rejections
from nbyk.planning.power.randomisation import decided, tolerance
from nbyk.priors import read_prior
from nbyk.resampling.count_sets import CountSets, draw_count_sets
from nbyk.resampling.effects import Progress, batches
from nbyk.resampling.lanes import HALVES, LANES, STATE, index_below, next_row, start_replicate
from nbyk.resampling.population import Population
from nbyk.resampling.streams import ReplicateStreams
from nbyk.testing.intervals import proportion_interval
from nbyk.testing.looks import critical_count, looks
from nbyk.testing.scores.classical import FORMULAS
from nbyk_papers.batches import Trials
from nbyk_papers.homan2025.design import ALPHA

if TYPE_CHECKING:
    from nbyk.studies.steps import Work


MAE = get("mae")

_WORDS_PER_ITEM = 4
_ITEMS_PER_ROW = HALVES // _WORDS_PER_ITEM


@njit(nogil=True, cache=True)
def unit_effect(gold: int, a: int, b: int) -> int:
    """Return an item's effect by the absolute error in whole units, positive if A is better."""
    return abs(b - gold) - abs(a - gold)


@njit(nogil=True, cache=True)
def _convolve(left: Array, n_left: int, right: Array, n_right: int, out: Array) -> int:
    """Fill `out` with the convolution of two vectors, given by their first cells; return its length."""
    n = n_left + n_right - 1
    out[:n] = 0.0
    for i in range(n_left):
        share = left[i]
        if share != 0.0:
            for j in range(n_right):
                out[i + j] += share * right[j]
    return n


@njit(nogil=True, cache=True)
def _fill_sum_chances(shares: Array, k: int, out: Array, scratch: Array) -> None:
    """Fill `out`, shape (K (L − 1) + 1,), with the chances of the sum of K levels with `shares`, (L,)."""
    out[0] = 1.0
    n = 1
    bit = 1
    while 2 * bit <= k:
        bit *= 2
    while bit > 0:
        n = _convolve(out, n, out, n, scratch)
        if k & bit:
            n = _convolve(scratch, n, shares, shares.size, out)
        else:
            out[:n] = scratch[:n]
        bit //= 2


@njit(nogil=True, cache=True)
def _fill_alias(chances: Array, small: Array, large: Array, out: Array) -> None:
    """Fill `out`, shape (S,), with Walker's table: 2³² times the chance to stay, and the other place."""
    n = chances.size
    total = chances.sum()
    n_small = n_large = 0
    for cell in range(n):
        chances[cell] *= n / total
        if chances[cell] < 1.0:
            small[n_small] = cell
            n_small += 1
        else:
            large[n_large] = cell
            n_large += 1
    while n_small > 0 and n_large > 0:
        n_small -= 1
        cell, other = small[n_small], large[n_large - 1]
        stay = uint64(min(chances[cell] * 4294967296.0, 4294967295.0))
        out[cell] = (stay << uint64(32)) | uint64(other)
        chances[other] -= 1.0 - chances[cell]
        if chances[other] < 1.0:
            n_large -= 1
            small[n_small] = other
            n_small += 1
    for place in range(n_small):  # left over by rounding
        out[small[place]] = (uint64(4294967295) << uint64(32)) | uint64(small[place])
    for place in range(n_large):
        out[large[place]] = (uint64(4294967295) << uint64(32)) | uint64(large[place])


@njit(nogil=True, cache=True)
def fill_sum_tables(at_least: Array, n_responses: int, k: int, out: Array) -> None:
    """Fill `out`, shape (N, K (L − 1) + 1), with a table per item of the sum of K of its responses.

    `at_least`, shape (L − 1, N), has #{responses ≥ level} of `n_responses`, for each level but the lowest.
    """
    n_levels = at_least.shape[0] + 1
    width = out.shape[1]
    shares = np.empty(n_levels)
    chances, scratch = np.empty(width + n_levels), np.empty(width + n_levels)
    small, large = np.empty(width, np.int64), np.empty(width, np.int64)
    for item in range(out.shape[0]):
        above = n_responses
        for level in range(n_levels - 1):
            shares[level] = (above - at_least[level, item]) / n_responses
            above = at_least[level, item]
        shares[n_levels - 1] = above / n_responses
        _fill_sum_chances(shares, k, chances, scratch)
        _fill_alias(chances[:width], small, large, out[item])


@njit(nogil=True, cache=True)
def draw_sum(table: Array, word: Any) -> Any:
    """Return a sum from its table and 32 random bits; its chance is off by less than 2⁻³¹."""
    product = uint64(word) * uint64(table.size)
    cell = np.int64(product >> uint64(32))
    entry = table[cell]
    if (product & uint64(0xFFFFFFFF)) <= (entry >> uint64(32)):
        return cell
    return np.int64(entry & uint64(0xFFFFFFFF))


@njit(nogil=True, cache=True)
def _observed(gold: Array, a: Array, b: Array) -> int:
    """Return the effect of a set, each shape (L − 1, N), in whole units."""
    effect = 0
    for i in range(gold.shape[1]):
        sum_gold = sum_a = sum_b = 0
        for level in range(gold.shape[0]):
            sum_gold += gold[level, i]
            sum_a += a[level, i]
            sum_b += b[level, i]
        effect += unit_effect(sum_gold, sum_a, sum_b)
    return effect


@njit(nogil=True, cache=True)
def _count_as_large(of_gold: Array, of_pool: Array, n_draws: int, observed: int, state: Array) -> int:
    """Return how many of the next draws of N items have an effect of at least `observed`."""
    n = len(of_gold)
    row = np.empty(LANES, np.uint64)
    words = row.view(np.uint32)
    count = 0
    for _ in range(n_draws):
        effect = 0
        for first in range(0, n, _ITEMS_PER_ROW):
            next_row(state, row)
            for place in range(min(_ITEMS_PER_ROW, n - first)):
                word = _WORDS_PER_ITEM * place
                item = index_below(words[word], n)
                effect += unit_effect(
                    draw_sum(of_gold[item], words[word + 1]),
                    draw_sum(of_pool[item], words[word + 2]),
                    draw_sum(of_pool[item], words[word + 3]),
                )
        count += int(effect >= observed)
    return count


@njit(nogil=True, cache=True)
def multistage_test(
    gold: Array,
    a: Array,
    b: Array,
    k: int,
    key: Any,
    first: int,
    draws: Array,
    reject_to: Array,
    keep_from: Array,
    out: Array,
) -> None:
    """Decide for each set whether its effect is large among those of its multistage bootstrap.

    `gold`, `a` and `b`, shape (L − 1, R, N), are #{responses ≥ level} of K responses, for each level but the
    lowest. The others are as for `nbyk.planning.power.randomisation.sign_flip_test`.
    """
    n_levels, n_sets, n = gold.shape
    width = k * n_levels + 1
    gold_tables, pool_tables = np.empty((n, width), np.uint64), np.empty((n, width), np.uint64)
    state = np.empty(STATE, np.uint64)
    for r in range(n_sets):
        observed = _observed(gold[:, r], a[:, r], b[:, r])
        fill_sum_tables(gold[:, r], k, k, gold_tables)
        fill_sum_tables(a[:, r] + b[:, r], 2 * k, k, pool_tables)
        start_replicate(key, first + r, state)
        count, drawn = 0, 0
        for look in range(draws.size):
            count += _count_as_large(gold_tables, pool_tables, draws[look] - drawn, observed, state)
            drawn = draws[look]
            out[r, 0], out[r, 1] = decided(count, look, reject_to, keep_from), drawn
            if out[r, 0] >= 0:
                break


@njit(nogil=True, cache=True)
def permuted_errors_test(
    errors_a: Array,
    errors_b: Array,
    key: Any,
    first: int,
    draws: Array,
    reject_to: Array,
    keep_from: Array,
    out: Array,
) -> None:
    """Decide for each set whether A's errors, shape (R, N), are small among N drawn at random of all 2N."""
    n = errors_a.shape[1]
    pool = np.empty(2 * n)
    state = np.empty(STATE, np.uint64)
    row = np.empty(LANES, np.uint64)
    words = row.view(np.uint32)
    for r in range(errors_a.shape[0]):
        pool[:n] = errors_a[r]
        pool[n:] = errors_b[r]
        border = errors_a[r].sum() + 0.5 * tolerance(pool)
        start_replicate(key, first + r, state)
        count, drawn = 0, 0
        for look in range(draws.size):
            while drawn < draws[look]:
                total = 0.0
                for start in range(0, n, HALVES):
                    next_row(state, row)
                    for lane in range(min(HALVES, n - start)):
                        i = start + lane
                        j = i + index_below(words[lane], 2 * n - i)
                        chosen = pool[j]
                        pool[j] = pool[i]
                        pool[i] = chosen
                        total += chosen
                count += int(total <= border)
                drawn += 1
            out[r, 0], out[r, 1] = decided(count, look, reject_to, keep_from), drawn
            if out[r, 0] >= 0:
                break


@dataclass(frozen=True)
class StudyTest:
    """A one-sided test of Figure 6 that "A is better" by the absolute error.

    Attributes
    ----------
    name
        One of `STUDY_TESTS` but "swap_items".
    n_resamples
        Draws M of its null; "welch_t" and "wilcoxon" have none.
    alpha
        The level α: all tests but the multistage bootstrap reject if p ≤ α.
    """

    name: str
    n_resamples: int
    alpha: float = ALPHA

    def rejections(self, sets: SimulatedSets) -> Integers:
        """Return for each set whether the test rejects (1 or 0) and its number of draws, shape (size, 2)."""
        words = sets.random_words(f"{self.name} greater")
        if self.name == "multistage_bootstrap":
            return self._multistage(sets, words)
        at = looks(self.n_resamples, critical_count(self.n_resamples, self.alpha))
        if self.name == "paired_permutation":
            return sign_flips(sets.contributions(MAE), words, at, self.alpha)
        a, b = errors_of(sets)
        if self.name == "unpaired_permutation":
            return decided_by(permuted_errors_test, a, b, words=words, at=at)
        p = FORMULAS[self.name](b, a, "greater", "asymptotic")[1]  # NaN if all errors are equal
        return np.stack([p <= self.alpha, np.zeros(len(p))], axis=1).astype(np.int64)

    def _multistage(self, sets: SimulatedSets, words: np.uint64) -> Integers:
        """Return the decisions by the share of null effects that reach a set's own, below α."""
        critical = math.ceil(self.alpha * self.n_resamples * (1.0 - 1e-12)) - 1
        out = np.zeros((sets.size, 2), np.int64)
        at = looks(self.n_resamples, critical)
        for first, counts in counts_of(sets):
            part = out[first : first + counts.a.shape[1]]
            counted = (counts.gold, counts.a, counts.b, counts.k)
            multistage_test(*counted, words, first, at.draws, at.reject_to, at.keep_from, part)
        return out


def counts_of(sets: SimulatedSets) -> Iterator[tuple[int, CountSets]]:
    """Yield batches of countable sets as counts, with the number of the first set."""
    population = cast("Population", sets.population)
    streams, first = ReplicateStreams(sets.key, sets.chunk), 0
    for batch in batches(sets.size, 3 * population.n_items * (population.prior.response.levels - 1)):
        (drawn,) = draw_count_sets(population, streams, batch)
        yield first, drawn
        first += batch


def errors_of(sets: SimulatedSets) -> tuple[Array, Array]:
    """Return |ā_i − ḡ_i| and |b̄_i − ḡ_i| of every set, shape (size, N) each.

    Rounded to 12 decimals, so that errors which are equal on paper are ties.
    """
    means = [of_sets.item_means() for _, of_sets in counts_of(sets)]
    gold = np.concatenate([of_gold for of_gold, _ in means])
    a, b = np.concatenate([of_systems for _, of_systems in means], axis=1)
    return np.round(np.abs(a - gold), 12), np.round(np.abs(b - gold), 12)


STUDY_TESTS = (
    "multistage_bootstrap",
    "swap_items",
    "welch_t",
    "wilcoxon",
    "paired_permutation",
    "unpaired_permutation",
)


def power_study(
    population: Population, trials: Trials, *, threads: int = 1, progress: Progress | None = None
) -> pa.Table:
    """Return the power of several tests at one size, on the same simulated test sets: a point of Figure 6.

    The responses of the population have levels, of which counts are drawn.
    All tests are of the absolute error, at .05, one-sided for "A is better". A row per test has its power
    with the 95 % interval, and mean_draws, the draws of the null that a decision took on average. `progress`
    is called with the number of test sets just finished, by all tests.

    Notes
    -----
    "multistage_bootstrap" reads section 5.3 and its "two levels of repetitions" as follows: each of the
    n_sets outer samples is a simulated test set with its own effect, and each of the M inner ones a draw of
    that set's null, in which N items are drawn with replacement and, within each, K responses of gold from
    the item's gold and K each for A and B from the item's pool A|B. p is the share of null effects that reach
    the set's own (ties count), and the null is rejected if p < α.

    The paper does not say whether its permutation test is paired. "paired_permutation" flips the signs of the
    errors' differences; "unpaired_permutation" deals all errors again, as scipy's `permutation_test` does by
    default. The paired one is the same test as "swap_items", on other random draws.
    """
    population.prior.response.check_levels()
    n_sets = trials.n_sets
    swaps = SystemTest("swap_items", MAE, ALPHA, n_resamples=trials.n_resamples, raw_swaps=True)
    battery = [swaps if name == swaps.name else StudyTest(name, trials.n_resamples) for name in STUDY_TESTS]
    n_rejected = rejections(battery, population, n_sets, seed=trials.seed, threads=threads, progress=progress)
    rows = []
    for test, (rejected, draws) in zip(battery, n_rejected, strict=True):
        count = int(rejected.sum())
        low, high = proportion_interval(count, n_sets)
        rows.append(
            {
                "n_items": population.n_items,
                "k_responses": population.k_responses,
                "epsilon_b": population.epsilon_b,
                "metric": MAE.name,
                "test": test.name,
                "alpha": ALPHA,
                "n_sets": n_sets,
                "rejections": count,
                "power": count / n_sets,
                "low": low,
                "high": high,
                "mean_draws": float(draws.mean()),
            }
        )
    return pa.Table.from_pylist(rows)


def power(
    prior: Path,
    *,
    n_items: int,
    k_responses: int,
    epsilon_b: float,
    trials: Trials,
    work: Work,
) -> tuple[pa.Table, dict[str, Any]]:
    """Compute the power of the multistage bootstrap and of the usual tests at one size."""
    population = Population(read_prior(prior), n_items, k_responses, epsilon_b)
    with work.progress(trials.n_sets):
        table = power_study(population, trials, threads=work.threads, progress=work.advance)
    return table, {"M": trials.n_resamples, "prior": population.prior.to_dict()}
