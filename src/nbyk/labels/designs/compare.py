"""Comparison of every treatment of a design with its control."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nbyk.errors import NbykError, UndefinedMetricError
from nbyk.labels.bootstrap import label_bootstrap, label_scores
from nbyk.labels.claims import about_raters
from nbyk.labels.designs.columns import kind_of
from nbyk.labels.designs.design import Arm, Condition, Design, Paired, check_run, paired
from nbyk.labels.designs.results import ConditionScore, DesignResult, PairResult
from nbyk.labels.designs.settings import Settings, make_settings
from nbyk.labels.right_or_wrong import McNemarMethod, RightOrWrong, cochran_mantel_haenszel, mcnemar
from nbyk.metrics.label_scores import LabelScore
from nbyk.testing.engine.run_draws import Runs

_APPENDED = (
    "each run has its own targets, as folds do: nbyk appends the runs, and the p-values leave out how other "
    "runs would differ"
)


def compare_design(design: Design, settings: Settings | None = None, *, threads: int = 1) -> DesignResult:
    """Compare every treatment of a design with its control, by every score.

    All labels and settings are checked before the first comparison. Comparisons with equal numbers of items
    see the same resamples. Their numbers do not depend on each other.

    Parameters
    ----------
    design
        The design.
    settings
        The settings of the comparisons (`make_settings`); by default those of `Settings`.
    threads
        Threads to use; the numbers do not depend on it.

    Raises
    ------
    NbykError
        If labels are bad (`check_labels`), a score does not fit them, or runs do not (`paired`).
    UndefinedMetricError
        If a score has no value.
    """
    settings = settings or make_settings()
    scores = settings.chosen_scores(design.kind)
    if not design.pairs:
        raise NbykError("treatments: there are none to compare with the controls; expected at least one")
    classes = {id(arm): _classes(arm, settings) for arm in design.arms}
    for arm in design.arms:
        for run in arm.runs:
            check_run(run, classes[id(arm)])
    conditions = tuple(
        found
        for arm in design.arms
        for condition in arm.conditions
        for found in _scored(arm, condition, scores, classes[id(arm)])
    )
    pairs = [
        _Comparison(
            arm.control,
            treatment,
            _labels(arm.control, treatment, settings),
            settings,
            scores,
            classes[id(arm)],
        )
        for arm in design.arms
        for treatment in arm.treatments
    ]
    return DesignResult(
        design.kind,
        settings,
        scores,
        tuple(pair.result(threads) for pair in pairs),
        conditions,
        {
            (arm.control.name, condition.name): float(np.mean(condition.epochs))
            for arm in design.arms
            for condition in arm.conditions
            if condition.epochs
        },
        tuple(_about_targets(design, settings)),
    )


def _about_targets(design: Design, settings: Settings) -> Iterator[str]:
    """Yield the caution about the raters behind the targets of a test that is not a bootstrap."""
    rated = design.arms[0].control.runs[0].target.rated
    if rated is not None and settings.test != "bootstrap":
        yield from about_raters(rated, drawn=False)


def _classes(arm: Arm, settings: Settings) -> list[str] | None:
    """Return the classes of hard labels: those declared, or those of the targets of all runs of an arm."""
    if settings.labels is not None:
        return settings.labels
    targets = {id(run.target): run.target for run in arm.runs if kind_of(run.target.values) == "hard"}
    classes = sorted({label for target in targets.values() for label in target.labels.tolist()})
    return classes if len(classes) > 1 else None


def _scored(
    arm: Arm, condition: Condition, scores: Sequence[LabelScore], classes: list[str] | None
) -> list[ConditionScore]:
    names = [score.name for score in scores]
    of_runs = []
    for run in condition.runs:
        target, prediction = run.target.labels, run.prediction.labels
        try:
            of_runs.append(label_scores(target, prediction, names, labels=classes))
        except UndefinedMetricError:
            of_runs.append(_one_by_one(target, prediction, names))
    return [
        ConditionScore(arm.control.name, condition.name, name, tuple(found[name] for found in of_runs))
        for name in names
    ]


def _one_by_one(target: Any, prediction: Any, names: Sequence[str]) -> dict[str, float]:
    """Return the soft scores that have a value, and NaN for those that have none."""
    found: dict[str, float] = {}
    for name in names:
        try:
            found |= label_scores(target, prediction, name)
        except UndefinedMetricError:
            found[name] = float("nan")
    return found


def _labels(control: Condition, treatment: Condition, settings: Settings) -> Paired:
    """Return the labels of both; runs that do not go with the settings are refused."""
    labels = paired(control, treatment)
    if labels.appended and settings.runs not in (None, "concatenated"):
        raise NbykError(
            f"found {settings.runs!r}, but the runs of {control.name!r} and {treatment.name!r} each have "
            "their own targets, as folds do; leave runs out: nbyk then appends them",
            argument="runs",
        )
    n_runs = len(labels.treatment), len(labels.control)
    if settings.test in ("mcnemar", "mcnemar_mid_p") and n_runs != (1, 1):
        raise NbykError(
            f"found {settings.test!r}, and {treatment.name} has {n_runs[0]} runs, {control.name} "
            f"{n_runs[1]}; McNemar's test takes one of each: use cochran_mantel_haenszel",
            key="test",
        )
    return labels


@dataclass(frozen=True, eq=False)
class _Comparison:
    """A treatment to compare with its control."""

    control: Condition
    treatment: Condition
    labels: Paired
    settings: Settings
    scores: Sequence[LabelScore]
    classes: list[str] | None

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of `label_bootstrap` that the result depends on."""
        settings = self.settings
        runs: Runs | None = "concatenated" if self.labels.appended else settings.runs
        return {
            "metric": [score.name for score in self.scores],
            "labels": self.classes,
            "semantics": settings.semantics,
            "fraction": settings.fraction,
            "runs": runs,
            "alternative": "greater",
            "n_resamples": settings.n_resamples,
            "confidence_level": settings.confidence_level,
            "seed": settings.seed,
            "generalise": ["items"] if settings.test != "bootstrap" else settings.generalise,
        }

    def result(self, threads: int) -> PairResult:
        """Return the result, with the p-values of the chosen test."""
        labels, names = self.labels, (self.treatment.name, self.control.name)
        a, b = list(labels.treatment), list(labels.control)
        try:
            test = label_bootstrap(
                labels.target, a, b, threads=threads, names=names, rated=labels.rated, **self.arguments
            )
        except UndefinedMetricError as error:
            raise error.about(systems=names) from None
        found = PairResult.of(self.control.name, self.treatment.name, test)
        if labels.appended:
            n_runs = len(self.control.runs)
            notes = (*found.notes, _APPENDED)
            found = replace(found, runs_control=n_runs, runs_treatment=n_runs, notes=notes)
        if self.settings.test == "bootstrap":
            return found
        classes = self.classes
        if self.settings.test == "cochran_mantel_haenszel":
            by = cochran_mantel_haenszel(labels.target, a, b, labels=classes, names=names)
        else:
            method: McNemarMethod = "exact" if self.settings.test == "mcnemar" else "mid_p"
            by = mcnemar(labels.target, a[0], b[0], method=method, labels=classes, names=names)
        return _tested(found, by)


def _tested(pair: PairResult, by: RightOrWrong) -> PairResult:
    """Return the result of a pair's comparison with the p-values of a test of right and wrong answers."""
    (accuracy,) = pair.scores
    (claim,) = accuracy.claims
    claim = replace(
        claim,
        p=by.p_greater,
        p_greater=by.p_greater,
        p_less=by.p_less,
        p_two_sided=by.p_two_sided,
        standard_error=0.0,
        method=by.test,
    )
    tested = replace(
        accuracy, p=by.p_greater, p_two_sided=by.p_two_sided, standard_error=0.0, claims=(claim,)
    )
    return replace(pair, scores=(tested,), notes=(*pair.notes, *by.warnings))
