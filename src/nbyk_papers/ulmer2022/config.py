"""The keys of the study in the configuration."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from nbyk.config.sections import Distinct, Level, Section, one_of
from nbyk_papers.ulmer2022 import design

DistributionName = Annotated[
    str, one_of("distribution", (*design.DISTRIBUTIONS, *design.FURTHER_DISTRIBUTIONS))
]
ScoreTestName = Annotated[str, one_of("test", (*design.TESTS, *design.FURTHER_TESTS))]
SampleSize = Annotated[int, Field(ge=2)]
Lead = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]


class Ulmer2022(Section):
    """The study of score tests of Ulmer et al. 2022 (docs/ulmer2022.md); `snakemake ulmer2022` runs it."""

    distributions: Annotated[list[DistributionName], Distinct] = Field(
        list(design.DISTRIBUTIONS), min_length=1
    )
    """Distributions of both systems' scores: the paper's four, exponential or student_t_3."""
    leads: dict[DistributionName, Lead] = Field(dict(design.LEADS))
    """Lead of A, by distribution, where the sample size varies. Only these have Type-II errors."""
    sample_sizes: Annotated[list[SampleSize], Distinct] = Field(list(design.SAMPLE_SIZES), min_length=1)
    """Number of scores n of each system."""
    differences: Annotated[list[Lead], Distinct] = Field(list(design.DIFFERENCES))
    """Leads of A where the lead varies, with five scores of each system."""
    tests: Annotated[list[ScoreTestName], Distinct] = Field(list(design.TESTS), min_length=1)
    """Tests: aso and those of docs/tests.md. approximate_randomisation is the paper's permutation test."""
    thresholds: Annotated[list[Level], Distinct] = Field(list(design.THRESHOLDS), min_length=1)
    """Thresholds of p-values and of eps_min, the result of aso. You can add one without new simulations."""
    n_simulations: int = Field(design.N_SIMULATIONS, ge=2)
    """Simulations behind each rate."""
    aso_simulations: int = Field(design.ASO_SIMULATIONS, ge=2)
    """Simulations behind each rate of aso."""
    n_resamples: int = Field(design.N_RESAMPLES, ge=2)
    """Draws behind each p-value of a resampling test, and resamples behind each eps_min."""
