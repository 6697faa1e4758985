"""The typed configuration: the source of the defaults, the JSON schema and the config reference.

`load_config` reads a file; `validate` checks a mapping that Snakemake has already merged. Both raise an
error that names the file, the line and the key before any job starts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import to_jsonable_python

from nbyk.comparisons import NAME, Comparison
from nbyk.data.download import default_folder, default_mirror, is_complete
from nbyk.data.scales import scale_from_text
from nbyk.data.sources import source as source_named
from nbyk.data.sources import source_names
from nbyk.errors import NbykError, unknown_name
from nbyk.metrics import get, load_file
from nbyk.resampling.samplers import WEIN_SAMPLERS, check_null, get_sampler
from nbyk.studies import boostsa2022, calibration, homan2025, ulmer2022
from nbyk.studies.wein2023 import COLUMNS, PRIORS
from nbyk.yaml_text import parse_mapping, place_of


def _own_name(name: str) -> str:
    if name == "simulated" or name in source_names():
        raise NbykError(f"{name!r} is a source that nbyk knows; call yours otherwise, or use ratings")
    if not re.fullmatch("[a-z0-9_]+", name) or name.endswith(homan2025.OWN_FIT):
        raise NbykError(f"found {name!r}; a name has lower-case letters, digits and _, and ends not in _fit")
    return name


def _folder_name(name: str) -> str:
    if not re.fullmatch(NAME, name):
        raise NbykError(f"found {name!r}; a name has letters, digits, _ and -")
    return name


def _written_scale(text: str) -> str:
    scale_from_text(text)
    return text


def _known_ratings(name: str) -> str:
    return source_named(name).name


_GRID_SOURCES = (*homan2025.LABELS, *(f"{source}{homan2025.OWN_FIT}" for source in homan2025.LABELS))


def _known_grid_source(name: str) -> str:
    if name not in _GRID_SOURCES:
        raise unknown_name("source", name, _GRID_SOURCES)
    return name


def _known_calibration_source(name: str) -> str:
    known = ("simulated", *_GRID_SOURCES)
    if name not in known:
        raise unknown_name("source", name, known)
    return name


def _known_distribution(name: str) -> str:
    known = (*ulmer2022.DISTRIBUTIONS, *ulmer2022.FURTHER_DISTRIBUTIONS)
    if name not in known:
        raise unknown_name("distribution", name, known)
    return name


def _known_score_test(name: str) -> str:
    known = (*ulmer2022.TESTS, *ulmer2022.FURTHER_TESTS)
    if name not in known:
        raise unknown_name("test", name, known)
    return name


def _known_score(name: str) -> str:
    known = (*boostsa2022.HARD_SCORES, *boostsa2022.SOFT_SCORES)
    if name not in known:
        raise unknown_name("score", name, known)
    return name


def _canonical_sampler(name: str) -> str:
    return get_sampler(name).name


def _distinct(values: list[Any]) -> list[Any]:
    seen: list[Any] = []
    for value in values:
        if value in seen:
            raise NbykError(f"{value!r} is listed twice; keep one")
        seen.append(value)
    return values


Epsilon = Annotated[float, Field(ge=0.0, le=1.0)]
ComparisonName = Annotated[str, AfterValidator(_folder_name)]
OwnName = Annotated[str, AfterValidator(_own_name)]
DesignName = Annotated[str, Field(pattern="^[a-z0-9_]+$")]
ScaleText = Annotated[str, AfterValidator(_written_scale)]
RatingsName = Annotated[str, AfterValidator(_known_ratings)]
RatingsPath = Annotated[str, Field(min_length=1)]
GridSourceName = Annotated[str, AfterValidator(_known_grid_source)]
CalibrationSourceName = Annotated[str, AfterValidator(_known_calibration_source)]
DistributionName = Annotated[str, AfterValidator(_known_distribution)]
ScoreTestName = Annotated[str, AfterValidator(_known_score_test)]
SampleSize = Annotated[int, Field(ge=2)]
Lead = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
Level = Annotated[float, Field(gt=0.0, lt=1.0)]
Fraction = Annotated[float, Field(gt=0.0, le=1.0)]
BalancedSize = Annotated[int, Field(ge=boostsa2022.SIZE_STEP, multiple_of=boostsa2022.SIZE_STEP)]
LevelSize = Annotated[int, Field(ge=20)]
Discordance = Annotated[float, Field(ge=0.005, le=0.25)]
ScoreName = Annotated[str, AfterValidator(_known_score)]
PositiveEpsilon = Annotated[float, Field(gt=0.0, le=1.0)]
Budget = Annotated[int, Field(ge=2)]
Responses = Annotated[int, Field(ge=1)]
SamplerName = Annotated[str, AfterValidator(_canonical_sampler)]
MetricName = Annotated[str, AfterValidator(lambda spec: get(spec).name)]
NullName = Annotated[str, AfterValidator(check_null)]
Distinct = AfterValidator(_distinct)


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Size(_Section):
    """How many items and responses per item a test set has."""

    n_items: int = Field(1000, ge=2)
    """Items N of a test set."""
    k_responses: int = Field(5, ge=1)
    """Responses per item K of the gold and of either system."""


class OwnRatings(_Section):
    """A table of ratings of your own."""

    path: RatingsPath
    """Its path; it is read as by `nbyk.read_ratings`."""
    scale: ScaleText
    """The scale of its values: levels as in 1,2,3,4,5, two ends as in 0..100, or binary."""


class Downloads(_Section):
    """Where `nbyk data fetch` and the workflow get published ratings, and put them (docs/data.md)."""

    folder: str | None = Field(None, min_length=1)
    """Folder of downloads. Without one it is that of NBYK_DATA, or nbyk's in the user's cache."""
    mirror: str | None = Field(None, min_length=1)
    """Address above SOURCE/FILE, or a folder with that layout. Without one: NBYK_MIRROR's, or upstream."""

    @property
    def chosen_folder(self) -> Path:
        """The folder of downloads."""
        return default_folder(self.folder)

    @property
    def chosen_mirror(self) -> str | None:
        """The mirror, if there is one."""
        return default_mirror(self.mirror)


class Homan2025(_Section):
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


class Calibration(_Section):
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


class Labels(_Section):
    """Designs of classifiers compared by their label predictions (docs/labels.md); `snakemake labels`."""

    designs: dict[DesignName, str] = Field({})
    """Designs in YAML by a name of your own, as {sentiment: designs/sentiment.yaml}."""


class Ulmer2022(_Section):
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


class Boostsa2022(_Section):
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


class Config(_Section):
    """Everything a run depends on; one key, one meaning."""

    seed: int = Field(2023, ge=0)
    """Seed of every random number. Another seed gives another, equally valid, set of results."""
    semantics: Annotated[list[Literal["published", "recommended"]], Distinct] = Field(
        ["published", "recommended"], min_length=1
    )
    """How a p-value is computed: as the paper's published numbers were, as nbyk recommends, or both."""
    sources: Annotated[list[str], Distinct] = Field(["simulated", "toxicity", "convabuse"], min_length=1)
    """Where items and responses come from: a published prior, or ratings that a prior is fitted to."""
    ratings: dict[RatingsName, RatingsPath] = Field({})
    """Paths of your own copies of ratings, by source (docs/data.md); convabuse comes with its own."""
    own_ratings: dict[OwnName, OwnRatings] = Field({})
    """Tables of your own by a name of your own, as {path: mine.csv, scale: "1,2,3,4,5"} (docs/data.md)."""
    epsilons: Annotated[list[Epsilon], Distinct] = Field([0.0, 0.05, 0.1, 0.3, 0.7], min_length=1)
    """Perturbations ε_B of system B's item means, each in [0, 1]; 0 makes the systems equal."""
    sizes: Annotated[list[Size], Distinct] = Field([Size(n_items=1000, k_responses=5)], min_length=1)
    """Sizes (N, K) of the test sets. The tables show the first; results/pvalues holds them all."""
    samplers: Annotated[list[SamplerName], Distinct] = Field(list(WEIN_SAMPLERS), min_length=1)
    """Item sampler/response sampler pairs that resample a test set."""
    metric_files: Annotated[list[str], Distinct] = Field([])
    """Python files of your own that register metrics (docs/guide.md)."""
    metrics: Annotated[list[MetricName], Distinct] = Field(list(COLUMNS), min_length=1)
    """Metrics that compare a system with the gold: the paper's nine columns, any other built-in, or yours."""
    recommended_null: NullName = "pooled"
    """Null of the recommended semantics: pooled, pooled_twice, permutation, swap_items or shifted."""
    n_draws: int = Field(1000, ge=2)
    """Draws M under either hypothesis behind each true p-value."""
    n_resamples: int = Field(1000, ge=2)
    """Resamples M under either hypothesis behind each estimated p-value."""
    n_references: int = Field(20, ge=2)
    """Reference test sets per cell: the first is reported, all of them give the estimate's distribution."""
    n_spread_resamples: int = Field(200, ge=2)
    """Resamples M of the reference test sets after the first."""

    downloads: Downloads = Downloads.model_validate({})
    """Where published ratings are fetched from and to: a section of its own, below."""

    homan2025: Homan2025 = Homan2025.model_validate({})
    """The study of Homan et al. 2025: a section of its own, below."""

    calibration: Calibration = Calibration.model_validate({})
    """The study of how often each test rejects: a section of its own, below."""

    labels: Labels = Labels.model_validate({})
    """Designs of label predictions: a section of its own, below."""
    comparisons: dict[ComparisonName, Comparison] = Field({})
    """Comparisons of your own systems, by a name of your own: the keys of each are below."""
    ulmer2022: Ulmer2022 = Ulmer2022.model_validate({})
    """The study of tests of scores of Ulmer et al. 2022: a section of its own, below."""
    boostsa2022: Boostsa2022 = Boostsa2022.model_validate({})
    """The study of Fornaciari et al. 2022: a section of its own, below."""

    def has_ratings(self, source: str) -> bool:
        """Return whether a source has ratings that a prior can be fitted to, at hand or to be fetched."""
        if self.has_own_ratings(source) or source not in source_names():
            return self.has_own_ratings(source)
        return source_named(source).embedded or source_named(source).fetchable

    def has_own_ratings(self, source: str) -> bool:
        """Return whether the user names a path of a source's ratings."""
        return source in self.ratings or source in self.own_ratings

    def downloaded(self, source: str) -> bool:
        """Return whether a source's ratings are to be taken from the folder of downloads."""
        return self.has_ratings(source) and not (
            self.has_own_ratings(source) or source_named(source).embedded
        )

    def at_hand(self, *copies: str | Path) -> list[str]:
        """Return the sources whose ratings need no network: the user's, the embedded, the downloaded.

        `copies` are folders like that of downloads, which every machine of a cluster sees.
        """
        folders = [self.downloads.chosen_folder, *map(Path, copies)]
        mirror = self.downloads.chosen_mirror
        if mirror is not None and "://" not in mirror:
            folders.append(Path(mirror))
        return [
            *self.own_ratings,
            *(
                source
                for source in source_names()
                if source in self.ratings
                or source_named(source).embedded
                or any(is_complete(source_named(source), folder) for folder in folders)
            ),
        ]

    def rating_files(self, source: str) -> list[str]:
        """Return the files of the user's own copy of a source's ratings: none if there is no copy.

        Raises
        ------
        NbykError
            If one is missing.
        """
        files: list[Path] = []
        if source in self.own_ratings:
            files = [Path(self.own_ratings[source].path)]
        elif source in self.ratings:
            files = source_named(source).files(Path(self.ratings[source]))
        for file in files:
            if not file.exists():
                raise NbykError(f"{file}: no such file; check the path")
        return [str(file) for file in files]

    @model_validator(mode="after")
    def _sources_are_known(self) -> Config:
        known = ("simulated", *source_names(), *self.own_ratings)
        for index, source in enumerate(self.sources):
            if source not in known:
                raise NbykError(f"sources.{index}: {unknown_name('source', source, known)}")
        return self

    @model_validator(mode="after")
    def _sources_have_ratings_or_a_prior(self) -> Config:
        for source in self.sources:
            if source not in PRIORS and not self.has_ratings(source):
                raise NbykError(
                    f"sources: {source} has no published prior here, and its ratings are not at hand; name "
                    f"their path as {source} under ratings, or drop it"
                )
        return self

    @model_validator(mode="after")
    def _own_fits_have_ratings(self) -> Config:
        grid = self.homan2025
        fits = [
            *(
                (fit, f"homan2025.{'sources' if fit in grid.sources else 'power_source'}")
                for fit in grid.fitted
            ),
            *((fit, "calibration.sources") for fit in self.calibration.fitted),
        ]
        for fit, key in fits:
            source = homan2025.published_source(fit)
            if not self.has_ratings(source):
                raise NbykError(
                    f"{key}: {fit} is fitted to ratings that are not at hand; name their path as "
                    f"{source} under ratings, or drop it"
                )
        return self

    @model_validator(mode="after")
    def _calibrated_levels_can_be_reached(self) -> Config:
        for alpha in self.calibration.alphas:
            rank = (1 + self.calibration.n_resamples) * alpha / 2
            if abs(rank - round(rank)) > 1e-9 or round(rank) < 1:
                raise NbykError(
                    f"calibration.n_resamples: found {self.calibration.n_resamples}; expected (1 + M)·α/2 to "
                    f"be a whole number for α = {alpha:g}, as it is for 199 draws and α = .01, .05 and .1"
                )
        return self

    @model_validator(mode="after")
    def _labels_have_scores(self) -> Config:
        if not set(self.boostsa2022.scores) & set(boostsa2022.HARD_SCORES):
            raise NbykError(
                f"boostsa2022.scores: found {', '.join(self.boostsa2022.scores)}; expected at least one "
                "score of hard labels, such as accuracy, for Figures 1 to 3"
            )
        return self

    @model_validator(mode="after")
    def _shifted_null_bootstraps_items(self) -> Config:
        fixed = [name for name in self.samplers if name.startswith("all_items")]
        if self.recommended_null == "shifted" and "recommended" in self.semantics and fixed:
            raise NbykError(
                f"recommended_null: the shifted null is for samplers that bootstrap items; drop {fixed[0]}"
            )
        return self


_SECTIONS: dict[str, type[BaseModel]] = {
    "downloads": Downloads,
    "homan2025": Homan2025,
    "calibration": Calibration,
    "labels": Labels,
    "comparisons": Comparison,
    "ulmer2022": Ulmer2022,
    "boostsa2022": Boostsa2022,
}

_BY_NAME = {"comparisons"}
"""Sections of which there are any number, each under a name of the user's own."""


def load_config(path: str | Path) -> Config:
    """Read and validate a YAML configuration.

    Raises
    ------
    NbykError
        If the file is missing, is not YAML, or a key or value is wrong, or a file that it names is missing;
        the message names file and line.
    """
    return validate(_read_yaml(path), files=[path])


def load_downloads(path: str | Path) -> Downloads:
    """Read and validate the `downloads` of a YAML configuration, whatever else is in it.

    Raises
    ------
    NbykError
        As `load_config`, of that section alone.
    """
    values = _read_yaml(path)
    section = {key: values[key] for key in ("downloads",) if key in values}
    return validate(section, files=[path]).downloads


def named_copies(path: str | Path) -> dict[str, Path]:
    """Return the copies of sources under `ratings` that are there, whatever else is in a configuration."""
    named = _read_yaml(path).get("ratings")
    copies = {str(name): Path(str(copy)) for name, copy in named.items()} if isinstance(named, dict) else {}
    return {name: copy for name, copy in copies.items() if copy.exists()}


def validate(values: Mapping[str, Any], *, files: Sequence[str | Path] = ()) -> Config:
    """Validate a configuration that was read already.

    Parameters
    ----------
    values
        The merged configuration.
    files
        The files it came from, to find the line of what is wrong; the last one that has a key wins.

    Raises
    ------
    NbykError
        One line for each wrong key or value, or one for a file that is missing.
    """
    metric_files = values.get("metric_files")
    for index, metric_file in enumerate(metric_files if isinstance(metric_files, list) else []):
        try:
            if isinstance(metric_file, str):
                load_file(metric_file)
        except NbykError as error:
            raise NbykError(f"{_place(('metric_files', index), files)}: {error}") from None
    try:
        config = Config.model_validate(dict(values))
    except ValidationError as error:
        problems = [_explain(problem, files) for problem in error.errors()]
        raise NbykError("\n".join(problems)) from None
    for key, sources in (("ratings", config.ratings), ("own_ratings", config.own_ratings)):
        for source in sources:
            try:
                config.rating_files(source)
            except NbykError as error:
                raise NbykError(f"{_place((key, source), files)}: {key}.{source}: {error}") from None
    for name, comparison in config.comparisons.items():
        try:
            comparison.files()
        except NbykError as error:
            place = _place(("comparisons", name), files)
            raise NbykError(f"{place}: comparisons.{name}: {error}") from None
    return config


def json_schema() -> str:
    """Return the JSON schema of the configuration, for editors that check YAML as it is typed."""
    return json.dumps(Config.model_json_schema(), indent=2, ensure_ascii=False) + "\n"


def reference_page() -> str:
    """Return the config reference as Markdown: every key with its default and meaning."""
    lines = [
        "# Configuration",
        "",
        "<!-- Written by `nbyk config reference`; edit src/nbyk/config.py instead. -->",
        "",
        "Every key of `config.yaml`. A key that is left out has its default; a key that does not exist, or a",
        "value out of range, stops the run before its first job.",
        "",
        "| key | default | meaning |",
        "|---|---|---|",
    ]
    lines += _reference_rows(Config)
    for name, section in _SECTIONS.items():
        shown = f"{name}.NAME" if name in _BY_NAME else name
        lines += ["", f"## `{shown}`", "", f"{section.__doc__}", ""]
        lines += ["| key | default | meaning |", "|---|---|---|", *_reference_rows(section)]
    return "\n".join(lines) + "\n"


def _reference_rows(section: type[BaseModel]) -> list[str]:
    rows = []
    for name, field in section.model_fields.items():
        shown = ""
        if not field.is_required() and name not in _SECTIONS.keys() - _BY_NAME:
            shown = f"`{json.dumps(to_jsonable_python(field.default), ensure_ascii=False)}`"
        rows.append(f"| `{name}` | {shown} | {field.description} |")
    return rows


def _read_yaml(path: str | Path) -> dict[str, Any]:
    try:
        return parse_mapping(path, Path(path).read_bytes())
    except FileNotFoundError:
        raise NbykError(
            f"{path}: no such file; give the path of a configuration, such as config.yaml"
        ) from None


def _explain(problem: Any, files: Sequence[str | Path]) -> str:
    # pydantic ends the place of a mapping's wrong key so.
    location = tuple(part for part in problem["loc"] if part != "[key]")
    if not location:
        # A rule that ties keys together names the one at fault itself.
        named, _, _ = str(problem["ctx"]["error"]).partition(": ")
        keys = [int(key) if key.isdecimal() else key for key in named.split(".")]
        return f"{_place(keys, files)}: {problem['ctx']['error']}"
    place = _place(location, files)
    key = ".".join(str(part) for part in location)
    if problem["type"] == "extra_forbidden":
        return f"{place}: {unknown_name('key', str(location[-1]), _section_at(location).model_fields)}"
    if problem["type"] == "value_error":
        return f"{place}: {key}: {problem['ctx']['error']}"
    found = problem["input"]
    return f"{place}: {key}: found {found!r}; {problem['msg'][0].lower()}{problem['msg'][1:]}"


def _section_at(location: Sequence[int | str]) -> type[BaseModel]:
    """Return the section that a key is in."""
    if len(location) > 2 and isinstance(location[-2], int):
        return Size
    return _SECTIONS.get(str(location[0]), Config) if len(location) > 1 else Config


def _place(location: Sequence[int | str], files: Sequence[str | Path]) -> str:
    """Return "file:line" of a key or value, or "configuration" where no file has it."""
    return place_of(location, files) or "configuration"
