"""Which runs or raters of several systems count as one and the same, in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from nbyk.data.units import Units
from nbyk.testing.unit_cautions import Kind, kind_of, names_of_both, plural
from nbyk.words import listed

_MOST = 12
"""Names that a list prints."""

_OFFER = "`pair_runs` (--pair-runs yes) takes equal names, or columns, as the same"


def pairing_sentence(units: Mapping[str, Units], *, has_gold: bool, pair_runs: bool) -> str:
    """Return which units of the systems are paired, with the offer to pair others; "" if there are no two.

    Parameters
    ----------
    units
        The runs or raters behind each system, by its name.
    has_gold, pair_runs
        Whether there is gold, and whether runs of one name are the same in all systems.
    """
    kind = kind_of(list(units.values()), has_gold=has_gold)
    known = {name: _shared(of_system) for name, of_system in units.items() if of_system.n_shared}
    if max(map(len, known.values()), default=0) < 2:
        return ""
    partners = _partners(units, known, kind, pair_runs=pair_runs)
    if not partners:
        offered = list(_partners(units, known, kind, pair_runs=True))
        columns = "columns " if any(of_system.known_by == "columns" for of_system in units.values()) else ""
        offer = f": several systems have {columns}{_some(offered)}; {_OFFER}" if offered else ""
        return f"{plural(kind).capitalize()} are not paired{offer}."
    paired = [
        name if len(systems) == len(units) else f"{name} ({', '.join(systems)})"
        for name, systems in partners.items()
    ]
    alone = {system: [name for name in names if name not in partners] for system, names in known.items()}
    unpaired = ", ".join(f"{_some(names)} of {system}" for system, names in alone.items() if names)
    people = ", as the same people" if kind == "rater" else ""
    rest = unpaired or "none"
    return f"{plural(kind).capitalize()} are paired by name{people}: {_some(paired)}; unpaired: {rest}."


def pairing_caution(units: Mapping[str, Units], *, has_gold: bool, pair_runs: bool) -> tuple[str, ...]:
    """Return a caution if columns, or places in a row, may be the same people for all systems."""
    kind = kind_of(list(units.values()), has_gold=has_gold)
    known = {name: _shared(of_system) for name, of_system in units.items() if of_system.n_shared}
    may_be_people = kind == "rater or run" and not pair_runs
    if not may_be_people or not _partners(units, known, kind, pair_runs=True):
        return ()
    return (
        f"nothing says whether the same raters or runs gave the responses of {listed(list(known))}, and nbyk "
        f"takes them as different ones: if they are the same, p is mostly too large; {_OFFER}",
    )


def _partners(
    units: Mapping[str, Units], known: Mapping[str, Sequence[str]], kind: Kind, *, pair_runs: bool
) -> dict[str, list[str]]:
    """Return the systems of each unit that two systems or more have."""
    partners: dict[str, list[str]] = {}
    for one, other in combinations(known, 2):
        for name in names_of_both(units[one], units[other], kind=kind, pair_runs=pair_runs):
            if name in known[one] and name in known[other]:
                systems = partners.setdefault(name, [])
                systems += [system for system in (one, other) if system not in systems]
    return partners


def _shared(units: Units) -> list[str]:
    """Return the names of the units that answer two items or more; only these are paired."""
    return [name for name, count in zip(units.names, units.items_of, strict=True) if count > 1]


def _some(names: Sequence[str]) -> str:
    more = f", … ({len(names)} in all)" if len(names) > _MOST else ""
    return f"{', '.join(names[:_MOST])}{more}"
