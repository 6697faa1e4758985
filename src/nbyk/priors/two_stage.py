"""The two-stage prior: the variation of items, and of responses within an item.

Item i draws (μ_i, σ_i); its responses are draws from N(μ_i, σ_i²), put on the scale of the data by the
response stage (Wein et al. 2023, algorithm 3 and section 6).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from nbyk.arrays import Floats
from nbyk.errors import NbykError, errors_about
from nbyk.files import read_json
from nbyk.priors.families import family_from_dict
from nbyk.priors.family import Family, check_fields
from nbyk.priors.prior import Prior
from nbyk.priors.responses import Response


@dataclass(frozen=True)
class TwoStagePrior(Prior):
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

    of_labels: ClassVar[bool] = False

    name: str
    mu: Family
    sigma: Family
    response: Response
    caution: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        self.check_name()
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

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> TwoStagePrior:
        """Return the prior from a result of `to_dict`; an `NbykError` names any error in it."""
        check_fields(content, "prior", cls)
        parts = {stage: family_from_dict(content[stage]) for stage in ("mu", "sigma")}
        return cls(**{**content, **parts, "response": Response.from_dict(content["response"])})

    def _content(self) -> dict[str, Any]:
        return {
            "mu": self.mu.to_dict(),
            "sigma": self.sigma.to_dict(),
            "response": self.response.to_dict(),
        }


def read_prior(path: Path) -> TwoStagePrior:
    """Return the prior in a file; an `NbykError` names the file and its error."""
    way_out = "give a prior, as written by `nbyk study prior` or `nbyk fit`, or write it again"
    with errors_about(file=path):
        return TwoStagePrior.from_dict(read_json(path, way_out=way_out))
