"""The conclusions of Homan et al. 2025, and a verdict on each from the p-values and powers of a run."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from nbyk_papers.homan2025.comparison import of_columns
from nbyk_papers.homan2025.design import (
    ALPHA,
    BUDGETS,
    CLAIM_EPSILONS,
    CLAIM_ITEMS,
    COLUMNS,
    KEY,
    LABELS,
    MOST_RESPONSES_OF_TABLES,
    PANELS,
    RESPONSES,
    TABLE_OF_EPSILON,
    TESTS,
    label,
    own_size,
)
from nbyk_papers.verdicts import PaperClaim, Verdict, error_of_rate, verdicts_on, with_error

TEST_OF = {"published": "multistage_bootstrap", "recommended": "swap_items"}
"""By semantics, the test that is compared with the usual ones."""

RATERS, ANNOTATIONS = 24, 25_000
FEW, MANY = 5, 50
"""The responses per item that are compared at one budget."""

ENOUGH_POWER = 0.9
BASELINES = ("welch_t", "wilcoxon", "paired_permutation", "unpaired_permutation")

_POWER_PANELS = (
    ("k_responses", 5, "n_items"),
    ("k_responses", 10, "n_items"),
    ("n_items", CLAIM_ITEMS, "k_responses"),
)
"""Figure 6: the column that is fixed in a panel, its value, and the column that varies."""

_LETTER = {"n_items": "N", "k_responses": "K"}
_BUDGET = [*KEY, "n_times_k"]


@dataclass(frozen=True)
class PValues:
    """The numbers behind the conclusions under one semantics.

    Attributes
    ----------
    tables
        The grid's multistage p-values of the paper's priors, metrics and ε.
    sizes
        The same for sizes that only conclusions need, and for the grid's with 1000 items.
    flat
        The grid's flat p-values of MAE.
    power
        Figure 6's powers, and the `test` that stands for the semantics.
    """

    tables: pd.DataFrame
    sizes: pd.DataFrame
    flat: pd.DataFrame | None = None
    power: pd.DataFrame | None = None
    test: str = ""


@dataclass(frozen=True)
class Numbers:
    """Numbers of a run: the grid of sizes, the sizes that only conclusions need, and Figure 6's powers."""

    grid: pd.DataFrame
    claims: pd.DataFrame | None
    power: pd.DataFrame | None

    def under(self, semantics: str) -> PValues:
        """Return the numbers of a semantics."""
        tables = _of_the_paper(of_columns(self.grid, semantics), TABLE_OF_EPSILON)
        parts = [tables[tables["n_items"] == CLAIM_ITEMS]]
        if self.claims is not None:
            parts.insert(0, of_columns(self.claims, semantics))
        sizes = _of_the_paper(pd.concat(parts, ignore_index=True), CLAIM_EPSILONS)
        own = self.grid[(self.grid["semantics"] == semantics) & (self.grid["bootstrap"] == "flat")]
        flat = _of_the_paper(own[own["metric"] == "mae"].assign(column="mae"), TABLE_OF_EPSILON)
        return PValues(tables, sizes, flat, self.power, TEST_OF[semantics])


def _of_the_paper(rows: pd.DataFrame, epsilons: Collection[float]) -> pd.DataFrame:
    key = [*KEY, "n_items", "k_responses"]
    return rows[rows["source"].isin(LABELS) & rows["epsilon_b"].isin(epsilons)].drop_duplicates(key)


def at_own_sizes(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows at each data set's own N and K."""
    sizes = zip(rows["source"], rows["n_items"], rows["k_responses"], strict=True)
    return rows[np.array([own_size(source) == (n, k) for source, n, k in sizes], dtype=bool)]


def _not_significant(rows: pd.DataFrame) -> pd.DataFrame:
    """Return p-values as cases that support a claim where p is .05 or more."""
    return rows.assign(margin=rows["p"] - ALPHA, error=rows["standard_error"])


def _own_sizes(numbers: PValues) -> pd.DataFrame:
    rows = at_own_sizes(numbers.sizes)
    return _not_significant(rows[rows["column"] == "mae"])


def _raters(numbers: PValues) -> pd.DataFrame:
    rows = numbers.sizes[(numbers.sizes["n_items"] == CLAIM_ITEMS) & (numbers.sizes["column"] == "mae")]
    return _not_significant(rows[rows["k_responses"] == RATERS])


def _few_responses_of_1000_items(numbers: PValues) -> pd.DataFrame:
    rows = numbers.sizes[numbers.sizes["n_items"] == CLAIM_ITEMS]
    return _not_significant(rows[rows["k_responses"].isin((5, 10))])


def _few_responses_of_the_largest_budget(numbers: PValues) -> pd.DataFrame:
    rows = numbers.tables[numbers.tables["n_times_k"] == max(BUDGETS)]
    return _not_significant(rows[rows["k_responses"].isin((5, 10)) & rows["epsilon_b"].isin(CLAIM_EPSILONS)])


def _many_annotations(numbers: PValues) -> pd.DataFrame:
    rows = numbers.tables[numbers.tables["n_times_k"] < ANNOTATIONS].dropna(subset="p")
    rows = rows[(rows["k_responses"] <= MOST_RESPONSES_OF_TABLES) & rows["epsilon_b"].isin(CLAIM_EPSILONS)]
    return _not_significant(_best(rows, KEY))


def _best(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return the row with the smallest p in each group."""
    return rows.loc[rows.groupby(by)["p"].idxmin()]


def _pairs(first: pd.DataFrame, second: pd.DataFrame, on: list[str], names: tuple[str, str]) -> pd.DataFrame:
    """Return pairs of p-values as cases that support a claim where the second is the smaller."""
    columns = [*on, "p", "standard_error"]
    pairs = first[columns].merge(second[columns], on=on, suffixes=("_first", "_second"))
    error = np.hypot(pairs["standard_error_first"], pairs["standard_error_second"])
    margin = pairs["p_first"] - pairs["p_second"]
    return pairs.assign(margin=margin, error=error, first=names[0], second=names[1])


def _responses_for_mae_and_memd(numbers: PValues) -> pd.DataFrame:
    rows = numbers.tables[numbers.tables["column"] != "wins_mae"]
    few, many = (rows[rows["k_responses"] == k] for k in (FEW, MANY))
    return _pairs(few, many, _BUDGET, (f"K = {FEW}", f"K = {MANY}"))


def _items_for_wins(numbers: PValues) -> pd.DataFrame:
    rows = numbers.tables[numbers.tables["column"] == "wins_mae"]
    few, many = (rows[rows["k_responses"] == k] for k in (FEW, MANY))
    return _pairs(many, few, _BUDGET, (f"K = {MANY}", f"K = {FEW}"))


def _a_hundred_responses(numbers: PValues) -> pd.DataFrame:
    rows = numbers.tables.dropna(subset="p")
    rows = rows[(rows["epsilon_b"] == 0.1) & (rows["k_responses"] <= MOST_RESPONSES_OF_TABLES)]
    rows = rows[rows["source"] != "mhs"]
    smallest = rows[rows["p"] < ALPHA].groupby(KEY)["n_times_k"].min().rename("smallest")
    rows = rows.join(smallest, on=KEY)
    rows = rows[rows["n_times_k"] == rows["smallest"]]
    most = rows[rows["k_responses"] == MOST_RESPONSES_OF_TABLES]
    fewer = rows[rows["k_responses"] < MOST_RESPONSES_OF_TABLES]
    return _pairs(_best(fewer, KEY), most, _BUDGET, ("the best smaller K", "K = 100"))


def _turning_points(numbers: PValues) -> pd.DataFrame:
    rows = _of_panels(numbers.tables).dropna(subset="p")
    is_end = rows["k_responses"].isin((1, max(RESPONSES)))
    at_both_ends = rows[is_end].groupby(_BUDGET)["p"].transform("size") == 2
    ends, between = _best(rows[is_end][at_both_ends], _BUDGET), _best(rows[~is_end], _BUDGET)
    return _pairs(ends, between, _BUDGET, ("the better end", "the best K between"))


def _multistage_against_flat(numbers: PValues) -> pd.DataFrame:
    if numbers.flat is None:
        return numbers.tables.iloc[:0]
    flat, multistage = _of_panels(numbers.flat), _of_panels(numbers.tables)
    return _pairs(flat, multistage, [*_BUDGET, "k_responses"], ("flat", "multistage"))


def _of_panels(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows of MAE at the panels of Figure 3, and the paper's budgets."""
    places = zip(rows["source"], rows["epsilon_b"], strict=True)
    inside = np.array([place in PANELS for place in places], dtype=bool)
    return rows[inside & (rows["column"] == "mae") & rows["n_times_k"].isin(BUDGETS)]


def _larger_budgets(numbers: PValues) -> pd.DataFrame:
    rows, on = numbers.tables, [*KEY, "k_responses"]
    budgets = sorted(set(rows["n_times_k"]) & set(BUDGETS))
    names = "the smaller N·K", "the larger"
    by_budget = {budget: rows[rows["n_times_k"] == budget] for budget in budgets}
    steps = [
        _pairs(by_budget[small], by_budget[large], on, names).assign(n_times_k=large)
        for small, large in pairwise(budgets)
    ]
    return pd.concat(steps, ignore_index=True) if steps else rows.iloc[:0]


def _mae_against_wins(numbers: PValues) -> pd.DataFrame:
    mae, wins = (numbers.tables[numbers.tables["column"] == name] for name in ("mae", "wins_mae"))
    on = ["source", "epsilon_b", "n_times_k", "k_responses"]
    return _pairs(wins, mae, on, ("Wins", "MAE"))


def describe(case: pd.Series) -> str:
    """Return a case, one p-value or two, in words."""
    if "p_first" in case.index:
        p = " and ".join(
            f"{with_error(case[f'p_{place}'], case[f'standard_error_{place}'])} with {case[place]}"
            for place in ("first", "second")
        )
    else:
        p = with_error(case["p"], case["standard_error"])
    where = [label(case["source"]), f"ε = {case['epsilon_b']:g}"]
    where += [COLUMNS[case["column"]]] if "column" in case.index else []
    where += [f"N·K = {case['n_times_k']:,.0f}"] if "n_times_k" in case.index else []
    where += [f"K = {case['k_responses']:g}"] if "k_responses" in case.index else []
    return f"p = {p} ({', '.join(where)})"


def _power(numbers: PValues) -> pd.DataFrame:
    if numbers.power is None:
        return pd.DataFrame()
    cases: list[dict[str, Any]] = []
    for fixed, value, across in _POWER_PANELS:
        panel = numbers.power[numbers.power[fixed] == value].set_index(across).sort_index()
        ours = panel[panel["test"] == numbers.test]
        for baseline in BASELINES:
            theirs = panel.loc[panel["test"] == baseline, "power"].rename("power_baseline")
            both = ours.join(theirs, how="inner")
            enough = both[both[["power", "power_baseline"]].max(axis=1) >= ENOUGH_POWER]
            if enough.empty:
                continue
            first = enough.iloc[0]
            powers = first["power"], first["power_baseline"]
            errors = [error_of_rate(power * first["n_sets"], first["n_sets"]) for power in powers]
            own, other = map(with_error, powers, errors)
            at = f"{_LETTER[fixed]} = {value}, {_LETTER[across]} = {enough.index[0]}"
            words = f"power {own} of the {TESTS[numbers.test]}, {other} of {TESTS[baseline]}, at {at}"
            cases.append({"margin": powers[0] - powers[1], "error": math.hypot(*errors), "words": words})
    return pd.DataFrame(cases)


CLAIMS = {
    "own_sizes": PaperClaim(
        "section 1",
        "these datasets, in their current size, lack enough responses for reproducibility of model "
        "performance",
        "at each data set's own N and K, the expected p of MAE is .05 or more",
        "data sets and ε",
        _own_sizes,
        describe,
    ),
    "raters": PaperClaim(
        "section 7",
        "Even when using 1000 items, at least 25 raters are needed for models to achieve significance with "
        "MAE",
        "with 1000 items and 24 responses per item, the expected p of MAE is .05 or more",
        "data sets and ε",
        _raters,
        describe,
    ),
    "few_responses_of_1000_items": PaperClaim(
        "abstract",
        "for many common metrics, collecting even 5-10 responses per item [...] is not sufficient",
        "with 1000 items and 5 or 10 responses per item, expected p is .05 or more",
        "cases",
        _few_responses_of_1000_items,
        describe,
    ),
    "few_responses_of_the_largest_budget": PaperClaim(
        "abstract",
        "for many common metrics, collecting even 5-10 responses per item [...] is not sufficient",
        "with 5 or 10 responses per item, expected p is .05 or more even at N·K = 100,000, the paper's "
        "largest budget",
        "cases",
        _few_responses_of_the_largest_budget,
        describe,
    ),
    "many_annotations": PaperClaim(
        "section 7",
        "current evaluation practices are not sufficient [...], as using 25,000-50,000 annotations in a "
        "test set is rarely seen",
        "at every N·K below 25,000, and every K up to 100, expected p is .05 or more",
        "data sets, metrics and ε",
        _many_annotations,
        describe,
    ),
    "responses_for_mae_and_memd": PaperClaim(
        "section 7",
        "For two of our tested metrics, MAE and mean EMD, adding more responses than items is a more optimal "
        "division to achieve lower p-values",
        "at the same N·K, p is lower with K = 50 than with K = 5",
        "comparisons",
        _responses_for_mae_and_memd,
        describe,
    ),
    "items_for_wins": PaperClaim(
        "section 7",
        "For the Wins metric, the opposite is true: more items and fewer responses per item lead to lower "
        "p-values",
        "at the same N·K, p of Wins is lower with K = 5 than with K = 50",
        "comparisons",
        _items_for_wins,
        describe,
    ),
    "a_hundred_responses": PaperClaim(
        "appendix B",
        "In Table 2 (ε = 0.1), [...] minimum p-values are consistently obtained with a higher K = 100 for "
        "all datasets except MHS",
        "at the smallest N·K with p < .05, K = 100 has a smaller p than every smaller K (without MHS)",
        "data sets and metrics",
        _a_hundred_responses,
        describe,
    ),
    "turning_points": PaperClaim(
        "section 5.3",
        "There is indeed a point where trading N for K is beneficial for statistical significance: in "
        "this case, the curves hit an inflection point before K = 500",
        "in Figure 3, at each N·K, some K between 1 and 500 has a smaller p of MAE than either end",
        "curves",
        _turning_points,
        describe,
    ),
    "multistage_against_flat": PaperClaim(
        "section 5.3",
        "the multistage bootstrap p-values are smaller",
        "in Figure 3, the multistage bootstrap has a smaller p of MAE than the flat one at each size",
        "sizes",
        _multistage_against_flat,
        describe,
    ),
    "power": PaperClaim(
        "section 5.3",
        "greater statistical power for Multistage Bootstrap [...], achieving a power of 90% [...] before "
        "baseline hypothesis tests",
        "in each panel of Figure 6, at the first size where the multistage bootstrap or a baseline test has "
        "a power of .9, the multistage bootstrap has the larger power",
        "comparisons with baseline tests",
        _power,
        lambda case: str(case["words"]),
    ),
    "larger_budgets": PaperClaim(
        "section 7",
        "in all cases for all metrics, increasing the total number of responses consistently lowers p-values",
        "at the same K, p falls from each N·K to the next",
        "steps",
        _larger_budgets,
        describe,
    ),
    "mae_against_wins": PaperClaim(
        "section 7",
        "For real-world data, we actually found MAE to be more sensitive than Wins",
        "at the same N and K, p of MAE is lower than p of Wins",
        "comparisons",
        _mae_against_wins,
        describe,
    ),
}
"""The paper's conclusions about data sets, sizes, metrics and tests. Those about how many items,
raters or annotations suffice are judged at ε = .05 and .1, those about Figures 3 and 6 at the figures' own ε,
the others at .05, .1 and .2."""


def verdicts_of(numbers: Numbers) -> list[Verdict]:
    """Return a verdict on each conclusion that the run has the numbers for, under each semantics."""
    return verdicts_on(CLAIMS.values(), {semantics: numbers.under(semantics) for semantics in TEST_OF})
