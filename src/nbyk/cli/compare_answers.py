"""The answer of `nbyk compare`: for two systems, or for a leaderboard of three or more."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from nbyk.cli.pilot import holds_two_systems
from nbyk.cli.terminal import error_in_options
from nbyk.errors import NbykError, renaming
from nbyk.progress import progress, stage
from nbyk.provenance import present
from nbyk.words import listed, number_of

if TYPE_CHECKING:
    from nbyk.data import Systems
    from nbyk.data.votes import Votes
    from nbyk.report.answer import Answer, AnswerTable
    from nbyk.report.comparison.pair_answer import Findings
    from nbyk.testing.results import Board, Pair
    from nbyk.testing.systems.suite import Suite

_MANY_DRAWS = 200_000
"""The progress of draws of scores is shown if there are more than this."""


class Compared(NamedTuple):
    """The answer about systems, the board by each metric, the systems in their order, and unfinished logs."""

    answer: Answer
    boards: Sequence[Board]
    names: Sequence[str]
    incomplete: Sequence[str] = ()


def all_numbers() -> tuple[str, str]:
    """Return what the command with --out gives, and that command; "" for both if --out wrote it."""
    journal = present()
    if journal is None or journal.question != journal.command:
        return "", ""
    return "figures and all numbers", f"{journal.question} --out report"


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
    table, rater
        The only file of two systems, and the column of raters; None if there are more files.
    """

    files: Mapping[str, str]
    options: tuple[str, ...]
    gold: str | None
    table: str | None = None
    rater: str | None = None

    def after(self, boards: Sequence[Board], systems: Systems) -> tuple[str, str]:
        """Return what to do after an answer, and the command for it; "" for none."""
        journal, of_numbers = present(), systems.kind == "numbers"
        if journal is None:
            return "", ""
        for name in {*systems.like_gold} & {*self.files}:
            return f"if {name} is gold", _with_gold(journal.question, self.files[name])
        board = boards[0]
        first = [standing.name for standing in board.standings if standing.rank_low == 1]
        leading = (pair for pair in board.pairs if {pair.a, pair.b} <= {*first} and not pair.is_behind)
        pair = next((pair for pair in leading if pair.shown == "undecided"), None)
        if pair is None and len(board.pairs) == 1 and board.pairs[0].shown == "undecided":
            (pair,) = board.pairs
        if (
            pair is not None
            and pair.margin is not None
            and pair.effect < 0.0
            and board.question.against is None
        ):
            return f"asks whether {pair.b} is good enough", _turned(journal.question, pair)
        if pair is not None and len(board.pairs) == 1 and pair.is_behind:
            return _about_other(journal.question, pair)
        is_open = of_numbers and pair is not None and pair.margin is None and pair.effect != 0.0
        if is_open and pair is not None and ({pair.a, pair.b} <= {*self.files} or self._is_pilot()):
            return "what would settle it", self._plan(pair)
        is_told = len(board.pairs) == 1 and bool(board.pairs[0].claims[0].advice)
        if is_open and len(board.pairs) == 1 and not is_told and "--full" not in journal.question:
            return "what would settle it", f"{journal.question} --full"
        return all_numbers()

    def _is_pilot(self) -> bool:
        """Return whether `nbyk plan` takes the only file as a pilot; it is read again only if asked."""
        return self.table is not None and holds_two_systems(Path(self.table), self.rater)

    def _plan(self, pair: Pair) -> str:
        """Return the command that plans with a pair as the pilot."""
        claim, question = pair.claims[0], pair.question
        people = "raters" in claim.over or ("raters" in pair.sample.units and self.gold is None)
        runs = "runs" if any(of.startswith("runs") for of in claim.over) else ""
        solve = claim.enough or ("raters" if people else runs)
        words = ["nbyk", "plan", *([] if self.gold is None else ["--pilot", self.gold])]
        files = [self.files[name] for name in (pair.a, pair.b)] if self.table is None else []
        words += ["--pilot", self.table] if self.table else ["--pilot-systems", *files]
        words += ["--scale", question.scale or "0..1", "--metric", question.metric, *self.options]
        words += ["--solve", solve, "--effect", f"{abs(pair.claims[-1].effect):.6g}"] if solve else []
        return shlex.join([*words, "--power", "0.8"])


def _with_gold(question: str, file: str) -> str:
    """Return a command with the file of a system as gold; what was gold is then a system."""
    words = [word for word in shlex.split(question) if word != file and not word.endswith(f"={file}")]
    words = [word.removeprefix("--gold=") for word in words if word != "--gold"]
    return shlex.join([*words, "--gold", file])


def _about_other(question: str, pair: Pair) -> tuple[str, str]:
    """Return what a command asks about the other system of a pair, which looks better, and that command."""
    if pair.question.alternative == "greater":
        return f"asks whether {pair.b} is better", _turned(question, pair)
    command = re.sub(r"(--alternative[ =])less\b", r"\1greater", question)
    return f"asks whether {pair.a} is better", command


def _turned(question: str, pair: Pair) -> str:
    """Return a command with A as the baseline of B."""
    words = shlex.split(question)
    if "--against" in words:
        place = words.index("--against")
        del words[place : place + 2]
    words = [word for word in words if not word.startswith("--against=")]
    return shlex.join([*words, "--against", pair.a])


def compared_items(
    systems: Systems, metrics: Sequence[str], asked: Mapping[str, Any], following: Following, *, full: bool
) -> Compared:
    """Return what responses to items show, by each metric; `asked` are arguments of `nbyk.compare`."""
    from nbyk.report.comparison.board_answer import board_answer
    from nbyk.report.comparison.pair_answer import Findings, pair_answer
    from nbyk.report.comparison.sentences import p_in_words, verdict_line
    from nbyk.testing.systems.compare import compare

    names = systems.names
    by_name: dict[str, Board] = {}
    for name in metrics:
        with stage(f"comparing {listed(names)} on {systems.n_items} items by {name}"):
            by_name[name] = compare(systems, metric=name, parts=not by_name, **asked)
    boards = list(by_name.values())
    if asked["suite"] is not None or isinstance(asked["against"], float) or len(names) == 1:
        answer = board_answer(by_name, systems, tables=list(_tables(systems, by_name, asked["suite"])))
        return Compared(answer, boards, names, systems.incomplete)
    after = following.after(boards, systems)
    lines = []
    if boards[0].pairs[0].is_behind:
        with stage(f"comparing {listed(names)} two-sided"):
            pair = compare(systems, metric=metrics[0], **{**asked, "alternative": "two-sided"}).pairs[0]
        if pair.better is not None:
            lines = [f"Tested two-sided, {verdict_line(pair)} ({p_in_words(pair, pair.claims[0])})."]
    if len(names) > 2:
        answer = board_answer(by_name, systems, following=after, lines=lines)
    else:
        findings = _with_extras(Findings(systems, by_name), asked, full=full)
        answer = pair_answer(findings, following=after, lines=lines)
    return Compared(answer, boards, names, systems.incomplete)


def _tables(systems: Systems, boards: Mapping[str, Board], suite: Suite | None) -> Iterator[AnswerTable]:
    """Yield the tables of the tasks of a suite, or that of intervals of one system which hold at once."""
    from nbyk.report.answer import AnswerTable
    from nbyk.report.comparison.board_answer import band_table, file_stem
    from nbyk.testing.systems.one_system import band
    from nbyk.testing.systems.scored import ScoredSystems
    from nbyk.testing.systems.suite import task_table

    scored = [ScoredSystems.of(systems, None, name) for name in boards]
    if suite is not None:
        for place, ((name, board), of_metric) in enumerate(zip(boards.items(), scored, strict=True)):
            if board.question.against is None and len(systems.names) > 1:
                pair = board.pairs[0]
                caption = (
                    f"{pair.a} over {pair.b} by task; the corrected p counts the {len(suite.names)} tasks"
                )
                yield AnswerTable(
                    file_stem("tasks", name, place), caption, task_table(of_metric, suite, board)
                )
        return
    passes = all(of.metric.takes_trials and of.metric.unit_power == 0 for of in scored)
    if passes and len(boards) > 1 and len(systems.names) == 1:
        yield band_table(boards, band(list(boards.values()), scored))


def compared_votes(votes: Votes, asked: Mapping[str, Any], judge: Votes | None) -> Compared:
    """Return what votes between two outputs show."""
    from nbyk.report.comparison.board_answer import board_answer
    from nbyk.testing.systems.compare import compare

    board = compare(votes, judge=judge, **asked)
    details = {"n_votes": votes.n_votes, "n_prompts": votes.n_prompts, "n_voters": len(votes.voter_names)}
    return Compared(board_answer({board.question.metric: board}, details=details), [board], votes.models)


def compared_by_judge(
    people: Sequence[str],
    judge: Path,
    reading: Mapping[str, Any],
    asked: Mapping[str, Any],
    options: Sequence[str],
) -> Compared:
    """Return what people and a judge show; `options` go to the next command too."""
    from nbyk.data.judged import read_judged
    from nbyk.report.comparison.judged import judged_answer
    from nbyk.testing.judged.board import compare_judged

    if len(people) != 1:
        raise NbykError(
            f"found {listed(people) or 'no file'}; expected one table of people's ratings, "
            "with a column of systems if there are several"
        )
    data = read_judged(people[0], judge, **reading)
    comparison = compare_judged(data, **asked)
    answer, board = judged_answer(comparison, data), comparison.board
    planned = reading["system"] is None and reading["judges"] is None  # `nbyk plan` has no such options
    if planned and len(board.names) == 2 and board.pair.shown == "undecided" and answer.head is not None:
        effect = abs(comparison.differences[0].claims[-1].effect)
        words = ["nbyk", "plan", "--pilot", people[0], "--judge", str(judge), *options]
        words += ["--solve", "raters", "--effect", f"{effect:.6g}", "--power", "0.8"]
        head = replace(answer.head, next="what would settle it", command=shlex.join(words))
        answer = replace(answer, head=head)
    return Compared(answer, [board], board.names)


def needs_pairs(test: str | None, pair_runs: str | None) -> bool | None:
    """Return whether scores are to be paired: True, False, or None if their ids decide it."""
    from nbyk.testing.scores.facts import FACTS

    if test in FACTS and FACTS[test].paired:
        if pair_runs == "no":
            raise NbykError(f"--test {test} needs paired scores, and --pair-runs no says that they are not")
        return True
    return None if pair_runs is None else pair_runs == "yes"


def compared_scores(
    read: Systems,
    asked: Mapping[str, Any],
    factor: float | None,
    shift: float | None,
    files: Mapping[str, Any],
) -> Compared:
    """Return what systems' scores of runs show, and the power to notice a lift by a factor or a shift."""
    from nbyk.report.comparison.board_answer import scores_answer
    from nbyk.testing.scores.compare_scores import N_ASO_RESAMPLES, N_RESAMPLES, chosen_test, least_scores
    from nbyk.testing.scores.facts import ASO
    from nbyk.testing.scores.power_analysis import Lift, check_power_of, comparison_power
    from nbyk.testing.systems.compare import compare

    test, scores = asked["test"], read.responses
    if factor is not None and shift is not None:
        raise NbykError("found --lift and --shift, expected one of them; drop one")
    for name, sample in scores.items():
        if len(sample) < least_scores(test):
            raise NbykError(
                f"found 1 score, expected at least {least_scores(test)} for {test}, which "
                "needs to know how scores vary: give the scores of more runs",
                file=files.get(name),
                name="" if name in files else name,
            )
    lift_is: Lift = "factor" if shift is None else "shift"
    by = factor if shift is None else shift
    if by is not None and read.lower_is_better:
        raise NbykError("--lift and --shift raise scores, and here lower ones are better; leave them out")
    if by is not None:
        with renaming({"lift_is=shift": "shift", "lift": "lift" if shift is None else "shift"}):
            check_power_of(chosen_test(test, scores, paired=read.paired)[0], scores, by, lift_is)
    n_draws = asked["n_resamples"] or (N_ASO_RESAMPLES if test == ASO else N_RESAMPLES)
    n_draws *= len(scores) - 1 if asked["against"] else len(scores) * (len(scores) - 1) // 2
    with progress("draws", n_draws) if n_draws > _MANY_DRAWS else nullcontext() as advance:
        board = compare(read, progress=advance, **asked)
    powers = {} if by is None else comparison_power(board, lift=by, lift_is=lift_is)
    lift = "" if by is None else f"a factor of {by:g}" if lift_is == "factor" else f"{by:g}"
    notes = list(read.notes)
    notes += [
        f"nbyk dropped {number_of(count, 'item')} of {place}, which another system lacks"
        for place, count in read.dropped.items()
    ]
    if read.paired and not read.items:
        notes.append("the scores are paired by their order in the files, which have no ids to check it by")
    journal, pair = present(), board.pairs[0]
    is_behind = len(board.pairs) == 1 and pair.is_behind and not pair.significant
    following = all_numbers()
    if is_behind and journal is not None:
        following = _about_other(journal.question, pair)
    answer = scores_answer(
        board, powers=powers, lift=lift, notes=notes, doubts=read.doubts, following=following
    )
    return Compared(answer, [board], read.names, read.incomplete)


def _with_extras(findings: Findings, asked: Mapping[str, Any], *, full: bool) -> Findings:
    """Return the findings about two systems with further ones.

    A finding that these data do not allow is left out, with the reason.
    """
    from nbyk.testing.systems.variance import variance_shares

    names = findings.first.a, findings.first.b
    data, left_out = findings.systems.pair(*names), list[str]()
    question = findings.first.question
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

    is_of_numbers = findings.systems.kind == "numbers"
    shares = {
        name: look(f"variance of {name}", partial(variance_shares, data, metric=name, seed=asked["seed"]))
        for name, pair in findings.pairs.items()
        if is_of_numbers and not pair.claims[0].parts
    }
    findings = replace(findings, shares={name: of for name, of in shares.items() if of is not None})
    if not full or not is_of_numbers:
        if full:
            left_out.append(f"--full is for numbers, and these are {findings.systems.kind}")
        return replace(findings, left_out=tuple(left_out))

    from nbyk.metrics.registry import named
    from nbyk.planning.settle import NULLS, settle
    from nbyk.testing.systems.sensitivity import n_draws_in_all, sensitivity

    name, pair = next(iter(findings.pairs.items()))
    open_ = pair.claims[-1].shown(pair.claims[-1].p, question.alpha) == "undecided" and not pair.is_behind
    metrics = None if data.has_gold else tuple(findings.pairs)  # which side is better is said, not tried
    by_all = partial(sensitivity, data, metrics=metrics, threads=asked["threads"], **test)
    by_choice = look("sensitivity", by_all, n_draws_in_all())
    if by_choice is not None:  # on the scale from 0 to 1, as no scale was given
        units = [named(of.metric, "numbers").effect_unit(findings.systems.scale) for of in by_choice.effects]
        effects = [of.times(unit) for of, unit in zip(by_choice.effects, units, strict=True)]
        by_choice = replace(by_choice, effects=tuple(effects))
    would = None
    if open_ and asked["null"] in NULLS:
        how = {"scale": findings.systems.scale, "pair_runs": asked["pair_runs"], "threads": asked["threads"]}
        would = look(f"what would settle {name}", partial(settle, data, metric=name, **how, **test))
    return replace(findings, sensitivity=by_choice, settlement=would, left_out=tuple(left_out))
