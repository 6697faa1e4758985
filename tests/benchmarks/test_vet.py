"""The benchmark's peer: VET transliterated scores, draws and resamples as nbyk and as VET itself do."""

from __future__ import annotations

import os
import random
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from benchmarks import vet
from nbyk.data.response_set import ResponseSet
from nbyk.errors import NbykError
from nbyk.priors import published_prior
from nbyk.resampling.population import Population
from nbyk.resampling.resample import observed_effects
from nbyk.resampling.simulate import simulate
from nbyk_papers.wein2023.design import COLUMNS, get_semantics

SEMANTICS = get_semantics("published")
LOWER_IS_BETTER = ("mae", "emd_aggregated", "emd_aggregated_vectorized", "mean_of_emds", "cosine")
PRIORS = ("simulated", "toxicity")


def responses(data: ResponseSet) -> vet.Responses:
    return vet.Responses(data.gold, data.a, data.b)


def reference(prior: str, index: int = 0) -> ResponseSet:
    prior_of_numbers = published_prior(prior, "published")
    return simulate(Population(prior_of_numbers, 120, 5, 0.3), seed=3, index=index)


def effect(column: str, scores: tuple[float, float], data: vet.Responses) -> float:
    """Turn VET's raw scores into nbyk's effect: positive where A is better, wins as shares."""
    a, b = scores
    if column in ("wins_mae", "wins_mae_vectorized"):
        return (a - b) / (data.gold.size if column.endswith("vectorized") else len(data.gold))
    return b - a if column in LOWER_IS_BETTER else a - b


@pytest.fixture(scope="module")
def real_vet() -> vet.Peer:
    checkout = os.environ.get("NBYK_VET")
    if not checkout:
        pytest.skip("set NBYK_VET to a checkout of google-research/vet to compare with the real code")
    return vet.load_vet(checkout)


class OneGenerator:
    """Stands in for np.random.default_rng where VET takes an unseeded generator for every number."""

    def __init__(self, seed: int) -> None:
        self.generator = np.random.default_rng(seed)
        self.seeded = np.random.default_rng

    def __call__(self, seed: int | None = None) -> np.random.Generator:
        return self.generator if seed is None else self.seeded(seed)


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("prior", PRIORS)
def test_scores_are_nbyks(prior: str, column: str) -> None:
    peer = vet.Vet()
    for index in range(3):
        data = reference(prior, index)
        found = effect(column, peer.trial(column, responses(data), "as_drawn"), responses(data))
        expected = observed_effects(data, SEMANTICS.metric(column))[0]
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("prior", PRIORS)
def test_draws_have_nbyks_distribution(prior: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One response of every item, so that the sample is independent, and both systems' distance to gold."""
    random.seed(5)
    monkeypatch.setattr(np.random, "default_rng", OneGenerator(5))
    drawn = vet.Vet().draw(prior, 4000, 2, 0.3)
    for hypothesis, theirs in zip(("alternative", "null"), drawn, strict=True):
        ours = simulate(
            Population(published_prior(prior, "published"), 4000, 2, 0.3), hypothesis=hypothesis, seed=5
        )
        for name in ("gold", "a", "b"):
            x, y = getattr(theirs, name), getattr(ours, name)
            assert x.shape == y.shape
            # Likert data have ties, for which the test is only the more lenient.
            assert stats.ks_2samp(x[:, 0], y[:, 0]).pvalue > 1e-3
            assert stats.ks_2samp(x[:, 0] - x[:, 1], y[:, 0] - y[:, 1]).pvalue > 1e-3
            to_gold = stats.ks_2samp(x[:, 0] - theirs.gold[:, 0], y[:, 0] - ours.gold[:, 0])
            assert name == "gold" or to_gold.pvalue > 1e-3


def test_resamples_keep_items_together() -> None:
    """Item i answers i everywhere: whatever is drawn, gold and both systems agree."""
    rows = np.repeat(np.arange(50.0)[:, None] / 50, 4, axis=1)
    data = vet.Responses(rows, rows, rows)
    for source in (data, vet.pooled(data)):
        assert vet.Vet().trial("mae", source, "resampled") == (0.0, 0.0)


def test_the_pool_holds_both_systems() -> None:
    data = responses(reference("simulated"))
    pool = vet.pooled(data)
    assert_array_equal(pool.a, np.hstack([data.a, data.b]))
    assert_array_equal(pool.b, pool.a)


def test_a_folder_without_vet_is_refused_in_one_line(tmp_path: object) -> None:
    with pytest.raises(NbykError, match=r"expected a checkout of google-research/vet$"):
        vet.load_vet(str(tmp_path))


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("prior", PRIORS)
def test_trials_are_vets(real_vet: vet.Peer, prior: str, column: str) -> None:
    data = responses(reference(prior))
    peer = vet.Vet()
    for take, source in (
        ("as_drawn", data),
        ("ground", data),
        ("resampled", data),
        ("resampled", vet.pooled(data)),
    ):
        peer.reseed(8)
        real_vet.reseed(8)
        found = peer.trial(column, source, take)
        assert_allclose(found, real_vet.trial(column, source, take), rtol=1e-12)


@pytest.mark.parametrize("prior", PRIORS)
def test_draws_are_vets(real_vet: vet.Peer, prior: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vet, "TRIANGLE_LEFT", -0.06)
    drawn = []
    for peer in (vet.Vet(), real_vet):
        random.seed(9)
        with monkeypatch.context() as patched:
            patched.setattr(np.random, "default_rng", OneGenerator(9))
            drawn.append(peer.draw(prior, 30, 4, 0.1))
    for ours, theirs in zip(*drawn, strict=True):
        for x, y in zip(ours, theirs, strict=True):
            assert_array_equal(x, y)


def test_a_missing_import_is_named_in_one_line(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = str(tmp_path)
    with open(f"{folder}/response_resampler_lib.py", "w", encoding="utf-8"):
        pass
    with open(f"{folder}/parameterized_sample_lib.py", "w", encoding="utf-8") as module:
        module.write("from absl import logging\n")
    monkeypatch.setitem(sys.modules, "absl", None)
    for name in ("parameterized_sample_lib", "response_resampler_lib", "datatypes"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(NbykError, match=r"run: pip install absl-py$"):
        vet.load_vet(folder)
