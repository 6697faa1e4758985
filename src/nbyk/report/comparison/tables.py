"""The tables of a comparison: leaderboard, pairs, items, sensitivity and variance."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from nbyk.arrays import Floats
from nbyk.data import Systems
from nbyk.data.response_set import Categories
from nbyk.report.answer import AnswerTable
from nbyk.report.comparison.sentences import (
    about,
    interval_in_words,
    metric_in_words,
    test_in_words,
    verdict_in_words,
)
from nbyk.report.lines import bar, with_decimals
from nbyk.testing.results import NONE, Board, Pair, VariancePart
from nbyk.testing.systems.sensitivity import Sensitivity
from nbyk.words import in_full, number, percent

if TYPE_CHECKING:
    import pandas as pd


_BAR = 24
"""Characters of the axis of intervals in a leaderboard."""

_MOST_ITEMS = 10
_MOST_RATINGS = 12
"""Largest number of ratings of an item in a table."""


def leaderboard_table(board: Board) -> pd.DataFrame:
    """Return the systems, best first, one to a row."""
    import pandas as pd

    asked, samples, rows = board.question, board.sample.scores, []
    for of in board.standings:
        row: dict[str, object] = {"system": of.name, asked.metric: of.score}
        row |= dict(zip(("low", "high"), of.interval, strict=True))
        if samples:
            sample = samples[of.name]
            sd = float(sample.std(ddof=1)) if len(sample) > 1 else math.nan
            row |= {"scores": len(sample), "sd": sd}
        row |= {"rank": of.rank, "rank from": of.rank_low, "rank to": of.rank_high}
        rows.append(row | ({"groups": of.letters} if asked.against is None else _against(board, of.name)))
    return pd.DataFrame(rows)


def leaderboard_caption(board: Board) -> str:
    """Return what a leaderboard's table and figure both show: scores and intervals."""
    asked = board.question
    level = percent(asked.confidence_level)
    ranks = "" if asked.against is None else f"; ranks by the pairs with {asked.against} alone"
    return f"{about(asked, board.sample)}; {level} intervals for {board.population}{ranks}"


def differences_caption(board: Board) -> str:
    """Return what the figure of systems beside a baseline or a score shows."""
    asked = board.question
    intervals = f"{interval_in_words(asked)}s for {board.population}"
    return f"{about(asked, board.sample)}: the effect over {asked.against}; {intervals}"


def bars_table(board: Board) -> AnswerTable:
    """Return the leaderboard with bars on one axis: of scores, or of effects over a baseline or a score."""
    import pandas as pd

    asked, standings = board.question, board.standings
    shown = {of.name: (of.score, of.interval) for of in standings}
    if board.shows_effects:
        shown = {pair.a: (pair.effect, pair.interval) for pair in board.pairs}
    numbers = [*filter(math.isfinite, (end for value, ends in shown.values() for end in (value, *ends)))]
    axis = (min(numbers), max(numbers)) if numbers else (0.0, 0.0)
    spread = 0.3 * (axis[1] - axis[0])
    low, high = with_decimals(axis, spread)
    heading = low + f"{high:>{max(1, _BAR - len(low))}}"
    scores = with_decimals([of.score for of in standings], spread)
    texts = dict(zip(shown, with_decimals([value for value, _ in shown.values()], spread), strict=True))
    rows = []
    for of, score in zip(standings, scores, strict=True):
        cell = "–" if math.isnan(of.score) else score
        row: dict[str, object] = {"system": of.name, metric_in_words(asked): cell}
        value, ends = shown.get(of.name, (math.nan, NONE))
        bars: dict[str, object] = {
            heading: bar(ends[0], value, ends[1], axis, _BAR, of_effect=board.shows_effects)
        }
        if asked.against is None:
            ranks = f"{of.rank_low} to {of.rank_high}"
            rows.append(row | bars | {"groups": of.letters, "possible ranks": ranks})
        else:
            beside = _against(board, of.name)
            if board.shows_effects:
                beside["effect"] = texts.get(of.name, "–")
            rows.append(row | {"effect": beside.pop("effect")} | bars | beside)
    caption = (differences_caption if board.shows_effects else leaderboard_caption)(board)
    return AnswerTable("leaderboard", caption, pd.DataFrame(rows), whole=(heading,))


def pairs_table(pairs: Sequence[Pair], *, ahead_first: bool = True) -> pd.DataFrame:
    """Return pairs, one to a row, or the claims about only two systems by each metric.

    The effect is that of the system that is ahead, or of the pair's own A if not `ahead_first`. Of a system
    by itself it is the score.
    """
    import pandas as pd

    alone = len({(pair.a, pair.b) for pair in pairs}) == 1
    rows = []
    for pair in pairs:
        leader, other, sign = (pairs[0] if alone else pair).in_order()
        sign = sign if ahead_first else 1.0
        for claim in pair.claims if alone else pair.claims[:1]:
            low, high = sorted(sign * end + 0.0 for end in claim.interval)
            row: dict[str, object] = {"A": leader, "B": other}
            if alone:
                row = {"metric": pair.question.metric, "for": claim.population}
            effect = claim.effect if claim.is_conclusive else pair.effect
            row |= {"effect" if pair.b else "score": sign * effect + 0.0, "low": low, "high": high}
            if not pair.b:
                rows.append(row)
                continue
            if claim.order is None:
                row |= {"p": claim.p, "± error": claim.standard_error}
                row |= {} if alone or pair.question.correction == "none" else {"corrected p": pair.p}
            else:
                order = claim.order if sign > 0.0 else claim.order.reversed()
                row |= {"violation ratio": order.violation_ratio, "± error": order.standard_error}
                row |= {"eps_min A over B": order.eps_min, "B over A": order.reversed().eps_min}
            if claim.latent is not None:
                low, high = sorted(sign * end + 0.0 for end in claim.latent.interval)
                row |= {"latent": sign * claim.latent.effect + 0.0, "latent low": low, "latent high": high}
            row |= {"test": test_in_words(pair, claim)} if alone else {}
            row["verdict"] = verdict_in_words(pair, claim)
            if claim.margin is not None and not alone:
                is_of_a = claim.margin.shown in ("worse", "not worse")  # the pair's, which may not lead
                row["within the margin"] = f"{pair.a} is " * is_of_a + claim.margin.verdict
            rows.append(row)
    table = pd.DataFrame(rows)
    one_metric = alone and table["metric"].nunique() == 1
    return table.drop(columns="metric") if one_metric else table


def items_table(systems: Systems, a: str, b: str, effects: Floats) -> pd.DataFrame:
    """Return the items that speak most for each system, ten each, with their ratings on their scale.

    `effects`, shape (N,), are those of A over B (`nbyk.testing.systems.items_alone.item_effects`).
    """
    import pandas as pd

    order = np.argsort(-effects, kind="stable")
    for_a = [row for row in order[:_MOST_ITEMS] if effects[row] > 0.0]
    for_b = [row for row in order[: -_MOST_ITEMS - 1 : -1] if effects[row] < 0.0]
    gold = {} if systems.gold is None else {"gold": systems.gold}
    responses = {**gold, a: systems.responses[a], b: systems.responses[b]}
    return pd.DataFrame(
        [
            {
                "speaks for": name,
                "item": systems.items[row],
                "effect": effects[row],
                **{of: _ratings(systems, matrix[row]) for of, matrix in responses.items()},
            }
            for name, rows in ((a, for_a), (b, for_b))
            for row in rows
        ],
        columns=["speaks for", "item", "effect", *responses],
    ).astype({"effect": "float64"})


def _ratings(systems: Systems, row: Floats) -> str:
    """Return an item's ratings by one source as text, on the ratings' own scale."""
    there, categories = row[~np.isnan(row)], systems.categories
    if categories is None:
        shown = [number(value) for value in systems.scale.original(there[:_MOST_RATINGS])]
    else:
        shown = [_category(categories, int(place)) for place in there[:_MOST_RATINGS]]
    return ", ".join([*shown, *(["…"] if len(there) > _MOST_RATINGS else [])])


def _category(categories: Categories, place: int) -> str:
    """Return a class, or the probabilities of each, as text."""
    if place < len(categories.names):
        return categories.names[place]
    return "(" + " ".join(map(number, categories.table[place])) + ")"


def sensitivity_table(ways: Sensitivity, sign: float = 1.0) -> pd.DataFrame:
    """Return the metrics, one to a row: the effect, p under each null, and average p under each sampler.

    The effects are `sign` times those of A.
    """
    import pandas as pd

    rows = []
    for of_metric in ways.effects:
        effect = sign * of_metric.effect + 0.0
        low, high = sorted((sign * of_metric.low, sign * of_metric.high))
        row: dict[str, object] = {"metric": of_metric.metric, "effect": effect, "low": low, "high": high}
        for choice in ways.choices:
            if choice.metric == of_metric.metric:
                row[choice.sampler or choice.null] = choice.p
        rows.append(row)
    return pd.DataFrame(rows)


def sensitivity_caption(ways: Sensitivity) -> str:
    """Return the caption of a table or figure of sensitivity."""
    return (
        f"p under each null, and p on average over test sets of each sampler ({ways.alternative}); "
        f"{ways.n_items} items, {ways.n_resamples} draws, α = {ways.alpha:g}"
    )


def variance_table(parts: Mapping[str, Sequence[VariancePart]]) -> pd.DataFrame:
    """Return the parts of the variance by metric, one to a row: their shares, and their standard deviations.

    The standard deviations are in the unit of the effect, with intervals if there are any.
    """
    import pandas as pd

    rows = [
        {
            "metric": metric,
            "source": part.source,
            "share": part.share,
            "sd": math.sqrt(max(part.variance, 0.0)),
            "low": math.sqrt(max(part.low, 0.0)),
            "high": math.sqrt(max(part.high, 0.0)),
        }
        for metric, of in parts.items()
        for part in of
    ]
    table = pd.DataFrame(rows, columns=["metric", "source", "share", "sd", "low", "high"])
    table = table.astype(dict.fromkeys(("share", "sd", "low", "high"), "float64"))
    return table if table["low"].notna().any() else table.drop(columns=["low", "high"])


def _against(board: Board, name: str) -> dict[str, object]:
    """Return the cells about a system and the baseline, in whose own row they are empty."""
    pair = next((pair for pair in board.pairs if pair.a == name), None)
    than, margin = f"than {board.question.against}", board.pairs[0].margin
    p = "p" if board.question.correction == "none" else "corrected p"
    cells: dict[str, object] = {"effect": math.nan, p: math.nan, than: "baseline"}
    if pair is not None:
        cells = {"effect": pair.effect, p: pair.p, than: pair.verdict}
    if margin is not None:
        of_pair = None if pair is None else pair.margin
        cells[f"within ±{in_full(margin.size)}"] = "" if of_pair is None else of_pair.verdict
    return cells
