"""What could be read in two ways is read in one, the same in every form, or refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import nbyk
from nbyk.cli.options import numbers_of
from nbyk.data import read_ratings, read_systems
from nbyk.errors import NbykError

N = 24
ITEMS = [f"q{row}" for row in range(N)]
LEVELS = ["low", "mid", "high"]


def drawn(seed: int, values: list[Any]) -> list[Any]:
    return list(np.random.default_rng(seed).choice(values, N).tolist())


def test_whole_numbers_are_not_cut_at_a_threshold_that_nobody_named() -> None:
    gold, a, b = (np.array(drawn(seed, [0, 1, 2])) for seed in (1, 2, 3))
    board = nbyk.compare(gold, a, b, metric="accuracy", kind="classes")
    scores = {of.name: of.score for of in board.standings}
    assert scores == pytest.approx({"A": (gold == a).mean(), "B": (gold == b).mean()})
    for metric in ("accuracy", "f1", "auc"):
        with pytest.raises(NbykError, match=f'from 0 to 2, which {metric} cuts at 0.5.* `kind="classes"`'):
            nbyk.compare(gold, a, b, metric=metric)
    named = nbyk.compare(gold, a, b, metric="accuracy(threshold=2)")
    expected = [((gold == 2) == (of == 2)).mean() for of in (a, b)]
    assert [of.score for of in named.standings] == pytest.approx(sorted(expected, reverse=True))
    assert nbyk.compare(gold, a, b, metric="accuracy", scale=(0, 2)).standings[0].score > 0.0
    nbyk.compare(gold > 0, a * 10.0, b * 10.0, metric="auc")  # the order of the systems' numbers alone


def test_whole_numbers_of_runs_are_classes_for_a_metric_of_distributions_if_said() -> None:
    rng = np.random.default_rng(1)
    gold, a, b = (rng.integers(0, 3, (N, 2)) for _ in range(3))
    with pytest.raises(NbykError, match=r'more than one .* if they are classes, say `kind="classes"`'):
        nbyk.compare(gold, a, b, metric="brier", classes=[0, 1, 2])
    board = nbyk.compare(gold, a, b, metric="brier", classes=[0, 1, 2], kind="classes")
    shares = (gold[..., None] == range(3)).mean(axis=1)
    expected = [((shares[:, None] - np.eye(3)[of]) ** 2).sum(axis=2).mean() for of in (a, b)]
    assert sorted(of.score for of in board.standings) == pytest.approx(sorted(expected))


@pytest.mark.parametrize("name", ["sentiment", "y"])
def test_a_first_line_that_may_be_a_name_is_no_label(name: str, tmp_path: Path) -> None:
    path, labels = tmp_path / "a.csv", drawn(1, ["pos", "neg"])

    def items(first: str) -> int:
        path.write_text("\n".join([first, *labels]))
        return len(read_systems({"a": path, "b": path}, path).items)

    assert items("value") == items("prediction") == N
    assert items("pos") == N + 1
    with pytest.raises(NbykError, match=f"the first line, '{name}', may be the column's name or a label"):
        items(name)


def test_objects_of_pandas_beside_arrays_have_one_order() -> None:
    a = pd.Series(drawn(1, [0.0, 0.5, 1.0]), ITEMS)
    b = pd.Series(drawn(2, [0.0, 0.5, 1.0]), ITEMS)
    gold = drawn(3, [0.0, 0.5, 1.0])
    expected = nbyk.compare(gold, a.to_numpy(), b.to_numpy()).p
    assert nbyk.compare(gold, a, b).p == expected
    with pytest.raises(NbykError, match="the Series have different indices"):
        nbyk.compare(gold, a, b[::-1])
    clusters = pd.Series([row // 3 for row in range(N)], ITEMS)
    by_order = nbyk.compare(gold, a, b, cluster=clusters.to_numpy()).p
    assert nbyk.compare(gold, a, b, cluster=clusters[::-1]).p == by_order


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "Arrow"])
def test_columns_of_probabilities_go_by_their_names_in_every_frame(frame: Callable[[Any], Any]) -> None:
    rows = {seed: np.random.default_rng(seed).dirichlet([1, 1, 1], N) for seed in (1, 2)}
    gold = drawn(3, LEVELS)
    a, b = (frame(dict(zip(LEVELS, of.T, strict=True))) for of in rows.values())
    turned = frame(dict(zip(LEVELS[::-1], rows[2].T[::-1], strict=True)))
    expected = nbyk.compare(gold, rows[1], rows[2], classes=LEVELS, kind="distributions")
    for other in (b, turned):
        board = nbyk.compare(gold, a, other)
        assert board.effect == pytest.approx(expected.effect)


@pytest.mark.parametrize("of_gold", [None, LEVELS])
def test_columns_that_order_the_classes_otherwise_are_refused(of_gold: list[str] | None) -> None:
    data = [drawn(seed, LEVELS) for seed in (1, 2, 3)]

    def given(*orders: list[str] | None, **how: Any) -> list[float]:
        columns = [
            pd.Series(of if order is None else pd.Categorical(of, order, ordered=True))
            for of, order in zip(data, orders, strict=True)
        ]
        gold, a, b = (pd.DataFrame({"item": ITEMS, "value": of}) for of in columns)
        read = read_systems({"a": a, "b": b}, gold, **how)
        boards = [
            nbyk.compare(columns[0], *columns[1:], metric="quadratic_kappa", **how),
            nbyk.compare(read, metric="quadratic_kappa"),
        ]
        return [board.effect for board in boards]

    expected = given(None, None, None, classes=LEVELS)
    assert given(of_gold, LEVELS, LEVELS) == pytest.approx(expected)
    for how in ({}, {"kind": "classes"}):
        with pytest.raises(
            NbykError, match=r"classes: found them in the order low, mid, high, and in another"
        ):
            given(of_gold, LEVELS, LEVELS[::-1], **how)
    assert given(of_gold, LEVELS, LEVELS[::-1], classes=LEVELS) == pytest.approx(expected)


def test_a_class_that_files_take_for_none_is_refused_by_name() -> None:
    with pytest.raises(NbykError, match="classes: found NA, which means no label in every file"):
        nbyk.compare(["a", "b"], ["a", "a"], ["b", "b"], classes=["a", "b", "NA"])


@pytest.mark.parametrize("step", ["1D", "12h"])
def test_times_are_the_same_ids_in_every_form(step: str, tmp_path: Path) -> None:
    times = pd.date_range("2026-01-01", periods=N, freq=step)
    frame = pd.DataFrame({"item": times, "value": drawn(1, [0.0, 0.5, 1.0])})
    frame.to_csv(tmp_path / "a.csv", index=False)
    pq.write_table(pa.table(frame), tmp_path / "a.parquet")
    expected = read_ratings(tmp_path / "a.csv")
    assert read_ratings(tmp_path / "a.parquet") == expected
    assert read_ratings(frame) == read_ratings(pl.DataFrame(frame)) == expected


@pytest.mark.parametrize(
    ("index", "other"),
    [
        (range(1, N + 1), np.arange(1.0, N + 1)),
        (pd.date_range("2026-01-01", periods=N), pd.date_range("2026-01-01", periods=N).strftime("%Y-%m-%d")),
    ],
    ids=["7 and 7.0", "days"],
)
def test_an_index_is_matched_as_a_column_of_ids_is(index: Any, other: Any) -> None:
    a, b = (np.array(drawn(seed, [0.0, 0.5, 1.0])) for seed in (1, 2))
    expected = nbyk.compare(None, a, b, kind="numbers").p
    assert nbyk.compare(None, pd.Series(a, index), pd.Series(b, other)[::-1], kind="numbers").p == expected


def test_what_is_no_row_of_numbers_is_refused_in_words() -> None:
    with pytest.raises(NbykError, match=r"A: found \{0.5, 1.0\}, expected numbers"):
        nbyk.compare(None, {0.5, 1.0}, {1.0, 0.5})
    times = pd.Series(pd.to_timedelta([1, 2, 3], unit="s"))
    with pytest.raises(NbykError, match=r"A: found an array of timedelta64"):
        nbyk.compare(None, times, times)


def test_what_is_no_system_by_name_is_refused_in_words() -> None:
    a, b = (pd.DataFrame({"item": ITEMS, "value": drawn(seed, [0.0, 1.0])}) for seed in (1, 2))
    assert read_systems({1: a, 2: b}).names == ("1", "2")
    for systems, error in (
        ([a, b], "systems: found DataFrame, expected paths, one table of all, or each system by its name"),
        (None, "systems: found NoneType, expected paths"),
        ({1: a, "1": b}, "systems: two systems have one name"),
        ({" ": a, "b": b}, "system ' ': the name is blank"),
    ):
        with pytest.raises(NbykError, match=error):
            read_systems(systems)
    with pytest.raises(NbykError, match="item: found None, expected the name of a column"):
        read_systems({"a": a, "b": b}, item=None)  # type: ignore[arg-type]


def test_systems_whose_names_differ_in_spaces_are_refused(tmp_path: Path) -> None:
    frame = pd.DataFrame({"item": ITEMS * 2, "system": ["x"] * N + ["x "] * N, "value": 0.5})
    with pytest.raises(NbykError, match="the system id 'x ' differs from 'x' in spaces alone"):
        read_systems(frame)


@pytest.mark.parametrize("names", [("prediction", "gold"), ("accuracy", "f1"), ("bleu", "rouge")])
def test_columns_of_values_are_no_raters(names: tuple[str, str], tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    frames = [pd.DataFrame({"item": ITEMS, **{name: rng.random(N) for name in names}}) for _ in range(2)]
    for name, frame in zip("ab", frames, strict=True):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    files = [tmp_path / f"{name}.csv" for name in "ab"]
    with pytest.raises(NbykError, match=f"column '{names[0]}' is of no rater or run by its name"):
        read_systems(files)
    with pytest.raises(NbykError, match=f"column '{names[0]}' is of no rater or run by its name"):
        nbyk.compare(None, *(frame[[*names]] for frame in frames))
    columns = (frame[names[0]].to_numpy() for frame in frames)
    expected = nbyk.compare(None, *columns, kind="numbers").effect
    assert nbyk.compare(read_systems(files, value=names[0])).effect == pytest.approx(expected)


def test_what_a_class_counts_is_said_once() -> None:
    with pytest.raises(NbykError, match="counts: found yes twice"):
        numbers_of("yes=1,no=0, yes=0")


@pytest.mark.parametrize(
    ("text", "way_out"),
    [
        ("q0,0.64\nq1,1\n", "add a line of names above the first line if that is data, or rename"),
        ("item,value\nq0,TRUE\nq1,0\nq2,1\n", ", 1 for true and 0 for false; mend it"),
        ("item,value\nq0,64%\nq1,50%\n", "found classes, as '64%', expected numbers as in"),
    ],
)
def test_a_way_out_names_what_is_wrong(text: str, way_out: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(text)
    (tmp_path / "b.csv").write_text("item,value\nq0,0.5\nq1,1\nq2,0\n")
    with pytest.raises(NbykError, match=way_out):
        read_systems([tmp_path / "a.csv", tmp_path / "b.csv"])


def test_one_system_of_probabilities_is_scored_by_gold(tmp_path: Path) -> None:
    rows, gold = np.random.default_rng(1).dirichlet([1, 1, 1], N), drawn(3, LEVELS)
    frame = pd.DataFrame(dict(zip(LEVELS, rows.T, strict=True))).assign(item=ITEMS)
    read = read_systems({"a": frame}, pd.DataFrame({"item": ITEMS, "value": gold}), fewest=1)
    with pytest.raises(NbykError, match=r"if they are classes with their probabilities, give gold"):
        read_systems({"a": frame}, fewest=1)
    (standing,) = nbyk.compare(read).standings
    chances = [rows[row, LEVELS.index(name)] for row, name in enumerate(gold)]
    assert standing.score == pytest.approx(-np.log(chances).mean())


def test_files_of_a_folder_that_lack_items_are_said(tmp_path: Path) -> None:
    for name, n in (("seed1", N), ("seed2", N - 3)):
        frame = pd.DataFrame({"item": ITEMS[:n], "value": drawn(n, [0.0, 1.0])[:n]})
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    notes = read_systems({"a": tmp_path}, fewest=1).notes
    assert [of for of in notes if "seed" in of] == [f"{tmp_path / 'seed2.csv'} has 21 of the 24 items"]
