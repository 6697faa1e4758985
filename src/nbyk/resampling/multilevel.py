"""Draws of items together with their shared raters: two of the three multi-level samplers.

The third, `raters_within_items`, draws raters separately in each item and is ``bootstrap_items/sample(K)``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nbyk.data.response_set import ResponseSet
from nbyk.data.units import Units
from nbyk.errors import NbykError, unknown_name
from nbyk.resampling.samplers import MULTILEVEL_SAMPLERS

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Uniforms = Callable[[str, tuple[int, ...]], Floats]


@dataclass(frozen=True)
class MultilevelSampler:
    """Items, or batches of items, and raters of one response set, from which resamples are drawn.

    Make it with `multilevel_sampler`.

    Attributes
    ----------
    name
        A key of `nbyk.resampling.samplers.MULTILEVEL_SAMPLERS`.
    data
        The response set; its rated roles are gold or, without gold, A and B.
    raters
        For each rated role, the rater of each response, shape (N, K), numbered through all roles; −1 for no
        response.
    n_raters
        Number of raters J.
    batch_of_item : ndarray of int, shape (N,)
        The batch of each item: items that the same people rated.
    """

    name: str
    data: ResponseSet
    raters: dict[str, Integers]
    n_raters: int
    batch_of_item: Integers

    def draw(self, uniforms: Uniforms) -> ResponseSet:
        """Return one resample, given a source of uniforms by role and shape.

        If the drawn raters rated none of the drawn items, both are drawn again.
        """
        if self.name == "rater_batches":
            n_batches = int(self.batch_of_item.max()) + 1
            return self.batches_at(_indices(uniforms("items", (n_batches,))))
        while True:
            items = _indices(uniforms("items", (self.data.n_items,)))
            drawn = self.crossed_at(items, _indices(uniforms("gold", (self.n_raters,))))
            if drawn.n_items:
                return drawn

    def batches_at(self, batches: Integers) -> ResponseSet:
        """Return the items of some batches with their ratings as they are, batch by batch."""
        by_batch = np.argsort(self.batch_of_item, kind="stable")
        ends = np.cumsum(np.bincount(self.batch_of_item))
        members = np.split(by_batch, ends[:-1])
        items = np.concatenate([members[batch] for batch in batches])
        return ResponseSet(self.data.gold[items], self.data.a[items], self.data.b[items])

    def crossed_at(self, items: Integers, raters: Integers) -> ResponseSet:
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


def multilevel_sampler(name: str, data: ResponseSet) -> MultilevelSampler:
    """Return a multi-level sampler of a response set.

    Parameters
    ----------
    name
        "items_and_raters" or "rater_batches".
    data
        The responses. Raters are known by ids or columns, for gold or, without gold, for A and for B.

    References
    ----------
    Owen 2007, The pigeonhole bootstrap; Pandita, Korn, Welty and Homan 2026, Improving reproducibility in
    evaluation through multi-level annotator modeling (arXiv 2605.13801).
    """
    if name not in MULTILEVEL_SAMPLERS:
        raise unknown_name("multi-level sampler", name, MULTILEVEL_SAMPLERS)
    roles = ("gold",) if data.has_gold else ("a", "b")
    units = {role: data.units.get(role) for role in roles}
    for role, role_units in units.items():
        if role_units is None or role_units.index is None or role_units.n_shared == 0:
            raise NbykError(
                f"sampler {name}: items share no raters of {role}, as far as their ids say; "
                "give ids, or draw raters within items by bootstrap_items/sample(K)"
            )
    raters, names = _numbered(
        {role: role_units for role, role_units in units.items() if role_units is not None}
    )
    panels = np.concatenate([np.sort(index, axis=1) for index in raters.values()], axis=1)
    batch_of_item = np.unique(panels, axis=0, return_inverse=True)[1].reshape(-1)
    if name == "rater_batches" and batch_of_item.max() == 0:
        raise NbykError(
            "sampler rater_batches: the same people rated all items, so there is one batch; "
            "use items_and_raters"
        )
    return MultilevelSampler(name, replace(data, units={}), raters, len(names), batch_of_item)


def _numbered(units: dict[str, Units]) -> tuple[dict[str, Integers], dict[str, int]]:
    """Return the rater of each response of each role, the same number for the same name, and the names."""
    names: dict[str, int] = {}
    raters = {}
    for role, role_units in units.items():
        places = [names.setdefault(name, len(names)) for name in role_units.names]
        # −1, no response, takes the last place
        raters[role] = np.array([*places, -1], dtype=np.int64)[role_units.index]
    return raters, names


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
