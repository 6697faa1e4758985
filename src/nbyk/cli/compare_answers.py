"""The answer of `nbyk compare`: for two systems, or for a leaderboard of three or more."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from nbyk.cli.pilot import holds_two_systems
from nbyk.cli.terminal import error_in_options
from nbyk.errors import NbykError, renaming
from nbyk.lineage import without
from nbyk.progress import stage
from nbyk.provenance import present
from nbyk.words import Planning, listed, number_in, percent

if TYPE_CHECKING:
    from nbyk.data import Systems
    from nbyk.data.votes import Votes
    from nbyk.report.answer import Answer, AnswerTable
    from nbyk.report.comparison.answer import Extras
    from nbyk.testing.results import Board, Pair, Question
    from nbyk.testing.systems.suite import Suite


class Compared(NamedTuple):
    """The answer about systems, the board by each metric, the systems in their order, and unfinished logs."""

    answer: Answer
    boards: Sequence[Board]
    names: Sequence[str]
    incomplete: Sequence[str] = ()


@dataclass(frozen=True)
class Following:
    """The words of a command line that go on in the next command.

    `files` has that of each system by its name, and is empty if one file holds several; `table` is the only
    file of two systems, whose column of raters is `rater`. `options` are those that `nbyk plan` takes too,
    and `is_plan` says whether it asks the same without the others.
    """

    files: Mapping[str, str]
    options: Sequence[str]
    gold: str | None
    table: str | None = None
    rater: str | None = None
    is_plan: bool = True

    def after(self, boards: Sequence[Board], systems: Systems) -> tuple[str, str]:
        """Return what to do after an answer, and the command for it; "" for none."""
        from nbyk.testing.corrections import n_corrected_for

        journal, board = present(), boards[0]
        if journal is None:
            return "", ""
        for name in {doubt.system for doubt in systems.doubts} & {*self.files}:
            return f"if {name} is gold", _with_gold(journal.question, self.files[name])
        pair, is_only = board.open_pair, len(board.pairs) == 1
        if pair is not None:
            if pair.margin is not None and pair.effect < 0.0 and board.question.against is None:
                turned = _asking(journal.question, "--against", pair.a)
                return f"asks whether {pair.b} is good enough", turned
            if is_only and pair.is_behind:
                return _about_other(journal.question, pair)
            if systems.kind == "numbers" and pair.margin is None and pair.effect != 0.0:
                has_pair = self.table is not None and holds_two_systems(Path(self.table), self.rater)
                if self.is_plan and ({pair.a, pair.b} <= {*self.files} or has_pair):
                    n_pairs = n_corrected_for(board.question.correction, len(board.pairs))
                    return "what would settle it", Planning(self._plan(pair, board.question.alpha / n_pairs))
                has_number = pair.claims[0].advice and pair.claims[0].enough != "items"
                if is_only and not has_number and "--full" not in journal.question:
                    return "what would settle it", f"{journal.question} --full"
        if journal.question != journal.command:  # --out has written them
            return "", ""
        return "figures and all numbers", f"{journal.question} --out report"

    def _plan(self, pair: Pair, alpha: float) -> str:
        claim, question = pair.claims[0], pair.question
        people = "raters" in claim.over or ("raters" in pair.sample.units and self.gold is None)
        runs = "runs" if any(of.startswith("runs") for of in claim.over) else ""
        solve = claim.enough or ("raters" if people else runs)
        words = ["nbyk", "plan", *([] if self.gold is None else ["--pilot", self.gold])]
        files = [self.files[name] for name in (pair.a, pair.b)] if self.table is None else []
        words += ["--pilot", self.table] if self.table else ["--pilot-systems", *files]
        words += ["--scale", question.scale or "0..1", "--metric", question.metric, *self.options]
        words += ["--solve", solve, "--effect", f"{abs(pair.claims[-1].effect):.6g}"] if solve else []
        return shlex.join([*words, *_level_and_side(question, alpha), "--power", "0.8"])


def _level_and_side(question: Question, alpha: float) -> list[str]:
    """Return the options of `nbyk plan` for the level and the side of a test."""
    level = [] if alpha == 0.05 else ["--alpha", f"{alpha:.6g}"]
    return level + ([] if question.alternative == "two-sided" else ["--alternative", "greater"])


def _with_gold(question: str, file: str) -> str:
    """Return a command with the file of a system as gold; what was gold is then a system."""
    words = [word for word in shlex.split(question) if word != file and not word.endswith(f"={file}")]
    words = [word.removeprefix("--gold=") for word in words if word != "--gold"]
    return shlex.join([*words, "--gold", file])


def _about_other(question: str, pair: Pair) -> tuple[str, str]:
    """Return what a command asks about the other system of a pair, which looks better, and that command."""
    if pair.question.alternative == "greater":
        return f"asks whether {pair.b} is better", _asking(question, "--against", pair.a)
    return f"asks whether {pair.a} is better", _asking(question, "--alternative", "greater")


def _asking(question: str, option: str, value: str) -> str:
    """Return a command with another value of an option."""
    return shlex.join([*without(shlex.split(question), option), option, value])


def compared(
    data: Systems | Votes,
    asked: Mapping[str, Any],
    metrics: Sequence[str | None] = (None,),
    following: Following | None = None,
    *,
    full: bool = False,
    lift: tuple[float | None, float | None] = (None, None),
) -> Compared:
    """Return what systems' responses or scores, or votes, show, by each metric.

    `asked` are arguments of `nbyk.compare`. For scores, `lift` is a factor, or a shift, by which a system is
    better whose power is found, too.
    """
    from nbyk.data.votes import Votes
    from nbyk.report.comparison.answer import comparison_answer, scores_would_settle
    from nbyk.report.comparison.sentences import p_in_words, verdict_line
    from nbyk.testing.systems.compare import compare

    suite = asked["suite"]
    if isinstance(data, Votes):
        board = compare(data, **asked)
        counts = {"n_votes": data.n_votes, "n_prompts": data.n_prompts, "n_voters": len(data.voter_names)}
        return Compared(
            comparison_answer({board.question.metric: board}, details=counts), [board], data.models
        )
    by_name: dict[str, Board] = {}
    for name in metrics:
        by = "" if name is None else f" on {data.n_items} items by {name}"
        with stage(f"comparing {listed(data.names)}{by}"):
            board = compare(data, metric=name, parts=not by_name, **asked)
        by_name[name or board.question.metric] = board
    boards = list(by_name.values())
    after = ("", "") if following is None else following.after(boards, data)
    more: dict[str, Any] = {"following": after}
    first = boards[0].pairs[0]
    if data.kind == "scores":
        more |= _of_scores(data, boards[0], *lift)
        if (
            len(boards[0].pairs) == 1
            and first.shown == "undecided"
            and first.margin is None
            and not first.is_behind
        ):
            settles = scores_would_settle(first)
            more["following"] = (settles, "") if settles else after
    elif suite is not None or isinstance(asked["against"], float) or len(data.names) == 1:
        more = {"tables": list(_tables(data, by_name, suite))}
    else:
        if first.is_behind:
            with stage(f"comparing {listed(data.names)} two-sided"):
                pair = compare(data, metric=metrics[0], **{**asked, "alternative": "two-sided"}).pairs[0]
            if pair.better is not None:
                more["lines"] = [
                    f"Tested two-sided, {verdict_line(pair)} ({p_in_words(pair, pair.claims[0])})."
                ]
        if len(data.names) == 2:
            more["extras"] = _extras(data, by_name, asked, full=full)
    return Compared(comparison_answer(by_name, data, **more), boards, data.names, data.incomplete)


def _of_scores(data: Systems, board: Board, factor: float | None, shift: float | None) -> dict[str, Any]:
    """Return further parts of an answer about scores: their power to notice a lift, and a caution."""
    import pandas as pd

    from nbyk.report.answer import AnswerTable
    from nbyk.testing.corrections import n_corrected_for
    from nbyk.testing.scores.power_analysis import comparison_power

    more: dict[str, Any] = {"notes": [], "details": {"power": {}}}
    if data.paired and not data.items:
        said = "the scores are paired by their order in the files, which have no ids to check it by"
        more["notes"].append(said)
    by = factor if shift is None else shift
    if by is None:
        return more
    with renaming({"lift_is=shift": "shift", "lift": "lift" if shift is None else "shift"}):
        powers = comparison_power(board, lift=by, lift_is="factor" if shift is None else "shift")
    rows = [
        {"system": name, "scores": p.n_scores, "power": p.power, "low": p.low, "high": p.high}
        for name, p in powers.items()
    ]
    caption = "Bootstrap power analysis; low to high is the 95 % interval"
    said = ", ".join(
        f"{p.power:.2g} with {p.n_scores} scores like those of {name}" for name, p in powers.items()
    )
    n_pairs = n_corrected_for(board.question.correction, len(board.pairs))
    corrected = f", corrected for {n_pairs} pairs," if n_pairs > 1 else ""
    lift = f"a factor of {by:g}" if shift is None else f"{by:g}"
    line = (
        f"The power of the test{corrected} to show that a system is better by {lift} is {said}; 0.8 is usual."
    )
    return more | {
        "tables": [AnswerTable("power", caption, pd.DataFrame(rows))],
        "lines": [line],
        "details": {"power": {name: vars(power) for name, power in powers.items()}},
    }


def _tables(systems: Systems, boards: Mapping[str, Board], suite: Suite | None) -> Iterator[AnswerTable]:
    """Yield the tables of the tasks of a suite, or that of intervals of one system which hold at once."""
    import pandas as pd

    from nbyk.report.answer import AnswerTable
    from nbyk.report.comparison.answer import file_stem
    from nbyk.testing.corrections import times_of_least
    from nbyk.testing.systems.one_system import band
    from nbyk.testing.systems.scored import ScoredSystems
    from nbyk.testing.systems.suite import task_table

    scored = [ScoredSystems.of(systems, name) for name in boards]
    if suite is not None:
        for place, ((name, board), of_metric) in enumerate(zip(boards.items(), scored, strict=True)):
            pair = board.pairs[0]
            if pair.b in systems.names:
                n, corrected = len(suite.names), board.question.correction
                caption = f"{pair.a} over {pair.b} by task; the corrected p counts the {n} tasks"
                caption += ", and so do the intervals" if times_of_least(corrected, n) > 1 else ""
                yield AnswerTable(
                    file_stem("tasks", name, place), caption, task_table(of_metric, suite, board)
                )
        return
    passes = all(of.metric.takes_trials and of.metric.unit_power == 0 for of in scored)
    if passes and len(boards) > 1 and len(systems.names) == 1:
        level = percent(next(iter(boards.values())).question.confidence_level)
        rows = [
            {"metric": name, "score": board.standings[0].score, "low": low, "high": high}
            for (name, board), (low, high) in zip(
                boards.items(), band(list(boards.values()), scored), strict=True
            )
        ]
        yield AnswerTable("band", f"A {level} band: all scores lie in it at once", pd.DataFrame(rows))


def compared_by_judge(
    people: Sequence[str],
    judge: Path,
    reading: Mapping[str, Any],
    asked: Mapping[str, Any],
    options: Sequence[str],
    *,
    is_plan: bool,
    gate: bool,
) -> Compared:
    """Return what people and a judge show; `options` and `is_plan` are those of `Following`."""
    from nbyk.data.judged import read_judged
    from nbyk.report.comparison.judged import judged_answer
    from nbyk.testing.judged.board import compare_judged

    if len(people) != 1:
        raise NbykError(
            f"found {listed(people) or 'no file'}; expected one table of people's ratings, "
            "with a column of systems if there are several"
        )
    data = read_judged(people[0], judge, **reading)
    against = baseline(asked["against"], data.systems, gate=gate)
    judged, following = compare_judged(data, **{**asked, "against": against}), ("", "")
    board = judged.board
    is_open = len(board.pairs) == 1 and board.pair.shown == "undecided" and not board.pair.is_behind
    effect = abs(board.pair.claims[-1].effect) if is_open and board.pair.b else 0.0
    if is_plan and effect > 0.0:
        words = ["nbyk", "plan", "--pilot", people[0], "--judge", str(judge), *options]
        words += ["--solve", "raters", "--effect", f"{effect:.6g}"]
        words += [*_level_and_side(board.question, board.question.alpha), "--power", "0.8"]
        following = "what would settle it", shlex.join(words)
    return Compared(judged_answer(judged, data, following), [board], data.systems)


def baseline(against: str | None, names: Sequence[str], *, gate: bool) -> str | float | None:
    """Return the baseline, or the score to compare with, if `against` is a number and no system's name.

    Raises
    ------
    NbykError
        If a gate on one system has no score, or one on three systems or more no baseline.
    """
    if against is not None and against not in names:
        score = number_in(against)
        return against if score is None else score
    if len(names) == 1 and gate:
        raise NbykError(
            "--gate with one system needs a score that it should be better than; give it with --against, as "
            "in --against 0.8"
        )
    if gate and len(names) > 2 and against is None:
        raise NbykError(
            f"--gate with {len(names)} systems needs a baseline to be better than; name it with --against, "
            f"as in --against {names[-1]}"
        )
    return against


def needs_pairs(test: str | None, pair_runs: str | None) -> bool | None:
    """Return whether scores are to be paired: True, False, or None if their ids decide it."""
    from nbyk.testing.scores.facts import FACTS

    if test in FACTS and FACTS[test].paired:
        if pair_runs == "no":
            raise NbykError(f"--test {test} needs paired scores, and --pair-runs no says that they are not")
        return True
    return None if pair_runs is None else pair_runs == "yes"


def _extras(data: Systems, boards: Mapping[str, Board], asked: Mapping[str, Any], *, full: bool) -> Extras:
    """Return what is found about two systems beside their comparison.

    A finding that these data do not allow is left out, with the reason.
    """
    from nbyk.report.comparison.answer import Extras
    from nbyk.testing.systems.variance import variance_shares

    if data.kind != "numbers":
        why = f"--full is for numbers, and these are {data.kind}"
        return Extras(left_out=(why,) if full else ())
    name, board = next(iter(boards.items()))
    pair, question, left_out = board.pair, board.question, list[str]()
    both = data.pair(pair.a, pair.b)
    test: dict[str, Any] = {
        "null": asked["null"],
        "alternative": question.alternative,
        "alpha": question.alpha,
        "confidence_level": question.confidence_level,
        "seed": asked["seed"],
    }

    def look(what: str, at: Callable[..., Any], total: int | None = None) -> Any:
        try:
            with stage(what, total) as advance:
                return at() if total is None else at(progress=advance)
        except NbykError as error:
            left_out.append(f"{what}: not known here, {error_in_options(error)}")
            return None

    shares = {
        metric: look(
            f"variance of {metric}", partial(variance_shares, both, metric=metric, seed=asked["seed"])
        )
        for metric, of_metric in boards.items()
        if not of_metric.pair.claims[0].parts
    }
    shares = {metric: of for metric, of in shares.items() if of is not None}
    if not full:
        return Extras(shares, left_out=tuple(left_out))

    from nbyk.planning.settle import NULLS, settle
    from nbyk.testing.systems.sensitivity import n_draws_in_all, sensitivity

    metrics = None if both.has_gold else tuple(boards)  # which side is better is said, not tried
    by_all = partial(sensitivity, both, metrics=metrics, threads=asked["threads"], **test)
    by_choice = look("sensitivity", by_all, n_draws_in_all())
    would, items = None, pair.claims[-1]
    is_open = pair.shown_of(items) == "undecided" and not pair.is_behind
    if is_open and asked["null"] in NULLS:
        how = {"scale": data.scale, "pair_runs": asked["pair_runs"], "threads": asked["threads"]}
        would = look(f"what would settle {name}", partial(settle, both, metric=name, **how, **test))
    return Extras(shares, by_choice, would, tuple(left_out))
