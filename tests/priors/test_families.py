"""The families: draws and distribution functions against each other and against scipy."""

import json
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import special, stats

from nbyk.errors import NbykError
from nbyk.priors.families import (
    FAMILIES,
    Beta,
    Clamped,
    Constant,
    FoldedNormal,
    Mixture,
    Normal,
    Triangular,
    TruncatedNormal,
    Uniform,
    family_from_dict,
    open_uniforms,
)

TWO_NORMALS = Mixture((0.65, 0.35), (TruncatedNormal(-0.43, 0.42), TruncatedNormal(1.19, 0.53)))

EXAMPLES = [
    Constant(0.3),
    Uniform(0, 0.3),
    Normal(0.4, 0.2),
    TruncatedNormal(-0.5, 1),
    TruncatedNormal(-0.278, 0.18),
    TruncatedNormal(1.12, 0.51),
    TruncatedNormal(-3, 0.05),
    TruncatedNormal(40, 0.2, 0, 0.8),
    FoldedNormal(0, 0.28),
    FoldedNormal(-0.3, 0.2),
    Triangular(-0.05, 0.21, 0.45),
    Triangular(0, 0, 1),
    Triangular(0, 1, 1),
    Beta(0.5, 3),
    TWO_NORMALS,
    Clamped(FoldedNormal(0, 0.28), 0, 0.8),
    Clamped(Triangular(-0.05, 0.21, 0.45), 0, 1),
    Clamped(Mixture((0.5, 0.5), (Normal(0, 0.2), Normal(0.9, 0.2))), 0, 1),
    Mixture((0.2, 0.8), (Constant(0.0), Clamped(Normal(0.1, 0.2), 0, 1))),
]

CONTINUOUS = [family for family in EXAMPLES if not family.atoms]

finite = st.floats(-5, 5)
positive = st.floats(0.01, 5)
share = st.floats(1e-9, 1 - 1e-9)
monotone = st.one_of(
    st.builds(lambda low, width: Uniform(low, low + width), finite, positive),
    st.builds(Normal, finite, positive),
    st.builds(TruncatedNormal, st.floats(-50, 50), st.floats(0.01, 10)),
    st.builds(lambda m, left, right: Triangular(m - left, m, m + right), finite, positive, positive),
    st.builds(Beta, st.floats(0.3, 20), st.floats(0.3, 20)),
)


@given(monotone, share)
@example(Beta(1.03125, 0.375), 0.5)
@settings(max_examples=300, deadline=None)
def test_cdf_undoes_draw(family, u):
    x = family.draw([u])
    assert family.support[0] <= x <= family.support[1]
    # Near the end of a beta whose density has no bound there, neighbouring floats differ in cdf by more.
    below, above = (family.cdf(np.nextafter(x, family.support[end])) for end in (0, 1))
    assert below - 1e-7 <= u <= above + 1e-7


@given(monotone, st.lists(share, min_size=2, max_size=2, unique=True))
@settings(max_examples=100, deadline=None)
def test_draw_is_monotone(family, shares):
    low, high = family.draw(np.sort(shares)[:, np.newaxis])
    assert low <= high


@given(st.floats(-2, 2), positive, st.floats(0, 5))
@settings(max_examples=100, deadline=None)
def test_folded_normal_draws_what_its_cdf_says(mean, sd, x):
    # |mean + sd Φ⁻¹(u)| ≤ x on one interval of u, whose length is the cdf.
    family = FoldedNormal(mean, sd)
    lower, upper = stats.norm.cdf([(-x - mean) / sd, (x - mean) / sd])
    assert family.cdf(x) == pytest.approx(upper - lower, abs=1e-14)
    inside = lower + np.array([1e-6, 0.5, 1 - 1e-6]) * (upper - lower)
    # Closer to the ends a share is too coarse a number for its quantile.
    inside = inside[(inside > 1e-9) & (inside < 1 - 1e-9)]
    assert np.all(family.draw(inside[:, np.newaxis]) <= x + 1e-6)


@pytest.mark.parametrize("family", EXAMPLES, ids=repr)
def test_draws_follow_the_cdf_atoms_included(family):
    # P(sqrt(n) D > 1.95) is about .001 for a continuous family and less for one with atoms.
    n = 40_000
    draws = family.draw(open_uniforms(np.random.default_rng(7), (n, family.n_uniforms)))
    assert draws.shape == (n,)
    values, counts = np.unique(draws, return_counts=True)
    at = np.cumsum(counts) / n
    above, below = np.abs(at - family.cdf(values)), np.abs(at - counts / n - family.cdf_left(values))
    assert max(above.max(), below.max()) * math.sqrt(n) < 1.95
    for value, mass in family.atoms:
        assert np.mean(draws == value) == pytest.approx(mass, abs=4 * math.sqrt(mass * (1 - mass) / n))


X = np.linspace(-0.2, 1.2, 57)


@pytest.mark.parametrize(
    ("family", "oracle"),
    [
        (TruncatedNormal(-0.5, 1), stats.truncnorm(0.5, 1.5, -0.5, 1)),
        (TruncatedNormal(-0.278, 0.18), stats.truncnorm(0.278 / 0.18, 1.278 / 0.18, -0.278, 0.18)),
        (TruncatedNormal(1.12, 0.51), stats.truncnorm(-1.12 / 0.51, -0.12 / 0.51, 1.12, 0.51)),
        (TruncatedNormal(-3, 0.05), stats.truncnorm(60, 80, -3, 0.05)),
        (FoldedNormal(0.3, 0.2), stats.foldnorm(1.5, scale=0.2)),
        (FoldedNormal(0, 0.28), stats.halfnorm(scale=0.28)),
        (Triangular(-0.05, 0.21, 0.45), stats.triang(0.52, -0.05, 0.5)),
        (Triangular(0, 0, 1), stats.triang(0)),
        (Beta(1.5, 3), stats.beta(1.5, 3)),
        (Uniform(0.1, 0.4), stats.uniform(0.1, 0.3)),
        (Normal(0.4, 0.2), stats.norm(0.4, 0.2)),
    ],
    ids=lambda side: side.dist.name if hasattr(side, "dist") else repr(side),
)
def test_agrees_with_scipy(family, oracle):
    # Off the ends of the supports, where conventions about closed intervals differ.
    x = X[(np.abs(X) > 1e-9) & (np.abs(X - 1) > 1e-9)]
    np.testing.assert_allclose(family.cdf(x), oracle.cdf(x), rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("mean", [-40.0, -1000.0])
def test_truncated_normal_far_out_is_exponential(mean):
    # z = −mean sds out, the draw is Exp(1)/z up to a relative error of the order of 1/z².
    u = np.linspace(0.001, 0.999, 41)
    draws = TruncatedNormal(mean, 1).draw(u[:, np.newaxis])
    np.testing.assert_allclose(draws, -np.log1p(-u) / -mean, rtol=5 / mean**2)
    mirrored = TruncatedNormal(1 - mean, 1).draw(1 - u[:, np.newaxis])
    np.testing.assert_allclose(1 - mirrored, draws, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("mean", [-1000.0, -0.5, 0.5, 1000.0])
def test_the_extreme_uniforms_draw_values_inside(mean):
    draws = TruncatedNormal(mean, 1).draw([[2.0**-54], [1 - 2.0**-53]])
    assert np.all((draws >= 0) & (draws <= 1))
    assert draws[0] < draws[1]


def test_the_upper_tail_of_a_truncated_normal_is_not_cut_off():
    family = TruncatedNormal(0, 1, -30, 30)
    assert family.draw([1 - 2.0**-53]) == pytest.approx(stats.norm.isf(2.0**-53), rel=1e-12)


def test_clamped_puts_the_mass_outside_on_the_ends():
    family = Clamped(Normal(0.1, 0.2), 0, 0.8)
    below, above = stats.norm.cdf(-0.5), stats.norm.sf(3.5)
    assert dict(family.atoms) == pytest.approx({0.0: below, 0.8: above})
    assert family.cdf([-1e-12, 0, 0.8]) == pytest.approx([0, below, 1])
    assert family.cdf_left([0, 0.8, 0.81]) == pytest.approx([0, 1 - above, 1])
    assert family.support == (0, 0.8)


@pytest.mark.parametrize("family", EXAMPLES, ids=repr)
def test_draws_do_not_depend_on_the_batch(family):
    u = open_uniforms(np.random.default_rng(1), (4, 3, family.n_uniforms))
    together = family.draw(u)
    assert together.shape == (4, 3)
    apart = [[float(family.draw(u[i, j])) for j in range(3)] for i in range(4)]
    np.testing.assert_array_equal(together, apart)


@pytest.mark.parametrize("shape", [(40, 25, 1), (60, 50, 1)], ids=["few", "many"])
def test_truncated_normals_are_quantiles_of_the_nearer_tail_to_the_last_bit(shape):
    family = TruncatedNormal(0.3, 0.4, 0.1, 0.9)
    u = open_uniforms(np.random.default_rng(2), shape)
    below, above = (special.ndtr((end - 0.3) / 0.4 * sign) for end, sign in ((0.1, 1), (0.9, -1)))
    whole = special.ndtr((0.9 - 0.3) / 0.4) - below
    left, right = below + u[..., 0] * whole, above + (1.0 - u[..., 0]) * whole
    tail = special.ndtri(np.minimum(left, right))
    expected = np.clip(0.3 + 0.4 * np.where(left <= right, tail, -tail), 0.1, 0.9)
    assert (left <= right).any()
    assert (left > right).any()
    np.testing.assert_array_equal(family.draw(u), expected)


def test_the_second_uniform_chooses_the_component():
    family = Mixture((0.25, 0.75), (Constant(1.0), Uniform(2, 3)))
    assert family.draw([[0.5, 0.2499], [0.5, 0.25], [0.5, 0.9999]]).tolist() == [1.0, 2.5, 2.5]


@pytest.mark.parametrize("family", EXAMPLES, ids=repr)
def test_json_round_trip(family):
    assert family_from_dict(json.loads(json.dumps(family.to_dict()))) == family


@given(st.floats(-1e300, 1e300), st.floats(1e-300, 1e300))
def test_json_round_trip_is_exact_for_any_number(mean, sd):
    assert family_from_dict(json.loads(json.dumps(Normal(mean, sd).to_dict()))) == Normal(mean, sd)


def test_whole_numbers_and_minus_zero_make_the_same_record():
    assert json.dumps(Uniform(-0.0, 1).to_dict()) == json.dumps(Uniform(0.0, 1.0).to_dict())


def test_parameters_with_a_default_may_be_left_out():
    content = {"family": "truncated_normal", "mean": -0.5, "sd": 1}
    assert family_from_dict(content) == TruncatedNormal(-0.5, 1, 0, 1)


@pytest.mark.quick
def test_every_family_has_an_example():
    assert {family.name for family in EXAMPLES} == set(FAMILIES)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Normal(0, 0), r"normal: sd is 0.0; expected a number above 0"),
        (lambda: Normal("0", 1), r"normal: mean is '0'; expected a finite number"),
        (lambda: Normal(math.nan, 1), r"normal: mean is nan"),
        (lambda: Normal(True, 1), r"normal: mean is True"),
        (lambda: Uniform(1, 1), r"uniform: high is 1.0; expected more than low"),
        (lambda: TruncatedNormal(0, 1, 1, 0), r"truncated_normal: high is 0.0"),
        (lambda: Triangular(0, 2, 1), r"triangular: mode is 2.0; expected between 0.0 and 1.0"),
        (lambda: Triangular(1, 1, 1), r"triangular: high is 1.0"),
        (lambda: Beta(1, -1), r"beta: b is -1.0"),
        (lambda: Clamped(0.5, 0, 1), r"clamped: of is 0.5; expected a family"),
        (lambda: Clamped(Normal(0, 1), 1, 0), r"clamped: high is 0.0"),
        (lambda: Mixture((0.5, 0.6), (Normal(0, 1), Normal(1, 1))), r"weights is \(0.5, 0.6\).*sum 1"),
        (lambda: Mixture((1.5, -0.5), (Normal(0, 1), Normal(1, 1))), r"positive"),
        (lambda: Mixture((1.0,), (Normal(0, 1), Normal(1, 1))), r"expected 2, one for each"),
        (lambda: Mixture((1.0,), (TWO_NORMALS,)), r"not mixtures themselves"),
        (lambda: Mixture((), ()), r"mixture: components"),
        (lambda: Mixture("ab", (Normal(0, 1), Normal(1, 1))), r"one number for each"),
        (lambda: Mixture((1.0,), 3), r"components is 3; expected a list of families"),
        (lambda: Normal(0, 1).draw(0.5), r"uniforms have shape \(\); expected \(..., 1\)"),
        (lambda: TWO_NORMALS.draw([[0.5]]), r"expected \(..., 2\)"),
        (lambda: family_from_dict({"family": "unifrom"}), r"did you mean uniform"),
        (lambda: family_from_dict({"low": 0}), r"a family is a mapping"),
        (lambda: family_from_dict("uniform"), r"a family is a mapping"),
        (lambda: family_from_dict({"family": "uniform", "low": 0}), r"uniform: high is missing"),
        (
            lambda: family_from_dict({"family": "normal", "mean": 0, "std": 1}),
            r"did you mean sd|known: mean, sd",
        ),
        (
            lambda: family_from_dict({"family": "mixture", "weights": [1], "components": 3}),
            r"components is 3",
        ),
    ],
)
def test_refuses(make, message):
    with pytest.raises(NbykError, match=message):
        make()
