"""P-values from effect draws, and the rows of all of them in the dataset of p-values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nbyk.errors import NbykError
from nbyk.resampling.samplers import get_sampler
from nbyk.testing.pvalues import expected_p
from nbyk_papers.gathered import P_VALUES, as_rows, decoded, in_order, read_partitioned

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


Floats = NDArray[np.float64]


def true_p_table(effects: pa.Table, columns: Sequence[str]) -> pa.Table:
    """Return the true p-value of each metric column, and of each reference set if they have first draws.

    The effects are from `true_effects_table`, or from `with_first_draws`; then `reference` is the number of
    the set that is the first draw. true_effect is the mean effect under the alternative.
    """
    import pyarrow as pa

    fresh, first = _fresh_and_first(effects, columns)
    rows: list[dict[str, Any]] = []
    for number in dict.fromkeys(number for number, _ in first) or [None]:
        for column in columns:
            draws = {name: fresh[name][column] for name in ("alternative", "null")}
            if number is not None:
                for name, effect in draws.items():
                    draws[name] = np.concatenate([[first[number, name][column]], effect[1:]])
            truth = expected_p(draws["alternative"], draws["null"])
            rows.append(
                {
                    **({} if number is None else {"reference": number}),
                    "metric": column,
                    "true_p": truth.p,
                    "true_se": truth.standard_error,
                    "true_effect": float(draws["alternative"].mean()),
                    "n_draws": len(draws["alternative"]),
                }
            )
    return pa.Table.from_pylist(rows)


def estimated_p_table(
    effects: pa.Table, null: str, resamples_of_column: Mapping[str, int], *, paired: bool
) -> pa.Table:
    """Return estimated p-values of effects: a row per sampler, reference and metric column.

    A column's p-values use as many resamples as `resamples_of_column` says. `paired` says whether the null
    shared the alternative's items and gold. estimated_effect is the mean effect under the alternative.
    """
    import pyarrow as pa

    rows = []
    for sampler, reference, draws in _draws_by_reference(effects, list(resamples_of_column)):
        for column, n_resamples in resamples_of_column.items():
            alternative = draws["alternative"][column][:n_resamples]
            estimate = expected_p(alternative, draws["null"][column][:n_resamples], paired=paired)
            rows.append(
                {
                    "null": null,
                    "sampler": sampler,
                    "reference": reference,
                    "metric": column,
                    "estimated_p": estimate.p,
                    "estimated_se": estimate.standard_error,
                    "estimated_effect": float(alternative.mean()),
                    "n_resamples": len(alternative),
                }
            )
    return pa.Table.from_pylist(rows)


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


def _fresh_and_first(
    true: pa.Table, columns: Sequence[str]
) -> tuple[dict[str, dict[str, Floats]], dict[tuple[int, str], dict[str, float]]]:
    """Return fresh true effects, and the first draws of reference sets by set and hypothesis, if any."""
    import pyarrow.compute as pc

    if "reference" not in true.column_names:
        return _draws_by_hypothesis(true, columns), {}
    rows = true.filter(pc.is_valid(true["reference"])).to_pylist()
    first = {(row["reference"], row["hypothesis"]): row for row in rows}
    return _draws_by_hypothesis(true.filter(pc.is_null(true["reference"])), columns), first


_HYPOTHESES = ("alternative", "null")


def _draws_by_hypothesis(table: pa.Table, columns: Sequence[str]) -> dict[str, dict[str, Floats]]:
    hypothesis = table["hypothesis"].to_numpy()
    values = {column: table[column].to_numpy() for column in columns}
    return {
        name: {column: of_column[hypothesis == name] for column, of_column in values.items()}
        for name in _HYPOTHESES
    }


def _draws_by_reference(
    table: pa.Table, columns: Sequence[str]
) -> Iterator[tuple[str, int, dict[str, dict[str, Floats]]]]:
    """Yield the effects of each sampler and reference set, in the order of the table."""
    keys = table.select(["sampler", "reference", "hypothesis"]).to_pandas()
    values = {column: table[column].to_numpy() for column in columns}
    rows = keys.groupby(list(keys), sort=False, observed=True).indices
    for sampler, reference in dict.fromkeys((sampler, reference) for sampler, reference, _ in rows):
        draws = {
            name: {column: values[column][rows[sampler, reference, name]] for column in columns}
            for name in _HYPOTHESES
        }
        yield str(sampler), int(reference), draws


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
    import pandas as pd

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
