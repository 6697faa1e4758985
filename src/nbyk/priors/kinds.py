"""Kinds of responses: what an item with a mean and a standard deviation is answered with.

An item has a mean μ and a standard deviation σ. A standard normal draw z makes a response: `latent` makes a
number of μ, σ and z, and `on_scale` puts it on what is possible.

To add a kind, write here

1. a class under `Kind`, whose docstring says what each part means, and its place in `KINDS`;
2. its rule in `latent` or `on_scale`, unless it is x = μ + σ z, clamped or put on equal levels;
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
  number of levels is: a field of `Response` and an argument of `latent`.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from scipy.special import betainc, ndtr

from nbyk.arrays import Floats
from nbyk.compiled import discard_older_caches, njit
from nbyk.priors.curves import normal_mass

_SMALL = 1e-300
_NEAR = 1e-12
_MOST_TERMS = 2000
_MOST_STEPS = 200
_LEAST_TOTAL = 1e-6
"""Below this a + b, a beta is 0 or 1 but for less than a millionth."""

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
        """Return the least numbers of `latent` that give each level except the lowest, shape (L − 1,)."""
        return self.values(levels)[1:]

    def cells(self, edges: Floats, mu: Floats, sigma: Floats) -> Floats:
        """Return the chances of the levels that edges part, shape (..., L), given items, (..., 1); σ > 0."""
        ends = np.concatenate(([-np.inf], edges, [np.inf]))
        with np.errstate(over="ignore"):
            z = (ends - mu) / sigma
        return normal_mass(z[..., :-1], z[..., 1:])

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

    def mean(self, mu: Floats, sigma: Floats) -> Floats:
        return np.maximum(mu, 0.0)


_ALL = (_Normal(), _Clamped(), _Likert(), _Binary(), _Beta(), _Lognormal())
KINDS: dict[str, Kind] = {kind.name: kind for kind in _ALL}
"""The kinds by name; the place of each is its code in compiled code. From beta on, a kind has its own law."""

NORMAL, CLAMPED, LIKERT, BINARY, BETA, LOGNORMAL = range(len(KINDS))


@njit(nogil=True, cache=True)
def latent(mean: float, sd: float, z: float, code: int) -> Any:
    """Return the number that a standard normal z makes of an item: μ if σ is 0, else one rising with z."""
    if code == LOGNORMAL:
        return lognormal_response(mean, sd, z)
    return beta_response(mean, sd, z) if code == BETA else mean + sd * z


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
def respond(mean: float, sd: float, z: float, code: int, levels: int) -> Any:
    """Return the response that a standard normal z makes to an item."""
    return on_scale(latent(mean, sd, z, code), code, levels)


@njit(nogil=True, cache=True)
def respond_all(mean: Floats, sd: Floats, z: Floats, code: int, levels: int, out: Floats) -> None:
    """Fill `out` with responses, shape (n,) as all arrays; NaN where the mean is."""
    for i in range(len(z)):
        out[i] = respond(mean[i], sd[i], z[i], code, levels) if mean[i] == mean[i] else mean[i]


@njit(nogil=True, cache=True)
def lognormal_response(mean: float, sd: float, z: float) -> Any:
    """Return the quantile at Φ(z) of the lognormal with this mean and standard deviation."""
    if sd <= 0.0 or mean <= 0.0:
        return max(mean, 0.0)
    variance = math.log1p((sd / mean) ** 2)
    return mean * math.exp(math.sqrt(variance) * z - 0.5 * variance)


@njit(nogil=True, cache=True)
def _fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > _SMALL else _SMALL)
    fraction = d
    for m in range(1, _MOST_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        for term in (even, odd):
            d = 1.0 + term * d
            d = 1.0 / (d if abs(d) > _SMALL else _SMALL)
            c = 1.0 + term / c
            c = c if abs(c) > _SMALL else _SMALL
            step = d * c
            fraction *= step
        if abs(step - 1.0) < _NEAR:
            break
    return fraction


@njit(nogil=True, cache=True)
def log_share_below(log_x: float, a: float, b: float, log_whole: float) -> float:
    """Return log P(X ≤ x) of a beta X; `log_whole` is that of the beta function B(a, b)."""
    x = math.exp(log_x)
    edge = math.log1p(-x) if x < 1.0 else -math.inf
    log_front = a * log_x + b * edge - log_whole
    if x < (a + 1.0) / (a + b + 2.0):
        return log_front + math.log(_fraction(a, b, x) / a)
    above = math.exp(log_front) * _fraction(b, a, 1.0 - x) / b if x < 1.0 else 0.0
    return math.log1p(-min(above, 1.0 - _NEAR))


@njit(nogil=True, cache=True)
def _log_quantile(log_share: float, a: float, b: float) -> float:
    """Return log x with log P(X ≤ x) = log_share: Newton's method in logarithms, kept between bounds."""
    log_whole = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    low, high = -700.0, 0.0
    at = min((log_share + math.log(a) + log_whole) / a, math.log(a / (a + b)))
    if at <= low:
        return low
    for _ in range(_MOST_STEPS):
        missing = log_share - log_share_below(at, a, b, log_whole)
        if missing > 0.0:
            low = at
        else:
            high = at
        x = math.exp(at)
        slope = a * at + (b - 1.0) * math.log1p(-x) - log_whole - (log_share - missing) if x < 1.0 else 700.0
        step = missing * math.exp(min(max(-slope, -700.0), 700.0))
        after = at + step
        if not low < after < high:
            after = 0.5 * (low + high)
        if abs(after - at) < 1e-11 or high - low < 1e-11:
            return after
        at = after
    return at


@njit(nogil=True, cache=True)
def beta_response(mean: float, sd: float, z: float) -> Any:
    """Return the quantile at Φ(z) of the beta with this mean and standard deviation.

    A mean is put into [0, 1]. If sd² is at least mean (1 − mean), the response is 0 or 1 with this mean.
    """
    mean = min(max(mean, 0.0), 1.0)
    room = mean * (1.0 - mean)
    if sd <= 0.0 or room <= 0.0:
        return mean
    total = room / (sd * sd) - 1.0
    if total < _LEAST_TOTAL:
        return 1.0 if 0.5 * math.erfc(z / math.sqrt(2.0)) <= mean else 0.0
    a, b = mean * total, (1.0 - mean) * total
    below = 0.5 * math.erfc(-z / math.sqrt(2.0))
    log_whole = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    middle = math.exp(log_share_below(math.log(mean), a, b, log_whole))
    if below <= middle:
        return math.exp(_log_quantile(math.log(max(below, _SMALL)), a, b))
    above = 0.5 * math.erfc(z / math.sqrt(2.0))
    return 1.0 - math.exp(_log_quantile(math.log(max(above, _SMALL)), b, a))
