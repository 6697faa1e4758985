"""Every line and sentence about the result of a comparison: of a pair, of a margin, of a leaderboard."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from nbyk.report.lines import Head, Line, Tone, bar, in_words, with_decimals
from nbyk.testing.corrections import WHOSE
from nbyk.testing.pvalues import p_relation, side_in_words
from nbyk.testing.results import (
    EQUAL_SCORES,
    NONE,
    WITH_RESERVE,
    Board,
    Claim,
    Interval,
    Margin,
    Pair,
    Question,
    Sample,
    VariancePart,
)
from nbyk.testing.scores.facts import FACTS
from nbyk.words import capitalised, in_full, listed, number, number_of, percent

if TYPE_CHECKING:
    from nbyk.testing.systems.sensitivity import Sensitivity

MORE_DRAWS = "more draws could change it"
"""The reason why a decision is inconclusive where its p-value is drawn and too near α."""

CORRECTION_IN_WORDS = {method: f"{whose} correction" for method, whose in WHOSE.items()} | {
    "none": "not corrected for the number of pairs"
}


class MarginWords(NamedTuple):
    """What the tests against a margin show: of a pair, and of several, whose names have a word between."""

    of_pair: str
    of_several: str
    between: str


WITHIN_MARGIN = {
    "equivalent": MarginWords(
        "Equivalent: {leader} and {other}, within ±{size}", "Equivalent within ±{size}", "and"
    ),
    "not worse": MarginWords("{a} is not worse than {b} by {size} or more", "Not worse by {size}", "than"),
    "worse": MarginWords("{a} is worse than {b} by more than {size}", "Worse by more than {size}", "than"),
    "undecided": MarginWords(
        "Undecided: {a} may be worse than {b} by {size} or more", "Undecided about {size}", "and"
    ),
}
"""Every answer takes its words about a margin from here; `_first_named` says whose effect follows them."""

_MEANS = ("mean", "mean_cost", "mean score")
_LEAST_P = 1e-4
_MOST_NAMED, _MOST_LISTED = 3, 10
"""The most pairs or systems of an undecided verdict that are named, and of one that is shown."""
_FINEST = 0.015
"""The least share of an interval that its ends show where one is near 0."""
_ROUNDING = 1e-12


def pair_head(pair: Pair) -> Head:
    """Return the first lines about a pair."""
    return Head(
        verdict_line(pair),
        _tone(pair),
        about(pair.question, pair.sample),
        tuple(_pair_lines(pair)),
        tuple(dict.fromkeys(pair.warnings)),
        len(set(pair.reserves)),
        next=pair.claims[0].advice,
    )


def verdict_line(pair: Pair) -> str:
    """Return the verdict in a few words: about the margin if there is one."""
    margin, a, b = pair.margin, pair.a, pair.b
    leader, other, _ = pair.in_order()
    if not b:
        claim, score = pair.claims[-1], pair.scores[0]
        if score is not None and not claim.is_conclusive:
            return f"{a} scores {number(score)}"
        return f"{a} scores {_numbers(pair, claim, claim.interval)[0]}"
    if margin is not None:
        return _within_margin(pair, margin)
    if pair.verdict != "undecided":
        return _shown(pair, pair.claims[0])
    if pair.question.alternative == "two-sided":
        if pair.is_of_bar:
            return f"Undecided: {a} may be better or worse than {b}"
        return f"Undecided: {leader} or {other}"
    first, second = (a, b) if pair.question.alternative == "greater" else (b, a)
    return f"Undecided: {first} is not shown to be better than {second}"


def _within_margin(pair: Pair, margin: Margin) -> str:
    """Return what the tests against a margin show in a few words."""
    leader, other, _ = pair.in_order()
    names = {"a": pair.a, "b": pair.b, "leader": leader, "other": other}
    said = WITHIN_MARGIN[margin.shown].of_pair.format(size=in_full(margin.size), **names)
    return said + (WITH_RESERVE if margin.is_reserved else "")


def _tone(pair: Pair) -> Tone:
    """Return "bad" where the question is about A and goes against it; two-sided, either may be better."""
    about_a = pair.margin is not None or pair.question.alternative != "two-sided"
    shown = pair.margin.shown if pair.margin is not None else pair.shown if pair.decided else "undecided"
    if shown in ("undecided", "different"):
        return "open"
    return "bad" if shown == "worse" and about_a else "good"


def about(asked: Question, sample: Sample) -> str:
    """Return the metric, its unit or scale if it has one, and the numbers of items, raters and runs.

    A mean of values does not say by its name which are better, so this says it.
    """
    metric = metric_in_words(asked)
    parts = [f"{metric} on {asked.scale}" if asked.scale else metric]
    if asked.metric in _MEANS and (len(sample.responses) > 1 or asked.against is not None):
        parts.append(f"{asked.direction} is better")
    if not sample.n_items:
        counts = list(dict.fromkeys(responses.total for responses in sample.responses.values()))
        return ", ".join([*parts, f"{listed([f'{count}' for count in counts])} scores each"])
    parts.append(items_in_words(sample))
    for name, (least, most) in sample.units.items():
        one = " or ".join(word.removesuffix("s") for word in name.split(" or "))
        fewest = "" if least == most else f"{least} to " if least else "up to "
        parts.append(f"1 {one}" if most == 1 else f"{fewest}{most} {name}")
    return ", ".join(parts)


def metric_in_words(asked: Question) -> str:
    """Return the metric: the name that it is asked by, but "mean" for all means of values."""
    noun = asked.noun or asked.metric
    return noun if asked.metric in _MEANS or noun.startswith(f"{asked.metric} (") else asked.metric


def items_in_words(sample: Sample) -> str:
    """Return the number of items, and of clusters if there are any, in words."""
    clusters = f" in {sample.n_clusters} clusters" if sample.n_clusters else ""
    return f"{sample.n_items} {'prompts' if 'votes' in sample.units else 'items'}{clusters}"


def _pair_lines(pair: Pair) -> Iterator[Line]:
    broad, items, margin = pair.claims[0], pair.claims[-1], pair.margin
    where = f", for {broad.population}"
    if margin is not None and not margin.reason:
        p = p_text(margin.p, margin.alpha)
        level = interval_in_words(pair.question, 1.0 - 2.0 * margin.alpha)
        yield Line(_effect(pair, broad, margin.interval), f"{level}, {p}", where)
        is_open = pair.verdict == "undecided" and pair.question.alternative == "two-sided"
        plain = "Neither is shown to be better" if is_open else _shown(pair, broad)
        yield Line(f"{plain} ({_sureness(pair, broad)}).")
        return
    if margin is not None and margin.reason != broad.reason:
        yield Line(f"No answer about the margin: {margin.reason}.")
    if not broad.is_conclusive:
        yield Line(f"No {'answer' if pair.b else 'interval'} for {broad.population}: {broad.reason}.")
        if not (items.is_conclusive or (pair.b and math.isfinite(items.effect))):
            return
        yield Line(_effect(pair, items), _p_or_level(pair, items), f", for {items.population}")
        if pair.shown_of(items) != "undecided":
            yield Line(f"For these alone, {_shown(pair, items)}.")
        return
    p = _p_or_level(pair, broad)
    yield Line(_effect(pair, broad), p if pair.decided else f"{p}, and {MORE_DRAWS}", where)
    if pair.b and not pair.could_reject and pair.sample.n_items:
        of_votes = "votes" in pair.sample.units
        units = "clusters" if "clusters" in items.over else "votes" if of_votes else "items"
        yield Line(f"So few {units} cannot show any difference: collect more.")
    if broad is not items:
        yield _narrower(pair)


def _p_or_level(pair: Pair, claim: Claim) -> str:
    """Return p in words or, of one system's score, the level of its interval."""
    if pair.b:
        return p_in_words(pair, claim)
    return interval_in_words(pair.question)


def interval_in_words(asked: Question, level: float | None = None) -> str:
    """Return the level of the intervals of pairs: "simultaneous 95 % interval" if all hold at once."""
    at_once = "simultaneous " if asked.n_together > 1 else ""
    return f"{at_once}{percent(asked.confidence_level if level is None else level)} interval"


def _sureness(pair: Pair, claim: Claim) -> str:
    """Return a claim's interval and p in words."""
    *_, ends = _numbers(pair, claim, claim.interval)
    interval = f"{interval_in_words(pair.question)} {ends}" if ends else ""
    return ", ".join(filter(None, (interval, p_in_words(pair, claim) if pair.b else "")))


def _narrower(pair: Pair) -> Line:
    """Return the line about the same units, with its verdict if that is another one."""
    broad, items = pair.claims[0], pair.claims[-1]
    kinds = [*pair.sample.units]
    clusters = ["clusters"] if "clusters" in broad.over and "clusters" not in items.over else []
    of_runs = any(source.startswith("runs") for source in broad.over) and kinds[-1:]
    fixed = [*clusters, *(["raters"] if "raters" in broad.over else []), *(of_runs or [])]
    with_these = (
        f"With these {listed(list(dict.fromkeys(fixed)))} alone" if fixed else f"For {items.population}"
    )
    same = pair.shown_of(items) == pair.shown
    verdict = "" if same else f", {_shown(pair, items)}"
    *_, ends = _numbers(pair, items, items.interval, pair.interval)
    p = "" if same and ends else p_in_words(pair, items)
    more = "" if items.decided else f" ({MORE_DRAWS})"
    return Line(f"{with_these}{verdict}: {', '.join(filter(None, (ends, p)))}{more}.")


def _effect(pair: Pair, claim: Claim, interval: Interval | None = None) -> str:
    ends = claim.interval if interval is None else interval
    words, drawn, numbers = _numbers(pair, claim, ends)
    return "  ".join(text for text in (words, drawn, numbers) if text)


def _numbers(pair: Pair, claim: Claim, interval: Interval, broader: Interval = NONE) -> tuple[str, str, str]:
    """Return the effect in words, its interval as a bar, and the interval's ends.

    The words say by how much the leader's value is higher, or lower where less is better, and name it if the
    verdict begins with the other system. Decimals are those of a broader interval, if given.
    """
    asked, (leader, _, sign) = pair.question, pair.in_order()
    effect = sign * claim.effect
    low, high = sorted(sign * end for end in interval)
    spread = broader[1] - broader[0]
    spread = spread if math.isfinite(spread) else high - low
    size, *ends = with_decimals((effect, low, high), spread)
    while spread > _FINEST * (high - low):  # an end that rounds to 0 would hide on which side of it it is
        if not any(float(text) == 0.0 < abs(end) for text, end in zip(ends, (low, high), strict=True)):
            break
        spread *= 0.1
        size, *ends = with_decimals((effect, low, high), spread)
    if float(size) == 0.0 and abs(effect) > _ROUNDING:
        (size,) = with_decimals((effect,), 10.0 * abs(effect))
    noun = asked.noun or asked.metric
    words = size
    if pair.b:
        direction, is_bar = asked.direction, pair.is_of_bar
        if is_bar and leader == pair.b:  # by how much the system is below
            direction = "lower" if direction == "higher" else "higher"
        words = f"{size} {direction} {noun}" if abs(effect) > _ROUNDING else f"equal {noun}"
        words += f" for {leader}" if leader != _first_named(pair) and not is_bar else ""
    return words, bar(low, effect, high), "" if not math.isfinite(high - low) else f"{ends[0]} to {ends[1]}"


def _first_named(pair: Pair) -> str:
    if pair.margin is not None:
        return pair.in_order()[0] if pair.margin.shown == "equivalent" else pair.a
    if pair.verdict == "undecided" and pair.question.alternative != "two-sided":
        return pair.a if pair.question.alternative == "greater" else pair.b
    return pair.in_order()[0]


def p_in_words(pair: Pair, claim: Claim) -> str:
    """Return "p = …" of a claim, or "p ≤ …" if no draw reached the effect, so that p may be less."""
    drawn, asked = pair.drawn, pair.question
    if claim.order is not None:
        front = claim.order if pair.shown != "worse" else claim.order.reversed()
        sign = "<" if pair.significant else "≥"
        return f"eps_min {front.eps_min:.3g} {sign} τ = {asked.tau:g}"
    is_drawn = drawn is not None and claim.method == asked.test and not drawn.exact
    relation = p_relation(claim.p, drawn.n_resamples, asked.alternative) if is_drawn and drawn else "="
    looks = f" (α = {asked.alpha:.2g} at each of {asked.looks} looks)" if asked.looks > 1 else ""
    side = "" if asked.alternative == "two-sided" else "one-sided "
    return side + p_text(pair.decisive(claim).p, asked.alpha, relation) + looks


def p_text(p: float, alpha: float, relation: str = "=") -> str:
    """Return "p = .034": two digits, or as many as show on which side of α it is; four decimals at most."""
    if math.isnan(p):
        return "no p"
    if p < _LEAST_P:
        return "p < .0001"
    digits = 2 if p >= 0.1 else 3 if p >= 0.01 else 4
    while digits < 9 and (round(p, digits) <= alpha) != (p <= alpha):
        digits += 1
    return f"p {relation} {f'{p:.{digits}f}'.removeprefix('0')}"


def _shown(pair: Pair, claim: Claim) -> str:
    a, b, asked = pair.a, pair.b, pair.question
    leader, other, _ = pair.in_order()
    first, second = (a, b) if pair.is_of_bar else (leader, other)
    return {
        "better": f"{a} is better than {b}",
        "worse": " than ".join(_worse(pair)),
        "different": f"{leader} and {other} do not answer every item alike",
        "undecided": {
            "two-sided": f"{first} and {second} cannot be told apart",
            "greater": f"{a} is not shown to be better than {b}",
            "less": f"{b} is not shown to be better than {a}",
        }[asked.alternative],
    }[pair.shown_of(claim)] + WITH_RESERVE * pair.is_reserved(claim)


def _worse(pair: Pair) -> tuple[str, str]:
    """Return who is better where A is worse, and the other; a score is no better than a system."""
    return (f"{pair.a} is worse", pair.b) if pair.is_of_bar else (f"{pair.b} is better", pair.a)


def verdict_in_words(pair: Pair, claim: Claim | None = None) -> str:
    """Return a verdict, by default that of the first claim, with the better system: "ours is better"."""
    claim = claim or pair.claims[0]
    if not pair.decisive(claim).decided:
        return "undecided"
    shown = pair.shown_of(claim)
    said = {"better": f"{pair.a} is better", "worse": _worse(pair)[0]}.get(shown, shown)
    return said + WITH_RESERVE * pair.is_reserved(claim)


def claim_sentence(pair: Pair, claim: Claim | None = None) -> str:
    """Return one claim of a pair, by default the first, in a sentence to quote."""
    claim, asked = claim or pair.claims[0], pair.question
    where = f"on {metric_in_words(asked)}, for {claim.population}"
    if not claim.is_conclusive:
        return f"Undecided {where}: {claim.reason}."
    words, *_ = _numbers(pair, claim, claim.interval)
    if not pair.b:
        return f"{pair.a} scores {words} {where} ({_sureness(pair, claim)})."
    shown = _shown(pair, claim)
    more = "" if pair.decisive(claim).decided else f"; {MORE_DRAWS}"
    comma = "," * pair.is_reserved(claim)
    return f"{shown}{comma} {where}: {words} ({_sureness(pair, claim)}{more})."


def latent_sentence(pair: Pair) -> str:
    """Return the effect of the ordinal model, for the broadest claim that has one; "" without any."""
    claim = next((claim for claim in pair.claims if claim.latent is not None), None)
    if claim is None or claim.latent is None:
        return ""
    leader, other, first = pair.in_order()
    sign = -1.0 if claim.latent.effect < 0.0 else 1.0
    above = (pair.question.direction == "higher") is (sign == first)
    low, high = sorted(sign * end for end in claim.latent.interval)
    size, *ends = with_decimals((sign * claim.latent.effect, low, high), high - low)
    return (
        f"On the latent scale of an ordinal model (cumulative probit), the ratings of {leader} lie {size} SD "
        f"{'above' if above else 'below'} those of {other}, for {claim.population} "
        f"({interval_in_words(pair.question)} {ends[0]} to {ends[1]})."
    )


def margin_sentence(pair: Pair, claim: Claim) -> str:
    """Return what a claim shows about its margin in a sentence."""
    tests = claim.margin
    assert tests is not None
    where = f"on {metric_in_words(pair.question)}, for {claim.population}"
    if tests.reason:
        return f"Undecided about a margin of {in_full(tests.size)} {where}: {tests.reason}."
    words, _, ends = _numbers(pair, claim, tests.interval)
    interval = f"{interval_in_words(pair.question, 1.0 - 2.0 * tests.alpha)} {ends}"
    says = _within_margin(pair, tests)
    return f"{says}, {where}: {words} ({interval}, {p_text(tests.p, tests.alpha)})."


def method_line(
    pair: Pair, claim: Claim | None = None, n_pairs: int = 1, most_draws: int | None = None
) -> str:
    """Return a claim's test, sides, population and null in one line.

    For several pairs it may be one line, with the most draws of them.
    """
    claim, asked, drawn = claim or pair.claims[0], pair.question, pair.drawn
    test = test_in_words(pair, claim)
    if claim.method == asked.test and drawn is not None:
        draws = f"{drawn.n_resamples:,} draws" if most_draws is None else f"up to {most_draws:,} draws"
        test += f" ({'exact' if drawn.exact else draws})"
    items = pair.claims[-1]
    if claim.parts and claim.method == items.method != "t":  # a t-test found the parts
        test = f"the larger p of t-test and {test}"
    corrected = f"; {CORRECTION_IN_WORDS[asked.correction]}" if n_pairs > 1 else ""
    alone = claim.method != asked.test and pair.sample.n_items > 0
    null = f"both {'are equally good' if alone else asked.hypothesis}"
    null = f"it has {pair.b}" if asked.hypothesis == EQUAL_SCORES else null
    return (
        f"{test}, {side_in_words(asked.alternative)}, for {claim.population}; null: {null}; "
        f"α = {asked.alpha:g}{corrected}"
    )


def test_in_words(pair: Pair, claim: Claim) -> str:
    """Return the test that made a claim's p, in words."""
    if not pair.sample.n_items:
        return FACTS[pair.question.test].title.removeprefix("the ")
    test = in_words(claim.method)
    whole = claim.method == pair.question.test and pair.sample.n_clusters > 0
    return f"{test} of whole clusters" if whole else test


def variance_sentence(what: str, parts: Sequence[VariancePart], population: str) -> str:
    """Return one sentence about the sources of the variance of an effect over a population."""
    shown = sorted((part for part in parts if not math.isnan(part.share)), key=lambda part: -part.share)
    unknown = [part.source for part in parts if math.isnan(part.variance)]
    if not shown:
        return f"{capitalised(what)} does not vary over {population}."
    shares = [f"{part.source} {100 * part.share:.0f} %" for part in shown if part.share >= 0.005]
    small = [part.source for part in shown if part.share < 0.005]
    rest = f"; under 1 %: {', '.join(small)}" if small else ""
    rest += f"; not separable from items: {listed(unknown)}" if unknown else ""
    return f"Where the variance of {what} comes from: {', '.join(shares)}{rest}."


def board_head(board: Board) -> Head:
    """Return the first lines about systems: of their only pair, or of the leaderboard."""
    if len(board.pairs) == 1:
        return pair_head(board.pairs[0])
    from nbyk.report.comparison.tables import bars_table

    verdict, tone = _best(board)
    return Head(
        verdict,
        tone,
        about(board.question, board.sample),
        tuple(_board_lines(board)),
        tuple(dict.fromkeys(board.warnings)),
        len(set(board.reserves)),
        next=board_advice(board),
        table=bars_table(board) if board.standings else None,
    )


def board_advice(board: Board) -> str:
    """Return how many items, raters or runs would settle the pair to settle first; "" if unknown."""
    pair = board.open_pair
    if pair is None or not pair.claims[0].advice or pair.margin is not None:
        return ""
    which = f"for {pair.a} and {pair.b}, " if len(board.pairs) > 1 else ""
    return which + pair.claims[0].advice


def _best(board: Board) -> tuple[str, Tone]:
    against, n = board.question.against, len(board.standings)
    if against is not None:
        reserve = {pair.a: " (with reserve)" if pair.reserve else "" for pair in board.pairs}
        better = [pair.a + reserve[pair.a] for pair in board.pairs if pair.better == pair.a]
        if better:
            return f"Better than {against}: {listed(better)}", "good"
        start = "Undecided: none" if any(pair.better is None for pair in board.pairs) else "None"
        return f"{start} is shown to be better than {against}", "open"
    first = [standing.name for standing in board.standings if standing.rank_low == 1]
    if len(first) == 1:
        return f"{first[0]} is the best of {n}", "good"
    if len(first) == n:
        return f"Undecided: each of the {n} may be the best", "open"
    return f"{listed(first)} may be the best of {n}", "open"


def _board_lines(board: Board) -> Iterator[Line]:
    asked, pairs = board.question, board.pairs
    how = CORRECTION_IN_WORDS[asked.correction]
    if asked.tau is not None:
        how = f"eps_min below τ = {asked.tau:g}"
    of_scores = f"{percent(asked.confidence_level)} interval"
    where = f", {interval_in_words(asked) if board.shows_effects else of_scores}s for {board.population}"
    margin = board_margin_sentence(board)
    if margin:
        yield Line(margin)
    if asked.against is None:
        n_apart = sum(pair.significant for pair in pairs)
        differ = "differs" if n_apart == 1 else "differ"
        yield Line(f"{n_apart} of {len(pairs)} pairs {differ}: those without a common letter", how, where)
    else:
        worse = [pair.a for pair in pairs if pair.better == pair.b]
        rest = [pair.a for pair in pairs if pair.better is None]
        says = [
            f"{word}: {listed(names)}" for word, names in (("Worse", worse), ("Undecided", rest)) if names
        ]
        yield Line(". ".join(says) or "All are shown to be better", how, where)
        wide = [pair.a for pair in pairs if pair.significant and pair.interval[0] <= 0.0 <= pair.interval[1]]
        same_level = math.isclose(asked.confidence_level, 1.0 - asked.alpha)
        if wide and same_level and asked.correction == "holm" and asked.alternative == "two-sided":
            yield Line(f"{how} is a little sharper than these intervals, which hold 0 for {listed(wide)}.")
    why: dict[str, list[str]] = {}
    draws = "n_resamples" if board.sample.scores else "max_resamples"
    for pair in pairs:
        if not pair.decided:
            reason = pair.claims[0].reason or f"{MORE_DRAWS}; raise `{draws}`"
            why.setdefault(reason, []).append(f"{pair.a} – {pair.b}")
    for reason, names in why.items():
        which = f" ({listed(names)})" if len(names) < len(pairs) else ""
        yield Line(f"No answer for {len(names)} of {len(pairs)} pairs{which}: {reason}.")


def board_sentence(board: Board) -> str:
    """Return the result in a sentence to quote."""
    if len(board.pairs) == 1:
        return board.pairs[0].sentence
    verdict, _ = _best(board)
    asked, pairs = board.question, board.pairs
    how = f"for {board.population}"
    if asked.against is None:
        n_reserved = sum(bool(pair.reserve) for pair in pairs)
        reserve = f", {n_reserved} with reserve" if n_reserved else ""
        told = f"{sum(pair.significant for pair in pairs)} of {len(pairs)} pairs can be told apart{reserve}"
    else:
        told = f"{len(pairs)} systems compared with {asked.against}"
    on = "" if not board.sample.n_items else f" on {items_in_words(board.sample)}"
    n_open = sum(not pair.decided for pair in pairs)
    told += f", {n_open} without an answer" if n_open else ""
    corrected = CORRECTION_IN_WORDS[asked.correction]
    return f"{verdict} by {metric_in_words(asked)}{on}, {how}: {told}, {corrected}."


def board_margin_sentence(board: Board) -> str:
    """Return what the pairs' tests against your margin show, in a sentence; "" without a margin."""
    margins = [(pair, pair.margin) for pair in board.pairs if pair.margin is not None]
    if not margins:
        return ""
    size, against = in_full(margins[0][1].size), board.question.against
    kinds: dict[str, dict[str, list[str]]] = {shown: {} for shown in WITHIN_MARGIN}
    for pair, margin in margins:
        first, second = ("", pair.a) if against is not None else (pair.a, pair.b)
        reserve = " (with reserve)" * margin.is_reserved
        kinds[margin.shown].setdefault(first, []).append(second + reserve)
    said = []
    for shown, of_each in kinds.items():
        words, n = WITHIN_MARGIN[shown], sum(map(len, of_each.values()))
        names = "; ".join(
            f"{first} {words.between} {', '.join(others)}" if first else ", ".join(others)
            for first, others in of_each.items()
        )
        if n > (_MOST_LISTED if shown != "undecided" else _MOST_NAMED):
            of_all = f"{n} of {len(margins)}"
            names = f"{of_all} pairs, in the table of pairs" if against is None else f"{of_all} systems"
        said += [f"{words.of_several.format(size=size)}: {names}."] if n else []
    return " ".join(said)


def sensitivity_sentence(sensitivity: Sensitivity) -> str:
    """Return whether the verdict depends on the way to test, in a sentence."""
    a, b = sensitivity.names
    defined = [choice for choice in sensitivity.choices if choice.p is not None]
    counts = Counter[str](choice.verdict for choice in defined)
    n_nulls = len({choice.null for choice in defined if choice.sampler is None})
    n_samplers = len({choice.sampler for choice in defined} - {None})
    ways = (
        f"{number_of(len(defined), 'way')} to test ({number_of(len(sensitivity.effects), 'metric')} under "
        f"{number_of(n_nulls, 'null')} and {number_of(n_samplers, 'sampler')} of test sets; "
        f"{sensitivity.alternative}, α = {sensitivity.alpha:g})"
    )
    by_metric, parts, named = sensitivity.verdicts(sensitivity.null), [], []
    for shown_as, verb, text, says in (
        ("better", "show", f"{a} to be better", f"{a} is better"),
        ("worse", "show", f"{b} to be better", f"{b} is better"),
        ("different", "show", "only that the two do not answer every item alike", "the two differ"),
        ("undecided", "leave", "it undecided", "it is undecided"),
    ):
        if n := counts[shown_as]:
            parts.append(f"{n} {verb}{'s' * (n == 1)} {text}")
        if metrics := [metric for metric, of in by_metric.items() if of == shown_as]:
            named.append(f"{says} by {listed(metrics)}")
    start = "The" if sensitivity.population == "new items" else f"For {sensitivity.population}, the"
    depends = "depends" if sensitivity.depends else "does not depend"
    by_name = f"; by the {in_words(sensitivity.null)}, {', and '.join(named)}" if sensitivity.depends else ""
    return f"{start} verdict {depends} on the choice: of {ways}, {', '.join(parts)}{by_name}."
