"""The published numbers as data, and the semantics that reproduce them."""

from __future__ import annotations

import numpy as np
import pytest

import nbyk
from nbyk.errors import NbykError
from nbyk.metrics import get
from nbyk.resampling.samplers import WEIN_SAMPLERS
from nbyk.testing.pvalues import expected_p
from nbyk_papers.wein2023.design import (
    COLUMNS,
    EPSILONS,
    SEMANTICS,
    columns_of_sampler,
    full_table_name,
    get_semantics,
    published_minima,
    published_p_values,
)


@pytest.mark.quick
def test_every_published_row_is_one_of_our_cells() -> None:
    table = published_p_values()
    assert len(table) == 450
    cells = {
        (source, epsilon, sampler, column)
        for source in ("simulated", "toxicity")
        for epsilon in EPSILONS
        for sampler in WEIN_SAMPLERS
        for column in columns_of_sampler(sampler, tuple(COLUMNS))
    }
    assert set(zip(table.source, table.epsilon_b, table.sampler, table.metric, strict=True)) == cells


def test_tables_have_the_papers_numbers() -> None:
    table = published_p_values().drop_duplicates("table")
    for row in table.itertuples():
        number = int(row.table.removeprefix("Table "))
        assert full_table_name(row.source, row.epsilon_b) == f"table_{number:02d}"
    assert full_table_name("convabuse", 0.1) == "convabuse_epsilon_0.1"
    assert full_table_name("simulated", 0.2) == "simulated_epsilon_0.2"


def test_minima_are_of_known_samplers_and_columns() -> None:
    table = published_minima()
    assert set(table[table.row_kind == "sampler"].row) == set(WEIN_SAMPLERS)
    assert set(table[table.row_kind == "metric"].row) == set(COLUMNS) - {"wins_mae_vectorized"}


@pytest.mark.parametrize("semantics", SEMANTICS.values(), ids=list(SEMANTICS))
def test_every_column_stands_for_a_metric(semantics) -> None:  # type: ignore[no-untyped-def]
    for column in COLUMNS:
        assert get(semantics.metric(column)).name == semantics.metric(column)
    assert set(semantics.metric_of_column) | set(semantics.resamples_of_column) <= set(COLUMNS)
    assert semantics.metric("a_users_own") == "a_users_own"


def test_unknown_semantics_are_named() -> None:
    with pytest.raises(NbykError, match="did you mean published"):
        get_semantics("publish")


@pytest.mark.parametrize(
    ("k", "columns"),
    [(5, ("mae", "mse", "spearman", "cosine", "mean_of_emds", "emd_aggregated")), (1, ("mae", "spearman"))],
)
def test_true_p_values_of_table_7_are_reproduced(k: int, columns: tuple[str, ...]) -> None:
    """Simulated data at ε = .1, M = 1000 on both sides: within 3.5 standard errors of the difference."""
    published = published_p_values().set_index(["table", "sampler", "metric"]).true_p
    sampler = "all_items/sample(K)" if k == 5 else "all_items/sample(1)"
    metrics = [SEMANTICS["published"].metric(column) for column in columns]
    draws = nbyk.simulated_effects(
        nbyk.Population(nbyk.published_prior("simulated", "published"), 1000, k, 0.1), metrics
    )
    for row, column in enumerate(columns):
        ours = expected_p(draws.alternative[row], draws.null[row])
        difference = ours.p - published["Table 7", sampler, column]
        assert abs(difference) < 3.5 * np.hypot(np.sqrt(2) * ours.standard_error, 1e-6), column
