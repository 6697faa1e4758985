"""A small network that values actions, its gradient, and Adam, for Q-learning on the cart pole."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nbyk.data.arrays import Floats
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

    def gradient(self, states: Floats, actions: NDArray[np.int64], targets: Floats) -> Weights:
        """Return the gradient, by each weight, of the mean of (target − value of the action)².

        Parameters
        ----------
        states : ndarray, shape (B, n_inputs)
        actions : ndarray of int, shape (B,)
        targets : ndarray, shape (B,)
        """
        hidden, hidden_bias, output, output_bias = self.weights
        rows = np.arange(len(actions))
        active = np.maximum(product(states, hidden) + hidden_bias, 0.0)
        values = product(active, output) + output_bias
        of_values = np.zeros_like(values)
        of_values[rows, actions] = 2.0 * (values[rows, actions] - targets) / len(actions)
        of_active = np.where(active > 0.0, product(of_values, output.T), 0.0)
        return [
            product(states.T, of_active),
            of_active.sum(axis=0),
            product(active.T, of_values),
            of_values.sum(axis=0),
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
