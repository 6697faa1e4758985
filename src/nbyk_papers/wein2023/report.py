"""What people read of Wein et al. 2023, written at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nbyk_papers.wein2023.comparison import read_cells
from nbyk_papers.wein2023.figures import write_figures
from nbyk_papers.wein2023.page import PAGE
from nbyk_papers.wein2023.tables import write_tables


def write_report(
    *,
    pvalues: Sequence[Path],
    n_items: int,
    k_responses: int,
    metrics: Sequence[str],
    samplers: Sequence[str],
    fitted: Sequence[str],
    seed: int,
    out: Path,
    ratings: Sequence[Path] = (),
    priors: Sequence[Path] = (),
) -> str:
    """Write tables, figures, the summary and the page; return the summary in a line.

    Parameters
    ----------
    pvalues
        Files of p-values.
    n_items, k_responses, metrics, samplers
        What to show of them.
    fitted
        Sources that a prior was fitted to.
    seed
        Seed of what is drawn from priors: in figures, and to show small perturbations on real gold.
    out
        Folder to write to.
    ratings, priors
        Of each source that a prior was fitted to.
    """
    cells = read_cells(pvalues, n_items=n_items, k_responses=k_responses, columns=metrics, samplers=samplers)
    fits = dict(zip(fitted, zip(ratings, priors, strict=True), strict=True))
    line = write_tables(cells, out, fits, seed=seed)
    write_figures(cells, out / "figures", fits=fits, seed=seed)
    PAGE.write(out, out / "report.html")
    return line
