"""Boards beside a baseline, and both intervals of a margin: words, table and figure show the same numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

import nbyk
from nbyk.report.comparison.answer import comparison_answer
from nbyk.report.comparison.figures import difference_figure, differences_figure
from nbyk.report.comparison.tables import pairs_table
from nbyk.testing.results import Board
from tests.report.test_kinds import runs

SYSTEMS = {f"s{k}": runs(5)[:, :1] * (1.0 - 0.25 * k) for k in range(3)}


def board(**how: Any) -> Board:
    return nbyk.compare(None, SYSTEMS, **how)


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    plt.close("all")


def drawn(axes: Any, width: float) -> list[list[float]]:
    """Return the ends of the intervals that are drawn with lines of a width, from the top."""
    lines = [line for line in axes.lines if line.get_linewidth() == width and line.get_linestyle() == "-"]
    return [list(line.get_xdata()) for line in sorted(lines, key=lambda line: line.get_ydata()[0])]


@pytest.mark.parametrize("against", ["s1", 0.4])
def test_the_figure_of_a_baseline_draws_the_differences_with_their_intervals(against: Any) -> None:
    beside = board(against=against)
    (axes,) = differences_figure(beside).axes
    pairs = {pair.a: pair for pair in beside.pairs}
    names = [name for name in beside.names if name in pairs]
    assert [text.get_text() for text in axes.get_yticklabels()] == names
    np.testing.assert_allclose(drawn(axes, 2.6), [pairs[name].interval for name in names])
    assert axes.get_xlabel().startswith(f"← worse than {beside.pairs[0].b}")
    assert "simultaneous 95 % interval" in axes.get_xlabel()
    assert [of.name for of in comparison_answer({"mean": beside}).figures] == ["differences", "leaderboard"]
    assert beside.plot().axes[0].get_xlabel() == axes.get_xlabel()
    assert "Simultaneous 95 % intervals" in str(beside) or "simultaneous 95 % intervals" in str(beside)


def test_the_figure_of_a_margin_draws_the_interval_of_the_margin_thick_and_the_other_thin() -> None:
    pair = nbyk.compare(None, SYSTEMS["s0"], SYSTEMS["s1"], margin=0.3, n_resamples=199).pair
    assert pair.margin is not None
    (axes,) = difference_figure(pair).axes
    np.testing.assert_allclose(drawn(axes, 3.4), [pair.margin.interval])
    np.testing.assert_allclose(drawn(axes, 1.0), [pair.interval])
    assert "90 % interval (thick) and 95 % (thin)" in axes.get_xlabel()
    text = " ".join(str(pair).split())
    assert "90 % interval, p" in text
    assert "(95 % interval" in text


def test_a_one_sided_margin_says_whose_lead_is_not_shown() -> None:
    ahead, behind = SYSTEMS["s0"], SYSTEMS["s2"]
    text = str(nbyk.compare(None, behind, ahead, margin=0.05, alternative="greater", n_resamples=199))
    assert "Neither is shown to be better" not in text  # B is so by far
    assert "A is not shown to be better than B" in " ".join(text.split())


def test_p_is_called_corrected_only_if_it_is() -> None:
    assert "corrected p" in board(against="s1").to_frame()
    assert "corrected p" not in board(against="s1", correction="none").to_frame()
    assert "corrected p" not in str(board(against="s1", correction="none"))


def test_an_open_board_says_how_many_items_would_settle_its_nearest_pair() -> None:
    generator = np.random.default_rng(1)
    base = generator.random((200, 1))
    systems = {f"s{k}": base + generator.normal(0.02 * k, 0.2, (200, 1)) for k in range(3)}
    found = nbyk.compare(None, systems, n_resamples=199)
    pair = found.open_pair
    assert pair is not None
    assert pair.p > 0.05
    effects = (systems[pair.a] - systems[pair.b])[:, 0]
    # two-sided z-test at α/3 with power .8
    reach = (2.3939797998 + 0.8416212336) / abs(effects.mean()) * effects.std(ddof=1)
    said = f"for {pair.a} and {pair.b}, about {np.ceil(reach**2):.0f} items would show this effect"
    assert said in " ".join(str(found).split())
    twice = nbyk.compare(None, systems, n_resamples=199, against=pair.b)
    assert "items would show this effect" in " ".join(str(twice).split())


def test_the_table_of_pairs_names_the_system_that_a_margin_is_about() -> None:
    behind_first = {name: SYSTEMS[name] for name in ("s2", "s1", "s0")}
    table = pairs_table(nbyk.compare(None, behind_first, margin=0.01).pairs)
    row = table[(table["A"] == "s0") & (table["B"] == "s2")].iloc[0]
    assert row["effect"] > 0.0
    assert row["within the margin"] == "s2 is worse"
