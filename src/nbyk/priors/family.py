"""The interface of families of distributions of an item's parameters."""

from __future__ import annotations

import math
import numbers
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from nbyk.arrays import Floats
from nbyk.errors import NbykError, check_name


@dataclass(frozen=True)
class Family(ABC):
    """A distribution of one item parameter; its `name` is that of files and tables."""

    name: ClassVar[str]

    @property
    def n_uniforms(self) -> int:
        """The number of uniforms for one draw: the length of the last axis that `draw` expects."""
        return 1

    @property
    def support(self) -> tuple[float, float]:
        """The smallest closed interval that holds every value."""
        return self._support()

    @property
    def atoms(self) -> tuple[tuple[float, float], ...]:
        """The (value, probability) of every value that has a probability of its own."""
        return self._atoms()

    def draw(self, u: ArrayLike) -> Floats:
        """Turn independent uniforms in (0, 1), of shape (..., n_uniforms), into values of this family."""
        uniforms = np.asarray(u, dtype=np.float64)
        if uniforms.ndim == 0 or uniforms.shape[-1] != self.n_uniforms:
            raise NbykError(
                f"{self.name}: uniforms have shape {uniforms.shape}; expected (..., {self.n_uniforms})"
            )
        return self._draw(uniforms)

    def cdf(self, x: ArrayLike) -> Floats:
        """Return P(X ≤ x) for every x, so right-continuous where there are atoms."""
        return self._cdf(np.asarray(x, dtype=np.float64))

    def cdf_left(self, x: ArrayLike) -> Floats:
        """Return P(X < x) for every x: `cdf` without the atom at x."""
        at = np.asarray(x, dtype=np.float64)
        below = self.cdf(at)
        for value, mass in self.atoms:
            below = np.where(at == value, below - mass, below)
        return np.asarray(below)

    def to_dict(self) -> dict[str, Any]:
        """Return the name under ``family`` and the parameters, as JSON can hold them."""
        content: dict[str, Any] = {"family": self.name}
        for field in fields(self):
            value = getattr(self, field.name)
            parts = [_plain(part) for part in value] if isinstance(value, tuple) else _plain(value)
            content[field.name] = parts
        return content

    def _atoms(self) -> tuple[tuple[float, float], ...]:
        return ()

    @abstractmethod
    def _support(self) -> tuple[float, float]: ...

    @abstractmethod
    def _draw(self, u: Floats) -> Floats: ...

    @abstractmethod
    def _cdf(self, x: Floats) -> Floats: ...

    def _check(self, parameter: str, ok: bool, expected: str) -> None:
        if not ok:
            raise NbykError(f"{self.name}: {parameter} is {getattr(self, parameter)!r}; expected {expected}")

    def _check_range(self, low: float, high: float) -> None:
        self._check_numbers("low", "high")
        self._check("high", high > low, f"more than low, {low!r}; for a single value use `constant`")

    def _check_numbers(self, *parameters: str) -> None:
        for parameter in parameters:
            value = getattr(self, parameter)
            real = isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)
            self._check(parameter, real and math.isfinite(value), "a finite number")
            # Adding zero turns −0.0 into 0.0. JSON distinguishes the two, but a random stream must not.
            object.__setattr__(self, parameter, float(value) + 0.0)


def _plain(value: Any) -> Any:
    return value.to_dict() if isinstance(value, Family) else value


def check_fields(content: Any, what: str, kind: type[Any]) -> None:
    """Raise an `NbykError` unless content is a mapping with the fields of a data class, as JSON has them."""
    known = [field.name for field in fields(kind)]
    required = [field.name for field in fields(kind) if field.default is MISSING]
    if not isinstance(content, Mapping):
        raise NbykError(f"a {what} is a mapping with {', '.join(required)}; found {content!r}")
    for key in content:
        check_name(f"key of a {what}", key, known)
    for key in required:
        if key not in content:
            raise NbykError(f"{what}: {key} is missing")
