"""Prediction-powered inference with raters that items share: a judge's scores, corrected by people's ratings.

With y the people's ratings, f the judge's scores and weights a of rated and b of judged items that each add
up to 1, the estimate is

    θ = λ Σ b f + Σ a (y − λ f),

which is right for any judge, because the items that people saw are drawn from all (Angelopoulos, Bates,
Fannjiang, Jordan and Zrnic 2023). Its first part varies over items; its second, the rectifier, over items and
raters, as `nbyk.testing.shared_units` tests.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import chdtrc, stdtrit

from nbyk.arrays import Floats, Integers
from nbyk.data.judged import JudgedSystems
from nbyk.errors import NbykError
from nbyk.metrics.registry import named
from nbyk.sums import product
from nbyk.testing.results import Interval, VariancePart
from nbyk.testing.shared_units import NO_UNIT, Responses, SharedUnitsTest, responses, shared_units_test

ANSWERS, JUDGED = "answers of the judge", "items that only the judge scored"
"""Parts of the variance beside those of the rectifier."""

_BINS = 5
_ALONE = 1e-9
_ROUNDING = 1e-14


@dataclass(frozen=True)
class Corrected:
    """An estimate on the people's scale, with the weight λ of the judge, from 0 to 1.

    `items` is the test over new items with these raters; `broad` that over new raters too, None if items
    share fewer than two; `parts` are those of the variance of the broader one, and `n_raters` is the number
    of the system with fewer. `influences` are those of each rating, with its rater, on the items that people
    rated, and `over_rest` is the variance over the items that only the judge scored.
    """

    weight: float
    items: SharedUnitsTest
    broad: SharedUnitsTest | None
    parts: tuple[VariancePart, ...]
    n_raters: int
    influences: Responses
    over_rest: float


class Weighing:
    """The weights of all items, rated and judged, by system and slice."""

    def __init__(self, data: JudgedSystems) -> None:
        self.data = data
        self.rounding = _ROUNDING * max(float(np.abs(of).max()) for of in (data.values, data.judge))
        shape = data.judge.shape
        slices = np.zeros(shape[0], np.int64) if data.slices is None else data.slices
        counts = np.zeros(shape)
        np.add.at(counts, (data.item, data.system), 1.0)
        sums = np.zeros(shape)
        np.add.at(sums, (data.item, data.system), data.values)
        self.rated = counts > 0
        with np.errstate(invalid="ignore"):
            self.people = sums / counts
        self.slices = [np.flatnonzero(slices == place) for place in np.unique(slices)]
        self.a, self.b, self.spread = np.zeros(shape), np.zeros(shape), np.ones(shape)
        for system, name in enumerate(data.systems):
            for rows in self.slices:
                self._weigh(system, name, rows)

    def _weigh(self, system: int, name: str, rows: Integers) -> None:
        chosen = rows[self.rated[rows, system]]
        if len(chosen) < 2:
            raise NbykError(
                f"people rated {len(chosen)} outputs of {name}"
                f"{'' if len(self.slices) == 1 else ' in a slice'}; expected two or more: collect "
                f"more{'' if len(self.slices) == 1 else ', or leave the slices out'}"
            )
        share = len(rows) / len(self.rated)
        weights = np.ones(len(chosen)) if self.data.chance is None else 1.0 / self.data.chance[chosen, system]
        self.a[chosen, system] = share * weights / weights.sum()
        self.spread[chosen, system] = np.sqrt(len(chosen) / (len(chosen) - 1.0))
        # of equally likely items, the others are as good a sample, and independent of those that people rated
        others = rows if self.data.chance is not None else np.setdiff1d(rows, chosen)
        if len(others):
            self.b[others, system] = share / len(others)
        else:
            self.b[chosen, system] = self.a[chosen, system]

    def less(self, values: Floats, centre: Floats | float) -> Floats:
        """Return ratings or scores less their centre, 0 where only rounding is left."""
        left = values - centre
        return np.where(np.abs(left) > self.rounding, left, 0.0)

    def best_weight(self, signs: Floats) -> float:
        """Return λ of the least variance over items (PPI++), between 0 and 1, for a contrast of systems."""
        kappa, systems = self.a - self.b, np.flatnonzero(signs)
        judge_variance = covariance = 0.0
        for rows in self.slices:
            scores = self.data.judge[np.ix_(rows, systems)]
            scores = self.less(scores, scores.mean(axis=0))
            spread = product(scores.T, scores) / (len(rows) - 1)
            k = kappa[np.ix_(rows, systems)] * signs[systems]
            judge_variance += float(np.sum(spread * product(k.T, k)))
            for s in systems:
                is_rated = self.rated[rows, s]
                chosen = rows[is_rated]
                a, people = self.a[chosen, s], self.people[chosen, s]
                centred = self.less(people, np.average(people, weights=a))
                with_judge = product(a / a.sum() * centred, scores[is_rated])
                weights = product(signs[s] * a, kappa[np.ix_(chosen, systems)] * signs[systems])
                covariance += float(np.sum(with_judge * weights))
        return min(max(covariance / judge_variance, 0.0), 1.0) if judge_variance > 0.0 else 0.0


def corrected(
    weighing: Weighing,
    plus: int | None,
    minus: int | None = None,
    *,
    weight: float | None = None,
    rated_only: bool = False,
) -> Corrected:
    """Return the estimate of one system's mean, or of the difference of two, on the people's scale.

    `plus` and `minus` are the places of the system whose mean counts, and of the one whose mean is taken off.
    The `weight` is λ, by default the best one; 0 is people alone. `rated_only` leaves the judge's own mean
    out: with λ = 1, the estimate is people's mean minus the judge's on the outputs that people rated.
    """
    data, shape = weighing.data, weighing.data.judge.shape
    signs = np.zeros(shape[1])
    for system, sign in ((plus, 1.0), (minus, -1.0)):
        if system is not None:
            signs[system] = sign
    is_fitted = weight is None
    if weight is None:
        weight = weighing.best_weight(signs)
    b = np.zeros(shape) if rated_only else weight * weighing.b
    rows = np.flatnonzero(weighing.rated[:, signs != 0.0].any(axis=1))
    effect = 0.0
    judged, residual, variances = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for system in np.flatnonzero(signs).tolist():
        f, a = data.judge[:, system], weighing.a[:, system]
        difference = np.where(weighing.rated[:, system], weighing.people[:, system], 0.0) - weight * f
        effect += float(signs[system] * (np.sum(a * difference) + np.sum(b[:, system] * f)))
        for places in weighing.slices:
            means = [
                np.sum(w[places] * x[places]) / max(w[places].sum(), 1e-300)
                for w, x in ((a, difference), (b[:, system], f))
            ]
            residual[places, system] = weight * f[places] + means[0]
            judged[places, system] = b[places, system] * weighing.less(f[places], means[1])
            errors = (a * weighing.spread[:, system])[places] * weighing.less(difference[places], means[0])
            variances[places, system] = np.sum(errors**2) * a[places] ** 2 / np.sum(a[places] ** 2)
    df, spread = _degrees(variances, weighing.spread), weighing.spread
    if is_fitted and 0.0 < weight < 1.0:  # λ takes a degree of freedom from the rectifier
        if df < 2.0 - _ALONE:
            return corrected(weighing, plus, minus, weight=0.0, rated_only=rated_only)
        df, spread = df - 1.0, spread * math.sqrt(df / (df - 1.0))
    packed = [_rows_of(weighing, system, rows, residual, judged, spread) for system in (plus, minus)]
    (a_values, a_units), (b_values, b_units) = packed
    given = responses(a_values, b_values, a_units=a_units, b_units=b_units, paired=True)
    rest = np.setdiff1d(np.arange(shape[0]), rows)
    influence = product(judged[rest], signs)
    over_rest = float(np.sum(influence**2)) * len(rest) / (len(rest) - 1.0) if len(rest) > 1 else 0.0
    items = _with_rest(
        shared_units_test(named("mean", "numbers"), given, sources=()), df, effect, over_rest, len(rest)
    )
    broad, n_raters = None, max(len(np.unique(units[units >= 0])) for _, units in packed)
    if given.source_units:
        n_raters = min(given.sizes.values())
        test = shared_units_test(named("mean", "numbers"), given, weighted=False)  # see docs/judge.md
        broad = _with_rest(_with_whole_weights(test, given), df, effect, over_rest, len(rest))
    if broad is not None and (plus is None or minus is None):  # the raters are those of no other system
        (part,) = broad.sources.values()
        broad = replace(broad, sources={"raters": part})
    noise = (
        weight**2
        * signs**2
        * (weighing.a - (0.0 if rated_only else weighing.b)) ** 2
        * data.answer_variance
        / data.answers
    )
    parts = _parts(broad or items, over_rest, float(noise[rows].sum()), float(noise[rest].sum()))
    return Corrected(weight, items, broad, parts, n_raters, given, over_rest)


def judge_alone(weighing: Weighing, plus: int, minus: int | None, level: float) -> tuple[float, Interval]:
    """Return the judge's own mean, or difference of means, over new items, with its interval by t."""
    values = weighing.data.judge[:, plus]
    if minus is not None:
        values = values - weighing.data.judge[:, minus]
    mean, error = float(values.mean()), float(values.std(ddof=1)) / math.sqrt(len(values))
    reach = float(stdtrit(len(values) - 1.0, 0.5 + level / 2.0)) * error
    return mean, (mean - reach, mean + reach)


def p_of_random_choice(weighing: Weighing) -> float:
    """Return p of the hypothesis that people rated a random part of each slice, by the judge's scores.

    A χ² test of rated and other outputs in bins of the judge's scores, summed over slices, for each system;
    the least p, times the number of systems.
    """
    least = 1.0
    for system in range(weighing.rated.shape[1]):
        statistic, df = 0.0, 0
        for rows in weighing.slices:
            f, rated = weighing.data.judge[rows, system], weighing.rated[rows, system]
            ends = np.unique(np.quantile(f, np.arange(1, _BINS) / _BINS, method="lower"))
            bins = np.searchsorted(ends, f)
            counts = [np.bincount(bins[part], minlength=len(ends) + 1) for part in (rated, ~rated)]
            table = np.stack(counts).astype(np.float64)
            table = table[:, table.sum(axis=0) > 0]
            if table.sum(axis=1).all():
                expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
                # of N outputs, a random choice gives N / (N − 1) times the degrees of freedom on average
                statistic += float(np.sum((table - expected) ** 2 / expected)) * (1.0 - 1.0 / table.sum())
                df += table.shape[1] - 1
        if df:
            least = min(least, float(chdtrc(df, statistic)))
    return min(1.0, least * len(weighing.data.systems))


def drift(weighing: Weighing) -> SharedUnitsTest | None:
    """Return the test of a trend of people's ratings minus the judge's score over batches; None without one.

    The effect is the change from the first batch to the last by the line of least squares, for all systems
    together.
    """
    data = weighing.data
    if data.batch is None:
        return None
    cell = data.item * len(data.systems) + data.system
    cells, row = np.unique(cell, return_inverse=True)
    sizes = np.bincount(row)
    time = np.bincount(row, weights=data.batch) / sizes
    gap = data.values - data.judge[data.item, data.system]
    system = cells % len(data.systems)
    cell_gaps = np.bincount(row, weights=gap) / sizes
    for place in np.unique(system):
        mine = system == place
        time[mine] -= time[mine].mean()
        cell_gaps[mine] -= cell_gaps[mine].mean()
        gap[mine[row]] -= (np.bincount(row, weights=gap) / sizes)[mine].mean()
    square = float(np.sum(time**2))
    if not square > 0.0 or len(cells) < 3:
        return None
    span = float(data.batch.max() - data.batch.min())
    slope = float(np.sum(time * cell_gaps)) / square
    n, leverage = len(cells), 1.0 / np.bincount(system)[system] + time**2 / square
    spread = 1.0 / np.sqrt(np.maximum(1.0 - leverage, _ALONE))
    scale = math.sqrt(n * (n - 1.0)) * span * spread * time / square
    influence = scale[row] * weighing.less(gap, slope * time[row])
    values, units = _packed(influence, data.rater, row, n, _shares(data, np.arange(len(row))))
    clusters = cells // len(data.systems)
    several = len(np.unique(clusters)) < n
    given = responses(values, np.zeros((n, 1)), a_units=units, clusters=clusters if several else None)
    test = shared_units_test(named("mean", "numbers"), given, weighted=False)
    if leverage.max() > 1.0 - _ALONE:  # without this output there is no trend, and its own error is 0
        test = replace(test, law=replace(test.law, variances=np.full_like(test.law.variances, math.inf)))
    return _with_rest(test, _degrees(time[:, None] ** 2, spread[:, None]), span * slope, 0.0, 0)


def _shares(data: JudgedSystems, entries: Integers) -> bool:
    """Return whether a person rated two items or more, so that items share raters."""
    pairs = np.unique(np.stack([data.rater[entries], data.item[entries]]), axis=1)
    return bool(np.bincount(pairs[0]).max() > 1)


def _rows_of(
    weighing: Weighing,
    system: int | None,
    rows: Integers,
    residual: Floats,
    judged: Floats,
    spread: Floats,
) -> tuple[Floats, Integers]:
    """Return each rating's influence on its system's estimate, by rated item, and its rater."""
    n = len(rows)
    if system is None:
        return np.zeros((n, 1)), np.full((n, 1), NO_UNIT)
    data = weighing.data
    place = np.full(len(weighing.rated), -1)
    place[rows] = np.arange(n)
    entries = np.flatnonzero(data.system == system)
    item = data.item[entries]
    scale = spread[item, system] / np.sqrt(n / (n - 1.0)) * weighing.a[item, system]
    left = weighing.less(data.values[entries], residual[item, system])
    influence = n * (scale * left + judged[item, system])
    values, units = _packed(influence, data.rater[entries], place[item], n, _shares(data, entries))
    alone = np.isnan(values).all(axis=1)
    values[alone, 0] = n * judged[rows[alone], system]
    return values, units


def _packed(
    values: Floats, raters: Integers, rows: Integers, n: int, shared: bool
) -> tuple[Floats, Integers]:
    """Return ratings as a matrix with a row of each item, and their raters, `NO_UNIT` if none is shared."""
    order = np.lexsort((raters, rows))
    counts = np.bincount(rows, minlength=n)
    column = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    matrix = np.full((n, int(counts.max())), np.nan)
    units = np.full(matrix.shape, NO_UNIT)
    matrix[rows[order], column] = values[order]
    if shared:
        units[rows[order], column] = raters[order]
    return matrix, units


def _with_whole_weights(test: SharedUnitsTest, given: Responses) -> SharedUnitsTest:
    """Return the test with raters' weights that add up to 1, where rows without raters take some of them."""
    sources = {}
    for source, part in test.sources.items():
        whole = float(given.without_units(source)[0].sum())
        sources[source] = replace(part, weight_squares=part.weight_squares / whole**2)
    units = np.array([part.effective_units for part in (test.items, *sources.values())])
    return replace(test, sources=sources, law=replace(test.law, units=units))


def _degrees(parts: Floats, spread: Floats) -> float:
    """Return Satterthwaite's degrees of freedom of a variance to which N items in S means add parts, (N, S).

    `spread` is the factor, above 1, of each residual: of n equal parts, √(n / (n − 1)) gives n − 1 degrees.
    """
    squares = float(np.sum((spread * parts).sum(axis=1) ** 2))
    return max(1.0, float(parts.sum()) ** 2 / squares) if squares > 0.0 else math.inf


def _with_rest(test: SharedUnitsTest, df: float, effect: float, variance: float, n: int) -> SharedUnitsTest:
    """Return the test of an estimate: at most `df` over items, and the variance over those only judged."""
    law = test.law
    law = replace(law, df=np.column_stack([np.minimum(law.df[:, :1], df), law.df[:, 1:]]))
    if variance > 0.0:
        law = replace(
            law,
            variances=np.append(law.variances, [[variance]], axis=1),
            df=np.append(law.df, [[n - 1.0]], axis=1),
            third=np.append(law.third, 0.0),
            units=np.append(law.units, float(n)),
        )
    return replace(test, effect=effect, law=law)


def _parts(
    test: SharedUnitsTest, over_rest: float, noise: float, noise_of_rest: float
) -> tuple[VariancePart, ...]:
    """Return the parts of the variance: those of the rectifier, of other items, and the judge's noise."""
    parts = {part.source.replace("runs", "raters"): part for part in test.parts}
    items = parts["items"]
    noise, noise_of_rest = min(noise, items.variance), min(noise_of_rest, over_rest)
    parts["items"] = replace(
        items,
        variance=items.variance - noise,
        low=max(items.low - noise, 0.0),
        high=max(items.high - noise, 0.0),
    )
    nan = float("nan")
    if over_rest > 0.0:
        parts[JUDGED] = VariancePart(JUDGED, over_rest - noise_of_rest, nan, nan, nan)
    if noise + noise_of_rest > 0.0:
        parts[ANSWERS] = VariancePart(ANSWERS, noise + noise_of_rest, nan, nan, nan)
    whole = sum(part.variance for part in parts.values())
    return tuple(
        replace(part, source=source, share=part.variance / whole if whole > 0.0 else nan)
        for source, part in parts.items()
    )
