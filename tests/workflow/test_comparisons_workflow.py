"""Comparisons in the configuration end to end: the command line's bytes, and what an added one runs."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from nbyk.cli import main
from nbyk.data.sources import example_files
from nbyk.files import read_json
from tests.workflow import forked
from tests.workflow.runs import PATIENCE, ROOT, configure, planned, snakemake

MADE_BY = re.compile(rb'<details id="made-by">.*?</details>', re.DOTALL)
TARGET = ("--", "comparisons")  # --configfile takes every word up to the next option
MINE: dict[str, Any] = {
    "two": {"gold": "gold.csv", "systems": ["sim_a.csv", "c=sim_c.csv"], "full": False, "alpha": 0.01},
    "three-way": {
        "gold": "gold.csv",
        "systems": ["sim_a.csv", "sim_b.csv", "sim_c.csv"],
        "metrics": ["mae", "accuracy(threshold=0.4)"],
        "against": "sim_b",
        "correction": "benjamini_hochberg",
    },
}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("comparisons") / "checkout"
    for part in ("workflow", "envs"):
        shutil.copytree(ROOT / part, folder / part)
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    shutil.copy2(ROOT / "Snakefile", folder)
    return folder


def test_comparisons_run_as_on_the_command_line_and_each_by_itself(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in example_files().items():
        (tmp_path / name).write_bytes(content)
    configure(tmp_path, {"seed": 7, "comparisons": MINE})
    code, output = snakemake(checkout, tmp_path, *TARGET)
    assert code == 0, output[-3000:]
    (board,) = read_json("results/comparisons/two/compare.json")["boards"]
    assert (board["pairs"][0]["b"], board["alpha"], board["seed"]) == ("c", 0.01, 7)
    boards = read_json("results/comparisons/three-way/compare.json")["boards"]
    assert [board["metric"] for board in boards] == ["mae", "accuracy(threshold=0.4)"]
    assert {(board["against"], board["correction"]) for board in boards} == {("sim_b", "benjamini_hochberg")}

    words = "compare --gold gold.csv sim_a.csv c=sim_c.csv --quick --alpha 0.01 --seed 7 --out direct"
    monkeypatch.setattr(sys, "argv", ["nbyk", *words.split()])
    with pytest.raises(SystemExit):
        main()
    for path in Path("direct").rglob("[!.]*.*"):
        if ".nbyk" not in path.parts:
            twin = Path("results/comparisons/two") / path.relative_to("direct")
            # The page names its command, whose options may be in another order.
            of_twin, own = (MADE_BY.sub(b"", found.read_bytes()) for found in (twin, path))
            assert of_twin == own, path

    assert planned(checkout, tmp_path, *TARGET) == []
    another = {"systems": ["sim_b.csv", "sim_c.csv"]}
    configure(tmp_path, {"seed": 7, "comparisons": {**MINE, "another": another}})
    (line,) = planned(checkout, tmp_path, *TARGET)
    assert "results/comparisons/another" in line
    configure(tmp_path, {"seed": 7, "comparisons": {**MINE, "two": {**MINE["two"], "alpha": 0.05}}})
    (line,) = planned(checkout, tmp_path, *TARGET)
    assert "--alpha=0.05" in line
    configure(tmp_path, {"seed": 7, "comparisons": MINE})
    lines = Path("sim_c.csv").read_text().splitlines(keepends=True)
    Path("sim_c.csv").write_text("".join(lines[:-1]))
    assert len(planned(checkout, tmp_path, *TARGET)) == 2


EVIL = """from pathlib import Path
Path("ran").touch()
"""


@pytest.mark.parametrize(
    "words",
    [
        "comparisons --configfile mine.yaml",
        "comparisons --configfile=mine.yaml",
        "--configfile=mine.yaml comparisons",
        "--configfile mine.yaml -- comparisons",
    ],
)
def test_a_configuration_and_a_target_come_in_either_order(words: str, tmp_path: Path) -> None:
    for name, content in example_files().items():
        (tmp_path / name).write_bytes(content)
    configure(tmp_path, {"comparisons": MINE})
    profile = ROOT / "workflow/profiles/default"
    options = ["--snakefile", ROOT / "Snakefile", "--profile", profile, "--cores", "1", "--dry-run"]
    code, output = forked.run(
        "snakemake", [*map(str, options), *words.split()], tmp_path, os.environ, PATIENCE
    )
    assert code == 0, output[-3000:]
    assert re.search(r"^comparison +2$", output, re.MULTILINE)


def test_a_target_behind_the_file_is_a_missing_file_and_the_guide_names_the_way_out(tmp_path: Path) -> None:
    # Snakemake reads its configuration files before any line of the workflow: no rule can say it better.
    configure(tmp_path, {})
    words = ["--snakefile", str(ROOT / "Snakefile"), "--configfile", "mine.yaml", "comparisons"]
    code, output = forked.run("snakemake", words, tmp_path, os.environ, PATIENCE)
    assert code != 0
    error = "No such file or directory: 'comparisons'"
    assert error in output
    text = " ".join((ROOT / "docs/guide.md").read_text(encoding="utf-8").split())
    said = text.index(error.partition(":")[0])
    assert "--configfile=mine.yaml" in text[said - 500 : said]
    assert "target first" in text[said - 500 : said]


def test_what_looks_like_an_option_is_never_run(tmp_path: Path) -> None:
    for name, content in example_files().items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "evil.py").write_text(EVIL)
    systems = ["--metric-file=evil.py", "sim_a.csv", "sim_b.csv"]
    configure(tmp_path, {"comparisons": {"mine": {"gold": "gold.csv", "systems": systems}}})
    code, output = snakemake(ROOT, tmp_path, "--dry-run", *TARGET)
    assert code != 0
    assert "systems.0: found '--metric-file=evil.py'; expected a path" in output
    assert not (tmp_path / "ran").exists()


def test_braces_in_a_file_of_a_folder_are_one_line(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "samples_{task}.jsonl").touch()
    configure(tmp_path, {"comparisons": {"mine": {"systems": ["a", "b"]}}})
    code, output = snakemake(ROOT, tmp_path, "--dry-run", *TARGET)
    assert code != 0
    assert "comparisons.mine: found 'a/samples_{task}.jsonl'; expected no braces" in output
    assert "Wildcard" not in output


def test_every_rule_keeps_options_and_files_apart() -> None:
    commands = []
    for rules in (ROOT / "workflow/rules").glob("*.smk"):
        for shell in re.findall(r"    shell:\n((?:        .*\n)+)", rules.read_text(encoding="utf-8")):
            commands.append("".join(line.strip().strip('"') for line in shell.splitlines()))
    assert len(commands) > 10
    for command in commands:
        words = command.partition(" > {log}")[0].split()
        first = words[3 if words[1] in ("data", "study") else 2]
        assert first.startswith(("--", "{params.")), command
        assert " -- " in command, command
