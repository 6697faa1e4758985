"""Raters whom items share: p-values with and without who rated what."""

from __future__ import annotations

from typing import Any, ClassVar

from nbyk.errors import NbykError
from nbyk.studies import Step, Study
from nbyk.studies.study import Cell
from nbyk_papers import placed


class RatersStudy(Study):
    """Raters whom items share: p-values with and without who rated what."""

    name = "raters"
    keys = "nbyk_papers.raters.config:Raters"
    steps: ClassVar = {
        "pvalues": Step("nbyk_papers.raters.cells:pvalues", "raters/pvalues"),
        "categories": Step("nbyk_papers.raters.categories:categories", "raters/categories"),
    }
    datasets: ClassVar = {
        "pvalues": "nbyk_papers.raters.report:p_value_rows",
        "rates": "nbyk_papers.raters.report:rate_rows",
    }
    report = "nbyk_papers.raters.report:report"

    def check(self, config: Any) -> None:
        """Raise NbykError if ratings that are asked for are missing, or a size has too few raters."""
        settings = self.settings(config)
        for source in settings.sources:
            if not config.has_ratings(source):
                raise NbykError(f"found {source}, whose ratings are not at hand", key="raters.sources")
        for n_items, k in settings.all_sizes:
            if k < 3:
                raise NbykError(
                    f"found {n_items} × {k}; expected 3 raters or more, who can speak for others",
                    key="raters.sizes",
                )

    def cells(self, config: Any) -> list[Cell]:
        """Return the cells of each data set and kind of system B."""
        from nbyk_papers.raters.categories import category_cells
        from nbyk_papers.raters.cells import p_value_cells, sources_of

        settings = self.settings(config)
        of_categories = category_cells(config, settings, sources_of(config, settings))
        return [*p_value_cells(config, settings), *of_categories]

    def figures(self, config: Any) -> list[str]:
        from nbyk_papers.raters.cells import sources_of
        from nbyk_papers.raters.design import LABELS, SEMANTICS

        return [
            placed(semantics, f"{source}_{metric}")
            for semantics in SEMANTICS
            for source in sources_of(config, self.settings(config))
            for metric in LABELS
        ]

    def tables(self, config: Any) -> list[str]:
        return ["verdicts", "raters", "pvalues", "categories"]

    def reported(self, config: Any) -> Cell:
        priors = [str(cell.inputs["prior"]) for cell in self.cells(config) if "prior" in cell.inputs]
        inputs = {**self.cell_paths(config), "priors": list(dict.fromkeys(priors))}
        return Cell("raters", "report", {}, inputs, memory=300, seconds=10)


STUDY = RatersStudy()
