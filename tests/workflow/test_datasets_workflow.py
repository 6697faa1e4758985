"""`snakemake datasets` end to end: what it computes, what it takes as it is, and what it fetches."""

from __future__ import annotations

import shlex
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from nbyk.data import source
from tests.workflow.test_workflow import ROOT, configure, planned, results, snakemake

CONFIG: dict[str, Any] = {
    "seed": 7,
    "sources": ["simulated"],
    "epsilons": [0.3],
    "sizes": [{"n_items": 40, "k_responses": 2}],
    "samplers": ["bootstrap_items/sample(1)"],
    "metrics": ["mae"],
    "n_draws": 40,
    "n_resamples": 40,
    "n_references": 2,
    "own_ratings": {"mine": {"path": "mine.csv", "scale": "1,2,3"}},
}
TARGET = ("--", "datasets")  # --configfile takes every word up to the next option
PER_CELL = ("reference", "true", "estimate", "pvalues")


def own_table(path: Path, n_items: int = 25) -> None:
    levels = np.random.default_rng(3).integers(1, 4, (n_items, 4))
    rows = [f"{item},{rater},{level}" for (item, rater), level in np.ndenumerate(levels)]
    path.write_text("\n".join(["item,rater,value", *rows]) + "\n", encoding="utf-8")


def rules(commands: list[str]) -> Counter[str]:
    """Count commands, by their first word, or two for those of `nbyk data`."""
    return Counter(" ".join(line.split()[: 1 + line.startswith("data ")]) for line in commands)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder to run in, with a table of one's own and no downloads anywhere."""
    monkeypatch.setenv("NBYK_DATA", str(tmp_path / "downloads"))
    monkeypatch.delenv("NBYK_MIRROR", raising=False)
    folder = tmp_path / "run"
    folder.mkdir()
    own_table(folder / "mine.csv")
    configure(folder, CONFIG)
    return folder


def fetched(folder: Path, name: str) -> None:
    """Put empty files where those of a source belong: they are there, and that is what a plan depends on."""
    for file in source(name).remote:
        (folder / name / file.name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name / file.name).touch()


def test_every_data_set_at_hand_gets_a_section(run: Path) -> None:
    code, output = snakemake(ROOT, run, *TARGET, seconds=600)
    assert code == 0, output[-3000:]
    assert not (run / "results/downloads").exists()
    summary = pd.read_csv(run / "results/datasets/summary.csv").set_index("source")
    assert sorted(summary.index) == ["convabuse", "mine"]
    assert summary.loc["mine", ["items", "ratings"]].tolist() == [25, 100]
    assert summary.loc["mine", "scale"] == "one of 1, 2, 3"
    p = pd.read_csv(run / "results/datasets/pvalues.csv").set_index("source")
    # A data set with fewer items than a size asks for is taken whole.
    assert p["n_items"].to_dict() == {"mine": 25, "convabuse": 40}
    assert p[["estimated_p", "true_p"]].apply(lambda column: column.between(0, 1)).all(axis=None)
    page = (run / "results/datasets/report.html").read_text(encoding="utf-8")
    assert page.count("<h2 id=") == 2
    assert planned(ROOT, run, *TARGET) == []
    before = results(run)
    # The study's own cells of these data sets are the same files.
    configure(run, {**CONFIG, "sources": ["simulated", "convabuse"], "semantics": ["recommended"]})
    plan = planned(ROOT, run)
    assert not any("convabuse" in line for line in plan if line.split()[0] in ("normalise", "fit", *PER_CELL))
    assert results(run) == before


def test_downloads_are_planned_for_what_is_asked_for_or_was_fetched(run: Path, tmp_path: Path) -> None:
    at_hand = {"normalise": 2, "fit": 2, "data report": 1, **dict.fromkeys(PER_CELL, 2)}
    assert rules(planned(ROOT, run, *TARGET)) == Counter(at_hand)
    assert "data fetch" not in rules(planned(ROOT, run))
    fetched(tmp_path / "downloads", "armis")
    configure(run, {**CONFIG, "sources": ["simulated", "hs_brexit"]})
    plan = planned(ROOT, run, *TARGET)
    more = {"normalise": 4, "fit": 4, "data report": 1, "data fetch": 6, **dict.fromkeys(PER_CELL, 4)}
    assert rules(plan) == Counter(more)
    wanted = [file.name for name in ("armis", "hs_brexit") for file in source(name).remote]
    fetches = [shlex.split(line) for line in plan if line.startswith("data fetch")]
    assert sorted(words[words.index("--file") + 1] for words in fetches) == sorted(wanted)
    (normalise,) = (line for line in plan if line.startswith("normalise hs_brexit"))
    assert "--path results/downloads/hs_brexit" in normalise
    # Only what the configuration names is fetched for the study itself.
    assert rules(planned(ROOT, run))["data fetch"] == 3


def test_the_configured_mirror_and_folder_reach_the_command(run: Path, tmp_path: Path) -> None:
    mirror = tmp_path / "a mirror"
    fetched(mirror, "dices_350")
    configure(run, {**CONFIG, "downloads": {"mirror": str(mirror), "folder": "my downloads"}})
    (fetch,) = (line for line in planned(ROOT, run, *TARGET) if line.startswith("data fetch"))
    words = shlex.split(fetch)
    assert words[:3] == ["data", "fetch", "dices_350"]
    assert words[words.index("--mirror") + 1] == str(mirror)
    assert words[words.index("--folder") + 1] == "my downloads"


def test_a_path_of_ones_own_is_never_fetched(run: Path) -> None:
    (run / "HS-Brexit_test.json").touch()
    own = {"sources": ["hs_brexit"], "ratings": {"hs_brexit": "HS-Brexit_test.json"}}
    configure(run, {**CONFIG, **own})
    plan = planned(ROOT, run)
    assert "data fetch" not in rules(plan)
    assert any(line.startswith("normalise hs_brexit --path HS-Brexit_test.json") for line in plan)


def test_what_cannot_be_fetched_is_one_line_on_the_terminal(run: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    configure(run, {**CONFIG, "sources": ["armis"], "downloads": {"mirror": str(empty)}})
    code, output = snakemake(ROOT, run, "--until", "download")
    assert code != 0
    # The jobs that had begun when the first failed.
    (line, *_) = sorted({line for line in output.splitlines() if line.startswith("error: ")})
    (file,) = [file for file in source("armis").remote if file.name in line]
    place = tmp_path / "downloads/armis" / file.name
    assert f"{empty}/armis/{file.name}: no such file in the mirror" in line
    assert f"{file.url} to {place}" in line
    assert not list((tmp_path / "downloads").rglob("*.json"))
