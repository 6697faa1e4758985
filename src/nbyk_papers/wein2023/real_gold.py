"""The effect of a small perturbation on systems on real gold, by the paper's method and by ours."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.data.ratings import stored_ratings
from nbyk.data.response_set import ResponseSet
from nbyk.priors import TwoStagePrior, read_prior
from nbyk.resampling.population import Population
from nbyk_papers.wein2023.cells import reference_sets
from nbyk_papers.wein2023.design import PAPER_SIZE, SEMANTICS

Floats = NDArray[np.float64]

EPSILONS = (0.0, 1e-6, 0.05, 0.1)
"""The perturbations ε_B at which the two methods are compared."""

_N_SETS = 10


@dataclass(frozen=True)
class SmallPerturbations:
    """Effects on MAE on real gold under small perturbations of system B.

    share_alike is the share of items with all ratings equal, among those with at least two; published and
    recommended have B's MAE less A's at each of `EPSILONS`, a mean over ten test sets.
    """

    share_alike: float
    published: tuple[float, ...]
    recommended: tuple[float, ...]

    @classmethod
    def of(cls, prior: TwoStagePrior, gold: Floats, seed: int) -> SmallPerturbations:
        """Return the effects on gold ratings, shape (items, ratings), to which a prior was fitted."""
        rated_twice = gold[(~np.isnan(gold)).sum(axis=1) >= 2]
        alike = np.nanmax(rated_twice, axis=1) == np.nanmin(rated_twice, axis=1)
        n_items, k_responses = PAPER_SIZE
        effects = {
            name: tuple(
                float(
                    np.mean(
                        [
                            _effect(data)
                            for data in reference_sets(
                                Population(prior, min(n_items, len(rated_twice)), k_responses, epsilon),
                                references=range(_N_SETS),
                                seed=seed,
                                gold=rated_twice,
                                latent_items=semantics.latent_items,
                            )
                        ]
                    )
                )
                for epsilon in EPSILONS
            )
            for name, semantics in SEMANTICS.items()
        }
        return cls(float(alike.mean()), **effects)

    @property
    def sentence(self) -> str:
        """The effects of both methods, as sentences."""
        at = ", ".join(f"{epsilon:g}" for epsilon in EPSILONS)
        theirs, ours = (
            ", ".join(f"{effect:.3f}" for effect in effects) for effects in (self.published, self.recommended)
        )
        return (
            f"Of the items with two or more ratings, {self.share_alike:.1%} have ratings that are all equal. "
            "Under published semantics, simulated systems answer with the mean and standard deviation of an "
            "item's ratings. If all ratings are equal, the deviation is 0 and the mean lies on the edge of a "
            "level. Any step down, however small, then takes B's answers one level lower. (Answers of yes or "
            f"no change only with a step of a half or more.) The effect on MAE is therefore {theirs} at "
            f"ε = {at}. Under recommended semantics, nbyk draws the mean and deviation behind the ratings "
            f"from the fitted prior, given the ratings. The effect is then {ours}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as JSON can hold them, and the sentence."""
        return {**asdict(self), "epsilons": list(EPSILONS), "sentence": self.sentence}


def small_perturbations(source: str, ratings: Path, prior: Path, seed: int) -> dict[str, Any]:
    """Return the cautions about a source with real gold: that of its fit, and on small perturbations."""
    matrix = stored_ratings(ratings)[0].matrix()
    fitted = read_prior(prior)
    perturbations = SmallPerturbations.of(fitted, matrix, seed)
    return {"source": source, "caution": fitted.caution, **perturbations.to_dict()}


def _effect(data: ResponseSet) -> float:
    gold = np.nanmean(data.gold, axis=1)
    of_a, of_b = (np.abs(system.mean(axis=1) - gold).mean() for system in (data.a, data.b))
    return float(of_b - of_a)
