"""From three rating tables to one response set: the same items, in the same order, for gold, A and B."""

from __future__ import annotations

from nbyk.data.ratings import Ratings
from nbyk.data.response_set import ResponseSet, response_set
from nbyk.errors import NbykError

_SHOWN = 3


def align(gold: Ratings, a: Ratings, b: Ratings) -> ResponseSet:
    """Return the response set of three rating tables, rows in gold's order of items.

    Parameters
    ----------
    gold, a, b
        Ratings of the same items by raters, and by (runs of) systems A and B, on one scale.

    Raises
    ------
    NbykError
        If an item stands in one table and not in another; it names the table and the items.
    """
    wanted = set(gold.items)
    matrices = {}
    for name, ratings in (("a", a), ("b", b)):
        rated = set(ratings.items)
        missing = [item for item in gold.items if item not in rated]
        extra = [item for item in ratings.items if item not in wanted]
        if missing or extra:
            raise NbykError(_mismatch(name, missing, extra))
        row_of = {item: row for row, item in enumerate(ratings.items)}
        matrices[name] = ratings.matrix()[[row_of[item] for item in gold.items]]
    return response_set(gold.matrix(), **matrices)


def _mismatch(name: str, missing: list[str], extra: list[str]) -> str:
    parts = []
    if missing:
        parts.append(f"lacks {len(missing)} of gold's items ({_some(missing)})")
    if extra:
        parts.append(f"has {len(extra)} that gold lacks ({_some(extra)})")
    return f"{name} {' and '.join(parts)}; all three tables must rate the same items"


def _some(items: list[str]) -> str:
    return ", ".join(items[:_SHOWN]) + (", …" if len(items) > _SHOWN else "")
