"""Configurations that are wrong: the run stops before its first job, and says which line to change."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from tests.workflow.runs import CONFIG, ROOT, snakemake

BAD = {
    "unknown key": ("n_draws: 40", "n_drawz: 40", "unknown key 'n_drawz'; did you mean n_draws"),
    "unknown metric": ("- mae", "- maee", "unknown metric 'maee'; did you mean mae"),
    "unknown sampler": ("bootstrap_items/sample(1)", "bootstrap/all", "unknown item sampler 'bootstrap'"),
    "unknown source": ("- convabuse", "- convabus", "unknown source 'convabus'; did you mean convabuse"),
    "ε above 1": ("- 0.3", "- 1.5", "found 1.5"),
    "ε twice": ("- 0.3", "- 0.3\n- 0.3", "0.3 is listed twice"),
    "no such file": ("metrics:", "metric_files: [nope.py]\nmetrics:", "nope.py: no such file"),
    "wrong type": ("n_resamples: 40", "n_resamples: many", "found 'many'"),
}


@pytest.mark.parametrize(("old", "new", "message"), BAD.values(), ids=list(BAD))
def test_a_wrong_configuration_stops_the_run_before_its_first_job(
    old: str, new: str, message: str, tmp_path: Path
) -> None:
    text = yaml.safe_dump(CONFIG, sort_keys=False)
    assert old in text
    text = text.replace(old, new)
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    culprit = "epsilons:" if "twice" in message else new.partition("\n")[0]
    line = next(number for number, line in enumerate(text.splitlines(), start=1) if culprit in line)
    code, output = snakemake(ROOT, tmp_path)
    assert code != 0
    (found,) = (line for line in output.splitlines() if message in line)
    assert f"mine.yaml:{line}: " in found
    assert "Traceback" not in output
    assert {path.name for path in tmp_path.iterdir()} <= {"mine.yaml", ".snakemake"}


TWICE = ["seed: 1\nseed: 2\n", "comparisons: {}\nseed: 1\ncomparisons: {}\n", "own_ratings: {off: {}}\n"]


@pytest.mark.parametrize("name", ["config.yaml", "mine.yaml"])
@pytest.mark.parametrize("text", TWICE)
def test_what_snakemakes_own_reader_would_lose_is_refused(text: str, name: str, tmp_path: Path) -> None:
    for each in ("config.yaml", "mine.yaml"):
        (tmp_path / each).write_text(text if each == name else "n_draws: 40\n", encoding="utf-8")
    code, output = snakemake(ROOT, tmp_path, "--dry-run")
    assert code != 0
    assert f"{name}:{len(text.splitlines())}: " in output
    assert "comes twice; keep one" in output or "put it in quotes" in output
    assert "Traceback" not in output


def test_an_error_is_placed_in_the_users_file_not_in_the_default_beside_it(tmp_path: Path) -> None:
    shutil.copy(ROOT / "config.yaml", tmp_path)
    (tmp_path / "mine.yaml").write_text("# mine\nepsilons: [0.1, 1.5]\n", encoding="utf-8")
    code, output = snakemake(ROOT, tmp_path, "--dry-run")
    assert code != 0
    assert "mine.yaml:2: epsilons.1: found 1.5" in output
