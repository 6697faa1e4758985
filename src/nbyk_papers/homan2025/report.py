"""The report of Homan et al. 2025: its tables, and how many of the published numbers agree with a run's."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from nbyk.priors import read_prior
from nbyk.report.answer import Answer
from nbyk_papers import placed
from nbyk_papers.gathered import read_partitioned
from nbyk_papers.homan2025.claims import Numbers, at_own_sizes, verdicts_of
from nbyk_papers.homan2025.comparison import (
    AGREEMENT,
    NEAR_K,
    NEAR_SIZE,
    OTHER_K,
    SAME_SIZE,
    compare,
    implied_draws,
    in_papers_order,
    of_columns,
    overstatement,
    own_fit_p_values,
    pick_beyond_paper,
    picks_of_rule,
    read_grid,
)
from nbyk_papers.homan2025.design import (
    ALPHA,
    CLAIM_ITEMS,
    COLUMNS,
    LABELS,
    METRIC_OF_COLUMN,
    PUBLISHED_DRAWS,
    SOURCE_FIGURES,
    STATED_DRAWS,
    STUDY,
    TESTS,
    label,
    published_source,
    table_name,
)
from nbyk_papers.homan2025.figures import figures_of
from nbyk_papers.shown import Fits, Page, study_answer, titled

POWER = ("n_items", "k_responses", "epsilon_b", "metric", "test", "n_sets", "power", "low", "high")

_CELL = {"source": "dataset", "column": "metric"}
_PICKED = {
    **{**_CELL, "picked_n_times_k": "NK", "picked_k": "K"},
    **{"picked_p": "p", "picked_error": "± MC", "picked_effect": "Δ"},
}
_PUBLISHED = {
    **{**_CELL, "published_n_times_k": "NK", "published_k": "K"},
    **{"published_p": "published p", "p": "", "standard_error": "± MC", "z_p": "z p"},
    **{"published_effect": "published Δ", "effect": "Δ", "z_effect": "z Δ"},
    **{"picked_n_times_k": "our NK", "picked_k": "our K", "picked_p": "p there", "picked_effect": "Δ there"},
    "pick": "",
}
_RATIOS = {
    **{**_CELL, "epsilon_b": "ε", "published_n_times_k": "NK", "published_k": "K"},
    **{"p": "published p", "plain_p": "recommended p", "ratio": "", "ratio_error": "± MC"},
}
_OWN_FIT = {
    **{"column": "metric", "epsilon_b": "ε", "n_times_k": "NK", "k_responses": "K"},
    **{"p_published": "p, published prior", "standard_error_published": "± MC"},
    **{"p_own": "p, own fit", "standard_error_own": "± MC of own"},
    **{"effect_published": "Δ, published prior", "effect_own": "Δ, own fit"},
}
_OWN_SIZES = {
    **{"source": "dataset", "n_items": "N", "k_responses": "K", "epsilon_b": "ε", "column": "metric"},
    **{"semantics": "", "p": "", "standard_error": "± MC", "is_below": "p < .05"},
}
_POWER = {
    **{"source": "dataset", "epsilon_b": "ε", "n_items": "N", "k_responses": "K"},
    **{"test": "", "power": "", "low": "", "high": ""},
}
"""The columns of tables, by those of our numbers."""


def all_tables(
    numbers: Numbers, fits: Mapping[str, tuple[Path, Path]]
) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield every table as (file name, caption, table); `fits` has ratings and prior of each own fit."""
    grid, power = numbers.grid, numbers.power
    if numbers.claims is not None:
        yield "own_sizes", "Expected p at each data set's own N and K", own_sizes_table(numbers.claims)
        yield (
            "raters",
            f"Expected p of MAE with {CLAIM_ITEMS} items, by responses per item",
            raters_table(numbers),
        )
    yield from tables_of(grid)
    for source, (_, prior) in fits.items():
        fitted_to, table = published_source(source), own_fit_p_values(grid, source)
        name = f"{read_prior(prior).caution} {label(fitted_to)}".lstrip()
        caption = f"{name}: expected p under the published prior and under our own fit (recommended)"
        yield f"fit_{fitted_to}_p_values", caption, _for_people(table, _OWN_FIT)
    if power is not None:
        yield (
            "power",
            "Figure 6: power of each test, with 95 % Clopper-Pearson intervals",
            _for_people(power.replace({"test": TESTS}), _POWER),
        )


def own_sizes_table(claims: pd.DataFrame) -> pd.DataFrame:
    """Return the p-values at each data set's own size: a row per source, ε, metric and semantics."""
    parts = [in_papers_order(at_own_sizes(of_columns(claims, name))) for name in METRIC_OF_COLUMN]
    rows = pd.concat(parts, ignore_index=True)
    is_below = (rows["p"] < ALPHA).map({True: "yes", False: "no"})
    return _for_people(rows.assign(is_below=is_below), _OWN_SIZES)


def raters_table(numbers: Numbers) -> pd.DataFrame:
    """Return the p-values of MAE with 1000 items: a row per source, ε and semantics, a column per K."""
    parts = [numbers.under(semantics).sizes for semantics in METRIC_OF_COLUMN]
    rows = in_papers_order(pd.concat(parts, ignore_index=True))
    rows = rows[(rows["n_items"] == CLAIM_ITEMS) & (rows["column"] == "mae")]
    key = ["source", "epsilon_b", "semantics"]
    wide = rows.set_index([*key, "k_responses"])["p"].unstack("k_responses")
    wide = (
        wide.reindex(pd.MultiIndex.from_frame(rows[key].drop_duplicates()))
        .rename(columns="p, K = {}".format)
        .reset_index()
    )
    wide = wide.assign(source=wide["source"].map(label), epsilon_b=wide["epsilon_b"].map("{:g}".format))
    return wide.rename(columns={"source": "dataset", "epsilon_b": "ε"}).rename_axis(columns=None)


def tables_of(grid: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """Return the tables of p-values as (file name, caption, table)."""
    tables = []
    for semantics in METRIC_OF_COLUMN:
        cells, picks = compare(grid, semantics), pick_beyond_paper(grid, semantics)
        for epsilon in sorted(set(grid["epsilon_b"])):
            title = table_name(epsilon).replace("table_0", "Table ").replace("_", " ")
            rule = f"smallest N·K with p < .05, ε = {epsilon:g} ({semantics})"
            at = cells[cells["epsilon_b"] == epsilon]
            if semantics == "published" and len(at):
                caption = f"{title}: {rule}, published and ours"
                tables.append(
                    (table_name(epsilon), caption, _for_people(at.assign(pick=picks_of_rule(at)), _PUBLISHED))
                )
            else:
                chosen = picks[picks["epsilon_b"] == epsilon]
                caption = f"{title}: {rule}"
                tables.append((placed(semantics, table_name(epsilon)), caption, _for_people(chosen, _PICKED)))
    caption = "The published p-value as a multiple of the recommended one, at the published N·K and K"
    return [*tables, ("overstatement", caption, _for_people(overstatement(grid), _RATIOS))]


def read_power(files: Sequence[str | os.PathLike[str]]) -> pd.DataFrame:
    """Return files of power, as the step power writes them, as one table in order of size."""
    table = read_partitioned(files, POWER, ("source",))
    return table.sort_values(["source", "epsilon_b", "n_items", "k_responses"], kind="stable")


def _for_people(rows: pd.DataFrame, titles: Mapping[str, str]) -> pd.DataFrame:
    """Return columns under their titles, with names for people, and whole numbers or none for a dash."""
    names: dict[str, Callable[..., Any]] = {
        "source": label,
        "column": COLUMNS.get,
        "epsilon_b": "{:g}".format,
    }
    shown = {name: rows[name].map(names[name]) for name in titles if name in names}
    for name in titles:
        if name.startswith(("published_n_times_k", "published_k", "picked_n_times_k", "picked_k")):
            shown[name] = rows[name].astype("Int64").astype(object).where(rows[name].notna(), None)
    return titled(rows.assign(**shown), titles)


def summarise(grid: pd.DataFrame) -> dict[str, Any]:
    """Return the agreement of published cells with ours in p and in Δ.

    Chance alone gives a root mean square of z of 1.
    """
    cells = compare(grid, "published")
    compared = cells[cells["p"].notna() & cells["published_p"].notna()]
    sources = [name for name in LABELS if name in set(compared["source"])]
    published = {
        **_agreement(compared),
        "by_source": {name: _agreement(compared[compared["source"] == name]) for name in sources},
        "by_table": {str(name): _agreement(rows) for name, rows in compared.groupby("table", sort=False)},
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
        "rms_z_p": float((rows["z_p"] ** 2).mean() ** 0.5) if n else None,
        "rms_z_delta": float((rows["z_effect"] ** 2).mean() ** 0.5) if n else None,
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
    ends = {"min": float(ratio.min()), "median": float(ratio.median()), "max": float(ratio.max())}
    return {"cells": len(ratio), **ends}


PAGE = Page(
    "How many ratings per item are necessary, reproduced",
    Path(__file__).with_name("homan2025.html"),
    first="agreement",
    titles={
        "agreement": "Tables 1 to 3: published numbers against ours",
        "overstatement": "How many times too large the published p-values are",
        "figure_01": "Figure 1: shapes that a censored normal can take on five levels",
        "figure_02a": "Figure 2 (a): item means and standard deviations under the published prior, Toxicity",
        "figure_02b": "Figure 2 (b): the same, MultiDomain",
        **{
            f"figure_02_{source}": f"Like Figure 2: {name}, the published prior beside the ratings"
            for source, name in LABELS.items()
        },
        "figure_03a": "Figure 3 (a): p against K by budget, multistage and flat bootstrap, Toxicity",
        "figure_03b": "Figure 3 (b): the same, MultiDomain",
        "figure_04": "Figure 4: p against K by budget on a log scale, Toxicity",
        "figure_05a": "Figure 5 (a): p against K at N·K = 2500 for five metrics, Toxicity",
        "figure_05b": "Figure 5 (b): the same, MultiDomain",
        "figure_06": "Figure 6: power of the multistage bootstrap and of the usual tests",
        **{
            f"figure_{number:02d}": f"Figure {number}: p against K by budget, {LABELS[source]}"
            for source, number in SOURCE_FIGURES.items()
        },
        **{
            f"fit_{source}": f"{name}: the ratings, the published prior and our own fit"
            for source, name in LABELS.items()
        },
    },
    marked=("z p", "z Δ"),
)


def report(
    *,
    grid: Sequence[Path],
    fits: Fits,
    seed: int,
    stages: Sequence[str] = (),
    claims: Sequence[Path] = (),
    power: Sequence[Path] = (),
    stage_ratings: Sequence[Path] = (),
) -> Answer:
    """Return tables, figures and the summary; `stages` are the sources of Figure 2 that have ratings."""
    numbers = Numbers(
        read_grid(grid), read_grid(claims) if claims else None, read_power(power) if power else None
    )
    rated = dict(zip(stages, stage_ratings, strict=True))
    return study_answer(
        PAGE,
        {**summarise(numbers.grid), "verdicts": verdicts_of(numbers)},
        all_tables(numbers, fits.files()),
        figures_of(numbers.grid, numbers.power, fits.files(), rated, seed=seed),
        priors=fits.priors,
    )
