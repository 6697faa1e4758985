"""The interface of kinds of responses."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nbyk.priors.curves import normal_mass

Floats = NDArray[np.float64]


class Kind:
    """A kind of response.

    Attributes
    ----------
    name
        Its name.
    n_levels
        Number of levels it must have; None if it may have any number from `fewest` on.
    low, high
        The ends between which its responses without levels lie.
    counted
        Whether compiled code draws counts of its levels, which needs x = μ + σ z and `edges`.
    words
        What a draw is made, in words.
    """

    name: ClassVar[str]
    n_levels: ClassVar[int | None] = 0
    low: ClassVar[float] = 0.0
    high: ClassVar[float] = 1.0
    counted: ClassVar[bool] = True
    words: ClassVar[str] = "a number"
    cut: ClassVar[str] = "likert"
    """The kind of responses that are cut into levels for a fit."""

    @property
    def expected_levels(self) -> str:
        """The number of levels that it takes, in words."""
        return "a whole number of at least 2" if self.n_levels is None else f"{self.n_levels or 'none'}"

    def takes(self, levels: int) -> bool:
        """Return whether it can have so many levels."""
        return levels >= 2 if self.n_levels is None else levels == self.n_levels

    def values(self, levels: int) -> Floats:
        """Return the possible responses in ascending order, (L,)."""
        return np.arange(levels) / max(levels, 1)

    def edges(self, levels: int) -> Floats:
        """Return the least draws that give each level except the lowest, (L − 1,)."""
        return self.values(levels)[1:]

    def cells(self, edges: Floats, mu: Floats, sigma: Floats) -> Floats:
        """Return the chances of the cells between edges, (…, L), of items whose sigma is above 0, (…, 1)."""
        ends = np.concatenate(([-np.inf], edges, [np.inf]))
        with np.errstate(over="ignore"):
            z = (ends - mu) / sigma
        return normal_mass(z[..., :-1], z[..., 1:])

    def mean(self, mu: Floats, sigma: Floats) -> Floats:
        """Return the expected response of a kind without levels."""
        return mu

    def as_seen(self, both_ends: bool) -> str:
        """Return the kind of responses, all of which are 0 or 1 if `both_ends` says so."""
        return self.name


class SkewedKind(Kind):
    """Responses that are no x = μ + σ z; they may be put on levels."""

    counted = False

    @property
    def expected_levels(self) -> str:
        """None, or levels that the numbers are put on."""
        return "none, or at least 2"

    def takes(self, levels: int) -> bool:
        """Return whether it can have so many levels."""
        return levels == 0 or levels >= 2
