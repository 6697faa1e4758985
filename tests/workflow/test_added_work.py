"""What is computed after a change of the configuration: what is new, and nothing else."""

from __future__ import annotations

import shlex
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.workflow.runs import (
    CONFIG,
    PRODUCTS,
    ROOT,
    assert_names_are_files,
    configure,
    planned,
    results,
    rules,
    snakemake,
)

USERS_METRIC = '''"""A metric of a user's own."""

import numpy as np
from nbyk.metrics import register


@register(direction="lower")
def median_error(system, gold):
    """Median absolute error of the item means."""
    return np.median(np.abs(system - gold))
'''

STAGES = {"simulate", "true_p", "estimate_p"}
PRODUCED = ("results/pvalues", "results/wein2023", "results/.nbyk/pvalues", "results/.nbyk/wein2023")
"""What the aggregation, the figures and the report write, and the records of that."""


def test_nothing_is_left_to_do(checkout: Path, finished: Path) -> None:
    assert planned(checkout, finished) == []


@pytest.mark.parametrize(
    ("key", "value", "mark", "work"),
    [
        ("metrics", "rmse", """ 'metrics=["rmse"]' """, {"true_p": 3, "estimate_p": 3}),
        ("epsilons", 0.1, " cells=epsilon-0.1_n-40_k-", {"simulate": 3, "true_p": 3, "estimate_p": 3}),
        # Its p-values are of two responses per item: so are its true ones.
        ("samplers", "all_items/all", " cells=epsilon-0.3_n-40_k-2 ", {"true_p": 3, "estimate_p": 3}),
        (
            "sources",
            "toxicity",
            "source=toxicity/",
            {"prior": 2, "simulate": 2, "true_p": 2, "estimate_p": 2},
        ),
        (
            "sizes",
            {"n_items": 30, "k_responses": 3},
            " cells=epsilon-0.3_n-30_k-",
            {"simulate": 3, "true_p": 3, "estimate_p": 3},
        ),
        (
            "epsilon_a",
            0.05,
            " cells=epsilon-0.3_a-0.05_n-40_k-",
            {"simulate": 3, "true_p": 3, "estimate_p": 3},
        ),
    ],
)
def test_what_is_added_is_all_that_is_computed(
    key: str, value: Any, mark: str, work: dict[str, int], checkout: Path, finished: Path
) -> None:
    configure(finished, {**CONFIG, key: [*CONFIG.get(key, [0.0]), value]})
    plan = planned(checkout, finished)
    assert rules(plan) == Counter({**work, **dict.fromkeys(PRODUCTS, 1)})
    assert all(mark in line for line in plan if line.startswith("cell"))


def test_more_test_sets_are_the_new_ones_alone_and_fewer_are_none(checkout: Path, finished: Path) -> None:
    """From 2 sets to 5, to 3, and to 2 again: files are made for the sets from 2 to 4, once."""
    assert CONFIG["n_references"] == 2
    before = results(finished)
    configure(finished, {**CONFIG, "n_references": 5})
    plan = planned(checkout, finished)
    assert rules(plan) == Counter({"simulate": 3, "estimate_p": 3, **dict.fromkeys(PRODUCTS, 1)})
    assert all("'sets=[2,4]'" in line for line in plan if line.startswith("cell"))
    code, output = snakemake(checkout, finished)
    assert code == 0, output[-3000:]
    table = pd.read_parquet(finished / "results/pvalues")
    assert sorted(table["reference"].unique()) == [0, 1, 2, 3, 4]
    for fewer in (3, 2):
        configure(finished, {**CONFIG, "n_references": fewer})
        assert rules(planned(checkout, finished)) == Counter(dict.fromkeys(PRODUCTS, 1))
    code, output = snakemake(checkout, finished)
    assert code == 0, output[-3000:]
    after = results(finished)
    assert {name: after[name] for name in before} == before
    configure(finished, {**CONFIG, "n_references": 4})
    assert rules(planned(checkout, finished)) == Counter(dict.fromkeys(PRODUCTS, 1))


def test_a_figure_is_drawn_again_without_a_p_value(checkout: Path, finished: Path) -> None:
    assert rules(planned(checkout, finished, "-R", "plot")) == Counter({"plot": 1, "report": 1})
    assert rules(planned(checkout, finished, "-R", "estimate_p")) == Counter(
        {"estimate_p": 3, **dict.fromkeys(PRODUCTS, 1)}
    )
    figure = finished / "results/wein2023/figures/figure_01.svg"
    before = figure.read_bytes()
    figure.unlink()
    code, output = snakemake(checkout, finished, "--", str(figure.relative_to(finished)))
    assert code == 0, output[-3000:]
    assert figure.read_bytes() == before


def test_another_size_has_its_section_of_the_report(checkout: Path, finished: Path) -> None:
    more = {"n_items": 30, "k_responses": 3}
    configure(finished, {**CONFIG, "metrics": ["mae", "mse"], "sizes": [*CONFIG["sizes"], more]})
    code, output = snakemake(checkout, finished)
    assert code == 0, output[-3000:]
    assert_names_are_files(finished, "wein2023")
    study = finished / "results/wein2023"
    for place in ("", "recommended/"):
        first, second = (
            pd.read_csv(study / f"tables/{folder}{place}table_08.csv") for folder in ("", "n-30_k-3/")
        )
        assert list(first["metric"]) == list(second["metric"]) == ["MAE", "MSE"]
        assert (first["true p"] != second["true p"]).any()
    page = (study / "report.html").read_text(encoding="utf-8")
    assert page.count("n = 30, k = 3") > page.count("At n = 30, k = 3.") >= 1


def test_the_numbers_do_not_depend_on_what_shares_a_job_or_is_kept(
    checkout: Path, finished: Path, tmp_path: Path
) -> None:
    wider = {**CONFIG, "sources": ["simulated"], "epsilons": [0.1, 0.3], "metrics": ["mae", "rmse"]}
    found = []
    for name, changes in (("few", {}), ("fine", {"job_seconds": 0}), ("none kept", {"kept_sets_mb": 0})):
        directory = tmp_path / name
        directory.mkdir()
        configure(directory, {**wider, **changes})
        code, output = snakemake(checkout, directory, "--until", "aggregate")
        assert code == 0, output[-3000:]
        found.append((directory / "results/pvalues/wein2023.parquet").read_bytes())
        n_sets = len(list((directory / "results").glob("reference_sets/*/*/*.parquet")))
        assert n_sets == {"few": 2, "fine": 4, "none kept": 0}[name]
    assert found[0] == found[1] == found[2]


def test_a_users_metric_joins_every_table_and_leaves_old_results_alone(
    checkout: Path, finished: Path, tmp_path: Path
) -> None:
    (tmp_path / "metrics_of_mine.py").write_text(USERS_METRIC, encoding="utf-8")
    before = results(finished)
    configure(
        finished,
        {**CONFIG, "metrics": ["mae", "median_error"], "metric_files": ["../metrics_of_mine.py"]},
    )
    new = {rule for rule in rules(planned(checkout, finished)) if rule not in PRODUCTS}
    assert new == {"true_p", "estimate_p"}
    code, output = snakemake(checkout, finished)
    assert code == 0, output[-3000:]
    after = results(finished)
    old = {name for name in before if not name.startswith(PRODUCED)}
    assert {name: before[name] for name in old} == {name: after[name] for name in old}
    for name in ("table_08", "recommended/table_08", "recommended/convabuse_epsilon_0.3"):
        table = pd.read_csv(finished / f"results/wein2023/tables/{name}.csv")
        assert list(table["metric"]) == ["MAE", "median_error"]
    assert "median_error" in after["results/wein2023/report.html"].decode()


def test_a_path_with_a_space_reaches_the_command_whole(checkout: Path, finished: Path) -> None:
    (finished / "my data").mkdir()
    (finished / "my data/toxicity_ratings.json").touch()
    ratings = {"sources": ["toxicity"], "ratings": {"toxicity": "my data/toxicity_ratings.json"}}
    configure(finished, {**CONFIG, **ratings})
    (normalise,) = (line for line in planned(checkout, finished) if line.startswith("normalise"))
    words = shlex.split(normalise)
    assert (words[:3], words[-1]) == (["normalise", "--path", "my data/toxicity_ratings.json"], "toxicity")


def test_from_two_of_the_papers_metrics_to_three_and_back_computes_the_third_alone(
    checkout: Path, finished: Path
) -> None:
    work = {"true_p": 3, "estimate_p": 3, **dict.fromkeys(PRODUCTS, 1)}
    for metrics, marks in (
        (["mae", "mse"], 'metrics=["mse"]'),
        (["cosine", "mae", "mse"], 'metrics=["cosine"]'),
    ):
        configure(finished, {**CONFIG, "metrics": metrics})
        plan = planned(checkout, finished)
        assert rules(plan) == Counter(work)
        assert all(marks in line for line in plan if line.startswith("cell"))
        before = results(finished)
        code, output = snakemake(checkout, finished, "--until", "aggregate")
        assert code == 0, output[-3000:]
        kept = {name for name in before if not name.startswith(PRODUCED)}
        assert {name: results(finished)[name] for name in kept} == {name: before[name] for name in kept}
    for metrics in (["mae", "mse"], ["mse"]):
        configure(finished, {**CONFIG, "metrics": metrics})
        assert rules(planned(checkout, finished)) == Counter(dict.fromkeys(PRODUCTS, 1))
    # Those of the last run, and no others.
    table = pd.read_parquet(finished / "results/pvalues")
    assert table.groupby("metric").size().to_dict() == dict.fromkeys(["mae", "mse", "cosine"], 6)


def test_samplers_and_metrics_come_and_go_in_any_order_and_nothing_is_planned_but_what_is_new(
    checkout: Path, finished: Path
) -> None:
    first, second, third = "bootstrap_items/sample(1)", "all_items/all", "bootstrap_items/all"
    for samplers, epsilons, n_new in (
        ([second, first], [0.3], 3),
        ([first, third, second], [0.3], 3),
        ([third, first], [0.3], 0),
        ([third, second, first], [0.1, 0.3], 6),
        ([second], [0.1], 0),
    ):
        configure(finished, {**CONFIG, "samplers": samplers, "epsilons": epsilons})
        assert rules(planned(checkout, finished))["estimate_p"] == n_new, (samplers, epsilons)
        if n_new:  # The report is not asked for: the p-values alone.
            code, output = snakemake(checkout, finished, "--until", "aggregate")
            assert code == 0, output[-3000:]
            assert not set(rules(planned(checkout, finished))) & STAGES
    table = pd.read_parquet(finished / "results/estimated_p")
    key = ["semantics", "source", "epsilon_b", "sampler", "reference", "metric"]
    assert len(table) == 3 * 2 * 3 * CONFIG["n_references"]
    assert not table.duplicated(key).any()


FULLER: dict[str, list[Any]] = {
    "metrics": ["mae", "rmse"],
    "samplers": ["bootstrap_items/sample(1)", "all_items/all"],
    "epsilons": [0.3, 0.1],
    "sizes": [{"n_items": 40, "k_responses": 2}, {"n_items": 30, "k_responses": 3}],
    "sources": ["simulated", "toxicity"],
}


def test_along_no_axis_does_an_order_or_a_value_that_goes_plan_a_cell(tmp_path: Path) -> None:
    """Every file is computed in two steps; whatever is asked for of them later, none is computed again."""
    first = {key: values[:1] for key, values in FULLER.items()}
    for step in (first, FULLER):
        configure(tmp_path, {**CONFIG, **step})
        code, output = snakemake(ROOT, tmp_path, "--until", "aggregate")
        assert code == 0, output[-3000:]
    table = pd.read_parquet(tmp_path / "results/pvalues")
    key = ["semantics", "source", "epsilon_b", "n_items", "k_responses", "sampler", "reference", "metric"]
    assert len(table) == 2**6 * CONFIG["n_references"]
    assert not table.duplicated(key).any()
    for axis, (_, other) in FULLER.items():
        configure(tmp_path, {**CONFIG, **FULLER, axis: [other]})
        assert not set(rules(planned(ROOT, tmp_path))) & STAGES, axis
    backwards = {axis: values[::-1] for axis, values in FULLER.items()}
    for asked in (backwards, first):
        configure(tmp_path, {**CONFIG, **asked})
        assert not set(rules(planned(ROOT, tmp_path))) & STAGES, asked
