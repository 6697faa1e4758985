"""What is known of a metric by measurement: its scores of made-up ratings, before and after a change.

The ratings lie on five scales, one of them of whole numbers, so that a threshold or a rounding of the
metric's own lies within one. They come from a fixed seed. A trait holds if it holds on every scale on which
the metric is defined and its score varies. The range is that of sets whose ratings are as alike and
as unlike as can be.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from nbyk.arrays import Floats
from nbyk.errors import NbykError
from nbyk.metrics.metric import Change, Smoothness, Traits

if TYPE_CHECKING:
    from nbyk.metrics.metric import Metric

_ITEMS, _RESPONSES = 96, 2
_SCALES = ((0.5, 0.25), (50.0, 25.0), (0.0, 1.0), (3.0, 1.0))
_SETS, _FEW_SETS, _STEPS, _HALVINGS = 16, 3, 16, 30
_ROUNDING = 1e-9

_JUMP = 0.06
"""A step as large as this share of a score's standard deviation over sets of items is a jump. That of one
item across a threshold is .1 to .3, and that of two neighbours in a rank correlation .02."""

_ONE_ITEM = 0.4
"""If one item brings this share of a small change, the score follows single items, as a maximum does."""

_SIZES = (6, 10.0), (15, 100.0)
"""Numbers of items, and the width to each side of 0 of ratings without a unit."""

_RANDOM_SETS = 48

_UNKNOWN = Traits("smooth")


@lru_cache(maxsize=256)
def measured_traits(metric: Metric) -> Traits:
    """Return a metric's traits; of one that made-up ratings do not fit, no trait holds."""
    if "numbers" not in metric.kinds:
        return _UNKNOWN
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            worlds = [_World(metric, *world) for world in _ratings()]
            worlds = [world for world in worlds if world.spread > 0.0]
            if not worlds:
                return _UNKNOWN
            fine = [world for world in worlds if not world.whole_numbers] or worlds
            one_item = fine[0].share_of_one_item() > _ONE_ITEM
            unit_power = _unit_power(worlds)
            return Traits(
                "jumps" if one_item else _smoothness(fine),
                tuple(change for change in _CHANGES if all(world.keeps(change) for world in worlds)),
                unit_power,
                worlds[0].is_mean_over_items(),
                one_item,
                _score_range(metric, unit_power),
            )
    except NbykError:
        return _UNKNOWN


def _ratings() -> Iterator[tuple[Floats, Floats]]:
    """Yield two systems' and gold's ratings of all sets: shapes (2, R, N, K) and (R, N, K)."""
    rng = np.random.default_rng(20)
    shape = (_SETS, _ITEMS, _RESPONSES)
    for centre, width in (*_SCALES, (2.0, 1.2)):
        items = rng.normal(0.0, 1.0, (*shape[:2], 1))
        gold = 0.8 * items + 0.6 * rng.normal(0.0, 1.0, shape)
        systems = 0.7 * items + 0.7 * rng.normal(0.0, 1.0, (2, *shape))
        systems, gold = centre + width * systems, centre + width * gold
        if (centre, width) not in _SCALES:
            systems, gold = np.round(systems), np.round(gold)
        yield systems, gold


def _score(metric: Metric, systems: Floats, gold: Floats) -> Floats:
    """Return the first system's scores of sets, or a comparison's effects, shape (R,)."""
    if metric.needs == "item_means":
        systems, gold = systems.mean(axis=-1), gold.mean(axis=-1)
    is_comparison = metric.kind == "comparison"
    return metric.effects(systems, gold) if is_comparison else metric.scores(systems[:1], gold)[0]


_MAPS: dict[Change, tuple[Callable[[Floats], Floats], ...]] = {
    "location": (lambda x: x + 0.37, lambda x: x - 8.3, lambda x: x + 61.0),
    "scale": (lambda x: x * 0.31, lambda x: x * 7.9),
    "monotone": (lambda x: x**3, lambda x: np.exp(x / np.abs(x).max()), lambda x: np.arctan(x / 3.0)),
}
_CHANGES = tuple(_MAPS)


class _World:
    """A metric on the sets of one scale."""

    def __init__(self, metric: Metric, systems: Floats, gold: Floats) -> None:
        self.metric, self.systems, self.gold = metric, systems, gold
        self.whole_numbers = bool((systems == np.round(systems)).all())
        self.is_comparison = metric.kind == "comparison"
        self.scores = self.score(systems, gold)
        self.spread = float(self.scores.std()) if np.isfinite(self.scores).all() else 0.0

    def score(self, systems: Floats, gold: Floats) -> Floats:
        """Return `_score` of sets."""
        return _score(self.metric, systems, gold)

    def keeps(self, change: Change) -> bool:
        """Return whether a change of one system's responses alone changes no score."""
        systems, gold = self.systems[:, :_FEW_SETS], self.gold[:_FEW_SETS]
        if (
            self.metric.needs == "item_means"
        ):  # only these, which it sees, keep their order under a rising map
            systems, gold = systems.mean(axis=-1, keepdims=True), gold.mean(axis=-1, keepdims=True)
        for changed in _MAPS[change]:
            for system in range(1 + self.is_comparison):
                moved = systems.copy()
                moved[system] = changed(systems[system])
                if not _equal(self.score(moved, gold), self.scores[:_FEW_SETS]):
                    return False
        return True

    def largest_step(self) -> float:
        """Return the largest change within a tiny part of a way between two sets, in standard deviations.

        The part of the way on which the score changes most is halved again and again.
        """
        (first, first_gold), (last, last_gold) = self._single_set(0), self._single_set(1)

        def at(places: Floats) -> Floats:
            t = places[:, None, None]
            return self.score((1.0 - t) * first + t * last, (1.0 - t) * first_gold + t * last_gold)

        places = np.linspace(0.0, 1.0, _STEPS + 1)
        values = at(places)
        for _ in range(_HALVINGS):
            most = int(np.argmax(np.abs(np.diff(values))))
            low, high = places[most : most + 2]
            places = np.array([low, 0.5 * (low + high), high])
            values = np.array([values[most], at(places[1:2])[0], values[most + 1]])
        return float(np.abs(np.diff(values)).max()) / self.spread

    def share_of_one_item(self) -> float:
        """Return the largest share of an item in the sum of small changes; 0 if nothing changes."""
        systems, gold = self._single_set(0)
        nudged = np.repeat(systems, _ITEMS, axis=1)
        every = np.arange(_ITEMS)
        nudged[0, every, every] += 1e-6 * self.systems.std()
        changes = np.abs(self.score(nudged, np.repeat(gold, _ITEMS, axis=0)) - self.scores[0])
        return float(changes.max() / changes.sum()) if changes.sum() > 0.0 else 0.0

    def is_linear(self) -> bool:
        """Return whether two changes together change a score by the sum of what each changes."""
        base, first, second = (self._single_set(k) for k in range(3))
        steps = []
        for sets in ((base, first), (base, second), (base, first, second)):
            systems, gold = (np.add.reduce(values) for values in zip(*sets, strict=True))
            steps.append(self.score(systems, gold) - self.scores[0])
        by_first, by_second, by_both = (float(step[0]) for step in steps)
        return abs(by_both - by_first - by_second) <= _ROUNDING * (abs(by_first) + abs(by_second))

    def is_mean_over_items(self) -> bool:
        """Return whether a score is the mean of those of single items, which may differ in responses."""
        systems, gold = (values.copy() for values in self._single_set(0))
        if self.metric.needs == "responses" and not self.metric.takes_trials:
            systems[:, :, ::3, 1:] = gold[:, ::3, 1:] = np.nan
        single = self.score(systems[:, 0][:, :, None], gold[0][:, None])
        return _equal(single.mean(), self.score(systems, gold)[0])

    def unit_power(self) -> float:
        """Return the power of a common factor of all ratings in the scores; NaN if there is none."""
        ratio = self.score(2.0 * self.systems, 2.0 * self.gold) / self.scores
        return float(np.log2(ratio[0])) if np.ptp(ratio) <= _ROUNDING * np.abs(ratio).max() else np.nan

    def _single_set(self, number: int) -> tuple[Floats, Floats]:
        return self.systems[:, number : number + 1], self.gold[number : number + 1]


def _score_range(metric: Metric, unit_power: int) -> tuple[float, float]:
    """Return the least and the largest score; an end that is not known is infinite.

    Ratings are from 0 to 1, but any numbers for a metric without a unit, whose range is that of all ratings.
    An end is known if it is the same for few items as for more, which then lie farther apart if the metric
    has no unit, and if no random set lies beyond it.
    """
    rng, n_roles = np.random.default_rng(39), 2 + (metric.kind == "comparison")
    ends, beyond = [], []
    for n, width in _SIZES:
        low, high = (-width, width) if unit_power == 0 else (0.0, 1.0)
        extremes = [low + (high - low) * ratings for ratings in _extremes(n, metric)]
        scores = _scores_of(metric, product(extremes, repeat=n_roles))
        shape = (_RANDOM_SETS, n_roles, n, _RESPONSES)
        alike = np.broadcast_to(rng.uniform(low, high, (*shape[:2], 1, 1)), shape)
        others = _scores_of(metric, (*rng.uniform(low, high, shape), *alike))
        if scores.size == 0 or others.size == 0:
            return -math.inf, math.inf
        ends.append((float(scores.min()), float(scores.max())))
        beyond.append((float(others.min()), float(others.max())))
    least, most = (_equal(*pair) for pair in zip(*ends, strict=True))
    (low, high), room = ends[0], _ROUNDING * max(map(abs, ends[0]))
    least = least and min(end for end, _ in beyond) >= low - room
    most = most and max(end for _, end in beyond) <= high + room
    return low if least else -math.inf, high if most else math.inf


def _extremes(n: int, metric: Metric) -> list[Floats]:
    """Return ratings of n items from 0 to 1, shape (n, K): all alike, at both ends, or in an order."""
    places = np.arange(float(n))
    order = places / (n - 1.0)
    rows = [np.full(n, level) for level in (0.0, 0.5, 1.0)]
    rows += [places % 2.0, 1.0 - places % 2.0, order, 1.0 - order, np.where(places == 0.0, 1.0, 0.0)]
    alike = [np.repeat(row[:, None], _RESPONSES, axis=1) for row in rows]
    if metric.needs == "item_means":
        return alike
    return [*alike, *(np.stack([row, 1.0 - row], axis=1) for row in rows[2:])]


def _scores_of(metric: Metric, sets: Iterable[Sequence[Floats]]) -> Floats:
    """Return the scores of sets of systems and gold, each of shape (N, K); only those that are defined."""
    scores = []
    for *systems, gold in sets:
        try:
            scores.append(float(_score(metric, np.array(systems)[:, None], gold[None])[0]))
        except NbykError:  # a function of a user's own may refuse ratings that are all the same
            continue
    values: Floats = np.array(scores)
    return np.asarray(values[~np.isnan(values)])


def _smoothness(worlds: list[_World]) -> Smoothness:
    if any(world.largest_step() > _JUMP for world in worlds):
        return "jumps"
    return "linear" if all(world.is_linear() for world in worlds) else "smooth"


def _unit_power(worlds: list[_World]) -> int:
    powers = {world.unit_power() for world in worlds}
    power = powers.pop()
    return round(power) if not powers and np.isfinite(power) and power == round(power) else 0


def _equal(values: Floats | float, others: Floats | float) -> bool:
    return bool(np.allclose(values, others, rtol=_ROUNDING, atol=1e-12))
