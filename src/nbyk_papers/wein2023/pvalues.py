"""The rows of the dataset of p-values: estimated ones with the true ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from nbyk.errors import NbykError
from nbyk.resampling.samplers import get_sampler
from nbyk_papers.gathered import P_VALUES, as_rows, decoded, in_order, read_partitioned

if TYPE_CHECKING:
    import pyarrow as pa


def with_true_p(estimated: pd.DataFrame, true: pd.DataFrame) -> pd.DataFrame:
    """Return estimated p-values with the true ones of the same cell, metric, responses and, if any, set.

    Both have columns that name the cell; `true` has a column responses, the number per item that a sampler
    yields.
    """
    pairs = estimated[["sampler", "k_responses"]].drop_duplicates()
    keeps = {
        (sampler, k): get_sampler(sampler).responses_per_item(k)
        for sampler, k in pairs.itertuples(index=False)
    }
    for (sampler, _), k in keeps.items():
        if len(true) and k not in set(true["responses"]):
            raise NbykError(f"{sampler}: no true p-values for {k} responses per item")
    without = set(estimated["reference"]) - set(true["reference"]) if "reference" in true else set()
    if without:
        raise NbykError(f"the true effects hold no first draw of reference set {min(without)}")
    kept = [keeps[pair] for pair in zip(estimated["sampler"], estimated["k_responses"], strict=True)]
    on = [name for name in true if name in estimated]
    joined = estimated.assign(responses=kept).merge(true, on=[*on, "responses"], how="left")
    return joined.drop(columns="responses")


_FOLDERS = ("semantics", "source")
_ORDER = [
    "semantics",
    "source",
    "epsilon_a",
    "epsilon_b",
    "n_items",
    "k_responses",
    "sampler",
    "metric",
    "reference",
]


def p_values(
    *,
    true_p: Sequence[Path],
    estimate_p: Sequence[Path],
    study: str,
    epsilons: Sequence[float],
    epsilon_a: Sequence[float],
    sizes: Sequence[Sequence[int]],
    samplers: Sequence[str],
    metrics: Sequence[str],
    n_references: int,
    seed: int,
) -> pa.Table:
    """Return the estimated p-values that are asked for, and nothing else of the files, with the true ones."""
    estimated = _read(estimate_p, ("estimated_p", "sampler", "reference"))
    estimated = estimated[
        estimated["epsilon_b"].isin(epsilons)
        & estimated["epsilon_a"].isin(epsilon_a)
        & pd.MultiIndex.from_frame(estimated[["n_items", "k_responses"]]).isin(list(map(tuple, sizes)))
        & estimated["sampler"].isin(samplers)
        & estimated["metric"].isin(metrics)
        & (estimated["reference"] < n_references)
    ]
    true = _read(true_p, ("true_p", "metric"))
    parts = [
        with_true_p(of_folder, true_by_responses(true[(true[list(_FOLDERS)] == list(folder)).all(axis=1)]))
        for folder, of_folder in estimated.groupby(list(_FOLDERS), sort=True)
    ]
    rows = in_order(pd.concat(parts), _ORDER, {"sampler": samplers, "metric": metrics})
    rows = rows.drop_duplicates([*_ORDER, "null"], ignore_index=True)
    return as_rows(P_VALUES, study, seed, rows)


def true_by_responses(true: pd.DataFrame) -> pd.DataFrame:
    """Return a source's true p-values by what samplers keep of K, and by reference set if each has its own.

    They are those of `true_p` in one semantics, for `with_true_p`.
    """
    key = ["epsilon_b", "epsilon_a", "n_items", "responses", "metric"]
    if "reference" in true and true["reference"].notna().all():
        key += ["k_responses", "reference"]
        known = true.astype({"reference": "int64", "responses": "int64"})
    else:
        shared = true.drop(columns=["reference", "responses"], errors="ignore")
        known = shared.rename(columns={"k_responses": "responses"})
    # A file's place in the list, and what else it holds, must not show.
    return known.drop_duplicates(key)


def _read(files: Sequence[Path], columns: Sequence[str]) -> pd.DataFrame:
    return decoded(read_partitioned(files, ("epsilon_b", "n_items", "k_responses", *columns), _FOLDERS))
