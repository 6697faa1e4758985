"""`nbyk why`: what made a file, for people and for machines."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from nbyk.cli.checks import SHORT
from nbyk.files import read_json, sha256, write_json
from nbyk.lineage import recording
from nbyk.provenance import record_path
from tests.cli.conftest import Run

PRIOR = "study prior simulated --semantics recommended --out prior.json"
CELL = "cells=epsilon-0.2_n-20_k-2 semantics=recommended sets=[0,0]"
SETS = f"study cell wein2023 simulate {CELL} seed=3 --from prior=prior.json --out results/sets.parquet"
ESTIMATE = shlex.join(
    [
        *f"study cell wein2023 estimate_p {CELL} seed=4 null=pooled n_resamples=10".split(),
        *("n_spread_resamples=10", 'samplers=["bootstrap_items/all"]', 'metrics=["mae"]'),
        *["--from", "sets_file=results/sets.parquet", "--threads", "2", "--out", "results/estimated.parquet"],
    ]
)


@pytest.fixture
def nbyk(run_words: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Return a function that runs a quoted line in a folder with three files that depend on each other."""
    monkeypatch.chdir(tmp_path)

    def run(line: str) -> tuple[int, str, str]:
        return run_words(*shlex.split(line))

    for line in (PRIOR, SETS, ESTIMATE):
        assert run(line)[0] == 0
    return run


def test_a_file_says_what_made_it_and_the_command_makes_it_again(nbyk: Run) -> None:
    code, text, errors = nbyk("why results/estimated.parquet")
    assert (code, errors) == (0, "")
    lines = dict(line.strip().split(maxsplit=1) for line in text.splitlines() if len(line.split()) > 1)
    assert text.splitlines()[0] == "results/estimated.parquet"
    assert lines["sha256"] == sha256("results/estimated.parquet")
    assert not any(line.startswith("  in folder") for line in text.splitlines())
    assert lines["inputs"] == "1 file, unchanged"
    assert lines[sha256("results/sets.parquet")] == "results/sets.parquet"
    assert f"python {sys.version.split()[0]}, nbyk " in lines["versions"]
    assert "now" not in lines["versions"]
    assert text.splitlines()[-2:] == [
        "    results/sets.parquet   ← nbyk study cell",
        "      prior.json   ← nbyk study prior",
    ]
    again = lines["command"].removeprefix("nbyk ")
    assert again == ESTIMATE.replace(" --threads 2", "")
    before = [
        Path("results/estimated.parquet").read_bytes(),
        record_path("results/estimated.parquet").read_bytes(),
    ]
    Path("results/estimated.parquet").unlink()
    assert nbyk(again)[0] == 0
    after = [
        Path("results/estimated.parquet").read_bytes(),
        record_path("results/estimated.parquet").read_bytes(),
    ]
    assert after == before


def test_what_is_no_longer_so_is_marked(nbyk: Run) -> None:
    Path("prior.json").write_text("{}")
    Path("results/sets.parquet").unlink()
    record = record_path("results/estimated.parquet")
    made = json.loads(record.read_text())
    record.write_text(json.dumps({**made, "versions": {**made["versions"], "numpy": "1.0", "gone": "2.0"}}))
    code, text, _ = nbyk("why results/estimated.parquet")
    assert code == 3
    assert "numpy 1.0 (now " in text
    assert "gone 2.0 (now missing)" in text
    assert "  inputs     1 file, 1 missing\n" in text
    assert "results/sets.parquet   ← nbyk study cell   MISSING now\n" in text
    assert text.endswith("prior.json   ← nbyk study prior   CHANGED since\n")
    code, text, _ = nbyk("why prior.json")
    assert code == 3
    assert text.startswith("prior.json   CHANGED since\n")
    assert f"  found      {sha256('prior.json')}\n" in text
    assert "  inputs     none\n" in text


@pytest.mark.parametrize("form", ["", "--json ", "--tree "])
def test_the_exit_code_is_3_if_a_file_behind_has_changed_or_is_missing(nbyk: Run, form: str) -> None:
    asked = f"why {form}results/estimated.parquet"
    assert nbyk(asked)[0] == 0
    Path("prior.json").write_text("{}")
    assert nbyk(asked)[0] == 3
    Path("prior.json").unlink()
    assert nbyk(asked)[0] == 3
    assert nbyk(PRIOR)[0] == 0
    assert nbyk(asked)[0] == 0


def test_a_folder_is_told_by_command(nbyk: Run) -> None:
    ratings = "study normalise convabuse --out ratings.parquet"
    fit = "fit ratings.parquet --name convabuse --check fit/check.json --out fit/prior.json"
    assert nbyk(ratings)[0] == nbyk(fit)[0] == 0
    text = nbyk("why fit")[1]
    assert text.count("command ") == 1
    assert text.splitlines()[0::2][:2] == ["fit/check.json", "fit/prior.json"]
    assert text.endswith(
        "    ratings.parquet   ← nbyk study normalise\n      nbyk:data/embedded/convabuse.csv\n"
    )
    assert nbyk("why .")[1].count("\n\n") == 4


def test_a_long_chain_is_counted_and_printed_when_asked_for(nbyk: Run) -> None:
    names = [f"{number:02d}.json" for number in range(SHORT)]
    for name in names:
        write_json(name, name)
    with recording(["all"]):
        write_json("all.json", [read_json(name) for name in names])
    with recording(["last"]):
        write_json("last.json", read_json("all.json"))
    Path("07.json").write_text("5")
    short, long = nbyk("why last.json")[1], nbyk("why --tree last.json")[1]
    counted = (
        f"  behind it  {SHORT + 1} files, 1 changed; --tree prints the chain\n    07.json   CHANGED since\n"
    )
    assert short.endswith(f"{counted}  sources    {', '.join(names)}\n")
    tree = "".join(f"      {name}{'   CHANGED since' * (name == '07.json')}\n" for name in names)
    assert long.endswith(f"  made from\n    all.json   ← nbyk all\n{tree}")


def test_machines_get_the_same(nbyk: Run) -> None:
    code, text, _ = nbyk("why --json results/estimated.parquet")
    (made,) = json.loads(text)
    assert code == 0
    assert made["record"] == read_json(record_path("results/estimated.parquet"))
    assert (made["path"], made["state"]) == ("results/estimated.parquet", "unchanged")
    assert made["found"] == made["expected"] == sha256("results/estimated.parquet")
    assert made["sources"] == []
    assert made["installed"] == made["record"]["versions"]
    (sets,) = made["inputs"]
    assert (sets["path"], sets["state"]) == ("results/sets.parquet", "unchanged")
    assert len(json.loads(nbyk("why --json .")[1])) == 3


@pytest.mark.parametrize(
    ("path", "message"), [("own.csv", "own.csv: has no record"), ("nope", "nope: no such file")]
)
def test_a_file_that_nbyk_did_not_make_is_one_error(path: str, message: str, nbyk: Run) -> None:
    Path("own.csv").write_text("")
    code, text, errors = nbyk(f"why {path}")
    assert (code, text) == (2, "")
    assert errors.startswith(f"error: {message}")
    assert errors.count("\n") == 1
