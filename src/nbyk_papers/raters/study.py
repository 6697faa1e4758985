"""Raters whom items share: p-values with and without who rated what."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from nbyk.errors import NbykError
from nbyk.studies import Step, Study
from nbyk.studies.study import DOWNLOADS, Cell, fit_file, ratings_file
from nbyk_papers import placed
from nbyk_papers.homan2025.design import LABELS as PUBLISHED
from nbyk_papers.homan2025.study import prior_file
from nbyk_papers.raters.design import LABELS, SEMANTICS, WITH_IDS


def sources_of(config: Any, settings: Any) -> list[str]:
    """Return the data sets of the study: those asked for, or all with ids that you have."""
    at_hand = config.at_hand(DOWNLOADS)
    return settings.sources or [name for name in WITH_IDS if name in at_hand]


def p_value_cells(config: Any, settings: Any) -> Iterator[Cell]:
    """Yield a cell for each data set with ids and each kind of system B."""
    systems = [
        *((epsilon, 0.0) for epsilon in settings.epsilons),
        *((0.0, shift) for shift in settings.shifts),
    ]
    ratings = sum(n * k for n, k in settings.all_sizes)
    for source in sources_of(config, settings):
        prior = prior_file(source) if source in PUBLISHED else fit_file(source, "prior")
        for epsilon, shift in systems:
            yield Cell(
                f"raters/pvalues/source={source}/epsilon-{epsilon}_shift-{shift}.parquet",
                "pvalues",
                {
                    "epsilon": epsilon,
                    "shift": shift,
                    "sizes": [list(size) for size in settings.all_sizes],
                    "n_sets": settings.n_sets,
                    "n_resamples": settings.n_resamples,
                    "seed": config.seed,
                },
                {"prior": prior, "ratings": ratings_file(source)},
                memory=400,
                seconds=min(500.0, 5.0 + 2e-7 * ratings * settings.n_sets * settings.n_resamples),
            )


def category_cells(config: Any, settings: Any) -> Iterator[Cell]:
    """Yield a cell for each data set and ε."""
    for source in sources_of(config, settings):
        for epsilon in settings.category_epsilons:
            yield Cell(
                f"raters/categories/source={source}/epsilon-{epsilon}.parquet",
                "categories",
                {"epsilon": epsilon, "n_sets": settings.category_sets, "seed": config.seed},
                {"ratings": ratings_file(source)},
                memory=400,
                seconds=5 + 0.05 * settings.category_sets,
            )


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
        settings = self.settings(config)
        return [*p_value_cells(config, settings), *category_cells(config, settings)]

    def figures(self, config: Any) -> list[str]:
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
