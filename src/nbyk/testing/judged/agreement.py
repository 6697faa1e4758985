"""How far raters agree, and how far a judge agrees with them, with intervals over new items and new raters.

Each measure is a function of sums over items. So leaving out an item, or a rater in a part of the items,
changes the sums by known vectors, and the variance is that of `nbyk.testing.shared_units`: over items, over
raters, and their overlap.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from nbyk.arrays import Floats, Integers
from nbyk.data.arrays import as_ratings, check_aligned
from nbyk.errors import NbykError, check_name
from nbyk.sums import solve
from nbyk.testing.intervals import check_confidence_level
from nbyk.testing.results import Claim, ShownAsLines, inconclusive
from nbyk.testing.shared_units import SharedUnitsTest, responses
from nbyk.testing.shared_units.collection import FEWEST_UNITS, too_few
from nbyk.testing.shared_units.components import item_component, unit_component
from nbyk.testing.shared_units.generalise import law_of
from nbyk.testing.shared_units.statistic import Changes, blocks_for, centred_changes

if TYPE_CHECKING:
    from nbyk.report.lines import Head

Measure = Literal[
    "alpha_nominal",
    "alpha_ordinal",
    "alpha_interval",
    "kappa",
    "kappa_linear",
    "kappa_quadratic",
    "icc",
    "icc_consistency",
    "sensitivity",
    "specificity",
]
MEASURES: tuple[Measure, ...] = get_args(Measure)
_SHARES = ("sensitivity", "specificity")
_ROUNDING = 1e-12
"""Agreement this near to 1 is perfect, and this small a change of it is none."""


@dataclass(frozen=True)
class _Sums:
    """A measure by sums: `of_rows` takes ratings (X, R) to (X, P), `score` sums (…, P) to values."""

    of_rows: Callable[[Floats], Floats]
    score: Callable[[Floats], Floats]


@dataclass(frozen=True, repr=False)
class Agreement(ShownAsLines):
    """A measure of agreement (`MEASURES`): 1 if it is perfect, 0 for that by chance.

    The claims have its intervals, at the confidence level, and no p: over new items and raters, and over new
    items with these raters, or the second alone.
    """

    measure: Measure
    value: float
    claims: tuple[Claim, ...]
    confidence_level: float = 0.95

    @property
    def head(self) -> Head:
        """The value with its intervals, as it prints."""
        from nbyk.report.comparison.judged import agreement_head

        return agreement_head(self)


def agreement(
    people: ArrayLike,
    judge: ArrayLike | None = None,
    *,
    measure: Measure = "alpha_interval",
    confidence_level: float = 0.95,
) -> Agreement:
    """Return how far people agree among themselves, or how far a judge agrees with them.

    Parameters
    ----------
    people : array_like, shape (N, R)
        The ratings of N items by R people, as numbers; NaN where there is none.
    judge : array_like, shape (N,), optional
        The judge's scores. Each rating then makes a pair with the judge's score of its item.
    measure
        Krippendorff's α ("alpha_nominal", "alpha_ordinal", "alpha_interval"); Cohen's κ, of more than two
        people Conger's ("kappa", or with weights "kappa_linear", "kappa_quadratic" by the places of the
        values in their order); or the intraclass correlation of single ratings, for absolute agreement
        ("icc", ICC(A,1) of McGraw and Wong) or for consistency ("icc_consistency", ICC(C,1)), by the analysis
        of variance, with Henderson's first method where ratings are missing. Of two classes, the judge's
        "sensitivity" and "specificity": how often it gives the higher (lower) one where a person does.
    confidence_level
        That of the intervals.

    Raises
    ------
    NbykError
        If shapes do not fit, the level is no share, a measure of two classes has no judge or other values,
        fewer than two items have two ratings, or the measure is undefined, as where all ratings are the same.

    Notes
    -----
    The interval is that of z = −log(1 − value), taken back.

    References
    ----------
    Krippendorff 2011, Computing Krippendorff's alpha-reliability; Conger 1980, Integration and generalization
    of kappas for multiple raters; McGraw and Wong 1996, Forming inferences about some intraclass correlation
    coefficients; Henderson 1953, Estimation of variance and covariance components.
    """
    check_name("measure", measure, MEASURES, argument="measure")
    check_confidence_level(confidence_level)
    check_aligned(people, judge)
    ratings = as_ratings(people, "people")
    if ratings.ndim != 2:
        raise NbykError(f"found the shape {ratings.shape}, expected items × raters", argument="people")
    if judge is None:
        ratings = ratings[(~np.isnan(ratings)).sum(axis=1) >= 2]
        table, item = ratings, np.arange(len(ratings))
    else:
        scores = as_ratings(judge, "judge")
        if scores.shape != ratings.shape[:1]:
            raise NbykError(f"found the shape {scores.shape}, expected {ratings.shape[:1]}", argument="judge")
        kept = ~np.isnan(scores) & ~np.isnan(ratings).all(axis=1)
        ratings, scores = ratings[kept], scores[kept]
        item, rater = np.nonzero(~np.isnan(ratings))
        table = np.stack([scores[item], ratings[item, rater]], axis=1)
    if len(ratings) < 2:
        raise NbykError(
            f"{len(ratings)} items have two ratings to compare; expected two or more: let several people "
            "rate the same items",
            argument="people",
        )
    if measure.startswith(("alpha_interval", "icc")):  # of distances alone: in numbers that squares can hold
        least, largest = np.nanmin(table), np.nanmax(table)
        unit = np.frexp(largest - least)[1]
        table, ratings = (np.ldexp(of - least, -unit) for of in (table, ratings))
    sums = _sums_of(measure, table, of_judge=judge is not None)
    row_sums = sums.of_rows(table)
    total = row_sums.sum(axis=0)
    with np.errstate(all="ignore"):
        value = float(sums.score(total))
    if not math.isfinite(value):
        raise NbykError(
            f"these ratings leave {measure} undefined, as where all are the same; collect more, or choose "
            "another measure",
            argument="people",
        )
    n_raters = int((~np.isnan(ratings)).any(axis=0).sum())
    new = ("items", "raters"), "new items and raters"
    these = ("items",), f"new items, with {'this rater' if n_raters == 1 else f'these {n_raters} raters'}"
    tests = _tests(ratings, item, row_sums, sums, of_judge=judge is not None)
    claims = []
    if n_raters > 1:
        if n_raters < FEWEST_UNITS:
            claims.append(inconclusive(*new, too_few(f"{n_raters} raters")))
        else:
            claims.append(_claim(*new, measure, value, tests[1], confidence_level))
    claims.append(_claim(*these, measure, value, tests[0], confidence_level))
    return Agreement(measure, value, tuple(claims), confidence_level)


def _claim(
    over: tuple[str, ...],
    population: str,
    measure: Measure,
    value: float,
    test: SharedUnitsTest | None,
    level: float,
) -> Claim:
    if test is None or not test.variance > _ROUNDING**2:
        reason = "agreement is perfect or varies with nothing, or is undefined without some items or raters"
        return inconclusive(over, population, reason)
    nan = math.nan
    low, high = test.interval(level)
    least = 0.0 if measure in _SHARES else -math.inf
    ends = (max(1.0 - math.exp(-low), least), 1.0 - math.exp(-high))
    return Claim(over, population, value, ends, nan, 0.0, "t", "undecided", df=test.df, parts=test.parts)


def _tests(
    ratings: Floats, item: Integers, row_sums: Floats, sums: _Sums, *, of_judge: bool
) -> tuple[SharedUnitsTest | None, SharedUnitsTest | None]:
    """Return the tests of z over items, and over items and raters; None where z is not defined."""
    n, width = len(ratings), row_sums.shape[1]
    total = row_sums.sum(axis=0)

    def z(of: Floats) -> Floats:
        with np.errstate(all="ignore"):
            apart = 1.0 - sums.score(of)
            return np.asarray(-np.log(np.where(np.abs(apart) > _ROUNDING, apart, 0.0)))

    item_sums = np.zeros((n, width))
    np.add.at(item_sums, item, row_sums)
    value = float(z(total))
    if not math.isfinite(value):
        return None, None
    groups = z(total - item_sums) - value
    if not np.isfinite(groups).all():
        return None, None
    at_work = float(np.sum(groups**2)) ** 2 / max(float(np.sum(groups**4)), 1e-300)
    changes = Changes(value, groups, np.ones(n, np.int64), np.empty(0), np.empty(0), at_work)
    data = responses(
        ratings, np.zeros((n, 1)), a_units=np.where(np.isnan(ratings), -1, np.arange(ratings.shape[1]))
    )
    items = item_component(data, changes)
    alone = SharedUnitsTest(value, law_of(items, (), 1.0), items, {}, 1.0, at_work, smoothness="smooth")
    if data.n_units < FEWEST_UNITS:
        return alone, None
    used = np.flatnonzero((~np.isnan(ratings)).any(axis=0))
    ratings = ratings[:, used]
    n_raters = len(used)
    blocks, n_blocks = blocks_for(np.arange(n), n_raters)
    by_block, shares = np.zeros((n_raters, n_blocks)), np.zeros((n_raters, n_blocks))
    totals = np.zeros(n_raters)
    row_of = np.full(ratings.shape, -1)
    row_of[~np.isnan(ratings)] = np.arange(int((~np.isnan(ratings)).sum()))
    for rater in range(n_raters):
        answered = np.flatnonzero(~np.isnan(ratings[:, rater]))
        if of_judge:
            change = -row_sums[row_of[answered, rater]]
        else:
            left = ratings[answered].copy()
            left[:, rater] = np.nan
            change = sums.of_rows(left) - row_sums[answered]
        block_sums = np.zeros((n_blocks, width))
        np.add.at(block_sums, blocks[answered], change)
        by_block[rater] = z(total + block_sums) - value
        totals[rater] = float(z(total + block_sums.sum(axis=0))) - value
        shares[rater] = np.bincount(blocks[answered], minlength=n_blocks) / n
    if not (np.isfinite(by_block).all() and np.isfinite(totals).all()):
        return alone, None
    units, within = centred_changes(by_block, totals, shares)
    (source,) = data.source_units
    part = unit_component(data, source, replace(changes, units=units, within=within))
    part = replace(part, responses=math.nan)  # a rating is none of a mean over its item's
    law = law_of(items, [part], 1.0)
    return alone, SharedUnitsTest(value, law, items, {"raters": part}, 1.0, at_work, smoothness="smooth")


def _hits(rows: Floats, value: float) -> Floats:
    """Return whether the judge, in the first column, gives the value where a person does; and the latter."""
    theirs = rows[:, 1] == value
    return np.stack([theirs & (rows[:, 0] == value), theirs], axis=1).astype(np.float64)


def _sums_of(measure: Measure, table: Floats, *, of_judge: bool) -> _Sums:
    values = np.unique(table[~np.isnan(table)])
    if measure in _SHARES:
        if len(values) != 2 or not of_judge:
            raise NbykError(
                f"found {measure} of {len(values)} values{'' if of_judge else ' without a judge'}; expected "
                "a judge's scores and two classes: choose another measure",
                argument="measure",
            )
        value = values[-1] if measure == "sensitivity" else values[0]
        return _Sums(lambda rows: _hits(rows, value), lambda sums: sums[..., 0] / sums[..., 1])
    n_raters = table.shape[1]
    if measure == "alpha_interval":
        return _Sums(_moments, _alpha_of_moments)
    if measure.startswith("icc"):
        return _Sums(_squares, lambda sums: _icc(sums, n_raters, absolute=measure == "icc"))
    if measure.startswith("alpha"):
        ordinal = measure == "alpha_ordinal"
        return _Sums(
            lambda rows: _coincidences(rows, values), lambda sums: _alpha(sums, len(values), ordinal=ordinal)
        )
    place = np.arange(len(values))
    distance = np.abs(place[:, None] - place) / max(len(values) - 1, 1)
    weights = {
        "kappa": 1.0 - (distance > 0),
        "kappa_linear": 1.0 - distance,
        "kappa_quadratic": 1.0 - distance**2,
    }[measure]
    return _Sums(lambda rows: _votes(rows, values, weights), lambda sums: _kappa(sums, n_raters, weights))


def _counts(rows: Floats, values: Floats) -> Floats:
    """Return how often each value occurs in each row, shape (X, C)."""
    return np.stack([(rows == value).sum(axis=1) for value in values], axis=1).astype(np.float64)


def _coincidences(rows: Floats, values: Floats) -> Floats:
    counts = _counts(rows, values)
    size = counts.sum(axis=1)
    pairs = counts[:, :, None] * counts[:, None, :]
    place = np.arange(len(values))
    pairs[:, place, place] -= counts
    pairs *= (np.where(size > 1, 1.0, 0.0) / np.maximum(size - 1.0, 1.0))[:, None, None]
    return pairs.reshape(len(rows), -1)


def _alpha(sums: Floats, n_values: int, *, ordinal: bool) -> Floats:
    pairs = sums.reshape(*sums.shape[:-1], n_values, n_values)
    counts = pairs.sum(axis=-1)
    if ordinal:
        middle = np.cumsum(counts, axis=-1) - 0.5 * counts
        distance = (middle[..., :, None] - middle[..., None, :]) ** 2
    else:
        distance = np.broadcast_to(1.0 - np.eye(n_values), pairs.shape)
    observed = np.sum(pairs * distance, axis=(-2, -1))
    expected = np.sum(counts[..., :, None] * counts[..., None, :] * distance, axis=(-2, -1))
    return np.asarray(1.0 - (counts.sum(axis=-1) - 1.0) * observed / expected)


def _moments(rows: Floats) -> Floats:
    there = ~np.isnan(rows)
    size = there.sum(axis=1).astype(np.float64)
    filled = np.where(there, rows, 0.0)
    first, second = filled.sum(axis=1), (filled**2).sum(axis=1)
    several = size > 1
    observed = 2.0 * (size * second - first**2) / np.maximum(size - 1.0, 1.0)
    return np.where(several[:, None], np.stack([size, first, second, observed], axis=1), 0.0)


def _alpha_of_moments(sums: Floats) -> Floats:
    size, first, second, observed = np.moveaxis(sums, -1, 0)
    return np.asarray(1.0 - (size - 1.0) * observed / (2.0 * (size * second - first**2)))


def _votes(rows: Floats, values: Floats, weights: Floats) -> Floats:
    """Return the agreement of pairs in a row, 1 for a row with a pair, and each rater's choices."""
    counts = _counts(rows, values)
    size = counts.sum(axis=1)
    agreed = np.einsum("xc,ck,xk->x", counts, weights, counts) - size
    several = size > 1
    agreed = np.where(several, agreed / np.maximum(size * (size - 1.0), 1.0), 0.0)
    chosen = ((rows[:, :, None] == values) & several[:, None, None]).reshape(len(rows), -1)
    return np.concatenate([agreed[:, None], several[:, None], chosen], axis=1).astype(np.float64)


def _kappa(sums: Floats, n_raters: int, weights: Floats) -> Floats:
    chosen = sums[..., 2:].reshape(*sums.shape[:-1], n_raters, len(weights))
    size = chosen.sum(axis=-1, keepdims=True)
    there = (size[..., 0] > 0).sum(axis=-1)
    shares = np.where(size > 0, chosen / np.maximum(size, 1.0), 0.0)
    together = shares.sum(axis=-2)
    by_all = np.einsum("...c,ck,...k->...", together, weights, together)
    by_one = np.einsum("...rc,ck,...rk->...", shares, weights, shares)
    chance = (by_all - by_one) / (there * (there - 1.0))
    return np.asarray((sums[..., 0] / sums[..., 1] - chance) / (1.0 - chance))


def _squares(rows: Floats) -> Floats:
    there = ~np.isnan(rows)
    size = there.sum(axis=1).astype(np.float64)
    filled = np.where(there, rows, 0.0)
    whole = filled.sum(axis=1)
    columns = [size, size**2, size > 0, whole**2 / np.maximum(size, 1.0), (filled**2).sum(axis=1)]
    return np.concatenate([np.stack(columns, axis=1), there, filled], axis=1)


def _icc(sums: Floats, n_raters: int, *, absolute: bool) -> Floats:
    size, squares, n_items, item_squares, all_squares = np.moveaxis(sums[..., :5], -1, 0)
    loads, totals = sums[..., 5 : 5 + n_raters], sums[..., 5 + n_raters :]
    of_raters = np.sum(totals**2 / np.maximum(loads, 1.0), axis=-1)
    there = (loads > 0).sum(axis=-1)
    mean_square = totals.sum(axis=-1) ** 2 / size
    items, raters = squares / size, np.sum(loads**2, axis=-1) / size
    # what the sums of squares less that of the mean expect, by the variances of items, raters and noise
    expected = np.stack(
        [
            np.stack([size - items, n_items - raters, n_items - 1.0], axis=-1),
            np.stack([there - items, size - raters, there - 1.0], axis=-1),
            np.stack([size - items, size - raters, size - 1.0], axis=-1),
        ],
        axis=-2,
    )
    squares = np.stack([item_squares, of_raters, all_squares], axis=-1) - mean_square[..., None]
    variances = solve(expected, squares)
    between, of_raters, noise = np.moveaxis(variances, -1, 0)
    return np.asarray(between / (between + (of_raters if absolute else 0.0) + noise))
