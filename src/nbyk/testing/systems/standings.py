"""The result of a comparison of many systems: a leaderboard with intervals, pairs and groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nbyk.errors import unknown_name
from nbyk.testing.corrections import Correction
from nbyk.testing.pvalues import Alternative
from nbyk.testing.results import Several, plain
from nbyk.testing.systems.asked import WITH_RESERVE
from nbyk.testing.systems.claims import reserve_sentence
from nbyk.testing.systems.margins import MarginClaim
from nbyk.testing.systems.result import ComparisonResult
from nbyk.words import listed, with_names


@dataclass(frozen=True)
class Standing:
    """One system's place on the leaderboard.

    Attributes
    ----------
    name
        The system's name.
    score, interval
        Its score on the data, and the low and high end of the score's interval, for the population of the
        ranks; NaN if too few units speak for others.
    rank
        1 + the number of systems with a better score; equal scores share the better rank.
    rank_low, rank_high
        The rank's confidence set: 1 + the number of systems shown to be better, and S − the number shown to
        be worse.
    letters
        Its groups, a letter each. Two systems without a common letter were told apart; two with one were not.
        Empty if the systems were only compared with a baseline.
    """

    name: str
    score: float
    interval: tuple[float, float]
    rank: int
    rank_low: int
    rank_high: int
    letters: str


@dataclass(frozen=True, eq=False)
class Pair:
    """The comparison of two systems, before and after the correction.

    Attributes
    ----------
    a, b
        The systems' names; the effect is positive where `a` is better.
    result
        The result of `nbyk.compare`: its `p`, `verdict` and `decided` are those of this pair alone.
    p_adjusted
        The p-value corrected for the number of pairs; compare it with α directly.
    decided
        Whether the decision `p_adjusted` ≤ α is certain. It may be wrong with a chance of at most
        `Leaderboard.decision_error`, which all pairs share.
    margin
        The tests of the effect against your margin, over the broadest population. Each kind of p-value is
        corrected for the number of pairs. None without a margin.
    """

    a: str
    b: str
    result: ComparisonResult
    p_adjusted: float
    decided: bool
    margin: MarginClaim | None = None

    @property
    def p(self) -> float:
        """The p-value corrected for the number of pairs."""
        return self.p_adjusted

    @property
    def standard_error(self) -> float:
        """Monte-Carlo standard error of the p-value as it was drawn."""
        return self.result.standard_error

    @property
    def interval(self) -> tuple[float, float]:
        """Interval of the effect, which is not corrected."""
        return self.result.interval

    @property
    def effect(self) -> float:
        """How much better `a` is."""
        return self.result.effect

    @property
    def significant(self) -> bool:
        """Whether the null is rejected after the correction."""
        return self.p_adjusted <= self.result.alpha

    @property
    def population(self) -> str:
        """The population of the broadest claim, in words."""
        return with_names(self.result.claims[0].population, self.a, self.b)

    @property
    def better(self) -> str | None:
        """The system that is shown to be better; None if neither is, or if the null does not tell which."""
        side = self.result.verdict_of(self.result.claims[0]) if self.significant else "undecided"
        return {"A": self.a, "B": self.b}.get(side)

    @property
    def is_reserved(self) -> bool:
        """Whether the two are told apart, and only with reserve."""
        return self.significant and self.result.is_reserved(self.result.claims[0])

    @property
    def reserve(self) -> str:
        """The reason why the pair is told apart only with reserve; "" if it holds without, or is not."""
        return with_names(self.result.claims[0].reserve, self.a, self.b) if self.is_reserved else ""

    @property
    def verdict(self) -> str:
        """The better system, or "different", "undecided" or "inconclusive"; ", with reserve" may follow."""
        if not self.decided:
            return "inconclusive"
        shown = self.better or ("different" if self.significant else "undecided")
        return shown + (WITH_RESERVE if self.is_reserved else "")


@dataclass(frozen=True, eq=False)
class Leaderboard(Several):
    """Systems from the best to the worst score, their pairs, and the systems that can be told apart.

    With two systems, it has the numbers of their pair.

    Attributes
    ----------
    metric
        Canonical name of the metric.
    standings
        The systems, best first.
    pairs
        The comparisons: of each system with each later one in the order given, or with the baseline.
    against
        The baseline; None if all pairs were compared.
    correction
        One of `nbyk.testing.corrections.CORRECTIONS`.
    null, hypothesis, alternative, alpha, confidence_level
        As for a `ComparisonResult`.
    groups
        Names of the systems that share a letter, best first, a group for each letter in their order; empty
        with a baseline.
    n_items, n_clusters
        Number of items N, and of the clusters that were drawn and swapped whole; 0 without clusters.
    pairing
        Which runs or raters of the systems count as the same, in a sentence; "" if none has several.
    n_resamples
        The smallest number of draws of the null for any pair.
    decision_error
        Largest chance, over the random draws, that infinitely many draws would reverse any decided pair.
    warnings
        Cautions about the numbers, one sentence each.
    seed
        Seed of all draws.
    """

    metric: str
    standings: tuple[Standing, ...]
    pairs: tuple[Pair, ...]
    against: str | None
    correction: Correction
    null: str
    hypothesis: str
    alternative: Alternative
    alpha: float
    confidence_level: float
    groups: tuple[tuple[str, ...], ...]
    n_items: int
    n_clusters: int
    pairing: str
    n_resamples: int
    decision_error: float
    warnings: tuple[str, ...]
    seed: int

    @property
    def parts(self) -> tuple[Pair, ...]:
        """The pairs."""
        return self.pairs

    @property
    def names(self) -> tuple[str, ...]:
        """The systems' names, best first."""
        return tuple(standing.name for standing in self.standings)

    @property
    def notebook_rows(self) -> Sequence[tuple[str, ...]]:
        """A row for each system, best first: score, interval, possible ranks, groups."""
        from nbyk.report.comparison.sentences import board_rows

        return board_rows(self)

    def __repr__(self) -> str:
        from nbyk.report.comparison.sentences import board_text

        return board_text(self)

    def standing(self, name: str) -> Standing:
        """Return the standing of a system; an unknown name raises `NbykError`, which lists the names."""
        for standing in self.standings:
            if standing.name == name:
                return standing
        raise unknown_name("system", name, self.names)

    @property
    def reserves(self) -> tuple[str, ...]:
        """A caution for each reason why some pairs hold only with reserve; ranks and groups count these."""
        pairs: dict[tuple[str, str], list[str]] = {}
        for pair in self.pairs:
            broad, margin = pair.result.claims[0], pair.margin
            for reserve in dict.fromkeys((broad.reserve, "" if margin is None else margin.reserve)):
                if reserve:
                    key = pair.population, with_names(reserve, pair.a, pair.b)
                    pairs.setdefault(key, []).append(f"{pair.a} and {pair.b}")
        return tuple(
            reserve_sentence(*key) + ("" if len(names) == len(self.pairs) else f" ({listed(names)})")
            for key, names in pairs.items()
        )

    @property
    def population(self) -> str:
        """The population that p, ranks and groups speak of: that of each pair's broadest claim."""
        found = list(dict.fromkeys(pair.population for pair in self.pairs))
        if len(found) == 1:
            return found[0]
        broadest = max(self.pairs, key=lambda pair: (len(pair.result.claims[0].over), -len(pair.population)))
        return f"{broadest.population}, or for less where the data of a pair allow no more"

    @property
    def sentence(self) -> str:
        """The result in a sentence that you can quote, and in another one what is inconclusive and why."""
        from nbyk.report.comparison.sentences import board_sentence

        return board_sentence(self)

    def margin_sentence(self, *, unit: float = 1.0) -> str:
        """Return what the pairs' tests against your margin show, in a sentence; "" without a margin.

        `unit` times an effect is in the unit of the ratings.
        """
        from nbyk.report.comparison.sentences import board_margin_sentence

        return board_margin_sentence(self, unit)

    def to_dict(self, *, distributions: bool = False) -> dict[str, Any]:
        """Return everything as plain values for JSON, with the drawn effects only if `distributions`."""
        kept = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "pairs"}
        return {
            **{name: plain(value) for name, value in kept.items()},
            "pairs": [
                {
                    "a": pair.a,
                    "b": pair.b,
                    "p": pair.p,
                    "significant": pair.significant,
                    "better": pair.better,
                    "verdict": pair.verdict,
                    "reserve": pair.reserve,
                    "decided": pair.decided,
                    "margin": pair.margin and {**plain(pair.margin), "verdict": pair.margin.verdict},
                    "result": pair.result.to_dict(distributions=distributions),
                }
                for pair in self.pairs
            ],
            "sentence": self.sentence,
        }
