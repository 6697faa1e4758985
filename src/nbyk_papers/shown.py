"""The report of a study as an answer: its summary, tables and figures; and figures of fitted priors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from nbyk.arrays import Floats
from nbyk.priors import TwoStagePrior, item_parameters, read_prior
from nbyk.priors.predictive import moments
from nbyk.report.answer import Answer, AnswerFigure, AnswerTable
from nbyk.report.drawing import COLOURS, MARKERS, new_panels, style
from nbyk.resampling.streams import Streams, stream_key
from nbyk_papers.verdicts import verdict_table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_DRAWN = (10_000, 5)


@dataclass(frozen=True)
class Fits:
    """The priors fitted to sources: the files of their ratings and priors."""

    fitted: Sequence[str]
    ratings: Sequence[Path] = ()
    priors: Sequence[Path] = ()

    def files(self) -> dict[str, tuple[Path, Path]]:
        """Return the ratings and the prior of each fit by its name."""
        return dict(zip(self.fitted, zip(self.ratings, self.priors, strict=True), strict=True))


def moments_figure(
    title: str,
    priors: Mapping[str, TwoStagePrior],
    seed: int,
    ratings: Floats | None = None,
    *,
    top: float = 1.0,
    with_families: bool = False,
) -> Figure:
    """Draw items' means and deviations in ratings, (N, K), and in as many responses of priors, by label.

    Without ratings, each prior has 10,000 items of five responses. `top` is the highest rating of the scale;
    `with_families` adds the distributions of a prior's μ and σ.
    """
    figure, panels = new_panels(9.6, 3.8, 2)
    like = np.zeros(_DRAWN) if ratings is None else ratings
    if ratings is not None:
        # Levels lie on [0, (L − 1)/L] and binary responses on [0, 1]; all are shown from 0 to 1.
        for axes, data in zip(panels, item_parameters(ratings / top), strict=True):
            draw_ecdf(axes, data, color="black", linewidth=1.8, label=f"{len(data)} rated items")
    x = np.linspace(0.0, 1.0, 1001)
    for number, (label, prior) in enumerate(priors.items()):
        drawn = (values / prior.response.top for values in _moments(prior, like, seed))
        shown = {"color": COLOURS[number], "linestyle": ("--", "-")[number], "label": label}
        for axes, values, family, letter in zip(panels, drawn, (prior.mu, prior.sigma), "μσ", strict=True):
            draw_ecdf(axes, values, **shown)
            if with_families:
                named = f"{letter} of the prior"
                axes.plot(x, family.cdf(x), color=COLOURS[number + 1], linestyle=":", label=named)
    for axes, name in zip(panels, ("item mean", "item standard deviation"), strict=True):
        axes.set_xlabel(name)
        axes.set_ylim(0.0, 1.02)
    panels[0].set_ylabel("share of items at most this")
    panels[1].legend(frameon=False)
    figure.suptitle(title, fontsize=10)
    return figure


def _moments(prior: TwoStagePrior, like: Floats, seed: int) -> tuple[Floats, Floats]:
    """Return item means and deviations in responses of a prior, missing where `like`, (N, K), is."""
    streams = Streams(stream_key(seed, purpose="item moments of a prior", prior=prior.key()), 0)
    mu, sigma = prior.draw_items(streams.uniforms("items", (len(like), prior.n_uniforms)))
    noise = np.empty(like.shape)
    streams.fill_normals("responses", noise)
    responses = prior.response.respond(mu[:, np.newaxis], sigma[:, np.newaxis], noise)
    return moments(responses, ~np.isnan(like))


def look(number: int) -> dict[str, Any]:
    """Return the colour and the marker of a figure's curve by its number, from 0."""
    return {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)]}


def shades(values: Iterable[float]) -> dict[float, dict[str, Any]]:
    """Return the looks of numbers that have an order: colours from light (the least) to dark, and markers."""
    import matplotlib as mpl

    shown = sorted(set(values))
    colours = mpl.colormaps["viridis_r"](np.linspace(0.15, 1.0, len(shown)))
    return {
        value: {"color": colour, "marker": look(number)["marker"], "markersize": 4.5, "linewidth": 1.2}
        for number, (value, colour) in enumerate(zip(shown, colours, strict=True))
    }


def panel_grid(
    rows: int, columns: int, size: tuple[float, float], *, share_x: bool = False, share_y: bool = False
) -> tuple[Figure, Any]:
    """Return an empty figure, its size in inches, and its panels, an array of shape (rows, columns)."""
    with style():
        import matplotlib.pyplot as plt

        figure = plt.figure(figsize=size)
        return figure, figure.subplots(rows, columns, sharex=share_x, sharey=share_y, squeeze=False)


def plain_ticks(axes: Axes, values: Sequence[float]) -> None:
    """Put ticks at whole numbers alone, with a space between thousands, on a scale of any kind."""
    from matplotlib.ticker import NullLocator

    axes.set_xticks(values, [f"{value:,.0f}".replace(",", " ") for value in values])
    axes.xaxis.set_minor_locator(NullLocator())


def draw_points(axes: Axes, x: ArrayLike, y: ArrayLike, reach: ArrayLike, **look: Any) -> None:
    """Draw points with error bars.

    Parameters
    ----------
    reach
        How far the bars reach: (n,) on either side, or (2, n) below and above; below 0 by rounding is 0.
    """
    bars = np.maximum(np.asarray(reach, dtype=np.float64), 0.0)
    axes.errorbar(
        np.asarray(x),
        np.asarray(y),
        yerr=bars,
        **{"markersize": 4.5, "elinewidth": 0.8, "linewidth": 1.2, **look},
    )


def mark_level(axes: Axes, level: float) -> None:
    """Draw a level across a panel."""
    axes.axhline(level, color="black", linewidth=0.8, linestyle="--")


def legend_beside(axes: Axes, **how: Any) -> None:
    """Put a legend to the right of a panel."""
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, **how)


def draw_ecdf(axes: Axes, values: Floats, **look: Any) -> None:
    """Draw the share of values at most x, from 0 to 1."""
    x, counts = np.unique(np.round(values, 9), return_counts=True)
    share = np.cumsum(counts) / values.size
    start, end = min(0.0, float(x[0])), max(1.0, float(x[-1]))
    axes.step(np.array([start, *x, end]), np.array([0.0, *share, 1.0]), where="post", **look)


Tables = Iterable[tuple[str, str, "pd.DataFrame"]]
"""Tables by file name and caption."""

_VERDICTS_CAPTION = "A verdict on each of the paper's claims, from the numbers of this run"

Figures = Mapping[str, Callable[[], "Figure"]]
"""The drawing function of each figure, by file name."""


@dataclass(frozen=True)
class Page:
    """The page of a study: its title, the template of its beginning, and the first figure.

    `titles` has the title of a figure by the last part of its name; in columns `marked`, values beyond ±3
    stand out.
    """

    title: str
    template: Path
    first: str
    titles: Mapping[str, str]
    marked: tuple[str, ...] = ()


def records(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table as JSON holds them: None where there is no number."""
    plain = rows.astype(object).where(rows.notna(), None)
    return [dict(zip(rows.columns, row, strict=True)) for row in plain.itertuples(index=False)]


def titled(rows: pd.DataFrame, titles: Mapping[str, str]) -> pd.DataFrame:
    """Return the columns of a table that have titles, under these; "" keeps a column's name."""
    return rows[list(titles)].rename(columns={name: title or name for name, title in titles.items()})


def study_answer(
    page: Page,
    summary: Mapping[str, Any],
    tables: Tables,
    figures: Figures,
    *,
    files_alone: Iterable[AnswerTable] = (),
    priors: Iterable[Path] = (),
) -> Answer:
    """Return the report of a study.

    The summary's "line" gives the findings in a line; its "cautions", and those of priors whose check rejects
    them, stand before it. Its "verdicts", if any, are the first table. The page does not show the tables
    `files_alone`.
    """
    if "verdicts" in summary:
        verdicts = verdict_table(summary["verdicts"])
        tables = [("verdicts", _VERDICTS_CAPTION, verdicts), *tables]
        summary = {**summary, "verdicts": records(verdicts)}
    prior_cautions = [read_prior(path).caution for path in priors]
    cautions = tuple(dict.fromkeys(filter(None, [*summary.get("cautions", ()), *prior_cautions])))
    shown = tuple(
        AnswerTable(name, caption, frame, page.marked, on_page=len(frame) > 0)
        for name, caption, frame in tables
    )
    order = sorted(figures, key=lambda name: (_stem(name) != page.first, _section(name) or "figures", name))
    drawn = tuple(AnswerFigure(name, _caption(name, page.titles), figures[name]) for name in order)
    names = {
        "tables": [table.name for table in shown if table.on_page],
        "figures": {figure.name: figure.caption for figure in drawn},
        "marked": list(page.marked),
    }
    return Answer(
        title=page.title,
        sentences=(*cautions, str(summary["line"])),
        make_tables=lambda: (*shown, *files_alone),
        figures=drawn,
        cautions=(),
        details={**summary, "cautions": list(cautions), "shown": names},
        n_printed=0,
        template=page.template,
    )


def _stem(name: str) -> str:
    return name.rpartition("/")[2]


def _section(name: str) -> str:
    return name.rpartition("/")[0]


def _caption(name: str, titles: Mapping[str, str]) -> str:
    title = titles.get(_stem(name), _stem(name).replace("_", " "))
    folders = list(filter(None, _section(name).split("/")))
    return f"{title} ({', '.join(folders)})" if folders else title
