"""Compiled code: what is stale or was cut off is deleted before numba meets it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nbyk import compiled


def test_compiled_code_that_is_older_than_what_it_calls_or_empty_is_discarded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "__file__", str(tmp_path / "compiled.py"))
    called, cache = tmp_path / "called.py", tmp_path / "metrics/__pycache__"
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
