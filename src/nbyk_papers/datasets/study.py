"""Every data set that you have: its ratings, the prior fitted to them, and p-values."""

from __future__ import annotations

from typing import Any, ClassVar

from nbyk.studies import Study
from nbyk.studies.study import Cell, fit_file, ratings_file


class DatasetsStudy(Study):
    """Every data set that you have: its ratings, the prior fitted to them, and p-values."""

    name = "datasets"
    keys_of_its_own = False
    datasets: ClassVar = {"pvalues": "nbyk_papers.wein2023.pvalues:p_values"}
    report = "nbyk_papers.datasets.report:report"

    def note(self, config: Any) -> str:
        """Return the data sets that are not at hand, and how to get them."""
        from nbyk.data import source, source_names
        from nbyk_papers.datasets.at_hand import data_sets

        missing = sorted(set(source_names()) - set(data_sets(config)))
        ways = {
            "`nbyk data fetch` has": [name for name in missing if source(name).remote],
            "your own copies, with a path under ratings, are": [
                name for name in missing if not source(name).remote
            ],
        }
        said = [f"{way} {', '.join(names)}" for way, names in ways.items() if names]
        return f"not at hand: {'; '.join(said)} (docs/data.md)" if said else ""

    def cells(self, config: Any) -> list[Cell]:
        """Return the files of every data set, which the steps of Wein et al. 2023 make."""
        from nbyk_papers.datasets.at_hand import data_set_places
        from nbyk_papers.wein2023.road import road_cells

        return road_cells(config, data_set_places(config))

    def gathered(self, config: Any) -> Cell:
        from nbyk_papers.datasets.at_hand import data_set_places
        from nbyk_papers.wein2023.road import gathered

        return gathered(self.name, config, data_set_places(config))

    def figures(self, config: Any) -> list[str]:
        from nbyk_papers.datasets.at_hand import data_sets

        return data_sets(config)

    def tables(self, config: Any) -> list[str]:
        return ["data_sets", "pvalues", *(f"pvalues/{name}" for name in self.figures(config))]

    def reported(self, config: Any) -> Cell:
        from nbyk_papers.datasets.at_hand import data_sets

        sources = data_sets(config)
        inputs: dict[str, list[str]] = {
            "pvalues": [f"results/pvalues/{self.name}.parquet"],
            "ratings": [ratings_file(source) for source in sources],
            "priors": [fit_file(source, "prior") for source in sources],
            "checks": [fit_file(source, "check") for source in sources],
        }
        told = {"sources": sources, "seed": config.seed}
        return Cell("datasets", "report", told, inputs, memory=324, seconds=12)


STUDY = DatasetsStudy()
