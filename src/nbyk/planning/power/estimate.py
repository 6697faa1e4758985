"""The power of a test: the share of simulated test sets on which it finds that A is better."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.errors import NbykError
from nbyk.metrics import Metric, get
from nbyk.metrics.registry import kind_scored
from nbyk.planning.power.battery import SimulatedSets, SystemTest
from nbyk.resampling.effects import Progress, Threads, run_chunks
from nbyk.resampling.labels import SimulatedPopulation
from nbyk.resampling.streams import CHUNK, as_seed
from nbyk.testing.decision import check_draws
from nbyk.testing.intervals import proportion_interval
from nbyk.testing.pvalues import Alternative

_FIRST_ROUND = 4 * CHUNK
_MOST_SETS = 100_000


@dataclass(frozen=True)
class Power:
    """An estimated power.

    Attributes
    ----------
    power
        The share of test sets on which the test rejects its null, in [0, 1].
    low, high
        Its 95 % interval (Clopper and Pearson 1934).
    n_sets, rejections
        The number of simulated test sets, and the number on which the null was rejected.
    test, metric, alpha, alternative, n_resamples
        The settings of the test.
    """

    power: float
    low: float
    high: float
    n_sets: int
    rejections: int
    test: str
    metric: str
    alpha: float
    alternative: Alternative
    n_resamples: int

    @property
    def standard_error(self) -> float:
        """The standard error of `power` after adding two rejections and two others; never zero."""
        return standard_error(self.rejections, self.n_sets)


def power_of_test(
    population: SimulatedPopulation,
    metric: str | Metric = "mae",
    *,
    test: str = "swap_items",
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    n_sets: int | None = None,
    n_resamples: int = 10_000,
    precision: float | None = None,
    seed: Any = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Power:
    """Return the power of a test at one size: the share of simulated test sets on which it rejects.

    Parameters
    ----------
    population
        The population of the test sets: a prior or a pilot's own items, with N and K.
    metric
        The metric whose effect is tested.
    test
        A key of `nbyk.resampling.samplers.NULLS`: the test rejects if `nbyk.p_value`, with this null drawn at
        the data's own size, is at most α.
    alpha
        The level α, in (0, 1).
    alternative
        "greater" (A is better), "less" or "two-sided".
    n_sets
        Test sets to simulate: by default 1000. With `precision`, the largest number to simulate (by default
        100,000).
    n_resamples
        Draws M of the null of each test; for additive metrics, "swap_items" enumerates all 2^N swaps if these
        are at most M.
    precision
        Wanted standard error of the power: sets are drawn until it is reached.
    seed, threads
        The numbers depend on the seed, not on the threads.
    progress
        Called with the number of test sets just finished.

    Raises
    ------
    NbykError
        If a name is unknown or a number out of range.

    Notes
    -----
    Every test stops drawing from its null once its decision is certain, or once the chance that all M draws
    would change the decision is below 10⁻⁶ (`nbyk.testing.looks`). Under "swap_items", swapping the rows of
    an item only flips the sign of its contribution to an additive effect, so only signs are drawn.
    """
    if isinstance(metric, str):
        metric = get(metric, kind_scored(metric) or "classes" if population.prior.of_labels else "numbers")
    chosen = SystemTest(test, metric, alpha, alternative, n_resamples)
    seed = as_seed(seed)
    if n_sets is not None:
        check_draws(n_sets, "n_sets")

    def simulate(first: int, more: int) -> int:
        chunk = first // CHUNK
        (n_rejected,) = rejections(
            [chosen], population, more, first_chunk=chunk, seed=seed, threads=threads, progress=progress
        )
        return int(n_rejected[0].sum())

    if precision is None:
        sets = n_sets or 1000
        return power_from(chosen, simulate(0, sets), sets)
    check_precision(precision)
    return power_from(chosen, *until_precise(simulate, precision, n_sets or _MOST_SETS))


def check_precision(precision: float) -> None:
    """Raise NbykError if the wanted standard error of a power is out of range."""
    if not 0.0 < precision < 0.5:
        raise NbykError(f"found {precision}, expected a standard error such as 0.01", argument="precision")


def until_precise(
    simulate: Callable[[int, int], int], precision: float, most: int | None = None
) -> tuple[int, int]:
    """Return the rejections and the sets once the power's standard error is below `precision`.

    `simulate`, of the sets so far and of those to add, returns the rejections among the new ones; there are
    at most `most`.
    """
    n_rejected = done = 0
    wanted = _FIRST_ROUND if most is None else min(most, _FIRST_ROUND)
    while done < wanted:
        n_rejected, done = n_rejected + simulate(done, wanted - done), wanted
        if standard_error(n_rejected, done) > precision:
            wanted = min(4 * done, _sets_for(n_rejected / done, precision, done))
            wanted = wanted if most is None else min(most, wanted)
    return n_rejected, done


class Decides(Protocol):
    """A test that decides on simulated sets."""

    def rejections(self, sets: SimulatedSets) -> Integers:
        """Return for each set whether it rejects (1 or 0) and its number of draws, shape (size, 2)."""
        ...


def rejections(
    tests: Sequence[Decides],
    population: SimulatedPopulation,
    n_sets: int,
    *,
    first_chunk: int = 0,
    seed: int = 0,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Floats:
    """Return whether tests reject on each set (1 or 0) and their numbers of draws, shape (tests, 2, n_sets).

    The sets are those of chunk `first_chunk` and the following ones, the same for all tests.
    """

    def work(chunk: int, size: int) -> Floats:
        sets = SimulatedSets(population, first_chunk + chunk, size, seed)
        return np.concatenate([test.rejections(sets).T for test in tests]).astype(np.float64)

    (n_rejected,) = run_chunks(n_sets, work, threads=threads, progress=progress)
    return n_rejected.reshape(len(tests), 2, n_sets)


def power_from(test: SystemTest, found: int, n_sets: int) -> Power:
    """Return the power of a test that rejected on `found` of `n_sets` sets."""
    return Power(
        found / n_sets,
        *proportion_interval(found, n_sets),
        n_sets,
        rejections=found,
        test=test.name,
        metric=test.metric.name,
        alpha=test.alpha,
        alternative=test.alternative,
        n_resamples=test.n_resamples,
    )


def standard_error(found: int, n: int) -> float:
    """Return the standard error of a share after adding two of each kind (Agresti and Coull 1998)."""
    share = (found + 2) / (n + 4)
    return math.sqrt(share * (1.0 - share) / (n + 4))


def _sets_for(power: float, precision: float, at_least: int) -> int:
    """Return the number of sets that gives a standard error, in whole chunks and more than `at_least`."""
    share = (at_least * power + 2) / (at_least + 4)
    needed = max(share * (1.0 - share) / precision**2, at_least + 1)
    return math.ceil(needed / CHUNK) * CHUNK
