"""The doctor's view of versions, compiled code, and room and right to write."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

from nbyk import health
from nbyk.health import (
    compiled_code,
    place_to_write,
    python_and_packages,
)


def test_the_environment_of_the_tests_has_what_nbyk_needs() -> None:
    assert list(python_and_packages()) == []


def test_what_is_too_old_or_missing_is_named_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    needs = ["numpy>=1000.1", "nowhere_to_be_found>=2", "scipy>=1.0", "other; extra == 'dev'"]
    monkeypatch.setattr(health, "requires", lambda name: needs)
    monkeypatch.setattr(health, "platform", SimpleNamespace(python_version=lambda: "3.9.1"))
    lines = [finding.line for finding in python_and_packages()]
    assert lines[0].startswith("Python: 3.9.1, expected >=3.11; ")
    assert lines[1] == (f"numpy: {metadata.version('numpy')}, expected >=1000.1; pip install 'numpy>=1000.1'")
    assert lines[2] == "nowhere_to_be_found: is missing, expected >=2; pip install 'nowhere_to_be_found>=2'"
    assert len(lines) == 3


def test_compiled_code_that_was_cut_off_is_named_and_deleting_it_heals(tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text(
        "from numba import njit\n@njit(cache=True)\ndef f(x):\n    return x + 1\nprint(f(1))\n"
    )
    cache = tmp_path / "cache"
    run = {
        "args": [sys.executable, "code.py"],
        "cwd": tmp_path,
        "env": {**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        "capture_output": True,
    }
    assert subprocess.run(**run).stdout == b"2\n"  # type: ignore[call-overload]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_CACHE_DIR", str(cache))
        assert [finding for finding in compiled_code() if str(cache) in finding.where] == []
        files = sorted(path for path in cache.rglob("*.nb?"))
        assert {path.suffix for path in files} == {".nbi", ".nbc"}
        for path in files:
            whole = path.read_bytes()
            for content in (b"", bytes(len(whole)), whole[: len(whole) // 2]):
                path.write_bytes(content)
                assert subprocess.run(**run).returncode != 0  # type: ignore[call-overload]
                assert [finding.where for finding in compiled_code() if finding.advice] == [str(path)]
            path.unlink()
            assert subprocess.run(**run).stdout == b"2\n"  # type: ignore[call-overload]


def test_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=12_300_000))
    (finding,) = place_to_write(tmp_path)
    assert finding.line == f"{tmp_path}: 12 MB of its disk are free; free 1000 MB or more"


@pytest.mark.parametrize("place", [".", "results", "results/pvalues"])
def test_a_folder_that_may_not_be_written_is_named(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / place
    folder.mkdir(parents=True, exist_ok=True)
    assert list(place_to_write(tmp_path)) == []
    # Root may write whatever the mode says.
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != folder)
    (finding,) = place_to_write(tmp_path)
    assert finding.line.startswith(f"{folder}: may not be written; give yourself the right")
