"""Gold and systems from any mix of formats, as matrices with the same rows."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import nbyk
from nbyk.data import Interval, Levels, Ratings, named_systems, read_systems
from nbyk.errors import NbykError
from nbyk.provenance import noting
from tests.data.lm_eval_log import runs, sample, write_run

nan = np.nan


def long(items: str, *, shift: float = 0.0) -> Ratings:
    """Two ratings of each item, which tell its letter, and one of a third rater for the first."""
    names = [*(item for item in items for _ in range(2)), items[0]]
    raters = [*(["r", "s"] * len(items)), "t"]
    pairs = zip(names, raters, strict=True)
    values = [(ord(item) - ord("a")) / 16 + (rater == "s") / 32 + shift for item, rater in pairs]
    return Ratings.from_columns(names, raters, values)


def written(folder: Path, name: str, content: str) -> str:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(content)
    return str(folder / name)


@settings(max_examples=30, deadline=None)
@given(st.permutations("abcd"), st.permutations("abcd"), st.booleans())
def test_rows_are_the_same_items_whatever_the_order_of_the_files(
    order_a: list[str], order_b: list[str], with_gold: bool
) -> None:
    gold = long("dbca") if with_gold else None
    a, b = long("".join(order_a), shift=0.25), long("".join(order_b), shift=0.5)
    systems = read_systems({"a": a, "b": b}, gold)
    assert systems.names == ("a", "b")
    assert systems.items == tuple("abcd")
    for ratings, matrix in ((gold, systems.gold), (a, systems.responses["a"]), (b, systems.responses["b"])):
        if ratings is None:
            assert matrix is None
            continue
        assert matrix is not None
        for item, row in zip(systems.items, matrix, strict=True):
            expected = ratings.values[ratings.item_index == ratings.items.index(item)]
            assert_array_equal(row[: len(expected)], expected)
            assert np.isnan(row[len(expected) :]).all()
    pair = systems.pair("a", "b")
    assert_array_equal(pair.a, systems.responses["a"])
    assert_array_equal(pair.b, systems.responses["b"])
    assert pair.has_gold == with_gold
    if gold is not None:
        assert_array_equal(pair.gold, systems.gold)


@pytest.mark.quick
def test_every_format_gives_the_same_systems(tmp_path: Path) -> None:
    ratings = Ratings.from_columns(["0", "0", "1", "2"], ["r", "s", "r", "s"], [0.25, 0.5, 1, 0])
    pq.write_table(ratings.to_table(), tmp_path / "parquet.parquet")
    np.save(tmp_path / "npy.npy", [[0.25, 0.5], [1, nan], [nan, 0]])
    np.savez(tmp_path / "npz.npz", [[0.25, 0.5], [1, nan], [nan, 0]])
    rows = list(zip("0012", "rsrs", (0.25, 0.5, 1, 0), strict=True))
    written(
        tmp_path, "csv.csv", "\ufeffitem,rater,value\r\n" + "".join(f"{i},{j},{v}\r\n" for i, j, v in rows)
    )
    written(tmp_path, "tsv.tsv", "item\tr\ts\n0\t0.25\t0.5\n1\t1\t\n2\tNA\t0\n")
    written(
        tmp_path,
        "jsonl.jsonl",
        "".join(f'{{"item": {i}.0, "rater": "{j}", "value": {v}}}\n' for i, j, v in rows),
    )
    files = sorted(str(path) for path in tmp_path.iterdir())
    systems = read_systems(files)
    assert systems.names == ("csv", "jsonl", "npy", "npz", "parquet", "tsv")
    for matrix in systems.responses.values():
        assert_array_equal(matrix, [[0.25, 0.5], [1, nan], [0, nan]])
    assert len(systems.notes) == 15


def test_the_examples_in_the_docs_say_the_same(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
    examples = re.findall(r"```(csv|tsv|jsonl)\n(.*?)```", text, re.DOTALL)
    assert [suffix for suffix, _ in examples] == ["csv", "jsonl", "tsv", "jsonl"]
    counts = re.search(r"```text\n(item,entailment.*?)```", text, re.DOTALL)
    assert counts is not None
    votes = written(tmp_path, "votes.csv", counts[1])
    labels = written(tmp_path, "labels.csv", "item,value\np1,entailment\np2,neutral\n")
    read = read_systems({"a": labels, "b": labels}, votes)
    assert read.gold is not None
    assert set(read.classes) == {"contradiction", "entailment", "neutral"}
    places = [read.classes.index(name) for name in ("entailment", "neutral", "contradiction")]
    shown = [[int((row == place).sum()) for place in places] for row in read.gold]
    assert shown == [[3, 1, 1], [0, 4, 1]]
    files = [
        written(tmp_path, f"{place}.{suffix}", content) for place, (suffix, content) in enumerate(examples)
    ]
    for matrix in read_systems(files).responses.values():
        assert_array_equal(matrix, [[1, 0], [0.5, nan]])


def test_dropping_keeps_the_common_items_and_counts_the_rest(tmp_path: Path) -> None:
    a = written(tmp_path, "a.csv", "item,x,y,z\na,0,1,\nb,1,1,\nc,0,0,1\nd,1,,\n")
    systems = read_systems({"a": a, "b": long("dbea")}, long("abde"), on_missing="drop")
    assert systems.items == ("a", "b", "d")
    assert systems.dropped == {"gold": 1, a: 1, "b": 1}
    # The column that only the dropped item filled is gone.
    assert_array_equal(systems.responses["a"], [[0, 1], [1, 1], [1, nan]])
    assert read_systems({"a": long("ab"), "b": long("ba")}, on_missing="drop").dropped == {}


def test_the_scale_is_declared_or_from_0_to_1() -> None:
    a = Ratings.from_columns(["a", "b"], ["r", "r"], [1, 5])
    b = Ratings.from_columns(["a", "b"], ["r", "r"], [2, 3])
    systems = read_systems({"a": a, "b": b}, scale=Interval(1, 5))
    assert_array_equal(systems.responses["b"], [[0.25], [0.5]])
    assert systems.scale == Interval(1, 5)
    levels = read_systems({"a": a, "b": b}, scale=Levels((1, 2, 3, 4, 5)))
    assert_array_equal(levels.responses["a"], [[0], [0.8]])
    assert read_systems({"a": long("ab"), "b": long("ab")}).scale == Interval(0, 1)
    with pytest.raises(
        NbykError, match="b: the rating of item 'a' by rater 'r': found 2, expected one of 1, 5"
    ):
        read_systems({"a": a, "b": b}, scale=Levels((1, 5)))


def test_logs_of_runs_compare_without_gold_or_with_it(tmp_path: Path) -> None:
    x = runs(tmp_path / "x", [[1.0, 0.0, 1.0], [1.0, 0.0, 0.0]], model="x")
    y = write_run(tmp_path / "y", [sample(i, {"acc": 0.0, "f1": 0.5}) for i in range(3)], model="y")
    systems = read_systems([x, f"other={y}"], value="acc")
    assert systems.names == ("x", "other")
    assert systems.gold is None
    assert_array_equal(systems.responses["x"], [[1, 1], [0, 0], [1, 0]])
    gold = written(tmp_path, "gold.csv", "item,ann\n2,1\n0,0\n1,1\n")
    assert_array_equal(read_systems([x, y], gold, value="acc").pair("x", "y").gold, [[0], [1], [1]])


def test_what_is_seldom_meant_is_said() -> None:
    gold, other = long("abc"), long("abc", shift=0.25)
    assert read_systems({"a": gold, "b": other}, gold).notes == ("a has the same ratings as gold",)
    assert read_systems({"a": other, "b": other}, gold).notes == ("a and b have the same ratings",)
    assert read_systems({"a": long("abc", shift=0.5), "b": other}, gold).notes == ()


def test_every_file_that_is_read_is_noted(tmp_path: Path) -> None:
    logs = runs(tmp_path / "logs", [[1, 0], [0, 1]])
    table = written(tmp_path, "b.csv", "item,rater,value\n0,r,1\n1,r,0\n")
    np.save(tmp_path / "gold.npy", [[1.0], [0.0]])
    with noting() as journal:
        read_systems([str(logs), table], tmp_path / "gold.npy")
    assert {Path(name) for name in journal.inputs} == {*logs.iterdir(), Path(table), tmp_path / "gold.npy"}


def test_names_come_from_files_folders_or_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "task=mmlu/part.csv", "")
    (tmp_path / "runs").mkdir()
    assert named_systems(["x/model.v2.csv", "runs/", "b=y/z=1.csv", "task=mmlu/part.csv", tmp_path]) == {
        "model.v2": "x/model.v2.csv",
        "runs": "runs/",
        "b": "y/z=1.csv",
        "part": "task=mmlu/part.csv",
        tmp_path.name: str(tmp_path),
    }
    monkeypatch.chdir(tmp_path / "runs")
    assert named_systems(["."]) == {"runs": "."}


def test_an_unknown_system_is_refused_with_its_neighbours() -> None:
    systems = read_systems({"model-a": long("ab"), "model-b": long("ab")})
    with pytest.raises(NbykError, match="unknown system 'modela'; did you mean model-a"):
        systems.pair("modela", "model-b")


some_items = st.lists(st.sampled_from("abcdef"), min_size=2, unique=True)


@settings(max_examples=50, deadline=None)
@given(some_items, some_items)
def test_items_are_refused_or_dropped_exactly_where_they_differ(one: list[str], other: list[str]) -> None:
    given_systems = {"a": long("".join(one)), "b": long("".join(other))}
    common = [item for item in one if item in other]
    if set(one) == set(other):
        assert read_systems(given_systems).items == tuple(sorted(one))
    else:
        with pytest.raises(NbykError, match='`on_missing="drop"`' if common else "no item is in all files"):
            read_systems(given_systems)
    if len(common) < 2:
        with pytest.raises(NbykError, match=rf"has {len(common)} item\(s\) in common"):
            read_systems(given_systems, on_missing="drop")
        return
    systems = read_systems(given_systems, on_missing="drop")
    assert systems.items == tuple(sorted(common))
    counts = {"a": len(one) - len(common), "b": len(other) - len(common)}
    assert systems.dropped == {name: count for name, count in counts.items() if count}


@cache
def frames_in_order(is_wide: bool) -> dict[str, pd.DataFrame]:
    """Return tables whose ids have numbers, accents in both of Unicode's forms, clusters and gaps."""
    items = [*(f"q{number}" for number in range(9)), "Z\u00fcrich", "Zu\u0308ge", "é", "10", "9", "-3"]
    rng = np.random.default_rng(0)
    frames = {}
    for name in ("gold", "a", "b"):
        wide = pd.DataFrame(rng.random((len(items), 5)), columns=["r1", "r10", "r2", "anna", "bert"])
        wide[rng.random(wide.shape) < 0.2] = np.nan
        wide["anna"] = wide["anna"].fillna(0.5)
        wide.insert(0, "item", items)
        frames[name] = wide if is_wide else wide.melt("item", var_name="rater").dropna()
    of_text = {item: f"text {number % 5}" for number, item in enumerate(items)}
    frames["gold"]["text"] = frames["gold"]["item"].map(of_text)
    return frames


def answers(frames: dict[str, pd.DataFrame]) -> list[Any]:
    """Return the numbers of comparisons of two systems, by several metrics and for several populations."""
    systems = read_systems({"a": frames["a"], "b": frames["b"]}, frames["gold"], cluster="text")
    numbers: list[Any] = [systems.items, systems.clusters, systems.pair("a", "b").fingerprint()]
    for metric in ("mae", "spearman", "cosine", "mean_of_emds"):
        for over in (None, ("items",), ("items", "clusters")):
            result = nbyk.compare(systems, metric=metric, generalise=over, n_resamples=199, max_resamples=199)
            numbers += [result.p, result.effect, repr(result.claims)]
    back = read_systems({"b": frames["b"], "a": frames["a"]}, frames["gold"], cluster="text")
    board = nbyk.compare(back, metric="spearman", n_resamples=199, max_resamples=199)
    return [*numbers, repr(board.standings)]


@cache
def answers_in_order(is_wide: bool) -> list[Any]:
    return answers(frames_in_order(is_wide))


@settings(max_examples=20, deadline=None)
@given(st.randoms(use_true_random=False), st.booleans())
def test_the_order_of_rows_and_columns_changes_no_digit(random: Any, is_wide: bool) -> None:
    def shuffled(frame: pd.DataFrame) -> pd.DataFrame:
        rows, columns = list(frame.index), list(frame.columns)
        random.shuffle(rows)
        random.shuffle(columns)
        return frame.loc[rows, columns]

    moved = {name: shuffled(frame) for name, frame in frames_in_order(is_wide).items()}
    assert answers(moved) == answers_in_order(is_wide)


def test_the_order_of_items_does_not_depend_on_which_systems_are_there() -> None:
    orders = {"a": "dbca", "b": "abcd", "c": "cabd"}
    systems = {name: long(order, shift=0.1 * place) for place, (name, order) in enumerate(orders.items())}
    every = read_systems(systems)
    for first, second in (("a", "b"), ("c", "a"), ("b", "c")):
        two = read_systems({name: systems[name] for name in (first, second)})
        assert two.pair(first, second).fingerprint() == every.pair(first, second).fingerprint()


def test_arrays_have_no_ids_and_keep_their_order(tmp_path: Path) -> None:
    values = np.random.default_rng(1).random((12, 2))
    np.save(tmp_path / "a.npy", values)
    np.save(tmp_path / "b.npy", values[::-1])
    systems = read_systems([str(tmp_path / "a.npy"), str(tmp_path / "b.npy")])
    assert systems.items == tuple(map(str, range(12)))
    assert_array_equal(systems.responses["a"], values)


def test_columns_that_could_both_name_systems_and_a_folder_of_runs_alone_are_told_so(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {"item": list("aabb"), "model": ["x", "y"] * 2, "method": ["x", "y"] * 2, "value": 1}
    )
    with pytest.raises(
        NbykError, match='could all be the systems; name the right ones, as in `system="model"`'
    ):
        read_systems(table)
    (tmp_path / "runs").mkdir()
    for run in "12":
        (tmp_path / "runs" / f"{run}.csv").write_text("item,value\na,1\nb,0\n")
    with pytest.raises(NbykError, match="found one system, runs, expected at least two to compare"):
        read_systems([tmp_path / "runs"])


def test_what_a_folder_of_runs_holds_beside_them_is_named(tmp_path: Path) -> None:
    for name in (
        "a/1.csv",
        "a/2.csv",
        "b/1.csv",
        "b/seed2/x.csv",
        "b/_seed3.csv",
        "b/_SUCCESS",
        "b/.hidden.csv",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("item,value\nq1,1\nq2,0\n")
    read = read_systems([tmp_path / "a", tmp_path / "b"])
    assert read.responses["a"].shape == (2, 2)
    said = f"{tmp_path / 'b'}: not read, because they are folders or begin with _: _seed3.csv, seed2"
    assert said in read.notes


@pytest.mark.parametrize(
    ("other", "content", "error"),
    [
        ("seed2.txt", "1\n0\n", r"seed2\.txt: has 2 items, and .*seed1\.txt has 3, without ids"),
        ("seed1.json", "[1, 0, 1]", r"holds seed1\.json and seed1\.txt, which would be one run"),
    ],
)
def test_files_of_a_folder_that_are_no_runs_of_the_same_items_are_refused(
    other: str, content: str, error: str, tmp_path: Path
) -> None:
    written(tmp_path, "a/seed1.txt", "1\n0\n1\n")
    written(tmp_path, f"a/{other}", content)
    b = written(tmp_path, "b.txt", "1\n0\n0\n")
    with pytest.raises(NbykError, match=error):
        read_systems([str(tmp_path / "a"), b], kind="numbers")


def test_scores_of_runs_in_several_files_of_a_folder_are_refused(tmp_path: Path) -> None:
    for name in ("a/1.csv", "a/2.csv", "b/1.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("seed,f1\n1,0.5\n2,0.75\n")
    with pytest.raises(NbykError, match="a: is a folder of 2 files of scores, expected one file; write them"):
        read_systems([tmp_path / "a", tmp_path / "b"])
    (tmp_path / "a" / "2.csv").unlink()
    assert read_systems([tmp_path / "a", tmp_path / "b"]).kind == "scores"


@pytest.mark.parametrize("name", ["{}", "seed{}", "out_{}"])
def test_files_of_a_folder_are_runs_whatever_they_are_called(name: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    for system in "xy":
        (tmp_path / system).mkdir()
        for run in range(1, 12):
            cells = "".join(f"q{item},{value}\n" for item, value in enumerate(rng.integers(2, size=6)))
            (tmp_path / system / f"{name.format(run)}.csv").write_text(f"item,value\n{cells}")
    for run in range(1, 12):
        path = tmp_path / "y" / f"{name.format(run)}.csv"
        path.rename(path.with_name(f"seed{run}.csv"))
    read = read_systems([tmp_path / "x", tmp_path / "y"])
    assert not read.doubts
    runs = [name.format(run) if "seed" in name else f"run {name.format(run)}" for run in range(1, 12)]
    assert list(read.units["x"].names) == runs


def test_what_was_read_prints_as_what_it_is_not_as_all_its_numbers() -> None:
    rng = np.random.default_rng(0)
    gold, one, other = ((rng.random((5000, 3)) < 0.5) * 1.0 for _ in range(3))
    systems = nbyk.read_systems({"one": one, "other": other}, gold)
    assert repr(systems) == "one, other: numbers, of 5000 items, gold of 3 raters"
    assert repr(systems.pair("one", "other")) == "one and other: numbers, of 5000 items, with gold"
    assert repr(nbyk.read_ratings(gold)) == "15000 ratings of 5000 items by 3 raters"
    people = pd.DataFrame({"item": range(40), "rater": "ann", "value": one[:40, 0]})
    judged = nbyk.read_judged(people, pd.DataFrame({"item": range(50), "value": one[:50, 1]}))
    assert repr(judged) == "40 ratings by 1 rater, and a judge, of 1 system on 50 items"
    votes = {"prompt": ["q", "r"], "model_a": ["x", "y"], "model_b": ["y", "x"], "winner": ["tie", "model_a"]}
    assert repr(nbyk.read_votes(pd.DataFrame(votes))) == "2 votes between 2 models on 2 prompts"


def test_no_system_beside_gold_is_called_gold_and_no_name_breaks_a_line() -> None:
    """Its runs were taken for gold's raters, which ended in numpy's error; arrays had names of any kind."""
    gold, a, b = (np.random.default_rng(seed).random((9, k)) for seed, k in enumerate((4, 5, 2)))
    for read in (lambda of: read_systems(of, gold), lambda of: nbyk.compare(gold, of)):
        with pytest.raises(NbykError, match="a system is called gold, the name of the gold responses"):
            read({"gold": a, "b": b})
        with pytest.raises(NbykError, match=r"system 'b\\n': the name is blank, or holds a line end"):
            read({"a": a, "b\n": b})
    assert read_systems({"gold": a, "b": b}).names == ("gold", "b")


def test_a_value_column_that_is_named_makes_one_system_of_a_table_of_several(tmp_path: Path) -> None:
    rows = [f"q{item},{item % 2},{item // 2 % 2},1" for item in range(6)]
    path = written(tmp_path, "bench.csv", "\n".join(["item,ours,theirs,third", *rows]))
    assert read_systems([path]).names == ("ours", "theirs", "third")
    read = read_systems([path], value="ours", fewest=1)
    assert_array_equal(read.responses["bench"].ravel(), [0, 1, 0, 1, 0, 1])
    assert read.recognised == {path: "items = item (6), values = ours; not used: theirs, third"}
