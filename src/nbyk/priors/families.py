"""One-dimensional families for an item's parameter: its mean μ or its standard deviation σ.

A family draws by a fixed transform of uniforms, so that draws depend only on the caller's random stream. The
published ones are those of Wein et al. (2023, section 6 and appendix B) and Homan et al. (2025, section 4 and
appendix A). A new family is one class here, and one line in `FAMILIES`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, ClassVar, TypeVar, cast

import numpy as np
from scipy.special import betainc, ndtr, ndtri

from nbyk.arrays import Floats
from nbyk.errors import NbykError, check_name
from nbyk.priors import curves
from nbyk.priors.family import Family, check_fields

T = TypeVar("T")


@dataclass(frozen=True)
class Constant(Family):
    """The same value for every item."""

    name: ClassVar[str] = "constant"
    value: float

    def __post_init__(self) -> None:
        self._check_numbers("value")

    def _support(self) -> tuple[float, float]:
        return self.value, self.value

    def _atoms(self) -> tuple[tuple[float, float], ...]:
        return ((self.value, 1.0),)

    def _draw(self, u: Floats) -> Floats:
        return np.full(u.shape[:-1], self.value)

    def _cdf(self, x: Floats) -> Floats:
        return np.asarray(x >= self.value, dtype=np.float64)


@dataclass(frozen=True)
class Uniform(Family):
    """Uniform on [low, high]."""

    name: ClassVar[str] = "uniform"
    low: float
    high: float

    def __post_init__(self) -> None:
        self._check_range(self.low, self.high)

    def _support(self) -> tuple[float, float]:
        return self.low, self.high

    def _draw(self, u: Floats) -> Floats:
        return np.asarray(np.minimum(self.low + (self.high - self.low) * u[..., 0], self.high))

    def _cdf(self, x: Floats) -> Floats:
        return np.asarray(np.clip((x - self.low) / (self.high - self.low), 0.0, 1.0))


@dataclass(frozen=True)
class _MeanAndSd(Family):
    """Base of the normal families: the mean and standard deviation of the normal they come from."""

    mean: float
    sd: float

    def __post_init__(self) -> None:
        self._check_numbers("mean", "sd")
        self._check("sd", self.sd > 0, "a number above 0")


@dataclass(frozen=True)
class Normal(_MeanAndSd):
    """Normal with the given mean and standard deviation."""

    name: ClassVar[str] = "normal"

    def _support(self) -> tuple[float, float]:
        return -math.inf, math.inf

    def _draw(self, u: Floats) -> Floats:
        return np.asarray(self.mean + self.sd * ndtri(u[..., 0]))

    def _cdf(self, x: Floats) -> Floats:
        return np.asarray(ndtr((x - self.mean) / self.sd))


@dataclass(frozen=True)
class FoldedNormal(_MeanAndSd):
    """The absolute value of a normal; a draw is exact in distribution, though not monotone in u."""

    name: ClassVar[str] = "folded_normal"

    def _support(self) -> tuple[float, float]:
        return 0.0, math.inf

    def _draw(self, u: Floats) -> Floats:
        return np.asarray(np.abs(self.mean + self.sd * ndtri(u[..., 0])))

    def _cdf(self, x: Floats) -> Floats:
        reach = np.maximum(x, 0.0)
        return curves.normal_mass((-reach - self.mean) / self.sd, (reach - self.mean) / self.sd)


@dataclass(frozen=True)
class TruncatedNormal(_MeanAndSd):
    """A normal conditioned on [low, high], which may lie far out; `mean` and `sd` are those before."""

    name: ClassVar[str] = "truncated_normal"
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_range(self.low, self.high)

    def _support(self) -> tuple[float, float]:
        return self.low, self.high

    def _draw(self, u: Floats) -> Floats:
        return curves.truncated_normal_quantile(u[..., 0], self.mean, self.sd, self.low, self.high)

    def _cdf(self, x: Floats) -> Floats:
        return curves.truncated_normal_cdf(x, self.mean, self.sd, self.low, self.high)


@dataclass(frozen=True)
class Triangular(Family):
    """Triangular on [low, high] with its apex at `mode`, which may be one of the ends."""

    name: ClassVar[str] = "triangular"
    low: float
    mode: float
    high: float

    def __post_init__(self) -> None:
        self._check_range(self.low, self.high)
        self._check_numbers("mode")
        self._check("mode", self.low <= self.mode <= self.high, f"between {self.low!r} and {self.high!r}")

    def _support(self) -> tuple[float, float]:
        return self.low, self.high

    def _draw(self, u: Floats) -> Floats:
        share, width = u[..., 0], self.high - self.low
        rise, fall = self.mode - self.low, self.high - self.mode
        rising = self.low + np.sqrt(share * width * rise)
        falling = self.high - np.sqrt((1.0 - share) * width * fall)
        return np.asarray(np.where(share * width < rise, rising, falling))

    def _cdf(self, x: Floats) -> Floats:
        at = np.clip(x, self.low, self.high)
        width, rise, fall = self.high - self.low, self.mode - self.low, self.high - self.mode
        rising = (at - self.low) ** 2 / (width * rise) if rise else np.zeros_like(at)
        falling = 1.0 - (self.high - at) ** 2 / (width * fall) if fall else rising
        return np.where(at < self.mode, rising, falling)


@dataclass(frozen=True)
class Beta(Family):
    """Beta on [0, 1] with shapes a and b."""

    name: ClassVar[str] = "beta"
    a: float
    b: float

    def __post_init__(self) -> None:
        self._check_numbers("a", "b")
        for shape in ("a", "b"):
            self._check(shape, getattr(self, shape) > 0, "a number above 0")

    def _support(self) -> tuple[float, float]:
        return 0.0, 1.0

    def _draw(self, u: Floats) -> Floats:
        return curves.beta_quantile(u[..., 0], self.a, self.b)

    def _cdf(self, x: Floats) -> Floats:
        return np.asarray(betainc(self.a, self.b, np.clip(x, 0.0, 1.0)))


@dataclass(frozen=True)
class Mixture(Family):
    """One of several families, chosen with these weights by a second uniform."""

    name: ClassVar[str] = "mixture"
    weights: tuple[float, ...]
    components: tuple[Family, ...]

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "components", tuple(self.components))
        except TypeError:
            self._check("components", False, "a list of families")
        try:
            object.__setattr__(self, "weights", tuple(float(weight) for weight in self.weights))
        except (TypeError, ValueError):
            self._check("weights", False, "one number for each component")
        simple = [isinstance(part, Family) and part.n_uniforms == 1 for part in self.components]
        self._check(
            "components", len(simple) > 0 and all(simple), "families that are not mixtures themselves"
        )
        self._check("weights", len(self.weights) == len(simple), f"{len(simple)}, one for each component")
        positive = all(weight > 0 for weight in self.weights)
        self._check("weights", positive and math.isclose(sum(self.weights), 1.0), "positive numbers, sum 1")

    @property
    def n_uniforms(self) -> int:
        """Two: the value, then the component."""
        return 2

    def _support(self) -> tuple[float, float]:
        lows, highs = zip(*(part.support for part in self.components), strict=True)
        return min(lows), max(highs)

    def _atoms(self) -> tuple[tuple[float, float], ...]:
        total: dict[float, float] = {}
        for weight, part in zip(self.weights, self.components, strict=True):
            for value, mass in part.atoms:
                total[value] = total.get(value, 0.0) + weight * mass
        return tuple(sorted(total.items()))

    def _draw(self, u: Floats) -> Floats:
        value, choice = np.ascontiguousarray(u.reshape(-1, 2).T)
        # Count the bounds passed: with few bounds that is faster than a search.
        chosen = np.zeros(len(choice), np.intp)
        for bound in np.cumsum(self.weights)[:-1]:
            chosen += choice >= bound
        values = np.empty(len(choice))
        for index, part in enumerate(self.components):
            mine = np.flatnonzero(chosen == index)
            values[mine] = part.draw(value[mine, None])
        return values.reshape(u.shape[:-1])

    def _cdf(self, x: Floats) -> Floats:
        parts = zip(self.weights, self.components, strict=True)
        return np.asarray(sum(weight * part.cdf(x) for weight, part in parts))


@dataclass(frozen=True)
class Clamped(Family):
    """A family with values outside [low, high] moved to the nearest end, where atoms form."""

    name: ClassVar[str] = "clamped"
    of: Family
    low: float
    high: float

    def __post_init__(self) -> None:
        self._check("of", isinstance(self.of, Family), "a family")
        self._check_range(self.low, self.high)

    @property
    def n_uniforms(self) -> int:
        """The number of uniforms that the family inside takes."""
        return self.of.n_uniforms

    def _support(self) -> tuple[float, float]:
        low, high = (min(max(end, self.low), self.high) for end in self.of.support)
        return low, high

    def _atoms(self) -> tuple[tuple[float, float], ...]:
        ends = (
            (self.low, float(self.of.cdf(self.low))),
            (self.high, 1.0 - float(self.of.cdf_left(self.high))),
        )
        inside = tuple(atom for atom in self.of.atoms if self.low < atom[0] < self.high)
        return tuple(sorted((*inside, *(end for end in ends if end[1] > 0))))

    def _draw(self, u: Floats) -> Floats:
        return np.asarray(np.clip(self.of.draw(u), self.low, self.high))

    def _cdf(self, x: Floats) -> Floats:
        return np.where(x < self.low, 0.0, np.where(x >= self.high, 1.0, self.of.cdf(x)))


_ALL = (Beta, Clamped, Constant, FoldedNormal, Mixture, Normal, Triangular, TruncatedNormal, Uniform)
FAMILIES: dict[str, type[Family]] = {family.name: family for family in _ALL}


def open_uniforms(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Return uniforms in the open interval (0, 1), as `Family.draw` needs them."""
    return np.maximum(rng.random(shape), 2.0**-54)


def family_from_dict(content: Mapping[str, Any]) -> Family:
    """Return the family from a dictionary as of `Family.to_dict`; parameters with a default may be absent."""
    if not isinstance(content, Mapping) or not isinstance(content.get("family"), str):
        raise NbykError(
            f'a family is a mapping such as {{"family": "uniform", "low": 0, "high": 1}}; found {content!r}'
        )
    name = content["family"]
    check_name("family", name, FAMILIES)
    parameters = {key: value for key, value in content.items() if key != "family"}
    check_fields(parameters, name, FAMILIES[name])
    if "of" in parameters:
        parameters["of"] = family_from_dict(parameters["of"])
    if isinstance(parameters.get("components"), list | tuple):
        parameters["components"] = tuple(family_from_dict(part) for part in parameters["components"])
    return FAMILIES[name](**parameters)


def rounded(value: T) -> T:
    """Return a number, some of them or a family with six digits in all parameters, as every fit has them.

    Further digits depend on the machine's linear algebra, and random numbers depend on every digit.
    """
    result: Any = value
    if isinstance(value, float):
        result = float(f"{value:.6g}")
    elif isinstance(value, tuple):
        result = tuple(rounded(part) for part in value)
    elif is_dataclass(value) and not isinstance(value, type):
        parts = {field.name: rounded(getattr(value, field.name)) for field in fields(value) if field.init}
        if isinstance(value, Mixture):
            parts["weights"] = (*parts["weights"][:-1], 1.0 - sum(parts["weights"][:-1]))
        result = replace(value, **parts)
    return cast(T, result)
