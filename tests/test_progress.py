"""What is shown while a command works: a bar on a terminal, nothing or a line every tenth in a log."""

from __future__ import annotations

import io
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from nbyk.progress import progress, stage
from nbyk.testing.systems.sensitivity import n_draws_in_all, sensitivity
from tests.testing.systems.test_sensitivity import ratings


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


@pytest.mark.parametrize(
    ("some", "needed"),
    [
        ({}, n_draws_in_all()),
        ({"nulls": ("swap_items", "pooled"), "samplers": ("all_items/sample(K)",), "n_resamples": 100}, 500),
    ],
)
def test_the_bar_of_a_sensitivity_ends_where_its_draws_end(some: dict[str, Any], needed: int) -> None:
    made: list[int] = []
    sensitivity(*ratings(), metrics=["mae", "cosine"], progress=made.append, **some)
    assert needed <= sum(made) < 1.3 * needed
    assert n_draws_in_all(2, 1, 100) == 500


def test_a_pool_of_threads_gives_the_same_numbers_and_is_left_open() -> None:
    gold, a, b = np.random.default_rng(1).random((3, 20, 2))
    shared = {"metrics": ["mae"], "nulls": ["swap_items"], "samplers": [], "n_resamples": 200}
    alone = sensitivity(gold, a, b, **shared)
    with ThreadPoolExecutor(2) as pool:
        assert [sensitivity(gold, a, b, threads=pool, **shared) for _ in range(2)] == [alone] * 2
