"""The one registry: names and specs parsed into metrics, and users' functions added under their own names.

A metric scores numbers, classes, distributions or outputs such as sentences. A name may stand for a metric of
several: ``accuracy`` of numbers cuts item means at a threshold, and that of classes counts the right ones.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar, get_args, overload

from nbyk.data.categories import Categories
from nbyk.data.kinds import Kind
from nbyk.errors import NbykError, unknown_name
from nbyk.metrics.builtin import BUILTIN, WINS
from nbyk.metrics.corpus import OF_OUTPUTS, CorpusMetric
from nbyk.metrics.metric import Metric
from nbyk.metrics.of_classes import OF_CLASSES, OF_DISTRIBUTIONS, averages_of, of_a_class
from nbyk.metrics.traits import (
    Change,
    Direction,
    FromCounts,
    FromMean,
    Implementation,
    Needs,
    Parameter,
    Smoothness,
    Traits,
)
from nbyk.metrics.traits import Kind as Compares

__all__ = ["Data", "Metric", "Parameter", "get", "names", "parameters", "register"]

Function = TypeVar("Function", bound=Callable[..., Any])
Data: TypeAlias = Literal["numbers", "classes", "distributions", "outputs"]
"""What a metric scores. Metrics of distributions score classes, too."""

_DEFINITIONS: dict[str, Metric] = {definition.name: definition for definition in BUILTIN}
_OTHERS: dict[str, dict[str, Any]] = {
    "classes": {metric.name: metric for metric in (*OF_CLASSES, *OF_DISTRIBUTIONS)},
    "distributions": {metric.name: metric for metric in OF_DISTRIBUTIONS},
    "outputs": {metric.name: metric for metric in OF_OUTPUTS},
}
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
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_WINS = re.compile(rf"\s*{WINS.name}\s*\((.*)\)\s*", re.DOTALL)
_WINS_OF = re.compile(rf"\s*{WINS.name}_([a-z0-9_]+)\s*(?:\(([^()]*)\))?\s*")


def names(of: Data = "numbers") -> tuple[str, ...]:
    """Return the names of all metrics of some data, without parameters: nbyk's in their order, then users'.

    Parameters
    ----------
    of
        "numbers", "classes", "distributions" or "outputs".

    Raises
    ------
    NbykError
        If there is no such kind of data.
    """
    return tuple(_known(of))


def _known(of: Data) -> Mapping[str, Any]:
    if of not in get_args(Data):
        raise unknown_name("kind of data", str(of), get_args(Data))
    return _DEFINITIONS if of == "numbers" else _OTHERS[of]


def parameters(name: str) -> tuple[Parameter, ...]:
    """Return the parameters that the metric called `name` takes.

    Raises
    ------
    NbykError
        If there is no such metric.
    """
    if name not in _DEFINITIONS:
        raise unknown_name("metric", name, _DEFINITIONS)
    return _DEFINITIONS[name].parameters


@overload
def get(spec: str, of: Literal["numbers", "classes", "distributions"] = "numbers") -> Metric: ...
@overload
def get(spec: str, of: Literal["outputs"]) -> CorpusMetric: ...


def get(spec: str, of: Data = "numbers") -> Metric | CorpusMetric:
    """Return the metric that `spec` describes.

    Parameters
    ----------
    spec
        Of numbers, a name with parameters in parentheses by name or in order: ``mae``,
        ``accuracy(threshold=0.6)``, ``histogram_emd_aggregated(50)``. White space does not matter.
        ``wins(mse)`` counts the items that either system wins by a metric that is a mean over items;
        ``wins_mse`` is the same. Of classes and distributions, one of ``names("classes")``, or
        ``precision(CLASS)``, ``recall(CLASS)`` or ``f1(CLASS)`` for one class. Of outputs, one of
        ``names("outputs")``.
    of
        What it scores: "numbers", "classes", "distributions" or "outputs".

    Raises
    ------
    NbykError
        If the metric is unknown, or a parameter is missing, unknown, given twice or out of range; or the spec
        asks for wins by a metric that is not a mean over items, or for a class's measure without the class.
    """
    if of == "numbers":
        return _of_numbers(spec)
    metric: Metric | CorpusMetric | None = _known(of).get(spec)
    if metric is None and of == "classes":
        metric = of_a_class(spec)
    if metric is None:
        raise _unknown(spec, of)
    return metric


def metrics_of(categories: Categories | None, metrics: Sequence[str | Metric]) -> list[Metric]:
    """Return metrics, by name or as they are, of responses that are numbers, or classes or distributions.

    Raises
    ------
    NbykError
        If a metric is unknown or scores other responses.
    """
    kind = "numbers" if categories is None else categories.kind
    chosen = [named(metric, kind) if isinstance(metric, str) else metric for metric in metrics]
    for metric in chosen:
        metric.check_kind(kind)
    if categories is None:
        return chosen
    return [
        metric if metric.table is not None else metric.bound(categories.names, categories.table)
        for metric in chosen
    ]


def named(spec: str, kind: Kind) -> Metric:
    """Return the metric of a kind of responses that `spec` describes (`get`)."""
    assert kind != "scores", "scores have no metric"
    try:
        return get(spec, kind)
    except NbykError as error:
        raise error.about(argument="metric") from None


def usual_metric(kind: Kind, *, has_gold: bool) -> str:
    """Return the name of the metric that a comparison uses if none is given."""
    usual = {
        "numbers": "mae" if has_gold else "mean",
        "classes": "accuracy",
        "distributions": "cross_entropy",
    }
    return usual[kind]


def kind_scored(metric: str | Metric | None) -> Kind | None:
    """Return the kind of responses that a metric needs; None if it scores numbers too, or is unknown."""
    if metric is None or isinstance(metric, Metric):
        return None if metric is None else metric.kinds[-1]
    if metric.partition("(")[0].strip() in _DEFINITIONS:
        return None
    found = _OTHERS["classes"].get(metric) or of_a_class(metric)
    return None if found is None else found.kinds[-1]


def _unknown(name: str, of: Data) -> NbykError:
    """Return the error for a name that stands for no metric of such data."""
    averages = averages_of(name) if of == "classes" else []
    if averages:
        return NbykError(
            f"metric {name!r} is of a class: choose {', '.join(averages)}, or {name}(CLASS) for one class"
        )
    known = [*names(of), *([f"{WINS.name}(METRIC)"] if of == "numbers" else [])]
    other = next((data for data in reversed(get_args(Data)) if name in _known(data)), None)
    if other is None and of_a_class(name):
        other = "classes"
    if other is not None:
        way = f"read the data as `kind` {other}, or " if of == "numbers" and other != "outputs" else ""
        return NbykError(
            f"metric {name!r} scores {other}, and these are {of}; {way}choose from {', '.join(known)}"
        )
    if of == "numbers" and name in _CALLED_HERE:
        return NbykError(f"unknown metric {name!r}; here it is called {_CALLED_HERE[name]}")
    return unknown_name("metric", name, known)


def _of_numbers(spec: str) -> Metric:
    constructed = _wins_of(spec)
    if constructed is not None:
        return _wins(spec, *constructed)
    match = _SPEC.fullmatch(spec)
    if match is None:
        raise NbykError(
            f"metric {spec!r} is not a name or name(parameter=value), as in 'accuracy(threshold=0.6)'"
        )
    name, given = match[1], match[2] or ""
    if name not in _DEFINITIONS:
        raise _unknown(name, "numbers")
    definition = _DEFINITIONS[name]
    values = _parse_arguments(spec, definition, given)
    shown = _shown(definition, values)
    return replace(
        definition,
        name=f"{name}({', '.join(shown)})" if shown else name,
        arguments=tuple(values.items()),
    )


def names_in(spec: str) -> set[str]:
    """Return the names of the metrics in a spec: that of a constructed metric, and the one inside it."""
    constructed = _wins_of(spec)
    own = {spec.partition("(")[0].strip()}
    return own if constructed is None else own | {constructed[0].partition("(")[0].strip()}


def _wins_of(spec: str) -> tuple[str, str] | None:
    """Return the metric and the parameters of a spec of wins; None for any other spec."""
    match = _WINS.fullmatch(spec)
    if match is not None:
        inner = match[1]
        depth = 0
        for place, letter in enumerate(inner):
            depth += (letter == "(") - (letter == ")")
            if letter == "," and depth == 0:
                return inner[:place], inner[place + 1 :]
        return inner, ""
    match = _WINS_OF.fullmatch(spec)
    if match is None or f"{WINS.name}_{match[1]}" in _DEFINITIONS or match[1] not in _DEFINITIONS:
        return None
    return match[1], match[2] or ""


def _wins(spec: str, inner: str, given: str) -> Metric:
    """Return the metric that counts who wins each item by another metric."""
    if _wins_of(inner) is not None:
        raise NbykError(f"metric {spec[:100]!r}: expected a metric that scores systems, not wins again")
    of = _of_numbers(inner)
    if of.kind == "comparison" or not of.is_mean_over_items:
        why = "compares two systems itself" if of.kind == "comparison" else "is not a mean over items"
        fit = ", ".join(name for name in _DEFINITIONS if _scores_items(_DEFINITIONS[name]))
        raise NbykError(
            f"metric {spec!r}: {of.name} {why}, so single items have no score; choose one of {fit}, or your "
            "own, registered with additive=True"
        )
    values = _parse_arguments(spec, WINS, given)
    shown = _shown(WINS, values)
    if of.name == "mae":  # which has compiled code of its own
        return _of_numbers(f"wins_mae({', '.join(shown)})")
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


def _shown(definition: Metric, values: dict[str, float]) -> list[str]:
    """Return the parameters that differ from their default, as text of a spec."""
    return [
        f"{parameter.name}={values[parameter.name]!r}"
        for parameter in definition.parameters
        if values[parameter.name] != parameter.default
    ]


def register(
    *,
    direction: Direction,
    needs: Needs = "item_means",
    kind: Compares = "score",
    needs_gold: bool = True,
    source: str = "",
    additive: bool = False,
    smoothness: Smoothness | None = None,
    unchanged_by: Sequence[Change] | None = None,
    unit_power: int | None = None,
    follows_one_item: bool | None = None,
    score_range: tuple[float, float] | None = None,
    form: Implementation | None = None,
    counts: FromCounts | None = None,
    of_mean: FromMean | None = None,
) -> Callable[[Function], Function]:
    """Return a decorator that makes a function a metric under the function's own name.

    The function is called once for each replicate, as ``f(system, gold)``, or ``f(a, b, gold)`` for a
    comparison, with read-only arrays, and returns one number. Further arguments become the metric's
    parameters; one whose default or annotation is an ``int`` takes whole numbers. The first line of its
    docstring is the summary.

    Parameters
    ----------
    direction
        "higher" or "lower": which numbers are better; for a comparison "higher" if they favour A.
    needs
        "item_means": it gets vectors (N,); "responses": matrices (N, K), NaN behind a row's last response.
    kind
        "score" or "comparison".
    needs_gold
        If false, it is called without gold.
    source
        A citation.
    additive
        Whether an effect is the mean over items of the effects on single items. This spares simulations of
        many sizes most of their work. `wins_mae` and `mae` are additive, a correlation is not.
    smoothness
        "linear", "smooth" or "jumps": how a score follows a rating (`nbyk.metrics.metric.Traits`). By default
        it is measured on made-up ratings, as are the next three.
    unchanged_by
        The changes of one system's responses alone that change no score: "location", "scale", "monotone".
    unit_power
        The power of the ratings' unit in a score.
    follows_one_item
        Whether a single item can bring most of a small change, as in a maximum.
    score_range
        The least and the largest score (of a comparison, effect) for ratings from 0 to 1, if there are any.
    form, counts, of_mean
        How nbyk can compute it faster (`nbyk.metrics.metric.Metric`); the numbers stay the same.

    Raises
    ------
    NbykError
        If an option is unknown, the name is not lower case or taken, or the function takes too few arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from nbyk.metrics import register
    >>> @register(direction="lower")
    ... def median_error(system, gold):
    ...     "Median absolute error."
    ...     return np.median(np.abs(system - gold))
    """
    for option, value, allowed in (
        ("direction", direction, get_args(Direction)),
        ("needs", needs, get_args(Needs)),
        ("kind", kind, get_args(Compares)),
    ):
        if value not in allowed:
            raise unknown_name(f"metric {option}", str(value), allowed)
    if smoothness is not None and smoothness not in get_args(Smoothness):
        raise unknown_name("metric smoothness", str(smoothness), get_args(Smoothness))
    for change in unchanged_by or ():
        if change not in get_args(Change):
            raise unknown_name("change in metric unchanged_by", str(change), get_args(Change))
    if score_range is not None and not score_range[0] < score_range[1]:
        raise NbykError(
            f"metric score_range: found {score_range}, expected the least score before the largest"
        )
    traits = Traits(
        smoothness,
        None if unchanged_by is None else tuple(unchanged_by),
        unit_power,
        True if additive else None,
        follows_one_item,
        score_range,
    )

    def add(function: Function) -> Function:
        name = getattr(function, "__name__", repr(function))
        if not _NAME.fullmatch(name):
            raise NbykError(f"metric {name!r}: a name is lower-case letters, digits and _, a letter first")
        taken = WINS if name == WINS.name else _DEFINITIONS.get(name)
        if taken is not None and (
            isinstance(taken.implementation, str) or _home(taken.implementation) != _home(function)
        ):
            raise NbykError(f"metric {name!r} exists already{_whereabouts(taken)}; rename the function")
        _DEFINITIONS[name] = Metric(
            name=name,
            implementation=function,
            direction=direction,
            summary=(inspect.getdoc(function) or "").partition("\n")[0],
            needs=needs,
            kind=kind,
            needs_gold=needs_gold,
            parameters=_own_parameters(name, function, 1 + (kind == "comparison") + needs_gold),
            source=source,
            additive=additive,
            traits=traits,
            form=form,
            counts=counts,
            of_mean=of_mean,
        )
        return function

    return add


def snapshot() -> dict[str, Metric]:
    """Return all definitions by name, as they are now."""
    return dict(_DEFINITIONS)


def restore(definitions: dict[str, Metric]) -> None:
    """Restore the registry to a result of `snapshot`."""
    _DEFINITIONS.clear()
    _DEFINITIONS.update(definitions)


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


def _own_parameters(name: str, function: Callable[..., Any], arrays: int) -> tuple[Parameter, ...]:
    found = list(inspect.signature(_plain(function)).parameters.values())
    positional = [p for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(positional) < arrays or any(p.kind == p.KEYWORD_ONLY for p in found):
        raise NbykError(
            f"metric {name!r}: the function must take {arrays} arrays, and after them its parameters"
        )
    own = []
    for p in positional[arrays:]:
        default = None if p.default is p.empty else p.default
        if default is not None and (isinstance(default, bool) or not isinstance(default, int | float)):
            raise NbykError(f"metric {name!r}: the default of {p.name} must be a number, found {default!r}")
        whole = isinstance(default, int) or p.annotation in (int, "int")
        own.append(Parameter(p.name, default=default, whole=whole, example=1 if default is None else default))
    return tuple(own)


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    plain: Callable[..., Any] = getattr(function, "py_func", function)
    return plain


def _home(function: Callable[..., Any]) -> tuple[str, str]:
    plain = inspect.unwrap(_plain(function))
    file = inspect.getfile(plain)
    # Cells of a notebook have a new name after every edit, and each may define its metric again.
    return (str(Path(file).resolve()) if Path(file).exists() else "<interactive>", plain.__qualname__)


def _whereabouts(definition: Metric) -> str:
    if isinstance(definition.implementation, str):
        return " in nbyk"
    return f" in {_home(definition.implementation)[0]}"
