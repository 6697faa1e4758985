"""How often intervals on the people's scale cover the truth: 100 labels by few people, 2,000 judged items.

``python -m benchmarks.judged worlds benchmarks/judged.csv`` writes the rows of docs/judge.md about simulated
worlds: the coverage of nbyk's 95 % intervals over new items and raters, corrected and by people alone, that
of an interval over items alone, and mean widths; ``[SETS [ROW …]]`` may follow. ``python -m benchmarks.judged
real benchmarks/judged_real.csv FOLDER`` draws labels from real raters, whose sets lie in FOLDER (github
nitaytech/AltTest). A cell of 1,000 sets has a standard error of .007, one of 3,000 of .004.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nbyk.data.judged import JudgedSystems
from nbyk.testing.judged.corrected import Weighing, corrected
from tests.oracles.judge_peers import read_alt_test

N_JUDGED, N_LABELS = 2000, 100
COLUMNS = "corrected", "people alone", "items alone", "width", "width of people alone"
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
    return dict(zip(COLUMNS, (*hits.mean(axis=0), *widths.mean(axis=0)), strict=True))


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


REAL = {
    "SummEval, coherence": ("summeval", "coherence", (3,)),
    "SummEval, relevance": ("summeval", "relevance", (3,)),
    "CEBaB": ("cebab_stars", "", (5, 8)),
}
"""The set, the end of its items' names, and the numbers of raters to draw, by the name of the row."""


def real_coverage(folder: Path, row: str, raters: int, sets: int, seed: int = 20261126) -> dict[str, float]:
    """Return coverages and widths where labels are drawn from real raters; the truth is that of all.

    A set draws some of the raters, and for each of 100 random items one of its raters among them. The truth
    is the mean over all items of the mean of their ratings.
    """
    name, end, _ = REAL[row]
    people, judges = read_alt_test(folder / name, as_numbers=True)
    scores = {item: value for item, value in next(iter(judges.values())).items() if item.endswith(end)}
    rated = {item for of in people.values() for item in of}
    items = sorted(rated & set(scores))
    ratings = np.array([[of.get(item, np.nan) for of in people.values()] for item in items])
    judge = np.array([[scores[item]] for item in items])
    rng, true = (
        np.random.default_rng([seed, raters, *row.encode()]),
        float(np.nanmean(ratings, axis=1).mean()),
    )
    hits, widths = [], []
    for _ in range(sets):
        who = rng.choice(ratings.shape[1], raters, replace=False)
        theirs = ratings[:, who]
        order = rng.permutation(np.flatnonzero((~np.isnan(theirs)).any(axis=1)))[:N_LABELS]
        rater = np.argmax(rng.random(theirs.shape)[order] * ~np.isnan(theirs[order]), axis=1)
        zeros = np.zeros_like(order)
        data = JudgedSystems(
            tuple(items),
            ("A",),
            tuple(map(str, range(raters))),
            judge,
            np.ones(judge.shape, int),
            np.zeros(judge.shape),
            order,
            zeros,
            rater,
            theirs[order, rater],
        )
        weighing = Weighing(data)
        both, people_alone = corrected(weighing, 0), corrected(weighing, 0, weight=0.0)
        assert both.broad is not None
        assert people_alone.broad is not None
        tests = both.broad, people_alone.broad, both.items
        hits.append([test.p_value(null=true) > 0.05 for test in tests])
        widths.append([np.ptp(test.interval()) for test in tests[:2]])
    return dict(zip(COLUMNS, (*np.mean(hits, axis=0), *np.mean(widths, axis=0)), strict=True))


def _write(path: Path, cells: Iterator[tuple[str, int, dict[str, float]]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["world", "raters", *COLUMNS])
        for name, raters, found in cells:
            writer.writerow([name, raters, *(f"{number:.3f}" for number in found.values())])
            file.flush()


if __name__ == "__main__":
    kind, target, *more = sys.argv[1:]
    if kind == "real":
        n_sets = int(more[1]) if more[1:] else 1000
        of_real = (
            (row, j, real_coverage(Path(more[0]), row, j, n_sets)) for row in REAL for j in REAL[row][2]
        )
        _write(Path(target), of_real)
    else:
        n_sets = int(more[0]) if more else 1000
        chosen = more[1:] or worlds()
        of_worlds = ((row, cell.raters, coverage(cell, n_sets)) for row in chosen for cell in worlds()[row])
        _write(Path(target), of_worlds)
