"""Wein et al. 2023's question under other responses: true p by the grid's kernel, verdicts, cells."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from nbyk.config import validate
from nbyk.files import write_parquet
from nbyk.resampling.samplers import WEIN_SAMPLERS
from nbyk.studies.steps import Work
from nbyk_papers.pandita2026.cells import grid
from nbyk_papers.pandita2026.design import KINDS
from nbyk_papers.pandita2026.estimates import (
    K_RESPONSES,
    N_ITEMS,
    estimate_verdicts,
    estimates,
    estimates_figure,
    read_estimates,
)
from nbyk_papers.pandita2026.study import STUDY
from nbyk_papers.wein2023.choices import nearest_table


@pytest.fixture(scope="module")
def nominal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: dict[str, Any] = {"source": "nominal", "epsilon": 0.3, "n_sets": 2, "seed": 7}
    path = tmp_path_factory.mktemp("estimates") / "source=nominal/epsilon-0.3.parquet"
    write_parquet(path, estimates(**made, work=Work("a test"))[0], {})
    return path


def test_true_p_is_that_of_the_grids_kernel(nominal: Path) -> None:
    """The same model, drawn and scored by other code: the four metrics at 200 items and 5 responses."""
    rows = read_estimates([nominal]).by_reference
    of_k = rows[rows["sampler"] == "bootstrap_items/sample(K)"].drop_duplicates("metric").set_index("metric")
    told: dict[str, Any] = {"source": "unbalanced_5", "budgets": [N_ITEMS * K_RESPONSES], "seed": 3}
    told |= {"k_responses": [K_RESPONSES], "epsilons": [0.3], "n_sets": 1000}
    kernel = grid(**told, work=Work("a test"))[0].to_pandas().set_index("metric")
    for name, of_kernel in zip(KINDS["nominal"].metrics, ("accuracy", "tv", "wins", "kl"), strict=True):
        ours, theirs = of_k.loc[name], kernel.loc[of_kernel]
        error = np.hypot(ours["true_se"], theirs["p_with_ties_error"])
        assert abs(ours["true_p"] - theirs["p_with_ties"]) < 4.0 * error


def test_one_response_is_scored_alike_by_every_metric(nominal: Path) -> None:
    rows = read_estimates([nominal]).by_reference
    assert len(rows) == 2 * len(WEIN_SAMPLERS) * 4
    of_one = rows[rows["sampler"].isin(["all_items/sample(1)", "bootstrap_items/first_element"])]
    same = of_one.groupby(["sampler", "reference"])[["estimated_p", "true_p"]].nunique()
    assert (same == 1).all(axis=None)
    assert rows["estimated_p"].between(0.0, 1.0).all()


def made_up(folder: Path, error_of: dict[str, float]) -> list[Path]:
    """Write estimates whose error is that of their sampler, and .1 more unless by wins."""
    paths = []
    for source, kind in KINDS.items():
        rows = [
            {
                "epsilon_b": kind.epsilons[0],
                "sampler": sampler,
                "metric": metric,
                "reference": number,
                "estimated_p": 0.2 + error_of[sampler] + 0.1 * (metric != kind.wins) + 1e-4 * number,
                "true_p": 0.2,
                "true_se": 1e-4,
            }
            for sampler, metric, number in product(WEIN_SAMPLERS, kind.metrics, range(5))
        ]
        paths.append(folder / f"source={source}/cell.parquet")
        write_parquet(paths[-1], pa.Table.from_pylist(rows), {})
    return paths


def test_verdicts_follow_the_errors_of_samplers_and_metrics(tmp_path: Path) -> None:
    of = {name: 0.3 if "sample(1)" in name or "first" in name else 0.02 for name in WEIN_SAMPLERS}
    of["bootstrap_items/all"] = 0.01
    cells = read_estimates(made_up(tmp_path, of))
    found = estimate_verdicts(cells)
    assert len({verdict.place for verdict in found}) == 4
    assert [verdict.semantics for verdict in found] == 4 * [f"recommended, {kind}" for kind in KINDS]
    assert {verdict.outcome for verdict in found} == {"holds"}
    by_items = {name: 0.3 if name.startswith("all_items") else 0.02 for name in WEIN_SAMPLERS}
    other = estimate_verdicts(read_estimates(made_up(tmp_path, by_items)))
    matter = [verdict.outcome for verdict in other if verdict.place.endswith("abstract")]
    assert matter == ["does not hold"] * len(KINDS)
    assert set(nearest_table(cells)["nearest sampler"]) == {"bootstrap_items/all"}
    assert len(estimates_figure(cells).axes) == len(KINDS)


def test_cells_are_of_each_kind_of_responses_and_epsilon() -> None:
    cells = [cell for cell in STUDY.cells(validate({})) if cell.step == "estimates"]
    assert [cell.settings["source"] for cell in cells] == [name for name in KINDS for _ in range(2)]
    assert {cell.settings["n_sets"] for cell in cells} == {400}
