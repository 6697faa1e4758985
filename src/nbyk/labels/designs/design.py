"""Experimental designs: controls, the treatments of each control, and all their runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from nbyk.data.labels import check_labels, split_runs
from nbyk.data.tables import named_rows
from nbyk.errors import NbykError
from nbyk.labels.designs.columns import Array, LabelColumn, in_order_of, kind_of
from nbyk.labels.raters import RatedTargets
from nbyk.labels.scores import Labels
from nbyk.metrics.label_scores import Kind


@dataclass(frozen=True, eq=False)
class LabelRun:
    """One run of a system on a test set.

    Attributes
    ----------
    name
        The run's name; None without a name.
    prediction, target
        Its predictions and the targets, of the same items in the same order.
    """

    name: str | int | None
    prediction: LabelColumn
    target: LabelColumn


@dataclass(frozen=True, eq=False)
class Condition:
    """A control or a treatment: one system in one or more runs.

    Attributes
    ----------
    name
        Its name.
    runs
        Its runs: seeds, or folds.
    epochs
        Training epochs of its runs, which BooStSa records; their number is free.
    """

    name: str
    runs: tuple[LabelRun, ...]
    epochs: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Arm:
    """A control and the treatments that are compared with it."""

    control: Condition
    treatments: tuple[Condition, ...]

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The control, and then its treatments."""
        return (self.control, *self.treatments)

    @property
    def runs(self) -> tuple[LabelRun, ...]:
        """The runs of all conditions."""
        return tuple(run for condition in self.conditions for run in condition.runs)


@dataclass(frozen=True, eq=False)
class Design:
    """Controls, and treatments to compare with them; from `design`, `read_design` or `read_outcomes`.

    Attributes
    ----------
    kind
        "hard" or "soft" labels.
    arms
        The controls, each with its treatments.
    """

    kind: Kind
    arms: tuple[Arm, ...]

    @property
    def pairs(self) -> tuple[tuple[Condition, Condition], ...]:
        """Every control with every treatment of its own, in order."""
        return tuple((arm.control, treatment) for arm in self.arms for treatment in arm.treatments)

    def with_treatments(self, treatments: Mapping[str, Sequence[tuple[str, LabelColumn]]]) -> Design:
        """Return the design with more treatments of every control, from runs' names and predictions.

        Raises
        ------
        NbykError
            If a control has a treatment of that name, or its runs do not share one target.
        """
        arms = []
        for arm in self.arms:
            target = arm.control.runs[0].target
            for run in arm.control.runs[1:]:
                if treatments and not _same_target(run.target, target):
                    raise NbykError(
                        f"treatments: the runs of control {arm.control.name!r} have targets of their own, "
                        "so nbyk does not know those of a new treatment; add its runs to the outcomes"
                    )
            added = tuple(condition(name, runs, [target]) for name, runs in treatments.items())
            for new in added:
                if new.name in [known.name for known in arm.conditions]:
                    raise NbykError(
                        f"treatments: {new.name!r} is among the conditions already; give it another name"
                    )
            arms.append(replace(arm, treatments=(*arm.treatments, *added)))
        return replace(self, arms=tuple(arms))


class Paired(NamedTuple):
    """The labels of a pair of conditions as `label_bootstrap` takes them.

    Attributes
    ----------
    target : ndarray, shape (N,) or (N, C)
        Text, or rows of probabilities.
    treatment, control
        Runs, each of the target's shape.
    appended
        Whether the runs have targets of their own, such as folds, and are appended as one run.
    rated
        The ratings behind the target, if it is made from ratings.
    """

    target: Array
    treatment: tuple[Array, ...]
    control: tuple[Array, ...]
    appended: bool
    rated: RatedTargets | None = None


def design(target: ArrayLike, controls: Mapping[str, Labels], treatments: Mapping[str, Labels]) -> Design:
    """Return the design in which every treatment is compared with every control.

    Parameters
    ----------
    target : array_like, shape (N,) or (N, C)
        Hard labels, or rows of probabilities, of all runs.
    controls, treatments
        Predictions by the condition's name: an array of the target's shape, or a sequence of such, one per
        run.

    Raises
    ------
    NbykError
        If the labels are bad (`check_labels`) or the conditions' names are not distinct.
    """
    values = np.asarray(target)
    check_labels(target, {**controls, **treatments})
    column = LabelColumn(values, named_rows("target"))
    made: dict[str, list[tuple[str, LabelColumn]]] = {}
    for name, labels in (*controls.items(), *treatments.items()):
        made[name] = [
            (str(number), LabelColumn(np.asarray(run), named_rows(f"{name}, run {number}")))
            for number, run in enumerate(split_runs(name, labels, values.ndim, len(values)))
        ]
    return crossed(
        kind_of(values),
        [column],
        {name: made[name] for name in controls},
        {name: made[name] for name in treatments},
    )


def crossed(
    kind: Kind,
    targets: Sequence[LabelColumn],
    controls: Mapping[str, Sequence[tuple[str, LabelColumn]]],
    treatments: Mapping[str, Sequence[tuple[str, LabelColumn]]],
) -> Design:
    """Return the design of every treatment against every control, from runs' names and predictions.

    Parameters
    ----------
    kind
        "hard" or "soft".
    targets
        One column for all runs, or one for each.
    controls, treatments
        The runs of each condition.

    Raises
    ------
    NbykError
        If a condition is both a control and a treatment, there is no control or no treatment, or as
        `condition`.
    """
    for what, named in (("controls", controls), ("treatments", treatments)):
        if not named:
            raise NbykError(f"{what}: there are none; expected at least one")
    for name in treatments:
        if name in controls:
            raise NbykError(f"treatments: {name!r} is a control too; give one of them another name")
    built = tuple(condition(name, runs, targets) for name, runs in treatments.items())
    return Design(kind, tuple(Arm(condition(name, runs, targets), built) for name, runs in controls.items()))


def condition(
    name: str, runs: Sequence[tuple[str, LabelColumn]], targets: Sequence[LabelColumn]
) -> Condition:
    """Return a condition from its runs' names and predictions.

    Raises
    ------
    NbykError
        If there is no run, there are several targets and another number of runs, or a run's items or classes
        are not those of its target.
    """
    if not runs:
        raise NbykError(f"condition {name!r}: has no runs; expected at least one")
    if len(targets) > 1 and len(targets) != len(runs):
        raise NbykError(
            f"condition {name!r}: has {len(runs)} run{'s' if len(runs) > 1 else ''}, and there are "
            f"{len(targets)} targets; expected one target for all runs, or one for each"
        )
    of_runs = targets if len(targets) > 1 else [targets[0]] * len(runs)
    return Condition(
        name,
        tuple(
            LabelRun(run, in_order_of(prediction, target), target)
            for (run, prediction), target in zip(runs, of_runs, strict=True)
        ),
    )


def check_run(run: LabelRun, classes: Sequence[str] | None) -> None:
    """Raise NbykError if a run's labels are bad (`check_labels`), naming the file and the row."""
    origins = {"target": run.target.rows, "prediction": run.prediction.rows}
    check_labels(run.target.labels, {"prediction": run.prediction.labels}, classes, origins)


def paired(control: Condition, treatment: Condition) -> Paired:
    """Return the labels of two conditions, their items matched.

    If all runs have the same targets (after matching items by id), every run predicts every item. Otherwise
    run j of one condition goes with run j of the other, and the runs are appended.

    Raises
    ------
    NbykError
        If runs with targets of their own differ in number, items or targets.
    """
    target = control.runs[0].target
    runs = (*treatment.runs, *control.runs)
    if all(_same_target(run.target, target) for run in runs):
        labels = [_matched(run, target).labels for run in runs]
        split = len(treatment.runs)
        return Paired(target.labels, tuple(labels[:split]), tuple(labels[split:]), False, target.rated)
    if len(treatment.runs) != len(control.runs):
        raise NbykError(
            f"{treatment.name!r} has {len(treatment.runs)} runs and {control.name!r} {len(control.runs)}, "
            "and their targets are not all the same; expected the same targets in all runs, or as many runs, "
            "each with the targets of its counterpart"
        )
    for number, (of_treatment, of_control) in enumerate(zip(treatment.runs, control.runs, strict=True)):
        if not _same_target(of_treatment.target, of_control.target):
            raise of_treatment.target.place.error(
                f"run {number} of {treatment.name!r} has other targets than run "
                f"{number} of {control.name!r} ({of_control.target.place}); expected the same, in the same "
                "order unless the items have ids"
            )
    folds = [run.target for run in control.runs]
    in_order = [
        [_matched(run, fold).labels for run, fold in zip(side.runs, folds, strict=True)]
        for side in (treatment, control)
    ]
    appended = [np.concatenate(parts) for parts in ([fold.labels for fold in folds], *in_order)]
    return Paired(appended[0], (appended[1],), (appended[2],), True)


def _same_target(target: LabelColumn, other: LabelColumn) -> bool:
    """Return whether two columns of targets are the same, once their items are matched."""
    if target is other:
        return True
    if len(target) != len(other):
        return False
    try:
        matched = in_order_of(target, other)
    except NbykError:
        return False
    return np.array_equal(matched.labels, other.labels)


def _matched(run: LabelRun, target: LabelColumn) -> LabelColumn:
    """Return a run's predictions in the order of another copy of its targets."""
    if run.target is target:
        return run.prediction
    named = replace(run.prediction, items=run.target.items, classes=run.target.classes)
    return in_order_of(named, target)
