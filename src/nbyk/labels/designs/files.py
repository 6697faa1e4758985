"""A design in YAML: its keys, its files, and the functions that read them."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fnmatch import fnmatchcase
from glob import glob
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, model_validator

from nbyk.data import Interval, Levels, Ratings, Scale, read_ratings, scale_from_text, source
from nbyk.data.tables import read_table
from nbyk.data.text import unreadable
from nbyk.errors import NbykError
from nbyk.files import read_bytes
from nbyk.labels.designs.columns import LabelColumn
from nbyk.labels.designs.design import Design, crossed
from nbyk.labels.designs.outcomes import read_outcomes
from nbyk.labels.designs.reading import ITEM, LABEL_SUFFIXES, column_of, read_labels
from nbyk.labels.designs.settings import DesignSection, Settings, as_list
from nbyk.labels.raters import rated_targets
from nbyk.labels.targets import Ties, majority_labels, shares_of, soft_labels
from nbyk.metrics.label_scores import Kind
from nbyk.validation import explained
from nbyk.yaml_text import parse_mapping, place_of

_PATTERN = frozenset("*?[")


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
    """The levels of a table of your own, as in 1,2,3,4,5, or binary; they are the classes."""
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
        if self.source is None and self.scale is None:
            raise NbykError("found path without scale; give the levels of its ratings, as in 1,2,3,4,5")
        if self.source is not None and self.scale is not None:
            raise NbykError("found source and scale; a data set has its own scale: leave scale out")
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


def read_design(path: str | os.PathLike[str]) -> tuple[Design, Settings]:
    """Read a design in YAML and all that it names.

    Parameters
    ----------
    path
        The design. Paths in it are relative to its folder. docs/labels.md lists its keys.

    Raises
    ------
    NbykError
        If the design or a file that it names is missing or malformed; the message names file and key, line
        or row.
    """
    file = _parsed(path)
    places = _Places(path, file)
    kind = file.kind
    if file.outcomes is not None:
        design = read_outcomes(places.outcomes)
        if design.kind != kind:
            raise NbykError(f"{places.outcomes}: found {design.kind} labels; the kind in {path} is {kind}")
        added = {name: _runs(files, kind) for name, files in places.treatments.items()}
        with _naming(path):
            return design.with_treatments(added), file
    if file.table is not None:
        return _of_table(path, file, places), file
    targets = _made_targets(places, file) or [read_labels(each, kind) for each in places.targets]
    controls, treatments = (
        {name: _runs(files, kind) for name, files in of.items()}
        for of in (places.controls, places.treatments)
    )
    with _naming(path):
        return crossed(kind, targets, controls, treatments), file


def design_files(path: str | os.PathLike[str]) -> list[str]:
    """Return the files that a design in YAML reads, itself first.

    Raises
    ------
    NbykError
        If the design is malformed or one of them is missing.
    """
    places = _Places(path, _parsed(path))
    return [os.fspath(path), *map(str, places.every)]


def _parsed(path: str | os.PathLike[str]) -> DesignFile:
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


@contextmanager
def _naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Start errors about conditions with the name of their design."""
    try:
        yield
    except NbykError as error:
        raise error.about(file=path) from None


class _Places:
    """The paths of a design's files; names of columns stay unchanged."""

    def __init__(self, path: str | os.PathLike[str], file: DesignFile) -> None:
        self._design, self._file = Path(path), file
        self._base = self._design.parent
        self.outcomes = self.table = self.counts = self._base
        self.ratings: Path | None = None
        self.targets: list[Path] = []
        self.every: list[Path] = []
        if file.outcomes is not None:
            self.outcomes = self._existing("outcomes", file.outcomes)
        if file.ratings is not None and file.ratings.path is not None:
            self.ratings = self._existing("ratings.path", file.ratings.path)
        if file.counts is not None:
            self.counts = self._existing("counts.path", file.counts.path)
        if file.table is not None:
            self.table = self._existing("table", file.table)
        elif file.targets is not None:
            self.targets = [
                each for spec in file.targets for each in self._found("targets", self._base, spec)
            ]
            self.every += self.targets
        of_table = file.table is not None
        self.controls = {} if of_table else self._conditions("controls", file.controls or {})
        self.treatments = {} if of_table else self._treatments()

    @property
    def _folder(self) -> Path:
        return self._base / self._file.folder if self._file.folder is not None else self._base

    def _treatments(self) -> dict[str, list[Path]]:
        if self._file.treatments is not None:
            return self._conditions("treatments", self._file.treatments)
        if self._file.outcomes is not None:
            return {}
        if self._file.folder is None:
            raise self._error("treatments", "is missing; expected treatments, or a folder of all conditions")
        taken = {file for files in self.controls.values() for file in files} | set(self.targets)
        taken |= {path for path in (self.ratings, self.counts) if path is not None}
        found: dict[str, list[Path]] = {}
        for each in _entries(self._folder):
            name = each.name if each.is_dir() else each.stem
            files = [each] if each.is_file() else [file for file in _entries(each) if file.is_file()]
            if name in found:
                raise self._error("folder", f"{each} and {found[name][0]} would both be {name!r}; move one")
            if name not in self.controls and files and not taken.intersection(files):
                found[name] = files
        if not found:
            raise self._error("folder", f"{self._folder} holds no condition but the controls")
        self.every += [file for files in found.values() for file in files]
        return found

    def _conditions(self, key: str, named: Mapping[str, Sequence[str]]) -> dict[str, list[Path]]:
        found = {}
        for name, specs in named.items():
            files = [each for spec in specs for each in self._found(f"{key}.{name}", self._folder, spec)]
            if len(set(files)) < len(files):
                twice = Counter(files).most_common(1)[0][0]
                raise self._error(f"{key}.{name}", f"{twice} is named twice; keep one")
            found[name] = files
            self.every += files
        return found

    def _found(self, key: str, base: Path, spec: str) -> list[Path]:
        """Return the files of a path, a pattern, a folder or a name without its suffix."""
        path = base / spec
        if path.is_dir():
            files = [each for each in _entries(path) if each.is_file() and each not in self.targets]
            if not files:
                raise self._error(key, f"{path} has no file of labels ({', '.join(LABEL_SUFFIXES)})")
            return files
        if path.exists():
            return [path]
        if _PATTERN.intersection(spec):
            matches = (base / match for match in glob(spec, root_dir=base, recursive=True))
            files = sorted((each for each in matches if each.is_file()), key=_natural)
            if not files:
                raise self._error(key, f"no file matches {path}")
            return files
        files = [path.with_name(path.name + suffix) for suffix in LABEL_SUFFIXES]
        files = [each for each in files if each.is_file()]
        if len(files) != 1:
            found = f"; found {' and '.join(map(str, files))}: name one" if files else ""
            raise self._error(key, f"{path}: no such file or folder{found}")
        return files

    def _existing(self, key: str, spec: str) -> Path:
        path = self._base / spec
        if not path.exists():
            raise self._error(key, f"{path}: no such file")
        self.every.append(path)
        return path

    def _error(self, key: str, problem: str) -> NbykError:
        file, line = place_of(key.split("."), [self._design]) or (self._design, None)
        return NbykError(problem, file=file, row=line, key=key)


def _entries(folder: Path) -> list[Path]:
    """Return the folders and files of labels in a folder, in order."""
    if not folder.is_dir():
        raise NbykError(f"{folder}: no such folder; check the path")
    return sorted(
        (
            each
            for each in folder.iterdir()
            if not each.name.startswith(".") and (each.is_dir() or each.suffix.lower() in LABEL_SUFFIXES)
        ),
        key=_natural,
    )


def _natural(path: Path) -> list[tuple[int, str]]:
    """Return a sort key that puts run2 before run10."""
    parts = re.split(r"(\d+)", str(path))
    return [(int(part), "") if part.isdecimal() and len(part) < 100 else (-1, part) for part in parts if part]


def _runs(files: Sequence[Path], kind: Kind) -> list[tuple[str, LabelColumn]]:
    return [(file.stem, read_labels(file, kind)) for file in files]


def _made_targets(places: _Places, file: DesignFile) -> list[LabelColumn]:
    """Return the targets made of people's ratings or their counts; empty if the design gives targets."""
    if file.ratings is not None:
        return [_rated(places, file.ratings, file.kind)]
    if file.counts is None:
        return []
    given = read_labels(places.counts, "soft")
    return [replace(given, values=shares_of(given.origin, given.values, file.counts.smoothing))]


def _rated(places: _Places, ratings: TargetRatings, kind: Kind) -> LabelColumn:
    """Return the targets made of people's ratings."""
    table, scale, name = _ratings(places, ratings)
    if isinstance(scale, Interval):
        raise NbykError(
            f"{name}: the scale runs from {scale.low:g} to {scale.high:g}; labels are made of levels: give "
            "them as in 1,2,3,4,5"
        )
    levels = scale.levels if isinstance(scale, Levels) else (0.0, 1.0)
    classes = None
    try:
        rated = rated_targets(table, levels, smoothing=ratings.smoothing, ties=ratings.ties)
        if kind == "soft":
            values, classes = soft_labels(table, levels, smoothing=ratings.smoothing), rated.classes
        else:
            most = majority_labels(table, levels, ties=ratings.ties).labels
            values = np.array([f"{level:g}" for level in most])
    except NbykError as error:
        raise error.about(file=name) from None
    items = np.array(table.items, dtype=object)
    return LabelColumn(values, name, items=items, classes=classes, rated=rated)


def _ratings(places: _Places, ratings: TargetRatings) -> tuple[Ratings, Scale, str]:
    if ratings.source is None:
        path = places.ratings
        # The model's validator has checked both.
        assert path is not None
        assert ratings.scale is not None
        columns = {"item": ratings.item, "rater": ratings.rater, "value": ratings.value}
        return read_ratings(path, **columns), scale_from_text(ratings.scale), str(path)  # type: ignore[arg-type]
    entry = source(ratings.source)
    arguments = () if ratings.question is None else (ratings.question,)
    raw = entry.load(places.ratings, *arguments)
    return raw, entry.scale_of(ratings.question), str(places.ratings or ratings.source)


def _of_table(path: str | os.PathLike[str], file: DesignFile, places: _Places) -> Design:
    """Return a design whose targets and runs are columns of one table."""
    table = read_table(places.table)

    def columns(key: str, patterns: Sequence[str]) -> Iterator[str]:
        for pattern in patterns:
            found = [name for name in table.names if fnmatchcase(name, pattern)]
            if pattern in table.names or not _PATTERN.intersection(pattern):
                found = [pattern]
            if not found:
                raise NbykError(f"{places.table}: no column matches {pattern!r} ({key} in {path})")
            yield from found

    def runs(key: str, named: Mapping[str, Sequence[str]]) -> dict[str, list[tuple[str, LabelColumn]]]:
        return {
            name: [(each, column(each)) for each in columns(f"{key}.{name}", patterns)]
            for name, patterns in named.items()
        }

    def column(name: str) -> LabelColumn:
        return column_of(table, name, file.kind, f"{places.table}, column {name!r}")

    names = list(columns("targets", file.targets or ()))
    controls = runs("controls", file.controls or {})
    treatments = file.treatments
    if treatments is None:
        taken = {ITEM, *names, *(run for of in controls.values() for run, _ in of)}
        treatments = {name: [name] for name in table.names if name not in taken}
    targets = _made_targets(places, file) or [column(name) for name in names]
    with _naming(path):
        return crossed(file.kind, targets, controls, runs("treatments", treatments))
