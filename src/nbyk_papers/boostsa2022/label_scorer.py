"""Scores of drawn items by their labels: many systems and scores from one pass over a batch of draws."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nbyk.metrics import Metric, get
from nbyk.metrics.classes import F1, MACRO, PRECISION, RECALL, score_tables
from nbyk.testing.engine.forms import form_of
from nbyk.testing.engine.item_draws import ItemDraws, KindCounts, by_first_item
from nbyk.testing.engine.rows import Rows
from nbyk.testing.engine.swaps import DRAWS
from nbyk.testing.engine.tables import Tables
from nbyk.testing.engine.weights import weighted_sums
from nbyk_papers.boostsa2022.soft_labels import MEASURES, contributions, score_sums

Floats: TypeAlias = NDArray[np.float64]
Labels: TypeAlias = NDArray[Any]


def scores_of(names: Sequence[str], target: Labels) -> tuple[Metric, ...]:
    """Return the scores named, of hard or of soft labels as the targets are."""
    return tuple(get(name, "classes" if target.ndim == 1 else "distributions") for name in names)


def observed_scores(scorer: HardScorer | SoftScorer) -> Floats:
    """Return the scores on the data, shape (scores, S)."""
    return scorer.scores(KindCounts(np.bincount(scorer.kind_of)[np.newaxis]))[:, :, 0]


def label_scorer(
    target: Labels,
    predictions: Labels,
    scores: Sequence[Metric],
    *,
    n_classes: int = 0,
    occurring: bool = False,
) -> HardScorer | SoftScorer:
    """Return the scorer of S systems' labels: classes from 0, or rows of probabilities.

    Hard labels have by default the classes up to the largest of the targets. `occurring` macro averages are
    over the classes that occur, draw by draw and system by system.
    """
    if target.ndim == 1:
        n_classes = n_classes or int(target.max()) + 1
        return HardScorer(target, predictions, n_classes, scores, occurring)
    return SoftScorer(target, predictions, scores)


class HardScorer:
    """Items of the same target and predictions are a kind: every score treats them alike.

    Kinds are in the order of `by_first_item`.
    """

    def __init__(
        self,
        target: Labels,
        predictions: Labels,
        n_classes: int,
        scores: Sequence[Metric],
        occurring: bool,
    ) -> None:
        code: NDArray[Any] = target
        for predicted in predictions:
            code = np.unique(code * n_classes + predicted, return_inverse=True)[1]
        first, self.kind_of = by_first_item(np.unique(code, return_inverse=True)[1])
        gold, systems = target[first], predictions[:, first]
        places = gold[:, None].astype(np.float64), systems[:, :, None].astype(np.float64)
        table, classes = np.eye(n_classes), [str(place) for place in range(n_classes)]
        rows, cells = Rows(*places, table=table), (gold * (n_classes + 1) + systems)[None]
        shape, named = (n_classes, n_classes + 1), [score.bound(classes, table) for score in scores]
        self._forms = [
            form_of(score, rows)
            if score.additive
            else Tables(score, rows, cells, shape, partial(_fill, score, occurring))
            for score in named
        ]

    def scores(self, draws: ItemDraws) -> Floats:
        """Return scores of a batch, shape (scores, S, draws)."""
        return np.stack([form.drawn(draws) for form in self._forms])


class SoftScorer:
    """Every item is a kind of its own."""

    def __init__(self, target: Labels, predictions: Labels, scores: Sequence[Metric]) -> None:
        self._measures = np.array([MEASURES.index(score.name) for score in scores], dtype=np.int64)
        self._n_systems = len(predictions)
        self.kind_of = np.arange(len(target))
        of_one = (rows / rows.sum(axis=-1, keepdims=True) for rows in (target, predictions))
        self.features = contributions(*of_one)

    def scores(self, draws: ItemDraws) -> Floats:
        """As `HardScorer.scores`; NaN where undefined."""
        sums = np.empty((self.features.shape[1], DRAWS))
        weighted_sums(self.features, draws.weights, sums)
        out = np.empty((len(self._measures), self._n_systems, sums.shape[1]))
        score_sums(float(draws.shape[1]), sums, self._measures, out)
        return out


def _fill(score: Metric, occurring: bool, tables: NDArray[np.int32], out: Floats) -> None:
    """Fill `out`, shape (D,), from counts; `occurring` averages are over the classes that a draw has."""
    measure, average, label = map(int, score.values)
    if not occurring or average != MACRO:
        score_tables(tables, measure, average, label, out)
        return
    counts = tables[0, :, :-1].astype(np.float64)
    hits, actual, predicted = np.einsum("ccd->cd", counts), counts.sum(axis=1), counts.sum(axis=0)
    over, under = {
        PRECISION: (hits, predicted),
        RECALL: (hits, actual),
        F1: (2.0 * hits, predicted + actual),
    }[measure]
    of_classes = np.divide(over, under, out=np.zeros_like(over), where=under > 0.0)
    out[:] = of_classes.sum(axis=0) / (predicted + actual > 0.0).sum(axis=0)
