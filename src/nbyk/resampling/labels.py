"""Collections of labels drawn from a prior of classes, or from a pilot's own items."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.compiled import njit
from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.priors.nominal import ClassPrior, MixedPool, as_counts, labels_of, shares_of
from nbyk.priors.ordinal import OrdinalPrior
from nbyk.resampling.count_sets import as_thresholds, draw_counts
from nbyk.resampling.effects import batches, effects_of_scores
from nbyk.resampling.pilot_items import RedrawnPilot
from nbyk.resampling.population import Population, check_epsilon, check_size
from nbyk.resampling.streams import StreamKey, Streams, stream_key

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

_ITEMS = 50_000
_POOL = 65_536
_MANY = 100
"""Answers one by one that stand for infinitely many."""


@dataclass(frozen=True, eq=False)
class LabelledItems:
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
    """

    prior: ClassPrior
    counts: Counts
    answers: tuple[Floats, Floats] | None = None
    system_names: tuple[str, str] = ("A", "B")

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", as_counts(self.counts, self.prior.levels))
        if any(answers.shape[:1] != self.counts.shape[:1] for answers in self.answers or ()):
            raise NbykError("pilot: labels and systems differ in their items; give the same items to all")
        # The order of the rows and columns of a file, which means nothing, does not change a number.
        answers = self.answers and tuple(np.sort(one, axis=1) for one in self.answers)
        order = np.lexsort(np.concatenate([self.counts, *(answers or ())], axis=1).T[::-1])
        object.__setattr__(self, "counts", self.counts[order])
        object.__setattr__(self, "answers", answers and tuple(one[order] for one in answers))

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

    def effect(self, metric: Metric) -> float:
        """Return by how much A's answers are better than B's here, by a metric that is a mean over items."""
        answers, gold = _together(self.answers or ())[:, np.newaxis], self.counts[np.newaxis]
        shares = gold / gold.sum(axis=-1, keepdims=True)
        sets = LabelSets(shares, _shares_among(answers, self.levels), answers)
        return float(sets.item_effects([metric], self.classes).mean())

    def swapped(self) -> LabelledItems:
        """Return the items with B's answers as A's."""
        return replace(
            self, answers=self.answers and self.answers[::-1], system_names=self.system_names[::-1]
        )

    def key(self) -> str:
        """Return the key of the random streams: the labels and answers themselves."""
        digest = hashlib.sha256(self.prior.key().encode())
        for matrix in (self.counts, *(self.answers or ())):
            digest.update(np.ascontiguousarray(matrix).tobytes())
        return f"labels {digest.hexdigest()}"

    def to_dict(self) -> dict[str, Any]:
        """Return a description of the items as plain values that JSON can hold."""
        pair = {"systems": list(self.system_names)} if self.answers is not None else {}
        return {"name": self.name, "pilot_items": self.n_items, **pair, "fitted": self.prior.to_dict()}


LabelSource = ClassPrior | OrdinalPrior | LabelledItems
"""What labels are simulated from."""


@dataclass(frozen=True)
class LabelSets:
    """R test sets of N items: gold's labels and the systems' answers, counted or one by one.

    Attributes
    ----------
    gold : ndarray, shape (R, N, M)
        Shares of the classes among gold's labels.
    systems : ndarray, shape (2, R, N, M)
        Shares of the classes among A's and B's answers.
    answers : ndarray, shape (2, R, N, runs), or None
        The answers of real systems, as places of classes; NaN where missing.
    runs
        The number of answers of simulated systems.
    """

    gold: Floats
    systems: Floats
    answers: Floats | None = None
    runs: int = 0

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
        gold, rows = self.gold.reshape(n, 1, n_classes), self.systems.reshape(-1, n_classes)
        scores = np.empty((len(metrics), 2, n))
        for metric, out in zip(metrics, scores, strict=True):
            if metric.needs == "classes":
                places, table = self.labels.reshape(2, n, 1, -1), np.eye(n_classes)
            else:
                places, table = np.arange(2.0 * n).reshape(2, n, 1, 1), rows
            metric.bound(names, table).fill(places, gold, out)
        return effects_of_scores(metrics, scores).reshape(len(metrics), n_sets, n_items)


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

        Under the null, a fair coin gives each of a system's labels A's shares or B's.
        """
        rows = self._rows(streams, n_sets)
        gold, *systems = self._chances
        if hypothesis == "null":
            systems = [0.5 * (systems[0] + systems[1])] * 2

        def labels(role: str, above: Floats, k: int) -> Floats:
            u = streams.uniforms(role, (*rows.shape, k))
            return labels_of(above[:, rows], u).astype(np.float64)

        answers, runs = self._answers(rows), self.n_runs or self.k_responses
        if answers is None:
            answers = np.stack([labels(*of, runs) for of in zip("ab", systems, strict=True)])
        return labels("gold", gold, self.k_responses), answers

    def sets(self, streams: Streams, n_sets: int, *, long_run: bool = False) -> LabelSets:
        """Draw test sets as `draw` does under the alternative, with their labels counted.

        In the long run, gold has infinitely many labels, and so have systems that answer as often as gold.
        """
        rows = self._rows(streams, n_sets)

        def drawn(place: int, k: int | None) -> Floats:
            if k is None:
                return shares_of(self._chances[place][:, rows])
            at_least = np.empty((self.prior.levels - 1, *rows.shape), np.int32)
            limits, shares = np.empty(at_least.shape, np.uint32), np.empty((*rows.shape, self.prior.levels))
            word = streams.generator(f"labels {place}").integers(2**64, dtype=np.uint64)
            _take(self._limits[place], rows.reshape(-1), limits.reshape(len(limits), -1))
            draw_counts(word, 0, k, limits, at_least)
            _fill_shares(at_least.reshape(len(at_least), -1), k, shares.reshape(-1, self.prior.levels))
            return shares

        gold = drawn(0, None if long_run else self.k_responses)
        answers = self._answers(rows)
        if answers is not None:
            return LabelSets(gold, _shares_among(answers, self.prior.levels), answers)
        runs = self.n_runs or (None if long_run else self.k_responses)
        return LabelSets(gold, np.stack([drawn(place, runs) for place in (1, 2)]), runs=runs or _MANY)

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
        key = stream_key(seed, purpose="long-run effect", prior=self.prior.key())
        sets = replace(self, n_items=_ITEMS).sets(Streams(key, 0), 1, long_run=True)
        return float(sets.item_effects([metric], self.prior.classes).mean())

    def _rows(self, streams: Streams, n_sets: int) -> NDArray[np.int64]:
        return streams.generator("items").integers(_POOL, size=(n_sets, self.n_items))

    def _answers(self, rows: NDArray[np.int64]) -> Floats | None:
        """Return real systems' answers to items of the pool, (2, R, N, runs); None of simulated ones."""
        if not isinstance(self.prior, LabelledItems) or self.prior.answers is None:
            return None
        return _together(self.prior.answers)[:, rows % self.prior.n_items]

    @cached_property
    def _chances(self) -> tuple[Floats, Floats, Floats]:
        """The chances of a class from c on of the pool's items, of gold, A and B, (M − 1, rows)."""
        gold, a, b = _pool(self.prior).at(self.epsilon_a, self.epsilon_b)
        return gold, a, b

    @cached_property
    def _limits(self) -> tuple[NDArray[np.uint32], ...]:
        return tuple(map(as_thresholds, self._chances))


@lru_cache(maxsize=4)
def _pool(prior: LabelSource) -> Any:
    """Return 65,536 items of a prior or a pilot, whose items stand in turn.

    To draw items from a pool costs a tenth of drawing their shares, and a mean over it has a fraction of the
    error of the sets drawn from it.
    """
    key = stream_key(0, purpose="pool of labelled items", prior=prior.key())
    return prior.pool(Streams(key, 0).generator(""), _POOL)


@njit(nogil=True, cache=True)
def _take(limits: Any, rows: Any, out: Any) -> None:
    """Fill `out`, shape (M − 1, n), with the columns of `limits` at `rows`, (n,)."""
    for level in range(len(out)):
        of_level, to = limits[level], out[level]
        for i in range(len(rows)):
            to[i] = of_level[rows[i]]


@njit(nogil=True, cache=True)
def _fill_shares(at_least: Any, k: int, out: Any) -> None:
    """Fill `out`, shape (n, M), with shares from #{labels ≥ class} of K, shape (M − 1, n)."""
    for i in range(len(out)):
        above = k
        for c in range(len(at_least)):
            out[i, c] = (above - at_least[c, i]) / k
            above = at_least[c, i]
        out[i, len(at_least)] = above / k


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


def _shares_among(labels: Floats, n_classes: int) -> Floats:
    counts = counts_among(labels, n_classes)
    return np.asarray(counts / counts.sum(axis=-1, keepdims=True))
