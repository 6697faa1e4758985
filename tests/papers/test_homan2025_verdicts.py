"""The verdicts on Homan et al. 2025, in worlds where a conclusion is true, false or true in part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from nbyk.config import validate
from nbyk.files import write_json
from nbyk.priors import published_prior
from nbyk.studies.steps import Work
from nbyk_papers.homan2025.claims import CLAIMS, Numbers, verdicts_of
from nbyk_papers.homan2025.comparison import read_grid
from nbyk_papers.homan2025.design import (
    BUDGETS,
    CLAIM_EPSILONS,
    CLAIM_ITEMS,
    CLAIM_RESPONSES,
    COLUMNS,
    LABELS,
    METRICS,
    RESPONSES,
    TESTS,
    grid_sizes,
    own_size,
)
from nbyk_papers.homan2025.report import report
from nbyk_papers.homan2025.size_grid import GridDraws, claims, grid
from nbyk_papers.homan2025.study import claim_cells
from nbyk_papers.shown import Fits
from nbyk_papers.verdicts import FAILS, HOLDS, IN_PART, OPEN, Verdict
from tests.papers.test_homan2025_report import grid_files

Frame = pd.DataFrame
LogP = Callable[[Frame], pd.Series]


def table_of(sizes: dict[str, list[tuple[int, int]]], log_p: LogP, error: float = 1e-6) -> Frame:
    """Return p-values of every source, ε, metric, semantics and bootstrap at sizes by source."""
    rows = [(source, n, k) for source, of_source in sizes.items() for n, k in of_source]
    table = pd.DataFrame(rows, columns=["source", "n_items", "k_responses"])
    for name, values in (
        ("epsilon_b", CLAIM_EPSILONS),
        ("metric", METRICS),
        ("semantics", ("published", "recommended")),
        ("bootstrap", ("multistage", "flat")),
    ):
        table = table.merge(pd.DataFrame({name: values}), how="cross")
    table = table.assign(n_times_k=table["n_items"] * table["k_responses"])
    p = 0.5 * 10.0 ** log_p(table)
    return table.assign(p=p, standard_error=error, effect=0.01, effect_sd=0.02, n_draws=1000)


def as_the_paper_says(table: Frame) -> pd.Series:
    """Return log10 2p that falls with N·K, with K up to 100 (for Wins, with 1/K), and is smaller for MAE."""
    k = np.log10(table["k_responses"].astype(float))
    turned = np.minimum(k, 4.0 - k)  # least at K = 100
    wins = table["metric"] == "wins_mae"
    steps = np.log10(table["n_times_k"]) * (0.02 + 0.08 * turned.where(~wins, 1.0 - 0.3 * k))
    flat = (table["bootstrap"] == "flat") * 0.1
    mae = (table["metric"] == "mae") * 0.6
    return flat - mae - steps


@pytest.fixture(scope="module")
def paper() -> Frame:
    sizes = grid_sizes(BUDGETS, RESPONSES)
    return table_of(dict.fromkeys(LABELS, sizes), as_the_paper_says)


def claim_table(log_p: LogP, error: float = 1e-4) -> Frame:
    raters = [(CLAIM_ITEMS, k) for k in CLAIM_RESPONSES]
    return table_of({source: [own_size(source), *raters] for source in LABELS}, log_p, error)


def outcomes(numbers: Numbers, claim: str) -> list[str]:
    """Return what was found of a claim under either semantics."""
    found = [verdict_of(numbers, claim, semantics) for semantics in ("published", "recommended")]
    assert all(verdict is not None for verdict in found)
    return [verdict.outcome for verdict in found if verdict is not None]


def verdict_of(numbers: Numbers, claim: str, semantics: str) -> Verdict | None:
    return CLAIMS[claim].verdict(numbers.under(semantics), semantics)


def here(numbers: Numbers, claim: str) -> str:
    verdict = verdict_of(numbers, claim, "published")
    assert verdict is not None
    return verdict.here


def constant(p: float) -> LogP:
    return lambda table: pd.Series(np.log10(2.0 * p), index=table.index)


def test_data_sets_are_judged_at_their_own_sizes(paper: Frame) -> None:
    def large(table: Frame) -> pd.Series:
        is_large = table["source"].isin(["toxicity", "mhs"]) | (
            (table["source"] == "amazon") & (table["epsilon_b"] == 0.1)
        )
        return pd.Series(np.where(is_large, np.log10(2 * 0.01), np.log10(2 * 0.2)), index=table.index)

    assert outcomes(Numbers(paper, claim_table(constant(0.2)), None), "own_sizes") == [HOLDS, HOLDS]
    assert outcomes(Numbers(paper, claim_table(constant(0.04)), None), "own_sizes") == [FAILS, FAILS]
    assert outcomes(Numbers(paper, claim_table(constant(0.04), 0.01), None), "own_sizes") == [OPEN, OPEN]
    some = Numbers(paper, claim_table(large), None)
    assert outcomes(some, "own_sizes") == [IN_PART, IN_PART]
    said = here(some, "own_sizes")
    assert "(5 of 7 at ε = 0.05, 4 of 7 at ε = 0.1)" in said
    assert "least: p = 0.01000 ± 0.00010 (Toxicity, ε = 0.05, MAE, N·K = 538,100, K = 5)" in said


def test_raters_are_counted_where_p_falls_below_the_level(paper: Frame) -> None:
    def below_from(k: int) -> LogP:
        return lambda table: np.log10(2.0 * (0.01 + 0.09 * (table["k_responses"] < k)))

    sizes = grid_sizes(BUDGETS, RESPONSES)
    for k, outcome in ((25, HOLDS), (20, FAILS)):
        raters = table_of(dict.fromkeys(LABELS, sizes), below_from(k))
        numbers = Numbers(raters, claim_table(below_from(k)), None)
        assert outcomes(numbers, "raters") == [outcome, outcome]


def test_few_responses_and_annotations_are_judged_at_the_level(paper: Frame) -> None:
    sizes = dict.fromkeys(LABELS, grid_sizes(BUDGETS, RESPONSES))
    for p, outcome in ((0.2, HOLDS), (0.01, FAILS)):
        numbers = Numbers(table_of(sizes, constant(p)), None, None)
        for claim in (
            "few_responses_of_1000_items",
            "few_responses_of_the_largest_budget",
            "many_annotations",
        ):
            assert outcomes(numbers, claim) == [outcome, outcome]
    from_25_000 = table_of(sizes, lambda table: np.log10(2.0 * (0.01 + 0.09 * (table["n_times_k"] < 25_000))))
    numbers = Numbers(from_25_000, None, None)
    assert outcomes(numbers, "many_annotations") == [HOLDS, HOLDS]
    assert outcomes(numbers, "few_responses_of_the_largest_budget") == [FAILS, FAILS]


@pytest.mark.parametrize(
    "claim",
    [
        "responses_for_mae_and_memd",
        "items_for_wins",
        "turning_points",
        "multistage_against_flat",
        "larger_budgets",
        "mae_against_wins",
    ],
)
def test_what_the_paper_says_of_pairs_holds_in_its_own_world_and_fails_in_the_opposite(
    claim: str, paper: Frame
) -> None:
    assert outcomes(Numbers(paper, None, None), claim) == [HOLDS, HOLDS]
    opposite = paper.assign(p=0.01 / paper["p"])
    assert outcomes(Numbers(opposite, None, None), claim) == [FAILS, FAILS]
    mixed = paper.assign(p=paper["p"].where(paper["source"].isin(["toxicity", "mhs"]), 0.01 / paper["p"]))
    assert outcomes(Numbers(mixed, None, None), claim) == [IN_PART, IN_PART]
    unknown = paper.assign(standard_error=1.0)
    assert outcomes(Numbers(unknown, None, None), claim) == [OPEN, OPEN]


def test_a_hundred_responses_are_judged_at_the_smallest_budget(paper: Frame) -> None:
    def best_at(k: int) -> LogP:
        def log_p(table: Frame) -> pd.Series:
            p = np.where(table["n_times_k"] < 5000, 0.2, 0.02 - 0.01 * (table["k_responses"] == k))
            return pd.Series(np.log10(2.0 * p), index=table.index)

        return log_p

    sizes = dict.fromkeys(LABELS, grid_sizes(BUDGETS, RESPONSES))
    assert outcomes(Numbers(table_of(sizes, best_at(100)), None, None), "a_hundred_responses") == [
        HOLDS,
        HOLDS,
    ]
    assert outcomes(Numbers(table_of(sizes, best_at(25)), None, None), "a_hundred_responses") == [
        FAILS,
        FAILS,
    ]
    assert f"Of {6 * len(COLUMNS)} data sets and metrics" in here(
        Numbers(table_of(sizes, best_at(25)), None, None), "a_hundred_responses"
    )


def powers(lead: float) -> Frame:
    """Return powers that rise with N and K; the multistage bootstrap leads by as much, swapped items lag."""
    sizes = [(n, k) for k in (5, 10) for n in (100, 500, 1000, 2000)] + [(1000, 2)]
    rows = []
    for n, k in sizes:
        for test in TESTS:
            extra = {"multistage_bootstrap": lead, "swap_items": -lead}.get(test, 0.0)
            power = min(0.99, max(0.01, 0.3 * np.log10(n * k) - 0.2 + extra))
            rows.append({"n_items": n, "k_responses": k, "test": test, "power": power, "n_sets": 10_000})
    return pd.DataFrame(rows).assign(source="toxicity", epsilon_b=0.1, metric="mae", low=0.0, high=1.0)


def test_power_is_judged_where_a_test_first_reaches_90_percent(paper: Frame) -> None:
    numbers = Numbers(paper, None, powers(0.1))
    assert outcomes(numbers, "power") == [HOLDS, FAILS]
    said = here(numbers, "power")
    assert "least: power 0.99000 ± 0.00100 of the multistage bootstrap, 0.9097 ± 0.0029 of Welch's t" in said
    assert said.endswith("at K = 10, N = 500")
    assert outcomes(Numbers(paper, None, powers(0.001)), "power") == [OPEN, OPEN]
    assert verdict_of(Numbers(paper, None, None), "power", "published") is None


def test_own_fits_and_other_epsilons_are_no_cases(paper: Frame) -> None:
    others = [
        paper[paper["source"] == "convabuse"].assign(source="convabuse_fit", p=1e-9),
        paper.assign(epsilon_b=0.9, p=0.5),
    ]
    more = pd.concat([paper, *others], ignore_index=True)
    for claim in ("responses_for_mae_and_memd", "larger_budgets", "few_responses_of_the_largest_budget"):
        assert here(Numbers(more, None, None), claim) == here(Numbers(paper, None, None), claim)


def test_sizes_that_only_conclusions_need_are_cells_of_their_own() -> None:
    config = validate({})
    cells = list(claim_cells(config, config.homan2025))
    assert [cell.file for cell in cells] == [
        f"homan2025/claims/source={source}/sizes.parquet" for source in config.homan2025.sources
    ]
    assert cells[0].settings["own_size"] == (107_620, 5)
    assert cells[0].settings["epsilons"] == [0.05, 0.1]
    for without in ({"claim_draws": 0}, {"epsilons": [0.2]}):
        config = validate({"homan2025": without})
        assert list(claim_cells(config, config.homan2025)) == []


def test_a_cell_of_those_sizes_has_the_numbers_of_the_grid(tmp_path: Path) -> None:
    prior = tmp_path / "prior.json"
    write_json(prior, published_prior("armis").to_dict())
    draws, work = GridDraws(["mae"], n_draws=60, seed=3), Work("claims", 1)
    table, of_run = claims(
        prior, own_size=(30, 3), own_draws=40, sizes=[(20, 4)], epsilons=[0.05, 0.1], draws=draws, work=work
    )
    frame = table.to_pandas()
    assert of_run["M"] == 60
    assert set(zip(frame["n_items"], frame["epsilon_b"], frame["n_draws"], strict=True)) == {
        (n, epsilon, draws) for n, draws in ((30, 40), (20, 60)) for epsilon in (0.05, 0.1)
    }
    alone, _ = grid(prior, sizes=[(30, 3)], epsilon_b=0.1, draws=replace(draws, n_draws=40), work=work)
    same = frame[(frame["n_items"] == 30) & (frame["epsilon_b"] == 0.1)].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone.to_pandas(), same)


def test_the_report_shows_every_verdict_and_the_sizes_behind(paper: Frame, tmp_path: Path) -> None:
    few = paper[paper["source"].isin(["toxicity", "multidomain"])]
    files = grid_files(few, tmp_path / "pvalues")
    claims = grid_files(claim_table(constant(0.2)), tmp_path / "claims")
    answer = report(grid=files, claims=claims, fits=Fits([]), seed=1)
    rows = answer.details["verdicts"]
    expected = verdicts_of(Numbers(read_grid(files), read_grid(claims), None))
    assert len(rows) == len(expected) == 2 * (len(CLAIMS) - 1)
    assert all(row["it says"].startswith("“") and row["it holds if"] and row["here"] for row in rows)
    tables = {table.name: table.frame for table in answer.tables}
    assert len(tables["verdicts"]) == len(rows)
    own = tables["own_sizes"]
    assert len(own) == len(LABELS) * len(CLAIM_EPSILONS) * len(COLUMNS) * 2
    assert set(own["p < .05"]) == {"no"}
    raters = tables["raters"]
    assert (raters.loc[0, "dataset"], raters.loc[0, "p, K = 24"]) == ("Toxicity", pytest.approx(0.2))
