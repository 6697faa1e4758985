"""Pandita et al. 2026, categories."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from nbyk.errors import NbykError
from nbyk.studies import Step, Study
from nbyk.studies.study import Cell
from nbyk_papers.pandita2026.design import KINDS, PRINTED_EPSILON, PRIORS, UNREAD_BUDGETS, table_2


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
        "pvalues": "nbyk_papers.pandita2026.comparison:p_value_rows",
        "rates": "nbyk_papers.pandita2026.comparison:rate_rows",
    }
    report = "nbyk_papers.pandita2026.report:report"
    report_work = (400.0, 12.0)

    def check(self, config: Any) -> None:
        """Raise NbykError if no budget is as large as a K."""
        settings = self.settings(config)
        least = min(settings.k_responses)
        if max(settings.budgets) < least:
            raise NbykError(f"expected a budget of the least K, {least}, or more", key="pandita2026.budgets")

    def cells(self, config: Any) -> list[Cell]:
        """Return the cells of each prior: the grid's, and those of Table 2; and of each kind of responses."""
        settings = self.settings(config)
        return [*grid_cells(config, settings), *estimate_cells(config, settings)]

    def figures(self, config: Any) -> list[str]:
        return ["agreement", "p_by_k", "power_by_k", "estimates"]

    def tables(self, config: Any) -> list[str]:
        return ["verdicts", "table_2", "smallest", "estimates", "grid"]


STUDY = Pandita2026Study()


def grid_cells(config: Any, section: Any) -> Iterator[Cell]:
    """Yield the cells: for each prior the grid, and the sizes of Table 2; a cell's sizes share draws."""
    printed = table_2()
    for source in section.sources:
        of = printed[printed["source"] == source]
        unread = UNREAD_BUDGETS if of["budget"].isna().any() else ()
        asked = {
            "grid": (section.budgets, section.k_responses, section.epsilons, section.n_sets),
            "table": (
                {*of["budget"].dropna().astype(int), *unread},
                set(of["k_responses"]),
                [PRINTED_EPSILON],
                section.table_sets,
            ),
        }
        for step, (budgets, k_responses, epsilons, n_sets) in asked.items():
            told = {
                "source": source,
                "budgets": sorted(map(int, budgets)),
                "k_responses": sorted(map(int, k_responses)),
                "epsilons": sorted(epsilons),
                "n_sets": n_sets,
                "seed": config.seed,
            }
            work = max(budgets) / 50_000 * n_sets / 1000
            yield Cell(
                f"pandita2026/{step}/source={source}/{step}.parquet",
                *(step, told),
                memory=700,
                seconds=5 + (30 + 4 * len(PRIORS[source])) * work,
            )


def estimate_cells(config: Any, section: Any) -> Iterator[Cell]:
    """Yield a cell for each kind of responses and ε."""
    for source, kind in KINDS.items():
        for epsilon in kind.epsilons:
            yield Cell(
                f"pandita2026/estimates/source={source}/epsilon-{epsilon}.parquet",
                "estimates",
                {"source": source, "epsilon": epsilon, "n_sets": section.estimate_sets, "seed": config.seed},
                memory=400,
                seconds=15 + (0.03 if source == "skewed" else 0.3) * section.estimate_sets,
            )
