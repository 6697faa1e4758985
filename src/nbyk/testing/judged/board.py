"""Systems that a judge scored and people rated in part: means, pairs and a board on the people's scale."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from nbyk.data.judged import JudgedSystems
from nbyk.data.scales import scale_text
from nbyk.errors import NbykError
from nbyk.testing.corrections import Correction
from nbyk.testing.decision import Decision
from nbyk.testing.family import choose_pairs, pairs_without
from nbyk.testing.judged.corrected import (
    ANSWERS,
    Corrected,
    Weighing,
    corrected,
    drift,
    judge_alone,
    p_of_random_choice,
)
from nbyk.testing.pvalues import Alternative
from nbyk.testing.results import (
    EQUAL_SCORES,
    Board,
    Claim,
    Interval,
    ResponseCounts,
    Sample,
    ShownAsLines,
    plain,
)
from nbyk.testing.shared_units import SharedUnitsTest
from nbyk.testing.shared_units.boards import moderated_tests
from nbyk.testing.systems.asked import Asked
from nbyk.testing.systems.by_formula import about_few, board_by_formula, claim_over, claims_over, without_p
from nbyk.words import in_full

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from nbyk.report.lines import Head


_CONSTANT = "all ratings are the same, and do not show how others vary"


@dataclass(frozen=True)
class OnPeoplesScale:
    """The mean of a system, or the difference of two, by the judge, by people, and by both.

    Attributes
    ----------
    a, b
        The system, and the one that is taken off; "" for a mean.
    judge, judge_interval
        The judge alone, on its own scale, over new items.
    people
        People alone, for the broadest population that has numbers.
    claims
        The judge's scores corrected by the people's ratings: the claim over new items and raters, with the
        parts of its variance, and that over new items with these raters, or the second alone. A mean has no
        p.
    weight
        The weight λ of the judge, from 0 to 1.
    excess
        The judge's mean minus people's on the outputs that people rated, or how much more the judge prefers
        `a` to `b` than people do, with the p of "not at all".
    """

    a: str
    b: str
    judge: float
    judge_interval: Interval
    people: Claim
    claims: tuple[Claim, ...]
    weight: float
    excess: Claim


@dataclass(frozen=True, repr=False)
class JudgedBoard(ShownAsLines):
    """The answer about systems that a judge scored and people rated in part.

    Attributes
    ----------
    board
        The standings and pairs on the people's scale; for one system its mean, as `nbyk.compare` gives it.
    means, differences
        The means of the systems, and the differences of the pairs in the board's order.
    random_p
        p of "people rated a random part of the outputs", by the judge's scores; NaN if chances were given.
    drift
        The change of people's ratings minus the judge's score from the first to the last batch; None without
        batches.
    """

    board: Board
    means: tuple[OnPeoplesScale, ...]
    differences: tuple[OnPeoplesScale, ...]
    random_p: float
    drift: Claim | None

    @property
    def warnings(self) -> tuple[str, ...]:
        """Cautions, one sentence each."""
        return self.board.warnings

    @property
    def sentence(self) -> str:
        """The result in a sentence to quote."""
        return self.board.sentence

    @property
    def head(self) -> Head:
        """The first lines of every form of the result."""
        from nbyk.report.comparison.judged import judged_head

        return judged_head(self)

    def to_frame(self) -> pd.DataFrame:
        """Return a frame with a row for each mean and each difference."""
        from nbyk.report.comparison.judged import judged_table

        return judged_table(self)

    def plot(self) -> Figure:
        """Return a figure of the means, or the only difference: corrected, by people and by the judge."""
        from nbyk.report.comparison.judged import judged_figure

        return judged_figure(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        named = {name: plain(getattr(self, name)) for name in ("means", "differences", "random_p", "drift")}
        return {**self.board.to_dict(), **named}


def compare_judged(
    data: JudgedSystems,
    *,
    against: str | float | None = None,
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    correction: Correction = "holm",
) -> JudgedBoard:
    """Return means, pairs and ranks of systems on the people's scale, for new items and new raters.

    Each mean, and each difference, is estimated by prediction-powered inference with the weight λ of least
    variance over items (`nbyk.testing.judged.corrected`). Its rectifier varies over items and raters, by the
    test that `nbyk.compare` uses where items share raters. New judges do not matter: people correct any
    judge. The answers that a judge gave count as drawn anew with the items.

    Parameters
    ----------
    data
        What `nbyk.read_judged` returns.
    against, alternative, alpha, confidence_level, correction
        As for `nbyk.compare`; a number is a score on the people's scale that each mean is compared with.

    Raises
    ------
    NbykError
        If people rated fewer than two outputs of a system (or slice), or an argument is unknown.

    References
    ----------
    Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023, Prediction-powered inference; Angelopoulos, Duchi
    and Zrnic 2023, PPI++.
    """
    names, weighing = data.systems, Weighing(data)
    bar = None if against is None or isinstance(against, str) else float(against)
    named = against if bar is None else f"a score of {in_full(bar)}"
    asked = Asked(
        Decision(alternative, alpha),
        confidence_level=confidence_level,
        correction=correction,
        against=cast("str | None", named),
    )
    low, high = (-math.inf, math.inf) if data.scale is None else data.scale.ends
    if bar is not None and not (low <= bar <= high and math.isfinite(bar)):
        expected = "a number" if data.scale is None else f"a score from {low:g} to {high:g}"
        raise NbykError(f"found {bar:g}, expected {expected}", argument="against")
    is_alone = bar is not None or (against is None and len(names) == 1)
    pairs = [] if is_alone else choose_pairs(names, asked.against, alternative)
    of_each, asked = asked, replace(asked, n_pairs=len(pairs) or len(names))
    question = replace(
        asked.question("mean"),
        test="t",
        hypothesis="have the same mean on the people's scale" if bar is None else EQUAL_SCORES,
        scale="the people's scale" if data.scale is None else scale_text(data.scale),
    )
    mean_estimates = [corrected(weighing, place) for place in range(len(names))]
    means = tuple(
        _estimated(weighing, of, of.broad, place, None, of_each) for place, of in enumerate(mean_estimates)
    )
    baseline = names.index(asked.against) if pairs and asked.against is not None else None
    all_pairs = (*pairs, *pairs_without(len(names), baseline))
    every = {pair: corrected(weighing, *pair) for pair in all_pairs}
    tests = {pair: of.broad for pair, of in every.items() if of.broad is not None and of.broad.variance > 0.0}
    tests = moderated_tests(tests, len(names), baseline=baseline)
    estimates = {pair: every[pair] for pair in pairs}
    differences = tuple(
        _estimated(weighing, of, tests.get(pair, of.broad), *pair, asked) for pair, of in estimates.items()
    )
    scores = np.array([of.items.effect for of in mean_estimates])
    n_raters = len(data.raters)
    units = {"raters": (n_raters, n_raters)} if n_raters < len(data.values) else {}
    sample = Sample(len(data.items), 0, _counts(data), units)
    warnings = (*_cautions(weighing, means, differences), *data.notes)
    intervals = [mean.claims[0].interval for mean in means]
    claims = {pair: of.claims for pair, of in zip(pairs, differences, strict=True)}
    chance = math.nan if data.chance is not None else p_of_random_choice(weighing)
    if chance <= 0.05:
        warnings = (
            "the judge's scores of the outputs that people rated differ from those of the others "
            f"(p = {chance:.2g}): if people chose outputs by such scores, the correction is not valid; "
            "give the chance of each choice with `chance`, or draw the outputs at random",
            *warnings,
        )
    trend, change, two_sided = drift(weighing), None, _two_sided(asked)
    if trend is not None and trend.sources:
        change = claims_over(None, trend, "raters", n_raters, two_sided, constant=_CONSTANT)[0]
    elif trend is not None:
        change = claim_over(trend, ("items",), "new items", two_sided, _CONSTANT)
    if bar is not None:
        claims = {(at, -1): _above(bar, of, asked, (low, high)) for at, of in enumerate(mean_estimates)}
    claims = claims or {(0, -1): means[0].claims}
    board = board_by_formula(question, sample, names, scores, intervals, claims, warnings=warnings, bar=bar)
    return JudgedBoard(board, means, differences, chance, change)


def _estimated(
    weighing: Weighing,
    estimate: Corrected,
    broad: SharedUnitsTest | None,
    a: int,
    b: int | None,
    asked: Asked,
) -> OnPeoplesScale:
    """Return one mean or difference, by the judge, by people and by both."""
    names = weighing.data.systems
    people = corrected(weighing, a, b, weight=0.0)
    excess = corrected(weighing, b, a, weight=1.0, rated_only=True)
    low, high = (-math.inf, math.inf) if weighing.data.scale is None else weighing.data.scale.ends
    ends = (low, high) if b is None else (low - high, high - low)
    claims, by_people = _claims(estimate, broad, asked, ends), _claims(people, people.broad, asked, ends)
    if b is None:
        claims = tuple(map(without_p, claims))
    return OnPeoplesScale(
        names[a],
        "" if b is None else names[b],
        *judge_alone(weighing, a, b, asked.pair_level),
        without_p(told(by_people)),
        claims,
        estimate.weight,
        told(_claims(excess, excess.broad, _two_sided(asked), (-math.inf, math.inf))),
    )


def _above(bar: float, estimate: Corrected, asked: Asked, ends: Interval) -> tuple[Claim, ...]:
    """Return the claims about how far a mean is above a score."""
    effect = estimate.items.effect - bar
    broad = estimate.broad and replace(estimate.broad, effect=effect)
    moved = replace(estimate, items=replace(estimate.items, effect=effect))
    return _claims(moved, broad, asked, (ends[0] - bar, ends[1] - bar))


def _two_sided(asked: Asked) -> Asked:
    """Return what is asked of the judge: how it differs from people has no side that is better."""
    return replace(asked, decision=replace(asked.decision, alternative="two-sided"), n_pairs=1)


def _claims(
    estimate: Corrected, broad: SharedUnitsTest | None, asked: Asked, ends: Interval
) -> tuple[Claim, ...]:
    """Return the claims of an estimate, the broadest first, with no interval beyond the ends."""
    raters = estimate.n_raters
    these = "with this rater" if raters == 1 else f"with these {raters} raters"
    if broad is None and raters < 1:
        these = "each with a rater of its own"
    items = claim_over(estimate.items, ("items",), f"new items, {these}", asked, _CONSTANT)
    claims: tuple[Claim, ...] = (items,)
    if broad is not None or raters >= 1:
        claims = claims_over(items, broad, "raters", raters, asked, constant=_CONSTANT)
    first, *others = (claim.within(*ends) for claim in claims)
    return replace(first, parts=estimate.parts if first.is_conclusive else ()), *others


def told(claims: tuple[Claim, ...]) -> Claim:
    """Return the broadest claim that has numbers, or the broadest one."""
    return next((claim for claim in claims if claim.is_conclusive), claims[0])


def _counts(data: JudgedSystems) -> dict[str, ResponseCounts]:
    cells = np.bincount(data.item * len(data.systems) + data.system, minlength=data.judge.size)
    return {"people": ResponseCounts.of(cells[cells > 0]), "judge": ResponseCounts.of(data.answers)}


def _cautions(
    weighing: Weighing, means: tuple[OnPeoplesScale, ...], differences: tuple[OnPeoplesScale, ...]
) -> Iterator[str]:
    data = weighing.data
    estimates = differences or means
    first = estimates[0].claims[0]
    n_raters = len(data.raters)
    if "raters" in first.over and not first.is_conclusive and told(estimates[0].claims).is_conclusive:
        yield f"{first.reason}: only the claim about {'this rater' if n_raters == 1 else 'these'} has numbers"
    elif first.is_conclusive and "raters" in first.over:
        yield from about_few(n_raters, "raters")
    constant = [name for place, name in enumerate(data.systems) if np.ptp(data.judge[:, place]) == 0.0]
    if constant:
        yield (
            f"the judge gives all outputs of {', '.join(constant)} one score, which tells nothing: "
            "these are people's ratings alone"
        )
    low, high = float(data.values.min()), float(data.values.max())
    beyond = float(np.mean((data.judge < low) | (data.judge > high)))
    if data.scale is None and beyond > 0.05:
        yield (
            f"{100 * beyond:.0f} % of the judge's scores lie outside the people's ratings ({low:g} to "
            f"{high:g}); check that both use one scale, and declare it with `scale`"
        )
    shares = [sum(part.share for part in of.claims[0].parts if part.source == ANSWERS) for of in estimates]
    if weighing.rated.all():
        yield "people rated all outputs that the judge scored, so that it adds nothing; let it score others"
    elif data.answers.max() > 1 and max(shares) < 0.1:
        yield (
            "more answers of the judge to an output will not help: they make under "
            f"{math.ceil(100 * max(shares)) or 1} % of the variance"
        )
