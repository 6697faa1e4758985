"""From three rating tables to one response set: the same items, in the same order, for gold, A and B."""

from __future__ import annotations

from collections.abc import Sequence

from nbyk.data.ratings import Ratings, agreed_clusters
from nbyk.data.response_set import ResponseSet, response_set
from nbyk.errors import DataPlace, NbykError

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
        If an item is in one table and not in another, or its clusters differ. The message names the table and
        the items.
    """
    matrices, units = {}, {"gold": gold.units()}
    for name, ratings in (("a", a), ("b", b)):
        if set(ratings.items) != set(gold.items):
            raise differing_items(
                [(DataPlace(name=name), ratings.items)],
                DataPlace(name="gold"),
                gold.items,
                "; all three tables must rate the same items",
            )
        row_of = {item: row for row, item in enumerate(ratings.items)}
        rows = [row_of[item] for item in gold.items]
        matrices[name], units[name] = ratings.matrix()[rows], ratings.units().taken(rows)
    clusters = agreed_clusters(
        ((DataPlace(name=name), ratings) for name, ratings in (("gold", gold), ("a", a), ("b", b))),
        gold.items,
    )
    return response_set(gold.matrix(), **matrices, units=units, cluster=clusters)


def differing_items(
    tables: Sequence[tuple[DataPlace, Sequence[str]]], other: DataPlace, items: Sequence[str], way_out: str
) -> NbykError:
    """Return the error about tables with other items than another one: it names a few of each.

    Parameters
    ----------
    tables
        The place and the items of each table.
    other, items
        The place and the items of the other table.
    way_out
        The end of the message.
    """
    found = [_difference(of_table, str(other), items) for _, of_table in tables]
    others = [f"; {place} {what}" for (place, _), what in zip(tables[1:], found[1:], strict=True)]
    return tables[0][0].error(f"{found[0]}{''.join(others)}{way_out}")


def _difference(items: Sequence[str], other: str, others_items: Sequence[str]) -> str:
    rated, wanted = set(items), set(others_items)
    missing = [item for item in others_items if item not in rated]
    extra = [item for item in items if item not in wanted]
    parts = []
    if missing:
        parts.append(f"lacks {len(missing)} of {other}'s items ({_some(missing)})")
    if extra:
        parts.append(f"has {len(extra)} that {other} lacks ({_some(extra)})")
    return " and ".join(parts)


def _some(items: Sequence[str]) -> str:
    return ", ".join(items[:_SHOWN]) + (", …" if len(items) > _SHOWN else "")
