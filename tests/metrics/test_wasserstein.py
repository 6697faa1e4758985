"""The distance of pooled responses is scipy's, on smooth, tied, clipped and wild samples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from nbyk.metrics import get
from nbyk.metrics.distributional import wasserstein_sorted

KINDS = {
    "smooth": lambda rng, n: rng.normal(0.5, 0.2, n),
    "shifted": lambda rng, n: rng.normal(0.55, 0.1, n),
    "clipped": lambda rng, n: np.clip(rng.normal(0.5, 0.4, n), 0.0, 1.0),
    "five levels": lambda rng, n: rng.integers(0, 5, n) / 4,
    "many levels": lambda rng, n: np.round(rng.normal(0.5, 0.2, n), 2),
    "far from zero": lambda rng, n: 1e6 + rng.normal(0.5, 0.2, n),
    "heavy tails": lambda rng, n: rng.standard_cauchy(n),
    "one value": lambda rng, n: np.full(n, 0.3),
    "two lumps": lambda rng, n: rng.choice([0.0, 1.0], n) + rng.normal(0.0, 1e-3, n),
}


def distances(samples: list[np.ndarray], gold: np.ndarray) -> list[float]:
    """Return the distances of samples whose pools may differ in size from gold's: NaN fills the shorter."""
    size = max(len(gold), *map(len, samples))
    columns = [np.append(values, np.full(size - len(values), np.nan))[:, None] for values in (*samples, gold)]
    scores = get("emd_aggregated_vectorized").scores(np.array(columns[:-1])[:, None], columns[-1][None])
    return scores[:, 0].tolist()


def by_sorting(x: np.ndarray, y: np.ndarray) -> float:
    return wasserstein_sorted(np.sort(x), len(x), np.sort(y), len(y))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("of_gold", KINDS)
@pytest.mark.parametrize(("n", "m"), [(600, 20), (8001, 8001), (9000, 20_000), (30_000, 8500)])
def test_the_distance_is_that_of_sorted_samples(kind: str, of_gold: str, n: int, m: int) -> None:
    rng = np.random.default_rng([n, m, len(kind), len(of_gold)])
    x, y = KINDS[kind](rng, n), KINDS[of_gold](rng, m)
    (found,) = distances([x], y)
    spread = max(x.max(), y.max()) - min(x.min(), y.min())
    assert found == pytest.approx(by_sorting(x, y), rel=1e-12, abs=1e-13 * spread)
    assert found == pytest.approx(wasserstein_distance(x, y), rel=1e-9, abs=1e-12 * spread)


def test_each_sample_is_compared_by_itself_with_one_gold() -> None:
    rng = np.random.default_rng(1)
    gold = KINDS["clipped"](rng, 9000)
    samples = [KINDS[kind](rng, n) for kind in KINDS for n in (40, 9000, 8777)]
    together = distances(samples, gold)
    assert together == [distances([sample], gold)[0] for sample in samples]


@pytest.mark.parametrize("kind", KINDS)
def test_a_sample_is_at_no_distance_from_itself_in_any_order(kind: str) -> None:
    rng = np.random.default_rng(2)
    sample = KINDS[kind](rng, 9000)
    assert distances([sample, rng.permutation(sample)], sample) == [0.0, 0.0]


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_values_does_not_count(kind: str) -> None:
    rng = np.random.default_rng(5)
    x, y = KINDS[kind](rng, 9000), KINDS["smooth"](rng, 12_000)
    assert distances([x, rng.permutation(x)], y) == [distances([x], rng.permutation(y))[0]] * 2


@settings(max_examples=25)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(sorted(KINDS)),
    st.integers(8001, 9000),
    st.integers(8001, 9000),
)
def test_the_two_samples_may_be_exchanged_turned_and_scaled(seed: int, kind: str, n: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = KINDS[kind](rng, n), KINDS["smooth"](rng, m)
    (found,) = distances([x], y)
    spread = max(x.max(), y.max()) - min(x.min(), y.min())
    for other in (distances([y], x), distances([-x], -y), [d / 8.0 for d in distances([8.0 * x], 8.0 * y)]):
        assert other[0] == pytest.approx(found, rel=1e-11, abs=1e-13 * spread)


@pytest.mark.parametrize("wild", [np.inf, -np.inf, np.nan])
def test_values_that_are_no_numbers_are_never_read_past_an_end(wild: float) -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=9000), rng.normal(size=9000)
    x[rng.integers(9000)] = wild
    of_x, of_y = get("emd_aggregated").scores(np.array([x, y])[:, None], y[None])[:, 0]
    assert not np.isfinite(of_x)
    assert of_y == 0.0


@pytest.mark.parametrize("scale", [1e-320, 1e-160, 1e300])
def test_tiny_and_huge_values(scale: float) -> None:
    rng = np.random.default_rng(4)
    x, y = scale * rng.uniform(size=9000), scale * rng.uniform(size=9000)
    assert distances([x], y)[0] == pytest.approx(by_sorting(x, y), rel=1e-11, abs=1e-318)
