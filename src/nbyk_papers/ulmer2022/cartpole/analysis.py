"""The case study's numbers: tests of run means, their power, and the effect of testing single episodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from nbyk.arrays import Floats
from nbyk.errors import NbykError
from nbyk.resampling.streams import stream_key
from nbyk.testing.results import Pair
from nbyk.testing.scores.aso import AsoResult, aso_batch
from nbyk.testing.scores.battery import p_values, score_test
from nbyk.testing.scores.power_analysis import BootstrapPower, bootstrap_power_analysis
from nbyk.testing.systems.compare import compare
from nbyk_papers.ulmer2022.cartpole.training import LABELS, Rewards

FIRST, SECOND = "every_10", "every_20"
"""The two agents in the paper's question."""

ALPHA, TAU = 0.05, 0.2
FEW_RUNS, MORE_RUNS, DISCOUNT_RUNS = 5, 10, 8
"""Numbers of runs in the paper: at first, in the end, and of the agent with a smaller discount factor."""

PUBLISHED_POWER = {"every_10": 0.6594, "every_20": 0.5616}
PUBLISHED_EPS_MIN, PUBLISHED_P = 0.02, 0.005
PUBLISHED_TABLE = {
    ("every_10", "discount_0.6"): 0.259733,
    ("every_20", "discount_0.6"): 0.183045,
}
"""eps_min in Figure 5; its other entries are 1."""

P_TESTS = ("permutation", "bootstrap", "welch_t", "mann_whitney")
_SPLITS = 2000
_PAIR_DRAWS = 1000


@dataclass(frozen=True)
class RunsTested:
    """Tests of both agents' first runs: whether copying every 10 steps is better.

    `pair` compares their run means by Almost Stochastic Order; p has one-sided p-values by test, power the
    bootstrap power analysis of either agent's run means.
    """

    pair: Pair
    p: Mapping[str, float]
    power: Mapping[str, BootstrapPower]

    @property
    def n_runs(self) -> int:
        """Number of runs of each agent."""
        return self.pair.sample.responses[self.pair.a].total

    @property
    def means(self) -> list[float]:
        """The mean of the run means of each agent."""
        return [score for score in self.pair.scores if score is not None]

    @property
    def aso(self) -> AsoResult:
        """Almost Stochastic Order of the first over the second."""
        order = self.pair.claims[0].order
        assert isinstance(order, AsoResult)
        return order


@dataclass(frozen=True)
class OfEpisodes:
    """Tests between runs of the same agent that take the episodes of one run as a sample.

    p, shape (n_pairs,), is that of the one-sided bootstrap test, as the paper makes it. rejected and ordered
    are the shares of pairs with p ≤ α, and with an eps_min below τ, either way; rejected_means is the share
    of random splits of the runs in which the permutation test of run means rejects either way.
    """

    agent: str
    n_pairs: int
    p: Floats
    rejected: float
    ordered: float
    rejected_means: float


@dataclass(frozen=True)
class CaseStudy:
    """The case study: its rewards, and the tests at five, ten and all runs.

    eps_min is the bound of each agent over each other at the paper's numbers of runs; one_run has eps_min and
    p of the bootstrap test where the episodes of the first run of either are the scores, episodes the same
    tests between runs of one agent.
    """

    rewards: Rewards
    tests: tuple[RunsTested, ...]
    eps_min: Mapping[str, Mapping[str, float]]
    one_run: tuple[float, float]
    episodes: tuple[OfEpisodes, ...]


def run_means(rewards: Rewards) -> dict[str, Floats]:
    """Return the mean reward of each run by the agent's name: the scores that the case study compares."""
    return {agent: of_runs.mean(axis=1) for agent, of_runs in rewards.items()}


def case_study(rewards: Rewards, *, seed: int = 0) -> CaseStudy:
    """Return the numbers of the case study from rewards of the three agents, ten runs of each or more."""
    for agent in LABELS:
        n_scores = len(rewards.get(agent, ()))
        if n_scores < MORE_RUNS:
            raise NbykError(
                f"rewards: found {n_scores} runs of {agent}, expected at least {MORE_RUNS} of each of "
                f"{', '.join(LABELS)}: train them with `nbyk study cartpole train`"
            )
    means = run_means(rewards)
    every = min(len(means[FIRST]), len(means[SECOND]))
    sizes = sorted({FEW_RUNS, MORE_RUNS, every})
    sampled = {agent: means[agent][:MORE_RUNS] for agent in (FIRST, SECOND)}
    sampled["discount_0.6"] = means["discount_0.6"][:DISCOUNT_RUNS]
    first, second = rewards[FIRST][0], rewards[SECOND][0]
    run_eps_min = aso_batch(first[None], second[None], seed=seed)[0]
    return CaseStudy(
        rewards=rewards,
        tests=tuple(_runs_tested(means, n_runs, seed) for n_runs in sizes),
        eps_min=_bounds(sampled, seed),
        one_run=(
            float(run_eps_min),
            float(p_values("bootstrap", first[None], second[None], alternative="greater", seed=seed)[0]),
        ),
        episodes=tuple(_of_episodes(agent, of_runs, seed) for agent, of_runs in rewards.items()),
    )


def _bounds(sampled: Mapping[str, Floats], seed: int) -> dict[str, dict[str, float]]:
    """Return eps_min of each agent over each other, at a joint confidence; 1 over itself."""
    bounds = {agent: dict.fromkeys(sampled, 1.0) for agent in sampled}
    for pair in compare(None, sampled, test="aso", seed=seed).pairs:
        order = pair.claims[0].order
        assert isinstance(order, AsoResult)
        bounds[pair.a][pair.b], bounds[pair.b][pair.a] = order.eps_min, order.reversed().eps_min
    return bounds


def _runs_tested(means: Mapping[str, Floats], n_runs: int, seed: int) -> RunsTested:
    sampled = {agent: means[agent][:n_runs] for agent in (FIRST, SECOND)}
    labelled = {LABELS[agent]: sample for agent, sample in sampled.items()}

    def p_of(name: str) -> float:
        return score_test(name, *sampled.values(), alternative="greater", seed=seed).p

    return RunsTested(
        pair=compare(None, labelled, test="aso", alternative="greater", alpha=ALPHA, tau=TAU, seed=seed).pair,
        p={name: p_of(name) for name in P_TESTS},
        power={
            agent: bootstrap_power_analysis(sample, alternative="greater", seed=seed)
            for agent, sample in sampled.items()
        },
    )


def _of_episodes(agent: str, of_runs: Floats, seed: int) -> OfEpisodes:
    """Compare the runs of one agent pair by pair, and half of the runs with the other half."""
    pairs = np.array(list(combinations(range(len(of_runs)), 2)))
    a, b = of_runs[pairs[:, 0]], of_runs[pairs[:, 1]]
    greater, less = (
        p_values("bootstrap", a, b, alternative=side, n_resamples=_PAIR_DRAWS, seed=seed)
        for side in ("greater", "less")
    )
    eps_min, reverse = (aso_batch(x, y, seed=seed) for x, y in ((a, b), (b, a)))
    means = of_runs.mean(axis=1)
    generator = np.random.default_rng(stream_key(seed, agent=agent).seed_sequence("splits of runs", 0))
    split = generator.permuted(np.tile(means, (_SPLITS, 1)), axis=1)[:, : 2 * FEW_RUNS]
    p = p_values("permutation", split[:, :FEW_RUNS], split[:, FEW_RUNS:], alternative="two-sided")
    return OfEpisodes(
        agent=agent,
        n_pairs=len(pairs),
        p=greater,
        rejected=float((2.0 * np.minimum(greater, less) <= ALPHA).mean()),
        ordered=float((np.minimum(eps_min, reverse) < TAU).mean()),
        rejected_means=float((p <= ALPHA).mean()),
    )
