"""Draws for many pairs of samples at once: the stream of each draw, and the threads that compute it.

A row is a pair of samples. Its draws come in streams of `DRAWS`, each with random words of its own, so the
numbers of rows, draws and threads do not change a draw.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np

from nbyk.compiled import discard_older_caches
from nbyk.resampling.streams import stream_key

Progress = Callable[[int], object]

DRAWS = 256
"""Draws per stream. Changing it changes every number that is drawn."""

STREAMS_PER_ROW = 1 << 32
"""Stream c of row r is replicate r·2³² + c of its key."""

_BLOCKS_PER_THREAD = 8

discard_older_caches(__file__)  # kernels are compiled with the numbers above


def random_words(seed: int, **axes: str | int) -> np.uint64:
    """Return the key of a test's streams, for the kernels of `nbyk.resampling.lanes`."""
    state = stream_key(seed, **axes).seed_sequence("draws", 0).generate_state(1, np.uint64)
    return np.uint64(state[0])


def streams_per_row(n_draws: int) -> int:
    """Return the number of streams of `n_draws` draws."""
    return -(-n_draws // DRAWS)


def over_streams(
    fill: Callable[[int, int], object],
    n_rows: int,
    n_draws: int,
    *,
    threads: int = 1,
    progress: Progress | None = None,
) -> None:
    """Call ``fill(first, last)`` for ranges that cover all streams, those of row 0 first.

    It calls `progress` with the number of draws just finished.
    """
    per_row = streams_per_row(n_draws)
    total = n_rows * per_row
    n_blocks = 1 if threads <= 1 and progress is None else _BLOCKS_PER_THREAD * max(1, threads)
    edges = sorted({total * block // n_blocks for block in range(n_blocks + 1)})
    ranges = list(pairwise(edges))

    def draws_before(stream: int) -> int:
        row, chunk = divmod(stream, per_row)
        return row * n_draws + chunk * DRAWS

    def work(block: tuple[int, int]) -> None:
        fill(*block)
        if progress is not None:
            progress(draws_before(block[1]) - draws_before(block[0]))

    if threads <= 1:
        for block in ranges:
            work(block)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, ranges))
