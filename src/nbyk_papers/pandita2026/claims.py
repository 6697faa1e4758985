"""The conclusions of Pandita et al. 2026, and a verdict on each from the run's numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from nbyk_papers.pandita2026.comparison import best_k, shown_epsilon
from nbyk_papers.pandita2026.design import ALPHA, METRICS, POWER, PRIORS
from nbyk_papers.verdicts import Cases, Outcome, Verdict, error_of_rate, judge

if TYPE_CHECKING:
    import pandas as pd

ENOUGH = 1000
"""The budget that the paper says is often enough."""

OF_DISTRIBUTIONS = ("tv", "wins", "kl")
FEW = 3
"""Classes up to which the paper advises K = 1 or 2 for the accuracy."""

SEMANTICS = {"published": "p_with_ties", "recommended": "power"}
"""What decides under each semantics: the paper's p as its code counts ties, or a test's power."""


def verdicts_of(grid: pd.DataFrame) -> list[Verdict]:
    """Return a verdict on each conclusion that the run has numbers for, at the ε of Table 2.

    Parameters
    ----------
    grid
        From `read_grid`.
    """
    shown = grid[grid["epsilon"] == shown_epsilon(grid)]
    classes = shown["source"].map({name: len(alpha) for name, alpha in PRIORS.items()})
    accuracy = shown["metric"] == "accuracy"
    asked: tuple[tuple[str, str, Callable[[str], Cases]], ...] = (
        (
            "N·K of no more than 1,000 often suffices",
            f"at some K and a budget up to {ENOUGH}, p < {ALPHA:g} (published), or a t-test over items "
            f"has a power of {POWER:g} (recommended)",
            lambda column: _enough(shown[shown["budget"] <= ENOUGH], column),
        ),
        (
            "TV, Wins and KL are best with K > 10",
            "at the smallest budget that suffices, the best K above 10 beats the best up to 10",
            lambda column: _larger_k(shown[shown["metric"].isin(OF_DISTRIBUTIONS)], column, 10),
        ),
        (
            "the accuracy is best with K of 1 or 2 if there are few classes",
            f"with up to {FEW} classes, at the smallest budget that suffices, the best K of 1 or 2 beats the "
            "best of the others",
            lambda column: _larger_k(shown[accuracy & (classes <= FEW)], column, 2, sign=-1.0),
        ),
        (
            "the accuracy needs a larger K with twelve classes",
            "with twelve classes, at the smallest budget that suffices, the best K above 2 beats 1 and 2",
            lambda column: _larger_k(shown[accuracy & (classes == 12)], column, 2),
        ),
        (
            "the metric decides, more than the data set",
            "the best log K varies more among the metrics of a prior than among the priors of a metric, at "
            "each budget",
            lambda column: _metric_decides(shown, column),
        ),
    )
    verdicts = []
    for claim, criterion, cases_of in asked:
        findings = []
        for semantics, column in SEMANTICS.items():
            cases = cases_of(column)
            if cases.supporting + cases.against + cases.close:
                findings.append(Outcome(semantics, cases.sentence("cases"), cases.outcome))
        if findings:
            verdicts.append(Verdict("conclusions", claim, criterion, tuple(findings)))
    return verdicts


def _gain(rows: pd.DataFrame, column: str) -> tuple[float, float]:
    """Return the largest power of rows, or their least p negated, and its standard error."""
    if column == "power":
        best = rows.iloc[rows["power"].argmax()]
        return float(best["power"]), error_of_rate(best["power"] * best["n_sets"], best["n_sets"])
    best = rows.iloc[rows[column].argmin()]
    return -float(best[column]), float(best[f"{column}_error"])


def _enough(rows: pd.DataFrame, column: str) -> Cases:
    needed = POWER if column == "power" else -ALPHA
    gains = [_gain(of, column) for _, of in rows.groupby(["source", "metric"], sort=False)]
    return judge([gain - needed for gain, _ in gains], [error for _, error in gains])


def _larger_k(rows: pd.DataFrame, column: str, k: int, sign: float = 1.0) -> Cases:
    """Judge whether K above k beats K up to it, in each prior and metric, at the smallest budget it needs."""
    margins, errors = [], []
    for _, of in rows.groupby(["source", "metric"], sort=False):
        at = _smallest_that_suffices(of, column)
        small, large = of[at & (of["k_responses"] <= k)], of[at & (of["k_responses"] > k)]
        if len(small) and len(large):
            (of_large, error), (of_small, other) = _gain(large, column), _gain(small, column)
            margins.append(sign * (of_large - of_small))
            errors.append(float(np.hypot(error, other)))
    return judge(margins, errors)


def _smallest_that_suffices(rows: pd.DataFrame, column: str) -> pd.Series:
    enough = rows["power"] >= POWER if column == "power" else rows[column] < ALPHA
    budget = rows.loc[enough, "budget"].min() if enough.any() else rows["budget"].max()
    return rows["budget"].eq(budget)


def _metric_decides(rows: pd.DataFrame, column: str) -> Cases:
    """Count the budgets at which the best log K varies more among metrics than among priors."""
    supporting = against = 0
    for _, best in best_k(rows, column).groupby("budget", sort=False):
        table = np.log(best.pivot(index="source", columns="metric", values="k_responses"))
        if len(table) > 1 and table.shape[1] == len(METRICS):
            among_metrics, among_priors = (float(table.var(axis=axis, ddof=1).mean()) for axis in (1, 0))
            supporting += among_metrics > among_priors
            against += among_metrics <= among_priors
    return Cases(supporting, against)
