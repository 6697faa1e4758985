"""Wein et al. 2023: the default run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from nbyk.errors import NbykError, unknown_name
from nbyk.studies import Study
from nbyk.studies.cell import Cell
from nbyk.studies.results import fit_file, ratings_file

if TYPE_CHECKING:
    from pydantic import BaseModel


class Wein2023Study(Study):
    """Wein et al. 2023: the default run."""

    name = "wein2023"
    store = "pvalues"
    keys_of_its_own = False
    steps: ClassVar = {"pvalues": "nbyk_papers.wein2023.steps:pvalues"}
    report = "nbyk_papers.wein2023.report:report"

    def section(self) -> type[BaseModel]:
        """Return its keys."""
        from nbyk_papers.wein2023.config import Wein2023

        return Wein2023

    def check(self, config: Any) -> None:
        """Raise NbykError if a source is unknown, or has neither ratings nor a prior, or samplers a null."""
        from nbyk.data.sources import source_names
        from nbyk_papers.wein2023.design import PRIORS

        known = ("simulated", *source_names(), *config.own_ratings)
        for index, source in enumerate(config.sources):
            if source not in known:
                raise unknown_name("source", source, known).about(key=f"sources.{index}")
        for source in config.sources:
            if source not in PRIORS and not config.has_ratings(source):
                raise NbykError(
                    f"{source} has no published prior here, and its ratings are not at hand; name their "
                    f"path as {source} under ratings, or drop it",
                    key="sources",
                )
        fixed = [name for name in config.samplers if name.startswith("all_items")]
        if config.recommended_null == "shifted" and "recommended" in config.semantics and fixed:
            raise NbykError(
                f"the shifted null is for samplers that bootstrap items; drop {fixed[0]}",
                key="recommended_null",
            )

    def commands(self) -> Mapping[str, Callable[..., Any]]:
        """Return the commands for each step from a prior, or your own ratings, to p-values."""
        from nbyk_papers.wein2023.effects import COMMANDS

        return COMMANDS

    def cells(self, config: Any) -> list[Cell]:
        """Return its files of p-values, each with one or more cells."""
        from nbyk_papers.wein2023.road import p_value_cells, places

        return p_value_cells(config, places(config))

    def cell(self, config: Any, file: str) -> Cell | None:
        """Return the cell of a file from its name, even if the configuration no longer asks for it."""
        from nbyk_papers.wein2023.road import p_value_cell

        try:
            return p_value_cell(config, file)
        except ValueError:
            return None

    def reported(self, config: Any) -> Cell:
        """Return the settings and inputs of its report."""
        from nbyk_papers.wein2023.road import has_size

        first = config.sizes[0]
        shown = [cell for cell in self.cells(config) if has_size(cell, first.n_items, first.k_responses)]
        fitted = [
            source
            for source in config.sources
            if config.has_ratings(source) and "recommended" in config.semantics
        ]
        told = {
            "n_items": first.n_items,
            "k_responses": first.k_responses,
            "metrics": config.metrics,
            "samplers": config.samplers,
            "fitted": fitted,
            "seed": config.seed,
        }
        inputs = {
            "pvalues": [cell.path for cell in shown],
            "ratings": [ratings_file(source) for source in fitted],
            "priors": [fit_file(source, "prior") for source in fitted],
        }
        return Cell("wein2023", "report", told, inputs, memory=388, seconds=10)


STUDY = Wein2023Study()
