"""Every sentence about the result of a comparison: of a pair, of a margin, of a leaderboard."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill

from nbyk.testing.corrections import WHOSE
from nbyk.testing.pvalues import p_relation, side_in_words
from nbyk.testing.results import (
    WITH_RESERVE,
    Board,
    Claim,
    Interval,
    Order,
    Pair,
    Question,
    Sample,
    VariancePart,
)
from nbyk.testing.scores.facts import FACTS
from nbyk.words import ends_in_words, in_full, listed, number

MORE_DRAWS = "more draws could change it"
"""The reason why a decision is inconclusive where its p-value is drawn and too near α."""

CORRECTION_IN_WORDS = {method: f"{whose} correction" for method, whose in WHOSE.items()} | {
    "none": "not corrected for the number of pairs"
}


def margin_sentence(pair: Pair, claim: Claim, unit: float) -> str:
    """Return what a claim shows about its margin in a sentence."""
    tests, a, b = claim.margin, pair.a, pair.b
    assert tests is not None
    margin = in_full(unit * tests.size)
    where = f"on {pair.question.metric}{unit_note(unit)}, for {claim.population}"
    if tests.reason:
        return f"These data are inconclusive about a margin of {margin} {where}: {tests.reason}."
    ends = ends_in_words((unit * tests.interval[0], unit * tests.interval[1]))
    interval = f"{100 * (1.0 - 2.0 * tests.alpha):g} % interval {ends}"
    test = "all items have the same effect, tested" if tests.constant else "one-sided t-tests"
    test = f"{test} at α = {tests.alpha:g}"
    says, p = {
        "equivalent": (f"{a} and {b} are equivalent within ±{margin}", tests.p_equivalent),
        "not worse": (f"{a} is not worse than {b} by {margin} or more", tests.p_not_worse),
        "worse": (f"{a} is worse than {b} by more than {margin}", tests.p_worse),
        "undecided": (
            f"These data do not show whether {a} is worse than {b} by {margin} or more",
            tests.p_not_worse,
        ),
    }[tests.shown]
    says += f"{WITH_RESERVE}," if tests.is_reserved else ""
    return f"{says} {where}: p = {number(p)} ({interval}; {test})."


def unit_note(unit: float) -> str:
    """Return, to follow a metric, that its numbers are in the unit of the ratings; "" if that is 1."""
    return "" if unit == 1.0 else " in the ratings' own unit"


def items_in_words(sample: Sample) -> str:
    """Return the number of items, and of clusters if there are any, in words."""
    clusters = f" in {sample.n_clusters} clusters" if sample.n_clusters else ""
    return f"{sample.n_items} items{clusters}"


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


def pair_sentence(pair: Pair) -> str:
    """Return a pair's result in sentences to quote; the better system comes first."""
    if not pair.b:
        return score_sentence(pair)
    if pair.claims[0].order is not None:
        return _order_sentence(pair, pair.claims[0].order)
    if pair.sample.scores:
        return _scores_sentence(pair)
    broad, items = pair.claims[0], pair.claims[-1]
    told = _Told(pair)
    if broad is items:
        return told.of_items()
    return told.of_both() if broad.is_conclusive else told.inconclusive()


def score_sentence(pair: Pair) -> str:
    """Return a system's score, with its interval for each population, in a sentence to quote."""
    level, metric = _percent(pair.question), pair.question.metric
    each = [
        f"for {claim.population}, {claim.reason or f'{level} interval {ends_in_words(claim.interval)}'}"
        for claim in pair.claims
    ]
    on = items_in_words(pair.sample)
    return f"{pair.a} scores {number(pair.effect)} on {metric} over {on}: {'; '.join(each)}."


def verdict_in_words(pair: Pair, claim: Claim | None = None) -> str:
    """Return a verdict, by default that of the first claim, with the better system: "ours is better"."""
    if claim is None or claim is pair.claims[0]:
        decided, shown, claim = pair.decided, pair.shown, pair.claims[0]
    else:
        decided, shown = claim.decided, claim.shown(claim.p, pair.question.alpha)
    if not decided:
        return "inconclusive"
    said = {"better": f"{pair.a} is better", "worse": f"{pair.b} is better"}.get(shown, shown)
    return said + (WITH_RESERVE if claim.reserve and shown != "undecided" else "")


def pair_rows(pair: Pair) -> list[tuple[str, ...]]:
    """Return a row for each claim, the broadest first, after the heading: effect, interval, p, verdict."""
    level = f"{_percent(pair.question)} interval of the effect"
    rows = [
        (
            claim.population,
            number(claim.effect if claim.is_conclusive else pair.effect),
            ends_in_words(claim.interval),
            _p_in_row(pair, claim),
            verdict_in_words(pair, claim),
        )
        for claim in pair.claims
    ]
    return [("for", f"effect on {pair.question.metric}", level, "p", "verdict"), *rows]


def _p_in_row(pair: Pair, claim: Claim) -> str:
    if not claim.is_conclusive:
        return "–"
    by = "" if claim.method in ("t", pair.question.test) else f" by {claim.method}"
    return p_in_words(pair, claim).removeprefix("p = ") + by


def _percent(asked: Question) -> str:
    return f"{100 * asked.confidence_level:g} %"


def p_in_words(pair: Pair, claim: Claim) -> str:
    """Return "p = …" of a claim, or "p ≤ …" if no draw reached the effect, so that p may be less."""
    drawn, asked = pair.drawn, pair.question
    is_drawn = drawn is not None and claim.method == asked.test and not drawn.exact
    relation = p_relation(claim.p, drawn.n_resamples, asked.alternative) if is_drawn and drawn else "="
    return f"p {relation} {number(claim.p)}"


@dataclass(frozen=True)
class _Told:
    """A pair in words."""

    pair: Pair

    def of_items(self) -> str:
        """Return the sentence of the claim over new items alone."""
        pair, asked, claim = self.pair, self.pair.question, self.pair.claims[-1]
        kept = claim.population.partition(", with ")[2] if len(pair.claims) == 1 else ""
        if pair.sample.n_clusters and len(pair.claims) == 1:
            kept = claim.population
        first, second, sign = pair.in_order()
        return (
            f"{self._shown(claim, ',')} on {asked.metric}{f', for {kept}' if kept else ''}: the effect of "
            f"{first} over {second} on {items_in_words(pair.sample)} is "
            f"{number(sign * pair.effect)} ({self._ends(claim, sign)}), and "
            f"{p_in_words(pair, claim)} ({asked.alternative}, {self._test(claim)}) under the null "
            f"that {pair.a} and {pair.b} {asked.hypothesis}, at α = {asked.alpha:g}.{self._more_draws(claim)}"
        )

    def of_both(self) -> str:
        """Return the sentences of the broadest claim and of that over new items alone."""
        pair, asked, broad, items = self.pair, self.pair.question, self.pair.claims[0], self.pair.claims[-1]
        first, second, sign = pair.in_order()
        one_sided = "" if asked.alternative == "two-sided" else f"{asked.alternative}, "
        return (
            f"{self._shown(broad, ',')} on {asked.metric}, for {broad.population}: the effect "
            f"of {first} over {second} on {items_in_words(pair.sample)} is "
            f"{number(sign * pair.effect)} ({self._ends(broad, sign)}), and "
            f"{p_in_words(pair, broad)} ({asked.alternative}, {self._test(broad)}) under the null that "
            f"{pair.a} and {pair.b} are equally good there, at α = {asked.alpha:g}. "
            f"For {items.population}, {self._shown(items)}: "
            f"{self._ends(items, sign)}, {p_in_words(pair, items)} "
            f"({one_sided}{self._test(items)}).{self._more_draws(items)}"
        )

    def inconclusive(self) -> str:
        """Return the sentences where the broadest claim is inconclusive."""
        broad, items = self.pair.claims[0], self.pair.claims[-1]
        return (
            f"Inconclusive on {self.pair.question.metric} for {broad.population}: "
            f"{broad.reason}. For {items.population}: {self.of_items()}"
        )

    def _test(self, claim: Claim) -> str:
        """Return the test that made a claim's p: t or, if nothing varies, the one over items."""
        drawn, test = self.pair.drawn, self.pair.question.test
        if claim.method != test or drawn is None:
            return "t-test" if claim.method == "t" else claim.method
        null = f"{test} of whole clusters" if self.pair.sample.n_clusters else test
        error = "exact" if drawn.exact else f"Monte-Carlo error {number(self.pair.claims[-1].standard_error)}"
        return f"{null}, {error}"

    def _ends(self, claim: Claim, sign: float) -> str:
        asked = self.pair.question
        two_sided = "" if asked.alternative == "two-sided" else "two-sided "
        return f"{two_sided}{_percent(asked)} interval {_signed_ends(claim.interval, sign)}"

    def _more_draws(self, claim: Claim) -> str:
        return "" if claim.decided else f" This is inconclusive: {MORE_DRAWS}."

    def _shown(self, claim: Claim, after_reserve: str = "") -> str:
        """Return what a claim shows; `after_reserve` follows it if it holds only with reserve."""
        a, b, asked = self.pair.a, self.pair.b, self.pair.question
        shown = claim.shown(claim.p, asked.alpha)
        reserve = WITH_RESERVE + after_reserve if claim.reserve and shown != "undecided" else ""
        return {
            "better": f"{a} is better than {b}",
            "worse": f"{b} is better than {a}",
            "different": f"{a} and {b} do not answer every item alike",
            "undecided": {
                "two-sided": f"{a} and {b} cannot be told apart",
                "greater": f"{a} is not shown to be better than {b}",
                "less": f"{b} is not shown to be better than {a}",
            }[asked.alternative],
        }[shown] + reserve


def _signed_ends(interval: Interval, sign: float) -> str:
    low, high = sorted((sign * interval[0], sign * interval[1]))
    return ends_in_words((low, high))


def _scores_sentence(pair: Pair) -> str:
    """Return the sentence of a test of scores that gives a p-value."""
    asked, claim = pair.question, pair.claims[0]
    better, worse, sign = pair.in_order()
    if not pair.significant:
        wanted = {
            "two-sided": f"which of {pair.a} and {pair.b} is better",
            "greater": f"that {pair.a} is better than {pair.b}",
            "less": f"that {pair.b} is better than {pair.a}",
        }[asked.alternative]
        verdict = f"These scores do not show at α = {asked.alpha:g} {wanted}"
    else:
        verdict = f"{better} is better than {worse} at α = {asked.alpha:g}"
    means = dict(zip((pair.a, pair.b), pair.scores, strict=True))
    n = {name: counts.total for name, counts in pair.sample.responses.items()}
    over = "1 score" if n[better] == 1 else f"{n[better]} scores"
    interval = ""
    if not math.isnan(claim.interval[0]):
        interval = f" ({_percent(asked)} interval {_signed_ends(claim.interval, sign)})"
    more = "" if pair.decided else f" This is inconclusive: {MORE_DRAWS}."
    return (
        f"{verdict}: {better} {means[better]:.4g} on average over {over}, {worse} {means[worse]:.4g} over "
        f"{n[worse]}, a difference of {number(sign * pair.effect)}{interval}; {_score_p_in_words(pair)} by "
        f"{FACTS[asked.test].title}, {side_in_words(asked.alternative)}.{more}"
    )


def _score_p_in_words(pair: Pair) -> str:
    claim, drawn = pair.claims[0], pair.drawn
    exact = " exactly" if drawn is not None and drawn.exact else ""
    error = f" ± {claim.standard_error:.1g}" if claim.standard_error > 0.0 else exact
    return p_in_words(pair, claim) + error


def _order_sentence(pair: Pair, order: Order) -> str:
    """Return the sentence of Almost Stochastic Order."""
    reverse, asked = order.reversed(), pair.question
    confidence = f"at a confidence of {100 * (1 - asked.alpha):g} %"
    if pair.better is not None:
        better, worse, sign = pair.in_order()
        front, back = (order, reverse) if sign > 0.0 else (reverse, order)
        return (
            f"{better} is almost stochastically larger than {worse} {confidence}: eps_min = "
            f"{front.eps_min:.3g}, below τ = {asked.tau:g} (violation ratio {front.violation_ratio:.3g} "
            f"± {front.standard_error:.2g}; the other way round eps_min is {back.eps_min:.3g})."
        )
    ways, other = {
        "two-sided": (f"either of {pair.a} and {pair.b}", "the other"),
        "greater": (pair.a, pair.b),
        "less": (pair.b, pair.a),
    }[asked.alternative]
    return (
        f"These scores do not show {confidence} that {ways} is almost stochastically larger than {other}: "
        f"eps_min is {order.eps_min:.3g} for {pair.a} over {pair.b} and {reverse.eps_min:.3g} the other way "
        f"round, not below τ = {asked.tau:g} (violation ratio {order.violation_ratio:.3g} ± "
        f"{order.standard_error:.2g})."
    )


def board_rows(board: Board) -> list[tuple[str, ...]]:
    """Return a row for each system, best first: score, interval, possible ranks, groups."""
    if len(board.pairs) == 1 and not board.sample.scores:
        return pair_rows(board.pairs[0])
    asked = board.question
    level = f"{_percent(asked)} interval"
    ranked = asked.against is None
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
    heading = ("rank", "system", asked.metric, level, "possible ranks", *(["groups"] if ranked else []))
    return [heading, *rows]


def result_text(result: Pair | Board) -> str:
    """Return a pair or a board as text: its sentence, its table and its cautions."""
    rows = result.notebook_rows
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    table = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
    told = (text for text in (result.sample.pairing, *result.warnings) if text)
    return "\n".join(
        [fill(result.sentence, 100), "", *table, "", *(fill(text, 100) for text in told)]
    ).rstrip()


def board_test(board: Board) -> str:
    """Return the test behind p: the null that was drawn, or the t-test over new raters and runs."""
    test = board.question.test
    if board.sample.scores:
        return FACTS[test].title
    null = f"{test} of whole clusters" if board.pairs[0].sample.n_clusters else test
    methods = dict.fromkeys(pair.claims[0].method for pair in board.pairs)
    return " or ".join({"t": "t-test", test: null}.get(method, method) for method in methods)


def board_sentence(board: Board) -> str:
    """Return the result in a sentence that you can quote, and in another one what is inconclusive and why."""
    if len(board.pairs) == 1:
        return pair_sentence(board.pairs[0])
    why = Counter(pair.claims[0].reason or MORE_DRAWS for pair in board.pairs if not pair.decided)
    return " ".join(
        [
            _board_shows(board),
            *(
                f"For {n} of {len(board.pairs)} pairs, this is inconclusive: {reason}."
                for reason, n in why.items()
            ),
        ]
    )


def _board_shows(board: Board) -> str:
    asked, n_systems = board.question, len(board.standings)
    n_apart = sum(pair.significant for pair in board.pairs)
    how = (
        f"for {board.population}; {board_test(board)}, {asked.alternative}, "
        f"{CORRECTION_IN_WORDS[asked.correction]}, at α = {asked.alpha:g}"
    )
    if asked.tau is not None:
        how = (
            f"for {board.population}; eps_min below τ = {asked.tau:g} at a "
            f"{'joint ' * (asked.correction != 'none')}confidence of {100 * (1 - asked.alpha):g} %"
        )
    on = "" if board.sample.scores else f" on {items_in_words(board.sample)}"
    of = f"of {n_systems} systems{on} by {asked.metric}"
    if asked.against is not None:
        named = {pair: f"{pair.a}{' (with reserve)' * bool(pair.reserve)}" for pair in board.pairs}
        better = [named[pair] for pair in board.pairs if pair.better == pair.a]
        worse = [named[pair] for pair in board.pairs if pair.better == pair.b]
        shows = "; ".join(
            f"{listed(systems) or 'none'} {'are' if len(systems) > 1 else 'is'} shown to be {than}"
            for systems, than in ((better, f"better than {asked.against}"), (worse, "worse"))
        )
        n_others = n_systems - any(standing.name == asked.against for standing in board.standings)
        others = f"{n_others} systems compared with {asked.against}{on} by {asked.metric}"
        return f"Of {others}, {shows} ({how})."
    first = [standing.name for standing in board.standings if standing.rank_low == 1]
    if len(first) == n_systems:
        best = "and each may be the best: none is shown to be better than another"
    elif len(first) == 1:
        best = f"and {first[0]} is the best"
    else:
        best = f"and {listed(first)} may be the best: no system is shown to be better than any of these"
    told = f"{n_apart} of {len(board.pairs)} pairs {of} can be told apart"
    n_reserved = sum(bool(pair.reserve) for pair in board.pairs)
    told += f" ({n_reserved} of them only with reserve)" if n_reserved else ""
    return f"{told}, {best} ({how})."


def board_margin_sentence(board: Board, unit: float) -> str:
    """Return what the pairs' tests against your margin show, in a sentence; "" without a margin.

    `unit` times an effect is in the unit of the ratings.
    """
    first = board.pairs[0].margin
    if first is None:
        return ""
    asked, pairs = board.question, dict[str, list[str]]()
    for pair in board.pairs:
        assert pair.margin is not None, "all pairs have a margin, or none has"
        shown = pair.margin.shown
        between = " and " if shown in ("equivalent", "undecided") else " than "
        named = pair.a if asked.against is not None else f"{pair.a}{between}{pair.b}"
        named += " (with reserve)" if pair.margin.is_reserved else ""
        pairs.setdefault(shown, []).append(named)
    to, than = ("", "") if asked.against is None else (f" to {asked.against}", f" than {asked.against}")
    margin = in_full(unit * first.size)
    told = {
        "equivalent": f"equivalent{to} within ±{margin}",
        "not worse": f"not worse{than} by {margin} or more",
        "worse": f"worse{than} by more than {margin}",
        "undecided": f"undecided about {margin}",
    }
    says = [f"{text}: {', '.join(pairs[shown])}" for shown, text in told.items() if shown in pairs]
    return (
        f"By {asked.metric}{unit_note(unit)}, {'; '.join(says)} (one-sided t-tests at "
        f"α = {asked.alpha:g}, {CORRECTION_IN_WORDS[asked.correction]}, for {board.population})."
    )
