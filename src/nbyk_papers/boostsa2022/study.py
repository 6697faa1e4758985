"""Fornaciari et al. 2022, BooStSa: bootstrap tests of label predictions."""

from __future__ import annotations

from typing import Any, ClassVar

from nbyk.errors import NbykError
from nbyk.studies import Step, Study
from nbyk.studies.study import Cell


class Boostsa2022Study(Study):
    """Fornaciari et al. 2022, BooStSa: bootstrap tests of label predictions."""

    name = "boostsa2022"
    keys = "nbyk_papers.boostsa2022.config:Boostsa2022"
    steps: ClassVar = {
        name: Step(f"nbyk_papers.boostsa2022.label_cells:{name}", f"boostsa2022/{folder}")
        for name, folder in {
            "balanced": "pvalues/design=balanced",
            "tagging": "pvalues/design=tagging",
            "example": "pvalues/design=example",
            "levels": "levels",
        }.items()
    }
    datasets: ClassVar = {
        "pvalues": "nbyk_papers.rows:boostsa2022_p_values",
        "rates": "nbyk_papers.rows:boostsa2022_rates",
    }
    report = "nbyk_papers.boostsa2022.report:report"

    def check(self, config: Any) -> None:
        """Raise NbykError if no score of hard labels is asked for."""
        from nbyk_papers.boostsa2022.design import HARD_SCORES

        scores = self.settings(config).scores
        if not set(scores) & set(HARD_SCORES):
            raise NbykError(
                f"found {', '.join(scores)}; expected at least one score of hard labels, such as accuracy, "
                "for Figures 1 to 3",
                key="boostsa2022.scores",
            )

    def cells(self, config: Any) -> list[Cell]:
        """Return the cells of the paper's figures and of Type-I error."""
        from nbyk_papers.boostsa2022.cells import level_cells, p_value_cells

        settings = self.settings(config)
        return [*p_value_cells(config, settings), *level_cells(config, settings)]

    def figures(self, config: Any) -> list[str]:
        """Return the names of its figures; the second is of taggers."""
        tagging = ["figure_02"] if self.settings(config).discordances else []
        return ["type_1_error", "figure_01", *tagging, "figure_03"]

    def tables(self, config: Any) -> list[str]:
        """Return the names of its tables: the verdicts, and the numbers of each figure."""
        return ["verdicts", *self.figures(config)]

    def reported(self, config: Any) -> Cell:
        """Return the settings and inputs of its report."""
        return Cell("boostsa2022", "report", {}, self.cell_paths(config), memory=267, seconds=8)


STUDY = Boostsa2022Study()
