"""The report of Ulmer et al. 2022: which rates agree, why others do not, and verdicts on its statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from nbyk.report.answer import Answer, AnswerTable
from nbyk_papers import placed
from nbyk_papers.shown import Page, study_answer, titled
from nbyk_papers.ulmer2022.comparison import (
    CELL,
    CONFIDENCE,
    PERCENT,
    SETTING,
    across,
    beside_published,
    compare,
    error_rates,
    read_scores,
    type_of,
)
from nbyk_papers.ulmer2022.design import (
    ALPHA,
    ASO,
    ASO_THRESHOLD,
    DIFFERENCE,
    DISTRIBUTIONS,
    SEMANTICS,
    STUDY,
    TABLES,
    TESTS,
    TYPE_1,
    in_papers_order,
    label,
    label_of_test,
    table_name,
)
from nbyk_papers.ulmer2022.figures import figures_of
from nbyk_papers.verdicts import PaperClaim, Verdict, error_of_rate, verdicts_on

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


AROUND = 0.04
"""A rate within this of .05 counts as around .05."""

_RATE = ["rate", "error_of_rate"]


def verdicts_of(rates: pd.DataFrame) -> list[Verdict]:
    """Return a verdict on each statement that the run has rates for: the paper's distributions and tests."""
    own = rates.assign(error_of_rate=error_of_rate(rates["errors"], rates["n_simulations"]))
    own = own[own["distribution"].isin(DISTRIBUTIONS) & own["test"].isin(TESTS)]
    return verdicts_on(_CLAIMS, {name: own[own["semantics"] == name] for name in SEMANTICS})


def _at_usual_thresholds(rates: pd.DataFrame) -> pd.DataFrame:
    return rates[rates["threshold"] == np.where(rates["test"] == ASO, ASO_THRESHOLD, ALPHA)]


def _type_1(rates: pd.DataFrame, *, error: bool = True) -> pd.DataFrame:
    return rates[(rates["error"] == TYPE_1) == error]


def _larger(better: pd.DataFrame, worse: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return by how much rates are larger than others of the same keys, and the error of that."""
    both = better[[*keys, *_RATE]].merge(worse[[*keys, *_RATE]], on=keys, suffixes=("_better", "_worse"))
    error = np.hypot(both["error_of_rate_better"], both["error_of_rate_worse"])
    return both.assign(margin=both["rate_worse"] - both["rate_better"], error=error)


def _against_others(rates: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return by how much the rates of other tests are larger than ASO's."""
    return _larger(rates[rates["test"] == ASO], rates[rates["test"] != ASO], keys)


def _on_par_or_better(rates: pd.DataFrame) -> pd.DataFrame:
    return _against_others(_at_usual_thresholds(_type_1(rates)), SETTING)


def _at_equal_thresholds(rates: pd.DataFrame) -> pd.DataFrame:
    return _against_others(_type_1(rates), [*SETTING, "threshold"])


def _falls_with_scores(rates: pd.DataFrame) -> pd.DataFrame:
    rows = _at_usual_thresholds(_type_1(rates))
    rows = rows[rows["test"] == ASO]
    sizes = rows["sample_size"]
    most = rows[(sizes == sizes.max()) & (sizes > sizes.min())]
    return _larger(most, rows[sizes == sizes.min()], ["distribution"])


def _others_around_5_percent(rates: pd.DataFrame) -> pd.DataFrame:
    rows = _at_usual_thresholds(_type_1(rates))
    return _around(rows[rows["test"] != ASO])


def _tau_like_alpha(rates: pd.DataFrame) -> pd.DataFrame:
    rows = _at_usual_thresholds(_type_1(rates))
    return _around(rows[rows["test"] == ASO])


def _around(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(margin=AROUND - (rows["rate"] - ALPHA).abs(), error=rows["error_of_rate"])


def _misses_more(rates: pd.DataFrame) -> pd.DataFrame:
    cases = _against_others(_at_usual_thresholds(_type_1(rates, error=False)), SETTING)
    return cases.assign(margin=-cases["margin"])


def _bootstrap_has_more_power(rates: pd.DataFrame) -> pd.DataFrame:
    rows = _at_usual_thresholds(_type_1(rates, error=False))
    bootstrap, permutation = (
        rows[rows["test"] == name] for name in ("bootstrap", "approximate_randomisation")
    )
    return _larger(bootstrap, permutation, SETTING)


_CLAIMS = (
    PaperClaim(
        "section 5",
        "ASO performs either en par or better than other tests in all scenarios",
        "on equally good systems, eps_min ≤ .2 has no larger error rate than p ≤ .05 of any other test",
        "comparisons of tests",
        _on_par_or_better,
    ),
    PaperClaim(
        "section 5",
        "achieving lower error rates the more samples are available",
        "on equally good systems, eps_min ≤ .2 has a lower rate at the largest sample size than at the least",
        "distributions",
        _falls_with_scores,
    ),
    PaperClaim(
        "section 5",
        "while other tests score around the expected type I error of 5%",
        f"on equally good systems, p ≤ .05 has a rate within {AROUND:g} of .05",
        "tests and settings",
        _others_around_5_percent,
    ),
    PaperClaim(
        "appendix B",
        "ASO achieves lower error rates than other tests in almost all scenarios when faced with the [same] "
        "threshold",
        "on equally good systems, ASO has a lower rate than each other test at each threshold of both",
        "comparisons of tests",
        _at_equal_thresholds,
    ),
    PaperClaim(
        "appendix B",
        "a threshold of τ = 0.2 seems to roughly correspond to a p-value threshold of 0.05 in terms of "
        "Type I error rate",
        f"on equally good systems, eps_min ≤ .2 has a rate within {AROUND:g} of .05",
        "settings",
        _tau_like_alpha,
    ),
    PaperClaim(
        "appendix B",
        "it always incurs higher error rates",
        "where A is better, eps_min ≤ .2 misses it more often than p ≤ .05 of each other test",
        "comparisons of tests",
        _misses_more,
    ),
    PaperClaim(
        "section 6",
        "The bootstrap and permutation test can be used […], with the former possessing a higher statistical "
        "power",
        "where A is better, the bootstrap misses it less often than the permutation test",
        "settings",
        _bootstrap_has_more_power,
    ),
)
