"""The population of simulated test sets, and the item parameters of its draws."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from nbyk.arrays import Floats
from nbyk.errors import NbykError
from nbyk.priors import TwoStagePrior
from nbyk.resampling.streams import StreamKey, stream_key

_MOST_OF_SUM = 20_000
"""Most steps of an item's sum on the common number of responses: twice its square is below 2³¹."""


class Uniforms(Protocol):
    """The source of uniforms for item parameters, by role and shape."""

    def uniforms(self, role: str, shape: tuple[int, ...]) -> Floats:
        """Return uniforms on the open interval (0, 1)."""


@dataclass(frozen=True)
class ItemParameters:
    """Means and standard deviations of the items of R replicates under gold, A and B, each (R, N)."""

    gold: Floats
    a: Floats
    b: Floats
    sd_gold: Floats
    sd_a: Floats
    sd_b: Floats


@dataclass(frozen=True)
class Population:
    """The population of response sets, with their size.

    Item i has gold responses N(μ_i, σ_i²), A's N(μ_i + u_i, s_A² σ_i²) and B's N(μ_i + v_i, s_B² σ_i²), with
    u_i ~ U(−ε_A, ε_A), v_i ~ U(−ε_B, ε_B) and both means clamped to [0, 1]; all of them pass through the
    prior's response stage. Some metrics need no gold and only show whose answers are higher. Noise in B's
    item means then leaves B equally good, so `shift_b` moves all of them instead.

    Attributes
    ----------
    prior
        Two-stage prior of the items and their responses.
    n_items
        Items N, at least 2.
    k_responses
        Responses per item K of gold and of each system, at least 1.
    epsilon_b, epsilon_a
        Half-width ε of the uniform perturbation of B's and A's item means, in [0, 1].
    sd_scale_a, sd_scale_b
        Factor s on σ_i of A's and B's responses, 0 for a system that always gives the same answer; at least
        0.
    n_runs
        Responses of each system to each item, at least 1; None for gold's number K.
    shift_b
        Added to B's item means, in [−1, 1], before they are clamped.

    Raises
    ------
    NbykError
        If N < 2, K < 1, an ε or a shift is out of range, or a factor is negative or not finite.
    """

    prior: TwoStagePrior
    n_items: int
    k_responses: int
    epsilon_b: float
    epsilon_a: float = 0.0
    sd_scale_a: float = 1.0
    sd_scale_b: float = 1.0
    n_runs: int | None = None
    shift_b: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.prior, TwoStagePrior):
            raise NbykError(
                f"found {type(self.prior).__name__}, expected a prior, as from `nbyk.published_prior` or "
                "`nbyk.fit_prior`",
                argument="prior",
            )
        check_size(self.n_items, self.k_responses, self.n_runs)
        check_systems(self.epsilon_b, self.epsilon_a, self.sd_scale_a, self.sd_scale_b)
        if not -1.0 <= self.shift_b <= 1.0:
            raise NbykError(f"found {self.shift_b}, expected a shift between -1 and 1", argument="shift_b")

    @property
    def common_responses(self) -> int:
        """The least common multiple of gold's and the systems' numbers of responses: K if they are equal."""
        return math.lcm(self.k_responses, self.n_runs or self.k_responses)

    @property
    def countable(self) -> bool:
        """Whether counts of the responses are enough: they have levels, and 32 bits hold squared sums."""
        response = self.prior.response
        return response.countable and (
            self.n_runs is None or self.common_responses * (response.levels - 1) <= _MOST_OF_SUM
        )

    def key(self, seed: int, purpose: str, *, any_size: bool = False) -> StreamKey:
        """Return the key of this population's streams for one purpose.

        With `any_size` the key leaves N out: sets of fewer items are then the first items of larger ones.
        """
        size = {} if any_size else {"n": self.n_items}
        scales = {"sd_scale_a": self.sd_scale_a, "sd_scale_b": self.sd_scale_b}
        runs = {} if self.n_runs is None else {"n_runs": self.n_runs}
        shift = {} if self.shift_b == 0.0 else {"shift_b": float(self.shift_b)}
        return stream_key(
            seed,
            purpose=purpose,
            prior=self.prior.key(),
            k=self.k_responses,
            epsilon_a=float(self.epsilon_a),
            epsilon_b=float(self.epsilon_b),
            **size,
            **runs,
            **shift,
            **{name: float(scale) for name, scale in scales.items() if scale != 1.0},
        )

    def draw_items(self, streams: Uniforms, n_replicates: int) -> ItemParameters:
        """Draw the item parameters of some replicates."""
        mu_family, sigma_family = self.prior.mu, self.prior.sigma
        shape = (n_replicates, self.n_items)
        mu = mu_family.draw(streams.uniforms("mu", (*shape, mu_family.n_uniforms)))
        sd = sigma_family.draw(streams.uniforms("sigma", (*shape, sigma_family.n_uniforms)))
        return ItemParameters(
            gold=mu,
            a=perturbed(mu, self.epsilon_a, streams, "epsilon a"),
            b=perturbed(mu + self.shift_b if self.shift_b else mu, self.epsilon_b, streams, "epsilon b"),
            sd_gold=sd,
            sd_a=scaled(sd, self.sd_scale_a),
            sd_b=scaled(sd, self.sd_scale_b),
        )


def check_size(n_items: int, k_responses: int, n_runs: int | None) -> None:
    """Raise NbykError unless there are two items or more, with a response each."""
    if n_items < 2:
        raise NbykError(f"found {n_items}, expected at least 2 items", argument="n_items")
    for argument, count in (("k_responses", k_responses), ("n_runs", n_runs)):
        if count is not None and count < 1:
            raise NbykError(f"found {count}, expected at least 1 response per item", argument=argument)


def check_epsilon(argument: str, epsilon: float) -> None:
    """Raise NbykError about `argument` unless an ε lies in [0, 1]."""
    if not 0.0 <= epsilon <= 1.0:
        raise NbykError(f"found {epsilon}, expected a perturbation between 0 and 1", argument=argument)


def check_systems(epsilon_b: float, epsilon_a: float, sd_scale_a: float, sd_scale_b: float) -> None:
    """Raise NbykError unless both ε lie in [0, 1] and both factors are numbers of at least 0."""
    check_epsilon("epsilon_b", epsilon_b)
    check_epsilon("epsilon_a", epsilon_a)
    for name, scale in (("sd_scale_a", sd_scale_a), ("sd_scale_b", sd_scale_b)):
        if not 0.0 <= scale < np.inf:
            raise NbykError(
                f"found {scale}, expected a factor of at least 0; 1 leaves σ as it is", argument=name
            )


def perturbed(mu: Floats, epsilon: float, streams: Uniforms, role: str) -> Floats:
    """Return item means (R, N) moved by U(−ε, ε) and clamped to [0, 1]."""
    if epsilon == 0.0 and mu.min() >= 0.0 and mu.max() <= 1.0:
        return mu
    uniforms = streams.uniforms(role, mu.shape) if epsilon > 0.0 else 0.5
    return np.clip(mu + epsilon * (2.0 * uniforms - 1.0), 0.0, 1.0)


def scaled(sd: Floats, scale: float) -> Floats:
    """Return standard deviations times a factor: the same array if the factor is 1."""
    return sd if scale == 1.0 else scale * sd
