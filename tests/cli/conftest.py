"""The command line, run in the tests' own process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from nbyk.cli import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run_words(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs nbyk with these words: its exit code, output and errors."""

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["nbyk", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return int(ended.value.code or 0), printed.out, printed.err

    return run


@pytest.fixture
def nbyk(run_words: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Return a function that runs a line of words in an empty folder, as `run_words` does."""
    monkeypatch.chdir(tmp_path)
    return lambda line: run_words(*line.split())
