"""The tables of Ulmer et al. 2022 beside the published rates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nbyk.files import write_json, write_parquet
from nbyk.report.formats import write_table
from nbyk.report.ulmer2022.comparison import CONFIDENCE, compare
from nbyk.report.ulmer2022.reading import across, type_of
from nbyk.report.ulmer2022.summary import outside, summarise
from nbyk.studies.ulmer2022 import (
    DIFFERENCE,
    SEMANTICS,
    TABLES,
    in_papers_order,
    label,
    label_of_test,
    published_rates,
    table_name,
)

if TYPE_CHECKING:
    import pandas as pd


def write_tables(rates: pd.DataFrame, out: Path) -> str:
    """Write every table in every format, ``rates.parquet`` and ``summary.json``.

    Parameters
    ----------
    rates
        From `error_rates`.
    out
        Folder to write to.

    Returns
    -------
    str
        The summary in one line.
    """
    import pyarrow as pa

    for name, caption, table in tables_of(rates):
        write_table(table, out / "tables" / name, caption)
    write_parquet(out / "rates.parquet", pa.Table.from_pandas(rates, preserve_index=False), {})
    summary = summarise(rates)
    write_json(out / "summary.json", summary)
    return str(summary["line"])


def tables_of(rates: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """Return the tables as (file name, caption, table)."""
    found = in_papers_order(rates[["distribution", "error"]].itertuples(index=False, name=None))
    tables = []
    for semantics in SEMANTICS:
        for distribution, error in found:
            of = (rates["distribution"] == distribution) & (rates["error"] == error)
            table = papers_form(rates[of & (rates["semantics"] == semantics)])
            name = f"{semantics}/{table_name(distribution, error)}"
            tables.append((name, _caption(distribution, error, semantics), table))
    cells = compare(rates, "published")
    if len(cells):
        percent = f"{100 * CONFIDENCE:g} %"
        caption = f"How many published rates lie in the {percent} interval around ours, by table and test"
        tables.append(("agreement", caption, agreement_table(rates)))
        caption = f"Published rates outside the {percent} interval around ours (published semantics)"
        tables.append(("outside", caption, outside_table(rates)))
    return tables


def papers_form(rates: pd.DataFrame) -> pd.DataFrame:
    """Return a table as the paper has it, a row per sample size or lead and threshold.

    Each test has its rate, the exact 95 % interval and, where there is one, the published rate.
    """
    import pandas as pd

    varies, name = across(str(rates["error"].iloc[0]))
    cell = ["distribution", "error", "sample_size", "lead", "threshold", "test"]
    both = rates.merge(published_rates()[[*cell, "published_rate"]], on=cell, how="left")
    rows = []
    for (value, threshold), of in both.groupby([varies, "threshold"]):
        row = {name: f"{value:g}", "threshold": f"{threshold:g}"}
        for rate in of.itertuples(index=False):
            test = label_of_test(str(rate.test))
            row |= {test: rate.rate, f"{test} 95 %": f"{rate.low:.3f}–{rate.high:.3f}"}
            row |= {f"{test} published": rate.published_rate} if rate.published_rate >= 0.0 else {}
        rows.append(row)
    return pd.DataFrame(rows)


def agreement_table(rates: pd.DataFrame) -> pd.DataFrame:
    """Return how many published rates agree with ours under either semantics, by table and test."""
    import pandas as pd

    rows = []
    cells = {semantics: compare(rates, semantics) for semantics in SEMANTICS}
    for (table, test), of in cells["published"].groupby(["table", "test"], sort=False):
        row = {"table": table, "test": label_of_test(str(test)), "rates": len(of)}
        for semantics, all_cells in cells.items():
            part = all_cells[(all_cells["table"] == table) & (all_cells["test"] == test)]
            row |= {f"inside, {semantics}": int(part["agrees"].sum())}
            row |= {f"RMS z, {semantics}": float((part["z"] ** 2).mean() ** 0.5)}
        rows.append(row)
    return pd.DataFrame(rows)


def outside_table(rates: pd.DataFrame) -> pd.DataFrame:
    """Return `outside` for people."""
    import pandas as pd

    rows = [
        {
            "table": row["table"],
            "test": label_of_test(row["test"]),
            "n": row["sample_size"],
            "lead": f"{row['lead']:g}",
            "threshold": f"{row['threshold']:g}",
            "published": row["published_rate"],
            "ours": row["rate"],
            "interval": f"{row['predicted_low']:.3f}–{row['predicted_high']:.3f}",
            "z": row["z"],
            "why": row["why"],
        }
        for row in outside(rates)
    ]
    columns = ("table", "test", "n", "lead", "threshold", "published", "ours", "interval", "z", "why")
    return pd.DataFrame(rows, columns=list(columns))


def _caption(distribution: str, error: str, semantics: str) -> str:
    number = TABLES.get((distribution, error))
    title = "" if number is None else f"Table {number}: "
    by = "lead of A, n = 5" if error == DIFFERENCE else "sample size"
    return f"{title}Type-{type_of(error)} error rates, {label(distribution)}, by {by} and threshold ({semantics})"
