"""Verdicts on a paper's claims: whether our numbers support each of them.

A claim rests on cases: data sets, sizes, metrics. Each case has a margin, positive where it supports the
claim, and a standard error of that margin. A verdict follows from the cases; nobody types it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

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


class Verdict(NamedTuple):
    """The finding on a claim under a semantics.

    `place` is the claim's place in the paper, such as "section 7"; `criterion` the condition under which it
    holds; `here` our numbers in words.
    """

    place: str
    claim: str
    criterion: str
    semantics: str
    here: str
    outcome: str


class Case(NamedTuple):
    """How much a case supports a claim, negative where it contradicts it, and the margin's standard error."""

    margin: float
    error: float


@dataclass(frozen=True)
class PaperClaim(Generic[Numbers]):
    """A claim of a paper, as in `Verdict`, whose words are quoted unless they are ours, and its cases.

    `cases` takes the numbers of a semantics to a table with a margin and its error in each row, or to cases
    one by one. `noun` names the cases, and `describe` puts one in words. A margin is NaN where there is none.
    """

    place: str
    words: str
    criterion: str
    noun: str
    cases: Callable[[Numbers], pd.DataFrame | Iterable[Case]]
    describe: Callable[[pd.Series], str] | None = None
    is_quoted: bool = True

    def verdict(self, numbers: Numbers, semantics: str) -> Verdict | None:
        """Return the verdict of the numbers of a semantics; None if they have no case.

        It counts the cases by ε too, if they have one, and describes the case that supports the claim least.
        """
        import pandas as pd

        table = pd.DataFrame(self.cases(numbers))
        if table.empty or not np.isfinite(table["margin"]).any():
            return None
        cases = judge(table["margin"], table["error"])
        here = cases.sentence(self.noun)
        if "epsilon_b" in table:
            by_epsilon = (
                f"{judge(rows['margin'], rows['error'])} at ε = {epsilon:g}"
                for epsilon, rows in table.groupby("epsilon_b")
            )
            here += f" ({', '.join(by_epsilon)})"
        if self.describe is not None:
            least = table.iloc[int(np.nanargmin(table["margin"]))]
            here += f". The case that supports it least: {self.describe(least)}"
        words = f"“{self.words}”" if self.is_quoted else self.words
        return Verdict(self.place, words, self.criterion, semantics, here, cases.outcome)


def verdicts_on(claims: Iterable[PaperClaim[Numbers]], numbers: Mapping[str, Numbers]) -> list[Verdict]:
    """Return a verdict on each claim under each semantics whose numbers have a case of it."""
    verdicts = (claim.verdict(own, semantics) for claim in claims for semantics, own in numbers.items())
    return [verdict for verdict in verdicts if verdict is not None]


def verdict_table(verdicts: Sequence[Verdict]) -> pd.DataFrame:
    """Return verdicts as the summary and the page have them, a row each."""
    import pandas as pd

    titles = ["of the paper", "it says", "it holds if", "semantics", "here", "verdict"]
    return pd.DataFrame(verdicts, columns=titles)


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


def error_of_rate(found: Any, n: Any) -> Any:
    """Return the standard error of a rate, found of n; one more case on either side keeps it above 0."""
    share = (found + 1.0) / (n + 2.0)
    return (share * (1.0 - share) / n) ** 0.5


_LEAST = 1e-4
