"""The tables of Ulmer et al. 2022 beside the published rates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from nbyk_papers import placed
from nbyk_papers.ulmer2022.comparison import CELL, PERCENT, beside_published
from nbyk_papers.ulmer2022.design import (
    DIFFERENCE,
    SEMANTICS,
    TABLES,
    in_papers_order,
    label,
    label_of_test,
    table_name,
)
from nbyk_papers.ulmer2022.reading import across, type_of
from nbyk_papers.ulmer2022.summary import outside

if TYPE_CHECKING:
    import pandas as pd


def tables_of(rates: pd.DataFrame, cells: Mapping[str, pd.DataFrame]) -> list[tuple[str, str, pd.DataFrame]]:
    """Return the tables as (file name, caption, table), from rates and the result of `compare`."""
    order = in_papers_order(rates[["distribution", "error"]].itertuples(index=False, name=None))
    tables = []
    for semantics in SEMANTICS:
        for distribution, error in order:
            of = (rates["distribution"] == distribution) & (rates["error"] == error)
            table = papers_form(rates[of & (rates["semantics"] == semantics)])
            name = placed(semantics, table_name(distribution, error))
            tables.append((name, _caption(distribution, error, semantics), table))
    if len(cells["published"]):
        caption = f"The number of published rates in the {PERCENT} interval around ours, by table and test"
        tables.append(("agreement", caption, agreement_table(cells)))
        caption = f"Published rates outside the {PERCENT} interval around ours (published semantics)"
        tables.append(("outside", caption, outside_table(cells)))
    return tables


def papers_form(rates: pd.DataFrame) -> pd.DataFrame:
    """Return a table in the paper's layout, a row per sample size or lead and threshold.

    Each test has its rate, the exact 95 % interval and the published rate, if there is one.
    """
    import pandas as pd

    varies, name = across(str(rates["error"].iloc[0]))
    published = beside_published(rates, str(rates["semantics"].iloc[0]))[[*CELL, "published_rate"]]
    both = rates.merge(published, on=CELL, how="left")
    rows = []
    for (value, threshold), of in both.groupby([varies, "threshold"]):
        row: dict[str, Any] = {name: f"{value:g}", "threshold": f"{threshold:g}"}
        columns = ("test", "rate", "low", "high", "published_rate")
        for name_of_test, rate, low, high, published in of[list(columns)].itertuples(index=False):
            test = label_of_test(name_of_test)
            row |= {test: rate, f"{test} 95 %": f"{low:.3f}–{high:.3f}"}
            row |= {} if np.isnan(published) else {f"{test} published": published}
        rows.append(row)
    return pd.DataFrame(rows)


def agreement_table(cells: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return how many published rates agree with ours under either semantics, by table and test."""
    import pandas as pd

    rows = []
    for (table, test), of in cells["published"].groupby(["table", "test"], sort=False):
        row = {"table": table, "test": label_of_test(str(test)), "rates": len(of)}
        for semantics, all_cells in cells.items():
            part = all_cells[(all_cells["table"] == table) & (all_cells["test"] == test)]
            row |= {f"inside, {semantics}": int(part["agrees"].sum())}
            row |= {f"RMS z, {semantics}": float((part["z"] ** 2).mean() ** 0.5)}
        rows.append(row)
    return pd.DataFrame(rows)


def outside_table(cells: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
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
        for row in outside(cells)
    ]
    columns = ("table", "test", "n", "lead", "threshold", "published", "ours", "interval", "z", "why")
    return pd.DataFrame(rows, columns=list(columns))


def _caption(distribution: str, error: str, semantics: str) -> str:
    number = TABLES.get((distribution, error))
    title = "" if number is None else f"Table {number}: "
    by = "lead of A, n = 5" if error == DIFFERENCE else "sample size"
    of = f"Type-{type_of(error)} error rates, {label(distribution)}"
    return f"{title}{of}, by {by} and threshold ({semantics})"
