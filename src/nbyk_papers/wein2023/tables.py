"""The tables of Wein et al. 2023 beside the published numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from nbyk_papers import placed
from nbyk_papers.shown import titled
from nbyk_papers.wein2023.choices import (
    acceptable_table,
    choices,
    is_off,
    nearest_table,
    sampler_table,
)
from nbyk_papers.wein2023.comparison import Cells, agreement_by_rank, minima
from nbyk_papers.wein2023.design import COLUMNS, SUMMARY_TABLES, full_table_name, minima_table_name

if TYPE_CHECKING:
    import pandas as pd


def all_tables(cells: Cells) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield every table as (file name, caption, table)."""
    for semantics in cells.semantics:
        of_semantics = cells.of(semantics)
        for source in of_semantics.table["source"].unique():
            for name, caption, table in tables_of(cells, semantics, source):
                yield placed(semantics, name), caption, table
        for name, make in _SUMMARIES.items():
            yield placed(semantics, name), f"{SUMMARY_TABLES[name]} ({semantics})", make(of_semantics)


_SUMMARIES: dict[str, Callable[[Cells], pd.DataFrame]] = {
    "ranks": agreement_by_rank,
    "acceptable": acceptable_table,
    "nearest_samplers": nearest_table,
    "samplers": sampler_table,
    "choices": choices,
}
"""The tables of a semantics' cells of all sources, by the names of `SUMMARY_TABLES`."""


def tables_of(cells: Cells, semantics: str, source: str) -> list[tuple[str, str, pd.DataFrame]]:
    """Return the tables of a semantics and a source as (file name, caption, table)."""
    shown = cells.of(semantics, source)
    tables = []
    for kind in ("sampler", "metric"):
        name = minima_table_name(source, kind)
        caption = (
            f"{_title(name, source)}: least |estimated − true| p-value by {kind}, over all "
            f"{'metrics' if kind == 'sampler' else 'samplers'} ({semantics})"
        )
        tables.append((name, caption, minima_table(shown, kind)))
    rows = shown.table
    for epsilon in sorted(rows["epsilon_b"].unique()):
        name = full_table_name(source, float(epsilon))
        of_epsilon = rows[rows["epsilon_b"] == epsilon]
        caption = (
            f"{_title(name, source)}: estimated and true p-values, ε = {epsilon:g}"
            f"{_perturbed_a(of_epsilon)} ({semantics})"
        )
        tables.append((name, caption, full(of_epsilon)))
    return tables


def ranks_by_cell(cells: Cells) -> pd.DataFrame:
    """Return the place of every published estimate among ours, Tables 5 to 14 in one table."""
    rows = cells.table[cells.table["published_place"].notna()]
    titles = {
        **{"semantics": "", "table": "", "source": "", "epsilon_b": "ε", "sampler": "", "metric": ""},
        **{"n_references": "sets", "estimated_low": "5 %", "estimated_mean": "mean over sets"},
        **{"estimated_high": "95 %", "published_estimated_p": "published"},
        **{"published_rank": "rank", "published_place": "place"},
    }
    return titled(rows.assign(epsilon_b=rows["epsilon_b"].map("{:g}".format)), titles)


def full(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a full-result table (Tables 5 to 14): one row per sampler and metric, ours beside published."""
    ours, theirs = (rows[f"{whose}estimated_p"] - rows[f"{whose}true_p"] for whose in ("", "published_"))
    rows = rows.assign(
        metric=rows["metric"].map(label),
        difference=ours,
        acceptable=_acceptable(ours),
        published_difference=theirs,
        published_acceptable=_acceptable(theirs),
    )
    titles = {
        **{"metric": "", "sampler": "", "estimated_p": "estimated p", "estimated_se": "± MC"},
        **{"estimated_mean": "mean over sets", "estimated_low": "5 %", "estimated_high": "95 %"},
        **{"published_estimated_p": "published estimated p", "published_rank": "its rank among sets"},
        **{"published_place": "its place", "true_p": "true p", "true_se": "± MC of true"},
        **{"published_true_p": "published true p", "z_true": "z true", "difference": "", "acceptable": ""},
        "published_difference": "published difference",
        "published_acceptable": "acceptable as published",
    }
    return titled(rows, titles)


def minima_table(cells: Cells, kind: str) -> pd.DataFrame:
    """Return `minima` for people: a row per sampler or metric and ε."""
    table = minima(cells, kind)
    titles = {
        **{"row": kind, "n": "", "epsilon_b": "ε", "error": "", "acceptable": ""},
        **{"error_mean": "mean over sets", "error_low": "5 %", "error_high": "95 %"},
        **{"published": "published error", "published_place": "its place"},
    }
    table = table.assign(
        row=table["row"].map(label),
        epsilon_b=table["epsilon_b"].map("{:g}".format),
        acceptable=_acceptable(table["error"]),
    )
    return titled(table, titles)


def label(name: str) -> str:
    """Return a metric column's name as the paper prints it, or any other name as it is."""
    return COLUMNS.get(name, name)


def _acceptable(difference: pd.Series) -> pd.Series:
    """Return "yes" or "no", or nothing where there are no numbers."""
    return is_off(difference).map({True: "no", False: "yes"}).where(difference.notna(), "")


def _perturbed_a(rows: pd.DataFrame) -> str:
    """Return a note for a caption that A is perturbed; "" if it is not."""
    epsilon_a = rows["epsilon_a"].iloc[0] if "epsilon_a" in rows else 0.0
    return f", ε_A = {epsilon_a:g}" if epsilon_a else ""


def _title(name: str, source: str) -> str:
    if name.startswith("table_"):
        return f"Table {int(name.removeprefix('table_'))}, {source}"
    return source
