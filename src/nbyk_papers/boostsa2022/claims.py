"""The statements of Fornaciari et al. 2022, and a verdict on each from the run's numbers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

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
    Outcome,
    PaperClaim,
    Verdict,
    error_of_rate,
    finding,
    verdicts_on,
    with_error,
)

if TYPE_CHECKING:
    import pandas as pd

NARROW = 0.02
"""The half-width of an interval of p up to which it counts as narrow."""

_PLACES = ("below", "inside", "above")


def verdicts_of(found: Mapping[str, Any], p_values: pd.DataFrame, levels: pd.DataFrame) -> list[Verdict]:
    """Return a verdict on each statement that the run has numbers for; `found` are parts of the summary."""
    verdicts = verdicts_on(_OF_P_VALUES, dict.fromkeys(SEMANTICS, p_values))
    verdicts += _printed_example(found["figure_03"])
    if "figure_02" in found:
        verdicts += _tagging(found["figure_02"])
    verdicts.append(
        _published(
            "figure 4",
            "soft labels: scores and p-values",
            "ours agree with the printed ones",
            "The predictions are not public. A wrong sign gives p = 0 for both distances on nearly "
            "any data (docs/labels.md)",
            OPEN,
        )
    )
    return [*verdicts, *verdicts_on(_OF_LEVELS, dict.fromkeys(SEMANTICS, levels))]


def _published(place: str, claim: str, criterion: str, here: str, outcome: str) -> Verdict:
    return Verdict(place, claim, criterion, (Outcome("published", here, outcome),))


def _larger_sets(p_values: pd.DataFrame, semantics: str) -> Outcome | None:
    steps = steps_of_figure_1(p_values, semantics)
    if steps.empty:
        return None
    least = steps.iloc[steps["margin"].argmin()]
    rises = "rises" if least["margin"] < 0.0 else "falls"
    at = f"at N = {least['n_items']:.0f}, f = {least['fraction']:g}"
    change = with_error(abs(least["margin"]), least["error"])
    more = f". The step that supports it least: p {rises} by {change} {at}"
    return finding(semantics, steps["margin"], steps["error"], "steps of N", more)


def _iterations(p_values: pd.DataFrame, semantics: str) -> Outcome | None:
    reach = half_width(points_of_figure_1(p_values, semantics)).dropna()
    more = (
        f". The widest interval is ±{reach.max():.3f}. This shows whether 1000 iterations suffice. It does "
        "not show whether the test is right"
    )
    return finding(semantics, NARROW - reach, 0.0, "points", more)


def _printed_example(example: Mapping[str, Any]) -> list[Verdict]:
    if not example["rows"]:
        return []
    scores = Cases(example["scores_agree"], example["scores"] - example["scores_agree"])
    p_values = Cases(example["p_agree"], example["p_values"] - example["p_agree"])
    shares = example["implied_fractions"]
    implied = f". The printed ones fit a share from {shares[0]:.2f} to {shares[1]:.2f}" if shares else ""
    said = "; ".join(
        f"{score_name(row['score'])} {with_error(row['p'], row['standard_error'])}, printed "
        f"{row['printed_p']:g}"
        for row in example["rows"]
    )
    return [
        _published(
            "figure 3",
            "scores of both systems, to four decimals",
            "our scores round to the same four decimals",
            f"{scores} scores are the same",
            scores.outcome,
        ),
        _published(
            "figure 3",
            "p-values of 200 of 1000 items, drawn with replacement",
            f"our p-values lie within {AGREEMENT:.0f} standard errors of the printed ones",
            f"{p_values} p-values agree ({said}){implied}",
            p_values.outcome,
        ),
    ]


def _tagging(tagging: Mapping[str, Any]) -> list[Verdict]:
    right_b, right_a = (right / TAGGED_ITEMS for right in (TAGGED_RIGHT_B, TAGGED_RIGHT_A))
    (printed_b, printed_a), (f1_b, f1_a) = TAGGING["accuracy"], TAGGING["f1_macro"]
    f1 = (
        f". Our F-measures are {tagging['f1']['b']:.4f} and {tagging['f1']['a']:.4f}; we made up the classes"
        if tagging["f1"]
        else ""
    )
    agreeing = [cell for cell in tagging["cells"] if cell["agrees"]]
    cases = Cases(len(agreeing), len(tagging["cells"]) - len(agreeing))
    where = ", ".join(f"{score_name(cell['score'])} at {cell['discordance']:g}" for cell in agreeing)
    low, high = tagging["implied_discordance"]
    return [
        _published(
            "figure 2",
            f"accuracies {printed_b:.4f} and {printed_a:.4f}, F-measures {f1_b:.4f} and {f1_a:.4f} on "
            f"{TAGGED_ITEMS} instances",
            "ours agree with the printed ones",
            f"The predictions are not public. We built ours with {TAGGED_RIGHT_B} and "
            f"{TAGGED_RIGHT_A} right: {right_b:.4f} and {right_a:.4f}. No whole number of "
            f"{TAGGED_ITEMS} gives {printed_a:.4f}{f1}",
            OPEN,
        ),
        _published(
            "section 4.2.2",
            "“significant p-values appear only for sample sizes greater than 30 % of the whole test set”",
            f"p falls below {ALPHA:g} at a share above {SIGNIFICANT_ABOVE:g} and at no smaller one",
            f"It does so in {cases} combinations of a score and a discordance (the share of items "
            f"on which exactly one system is right){': ' + where if where else ''}. The paper does "
            "not give its discordance, so we cannot judge the claim. "
            f"The p-values of accuracy need a discordance from {low:.4f} to "
            f"{high:.4f}, that is {low * TAGGED_ITEMS:.0f} to {high * TAGGED_ITEMS:.0f} items",
            OPEN,
        ),
    ]


def _of_rates(
    levels: pd.DataFrame,
    semantics: str,
    *,
    wanted: str,
    low: float,
    high: float,
    least: bool = False,
) -> Outcome | None:
    """Judge Type-I errors of equal systems at the shares from `low` to `high`, or at the least of these."""
    shares = levels["fraction"]
    asked = (shares >= low) & (shares <= high)
    asked &= (shares == shares[asked].min()) | (not least)
    rows = levels[asked & (levels["semantics"] == semantics)]
    if rows.empty:
        return None
    supporting = int((rows["place"] == wanted).sum())
    cases = Cases(supporting, len(rows) - supporting)
    ends = (_rate(rows.iloc[place]) for place in (rows["rate"].argmin(), rows["rate"].argmax()))
    counts = ", ".join(f"{(rows['place'] == place).sum()} {place}" for place in _PLACES)
    here = f"Of {len(rows)} rates, {counts} the band, between {' and '.join(ends)}. The level is {ALPHA:g}"
    return Outcome(semantics, here, cases.outcome)


def _rate(row: pd.Series) -> str:
    """Return a rate and its standard error."""
    return f"{row['rate']:.4f} ± {error_of_rate(row['rejections'], row['n_sets']):.4f}"


_OF_P_VALUES = (
    PaperClaim(
        "section 2.3",
        "The wider the sample, the more robust the results, and the easier to reach significance levels",
        "in Figure 1, p falls from each test-set size to the next",
        _larger_sets,
    ),
    PaperClaim(
        "section 2.3",
        "The narrow confidence interval [...] indicates that 1 000 iterations are sufficient to obtain "
        "stable results",
        f"at each point of Figure 1, the 95 % interval of p over simulations is at most ±{NARROW:g}",
        _iterations,
    ),
)
_OF_LEVELS = (
    PaperClaim(
        "section 2.3",
        "with small sample sizes, there is a risk that the calculated p-value will be artificially low",
        f"at the smallest share of at least {SMALLEST_ADMITTED:g}, the Type-I error lies above the 99 % band "
        "of an exact test",
        partial(_of_rates, wanted="above", low=SMALLEST_ADMITTED, high=LARGEST_ADMITTED, least=True),
    ),
    PaperClaim(
        "section 2.3",
        "if the subsample is too similar to the size of the whole test set, [...] p-values that are "
        "artificially high",
        "if resamples draw all items, the Type-I error lies below that band",
        partial(_of_rates, wanted="below", low=1.0, high=1.0),
    ),
    PaperClaim(
        "section 2.3",
        "we suggest choosing smaller sub-sample sizes [...], as this should keep the sub-sample size far "
        "from the dangerous extreme values",
        f"at the share {DEFAULT_FRACTION:g}, BooStSa's default, the Type-I error lies in that band",
        partial(_of_rates, wanted="inside", low=DEFAULT_FRACTION, high=DEFAULT_FRACTION),
    ),
    PaperClaim(
        "section 6",
        "a safe set of hyper-parameters",
        f"at each share from {SMALLEST_ADMITTED:g} to {LARGEST_ADMITTED:g}, the Type-I error lies in that "
        "band",
        partial(_of_rates, wanted="inside", low=SMALLEST_ADMITTED, high=LARGEST_ADMITTED),
    ),
)
"""The paper's statements about Figure 1, and about the share f, from Type-I errors of equal systems."""
