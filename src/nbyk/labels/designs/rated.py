"""Targets made of people's ratings, or of counts of them: levels of a scale, or classes by name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nbyk.data import Interval, Levels, Ratings, Scale, read_ratings, scale_from_text, source
from nbyk.data.columns import Columns, known_names
from nbyk.data.layouts import Entries
from nbyk.data.mending import Mending
from nbyk.data.reading import CellKind, Given, Layout, read_as
from nbyk.data.rows import DataRows
from nbyk.data.tables import TABLE_SUFFIXES, read_table
from nbyk.errors import DataPlace, NbykError
from nbyk.labels.designs.columns import Array, LabelColumn
from nbyk.labels.designs.keys import DesignFile, TargetRatings
from nbyk.labels.designs.places import Places
from nbyk.labels.designs.reading import BY_DEFAULT, LabelColumns, read_labels
from nbyk.labels.raters import rated_targets
from nbyk.labels.targets import Ties, as_names, majority_labels, shares_of, soft_labels
from nbyk.metrics.label_scores import Kind


def read_class_ratings(
    path: Given,
    *,
    classes: Sequence[str] | None = None,
    item: str = "item",
    rater: str | None = "rater",
    value: str = "value",
    layout: Layout = "auto",
) -> tuple[Ratings, tuple[str, ...]]:
    """Read the class that each rater gave each item, and return the ratings with the names of the classes.

    Parameters
    ----------
    path, item, rater, value, layout
        As for `nbyk.read_ratings`: a table with a row for each rating, or with a column for each rater.
    classes
        The classes, in order; without it those in the file, in the order of their names.

    Returns
    -------
    ratings, classes
        The value of a rating is the place of its class among `classes`, from 0. Give both to
        `rated_targets`, `soft_labels` or `majority_labels`.

    Raises
    ------
    NbykError
        As `nbyk.read_ratings`, or if a label is not among the classes, or there is one class only.
    """
    found: tuple[str, ...] = () if classes is None else tuple(classes)

    def places(cells: Entries) -> NDArray[np.float64]:
        nonlocal found
        names = _texts(cells)
        if classes is None:
            found = tuple(sorted(set(names), key=_by_number))
        place_of = {name: float(place) for place, name in enumerate(found)}
        for row, name in enumerate(names):
            if name not in place_of:
                raise cells.at(row).error(
                    f"column {cells.column(row)!r}: found {name!r}, expected one of the "
                    f"classes {', '.join(found)}; mend it, or add it to the classes"
                )
        return np.array([place_of[name] for name in names])

    kind = CellKind(places, "a label", "raters")
    ratings = read_as(kind, path, Columns(item, rater, value), layout, Mending())
    if len(found) < 2:
        raise NbykError(
            f"{found[0]!r} is the only class, expected two or more; name them all with `classes`", file=path
        )
    return ratings, found


def targets_of_file(
    path: str | os.PathLike[str], ties: Ties = "refuse", columns: LabelColumns = BY_DEFAULT
) -> LabelColumn:
    """Return the hard labels in a file: one for each item, or the majority of several people's.

    A table with a column of raters, or with two columns or more beside the items, and without the one of
    labels, has the labels of several people. The columns may have other names (`read_labels`).

    Raises
    ------
    NbykError
        As `read_labels` and `read_class_ratings`, or if classes are tied and `ties` is "refuse".
    """
    if Path(path).suffix.lower() in TABLE_SUFFIXES:
        names = read_table(path).names
        of_raters = known_names(names, "rater") or "rater" in names or columns.rater is not None
        if of_raters or (len(names) > 2 and columns.label not in names):
            rated = read_class_ratings(
                path,
                item=columns.item or "item",
                rater=columns.rater or "rater",
                value=columns.value or "value",
            )
            return _made(*rated, DataPlace(path), "hard", 0.0, ties)
    return read_labels(path, "hard", columns)


def made_targets(places: Places, file: DesignFile) -> list[LabelColumn]:
    """Return the targets made of people's ratings or their counts; empty if the design gives targets."""
    if file.ratings is not None:
        return [_rated(places, file.ratings, file.kind)]
    if file.counts is None:
        return []
    given = read_labels(places.counts, "soft")
    return [replace(given, values=shares_of(given.rows, given.values, file.counts.smoothing))]


def _rated(places: Places, ratings: TargetRatings, kind: Kind) -> LabelColumn:
    """Return the targets made of the ratings that a design names."""
    levels: Sequence[float] | Sequence[str]
    if ratings.source is None:
        path = places.ratings
        assert path is not None  # the model's validator has checked it
        columns = {"item": ratings.item, "rater": ratings.rater, "value": ratings.value}
        place = DataPlace(path)
        if ratings.scale is None:
            table, levels = read_class_ratings(path, classes=ratings.classes, **columns)  # type: ignore[arg-type]
        else:
            table = read_ratings(path, **columns)  # type: ignore[arg-type]
            levels = _levels(scale_from_text(ratings.scale), place)
    else:
        entry = source(ratings.source)
        arguments = () if ratings.question is None else (ratings.question,)
        table = entry.load(places.ratings, *arguments)
        place = DataPlace(places.ratings) if places.ratings else DataPlace(name=str(ratings.source))
        levels = _levels(entry.scale_of(ratings.question), place)
    return _made(table, levels, place, kind, ratings.smoothing, ratings.ties)


def _levels(scale: Scale, place: DataPlace) -> tuple[float, ...]:
    if isinstance(scale, Interval):
        raise place.error(
            f"the scale runs from {scale.low:g} to {scale.high:g}; labels are made of levels: give "
            "them as in 1,2,3,4,5"
        )
    return scale.levels if isinstance(scale, Levels) else (0.0, 1.0)


def _made(
    table: Ratings,
    levels: Sequence[float] | Sequence[str],
    place: DataPlace,
    kind: Kind,
    smoothing: float,
    ties: Ties,
) -> LabelColumn:
    """Return the targets that ratings make."""
    values: Array
    classes = None
    try:
        rated = rated_targets(table, levels, smoothing=smoothing, ties=ties)
        if kind == "soft":
            values, classes = soft_labels(table, levels, smoothing=smoothing), rated.classes
        else:
            values = as_names(majority_labels(table, levels, ties=ties).labels)
    except NbykError as error:
        raise error.about(file=place.file, name=place.name) from None
    said = f"{table.recognised}, classes = {', '.join(rated.classes)}" if table.recognised else ""
    items = np.array(table.items, dtype=object)
    return LabelColumn(values, DataRows(place), items=items, classes=classes, rated=rated, recognised=said)


def _texts(cells: Entries) -> list[str]:
    """Return the names of the classes that raters chose; 3 and 3.0 are "3", as in files of labels."""
    values = np.empty(len(cells.found), dtype=object)
    values[:] = cells.found
    labels = LabelColumn(values, cells.table.rows.taken(cells.rows)).as_text().values
    names: list[str] = labels.tolist()
    return names


def _by_number(name: str) -> tuple[float, str]:
    """Return a sort key that puts 9 before 10, and numbers before words."""
    return (float(name) if name.isdecimal() else np.inf, name)
