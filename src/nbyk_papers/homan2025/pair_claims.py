"""Verdicts on Homan et al. 2025 from pairs of p-values, and from powers."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from nbyk_papers.homan2025.design import (
    ALPHA,
    BUDGETS,
    CLAIM_ITEMS,
    KEY,
    MOST_RESPONSES_OF_TABLES,
    PANELS,
    RESPONSES,
    TESTS,
)
from nbyk_papers.homan2025.size_claims import Numbers, name_of, thousands
from nbyk_papers.verdicts import CLOSE, Outcome, error_of_rate, finding, with_error

if TYPE_CHECKING:
    import pandas as pd


FEW, MANY = 5, 50
"""The responses per item that are compared at one budget."""

MOST = max(RESPONSES)


def responses_for_mae_and_memd(numbers: Numbers, semantics: str) -> Outcome | None:
    """Judge whether MAE and MEMD gain from more responses to fewer items."""
    pairs = _few_and_many(numbers, semantics)
    pairs = pairs[pairs["column"] != "wins_mae"]
    return _of_pairs(semantics, pairs, (f"K = {FEW}", f"K = {MANY}"), "comparisons")


def items_for_wins(numbers: Numbers, semantics: str) -> Outcome | None:
    """Judge whether Wins gains from fewer responses to more items."""
    pairs = _few_and_many(numbers, semantics)
    pairs = _reversed(pairs[pairs["column"] == "wins_mae"])
    return _of_pairs(semantics, pairs, (f"K = {MANY}", f"K = {FEW}"), "comparisons")


def a_hundred_responses(numbers: Numbers, semantics: str) -> Outcome | None:
    """Judge whether the smallest budget with p < .05 is best spent on 100 responses per item."""
    rows = numbers.p_values(semantics)
    rows = rows[(rows["epsilon_b"] == 0.1) & (rows["k_responses"] <= MOST_RESPONSES_OF_TABLES)].dropna(
        subset="p"
    )
    rows = rows[rows["source"] != "mhs"]
    smallest = rows[rows["p"] < ALPHA].groupby(KEY)["n_times_k"].min().rename("smallest")
    rows = rows.join(smallest, on=KEY)
    rows = rows[rows["n_times_k"] == rows["smallest"]]
    most = rows[rows["k_responses"] == MOST_RESPONSES_OF_TABLES]
    fewer = rows[rows["k_responses"] < MOST_RESPONSES_OF_TABLES]
    best = fewer.loc[fewer.groupby(KEY)["p"].idxmin()]
    return _of_pairs(
        semantics,
        _paired(best, most, [*KEY, "n_times_k"]),
        ("the best smaller K", "K = 100"),
        "data sets and metrics",
    )


def turning_points(numbers: Numbers, semantics: str) -> Outcome | None:
    """Judge whether the curves of Figure 3 turn before K = 500."""
    rows = _of_panels(numbers.p_values(semantics)).dropna(subset="p")
    on = [*KEY, "n_times_k"]
    is_end = rows["k_responses"].isin((1, MOST))
    at_both_ends = rows[is_end].groupby(on)["p"].transform("size") == 2
    ends, between = rows[is_end][at_both_ends], rows[~is_end]
    best_end, best = (part.loc[part.groupby(on)["p"].idxmin()] for part in (ends, between))
    names = (f"the better of K = 1 and {MOST}", "the best K between")
    points = _of_pairs(semantics, _paired(best_end, best, on), names, "curves")
    if points is None:
        return None
    least = sorted(set(best["k_responses"]))
    where = f"The smallest p between lies at K = {least[0]} to {least[-1]}"
    return Outcome(semantics, f"{points.here}. {where}", points.outcome)


def multistage_against_flat(numbers: Numbers, semantics: str) -> Outcome | None:
    """Judge whether multistage p-values are below flat ones."""
    grid = numbers.grid[(numbers.grid["semantics"] == semantics) & (numbers.grid["metric"] == "mae")]
    rows = _of_panels(grid.assign(column="mae"))
    of = {name: rows[rows["bootstrap"] == name] for name in ("flat", "multistage")}
    pairs = _paired(of["flat"], of["multistage"], [*KEY, "n_times_k", "k_responses"])
    return _of_pairs(semantics, pairs, ("flat", "multistage"), "sizes")


def larger_budgets(numbers: Numbers, semantics: str) -> Outcome | None:
    """Judge whether more responses in total lower p."""
    import pandas as pd

    rows = numbers.p_values(semantics)
    on = [*KEY, "k_responses"]
    budgets = sorted(set(rows["n_times_k"]) & set(BUDGETS))
    steps = [
        _paired(rows[rows["n_times_k"] == small], rows[rows["n_times_k"] == large], on).assign(
            n_times_k=large
        )
        for small, large in pairwise(budgets)
    ]
    if not steps:
        return None
    pairs = pd.concat(steps, ignore_index=True)
    return _of_pairs(semantics, pairs, ("the smaller N·K", "the larger"), "steps")


def mae_against_wins(numbers: Numbers, semantics: str) -> Outcome | None:
    """Judge whether MAE has smaller p-values than Wins."""
    rows = numbers.p_values(semantics)
    of = {name: rows[rows["column"] == name] for name in ("mae", "wins_mae")}
    on = ["source", "epsilon_b", "n_times_k", "k_responses"]
    pairs = _paired(of["wins_mae"], of["mae"], on).assign(column="mae")
    return _of_pairs(semantics, pairs, ("Wins", "MAE"), "comparisons")


def _of_panels(rows: pd.DataFrame) -> pd.DataFrame:
    places = zip(rows["source"], rows["epsilon_b"], strict=True)
    inside = np.array([place in PANELS for place in places], dtype=bool)
    return rows[inside & (rows["column"] == "mae") & rows["n_times_k"].isin(BUDGETS)]


def _few_and_many(numbers: Numbers, semantics: str) -> pd.DataFrame:
    rows = numbers.p_values(semantics)
    few, many = (rows[rows["k_responses"] == k] for k in (FEW, MANY))
    return _paired(few, many, [*KEY, "n_times_k"])


def _paired(first: pd.DataFrame, second: pd.DataFrame, on: list[str]) -> pd.DataFrame:
    """Return cases that support a claim where the first p-value is the larger one."""
    values = ["p", "standard_error"]
    keys = list(dict.fromkeys([*on, *(name for name in KEY if name in on)]))
    pairs = first[[*keys, *values]].merge(second[[*keys, *values]], on=keys, suffixes=("_first", "_second"))
    error = np.hypot(pairs["standard_error_first"], pairs["standard_error_second"])
    return pairs.assign(margin=pairs["p_first"] - pairs["p_second"], error=error).dropna(subset="margin")


def _reversed(pairs: pd.DataFrame) -> pd.DataFrame:
    names = {
        f"{name}_{a}": f"{name}_{b}"
        for name in ("p", "standard_error")
        for a, b in (("first", "second"), ("second", "first"))
    }
    return pairs.rename(columns=names).assign(margin=-pairs["margin"])


def _of_pairs(semantics: str, pairs: pd.DataFrame, names: tuple[str, str], of_what: str) -> Outcome | None:
    """Return a finding of pairs, with the pair that contradicts, or else supports, the claim most."""
    if pairs.empty:
        return None
    contrary = pairs[pairs["margin"] < -CLOSE * pairs["error"]]
    place = contrary["margin"].argmin() if len(contrary) else pairs["margin"].argmax()
    shown = (contrary if len(contrary) else pairs).iloc[place]
    both = " and ".join(
        f"{with_error(shown[f'p_{place}'], shown[f'standard_error_{place}'])} with {name}"
        for place, name in zip(("first", "second"), names, strict=True)
    )
    at = f", N·K = {thousands(shown['n_times_k'])}" if "n_times_k" in shown.index else ""
    most = "contradicts the claim most" if len(contrary) else "supports the claim most"
    more = f". The case that {most}: p = {both} ({name_of(shown)}{at})"
    return finding(semantics, pairs["margin"], pairs["error"], of_what, more)


ENOUGH_POWER = 0.9
BASELINES = ("welch_t", "wilcoxon", "paired_permutation", "unpaired_permutation")
TEST_OF = {"published": "multistage_bootstrap", "recommended": "swap_items"}
"""The test whose power is compared: the paper's, and nbyk's own."""

_PANELS = (
    ("k_responses", 5, "n_items"),
    ("k_responses", 10, "n_items"),
    ("n_items", CLAIM_ITEMS, "k_responses"),
)
_LETTER = {"n_items": "N", "k_responses": "K"}


def power(numbers: Numbers, semantics: str) -> Outcome | None:
    """Judge whether the paper's test, or nbyk's, has a power of 90 % before the usual tests."""
    if numbers.power is None:
        return None
    test, rows = TEST_OF[semantics], numbers.power
    margins, errors, parts = [], [], []
    for fixed, value, across in _PANELS:
        panel = rows[rows[fixed] == value].set_index(across).sort_index()
        ours, outcomes = panel[panel["test"] == test], []
        for baseline in BASELINES:
            theirs = panel.loc[panel["test"] == baseline, "power"].rename("power_baseline")
            both = ours.join(theirs, how="inner")
            enough = both[both[["power", "power_baseline"]].max(axis=1) >= ENOUGH_POWER]
            if enough.empty:
                continue
            first = enough.iloc[0]
            powers = first["power"], first["power_baseline"]
            both_errors = [error_of_rate(power * first["n_sets"], first["n_sets"]) for power in powers]
            margins.append(powers[0] - powers[1])
            errors.append(math.hypot(*both_errors))
            ours_there, theirs_there = map(with_error, powers, both_errors)
            at = f"{_LETTER[across]} = {enough.index[0]}"
            outcomes.append(f"{ours_there} against {theirs_there} of {TESTS[baseline]} at {at}")
        if outcomes:
            parts.append(f"With {_LETTER[fixed]} = {value}: {', '.join(outcomes)}")
    more = f". Power of the {TESTS[test]} test. {'. '.join(parts)}"
    return finding(semantics, margins, errors, "comparisons with baseline tests", more)
