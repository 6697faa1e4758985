"""Exact nulls: counts of the subsets of some numbers whose sums lie beyond a border, without a list.

The numbers are split into halves. The subset sums of each half are merged into ascending order, one number at
a time. Then one pass over both lists counts the pairs beyond the border (Horowitz and Sahni 1974). Instead of
C(30, 15) = 155,117,520 sums, this takes about 2·2¹⁵.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nbyk.arrays import Array, Floats, Integers
from nbyk.compiled import njit

ANY_SIZE = -1
"""A value of `size`: subsets of every size."""

_MOST_STEPS = 1 << 24


def n_subsets(n: int, size: int) -> int:
    """Return the number of subsets of n numbers that have `size` members."""
    return 2**n if size == ANY_SIZE else math.comb(n, size)


def is_feasible(n: int, size: int) -> bool:
    """Return whether all subsets of n numbers can be counted in a fraction of a second."""
    half = n - n // 2
    if size == ANY_SIZE:
        return bool(half < math.log2(_MOST_STEPS))
    steps = 0
    for members in range(min(size, half) + 1):
        steps += math.comb(half + 1, members + 1)
        if steps > _MOST_STEPS:
            return False
    return True


@njit(nogil=True, cache=True)
def _merge(sums: Array, i: int, i_end: int, j: int, j_end: int, x: float, out: Array, o: int) -> int:
    """Merge ascending sums[i:i_end] and sums[j:j_end] + x into out from o on; return the end."""
    while i < i_end and j < j_end:
        without, with_x = sums[i], sums[j] + x
        if without <= with_x:
            out[o] = without
            i += 1
        else:
            out[o] = with_x
            j += 1
        o += 1
    while i < i_end:
        out[o] = sums[i]
        i += 1
        o += 1
    while j < j_end:
        out[o] = sums[j] + x
        j += 1
        o += 1
    return o


@njit(nogil=True, cache=True)
def sorted_sums(values: Array, size: int) -> Any:
    """Return the sums of all subsets of at most `size` values, and the start of each size's sums.

    The sums of c members ascend in ``sums[begins[c]:begins[c + 1]]``; with `ANY_SIZE` all count as c = 0.
    """
    n_groups = 1 if size < 0 else min(size, values.size) + 1
    n_sums = 1 << values.size
    if size >= 0:
        n_sums = 0
        combinations = 1
        for c in range(n_groups):
            n_sums += combinations
            combinations = combinations * (values.size - c) // (c + 1)
    sums, other = np.zeros(n_sums), np.empty(n_sums)
    begins, new_begins = np.ones(n_groups + 1, np.int64), np.zeros(n_groups + 1, np.int64)
    begins[0] = 0
    for v in range(values.size):
        x = values[v]
        o = 0
        for c in range(n_groups):
            if size < 0:
                o = _merge(sums, 0, begins[1], 0, begins[1], x, other, o)
            elif c == 0:
                o = _merge(sums, 0, begins[1], 0, 0, x, other, o)
            else:
                o = _merge(sums, begins[c], begins[c + 1], begins[c - 1], begins[c], x, other, o)
            new_begins[c + 1] = o
        sums, other = other, sums
        begins, new_begins = new_begins, begins
    return sums, begins


@njit(nogil=True, cache=True)
def _pairs_at_least(left: Array, right: Array, border: float) -> int:
    """Return the number of sums l + r of two ascending lists that are at least `border`."""
    count = 0
    j = right.size
    for i in range(left.size):
        while j > 0 and left[i] + right[j - 1] >= border:
            j -= 1
        count += right.size - j
    return count


@njit(nogil=True, cache=True)
def count_subsets(values: Array, size: int, low: Array, high: Array, out: Array) -> None:
    """Fill `out`, shape (R, 2): how many subsets have a sum of at least `low`, and of at most `high`."""
    half = values.shape[1] // 2
    for r in range(values.shape[0]):
        left, left_begins = sorted_sums(values[r, :half], size)
        right, right_begins = sorted_sums(values[r, half:], size)
        out[r, 0] = 0
        out[r, 1] = 0
        for c in range(left_begins.size - 1):
            other = 0 if size < 0 else size - c
            if other < right_begins.size - 1:
                left_sums = left[left_begins[c] : left_begins[c + 1]]
                right_sums = right[right_begins[other] : right_begins[other + 1]]
                out[r, 0] += _pairs_at_least(left_sums, right_sums, low[r])
                above = _pairs_at_least(left_sums, right_sums, np.nextafter(high[r], np.inf))
                out[r, 1] += left_sums.size * right_sums.size - above


def chances_of_sums(values: Integers, size: int) -> Floats:
    """Return the chance of each sum of a random subset of numbers from 0 on, shape (the largest sum + 1,).

    One number after the other joins, so the time is that of n² sums, or n · size of them (Streitberg and
    Röhmel 1986, Exact distributions for permutation and rank tests).
    """
    total = int(values.sum() if size == ANY_SIZE else np.sort(values)[len(values) - size :].sum())
    chances = np.zeros((1 if size == ANY_SIZE else size + 1, total + 1))
    chances[0, 0] = 1.0
    for place, value in enumerate(values.tolist()):
        joined = np.zeros_like(chances)
        if size == ANY_SIZE:
            joined[:, value:] = chances[:, : total + 1 - value]
            chances = 0.5 * (chances + joined)
        else:
            # of the subsets of the first numbers, each of its size equally likely
            members = np.arange(size + 1)[:, None] / (place + 1)
            joined[1:, value:] = chances[:-1, : total + 1 - value]
            chances = np.maximum(1.0 - members, 0.0) * chances + members * joined
    return np.asarray(chances[-1])


def all_sums(values: Floats, size: int) -> Floats:
    """Return the sum of every subset of `size` of the values, shape (n_subsets,), in no particular order."""
    half = len(values) // 2
    left, left_begins = sorted_sums(values[:half], size)
    right, right_begins = sorted_sums(values[half:], size)
    parts = []
    for c in range(len(left_begins) - 1):
        other = 0 if size == ANY_SIZE else size - c
        if other < len(right_begins) - 1:
            left_sums = left[left_begins[c] : left_begins[c + 1]]
            right_sums = right[right_begins[other] : right_begins[other + 1]]
            parts.append(np.add.outer(left_sums, right_sums).ravel())
    return np.concatenate(parts)
