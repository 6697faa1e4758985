"""The sources of the variance of an effect: clusters, items, gold raters, and each system's responses."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.data.response_set import ResponseSet, stack_responses
from nbyk.data.responses import response_set
from nbyk.errors import NbykError, UndefinedMetricError
from nbyk.metrics import Metric, get
from nbyk.metrics.metric import loaded
from nbyk.resampling.effects import as_metrics
from nbyk.resampling.streams import as_seed
from nbyk.testing.engine.draws import ItemStreams
from nbyk.testing.engine.rows import Rows, item_scores
from nbyk.testing.results import VariancePart
from nbyk.testing.systems.splits import ROLES, SOURCES, Effects, Splits
from nbyk.testing.unit_cautions import about_units, named_units


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
    is the variance that items alone explain. If both use the same half of a role, it is the variance that
    items and this role explain (pick-freeze: Sobol' 1993). Both are unbiased for half as many responses, for
    any metric. The items' part is the first of them, extrapolated from halves and quarters to all responses,
    linearly in one over their number. The rest of the variance of d on all responses is divided among the
    roles in proportion to their Shapley effects on halves (Owen 2014; Song et al. 2016). Shapley effects
    divide the variance that two roles explain only together. This is most of it if A and B are nearly equally
    good, and a jackknife of responses would count it several times. Negative estimates are set to 0, with a
    warning if it is the items' or the clusters' part.

    With G clusters of n_g items, the variance of d is σ²_c between clusters and σ²_w within, by the analysis
    of variance (with MS_c − MS_w over the mean size (N − Σ n_g²/N) / (G − 1)). Clusters add σ²_c Σ n_g²/N² to
    the variance of the mean, and all else σ²_w/N (Searle, Casella and McCulloch 1992, Variance components).

    Shares have no interval: percentiles over bootstrapped items covered the true shares far too rarely
    (docs/method.md).
    """
    (chosen,) = as_metrics(metric)
    data, seed = response_set(gold, a, b, cluster=cluster), as_seed(seed)
    chosen.check_gold(data.has_gold)
    streams = ItemStreams(seed, Rows(data.gold, np.empty((0, data.n_items, 0))))
    effects = _item_effects(chosen, data)
    splits = Splits.of(data, [role for role in ROLES if role != "gold" or chosen.needs_gold])
    features = splits.features(effects, streams.key)
    n = len(features)
    if splits.clusters is None:
        parts = np.append(0.0, splits.parts(features.sum(axis=0), n) / n)
    else:
        clusters = with_clusters(features, splits.clusters)
        sums = clusters.sum(axis=0)
        parts = clustered_parts(splits.parts(sums[:-3], n), sums, len(clusters))
    shares = np.maximum(parts, 0.0)
    shares = shares / shares.sum() if shares.any() else np.full(parts.shape, np.nan)
    by_source: dict[str, Any] = {}
    d = effects({"gold": data.gold, "a": data.a, "b": data.b})
    whole = float(d.var(ddof=1)) / data.n_items
    if data.clusters is not None:
        whole = variance_of_clustered_mean(d, data.clusters)
    for index, source in enumerate(("clusters", *SOURCES)):
        if source in splits.single or (source == "clusters" and data.n_clusters == data.n_items):
            by_source[source] = VarianceShare(None, None)
        elif math.isnan(shares[index]):
            by_source[source] = VarianceShare(0.0, None)
        else:
            by_source[source] = VarianceShare(float(shares[index]) * whole, float(shares[index]))
    if data.clusters is None:
        by_source["clusters"] = None
    # An item's trials are its own.
    units = {} if chosen.takes_trials else named_units(data)
    return VarianceShares(
        chosen.name,
        math.sqrt(whole),
        **by_source,
        warnings=(
            *_cautions(chosen, splits, parts, data),
            *about_units(units, has_gold=data.has_gold, claim="variance"),
        ),
        names=data.names,
    )


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

    def effects(of: Mapping[str, Floats]) -> Floats:
        scores = item_scores(base, Rows(of["gold"], stack_responses(of["a"], of["b"])))
        if metric.kind == "comparison":
            return np.asarray(metric.sign * scores[0])
        return np.asarray(metric.sign * (slopes[0] * scores[0] - slopes[1] * scores[1]))

    return effects


def _cautions(metric: Metric, splits: Splits, parts: Floats, data: ResponseSet) -> Iterator[str]:
    names, n_items = data.names_of_roles, data.n_items
    if splits.single:
        yield (
            f"one response per item from {', '.join(names[role] for role in splits.single)}: nbyk cannot "
            "separate that part of the variance from the items', and counts it there"
        )
    n_split = len(splits.responses["a"])
    if n_split < n_items:
        yield (
            f"the shares are those of the {n_split} of {n_items} items with two responses or more from "
            f"each of {', '.join(names[role] for role in splits.roles)}"
        )
    if splits.roles and not splits.quartered:
        yield (
            "fewer than four responses on some items: the items' part is that of half as many responses, "
            "and usually too small"
        )
    for source, part in zip(("clusters", "items"), parts, strict=False):
        if part < 0.0:
            yield f"the {source}' part is estimated as negative; nbyk sets it to 0"
    if metric.from_mean is not None:
        yield f"nbyk treats {metric.name} as linear in the mean squared errors"


def components(sums: Floats, n_clusters: int) -> tuple[float, float]:
    """Return the variances of d between G clusters, perhaps below 0, and within, from sums over clusters.

    The sums are those of `with_clusters` (Searle, Casella and McCulloch 1992, Variance components).
    """
    total, squares, between, n, sizes_squared = sums[-5:].tolist()
    mean_square = (between - total * total / n) / (n_clusters - 1.0)
    if n == n_clusters:  # the two cannot be told apart: all variance counts as within
        return 0.0, mean_square
    within = (squares - between) / (n - n_clusters)
    size = (n - sizes_squared / n) / (n_clusters - 1.0)
    return (mean_square - within) / size, within


def with_clusters(features: Floats, clusters: Integers) -> Floats:
    """Return sums over clusters of items' features, shape (G, F + 3).

    The last feature but one is d. The three added sums are of T²/n, n and n².
    """
    sizes = np.bincount(clusters).astype(np.float64)
    sums = np.zeros((len(sizes), features.shape[1]))
    np.add.at(sums, clusters, features)
    return np.column_stack([sums, sums[:, -2] ** 2 / sizes, sizes, sizes**2])


def clustered_parts(parts: Floats, sums: Floats, n_clusters: int) -> Floats:
    """Return the variance of the mean by clusters, items, gold, A and B, shape (5,).

    It follows from those of d by items and the roles, shape (4,), and the sums of `with_clusters`.
    """
    own, within = components(sums, n_clusters)
    n, sizes_squared = sums[-2:].tolist()
    return np.array([own * sizes_squared / (n * n), (within - parts[1:].sum()) / n, *(parts[1:] / n)])


def variance_of_clustered_mean(d: Floats, clusters: Integers) -> float:
    """Return the variance of the mean of d, shape (N,), over clusters like these."""
    features = with_clusters(np.column_stack([d - d.mean(), (d - d.mean()) ** 2]), clusters)
    sums = features.sum(axis=0)
    return float(clustered_parts(np.zeros(1), sums, len(features)).sum())
