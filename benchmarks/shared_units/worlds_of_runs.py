"""Worlds in which the same runs of each system answer many items."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.shared_units.world import ALL, World


def shared_runs() -> Iterator[World]:
    for runs in (2, 3, 5, 8, 20):
        for sd in (0.0, 0.02, 0.1):
            # gold leans on the axis, so that a run's slant moves every metric in the first order
            yield World(
                f"{runs} runs, shift and slant SD {sd}",
                "runs",
                ALL,
                runs=runs,
                responses=runs,
                shift=sd,
                slant=sd,
                axis=0.1,
            )
    for n in (50, 1000):
        for runs, sd in ((3, 0.02), (5, 0.0), (5, 0.02), (5, 0.1)):
            metrics = ALL if n == 50 else ("mean", "mae", "mse", "mean_of_emds", "accuracy")
            yield World(
                f"{runs} runs, shift and slant SD {sd}",
                "runs",
                metrics,
                n,
                runs=runs,
                responses=runs,
                shift=sd,
                slant=sd,
                axis=0.1,
            )
    for response in ("likert", "binary"):
        for runs, sd in ((3, 0.05), (5, 0.0), (5, 0.05), (8, 0.05)):
            yield World(
                f"{runs} runs, {response}, SD {sd}",
                "runs",
                ALL,
                runs=runs,
                responses=runs,
                shift=sd,
                slant=sd,
                axis=0.1,
                response=response,
            )
    for runs in (2, 3, 5, 8):
        for sd in (0.0, 0.05):
            yield World(
                f"{runs} paired runs, SD {sd}",
                "runs",
                ALL,
                runs=runs,
                responses=runs,
                paired=True,
                shift=sd,
                slant=sd,
                common=0.1,
                axis=0.1,
            )
    for law in ("heavy", "skewed"):
        yield World(
            f"5 runs, {law}, SD 0.05",
            "runs",
            ALL,
            shift=0.05,
            slant=0.05,
            axis=0.1,
            law=law,
        )
    yield World(
        "2 of 8 runs an item, SD 0.05", "runs", ALL, runs=8, responses=2, shift=0.05, slant=0.05, axis=0.1
    )
