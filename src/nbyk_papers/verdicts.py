"""Verdicts on a paper's claims: whether our numbers support each of them.

A claim rests on cases: data sets, sizes, metrics. Each case has a margin, positive where it supports the
claim, and a standard error of that margin. A verdict follows from the cases; nobody types it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    import pandas as pd

Numbers = TypeVar("Numbers")

CLOSE = 3.0
"""A case is too close to call if its margin is within this many standard errors of 0."""

HOLDS, IN_PART, FAILS, OPEN = "holds", "holds in part", "does not hold", "inconclusive"


@dataclass(frozen=True)
class Cases:
    """The numbers of cases that support a claim, contradict it, or are too close to call."""

    supporting: int
    against: int
    close: int = 0

    @property
    def outcome(self) -> str:
        """Return whether the claim holds: in every case that is decided, in some, or in none."""
        if self.supporting + self.against == 0:
            return OPEN
        if self.against == 0:
            return HOLDS
        return FAILS if self.supporting == 0 else IN_PART

    def __str__(self) -> str:
        """Return how many support the claim, as "5 of 7 (1 too close to call)"."""
        n = self.supporting + self.against + self.close
        close = f" ({self.close} too close to call)" if self.close else ""
        return f"{self.supporting} of {n}{close}"

    def sentence(self, cases: str) -> str:
        """Return the numbers of cases for and against the claim in words, with a name for the cases."""
        n = self.supporting + self.against + self.close
        parts = [
            f"{self.supporting} {'supports' if self.supporting == 1 else 'support'} the claim",
            f"{self.against} {'contradicts' if self.against == 1 else 'contradict'} it",
        ]
        if self.close:
            parts.append(f"{self.close} {'is' if self.close == 1 else 'are'} too close to call")
        return f"Of {n} {cases}, {', '.join(parts[:-1])} and {parts[-1]}"


def judge(margins: ArrayLike, errors: ArrayLike) -> Cases:
    """Count cases by their margins, the amount by which each supports the claim, and their errors.

    A margin is negative where the case contradicts the claim, and NaN where there is no case.
    """
    margin = np.asarray(margins, dtype=np.float64)
    reach = CLOSE * np.broadcast_to(np.asarray(errors, dtype=np.float64), margin.shape)
    supporting, against = int((margin > reach).sum()), int((margin < -reach).sum())
    return Cases(supporting, against, int(np.isfinite(margin).sum()) - supporting - against)


@dataclass(frozen=True)
class Outcome:
    """The finding on a claim under a semantics ("": under both): our numbers in words, and the outcome."""

    semantics: str
    here: str
    outcome: str


@dataclass(frozen=True)
class Verdict:
    """A claim of a paper, its place, such as "section 7", and the condition under which it holds.

    It has the finding under each semantics; none if the run lacks the numbers.
    """

    place: str
    claim: str
    criterion: str
    findings: tuple[Outcome, ...]

    def rows(self) -> list[dict[str, str]]:
        """Return a row of text per finding."""
        return [
            {
                "of the paper": self.place,
                "it says": self.claim,
                "it holds if": self.criterion,
                "semantics": finding.semantics or "both",
                "here": finding.here,
                "verdict": finding.outcome,
            }
            for finding in self.findings
        ]


@dataclass(frozen=True)
class PaperClaim(Generic[Numbers]):
    """A claim of a paper, as in `Verdict`, whose words are quoted unless they are ours, and how it is judged.

    `found` returns the finding that the numbers of a semantics give; None if they have no case.
    """

    place: str
    words: str
    criterion: str
    found: Callable[[Numbers, str], Outcome | None]
    is_quoted: bool = True


def verdicts_on(claims: Iterable[PaperClaim[Numbers]], numbers: Mapping[str, Numbers]) -> list[Verdict]:
    """Return a verdict on each claim that the numbers, by semantics, have a case of."""
    verdicts = []
    for claim in claims:
        findings = (claim.found(own, semantics) for semantics, own in numbers.items())
        known = tuple(finding for finding in findings if finding is not None)
        words = f"“{claim.words}”" if claim.is_quoted else claim.words
        verdicts += [Verdict(claim.place, words, claim.criterion, known)] if known else []
    return verdicts


def finding(
    semantics: str, margins: ArrayLike, errors: ArrayLike, noun: str, more: str = ""
) -> Outcome | None:
    """Return the finding of cases (`judge`) with a name for them, and more words; None without a case."""
    if not np.isfinite(np.asarray(margins, dtype=np.float64)).any():
        return None
    cases = judge(margins, errors)
    return Outcome(semantics, f"{cases.sentence(noun)}{more}", cases.outcome)


def verdict_rows(verdicts: Iterable[Verdict]) -> list[dict[str, str]]:
    """Return the rows of several verdicts, as the summary and the page have them."""
    return [row for verdict in verdicts for row in verdict.rows()]


def verdict_table(rows: Sequence[dict[str, str]]) -> pd.DataFrame:
    """Return the rows of verdicts as a table."""
    import pandas as pd

    columns = ["of the paper", "it says", "it holds if", "semantics", "here", "verdict"]
    return pd.DataFrame(rows, columns=columns)


def with_error(value: float, error: float) -> str:
    """Return a p-value or a rate with its standard error as text, rounded to the error's second digit."""
    if math.isinf(error):
        return f"{value:.3g} (error unknown)"
    if value + CLOSE * error < _LEAST:
        return f"<{_LEAST:g}"
    if not error > 0.0:
        return f"{value:.3g}"
    digits = max(0, 1 - math.floor(math.log10(error)))
    return f"{value:.{digits}f} ± {error:.{digits}f}"


def error_of_rate(found: float, n: float) -> float:
    """Return the standard error of a rate, found of n; one more case on either side keeps it above 0."""
    share = (found + 1.0) / (n + 2.0)
    return float((share * (1.0 - share) / n) ** 0.5)


_LEAST = 1e-4
