"""Wein et al. 2023: the default run."""

from __future__ import annotations

from typing import Any, ClassVar

from nbyk.errors import NbykError, unknown_name
from nbyk.studies import Step, Study
from nbyk.studies.study import Cell, fit_file, ratings_file
from nbyk_papers import placed
from nbyk_papers.wein2023.design import (
    PRIORS,
    SUMMARY_TABLES,
    full_table_name,
    minima_figure_name,
    minima_table_name,
    stage_figure_name,
)

MOST_SECTIONS = 12


def shown(config: Any) -> list[list[float]]:
    """Return the N, K and ε_A of each section of the report, the first twelve."""
    sections = [
        [size.n_items, size.k_responses, epsilon_a] for size in config.sizes for epsilon_a in config.epsilon_a
    ]
    return sections[:MOST_SECTIONS]


def section_folder(n_items: float, k_responses: float, epsilon_a: float) -> str:
    """Return the folder of the tables and figures of a section after the first."""
    perturbed = f"_a-{epsilon_a:g}" if epsilon_a else ""
    return f"n-{n_items:g}_k-{k_responses:g}{perturbed}"


def figure_names(config: Any, fitted: list[str]) -> list[str]:
    """Return the names of the report's figures, without suffix."""
    stages = [
        stage_figure_name(source, stage)
        for source in ("toxicity", *(name for name in fitted if name != "toxicity"))
        for stage in ("means", "sds")
    ]
    minima = [
        f"{_folder(config, section)}{placed(semantics, minima_figure_name(source))}"
        for section in shown(config)
        for semantics, sources in _sources(config).items()
        for source in sources
    ]
    return [*["agreement"] * ("published" in _sources(config)), *minima, *stages]


def table_names(config: Any) -> list[str]:
    """Return the names of the report's tables, without suffix."""
    names_of_tables = ["verdicts", "ranks_by_cell"]
    for section in shown(config):
        for semantics, sources in _sources(config).items():
            names = list(SUMMARY_TABLES)
            for source in sources:
                names += [minima_table_name(source, kind) for kind in ("sampler", "metric")]
                names += [full_table_name(source, epsilon) for epsilon in config.epsilons]
            names_of_tables += [f"{_folder(config, section)}{placed(semantics, name)}" for name in names]
    return names_of_tables


def _sources(config: Any) -> dict[str, list[str]]:
    """Return the sources that have p-values under each semantics."""
    every = {
        semantics: [name for name in config.sources if semantics == "recommended" or name in PRIORS]
        for semantics in config.semantics
    }
    return {semantics: sources for semantics, sources in every.items() if sources}


def _folder(config: Any, section: list[float]) -> str:
    """Return the folder of a section, with a slash; the first has none."""
    return "" if section == shown(config)[0] else f"{section_folder(*section)}/"


STEPS = {
    "simulate": Step("nbyk_papers.wein2023.steps:simulate", "reference_sets"),
    "true_p": Step("nbyk_papers.wein2023.steps:true_p", "true_p"),
    "estimate_p": Step("nbyk_papers.wein2023.steps:estimate_p", "estimated_p"),
}
"""The stages from a prior to p-values, which the study `datasets` shares."""


class Wein2023Study(Study):
    """Wein et al. 2023: the default run."""

    name = "wein2023"
    keys = "nbyk_papers.wein2023.config:Wein2023"
    keys_of_its_own = False
    steps: ClassVar = STEPS
    datasets: ClassVar = {"pvalues": "nbyk_papers.wein2023.pvalues:p_values"}
    report = "nbyk_papers.wein2023.report:report"

    def rule(self, part: str) -> str:
        """Return the bare name of a part: this is the default run."""
        return part

    def check(self, config: Any) -> None:
        """Raise NbykError if a source is unknown, or has neither ratings nor a prior, or samplers a null."""
        from nbyk.data.sources import source_names

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
        if not _sources(config):
            raise NbykError(
                f"the published semantics is of {' and '.join(PRIORS)} alone; add recommended for ratings",
                key="semantics",
            )
        fixed = [name for name in config.samplers if name.startswith("all_items")]
        if config.recommended_null == "shifted" and "recommended" in config.semantics and fixed:
            raise NbykError(
                f"the shifted null is for samplers that bootstrap items; drop {fixed[0]}",
                key="recommended_null",
            )

    def cells(self, config: Any) -> list[Cell]:
        """Return the files of each stage, each with one or more cells."""
        from nbyk_papers.wein2023.road import places, road_cells

        return road_cells(config, places(config))

    def cell(self, config: Any, file: str) -> Cell | None:
        """Return the cell of a file from its name, even if the configuration no longer asks for it."""
        from nbyk_papers.wein2023.road import road_cell

        try:
            return road_cell(config, file)
        except ValueError:
            return None

    def gathered(self, config: Any) -> Cell:
        from nbyk_papers.wein2023.road import gathered, places

        return gathered(self.name, config, places(config))

    def figures(self, config: Any) -> list[str]:
        return figure_names(config, self._fitted(config))

    def tables(self, config: Any) -> list[str]:
        return table_names(config)

    def reported(self, config: Any) -> Cell:
        fitted = self._fitted(config)
        told = {
            "shown": shown(config),
            "metrics": config.metrics,
            "samplers": config.samplers,
            "fitted": fitted,
            "seed": config.seed,
        }
        inputs = {
            "pvalues": [f"results/pvalues/{self.name}.parquet"],
            "ratings": [ratings_file(source) for source in fitted],
            "priors": [fit_file(source, "prior") for source in fitted],
        }
        return Cell(self.name, "report", told, inputs, memory=388, seconds=10)

    @staticmethod
    def _fitted(config: Any) -> list[str]:
        """Return the sources with a prior fitted to their ratings."""
        if "recommended" not in config.semantics:
            return []
        return [source for source in config.sources if config.has_ratings(source)]


STUDY = Wein2023Study()
