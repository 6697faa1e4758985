"""Two systems compared, as an answer: sentences, tables, figures and cautions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from nbyk.data import Systems
from nbyk.data.arrays import Floats
from nbyk.metrics import metrics_of
from nbyk.metrics.registry import named
from nbyk.planning.result import Plan
from nbyk.report.answer import Answer, AnswerFigure, AnswerTable
from nbyk.report.comparison.board_answer import cautions_of, details_of, file_stem, joined, title_of
from nbyk.report.comparison.figures import difference_figure, null_figure, sensitivity_figure, variance_figure
from nbyk.report.comparison.sentences import (
    claim_sentence,
    items_in_words,
    latent_sentence,
    margin_sentence,
    method_line,
    pair_head,
    variance_sentence,
)
from nbyk.report.comparison.tables import (
    claims_table,
    items_table,
    sensitivity_caption,
    sensitivity_table,
    settlement_table,
    systems_table,
    variance_table,
)
from nbyk.report.lines import Head, Line, in_words
from nbyk.report.plan_lines import TO_BE_SAFE
from nbyk.testing.results import Board, Pair, VariancePart, plain
from nbyk.testing.systems.items_alone import item_effects
from nbyk.testing.systems.sensitivity import Sensitivity
from nbyk.testing.systems.splits import SOURCES
from nbyk.testing.systems.variance import VarianceShares
from nbyk.testing.unit_cautions import kind_of, plural
from nbyk.words import Offer, capitalised, listed

_OF_THESE_UNITS = "for new ones they are too small"


@dataclass(frozen=True)
class Findings:
    """What was found about two systems.

    Attributes
    ----------
    systems
        The ratings of the comparison.
    boards
        The comparison by each metric.
    sensitivity, shares, settlement
        Further results, if there are any; shares by metric, if the broadest claim has no parts.
    left_out
        The reasons why others are missing, one sentence each.
    """

    systems: Systems
    boards: Mapping[str, Board]
    sensitivity: Sensitivity | None = None
    shares: Mapping[str, VarianceShares] | None = None
    settlement: Plan | None = None
    left_out: tuple[str, ...] = ()

    @property
    def pairs(self) -> dict[str, Pair]:
        """The pair by each metric."""
        return {name: board.pair for name, board in self.boards.items()}

    @property
    def first(self) -> Pair:
        """The comparison by the first metric."""
        return next(iter(self.pairs.values()))

    @property
    def item_effects(self) -> dict[str, Floats]:
        """Each item's effect, for the metrics for which it is known."""
        data = self.systems.pair(self.first.a, self.first.b)
        metrics = metrics_of(data.categories, list(self.pairs))
        scale, effects = self.systems.scale, {}
        for metric in metrics:
            of_metric = item_effects(data, metric)
            if of_metric is not None:
                effects[metric.name] = metric.effect_unit(scale) * of_metric
        return effects

    @property
    def variance(self) -> dict[str, tuple[VariancePart, ...]]:
        """The parts of the variance by metric: of the broadest claim, or of items and responses."""
        clusters = () if self.systems.clusters is None else ("clusters",)
        has_gold = self.systems.gold is not None
        sources = (*clusters, *(source for source in SOURCES if source != "gold" or has_gold))
        shares = {
            name: tuple(
                part.times(named(name, self.systems.kind).effect_unit(self.systems.scale))
                for part in of.parts(sources)
            )
            for name, of in (self.shares or {}).items()
        }
        of_claims = {name: pair.claims[0].parts for name, pair in self.pairs.items()}
        found = {name: parts or shares.get(name, ()) for name, parts in of_claims.items()}
        return {
            name: parts
            for name, parts in found.items()
            if not all(math.isnan(part.variance) for part in parts)
        }


def pair_answer(
    found: Findings, *, following: tuple[str, str] = ("", ""), lines: Sequence[str] = ()
) -> Answer:
    """Return the answer about two systems; the first metric's comes first.

    `following` is what to do next, and the command for it; `lines` are further sentences.
    """
    heads = [pair_head(pair) for pair in found.pairs.values()]
    head = joined(heads, following, found.systems.doubts)
    if found.first.verdict == "undecided" and found.first.margin is None:
        lines = (*lines, *_to_settle(found, head))
    head = replace(head, lines=(*head.lines, *map(Line, lines)))
    return Answer(
        title=title_of(found.boards),
        sentences=tuple(_sentences(found)),
        make_tables=partial(_tables, found),
        figures=tuple(_figures(found)),
        cautions=tuple(dict.fromkeys(_cautions(found))),
        head=head,
        details={
            **details_of(found.systems),
            "boards": [board.to_dict() for board in found.boards.values()],
            "sensitivity": found.sensitivity and found.sensitivity.to_dict(),
            "variance_shares": [plain(shares) for shares in (found.shares or {}).values()],
            "settlement": found.settlement and found.settlement.to_dict(),
        },
        n_printed=2 + bool(found.variance) + (found.settlement is not None),
    )


def _to_settle(found: Findings, head: Head) -> Iterator[str]:
    """Yield what would settle an open answer, if the last line does not, and whether runs may be paired."""
    first = found.first
    if found.settlement is not None:
        best, *others = found.settlement.lines
        yield f"If the effect stays as it is: {best}" if found.settlement.reachable else best
        yield from (line for line in others if line.startswith(TO_BE_SAFE))
    elif first.claims[0].advice and head.command:
        yield f"{capitalised(first.claims[0].advice)}."
    if isinstance(first.sample.pairing, Offer):
        yield "Runs of one name count as different ones; if they share a seed's luck, add `pair_runs=True`."


def _sentences(found: Findings) -> Iterator[str]:
    for pair in found.pairs.values():
        # Whoever gives a margin asks about the margin: that answer comes first.
        margins = [margin_sentence(pair, claim) for claim in pair.claims if claim.margin is not None]
        yield from margins[:1]
        for claim in pair.claims:
            yield claim_sentence(pair, claim)
            if claim.is_conclusive:
                yield f"Method: {method_line(pair, claim)}."
        yield from filter(None, [*margins[1:], latent_sentence(pair)])
        if pair.claims[0].advice:
            yield f"{capitalised(pair.claims[0].advice)}."
    if found.sensitivity is not None:
        yield found.sensitivity.sentence
    for metric, parts in found.variance.items():
        claim = found.pairs[metric].claims[0]
        yield variance_sentence(
            f"the effect on {metric}", parts, claim.population if claim.parts else "items and responses"
        )
    with_parts = [name for name, pair in found.pairs.items() if pair.claims[0].parts]
    jumping = [name for name in with_parts if name not in found.variance]
    if jumping:
        yield (
            f"To see where the variance of the effect on {listed(jumping)} comes from, name that metric "
            "first; for metrics that jump, the parts take longer."
        )
    pairing = found.first.sample.pairing
    yield from [pairing] if pairing else []
    if found.settlement is not None:
        yield from found.settlement.lines


def _tables(found: Findings) -> Iterator[AnswerTable]:
    leader, other, sign = found.first.in_order()
    yield AnswerTable("comparison", _about(found), claims_table(found.pairs.values(), sign))
    yield AnswerTable("systems", _what_was_read(found), systems_table(found.pairs))
    if found.variance:
        caption = "The sources of the variance of the effect"
        frame = variance_table(found.variance)
        if "low" in frame:
            caption += ": shares, and what each adds to its standard error, with 95 % intervals"
        yield AnswerTable("variance", caption, frame)
    if found.settlement is not None:
        caption = f"Sizes that would settle it on {found.settlement.metric}, if the effect stays as it is now"
        yield AnswerTable("settlement", caption, settlement_table(found.settlement))
    for place, (name, effects) in enumerate(found.item_effects.items()):
        caption = f"The items that speak most for {leader} and for {other} on {name}, with their ratings"
        table = items_table(found.systems, leader, other, sign * effects)
        yield AnswerTable(file_stem("items", name, place), caption, table)
    if found.sensitivity is not None:
        caption = f"{sensitivity_caption(found.sensitivity)}. A positive effect: {leader} is better"
        yield AnswerTable("sensitivity", caption, sensitivity_table(found.sensitivity, sign))


def _about(found: Findings) -> str:
    first = found.first
    leader, other, _ = first.in_order()
    return f"{leader} and {other} on {items_in_words(first.sample)}. A positive effect: {leader} is better"


def _what_was_read(found: Findings) -> str:
    """Return a caption about scores and responses, with the meaning given to ids, if there are any."""
    gold = found.systems.gold_units
    behind = {name: found.systems.units[name] for name in (found.first.a, found.first.b)}
    unit = kind_of(list(behind.values()), has_gold=gold is not None)
    said = [
        f"{_numbered(len(units.names), unit)} of {name}"
        for name, units in behind.items()
        if units.index is not None
    ]
    if gold is not None and gold.index is not None:
        said.insert(0, f"{_numbered(len(gold.names), 'rater')} of gold")
    return "Scores and responses" + (f"; nbyk reads ids as {', '.join(said)}" if said else "")


def _numbered(number: int, unit: str) -> str:
    """Return a number of units, as in "3 raters or runs"."""
    return f"{number} {unit if number == 1 else plural(unit)}"


def _figures(found: Findings) -> Iterator[AnswerFigure]:
    for place, (name, pair) in enumerate(found.pairs.items()):
        yield AnswerFigure(
            file_stem("difference", name, place),
            f"The effect on {name}, with its interval for each claim",
            partial(difference_figure, pair),
            for_paper=True,
            narrow=True,
            alt=pair.sentence,
        )
    for place, (name, pair) in enumerate(found.pairs.items()):
        leader, other, _ = pair.in_order()
        yield AnswerFigure(
            file_stem("effect", name, place),
            f"The effect of {leader} over {other} on {name}, beside those of equally good systems "
            f"({in_words(pair.question.test)}) and of items drawn again",
            partial(null_figure, pair),
            narrow=True,
        )
    if found.sensitivity is not None:
        yield AnswerFigure(
            "sensitivity",
            f"How the verdict on {found.first.a} and {found.first.b} depends on metric, null and sampler: "
            f"{sensitivity_caption(found.sensitivity)}",
            partial(sensitivity_figure, found.sensitivity),
        )
    for place, (name, parts) in enumerate(found.variance.items()):
        yield AnswerFigure(
            file_stem("variance", name, place),
            variance_sentence(f"the effect on {name}", parts, ""),
            partial(variance_figure, name, parts),
            narrow=True,
        )


def _cautions(found: Findings) -> Iterator[str]:
    yield from cautions_of(found.boards, found.systems)
    broader = len(found.first.claims) > 1  # the answer is about new units, and the table says it is not
    others = [] if found.sensitivity is None else [*found.sensitivity.warnings]
    if broader:
        others = [text for text in others if _OF_THESE_UNITS not in text]
    others += [text for shares in (found.shares or {}).values() for text in shares.warnings]
    others += [] if found.settlement is None else found.settlement.warnings
    told = {text.partition(": ")[0] for text in found.first.warnings}
    yield from (text for text in others if text.partition(": ")[0] not in told)  # a fact is said once
    yield from found.left_out
