"""What people read of Ulmer et al. 2022, written at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nbyk_papers.ulmer2022.figures import write_figures
from nbyk_papers.ulmer2022.page import PAGE
from nbyk_papers.ulmer2022.reading import error_rates, read_scores
from nbyk_papers.ulmer2022.tables import write_tables


def write_report(*, scores: Sequence[Path], thresholds: Sequence[float], out: Path) -> str:
    """Write tables, figures, the summary and the page; return the summary in a line.

    Parameters
    ----------
    scores
        Files of the step scores.
    thresholds
        Of p-values and eps_min.
    out
        Folder to write to.
    """
    found = read_scores(scores)
    line = write_tables(error_rates(found, thresholds), out)
    write_figures(found, out / "figures", thresholds)
    PAGE.write(out, out / "report.html")
    return line
