"""Worlds in which the same people rate many items, of gold or of both systems' outputs."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.shared_units.world import ERRORS, GRADED, World


def raters_of_gold() -> Iterator[World]:
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


def raters_of_other_sensitivity() -> Iterator[World]:
    """Yield worlds whose raters spread items out or press them together, and so do the systems."""
    for raters, ratings, sd in ((5, 5, 0.0), (5, 5, 0.05), (5, 5, 0.1), (8, 3, 0.05), (8, 3, 0.1)):
        yield World(
            f"{ratings} of {raters} raters, sensitivities, SD {sd}",
            "raters",
            ("mae", "mse", "mean_of_emds"),
            raters=raters,
            ratings=ratings,
            severity=0.05,
            sensitivity=sd,
            spread=0.05,
        )


def raters_of_outputs() -> Iterator[World]:
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
