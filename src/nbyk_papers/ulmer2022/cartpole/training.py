"""Deep Q-learning (Mnih et al. 2015) with a target network that is copied every few training steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nbyk.data.arrays import Floats
from nbyk.errors import NbykError
from nbyk.resampling.streams import stream_key
from nbyk_papers.ulmer2022.cartpole.network import Adam, QNetwork

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

    Attributes
    ----------
    target_update
        Training steps from one copy of the network to the target network to the next.
    discount
        γ, in [0, 1].
    n_episodes
        Episodes of a run.
    n_hidden, learning_rate
        Hidden units and step size of Adam.
    batch_size, memory_size
        Transitions per training step, and the number of latest ones that the replay buffer holds.
    explored_steps, explored_share
        The share of random actions falls from 1 to `explored_share` over the first `explored_steps` actions.
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
    ) -> tuple[Floats, NDArray[np.int64], Floats, Floats, Floats]:
        """Return states, actions, rewards, next states and 1 if the episode went on, for a new draw."""
        at = generator.integers(len(self), size=size)
        (states, next_states), (rewards, goes_on) = self._states[:, at], self._rewards[:, at]
        return states, self._actions[at], rewards, next_states, goes_on


def train(environment: Environment, settings: TrainingSettings, seed: np.random.SeedSequence) -> Floats:
    """Train one agent, and return the sum of rewards of each episode.

    Parameters
    ----------
    environment
        An environment with two actions, such as the cart pole.
    settings
        How the agent learns.
    seed
        Seed of the environment, the network, the actions and the batches.

    Returns
    -------
    ndarray, shape (n_episodes,)

    Notes
    -----
    The loss is (r + γ max Q(s′, ·; θ_target) − Q(s, a; θ))², without the second term if the episode ended by
    itself. An episode that is cut off counts as going on. Training begins once there are enough transitions
    for a batch, and then takes one step per action.
    """
    of_environment, of_network, of_learning = seed.spawn(3)
    generator = np.random.default_rng(of_learning)
    state, _ = environment.reset(seed=int(of_environment.generate_state(1)[0]))
    n_inputs = len(state)
    network = QNetwork(n_inputs, settings.n_hidden, N_ACTIONS, np.random.default_rng(of_network))
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
