"""BooStSa's study: its names, and its cells as tables that depend on what they are alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from nbyk.labels import label_bootstrap
from nbyk.labels.level import type_one_error
from nbyk.metrics import names
from nbyk.studies.steps import Work
from nbyk_papers.boostsa2022.design import (
    EXAMPLE_COUNTS,
    FRACTIONS,
    HARD_SCORES,
    SCORES,
    SIZE_STEP,
    SIZES,
    SOFT_SCORES,
    TAGGED_ITEMS,
    TAGGED_RIGHT_A,
    TAGGED_RIGHT_B,
    TAGGING,
)
from nbyk_papers.boostsa2022.label_cells import (
    balanced_p_values,
    example_p_values,
    levels_table,
    tagging_p_values,
)
from nbyk_papers.boostsa2022.label_sets import counted_set

CELL: dict[str, Any] = {"n_simulations": 2, "n_resamples": 64, "seed": 5, "work": Work("test")}


def test_names_are_those_of_the_registry() -> None:
    assert set(HARD_SCORES) == set(names("hard labels"))
    assert set(SOFT_SCORES) == set(names("soft labels"))
    assert set(SCORES) <= {*HARD_SCORES, *SOFT_SCORES}
    assert set(TAGGING) <= set(SCORES)
    assert all(size % SIZE_STEP == 0 for size in SIZES)
    assert tuple(sorted(FRACTIONS)) == FRACTIONS


def test_no_whole_number_gives_the_larger_printed_accuracy() -> None:
    printed_b, printed_a = TAGGING["accuracy"]
    assert round(TAGGED_RIGHT_B / TAGGED_ITEMS, 4) == printed_b
    accuracies = np.arange(TAGGED_ITEMS + 1) / TAGGED_ITEMS
    assert printed_a not in accuracies.round(4)
    assert np.abs(accuracies - printed_a).argmin() == TAGGED_RIGHT_A


def test_a_cell_depends_on_neither_the_shares_nor_the_scores_asked_for() -> None:
    both = balanced_p_values(
        n_items=400, accuracy=0.8, scores=["accuracy", "f1_macro"], fractions=[0.5, 1.0], **CELL
    ).to_pandas()
    alone = balanced_p_values(n_items=400, accuracy=0.8, scores=["f1_macro"], fractions=[1.0], **CELL)
    same = both[(both["score"] == "f1_macro") & (both["fraction"] == 1.0)].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone.to_pandas(), same)
    longer = balanced_p_values(
        n_items=400, accuracy=0.8, scores=["f1_macro"], fractions=[1.0], **{**CELL, "n_simulations": 3}
    )
    pd.testing.assert_frame_equal(longer.to_pandas()[: len(same)], same)


def test_simulations_differ_and_so_do_seeds() -> None:
    options: dict[str, Any] = {"discordance": 0.05, "scores": ["f1_macro"], "fractions": [1.0]}
    found = tagging_p_values(**options, **CELL).to_pandas()
    other = tagging_p_values(**options, **{**CELL, "seed": 6}).to_pandas()
    assert found.groupby("semantics")["score_a"].nunique().tolist() == [2, 2]
    assert not set(found["score_a"]) & set(other["score_a"])
    assert set(found["discordance"]) == {0.05}


def test_the_example_is_tested_as_label_bootstrap_does() -> None:
    table = example_p_values(scores=["accuracy"], fractions=[0.2], **CELL).to_pandas()
    assert set(table["semantics"]) == {"published", "recommended"}
    assert table["score_b"].nunique() == 1
    # 20,000 resamples against 2 of 64 each: within four standard errors of the small ones.
    exact = label_bootstrap(*counted_set(EXAMPLE_COUNTS), "accuracy", fraction=0.2, n_resamples=20_000)
    p = exact["accuracy"].p_greater
    assert abs(table["p"].mean() - p) < 4.0 * (p * (1.0 - p) / 128) ** 0.5 + 1 / 65
    assert set(table["n_drawn"]) == {200}


@pytest.mark.parametrize("semantics", ["published", "recommended"])
def test_levels_are_counts_with_exact_intervals(semantics: Any) -> None:
    options: dict[str, Any] = {"n_items": 30, "n_sets": 70, "n_resamples": 99, "alpha": 0.05, "seed": 3}
    table = levels_table(
        "soft",
        scores=["js_distance"],
        fractions=[0.5, 1.0],
        semantics=semantics,
        work=Work("test"),
        **options,
    ).to_pandas()
    levels = type_one_error("soft", "js_distance", fractions=[0.5, 1.0], semantics=semantics, **options)
    assert table["rate"].tolist() == [level.rate for level in levels]
    for row in table.itertuples():
        exact = binomtest(row.rejections, row.n_sets).proportion_ci(method="exact")
        assert (row.low, row.high) == pytest.approx((exact.low, exact.high))
        assert row.rate == row.rejections / row.n_sets
