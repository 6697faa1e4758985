"""The cells of p-values: the same numbers in any file, and which files a run and its history ask for."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from nbyk.config import validate
from nbyk.data import load_source
from nbyk.files import write_json, write_parquet
from nbyk.priors import published_prior
from nbyk.resampling.population import Population
from nbyk.resampling.simulate import simulated_effects
from nbyk.studies.steps import Work
from nbyk.studies.study import Cell
from nbyk_papers import batches
from nbyk_papers.gathered import decoded
from nbyk_papers.wein2023.cells import (
    estimated_p_table,
    gold_of,
    reference_sets,
    references_from_table,
    references_table,
    true_p_table,
    with_first_draw,
)
from nbyk_papers.wein2023.design import Estimation, get_semantics
from nbyk_papers.wein2023.pvalues import true_by_responses, with_true_p
from nbyk_papers.wein2023.road import GRID, kept_by, places, responses_of, road_cells
from nbyk_papers.wein2023.steps import estimate_p, simulate, true_p

DRAWS: dict[str, Any] = {
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


def made(cells: str, way: tuple[str, str, bool], files: dict[str, Path], **changed: Any) -> pd.DataFrame:
    """Return the p-values of cells by all stages, from sets that are kept in a file or are drawn again."""
    semantics, null, on_gold = way
    given = {"samplers": SAMPLERS, "metrics": METRICS, "sets": [0, 1], "kept": True, **DRAWS, **changed}
    gold = {"gold": files["gold"]} if on_gold else {}
    work, seed = Work("test", 1), given["seed"]
    population: dict[str, Path] = {"prior": files["prior"], **gold}
    if given["kept"]:
        sets, _ = simulate(
            **population, cells=cells, semantics=semantics, sets=given["sets"], seed=seed, work=work
        )
        path = files["prior"].parent / "sets.parquet"
        write_parquet(path, sets, {})
        population = {"sets_file": path}
    how = Estimation(
        semantics, null, given["samplers"], given["n_resamples"], given["n_spread_resamples"], seed
    )
    estimated, _ = estimate_p(
        **population, cells=cells, how=how, metrics=given["metrics"], sets=given["sets"], work=work
    )
    told = {name: given[name] for name in ("metrics", "n_draws", "seed")} | {"semantics": semantics}
    if semantics == "published":
        of_sets = {"sets": given["sets"], "responses": kept_by(given["samplers"])}
        population = {**population, "prior": files["prior"]}
        trues = [true_p(**population, cells=cells, **told, **of_sets, work=work)[0]]
    else:
        stem, _, most = cells.rpartition("_k-")
        at = [f"{stem}_k-{k}" for k in responses_of(given["samplers"], int(most))]
        trues = [true_p(files["prior"], cells=each, **told, work=work)[0] for each in at]
    true = pd.concat(decoded(table.to_pandas()) for table in trues)
    return with_true_p(decoded(estimated.to_pandas()), true_by_responses(true))


KEY = ["epsilon_b", "n_items", "sampler", "reference", "metric"]


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_cell_has_the_same_numbers_whatever_shares_its_file(
    way: tuple[str, str, bool], files: dict[str, Path]
) -> None:
    together = made("epsilon-0.1-and-0.3_n-20-and-30_k-2", way, files).sort_values(KEY, ignore_index=True)
    alone = [made(f"epsilon-{e}_n-{n}_k-2", way, files) for e in (0.1, 0.3) for n in (20, 30)]
    assert together.equals(pd.concat(alone).sort_values(KEY, ignore_index=True))
    fewer = made(
        "epsilon-0.3_n-30_k-2", way, files, samplers=SAMPLERS[1:], metrics=["mae"], sets=[1, 1], kept=False
    )
    of_all = together[(together["epsilon_b"] == 0.3) & (together["n_items"] == 30)]
    same = of_all[
        (of_all["metric"] == "mae") & (of_all["sampler"] == SAMPLERS[1]) & (of_all["reference"] == 1)
    ]
    assert same.reset_index(drop=True).equals(fewer)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_it_is_what_the_commands_make_of_files_one_by_one(
    way: tuple[str, str, bool], files: dict[str, Path]
) -> None:
    semantics, null, on_gold = get_semantics(way[0]), way[1], way[2]
    prior = published_prior("toxicity")
    columns = {name: semantics.metric(name) for name in sorted(METRICS)}
    population, work = Population(prior, 25, 3, epsilon_b=0.2, epsilon_a=0.1), Work("test")
    gold = gold_of(semantics, prior, load_source("convabuse").matrix() if on_gold else None)
    draw_sets = partial(
        reference_sets,
        population,
        references=range(2),
        seed=7,
        gold=gold,
        latent_items=semantics.latent_items,
    )
    own_draws = semantics.has_own_draws("toxicity", real_gold=on_gold)
    drawn_nulls = dict(enumerate(draw_sets(hypothesis="null"))) if own_draws else None
    stored = references_table(dict(enumerate(draw_sets())), drawn_nulls)
    kept, nulls = references_from_table(stored), references_from_table(stored, "null")
    assert bool(nulls) == own_draws == (way[0] == "published")
    how = Estimation(semantics.name, null, SAMPLERS, 30, 20, seed=7)
    estimated = estimated_p_table(kept, columns, how, work).to_pandas()
    truths = []
    for k in (1, 3):
        of_k = replace(population, k_responses=k)
        fresh = simulated_effects(of_k, list(columns.values()), n_draws=30, seed=7)
        if not own_draws:
            truths.append(true_p_table(fresh, list(columns)).to_pandas().assign(responses=k))
        for number, null_set in nulls.items():
            true = true_p_table(with_first_draw(fresh, kept[number], null_set, k), list(columns))
            truths.append(true.to_pandas().assign(reference=number, responses=k))
    table = with_true_p(estimated.assign(k_responses=3), pd.concat(truths))
    ours = made("epsilon-0.2_a-0.1_n-25_k-3", way, files)
    assert ours[list(table)].equals(table)
    assert np.ptp(table["estimated_p"]) > 0.0


def configuration(**changed: Any) -> Any:
    sizes = [{"n_items": n, "k_responses": k} for n in (20, 30, 40, 500, 1000) for k in (2, 5)]
    return validate(
        {"sources": ["simulated", "toxicity"], "epsilons": [0.1, 0.2, 0.5], "sizes": sizes, **changed}
    )


def planned(config: Any, results: Path) -> list[str]:
    return [cell.file for cell in cells_of(config, results)]


def cells_of(config: Any, results: Path) -> list[Cell]:
    batches.stored_names.cache_clear()
    return road_cells(config, places(config), results)


def make(files: list[str], results: Path) -> None:
    for file in files:
        path = results / file
        assert not path.exists()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def test_small_cells_share_a_job_of_at_most_ten_minutes_and_large_sets_are_not_kept() -> None:
    cells = cells_of(configuration(), Path("nowhere"))
    for step in ("simulate", "estimate_p"):
        n_cells = [len(GRID.points(cell.settings["cells"])) for cell in cells if cell.step == step]
        assert sum(n_cells) == 4 * 3 * 10 * (2 if step == "estimate_p" else 1)
        assert max(n_cells) > 5
    assert all(cell.seconds <= 60 for cell in cells)
    # The default run: a job per source and stage, and two of estimates; or one cell a job.
    default = cells_of(validate({}), Path("nowhere"))
    assert Counter(cell.step for cell in default) == {"simulate": 5, "true_p": 5, "estimate_p": 10}
    # Published toxicity keeps the nulls' A and B too, and its true p-values are of K responses and of sets.
    assert sum(cell.disk for cell in default) == 5 * 20 * (4 * 3 + 5) * 5000 * 8 / 1e6
    fine = cells_of(validate({"job_seconds": 0}), Path("nowhere"))
    assert Counter(cell.step for cell in fine) == {"simulate": 25, "true_p": 45, "estimate_p": 50}
    grid = [{"n_items": n, "k_responses": k} for n in range(10, 1010, 10) for k in range(1, 11)]
    many = configuration(epsilons=[e / 20 for e in range(20)], sizes=grid, n_references=10)
    cells = cells_of(many, Path("nowhere"))
    points = [len(GRID.points(cell.settings["cells"])) for cell in cells if cell.step == "estimate_p"]
    assert sum(points) == 4 * 20 * 1000 * 2
    assert len(cells) < 2000
    assert max(cell.seconds for cell in cells) <= 600
    assert all(len(part) < 200 for cell in cells for part in cell.file.split("/"))
    assert not any(cell.step == "simulate" for cell in cells)


def test_from_20_sets_to_100_and_back_the_new_ones_alone_are_computed(tmp_path: Path) -> None:
    results = tmp_path / "results"
    few, many = validate({}), validate({"n_references": 100})
    first = planned(few, results)
    make(first, results)
    second = planned(many, results)
    new = [file for file in second if not (results / file).exists()]
    assert {file.split("+")[-1] for file in new} == {"sets-20-to-99.parquet"}
    own = [file for file in new if "semantics=published/source=toxicity" in file]
    assert {file.split("/")[0] for file in new} == {"reference_sets", "estimated_p", "true_p"}
    assert [file for file in new if file.startswith("true_p")] == [f for f in own if f.startswith("true_p")]
    make(new, results)
    assert set(planned(many, results)) == set(second)
    assert set(planned(few, results)) == set(first)


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
            epsilon_a=draw.choice([[0.0], [0.0, 0.05]]),
            n_references=draw.choice([2, 3, 5]),
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
        of_file = {cell.file: cell for cell in cells_of(config, results)}
        held = {file: list(held_by(of_file[file])) for file in files}
        # Sets are cheap: they are drawn again for cells that share other files.
        computed += [name for file in new if of_file[file].step != "simulate" for name in held[file]]
        asked = {
            (place.semantics, place.source, place[2:], sampler, metric, number)
            for place in places(config)
            for sampler in config.samplers
            for metric in config.metrics
            for number in range(config.n_references)
        }
        found = {name for several in held.values() for name in several}
        assert {(s, o, (e, a, n, k), *rest) for s, o, (e, n, k, a), *rest in asked} <= found
    assert len(computed) == len(set(computed))


def held_by(cell: Cell) -> Any:
    """Yield what a file holds: of a point the samplers, metrics and sets, or those that its stage has."""
    told = cell.settings
    source = cell.file.split("source=")[1].split("/")[0]
    first, last = told.get("sets", (0, 0))
    for point in GRID.points(told["cells"]):
        for sampler in told.get("samplers", told.get("responses", [cell.step])):
            for metric in told.get("metrics", [cell.step]):
                for number in range(first, last + 1):
                    yield told["semantics"], source, point, sampler, metric, number


def test_the_order_in_the_configuration_does_not_matter(tmp_path: Path) -> None:
    config = configuration()
    turned = configuration(
        epsilons=config.epsilons[::-1], sizes=[size.model_dump() for size in config.sizes[::-1]],
        samplers=config.samplers[::-1], metrics=config.metrics[::-1], sources=config.sources[::-1],
    )  # fmt: skip
    assert set(planned(turned, tmp_path)) == set(planned(config, tmp_path))
