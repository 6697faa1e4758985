"""The cells of p-values that a configuration asks for, and the files that hold them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from nbyk.resampling.samplers import WEIN_SAMPLERS, get_sampler
from nbyk.studies.batches import Axis, plan_of_axes, slug, stored_names
from nbyk.studies.cell import Cell, seconds_of_a_job
from nbyk.studies.grids import Field, Grid, Point
from nbyk.studies.results import fit_file, ratings_file
from nbyk_papers.wein2023.design import COLUMNS, PRIORS, SEMANTICS

STORE = "pvalues"
METRICS = Axis("wein2023", tuple(COLUMNS))
SAMPLERS = Axis("wein2023", tuple(WEIN_SAMPLERS))
GRID = Grid((Field("epsilon", float), Field("a", float, 0.0), Field("n", int), Field("k", int)))
"""ε of B, ε of A (in names where it is not 0), N and K."""
_PAPERS_DRAWS = 4800 * len(WEIN_SAMPLERS)
_PAPERS_SECONDS = 21.0
"""The measured seconds of a cell of the paper with all its samplers and metrics (docs/cluster.md)."""

Keys = tuple[str, str]
"""The keys of a file's samplers and metrics."""


class Place(NamedTuple):
    """A cell: a semantics, a source, ε of B, a size (N, K), and ε of A."""

    semantics: str
    source: str
    epsilon: float
    n: int
    k: int
    epsilon_a: float = 0.0


def places(config: Any) -> list[Place]:
    """Return every cell that a configuration asks for."""
    return [
        Place(semantics, source, epsilon, size.n_items, size.k_responses, config.epsilon_a)
        for semantics in config.semantics
        for source in config.sources
        if semantics == "recommended" or source in PRIORS
        for epsilon in config.epsilons
        for size in config.sizes
    ]


def p_value_cells(config: Any, asked: Iterable[Place], results: Path = Path("results")) -> list[Cell]:
    """Return the files of p-values that hold the cells asked for, existing and new ones.

    The cells that share a new file depend only on the configuration, so a stopped run resumes with the same
    files.
    """
    own, wanted = _by_folder(places(config)), _by_folder(asked)
    limit = seconds_of_a_job(sum(_seconds(config, point) for points in own.values() for point in points))
    names: dict[str, None] = {}
    for (semantics, folder), points in wanted.items():
        null = null_of(config, semantics)
        stored = _stored(results / folder, null)
        first = own.get((semantics, folder), set())
        for of_whom in (first, points - first):
            for share in GRID.shares(of_whom, lambda point: _seconds(config, point), limit):
                if not points.isdisjoint(share):
                    for stem, (samplers, metrics) in _files_of(config, share, stored, limit):
                        names[f"{folder}/{stem}+{null}+{samplers}+{metrics}.parquet"] = None
    return [p_value_cell(config, name) for name in names]


def p_value_cell(config: Any, file: str) -> Cell:
    """Return the cell of a file of p-values, from the file's name.

    Raises
    ------
    ValueError
        If a file has no such name.
    """
    _, semantics, source, name = file.split("/")
    semantics, source = semantics.removeprefix("semantics="), source.removeprefix("source=")
    stem, null, samplers_key, metrics_key = name.removesuffix(".parquet").split("+")
    samplers = SAMPLERS.names(samplers_key) or [
        each for each in config.samplers if slug(each) == samplers_key
    ]
    metrics = METRICS.names(metrics_key) or [each for each in config.metrics if slug(each) == metrics_key]
    points = GRID.points(stem)
    if not (points and samplers and metrics):
        raise ValueError(file)
    inputs: dict[str, str | Sequence[str]] = {"prior": prior_file(config, semantics, source)}
    if config.has_ratings(source):
        inputs["gold"] = ratings_file(source)
    return Cell(
        file,
        "pvalues",
        {
            "cells": stem,
            "semantics": semantics,
            "null": null,
            "samplers": samplers,
            "metrics": metrics,
            "n_references": config.n_references,
            "n_draws": config.n_draws,
            "n_resamples": config.n_resamples,
            "n_spread_resamples": config.n_spread_resamples,
            "seed": config.seed,
        },
        {**inputs, "metric_files": config.files_of_metrics(metrics)},
        memory=307,
        seconds=sum(_seconds(config, point) for point in points),
    )


def has_size(cell: Cell, n: int, k: int) -> bool:
    """Return whether a file of p-values has a size (N, K)."""
    return any((n, k) == point[2:] for point in GRID.points(cell.settings["cells"]))


def null_of(config: Any, semantics: str) -> str:
    """Return the null hypothesis behind estimated p-values."""
    return SEMANTICS["published"].null if semantics == "published" else str(config.recommended_null)


def responses_of(samplers: Sequence[str], k: int) -> list[int]:
    """Return the distinct numbers of responses per item that samplers yield from K."""
    return sorted({get_sampler(name).responses_per_item(k) for name in samplers})


def prior_file(config: Any, semantics: str, source: str) -> str:
    """Return the published prior if the semantics asks for it or there are no ratings; else the fit."""
    if semantics == "published" or not config.has_ratings(source):
        return f"results/priors/{semantics}/{source}.json"
    return fit_file(source, "prior")


def _by_folder(asked: Iterable[Place]) -> dict[tuple[str, str], set[Point]]:
    points: dict[tuple[str, str], set[Point]] = {}
    for semantics, source, epsilon, n, k, epsilon_a in asked:
        folder = f"{STORE}/semantics={semantics}/source={source}"
        points.setdefault((semantics, folder), set()).add((epsilon, epsilon_a, n, k))
    return points


def _seconds(config: Any, point: Point) -> float:
    """Return the cost of a cell: that of the paper's, scaled by size and draws, and at least a little."""
    draws: int = config.n_resamples + (config.n_references - 1) * config.n_spread_resamples
    size = max(200.0, point[2] * point[3]) / 5000
    return max(0.2, _PAPERS_SECONDS * size * draws * len(config.samplers) / _PAPERS_DRAWS)


def _stored(folder: Path, null: str) -> Mapping[Point, Mapping[Keys, str]]:
    """Return the stems of existing files, by their cells and the keys of samplers and metrics."""
    stored: dict[Point, dict[Keys, str]] = {}
    for name in stored_names(folder):
        stem, *keys = name.split("+")
        if len(keys) == 3 and keys[0] == null:
            for point in GRID.points(stem):
                stored.setdefault(point, {})[keys[1], keys[2]] = stem
    return stored


def _files_of(
    config: Any, share: Sequence[Point], stored: Mapping[Point, Mapping[Keys, str]], limit: float
) -> list[tuple[str, Keys]]:
    """Return the files that hold a share, existing and new ones: stems and keys."""

    @cache
    def plan(known: frozenset[Keys]) -> list[Keys]:
        asked = [(SAMPLERS, config.samplers), (METRICS, config.metrics)]
        return [(samplers, metrics) for (samplers, _), (metrics, _) in plan_of_axes(asked, sorted(known))]

    files: dict[tuple[str, Keys], None] = {}
    missing: dict[Keys, list[Point]] = {}
    for point in share:
        known = stored.get(point, {})
        for keys in plan(frozenset(known)):
            if keys in known:
                files[known[keys], keys] = None
            else:
                missing.setdefault(keys, []).append(point)
    for keys, points in missing.items():
        together = [points] if points == list(share) else GRID.shares(points, lambda _: 0.0, limit)
        files |= {(GRID.key(each), keys): None for each in together}
    return list(files)
