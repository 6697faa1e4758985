"""Cells as tables: nothing is lost on the way to Parquet, and p-values are those of the draws."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from nbyk.data.responses import response_set
from nbyk.errors import NbykError
from nbyk.files import read_parquet, write_parquet
from nbyk.priors import published_prior
from nbyk.resampling.population import Population
from nbyk.resampling.resample import resampled_effects
from nbyk.resampling.simulate import simulated_effects
from nbyk.studies.steps import Work
from nbyk.testing.pvalues import expected_p
from nbyk_papers.gathered import P_VALUES, as_rows
from nbyk_papers.wein2023.cells import (
    estimated_p_table,
    reference_sets,
    references_from_table,
    references_table,
    true_p_table,
)
from nbyk_papers.wein2023.comparison import read_cells
from nbyk_papers.wein2023.design import Estimation
from nbyk_papers.wein2023.pvalues import with_true_p
from nbyk_papers.wein2023.tables import all_tables

TOXICITY = published_prior("toxicity")
COLUMNS = {"mse": "inverse_mse", "emd_aggregated": "histogram_emd_aggregated(bins=50)"}


def test_reference_sets_survive_parquet(tmp_path) -> None:  # type: ignore[no-untyped-def]
    ragged = response_set([[0.1, np.nan], [0.2, 0.3]], [[0.4], [0.5]], [[0.6, 0.7], [0.8, np.nan]])
    write_parquet(tmp_path / "sets.parquet", references_table({0: ragged, 20: ragged}), {"seed": 1})
    table, made = read_parquet(tmp_path / "sets.parquet")
    assert made["seed"] == 1
    found = references_from_table(table)
    assert list(found) == [0, 20]
    for again in found.values():
        assert again.fingerprint() == ragged.fingerprint()


def test_real_gold_is_drawn_from_items_rated_twice() -> None:
    generator = np.random.default_rng(1)
    gold = generator.integers(0, 5, (50, 4)) / 5
    gold[:10, 1:] = np.nan
    population = Population(TOXICITY, 30, 3, 0.1)
    sets = reference_sets(population, references=range(2), seed=3, gold=gold)
    rows = {tuple(row) for row in gold[10:]}
    for data in sets:
        assert {tuple(row) for row in data.gold} <= rows
        assert data.a.shape == (30, 3)
    assert sets[0].fingerprint() != sets[1].fingerprint()
    with pytest.raises(NbykError, match="40 items have at least two ratings, 41 were asked for"):
        reference_sets(replace(population, n_items=41), references=[0], seed=3, gold=gold)


@pytest.mark.parametrize(
    ("semantics", "null", "few"), [("published", "pooled_twice", 100), ("recommended", "pooled", 120)]
)
def test_p_values_are_those_of_the_draws(semantics: str, null: str, few: int) -> None:
    population, work = Population(TOXICITY, 30, 3, 0.2), Work("test")
    sets = dict(enumerate(reference_sets(population, references=range(2), seed=1)))
    sampler = "bootstrap_items/sample(1)"
    how = Estimation(semantics, null, [sampler], 120, 50, seed=1)
    one = replace(population, k_responses=1)
    fresh = simulated_effects(one, list(COLUMNS.values()), n_draws=60, seed=1)
    estimates = estimated_p_table(sets, COLUMNS, how, work).to_pandas()
    truths = true_p_table(fresh, list(COLUMNS)).to_pandas().assign(responses=1)
    table = with_true_p(estimates.assign(k_responses=3), truths).to_dict("records")
    assert [(row["reference"], row["metric"]) for row in table] == [
        (reference, column) for reference in (0, 1) for column in COLUMNS
    ]
    resamples = {("mse", 0): 120, ("emd_aggregated", 0): few}
    shared = semantics == "recommended"
    for row in table:
        metric, m = list(COLUMNS).index(row["metric"]), row["n_resamples"]
        draws = resampled_effects(
            sets[row["reference"]],
            COLUMNS[row["metric"]],
            sampler=sampler,
            null=null,
            share_gold=shared,
            n_resamples=50 if row["reference"] else 120,
            seed=1,
        )
        estimate = expected_p(draws.alternative[0, :m], draws.null[0, :m], paired=shared)
        truth = expected_p(fresh.alternative[metric], fresh.null[metric])
        assert (row["estimated_p"], row["estimated_se"]) == (estimate.p, estimate.standard_error)
        assert (row["true_p"], row["true_se"]) == (truth.p, truth.standard_error)
        assert (m, row["n_draws"]) == (resamples.get((row["metric"], row["reference"]), 50), 60)


def test_no_published_number_stands_beside_a_perturbed_a(tmp_path: Path) -> None:
    """The same made-up p-values, once of the paper's ideal A and once of a perturbed one."""
    row = {
        "epsilon_b": 0.1,
        "n_items": 1000,
        "k_responses": 5,
        "null": "pooled_twice",
        "semantics": "published",
        "source": "simulated",
        "sampler": "bootstrap_items/all",
        "metric": "mae",
        "estimated_p": 0.01,
        "estimated_se": 0.001,
        "true_p": 0.002,
        "true_se": 0.001,
        "n_draws": 1000,
    }
    beside = {}
    for epsilon_a in (0.0, 0.05):
        path = tmp_path / f"{epsilon_a}.parquet"
        rows = pd.DataFrame([{**row, "epsilon_a": epsilon_a, "reference": reference} for reference in (0, 1)])
        write_parquet(path, as_rows(P_VALUES, "wein2023", 1, rows), {})
        cells = read_cells(
            [path],
            n_items=1000,
            k_responses=5,
            epsilon_a=epsilon_a,
            columns=["mae"],
            samplers=["bootstrap_items/all"],
        )
        beside[epsilon_a] = cells.table["published_true_p"].notna().tolist()
        captions = [caption for _, caption, _ in all_tables(cells)]
        assert any("ε = 0.1, ε_A = 0.05 (" in caption for caption in captions) == (epsilon_a > 0.0)
    assert beside == {0.0: [True], 0.05: [False]}
