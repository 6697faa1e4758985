"""What people read of Fornaciari et al. 2022, written at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nbyk_papers.boostsa2022.figures import write_figures
from nbyk_papers.boostsa2022.page import PAGE
from nbyk_papers.boostsa2022.reading import read_levels, read_p_values
from nbyk_papers.boostsa2022.tables import write_tables


def write_report(*, pvalues: Sequence[Path], levels: Sequence[Path], out: Path) -> str:
    """Write tables, figures, the summary and the page; return the summary in a line.

    Parameters
    ----------
    pvalues
        Files of the steps balanced, tagging and example.
    levels
        Files of the step levels.
    out
        Folder to write to.
    """
    found = read_p_values(pvalues), read_levels(levels)
    line = write_tables(*found, out)
    write_figures(*found, out / "figures")
    PAGE.write(out, out / "report.html")
    return line
