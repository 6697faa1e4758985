"""How often a leaderboard's 95 % intervals hold the true score: scores.csv.

Run ``python -m benchmarks.shared_units.scores scores.csv``. The same people rate the outputs of four systems
on 100 items. A score is the mean over new items and new people; before, its interval was over items alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import nbyk
from benchmarks.shared_units.rates import interval
from benchmarks.shared_units.table import write_table

SYSTEMS, ITEMS, TRUTH = 4, 100, 0.5
DRAWS = 199


def coverage(people: int, sets: int) -> dict[str, float]:
    """Return the share of intervals that hold the truth, for new people and over items alone."""
    held = {"for new people": 0, "items alone": 0}
    for number in range(sets):
        rng = np.random.default_rng([18, people, number])
        severity = 0.1 * rng.standard_normal(people)
        items = TRUTH + 0.1 * rng.standard_normal((ITEMS, 1))
        noise = 0.1 * rng.standard_normal((SYSTEMS, ITEMS, people))
        systems = {f"s{place}": items + severity + of for place, of in enumerate(noise)}
        for name, generalise in (("for new people", None), ("items alone", ("items",))):
            options: dict[str, Any] = {"generalise": generalise, "correction": "none", "seed": number}
            board = nbyk.compare(None, systems, n_resamples=DRAWS, max_resamples=DRAWS, **options)
            low, high = board.standing("s0").interval
            held[name] += low <= TRUTH <= high
    return {name: count / sets for name, count in held.items()}


def rows(sets: int) -> Iterator[dict[str, Any]]:
    """Yield a row for each number of people, whose severities have an SD as large as a rating's noise."""
    for people in (3, 5, 8):
        found = coverage(people, sets)
        low, high = interval(found["for new people"], sets)
        yield {"people": people, "sets": sets, **found, "95 % from": low, "to": high}


def main() -> None:
    """Write the table."""
    write_table(__doc__, 200, rows)


if __name__ == "__main__":
    main()
