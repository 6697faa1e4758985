"""Ulmer et al. 2022, tests of scores."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from nbyk.studies import Step, Study
from nbyk.studies.study import Cell


class Ulmer2022Study(Study):
    """Ulmer et al. 2022, tests of scores."""

    name = "ulmer2022"
    keys = "nbyk_papers.ulmer2022.config:Ulmer2022"
    steps: ClassVar = {"scores": Step("nbyk_papers.ulmer2022.cells:scores", "ulmer2022/scores")}
    datasets: ClassVar = {
        "pvalues": "nbyk_papers.rows:ulmer2022_p_values",
        "rates": "nbyk_papers.rows:ulmer2022_rates",
    }
    report = "nbyk_papers.ulmer2022.report:report"

    def cells(self, config: Any) -> list[Cell]:
        """Return the cells of each semantics and distribution."""
        from nbyk_papers.ulmer2022.cells import score_cells

        return list(score_cells(config, self.settings(config)))

    def gathered(self, config: Any) -> Cell:
        """Return the settings and inputs of its rows of the datasets."""
        own = super().gathered(config)
        return replace(own, settings={**own.settings, "thresholds": self.settings(config).thresholds})

    def reported(self, config: Any) -> Cell:
        """Return the settings and inputs of its report."""
        told = {"thresholds": self.settings(config).thresholds}
        return Cell("ulmer2022", "report", told, self.cell_paths(config), memory=411, seconds=12)


STUDY = Ulmer2022Study()
