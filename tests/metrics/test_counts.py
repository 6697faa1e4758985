"""Metrics from counts against the same metrics from the responses themselves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbyk.errors import NbykError
from nbyk.metrics import get
from nbyk.metrics.counts import counts_form, has_counts_form
from nbyk.priors import Response

SPECS = (
    "mae",
    "mse",
    "wins_mae",
    "mean",
    "mean_of_emds",
    "histogram_mean_of_emds(bins=5)",
    "histogram_mean_of_emds(bins=3)",
    "histogram_mean_of_emds(bins=12)",
)


def at_least(levels: np.ndarray, n_levels: int) -> np.ndarray:
    """Return #{responses ≥ level}, shape (L − 1, n), of responses given as levels (n, K)."""
    return np.stack([(levels >= level).sum(axis=1) for level in range(1, n_levels)]).astype(np.int32)


@pytest.mark.parametrize("spec", SPECS)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_levels=st.integers(2, 7),
    n=st.integers(1, 140),
    k=st.integers(1, 12),
)
@settings(max_examples=25, deadline=None)
def test_counts_give_the_effect_of_every_item(spec: str, seed: int, n_levels: int, n: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    levels = rng.integers(0, n_levels, (3, n, k))
    response = Response("binary") if n_levels == 2 else Response("likert", n_levels)
    metric = get(spec)
    fill, unit = counts_form(metric, tuple(response.values.tolist()), k)
    units = np.empty(n, np.int32)
    fill(*(at_least(part, n_levels) for part in levels), units)
    gold, a, b = response.values[levels]
    if metric.needs == "item_means":
        alone = metric.effects(
            np.stack([a.mean(axis=1), b.mean(axis=1)])[..., None], gold.mean(axis=1)[:, None]
        )
    else:
        alone = metric.effects(np.stack([a, b])[:, :, None], gold[:, None])
    assert units * unit == pytest.approx(alone, abs=1e-12)


def test_a_metric_that_needs_the_responses_in_order_has_no_counts_form() -> None:
    assert not has_counts_form(get("cosine"))
    with pytest.raises(NbykError, match="cannot compute metric cosine from counts; choose one of mae"):
        counts_form(get("cosine"), (0.0, 1.0), 3)


def test_every_metric_with_a_counts_form_is_additive() -> None:
    assert all(get(spec).additive for spec in SPECS)
    assert not any(get(name).additive for name in ("rmse", "spearman", "cosine", "max_error"))
