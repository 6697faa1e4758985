"""The report of a study as an answer: its summary, its tables and its figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbyk.priors import read_prior
from nbyk.report.answer import Answer, AnswerFigure, AnswerTable
from nbyk_papers.verdicts import verdict_table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

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
    of_priors = [read_prior(path).caution for path in priors]
    cautions = tuple(dict.fromkeys(filter(None, [*summary.get("cautions", ()), *of_priors])))
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
