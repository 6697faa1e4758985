"""One self-contained HTML page of a study's summary, figures and tables; it needs no network."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbyk.errors import NbykError
from nbyk.files import read_json, read_text, write_text
from nbyk.report.html import embedded_svg, render

_SEMANTICS = ("published", "recommended")


@dataclass(frozen=True)
class StudyPage:
    """How the results of a study are shown.

    Attributes
    ----------
    template
        The template of its page.
    titles
        Title of a figure, by file name.
    first
        The figure to begin with.
    z_columns
        Columns of tables whose values beyond three are marked.
    """

    template: Path
    titles: Mapping[str, str]
    first: str
    z_columns: Collection[str] = ()

    def content(self, results: Path) -> dict[str, Any]:
        """Return what there is to show: summary, figures, the first one first, and tables.

        Parameters
        ----------
        results
            Folder with ``summary.json``, ``tables/`` and ``figures/``, as the study's commands write them.

        Raises
        ------
        NbykError
            If a part is missing.
        """
        figures = [_figure(path, self.titles) for path in sorted((results / "figures").rglob("*.svg"))]
        tables = [_table(path, self.z_columns) for path in sorted((results / "tables").rglob("*.csv"))]
        if not figures or not tables:
            raise NbykError(f"{results}: no tables or no figures; run the commands that write them first")
        figures.sort(key=lambda figure: (figure["name"] != self.first, figure["section"], figure["name"]))
        return {"summary": read_json(results / "summary.json"), "figures": figures, "tables": tables}

    def write(self, results: Path, out: Path) -> None:
        """Write the page of the study's results as one HTML file; NbykError if a part is missing."""
        write_text(out, render(self.template, **self.content(results)))


def _figure(path: Path, titles: Mapping[str, str]) -> dict[str, str]:
    title = titles.get(path.stem, path.stem.replace("_", " "))
    return {
        "name": path.stem,
        "section": path.parent.name,
        "title": f"{title} ({path.parent.name})" if path.parent.name in _SEMANTICS else title,
        "source": embedded_svg(path),
    }


def _table(path: Path, z_columns: Collection[str]) -> dict[str, Any]:
    caption = read_text(path.with_suffix(".md")).splitlines()[0].strip("*")
    header, *rows = list(csv.reader(io.StringIO(read_text(path), newline="")))
    marked = [index for index, name in enumerate(header) if name in z_columns]
    return {"caption": caption, "header": header, "rows": rows, "z_columns": marked}
