"""Worlds in which units are skewed, few or unequal, differ by cluster, or meet metrics that jump."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.shared_units.world import Law, World

_LAWS: tuple[Law, ...] = ("normal", "skewness 1", "skewness 1.6", "skewed", "lognormal")


def skewed_units() -> Iterator[World]:
    """Yield worlds in which people rate outputs, or gold, and differ by a skewed law."""
    for law in _LAWS:
        for people in (3, 5, 8, 20):
            yield World(
                f"{people} people, {law} preferences",
                "outputs",
                ("mean",),
                runs=people,
                responses=people,
                paired=True,
                preference=0.1,
                law=law,
            )
        for raters in (5, 8, 20):
            yield World(
                f"{raters} raters, {law} severities, biased systems",
                "raters",
                ("mse",),
                raters=raters,
                ratings=raters,
                severity=0.1,
                bias=0.1,
                law=law,
            )


def calibrated_errors() -> Iterator[World]:
    """Yield worlds of raters of gold with skewed severities, whose systems have equal absolute errors."""
    for law in _LAWS[2:]:
        for raters in (5, 8, 20):
            yield World(
                f"{raters} raters, {law} severities, calibrated systems",
                "raters",
                ("mae",),
                raters=raters,
                ratings=raters,
                severity=0.1,
                bias=0.1,
                law=law,
                calibrated=True,
            )


def few_units() -> Iterator[World]:
    """Yield worlds of a few people on 100 items, who differ or do not."""
    for people in (3, 5, 8):
        for sd in (0.0, 0.02, 0.05):
            yield World(
                f"{people} people on 100 items, SD {sd}",
                "outputs",
                ("mean",),
                100,
                runs=people,
                responses=people,
                paired=True,
                shift=sd,
                slant=0.02,
                common=0.05,
            )


def unequal_loads() -> Iterator[World]:
    """Yield worlds in which a few people give most of the ratings, three an item."""
    for people in (8, 20, 40):
        for sd in (0.0, 0.1):
            yield World(
                f"3 of {people} people, power-law activity, SD {sd}",
                "outputs",
                ("mean",),
                100,
                runs=people,
                responses=3,
                paired=True,
                load="power",
                preference=sd,
            )
        yield World(
            f"3 of {people} raters, power-law activity, biased systems",
            "raters",
            ("mae", "mse", "mean_of_emds"),
            100,
            raters=people,
            ratings=3,
            load="power",
            severity=0.1,
            bias=0.1,
        )


def units_by_cluster() -> Iterator[World]:
    """Yield worlds in which the effects of raters of outputs, or of runs, differ by cluster."""
    for units, factor, paired in (
        (5, "outputs", True),
        (8, "outputs", True),
        (3, "runs", False),
        (5, "runs", False),
    ):
        for clusters in (20, 40):
            yield World(
                f"{units} {factor}, {clusters} clusters, by cluster",
                f"{factor}+clusters",
                ("mean",),
                runs=units,
                responses=units,
                paired=paired,
                clusters=clusters,
                icc=0.2,
                by_cluster=0.1,
            )


def people_like_noise() -> Iterator[World]:
    """Yield worlds in which people differ about twice as much as the noise in the mean of their ratings."""
    for law in ("normal", "skewness 1.6"):
        for people in (3, 5, 8):
            yield World(
                f"{people} people like noise, {law} preferences",
                "outputs",
                ("mean",),
                runs=people,
                responses=people,
                paired=True,
                noise=0.3,
                preference=0.06,
                law=law,
            )


def jumps() -> Iterator[World]:
    """Yield worlds of metrics that take few values, or jump where a mean crosses a threshold."""
    for sd in (0.0, 0.05):
        yield World(f"5 runs, jumps, SD {sd}", "runs", ("f1", "accuracy", "wins_mae"), shift=sd)
        yield World(
            f"5 runs, binary, jumps, SD {sd}",
            "runs",
            ("mae", "f1", "accuracy"),
            response="binary",
            shift=sd,
        )
        yield World(
            f"5 raters and 5 runs, jumps, SD {sd}",
            "raters+runs",
            ("accuracy", "wins_mae"),
            severity=sd,
            shift=sd,
        )
