"""Targets made of people's ratings, or of counts of them: levels of a scale, or classes by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nbyk.data import Interval, Levels, Ratings, Scale, Systems, read_ratings, scale_from_text, source
from nbyk.data.columns import Columns
from nbyk.data.kinds import Classes
from nbyk.data.mending import Mending
from nbyk.data.reading import Given, Layout, read_as
from nbyk.data.tables import DataRows
from nbyk.errors import DataPlace, NbykError
from nbyk.labels.designs.columns import Array, LabelColumn
from nbyk.labels.designs.keys import DesignFile, TargetRatings
from nbyk.labels.designs.places import Places
from nbyk.labels.designs.reading import read_labels
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
    known = Classes(classes)
    ratings = read_as(known.kind, path, Columns(item, rater, value), layout, Mending())
    return ratings, known.names


def gold_targets(systems: Systems, place: DataPlace, ties: Ties = "refuse") -> LabelColumn:
    """Return gold's classes as targets: one for each item, or the majority of several people's.

    Raises
    ------
    NbykError
        If classes are tied and `ties` is "refuse".
    """
    assert systems.gold is not None
    assert systems.gold_units is not None
    rows, columns = np.nonzero(~np.isnan(systems.gold))
    values = systems.gold[rows, columns]
    if len(rows) == systems.n_items:
        labels = np.array(systems.classes)[values.astype(np.int64)]
        return LabelColumn(labels, DataRows(place), items=np.array(systems.items, dtype=object))
    index = systems.gold_units.index
    ratings = Ratings(
        systems.items,
        systems.gold_units.names or tuple(map(str, range(systems.gold.shape[1]))),
        rows,
        columns if index is None else index[rows, columns].astype(np.int64),
        values,
        raters_known=index is not None,
    )
    return _made(ratings, systems.classes, place, "hard", 0.0, ties)


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
    items = np.array(table.items, dtype=object)
    return LabelColumn(values, DataRows(place), items=items, classes=classes, rated=rated)
