"""The summary: how many of the published numbers agree with a run's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbyk_papers.homan2025.comparison import (
    AGREEMENT,
    NEAR_K,
    NEAR_SIZE,
    OTHER_K,
    SAME_SIZE,
    compare,
    implied_draws,
    overstatement,
    picks_of_rule,
)
from nbyk_papers.homan2025.design import LABELS, PUBLISHED_DRAWS, STATED_DRAWS, STUDY

if TYPE_CHECKING:
    import pandas as pd


def summarise(grid: pd.DataFrame) -> dict[str, Any]:
    """Return the agreement of published cells with ours in p and in Δ: counts, exceptions, and errors of p.

    Chance alone gives a root mean square of z of 1. The paper's three metrics share draws, as ours do, so χ²
    is of correlated numbers.
    """
    cells = compare(grid, "published")
    compared = cells[cells["p"].notna() & cells["published_p"].notna()]
    sources = [name for name in LABELS if name in set(compared["source"])]
    published = {
        **_agreement(compared),
        "by_source": {name: _agreement(compared[compared["source"] == name]) for name in sources},
        "by_table": {str(name): _agreement(rows) for name, rows in compared.groupby("table", sort=False)},
        "beyond": _beyond(compared),
    }
    both, n = published["both"], published["cells"]
    return {
        "study": STUDY,
        "within_standard_errors": AGREEMENT,
        "published": published,
        "published_draws": _draws(grid),
        "selection": _selection(cells),
        "overstatement": _overstatement(overstatement(grid)),
        "line": f"{both} of {n} published cells agree in p and in Δ",
    }


def _agreement(rows: pd.DataFrame) -> dict[str, Any]:
    close_p, close_effect = rows["z_p"].abs() <= AGREEMENT, rows["z_effect"].abs() <= AGREEMENT
    n, both = len(rows), int((close_p & close_effect).sum())
    return {
        "cells": n,
        "agree_p": int(close_p.sum()),
        "agree_delta": int(close_effect.sum()),
        "both": both,
        "share": both / n if n else None,
        **{
            f"{measure}_{name}": value
            for name, z in (("p", rows["z_p"]), ("delta", rows["z_effect"]))
            for measure, value in (
                ("rms_z", float((z**2).mean() ** 0.5) if n else None),
                ("chi2", float((z**2).sum())),
            )
        },
    }


def _draws(grid: pd.DataFrame) -> dict[str, Any]:
    """Return the draws b behind the published numbers: stated, used here, and implied by their scatter."""
    cells = compare(grid, "published", published_draws=STATED_DRAWS)
    compared = cells[cells["p"].notna() & cells["published_p"].notna()]
    return {
        "stated": STATED_DRAWS,
        "used": PUBLISHED_DRAWS,
        "implied_by_p": implied_draws(grid, "p"),
        "implied_by_delta": implied_draws(grid, "effect"),
        "if_as_stated": _agreement(compared),
    }


def _beyond(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the cells that do not agree in p or in Δ."""
    shown = {
        "table": "table",
        "source": "source",
        "column": "metric",
        "published_n_times_k": "n_times_k",
        "published_k": "k",
        "p": "p",
        "published_p": "published_p",
        "z_p": "z_p",
        "effect": "delta",
        "published_effect": "published_delta",
        "z_effect": "z_delta",
    }
    beyond = rows[(rows["z_p"].abs() > AGREEMENT) | (rows["z_effect"].abs() > AGREEMENT)]
    beyond = beyond[list(shown)].rename(columns=shown)
    return [dict(zip(beyond.columns, row, strict=True)) for row in beyond.itertuples(index=False)]


def _selection(cells: pd.DataFrame) -> dict[str, int]:
    """Return the numbers of equal picks of the paper's rule from our numbers, and of near ties."""
    picks = picks_of_rule(cells)
    same_n_times_k = [SAME_SIZE, OTHER_K, NEAR_K]
    return {
        "cells": len(cells),
        "same_n_times_k": int(picks.isin(same_n_times_k).sum()),
        "same_size": int((picks == SAME_SIZE).sum()),
        "near_ties_n_times_k": int((picks == NEAR_SIZE).sum()),
        "near_ties_k": int((picks == NEAR_K).sum()),
    }


def _overstatement(ratios: pd.DataFrame) -> dict[str, Any]:
    ratio = ratios["ratio"].dropna()
    if ratio.empty:
        return {"cells": 0}
    quantiles = {"min": 0.0, "lower_quartile": 0.25, "median": 0.5, "upper_quartile": 0.75, "max": 1.0}
    return {"cells": len(ratio)} | {name: float(ratio.quantile(q)) for name, q in quantiles.items()}
