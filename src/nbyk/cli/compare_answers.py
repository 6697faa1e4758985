"""The answer of `nbyk compare`: for two systems, or for a leaderboard of three or more."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from nbyk.cli.gates import Shown, all_better, by_margin, reason_of, reserve_of_margins
from nbyk.cli.terminal import error_in_options
from nbyk.errors import NbykError, renaming
from nbyk.progress import progress, stage
from nbyk.provenance import present
from nbyk.words import listed

if TYPE_CHECKING:
    from nbyk.data import Systems
    from nbyk.data.votes import Votes
    from nbyk.report.answer import Answer
    from nbyk.report.comparison.pair_answer import Findings
    from nbyk.resampling.effects import Threads
    from nbyk.testing.corrections import Correction
    from nbyk.testing.family import Hypotheses
    from nbyk.testing.pvalues import Alternative
    from nbyk.testing.results import Board, Pair
    from nbyk.testing.systems.asked import Asked
    from nbyk.testing.systems.suite import Suite

T = TypeVar("T")

_MANY_DRAWS = 200_000
"""The progress of draws of scores is shown if there are more than this."""


@dataclass(frozen=True)
class CompareRequest:
    """How to compare: what is asked of each pair, the tests of all pairs together, and other options."""

    metrics: tuple[str, ...]
    asked: Asked
    family: Hypotheses
    against: str | None
    margin: float | None
    full: bool
    following: Following
    bar: float | None = None
    suite: Suite | None = None
    new_tasks: bool = False


@dataclass(frozen=True)
class Following:
    """The words of a command line that go on in the next command.

    Attributes
    ----------
    files
        The file of each system by its name; empty if one file holds several.
    options
        The options that `nbyk plan` takes too, with their values.
    gold
        The file of gold; None without.
    """

    files: Mapping[str, str]
    options: tuple[str, ...]
    gold: str | None

    def after(self, boards: Sequence[Board], *, of_numbers: bool) -> tuple[str, str]:
        """Return what to do after an answer, and the command for it; "" for none."""
        journal = present()
        if journal is None:
            return "", ""
        board = boards[0]
        first = [standing.name for standing in board.standings if standing.rank_low == 1]
        pair = next(
            (pair for pair in board.pairs if pair.shown == "undecided" and {pair.a, pair.b} <= {*first}), None
        )
        if pair is None and len(board.pairs) == 1 and board.pairs[0].shown == "undecided":
            (pair,) = board.pairs
        if (
            pair is not None
            and pair.margin is not None
            and pair.effect < 0.0
            and board.question.against is None
        ):
            return (
                f"asks whether {pair.b} is good enough",
                f"{journal.question} --against {shlex.quote(pair.a)}",
            )
        is_open = of_numbers and pair is not None and pair.margin is None and pair.effect != 0.0
        if is_open and pair is not None and {pair.a, pair.b} <= {*self.files}:
            return "what would settle it", self._plan(pair)
        is_told = len(board.pairs) == 1 and bool(board.pairs[0].claims[0].advice)
        if is_open and len(board.pairs) == 1 and not is_told and "--full" not in journal.question:
            return "what would settle it", f"{journal.question} --full"
        if journal.question != journal.command:  # --out wrote them
            return "", ""
        return "figures and all numbers", f"{journal.question} --out report"

    def _plan(self, pair: Pair) -> str:
        """Return the command that plans with a pair as the pilot."""
        claim, question = pair.claims[0], pair.question
        people = "raters" in claim.over or ("raters" in pair.sample.units and self.gold is None)
        runs = "runs" if any(of.startswith("runs") for of in claim.over) else ""
        solve = claim.enough or ("raters" if people else runs)
        words = ["nbyk", "plan", *([] if self.gold is None else ["--pilot", self.gold])]
        words += ["--pilot-systems", *(self.files[name] for name in (pair.a, pair.b))]
        words += ["--scale", question.scale or "0..1", "--metric", question.metric, *self.options]
        words += ["--solve", solve, "--effect", f"{abs(pair.claims[-1].effect):.6g}"] if solve else []
        return shlex.join([*words, "--power", "0.8"])


@dataclass(frozen=True)
class ScoresRequest:
    """How to compare scores of runs; the fields are those of `nbyk.compare`, and the lift of a power."""

    test: str
    against: str | None
    alternative: Alternative
    alpha: float
    confidence_level: float
    tau: float
    correction: Correction | None
    n_resamples: int | None
    lift: float | None
    shift: float | None
    seed: int
    threads: int


def answer_of(systems: Systems, request: CompareRequest) -> tuple[Answer, Shown]:
    """Return the answer about two systems or more, and whether the first is the better one."""
    from nbyk.report.comparison.board_answer import board_answer
    from nbyk.report.comparison.pair_answer import Findings, pair_answer
    from nbyk.testing.systems.board import board_of
    from nbyk.testing.systems.scored import ScoredSystems

    boards = {}
    if request.bar is not None or request.suite is not None or len(systems.names) == 1:
        return _answer_by_formula(systems, request)
    for place, name in enumerate(request.metrics):
        with stage(f"comparing {listed(systems.names)} on {systems.n_items} items by {name}"):
            boards[name] = board_of(
                ScoredSystems.of(systems, None, name),
                request.asked,
                request.family,
                against=request.against,
                margin=request.margin,
                with_parts=place == 0,
            )
    shown = shown_of(list(boards.values()), systems.names, request.margin)
    following = request.following.after(list(boards.values()), of_numbers=systems.kind == "numbers")
    if len(systems.names) > 2:
        return board_answer(boards, systems, following=following), shown
    found = Findings(systems, boards)
    return pair_answer(_with_extras(found, request), following=following), shown


def _answer_by_formula(systems: Systems, request: CompareRequest) -> tuple[Answer, Shown]:
    """Return the answer about systems by themselves or on a suite, and whether the first is the better."""
    from nbyk.report.answer import AnswerTable
    from nbyk.report.comparison.board_answer import band_table, board_answer
    from nbyk.report.comparison.pair_answer import file_stem
    from nbyk.testing.systems.one_system import band, board_alone
    from nbyk.testing.systems.scored import ScoredSystems
    from nbyk.testing.systems.suite import board_of_suite, task_table

    asked, suite, tables = request.asked, request.suite, []
    told: dict[str, Any] = {"bar": request.bar, "correction": request.family.correction}
    scored = {name: ScoredSystems.of(systems, None, name) for name in request.metrics}
    boards = {}
    for place, (name, of_metric) in enumerate(scored.items()):
        if suite is None:
            boards[name] = board_alone(of_metric, asked, margin=request.margin, **told)
            continue
        board = board_of_suite(
            of_metric, suite, asked, new_tasks=request.new_tasks, against=request.against, **told
        )
        boards[name] = board
        if board.question.against is None and len(systems.names) > 1:
            pair = board.pairs[0]
            caption = f"{pair.a} over {pair.b} by task; the corrected p counts the {len(suite.names)} tasks"
            of_tasks = task_table(of_metric, suite, board, asked.decision.alternative)
            tables.append(AnswerTable(file_stem("tasks", name, place), caption, of_tasks))
    passes = all(of.metric.of_trials and of.metric.unit_power == 0 for of in scored.values())
    if passes and len(boards) > 1 and len(systems.names) == 1 and suite is None:
        ends = band(list(boards.values()), list(scored.values()), asked)
        tables.append(band_table(boards, ends))
    return board_answer(boards, systems, tables=tables), shown_of(
        list(boards.values()), systems.names, request.margin
    )


def answer_of_votes(votes: Votes, request: CompareRequest, judge: Votes | None) -> tuple[Answer, Shown]:
    """Return the answer about the models of votes, and whether the first is the better one."""
    from nbyk.report.comparison.board_answer import board_answer
    from nbyk.testing.systems.votes import board_of_votes

    told: dict[str, Any] = {"against": request.against, "correction": request.family.correction}
    board = board_of_votes(votes, request.asked, judge=judge, **told)
    details = {"n_votes": votes.n_votes, "n_prompts": votes.n_prompts, "n_voters": len(votes.voter_names)}
    return board_answer({board.question.metric: board}, details=details), shown_of(
        [board], votes.models, None
    )


def needs_pairs(test: str | None, pair_runs: str | None) -> bool | None:
    """Return whether scores are to be paired: True, False, or None if their ids decide it."""
    from nbyk.testing.scores.facts import FACTS

    if test in FACTS and FACTS[test].paired:
        if pair_runs == "no":
            raise NbykError(f"--test {test} needs paired scores, and --pair-runs no says that they are not")
        return True
    return None if pair_runs is None else pair_runs == "yes"


def answer_of_scores(read: Systems, request: ScoresRequest, files: Mapping[str, Any]) -> tuple[Answer, Shown]:
    """Return the answer about systems' scores of runs, and whether the first is the better one.

    Parameters
    ----------
    read, request
        The scores, and how to compare them.
    files
        The files of the scores by the systems' names.
    """
    from nbyk.report.comparison.score_answer import scores_answer
    from nbyk.testing.scores.compare_scores import (
        N_ASO_RESAMPLES,
        N_RESAMPLES,
        board_of_scores,
        chosen_test,
        least_scores,
    )
    from nbyk.testing.scores.facts import ASO
    from nbyk.testing.scores.power_analysis import Lift, check_power_of, comparison_power

    test, scores = request.test, read.responses
    if request.lift is not None and request.shift is not None:
        raise NbykError("found --lift and --shift, expected one of them; drop one")
    for name, sample in scores.items():
        if len(sample) < least_scores(test):
            raise NbykError(
                f"found 1 score, expected at least {least_scores(test)} for {test}, which "
                "needs to know how scores vary: give the scores of more runs",
                file=files.get(name),
                name="" if name in files else name,
            )
    lift_is: Lift = "factor" if request.shift is None else "shift"
    by = request.lift if request.shift is None else request.shift
    if by is not None and read.lower_is_better:
        raise NbykError("--lift and --shift raise scores, and here lower ones are better; leave them out")
    if by is not None:
        with renaming({"lift_is=shift": "shift", "lift": "lift" if request.shift is None else "shift"}):
            check_power_of(chosen_test(test, scores, paired=read.paired)[0], scores, by, lift_is)
    n_draws = request.n_resamples or (N_ASO_RESAMPLES if test == ASO else N_RESAMPLES)
    n_pairs = len(scores) - 1 if request.against else len(scores) * (len(scores) - 1) // 2
    many = n_draws * n_pairs > _MANY_DRAWS
    with progress("draws", n_draws * n_pairs) if many else nullcontext() as advance:
        board = board_of_scores(
            scores,
            test=test,
            paired=read.paired,
            against=request.against,
            alternative=request.alternative,
            alpha=request.alpha,
            confidence_level=request.confidence_level,
            tau=request.tau,
            correction=request.correction,
            n_resamples=request.n_resamples,
            seed=request.seed,
            threads=request.threads,
            progress=advance,
            lower_is_better=read.lower_is_better,
        )
    powers = None if by is None else comparison_power(board, lift=by, lift_is=lift_is)
    lift = "" if by is None else f"a factor of {by:g}" if lift_is == "factor" else f"{by:g}"
    notes = list(read.notes)
    notes += [
        f"{count} items of {place} were dropped: another system lacks them"
        for place, count in read.dropped.items()
    ]
    if read.paired and not read.items:
        notes.append("the scores are paired by their order in the files, which have no ids to check it by")
    answer = scores_answer(board, powers=powers, lift=lift, notes=notes)
    return answer, replace(shown_of([board], read.names, None), draws="--resamples")


def shown_of(boards: Sequence[Board], names: Sequence[str], margin: float | None) -> Shown:
    """Return what the gate asks and finds: whether the first system is the better one by every metric."""
    first = next(name for name in names if name != boards[0].question.against)
    pairs = [pair for board in boards for pair in board.pairs if pair.a == first]
    b = pairs[0].b
    if margin is not None:
        within = by_margin((pair.verdict == "better", pair.margin) for pair in pairs)
        return Shown(first, b, within, reserve_of_margins(pairs), margin)
    better = all_better((pair.verdict == "better", _is_settled(pair) or _is_behind(pair)) for pair in pairs)
    return Shown(first, b, better, reason_of(pairs))


def _is_settled(pair: Pair) -> bool:
    """Return whether the decision is certain, could have been another, and holds without reserve."""
    return pair.decided and pair.could_reject and not pair.reserve


def _is_behind(pair: Pair) -> bool:
    """Return whether A is not ahead, so that no number of draws shows it to be better."""
    by_means = pair.claims[0].order is None
    return pair.claims[0].is_conclusive and pair.could_reject and by_means and pair.effect <= 0.0


def _with_extras(found: Findings, request: CompareRequest) -> Findings:
    """Return the findings about two systems with further ones.

    A finding that these data do not allow is left out, with the reason.
    """
    from nbyk.testing.systems.variance import variance_shares

    names = found.first.a, found.first.b
    data, left_out = found.systems.pair(*names), list[str]()
    decision, null, seed = request.asked.decision, request.asked.null, request.asked.seed
    test: dict[str, Any] = {
        "null": null,
        "alternative": decision.alternative,
        "alpha": decision.alpha,
        "confidence_level": request.asked.confidence_level,
        "seed": seed,
    }

    def look(what: str, at: Callable[..., Any], total: int | None = None) -> Any:
        try:
            with stage(what, total) as advance:
                return at() if total is None else at(progress=advance)
        except NbykError as error:
            left_out.append(f"{what}: not known here, {error_in_options(error)}")
            return None

    is_of_numbers = found.systems.kind == "numbers"
    shares = {
        name: look(f"variance of {name}", partial(variance_shares, data, metric=name, seed=seed))
        for name, pair in found.pairs.items()
        if is_of_numbers and not pair.claims[0].parts
    }
    found = replace(found, shares={name: of for name, of in shares.items() if of is not None})
    if not request.full or not is_of_numbers:
        if request.full:
            left_out.append(f"--full is for numbers, and these are {found.systems.kind}")
        return replace(found, left_out=tuple(left_out))

    from nbyk.metrics.registry import named
    from nbyk.planning.settle import NULLS, settle
    from nbyk.testing.systems.sensitivity import n_draws_in_all, sensitivity

    name, pair = next(iter(found.pairs.items()))
    open_ = pair.claims[-1].shown(pair.claims[-1].p, decision.alpha) == "undecided"
    settling = partial(
        settle, data, metric=name, scale=found.systems.scale, pair_runs=request.asked.pair_runs, **test
    )
    is_open = open_ and null in NULLS
    with _beside(settling if is_open else None, request.asked.threads) as (settled, threads):
        metrics = None if data.has_gold else tuple(found.pairs)  # which side is better is said, not tried
        by_all = partial(sensitivity, data, metrics=metrics, threads=threads, **test)
        by_choice = look("sensitivity", by_all, n_draws_in_all())
        if by_choice is not None:  # on the scale from 0 to 1, as no scale was given
            units = [named(of.metric, "numbers").effect_unit(found.systems.scale) for of in by_choice.effects]
            effects = [of.times(unit) for of, unit in zip(by_choice.effects, units, strict=True)]
            by_choice = replace(by_choice, effects=tuple(effects))
        would = None if settled is None else look(f"what would settle {name}", settled)
    return replace(found, sensitivity=by_choice, settlement=would, left_out=tuple(left_out))


@contextmanager
def _beside(
    task: Callable[..., T] | None, threads: Threads
) -> Iterator[tuple[Callable[[], T] | None, Threads]]:
    """Run a task, if there is one, beside the block; both draw with the same threads.

    With a single thread, the task runs when its result is asked for.

    Yields
    ------
    result
        A function that waits for the task and returns its result.
    threads
        The threads for the block to draw with.
    """
    if task is None or isinstance(threads, ThreadPoolExecutor) or threads == 1:
        yield None if task is None else partial(task, threads=threads), threads
        return
    drawing, waiting = ThreadPoolExecutor(threads), ThreadPoolExecutor(1)
    try:
        yield waiting.submit(copy_context().run, partial(task, threads=drawing)).result, drawing
    finally:
        # After a signal nothing waits for the task: the process ends.
        for pool in (waiting, drawing):
            pool.shutdown(wait=False, cancel_futures=True)
