"""The comparison of families and its parametric bootstrap."""

import json

import numpy as np
import pytest
from scipy import stats

from nbyk.errors import NbykError
from nbyk.priors.comparison import STAGES, bootstrap_p_value, compare_families
from nbyk.priors.families import Beta, Clamped, Normal, TruncatedNormal, open_uniforms
from nbyk.priors.fitting import fit_family
from nbyk.priors.published import TOXICITY


def draw(family, n, seed):
    return family.draw(open_uniforms(np.random.default_rng(seed), (n, family.n_uniforms)))


@pytest.mark.statistics
@pytest.mark.parametrize(
    ("name", "method", "truth"),
    [
        ("truncated_normal", "histogram", TruncatedNormal(0.3, 0.25)),
        ("truncated_normal", "likelihood", TruncatedNormal(0.3, 0.25)),
        ("clamped_normal", "likelihood", Clamped(Normal(0.2, 0.3), 0, 1)),
        ("normal", "likelihood", Normal(0.5, 0.2)),
    ],
)
def test_p_is_uniform_for_the_true_family(name, method, truth):
    # 60 data sets, p on a lattice of 1/40: without the refit p would crowd near 1 and this would fail.
    p = [
        bootstrap_p_value(fit_family(name, draw(truth, 200, seed), method), n_bootstrap=39, seed=seed)
        for seed in range(60)
    ]
    assert stats.kstest(p, "uniform").pvalue > 0.01
    assert np.mean(np.array(p) <= 0.1) < 0.25


def test_p_is_small_for_a_wrong_family():
    values = draw(Beta(0.6, 0.8), 600, seed=1)
    for method in ("histogram", "likelihood"):
        assert bootstrap_p_value(fit_family("normal", values, method), n_bootstrap=99, seed=1) == 0.01


@pytest.mark.statistics
def test_ranks_the_family_that_made_the_values_among_the_first():
    means, sds = TOXICITY.draw_items(open_uniforms(np.random.default_rng(4), (4000, 2)))
    mu = compare_families(means, "mu", 0.8, n_bootstrap=0)
    assert [row.ks for row in mu] == sorted(row.ks for row in mu)
    assert mu[0].ks < 0.015
    by_key = {(row.family_name, row.method): row for row in mu}
    assert len(by_key) == len(mu) == 2 * len(STAGES["mu"])
    assert by_key["clamped_folded_normal", "likelihood"].ks < 0.02
    assert by_key["uniform", "likelihood"].ks > 0.2
    sigma = compare_families(sds, "sigma", n_bootstrap=0)
    assert sigma[0].family_name == "clamped_triangular"


def test_likelihoods_rank_among_families_with_the_same_atoms():
    values = draw(Clamped(Normal(0.2, 0.3), 0, 1), 2000, seed=2)
    families = ["clamped_normal", "clamped_triangular", "clamped_normal_mixture"]
    rows = compare_families(values, "mu", families=families, methods=["likelihood"], n_bootstrap=0)
    aic = {row.family_name: row.aic for row in rows}
    likelihood = {row.family_name: row.log_likelihood for row in rows}
    assert aic["clamped_normal"] == min(aic.values())
    assert likelihood["clamped_normal_mixture"] >= likelihood["clamped_normal"] - 0.01
    assert aic["clamped_normal"] == pytest.approx(4 - 2 * likelihood["clamped_normal"])


def test_a_rows_p_does_not_depend_on_its_company():
    values = draw(TruncatedNormal(0.3, 0.25), 150, seed=3)
    alone = compare_families(values, "mu", families=["normal"], n_bootstrap=19, seed=5)
    among = compare_families(values, "mu", families=["uniform", "normal", "uniform"], n_bootstrap=19, seed=5)
    assert [row for row in among if row.family_name == "normal"] == alone
    assert len(among) == 4


def test_refused_fits_come_last_with_the_reason():
    values = np.concatenate([draw(Beta(2, 3), 100, seed=3), [0.0, 0.0]])
    rows = compare_families(values, "sigma", families=["beta", "uniform"], n_bootstrap=0)
    assert rows[-1].family is None
    assert rows[-1].method == "likelihood"
    assert "2 of 102 values are exactly 0 or 1" in rows[-1].note
    assert json.loads(json.dumps(rows[0].to_dict(), allow_nan=False))["ks"] == rows[0].ks


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda v: compare_families(v, "tau"), r"unknown stage 'tau'"),
        (lambda v: compare_families(v, "mu", families=["cauchy"]), r"unknown fittable family"),
        (lambda v: compare_families(v, "mu", methods=["ml"]), r"unknown method"),
        (lambda v: compare_families(v[:2], "mu"), r"mu have shape \(2,\)"),
        (lambda v: bootstrap_p_value(fit_family("normal", v), n_bootstrap=0), r"bootstrap samples is 0"),
    ],
)
def test_refuses(make, message):
    with pytest.raises(NbykError, match=message):
        make(np.linspace(0.1, 0.9, 9))
