"""Whether the default test holds its level, which others do, and what that recommends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbyk.inference.calibration.verdicts import BCA, EXPECTED_P, P_VALUE, PERCENTILE, TIES_AT_RANDOM
from nbyk.report.calibration.reading import CELL, METHOD, groups, shares
from nbyk.studies.calibration import BAND, DEFAULT_NULL, STUDY

if TYPE_CHECKING:
    import pandas as pd

TOLERATED = 0.02
"""Share of a test's rates above the band with which it still holds its level; chance alone gives .005."""

MAIN_ALPHA = 0.05
_RATE = [*CELL, "metric", "alternative", "alpha"]


def summarise(rates: pd.DataFrame) -> dict[str, Any]:
    """Return the calibration of the default test with every exception, that of all others, and what it
    recommends.
    """
    default = default_rates(rates)
    exceptions = default[default["place"] != "inside"]
    inside, at_random = int((default["place"] == "inside").sum()), default["place_ties_at_random"]
    shown = [*_RATE, "rate", "rate_ties_at_random", "band_low", "band_high", "undefined", "why"]
    return {
        "study": STUDY,
        "line": f"{inside} of {len(default)} rates of the default inside the {100 * BAND:.0f} % band",
        "default": {
            "null": DEFAULT_NULL,
            "rates": len(default),
            "inside": inside,
            "below": int((default["place"] == "below").sum()),
            "above": int((default["place"] == "above").sum()),
            "with_ties_at_random": {
                name: int((at_random == name).sum()) for name in ("inside", "below", "above")
            },
            "explained": {str(why): len(rows) for why, rows in exceptions.groupby("why")},
            "exceptions": exceptions[shown].to_dict(orient="records"),
        },
        "tests": calibration_of_tests(rates),
        "recommended": recommended(rates),
    }


def default_rates(rates: pd.DataFrame) -> pd.DataFrame:
    """Return the Type-I errors of the default test, and why those outside the band are.

    Added are rate_ties_at_random and place_ties_at_random, of the same test on the same draws but with ties
    decided at random, and why: "ties" where the rate is too small and deciding ties at random brings it into
    the band; "undefined" where that does not and the metric is undefined on some sets; else "chance".
    """
    under_null = rates[(rates["scenario"] != "power") & (rates["null"] == DEFAULT_NULL)]
    at_random = under_null[under_null["definition"] == TIES_AT_RANDOM]
    both = under_null[under_null["definition"] == P_VALUE].merge(
        at_random[[*_RATE, "rate", "place"]],
        on=_RATE,
        suffixes=("", "_ties_at_random"),
        validate="one_to_one",
    )
    columns = (both[name] for name in ("place", "place_ties_at_random", "undefined"))
    return both.assign(why=[_why(*row) for row in zip(*columns, strict=True)])


def calibration_of_tests(rates: pd.DataFrame) -> list[dict[str, Any]]:
    """Return for each test, side and ε where its Type-I errors lie, and its rates at the main level."""
    under_null = rates[(rates["scenario"] != "power") & (rates["definition"] != TIES_AT_RANDOM)]
    found = []
    for key, rows in groups(under_null, [*METHOD, "alternative", "scenario", "epsilon_a"]):
        rate = rows.loc[rows["alpha"] == MAIN_ALPHA, "rate"]
        at_main = {"mean_rate": rate.mean(), "least_rate": rate.min(), "largest_rate": rate.max()}
        at_main = {name: float(value) for name, value in at_main.items()} if len(rate) else {}
        found.append({**key, "rates": len(rows), **shares(rows), **at_main})
    return found


def recommended(rates: pd.DataFrame) -> dict[str, Any]:
    """Return the null of p-values and the interval that the rates recommend, and how expected p's nulls do.

    A test holds its level where at most `TOLERATED` of its rates lie above the band, under the strong and
    under the weak null. Of p-values that do, the one with the most power is recommended; of intervals, the
    one whose rates are nearest to their levels on average. Of expected p only those nulls hold with which no
    sampler fails.
    """
    p_values, expected = _holding(rates, P_VALUE), _holding(rates, EXPECTED_P)
    holding = [row for row in p_values if row["holds"]]
    best = max(holding, key=lambda row: float(row["mean_power"] or 0.0), default={})
    failing = {row["null"] for row in expected if not row["holds"]}
    intervals = _intervals(rates)
    return {
        "null": {"chosen": best.get("null"), "candidates": p_values},
        "expected_p": {
            "nulls_that_hold": sorted({row["null"] for row in expected} - failing),
            "candidates": expected,
        },
        "interval": {"chosen": intervals[0] if intervals else None, "candidates": intervals},
    }


def _holding(rates: pd.DataFrame, definition: str) -> list[dict[str, Any]]:
    """Return for each sampler and null of a definition whether it holds its level, and its mean power.

    Power is averaged over what all of them are tried on: K > 1, where there is any.
    """
    found = []
    of_definition = rates[rates["definition"] == definition]
    many = of_definition[of_definition["k_responses"] > 1]
    for key, rows in groups(of_definition, ["sampler", "null"]):
        above = {
            f"above_{what}": float((of["place"] == "above").mean())
            for what, of in rows.groupby("scenario")
            if what != "power"
        }
        power = many if len(many) else of_definition
        power = power[(power["scenario"] == "power") & (power["alpha"] == MAIN_ALPHA)]
        power = power[(power["sampler"] == key["sampler"]) & (power["null"] == key["null"])]
        found.append(
            {
                **key,
                **above,
                "holds": max(above.values()) <= TOLERATED,
                "mean_power": float(power["rate"].mean()) if len(power) else None,
            }
        )
    return found


def _intervals(rates: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the intervals by how near their rates are to their levels."""
    under_null = rates[rates["definition"].isin([PERCENTILE, BCA]) & (rates["scenario"] != "power")]
    found = [
        {**key, "distance": float((rows["rate"] - rows["alpha"]).abs().mean()), **shares(rows)}
        for key, rows in groups(under_null, ["definition", "sampler"])
    ]
    return sorted(found, key=lambda row: float(row["distance"]))


def _why(place: str, place_ties_at_random: str, undefined: int) -> str:
    if place == "inside":
        return ""
    if place == "below" and place_ties_at_random == "inside":
        return "ties"
    return "undefined" if place == "below" and undefined else "chance"
