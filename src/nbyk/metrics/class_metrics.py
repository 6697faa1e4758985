"""The metrics of classes and of distributions that come with nbyk; to list them imports no compiled code."""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nbyk.arrays import Floats
from nbyk.errors import NbykError
from nbyk.metrics.metric import Metric, Parameter, Traits

_SOKOLOVA = (
    "Sokolova and Lapalme 2009, A systematic analysis of performance measures for classification tasks"
)
_UMA = "Uma, Fornaciari, Hovy, Paun, Plank and Poesio 2021, Learning from disagreement: a survey"
_PETERSON = (
    "Peterson, Battleday, Griffiths and Russakovsky 2019, Human uncertainty makes classification robust"
)
_PANDITA = "Pandita, Korn, Welty and Homan 2026, Forest vs Tree"
_COHEN = "Cohen 1968, Weighted kappa: nominal scale agreement with provision for scaled disagreement"
_BRIER = "Brier 1950, Verification of forecasts expressed in terms of probability"
_RUBNER = "Rubner, Tomasi and Guibas 2000, The earth mover's distance"
_LIN = "Lin 1991, Divergence measures based on the Shannon entropy"
_ENDRES = "Endres and Schindelin 2003, A new metric for probability distributions"

AVERAGES = {
    "macro": "the mean over the classes",
    "micro": "from the sums over the classes, which equals the accuracy",
    "weighted": "the mean over the classes, weighted by how many targets are of each",
}
"""How the measures of all classes become one number; those of `nbyk.metrics.classes`, in its order."""

MEASURES = {
    "precision": "the share of a class's predictions that are right",
    "recall": "the share of a class's targets that are predicted",
    "f1": "the harmonic mean of a class's precision and recall",
}
"""Measures of a class; their numbers in `nbyk.metrics.classes` begin with 1."""

_ONE_CLASS_SPEC = re.compile(rf"\s*({'|'.join(MEASURES)})\s*\((.*)\)\s*")
_MODULE = "nbyk.metrics.classes"


_OF_CLASSES = Metric(
    "",
    f"{_MODULE}:confusion_measure",
    "higher",
    "",
    needs="classes",
    traits=Traits("smooth", score_range=(0.0, 1.0)),
    form="nbyk.testing.engine.tables:confusions",
)
"""What the measures of `nbyk.metrics.classes` have in common."""


def _of_counts(measure: int, average: int = 0) -> tuple[tuple[str, float], ...]:
    return ("measure", float(measure)), ("average", float(average)), ("label", 0.0)


_POOLED = (Parameter("pooled", default=0, whole=True, minimum=0, maximum=1, example=1),)
_DISTANCES = (
    (
        "cross_entropy",
        "−Σ p ln q of target p and prediction q, averaged over items, in nats; the log score of one class.",
        -math.log(1e-12),
        _PETERSON,
    ),
    (
        "js_divergence",
        "Jensen–Shannon divergence of target and prediction, averaged over items; 0 to ln 2.",
        math.log(2.0),
        _LIN,
    ),
    (
        "js_distance",
        "Square root of each item's Jensen–Shannon divergence, averaged over items; BooStSa's “JSD”.",
        math.sqrt(math.log(2.0)),
        _ENDRES,
    ),
    (
        "kl_divergence",
        "Σ p ln (p/q) of target p and prediction q, averaged over items, in nats.",
        -math.log(1e-12),
        _PANDITA,
    ),
    ("tv_sum", "Σ |p − q| over classes, averaged over items.", 2.0, _PANDITA),
    ("tv_mean", "The mean of |p − q| over classes and items.", 1.0, _PANDITA),
    ("brier", "Σ (p − q)² over classes, averaged over items.", 2.0, _BRIER),
    (
        "emd_levels",
        "Earth mover's distance of target and prediction in steps between classes that have an order.",
        None,
        _RUBNER,
    ),
)
"""Names and largest scores, in the order of `nbyk.metrics.classes`."""

_IN_NATS = ("cross_entropy", "js_divergence", "kl_divergence")

_OF_ENTROPIES = (
    ("entropy_similarity", "Cosine of the vectors", 0.0),
    ("entropy_correlation", "Pearson's correlation", -1.0),
)
_TIES = (
    ("first", "is the first class"),
    ("split", "is shared by its classes"),
    ("refused", "is no answer and never right"),
)

CLASS_METRICS = (
    replace(
        _OF_CLASSES,
        name="accuracy",
        implementation=f"{_MODULE}:accuracy",
        summary="The share of items predicted right.",
        additive=True,
        traits=Traits("linear", score_range=(0.0, 1.0)),
        form=None,
    ),
    *(
        replace(
            _OF_CLASSES,
            name=f"{measure}_{average}",
            summary=f"{how[0].upper()}{how[1:]}: {over}; 0 if the denominator is 0.",
            source=_SOKOLOVA,
            arguments=_of_counts(1 + number, place),
        )
        for number, (measure, how) in enumerate(MEASURES.items())
        for place, (average, over) in enumerate(AVERAGES.items())
    ),
    replace(
        _OF_CLASSES,
        name="quadratic_kappa",
        summary="Cohen's κ of classes with an order, with squared distances as weights; NaN for one class.",
        source=_COHEN,
        arguments=_of_counts(4),
        traits=Traits("smooth", score_range=(-1.0, 1.0)),
        takes_order=True,
    ),
)
"""The metrics of classes, without those of a single class."""

DISTRIBUTION_METRICS = (
    *(
        Metric(
            name,
            f"{_MODULE}:mean_distance",
            "lower",
            summary,
            needs="distributions",
            source=source,
            parameters=_POOLED,
            arguments=(("measure", float(place)),),
            additive=True,
            traits=Traits("linear", score_range=(0.0, math.inf if most is None else most)),
            noun=f"{name} (nats)" if name in _IN_NATS else "",
            takes_order=name == "emd_levels",
        )
        for place, (name, summary, most, source) in enumerate(_DISTANCES)
    ),
    *(
        Metric(
            name,
            f"{_MODULE}:entropies_alike",
            "higher",
            f"{how} of the items' entropies, of targets and of predictions.",
            needs="distributions",
            source=_UMA,
            arguments=(("measure", float(place)),),
            traits=Traits("smooth", score_range=(least, 1.0)),
        )
        for place, (name, how, least) in enumerate(_OF_ENTROPIES)
    ),
    *(
        Metric(
            f"plurality_{name}",
            f"{_MODULE}:plurality",
            "higher",
            "The share of items on which most responses of a system have the class of most people; "
            f"a tie {tie}.",
            needs="distributions",
            source=_PANDITA,
            arguments=(("ties", float(place)),),
            additive=True,
            traits=Traits("jumps", score_range=(0.0, 1.0)),
        )
        for place, (name, tie) in enumerate(_TIES)
    ),
)
"""The metrics of distributions; their places are those of `nbyk.metrics.classes`."""


def one_class_metric(name: str) -> Metric | None:
    """Return the metric of one class, such as ``"recall(spam)"``; None for any other name."""
    match = _ONE_CLASS_SPEC.fullmatch(name)
    if match is None:
        return None
    measure, label = match[1], match[2].strip()
    macro = next(metric for metric in CLASS_METRICS if metric.name == f"{measure}_macro")
    return replace(
        macro,
        name=f"{measure}({label})",
        arguments=(macro.arguments[0], ("average", float(len(AVERAGES)))),
        label=label,
        summary=f"{measure} of class {label}; 0 if the denominator is 0.",
    )


def averages_of(measure: str) -> list[str]:
    """Return the names of a class's measure over all classes, such as ``f1_macro``; empty for other names."""
    return [f"{measure}_{average}" for average in AVERAGES] if measure in MEASURES else []


def _score_statistics(outputs: Any, references: Any) -> Floats:
    from nbyk.data.arrays import as_scores

    scores = as_scores(outputs, "outputs")
    return np.stack([scores, np.ones_like(scores)], axis=1)


def _mean(sums: Floats) -> Floats:
    return np.asarray(sums[..., 0] / sums[..., 1])


_ORDER = 4


def _bleu_statistics(outputs: Sequence[str], references: Sequence[Any]) -> Floats:
    try:
        sacrebleu = importlib.import_module("sacrebleu")
    except ImportError as error:
        raise NbykError("BLEU needs sacrebleu: pip install sacrebleu") from error

    if references is None or len(outputs) != len(references):
        n_references = "none" if references is None else len(references)
        raise NbykError(f"references: found {n_references} for {len(outputs)} outputs, expected one for each")
    bleu = sacrebleu.BLEU(effective_order=True)
    statistics = np.empty((len(outputs), 2 * _ORDER + 2))
    for row, output, reference in zip(statistics, outputs, references, strict=True):
        score = bleu.sentence_score(output, [reference] if isinstance(reference, str) else list(reference))
        row[:] = [*score.counts, *score.totals, score.sys_len, score.ref_len]
    return statistics


def _bleu(sums: Floats) -> Floats:
    """Return BLEU with exponential smoothing of orders without a match, sacrebleu's default."""
    matched, total = sums[..., :_ORDER], sums[..., _ORDER : 2 * _ORDER]
    length, reference_length = sums[..., -2], sums[..., -1]
    unmatched = matched == 0.0
    smoothed = np.where(unmatched, 0.5 ** unmatched.cumsum(axis=-1), matched)
    scored = (total > 0.0).all(axis=-1) & ~unmatched.all(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.exp(np.log(smoothed / total).mean(axis=-1))
        brevity = np.exp(np.minimum(0.0, 1.0 - reference_length / length))
    return np.where(scored, 100.0 * brevity * precision, 0.0)


OUTPUT_METRICS = (
    Metric(
        "mean",
        _mean,
        "higher",
        "Mean of the scores of the outputs.",
        needs="outputs",
        additive=True,
        traits=Traits("linear", unit_power=1),
        statistics=_score_statistics,
    ),
    Metric(
        "bleu",
        _bleu,
        "higher",
        "BLEU of the whole corpus, 0 to 100, as sacrebleu computes it.",
        needs="outputs",
        source="Papineni, Roukos, Ward and Zhu 2002, BLEU; Post 2018, A call for clarity",
        traits=Traits("smooth", score_range=(0.0, 100.0)),
        statistics=_bleu_statistics,
    ),
)
"""The metrics of outputs that come with nbyk."""
