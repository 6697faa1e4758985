"""Cells of a study of label predictions as tables: p-values of simulated test sets, and Type-I errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbyk.labels.bootstrap import label_bootstrap
from nbyk.labels.level import type_one_error
from nbyk.metrics.label_scores import Kind
from nbyk.resampling.streams import StreamKey, stream_key
from nbyk.testing.rates import binomial_interval
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

Draw = Callable[[np.random.Generator], LabelSet]


def balanced_p_values(*, n_items: int, accuracy: float, seed: int, **options: Any) -> pa.Table:
    """Return p-values of Figure 1's test sets of one size.

    Parameters
    ----------
    n_items, accuracy
        As `balanced_set`; A leads by .01.
    seed
        Seed of the sets and of their resamples.
    **options
        As `p_values_table`.

    Raises
    ------
    NbykError
        As `balanced_set` and `label_bootstrap`.
    """
    key = stream_key(seed, purpose="balanced labels", n_items=n_items, accuracy=accuracy)
    return p_values_table(
        key,
        lambda draw: balanced_set(draw, n_items=n_items, accuracy=accuracy, lead=LEAD),
        discordance=None,
        **options,
    )


def tagging_p_values(*, discordance: float, seed: int, **options: Any) -> pa.Table:
    """Return p-values of test sets like that of Figure 2, with a share of items that exactly one has right.

    Parameters
    ----------
    discordance
        As `tagging_set`.
    seed, **options
        As `balanced_p_values`.

    Raises
    ------
    NbykError
        As `tagging_set` and `label_bootstrap`.
    """
    counts = {"n_items": TAGGED_ITEMS, "right_a": TAGGED_RIGHT_A, "right_b": TAGGED_RIGHT_B}
    key = stream_key(seed, purpose="tagging labels", discordance=discordance, **counts)
    return p_values_table(
        key,
        lambda draw: tagging_set(draw, discordance=discordance, **counts),
        discordance=discordance,
        **options,
    )


def example_p_values(*, seed: int, **options: Any) -> pa.Table:
    """Return p-values of the test set of Figure 3; its simulations differ only in their resamples.

    Parameters
    ----------
    seed, **options
        As `balanced_p_values`.
    """
    key = stream_key(seed, purpose="example labels")
    return p_values_table(key, lambda _: counted_set(EXAMPLE_COUNTS), discordance=None, **options)


def p_values_table(
    key: StreamKey,
    draw: Draw,
    *,
    discordance: float | None,
    scores: Sequence[str],
    fractions: Sequence[float],
    n_simulations: int,
    n_resamples: int,
    work: Work,
) -> pa.Table:
    """Simulate test sets and test each under both semantics at every share f.

    Parameters
    ----------
    key
        The key of the random streams. A set depends only on the key and on its own number, and its resamples
        also on the share. Neither depends on the scores, the semantics or the other shares asked for.
    draw
        Makes one test set from a generator.
    discordance
        The discordance asked for, or None to report that of each set.
    scores
        Names of scores of hard labels.
    fractions
        Shares f of the items that a resample draws.
    n_simulations, n_resamples
        Test sets, and resamples M of each.
    work
        The threads to use, and the function to call as sets are done.

    Returns
    -------
    pyarrow.Table
        One row per set, semantics, share and score: simulation, n_items, discordance, semantics, fraction,
        n_drawn, score, score_a, score_b, effect, p, standard_error, n_resamples.
    """
    import pyarrow as pa

    rows: list[dict[str, Any]] = []
    for simulation in range(n_simulations):
        data = draw(np.random.default_rng(key.seed_sequence("set", simulation)))
        seed = int(key.seed_sequence("resamples", simulation).generate_state(1, np.uint64)[0])
        for semantics in SEMANTICS:
            for fraction in fractions:
                test = label_bootstrap(
                    *data,
                    scores,
                    semantics=semantics,  # type: ignore[arg-type]
                    fraction=fraction,
                    alternative="greater",
                    n_resamples=n_resamples,
                    seed=seed,
                    threads=work.threads,
                )
                rows += [
                    {
                        "simulation": simulation,
                        "n_items": test.n_items,
                        "discordance": data.discordance if discordance is None else discordance,
                        "semantics": semantics,
                        "fraction": fraction,
                        "n_drawn": test.n_drawn,
                        "score": found.score.name,
                        "score_a": found.score_a,
                        "score_b": found.score_b,
                        "effect": found.effect,
                        "p": found.p,
                        "standard_error": found.standard_error,
                        "n_resamples": n_resamples,
                    }
                    for found in test.comparisons
                ]
        work.advance(1)
    return pa.Table.from_pylist(rows)


def levels_table(kind: Kind, *, work: Work, **asked: Any) -> pa.Table:
    """Measure the rate at which the test rejects equally good systems.

    Parameters
    ----------
    kind
        The kind of labels.
    work
        The threads to use.
    **asked
        As `nbyk.labels.level.type_one_error`.

    Returns
    -------
    pyarrow.Table
        One row per score and share f: n_items, semantics, score, fraction, alpha, n_sets, n_resamples,
        rejections, rate, its exact 95 % interval low and high, and band_low and band_high, between which 99 %
        of the rates of an exact test lie.
    """
    import pyarrow as pa

    rows = []
    for level in type_one_error(kind, threads=work.threads, **asked):
        rejections = round(level.rate * asked["n_sets"])
        low, high = binomial_interval(rejections, asked["n_sets"])
        rows.append(
            {
                "n_items": asked["n_items"],
                "semantics": asked["semantics"],
                "score": level.score,
                "fraction": level.fraction,
                "alpha": asked["alpha"],
                "n_sets": asked["n_sets"],
                "n_resamples": asked["n_resamples"],
                "rejections": rejections,
                "rate": level.rate,
                "low": low,
                "high": high,
                "band_low": level.low,
                "band_high": level.high,
            }
        )
    return pa.Table.from_pylist(rows)
