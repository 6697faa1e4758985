"""The agents of the case study, and the rewards of their runs: trained anew, or those that come with nbyk."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

import numpy as np

from nbyk.arrays import Floats
from nbyk.data.layouts import as_numbers
from nbyk.data.reading import table_of
from nbyk.errors import NbykError
from nbyk.files import write_text
from nbyk_papers.ulmer2022.cartpole.training import TrainingSettings

Rewards = Mapping[str, Floats]
"""Sums of rewards by the agent's name: shape (runs, episodes)."""

AGENTS = {
    "every_10": TrainingSettings(target_update=10),
    "every_20": TrainingSettings(target_update=20),
    "discount_0.6": TrainingSettings(target_update=10, discount=0.6),
}
"""The agents compared: the network copied every 10 or 20 steps, and a smaller discount factor."""

LABELS = {
    "every_10": "every 10 steps",
    "every_20": "every 20 steps",
    "discount_0.6": "discount factor 0.6",
}

RUNS = 30
"""Runs of each agent behind the rewards that come with nbyk."""


def write_rewards(rewards: Rewards, path: Path) -> None:
    """Write rewards as CSV: one line per run with its agent, its number and the reward of each episode."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    n_episodes = next(iter(rewards.values())).shape[1]
    writer.writerow(["agent", "run", *(f"episode_{episode + 1}" for episode in range(n_episodes))])
    for agent, agent_rewards in rewards.items():
        for run, run_rewards in enumerate(agent_rewards):
            writer.writerow([agent, run, *(f"{reward:g}" for reward in run_rewards)])
    write_text(path, text.getvalue())


def write_scores(means: Floats, path: Path) -> None:
    """Write the mean reward of each run as a file of scores, one line per run."""
    lines = [f"{run},{mean!r}" for run, mean in enumerate(means.tolist())]
    write_text(path, "\n".join(["run,score", *lines]) + "\n")


def read_rewards(path: Path | None = None) -> dict[str, Floats]:
    """Return the rewards in a file that `write_rewards` wrote; without one, those that come with nbyk."""
    if path is None:
        with resources.as_file(resources.files(__package__).joinpath("rewards.csv")) as shipped:
            return read_rewards(shipped)
    table = table_of(path)
    agents = table.column("agent", "write it with `nbyk study cartpole train`")
    episodes = [name for name in table.names if name.startswith("episode_")]
    if not episodes:
        raise NbykError(
            f"no column episode_1; found {', '.join(map(repr, table.names[:6]))}; write it with "
            "`nbyk study cartpole train`",
            file=path,
        )
    matrix = np.stack([as_numbers(table.column(name, "write the file again")) for name in episodes], axis=1)
    if not np.isfinite(matrix).all():
        row, episode = np.argwhere(~np.isfinite(matrix))[0].tolist()
        raise table.at(row).error(
            f"column {episodes[episode]!r}: expected a finite number; write the file again"
        )
    named = np.array(agents)
    return {agent: matrix[named == agent] for agent in dict.fromkeys(agents)}
