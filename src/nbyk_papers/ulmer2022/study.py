"""Ulmer et al. 2022, tests of scores."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from nbyk.studies import Step, Study
from nbyk.studies.study import Cell
from nbyk_papers import placed


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

    def figures(self, config: Any) -> list[str]:
        """Return the names of its figures."""
        from nbyk_papers.ulmer2022.design import SEMANTICS, TYPE_1

        type_2 = any(error != TYPE_1 for _, error in self._experiments(config))
        numbers = (3, 6, 7) if type_2 else (3, 6)
        own = [placed(semantics, f"figure_{number:02d}") for semantics in SEMANTICS for number in numbers]
        return [*(["agreement"] if self._has_published(config) else []), "figure_02", *own]

    def tables(self, config: Any) -> list[str]:
        """Return the names of its tables."""
        from nbyk_papers.ulmer2022.design import SEMANTICS, table_name

        experiments = self._experiments(config)
        own = [placed(semantics, table_name(*each)) for semantics in SEMANTICS for each in experiments]
        return [*(["agreement", "outside"] if self._has_published(config) else []), "rates", "verdicts", *own]

    def _experiments(self, config: Any) -> list[tuple[str, str]]:
        """Return each distribution with each kind of error that is simulated of it."""
        from nbyk_papers.ulmer2022.design import settings

        asked = self.settings(config)
        return [
            (name, error)
            for name in asked.distributions
            for error in dict.fromkeys(
                at.error for at in settings(asked.sample_sizes, asked.leads.get(name), asked.differences)
            )
        ]

    def _has_published(self, config: Any) -> bool:
        """Return whether a published rate stands beside ours."""
        from nbyk_papers.ulmer2022.design import DISTRIBUTIONS, TESTS, THRESHOLDS, papers_settings, settings

        asked = self.settings(config)
        if not set(asked.tests) & set(TESTS) or not set(asked.thresholds) & set(THRESHOLDS):
            return False
        return any(
            set(settings(asked.sample_sizes, asked.leads.get(name), asked.differences))
            & set(papers_settings(name))
            for name in asked.distributions
            if name in DISTRIBUTIONS
        )

    def reported(self, config: Any) -> Cell:
        """Return the settings and inputs of its report."""
        told = {"thresholds": self.settings(config).thresholds}
        return Cell("ulmer2022", "report", told, self.cell_paths(config), memory=411, seconds=12)


STUDY = Ulmer2022Study()
