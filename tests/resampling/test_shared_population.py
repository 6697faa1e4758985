"""Simulated sets whose items share raters, runs and clusters."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from nbyk.errors import NbykError
from nbyk.metrics import get
from nbyk.priors import Response, TwoStagePrior, published_prior
from nbyk.priors.families import Beta, Uniform
from nbyk.resampling.population import Population
from nbyk.resampling.shared_population import Sharing, simulate_shared
from nbyk.testing.shared_units import shared_units_test
from nbyk.testing.systems.panel import panel_of


def population(**changes: float | int) -> Population:
    given = {"n_items": 60, "k_responses": 3, "epsilon_b": 0.1, **changes}
    return Population(published_prior("toxicity"), **given)  # type: ignore[arg-type]


def test_a_set_says_who_gave_which_response() -> None:
    sharing = Sharing(n_raters=8, share_runs=True, items_per_panel=4, cluster_size=5)
    data = simulate_shared(population(n_runs=2), sharing, seed=1)
    gold = data.units["gold"]
    assert gold.index is not None
    assert gold.names == tuple(f"rater {j}" for j in range(1, 9))
    assert data.gold.shape == gold.index.shape == (60, 3)
    assert all(len(set(row)) == 3 for row in gold.index.tolist())
    assert_array_equal(gold.index[:4], np.repeat(gold.index[:1], 4, axis=0))
    assert len(np.unique(gold.index, axis=0)) > 5
    assert data.units["a"].names == data.units["b"].names == ("run 1", "run 2")
    assert data.n_clusters == 12
    panel = panel_of(data, None)
    assert panel.sources == ("raters", "runs of A", "runs of B")
    assert panel.of_clusters


def test_without_sharing_units_are_fresh() -> None:
    data = simulate_shared(population(), Sharing(rater_share=0.5), seed=1)
    assert {role: units.known_by for role, units in data.units.items()} == dict.fromkeys(
        ("gold", "a", "b"), "fresh"
    )
    assert data.clusters is None
    assert panel_of(data, None).sources == ()


def test_a_set_depends_on_its_seed_and_index_alone() -> None:
    sharing = Sharing(n_raters=5, rater_share=0.3)
    first, again, other = (simulate_shared(population(), sharing, seed=1, index=i) for i in (0, 0, 1))
    assert first.fingerprint() == again.fingerprint() != other.fingerprint()


@pytest.mark.parametrize("response", [Response("normal"), Response("likert", 5), Response("binary")])
def test_sharing_leaves_single_responses_as_they_are(response: Response) -> None:
    # Over raters and items, each response has the distribution of the prior: 200 sets of another 6 raters.
    prior = TwoStagePrior("p", Beta(3.0, 2.0), Uniform(0.1, 0.3), response)
    means = []
    for sharing in (
        Sharing(),
        Sharing(6, 0.4, share_runs=True, run_share=0.4, cluster_size=4, cluster_share=0.6),
    ):
        sets = [
            simulate_shared(Population(prior, 40, 3, 0.0), sharing, seed=5, index=index)
            for index in range(200)
        ]
        drawn = np.array([[matrix.mean() for matrix in (s.gold, s.a, s.b)] for s in sets])
        squares = np.array([[(matrix**2).mean() for matrix in (s.gold, s.a, s.b)] for s in sets])
        means.append((drawn, squares))
    (fresh, fresh_squares), (shared, shared_squares) = means
    for one, other in ((fresh, shared), (fresh_squares, shared_squares)):
        error = np.sqrt((one.var(axis=0) + other.var(axis=0)) / 200)
        assert (np.abs(one.mean(axis=0) - other.mean(axis=0)) < 4 * error).all()
    # and what is shared moves the mean of a set more
    assert (shared.std(axis=0) > 1.4 * fresh.std(axis=0)).all()


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_the_variance_of_a_rating_is_that_of_the_prior_whatever_the_share(share: float) -> None:
    prior = TwoStagePrior("p", Uniform(0.5, 0.5000001), Uniform(0.2, 0.2000001), Response("normal"))
    sharing = Sharing(3, share, share_runs=True, run_share=share)
    sets = [simulate_shared(Population(prior, 2, 1, 0.0), sharing, seed=8, index=i) for i in range(1000)]
    for role in ("gold", "a", "b"):
        # The first rating alone, since those of one rater are alike where the share is 1
        variance = np.var([getattr(data, role)[0, 0] for data in sets], ddof=1)
        assert_allclose(variance, 0.04, rtol=4 * np.sqrt(2 / 1000))


def test_severities_are_the_share_of_the_variance_that_they_should_be() -> None:
    # Normal responses of σ = .2: a rater's mean over all items has a variance of .3 · .04 between raters.
    prior = TwoStagePrior("p", Beta(3.0, 2.0), Uniform(0.2, 0.2000001), Response("normal"))
    raters = []
    for index in range(40):
        data = simulate_shared(Population(prior, 300, 10, 0.0), Sharing(10, 0.3), seed=2, index=index)
        raters.append(data.gold.mean(axis=0).var(ddof=1))
    expected = 0.04 * (0.3 + 0.7 / 300)
    assert_allclose(np.mean(raters), expected, rtol=4 * np.sqrt(2 / (9 * 40)))


def test_items_of_a_cluster_are_alike() -> None:
    prior = TwoStagePrior("p", Uniform(0.0, 1.0), Uniform(0.01, 0.010001), Response("normal"))
    data = simulate_shared(
        Population(prior, 4000, 1, 0.0), Sharing(cluster_size=2, cluster_share=0.5), seed=3
    )
    pairs = data.gold.reshape(-1, 2)
    # The correlation of uniforms whose normal scores have ρ is 6/π asin(ρ/2).
    expected = 6 / np.pi * np.arcsin(0.25)
    assert abs(np.corrcoef(pairs.T)[0, 1] - expected) < 4 * (1 - expected**2) / np.sqrt(2000)


def test_the_test_for_shared_units_sees_them() -> None:
    data = simulate_shared(population(n_items=200), Sharing(6, 0.5), seed=4)
    responses = panel_of(data, None).responses
    assert responses is not None
    with_raters, without = (
        shared_units_test(get("mae"), responses, sources=sources) for sources in (None, [])
    )
    assert with_raters.effect == without.effect
    assert with_raters.sources["raters"].units == 6


@pytest.mark.parametrize(
    ("sharing", "message"),
    [
        ({"rater_share": 1.5}, "rater_share: found 1.5, expected a share from 0 to 1"),
        ({"items_per_panel": 0}, "items_per_panel: found 0, expected at least 1"),
        ({"n_raters": 2}, "n_raters: found 2, and each item has 3 ratings"),
        ({"cluster_size": 60}, "cluster_size: found 60, and there are 60 items"),
    ],
)
def test_what_does_not_go_together_is_refused(sharing: dict[str, float], message: str) -> None:
    with pytest.raises(NbykError) as error:
        simulate_shared(population(), Sharing(**sharing))  # type: ignore[arg-type]
    assert message in str(error.value)
