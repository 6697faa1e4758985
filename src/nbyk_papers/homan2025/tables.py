"""The tables of Homan et al. 2025 beside the published numbers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from nbyk.priors import read_prior
from nbyk_papers import placed
from nbyk_papers.gathered import read_partitioned
from nbyk_papers.homan2025.claims import Numbers, at_own_sizes
from nbyk_papers.homan2025.comparison import (
    compare,
    in_papers_order,
    of_columns,
    overstatement,
    own_fit_p_values,
    pick_beyond_paper,
    picks_of_rule,
)
from nbyk_papers.homan2025.design import (
    ALPHA,
    CLAIM_ITEMS,
    COLUMNS,
    METRIC_OF_COLUMN,
    TESTS,
    label,
    published_source,
    table_name,
)
from nbyk_papers.shown import titled

POWER = ("n_items", "k_responses", "epsilon_b", "metric", "test", "n_sets", "power", "low", "high")

_CELL = {"source": "dataset", "column": "metric"}
_PICKED = {
    **{**_CELL, "picked_n_times_k": "NK", "picked_k": "K"},
    **{"picked_p": "p", "picked_error": "± MC", "picked_effect": "Δ"},
}
_PUBLISHED = {
    **{**_CELL, "published_n_times_k": "NK", "published_k": "K"},
    **{"published_p": "published p", "p": "", "standard_error": "± MC", "z_p": "z p"},
    **{"published_effect": "published Δ", "effect": "Δ", "z_effect": "z Δ"},
    **{"picked_n_times_k": "our NK", "picked_k": "our K", "picked_p": "p there", "picked_effect": "Δ there"},
    "pick": "",
}
_RATIOS = {
    **{**_CELL, "epsilon_b": "ε", "published_n_times_k": "NK", "published_k": "K"},
    **{"p": "published p", "plain_p": "recommended p", "ratio": "", "ratio_error": "± MC"},
}
_OWN_FIT = {
    **{"column": "metric", "epsilon_b": "ε", "n_times_k": "NK", "k_responses": "K"},
    **{"p_published": "p, published prior", "standard_error_published": "± MC"},
    **{"p_own": "p, own fit", "standard_error_own": "± MC of own"},
    **{"effect_published": "Δ, published prior", "effect_own": "Δ, own fit"},
}
_OWN_SIZES = {
    **{"source": "dataset", "n_items": "N", "k_responses": "K", "epsilon_b": "ε", "column": "metric"},
    **{"semantics": "", "p": "", "standard_error": "± MC", "is_below": "p < .05"},
}
_POWER = {
    **{"source": "dataset", "epsilon_b": "ε", "n_items": "N", "k_responses": "K"},
    **{"test": "", "power": "", "low": "", "high": ""},
}
"""The columns of tables, by those of our numbers."""


def all_tables(
    numbers: Numbers, fits: Mapping[str, tuple[Path, Path]]
) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield every table as (file name, caption, table); `fits` has ratings and prior of each own fit."""
    grid, power = numbers.grid, numbers.power
    if numbers.claims is not None:
        yield "own_sizes", "Expected p at each data set's own N and K", own_sizes_table(numbers.claims)
        yield (
            "raters",
            f"Expected p of MAE with {CLAIM_ITEMS} items, by responses per item",
            raters_table(numbers),
        )
    yield from tables_of(grid)
    for source, (_, prior) in fits.items():
        fitted_to, table = published_source(source), own_fit_p_values(grid, source)
        name = f"{read_prior(prior).caution} {label(fitted_to)}".lstrip()
        caption = f"{name}: expected p under the published prior and under our own fit (recommended)"
        yield f"fit_{fitted_to}_p_values", caption, _for_people(table, _OWN_FIT)
    if power is not None:
        yield (
            "power",
            "Figure 6: power of each test, with 95 % Clopper-Pearson intervals",
            _for_people(power.replace({"test": TESTS}), _POWER),
        )


def own_sizes_table(claims: pd.DataFrame) -> pd.DataFrame:
    """Return the p-values at each data set's own size: a row per source, ε, metric and semantics."""
    parts = [in_papers_order(at_own_sizes(of_columns(claims, name))) for name in METRIC_OF_COLUMN]
    rows = pd.concat(parts, ignore_index=True)
    is_below = (rows["p"] < ALPHA).map({True: "yes", False: "no"})
    return _for_people(rows.assign(is_below=is_below), _OWN_SIZES)


def raters_table(numbers: Numbers) -> pd.DataFrame:
    """Return the p-values of MAE with 1000 items: a row per source, ε and semantics, a column per K."""
    parts = [numbers.under(semantics).sizes for semantics in METRIC_OF_COLUMN]
    rows = in_papers_order(pd.concat(parts, ignore_index=True))
    rows = rows[(rows["n_items"] == CLAIM_ITEMS) & (rows["column"] == "mae")]
    key = ["source", "epsilon_b", "semantics"]
    wide = rows.set_index([*key, "k_responses"])["p"].unstack("k_responses")
    wide = (
        wide.reindex(pd.MultiIndex.from_frame(rows[key].drop_duplicates()))
        .rename(columns="p, K = {}".format)
        .reset_index()
    )
    wide = wide.assign(source=wide["source"].map(label), epsilon_b=wide["epsilon_b"].map("{:g}".format))
    return wide.rename(columns={"source": "dataset", "epsilon_b": "ε"}).rename_axis(columns=None)


def tables_of(grid: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """Return the tables of p-values as (file name, caption, table)."""
    tables = []
    for semantics in METRIC_OF_COLUMN:
        cells, picks = compare(grid, semantics), pick_beyond_paper(grid, semantics)
        for epsilon in sorted(set(grid["epsilon_b"])):
            title = table_name(epsilon).replace("table_0", "Table ").replace("_", " ")
            rule = f"smallest N·K with p < .05, ε = {epsilon:g} ({semantics})"
            at = cells[cells["epsilon_b"] == epsilon]
            if semantics == "published" and len(at):
                caption = f"{title}: {rule}, published and ours"
                tables.append(
                    (table_name(epsilon), caption, _for_people(at.assign(pick=picks_of_rule(at)), _PUBLISHED))
                )
            else:
                chosen = picks[picks["epsilon_b"] == epsilon]
                caption = f"{title}: {rule}"
                tables.append((placed(semantics, table_name(epsilon)), caption, _for_people(chosen, _PICKED)))
    caption = "The published p-value as a multiple of the recommended one, at the published N·K and K"
    return [*tables, ("overstatement", caption, _for_people(overstatement(grid), _RATIOS))]


def read_power(files: Sequence[str | os.PathLike[str]]) -> pd.DataFrame:
    """Return files of power, as the step power writes them, as one table in order of size."""
    table = read_partitioned(files, POWER, ("source",))
    return table.sort_values(["source", "epsilon_b", "n_items", "k_responses"], kind="stable")


def _for_people(rows: pd.DataFrame, titles: Mapping[str, str]) -> pd.DataFrame:
    """Return columns under their titles, with names for people, and whole numbers or none for a dash."""
    names: dict[str, Callable[..., Any]] = {
        "source": label,
        "column": COLUMNS.get,
        "epsilon_b": "{:g}".format,
    }
    shown = {name: rows[name].map(names[name]) for name in titles if name in names}
    for name in titles:
        if name.startswith(("published_n_times_k", "published_k", "picked_n_times_k", "picked_k")):
            shown[name] = rows[name].astype("Int64").astype(object).where(rows[name].notna(), None)
    return titled(rows.assign(**shown), titles)
