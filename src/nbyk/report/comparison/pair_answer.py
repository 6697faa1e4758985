"""Two systems compared, as an answer: sentences, tables, figures and cautions."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from nbyk.data import Systems
from nbyk.data.arrays import Floats
from nbyk.data.units import Units
from nbyk.metrics import metrics_of
from nbyk.metrics.registry import named
from nbyk.planning.settlement import Settlement
from nbyk.report.answer import Answer, AnswerFigure, AnswerTable
from nbyk.report.comparison.figures import difference_figure, pair_figure, sensitivity_figure, variance_figure
from nbyk.report.comparison.sentences import ITEMS_ALONE, items_in_words, variance_sentence
from nbyk.report.comparison.tables import (
    effects_table,
    items_table,
    sensitivity_caption,
    sensitivity_table,
    settlement_table,
    variance_table,
)
from nbyk.testing.intervals import IntervalMethod
from nbyk.testing.pvalues import Alternative
from nbyk.testing.results import plain
from nbyk.testing.shared_units import VariancePart
from nbyk.testing.systems.claims import DEFAULT_METHOD
from nbyk.testing.systems.evidence import item_effects
from nbyk.testing.systems.pairing import pairing_sentence
from nbyk.testing.systems.result import ComparisonResult, ResponseCounts
from nbyk.testing.systems.sensitivity import Sensitivity
from nbyk.testing.systems.splits import SOURCES
from nbyk.testing.systems.variance import VarianceShares
from nbyk.testing.unit_kinds import kind_of, plural
from nbyk.words import ends_in_words, in_full, listed, number, with_names

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class PairFindings:
    """The results about two systems.

    Attributes
    ----------
    a, b
        Their names.
    systems
        The ratings of the comparison.
    results
        The comparison by each metric.
    method
        The interval to quote.
    sensitivity, shares, settlement
        Further results, if there are any; shares by metric, if the broadest claim has no parts.
    left_out
        The reasons why others are missing, one sentence each.
    pair_runs
        Whether runs of one name are the same.
    """

    a: str
    b: str
    systems: Systems
    results: Mapping[str, ComparisonResult]
    method: IntervalMethod = DEFAULT_METHOD
    sensitivity: Sensitivity | None = None
    shares: Mapping[str, VarianceShares] | None = None
    settlement: Settlement | None = None
    left_out: tuple[str, ...] = ()
    pair_runs: bool = False

    def unit_of(self, result: ComparisonResult) -> float:
        """Return the factor that converts an effect to the unit of the ratings."""
        return named(result.metric, self.systems.kind).effect_unit(self.systems.scale)

    @property
    def item_effects(self) -> dict[str, Floats]:
        """Each item's effect, for the metrics for which it is known."""
        data = self.systems.pair(self.a, self.b)
        metrics = metrics_of(data.categories, list(self.results))
        found = {metric.name: item_effects(data, metric) for metric in metrics}
        return {name: effects for name, effects in found.items() if effects is not None}

    @property
    def variance(self) -> dict[str, tuple[VariancePart, ...]]:
        """The parts of the variance by metric: of the broadest claim, or of items and responses."""
        clusters = () if self.systems.clusters is None else ("clusters",)
        has_gold = self.systems.gold is not None
        sources = (*clusters, *(source for source in SOURCES if source != "gold" or has_gold))
        shares = {name: of.parts(sources) for name, of in (self.shares or {}).items()}
        of_claims = {name: result.claims[0].parts for name, result in self.results.items()}
        found = {name: parts or shares.get(name, ()) for name, parts in of_claims.items()}
        return {
            name: tuple(replace(part, source=self.named(part.source)) for part in parts)
            for name, parts in found.items()
            if not all(math.isnan(part.variance) for part in parts)
        }

    @property
    def units(self) -> dict[str, Units]:
        """The runs or raters behind each system, by its name."""
        return {name: self.systems.units[name] for name in (self.a, self.b)}

    def named(self, text: str) -> str:
        """Return a text about A and B with the systems' names instead."""
        return with_names(text, self.a, self.b)


def pair_answer(found: PairFindings) -> Answer:
    """Return the answer about two systems; the first metric's sentence comes first."""
    results = found.results
    return Answer(
        title=_question(found),
        sentences=tuple(_sentences(found)),
        tables=tuple(_tables(found)),
        further=partial(_further_tables, found),
        figures=tuple(_figures(found)),
        cautions=tuple(dict.fromkeys(_cautions(found))),
        details={
            "a": found.a,
            "b": found.b,
            **details_of(found.systems),
            "results": [
                {**result.to_dict(), "sentence": result.sentence_about(found.a, found.b, method=found.method)}
                for result in results.values()
            ],
            "sensitivity": found.sensitivity and found.sensitivity.to_dict(),
            "variance_shares": [plain(shares) for shares in (found.shares or {}).values()],
            "settlement": found.settlement and found.settlement.to_dict(),
        },
        n_printed=1 + bool(found.variance) + (found.settlement is not None),
    )


def _question(found: PairFindings) -> str:
    first = next(iter(found.results.values()))
    question = f"Is {found.a} better than {found.b}"
    if not first.margins:
        return f"{question}?"
    margin = in_full(found.unit_of(first) * first.margins[0].margin)
    return f"{question}, or at least not worse by {margin}?"


def dropped_items(systems: Systems) -> Iterator[str]:
    """Yield the caution about items that were dropped, if any were."""
    if systems.dropped:
        each = listed([f"{count} of {label}" for label, count in systems.dropped.items()])
        n_items = systems.n_items
        yield f"nbyk dropped items that another file lacks ({each}) and compares the {n_items} others"


def thresholds(metrics: Iterable[str], systems: Systems) -> Iterator[str]:
    """Yield the mean rating at which each metric calls an item positive, in the unit of the ratings."""
    for name in metrics:
        cut = named(name, systems.kind).threshold_in_ratings(systems.scale)
        if cut is not None:
            yield f"{name} calls an item positive if its mean rating is {cut:g} or more"


def details_of(systems: Systems) -> dict[str, Any]:
    """Return the details that all answers about systems share."""
    return {"n_items": systems.n_items, "dropped": dict(systems.dropped)}


def file_stem(kind: str, metric: str, place: int) -> str:
    """Return the stem of a file about a metric: for the first metric it is only the kind."""
    return kind if place == 0 else f"{kind}_{re.sub(r'[^A-Za-z0-9_.=]+', '-', metric).strip('-')}"


def _sentences(found: PairFindings) -> Iterator[str]:
    for result in found.results.values():
        # Whoever gives a margin asks about the margin: that answer comes first.
        margins = result.margin_sentences(found.a, found.b, unit=found.unit_of(result))
        yield from margins[:1]
        yield result.sentence_about(found.a, found.b, method=found.method)
        yield from in_ratings(result, found.unit_of(result), found.a, found.b)
        yield from margins[1:]
        broadest = result.claims[0]
        if broadest.advice:
            yield found.named(f"For {broadest.population}, {broadest.advice}.")
    if found.sensitivity is not None:
        yield found.sensitivity.sentence_about(found.a, found.b)
    for metric, parts in found.variance.items():
        claim = found.results[metric].claims[0]
        population = found.named(claim.population) if claim.parts else "items and responses"
        yield variance_sentence(metric, parts, population)
    with_parts = [name for name, of in found.results.items() if of.claims[0].parts]
    jumping = [name for name in with_parts if name not in found.variance]
    if jumping:
        yield (
            f"To see where the variance of the effect on {listed(jumping)} comes from, name that metric "
            "first; for metrics that jump, the parts take longer."
        )
    has_gold = found.systems.gold is not None  # a unit may be called A: no text about A and B serves here
    pairing = pairing_sentence(found.units, has_gold=has_gold, pair_runs=found.pair_runs)
    yield from [pairing] if pairing else []
    if found.settlement is not None:
        yield found.named(found.settlement.sentence)


def in_ratings(result: ComparisonResult, unit: float, a: str, b: str) -> Iterator[str]:
    """Yield the effect of `a` over `b` in the unit of the ratings, if it differs from the effect's unit."""
    claim = next(claim for claim in result.claims if claim.is_conclusive)
    if unit == 1.0:
        return
    first, second, sign = result.in_order(a, b)
    low, high = sorted((sign * unit * claim.low, sign * unit * claim.high))
    yield (
        f"In the ratings' own unit, the effect of {first} over {second} on {result.metric} is "
        f"{number(sign * unit * result.effect)} ({number(low)} to {number(high)})."
    )


def _tables(found: PairFindings) -> Iterator[AnswerTable]:
    yield AnswerTable("comparison", _about(found), _summary(found))
    if found.variance:
        caption = "The sources of the variance of the effect"
        frame = variance_table(found.variance)
        if "low" in frame:
            caption += ", with 95 % intervals, rough for metrics that jump (× items: by item, or noise)"
        yield AnswerTable("variance", caption, frame)
    if found.settlement is not None:
        caption = f"Sizes that would settle it on {found.settlement.metric}, if the effect stays as it is now"
        yield AnswerTable("settlement", caption, settlement_table(found.settlement))


def _further_tables(found: PairFindings) -> Iterator[AnswerTable]:
    yield AnswerTable("effects", _about(found), effects_table(found.results.values(), found.a, found.b))
    for place, (name, effects) in enumerate(found.item_effects.items()):
        caption = f"The items that speak most for {found.a} and for {found.b} on {name}, with their ratings"
        table = items_table(found.systems, found.a, found.b, effects)
        yield AnswerTable(file_stem("items", name, place), caption, table)
    if found.sensitivity is not None:
        caption = sensitivity_caption(found.sensitivity)
        yield AnswerTable("sensitivity", caption, sensitivity_table(found.sensitivity))


def _about(found: PairFindings) -> str:
    first = next(iter(found.results.values()))
    return (
        f"{found.a} and {found.b} on {items_in_words(first)}. "
        f"A positive effect: {found.a} is better. "
        f"Null ({first.null}): {found.named(first.hypothesis)}"
    )


def _summary(found: PairFindings) -> pd.DataFrame:
    """Return the terminal's table: a row for each result, a column for each metric, as text."""
    import pandas as pd

    columns = {f"on {name}": _findings(found, result) for name, result in found.results.items()}
    first = next(iter(columns.values()))
    return pd.DataFrame(
        {"finding": list(first), **{name: list(rows.values()) for name, rows in columns.items()}}
    )


def _findings(found: PairFindings, result: ComparisonResult) -> dict[str, str]:
    a, b = found.a, found.b
    verdict = result.verdict if result.decided else "inconclusive"
    if verdict[:1] in ("A", "B"):
        verdict = f"{found.named(verdict[:1])} is better{verdict[1:]}"
    scores = {a: result.score_a, b: result.score_b}
    alone = f" ({ITEMS_ALONE})" if len(result.claims) > 1 else ""
    percent, items = f"{100 * result.confidence_level:g} %", result.claims[-1]
    counts = {"gold": result.responses_gold, a: result.responses_a, b: result.responses_b}
    expected = b if result.expected_p.flipped else a
    draws = f"all {result.n_resamples + 1} arrangements" if result.exact else f"{result.n_resamples} draws"
    return {
        f"effect of {a} over {b}": number(result.effect),
        **_of_broad_claims(found, result),
        f"verdict at α = {result.alpha:g} ({result.alternative})": verdict,
        f"{percent} interval, percentile{alone}": ends_in_words(items.ends("percentile")),
        f"{percent} interval, BCa{alone}": ends_in_words(items.ends("bca")),
        f"p, two-sided{alone}": _p_of(result, "two-sided"),
        f"p, one-sided{alone}: {a} is better": _p_of(result, "greater"),
        f"p, one-sided{alone}: {b} is better": _p_of(result, "less"),
        f"expected p (the papers'; too large): {expected} is better": _p(
            result.expected_p.p, result.expected_p.standard_error
        ),
        "null hypothesis": f"{result.null}, {draws}",
        **({"items": items_in_words(result)} if result.n_clusters else {}),
        **{f"score of {name}": "–" if score is None else number(score) for name, score in scores.items()},
        "responses per item": ", ".join(
            f"{name} {_per_item(count)}" for name, count in counts.items() if count is not None
        ),
        **_units(found),
    }


def _units(found: PairFindings) -> dict[str, str]:
    """Return a row with the meaning given to the ids, if there are any."""
    gold, behind = found.systems.gold_units, found.units
    unit = kind_of(list(behind.values()), has_gold=gold is not None)
    said = [
        f"{_numbered(len(units.names), unit)} of {name}"
        for name, units in behind.items()
        if units.index is not None
    ]
    if gold is not None and gold.index is not None:
        said.insert(0, f"{_numbered(len(gold.names), 'rater')} of gold")
    return {"nbyk reads ids as": ", ".join(said)} if said else {}


def _numbered(number: int, unit: str) -> str:
    """Return a number of units, as in "3 raters or runs"."""
    return f"{number} {unit if number == 1 else plural(unit)}"


def _of_broad_claims(found: PairFindings, result: ComparisonResult) -> dict[str, str]:
    """Return a row for each claim broader than new items."""
    rows = {}
    for claim in result.claims[:-1]:
        population = found.named(claim.population)
        level = f"{100 * result.confidence_level:g} % interval for {population}"
        rows[f"p for {population}"] = number(claim.p) if claim.is_conclusive else found.named(claim.reason)
        rows[level] = ends_in_words((claim.low, claim.high))
    return rows


def _figures(found: PairFindings) -> Iterator[AnswerFigure]:
    a, b = found.a, found.b
    for place, (name, result) in enumerate(found.results.items()):
        unit = found.unit_of(result)
        in_unit = "" if unit == 1.0 else ", in ratings' unit"
        yield AnswerFigure(
            file_stem("difference", name, place),
            f"The effect of {a} over {b} on {name}, with its interval, for each population",
            partial(difference_figure, result, a, b, unit=unit, in_unit=in_unit),
            for_paper=True,
        )
    for place, (name, result) in enumerate(found.results.items()):
        yield AnswerFigure(
            file_stem("effect", name, place),
            f"The observed effect of {a} over {b} on {name}, beside the effects under the null "
            f"({result.null}) and on bootstrapped test sets",
            partial(pair_figure, result, a, b),
        )
    if found.sensitivity is not None:
        yield AnswerFigure(
            "sensitivity",
            f"How the verdict on {a} and {b} depends on metric, null and sampler: "
            f"{sensitivity_caption(found.sensitivity)}",
            partial(sensitivity_figure, found.sensitivity, a, b),
        )
    for place, (name, parts) in enumerate(found.variance.items()):
        yield AnswerFigure(
            file_stem("variance", name, place),
            f"The sources of the variance of the effect on {name}",
            partial(variance_figure, name, parts),
        )


def _cautions(found: PairFindings) -> Iterator[str]:
    for result in found.results.values():
        yield from map(found.named, result.reserves)
    yield from dropped_items(found.systems)
    same = " and ".join(found.systems.names)
    yield from (note for note in found.systems.notes if note != f"{same} have the same ratings")
    if len(found.results) > 1:
        yield f"nbyk tested {len(found.results)} metrics and did not correct p for that number"
    for result in found.results.values():
        yield from map(found.named, result.warnings)
    yield from thresholds(found.results, found.systems)
    if found.sensitivity is not None:
        yield from (found.named(f"sensitivity: {text}") for text in found.sensitivity.warnings)
    for shares in (found.shares or {}).values():
        yield from (found.named(f"variance: {text}") for text in shares.warnings)
    if found.settlement is not None:
        yield from map(found.named, found.settlement.warnings)
    yield from found.left_out


def _p_of(result: ComparisonResult, side: Alternative) -> str:
    """Return p over items of one side, with its Monte-Carlo error if it is the chosen one."""
    items = result.claims[-1]
    return _p(items.p_of(side), items.standard_error if side == result.alternative else 0.0)


def _p(p: float, standard_error: float) -> str:
    return f"{number(p)}{f' ± {number(standard_error)}' if standard_error else ''}"


def _per_item(count: ResponseCounts) -> str:
    return f"{count.least}" if count.least == count.most else f"{count.least} to {count.most}"
