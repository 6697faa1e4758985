"""The figures of Homan et al. 2025, of priors, and of the published numbers against ours."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nbyk.data.ratings import stored_ratings
from nbyk.priors import Response, published_prior, read_prior
from nbyk.report.drawing import COLOURS, new_figure, new_panels
from nbyk_papers.homan2025.comparison import compare, of_columns, overstatement
from nbyk_papers.homan2025.design import (
    ALPHA,
    COLUMNS,
    FIGURE_5_BUDGET,
    FIGURE_5_METRICS,
    LABELS,
    METRIC_OF_COLUMN,
    TESTS,
    grid_figures,
    label,
    published_source,
    stage_figures,
)
from nbyk_papers.shown import (
    draw_points,
    legend_beside,
    look,
    mark_level,
    moments_figure,
    plain_ticks,
    shades,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


SHOWN_BUDGETS = (500, 1000, 2500, 5000, 10000, 25000, 50000, 100000)
"""Largest number of budgets N·K in a figure: more curves would hide each other."""

_FLOOR = 1e-5
_POWER_PANELS = ((5, None), (10, None), (None, 1000))
_METRIC_NAMES = {
    **{metric: COLUMNS[column] for of in METRIC_OF_COLUMN.values() for column, metric in of.items()},
    "mse": "MSE",
    "spearman": "Spearman's ρ",
}


def figures_of(
    grid: pd.DataFrame,
    power: pd.DataFrame | None,
    fits: Mapping[str, tuple[Path, Path]],
    rated: Mapping[str, Path],
    *,
    seed: int,
) -> dict[str, Callable[[], Figure]]:
    """Return the drawing function of each figure that the numbers allow, by file name.

    `fits` has ratings and prior of each own fit; `rated` has ratings of the paper's sources.
    """
    cells = set(grid[["source", "epsilon_b"]].itertuples(index=False, name=None))
    sizes = set(grid[["n_items", "k_responses"]].itertuples(index=False, name=None))
    metrics = set(grid["metric"])
    drawn: dict[str, Callable[[], Figure]] = {"figure_01": shapes_figure}
    for source, name in stage_figures(rated).items():
        drawn[name] = partial(stages_figure, source, rated.get(source), seed)
    for name, (kind, place) in grid_figures(cells, sizes, metrics).items():
        drawn[name] = partial(_OF_GRID[kind], grid, *place)
    if power is not None:
        drawn["figure_06"] = partial(power_figure, power)
    drawn["overstatement"] = partial(overstatement_figure, grid)
    drawn["agreement"] = partial(agreement_figure, grid)
    for source, files in fits.items():
        drawn[f"fit_{published_source(source)}"] = partial(fit_figure, source, *files, seed=seed)
    return drawn


def bootstrap_figure(grid: pd.DataFrame, source: str, epsilon: float, semantics: str) -> Figure:
    """Draw a panel of Figure 3: p of MAE against K by budget, multistage and flat bootstrap side by side."""
    figure, panels = new_panels(9.0, 3.8, 2, share_y=True)
    rows = _of(grid, source, epsilon, semantics)
    for axes, bootstrap in zip(panels, ("multistage", "flat"), strict=True):
        _draw_budgets(axes, rows[(rows["bootstrap"] == bootstrap) & (rows["metric"] == "mae")])
        axes.set_title(f"{bootstrap} bootstrap", loc="left")
        axes.set_ylim(bottom=0.0)
    _finish(figure, panels, f"{label(source)}, ε = {epsilon:g}, MAE, {semantics} semantics")
    return figure


def budget_figure(grid: pd.DataFrame, source: str, epsilon: float, semantics: str) -> Figure:
    """Draw Figure 4: p of MAE against K by budget on a log scale."""
    figure, axes = new_figure(6.4, 4.4)
    rows = _of(grid, source, epsilon, semantics)
    _draw_budgets(axes, rows[(rows["bootstrap"] == "multistage") & (rows["metric"] == "mae")])
    _log_scale([axes])
    _finish(figure, [axes], f"{label(source)}, ε = {epsilon:g}, MAE, {semantics} semantics")
    return figure


def metric_figure(grid: pd.DataFrame, source: str, epsilon: float, semantics: str) -> Figure:
    """Draw a panel of Figure 5: p against K at N·K = 2500 for each metric."""
    figure, axes = new_figure(6.4, 4.2)
    rows = _of(grid, source, epsilon, semantics)
    rows = rows[(rows["bootstrap"] == "multistage") & (rows["n_times_k"] == FIGURE_5_BUDGET)]
    shown = [*METRIC_OF_COLUMN[semantics].values(), *FIGURE_5_METRICS]
    for index, metric in enumerate(name for name in shown if name in set(rows["metric"])):
        _draw_curve(axes, rows[rows["metric"] == metric], label=_METRIC_NAMES[metric], **look(index))
    axes.set_ylim(0.0, 1.03)
    title = f"{label(source)}, ε = {epsilon:g}, N·K = {FIGURE_5_BUDGET}, {semantics} semantics"
    _finish(figure, [axes], title, legend_title="metric")
    return figure


def source_figure(grid: pd.DataFrame, source: str, epsilon: float, semantics: str) -> Figure:
    """Draw one of Figures 7 to 11: p against K by budget, a panel for each of the paper's metrics."""
    rows = of_columns(grid, semantics)
    rows = rows[(rows["source"] == source) & (rows["epsilon_b"] == epsilon)]
    columns = [name for name in COLUMNS if name in set(rows["column"])]
    figure, panels = new_panels(3.5 * len(columns) + 1.0, 3.8, len(columns), share_y=True)
    for axes, column in zip(panels, columns, strict=True):
        _draw_budgets(axes, rows[rows["column"] == column])
        axes.set_title(COLUMNS[column], loc="left")
    _log_scale(panels)
    _finish(figure, panels, f"{label(source)}, ε = {epsilon:g}, {semantics} semantics")
    return figure


_OF_GRID = {
    "bootstrap": bootstrap_figure,
    "budget": budget_figure,
    "metric": metric_figure,
    "source": source_figure,
}
"""The drawing functions of `grid_figures` by kind."""


def power_figure(power: pd.DataFrame) -> Figure:
    """Draw Figure 6: power of each test against N at K = 5 and at K = 10, and against K at N = 1000."""
    figure, panels = new_panels(11.5, 3.8, len(_POWER_PANELS), share_y=True)
    tests = list(power["test"].unique())
    for axes, (k, n) in zip(panels, _POWER_PANELS, strict=True):
        rows = power[power["k_responses"] == k] if n is None else power[power["n_items"] == n]
        across = "n_items" if n is None else "k_responses"
        for index, test in enumerate(tests):
            test_rows = rows[rows["test"] == test].sort_values(across)
            reach = [test_rows["power"] - test_rows["low"], test_rows["high"] - test_rows["power"]]
            shown = {"linestyle": ("-", "--", "-.", ":")[index % 4], "label": TESTS[str(test)], **look(index)}
            draw_points(axes, test_rows[across], test_rows["power"], reach, **shown)
        mark_level(axes, 0.9)
        axes.set_title(f"K = {k}" if n is None else f"N = {n}", loc="left")
        axes.set_xlabel("items N" if n is None else "responses per item K")
    panels[0].set(ylim=(0.0, 1.03), ylabel="power at α = .05 (95 % intervals; dashed, .9)")
    legend_beside(panels[-1], title="test")
    source, epsilon, metric = power[["source", "epsilon_b", "metric"]].iloc[0]
    figure.suptitle(f"{label(source)}, ε = {epsilon:g}, {_METRIC_NAMES.get(metric, metric)}", fontsize=10)
    return figure


def overstatement_figure(grid: pd.DataFrame) -> Figure:
    """Draw the ratios of published to recommended p-values, at the paper's cells."""
    from matplotlib.ticker import NullLocator
    from scipy.special import ndtr, ndtri

    figure, axes = new_figure(6.4, 4.4)
    cells = overstatement(grid).dropna(subset="ratio")
    for index, column in enumerate(name for name in COLUMNS if name in set(cells["column"])):
        rows = cells[cells["column"] == column]
        reach = 2.0 * rows["ratio_error"] / rows["ratio"]
        bars = [rows["ratio"] * (1.0 - np.exp(-reach)), rows["ratio"] * (np.exp(reach) - 1.0)]
        shown = {"linestyle": "none", "alpha": 0.75, "label": COLUMNS[column], **look(index)}
        draw_points(axes, rows["p"], rows["ratio"], bars, **shown)
    low, high = axes.get_xlim()
    p = np.linspace(max(low, 1e-3), high, 200)
    normal = p / ndtr(np.sqrt(2.0) * ndtri(p))
    axes.plot(p, normal, color="black", linewidth=1.0, label="normal effects: Φ(z) / Φ(√2 z)")
    axes.set_xlabel("p, published semantics (fresh draws, items bootstrapped once more)")
    axes.set(ylabel="p published / p recommended (±2 SE)", yscale="log")
    axes.set_yticks((2, 3, 5, 7, 10, 15, 20, 30), ("2", "3", "5", "7", "10", "15", "20", "30"))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_ylim(0.7 * min(cells["ratio"], default=2.0), 1.5 * max(cells["ratio"], default=2.0))
    axes.set_title("How many times too large the p-values of Tables 1 to 3 are", loc="left")
    axes.legend(frameon=False)
    return figure


def agreement_figure(grid: pd.DataFrame) -> Figure:
    """Draw every published p-value and effect of Tables 1 to 3 against ours."""
    figure, (left, right) = new_panels(9.6, 4.4, 2)
    cells = compare(grid, "published").dropna(subset=["p", "published_p"])
    for index, source in enumerate(name for name in LABELS if name in set(cells["source"])):
        rows = cells[cells["source"] == source]
        shown = {"linestyle": "none", "alpha": 0.75, "label": LABELS[source], **look(index)}
        draw_points(left, rows["published_p"], rows["p"], 2.0 * rows["p_error"], **shown)
        right.plot(rows["published_effect"], rows["effect"], markersize=4.5, **shown)
    for axes, name in ((left, "p"), (right, "Δ")):
        low = min(*axes.get_xlim(), *axes.get_ylim()) if name == "p" else 8e-4
        high = max(*axes.get_xlim(), *axes.get_ylim()) if name == "p" else 2.5
        axes.plot([low, high], [low, high], color="black", linewidth=0.8)
        axes.set_xlabel(f"{name}, published (Tables 1 to 3)")
    left.set_ylabel("p, nbyk (±2 standard errors of both)")
    right.set(ylabel="Δ, nbyk", xscale="log", yscale="log")
    right.legend(*right.get_legend_handles_labels(), frameon=False)
    figure.suptitle("Homan et al. 2025, Tables 1 to 3, reproduced", fontsize=10)
    return figure


def _of(grid: pd.DataFrame, source: str, epsilon: float, semantics: str) -> pd.DataFrame:
    return grid[
        (grid["source"] == source) & (grid["epsilon_b"] == epsilon) & (grid["semantics"] == semantics)
    ]


def _draw_budgets(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw p against K, a curve for each budget, from light (small) to dark (large)."""
    for budget, shown in shades(shown_budgets(rows["n_times_k"].unique())).items():
        _draw_curve(axes, rows[rows["n_times_k"] == budget], label=f"{budget:,}".replace(",", " "), **shown)


def shown_budgets(budgets: Iterable[int]) -> list[int]:
    """Return the budgets that a figure shows."""
    shown = sorted(set(budgets))
    if len(shown) > len(SHOWN_BUDGETS):
        shown = [budget for budget in shown if budget in SHOWN_BUDGETS] or shown[-len(SHOWN_BUDGETS) :]
    return shown


def _draw_curve(axes: Axes, rows: pd.DataFrame, **look: Any) -> None:
    rows = rows.dropna(subset="p").sort_values("k_responses")
    p = np.maximum(rows["p"].to_numpy(), _FLOOR)
    reach = 2.0 * rows["standard_error"].to_numpy()
    draw_points(axes, rows["k_responses"], p, [np.minimum(reach, p - 0.5 * _FLOOR), reach], **look)


def _log_scale(panels: Collection[Axes]) -> None:
    """Put p on a log scale that fits the points; of error bars at small p, it fits the upper ends."""
    drawn = [line.get_ydata() for axes in panels for line in axes.get_lines()]
    lowest = min(np.concatenate([[ALPHA], *drawn]))
    for axes in panels:
        axes.set(yscale="log", ylim=(0.6 * lowest, 1.4))


def _finish(figure: Figure, panels: list[Axes], title: str, legend_title: str = "N·K") -> None:
    """Label the axes, mark p = .05 and put one legend to the right of the last panel."""
    drawn = [line.get_xdata() for axes in panels for line in axes.get_lines()]
    ks = [int(k) for k in np.unique(np.concatenate([[], *drawn]))]
    for axes in panels:
        mark_level(axes, ALPHA)
        axes.set_xscale("log")
        plain_ticks(axes, ks)
        axes.set_xlabel("responses per item K")
    panels[0].set_ylabel("expected p (±2 standard errors; dashed, .05)")
    handles, _ = panels[0].get_legend_handles_labels()
    legend_beside(panels[-1], handles=handles, title=legend_title)
    floor = " (p of 10⁻⁵ or less shown at 10⁻⁵)" if panels[0].get_yscale() == "log" else ""
    figure.suptitle(f"{title}{floor}", fontsize=10)


_SHAPES = ((0.5, 0.15), (0.5, 0.45), (0.5, 1.5), (0.1, 0.25), (0.85, 0.6))
_LEVELS = 5


def shapes_figure() -> Figure:
    """Draw Figure 1: shapes of a response that a normal censored to [0, 1] makes, on five levels."""
    figure, panels = new_panels(11.0, 2.7, len(_SHAPES), share_y=True)
    edges, latent = np.arange(_LEVELS + 1) / _LEVELS, np.linspace(-0.6, 1.6, 400)
    for axes, (mu, sigma) in zip(panels, _SHAPES, strict=True):
        probabilities = Response("likert", _LEVELS).probabilities(mu, sigma)
        axes.stairs(probabilities, edges, fill=True, color=COLOURS[0], alpha=0.7)
        density = np.exp(-0.5 * ((latent - mu) / sigma) ** 2) / (sigma * np.sqrt(2.0 * np.pi))
        axes.plot(latent, density / _LEVELS, color=COLOURS[1], linewidth=1.2)
        axes.set_title(f"μ = {mu:g}, σ = {sigma:g}", loc="left")
        axes.set_xlabel("response")
    panels[0].set_ylabel("probability")
    figure.suptitle(
        "Bars: responses. Line: the normal distribution behind them. The end bars hold its tails", fontsize=10
    )
    return figure


def stages_figure(source: str, ratings: Path | None, seed: int) -> Figure:
    """Draw Figure 2 of a source: item means and deviations under the published prior, and in the ratings.

    The prior's own μ and σ vary less than the items' means and deviations, in which the responses' scatter
    counts too. Without ratings, the figure shows only the prior.
    """
    matrix = None if ratings is None else stored_ratings(ratings)[0].matrix()
    beside = "alone (you do not have its ratings)" if matrix is None else "beside the ratings"
    return moments_figure(
        f"{label(source)}: the published prior {beside}",
        {"responses of the prior": published_prior(source)},
        seed,
        matrix,
        top=1.0 if matrix is None else float(np.nanmax(matrix)),
        with_families=True,
    )


def fit_figure(source: str, ratings: Path, prior: Path, *, seed: int) -> Figure:
    """Draw item means and deviations of ratings, and of responses of the published prior and our own fit."""
    name, own = published_source(source), read_prior(prior)
    return moments_figure(
        f"{label(name)}: the ratings, and as many ratings of each prior's items",
        {"published prior": published_prior(name), "own fit": own},
        seed,
        stored_ratings(ratings)[0].matrix(),
        top=own.response.top,
    )
