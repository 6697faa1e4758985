"""Metrics of a whole corpus of outputs that see its items through sums alone: means and BLEU.

Such a metric has a few statistics per item, a row of its table, and scores their sum. A resample of items is
then a weight per item. Its score needs no pass over the outputs, because the sums are weights times
statistics.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.data.arrays import as_scores
from nbyk.errors import NbykError
from nbyk.metrics.metric import Metric
from nbyk.metrics.traits import Traits

Floats = NDArray[np.float64]


def _score_statistics(outputs: Any, references: Any) -> Floats:
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
