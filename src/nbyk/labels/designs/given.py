"""A design of systems and gold that were read as classes: every other system against one."""

from __future__ import annotations

import numpy as np

from nbyk.data import Systems
from nbyk.data.tables import DataRows
from nbyk.errors import DataPlace, NbykError, unknown_name
from nbyk.labels.designs.columns import LabelColumn
from nbyk.labels.designs.design import Design, crossed
from nbyk.labels.designs.rated import gold_targets
from nbyk.labels.targets import Ties


def design_of_systems(
    systems: Systems, gold: DataPlace, against: str | None = None, ties: Ties = "refuse"
) -> Design:
    """Return the design that compares systems with one of them, by the classes that they predict.

    Parameters
    ----------
    systems
        Classes, with gold.
    gold
        The place of gold, for errors.
    against
        The name of the control; None for the second of two systems.
    ties
        The target of an item if most of its raters chose several classes equally often.

    Raises
    ------
    NbykError
        If there are three systems or more without a control, no system has the control's name, a system lacks
        a run of an item, or as `gold_targets`.
    """
    systems.refuse_all_but("classes")
    if against is None and len(systems.names) > 2:
        raise NbykError(
            f"found no name beside {len(systems.names)} systems; name the one that the others are compared "
            f"with, as in {systems.names[-1]}",
            argument="against",
        )
    if against is not None and against not in systems.names:
        raise unknown_name("system", against, systems.names).about(argument="against")
    runs = {name: _runs(systems, name) for name in systems.names}
    control = against or systems.names[-1]
    controls = {control: runs.pop(control)}
    return crossed("hard", [gold_targets(systems, gold, ties)], controls, runs)


def _runs(systems: Systems, name: str) -> list[tuple[str, LabelColumn]]:
    """Return the runs of a system, each with a prediction of every item."""
    codes, units = systems.responses[name], systems.units[name]
    if units.index is not None:
        by_unit = np.full((len(codes), len(units.names)), np.nan)
        rows, columns = np.nonzero(units.index >= 0)
        by_unit[rows, units.index[rows, columns]] = codes[rows, columns]
        codes = by_unit
    missing = np.isnan(codes)
    if missing.any():
        item, run = (int(place) for place in np.argwhere(missing)[0])
        which = f"run {units.names[run]}" if units.index is not None else "a run"
        raise NbykError(
            f"item {systems.items[item]!r} has no prediction in {which}; expected one of every item in every "
            "run",
            name=name,
        )
    classes, items = np.array(systems.classes), np.array(systems.items, dtype=object)
    names = units.names if units.index is not None and len(units.names) > 1 else (name,)
    return [
        (
            run,
            LabelColumn(
                classes[codes[:, place].astype(np.int64)], DataRows(DataPlace(name=name)), items=items
            ),
        )
        for place, run in enumerate(names)
    ]
