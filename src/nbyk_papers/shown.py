"""The report of a study as an answer: its summary, its tables and its figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbyk.priors import read_prior
from nbyk.report.answer import Answer, AnswerFigure, AnswerTable

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

Tables = Iterable[tuple[str, str, "pd.DataFrame"]]
"""Tables by file name and caption."""

Figures = Mapping[str, Callable[[], "Figure"]]
"""The drawing function of each figure, by file name."""

_SEMANTICS = ("published", "recommended")


def study_answer(
    title: str,
    summary: Mapping[str, Any],
    tables: Tables,
    figures: Figures,
    *,
    titles: Mapping[str, str],
    first: str,
    template: Path,
    marked: tuple[str, ...] = (),
    files_alone: Iterable[AnswerTable] = (),
    priors: Iterable[Path] = (),
) -> Answer:
    """Return the report of a study.

    Parameters
    ----------
    title
        The name of the reproduced work.
    summary
        The findings; "line" gives them in a line, and "cautions", if there are any, stand before it.
    tables, figures
        Those of the run.
    titles
        Title of a figure, by the last part of its name.
    first
        The figure to begin with.
    template
        The template of the page's beginning.
    marked
        Columns of tables in which values beyond ±3 are marked.
    files_alone
        Tables that the page does not show.
    priors
        Files of the priors behind the numbers: if its check rejects one, its caution is among those.
    """
    of_priors = [read_prior(path).caution for path in priors]
    cautions = tuple(dict.fromkeys(filter(None, [*summary.get("cautions", ()), *of_priors])))
    shown = tuple(AnswerTable(name, caption, frame, marked) for name, caption, frame in tables)
    drawn = sorted(figures, key=lambda name: (_stem(name) != first, _section(name) or "figures", name))
    captions = {name: _caption(name, titles) for name in drawn}
    names = {"tables": [table.name for table in shown], "figures": captions, "marked": list(marked)}
    return Answer(
        title=title,
        sentences=(*cautions, str(summary["line"])),
        tables=(*shown, *files_alone),
        figures=tuple(AnswerFigure(name, captions[name], figures[name]) for name in drawn),
        cautions=(),
        details={**summary, "cautions": list(cautions), "shown": names},
        n_printed=0,
        template=template,
    )


def _stem(name: str) -> str:
    return name.rpartition("/")[2]


def _section(name: str) -> str:
    return name.rpartition("/")[0]


def _caption(name: str, titles: Mapping[str, str]) -> str:
    title = titles.get(_stem(name), _stem(name).replace("_", " "))
    return f"{title} ({_section(name)})" if _section(name) in _SEMANTICS else title
