"""Heat maps of each test's rejection rates: Type-I errors and powers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from nbyk.report.drawing import COLOURS
from nbyk_papers.calibration.reading import groups, main_alpha, main_metric, named, two_sided
from nbyk_papers.calibration.verdicts import EXPECTED_P
from nbyk_papers.shown import panel_grid

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_CALIBRATED, _MISSING = "#ffffff", "#e6e6e6"
_KEY = "orange: too often, blue: too rarely, bold: outside the 99 % band, grey: another test's, or none"
_WIDEST = 2.0  # colours end at a fourth and at four times the level
_DARK = 1.3
_WIDTH_OF_TITLE = 6.6


def figures_of(rates: pd.DataFrame) -> dict[str, Callable[[], Figure]]:
    """Return the drawing function of each heat map that the rates of `read_rates` allow, by file name."""
    main = named(rates[rates["alpha"] == main_alpha(rates)])
    under_null, power = main[main["scenario"] != "power"], main[main["scenario"] == "power"]
    drawn: dict[str, Callable[[], Figure]] = {
        "type_1_error": partial(sizes_figure, under_null, "Type-I error"),
        "metrics": partial(metrics_figure, under_null),
    }
    if (rates["definition"] == EXPECTED_P).any():
        drawn["expected_p"] = partial(expected_p_figure, under_null)
    if len(power):
        drawn["power"] = partial(sizes_figure, power, "Power")
    return drawn


def sizes_figure(rates: pd.DataFrame, title: str) -> Figure:
    """Draw the rates of every test at every size and truth by one metric, a panel per source."""
    metric = main_metric(rates)
    shown = two_sided(rates[rates["metric"] == metric])
    epsilon = "ε = " + shown["epsilon_b"].map("{:g}".format)
    shown = shown.assign(column=epsilon + "\n" + shown["size"])
    columns = _in_order(shown, "column", ["epsilon_b", "k_responses", "n_items"])
    n_tests, n_sources = shown["test"].nunique(), shown["dataset"].nunique()
    size = (max(_WIDTH_OF_TITLE, 2.4 + 0.5 * len(columns)), 0.6 + n_sources * (0.8 + 0.27 * n_tests))
    figure, axes = panel_grid(n_sources, 1, size)
    for panel, (key, of) in zip(axes[:, 0], groups(shown, ["dataset"]), strict=True):
        _heat_map(panel, of, ("test", "column"), columns)
        panel.set_title(key["dataset"], loc="left")
    figure.suptitle(_headed(f"{title} at α = {main_alpha(rates):g}, two-sided, {metric}", rates), fontsize=9)
    return figure


def metrics_figure(rates: pd.DataFrame) -> Figure:
    """Draw every test's Type-I error by every metric, averaged over sources and sizes, a panel per truth."""
    return _by_truth(two_sided(rates), ("metric", "test"), "Type-I error", "sources and sizes")


def expected_p_figure(rates: pd.DataFrame) -> Figure:
    """Draw the rate at which expected p, as the papers define it, is below the level, a panel per truth."""
    shown = rates[(rates["definition"] == EXPECTED_P) & (rates["alternative"] == "folded")]
    return _by_truth(shown, ("sampler", "null"), "Expected p below the level", "sources, sizes and metrics")


def _by_truth(rates: pd.DataFrame, axes_of: tuple[str, str], title: str, over: str) -> Figure:
    panels = list(groups(rates.sort_values(["epsilon_b"], kind="stable"), ["true"]))
    rows, columns = (list(dict.fromkeys(rates[name])) for name in axes_of)
    width = max(_WIDTH_OF_TITLE, 2.2 + len(panels) * 0.46 * len(columns))
    figure, axes = panel_grid(1, len(panels), (width, 1.9 + 0.27 * len(rows)), share_y=True)
    for panel, (key, of) in zip(axes[0], panels, strict=True):
        _heat_map(panel, of, axes_of, columns)
        panel.set_title(key["true"], loc="left")
    figure.suptitle(_headed(f"{title}, α = {main_alpha(rates):g}: mean over {over}", rates), fontsize=9)
    return figure


def _heat_map(axes: Axes, rates: pd.DataFrame, axes_of: tuple[str, str], columns: list[str]) -> None:
    """Draw mean rates as colours and numbers, bold if all rates in the mean are outside on one side."""
    from matplotlib.colors import LinearSegmentedColormap

    rows = list(dict.fromkeys(rates[axes_of[0]]))
    means, bold = np.full((len(rows), len(columns)), np.nan), np.zeros((len(rows), len(columns)), np.bool_)
    for key, of in groups(rates, axes_of):
        at = rows.index(key[axes_of[0]]), columns.index(key[axes_of[1]])
        means[at], bold[at] = of["rate"].mean(), set(of["place"]) in ({"above"}, {"below"})
    if (rates["scenario"] == "power").all():
        shades, ends, least = means, [_CALIBRATED, COLOURS[2]], 0.0
    else:
        with np.errstate(divide="ignore"):
            shades = np.clip(np.log2(means / main_alpha(rates)), -_WIDEST, _WIDEST) / _WIDEST
        ends, least = [COLOURS[0], _CALIBRATED, COLOURS[1]], -1.0
    colours = LinearSegmentedColormap.from_list("rates", ends).with_extremes(bad=_MISSING)
    axes.imshow(shades, cmap=colours, vmin=least, vmax=1.0, aspect="auto")
    for i, j in np.argwhere(np.isfinite(means)):
        axes.text(
            j,
            i,
            f"{means[i, j]:.3f}".removeprefix("0"),
            ha="center",
            va="center",
            fontsize=7,
            fontweight="bold" if bold[i, j] else "normal",
            color="white" if abs(shades[i, j]) * _WIDEST > _DARK else "black",
        )
    slanted = not any("\n" in column for column in columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.set_xticks(
        range(len(columns)), columns, rotation=45 * slanted, ha="right" if slanted else "center", fontsize=7
    )
    axes.grid(visible=False)
    axes.tick_params(length=0)


def _headed(title: str, rates: pd.DataFrame) -> str:
    """Return a title that explains colours and bold numbers, for Type-I errors."""
    return title if (rates["scenario"] == "power").all() else f"{title}\n{_KEY}"


def _in_order(rates: pd.DataFrame, column: str, by: list[str]) -> list[str]:
    return list(dict.fromkeys(rates.sort_values(by, kind="stable")[column]))
