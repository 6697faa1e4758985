"""The case study's agents, against finite differences and a toy world, and its rewards and numbers."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nbyk
from nbyk.errors import NbykError
from nbyk_papers.ulmer2022.cartpole.analysis import FIRST, SECOND, case_study, run_means
from nbyk_papers.ulmer2022.cartpole.training import (
    AGENTS,
    RUNS,
    Adam,
    QNetwork,
    ReplayBuffer,
    TrainingSettings,
    read_rewards,
    train,
    train_on_the_cart_pole,
    write_rewards,
    write_scores,
)


def network(seed: int = 0) -> QNetwork:
    return QNetwork(3, 7, 2, np.random.default_rng(seed))


def loss(of: QNetwork, states: Any, actions: Any, targets: Any) -> float:
    values = of.values(states)[np.arange(len(actions)), actions]
    return float(((targets - values) ** 2).mean())


def test_the_gradient_is_that_of_finite_differences() -> None:
    generator = np.random.default_rng(1)
    states, targets = generator.normal(size=(20, 3)), generator.normal(size=20)
    actions = generator.integers(2, size=20)
    of = network()
    for weight, found in zip(of.weights, of.gradient(states, actions, targets), strict=True):
        expected = np.empty_like(weight)
        for at in np.ndindex(weight.shape):
            kept, losses = weight[at], []
            for step in (1e-6, -1e-6):
                weight[at] = kept + step
                losses.append(loss(of, states, actions, targets))
            weight[at] = kept
            expected[at] = (losses[0] - losses[1]) / 2e-6
        np.testing.assert_allclose(found, expected, atol=1e-7)


def test_adam_takes_the_papers_steps() -> None:
    """The first gradient moves each weight by the learning rate; then the moments follow their recursions."""
    weight = np.array([1.0, -2.0])
    optimiser = Adam([weight], 0.1)
    optimiser.step([np.array([3.0, -0.5])])
    np.testing.assert_allclose(weight, [0.9, -1.9], atol=1e-7)
    optimiser.step([np.array([-1.0, -0.5])])
    first = (0.9 * 0.1 * 3.0 + 0.1 * -1.0) / (1 - 0.9**2)
    second = (0.999 * 0.001 * 9.0 + 0.001 * 1.0) / (1 - 0.999**2)
    np.testing.assert_allclose(weight, [0.9 - 0.1 * first / np.sqrt(second), -1.8], atol=1e-6)


def test_a_copy_does_not_move_with_the_network() -> None:
    of = network()
    states = np.random.default_rng(2).normal(size=(5, 3))
    copied, before = of.copy(), of.values(states)
    Adam(of.weights, 0.1).step(of.gradient(states, np.zeros(5, np.int64), np.ones(5)))
    np.testing.assert_array_equal(copied.values(states), before)
    assert not np.allclose(of.values(states), before)


def test_the_buffer_holds_the_last_transitions() -> None:
    buffer = ReplayBuffer(3, 1)
    for step in range(5):
        buffer.add(np.array([step]), step % 2, float(step), np.array([step + 1]), step < 4)
    assert len(buffer) == 3
    states, actions, rewards, next_states, goes_on = buffer.sample(300, np.random.default_rng(3))
    assert set(states[:, 0]) == {2.0, 3.0, 4.0}
    np.testing.assert_array_equal(next_states, states + 1)
    np.testing.assert_array_equal(rewards, states[:, 0])
    np.testing.assert_array_equal(actions, states[:, 0] % 2)
    np.testing.assert_array_equal(goes_on, states[:, 0] < 4)


class Corridor:
    """A toy world: the right action (1) earns 1, the other ends the episode; it is cut off after 20 steps."""

    def __init__(self) -> None:
        self.seeds: list[int | None] = []
        self.step_number = self.n_steps = 0

    def state(self) -> np.ndarray:  # type: ignore[type-arg]
        return np.array([1.0, self.step_number % 2], dtype=np.float32)

    def reset(self, *, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        self.seeds.append(seed)
        self.step_number = 0
        return self.state(), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.step_number += 1
        self.n_steps += 1
        return self.state(), float(action), action == 0, self.step_number == 20, {}


QUICK = TrainingSettings(n_episodes=60, n_hidden=16, batch_size=16, explored_steps=100, learning_rate=1e-2)


def test_training_learns_and_depends_on_its_seed_alone() -> None:
    worlds = [Corridor() for _ in range(4)]
    seeds = [np.random.SeedSequence(seed) for seed in (1, 1, 2)]
    one, same, other = (train(world, QUICK, seed) for world, seed in zip(worlds, seeds, strict=False))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)
    assert one.shape == (60,)
    assert one[:10].mean() < 8.0
    assert one[-20:].mean() > 13.0
    assert worlds[0].seeds[0] is not None
    assert set(worlds[0].seeds[1:]) == {None}
    shorter = train(worlds[3], replace(QUICK, n_episodes=20), np.random.SeedSequence(1))
    np.testing.assert_array_equal(shorter, one[:20])


def test_the_target_network_is_copied_as_often_as_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    copies: list[QNetwork] = []
    copy = QNetwork.copy
    monkeypatch.setattr(QNetwork, "copy", lambda of: copies.append(of) or copy(of))
    for every in (1, 10, 20):
        world = Corridor()
        copies.clear()
        train(world, replace(QUICK, target_update=every), np.random.SeedSequence(1))
        n_trained = world.n_steps - (QUICK.batch_size - 1)
        assert len(copies) == 1 + n_trained // every


def test_exploration_falls_to_its_share() -> None:
    settings = TrainingSettings(explored_steps=1000, explored_share=0.05)
    assert settings.exploration(0) == 1.0
    assert settings.exploration(500) == pytest.approx(0.525)
    assert settings.exploration(10**6) == 0.05


def test_without_gymnasium_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(NbykError, match="pip install gymnasium"):
        train_on_the_cart_pole(TrainingSettings(), 0, 0)


def test_the_shipped_rewards_are_those_of_the_agents() -> None:
    rewards = read_rewards()
    assert set(rewards) == set(AGENTS)
    for of_runs in rewards.values():
        assert of_runs.shape == (RUNS, AGENTS["every_10"].n_episodes)
        assert (of_runs >= 8).all()
        assert (of_runs <= 500).all()
        assert len({tuple(run) for run in of_runs}) == RUNS
        assert of_runs[:, -20:].mean() > 2 * of_runs[:, :20].mean()


def test_training_anew_gives_the_shipped_rewards() -> None:
    """The first episodes, before differences of rounding between machines could grow."""
    pytest.importorskip("gymnasium")
    for agent, settings in AGENTS.items():
        for run in (0, RUNS - 1):
            rewards = train_on_the_cart_pole(replace(settings, n_episodes=6), run, 0)
            np.testing.assert_array_equal(rewards, read_rewards()[agent][run, :6])


def test_rewards_are_read_as_written(tmp_path: Path) -> None:
    generator = np.random.default_rng(4)
    rewards = {"x": generator.integers(8, 500, (3, 5)) * 1.0, "y": generator.integers(8, 500, (2, 5)) * 1.0}
    path = tmp_path / "rewards.csv"
    write_rewards(rewards, path)
    read = read_rewards(path)
    assert list(read) == ["x", "y"]
    for agent, of_runs in rewards.items():
        np.testing.assert_array_equal(read[agent], of_runs)
    path.write_text(path.read_text().replace("y,1,", "y,1,x"))
    with pytest.raises(NbykError, match=r"rewards\.csv:6: column 'episode_1': expected a finite number"):
        read_rewards(path)
    path.write_text("agent,run\nx,0\n")
    with pytest.raises(NbykError, match="no column episode_1"):
        read_rewards(path)


def gamma(mean: float) -> Callable[[int], np.ndarray]:  # type: ignore[type-arg]
    """Return what makes runs whose episodes vary about a mean of the run's own."""

    def runs(seed: int) -> np.ndarray:  # type: ignore[type-arg]
        generator = np.random.default_rng(seed)
        return generator.normal(generator.normal(mean, 20, (12, 1)), 10, (12, 30))

    return runs


def test_the_case_study_is_its_tests() -> None:
    rewards = {
        agent: gamma(mean)(seed)
        for seed, (agent, mean) in enumerate({"every_10": 170, "every_20": 130, "discount_0.6": 90}.items())
    }
    found = case_study(rewards)
    means = run_means(rewards)
    assert [at.n_runs for at in found.tests] == [5, 10, 12]
    for at in found.tests:
        a, b = means[FIRST][: at.n_runs], means[SECOND][: at.n_runs]
        assert at.aso.eps_min == nbyk.aso(a, b).eps_min
        assert at.p["bootstrap"] == nbyk.score_test("bootstrap", a, b, alternative="greater").p
        assert at.p["permutation"] == nbyk.score_test("permutation", a, b, alternative="greater").p
        assert at.power[FIRST] == nbyk.bootstrap_power_analysis(a, alternative="greater")
    assert list(found.eps_min) == ["every_10", "every_20", "discount_0.6"]
    first = nbyk.aso(means[FIRST][:10], means[SECOND][:10], n_comparisons=6)
    assert found.eps_min[FIRST] == pytest.approx(
        {FIRST: 1.0, SECOND: first.eps_min, "discount_0.6": found.eps_min[FIRST]["discount_0.6"]}
    )
    assert found.eps_min[SECOND][FIRST] == first.reversed().eps_min
    assert (
        found.one_run[1]
        == nbyk.score_test("bootstrap", rewards[FIRST][0], rewards[SECOND][0], alternative="greater").p
    )
    for of_agent in found.episodes:
        assert of_agent.n_pairs == 66
        assert of_agent.rejected > 0.5, "runs of one agent differ by more than their episodes do"
        assert of_agent.rejected_means < 0.08
    with pytest.raises(NbykError, match="found 9 runs of every_20, expected at least 10"):
        case_study({**rewards, "every_20": rewards["every_20"][:9]})


def test_run_means_are_files_of_scores(tmp_path: Path) -> None:
    means = run_means(read_rewards())
    for agent in ("every_10", "every_20"):
        write_scores(means[agent], tmp_path / f"{agent}.csv")
    read = nbyk.read_systems([tmp_path / "every_10.csv", tmp_path / "every_20.csv"])
    assert read.kind == "scores"
    for agent, scores in read.responses.items():
        np.testing.assert_array_equal(scores, means[agent])
