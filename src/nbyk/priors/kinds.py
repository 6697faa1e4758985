"""Kinds of responses: what an item with a mean and a standard deviation is answered with.

An item has a mean μ and a standard deviation σ. A standard normal draw z makes a response: `Kind.latent`
makes a number of μ, σ and z, and `on_scale` puts it on what is possible.

To add a kind, write here

1. a class under `Kind`, whose docstring says what each part means, and its place in `KINDS`;
2. its rule in `Kind.latent` or `on_scale`, unless it is x = μ + σ z, clamped or put on equal levels;
3. its law against other code in tests/priors/test_kinds.py, which holds each kind to one contract, and a
   sentence under "Fitting" in docs/method.md.

No other code names a kind: `Response`, files of priors, fits, plans and `nbyk fit --response` take it from
`KINDS`. People choose one by `Response(kind, levels)`, by the `response` of a prior in a file, and by
`nbyk fit --response`; ratings on a scale are likert, binary or clamped by `Response.on`. `_Lognormal` is an
example of a kind with a law of its own, `_Binary` of one with levels of its own.

All other code takes for granted that

- `levels` is 0 where responses are not on levels; a fit cuts those into levels (`Kind.cut`);
- families of μ and σ are fitted on [0, 1], where the grid of `nbyk.priors.marginal` and the ε of plans, at
  most 1, lie. A kind without an upper end has 1 as its unit;
- σ is the kind's own spread, and σ = 0 makes a response certain; only the words of `nbyk fit` call it an SD;
- a fit tries the same six pairs of families for every kind, and none makes σ the same for all items;
- a response rises with z, and has no other parameter. One more is a parameter of the kind's class, as the
  number of levels is: a field of `Response` and an argument of `Kind.latent`.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from scipy.special import betainc, betaincinv, ndtr

from nbyk.arrays import Floats
from nbyk.compiled import discard_older_caches, njit
from nbyk.priors.curves import normal_mass

_LEAST_TOTAL = 1e-6
"""Below this a + b, a beta is 0 or 1 but for less than a millionth."""
_LEAST_TAIL = 2.0**-53

discard_older_caches(__file__)


class Kind:
    """What a kind of response has; the defaults are those of x = μ + σ z, clamped to [0, 1] without levels.

    Attributes
    ----------
    name
        Its name, in files and options.
    words
        What a response is, given an item's mean and SD.
    n_levels
        The number of levels that it has: 0 for none, None for any number of at least 2. A kind that may or
        may not have levels says so by `takes` and `expected_levels`.
    low, high
        The ends between which responses without levels lie.
    cut
        The kind, with levels, that responses without levels are cut into for a fit; None if they cannot be.
    counted
        Whether a response is x = μ + σ z put on levels by `edges`, so that compiled code draws the counts of
        levels in place of responses. False for any other law.
    """

    name: ClassVar[str]
    words: ClassVar[str] = "a normal number with these two, clamped to 0 to 1"
    n_levels: ClassVar[int | None] = 0
    low: ClassVar[float] = 0.0
    high: ClassVar[float] = 1.0
    cut: ClassVar[str | None] = "likert"
    counted: ClassVar[bool] = True

    @property
    def expected_levels(self) -> str:
        """The number of levels that it takes, in words."""
        return "a whole number of at least 2" if self.n_levels is None else f"{self.n_levels or 'none'}"

    def takes(self, levels: int) -> bool:
        """Return whether it can have so many levels."""
        return levels >= 2 if self.n_levels is None else levels == self.n_levels

    def values(self, levels: int) -> Floats:
        """Return the possible responses in ascending order, shape (L,).

        Files of ratings on L levels are read as these defaults, 0, 1/L, …, (L − 1)/L, so that `nbyk fit`
        takes no kind with other levels.
        """
        return np.arange(levels) / max(levels, 1)

    def possible(self, levels: int) -> str:
        """Return what a response is, in words."""
        if levels:
            return f"one of {', '.join(f'{value:g}' for value in self.values(levels))}"
        return "a number in [0, 1]" if np.isfinite(self.high) else "a number of at least 0"

    def nearest(self, responses: Floats, levels: int) -> Floats:
        """Return the possible responses that are nearest to given ones, in their shape; NaN stays."""
        if levels == 0:
            return np.clip(responses, self.low, self.high)
        values = self.values(levels)
        places = np.searchsorted(0.5 * (values[1:] + values[:-1]), responses)
        return np.where(np.isnan(responses), np.nan, values[places])

    def edges(self, levels: int) -> Floats:
        """Return the least numbers that give each level except the lowest, shape (L − 1,)."""
        return self.values(levels)[1:]

    def cells(self, edges: Floats, mu: Floats, sigma: Floats) -> Floats:
        """Return the chances of the levels that edges part, shape (..., L), given items, (..., 1); σ > 0."""
        ends = np.concatenate(([-np.inf], edges, [np.inf]))
        with np.errstate(over="ignore"):
            z = (ends - mu) / sigma
        return normal_mass(z[..., :-1], z[..., 1:])

    def latent(self, mu: Floats, sigma: Floats, z: Floats) -> Floats:
        """Return the numbers that standard normals make of items; compiled code does so if `counted`."""
        return mu + sigma * z

    def mean(self, mu: Floats, sigma: Floats) -> Floats:
        """Return the expected response without levels, in the shape of μ and σ; with levels it follows."""
        return mu


class _Normal(Kind):
    """x as it is."""

    name = "normal"
    low, high = -np.inf, np.inf
    cut = None
    words = "a normal number with these two"


class _Clamped(Kind):
    """x, but 0 below 0 and 1 above 1."""

    name = "clamped"

    def mean(self, mu: Floats, sigma: Floats) -> Floats:
        spread = np.where(sigma > 0.0, sigma, 1.0)
        low, high = -mu / spread, (1.0 - mu) / spread
        density = (np.exp(-0.5 * low**2) - np.exp(-0.5 * high**2)) / np.sqrt(2.0 * np.pi)
        inside = mu * (ndtr(high) - ndtr(low)) + spread * density + ndtr(-high)
        return np.where(sigma > 0.0, inside, np.clip(mu, 0.0, 1.0))


class _Likert(Kind):
    """floor(L x)/L, from 0 to (L − 1)/L."""

    name = "likert"
    n_levels = None
    words = "a normal number with these two, made one of {levels} levels"


class _Binary(Kind):
    """1 from x = .5 on, and 0 below."""

    name = "binary"
    n_levels = 2
    words = "a normal number with these two, made 0 or 1"

    def values(self, levels: int) -> Floats:
        return np.array([0.0, 1.0])

    def edges(self, levels: int) -> Floats:
        return np.array([0.5])


class _Skewed(Kind):
    """A law of its own, without levels or put on them as Likert's."""

    counted = False

    @property
    def expected_levels(self) -> str:
        return "none, or at least 2"

    def takes(self, levels: int) -> bool:
        return levels == 0 or levels >= 2


class _Beta(_Skewed):
    """A beta draw with mean μ and standard deviation σ, skewed near the ends.

    It is 0 or 1 with mean μ if no beta has so large a σ.
    """

    name = cut = "beta"
    words = "a beta number with these two"

    def cells(self, edges: Floats, mu: Floats, sigma: Floats) -> Floats:
        mean = np.clip(mu, 1e-12, 1.0 - 1e-12)
        total = np.maximum(mean * (1.0 - mean) / sigma**2 - 1.0, 1e-9)
        below = betainc(mean * total, (1.0 - mean) * total, edges)
        ends = np.zeros((*below.shape[:-1], 1)), np.ones((*below.shape[:-1], 1))
        return np.diff(np.concatenate([ends[0], below, ends[1]], axis=-1), axis=-1)

    def latent(self, mu: Floats, sigma: Floats, z: Floats) -> Floats:
        mean = np.clip(mu, 0.0, 1.0)
        room, varies = mean * (1.0 - mean), sigma > 0.0
        total = np.where(varies, room / np.where(varies, sigma, 1.0) ** 2 - 1.0, 0.0)
        is_beta, low = total >= _LEAST_TOTAL, z < 0.0
        a, b = np.where(is_beta, mean * total, 1.0), np.where(is_beta, (1.0 - mean) * total, 1.0)
        # in the nearer tail, where it keeps its digits
        x = betaincinv(np.where(low, a, b), np.where(low, b, a), np.maximum(ndtr(-np.abs(z)), _LEAST_TAIL))
        at_ends = np.where(varies & (room > 0.0), ndtr(-z) <= mean, mean)
        return np.where(is_beta, np.where(low, x, 1.0 - x), at_ends)

    def mean(self, mu: Floats, sigma: Floats) -> Floats:
        return np.clip(mu, 0.0, 1.0)


class _Lognormal(_Skewed):
    """The exponential of a normal draw, with mean μ and standard deviation σ; 0 if μ is not above 0.

    It has no upper end, so 1 is only the unit, and the highest level is open.
    """

    name = cut = "lognormal"
    high = np.inf
    words = "a lognormal number with these two"

    def cells(self, edges: Floats, mu: Floats, sigma: Floats) -> Floats:
        mean = np.maximum(mu, 1e-12)
        variance = np.log1p((sigma / mean) ** 2)
        return super().cells(np.log(edges), np.log(mean) - 0.5 * variance, np.sqrt(variance))

    def latent(self, mu: Floats, sigma: Floats, z: Floats) -> Floats:
        given = np.broadcast_arrays(mu, sigma, z)
        out = np.empty(given[0].shape)
        mean, sd, normals = (np.ascontiguousarray(each).reshape(-1) for each in given)
        _fill_lognormal(mean, sd, normals, out.reshape(-1))
        return out

    def mean(self, mu: Floats, sigma: Floats) -> Floats:
        return np.maximum(mu, 0.0)


_ALL = (_Normal(), _Clamped(), _Likert(), _Binary(), _Beta(), _Lognormal())
KINDS: dict[str, Kind] = {kind.name: kind for kind in _ALL}
"""The kinds by name; the place of each is its code in compiled code. From beta on, a kind has its own law."""

NORMAL, CLAMPED, LIKERT, BINARY, BETA, LOGNORMAL = range(len(KINDS))


@njit(nogil=True, cache=True)
def on_scale(x: float, code: int, levels: int) -> Any:
    """Return the response that a number of `latent` becomes; one between 0 and 1 is put on levels, if any."""
    if code == NORMAL or (code == LOGNORMAL and levels == 0):
        return x
    if code == BINARY:
        return 1.0 if x >= 0.5 else 0.0
    x = min(max(x, 0.0), 1.0)
    if levels == 0:
        return x
    return min(np.floor(x * levels), levels - 1.0) / levels


@njit(nogil=True, cache=True)
def _fill_lognormal(mean: Floats, sd: Floats, z: Floats, out: Floats) -> None:
    """Fill `out` with quantiles at Φ(z), shape (n,) as all arrays: numpy's depend on the processor."""
    for i in range(len(z)):
        out[i] = 0.0 if mean[i] <= 0.0 else mean[i]
        if sd[i] > 0.0 and mean[i] > 0.0:
            variance = math.log1p((sd[i] / mean[i]) ** 2)
            out[i] *= math.exp(math.sqrt(variance) * z[i] - 0.5 * variance)


@njit(nogil=True, cache=True)
def respond_all(mean: Floats, sd: Floats, z: Floats, code: int, levels: int, out: Floats) -> None:
    """Fill `out` with responses μ + σ z on the scale, shape (n,) as all arrays; NaN where the mean is."""
    for i in range(len(z)):
        out[i] = on_scale(mean[i] + sd[i] * z[i], code, levels) if mean[i] == mean[i] else mean[i]
