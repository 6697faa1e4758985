"""The response set of two systems; classes and distributions in it are places in a table of distributions."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.data.kinds import Kind
from nbyk.data.scales import FROM_0_TO_1, Scale
from nbyk.data.units import Units


@dataclass(frozen=True, eq=False)
class Categories:
    """The classes of responses that are classes or distributions.

    Attributes
    ----------
    names
        The classes, in their order.
    table : ndarray, shape (U, C)
        Distributions over the classes; a response is the place of one. The first C are the classes.
    kind
        What the systems' responses are.
    ordered
        Whether somebody gave the order of the names, or they are whole numbers.
    """

    names: tuple[str, ...]
    table: Floats
    kind: Kind
    ordered: bool = True


def placed(rows: Floats, names: tuple[str, ...], *, ordered: bool) -> tuple[Floats, Categories]:
    """Return the place of each distribution over named classes, shape (rows, C), in the table of all."""
    table, place = np.unique(np.concatenate([np.eye(len(names)), rows]), axis=0, return_inverse=True)
    place = place.reshape(-1)
    classes = place[: len(names)]
    order = np.concatenate([classes, np.setdiff1d(np.arange(len(table)), classes)])
    rank = np.empty(len(table))
    rank[order] = np.arange(len(table))
    return rank[place[len(names) :]], Categories(names, table[order], "distributions", ordered)


@dataclass(frozen=True)
class ResponseSet:
    """Responses of raters (gold) and of two systems to the same N items.

    Every matrix has one row per item and one column per response; rows may hold fewer responses than
    there are columns, and the rest of such a row is NaN. Make one with `nbyk.response_set`, which validates.

    Attributes
    ----------
    gold : ndarray, shape (N, K_gold)
        Human responses. K_gold is 0 without gold: people rated each system's outputs, and `a` and `b` hold
        those ratings (Homan et al. 2025, section 6).
    a, b : ndarray, shape (N, K_a) and (N, K_b)
        Responses of system A and of system B.
    units
        The raters or runs behind the responses, by "gold", "a" and "b". If a role is left out, nothing is
        known about its raters or runs. The fingerprint does not depend on them.
    clusters : ndarray of int, shape (N,), or None
        The cluster of each item, such as the text that it asks about, from 0 in the order of first
        appearance; None if items have no clusters. The fingerprint does not depend on them either.
    categories
        The classes or distributions that the responses stand for; None for numbers.
    names
        The systems' names.
    scale
        The scale of numbers before they were normalised; from 0 to 1 if none was declared.
    """

    gold: Floats
    a: Floats
    b: Floats
    units: Mapping[str, Units] = field(default_factory=dict, repr=False, compare=False)
    clusters: Integers | None = field(default=None, repr=False, compare=False)
    categories: Categories | None = field(default=None, repr=False, compare=False)
    names: tuple[str, str] = field(default=("A", "B"), repr=False, compare=False)
    scale: Scale = field(default=FROM_0_TO_1, repr=False, compare=False)

    def __repr__(self) -> str:
        gold = ", with gold" if self.has_gold else ""
        return f"{self.names[0]} and {self.names[1]}: {self.kind}, of {self.n_items} items{gold}"

    @property
    def kind(self) -> Kind:
        """What the systems' responses are: "numbers", "classes" or "distributions"."""
        return "numbers" if self.categories is None else self.categories.kind

    @property
    def n_items(self) -> int:
        """Number of items N."""
        return len(self.gold)

    @property
    def n_clusters(self) -> int:
        """Number of clusters G; 0 if items have none."""
        return 0 if self.clusters is None else int(self.clusters.max()) + 1

    @property
    def has_gold(self) -> bool:
        """Whether there is gold. Without gold only metrics that do not need it can be used."""
        return bool(self.gold.shape[1])

    @property
    def names_of_roles(self) -> dict[str, str]:
        """The names of "gold", "a" and "b": "gold" and the systems'."""
        return dict(zip(("gold", "a", "b"), ("gold", *self.names), strict=True))

    def fingerprint(self) -> str:
        """Return the SHA-256 hex digest of the shapes and values: equal data have equal fingerprints."""
        digest = hashlib.sha256()
        for matrix in (self.gold, self.a, self.b):
            digest.update(repr(matrix.shape).encode())
            digest.update(np.ascontiguousarray(matrix + 0.0).tobytes())
        return digest.hexdigest()


def stack_responses(*systems: Floats) -> Floats:
    """Return systems' responses, each (..., K), as one array (S, ..., K), filled up with NaN."""
    width = max(system.shape[-1] for system in systems)
    if all(system.shape[-1] == width for system in systems):
        return np.stack(systems)
    stacked = np.full((len(systems), *systems[0].shape[:-1], width), np.nan)
    for out, system in zip(stacked, systems, strict=True):
        out[..., : system.shape[-1]] = system
    return stacked
