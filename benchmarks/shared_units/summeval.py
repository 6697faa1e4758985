"""Pairs of SummEval's systems that are told apart: summeval.csv.

Run ``python -m benchmarks.shared_units.summeval RATINGS summeval.csv``. RATINGS is a CSV file with the
columns ``item`` (document__system__quality), ``rater`` and ``value`` (1 to 5): three experts rated 100
summaries by each of 16 systems (Fabbri et al. 2021; the repository Yale-LILY/SummEval has the MIT licence).
Tests, after Holm's correction: over items alone; of each pair by itself; nbyk's, in which pairs learn from
each other; and the textbook's with one variance for all pairs, 2 (MS_SR + MS_SI − MS_E) / (N R), and
Satterthwaite's degrees of freedom.
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import t as student

import nbyk
from nbyk.metrics import get
from nbyk.testing.corrections import correct_p_values
from nbyk.testing.shared_units import responses, shared_units_test

Floats = NDArray[np.float64]

ALPHA = 0.05
QUALITIES = ("coherence", "relevance", "consistency", "fluency")


def ratings_of(table: pd.DataFrame, quality: str) -> dict[str, Floats]:
    """Return each system's ratings from 0 to 1, shape (documents, experts)."""
    table = table.join(
        table["item"].str.split("__", expand=True).set_axis(["document", "system", "of"], axis=1)
    )
    table = table[table.of == quality].assign(value=(table.value - 1.0) / 4.0)
    return {
        str(name): part.pivot(index="document", columns="rater", values="value").to_numpy(np.float64)
        for name, part in table.groupby("system")
    }


def told_apart(p: list[float]) -> int:
    """Return how many p-values are at most .05 after Holm's correction."""
    return int(np.sum(np.array(correct_p_values(p, "holm")) <= ALPHA))


def p_by_pairs(systems: dict[str, Floats]) -> list[float]:
    """Return p of nbyk's test of each pair by itself."""
    p = []
    for a, b in itertools.combinations(systems.values(), 2):
        units = np.tile(np.arange(a.shape[1]), (len(a), 1))
        data = responses(a, b, a_units=units, b_units=units, paired=True)
        p.append(shared_units_test(get("mean"), data).p_value())
    return p


def p_pooled(systems: dict[str, Floats]) -> list[float]:
    """Return p of the textbook's test of each pair."""
    cube = np.stack(list(systems.values()))
    n_systems, n, raters = cube.shape
    sizes = np.array([n_systems, n, raters]) - 1.0
    scores = cube.mean(axis=(1, 2))
    by_rater = _apart(cube.mean(axis=1)) * n
    by_item = _apart(cube.mean(axis=2)) * raters
    of_item_and_rater = _apart(cube.mean(axis=0)) * n_systems
    whole = float(np.sum((cube - cube.mean(axis=(1, 2), keepdims=True)) ** 2))
    mains = sum(
        float(np.sum((cube.mean(axis=axes) - cube.mean()) ** 2)) * times
        for axes, times in (((0, 2), n_systems * raters), ((0, 1), n_systems * n))
    )
    df = np.array([sizes[0] * sizes[2], sizes[0] * sizes[1], sizes.prod()])
    rest = whole - mains - by_rater - by_item - of_item_and_rater
    means = np.array([by_rater, by_item, rest]) / df
    variance = means[0] + means[1] - means[2]
    t = [
        (a - b) / np.sqrt(2.0 * variance / (n * raters))
        for a, b in itertools.combinations(scores.tolist(), 2)
    ]
    tails = 2.0 * student.sf(np.abs(t), variance**2 / np.sum(means**2 / df))
    return [float(p) for p in tails]


def _apart(table: Floats) -> float:
    """Return the sum of squares of the interaction of rows and columns."""
    centred = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    return float(np.sum(centred**2))


def row_of(quality: str, systems: dict[str, Floats]) -> dict[str, object]:
    """Return how many pairs each test tells apart by a quality."""
    board = nbyk.compare(None, systems, pair_runs=True)
    items = nbyk.compare(None, systems, pair_runs=True, generalise=["items"])
    return {
        "quality": quality,
        "pairs": len(board.pairs),
        "items alone": sum(pair.significant for pair in items.pairs),
        "pairs alone": told_apart(p_by_pairs(systems)),
        "nbyk": sum(pair.significant for pair in board.pairs),
        "pooled": told_apart(p_pooled(systems)),
    }


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ratings", type=Path)
    parser.add_argument("table", type=Path)
    options = parser.parse_args()
    ratings = pd.read_csv(options.ratings)
    rows = [row_of(quality, ratings_of(ratings, quality)) for quality in QUALITIES]
    pd.DataFrame(rows).to_csv(options.table, index=False)


if __name__ == "__main__":
    main()
