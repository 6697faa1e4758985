"""The response stage: what turns a standard normal draw into a response, on the scale of the data.

A response is of a kind (`nbyk.priors.kinds`) and has levels or none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nbyk.arrays import Floats, Integers
from nbyk.data.responses import response_matrix
from nbyk.data.scales import Binary, Levels, Scale
from nbyk.errors import NbykError, check_name
from nbyk.priors.family import check_fields
from nbyk.priors.kinds import KINDS, Kind, respond_all
from nbyk.sums import product

_ON_LEVEL = 1e-6
_DECIMALS = 12
_PARTS = 10
"""Levels that responses between two ends are cut into for a fit."""


@dataclass(frozen=True)
class Response:
    """What turns a standard normal draw into a response to an item, on the scale of the data.

    Attributes
    ----------
    kind : str
        A name of `nbyk.priors.kinds.KINDS`, such as "likert", where each kind says what it makes of a draw.
    levels : int
        Number of levels L, as the kind takes them; 0 for none, and for those of a kind that fixes them.
    """

    kind: str
    levels: int = 0

    def __post_init__(self) -> None:
        check_name("response", self.kind, KINDS)
        if self.levels == 0:
            object.__setattr__(self, "levels", self._rule.n_levels or 0)
        whole = isinstance(self.levels, int | np.integer) and not isinstance(self.levels, bool)
        if not whole or not self._rule.takes(self.levels):
            expected = self._rule.expected_levels
            raise NbykError(f"response {self.kind}: levels is {self.levels!r}; expected {expected}")
        object.__setattr__(self, "levels", int(self.levels))

    @classmethod
    def on(cls, scale: Scale) -> Response:
        """Return that of ratings on a scale: Likert on levels, clamped between two ends."""
        if isinstance(scale, Levels):
            return cls("likert", len(scale.levels))
        return cls("binary") if isinstance(scale, Binary) else cls("clamped")

    def seen_in(self, values: ArrayLike) -> Response:
        """Return this one, or the binary one if it is clamped and these values are all 0 or 1."""
        seen = np.asarray(values, dtype=np.float64)
        both_ends = bool(np.isin(seen[~np.isnan(seen)], (0.0, 1.0)).all())
        return Response("binary") if self.kind == "clamped" and both_ends else self

    @property
    def _rule(self) -> Kind:
        return KINDS[self.kind]

    @property
    def code(self) -> int:
        """The number of the kind, for compiled code."""
        return list(KINDS).index(self.kind)

    @property
    def is_normal(self) -> bool:
        """Whether responses are the draws, so that a mean of them is one normal."""
        return self._rule.low < 0.0

    @property
    def has_law(self) -> bool:
        """Whether it has a law of its own, which compiled code does not draw."""
        return not self._rule.counted

    @property
    def countable(self) -> bool:
        """Whether compiled code draws counts of its levels."""
        return self.levels > 0 and not self.has_law

    @property
    def words(self) -> str:
        """What a response is, given an item's mean and SD, in words."""
        return self._rule.words.format(levels=self.levels)

    @property
    def values(self) -> Floats:
        """The possible responses in ascending order, shape (L,); empty for the continuous kinds."""
        return self._rule.values(self.levels)

    @property
    def top(self) -> float:
        """The highest response: (L − 1)/L for "likert", and 1 otherwise (for "normal" only nominally)."""
        return float(self.values[-1]) if self.levels else 1.0

    @property
    def edges(self) -> Floats:
        """The least draws that give each level except the lowest, shape (L − 1,)."""
        self.check_levels()
        return self._rule.edges(self.levels)

    def check_levels(self) -> None:
        """Raise an `NbykError` if there are no levels to count responses on."""
        if self.levels == 0:
            raise NbykError(
                f"response {self.kind} is continuous, and nbyk counts only responses on levels; for "
                "continuous ones use `fit_prior` and `predictive_check`"
            )

    def respond(self, mu: ArrayLike, sigma: ArrayLike, z: ArrayLike) -> Floats:
        """Return the responses that standard normals make to items, of shapes that broadcast; NaN stays."""
        given = [np.asarray(values, dtype=np.float64) for values in (mu, sigma, z)]
        if self.has_law:  # the numbers themselves, for which nothing is left to draw
            given = [self._rule.latent(*given), np.zeros(()), np.zeros(())]
        arrays = np.broadcast_arrays(*given)
        means, sds, normals = (np.ascontiguousarray(each).reshape(-1) for each in arrays)
        out = np.empty(arrays[0].shape)
        respond_all(means, sds, normals, self.code, self.levels, out.reshape(-1))
        return out

    def apply(self, x: ArrayLike) -> Floats:
        """Return the responses that means without a deviation become; any shape."""
        return self.respond(x, 0.0, 0.0)

    def probabilities(self, mu: ArrayLike, sigma: ArrayLike) -> Floats:
        """Return the probability of every possible response, (..., L), in the order of `values`.

        Items' means `mu` and standard deviations `sigma`, at least 0, broadcast to (...). A sigma of 0 makes
        the response certain. An `NbykError` says if responses are continuous, or a sigma is negative.
        """
        edges = self.edges
        mean, sd = np.broadcast_arrays(np.asarray(mu, dtype=np.float64), np.asarray(sigma, dtype=np.float64))
        if (sd < 0).any():
            raise NbykError(f"sigma is {sd.min()}; expected at least 0")
        spread = np.where(sd > 0, sd, 1.0)[..., np.newaxis]
        cells = self._rule.cells(edges, mean[..., np.newaxis], spread)
        certain = self.apply(mean)[..., np.newaxis] == self.values
        return np.where(sd[..., np.newaxis] > 0, cells, certain)

    def mean(self, mu: Floats, sigma: Floats) -> Floats:
        """Return the expected response to items, in the shape of `mu` and `sigma`."""
        if self.levels:
            return product(self.probabilities(mu, sigma), self.values)
        return self._rule.mean(mu, sigma)

    def on_scale(self, matrix: ArrayLike) -> Floats:
        """Return a valid response matrix, (N, K), with its responses put exactly on what is possible."""
        responses = response_matrix(matrix, "matrix")
        nearest = self._rule.nearest(responses, self.levels)
        far = np.abs(responses - nearest) > _ON_LEVEL
        if far.any():
            item, column = np.argwhere(far)[0]
            raise NbykError(
                f"item {item}, response {column} is {responses[item, column]}; a {self.kind} response is "
                f"{self._rule.possible(self.levels)}: recode the responses, or choose another response stage"
            )
        return nearest

    def on_levels(self, matrix: ArrayLike) -> tuple[Floats, Response]:
        """Return responses (N, K) on levels, NaN where missing, and the response that has those levels.

        Those without levels are cut into ten equal parts, whose probabilities have the same μ and σ.
        """
        responses = self.on_scale(matrix)
        if self.levels:
            return responses, self
        if self._rule.cut is None:
            raise NbykError(
                f"response {self.kind} has neither levels nor ends; put the responses on a scale with both "
                "ends"
            )
        cut = Response(self._rule.cut, _PARTS)
        # In floating point 0.7 - 0.4 is a little less than 0.3, but belongs to the same part.
        return cut.apply(np.round(responses, _DECIMALS)), cut

    def counts(self, matrix: ArrayLike) -> Integers:
        """Return the counts of each response to each item, (N, L), of a matrix (N, K), NaN where missing."""
        self.check_levels()
        responses = self.on_scale(matrix)
        return np.stack([(responses == value).sum(axis=1) for value in self.values], axis=1)

    def to_dict(self) -> dict[str, Any]:
        """Return the kind, and the number of levels of a Likert scale."""
        return {
            "kind": self.kind,
            **({"levels": self.levels} if self.levels != self._rule.n_levels else {}),
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Response:
        """Return the response from a result of `to_dict`; an `NbykError` names any error in it."""
        check_fields(content, "response", cls)
        return cls(**content)
