"""What people read of Homan et al. 2025, written at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nbyk_papers.homan2025.comparison import read_grid
from nbyk_papers.homan2025.figures import write_figures
from nbyk_papers.homan2025.page import PAGE
from nbyk_papers.homan2025.tables import read_power, write_tables


def write_report(
    *,
    pvalues: Sequence[Path],
    fitted: Sequence[str],
    seed: int,
    out: Path,
    power: Sequence[Path] = (),
    checks: Sequence[Path] = (),
    ratings: Sequence[Path] = (),
    priors: Sequence[Path] = (),
) -> str:
    """Write tables, figures, the summary and the page; return the summary in a line.

    Parameters
    ----------
    pvalues, power
        Files of the steps grid and power.
    fitted
        Sources that are own fits.
    seed
        Seed of what figures draw from priors.
    out
        Folder to write to.
    checks, ratings, priors
        Of each source that is an own fit: its goodness, its ratings and its prior.
    """
    line = write_tables(pvalues, power, dict(zip(fitted, checks, strict=True)), out)
    fits = dict(zip(fitted, zip(ratings, priors, strict=True), strict=True))
    write_figures(read_grid(pvalues), read_power(power) if power else None, fits, out / "figures", seed=seed)
    PAGE.write(out, out / "report.html")
    return line
