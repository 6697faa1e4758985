"""The tables of Homan et al. 2025: what the paper printed, put in for ours, gives what else it printed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from nbyk.data import load_source
from nbyk.errors import NbykError
from nbyk.files import read_json, write_json, write_parquet
from nbyk.priors import published_prior
from nbyk.report.answer import write_answer
from nbyk.report.html import render_block
from nbyk_papers import placed
from nbyk_papers.homan2025.comparison import (
    NEAR_K,
    NEAR_SIZE,
    OTHER_K,
    OTHER_SIZE,
    SAME_SIZE,
    compare,
    overstatement,
    own_fit_p_values,
    picks_of_rule,
    read_grid,
)
from nbyk_papers.homan2025.design import METRIC_OF_COLUMN, published_table
from nbyk_papers.homan2025.report import report, summarise, tables_of
from nbyk_papers.shown import Fits


def grid_of_the_paper() -> pd.DataFrame:
    """Put the paper's numbers in the place of ours, .3 where it has a dash; plain draws have half the p."""
    dash = {"published_n_times_k": 200, "published_k": 1, "published_p": 0.3, "published_effect": 0.0}
    published = published_table().fillna(dash)
    parts = []
    for semantics, factor in (("published", 1.0), ("recommended", 0.5)):
        for bootstrap in ("multistage", "flat"):
            part = pd.DataFrame(
                {
                    "source": published["source"],
                    "epsilon_b": published["epsilon_b"],
                    "n_items": (published["published_n_times_k"] / published["published_k"]).astype(int),
                    "k_responses": published["published_k"].astype(int),
                    "metric": published["column"].map(METRIC_OF_COLUMN["published"]),
                    "semantics": semantics,
                    "bootstrap": bootstrap,
                    "p": published["published_p"] * (factor if bootstrap == "multistage" else 9.0),
                    "standard_error": 0.0005,
                    "effect": published["published_effect"],
                    "effect_sd": 0.02,
                    "n_draws": 10_000,
                }
            )
            parts.append(part)
    grid = pd.concat(parts, ignore_index=True)
    return grid.assign(n_times_k=grid["n_items"] * grid["k_responses"])


papers_grid = pytest.fixture(grid_of_the_paper, name="papers_grid")


def test_the_papers_own_numbers_agree_in_all_57_cells(papers_grid: pd.DataFrame) -> None:
    cells = compare(papers_grid, "published")
    assert len(cells) == 63
    filled = cells.dropna(subset="published_p")
    assert (filled[["z_p", "z_effect"]] == 0.0).all(axis=None)
    summary = summarise(papers_grid)
    assert summary["line"] == "57 of 57 published cells agree in p and in Δ"
    same = {"cells": 63, "same_n_times_k": 63, "same_size": 63}
    assert summary["selection"] == {**same, "near_ties_n_times_k": 0, "near_ties_k": 0}
    assert sum(part["cells"] for part in summary["published"]["by_source"].values()) == 57
    assert {name: part["cells"] for name, part in summary["published"]["by_table"].items()} == {
        "table_01": 15,
        "table_02": 21,
        "table_03": 21,
    }


def test_z_counts_both_sides_errors_and_the_rounding(papers_grid: pd.DataFrame) -> None:
    """5,000 draws of ours, 1,000 of theirs: variances σ² and 5 σ²; rounding to .001 adds .001²/12."""
    shifted = papers_grid.assign(
        p=papers_grid["p"] + 1e-4, effect=papers_grid["effect"] - 0.001, n_draws=5000
    )
    cells = compare(shifted, "published").dropna(subset="published_p")
    rounding = 0.001**2 / 12
    # Errors of p are taken at the pooled p-value, which is all but ours; those of the smallest have a floor.
    many = cells[cells["published_p"] > 0.012]
    assert len(many) == 54
    assert np.allclose(many["z_p"], 1e-4 / np.sqrt(6.0 * 0.0005**2 + rounding), rtol=0.01)
    assert np.allclose(cells["z_effect"], -0.001 / np.sqrt(0.02**2 * (1 / 5000 + 1 / 1000) + rounding))


def test_the_draws_behind_published_numbers_are_found_from_their_scatter(papers_grid: pd.DataFrame) -> None:
    """Numbers that scatter as those of 500 draws do, beside ours of 10,000."""
    grid = papers_grid.assign(effect_sd=2.0, standard_error=0.002)
    noise = np.resize([1.0, -1.0], len(grid))
    draws = 1 / 10_000 + 1 / 500
    shifted = grid.assign(
        effect=grid["effect"] + noise * 2.0 * draws**0.5,
        p=grid["p"] + noise * 0.002 * (10_000 * draws) ** 0.5,
    )
    found = summarise(shifted)["published_draws"]
    assert found["implied_by_delta"] == pytest.approx(500, rel=0.01)
    # Errors of p are taken at the pooled p-value, so that b comes out in order of size only.
    assert 200 < found["implied_by_p"] < 1500
    assert (found["stated"], found["used"]) == (10_000, 1000)
    assert found["if_as_stated"]["rms_z_delta"] == pytest.approx(((1 / 500 + 1e-4) / 2e-4) ** 0.5, rel=0.01)
    assert summarise(papers_grid)["published_draws"]["implied_by_delta"] is None


def test_what_differs_is_counted_and_named(papers_grid: pd.DataFrame) -> None:
    off = (papers_grid["source"] == "mhs") & (papers_grid["epsilon_b"] == 0.2)
    summary = summarise(papers_grid.assign(p=papers_grid["p"].where(~off, 0.3)))
    published = summary["published"]
    assert (published["agree_p"], published["agree_delta"], published["both"]) == (54, 57, 54)
    assert published["share"] == 54 / 57
    assert published["by_source"]["mhs"]["agree_p"] == published["by_source"]["mhs"]["cells"] - 3
    assert published["by_source"]["mhs"]["rms_z_p"] > 3.0 > published["rms_z_delta"]
    assert summary["selection"]["same_size"] == 60


def test_a_run_of_other_sizes_has_no_cell_but_its_own_picks(papers_grid: pd.DataFrame) -> None:
    other = papers_grid.assign(n_items=2000, k_responses=5, n_times_k=10_000)
    other = other.drop_duplicates(["source", "epsilon_b", "metric", "semantics", "bootstrap"])
    summary = summarise(other[other["source"] == "toxicity"])
    assert summary["line"] == "0 of 0 published cells agree in p and in Δ"
    assert summary["published"]["share"] is summary["published"]["rms_z_p"] is None
    assert summary["overstatement"] == {"cells": 0}
    assert (compare(other, "published")["picked_k"].dropna() == 5).all()


def test_overstatement_is_the_ratio_of_the_same_metrics_p(papers_grid: pd.DataFrame) -> None:
    ratios = overstatement(papers_grid)
    assert len(ratios) == 57
    assert np.allclose(ratios["ratio"], 2.0)
    relative = 0.0005 / ratios["p"]
    assert np.allclose(ratios["ratio_error"], 2.0 * np.sqrt(relative**2 + (2.0 * relative) ** 2))
    summary = summarise(papers_grid)["overstatement"]
    assert (summary["cells"], summary["min"], summary["max"]) == (57, pytest.approx(2.0), pytest.approx(2.0))
    certain = papers_grid.assign(p=papers_grid["p"].where(papers_grid["semantics"] == "published", 0.0))
    assert overstatement(certain)["ratio"].isna().all()


def test_tables_stand_in_the_papers_order(papers_grid: pd.DataFrame) -> None:
    tables = {name: table for name, _, table in tables_of(papers_grid)}
    assert set(tables) == {
        *(placed(semantics, f"table_0{n}") for semantics in ("published", "recommended") for n in (1, 2, 3)),
        "overstatement",
    }
    first = tables["table_01"]
    assert list(first["dataset"].unique()) == [
        *("Toxicity", "MultiDomain", "Amazon", "HS-Brexit", "ConvAbuse", "ArMIS", "MHS")
    ]
    assert list(first["metric"][:3]) == ["MAE", "Wins", "MEMD"]
    dash = first[(first["dataset"] == "HS-Brexit") & (first["metric"] == "MAE")].iloc[0]
    assert dash["NK"] is dash["our NK"] is None


def power_rows() -> pd.DataFrame:
    sizes = [(100, 5), (1000, 5), (100, 10), (1000, 10), (1000, 20)]
    found = [
        {"n_items": n, "k_responses": k, "test": test, "n_sets": 100, "power": 0.5, "low": 0.4, "high": 0.6}
        for n, k in sizes
        for test in ("multistage_bootstrap", "welch_t")
    ]
    return pd.DataFrame(found).assign(epsilon_b=0.1, metric="mae")


def write(table: pd.DataFrame, path: Path) -> Path:
    write_parquet(path, pa.Table.from_pandas(table, preserve_index=False), {})
    return path


def grid_files(grid: pd.DataFrame, folder: Path) -> list[Path]:
    return [
        write(
            rows.drop(columns=["source", "n_times_k"]), folder / f"source={source}/epsilon-{epsilon}.parquet"
        )
        for (source, epsilon), rows in grid.groupby(["source", "epsilon_b"])
    ]


def test_files_become_every_table_and_figure(papers_grid: pd.DataFrame, tmp_path: Path) -> None:
    few = papers_grid[papers_grid["source"].isin(["toxicity", "multidomain", "mhs"])]
    files = grid_files(few, tmp_path)
    power = write(power_rows(), tmp_path / "source=toxicity/power.parquet")
    answer = report(grid=files, power=[power], fits=Fits([]), seed=1)
    assert answer.sentences == ("26 of 26 published cells agree in p and in Δ",)
    write_answer(answer, tmp_path, stem="summary", page="report")
    assert read_json(tmp_path / "summary.json")["study"] == "homan2025"
    assert len(pd.read_csv(tmp_path / "tables/power.csv")) == 10
    page = (tmp_path / "tables/table_01.tex").read_text(encoding="utf-8")
    assert page.count(r"\\") == 10
    assert "<NA>" not in page
    assert "nan" not in page
    names = {path.stem for path in (tmp_path / "figures").glob("*.png")}
    folder = tmp_path / "figures/recommended"
    of_semantics = {path.stem for path in folder.glob("*.png")}
    assert of_semantics >= {"figure_03a", "figure_03b", "figure_04", "figure_11"}
    assert of_semantics == {path.stem for path in folder.glob("*.svg")}
    assert names == {path.stem for path in (tmp_path / "figures").glob("*.svg")}
    assert of_semantics <= names
    assert names - of_semantics == {
        *("agreement", "overstatement", "figure_01", "figure_02a", "figure_02b", "figure_06"),
    }


def test_a_rejected_fit_is_said_before_anything_else(papers_grid: pd.DataFrame, tmp_path: Path) -> None:
    files = grid_files(papers_grid, tmp_path)
    ratings = load_source("convabuse")
    caution = "This prior is off."
    prior = replace(published_prior("convabuse"), caution=caution)
    write_json(tmp_path / "prior.json", prior.to_dict())
    write_parquet(tmp_path / "ratings.parquet", ratings.to_table(), {})
    names = {"ratings": "ratings.parquet", "priors": "prior.json"}
    of_fit = {name: [tmp_path / file] for name, file in names.items()}
    answer = report(grid=files, fits=Fits(["convabuse_fit"], **of_fit), seed=1)
    assert answer.sentences == (caution, answer.details["line"])
    assert answer.template is not None
    page = render_block(answer.template, "summary", summary=answer.details)
    assert page.index(caution) < page.index(answer.details["line"])


def test_files_out_of_their_folders_are_named(papers_grid: pd.DataFrame, tmp_path: Path) -> None:
    path = write(papers_grid.drop(columns=["source", "n_times_k"]), tmp_path / "grid.parquet")
    with pytest.raises(NbykError, match=r"grid\.parquet: expected it in folders source=…"):
        read_grid([path])


def test_an_own_fit_stands_beside_the_published_prior(papers_grid: pd.DataFrame) -> None:
    own = papers_grid[papers_grid["source"] == "convabuse"]
    own = own.assign(source="convabuse_fit", p=own["p"] / 4.0)
    both = own_fit_p_values(pd.concat([papers_grid, own]), "convabuse_fit")
    # The grid has the paper's three metrics; MEMD of the values, which recommended asks for, it has not.
    assert set(both["column"]) == {"mae", "wins_mae"}
    assert np.allclose(both["p_own"], both["p_published"] / 4.0)


@pytest.mark.parametrize(
    ("ours", "pick"),
    [
        ((1000, 10, 0.030, 0.030, 0.0), SAME_SIZE),
        ((1000, 20, 0.030, 0.029, 0.0), NEAR_K),
        ((1000, 20, 0.030, 0.010, 0.0), OTHER_K),
        # At the published N·K our p is .052 or .07, so that a larger N·K is picked.
        ((2000, 10, 0.052, 0.020, 0.0), NEAR_SIZE),
        ((2000, 10, 0.070, 0.020, 0.0), OTHER_SIZE),
        # Ours is below .05 at a smaller N·K already, by .001 or by .02.
        ((500, 10, 0.030, 0.049, 0.0), NEAR_SIZE),
        ((500, 10, 0.030, 0.030, 0.0), OTHER_SIZE),
        ((np.nan, np.nan, 0.070, np.nan, np.nan), OTHER_SIZE),
    ],
)
def test_another_pick_is_a_near_tie_where_the_errors_do_not_settle_it(
    ours: tuple[float, ...], pick: str
) -> None:
    """The paper picks N·K = 1000 with K = 10; the error of a difference is .002."""
    names = ["picked_n_times_k", "picked_k", "p", "picked_p", "picked_error"]
    cell = dict(zip(names, ours, strict=True)) | {"published_n_times_k": 1000.0, "published_k": 10.0}
    assert picks_of_rule(pd.DataFrame([{**cell, "p_error": 0.002}])).tolist() == [pick]


def test_two_dashes_are_the_same_pick() -> None:
    names = ["picked_n_times_k", "picked_k", "published_n_times_k", "published_k"]
    others = ["p", "picked_p", "picked_error", "p_error"]
    cell = pd.DataFrame([dict.fromkeys([*names, *others], np.nan)])
    assert picks_of_rule(cell).tolist() == [SAME_SIZE]
