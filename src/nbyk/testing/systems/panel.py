"""The population of a comparison: shared units, clusters, and those that a claim generalises over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nbyk.arrays import Integers
from nbyk.data.response_set import ResponseSet
from nbyk.data.units import Units
from nbyk.errors import NbykError, check_name
from nbyk.testing.shared_units import NO_UNIT, Responses, Source, responses
from nbyk.testing.shared_units.collection import FEWEST_UNITS
from nbyk.testing.unit_cautions import Kind, kind_of_units, names_of_both, plural
from nbyk.words import counted, listed

FACTORS = ("items", "clusters", "raters", "runs")
"""The factors that a claim may generalise over; without gold, both names may mean raters of outputs."""

FEW_UNITS = 8
"""Fewer units cannot show their own skewness, and a caution says so (docs/shared-units.md)."""

_PLACES = {"A": 0, "B": 1}
_ROLES = {"raters": ("gold",), "runs": ("a", "b"), "runs of A": ("a",), "runs of B": ("b",)}


@dataclass(frozen=True)
class Panel:
    """The units behind a comparison, and those that it generalises over.

    `responses` are None if no units are shared. The broadest claim generalises over `sources` of units, and
    over clusters if `of_clusters`. Every claim leaves the units as they are that are `single`, by role:
    ``{"b": "run"}``. `paired` says whether some units are the same for both systems.
    """

    responses: Responses | None
    sources: tuple[Source, ...]
    single: Mapping[str, str]
    n_clusters: int = 0
    of_clusters: bool = False
    kind: Kind = "run"
    paired: bool = False
    names: tuple[str, str] = ("A", "B")

    @property
    def is_broad(self) -> bool:
        """Whether there is a broader claim than that of the test that draws."""
        return bool(self.sources) or self.of_clusters is not self.draws_clusters

    @property
    def draws_clusters(self) -> bool:
        """Whether the test that draws swaps and bootstraps whole clusters."""
        return self.of_clusters and self.n_clusters >= FEWEST_UNITS

    @property
    def drawn_over(self) -> tuple[str, ...]:
        """What the test that draws is over: new items, or whole clusters of them."""
        return ("items", "clusters") if self.draws_clusters else ("items",)

    def drawn(self, data: ResponseSet) -> ResponseSet:
        """Return the data for swaps and bootstraps; without clusters if items are drawn one by one."""
        return data if self.draws_clusters else replace(data, clusters=None)

    def population(self, sources: Sequence[Source], *, of_clusters: bool) -> str:
        """Return in words the population of a claim that generalises over some sources, and over clusters."""
        return population_of([(self, sources)], of_clusters=of_clusters)

    @property
    def factors(self) -> tuple[str, ...]:
        """The factors that the broadest claim generalises over."""
        return ("items", *(("clusters",) if self.of_clusters else ()), *self.sources)

    @property
    def sizes(self) -> Mapping[Source, int]:
        """The number of units of each source, of the system with fewer if both have units of it."""
        return {} if self.responses is None else self.responses.sizes

    def in_words(self, source: str) -> str:
        """Return a source, or a part of the variance, in words: without gold, runs may be raters."""
        if not source.startswith("runs"):
            return source
        words = source.replace("runs", plural(self.kind), 1)
        for letter, name in zip("AB", self.names, strict=True):
            if source.startswith(f"runs of {letter}"):
                return words.replace(f" of {letter}", f" of {name}", 1)
        return words

    def left_as_they_are(self, units: Mapping[str, Units]) -> dict[str, Units]:
        """Return the units, of "gold" and of systems by name, that a caution names beside the broadest claim.

        Beside a claim over new units these are the ones that it leaves as they are, if they are several: the
        words for its population name one alone.
        """
        names = {"gold": "gold", "a": self.names[0], "b": self.names[1]}
        new = {names[role] for source in self.sources for role in _ROLES[source]}
        return {
            name: units[name]
            for name in names.values()
            if name in units
            and not (self.sources and units[name].n_shared and (name in new or len(units[name].names) == 1))
        }


def population_of(chosen: Sequence[tuple[Panel, Sequence[Source]]], *, of_clusters: bool) -> str:
    """Return in words the population of claims about pairs, each over the sources chosen of its panel.

    What is new in some pairs is new, and the units that stay as they are in some pairs are named.
    """
    items, (first, _) = "clusters of items" if of_clusters else "items", chosen[0]
    clusters = [f"these {first.n_clusters} clusters"] if first.n_clusters and not of_clusters else []
    return of_new([items, *_in_words(chosen, None)], [*clusters, *units_kept(chosen)])


def of_new(new: Sequence[str], kept: Sequence[str]) -> str:
    """Return in words the population of new ones, with those that stay as they are."""
    new_ones = f"new {listed(new)}"
    return f"{new_ones}, with {listed(kept)}" if kept else new_ones


def units_kept(chosen: Sequence[tuple[Panel, Sequence[Source]]]) -> list[str]:
    """Return in words the units that stay as they are in claims about pairs (`population_of`)."""
    others = [(panel, [of for of in panel.sizes if of not in sources]) for panel, sources in chosen]
    return [
        *(f"these {words}" for words in _in_words(others, str)),
        *_single_in_words([panel for panel, _ in chosen]),
    ]


def few_of(panels: Sequence[Panel], fewest: int, below: int) -> list[str]:
    """Return in words the sources to generalise over that have from `fewest` to `below` − 1 units."""
    few = [(panel, [of for of in panel.sources if fewest <= panel.sizes[of] < below]) for panel in panels]
    n_clusters = panels[0].n_clusters if panels else 0
    are_few = fewest <= n_clusters < below and panels[0].of_clusters
    return [*([f"{counted(n_clusters)} clusters"] if are_few else []), *_in_words(few, counted)]


def _in_words(
    chosen: Sequence[tuple[Panel, Sequence[Source]]], number: Callable[[int], str] | None
) -> list[str]:
    """Return sources of pairs in words, with their numbers of units: "3 runs of each system"."""
    owners: dict[tuple[str, bool], list[str]] = {}
    for panel, sources in chosen:
        for source in sources:
            letter = source.removeprefix("runs of ")
            unit = source if source == "raters" else plural(panel.kind)
            words = unit if number is None else f"{number(panel.sizes[source])} {unit}"
            of = owners.setdefault((words, letter in _PLACES), [])
            of += [panel.names[_PLACES[letter]]] if letter in _PLACES else []
    every = _systems([panel for panel, _ in chosen])
    said = []
    for (words, are_owned), names in owners.items():
        each = "" if number is None else " of each system"
        named = len(chosen) == 1 or number is not None
        is_each = {*names} == every and len(every) > 1
        whose = each if is_each else f" of {listed([*dict.fromkeys(names)])}" * named
        said.append(words + whose * are_owned)
    return said


def _systems(panels: Sequence[Panel]) -> set[str]:
    """Return the systems of several pairs; a score that systems are held to is none, and has no name."""
    return {name for panel in panels for name in panel.names if name}


def _single_in_words(panels: Sequence[Panel]) -> Iterator[str]:
    """Yield in words the units that are one alone: "this run of each system"."""
    if "gold" in panels[0].single:
        yield "this rater"
    owners: dict[str, dict[str, None]] = {}
    for panel in panels:
        for role, name in zip("ab", panel.names, strict=True):
            if role in panel.single:
                owners.setdefault(panel.single[role], {})[name] = None
    every = _systems(panels)
    for unit, names in owners.items():
        yield f"this {unit} of {'each system' if {*names} == every and len(every) > 1 else listed([*names])}"


def check_factors(generalise: Sequence[str] | None, factors: Sequence[str]) -> None:
    """Raise NbykError unless what a claim is to generalise over are items, and others of some factors."""
    for factor in generalise or ():
        check_name("factor to generalise over", factor, factors, argument="generalise")
    if generalise is not None and "items" not in generalise:
        raise NbykError(
            "found no items, but every claim is about new items; add items", argument="generalise"
        )


def panel_of(
    data: ResponseSet,
    generalise: Sequence[str] | None,
    *,
    pair_runs: bool = False,
) -> Panel:
    """Return the units behind a response set, and those to generalise over, a selection of `FACTORS`.

    None means items, their clusters, and every kind of shared units with two or more units. `pair_runs` says
    whether runs of A and of B that have one name, or one place in a row, are the same.
    """
    check_factors(generalise, FACTORS)
    kind, names = kind_of_units(data), data.names
    n_clusters = data.n_clusters
    of_clusters = n_clusters > 0 and (generalise is None or "clusters" in generalise)
    places = _places(data, kind, pair_runs=pair_runs)
    paired = bool(places)
    shared = _responses(data, places, of_clusters=of_clusters)
    sources: tuple[Source, ...] = () if shared is None else tuple(shared.source_units)
    panel = Panel(shared, sources, _single_units(data, kind), n_clusters, of_clusters, kind, paired, names)
    if generalise is None:
        return panel
    if "clusters" in generalise and not of_clusters:
        raise NbykError(
            "found clusters, but items have none here; leave clusters out, or name the cluster of each item",
            argument="generalise",
        )
    asked = {factor for factor in generalise if factor not in ("items", "clusters")}
    runs = ("runs",) if data.has_gold else ("raters", "runs")
    factors = {source: ("raters",) if source == "raters" else runs for source in sources}
    for factor in sorted(asked):
        if not any(factor in source_factors for source_factors in factors.values()):
            raise NbykError(
                f"found {factor}, and items share no two {factor} here; leave {factor} out, or give ids that "
                "say who gave which response",
                argument="generalise",
            )
    return replace(panel, sources=tuple(source for source in sources if asked & set(factors[source])))


def _responses(data: ResponseSet, places: Mapping[str, Integers], *, of_clusters: bool) -> Responses | None:
    """Return the responses with shared units and clusters; None if no units are shared."""
    ids = {role: _shared_ids(data, role, places.get(role)) for role in ("gold", "a", "b")}
    if all(role_ids is None for role_ids in ids.values()):
        return None
    units = {f"{role}_units": role_ids for role, role_ids in ids.items()}
    shared = plain_responses(data, of_clusters=of_clusters, paired=bool(places), **units)
    return shared if shared.source_units else None


def plain_responses(data: ResponseSet, *, of_clusters: bool, **units: Any) -> Responses:
    """Return the responses of a set, with its clusters or without, and with units if these are given."""
    gold = data.gold if data.has_gold else None
    table = None if data.categories is None else data.categories.table
    clusters = data.clusters if of_clusters else None
    return responses(data.a, data.b, gold=gold, clusters=clusters, table=table, **units)


def _places(data: ResponseSet, kind: Kind, *, pair_runs: bool) -> dict[str, Integers]:
    """Return a number for each name of A's and of B's units, one for a unit of both; empty without any."""
    a, b = (data.units.get(role) for role in ("a", "b"))
    if a is None or b is None:
        return {}
    same = names_of_both(a, b, kind=kind, pair_runs=pair_runs)
    if not same:
        return {}
    numbers = {name: number for number, name in enumerate(sorted(same))}
    places = {}
    for role, units, first in (("a", a, len(same)), ("b", b, len(same) + len(a.names))):
        places[role] = np.array(
            [numbers.get(name, first + place) for place, name in enumerate(units.names)], dtype=np.int64
        )
    return places


def _shared_ids(data: ResponseSet, role: str, places: Integers | None) -> Integers | None:
    units = data.units.get(role)
    if units is None or units.index is None or units.n_shared < 1:
        return None
    # Units of one item are noise of that item, unless most units share items.
    fewest = 1 if 2 * units.n_shared > np.count_nonzero(units.items_of) else 2
    kept = np.append(units.items_of >= fewest, False)  # the index −1, no unit, is the last
    numbers = np.append(np.arange(len(units.names)) if places is None else places, NO_UNIT)
    ids: Integers = np.where(kept[units.index], numbers[units.index], NO_UNIT)
    return ids


def _single_units(data: ResponseSet, kind: Kind) -> dict[str, str]:
    """Return the roles with a single unit, which no claim can generalise over, and that unit in words."""
    roles = {role: units for role, units in data.units.items() if role != "gold" or data.has_gold}
    words = {role: "run" if units.known_by == "vector" else kind for role, units in roles.items()}
    words["gold"] = "rater"
    return {
        role: words[role]
        for role, units in roles.items()
        if units.n_shared == 1 or (role != "gold" and units.known_by == "vector")
    }
