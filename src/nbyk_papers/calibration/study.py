"""How often each test rejects, where it should not and where it should."""

from __future__ import annotations

from typing import Any, ClassVar

from nbyk.errors import NbykError
from nbyk.studies import Step, Study
from nbyk.studies.study import Cell


class CalibrationStudy(Study):
    """How often each test rejects, where it should not and where it should."""

    name = "calibration"
    keys = "nbyk_papers.calibration.config:Calibration"
    steps: ClassVar = {
        "rates": Step("nbyk_papers.calibration.cells:rates", "calibration/rates"),
        "labels": Step("nbyk_papers.calibration.labels:labels", "calibration/labels"),
    }
    datasets: ClassVar = {
        "rates": "nbyk_papers.rows:calibration_rates",
    }
    report = "nbyk_papers.calibration.report:report"

    def check(self, config: Any) -> None:
        """Raise NbykError if the ratings of an own fit are missing, or draws cannot reach a level."""
        from nbyk_papers.homan2025.study import check_fit

        levels = self.settings(config)
        for source in levels.sources:
            check_fit(config, "calibration.sources", source)
        for alpha in levels.alphas:
            rank = (1 + levels.n_resamples) * alpha / 2
            if abs(rank - round(rank)) > 1e-9 or round(rank) < 1:
                raise NbykError(
                    f"found {levels.n_resamples}; expected (1 + M)·α/2 to be a whole number for "
                    f"α = {alpha:g}, as it is for 199 draws and α = .01, .05 and .1",
                    key="calibration.n_resamples",
                )

    def cells(self, config: Any) -> list[Cell]:
        """Return the cells of each source, truth and size, and those of labels."""
        from nbyk_papers.calibration.cells import rate_cells
        from nbyk_papers.calibration.labels import label_cells

        settings = self.settings(config)
        return [*rate_cells(config, settings), *label_cells(config, settings)]

    def figures(self, config: Any) -> list[str]:
        """Return the names of its heat maps."""
        return ["type_1_error", "metrics", *self._parts(config)]

    def tables(self, config: Any) -> list[str]:
        """Return the names of its tables."""
        of_labels = ["labels"] if self.settings(config).label_classes else []
        return ["default", "default_metrics", "tests", "all_metrics", *self._parts(config), *of_labels]

    def _parts(self, config: Any) -> list[str]:
        """Return the parts of the study that a configuration may leave out."""
        settings = self.settings(config)
        parts = {"expected_p": settings.expected_sizes, "power": settings.power_epsilons}
        return [name for name, asked in parts.items() if asked]

    def reported(self, config: Any) -> Cell:
        """Return the settings and inputs of its report."""
        cells = self.cells(config)
        rates = [cell for cell in cells if cell.step == "rates"]
        inputs: dict[str, list[str]] = {
            "rates": [cell.path for cell in rates],
            "priors": list(dict.fromkeys(str(cell.inputs["prior"]) for cell in rates)),
            "labels": [cell.path for cell in cells if cell.step == "labels"],
        }
        return Cell("calibration", "report", {}, inputs, memory=300, seconds=40)


STUDY = CalibrationStudy()
