"""Pandita et al. 2026, categories."""

from __future__ import annotations

from typing import Any, ClassVar

from nbyk.studies import Step, Study
from nbyk.studies.study import Cell


class Pandita2026Study(Study):
    """Pandita et al. 2026, categories."""

    name = "pandita2026"
    keys = "nbyk_papers.pandita2026.config:Pandita2026"
    steps: ClassVar = {
        **{
            name: Step("nbyk_papers.pandita2026.cells:grid", f"pandita2026/{name}")
            for name in ("grid", "table")
        },
        "estimates": Step("nbyk_papers.pandita2026.estimates:estimates", "pandita2026/estimates"),
    }
    datasets: ClassVar = {
        "pvalues": "nbyk_papers.rows:pandita2026_p_values",
        "rates": "nbyk_papers.rows:pandita2026_rates",
    }
    report = "nbyk_papers.pandita2026.report:report"

    def cells(self, config: Any) -> list[Cell]:
        """Return the cells of each prior: the grid's, and those of Table 2; and of each kind of responses."""
        from nbyk_papers.pandita2026.cells import grid_cells
        from nbyk_papers.pandita2026.estimates import estimate_cells

        settings = self.settings(config)
        return [*grid_cells(config, settings), *estimate_cells(config, settings)]

    def figures(self, config: Any) -> list[str]:
        """Return the names of its figures."""
        return ["agreement", "p_by_k", "power_by_k", "estimates"]

    def tables(self, config: Any) -> list[str]:
        """Return the names of its tables."""
        return ["verdicts", "table_2", "smallest", "estimates", "grid"]

    def reported(self, config: Any) -> Cell:
        """Return the settings and inputs of its report."""
        return Cell("pandita2026", "report", {}, self.cell_paths(config), memory=400, seconds=12)


STUDY = Pandita2026Study()
