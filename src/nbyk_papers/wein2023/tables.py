"""The tables of Wein et al. 2023 beside the published numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nbyk_papers import placed
from nbyk_papers.wein2023.choices import (
    NOT_ACCEPTABLE,
    acceptable_table,
    choices,
    is_off,
    nearest_table,
    sampler_table,
)
from nbyk_papers.wein2023.comparison import Cells, agreement_by_rank, minima
from nbyk_papers.wein2023.design import COLUMNS, full_table_name, minima_table_name

if TYPE_CHECKING:
    import pandas as pd


def all_tables(cells: Cells) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield every table as (file name, caption, table)."""
    for semantics in cells.semantics:
        of_semantics = cells.of(semantics)
        for source in of_semantics.table["source"].unique():
            for name, caption, table in tables_of(cells, semantics, source):
                yield placed(semantics, name), caption, table
        ranks = agreement_by_rank(of_semantics)
        if len(ranks):
            caption = f"Published estimated p-values by their rank among our test sets ({semantics})"
            yield placed(semantics, "ranks"), caption, ranks
        yield (
            placed(semantics, "acceptable"),
            f"P-values that are not acceptable: |estimated − true| of {NOT_ACCEPTABLE} or more ({semantics})",
            acceptable_table(of_semantics),
        )
        yield (
            placed(semantics, "nearest_samplers"),
            f"The sampler whose estimates are nearest to the true p-value, by metric ({semantics})",
            nearest_table(of_semantics),
        )
        caption = (
            f"Mean error of each sampler, and its share of estimates that are not acceptable ({semantics})"
        )
        yield placed(semantics, "samplers"), caption, sampler_table(of_semantics)
        chosen = choices(of_semantics)
        if len(chosen):
            caption = f"The best sampler and the best metric, chosen separately and together ({semantics})"
            yield placed(semantics, "choices"), caption, chosen


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
    import pandas as pd

    rows = cells.table[cells.table["published_place"].notna()]
    return pd.DataFrame(
        {
            "semantics": rows["semantics"],
            "table": rows["table"],
            "source": rows["source"],
            "ε": rows["epsilon_b"].map("{:g}".format),
            "sampler": rows["sampler"],
            "metric": rows["metric"],
            "sets": rows["n_references"],
            "5 %": rows["estimated_low"],
            "mean over sets": rows["estimated_mean"],
            "95 %": rows["estimated_high"],
            "published": rows["published_estimated_p"],
            "rank": rows["published_rank"],
            "place": rows["published_place"],
        }
    )


def full(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a full-result table (Tables 5 to 14): one row per sampler and metric, ours beside published."""
    import pandas as pd

    return pd.DataFrame(
        {
            "metric": rows["metric"].map(label),
            "sampler": rows["sampler"],
            "estimated p": rows["estimated_p"],
            "± MC": rows["estimated_se"],
            "mean over sets": rows["estimated_mean"],
            "5 %": rows["estimated_low"],
            "95 %": rows["estimated_high"],
            "published estimated p": rows["published_estimated_p"],
            "its rank among sets": rows["published_rank"],
            "its place": rows["published_place"],
            "true p": rows["true_p"],
            "± MC of true": rows["true_se"],
            "published true p": rows["published_true_p"],
            "z true": rows["z_true"],
            "difference": rows["estimated_p"] - rows["true_p"],
            "acceptable": _acceptable(rows["estimated_p"], rows["true_p"]),
            "published difference": rows["published_estimated_p"] - rows["published_true_p"],
            "acceptable as published": _acceptable(rows["published_estimated_p"], rows["published_true_p"]),
        }
    )


def minima_table(cells: Cells, kind: str) -> pd.DataFrame:
    """Return `minima` for people: a row per sampler or metric and ε."""
    import pandas as pd

    table = minima(cells, kind)
    return pd.DataFrame(
        {
            kind: table["row"].map(label),
            "n": table["n"],
            "ε": table["epsilon_b"].map("{:g}".format),
            "error": table["error"],
            "acceptable": _acceptable(table["error"], 0.0 * table["error"]),
            "mean over sets": table["error_mean"],
            "5 %": table["error_low"],
            "95 %": table["error_high"],
            "published error": table["published"],
            "its place": table["published_place"],
        }
    )


def label(name: str) -> str:
    """Return a metric column's name as the paper prints it, or any other name as it is."""
    return COLUMNS.get(name, name)


def _acceptable(estimated: pd.Series, true: pd.Series) -> pd.Series:
    """Return "yes" or "no", or nothing where there are no numbers."""
    flag = is_off(estimated, true).map({True: "no", False: "yes"})
    return flag.where(estimated.notna() & true.notna(), "")


def _perturbed_a(rows: pd.DataFrame) -> str:
    """Return a note for a caption that A is perturbed; "" if it is not."""
    epsilon_a = rows["epsilon_a"].iloc[0] if "epsilon_a" in rows else 0.0
    return f", ε_A = {epsilon_a:g}" if epsilon_a else ""


def _title(name: str, source: str) -> str:
    if name.startswith("table_"):
        return f"Table {int(name.removeprefix('table_'))}, {source}"
    return source
