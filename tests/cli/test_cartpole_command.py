"""`nbyk cartpole`: the case study from the rewards that come with nbyk, or from others."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from nbyk_papers.ulmer2022.cartpole import analysis
from nbyk_papers.ulmer2022.cartpole.training import read_rewards
from tests.cli.conftest import Run


def test_the_study_is_written_without_gymnasium(nbyk: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    studied, kept = analysis.case_study, []

    def case_study(*given: Any, **more: Any) -> analysis.CaseStudy:
        kept.append(studied(*given, **more))
        return kept[-1]

    monkeypatch.setattr(analysis, "case_study", case_study)
    code, text, error = nbyk("study cartpole study --out study --scores scores")
    assert (code, error) == (0, "wrote study/case_study.html; tables, figures and JSON are beside it\n")
    (found,) = kept
    assert found.rewards.keys() == read_rewards().keys()
    written = json.loads(Path("study/case_study.json").read_text())
    assert written["tests"][len(found.tests) - 1]["eps_min"] == found.tests[-1].aso.eps_min
    assert written["episodes"][0]["p ≤ 0.05"] == found.episodes[0].rejected
    assert written["sentences"][0] in " ".join(text.split())
    for name in ("rewards", "quantiles", "episodes"):
        assert Path(f"study/figures/{name}.png").stat().st_size > 10_000
    for name in ("tests", "power", "eps_min", "episodes"):
        assert Path(f"study/tables/{name}.csv").exists()
    line = "compare scores/every_10.csv scores/every_20.csv --test aso --alternative greater --format json"
    again = json.loads(nbyk(line)[1])
    assert again["boards"][0]["pairs"][0]["claims"][0]["order"]["eps_min"] == found.tests[-1].aso.eps_min


def test_other_rewards_and_bad_ones(nbyk: Run) -> None:
    code, _, error = nbyk("study cartpole study missing.csv")
    assert (code, error) == (2, "error: missing.csv: no such file; check the path\n")
    Path("few.csv").write_text("agent,run,episode_1\nevery_10,0,9\n")
    code, _, error = nbyk("study cartpole study few.csv --out study")
    assert code == 2
    assert "found 1 runs of every_10, expected at least 10" in error
    assert not Path("study").exists()


def test_training_writes_rewards(nbyk: Run) -> None:
    pytest.importorskip("gymnasium")
    assert nbyk("study cartpole train --runs 2 --episodes 3 --out rewards.csv")[0] == 0
    assert {
        agent: of_runs.shape for agent, of_runs in read_rewards(Path("rewards.csv")).items()
    } == dict.fromkeys(read_rewards(), (2, 3))
