"""Which pairs of systems to compare: all of them, or each system with a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from nbyk.errors import NbykError, unknown_name


def choose_pairs(names: Sequence[str], against: str | None, alternative: str) -> list[tuple[int, int]]:
    """Return the pairs to compare, as places in `names`; the second of each is the baseline, if there is one.

    Parameters
    ----------
    names
        Two systems or more.
    against
        The name of the baseline; without one, all pairs are compared.
    alternative
        "two-sided", "greater" or "less". With three systems or more, the last two need a baseline.
    """
    if against is not None:
        if against not in names:
            raise unknown_name("system", against, names).about(argument="against")
        baseline = list(names).index(against)
        return [(system, baseline) for system in range(len(names)) if system != baseline]
    if len(names) > 2 and alternative != "two-sided":
        raise NbykError(
            f"found {alternative!r} for all pairs, where neither system comes first; name the baseline that "
            "the others are compared with, or choose two-sided",
            argument="alternative",
        )
    return list(combinations(range(len(names)), 2))
