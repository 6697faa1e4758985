"""What the units behind the systems' responses are, runs or people, and which ones two systems share."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from nbyk.data.columns import RUN_NAMES
from nbyk.data.response_set import ResponseSet
from nbyk.data.units import Units

_RUN = re.compile("|".join(RUN_NAMES), re.IGNORECASE)

_POSITION = re.compile(
    r"(rating|score|value|response|answer|label|slot|column|col)[ _.-]*(\d{1,6})", re.IGNORECASE
)

Kind = Literal["run", "rater", "rater or run"]


def kind_of_units(data: ResponseSet) -> Kind:
    """Return what the units behind the systems' responses are: runs or, without gold, perhaps people.

    Without gold, units with ids are people, unless all ids say that they are seeds, runs, epochs or trials.
    One response per item is that of a run.
    """
    return kind_of([data.units[role] for role in ("a", "b") if role in data.units], has_gold=data.has_gold)


def kind_of(units: Sequence[Units], *, has_gold: bool) -> Kind:
    """Return what some systems' units are, as `kind_of_units` does."""
    if has_gold or all(of_system.known_by == "vector" for of_system in units):
        return "run"
    by_ids = any(of_system.known_by == "ids" for of_system in units)
    if not by_ids or any(_are_positions(of_system.names) for of_system in units):
        return "rater or run"
    names = [name for of_system in units for name in of_system.names]
    return "run" if all(map(_RUN.search, names)) else "rater"


def plural(kind: str) -> str:
    """Return the plural of a kind of units: "raters or runs"."""
    return " or ".join(f"{word}s" for word in kind.split(" or "))


def shared_numbers(units: Mapping[str, Units]) -> dict[str, tuple[int, int]]:
    """Return the fewest and the most units that items share, of gold and of the systems, by their plural."""
    systems = [of_system for name, of_system in units.items() if name != "gold"]
    gold = [of_gold.n_shared for name, of_gold in units.items() if name == "gold"]
    kind = plural(kind_of(systems, has_gold=bool(gold)))
    numbers = {"raters": gold, kind: [of_system.n_shared for of_system in systems]}
    return {name: (min(counts), max(counts)) for name, counts in numbers.items() if any(counts)}


def names_of_both(a: Units, b: Units, *, kind: Kind, pair_runs: bool) -> list[str]:
    """Return the names of the units that are one unit in two systems, in the first system's order.

    People of one name are one. Others, runs and units that may be runs or people, are different ones unless
    `pair_runs`: only the user knows whether equal seeds, columns or places in a row have anything in common.
    """
    same_people = kind == "rater" and a.known_by == b.known_by == "ids"
    if not same_people and not pair_runs:
        return []
    of_b = set(b.names)
    return [name for name in a.names if name in of_b]


def _are_positions(names: Sequence[str]) -> bool:
    """Return whether names are only places in a row: 0 or 1 to K behind one word for a rating."""
    found = [_POSITION.fullmatch(name) for name in names]
    places = sorted(int(place[2]) for place in found if place)
    words = {place[1].lower() for place in found if place}
    first = places[0] if places else 0
    return (
        len(words) == 1
        and first in (0, 1)
        and len(places) == len(names) > 1
        and places == list(range(first, first + len(places)))
    )
