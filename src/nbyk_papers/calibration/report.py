"""What people read of calibration, written at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nbyk_papers.calibration.figures import write_figures
from nbyk_papers.calibration.page import PAGE
from nbyk_papers.calibration.reading import read_rates
from nbyk_papers.calibration.tables import write_tables


def write_report(*, rates: Sequence[Path], out: Path) -> str:
    """Write tables, heat maps, the summary and the page; return the summary in a line.

    Parameters
    ----------
    rates
        Files of the step rates.
    out
        Folder to write to.
    """
    found = read_rates(rates)
    line = write_tables(found, out)
    write_figures(found, out / "figures")
    PAGE.write(out, out / "report.html")
    return line
