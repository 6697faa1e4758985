"""The benchmark against deep-significance runs where it is installed, and says what to do where it is not."""

from __future__ import annotations

import pytest

from benchmarks import deepsig


def test_without_the_peer_nothing_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(deepsig, "load_deepsig", lambda: None)
    assert list(deepsig.against_deepsig(1)) == []
    assert "pip install deepsig" in capsys.readouterr().out


def test_every_test_is_measured_against_the_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deepsig, "DRAWS", 50)
    if deepsig.load_deepsig() is None:
        pytest.skip("deepsig is not installed")
    lines = list(deepsig.against_deepsig(1))
    assert [found.floor for found in lines] == [2000.0, 20.0, 20.0, 20.0]
    assert all(found.ratio > 0.0 for found in lines)
