"""The report of Ulmer et al. 2022: how many published rates agree, and why the others do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from nbyk.report.answer import Answer, AnswerTable
from nbyk_papers import placed
from nbyk_papers.shown import Page, study_answer, titled
from nbyk_papers.ulmer2022.claims import verdicts_of
from nbyk_papers.ulmer2022.comparison import (
    CELL,
    CONFIDENCE,
    PERCENT,
    across,
    beside_published,
    compare,
    error_rates,
    read_scores,
    type_of,
)
from nbyk_papers.ulmer2022.design import (
    DIFFERENCE,
    SEMANTICS,
    STUDY,
    TABLES,
    in_papers_order,
    label,
    label_of_test,
    table_name,
)
from nbyk_papers.ulmer2022.figures import figures_of

CHANCE = 0.05
"""A difference counts as chance if, among all rates, one as large has at least this probability."""


def summarise(cells: Mapping[str, pd.DataFrame]) -> dict[str, Any]:
    """Return the number of published rates in the interval around ours under each semantics.

    The rates of one table row and column share simulations over thresholds, and those of one row over tests,
    so they are not independent. Chance alone gives a root mean square of z of 1.
    """
    agreements = {semantics: _agreement(of) for semantics, of in cells.items()}
    inside, n = agreements["published"]["inside"], agreements["published"]["rates"]
    return {
        "study": STUDY,
        "confidence": CONFIDENCE,
        **agreements,
        "outside_by_chance_at_most": n * (1.0 - CONFIDENCE),
        "line": f"{inside} of {n} published rates lie inside the {PERCENT} interval around ours",
    }


def _agreement(cells: pd.DataFrame) -> dict[str, Any]:
    n, inside, z = len(cells), int(cells["agrees"].sum()), cells["z"].dropna()
    return {
        "rates": n,
        "inside": inside,
        "share": inside / n if n else None,
        "rms_z": float((z**2).mean() ** 0.5) if len(z) else None,
    }


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
    caption = f"The number of published rates in the {PERCENT} interval around ours, by table and test"
    tables.append(("agreement", caption, agreement_table(cells)))
    caption = f"Published rates outside the {PERCENT} interval around ours (published semantics)"
    return [*tables, ("outside", caption, outside_table(cells))]


def papers_form(rates: pd.DataFrame) -> pd.DataFrame:
    """Return a table in the paper's layout, a row per sample size or lead and threshold.

    Each test has its rate, the exact 95 % interval and the published rate, if there is one.
    """
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
    """Return the published rates outside the interval around ours, each with a reason.

    The reason is "chance" if one difference as large is to be expected among so many: if its p-value times
    the number of rates (Bonferroni) is at least `CHANCE`. Otherwise it is "semantics" if the rate lies inside
    under the recommended semantics, and "unknown" if not.
    """
    published, recommended = cells["published"], cells["recommended"]
    why = np.where(recommended["agrees"], "semantics", "unknown")
    why = np.where(published["p"] * len(published) >= CHANCE, "chance", why)
    rows = published.assign(why=why)[~published["agrees"]]
    ends = zip(rows["predicted_low"], rows["predicted_high"], strict=True)
    rows = rows.assign(
        test=rows["test"].map(label_of_test),
        lead=rows["lead"].map("{:g}".format),
        threshold=rows["threshold"].map("{:g}".format),
        interval=[f"{low:.3f}–{high:.3f}" for low, high in ends],
    )
    titles = {"table": "", "test": "", "sample_size": "n", "lead": "", "threshold": ""}
    titles |= {"published_rate": "published", "rate": "ours", "interval": "", "z": "", "why": ""}
    return titled(rows, titles)


def _caption(distribution: str, error: str, semantics: str) -> str:
    number = TABLES.get((distribution, error))
    title = "" if number is None else f"Table {number}: "
    by = "lead of A, n = 5" if error == DIFFERENCE else "sample size"
    of = f"Type-{type_of(error)} error rates, {label(distribution)}"
    return f"{title}{of}, by {by} and threshold ({semantics})"


PAGE = Page(
    "deep-significance: error rates of tests of scores, reproduced",
    Path(__file__).with_name("ulmer2022.html"),
    first="agreement",
    titles={
        "agreement": "Tables 1 to 8: published rates against ours",
        "figure_02": "Figure 2: the distributions of the scores",
        "figure_03": "Figure 3: Type-I error by sample size",
        "figure_06": "Figure 6: p-values and eps_min of equally good systems",
        "figure_07": "Figure 7: Type-II error by sample size and by lead",
    },
    marked=("z",),
)


def report(*, scores: Sequence[Path], thresholds: Sequence[float]) -> Answer:
    """Return tables, figures and the summary of files of the step scores."""
    return scores_report(read_scores(scores), thresholds)


def scores_report(scores: pd.DataFrame, thresholds: Sequence[float]) -> Answer:
    """Return the report of scores that were read."""
    rates = error_rates(scores, thresholds)
    cells = compare(rates)
    return study_answer(
        PAGE,
        {**summarise(cells), "verdicts": verdicts_of(rates)},
        tables_of(rates, cells),
        figures_of(scores, cells),
        files_alone=[AnswerTable("rates", "Every error rate, with its exact interval", rates, on_page=False)],
    )
