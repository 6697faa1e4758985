"""A comparison of systems by their plain scores as an answer: sentences, tables, figures and cautions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from nbyk.report.answer import Answer, AnswerFigure, AnswerTable
from nbyk.report.scores import figures
from nbyk.testing.pvalues import side_in_words
from nbyk.testing.scores.aso import AsoResult
from nbyk.testing.scores.facts import FACTS
from nbyk.testing.scores.power_analysis import BootstrapPower
from nbyk.testing.scores.result import SignificanceResult
from nbyk.testing.scores.score_comparison import ScoreComparison, ScorePair

if TYPE_CHECKING:
    import pandas as pd


def scores_answer(
    comparison: ScoreComparison,
    *,
    powers: Mapping[str, BootstrapPower] | None = None,
    lift: str = "",
    notes: Sequence[str] = (),
) -> Answer:
    """Return the answer of a comparison.

    Parameters
    ----------
    comparison
        The comparison.
    powers
        Bootstrap power of each system's scores, if it was requested.
    lift
        How much better the other system is in that analysis, in words that follow "better by".
    notes
        Notes about the files.
    """
    names = [system.name for system in comparison.systems]
    listed = " and ".join(names) if len(names) == 2 else f"{len(names)} systems"
    sentences = [comparison.sentence]
    if comparison.reason is not None:
        name = FACTS[comparison.test].title
        sentences.append(f"nbyk chose {name} because {comparison.reason}.")
    if powers:
        sentences.append(_power_sentence(powers, lift, comparison.n_corrected))
    return Answer(
        title=f"{listed}, compared by their scores",
        sentences=tuple(sentences),
        tables=tuple(_tables(comparison, powers)),
        figures=tuple(_figures(comparison)),
        cautions=tuple(map(_sentence, [*comparison.warnings, *notes])),
        details=details(comparison, powers),
        n_printed=2,
    )


def details(comparison: ScoreComparison, powers: Mapping[str, BootstrapPower] | None) -> dict[str, Any]:
    """Return everything about a comparison as plain values that JSON can hold."""
    content: dict[str, Any] = {
        "test": comparison.test,
        "reason": comparison.reason,
        "paired": comparison.paired,
        "alternative": comparison.alternative,
        "alpha": comparison.alpha,
        "confidence_level": comparison.confidence_level,
        "tau": comparison.tau,
        "correction": comparison.correction,
        "against": comparison.against,
        "seed": comparison.seed,
        "systems": [
            {key: _held(getattr(system, key)) for key in ("name", "n", "mean", "sd", "low", "high")}
            | {"scores": comparison.scores[system.name].tolist()}
            for system in comparison.systems
        ],
        "pairs": [
            {"a": pair.a, "b": pair.b, "effect": pair.effect}
            | {
                "interval": [_held(bound) for bound in pair.interval],
                "better": pair.better,
                "decided": pair.decided,
            }
            | _found(pair)
            for pair in comparison.pairs
        ],
    }
    if powers:
        content["power"] = {name: vars(power) for name, power in powers.items()}
    return content


def _held(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _found(pair: ScorePair) -> dict[str, Any]:
    if isinstance(pair.found, SignificanceResult):
        return {
            "statistic": pair.found.statistic,
            "p": pair.p,
            "p_uncorrected": pair.found.p,
            "standard_error": pair.standard_error,
            "exact": pair.found.exact,
            "n_resamples": pair.found.n_resamples,
        }
    return {
        "eps_min": pair.found.eps_min,
        "eps_min_reversed": pair.found.reversed().eps_min,
        "violation_ratio": pair.found.violation_ratio,
        "standard_error": pair.found.standard_error,
        "monte_carlo_error": pair.found.monte_carlo_error,
        "n_comparisons": pair.found.bound.n_comparisons,
        "n_resamples": pair.found.bound.n_resamples,
    }


def _power_sentence(powers: Mapping[str, BootstrapPower], lift: str, n_pairs: int) -> str:
    said = ", ".join(
        f"{power.power:.2g} with {power.n_scores} scores like those of {name}"
        for name, power in powers.items()
    )
    enough = min(power.power for power in powers.values()) >= 0.8
    corrected = f", corrected for {n_pairs} pairs," if n_pairs > 1 else ""
    return f"The test{corrected} would notice a system that is better by {lift} with a power of {said}. " + (
        "That is enough: a usual goal is 0.8."
        if enough
        else "That is too little: a usual goal is 0.8. Collect more scores."
    )


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}" + ("" if text.endswith((".", "?", "!")) else ".")


def _tables(comparison: ScoreComparison, powers: Mapping[str, BootstrapPower] | None) -> list[AnswerTable]:
    import pandas as pd

    pairs = pd.DataFrame([_row(pair) for pair in comparison.pairs])
    if len(pairs) == 1:
        pairs = pairs.drop(columns="p corrected", errors="ignore")
    systems = pd.DataFrame(
        [
            {"system": s.name, "scores": s.n, "mean": s.mean, "sd": s.sd, "low": s.low, "high": s.high}
            for s in comparison.systems
        ]
    )
    test = FACTS[comparison.test].title
    tables = [
        AnswerTable(
            "pairs",
            f"Differences of mean scores with {comparison.confidence} intervals (each for its pair only), "
            f"and {test}, {side_in_words(comparison.alternative)}",
            pairs,
        ),
        AnswerTable(
            "systems",
            f"Scores of each system; low to high is the {comparison.confidence} interval of the mean",
            systems,
        ),
    ]
    if len(comparison.systems) > 2 and comparison.tau is not None:
        tables.append(
            AnswerTable("eps_min", "eps_min of each row's system over each column's", _matrix(comparison))
        )
    if powers:
        rows = [
            {"system": name, "scores": p.n_scores, "power": p.power, "low": p.low, "high": p.high}
            for name, p in powers.items()
        ]
        tables.append(
            AnswerTable(
                "power", "Bootstrap power analysis; low to high is the 95 % interval", pd.DataFrame(rows)
            )
        )
    return tables


def _row(pair: ScorePair) -> dict[str, Any]:
    row: dict[str, Any] = {
        "A": pair.a,
        "B": pair.b,
        "A − B": pair.effect,
        "low": pair.interval[0],
        "high": pair.interval[1],
    }
    if isinstance(pair.found, SignificanceResult):
        row |= {
            "p": pair.found.p,
            "± error": pair.standard_error,
            "p corrected": pair.p_adjusted,
        }
    else:
        row |= {"violation ratio": pair.found.violation_ratio, "± error": pair.found.standard_error}
        row |= {"eps_min A over B": pair.found.eps_min, "B over A": pair.found.reversed().eps_min}
    return row | {"better": (pair.better or "undecided") if pair.decided else "inconclusive"}


def _matrix(comparison: ScoreComparison) -> pd.DataFrame:
    import pandas as pd

    names = [system.name for system in comparison.systems]
    bounds: dict[tuple[str, str], float] = {}
    for pair in comparison.pairs:
        if isinstance(pair.found, AsoResult):
            bounds[pair.a, pair.b] = pair.found.eps_min
            bounds[pair.b, pair.a] = pair.found.reversed().eps_min
    rows = [{"": one, **{other: bounds.get((one, other), math.nan) for other in names}} for one in names]
    return pd.DataFrame(rows)


def _figures(comparison: ScoreComparison) -> list[AnswerFigure]:
    drawn = [
        AnswerFigure(
            "scores",
            f"The scores of each system, with their mean and its {comparison.confidence} interval.",
            partial(figures.scores_figure, comparison),
        )
    ]
    if len(comparison.pairs) > 1:
        drawn.append(
            AnswerFigure(
                "differences",
                f"The difference of mean scores of each pair, with its {comparison.confidence} interval.",
                partial(figures.differences_figure, comparison),
            )
        )
        return drawn
    (pair,) = comparison.pairs
    if comparison.tau is not None:
        caption = (
            f"Left: the quantile functions of {pair.a} and {pair.b}. Where {pair.a}'s is lower, it violates "
            "the order. Right: the violation ratio of bootstrapped samples, and the bound that they give."
        )
        return [*drawn, AnswerFigure("quantiles", caption, partial(figures.aso_figure, comparison, pair))]
    caption = "The distribution of the statistic if both systems are equally good, and its observed value."
    return [*drawn, AnswerFigure("null", caption, partial(figures.null_figure, comparison, pair))]
