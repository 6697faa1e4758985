"""The study of BooStSa end to end: what it leaves behind, and what an added size, share or score runs."""

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

STUDY: dict[str, Any] = {
    "sizes": [400],
    "fractions": [0.1, 1.0],
    "scores": ["accuracy", "js_distance"],
    "discordances": [0.02],
    "n_simulations": 2,
    "n_resamples": 99,
    "tagging_resamples": 99,
    "level_sizes": [20],
    "n_sets": 70,
    "level_resamples": 99,
}
CONFIG: dict[str, Any] = {"seed": 7, "boostsa2022": STUDY}
PRODUCTS = dict.fromkeys(["aggregate boostsa2022", "plot boostsa2022", "report boostsa2022"], 1)
TARGET = ("--", "boostsa2022")  # --configfile takes every word up to the next option


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return finished_run(tmp_path_factory, "boostsa2022", CONFIG, *TARGET)


@pytest.fixture
def plan(shared: Path, tmp_path: Path) -> Callable[[dict[str, Any]], list[str]]:
    """Return the command lines that a changed study would run after the finished run."""
    directory = Path(shutil.copytree(shared / "run", tmp_path / "run"))

    def plan(changes: dict[str, Any]) -> list[str]:
        configure(directory, {**CONFIG, "boostsa2022": {**STUDY, **changes}})
        return planned(shared / "checkout", directory, *TARGET)

    return plan


def test_a_run_leaves_numbers_tables_figures_and_a_page(shared: Path) -> None:
    study = shared / "run/results/boostsa2022"
    assert_names_are_files(shared / "run", "boostsa2022")
    p_values, levels = (pd.read_parquet(study / name) for name in ("pvalues", "levels"))
    assert set(p_values["design"]) == {"balanced", "tagging", "example"}
    assert set(p_values.loc[p_values["design"] == "balanced", "fraction"]) == {0.1, 1.0}
    # The printed share is there, whatever the others are.
    assert set(p_values.loc[p_values["design"] == "example", "fraction"]) == {0.1, 0.2, 1.0}
    assert set(zip(levels["kind"], levels["score"], strict=True)) == {
        ("hard", "accuracy"),
        ("soft", "js_distance"),
    }
    summary = read_json(study / "summary.json")
    assert (summary["figure_03"]["scores"], summary["figure_03"]["scores_agree"]) == (2, 2)
    assert all(imread(path).std() > 0 for path in (study / "figures").glob("*.png"))
    assert {path.stem for path in (study / "figures").glob("*.png")} == {
        *("figure_01", "figure_02", "figure_03", "type_1_error"),
    }
    assert len(pd.read_csv(study / "tables/type_1_error.csv")) == len(levels) == 8
    rows, of_all = (pd.read_parquet(shared / f"run/results/{name}") for name in ("pvalues", "rates"))
    assert sorted(rows["estimated_p"]) == sorted(p_values["p"])
    assert sorted(of_all["rate"]) == sorted(levels["rate"])
    assert summary["line"] in (study / "report.html").read_text(encoding="utf-8")


def test_nothing_is_left_to_do(plan: Callable[[dict[str, Any]], list[str]]) -> None:
    assert plan({}) == []


@pytest.mark.parametrize(
    ("changes", "mark", "work"),
    [
        ({"sizes": [400, 600]}, "n_items=600", {"cell boostsa2022 balanced": 1}),
        ({"discordances": [0.02, 0.1]}, "discordance=0.1", {"cell boostsa2022 tagging": 1}),
        (
            {"fractions": [0.1, 1.0, 0.6]},
            "fractions=[0.6]",
            {"cell boostsa2022 balanced": 1, "cell boostsa2022 tagging": 1, "cell boostsa2022 example": 1}
            | {"cell boostsa2022 levels": 4},
        ),
        (
            {"scores": ["accuracy", "js_distance", "f1_micro"]},
            "f1_micro",
            {"cell boostsa2022 balanced": 1, "cell boostsa2022 tagging": 1, "cell boostsa2022 example": 1}
            | {"cell boostsa2022 levels": 2},
        ),
        (
            {"scores": ["accuracy", "js_distance", "cross_entropy"]},
            "cross_entropy",
            {"cell boostsa2022 levels": 2},
        ),
        ({"level_sizes": [20, 30]}, "n_items=30", {"cell boostsa2022 levels": 4}),
    ],
    ids=[
        "a size",
        "a discordance",
        "a share",
        "a score of hard labels",
        "one of soft labels",
        "a level size",
    ],
)
def test_what_is_added_is_all_that_is_computed(
    changes: dict[str, Any], mark: str, work: dict[str, int], plan: Callable[[dict[str, Any]], list[str]]
) -> None:
    commands = plan(changes)
    assert jobs(commands) == Counter({**work, **PRODUCTS})
    computed = [line for line in commands if line.startswith("cell")]
    assert all(mark in line for line in computed)


def test_the_default_target_does_without_it(shared: Path, tmp_path: Path) -> None:
    configure(tmp_path, {"sources": ["simulated"], "epsilons": [0.3]})
    assert not any(" boostsa2022 " in line for line in planned(shared / "checkout", tmp_path))
