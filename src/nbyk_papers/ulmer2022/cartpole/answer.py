"""The case study of Ulmer et al. 2022 as an answer: results of its tests beside the paper's."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from nbyk.report.answer import Answer, AnswerFigure, AnswerTable
from nbyk.report.comparison.figures import aso_figure, spread
from nbyk.report.drawing import COLOURS, new_panels, style
from nbyk_papers.shown import records
from nbyk_papers.ulmer2022.cartpole.analysis import (
    ALPHA,
    FIRST,
    PUBLISHED_EPS_MIN,
    PUBLISHED_P,
    PUBLISHED_POWER,
    PUBLISHED_TABLE,
    SECOND,
    TAU,
    CaseStudy,
    case_study,
)
from nbyk_papers.ulmer2022.cartpole.training import LABELS, read_rewards

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def report(*, seed: int = 0) -> Answer:
    """Return the case study of the rewards that come with nbyk."""
    return case_study_answer(case_study(read_rewards(None), seed=seed))


def case_study_answer(found: CaseStudy) -> Answer:
    """Return the case study as an answer."""
    compared = found.tests[-1].pair
    tables = (
        AnswerTable(
            "tests",
            "Every 10 steps against every 20, by mean rewards of runs: eps_min, and one-sided p of four "
            "tests",
            _tests_table(found),
        ),
        AnswerTable(
            "power",
            "Power to notice an agent that is better by a factor of 1.25 (Welch's t, 5 %), and the paper's "
            "power",
            _power_table(found),
        ),
        AnswerTable(
            "eps_min",
            "eps_min of each row's agent over each column's, and the numbers of Figure 5",
            _multi(found),
        ),
        AnswerTable(
            "episodes",
            "Runs of one agent compared with each other: the share that the test calls different, with "
            "episodes as scores, and with the means of five runs against five others",
            _episodes_table(found),
        ),
    )
    return Answer(
        title="Does it help to copy the target network more often? The cart pole of Ulmer et al. 2022",
        sentences=tuple(_sentences(found)),
        make_tables=lambda: tables,
        figures=(
            AnswerFigure(
                "rewards",
                "Left: the mean reward of each episode over all runs, with a band of two standard errors. "
                "Right: each run's mean reward.",
                partial(rewards_figure, found),
            ),
            AnswerFigure(
                "quantiles",
                "Left: the quantile functions of run means. Where that of every 10 steps is lower, it "
                "violates the order. Right: the violation ratio of bootstrapped samples, and the bound that "
                "they give.",
                partial(aso_figure, compared),
            ),
            AnswerFigure(
                "episodes",
                "p-values between two runs of one agent, with episodes as scores. If episodes were a "
                "sample, the p-values would lie on the diagonal.",
                partial(episodes_figure, found),
            ),
        ),
        cautions=(
            "The paper's own runs are not published. These are other runs of the agents that its text "
            "describes, with the settings that docs/cartpole.md lists.",
            "A run's mean reward covers all of its episodes, also the clumsy first ones.",
        ),
        details={table.name: records(table.frame) for table in tables},
        n_printed=4,
    )


def _sentences(found: CaseStudy) -> list[str]:
    at = found.tests[-1]
    is_better = at.aso.eps_min < TAU
    few, more = found.tests[0], found.tests[1]
    rejected = [100 * of_agent.rejected for of_agent in found.episodes]
    ordered = [100 * of_agent.ordered for of_agent in found.episodes]
    first = (
        f"Over {at.n_runs} runs each, an agent that copies its network every 10 steps earns "
        f"{at.means[0]:.1f} an episode, and an agent that copies it every 20 steps earns {at.means[1]:.1f}. "
        f"eps_min = {at.aso.eps_min:.3g}, so the first is{'' if is_better else ' not shown to be'} almost "
        f"stochastically larger (τ = {TAU:g}). The permutation test has p = {at.p['permutation']:.3g}."
    )
    fewer = (
        f"With {few.n_runs} runs, as the paper had at first, eps_min is {few.aso.eps_min:.3g} and p is "
        f"{few.p['permutation']:.3g}. With {more.n_runs} runs, as it had later, they are "
        f"{more.aso.eps_min:.3g} and {more.p['permutation']:.3g}. The paper has eps_min "
        f"{PUBLISHED_EPS_MIN:g} and a bootstrap p of {PUBLISHED_P:g}."
    )
    episodes = (
        "The paper's example tests the rewards of the episodes of one run of each agent. These are not a "
        "sample, because the episodes of a run depend on each other. Between runs of one and the same agent, "
        f"this test calls {min(rejected):.0f} to {max(rejected):.0f} % of pairs different at 5 %, and "
        f"{min(ordered):.0f} to {max(ordered):.0f} % almost stochastically ordered."
    )
    return [first, fewer, episodes]


def rewards_figure(found: CaseStudy) -> Figure:
    """Draw how rewards grow over the episodes, and each run's mean."""
    figure, (left, right) = new_panels(9.0, 3.4, 2)
    with style():
        for row, (agent, run_rewards) in enumerate(found.rewards.items()):
            colour, episodes = COLOURS[row], np.arange(1, run_rewards.shape[1] + 1)
            mean = run_rewards.mean(axis=0)
            error = run_rewards.std(axis=0, ddof=1) / math.sqrt(len(run_rewards))
            left.fill_between(
                episodes, mean - 2 * error, mean + 2 * error, color=colour, alpha=0.2, linewidth=0.0
            )
            left.plot(episodes, mean, color=colour, linewidth=1.4, label=LABELS.get(agent, agent))
            means = np.sort(run_rewards.mean(axis=1))
            right.plot(
                means,
                row + 0.5 * spread(len(means)),
                "o",
                color=colour,
                alpha=0.6,
                markersize=4.5,
                markeredgewidth=0.0,
            )
            right.plot(means.mean(), row, "D", color="#333333", markersize=6)
        left.set_xlabel("episode")
        left.set_ylabel("reward, mean of the runs")
        right.set_yticks(range(len(found.rewards)), [LABELS.get(agent, agent) for agent in found.rewards])
        right.set_ylim(len(found.rewards) - 0.45, -0.55)
        right.set_xlabel("mean reward of a run (diamond: of all)")
        right.grid(visible=False, axis="y")
        figure.legend(loc="outside lower center", ncols=3, fontsize=8, frameon=False)
    return figure


def episodes_figure(found: CaseStudy) -> Figure:
    """Draw the distribution of p-values between runs of one agent, by their episodes."""
    figure, (axes,) = new_panels(4.6, 3.6, 1)
    with style():
        for row, agent_tests in enumerate(found.episodes):
            p = np.sort(agent_tests.p)
            axes.step(
                [0.0, *p, 1.0],
                [*np.arange(p.size + 1) / p.size, 1.0],
                where="post",
                color=COLOURS[row],
                linewidth=1.5,
                label=LABELS.get(agent_tests.agent, agent_tests.agent),
            )
        axes.plot([0, 1], [0, 1], color="#333333", linewidth=0.9, linestyle=":", label="as it should be")
        axes.set_xlim(0.0, 1.0)
        axes.set_ylim(0.0, 1.0)
        axes.set_xlabel("one-sided p of the bootstrap test,\ntwo runs of one agent, episodes as scores")
        axes.set_ylabel("share of pairs of runs")
        axes.legend(loc="lower right", fontsize=8, frameon=False)
    return figure


def _tests_table(found: CaseStudy) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    for at in found.tests:
        row: dict[str, Any] = {
            "scores": f"{at.n_runs} runs",
            "every 10": at.means[0],
            "every 20": at.means[1],
        }
        row |= {"violation ratio": at.aso.violation_ratio, "eps_min": at.aso.eps_min}
        rows.append({**row, **at.p})
    first_means = [float(found.rewards[agent][0].mean()) for agent in (FIRST, SECOND)]
    eps_min, p = found.one_run
    one_run = {"scores": "episodes of one run", "every 10": first_means[0], "every 20": first_means[1]}
    rows.append(one_run | {"eps_min": eps_min, "bootstrap": p})
    rows.append({"scores": "the paper", "eps_min": PUBLISHED_EPS_MIN, "bootstrap": PUBLISHED_P})
    return pd.DataFrame(rows)


def _power_table(found: CaseStudy) -> pd.DataFrame:
    rows = []
    for at in found.tests:
        for agent, power in at.power.items():
            published = PUBLISHED_POWER[agent] if at is found.tests[0] else math.nan
            rows.append(
                {
                    "agent": LABELS[agent],
                    "runs": at.n_runs,
                    "power": power.power,
                    "low": power.low,
                    "high": power.high,
                    "the paper": published,
                }
            )
    return pd.DataFrame(rows)


def _multi(found: CaseStudy) -> pd.DataFrame:
    rows = []
    for agent, bounds in found.eps_min.items():
        ours = {LABELS[other]: bound for other, bound in bounds.items()}
        theirs = {LABELS[other]: PUBLISHED_TABLE.get((agent, other), 1.0) for other in bounds}
        rows += [{"": LABELS[agent], **ours}, {"": f"{LABELS[agent]}, the paper", **theirs}]
    return pd.DataFrame(rows)


def _episodes_table(found: CaseStudy) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "agent": LABELS.get(tested.agent, tested.agent),
                "pairs of runs": tested.n_pairs,
                f"p ≤ {ALPHA:g}": tested.rejected,
                f"eps_min < {TAU:g}": tested.ordered,
                f"of means, p ≤ {ALPHA:g}": tested.rejected_means,
            }
            for tested in found.episodes
        ]
    )
