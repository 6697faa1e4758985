"""`nbyk study cartpole`: the case study of Ulmer et al. 2022, from rewards that come with nbyk or are new."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nbyk.cli.answers import Format, OutAnswer, give
from nbyk.cli.options import Out, Seed, check_out_folder

app = typer.Typer(no_args_is_help=True, help="Two Q-learners on the cart pole: the case study of Ulmer 2022.")


@app.command()
def train(
    out: Out,
    runs: Annotated[int, typer.Option(help="Runs of each agent.", min=1)] = 30,
    episodes: Annotated[int, typer.Option(help="Episodes of a run.", min=1)] = 100,
    seed: Seed = 0,
) -> None:
    """Train the agents and write the reward of each episode; needs gymnasium."""
    from dataclasses import replace

    import numpy as np

    from nbyk.progress import progress
    from nbyk_papers.ulmer2022.cartpole.training import AGENTS, train_on_the_cart_pole, write_rewards

    rewards = {}
    with progress(f"runs, {out}", len(AGENTS) * runs) as advance:
        for agent, settings in AGENTS.items():
            agent_rewards = []
            for run in range(runs):
                agent_rewards.append(
                    train_on_the_cart_pole(replace(settings, n_episodes=episodes), run, seed)
                )
                advance(1)
            rewards[agent] = np.stack(agent_rewards)
    write_rewards(rewards, out)


@app.command()
def study(
    rewards: Annotated[
        Path | None,
        typer.Argument(
            help="Rewards, as written by `nbyk study cartpole train`.", show_default="those with nbyk"
        ),
    ] = None,
    scores: Annotated[
        Path | None, typer.Option(help="Folder to write each agent's run means to, for `nbyk compare`.")
    ] = None,
    out: OutAnswer = None,
    form: Format = "text",
    seed: Seed = 0,
) -> None:
    """Say whether copying the target network every 10 steps beats every 20, as the paper asks."""
    from nbyk_papers.ulmer2022.cartpole.analysis import case_study, run_means
    from nbyk_papers.ulmer2022.cartpole.answer import case_study_answer
    from nbyk_papers.ulmer2022.cartpole.training import read_rewards, write_scores

    for folder in (out, scores):
        if folder is not None:
            check_out_folder(folder)
    read = read_rewards(rewards)
    answer = case_study_answer(case_study(read, seed=seed))
    if scores is not None:
        for agent, means in run_means(read).items():
            write_scores(means, scores / f"{agent}.csv")
    give(answer, out=out, form=form, stem="case_study")
