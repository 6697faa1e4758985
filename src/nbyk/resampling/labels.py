"""Collections of labels drawn from a prior of classes, or from a pilot's own items."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nbyk.arrays import Floats
from nbyk.compiled import njit
from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.metrics.classes import shares_of as shares_among
from nbyk.priors.nominal import ClassPrior, LabelPrior, MixedPool, as_counts, labels_of, shares_of
from nbyk.priors.prior import ItemSource
from nbyk.resampling.count_sets import BLOCK, as_thresholds
from nbyk.resampling.effects import batches, effects_of_scores
from nbyk.resampling.lanes import LANES, STATE, next_row, start_replicate
from nbyk.resampling.pilot_items import RedrawnPilot
from nbyk.resampling.population import Population, check_epsilon, check_size
from nbyk.resampling.rating_pool import Distributions, RatingPool
from nbyk.resampling.streams import StreamKey, Streams, stream_key

Counts = NDArray[np.int64]

_ITEMS = 50_000
_POOL = 65_536
_MANY = 100
"""Answers one by one that stand for infinitely many."""


@dataclass(frozen=True, eq=False)
class LabelledItems(ItemSource):
    """The items of a pilot with their labels, and perhaps a pair of systems' answers to them.

    Attributes
    ----------
    prior
        The prior fitted to the labels. Given its labels, an item's shares are Dirichlet(α + their counts).
    counts : ndarray, shape (N, M)
        People's labels of each class to each item.
    answers : pair of ndarrays, each of shape (N, runs), or None
        The answers of A and of B, as places of classes; NaN where missing.
    system_names
        Their names.
    raters
        The number of people who labelled two items or more, if the prior says how they differ.
    order : ndarray of int, shape (N,)
        The items as given, in the order that they have here.
    """

    prior: ClassPrior
    counts: Counts
    answers: tuple[Floats, Floats] | None = None
    system_names: tuple[str, str] = ("A", "B")
    raters: int = 0
    order: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", as_counts(self.counts, self.prior.levels))
        if any(answers.shape[:1] != self.counts.shape[:1] for answers in self.answers or ()):
            raise NbykError("pilot: labels and systems differ in their items; give the same items to all")
        # The order of the rows and columns of a file, which means nothing, does not change a number.
        answers = self.answers and tuple(np.sort(one, axis=1) for one in self.answers)
        order = np.lexsort(np.concatenate([self.counts, *(answers or ())], axis=1).T[::-1])
        object.__setattr__(self, "order", order)
        object.__setattr__(self, "counts", self.counts[order])
        object.__setattr__(self, "answers", answers and tuple(one[order] for one in answers))

    of_labels: ClassVar[bool] = True
    perturbed: ClassVar[str] = ClassPrior.perturbed

    @property
    def name(self) -> str:
        """Their name in sentences."""
        return self.prior.name

    @property
    def caution(self) -> str:
        """Nothing: items are a pilot's own, whether the prior describes them or not."""
        return ""

    @property
    def n_items(self) -> int:
        """The items N of the pilot."""
        return len(self.counts)

    @property
    def labels_per_item(self) -> int:
        """The labels K of an item, on average."""
        return max(1, round(float(self.counts.sum()) / self.n_items))

    @property
    def of_pair(self) -> bool:
        """Whether two real systems answered them."""
        return self.answers is not None

    @property
    def levels(self) -> int:
        """Number of classes M."""
        return self.prior.levels

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes."""
        return self.prior.classes

    def pool(self, generator: np.random.Generator, n: int) -> MixedPool:
        """Draw n items given their labels, each item of the pilot in turn."""
        return self.prior.pool(generator, n, self.counts[np.arange(n) % self.n_items])

    def take(self, rows: NDArray[np.int64]) -> LabelledItems:
        """Return some of the items, in an order."""
        answers = self.answers and (self.answers[0][rows], self.answers[1][rows])
        return replace(self, counts=self.counts[rows], answers=answers)

    @cached_property
    def _gold(self) -> tuple[RatingPool, Distributions]:
        """The labels of items that real systems answered, and distributions of further ones."""
        answers = [shares_among(one, np.eye(self.levels)) for one in self.answers or ()]
        pool = RatingPool.of_labels(self.counts, np.stack(answers))
        generator = Streams(stream_key(0, purpose="labels beside answers", prior=self.key()), 0).generator("")
        return pool, pool.distributions(-(-_POOL // self.n_items), generator)

    def labels(self, rows: NDArray[np.int64], k: int, streams: Streams) -> Floats:
        """Return K labels of items that real systems answered, (R, N, K): the item's own first."""
        pool, further = self._gold
        return pool.take(rows, k, streams.generator("gold"), further)

    def answers_to(self, rows: NDArray[np.int64]) -> Floats:
        """Return real systems' answers to items, (2, R, N, runs)."""
        return _together(self.answers or ())[:, rows % self.n_items]

    def shares(self, rows: NDArray[np.int64]) -> Floats:
        """Return the shares of infinitely many labels of items that real systems answered, (R, N, M)."""
        return np.diff(self._gold[1].cumulative, axis=1, prepend=0.0)[rows]

    def effect(self, metric: Metric) -> float:
        """Return by how much A's answers are better than B's here, by a metric that is a mean over items."""
        answers, gold = _together(self.answers or ())[:, np.newaxis], self.counts[np.newaxis]
        shares = gold / gold.sum(axis=-1, keepdims=True)
        sets = LabelSets(shares, shares_among(answers, np.eye(self.levels)), answers)
        return float(sets.item_effects([metric], self.classes).mean())

    def swapped(self) -> LabelledItems:
        """Return the items with B's answers as A's."""
        return replace(
            self, answers=self.answers and self.answers[::-1], system_names=self.system_names[::-1]
        )

    def key(self) -> str:
        """Return the key of the random streams: the labels and answers themselves."""
        return self._key

    @cached_property
    def _key(self) -> str:
        digest = hashlib.sha256(self.prior.key().encode())
        for matrix in (self.counts, *(self.answers or ())):
            digest.update(np.ascontiguousarray(matrix).tobytes())
        return f"labels {digest.hexdigest()}"

    def to_dict(self) -> dict[str, Any]:
        """Return a description of the items as plain values that JSON can hold."""
        pair = {"systems": list(self.system_names)} if self.answers is not None else {}
        return {"name": self.name, "pilot_items": self.n_items, **pair, "fitted": self.prior.to_dict()}


LabelSource = LabelPrior | LabelledItems
"""What labels are simulated from."""


@dataclass(frozen=True)
class LabelSets:
    """R test sets of N items: gold's labels and the systems' answers, counted or one by one.

    Attributes
    ----------
    gold, systems : ndarray, shape (R, N, M) and (2, R, N, M)
        Shares of the classes among gold's labels, and among A's and B's answers.
    answers : ndarray, shape (2, R, N, runs), or None
        The answers of real systems, as places of classes; NaN where missing. Simulated ones have `runs` each.
    rows : ndarray, shape (R, N)
        The items, as places in the pool that they are from.
    """

    gold: Floats
    systems: Floats
    answers: Floats | None = None
    runs: int = 0
    rows: NDArray[np.int64] | None = None

    @cached_property
    def labels(self) -> Floats:
        """The answers one by one, (2, R, N, runs); those of simulated systems in the order of the classes."""
        if self.answers is not None:
            return self.answers
        out = np.empty((*self.systems.shape[:-1], self.runs))
        _fill_labels(self.systems.reshape(-1, self.systems.shape[-1]), out.reshape(-1, self.runs))
        return out

    def item_effects(self, metrics: Sequence[Metric], names: Sequence[str]) -> Floats:
        """Return the effect of every item by metrics that are means over items, (metrics, R, N).

        Metrics of classes see the answers one by one, and metrics of distributions see their shares.
        """
        n_sets, n_items, n_classes = self.gold.shape
        n = n_sets * n_items
        gold, rows = self.gold.reshape(n, n_classes), self.systems.reshape(-1, n_classes)
        scores = np.zeros((len(metrics), 2, n))
        for metric, out in zip(metrics, scores, strict=True):
            if metric.needs == "classes":
                places, table = self.labels.reshape(2, n, -1), np.eye(n_classes)
            else:
                places, table = np.arange(2.0 * n).reshape(2, n, 1), rows
            of_items = metric.bound(names, table).item_scores(places, gold)
            out[: len(of_items)] = of_items
        return effects_of_scores(metrics, scores).reshape(len(metrics), n_sets, n_items)

    def expected_effects(self, metric: Metric, names: Sequence[str]) -> Floats:
        """Return the expected effect of every item, (R N,), of labels that systems draw from their shares.

        The metric is one of classes that scores either system.
        """
        shares = self.gold.reshape(-1, self.gold.shape[-1])
        always = np.repeat(np.arange(float(shares.shape[1])), len(shares)).reshape(-1, len(shares), 1)
        scores = metric.bound(names, np.eye(shares.shape[1])).item_scores(always, shares)
        a, b = self.systems.reshape(2, *shares.shape)
        return np.asarray(metric.sign * ((a - b) * scores.T).sum(axis=1))


@dataclass(frozen=True, eq=False)
class LabelPopulation:
    """Collections of N items with K labels each (Pandita et al. 2026).

    An item's shares β are drawn from a prior, or given the labels of an item of a pilot. Gold's labels are
    draws from β. A's come from β mixed with a share ε_A of noise, and B's with ε_B; the noise of an item is
    Dirichlet(1/M, …, 1/M). On levels, items are moved along the latent scale by U(−ε, ε) instead. Real
    systems of a pilot answer as they did.

    Attributes
    ----------
    prior
        The prior of the items, or a pilot's own items.
    n_items, k_responses
        Items N, at least 2, and labels of gold K, at least 1.
    epsilon_b, epsilon_a
        Shares of noise ε in B's and A's labels, in [0, 1].
    n_runs
        Labels of each system to each item; None for K.
    """

    prior: LabelSource
    n_items: int
    k_responses: int
    epsilon_b: float
    epsilon_a: float = 0.0
    n_runs: int | None = 1

    countable = False

    def __post_init__(self) -> None:
        check_size(self.n_items, self.k_responses, self.n_runs)
        check_epsilon("epsilon_b", self.epsilon_b)
        check_epsilon("epsilon_a", self.epsilon_a)

    def key(self, seed: int, purpose: str, *, any_size: bool = False) -> StreamKey:
        """Return the key of this population's streams for one purpose; each size has its own key."""
        return stream_key(
            seed,
            purpose=purpose,
            prior=self.prior.key(),
            n=self.n_items,
            k=self.k_responses,
            epsilon_a=float(self.epsilon_a),
            epsilon_b=float(self.epsilon_b),
            n_runs=self.n_runs or 0,
        )

    def draw(self, streams: Streams, n_sets: int, hypothesis: str = "alternative") -> tuple[Floats, Floats]:
        """Draw gold's labels (R, N, K) and both systems' (2, R, N, runs), as places of classes.

        Under the null, a fair coin gives each of a system's labels A's shares or B's; real systems have none.
        """
        rows = self._rows(streams, n_sets)
        pilot = self._of_pair
        if pilot is not None:
            if hypothesis == "null":
                raise NbykError(
                    "found real systems, whose answers stand; expected simulated ones under the null"
                )
            return pilot.labels(rows, self.k_responses, streams), pilot.answers_to(rows)
        gold, *systems = _pool(self.prior, self.epsilon_a, self.epsilon_b)[0]
        if hypothesis == "null":
            systems = [0.5 * (systems[0] + systems[1])] * 2

        def labels(role: str, above: Floats, k: int) -> Floats:
            u = streams.uniforms(role, (*rows.shape, k))
            return labels_of(above[:, rows], u).astype(np.float64)

        runs = self.n_runs or self.k_responses
        answers = np.stack([labels(*of, runs) for of in zip("ab", systems, strict=True)])
        return labels("gold", gold, self.k_responses), answers

    def sets(self, streams: Streams, n_sets: int, *, long_run: bool = False) -> LabelSets:
        """Draw test sets as `draw` does under the alternative, with their labels counted.

        In the long run, gold has infinitely many labels, and so have systems that answer as often as gold.
        """
        rows, n_classes = self._rows(streams, n_sets), self.prior.levels
        pilot = self._of_pair
        if pilot is not None:
            answers, table = pilot.answers_to(rows), np.eye(n_classes)
            labels = None if long_run else pilot.labels(rows, self.k_responses, streams)
            gold = pilot.shares(rows) if labels is None else shares_among(labels, table)
            return LabelSets(gold, shares_among(answers, table), answers, rows=rows)
        runs = self.n_runs or (None if long_run else self.k_responses)
        numbers = (None if long_run else self.k_responses, *2 * (runs,))
        shares = np.empty((3, *rows.shape, n_classes))
        chances, limits = _pool(self.prior, self.epsilon_a, self.epsilon_b)
        for role_shares, above, k in zip(shares, chances, numbers, strict=True):
            if k is None:
                role_shares[:] = shares_of(above[:, rows])
        word = streams.generator("labels").integers(2**64, dtype=np.uint64)
        flat = shares.reshape(3, -1, n_classes)
        _draw_shares(limits, rows.reshape(-1), np.array([k or 0 for k in numbers]), word, flat)
        return LabelSets(shares[0], shares[1:], runs=runs or _MANY, rows=rows)

    def item_effects(self, metrics: Sequence[Metric], streams: Streams, n_sets: int) -> Floats:
        """Return every item's effect in test sets under the alternative, (metrics, R, N)."""
        runs = (self.n_runs or self.k_responses) * any(metric.needs == "classes" for metric in metrics)
        parts = [
            self.sets(streams, batch).item_effects(metrics, self.prior.classes)
            for batch in batches(n_sets, self.prior.levels * (4 + 2 * runs) * self.n_items)
        ]
        return np.concatenate(parts, axis=1)

    def long_run_effect(self, metric: Metric, seed: int) -> float:
        """Return an effect with infinitely many labels of gold, over 50,000 items."""
        return float(self._large(metric, seed, long_run=True)[1].mean())

    def item_moments(self, metric: Metric, seed: int) -> Floats:
        """Return the mean effect on every item of a pilot, its square, and that in the long run, (3, N)."""
        rows, effects = self._large(metric, seed, long_run=False)
        long_rows, long_run = self._large(metric, seed, long_run=True)

        def means(rows: NDArray[np.int64], values: Floats) -> Floats:
            n = self.prior.n_items
            return np.bincount(rows % n, values, n) / np.maximum(np.bincount(rows % n, minlength=n), 1)

        return np.stack([means(rows, effects), means(rows, effects**2), means(long_rows, long_run)])

    def _large(self, metric: Metric, seed: int, *, long_run: bool) -> tuple[NDArray[np.int64], Floats]:
        """Return 50,000 items, as rows of the pool, and the effect on each, (rows,)."""
        key = stream_key(seed, purpose="long-run effect", prior=self.prior.key())
        expected = (
            long_run and metric.needs == "classes" and metric.kind == "score" and not self.prior.answers
        )
        runs = None if expected else self.n_runs
        sets = replace(self, n_items=_ITEMS, n_runs=runs).sets(Streams(key, 0), 1, long_run=long_run)
        assert sets.rows is not None
        if expected:
            return sets.rows[0], sets.expected_effects(metric, self.prior.classes)
        return sets.rows[0], sets.item_effects([metric], self.prior.classes)[0, 0]

    def _rows(self, streams: Streams, n_sets: int) -> NDArray[np.int64]:
        return streams.generator("items").integers(_POOL, size=(n_sets, self.n_items))

    @property
    def _of_pair(self) -> LabelledItems | None:
        """The pilot's items, if real systems answered them."""
        return self.prior if isinstance(self.prior, LabelledItems) and self.prior.of_pair else None


@lru_cache(maxsize=4)
def _items(prior: LabelSource) -> Any:
    """Return 65,536 items of a prior or a pilot: a tenth of the time of drawing shares, and of the error."""
    key = stream_key(0, purpose="pool of labelled items", prior=prior.key())
    return prior.pool(Streams(key, 0).generator(""), _POOL)


@lru_cache(maxsize=4)
def _pool(prior: LabelSource, epsilon_a: float, epsilon_b: float) -> tuple[Floats, NDArray[np.uint32]]:
    """Return the chances of a class from c on, (3, M − 1, rows), and as thresholds by item of the pool."""
    chances = np.stack(_items(prior).at(epsilon_a, epsilon_b))
    return chances, np.ascontiguousarray(as_thresholds(np.moveaxis(chances, -1, 0)))


@njit(nogil=True, cache=True)
def _draw_shares(limits: Any, rows: Any, labels: Any, key: Any, out: Any) -> None:
    """Fill `out`, (S, n, M), with shares of the classes among so many `labels`, (S,); 0 fills none."""
    n_levels = out.shape[2] - 1
    state, words = np.empty(STATE, np.uint64), np.empty(LANES, np.uint64)
    halves = words.view(np.uint32)
    limit = np.zeros((len(out), n_levels, BLOCK), np.uint32)
    count = np.empty((n_levels, BLOCK), np.int32)
    share = np.zeros((len(labels), labels.max() + 1))
    for role in range(len(labels)):
        for n in range(labels[role] + 1):
            share[role, n] = n / max(labels[role], 1)
    start_replicate(key, 0, state)
    for start in range(0, len(rows), BLOCK):
        width = min(BLOCK, len(rows) - start)
        for i in range(width):
            for role in range(len(out)):
                for level in range(n_levels):
                    limit[role, level, i] = limits[rows[start + i], role, level]
        for role in range(len(out)):
            k = labels[role]
            if k == 0:
                continue
            count[:] = 0
            for _ in range(k):
                next_row(state, words)
                for level in range(n_levels):
                    level_limit, level_count = limit[role, level], count[level]
                    for i in range(BLOCK):
                        level_count[i] += np.int32(halves[i] < level_limit[i])
            for i in range(width):
                above = k
                for c in range(n_levels):
                    out[role, start + i, c] = share[role, above - count[c, i]]
                    above = count[c, i]
                out[role, start + i, n_levels] = share[role, above]


@njit(nogil=True, cache=True)
def _fill_labels(shares: Any, out: Any) -> None:
    """Fill `out`, shape (n, runs), with answers in the order of the classes, from their shares, (n, M)."""
    runs, last = out.shape[1], shares.shape[1] - 1
    for i in range(len(out)):
        c, total = 0, shares[i, 0]
        for run in range(runs):
            while c < last and round(total * runs) <= run:
                c += 1
                total += shares[i, c]
            out[i, run] = c


SimulatedPopulation = Population | RedrawnPilot | LabelPopulation
"""What test sets are simulated from."""


def _together(answers: Sequence[Floats]) -> Floats:
    """Return the answers of systems with as many runs each, (2, N, runs), NaN where one has fewer."""
    runs = max(one.shape[1] for one in answers)
    out = np.full((len(answers), len(answers[0]), runs), np.nan)
    for one, row in zip(answers, out, strict=True):
        row[:, : one.shape[1]] = one
    return out


def counts_among(labels: Floats, n_classes: int) -> Counts:
    """Return the counts of the classes among labels, (…, M) of places (…, K); NaN is none."""
    return np.stack([(labels == c).sum(axis=-1) for c in range(n_classes)], axis=-1)
