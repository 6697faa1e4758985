"""Collections drawn from a pilot: its own items and ratings, with simulated or real systems."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.errors import NbykError
from nbyk.metrics.item_means import item_means
from nbyk.priors import Response
from nbyk.resampling.population import check_systems
from nbyk.resampling.rating_pool import Indices, RatingPool
from nbyk.resampling.streams import StreamKey, Streams, stream_key

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PilotItems:
    """The items of a pilot with their ratings, and perhaps the answers of a pair of systems to them.

    Attributes
    ----------
    name : str
        Their name in sentences.
    ratings : ndarray, shape (N, K), or None
        People's ratings of each item, in [0, 1] unless there are systems; NaN where missing. None if people
        rated the systems' answers.
    response
        The possible ratings: its levels, or any number from 0 to 1.
    systems : pair of ndarrays, shape (N, K_a) and (N, K_b), or None
        The answers of A and of B or, without gold, the ratings of these answers; NaN where missing.
    system_names
        Their names.
    caution : str
        The caution about the pilot; empty by default.

    Raises
    ------
    NbykError
        If there are fewer than two items, an item has no rating, or there is nothing to draw from.
    """

    name: str
    ratings: Floats | None
    response: Response
    systems: tuple[Floats, Floats] | None = None
    system_names: tuple[str, str] = ("A", "B")
    caution: str = ""

    def __post_init__(self) -> None:
        matrices = [matrix for matrix in (self.ratings, *(self.systems or ())) if matrix is not None]
        if not matrices:
            raise NbykError("pilot: found neither ratings nor systems; give the ratings of some items")
        if len({len(matrix) for matrix in matrices}) > 1:
            raise NbykError("pilot: ratings and systems differ in their items; give the same items to all")
        if len(matrices[0]) < 2:
            raise NbykError(f"pilot: found {len(matrices[0])} item; expected at least 2")
        for matrix in matrices:
            if np.isnan(matrix).all(axis=1).any():
                row = int(np.flatnonzero(np.isnan(matrix).all(axis=1))[0])
                raise NbykError(f"pilot: item {row} has no rating; leave it out")

    @property
    def n_items(self) -> int:
        """The items N of the pilot."""
        return len(self.pair[0] if self.ratings is None else self.ratings)

    @property
    def pair(self) -> tuple[Floats, Floats]:
        """The answers of A and B; an error if there are none."""
        if self.systems is None:
            raise NbykError("pilot: found no systems; give the answers of two")
        return self.systems

    @property
    def top(self) -> float:
        """The highest rating."""
        return self.response.top

    def key(self) -> str:
        """Return the key of the random streams: the ratings and answers themselves."""
        return self._key

    @cached_property
    def _key(self) -> str:
        digest = hashlib.sha256(repr(self.response).encode())
        for matrix in (self.ratings, *(self.systems or ())):
            if matrix is not None:
                digest.update(repr(matrix.shape).encode())
                digest.update(np.ascontiguousarray(matrix + 0.0).tobytes())
        return f"pilot {digest.hexdigest()}"

    def to_dict(self) -> dict[str, Any]:
        """Return a description of the items as plain values that JSON can hold."""
        pair = {"systems": list(self.system_names)} if self.systems is not None else {}
        return {"name": self.name, "pilot_items": self.n_items, **pair, "response": self.response.to_dict()}

    @cached_property
    def pools(self) -> tuple[RatingPool, ...]:
        """The pools of ratings: gold's or, without gold, one for each system's answers."""
        streams = Streams(stream_key(0, purpose="pools of a pilot", pilot=self.key()), 0)
        if self.ratings is not None:
            return (RatingPool.of(self.ratings, self._levels, streams.generator("gold")),)
        a, b = self.pair
        return tuple(
            RatingPool.of(matrix, self._levels, streams.generator(role))
            for role, matrix in (("a", a), ("b", b))
        )

    @cached_property
    def answers(self) -> Floats:
        """Both systems' real answers, shape (2, N, K): their means per item if items have fewer."""
        a, b = self.pair
        if a.shape == b.shape and not (np.isnan(a).any() or np.isnan(b).any()):
            return np.stack([a, b])
        return np.stack([item_means(a), item_means(b)])[..., None]

    @property
    def _levels(self) -> Floats:
        return np.empty(0) if self.systems is not None else self.response.values


@dataclass(frozen=True, eq=False)
class RedrawnPilot:
    """Collections of N items drawn with replacement from a pilot's, with K ratings each.

    The K gold ratings are the item's own, without replacement, and then draws from a Dirichlet step
    (`nbyk.resampling.rating_pool`). That step also draws μ_i, the mean rating by infinitely many raters. A's
    answers have mean μ_i + u_i and B's μ_i + v_i + `shift_b`, with u_i ~ U(−ε_A, ε_A) and v_i ~ U(−ε_B, ε_B),
    kept on the scale. They vary around it as people's ratings do around μ_i, times a factor. On levels, an
    answer without noise is the nearest level. One with noise is one of the two nearest levels, at random with
    the right mean. If the metric needs no gold, A's ratings are the pilot's and B's are drawn around the
    shifted mean. A pilot with real systems takes their answers instead, and ε and shift are not used.

    Attributes
    ----------
    prior
        The pilot's items.
    has_gold
        Whether people rate the items instead of the systems' answers.
    others
        As for `nbyk.resampling.population.Population`.
    """

    prior: PilotItems
    n_items: int
    k_responses: int
    epsilon_b: float
    epsilon_a: float = 0.0
    sd_scale_a: float = 1.0
    sd_scale_b: float = 1.0
    n_runs: int | None = None
    shift_b: float = 0.0
    has_gold: bool = True

    countable = False

    def __post_init__(self) -> None:
        check_systems(self.epsilon_b, self.epsilon_a, self.sd_scale_a, self.sd_scale_b)

    def key(self, seed: int, purpose: str, *, any_size: bool = False) -> StreamKey:
        """Return the key of this population's streams for one purpose; each size has its own key."""
        return stream_key(
            seed,
            purpose=purpose,
            pilot=self.prior.key(),
            n=self.n_items,
            k=self.k_responses,
            epsilon_a=float(self.epsilon_a),
            epsilon_b=float(self.epsilon_b),
            sd_scale_a=float(self.sd_scale_a),
            sd_scale_b=float(self.sd_scale_b),
            n_runs=self.n_runs or 0,
            shift_b=float(self.shift_b),
        )

    def draw(self, streams: Streams, n_sets: int) -> tuple[Floats, Floats]:
        """Draw gold ratings (R, N, K), without gold (R, N, 0), and both systems' answers (2, R, N, runs)."""
        pilot, pools = self.prior, self.prior.pools
        shape = (n_sets, self.n_items)
        rows = streams.generator("items").integers(len(pools[0].means), size=shape)
        if pilot.ratings is None:
            both = [
                pool.take(rows, self.k_responses, streams.generator(role))
                for role, pool in zip("ab", pools, strict=True)
            ]
            return np.empty((*shape, 0)), np.stack(both)
        gold = pools[0].take(rows, self.k_responses, streams.generator("gold"))
        if pilot.systems is not None:
            return gold, pilot.answers[:, rows % pilot.n_items]
        means = pools[0].means[rows]
        b = self._answers(
            rows,
            self._mean_of_b(means, streams.generator("epsilon b")),
            self.sd_scale_b,
            streams.generator("b"),
        )
        if not self.has_gold and (self.sd_scale_a, self.epsilon_a) == (1.0, 0.0):
            return np.empty((*shape, 0)), np.stack([gold, b])
        mean_of_a = self._moved(means, self.epsilon_a, 0.0, streams.generator("epsilon a"))
        a = self._answers(rows, mean_of_a, self.sd_scale_a, streams.generator("a"))
        return gold if self.has_gold else np.empty((*shape, 0)), np.stack([a, b])

    def long_run(self, seed: int) -> tuple[Floats, Floats, Floats]:
        """Return the mean of infinitely many ratings, and of infinitely many answers of A and of B, (rows,).

        Rows are the items of the pilot, several times each, with their draws from a Dirichlet step.
        """
        pool = self.prior.pools[0]
        if self.prior.systems is not None:
            if self.prior.ratings is None:
                return pool.means, pool.means, self.prior.pools[1].means
            means = self.prior.answers.mean(axis=-1)[:, np.arange(len(pool.means)) % self.prior.n_items]
            return pool.means, means[0], means[1]
        streams = Streams(stream_key(seed, purpose="long run of a pilot", pilot=self.prior.key()), 0)
        a = self._moved(pool.means, self.epsilon_a, 0.0, streams.generator("epsilon a"))
        b = self._mean_of_b(pool.means, streams.generator("epsilon b"))
        return pool.means, self._expected(a, self.sd_scale_a), self._expected(b, self.sd_scale_b)

    def _mean_of_b(self, means: Floats, generator: np.random.Generator) -> Floats:
        return self._moved(means, self.epsilon_b, self.shift_b, generator)

    def _moved(self, means: Floats, epsilon: float, shift: float, generator: np.random.Generator) -> Floats:
        # Drawn even if ε is 0, so that every ε has the same items and directions.
        moved = means + shift + epsilon * (2.0 * generator.random(means.shape) - 1.0)
        return np.clip(moved, 0.0, self.prior.top)

    def _answers(self, rows: Indices, means: Floats, spread: float, generator: np.random.Generator) -> Floats:
        """Return a system's answers to items with these means, (R, N, runs)."""
        runs, steps = self.n_runs or self.k_responses, self._steps
        if spread == 0.0:
            answers = np.repeat(means[..., None], runs, axis=-1)
            return np.floor(answers * steps + 0.5) / steps if steps else answers
        pool = self.prior.pools[0]
        noise = pool.draw(rows, runs, generator) - pool.means[rows][..., None]
        answers = np.clip(means[..., None] + spread * noise, 0.0, self.prior.top)
        return np.floor(answers * steps + generator.random(answers.shape)) / steps if steps else answers

    def _expected(self, means: Floats, spread: float) -> Floats:
        """Return the mean of infinitely many answers to every row, (rows,)."""
        if spread == 0.0:
            return np.floor(means * self._steps + 0.5) / self._steps if self._steps else means
        pool = self.prior.pools[0]
        answers = means[:, None] + spread * (pool.atoms - pool.means[:, None])
        return pool.expected(np.clip(answers, 0.0, self.prior.top))

    @property
    def _steps(self) -> float:
        """The number of steps between levels on the scale from 0 to 1; 0 without levels."""
        levels = self.prior.response.values
        return 1.0 / (levels[1] - levels[0]) if len(levels) else 0.0
