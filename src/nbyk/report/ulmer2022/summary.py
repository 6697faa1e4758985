"""How many of the published rates agree with a run's, and why the others do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbyk.report.ulmer2022.comparison import CONFIDENCE, compare
from nbyk.studies.ulmer2022 import SEMANTICS, STUDY

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = [
    *("table", "distribution", "error", "sample_size", "lead", "threshold", "test"),
    *("published_rate", "rate", "predicted_low", "predicted_high", "z"),
]


def summarise(rates: pd.DataFrame) -> dict[str, Any]:
    """Return how many published rates lie in the interval around ours, by table and test, and which do not.

    The rates of one table row and column share simulations over thresholds, and those of one row over tests,
    so that they are no independent witnesses; a root mean square of z of 1 is what chance alone gives.
    """
    found = {semantics: _agreement_of(compare(rates, semantics)) for semantics in SEMANTICS}
    inside, n = found["published"]["inside"], found["published"]["rates"]
    percent = f"{100 * CONFIDENCE:g} %"
    return {
        "study": STUDY,
        "confidence": CONFIDENCE,
        **found,
        "outside": outside(rates),
        "line": f"{inside} of {n} published rates inside the {percent} interval around ours",
    }


def outside(rates: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the published rates outside the interval around ours, and why each is.

    It is "semantics" if the rate lies inside under the recommended semantics, else "chance".
    """
    cells, others = compare(rates, "published"), compare(rates, "recommended")
    beyond = ~cells["agrees"]
    why = others["agrees"].map({True: "semantics", False: "chance"})
    return [
        {**row, "why": reason}
        for row, reason in zip(cells.loc[beyond, _SHOWN].to_dict("records"), why[beyond], strict=True)
    ]


def _agreement_of(cells: pd.DataFrame) -> dict[str, Any]:
    return {
        **_agreement(cells),
        "by_table": {str(name): _agreement(rows) for name, rows in cells.groupby("table", sort=False)},
        "by_test": {str(name): _agreement(rows) for name, rows in cells.groupby("test", sort=False)},
    }


def _agreement(cells: pd.DataFrame) -> dict[str, Any]:
    n, inside, z = len(cells), int(cells["agrees"].sum()), cells["z"].dropna()
    return {
        "rates": n,
        "inside": inside,
        "share": inside / n if n else None,
        "rms_z": float((z**2).mean() ** 0.5) if len(z) else None,
    }
