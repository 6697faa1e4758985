"""The keys of a design in YAML, and their values."""

from __future__ import annotations

import os
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, model_validator

from nbyk.data import scale_from_text, source
from nbyk.data.text import unreadable
from nbyk.errors import NbykError
from nbyk.files import read_bytes
from nbyk.labels.designs.settings import DesignSection, Settings, as_list
from nbyk.labels.targets import Ties
from nbyk.metrics.label_scores import Kind
from nbyk.yaml_text import explained, parse_mapping, place_of


def _conditions(value: Any) -> Any:
    """Return conditions as a mapping from names to lists: a name alone is also that of its file or column."""
    if isinstance(value, str | list):
        names = as_list(value)
        for place, name in enumerate(names):
            if name in names[:place]:
                raise NbykError(f"{name!r} is listed twice; keep one")
        return {name: [name] for name in names} if all(isinstance(name, str) for name in names) else value
    if isinstance(value, dict):
        return {name: as_list(of) for name, of in value.items()}
    return value


def _written_scale(text: str) -> str:
    scale_from_text(text)
    return text


Texts = Annotated[list[str], BeforeValidator(as_list), Field(min_length=1)]
Conditions = Annotated[dict[str, Texts], BeforeValidator(_conditions), Field(min_length=1)]
ScaleText = Annotated[str, AfterValidator(_written_scale)]
SourceName = Annotated[str, AfterValidator(lambda name: source(name).name)]


class TargetRatings(DesignSection):
    """People's ratings behind the targets."""

    path: str | None = None
    """A table of ratings, as `nbyk.read_ratings` reads it, …"""
    source: SourceName | None = None
    """… or the name of a data set that comes with nbyk; with `path`, your copy of a data set."""
    question: str | None = None
    """Which question, of a data set with several."""
    scale: ScaleText | None = None
    """The levels of a table of your own, as in 1,2,3,4,5, or binary; they are the classes. Without it,
    the table holds the names of classes."""
    classes: Texts | None = None
    """The names of the classes, in order; without it, those in the table, in the order of their names."""
    item: str = "item"
    """The table's column of items, …"""
    rater: str | None = "rater"
    """… of raters (null: unknown), …"""
    value: str = "value"
    """… and of ratings."""
    smoothing: float = Field(0.0, ge=0.0)
    """Soft labels: ratings added to every level of every item."""
    ties: Ties = "refuse"
    """Hard labels: what to do where several levels have the most ratings; refuse, lowest or highest."""

    @model_validator(mode="after")
    def _says_where(self) -> TargetRatings:
        if self.path is None and self.source is None:
            raise NbykError("found neither path nor source; expected one of them")
        for name in ("scale", "classes"):
            if self.source is not None and getattr(self, name) is not None:
                raise NbykError(f"found source and {name}; a data set has its own scale: leave {name} out")
        if self.scale is not None and self.classes is not None:
            raise NbykError(
                "found scale and classes; a scale's levels are the classes: leave one of them out"
            )
        return self


class TargetCounts(DesignSection):
    """Counts of the people who chose each class, to make the targets from."""

    path: str
    """A file of soft labels that holds counts in place of probabilities."""
    smoothing: float = Field(0.0, ge=0.0)
    """Ratings added to every class of every item."""


class DesignFile(Settings):
    """A design in YAML: the places of the labels, and the settings of the comparisons."""

    kind: Kind
    """hard (one class per item) or soft (a row of probabilities per item)."""
    outcomes: str | None = None
    """BooStSa's outcomes.json, in place of targets and controls."""
    table: str | None = None
    """A table with a column for the targets and for each run; without one, each has a file of its own."""
    folder: str | None = None
    """Folder of the runs' files; without one, that of the design."""
    targets: Texts | None = None
    """The file (or column) of the targets, or one for each run, as of folds."""
    ratings: TargetRatings | None = None
    """Ratings to make the targets from, in place of targets."""
    counts: TargetCounts | None = None
    """Counts of ratings to make soft targets from, in place of targets."""
    controls: Conditions | None = None
    """Name of each control with its runs: files, patterns, folders (or columns); or names alone."""
    treatments: Conditions | None = None
    """Likewise; without any, whatever else is in the folder or table."""

    @model_validator(mode="after")
    def _says_what(self) -> DesignFile:
        of_targets = ("targets", "ratings", "counts")
        given = [key for key in (*of_targets, "controls") if getattr(self, key) is not None]
        if self.outcomes is not None:
            found = [*given, *(["table"] if self.table is not None else [])]
            if found:
                raise NbykError(
                    "is given beside outcomes, which has the targets, controls and runs; leave one of them "
                    "out (further treatments go under treatments)",
                    key=found[0],
                )
            return self
        if "controls" not in given:
            raise NbykError("is missing; expected controls, or outcomes", key="controls")
        if len(given) < 2:
            raise NbykError("is missing; expected targets, ratings, counts or outcomes", key="targets")
        if len(given) > 2:
            raise NbykError(f"is given beside {given[0]}; keep one of them", key=given[1])
        if self.counts is not None and self.kind == "hard":
            raise NbykError("makes soft targets, and the kind is hard; write kind: soft", key="counts")
        if self.table is not None and self.folder is not None:
            raise NbykError(
                "is given beside table, whose columns are the runs; keep one of them", key="folder"
            )
        return self


def parsed_design(path: str | os.PathLike[str]) -> DesignFile:
    """Return the keys and values of a design; an error names the file and its line."""
    try:
        values = parse_mapping(os.fspath(path), read_bytes(path))
    except OSError as error:
        raise unreadable(path, error) from None
    try:
        return DesignFile.model_validate(values)
    except ValidationError as error:
        location, problem = explained(error.errors()[0], DesignFile)
        file, line = place_of(location, [path]) or (path, None)
        raise problem.about(file=file, row=line) from None
