"""The tables of a comparison: leaderboard, pairs, sensitivity, variance shares and sizes to settle it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from nbyk.data import Systems
from nbyk.data.arrays import Floats
from nbyk.planning.request import SIZES
from nbyk.planning.result import Plan
from nbyk.report.answer import AnswerTable
from nbyk.report.comparison.sentences import (
    about,
    test_in_words,
    verdict_in_words,
)
from nbyk.report.lines import bar, with_decimals
from nbyk.testing.results import Board, Claim, Pair, VariancePart
from nbyk.testing.systems.sensitivity import Sensitivity
from nbyk.words import number

if TYPE_CHECKING:
    import pandas as pd


_BAR = 24
"""Characters of the axis of intervals in a leaderboard."""

_MOST_RATINGS = 12
"""Largest number of ratings of an item in a table."""


def leaderboard_table(board: Board) -> pd.DataFrame:
    """Return the systems, best first, one to a row."""
    import pandas as pd

    asked, scores, rows = board.question, board.sample.scores, []
    for standing in board.standings:
        rows.append(
            {
                "system": standing.name,
                asked.metric: standing.score,
                "low": standing.interval[0],
                "high": standing.interval[1],
                **(
                    {"scores": len(scores[standing.name]), "sd": _sd(scores[standing.name])} if scores else {}
                ),
                "rank": standing.rank,
                "rank from": standing.rank_low,
                "rank to": standing.rank_high,
                **(
                    {"groups": standing.letters}
                    if asked.against is None
                    else _against_baseline(board, standing.name)
                ),
            }
        )
    return pd.DataFrame(rows)


def _sd(sample: Floats) -> float:
    return float(sample.std(ddof=1)) if len(sample) > 1 else math.nan


def leaderboard_caption(board: Board) -> str:
    """Return what a leaderboard's table and figure both show: scores and intervals."""
    asked = board.question
    level = f"{100 * asked.confidence_level:g} %"
    return f"{about(asked, board.sample)}; {level} intervals for {board.population}"


def bars_table(board: Board) -> AnswerTable:
    """Return the leaderboard with its intervals as bars on one axis."""
    import pandas as pd

    asked, standings = board.question, board.standings
    ends = [end for standing in standings for end in standing.interval if math.isfinite(end)]
    ends += [standing.score for standing in standings if math.isfinite(standing.score)]
    ends = ends or [0.0]
    axis, spread = (min(ends), max(ends)), max(ends) - min(ends)
    scores = with_decimals([standing.score for standing in standings], 0.3 * spread)
    scores = [score if score != "nan" else "–" for score in scores]
    low, high = with_decimals(axis, 0.3 * spread)
    heading = low + f"{high:>{max(1, _BAR - len(low))}}"
    rows = []
    for standing, score in zip(standings, scores, strict=True):
        ends_of_one = standing.interval
        drawn = bar(ends_of_one[0], standing.score, ends_of_one[1], axis, _BAR)
        row: dict[str, object] = {"system": standing.name, asked.metric: score, heading: drawn}
        if asked.against is None:
            ranks = f"{standing.rank_low} to {standing.rank_high}"
            row |= {"groups": standing.letters, "possible ranks": ranks}
        else:
            row |= _against_baseline(board, standing.name)
        rows.append(row)
    return AnswerTable("leaderboard", leaderboard_caption(board), pd.DataFrame(rows))


def pairs_table(board: Board) -> pd.DataFrame:
    """Return the pairs, in the order of the leaderboard, one to a row; the effect is that of A over B."""
    import pandas as pd

    place = {name: position for position, name in enumerate(board.names)}
    rows = []
    last = len(place)  # a score that systems are held to has no place
    for pair in sorted(board.pairs, key=lambda pair: [place.get(name, last) for name in pair.in_order()[:2]]):
        claim, (leader, other, sign) = pair.claims[0], pair.in_order()
        low, high = sorted(sign * end for end in claim.interval)
        row: dict[str, object] = {
            "A": leader,
            "B": other,
            "effect": sign * pair.effect + 0.0,
            "low": low,
            "high": high,
        }
        if claim.order is None:
            row |= {"p": claim.p, "± error": claim.standard_error, "corrected p": pair.p}
        else:
            order = claim.order if sign > 0.0 else claim.order.reversed()
            row |= {"violation ratio": order.violation_ratio, "± error": order.standard_error}
            row |= {"eps_min A over B": order.eps_min, "B over A": order.reversed().eps_min}
        row |= _latent(claim, sign)
        row["verdict"] = verdict_in_words(pair)
        if pair.margin is not None:
            row["within the margin"] = pair.margin.verdict
        rows.append(row)
    table = pd.DataFrame(rows)
    return table.drop(columns="corrected p", errors="ignore") if len(rows) == 1 else table


def claims_table(pairs: Iterable[Pair], sign: float = 1.0) -> pd.DataFrame:
    """Return the claims of two systems by each metric, one to a row; the effects are `sign` times A's."""
    import pandas as pd

    rows = [
        {
            "metric": pair.question.metric,
            "for": claim.population,
            "effect": sign * (claim.effect if claim.is_conclusive else pair.effect) + 0.0,
            "low": min(sign * claim.interval[0], sign * claim.interval[1]),
            "high": max(sign * claim.interval[0], sign * claim.interval[1]),
            "p": claim.p,
            "± error": claim.standard_error,
            **_latent(claim, sign),
            "test": test_in_words(pair, claim),
            "verdict": verdict_in_words(pair, claim),
        }
        for pair in pairs
        for claim in pair.claims
    ]
    table = pd.DataFrame(rows)
    return table if table["metric"].nunique() > 1 else table.drop(columns="metric")


def _latent(claim: Claim, sign: float) -> dict[str, float]:
    """Return the columns of the ordinal model's effect, `sign` times A's, if there is one."""
    if claim.latent is None:
        return {}
    low, high = sorted(sign * end for end in claim.latent.interval)
    return {"latent": sign * claim.latent.effect, "latent low": low, "latent high": high}


def systems_table(pairs: Mapping[str, Pair]) -> pd.DataFrame:
    """Return two systems, and gold if there is any, with their scores and numbers of responses per item."""
    import pandas as pd

    first = next(iter(pairs.values()))
    scores = {
        metric: dict(zip((pair.a, pair.b), pair.scores, strict=True))
        for metric, pair in pairs.items()
        if pair.scores[0] is not None
    }
    return pd.DataFrame(
        {
            "system": name,
            **{metric: of.get(name) for metric, of in scores.items()},
            "responses per item": f"{of.least}" if of.least == of.most else f"{of.least} to {of.most}",
        }
        for name, of in first.sample.responses.items()
    )


def items_table(systems: Systems, a: str, b: str, effects: Floats, most: int = 10) -> pd.DataFrame:
    """Return the items that speak most for each system, `most` each, with their ratings on their scale.

    `effects`, shape (N,), are those of A over B (`nbyk.testing.systems.items_alone.item_effects`).
    """
    import pandas as pd

    order = np.argsort(-effects, kind="stable")
    for_a = [row for row in order[:most] if effects[row] > 0.0]
    for_b = [row for row in order[: -most - 1 : -1] if effects[row] < 0.0]
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
    if systems.kind == "distributions":
        there = row[~np.isnan(row).any(axis=1)]
        shown = ["(" + " ".join(map(number, shares)) + ")" for shares in there[:_MOST_RATINGS]]
    else:
        there = row[~np.isnan(row)]
        if systems.kind == "classes":
            shown = [systems.classes[int(place)] for place in there[:_MOST_RATINGS]]
        else:
            shown = [number(value) for value in systems.scale.original(there[:_MOST_RATINGS])]
    return ", ".join([*shown, *(["…"] if len(there) > _MOST_RATINGS else [])])


def sensitivity_table(found: Sensitivity, sign: float = 1.0) -> pd.DataFrame:
    """Return the metrics, one to a row: the effect, p under each null, and average p under each sampler.

    The effects are `sign` times those of A.
    """
    import pandas as pd

    rows = []
    for of_metric in found.effects:
        row: dict[str, object] = {
            "metric": of_metric.metric,
            "effect": sign * of_metric.effect + 0.0,
            "low": min(sign * of_metric.low, sign * of_metric.high),
            "high": max(sign * of_metric.low, sign * of_metric.high),
        }
        for choice in found.choices:
            if choice.metric == of_metric.metric:
                row[choice.sampler or choice.null] = choice.p
        rows.append(row)
    return pd.DataFrame(rows)


def sensitivity_caption(found: Sensitivity) -> str:
    """Return the caption of a table or figure of sensitivity."""
    return (
        f"p under each null, and p on average over test sets of each sampler ({found.alternative}); "
        f"{found.n_items} items, {found.n_resamples} draws, α = {found.alpha:g}"
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


def settlement_table(found: Plan) -> pd.DataFrame:
    """Return the present size and those that would settle the comparison, one to a row."""
    import pandas as pd

    now = found.present or found
    ways = [way for way in (found, *found.others) if way.reachable and way is not now and not found.reason]
    rows = [
        (
            "now" if way is now else f"more {' and '.join(SIZES[name] for name in way.open)}",
            *(way.n_items, way.k_responses, way.crew.raters or None, way.crew.runs or None),
            *(way.power, way.simulated and way.simulated.power),
        )
        for way in (now, *ways)
    ]
    columns = ["size", "items", "ratings per item", "raters", "runs", "power", "simulated power"]
    return pd.DataFrame(rows, columns=columns).astype({"power": "float64", "simulated power": "float64"})


def _against_baseline(board: Board, name: str) -> dict[str, object]:
    """Return the columns that compare a system with the baseline."""
    effect, p, shown = math.nan, math.nan, "baseline"
    for pair in board.pairs:
        if pair.a == name:
            effect, p, shown = pair.effect, pair.p, pair.verdict
    return {"effect": effect, "corrected p": p, f"than {board.question.against}": shown}
