"""Verdicts on Homan et al. 2025 if the same people rate all items, and their ids count."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from nbyk_papers.homan2025.claims import CLAIMS, PValues
from nbyk_papers.homan2025.design import KEY
from nbyk_papers.raters.design import IN_WORDS, SEMANTICS
from nbyk_papers.verdicts import Verdict, verdicts_on

if TYPE_CHECKING:
    import pandas as pd


def _larger_sizes(numbers: PValues) -> pd.DataFrame:
    """Return cases that support the claim where, at one K, p falls from each N to the next."""
    by = [*KEY, "k_responses"]
    rows = numbers.sizes.sort_values([*by, "n_items"], kind="stable")
    before = rows.groupby(by)[["p", "standard_error"]].shift()
    error = np.hypot(before["standard_error"], rows["standard_error"])
    return rows.assign(margin=before["p"] - rows["p"], error=error)


JUDGED = {
    "raters": "with 1000 items and 24 ratings per item, the mean p of MAE is .05 or more",
    "few_responses_of_1000_items": "with 1000 items and 5 or 10 ratings per item, mean p is .05 or more",
    "responses_for_mae_and_memd": "at the same N·K, p of MAE is lower with K = 50 than with K = 5",
    "items_for_wins": "at the same N·K, p of Wins is lower with K = 5 than with K = 50",
    "larger_budgets": "at the same K, p falls from each N to the next",
}
"""The conclusions that rest on p at sizes of this study, and when each holds here."""


def verdicts_of(table: pd.DataFrame) -> list[Verdict]:
    """Return a verdict on each conclusion, in each of the three worlds, if the run has the numbers.

    Only systems that are off by ε count, as in the paper.
    """
    rows = table[table["shift"] == 0.0].rename(columns={"metric": "column", "epsilon": "epsilon_b"})
    worlds = {}
    for semantics in SEMANTICS:
        for raters, words in IN_WORDS.items():
            own = rows[(rows["semantics"] == semantics) & (rows["raters"] == raters)]
            worlds[f"{semantics}, {words}"] = PValues(own, own)
    claims = {name: replace(CLAIMS[name], criterion=criterion) for name, criterion in JUDGED.items()}
    claims["larger_budgets"] = replace(claims["larger_budgets"], cases=_larger_sizes)
    return verdicts_on(claims.values(), worlds)
