"""Parts of the variance of a mean over items in clusters: between clusters, and within them.

References
----------
Searle, Casella and McCulloch 1992, Variance components (chapter 3: unbalanced data of one factor).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtri  # scipy.stats takes long to load

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def components(
    n: Floats, n_clusters: int, squares: Floats, between: Floats, total: Floats, sizes_squared: Floats
) -> tuple[Floats, Floats]:
    """Return the variances of d between clusters (it may be negative) and within, shape (M,) each.

    Parameters
    ----------
    n
        Number of items N.
    n_clusters
        Number of clusters G.
    squares, between, total, sizes_squared
        Sums over items of d² and, over clusters, of T²/n, T and n², where T is the sum of d over a cluster of
        n items.
    """
    # If each item is a cluster, the two cannot be told apart: all variance counts as within.
    within = (squares - between) / np.maximum(n - n_clusters, 1.0)
    mean_square = (between - total**2 / n) / (n_clusters - 1.0)
    size = (n - sizes_squared / n) / (n_clusters - 1.0)
    apart = n > n_clusters
    return np.where(apart, (mean_square - within) / size, 0.0), np.where(apart, within, mean_square)


def with_clusters(features: Floats, clusters: Integers) -> Floats:
    """Return sums over clusters of items' features, shape (G, F + 3).

    The last feature but one is d. The three added sums are of T²/n, n and n².
    """
    sizes = np.bincount(clusters).astype(np.float64)
    sums = np.zeros((len(sizes), features.shape[1]))
    np.add.at(sums, clusters, features)
    return np.column_stack([sums, sums[:, -2] ** 2 / sizes, sizes, sizes**2])


def clustered_parts(parts: Floats, sums: Floats, n_clusters: int) -> Floats:
    """Return the variance of the mean by clusters, items, gold, A and B, shape (5, M).

    Parameters
    ----------
    parts : ndarray, shape (4, M)
        The parts of the variance of d by items and the roles.
    sums : ndarray, shape (F + 3, M)
        Sums of the columns that `with_clusters` returns.
    n_clusters
        Number of clusters G.
    """
    total, squares, between, n, sizes_squared = sums[-5:]
    own, within = components(n, n_clusters, squares, between, total, sizes_squared)
    items = within - parts[1:].sum(axis=0)
    return np.stack([own * sizes_squared / n**2, items / n, *(parts[1:] / n)])


def share_of_clusters(sums: Floats, n_clusters: int, confidence_level: float) -> tuple[float, float]:
    """Return the interval of the clusters' share in the variance of the mean, by F.

    It is exact for normal d in clusters of one size. Percentiles of drawn clusters are not used: if the
    estimate of the part is negative, as in half of all sets without cluster effects, they are nearly all 0.

    Parameters
    ----------
    sums : ndarray, shape (F + 3,)
        Sums of the columns that `with_clusters` returns.
    n_clusters
        Number of clusters G.
    confidence_level
        Nominal coverage.
    """
    total, squares, between, n, sizes_squared = sums[-5:]
    degrees = n_clusters - 1.0, float(n) - n_clusters
    within = (squares - between) / degrees[1]
    if within <= 0.0:
        return 0.0, 1.0
    ratio = (between - total**2 / n) / degrees[0] / within
    size = (n - sizes_squared / n) / degrees[0]
    tail = 0.5 * (1.0 - confidence_level)
    ends = []
    for quantile in (fdtri(*degrees, 1.0 - tail), fdtri(*degrees, tail)):
        own = max(ratio / quantile - 1.0, 0.0) / size * sizes_squared / n
        ends.append(float(own / (1.0 + own)))
    return ends[0], ends[1]


def variance_of_clustered_mean(d: Floats, clusters: Integers) -> float:
    """Return the variance of the mean of d, shape (N,), over clusters like these."""
    features = with_clusters(np.column_stack([d - d.mean(), (d - d.mean()) ** 2]), clusters)
    total, squares, between, n, sizes_squared = features.sum(axis=0)
    own, within = components(n, len(features), squares, between, total, sizes_squared)
    return float(own * sizes_squared / n**2 + within / n)
