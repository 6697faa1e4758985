"""The keys of the study in the configuration."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from nbyk.config.sections import (
    Distinct,
    Level,
    MetricName,
    PositiveShare,
    SamplerName,
    Section,
    SizeSection,
    one_of,
)
from nbyk.resampling.samplers import WEIN_SAMPLERS
from nbyk_papers.calibration import design
from nbyk_papers.homan2025.config import GRID_SOURCES

SourceName = Annotated[str, one_of("source", ("simulated", *GRID_SOURCES))]


class Calibration(Section):
    """The study of how often each test rejects (docs/calibration.md); `snakemake calibration` runs it."""

    sources: Annotated[list[SourceName], Distinct] = Field(list(design.SOURCES), min_length=1)
    """Priors of the simulated test sets: simulated, or any source that `homan2025` accepts."""
    sizes: Annotated[list[SizeSection], Distinct] = Field(
        [SizeSection(n_items=n, k_responses=k) for n, k in design.SIZES], min_length=1
    )
    """Sizes (N, K) at which to measure p-values and intervals."""
    expected_sizes: Annotated[list[SizeSection], Distinct] = Field(
        [SizeSection(n_items=n, k_responses=k) for n, k in design.EXPECTED_SIZES]
    )
    """Sizes at which to measure expected p, by every sampler and null. They take five times as long."""
    weak_epsilons: Annotated[list[PositiveShare], Distinct] = Field(list(design.WEAK_EPSILONS))
    """ε of both systems under the weak null: they differ but are equally good. Every run also has the strong
    null, ε = 0."""
    power_epsilons: Annotated[list[PositiveShare], Distinct] = Field(list(design.POWER_EPSILONS))
    """ε of system B, with ε = 0 for A. A is then better, so the rates are powers."""
    alphas: Annotated[list[Level], Distinct] = Field(list(design.ALPHAS), min_length=1)
    """Levels α of the tests."""
    metrics: Annotated[list[MetricName], Distinct] = Field(list(design.METRICS), min_length=1)
    """Metrics to test by. All use the same test sets and draws."""
    samplers: Annotated[list[SamplerName], Distinct] = Field(list(WEIN_SAMPLERS), min_length=1)
    """Pairs of an item sampler and a response sampler, for expected p."""
    n_sets: int = Field(1000, ge=2)
    """Test sets behind every rate."""
    n_resamples: int = Field(199, ge=1)
    """Draws M of a null. (1 + M)·α/2 must be a whole number for every α. Otherwise tests miss their level."""
    n_bootstraps: int = Field(999, ge=1)
    """Draws B of whole items, for intervals and for the null "shifted"."""
    expected_resamples: int = Field(64, ge=2)
    """Draws M of each hypothesis behind an expected p."""
    label_classes: Annotated[list[Annotated[int, Field(ge=2, le=26)]], Distinct] = Field(
        list(design.LABEL_CLASSES)
    )
    """Numbers of classes at which to measure the recommended test for labels; none to leave it out."""
    label_sets: int = Field(1000, ge=2)
    """Test sets behind every rate of labels."""
