"""The study of calibration end to end: what it leaves behind, and what an added size or metric runs."""

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
from tests.workflow.runs import assert_names_are_files, configure, finished_run, jobs, planned

SMALL, LARGER = {"n_items": 12, "k_responses": 1}, {"n_items": 12, "k_responses": 3}
STUDY: dict[str, Any] = {
    "sources": ["toxicity"],
    "sizes": [SMALL, LARGER],
    "expected_sizes": [LARGER],
    "weak_epsilons": [0.3],
    "metrics": ["wins_mae"],
    "samplers": ["bootstrap_items/sample(K)"],
    "n_sets": 70,
    "n_bootstraps": 199,
    "label_classes": [2],
    "label_sets": 8,
}
CONFIG: dict[str, Any] = {"seed": 7, "calibration": STUDY}
PRODUCTS = dict.fromkeys(["aggregate calibration", "plot calibration", "report calibration"], 1)
TARGET = ("--", "calibration")  # --configfile takes every word up to the next option


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return finished_run(tmp_path_factory, "calibration", CONFIG, *TARGET)


@pytest.fixture
def plan(shared: Path, tmp_path: Path) -> Callable[[dict[str, Any]], list[str]]:
    """Return the command lines that a changed study would run after the finished run."""
    directory = Path(shutil.copytree(shared / "run", tmp_path / "run"))

    def plan(changes: dict[str, Any]) -> list[str]:
        configure(directory, {**CONFIG, "calibration": {**STUDY, **changes}})
        return planned(shared / "checkout", directory, *TARGET)

    return plan


def test_a_run_leaves_rates_tables_figures_and_a_page(shared: Path) -> None:
    study = shared / "run/results/calibration"
    assert_names_are_files(shared / "run", "calibration")
    rates = pd.read_parquet(study / "rates")
    assert set(rates["source"]) == {"toxicity"}
    assert set(rates["definition"]) == {
        *("p_value", "p_value_ties_at_random", "expected_p", "percentile", "bca"),
    }
    assert (rates["n_sets"] == 70).all()
    assert set(rates.loc[rates["definition"] == "expected_p", "n_resamples"]) == {64}
    of_all = pd.read_parquet(shared / "run/results/rates")
    assert sorted(of_all["rate"]) == sorted(rates["rate"])
    assert set(of_all["sampler"].str.partition("/")[0]) == set(rates["definition"])
    default = pd.read_csv(study / "tables/default.csv")
    assert len(default) == 2 * 2 * 2  # sizes, truths and sides
    summary = read_json(study / "summary.json")
    assert summary["default"]["rates"] == len(default) * 3  # levels
    assert all(imread(path).std() > 0 for path in (study / "figures").glob("*.png"))
    assert summary["line"] in (study / "report.html").read_text(encoding="utf-8")


def test_nothing_is_left_to_do(plan: Callable[[dict[str, Any]], list[str]]) -> None:
    assert plan({}) == []


@pytest.mark.parametrize(
    ("changes", "mark", "work"),
    [
        (
            {"sizes": [SMALL, LARGER, {"n_items": 9, "k_responses": 2}]},
            "n_items=9 k_responses=2",
            {"cell calibration rates": 3},
        ),
        ({"expected_sizes": [LARGER, SMALL]}, 'samplers=["bootstrap', {"cell calibration rates": 3}),
        ({"weak_epsilons": [0.3, 0.1]}, "epsilon_a=0.1", {"cell calibration rates": 3}),
        ({"sources": ["toxicity", "simulated"]}, "simulated", {"cell calibration rates": 9, "prior": 1}),
        ({"metrics": ["wins_mae", "rmse"]}, 'metrics=["rmse"]', {"cell calibration rates": 9}),
        (
            {"samplers": ["bootstrap_items/sample(K)", "bootstrap_items/all"]},
            'samplers=["bootstrap_items/all"]',
            {"cell calibration rates": 3},
        ),
    ],
    ids=["a size", "a size of expected p", "ε", "a source", "a metric", "a sampler"],
)
def test_what_is_added_is_all_that_is_computed(
    changes: dict[str, Any], mark: str, work: dict[str, int], plan: Callable[[dict[str, Any]], list[str]]
) -> None:
    commands = plan(changes)
    assert jobs(commands) == Counter({**work, **PRODUCTS})
    assert all(mark in line for line in commands if " -- calibration rates " in line)


def test_the_default_target_does_without_it(shared: Path, tmp_path: Path) -> None:
    configure(tmp_path, {"sources": ["simulated"], "epsilons": [0.3]})
    assert not any(" calibration " in line for line in planned(shared / "checkout", tmp_path))
