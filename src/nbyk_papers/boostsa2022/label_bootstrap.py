"""BooStSa's test: the paired bootstrap over label predictions, as published and as recommended.

`nbyk.compare` answers questions about labels; this is for the study of the paper.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.resampling.effects import run_chunks
from nbyk.resampling.streams import stream_key
from nbyk.testing.engine.item_draws import KindStreams
from nbyk.testing.pvalues import p_values
from nbyk_papers.boostsa2022.label_scorer import Labels, label_scorer, observed_scores, scores_of

Floats: TypeAlias = NDArray[np.float64]
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

    All scores see the same resamples. The numbers do not depend on `threads`. A larger `n_resamples`
    continues the same resamples. Exchanging A and B mirrors the effects.

    Parameters
    ----------
    target, a, b : ndarray, shape (N,) or (N, C)
        Targets and predictions of the treatment A and of the control B: hard labels, classes from 0, or soft
        labels, rows of probabilities.
    scores
        Names of the metrics that score the labels.
    n_classes
        Classes C of hard labels; by default those up to the largest of the targets.
    semantics
        "recommended": p = (1 + #{d* ≥ 2d})/(1 + M) of the effects d* of M resamples and the observed d, ties
        included. "published": BooStSa's #{d* > 2d}/M, scores of hard labels rounded to four decimals, and
        macro averages over the classes that occur in a resample; for distances it uses the sign that BooStSa
        intends but does not apply.
    fraction
        Number of items that a resample draws, as a share f of all in (0, 1].
    n_resamples, seed
        Resamples M, and their seed.

    Notes
    -----
    Under "recommended", the distribution of d* − d over resamples approximates the effect's sampling
    distribution under the null (Berg-Kirkpatrick et al. 2012). This needs f = 1: at smaller f, the spread of
    d* is 1/√f times as wide, and the test hardly ever rejects.
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
        of_a, of_b = rounded(scored[:, 0]), rounded(scored[:, 1])
        return rounded(signs * (of_a - of_b))

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
