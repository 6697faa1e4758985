# mypy: disable-error-code="import-not-found,import-untyped,misc"
"""People and a judge in nbyk and in the packages beside it: coverage and seconds, the table of docs/judge.md.

All packages run in one environment, one after the other on the same data::

    python -m benchmarks.judged_peers benchmarks/judged_peers.csv [SETS]

Coverage is that of the 95 % interval of a mean on the people's scale, over new items and new raters, in the
world of `benchmarks.judged`: 100 labels by 5 or 20 people whose severities have an SD of .08, and 2,000
judged items. Seconds are CPU time of one answer about 20,000 judged items and 500 labels by 20 people, the
median of five after one to warm up; and of Krippendorff's α with its interval for 6,400 items and 3 raters.
"""

from __future__ import annotations

import contextlib
import csv
import importlib.metadata
import io
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Data = dict[str, Any]
Interval = tuple[float, float]


def sample(seed: int, raters: int, *, n_judged: int = 2000, n_labels: int = 100) -> Data:
    """Return a judge's scores, the labelled items, their labels and raters; the true mean is .6."""
    rng = np.random.default_rng([seed, raters])
    quality = 0.6 + np.sqrt(0.02) * rng.standard_normal(n_judged)
    judge = quality + 0.1 * rng.standard_normal(n_judged)
    rater = np.arange(n_labels) % raters
    severity = 0.08 * rng.standard_normal(raters)
    labels = quality[:n_labels] + severity[rater] + 0.15 * rng.standard_normal(n_labels)
    return {"judge": judge, "labels": labels, "rater": rater, "n": n_labels}


def by_nbyk(data: Data) -> Interval:
    """Answer by nbyk, for new items and new raters."""
    from nbyk import compare_judged
    from nbyk.data.judged import JudgedSystems

    judge, n = data["judge"][:, None], data["n"]
    names = tuple(map(str, range(len(judge))))
    read = JudgedSystems(
        names,
        ("A",),
        tuple(map(str, np.unique(data["rater"]))),
        judge,
        np.ones(judge.shape, int),
        np.zeros(judge.shape),
        np.arange(n),
        np.zeros(n, int),
        data["rater"],
        data["labels"],
    )
    return compare_judged(read).means[0].claims[0].interval


def by_ppi_py(data: Data) -> Interval:
    """Answer by ppi_py, which knows items only."""
    import ppi_py

    judge, n = data["judge"], data["n"]
    low, high = ppi_py.ppi_mean_ci(data["labels"], judge[:n], judge[n:], alpha=0.05)
    return float(low[0]), float(high[0])


def by_truescore(data: Data) -> Interval:
    """Answer by truescore as it is used by default."""
    import truescore

    said = truescore.ppi_estimate(data["judge"], data["labels"], np.arange(data["n"]))
    return said.low, said.high


def by_truescore_with_clusters(data: Data) -> Interval:
    """Answer by truescore, told that the labels of a rater are one cluster."""
    import truescore

    n = data["n"]
    clusters = np.append(data["rater"], 1000 + np.arange(len(data["judge"]) - n))
    said = truescore.ppi_estimate(data["judge"], data["labels"], np.arange(n), clusters=clusters)
    return said.low, said.high


def _human(data: Data) -> np.ndarray[Any, Any]:
    human = np.full(len(data["judge"]), np.nan)
    human[: data["n"]] = data["labels"]
    return human


def by_evalstats(data: Data) -> Interval:
    """Answer by evalstats."""
    import evalstats

    said = evalstats.judge_debias_mean_ci(data["judge"], _human(data), rng=np.random.default_rng(0))
    return said.ci_low, said.ci_high


def by_cje(data: Data) -> Interval:
    """Answer by cje-eval as it is used by default, on a scale from 0 to 1, which it needs."""
    import cje

    human = (_human(data) + 1.0) / 3.0
    said = cje.calibrated_mean_ci((data["judge"] + 1.0) / 3.0, human, ~np.isnan(human))
    low, high = (3.0 * end - 1.0 for end in said.ci)
    return low, high


WAYS: dict[str, tuple[str, Callable[[Data], Interval]]] = {
    "nbyk": ("nbyk", by_nbyk),
    "truescore, clusters of raters": ("truescore", by_truescore_with_clusters),
    "truescore": ("truescore", by_truescore),
    "ppi_py": ("ppi-python", by_ppi_py),
    "evalstats": ("evalstats", by_evalstats),
    "cje-eval": ("cje-eval", by_cje),
}
COLUMNS = ("way", "version", "coverage, 5 raters", "coverage, 20 raters", "seconds")


def quietly(way: Callable[[Data], Any], data: Data) -> Any:
    """Return a way's answer without what it prints and warns."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        return way(data)


def seconds(way: Callable[[Data], Any], data: Data) -> float:
    """Return the median CPU time of five answers after one to warm up."""
    quietly(way, data)
    times = []
    for _ in range(5):
        start = time.process_time()
        quietly(way, data)
        times.append(time.process_time() - start)
    return statistics.median(times)


def alpha_seconds() -> list[list[str]]:
    """Return the rows of Krippendorff's α with an interval, for 6,400 items and 3 raters."""
    import krippendorff

    from nbyk import agreement

    rng = np.random.default_rng(1)
    latent = 3.0 + rng.standard_normal((6400, 1)) + 0.7 * rng.standard_normal((6400, 3))
    levels = np.clip(np.rint(latent), 1.0, 5.0)

    def bootstrap(data: Data) -> None:
        for _ in range(10):
            rows = rng.integers(0, len(data["levels"]), len(data["levels"]))
            krippendorff.alpha(data["levels"][rows].T, level_of_measurement="interval")

    own = seconds(lambda data: agreement(data["levels"], measure="alpha_interval"), {"levels": levels})
    theirs = 100.0 * seconds(bootstrap, {"levels": levels})
    return [
        [name, importlib.metadata.version(package), "", "", f"{time:.3f}"]
        for name, package, time in (
            ("α by nbyk, over items and raters", "nbyk", own),
            ("α by krippendorff in 1,000 bootstrap sets of items", "krippendorff", theirs),
        )
    ]


def rows(sets: int) -> list[list[str]]:
    """Return a row for each way."""
    found = []
    large = sample(0, 20, n_judged=20_000, n_labels=500)
    for name, (package, way) in WAYS.items():
        hits = []
        for raters in (5, 20):
            ends = [quietly(way, sample(seed, raters)) for seed in range(sets)]
            hits.append(np.mean([low <= 0.6 <= high for low, high in ends]))
        numbers = [f"{share:.3f}" for share in hits] + [f"{seconds(way, large):.3f}"]
        found.append([name, importlib.metadata.version(package), *numbers])
        print(found[-1], flush=True)
    return found + alpha_seconds()


if __name__ == "__main__":
    with Path(sys.argv[1]).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows(int(sys.argv[2]) if sys.argv[2:] else 400))
