"""Ulmer et al. 2022, tests of scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

from nbyk.studies import Step, Study
from nbyk.studies.study import Cell
from nbyk_papers import placed
from nbyk_papers.batches import Axis, batched
from nbyk_papers.ulmer2022.design import (
    SEMANTICS,
    TESTS,
    TYPE_1,
    papers_settings,
    settings,
    table_name,
)

SCORE_TESTS = Axis("ulmer2022", tuple(TESTS))


def score_cells(config: Any, section: Any) -> Iterator[Cell]:
    """Yield the cells: of each semantics and distribution, by batches of settings and of tests."""
    for semantics in SEMANTICS:
        for distribution in section.distributions:
            start = f"ulmer2022/scores/semantics={semantics}/distribution={distribution}/scores"
            papers = papers_settings(distribution)
            lead = section.leads.get(distribution)
            asked = settings(section.sample_sizes, lead, section.differences)
            of_name = {setting.name: setting for setting in (*papers, *asked)}
            axis = Axis("ulmer2022", tuple(setting.name for setting in papers))
            axes = [(axis, [setting.name for setting in asked]), (SCORE_TESTS, section.tests)]
            for file, (names, tests) in batched(start, axes):
                of_cell = [of_name[name] for name in names]
                simulations = max(section.n_simulations, 2 * section.aso_simulations) / 1000
                scores = max(0.1, sum(setting.sample_size for setting in of_cell) / 120)
                yield Cell(
                    file,
                    "scores",
                    {
                        "distribution": distribution,
                        "semantics": semantics,
                        "at": [list(setting) for setting in of_cell],
                        "tests": tests,
                        "n_simulations": section.n_simulations,
                        "aso_simulations": section.aso_simulations,
                        "n_resamples": section.n_resamples,
                        "seed": config.seed,
                    },
                    memory=315,
                    seconds=4 * scores * simulations * section.n_resamples / 1000,
                )


class Ulmer2022Study(Study):
    """Ulmer et al. 2022, tests of scores."""

    name = "ulmer2022"
    keys = "nbyk_papers.ulmer2022.config:Ulmer2022"
    steps: ClassVar = {"scores": Step("nbyk_papers.ulmer2022.score_cells:scores", "ulmer2022/scores")}
    datasets: ClassVar = {
        "pvalues": "nbyk_papers.ulmer2022.comparison:p_value_rows",
        "rates": "nbyk_papers.ulmer2022.comparison:rate_rows",
    }
    report = "nbyk_papers.ulmer2022.report:report"
    report_work = (411.0, 12.0)

    def cells(self, config: Any) -> list[Cell]:
        """Return the cells of each semantics and distribution."""
        return list(score_cells(config, self.settings(config)))

    def gathered(self, config: Any) -> Cell:
        return self._with_thresholds(super().gathered(config), config)

    def figures(self, config: Any) -> list[str]:
        type_2 = any(error != TYPE_1 for _, error in self._experiments(config))
        numbers = (3, 6, 7) if type_2 else (3, 6)
        own = [placed(semantics, f"figure_{number:02d}") for semantics in SEMANTICS for number in numbers]
        return ["agreement", "figure_02", *own]

    def tables(self, config: Any) -> list[str]:
        experiments = self._experiments(config)
        own = [placed(semantics, table_name(*each)) for semantics in SEMANTICS for each in experiments]
        return ["agreement", "outside", "rates", "verdicts", *own]

    def _experiments(self, config: Any) -> list[tuple[str, str]]:
        """Return each distribution with each kind of error that is simulated of it."""
        asked = self.settings(config)
        return [
            (name, error)
            for name in asked.distributions
            for error in dict.fromkeys(
                at.error for at in settings(asked.sample_sizes, asked.leads.get(name), asked.differences)
            )
        ]

    def reported(self, config: Any) -> Cell:
        return self._with_thresholds(super().reported(config), config)

    def _with_thresholds(self, cell: Cell, config: Any) -> Cell:
        return replace(cell, settings={**cell.settings, "thresholds": self.settings(config).thresholds})


STUDY = Ulmer2022Study()
