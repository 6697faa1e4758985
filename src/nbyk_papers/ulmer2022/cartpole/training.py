"""Deep Q-learning (Mnih et al. 2015) on the cart pole: the agents, their training, and their rewards."""

from __future__ import annotations

import copy
import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.data.layouts import as_numbers
from nbyk.data.reading import table_of
from nbyk.errors import NbykError
from nbyk.files import write_text
from nbyk.resampling.streams import stream_key
from nbyk.sums import product

Weights = list[Floats]


class QNetwork:
    """One hidden layer of rectified linear units, from a state to the value of each action.

    The generator draws the weights, uniform on ±1/√(inputs of the layer). They are those of the hidden layer,
    then of the output: shapes (n_inputs, n_hidden), (n_hidden,), (n_hidden, n_actions) and (n_actions,).
    """

    def __init__(self, n_inputs: int, n_hidden: int, n_actions: int, generator: np.random.Generator) -> None:
        self.weights: Weights = []
        for fan_in, fan_out in ((n_inputs, n_hidden), (n_hidden, n_actions)):
            bound = fan_in**-0.5
            self.weights.append(generator.uniform(-bound, bound, (fan_in, fan_out)))
            self.weights.append(generator.uniform(-bound, bound, fan_out))

    def copy(self) -> QNetwork:
        """Return an independent copy of the network with its present weights."""
        return copy.deepcopy(self)

    def values(self, states: Floats) -> Floats:
        """Return the value of each action, shape (…, n_actions), in states of shape (…, n_inputs)."""
        hidden, hidden_bias, output, output_bias = self.weights
        values: Floats = product(np.maximum(product(states, hidden) + hidden_bias, 0.0), output) + output_bias
        return values

    def gradient(self, states: Floats, actions: Integers, targets: Floats) -> Weights:
        """Return the gradient, by each weight, of the mean of (target − value of the action)²."""
        hidden, hidden_bias, output, output_bias = self.weights
        rows = np.arange(len(actions))
        active = np.maximum(product(states, hidden) + hidden_bias, 0.0)
        values = product(active, output) + output_bias
        by_value = np.zeros_like(values)
        by_value[rows, actions] = 2.0 * (values[rows, actions] - targets) / len(actions)
        by_active = np.where(active > 0.0, product(by_value, output.T), 0.0)
        return [
            product(states.T, by_active),
            by_active.sum(axis=0),
            product(active.T, by_value),
            by_value.sum(axis=0),
        ]


class Adam:
    """Adam (Kingma and Ba 2015) with its usual constants, for the weights that it is given."""

    def __init__(self, weights: Weights, learning_rate: float) -> None:
        self._weights = weights
        self._rate = learning_rate
        self._moments = [(np.zeros_like(weight), np.zeros_like(weight)) for weight in weights]
        self._steps = 0

    def step(self, gradient: Sequence[Floats]) -> None:
        """Move the weights, in place, down a gradient."""
        self._steps += 1
        first_decay, second_decay = 0.9, 0.999
        first_scale, second_scale = 1.0 - first_decay**self._steps, 1.0 - second_decay**self._steps
        for weight, by_weight, (first, second) in zip(self._weights, gradient, self._moments, strict=True):
            first += (1.0 - first_decay) * (by_weight - first)
            second += (1.0 - second_decay) * (by_weight**2 - second)
            weight -= self._rate * (first / first_scale) / (np.sqrt(second / second_scale) + 1e-8)


N_ACTIONS = 2
"""The cart is pushed to the left or to the right."""


class Environment(Protocol):
    """The environment of an agent, with gymnasium's interface."""

    def reset(self, *, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode; return its first state."""

    def step(self, action: int) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Act; return the next state, the reward, and whether the episode ended by itself, or was cut off."""


@dataclass(frozen=True)
class TrainingSettings:
    """How an agent learns.

    `target_update` are the training steps between copies of the network to the target network, `discount` is
    γ in [0, 1], and `memory_size` the latest transitions that the replay buffer holds. The share of random
    actions falls from 1 to `explored_share` over the first `explored_steps` actions.
    """

    target_update: int = 10
    discount: float = 0.8
    n_episodes: int = 100
    n_hidden: int = 256
    learning_rate: float = 1e-3
    batch_size: int = 128
    memory_size: int = 10_000
    explored_steps: int = 1000
    explored_share: float = 0.05

    def exploration(self, step: int) -> float:
        """Return the chance of a random action at a step, from 0."""
        return max(self.explored_share, 1.0 - (1.0 - self.explored_share) * step / self.explored_steps)


class ReplayBuffer:
    """An agent's latest transitions: state, action, reward, next state, and whether the episode went on."""

    def __init__(self, size: int, n_inputs: int) -> None:
        self._states = np.zeros((2, size, n_inputs))
        self._actions = np.zeros(size, np.int64)
        self._rewards = np.zeros((2, size))
        self._seen = 0

    def __len__(self) -> int:
        return min(self._seen, len(self._actions))

    def add(self, state: Floats, action: int, reward: float, next_state: Floats, goes_on: bool) -> None:
        """Keep a transition; it replaces the oldest if there is no room."""
        at = self._seen % len(self._actions)
        self._states[0, at], self._states[1, at] = state, next_state
        self._actions[at] = action
        self._rewards[0, at], self._rewards[1, at] = reward, goes_on
        self._seen += 1

    def sample(
        self, size: int, generator: np.random.Generator
    ) -> tuple[Floats, Integers, Floats, Floats, Floats]:
        """Return states, actions, rewards, next states and 1 if the episode went on, for a new draw."""
        at = generator.integers(len(self), size=size)
        (states, next_states), (rewards, goes_on) = self._states[:, at], self._rewards[:, at]
        return states, self._actions[at], rewards, next_states, goes_on


def train(environment: Environment, settings: TrainingSettings, seed: np.random.SeedSequence) -> Floats:
    """Train one agent, and return the sum of rewards of each episode, shape (n_episodes,).

    The environment has two actions, such as the cart pole; the seed is its own, and that of the network, the
    actions and the batches. The loss is (r + γ max Q(s′, ·; θ_target) − Q(s, a; θ))², without the second term
    if the episode ended by itself. An episode that is cut off counts as going on. Training begins once there
    are enough transitions for a batch, and then takes one step per action.
    """
    environment_seed, network_seed, learning_seed = seed.spawn(3)
    generator = np.random.default_rng(learning_seed)
    state, _ = environment.reset(seed=int(environment_seed.generate_state(1)[0]))
    n_inputs = len(state)
    network = QNetwork(n_inputs, settings.n_hidden, N_ACTIONS, np.random.default_rng(network_seed))
    target = network.copy()
    optimiser = Adam(network.weights, settings.learning_rate)
    buffer = ReplayBuffer(settings.memory_size, n_inputs)
    rewards = np.zeros(settings.n_episodes)
    step = n_trained = 0
    for episode in range(settings.n_episodes):
        if episode:
            state, _ = environment.reset()
        ended = False
        while not ended:
            if generator.random() < settings.exploration(step):
                action = int(generator.integers(N_ACTIONS))
            else:
                action = int(network.values(np.asarray(state, np.float64)).argmax())
            next_state, reward, terminated, truncated, _ = environment.step(action)
            buffer.add(state, action, float(reward), next_state, not terminated)
            state, ended = next_state, terminated or truncated
            rewards[episode] += reward
            step += 1
            if len(buffer) >= settings.batch_size:
                states, actions, gained, next_states, goes_on = buffer.sample(settings.batch_size, generator)
                future = goes_on * target.values(next_states).max(axis=1)
                optimiser.step(network.gradient(states, actions, gained + settings.discount * future))
                n_trained += 1
                if n_trained % settings.target_update == 0:
                    target = network.copy()
    return rewards


def train_on_the_cart_pole(settings: TrainingSettings, run: int, seed: int) -> Floats:
    """Return the rewards of one run of an agent on gymnasium's CartPole-v1, shape (n_episodes,)."""
    try:
        import gymnasium
    except ImportError:
        raise NbykError(
            "training on the cart pole needs gymnasium: pip install gymnasium; you do not need it to "
            "analyse the rewards that come with nbyk"
        ) from None
    key = stream_key(seed, run=run, target_update=settings.target_update, discount=settings.discount)
    environment = gymnasium.make("CartPole-v1")
    try:
        return train(environment, settings, key.seed_sequence("cart pole", 0))
    finally:
        environment.close()


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
