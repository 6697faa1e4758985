"""The answer of `nbyk compare`: for two systems, or for a leaderboard of three or more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from nbyk.cli.gates import Shown, all_better, by_margin, reason_of, reserve_of_margins
from nbyk.cli.terminal import error_in_options
from nbyk.errors import NbykError
from nbyk.progress import stage

if TYPE_CHECKING:
    from nbyk.data import Systems
    from nbyk.report.answer import Answer
    from nbyk.report.comparison.pair_answer import PairFindings
    from nbyk.resampling.effects import Threads
    from nbyk.testing.family import Hypotheses
    from nbyk.testing.intervals import IntervalMethod
    from nbyk.testing.systems.asked import Asked
    from nbyk.testing.systems.result import ComparisonResult

T = TypeVar("T")

FULL = (
    "the verdict may depend on the metric, the null and the sampler; --full tests by all of them, and finds "
    "the size that would settle it"
)
"""The last caution about two systems, unless --full was given."""


@dataclass(frozen=True)
class CompareRequest:
    """How to compare: what is asked of each pair, the tests of all pairs together, and other options."""

    metrics: tuple[str, ...]
    asked: Asked
    family: Hypotheses
    against: str | None
    margin: float | None
    interval: IntervalMethod
    full: bool


def answer_of(systems: Systems, request: CompareRequest) -> tuple[Answer, Shown]:
    """Return the answer about two systems or more, and whether the first is the better one."""
    return (_pair if len(systems.names) == 2 else _board)(systems, request)


def _pair(systems: Systems, request: CompareRequest) -> tuple[Answer, Shown]:
    """Return the answer of two systems, and whether A is the better one by every metric."""
    from nbyk.report.comparison.pair_answer import PairFindings, pair_answer
    from nbyk.testing.systems.compare import compare_metrics

    a, b = systems.names
    if request.against == a:
        a, b = b, a
    with stage(f"comparing {a} with {b} on {systems.n_items} items"):
        results = compare_metrics(
            systems.pair(a, b), request.metrics, request.asked, _margins(systems, request)
        )
    paired = request.asked.pair_runs
    found = PairFindings(a, b, systems, results, request.interval, pair_runs=paired)
    found = _with_extras(found, request)
    if request.margin is not None:
        within = by_margin((result.verdict == "A", result.margins[0]) for result in results.values())
        reserve = reserve_of_margins((a, b, result.margins[0]) for result in results.values())
        return pair_answer(found), Shown(a, b, within, reserve, request.margin)
    better = all_better(
        (result.verdict == "A", _is_settled(result) or _is_behind(result)) for result in results.values()
    )
    return pair_answer(found), Shown(a, b, better, reason_of((a, b, result) for result in results.values()))


def _is_settled(result: ComparisonResult) -> bool:
    """Return whether the decision is certain, could have been another, and holds without reserve."""
    return result.decided and result.could_reject and not result.is_reserved(result.claims[0])


def _is_behind(result: ComparisonResult) -> bool:
    """Return whether A is not ahead, so that no number of draws shows it to be better."""
    return result.claims[0].is_conclusive and result.could_reject and result.effect <= 0.0


def _margins(systems: Systems, request: CompareRequest) -> dict[str, float]:
    """Return the margin in the unit of each metric's effect; none if none was given."""
    from nbyk.metrics.registry import named

    if request.margin is None:
        return {}
    return {
        name: request.margin / named(name, systems.kind).effect_unit(systems.scale)
        for name in request.metrics
    }


def _board(systems: Systems, request: CompareRequest) -> tuple[Answer, Shown]:
    """Return the answer of three systems or more, and whether the first is better than the baseline."""
    from nbyk.report.comparison.board_answer import board_answer
    from nbyk.testing.systems.leaderboard import ScoredSystems
    from nbyk.testing.systems.systems import leaderboard

    boards, margins = {}, _margins(systems, request)
    for name in request.metrics:
        with stage(f"comparing {len(systems.names)} systems on {systems.n_items} items by {name}"):
            scored = ScoredSystems.of(systems, None, name)
            boards[name] = leaderboard(
                scored, request.asked, request.family, against=request.against, margin=margins.get(name)
            )
    first = next(name for name in systems.names if name != request.against)
    of_first = [[pair for pair in board.pairs if pair.a == first] for board in boards.values()]
    answer = board_answer(boards, systems)
    if request.margin is not None:
        within = by_margin((pair.verdict == first, pair.margin) for pairs in of_first for pair in pairs)
        reserve = reserve_of_margins((pair.a, pair.b, pair.margin) for pairs in of_first for pair in pairs)
        return answer, Shown(first, request.against, within, reserve, request.margin)
    better = all_better(
        (
            any(pair.verdict == first for pair in pairs),
            all((pair.decided and _is_settled(pair.result)) or _is_behind(pair.result) for pair in pairs),
        )
        for pairs in of_first
    )
    reason = reason_of((pair.a, pair.b, pair.result) for pairs in of_first for pair in pairs)
    return answer, Shown(first, request.against, better, reason)


def _with_extras(found: PairFindings, request: CompareRequest) -> PairFindings:
    """Return the findings about two systems with further ones.

    A finding that these data do not allow is left out, with the reason.
    """
    from nbyk.testing.systems.variance import variance_shares

    data, results = found.systems.pair(found.a, found.b), found.results
    left_out: list[str] = []
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
        for name, result in results.items()
        if is_of_numbers and not result.claims[0].parts
    }
    found = replace(found, shares={name: of for name, of in shares.items() if of is not None})
    if not request.full or not is_of_numbers:
        if request.full:
            left_out.append(f"--full is for numbers, and these are {found.systems.kind}")
        return replace(found, left_out=(*left_out, *([FULL] if is_of_numbers else [])))

    from nbyk.planning.settle import NULLS, settle
    from nbyk.testing.systems.sensitivity import n_draws_in_all, sensitivity

    name, result = next(iter(results.items()))
    is_open = not result.claims[-1].p <= result.alpha and null in NULLS
    settling = partial(
        settle, data, metric=name, scale=found.systems.scale, pair_runs=request.asked.pair_runs, **test
    )
    with _beside(settling if is_open else None, request.asked.threads) as (settled, threads):
        by_all = partial(sensitivity, data, threads=threads, **test)
        by_choice = look("sensitivity", by_all, n_draws_in_all())
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
