"""Collections drawn from a pilot: its own items and ratings, with simulated or real systems."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.errors import NbykError
from nbyk.metrics.item_means import item_means
from nbyk.priors import Response, TwoStagePrior
from nbyk.priors.prior import ItemSource
from nbyk.priors.prior_fit import FAMILY_PAIRS, prior_of_items
from nbyk.resampling.population import check_systems
from nbyk.resampling.rating_pool import Distributions, RatingPool, correlation_left, means_by
from nbyk.resampling.streams import StreamKey, Streams, stream_key

ENOUGH_RATINGS = 4
"""Ratings of an item that tell how people differ on it, whatever the law of their ratings."""

_ROWS = 100_000
_LEAST_REPEATS = 8


@dataclass(frozen=True, eq=False)
class PilotItems(ItemSource):
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
    system_answers : str
        How simulated systems answer: with one of the "levels" of the ratings, if there are any, or with
        "real" numbers.
    families
        Those of μ and of σ that a prior of further ratings may have, in pairs, where an item has fewer than
        four; without any, these are by a Dirichlet step.

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
    system_answers: str = "levels"
    families: tuple[tuple[str, str], ...] = FAMILY_PAIRS

    def __post_init__(self) -> None:
        if self.system_answers not in ("levels", "real"):
            raise NbykError(
                f"found {self.system_answers!r}, expected levels or real", argument="system_answers"
            )
        matrices = self._given
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

    of_labels: ClassVar[bool] = False

    @property
    def n_items(self) -> int:
        """The items N of the pilot."""
        return len(self.pair[0] if self.ratings is None else self.ratings)

    @property
    def of_pair(self) -> bool:
        """Whether two real systems answered them."""
        return self.systems is not None

    def take(self, rows: Integers) -> PilotItems:
        """Return some of the items, without systems."""
        prior = self._prior
        families = () if prior is None else ((prior.mu.name, prior.sigma.name),)
        return replace(self, ratings=np.asarray(self.ratings)[rows], families=families)

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
        """Return the key of the random streams: the ratings and answers themselves, in any order."""
        return self._key

    @cached_property
    def _key(self) -> str:
        kind = "" if self.system_answers == "levels" else self.system_answers
        digest = hashlib.sha256(f"{self.response!r}{kind}".encode())
        for matrix in self._ordered:
            digest.update(repr(matrix.shape).encode())
            digest.update(np.ascontiguousarray(matrix).tobytes())
        return f"pilot {digest.hexdigest()}"

    @cached_property
    def _ordered(self) -> tuple[Floats, ...]:
        """The ratings and answers, sorted within items, and the items by them: no order of a file matters."""
        return tuple(matrix[self.order] for matrix in self._sorted)

    @cached_property
    def order(self) -> Integers:
        """The items in the order in which they are drawn from: that of their ratings and answers."""
        return np.lexsort(np.concatenate(self._sorted, axis=1).T[::-1])

    @property
    def _given(self) -> list[Floats]:
        return [matrix for matrix in (self.ratings, *(self.systems or ())) if matrix is not None]

    @cached_property
    def _sorted(self) -> list[Floats]:
        return [np.sort(matrix + 0.0, axis=1) for matrix in self._given]  # -0.0 is 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return a description of the items as plain values that JSON can hold."""
        pair = {"systems": list(self.system_names)} if self.systems is not None else {}
        return {"name": self.name, "pilot_items": self.n_items, **pair, "response": self.response.to_dict()}

    @cached_property
    def pools(self) -> tuple[RatingPool, ...]:
        """The pools of ratings: gold's or, without gold, one for each system's answers."""
        rated = self._ordered if self.ratings is None else self._ordered[:1]
        means = [item_means(matrix) for matrix in self._ordered]

        def expected(place: int) -> Floats | None:
            """Return the items' means by what else is known of them: the answers, or the other ratings."""
            others = means[:place] + means[place + 1 :]
            return means_by(others, means[place]) if others else None

        return tuple(
            RatingPool.of(matrix, self._levels, self._prior, expected(place))
            for place, matrix in enumerate(rated)
        )

    @property
    def ratings_each(self) -> float:
        """The mean number of ratings of an item; 0 without gold."""
        return 0.0 if self.ratings is None else float((~np.isnan(np.asarray(self.ratings))).sum(1).mean())

    @cached_property
    def _prior(self) -> TwoStagePrior | None:
        """The prior by which further ratings are drawn; None for a Dirichlet step."""
        if self.systems is not None or not self.families or self.ratings_each >= ENOUGH_RATINGS:
            return None
        return prior_of_items(self._ordered[0], self.response, self.families)

    @cached_property
    def answers(self) -> Floats:
        """Both systems' real answers, shape (2, N, K): their means per item if items have fewer."""
        a, b = self._ordered[-2:]
        if a.shape == b.shape and not (np.isnan(a).any() or np.isnan(b).any()):
            return np.stack([a, b])
        return np.stack([item_means(a), item_means(b)])[..., None]

    @property
    def repeats(self) -> int:
        """How often each item stands among the rows of `distributions`: 100,000 rows are the least."""
        return max(_LEAST_REPEATS, -(-_ROWS // self.n_items))

    def distributions(self, seed: int) -> tuple[Distributions, ...]:
        """Return the distributions of further ratings that a seed draws from each pool, always the same."""
        if seed not in self._distributions:
            key = stream_key(seed, purpose="distributions of a pilot's items", pilot=self.key())
            drawn = [
                pool.distributions(self.repeats, Streams(key, number).generator("shares"))
                for number, pool in enumerate(self.pools)
            ]
            if len(drawn) > 1:  # an item that is good by one system is good by the other
                together = correlation_left(self._ordered)
                drawn[1] = drawn[1].along(drawn[0], together, Streams(key, 2).generator("together"))
            self._distributions[seed] = tuple(drawn)
        return self._distributions[seed]

    @cached_property
    def _distributions(self) -> dict[int, tuple[Distributions, ...]]:
        return {}

    @property
    def _levels(self) -> Floats:
        return np.empty(0) if self.systems is not None else self.response.values


@dataclass(frozen=True, eq=False)
class RedrawnPilot:
    """Collections of N items drawn with replacement from a pilot's, with K ratings each.

    The K gold ratings are the item's own, without replacement, and then draws from a distribution given these
    (`nbyk.resampling.rating_pool`). With it, μ_i is drawn, the mean rating by infinitely many raters. A's
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
        pilot, shape = self.prior, (n_sets, self.n_items)
        rows = streams.generator("items").integers(pilot.n_items, size=shape)
        if pilot.systems is None or any(pool.counts.min() < self.k_responses for pool in pilot.pools):
            rows += pilot.n_items * streams.generator("repeats").integers(pilot.repeats, size=shape)
        return self.of_rows(rows, streams)

    def of_rows(self, rows: Integers, streams: Streams) -> tuple[Floats, Floats]:
        """Draw the ratings and answers, as `draw`, of items that are given: row r is of item r mod N."""
        pilot, shape = self.prior, rows.shape
        if pilot.ratings is None:
            return np.empty((*shape, 0)), np.stack(
                [self._rated(rows, number, role, streams) for number, role in enumerate("ab")]
            )
        gold = self._rated(rows, 0, "gold", streams)
        if pilot.systems is not None:
            return gold, pilot.answers[:, rows % pilot.n_items]
        further = pilot.distributions(streams.seed)[0]
        means = further.means[rows]
        mean_of_b = self._moved(means, self.epsilon_b, self.shift_b, streams.generator("epsilon b"))
        b = self._answers(further, rows, mean_of_b, self.sd_scale_b, streams.generator("b"))
        if not self.has_gold and (self.sd_scale_a, self.epsilon_a) == (1.0, 0.0):
            return np.empty((*shape, 0)), np.stack([gold, b])
        mean_of_a = self._moved(means, self.epsilon_a, 0.0, streams.generator("epsilon a"))
        a = self._answers(further, rows, mean_of_a, self.sd_scale_a, streams.generator("a"))
        return gold if self.has_gold else np.empty((*shape, 0)), np.stack([a, b])

    def _rated(self, rows: Integers, number: int, role: str, streams: Streams) -> Floats:
        """Return K ratings of each row's item from one of the pools, (R, N, K)."""
        pool, k = self.prior.pools[number], self.k_responses
        others = self.prior.distributions(streams.seed)[number] if pool.counts.min() < k else None
        return pool.take(rows, k, streams.generator(role), others)

    def long_run(self, seed: int) -> tuple[Floats, Floats, Floats]:
        """Return the mean of infinitely many ratings, and of infinitely many answers of A and of B, (rows,).

        Rows are the items of the pilot, several times each, with their drawn distributions.
        """
        pilot, drawn = self.prior, self.prior.distributions(seed)
        means = drawn[0].means
        if pilot.systems is not None:
            if pilot.ratings is None:
                return means, means, drawn[1].means
            mean_a, mean_b = pilot.answers.mean(axis=-1)[:, drawn[0].items]
            return means, mean_a, mean_b
        streams = Streams(stream_key(seed, purpose="long run of a pilot", pilot=pilot.key()), 0)
        a = self._moved(means, self.epsilon_a, 0.0, streams.generator("epsilon a"))
        b = self._moved(means, self.epsilon_b, self.shift_b, streams.generator("epsilon b"))
        return (
            means,
            self._expected(drawn[0], a, self.sd_scale_a),
            self._expected(drawn[0], b, self.sd_scale_b),
        )

    def _moved(self, means: Floats, epsilon: float, shift: float, generator: np.random.Generator) -> Floats:
        # Drawn even if ε is 0, so that every ε has the same items and directions.
        moved = means + shift + epsilon * (2.0 * generator.random(means.shape) - 1.0)
        return np.clip(moved, 0.0, self.prior.top)

    def _answers(
        self,
        further: Distributions,
        rows: Integers,
        means: Floats,
        spread: float,
        generator: np.random.Generator,
    ) -> Floats:
        """Return a system's answers to items with these means, (R, N, runs)."""
        runs, steps = self.n_runs or self.k_responses, self._steps
        if spread == 0.0:
            answers = np.repeat(means[..., None], runs, axis=-1)
            return np.floor(answers * steps + 0.5) / steps if steps else answers
        noise = further.draw(rows, runs, generator) - further.means[rows][..., None]
        answers = np.clip(means[..., None] + spread * noise, 0.0, self.prior.top)
        return np.floor(answers * steps + generator.random(answers.shape)) / steps if steps else answers

    def _expected(self, further: Distributions, means: Floats, spread: float) -> Floats:
        """Return the mean of infinitely many answers to every row, (rows,)."""
        if spread == 0.0:
            return np.floor(means * self._steps + 0.5) / self._steps if self._steps else means
        noise = further.atoms[further.items] - further.means[:, None]
        return further.expected(np.clip(means[:, None] + spread * noise, 0.0, self.prior.top))

    @property
    def _steps(self) -> float:
        """The number of steps between levels on the scale from 0 to 1; 0 without levels."""
        levels = self.prior.response.values
        rounded = len(levels) > 0 and self.prior.system_answers == "levels"
        return 1.0 / (levels[1] - levels[0]) if rounded else 0.0
