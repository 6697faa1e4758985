"""A comparison of two systems in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nbyk.testing.systems.claims import Claim
from nbyk.testing.systems.margins import MarginClaim
from nbyk.words import in_full, with_names

MORE_DRAWS = "more draws could change it"
"""The reason why a decision is inconclusive where its p-value is drawn and too near α."""

if TYPE_CHECKING:
    from nbyk.testing.systems.result import ComparisonResult, ConfidenceInterval


@dataclass(frozen=True)
class Told:
    """A result in words: `a` and `b` are the systems' names, with the interval to quote over items."""

    result: ComparisonResult
    a: str
    b: str
    interval: ConfidenceInterval

    def of_items(self) -> str:
        """Return the sentence of the claim over new items alone."""
        result, claim = self.result, self.result.claims[-1]
        population = self._of(claim.population)
        kept = population.partition(", with ")[2] if len(result.claims) == 1 else ""
        if result.n_clusters and len(result.claims) == 1:
            kept = population
        first, second, sign = self._in_order(claim)
        hypothesis = self._of(result.hypothesis)
        return (
            f"{self._shown(claim)} on {result.metric}{f', for {kept}' if kept else ''}: the effect of "
            f"{first} over {second} on {result.size} is {number(sign * result.effect)} "
            f"({self._ends(self.interval.low, self.interval.high, sign)}), and "
            f"{result.p_in_words(claim)} ({result.alternative}, {self._null}, {self._how}) under the null "
            f"that {hypothesis}, at α = {result.alpha:g}.{self._more_draws(claim)}"
        )

    def of_both(self) -> str:
        """Return the sentences of the broadest claim and of that over new items alone."""
        result, broad, items = self.result, self.result.claims[0], self.result.claims[-1]
        first, second, sign = self._in_order(broad)
        one_sided = "" if result.alternative == "two-sided" else f"{result.alternative}, "
        _, _, narrow = self._in_order(items) if result.verdict == "undecided" else (first, second, sign)
        return (
            f"{self._shown(broad)} on {result.metric}, for {self._of(broad.population)}: the effect "
            f"of {first} over {second} on {result.size} is {number(sign * result.effect)} "
            f"({self._ends(broad.low, broad.high, sign)}), and {result.p_in_words(broad)} "
            f"({result.alternative}, {self._test(broad)}) under the null that "
            f"{self.a} and {self.b} are equally good there, at α = {result.alpha:g}. "
            f"For {self._of(items.population)}, {self._shown(items)}: "
            f"{self._ends(self.interval.low, self.interval.high, narrow)}, {result.p_in_words(items)} "
            f"({one_sided}{self._null}, {self._how}).{self._more_draws(items)}"
        )

    def inconclusive(self) -> str:
        """Return the sentences where the broadest claim is inconclusive."""
        broad, items = self.result.claims[0], self.result.claims[-1]
        return (
            f"Inconclusive on {self.result.metric} for {self._of(broad.population)}: "
            f"{self._of(broad.reason)}. For {self._of(items.population)}: {self.of_items()}"
        )

    def _of(self, text: str) -> str:
        return with_names(text, self.a, self.b)

    def _test(self, claim: Claim) -> str:
        """Return the test that made a claim's p: t or, if nothing varies, the one over items."""
        by_t = claim.method == "t"
        return f"t with {number(claim.df)} degrees of freedom" if by_t else f"{self._null}, {self._how}"

    def _in_order(self, claim: Claim) -> tuple[str, str, float]:
        return self.result.in_order(claim, self.a, self.b)

    def _ends(self, low: float, high: float, sign: float) -> str:
        low, high = sorted((sign * low, sign * high))
        two_sided = "" if self.result.alternative == "two-sided" else "two-sided "
        return f"{two_sided}{100 * self.interval.level:g} % interval {number(low)} to {number(high)}"

    def _more_draws(self, claim: Claim) -> str:
        return "" if claim.decided else f" This is inconclusive: {MORE_DRAWS}."

    @property
    def _null(self) -> str:
        return f"{self.result.null} of whole clusters" if self.result.n_clusters else self.result.null

    @property
    def _how(self) -> str:
        result = self.result
        return "exact" if result.exact else f"Monte-Carlo error {number(result.p_value.standard_error)}"

    def _shown(self, claim: Claim) -> str:
        a, b = self.a, self.b
        return {
            "A": f"{a} is better than {b}",
            "B": f"{b} is better than {a}",
            "different": f"{a} and {b} do not answer every item alike",
            "undecided": {
                "two-sided": f"{a} and {b} cannot be told apart",
                "greater": f"{a} is not shown to be better than {b}",
                "less": f"{b} is not shown to be better than {a}",
            }[self.result.alternative],
        }[self.result.verdict_of(claim)]


def margin_sentence(found: MarginClaim, metric: str, a: str, b: str, unit: float) -> str:
    """Return the result about a margin in a sentence."""
    margin = in_full(unit * found.margin)
    where = f"on {metric}{unit_note(unit)}, for {with_names(found.population, a, b)}"
    if found.reason:
        why = with_names(found.reason, a, b)
        return f"These data are inconclusive about a margin of {margin} {where}: {why}."
    ends = f"{number(unit * found.low)} to {number(unit * found.high)}"
    interval = f"{100 * (1.0 - 2.0 * found.alpha):g} % interval {ends}"
    test = "all items have the same effect, tested" if found.constant else "one-sided t-tests"
    test = f"{test} at α = {found.alpha:g}"
    says, p = {
        "equivalent": (f"{a} and {b} are equivalent within ±{margin}", found.p_equivalent),
        "not worse": (f"{a} is not worse than {b} by {margin} or more", found.p_not_worse),
        "worse": (f"{a} is worse than {b} by more than {margin}", found.p_worse),
        "inconclusive": (
            f"These data do not show whether {a} is worse than {b} by {margin} or more",
            found.p_not_worse,
        ),
    }[found.verdict]
    return f"{says} {where}: p = {number(p)} ({interval}; {test})."


def unit_note(unit: float) -> str:
    """Return, to follow a metric, that its numbers are in the unit of the ratings; "" if that is 1."""
    return "" if unit == 1.0 else " in the ratings' own unit"


def items_in_words(n_items: int, n_clusters: int) -> str:
    """Return the number of items, and of clusters if there are any, in words."""
    return f"{n_items} items in {n_clusters} clusters" if n_clusters else f"{n_items} items"


def number(value: float) -> str:
    """Return a number in three digits; 0 has no sign."""
    return f"{value + 0.0:.3g}"
