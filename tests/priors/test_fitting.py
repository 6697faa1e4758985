"""Fits: item moments, recovery of known parameters, and optima that nothing known beats."""

import itertools

import numpy as np
import pytest
from scipy import stats

from nbyk.errors import NbykError
from nbyk.priors.families import (
    Beta,
    Clamped,
    FoldedNormal,
    Mixture,
    Normal,
    Triangular,
    TruncatedNormal,
    Uniform,
    open_uniforms,
)
from nbyk.priors.fitting import fit_family, item_parameters, refit
from nbyk.priors.goodness import bar_probabilities, histogram_mae, ks_distance
from nbyk.priors.published import TOXICITY
from nbyk.priors.templates import TEMPLATES

TRUTHS = {
    "uniform": (Uniform(0.1, 0.75), 1.0),
    "normal": (Normal(0.45, 0.12), 1.0),
    "truncated_normal": (TruncatedNormal(0.3, 0.25, 0, 0.8), 0.8),
    "folded_normal": (FoldedNormal(0.3, 0.15), 1.0),
    "triangular": (Triangular(0.05, 0.3, 0.8), 1.0),
    "beta": (Beta(1.5, 3.5), 1.0),
    "clamped_normal": (Clamped(Normal(0.2, 0.3), 0, 0.8), 0.8),
    "clamped_folded_normal": (Clamped(FoldedNormal(0.4, 0.25), 0, 0.8), 0.8),
    "clamped_triangular": (Clamped(Triangular(-0.05, 0.21, 0.45), 0, 1), 1.0),
    "truncated_normal_mixture": (
        Mixture((0.6, 0.4), (TruncatedNormal(0.15, 0.12), TruncatedNormal(0.7, 0.1))),
        1.0,
    ),
    "clamped_normal_mixture": (
        Clamped(Mixture((0.6, 0.4), (Normal(0.1, 0.12), Normal(0.7, 0.15))), 0, 1),
        1.0,
    ),
}

N = 10_000


def draw(family, n, seed):
    return family.draw(open_uniforms(np.random.default_rng(seed), (n, family.n_uniforms)))


def parameters(family):
    if isinstance(family, Clamped):
        return parameters(family.of)
    if isinstance(family, Mixture):
        return [*family.weights, *itertools.chain(*(parameters(part) for part in family.components))]
    return [value for value in family.to_dict().values() if not isinstance(value, str)]


@pytest.mark.parametrize("method", ["histogram", "likelihood"])
@pytest.mark.parametrize("name", TEMPLATES)
def test_recovers_known_parameters(name, method):
    truth, top = TRUTHS[name]
    values = draw(truth, N, seed=5)
    fitted = fit_family(name, values, method, top=top)
    # All truths are well determined by 10,000 values: .04 is at least three standard errors of every number
    # but a beta's shapes, which are some ten times larger.
    tolerance = 0.2 if name == "beta" else 0.04
    assert parameters(fitted.family) == pytest.approx(parameters(truth), abs=tolerance)
    x = np.linspace(0, 1, 201)
    assert np.abs(fitted.family.cdf(x) - truth.cdf(x)).max() < 0.02
    # The truth is one of the candidates, so the optimum cannot be worse.
    if method == "histogram":
        assert fitted.histogram_mae <= histogram_mae(truth, values) * (1 + 1e-6)
    else:
        assert fitted.log_likelihood >= truth.log_likelihood(values).sum() - 1e-3


def test_likelihood_fits_are_scipys():
    values = draw(Beta(1.5, 3.5), 3000, seed=1)
    a, b, _, _ = stats.beta.fit(values, floc=0, fscale=1)
    fitted = fit_family("beta", values, "likelihood")
    assert (fitted.family.a, fitted.family.b) == pytest.approx((a, b), rel=1e-3)
    folded = draw(FoldedNormal(0.3, 0.15), 3000, seed=2)
    c, _, scale = stats.foldnorm.fit(folded, 2.0, floc=0, scale=0.15)
    family = fit_family("folded_normal", folded, "likelihood").family
    assert (family.mean, family.sd) == pytest.approx((c * scale, scale), rel=1e-3)


def test_the_censored_likelihood_fit_is_that_of_a_tobit_model():
    # scipy's own censored fit, with values at the ends known only to lie beyond them.
    values = draw(Clamped(Normal(0.2, 0.3), 0, 0.8), 2000, seed=4)
    data = stats.CensoredData(
        uncensored=values[(values > 0) & (values < 0.8)],
        left=values[values == 0],
        right=values[values == 0.8],
    )
    mean, sd = stats.norm.fit(data)
    inside = fit_family("clamped_normal", values, "likelihood", top=0.8).family.of
    assert (inside.mean, inside.sd) == pytest.approx((mean, sd), abs=2e-4)


def test_weins_parameters_are_near_the_optimum_for_the_toxicity_prior():
    # Appendix B: foldednormal(0, .28) and triangular(−.05, .21, .45). A folded normal's mean and sd trade off
    # near mean 0, where only their second moment is well determined; the error of the bars tells how near.
    # Sampling alone moves the bars by sqrt(n p (1 − p)), some 0.0003 n on average over twenty of them.
    n = 107_620
    means, sds = TOXICITY.draw_items(open_uniforms(np.random.default_rng(8), (n, 2)))
    mu = fit_family("clamped_folded_normal", means, top=0.8)
    inside = mu.family.of
    assert np.hypot(inside.mean, inside.sd) == pytest.approx(0.28, abs=0.01)
    assert mu.histogram_mae <= histogram_mae(TOXICITY.mu, means) < mu.histogram_mae + 0.0005 * n
    assert histogram_mae(Clamped(FoldedNormal(0, 0.32), 0, 0.8), means) > 5 * mu.histogram_mae
    sigma = fit_family("clamped_triangular", sds)
    assert parameters(sigma.family) == pytest.approx([-0.05, 0.21, 0.45], abs=0.01)
    assert sigma.histogram_mae <= histogram_mae(TOXICITY.sigma, sds) < sigma.histogram_mae + 0.0005 * n


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_templates_bars_are_its_familys(name):
    template = TEMPLATES[name]
    points = np.array([[axis.start[1], axis.start[-1]] for axis in template.axes])
    for top in (0.8, 1.0):
        bars = template.bars(points, top, bins=15)
        for index in range(2):
            family = template.build(points[:, index], top)
            np.testing.assert_allclose(bars[index], bar_probabilities(family, 15), atol=1e-14)


@pytest.mark.parametrize("method", ["histogram", "likelihood"])
@pytest.mark.parametrize("name", ["truncated_normal", "clamped_triangular", "clamped_normal_mixture"])
def test_a_refit_is_as_good_as_a_fit(name, method):
    # Good enough means: far closer than the 1/sqrt(n) by which the distances themselves vary.
    truth, top = TRUTHS[name]
    fitted = fit_family(name, draw(truth, 1000, seed=6), method, top=top)
    sample = draw(fitted.family, 1000, seed=7)
    again, full = refit(fitted, sample), fit_family(name, sample, method, top=top)
    assert ks_distance(again, sample) == pytest.approx(full.ks, abs=0.2 / np.sqrt(1000))


def test_fits_do_not_depend_on_the_order_of_the_values():
    values = draw(TRUTHS["clamped_normal"][0], 500, seed=9)
    for method in ("histogram", "likelihood"):
        once = fit_family("clamped_normal", values, method, top=0.8)
        assert fit_family("clamped_normal", values[::-1], method, top=0.8) == once


def test_values_within_rounding_of_an_end_are_on_it():
    values = np.array([0.1 + 0.2 + 0.5, 0.3, 0.5, 1e-17, 0.2, 0.8])
    assert np.isfinite(fit_family("clamped_normal", values, "likelihood", top=0.8).log_likelihood)


def test_item_parameters_of_ragged_rows():
    nan = np.nan
    means, sds = item_parameters([[0.2, nan, 0.4], [1.0, nan, nan], [0.0, 0.5, 1.0]])
    assert means.tolist() == [0.3, 1.0, 0.5]
    assert sds == pytest.approx([np.std([0.2, 0.4], ddof=1), 0.5])


def test_equal_ratings_have_equal_means_and_no_spread_in_any_order():
    rows = [*itertools.permutations([0.1, 0.2, 0.3, 0.6, 0.7]), (0.8,) * 5, (0.1,) * 5]
    means, sds = item_parameters(rows)
    assert len(set(means[:-2])) == 1
    assert len(set(sds[:-2])) == 1
    assert sds[-2:].tolist() == [0, 0]
    assert means[-2:].tolist() == [0.8, 0.1]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: item_parameters([0.1, 0.2]), r"single response, so sigma is not identified.*collect"),
        (lambda: item_parameters([[0.1, 0.2]]), r"only one item"),
        (lambda: fit_family("gamma", [0.1, 0.2, 0.3]), r"unknown fittable family 'gamma'"),
        (lambda: fit_family("beta", [0.1, 0.2, 0.3], "moments"), r"unknown method"),
        (lambda: fit_family("beta", [0.1, 0.2]), r"at least three"),
        (lambda: fit_family("beta", [[0.1, 0.2, 0.3]]), r"expected a vector"),
        (lambda: fit_family("beta", [0.1, np.nan, 0.3]), r"NaN or infinity"),
        (lambda: fit_family("beta", [0.5, 0.5, 0.5]), r"all 3 are 0.5.*constant"),
        (lambda: fit_family("beta", [0.1, 0.2, 0.3], top=1.5), r"top of the range is 1.5"),
        (lambda: fit_family("beta", [0.1, 0.2, 0.3], bins=0), r"bins is 0"),
        (lambda: fit_family("beta", [0.0, 0.2, 1.0], "likelihood"), r"2 of 3 values are exactly 0 or 1"),
        (lambda: fit_family("truncated_normal", [0.1, 0.9, 0.3], top=0.8), r"1 of 3 .* outside \[0, 0.8\]"),
        (lambda: fit_family("folded_normal", [-0.1, 0.2, 0.3], "likelihood"), r"no parameters give all 3"),
    ],
)
def test_refuses(make, message):
    with pytest.raises(NbykError, match=message):
        make()


def test_a_beta_is_fitted_to_ends_by_its_histogram():
    values = np.concatenate([draw(Beta(0.5, 2), 3000, seed=3), [0.0, 1.0]])
    family = fit_family("beta", values, "histogram").family
    assert (family.a, family.b) == pytest.approx((0.5, 2), rel=0.15)
