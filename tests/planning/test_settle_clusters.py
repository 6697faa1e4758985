"""What would settle a comparison of items in clusters: more clusters, as many as a closed form says."""

from __future__ import annotations

import numpy as np
import pytest

from nbyk import settle
from nbyk.errors import NbykError


def clustered(n_clusters: int, effect: float, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return scores of A and B on items in clusters of five; SDs of .1 between clusters, .2 within."""
    generator = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(n_clusters), 5)
    a = (
        0.5
        + effect
        + generator.normal(0.0, 0.1, n_clusters)[cluster]
        + generator.normal(0.0, 0.2, 5 * n_clusters)
    )
    return a, np.full(a.shape, 0.5), cluster


def test_more_clusters_are_planned_where_items_come_in_clusters() -> None:
    """N = (z_α/2 + z_power)² (5 σ²_c + σ²_w) / δ²; the standard deviation of 400 clusters is known to 4 %."""
    a, b, cluster = clustered(400, 0.0, seed=2)
    a += 0.008 - (a - b).mean()
    found = settle(None, a, b, cluster=cluster, metric="mean")
    expected = (1.96 + 0.8416) ** 2 * (5 * 0.1**2 + 0.2**2) / 0.008**2
    assert found.n_items == pytest.approx(expected, rel=0.15)
    assert f"{found.n_items} items in {-(-found.n_items // 5)} clusters with" in found.sentence
    assert (found.open, found.others) == (("n_items",), ())
    assert found.warnings == ("nbyk plans only more clusters, with 5 items each",)
    alone = settle(None, a, b, metric="mean")
    assert alone.n_items < 0.8 * found.n_items


def test_runs_of_items_in_clusters_have_a_sentence_over_new_clusters() -> None:
    a, b, cluster = clustered(30, 0.02, seed=1)
    generator = np.random.default_rng(3)
    answers = [
        side[:, None] + generator.normal(0.0, 0.02, (1, 4)) + generator.normal(0.0, 0.1, (150, 4))
        for side in (a, b)
    ]
    found = settle(None, *np.clip(answers, 0.0, 1.0), cluster=cluster, metric="mean")
    assert "over new clusters of items and new raters" in found.lines[1]


def test_two_clusters_settle_nothing() -> None:
    a, b, cluster = clustered(2, 0.1, seed=1)
    with pytest.raises(NbykError, match="cluster: 2 clusters are too few; collect 3 or more, or leave"):
        settle(None, a, b, cluster=cluster, metric="mean")


@pytest.mark.parametrize(("most", "reachable"), [(7, False), (46, False), (47, True), (None, True)])
def test_more_people_than_the_realistic_ratings_of_an_item_are_no_way(
    most: int | None, reachable: bool
) -> None:
    """Five people rate all of 30 items; 47 would do, who would rate all of them."""
    rng = np.random.default_rng(12)
    severity, items = rng.normal(0.0, 0.1, 5), rng.random((30, 1))
    a = items + severity + rng.normal(0.0, 0.3, (30, 5))
    b = items + 0.2 * severity - 0.03 + rng.normal(0.0, 0.3, (30, 5))
    limits = {} if most is None else {"max_responses": most}
    found = settle(None, a, b, metric="mean", pair_runs=True, max_items=40, **limits)
    ways = [way for way in (found, *found.others) if way.reachable]
    assert bool(ways) is reachable
    assert all(way.n_items <= 40 and way.k_responses == 47 for way in ways)
