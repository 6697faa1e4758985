"""BooStSa's study: its names, and its cells as tables that depend on what they are alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

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
from nbyk_papers.boostsa2022.label_bootstrap import label_bootstrap
from nbyk_papers.boostsa2022.label_cells import (
    LabelTests,
    LevelTests,
    balanced,
    counted_set,
    example,
    levels,
    tagging,
)

WORK = Work("test")


def asked_tests(
    scores: list[str], fractions: list[float], n_simulations: int = 2, seed: int = 5
) -> LabelTests:
    return LabelTests(scores, fractions, n_simulations, n_resamples=64, seed=seed)


def test_names_are_those_of_the_registry() -> None:
    assert set(HARD_SCORES) <= set(names("classes")) - set(names("distributions"))
    assert set(SOFT_SCORES) <= set(names("distributions"))
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
    def of(tests: LabelTests) -> pd.DataFrame:
        return balanced(n_items=400, accuracy=0.8, tests=tests, work=WORK)[0].to_pandas()

    both = of(asked_tests(["accuracy", "f1_macro"], [0.5, 1.0]))
    alone = of(asked_tests(["f1_macro"], [1.0]))
    same = both[(both["score"] == "f1_macro") & (both["fraction"] == 1.0)].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, same)
    longer = of(asked_tests(["f1_macro"], [1.0], n_simulations=3))
    pd.testing.assert_frame_equal(longer[: len(same)], same)


def test_simulations_differ_and_so_do_seeds() -> None:
    found, other = (
        tagging(discordance=0.05, tests=asked_tests(["f1_macro"], [1.0], seed=seed), work=WORK)[0].to_pandas()
        for seed in (5, 6)
    )
    assert found.groupby("semantics")["score_a"].nunique().tolist() == [2, 2]
    assert not set(found["score_a"]) & set(other["score_a"])
    assert set(found["discordance"]) == {0.05}


def test_the_example_is_tested_as_label_bootstrap_does() -> None:
    table = example(tests=asked_tests(["accuracy"], [0.2]), work=WORK)[0].to_pandas()
    assert set(table["semantics"]) == {"published", "recommended"}
    assert table["score_b"].nunique() == 1
    # 20,000 resamples against 2 of 64 each: within four standard errors of the small ones.
    exact = label_bootstrap(*counted_set(EXAMPLE_COUNTS), ["accuracy"], fraction=0.2, n_resamples=20_000)
    p = exact.comparisons[0].p
    assert abs(table["p"].mean() - p) < 4.0 * (p * (1.0 - p) / 128) ** 0.5 + 1 / 65
    assert set(table["n_drawn"]) == {200}


@pytest.mark.parametrize("semantics", ["published", "recommended"])
def test_levels_are_counts_with_exact_intervals(semantics: Any) -> None:
    options: dict[str, Any] = {"n_items": 30, "n_sets": 70, "n_resamples": 99, "alpha": 0.05, "seed": 3}
    asked = LevelTests(["js_distance"], [0.5, 1.0], semantics=semantics, **options)
    table = levels(kind="soft", tests=asked, work=WORK)[0].to_pandas()
    assert table["fraction"].tolist() == [0.5, 1.0]
    for row in table.itertuples():
        exact = binomtest(row.rejections, row.n_sets).proportion_ci(method="exact")
        assert (row.low, row.high) == pytest.approx((exact.low, exact.high))
        assert row.rate == row.rejections / row.n_sets
