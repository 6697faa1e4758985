"""The sections of the configuration, one for each study or table of the user's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from nbyk.config.values import (
    BalancedSize,
    Budget,
    CalibrationSourceName,
    DataPath,
    DesignName,
    Discordance,
    Distinct,
    DistributionName,
    Epsilon,
    Fraction,
    GridSourceName,
    Lead,
    Level,
    LevelSize,
    MetricName,
    PositiveEpsilon,
    Responses,
    SamplerName,
    SampleSize,
    ScaleText,
    ScoreName,
    ScoreTestName,
)
from nbyk.data.download import default_folder, default_mirror
from nbyk.resampling.samplers import WEIN_SAMPLERS
from nbyk.studies import boostsa2022, homan2025, ulmer2022
from nbyk.studies.calibration import cells as calibration


class Section(BaseModel):
    """A section of the configuration: no key that it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Size(Section):
    """How many items and responses per item a test set has."""

    n_items: int = Field(1000, ge=2)
    """Items N of a test set."""
    k_responses: int = Field(5, ge=1)
    """Responses per item K of the gold and of either system."""


class OwnRatings(Section):
    """A table of ratings of your own."""

    path: DataPath
    """Its path; it is read as by `nbyk.read_ratings`."""
    scale: ScaleText
    """The scale of its values: levels as in 1,2,3,4,5, two ends as in 0..100, or binary."""


class Downloads(Section):
    """Where `nbyk data fetch` and the workflow get published ratings, and put them (docs/data.md)."""

    folder: DataPath | None = None
    """Folder of downloads. Without one it is that of NBYK_DATA, or nbyk's in the user's cache."""
    mirror: DataPath | None = None
    """Address above SOURCE/FILE, or a folder with that layout. Without one: NBYK_MIRROR's, or upstream."""

    @property
    def chosen_folder(self) -> Path:
        """The folder of downloads."""
        return default_folder(self.folder)

    @property
    def chosen_mirror(self) -> str | None:
        """The mirror, if there is one."""
        return default_mirror(self.mirror)


class Homan2025(Section):
    """The study of N × K of Homan et al. 2025; `snakemake homan2025` runs it."""

    sources: Annotated[list[GridSourceName], Distinct] = Field(
        [*homan2025.LABELS, "convabuse_fit"], min_length=1
    )
    """The paper's priors by name, and own fits: convabuse_fit, or any with its file under `ratings`."""
    epsilons: Annotated[list[Epsilon], Distinct] = Field(list(homan2025.EPSILONS), min_length=1)
    """Perturbations ε_B of system B's item means, each in [0, 1]."""
    budgets: Annotated[list[Budget], Distinct] = Field(list(homan2025.BUDGETS), min_length=1)
    """Budgets N·K; each is spent in every way that `k_responses` has and that gives whole items."""
    k_responses: Annotated[list[Responses], Distinct] = Field(list(homan2025.RESPONSES), min_length=1)
    """Responses per item K at every budget. The tables choose from those up to 100, as the paper's do."""
    sizes: Annotated[list[Size], Distinct] = Field([])
    """Further sizes (N, K), each computed by itself."""
    metrics: Annotated[list[MetricName], Distinct] = Field(list(homan2025.METRICS), min_length=1)
    """Metrics of every size: the paper's three, the Wasserstein distance of values, any other, or yours."""
    n_draws: int = Field(10_000, ge=2)
    """Draws b under either hypothesis; fewer are drawn where p > .2 or p is known to 2 %."""
    power_source: GridSourceName = "toxicity"
    """Source of Figure 6."""
    power_epsilon: Epsilon = 0.1
    """Perturbation ε_B of Figure 6."""
    power_sizes: Annotated[list[Size], Distinct] = Field(
        [Size(n_items=n, k_responses=k) for n, k in homan2025.POWER_SIZES]
    )
    """Sizes (N, K) of Figure 6: N varies at K = 5 and 10, K at N = 1000. An empty list leaves it out."""
    power_n_sets: int = Field(1000, ge=2)
    """Test sets at each of these sizes."""
    power_resamples: int = Field(10_000, ge=2)
    """Resamples M of each of those test sets."""

    @property
    def fitted(self) -> list[str]:
        """The own fits among the sources."""
        asked = [*self.sources, *([self.power_source] if self.power_sizes else [])]
        return sorted({source for source in asked if homan2025.is_own_fit(source)})


class Calibration(Section):
    """The study of how often each test rejects (docs/calibration.md); `snakemake calibration` runs it."""

    sources: Annotated[list[CalibrationSourceName], Distinct] = Field(list(calibration.SOURCES), min_length=1)
    """Priors that test sets are simulated from: simulated, those of `homan2025`, or own fits as there."""
    sizes: Annotated[list[Size], Distinct] = Field(
        [Size(n_items=n, k_responses=k) for n, k in calibration.SIZES], min_length=1
    )
    """Sizes (N, K) at which p-values and intervals are calibrated."""
    expected_sizes: Annotated[list[Size], Distinct] = Field(
        [Size(n_items=n, k_responses=k) for n, k in calibration.EXPECTED_SIZES]
    )
    """Sizes at which expected p is, by every sampler and null; it takes some five times as long."""
    weak_epsilons: Annotated[list[PositiveEpsilon], Distinct] = Field(list(calibration.WEAK_EPSILONS))
    """ε_A = ε_B of the weak null: two systems, equally good. The strong null, ε = 0, is always there."""
    power_epsilons: Annotated[list[PositiveEpsilon], Distinct] = Field(list(calibration.POWER_EPSILONS))
    """ε_B beside ε_A = 0, where A is better: the rates are powers."""
    alphas: Annotated[list[Level], Distinct] = Field(list(calibration.ALPHAS), min_length=1)
    """Levels α."""
    metrics: Annotated[list[MetricName], Distinct] = Field(list(calibration.METRICS), min_length=1)
    """Metrics; all see the same test sets and draws."""
    samplers: Annotated[list[SamplerName], Distinct] = Field(list(WEIN_SAMPLERS), min_length=1)
    """Item sampler/response sampler pairs of expected p."""
    n_sets: int = Field(1000, ge=2)
    """Test sets behind every rate."""
    n_resamples: int = Field(199, ge=1)
    """Draws M of a null; (1 + M)·α/2 is a whole number for every α, or a test could not reach its level."""
    n_bootstraps: int = Field(999, ge=1)
    """Draws B of whole items: behind their intervals and the null "shifted"."""
    expected_resamples: int = Field(64, ge=2)
    """Draws M of either hypothesis behind an expected p."""

    @property
    def fitted(self) -> list[str]:
        """The own fits among the sources."""
        return [source for source in self.sources if homan2025.is_own_fit(source)]


class Labels(Section):
    """Designs of classifiers compared by their label predictions (docs/labels.md); `snakemake labels`."""

    designs: dict[DesignName, DataPath] = Field({})
    """Designs in YAML by a name of your own, as {sentiment: designs/sentiment.yaml}."""


class Ulmer2022(Section):
    """The study of score tests of Ulmer et al. 2022 (docs/ulmer2022.md); `snakemake ulmer2022` runs it."""

    distributions: Annotated[list[DistributionName], Distinct] = Field(
        list(ulmer2022.DISTRIBUTIONS), min_length=1
    )
    """What both systems' scores come from: the paper's four, exponential or student_t_3."""
    leads: dict[DistributionName, Lead] = Field(dict(ulmer2022.LEADS))
    """Which of them have Type-II errors, and by how much A is better there where the sample size varies."""
    sample_sizes: Annotated[list[SampleSize], Distinct] = Field(list(ulmer2022.SAMPLE_SIZES), min_length=1)
    """Scores n of either system."""
    differences: Annotated[list[Lead], Distinct] = Field(list(ulmer2022.DIFFERENCES))
    """By how much A is better where that varies, at five scores of either system."""
    tests: Annotated[list[ScoreTestName], Distinct] = Field(list(ulmer2022.TESTS), min_length=1)
    """Tests: aso and those of docs/tests.md by name; approximate_randomisation is the paper's permutation."""
    thresholds: Annotated[list[Level], Distinct] = Field(list(ulmer2022.THRESHOLDS), min_length=1)
    """Thresholds of p-values and of eps_min; adding one simulates nothing anew."""
    n_simulations: int = Field(ulmer2022.N_SIMULATIONS, ge=2)
    """Simulations behind each rate."""
    aso_simulations: int = Field(ulmer2022.ASO_SIMULATIONS, ge=2)
    """Simulations behind each rate of aso."""
    n_resamples: int = Field(ulmer2022.N_RESAMPLES, ge=2)
    """Draws behind a p-value that is drawn, and resamples behind an eps_min."""


class Boostsa2022(Section):
    """The study of BooStSa, Fornaciari et al. 2022 (docs/method.md); `snakemake boostsa2022` runs it."""

    sizes: Annotated[list[BalancedSize], Distinct] = Field(list(boostsa2022.SIZES), min_length=1)
    """Test-set sizes N of Figure 1, multiples of 200."""
    fractions: Annotated[list[Fraction], Distinct] = Field(list(boostsa2022.FRACTIONS), min_length=1)
    """Shares f of the items that a resample draws; BooStSa admits .05 to .5."""
    scores: Annotated[list[ScoreName], Distinct] = Field(list(boostsa2022.SCORES), min_length=1)
    """Scores of labels; those of hard ones in every figure, those of soft ones in Type-I error."""
    accuracy: float = Field(boostsa2022.ACCURACY, ge=0.5, le=0.98)
    """Accuracy of system B in Figure 1; A has .01 more."""
    discordances: Annotated[list[Discordance], Distinct] = Field(list(boostsa2022.DISCORDANCES))
    """Shares of the items that exactly one system of Figure 2 has right. An empty list leaves it out."""
    n_simulations: int = Field(boostsa2022.N_SIMULATIONS, ge=1)
    """Simulated test sets behind each point of Figures 1 and 2; sets of resamples of Figure 3."""
    n_resamples: int = Field(boostsa2022.N_RESAMPLES, ge=1)
    """Resamples M of each test set of Figure 1."""
    tagging_resamples: int = Field(boostsa2022.TAGGING_RESAMPLES, ge=1)
    """Resamples M of each test set of Figures 2 and 3."""
    level_sizes: Annotated[list[LevelSize], Distinct] = Field(list(boostsa2022.LEVEL_SIZES), min_length=1)
    """Test-set sizes N of Type-I error."""
    n_sets: int = Field(boostsa2022.N_SETS, ge=2)
    """Test sets behind each Type-I error."""
    level_resamples: int = Field(boostsa2022.LEVEL_RESAMPLES, ge=1)
    """Resamples M of each of those."""
