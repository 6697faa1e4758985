"""Sorting and ranking of doubles, faster than a comparison sort on ratings and their means.

A bucket sort: n values go to n equally wide buckets by counting, and one insertion pass finishes the job,
because nearly every bucket holds a value or two. Crowded buckets (ratings on a scale, outliers) are sorted on
their own first, in O(n log n) at worst. Ranks take no sorting, but comparisons of all pairs within a bucket.
Kernels fill arrays of the caller, so that loops over replicates allocate nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.arrays import Floats, Integers
from nbyk.compiled import discard_older_caches, njit

Indices = NDArray[np.uint32]
Ranks = NDArray[np.int32]

LANES = 32

_SHORT = 32
_CROWDED = 24
_LEVELS = 8
_NEAR = 4
_LARGEST = np.int64(0x7FFFFFFFFFFFFFFF)


discard_older_caches(__file__)


@njit(nogil=True, cache=True)
def insertion_sort(values: Floats, n: int) -> None:
    """Sort the first n of `values`, (≥ n,), in place: fast if n is tiny or the order is nearly right."""
    for i in range(1, n):
        moving = values[i]
        j = i
        while j > 0 and values[j - 1] > moving:
            values[j] = values[j - 1]
            j -= 1
        values[j] = moving


@njit(nogil=True, cache=True)
def sort_columns(block: Floats) -> None:
    """Sort every column of `block`, shape (n, LANES), in place, all abreast; for up to a few hundred rows.

    Batcher's merge exchange compares the same places whatever the values, so that each comparison is one
    vector instruction over neighbouring columns: many short sorts at a fraction of a nanosecond a comparison
    (Knuth, The Art of Computer Programming 3, 5.2.2, Algorithm M).
    """
    n = len(block)
    flat = block.reshape(-1)
    top = 1
    while 2 * top < n:
        top *= 2
    p = top if n > 1 else 0
    while p > 0:
        q = top
        phase = 0
        distance = p
        while True:
            for run in range(phase, n - distance, 2 * p):
                for i in range(run, min(run + p, n - distance)):
                    # Unsigned, because numba checks signed indices for negative ones.
                    above, below = np.uint64(i * LANES), np.uint64((i + distance) * LANES)
                    for lane in range(np.uint64(LANES)):
                        upper, lower = flat[above + lane], flat[below + lane]
                        flat[above + lane] = upper if upper < lower else lower
                        flat[below + lane] = lower if upper < lower else upper
            if q == p:
                break
            distance = q - p
            q //= 2
            phase = p
        p //= 2


@njit(nogil=True, cache=True)
def _heap_sort(values: Floats) -> None:
    n = len(values)
    start = n // 2
    end = n
    while end > 1:
        if start > 0:
            start -= 1
        else:
            end -= 1
            values[0], values[end] = values[end], values[0]
        root = start
        sinking = values[root]
        while True:
            child = 2 * root + 1
            if child >= end:
                break
            if child + 1 < end and values[child + 1] > values[child]:
                child += 1
            if not values[child] > sinking:
                break
            values[root] = values[child]
            root = child
        values[root] = sinking


@njit(inline="always")
def _flipped(bits: Any) -> Any:
    """Flip a negative double's bits but its sign: the bits are then whole numbers in the order of doubles."""
    return bits ^ ((bits >> np.int64(63)) & np.int64(0x7FFFFFFFFFFFFFFF))


@njit(nogil=True, cache=True)
def value_range(values: Floats) -> tuple[float, float]:
    """Return the smallest and the largest of n ≥ 1 values, NaN if one is.

    Whole numbers are compared, by vector instructions. NaN then lies beyond an infinity.
    """
    bits = values.view(np.int64)
    lowest = highest = _flipped(bits[0])
    for i in range(len(bits)):
        ordered = _flipped(bits[i])
        lowest = min(lowest, ordered)
        highest = max(highest, ordered)
    low = np.int64(_flipped(lowest)).view(np.float64)
    high = np.int64(_flipped(highest)).view(np.float64)
    return (low, high) if low == low and high == high else (np.nan, np.nan)


@njit(nogil=True, cache=True)
def _bucket_scale(values: Floats) -> tuple[float, float]:
    """Return the smallest value, NaN if there is a NaN, and the buckets per unit, 0 for one bucket only."""
    low, high = value_range(values)
    spread = high - low
    scale = (len(values) - 1) / spread if spread > 0.0 else 0.0
    # Constants, infinities and spreads too small to divide by leave nothing to tell buckets apart.
    return low, (scale if scale < np.inf else 0.0)


@njit(nogil=True, cache=True)
def _find_levels(keys: Integers, levels: Integers, ends: Integers) -> int:
    """Fill up to eight levels of keys, and how many keys are not above each; return their number, 0 of more.

    A pass for each level compares whole numbers by vector instructions; counting has to wait for its cell.
    """
    n = len(keys)
    level = keys[0]
    for i in range(n):
        level = min(level, keys[i])
    n_levels = done = 0
    while done < n:
        if n_levels == _LEVELS:
            return 0
        equal = 0
        following = _LARGEST
        for i in range(n):
            equal += int(keys[i] == level)
            following = min(following, keys[i] if keys[i] > level else _LARGEST)
        done += equal
        levels[n_levels], ends[n_levels] = level, done
        n_levels += 1
        level = following
    return n_levels


@njit(nogil=True, cache=True)
def _sort_levels(values: Floats) -> bool:
    """Sort values in place if they have few levels; return whether. The first often show that not."""
    n = len(values)
    keys = values.view(np.int64)
    for i in range(n):
        keys[i] = _flipped(keys[i])
    levels, ends = np.empty(_LEVELS, np.int64), np.empty(_LEVELS, np.int64)
    n_levels = _find_levels(keys[:_SHORT], levels, ends)
    if n_levels > 0 and n > _SHORT:
        n_levels = _find_levels(keys, levels, ends)
    start = 0
    for k in range(n_levels):
        for i in range(start, ends[k]):
            keys[i] = levels[k]
        start = ends[k]
    for i in range(n):
        keys[i] = _flipped(keys[i])
    return n_levels > 0


@njit(nogil=True, cache=True)
def sort_crowded(values: Floats) -> None:
    """Sort `values`, shape (n,), in place: O(n) if there are up to eight levels, else O(n log n)."""
    if not _sort_levels(values):
        _heap_sort(values)


@njit(nogil=True, cache=True)
def sort_values(values: Floats, ordered: Floats, cells: Integers) -> None:
    """Sort `values`, (n,), into `ordered`, (n,), for any n ≥ 1; `cells`, (≥ n + 2,), is working space."""
    n = len(values)
    for i in range(n):  # numba compiles a loop in a fraction of the time of an assignment of an array
        ordered[i] = values[i]
    if n <= _SHORT:
        insertion_sort(ordered, n)
        return
    if _sort_levels(ordered):
        return
    low, scale = _bucket_scale(values)
    if scale == 0.0:
        _heap_sort(ordered)
        return
    # In the end bucket b is ordered[cells[b]:cells[b + 1]].
    for b in range(n + 2):
        cells[b] = 0
    for i in range(n):
        cells[np.uint64((values[i] - low) * scale) + np.uint64(2)] += 1
    fullest = 0
    total = 0
    for b in range(2, n + 2):
        count = cells[b]
        fullest = count if count > fullest else fullest
        total += count
        cells[b] = total
    # Each bucket's start stands one place ahead of it; placing its values turns the start into its end.
    for i in range(n):
        x = values[i]
        after = np.uint64((x - low) * scale) + np.uint64(1)
        place = cells[after]
        ordered[place] = x
        cells[after] = place + 1
    if fullest > _CROWDED:
        for b in range(n):
            if cells[b + 1] - cells[b] > _CROWDED:
                sort_crowded(ordered[cells[b] : cells[b + 1]])
    insertion_sort(ordered, n)


@njit(inline="always")
def _doubled_place(ordered: Floats, x: float) -> Any:
    """Return how many of the values in order are below x, and how many are not above it, in sum."""
    n = len(ordered)
    start = 0
    stop = n
    while start < stop:
        middle = (start + stop) >> 1
        if ordered[middle] < x:
            start = middle + 1
        else:
            stop = middle
    after = start
    stop = n
    while after < stop:
        middle = (after + stop) >> 1
        if ordered[middle] <= x:
            after = middle + 1
        else:
            stop = middle
    return start + after


@njit(nogil=True, cache=True)
def _rank_crowded(values: Floats, before: Any, doubled: Ranks, ordered: Floats) -> None:
    """Fill `doubled`, (n,), with twice the ranks of values without NaN, counted from before + 1."""
    n = len(values)
    level = values[0]
    equal = 0
    for i in range(n):
        equal += int(values[i] == level)
    if equal == n:
        doubled[:] = 2 * before + n + 1
        return
    if n <= _CROWDED:
        for i in range(n):
            x = values[i]
            below = 0
            for j in range(n):
                below += int(values[j] < x) + int(values[j] <= x)
            doubled[i] = 2 * before + below + 1
        return
    # Whole numbers in the order of the values are compared by vector instructions; −0 counts as 0.
    ordered = ordered[:n]
    for i in range(n):
        ordered[i] = values[i] + 0.0
    keys = ordered.view(np.int64)
    for i in range(n):
        keys[i] = _flipped(keys[i])
    levels, ends = np.empty(_LEVELS, np.int64), np.empty(_LEVELS, np.int64)
    n_levels = _find_levels(keys, levels, ends)
    start = 0
    for k in range(n_levels):
        rank = np.int32(2 * before + start + ends[k] + 1)
        for i in range(n):
            doubled[i] = rank if keys[i] == levels[k] else doubled[i]
        start = ends[k]
    if n_levels > 0:
        return
    for i in range(n):
        ordered[i] = values[i]
    _heap_sort(ordered)
    for i in range(n):
        doubled[i] = 2 * before + _doubled_place(ordered, values[i]) + 1


@njit(nogil=True, cache=True)
def _compare_neighbours(bucketed: Floats, distance: int, doubled: Ranks) -> None:
    """Correct twice the ranks for every two values at `distance`: by 2 where swapped, by 1 where tied."""
    n = len(doubled)
    earlier = bucketed[_CROWDED - distance : _CROWDED - distance + n]
    here = bucketed[_CROWDED : _CROWDED + n]
    later = bucketed[_CROWDED + distance : _CROWDED + distance + n]
    for i in range(n):
        x = here[i]
        gain = int(later[i] < x) + int(later[i] <= x)
        loss = int(earlier[i] > x) + int(earlier[i] >= x)
        doubled[i] += gain - loss


def doubled_ranks(values: Floats) -> Ranks:
    """Return twice the ranks of each row's values, shape (..., n), 1 ≤ n < 2³⁰; ties share their average.

    All ranks of a row with a NaN are 0.
    """
    rows = np.ascontiguousarray(values).reshape(-1, values.shape[-1])
    ranks = np.empty(rows.shape, np.int32)
    n = rows.shape[1]
    # Infinite entries beyond either end of the values never count as swapped or tied with a value.
    bucketed = np.full(n + 2 * _CROWDED, -np.inf)
    bucketed[n + _CROWDED :] = np.inf
    # Unsigned, because numba checks signed indices for negative ones; 32 bits convert fastest from doubles.
    _fill_ranks(rows, ranks, bucketed, np.empty(n), np.empty(n, np.int32), np.empty((3, n + 1), np.uint32))
    return ranks.reshape(values.shape)


@njit(nogil=True, cache=True)
def _fill_ranks(
    rows: Floats, ranks: Ranks, bucketed: Floats, ordered: Floats, bucketed_ranks: Ranks, indices: Indices
) -> None:
    """Fill `ranks`, shape (R, n); the other arrays are working space.

    The values are put in the order of their buckets. The place of each then differs from its rank by the
    values that it is swapped or tied with, all of them in its own bucket. Unless some buckets are crowded, no
    branch depends on a value.
    """
    n = rows.shape[1]
    buckets, places, starts = indices[0], indices[1], indices[2]
    here = bucketed[_CROWDED : _CROWDED + n]
    for r in range(len(rows)):
        values, doubled = rows[r], ranks[r]
        low, scale = _bucket_scale(values)
        if low != low:
            doubled[:] = 0
            continue
        if scale == 0.0:
            _rank_crowded(values, np.int64(0), doubled, ordered)
            continue

        for i in range(n):
            buckets[i] = np.uint32(np.int32((values[i] - low) * scale))
        starts[:] = 0
        for i in range(n):
            starts[buckets[i]] += np.uint32(1)
        fullest = np.uint32(0)
        total = np.uint32(0)
        for b in range(n + 1):
            count = starts[b]
            fullest = max(fullest, count)
            starts[b] = total
            total += count
        for i in range(n):
            place = starts[buckets[i]]
            starts[buckets[i]] = place + np.uint32(1)  # in the end the start of the next bucket
            places[i] = place
            here[place] = values[i]

        for i in range(n):
            bucketed_ranks[i] = 2 * i + 2
        # If ratings or their means crowd some buckets, they leave most others empty: a short search suffices.
        crowded = fullest > min(_CROWDED, max(_NEAR, n // 8))
        for distance in range(1, _NEAR if crowded else int(fullest)):
            _compare_neighbours(bucketed, distance, bucketed_ranks)
        if crowded:
            start = np.int64(0)
            for b in range(n + 1):
                stop = np.int64(starts[b])
                if stop > start + _NEAR:
                    _rank_crowded(here[start:stop], start, bucketed_ranks[start:stop], ordered)
                start = stop
        for i in range(n):
            doubled[i] = bucketed_ranks[places[i]]
