"""`nbyk study papers-report`: all of the papers' studies on one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nbyk.cli.options import Out


def papers_report(
    results: Annotated[Path, typer.Argument(help="Folder that the studies' folders of results are in.")],
    out: Out,
) -> None:
    """Write one self-contained HTML page of the papers' studies that were run, and print their summaries."""
    from nbyk_papers.papers import lines, write_report

    write_report(results, out)
    for paper, line in lines(results):
        print(f"{paper.name}: {line or f'not run; run {paper.command}'}")
