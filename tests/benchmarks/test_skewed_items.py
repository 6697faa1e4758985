"""The study of skewed items: its worlds, its vectorised step, and the table that the page shows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.skewed_items import RATES, WORLDS, stepped, table
from nbyk.testing.skewness import corrected

PAGE = Path(__file__).resolve().parents[2] / "docs" / "compare.md"


def test_the_page_shows_the_rates_of_the_file():
    assert table() in PAGE.read_text(encoding="utf-8")


def test_without_a_reserve_equal_systems_are_told_apart_in_at_most_9_percent():
    rates = pd.read_csv(RATES).query("test == 'no reserve'")
    assert set(rates.world) == set(WORLDS)
    assert rates["level .05"].max() <= 0.09
    assert "Without a reserve, no rate is above .09." in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("world", WORLDS)
def test_effects_have_mean_zero_and_are_symmetric_where_the_world_says_so(world):
    symmetric, draw = WORLDS[world]
    effects = draw(np.random.default_rng(3), (1, 400_000))[0]
    assert abs(effects.mean()) < 5.0 * effects.std() / np.sqrt(effects.size)
    far = 2.0 * effects.std()
    above, below = (effects > far).mean(), (effects < -far).mean()
    assert bool(abs(above - below) < 0.002) is symmetric


def test_the_step_of_many_is_that_of_one():
    sizes = np.linspace(-5, 5, 21)
    for g, c in ((0.3, 1.0), (-0.2, 1.8), (0.0, 1.2)):
        one_by_one = [corrected(size, g, c) for size in sizes.tolist()]
        np.testing.assert_allclose(stepped(sizes, np.full(21, g), c), one_by_one, atol=1e-12)
