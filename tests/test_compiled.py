"""Compiled code: what is stale or was cut off is deleted before numba meets it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nbyk import compiled


@pytest.mark.parametrize("folder", ["library/metrics", "library_studies/study"])
def test_compiled_code_that_is_older_than_what_it_calls_or_empty_is_discarded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    monkeypatch.setattr(compiled, "__file__", str(tmp_path / "library/compiled.py"))
    called, cache = tmp_path / "called.py", tmp_path / folder / "__pycache__"
    cache.mkdir(parents=True)
    called.touch()
    changed = called.stat().st_mtime
    for name, content, age in (
        ("fresh.nbi", b"index", -1),
        ("stale.nbi", b"index", 1),
        ("cut.nbi", b"", -1),
        ("old.1.nbc", b"code", 1),
        ("cut.1.nbc", b"", -1),
    ):
        (cache / name).write_bytes(content)
        os.utime(cache / name, (changed - age, changed - age))
    compiled.discard_older_caches(str(called))
    assert sorted(os.listdir(cache)) == ["fresh.nbi", "old.1.nbc"]


@pytest.mark.parametrize("temporary_is_ours", [True, False])
def test_nothing_but_a_note_where_installation_and_home_cannot_be_written(
    tmp_path: Path, temporary_is_ours: bool
) -> None:
    package = Path(shutil.copytree(Path(compiled.__file__).parent, tmp_path / "nbyk"))
    for folder in [package, *(path for path in package.rglob("*") if path.is_dir())]:
        if folder.name != "__pycache__" and folder.parent.name != "__pycache__":
            shutil.rmtree(folder / "__pycache__", ignore_errors=True)
            (folder / "__pycache__").touch()  # no right keeps root from writing, but a file does
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    place = temporary / f"nbyk-compiled-{os.getuid()}"
    if not temporary_is_ours:
        place.mkdir()
        place.chmod(0o777)
    names = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "MPLCONFIGDIR", "NUMBA_CACHE_DIR")
    inherited = {name: value for name, value in os.environ.items() if name not in names}
    code = (
        "from nbyk.testing.engine import item_draws"
        + "; from nbyk.report import drawing; drawing.style()" * temporary_is_ours
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**inherited, "PYTHONPATH": str(tmp_path), "HOME": "/dev/null/home", "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("note: ")
    assert "NUMBA_CACHE_DIR" in done.stderr
    assert (str(place) in done.stderr) == temporary_is_ours
