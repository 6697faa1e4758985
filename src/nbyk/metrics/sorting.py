"""Sorting and ranking of doubles, faster than a comparison sort on ratings and their means.

A bucket sort: n values go to n equally wide buckets by counting, and one insertion pass finishes the job,
because nearly every bucket holds a value or two. Crowded buckets (ratings on a scale, outliers) are sorted on
their own first, in O(n log n) at worst. Every function fills arrays of the caller, so that loops over
replicates allocate nothing.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LANES = 16

_SHORT = 32
_CROWDED = 24
_LEVELS = 8
_NEAR = 4
_WALK = 4


def _discard_older_caches() -> None:
    """Delete the caches of modules that were compiled with an older version of this one.

    numba knows when a module has changed since it was compiled, but not when one that it calls has.
    """
    changed = Path(__file__).stat().st_mtime
    for index in Path(__file__).parent.glob("__pycache__/*.nbi"):
        with suppress(FileNotFoundError):  # another process may be doing the same
            if index.stat().st_mtime < changed:
                index.unlink()


_discard_older_caches()


@njit(nogil=True, cache=True)
def insertion_sort(values: Floats, n: int) -> None:
    """Sort the first n of `values`, shape (≥ n,), in place: fast if n is tiny or the order is nearly right.

    Parameters
    ----------
    values : ndarray, shape (≥ n,)
        Sorted in place.
    n
        How many to sort.
    """
    for i in range(1, n):
        moving = values[i]
        j = i
        while j > 0 and values[j - 1] > moving:
            values[j] = values[j - 1]
            j -= 1
        values[j] = moving


@njit(nogil=True, cache=True)
def sort_columns(block: Floats) -> None:
    """Sort every column of `block` in place, all columns abreast; for a few to a few hundred rows.

    Batcher's merge exchange compares the same places whatever the values, so that each comparison is one
    vector instruction over neighbouring columns: many short sorts at a fraction of a nanosecond a comparison.

    Parameters
    ----------
    block : ndarray, shape (n, LANES)
        Column c becomes ascending from the top.

    References
    ----------
    Knuth, The Art of Computer Programming 3, 5.2.2, Algorithm M.
    """
    n = len(block)
    top = 1
    while 2 * top < n:
        top *= 2
    p = top if n > 1 else 0
    while p > 0:
        q = top
        phase = 0
        distance = p
        while True:
            for i in range(n - distance):
                if i & p == phase:
                    for lane in range(LANES):
                        upper = block[i, lane]
                        lower = block[i + distance, lane]
                        block[i, lane] = upper if upper < lower else lower
                        block[i + distance, lane] = lower if upper < lower else upper
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


@njit(nogil=True, cache=True)
def sort_crowded(values: Floats) -> None:
    """Sort `values`, shape (n,), in place: O(n) if there are up to eight levels, else O(n log n).

    Parameters
    ----------
    values : ndarray, shape (n,)
        Sorted in place.
    """
    n = len(values)
    done = 0
    for _ in range(_LEVELS):
        smallest = values[done]
        for i in range(done + 1, n):
            smallest = min(smallest, values[i])
        for i in range(done, n):
            if values[i] == smallest:
                values[i] = values[done]
                values[done] = smallest
                done += 1
        if done >= n:
            return
    _heap_sort(values[done:])


@njit(nogil=True, cache=True)
def bucket_sort(values: Floats, ordered: Floats, cells: Ints) -> tuple[float, float]:
    """Sort `values` into `ordered` and leave behind which bucket holds which stretch of it.

    Parameters
    ----------
    values : ndarray, shape (n,), n ≥ 1
        The values, which stay as they are.
    ordered : ndarray, shape (n,)
        Filled with the values in ascending order.
    cells : ndarray, shape (≥ n + 2,)
        Filled so that bucket b is ``ordered[cells[b]:cells[b + 1]]``.

    Returns
    -------
    low, scale : float
        Value x is in bucket ``int((x - low) * scale)``; a scale of 0 says that all are in bucket 0, and
        a low of NaN that there is a NaN among them and so no order.
    """
    n = len(values)
    low = values[0]
    high = low
    comparable = True
    for i in range(n):
        x = values[i]
        low = x if x < low else low
        high = x if x > high else high
        comparable &= x == x
    spread = high - low
    scale = (n - 1) / spread if spread > 0.0 else 0.0
    # Constants, infinities, NaN and spreads too small to divide by leave nothing to tell buckets apart.
    if not (comparable and 0.0 < scale < np.inf):
        ordered[:] = values
        cells[0] = 0
        cells[1] = n
        sort_crowded(ordered)
        return (low if comparable else np.nan), 0.0

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
    return low, scale


@njit(nogil=True, cache=True)
def sort_values(values: Floats, ordered: Floats, cells: Ints) -> None:
    """Sort `values` into `ordered`, whatever their number.

    Parameters
    ----------
    values : ndarray, shape (n,), n ≥ 1
        The values, which stay as they are.
    ordered : ndarray, shape (n,)
        Filled with the values in ascending order.
    cells : ndarray, shape (≥ n + 2,)
        Working space.
    """
    n = len(values)
    if n > _SHORT:
        bucket_sort(values, ordered, cells)
        return
    ordered[:] = values
    insertion_sort(ordered, n)


@njit(nogil=True, cache=True)
def _first_place(ordered: Floats, start: int, stop: int, x: float) -> int:
    while start < stop:
        middle = (start + stop) // 2
        if ordered[middle] < x:
            start = middle + 1
        else:
            stop = middle
    return start


@njit(nogil=True, cache=True)
def rank_values(values: Floats, ranks: Floats, ordered: Floats, shared: Floats, cells: Ints) -> None:
    """Fill `ranks` with the values' ranks from 1 to n, tied values sharing the average of theirs.

    Parameters
    ----------
    values : ndarray, shape (n,), n ≥ 1
        The values, which stay as they are.
    ranks : ndarray, shape (n,)
        Filled with multiples of ½ that sum to n (n + 1) / 2; all NaN if a value is.
    ordered : ndarray, shape (n,)
        Filled with the values in ascending order.
    shared : ndarray, shape (n,)
        Working space: the rank of every distinct value, at its first place in `ordered`.
    cells : ndarray, shape (≥ n + 2,)
        Working space.
    """
    n = len(values)
    low, scale = bucket_sort(values, ordered, cells)
    if low != low:
        ranks[:] = np.nan
        return
    first = 0
    for i in range(1, n):
        if ordered[i] != ordered[first]:
            shared[first] = 0.5 * (first + i + 1)
            first = i
    shared[first] = 0.5 * (first + n + 1)
    for i in range(n):
        x = values[i]
        bucket = np.uint64((x - low) * scale) if scale > 0.0 else np.uint64(0)
        start = cells[bucket]
        stop = cells[bucket + np.uint64(1)]
        if stop - start <= _NEAR and n >= _NEAR:
            # What precedes the bucket is smaller than x and what follows it is larger, so looking at four
            # values in any case is right, and spares the branches that a loop over the bucket would take.
            start = min(start, n - _NEAR)
            first = (
                start
                + (ordered[start] < x)
                + (ordered[start + 1] < x)
                + (ordered[start + 2] < x)
                + (ordered[start + 3] < x)
            )
        else:
            # Ratings' means come in a few levels a bucket, each of them long: step from level to level.
            first = start
            for _ in range(_WALK):
                if ordered[first] >= x:
                    break
                first = np.int64(2.0 * shared[first]) - first - 1
            if ordered[first] < x:
                first = _first_place(ordered, first, stop, x)
        ranks[i] = shared[first]
