"""`nbyk example`: files to try a comparison on, which a script simulated."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from nbyk.data.sources import example_files
from tests.cli.conftest import Run


def test_the_example_is_copied_and_never_over_another_file(nbyk: Run, tmp_path: Path) -> None:
    code, text, _ = nbyk("example there")
    assert code == 0
    assert {path.name for path in Path("there").iterdir()} == set(example_files())
    command = text.splitlines()[-1].removeprefix("Try: nbyk ")
    assert nbyk(f"{command} --quick")[0] == 0
    assert nbyk("example there")[0] == 0
    Path("there/gold.csv").write_text("mine\n")
    code, text, errors = nbyk("example there")
    assert (code, text) == (2, "")
    assert (
        errors == "error: there/gold.csv: already exists and differs; move it away, or give another folder\n"
    )
    assert Path("there/gold.csv").read_text() == "mine\n"


def test_the_example_is_what_the_script_makes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(__file__).parents[2]
    monkeypatch.syspath_prepend(str(root / "scripts"))
    import simulate_example

    shutil.copy(simulate_example.EMBEDDED / "convabuse.csv", tmp_path)
    shipped = simulate_example.EMBEDDED / "example"
    monkeypatch.setattr(simulate_example, "EMBEDDED", tmp_path)
    assert simulate_example.main() == 0
    for path in shipped.glob("*.csv"):
        assert (tmp_path / "example" / path.name).read_bytes() == path.read_bytes()
