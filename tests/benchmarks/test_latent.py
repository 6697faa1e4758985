"""The coverage of the ordinal model's interval: its table on the page, and one world of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.latent import WORLDS, coverage, true_effect

PAGE = Path(__file__).resolve().parents[2] / "docs" / "classes.md"


def test_the_page_shows_every_world_twice() -> None:
    rows = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ")]
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows if "raters" in row and "SD" not in row][
        -2 * len(WORLDS) :
    ] == [name for name in WORLDS for _ in range(2)]


def test_the_true_effect_is_the_shift_over_the_spread_of_all_ratings() -> None:
    """Items, noise, raters and raters by system are normal, so the ratings are too; four standard errors."""
    world = WORLDS["the same 5 raters"]
    assert true_effect(world, 0.6) == pytest.approx(0.6 / (1.0 + 1.0 + 0.25 + 0.04) ** 0.5, abs=0.008)


@pytest.mark.statistics
@pytest.mark.parametrize("world", ["3 raters of its own", "the same 5 raters"])
def test_the_interval_holds_the_truth_as_often_as_it_says(world: str) -> None:
    """Of 400 sets, within four standard errors of .95 below; above, few raters make it wider."""
    below, above = coverage(WORLDS[world], 0.6, 400)
    assert 0.906 <= 1.0 - below - above <= 0.995
