"""Tests over new items and units that are no surer than one over new items: contained.csv.

Run ``python -m benchmarks.shared_units.contained contained.csv``. New items with these units are among new
items with new units, but the variance of the test over both, max(I − W, 0) + T, is below I where T < W by
chance. "larger p" takes the larger p of both tests, nbyk's except over clusters, where it is too strict
(`nbyk.testing.results.may_be_surer`). The others were not chosen: "larger variance" counts max(T, W) in the
place of T; "difference" is the mixture of I and max(Σ T − Σ W, 0), which is the test over items alone where
units differ less than noise; "weighted" is the larger p, but p of items alone by the chance that the units'
variance is no more than noise, P(χ²_ν > ν T / W).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from benchmarks.shared_units.candidates import laws, p_values, tails
from benchmarks.shared_units.measure import OF_ITEMS, OF_SOURCE, measure
from benchmarks.shared_units.rates import interval
from benchmarks.shared_units.table import write_table
from benchmarks.shared_units.world import World, with_better_a
from benchmarks.shared_units.worlds import worlds
from benchmarks.shared_units.worlds_unkind import people_like_noise, units_by_cluster
from nbyk.testing.shared_units.mixture import ErrorLaw

Floats = NDArray[np.float64]

METRICS = ("mean", "mae")
OF_RUNS = (*METRICS, "mse", "accuracy")
UNPAIRED = tuple(f"{runs} runs, shift and slant SD {sd}" for runs in (3, 5) for sd in (0.0, 0.02, 0.1))
NAMES = (
    *UNPAIRED,
    "8 runs, shift and slant SD 0.0",
    "5 raters and 5 runs, jumps, SD 0.0",
    *(f"{people} people on 100 items, SD {sd}" for people in (3, 5, 8) for sd in (0.0, 0.02, 0.05)),
    *(f"{people} people, {law} preferences" for people in (5, 8) for law in ("normal", "skewness 1.6")),
    *(f"5 of 5 output raters, SD {sd}" for sd in (0.0, 0.05)),
    *(f"{raters} raters, SD 0.0" for raters in (3, 5, 8)),
    *(world.name for world in units_by_cluster()),
)
METRICS_OF = {**dict.fromkeys(UNPAIRED, OF_RUNS), "5 raters and 5 runs, jumps, SD 0.0": ("wins_mae",)}


def chosen() -> Iterator[World]:
    """Yield the worlds that decide: three, five and eight units, alike or not, and a few of each kind."""
    for world in worlds():
        if world.name in NAMES and world.n_items in (100, 200):
            yield world
    yield from people_like_noise()


def _with_larger_variance(kept: Floats, own: list[ErrorLaw]) -> list[ErrorLaw]:
    """Return the laws in which no source has less than single responses explain."""
    found = []
    for law, row in zip(own, kept, strict=True):
        sources = row[OF_ITEMS:-1].reshape(-1, OF_SOURCE)
        within = sources[~np.isnan(sources[:, 0]), 1]
        share = min(1.0, row[1] / within.sum()) if within.sum() > 0.0 else 1.0
        least = np.concatenate([[0.0], share * within])
        found.append(replace(law, variances=np.maximum(law.variances, least)))
    return found


def _of_difference(kept: Floats, own: list[ErrorLaw]) -> list[ErrorLaw]:
    """Return the laws whose parts are I and what sources have beyond single responses, in proportion to T."""
    found = []
    for law, row, (total, within) in zip(own, kept, _sums(kept), strict=True):
        beyond = max(total - within, 0.0) / total if total > 0.0 else 0.0
        parts = [row[1], *(beyond * row[OF_ITEMS:-1].reshape(-1, OF_SOURCE)[: len(law.units) - 1, 0])]
        found.append(replace(law, variances=np.array([parts])))
    return found


def _like_noise(kept: Floats, own: list[ErrorLaw]) -> Floats:
    """Return the chance that the variance over units is no more than single responses explain."""
    total, within = _sums(kept).T
    df = np.array([law.df[0, 1:].max() for law in own])
    return np.asarray(chi2.sf(df * total / np.maximum(within, 1e-300), df))


def _sums(kept: Floats) -> Floats:
    """Return T and W of all sources together, shape (sets, 2)."""
    sums: Floats = np.nansum(kept[:, OF_ITEMS:-1].reshape(len(kept), -1, OF_SOURCE)[:, :, :2], axis=1)
    return sums


def row_of(world: World, truth: str, metric: str, sets: int) -> dict[str, Any]:
    """Return the rates of a world by a metric."""
    kept = measure(world, (metric,), range(sets))[:, 0]
    effects, own = kept[:, 0], laws(kept)
    without = kept.copy()
    without[:, -1] = kept[:, 1]  # by its clusters, if it has any: those of the narrower claim
    p = {
        "items alone": p_values(without, "items"),
        "units": 2.0 * tails(own, effects),
        "larger variance": 2.0 * tails(_with_larger_variance(kept, own), effects),
    }
    p["larger p"] = np.maximum(p["units"], p["items alone"])
    p["difference"] = np.maximum(2.0 * tails(_of_difference(kept, own), effects), p["items alone"])
    p["weighted"] = p["larger p"] - _like_noise(kept, own) * (p["larger p"] - p["items alone"])
    row: dict[str, Any] = {"world": world.name, "items": world.n_items, "metric": metric, "truth": truth}
    row |= {"sets": sets, "surer": float(np.mean(p["units"] < p["items alone"]))}
    for name, values in p.items():
        row[name] = float(np.mean(values <= 0.05))
        row[f"{name}, .01"] = float(np.mean(values <= 0.01))
    row["95 % from"], row["to"] = interval(row["larger p"], sets)
    return row


def rows(sets: int) -> Iterator[dict[str, Any]]:
    """Yield a row for each world, truth and metric."""
    for world in chosen():
        for metric in world.metrics:
            if metric in METRICS_OF.get(world.name, METRICS):
                yield row_of(world, "equal", metric, 5 * sets if world.by_cluster else sets)
                yield row_of(with_better_a(world), "A better", metric, sets)


def main() -> None:
    """Write the table."""
    write_table(__doc__, 2000, rows)


if __name__ == "__main__":
    main()
