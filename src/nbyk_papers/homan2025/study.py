"""Homan et al. 2025, how many ratings per item."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from nbyk.errors import NbykError
from nbyk.studies import Step, Study
from nbyk.studies.study import Cell, fit_file, ratings_file


class Homan2025Study(Study):
    """Homan et al. 2025, how many ratings per item."""

    name = "homan2025"
    keys = "nbyk_papers.homan2025.config:Homan2025"
    steps: ClassVar = {
        "grid": Step("nbyk_papers.homan2025.cells:grid", "homan2025/pvalues"),
        "claims": Step("nbyk_papers.homan2025.cells:claims", "homan2025/claims"),
        "power": Step("nbyk_papers.homan2025.cells:power", "homan2025/power"),
    }
    datasets: ClassVar = {
        "pvalues": "nbyk_papers.rows:homan2025_p_values",
        "rates": "nbyk_papers.rows:homan2025_rates",
    }
    report = "nbyk_papers.homan2025.report:report"

    def check(self, config: Any) -> None:
        """Raise NbykError if an own fit is asked for without ratings."""
        grid = self.settings(config)
        for source in grid.fitted:
            key = "sources" if source in grid.sources else "power_source"
            check_fit(config, f"homan2025.{key}", source)

    def cells(self, config: Any) -> list[Cell]:
        """Return the cells of the grid, of the sizes that only conclusions need, and of the power study."""
        from nbyk_papers.homan2025.cells import claim_cells, grid_cells, power_cells

        settings = self.settings(config)
        return [
            *grid_cells(config, settings),
            *claim_cells(config, settings),
            *power_cells(config, settings),
        ]

    def figures(self, config: Any) -> list[str]:
        """Return the names of its figures."""
        from nbyk_papers.homan2025.names import figure_names

        settings = self.settings(config)
        return figure_names(settings, sources_with_data(config, settings))

    def tables(self, config: Any) -> list[str]:
        """Return the names of its tables."""
        from nbyk_papers.homan2025.names import table_names

        return table_names(self.settings(config))

    def reported(self, config: Any) -> Cell:
        """Return the settings and inputs of its report."""
        from nbyk_papers.homan2025.cells import FITS
        from nbyk_papers.homan2025.design import published_source

        settings = self.settings(config)
        fitted = settings.fitted
        sources = [published_source(source) for source in fitted]
        stages = sources_with_data(config, settings)
        return Cell(
            "homan2025",
            "report",
            {"fitted": fitted, "stages": stages, "seed": config.seed},
            {
                **self.cell_paths(config),
                "stage_ratings": [ratings_file(source) for source in stages],
                "checks": [fit_file(source, "check", FITS) for source in sources],
                "ratings": [ratings_file(source) for source in sources],
                "priors": [fit_file(source, "prior", FITS) for source in sources],
            },
            memory=400,
            seconds=50,
        )

    def commands(self) -> Mapping[str, Callable[..., Any]]:
        """Return the command that fits priors by the paper's method."""
        from nbyk_papers.homan2025.commands import likelihood_fit

        return {"likelihood-fit": likelihood_fit}


def sources_with_data(config: Any, settings: Any) -> list[str]:
    """Return the paper's sources whose ratings need no extra download."""
    from nbyk.data.sources import source
    from nbyk_papers.homan2025.design import LABELS, published_source

    fitted = {published_source(name) for name in settings.fitted}
    return [
        name for name in LABELS if name in fitted or config.has_own_ratings(name) or source(name).embedded
    ]


def check_fit(config: Any, key: str, source: str) -> None:
    """Raise NbykError if a source under a key is our own fit and its ratings are missing."""
    from nbyk_papers.homan2025.design import is_own_fit, published_source

    fitted_to = published_source(source)
    if is_own_fit(source) and not config.has_ratings(fitted_to):
        raise NbykError(
            f"{source} is fitted to ratings that are not at hand; name their path as {fitted_to} under "
            "ratings, or drop it",
            key=key,
        )


STUDY = Homan2025Study()
