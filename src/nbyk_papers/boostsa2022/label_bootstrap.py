"""BooStSa's test: the paired bootstrap over label predictions, as published and as recommended."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nbyk.arrays import Array, Floats, Integers
from nbyk.errors import NbykError
from nbyk.metrics import Metric, get
from nbyk.metrics.classes import F1, MACRO, PRECISION, RECALL, score_tables
from nbyk.resampling.effects import run_chunks
from nbyk.resampling.streams import stream_key
from nbyk.testing.engine.forms import Correlations, Cosines, Form, form_of
from nbyk.testing.engine.item_draws import ItemDraws, KindCounts, KindStreams, by_first_item
from nbyk.testing.engine.rows import Rows
from nbyk.testing.engine.tables import Tables
from nbyk.testing.pvalues import p_values

Labels: TypeAlias = NDArray[Any]


def scores_of(names: Sequence[str], target: Labels) -> tuple[Metric, ...]:
    """Return the scores named, of hard or of soft labels as the targets are."""
    return tuple(get(name, "classes" if target.ndim == 1 else "distributions") for name in names)


def observed_scores(scorer: LabelScorer) -> Floats:
    """Return the scores on the data, shape (scores, S)."""
    return scorer.scores(KindCounts(np.bincount(scorer.kind_of)[np.newaxis]))[:, :, 0]


@dataclass(frozen=True)
class LabelScorer:
    """Scores of draws of items, of which those that every score treats alike share a kind.

    Kinds are in the order of `by_first_item`.
    """

    forms: Sequence[Form]
    kind_of: Integers

    def scores(self, draws: ItemDraws) -> Floats:
        """Return scores of a batch, shape (scores, S, draws); NaN where undefined."""
        return np.stack([form.drawn(draws) for form in self.forms])


def label_scorer(
    target: Labels,
    predictions: Labels,
    scores: Sequence[Metric],
    *,
    n_classes: int = 0,
    occurring: bool = False,
) -> LabelScorer:
    """Return the scorer of two systems' labels: classes from 0, or rows of probabilities.

    Hard labels have by default the classes up to the largest of the targets. `occurring` macro averages are
    over the classes that occur, draw by draw and system by system.
    """
    if target.ndim == 1:
        return _hard_scorer(target, predictions, n_classes or int(target.max()) + 1, scores, occurring)
    return _soft_scorer(target, predictions, scores)


def _hard_scorer(
    target: Labels, predictions: Labels, n_classes: int, scores: Sequence[Metric], occurring: bool
) -> LabelScorer:
    """Return the scorer of classes: items of the same target and predictions are a kind."""
    code: Array = target
    for predicted in predictions:
        code = np.unique(code * n_classes + predicted, return_inverse=True)[1]
    first, kind_of = by_first_item(np.unique(code, return_inverse=True)[1])
    gold, systems = target[first], predictions[:, first]
    table, classes = np.eye(n_classes), [str(place) for place in range(n_classes)]
    rows, cells = _rows(gold, systems, table), (gold * (n_classes + 1) + systems)[None]
    shape, named = (n_classes, n_classes + 1), [score.bound(classes, table) for score in scores]
    forms = [
        form_of(score, rows)
        if score.additive
        else Tables(score, rows, cells, shape, partial(_fill, score, occurring))
        for score in named
    ]
    return LabelScorer(forms, kind_of)


def _soft_scorer(target: Labels, predictions: Labels, scores: Sequence[Metric]) -> LabelScorer:
    """Return the scorer of rows of probabilities: every item is a kind of its own."""
    from scipy.special import entr

    gold, systems = (rows / rows.sum(axis=-1, keepdims=True) for rows in (target, predictions))
    n_items, n_classes = gold.shape
    table, classes = np.concatenate([gold, *systems]), [str(place) for place in range(n_classes)]
    places = np.arange(len(table)).reshape(-1, n_items)
    rows = _rows(places[0], places[1:], table)
    known = entr(table).sum(axis=1).reshape(-1, n_items) / math.log(n_classes)
    entropies = _rows(known[0], known[1:])

    def form(score: Metric) -> Form:
        if score.name == "entropy_similarity":
            return _Similarity(get("cosine"), entropies)
        if score.name == "entropy_correlation":
            return Correlations(get("pearson"), entropies)
        return form_of(score.bound(classes, table), rows)

    return LabelScorer([form(score) for score in scores], np.arange(n_items))


def _rows(gold: Array, systems: Array, table: Floats | None = None) -> Rows:
    return Rows(gold[:, None].astype(np.float64), systems[:, :, None].astype(np.float64), table=table)


class _Similarity(Cosines):
    """Cosines of vectors, from cosine distances."""

    def drawn(self, draws: ItemDraws) -> Floats:
        return 1.0 - super().drawn(draws)


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
    target: Labels, a: Labels, b: Labels, scores: Sequence[str], *, fraction: float = 1.0, **how: Any
) -> LabelTest:
    """Return the test by resamples of one share of the items; see `label_bootstraps`."""
    (test,) = label_bootstraps(target, a, b, scores, fractions=[fraction], **how)
    return test


def label_bootstraps(
    target: Labels,
    a: Labels,
    b: Labels,
    scores: Sequence[str],
    *,
    fractions: Sequence[float],
    n_classes: int = 0,
    semantics: Semantics = "recommended",
    n_resamples: int = 10_000,
    seed: int = 0,
    threads: int = 1,
) -> Iterator[LabelTest]:
    """Test whether system A labels better than system B, by paired bootstraps over items.

    The targets, and the predictions of the treatment A and of the control B, are hard labels, classes from 0,
    shape (N,), by default up to the largest of the targets; or soft ones, rows of probabilities, shape (N,
    C). There is a test for each share of the items that a resample draws, in (0, 1]. All scores see the same
    M resamples. The numbers do not depend on `threads`. A larger M continues the same resamples. Exchanging A
    and B mirrors the effects.

    "recommended": p = (1 + #{d* ≥ 2d})/(1 + M) of the effects d* of the resamples and the observed d, ties
    included: d* − d approximates the effect's distribution under the null (Berg-Kirkpatrick et al. 2012).
    This needs f = 1: at smaller f, d* spreads 1/√f times as wide, and the test hardly ever rejects.
    "published": BooStSa's #{d* > 2d}/M, scores of hard labels rounded to four decimals, and macro averages
    over the classes that occur in a resample; for distances it uses the sign that BooStSa intends but does
    not apply.
    """
    published, n_items = semantics == "published", len(target)
    chosen = scores_of(scores, target)
    scorer = label_scorer(target, np.stack([a, b]), chosen, n_classes=n_classes, occurring=published)
    signs = np.array([score.sign for score in chosen])[:, np.newaxis]
    decimals = _DECIMALS if published and target.ndim == 1 else None

    def rounded(values: Floats) -> Floats:
        return values if decimals is None else np.round(values, decimals)

    def effects(scored: Floats) -> Floats:
        a_scores, b_scores = rounded(scored[:, 0]), rounded(scored[:, 1])
        return rounded(signs * (a_scores - b_scores))

    observed = observed_scores(scorer)
    observed_effects = effects(observed[:, :, None])[:, 0] + 0.0  # no −0
    for fraction in fractions:
        n_drawn = int(n_items * fraction)
        if n_drawn < 1:
            expected = f"expected at least {1 / n_items:.2g}"
            raise NbykError(f"{fraction} of {n_items} items is none; {expected}", argument="fraction")
        key = stream_key(seed, purpose="label bootstrap", n_items=n_items, n_drawn=n_drawn)
        items = KindStreams(key, scorer.kind_of, n_drawn)

        def drawn_effects(chunk: int, _: int, items: KindStreams = items) -> Floats:
            return effects(scorer.scores(items.draws(chunk)))

        (drawn,) = run_chunks(n_resamples, drawn_effects, threads=threads)
        comparisons = []
        for place, score in enumerate(chosen):
            score_a, score_b = rounded(observed[place]).tolist()
            effect = float(observed_effects[place])
            p = (_published_p if published else _recommended_p)(drawn[place], effect)
            comparisons.append(LabelComparison(score, score_a, score_b, effect, *p))
        yield LabelTest(tuple(comparisons), n_drawn, drawn)


def _recommended_p(drawn: Floats, effect: float) -> tuple[float, float]:
    p = p_values(effect, drawn[np.isfinite(drawn)] - effect)["greater"]
    return p.p, p.standard_error


def _published_p(drawn: Floats, effect: float) -> tuple[float, float]:
    p = int((drawn > 2.0 * effect).sum()) / len(drawn)
    return p, math.sqrt(p * (1.0 - p) / len(drawn))
