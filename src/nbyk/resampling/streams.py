"""Random streams whose keys name the number to draw, not the time or place of the draw.

A stream belongs to a seed, the axes of a cell (prior, ε, N, K, sampler, null, …), a role within a draw
(items, gold, a, b, …) and a chunk of `CHUNK` consecutive replicates. Chunks are drawn whole and in order, so
results do not depend on batches, threads, cores or hosts. The first M replicates of a longer run are the M
replicates of a shorter one.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbyk.errors import NbykError
from nbyk.resampling import kernels, lanes

CHUNK = 64
"""Replicates per stream. Changing it changes every number that is drawn."""


_SEEDS = 2**63


@dataclass(frozen=True)
class StreamKey:
    """The key of a family of streams.

    Attributes
    ----------
    seed
        The user's seed, a non-negative integer.
    axes
        Names and values that distinguish this cell from all others.
    """

    seed: int
    axes: tuple[tuple[str, str | int | float], ...]

    def seed_sequence(self, role: str, chunk: int) -> np.random.SeedSequence:
        """Return the seed sequence of one role in one chunk of replicates."""
        # as SeedSequence(seed, spawn_key=(eight words of the role, chunk)), in less than half the time
        name = json.dumps([role, *self.axes], separators=(",", ":"))
        words = _in_words(self.seed, 4) + hashlib.sha256(name.encode()).digest() + _in_words(chunk, 1)
        return np.random.SeedSequence(np.frombuffer(words, "<u4").astype(np.uint32))

    def word(self, role: str, chunk: int) -> np.uint64:
        """Return the key of one role in one chunk of replicates, for the kernels of `lanes`."""
        return np.uint64(self.seed_sequence(role, chunk).generate_state(1, np.uint64)[0])

    def state(self, role: str, chunk: int) -> NDArray[np.uint64]:
        """Return a fresh xoshiro256++ state, shape (4,), which the kernels advance in place."""
        return self.seed_sequence(role, chunk).generate_state(4, np.uint64).astype(np.uint64, copy=False)


def as_seed(seed: Any) -> int:
    """Return a seed from an int, a numpy Generator or SeedSequence, or None, which gives a new one.

    A Generator gives its next number and is advanced; a SeedSequence gives the same each time.
    """
    if seed is None:
        seed = np.random.default_rng()
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(_SEEDS))
    if isinstance(seed, np.random.SeedSequence):
        return int(seed.generate_state(1, np.uint64)[0]) % _SEEDS
    if isinstance(seed, int | np.integer) and not isinstance(seed, bool) and seed >= 0:
        return int(seed)
    raise NbykError(
        f"found {seed!r}, expected a seed of at least 0, or numpy's Generator or SeedSequence",
        argument="seed",
    )


def stream_key(seed: int, **axes: str | int | float) -> StreamKey:
    """Return the key of a cell; the order in which the axes are given does not matter."""
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise NbykError(f"found {seed!r}, expected a whole number of at least 0", argument="seed")
    return StreamKey(int(seed), tuple(sorted(axes.items())))


def _in_words(number: int, least: int) -> bytes:
    """Return `least` words of 32 bits of a whole number or as many as it has, the lowest first."""
    return number.to_bytes(4 * max(least, -(-number.bit_length() // 32)), "little")


def chunks(n_replicates: int, size: int = CHUNK, first: int = 0) -> list[tuple[int, int]]:
    """Return (chunk number, replicates from it on), `size` at most, for replicates from `first` on."""
    starts = range(first, n_replicates, size)
    return [(start // CHUNK, min(size, n_replicates - start)) for start in starts]


class Streams:
    """The streams of one chunk of replicates, one per role; each draw from a stream advances it."""

    def __init__(self, key: StreamKey, chunk: int) -> None:
        self._key = key
        self._chunk = chunk
        self._states: dict[str, NDArray[np.uint64]] = {}
        self._generators: dict[str, np.random.Generator] = {}

    @property
    def seed(self) -> int:
        """The user's seed."""
        return self._key.seed

    def state(self, role: str) -> NDArray[np.uint64]:
        """Return the state of the role's stream, for kernels that draw from it and advance it."""
        if role not in self._states:
            self._states[role] = self._key.state(role, self._chunk)
        return self._states[role]

    def uniforms(self, role: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Return the role's next uniforms on the open interval (0, 1)."""
        out = np.empty(shape)
        kernels.fill_uniforms(self.state(role), out.reshape(-1))
        return out

    def coins(self, role: str, shape: tuple[int, ...]) -> NDArray[np.bool_]:
        """Return the role's next fair coins, one row of `shape` per replicate.

        Each replicate starts a new random word, so that its coins do not depend on the batch it is in.
        """
        out = np.empty(shape, dtype=np.bool_)
        kernels.fill_coins(self.state(role), out.reshape(len(out), -1))
        return out

    def fill_normals(self, role: str, out: NDArray[np.float64]) -> None:
        """Fill the C-contiguous array `out` with the role's next standard normals."""
        kernels.fill_normals(self.state(role), out.reshape(-1))

    def generator(self, role: str) -> np.random.Generator:
        """Return the role's numpy generator, for the distributions that numpy draws well."""
        if role not in self._generators:
            bits = np.random.PCG64(self._key.seed_sequence(role, self._chunk))
            self._generators[role] = np.random.Generator(bits)
        return self._generators[role]


class ReplicateStreams:
    """The streams of one chunk of replicates that restart at every replicate, one per role.

    A replicate's draws from a role do not depend on the number of draws by the replicates before it. So the
    first items of a large test set are those of a small one.
    """

    def __init__(self, key: StreamKey, chunk: int) -> None:
        self._key = key
        self._chunk = chunk
        self._words: dict[str, np.uint64] = {}
        self._next: dict[str, int] = {}

    def take(self, role: str, n_replicates: int) -> tuple[np.uint64, int]:
        """Return the role's key and the first of its next replicates, for the kernels of `lanes`."""
        if role not in self._words:
            self._words[role] = self._key.word(role, self._chunk)
        first = self._next.get(role, 0)
        self._next[role] = first + n_replicates
        return self._words[role], first

    def uniforms(self, role: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Return the role's next uniforms on the open interval (0, 1), one row of `shape` per replicate."""
        words = self.words(role, shape)
        out = words.view(np.float64)
        lanes.as_uniforms(words.reshape(-1), out.reshape(-1))
        return out

    def words(self, role: str, shape: tuple[int, ...]) -> NDArray[np.uint64]:
        """Return the role's next 64 random bits each, one row of `shape` per replicate."""
        out = np.empty(shape, dtype=np.uint64)
        lanes.fill_words(*self.take(role, shape[0]), out.reshape(shape[0], -1))
        return out
