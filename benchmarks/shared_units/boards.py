"""Leaderboards: how often some pair of equal systems is told apart, and how many pairs of unlike ones are.

Run ``python -m benchmarks.shared_units.boards boards.csv``. Each set has S systems, whose outputs the same R
people rate, by the mean. System s's rating by person r of item i is sᵢ + u_sr + noise, with SDs of .1, of
the system's spread, and of .15, all normal; opposed systems share what people like one side less, as
severe raters of gold do with biased ones. A set's sums of squares over items and of its residuals are drawn
from Wishart's law, and those over people follow from their means. The tests are the package's:
`satterthwaite` was nbyk's before (`benchmarks.shared_units.candidates`), `pairs` is the mixture of each pair
alone, and `moderated` learns from all systems. The same where all systems are compared with a baseline, the
first or the last.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import t as student

from benchmarks.shared_units.candidates import CANDIDATES
from benchmarks.shared_units.rates import interval
from benchmarks.shared_units.table import write_table
from nbyk.testing.corrections import correct_p_values
from nbyk.testing.shared_units.boards import lone_spread, moderated_pairs
from nbyk.testing.shared_units.components import Component, third_moment
from nbyk.testing.shared_units.generalise import SharedUnitsTest, law_of

Floats = NDArray[np.float64]

N_ITEMS, OF_ITEM, NOISE = 100, 0.1, 0.15
ALPHA = 0.05
BETTER = 0.3
"""By how much half of the systems are better, times √R, where power is measured."""

POWER_SETS = 500
"""Sets of power; all sets where three systems are opposed, whose powers are nearly alike."""

TESTS = ("satterthwaite", "pairs", "moderated")


@dataclass(frozen=True)
class Board:
    """Equal systems whose outputs the same people rate.

    Attributes
    ----------
    systems, raters
        Their numbers S and R.
    spreads
        The SD over people of what they think of each system, beside what they think of all.
    opposed
        The SD over people of what they like every second system more, and the others less.
    """

    systems: int
    raters: int
    spreads: tuple[float, ...]
    opposed: float = 0.0

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairs, in the order of all arrays."""
        return list(itertools.combinations(range(self.systems), 2))


@dataclass(frozen=True)
class Sets:
    """What the tests need of many sets: effects, variances I and W, and changes without each person.

    The changes have the shape (sets, pairs, R), and the rest (sets, pairs); their squares add up to T
    (`nbyk.testing.shared_units.shared_units_test`).
    """

    board: Board
    effects: Floats
    items: Floats
    within: Floats
    changes: Floats

    @property
    def totals(self) -> Floats:
        """The variances T over people, shape (sets, pairs)."""
        squares: Floats = np.sum(self.changes**2, axis=2)
        return squares


def layouts() -> Iterator[tuple[str, Board]]:
    """Yield all leaderboards, with a name for their spreads."""
    for systems, raters in itertools.product((3, 8, 16), (3, 5, 8)):
        half = systems // 2
        for name, spreads in (
            ("all 0", [0.0] * systems),
            ("all .05", [0.05] * systems),
            ("half .02, half .1", [0.02] * half + [0.1] * (systems - half)),
            ("half 0, half .08", [0.0] * half + [0.08] * (systems - half)),
            ("one .1 among .03", [0.1] + [0.03] * (systems - 1)),
            ("one .15 among .02", [0.15] + [0.02] * (systems - 1)),
        ):
            yield name, Board(systems, raters, tuple(spreads))
    for systems, raters in itertools.product((3, 8, 16), (3, 5, 8)):
        for spread in (0.0, 0.05):
            name = f"all {spread:g}".replace("0.", ".") + ", opposed .05"
            yield name, Board(systems, raters, (spread,) * systems, 0.05)


def sets_of(board: Board, sets: int, rng: np.random.Generator) -> Sets:
    """Return sets of equal systems."""
    shape = sets, board.systems, board.raters
    noise = NOISE / np.sqrt(N_ITEMS) * rng.standard_normal(shape)
    means = np.array(board.spreads)[:, None] * rng.standard_normal(shape) + noise
    if board.opposed:
        sides = np.where(np.arange(board.systems) % 2, -1.0, 1.0)
        means += board.opposed * sides[:, None] * rng.standard_normal((sets, 1, board.raters))
    scores = means.mean(axis=2) + OF_ITEM / np.sqrt(N_ITEMS) * rng.standard_normal(shape[:2])
    first, second = np.array(board.pairs).T
    centred = means - means.mean(axis=2, keepdims=True)
    raters, df = board.raters, (N_ITEMS - 1) * (board.raters - 1)
    of_items = OF_ITEM**2 + NOISE**2 / raters
    items = of_items / N_ITEMS * _squares_of_pairs(board, sets, N_ITEMS - 1, rng)
    within = NOISE**2 / (N_ITEMS * raters) * _squares_of_pairs(board, sets, df, rng)
    changes = (centred[:, second] - centred[:, first]) / np.sqrt(raters * (raters - 1))
    return Sets(board, scores[:, first] - scores[:, second], items, within, changes)


def _squares_of_pairs(board: Board, sets: int, df: int, rng: np.random.Generator) -> Floats:
    """Return mean squares of the differences of pairs of S independent normal columns, by Bartlett."""
    systems = board.systems
    root = np.zeros((sets, systems, systems))
    below = np.tril_indices(systems, -1)
    root[:, below[0], below[1]] = rng.standard_normal((sets, len(below[0])))
    for place in range(systems):
        root[:, place, place] = np.sqrt(rng.chisquare(df - place, sets))
    first, second = np.array(board.pairs).T
    squares: Floats = np.sum((root[:, first] - root[:, second]) ** 2, axis=2) / df
    return squares


def p_values(sets: Sets, name: str, most: float = ALPHA, baseline: int | None = None) -> Floats:
    """Return two-sided p of all pairs, or a baseline's, shape (sets, pairs); 1 where it cannot be `most`."""
    if name == "satterthwaite":
        return _by_satterthwaite(sets)
    p = np.ones_like(sets.effects)
    df, systems = sets.board.raters - 1.0, sets.board.systems
    first, second = np.array(sets.board.pairs).T
    totals = sets.totals
    asked = (
        np.ones(len(first), dtype=bool) if baseline is None else (first == baseline) | (second == baseline)
    )
    for number, effects in enumerate(sets.effects):
        of_items = np.maximum(sets.items[number] - sets.within[number], 0.0)
        of_units = totals[number][None, :]
        if name == "moderated":
            square = np.zeros((systems, systems))
            square[first, second] = square[second, first] = totals[number]
            variances, df_of_pairs, weights = moderated_pairs(square, df, 1.0, baseline)
            of_units = variances[:, first, second]
        # no mixture of t has less in its tails than the normal law with the least variance, beyond the step
        least = of_items + of_units.min(axis=0)
        skewness = np.sum(sets.changes[number] ** 3, axis=1) * -np.sqrt(df * (df + 1.0)) / (df - 1.0)
        farther = 0.6 * np.clip(np.sign(effects) * skewness / least**1.5, 0.0, float(name == "pairs"))
        near = 2.0 * ndtr(-np.abs(effects) / np.sqrt(least) - farther) <= most
        for pair in np.flatnonzero(asked & (near | (sets.within[number] > sets.items[number]))):
            law = _test(sets, number, int(pair)).law
            if name == "moderated":
                parts = np.stack([np.full(len(of_units), law.variances[0, 0]), of_units[:, pair]], axis=1)
                degrees = np.full_like(parts, law.df[0, 0])
                degrees[:, 1] = df_of_pairs[:, first[pair], second[pair]]
                law = replace(law, variances=parts, df=degrees, weights=weights)
            p[number, pair] = 2.0 * law.tail(float(effects[pair]))
    return p[:, asked]


def _by_satterthwaite(sets: Sets) -> Floats:
    i, t, w = (values.ravel() for values in (sets.items, sets.totals, sets.within))
    ones = np.ones((len(i), 1))
    raters = sets.board.raters
    variance, df = CANDIDATES["satterthwaite"](
        i, np.full(len(i), N_ITEMS - 1.0), t[:, None], w[:, None], (raters - 1.0) * ones, raters * ones, ones
    )
    p: Floats = 2.0 * student.sf(np.abs(sets.effects.ravel()) / np.sqrt(variance), df)
    return p.reshape(sets.effects.shape)


def _test(sets: Sets, number: int, pair: int) -> SharedUnitsTest:
    """Return the test of a pair alone."""
    raters, changes = sets.board.raters, sets.changes[number, pair]
    items = Component(N_ITEMS, float(sets.items[number, pair]), 0.0, N_ITEMS - 1.0, 1.0)
    people = Component(
        raters,
        float(np.sum(changes**2)),
        float(sets.within[number, pair]),
        raters - 1.0,
        (raters - 1.0) * (N_ITEMS - 1.0),
        third=third_moment(changes, 1.0 / raters),
    )
    law = law_of(items, [people], 1.0)
    return SharedUnitsTest(float(sets.effects[number, pair]), law, items, {"runs": people}, 1.0, N_ITEMS)


def pairs_of_set(sets: Sets, number: int) -> dict[tuple[int, int], SharedUnitsTest]:
    """Return the tests of a set's pairs, each alone."""
    return {places: _test(sets, number, pair) for pair, places in enumerate(sets.board.pairs)}


def row_of(name: str, board: Board, sets: int, rng: np.random.Generator) -> dict[str, Any]:
    """Return the rates of a leaderboard.

    Familywise: the share of sets in which Holm's correction leaves some pair of equal systems at most .05
    (or .01). Power: the share of unlike pairs that it leaves there. Adjusted: the same by single steps at the
    p that a share of .05 of sets of equal systems reaches. None named: familywise, where nbyk names no system
    of which people differ more than of the others.
    """
    equal = sets_of(board, sets, rng)
    n_pairs = len(board.pairs)
    better = np.where(np.arange(board.systems) < board.systems // 2, BETTER / np.sqrt(board.raters), 0.0)
    moved = np.array([better[a] - better[b] for a, b in board.pairs])
    fields = (equal.effects + moved, equal.items, equal.within, equal.changes)
    of_power = sets if board.systems == 3 and board.opposed else min(sets, POWER_SETS)
    unlike = Sets(board, *(values[:of_power] for values in fields))
    row: dict[str, Any] = {"systems": board.systems, "raters": board.raters, "spreads": name, "sets": sets}
    powers: dict[str, Any] = {"power sets": of_power}
    for test in TESTS:
        # a share of .05 of sets has a smallest p far below ten times that of Bonferroni
        smallest = p_values(equal, test, min(ALPHA, 10.0 * ALPHA / n_pairs)).min(axis=1)
        row[test] = float(np.mean(smallest <= ALPHA / n_pairs))
        row[f"{test}, .01"] = float(np.mean(smallest <= 0.01 / n_pairs))
        wrong = np.flatnonzero(smallest <= ALPHA / n_pairs)
        if test == "moderated":
            unnamed = [lone_spread(pairs_of_set(equal, int(n)), board.systems) is None for n in wrong]
            row["none named"] = sum(unnamed) / sets
        p = p_values(unlike, test)
        rejected = np.array([correct_p_values(of_set, "holm") <= ALPHA for of_set in p])
        powers[f"power, {test}"] = float(rejected[:, moved != 0.0].mean())
        at = min(float(np.quantile(smallest, ALPHA)), ALPHA)
        powers[f"adjusted, {test}"] = float((p[:, moved != 0.0] <= at).mean())
    row["95 % from"], row["to"] = interval(row["moderated"], sets)
    for name, baseline in (("first", 0), ("last", board.systems - 1)):
        has = np.array([baseline in pair for pair in board.pairs])
        n_others = board.systems - 1
        smallest = p_values(equal, "moderated", ALPHA / n_others, baseline).min(axis=1)
        row[f"against the {name}"] = float(np.mean(smallest <= ALPHA / n_others))
        p = p_values(unlike, "moderated", ALPHA, baseline)
        rejected = np.array([correct_p_values(of_set, "holm") <= ALPHA for of_set in p])
        powers[f"power, against the {name}"] = float(rejected[:, moved[has] != 0.0].mean())
    return row | powers


def rows(sets: int) -> Iterator[dict[str, Any]]:
    """Yield the rates of all leaderboards, each by its place alone; three systems have 4 × the sets."""
    for number, (name, board) in enumerate(layouts()):
        of_board = sets * 4 if board.systems == 3 else sets
        yield row_of(name, board, of_board, np.random.default_rng([39, number]))


def main() -> None:
    """Write the table."""
    write_table(__doc__, 2000, rows)


if __name__ == "__main__":
    main()
