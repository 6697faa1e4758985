"""From decisions on pairs to ranks with confidence sets and groups that cannot be told apart.

References
----------
Mogstad, Romano, Shaikh and Wilhelm 2024, Inference for ranks with applications to mobility across
neighbourhoods and academic achievement across countries; Piepho 2004, An algorithm for a letter-based
representation of all-pairwise comparisons.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Sequence

import numpy as np

from nbyk.arrays import Booleans, Floats, Integers
from nbyk.testing.pvalues import tie_tolerance
from nbyk.testing.results import Board, Interval, Pair, Question, Sample, Standing

_LETTERS = string.ascii_lowercase + string.ascii_uppercase


def board_from(
    question: Question,
    sample: Sample,
    names: Sequence[str],
    scores: Floats,
    sign: float,
    intervals: Sequence[Interval],
    pairs: Sequence[Pair],
) -> Board:
    """Return the board of systems and their pairs without warnings; groups if no baseline was asked for.

    Of the scores, shape (S,), more is better if `sign` is 1, and less if it is −1. A pair with a score beside
    it ranks no system.
    """
    best = ranks(sign * scores)
    order = np.argsort(best, kind="stable").tolist()
    place = {names[system]: position for position, system in enumerate(order)}
    better = np.zeros((len(names), len(names)), np.bool_)
    ranking = [pair for pair in pairs if pair.b in place]
    for pair in ranking:
        if pair.better is not None:
            worse = pair.b if pair.better == pair.a else pair.a
            better[place[pair.better], place[worse]] = True
    low, high = rank_sets(better)
    members: list[tuple[int, ...]] = []
    if question.against is None and (ranking or not pairs):
        different = [(place[pair.a], place[pair.b]) for pair in ranking if pair.significant]
        members = groups(len(names), different)
    lettered = letters(len(names), members)
    standings = [
        Standing(
            name=names[system],
            score=float(scores[system]),
            interval=intervals[system],
            rank=int(best[system]),
            rank_low=int(low[position]),
            rank_high=int(high[position]),
            letters=lettered[position],
        )
        for position, system in enumerate(order)
    ]
    in_order = [names[system] for system in order]
    told_apart = tuple(tuple(in_order[place] for place in group) for group in members)
    population = pairs[0].population if pairs else ""
    return Board(question, sample, tuple(standings), tuple(pairs), told_apart, (), population)


def ranks(scores: Floats) -> Integers:
    """Return 1 + the number of systems that score higher, for each system, shape (S,)."""
    return np.asarray(1 + (scores > scores[:, None] + tie_tolerance(scores)).sum(axis=1))


def rank_sets(better: Booleans) -> tuple[Integers, Integers]:
    """Return the lowest and highest rank of each system that are compatible with decisions on pairs.

    `better`, shape (S, S), says whether the system of the row was shown to be better than that of the column.
    The ranks are 1 + the number of systems that are better, and S − the number that are worse, directly or
    through others. If no decision is wrong, every possible rank of a system lies between them, also with
    ties. So if the chance of any wrong decision is at most α, all sets cover at once with a chance of at
    least 1 − α.
    """
    closed = better.copy()
    for middle in range(len(better)):
        closed |= closed[:, middle, None] & closed[None, middle]
    return 1 + closed.sum(axis=0), len(better) - closed.sum(axis=1)


def groups(n_systems: int, different: Iterable[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Return the largest groups of systems in which no two differ, by insertion and absorption.

    Every system is in at least one group. Two systems that do not differ share a group, two that differ share
    none. Groups are in the order of their members, which have numbers.
    """
    columns = {(1 << n_systems) - 1} if n_systems else set()
    for first, second in different:
        pair = 1 << first | 1 << second
        split = {column for column in columns if column & pair == pair}
        parts = {column & ~(1 << system) for column in split for system in (first, second)}
        kept = columns - split
        # A column absorbs those that it contains; no kept column contains another.
        new = {
            part
            for part in parts
            if not any(part & other == part for other in kept)
            and not any(part != other and part & other == part for other in parts)
        }
        columns = kept | new
    members = [tuple(i for i in range(n_systems) if column >> i & 1) for column in columns]
    return sorted(members)


def letters(n_systems: int, members: Sequence[tuple[int, ...]]) -> list[str]:
    """Return each system's letters, one for each of its groups: "a" to "z", "A" to "Z", then "[53]"."""
    shown = [""] * n_systems
    for place, group in enumerate(members):
        for system in group:
            shown[system] += _LETTERS[place] if place < len(_LETTERS) else f"[{place + 1}]"
    return shown
