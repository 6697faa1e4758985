"""Kinds of responses: what an item with a mean and a standard deviation is answered with.

An item has a mean μ and a standard deviation σ. A standard normal draw z makes a response: of most kinds by
way of x = μ + σ z, which is left as it is, clamped, or put on levels; of a beta or lognormal one as its
quantile at Φ(z). All that depends on the kind is in its class (`nbyk.priors.kind`), and its rule for compiled
code in `latent` and `on_scale`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbyk.compiled import discard_older_caches, njit
from nbyk.data.response_set import response_matrix
from nbyk.data.scales import Binary, Levels, Scale
from nbyk.errors import NbykError, unknown_name
from nbyk.priors.beta_responses import BetaKind, beta_response
from nbyk.priors.kind import Kind
from nbyk.priors.lognormal_responses import LognormalKind, lognormal_response
from nbyk.sums import product

Floats = NDArray[np.float64]

_ON_LEVEL = 1e-6
_DECIMALS = 12
_PARTS = 10
"""Levels that responses between two ends are cut into for a fit."""

discard_older_caches(__file__)


class _Normal(Kind):
    name = "normal"
    low, high = -np.inf, np.inf
    words = "itself"


class _Clamped(Kind):
    name = "clamped"

    def mean(self, mu: Floats, sigma: Floats) -> Floats:
        from scipy.special import ndtr

        spread = np.where(sigma > 0.0, sigma, 1.0)
        low, high = -mu / spread, (1.0 - mu) / spread
        density = (np.exp(-0.5 * low**2) - np.exp(-0.5 * high**2)) / np.sqrt(2.0 * np.pi)
        inside = mu * (ndtr(high) - ndtr(low)) + spread * density + ndtr(-high)
        return np.where(sigma > 0.0, inside, np.clip(mu, 0.0, 1.0))

    def as_seen(self, both_ends: bool) -> str:
        return "binary" if both_ends else self.name


class _Likert(Kind):
    name = "likert"
    n_levels = None
    words = "one of {levels} levels"


class _Binary(Kind):
    name = "binary"
    n_levels = 2
    words = "0 or 1"

    def values(self, levels: int) -> Floats:
        return np.array([0.0, 1.0])

    def edges(self, levels: int) -> Floats:
        return np.array([0.5])


_EVERY = (_Normal(), _Clamped(), _Likert(), _Binary(), BetaKind(), LognormalKind())
KINDS: dict[str, Kind] = {kind.name: kind for kind in _EVERY}
"""The kinds of responses by name; the place of each is its code in `respond`."""

NORMAL, CLAMPED, LIKERT, BINARY, BETA, LOGNORMAL = range(len(KINDS))


@njit(nogil=True, cache=True)
def latent(mean: float, sd: float, z: float, code: int) -> Any:
    """Return the number that a standard normal z makes of an item, before it is put on the scale."""
    if code == LOGNORMAL:
        return lognormal_response(mean, sd, z)
    return beta_response(mean, sd, z) if code == BETA else mean + sd * z


@njit(nogil=True, cache=True)
def on_scale(x: float, code: int, levels: int) -> Any:
    """Return the response that a number of `latent` becomes."""
    if code == NORMAL or (code == LOGNORMAL and levels == 0):
        return x
    if code == BINARY:
        return 1.0 if x >= 0.5 else 0.0
    x = min(max(x, 0.0), 1.0)
    if levels == 0:
        return x
    return min(np.floor(x * levels), levels - 1.0) / levels


@njit(nogil=True, cache=True)
def respond(mean: float, sd: float, z: float, code: int, levels: int) -> Any:
    """Return the response that a standard normal z makes to an item."""
    return on_scale(latent(mean, sd, z, code), code, levels)


@njit(nogil=True, cache=True)
def _respond_all(mean: Floats, sd: Floats, z: Floats, code: int, levels: int, out: Floats) -> None:
    for i in range(len(z)):
        out[i] = respond(mean[i], sd[i], z[i], code, levels) if mean[i] == mean[i] else mean[i]


@dataclass(frozen=True)
class Response:
    """What turns a standard normal draw into a response to an item, on the scale of the data.

    Attributes
    ----------
    kind : str
        "normal" leaves x = μ + σ z as it is; "clamped" assigns values outside [0, 1] to the nearest end;
        "likert" gives floor(L x)/L, from 0 to (L − 1)/L; "binary" gives 1 from x = .5 on, and 0 below.
        "beta" is skewed near the ends: a beta draw with mean μ and standard deviation σ, or 0 or 1 with mean
        μ if no beta has so large a σ. "lognormal" is skewed and positive, without an upper end: exp of a
        normal draw, with mean μ and standard deviation σ. Both are put on levels, if there are any, as
        "likert" does.
    levels : int
        Number of levels L: at least 2 for "likert", 2 for "binary", 0 (no levels) for "normal" and "clamped".

    Raises
    ------
    NbykError
        If the kind is unknown or the number of levels does not fit the kind.
    """

    kind: str
    levels: int = 0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise unknown_name("response", str(self.kind), KINDS)
        if self.levels == 0:
            object.__setattr__(self, "levels", self._of_kind.n_levels or 0)
        whole = isinstance(self.levels, int | np.integer) and not isinstance(self.levels, bool)
        if not whole or not self._of_kind.takes(self.levels):
            expected = self._of_kind.expected_levels
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
        kind = self._of_kind.as_seen(bool(np.isin(seen[~np.isnan(seen)], (0.0, 1.0)).all()))
        return self if kind == self.kind else Response(kind)

    @property
    def _of_kind(self) -> Kind:
        return KINDS[self.kind]

    @property
    def code(self) -> int:
        """The number of the kind, for compiled code."""
        return list(KINDS).index(self.kind)

    @property
    def is_normal(self) -> bool:
        """Whether responses are the draws, so that a mean of them is one normal."""
        return self._of_kind.low < 0.0

    @property
    def countable(self) -> bool:
        """Whether compiled code draws counts of its levels."""
        return self.levels > 0 and self._of_kind.counted

    @property
    def words(self) -> str:
        """What a draw is made, in words."""
        return self._of_kind.words.format(levels=self.levels)

    @property
    def values(self) -> Floats:
        """The possible responses in ascending order, shape (L,); empty for the continuous kinds."""
        return self._of_kind.values(self.levels)

    @property
    def top(self) -> float:
        """The highest response: (L − 1)/L for "likert", and 1 otherwise (for "normal" only nominally)."""
        return float(self.values[-1]) if self.levels else 1.0

    @property
    def edges(self) -> Floats:
        """The least draws that give each level except the lowest, shape (L − 1,)."""
        self.check_levels()
        return self._of_kind.edges(self.levels)

    def check_levels(self) -> None:
        """Raise an `NbykError` if there are no levels to count responses on."""
        if self.levels == 0:
            raise NbykError(
                f"response {self.kind} is continuous, and nbyk counts only responses on levels (likert, "
                "binary); for continuous ones use `fit_prior` and `predictive_check`"
            )

    def respond(self, mu: ArrayLike, sigma: ArrayLike, z: ArrayLike) -> Floats:
        """Return the responses that standard normals make to items, of shapes that broadcast; NaN stays."""
        arrays = np.broadcast_arrays(*(np.asarray(of, dtype=np.float64) for of in (mu, sigma, z)))
        means, sds, normals = (np.ascontiguousarray(of).reshape(-1) for of in arrays)
        out = np.empty(arrays[0].shape)
        _respond_all(means, sds, normals, self.code, self.levels, out.reshape(-1))
        return out

    def apply(self, x: ArrayLike) -> Floats:
        """Return the responses that means without a deviation become; any shape."""
        return self.respond(x, 0.0, 0.0)

    def probabilities(self, mu: ArrayLike, sigma: ArrayLike) -> Floats:
        """Return the probability of every possible response, given the item.

        Parameters
        ----------
        mu, sigma : array_like, shapes that broadcast to (...)
            The item's mean, and its standard deviation of at least 0; at 0 the response is certain.

        Returns
        -------
        ndarray, shape (..., L)
            In the order of `values`; every cell is accurate in the tails too.

        Raises
        ------
        NbykError
            If the responses are continuous, or a sigma is negative.
        """
        edges = self.edges
        mean, sd = np.broadcast_arrays(np.asarray(mu, dtype=np.float64), np.asarray(sigma, dtype=np.float64))
        if (sd < 0).any():
            raise NbykError(f"sigma is {sd.min()}; expected at least 0")
        spread = np.where(sd > 0, sd, 1.0)[..., np.newaxis]
        cells = self._of_kind.cells(edges, mean[..., np.newaxis], spread)
        certain = self.apply(mean)[..., np.newaxis] == self.values
        return np.where(sd[..., np.newaxis] > 0, cells, certain)

    def mean(self, mu: Floats, sigma: Floats) -> Floats:
        """Return the expected response to items, in the shape of `mu` and `sigma`."""
        if self.levels:
            return product(self.probabilities(mu, sigma), self.values)
        return self._of_kind.mean(mu, sigma)

    def on_scale(self, matrix: ArrayLike) -> Floats:
        """Return a valid response matrix, (N, K), with its responses put exactly on what is possible."""
        responses = response_matrix(matrix, "matrix")
        if self.is_normal:
            return responses
        nearest = np.clip(responses, self._of_kind.low, self._of_kind.high)
        expected = "a number in [0, 1]" if np.isfinite(self._of_kind.high) else "a number of at least 0"
        if self.levels:
            steps = self._steps(responses)
            nearest = np.where(np.isnan(steps), np.nan, self.values[np.nan_to_num(steps).astype(np.int64)])
            expected = f"one of {', '.join(f'{level:g}' for level in self.values)}"
        far = np.abs(responses - nearest) > _ON_LEVEL
        if far.any():
            item, column = np.argwhere(far)[0]
            raise NbykError(
                f"item {item}, response {column} is {responses[item, column]}; a {self.kind} response is "
                f"{expected}: recode the responses, or choose another response stage"
            )
        return nearest

    def on_levels(self, matrix: ArrayLike) -> tuple[Floats, Response]:
        """Return responses (N, K) on levels, NaN where missing, and the response that has those levels.

        Responses with levels stay as they are. Those between two ends are cut into ten equal parts, whose
        probabilities have the same μ and σ.
        """
        responses = self.on_scale(matrix)
        if self.levels:
            return responses, self
        if self.is_normal:
            raise NbykError(
                f"response {self.kind} has neither levels nor ends; put the responses on a scale with both "
                "ends"
            )
        cut = Response(self._of_kind.cut, _PARTS)
        # In floating point 0.7 - 0.4 is a little less than 0.3, but belongs to the same part.
        return cut.apply(np.round(responses, _DECIMALS)), cut

    def counts(self, matrix: ArrayLike) -> NDArray[np.int64]:
        """Return the counts of each response to each item, (N, L), of a matrix (N, K), NaN where missing."""
        self.check_levels()
        steps = self._steps(self.on_scale(matrix))
        return np.stack([(steps == level).sum(axis=1) for level in range(self.levels)], axis=1)

    def to_dict(self) -> dict[str, Any]:
        """Return the kind, and the number of levels of a Likert scale."""
        return {
            "kind": self.kind,
            **({"levels": self.levels} if self.levels != self._of_kind.n_levels else {}),
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Response:
        """Return the response from a result of `to_dict`; an `NbykError` names any error in it."""
        check_keys(content, "response", required=("kind",), optional=("levels",))
        return cls(**content)

    def _steps(self, responses: Floats) -> Floats:
        """Return the numbers of the nearest levels, from 0; NaN stays."""
        return np.asarray(np.clip(np.round(responses / self.values[1]), 0, self.levels - 1))


def check_keys(content: Any, what: str, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> None:
    """Raise an `NbykError` unless content is a mapping with these keys."""
    if not isinstance(content, Mapping):
        raise NbykError(f"a {what} is a mapping with {', '.join(required)}; found {content!r}")
    for key in content:
        if key not in required + optional:
            raise unknown_name(f"key of a {what}", str(key), required + optional)
    for key in required:
        if key not in content:
            raise NbykError(f"{what}: {key} is missing")
