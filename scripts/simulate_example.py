"""Write the example of `nbyk compare`: gold ratings of ConvAbuse, and three systems simulated on them.

Gold is what people said of the first 300 embedded items: 1 where a rater called a conversation abusive (a
score below 0), else 0. No system is a real one: each run of a system answers an item as one more
rater would, after the item's share of ratings that say abusive was moved by up to ε at random
(`simulate_systems`; Wein et al. 2023, section 6). ε is the larger the later the letter. The same package
always gives the same bytes.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nbyk.data.reading import read_ratings
from nbyk.files import write_text
from nbyk.priors import Response
from nbyk_papers.wein2023.cells import simulate_systems

ITEMS = 300
RUNS = 5
EPSILONS = {"sim_a": 0.55, "sim_b": 0.6, "sim_c": 0.7}
EMBEDDED = Path(__file__).resolve().parent.parent / "src" / "nbyk" / "data" / "embedded"


def long_csv(items: tuple[str, ...], columns: list[str], matrix: NDArray[np.float64]) -> str:
    """Return responses as CSV with one row each."""
    rows = [
        f"{item},{column},{value:g}"
        for item, responses in zip(items, matrix, strict=True)
        for column, value in zip(columns, responses, strict=True)
        if not np.isnan(value)
    ]
    return "\n".join(["item,rater,value", *rows]) + "\n"


def main() -> int:
    """Write gold.csv and a file for each system."""
    ratings = read_ratings(EMBEDDED / "convabuse.csv")
    scores = np.full((ITEMS, len(ratings.raters)), np.nan)
    kept = ratings.item_index < ITEMS
    scores[ratings.item_index[kept], ratings.rater_index[kept]] = ratings.values[kept] < 0.0
    items = ratings.items[:ITEMS]
    folder = EMBEDDED / "example"
    write_text(folder / "gold.csv", long_csv(items, list(ratings.raters), scores))
    for seed, (name, epsilon) in enumerate(EPSILONS.items()):
        simulated = simulate_systems(
            scores, Response("binary"), k_responses=RUNS, epsilon_a=epsilon, epsilon_b=0.0, seed=seed
        )
        runs = [f"run{run}" for run in range(1, RUNS + 1)]
        write_text(folder / f"{name}.csv", long_csv(items, runs, simulated.a))
    return 0


if __name__ == "__main__":
    sys.exit(main())
