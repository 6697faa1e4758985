"""The statements of Ulmer et al. 2022 about error rates, and a verdict on each from the rates of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nbyk_papers.ulmer2022.comparison import SETTING
from nbyk_papers.ulmer2022.design import (
    ALPHA,
    ASO,
    ASO_THRESHOLD,
    DISTRIBUTIONS,
    SEMANTICS,
    TESTS,
    TYPE_1,
)
from nbyk_papers.verdicts import PaperClaim, Verdict, error_of_rate, verdicts_on

if TYPE_CHECKING:
    import pandas as pd

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
