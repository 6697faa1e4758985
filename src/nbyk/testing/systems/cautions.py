"""Cautions about a comparison, in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.data.response_set import ResponseSet
from nbyk.data.scales import Scale
from nbyk.errors import argument_with
from nbyk.metrics import Metric
from nbyk.metrics.item_means import item_means
from nbyk.testing.intervals import share_below
from nbyk.testing.pvalues import attained_level, sides_of
from nbyk.testing.results import Pair
from nbyk.testing.systems.asked import ALIKE, TESTED
from nbyk.testing.systems.claims import few_units
from nbyk.testing.systems.items_alone import FEW_ITEMS
from nbyk.testing.systems.panel import Panel
from nbyk.testing.unit_cautions import about_units, named_units
from nbyk.words import Remark, number, number_of

_MORE_WOULD_TELL = "chance in it counts as its item's, and several would tell them apart"
ONE_RESPONSE = Remark(f"every item has one response: {_MORE_WOULD_TELL}")
_LOPSIDED = 0.1

EXACT = ("swap_items", "permutation")
"""Nulls whose tests hold their level exactly for any metric, if there are no ties."""

_WIDER = 10.0
"""Responses whose range is wider by this factor than another's look as if they were on another scale."""

FEW_FOR_RANKS = 100
"""With fewer items or clusters, bootstrapped intervals of a metric that goes by ranks are too narrow."""

_SAME = 0.1
"""p-values that differ by less than this share of the larger one count as the same."""

_KEPT = 0.8
"""If ties reduce the level of an exact test below this share of α, a caution says so."""


def same_responses(data: ResponseSet) -> bool:
    """Return whether A and B gave the same responses to every item."""
    return data.a.shape == data.b.shape and np.array_equal(data.a, data.b, equal_nan=True)


def about_data(data: ResponseSet, *, null: str, panel: Panel) -> Iterator[str]:
    """Yield the cautions that are the same for every metric; `panel` holds the populations of the claims."""
    yield from few_units([panel])
    kept = panel.left_as_they_are(named_units(data))
    yield from about_units(kept, has_gold=data.has_gold)
    a, b = data.names
    sources = ({"gold": data.gold} if data.has_gold else {}) | {a: data.a, b: data.b}
    single = [name for name, matrix in sources.items() if matrix.shape[1] == 1]
    if same_responses(data):
        yield f"{a} and {b} have the same ratings"
    if data.categories is None:
        yield from _about_scales(sources)
    yield from about_null(null)
    if len(single) == len(sources):
        yield ONE_RESPONSE
    elif single:
        yield Remark(f"one response per item from {' and '.join(single)}: {_MORE_WOULD_TELL}")


def about_null(null: str) -> Iterator[str]:
    """Yield a caution if a null hypothesis says more than that systems are equally good."""
    if TESTED[null] == ALIKE:
        yield (
            f"null {null} says that two systems {ALIKE}, so the test may reject for two systems that differ "
            "but are equally good, and shows no rank; swap_items and shifted test whether they are"
        )


def about_undefined(metric: str, n_draws: int) -> Iterator[str]:
    """Yield a caution if a metric is undefined on some bootstrap draws."""
    if n_draws:
        draws = number_of(n_draws, "bootstrap draw")
        yield f"{metric} is undefined on {draws}, which its intervals leave out"


def _about_scales(sources: Mapping[str, Floats]) -> Iterator[str]:
    """Yield a caution if two sources look as if they were on different scales."""
    ends = {name: (float(np.nanmin(matrix)), float(np.nanmax(matrix))) for name, matrix in sources.items()}
    varying = {name: (low, high) for name, (low, high) in ends.items() if low < high}
    for (one, (low, high)), (other, (least, most)) in combinations(varying.items(), 2):
        widths = sorted((high - low, most - least))
        if high <= least or most <= low or widths[1] >= _WIDER * widths[0]:
            yield (
                f"{one} lies between {low:g} and {high:g}, and {other} between {least:g} and {most:g}: if "
                "these are two scales, put all on one first, since metrics take the numbers as they are"
            )
            return


def about_number(clusters: Integers | None, n_items: int, *, null: str) -> Iterator[str]:
    """Yield the caution about intervals from few items or clusters, or from a few clusters with most items.

    Clusters of n_g items count as (Σ n_g)² / Σ n_g² clusters of one size.
    """
    drawn = "bootstrap intervals and the shifted null" if null == "shifted" else "bootstrap intervals"
    sizes = np.ones(n_items) if clusters is None else np.bincount(clusters)
    worth = float(sizes.sum() ** 2 / (sizes**2).sum())
    if len(sizes) < FEW_ITEMS:
        unit = "items" if clusters is None else "clusters"
        yield f"only {len(sizes)} {unit}: {drawn} of so few are usually too narrow"
    elif worth < FEW_ITEMS:
        yield (
            f"{len(sizes)} clusters of unlike sizes, worth {worth:.0f} of one size: {drawn} of so few are "
            "usually too narrow"
        )


def about_pair(
    pair: Pair, metric: Metric, data: ResponseSet, scale: Scale, *, undefined: int, by_bootstrap: bool
) -> Iterator[str]:
    """Yield the cautions of one pair by one metric, which is undefined on some bootstrap draws.

    `by_bootstrap` says whether the intervals over items come from the bootstrap.
    """
    claim, asked, drawn = pair.claims[-1], pair.question, pair.drawn
    assert drawn is not None
    assert drawn.null is not None
    assert drawn.bootstrapped is not None
    alpha, n_draws, least_p = asked.alpha, drawn.n_resamples, claim.least_p
    drawn_units = "clusters" if "clusters" in claim.over else "items"
    attained = None
    enough = sides_of(asked.alternative) <= alpha * (1 + n_draws)
    if asked.test in EXACT and enough and not same_responses(data):
        attained = attained_level(claim.effect, drawn.null, alpha, alternative=asked.alternative)
    below = share_below(drawn.bootstrapped, claim.effect)
    if least_p > alpha:
        what = (
            f"the {n_draws + 1} arrangements of so few {drawn_units}" if drawn.exact else f"{n_draws} draws"
        )
        way_out = f"take more {drawn_units}" if drawn.exact else "raise `max_resamples`"
        yield f"the smallest p that {what} can give is {least_p:.2g}, above α = {alpha:g}: {way_out}"
    elif not claim.decided:
        yield f"after {n_draws} draws p is too near α = {alpha:g} for a decision; raise `max_resamples`"
    if least_p <= alpha and attained is not None and attained < _KEPT * alpha:
        most = f"no more than {attained:.2g} of" if attained else "none of the"
        without_ties = least_p * np.floor(alpha / least_p) if least_p else alpha  # 2⁻ᴺ may round to 0
        way_out = ""
        if attained < _KEPT * without_ties:
            why = f"{metric.name} takes few values on these data: because of ties,"
        elif drawn.exact:
            why = f"with {n_draws + 1} arrangements"
        else:
            why, way_out = f"with {n_draws} draws", "; raise `n_resamples`"
        yield f"{why} the test rejects {most} equally good systems at α = {alpha:g}{way_out}"
    yield from about_undefined(metric.name, undefined)
    if asked.test == "shifted" and not metric.is_mean_over_items:
        yield (
            f"null shifted may reject too often on {metric.name}, which is no mean over items "
            "(docs/calibration.md); swap_items holds its level"
        )
    ranks_few = "monotone" in metric.unchanged_by and (data.n_clusters or data.n_items) < FEW_FOR_RANKS
    if by_bootstrap and metric.follows_one_item:
        yield (
            f"{metric.name} depends on single items, so do not rely on its bootstrapped intervals: those of "
            "95 % missed the true effect in up to .14 of cases (docs/calibration.md)"
        )
    elif by_bootstrap and ranks_few:
        yield (
            f"{metric.name} goes by ranks, and its bootstrapped intervals are too narrow below about "
            f"{FEW_FOR_RANKS} {drawn_units}: those of 95 % missed the true effect in up to .12 of cases "
            "(docs/calibration.md)"
        )
    elif by_bootstrap and min(below, 1.0 - below) < _LOPSIDED:
        yield (
            f"{100 * below:.2g} % of the bootstrap draws lie below the observed effect: {metric.name} "
            "is biased at this size, and its intervals are rough"
        )
    yield from _about_claims(pair)
    yield from _about_latent(pair)
    if data.categories is None:
        yield from about_threshold(metric, data.gold, (data.a, data.b), scale)


def _about_claims(pair: Pair) -> Iterator[str]:
    """Yield a caution if the broader claim looks more certain than the narrower one, which is not shown."""
    broad, items = pair.claims[0], pair.claims[-1]
    if broad.by_precision:
        who = " or ".join(name for name in broad.over if name != "items")
        yield (
            f"some {who} answer far more items than others: for {broad.population} the effect weights each "
            f"rating by its precision; the plain mean over items is {number(items.effect)}"
        )
        return
    if not broad.is_conclusive or items.p <= pair.question.alpha:
        return
    if items.p - broad.p > max(3.0 * items.standard_error, _SAME * items.p):
        yield (
            f"p for {items.population} is larger, {number(items.p)}, although that claim is narrower: quote "
            "this one"
        )


def _about_latent(pair: Pair) -> Iterator[str]:
    """Yield a caution if an ordinal model shows the system to be better that has the worse mean."""
    for claim in pair.claims:
        if claim.latent is not None and claim.latent.effect * claim.effect < 0.0:
            low, high = claim.latent.interval
            better = pair.a if low > 0.0 else pair.b
            if low > 0.0 or high < 0.0:
                yield (
                    f"{better} is the worse by the mean and the better by an ordinal model: which is better "
                    "depends on the distances between the levels"
                )
            return


def about_threshold(metric: Metric, gold: Floats, systems: Sequence[Floats], scale: Scale) -> Iterator[str]:
    """Yield the item mean at which a metric calls an item positive, if means are not only 0 and 1."""
    if metric.threshold is None:
        return
    roles = [*([gold] if metric.needs_gold else []), *(systems if metric.cuts_systems else [])]
    if not all(np.isin(item_means(role), (0.0, 1.0)).all() for role in roles):
        in_ratings = metric.threshold_in_ratings(scale)
        cut = metric.threshold if in_ratings is None else in_ratings
        whose = "its mean rating" if metric.cuts_systems else "gold's mean rating"
        or_classes = f"; {argument_with('kind', 'classes')} takes numbers for classes"
        yield (
            f"{metric.name} calls an item positive if {whose} is {cut:g} or more; "
            f"{metric.base_name}(threshold=…) cuts elsewhere, on the scale from 0 to 1"
            f"{or_classes if metric.cuts_systems else ''}"
        )
