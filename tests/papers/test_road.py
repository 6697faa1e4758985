"""The cells of p-values: the same numbers in any file, and which files a run and its history ask for."""

from __future__ import annotations

import random
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from nbyk.config import validate
from nbyk.data import load_source
from nbyk.files import write_json, write_parquet
from nbyk.priors import published_prior
from nbyk.resampling.population import Population
from nbyk.studies import batches
from nbyk.studies.steps import Work
from nbyk_papers.wein2023.cells import (
    estimated_effects_table,
    gold_of,
    reference_sets,
    references_from_table,
    references_table,
    true_effects_table,
    with_first_draws,
)
from nbyk_papers.wein2023.design import Estimation, get_semantics
from nbyk_papers.wein2023.pvalues import p_values_table
from nbyk_papers.wein2023.road import GRID, p_value_cells, places
from nbyk_papers.wein2023.steps import pvalues

DRAWS: dict[str, Any] = {
    "n_references": 2,
    "n_draws": 30,
    "n_resamples": 30,
    "n_spread_resamples": 20,
    "seed": 7,
}
SAMPLERS = ["all_items/sample(1)", "bootstrap_items/sample(K)"]
METRICS = ["mean_of_emds", "mae", "wins_mae"]
WAYS = [
    ("published", "pooled_twice", False),
    ("published", "pooled_twice", True),
    ("recommended", "pooled", False),
    ("recommended", "pooled", True),
]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("files")
    write_json(folder / "prior.json", published_prior("toxicity").to_dict())
    write_parquet(folder / "gold.parquet", load_source("convabuse").to_table(), {})
    return {"prior": folder / "prior.json", "gold": folder / "gold.parquet"}


def made(cells: str, way: tuple[str, str, bool], files: dict[str, Path], **changed: Any) -> pa.Table:
    semantics, null, on_gold = way
    gold = {"gold": files["gold"]} if on_gold else {}
    given = {"samplers": SAMPLERS, "metrics": METRICS, **DRAWS, **changed}
    how = Estimation(semantics, null, **{each.name: given.pop(each.name) for each in fields(Estimation)[2:]})
    return pvalues(files["prior"], cells=cells, how=how, work=Work("test", 1), **gold, **given)[0]


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_cell_has_the_same_numbers_whichever_cells_and_metrics_share_its_file(
    way: tuple[str, str, bool], files: dict[str, Path]
) -> None:
    together = made("epsilon-0.1-and-0.3_n-20-and-30_k-2", way, files)
    alone = [made(f"epsilon-{e}_n-{n}_k-2", way, files) for e in (0.1, 0.3) for n in (20, 30)]
    assert together.equals(pa.concat_tables(alone))
    fewer = made("epsilon-0.3_n-30_k-2", way, files, samplers=SAMPLERS[1:], metrics=["mae"]).to_pandas()
    all_of_it = alone[-1].to_pandas()
    same = all_of_it[(all_of_it["metric"] == "mae") & (all_of_it["response_sampler"] == "sample(K)")]
    assert same.reset_index(drop=True).equals(fewer)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_it_is_what_the_commands_make_of_files_one_by_one(
    way: tuple[str, str, bool], files: dict[str, Path]
) -> None:
    semantics, null, on_gold = get_semantics(way[0]), way[1], way[2]
    prior = published_prior("toxicity")
    columns = {name: semantics.metric(name) for name in METRICS}
    population, work = Population(prior, 25, 3, epsilon_b=0.2, epsilon_a=0.1), Work("test")
    gold = gold_of(semantics, prior, load_source("convabuse").matrix() if on_gold else None)
    draw_sets = partial(
        reference_sets,
        population,
        n_references=2,
        seed=7,
        gold=gold,
        latent_items=semantics.latent_items,
    )
    own_draws = semantics.coded_gold and gold is not None
    stored = references_table(draw_sets(), draw_sets(hypothesis="null") if own_draws else ())
    sets, nulls = references_from_table(stored), references_from_table(stored, "null")
    how = Estimation(semantics.name, null, SAMPLERS, 2, 30, 20, seed=7)
    estimated = estimated_effects_table(sets, columns, how, work)
    true = {
        k: true_effects_table(replace(population, k_responses=k), columns, n_draws=30, seed=7, work=work)
        for k in (1, 3)
    }
    if own_draws:
        true = {k: with_first_draws(fresh, sets, nulls, columns, k) for k, fresh in true.items()}
    assert bool(nulls) == own_draws == (way[0] == "published")
    table = p_values_table(
        estimated,
        true,
        {"epsilon_b": 0.2, "epsilon_a": 0.1, "n_items": 25, "k_responses": 3, "null": null},
        paired=semantics.share_gold,
        resamples_of_column={name: semantics.resamples(name, 30) for name in sorted(METRICS)},
    )
    assert made("epsilon-0.2_a-0.1_n-25_k-3", way, files).equals(table)
    assert np.ptp(table["estimated_p"].to_numpy()) > 0.0


def configuration(**changed: Any) -> Any:
    sizes = [{"n_items": n, "k_responses": k} for n in (20, 30, 40, 500, 1000) for k in (2, 5)]
    return validate(
        {"sources": ["simulated", "toxicity"], "epsilons": [0.1, 0.2, 0.5], "sizes": sizes, **changed}
    )


def planned(config: Any, results: Path) -> list[str]:
    batches.stored_names.cache_clear()
    return [cell.file for cell in p_value_cells(config, places(config), results)]


def make(files: list[str], results: Path) -> None:
    for file in files:
        path = results / file
        assert not path.exists()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def test_small_cells_share_a_job_of_at_most_ten_minutes() -> None:
    cells = p_value_cells(configuration(), places(configuration()), Path("nowhere"))
    n_cells = [len(GRID.points(cell.settings["cells"])) for cell in cells]
    assert sum(n_cells) == 4 * 3 * 10
    assert max(n_cells) > 5
    assert all(cell.seconds <= 20 or n == 1 for cell, n in zip(cells, n_cells, strict=True))
    grid = [{"n_items": n, "k_responses": k} for n in range(10, 510, 10) for k in range(1, 11)]
    many = configuration(epsilons=[e / 20 for e in range(20)], sizes=grid)
    cells = p_value_cells(many, places(many), Path("nowhere"))
    assert sum(len(GRID.points(cell.settings["cells"])) for cell in cells) == 4 * 20 * 500
    assert len(cells) < 2000
    assert max(cell.seconds for cell in cells) <= 600
    assert all(len(part) < 200 for cell in cells for part in cell.file.split("/"))


@pytest.mark.parametrize("seed", range(8))
def test_any_history_computes_every_cell_once_and_a_stopped_run_goes_on_with_the_same_files(
    seed: int, tmp_path: Path
) -> None:
    draw = random.Random(seed)
    results = tmp_path / "results"
    computed: list[tuple[Any, ...]] = []
    for _ in range(5):
        config = configuration(
            epsilons=draw.sample([0.1, 0.2, 0.3, 0.5], draw.randint(1, 4)),
            epsilon_a=draw.choice([0.0, 0.0, 0.05]),
            samplers=draw.sample([*SAMPLERS, "all_items/all"], draw.randint(1, 3)),
            metrics=draw.sample([*METRICS, "rmse"], draw.randint(1, 4)),
        )
        files = planned(config, results)
        new = [file for file in files if not (results / file).exists()]
        draw.shuffle(new)
        make(new[: len(new) // 2], results)
        assert set(planned(config, results)) == set(files)
        make(new[len(new) // 2 :], results)
        assert set(planned(config, results)) == set(files)
        of_file = {cell.file: cell for cell in p_value_cells(config, places(config), results)}
        held = {file: list(held_by(of_file[file])) for file in files}
        computed += [name for file in new for name in held[file]]
        asked = {
            (
                place.semantics,
                place.source,
                (place.epsilon, place.epsilon_a, place.n, place.k),
                sampler,
                metric,
            )
            for place in places(config)
            for sampler in config.samplers
            for metric in config.metrics
        }
        assert asked <= {name for several in held.values() for name in several}
    assert len(computed) == len(set(computed))


def held_by(cell: Any) -> Any:
    told = cell.settings
    source = cell.file.split("source=")[1].split("/")[0]
    for point in GRID.points(told["cells"]):
        for sampler in told["samplers"]:
            for metric in told["metrics"]:
                yield told["semantics"], source, point, sampler, metric


def test_the_order_in_the_configuration_does_not_matter(tmp_path: Path) -> None:
    config = configuration()
    turned = configuration(
        epsilons=config.epsilons[::-1], sizes=[size.model_dump() for size in config.sizes[::-1]],
        samplers=config.samplers[::-1], metrics=config.metrics[::-1], sources=config.sources[::-1],
    )  # fmt: skip
    assert set(planned(turned, tmp_path)) == set(planned(config, tmp_path))
