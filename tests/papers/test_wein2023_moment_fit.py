"""The paper's own fit of a prior: bars of histograms, known parameters found again, and its table."""

import numpy as np
import pytest
from scipy import stats

from nbyk.data import load_source
from nbyk.files import write_json, write_parquet
from nbyk.priors import Response, TwoStagePrior, fit_prior
from nbyk.priors.families import Clamped, FoldedNormal, Normal, Triangular, open_uniforms
from nbyk.priors.predictive import predictive_check
from nbyk.priors.published import TOXICITY
from nbyk_papers.wein2023.moment_fit import (
    FAMILIES,
    N_BINS,
    _bars,
    bar_error,
    fit_bars,
    fit_by_moments,
    fits_table,
    histogram_counts,
)


def draw(family, n, seed):
    return family.draw(open_uniforms(np.random.default_rng(seed), (n, family.n_uniforms)))


def parameters(family):
    return [value for value in family.of.to_dict().values() if not isinstance(value, str)]


@pytest.mark.parametrize(
    ("name", "truth", "top"),
    [
        ("clamped_folded_normal", Clamped(FoldedNormal(0.4, 0.25), 0, 0.8), 0.8),
        ("clamped_triangular", Clamped(Triangular(-0.05, 0.21, 0.45), 0, 1), 1.0),
    ],
)
def test_recovers_known_parameters(name, truth, top):
    values = draw(truth, 10_000, seed=5)
    fitted = fit_bars(name, values, top)
    assert parameters(fitted) == pytest.approx(parameters(truth), abs=0.04)
    x = np.linspace(0, 1, 201)
    assert np.abs(fitted.cdf(x) - truth.cdf(x)).max() < 0.02
    # The truth is one of the candidates, so the optimum cannot be worse.
    assert bar_error(fitted, values) <= bar_error(truth, values) * (1 + 1e-6)
    assert fit_bars(name, values[::-1], top) == fitted


def test_weins_parameters_are_near_the_optimum_for_the_toxicity_prior():
    # Appendix B: foldednormal(0, .28) and triangular(−.05, .21, .45). A folded normal's mean and sd trade off
    # near mean 0, where only their second moment is well determined; the error of the bars tells how near.
    # Sampling alone moves the bars by sqrt(n p (1 − p)), some 0.0003 n on average over twenty of them.
    n = 107_620
    means, sds = TOXICITY.draw_items(open_uniforms(np.random.default_rng(8), (n, 2)))
    mu = fit_bars("clamped_folded_normal", means, 0.8)
    inside, error = mu.of, bar_error(mu, means)
    assert np.hypot(inside.mean, inside.sd) == pytest.approx(0.28, abs=0.01)
    assert error <= bar_error(TOXICITY.mu, means) < error + 0.0005 * n
    assert bar_error(Clamped(FoldedNormal(0, 0.32), 0, 0.8), means) > 5 * error
    sigma = fit_bars("clamped_triangular", sds, 1.0)
    error = bar_error(sigma, sds)
    assert parameters(sigma) == pytest.approx([-0.05, 0.21, 0.45], abs=0.01)
    assert error <= bar_error(TOXICITY.sigma, sds) < error + 0.0005 * n


@pytest.mark.parametrize("name", ["clamped_folded_normal", "clamped_triangular"])
def test_the_bars_of_a_search_are_its_familys(name):
    template = FAMILIES[name]
    points = np.array([[axis.start[1], axis.start[-1]] for axis in template.axes])
    edges = np.arange(N_BINS + 1) / N_BINS
    for top in (0.8, 1.0):
        for index, bars in enumerate(_bars(template, points, top)):
            below = Clamped(template.build(points[:, index]), 0.0, top).cdf_left(edges)
            below[-1] = 1.0
            np.testing.assert_allclose(bars, np.diff(below), atol=1e-14)


def test_bars_take_values_that_are_off_an_edge_by_rounding():
    # 0.1 + 0.2 and 0.7 − 0.1 miss the edges 6/20 and 12/20 by one unit in the last place, on either side.
    values = np.array([0.1 + 0.2, 0.3, 0.7 - 0.1, 0.6, 1.0, 1 + 1e-12, 0.0, -0.2, 1.2])
    counts = histogram_counts(values)
    assert {bar: count for bar, count in enumerate(counts) if count} == {0: 1, 6: 2, 12: 2, 19: 2}


def test_the_error_of_bars_counts_atoms_in_the_bar_they_open():
    family, norm = Clamped(Normal(0.4, 0.3), 0, 0.8), stats.norm(0.4, 0.3)
    values = draw(family, 100_000, seed=2)
    edges = np.arange(N_BINS + 1) / N_BINS
    chances = np.where(edges[:-1] < 0.8, np.diff(norm.cdf(edges)), 0.0)
    chances[0], chances[16] = norm.cdf(0.05), norm.sf(0.8)
    expected, counts = len(values) * chances, histogram_counts(values)
    assert bar_error(family, values) == pytest.approx(np.abs(counts - expected).mean())
    assert stats.chisquare(counts[expected > 0], expected[expected > 0]).pvalue > 0.001


@pytest.mark.statistics
def test_the_predictive_check_shows_what_rounding_does_to_moments():
    # Moments of responses rounded down are rounded down once more by a prior that takes them for latent.
    mu, sigma = TOXICITY.draw_items(open_uniforms(np.random.default_rng(2), (1000, TOXICITY.n_uniforms)))
    noise = np.random.default_rng(3).standard_normal((1000, 5))
    matrix = TOXICITY.response.apply(mu[:, None] + sigma[:, None] * noise)
    check = predictive_check(fit_by_moments("toxicity", matrix, Response("likert", 5)), matrix, n_sets=39)
    assert check.mean_data - check.mean_prior > 0.03
    assert check.mean_p == 1 / 40
    assert predictive_check(TOXICITY, matrix, n_sets=39).mean_p > 0.05


def test_the_table_has_the_papers_fit_beside_ours(tmp_path):
    ratings = load_source("convabuse")
    prior = fit_prior("convabuse", ratings.matrix(), Response("likert", 5), n_sets=20).prior
    write_parquet(tmp_path / "r.parquet", ratings.to_table(), {})
    write_json(tmp_path / "prior.json", prior.to_dict())
    table = fits_table({"convabuse": (tmp_path / "r.parquet", tmp_path / "prior.json")}, 5).set_index("fit")
    theirs, ours = table.loc["the paper's"], table.loc["nbyk's"]
    assert theirs["mean of ratings"] == ours["mean of ratings"]
    # The bars are as near as the paper's (2000 of 107,620 items); the ratings that they predict are others.
    assert max(theirs["error of the means' bars"], theirs["error of the deviations' bars"]) < 0.0186
    assert np.isnan(ours["error of the means' bars"])
    assert ours["KS of item means"] < 0.1 < theirs["KS of item means"]
    assert theirs["mean of ratings"] - theirs["mean under the prior"] > 0.03
    assert abs(ours["mean of ratings"] - ours["mean under the prior"]) < 0.01
    again = fit_by_moments("convabuse", ratings.matrix(), Response("likert", 5))
    assert TwoStagePrior.from_dict(again.to_dict()) == again
