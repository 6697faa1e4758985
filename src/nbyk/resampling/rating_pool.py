"""Items with their own ratings to draw again, and their posterior distributions for ratings by other people.

New ratings of an item are its own, without replacement, and then draws from a distribution that is itself
drawn given the n_i own ones. By a two-stage prior, that is the distribution of a (μ, σ) from its posterior.
Without one, item i has a Dirichlet prior with the ratings of all items as base and a concentration c. Its
posterior adds c ratings from the base to its own n_i (Ferguson 1973). c is the ratio of the variance within
items to that between them, so that both variances are those of the ratings. What real systems answered tells
of an item too: the base is then what their answers let expect, and c that of what they leave open.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.compiled import discard_older_caches, njit
from nbyk.priors import Response, TwoStagePrior
from nbyk.priors.marginal import draw_rated_items
from nbyk.sums import product, solve

_BASE_ATOMS = 16
_PARTS = 25
"""Atoms of a scale without levels, to each of which a prior gives a share."""

_RIDGE = 1e-9
"""Two systems that answer alike have half a weight each."""

_MOST_ALIKE = 0.99
"""The largest correlation of two systems' true means of items."""

_ONE_DISTRIBUTION = 1e6
"""Concentration if items do not differ more than raters of one item."""


discard_older_caches(__file__)


@njit(nogil=True, cache=True)
def _draw_own(rows: Any, own: Any, counts: Any, out: Any) -> None:
    """Replace the first uniforms, (draws, K), by own ratings of each row's item: Fisher–Yates."""
    left = np.empty(own.shape[1])
    for i in range(rows.size):
        item = rows[i] % len(own)
        n = counts[item]
        for j in range(n):
            left[j] = own[item, j]
        for j in range(min(n, out.shape[1])):
            chosen = j + int(out[i, j] * (n - j))
            out[i, j], left[chosen] = left[chosen], left[j]


@njit(nogil=True, cache=True)
def _draw_others(rows: Any, first: Any, atoms: Any, cumulative: Any, out: Any) -> None:
    """Replace uniforms, (draws, K), from the `first` of its item on, by atoms of each row's distribution."""
    last = atoms.shape[1] - 1
    for i in range(rows.size):
        item = rows[i] % len(atoms)
        for k in range(first[item], out.shape[1]):
            atom = 0
            while atom < last and out[i, k] > cumulative[rows[i], atom]:
                atom += 1
            out[i, k] = atoms[item, atom]


@dataclass(frozen=True, eq=False)
class Distributions:
    """Distributions of further ratings, drawn from the items' posteriors: row r is of item r mod N.

    `atoms`, shape (N, atoms), are the possible values of a rating of each item; `cumulative`, (rows, atoms),
    are their cumulative probabilities, and `means`, (rows,), the mean ratings of infinitely many raters.
    """

    atoms: Floats
    cumulative: Floats
    means: Floats

    @property
    def items(self) -> Integers:
        """The item of each row."""
        return np.arange(len(self.means)) % len(self.atoms)

    def draw(self, rows: Integers, k: int, generator: np.random.Generator) -> Floats:
        """Return K ratings from each row's distribution, shape (*rows.shape, K)."""
        out = generator.random((*rows.shape, k))
        self.fill(rows, out, np.zeros(len(self.atoms), np.int64))
        return out

    def fill(self, rows: Integers, out: Floats, first: Integers) -> None:
        """Replace uniforms, shape (*rows.shape, K), by ratings, from number `first[item]` of each row on."""
        flat = out.reshape(-1, out.shape[-1])
        _draw_others(rows.reshape(-1), first, self.atoms, self.cumulative, flat)

    def along(
        self, other: Distributions, correlation: float, generator: np.random.Generator
    ) -> Distributions:
        """Return each item's draws in another order, in which their means correlate with those of others."""
        from scipy.special import ndtri

        n = len(self.atoms)
        places = other.means.reshape(-1, n).argsort(axis=0).argsort(axis=0)
        noise = generator.standard_normal(places.shape)
        z = correlation * ndtri((places + 0.5) / len(places)) + np.sqrt(1.0 - correlation**2) * noise
        order = self.means.reshape(-1, n).argsort(axis=0)
        rows = n * np.take_along_axis(order, z.argsort(axis=0).argsort(axis=0), axis=0) + np.arange(n)
        return Distributions(self.atoms, self.cumulative[rows.ravel()], self.means[rows.ravel()])

    def expected(self, values: Floats) -> Floats:
        """Return the expectation of a function of a rating, (rows,), given its values at the atoms."""
        shares = np.diff(self.cumulative, axis=1, prepend=0.0)
        expected: Floats = (shares * values).sum(axis=1)
        return expected


@dataclass(frozen=True, eq=False)
class RatingPool:
    """The ratings of N items, and the posterior of each item's distribution.

    `own`, shape (N, K), are each item's own ratings, then NaN, and `counts` their numbers. `atoms`, (N,
    atoms), are the possible values of a further rating; `shares` draws so many times how likely each is,
    (rows, atoms).
    """

    own: Floats
    counts: Integers
    atoms: Floats
    shares: Callable[[int, np.random.Generator], Floats]

    @classmethod
    def of(
        cls,
        ratings: Floats,
        levels: Floats,
        prior: TwoStagePrior | None = None,
        expected: Floats | None = None,
    ) -> RatingPool:
        """Return the pool of ratings (N, K), NaN where missing, on levels (L,), which may be empty.

        `expected`, (N,), are items' means as far as something other than their ratings tells them.
        """
        counts = (~np.isnan(ratings)).sum(axis=1)
        own = np.sort(ratings, axis=1)[:, : counts.max()]  # NaN comes last
        if prior is not None:
            values = prior.response.values if prior.response.levels else np.linspace(0.0, 1.0, _PARTS)
            return cls(own, counts, np.tile(values, (len(own), 1)), partial(_by_prior, prior, own))
        known = ~np.isnan(own)
        centres = np.zeros((len(own), 1)) if expected is None else expected[:, np.newaxis]
        every = np.sort((own - centres)[known])
        c = concentration([ratings - centres])
        if len(levels):
            nearest = np.abs(np.nan_to_num(own)[..., None] - levels).argmin(axis=-1)
            held = (nearest[..., None] == np.arange(len(levels))) & known[..., None]
            everybody = np.abs(every[:, None] - levels).argmin(axis=1)
            shares = np.bincount(everybody, minlength=len(levels)) / len(every)
            atoms = np.tile(levels, (len(own), 1))
            weights = held.sum(axis=1) + c * shares
        else:
            base = np.array([part.mean() for part in np.array_split(every, min(_BASE_ATOMS, len(every)))])
            further = np.clip(base + centres, np.nanmin(own), np.nanmax(own))
            atoms = np.concatenate([np.nan_to_num(own), further], axis=1)
            weights = np.concatenate([known, np.full((len(own), len(base)), c / len(base))], axis=1)
        return cls(own, counts, atoms, partial(_by_dirichlet, weights))

    @classmethod
    def of_labels(cls, counts: Integers, answers: Floats) -> RatingPool:
        """Return the pool of labels, as places of classes, from their counts (N, M).

        `answers`, (2, N, M), are shares of the classes among two systems' answers. Chances of a label are
        those of all items mixed with the answers by least squares, so that labels agree with either system as
        often as they do. Items on which the systems agree tell nothing of their difference, and are left out.
        """
        tell = (answers[0] != answers[1]).any(axis=1)
        shares = counts / counts.sum(axis=1, keepdims=True)
        every = shares[tell].mean(axis=0) if tell.any() else shares.mean(axis=0)
        apart = answers - every
        weights = _least_squares([of[tell].ravel() for of in apart], (shares - every)[tell].ravel())
        mixed = np.maximum(every + product(weights, apart), 0.0)
        expected = mixed / mixed.sum(axis=1, keepdims=True)
        n_labels = counts.sum(axis=1)
        own = np.full((len(counts), int(n_labels.max())), np.nan)
        classes = np.arange(float(counts.shape[1]))
        places = np.repeat(np.tile(classes, len(counts)), counts.ravel())
        own[np.arange(own.shape[1]) < n_labels[:, np.newaxis]] = places
        indicators = np.where(np.isnan(own), np.nan, own == classes[:, np.newaxis, np.newaxis])
        left = indicators - expected.T[..., np.newaxis]
        known = tell if (n_labels[tell] > 1).sum() > 1 else np.ones_like(tell)
        c = concentration(list(left[:, known]))
        atoms = np.tile(classes, (len(counts), 1))
        return cls(own, n_labels, atoms, partial(_by_dirichlet, counts + c * expected))

    def distributions(self, repeats: int, generator: np.random.Generator) -> Distributions:
        """Return `repeats` draws of every item's distribution."""
        shares = self.shares(repeats, generator)
        shares /= shares.sum(axis=1, keepdims=True)
        means = (shares * np.tile(self.atoms, (repeats, 1))).sum(axis=1)
        return Distributions(self.atoms, np.cumsum(shares, axis=1), means)

    def take(
        self, rows: Integers, k: int, generator: np.random.Generator, others: Distributions | None = None
    ) -> Floats:
        """Return K new ratings of each row's item, shape (*rows.shape, K): its own first, in a fresh order.

        Row r is of item r mod N. Further ratings are draws from the row's distribution in `others`, which may
        be None if every item has K ratings.
        """
        out = generator.random((*rows.shape, k))
        _draw_own(rows.reshape(-1), self.own, self.counts, out.reshape(-1, k))
        if others is not None:
            others.fill(rows, out, self.counts)
        return out


def _by_dirichlet(weights: Floats, repeats: int, generator: np.random.Generator) -> Floats:
    """Draw shares of the atoms from Dirichlet posteriors with these parameters; they do not add up to 1."""
    return generator.standard_gamma(np.tile(weights, (repeats, 1)))


def _by_prior(prior: TwoStagePrior, own: Floats, repeats: int, generator: np.random.Generator) -> Floats:
    """Draw shares of the atoms from the posteriors of a prior given each item's own ratings."""
    rows = generator.random((repeats, len(own), 3))
    mu, sigma = (drawn.reshape(-1) for drawn in draw_rated_items(prior, own, rows))
    if prior.response.levels:
        return prior.response.probabilities(mu, sigma)
    _, cut = prior.response.on_levels(own)
    step = 1.0 / _PARTS  # each part lies around its atom
    return Response(cut.kind, _PARTS).probabilities((1.0 - step) * mu + 0.5 * step, (1.0 - step) * sigma)


def concentration(ratings: Sequence[Floats]) -> float:
    """Return the variance within items over that between them, of ratings (N, K) with NaN where missing.

    Both are from an analysis of variance of unequal groups; of several kinds of ratings they are added up. If
    items do not differ more than raters, the result is a million. At least one item must have two ratings.
    """
    counts = (~np.isnan(ratings[0])).sum(axis=1).astype(np.float64)
    n_ratings, n_items = counts.sum(), len(counts)
    size = (n_ratings - (counts**2).sum() / n_ratings) / (n_items - 1)
    all_within = all_between = 0.0
    for of_kind in ratings:
        means = np.nanmean(of_kind, axis=1)
        within = float(np.nansum((of_kind - means[:, None]) ** 2) / max(1.0, n_ratings - n_items))
        mean = product(counts, means) / n_ratings
        between_items = float((counts * (means - mean) ** 2).sum() / (n_items - 1))
        all_within, all_between = all_within + within, all_between + (between_items - within) / size
    return min(_ONE_DISTRIBUTION, all_within / all_between) if all_between > 0.0 else _ONE_DISTRIBUTION


def correlation_left(ratings: Sequence[Floats]) -> float:
    """Return how what two kinds of ratings, (N, K) each, leave open of the same items' means correlates.

    By normal means and ratings; 0 if items do not differ more than ratings of one item.
    """
    means = np.array([np.nanmean(of_kind, axis=1) for of_kind in ratings])
    counts = np.array([(~np.isnan(of_kind)).sum(axis=1) for of_kind in ratings])
    within = [np.nansum((of - mean[:, None]) ** 2) for of, mean in zip(ratings, means, strict=True)]
    noise = np.array(within) / np.maximum((counts - 1).sum(axis=1), 1) * (1.0 / counts).mean(axis=1)
    moves_a, moves_b = means - means.mean(axis=1, keepdims=True)
    pairs = ((moves_a, moves_a), (moves_b, moves_b), (moves_a, moves_b))
    a, b, both = (float(product(*pair)) / (len(moves_a) - 1) for pair in pairs)
    a, b = a - float(noise[0]), b - float(noise[1])
    if min(a, b) <= 0.0 or not noise.all():
        return 0.0
    most = _MOST_ALIKE * math.sqrt(a * b)
    both = min(max(both, -most), most)
    det = a * b - both**2
    return both / math.sqrt((b + det / noise[0]) * (a + det / noise[1]))


def means_by(answers: Sequence[Floats], means: Floats) -> Floats:
    """Return items' mean ratings, (N,), by the line of least squares on systems' answers, (N,) each."""
    centred = [answer - answer.mean() for answer in answers]
    weights = _least_squares(centred, means)
    return np.asarray(means.mean() + product(weights, centred))


def _least_squares(rows: Sequence[Floats], right: Floats) -> Floats:
    """Return the weights of rows whose sum is nearest to the right."""
    squares = np.array([[product(one, other) for other in rows] for one in rows])
    ridge = _RIDGE * np.trace(squares) + np.finfo(float).tiny
    return solve(squares + ridge * np.eye(len(rows)), np.array([product(one, right) for one in rows]))
