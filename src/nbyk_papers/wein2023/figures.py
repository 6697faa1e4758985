"""The figures of Wein et al. 2023, and a figure of the published numbers against ours, as PNG and SVG."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from nbyk.arrays import Floats
from nbyk.data.ratings import stored_ratings
from nbyk.priors import item_parameters, published_prior, read_prior
from nbyk.priors.family import Family
from nbyk.report.drawing import COLOURS, new_figure, new_panels
from nbyk.resampling.streams import Streams, stream_key
from nbyk_papers import placed
from nbyk_papers.shown import draw_points, legend_beside, look
from nbyk_papers.wein2023.comparison import Cells, minima
from nbyk_papers.wein2023.design import minima_figure_name, stage_figure_name
from nbyk_papers.wein2023.tables import label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_SMALLEST_SHOWN = 1e-5
_HISTOGRAM_ITEMS = 1000


def figures_of(
    cells: Cells, fits: Mapping[str, tuple[Path, Path]], seed: int
) -> dict[str, Callable[[], Figure]]:
    """Return the drawing function of each figure, by name; `fits` has each source's ratings and prior."""
    drawn = minima_figures(cells)
    if "published" in cells.semantics:
        drawn["agreement"] = partial(agreement_figure, cells)
    for source in ("toxicity", *(name for name in fits if name != "toxicity")):
        for stage in ("means", "sds"):
            name = stage_figure_name(source, stage)
            drawn[name] = partial(prior_figure, source, stage, fits.get(source), seed)
    return drawn


def minima_figures(cells: Cells) -> dict[str, Callable[[], Figure]]:
    """Return the drawing function of each source's figure of least errors, by file name."""
    pairs = cells.table[["semantics", "source"]].drop_duplicates().itertuples(index=False)
    return {
        placed(semantics, minima_figure_name(source)): partial(minima_figure, cells.of(semantics, source))
        for semantics, source in pairs
    }


def prior_figure(source: str, stage: str, files: tuple[Path, Path] | None, seed: int) -> Figure:
    """Draw `stage_figure` of a source's ratings and fitted prior, or of its published prior alone."""
    if files is None:
        data, prior = None, published_prior(source, "published")
    else:
        data = item_parameters(stored_ratings(files[0])[0].matrix())[0 if stage == "means" else 1]
        prior = read_prior(files[1])
    return stage_figure(source, stage, data, prior.mu if stage == "means" else prior.sigma, seed)


def minima_figure(cells: Cells) -> Figure:
    """Draw Figure 1 or 2: each metric's least |estimated − true| p-value over the samplers, against ε."""
    figure, axes = new_figure(7.0, 4.2)
    table = minima(cells, "metric")
    for index, (name, of_metric) in enumerate(table.groupby("row", sort=False)):
        mean, positions = of_metric["error_mean"], np.arange(len(of_metric))
        reach = np.abs([mean - of_metric["error_low"], of_metric["error_high"] - mean])
        draw_points(axes, positions + 0.03 * (index - 4), mean, reach, label=label(str(name)), **look(index))
        dotted = {"linestyle": ":", "alpha": 0.6, "markerfacecolor": "white", **look(index)}
        axes.plot(positions, of_metric["published"], **dotted)
    epsilons = sorted(table["epsilon_b"].unique())
    axes.set_xticks(range(len(epsilons)), [f"{epsilon:g}" for epsilon in epsilons])
    axes.set_yscale("symlog", linthresh=1e-3, linscale=0.6)
    axes.set(ylim=(0.0, 1.0), xlabel="perturbation of system B, ε")
    axes.set_ylabel("least |estimated p − true p| over the samplers")
    semantics, source = cells.table[["semantics", "source"]].iloc[0]
    has_published = bool(table["published"].notna().any())
    axes.set_title(
        f"{source}, {semantics}: mean and 90 % interval over test sets"
        + ("; dotted, the paper's test set" if has_published else ""),
        loc="left",
        fontsize=9,
    )
    legend_beside(axes)
    return figure


def agreement_figure(cells: Cells) -> Figure:
    """Draw every published true p-value against ours, with ±3 standard errors."""
    figure, axes = new_figure(5.6, 4.6)
    rows = cells.table[(cells.table["semantics"] == "published") & cells.table["published_true_p"].notna()]
    for index, (source, of_source) in enumerate(rows.groupby("source", sort=False)):
        x = np.maximum(of_source["published_true_p"].to_numpy(), _SMALLEST_SHOWN)
        y = np.maximum(of_source["true_p"].to_numpy(), _SMALLEST_SHOWN)
        reach = 3.0 * of_source["true_se"].to_numpy()
        error = [np.minimum(reach, y - 0.5 * _SMALLEST_SHOWN), reach]
        draw_points(axes, x, y, error, linestyle="none", alpha=0.6, label=source, **look(index))
    axes.plot([_SMALLEST_SHOWN, 1.0], [_SMALLEST_SHOWN, 1.0], color="black", linewidth=0.8)
    ends = 0.5 * _SMALLEST_SHOWN, 1.0
    axes.set(xscale="log", yscale="log", xlim=ends, ylim=ends)
    axes.set(xlabel="true p, published (Tables 5 to 14)", ylabel="true p, nbyk (±3 standard errors)")
    axes.set_title("Wein et al. 2023, reproduced (p < 10⁻⁵ shown at 10⁻⁵)")
    axes.legend(frameon=False)
    return figure


def stage_figure(source: str, stage: str, data: Floats | None, family: Family, seed: int) -> Figure:
    """Draw Figure 3 or 4: item means or standard deviations in the data, and in 1000 items of the prior."""
    streams = Streams(stream_key(seed, purpose="histogram of a prior", source=source, stage=stage), 0)
    sample = family.draw(streams.uniforms("items", (_HISTOGRAM_ITEMS, family.n_uniforms)))
    upper = max(1.0 if stage == "means" else 0.6, float(sample.max()))
    edges = np.linspace(0.0, upper, 21)
    figure, (left, right) = new_panels(8.0, 3.2, 2)
    if data is None:
        missing = "no ratings:\nname your copy under ratings\nin config.yaml"
        left.text(0.5, 0.5, missing, ha="center", va="center")
        left.set_axis_off()
    else:
        _histogram(left, data, edges, f"{len(data)} items of {source}")
        expected = np.diff(family.cdf_left(edges))
        left.stairs(len(data) * expected, edges, color=COLOURS[1], linewidth=1.5, label="fitted prior")
        left.legend(frameon=False)
    _histogram(right, sample, edges, f"{_HISTOGRAM_ITEMS} items of the prior")
    symbol, name = ("μ", "item mean") if stage == "means" else ("σ", "item standard deviation")
    left.set_xlabel(f"{name} of the ratings; {symbol} of the prior")
    right.set(xlabel=f"{symbol} of an item, before responses are drawn", ylabel="items")
    return figure


def _histogram(axes: Axes, values: Floats, edges: Floats, title: str) -> None:
    axes.hist(values, bins=edges.tolist(), color=COLOURS[0], alpha=0.75)
    axes.set(ylabel="items", title=title)
