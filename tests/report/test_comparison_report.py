"""Tables and figures of comparisons: every system in its place, the same bytes again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import nbyk
from nbyk.planning.settle import settle
from nbyk.report.comparison import figures, tables
from nbyk.report.drawing import NARROW, pictures
from nbyk.testing.results import Board
from nbyk.testing.systems.sensitivity import sensitivity
from nbyk.testing.systems.variance import SOURCES, variance_shares
from tests.written import save, write_table

NAMES = ("short", "a/very-long-name-of-a-system-that-nobody-can-read-v1", "100 % & $x_1$", "d")


def ratings(n: int = 60, k: int = 3):  # type: ignore[no-untyped-def]
    generator = np.random.default_rng(0)
    mean = generator.random((n, 1))
    gold = np.clip(mean + 0.1 * generator.standard_normal((n, k)), 0.0, 1.0)
    systems = {
        name: np.clip(
            mean + 0.08 * i * generator.standard_normal((n, 1)) + 0.1 * generator.standard_normal((n, k)),
            0,
            1,
        )
        for i, name in enumerate(NAMES)
    }
    return gold, systems


@pytest.fixture(scope="module")
def board() -> Board:
    return nbyk.compare(*ratings(), n_resamples=999)


@pytest.fixture(scope="module")
def beside() -> Board:
    return nbyk.compare(*ratings(), against="short", n_resamples=999)


def test_the_leaderboard_has_a_row_for_each_system(board: Board, beside: Board) -> None:
    table = tables.leaderboard_table(board)
    assert tuple(table["system"]) == board.names
    assert list(table["groups"]) == [standing.letters for standing in board.standings]
    assert list(table["rank to"]) == [standing.rank_high for standing in board.standings]
    of_baseline = tables.leaderboard_table(beside).set_index("system")
    assert of_baseline.loc["short", "than short"] == "baseline"
    assert of_baseline.loc["d", "than short"] == "worse"
    assert np.isnan(of_baseline.loc["short", "effect"])


def test_pairs_are_sorted_as_the_leaderboard_is(board: Board) -> None:
    table = tables.pairs_table(board.pairs)
    assert len(table) == 6
    found = {(row.A, row.B): row for row in table.itertuples()}
    for pair in board.pairs:
        row = found[pair.a, pair.b]
        assert (row.effect, row.p) == (pair.effect, pair.claims[0].p)
        assert row.verdict == (f"{pair.better} is better" if pair.better else "undecided")


def test_no_end_of_an_interval_is_a_zero_below_zero() -> None:
    pair = nbyk.compare(None, [0.2, 0.1, 0.4], [0.3, 0.5, 0.4], kind="numbers").pair
    claims = tuple(replace(claim, interval=(-0.5, 0.0)) for claim in pair.claims)
    table = tables.pairs_table([replace(pair, claims=claims)])
    assert [str(end) for end in table.loc[0, ["low", "high"]]] == ["0.0", "0.5"]


def test_sensitivity_has_a_column_for_each_choice() -> None:
    gold, systems = ratings()
    found = sensitivity(gold, systems["short"], systems["d"], metrics=["mae", "spearman"], n_resamples=49)
    table = tables.sensitivity_table(found)
    assert list(table["metric"]) == ["mae", "spearman"]
    assert table.shape == (2, 4 + 5 + 6)
    for choice in found.choices:
        cell = table.set_index("metric").loc[choice.metric, choice.sampler or choice.null]
        assert cell == choice.p


def test_shares_that_are_not_identified_are_empty() -> None:
    gold, systems = ratings()
    shares = variance_shares(gold[:, :1], systems["short"], systems["d"])
    table = tables.variance_table({"mae": shares.parts()}).set_index("source")
    assert "low" not in table
    assert len(table) == len(SOURCES)
    assert np.isnan(table.loc["gold ratings", "share"])
    assert table["share"].sum() == pytest.approx(1.0)


def test_tables_are_written_in_three_formats(board: Board, tmp_path: Path) -> None:
    write_table(tables.leaderboard_table(board), tmp_path / "board", tables.leaderboard_caption(board))
    text = (tmp_path / "board.tex").read_text(encoding="utf-8")
    assert r"100 \% \& \$x\_1\$" in text
    assert "α" not in text
    assert (tmp_path / "board.md").exists()
    assert (tmp_path / "board.csv").exists()


def test_figures_have_the_same_bytes_again(board: Board, beside: Board, tmp_path: Path) -> None:
    gold, systems = ratings()
    pair = board.pairs[0]
    found = sensitivity(gold, systems["short"], systems["d"], metrics=["mae", "spearman"], n_resamples=49)
    shares = variance_shares(gold, systems["short"], systems["d"][:, :1])
    drawn = {
        "board": lambda: figures.leaderboard_figure(board),
        "beside": lambda: figures.leaderboard_figure(beside),
        "pair": lambda: figures.difference_figure(pair),
        "null": lambda: figures.null_figure(pair),
        "sensitivity": lambda: figures.sensitivity_figure(found),
        "shares": lambda: figures.variance_figure("mae", shares.parts()),
    }
    for name, draw in drawn.items():
        for again in ("once", "twice"):
            save(draw(), tmp_path / again / name)
        for suffix in (".png", ".svg"):
            once, twice = (tmp_path / again / f"{name}{suffix}" for again in ("once", "twice"))
            assert once.read_bytes() == twice.read_bytes()


def test_figures_of_what_does_not_vary_can_be_drawn(tmp_path: Path) -> None:
    gold = np.linspace(0.0, 1.0, 20)[:, None]
    same = nbyk.compare(gold, {"x": gold, "y": gold}, n_resamples=99)
    save(figures.leaderboard_figure(same), tmp_path / "board")
    save(figures.difference_figure(same.pair), tmp_path / "pair")
    save(figures.null_figure(same.pair), tmp_path / "null")
    shares = variance_shares(gold, gold, gold)
    save(figures.variance_figure("mae", shares.parts()), tmp_path / "shares")
    undefined = sensitivity(gold[:3], gold[:3], gold[2::-1], metrics=["spearman"], n_resamples=299)
    save(figures.sensitivity_figure(undefined), tmp_path / "sensitivity")
    assert len(list(tmp_path.glob("*.png"))) == 5


def test_long_names_lose_their_middle_and_dollars_are_no_mathematics() -> None:
    assert figures.shown_name("x" * 20 + "y" * 30, 21) == "x" * 10 + "…" + "y" * 10
    assert figures.shown_name("short") == "short"
    assert figures.shown_name("$a$") == r"\$a\$"


def test_a_figure_of_many_groups_is_lettered_as_the_table(board: Board) -> None:
    figure = figures.leaderboard_figure(board)
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert texts[:2] == ["rank", "group"]
    ranks = [
        f"{s.rank_low}–{s.rank_high}".replace(f"{s.rank_low}–{s.rank_low}", f"{s.rank_low}")
        for s in board.standings
    ]
    assert texts[2::2] == ranks
    assert texts[3::2] == [standing.letters for standing in board.standings]
    assert set(pictures(figure, narrow=True)) == {".png", ".svg", NARROW}
    assert figure.get_figwidth() == pytest.approx(3.33)
    assert figures.leaderboard_figure(replace(board, groups=())) is not None


def test_nbyk_exports_the_analyses() -> None:
    assert nbyk.Board is Board
    assert nbyk.sensitivity is sensitivity
    assert nbyk.settle is settle
