"""Intervals of the parts of a variance: they cover, and neither order nor direction changes them."""

from __future__ import annotations

import math
from dataclasses import astuple, replace

import numpy as np
import pytest

from benchmarks.shared_units.parts import WORLDS, covered, true_parts
from nbyk.metrics import get
from nbyk.testing.results import VariancePart
from nbyk.testing.shared_units import Responses, responses, shared_units_test
from nbyk.testing.shared_units.intervals import parts_with_intervals

METRICS = ("mae", "rmse", "spearman", "accuracy(threshold=0.5)", "wins_mae", "auc(threshold=0.5)")


def raters_and_runs(
    *, seed: int = 1, n: int = 60, raters: int = 6, runs: int = 4, of: int | None = None
) -> dict:
    """Return the arguments of `responses`: raters with severities, and runs of two systems with luck."""
    rng = np.random.default_rng(seed)
    item = rng.uniform(0.2, 0.8, (n, 1))
    who = np.argsort(rng.random((n, raters)), axis=1)[:, : of or raters]
    gold = item + 0.05 * rng.standard_normal(raters)[who] + 0.1 * rng.standard_normal(who.shape)
    which = np.tile(np.arange(runs), (n, 1))
    a, b = (
        item
        + bias
        + 0.1 * rng.standard_normal((n, 1))
        + 0.03 * rng.standard_normal(runs)
        + 0.1 * rng.standard_normal((n, runs))
        for bias in (0.05, -0.1)
    )
    return {"a": a, "b": b, "gold": gold, "a_units": which, "b_units": which, "gold_units": who}


def parts(metric: str, data: Responses) -> dict[str, VariancePart]:
    chosen = get(metric)
    found = parts_with_intervals(chosen, data, shared_units_test(chosen, data))
    return {part.source: part for part in found}


@pytest.mark.parametrize("of", [None, 3], ids=["all rate all", "three of six"])
@pytest.mark.parametrize("metric", METRICS)
def test_every_part_has_an_interval_around_it(metric: str, of: int | None) -> None:
    found = parts(metric, responses(**raters_and_runs(of=of)))
    sources = ("raters", "runs of A", "runs of B")
    assert list(found) == ["items", *(name for source in sources for name in (source, f"{source} × items"))]
    for part in found.values():
        assert 0.0 <= part.low <= part.variance <= part.high
        assert part.high > 0.0 or part.variance == 0.0
    assert sum(part.share for part in found.values()) == pytest.approx(1.0)


@pytest.mark.parametrize("raters", [3, 4])
@pytest.mark.parametrize("metric", ["mae", "accuracy(threshold=0.5)"])
def test_three_raters_have_intervals_too(metric: str, raters: int) -> None:
    data = responses(**raters_and_runs(raters=raters, runs=3))
    assert not any(
        math.isnan(number) for part in parts(metric, data).values() for number in astuple(part)[1:]
    )


@pytest.mark.parametrize("metric", ["mae", "rmse"])
@pytest.mark.parametrize("rarely", [0, 5], ids=["first", "last"])
def test_a_rater_of_one_item_may_be_left_out_with_it(metric: str, rarely: int) -> None:
    given = raters_and_runs()
    given["gold"][given["gold_units"] == rarely] = np.nan
    given["gold"][0] = 0.5
    found = parts(metric, responses(**given))
    assert not any(math.isnan(number) for part in found.values() for number in astuple(part)[1:])


def test_a_linear_metric_keeps_the_parts_of_its_test() -> None:
    given = raters_and_runs()
    data = responses(given["a"], given["b"], a_units=given["a_units"], b_units=given["b_units"])
    test = shared_units_test(get("mean"), data)
    assert parts_with_intervals(get("mean"), data, test) == test.parts


@pytest.mark.parametrize("metric", METRICS)
def test_order_names_and_direction_do_not_count(metric: str) -> None:
    given = raters_and_runs(n=24, raters=4, runs=3)
    found = parts(metric, responses(**given))
    rng = np.random.default_rng(3)
    rows, names = rng.permutation(24), rng.permutation(4)
    moved = {name: values[rows] for name, values in given.items()}
    moved["gold_units"] = names[moved["gold_units"]]
    swapped = {**given, "a": given["b"], "b": given["a"]}
    turned = {name: values if "units" in name else 1.0 - values for name, values in given.items()}
    others = {"moved": moved, "swapped": swapped}
    if metric in ("mae", "rmse"):
        others["turned"] = turned
    other_name = {"runs of A": "runs of B", "runs of B": "runs of A"}
    for change, other in others.items():
        again = parts(metric, responses(**other))
        for source, part in found.items():
            stem, _, rest = source.partition(" × ")
            name = other_name.get(stem, stem) if change == "swapped" else stem
            of_again = again[f"{name} × {rest}" if rest else name]
            assert astuple(of_again)[1:] == pytest.approx(astuple(part)[1:], rel=1e-6, abs=1e-12), change


def test_clusters_leave_together() -> None:
    given = raters_and_runs(n=300)
    clusters = np.repeat(np.arange(50), 6)
    given["a"] = given["a"] + np.random.default_rng(2).normal(0.0, 0.3, 50)[clusters][:, np.newaxis]
    of_clusters = parts("mae", responses(**given, clusters=clusters))["clusters of items"]
    assert of_clusters.high > of_clusters.variance > of_clusters.low > 0.0


@pytest.mark.parametrize("metric", ["mae", "rmse"])
def test_a_part_of_the_items_stands_for_large_data(metric: str) -> None:
    """6000 items, of which nbyk takes 1000: the parts of items are about a tenth of those of 600."""
    small, large = (parts(metric, responses(**raters_and_runs(n=n, seed=5))) for n in (600, 6000))
    for source in ("items", "raters × items"):
        assert 0.3 < 10.0 * large[source].variance / small[source].variance < 3.0
        assert large[source].high - large[source].low < 0.5 * (small[source].high - small[source].low)


@pytest.mark.statistics
@pytest.mark.parametrize(
    ("metrics", "least"), [(("mae", "rmse"), 0.88), (("accuracy", "wins_mae"), 0.8)], ids=["smooth", "jumps"]
)
def test_intervals_cover_the_true_parts(metrics: tuple[str, ...], least: float) -> None:
    """Nominal .95. The standard error is .02 with 100 sets, .06 with 24; docs/shared-units.md has more."""
    sets = 100 if metrics[0] == "mae" else 24
    world = replace(WORLDS[1], metrics=metrics)
    chosen = [get(name) for name in metrics]
    truth = true_parts(world, chosen, 8000)
    for found in covered(world, chosen, truth, sets):
        assert found["coverage"] >= least, found
        assert found["mean_over_truth"] == pytest.approx(1.0, abs=0.45), found
