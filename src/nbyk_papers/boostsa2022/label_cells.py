"""The steps of Fornaciari et al. 2022: p-values of simulated test sets of labels, and Type-I errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa

from nbyk.arrays import Floats, Integers
from nbyk.resampling.streams import CHUNK, StreamKey, Streams, chunks, stream_key
from nbyk.testing.intervals import proportion_interval
from nbyk_papers.boostsa2022.design import (
    EXAMPLE_COUNTS,
    LEAD,
    SEMANTICS,
    TAGGED_ITEMS,
    TAGGED_RIGHT_A,
    TAGGED_RIGHT_B,
)
from nbyk_papers.boostsa2022.label_bootstrap import Semantics, label_bootstraps
from nbyk_papers.boostsa2022.label_sets import LabelSet, balanced_set, counted_set, tagging_set

if TYPE_CHECKING:
    from nbyk.studies.steps import Work


_CLASSES = (0.5, 0.3, 0.2)
_HARD_ACCURACY = 0.75
_HARD_COPIED = 0.5
_SOFT_CONCENTRATION = 2.0
_SOFT_NOISE = 0.4

Kind: TypeAlias = Literal["hard", "soft"]
Predictions: TypeAlias = Integers | Floats


def equally_good(
    kind: Kind, n_items: int, chunk: int, size: int, seed: int = 0
) -> list[tuple[Predictions, ...]]:
    """Return targets and predictions of A and B for the first `size` sets of a chunk; both are equally good.

    A and B are exchangeable: hard labels of three classes are right with a chance of ¾, and equal the other
    system's label half of the time. Soft labels are the target mixed with noise of each system.
    """
    draw = Streams(stream_key(seed, purpose="label level", kind=kind, n_items=n_items), chunk).generator(
        "sets"
    )
    return [_hard_set(draw, n_items) if kind == "hard" else _soft_set(draw, n_items) for _ in range(size)]


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


Draw = Callable[[np.random.Generator], LabelSet]


@dataclass(frozen=True)
class LabelTests:
    """Tests of simulated test sets: hard scores, shares f that a resample draws, and how many."""

    scores: Sequence[str]
    fractions: Sequence[float]
    n_simulations: int
    n_resamples: int
    seed: int


@dataclass(frozen=True)
class LevelTests:
    """Tests of equally good systems: hard or soft scores, shares f that a resample draws, and how many."""

    scores: Sequence[str]
    fractions: Sequence[float]
    n_items: int
    semantics: Semantics
    n_sets: int
    n_resamples: int
    alpha: float
    seed: int


def balanced(
    *, n_items: int, accuracy: float, tests: LabelTests, work: Work
) -> tuple[pa.Table, dict[str, Any]]:
    """Test two balanced classifiers, A one point better, at one test-set size (Figure 1).

    The table has one row per set, semantics, share and score.
    """
    key = stream_key(tests.seed, purpose="balanced labels", n_items=n_items, accuracy=accuracy)

    def draw(generator: np.random.Generator) -> LabelSet:
        return balanced_set(generator, n_items=n_items, accuracy=accuracy, lead=LEAD)

    return _p_values(key, draw, tests, work)


def tagging(*, discordance: float, tests: LabelTests, work: Work) -> tuple[pa.Table, dict[str, Any]]:
    """Test two taggers with the right answers of Figure 2's on as many items, as `balanced`.

    `discordance` is the share of items that exactly one tagger has right.
    """
    counts = {"n_items": TAGGED_ITEMS, "right_a": TAGGED_RIGHT_A, "right_b": TAGGED_RIGHT_B}
    key = stream_key(tests.seed, purpose="tagging labels", discordance=discordance, **counts)

    def draw(generator: np.random.Generator) -> LabelSet:
        return tagging_set(generator, discordance=discordance, **counts)

    return _p_values(key, draw, tests, work, discordance)


def example(*, tests: LabelTests, work: Work) -> tuple[pa.Table, dict[str, Any]]:
    """Test the two systems of the printed example (Figure 3); simulations differ in resamples alone."""
    key = stream_key(tests.seed, purpose="example labels")
    return _p_values(key, lambda _: counted_set(EXAMPLE_COUNTS), tests, work)


def levels(*, kind: Kind, tests: LevelTests, work: Work) -> tuple[pa.Table, dict[str, Any]]:
    """Measure how often the test rejects if both systems are equally good (`equally_good`).

    All shares see the same test sets. The table has a row for each score and share: with the rate its exact
    95 % interval low and high, and band_low and band_high, between which 99 % of the rates of an exact test
    lie.
    """
    from scipy.stats import binom

    def rejections(chunk_and_size: tuple[int, int]) -> Integers:
        chunk, size = chunk_and_size
        n_rejected = np.zeros((len(tests.scores), len(tests.fractions)), np.int64)
        for place, (target, a, b) in enumerate(equally_good(kind, tests.n_items, chunk, size, tests.seed)):
            of_set = label_bootstraps(
                target,
                a,
                b,
                tests.scores,
                fractions=tests.fractions,
                n_classes=len(_CLASSES),
                semantics=tests.semantics,
                n_resamples=tests.n_resamples,
                seed=chunk * CHUNK + place,
            )
            for f, test in enumerate(of_set):
                n_rejected[:, f] += [comparison.p <= tests.alpha for comparison in test.comparisons]
        return n_rejected

    with ThreadPoolExecutor(max(1, work.threads)) as pool:
        counts = np.sum(list(pool.map(rejections, chunks(tests.n_sets))), axis=0)
    same = {name: getattr(tests, name) for name in ("alpha", "n_sets", "n_resamples")}
    band_low, band_high = (binom.ppf([0.005, 0.995], tests.n_sets, tests.alpha) / tests.n_sets).tolist()
    rows = []
    for score, score_counts in zip(tests.scores, counts.tolist(), strict=True):
        for fraction, count in zip(tests.fractions, score_counts, strict=True):
            low, high = proportion_interval(count, tests.n_sets)
            rows.append(
                {"n_items": tests.n_items, "semantics": tests.semantics, "score": score, "fraction": fraction}
                | {**same, "rejections": count, "rate": count / tests.n_sets, "low": low, "high": high}
                | {"band_low": band_low, "band_high": band_high}
            )
    return pa.Table.from_pylist(rows), {"M": tests.n_resamples}


def _p_values(
    key: StreamKey, draw: Draw, tests: LabelTests, work: Work, discordance: float | None = None
) -> tuple[pa.Table, dict[str, Any]]:
    """Simulate test sets, which depend on the key and their own numbers alone, and test each."""
    rows: list[dict[str, Any]] = []
    with work.progress(tests.n_simulations):
        for simulation in range(tests.n_simulations):
            data = draw(np.random.default_rng(key.seed_sequence("set", simulation)))
            seed = int(key.word("resamples", simulation))
            for semantics in SEMANTICS:
                of_set = label_bootstraps(
                    *data,
                    tests.scores,
                    fractions=tests.fractions,
                    semantics=semantics,
                    n_resamples=tests.n_resamples,
                    seed=seed,
                    threads=work.threads,
                )
                for fraction, test in zip(tests.fractions, of_set, strict=True):
                    rows += [
                        {
                            "simulation": simulation,
                            "n_items": len(data.target),
                            "discordance": data.discordance if discordance is None else discordance,
                            "semantics": semantics,
                            "fraction": fraction,
                            "n_drawn": test.n_drawn,
                            **vars(comparison),
                            "score": comparison.score.name,
                            "n_resamples": tests.n_resamples,
                        }
                        for comparison in test.comparisons
                    ]
            work.advance(1)
    return pa.Table.from_pylist(rows), {"M": tests.n_resamples}
