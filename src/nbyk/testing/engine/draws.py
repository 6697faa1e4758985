"""Effects of two systems under the nulls and on bootstrapped test sets, for any metrics on the same draws."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from nbyk.arrays import Floats
from nbyk.data.response_set import ResponseSet, stack_responses
from nbyk.metrics import Metric
from nbyk.resampling.effects import Progress, Threads, check_defined, effects_of_scores, run_chunks
from nbyk.resampling.resample import hypothesis_effects
from nbyk.resampling.samplers import Sampler
from nbyk.resampling.streams import CHUNK, stream_key
from nbyk.testing.engine.forms import Form, form_of
from nbyk.testing.engine.item_draws import Bootstraps, ClusterDraws, ItemDraws
from nbyk.testing.engine.rows import DrawnSwaps, Rows, Swaps

NULL_SAMPLERS = {
    "swap_items": "all_items/all",
    "permutation": "all_items/all",
    "pooled": "all_items/all",
    "pooled_twice": "all_items/sample(K)",
}
"""The samplers that draw nulls at the data's own size; "shifted" uses the sampler of the intervals."""

_GROUPS = 1024
"""Largest number of groups of items that a jackknife leaves out in turn."""


class ItemStreams:
    """Random draws of items; they depend on the seed and on gold, so that all systems and metrics share them.

    Of gold only the order of the item means matters, not that of raters, nor the scale. So comparing B with A
    is the mirror image of comparing A with B. If items have clusters, whole clusters are drawn and swapped.
    If a metric sees few kinds of items, counts of the kinds are drawn instead. Each draw of a role has random
    words of its own (`nbyk.resampling.lanes`).
    """

    def __init__(self, seed: int, rows: Rows) -> None:
        order = np.zeros(rows.n_items, np.int64)  # places in a table have no order
        if rows.table is None and rows.gold.size:
            order = np.unique(rows.gold_means, return_inverse=True)[1]
        digest = hashlib.sha256(order.astype("<u4").tobytes()).hexdigest()
        self.n_items, self.n_clusters, self._clusters = rows.n_items, rows.n_clusters, rows.clusters
        self.key = stream_key(seed, purpose="comparison", gold=digest, n_items=self.n_items)
        self._rows = rows
        self._words: dict[str, np.uint64] = {}

    @property
    def together(self) -> int:
        """Chunks of swaps to take together: more repay a table of sums, and fewer stay in a near cache."""
        return min(16, max(8, 4096 // -(-self.n_clusters // 64)))

    def swaps(self, chunk: int, n_draws: int = CHUNK) -> Swaps:
        """Return draws from a chunk on; each says for every item whether its rows are swapped."""
        return DrawnSwaps(self._word("swap"), chunk * CHUNK, n_draws, self._rows)

    def every_swap(self, chunk: int, n_draws: int) -> Swaps:
        """Return all swaps in order from a chunk on, the first cluster alone first; at most 63 clusters."""
        words = np.arange(1, n_draws + 1, dtype=np.uint64)[:, None] + np.uint64(chunk * CHUNK)
        return Swaps(words, self.n_items, self._clusters)

    def items(self, role: str, chunk: int) -> ItemDraws:
        """Return a chunk of draws with replacement of all items, in whole clusters."""
        drawn = self.units(role, chunk, self.n_clusters)
        return drawn if self._clusters is None else ClusterDraws(drawn, self._clusters)

    def units(self, role: str, chunk: int, n_units: int) -> Bootstraps:
        """Return a chunk of draws with replacement from `n_units` items or clusters."""
        return Bootstraps(self._word(role), chunk * CHUNK, n_units)

    def _word(self, role: str) -> np.uint64:
        if role not in self._words:
            self._words[role] = self.key.word(role, 0)
        return self._words[role]


class Draws:
    """Draws of two systems' effects by several metrics; draws can begin at any number.

    With `raw_swaps`, swaps exchange the responses themselves, as published, and not what the metric sees of
    them (`nbyk.testing.engine.rows.Rows.as_scored`).
    """

    def __init__(
        self,
        data: ResponseSet,
        metrics: Sequence[Metric],
        *,
        seed: int,
        threads: Threads = 1,
        progress: Progress | None = None,
        raw_swaps: bool = False,
    ) -> None:
        self.data = data
        self.metrics = tuple(metrics)
        table = None if data.categories is None else data.categories.table
        self.rows = Rows.of(data.gold, stack_responses(data.a, data.b), data.clusters, table)
        effects = np.array([[self.rows.effect(metric)] for metric in self.metrics])
        self.observed = check_defined(self.metrics, effects)[:, 0]
        self._seed, self._threads, self._progress = seed, threads, progress
        self._raw_swaps = raw_swaps
        self._streams = ItemStreams(seed, self.rows)

    @property
    def n_arrangements(self) -> int:
        """Number of ways to swap rows, not counting "swap none": 2^N − 1, or 2^G − 1."""
        return int(2**self.rows.n_clusters - 1)

    def scores(self, index: int) -> tuple[float, float] | tuple[None, None]:
        """Return A's and B's own scores by a metric on the data as they are; None if it is a comparison."""
        metric = self.metrics[index]
        if metric.kind == "comparison":
            return None, None
        a, b = self.rows.scores(metric).tolist()
        return a, b

    def swapped(self, which: Sequence[int], n_draws: int, *, start: int = 0, exact: bool = False) -> Floats:
        """Return effects after random swaps, or `exact`, after all of them; shape (which, draws)."""
        forms = [self._swap_forms[index] for index in which]

        def work(chunk: int, size: int) -> Floats:
            draws = (self._streams.every_swap if exact else self._streams.swaps)(chunk, size)
            return np.concatenate([form.swapped(draws) for form in forms])

        return self._effects(forms, self._run(work, n_draws, start, together=self._streams.together))

    def bootstrapped(self, which: Sequence[int], n_draws: int, role: str, *, start: int = 0) -> Floats:
        """Return effects on bootstrapped items with all of their responses, shape (which, draws)."""
        forms = self._forms(which)

        def work(chunk: int, _: int) -> Floats:
            draws = self._streams.items(role, chunk)
            return np.concatenate([form.drawn(draws) for form in forms])

        return self._effects(forms, self._run(work, n_draws, start))

    def redrawn(
        self, which: Sequence[int], n_draws: int, sampler: Sampler | str, null: str | None, *, start: int = 0
    ) -> Floats:
        """Return effects of responses redrawn as by `nbyk.resampled_effects`, shape (which, draws).

        Unlike there, they do not depend on the order of an item's responses, nor on the scale.
        """
        return hypothesis_effects(
            self.data,
            [self.metrics[index] for index in which],
            sampler=sampler,
            null=null,
            n_resamples=n_draws,
            start=start,
            seed=self._seed,
            threads=self._threads,
            progress=self._progress,
            on_paper=True,
        )

    def under_null(
        self, which: Sequence[int], n_draws: int, null: str, sampler: Sampler, *, start: int = 0
    ) -> Floats:
        """Return effects under a null at the data's own size, shape (which, draws).

        `sampler` is the bootstrap of "shifted". Effects are NaN or infinite where a metric is undefined.
        """
        if null == "swap_items":
            return self.swapped(which, n_draws, start=start)
        if null == "shifted" and sampler.keeps_rows:
            drawn = self.bootstrapped(which, n_draws, "shifted", start=start)
            return drawn - self.observed[list(which)][:, None]
        null_sampler = sampler if null == "shifted" else NULL_SAMPLERS[null]
        return self.redrawn(which, n_draws, null_sampler, null, start=start)

    def jackknifed(self, most_groups: int = _GROUPS) -> Floats:
        """Return effects without each item, or each group if there are more, shape (metrics, groups).

        If items have clusters, whole clusters are left out.
        """
        n = self.rows.n_clusters
        n_groups = min(n, most_groups)
        starts = np.arange(n_groups) * n // n_groups
        if self.rows.clusters is not None:
            starts = np.searchsorted(self.rows.clusters, starts)
        every = range(len(self.metrics))
        forms = self._forms(every)
        return self._effects(forms, np.concatenate([form.without(starts) for form in forms]))

    @cached_property
    def _all_forms(self) -> list[Form]:
        return [form_of(metric, self.rows) for metric in self.metrics]

    @cached_property
    def _swap_forms(self) -> list[Form]:
        if self._raw_swaps:
            return self._all_forms
        forms = []
        for form in self._all_forms:
            rows = self.rows.as_scored(form.metric)
            forms.append(form if rows is self.rows else form_of(form.metric, rows))
        return forms

    def _forms(self, which: Sequence[int]) -> list[Form]:
        return [self._all_forms[index] for index in which]

    def _effects(self, forms: Sequence[Form], scores: Floats) -> Floats:
        return effects_of_scores([form.metric for form in forms], scores.reshape(len(forms), 2, -1))

    def _run(
        self, work: Callable[[int, int], Floats], n_draws: int, start: int, *, together: int = 1
    ) -> Floats:
        (drawn,) = run_chunks(
            n_draws, work, start=start, together=together, threads=self._threads, progress=self._progress
        )
        return drawn
