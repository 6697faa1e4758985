"""The runs or raters that a comparison pairs by their names, in a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from nbyk.data import Systems
from nbyk.data.units import Units
from nbyk.testing.unit_kinds import kind_of, names_of_both, plural

_MOST = 12
"""Names that a list prints."""


def pairing_sentences(systems: Systems) -> Iterator[str]:
    """Yield one sentence about units paired by name and units without a partner; none if none is paired."""
    kind = kind_of(list(systems.units.values()), has_gold=systems.gold is not None)
    known = {name: units for name, units in systems.units.items() if units.index is not None}
    shared = {name: _shared(units) for name, units in known.items()}
    partners: dict[str, list[str]] = {}
    for (one, of_one), (other, of_other) in combinations(known.items(), 2):
        for name in names_of_both(of_one, of_other, kind=kind):
            if name not in shared[one] or name not in shared[other]:
                continue
            have = partners.setdefault(name, [])
            have += [system for system in (one, other) if system not in have]
    if not partners:
        return
    paired = [
        name if len(have) == len(systems.names) else f"{name} ({', '.join(have)})"
        for name, have in partners.items()
    ]
    alone = {system: [name for name in names if name not in partners] for system, names in shared.items()}
    unpaired = ", ".join(f"{_some(names)} of {system}" for system, names in alone.items() if names)
    yield f"{plural(kind).capitalize()} paired by name: {_some(paired)}; unpaired: {unpaired or 'none'}."


def _shared(units: Units) -> list[str]:
    """Return the names of the units that answer two items or more; only these are paired."""
    return [name for name, count in zip(units.names, units.items_of, strict=True) if count > 1]


def _some(names: Sequence[str]) -> str:
    more = f", … ({len(names)} in all)" if len(names) > _MOST else ""
    return f"{', '.join(names[:_MOST])}{more}"
