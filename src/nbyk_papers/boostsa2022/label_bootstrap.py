"""BooStSa's test: the paired bootstrap over label predictions, as published and as recommended.

`nbyk.compare` answers questions about labels; this is for the study of the paper.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbyk.errors import NbykError, UndefinedMetricError, unknown_name
from nbyk.metrics import Metric, get
from nbyk.resampling.streams import StreamKey, as_seed, stream_key
from nbyk.testing.decision import check_draws
from nbyk.testing.engine.draws import draw_chunks
from nbyk.testing.intervals import check_confidence_level, percentile_interval
from nbyk.testing.pvalues import Alternative, PValue, check_alternative, p_values
from nbyk_papers.boostsa2022.label_scorer import KindStreams, LabelScorer, label_scorer, observed_scores
from nbyk_papers.boostsa2022.labels import HardLabels, SoftLabels, check_labels
from nbyk_papers.boostsa2022.run_draws import Runs, run_counts

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Labels: TypeAlias = ArrayLike | Sequence[ArrayLike]
Semantics: TypeAlias = Literal["recommended", "published"]

Kind: TypeAlias = Literal["hard", "soft"]

DEFAULTS: dict[Kind, tuple[str, ...]] = {
    "hard": ("accuracy", "precision_macro", "recall_macro", "f1_macro"),
    "soft": ("cross_entropy", "js_divergence", "js_distance", "entropy_similarity", "entropy_correlation"),
}
_DECIMALS = 4
_NAMES = ("a", "b")


def stars_of(p: float) -> str:
    """Return BooStSa's mark of a p-value."""
    return "**" if p < 0.01 else "*" if p < 0.05 else "!" if p > 0.95 else ""


@dataclass(frozen=True)
class LabelComparison:
    """One score of two systems, and whether A's is better.

    Attributes
    ----------
    score
        The score.
    score_a, score_b
        The systems' scores, means over their runs; on the score's own scale.
    effect
        How much better A is: A's score minus B's, or B's minus A's if lower is better.
    p, p_greater, p_two_sided
        p-values of the chosen alternative, of "A is better", and of both; the last is None under published
        semantics.
    standard_error
        Monte-Carlo standard error of `p`.
    interval
        Percentile interval of the effect.
    stars
        BooStSa's mark, "**", "*", "!" or "", under published semantics; else "".
    """

    score: Metric
    score_a: float
    score_b: float
    effect: float
    p: float
    p_greater: float
    p_two_sided: float | None
    standard_error: float
    interval: tuple[float, float]
    stars: str


@dataclass(frozen=True)
class LabelTest:
    """Two systems compared by scores on the same resamples.

    Attributes
    ----------
    comparisons
        One per score, in the requested order.
    n_items, n_drawn
        Items N, and the number of them (or, concatenated, of their runs) that each resample draws.
    runs
        The resampling of runs.
    draws : ndarray, shape (scores, M)
        The effects of the resamples; NaN where undefined.
    """

    comparisons: tuple[LabelComparison, ...]
    n_items: int
    n_drawn: int
    runs: Runs
    draws: Floats = field(repr=False, compare=False)

    def __getitem__(self, name: str) -> LabelComparison:
        """Return the comparison by the score called `name`."""
        for comparison in self.comparisons:
            if comparison.score.name == name:
                return comparison
        raise unknown_name("score", name, [comparison.score.name for comparison in self.comparisons])


def choose_scores(metric: str | Sequence[str] | None, kind: Kind) -> tuple[Metric, ...]:
    """Return the scores named, or the default ones for labels of a kind."""
    named = DEFAULTS[kind] if metric is None else (metric,) if isinstance(metric, str) else tuple(metric)
    chosen = tuple(get(name, "classes" if kind == "hard" else "distributions") for name in named)
    if kind == "hard" and (soft := [score.name for score in chosen if score.needs == "distributions"]):
        raise NbykError(f"found {', '.join(soft)}, which need soft labels", argument="metric")
    if not chosen or len({score.name for score in chosen}) < len(chosen):
        raise NbykError(f"found {list(named)}; expected at least one, and each once", argument="metric")
    return chosen


def _kind_of(data: HardLabels | SoftLabels) -> Kind:
    return "hard" if isinstance(data, HardLabels) else "soft"


def label_scores(
    target: ArrayLike,
    prediction: ArrayLike | Sequence[ArrayLike],
    metric: str | Sequence[str] | None = None,
    *,
    labels: ArrayLike | None = None,
) -> dict[str, float]:
    """Return one system's scores by name, means over its runs; parameters and errors as `label_bootstrap`."""
    data = check_labels(target, {"prediction": prediction}, labels)
    chosen = choose_scores(metric, _kind_of(data))
    found, _ = observed_scores(label_scorer(data, chosen))
    _check_defined(chosen, found, data.runs, ("prediction",))
    return {score.name: float(value) for score, value in zip(chosen, found.mean(axis=1), strict=True)}


def label_bootstrap(
    target: ArrayLike,
    a: ArrayLike | Sequence[ArrayLike],
    b: ArrayLike | Sequence[ArrayLike],
    metric: str | Sequence[str] | None = None,
    *,
    labels: ArrayLike | None = None,
    semantics: Semantics = "recommended",
    fraction: float | None = None,
    runs: Runs | None = None,
    alternative: Alternative | None = None,
    n_resamples: int = 10_000,
    confidence_level: float = 0.95,
    seed: Any = 0,
    threads: int = 1,
) -> LabelTest:
    """Test whether system A labels better than system B, by a paired bootstrap over items.

    All scores see the same resamples. The numbers depend only on the arguments, and not on `threads`. A
    larger `n_resamples` continues the same resamples. If A and B have one run each, exchanging them mirrors
    the numbers. Other names or another order of the classes change nothing. Another order of the items draws
    other resamples.

    Parameters
    ----------
    target : array_like, shape (N,) or (N, C)
        Hard labels, whole numbers or text, or soft labels, rows of probabilities over C classes.
    a, b : array_like of the target's shape, or a sequence of such, one per run
        Predictions of the treatment A and of the control B; a score of several runs is their mean.
    metric
        The metric or metrics that score the labels, by name (`nbyk metrics` lists them); by default BooStSa's
        four for the kind of labels, and for soft labels also the Jensen–Shannon divergence.
    labels
        The classes of hard labels, if the targets do not have all of them.
    semantics
        "recommended": p = (1 + #{d* ≥ 2d})/(1 + M) of the effects d* of M resamples and the observed d, ties
        included. "published": BooStSa's #{d* > 2d}/M, scores of hard labels rounded to four decimals, macro
        averages over the classes that occur in a resample, and its stars; for distances it uses the sign that
        BooStSa intends but does not apply.
    fraction
        Number of items that a resample draws, as a share f of all in (0, 1]; by default 1, or published 0.1.
    runs
        "independent" (recommended): a resample draws items, and runs of A and of B. "paired": run j of A goes
        with run j of B, because they share a seed or a fold, and both are drawn together. "fixed": only items
        are drawn, so that p is about these runs and not about new ones. "concatenated" (published): runs are
        appended as if each had other items.
    alternative
        "two-sided" (recommended), "greater" (A is better; published semantics have no other) or "less".
    n_resamples
        Resamples M.
    confidence_level
        Coverage of the percentile intervals.
    seed
        Seed of the resamples.
    threads
        Threads to use; the numbers do not depend on it.

    Returns
    -------
    LabelTest

    Notes
    -----
    Under "recommended", the distribution of d* − d over resamples approximates the effect's sampling
    distribution under the null (Berg-Kirkpatrick et al. 2012). This needs f = 1: at smaller f, the spread of
    d* is 1/√f times as wide, and the test hardly ever rejects.

    Items and runs are crossed: a drawn run predicts every drawn item. From R runs, R − 1 are drawn, so that
    the mean over runs has the right variance. The effects of a run on single items count up to three times
    (Owen 2007). So the test is conservative if runs differ mainly on single items, not as wholes. With one
    run per system, only items are resampled, and the p-value does not include variation over runs.
    """
    published = semantics == "published"
    fraction = (0.1 if published else 1.0) if fraction is None else fraction
    runs = ("concatenated" if published else "independent") if runs is None else runs
    alternative = alternative or ("greater" if published else "two-sided")
    _check_options(semantics, runs, alternative, fraction)
    check_confidence_level(confidence_level)
    check_draws(n_resamples)
    data = check_labels(target, dict(zip(_NAMES, (a, b), strict=True)), labels)
    chosen = choose_scores(metric, _kind_of(data))
    (runs_a, runs_b), n_items = data.runs, data.n_items
    if runs in ("paired", "concatenated") and runs_a != runs_b:
        raise NbykError(
            f"a has {runs_a}, b has {runs_b}; {runs} runs go in pairs: drop some, or take independent ones",
            argument="runs",
        )
    if runs == "concatenated":
        data = _concatenated(data)
    n_drawn = int(data.n_items * fraction)
    if n_drawn < 1:
        raise NbykError(
            f"{fraction} of {data.n_items} items is none; expected at least {1 / data.n_items:.2g}",
            argument="fraction",
        )

    scorer = label_scorer(data, chosen, occurring=published)
    observed, _ = observed_scores(scorer)
    _check_defined(chosen, observed, data.runs, _NAMES)
    key = stream_key(as_seed(seed), purpose="label bootstrap", n_items=data.n_items, n_drawn=n_drawn)
    items = KindStreams(key, scorer.kind_of, n_drawn)
    decimals = _DECIMALS if published and isinstance(data, HardLabels) else None
    n_a, n_b = data.runs
    plan = _Resamples(scorer, chosen, key, items, (n_a, n_b), runs, decimals)
    drawn = draw_chunks(plan.effects, n_resamples, threads=threads)
    effects, _ = np.split(drawn, 2)
    score_a, score_b = plan.means(observed, *(np.ones(count) for count in data.runs))
    comparisons = tuple(
        _compared(score, of_a, of_b, drawn_effects, semantics, alternative, confidence_level)
        for score, of_a, of_b, drawn_effects in zip(chosen, score_a, score_b, effects, strict=True)
    )
    return LabelTest(comparisons, n_items, n_drawn, runs, effects)


def _check_options(semantics: str, runs: str, alternative: str, fraction: float) -> None:
    if semantics not in get_args(Semantics):
        raise unknown_name("semantics", semantics, get_args(Semantics))
    if runs not in get_args(Runs):
        raise unknown_name("way to resample runs", runs, get_args(Runs))
    if semantics == "published" and runs != "concatenated":
        raise NbykError(f"found {runs!r}; published semantics concatenate runs", argument="runs")
    check_alternative(alternative)
    if semantics == "published" and alternative != "greater":
        raise NbykError(f"found {alternative!r}; published semantics are one-sided", argument="alternative")
    if not 0.0 < fraction <= 1.0:
        raise NbykError(f"found {fraction}; expected a share of the items in (0, 1]", argument="fraction")


@dataclass(frozen=True)
class _Resamples:
    """Effects of resamples: the draws, their random streams, and the scores."""

    scorer: LabelScorer
    scores: tuple[Metric, ...]
    key: StreamKey
    items: KindStreams
    n_runs: tuple[int, int]
    runs: Runs
    decimals: int | None

    def effects(self, chunk: int) -> Floats:
        """Return the effects of a chunk, shape (scores, 64), then the numbers of classes that they lacked."""
        found, lacking = self.scorer.scores(self.items.draws(chunk))
        score_a, score_b = self.means(found, *run_counts(self.key, self.n_runs, self.runs, chunk))
        signs = np.array([score.sign for score in self.scores])[:, np.newaxis]
        return np.concatenate([self.rounded(signs * (score_a - score_b)), lacking.sum(axis=1)])

    def means(self, found: Floats, runs_a: NDArray[Any], runs_b: NDArray[Any]) -> tuple[Floats, Floats]:
        """Return the systems' mean scores over runs, which count `runs_a` and `runs_b` times."""
        split = self.n_runs[0]
        score_a, score_b = (
            (of_runs * times).sum(axis=1) / times.sum(axis=0)
            for of_runs, times in ((found[:, :split], runs_a), (found[:, split:], runs_b))
        )
        return self.rounded(score_a), self.rounded(score_b)

    def rounded(self, values: Floats) -> Floats:
        """Return values as BooStSa does: to four decimals for hard labels."""
        return values if self.decimals is None else np.round(values, self.decimals)


def _concatenated(data: HardLabels | SoftLabels) -> HardLabels | SoftLabels:
    """Return the labels as one run per system; its items are the items of all runs, run after run."""
    n_runs = data.runs[0]
    target = np.concatenate([data.target] * n_runs)
    if isinstance(data, HardLabels):
        return HardLabels(data.classes, target, data.predictions.reshape(2, -1), (1, 1))
    return SoftLabels(target, data.predictions.reshape(2, -1, target.shape[1]), (1, 1))


def _compared(
    score: Metric,
    score_a: float,
    score_b: float,
    drawn: Floats,
    semantics: Semantics,
    alternative: Alternative,
    confidence_level: float,
) -> LabelComparison:
    published = semantics == "published"
    effect = float(score.sign * (score_a - score_b)) + 0.0  # no −0
    if published and score.needs == "classes":
        effect = round(effect, _DECIMALS)
    defined = drawn[np.isfinite(drawn)]
    if defined.size == 0:
        raise UndefinedMetricError(
            f"score {score.name!r} is undefined on every resample; choose another score"
        )
    p = _published_p(drawn, effect) if published else p_values(effect, defined - effect)
    chosen = p[alternative]
    return LabelComparison(
        score,
        float(score_a),
        float(score_b),
        effect,
        chosen.p,
        p["greater"].p,
        None if published else p["two-sided"].p,
        chosen.standard_error,
        percentile_interval(defined, confidence_level),
        stars_of(chosen.p) if published else "",
    )


def _published_p(drawn: Floats, effect: float) -> dict[Alternative, PValue]:
    """Return BooStSa's p-value, which is one-sided; the others are NaN."""
    p = int((drawn > 2.0 * effect).sum()) / len(drawn)
    found = {side: PValue(math.nan, math.nan, side) for side in get_args(Alternative)}
    return {**found, "greater": PValue(p, float(np.sqrt(p * (1.0 - p) / len(drawn))), "greater")}


def _check_defined(
    scores: Sequence[Metric], observed: Floats, runs: Sequence[int], names: Sequence[str]
) -> None:
    owners = np.repeat(np.array(names), runs)
    for score, row in zip(scores, observed, strict=True):
        if not np.isfinite(row).all():
            owner = owners[~np.isfinite(row)][0]
            raise UndefinedMetricError(
                f"score {score.name!r} of {owner} is undefined: the entropies of its predictions or of the "
                "targets are all zero or all the same; choose other scores"
            )
