"""One self-contained HTML page of a study's summary, figures and tables; it needs no network."""

from __future__ import annotations

import base64
import csv
from pathlib import Path
from typing import Any

from nbyk.errors import NbykError
from nbyk.files import read_json, write_text

_FIGURE_TITLES = {
    "agreement": "Published true p-values against ours",
    "figure_01": "Figure 1: least error of the estimated p-value, simulated data",
    "figure_02": "Figure 2: least error of the estimated p-value, toxicity data",
    "figure_03": "Figure 3: item means of the toxicity data",
    "figure_04": "Figure 4: item standard deviations of the toxicity data",
}


def write_report(results: Path, out: Path) -> None:
    """Write the report of a study.

    Parameters
    ----------
    results
        Folder with ``summary.json``, ``tables/`` and ``figures/``, as `nbyk tables` and `nbyk figures` write.
    out
        HTML file to write.

    Raises
    ------
    NbykError
        If a part is missing.
    """
    import jinja2

    import nbyk

    figures = [_figure(path) for path in sorted((results / "figures").rglob("*.svg"))]
    tables = [_table(path) for path in sorted((results / "tables").rglob("*.csv"))]
    if not figures or not tables:
        raise NbykError(f"{results}: no tables or no figures; run `nbyk tables` and `nbyk figures` first")
    loader = jinja2.PackageLoader("nbyk.report", "templates")
    environment = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["number"] = _number
    page = environment.get_template("report.html").render(
        summary=read_json(results / "summary.json"),
        figures=sorted(
            figures, key=lambda figure: (figure["name"] != "agreement", figure["section"], figure["name"])
        ),
        tables=tables,
        version=nbyk.__version__,
    )
    write_text(out, page)


def _figure(path: Path) -> dict[str, str]:
    title = _FIGURE_TITLES.get(path.stem, path.stem.replace("_", " "))
    content = base64.b64encode(path.read_bytes()).decode()
    return {
        "name": path.stem,
        "section": path.parent.name,
        "title": f"{title} ({path.parent.name})" if path.parent.name != "priors" else title,
        "source": f"data:image/svg+xml;base64,{content}",
    }


def _table(path: Path) -> dict[str, Any]:
    caption = path.with_suffix(".md").read_text(encoding="utf-8").splitlines()[0].strip("*")
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file))
    z_columns = [index for index, name in enumerate(header) if name == "z true"]
    return {"caption": caption, "header": header, "rows": rows, "z_columns": z_columns}


def _number(cell: str) -> str:
    """Return a CSV cell rounded for reading, or as it is if it is text."""
    try:
        value = float(cell)
    except ValueError:
        return cell or "–"
    if value != 0.0 and abs(value) < 1e-4:
        return f"{value:.1e}"
    return f"{value:.4f}".rstrip("0").rstrip(".")
