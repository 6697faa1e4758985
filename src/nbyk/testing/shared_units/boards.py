"""What the systems of a leaderboard tell about each other's units: variances moderated towards their mean.

The same raters rate all systems, so that S systems tell S times as much as one pair about how raters differ
by system. Where systems differ in this, one pooled variance is too small for some. So each system's
variance τ² is moderated towards the mean, by as much as the systems' variances agree (Smyth 2004). A pair's
is the sum of its systems' if raters differ by each system on its own; if what they like in one they like in
another, it is the pair's own. So do severe raters of biased systems.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from scipy.special import fdtrc, gammaln, psi

from nbyk.arrays import Floats
from nbyk.metrics import Metric
from nbyk.testing.shared_units.components import Component
from nbyk.testing.shared_units.generalise import SharedUnitsTest
from nbyk.testing.shared_units.responses import Source

Places = tuple[int, int]

_TIMES = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 64.0])
"""The degrees of freedom of the systems' agreement that are averaged over, in those of a variance."""
_OWN: tuple[Source, Source] = ("runs of A", "runs of B")

_OF_BASELINE = 0.1
"""What a baseline's variance counts among those of the others, which say little of it: it is in all pairs."""

_ON_ITS_OWN = 0.2
"""What a pair by itself counts where each system has its own runs: a few do not show that systems agree."""

_LONE = 30.0
"""The farthest of S systems counts less in the mean where its variance is rarer than 1 in this times S."""

_ALIKE = 0.5
"""Below this share of independence, a pair's variance over units is its own."""

ALONE_IN_SPREAD = 5.0
"""A caution names a system whose units differ by this many times as much as those of the others."""


def moderated_pairs(
    totals: Floats, df: float, apart: float = 1.0, baseline: int | None = None
) -> tuple[Floats, Floats, Floats]:
    """Return the variances over shared units of the effects of all pairs of S systems, moderated.

    `totals`, (S, S), are the jackknife's variances T over units that all systems share, 0 on the diagonal;
    each has `df` degrees of freedom ν. The largest λ is `apart`; `baseline` is the place of the system that
    all others are compared with. The result is each pair's variance moderated in M ways, its degrees of
    freedom, (M, S, S) both, and the weights of the ways, (M,).

    Notes
    -----
    With m_s the units' changes of a system's score, less those of the mean system, T_ab = ‖m_a − m_b‖². So
    the products G of the m_s follow from the T_ab by centring twice, and from the squares ‖m_s‖² follow q_s,
    whose expectation is near τ²_s, and the unbiased τ̂²_s = ((S − 1) q_s − q̄) / (S − 2). With d₀ degrees of
    freedom of agreement, τ̃²_s = (w_s d₀ q̄ + ν τ̂²_s) / (w_s d₀ + ν), and Σ_ab = τ̃²_a + τ̃²_b has
    Satterthwaite's degrees of freedom. The means are weighted by w_s, which is 1 but for a baseline and the
    system with the largest τ̂² (`_belonging`). Each d₀ has the weight Π_s f(q_s / s₀²), where f is the density
    of F with ν and d₀ degrees of freedom, and s₀² fits the mean of log q. All systems together have
    ν (tr C)² / tr C² degrees of freedom, of which no pair has more: C is the covariance of systems over
    units, and tr C² is estimated from G without bias (Srivastava 2005; the correction of Huynh and Feldt).
    The variance is λ Σ_ab + (1 − λ) T_ab, and so are its degrees of freedom: λ is 1 if systems are
    independent, and 0 if all units differ in one direction (`_independence`). With three systems and no
    baseline Σ_ab is T_ab moderated towards the mean T.

    References
    ----------
    Smyth 2004, Linear models and empirical Bayes methods for assessing differential expression.
    Phipson et al. 2016, Robust hyperparameter estimation protects against hypervariable genes.
    Srivastava 2005, Some tests concerning the covariance matrix in high dimensional data.
    """
    n, products = len(totals), _products(totals)
    apart *= _independence(products, df)
    if n == 3 and baseline is None:
        spreads = totals[np.triu_indices(n, 1)]
        weights = _weights(spreads, np.ones(len(spreads)), df)
        most = df * _effective_systems(products, df)
        pooled, degrees = _moderated(totals, float(spreads.mean()), df)
    else:
        spreads = np.diag(products) * n / (n - 1)
        belongs = _belonging(_of_systems(spreads, spreads.mean()), df, baseline)
        weights = _weights(spreads, belongs, df)
        most = df * _effective_systems(products * np.sqrt(np.outer(belongs, belongs)), df)
        mean = float(np.average(spreads, weights=belongs))
        of_systems, df_of_systems = _moderated(_of_systems(spreads, mean), mean, df, belongs)
        pooled = of_systems[:, :, None] + of_systems[:, None]
        squares = of_systems**2 / df_of_systems
        degrees = pooled**2 / np.maximum(squares[:, :, None] + squares[:, None], 1e-300)
    variances = apart * pooled + (1.0 - apart) * totals
    degrees = df + apart * np.maximum(np.minimum(degrees, most) - df, 0.0)
    return variances, np.broadcast_to(degrees, variances.shape), weights


def moderated_systems(
    totals: Floats, df: Floats, units: Floats, baseline: int | None = None
) -> tuple[Floats, Floats, Floats]:
    """Return the variances of S systems over units of their own, and their df, (M, S), moderated in M ways.

    `totals`, (S,), are the jackknife's variances T over each system's own `units`, in effective number J, and
    `df` their degrees of freedom ν. As J may differ, the variance of a unit, J T, is moderated, towards the
    mean that weighs systems by ν. The ways have weights, (M,).
    """
    of_unit = units * totals
    belongs = _belonging(of_unit, df, baseline)
    mean = float(np.average(of_unit, weights=belongs * df))
    variances, degrees = _moderated(of_unit, mean, df, belongs)
    degrees = np.maximum(np.minimum(degrees, np.sum(belongs * df)), df)
    return variances / units, degrees, _weights(of_unit, belongs, df)


def _moderated(
    variances: Floats, mean: float, df: Floats | float, belongs: Floats | float = 1.0
) -> tuple[Floats, Floats]:
    """Return variances moderated towards a mean in M ways, (M, …), and their degrees of freedom."""
    d0 = np.mean(df) * _TIMES.reshape(-1, *[1] * variances.ndim) * belongs
    return (d0 * mean + df * variances) / (d0 + df), d0 + df


def _of_systems(spreads: Floats, mean: float) -> Floats:
    """Return the τ̂² of `moderated_pairs` from the q of systems and their mean."""
    n = len(spreads)
    return np.maximum(((n - 1) * spreads - mean) / (n - 2), 0.0)


def _belonging(own: Floats, df: Floats | float, baseline: int | None = None) -> Floats:
    """Return by how much the variance of each system belongs to those of the others, from 0 to 1.

    It is 1, but for the system whose is the rarest, for which it is 30 S P(F > its ratio to the mean of the
    others) if that is less. One system of which units differ far more than of the others would otherwise lend
    its variance to all. A baseline of which they do would lend all pairs the others' small one; so it is at
    most a tenth for a baseline.
    """
    belongs, df = np.ones(len(own)), np.broadcast_to(df, own.shape)
    df_of_others = df.sum() - df
    others = np.maximum((np.sum(df * own) - df * own) / df_of_others, 1e-300)
    rarity = fdtrc(df, df_of_others, own / others)
    farthest = int(rarity.argmin())
    belongs[farthest] = min(1.0, _LONE * len(own) * float(rarity[farthest]))
    if baseline is not None:
        belongs[baseline] = min(belongs[baseline], _OF_BASELINE)
    return belongs


def _independence(products: Floats, df: float) -> float:
    """Return λ of `moderated_pairs`: 1 if systems are independent over units, 0 in one direction.

    With r̄² the mean squared correlation of two of S systems, whose mean is taken out, (1 − r̄²) / (1 − 1/ν) /
    (1 − 1/(S − 1)²) is near 1 for independent ones. With four systems or more there is enough of them to take
    half of it or less for one direction: λ rises from 0 at ½ to 1.
    """
    if df <= 1.0:
        return 0.0
    n = len(products)
    size = np.sqrt(np.maximum(np.diag(products), 1e-12 * np.trace(products)))
    correlations = (products / np.outer(size, size))[np.triu_indices(n, 1)]
    apart = (1.0 - np.mean(correlations**2)) / (1.0 - 1.0 / df) / (1.0 - 1.0 / (n - 1) ** 2)
    least = _ALIKE if n > 3 else 0.0
    return float(np.clip((apart - least) / (1.0 - least), 0.0, 1.0))


def _effective_systems(products: Floats, df: float) -> float:
    """Return (tr C)² / tr C² of the covariance C of systems over units, from 1 to S − 1."""
    n = len(products)
    trace = float(np.trace(products))
    if df <= 1.0 or trace == 0.0:
        return 1.0
    squares = df**2 / ((df - 1.0) * (df + 2.0)) * (float(np.sum(products**2)) - trace**2 / df)
    return max(1.0, min(n - 1.0, trace**2 / squares)) if squares > 0.0 else max(n - 1.0, 1.0)


def _weights(spreads: Floats, belongs: Floats, df: Floats | float) -> Floats:
    """Return the weight of each number of degrees of freedom of agreement, given mean squares."""
    df = np.broadcast_to(df, spreads.shape)
    logs, half, d0 = np.log(np.maximum(spreads, 1e-9 * spreads.mean())), df / 2.0, df.mean() * _TIMES[:, None]
    middle = np.average(logs - psi(half) + np.log(half), weights=belongs * df)
    centre = middle + psi(d0 / 2.0) - np.log(d0 / 2.0)
    density = (
        gammaln(half + d0 / 2.0)
        - gammaln(half)
        - gammaln(d0 / 2.0)
        + half * np.log(df / d0)
        + (half - 1.0) * (logs - centre)
        - (half + d0 / 2.0) * np.log1p(df * np.exp(logs - centre) / d0)
    )
    likelihoods = np.sum(belongs * (density - centre), axis=1)
    shares: Floats = np.exp(likelihoods - likelihoods.max())
    return np.asarray(shares / shares.sum())


def moderated_tests(
    tests: Mapping[Places, SharedUnitsTest],
    n_systems: int,
    metric: Metric | None = None,
    *,
    baseline: int | None = None,
) -> dict[Places, SharedUnitsTest]:
    """Return the tests of a leaderboard's pairs, whose variances over units learn from each other.

    `tests` are those of each pair of the S systems, by their places: of all of them where systems share
    units, even if only those with a `baseline` are asked for. They stay as they are if there are two systems,
    if a pair lacks or has other units, if nothing varies, or if an effect is undefined without some items.
    Severe raters of gold move all systems in one direction, unless the `metric` ignores location. Where they
    are alike by chance, gold's noise hides that; so λ (`moderated_pairs`) is then at most T / W − ½.
    """
    if n_systems < 3 or len(tests) < 2:
        return dict(tests)
    kinds = {tuple(test.sources) for test in tests.values()}
    if len(kinds) != 1 or not all(0.0 < test.variance < np.inf for test in tests.values()):
        return dict(tests)
    (sources,) = kinds
    severity = metric is not None and metric.needs_gold and "location" not in metric.unchanged_by
    moderated = dict(tests)
    for column, source in enumerate(sources, start=1):
        if source == _OWN[1] and _OWN[0] in sources:
            continue  # moderated with those of A
        if source in _OWN:
            _moderate_own(moderated, sources, baseline)
        else:
            apart = _seen(tests, source) if severity and source == "raters" else 1.0
            _moderate_shared(moderated, n_systems, source, column, apart, baseline)
    return moderated


def shares_units(test: SharedUnitsTest) -> bool:
    """Return whether a pair's systems share units, as people who rate both: not only runs of their own."""
    return not set(test.sources) <= {*_OWN}


def _seen(tests: Mapping[Places, SharedUnitsTest], source: Source) -> float:
    """Return how far units differ beyond noise: T / W − ½ of all pairs, from 0 to 1."""
    parts = [test.sources[source] for test in tests.values()]
    total, noise = sum(part.total for part in parts), sum(part.within for part in parts)
    return min(max(total / noise - 0.5, 0.0), 1.0) if noise > 0.0 else 1.0


def _moderate_shared(
    tests: dict[Places, SharedUnitsTest],
    n: int,
    source: Source,
    column: int,
    apart: float,
    baseline: int | None,
) -> None:
    totals = _totals(tests, n, source)
    if not totals.sum() > 0.0:  # nothing varies, or a pair is missing
        return
    df = float(np.mean([test.sources[source].df for test in tests.values()]))
    variances, degrees, weights = moderated_pairs(totals, df, apart, baseline)
    for (a, b), test in tests.items():
        tests[a, b] = _mixed(test, weights, {column: (variances[:, a, b], degrees[:, a, b])})


def _moderate_own(
    tests: dict[Places, SharedUnitsTest], sources: tuple[Source, ...], baseline: int | None
) -> None:
    own = [(place, source) for place, source in enumerate(_OWN) if source in sources]
    systems, totals, df, units = _own_units(tests)
    if not totals.sum() > 0.0 or len(systems) < 2:
        return
    place_of_baseline = systems.index(baseline) if baseline in systems else None
    variances, degrees, weights = moderated_systems(totals, df, units, place_of_baseline)
    of_system = dict(zip(systems, zip(variances.T, degrees.T, strict=True), strict=True))
    for pair, test in tests.items():
        chosen = {1 + sources.index(source): of_system[pair[place]] for place, source in own}
        learned, alone = _mixed(test, weights, chosen), test.law
        law = replace(
            alone,
            variances=np.concatenate([learned.law.variances, alone.variances]),
            df=np.concatenate([learned.law.df, alone.df]),
            weights=np.append((1.0 - _ON_ITS_OWN) * learned.law.weights, _ON_ITS_OWN * alone.weights),
        )
        tests[pair] = replace(test, law=law)


def _own_units(tests: Mapping[Places, SharedUnitsTest]) -> tuple[list[int], Floats, Floats, Floats]:
    """Return the places of systems with units of their own, and T, its df and the number of these units."""
    parts: dict[int, list[Component]] = {}
    for pair, test in tests.items():
        for place, source in zip(pair, _OWN, strict=True):
            if source in test.sources:
                parts.setdefault(place, []).append(test.sources[source])
    systems = sorted(parts)
    totals, df, units = (
        np.array([np.mean([getattr(part, field) for part in parts[system]]) for system in systems])
        for field in ("total", "df", "effective_units")
    )
    return systems, totals, df, units


def _mixed(
    test: SharedUnitsTest, weights: Floats, columns: Mapping[int, tuple[Floats, Floats]]
) -> SharedUnitsTest:
    """Return the test whose law has each of its ways by each of M ways of some columns, shape (M,)."""
    law, n_ways = test.law, len(test.law.weights)
    variances, df = (np.repeat(each, len(weights), axis=0) for each in (law.variances, law.df))
    for column, (moderated, degrees) in columns.items():
        variances[:, column] = np.tile(test.stretch**2 * moderated, n_ways)
        df[:, column] = np.tile(degrees, n_ways)
    mixed = np.outer(law.weights, weights).ravel()
    return replace(test, law=replace(law, variances=variances, df=df, weights=mixed))


def lone_spread(tests: Mapping[Places, SharedUnitsTest], n_systems: int) -> tuple[int, float] | None:
    """Return the system by which units differ far more than by all others, with the ratio of their SDs.

    None if there is no such system, if there are fewer than four, or if some pairs with shared units were not
    compared. Then the variance T of a pair is τ²_a + τ²_b; so the pairs of one system stand out where its τ²
    does.
    """
    if n_systems < 4:
        return None
    sources = next(iter(tests.values())).sources
    for source in sources:
        if source == _OWN[1] and _OWN[0] in sources:
            continue  # looked at with those of A
        if source in _OWN:
            systems, totals, df, units = _own_units(tests)
            if len(systems) < n_systems:
                continue
            of_unit = units * totals
            place = int(of_unit.argmax())
            first, own = systems[place], float(of_unit[place])
            others = float(np.average(np.delete(of_unit, place), weights=np.delete(df, place)))
        else:
            pairs = _totals(tests, n_systems, source)
            if np.isnan(pairs).any():
                continue
            first = int(pairs.sum(axis=1).argmax())
            rest = np.delete(np.arange(n_systems), first)
            others = float(pairs[np.ix_(rest, rest)].sum()) / ((n_systems - 1) * (n_systems - 2)) / 2.0
            own = float(np.median(pairs[first, rest])) - others
        if own > ALONE_IN_SPREAD**2 * others:
            return first, float(np.sqrt(own / others)) if others > 0.0 else np.inf
    return None


def _totals(tests: Mapping[Places, SharedUnitsTest], n: int, source: Source) -> Floats:
    """Return T over a source of all pairs, shape (S, S); NaN where a pair was not compared or lacks it."""
    totals = np.full((n, n), np.nan)
    np.fill_diagonal(totals, 0.0)
    for (a, b), test in tests.items():
        if source in test.sources:
            totals[a, b] = totals[b, a] = test.sources[source].total
    return totals


def _products(totals: Floats) -> Floats:
    """Return the products of all m_s from the squared distances of all pairs: centred twice."""
    centred = totals - totals.mean(axis=0)
    products: Floats = -0.5 * (centred - centred.mean(axis=1, keepdims=True))
    return products
