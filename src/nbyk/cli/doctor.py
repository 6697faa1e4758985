"""`nbyk doctor`: checks the installation and the results, and suggests fixes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nbyk.errors import NbykError


def doctor(
    folder: Annotated[
        Path, typer.Argument(help="Folder of a run: the one that holds results and .snakemake.")
    ] = Path(),
) -> None:
    """Check versions, results and leftovers of stopped runs; exit with 3 if there is something to do."""
    from nbyk.health import examine
    from nbyk.studies import registry

    if not folder.is_dir():
        raise NbykError("no such folder; give the folder of a run, the one that holds results", file=folder)
    findings = [*registry.examine(), *examine(folder)]
    for finding in findings:
        print(finding.line)
    if any(finding.advice for finding in findings):
        raise typer.Exit(3)
    print(f"{folder}: {'nothing to do; read the notes' if findings else 'all is well'}")
