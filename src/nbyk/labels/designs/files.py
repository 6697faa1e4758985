"""A design in YAML, read with all the files that it names."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path

from nbyk.data.tables import read_table
from nbyk.errors import NbykError
from nbyk.labels.designs.columns import LabelColumn
from nbyk.labels.designs.design import Design, crossed
from nbyk.labels.designs.keys import DesignFile, parsed_design
from nbyk.labels.designs.outcomes import read_outcomes
from nbyk.labels.designs.places import PATTERN, Places
from nbyk.labels.designs.rated import made_targets
from nbyk.labels.designs.reading import ITEM, column_of, read_labels
from nbyk.labels.designs.settings import Settings
from nbyk.metrics.label_scores import Kind


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
    file = parsed_design(path)
    places = Places(path, file)
    kind = file.kind
    if file.outcomes is not None:
        design = read_outcomes(places.outcomes)
        if design.kind != kind:
            raise NbykError(f"found {design.kind} labels; the kind in {path} is {kind}", file=places.outcomes)
        added = {name: _runs(files, kind) for name, files in places.treatments.items()}
        with _naming(path):
            return design.with_treatments(added), file
    if file.table is not None:
        return _of_table(path, file, places), file
    targets = made_targets(places, file) or [read_labels(each, kind) for each in places.targets]
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
    places = Places(path, parsed_design(path))
    return [os.fspath(path), *map(str, places.every)]


@contextmanager
def _naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Start errors about conditions with the name of their design."""
    try:
        yield
    except NbykError as error:
        raise error.about(file=path) from None


def _runs(files: Sequence[Path], kind: Kind) -> list[tuple[str, LabelColumn]]:
    return [(file.stem, read_labels(file, kind)) for file in files]


def _of_table(path: str | os.PathLike[str], file: DesignFile, places: Places) -> Design:
    """Return a design whose targets and runs are columns of one table."""
    table = read_table(places.table)

    def columns(key: str, patterns: Sequence[str]) -> Iterator[str]:
        for pattern in patterns:
            found = [name for name in table.names if fnmatchcase(name, pattern)]
            if pattern in table.names or not PATTERN.intersection(pattern):
                found = [pattern]
            if not found:
                raise NbykError(f"no column matches {pattern!r} ({key} in {path})", file=places.table)
            yield from found

    def runs(key: str, named: Mapping[str, Sequence[str]]) -> dict[str, list[tuple[str, LabelColumn]]]:
        return {
            name: [(each, column(each)) for each in columns(f"{key}.{name}", patterns)]
            for name, patterns in named.items()
        }

    def column(name: str) -> LabelColumn:
        return column_of(table, name, file.kind, table.rows.named(f"column {name!r}"))

    names = list(columns("targets", file.targets or ()))
    controls = runs("controls", file.controls or {})
    treatments = file.treatments
    if treatments is None:
        taken = {ITEM, *names, *(run for of in controls.values() for run, _ in of)}
        treatments = {name: [name] for name in table.names if name not in taken}
    targets = made_targets(places, file) or [column(name) for name in names]
    with _naming(path):
        return crossed(file.kind, targets, controls, runs("treatments", treatments))
