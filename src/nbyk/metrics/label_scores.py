"""Scores of label predictions: a registry of names, each with its direction, kind of labels and source.

`get_score` turns a name such as ``"f1_macro"`` or ``"recall(spam)"`` into a `LabelScore`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from nbyk.errors import NbykError, unknown_name
from nbyk.metrics.metric import Direction

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
class LabelScore:
    """A named way to score predicted labels against targets. Get one with `get_score`.

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

    @property
    def sign(self) -> float:
        """1 if higher is better, −1 if lower is: an effect is a difference of scores times this."""
        return 1.0 if self.direction == "higher" else -1.0


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

_SCORES = (
    LabelScore("accuracy", "higher", "hard", "accuracy", "none", "The share of items predicted right."),
    *(
        LabelScore(
            f"{measure}_{average}",
            "higher",
            "hard",
            measure,
            average,
            f"{how[0].upper()}{how[1:]}: {over}; 0 where nothing is to be divided by.",
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
_BY_NAME = {score.name: score for score in _SCORES}

DEFAULTS: dict[Kind, tuple[str, ...]] = {
    "hard": ("accuracy", "precision_macro", "recall_macro", "f1_macro"),
    "soft": (
        "cross_entropy",
        "js_divergence",
        "js_distance",
        "entropy_similarity",
        "entropy_correlation",
    ),
}
"""The scores used if none are named."""


def score_names(needs: Kind | None = None) -> tuple[str, ...]:
    """Return the names of all scores, or of those for one kind of labels, without those of single classes."""
    return tuple(score.name for score in _SCORES if needs in (None, score.needs))


def get_score(name: str) -> LabelScore:
    """Return the score called `name`.

    Parameters
    ----------
    name
        One of `score_names`, or ``precision(CLASS)``, ``recall(CLASS)`` or ``f1(CLASS)`` for one class.

    Raises
    ------
    NbykError
        If there is no such score, or precision, recall or F1 lacks its average.
    """
    if name in _BY_NAME:
        return _BY_NAME[name]
    of_a_class = _OF_A_CLASS.fullmatch(name)
    if of_a_class is not None:
        measure, label = of_a_class[1], of_a_class[2].strip()
        return replace(
            _BY_NAME[f"{measure}_macro"],
            name=f"{measure}({label})",
            average="class",
            label=label,
            summary=f"{measure} of class {label}; 0 where nothing is to be divided by.",
        )
    if name in _MEASURES:
        averages = ", ".join(f"{name}_{average}" for average in _AVERAGES)
        raise NbykError(f"score {name!r} is of a class: choose {averages}, or {name}(CLASS) for one class")
    raise unknown_name("score", name, _BY_NAME)


def choose_scores(scores: str | Sequence[str] | None, kind: Kind) -> tuple[LabelScore, ...]:
    """Return the scores named, or the default ones for labels of a kind.

    Raises
    ------
    NbykError
        If a name is unknown or given twice, no name is given, or a score needs the other kind of labels.
    """
    names = DEFAULTS[kind] if scores is None else (scores,) if isinstance(scores, str) else tuple(scores)
    chosen = tuple(get_score(name) for name in names)
    for score in chosen:
        if score.needs != kind:
            raise NbykError(
                f"score {score.name!r} needs {score.needs} labels, and these are {kind}; "
                f"choose from {', '.join(score_names(kind))}"
            )
    if not chosen or len({score.name for score in chosen}) < len(chosen):
        raise NbykError(f"found {list(names)}; expected at least one, and each once", argument="scores")
    return chosen
