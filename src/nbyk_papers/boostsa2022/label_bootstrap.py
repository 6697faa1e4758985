"""BooStSa's test: the paired bootstrap over label predictions, as published and as recommended."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nbyk.arrays import Array, Floats
from nbyk.compiled import njit
from nbyk.errors import NbykError
from nbyk.metrics import Metric, get
from nbyk.metrics.classes import (
    F1,
    MACRO,
    PRECISION,
    RECALL,
    cross_entropy,
    entropy,
    js_divergence,
    score_tables,
)
from nbyk.resampling.effects import run_chunks
from nbyk.resampling.streams import stream_key
from nbyk.testing.engine.forms import form_of
from nbyk.testing.engine.item_draws import ItemDraws, KindCounts, KindStreams, by_first_item
from nbyk.testing.engine.rows import Rows
from nbyk.testing.engine.swaps import DRAWS
from nbyk.testing.engine.tables import Tables
from nbyk.testing.engine.weights import weighted_sums
from nbyk.testing.pvalues import p_values

MEASURES = ("cross_entropy", "js_divergence", "js_distance", "entropy_similarity", "entropy_correlation")

_SHARED, _PER_SYSTEM = 3, 8
"""Columns of `contributions`: of the targets, and of each system."""

_ROUNDING = 1e-12
"""Entropies that spread by less, or whose variance is a smaller share of their mean square, are constant."""


@njit(nogil=True, cache=True)
def entropies(rows: Floats) -> Any:
    """Return each row's entropy over ln C, shape (N,), of rows of probabilities, shape (N, C)."""
    out = np.empty(len(rows))
    for i in range(len(rows)):
        out[i] = entropy(rows[i])
    return out


@njit(nogil=True, cache=True)
def distances(target: Floats, prediction: Floats) -> Any:
    """Return each item's cross entropy, Jensen–Shannon divergence and distance, shape (3, N)."""
    out = np.empty((3, len(target)))
    for i in range(len(target)):
        out[0, i] = cross_entropy(target[i], prediction[i])
        out[1, i] = js_divergence(target[i], prediction[i])
        out[2, i] = np.sqrt(out[1, i])
    return out


def contributions(target: Floats, predictions: Floats) -> Floats:
    """Return each item's contribution to the sums behind every score, shape (N, 3 + 8 S).

    They are of rows of probabilities, shape (N, C) of the targets and (S, N, C) of the systems: of the
    targets' entropies x, then for each system its distances and those of its entropies y.
    """
    x = entropies(target)
    x_off = x - x.mean()
    columns = [x * x, x_off, x_off * x_off]
    for prediction in predictions:
        y = entropies(prediction)
        y_off = y - y.mean()
        columns += [
            *distances(target, prediction),
            *(y * y, x * y, y_off, y_off * y_off, x_off * y_off),
        ]
    return np.ascontiguousarray(np.stack(columns, axis=1))


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
        code: Array = target
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
        self._measures = [MEASURES.index(score.name) for score in scores]
        self.kind_of = np.arange(len(target))
        shares = (rows / rows.sum(axis=-1, keepdims=True) for rows in (target, predictions))
        self.features = contributions(*shares)

    def scores(self, draws: ItemDraws) -> Floats:
        """As `HardScorer.scores`; NaN where undefined."""
        sums, n = np.empty((self.features.shape[1], DRAWS)), float(draws.shape[1])
        weighted_sums(self.features, draws.weights, sums)
        x2, centred_x, centred_x2 = sums[:_SHARED]
        own = sums[_SHARED:].reshape(-1, _PER_SYSTEM, DRAWS).swapaxes(0, 1)
        distances, (y2, xy, centred_y, centred_y2, centred_xy) = own[:_SHARED], own[_SHARED:]
        with np.errstate(divide="ignore", invalid="ignore"):
            squares = x2 * y2
            cosine = np.where(squares > 0.0, np.minimum(1.0, xy / np.sqrt(squares)), np.nan)
            var_x = centred_x2 - centred_x * centred_x / n
            var_y = centred_y2 - centred_y * centred_y / n
            r = (centred_xy - centred_x * centred_y / n) / np.sqrt(var_x * var_y)
        least = n * _ROUNDING * _ROUNDING
        is_constant = (var_x <= least + _ROUNDING * centred_x2) | (var_y <= least + _ROUNDING * centred_y2)
        correlation = np.where(is_constant, np.nan, np.clip(r, -1.0, 1.0))
        return np.stack([*(distances / n), cosine, correlation])[self._measures]


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
    by_class = np.divide(over, under, out=np.zeros_like(over), where=under > 0.0)
    out[:] = by_class.sum(axis=0) / (predicted + actual > 0.0).sum(axis=0)


Semantics: TypeAlias = Literal["recommended", "published"]

_DECIMALS = 4


@dataclass(frozen=True)
class LabelComparison:
    """One score of two systems, on its own scale, how much better A is by it, and p of "A is better"."""

    score: Metric
    score_a: float
    score_b: float
    effect: float
    p: float
    standard_error: float


@dataclass(frozen=True)
class LabelTest:
    """Two systems compared by scores on the same resamples, each of which draws `n_drawn` items.

    `draws`, shape (scores, M), has the effects of the resamples; NaN where undefined.
    """

    comparisons: tuple[LabelComparison, ...]
    n_drawn: int
    draws: Floats = field(repr=False, compare=False)


def label_bootstrap(
    target: Labels,
    a: Labels,
    b: Labels,
    scores: Sequence[str],
    *,
    n_classes: int = 0,
    semantics: Semantics = "recommended",
    fraction: float = 1.0,
    n_resamples: int = 10_000,
    seed: int = 0,
    threads: int = 1,
) -> LabelTest:
    """Test whether system A labels better than system B, by a paired bootstrap over items.

    The targets, and the predictions of the treatment A and of the control B, are hard labels, classes from 0,
    shape (N,), by default up to the largest of the targets; or soft ones, rows of probabilities, shape (N,
    C). All scores see the same M resamples, each of a share `fraction` of the items, in (0, 1]. The numbers
    do not depend on `threads`. A larger M continues the same resamples. Exchanging A and B mirrors the
    effects.

    "recommended": p = (1 + #{d* ≥ 2d})/(1 + M) of the effects d* of the resamples and the observed d, ties
    included: d* − d approximates the effect's distribution under the null (Berg-Kirkpatrick et al. 2012).
    This needs f = 1: at smaller f, d* spreads 1/√f times as wide, and the test hardly ever rejects.
    "published": BooStSa's #{d* > 2d}/M, scores of hard labels rounded to four decimals, and macro averages
    over the classes that occur in a resample; for distances it uses the sign that BooStSa intends but does
    not apply.
    """
    published, n_items = semantics == "published", len(target)
    n_drawn = int(n_items * fraction)
    if n_drawn < 1:
        raise NbykError(
            f"{fraction} of {n_items} items is none; expected at least {1 / n_items:.2g}", argument="fraction"
        )
    chosen = scores_of(scores, target)
    scorer = label_scorer(target, np.stack([a, b]), chosen, n_classes=n_classes, occurring=published)
    key = stream_key(seed, purpose="label bootstrap", n_items=n_items, n_drawn=n_drawn)
    items = KindStreams(key, scorer.kind_of, n_drawn)
    signs = np.array([score.sign for score in chosen])[:, np.newaxis]
    decimals = _DECIMALS if published and target.ndim == 1 else None

    def rounded(values: Floats) -> Floats:
        return values if decimals is None else np.round(values, decimals)

    def effects(scored: Floats) -> Floats:
        a_scores, b_scores = rounded(scored[:, 0]), rounded(scored[:, 1])
        return rounded(signs * (a_scores - b_scores))

    observed = observed_scores(scorer)
    observed_effects = effects(observed[:, :, None])[:, 0] + 0.0  # no −0
    (drawn,) = run_chunks(
        n_resamples, lambda chunk, _: effects(scorer.scores(items.draws(chunk))), threads=threads
    )
    comparisons = []
    for place, score in enumerate(chosen):
        of_a, of_b = rounded(observed[place]).tolist()
        effect = float(observed_effects[place])
        p = (_published_p if published else _recommended_p)(drawn[place], effect)
        comparisons.append(LabelComparison(score, of_a, of_b, effect, *p))
    return LabelTest(tuple(comparisons), n_drawn, drawn)


def _recommended_p(drawn: Floats, effect: float) -> tuple[float, float]:
    p = p_values(effect, drawn[np.isfinite(drawn)] - effect)["greater"]
    return p.p, p.standard_error


def _published_p(drawn: Floats, effect: float) -> tuple[float, float]:
    p = int((drawn > 2.0 * effect).sum()) / len(drawn)
    return p, math.sqrt(p * (1.0 - p) / len(drawn))
