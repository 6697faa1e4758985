"""The steps of Fornaciari et al. 2022: p-values of simulated test sets of labels, and Type-I errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from nbyk.resampling.streams import StreamKey, stream_key
from nbyk_papers.boostsa2022.design import (
    EXAMPLE_COUNTS,
    LEAD,
    SEMANTICS,
    TAGGED_ITEMS,
    TAGGED_RIGHT_A,
    TAGGED_RIGHT_B,
)
from nbyk_papers.boostsa2022.label_sets import LabelSet, balanced_set, counted_set, tagging_set

if TYPE_CHECKING:
    import pyarrow as pa

    from nbyk.studies.steps import Work
    from nbyk_papers.boostsa2022.label_bootstrap import Semantics

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
    """The tests of equally good systems; the fields are parameters of `type_one_error`."""

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


def levels(
    *, kind: Literal["hard", "soft"], tests: LevelTests, work: Work
) -> tuple[pa.Table, dict[str, Any]]:
    """Measure how often the test rejects if both systems are equally good: rows of `type_one_error`."""
    import pyarrow as pa

    from nbyk_papers.boostsa2022.level import type_one_error

    rows = type_one_error(kind, **vars(tests), threads=work.threads)
    return pa.Table.from_pylist(rows), {"M": tests.n_resamples}


def _p_values(
    key: StreamKey, draw: Draw, tests: LabelTests, work: Work, discordance: float | None = None
) -> tuple[pa.Table, dict[str, Any]]:
    """Simulate test sets and test each under both semantics at every share f.

    A set depends only on the key and on its own number, and its resamples also on the share. Neither depends
    on the scores, the semantics or the other shares asked for. Without a discordance asked for, the table has
    that of each set.
    """
    import pyarrow as pa

    from nbyk_papers.boostsa2022.label_bootstrap import label_bootstrap

    rows: list[dict[str, Any]] = []
    with work.progress(tests.n_simulations):
        for simulation in range(tests.n_simulations):
            data = draw(np.random.default_rng(key.seed_sequence("set", simulation)))
            seed = int(key.word("resamples", simulation))
            for semantics in SEMANTICS:
                for fraction in tests.fractions:
                    test = label_bootstrap(
                        *data,
                        tests.scores,
                        semantics=semantics,
                        fraction=fraction,
                        n_resamples=tests.n_resamples,
                        seed=seed,
                        threads=work.threads,
                    )
                    rows += [
                        {
                            "simulation": simulation,
                            "n_items": len(data.target),
                            "discordance": data.discordance if discordance is None else discordance,
                            "semantics": semantics,
                            "fraction": fraction,
                            "n_drawn": test.n_drawn,
                            "score": comparison.score.name,
                            "score_a": comparison.score_a,
                            "score_b": comparison.score_b,
                            "effect": comparison.effect,
                            "p": comparison.p,
                            "standard_error": comparison.standard_error,
                            "n_resamples": tests.n_resamples,
                        }
                        for comparison in test.comparisons
                    ]
            work.advance(1)
    return pa.Table.from_pylist(rows), {"M": tests.n_resamples}
