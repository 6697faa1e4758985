"""The files that a design in YAML names: paths, patterns, folders, and names without a suffix."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from glob import glob
from pathlib import Path

from nbyk.errors import NbykError
from nbyk.labels.designs.keys import DesignFile
from nbyk.labels.designs.reading import LABEL_SUFFIXES
from nbyk.yaml_text import place_of

PATTERN = frozenset("*?[")
"""A name that has one of these signs is a pattern."""


class Places:
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
        if PATTERN.intersection(spec):
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
        raise NbykError("no such folder; check the path", file=folder)
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
