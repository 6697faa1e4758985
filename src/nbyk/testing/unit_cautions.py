"""The caution for items that share raters or runs: it names them, and the population of the claim."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from nbyk.data.columns import RUN_NAMES
from nbyk.data.response_set import ResponseSet
from nbyk.data.units import Units
from nbyk.words import listed

Claim = Literal["test", "size", "variance", "prior"]

_CLAIMS = {
    "test": "p and the interval are about {these}; for new ones they are too small",
    "size": "the plan is for {these}; for new ones it is too hopeful",
    "variance": "the shares assume that each item has {kinds} of its own. They leave out how {these} differ "
    "as wholes",
    "prior": "the prior assumes that each item has {kinds} of its own. It leaves out how {these} differ as "
    "wholes, and so does a test or plan that uses it",
}
_TOO_HOPEFUL = {"size": "the plan is too hopeful", "prior": "a plan by it is too hopeful"}
_MOST_NAMED = 2


def named_units(data: ResponseSet, systems: tuple[str, str] = ("A", "B")) -> dict[str, Units]:
    """Return the units of a response set by "gold" and the systems' names."""
    names = {"gold": "gold", "a": systems[0], "b": systems[1]}
    return {names[role]: units for role, units in data.units.items() if role != "gold" or data.has_gold}


def about_units(
    units: Mapping[str, Units],
    n_items: int,
    *,
    has_gold: bool = True,
    claim: Claim = "test",
    way_out: str = "",
) -> Iterator[str]:
    """Yield a caution where items share raters or runs, and one if it is unknown whether they do.

    Parameters
    ----------
    units
        The raters behind "gold", and the raters or runs behind each system by its name.
    n_items
        Number of items N.
    has_gold
        Whether there is gold; without it, the systems' responses may come from raters or from runs.
    claim
        The claim about the data; the caution names the populations that it leaves out.
    way_out
        What makes a claim about new ones, a sentence to follow the caution.
    """
    shared = {name: role_units for name, role_units in units.items() if role_units.n_shared}
    gold = shared.pop("gold", None)
    system_kind = kind_of(
        [role_units for name, role_units in units.items() if name != "gold"], has_gold=has_gold
    )
    facts, kinds, these = [], [], []
    if gold is not None:
        facts.append(f"{_counted(gold.n_shared, 'rater')} rated {_items([gold], n_items)}")
        kinds.append("raters")
        these.append("this rater" if gold.n_shared == 1 else "these raters")
    if shared:
        behind = list(shared.values())
        one_each = all(role_units.n_shared == 1 for role_units in behind)
        facts.append(f"{_owned(shared, system_kind)} answered {_items(behind, n_items)}")
        kinds.append(plural(system_kind))
        if not one_each:
            these.append(f"these {plural(system_kind)}")
        else:
            these.append(f"this {system_kind}{' of each system' if len(behind) > 1 else ''}")
    if facts:
        says = _CLAIMS[claim].format(kinds=" or ".join(kinds), these=" and ".join(these))
        yield f"{', and '.join(facts)}: {says}{way_out and f'. {way_out}'}"
    unknown = [name for name, role_units in units.items() if role_units.known_by == "unknown"]
    if unknown:
        one = "rater" if unknown == ["gold"] else "rater or run"
        yield (
            f"nothing says which {one} gave the responses of {listed(unknown)}: if items share "
            f"{plural(one)}, {_TOO_HOPEFUL.get(claim, 'p is too small')} for new ones"
        )


def about_pairs() -> str:
    """Return the caution of paired scores of which only the pairing is known."""
    says = _CLAIMS["test"].format(kinds="runs", these="this run of each system")
    return (
        f"if each pair of scores is an item that one run of each system answered, {says}; items in clusters, "
        "such as questions about one text, count as if they were separate"
    )


def _counted(number: int, kind: str) -> str:
    return f"one {kind}" if number == 1 else f"the same {number} {plural(kind)}"


def _owned(shared: Mapping[str, Units], kind: str) -> str:
    """Return the number of units of each system, in words."""
    numbers = {role_units.n_shared for role_units in shared.values()}
    if len(shared) > _MOST_NAMED:
        if len(numbers) == 1:
            return f"{_counted(numbers.pop(), kind)} of each of {len(shared)} systems"
        return f"the same {min(numbers)} to {max(numbers)} {plural(kind)} of each of {len(shared)} systems"
    return listed([f"{_counted(role_units.n_shared, kind)} of {name}" for name, role_units in shared.items()])


def _items(behind: Sequence[Units], n_items: int) -> str:
    """Return the number of items that the units answer, in words."""
    items_of = [role_units.items_of[role_units.items_of > 1] for role_units in behind]
    if all((counts == n_items).all() for counts in items_of):
        return f"all {n_items} items"
    each = " each" if sum(map(len, items_of)) > 1 else ""
    return f"up to {max(int(counts.max()) for counts in items_of)} of the {n_items} items{each}"


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
    if has_gold or all(system_units.known_by == "vector" for system_units in units):
        return "run"
    by_ids = any(system_units.known_by == "ids" for system_units in units)
    if not by_ids or any(_are_positions(system_units.names) for system_units in units):
        return "rater or run"
    names = [name for system_units in units for name in system_units.names]
    if len(set(names)) == len(names) == len(units) > 1:  # a column for each system, named like it
        return "run"
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
    names_b = set(b.names)
    return [name for name in a.names if name in names_b]


def _are_positions(names: Sequence[str]) -> bool:
    """Return whether names are only places in a row: 0 or 1 to K behind one word for a rating."""
    matches = [_POSITION.fullmatch(name) for name in names]
    places = sorted(int(place[2]) for place in matches if place)
    words = {place[1].lower() for place in matches if place}
    first = places[0] if places else 0
    return (
        len(words) == 1
        and first in (0, 1)
        and len(places) == len(names) > 1
        and places == list(range(first, first + len(places)))
    )
