"""The keys of the study in the configuration."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from nbyk.config.sections import Distinct, PositiveShare, Section, one_of
from nbyk_papers.boostsa2022 import design

BalancedSize = Annotated[int, Field(ge=design.SIZE_STEP, multiple_of=design.SIZE_STEP)]
LevelSize = Annotated[int, Field(ge=20)]
Discordance = Annotated[float, Field(ge=0.005, le=0.25)]
ScoreName = Annotated[str, one_of("score", (*design.HARD_SCORES, *design.SOFT_SCORES))]


class Boostsa2022(Section):
    """The study of BooStSa, Fornaciari et al. 2022 (docs/method.md); `snakemake boostsa2022` runs it."""

    sizes: Annotated[list[BalancedSize], Distinct] = Field(list(design.SIZES), min_length=1)
    """Test-set sizes N of Figure 1, multiples of 200."""
    fractions: Annotated[list[PositiveShare], Distinct] = Field(list(design.FRACTIONS), min_length=1)
    """Shares f of the items that a resample draws. BooStSa itself allows .05 to .5."""
    scores: Annotated[list[ScoreName], Distinct] = Field(list(design.SCORES), min_length=1)
    """Scores to compute. The figures show only scores of hard labels. The Type-I error has those of soft
    labels too."""
    accuracy: float = Field(design.ACCURACY, ge=0.5, le=0.98)
    """Accuracy of system B in Figure 1. A's accuracy is higher by .01."""
    discordances: Annotated[list[Discordance], Distinct] = Field(list(design.DISCORDANCES))
    """Shares of the items on which exactly one system of Figure 2 is right. An empty list drops the
    figure."""
    n_simulations: int = Field(design.N_SIMULATIONS, ge=1)
    """Simulated test sets behind each point of Figures 1 and 2, and sets of resamples in Figure 3."""
    n_resamples: int = Field(design.N_RESAMPLES, ge=1)
    """Resamples M of each test set of Figure 1."""
    tagging_resamples: int = Field(design.TAGGING_RESAMPLES, ge=1)
    """Resamples M of each test set of Figures 2 and 3."""
    level_sizes: Annotated[list[LevelSize], Distinct] = Field(list(design.LEVEL_SIZES), min_length=1)
    """Test-set sizes N of the Type-I error."""
    n_sets: int = Field(design.N_SETS, ge=2)
    """Test sets behind each Type-I error."""
    level_resamples: int = Field(design.LEVEL_RESAMPLES, ge=1)
    """Resamples M of each test set of the Type-I error."""
