"""A design of files alone: a file of gold labels, and one of predictions for each system."""

from __future__ import annotations

import os
from collections.abc import Sequence

from nbyk.data.given_systems import named_systems
from nbyk.errors import NbykError, renaming, unknown_name
from nbyk.labels.designs.design import Design, crossed
from nbyk.labels.designs.rated import targets_of_file
from nbyk.labels.designs.reading import BY_DEFAULT, LabelColumns, read_labels
from nbyk.labels.targets import Ties
from nbyk.words import listed


def design_of_files(
    gold: str | os.PathLike[str],
    systems: Sequence[str | os.PathLike[str]],
    against: str | None = None,
    ties: Ties = "refuse",
    columns: LabelColumns = BY_DEFAULT,
    gold_columns: LabelColumns | None = None,
) -> Design:
    """Return the design that compares systems with one of them, by hard labels and one run of each.

    Parameters
    ----------
    gold
        The file of the targets, which `targets_of_file` reads.
    systems
        Files of predictions, each ``path`` or ``name=path``.
    against
        The name of the control; None for the second of two systems.
    ties
        The target of an item if most of its raters chose several classes equally often.
    columns, gold_columns
        Other names of the columns of items, gold's raters and labels; gold's are those of the predictions
        unless it has its own.

    Raises
    ------
    NbykError
        If there are fewer than two systems, three or more without a control, no system has the control's
        name, or as `read_labels`, `targets_of_file` and `crossed`.
    """
    named = named_systems(systems)
    if len(named) < 2:
        raise NbykError(
            f"found {listed(list(named)) or 'nothing'}, expected two files of labels or more; give another "
            "file"
        )
    if against is None and len(named) > 2:
        raise NbykError(
            f"found no name beside {len(named)} systems; name the one that the others are compared with, "
            f"as in {list(named)[-1]}",
            argument="against",
        )
    if against is not None and against not in named:
        raise unknown_name("system", against, named).about(argument="against")
    control = against or list(named)[-1]
    runs = {name: [(name, read_labels(path, "hard", columns))] for name, path in named.items()}
    controls = {control: runs.pop(control)}
    of_gold = gold_columns or columns
    own = {
        name: f"gold_{name}" for name in ("item", "value") if getattr(of_gold, name) != getattr(columns, name)
    }
    with renaming(own):
        targets = targets_of_file(gold, ties, of_gold)
    return crossed("hard", [targets], controls, runs)
