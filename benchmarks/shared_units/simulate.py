"""Test sets of a world."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from benchmarks.shared_units.world import World
from nbyk.testing.shared_units.responses import Responses, responses

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def draw_set(world: World, rng: np.random.Generator) -> Responses:
    """Return one test set."""
    n = world.n_items
    clusters = _clusters(world)
    values = rng.uniform(0.3, 0.7, n)
    axis = _clustered(world, clusters, rng, n)
    gold_panel = _panel(world, world.raters, world.ratings, world.fresh_gold, world.load, rng)
    load = world.load if "outputs" in world.factor else "equal"
    a_panel = _panel(world, world.runs, world.responses, world.fresh_runs, load, rng)
    paired = world.paired
    b_panel = (
        a_panel if paired else _panel(world, world.runs, world.responses, world.fresh_runs, "equal", rng)
    )
    careful = np.exp(world.careful * rng.standard_normal(gold_panel.max() + 1))

    bias, lean, half = world.bias, world.lean, world.deviation
    places = np.sqrt(3.0) * (values - 0.5) / 0.2
    apart = world.spread * places
    gold = _answers(world, gold_panel, values + world.axis * axis, axis, world.severity, world.opinion, rng)
    gold += world.gold_noise * careful[gold_panel] * rng.standard_normal(gold.shape)
    a_centre = values + bias + lean * axis + apart + half * _flat(world, clusters, rng, n)
    worse = world.better
    b_bias = calibrated_bias(world) if world.calibrated else bias
    b_centre = values - b_bias - worse - lean * axis - apart
    b_centre += (half + 1.5 * worse) * _flat(world, clusters, rng, n)
    a = _answers(world, a_panel, a_centre, axis, world.shift, world.slant, rng)
    b = _answers(world, b_panel, b_centre, axis, world.shift, world.slant, rng)
    common = world.common * rng.standard_normal(a_panel.max() + 1)
    a += world.noise * rng.standard_normal(a.shape) + (common[a_panel] if paired else 0.0)
    b += world.noise * rng.standard_normal(b.shape) + (common[b_panel] if paired else 0.0)
    if world.sensitivity:
        gold += world.sensitivity * _law(world, rng, gold_panel.max() + 1)[gold_panel] * places[:, None]
    if world.preference:
        a += world.preference * _law(world, rng, a_panel.max() + 1)[a_panel]
    if world.by_cluster:
        for panel, answers in ((a_panel, a), (b_panel, b)):
            on_cluster = rng.standard_normal((panel.max() + 1, clusters.max() + 1))
            answers += world.by_cluster * on_cluster[panel, clusters[:, None]]
    # what the units are in truth is hidden from the test where they are fresh: columns look like units
    columns = np.broadcast_to(np.arange(world.ratings), gold.shape)
    run_columns = np.broadcast_to(np.arange(world.responses), a.shape)
    shared = world.factor.split("+")
    return responses(
        _cut(a, world),
        _cut(b, world),
        gold=_cut(gold, world),
        a_units=_seen(a_panel, run_columns, world.fresh_runs, {"runs", "outputs"} & set(shared)),
        b_units=_seen(b_panel, run_columns, world.fresh_runs, {"runs", "outputs"} & set(shared)),
        gold_units=_seen(gold_panel, columns, world.fresh_gold, {"raters"} & set(shared)),
        paired=paired,
        clusters=clusters if "clusters" in shared else None,
    )


def calibrated_bias(world: World) -> float:
    """Return how far below the truth a system has the mean absolute error of one that is `bias` above it.

    All raters rate each item. The error is of 10⁶ panels, so that the bias has a standard error of about
    10⁻⁴, a hundredth of what people differ.
    """
    return _calibrated_bias(replace(world, better=0.0))


@cache
def _calibrated_bias(world: World) -> float:
    rng = np.random.default_rng(39)
    panels = 1_000_000
    severities = world.severity * _law(world, rng, panels * world.raters).reshape(panels, -1).mean(axis=1)
    noise = np.sqrt(world.gold_noise**2 / world.raters + world.noise**2 / world.responses)
    errors = severities + noise * rng.standard_normal(panels) + world.deviation * rng.uniform(-1, 1, panels)
    of_a = float(np.mean(np.abs(errors - world.bias)))
    return float(brentq(lambda bias: float(np.mean(np.abs(errors + bias))) - of_a, 0.0, 1.0))


def _seen(panel: Ints, columns: Ints, fresh: bool, shared: set[str]) -> Ints | None:
    if fresh:
        return columns
    return panel if shared else None


def _clusters(world: World) -> Ints:
    n, count = world.n_items, world.clusters
    if count == 0:
        return np.arange(n)
    if world.sizes == "equal":
        return np.arange(n) * count // n
    weights = 1.0 / np.arange(1, count + 1)
    ends = np.cumsum(weights) / weights.sum()
    sizes = np.maximum(1, np.diff(np.round(ends * n), prepend=0)).astype(np.int64)
    sizes[0] += n - sizes.sum()
    return np.repeat(np.arange(count), sizes)


def _clustered(world: World, clusters: Ints, rng: np.random.Generator, n: int) -> Floats:
    own, shared = rng.standard_normal(n), rng.standard_normal(n)
    mixed: Floats = np.sqrt(1.0 - world.icc) * own + np.sqrt(world.icc) * shared[clusters]
    return mixed


def _flat(world: World, clusters: Ints, rng: np.random.Generator, n: int) -> Floats:
    """Return deviations of variance 1/3, flat on (−1, 1) but for the part that a cluster shares."""
    own, shared = rng.uniform(-1.0, 1.0, n), rng.standard_normal(n) / np.sqrt(3.0)
    mixed: Floats = np.sqrt(1.0 - world.icc) * own + np.sqrt(world.icc) * shared[clusters]
    return mixed


def _panel(world: World, units: int, each: int, fresh: bool, load: str, rng: np.random.Generator) -> Ints:
    """Return the unit of each response."""
    n = world.n_items
    if fresh:
        return np.arange(n * each).reshape(n, each)
    if each == units:
        return np.tile(np.arange(units), (n, 1))
    if load == "batches":
        batch = np.arange(n) * (units // each) // n
        return batch[:, None] * each + np.arange(each)
    # The smallest of exponential times: units without replacement, in proportion to their rates.
    times = rng.standard_exponential((n, units))
    if load in ("unequal", "power"):
        times *= np.arange(1, units + 1) ** (1.5 if load == "power" else 1.0)
    return np.argsort(times, axis=1)[:, :each]


def _answers(
    world: World,
    panel: Ints,
    centre: Floats,
    axis: Floats,
    level: float,
    tilt: float,
    rng: np.random.Generator,
) -> Floats:
    count = int(panel.max()) + 1
    levels, tilts = level * _law(world, rng, count), tilt * _law(world, rng, count)
    values: Floats = centre[:, None] + levels[panel] + tilts[panel] * axis[:, None]
    return values


def _law(world: World, rng: np.random.Generator, count: int) -> Floats:
    drawn: Floats
    if world.law == "heavy":
        drawn = rng.standard_t(3, count) / np.sqrt(3.0)
    elif world.law == "skewed":
        drawn = rng.standard_exponential(count) - 1.0
    elif world.law == "lognormal":
        drawn = (np.exp(rng.standard_normal(count)) - np.exp(0.5)) / np.sqrt(np.exp(2.0) - np.exp(1.0))
    elif world.law.startswith("skewness"):
        shape = 4.0 / float(world.law.split()[1]) ** 2
        drawn = (rng.gamma(shape, size=count) - shape) / np.sqrt(shape)
    else:
        drawn = rng.standard_normal(count)
    return drawn


def _cut(values: Floats, world: World) -> Floats:
    if world.response == "continuous":
        return values
    levels = 5 if world.response == "likert" else 2
    cut: Floats = np.clip(np.floor(values * levels), 0, levels - 1) / (levels - 1)
    return cut
