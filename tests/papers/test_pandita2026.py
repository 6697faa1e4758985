"""Categories by kernel: closed forms, a plain numpy oracle, Table 2, the tests' decisions, and the report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.image import imread
from scipy.stats import entropy, ttest_1samp

from nbyk.files import read_json, write_parquet
from nbyk.priors import ClassPrior, fit_classes
from nbyk.report.answer import write_answer
from nbyk.resampling.streams import Streams, stream_key
from nbyk.studies.steps import Work
from nbyk_papers.pandita2026.cells import KL, TV, WINS, Sizes, draw_scores, grid, p_values, rejections
from nbyk_papers.pandita2026.comparison import beside_printed, read_grid
from nbyk_papers.pandita2026.design import (
    BUDGETS,
    FITTED,
    K_RESPONSES,
    METRICS,
    PRIORS,
    UNREAD_BUDGETS,
    table_2,
)
from nbyk_papers.pandita2026.report import report

Floats = np.ndarray[Any, np.dtype[np.float64]]


def drawn(**settings: Any) -> pd.DataFrame:
    told = {"n_sets": 130, "seed": 5, "epsilons": [0.3], "work": Work("a test")}
    return grid(**{**told, **settings})[0].to_pandas()


def plain_scores(alpha: tuple[float, ...], epsilon: float, n: int, k: int, n_sets: int) -> dict[str, Floats]:
    """Score sets of A against B by numpy and scipy alone, under the alternative, shape (n_sets,) each."""
    draw = np.random.default_rng(8)
    m = len(alpha)
    beta = draw.dirichlet(alpha, (n_sets, n))
    gamma = (1.0 - epsilon) * beta + epsilon * draw.dirichlet(np.full(m, 1.0 / m), (n_sets, n))
    gold, a, b = (draw.multinomial(k, p) for p in (beta, beta, gamma))
    right_a, right_b = (x.argmax(axis=2) == gold.argmax(axis=2) for x in (a, b))
    far_a, far_b = (np.abs(x - gold).mean(axis=2) / k for x in (a, b))
    kl_a, kl_b = (entropy(gold / k + 1e-12, x / k + 1e-12, axis=2) for x in (a, b))
    of_items = {
        "accuracy": 1.0 * right_a - right_b,
        "tv": far_b - far_a,
        "wins": np.sign(np.round(far_b - far_a, 9)),
        "kl": kl_b - kl_a,
    }
    return {name: values.mean(axis=1) for name, values in of_items.items()}


def test_the_grid_of_the_paper_has_its_282_sizes() -> None:
    sizes = Sizes(BUDGETS, K_RESPONSES)
    assert len(sizes.cells) == 282
    assert sizes.cells[0].tolist() == [100, 100, 1]
    assert (sizes.cells[:, 1] == sizes.cells[:, 0] // sizes.cells[:, 2]).all()
    assert sizes.starts[-1] == 282


@pytest.mark.parametrize(("source", "k"), [("dices", 4), ("unbalanced_5", 20)])
def test_scores_have_the_distribution_of_a_plain_simulation(source: str, k: int) -> None:
    """Means and SDs of the effect agree within four standard errors, at an N that is not the largest."""
    n_sets, n = 640, 12
    sizes = Sizes((n * k, 3 * n * k), (1, k))
    (place,) = np.flatnonzero((sizes.cells[:, 1] == n) & (sizes.cells[:, 2] == k))
    sums, _ = draw_scores(Streams(stream_key(1, x=source), 0), PRIORS[source], (0.1, 0.4), sizes, n_sets)
    plain = plain_scores(PRIORS[source], 0.4, n, k, n_sets)
    for number, metric in enumerate(METRICS):
        unit = n * (k * len(PRIORS[source]) if metric == "tv" else 1)
        ours, theirs = sums[:, 0, number, 1, place] / unit, plain[metric]
        error = (ours.var() / n_sets + theirs.var() / n_sets) ** 0.5
        assert abs(ours.mean() - theirs.mean()) < 4.0 * error
        assert abs(np.log(ours.std() / theirs.std())) < 4.0 / n_sets**0.5
        null = sums[:, 1, number, 1, place] / unit
        assert abs(null.mean()) < 4.0 * null.std() / n_sets**0.5


def test_one_response_has_its_closed_form() -> None:
    """At K = 1 the accuracy's Δ is ε (E Σ β² − 1/M); wins equals it, TV is 2/M of it, KL ln(1 + 10¹²)."""
    alpha = np.array(FITTED["dices"])
    total = alpha.sum()
    expected = 0.3 * ((alpha * (alpha + 1.0)).sum() / (total * (total + 1.0)) - 1.0 / 3.0)
    table = drawn(source="dices", budgets=[500], k_responses=[1], n_sets=2000).set_index("metric")
    assert abs(table.loc["accuracy", "delta"] - expected) < 4.0 * table.loc["accuracy", "delta_error"]
    of_accuracy = table.loc["accuracy", "delta"]
    assert table.loc["wins", "delta"] == pytest.approx(of_accuracy)
    assert table.loc["tv", "delta"] == pytest.approx(2.0 / 3.0 * of_accuracy)
    assert table.loc["kl", "delta"] == pytest.approx(np.log1p(1e12) * of_accuracy)
    assert table["p_with_ties"].nunique() == table["p"].nunique() == 1


def test_p_counts_ties_both_ways() -> None:
    draw = np.random.default_rng(3)
    alternative, null = draw.integers(0, 6, 50) / 3.0, draw.integers(-2, 4, 50) / 3.0
    found = p_values(alternative + 1e-13, null)
    assert found["p"] == pytest.approx((null > alternative[:, None]).mean())
    assert found["p_with_ties"] == pytest.approx((null >= alternative[:, None]).mean())


_JOBS = [
    path for parent in Path(__file__).parents if (path := parent / "shared/datasets/jobs/JobsQ1.csv").exists()
]


@pytest.mark.skipif(not _JOBS, reason="its labels have no licence, and are not here")
def test_jobs_q1_is_fitted_far_better_than_by_the_printed_prior() -> None:
    labels = pd.read_csv(_JOBS[0])
    counts = pd.crosstab(labels["item"], labels["label"]).to_numpy()
    found = fit_classes("jobs", counts, n_sets=1)
    assert found.prior.alpha == pytest.approx((2.484, 0.4166, 0.3767, 0.7949, 0.4649), abs=5e-4)
    printed = ClassPrior("printed", FITTED["jobs_q1"]).log_likelihood(counts)
    assert (round(found.prior.log_likelihood(counts)), round(printed)) == (-22167, -26150)


def test_decisions_are_those_of_the_t_test_over_items() -> None:
    differences = np.random.default_rng(4).normal(0.35, 1.0, (200, 30))
    sums, squares = differences.sum(axis=1), (differences**2).sum(axis=1)
    found = rejections(sums[:, None], squares[:, None], np.array([30]), 0.05)[:, 0]
    p = ttest_1samp(differences, 0.0, axis=1).pvalue
    assert 0.2 < (p <= 0.05).mean() < 0.8
    assert (found == np.where(p <= 0.05, np.sign(sums), 0.0)).all()
    constant = rejections(np.array([[5.0, 6.0, 0.0]]), np.array([[5.0, 6.0, 0.0]]), np.array([5, 6, 6]), 0.05)
    assert constant.tolist() == [[0.0, 1.0, 0.0]]


def test_numbers_are_the_same_on_any_number_of_threads() -> None:
    told = {"source": "unbalanced_2", "budgets": [500], "k_responses": [1, 20]}
    alone, together = (drawn(**told, work=Work("a test", threads)) for threads in (1, 2))
    pd.testing.assert_frame_equal(alone, together)


def table_file(folder: Path, source: str, n_sets: int = 100) -> Path:
    """Write the cells of Table 2 of a prior, as the step does, and return the file."""
    of = table_2()[table_2()["source"] == source]
    budgets = sorted({*of["budget"].dropna().astype(int), *UNREAD_BUDGETS})
    told = {"source": source, "budgets": budgets, "k_responses": sorted(set(of["k_responses"].astype(int)))}
    path = folder / f"table/source={source}/table.parquet"
    write_parquet(path, grid(**told, epsilons=[0.3], n_sets=n_sets, seed=2023, work=Work("a test"))[0], {})
    return path


def grid_file(folder: Path, source: str) -> Path:
    """Write a small grid of a prior, as the step does, and return the file."""
    told = {"source": source, "budgets": [100, 500], "k_responses": [1, 2, 20], "epsilons": [0.1, 0.3]}
    path = folder / f"grid/source={source}/grid.parquet"
    write_parquet(path, grid(**told, n_sets=100, seed=1, work=Work("a test"))[0], {})
    return path


def test_table_2_of_the_jobs_is_reproduced(tmp_path: Path) -> None:
    """Every Δ of JobsQ1 and JobsQ3 agrees, and every p by one of the countings of ties."""
    found = beside_printed(
        read_grid([table_file(tmp_path, source, 2000) for source in ("jobs_q1", "jobs_q3")])
    )
    assert len(found) == 8
    assert found["delta_agrees"].all()
    assert found["p_agrees"].all()
    assert found.loc[found["n_items"] < 6, "power"].eq(0.0).all()


def test_the_report_has_every_cell_of_table_2_and_verdicts(tmp_path: Path) -> None:
    sources = ("jobs_q1", "unbalanced_12")
    answer = report(
        grid=[grid_file(tmp_path, source) for source in sources],
        table=[table_file(tmp_path, source) for source in sources],
    )
    write_answer(answer, tmp_path, stem="summary", page="report")
    summary = read_json(tmp_path / "summary.json")
    assert summary["table_2"]["cells"] == len(pd.read_csv(tmp_path / "tables/table_2.csv")) == 8
    assert summary["line"] in (tmp_path / "report.html").read_text(encoding="utf-8")
    enough = summary["verdicts"][0]
    assert (enough["semantics"], enough["verdict"]) == ("published", "holds in part")
    assert enough["here"].startswith("Of 8 cases, ")
    assert len(pd.read_csv(tmp_path / "tables/grid.csv")) == 2 * 2 * 4 * 6
    assert all(imread(path).std() > 0 for path in (tmp_path / "figures").glob("*.png"))


def test_metrics_stand_in_the_kernels_order() -> None:
    assert [METRICS[place] for place in (TV, WINS, KL)] == ["tv", "wins", "kl"]
