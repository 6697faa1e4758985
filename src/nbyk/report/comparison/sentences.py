"""Every sentence about the result of a comparison: of a pair, of a margin, of a leaderboard."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import get_args

from nbyk.testing.corrections import WHOSE
from nbyk.testing.intervals import IntervalMethod
from nbyk.testing.pvalues import p_relation
from nbyk.testing.shared_units import VariancePart
from nbyk.testing.systems.asked import WITH_RESERVE
from nbyk.testing.systems.claims import Claim
from nbyk.testing.systems.margins import MarginClaim
from nbyk.testing.systems.result import ComparisonResult
from nbyk.testing.systems.standings import Leaderboard
from nbyk.words import ends_in_words, in_full, listed, number, with_names

MORE_DRAWS = "more draws could change it"
"""The reason why a decision is inconclusive where its p-value is drawn and too near α."""

ITEMS_ALONE = "items alone"
"""A number for these raters and runs, beside a claim about new ones: only items count as chance."""

CORRECTION_IN_WORDS = {method: f"{whose} correction" for method, whose in WHOSE.items()} | {
    "none": "not corrected for the number of pairs"
}


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
    }[found.shown]
    says += f"{WITH_RESERVE}," if found.is_reserved else ""
    return f"{says} {where}: p = {number(p)} ({interval}; {test})."


def unit_note(unit: float) -> str:
    """Return, to follow a metric, that its numbers are in the unit of the ratings; "" if that is 1."""
    return "" if unit == 1.0 else " in the ratings' own unit"


def items_in_words(result: ComparisonResult | Leaderboard) -> str:
    """Return the number of items, and of clusters if there are any, in words."""
    clusters = f" in {result.n_clusters} clusters" if result.n_clusters else ""
    return f"{result.n_items} items{clusters}"


def variance_sentence(metric: str, parts: Sequence[VariancePart], population: str) -> str:
    """Return one sentence about the sources of the variance of the effect over a population."""
    shown = [part for part in parts if not math.isnan(part.share)]
    unknown = [part.source for part in parts if math.isnan(part.variance)]
    if not shown:
        return f"The effect on {metric} does not vary over {population}."
    largest = sorted(shown, key=lambda part: -part.share)
    shares = [f"{100 * part.share:.0f} % from {part.source}" for part in largest if part.share >= 0.005]
    last = f" and {shares.pop()}" if len(shares) > 1 else ""
    small = [part.source for part in largest if part.share < 0.005]
    rest = f"; less than 1 % from {' and from '.join(small)}" if small else ""
    if unknown:
        rest += f"; these data cannot separate the part of {listed(unknown)} from that of the items"
    if ", with " in population:
        population += ","
    return (
        f"The variance of the effect on {metric} over {population} comes to {', '.join(shares)}{last}{rest}."
    )


def pair_sentence(result: ComparisonResult, a: str, b: str, method: str) -> str:
    """Return a result in sentences to quote, with an interval over items by `method`."""
    broad, items = result.claims[0], result.claims[-1]
    told = _Told(result, a, b, items.ends(method))
    if broad is items:
        return told.of_items()
    return told.of_both() if broad.is_conclusive else told.inconclusive()


def pair_text(result: ComparisonResult) -> str:
    """Return a result as text: a line a number."""
    items = result.claims[-1]
    error = "exact" if result.exact else f"± {number(items.standard_error)}"
    n = result.n_resamples
    draws = f"{f'all {n + 1} arrangements' if result.exact else f'{n} draws'} of {result.null}"
    test = f"{error}; {result.alternative}; {draws}"
    if items.method != result.null:
        test = f"{result.alternative}; {items.method}"
    broad = []
    for claim in result.claims[:-1]:
        broad.append((f"p, {claim.population}", number(claim.p) if claim.is_conclusive else claim.reason))
        broad.append((f"{_percent(result)}, {claim.population}", ends_in_words(claim.ends())))
    alone = f" ({ITEMS_ALONE})" if broad else ""
    lines = [
        ("metric", result.metric),
        ("effect", f"{number(result.effect)} (positive: A is better)"),
        *broad,
        ("verdict", f"{result.verdict if result.decided else 'inconclusive'} at α = {result.alpha:g}"),
        *(
            (f"{_percent(result)} {method}{alone}", ends_in_words(items.ends(method)))
            for method in get_args(IntervalMethod)
        ),
        (f"p-value{alone}", f"{number(items.p)} ({test})"),
        ("expected p", f"{number(result.expected_p.p)} (one-sided; {result.expected_p_sampler})"),
        ("null", result.hypothesis),
        ("items", f"{result.n_items}"),
        *([("clusters", f"{result.n_clusters}")] if result.n_clusters else []),
        *([("pairing", result.pairing)] if result.pairing else []),
        *(("warning", text) for text in result.warnings),
    ]
    width = max(len(name) for name, _ in lines)
    return "\n".join(["ComparisonResult", *(f"  {name:>{width}}: {text}" for name, text in lines)])


def pair_rows(result: ComparisonResult) -> list[tuple[str, ...]]:
    """Return a row for each claim, the broadest first, after the heading."""
    level = f"{_percent(result)} interval of the effect"
    rows = [
        (
            claim.population,
            number(claim.effect if claim.is_conclusive else result.effect),
            ends_in_words(claim.ends()),
            _p_in_row(result, claim) if claim.is_conclusive else claim.reason,
        )
        for claim in result.claims
    ]
    return [("for", f"effect on {result.metric}", level, "p"), *rows]


def _p_in_row(result: ComparisonResult, claim: Claim) -> str:
    return p_in_words(result, claim).removeprefix("p = ") + (WITH_RESERVE if claim.reserve else "")


def _percent(result: ComparisonResult) -> str:
    return f"{100 * result.confidence_level:g} %"


def p_in_words(result: ComparisonResult, claim: Claim) -> str:
    """Return "p = …" of a claim, or "p ≤ …" if no draw reached the effect, so that p may be less."""
    is_drawn = claim.method == result.null and not result.exact
    relation = p_relation(claim.p, result.n_resamples, result.alternative) if is_drawn else "="
    return f"p {relation} {number(claim.p)}"


@dataclass(frozen=True)
class _Told:
    """A result in words: `a` and `b` are the systems' names, with the interval to quote over items."""

    result: ComparisonResult
    a: str
    b: str
    interval: tuple[float, float]

    def of_items(self) -> str:
        """Return the sentence of the claim over new items alone."""
        result, claim = self.result, self.result.claims[-1]
        population = self._of(claim.population)
        kept = population.partition(", with ")[2] if len(result.claims) == 1 else ""
        if result.n_clusters and len(result.claims) == 1:
            kept = population
        first, second, sign = result.in_order(self.a, self.b)
        hypothesis = self._of(result.hypothesis)
        return (
            f"{self._shown(claim, ',')} on {result.metric}{f', for {kept}' if kept else ''}: the effect of "
            f"{first} over {second} on {items_in_words(result)} is "
            f"{number(sign * result.effect)} ({self._ends(*self.interval, sign)}), and "
            f"{p_in_words(result, claim)} ({result.alternative}, {self._test(claim)}) under the null "
            f"that {hypothesis}, at α = {result.alpha:g}.{self._more_draws(claim)}"
        )

    def of_both(self) -> str:
        """Return the sentences of the broadest claim and of that over new items alone."""
        result, broad, items = self.result, self.result.claims[0], self.result.claims[-1]
        first, second, sign = result.in_order(self.a, self.b)
        one_sided = "" if result.alternative == "two-sided" else f"{result.alternative}, "
        return (
            f"{self._shown(broad, ',')} on {result.metric}, for {self._of(broad.population)}: the effect "
            f"of {first} over {second} on {items_in_words(result)} is "
            f"{number(sign * result.effect)} ({self._ends(broad.low, broad.high, sign)}), and "
            f"{p_in_words(result, broad)} ({result.alternative}, {self._test(broad)}) under the null that "
            f"{self.a} and {self.b} are equally good there, at α = {result.alpha:g}. "
            f"For {self._of(items.population)}, {self._shown(items)}: "
            f"{self._ends(*self.interval, sign)}, {p_in_words(result, items)} "
            f"({one_sided}{self._test(items)}).{self._more_draws(items)}"
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
        if claim.method == self.result.null:
            return f"{self._null}, {self._how}"
        return "t-test" if claim.method == "t" else claim.method

    def _ends(self, low: float, high: float, sign: float) -> str:
        low, high = sorted((sign * low, sign * high))
        two_sided = "" if self.result.alternative == "two-sided" else "two-sided "
        return f"{two_sided}{100 * self.result.confidence_level:g} % interval {number(low)} to {number(high)}"

    def _more_draws(self, claim: Claim) -> str:
        return "" if claim.decided else f" This is inconclusive: {MORE_DRAWS}."

    @property
    def _null(self) -> str:
        return f"{self.result.null} of whole clusters" if self.result.n_clusters else self.result.null

    @property
    def _how(self) -> str:
        result = self.result
        return "exact" if result.exact else f"Monte-Carlo error {number(result.claims[-1].standard_error)}"

    def _shown(self, claim: Claim, after_reserve: str = "") -> str:
        """Return what a claim shows; `after_reserve` follows it if it holds only with reserve."""
        a, b = self.a, self.b
        reserve = WITH_RESERVE + after_reserve if self.result.is_reserved(claim) else ""
        shown = {
            "A": f"{a} is better than {b}",
            "B": f"{b} is better than {a}",
            "different": f"{a} and {b} do not answer every item alike",
            "undecided": {
                "two-sided": f"{a} and {b} cannot be told apart",
                "greater": f"{a} is not shown to be better than {b}",
                "less": f"{b} is not shown to be better than {a}",
            }[self.result.alternative],
        }[self.result.verdict_of(claim)]
        return shown + reserve


def board_rows(board: Leaderboard) -> list[tuple[str, ...]]:
    """Return a row for each system, best first: score, interval, possible ranks, groups."""
    level = f"{100 * board.confidence_level:g} % interval"
    ranked = board.against is None
    rows = [
        (
            f"{standing.rank}",
            standing.name,
            number(standing.score),
            ends_in_words(standing.interval),
            f"{standing.rank_low} to {standing.rank_high}",
            *((standing.letters,) if ranked else ()),
        )
        for standing in board.standings
    ]
    heading = ("rank", "system", board.metric, level, "possible ranks", *(["groups"] if ranked else []))
    return [heading, *rows]


def board_text(board: Leaderboard) -> str:
    """Return a leaderboard as text: its table, its sentence and its cautions."""
    rows = board_rows(board)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
    told = (fill(text, 100) for text in (board.sentence, board.pairing, *board.warnings) if text)
    return "\n".join(["Leaderboard", *(f"  {line}" for line in lines), *told])


def board_test(board: Leaderboard) -> str:
    """Return the test behind p: the null that was drawn, or the t-test over new raters and runs."""
    null = f"{board.null} of whole clusters" if board.n_clusters else board.null
    methods = dict.fromkeys(pair.result.claims[0].method for pair in board.pairs)
    return " or ".join({"t": "t-test", board.null: null}.get(method, method) for method in methods)


def board_sentence(board: Leaderboard) -> str:
    """Return the result in a sentence that you can quote, and in another one what is inconclusive and why."""
    why = Counter(
        with_names(pair.result.claims[0].reason, pair.a, pair.b) or MORE_DRAWS
        for pair in board.pairs
        if not pair.decided
    )
    pairs = f"of {len(board.pairs)} pairs" if len(board.pairs) > 1 else "pair"
    return " ".join(
        [
            _board_found(board),
            *(f"For {n} {pairs}, this is inconclusive: {reason}." for reason, n in why.items()),
        ]
    )


def _board_found(board: Leaderboard) -> str:
    n_systems, n_found = len(board.standings), sum(pair.significant for pair in board.pairs)
    how = (
        f"for {board.population}; {board_test(board)}, {board.alternative}, "
        f"{CORRECTION_IN_WORDS[board.correction]}, at α = {board.alpha:g}"
    )
    of = f"of {n_systems} systems on {items_in_words(board)} by {board.metric}"
    if board.against is not None:
        named = {pair: f"{pair.a}{' (with reserve)' * pair.is_reserved}" for pair in board.pairs}
        better = [named[pair] for pair in board.pairs if pair.better == pair.a]
        worse = [named[pair] for pair in board.pairs if pair.better == pair.b]
        found = "; ".join(
            f"{listed(systems) or 'none'} {'are' if len(systems) > 1 else 'is'} shown to be {than}"
            for systems, than in ((better, f"better than {board.against}"), (worse, "worse"))
        )
        return f"Of {n_systems - 1} systems compared with {board.against} on {items_in_words(board)} by " + (
            f"{board.metric}, {found} ({how})."
        )
    first = [standing.name for standing in board.standings if standing.rank_low == 1]
    if len(first) == n_systems:
        best = "and each may be the best: none is shown to be better than another"
    elif len(first) == 1:
        best = f"and {first[0]} is the best"
    else:
        best = f"and {listed(first)} may be the best: no system is shown to be better than any of these"
    if n_systems == 2:
        (pair,) = board.pairs
        loser = pair.b if pair.better == pair.a else pair.a
        if pair.better is not None:
            told = f"{pair.better} is better than {loser}"
        else:
            told = f"{pair.a} and {pair.b} {'differ' if pair.significant else 'cannot be told apart'}"
        told += f"{WITH_RESERVE}," if pair.is_reserved else ""
        return f"{told} on {items_in_words(board)} by {board.metric} ({how})."
    told = f"{n_found} of {len(board.pairs)} pairs {of} can be told apart"
    n_reserved = sum(pair.is_reserved for pair in board.pairs)
    told += f" ({n_reserved} of them only with reserve)" if n_reserved else ""
    return f"{told}, {best} ({how})."


def board_margin_sentence(board: Leaderboard, unit: float) -> str:
    """Return what the pairs' tests against your margin show, in a sentence; "" without a margin.

    `unit` times an effect is in the unit of the ratings.
    """
    first = board.pairs[0].margin
    if first is None:
        return ""
    found: dict[str, list[str]] = {}
    for pair in board.pairs:
        assert pair.margin is not None, "all pairs have a margin, or none has"
        verdict = pair.margin.shown
        between = " and " if verdict in ("equivalent", "inconclusive") else " than "
        named = pair.a if board.against is not None else f"{pair.a}{between}{pair.b}"
        named += " (with reserve)" if pair.margin.is_reserved else ""
        found.setdefault(verdict, []).append(named)
    to, than = ("", "") if board.against is None else (f" to {board.against}", f" than {board.against}")
    margin = in_full(unit * first.margin)
    told = {
        "equivalent": f"equivalent{to} within ±{margin}",
        "not worse": f"not worse{than} by {margin} or more",
        "worse": f"worse{than} by more than {margin}",
        "inconclusive": f"inconclusive about {margin}",
    }
    shown = [f"{text}: {', '.join(found[verdict])}" for verdict, text in told.items() if verdict in found]
    return (
        f"By {board.metric}{unit_note(unit)}, {'; '.join(shown)} (one-sided t-tests at "
        f"α = {board.alpha:g}, {CORRECTION_IN_WORDS[board.correction]}, for {board.population})."
    )
