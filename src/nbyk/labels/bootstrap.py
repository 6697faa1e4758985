"""The paired bootstrap over label predictions: a test of whether system A is better than B on other items."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbyk.data.labels import HardLabels, SoftLabels, check_labels
from nbyk.errors import NbykError, UndefinedMetricError
from nbyk.labels.asked import AskedOfLabels
from nbyk.labels.claims import about_raters, items_claim, with_raters
from nbyk.labels.notes import drawn_flag, lacking_flag, warnings_on
from nbyk.labels.raters import RatedTargets, refuse_other_targets
from nbyk.labels.results import LabelComparison, LabelTest, Semantics, stars_of
from nbyk.labels.scores import check_pair, choose_scores
from nbyk.metrics.label_scores import LabelScore
from nbyk.resampling.streams import StreamKey, stream_key
from nbyk.testing.engine.draws import draw_chunks
from nbyk.testing.engine.item_draws import KindStreams
from nbyk.testing.engine.label_scores import LabelScorer, label_scorer, observed_scores
from nbyk.testing.engine.run_draws import Runs, run_counts
from nbyk.testing.intervals import percentile_interval
from nbyk.testing.pvalues import Alternative, PValue, p_values

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

_DECIMALS = 4


def label_scores(
    target: ArrayLike,
    prediction: ArrayLike | Sequence[ArrayLike],
    metric: str | Sequence[str] | None = None,
    *,
    labels: ArrayLike | None = None,
) -> dict[str, float]:
    """Return one system's scores by name, means over its runs; parameters and errors as `label_bootstrap`."""
    data = check_labels(target, {"prediction": prediction}, labels)
    chosen = choose_scores(metric, "hard" if isinstance(data, HardLabels) else "soft")
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
    names: tuple[str, str] = ("a", "b"),
    rated: RatedTargets | None = None,
    generalise: Sequence[str] | None = None,
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
    names
        The names of A and B in errors, warnings and the sentence.
    rated
        The ratings behind the targets (`nbyk.labels.rated_targets`), item by item.
    generalise
        The population of the first claim: "items", or "items" and "raters". By default both, if two raters or
        more rated several items each.

    Returns
    -------
    LabelTest

    Raises
    ------
    NbykError
        If the labels are bad (`check_labels`), a name is unknown, the fraction is outside (0, 1] or leaves no
        item, paired runs differ in number, there are no raters to generalise over, or the ratings give other
        targets.
    UndefinedMetricError
        If a score has no value, such as the correlation of constant entropies.

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
    asked = AskedOfLabels(
        semantics=semantics,
        fraction=(0.1 if published else 1.0) if fraction is None else fraction,
        runs=("concatenated" if published else "independent") if runs is None else runs,
        alternative=alternative or ("greater" if published else "two-sided"),
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        seed=seed,
        rated=rated,
        generalise=generalise,
    )
    data = check_pair(target, a, b, labels, names)
    if rated is not None:
        refuse_other_targets(rated, data)
    of_new_raters = asked.of_new_raters
    chosen = choose_scores(metric, "hard" if isinstance(data, HardLabels) else "soft")
    (runs_a, runs_b), n_items = data.runs, data.n_items
    if asked.runs in ("paired", "concatenated") and runs_a != runs_b:
        raise NbykError(
            f"{names[0]} has {runs_a}, {names[1]} has {runs_b}; {asked.runs} runs go in "
            "pairs: drop some, or take independent ones",
            argument="runs",
        )
    if asked.runs == "concatenated":
        data = _concatenated(data)
    n_drawn = int(data.n_items * asked.fraction)
    if n_drawn < 1:
        raise NbykError(
            f"{asked.fraction} of {data.n_items} items is none; expected at least {1 / data.n_items:.2g}",
            argument="fraction",
        )

    scorer = label_scorer(data, chosen, occurring=published)
    observed, lacking = observed_scores(scorer)
    _check_defined(chosen, observed, data.runs, names)
    key = stream_key(asked.seed, purpose="label bootstrap", n_items=data.n_items, n_drawn=n_drawn)
    items = KindStreams(key, scorer.kind_of, n_drawn)
    decimals = _DECIMALS if published and isinstance(data, HardLabels) else None
    n_a, n_b = data.runs
    plan = _Resamples(scorer, chosen, key, items, (n_a, n_b), asked.runs, decimals)
    drawn = draw_chunks(plan.effects, n_resamples, threads=threads)
    effects, drawn_lacking = np.split(drawn, 2)
    score_a, score_b = plan.means(observed, *(np.ones(count) for count in data.runs))
    warnings = [
        (*lacking_flag(row, data.runs, names), *drawn_flag(drawn_row, effect))
        for row, drawn_row, effect in zip(lacking, drawn_lacking, effects, strict=True)
    ]
    comparisons = tuple(
        _compared(chosen[m], score_a[m], score_b[m], effects[m], asked, (runs_a, runs_b), warnings[m])
        for m in range(len(chosen))
    )
    if of_new_raters:
        comparisons = with_raters(data, comparisons, effects, asked, share=n_drawn / data.n_items)
    classes = data.classes if isinstance(data, HardLabels) else tuple(range(data.target.shape[1]))
    return LabelTest(
        comparisons,
        classes,
        n_items=n_items,
        n_drawn=n_drawn,
        runs_a=runs_a,
        runs_b=runs_b,
        n_resamples=n_resamples,
        semantics=semantics,
        runs=asked.runs,
        seed=asked.seed,
        alternative=asked.alternative,
        confidence_level=confidence_level,
        names=names,
        warnings=(
            *warnings_on(data, chosen, (runs_a, runs_b), asked, names),
            *(() if rated is None else about_raters(rated, drawn=of_new_raters)),
        ),
        draws=effects,
    )


@dataclass(frozen=True)
class _Resamples:
    """Effects of resamples: the draws, their random streams, and the scores."""

    scorer: LabelScorer
    scores: tuple[LabelScore, ...]
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
    score: LabelScore,
    score_a: float,
    score_b: float,
    drawn: Floats,
    asked: AskedOfLabels,
    n_runs: tuple[int, ...],
    warnings: tuple[str, ...],
) -> LabelComparison:
    effect = score.sign * (score_a - score_b) + 0.0  # no −0
    if asked.published and score.needs == "hard":
        effect = round(effect, _DECIMALS)
    defined = drawn[np.isfinite(drawn)]
    if defined.size == 0:
        raise UndefinedMetricError(
            f"score {score.name!r} is undefined on every resample; choose another score"
        )
    interval = percentile_interval(defined, asked.confidence_level)
    if asked.published:
        p = _published_p(drawn, effect)
        if not drawn.any():
            warnings = (*warnings, "A and B score the same on every resample, so the strict p is 0")
    else:
        p = p_values(effect, defined - effect)
    claim = items_claim(float(effect), p, interval, asked, n_runs)
    return LabelComparison(
        score,
        float(score_a),
        float(score_b),
        float(effect),
        claim.p,
        claim.p_greater,
        None if asked.published else claim.p_two_sided,
        claim.standard_error,
        interval,
        stars_of(claim.p) if asked.published else "",
        warnings,
        (claim,),
    )


def _published_p(drawn: Floats, effect: float) -> dict[Alternative, PValue]:
    """Return BooStSa's p-value, which is one-sided; the others are NaN."""
    p = int((drawn > 2.0 * effect).sum()) / len(drawn)
    found = {side: PValue(math.nan, math.nan, side) for side in get_args(Alternative)}
    return {**found, "greater": PValue(p, float(np.sqrt(p * (1.0 - p) / len(drawn))), "greater")}


def _check_defined(
    scores: Sequence[LabelScore], observed: Floats, runs: Sequence[int], names: Sequence[str]
) -> None:
    owners = np.repeat(np.array(names), runs)
    for score, row in zip(scores, observed, strict=True):
        if not np.isfinite(row).all():
            owner = owners[~np.isfinite(row)][0]
            raise UndefinedMetricError(
                f"score {score.name!r} of {owner} is undefined: the entropies of its predictions or of the "
                "targets are all zero or all the same; choose other scores"
            )
