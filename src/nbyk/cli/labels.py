"""Labels: a prior fitted to them, and a plan from α, a prior of classes, or a pilot of labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbyk.cli.pilot import PilotFiles, unit_cautions_of
from nbyk.cli.plan_source import PlanSource, has_labels, pilot_of, variances_of
from nbyk.errors import NbykError, errors_about, renaming
from nbyk.words import names_in_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from nbyk.data import Ratings
    from nbyk.data.columns import Columns
    from nbyk.data.layouts import Mending
    from nbyk.priors import FittedPrior
    from nbyk.priors.nominal import LabelPrior

_OF_NUMBERS = ("scale", "unit")


def is_of_labels(arguments: Mapping[str, Any]) -> bool:
    """Return whether the options ask for a plan of labels: their metrics, classes, α, or a pilot's cells."""
    from nbyk.data.columns import Columns
    from nbyk.metrics.registry import kind_scored

    if arguments["class_alpha"] or arguments["classes"]:
        return True
    if any(kind_scored(name) is not None for name in arguments["metric"] or ()):
        return True
    if arguments["prior"] is not None:
        return has_labels(arguments["prior"])
    if arguments["pilot"] is None or arguments["scale"] is not None or arguments["judge"] is not None:
        return False
    return are_labels(arguments["pilot"], Columns(arguments["item"], arguments["rater"], arguments["value"]))


def are_labels(path: Path, columns: Columns) -> bool:
    """Return whether the cells of a file are classes, or count labels."""
    from nbyk.data.kinds import counts_in, kind_of
    from nbyk.data.reading import table_of

    table = table_of(path)
    return kind_of(table, columns) == "classes" or counts_in(table, columns) is not None


def labels_source(
    arguments: Mapping[str, Any],
    asked: dict[str, Any],
    files: PilotFiles,
    say: Callable[[str], None],
    *,
    with_people: bool,
) -> PlanSource:
    """Return the source of a plan for labels; the metric of `asked`, arguments of `nbyk.plan`, is theirs.

    With people, the plan is for new raters and runs too, by what a pair of systems shows, or simulated ones
    of a stated effect.
    """
    from nbyk.metrics.registry import metrics_of
    from nbyk.planning.fitted_raters import fit_raters
    from nbyk.resampling.labels import LabelledItems, counts_among
    from nbyk.testing.shared_units.collection import FEWEST_UNITS

    for name in _OF_NUMBERS:
        if arguments[name] is not None:
            raise NbykError(
                f"found {arguments[name]}, but labels are no numbers on a scale; leave it out", argument=name
            )
    classes, asked["metric"] = names_in_text(arguments["classes"]), arguments["metric"]
    pilot, systems = files.gold, files.systems
    if with_people and systems is None and variances_of(arguments):
        raise NbykError(
            "a standard deviation does not go with people's labels alone, which show how raters differ; "
            "leave it out"
        )
    if pilot is None:
        if systems is not None:
            raise NbykError("labels of systems need people's labels; give them", argument="pilot")
        return PlanSource(_prior(arguments, classes))
    metric, *more = arguments["metric"] or ("accuracy",)
    if with_people and systems is not None and more:
        raise NbykError("a plan with raters and runs is by one metric; give one", argument="metric")
    if systems is not None:
        read = files.answers(kind="classes", classes=classes or None)
        assert read.categories is not None
        ordered = read.categories.ordered
        assert read.gold is not None
        assert read.gold_units is not None
        a, b = read.names
        if with_people:
            pair = read.pair(a, b)
            (asked["metric"],) = metrics_of(pair.categories, (metric,))
            declared = variances_of(arguments)
            shown = pilot_of(pair, asked["metric"], arguments, declared=declared)
            return PlanSource(shown, read.notes)
        gold, units, notes, classes, names = read.gold, read.gold_units, read.notes, read.classes, (a, b)
        answers = read.responses[a], read.responses[b]
    else:
        labels, classes, ordered = read_labels(pilot, files.columns, files.mending, classes)
        gold, units, notes, answers, names = labels.matrix(), labels.units(), labels.mended, None, ("A", "B")
    if not ordered:
        _check_orders(asked["metric"], classes)
    say("fitting a prior to the labels")
    fitted = fit_labels(pilot.stem, gold, classes, pilot, n_sets=1)
    items = LabelledItems(fitted.prior, counts_among(gold, len(classes)), answers, names)
    if with_people:
        say("fitting how raters differ")
        raters = units.n_shared * (units.n_shared >= FEWEST_UNITS)
        return PlanSource(replace(items, prior=fit_raters(items.prior, gold, units), raters=raters), notes)
    cautions = unit_cautions_of({"gold": units}, files.for_new_ones("raters"))
    return PlanSource(items, (*notes, *cautions))


def _check_orders(names: tuple[str, ...] | None, classes: tuple[str, ...]) -> None:
    """Raise NbykError if one of the metrics goes by the order of classes of which nothing says it."""
    from nbyk.metrics.registry import check_order, kind_scored, named

    for name in names or ():
        check_order(named(name, kind_scored(name) or "classes"), classes)


def _prior(arguments: Mapping[str, Any], classes: tuple[str, ...]) -> LabelPrior:
    from nbyk.data.kinds import in_order
    from nbyk.priors import ClassPrior, OrdinalPrior
    from nbyk.priors.ordinal import label_prior_in

    if arguments["class_alpha"] is None:
        prior = None if arguments["prior"] is None else label_prior_in(arguments["prior"])
        if prior is None:
            raise NbykError(
                "a plan for labels needs a `pilot` of labels, a `prior` that `nbyk fit` wrote for labels, or "
                "the α of a Dirichlet distribution, `class_alpha` 10,3,3"
            )
        are_levels = isinstance(prior, OrdinalPrior)
        if classes and (
            sorted(classes) != sorted(prior.classes) or (are_levels and classes != prior.classes)
        ):
            raise NbykError(
                f"found {', '.join(classes)}, and the prior has {', '.join(prior.classes)}; leave it out",
                argument="classes",
            )
        if isinstance(prior, ClassPrior) and classes:
            of = dict(zip(prior.classes, prior.alpha, strict=True))
            return replace(prior, classes=classes, alpha=tuple(of[name] for name in classes))
        if not (are_levels or in_order(prior.classes)[1]):
            _check_orders(arguments["metric"], prior.classes)
        return prior
    try:
        alpha = tuple(float(part) for part in arguments["class_alpha"].split(","))
    except ValueError:
        raise NbykError(
            f"found {arguments['class_alpha']}, expected a number for each class, as in 10,3,3",
            argument="class_alpha",
        ) from None
    with renaming({"alpha": "class_alpha"}):
        return ClassPrior(f"Dirichlet({arguments['class_alpha']})", alpha, classes)


def read_labels(
    path: Path, columns: Columns, mending: Mending, classes: tuple[str, ...] = ()
) -> tuple[Ratings, tuple[str, ...], bool]:
    """Return people's labels as places of classes, the classes, and whether anything says their order."""
    from nbyk.data.kinds import ClassKind, refuse_strange_columns
    from nbyk.data.reading import read_alone

    named = ClassKind(classes or None)
    read = read_alone(named, path, columns, mending).in_order()
    if not named.given:
        refuse_strange_columns([read], lambda _: "leave it out")
    return read, named.names, named.ordered


def fit_labels(
    name: str,
    labels: NDArray[np.float64],
    classes: tuple[str, ...],
    path: Path,
    *,
    ordered: bool = False,
    **how: int,
) -> FittedPrior[Any, Any]:
    """Return the prior fitted to labels, (N, K) places of classes, NaN where missing, of a file.

    Classes that are `ordered` are levels of a latent scale.
    """
    from nbyk.priors import fit_classes, fit_levels
    from nbyk.resampling.labels import counts_among

    with errors_about(file=path):
        fit = fit_levels if ordered else fit_classes
        return fit(name, counts_among(labels, len(classes)), classes, **how)
