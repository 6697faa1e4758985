"""Scores of systems when whole rows of items are swapped between two systems, drawn or left out.

The contributions of the items (to an additive metric, or their places in the order of item means) are
computed once. A batch of draws is then one pass over the items. A metric without such a form (a user's
own, or one that pairs or pools single responses) is scored on the rows of every draw. The draws are the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.metrics import Metric, get
from nbyk.metrics.metric import loaded
from nbyk.metrics.paired import products_of_pairs
from nbyk.resampling import kernels
from nbyk.resampling.effects import batches
from nbyk.testing.engine import swaps, weights
from nbyk.testing.engine.item_draws import ItemDraws
from nbyk.testing.engine.rows import ItemSums, Rows, Swaps
from nbyk.testing.engine.swaps import DRAWS

_LARGEST = 64
"""Errors from the largest down among which nearly every draw has its own largest."""

_ROUNDING = 1e-13
"""A sum of squares below this share of the largest is a rounding error and counts as 0."""


class Form(ABC):
    """One metric's scores of S systems; a metric that compares gives A its number, and B 0."""

    def __init__(self, metric: Metric, rows: Rows) -> None:
        self.metric = metric
        self.rows = rows

    @cached_property
    def _values(self) -> tuple[Floats, Floats]:
        """What the metric takes of the systems, (S, N, K), and of gold, (N, K); K = 1 for item means."""
        systems, gold = self.rows.inputs(self.metric)
        return (systems[..., None], gold[:, None]) if systems.ndim == 2 else (systems, gold)

    def swapped(self, draws: Swaps) -> Floats:
        """Return the scores of two systems whose rows are swapped, shape (2, R)."""
        scores = np.concatenate([self._swapped(batch) for batch in draws.batches()], axis=1)
        return scores[:, : draws.n_draws]

    @abstractmethod
    def _swapped(self, draws: Swaps) -> Floats:
        """Return the scores of 64 draws, shape (2, 64)."""

    @abstractmethod
    def drawn(self, draws: ItemDraws) -> Floats:
        """Return all systems' scores on drawn items, shape (S, R)."""

    def without(self, starts: Integers) -> Floats:
        """Return all systems' scores without each run of items, shape (S, runs).

        `starts` holds the first item of each run, beginning with 0. The last run ends with the last item.
        """
        n = self.rows.n_items
        stops = np.append(starts[1:], n)
        scores = np.empty((len(self.rows.systems), len(starts)))
        for size in np.unique(stops - starts):
            same = np.flatnonzero(stops - starts == size)
            for first in range(0, len(same), DRAWS):
                batch = same[first : first + DRAWS]
                items = np.broadcast_to(np.arange(n - size, dtype=np.uint32), (len(batch), n - size))
                items = items + np.uint32(size) * (items >= starts[batch, None])
                scores[:, batch] = self.drawn(ItemDraws(items.astype(np.uint32), n))
        return scores


def form_of(metric: Metric, rows: Rows) -> Form:
    """Return the cheapest form of a metric."""
    form: Form | None = None if metric.form is None else loaded(metric.form)(metric, rows)
    if form is not None:
        return form
    is_sum = metric.additive or metric.from_mean is not None or metric.statistics is not None
    return (Sums if is_sum else RowByRow)(metric, rows)


class Sums(Form):
    """Sums over items: additive metrics, functions of their scores, such as rmse, and metrics of outputs."""

    def __init__(self, metric: Metric, rows: Rows) -> None:
        super().__init__(metric, rows)
        self._from_mean = None if metric.from_mean is None else loaded(metric.from_mean.value)
        summed = metric if metric.from_mean is None else get(metric.from_mean.metric)
        self._sums = rows.sums(summed, self._statistics())

    def swapped(self, draws: Swaps) -> Floats:
        """Add the gains of the swapped items; all draws at once."""
        return self._dealt(0, 1, draws.sums(self._sums), draws.n_items)

    _swapped = swapped

    def swapped_pairs(self, draws: Swaps, pairs: Sequence[tuple[int, int]]) -> Floats:
        """Return the scores of pairs of systems, each swapped by the same draws, shape (pairs, 2, R).

        If all systems see many kinds of items, a few pairs may each see few: then those are drawn.
        """
        sums, width = self._sums, self._sums.gains.shape[1]
        few = sums.kinds is None and len(pairs) < len(self.rows.systems)
        kinds = {pair: sums.kinds_of(*pair) if few else None for pair in pairs}
        together = sorted({system for pair in pairs if kinds[pair] is None for system in pair})
        columns = [width * system + feature for system in together for feature in range(width)]
        leads = draws.add(np.ascontiguousarray(sums.leads[:, columns]), sums.kinds)
        lead_of = dict(zip(together, leads.reshape(len(together), width, draws.n_draws), strict=True))
        scores = []
        for a, b in pairs:
            alone = kinds[a, b]
            gains = lead_of[b] - lead_of[a] if alone is None else draws.add(sums.gains_of(a, b), alone)
            scores.append(self._dealt(a, b, gains, draws.n_items))
        return np.stack(scores)

    def _dealt(self, a: int, b: int, gains: Floats, n: int) -> Floats:
        """Return the scores, (2, R), of two systems if the first one's sums gain `gains`, shape (F, R)."""
        sums_a, sums_b = (self._sums.total[len(gains) * place :][: len(gains), None] for place in (a, b))
        both = (
            sums_a + gains
            if self.metric.kind == "comparison"
            else np.concatenate([sums_a + gains, sums_b - gains])
        )
        return self._scores(both, n)

    def drawn(self, draws: ItemDraws) -> Floats:
        """Sum under weights."""
        n_draws = draws.shape[0]
        return self._scores(draws.sums(self._unswapped)[:, :n_draws], draws.sizes[:n_draws])

    def without(self, starts: Integers) -> Floats:
        """Subtract each run from the total."""
        left_out = np.add.reduceat(self._unswapped.features, starts, axis=0).T
        sizes = np.diff(starts, append=self.rows.n_items)
        return self._scores(self._unswapped.total[:, None] - left_out, self.rows.n_items - sizes)

    @property
    def _unswapped(self) -> ItemSums:
        """The sums of draws that exchange nothing between systems."""
        return self._sums

    def _statistics(self) -> Floats | None:
        """Return statistics of every system's items, shape (S, N, F), that are not the metric's own."""
        return None

    def _parts(self, sums: Floats) -> Floats:
        """Return each system's sums, shape (S, F, D)."""
        return sums.reshape(-1, self._sums.gains.shape[1], sums.shape[1])

    def _scores(self, sums: Floats, n: int | Integers) -> Floats:
        """Return scores, shape (S, D), from sums, shape (S F, D), over n items."""
        if self.metric.statistics is not None:
            return np.array([self.metric.score_sums(part.T) for part in self._parts(sums)])
        if self._from_mean is not None:
            sums = np.where(sums < _ROUNDING * self._sums.total.max(), 0.0, sums)
            with np.errstate(divide="ignore"):
                return np.asarray(self._from_mean(sums / n))
        scores = sums / n
        return np.concatenate([scores, np.zeros_like(scores)]) if self.metric.kind == "comparison" else scores


class Cosines(Sums):
    """Cosine distances, from sums of products: a·g, |a|² and |g|²."""

    def _statistics(self) -> Floats:
        return products_of_pairs(*self.rows.inputs(self.metric))

    def _scores(self, sums: Floats, n: int | Integers) -> Floats:
        product, length, length_of_gold = self._parts(sums).swapaxes(0, 1)
        length = np.where(length < _ROUNDING * self._sums.total.max(), 0.0, length)
        return 1.0 - _correlation(product, length, length_of_gold)


class Correlations(Sums):
    """Pearson's r of item means, from sums of a·g, a, g, a² and g².

    Differences from a mean lose no digits: all systems' where rows are swapped, else each system's own.
    """

    def _statistics(self) -> Floats:
        return self._products(self.rows.means - self.rows.means.mean())

    @cached_property
    def _unswapped(self) -> ItemSums:
        means = self.rows.means
        return ItemSums(self.metric, self.rows, self._products(means - means.mean(axis=1, keepdims=True)))

    def _products(self, systems: Floats) -> Floats:
        gold = np.broadcast_to(self.rows.gold_means - self.rows.gold_means.mean(), systems.shape)
        return np.stack([systems * gold, systems, gold, systems**2, gold**2], axis=2)

    def _scores(self, sums: Floats, n: int | Integers) -> Floats:
        product, total, total_of_gold, squares, squares_of_gold = self._parts(sums).swapaxes(0, 1)
        variance, gold_variance = (
            np.where(rest < _ROUNDING * whole, 0.0, rest)
            for whole, rest in (
                (squares, squares - total**2 / n),
                (squares_of_gold, squares_of_gold - total_of_gold**2 / n),
            )
        )
        return _correlation(product - total * total_of_gold / n, variance, gold_variance).clip(-1.0, 1.0)


class Largest(Form):
    """The largest error of an item mean: that of the first item, from the largest error down, in a draw."""

    def swapped(self, draws: Swaps) -> Floats:
        """Look which system gets each of the largest errors; all draws at once."""
        errors, order = self._both
        for entries in (order[:_LARGEST], order):
            units = entries >> 1 if draws.clusters is None else draws.clusters[entries >> 1]
            coins = draws.words[:, units >> 6] >> (units & 63).astype(np.uint64) & np.uint64(1)
            of_a = coins == (entries & 1)
            if len(entries) == len(order) or (of_a.any(axis=1) & ~of_a.all(axis=1)).all():
                break
        largest = errors[entries]
        return np.stack([largest[of_a.argmax(axis=1)], largest[of_a.argmin(axis=1)]])

    _swapped = swapped

    def drawn(self, draws: ItemDraws) -> Floats:
        """Look which of each system's largest errors were drawn."""
        scores = []
        for errors, order in self._each:
            for items in (order[:_LARGEST], order):
                there = draws.weights[items, : draws.shape[0]] > 0
                if there.any(axis=0).all():
                    break
            scores.append(errors[items][there.argmax(axis=0)])
        return np.stack(scores)

    @cached_property
    def _each(self) -> list[tuple[Floats, Integers]]:
        """Each system's errors, and the items from the largest down."""
        errors = np.abs(self.rows.means - self.rows.gold_means)
        return [(of, np.argsort(-of, kind="stable")) for of in errors]

    @cached_property
    def _both(self) -> tuple[Floats, Integers]:
        """A's and B's errors, and their places from the largest down: twice the item, plus 1 for B's."""
        errors = np.stack([of for of, _ in self._each[:2]], axis=1).reshape(-1)
        return errors, np.argsort(-errors, kind="stable")


class Ranks(Form):
    """Spearman's ρ, in whole numbers: twice the ranks, from −N to N."""

    def _swapped(self, draws: Swaps) -> Floats:
        """Scan once through both systems' means in their order."""
        covariance, ties = np.empty((2, DRAWS)), np.empty((2, DRAWS))
        gold_ranks = self._gold_ranks
        swaps.rank_products(*self._both, gold_ranks, draws.coins, covariance, ties)
        n = float(draws.n_items)
        return _correlation(covariance, (n**3 - n - ties) / 3.0, (gold_ranks.astype(np.float64) ** 2).sum())

    def drawn(self, draws: ItemDraws) -> Floats:
        """Scan through gold's means, and through each system's."""
        gold_ranks, gold_variance = np.empty((draws.n_items, DRAWS), np.int32), np.empty(DRAWS)
        weights.weigh_gold_ranks(*self._gold, draws.weights, draws.sizes, gold_ranks, gold_variance)
        covariance, variance = np.empty((2, len(self._each), DRAWS))
        for system, order in enumerate(self._each):
            weights.rank_products(
                *order, draws.weights, draws.sizes, gold_ranks, covariance[system], variance[system]
            )
        return _correlation(covariance, variance, gold_variance)[:, : draws.shape[0]]

    @cached_property
    def _gold(self) -> tuple[Integers, Integers]:
        return _ordered(self.rows.gold_means)

    @cached_property
    def _each(self) -> list[tuple[Integers, Integers]]:
        return [_ordered(means) for means in self.rows.means]

    @cached_property
    def _both(self) -> tuple[Integers, Integers]:
        """Both systems' means in order: twice the item, plus 1 for B's."""
        order, stops = _ordered(self.rows.means[:2].T.reshape(-1))
        return order, stops

    @cached_property
    def _gold_ranks(self) -> Integers:
        order, stops = self._gold
        starts = np.concatenate([[0], stops[:-1]])
        ranks = np.empty(len(order), np.int64)
        ranks[order] = np.repeat(starts + stops - len(order), stops - starts)
        return ranks


class Distances(Form):
    """The earth mover's distance between the distributions of item means, or of all responses pooled."""

    def _swapped(self, draws: Swaps) -> Floats:
        """Scan once through both systems' and gold's values in their order."""
        out = np.empty((2, DRAWS))
        swaps.distances(*self._all, draws.coins, out)
        return out / (draws.n_items * self._width)

    def drawn(self, draws: ItemDraws) -> Floats:
        """Scan through each system's and gold's values."""
        out = np.empty((len(self._each), DRAWS))
        for scores, (entries, gaps) in zip(out, self._each, strict=True):
            weights.distances(entries, gaps, draws.weights, scores)
        n_draws = draws.shape[0]
        return out[:, :n_draws] / (draws.sizes[:n_draws] * self._width)

    @property
    def _width(self) -> int:
        return int(self._values[1].shape[1])

    @cached_property
    def _all(self) -> tuple[Integers, Floats]:
        """A's, B's and gold's values in order, four to an item: 0, 1 and 2."""
        systems, gold = self._values
        place, gaps = _spaced(np.stack([*systems[:2], gold], axis=2).reshape(-1))
        return 4 * (place // (3 * self._width)) + place % 3, gaps

    @cached_property
    def _each(self) -> list[tuple[Integers, Floats]]:
        """Each system's and gold's values in order: twice the item, plus 1 for gold's."""
        systems, gold = self._values
        ordered = []
        for values in systems:
            place, gaps = _spaced(np.stack([values, gold], axis=2).reshape(-1))
            ordered.append((2 * (place // (2 * self._width)) + place % 2, gaps))
        return ordered


class RowByRow(Form):
    """Any metric, on the rows of each draw."""

    def _swapped(self, draws: Swaps) -> Floats:
        """Deal the rows and score them."""
        systems, gold = self._values
        a, b = systems[:2]
        coins = draws.swapped
        out = np.zeros((2, DRAWS))
        first = 0
        for batch in batches(DRAWS, gold.size + a.size + b.size):
            last = first + batch
            items = np.broadcast_to(np.arange(draws.n_items), (batch, draws.n_items)).copy()
            dealt = np.empty((2, batch, *a.shape))
            kernels.swap_rows(a, b, items, coins[first:last], dealt[0], dealt[1])
            self._score(dealt, np.broadcast_to(gold, (batch, *gold.shape)), out[:, first:last])
            first = last
        return out

    def drawn(self, draws: ItemDraws) -> Floats:
        """Take the rows and score them."""
        systems, gold = self._values
        out = np.zeros((len(systems), draws.shape[0]))
        at_once = next(iter(batches(draws.shape[0], gold.size + systems.size)))
        for which, items in draws.rows(at_once):
            scored = np.zeros((len(systems), len(which)))
            self._score(systems[:, items], gold[items], scored)
            out[:, which] = scored
        return out

    def _score(self, systems: Floats, gold: Floats, out: Floats) -> None:
        if self.metric.needs == "item_means":
            systems, gold = systems[..., 0], gold[..., 0]
        into = out[0] if self.metric.kind == "comparison" else out
        filled = np.empty(into.shape)
        self.metric.fill(systems, gold, filled)
        into[...] = filled


def sums_if_complete(metric: Metric, rows: Rows) -> Form | None:
    """Return the form of a metric that is additive where every item has all responses."""
    return Sums(metric, rows) if rows.complete else None


def distances_if_complete(metric: Metric, rows: Rows) -> Form | None:
    """Return the form of a distance of pooled responses where every item has all of them."""
    return Distances(metric, rows) if rows.complete else None


def _ordered(values: Floats) -> tuple[Integers, Integers]:
    """Return the ascending order of values, and the end of each level of equal values in it."""
    order = np.argsort(values, kind="stable")
    rising = np.diff(values[order]) > 0.0
    return order, np.append(np.flatnonzero(rising) + 1, len(values))


def _spaced(values: Floats) -> tuple[Integers, Floats]:
    """Return the ascending order of values and the gap from each to the next, 0 for the last."""
    order = np.argsort(values, kind="stable")
    return order, np.append(np.diff(values[order]), 0.0)


def _correlation(covariance: Floats, variance: Floats, gold_variance: Floats | float) -> Floats:
    product = variance * gold_variance
    undefined = product == 0.0
    return np.where(undefined, np.nan, covariance / np.sqrt(np.where(undefined, 1.0, product)))
