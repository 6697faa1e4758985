"""One page of every paper's study: the reproduced parts, their agreement, all figures and tables."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from nbyk.cli.options import Out
from nbyk.errors import NbykError
from nbyk.files import read_json, read_text, write_text
from nbyk.report.html import embedded_svg, render, render_block


@dataclass(frozen=True)
class Paper:
    """A paper: the parts of it that its study reproduces, and the command that runs the study."""

    study: str
    name: str
    title: str
    reproduced: str
    command: str


PAPERS = (
    Paper(
        "wein2023",
        "Wein et al. 2023",
        "Follow the leader(board) with confidence",
        "Tables 1 to 14, Figures 1 to 4 (without your own toxicity ratings, Tables 3, 4 and 10 to 14 and "
        "Figure 2 use ratings with their public moments, and Figures 3 and 4 show the paper's prior)",
        "make",
    ),
    Paper(
        "homan2025",
        "Homan et al. 2025",
        "How many ratings per item are necessary for reliable significance testing?",
        "Tables 1 to 3, Figures 1 to 11 (Figure 2 shows only priors if you do not have its ratings)",
        "make paper-homan",
    ),
    Paper(
        "ulmer2022",
        "Ulmer et al. 2022",
        "deep-significance: easy and meaningful statistical significance testing",
        "Tables 1 to 8, Figures 2, 3, 6 and 7, and the case study",
        "make paper-ulmer",
    ),
    Paper(
        "boostsa2022",
        "Fornaciari et al. 2022",
        "Hard and soft evaluation of NLP models with BOOtSTrap SAmpling (BooStSa)",
        "Figures 1 to 3, and Type-I error",
        "make paper-boostsa",
    ),
    Paper(
        "pandita2026",
        "Pandita et al. 2026",
        "Forest vs Tree: the (N, K) trade-off in reproducible ML evaluation",
        "Table 2, and p and power at every N·K and K",
        "make paper-pandita",
    ),
)
"""The papers in the order in which the page shows them."""


def lines(results: Path) -> Iterator[tuple[Paper, str | None]]:
    """Yield each paper with its study's line, after its cautions; None if it has not been run."""
    for paper in PAPERS:
        path = results / paper.study / "summary.json"
        if not path.exists():
            yield paper, None
            continue
        summary = read_json(path)
        yield paper, " ".join([*summary.get("cautions", ()), summary["line"]])


def write_report(results: Path, out: Path) -> None:
    """Write one self-contained HTML page of the studies that were run; list the others' commands."""
    rows = list(lines(results))
    if all(line is None for _, line in rows):
        raise NbykError(
            f"{results}: found no results of any paper; run `make`, or `make paper` for all of them"
        )
    sections = [_section(results, paper) for paper, line in rows if line is not None]
    write_text(out, render(Path(__file__).with_name("papers.html"), papers=rows, sections=sections))


def _section(results: Path, paper: Paper) -> dict[str, Any]:
    folder = results / paper.study
    summary = read_json(folder / "summary.json")
    if "shown" not in summary or not (folder / "tables").is_dir() or not (folder / "figures").is_dir():
        raise NbykError(f"no tables or no figures; run {paper.command} again", file=folder)
    template = Path(__file__).with_name(paper.study) / f"{paper.study}.html"
    shown = summary["shown"]
    headline, *figures = [
        {"title": title, "source": embedded_svg(folder / f"figures/{name}.svg")}
        for name, title in shown["figures"].items()
    ]
    return {
        "paper": paper,
        "summary": render_block(template, "summary", summary=summary),
        "headline": headline,
        "figures": figures,
        "tables": [_table(folder / f"tables/{name}.csv", shown["marked"]) for name in shown["tables"]],
    }


def _table(path: Path, marked: Sequence[str]) -> dict[str, Any]:
    caption = read_text(path.with_suffix(".md")).splitlines()[0].strip("*")
    header, *rows = list(csv.reader(io.StringIO(read_text(path), newline="")))
    z_columns = [place for place, name in enumerate(header) if name in marked]
    return {"caption": caption, "header": header, "rows": rows, "z_columns": z_columns}


def papers_report(
    results: Annotated[Path, typer.Argument(help="Folder that the studies' folders of results are in.")],
    out: Out,
) -> None:
    """Write one self-contained HTML page of the papers' studies that were run, and print their summaries."""
    write_report(results, out)
    for paper, line in lines(results):
        print(f"{paper.name}: {line or f'not run; run {paper.command}'}")
