"""Draws for many pairs of samples at once: the stream of each draw, and the threads that compute it.

A row is a pair of samples. Its draws come in streams of `DRAWS`, each with random words of its own, so the
numbers of rows, draws and threads do not change a draw.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from nbyk.compiled import discard_older_caches
from nbyk.resampling.effects import Progress
from nbyk.resampling.streams import StreamKey, as_seed, stream_key
from nbyk.testing.decision import check_draws

DRAWS = 256
"""Draws per stream. Changing it changes every number that is drawn."""

STREAMS_PER_ROW = 1 << 32
"""Stream c of row r is replicate r·2³² + c of its key."""

_BLOCKS_PER_THREAD, _MOST_STREAMS = 8, 2048
"""Blocks of streams that a thread computes one after the other, and the most streams of a block."""

discard_older_caches(__file__)  # kernels are compiled with the numbers above


@dataclass(frozen=True)
class Drawing:
    """The draws M of a test for each row, their seed, and how they are computed: by threads."""

    n_draws: int
    seed: Any = 0
    threads: int = 1
    progress: Progress | None = None

    def __post_init__(self) -> None:
        check_draws(self.n_draws)
        object.__setattr__(self, "seed", as_seed(self.seed))
        object.__setattr__(self, "n_draws", int(self.n_draws))  # numpy's integers may be short

    def quiet(self) -> Drawing:
        """Return the same draws, without progress."""
        return replace(self, progress=None)

    @property
    def streams_per_row(self) -> int:
        """The number of streams of a row's draws."""
        return -(-self.n_draws // DRAWS)

    def random_words(self, **axes: str | int) -> np.uint64:
        """Return the key of a test's streams, for the kernels of `nbyk.resampling.lanes`."""
        return _word_of(stream_key(self.seed, **axes))

    def over_streams(self, fill: Callable[[int, int], object], n_rows: int) -> None:
        """Call ``fill(first, last)`` for ranges that cover all streams, those of row 0 first."""
        total = n_rows * self.streams_per_row
        n_blocks = min(total, max(_BLOCKS_PER_THREAD * max(1, self.threads), -(-total // _MOST_STREAMS)))
        edges = sorted({total * block // n_blocks for block in range(n_blocks + 1)})

        def draws_before(stream: int) -> int:
            row, chunk = divmod(stream, self.streams_per_row)
            return row * self.n_draws + chunk * DRAWS

        def work(block: tuple[int, int]) -> None:
            fill(*block)
            if self.progress is not None:
                self.progress(draws_before(block[1]) - draws_before(block[0]))

        if self.threads <= 1:
            for block in pairwise(edges):
                work(block)
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                list(pool.map(work, pairwise(edges)))


@lru_cache(typed=True)
def _word_of(key: StreamKey) -> np.uint64:
    """Return the first word of the draws of a key, whose axes are whole numbers and text."""
    return key.word("draws", 0)
