"""The 1-Wasserstein (earth mover's) distance of two samples: by sorting, or by buckets for larger ones.

The distance is ∫ |F − G| of the two distribution functions. It is also ∫ |F⁻¹(u) − G⁻¹(u)| du: for two sorted
samples of equal size the mean absolute difference of their entries. For sizes n and m the quantile functions
step at i / n and j / m, and the sum follows both.

Sorting does more than the integral needs. Where F − G keeps its sign throughout a bucket, the integral over
the bucket follows from the number of its values and their sum. So only the few buckets are sorted in which
the sign may change. Buckets whose values are all equal, as of ratings on a scale, need no sorting either, nor
do the many equal values at the lower end of ratings that end there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.compiled import discard_older_caches, njit
from nbyk.metrics.sorting import sort_values, value_range

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Counts = NDArray[np.int32]
Flags = NDArray[np.bool_]
Pair = tuple[Floats, Floats]
Buckets = tuple[Counts, Ints]
Space = tuple[tuple[Buckets, Buckets, Flags, Floats], Pair, Pair, Pair, Floats, Ints]

_SHORT = 8000
"""Up to this size, sorting is faster: the values fit a near cache."""

_MOST_BUCKETS, _VALUES_PER_BUCKET = 8192, 8
_FEW = 4
"""Mixed buckets are sorted by themselves if they hold at most one value in this many."""

_PLACE_BITS = 52
"""Bits of a value's place in the samples' range; the first ones are the number of its bucket."""

_MOST = 2**24
"""From this size on, samples are sorted: their sum in these units might be too large."""

_AT_ONCE = 512

_LOWEST, _HIGHEST, _ORDERED, _COUNTED_FROM, _COUNTED_PER_UNIT, _AT_END, _OF_GOLD = range(7)
"""What the working space keeps of gold: its range, whether it is sorted, the buckets that it is counted in,
and the number of its values at their lower end."""

discard_older_caches(__file__)


@njit(nogil=True, cache=True)
def wasserstein_sorted(x: Floats, n: int, y: Floats, m: int) -> float:
    """Return the 1-Wasserstein distance between two sorted samples.

    Parameters
    ----------
    x, y : ndarray, shape (≥ n,) and (≥ m,)
        Ascending in their first n and m entries; the rest is ignored.
    n, m
        Their sizes, at least 1.
    """
    total = 0.0
    if n == m:
        for i in range(n):
            total += abs(x[i] - y[i])
        return total / n
    i = 0
    j = 0
    reached = 0
    # In steps of 1 / (n m) both samples' breakpoints are whole numbers, so none is missed by rounding.
    while i < n:
        next_x = (i + 1) * m
        next_y = (j + 1) * n
        difference = abs(x[i] - y[j])
        if next_x <= next_y:
            total += difference * (next_x - reached)
            reached = next_x
            i += 1
        else:
            total += difference * (next_y - reached)
            reached = next_y
            j += 1
    return total / n / m


@njit(nogil=True, cache=True)
def distance_space(n: int, m: int) -> Space:
    """Return the working space in which samples of up to n values are compared with one of up to m, gold."""
    n_buckets = max(2, min(_MOST_BUCKETS, max(n, m) // _VALUES_PER_BUCKET))
    buckets = (
        (np.empty(n_buckets, np.int32), np.empty(n_buckets, np.int64)),
        (np.empty(n_buckets, np.int32), np.empty(n_buckets, np.int64)),
        np.empty(n_buckets, np.bool_),
        np.empty(n_buckets),
    )
    # One more place takes the values that are not set aside, and ends those that are sorted.
    set_aside = np.empty(n + 1), np.empty(m + 1)
    mixed = np.empty(n + 1), np.empty(m + 1)
    ordered = np.empty(n), np.empty(m)
    return buckets, set_aside, mixed, ordered, np.empty(_OF_GOLD), np.empty(max(n, m) + 2, np.int64)


@njit(nogil=True, cache=True)
def keep_gold(gold: Floats, space: Space) -> None:
    """Prepare the working space for comparisons with `gold`, shape (m,), m ≥ 1, its values in any order."""
    _, _, _, (_, ordered), gold_facts, cells = space
    gold_facts[_COUNTED_FROM], gold_facts[_COUNTED_PER_UNIT] = 0.0, 0.0
    gold_facts[_ORDERED] = 0.0
    if len(gold) <= _SHORT:
        sort_values(gold, ordered[: len(gold)], cells)
        gold_facts[_ORDERED] = 1.0
    else:
        gold_facts[_LOWEST], gold_facts[_HIGHEST] = value_range(gold)


@njit(nogil=True, cache=True)
def distance_to_gold(sample: Floats, gold: Floats, space: Space) -> float:
    """Return the 1-Wasserstein distance of a sample to gold, both in any order.

    Parameters
    ----------
    sample : ndarray, shape (n,), n ≥ 1
        The sample, which stays as it is.
    gold : ndarray, shape (m,)
        As given to `keep_gold`.
    space
        Working space: the result of `distance_space` for n and m, after `keep_gold`.
    """
    _, _, _, (ordered, ordered_gold), gold_facts, cells = space
    n, m = len(sample), len(gold)
    if min(n, m) > _SHORT and max(n, m) < _MOST:
        distance: float = _by_buckets(sample, gold, space)
        if distance >= 0.0:
            return distance
    if gold_facts[_ORDERED] == 0.0:
        sort_values(gold, ordered_gold[:m], cells)
        gold_facts[_ORDERED] = 1.0
    sort_values(sample, ordered[:n], cells)
    return wasserstein_sorted(ordered, n, ordered_gold, m)


@njit(inline="always")
def _bucket(above: float, scale: float) -> Any:
    """Return the bucket of a value from its distance to the lowest one."""
    # Unsigned, so that numba need not check whether an index counts from the end.
    return np.uint32(np.int32(above * scale))


@njit(nogil=True, cache=True)
def _unit_bits(n_buckets: int) -> int:
    """Return k: distances to a bucket's beginning are whole numbers of 2⁻ᵏ of its width."""
    bits = _PLACE_BITS
    while (1 << (_PLACE_BITS - bits)) < n_buckets:
        bits -= 1
    return bits


@njit(nogil=True, cache=True)
def _count(values: Floats, low: float, scale: float, buckets: Buckets) -> int:
    """Fill the number of values in each bucket, and the sum of their distances to its beginning, in units.

    Return the number of values at `low`. The sums are of whole numbers, and so the same in any order.
    """
    counts, sums = buckets
    bits = _unit_bits(len(counts))
    units = 2.0**bits
    counts[:] = 0
    sums[:] = 0
    at_low = 0
    places = np.empty(_AT_ONCE, np.int64)
    for start in range(0, len(values), _AT_ONCE):
        block = values[start : start + _AT_ONCE]
        for i in range(len(block)):
            places[i] = np.int64((block[i] - low) * scale * units)
            at_low += int(places[i] == 0)
        for i in range(len(block)):
            # Unsigned, so that numba need not check whether an index counts from the end.
            at = np.uint64(places[i]) >> np.uint64(bits)
            counts[at] += 1
            sums[at] += places[i]
    # The sums may have overflowed, but whole numbers wrap around: the differences are right.
    for bucket in range(len(counts)):
        sums[bucket] -= np.int64(counts[bucket]) * (bucket << bits)
    return at_low


@njit(nogil=True, cache=True)
def _by_buckets(sample: Floats, gold: Floats, space: Space) -> Any:
    """Return the distance of a sample to gold; −1 if sorting is faster, or if there can be no buckets."""
    buckets, (aside, aside_gold), (mixed, mixed_gold), _, gold_facts, cells = space
    in_sample, in_gold, is_mixed, levels = buckets
    n, m = len(sample), len(gold)
    lowest, highest = value_range(sample)
    low, high = min(lowest, gold_facts[_LOWEST]), max(highest, gold_facts[_HIGHEST])
    spread = high - low
    scale = (len(levels) - 1) / spread if spread > 0.0 else np.inf
    # NaN and infinities leave no buckets, nor do spreads too small to divide by.
    comparable = lowest == lowest and gold_facts[_LOWEST] == gold_facts[_LOWEST]
    if not (comparable and spread < np.inf and scale < np.inf):
        return -1.0
    if low != gold_facts[_COUNTED_FROM] or scale != gold_facts[_COUNTED_PER_UNIT]:
        gold_facts[_AT_END] = _count(gold, low, scale, in_gold)
        gold_facts[_COUNTED_FROM], gold_facts[_COUNTED_PER_UNIT] = low, scale
    at_end = _count(sample, low, scale, in_sample), int(gold_facts[_AT_END])
    n_mixed, area = _fill_mixed(in_sample, n, in_gold, m, at_end, is_mixed)
    if n_mixed == 0:
        return area / n / m / scale
    if n_mixed * _FEW <= n + m:
        size = _set_aside(sample, low, scale, is_mixed, aside)
        gold_size = _set_aside(gold, low, scale, is_mixed, aside_gold)
        if size > 0:
            sort_values(aside[:size], mixed[:size], cells)
        if gold_size > 0:
            sort_values(aside_gold[:gold_size], mixed_gold[:gold_size], cells)
        mixed[size], mixed_gold[gold_size] = np.inf, np.inf
        area += _mixed_area(in_sample[0], mixed, in_gold[0], mixed_gold, is_mixed)
        return area / n / m / scale
    _set_levels(sample, low, scale, levels)
    _set_levels(gold, low, scale, levels)
    if _all_on_levels(sample, low, scale, levels) and _all_on_levels(gold, low, scale, levels):
        return _distance_of_levels(in_sample[0], n, in_gold[0], m, levels)
    return -1.0


@njit(nogil=True, cache=True)
def _fill_mixed(x: Buckets, n: int, y: Buckets, m: int, at_end: tuple[int, int], is_mixed: Flags) -> Any:
    """Fill `is_mixed`, shape (buckets,), with whether the sign of F − G may change in a bucket.

    Parameters
    ----------
    x, y
        Two samples of n and m values, in buckets.
    at_end
        The number of values of each at the beginning of the first bucket.

    Returns
    -------
    n_mixed, area
        The number of values in mixed buckets, and n m ∫ |F − G| over the others, in widths of a bucket.
    """
    n_mixed = whole = np.int64(0)
    before_x, before_y = np.int64(at_end[0]), np.int64(at_end[1])
    lead = before_x * m - before_y * n  # n m (F − G), a whole number
    part_x = part_y = np.int64(0)
    for bucket in range(len(is_mixed)):
        up, down = (x[0][bucket] - before_x) * m, (y[0][bucket] - before_y) * n
        before_x = before_y = np.int64(0)
        never_negative, never_positive = lead >= down, lead + up <= 0
        # Where all values lie at the beginning, F − G is constant. So do those at the upper end of a scale.
        at_beginning = x[1][bucket] == 0 and y[1][bucket] == 0
        is_mixed[bucket] = not (never_negative or never_positive or at_beginning)
        lead += up - down
        if is_mixed[bucket]:
            n_mixed += x[0][bucket] + y[0][bucket]
            continue
        # As if all values lay at their buckets' beginnings, less what they lie beyond.
        whole += abs(lead)
        part_x += x[1][bucket] if never_negative else -x[1][bucket]
        part_y += y[1][bucket] if never_negative else -y[1][bucket]
    units = 2.0 ** _unit_bits(len(is_mixed))
    return n_mixed, whole + (n * (part_y / units) - m * (part_x / units))


@njit(nogil=True, cache=True)
def _set_aside(values: Floats, low: float, scale: float, is_mixed: Flags, aside: Floats) -> Any:
    """Fill `aside`, shape (> n,), with values in mixed buckets, in widths of one; return their number."""
    size = np.uint64(0)
    for i in range(len(values)):
        position = (values[i] - low) * scale
        # A value that stays is overwritten by the next one.
        aside[size] = position
        size += np.uint64(is_mixed[np.uint32(np.int32(position))])
    return np.int64(size)


@njit(nogil=True, cache=True)
def _mixed_area(x: Counts, mixed_x: Floats, y: Counts, mixed_y: Floats, is_mixed: Flags) -> float:
    """Return n m ∫ |F − G| over the mixed buckets, from their sorted values, then ∞; see `_fill_mixed`."""
    n, m = x.sum(), y.sum()
    total = 0.0
    i = j = np.uint64(0)
    lead = np.int64(0)
    for bucket in range(len(is_mixed)):
        if not is_mixed[bucket]:
            lead += np.int64(x[bucket]) * m - np.int64(y[bucket]) * n
            continue
        reached = float(bucket)
        # No branch depends on a value: those of later buckets are larger, and ∞ ends either sample.
        for _ in range(x[bucket] + y[bucket]):
            from_x = mixed_x[i] <= mixed_y[j]
            value = mixed_x[i] if from_x else mixed_y[j]
            total += abs(lead) * (value - reached)
            reached = value
            lead += m if from_x else -n
            i += np.uint64(from_x)
            j += np.uint64(not from_x)
        total += abs(lead) * (bucket + 1.0 - reached)
    return total


@njit(nogil=True, cache=True)
def _set_levels(values: Floats, low: float, scale: float, levels: Floats) -> None:
    """Set the level of each bucket to one of its values."""
    for i in range(len(values)):
        levels[_bucket(values[i] - low, scale)] = values[i]


@njit(nogil=True, cache=True)
def _all_on_levels(values: Floats, low: float, scale: float, levels: Floats) -> bool:
    """Return whether every value is the level of its bucket."""
    for start in range(0, len(values), 64):
        others = 0
        for i in range(start, min(start + 64, len(values))):
            others += int(levels[_bucket(values[i] - low, scale)] != values[i])
        if others > 0:
            return False
    return True


@njit(nogil=True, cache=True)
def _distance_of_levels(x: Counts, n: int, y: Counts, m: int, levels: Floats) -> float:
    """Return the distance of samples whose values are their buckets' levels."""
    total = 0.0
    lead = np.int64(0)
    reached = 0.0
    for bucket in range(len(levels)):
        if x[bucket] + y[bucket] > 0:
            # Nothing leads before the first level.
            total += abs(lead) * (levels[bucket] - reached)
            reached = levels[bucket]
            lead += np.int64(x[bucket]) * m - np.int64(y[bucket]) * n
    return total / n / m
