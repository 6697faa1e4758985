"""Classical tests of accuracy from right and wrong items: McNemar's, Cochran–Mantel–Haenszel's.

Both use only items on which one system is right and the other wrong. They account for chance over items, draw
nothing, and apply only to accuracy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from nbyk.arrays import Integers
from nbyk.data.responses import as_systems
from nbyk.data.units import is_no_name
from nbyk.errors import NbykError, check_name
from nbyk.testing.pvalues import Alternative, check_alternative, p_of_sides, p_of_signs

McNemarMethod: TypeAlias = Literal["exact", "mid_p"]

_LEAST_VARIANCE = 5.0
"""If the variance of the counted difference is below this, its normal approximation comes with a warning."""


@dataclass(frozen=True)
class RightOrWrong:
    """The result of a test of the items that two systems have right.

    Attributes
    ----------
    test
        "mcnemar", "mcnemar_mid_p" or "cochran_mantel_haenszel".
    effect
        A's accuracy minus B's, of means over runs.
    won_a, won_b
        Number of strata in which A (or B) is right more often: of items, if each system has one run, those
        that only A (or only B) has right.
    n_strata
        Number of strata: of items N, unless others were given.
    p_greater, p_less, alternative
        p-values of "A is better" and "B is better", and the alternative of `p`.
    warnings
        Cautions about them, one sentence each.
    """

    test: str
    effect: float
    won_a: int
    won_b: int
    n_strata: int
    p_greater: float
    p_less: float
    alternative: Alternative
    warnings: tuple[str, ...] = ()

    @property
    def standard_error(self) -> float:
        """Monte-Carlo standard error of the p-values: 0, because nothing is drawn."""
        return 0.0

    @property
    def p(self) -> float:
        """The p-value of the alternative."""
        return p_of_sides(self.p_greater, self.p_less)[self.alternative]


def mcnemar(
    target: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    *,
    method: McNemarMethod = "mid_p",
    alternative: Alternative = "two-sided",
    classes: Sequence[Any] | None = None,
) -> RightOrWrong:
    """Test whether two systems are equally accurate, by the items that exactly one of them has right.

    Parameters
    ----------
    target, a, b : array_like, shape (N,)
        Hard labels: the targets, and one run of each system.
    method
        "exact": the binomial test. Its level never exceeds α, and on few items it is much lower. "mid_p":
        counts half of the chance of the observed result, and its level is nearer to α.
    alternative
        "two-sided", "greater" (A is better) or "less".
    classes
        The classes, if the data do not have all of them.

    Raises
    ------
    NbykError
        If a class is missing, items differ in number, a system has several runs, or a name is unknown.

    Notes
    -----
    McNemar 1947; the mid-p version after Fagerland, Lydersen and Laake 2013.
    """
    from scipy.stats import binom

    check_name("method", method, ("exact", "mid_p"))
    check_alternative(alternative)
    a_right, b_right, runs, _ = _right(target, a, b, classes)
    if runs != (1, 1):
        raise NbykError(
            f"a has {runs[0]} runs, b has {runs[1]}; McNemar's test takes one of each: give one, or use "
            "cochran_mantel_haenszel"
        )
    only_a, only_b = int((a_right > b_right).sum()), int((b_right > a_right).sum())
    n = only_a + only_b
    half = 0.5 * float(binom.pmf(only_a, n, 0.5)) if method == "mid_p" else 0.0
    sides = p_of_signs(only_a, only_b)
    greater, less = sides["greater"] - half, sides["less"] - half
    name, effect = "mcnemar_mid_p" if method == "mid_p" else "mcnemar", float(a_right.mean() - b_right.mean())
    return RightOrWrong(name, effect, only_a, only_b, len(a_right), greater, less, alternative)


def cochran_mantel_haenszel(
    target: ArrayLike,
    a: Any,
    b: Any,
    *,
    strata: ArrayLike | None = None,
    alternative: Alternative = "two-sided",
    classes: Sequence[Any] | None = None,
) -> RightOrWrong:
    """Test whether two systems are equally accurate, by right and wrong answers within strata.

    Parameters
    ----------
    target : array_like, shape (N,)
        Hard labels.
    a, b : array_like, shape (N,) or (N, R)
        Predictions of each system, a column per run.
    strata : array_like, shape (N,), optional
        The group of each item, such as a text or a domain. By default every item is a stratum of its own, in
        which all runs are compared. With one run each, this is McNemar's χ² without a correction.
    alternative
        "two-sided", "greater" (A is better) or "less".
    classes
        The classes, if the data do not have all of them.

    Raises
    ------
    NbykError
        If a class is missing, items differ in number, `strata` does not have one entry per item, or a name is
        unknown.

    Notes
    -----
    Mantel and Haenszel 1959, without a continuity correction, as
    ``statsmodels.stats.contingency_tables.StratifiedTable.test_null_odds``.
    """
    from scipy.stats import norm

    check_alternative(alternative)
    if strata is not None and np.shape(strata) != np.shape(target)[:1]:
        raise NbykError(
            f"found shape {np.shape(strata)}, expected one stratum for each of the {np.size(target)} items",
            argument="strata",
        )
    a_right, b_right, runs, names = _right(target, a, b, classes, strata)
    if any(map(is_no_name, names)):
        raise NbykError("an item has none; give every item one", argument="strata")
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    stratum = np.array([numbers[name] for name in names])
    x, y = (np.bincount(stratum, weights=right) for right in (a_right, b_right))
    n_a, n_b = (np.bincount(stratum).astype(np.float64) * n_runs for n_runs in runs)
    total, right = n_a + n_b, x + y
    lead = x - n_a * right / total
    variance = n_a * n_b * right * (total - right) / (total**2 * (total - 1.0))
    spread = float(np.sqrt(variance.sum()))
    z = float(lead.sum()) / spread if spread > 0.0 else 0.0
    greater, less = (float(norm.sf(z)), float(norm.cdf(z))) if spread > 0.0 else (1.0, 1.0)
    effect = float(a_right.mean() / runs[0] - b_right.mean() / runs[1])
    won = int((x * n_b > y * n_a).sum()), int((y * n_a > x * n_b).sum())
    name, warnings = (
        "cochran_mantel_haenszel",
        tuple(_warnings(float(variance.sum()), runs, strata is not None)),
    )
    return RightOrWrong(name, effect, *won, len(total), greater, less, alternative, warnings)


def _right(
    target: Any, a: Any, b: Any, classes: Sequence[Any] | None, strata: Any = None
) -> tuple[Integers, Integers, tuple[int, int], Sequence[Any]]:
    """Return the numbers of runs of A and of B that have each item right, shape (N,), and of all runs.

    The last are the items' strata, matched as all data are; by default each item is one.
    """
    systems = as_systems(target, {"a": a, "b": b}, kind="classes", classes=classes, cluster=strata)
    gold, *runs = (systems.gold, *systems.responses.values())
    assert gold is not None
    if gold.shape[1] != 1 or any(np.isnan(labels).any() for labels in runs):
        raise NbykError(
            f"found targets of shape {gold.shape}, or a missing class; expected one class for each item, and "
            "one from each run"
        )
    right_a, right_b = ((labels == gold).sum(axis=1) for labels in runs)
    return right_a, right_b, (runs[0].shape[1], runs[1].shape[1]), systems.clusters or range(len(right_a))


def _warnings(variance: float, runs: tuple[int, ...], grouped: bool) -> Iterator[str]:
    if variance < _LEAST_VARIANCE:
        yield (
            "the systems differ on few items, and this p-value is accurate only for many: use mcnemar, which "
            "is exact"
        )
    if max(runs) > 1:
        yield (
            "the test counts runs as independent answers: if runs differ as wholes, p is too small for a "
            "claim about new ones"
        )
    if grouped:
        yield (
            "the test does not pair the items of a stratum: if systems err on the same items, p is too "
            "large; without strata it pairs each item"
        )
