"""How often intervals on the people's scale cover the truth: 100 labels by few people, 2,000 judged items.

`python -m benchmarks.judged [SETS [ROW …]]` prints rows of docs/judge.md: the coverage of nbyk's 95 %
intervals over new items and raters, corrected and by people alone, that of an interval over items alone, and
mean widths. A cell of 2,000 sets has a standard error of .005.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

import numpy as np

from nbyk.data.judged import JudgedSystems
from nbyk.testing.judged.corrected import Weighing, corrected

N_JUDGED, N_LABELS = 2000, 100
_FOR_WIDTHS = 200
_ITEMS = tuple(map(str, range(N_JUDGED)))


@dataclass(frozen=True)
class World:
    """How people and a judge rate two equally good systems, by ratings of about 0 to 1.

    Attributes
    ----------
    raters
        Number of people.
    severity
        SD over people of their severity, and of their taste for one of the systems.
    judge
        SD of the judge's error: .1 is good (a correlation of .8 with an item's true quality), .5 is bad.
    favour
        How much the judge favours the first system.
    per_item
        Ratings of an item; labels are 100 items.
    unequal
        Whether person k gives k^-1.5 of the ratings.
    law
        "normal" or "exponential" severities.
    difference
        Whether the estimate is the difference of two systems, or the mean of one.
    """

    raters: int
    severity: float = 0.08
    judge: float = 0.1
    favour: float = 0.0
    per_item: int = 1
    unequal: bool = False
    law: str = "normal"
    difference: bool = False

    def drawn(self, rng: np.random.Generator) -> JudgedSystems:
        """Return a sample; the mean of a system is .6 and the difference 0 over all items and people."""
        n_systems = 2 if self.difference else 1
        quality = (
            0.6 + 0.1 * rng.standard_normal((N_JUDGED, 1)) + 0.1 * rng.standard_normal((N_JUDGED, n_systems))
        )
        scores = quality + self.judge * rng.standard_normal(quality.shape)
        scores[:, 0] += self.favour
        item = np.repeat(np.arange(N_LABELS), self.per_item)
        shares = np.arange(1.0, self.raters + 1.0) ** (-1.5 if self.unequal else 0.0)
        keys = np.log(shares) + rng.gumbel(size=(N_LABELS, self.raters))  # draws without replacement
        if self.unequal:
            rater = np.argsort(-keys, axis=1)[:, : self.per_item].ravel()
        else:  # as equal loads as can be
            rater = (np.arange(N_LABELS * self.per_item) + rng.integers(self.raters)) % self.raters
        severity, taste = (self._units(rng) for _ in range(2))
        item, rater, system = (
            np.tile(item, n_systems),
            np.tile(rater, n_systems),
            np.repeat(np.arange(n_systems), len(item)),
        )
        values = (
            quality[item, system] + self.severity * severity[rater] + 0.15 * rng.standard_normal(len(item))
        )
        if self.difference:
            values += self.severity * taste[rater] * (system - 0.5)
        zeros = np.zeros(quality.shape)
        names = tuple(map(str, range(self.raters)))
        return JudgedSystems(
            _ITEMS,
            ("A", "B")[:n_systems],
            names,
            scores,
            zeros.astype(int) + 1,
            zeros,
            item,
            system,
            rater,
            values,
        )

    def _units(self, rng: np.random.Generator) -> np.ndarray:
        if self.law == "exponential":
            return rng.standard_exponential(self.raters) - 1.0
        return rng.standard_normal(self.raters)


def coverage(world: World, sets: int, seed: int = 20261126) -> dict[str, float]:
    """Return coverages and mean widths of 95 % intervals over some sets."""
    rng = np.random.default_rng([seed, *world.__repr__().encode()])
    true = 0.0 if world.difference else 0.6
    pair = (0, 1) if world.difference else (0, None)
    hits, widths = np.empty((sets, 3), bool), np.empty((min(sets, _FOR_WIDTHS), 2))
    for place in range(sets):
        weighing = Weighing(world.drawn(rng))
        both, people = corrected(weighing, *pair), corrected(weighing, *pair, weight=0.0)
        assert both.broad is not None
        assert people.broad is not None
        # an interval covers the values that p does not reject
        hits[place] = [test.p_value(null=true) > 0.05 for test in (both.broad, people.broad, both.items)]
        if place < len(widths):
            widths[place] = [np.ptp(test.interval()) for test in (both.broad, people.broad)]
    names = "corrected", "people", "items alone", "width", "width of people"
    return dict(zip(names, (*hits.mean(axis=0), *widths.mean(axis=0)), strict=True))


def worlds() -> dict[str, list[World]]:
    """Return the worlds of the table, by the name of their row, with 5, 8 and 20 raters."""
    rows: dict[str, dict[str, object]] = {
        "good judge": {},
        "good judge, severity 0": {"severity": 0.0},
        "skewed severities": {"law": "exponential"},
        "unequal loads": {"unequal": True},
        "unequal loads, severity 0": {"unequal": True, "severity": 0.0},
        "bad judge": {"judge": 0.5},
        "two ratings an item": {"per_item": 2},
        "A − B, judge favours A by .2": {"difference": True, "favour": 0.2},
        "A − B, skewed tastes": {"difference": True, "law": "exponential"},
    }
    return {name: [World(raters, **more) for raters in (5, 8, 20)] for name, more in rows.items()}  # type: ignore[arg-type]


if __name__ == "__main__":
    n_sets = int(sys.argv[1]) if sys.argv[1:] else 2000
    print("| world | raters | corrected | people alone | items alone | width | of people | CPU s |")
    print("|---|---|---|---|---|---|---|---|")
    wanted = sys.argv[2:] or worlds()
    for row, cells in worlds().items():
        if row not in wanted:
            continue
        for cell in cells:
            start = time.process_time()
            found = coverage(cell, n_sets)
            numbers = " | ".join(f"{number:.3f}" for number in found.values())
            print(f"| {row} | {cell.raters} | {numbers} | {time.process_time() - start:.0f} |", flush=True)
