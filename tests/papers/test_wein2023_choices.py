"""Which errors are not acceptable, and whether the best metric and sampler can be chosen apart."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from nbyk_papers.wein2023.choices import acceptable_table, choices, is_off, verdict
from nbyk_papers.wein2023.comparison import Cells
from nbyk_papers.wein2023.report import summarise
from nbyk_papers.wein2023.tables import all_tables, full
from tests.papers.test_wein2023_report import cells_of_the_paper

SAMPLERS = ("all_items/sample(K)", "bootstrap_items/all", "bootstrap_items/first_element")
METRICS = ("mae", "mse", "spearman")


def cells_of_errors(mean: np.ndarray, n_sets: int = 20, true_se: float = 0.001, seed: int = 0) -> Cells:
    """Return cells whose mean errors, of samplers in rows and metrics in columns, are given."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(0.0, 0.01, n_sets)
    rows = [
        {
            "semantics": "published",
            "source": "simulated",
            "epsilon_b": 0.1,
            "sampler": sampler,
            "metric": metric,
            "reference": reference,
            "estimated_p": 0.2 + mean[s, m] + shared[reference] + rng.normal(0.0, 0.01),
            "true_p": 0.2,
            "true_se": true_se,
        }
        for s, sampler in enumerate(SAMPLERS)
        for m, metric in enumerate(METRICS)
        for reference in range(n_sets)
    ]
    sets = pd.DataFrame(rows)
    return Cells(sets[sets.reference == 0], sets, METRICS, SAMPLERS)


ADDITIVE = np.add.outer([0.0, 0.1, 0.2], [0.1, 0.15, 0.2])


def test_choices_are_apart_where_errors_add_up() -> None:
    (row,) = choices(cells_of_errors(ADDITIVE)).to_dict("records")
    assert (row["sampler"], row["metric"]) == ("all_items/sample(K)", "mae")
    assert row["best pair"] == "all_items/sample(K), mae"
    assert row["error apart"] == row["error together"] == pytest.approx(0.1, abs=0.01)
    assert row["independent"] == "yes"


def test_choices_depend_on_each_other_where_another_sampler_suits_a_metric_better() -> None:
    crossed = ADDITIVE.copy()
    crossed[1, 2] = (
        0.02  # Spearman's ρ is at its best with the second sampler, and so is that sampler with it.
    )
    (row,) = choices(cells_of_errors(crossed)).to_dict("records")
    assert row["independent"] == "no"
    assert row["metrics with another sampler"] == 1
    assert row["samplers with another metric"] == 1
    assert row["best pair"] == "bootstrap_items/all, spearman"
    assert row["error together"] == pytest.approx(0.02, abs=0.01)
    found = verdict(choices(cells_of_errors(crossed)), "published")
    assert found["independent"] == 0
    assert "in 1 of 1 cases (simulated, ε = 0.1)" in found["sentence"]


def test_the_true_p_values_own_error_is_no_evidence() -> None:
    crossed = ADDITIVE.copy()
    crossed[1, 2] = 0.02
    (row,) = choices(cells_of_errors(crossed, true_se=0.2)).to_dict("records")
    assert row["independent"] == "yes"


def test_equal_errors_are_hardly_ever_called_dependent() -> None:
    """All errors alike: at most .05, by 100 runs with an error of .022."""
    same = np.full((3, 3), 0.2)
    wrong = sum(
        choices(cells_of_errors(same, true_se=0.0, seed=seed))["independent"].iloc[0] == "no"
        for seed in range(100)
    )
    assert wrong / 100 <= 0.05 + 3 * 0.0218


def test_there_is_nothing_to_choose_from_one_sampler() -> None:
    cells = cells_of_errors(ADDITIVE)
    sets = cells.by_reference[cells.by_reference["sampler"] == SAMPLERS[0]]
    assert choices(Cells(sets, sets, METRICS, SAMPLERS[:1])).empty


def test_an_error_of_05_is_not_acceptable() -> None:
    estimated = pd.Series([0.25, 0.2499999, 0.249999, 0.15, 0.2])
    assert is_off(estimated - 0.2).tolist() == [True, True, False, True, False]


def test_the_papers_own_numbers_are_flagged() -> None:
    cells = cells_of_the_paper()
    table = acceptable_table(cells.of("published"))
    rows = cells.table
    off = (rows.estimated_p - rows.true_p).abs() >= 0.05 - 1e-9
    assert table["not acceptable as published"].sum() == table["not acceptable"].sum() == off.sum()
    assert table["published cells"].sum() == 432
    shown = full(rows[(rows.source == "simulated") & (rows.epsilon_b == 0.1)])
    assert (shown["acceptable as published"] == "no").sum() == 16
    assert ((shown["difference"].abs() >= 0.05) == (shown["acceptable"] == "no")).all()
    summary = summarise(cells)["published"]
    assert summary["acceptable"]["published_not_acceptable"] == off.sum()
    assert summary["choices"]["cases"] == 10
    names = [name for name, _, _ in all_tables(cells)]
    assert {"acceptable", "choices"} <= set(names)
