"""Parts of the variance of item effects, from random halves of each item's responses.

References
----------
Sobol' 1993, Sensitivity estimates for nonlinear mathematical models; Owen 2014, Sobol' indices and Shapley
value; Song, Nelson and Staum 2016, Shapley effects for global sensitivity analysis.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.data.response_set import ResponseSet
from nbyk.errors import NbykError
from nbyk.resampling.streams import StreamKey

Effects = Callable[[Mapping[str, Floats]], Floats]

ROLES = ("gold", "a", "b")
SOURCES = ("items", *ROLES)

_N_SPLITS = 16


@dataclass(frozen=True)
class Splits:
    """Responses to split, by role: of the items with two or more from each of `roles`, and their clusters.

    Roles that are `single` have one response per item; their part cannot be told from the items' part.
    """

    responses: dict[str, Floats]
    roles: tuple[str, ...]
    single: tuple[str, ...]
    clusters: Integers | None = None

    @classmethod
    def of(cls, data: ResponseSet, roles: Sequence[str]) -> Splits:
        """Return the splits of these roles' responses; refuse those that leave fewer than two items."""
        whole = {"gold": data.gold, "a": data.a, "b": data.b}
        several = {role: (~np.isnan(whole[role])).sum(axis=1) > 1 for role in roles}
        split = tuple(role for role in roles if several[role].sum() > 1)
        kept = np.all([several[role] for role in split], axis=0) if split else np.ones(data.n_items, np.bool_)
        if kept.sum() < 2:
            raise NbykError(
                f"variance shares: {int(kept.sum())} items have two responses or more from each of "
                f"{', '.join(split)}; expected at least two items"
            )
        matrices = {role: matrix[kept] for role, matrix in whole.items()}
        clusters = None if data.clusters is None else np.unique(data.clusters[kept], return_inverse=True)[1]
        return cls(matrices, split, tuple(role for role in roles if role not in split), clusters)

    @property
    def counts(self) -> Integers:
        """Number of responses of each role to split on each item, shape (roles, items)."""
        return np.array([(~np.isnan(self.responses[role])).sum(axis=1) for role in self.roles])

    @property
    def quartered(self) -> bool:
        """Whether halves can be halved again on every item."""
        return bool(self.roles) and int(self.counts.min()) >= 4

    def features(self, effects: Effects, key: StreamKey) -> Floats:
        """Return each item's numbers for `parts`, shape (items, 2^roles + 7), or (items, 2) without roles.

        The mean effect is subtracted from d first. The numbers are means over splits: of d × d with the
        halves of each subset of roles in common, of d on halves, and its square; of d × d on two quarters, of
        d on quarters, and its square. Then come d on all responses, and its square.
        """
        d = effects(self.responses)
        centre = d.mean()
        n_subsets = 1 << len(self.roles)
        features = np.zeros((len(d), n_subsets + 7 if self.roles else 2))
        for split in range(_N_SPLITS if self.roles else 0):
            generator = np.random.Generator(np.random.PCG64(key.seed_sequence("split", split)))
            halves = {role: _halves(self.responses[role], generator) for role in self.roles}
            on_halves = np.empty((n_subsets, len(d)))
            for which, out in enumerate(on_halves):
                chosen = {role: halves[role][which >> bit & 1] for bit, role in enumerate(self.roles)}
                out[:] = effects({**self.responses, **chosen}) - centre
            for common in range(n_subsets):
                # Two choices of halves share the roles whose bits are set in `common`.
                other = np.arange(n_subsets) ^ (n_subsets - 1 - common)
                features[:, common] += (on_halves * on_halves[other]).mean(axis=0)
            mean = on_halves.mean(axis=0)
            features[:, n_subsets] += mean
            features[:, n_subsets + 1] += mean**2
            if self.quartered:
                quarters = [{role: _first_half(halves[role][side]) for role in self.roles} for side in (0, 1)]
                first, second = (effects({**self.responses, **chosen}) - centre for chosen in quarters)
                mean = 0.5 * (first + second)
                features[:, n_subsets + 2] += first * second
                features[:, n_subsets + 3] += mean
                features[:, n_subsets + 4] += mean**2
        features[:, :-2] /= _N_SPLITS
        features[:, -2] = d - centre
        features[:, -1] = features[:, -2] ** 2
        return features

    def parts(self, sums: Floats, n: int) -> Floats:
        """Return the variance of d by `SOURCES`, shape (4,), from the sums of `features` over n items."""
        whole = (sums[-1] - np.square(sums[-2]) / n) / (n - 1)
        parts = np.zeros(len(SOURCES))
        if not self.roles:
            parts[0] = whole
            return parts
        n_subsets = 1 << len(self.roles)
        explained = _covariance(sums[: n_subsets + 2], n)
        items = explained[0]
        if self.quartered:
            inverse, halves, quarters = (np.mean(1.0 / (self.counts // part)) for part in (1, 2, 4))
            steps = (halves - inverse) / (quarters - halves)
            items = items + steps * (items - _covariance(sums[n_subsets + 2 : n_subsets + 5], n)[0])
        parts[0] = min(items, whole)
        effects = np.maximum(self._shapley_effects(explained), 0.0)
        together = effects.sum()
        if together > 0.0:
            places = [SOURCES.index(role) for role in self.roles]
            parts[places] = effects / together * (whole - max(parts[0], 0.0))
        return parts

    def _shapley_effects(self, explained: Floats) -> Floats:
        """Return each role's Shapley effect, shape (roles,), from variances of subsets, shape (2^roles,).

        A part that only a whole subset explains is divided among its roles. A half of an odd number of
        responses is smaller than half of them, so its part is scaled.
        """
        counts = self.counts
        scale = 2.0 * (counts // 2).mean(axis=1) / counts.mean(axis=1)
        effects = np.zeros(len(self.roles))
        for subset in range(1, len(explained)):
            members = [role for role in range(len(self.roles)) if subset >> role & 1]
            inside = [part for part in range(len(explained)) if part & subset == part]
            signs = [(-1.0) ** (subset.bit_count() - part.bit_count()) for part in inside]
            alone = sum(sign * explained[part] for sign, part in zip(signs, inside, strict=True))
            effects[members] += alone * scale[members].prod() / len(members)
        return effects


def _covariance(sums: Floats, n: int) -> Floats:
    """Return covariances over n items, without bias, from sums of products, then of means and squares."""
    return np.asarray(sums[:-2] / n - (np.square(sums[-2]) - sums[-1]) / (n * (n - 1)))


def _halves(responses: Floats, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Return two disjoint random halves of each row's responses; with an odd number, one is left out."""
    missing = np.isnan(responses)
    order = np.argsort(np.where(missing, 2.0, generator.random(responses.shape)), axis=1)
    shuffled = np.take_along_axis(responses, order, axis=1)
    half = (~missing).sum(axis=1, keepdims=True) // 2
    places = np.arange(int(half.max()))[None]
    second = np.take_along_axis(shuffled, np.minimum(half + places, responses.shape[1] - 1), axis=1)
    return _first_half(shuffled), np.where(places < half, second, np.nan)


def _first_half(responses: Floats) -> Floats:
    """Return the first half of each row's responses; with an odd number, the smaller half."""
    half = (~np.isnan(responses)).sum(axis=1, keepdims=True) // 2
    places = np.arange(int(half.max()))[None]
    return np.where(places < half, responses[:, : places.size], np.nan)
