"""The road from priors to p-values: the files of each stage that a configuration asks for.

Each stage has a folder below ``results/``, and in it a folder of each semantics and source. Cells share a
file, and its name lists them: their points (ε, N and K), and what it holds of each point.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from nbyk.resampling.samplers import WEIN_SAMPLERS, get_sampler
from nbyk.studies.study import Cell, fit_file, ratings_file, seconds_of_a_job
from nbyk_papers.batches import Axis, Field, Grid, Point, Ranges, plan_of_axes, stored_names
from nbyk_papers.wein2023.design import COLUMNS, PRIORS, SEMANTICS
from nbyk_papers.wein2023.study import STEPS

METRICS = Axis("wein2023", tuple(COLUMNS))
SAMPLERS = Axis("wein2023", tuple(WEIN_SAMPLERS), n_shared=3)
KEPT = Axis("sample-1-and-K", ("sample(1)", "sample(K)"))
"""What samplers keep of a set's K responses, as samplers of responses."""
SETS = Ranges("sets", 100)
GRID = Grid((Field("epsilon", float), Field("a", float, 0.0), Field("n", int), Field("k", int)))
"""ε of B, ε of A (in names where it is not 0), N and K."""

_SECONDS_OF_A_DRAW = {"true_p": 8e-4, "estimate_p": 3.4e-4}
"""Measured seconds of a draw of 1000 items and 5 responses, scored by the paper's metrics."""
_SECONDS_OF_A_SET = 0.02
_BYTES_OF_A_VALUE = 8.0

Keys = tuple[str, ...]
"""The keys in a file's name, behind its points."""


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
        Place(semantics, source, epsilon, size.n_items, size.k_responses, epsilon_a)
        for semantics in config.semantics
        for source in config.sources
        if semantics == "recommended" or source in PRIORS
        for epsilon_a in config.epsilon_a
        for epsilon in config.epsilons
        for size in config.sizes
    ]


def road_cells(config: Any, asked: Iterable[Place], results: Path = Path("results")) -> list[Cell]:
    """Return the files of every stage that hold the cells asked for, existing and new ones.

    The cells that share a new file depend only on the configuration, so a stopped run resumes with the same
    files.
    """
    asked = list(asked)
    files = [
        *_files(config, "true_p", asked, results),
        *_files(config, "estimate_p", asked, results),
    ]
    cells = [road_cell(config, file) for file in files]
    sets = dict.fromkeys(str(cell.inputs["sets_file"]) for cell in cells if "sets_file" in cell.inputs)
    return [*(road_cell(config, file.removeprefix("results/")) for file in sets), *cells]


def road_cell(config: Any, file: str) -> Cell:
    """Return the cell of a file of a stage, from the file's name."""
    folder, semantics, source, name = file.split("/")
    step = next((step for step, of_step in STEPS.items() if of_step.folder == folder), "")
    semantics, source = semantics.removeprefix("semantics="), source.removeprefix("source=")
    stem, *keys = name.removesuffix(".parquet").split("+")
    points = GRID.points(stem)
    if not step or semantics not in SEMANTICS or not points:
        raise ValueError(file)
    own_draws = _has_own_draws(config, semantics, source)
    held = _held(config, step, keys, own_draws=own_draws)
    if not all(held.values()):
        raise ValueError(file)
    room = _megabytes(points, held.get("sets", [0]), own_draws=own_draws)
    settings: dict[str, Any] = {"cells": stem, "semantics": semantics, **held, "seed": config.seed}
    inputs: dict[str, str | Sequence[str]] = {}
    kept = step != "simulate" and "sets" in held and room <= config.kept_sets_mb
    if kept:
        sets_file = (
            f"{STEPS['simulate'].folder}/semantics={semantics}/source={source}/{stem}+{keys[-1]}.parquet"
        )
        inputs["sets_file"] = f"results/{sets_file}"
    elif config.has_ratings(source) and "sets" in held:
        inputs["gold"] = ratings_file(source)
    if not kept or step == "true_p":
        inputs["prior"] = prior_file(config, semantics, source)
    if step == "estimate_p":
        settings |= {name: getattr(config, name) for name in ("n_resamples", "n_spread_resamples")}
    elif step == "true_p":
        settings["n_draws"] = config.n_draws
    if "metrics" in held:
        inputs = {**inputs, "metric_files": config.files_of_metrics(held["metrics"])}
    if "sets" in held:
        settings["sets"] = [held["sets"][0], held["sets"][-1]]
    memory = 324.0 if "sets" not in held else 300 + 25 * min(room, config.kept_sets_mb)
    seconds = sum(_seconds(config, step, point, held) for point in points)
    disk = room if step == "simulate" else 0.0
    return Cell(file, step, settings, inputs, memory=memory, seconds=seconds, disk=disk)


def gathered(study: str, config: Any, asked: Sequence[Place]) -> Cell:
    """Return the settings and inputs of a study's rows of the dataset of p-values."""
    cells = road_cells(config, asked)
    inputs = {step: [cell.path for cell in cells if cell.step == step] for step in ("true_p", "estimate_p")}
    told = {
        "study": study,
        "epsilons": config.epsilons,
        "epsilon_a": config.epsilon_a,
        "sizes": [list(size) for size in dict.fromkeys((place.n, place.k) for place in asked)],
        "samplers": config.samplers,
        "metrics": config.metrics,
        "n_references": config.n_references,
        "seed": config.seed,
    }
    rows = len(asked) * len(config.samplers) * len(config.metrics) * config.n_references
    return Cell("", "aggregate", told, inputs, memory=250 + 4e-4 * rows, seconds=3 + 2e-5 * rows)


def responses_of(samplers: Iterable[str], k: int) -> list[int]:
    """Return the distinct numbers of responses per item that samplers yield from K."""
    return sorted({get_sampler(name).responses_per_item(k) for name in samplers})


def kept_by(samplers: Iterable[str]) -> list[str]:
    """Return what samplers keep of a set's K responses, as samplers of responses: sample(1), sample(K)."""
    same = {"first_element": "sample(1)", "all": "sample(K)"}
    names = (get_sampler(sampler).response_name for sampler in samplers)
    return list(dict.fromkeys(same.get(name, name) for name in names))


def kept_of(responses: Iterable[str], point: Point) -> list[int]:
    """Return the distinct numbers of responses per item that samplers of responses keep at a point."""
    return responses_of([f"all_items/{name}" for name in responses], int(point[3]))


def prior_file(config: Any, semantics: str, source: str) -> str:
    """Return the published prior if the semantics asks for it or there are no ratings; else the fit."""
    if semantics == "published" or not config.has_ratings(source):
        return f"results/priors/{semantics}/{source}.json"
    return fit_file(source, "prior")


def _has_own_draws(config: Any, semantics: str, source: str) -> bool:
    """Return whether each reference set of a source is the first of its own true draws."""
    return SEMANTICS[semantics].has_own_draws(source, real_gold=config.has_ratings(source))


def _axes(config: Any, step: str, *, own_draws: bool) -> dict[str, tuple[Axis | Ranges, Sequence[Any]]]:
    """Return what a file of a stage holds of each point, in the order of its name, and what is asked for."""
    sets, metrics = (SETS, range(config.n_references)), (METRICS, config.metrics)
    if step == "simulate":
        return {"sets": sets}
    if step == "estimate_p":
        return {"samplers": (SAMPLERS, config.samplers), "metrics": metrics, "sets": sets}
    if own_draws:
        return {"responses": (KEPT, kept_by(config.samplers)), "metrics": metrics, "sets": sets}
    return {"metrics": metrics}


def _held(config: Any, step: str, keys: Sequence[str], *, own_draws: bool) -> dict[str, Any]:
    """Return what a file holds of each of its points, by its name's keys; ValueError if there are none."""
    held: dict[str, Any] = {}
    if step == "estimate_p":
        held["null"], *keys = keys
    for (name, (axis, asked)), key in zip(
        _axes(config, step, own_draws=own_draws).items(), keys, strict=True
    ):
        held[name] = axis.names(key, asked)
    return held


def _files(config: Any, step: str, asked: Iterable[Place], results: Path) -> list[str]:
    """Return the files of a stage that hold the cells asked for, existing and new ones."""
    own, wanted = _by_folder(config, step, places(config)), _by_folder(config, step, asked)
    every: dict[str, Any] = {"samplers": config.samplers, "sets": range(config.n_references)}
    costs = _by_folder(config, "estimate_p", places(config))
    total = sum(_seconds(config, "estimate_p", point, every) for points in costs.values() for point in points)
    limit = seconds_of_a_job(total, config.job_seconds)
    shared = {**every, "samplers": config.samplers[: SAMPLERS.n_shared]}

    names: dict[str, None] = {}
    for (semantics, folder), points in wanted.items():
        own_draws = _has_own_draws(config, semantics, folder.rpartition("source=")[2])
        # True p-values of sets share files as the estimates do, so that both have the sets of one file.
        seconds = partial(_seconds, config, "estimate_p" if own_draws else step, held=shared)
        null = SEMANTICS["published"].null if semantics == "published" else str(config.recommended_null)
        before = (null,) if step == "estimate_p" else ()
        asked_of = [*_axes(config, step, own_draws=own_draws).values()]
        stored = _stored(results / folder, before)
        first = own.get((semantics, folder), set())
        for of_whom in (first, points - first):
            for share in GRID.shares(of_whom, seconds, limit):
                if not points.isdisjoint(share):
                    for stem, keys in _files_of(asked_of, share, stored, seconds, limit):
                        names[f"{folder}/{'+'.join([stem, *before, *keys])}.parquet"] = None
    return list(names)


def _by_folder(config: Any, step: str, asked: Iterable[Place]) -> dict[tuple[str, str], set[Point]]:
    """Return the points of a stage in each folder: K of a true p-value of no set is what samplers yield."""
    points: dict[tuple[str, str], set[Point]] = {}
    of_k = cache(partial(responses_of, tuple(config.samplers)))
    for semantics, source, epsilon, n, k, epsilon_a in asked:
        folder = f"{STEPS[step].folder}/semantics={semantics}/source={source}"
        in_folder = points.setdefault((semantics, folder), set())
        of_set = step != "true_p" or _has_own_draws(config, semantics, source)
        in_folder.update((epsilon, epsilon_a, n, responses) for responses in ([k] if of_set else of_k(k)))
    return points


def _seconds(config: Any, step: str, point: Point, held: Mapping[str, Any]) -> float:
    """Return the measured seconds of a stage at a point, at least a little."""
    size = max(200.0, point[2] * point[3]) / 5000
    of_drawing = len(held.get("sets", ())) * size * _SECONDS_OF_A_SET
    if step == "simulate":
        return max(0.01, of_drawing)
    draws: int = config.n_draws
    if step == "true_p" and "responses" in held:
        fresh = (_seconds(config, step, (*point[:3], k), {}) for k in kept_of(held["responses"], point))
        return 2 * of_drawing + sum(fresh)
    if step == "estimate_p":
        of_sets = (config.n_spread_resamples if number else config.n_resamples for number in held["sets"])
        draws = sum(of_sets) * len(held["samplers"])
    return max(0.05, 2 * draws * size * _SECONDS_OF_A_DRAW[step])


def _megabytes(points: Iterable[Point], sets: Collection[int], *, own_draws: bool) -> float:
    """Return the size of a file of sets: gold, A and B, and of their own true draws A and B of the null."""
    n_values = sum(n * k for *_, n, k in points) * (5 if own_draws else 3)
    return n_values * len(sets) * _BYTES_OF_A_VALUE / 1e6


def _stored(folder: Path, before: Keys) -> Mapping[Point, Mapping[Keys, str]]:
    """Return the stems of existing files, by their cells and the keys behind those in `before`."""
    stored: dict[Point, dict[Keys, str]] = {}
    for name in stored_names(folder):
        stem, *keys = name.split("+")
        if tuple(keys[: len(before)]) == before:
            for point in GRID.points(stem):
                stored.setdefault(point, {})[tuple(keys[len(before) :])] = stem
    return stored


def _files_of(
    asked: Sequence[tuple[Axis | Ranges, Sequence[Any]]],
    share: Sequence[Point],
    stored: Mapping[Point, Mapping[Keys, str]],
    seconds: Callable[[Point], float],
    limit: float,
) -> list[tuple[str, Keys]]:
    """Return the files that hold a share, existing and new ones: stems and keys."""

    @cache
    def plan(known: frozenset[Keys]) -> list[Keys]:
        return [tuple(key for key, _ in batch) for batch in plan_of_axes(asked, sorted(known))]

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
        together = [points] if points == list(share) else GRID.shares(points, seconds, limit)
        files |= {(GRID.key(each), keys): None for each in together}
    return list(files)
