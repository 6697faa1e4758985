"""The sources of the variance of an effect: clusters, items, gold raters, and each system's responses.

References
----------
Owen 2014, Sobol' indices and Shapley value; Song, Nelson and Staum 2016, Shapley effects for global
sensitivity analysis; Searle, Casella and McCulloch 1992, Variance components.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, cycle, permutations
from typing import Any

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.data.response_set import ResponseSet, stack_responses
from nbyk.data.responses import response_set
from nbyk.errors import NbykError, UndefinedMetricError
from nbyk.metrics import Metric, get
from nbyk.metrics.metric import loaded
from nbyk.resampling.effects import as_metrics
from nbyk.resampling.streams import Streams, as_seed, stream_key
from nbyk.sums import covariance
from nbyk.testing.engine.rows import Rows, item_scores
from nbyk.testing.results import VariancePart
from nbyk.testing.unit_cautions import about_units, named_units

Responses = Mapping[str, Floats]
"""The responses of gold, a and b by these names."""

Effects = Callable[[Responses], Floats]
"""From responses to each item's d, shape (N,)."""

SOURCES = ("items", "gold", "a", "b")

_N_SPLITS = 18


@dataclass(frozen=True)
class VarianceShare:
    """One source's part of the variance of an effect over test sets of this size, and its share, in [0, 1].

    Both are None if the part is not identified, and the share if nothing varies. No interval was found to
    cover shares.
    """

    variance: float | None
    share: float | None


@dataclass(frozen=True)
class VarianceShares:
    """Shares of an effect's variance; those that are identified sum to 1.

    Attributes
    ----------
    metric
        Canonical name of the metric.
    standard_error
        Standard error of the effect over test sets like this one: the root of the whole variance.
    clusters
        The part of clusters of items; None without clusters.
    items
        The items' part, within their clusters if there are any: the variance that would remain with
        infinitely many responses per item. It includes the part of a role that is not identified.
    gold, a, b
        The parts of the gold responses and of each system's responses, at their present numbers per item.
    warnings
        Cautions about the numbers, one sentence each.
    names
        The systems' names.
    """

    metric: str
    standard_error: float
    clusters: VarianceShare | None
    items: VarianceShare
    gold: VarianceShare
    a: VarianceShare
    b: VarianceShare
    warnings: tuple[str, ...]
    names: tuple[str, str] = ("A", "B")

    def parts(self, sources: Sequence[str] = SOURCES) -> tuple[VariancePart, ...]:
        """Return sources in the form of a claim's variance parts; NaN for parts that are not identified."""
        a, b = self.names
        words = {"gold": "gold ratings", "a": f"{a}'s responses", "b": f"{b}'s responses"}
        parts = []
        for source in sources:
            share: VarianceShare = getattr(self, source)
            variance, proportion = (math.nan if of is None else of for of in (share.variance, share.share))
            parts.append(VariancePart(words.get(source, source), variance, proportion, math.nan, math.nan))
        return tuple(parts)


def variance_shares(
    gold: Any,
    a: Any = None,
    b: Any = None,
    *,
    cluster: Any = None,
    metric: str | Metric = "mae",
    seed: Any = 0,
) -> VarianceShares:
    """Return the shares of the effect's variance that are due to clusters, items, gold raters, A and B.

    Parameters
    ----------
    gold, a, b, cluster, seed
        As for `nbyk.compare`.
    metric
        An additive metric, or rmse or inverse_mse: to first order, their effects are linear in the mean
        squared errors.

    Raises
    ------
    NbykError
        If the input is malformed, an argument is out of range, or the metric is not a function of sums over
        items.

    Notes
    -----
    The effect is the mean of one number d per item, and its variance that of d over N. Each item's responses
    are split into halves at random. Over items, the covariance of d on the first halves with d on the second
    is the variance that items alone explain, without bias for half as many responses, by any metric. The
    items' part is extrapolated from halves and quarters to all responses, linearly in one over their number.
    The roles share the rest in proportion to their Shapley effects: they change from the first half to the
    second one after the other, in each order, and a role has what it adds to half of the mean square by which
    d changes. So what roles explain only together is divided among them. This is most of the variance if A
    and B are nearly equally good, and a jackknife of responses would count it several times. Negative
    estimates are set to 0, with a warning if it is the items' or the clusters' part.

    With clusters, d has a variance between and one within them (`variances_of_clusters`).

    Shares have no interval: percentiles over bootstrapped items covered the true shares far too rarely
    (docs/method.md).
    """
    (chosen,) = as_metrics(metric)
    data, seed = response_set(gold, a, b, cluster=cluster), as_seed(seed)
    chosen.check_gold(data.has_gold)
    effects = _item_effects(chosen, data)
    responses = {"gold": data.gold, "a": data.a, "b": data.b}
    roles = [role for role in responses if role != "gold" or chosen.needs_gold]
    several = {role: (~np.isnan(responses[role])).sum(axis=1) > 1 for role in roles}
    single = [role for role in roles if several[role].sum() < 2]
    split = [role for role in roles if role not in single]
    kept = np.all([several[role] for role in split], axis=0) if split else np.ones(data.n_items, np.bool_)
    n = int(kept.sum())
    if n < 2:
        raise NbykError(
            f"variance shares: {n} items have two responses or more from each of {', '.join(split)}; "
            "expected at least two items"
        )
    some = {role: matrix[kept] for role, matrix in responses.items()}
    counts = {role: (~np.isnan(some[role])).sum(axis=1) for role in split}
    d, d_kept = effects(responses), effects(some)
    parts = dict.fromkeys(("clusters", *SOURCES), 0.0) | _parts(effects, some, counts, seed)
    whole = float(d.var(ddof=1)) / data.n_items
    if data.clusters is not None:
        of_mean, within = variances_of_clusters(d_kept, data.clusters[kept])
        parts |= {"clusters": n * of_mean, "items": within - sum(parts[role] for role in split)}
        of_mean, within = variances_of_clusters(d, data.clusters)
        whole = max(of_mean, 0.0) + within / data.n_items
    shares = {source: max(part, 0.0) for source, part in parts.items()}
    total = sum(shares.values())
    by_source: dict[str, Any] = {}
    for source, share in shares.items():
        if source in single or (source == "clusters" and data.n_clusters == data.n_items):
            by_source[source] = VarianceShare(None, None)
        elif not total:
            by_source[source] = VarianceShare(0.0, None)
        else:
            by_source[source] = VarianceShare(share / total * whole, share / total)
    if data.clusters is None:
        by_source["clusters"] = None
    # An item's trials are its own.
    units = {} if chosen.takes_trials else named_units(data)
    return VarianceShares(
        chosen.name,
        math.sqrt(whole),
        **by_source,
        warnings=(
            *_cautions(chosen, data, counts, single, parts, n),
            *about_units(units, has_gold=data.has_gold, claim="variance"),
        ),
        names=data.names,
    )


def _parts(
    effects: Effects, responses: Responses, counts: Mapping[str, Integers], seed: int
) -> dict[str, float]:
    """Return the variance of d by items and by each role; `counts` has those with two responses or more."""
    whole = float(effects(responses).var(ddof=1))
    if not counts:
        return {"items": whole}
    of_halves, of_quarters, own = 0.0, 0.0, dict.fromkeys(counts, 0.0)
    quartered = _are_quartered(counts)
    key, orders = stream_key(seed, purpose="variance shares"), cycle(permutations(counts))
    for split in range(_N_SPLITS):
        generator = Streams(key, split).generator("order")
        dealt = {role: _shuffled(responses[role], generator) for role in counts}
        first, second = ({**responses, **_dealt(dealt, 2, which)} for which in (0, 1))
        order = next(orders)
        there, back = _path(effects, first, second, order), _path(effects, second, first, order)
        of_halves += float(np.mean([*map(covariance, there, back)])) / _N_SPLITS
        changes = [
            0.25 * float(np.mean((one - there[0]) ** 2) + np.mean((other - back[0]) ** 2))
            for one, other in zip(there, back, strict=True)
        ]
        for role, before, after in zip(order, changes[:-1], changes[1:], strict=True):
            own[role] += after - before
        if quartered:
            quarters = [effects({**responses, **_dealt(dealt, 4, which)}) for which in range(4)]
            pairs = [covariance(one, other) for one, other in combinations(quarters, 2)]
            of_quarters += float(np.mean(pairs)) / _N_SPLITS
    items = of_halves
    if quartered:
        numbers = np.array([*counts.values()])
        inverse, half, quarter = (float(np.mean(1.0 / (numbers // n_parts))) for n_parts in (1, 2, 4))
        items += (half - inverse) / (quarter - half) * (of_halves - of_quarters)
    items = min(items, whole)
    for role, numbers in counts.items():  # half of an odd number of responses leaves one out
        own[role] = max(own[role], 0.0) * float((numbers // 2).sum() / numbers.sum())
    together, rest = sum(own.values()), whole - max(items, 0.0)
    return {"items": items} | {role: rest * part / (together or 1.0) for role, part in own.items()}


def _path(effects: Effects, start: Responses, end: Responses, order: Sequence[str]) -> list[Floats]:
    """Return d as the roles change from their responses at the start to those at the end, in this order."""
    sets = [start]
    for role in order:
        sets.append({**sets[-1], role: end[role]})
    return [effects(of_roles) for of_roles in sets]


def _are_quartered(counts: Mapping[str, Integers]) -> bool:
    """Return whether each item has four responses or more from each role."""
    return min(int(numbers.min()) for numbers in counts.values()) >= 4


def _shuffled(responses: Floats, generator: np.random.Generator) -> Floats:
    """Return each row's responses in a random order, then NaN."""
    keys = np.where(np.isnan(responses), 2.0, generator.random(responses.shape))
    return np.take_along_axis(responses, np.argsort(keys, axis=1), axis=1)


def _dealt(responses: Responses, n_parts: int, which: int) -> dict[str, Floats]:
    """Return one of `n_parts` equal parts of each row's responses, by role; the rest is left out."""
    parts = {}
    for role, matrix in responses.items():
        sizes = (~np.isnan(matrix)).sum(axis=1, keepdims=True) // n_parts
        places = np.arange(int(sizes.max()))
        own = np.minimum(which * sizes + places, matrix.shape[1] - 1)
        parts[role] = np.where(places < sizes, np.take_along_axis(matrix, own, axis=1), np.nan)
    return parts


def _item_effects(metric: Metric, data: ResponseSet) -> Effects:
    """Return the function from responses, by role, to each item's d, shape (N,), whose mean is the effect."""
    base, slopes = metric, np.ones(2)
    if metric.from_mean is not None:
        base = get(metric.from_mean.metric)
        errors = item_scores(base, Rows(data.gold, stack_responses(data.a, data.b))).mean(axis=1)
        if (errors == 0.0).any():
            raise UndefinedMetricError(f"metric {metric.name}: a system makes no error; choose mse")
        slopes = np.asarray(loaded(metric.from_mean.slope)(errors))
    elif not metric.additive:
        raise NbykError(
            f"metric {metric.name} is not a sum over items, so its variance has no parts; choose an "
            "additive metric, such as mae, mse, wins_mae, mean or mean_of_emds, or rmse"
        )

    def effects(of: Responses) -> Floats:
        scores = item_scores(base, Rows(of["gold"], stack_responses(of["a"], of["b"])))
        if metric.kind == "comparison":
            return np.asarray(metric.sign * scores[0])
        return np.asarray(metric.sign * (slopes[0] * scores[0] - slopes[1] * scores[1]))

    return effects


def _cautions(
    metric: Metric,
    data: ResponseSet,
    counts: Mapping[str, Integers],
    single: Sequence[str],
    parts: Mapping[str, float],
    n: int,
) -> Iterator[str]:
    names = data.names_of_roles
    if single:
        yield (
            f"one response per item from {', '.join(names[role] for role in single)}: nbyk cannot "
            "separate that part of the variance from the items', and counts it there"
        )
    if n < data.n_items:
        yield (
            f"the shares are those of the {n} of {data.n_items} items with two responses or more from "
            f"each of {', '.join(names[role] for role in counts)}"
        )
    if counts and not _are_quartered(counts):
        yield (
            "fewer than four responses on some items: the items' part is that of half as many responses, "
            "and usually too small"
        )
    for source in ("clusters", "items"):
        if parts[source] < 0.0:
            yield f"the {source}' part is estimated as negative; nbyk sets it to 0"
    if metric.from_mean is not None:
        yield f"nbyk treats {metric.name} as linear in the mean squared errors"


def variances_of_clusters(d: Floats, clusters: Integers) -> tuple[float, float]:
    """Return the variance that clusters add to the mean of d, perhaps below 0, and that of d within them.

    With G clusters of n_g of N items, d has the variance σ²_c between clusters, which the analysis of
    variance finds by the mean size (N − Σ n_g²/N) / (G − 1), and they add σ²_c Σ n_g²/N² to that of the mean.
    """
    names, clusters = np.unique(clusters, return_inverse=True)
    sizes, n = np.bincount(clusters), len(d)
    means = np.bincount(clusters, weights=d) / sizes
    mean_square = float(np.sum(sizes * (means - d.mean()) ** 2)) / (len(names) - 1.0)
    if n == len(names):  # the two cannot be told apart: all variance counts as within
        return 0.0, mean_square
    within = float(np.sum((d - means[clusters]) ** 2)) / (n - len(names))
    squares = float(np.sum(sizes**2))
    size = (n - squares / n) / (len(names) - 1.0)
    return (mean_square - within) / size * squares / n**2, within
