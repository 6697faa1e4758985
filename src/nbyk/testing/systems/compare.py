"""Which system is better: one function for two systems or more, whatever their responses are."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from nbyk.data.arrays import is_frame
from nbyk.data.intake import read_systems
from nbyk.data.kinds import refuse_options
from nbyk.data.response_set import ResponseSet
from nbyk.data.responses import as_systems
from nbyk.data.scales import GivenScale, as_scale
from nbyk.data.scores import TAKEN_AS_SCORES, are_scores
from nbyk.data.systems import Systems, chosen
from nbyk.data.votes import Votes
from nbyk.errors import NbykError, renaming
from nbyk.metrics import Metric
from nbyk.metrics.registry import kind_scored
from nbyk.resampling.effects import Progress, Threads
from nbyk.resampling.streams import as_seed
from nbyk.testing.corrections import Correction
from nbyk.testing.decision import N_RESAMPLES, Decision, at_each_look
from nbyk.testing.intervals import IntervalMethod
from nbyk.testing.pvalues import Alternative
from nbyk.testing.results import Board
from nbyk.testing.scores.compare_scores import RECOMMENDED, board_of_scores
from nbyk.testing.systems.asked import Asked
from nbyk.testing.systems.board import board_of
from nbyk.testing.systems.one_system import board_alone
from nbyk.testing.systems.scored import ScoredSystems
from nbyk.testing.systems.suite import Suite, board_of_suite
from nbyk.testing.systems.votes import board_of_votes
from nbyk.words import names_in_text

_UNUSED: Mapping[str, tuple[str, ...]] = {
    "these are votes between two outputs": (
        *("cluster", "metric", "kind", "classes", "scale", "null", "test", "tau", "interval", "pair_runs"),
        *("lower_is_better", "margin", "suite", "n_resamples", "max_resamples", "max_draws"),
        "decision_error",
    ),
    "these are scores of runs, without items": (
        *("cluster", "metric", "classes", "null", "interval", "generalise", "suite", "looks"),
        *("max_resamples", "max_draws", "decision_error"),
    ),
    "a suite, one system, or a score to compare with draws and pairs nothing": (
        *("null", "interval", "pair_runs", "n_resamples", "max_resamples", "max_draws", "decision_error"),
    ),
    "a suite has tasks in place of clusters, and no margin or paired runs": (
        "cluster",
        "margin",
        "pair_runs",
    ),
    "it is about scores of runs": ("test", "tau"),
    "one system without a score (`against`) is compared with nothing": ("alternative", "correction", "looks"),
}
"""The arguments of `compare` that mean nothing for some data, by what an error says of these."""

_OF_VOTES, _OF_SCORES, _BY_FORMULA, _OF_SUITE, _NOT_OF_SCORES, _OF_ONE = _UNUSED


def compare(
    gold: Any,
    a: Any = None,
    b: Any = None,
    *,
    cluster: Any = None,
    metric: str | Metric | None = None,
    kind: str | None = None,
    classes: Sequence[Any] | None = None,
    scale: GivenScale | None = None,
    only: Sequence[str] | None = None,
    against: str | float | None = None,
    correction: Correction | None = None,
    null: str = "swap_items",
    test: str | None = None,
    tau: float | None = None,
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    interval: IntervalMethod = "percentile",
    generalise: str | Sequence[str] | None = None,
    pair_runs: bool = False,
    lower_is_better: bool | None = None,
    margin: float | None = None,
    suite: Suite | None = None,
    judge: Votes | None = None,
    looks: int = 1,
    parts: bool = True,
    n_resamples: int | None = None,
    max_resamples: int = 999_999,
    max_draws: int = 30_000_000,
    decision_error: float = 1e-3,
    seed: Any = 0,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Board:
    """Return which of some systems is better, how sure this is, and how much better it is.

    Of one system it returns the score with its interval, and whether it is better than a score.

    Parameters
    ----------
    gold
        Gold responses to N items: an array (N,) or (N, K) with NaN where one is missing, lists that may
        differ in length, a pandas frame or series, or anything numpy can convert. None without gold, for a
        metric that needs none, such as "mean", and for scores of runs. Or what `nbyk.read_systems` returns,
        or a `ResponseSet`; these hold the systems, their clusters and their units. Or what
        `nbyk.read_votes` returns.
    a, b
        Responses of two systems, A and B, to the same items, in the same forms. Or as `a` alone two systems
        or more: a mapping from their names, which may hold one, or a list ("system 0" and so on). If a system
        has two columns or more, each is a run or a rater. Pandas objects are aligned by their index if all
        arguments are pandas objects. For scores of runs, the scores of each system.
    cluster
        The name of each item's cluster, shape (N,), such as the text that it asks about; None if items are
        drawn one by one. With clusters, the claim is over new clusters: whole clusters are swapped and
        bootstrapped.
    metric
        A metric's name, with its parameters if it has any, or a `Metric`. By default `mae`, or `mean` without
        gold; for classes `accuracy`, for distributions `cross_entropy`. With three systems or more it must
        score each system by itself.
    kind
        What the responses are: "numbers"; "classes", text or whole numbers; or "distributions", a row of
        probabilities per item, (N, C), or a list of such arrays, one per run (gold may be classes); or
        "scores", one per run of a system, higher is better. By default numbers, or classes if all are text,
        or what the metric needs if it scores no numbers, or scores if there is a `test`. Plain numbers, one
        after the other, are scores too if there is nothing beside them, such as gold, ids or a metric, and
        each system has 30 at most or another number (zeros and ones are answers to items).
    classes
        The classes, if gold lacks one, and lowest first if the metric goes by their order and they are no
        whole numbers; or the names of the columns of distributions. Numbers beside them are classes, too.
    scale
        The scale of numbers given as arrays, frames or lists: "1..5". Effects and scores are then in its
        unit, within it.
    only
        The names of the systems to compare, if not all; the first is A.
    against
        The name of a baseline, to compare every other system with it; by default all pairs are compared. Or a
        score: each system's own score is compared with it (`nbyk.testing.systems.one_system`).
    correction
        For the number of pairs: "holm" and "bonferroni" bound the chance of any wrong claim,
        "benjamini_hochberg" the expected share of wrong claims among those made; "none" tests each pair
        alone. By default Holm's; the bounds of Almost Stochastic Order can only use Bonferroni's.
    null
        The null hypothesis: "swap_items" or "shifted", that A and B are equally good over the population of
        items; "permutation", "pooled" or "pooled_twice", that they answer every item alike
        (`nbyk.resampling.samplers.NULLS`).
    test
        For scores of runs: "recommended", "permutation", "welch_t", "permutation_and_welch",
        "approximate_randomisation", "bootstrap", "paired_bootstrap", "wilcoxon", "mann_whitney" or "aso"
        (docs/tests.md).
    tau
        Almost Stochastic Order finds a system better if `eps_min` is below this, in (0, 1); by default 0.2.
    alternative
        "two-sided", "greater" (A is better; with a baseline, the others are) or "less". With three systems or
        more, the last two need a baseline.
    alpha
        The level α: the null is rejected where p ≤ α.
    confidence_level
        Nominal coverage of the intervals.
    interval
        The interval over items alone: "percentile", whose coverage is nearer to nominal for most metrics
        (docs/method.md), or "bca". Zeros and ones, and skewed means, have intervals of their own.
    generalise
        The population of the broadest claim: "items", and with it any of "clusters", "raters" and "runs". The
        claim is over new ones like those that the items share. None means items, their clusters, and every
        kind of shared units with two or more units. "items" means new items with these clusters, raters and
        runs. A list, or text such as "items,raters". Needs the null "swap_items" or "shifted".
    pair_runs
        Whether runs of A and B with one name are the same run, as runs of one seed may be. Without names, a
        column of A's and of B's array with one place are the same. Without gold, "runs" may be people who
        rated both. By default they are different ones, but people with the same ids are the same people. For
        scores: whether score i of every system is of the same run or item.
    lower_is_better
        Whether lower responses without gold, or lower scores, are better: the metric is then `mean_cost`.
        None means as `nbyk.read_systems` found.
    margin
        The largest difference that does not matter to you, above 0, in the unit of the effect: each pair
        is tested against it (`Claim.margin`), and each kind of p-value is corrected for the number of pairs.
        None asks no such question.
    suite
        The tasks of the items and their weights (`nbyk.testing.systems.suite`): a score is then the weighted
        mean of the tasks' scores, and "tasks" may be among what to generalise over. Tasks are given as
        `cluster` is, which must be left out; beside what `nbyk.read_systems` returns, in the order of its
        items, as its clusters are.
    judge
        Beside people's votes, a judge's on their prompts and others (`nbyk.testing.systems.votes`).
    looks
        How often you look as data come in, at about equal steps. Each look then has a lower α and a higher
        confidence level, so that all together keep what you ask for (`nbyk.testing.decision.at_each_look`).
    parts
        Whether to find where the variance of the effect comes from for a metric that jumps too, which takes
        longer, and how sure these parts are.
    n_resamples, max_resamples
        First and largest number of draws of the null. Draws grow fourfold until the decision at α is settled;
        the first look takes more if the smallest p could otherwise not reach α over the number of pairs. The
        bootstrap takes `n_resamples` draws. By default 9,999; a test of scores takes 10,000, and Almost
        Stochastic Order 1000.
    max_draws
        Most draws of all pairs together, beside `n_resamples` of each; as many are kept in memory. If they do
        not let the smallest p reach α over the number of pairs, as from about 35 systems on, an upper bound
        of p (Hoeffding 1963) stands for the p of clear pairs.
    decision_error
        Largest chance, over the random draws, that any settled decision differs from that of infinitely many.
    seed
        Seed of all draws, or a numpy Generator or SeedSequence that gives one; None for a new one.
    threads
        Number of threads, or a pool of them that other tasks use too; the numbers do not depend on it.
    progress
        Called with the number of draws just finished.

    Returns
    -------
    Board
        With two systems, it has the numbers of their pair: `p`, `interval`, `effect`, `verdict`, `claims`.

    Raises
    ------
    NbykError
        If the input is malformed, a name is unknown, an argument is out of range, the metric needs gold and
        there is none, or it is undefined on the data or under the null (such as a correlation of constants).
        With clusters: if there is only one, or the null draws items or responses one by one. With
        three systems or more: if the metric compares two systems, or `max_resamples` or `max_draws` is too
        small for the smallest p to reach α over the number of pairs.

    Notes
    -----
    "swap_items" swaps what the metric sees (`Metric.unchanged_by`): ranks for a rank correlation or an AUC,
    standardised responses for Pearson's correlation. There are 2^N arrangements, or 2^G of G clusters. If at
    most `n_resamples` differ from the observed one, all are computed, and p is exact. The draws depend only
    on the seed, on gold and on the number of items or clusters. So all metrics and systems see the same
    draws, and comparing B with A is the mirror image of comparing A with B. If items are of few kinds, as
    zeros and ones, and 128 or more to a kind, the draws are counts of the kinds: their distribution is the
    same, and metrics share them if they share the kinds. (Nulls and samplers that draw responses again depend
    on the responses too.) With three systems or more, all pairs draw until every
    corrected decision is certain (`nbyk.testing.family`).

    Examples
    --------
    >>> import nbyk
    >>> result = nbyk.compare(gold=[3, 1, 2, 5], a=[3, 1, 2, 4], b=[1, 4, 4, 1])
    >>> result.p, result.pair.drawn.exact
    (0.125, True)
    """
    words = dict(locals())
    for argument, given in (("gold", gold), ("a", a), ("b", b)):
        if isinstance(given, str | os.PathLike):
            raise NbykError(
                "found the path of a file, expected what is in it; read the files first, as in "
                'nbyk.compare(nbyk.read_systems(["a.csv", "b.csv"], gold="gold.csv"))',
                argument=argument,
            )
    if a is None and (isinstance(gold, Mapping) or is_frame(gold)):
        gold, a = None, gold
    if suite is not None and not isinstance(suite, Suite):
        raise NbykError(f"found {suite!r}, expected a nbyk.Suite", argument="suite")
    if gold is None and b is None and is_frame(a):
        if suite is not None:
            raise NbykError(
                "found a frame beside a suite; read it with the column of tasks first, as in systems = "
                'nbyk.read_systems(frame, cluster="task"), and give nbyk.Suite.of(systems.clusters)',
                argument="suite",
            )
        how = {"cluster": cluster, "classes": classes, "scale": scale, "only": only}
        read = read_systems(a, kind=kind if test is None else "scores", **how)  # type: ignore[arg-type]
        asked_of_read = {**words, **dict.fromkeys(("kind", *how))}
        board = compare(read, **{name: asked_of_read[name] for name in compare.__kwdefaults__ or {}})
        return replace(board, cautions=tuple(dict.fromkeys((*board.cautions, *read.notes))))
    if isinstance(generalise, str):
        generalise = names_in_text(generalise)
    bar = None if against is None or isinstance(against, str) else float(against)
    given = a if b is None else {"A": a, "B": b}
    asked_of_items = (gold, metric, cluster, classes, scale, generalise, suite, bar, kind, test)
    taken = null == "swap_items" and looks == 1 and all(asked is None for asked in asked_of_items)
    taken = taken and are_scores(given)
    is_read = isinstance(gold, Systems | ResponseSet)
    if taken or (test is not None and not is_read) or (isinstance(gold, Systems) and gold.kind == "scores"):
        kind = "scores"
    if kind == "scores" and given is None and not isinstance(gold, Systems | Votes):
        gold, given = None, gold
    alpha, confidence_level = at_each_look(alpha, confidence_level, looks, alternative)
    draws = N_RESAMPLES if n_resamples is None else n_resamples
    asked = Asked(
        Decision(alternative, alpha, draws, max_resamples, decision_error),
        null=null,
        confidence_level=confidence_level,
        generalise=generalise,
        pair_runs=pair_runs,
        interval=interval,
        looks=looks,
        correction=correction or "holm",
        against=None if bar is not None or against is None else str(against),
        margin=margin,
        max_draws=max_draws,
        seed=as_seed(seed),
        threads=threads,
        progress=progress,
    )
    if bar is not None and (kind == "scores" or isinstance(gold, Votes)):
        raise NbykError(
            f"found {bar:g} beside {'scores of runs' if kind == 'scores' else 'votes'}; name a baseline",
            argument="against",
        )
    if isinstance(gold, Votes):
        if given is not None:
            raise NbykError(f"{_OF_VOTES}; leave it out", argument="a")
        _refuse_unused(words, _OF_VOTES)
        if only is not None:
            gold = gold.among(tuple(chosen(dict.fromkeys(gold.models), only)))
        return board_of_votes(gold, asked, judge=judge)
    if judge is not None:
        raise NbykError("found a judge's votes, and no votes of people; give these first", argument="judge")
    if kind == "scores":
        _refuse_unused(words, _OF_SCORES)
    if lower_is_better is not None and metric is not None and kind != "scores":
        raise NbykError(
            f"found {lower_is_better} and a metric, which says what is better; give one of them",
            argument="lower_is_better",
        )
    if suite is not None:
        _refuse_unused(words, _OF_SUITE)
        cluster = None if is_read else suite.given
    with renaming({} if suite is None else {"cluster": "suite"}):
        systems = as_systems(
            gold,
            given,
            cluster=cluster,
            kind=kind,
            classes=classes,
            scale=as_scale(scale),
            scored=kind_scored(metric),
            by_cells=metric is None,
            paired=pair_runs,
        )
    if only is not None:
        systems = systems.among(only)
    if lower_is_better is not None:
        refuse_options(systems.kind, {"lower_is_better": lower_is_better}, has_gold=systems.gold is not None)
        systems = replace(systems, lower_is_better=lower_is_better)
    if systems.kind == "scores":
        question = replace(
            asked.question("mean score"),
            test=test or RECOMMENDED,
            correction=correction or "",
            tau=tau,
            direction="lower" if systems.lower_is_better else "higher",
        )
        return board_of_scores(
            systems,
            question,
            n_resamples=n_resamples,
            threads=threads if isinstance(threads, int) else 1,
            progress=progress,
            margin=margin,
            notes=[TAKEN_AS_SCORES] if taken else [],
        )
    _refuse_unused(words, _NOT_OF_SCORES)
    scored = ScoredSystems.of(systems, metric)
    if suite is not None or bar is not None or len(scored.names) == 1:
        _refuse_unused(words, _BY_FORMULA)
    if len(scored.names) == 1 and bar is None:
        _refuse_unused(words, _OF_ONE)
    if suite is not None:
        if systems.clusters is not None:
            if not is_read:
                suite = suite.in_order(systems.clusters)
            both = {*zip(systems.clusters, suite.of_items.tolist(), strict=False)}
            if len(both) > min(len(suite.names), len({*systems.clusters})):
                raise NbykError(
                    "found clusters that are not the tasks; read the data without them", argument="cluster"
                )
            scored = replace(scored, clusters=None)
        return board_of_suite(scored, suite, asked, bar=bar)
    if bar is not None or (len(scored.names) == 1 and asked.against is None):
        return board_alone(scored, asked, bar=bar)
    return board_of(scored, asked, with_parts=parts)


def _refuse_unused(words: Mapping[str, Any], why: str) -> None:
    """Raise NbykError if an argument was given that means nothing here."""
    for name in _UNUSED[why]:
        usual = (compare.__kwdefaults__ or {})[name]
        if words[name] is not None and (usual is None or words[name] != usual):
            raise NbykError(f"{why}; leave it out", argument=name)
