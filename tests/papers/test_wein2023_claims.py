"""Verdicts on the paper's answers, and the nearest samplers, from made-up errors whose order is known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from nbyk_papers.verdicts import FAILS, HOLDS, OPEN
from nbyk_papers.wein2023.choices import best_choices, nearest_table, places_of, sampler_table
from nbyk_papers.wein2023.claims import verdicts_of
from nbyk_papers.wein2023.comparison import Cells
from tests.papers.test_wein2023_choices import METRICS, SAMPLERS, cells_of_errors
from tests.papers.test_wein2023_report import cells_of_the_paper

FIRST_WORST = np.array([[0.10, 0.12, 0.14], [0.02, 0.03, 0.09], [0.20, 0.22, 0.24]])
"""Rows: all_items/sample(K), bootstrap_items/all, bootstrap_items/first_element; columns: `METRICS`."""


def outcomes(cells: Cells) -> dict[str, tuple[str, str]]:
    """Return the verdict and the numbers of each claim by its place and its first words."""
    return {
        f"{verdict.place}: {verdict.claim[:20]}": (verdict.outcome, verdict.here)
        for verdict in verdicts_of(cells)
    }


def test_claims_hold_where_errors_are_as_the_paper_says() -> None:
    found = outcomes(cells_of_errors(FIRST_WORST))
    verdict, numbers = found["section 7, RQ1: “(bootstrap_items, f"]
    assert verdict == HOLDS
    assert numbers == "Of 2 comparisons of samplers, 2 support the claim and 0 contradict it"
    assert found["section 7, RQ2: “The most promising "][0] == HOLDS
    assert found["sections 5 and 8.1: “sampling methods wh"][0] == HOLDS
    # Of its metrics only Spearman's ρ is here, off by .09 with bootstrap_items/all: not below .05.
    assert found["sections 5 and 8.1: “Wins(MAE) and Spear"][0] == FAILS


def test_claims_fail_where_errors_are_the_other_way_round() -> None:
    found = outcomes(cells_of_errors(FIRST_WORST[[2, 0, 1]]))
    assert found["section 7, RQ1: “(bootstrap_items, f"][0] == FAILS
    assert found["sections 5 and 8.1: “sampling methods wh"][0] == FAILS


def test_claims_are_open_where_the_true_p_values_are_rough() -> None:
    found = outcomes(cells_of_errors(FIRST_WORST, true_se=0.2))
    assert {verdict for verdict, _ in found.values()} == {OPEN}


def test_a_lead_has_the_error_of_paired_sets_and_of_both_true_p_values() -> None:
    cells = cells_of_errors(FIRST_WORST, n_sets=8, true_se=0.003)
    (place,) = places_of(cells)
    better, worse = place.of_samplers(SAMPLERS[1]), place.of_samplers(SAMPLERS[2])
    wide = cells.by_reference.assign(error=(cells.by_reference.estimated_p - 0.2).abs())
    wide = wide.groupby(["reference", "sampler"])["error"].mean().unstack()
    difference = wide[SAMPLERS[2]] - wide[SAMPLERS[1]]
    lead, error = place.lead(better, worse)
    assert lead == pytest.approx(difference.mean())
    assert error == pytest.approx(np.sqrt(difference.var() / 8 + 2 * 0.003**2))
    margin, error = place.below(0.05, better)
    assert margin == pytest.approx(0.05 - wide[SAMPLERS[1]].mean())
    assert error == pytest.approx(np.sqrt(wide[SAMPLERS[1]].var() / 8 + 0.003**2))


def test_the_nearest_sampler_by_metric_and_those_as_near() -> None:
    mean = FIRST_WORST.copy()
    mean[0, 0] = mean[1, 0]
    table = nearest_table(cells_of_errors(mean)).set_index("metric")
    assert set(table["nearest sampler"][["mse", "spearman"]]) == {SAMPLERS[1]}
    assert {table.loc["mae", "nearest sampler"], table.loc["mae", "as near"]} == set(SAMPLERS[:2])
    assert table.loc["mse", "as near"] == ""
    assert table["acceptable"].tolist() == ["yes", "yes", "no"]
    assert table.loc["mse", "mean error"] == pytest.approx(0.03, abs=0.01)


def test_samplers_by_their_share_of_estimates_that_are_not_acceptable() -> None:
    table = sampler_table(cells_of_errors(FIRST_WORST)).set_index("sampler")
    assert table.loc[SAMPLERS[2], "not acceptable"] == 1.0
    assert table.loc[SAMPLERS[1], "not acceptable"] < 0.6
    assert table.loc[SAMPLERS[0], "mean error"] == pytest.approx(0.12, abs=0.01)


def test_the_best_metric_and_sampler_of_any_source_and_those_as_good() -> None:
    cells = cells_of_errors(FIRST_WORST)
    mine = Cells(
        cells.table.assign(source="my_ratings"),
        pd.concat([cells.by_reference, cells.by_reference.assign(source="my_ratings")]),
        METRICS,
        SAMPLERS,
    )
    best = {row["source"]: row for row in best_choices(mine)}
    assert (best["my_ratings"]["sampler"], best["my_ratings"]["metric"]) == (SAMPLERS[1], "mae")
    assert best["my_ratings"]["as_good"] == 0
    said = "On my_ratings, estimates by mae with bootstrap_items/all are nearest to the true p-value: off"
    assert str(best["my_ratings"]["sentence"]).startswith(said)
    assert best["my_ratings"]["mean_error"] == pytest.approx(0.02, abs=0.01)
    # Claims are about the paper's sources alone: as many cases as without mine.
    assert outcomes(mine) == outcomes(cells)


def test_every_claim_of_the_paper_is_judged_on_its_own_numbers() -> None:
    """Two equal sets with the paper's p-values and a true error of .01: nine claims, none without cases."""
    verdicts = verdicts_of(cells_of_the_paper())
    assert len(verdicts) == len({(verdict.place, verdict.claim) for verdict in verdicts}) == 9
