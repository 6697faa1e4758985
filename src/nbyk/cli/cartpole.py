"""`nbyk cartpole`: the case study of Ulmer et al. 2022, from rewards that come with nbyk or are new."""

from __future__ import annotations

from typing import Annotated

import typer

from nbyk.cli.options import Out, Seed

app = typer.Typer(no_args_is_help=True, help="Two Q-learners on the cart pole: the case study of Ulmer 2022.")


@app.command()
def train(
    out: Out,
    runs: Annotated[int, typer.Option(help="Runs of each agent.", min=1)] = 30,
    episodes: Annotated[int, typer.Option(help="Episodes of a run.", min=1)] = 100,
    seed: Seed = 0,
) -> None:
    """Train the agents and write the reward of each episode; needs `pip install 'nbyk[cartpole]'`."""
    from dataclasses import replace

    import numpy as np

    from nbyk.progress import progress
    from nbyk.studies.cartpole.rewards import AGENTS, write_rewards
    from nbyk.studies.cartpole.training import train_on_the_cart_pole

    rewards = {}
    with progress(f"runs, {out}", len(AGENTS) * runs) as advance:
        for agent, settings in AGENTS.items():
            of_runs = []
            for run in range(runs):
                of_runs.append(train_on_the_cart_pole(replace(settings, n_episodes=episodes), run, seed))
                advance(1)
            rewards[agent] = np.stack(of_runs)
    write_rewards(rewards, out)
