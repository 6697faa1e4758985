"""Response families on a normal draw: as it is, clamped, binary, or on the equal steps of a Likert scale.

An item with mean μ and standard deviation σ has draws x from N(μ, σ²). A family turns a draw into a response.
All that depends on the family is here: how a draw is rounded, the chance of each response, its mean, how
given responses are put on the scale, and how they are counted.
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
from nbyk.priors.curves import normal_mass
from nbyk.sums import product

Floats = NDArray[np.float64]

_KINDS = ("normal", "clamped", "likert", "binary")
NORMAL, CLAMPED, LIKERT, BINARY = range(len(_KINDS))
"""Codes of the kinds for compiled code."""

_ON_LEVEL = 1e-6
_DECIMALS = 12
_PARTS = 10
"""Levels that clamped responses are cut into for a fit."""

discard_older_caches(__file__)


@njit(nogil=True, cache=True)
def respond(x: float, code: int, levels: int) -> Any:
    """Return the response that a draw becomes."""
    if code == NORMAL:
        return x
    if code == BINARY:
        return 1.0 if x >= 0.5 else 0.0
    x = min(max(x, 0.0), 1.0)
    if code == CLAMPED:
        return x
    return min(np.floor(x * levels), levels - 1.0) / levels


@njit(nogil=True, cache=True)
def _respond_all(draws: Floats, code: int, levels: int, out: Floats) -> None:
    for i in range(len(draws)):
        out[i] = respond(draws[i], code, levels) if draws[i] == draws[i] else draws[i]


@dataclass(frozen=True)
class Response:
    """A family of responses: turns a normal draw into a response on the scale of the data.

    Attributes
    ----------
    kind : str
        "normal" leaves the draw as it is; "clamped" assigns values outside [0, 1] to the nearest end;
        "likert" gives floor(L x)/L, from 0 to (L − 1)/L; "binary" gives 1 from x = .5 on, and 0 below.
    levels : int
        Number of levels L: at least 2 for "likert", 2 for "binary", 0 (no levels) for the others.

    Raises
    ------
    NbykError
        If the kind is unknown or the number of levels does not fit the kind.
    """

    kind: str
    levels: int = 0

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise unknown_name("response", str(self.kind), _KINDS)
        if self.kind == "binary" and self.levels == 0:
            object.__setattr__(self, "levels", 2)
        whole = isinstance(self.levels, int | np.integer) and not isinstance(self.levels, bool)
        expected = {"likert": "a whole number of at least 2", "binary": "2"}.get(self.kind, "none")
        right = {"likert": whole and self.levels >= 2, "binary": whole and self.levels == 2}
        if not right.get(self.kind, whole and self.levels == 0):
            raise NbykError(f"response {self.kind}: levels is {self.levels!r}; expected {expected}")
        object.__setattr__(self, "levels", int(self.levels))

    @classmethod
    def on(cls, scale: Scale) -> Response:
        """Return the family of ratings on a scale: Likert on levels, clamped between two ends."""
        if isinstance(scale, Levels):
            return cls("likert", len(scale.levels))
        return cls("binary") if isinstance(scale, Binary) else cls("clamped")

    def seen_in(self, values: ArrayLike) -> Response:
        """Return this family, or the binary one if it is clamped and these values are all 0 or 1."""
        seen = np.asarray(values, dtype=np.float64)
        both_ends = self.code == CLAMPED and np.isin(seen[~np.isnan(seen)], (0.0, 1.0)).all()
        return Response("binary") if both_ends else self

    @property
    def code(self) -> int:
        """The number of the kind, for compiled code."""
        return _KINDS.index(self.kind)

    @property
    def is_normal(self) -> bool:
        """Whether responses are the draws, so that a mean of them is one normal."""
        return self.code == NORMAL

    @property
    def words(self) -> str:
        """What a draw is made, in words."""
        return ("itself", "a number", f"one of {self.levels} levels", "0 or 1")[self.code]

    @property
    def values(self) -> Floats:
        """The possible responses in ascending order, shape (L,); empty for the continuous kinds."""
        return np.array([0.0, 1.0]) if self.code == BINARY else np.arange(self.levels) / max(self.levels, 1)

    @property
    def top(self) -> float:
        """The highest response: (L − 1)/L for "likert", and 1 otherwise (for "normal" only nominally)."""
        return float(self.values[-1]) if self.levels else 1.0

    @property
    def edges(self) -> Floats:
        """The least draws that give each level except the lowest, shape (L − 1,)."""
        self.check_levels()
        return np.array([0.5]) if self.code == BINARY else self.values[1:]

    def check_levels(self) -> None:
        """Raise an `NbykError` if there are no levels to count responses on."""
        if self.levels == 0:
            raise NbykError(
                f"response {self.kind} is continuous, and nbyk counts only responses on levels (likert, "
                "binary); for continuous ones use `fit_prior` and `predictive_check`"
            )

    def apply(self, x: ArrayLike) -> Floats:
        """Return the responses that normal draws `x` become; any shape."""
        draws = np.asarray(x, dtype=np.float64)
        out = np.empty(draws.shape)
        _respond_all(draws.reshape(-1), self.code, self.levels, out.reshape(-1))
        return out

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
        edges = np.concatenate(([-np.inf], self.edges, [np.inf]))
        mean, sd = np.broadcast_arrays(np.asarray(mu, dtype=np.float64), np.asarray(sigma, dtype=np.float64))
        if (sd < 0).any():
            raise NbykError(f"sigma is {sd.min()}; expected at least 0")
        spread = np.where(sd > 0, sd, 1.0)[..., np.newaxis]
        with np.errstate(over="ignore"):
            z = (edges - mean[..., np.newaxis]) / spread
        certain = self.apply(mean)[..., np.newaxis] == self.values
        return np.where(sd[..., np.newaxis] > 0, normal_mass(z[..., :-1], z[..., 1:]), certain)

    def mean(self, mu: Floats, sigma: Floats) -> Floats:
        """Return the expected response to items, in the shape of `mu` and `sigma`."""
        from scipy.special import ndtr

        if self.is_normal:
            return mu
        if self.levels:
            return product(self.probabilities(mu, sigma), self.values)
        spread = np.where(sigma > 0.0, sigma, 1.0)
        low, high = -mu / spread, (1.0 - mu) / spread
        density = (np.exp(-0.5 * low**2) - np.exp(-0.5 * high**2)) / np.sqrt(2.0 * np.pi)
        inside = mu * (ndtr(high) - ndtr(low)) + spread * density + ndtr(-high)
        return np.where(sigma > 0.0, inside, np.clip(mu, 0.0, 1.0))

    def on_scale(self, matrix: ArrayLike) -> Floats:
        """Return a valid response matrix, (N, K), with its responses put exactly on what is possible."""
        responses = response_matrix(matrix, "matrix")
        if self.is_normal:
            return responses
        nearest, expected = np.clip(responses, 0.0, 1.0), "a number in [0, 1]"
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
        """Return responses (N, K) on levels, NaN where missing, and the family that has those levels.

        Responses with levels stay as they are. Those clamped to [0, 1] are cut into ten equal parts. The
        probability of a part is that of a normal draw between two edges, clamped or not, so μ and σ are the
        same for both.
        """
        responses = self.on_scale(matrix)
        if self.levels:
            return responses, self
        if self.is_normal:
            raise NbykError(
                f"response {self.kind} has neither levels nor ends; put the responses on a scale with both "
                "ends"
            )
        cut = Response("likert", _PARTS)
        # In floating point 0.7 - 0.4 is a little less than 0.3, but belongs to the same part.
        return cut.apply(np.round(responses, _DECIMALS)), cut

    def counts(self, matrix: ArrayLike) -> NDArray[np.int64]:
        """Return the counts of each response to each item, (N, L), of a matrix (N, K), NaN where missing."""
        self.check_levels()
        steps = self._steps(self.on_scale(matrix))
        return np.stack([(steps == level).sum(axis=1) for level in range(self.levels)], axis=1)

    def to_dict(self) -> dict[str, Any]:
        """Return the kind, and the number of levels of a Likert scale."""
        return {"kind": self.kind, **({"levels": self.levels} if self.code == LIKERT else {})}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Response:
        """Return the family from a result of `to_dict`; an `NbykError` names any error in it."""
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
