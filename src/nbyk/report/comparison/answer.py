"""A comparison as an answer: of two systems, of a leaderboard, of one system, by ratings, votes or scores."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import Any

from nbyk.arrays import Floats
from nbyk.data import Systems
from nbyk.metrics import metrics_of
from nbyk.metrics.registry import named
from nbyk.planning.result import Plan
from nbyk.report.answer import Answer, AnswerFigure, AnswerTable
from nbyk.report.comparison.figures import (
    aso_figure,
    difference_figure,
    differences_figure,
    leaderboard_figure,
    null_figure,
    sensitivity_figure,
    variance_figure,
)
from nbyk.report.comparison.sentences import (
    CORRECTION_IN_WORDS,
    board_advice,
    board_margin_sentence,
    claim_sentence,
    interval_in_words,
    items_in_words,
    latent_sentence,
    margin_sentence,
    method_line,
    metric_in_words,
    variance_sentence,
)
from nbyk.report.comparison.tables import (
    differences_caption,
    items_table,
    leaderboard_caption,
    leaderboard_table,
    pairs_table,
    sensitivity_caption,
    sensitivity_table,
    variance_table,
)
from nbyk.report.lines import Head, Line
from nbyk.report.plan_lines import assured_lines
from nbyk.testing.pvalues import sides_of
from nbyk.testing.results import Board, Pair, VariancePart, plain
from nbyk.testing.scores.facts import FACTS
from nbyk.testing.scores.means import scores_to_settle
from nbyk.testing.systems.items_alone import item_effects
from nbyk.testing.systems.sensitivity import Sensitivity
from nbyk.testing.systems.variance import SOURCES, VarianceShares
from nbyk.testing.unit_cautions import kind_of, plural
from nbyk.words import AboutUnits, Offer, Planning, capitalised, in_full, listed

_OF_A_RUN = re.compile(r"(.*?)[-_. ]?(?:seed|run|epoch|trial)[-_. ]?\d+", re.IGNORECASE)


MOST_PRINTED_PAIRS = 45
"""The terminal shows the pairs of the first metric if there are at most this many."""


@dataclass(frozen=True)
class Extras:
    """What was found about the ratings of two systems beside their comparison.

    Attributes
    ----------
    shares
        Shares of the variance by metric, if the broadest claim has no parts.
    sensitivity, settlement
        The verdict by every way to test, and what would settle it; None if they were not asked for.
    left_out
        The reasons why some are missing, one sentence each.
    """

    shares: Mapping[str, VarianceShares] = field(default_factory=dict)
    sensitivity: Sensitivity | None = None
    settlement: Plan | None = None
    left_out: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return what the JSON file says of it."""
        return {
            "sensitivity": self.sensitivity and self.sensitivity.to_dict(),
            "variance_shares": [plain(shares) for shares in self.shares.values()],
            "settlement": self.settlement and self.settlement.to_dict(),
        }


@dataclass(frozen=True)
class _Two:
    systems: Systems
    boards: Mapping[str, Board]
    extras: Extras

    @property
    def item_effects(self) -> Iterator[tuple[str, Floats]]:
        """Each item's effect, for the metrics for which it is known."""
        pair = _first(self.boards).pair
        data = self.systems.pair(pair.a, pair.b)
        for metric in metrics_of(data.categories, list(self.boards)):
            effects = item_effects(data, metric)
            if effects is not None:
                yield metric.name, metric.effect_unit(self.systems.scale) * effects

    @property
    def variance(self) -> dict[str, Sequence[VariancePart]]:
        """The parts of the variance by metric: of the broadest claim, or of items and responses."""
        clusters = () if self.systems.clusters is None else ("clusters",)
        has_gold = self.systems.gold is not None
        sources = (*clusters, *(source for source in SOURCES if source != "gold" or has_gold))
        by_metric: dict[str, Sequence[VariancePart]] = {}
        for name, board in self.boards.items():
            parts: Sequence[VariancePart] = board.pair.claims[0].parts
            if not parts and name in self.extras.shares:
                unit = named(name, self.systems.kind).effect_unit(self.systems.scale)
                parts = [part.times(unit) for part in self.extras.shares[name].parts(sources)]
            if not all(math.isnan(part.variance) for part in parts):
                by_metric[name] = parts
        return by_metric


def comparison_answer(
    boards: Mapping[str, Board],
    systems: Systems | None = None,
    extras: Extras | None = None,
    *,
    tables: Sequence[AnswerTable] = (),
    figures: Sequence[AnswerFigure] = (),
    details: Mapping[str, Any] | None = None,
    following: tuple[str, str] = ("", ""),
    lines: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> Answer:
    """Return the answer of systems on boards.

    Parameters
    ----------
    boards
        The board by each metric; the first one's comes first.
    systems
        What was read; None for votes, and for people and a judge.
    extras
        What was found beside the comparison of two systems' ratings.
    tables, figures, details
        Further tables and figures, and further numbers for the JSON file.
    following
        What to do next, and the command for it, unless the boards say what to do.
    lines, notes
        Further sentences, and further cautions.
    """
    two = None if extras is None or systems is None else _Two(systems, boards, extras)
    doubts = () if systems is None else systems.doubts
    head = joined([board.head for board in boards.values()], following, doubts)
    cautions = [*_cautions(boards, systems), *notes]
    lines = (*lines, *_to_settle(_first(boards), None if extras is None else extras.settlement, head))
    if two is not None:
        cautions += _further_cautions(two)
    printed = [*_first_tables(boards, two), *tables]
    n_pairs = len(_first(boards).pairs)
    return Answer(
        title=_title(_first(boards)),
        sentences=tuple(dict.fromkeys((*_sentences(boards, two), *lines))),
        make_tables=lambda: (*printed, *_further_tables(boards, two)),
        figures=(*figures, *_figures(boards, two)),
        cautions=tuple(dict.fromkeys(cautions)),
        head=replace(head, lines=(*head.lines, *map(Line, lines))),
        details={
            **({} if systems is None else {"n_items": systems.n_items, "dropped": dict(systems.dropped)}),
            **(details or {}),
            "boards": [board.to_dict() for board in boards.values()],
            **({} if extras is None else extras.to_dict()),
        },
        n_printed=len(printed) + (1 < n_pairs <= MOST_PRINTED_PAIRS),
    )


def _first(boards: Mapping[str, Board]) -> Board:
    return next(iter(boards.values()))


def _title(board: Board) -> str:
    pair, on = board.pairs[0], f"on {items_in_words(board.sample)}"
    if board.sample.scores:
        on = "by their scores"
    if not pair.b:
        return f"The score of {listed(board.names)} {on}"
    if len(board.pairs) == 1 and board.question.against is None:
        margin = pair.margin
        more = "" if margin is None else f", or at least not worse by {in_full(margin.size)}"
        return f"Is {pair.a} better than {pair.b}{more}?"
    against = f" compared with {pair.b}" if board.question.against else ""
    return f"{len(board.standings)} systems{against} {on}"


def joined(heads: Sequence[Head], following: tuple[str, str], doubts: Sequence[str]) -> Head:
    """Return the first lines by several metrics as one: those by the first metric, then the others'."""
    first, *others = heads
    lines = [*first.lines]
    for head in others:
        lines += [Line(head.verdict, head.about, is_verdict=True), *head.lines]
    serious = {text for head in heads for text in head.cautions[: head.n_serious]}
    next_words, command = following
    return replace(
        first,
        lines=tuple(lines),
        n_serious=len(serious) + len(doubts),
        next=next_words or first.next,
        command=command,
    )


def _to_settle(board: Board, settlement: Plan | None, head: Head) -> Iterator[str]:
    """Yield what would settle an open answer, if the last line does not, and whether runs may be paired."""
    pair = board.open_pair
    if pair is None or pair.margin is not None:
        return
    if settlement is not None:
        best = settlement.sentence
        yield f"If the effect stays as it is: {best}" if settlement.reachable else best
        yield from assured_lines(settlement)
    elif head.command and not (pair.claims[0].enough == "items" and isinstance(head.command, Planning)):
        yield from (f"{capitalised(advice)}." for advice in [board_advice(board)] if advice)
    if len(board.pairs) == 1 and isinstance(pair.sample.pairing, Offer):
        yield "Runs of one name count as different ones; if they share a seed's luck, add `pair_runs=True`."


def scores_would_settle(pair: Pair) -> str:
    """Return how many scores would show the present difference; "" if there is none."""
    samples, paired = pair.sample.scores, FACTS[pair.question.test].paired
    alpha, side = pair.question.alpha, pair.question.alternative
    n = scores_to_settle(samples[pair.a], samples[pair.b], paired=paired, alpha=alpha, alternative=side)
    if n is None:
        return ""
    # So few that no exchange of scores reaches α show nothing, whatever the t-test says.
    least = next(m for m in count(1) if (2**m if paired else math.comb(2 * m, m)) >= sides_of(side) / alpha)
    return f"about {max(n, least)} scores of each would show a difference this large (power 0.8)"


def _sentences(boards: Mapping[str, Board], two: _Two | None) -> Iterator[str]:
    first = _first(boards)
    for board in boards.values():
        if len(board.pairs) == 1:
            yield from _sentences_of(board.pair)
        else:  # whoever gives a margin asks about the margin: that answer comes first
            yield from filter(None, (board_margin_sentence(board), board.sentence))
    yield from _methods(first)
    if first.question.reason:
        yield f"nbyk chose {FACTS[first.question.test].title}: {first.question.reason}."
    if two is not None and two.extras.sensitivity is not None:
        yield two.extras.sensitivity.sentence
    for metric, parts in {} if two is None else two.variance.items():
        claim = boards[metric].pair.claims[0]
        population = claim.population if claim.parts else "items and responses"
        yield variance_sentence(f"the effect on {metric}", parts, population)
    yield from filter(None, [first.sample.pairing])
    if two is not None and two.extras.settlement is not None:
        yield from two.extras.settlement.lines


def _sentences_of(pair: Pair) -> Iterator[str]:
    margins = [margin_sentence(pair, claim) for claim in pair.claims if claim.margin is not None]
    yield from margins[:1]
    for claim in pair.claims:
        yield claim_sentence(pair, claim)
        if claim.is_conclusive and pair.b:
            yield f"Method: {method_line(pair, claim)}."
    yield from filter(None, [*margins[1:], latent_sentence(pair)])
    if pair.claims[0].advice:
        yield f"{capitalised(pair.claims[0].advice)}."


def _methods(board: Board) -> Iterator[str]:
    """Yield how several pairs were tested, in one sentence if only their numbers of draws differ."""
    if len(board.pairs) == 1:
        return
    tested, n_pairs = [pair for pair in board.pairs if pair.b], len(board.pairs)
    lines = {method_line(pair, n_pairs=n_pairs) for pair in tested}
    most = max((pair.drawn.n_resamples for pair in tested if pair.drawn is not None), default=0)
    up_to = most if len(lines) > 1 else None
    for line in dict.fromkeys(method_line(pair, n_pairs=n_pairs, most_draws=up_to) for pair in tested):
        yield f"Method: {line}."


def file_stem(kind: str, metric: str, place: int) -> str:
    """Return the stem of a file about a metric: for the first metric it is only the kind."""
    return kind if place == 0 else f"{kind}_{re.sub(r'[^A-Za-z0-9_.=]+', '-', metric).strip('-')}"


def _first_tables(boards: Mapping[str, Board], two: _Two | None) -> Iterator[AnswerTable]:
    first = _first(boards)
    if len(first.pairs) == 1:
        pair, caption = first.pair, "The claims, each for a population"
        if pair.b and first.question.tau is None:
            caption += f", with its {interval_in_words(first.question)}"
        caption += f". A positive effect: {pair.in_order()[0]} is better" if pair.b else ""
        caption += "" if two is None else _ids_in_words(two.systems)
        yield AnswerTable("comparison", caption, pairs_table([board.pair for board in boards.values()]))
    for place, (name, board) in enumerate(boards.items()):
        if len(board.standings) > 1:
            stem = file_stem("standings", name, place)
            yield AnswerTable(stem, leaderboard_caption(board), leaderboard_table(board))
    if two is not None and two.variance:
        caption, frame = "The sources of the variance of the effect", variance_table(two.variance)
        if "low" in frame:
            caption += ": shares, and what each adds to its standard error, with 95 % intervals"
        yield AnswerTable("variance", caption, frame)


def _ids_in_words(systems: Systems) -> str:
    """Return what nbyk took ids for, to follow a caption; "" without ids."""
    gold = {} if systems.gold_units is None else {"gold": systems.gold_units}
    unit = kind_of(list(systems.units.values()), has_gold=bool(gold))
    counts = []
    for name, units in {**gold, **systems.units}.items():
        kind, number = "rater" if name in gold else unit, len(units.names)
        if units.index is not None:
            counts.append(f"{number} {kind if number == 1 else plural(kind)} of {name}")
    return f"; nbyk reads ids as {', '.join(counts)}" if counts else ""


def _further_tables(boards: Mapping[str, Board], two: _Two | None) -> Iterator[AnswerTable]:
    for place, (name, board) in enumerate(boards.items()):
        asked = board.question
        p = "p" if asked.tau is None else "eps_min"
        by = f" by {FACTS[asked.test].title}" if board.sample.scores else ""
        corrected = CORRECTION_IN_WORDS[asked.correction]
        if asked.correction != "none":
            corrected = f"and {p} with {corrected}"
        caption = f"Pairs by {metric_in_words(asked)}: the effect of A over B, {p}{by}, {corrected}"
        if asked.tau is None:
            caption += f"; low to high is the {interval_in_words(asked)}"
        if len(board.pairs) > 1:
            yield AnswerTable(file_stem("pairs", name, place), caption, pairs_table(_by_place(board)))
    if two is None:
        return
    leader, other, sign = _first(boards).pair.in_order()
    for place, (name, effects) in enumerate(two.item_effects):
        caption = f"The items that speak most for {leader} and for {other} on {name}, with their ratings"
        frame = items_table(two.systems, leader, other, sign * effects)
        yield AnswerTable(file_stem("items", name, place), caption, frame)
    if two.extras.sensitivity is not None:
        caption = f"{sensitivity_caption(two.extras.sensitivity)}. A positive effect: {leader} is better"
        yield AnswerTable("sensitivity", caption, sensitivity_table(two.extras.sensitivity, sign))


def _by_place(board: Board) -> list[Pair]:
    """Return the pairs in the order of the leaderboard, where a score to compare with has no place."""
    places = {name: place for place, name in enumerate(board.names)}
    return sorted(
        board.pairs, key=lambda pair: [places.get(name, len(places)) for name in pair.in_order()[:2]]
    )


def _figures(boards: Mapping[str, Board], two: _Two | None) -> Iterator[AnswerFigure]:
    for place, (name, board) in enumerate(boards.items()):
        stem, caption, draw = "leaderboard", leaderboard_caption(board), partial(leaderboard_figure, board)
        if len(board.pairs) > 1 and board.shows_effects:
            stem_of_effects, of_effects = file_stem("differences", name, place), differences_caption(board)
            yield AnswerFigure(
                stem_of_effects, of_effects, partial(differences_figure, board), True, True, board.sentence
            )
        if len(board.pairs) == 1 and board.pair.b and not board.sample.scores:
            caption = f"The effect on {name}, with its interval for each claim"
            stem, draw = "difference", partial(difference_figure, board.pair)
        yield AnswerFigure(file_stem(stem, name, place), caption, draw, True, True, board.sentence)
        if len(board.pairs) == 1 and (board.sample.scores or two is not None):
            yield _figure_of_test(board.pair, place)
    if two is None:
        return
    if two.extras.sensitivity is not None:
        caption = f"How the verdict depends on the way to test: {sensitivity_caption(two.extras.sensitivity)}"
        yield AnswerFigure("sensitivity", caption, partial(sensitivity_figure, two.extras.sensitivity))
    for place, (name, parts) in enumerate(two.variance.items()):
        caption, draw = (
            variance_sentence(f"the effect on {name}", parts, ""),
            partial(variance_figure, name, parts),
        )
        yield AnswerFigure(file_stem("variance", name, place), caption, draw, narrow=True)


def _figure_of_test(pair: Pair, place: int) -> AnswerFigure:
    if pair.question.tau is not None:
        caption = (
            f"Left: the quantile functions of {pair.a} and {pair.b}. Where {pair.a} is worse, it violates "
            "the order. Right: the violation ratio of bootstrapped samples, and the bound that they give."
        )
        return AnswerFigure("quantiles", caption, partial(aso_figure, pair))
    metric, (leader, other, _) = pair.question.metric, pair.in_order()
    caption = f"The effect of {leader} over {other} on {metric}, beside those of equally good systems"
    stem = "null" if pair.sample.scores else file_stem("effect", metric, place)
    return AnswerFigure(stem, caption, partial(null_figure, pair), narrow=True)


def _runs_as_systems(names: Iterable[str]) -> Iterator[str]:
    """Yield a caution about systems whose names differ only in the number of a seed or run."""
    by_system: dict[str, list[str]] = {}
    for name in names:
        match = _OF_A_RUN.fullmatch(name)
        if match is not None:
            by_system.setdefault(match[1], []).append(name)
    for runs in by_system.values():
        if len(runs) > 1:
            yield (
                f"the names of {listed(runs)} differ only in the number of a run: if they are runs of one "
                "system, put them into one file with a column for each; nbyk then compares systems, not runs"
            )


def _cautions(boards: Mapping[str, Board], systems: Systems | None) -> Iterator[str]:
    """Yield the cautions about boards and the ratings behind them, those first that may change a decision."""
    yield from systems.doubts if systems is not None else ()
    for board in boards.values():
        yield from (board.pair if len(board.pairs) == 1 else board).reserves
    if systems is not None:
        if len(systems.names) > 2:
            yield from _runs_as_systems(systems.names)
        yield from systems.notes
    if len(boards) > 1 and any(board.pairs[0].b for board in boards.values()):
        yield f"nbyk tested {len(boards)} metrics and did not correct p for that number"
    for board in boards.values():
        yield from board.warnings


def _further_cautions(two: _Two) -> Iterator[str]:
    pair, extras = _first(two.boards).pair, two.extras
    others = [] if extras.sensitivity is None else [*extras.sensitivity.warnings]
    if len(pair.claims) > 1:  # the answer is about new units, and the table says that it is not
        others = [text for text in others if not isinstance(text, AboutUnits)]
    others += [text for shares in extras.shares.values() for text in shares.warnings]
    others += [] if extras.settlement is None else extras.settlement.warnings
    facts = {text.fact for text in pair.warnings if isinstance(text, AboutUnits)}
    yield from (text for text in others if not (isinstance(text, AboutUnits) and text.fact in facts))
    yield from extras.left_out
