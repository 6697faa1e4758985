"""Words about the raters or runs behind items: who shares them, for whom a claim is, which are the same."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal

from nbyk.data.columns import RUN_NAMES
from nbyk.data.response_set import ResponseSet
from nbyk.data.units import Units
from nbyk.words import AboutUnits, Offer, listed

Claim = Literal["test", "size", "variance", "prior"]

_CLAIMS = {
    "test": "p and the interval are about these; for new ones they are too small",
    "size": "the plan is for these; for new ones it is too hopeful",
    "variance": "the shares assume that each item has its own, and leave out how these differ",
    "prior": "the prior assumes that each item has its own, and leaves out how these differ; so does a test "
    "or plan that uses it",
}
_TOO_HOPEFUL = {"size": "the plan is too hopeful", "prior": "a plan by it is too hopeful"}
_MOST_NAMED, _MOST_LISTED = 2, 12
_OFFER = "`pair_runs=True` takes equal names, or columns, as the same"


def named_units(data: ResponseSet) -> dict[str, Units]:
    """Return the units of a response set by "gold" and the systems' names."""
    names = data.names_of_roles
    return {names[role]: units for role, units in data.units.items() if role != "gold" or data.has_gold}


def about_units(
    units: Mapping[str, Units],
    *,
    has_gold: bool = True,
    claim: Claim = "test",
    way_out: str = "",
) -> Iterator[str]:
    """Yield a caution where items share raters or runs, and one if it is unknown whether they do.

    The units are the raters behind "gold", and the raters or runs behind each system by its name. The caution
    says whom the `claim` leaves out. Then follows the `way_out`, if there is one.
    """
    shared = {name: own.n_shared for name, own in units.items() if own.n_shared}
    kind = kind_of([own for name, own in units.items() if name != "gold"], has_gold=has_gold)
    gold = shared.pop("gold", 0)
    facts = [_counted([gold], "rater")] if gold else []
    if shared:
        whose = listed(list(shared)) if len(shared) <= _MOST_NAMED else f"{len(shared)} systems"
        facts.append(f"{_counted(shared.values(), kind)} of {'each of ' * (len(shared) > 1)}{whose}")
    if facts:
        follows = f"{_CLAIMS[claim]}{way_out and f'. {way_out}'}"
        yield AboutUnits(f"items share {listed(facts)}", follows)
    unknown = [name for name, own in units.items() if own.known_by == "unknown"]
    if unknown:
        one: Kind = "rater" if unknown == ["gold"] else "rater or run"
        yield AboutUnits(
            f"nothing says which {one} gave the responses of {listed(unknown)}",
            f"if items share {plural(one)}, {_TOO_HOPEFUL.get(claim, 'p is too small')} for new ones",
        )


def about_pairs() -> str:
    """Return the caution of paired scores of which only the pairing is known."""
    return (
        f"if each pair of scores is an item that one run of each system answered, {_CLAIMS['test']}. Items "
        "in clusters, such as questions about one text, count as if they were separate"
    )


def _counted(numbers: Collection[int], kind: Kind) -> str:
    """Return numbers of units in words: "one run", "3 raters", "1 to 3 runs"."""
    least, most = min(numbers), max(numbers)
    if most == 1:
        return f"one {kind}"
    return f"{most if least == most else f'{least} to {most}'} {plural(kind)}"


_RUN = re.compile("|".join(RUN_NAMES), re.IGNORECASE)

_POSITION = re.compile(
    r"(rating|score|value|response|answer|label|slot|column|col)[ _.-]*(\d{1,6})", re.IGNORECASE
)

Kind = Literal["run", "rater", "rater or run"]
_PLURALS: dict[Kind, str] = {"run": "runs", "rater": "raters", "rater or run": "raters or runs"}


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
    one_each = all(len(system_units.names) == 1 for system_units in units)
    if one_each and len(set(names)) == len(names) > 1:  # a column for each system, named like it
        return "run"
    return "run" if all(map(_RUN.search, names)) else "rater"


def plural(kind: Kind) -> str:
    """Return the plural of a kind of units: "raters or runs"."""
    return _PLURALS[kind]


def shared_numbers(units: Mapping[str, Units]) -> dict[str, tuple[int, int]]:
    """Return the fewest and the most units that items share, of gold and of the systems, by their plural."""
    systems = [own for name, own in units.items() if name != "gold"]
    gold = [own.n_shared for name, own in units.items() if name == "gold"]
    kind = plural(kind_of(systems, has_gold=bool(gold)))
    numbers = {"raters": gold, kind: [own.n_shared for own in systems]}
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


def pairing_sentence(units: Mapping[str, Units], *, has_gold: bool, pair_runs: bool) -> str:
    """Return which units of the systems are paired, with the offer to pair others; "" if there are no two."""
    kind = kind_of(list(units.values()), has_gold=has_gold)
    known = {name: _shared(own) for name, own in units.items() if own.n_shared}
    if max(map(len, known.values()), default=0) < 2:
        return ""
    partners = _partners(units, known, kind, pair_runs=pair_runs)
    if not partners:
        offered = list(_partners(units, known, kind, pair_runs=True))
        unpaired = f"{plural(kind).capitalize()} are not paired"
        if not offered:
            return f"{unpaired}."
        return Offer(f"{unpaired}: several systems have {_some(offered)}; {_OFFER}.")
    paired = [
        name if len(systems) == len(units) else f"{name} ({', '.join(systems)})"
        for name, systems in partners.items()
    ]
    people = ", as the same people" if kind == "rater" else ""
    alone = {system: [name for name in names if name not in partners] for system, names in known.items()}
    rest = ", ".join(f"{_some(names)} of {system}" for system, names in alone.items() if names)
    says = f"{plural(kind).capitalize()} are paired by name{people}"
    return f"{says}: {_some(paired)}; unpaired: {rest or 'none'}."


def _partners(
    units: Mapping[str, Units], known: Mapping[str, Sequence[str]], kind: Kind, *, pair_runs: bool
) -> dict[str, list[str]]:
    """Return the systems of each unit that two systems or more have."""
    partners: dict[str, list[str]] = {}
    for system, names in known.items():
        if pair_runs or (kind == "rater" and units[system].known_by == "ids"):
            for name in names:
                partners.setdefault(name, []).append(system)
    return {name: systems for name, systems in partners.items() if len(systems) > 1}


def _shared(units: Units) -> list[str]:
    """Return the names of the units that answer two items or more; only these are paired."""
    return [name for name, count in zip(units.names, units.items_of, strict=True) if count > 1]


def _some(names: Sequence[str]) -> str:
    more = f", … ({len(names)} in all)" if len(names) > _MOST_LISTED else ""
    return f"{', '.join(names[:_MOST_LISTED])}{more}"


def _are_positions(names: Sequence[str]) -> bool:
    """Return whether names are only places in a row: columns, or 0 or 1 to K behind one word for a rating."""
    matches = [_POSITION.fullmatch(name) for name in names]
    places = sorted(int(place[2]) for place in matches if place)
    words = {place[1].lower() for place in matches if place}
    if len(words) != 1 or len(places) < len(names):
        return False
    first = places[0]
    # a column without a response has no name
    return words == {"column"} or (
        first in (0, 1) and len(places) > 1 and places == list(range(first, first + len(places)))
    )
