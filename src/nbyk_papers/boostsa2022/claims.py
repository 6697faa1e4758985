"""The statements of Fornaciari et al. 2022, and a verdict on each from the run's numbers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from nbyk_papers.boostsa2022.comparison import (
    AGREEMENT,
    half_width,
    points_of_figure_1,
    score_name,
    steps_of_figure_1,
)
from nbyk_papers.boostsa2022.design import (
    ALPHA,
    DEFAULT_FRACTION,
    LARGEST_ADMITTED,
    SEMANTICS,
    SIGNIFICANT_ABOVE,
    SMALLEST_ADMITTED,
    TAGGED_ITEMS,
    TAGGED_RIGHT_A,
    TAGGED_RIGHT_B,
    TAGGING,
)
from nbyk_papers.verdicts import (
    OPEN,
    Cases,
    PaperClaim,
    Verdict,
    error_of_rate,
    verdicts_on,
    with_error,
)

if TYPE_CHECKING:
    import pandas as pd

NARROW = 0.02
"""The half-width of an interval of p up to which it counts as narrow."""


def verdicts_of(found: Mapping[str, Any], p_values: pd.DataFrame, levels: pd.DataFrame) -> list[Verdict]:
    """Return a verdict on each statement that the run has numbers for; `found` are parts of the summary."""
    points: dict[str, pd.DataFrame] = {
        semantics: points_of_figure_1(p_values, semantics) for semantics in SEMANTICS
    }
    rates: dict[str, pd.DataFrame] = {
        semantics: levels[levels["semantics"] == semantics] for semantics in SEMANTICS
    }
    return [
        *verdicts_on(_OF_P_VALUES, points),
        *_printed_example(found["figure_03"]),
        *(_tagging(found["figure_02"]) if "figure_02" in found else ()),
        Verdict(
            "figure 4",
            "soft labels: scores and p-values",
            "ours agree with the printed ones",
            "published",
            "The predictions are not public. A wrong sign gives p = 0 for both distances on nearly "
            "any data (docs/method.md)",
            OPEN,
        ),
        *verdicts_on(_OF_LEVELS, rates),
    ]


def _step(row: pd.Series) -> str:
    rises = "rises" if row["margin"] < 0.0 else "falls"
    change = with_error(abs(row["margin"]), row["error"])
    return f"p {rises} by {change} at N = {row['n_items']:.0f}, f = {row['fraction']:g}"


def _narrow_intervals(points: pd.DataFrame) -> pd.DataFrame:
    reach = half_width(points)
    return points.assign(reach=reach, margin=NARROW - reach, error=0.0)


def _printed_example(example: Mapping[str, Any]) -> list[Verdict]:
    if not example["rows"]:
        return []
    scores = Cases(example["scores_agree"], example["scores"] - example["scores_agree"])
    p_values = Cases(example["p_agree"], example["p_values"] - example["p_agree"])
    return [
        Verdict(
            "figure 3",
            "scores of both systems, to four decimals",
            "our scores round to the same four decimals",
            "published",
            f"{scores} scores are the same",
            scores.outcome,
        ),
        Verdict(
            "figure 3",
            "p-values of 200 of 1000 items, drawn with replacement",
            f"our p-values lie within {AGREEMENT:.0f} standard errors of the printed ones",
            "published",
            f"{p_values} p-values agree (table figure_03)",
            p_values.outcome,
        ),
    ]


def _tagging(tagging: Mapping[str, Any]) -> list[Verdict]:
    right_b, right_a = (right / TAGGED_ITEMS for right in (TAGGED_RIGHT_B, TAGGED_RIGHT_A))
    (printed_b, printed_a), (f1_b, f1_a) = TAGGING["accuracy"], TAGGING["f1_macro"]
    agree = sum(cell["agrees"] for cell in tagging["cells"])
    cases = Cases(agree, len(tagging["cells"]) - agree)
    low, high = tagging["implied_discordance"]
    return [
        Verdict(
            "figure 2",
            f"accuracies {printed_b:.4f} and {printed_a:.4f}, F-measures {f1_b:.4f} and {f1_a:.4f} on "
            f"{TAGGED_ITEMS} instances",
            "ours agree with the printed ones",
            "published",
            f"The predictions are not public. We built ours with {TAGGED_RIGHT_B} and "
            f"{TAGGED_RIGHT_A} right: {right_b:.4f} and {right_a:.4f}. No whole number of "
            f"{TAGGED_ITEMS} gives {printed_a:.4f}",
            OPEN,
        ),
        Verdict(
            "section 4.2.2",
            "“significant p-values appear only for sample sizes greater than 30 % of the whole test set”",
            f"p falls below {ALPHA:g} at a share above {SIGNIFICANT_ABOVE:g} and at no smaller one",
            "published",
            f"It does so in {cases} combinations of a score and a discordance (the share of items "
            "on which exactly one system is right). The paper does not give its discordance, so we cannot "
            f"judge the claim. The p-values of accuracy need a discordance from {low:.4f} to "
            f"{high:.4f}, that is {low * TAGGED_ITEMS:.0f} to {high * TAGGED_ITEMS:.0f} items",
            OPEN,
        ),
    ]


def _rates_in(
    levels: pd.DataFrame, *, place: str, low: float, high: float, least: bool = False
) -> pd.DataFrame:
    """Return Type-I errors at the shares from `low` to `high`, or at the least of these, as cases.

    A rate supports a claim if its place against the band is the one that the claim says.
    """
    shares = levels["fraction"]
    asked = (shares >= low) & (shares <= high)
    asked &= (shares == shares[asked].min()) | (not least)
    rows: pd.DataFrame = levels[asked]
    return rows.assign(margin=np.where(rows["place"] == place, 1.0, -1.0), error=0.0)


def _rate(row: pd.Series) -> str:
    error = error_of_rate(row["rejections"], row["n_sets"])
    where = f"{score_name(row['score'])}, N = {row['n_items']}, f = {row['fraction']:g}"
    return f"a rate of {row['rate']:.4f} ± {error:.4f}, {row['place']} the band ({where})"


_OF_P_VALUES = (
    PaperClaim(
        "section 2.3",
        "The wider the sample, the more robust the results, and the easier to reach significance levels",
        "in Figure 1, p falls from each test-set size to the next",
        "steps of N",
        steps_of_figure_1,
        _step,
    ),
    PaperClaim(
        "section 2.3",
        "The narrow confidence interval [...] indicates that 1 000 iterations are sufficient to obtain "
        "stable results",
        f"at each point of Figure 1, the 95 % interval of p over simulations is at most ±{NARROW:g}",
        "points",
        _narrow_intervals,
        lambda row: f"±{row['reach']:.3f}",
    ),
)
_OF_LEVELS = (
    PaperClaim(
        "section 2.3",
        "with small sample sizes, there is a risk that the calculated p-value will be artificially low",
        f"at the smallest share of at least {SMALLEST_ADMITTED:g}, the Type-I error lies above the 99 % band "
        "of an exact test",
        "rates",
        partial(_rates_in, place="above", low=SMALLEST_ADMITTED, high=LARGEST_ADMITTED, least=True),
        _rate,
    ),
    PaperClaim(
        "section 2.3",
        "if the subsample is too similar to the size of the whole test set, [...] p-values that are "
        "artificially high",
        "if resamples draw all items, the Type-I error lies below that band",
        "rates",
        partial(_rates_in, place="below", low=1.0, high=1.0),
        _rate,
    ),
    PaperClaim(
        "section 2.3",
        "we suggest choosing smaller sub-sample sizes [...], as this should keep the sub-sample size far "
        "from the dangerous extreme values",
        f"at the share {DEFAULT_FRACTION:g}, BooStSa's default, the Type-I error lies in that band",
        "rates",
        partial(_rates_in, place="inside", low=DEFAULT_FRACTION, high=DEFAULT_FRACTION),
        _rate,
    ),
    PaperClaim(
        "section 6",
        "a safe set of hyper-parameters",
        f"at each share from {SMALLEST_ADMITTED:g} to {LARGEST_ADMITTED:g}, the Type-I error lies in that "
        "band",
        "rates",
        partial(_rates_in, place="inside", low=SMALLEST_ADMITTED, high=LARGEST_ADMITTED),
        _rate,
    ),
)
"""The paper's statements about Figure 1, and about the share f, from Type-I errors of equal systems."""
