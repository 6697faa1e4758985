"""Two runs of τ²-bench in its makers' own layouts, cut to a few simulations without their messages.

The texts are from github.com/sierra-research/tau2-bench (MIT License, Copyright (c) 2025 Sierra Research): a
submission of 2025-10-31 to its leaderboard (commit e8163a3), which is one file; and the run of its tests of
voice (commit a2c0247), whose simulations are files of their own. The simulation that broke off is invented.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nbyk import read_systems
from nbyk.data import read_ratings
from nbyk.errors import NbykError

INFO = {
    "git_commit": "8d005b0e5b9e4af0bc055886fa7f95fc86d1710e",
    "num_trials": 1,
    "max_steps": 200,
    "max_errors": 10,
    "user_info": {"implementation": "user_simulator", "llm": "gpt-4.1", "llm_args": {"temperature": 0.0}},
    "agent_info": {
        "implementation": "llm_agent",
        "llm": "claude-sonnet-4-5",
        "llm_args": {"temperature": 0.0},
    },
    "environment_info": {"domain_name": "retail", "policy": "# Retail agent policy", "tool_defs": None},
    "seed": 300,
}
SCENARIO = {
    "persona": None,
    "instructions": {"domain": "retail", "reason_for_call": "You want to cancel all pending orders."},
}
TASKS = [
    {
        "id": name,
        "description": {"purpose": None, "relevant_policies": None, "notes": None},
        "user_scenario": SCENARIO,
        "ticket": None,
        "initial_state": None,
        "evaluation_criteria": {"actions": [], "communicate_info": [], "reward_basis": ["DB", "COMMUNICATE"]},
    }
    for name in ("10", "17", "112")
]


def simulation(number: str, task: str, reward: float | None, ended: str = "user_stop") -> dict[str, Any]:
    checks = {
        "reward": reward,
        "db_check": {"db_match": bool(reward), "db_reward": reward},
        "env_assertions": [],
        "nl_assertions": None,
        "reward_basis": ["DB", "COMMUNICATE"],
        "reward_breakdown": {"DB": reward, "COMMUNICATE": 1.0},
        "info": {"env": None, "nl": None, "communicate": {"note": "No communicate_info to evaluate"}},
    }
    return {
        "id": number,
        "task_id": task,
        "timestamp": "2025-10-31T07:17:16.026541",
        "duration": 46.215026007033885,
        "termination_reason": ended,
        "agent_cost": 0.156384,
        "user_cost": 0.005478,
        "reward_info": None if reward is None else checks,
        "messages": [],
        "trial": 0,
        "seed": 626729,
    }


RUNS = [
    simulation("046eabcb-0bb7-4599-baa9-4071b543cf02", "10", 1.0),
    simulation("516d004d-7c1a-4247-b327-6e03ae7ceeee", "17", 1.0),
]


def saved(folder: Path, **further: Any) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / "results.json"
    path.write_text(json.dumps({"timestamp": "2025-10-31T07:16:27.854362", "info": INFO, **further}))
    return path


def test_a_run_in_one_file_is_read_and_the_tasks_that_it_lacks_are_counted(tmp_path: Path) -> None:
    path = saved(tmp_path, tasks=TASKS, simulations=RUNS)
    ratings = read_ratings(path)
    assert dict(zip(ratings.items, ratings.values, strict=True)) == {"10": 1, "17": 1}
    assert ratings.recognised.endswith("; model = claude-sonnet-4-5, seed = 300")
    lacks = f"{path}: 1 of 3 simulations that were meant are missing"
    assert read_systems({"a": path, "b": path}).incomplete == (lacks, lacks)


def test_a_simulation_that_broke_off_has_no_reward(tmp_path: Path) -> None:
    broken = simulation("cd9c5ed2-9751-4c86-8dac-8a895a332e41", "112", None, "agent_error")
    path = saved(tmp_path, tasks=TASKS, simulations=[*RUNS, broken])
    with pytest.raises(NbykError, match="simulation 3: column 'reward': found no value"):
        read_ratings(path)
    assert read_ratings(path, on_empty="drop").items == ("10", "17")


def test_the_index_of_a_run_whose_simulations_are_files_of_their_own_is_read(tmp_path: Path) -> None:
    named = ("id", "task_id", "trial", "termination_reason", "agent_cost", "duration")
    index = [{name: of[name] for name in named} | {"reward": of["reward_info"]["reward"]} for of in RUNS]
    apart = read_ratings(saved(tmp_path / "apart", tasks=TASKS, simulation_index=index))
    assert apart == read_ratings(saved(tmp_path / "whole", tasks=TASKS, simulations=RUNS))


@pytest.mark.parametrize("member", ["simulations", "simulation_index"])
def test_another_task_of_one_id_is_refused(member: str, tmp_path: Path) -> None:
    runs = [{**of, "reward": 1.0} for of in RUNS]
    one, same = (saved(tmp_path / name, tasks=TASKS, **{member: runs}) for name in "as")
    assert read_systems({"a": one, "b": same}).n_items == 2
    wants = {**SCENARIO, "instructions": {"domain": "retail", "reason_for_call": "You want to pay."}}
    other = saved(tmp_path / "o", tasks=[{**of, "user_scenario": wants} for of in TASKS], **{member: runs})
    with pytest.raises(
        NbykError, match=r"simulation 1: item '10' has input_hash \w+, elsewhere \w+; expected"
    ):
        read_systems({"a": one, "b": other})


def test_a_run_without_rewards_is_refused_by_what_it_lacks(tmp_path: Path) -> None:
    with pytest.raises(NbykError, match=r"task 1: found a task of τ²-bench and no rewards .* in this file"):
        read_ratings(saved(tmp_path, tasks=TASKS))
    with pytest.raises(
        NbykError, match=r"has no rows; expected at least one rating"
    ):  # as the run of voice is
        read_ratings(saved(tmp_path, tasks=[]))
    of_voice = {"id": "s", "task_id": "40", "termination_reason": "user_stop", "trial": 0, "ticks": []}
    alone = tmp_path / "49b22f0c-4a56-41c5-922f-bc2a56e53a23.json"
    alone.write_text(json.dumps(of_voice))
    with pytest.raises(NbykError, match=r"49b22f0c"):
        read_ratings(alone)
