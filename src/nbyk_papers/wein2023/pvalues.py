"""One cell of a study as a table of p-values, from its effect draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nbyk.errors import NbykError
from nbyk.resampling.samplers import get_sampler
from nbyk.testing.pvalues import ExpectedP, expected_p

if TYPE_CHECKING:
    import pyarrow as pa

Floats = NDArray[np.float64]


def p_values_table(
    estimated: pa.Table,
    true: Mapping[int, pa.Table],
    cell: Mapping[str, Any],
    *,
    paired: bool,
    resamples_of_column: Mapping[str, int],
) -> pa.Table:
    """Return the p-values of a cell, one row per sampler, reference and metric column.

    Parameters
    ----------
    estimated
        From `estimated_effects_table`.
    true
        From `true_effects_table` or `with_first_draws`, by responses per item: one for every number that a
        sampler yields. If there are none at all, the true columns are empty.
    cell
        The settings of the reference sets and the resamples, the first columns of the table: epsilon_b,
        epsilon_a, n_items, k_responses and null.
    paired
        Whether the null shared the alternative's items and gold.
    resamples_of_column
        The number of resamples that each column's estimated p-values use.

    Returns
    -------
    pyarrow.Table
        epsilon_b, epsilon_a, n_items, k_responses, null, item_sampler, response_sampler, reference, metric,
        estimated_p, estimated_se, true_p, true_se,
        estimated_effect, true_effect (mean effects under the alternative), n_resamples, n_draws.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = list(resamples_of_column)
    for name in pc.unique(estimated["sampler"]).to_pylist():
        k = get_sampler(name).responses_per_item(cell["k_responses"])
        if true and k not in true:
            raise NbykError(f"{name}: no true effects for {k} responses per item; give them with --true")
    true_draws = {k: _draws_by_hypothesis(_fresh(table), columns) for k, table in true.items()}
    first_draws = {k: _first_draws(table) for k, table in true.items()}

    @cache
    def true_p(k: int, column: str, reference: int | None) -> tuple[ExpectedP, float]:
        alternative, null = (true_draws[k][name][column] for name in ("alternative", "null"))
        if reference is not None:
            alternative, null = alternative.copy(), null.copy()
            for name, effects in (("alternative", alternative), ("null", null)):
                if (reference, name) not in first_draws[k]:
                    raise NbykError(f"the true effects hold no first draw of reference set {reference}")
                effects[0] = first_draws[k][reference, name][column]
        return expected_p(alternative, null), float(alternative.mean())

    rows = []
    for sampler_name, reference, draws in _draws_by_reference(estimated, columns):
        sampler = get_sampler(sampler_name)
        k = sampler.responses_per_item(cell["k_responses"])
        for column in columns:
            n_resamples = resamples_of_column[column]
            alternative = draws["alternative"][column][:n_resamples]
            of_null = draws["null"][column][:n_resamples]
            estimate, truth, true_effect = expected_p(alternative, of_null, paired=paired), None, None
            if k in true:
                truth, true_effect = true_p(k, column, reference if first_draws[k] else None)
            rows.append(
                {
                    **cell,
                    "item_sampler": sampler.items,
                    "response_sampler": sampler.response_name,
                    "reference": reference,
                    "metric": column,
                    "estimated_p": estimate.p,
                    "estimated_se": estimate.standard_error,
                    "true_p": truth.p if truth else None,
                    "true_se": truth.standard_error if truth else None,
                    "estimated_effect": float(alternative.mean()),
                    "true_effect": true_effect,
                    "n_resamples": len(alternative),
                    "n_draws": len(true_draws[k]["alternative"][column]) if truth else None,
                }
            )
    return pa.Table.from_pylist(rows)


def _fresh(true: pa.Table) -> pa.Table:
    """Return true effects without the first draws of reference sets."""
    import pyarrow.compute as pc

    return true.filter(pc.is_null(true["reference"])) if "reference" in true.column_names else true


def _first_draws(true: pa.Table) -> dict[tuple[int, str], dict[str, float]]:
    """Return the effects of first true draws by reference set and hypothesis; none if all are fresh."""
    import pyarrow.compute as pc

    if "reference" not in true.column_names:
        return {}
    rows = true.filter(pc.is_valid(true["reference"])).to_pylist()
    return {(row["reference"], row["hypothesis"]): row for row in rows}


def _draws_by_hypothesis(table: pa.Table, columns: Sequence[str]) -> dict[str, dict[str, Floats]]:
    hypothesis = np.asarray(table["hypothesis"].to_pylist())
    return {
        name: {column: table[column].to_numpy()[hypothesis == name] for column in columns}
        for name in ("alternative", "null")
    }


def _draws_by_reference(
    table: pa.Table, columns: Sequence[str]
) -> list[tuple[str, int, dict[str, dict[str, Floats]]]]:
    import pyarrow.compute as pc

    groups = []
    for sampler in pc.unique(table["sampler"]).to_pylist():
        of_sampler = table.filter(pc.equal(table["sampler"], sampler))
        for reference in pc.unique(of_sampler["reference"]).to_pylist():
            rows = of_sampler.filter(pc.equal(of_sampler["reference"], reference))
            groups.append((sampler, reference, _draws_by_hypothesis(rows, columns)))
    return groups
