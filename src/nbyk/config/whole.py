"""The whole configuration, and what ties its keys together."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, Field, model_validator

from nbyk.config.comparisons import Comparison
from nbyk.config.sections import (
    Boostsa2022,
    Calibration,
    Downloads,
    Homan2025,
    Labels,
    OwnRatings,
    Section,
    Size,
    Ulmer2022,
)
from nbyk.config.values import (
    ComparisonName,
    Distinct,
    Epsilon,
    MetricName,
    NullName,
    OwnName,
    RatingsName,
    SamplerName,
    Text,
)
from nbyk.data.download import is_complete
from nbyk.data.sources import source as source_named
from nbyk.data.sources import source_names
from nbyk.errors import NbykError, unknown_name
from nbyk.resampling.samplers import WEIN_SAMPLERS
from nbyk.studies import boostsa2022, homan2025
from nbyk.studies.wein2023 import COLUMNS, PRIORS


class Config(Section):
    """Everything a run depends on; one key, one meaning."""

    seed: int = Field(2023, ge=0)
    """Seed of every random number. Another seed gives another, equally valid, set of results."""
    semantics: Annotated[list[Literal["published", "recommended"]], Distinct] = Field(
        ["published", "recommended"], min_length=1
    )
    """How a p-value is computed: as the paper's published numbers were, as nbyk recommends, or both."""
    sources: Annotated[list[str], Distinct] = Field(["simulated", "toxicity", "convabuse"], min_length=1)
    """Where items and responses come from: a published prior, or ratings that a prior is fitted to."""
    ratings: dict[RatingsName, Text] = Field({})
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
                raise unknown_name("source", source, known).about(key=f"sources.{index}")
        return self

    @model_validator(mode="after")
    def _sources_have_ratings_or_a_prior(self) -> Config:
        for source in self.sources:
            if source not in PRIORS and not self.has_ratings(source):
                raise NbykError(
                    f"{source} has no published prior here, and its ratings are not at hand; name "
                    f"their path as {source} under ratings, or drop it",
                    key="sources",
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
                    f"{fit} is fitted to ratings that are not at hand; name their path as "
                    f"{source} under ratings, or drop it",
                    key=key,
                )
        return self

    @model_validator(mode="after")
    def _calibrated_levels_can_be_reached(self) -> Config:
        for alpha in self.calibration.alphas:
            rank = (1 + self.calibration.n_resamples) * alpha / 2
            if abs(rank - round(rank)) > 1e-9 or round(rank) < 1:
                raise NbykError(
                    f"found {self.calibration.n_resamples}; expected (1 + M)·α/2 to "
                    f"be a whole number for α = {alpha:g}, as it is for 199 draws and α = .01, .05 and .1",
                    key="calibration.n_resamples",
                )
        return self

    @model_validator(mode="after")
    def _labels_have_scores(self) -> Config:
        if not set(self.boostsa2022.scores) & set(boostsa2022.HARD_SCORES):
            raise NbykError(
                f"found {', '.join(self.boostsa2022.scores)}; expected at least one "
                "score of hard labels, such as accuracy, for Figures 1 to 3",
                key="boostsa2022.scores",
            )
        return self

    @model_validator(mode="after")
    def _shifted_null_bootstraps_items(self) -> Config:
        fixed = [name for name in self.samplers if name.startswith("all_items")]
        if self.recommended_null == "shifted" and "recommended" in self.semantics and fixed:
            raise NbykError(
                f"the shifted null is for samplers that bootstrap items; drop {fixed[0]}",
                key="recommended_null",
            )
        return self


SECTIONS: dict[str, type[BaseModel]] = {
    "downloads": Downloads,
    "homan2025": Homan2025,
    "calibration": Calibration,
    "labels": Labels,
    "comparisons": Comparison,
    "ulmer2022": Ulmer2022,
    "boostsa2022": Boostsa2022,
}
"""Those that the reference shows under headings of their own."""

BY_NAME = {"comparisons"}
"""Sections of which there are any number, each under a name of the user's own."""
