"""Acceptable errors |estimated − true| of Wein et al. 2023, and the sampler and metric to choose.

Section 5 calls errors of about 0.05 or more not acceptable. Section 7 says that the best metric does not
depend on the sampler, nor the best sampler on the metric.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nbyk.testing.corrections import correct_p_values
from nbyk_papers.wein2023.comparison import Cells

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

NOT_ACCEPTABLE = 0.05
"""An estimated p-value that differs this much from the true one is not acceptable (section 5)."""

_NOTICED = 0.001

LEVEL = 0.05
"""Chance that independent choices are wrongly called dependent at one source and ε."""


def is_off(estimated: pd.Series, true: pd.Series) -> pd.Series:
    """Return whether estimates are off the true p-values by 0.05 or more, to the paper's six decimals."""
    off: pd.Series = (estimated - true).abs().round(6) >= NOT_ACCEPTABLE
    return off


@cache
def acceptable_table(cells: Cells) -> pd.DataFrame:
    """Return the number of p-values of one semantics that are not acceptable, a row per source and ε.

    Our numbers are the first test set's estimates; "of all sets" is the share over all test sets.
    """
    import pandas as pd

    rows = []
    sets = cells.by_reference.assign(
        off=is_off(cells.by_reference["estimated_p"], cells.by_reference["true_p"])
    )
    for (source, epsilon), of_source in cells.table.groupby(["source", "epsilon_b"], sort=False):
        off = is_off(of_source["estimated_p"], of_source["true_p"])
        published = of_source[
            of_source["published_true_p"].notna() & of_source["published_estimated_p"].notna()
        ]
        rows.append(
            {
                "source": source,
                "ε": f"{epsilon:g}",
                "cells": len(of_source),
                "not acceptable": int(off.sum()),
                "of all sets": float(
                    sets.loc[(sets["source"] == source) & (sets["epsilon_b"] == epsilon), "off"].mean()
                ),
                "published cells": len(published),
                "not acceptable as published": int(
                    is_off(published["published_estimated_p"], published["published_true_p"]).sum()
                ),
            }
        )
    return pd.DataFrame(rows)


@cache
def choices(cells: Cells) -> pd.DataFrame:
    """Return whether the best metric and the best sampler can be chosen separately, a row per source and ε.

    Chosen apart are the sampler with the least mean error over the metrics, and the metric with the least
    mean error over the samplers. Chosen together is the pair with the least mean error. The choices depend on
    each other if, for some metric, another sampler has a smaller error than the chosen one, or if, for some
    sampler, another metric has a smaller error than the chosen one. Each is a one-sided paired t-test over
    the test sets, with the Monte-Carlo error of the true p-values added; Holm's correction covers all of
    them, at 0.05. Only metrics that every sampler has are compared; there are no rows with fewer than two of
    either. The cells are of one semantics.
    """
    import pandas as pd

    rows = []
    for (source, epsilon), of_source in cells.by_reference.groupby(["source", "epsilon_b"]):
        columns = _complete(of_source, cells)
        if min(len(columns), len(cells.samplers)) > 1:
            error, true_se = _errors(of_source, cells.samplers, columns)
            choice = _choice(error, true_se, cells.samplers, columns)
            rows.append({"source": source, "ε": f"{epsilon:g}", **choice})
    return pd.DataFrame(rows)


def verdict(table: pd.DataFrame, semantics: str) -> dict[str, Any]:
    """Return the verdict on section 7's claim from `choices`: counts, and a sentence."""
    independent = table["independent"] == "yes"
    lost = table["error apart"] - table["error together"]
    places = [f"{source}, ε = {epsilon}" for source, epsilon in zip(table["source"], table["ε"], strict=True)]
    where = "; ".join(place for place, holds in zip(places, independent, strict=True) if not holds)
    n_lost = int((lost >= _NOTICED).sum())
    return {
        "cases": len(table),
        "independent": int(independent.sum()),
        "another_pair_is_better": n_lost,
        "most_error_lost": float(lost.max()),
        "sentence": (
            "Section 7 says that the best metric does not depend on the sampler, and that the best sampler "
            f"does not depend on the metric. Under {semantics} semantics our test sets contradict this in "
            f"{int((~independent).sum())} of {len(table)} cases{f' ({where})' if where else ''}. If you "
            "choose the sampler and the metric separately, another pair has a smaller mean error in "
            f"{n_lost} cases, by {_NOTICED} or more. The largest difference is {lost.max():.3f} "
            f"({places[int(lost.argmax())]})"
            f". {'Chance can explain these differences.' if n_lost and not where else ''}".rstrip()
        ),
    }


def _complete(sets: pd.DataFrame, cells: Cells) -> tuple[str, ...]:
    """Return the metrics that have errors by every sampler."""
    n_samplers = sets.groupby("metric")["sampler"].nunique()
    return tuple(name for name in cells.columns if n_samplers.get(name) == len(cells.samplers))


def _errors(sets: pd.DataFrame, samplers: tuple[str, ...], columns: tuple[str, ...]) -> tuple[Floats, Floats]:
    """Return errors, shape (sets, samplers, metrics), and standard errors of true p, (samplers, metrics)."""
    wide = sets.assign(error=(sets["estimated_p"] - sets["true_p"]).abs())
    wide = wide.pivot_table(index="reference", columns=["sampler", "metric"], values=["error", "true_se"])
    cells = list(product(samplers, columns))
    shape = (len(wide), len(samplers), len(columns))
    error, true_se = (
        np.ascontiguousarray(wide[name][cells].to_numpy(np.float64)).reshape(shape)
        for name in ("error", "true_se")
    )
    return error, true_se[0]


def _choice(
    error: Floats, true_se: Floats, samplers: tuple[str, ...], columns: tuple[str, ...]
) -> dict[str, Any]:
    mean = error.mean(axis=0)
    sampler, metric = int(mean.mean(axis=1).argmin()), int(mean.mean(axis=0).argmin())
    together = np.unravel_index(int(mean.argmin()), mean.shape)
    rivals = list(_rivals(sampler, metric, mean.shape))
    p = np.array([_p_of_smaller(error, true_se, chosen, rival) for _, chosen, rival in rivals])
    smaller = correct_p_values(p, "holm") <= LEVEL
    changed = {place for (place, _, _), is_smaller in zip(rivals, smaller, strict=True) if is_smaller}
    return {
        "sampler": samplers[sampler],
        "metric": columns[metric],
        "error apart": float(mean[sampler, metric]),
        "best pair": f"{samplers[together[0]]}, {columns[together[1]]}",
        "error together": float(mean[together]),
        "metrics with another sampler": sum(kind == "metric" for kind, _ in changed),
        "samplers with another metric": sum(kind == "sampler" for kind, _ in changed),
        "independent": "no" if changed else "yes",
    }


Pair = tuple[int, int]


def _rivals(
    sampler: int, metric: int, shape: tuple[int, ...]
) -> Iterator[tuple[tuple[str, int], Pair, Pair]]:
    """Yield each cell that may beat a separate choice: the choice it would change, chosen, rival."""
    for m in range(shape[1]):
        yield from ((("metric", m), (sampler, m), (s, m)) for s in range(shape[0]) if s != sampler)
    for s in range(shape[0]):
        yield from ((("sampler", s), (s, metric), (s, m)) for m in range(shape[1]) if m != metric)


def _p_of_smaller(error: Floats, true_se: Floats, chosen: Pair, rival: Pair) -> float:
    """Return the one-sided p-value for a smaller mean error of the rival; 1 if no errors differ."""
    from scipy.stats import t

    lead = error[:, *chosen] - error[:, *rival]
    spread = np.sqrt(lead.var(ddof=1) / len(lead) + true_se[chosen] ** 2 + true_se[rival] ** 2)
    return float(t.sf(lead.mean() / spread, len(lead) - 1)) if spread > 0.0 else 1.0
