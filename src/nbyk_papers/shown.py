"""The report of a study as an answer: its summary, tables and figures; and figures of fitted priors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nbyk.priors import TwoStagePrior, read_prior
from nbyk.priors.predictive import moments
from nbyk.report.answer import Answer, AnswerFigure, AnswerTable
from nbyk.resampling.streams import Streams, stream_key
from nbyk_papers.verdicts import verdict_table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Fits:
    """The priors fitted to sources: the files of their ratings and priors."""

    fitted: Sequence[str]
    ratings: Sequence[Path] = ()
    priors: Sequence[Path] = ()

    def files(self) -> dict[str, tuple[Path, Path]]:
        """Return the ratings and the prior of each fit by its name."""
        return dict(zip(self.fitted, zip(self.ratings, self.priors, strict=True), strict=True))


def moments_of_prior(prior: TwoStagePrior, like: Floats, seed: int) -> tuple[Floats, Floats]:
    """Return item means and standard deviations of a prior's responses, missing where `like` is."""
    streams = Streams(stream_key(seed, purpose="item moments of a prior", prior=prior.key()), 0)
    mu, sigma = prior.draw_items(streams.uniforms("items", (len(like), prior.n_uniforms)))
    noise = np.empty(like.shape)
    streams.fill_normals("responses", noise)
    responses = prior.response.respond(mu[:, np.newaxis], sigma[:, np.newaxis], noise)
    return moments(responses, ~np.isnan(like))


def draw_ecdf(axes: Axes, values: Floats, **look: Any) -> None:
    """Draw the share of values at most x, from 0 to 1."""
    x, counts = np.unique(np.round(values, 9), return_counts=True)
    share = np.cumsum(counts) / values.size
    start, end = min(0.0, float(x[0])), max(1.0, float(x[-1]))
    axes.step(np.array([start, *x, end]), np.array([0.0, *share, 1.0]), where="post", **look)


def label_moments(left: Axes, right: Axes) -> None:
    """Label the panels of item means and of item standard deviations."""
    left.set_xlabel("item mean")
    right.set_xlabel("item standard deviation")
    left.set_ylabel("share of items at most this")
    for axes in (left, right):
        axes.set_ylim(0.0, 1.02)
    right.legend(frameon=False)


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
        tables = [("verdicts", _VERDICTS_CAPTION, verdict_table(summary["verdicts"])), *tables]
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
