"""`snakemake datasets` end to end: what it computes, what it takes as it is, and what it fetches."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from nbyk.data import source
from nbyk.data.download import terms_of
from nbyk.files import sha256
from tests.workflow.runs import (
    ROOT,
    assert_names_are_files,
    configure,
    planned,
    results,
    snakemake,
    take_fits,
)

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
STAND_IN = """
import dataclasses
from nbyk.data import RemoteFile, source, sources
remote = tuple(RemoteFile(*pin) for pin in {pins!r})
sources._SOURCES["armis"] = dataclasses.replace(source("armis"), remote=remote)
"""
"""Pins other bytes of ArMIS."""


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


def test_every_data_set_at_hand_gets_a_section(run: Path, shared: Path) -> None:
    take_fits(shared / "run", run)
    code, output = snakemake(ROOT, run, *TARGET)
    assert code == 0, output[-3000:]
    # What is there is taken as it is.
    assert re.findall("Fitting a two-stage prior to (.*)", output) == ["mine"]
    assert not (run / "results/downloads").exists()
    summary = pd.read_csv(run / "results/datasets/tables/data_sets.csv").set_index("source")
    assert sorted(summary.index) == ["convabuse", "mine"]
    assert summary.loc["mine", ["items", "ratings"]].tolist() == [25, 100]
    assert summary.loc["mine", "scale"] == "one of 1, 2, 3"
    p = pd.read_csv(run / "results/datasets/tables/pvalues.csv").set_index("source")
    # A data set with fewer items than a size asks for is taken whole.
    assert p["n_items"].to_dict() == {"mine": 25, "convabuse": 40}
    assert p[["estimated_p", "true_p"]].apply(lambda column: column.between(0, 1)).all(axis=None)
    page = (run / "results/datasets/report.html").read_text(encoding="utf-8")
    assert page.count("<h2 id=") == 2
    assert_names_are_files(run, "datasets")
    (line,) = (line for line in output.splitlines() if "not at hand: " in line)
    assert {"amazon", "toxicity", "hs_brexit", "armis"} <= set(re.findall(r"\w+", line))
    assert planned(ROOT, run, *TARGET) == []
    before = results(run)
    # What is missing is made again.
    (cell,) = (run / "results/estimated_p").rglob("source=mine/*.parquet")
    for missing in (run / "results/datasets/report.html", run / "results/datasets/figures/mine.svg", cell):
        missing.rename(run / "away")
        assert planned(ROOT, run, *TARGET) != [], missing
        (run / "away").rename(missing)
    # The study's own cells of these data sets are the same files.
    configure(run, {**CONFIG, "sources": ["simulated", "convabuse"], "semantics": ["recommended"]})
    plan = planned(ROOT, run)
    kept = ("normalise", "fit", "cell")
    assert not any(
        "source=convabuse" in line or " -- convabuse" in line for line in plan if line.split()[0] in kept
    )
    assert results(run) == before


def test_upstream_files_of_toxicity_and_amazon_become_figures_3_and_4(run: Path) -> None:
    """From the authors' layout to the figures of the ratings beside the fitted prior."""
    random = np.random.default_rng(5)
    means = random.beta(1.0, 3.0, 60)
    levels = random.binomial(4, means[:, None], (60, 5))
    lines = []
    for item, row in enumerate(levels):
        scores = [{"toxic_score": int(level), "worker_id": f"w{item}-{n}"} for n, level in enumerate(row)]
        lines.append({"comment": f"comment {item}", "ratings": scores})
    (run / "toxicity_ratings.json").write_text("".join(json.dumps(line) + "\n" for line in lines))
    rows = [f"product {item},r{5 * item + n},{1 + of}" for (item, n), of in np.ndenumerate(levels)]
    (run / "amazon.csv").write_text("\n".join(["item,rater,value", *rows]) + "\n", encoding="utf-8")
    paths = {"toxicity": "toxicity_ratings.json", "amazon": "amazon.csv"}
    changes = {"sources": list(paths), "ratings": paths, "semantics": ["recommended"]}
    configure(run, {**CONFIG, **changes, "own_ratings": {}})
    figures = [f"results/wein2023/figures/{name}.svg" for name in ("figure_03", "figure_04", "amazon_means")]
    code, output = snakemake(ROOT, run, "--", *figures)
    assert code == 0, output[-3000:]
    for source_name, figure in zip(("toxicity", "toxicity", "amazon"), figures, strict=True):
        text = (run / figure).read_text(encoding="utf-8")
        assert f"60 items of {source_name}" in text
        assert "no ratings" not in text
    for source_name in paths:
        fitted = json.loads((run / f"results/fits/{source_name}/prior.json").read_text(encoding="utf-8"))
        assert fitted["mu"] != fitted["sigma"]
        assert pd.read_parquet(run / f"results/ratings/{source_name}.parquet").shape[0] == 300
    assert "normalise" not in rules(planned(ROOT, run, "--", *figures))


def test_downloads_are_planned_for_what_is_asked_for_or_was_fetched(run: Path, tmp_path: Path) -> None:
    at_hand = {"normalise": 2, "fit": 2, "cell": 6, "aggregate": 1, "plot": 1, "report": 1}
    assert rules(planned(ROOT, run, *TARGET)) == Counter(at_hand)
    assert "data fetch" not in rules(planned(ROOT, run))
    fetched(tmp_path / "downloads", "armis")
    configure(run, {**CONFIG, "sources": ["simulated", "hs_brexit"]})
    plan = planned(ROOT, run, *TARGET)
    more = {
        "normalise": 4,
        "fit": 4,
        "data fetch": 6,
        "data terms": 2,
        "cell": 12,
        "aggregate": 1,
        "plot": 1,
        "report": 1,
    }
    assert rules(plan) == Counter(more)
    wanted = [file.name for name in ("armis", "hs_brexit") for file in source(name).remote]
    fetches = [shlex.split(line) for line in plan if line.startswith("data fetch")]
    assert sorted(words[words.index("--file") + 1] for words in fetches) == sorted(wanted)
    (normalise,) = (line for line in plan if re.match("normalise .* -- hs_brexit$", line))
    assert "--path results/downloads/hs_brexit" in normalise
    # Only what the configuration names is fetched for the study itself.
    assert rules(planned(ROOT, run))["data fetch"] == 3


def test_the_configured_mirror_and_folder_reach_the_command(run: Path, tmp_path: Path) -> None:
    mirror = tmp_path / "a mirror"
    fetched(mirror, "dices_350")
    configure(run, {**CONFIG, "downloads": {"mirror": str(mirror), "folder": "my downloads"}})
    (fetch,) = (line for line in planned(ROOT, run, *TARGET) if line.startswith("data fetch"))
    words = shlex.split(fetch)
    assert (words[:2], words[-2:]) == (["data", "fetch"], ["--", "dices_350"])
    assert words[words.index("--mirror") + 1] == str(mirror)
    assert words[words.index("--folder") + 1] == "my downloads"


def test_terms_are_shown_before_a_download_and_another_address_plans_nothing_anew(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = {str(n): {"annotations": "0,1,1", "annotators": "a,b,c"} for n in range(5)}
    pins = []
    for file in source("armis").remote:
        path = tmp_path / "mirror/armis" / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({f"{file.name}{n}": labels for n, labels in table.items()}))
        pins.append((file.name, file.url, sha256(path)))
    # Python imports this module when it starts: in Snakemake, and in its jobs.
    (tmp_path / "site").mkdir()
    (tmp_path / "site/sitecustomize.py").write_text(STAND_IN.format(pins=pins))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"), prepend=os.pathsep)
    entry, config = source("armis"), {**CONFIG, "sources": ["armis"]}
    configure(run, {**config, "downloads": {"mirror": str(tmp_path / "mirror")}})
    target = ("--", "results/ratings/armis.parquet")
    code, output = snakemake(ROOT, run, *target)
    assert code == 0, output[-3000:]
    assert output.count(terms_of(entry)) == 1
    assert output.index(terms_of(entry)) < output.index("Fetching")
    configure(run, {**config, "downloads": {"mirror": "elsewhere", "folder": str(tmp_path / "downloads")}})
    assert planned(ROOT, run, *target) == []
    # What is in the folder of downloads is copied, not fetched.
    shutil.rmtree(run / "results/downloads")
    code, output = snakemake(ROOT, run, "--", f"results/downloads/armis/{pins[0][0]}")
    assert code == 0, output[-3000:]
    assert "Fetching" in output
    assert entry.citation not in output


def test_a_path_of_ones_own_is_never_fetched(run: Path) -> None:
    (run / "HS-Brexit_test.json").touch()
    own = {"sources": ["hs_brexit"], "ratings": {"hs_brexit": "HS-Brexit_test.json"}}
    configure(run, {**CONFIG, **own})
    plan = planned(ROOT, run)
    assert "data fetch" not in rules(plan)
    assert any(re.match("normalise --path HS-Brexit_test.json .* -- hs_brexit$", line) for line in plan)


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
    assert f"{empty}/armis/{file.name}: no such file" in line
    assert f"{file.url} to {place}" in line
    assert not list((tmp_path / "downloads").rglob("*.json"))


def test_copies_of_downloads_keep_a_data_set_where_its_folder_is_not_seen(run: Path) -> None:
    fetched(run / "results/downloads", "armis")
    assert any(re.match("fit .* -- results/ratings/armis", line) for line in planned(ROOT, run, *TARGET))


def test_items_rated_once_are_not_counted_on(run: Path) -> None:
    (file,) = source("mhs").remote
    copy = run / "results/downloads/mhs" / file.name
    copy.parent.mkdir(parents=True)
    pairs = [(item, rater) for item in range(30) for rater in range(2 if item < 25 else 1)]
    answers = pd.DataFrame(pairs, columns=["comment_id", "annotator_id"]).assign(respect=1.0)
    answers.to_parquet(copy)
    cells = [line for line in planned(ROOT, run, *TARGET) if line.startswith("cell")]
    (of_mhs,) = (line for line in cells if "fits/mhs/" in line and " simulate " in line)
    assert "cells=epsilon-0.3_n-25_k-2" in of_mhs


def test_jobs_ask_for_more_where_there_are_more_ratings(run: Path, tmp_path: Path) -> None:
    own_table(run / "mine.csv", n_items=20_000)
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    for folder in ("src", "workflow"):
        (checkout / folder).symlink_to(ROOT / folder)
    told = "{rule} {wildcards.source} {resources.mem_mb} MB, {resources.runtime} min"
    messages = [f'workflow.get_rule("{rule}").message = "asks: {told}"' for rule in ("fit", "normalise")]
    snakefile = (ROOT / "Snakefile").read_text(encoding="utf-8")
    (checkout / "Snakefile").write_text("\n".join([snakefile, *messages, ""]), encoding="utf-8")
    code, output = snakemake(checkout, run, "--dry-run", *TARGET)
    assert code == 0, output[-3000:]
    asked = {
        (rule, name): (int(memory), int(time))
        for rule, name, memory, time in re.findall(r"asks: (\w+) (\w+) (\d+) MB, (\d+) min", output)
    }
    # What ConvAbuse was measured to take is in docs/cluster.md, 80,000 ratings are 6.4 times as many.
    assert asked["fit", "convabuse"] == (750, 2)
    assert asked["fit", "mine"] == (950, 7)
    assert asked["normalise", "convabuse"] == (650, 2)
    assert asked["normalise", "mine"] == (700, 2)


def test_what_is_wrong_with_a_table_of_ones_own_is_said_before_the_first_job(run: Path) -> None:
    (run / "mine.csv").write_text("item,rater,value\n1,a,1\n2,a,7\n", encoding="utf-8")
    code, output = snakemake(ROOT, run, "--dry-run", *TARGET)
    assert code != 0
    assert "own_ratings.mine: mine.csv:3: " in output
    assert "Traceback" not in output
