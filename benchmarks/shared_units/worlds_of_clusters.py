"""Worlds whose items come in clusters, alone and with runs or raters that all of them share."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.shared_units.world import ALL, ERRORS, World


def shared_clusters() -> Iterator[World]:
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


def few_and_unequal_clusters() -> Iterator[World]:
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
