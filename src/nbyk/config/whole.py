"""The whole configuration, and the rules about several of its keys."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, create_model, model_validator

from nbyk.config.comparisons import Comparison
from nbyk.config.sections import Downloads, Labels, OwnRatings, Section
from nbyk.config.values import ComparisonName, DataPath, Distinct, OwnName, RatingsName
from nbyk.data.download import is_complete
from nbyk.data.sources import source as source_named
from nbyk.data.sources import source_names
from nbyk.errors import NbykError
from nbyk.metrics import load_file
from nbyk.metrics.registry import names_in
from nbyk.studies import studies


class Config(Section):
    """Everything a run depends on. Each key has one meaning. Studies add keys: see `config_model`."""

    seed: int = Field(2023, ge=0)
    """Seed of every random number. Another seed gives another, equally valid, set of results."""
    ratings: dict[RatingsName, DataPath] = Field({})
    """Paths of your copies of published ratings, by source (docs/data.md). convabuse comes with nbyk."""
    own_ratings: dict[OwnName, OwnRatings] = Field({})
    """Your own tables, by name: {path: mine.csv, scale: "1,2,3,4,5"} (docs/data.md)."""
    metric_files: Annotated[list[DataPath], Distinct] = Field([])
    """Python files of your own that register metrics (docs/guide.md)."""

    downloads: Downloads = Downloads.model_validate({})
    """Downloads of published ratings. The section below lists its keys."""

    labels: Labels = Labels.model_validate({})
    """Comparisons of label predictions. The section below lists its keys."""
    comparisons: dict[ComparisonName, Comparison] = Field({})
    """Comparisons of your own systems, each under a name that you choose. A section below lists the keys."""

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

        `copies` are folders laid out like the folder of downloads, which every machine of a cluster sees.
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

    def files_of_metrics(self, metrics: Sequence[str]) -> list[str]:
        """Return the user's files that define metrics."""
        names = {name for spec in metrics for name in names_in(spec)}
        return sorted(file for file in self.metric_files if names & set(_registered(file)))

    def rating_files(self, source: str) -> list[str]:
        """Return the files of the user's own copy of a source's ratings; no files if there is no copy.

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
                raise NbykError("no such file; check the path", file=file)
        return [str(file) for file in files]


@cache
def _registered(file: str) -> tuple[str, ...]:
    return load_file(file)


@cache
def config_model() -> type[Config]:
    """Return the configuration with the keys of every study that is installed."""
    own: list[Any] = []
    sections: dict[str, Any] = {}
    for study in studies():
        section = study.section()
        if section is None:
            continue
        if study.keys_of_its_own:
            about = f"{str(section.__doc__).partition(';')[0]}. The section below lists its keys."
            sections[study.name] = (section, Field(section.model_validate({}), description=about))
        else:
            own.append(section)

    def check(config: Config) -> Config:
        for study in studies():
            study.check(config)
        return config

    validators: dict[str, Any] = {"check": model_validator(mode="after")(check)}
    model: type[Config] = create_model(
        "Config",
        __base__=(*own, Config),
        __doc__=Config.__doc__,
        __validators__=validators,
        **sections,
    )
    return model


def config_sections() -> dict[str, type[BaseModel]]:
    """Return the sections that the reference shows under headings of their own."""
    of_studies = {study.name: study.section() for study in studies() if study.keys_of_its_own}
    own: dict[str, type[BaseModel]] = {"downloads": Downloads, "labels": Labels, "comparisons": Comparison}
    return own | {name: section for name, section in of_studies.items() if section is not None}


BY_NAME = {"comparisons"}
"""Sections that a user can have any number of, each under a name of the user's own."""
