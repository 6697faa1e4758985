"""The figures and tables of the report that a configuration asks for, by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from nbyk_papers import placed
from nbyk_papers.homan2025.cells import asked_sizes, has_claims
from nbyk_papers.homan2025.design import (
    FIGURE_5_BUDGET,
    METRIC_OF_COLUMN,
    PANELS,
    SOURCE_FIGURES,
    SOURCE_FIGURES_EPSILON,
    published_cells,
    published_source,
    stage_figures,
    table_name,
)


def figure_names(settings: Any, rated: Iterable[str]) -> list[str]:
    """Return the names of the report's figures; `rated` are the paper's sources that have ratings."""
    cells = _cells(settings)
    panels = [letter for letter, panel in zip("ab", PANELS, strict=True) if panel in cells]
    names = ["figure_01", *stage_figures(rated).values()]
    for semantics, metric_of_column in METRIC_OF_COLUMN.items():
        numbers = []
        if "mae" in settings.metrics:
            numbers += [f"03{letter}" for letter in panels] + ["04"] * (PANELS[0] in cells)
        if FIGURE_5_BUDGET in {n * k for n, k in asked_sizes(settings)}:
            numbers += [f"05{letter}" for letter in panels]
        if set(metric_of_column.values()) & set(settings.metrics):
            numbers += [
                f"{number:02d}"
                for source, number in SOURCE_FIGURES.items()
                if (source, SOURCE_FIGURES_EPSILON) in cells
            ]
        names += [placed(semantics, f"figure_{number}") for number in numbers]
    names += ["figure_06"] * bool(settings.power_sizes)
    names += ["overstatement", "agreement"] * _has_published(settings)
    return [*names, *(f"fit_{published_source(source)}" for source in settings.fitted)]


def table_names(settings: Any) -> list[str]:
    """Return the names of the report's tables, as `figure_names`."""
    names = [
        placed(semantics, table_name(epsilon))
        for semantics in METRIC_OF_COLUMN
        for epsilon in settings.epsilons
    ]
    names += ["own_sizes", "raters"] * has_claims(settings)
    names += ["power"] * bool(settings.power_sizes)
    names += ["overstatement"] * _has_published(settings)
    for source in settings.fitted:
        names.append(f"fit_{published_source(source)}")
        both = {source, published_source(source)} <= set(settings.sources)
        if both and set(METRIC_OF_COLUMN["recommended"].values()) & set(settings.metrics):
            names.append(f"fit_{published_source(source)}_p_values")
    return ["verdicts", *names]


def _cells(settings: Any) -> set[tuple[str, float]]:
    return {(source, epsilon) for source in settings.sources for epsilon in settings.epsilons}


def _has_published(settings: Any) -> bool:
    return bool(published_cells(_cells(settings), asked_sizes(settings), settings.metrics))
