"""The two-stage prior: the variation of items, and of responses within an item.

Item i draws (μ_i, σ_i) from the item stage; its responses are draws from N(μ_i, σ_i²), put on the scale of
the data by the response stage (Wein et al. 2023, algorithm 3 and section 6).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbyk.data.scales import Binary, Levels, Scale
from nbyk.errors import NbykError, unknown_name
from nbyk.files import read_json
from nbyk.priors.curves import normal_mass
from nbyk.priors.families import family_from_dict
from nbyk.priors.family import Family

Floats = NDArray[np.float64]

_KINDS = ("normal", "clamped", "likert", "binary")


@dataclass(frozen=True)
class Response:
    """The response stage: turns a normal draw into a response on the scale of the data.

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

    @property
    def values(self) -> Floats:
        """The possible responses in ascending order, shape (L,); empty for the continuous kinds."""
        if self.kind == "binary":
            return np.array([0.0, 1.0])
        return np.arange(self.levels) / max(self.levels, 1)

    @property
    def top(self) -> float:
        """The highest response: (L − 1)/L for "likert", and 1 otherwise (for "normal" only nominally)."""
        return float(self.values[-1]) if self.kind == "likert" else 1.0

    def apply(self, x: ArrayLike) -> Floats:
        """Return the responses that normal draws `x` become; any shape."""
        draws = np.asarray(x, dtype=np.float64)
        if self.kind == "normal":
            return draws
        if self.kind == "binary":
            return np.asarray(draws >= 0.5, dtype=np.float64)
        clipped = np.clip(draws, 0.0, 1.0)
        if self.kind == "clamped":
            return np.asarray(clipped)
        return np.asarray(np.minimum(np.floor(self.levels * clipped), self.levels - 1) / self.levels)

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
        if self.levels == 0:
            raise NbykError(f"response {self.kind} is continuous: it has no cell probabilities")
        mean, sd = np.broadcast_arrays(np.asarray(mu, dtype=np.float64), np.asarray(sigma, dtype=np.float64))
        if (sd < 0).any():
            raise NbykError(f"sigma is {sd.min()}; expected at least 0")
        inner = np.array([0.5]) if self.kind == "binary" else self.values[1:]
        edges = np.concatenate(([-np.inf], inner, [np.inf]))
        spread = np.where(sd > 0, sd, 1.0)[..., np.newaxis]
        with np.errstate(over="ignore"):
            z = (edges - mean[..., np.newaxis]) / spread
        certain = self.apply(mean)[..., np.newaxis] == self.values
        return np.where(sd[..., np.newaxis] > 0, normal_mass(z[..., :-1], z[..., 1:]), certain)

    @classmethod
    def on(cls, scale: Scale) -> Response:
        """Return the response stage of ratings on a scale: Likert on levels, clamped between two ends."""
        if isinstance(scale, Levels):
            return cls("likert", len(scale.levels))
        return cls("binary") if isinstance(scale, Binary) else cls("clamped")

    def to_dict(self) -> dict[str, Any]:
        """Return the kind, and the number of levels of a Likert scale."""
        return {"kind": self.kind, **({"levels": self.levels} if self.kind == "likert" else {})}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Response:
        """Return the response stage from a result of `to_dict`; an `NbykError` names any error in it."""
        _check_keys(content, "response", required=("kind",), optional=("levels",))
        return cls(**content)


@dataclass(frozen=True)
class TwoStagePrior:
    """A distribution of whole data sets: of items, and of the responses within them.

    Attributes
    ----------
    name : str
        Name of the prior in tables. Two priors that differ only in their names draw the same data.
    mu, sigma : Family
        Distributions of an item's mean and standard deviation, independent of each other.
    response : Response
        The response stage.
    caution : str
        A sentence on why the prior, fitted to ratings, does not describe them; empty if its check found no
        fault. It is not part of the distribution: priors that differ only in this are equal.

    Raises
    ------
    NbykError
        If the name is empty, or sigma could be negative.
    """

    name: str
    mu: Family
    sigma: Family
    response: Response
    caution: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise NbykError(f"prior: name is {self.name!r}; expected a name, such as mine")
        for stage, kind in (("mu", Family), ("sigma", Family), ("response", Response)):
            if not isinstance(getattr(self, stage), kind):
                raise NbykError(
                    f"prior {self.name}: {stage} is {getattr(self, stage)!r}; expected a {kind.__name__}"
                )
        if not isinstance(self.caution, str):
            raise NbykError(f"prior {self.name}: caution is {self.caution!r}; expected a sentence, or none")
        low = self.sigma.support[0]
        if low < 0:
            raise NbykError(
                f"prior {self.name}: sigma ({self.sigma.name}) can be as low as {low}, but a standard "
                "deviation cannot be negative; clamp it or truncate it at 0"
            )

    @property
    def n_uniforms(self) -> int:
        """The number of uniforms for one item: first those of mu, then those of sigma."""
        return self.mu.n_uniforms + self.sigma.n_uniforms

    def draw_items(self, u: ArrayLike) -> tuple[Floats, Floats]:
        """Return μ and σ of items, each of shape (...), from uniforms of shape (..., n_uniforms)."""
        uniforms = np.asarray(u, dtype=np.float64)
        split = self.mu.n_uniforms
        return self.mu.draw(uniforms[..., :split]), self.sigma.draw(uniforms[..., split:])

    def to_dict(self) -> dict[str, Any]:
        """Return the prior as JSON can hold it; numbers survive the round trip exactly."""
        caution = {"caution": self.caution} if self.caution else {}
        return {"name": self.name, **self._content(), **caution}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> TwoStagePrior:
        """Return the prior from a result of `to_dict`; an `NbykError` names any error in it."""
        required = ("name", "mu", "sigma", "response")
        _check_keys(content, "prior", required, optional=("caution",))
        return cls(
            name=content["name"],
            mu=family_from_dict(content["mu"]),
            sigma=family_from_dict(content["sigma"]),
            response=Response.from_dict(content["response"]),
            caution=content.get("caution", ""),
        )

    def key(self) -> str:
        """Return the distribution alone as canonical JSON, the key of random streams."""
        return json.dumps(self._content(), sort_keys=True, separators=(",", ":"), allow_nan=False)

    def _content(self) -> dict[str, Any]:
        return {
            "mu": self.mu.to_dict(),
            "sigma": self.sigma.to_dict(),
            "response": self.response.to_dict(),
        }


def read_prior(path: Path) -> TwoStagePrior:
    """Return the prior in a file; an `NbykError` names the file and its error."""
    way_out = "give a prior, as written by `nbyk study prior` or `nbyk fit`, or write it again"
    try:
        return TwoStagePrior.from_dict(read_json(path, way_out=way_out))
    except NbykError as error:
        raise error.about(file=path) from None


def _check_keys(content: Any, what: str, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> None:
    if not isinstance(content, Mapping):
        raise NbykError(f"a {what} is a mapping with {', '.join(required)}; found {content!r}")
    for key in content:
        if key not in required + optional:
            raise unknown_name(f"key of a {what}", str(key), required + optional)
    for key in required:
        if key not in content:
            raise NbykError(f"{what}: {key} is missing")
