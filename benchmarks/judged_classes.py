"""Classes beside a judge: prediction-powered inference, and the estimate by sensitivity and specificity.

``python -m benchmarks.judged_classes benchmarks/judged_classes.csv`` writes the rows of docs/judge.md: 2,000
items are yes or no, a judge with a sensitivity and a specificity calls them, and 100 drawn at random have a
true label. It has the coverage and mean width of the 95 % interval by PPI++ (as `nbyk.compare_judged`
has it, where raters do not differ) and by the estimate of Rogan and Gladen 1978 with an adjusted interval
(after arXiv 2511.21140). A cell of 4,000 sets has a standard error of .0035.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

N_JUDGED, N_LABELS, N_SETS = 2000, 100, 4000
Z = 1.959964

Interval = tuple[float, float]


def by_prediction(calls: NDArray[np.bool_], labels: NDArray[np.bool_]) -> Interval:
    """Return the interval of PPI++ for the share of yes; the first calls are those of the labels."""
    n, rest = len(labels), calls[len(labels) :]
    seen = calls[:n].astype(float)
    tuned = float(np.cov(labels, seen)[0, 1] / max(seen.var(ddof=1), 1e-9) / (1 + n / len(rest)))
    weight = min(max(tuned, 0.0), 1.0)
    rectified = labels - weight * seen
    centre = weight * float(rest.mean()) + float(rectified.mean())
    variance = weight**2 * float(rest.var()) / len(rest) + float(rectified.var(ddof=1)) / n
    half = 1.984 * variance**0.5  # t with 99 degrees of freedom
    return centre - half, centre + half


def by_sensitivity(calls: NDArray[np.bool_], labels: NDArray[np.bool_]) -> Interval:
    """Return the adjusted interval, after arXiv 2511.21140, for the share of yes, from 0 to 1."""
    n, rest = len(labels), calls[len(labels) :]
    yes, no = int(labels.sum()), int((~labels).sum())
    called = (float(rest.sum()) + Z**2 / 2) / (len(rest) + Z**2)
    sensitivity = (float((calls[:n] & labels).sum()) + 1) / (yes + 2)
    specificity = (float((~calls[:n] & ~labels).sum()) + 1) / (no + 2)
    informed = sensitivity + specificity - 1
    if informed <= 0.0:
        return 0.0, 1.0
    share = (called + specificity - 1) / informed
    of_yes = sensitivity * (1 - sensitivity) / (yes + 2)
    of_no = specificity * (1 - specificity) / (no + 2)
    shift = 2 * Z**2 * (share * of_yes - (1 - share) * of_no)
    variance = called * (1 - called) / (len(rest) + Z**2) + (1 - share) ** 2 * of_no + share**2 * of_yes
    half = Z * variance**0.5 / informed
    low, high = np.clip([share + shift - half, share + shift + half], 0.0, 1.0)
    return float(low), float(high)


def row(share: float, sensitivity: float, specificity: float, seed: int) -> dict[str, str]:
    """Return a row of the table: a world, and coverage and width of both ways."""
    rng = np.random.default_rng(seed)
    intervals: dict[str, list[Interval]] = {"PPI++": [], "sensitivity": []}
    for _ in range(N_SETS):
        truth = rng.random(N_JUDGED) < share
        calls = np.where(truth, rng.random(N_JUDGED) < sensitivity, rng.random(N_JUDGED) >= specificity)
        for name, way in (("PPI++", by_prediction), ("sensitivity", by_sensitivity)):
            intervals[name].append(way(calls, truth[:N_LABELS]))
    cells = {"share of yes": share, "judge's sensitivity": sensitivity, "judge's specificity": specificity}
    world = {name: f"{value:g}" for name, value in cells.items()}
    for name, of_name in intervals.items():
        low, high = np.array(of_name).T
        world[f"coverage, {name}"] = f"{((low <= share) & (share <= high)).mean():.3f}"
        world[f"width, {name}"] = f"{(high - low).mean():.3f}"
    return world


def main() -> None:
    """Write the table to the file of the first argument."""
    judges = ((0.9, 0.9), (0.9, 0.7), (0.7, 0.7))
    worlds = [(share, *judge) for share in (0.2, 0.5) for judge in judges]
    rows = [row(*world, seed) for seed, world in enumerate(worlds)]
    with Path(sys.argv[1]).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
