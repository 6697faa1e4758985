"""Verdicts on Homan et al. 2025 if the same people rate all items, and their ids count."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from nbyk_papers.homan2025 import pair_claims, size_claims
from nbyk_papers.homan2025.claims import CLAIMS
from nbyk_papers.raters.design import ALPHA, IN_WORDS, LABELS, SEMANTICS
from nbyk_papers.verdicts import Outcome, PaperClaim, Verdict, finding, verdicts_on, with_error

if TYPE_CHECKING:
    import pandas as pd

_CASE = ["source", "system", "metric"]
CasesOf = Callable[["pd.DataFrame"], "pd.DataFrame"]


def _not_sufficient(k_responses: tuple[int, ...], metrics: tuple[str, ...]) -> CasesOf:
    """Return cases that support a claim where p at 1000 items is .05 or more."""

    def cases(rows: pd.DataFrame) -> pd.DataFrame:
        chosen = rows[
            (rows["n_items"] == 1000) & rows["k_responses"].isin(k_responses) & rows["metric"].isin(metrics)
        ]
        return chosen.assign(margin=chosen["p"] - ALPHA, error=chosen["standard_error"])

    return cases


def _at_one_budget(metric: str, *, many_is_lower: bool) -> CasesOf:
    """Return cases that support a claim where, at one N·K, p is lower with K = 50 than with K = 5, or not."""

    def cases(rows: pd.DataFrame) -> pd.DataFrame:
        of_metric = rows[rows["metric"] == metric]
        few, many = (of_metric[of_metric["k_responses"] == k] for k in (pair_claims.FEW, pair_claims.MANY))
        pairs = few.merge(many, on=[*_CASE, "n_times_k"], suffixes=("_few", ""))
        margin = (pairs["p_few"] - pairs["p"]) * (1.0 if many_is_lower else -1.0)
        return pairs.assign(
            margin=margin, error=np.hypot(pairs["standard_error_few"], pairs["standard_error"])
        )

    return cases


def _larger_is_lower(rows: pd.DataFrame) -> pd.DataFrame:
    """Return cases that support the claim where, at one K, p falls from each N to the next."""
    ordered = rows.sort_values([*_CASE, "k_responses", "n_items"], kind="stable")
    before = ordered.groupby([*_CASE, "k_responses"])[["p", "standard_error"]].shift()
    steps = ordered.assign(
        margin=before["p"] - ordered["p"], error=np.hypot(before["standard_error"], ordered["standard_error"])
    )
    return steps.dropna(subset="margin")


JUDGED = (
    (
        size_claims.raters,
        "with 1000 items and 24 ratings per item, the mean p of MAE is .05 or more",
        _not_sufficient((size_claims.RATERS,), ("mae",)),
    ),
    (
        size_claims.few_responses_of_1000_items,
        "with 1000 items and 5 or 10 ratings per item, mean p is .05 or more",
        _not_sufficient((5, 10), tuple(LABELS)),
    ),
    (
        pair_claims.responses_for_mae_and_memd,
        "at the same N·K, p of MAE is lower with K = 50 than with K = 5",
        _at_one_budget("mae", many_is_lower=True),
    ),
    (
        pair_claims.items_for_wins,
        "at the same N·K, p of Wins is lower with K = 5 than with K = 50",
        _at_one_budget("wins_mae", many_is_lower=False),
    ),
    (pair_claims.larger_budgets, "at the same K, p falls from each N to the next", _larger_is_lower),
)
"""The conclusions that rest on p at sizes of this study, each by the function that judges it there."""


def verdicts_of(table: pd.DataFrame) -> list[Verdict]:
    """Return a verdict on each conclusion, in each of the three worlds, if the run has the numbers.

    Only systems that are off by ε count, as in the paper.
    """
    rows = table[table["shift"] == 0.0]
    worlds = {
        f"{semantics}, {words}": rows[(rows["semantics"] == semantics) & (rows["raters"] == raters)]
        for semantics in SEMANTICS
        for raters, words in IN_WORDS.items()
    }
    of_claim = {claim.found: claim for claim in CLAIMS}
    claims = [
        PaperClaim(of_claim[found].place, of_claim[found].words, criterion, partial(_finding, cases))
        for found, criterion, cases in JUDGED
    ]
    return verdicts_on(claims, worlds)


def _finding(cases_of: CasesOf, rows: pd.DataFrame, semantics: str) -> Outcome | None:
    cases = cases_of(rows)
    if cases["margin"].notna().sum() == 0:
        return None
    nearest = cases.iloc[int(cases["margin"].abs().argmin())]
    size = f"{LABELS[nearest['metric']]}, {nearest['n_items']:g} × {nearest['k_responses']:g}"
    p = with_error(nearest["p"], nearest["standard_error"])
    case = f"{nearest['source']}, {nearest['system']}, {size}"
    more = f". The closest case: p = {p} ({case})"
    return finding(semantics, cases["margin"], cases["error"], "cases", more)
