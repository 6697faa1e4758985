"""Metrics of a whole corpus that see its items through sums alone: means, confusion counts, BLEU.

Such a metric has a few statistics per item, and scores their sum. A resample of items is then a weight per
item, and its score needs no pass over the outputs: the sums are weights times statistics.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.errors import NbykError, unknown_name
from nbyk.metrics.metric import Direction
from nbyk.testing.scores.scores import as_scores

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CorpusMetric:
    """A metric that depends on a corpus through sums of statistics of its items.

    Attributes
    ----------
    name
        What it is called.
    statistics
        From a system's outputs and the references (None if it needs none), N of either, to an array of shape
        (N, S). Systems may differ in S.
    score
        From sums of statistics, shape (…, S), to scores, shape (…).
    direction
        "higher" or "lower": which scores are better.
    """

    name: str
    statistics: Callable[[Any, Any], Floats]
    score: Callable[[Floats], Floats]
    direction: Direction = "higher"


def get_corpus_metric(metric: str | CorpusMetric) -> CorpusMetric:
    """Return a metric by its name, or as it is."""
    if isinstance(metric, CorpusMetric):
        return metric
    if metric not in CORPUS_METRICS:
        raise unknown_name("corpus metric", metric, CORPUS_METRICS)
    return CORPUS_METRICS[metric]


def _score_statistics(outputs: Any, references: Any) -> Floats:
    scores = as_scores(outputs, "outputs")
    return np.stack([scores, np.ones_like(scores)], axis=1)


def _mean(sums: Floats) -> Floats:
    return np.asarray(sums[..., 0] / sums[..., 1])


def _labels(values: Any, name: str) -> NDArray[Any]:
    labels = np.asarray(values)
    if labels.ndim != 1 or not len(labels):
        raise NbykError(f"{name}: found labels of shape {labels.shape}, expected a flat list of one per item")
    missing = (
        labels != labels if labels.dtype.kind == "f" else np.array([x is None or x != x for x in labels])
    )
    if missing.any():
        raise NbykError(f"{name}: label {int(np.flatnonzero(missing)[0])} is missing")
    return labels


def label_counts(outputs: Any, references: Any) -> Floats:
    """Return for each item and class whether it was hit, predicted and right: statistics of shape (N, 3C).

    The classes are those of either list; the columns are C hits, C predictions and C references.
    """
    if references is None:
        raise NbykError("labels are compared with gold labels; give references", argument="references")
    predicted, gold = _labels(outputs, "outputs"), _labels(references, "references")
    if len(predicted) != len(gold):
        raise NbykError(f"found {len(predicted)} labels for {len(gold)} references", argument="outputs")
    try:
        classes, codes = np.unique(np.concatenate([predicted, gold]), return_inverse=True)
    except TypeError as error:
        raise NbykError(f"labels: found kinds that do not compare ({error}); expected one kind") from error
    one_hot = np.eye(len(classes))
    of_predicted, of_gold = one_hot[codes[: len(gold)]], one_hot[codes[len(gold) :]]
    return np.concatenate([of_predicted * of_gold, of_predicted, of_gold], axis=1)


def _by_class(sums: Floats) -> tuple[Floats, Floats, Floats]:
    hits, predicted, gold = np.split(sums, 3, axis=-1)
    return hits, predicted, gold


def _accuracy(sums: Floats) -> Floats:
    hits, _, gold = _by_class(sums)
    return np.asarray(hits.sum(axis=-1) / gold.sum(axis=-1))


def _macro(numerators: Floats, denominators: Floats, present: NDArray[np.bool_]) -> Floats:
    """Return the mean over the classes that are present of a ratio that is 0 where it is 0/0."""
    ratios = np.divide(numerators, denominators, out=np.zeros_like(numerators), where=denominators > 0.0)
    return np.asarray((ratios * present).sum(axis=-1) / present.sum(axis=-1))


def _macro_precision(sums: Floats) -> Floats:
    hits, predicted, gold = _by_class(sums)
    return _macro(hits, predicted, predicted + gold > 0.0)


def _macro_recall(sums: Floats) -> Floats:
    hits, predicted, gold = _by_class(sums)
    return _macro(hits, gold, predicted + gold > 0.0)


def _macro_f1(sums: Floats) -> Floats:
    hits, predicted, gold = _by_class(sums)
    return _macro(2.0 * hits, predicted + gold, predicted + gold > 0.0)


_ORDER = 4


def _bleu_statistics(outputs: Sequence[str], references: Sequence[Any]) -> Floats:
    try:
        sacrebleu = importlib.import_module("sacrebleu")
    except ImportError as error:
        raise NbykError("BLEU needs sacrebleu: pip install 'nbyk[bleu]'") from error

    if references is None or len(outputs) != len(references):
        found = "none" if references is None else len(references)
        raise NbykError(
            f"found {found} for {len(outputs)} outputs, expected one for each", argument="references"
        )
    bleu = sacrebleu.BLEU(effective_order=True)
    statistics = np.empty((len(outputs), 2 * _ORDER + 2))
    for row, output, reference in zip(statistics, outputs, references, strict=True):
        found = bleu.sentence_score(output, [reference] if isinstance(reference, str) else list(reference))
        row[:] = [*found.counts, *found.totals, found.sys_len, found.ref_len]
    return statistics


def _bleu(sums: Floats) -> Floats:
    """Return BLEU with exponential smoothing of orders without a match, as sacrebleu has it by default."""
    matched, total = sums[..., :_ORDER], sums[..., _ORDER : 2 * _ORDER]
    length, reference_length = sums[..., -2], sums[..., -1]
    unmatched = matched == 0.0
    smoothed = np.where(unmatched, 0.5 ** unmatched.cumsum(axis=-1), matched)
    scored = (total > 0.0).all(axis=-1) & ~unmatched.all(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.exp(np.log(smoothed / total).mean(axis=-1))
        brevity = np.exp(np.minimum(0.0, 1.0 - reference_length / length))
    return np.where(scored, 100.0 * brevity * precision, 0.0)


CORPUS_METRICS = {
    metric.name: metric
    for metric in (
        CorpusMetric("mean", _score_statistics, _mean),
        CorpusMetric("accuracy", label_counts, _accuracy),
        CorpusMetric("macro_precision", label_counts, _macro_precision),
        CorpusMetric("macro_recall", label_counts, _macro_recall),
        CorpusMetric("macro_f1", label_counts, _macro_f1),
        CorpusMetric("bleu", _bleu_statistics, _bleu),
    )
}
"""Metrics by name. The macro averages are scikit-learn's: over the classes that a sample's outputs or
references have, with 0 for 0/0."""
