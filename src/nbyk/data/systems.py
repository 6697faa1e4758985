"""Systems read on the same items, and the one matcher of items; data without ids match by row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Literal, Protocol

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.data.kinds import Kind
from nbyk.data.makers import Incomplete
from nbyk.data.ratings import ordered_ids
from nbyk.data.response_set import Categories, ResponseSet
from nbyk.data.scales import FROM_0_TO_1, Scale
from nbyk.data.text import look_alikes, simplified, some
from nbyk.data.units import Units, numbered_clusters
from nbyk.errors import DataPlace, NbykError, check_name
from nbyk.words import DataDoubt, listed

_UNFIT = re.compile(r"[\x00-\x1f\x7f\u2028\u2029\ud800-\udfff]")

OnMissing = Literal["refuse", "drop"]


class Itemised(Protocol):
    """Data of some items, by their ids, which are row numbers if they are nameless."""

    @property
    def items(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def place(self) -> DataPlace: ...  # noqa: D102
    @property
    def nameless(self) -> bool: ...  # noqa: D102


def common_items(
    data: Sequence[Itemised], on_missing: OnMissing = "refuse", way_out: str = ""
) -> Sequence[str]:
    """Return the items that all data have, in the order of the first.

    Items that not all have are an error, which ends in `way_out`, or dropped. Rows without names are never
    dropped.
    """
    first, *others = data
    if all(ordered_ids(other.items) == ordered_ids(first.items) for other in others):
        return first.items
    ids = set(first.items)
    differing = [other for other in others if set(other.items) != ids]
    nameless = any(ratings.nameless for ratings in (first, *differing))
    common = ids.intersection(*(other.items for other in others))
    if nameless or on_missing == "refuse":
        known = 'give all files the same items, or keep those in all of them with `on_missing="drop"`'
        if nameless:
            known = (
                "the rows of an array have no names by which to match them: give all files the same rows in "
                "the same order, or write the array as a table with a column item"
            )
        elif not common:
            known = (
                "no item is in all files: check that the ids are of the same items, and written the same way"
            )
        differences = [_difference(other.items, str(first.place), first.items) for other in differing]
        more = [f"; {other.place} {what}" for other, what in zip(differing[1:], differences[1:], strict=True)]
        raise differing[0].place.error(
            f"{differences[0]}{''.join(more)}{_near(first.items, differing[0].items)}; {known}{way_out}"
        )
    if len(common) < 2:
        raise first.place.error(
            f"has {len(common)} item(s) in common with {listed([str(other.place) for other in others])}"
            f"{_near(first.items, differing[0].items)}, expected at "
            f"least two; check that the ids are of the same items and written alike{way_out}"
        )
    return tuple(name for name in first.items if name in common)


def _difference(items: Sequence[str], other: str, others_items: Sequence[str]) -> str:
    rated, wanted = set(items), set(others_items)
    missing = [item for item in others_items if item not in rated]
    extra = [item for item in items if item not in wanted]
    parts = []
    if missing:
        parts.append(f"lacks {len(missing)} of {other}'s items ({some(missing, str, 3)})")
    if extra:
        parts.append(f"has {len(extra)} that {other} lacks ({some(extra, str, 3)})")
    return " and ".join(parts)


def _near(items: Sequence[str], others: Sequence[str]) -> str:
    """Return a hint about two ids of two data that may be meant to be one; "" if there are none."""
    shared = set(items).intersection(others)
    lacking = {simplified(name): name for name in items if name not in shared}
    for name in others:
        meant = lacking.get(simplified(name))
        if name not in shared and meant is not None:
            shown = look_alikes([meant, name]) or (meant, name)
            return f" (is {shown[1]} the same as {shown[0]}? then write them alike)"
    return ""


@dataclass(frozen=True, eq=False)
class Systems:
    """Responses of raters (gold, if any) and of systems to the same N items, or systems' scores.

    Make one with `read_systems`, which validates.

    Attributes
    ----------
    responses
        Each system's responses by its name, in the order given, shape (N, K), where K may differ between
        systems; the responses of an item come first in its row, and NaN after them. They are numbers in
        [0, 1], or places in the table of `categories`; or scores of runs or items, shape (n,).
    gold : ndarray, shape (N, K_gold), or None
        The raters' responses, of the systems' kind, or the classes that people chose beside distributions;
        None if people rated the systems' outputs.
    units
        The raters or runs behind the responses, by the system's name.
    gold_units
        The raters behind gold; None if there is no gold.
    items
        The items' ids, in the order of the rows: that of `nbyk.data.ratings.ordered_ids`, not that of
        the files, so that no number depends on the latter. Arrays, whose items have no ids, keep theirs.
        Empty if scores are not paired by ids, and for what `nbyk.data.responses.as_systems` takes.
    clusters
        The name of each item's cluster, shape (N,); None if no clusters were read.
    scale
        The scale of numbers before they were normalised; from 0 to 1 for other kinds, which have none.
    kind
        "numbers", "classes", "distributions" or "scores".
    categories
        The classes or distributions that the responses stand for; None for numbers and scores.
    paired
        Whether score i of every system belongs to the same item or run; true for the other kinds.
    lower_is_better
        Whether lower numbers or scores are better, as the user or a log says; only without gold.
    dropped
        The number of items dropped from each file because another file lacks them; files that lost none are
        left out. Ratings that do not come from a file are named "gold" or by their system.
    recognised
        The columns that were read in place of those asked for, and their roles, in words by file.
    notes
        Warnings about things that are allowed but seldom meant, such as a system equal to gold, a sentence
        each; `doubts` and `incomplete` are among them.
    """

    responses: Mapping[str, Floats]
    gold: Floats | None = None
    units: Mapping[str, Units] = field(default_factory=dict)
    gold_units: Units | None = None
    items: Sequence[str] = ()
    clusters: tuple[Any, ...] | None = None
    scale: Scale = FROM_0_TO_1
    kind: Kind = "numbers"
    categories: Categories | None = None
    paired: bool = True
    lower_is_better: bool = False
    dropped: Mapping[str, int] = field(default_factory=dict)
    recognised: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"{some(self.names, str, 8)}: {self.taken_as}"

    @property
    def names(self) -> tuple[str, ...]:
        """The systems' names."""
        return tuple(self.responses)

    @property
    def doubts(self) -> tuple[DataDoubt, ...]:
        """The notes that may turn the verdict round, about gold or percentages."""
        return tuple(note for note in self.notes if isinstance(note, DataDoubt))

    @property
    def incomplete(self) -> tuple[str, ...]:
        """The notes on logs that lack some of their run."""
        return tuple(note for note in self.notes if isinstance(note, Incomplete))

    @property
    def n_items(self) -> int:
        """Number of items N; 0 of scores without ids."""
        return len(self.items) or (0 if self.kind == "scores" else len(next(iter(self.responses.values()))))

    @property
    def cluster_numbers(self) -> Integers | None:
        """The cluster of each item, from 0, shape (N,); None without clusters."""
        return None if self.clusters is None else numbered_clusters(self.clusters, self.n_items)

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes; empty without."""
        return () if self.categories is None else self.categories.names

    @property
    def all_units(self) -> dict[str, Units]:
        """The units behind all responses: by system, and by "gold" if there is any."""
        return dict(self.units) if self.gold_units is None else {"gold": self.gold_units, **self.units}

    @property
    def taken_as(self) -> str:
        """What the data were taken for, in words."""
        if self.kind == "scores":
            pairs = f"paired by their {'ids' if self.items else 'order'}" if self.paired else "not paired"
            counts = ", ".join(f"{len(scores)} of {name}" for name, scores in self.responses.items())
            return f"scores of runs, {pairs}: {counts}"
        over = {"classes": "classes", "distributions": "probabilities of the classes"}.get(self.kind)
        what = f"{over} {some(self.classes, str, 8)}" if over else "numbers"
        n_people = 0 if self.gold_units is None else len(self.gold_units.names)
        by = f", gold of {n_people} raters" if n_people > 1 else ", gold" if self.gold is not None else ""
        return f"{what}, of {self.n_items} items{by}"

    def with_units(self, raters: str | None, runs: str | None) -> Systems:
        """Return the systems with gold's raters, and the systems' runs, "shared" or "fresh" as declared."""
        gold, units = self.gold_units, self.units
        if raters is not None:
            if gold is None:
                raise NbykError(
                    "this is about gold's raters, and there is no gold; for people who rated the systems' "
                    "outputs write `run_ids`",
                    argument="rater_ids",
                )
            gold = gold.declared(raters, "rater_ids")
        if runs is not None:
            units = {name: of_name.declared(runs, "run_ids") for name, of_name in units.items()}
        return replace(self, gold_units=gold, units=units)

    def among(self, names: Sequence[str]) -> Systems:
        """Return some of the systems, in this order."""
        units = {name: self.units[name] for name in names if name in self.units}
        return replace(self, responses=chosen(self.responses, names), units=units)

    def pair(self, a: str, b: str) -> ResponseSet:
        """Return two systems and gold, if any, as a response set."""
        for name in (a, b):
            check_name("system", name, self.responses)
        self.refuse_scores()
        of_roles = {"gold": self.gold_units, "a": self.units.get(a), "b": self.units.get(b)}
        return ResponseSet(
            np.empty((self.n_items, 0)) if self.gold is None else self.gold,
            self.responses[a],
            self.responses[b],
            {role: units for role, units in of_roles.items() if units is not None},
            self.cluster_numbers,
            self.categories,
            (a, b) if a != b else ("A", "B"),
            self.scale,
        )

    def refuse_scores(self) -> None:
        """Raise NbykError unless there are responses to items."""
        if self.kind == "scores":
            raise NbykError(f"found {self.taken_as}; expected responses to items")


def chosen(systems: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return some of the systems by their names, in this order; the first is A."""
    if isinstance(names, str):
        raise NbykError(f"found text, {names!r}; expected a list of names", argument="only")
    for name in names:
        check_name("system", name, systems, argument="only")
    if len({*names}) < len(names) or not names:
        raise NbykError(f"found {listed(names) or 'no name'}, expected each system once", argument="only")
    return {name: systems[name] for name in names}


def by_name(systems: Mapping[Any, Any]) -> dict[str, Any]:
    """Return systems by their names as text."""
    named = {str(name): given for name, given in systems.items()}
    if len(named) < len(systems):
        raise NbykError("two systems have one name; give each another", argument="systems")
    return named


def check_names(systems: Iterable[str], *, has_gold: bool = False) -> None:
    """Raise NbykError if a system cannot have its name; beside gold, none can have gold's."""
    for name in systems:
        if _UNFIT.search(name) or not name.strip():
            raise NbykError(
                f"system {name!r}: the name is blank, or holds a line end, a control character or what is "
                "not UTF-8; give it another one, as in a=FILE"
            )
        if has_gold and name == "gold":
            raise NbykError(
                "a system is called gold, the name of the gold responses; give it another name",
                argument="systems",
            )


def equal_systems(gold: Floats | None, responses: Mapping[str, Floats]) -> Iterable[str]:
    """Yield a note on each system that is equal to gold or to another one."""
    for name, matrix in responses.items():
        if gold is not None and np.array_equal(gold, matrix, equal_nan=True):
            yield f"{name} has the same ratings as gold"
    for (name, matrix), (other, same) in combinations(responses.items(), 2):
        if np.array_equal(matrix, same, equal_nan=True):
            yield f"{name} and {other} have the same ratings"
