"""Homan et al. 2025, how many ratings per item."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, ClassVar

from nbyk.errors import NbykError
from nbyk.studies import Step, Study
from nbyk.studies.study import Cell, fit_file, ratings_file
from nbyk_papers import placed
from nbyk_papers.batches import Axis, Field, Grid, Point, batched
from nbyk_papers.homan2025.design import (
    BUDGETS,
    CLAIM_EPSILONS,
    CLAIM_ITEMS,
    CLAIM_RESPONSES,
    FIGURE_5_BUDGET,
    FIGURE_5_METRICS,
    LABELS,
    METRIC_OF_COLUMN,
    METRICS,
    PANELS,
    RESPONSES,
    Size,
    grid_figures,
    grid_sizes,
    is_own_fit,
    own_size,
    published_source,
    stage_figures,
    table_name,
)

PAPERS_SIZES = tuple(grid_sizes(BUDGETS, RESPONSES))
PAPERS_RESPONSES = sum(n * k for n, k in PAPERS_SIZES)
"""Responses in all test sets of the paper's grid, in units of one draw."""


def size_name(size: Size) -> str:
    """Return a size (N, K) as part of a file's name."""
    return f"n-{size[0]}_k-{size[1]}"


_PAPERS_SECONDS = 245.0
"""The measured seconds of a cell with all sizes of the paper's grid."""


_GRID = Grid((Field("n", int), Field("k", int)))


def _seconds(size: Point) -> float:
    return max(0.5, _PAPERS_SECONDS * size[0] * size[1] / PAPERS_RESPONSES)


SIZES = Axis("grid", tuple(map(size_name, PAPERS_SIZES)), further=(_GRID, _seconds))
GRID_METRICS = Axis("homan2025", METRICS)


def prior_file(source: str) -> str:
    """Return the file of a source's prior: the published one, or that of our own fit."""
    if is_own_fit(source):
        return fit_file(published_source(source), "prior")
    return f"results/priors/published/{source}.json"


def asked_sizes(settings: Any) -> list[Size]:
    """Return every size that a section of the configuration asks for."""
    further = [(size.n_items, size.k_responses) for size in settings.sizes]
    return list(dict.fromkeys([*grid_sizes(settings.budgets, settings.k_responses), *further]))


def grid_cells(config: Any, settings: Any) -> Iterator[Cell]:
    """Yield the cells of p-values: of each source and ε, by batches of sizes and of metrics."""
    asked = [size_name(size) for size in asked_sizes(settings)]
    of_figure_5 = map(size_name, grid_sizes([FIGURE_5_BUDGET], settings.k_responses))
    figure_5 = [name for name in of_figure_5 if name in asked]
    further = [name for name in FIGURE_5_METRICS if name not in settings.metrics]
    for source in settings.sources:
        for epsilon in settings.epsilons:
            start = f"homan2025/pvalues/source={source}/epsilon-{epsilon}"
            plan = [*batched(start, [(SIZES, asked), (GRID_METRICS, settings.metrics)])]
            if (source, epsilon) in PANELS and figure_5 and further:
                plan.append((f"{start}+figure_05+further.parquet", [figure_5, further]))
            for file, (names, cell_metrics) in plan:
                cell_sizes = [(int(n), int(k)) for name in names for n, k in _GRID.points(name)]
                share = sum(n * k for n, k in cell_sizes) / PAPERS_RESPONSES
                yield Cell(
                    file,
                    "grid",
                    {
                        "sizes": cell_sizes,
                        "epsilon_b": epsilon,
                        "metrics": cell_metrics,
                        "n_draws": settings.n_draws,
                        "seed": config.seed,
                    },
                    {"prior": prior_file(source), "metric_files": config.files_of_metrics(cell_metrics)},
                    memory=355,
                    seconds=_PAPERS_SECONDS * share * settings.n_draws / 10_000,
                )


def has_claims(settings: Any) -> bool:
    """Return whether a configuration asks for the sizes that only the paper's conclusions need."""
    return bool(settings.claim_draws and set(settings.epsilons) & set(CLAIM_EPSILONS))


def claim_cells(config: Any, settings: Any) -> Iterator[Cell]:
    """Yield the cells of sizes that only the paper's conclusions need, one for each source."""
    if not has_claims(settings):
        return
    epsilons = [epsilon for epsilon in settings.epsilons if epsilon in CLAIM_EPSILONS]
    for source in settings.sources:
        own = own_size(source)
        raters = [(CLAIM_ITEMS, k) for k in CLAIM_RESPONSES]
        responses = settings.claim_draws * own[0] * own[1] + settings.n_draws * sum(n * k for n, k in raters)
        yield Cell(
            f"homan2025/claims/source={source}/sizes.parquet",
            "claims",
            {
                "own_size": own,
                "own_draws": settings.claim_draws,
                "sizes": raters,
                "epsilons": epsilons,
                "metrics": settings.metrics,
                "n_draws": settings.n_draws,
                "seed": config.seed,
            },
            {"prior": prior_file(source), "metric_files": config.files_of_metrics(settings.metrics)},
            memory=355,
            seconds=10 + 1e-7 * responses * len(epsilons),
        )


def power_cells(config: Any, settings: Any) -> Iterator[Cell]:
    """Yield the cells of power, one for each size."""
    source, epsilon = settings.power_source, settings.power_epsilon
    for size in settings.power_sizes:
        responses = max(1.0, size.n_items * size.k_responses / 20_000)
        work = responses * settings.power_n_sets / 1000 * settings.power_resamples / 10_000
        name = size_name((size.n_items, size.k_responses))
        yield Cell(
            f"homan2025/power/source={source}/epsilon-{epsilon}_{name}.parquet",
            "power",
            {
                "n_items": size.n_items,
                "k_responses": size.k_responses,
                "epsilon_b": epsilon,
                "n_sets": settings.power_n_sets,
                "n_resamples": settings.power_resamples,
                "seed": config.seed,
            },
            {"prior": prior_file(source)},
            memory=331,
            seconds=64 * work,
        )


class Homan2025Study(Study):
    """Homan et al. 2025, how many ratings per item."""

    name = "homan2025"
    keys = "nbyk_papers.homan2025.config:Homan2025"
    steps: ClassVar = {
        "grid": Step("nbyk_papers.homan2025.size_grid:grid", "homan2025/pvalues"),
        "claims": Step("nbyk_papers.homan2025.size_grid:claims", "homan2025/claims"),
        "power": Step("nbyk_papers.homan2025.power_study:power", "homan2025/power"),
    }
    datasets: ClassVar = {
        "pvalues": "nbyk_papers.homan2025.comparison:p_value_rows",
        "rates": "nbyk_papers.homan2025.comparison:rate_rows",
    }
    report = "nbyk_papers.homan2025.report:report"

    def check(self, config: Any) -> None:
        """Raise NbykError if there is no size, or an own fit is asked for without ratings."""
        grid = self.settings(config)
        if not asked_sizes(grid):
            raise NbykError(
                "found no budget N·K that two items or more of K responses spend, for a K of k_responses; "
                "add one, or a size under sizes",
                key="homan2025.budgets",
            )
        for source in grid.fitted:
            key = "sources" if source in grid.sources else "power_source"
            check_fit(config, f"homan2025.{key}", source)

    def cells(self, config: Any) -> list[Cell]:
        """Return the cells of the grid, of the sizes that only conclusions need, and of the power study."""
        settings = self.settings(config)
        return [
            *grid_cells(config, settings),
            *claim_cells(config, settings),
            *power_cells(config, settings),
        ]

    def figures(self, config: Any) -> list[str]:
        settings = self.settings(config)
        names = ["figure_01", *stage_figures(sources_with_data(config, settings)).values()]
        cells = set(product(settings.sources, settings.epsilons))
        names += grid_figures(cells, asked_sizes(settings), settings.metrics)
        names += ["figure_06"] * bool(settings.power_sizes)
        fits = [f"fit_{published_source(source)}" for source in settings.fitted]
        return ["overstatement", "agreement", *names, *fits]

    def tables(self, config: Any) -> list[str]:
        settings = self.settings(config)
        names = [placed(name, table_name(e)) for name in METRIC_OF_COLUMN for e in settings.epsilons]
        names += ["own_sizes", "raters"] * has_claims(settings)
        names += ["power"] * bool(settings.power_sizes)
        fits = [f"fit_{published_source(source)}_p_values" for source in settings.fitted]
        return ["verdicts", "overstatement", *names, *fits]

    def reported(self, config: Any) -> Cell:
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
                "ratings": [ratings_file(source) for source in sources],
                "priors": [fit_file(source, "prior") for source in sources],
            },
            memory=400,
            seconds=50,
        )


def sources_with_data(config: Any, settings: Any) -> list[str]:
    """Return the paper's sources whose ratings need no extra download."""
    from nbyk.data.sources import source

    fitted = {published_source(name) for name in settings.fitted}
    return [
        name for name in LABELS if name in fitted or config.has_own_ratings(name) or source(name).embedded
    ]


def check_fit(config: Any, key: str, source: str) -> None:
    """Raise NbykError if a source under a key is our own fit and its ratings are missing."""
    fitted_to = published_source(source)
    if is_own_fit(source) and not config.has_ratings(fitted_to):
        raise NbykError(
            f"{source} is fitted to ratings that are not at hand; name their path as {fitted_to} under "
            "ratings, or drop it",
            key=key,
        )


STUDY = Homan2025Study()
