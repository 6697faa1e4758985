"""Raters' labels as categories: p if items are drawn alone, with the people who rated them, or across people.

Test sets are drawn from real labels. Item i's own labels have the shares β_i. A answers from β_i, and B from
(1 − ε) β_i + ε ρ_i, where ρ_i ~ Dirichlet(1/M, …, 1/M), as often as gold has labels of the item. Under the
null each response comes from either with probability ½ (Pandita et al. 2026). The samplers are those of its
sequel (arXiv 2605.13801), and differ only in gold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from nbyk.arrays import Integers
from nbyk.data.ratings import stored_ratings
from nbyk.errors import NbykError
from nbyk.metrics import get
from nbyk.resampling.labels import LabelSets
from nbyk.resampling.streams import Streams, stream_key
from nbyk_papers.gathered import read_partitioned
from nbyk_papers.pandita2026.cells import p_values
from nbyk_papers.raters.design import ACROSS, ALONE, BATCHES, CATEGORY_METRICS, N_ITEMS_OF_CATEGORIES
from nbyk_papers.verdicts import PaperClaim, Verdict, verdicts_on

if TYPE_CHECKING:
    from nbyk.studies.steps import Work


COLUMNS = (
    *("epsilon", "sampler", "n_items", "metric", "p", "standard_error", "delta", "n_sets"),
    *("classes", "people", "batches"),
)
_FEWEST_BATCHES = 3


def categories(
    ratings: Path, *, epsilon: float, n_sets: int, seed: int, work: Work
) -> tuple[pa.Table, dict[str, Any]]:
    """Return p and Δ of test sets of labels by each sampler, at each N and by each metric.

    Labels are taken for classes without an order. Batches are items that the same people rated; without three
    of them, they cannot be drawn.
    """
    data = stored_ratings(ratings)[0]
    people = data.units().index
    if people is None:
        raise NbykError("found no ids of raters; give labels with ids", file=ratings)
    matrix = data.matrix()
    levels = np.unique(matrix[~np.isnan(matrix)])
    labels = (matrix[..., None] == levels).astype(np.int64)
    shares = labels.sum(axis=1) / labels.sum(axis=(1, 2))[:, None]
    metrics = [get(name, of="distributions") for name in CATEGORY_METRICS]
    n_people, drawn_by = len(data.units().names), samplers_of(labels, people)
    _, batches = batches_of(people)
    rows = []
    with work.progress(len(drawn_by) * len(N_ITEMS_OF_CATEGORIES)):
        for (sampler, draw), n in ((pair, n) for pair in drawn_by.items() for n in N_ITEMS_OF_CATEGORIES):
            streams = Streams(stream_key(seed, study="raters", sampler=sampler, n=n), 0)
            generator = streams.generator("categories")
            effects = np.empty((2, len(metrics), n_sets))
            for place in range(n_sets):
                items, gold = draw(n, generator)
                own = shares[items]
                rho = generator.dirichlet(np.full(len(levels), 1.0 / len(levels)), len(items))
                off = (1.0 - epsilon) * own + epsilon * rho
                for of, (a, b) in zip(effects, ((own, off), 2 * (0.5 * (own + off),)), strict=True):
                    k = gold.sum(axis=1)
                    systems = np.stack([generator.multinomial(k, of_system) for of_system in (a, b)])
                    sets = LabelSets((gold / k[:, None])[None], (systems / k[:, None])[:, None])
                    of[:, place] = sets.item_effects(metrics, list(map(str, levels)))[:, 0].mean(axis=1)
            for metric, alternative, null in zip(metrics, *effects, strict=True):
                p = p_values(alternative, null)
                rows.append(
                    {
                        "epsilon": epsilon,
                        "sampler": sampler,
                        "n_items": n,
                        "metric": metric.name,
                        "p": p["p_with_ties"],
                        "standard_error": p["p_with_ties_error"],
                        "delta": float(alternative.mean()),
                        "n_sets": n_sets,
                        "classes": len(levels),
                        "people": n_people,
                        "batches": len(batches),
                    }
                )
            work.advance(1)
    return pa.Table.from_pylist(rows), {"M": n_sets}


Draw = Callable[[int, np.random.Generator], tuple[Integers, Integers]]
"""Draws about n items, and gold's labels of each, counted by class: (n,) and (n, M), no row empty."""


def samplers_of(labels: Integers, people: NDArray[np.int32]) -> dict[str, Draw]:
    """Return the samplers that these labels have, by name.

    Parameters
    ----------
    labels : ndarray, shape (N, K, M)
        1 for the class of each label; 0 everywhere where there is none.
    people : ndarray of int, shape (N, K)
        Who gave each label; −1 where there is none.
    """
    samplers: dict[str, Draw] = {
        ALONE: partial(_alone, labels.sum(axis=1)),
        ACROSS: partial(_across, labels, people),
    }
    batch_of, batches = batches_of(people)
    if len(batches) >= _FEWEST_BATCHES:
        samplers[BATCHES] = partial(
            _batches, labels.sum(axis=1), np.argsort(batch_of, kind="stable"), batches
        )
    return samplers


def batches_of(people: NDArray[np.int32]) -> tuple[Integers, Integers]:
    """Return the batch of each item, (N,), and the number of items in each batch."""
    _, batch, sizes = np.unique(np.sort(people, axis=1), axis=0, return_inverse=True, return_counts=True)
    return batch.reshape(-1), sizes


def _alone(counts: Integers, n: int, generator: np.random.Generator) -> tuple[Integers, Integers]:
    """Draw items, and within each as many of its own labels."""
    items = generator.integers(len(counts), size=n)
    k = counts[items].sum(axis=1)
    return items, generator.multinomial(k, counts[items] / k[:, None])


def _across(
    labels: Integers, people: NDArray[np.int32], n: int, generator: np.random.Generator
) -> tuple[Integers, Integers]:
    """Draw items and, independently, people: every label where they meet, as often as both were drawn."""
    n_people = int(people.max()) + 1
    while True:
        items = generator.integers(len(labels), size=n)
        times = np.bincount(generator.integers(n_people, size=n_people), minlength=n_people + 1)
        counts = (labels[items] * times[people[items]][..., None]).sum(axis=1)
        kept = counts.sum(axis=1) > 0
        if kept.any():
            return items[kept], counts[kept]


def _batches(
    counts: Integers, order: Integers, sizes: Integers, n: int, generator: np.random.Generator
) -> tuple[Integers, Integers]:
    """Draw batches with all of their items and labels until there are n items."""
    ends = np.cumsum(sizes)
    drawn: list[Integers] = []
    left = n
    while left > 0:
        batch = int(generator.integers(len(sizes)))
        drawn.append(order[ends[batch] - sizes[batch] : ends[batch]][:left])
        left -= len(drawn[-1])
    items = np.concatenate(drawn)
    return items, counts[items]


def read_categories(files: Sequence[Path]) -> pd.DataFrame:
    """Return the rows of the step as one table with the data set; none without files."""
    return (
        read_partitioned(files, COLUMNS, ("source",)) if files else pd.DataFrame(columns=["source", *COLUMNS])
    )


def category_verdicts(table: pd.DataFrame) -> list[Verdict]:
    """Return verdicts on what the sequel finds of its samplers."""
    keys = ["source", "epsilon", "n_items", "metric"]
    alone = table[table["sampler"] == ALONE]

    def cases(rows: pd.DataFrame) -> pd.DataFrame:
        pairs = alone.merge(rows, on=keys, suffixes=("_alone", ""))
        error = np.hypot(pairs["standard_error"], pairs["standard_error_alone"])
        return pairs.assign(margin=pairs["p"] - pairs["p_alone"], error=error)

    claim = PaperClaim(
        "arXiv 2605.13801, by notes on it",
        "drawing across people, or batches with their people, raises p",
        "at each data set, ε, N and metric, p is larger than if items are drawn alone",
        "cases",
        cases,
        is_quoted=False,
    )
    samplers = {f"published, {name}": table[table["sampler"] == name] for name in (ACROSS, BATCHES)}
    return verdicts_on([claim], samplers)
