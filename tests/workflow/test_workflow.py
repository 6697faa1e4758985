"""The workflow end to end: what it leaves behind, where it may move, and how it ends if killed or failing."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pyarrow.dataset as ds
import pytest
from matplotlib.image import imread

from nbyk.files import read_json
from tests.workflow.runs import (
    CONFIG,
    PRODUCTS,
    ROOT,
    assert_names_are_files,
    command,
    configure,
    planned,
    results,
    rules,
    snakemake,
    take_fits,
)


def test_a_run_leaves_tables_figures_summary_and_a_page_that_needs_no_network(shared: Path) -> None:
    study = shared / "run/results/wein2023"
    assert_names_are_files(shared / "run", "wein2023")
    for folder, names in {
        "tables": ["table_01", "table_02", "table_08"],
        "tables/recommended": ["table_08", "convabuse_epsilon_0.3", "convabuse_minima_by_metric"],
    }.items():
        for name in names:
            tables = study / folder
            assert len(pd.read_csv(tables / f"{name}.csv")) == 1
            assert (tables / f"{name}.md").read_text(encoding="utf-8").splitlines()[-1].count("|") > 3
            assert r"\bottomrule" in (tables / f"{name}.tex").read_text(encoding="utf-8")
    pictures = sorted((study / "figures").rglob("*.png"))
    assert {path.stem for path in pictures} >= {"figure_01", "figure_03", "convabuse_minima", "convabuse_sds"}
    for path in pictures:
        assert imread(path).std() > 0
        assert ElementTree.parse(path.with_suffix(".svg")).getroot().tag.endswith("svg")
    assert set(read_json(study / "summary.json")) >= {"line", "published", "recommended"}
    page = (study / "report.html").read_text(encoding="utf-8")
    assert page.count("<img ") == len(pictures)
    assert re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?\s*(?:https?:)?//[^"' >]*""", page) == []


def test_p_values_read_as_they_are(shared: Path) -> None:
    folder = shared / "run/results/pvalues"
    table = pd.read_parquet(folder)
    assert len(table) == 3 * CONFIG["n_references"]
    assert set(table["study"]) == {"wein2023"}
    assert set(zip(table["semantics"], table["source"], strict=True)) == {
        ("published", "simulated"),
        ("recommended", "simulated"),
        ("recommended", "convabuse"),
    }
    assert table[["estimated_p", "true_p"]].apply(lambda p: p.between(0, 1)).all(axis=None)
    assert ds.dataset(folder).count_rows() == len(table)


def test_the_guides_query_answers_from_the_dataset_as_it_is(
    shared: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / "docs/guide.md").read_text(encoding="utf-8").partition("## One dataset")[2]
    read, of_polars, of_duckdb, query = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    monkeypatch.chdir(shared / "run")
    exec(read + query, {})
    table = pd.read_parquet("results/pvalues")
    for library, block, n_rows in (
        ("polars", of_polars, lambda found: found["p_of_polars"].height),
        ("duckdb", of_duckdb, lambda found: found["p_of_duckdb"].shape[0]),
    ):
        if importlib.util.find_spec(library):
            found: dict[str, Any] = {}
            exec(block, found)
            assert n_rows(found) == len(table)
    table = table[table["semantics"] == "published"]
    error = (table["estimated_p"] - table["true_p"]).abs().mean()
    (sampler,) = CONFIG["samplers"]
    (line,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith(sampler))
    assert float(line.split()[-1]) == pytest.approx(error, abs=1e-5)


def test_results_survive_a_move_to_a_folder_with_spaces_and_other_letters(
    checkout: Path, finished: Path, tmp_path: Path
) -> None:
    moved = tmp_path / "mein Läufer 測定"
    shutil.move(finished, moved)
    assert planned(checkout, moved) == []
    configure(moved, {**CONFIG, "metrics": ["mae", "rmse"]})
    assert rules(planned(checkout, moved)) == Counter(
        {"true_p": 3, "estimate_p": 3, **dict.fromkeys(PRODUCTS, 1)}
    )


def test_killed_and_resumed_on_one_core_gives_the_same_bytes_as_two_cores(
    shared: Path, tmp_path: Path
) -> None:
    """The p-values alone: the report is one job (`make test-faults` kills that, too)."""
    checkout = shared / "checkout"
    configure(tmp_path, CONFIG)
    take_fits(shared / "run", tmp_path)
    with (tmp_path / "output.txt").open("w") as output:
        running = subprocess.Popen(
            **command(checkout, tmp_path, "--until", "aggregate", cores=1),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            deadline = time.monotonic() + 120
            while not any((tmp_path / "logs/reference_sets").rglob("*.log")) and time.monotonic() < deadline:
                assert running.poll() is None, (tmp_path / "output.txt").read_text()[-3000:]
                time.sleep(0.02)
        finally:
            os.killpg(running.pid, signal.SIGKILL)
            running.wait()
    finished = results(shared / "run")
    finished = {name: finished[name] for name in finished if not name.startswith("results/wein2023/")}
    assert set(results(tmp_path)) < set(finished)
    code, printed = snakemake(checkout, tmp_path, "--until", "aggregate", cores=1)
    assert code == 0, printed[-3000:]
    assert "Released the lock of a run that was stopped." in printed
    assert not list((tmp_path / ".snakemake/nbyk_runs").iterdir())
    again = results(tmp_path)
    assert sorted(again) == sorted(finished)
    assert [name for name in again if again[name] != finished[name]] == []


def test_a_quiet_run_prints_a_line_for_each_stage_and_nothing_else(checkout: Path, finished: Path) -> None:
    code, output = snakemake(checkout, finished, "--quiet", "all", "-R", "plot")
    assert code == 0, output[-3000:]
    assert [line for line in output.splitlines() if not line.startswith("Using profile")] == [
        "jobs to do: 3",
        "plot: 1 of 1 done; jobs left: 2",
        "report: 1 of 1 done; jobs left: 1",
        "all: 1 of 1 done; jobs left: 0",
    ]


def test_a_lock_that_another_machine_may_hold_ends_a_run_in_one_line(checkout: Path, finished: Path) -> None:
    lock = finished / ".snakemake/locks/0.output.lock"
    lock.parent.mkdir(exist_ok=True)
    lock.write_text("results/wein2023/report.html\n", encoding="utf-8")
    code, output = snakemake(checkout, finished, "--quiet", "all", "-R", "report")
    assert code != 0
    (line,) = (line for line in output.splitlines() if not line.startswith("Using profile"))
    assert "type `make unlock`" in line
    assert lock.exists()


@pytest.mark.parametrize("quiet", ["host", "all"])
def test_a_failed_job_shows_its_error_on_the_terminal(quiet: str, checkout: Path, finished: Path) -> None:
    configure(
        finished, {**CONFIG, "sizes": [{"n_items": 100_000, "k_responses": 2}], "sources": ["convabuse"]}
    )
    code, output = snakemake(checkout, finished, "--quiet", quiet)
    assert code != 0
    assert "error: " in output
    assert "set n_items to at most" in output
