"""The plan that rules look things up in, without Snakemake."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from nbyk.errors import NbykError
from nbyk.workflow import RunPlan, memory, minutes, repeated
from tests.workflow.runs import ROOT, snakemake

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
RUNS = [
    *re.findall(r"^\t\$\(SNAKEMAKE\) (.+)$", MAKEFILE, re.MULTILINE),
    *(study.replace(",", " ") for study in re.findall(r"\(call run_study,(.+)\)$", MAKEFILE, re.MULTILINE)),
]
"""The arguments of every run that the Makefile starts."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_memory_and_time_follow_the_measurement_and_the_attempt() -> None:
    assert [memory(307)(None, attempt) for attempt in (1, 2, 3)] == [1000, 2000, 3000]
    assert [minutes(21)(None, attempt) for attempt in (1, 2)] == [2, 4]
    assert minutes(lambda wildcards: 10 * wildcards)(18, 1) == 9
    assert memory(lambda wildcards: wildcards)(100, 1) == 550


def test_an_option_is_repeated_for_each_value() -> None:
    assert repeated("--file", ["a", Path("b c")]) == ["--file", "a", "--file", "b c"]
    assert repeated("--file", []) == []


def test_a_cell_is_one_that_is_asked_for_or_that_its_name_explains(folder: Path) -> None:
    plan = RunPlan({"epsilons": [0.1]}, ["config.yaml"])
    asked = plan.cell_files("wein2023")
    step = next(step for step in plan.steps if step.rule == "simulate")
    name = asked[0].removeprefix(f"results/{step.folder}/").removesuffix(".parquet")
    assert plan.cell(step, name).file == f"{step.folder}/{name}.parquet"
    other = name.replace("epsilon-0.1", "epsilon-0.2")
    assert plan.cell(step, other).settings["cells"].startswith("epsilon-0.2_")
    assert plan.cell_files("wein2023") == asked
    with pytest.raises(
        NbykError, match=r"results/reference_sets/x\.parquet: the configuration asks for no such cell"
    ):
        plan.cell(step, "x")


def test_work_grows_with_the_ratings_of_a_source(folder: Path) -> None:
    rows = "".join(f"{item},{rater},{rater % 2}\n" for item in range(9000) for rater in range(3))
    Path("mine.csv").write_text(f"item,rater,value\n{rows}", encoding="utf-8")
    plan = RunPlan({"own_ratings": {"mine": {"path": "mine.csv", "scale": "binary"}}}, ["config.yaml"])
    assert plan.rating_work("convabuse") == 1.0
    assert plan.rating_work("mine") > 1.5
    assert plan.rating_options("mine") == ["--path", "mine.csv", "--scale", "binary"]
    assert plan.rating_files("convabuse") == plan.rating_options("convabuse") == []
    Path("mine.csv").write_text("item,rater,value\nx,y,7\n", encoding="utf-8")
    with pytest.raises(NbykError, match=r"^own_ratings\.mine: "):
        RunPlan({"own_ratings": {"mine": {"path": "mine.csv", "scale": "binary"}}}, ["config.yaml"])


@pytest.mark.parametrize(
    "words", sorted({words for words in RUNS if "--report" not in words} | {"datasets raters"})
)
def test_each_run_of_the_makefile_can_be_planned(folder: Path, words: str) -> None:
    shutil.copy(ROOT / "config.yaml", folder / "mine.yaml")
    code, output = snakemake(ROOT, folder, "--dry-run", *shlex.split(words))
    assert code == 0, output[-3000:]
    assert re.search(r"^total +[1-9]", output, flags=re.MULTILINE), output[-3000:]
