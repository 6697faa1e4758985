"""Wein et al. 2023: the default run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from nbyk.errors import NbykError, unknown_name
from nbyk.studies import Study
from nbyk.studies.cell import Cell

if TYPE_CHECKING:
    from pydantic import BaseModel


class Wein2023Study(Study):
    """Wein et al. 2023: the default run."""

    name = "wein2023"
    keys_of_its_own = False
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
        """Return the commands behind the rules of its cells, which your own ratings can take as well."""
        from nbyk_papers.wein2023.effects import COMMANDS

        return COMMANDS

    def cells(self, config: Any) -> list[Cell]:
        """Return its cells, which the workflow's rules from reference sets to p-values make."""
        from nbyk_papers.wein2023.road import p_value_files, places

        return [Cell(file, "pvalues") for file in p_value_files(config, places(config))]

    def reported(self, config: Any) -> Cell:
        """Return what its report is told and reads."""
        first = config.sizes[0]
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
            "pvalues": [f"results/{cell.file}" for cell in self.cells(config)],
            "ratings": [f"results/ratings/{source}.parquet" for source in fitted],
            "priors": [f"results/fits/{source}/prior.json" for source in fitted],
        }
        return Cell("wein2023", "report", told, inputs, memory=388, seconds=10)


STUDY = Wein2023Study()
