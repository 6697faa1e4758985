"""The response set: the responses of raters and of two systems to the same items."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbyk.data.categories import Categories
from nbyk.data.clusters import numbered_clusters
from nbyk.data.kinds import Kind
from nbyk.data.scales import FROM_0_TO_1, Scale
from nbyk.data.units import Units, column_units
from nbyk.errors import NbykError

Floats = NDArray[np.float64]

_NUMBERS = "biufO"
"""Kinds of arrays that may hold responses: no text, dates or complex numbers, which numpy would convert."""


@dataclass(frozen=True)
class ResponseSet:
    """Responses of raters (gold) and of two systems to the same N items.

    Every matrix has one row per item and one column per response; rows may hold fewer responses than
    there are columns, and the rest of such a row is NaN. Make one with `response_set`, which validates.

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
    clusters: NDArray[np.int64] | None = field(default=None, repr=False, compare=False)
    categories: Categories | None = field(default=None, repr=False, compare=False)
    names: tuple[str, str] = field(default=("A", "B"), repr=False, compare=False)
    scale: Scale = field(default=FROM_0_TO_1, repr=False, compare=False)

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


def response_set(
    gold: ArrayLike | None,
    a: ArrayLike,
    b: ArrayLike,
    *,
    units: Mapping[str, Units] | None = None,
    cluster: ArrayLike | None = None,
) -> ResponseSet:
    """Validate three response matrices and return them as a `ResponseSet`.

    Parameters
    ----------
    gold, a, b : array_like, shape (N, K) or (N,)
        One row per item, in the same order of items; K may differ between the three. NaN marks a missing
        response. A vector counts as one response per item. `gold` is None if people rated the systems'
        outputs; `a` and `b` then hold those ratings.
    units
        The raters or runs behind the responses, by "gold", "a" and "b", aligned to matrices whose rows have
        their responses first. By default each column of two or more is one rater or run.
    cluster : array_like, shape (N,), optional
        The name of each item's cluster, such as the text that it asks about.

    Raises
    ------
    NbykError
        If there are fewer than two items, the numbers of items differ, a value is infinite or not a
        number, an item has no response at all or no cluster, or all are in one cluster.
    """
    given = {"gold": gold, "a": a, "b": b}
    read = {name: responses_and_units(values, name) for name, values in given.items() if values is not None}
    matrices = {name: matrix for name, (matrix, _) in read.items()}
    lengths = {name: len(matrix) for name, matrix in matrices.items()}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        names = "gold, a and b" if gold is not None else "a and b"
        raise NbykError(f"{names} must have the same items: {found}; align them by item first")
    no_gold = np.empty((lengths["a"], 0))
    if units is None:
        units = {name: found for name, (_, found) in read.items()}
    clusters = None if cluster is None else numbered_clusters(cluster, lengths["a"])
    return ResponseSet(matrices.get("gold", no_gold), matrices["a"], matrices["b"], units, clusters)


def response_matrix(values: ArrayLike, name: str) -> Floats:
    """Return `values` as an (N, K) matrix of floats with each row's responses first and NaN behind them.

    Parameters
    ----------
    values : array_like, shape (N, K) or (N,)
        Responses. NaN marks a missing response, and so does the mask of a masked array.
    name
        The name of the matrix in errors.

    Raises
    ------
    NbykError
        As `response_set`.
    """
    return responses_and_units(values, name)[0]


def responses_and_units(values: ArrayLike, name: str) -> tuple[Floats, Units]:
    """Return the result of `response_matrix`, and the matrix's columns as units.

    The parameters and errors are those of `response_matrix`.
    """
    try:
        if isinstance(values, np.ma.MaskedArray):
            values = np.ma.filled(values.astype(np.float64), np.nan)
        if np.asarray(values).dtype.kind not in _NUMBERS:
            raise TypeError
        matrix = np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise NbykError(
            "responses must be numbers in a matrix of items × responses; pad short rows with NaN", name=name
        ) from None
    if matrix.ndim == 1:
        matrix = matrix[:, np.newaxis]
    if matrix.ndim != 2:
        raise NbykError(f"expected a matrix of items × responses, found {matrix.ndim} dimensions", name=name)
    if matrix.size == 0:
        raise NbykError("no responses; give at least two items", name=name)
    if len(matrix) < 2:
        raise NbykError("only one item; give at least two, so that nbyk can see how items vary", name=name)
    if np.isinf(matrix).any():
        item, response = np.argwhere(np.isinf(matrix))[0]
        raise NbykError(
            f"item {item}, response {response} is {matrix[item, response]}; expected a finite number",
            name=name,
        )
    missing = np.isnan(matrix)
    if missing.all(axis=1).any():
        item = int(np.flatnonzero(missing.all(axis=1))[0])
        raise NbykError(f"item {item} has no response; drop the item everywhere or add a response", name=name)
    if missing.any():
        left_packed = np.argsort(missing, axis=1, kind="stable")
        matrix = np.take_along_axis(matrix, left_packed, axis=1)
        matrix = np.ascontiguousarray(matrix[:, : int((~missing).sum(axis=1).max())])
    return matrix, column_units(missing)


def stack_responses(*systems: Floats) -> Floats:
    """Return systems' responses, each (..., K), as one array (S, ..., K), filled up with NaN."""
    width = max(system.shape[-1] for system in systems)
    if all(system.shape[-1] == width for system in systems):
        return np.stack(systems)
    stacked = np.full((len(systems), *systems[0].shape[:-1], width), np.nan)
    for out, system in zip(stacked, systems, strict=True):
        out[..., : system.shape[-1]] = system
    return stacked
