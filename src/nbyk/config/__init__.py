"""The typed configuration: the source of the defaults, the JSON schema and the config reference.

`load_config` reads a file; `validate` checks a mapping that Snakemake has already merged. Both raise an
error that names the file, the line and the key before any job starts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field, ValidationError, create_model, model_validator
from pydantic_core import to_jsonable_python

from nbyk.bounded import content_of
from nbyk.config.sections import (
    Comparison,
    ComparisonName,
    DataPath,
    Distinct,
    Downloads,
    OwnName,
    OwnRatings,
    RatingsName,
    Section,
)
from nbyk.data.download import is_complete
from nbyk.data.sources import source as source_named
from nbyk.data.sources import source_names
from nbyk.errors import NbykError, SeveralError, no_such_file, on_one_line
from nbyk.metrics import load_file
from nbyk.metrics.registry import names_in
from nbyk.studies import studies
from nbyk.yaml_text import Location, explained, parse_mapping, place_of

__all__ = [
    "Config",
    "Downloads",
    "check_files",
    "config_model",
    "json_schema",
    "load_config",
    "load_downloads",
    "named_copies",
    "reference_page",
    "validate",
]


_metrics_of = cache(load_file)


def _loaded(file: str) -> str:
    load_file(file)
    return file


class Config(Section):
    """Everything a run depends on. Each key has one meaning. Studies add keys: see `config_model`."""

    seed: int = Field(2023, ge=0)
    """Seed of every random number. Another seed gives another, equally valid, set of results."""
    ratings: dict[RatingsName, DataPath] = Field({})
    """Paths of your copies of published ratings, by source (docs/data.md). convabuse comes with nbyk."""
    own_ratings: dict[OwnName, OwnRatings] = Field({})
    """Your own tables, by name: {path: mine.csv, scale: "1,2,3,4,5"} (docs/data.md)."""
    metric_files: Annotated[list[Annotated[DataPath, AfterValidator(_loaded)]], Distinct] = Field([])
    """Python files of your own that register metrics (docs/guide.md)."""

    downloads: Downloads = Downloads.model_validate({})
    """Downloads of published ratings. The section below lists its keys."""

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
        return sorted(file for file in self.metric_files if names & set(_metrics_of(file)))

    def rating_files(self, source: str) -> list[str]:
        """Return the files of the user's own copy of a source's ratings; no files if there is no copy."""
        files: list[Path] = []
        if source in self.own_ratings:
            files = [Path(self.own_ratings[source].path)]
        elif source in self.ratings:
            files = source_named(source).files(Path(self.ratings[source]))
        for file in files:
            if not file.exists():
                raise no_such_file(file)
        return [str(file) for file in files]


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
        named: dict[str, Callable[[], list[str]]]
        named = {f"ratings.{name}": partial(config.rating_files, name) for name in config.ratings}
        named |= {f"own_ratings.{name}": partial(config.rating_files, name) for name in config.own_ratings}
        named |= {f"comparisons.{name}": comparison.files for name, comparison in config.comparisons.items()}
        for key, files in named.items():
            try:
                files()
            except NbykError as error:
                raise NbykError(str(error), key=key) from None
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
    study_sections = {study.name: study.section() for study in studies() if study.keys_of_its_own}
    own: dict[str, type[BaseModel]] = {"downloads": Downloads, "comparisons": Comparison}
    return own | {name: section for name, section in study_sections.items() if section is not None}


BY_NAME = {"comparisons"}
"""Sections that a user can have any number of, each under a name of the user's own."""


_MOST_SHOWN = 20


def check_files(files: Sequence[str | Path]) -> None:
    """Check the configurations that exist for errors that Snakemake's YAML reader does not report."""
    for path in files:
        if Path(path).exists():
            _read_yaml(path)


def load_config(path: str | Path) -> Config:
    """Read and validate a YAML configuration."""
    return validate(_read_yaml(path), files=[path])


def load_downloads(path: str | Path) -> Downloads:
    """Read and validate the `downloads` of a YAML configuration; ignore the other keys."""
    values = _read_yaml(path)
    section = {key: values[key] for key in ("downloads",) if key in values}
    return validate(section, files=[path]).downloads


def named_copies(path: str | Path) -> dict[str, Path]:
    """Return the copies of sources under `ratings` that exist; ignore the other keys of the configuration."""
    named = _read_yaml(path).get("ratings")
    copies = {str(name): Path(str(copy)) for name, copy in named.items()} if isinstance(named, dict) else {}
    return {name: copy for name, copy in copies.items() if copy.exists()}


def validate(values: Mapping[str, Any], *, files: Sequence[str | Path] = ()) -> Config:
    """Validate a configuration that has been read.

    The line of an error is that in the last of the files it was merged from that has the key.
    """
    try:
        return config_model().model_validate(dict(values))
    except ValidationError as error:
        errors = error.errors()
        explanations = [explained(problem, config_model()) for problem in errors[:_MOST_SHOWN]]
        problems = [str(_placed(problem, location, files)) for location, problem in explanations]
        if len(errors) > _MOST_SHOWN:
            problems.append(f"and {len(errors) - _MOST_SHOWN} more like these")
        raise SeveralError("\n".join(map(on_one_line, problems))) from None


def _read_yaml(path: str | Path) -> dict[str, Any]:
    try:
        return parse_mapping(path, content_of(path))
    except FileNotFoundError:
        raise NbykError(
            "no such file; give the path of a configuration, such as config.yaml", file=path
        ) from None


def _placed(error: NbykError, location: Location, files: Sequence[str | Path]) -> NbykError:
    """Return the error about the file and line of a key; about "configuration" if no file has the key."""
    place = place_of(location, files)
    return error.about(name="configuration") if place is None else error.about(file=place[0], row=place[1])


def json_schema() -> str:
    """Return the JSON schema of the configuration, for editors that check YAML as it is typed."""
    return json.dumps(config_model().model_json_schema(), indent=2, ensure_ascii=False) + "\n"


def reference_page() -> str:
    """Return the config reference as Markdown: every key with its default and meaning."""
    lines = [
        "# Configuration",
        "",
        "<!-- Written by `nbyk config reference`; edit src/nbyk/config instead. -->",
        "",
        "```console",
        "$ .venv/bin/nbyk config check config.yaml   # says what is wrong, without a run",
        "$ .venv/bin/snakemake --config seed=7       # one setting for one run",
        "```",
        "",
        "This page lists every key of `config.yaml`. If you leave out a key, it has its default. If a key",
        "does not exist or a value is out of range, the run stops before its first job.",
        "",
        "| key | default | meaning |",
        "|---|---|---|",
    ]
    lines += _reference_rows(config_model())
    for name, section in config_sections().items():
        shown = f"{name}.NAME" if name in BY_NAME else name
        lines += ["", f"## `{shown}`", "", f"{section.__doc__}", ""]
        lines += ["| key | default | meaning |", "|---|---|---|", *_reference_rows(section)]
    return "\n".join(lines) + "\n"


def _reference_rows(section: type[BaseModel]) -> list[str]:
    rows = []
    for name, field in section.model_fields.items():
        shown = ""
        if not field.is_required() and name not in config_sections().keys() - BY_NAME:
            shown = f"`{json.dumps(to_jsonable_python(field.default), ensure_ascii=False)}`"
        rows.append(f"| `{name}` | {shown} | {' '.join(str(field.description).split())} |")
    return rows
