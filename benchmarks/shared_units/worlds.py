"""The worlds in which tests for shared units are measured, fixed before any test was chosen."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.shared_units.world import World

# Means of Likert ratings tie with the threshold of accuracy, and ties are no mirror image of themselves.
GRADED = ("mae", "mse", "spearman", "mean_of_emds")
ERRORS = (*GRADED, "accuracy")
ALL = ("mean", *ERRORS)


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


def _runs() -> Iterator[World]:
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


def _raters() -> Iterator[World]:
    for raters in (2, 3, 5, 8, 20, 50):
        for sd in (0.0, 0.05, 0.1):
            # even numbers of binary or Likert ratings tie at one half, continuous ones do not
            yield World(
                f"{raters} raters, SD {sd}",
                "raters",
                ERRORS,
                raters=raters,
                ratings=raters,
                severity=sd,
                opinion=sd,
                bias=0.05,
                lean=0.05,
            )
    for n in (50, 1000):
        for raters, sd in ((3, 0.05), (5, 0.0), (5, 0.05), (5, 0.1), (8, 0.05)):
            metrics = ERRORS if n == 50 else ("mae", "mse", "mean_of_emds", "accuracy")
            yield World(
                f"{raters} raters, SD {sd}",
                "raters",
                metrics,
                n,
                raters=raters,
                ratings=raters,
                severity=sd,
                opinion=sd,
                bias=0.05,
                lean=0.05,
            )
    for response in ("likert", "binary"):
        for raters, sd in ((3, 0.1), (5, 0.0), (5, 0.1), (9, 0.1)):
            yield World(
                f"{raters} raters, {response}, SD {sd}",
                "raters",
                ERRORS if response == "binary" else GRADED,
                raters=raters,
                ratings=raters,
                severity=sd,
                opinion=sd,
                bias=0.05,
                lean=0.05,
                response=response,
            )
    for n in (200, 1000):
        for raters, ratings, load in (
            (8, 3, "equal"),
            (8, 3, "unequal"),
            (50, 5, "equal"),
            (50, 5, "unequal"),
            (20, 3, "equal"),
            (30, 3, "batches"),
            (5, 2, "equal"),
            (4, 3, "equal"),
        ):
            for sd in (0.0, 0.04, 0.1):
                if n == 1000 and (sd == 0.1 or (raters, ratings) not in ((8, 3), (50, 5))):
                    continue
                metrics = ERRORS if n == 200 else ("mae", "mse", "mean_of_emds", "accuracy")
                yield World(
                    f"{ratings} of {raters} raters, {load} loads, SD {sd}",
                    "raters",
                    metrics,
                    n,
                    raters=raters,
                    ratings=ratings,
                    load=load,  # type: ignore[arg-type]
                    severity=sd,
                    opinion=sd,
                    bias=0.05,
                    lean=0.05,
                )
    for response in ("likert", "binary"):
        yield World(
            f"3 of 8 raters, {response}, SD 0.1",
            "raters",
            ERRORS if response == "binary" else GRADED,
            raters=8,
            ratings=3,
            severity=0.1,
            opinion=0.1,
            bias=0.05,
            lean=0.05,
            response=response,  # type: ignore[arg-type]
        )
    yield World(
        "5 raters, heavy, SD 0.1",
        "raters",
        ERRORS,
        severity=0.1,
        opinion=0.1,
        bias=0.05,
        lean=0.05,
        law="heavy",
    )
    yield World(
        "5 raters, unlike care, SD 0.05",
        "raters",
        ERRORS,
        severity=0.05,
        opinion=0.05,
        bias=0.05,
        lean=0.05,
        careful=0.7,
    )


def _outputs() -> Iterator[World]:
    """Yield worlds without gold: the same people rate the outputs of A and of B."""
    for people, each in ((2, 2), (3, 3), (5, 5), (8, 8), (8, 3), (20, 20), (50, 5)):
        for sd in (0.0, 0.05):
            yield World(
                f"{each} of {people} output raters, SD {sd}",
                "outputs",
                ("mean",),
                runs=people,
                responses=each,
                paired=True,
                shift=sd,
                common=0.1,
                noise=0.15,
            )
    for response in ("likert", "binary"):
        yield World(
            f"5 output raters, {response}, SD 0.05",
            "outputs",
            ("mean",),
            paired=True,
            shift=0.05,
            common=0.1,
            noise=0.15,
            response=response,
        )


def _clusters() -> Iterator[World]:
    for clusters, n, sizes in (
        (5, 50, "equal"),
        (8, 200, "equal"),
        (13, 200, "equal"),
        (40, 200, "equal"),
        (40, 200, "few large"),
        (13, 200, "few large"),
        (100, 1000, "equal"),
    ):
        for icc in (0.0, 0.2, 0.5):
            yield World(
                f"{clusters} clusters, {sizes}, icc {icc}",
                "clusters",
                ALL if n < 1000 else ("mean", "mae"),
                n,
                clusters=clusters,
                sizes=sizes,  # type: ignore[arg-type]
                icc=icc,
            )
    for icc in (0.0, 0.5):
        for sd in (0.0, 0.05):
            yield World(
                f"40 clusters, icc {icc}, 5 runs, SD {sd}",
                "runs+clusters",
                ALL,
                clusters=40,
                icc=icc,
                shift=sd,
                slant=sd,
                axis=0.1,
            )
            yield World(
                f"40 clusters, icc {icc}, 5 raters, SD {sd}",
                "raters+clusters",
                ERRORS,
                clusters=40,
                icc=icc,
                severity=sd,
                opinion=sd,
                bias=0.05,
                lean=0.05,
            )


def _few_and_unequal_clusters() -> Iterator[World]:
    """Yield worlds of few or unequal clusters, alone and with raters or runs that all of them share."""
    for clusters, sizes in (
        (5, "equal"),
        (5, "few large"),
        (8, "few large"),
        (25, "equal"),
        (50, "equal"),
        (50, "few large"),
    ):
        for icc in (0.2, 0.5):
            yield World(
                f"{clusters} clusters, {sizes}, icc {icc}",
                "clusters",
                ("mean", "mae", "spearman", "accuracy"),
                clusters=clusters,
                sizes=sizes,  # type: ignore[arg-type]
                icc=icc,
            )
    for clusters, sizes in (
        (2, "equal"),
        (3, "equal"),
        (5, "equal"),
        (8, "equal"),
        (13, "equal"),
        (13, "few large"),
        (50, "equal"),
        (50, "few large"),
    ):
        yield World(
            f"{clusters} clusters, {sizes}, icc 0.5, 5 runs, SD 0.02",
            "runs+clusters",
            ("mean", "mae", "accuracy"),
            clusters=clusters,
            sizes=sizes,  # type: ignore[arg-type]
            icc=0.5,
            shift=0.02,
            slant=0.02,
            axis=0.1,
        )
        yield World(
            f"{clusters} clusters, {sizes}, icc 0.5, 8 raters, SD 0.05",
            "raters+clusters",
            ("mae", "spearman", "accuracy"),
            clusters=clusters,
            sizes=sizes,  # type: ignore[arg-type]
            icc=0.5,
            raters=8,
            ratings=8,
            severity=0.05,
            opinion=0.05,
            bias=0.05,
            lean=0.05,
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
        _runs,
        _raters,
        _outputs,
        _clusters,
        _together,
        _fresh,
        _few_and_unequal_clusters,
    )
    return tuple(world for group in groups for world in group())
