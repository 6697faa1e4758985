"""The worlds in which tests for shared units are measured, fixed before any test was chosen."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.shared_units.world import ALL, ERRORS, World
from benchmarks.shared_units.worlds_of_clusters import few_and_unequal_clusters, shared_clusters
from benchmarks.shared_units.worlds_of_raters import (
    raters_of_gold,
    raters_of_other_sensitivity,
    raters_of_outputs,
)
from benchmarks.shared_units.worlds_of_runs import shared_runs
from benchmarks.shared_units.worlds_unkind import (
    calibrated_errors,
    few_units,
    jumps,
    skewed_units,
    unequal_loads,
    units_by_cluster,
)


def _issue() -> Iterator[World]:
    """Yield the worlds in which item-only tests were first seen to fail."""
    for n in (200, 1000):
        for sd in (0.02, 0.05):
            yield World(f"issue: 5 runs, SD {sd}", "runs", ("mean",), n, shift=sd)
        yield World("issue: 5 raters, SD .1", "raters", ("mae",), n, severity=0.1, bias=0.1)
        yield World(
            "issue: 20 raters, SD .1", "raters", ("mae",), n, raters=20, ratings=20, severity=0.1, bias=0.1
        )
        yield World(
            "issue: 3 of 8 raters, SD .04",
            "raters",
            ("mae",),
            n,
            raters=8,
            ratings=3,
            severity=0.04,
            bias=0.02,
        )
    for icc in (0.2, 0.5):
        yield World(f"issue: 40 clusters of 5, icc {icc}", "clusters", ("mean",), clusters=40, icc=icc)


def _prototype() -> Iterator[World]:
    """Yield the worlds of the first prototype that are not among the issue's."""
    for n in (50, 200, 1000):
        for runs, sd in ((5, 0.0), (2, 0.05), (5, 0.05)):
            yield World(
                f"prototype: {runs} runs, SD {sd}", "runs", ("mean",), n, runs=runs, responses=runs, shift=sd
            )
        for raters, ratings, sd, bias in (
            (5, 5, 0.0, 0.05),
            (5, 5, 0.05, 0.05),
            (3, 3, 0.1, 0.1),
            (20, 20, 0.1, 0.1),
            (8, 3, 0.04, 0.02),
            (50, 5, 0.1, 0.1),
            (50, 5, 0.0, 0.1),
        ):
            yield World(
                f"prototype: {ratings} of {raters} raters, SD {sd}",
                "raters",
                ("mae",),
                n,
                raters=raters,
                ratings=ratings,
                severity=sd,
                bias=bias,
            )


def _together() -> Iterator[World]:
    for n in (200, 1000):
        for units in (3, 5, 8):
            for sd in (0.0, 0.05):
                if n == 1000 and units != 5:
                    continue
                yield World(
                    f"{units} raters and {units} runs, SD {sd}",
                    "raters+runs",
                    ERRORS if n == 200 else ("mae", "mse", "mean_of_emds", "accuracy"),
                    n,
                    raters=units,
                    ratings=units,
                    runs=units,
                    responses=units,
                    severity=sd,
                    opinion=sd,
                    shift=sd,
                    slant=sd,
                    bias=0.05,
                    lean=0.05,
                )
    yield World(
        "3 of 8 raters, 5 runs, 40 clusters",
        "raters+runs+clusters",
        ERRORS,
        raters=8,
        ratings=3,
        severity=0.05,
        opinion=0.05,
        shift=0.05,
        slant=0.05,
        bias=0.05,
        lean=0.05,
        clusters=40,
        icc=0.2,
    )


def _fresh() -> Iterator[World]:
    """Yield worlds in which nothing is shared: every item has its own people and runs."""
    for n in (50, 200):
        yield World(
            "fresh raters",
            "none",
            ERRORS,
            n,
            fresh_gold=True,
            severity=0.1,
            opinion=0.1,
            bias=0.05,
            lean=0.05,
        )
        yield World("fresh runs", "none", ALL, n, fresh_runs=True, shift=0.05, slant=0.05, axis=0.1)


def worlds() -> tuple[World, ...]:
    """Return every world with equally good systems."""
    groups = (
        _issue,
        _prototype,
        shared_runs,
        raters_of_gold,
        raters_of_outputs,
        shared_clusters,
        _together,
        _fresh,
        few_and_unequal_clusters,
        raters_of_other_sensitivity,
        skewed_units,
        few_units,
        unequal_loads,
        units_by_cluster,
        jumps,
        calibrated_errors,
    )
    return tuple(world for group in groups for world in group())
