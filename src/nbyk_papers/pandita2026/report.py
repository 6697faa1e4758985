"""The report of Pandita et al. 2026: verdicts on its conclusions, figures, tables and the summary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nbyk.report.answer import Answer, AnswerTable
from nbyk.report.drawing import new_panels
from nbyk_papers.pandita2026.comparison import (
    NEAR,
    beside_printed,
    best_k,
    read_grid,
    shown_epsilon,
    smallest,
)
from nbyk_papers.pandita2026.design import ALPHA, METRICS, POWER, PRIORS, STUDY, dirichlet_name
from nbyk_papers.pandita2026.estimates import (
    K_RESPONSES,
    N_ITEMS,
    estimate_verdicts,
    estimates_figure,
    read_estimates,
)
from nbyk_papers.shown import (
    Page,
    draw_points,
    legend_beside,
    look,
    mark_level,
    panel_grid,
    study_answer,
    titled,
)
from nbyk_papers.verdicts import Case, PaperClaim, Verdict, error_of_rate, verdicts_on
from nbyk_papers.wein2023.choices import nearest_table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


SHOWN_BUDGET = 1000
_FLOOR = 5e-4
"""Smaller p-values are drawn here, on a log scale."""


def figures_of(grid: pd.DataFrame, printed: pd.DataFrame) -> dict[str, Callable[[], Figure]]:
    """Return the drawing function of each figure, by file name, from `read_grid` and `beside_printed`."""
    return {
        "agreement": partial(agreement_figure, printed),
        "p_by_k": partial(by_k_figure, grid, "p_with_ties"),
        "power_by_k": partial(by_k_figure, grid, "power"),
    }


def agreement_figure(printed: pd.DataFrame) -> Figure:
    """Draw the printed p of each cell of Table 2 against ours, and the power of a t-test there."""
    figure, (left, right) = new_panels(9.6, 4.2, 2)
    for number, metric in enumerate(METRICS):
        of = printed[printed["metric"] == metric]
        own: dict[str, Any] = {"linestyle": "none", **look(number)}
        middle = 0.5 * (of["p"] + of["p_with_ties"])
        reach = 0.5 * (of["p_with_ties"] - of["p"]) + 2.0 * of["p_error"]
        draw_points(left, of["printed_p"], middle, reach, **own)
        right.plot(of["n_items"], of["power"], label=metric, **own)
    top = 1.1 * float(max(printed[["printed_p", "p_with_ties"]].max(), default=ALPHA))
    left.plot([0.0, top], [0.0, top], color="black", linewidth=0.8)
    left.set(xlabel="p, printed", ylabel="p, ours (both countings of ties ± 2 standard errors)")
    mark_level(right, POWER)
    right.set(xscale="log", ylim=(-0.03, 1.03), xlabel="items N of the cell")
    right.set_ylabel(f"power of a t-test over items at {ALPHA:g} (dashed, {POWER:g})")
    legend_beside(right)
    figure.suptitle("Table 2: the paper's p, and what a test of one such set would find", fontsize=10)
    return figure


def by_k_figure(grid: pd.DataFrame, column: str) -> Figure:
    """Draw p or power against K at one budget, a panel for each metric and a curve for each prior."""
    budgets = grid["budget"].unique()
    budget = int(budgets[np.abs(budgets - SHOWN_BUDGET).argmin()])
    epsilon = shown_epsilon(grid)
    shown = grid[(grid["budget"] == budget) & (grid["epsilon"] == epsilon)]
    figure, panels = panel_grid(2, 2, (9.6, 6.4), share_x=True, share_y=True)
    for axes, metric in zip(panels.flat, METRICS, strict=True):
        for number, (source, of) in enumerate(shown[shown["metric"] == metric].groupby("source", sort=False)):
            y = of[column] if column == "power" else np.maximum(of[column], _FLOOR)
            shown_as = {"linestyle": "-" if number < 5 else ":", "markersize": 3, **look(number % 5)}
            axes.plot(of["k_responses"], y, linewidth=1.1, label=dirichlet_name(str(source)), **shown_as)
        mark_level(axes, POWER if column == "power" else ALPHA)
        axes.set(xscale="log", yscale="linear" if column == "power" else "log")
        axes.set_title(metric, loc="left", fontsize=9)
    what = f"power of a t-test over items at {ALPHA:g}" if column == "power" else "the paper's p"
    for axes in panels[:, 0]:
        axes.set_ylabel("power" if column == "power" else "p, ties counted")
    for axes in panels[1]:
        axes.set_xlabel("responses K per item")
    panels[0, 1].legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=7.5)
    figure.suptitle(f"{what[0].upper()}{what[1:]} at N·K = {budget:,}, ε = {epsilon:g}", fontsize=10)
    return figure


ENOUGH = 1000
"""The budget that the paper says is often enough."""

FEW = 3
"""Classes up to which the paper advises K = 1 or 2 for the accuracy."""


def verdicts_of(grid: pd.DataFrame) -> list[Verdict]:
    """Return a verdict on each conclusion that the rows of `read_grid` have numbers for, at Table 2's ε.

    A row's gain is what decides: published, the paper's p as its code counts ties, negated; recommended, a
    test's power. It suffices if it is at least `needed`.
    """
    shown = grid[grid["epsilon"] == shown_epsilon(grid)]
    shown = shown.assign(classes=shown["source"].map({name: len(alpha) for name, alpha in PRIORS.items()}))
    n, p, power = shown["n_sets"], shown["p_with_ties"], shown["power"]
    numbers = {
        "published": shown.assign(
            gain=-p, gain_error=shown["p_with_ties_error"], needed=-ALPHA, suffices=p < ALPHA
        ),
        "recommended": shown.assign(
            gain=power, gain_error=error_of_rate(power * n, n), needed=POWER, suffices=power >= POWER
        ),
    }
    return verdicts_on(_CLAIMS, numbers)


def _best(rows: pd.DataFrame) -> pd.Series:
    return rows.iloc[rows["gain"].argmax()]


def _enough(shown: pd.DataFrame) -> Iterator[Case]:
    rows = shown[shown["budget"] <= ENOUGH]
    for _, of in rows.groupby(["source", "metric"], sort=False):
        best = _best(of)
        yield Case(best["gain"] - best["needed"], best["gain_error"])


def _larger_k(
    shown: pd.DataFrame,
    *,
    k: int,
    metrics: Sequence[str] = ("accuracy",),
    classes: Sequence[int] = range(13),
    sign: float = 1.0,
) -> Iterator[Case]:
    """Yield how far K above k beats K up to it, in each prior and metric, at the smallest budget it needs."""
    rows = shown[shown["metric"].isin(metrics) & shown["classes"].isin(classes)]
    for _, of in rows.groupby(["source", "metric"], sort=False):
        enough = of.loc[of["suffices"], "budget"]
        at = of["budget"] == (enough.min() if len(enough) else of["budget"].max())
        small, large = of[at & (of["k_responses"] <= k)], of[at & (of["k_responses"] > k)]
        if len(small) and len(large):
            larger, smaller = _best(large), _best(small)
            error = float(np.hypot(larger["gain_error"], smaller["gain_error"]))
            yield Case(sign * (larger["gain"] - smaller["gain"]), error)


def _metric_decides(shown: pd.DataFrame) -> Iterator[Case]:
    """Yield at each budget whether the best log K varies more among metrics than among priors."""
    for _, best in best_k(shown, "gain").groupby("budget", sort=False):
        table = np.log(best.pivot(index="source", columns="metric", values="k_responses"))
        if len(table) > 1 and table.shape[1] == len(METRICS):
            among_metrics, among_priors = (float(table.var(axis=axis, ddof=1).mean()) for axis in (1, 0))
            yield Case(1.0 if among_metrics > among_priors else -1.0, 0.0)


_OURS = partial(PaperClaim, "conclusions", noun="cases", is_quoted=False)
"""Conclusions in our words."""

_CLAIMS = (
    _OURS(
        words="N·K of no more than 1,000 often suffices",
        criterion=f"at some K and a budget up to {ENOUGH}, p < {ALPHA:g} (published), or a t-test over items "
        f"has a power of {POWER:g} (recommended)",
        cases=_enough,
    ),
    _OURS(
        words="TV, Wins and KL are best with K > 10",
        criterion="at the smallest budget that suffices, the best K above 10 beats the best up to 10",
        cases=partial(_larger_k, k=10, metrics=("tv", "wins", "kl")),
    ),
    _OURS(
        words="the accuracy is best with K of 1 or 2 if there are few classes",
        criterion=f"with up to {FEW} classes, at the smallest budget that suffices, the best K of 1 or 2 "
        "beats the best of the others",
        cases=partial(_larger_k, k=2, classes=range(FEW + 1), sign=-1.0),
    ),
    _OURS(
        words="the accuracy needs a larger K with twelve classes",
        criterion="with twelve classes, at the smallest budget that suffices, the best K above 2 beats 1 "
        "and 2",
        cases=partial(_larger_k, k=2, classes=(12,)),
    ),
    _OURS(
        words="the metric decides, more than the data set",
        criterion="the best log K varies more among the metrics of a prior than among the priors of a "
        "metric, at each budget",
        cases=_metric_decides,
    ),
)


PAGE = Page(
    "Forest vs Tree, reproduced",
    Path(__file__).with_name("pandita2026.html"),
    first="agreement",
    titles={
        "agreement": "Table 2: printed p against ours, and the power of a test in the same cells",
        "p_by_k": "The paper's p against K, by metric and prior",
        "power_by_k": "The power of a t-test over items against K, by metric and prior",
        "estimates": "How far p estimated from one set is from the true p, by sampler, metric and responses",
    },
    marked=("z p", "z Δ"),
)
ESTIMATES_CAPTION = (
    f"Which sampler's p from one set of {N_ITEMS} items and {K_RESPONSES} responses is nearest to the true p"
)
_TABLE_2 = {
    "source": "source",
    "metric": "metric",
    "budget": "N·K",
    "budget_was_read": "N·K was read",
    "k_responses": "K",
    "n_items": "N",
    "printed_p": "p, printed",
    "p": "p, ties left out",
    "p_with_ties": "p, ties counted",
    "p_error": "standard error",
    "p_is_near": f"within {NEAR:g}",
    "p_between": "between the two",
    "z_p": "z p",
    "printed_delta": "Δ, printed",
    "delta": "Δ",
    "z": "z Δ",
    "power": "power",
    "level": "level",
}


def report(*, grid: Sequence[Path], table: Sequence[Path], estimates: Sequence[Path] = ()) -> Answer:
    """Return tables, figures and the summary from the files of the steps."""
    cells, printed = read_grid(grid), beside_printed(read_grid(table))
    estimated = read_estimates(estimates) if estimates else None
    verdicts = [*verdicts_of(cells), *(estimate_verdicts(estimated) if estimated else ())]
    summary = {**summarise(cells, printed), "verdicts": verdicts}
    tables = [
        ("table_2", "Table 2: printed p and Δ beside ours", titled(printed, _TABLE_2)),
        (
            "smallest",
            f"The smallest N·K at which some K has the paper's p < {ALPHA:g}, and a power of {POWER:g}",
            smallest(cells).round(4),
        ),
    ]
    figures = figures_of(cells, printed)
    if estimated:
        tables.append(("estimates", ESTIMATES_CAPTION, nearest_table(estimated).round(4)))
        figures["estimates"] = partial(estimates_figure, estimated)
    every = AnswerTable(
        "grid", f"Every cell; figures show ε = {shown_epsilon(cells):g}", cells, on_page=False
    )
    return study_answer(PAGE, summary, tables, figures, files_alone=[every])


def summarise(grid: pd.DataFrame, printed: pd.DataFrame) -> dict[str, Any]:
    """Return how many numbers of Table 2 agree with ours, and how its cells fare as tests."""
    n, p, delta = len(printed), int(printed["p_is_near"].sum()), int(printed["delta_agrees"].sum())
    either, agree = (
        int(of.sum()) for of in (printed["p_is_near"] | printed["p_between"], printed["p_agrees"])
    )
    powers = printed["power"]
    reached = int((powers >= POWER).sum())
    summary = {
        "study": STUDY,
        "near": NEAR,
        "table_2": {"cells": n, "delta": delta, "p": agree, "near": p, "near_or_between": either},
        "n_sets": int(grid["n_sets"].min()),
        "table_sets": int(printed["n_sets"].min()) if n else 0,
        "power": {
            "reached": reached,
            "none": int((powers == 0.0).sum()),
            "median": float(powers.median()) if n else None,
            "level": float(printed["level"].max()) if n else None,
        },
    }
    line = (
        f"{delta} of {n} printed Δ and {agree} of {n} printed p of Table 2 agree; a t-test over the items of "
        f"one such set has a power of {POWER:g} in {reached} of these cells"
    )
    return {**summary, "line": line}
