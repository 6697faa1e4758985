"""Ulmer et al. 2022 end to end: what a run leaves behind, and what an added test or distribution runs."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from matplotlib.image import imread

from nbyk.files import read_json
from nbyk_papers.ulmer2022.design import DIFFERENCES, LEADS, SAMPLE_SIZES, TESTS
from tests.workflow.runs import (
    assert_names_are_files,
    configure,
    finished_run,
    jobs,
    planned,
    results,
    snakemake,
)

STUDY: dict[str, Any] = {
    "distributions": ["laplace", "normal_mixture"],
    "n_simulations": 40,
    "aso_simulations": 30,
    "n_resamples": 20,
}
CONFIG: dict[str, Any] = {"seed": 7, "ulmer2022": STUDY}
PRODUCTS = dict.fromkeys(["aggregate ulmer2022", "plot ulmer2022", "report ulmer2022"], 1)
TARGET = ("--", "ulmer2022")  # --configfile takes every word up to the next option


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return finished_run(tmp_path_factory, "ulmer2022", CONFIG, *TARGET)


@pytest.fixture
def run(shared: Path, tmp_path: Path) -> Path:
    """Return a copy of the finished run."""
    return Path(shutil.copytree(shared / "run", tmp_path / "run"))


@pytest.fixture
def plan(shared: Path, run: Path) -> Callable[[dict[str, Any]], list[str]]:
    """Return the command lines that a changed study would run after the finished run."""

    def plan(changes: dict[str, Any]) -> list[str]:
        configure(run, {**CONFIG, "ulmer2022": {**STUDY, **changes}})
        return planned(shared / "checkout", run, *TARGET)

    return plan


def test_a_run_leaves_scores_rates_tables_figures_and_a_page(shared: Path) -> None:
    study = shared / "run/results/ulmer2022"
    assert_names_are_files(shared / "run", "ulmer2022")
    scores = pd.read_parquet(study / "scores")
    assert set(scores["semantics"]) == {"published", "recommended"}
    assert scores.groupby("test", observed=True)["simulation"].nunique().to_dict() == {
        test: 30 if test == "aso" else 40 for test in TESTS
    }
    rates = pd.read_parquet(study / "tables/rates.parquet")
    assert len(rates) == 2 * 4 * 144  # semantics, and Tables 4 to 7
    assert ((rates["low"] <= rates["rate"]) & (rates["rate"] <= rates["high"])).all()
    summary = read_json(study / "summary.json")
    assert summary["published"]["rates"] == 4 * 144
    assert {path.stem for path in (study / "tables").glob("table_*.csv")} == {
        *("table_04", "table_05", "table_06", "table_07"),
    }
    assert all(imread(path).std() > 0 for path in (study / "figures").rglob("*.png"))
    assert summary["line"] in (study / "report.html").read_text(encoding="utf-8")
    rows, of_all = (pd.read_parquet(shared / f"run/results/{name}") for name in ("pvalues", "rates"))
    assert sorted(rows["estimated_p"]) == sorted(scores.loc[scores["test"] != "aso", "score"])
    assert len(of_all) == len(rates)
    # Those of Type I are rates of rejection as they are.
    assert set(rates.loc[rates["error"] == "type_1", "rate"]) <= set(of_all["rate"])
    assert of_all["rate"].between(0, 1).all()


def test_nothing_is_left_to_do(plan: Callable[[dict[str, Any]], list[str]]) -> None:
    assert plan({}) == []


@pytest.mark.parametrize(
    ("changes", "mark", "n_jobs"),
    [
        ({"tests": [*TESTS, "permutation"]}, 'tests=["permutation"]', 2 * 2),
        ({"sample_sizes": [*SAMPLE_SIZES, 7]}, ",7,", 2 * 3),
        ({"distributions": ["laplace", "normal_mixture", "exponential"]}, "distribution=exponential", 2),
        ({"leads": {**LEADS, "laplace": 0.5}}, "distribution=laplace", 2 * 8),
        ({"differences": [*DIFFERENCES, 0.3]}, '"type_2_by_difference",5,0.3', 2),
        ({"thresholds": [0.05, 0.01]}, "", 0),
    ],
    ids=["a test", "a sample size", "a distribution", "a lead", "a difference", "thresholds"],
)
def test_what_is_added_is_all_that_is_computed(
    changes: dict[str, Any], mark: str, n_jobs: int, plan: Callable[[dict[str, Any]], list[str]]
) -> None:
    commands = plan(changes)
    assert jobs(commands) == Counter({"cell ulmer2022 scores": n_jobs} if n_jobs else {}) + Counter(PRODUCTS)
    assert all(mark in line for line in commands if " -- ulmer2022 scores " in line)


def test_fewer_tests_are_read_from_the_files_that_are_there(
    plan: Callable[[dict[str, Any]], list[str]],
) -> None:
    assert jobs(plan({"tests": list(TESTS)[:-1]}))["cell ulmer2022 scores"] == 0


def test_scores_have_the_same_bytes_on_one_core(shared: Path, tmp_path: Path) -> None:
    """The report is one job, and is made on one core in either run."""
    configure(tmp_path, CONFIG)
    code, output = snakemake(shared / "checkout", tmp_path, "--until", "ulmer2022_scores", *TARGET, cores=1)
    assert code == 0, output[-3000:]
    found, expected = results(tmp_path), results(shared / "run")
    of_scores = {name for name in expected if name.startswith("results/ulmer2022/scores/")}
    assert len(of_scores) >= 4
    assert of_scores <= set(found)
    assert found.items() <= expected.items()


def test_the_default_target_does_without_it(shared: Path, tmp_path: Path) -> None:
    configure(tmp_path, {"sources": ["simulated"], "epsilons": [0.3]})
    assert not any(" ulmer2022 " in line for line in planned(shared / "checkout", tmp_path))
