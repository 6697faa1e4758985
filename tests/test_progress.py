"""What is shown while a command works: a bar on a terminal, nothing or a line every tenth in a log."""

from __future__ import annotations

import io
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import nbyk
from nbyk.progress import progress, stage


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("total", "shown"), [(8, "8/8"), (None, "0:00:0")])
def test_a_terminal_shows_a_bar_and_how_far_a_step_is(
    total: int | None, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with stage("comparing a with b", total) as advance:
        advance(8)
    assert "comparing a with b" in terminal.getvalue()
    assert shown in terminal.getvalue()


def test_a_log_has_no_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with stage("comparing a with b", 8) as advance:
        advance(8)
    assert capsys.readouterr().err == ""
    with progress("draws", 8) as advance:
        advance(8)
    assert capsys.readouterr().err.startswith("draws: 8/8 in ")


def test_a_pool_of_threads_gives_the_same_numbers_and_is_left_open() -> None:
    gold, a, b = np.random.default_rng(1).random((3, 20, 2))
    alone = nbyk.compare(gold, a, b, n_resamples=200).to_dict(distributions=True)
    with ThreadPoolExecutor(2) as pool:
        for _ in range(2):
            shared = nbyk.compare(gold, a, b, n_resamples=200, threads=pool)
            assert shared.to_dict(distributions=True) == alone
