"""Ratings in place of the Stanford toxicity data, which come to those who sign for them.

Wein et al. 2023 estimate p-values from 1000 of its 107,620 comments with five ratings each. Public are the
number of ratings on each level and, in the captions of the paper's Figures 3 and 4, moments of the items'
means and deviations. Of all laws of five ratings with these numbers, this is the one of maximum entropy.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import combinations_with_replacement

import numpy as np

from nbyk.arrays import Floats
from nbyk.errors import NbykError
from nbyk.resampling.streams import Streams, stream_key

LEVEL_COUNTS = (281_511, 99_973, 71_347, 50_300, 34_969)
"""Ratings on each level from 0 to 4, as a public notebook on the data prints them."""

SD_OF_MEANS = 0.16
"""Standard deviation of the items' means (caption of Figure 3); their mean follows from the levels."""

MEAN_OF_SDS = 0.19
"""Mean of the items' standard deviations, ddof = 1 (caption of Figure 4)."""

N_ITEMS, N_RATINGS = 107_620, 5
_MOST_STEPS = 100
_PRECISION = 1e-13


@cache
def toxicity_law() -> tuple[Floats, Floats]:
    """Return the law of maximum entropy of five ratings with the public numbers of the toxicity data.

    The first array, shape (126, 5), has every multiset of ratings in {0, .2, .4, .6, .8}, lowest first, whose
    order tells nothing; the second has their chances. Over sequences of five ratings the law is
    exp(λ · statistics)/Z; a multiset's chance is that of its sequences together. Newton's method finds λ by
    the convex dual (Csiszár 1975).
    """
    n_levels = len(LEVEL_COUNTS)
    multisets = np.array(list(combinations_with_replacement(range(n_levels), N_RATINGS)))
    counts = (multisets[:, :, None] == np.arange(n_levels)).sum(axis=1)
    n_sequences = [math.factorial(N_RATINGS) / math.prod(map(math.factorial, row)) for row in counts.tolist()]
    items = multisets / n_levels
    levels = np.array(LEVEL_COUNTS) / sum(LEVEL_COUNTS)
    mean = float(levels @ np.arange(n_levels)) / n_levels
    statistics = np.column_stack(
        [counts[:, 1:] / N_RATINGS, items.mean(axis=1) ** 2, items.std(axis=1, ddof=1)]
    )
    targets = np.array([*levels[1:], SD_OF_MEANS**2 + mean**2, MEAN_OF_SDS])
    return items, _tilted(np.array(n_sequences), statistics - targets)


def toxicity_ratings() -> Floats:
    """Return ratings of 107,620 items by `toxicity_law`, shape (items, 5), each item's in a random order.

    A multiset has as many items as its chance gives, by largest remainders. The ratings are the same in every
    run, as data are.
    """
    items, chances = toxicity_law()
    expected = chances * N_ITEMS
    n_items = np.floor(expected).astype(np.int64)
    largest = np.argsort(n_items - expected, kind="stable")[: N_ITEMS - int(n_items.sum())]
    n_items[largest] += 1
    ratings = np.repeat(items, n_items, axis=0)
    order = Streams(stream_key(0, purpose="order of toxicity ratings"), 0).uniforms("order", ratings.shape)
    return np.take_along_axis(ratings, np.argsort(order, axis=1), axis=1)


def _tilted(base: Floats, centred: Floats) -> Floats:
    """Return the chances proportional to base · exp(centred @ λ) under which `centred` averages to 0."""
    tilt = np.zeros(centred.shape[1])
    for _ in range(_MOST_STEPS):
        chances, log_total = _chances(base, centred @ tilt)
        slope = chances @ centred
        if np.abs(slope).max() < _PRECISION:
            return chances
        curvature = (centred * chances[:, None]).T @ centred - np.outer(slope, slope)
        step = np.linalg.solve(curvature, slope)
        size = 1.0
        while _chances(base, centred @ (tilt - size * step))[1] > log_total and size > _PRECISION:
            size /= 2.0
        tilt -= size * step
    raise NbykError("no law of ratings has these numbers")


def _chances(base: Floats, exponent: Floats) -> tuple[Floats, float]:
    """Return chances proportional to base · exp(exponent), and the logarithm of their sum before scaling."""
    highest = float(exponent.max())
    weights = base * np.exp(exponent - highest)
    total = float(weights.sum())
    return weights / total, highest + math.log(total)
