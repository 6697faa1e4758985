"""The ordinal family against closed forms, statsmodels' ordered probit and its own fits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import chisquare, norm

from nbyk.errors import NbykError
from nbyk.planning.plan import plan
from nbyk.priors import OrdinalPrior, fit_levels
from nbyk.priors.families import open_uniforms
from nbyk.priors.nominal import labels_of, shares_of

PRIOR = OrdinalPrior("mine", (-1.0, 0.2, 1.5), 0.8, 0.5)


def counts_from(prior: OrdinalPrior, n_items: int, k: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    above = prior.above(prior.places(open_uniforms(rng, (n_items,))))
    labels = labels_of(above, open_uniforms(rng, (n_items, k)))
    return np.stack([(labels == level).sum(axis=1) for level in range(prior.levels)], axis=1)


def test_shares_are_those_of_one_normal() -> None:
    counts = counts_from(PRIOR, 20_000, 1).sum(axis=0)
    assert chisquare(counts, PRIOR.shares * counts.sum()).pvalue > 1e-4
    spread = np.sqrt(1 + 0.8**2 + 0.5**2)
    assert np.allclose(np.cumsum(PRIOR.shares)[:-1], norm.cdf(np.array([-1.0, 0.2, 1.5]) / spread))


def test_log_likelihood_is_the_integral_over_items() -> None:
    counts = np.array([[1, 2, 0, 1], [0, 0, 3, 0]])
    expected = sum(
        np.log(
            quad(lambda z, row=row: norm.pdf(z) * np.prod(shares_of(PRIOR.above(0.8 * z)) ** row), -8, 8)[0]
        )
        for row in counts
    )
    assert PRIOR.log_likelihood(counts) == pytest.approx(expected, rel=1e-6)


def test_thresholds_are_those_of_an_ordered_probit() -> None:
    """Responses to items that are alike: the thresholds of statsmodels without covariates."""
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    counts = counts_from(OrdinalPrior("alike", (-1.0, 0.2, 1.5), 0.0), 2500, 2, seed=3)
    fitted = fit_levels("alike", counts, n_sets=1).prior
    levels = np.repeat(np.arange(4), counts.sum(axis=0))
    model = OrderedModel(levels, np.zeros((len(levels), 0)), distr="probit")
    found = model.fit(method="bfgs", disp=False)
    expected = model.transform_threshold_params(found.params)[1:-1]
    marginal = np.array(fitted.thresholds) / np.sqrt(1 + fitted.item_sd**2)
    assert np.abs(marginal - expected).max() < 0.01
    assert fitted.item_sd < 0.3


def test_a_fit_of_drawn_levels_draws_such_levels() -> None:
    """Within 4 standard errors of the thresholds and the items' spread, measured by 6 other sets."""
    own = OrdinalPrior("mine", (-1.0, 0.2, 1.5), 0.8)
    fits = [fit_levels("drawn", counts_from(own, 400, 5, seed), n_sets=1).prior for seed in range(6)]
    found = np.array([[*fitted.thresholds, fitted.item_sd] for fitted in fits])
    error = found.std(axis=0, ddof=1) / np.sqrt(len(fits))
    assert (np.abs(found.mean(axis=0) - [-1.0, 0.2, 1.5, 0.8]) < 4 * error + 0.01).all()
    again = counts_from(fits[0], 4000, 5, seed=99).sum(axis=0)
    assert np.abs(again / again.sum() - own.shares).max() < 0.04


@pytest.mark.parametrize(("item_sd", "k"), [(0.05, 4), (3.0, 30), (6.0, 100)])
def test_log_likelihood_of_items_that_differ_much(item_sd: float, k: int) -> None:
    """Many responses place an item more finely than few nodes lie; the sum of 100,000 even steps is exact."""
    prior = OrdinalPrior("mine", (-1.0, 0.2, 1.5), item_sd, 0.5)
    z = np.linspace(-8.0, 8.0, 100_001)
    logs = np.log(np.maximum(shares_of(prior.above(item_sd * z)), 1e-300))
    for row in ([k // 2, 0, k - k // 2, 0], [0, k - 1, 1, 0], [0, 0, 0, k]):
        expected = np.logaddexp.reduce(logs @ np.array(row) + norm.logpdf(z)) + np.log(z[1] - z[0])
        assert prior.log_likelihood([row]) == pytest.approx(expected, abs=1e-6)


def test_a_fit_of_items_that_differ_much_has_their_spread() -> None:
    """The standard error of log s is about 1/√(2N) = .022 here, and a little more by the levels."""
    counts = counts_from(OrdinalPrior("far", (-1.0, 0.2, 1.5), 3.0), 1000, 30)
    fitted = fit_levels("far", counts, n_sets=1).prior
    assert fitted.item_sd == pytest.approx(3.0, rel=0.1)
    assert np.abs(fitted.shares - counts.sum(axis=0) / counts.sum()).max() < 0.01


def test_a_fit_of_levels_is_checked() -> None:
    """Items that all are at one end or the other are no normal ones, and the check says where they differ."""
    fitted = fit_levels("drawn", counts_from(PRIOR, 300, 4), ["1", "2", "3", "4"], n_sets=60)
    assert not fitted.check.rejected, fitted.check
    ends = np.random.default_rng(3).multinomial(6, [0.96, 0.02, 0.01, 0.01], 200)
    odd = fit_levels("odd", np.vstack([ends, ends[:, ::-1]]), n_sets=60)
    assert odd.check.rejected
    assert odd.prior.caution.startswith("The prior fitted to odd does not describe its labels well")


def test_levels_are_planned_as_labels_are() -> None:
    """A system that is off on the latent scale is found, and the more so the further it is off."""
    powers = [
        plan(
            PRIOR, metric="js_divergence", n_items=400, k_responses=20, epsilon=epsilon, precision=0.05
        ).power
        for epsilon in (0.05, 1.0)
    ]
    assert powers[0] < 0.2
    lines = plan(PRIOR, n_items=40, k_responses=2, epsilon=0.5, precision=0.1).lines
    assert "a system B whose places on the latent scale are off by up to ε = 0.5" in lines[1]
    assert powers[1] > 0.5


@pytest.mark.parametrize("thresholds", [(), (1.0, 0.5), (0.0, 0.0), (float("nan"),)])
def test_thresholds_out_of_order_are_refused(thresholds: tuple[float, ...]) -> None:
    with pytest.raises(NbykError, match="expected thresholds in ascending order"):
        OrdinalPrior("mine", thresholds, 1.0)


def test_levels_that_determine_no_threshold_are_refused() -> None:
    with pytest.raises(NbykError, match="level 2 of 3 has no response"):
        fit_levels("mine", [[2, 0, 1], [1, 0, 3]])
    with pytest.raises(NbykError, match="every item has a single label"):
        fit_levels("mine", [[1, 0, 0], [0, 1, 0]])
