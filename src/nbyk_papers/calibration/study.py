"""How often each test rejects, where it should not and where it should."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, ClassVar

from nbyk.errors import NbykError
from nbyk.resampling.samplers import WEIN_SAMPLERS
from nbyk.studies import Step, Study
from nbyk.studies.study import Cell
from nbyk_papers.batches import Axis, batched
from nbyk_papers.calibration.design import ANSWERS, METRICS, PEOPLE
from nbyk_papers.homan2025.study import check_fit, prior_file, size_name

RATE_METRICS = Axis("default", METRICS)
RATE_SAMPLERS = Axis("wein2023", tuple(WEIN_SAMPLERS))


def rate_cells(config: Any, settings: Any) -> Iterator[Cell]:
    """Yield the cells: of p-values and intervals, and of expected p by batches of samplers."""
    truths = [
        *((epsilon, epsilon) for epsilon in (0.0, *settings.weak_epsilons)),
        *((0.0, epsilon) for epsilon in settings.power_epsilons),
    ]
    metrics = [(RATE_METRICS, settings.metrics)]
    by_sampler = [*metrics, (RATE_SAMPLERS, settings.samplers)]
    of_sizes = [
        *(("", size, metrics) for size in settings.sizes),
        *(("_expected", size, by_sampler) for size in settings.expected_sizes),
    ]
    for source, (part, size, asked), (epsilon_a, epsilon_b) in product(settings.sources, of_sizes, truths):
        name = f"epsilon-{epsilon_a}-{epsilon_b}_{size_name((size.n_items, size.k_responses))}{part}"
        for file, (cell_metrics, *samplers) in batched(f"calibration/rates/source={source}/{name}", asked):
            drawn = {
                "n_items": size.n_items,
                "k_responses": size.k_responses,
                "epsilon_a": epsilon_a,
                "epsilon_b": epsilon_b,
                "metrics": cell_metrics,
                "samplers": samplers[0] if samplers else [],
            }
            yield _cell(file, config, settings, source, drawn)


def _cell(file: str, config: Any, settings: Any, source: str, drawn: dict[str, Any]) -> Cell:
    n_resamples = settings.expected_resamples if drawn["samplers"] else settings.n_resamples
    draws = 5 * n_resamples if drawn["samplers"] else n_resamples
    responses = max(50, drawn["n_items"]) * drawn["k_responses"] / 2500
    return Cell(
        file,
        "rates",
        {
            **drawn,
            "alphas": settings.alphas,
            "n_sets": settings.n_sets,
            "n_resamples": n_resamples,
            "n_bootstraps": settings.n_bootstraps,
            "seed": config.seed,
        },
        {"prior": prior_file(source), "metric_files": config.files_of_metrics(drawn["metrics"])},
        memory=424,
        seconds=120 * responses * settings.n_sets / 1000 * draws / 199,
    )


def label_cells(config: Any, settings: Any) -> Iterator[Cell]:
    """Yield a cell for each number of classes, kind of answers, and kind of people."""
    for n_classes in settings.label_classes:
        for answers in ANSWERS:
            for people in PEOPLE:
                told = {"n_classes": n_classes, "answers": answers, "people": people}
                name = people.replace(", ", "-").replace(" ", "-")
                yield Cell(
                    f"calibration/labels/classes={n_classes}/{answers}_{name}.parquet",
                    "labels",
                    {**told, "n_sets": settings.label_sets, "seed": config.seed},
                    memory=424,
                    seconds=5.0 + 0.05 * settings.label_sets,
                )


class CalibrationStudy(Study):
    """How often each test rejects, where it should not and where it should."""

    name = "calibration"
    keys = "nbyk_papers.calibration.config:Calibration"
    steps: ClassVar = {
        "rates": Step("nbyk_papers.calibration.calibrate:rates", "calibration/rates"),
        "labels": Step("nbyk_papers.calibration.labels:labels", "calibration/labels"),
    }
    datasets: ClassVar = {
        "rates": "nbyk_papers.calibration.reading:rate_rows",
    }
    report = "nbyk_papers.calibration.report:report"

    def check(self, config: Any) -> None:
        """Raise NbykError if the ratings of an own fit are missing, or draws cannot reach a level."""
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
        settings = self.settings(config)
        return [*rate_cells(config, settings), *label_cells(config, settings)]

    def figures(self, config: Any) -> list[str]:
        return ["type_1_error", "metrics", *self._parts(config)]

    def tables(self, config: Any) -> list[str]:
        labels = ["labels"] if self.settings(config).label_classes else []
        return ["default", "default_metrics", "tests", "all_metrics", *self._parts(config), *labels]

    def _parts(self, config: Any) -> list[str]:
        """Return the parts of the study that a configuration may leave out."""
        settings = self.settings(config)
        parts = {"expected_p": settings.expected_sizes, "power": settings.power_epsilons}
        return [name for name, asked in parts.items() if asked]

    def reported(self, config: Any) -> Cell:
        cells = self.cells(config)
        rates = [cell for cell in cells if cell.step == "rates"]
        inputs: dict[str, list[str]] = {
            "rates": [cell.path for cell in rates],
            "priors": list(dict.fromkeys(str(cell.inputs["prior"]) for cell in rates)),
            "labels": [cell.path for cell in cells if cell.step == "labels"],
        }
        return Cell("calibration", "report", {}, inputs, memory=300, seconds=40)


STUDY = CalibrationStudy()
