"""The summary: whether the default test holds its level, which others do, and the tests to recommend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbyk_papers.calibration.design import BAND, DEFAULT_NULL, STUDY
from nbyk_papers.calibration.reading import CELL, METHOD, band, groups, place, shares
from nbyk_papers.calibration.verdicts import BCA, EXPECTED_P, P_VALUE, PERCENTILE, TIES_AT_RANDOM

if TYPE_CHECKING:
    import pandas as pd

TOLERATED = 0.02
"""Share of a test's rates above the band with which it still holds its level; chance alone gives .005."""

MAIN_ALPHA = 0.05
_RATE = [*CELL, "metric", "alternative", "alpha"]


def summarise(rates: pd.DataFrame) -> dict[str, Any]:
    """Return the default test's calibration and exceptions, that of all others, and recommendations."""
    default = default_rates(rates)
    exceptions = default[default["place"] != "inside"]
    counts = {name: int((default["place"] == name).sum()) for name in ("inside", "below", "above")}
    why, at_random = exceptions["why"], default["place_ties_at_random"]
    shown = [*_RATE, "rate", "rate_ties_at_random", "band_low", "band_high", "undefined", "why"]
    return {
        "study": STUDY,
        "line": (
            f"{counts['above']} of {len(default)} Type-I errors of the default test lie above the "
            f"{100 * BAND:.0f} % band around α, and {counts['below']} below it "
            f"({int((why == 'ties').sum())} only because of ties)"
        ),
        "default": {
            "null": DEFAULT_NULL,
            "rates": len(default),
            **counts,
            "outside_by_chance": outside_by_chance(default),
            "outside_simultaneous": outside_simultaneous(default),
            "with_ties_at_random": {
                name: int((at_random == name).sum()) for name in ("inside", "below", "above")
            },
            "explained": {str(name): len(rows) for name, rows in exceptions.groupby("why")},
            "exceptions": exceptions[shown].to_dict(orient="records"),
        },
        "tests": calibration_of_tests(rates),
        "recommended": recommended(rates),
    }


def default_rates(rates: pd.DataFrame) -> pd.DataFrame:
    """Return the Type-I errors of the default test, with reasons for those outside the band.

    Further columns are rate_ties_at_random and place_ties_at_random, for the same test on the same draws but
    with ties decided at random, and why. The reason is "ties" if the rate is too small and deciding ties at
    random brings it into the band; "undefined" if that does not help and the metric is undefined on some
    sets; else "chance".
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


def outside_by_chance(rates: pd.DataFrame) -> float:
    """Return the expected number of rates outside their bands if all tests were at their level."""
    from scipy.stats import binom

    expected = 0.0
    for (n_sets, alpha), rows in rates.groupby(["n_sets", "alpha"]):
        low, high = band(n_sets, alpha)
        expected += len(rows) * float(binom.cdf(low - 1, n_sets, alpha) + binom.sf(high, n_sets, alpha))
    return expected


def outside_simultaneous(rates: pd.DataFrame) -> dict[str, int]:
    """Return the number of rates outside bands that all hold together with chance `BAND` (Bonferroni)."""
    share = 1.0 - (1.0 - BAND) / max(1, len(rates))
    columns = (rates[name] for name in ("rejections", "n_sets", "alpha"))
    places = [place(n_rejected, band(n, alpha, share)) for n_rejected, n, alpha in zip(*columns, strict=True)]
    return {name: places.count(name) for name in ("below", "above")}


def calibration_of_tests(rates: pd.DataFrame) -> list[dict[str, Any]]:
    """Return for each test, side and ε the places of its Type-I errors, and its rates at the main level."""
    under_null = rates[(rates["scenario"] != "power") & (rates["definition"] != TIES_AT_RANDOM)]
    lines = []
    for key, rows in groups(under_null, [*METHOD, "alternative", "scenario", "epsilon_a"]):
        rate = rows.loc[rows["alpha"] == MAIN_ALPHA, "rate"]
        at_main = {"mean_rate": rate.mean(), "least_rate": rate.min(), "largest_rate": rate.max()}
        at_main = {name: float(value) for name, value in at_main.items()} if len(rate) else {}
        lines.append({**key, "rates": len(rows), **shares(rows), **at_main})
    return lines


def recommended(rates: pd.DataFrame) -> dict[str, Any]:
    """Return the null and the interval that the rates recommend, and the results of expected p's nulls.

    A test holds its level if at most `TOLERATED` of its rates lie above the band, under the strong and under
    the weak null. Among p-values that hold their level, the one with the most power is recommended; among
    intervals, the one whose rates are nearest to their levels on average. A null of expected p holds if it
    holds with every sampler that bootstraps items; other samplers ignore the variation of items.
    """
    p_values, expected = _holding(rates, P_VALUE), _holding(rates, EXPECTED_P)
    holding = [row for row in p_values if row["holds"]]
    best = max(holding, key=lambda row: float(row["mean_power"] or 0.0), default={})
    by_items = [row for row in expected if row["sampler"].startswith("bootstrap_items/")]
    failing = {row["null"] for row in by_items if not row["holds"]}
    intervals = _intervals(rates)
    return {
        "null": {"chosen": best.get("null"), "candidates": p_values},
        "expected_p": {
            "nulls_that_hold": sorted({row["null"] for row in by_items} - failing),
            "candidates": expected,
        },
        "interval": {"chosen": intervals[0] if intervals else None, "candidates": intervals},
    }


def _holding(rates: pd.DataFrame, definition: str) -> list[dict[str, Any]]:
    """Return whether each sampler and null of a definition holds its level, and its mean power.

    Power is averaged over the sizes on which all of them were tried: K > 1, if there is any.
    """
    holding = []
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
        holding.append(
            {
                **key,
                **above,
                "holds": max(above.values()) <= TOLERATED,
                "mean_power": float(power["rate"].mean()) if len(power) else None,
            }
        )
    return holding


def _intervals(rates: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the intervals in order of the distance of their rates from their levels."""
    under_null = rates[rates["definition"].isin([PERCENTILE, BCA]) & (rates["scenario"] != "power")]
    lines = [
        {**key, "distance": float((rows["rate"] - rows["alpha"]).abs().mean()), **shares(rows)}
        for key, rows in groups(under_null, ["definition", "sampler"])
    ]
    return sorted(lines, key=lambda row: float(row["distance"]))


def _why(place: str, place_ties_at_random: str, undefined: int) -> str:
    if place == "inside":
        return ""
    if place == "below" and place_ties_at_random == "inside":
        return "ties"
    return "undefined" if place == "below" and undefined else "chance"
