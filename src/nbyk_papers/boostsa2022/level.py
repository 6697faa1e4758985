"""The test's rejection rate if both systems are equally good, by the fraction of items that it draws."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from nbyk.errors import NbykError
from nbyk.resampling.streams import CHUNK, Streams, chunks, stream_key
from nbyk_papers.boostsa2022.label_bootstrap import Kind, Semantics, choose_scores, label_bootstrap

FRACTIONS = (0.05, 0.1, 0.25, 0.5, 1.0)

_CLASSES = (0.5, 0.3, 0.2)
_HARD_ACCURACY = 0.75
_HARD_COPIED = 0.5
_SOFT_CONCENTRATION = 2.0
_SOFT_NOISE = 0.4

Predictions: TypeAlias = NDArray[np.int64] | NDArray[np.float64]


@dataclass(frozen=True)
class Level:
    """The rejection rate of one score's test at one fraction, with equally good systems.

    Attributes
    ----------
    score
        The score's name.
    fraction
        The share of the items that a resample drew.
    rate, rate_two_sided
        Shares of test sets with p ≤ α, one-sided for A and two-sided (NaN under published semantics).
    low, high
        The band that holds 99 % of rates if the chance to reject is α.
    n_sets
        Test sets.
    """

    score: str
    fraction: float
    rate: float
    rate_two_sided: float
    low: float
    high: float
    n_sets: int


def equally_good(
    kind: Kind, n_items: int, chunk: int, size: int, seed: int = 0
) -> list[tuple[Predictions, ...]]:
    """Return targets and predictions of A and B for simulated test sets on which both are equally good.

    A and B are exchangeable: hard labels of three classes are right with a chance of ¾, and equal the other
    system's label half of the time. Soft labels are the target mixed with noise of each system.

    Parameters
    ----------
    kind
        "hard" or "soft".
    n_items
        Items N of each set.
    chunk, size
        The number of the chunk of sets, and how many of its sets to return, at most `CHUNK`.
    seed
        Seed of the sets.
    """
    draw = Streams(stream_key(seed, purpose="label level", kind=kind, n_items=n_items), chunk).generator(
        "sets"
    )
    return [_hard_set(draw, n_items) if kind == "hard" else _soft_set(draw, n_items) for _ in range(size)]


def type_one_error(
    kind: Kind,
    metric: str | Sequence[str] | None = None,
    *,
    fractions: Sequence[float] = FRACTIONS,
    n_items: int = 200,
    n_sets: int = 2000,
    n_resamples: int = 999,
    alpha: float = 0.05,
    semantics: Semantics = "recommended",
    seed: int = 0,
    threads: int = 1,
) -> tuple[Level, ...]:
    """Measure the rate at which `label_bootstrap` rejects if both systems are equally good.

    Parameters
    ----------
    kind
        "hard" or "soft": the labels to simulate (`equally_good`).
    metric, semantics
        As `label_bootstrap`.
    fractions
        The shares of the items to draw; all see the same test sets.
    n_items, n_sets, n_resamples
        Items N of each test set, test sets, and resamples of each.
    alpha
        Nominal level.
    seed, threads
        Seed of the sets, and threads to use. The numbers do not depend on the threads.

    Returns
    -------
    tuple of Level
        One for each score and fraction, fractions in turn within each score.
    """
    if n_sets < 1:
        raise NbykError(f"the number of test sets must be at least 1, found {n_sets}")
    chosen = choose_scores(metric, kind)

    def rejections(chunk_and_size: tuple[int, int]) -> NDArray[np.float64]:
        chunk, size = chunk_and_size
        found = np.empty((size, len(chosen), len(fractions), 2))
        for at, (target, a, b) in enumerate(equally_good(kind, n_items, chunk, size, seed)):
            for f, fraction in enumerate(fractions):
                test = label_bootstrap(
                    target,
                    a,
                    b,
                    [score.name for score in chosen],
                    labels=range(len(_CLASSES)) if kind == "hard" else None,
                    semantics=semantics,
                    fraction=fraction,
                    alternative="greater",
                    n_resamples=n_resamples,
                    seed=chunk * CHUNK + at,
                )
                for s, comparison in enumerate(test.comparisons):
                    two_sided = comparison.p_two_sided
                    found[at, s, f] = (
                        comparison.p <= alpha,
                        np.nan if two_sided is None else two_sided <= alpha,
                    )
        return found

    with ThreadPoolExecutor(max(1, threads)) as pool:
        rates = np.concatenate(list(pool.map(rejections, chunks(n_sets)))).mean(axis=0)
    low, high = _band(n_sets, alpha)
    return tuple(
        Level(score.name, fraction, float(rates[s, f, 0]), float(rates[s, f, 1]), low, high, n_sets)
        for s, score in enumerate(chosen)
        for f, fraction in enumerate(fractions)
    )


def _band(n_sets: int, alpha: float, coverage: float = 0.99) -> tuple[float, float]:
    from scipy.stats import binom

    low, high = binom.ppf([0.5 - 0.5 * coverage, 0.5 + 0.5 * coverage], n_sets, alpha) / n_sets
    return float(low), float(high)


def _hard_set(draw: np.random.Generator, n_items: int) -> tuple[Predictions, ...]:
    target = draw.choice(len(_CLASSES), n_items, p=_CLASSES)
    a, other = (
        np.where(
            draw.random(n_items) < _HARD_ACCURACY, target, draw.choice(len(_CLASSES), n_items, p=_CLASSES)
        )
        for _ in range(2)
    )
    return target, a, np.where(draw.random(n_items) < _HARD_COPIED, a, other)


def _soft_set(draw: np.random.Generator, n_items: int) -> tuple[Predictions, ...]:
    concentration = _SOFT_CONCENTRATION * np.array(_CLASSES)
    target, *noise = draw.dirichlet(concentration, (3, n_items))
    a, b = ((1.0 - _SOFT_NOISE) * target + _SOFT_NOISE * of_system for of_system in noise)
    return target, a, b
