"""The benchmarks of tests of scores: against deep-significance, if it is installed, and with few scores."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import deepsig, small_samples
from nbyk.testing.scores.aso import violation_ratio


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


def test_evidence_with_few_scores_is_what_its_definition_says() -> None:
    """Levels of a normal law with n = 20, to 3 standard errors of 2000 sets, and ratios as ASO has them."""
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((2, small_samples.N_SETS, 20))
    for test, evidence in small_samples.TESTS.items():
        low, high = (0.0, 0.05) if "ROPE" in test else (0.035, 0.08)
        assert low < (evidence(a, b, rng) > 0.95).mean() < high, test
    pairs = zip(a[:50], b[:50], strict=True)
    expected = [violation_ratio(*pair) for pair in pairs]
    np.testing.assert_allclose(small_samples.violation_ratio(a[:50], b[:50]), expected)
    lead, scale = small_samples.lead_of_ratio(small_samples.LAWS["normal"], 0.2)
    x, y = scale * rng.standard_normal(200_000) + lead, rng.standard_normal(200_000)
    assert violation_ratio(x, y) == pytest.approx(0.2, abs=0.01)
    rope = small_samples.TESTS["normal posterior, ROPE .1 SD"](a, b, rng)
    assert rope.mean() < small_samples.TESTS["normal posterior"](a, b, rng).mean()
