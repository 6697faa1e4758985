"""Labels as users have them, validated: hard ones become class numbers, soft ones rows that sum to one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbyk.data.kinds import unit_rows
from nbyk.data.tables import DataRows, named_rows
from nbyk.errors import NbykError

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

_SHOWN = 5
_LARGEST = 2.0**63


@dataclass(frozen=True)
class HardLabels:
    """One class per item, in the targets and in every run of every system.

    Attributes
    ----------
    classes
        The classes, in order.
    target : ndarray of int, shape (N,)
        Places of the targets in `classes`.
    predictions : ndarray of int, shape (S, N)
        Likewise, all runs of the first system and then all of the next.
    runs
        How many runs each system has.
    """

    classes: tuple[Any, ...]
    target: Ints
    predictions: Ints
    runs: tuple[int, ...]

    @property
    def n_items(self) -> int:
        """Number of items N."""
        return len(self.target)


@dataclass(frozen=True)
class SoftLabels:
    """A distribution over the classes per item, in the targets and in every run of every system.

    Attributes
    ----------
    target : ndarray, shape (N, C)
        Rows of probabilities that sum to one.
    predictions : ndarray, shape (S, N, C)
        Likewise, all runs of the first system and then all of the next.
    runs
        How many runs each system has.
    """

    target: Floats
    predictions: Floats
    runs: tuple[int, ...]

    @property
    def n_items(self) -> int:
        """Number of items N."""
        return len(self.target)


def check_labels(
    target: ArrayLike,
    systems: Mapping[str, ArrayLike | Sequence[ArrayLike]],
    labels: ArrayLike | None = None,
    origins: Mapping[str, DataRows] | None = None,
) -> HardLabels | SoftLabels:
    """Validate targets and the predictions of one or more systems.

    Parameters
    ----------
    target : array_like, shape (N,) or (N, C)
        Hard labels, whole numbers or text, or rows of probabilities.
    systems
        Predictions by the system's name: an array of the target's shape, or a sequence of such arrays, one
        per run.
    labels
        The classes of hard labels, in order; by default those that occur in the targets, sorted.
    origins
        The places in errors of "target" and of a system's only run; by default those names, and rows from 0.
    """
    origins = origins or {}
    target_origin = origins.get("target", named_rows("target"))
    try:
        dimensions = np.ndim(target)
    except ValueError:
        raise target_origin.error(
            "its rows differ in length; expected as many probabilities in each"
        ) from None
    if dimensions not in (1, 2):
        raise target_origin.error(
            f"found {dimensions} dimensions; expected labels, (N,), or rows of probabilities, (N, C)"
        )
    n_items = np.shape(target)[0]
    if n_items < 2:
        raise target_origin.error(f"{n_items} items; at least two are needed")
    split = {name: split_runs(name, values, dimensions, n_items) for name, values in systems.items()}
    runs = tuple(len(of_system) for of_system in split.values())
    named = [
        (
            origins.get(name, named_rows(name))
            if len(of_system) == 1
            else named_rows(f"{name}, run {number}"),
            run,
        )
        for name, of_system in split.items()
        for number, run in enumerate(of_system)
    ]
    if dimensions == 2:
        if labels is not None:
            raise NbykError("the classes of soft labels are their columns; leave it out", argument="labels")
        rows = _distributions(target_origin, target)
        return SoftLabels(rows, np.stack([_like_target(*run, rows) for run in named]), runs)
    hard_target = _hard(target_origin, target)
    classes = _classes(target_origin, hard_target, labels)
    codes = _codes(target_origin, hard_target, classes)
    predictions = np.stack([_predicted(*run, hard_target, classes) for run in named])
    return HardLabels(tuple(classes.tolist()), codes, predictions, runs)


def split_runs(
    name: str, values: ArrayLike | Sequence[ArrayLike], dimensions: int, n_items: int
) -> Sequence[ArrayLike]:
    """Return the runs in a system's predictions, given the dimensions and the items of the targets."""
    if not isinstance(values, list | tuple):
        values = np.atleast_1d(np.asarray(values))
    if len(values) == 0:
        raise NbykError("found nothing; expected predictions, or a sequence of runs of them", name=name)
    try:
        inner = np.ndim(values[0])
    except ValueError:
        raise NbykError("the first run's rows differ in length", name=name) from None
    if inner == dimensions - 1:
        return [values]
    if dimensions == inner == 1 and len(values) == n_items != np.size(values[0]):
        raise NbykError(
            f"{n_items} rows of {np.size(values[0])}, and the target is hard; give both as hard "
            "labels or both as soft ones (soft_labels makes soft targets from ratings)",
            name=name,
        )
    if inner == dimensions:
        return list(values)
    wanted = "(N,)" if dimensions == 1 else "(N, C)"
    raise NbykError(
        f"found {inner + 1} dimensions; the target is {'hard' if dimensions == 1 else 'soft'}, so a "
        f"run has shape {wanted}",
        name=name,
    )


def _hard(origin: DataRows, values: Any) -> NDArray[Any]:
    """Return labels as whole numbers or as text."""
    array = np.asarray(values)
    if isinstance(values, list | tuple) or array.dtype.kind == "O":
        given: list[Any] = list(values)
        text = np.array([isinstance(label, str) for label in given])
        odd = np.array([label is None for label in given]) | (text != text[:1])
        if odd.any():
            row = int(np.flatnonzero(odd)[0])
            raise origin.at(row).error(
                f"found {given[row]!r}; expected labels that are all text or all whole numbers"
            )
        for row, label in enumerate(given):
            # numpy drops NULs at the end of the cells of an array of text.
            if isinstance(label, str) and "\0" in label:
                raise origin.at(row).error(f"found {label!r}; expected a label without NUL")
        array = np.asarray(given)
    if array.dtype.kind == "f":
        bad = ~np.isfinite(array)
        if bad.any():
            row = int(np.flatnonzero(bad)[0])
            raise origin.at(row).error(f"found {array[row]}; expected a label: leave the item out everywhere")
        if (array != np.rint(array)).any():
            row = int(np.flatnonzero(array != np.rint(array))[0])
            raise origin.at(row).error(
                f"found {array[row]:g}; expected a class, text or a whole number "
                "(soft labels are rows of probabilities)"
            )
    if array.dtype.kind == "U":
        if (array == "").any():
            row = int(np.flatnonzero(array == "")[0])
            raise origin.at(row).error("is empty; expected a label: leave the item out everywhere")
        return array
    if array.dtype.kind not in "iubf":
        raise origin.error(f"found {array.dtype} values; expected labels, text or whole numbers")
    beyond = np.abs(array.astype(np.float64)) >= _LARGEST
    if beyond.any():
        row = int(np.flatnonzero(beyond)[0])
        raise origin.at(row).error(f"found {array[row]}; expected a number below 2⁶³, or text")
    return array.astype(np.int64)


def _classes(origin: DataRows, target: NDArray[Any], labels: ArrayLike | None) -> NDArray[Any]:
    if labels is None:
        classes = np.unique(target)
        if len(classes) < 2:
            raise origin.error(
                f"every label is {classes[0].item()!r}; expected at least two classes: "
                "declare them with `labels` if the targets hold one only"
            )
        return classes
    classes = _hard(named_rows("labels"), labels)
    if classes.ndim != 1 or len(classes) < 2 or len(np.unique(classes)) < len(classes):
        raise NbykError(
            f"found {classes.tolist()}; expected at least two classes, each once", argument="labels"
        )
    return classes


def _codes(origin: DataRows, array: NDArray[Any], classes: NDArray[Any]) -> Ints:
    if (array.dtype.kind == "U") != (classes.dtype.kind == "U"):
        kind = {True: "text", False: "whole numbers"}
        raise origin.error(
            f"the labels are {kind[array.dtype.kind == 'U']}, the classes are "
            f"{kind[classes.dtype.kind == 'U']}; make them one kind"
        )
    order = np.argsort(classes)
    places = order[np.searchsorted(classes, array, sorter=order).clip(max=len(classes) - 1)]
    unknown = classes[places] != array
    if unknown.any():
        row = int(np.flatnonzero(unknown)[0])
        label = array[row].item()
        shown = ", ".join(repr(known) for known in classes[:_SHOWN].tolist())
        n_times = int((array == label).sum())
        again = f" ({n_times} times, first here)" if n_times > 1 else ""
        raise origin.at(row).error(
            f"label {label!r}{again} is not one of the {len(classes)} classes of the target "
            f"({shown}{', …' if len(classes) > _SHOWN else ''}); if it is a class, declare all classes with "
            "`labels`"
        )
    return np.asarray(places, dtype=np.int64)


def _predicted(origin: DataRows, values: ArrayLike, target: NDArray[Any], classes: NDArray[Any]) -> Ints:
    if np.ndim(values) != 1:
        raise origin.error("expected one label per item")
    found = np.shape(values)[0]
    if found != len(target):
        raise origin.error(
            f"{_how_many(found, 'label')}, the target has {len(target)}; expected one per item, "
            "in the target's order"
        )
    return _codes(origin, _hard(origin, values), classes)


def _like_target(origin: DataRows, values: ArrayLike, target: Floats) -> Floats:
    rows = _distributions(origin, values)
    if rows.shape != target.shape:
        raise origin.error(
            f"{rows.shape[0]} rows of {rows.shape[1]} probabilities, the target has "
            f"{target.shape[0]} of {target.shape[1]}; expected the same items and classes, in the same order"
        )
    return rows


def number_rows(origin: DataRows, values: ArrayLike) -> Floats:
    """Return a copy of rows of numbers; refuse rows of unlike lengths and text."""
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise origin.error("expected rows of as many numbers each, one per class") from None


def _distributions(origin: DataRows, values: ArrayLike) -> Floats:
    rows = number_rows(origin, values)
    if rows.size == 0:
        raise origin.error("is empty; expected one row of probabilities per item")
    if rows.shape[1] < 2:
        raise origin.error(
            "rows of one number; expected probabilities of at least two classes, or hard labels "
            "that are not in rows"
        )
    return unit_rows(rows, origin.at)


def _how_many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
