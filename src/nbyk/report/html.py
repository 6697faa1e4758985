"""One self-contained HTML page of a study's summary, figures and tables; it needs no network."""

from __future__ import annotations

import base64
import csv
import io
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from nbyk.errors import NbykError
from nbyk.files import read_bytes, read_json, read_text, write_text

_SEMANTICS = ("published", "recommended")


def write_page(
    study: str, results: Path, out: Path, *, titles: Mapping[str, str], first: str, z_columns: Collection[str]
) -> None:
    """Write the page of a study.

    Parameters
    ----------
    study
        Its name, which is also that of its template.
    results
        Folder with ``summary.json``, ``tables/`` and ``figures/``, as the study's commands write them.
    out
        HTML file to write.
    titles
        Title of a figure, by file name.
    first
        The figure to begin with.
    z_columns
        Columns of tables whose values beyond three are marked.

    Raises
    ------
    NbykError
        If a part is missing.
    """
    figures = [_figure(path, titles) for path in sorted((results / "figures").rglob("*.svg"))]
    tables = [_table(path, z_columns) for path in sorted((results / "tables").rglob("*.csv"))]
    if not figures or not tables:
        raise NbykError(f"{results}: no tables or no figures; run the commands that write them first")
    page = render(
        f"{study}.html",
        summary=read_json(results / "summary.json"),
        figures=sorted(
            figures, key=lambda figure: (figure["name"] != first, figure["section"], figure["name"])
        ),
        tables=tables,
    )
    write_text(out, page)


def render(template: str, **content: Any) -> str:
    """Return a page made of a template and what it shows."""
    import jinja2

    import nbyk

    loader = jinja2.PackageLoader("nbyk.report", "templates")
    environment = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["number"] = _number
    return environment.get_template(template).render(**content, version=nbyk.__version__)


def embedded_svg(path: Path) -> str:
    """Return a figure as an address that holds it."""
    return svg_address(read_bytes(path))


def svg_address(picture: bytes) -> str:
    """Return an SVG picture as an address that holds it."""
    return f"data:image/svg+xml;base64,{base64.b64encode(picture).decode()}"


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


def _number(cell: str) -> str:
    """Return a CSV cell rounded for reading, or as it is if it is text."""
    try:
        value = float(cell)
    except ValueError:
        return cell or "–"
    if value != 0.0 and abs(value) < 1e-4:
        return f"{value:.1e}"
    return f"{value:.4f}".rstrip("0").rstrip(".")
