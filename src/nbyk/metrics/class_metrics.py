"""The metrics of classes and of distributions that come with nbyk; to list them imports no compiled code."""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.errors import NbykError
from nbyk.metrics.metric import Metric
from nbyk.metrics.traits import Direction, Traits

_SOKOLOVA = (
    "Sokolova and Lapalme 2009, A systematic analysis of performance measures for classification tasks"
)
_UMA = "Uma, Fornaciari, Hovy, Paun, Plank and Poesio 2021, Learning from disagreement: a survey"
_PETERSON = (
    "Peterson, Battleday, Griffiths and Russakovsky 2019, Human uncertainty makes classification robust"
)
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


def _class_metric(name: str, function: str, summary: str, source: str = "", **more: float) -> Metric:
    additive = function == "accuracy"
    return Metric(
        name=name,
        direction="higher",
        needs="classes",
        kind="score",
        needs_gold=True,
        summary=summary,
        source=source,
        implementation=f"{_MODULE}:{function}",
        arguments=tuple(more.items()),
        additive=additive,
        traits=Traits("linear" if additive else "smooth", (), 0, additive, False, (0.0, 1.0)),
        form=None if additive else "nbyk.testing.engine.tables:confusions",
    )


def _distribution_metric(
    name: str, place: int, direction: Direction, bounds: tuple[float, float], summary: str, source: str
) -> Metric:
    additive = direction == "lower"
    return Metric(
        name=name,
        direction=direction,
        needs="distributions",
        kind="score",
        needs_gold=True,
        summary=summary,
        source=source,
        implementation=f"{_MODULE}:{'mean_distance' if additive else 'entropies_alike'}",
        arguments=(("measure", float(place)),),
        additive=additive,
        traits=Traits("linear" if additive else "smooth", (), 0, additive, False, bounds),
    )


CLASS_METRICS = (
    _class_metric("accuracy", "accuracy", "The share of items predicted right."),
    *(
        _class_metric(
            f"{measure}_{average}",
            "confusion_measure",
            f"{how[0].upper()}{how[1:]}: {over}; 0 if the denominator is 0.",
            _SOKOLOVA,
            measure=float(1 + number),
            average=float(place),
            label=0.0,
        )
        for number, (measure, how) in enumerate(MEASURES.items())
        for place, (average, over) in enumerate(AVERAGES.items())
    ),
)
"""The metrics of classes, without those of a single class."""

DISTRIBUTION_METRICS = (
    _distribution_metric(
        "cross_entropy",
        0,
        "lower",
        (0.0, -math.log(1e-12)),
        "−Σ p ln q of target p and prediction q, averaged over items, in nats.",
        _PETERSON,
    ),
    _distribution_metric(
        "js_divergence",
        1,
        "lower",
        (0.0, math.log(2.0)),
        "Jensen–Shannon divergence of target and prediction, averaged over items; 0 to ln 2.",
        _LIN,
    ),
    _distribution_metric(
        "js_distance",
        2,
        "lower",
        (0.0, math.sqrt(math.log(2.0))),
        "Square root of each item's Jensen–Shannon divergence, averaged over items; BooStSa's “JSD”.",
        _ENDRES,
    ),
    _distribution_metric(
        "entropy_similarity",
        3,
        "higher",
        (0.0, 1.0),
        "Cosine of the vectors of the items' entropies, of targets and of predictions.",
        _UMA,
    ),
    _distribution_metric(
        "entropy_correlation",
        4,
        "higher",
        (-1.0, 1.0),
        "Pearson's correlation of the items' entropies, of targets and of predictions.",
        _UMA,
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


Floats = NDArray[np.float64]


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
        traits=Traits("linear", (), 1, True, False),
        statistics=_score_statistics,
    ),
    Metric(
        "bleu",
        _bleu,
        "higher",
        "BLEU of the whole corpus, 0 to 100, as sacrebleu computes it.",
        needs="outputs",
        source="Papineni, Roukos, Ward and Zhu 2002, BLEU; Post 2018, A call for clarity",
        traits=Traits("smooth", (), 0, False, False, (0.0, 100.0)),
        statistics=_bleu_statistics,
    ),
)
"""The metrics of outputs that come with nbyk."""
