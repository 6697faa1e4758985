"""Simulated label predictions of two systems; their numbers of right answers are given, not drawn.

A paper may print scores but not predictions. Its test then depends on a number that it does not print: the
share of items on which exactly one of the two systems is right. This share, the discordance, is a parameter
here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nbyk.arrays import Booleans, Integers
from nbyk.errors import NbykError

N_CLASSES = 12
SHARE_EXPONENT = 1.5
"""Class number r of a tagging set has a share of the items proportional to r to the power of minus this."""

RARITY_EXPONENT = 0.65
"""An item's chance to be hard is proportional to its class's share to the power of minus this.

At Figure 2's accuracies the macro F1 is then near Figure 2's.
"""


class LabelSet(NamedTuple):
    """A test set with the predictions of two systems, arrays of shape (N,)."""

    target: Integers
    a: Integers
    b: Integers

    @property
    def discordance(self) -> float:
        """Share of the items that exactly one system has right."""
        return float(((self.a == self.target) != (self.b == self.target)).mean())


def balanced_set(generator: np.random.Generator, *, n_items: int, accuracy: float, lead: float) -> LabelSet:
    """Return a test set of two classes, half of the items each, on which systems err independently.

    Within either class B has a share `accuracy` right, rounded to whole items, and A has `lead` more, on
    items drawn independently. Every hard score of a system is therefore its accuracy. `lead` · N/2 is a whole
    number.
    """
    per_class = n_items // 2
    ahead, right_b = round(lead * per_class), round(accuracy * per_class)
    if n_items % 2 or abs(ahead - lead * per_class) > 1e-6:
        raise NbykError(
            f"n_items: found {n_items}; expected an even number of which a lead of {lead:g} is a whole "
            "number in either half, as it is of multiples of 200 where it is .01"
        )
    if not 0 <= right_b <= right_b + ahead <= per_class:
        raise NbykError(f"accuracy: found {accuracy:g} and a lead of {lead:g}; expected both in [0, 1]")
    target = np.repeat([0, 1], per_class)
    predictions = []
    for right in (right_b + ahead, right_b):
        is_right = np.concatenate([_chosen(generator, per_class, right) for _ in range(2)])
        predictions.append(np.where(is_right, target, 1 - target))
    return LabelSet(target, *predictions)


def tagging_set(
    generator: np.random.Generator, *, n_items: int, right_a: int, right_b: int, discordance: float
) -> LabelSet:
    """Return a test set of twelve classes, of which few are frequent and the rare ones are hard.

    The hard items (those that not both have right) are drawn by class, with `RARITY_EXPONENT`. Among them,
    those that exactly one system has right, a share `discordance` of all, rounded to what the two numbers
    allow, are spread evenly over the classes, and so are those that B has right. A wrong prediction is
    another class, drawn by its share.
    """
    lead = right_a - right_b
    only_b = round((discordance * n_items - lead) / 2)
    only_a = only_b + lead
    neither = n_items - right_b - only_a
    if min(only_a, only_b, neither) < 0:
        least, most = abs(lead) / n_items, (2 * (n_items - max(right_a, right_b)) + abs(lead)) / n_items
        raise NbykError(
            f"discordance: found {discordance:g}; with {right_a} and {right_b} of {n_items} right, expected "
            f"a share from {least:.4f} to {most:.4f}"
        )
    shares = np.arange(1, N_CLASSES + 1) ** -SHARE_EXPONENT
    shares /= shares.sum()
    ends = np.rint(shares.cumsum() * n_items)
    target = np.searchsorted(ends, np.arange(n_items), side="right")
    weights = shares[target] ** -RARITY_EXPONENT
    n_hard = neither + only_a + only_b
    hard = generator.choice(n_items, n_hard, replace=False, p=weights / weights.sum())
    hard = hard[np.argsort(target[hard], kind="stable")]
    only_one = _evenly(generator, n_hard, only_a + only_b)
    right_by_b = only_one.copy()
    right_by_b[only_one] = _evenly(generator, only_a + only_b, only_b)
    a, b = target.copy(), target.copy()
    wrong_of_a, wrong_of_b = hard[~only_one | right_by_b], hard[~right_by_b]
    for predicted, wrong in ((a, wrong_of_a), (b, wrong_of_b)):
        predicted[wrong] = _other_classes(generator, target[wrong], shares)
    return LabelSet(target, a, b)


def counted_set(counts: Mapping[tuple[int, int, int], int]) -> LabelSet:
    """Return the test set with the given number of each (target, prediction of A, prediction of B)."""
    rows = np.repeat(np.array(list(counts)), list(counts.values()), axis=0)
    return LabelSet(*rows.T)


def _chosen(generator: np.random.Generator, n: int, size: int) -> Booleans:
    chosen = np.zeros(n, dtype=np.bool_)
    chosen[generator.choice(n, size, replace=False)] = True
    return chosen


def _evenly(generator: np.random.Generator, n: int, size: int) -> Booleans:
    """Return which `size` of n places in a row are taken, at equal distances from a random start."""
    taken = np.zeros(n, dtype=np.bool_)
    taken[np.floor((np.arange(size) + generator.random()) * n / max(size, 1)).astype(np.int64)] = True
    return taken


def _other_classes(generator: np.random.Generator, own: Integers, shares: NDArray[np.floating]) -> Integers:
    """Return a class other than each item's own, drawn by the shares of the classes."""
    ends = shares.cumsum()
    place = generator.random(len(own)) * (1.0 - shares[own])
    place += np.where(place >= ends[own] - shares[own], shares[own], 0.0)
    return np.searchsorted(ends, place, side="right").clip(max=len(shares) - 1)
