"""The study's published numbers as data, its grid of sizes, its rule of selection and its tests' power."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from nbyk.errors import NbykError
from nbyk.metrics import get
from nbyk.planning.power.estimate import power_of_test
from nbyk.priors import published_prior
from nbyk.resampling.population import Population
from nbyk_papers import placed
from nbyk_papers.batches import Trials
from nbyk_papers.homan2025.design import (
    BUDGETS,
    COLUMNS,
    EPSILONS,
    FIGURE_5_METRICS,
    LABELS,
    METRIC_OF_COLUMN,
    METRICS,
    MOST_RESPONSES_OF_TABLES,
    RESPONSES,
    TABLE_OF_EPSILON,
    grid_sizes,
    label,
    published_table,
    select_smallest,
)
from nbyk_papers.homan2025.figures import figures_of
from nbyk_papers.homan2025.power_study import STUDY_TESTS, power_study
from nbyk_papers.homan2025.study import PAPERS_SIZES

ALL = [(source, epsilon) for source in LABELS for epsilon in EPSILONS]


def test_every_published_cell_is_one_of_our_grid() -> None:
    table = published_table()
    assert len(table) == 63
    assert set(zip(table.source, table.epsilon_b, table.column, strict=True)) == {
        (source, epsilon, column) for source in LABELS for epsilon in TABLE_OF_EPSILON for column in COLUMNS
    }
    filled = table.dropna()
    assert len(filled) == 57
    sizes = set(grid_sizes(BUDGETS, RESPONSES))
    for row in filled.itertuples():
        assert (row.published_n_times_k / row.published_k, row.published_k) in sizes
        assert row.published_k <= MOST_RESPONSES_OF_TABLES
        assert row.published_p < 0.05


def test_sources_and_metrics_exist_under_their_names() -> None:
    for source in LABELS:
        assert published_prior(source).name == source
    for name in (*METRICS, *FIGURE_5_METRICS):
        assert get(name).name == name
    assert all(set(metrics.values()) <= set(METRICS) for metrics in METRIC_OF_COLUMN.values())
    assert (label("hs_brexit"), label("convabuse_fit")) == ("HS-Brexit", "ConvAbuse (own fit)")


def test_a_size_spends_its_budget_on_two_items_or_more() -> None:
    sizes = grid_sizes(BUDGETS, RESPONSES)
    assert len(set(sizes)) == len(sizes) == 107
    assert all(n * k in BUDGETS and n >= 2 for n, k in sizes)
    assert grid_sizes([200, 500], [1, 3, 250, 500]) == [(200, 1), (500, 1), (2, 250)]


def rows(sizes_and_p: list[tuple[int, int, float]], column: str = "mae") -> pd.DataFrame:
    table = pd.DataFrame(sizes_and_p, columns=["n_items", "k_responses", "p"])
    return table.assign(source="toxicity", epsilon_b=0.1, column=column)


@pytest.mark.parametrize(
    ("sizes_and_p", "picked"),
    [
        ([(200, 5, 0.04), (100, 10, 0.03), (400, 5, 0.001)], (1000, 10)),
        ([(200, 5, 0.06), (100, 10, 0.05), (400, 5, 0.049)], (2000, 5)),
        ([(4, 250, 0.001), (400, 5, 0.04)], (2000, 5)),  # the tables never go above K = 100
        ([(100, 7, 0.001), (100, 15, 0.001), (200, 5, 0.04)], (1000, 5)),  # nor off the paper's grid
        ([(200, 5, np.nan), (400, 5, 0.01)], (2000, 5)),
        ([(200, 5, 0.2)], None),
    ],
)
def test_the_smallest_significant_budget_is_picked_and_at_it_the_smallest_p(
    sizes_and_p: list[tuple[int, int, float]], picked: tuple[int, int] | None
) -> None:
    chosen = select_smallest(rows(sizes_and_p[::-1]))
    found = list(zip(chosen.n_times_k, chosen.k_responses, strict=True))
    assert found == ([] if picked is None else [picked])


def test_each_column_is_picked_by_itself() -> None:
    both = pd.concat([rows([(200, 5, 0.01)]), rows([(200, 5, 0.3), (400, 5, 0.02)], "wins_mae")])
    chosen = select_smallest(both).set_index("column")
    assert chosen.n_times_k.to_dict() == {"mae": 1000, "wins_mae": 2000}


def run_of(
    cells: Iterable[tuple[str, float]], sizes: Iterable[tuple[int, int]], metrics: Iterable[str]
) -> pd.DataFrame:
    combined = [(*cell, *size, metric) for cell, size, metric in product(cells, sizes, metrics)]
    return pd.DataFrame(combined, columns=["source", "epsilon_b", "n_items", "k_responses", "metric"])


def test_a_run_draws_the_figures_that_it_has_numbers_for() -> None:
    power, of_fit = pd.DataFrame(), (Path("ratings.parquet"), Path("prior.json"))
    everything = list(
        figures_of(run_of(ALL, PAPERS_SIZES, METRICS), power, {"convabuse_fit": of_fit}, {}, seed=1)
    )
    assert len(everything) == len(set(everything)) == 1 + 2 + 2 * 10 + 1 + 3
    for semantics in METRIC_OF_COLUMN:
        numbers = ("03a", "03b", "04", "05a", "05b", "07", "08", "09", "10", "11")
        assert {placed(semantics, f"figure_{number}") for number in numbers} <= set(everything)
    rated = {name: Path("ratings.parquet") for name in ("multidomain", "armis")}
    few = figures_of(run_of([("mhs", 0.1)], [(40, 5)], ["mae"]), None, {}, rated, seed=1)
    assert list(few) == [
        *("figure_01", "figure_02a", "figure_02b", "figure_02_armis"),
        *("figure_11", "recommended/figure_11", "overstatement", "agreement"),
    ]
    small = figures_of(run_of([("toxicity", 0.05)], [(40, 5)], METRICS), None, {}, {}, seed=1)
    assert not any("figure_05" in name for name in small)


@pytest.mark.statistics
def test_a_point_of_figure_6() -> None:
    prior = published_prior("toxicity")
    population, trials = Population(prior, 100, 5, 0.2), Trials(300, 2000, seed=0)
    table = power_study(population, trials, threads=2)
    power = dict(zip(table["test"].to_pylist(), table["power"].to_pylist(), strict=True))
    assert tuple(power) == STUDY_TESTS
    assert set(table["n_sets"].to_pylist()) == {300}
    assert abs(power["paired_permutation"] - power["swap_items"]) <= 0.02  # other draws of the same test
    assert power["welch_t"] < power["swap_items"]  # it does not know that both errors are of the same item
    alone = power_of_test(population, n_sets=300, n_resamples=2000, alternative="greater")
    assert alone.power == power["swap_items"]
    again = power_study(population, trials)
    assert again.equals(table)


def test_continuous_responses_are_refused() -> None:
    with pytest.raises(NbykError, match="normal is continuous"):
        power_study(Population(published_prior("simulated"), 15, 2, 0.6), Trials(20, 199, seed=0))
