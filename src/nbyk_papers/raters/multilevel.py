"""Draws of items together with the raters that they share: the sampler `items_and_raters`.

Items and raters are drawn with replacement, independently, and every rating where they meet; systems'
responses are drawn anew in each item (Owen 2007, The pigeonhole bootstrap; Pandita, Korn, Welty and Homan
2026, Improving reproducibility in evaluation through multi-level annotator modeling, arXiv 2605.13801).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nbyk.data.response_set import ResponseSet
from nbyk.data.units import Units
from nbyk.errors import NbykError
from nbyk.resampling.draw_plan import DrawPlan, HypothesisStreams, ResponseRows
from nbyk.resampling.effects import as_metrics, run_chunks, score
from nbyk.resampling.samplers import Sampler
from nbyk.resampling.streams import Streams, stream_key

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Uniforms = Callable[[str, tuple[int, ...]], Floats]


def effects_over_raters(
    data: ResponseSet,
    metrics: Sequence[str],
    *,
    null: str | None,
    n_resamples: int,
    seed: int = 0,
    threads: int = 1,
) -> Floats:
    """Return effects of resamples of items and raters, shape (metrics, M), as `hypothesis_effects` does.

    A null redraws responses after items and raters were drawn, separately for each copy of an item.
    """
    chosen, key = as_metrics(metrics), stream_key(seed, data=data.fingerprint(), sampler="items_and_raters")
    crossed = CrossedRaters.of(data)
    sampler = Sampler("all_items", "sample" if data.has_gold else "all")

    def draws(chunk: int, n: int) -> Iterator[tuple[Floats, Floats]]:
        streams = HypothesisStreams(Streams(key, chunk), null or "alternative", share_gold=False)
        for _ in range(n):
            drawn = crossed.draw(streams.uniforms)
            rows = (ResponseRows.of(matrix) for matrix in (drawn.gold[:, :0], drawn.a, drawn.b))
            yield drawn.gold[None], DrawPlan(sampler, key, False, *rows).draw(streams, null, 1)[1]

    def work(chunk: int, size: int) -> Floats:
        scored = [score(chosen, systems, gold) for gold, systems in draws(chunk, size)]
        return np.concatenate(scored, axis=1)

    (effects,) = run_chunks(n_resamples, work, threads=threads)
    return effects


@dataclass(frozen=True)
class CrossedRaters:
    """Items and raters of a response set, from which resamples are drawn.

    Attributes
    ----------
    data
        The response set; its rated roles are gold or, without gold, A and B.
    raters
        For each rated role, the rater of each response, shape (N, K), numbered through all roles; −1 for no
        response.
    n_raters
        Number of raters J.
    """

    data: ResponseSet
    raters: dict[str, Integers]
    n_raters: int

    @classmethod
    def of(cls, data: ResponseSet) -> CrossedRaters:
        """Return those of responses whose raters are known by ids or columns."""
        roles = ("gold",) if data.has_gold else ("a", "b")
        units: dict[str, Units] = {}
        for role in roles:
            if role not in data.units or data.units[role].index is None or data.units[role].n_shared == 0:
                raise NbykError(
                    f"items share no raters of {role}, as far as their ids say; give ids, or draw raters "
                    "within items by bootstrap_items/sample(K)"
                )
            units[role] = data.units[role]
        names: dict[str, int] = {}
        raters = {}
        for role, role_units in units.items():
            places = [names.setdefault(name, len(names)) for name in role_units.names]
            # −1, no response, takes the last place
            raters[role] = np.array([*places, -1], dtype=np.int64)[role_units.index]
        return cls(replace(data, units={}), raters, len(names))

    def draw(self, uniforms: Uniforms) -> ResponseSet:
        """Return one resample; items and raters are drawn again if no drawn rater rated a drawn item."""
        while True:
            items = _indices(uniforms("items", (self.data.n_items,)))
            drawn = self.at(items, _indices(uniforms("gold", (self.n_raters,))))
            if drawn.n_items:
                return drawn

    def at(self, items: Integers, raters: Integers) -> ResponseSet:
        """Return every rating that a drawn rater gave to a drawn item.

        A rater who was drawn twice counts twice in every item, and an item that was drawn twice appears
        twice. Items without a rating by a drawn rater are dropped. Responses of systems stay unchanged unless
        the raters rated these.
        """
        times = np.bincount(raters, minlength=self.n_raters + 1)  # the last count is that of −1, no rater
        counts = {role: times[index[items]] for role, index in self.raters.items()}
        there = np.all([role_counts.sum(axis=1) > 0 for role_counts in counts.values()], axis=0)
        kept = items[there]
        gold, a, b = (
            _repeated(matrix[kept], counts[role][there]) if role in counts else matrix[kept]
            for role, matrix in (("gold", self.data.gold), ("a", self.data.a), ("b", self.data.b))
        )
        return ResponseSet(gold, a, b)


def _indices(uniforms: Floats) -> Integers:
    """Return n indices below n, drawn with replacement, from n uniforms."""
    return (uniforms * len(uniforms)).astype(np.int64)


def _repeated(rows: Floats, times: Integers) -> Floats:
    """Return rows (n, K) with each response repeated `times`, shape (n, most), padded with NaN."""
    counts = times.sum(axis=1)
    places = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    out = np.full((len(rows), int(counts.max(initial=0))), np.nan)
    out[np.repeat(np.arange(len(rows)), counts), places] = np.repeat(rows.reshape(-1), times.reshape(-1))
    return out
