"""The one registry: the rows of all metrics, found by names and specs such as ``accuracy(threshold=0.6)``.

A metric scores numbers, classes, distributions or outputs such as sentences. Packages name modules that add
metrics under the entry point `nbyk.metrics`. A name may stand for a metric of
several: ``accuracy`` of numbers cuts item means at a threshold, and that of classes counts the right ones.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Literal, get_args

from nbyk.errors import NbykError, argument_with, check_name, errors_about, unknown_name
from nbyk.metrics.builtin import BUILTIN, WINS
from nbyk.metrics.class_metrics import (
    CLASS_METRICS,
    DISTRIBUTION_METRICS,
    OUTPUT_METRICS,
    averages_of,
    one_class_metric,
)
from nbyk.metrics.metric import Data, Metric, Parameter

if TYPE_CHECKING:
    from nbyk.data.kinds import Kind
    from nbyk.data.response_set import Categories

Rated = Literal["numbers", "distributions", "classes"]

_KINDS: tuple[Rated, ...] = get_args(Rated)
"""Every metric of distributions is one of classes too, so that these come last."""

ROWS: list[Metric] = [*BUILTIN, *CLASS_METRICS, *DISTRIBUTION_METRICS, *OUTPUT_METRICS]
"""All metrics: nbyk's, then users'."""

OF_PACKAGES: dict[str, Metric] = {}
"""Metrics of ratings of installed packages, which add them as they are imported; no list shows them."""

_CALLED_HERE = {
    "mean_absolute_error": "mae",
    "mean_squared_error": "mse",
    "root_mean_squared_error": "rmse",
    "pearsonr": "pearson",
    "spearmanr": "spearman",
    "kendalltau": "kendall",
    "accuracy_score": "accuracy",
    "f1_score": "f1",
    "roc_auc": "auc",
    "roc_auc_score": "auc",
}
"""Names that other packages use for metrics of ratings."""
_SPEC = re.compile(r"\s*([^\s()]+)\s*(?:\(([^()]*)\))?\s*")
_TRIALS = re.compile(r"\s*pass([@^])(\d+)\s*")
_WINS = re.compile(rf"\s*{WINS.name}\s*\((.*)\)\s*", re.DOTALL)


def definitions(of: Data = "numbers") -> dict[str, Metric]:
    """Return the metrics of some data by their names without parameters: nbyk's in their order, then users'.

    The data are "numbers", "classes", "distributions" or "outputs"; any other raises `NbykError`.
    """
    check_name("kind of data", of, get_args(Data))
    return {metric.name: metric for metric in ROWS if of in metric.kinds}


def names(of: Data = "numbers") -> tuple[str, ...]:
    """Return the names of `definitions`."""
    return tuple(definitions(of))


def get(spec: str, of: Data = "numbers") -> Metric:
    """Return the metric that `spec` describes.

    Parameters
    ----------
    spec
        A name with parameters in parentheses by name or in order: ``mae``, ``accuracy(threshold=0.6)``,
        ``accuracy(0.6)``. White space does not matter. ``wins(mse)`` counts the items that either system wins
        by a metric that is a mean over items. ``pass@5`` is ``pass_at(5)``, and ``pass^4`` is
        ``pass_hat(4)``. Of classes, ``precision(CLASS)``, ``recall(CLASS)`` and ``f1(CLASS)`` are of one
        class.
    of
        What it scores: "numbers", "classes", "distributions" or "outputs".

    Raises
    ------
    NbykError
        If the metric is unknown, or a parameter is missing, unknown, given twice or out of range; or the spec
        asks for wins by a metric that is not a mean over items, or for a class's measure without the class.
    """
    known = definitions(of)
    spec = _TRIALS.sub(lambda match: f"pass_{'at' if match[1] == '@' else 'hat'}({match[2]})", spec)
    constructed = _wins_of(spec) if of != "outputs" else None
    if constructed is not None:
        return _wins(spec, of, *constructed)
    if of == "classes" and (metric := one_class_metric(spec)) is not None:
        return metric
    name, given = _split_spec(spec)
    definition = known.get(name) or (_of_packages(name) if of == "numbers" else None)
    if definition is None:
        raise _unknown(name if of == "numbers" else spec, of)
    values = _parse_arguments(spec, definition, given)
    shown = _shown_arguments(definition, values)
    return replace(
        definition,
        name=f"{name}({', '.join(shown)})" if shown else name,
        arguments=(*definition.arguments, *values.items()),
    )


def _of_packages(name: str) -> Metric | None:
    """Return the metric of a name from an installed package; packages are imported if none has it yet."""
    if name not in OF_PACKAGES:
        for package in entry_points(group="nbyk.metrics"):
            package.load()
    return OF_PACKAGES.get(name)


def metrics_of(categories: Categories | None, metrics: Sequence[str | Metric]) -> list[Metric]:
    """Return metrics, by name or as they are, of responses that are numbers, or classes or distributions."""
    kind = "numbers" if categories is None else categories.kind
    chosen = [named(metric, kind) if isinstance(metric, str) else metric for metric in metrics]
    for metric in chosen:
        metric.check_kind(kind)
        if categories is not None and not categories.ordered:
            check_order(metric, categories.names)
    if categories is None:
        return chosen
    return [metric.bound(categories.names, categories.table) for metric in chosen]


def check_order(metric: Metric, names: Sequence[str]) -> None:
    """Raise NbykError if a metric goes by the order of classes of which nothing says it."""
    if (metric.of or metric).takes_order:
        raise NbykError(
            f"found {metric.name}, which goes by the order of the classes, and nothing says how "
            f"{', '.join(names)} are ordered; name them with `classes`, lowest first",
            argument="metric",
        )


def named(spec: str, kind: Kind) -> Metric:
    """Return the metric of a kind of responses that `spec` describes (`get`)."""
    assert kind != "scores", "scores have no metric"
    with errors_about(argument="metric"):
        return get(spec, kind)


def usual_metric(kind: Kind, *, has_gold: bool, lower_is_better: bool = False) -> str:
    """Return the name of the metric that a comparison uses if none is given."""
    usual = {
        "numbers": "mae" if has_gold else "mean_cost" if lower_is_better else "mean",
        "classes": "accuracy",
        "distributions": "cross_entropy",
    }
    return usual[kind]


def kind_scored(metric: str | Metric | None) -> Rated | None:
    """Return the kind of responses that a metric needs; None if it scores numbers too, or is unknown."""
    if isinstance(metric, str):
        name = _scoring(metric)[1]
        kinds = [of for of in _KINDS if _fits(metric, of)] or [of for of in _KINDS if name in definitions(of)]
        return None if not kinds or kinds[0] == "numbers" else kinds[0]
    kind = None if metric is None else metric.kinds[-1]
    return None if kind == "outputs" else kind


def _fits(spec: str, of: Data) -> bool:
    try:
        get(spec, of)
    except NbykError:
        return False
    return True


def _unknown(name: str, of: Data) -> NbykError:
    """Return the error for a name that stands for no metric of such data."""
    averages = averages_of(name) if of == "classes" else []
    if averages:
        return NbykError(
            f"metric {name!r} is of a class: choose {', '.join(averages)}, or {name}(CLASS) for one class"
        )
    known = [*names(of), *([f"{WINS.name}(METRIC)"] if of != "outputs" else [])]
    bare = name.partition("(")[0]
    others = (data for data in reversed(get_args(Data)) if bare in definitions(data))
    other = "classes" if one_class_metric(name) else next(others, None)
    if other is not None:
        is_kind = of == "numbers" and other != "outputs"
        way = f"read the data as {argument_with('kind', other)}, or " if is_kind else ""
        if of == "distributions" and name == "accuracy":
            way = f"for that of the likeliest class give {argument_with('metric', 'plurality_first')}, or "
        return NbykError(
            f"metric {name!r} scores {other}, and these are {of}; {way}choose from {', '.join(known)}"
        )
    if of == "numbers" and name in _CALLED_HERE:
        return NbykError(f"unknown metric {name!r}; here it is called {_CALLED_HERE[name]}")
    every = {f"{WINS.name}(METRIC)", *(row.name for row in ROWS)}
    return unknown_name("metric", name, every, "; one of yours needs its file (docs/guide.md)")


def names_in(spec: str) -> set[str]:
    """Return the names of the metrics in a spec: that of a constructed metric, and the one inside it."""
    return {spec.partition("(")[0].strip(), _scoring(spec)[1]}


def _scoring(spec: str) -> tuple[str, str]:
    """Return the spec of the metric that scores, which of wins is the one inside, and its bare name."""
    inner, _ = _wins_of(spec) or (spec, "")
    return inner, inner.partition("(")[0].strip()


def _wins_of(spec: str) -> tuple[str, str] | None:
    """Return the metric and the parameters of a spec of wins; None for any other spec."""
    match = _WINS.fullmatch(spec)
    if match is None:
        return None
    inner, depth = match[1], 0
    for place, letter in enumerate(inner):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            return inner[:place], inner[place + 1 :]
    return inner, ""


def _wins(spec: str, data: Data, inner: str, given: str) -> Metric:
    """Return the metric that counts who wins each item by another metric."""
    if _wins_of(inner) is not None:
        raise NbykError(f"metric {spec[:100]!r}: expected a metric that scores systems, not wins again")
    of = get(inner, data)
    if of.kind == "comparison" or not of.is_mean_over_items:
        why = "compares two systems itself" if of.kind == "comparison" else "is not a mean over items"
        fit = ", ".join(name for name, row in definitions(data).items() if _scores_items(row))
        raise NbykError(
            f"metric {spec!r}: {of.name} {why}, so single items have no score; choose one of {fit}, or your "
            "own, registered with additive=True"
        )
    values = _parse_arguments(spec, WINS, given)
    shown = _shown_arguments(WINS, values)
    if of.wins:
        return get(f"{of.wins}({', '.join(shown)})")
    return replace(
        WINS,
        name=f"{WINS.name}({', '.join([of.name, *shown])})",
        needs=of.needs,
        needs_gold=of.needs_gold,
        summary=f"Share of items on which A is better by {of.name}, minus the share on which B is.",
        arguments=tuple(values.items()),
        of=of,
    )


def _scores_items(definition: Metric) -> bool:
    return definition.kind == "score" and (definition.additive or bool(definition.traits.mean_over_items))


def _split_spec(spec: str) -> tuple[str, str]:
    """Return the name in a spec and the text between its parentheses."""
    match = _SPEC.fullmatch(spec)
    if match is None:
        raise NbykError(
            f"metric {spec!r} is not a name or name(parameter=value), as in 'accuracy(threshold=0.6)'"
        )
    return match[1], match[2] or ""


def _parse_arguments(spec: str, definition: Metric, given: str) -> dict[str, float]:
    by_name = {parameter.name: parameter for parameter in definition.parameters}
    values: dict[str, float] = {}
    for place, text in enumerate(given.split(",") if given.strip() else []):
        key, equals, value = text.partition("=")
        if equals:
            key = key.strip()
        else:
            value = text
            key = list(by_name)[place] if place < len(by_name) else ""
        if key not in by_name:
            known = f"takes {', '.join(by_name)}" if by_name else "takes no parameters"
            raise NbykError(
                f"metric {spec!r}: unexpected parameter {text.strip()!r}; {definition.name} {known}"
            )
        if key in values:
            raise NbykError(f"metric {spec!r}: {key} is given twice")
        values[key] = _number(spec, by_name[key], value.strip())
    for parameter in definition.parameters:
        if parameter.name not in values:
            if parameter.default is None:
                example = f"{definition.name}({parameter.name}={parameter.example})"
                raise NbykError(f"metric {spec!r} needs {parameter.name}, {parameter.expected}: {example}")
            values[parameter.name] = parameter.default
    return {name: values[name] for name in by_name}


def _number(spec: str, parameter: Parameter, text: str) -> float:
    try:
        value = int(text) if parameter.whole else float(text)
    except ValueError:
        value = math.nan
    # math.isfinite raises for a whole number that is too large for a float.
    if not (abs(value) < math.inf and parameter.minimum <= value <= parameter.maximum):
        raise NbykError(f"metric {spec!r}: {parameter.name} must be {parameter.expected}, found {text!r}")
    return value


def _shown_arguments(definition: Metric, values: dict[str, float]) -> list[str]:
    """Return the parameters that differ from their default, as text of a spec."""
    return [
        f"{parameter.name}={values[parameter.name]!r}"
        for parameter in definition.parameters
        if values[parameter.name] != parameter.default
    ]
