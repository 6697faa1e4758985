"""The scores of label predictions that come with nbyk: what each computes, of which kind of labels."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from nbyk.metrics.metric import Directed, Metric
from nbyk.metrics.traits import Direction, Traits

Kind: TypeAlias = Literal["hard", "soft"]
Measure: TypeAlias = Literal[
    "accuracy",
    "precision",
    "recall",
    "f1",
    "cross_entropy",
    "js_divergence",
    "js_distance",
    "entropy_similarity",
    "entropy_correlation",
]
Average: TypeAlias = Literal["macro", "micro", "weighted", "class", "none"]

_OF_A_CLASS = re.compile(r"\s*(precision|recall|f1)\s*\((.*)\)\s*")


@dataclass(frozen=True)
class LabelScore(Directed):
    """A named way to score predicted labels against targets; ``nbyk.metrics.get(name, "labels")`` is one.

    Attributes
    ----------
    name
        Canonical name.
    direction
        "higher" or "lower": which scores are better.
    needs
        "hard": one class per item; "soft": a distribution over the classes per item.
    measure
        The quantity computed; several names may share it.
    average
        How precision, recall and F1 of the classes become one number: their mean ("macro"), from the sums
        of their counts ("micro"), their mean weighted by the targets' counts ("weighted"), or those of one
        class ("class").
    summary, source
        One line for listings, and a citation or "".
    label
        The one class, as text, where the average is "class".
    """

    name: str
    direction: Direction
    needs: Kind
    measure: Measure
    average: Average
    summary: str
    source: str = ""
    label: str = ""


_SOKOLOVA = (
    "Sokolova and Lapalme 2009, A systematic analysis of performance measures for classification tasks"
)
_UMA = "Uma, Fornaciari, Hovy, Paun, Plank and Poesio 2021, Learning from disagreement: a survey"
_PETERSON = (
    "Peterson, Battleday, Griffiths and Russakovsky 2019, Human uncertainty makes classification robust"
)
_LIN = "Lin 1991, Divergence measures based on the Shannon entropy"
_ENDRES = "Endres and Schindelin 2003, A new metric for probability distributions"

_AVERAGES: dict[Average, str] = {
    "macro": "the mean over the classes",
    "micro": "from the sums over the classes, which equals the accuracy",
    "weighted": "the mean over the classes, weighted by how many targets are of each",
}
_MEASURES: dict[Measure, str] = {
    "precision": "the share of a class's predictions that are right",
    "recall": "the share of a class's targets that are predicted",
    "f1": "the harmonic mean of a class's precision and recall",
}

OF_LABELS = (
    LabelScore("accuracy", "higher", "hard", "accuracy", "none", "The share of items predicted right."),
    *(
        LabelScore(
            f"{measure}_{average}",
            "higher",
            "hard",
            measure,
            average,
            f"{how[0].upper()}{how[1:]}: {over}; 0 if the denominator is 0.",
            _SOKOLOVA,
        )
        for measure, how in _MEASURES.items()
        for average, over in _AVERAGES.items()
    ),
    LabelScore(
        "cross_entropy",
        "lower",
        "soft",
        "cross_entropy",
        "none",
        "−Σ p ln q of target p and prediction q, averaged over items, in nats.",
        _PETERSON,
    ),
    LabelScore(
        "js_divergence",
        "lower",
        "soft",
        "js_divergence",
        "none",
        "Jensen–Shannon divergence of target and prediction, averaged over items; 0 to ln 2.",
        _LIN,
    ),
    LabelScore(
        "js_distance",
        "lower",
        "soft",
        "js_distance",
        "none",
        "Square root of each item's Jensen–Shannon divergence, averaged over items; BooStSa's “JSD”.",
        _ENDRES,
    ),
    LabelScore(
        "entropy_similarity",
        "higher",
        "soft",
        "entropy_similarity",
        "none",
        "Cosine of the vectors of the items' entropies, of targets and of predictions.",
        _UMA,
    ),
    LabelScore(
        "entropy_correlation",
        "higher",
        "soft",
        "entropy_correlation",
        "none",
        "Pearson's correlation of the items' entropies, of targets and of predictions.",
        _UMA,
    ),
)
"""The scores of labels, without those of single classes."""


def as_metric(score: LabelScore) -> Metric:
    """Return a score of labels as a metric, which takes its classes from the data that it is bound to."""
    range_ = (0.0, 1.0)
    arguments: tuple[tuple[str, float], ...] = ()
    additive = score.measure in ("accuracy", "cross_entropy", "js_divergence", "js_distance")
    if score.needs == "hard":
        function = "accuracy"
        if score.measure != "accuracy":
            function = "of_confusion"
            numbers = (_MEASURE_NUMBERS.index(score.measure), _AVERAGE_NUMBERS.index(score.average))
            arguments = tuple(zip(("measure", "average"), map(float, numbers), strict=True))
            if not score.label:
                arguments = (*arguments, ("label", 0.0))
    else:
        place = float(_SOFT.index(score.measure))
        function, arguments = "of_distance" if additive else "of_entropies", (("measure", place),)
        if score.measure == "cross_entropy":
            range_ = (0.0, -math.log(1e-12))
        elif score.measure == "js_divergence":
            range_ = (0.0, math.log(2.0))
        elif score.measure == "js_distance":
            range_ = (0.0, math.sqrt(math.log(2.0)))
        elif score.measure == "entropy_correlation":
            range_ = (-1.0, 1.0)
    return Metric(
        name=score.name,
        direction=score.direction,
        needs="classes" if score.needs == "hard" else "distributions",
        kind="score",
        needs_gold=True,
        summary=score.summary,
        source=score.source,
        implementation=f"nbyk.metrics.classes:{function}",
        arguments=arguments,
        additive=additive,
        traits=Traits("linear" if additive else "smooth", (), 0, additive, False, range_),
        form="nbyk.testing.engine.forms:confusions" if function == "of_confusion" else None,
        label=score.label,
    )


_MEASURE_NUMBERS = ("accuracy", "precision", "recall", "f1")
_AVERAGE_NUMBERS = ("macro", "micro", "weighted", "class")
_SOFT = ("cross_entropy", "js_divergence", "js_distance", "entropy_similarity", "entropy_correlation")


def of_a_class(name: str) -> LabelScore | None:
    """Return the score of one class, such as ``"recall(spam)"``; None for any other name."""
    found = _OF_A_CLASS.fullmatch(name)
    if found is None:
        return None
    measure, label = found[1], found[2].strip()
    macro = next(score for score in OF_LABELS if score.name == f"{measure}_macro")
    return replace(
        macro,
        name=f"{measure}({label})",
        average="class",
        label=label,
        summary=f"{measure} of class {label}; 0 if the denominator is 0.",
    )


def averages_of(measure: str) -> list[str]:
    """Return the names of a class's measure over all classes, such as ``f1_macro``; empty for other names."""
    return [score.name for score in OF_LABELS if score.average != "none" and score.measure == measure]
