"""The study of N × K end to end: what it leaves behind, and what an added point, metric or ε runs."""

from __future__ import annotations

import re
import shlex
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.dataset as ds
import pytest
from matplotlib.image import imread

from nbyk.files import read_json
from nbyk_papers.gathered import RATES
from tests.workflow.runs import assert_names_are_files, configure, finished_run, jobs, planned, snakemake

STUDY: dict[str, Any] = {
    "sources": ["toxicity", "convabuse_fit"],
    "epsilons": [0.2],
    "budgets": [500, 1250],
    "k_responses": [5, 50],
    "n_draws": 200,
    "claim_draws": 0,
    "power_sizes": [{"n_items": 40, "k_responses": 5}],
    "power_n_sets": 20,
    "power_resamples": 100,
}
CONFIG: dict[str, Any] = {"seed": 7, "homan2025": STUDY}
PRODUCTS = dict.fromkeys(["aggregate homan2025", "plot homan2025", "report homan2025"], 1)
TARGET = ("--", "homan2025")  # --configfile takes every word up to the next option


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return finished_run(tmp_path_factory, "homan2025", CONFIG, *TARGET)


@pytest.fixture
def plan(shared: Path, tmp_path: Path) -> Callable[[dict[str, Any]], list[str]]:
    """Return the command lines that a changed study would run after the finished run."""
    directory = Path(shutil.copytree(shared / "run", tmp_path / "run"))

    def plan(changes: dict[str, Any]) -> list[str]:
        configure(directory, {**CONFIG, "homan2025": {**STUDY, **changes}})
        return planned(shared / "checkout", directory, *TARGET)

    return plan


def test_a_run_leaves_tables_figures_summary_and_a_page_that_needs_no_network(shared: Path) -> None:
    study = shared / "run/results/homan2025"
    assert_names_are_files(shared / "run", "homan2025")
    table = pd.read_csv(study / "tables/table_03.csv")
    assert list(table["dataset"]) == ["Toxicity"] * 3
    assert table.loc[table["metric"].isin(["MAE", "Wins"]), "z p"].abs().max() < 5.0
    assert set(pd.read_csv(study / "tables/power.csv")["N"]) == {40}
    pictures = sorted((study / "figures").glob("*.png"))
    figures = ("01", "02a", "02b", "02_convabuse", "06")
    expected = {"agreement", "overstatement", "fit_convabuse", *(f"figure_{name}" for name in figures)}
    assert {path.stem for path in pictures} == expected
    assert all(imread(path).std() > 0 for path in pictures)
    summary = read_json(study / "summary.json")
    assert summary["published"]["cells"] == 3
    assert re.fullmatch(r"[0-3] of 3 published cells agree in p and in Δ", summary["line"])
    page = (study / "report.html").read_text(encoding="utf-8")
    assert page.count("<img ") == len(pictures)
    assert re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?\s*(?:https?:)?//[^"' >]*""", page) == []


def test_p_values_read_as_one_table(shared: Path) -> None:
    folder = shared / "run/results/homan2025/pvalues"
    table = pd.read_parquet(folder)
    assert set(table["source"]) == {"toxicity", "convabuse_fit"}
    # 4 sizes, 4 metrics, 2 semantics and 2 bootstraps for either source.
    assert len(table) == 2 * 4 * 4 * 2 * 2
    assert table["p"].between(0, 1).all()
    assert ds.dataset(folder, partitioning="hive").count_rows() == len(table)
    # The same numbers stand among those of all studies.
    rows = pd.read_parquet(shared / "run/results/pvalues")
    assert sorted(rows["true_p"]) == sorted(table["p"])
    assert set(rows["sampler"]) == set(table["bootstrap"])
    assert rows[["study", "seed"]].drop_duplicates().to_numpy().tolist() == [["homan2025", 7]]
    powers = pd.read_parquet(shared / "run/results/rates")
    assert set(powers["n_items"]) == {40}
    assert powers["rate"].between(0, 1).all()
    assert list(powers.columns) == list(RATES)


def test_nothing_is_left_to_do(plan: Callable[[dict[str, Any]], list[str]]) -> None:
    assert plan({}) == []


POINT = {"n_items": 30, "k_responses": 7}


@pytest.mark.parametrize(
    ("changes", "mark", "work"),
    [
        ({"sizes": [POINT]}, "sizes=[[30,7]]", {"cell homan2025 grid": 2}),
        ({"sizes": [{"n_items": 100, "k_responses": 10}]}, "sizes=[[100,10]]", {"cell homan2025 grid": 2}),
        ({"sizes": [{"n_items": 100, "k_responses": 5}]}, "", {}),
        ({"epsilons": [0.2, 0.1]}, "epsilon_b=0.1", {"cell homan2025 grid": 2}),
        ({"sources": [*STUDY["sources"], "mhs"]}, "mhs", {"cell homan2025 grid": 1, "prior": 1}),
        (
            {"power_sizes": [*STUDY["power_sizes"], POINT]},
            "n_items=30 k_responses=7",
            {"cell homan2025 power": 1},
        ),
    ],
    ids=["a point", "a point of the paper's grid", "a point that is there", "ε", "a source", "power"],
)
def test_what_is_added_is_all_that_is_computed(
    changes: dict[str, Any], mark: str, work: dict[str, int], plan: Callable[[dict[str, Any]], list[str]]
) -> None:
    commands = plan(changes)
    assert jobs(commands) == Counter({**work, **(PRODUCTS if work else {})})
    assert all(mark in line for line in commands if line.startswith("cell"))


def test_a_metric_is_a_job_of_its_own(plan: Callable[[dict[str, Any]], list[str]]) -> None:
    metrics = ["mae", "wins_mae", "histogram_mean_of_emds(bins=5)", "mean_of_emds", "rmse"]
    commands = plan({"metrics": metrics})
    assert jobs(commands) == Counter({"cell homan2025 grid": 2, **PRODUCTS})
    assert all('metrics=["rmse"]' in line for line in commands if " grid " in line)


def test_ratings_of_ones_own_get_a_fit_of_their_own(shared: Path, tmp_path: Path) -> None:
    directory = Path(shutil.copytree(shared / "run", tmp_path / "run"))
    (directory / "my HS-Brexit").mkdir()
    study = {**STUDY, "sources": [*STUDY["sources"], "hs_brexit", "hs_brexit_fit"]}
    configure(directory, {**CONFIG, "ratings": {"hs_brexit": "my HS-Brexit"}, "homan2025": study})
    code, output = snakemake(shared / "checkout", directory, "--dry-run", *TARGET)
    assert code != 0
    assert "ratings.hs_brexit: my HS-Brexit: found no file named …_train.json" in output
    (directory / "my HS-Brexit/HS-Brexit_dev.json").touch()
    commands = planned(shared / "checkout", directory, *TARGET)
    work = {"normalise": 1, "fit": 1, "prior": 1, "cell homan2025 grid": 2}
    assert jobs(commands) == Counter({**work, **PRODUCTS})
    (normalise,) = (line for line in commands if line.startswith("normalise"))
    words = shlex.split(normalise)
    assert (words[:3], words[-2:]) == (["normalise", "--path", "my HS-Brexit"], ["--", "hs_brexit"])
    assert any("--from prior=results/fits/hs_brexit/prior.json" in line for line in commands)


def test_the_default_target_does_without_it(shared: Path, tmp_path: Path) -> None:
    configure(tmp_path, {"sources": ["simulated"], "epsilons": [0.3]})
    assert not any(" homan2025 " in line for line in planned(shared / "checkout", tmp_path))
