"""Files as people have them: known names, one score per item, repeated and empty rows, data frames."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from nbyk.data import Interval, read_ratings, read_systems
from nbyk.data.columns import Columns
from nbyk.errors import NbykError


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_one_score_per_item_needs_no_raters(tmp_path: Path) -> None:
    ratings = read_ratings(written(tmp_path / "a.csv", "item,value\nq1,1\nq2,0\n"))
    assert (ratings.items, ratings.values.tolist()) == (("q1", "q2"), [1.0, 0.0])
    assert not ratings.raters_known
    assert ratings.units().known_by == "vector"


def test_an_item_that_repeats_without_raters_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NbykError, match=r"no column names raters.*`rater`.*another id"):
        read_ratings(written(tmp_path / "a.csv", "item,value\nq1,1\nq1,0\nq2,0\n"))


def test_scores_that_the_user_names_may_have_other_columns_beside_them(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "item,pred,conf\nq1,1,9\nq2,0,8\n")
    ratings = read_ratings(path, value="pred")
    assert ratings.matrix().tolist() == [[1], [0]]
    assert ratings.recognised == "items = item (2), values = pred; not used: conf"
    text = written(tmp_path / "b.csv", "item,text,score\nq1,x,9\nq2,y,8\n")
    with pytest.raises(NbykError, match=r"b\.csv: each item is on one row, with .* as in `value=.score.`"):
        read_ratings(text)
    assert read_ratings(text, value="score").matrix().tolist() == [[9], [8]]


def test_a_wide_table_says_which_columns_it_took_for_raters_or_runs(tmp_path: Path) -> None:
    wide = read_ratings(written(tmp_path / "a.csv", "item,ann,bo,cy\nq1,1,0,3\nq2,0,1,3\n"))
    assert wide.recognised == "items = item (2), raters or runs = ann, bo, cy"
    gaps = read_ratings(written(tmp_path / "b.csv", "item,ann,bo,cy\nq1,1,,3\nq2,0,1,3\n"))
    assert gaps.recognised == wide.recognised
    clusters = read_ratings(written(tmp_path / "d.csv", "item,ann,bo,passage_id\nq1,1,0,3\nq2,0,1,3\n"))
    assert clusters.recognised == "items = item (2), raters or runs = ann, bo; not used: passage_id"
    assert clusters.raters == ("ann", "bo")
    assert clusters.mended[0].endswith(  # in a fit, too, which has no clusters
        "the column 'passage_id' is not used, so items of one passage_id count as independent; if they are "
        "not, name it as the column of clusters in a comparison, or in a plan with two systems"
    )
    for name in ("length", "Confidence", "logprob", "question_id", "model"):
        path = written(tmp_path / "c.csv", f"item,ann,{name}\nq1,1,0.5\nq2,0,1\n")
        with pytest.raises(
            NbykError, match=f"column '{name}' is of no rater or run by its name; leave it out"
        ):
            read_ratings(path)
        assert read_ratings(path, value="ann").values.tolist() == [1, 0]


def test_items_may_be_called_as_row_numbers_are(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "index,ann,bo\n7,1,0\n8,0,1\n")
    assert read_ratings(path, item="index").items == ("7", "8")


def test_clusters_that_are_not_used_are_said(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "item,rater,value,conversation_id\na,r,1,x\nb,r,0,y\n")
    (note,) = read_ratings(path).mended
    assert "the column 'conversation_id' is not used, so items of one conversation_id count as" in note
    assert read_ratings(path, cluster="conversation_id").mended == ()
    assert read_ratings(written(tmp_path / "b.csv", "item,ann\nq1,1\nq2,0\n")).recognised == (
        "items = item (2), values = ann"
    )


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("sample_id,epoch,score", "items = sample_id (2), runs = epoch (2), values = score"),
        ("post_id,coder,score", "items = post_id (2), raters = coder (2), values = score"),
        ("example_id,annotator,rating", "items = example_id (2), raters = annotator (2), values = rating"),
        ("item,rater,label", "items = item (2), raters = rater (2), values = label"),
        ("item,rater,value", ""),
    ],
)
def test_known_names_are_recognised_and_said(tmp_path: Path, header: str, said: str) -> None:
    path = written(tmp_path / "a.csv", f"{header}\nq1,1,0\nq1,2,1\nq2,1,1\nq2,2,1\n")
    ratings = read_ratings(path)
    assert ratings.recognised == said
    assert ratings.matrix().tolist() == [[0, 1], [1, 1]]


@pytest.mark.parametrize(
    ("header", "found"),
    [
        (
            "item,run,judge,score",
            "could all be the raters; name the right ones, as in `rater=.run.` `value=.score.`",
        ),
        ("item,rater,score,label", "'score', 'label' could all be the values"),
        ("id,doc_id,rater,value", "'id', 'doc_id' could all be the items"),
    ],
)
def test_what_could_be_either_is_asked_for(tmp_path: Path, header: str, found: str) -> None:
    with pytest.raises(NbykError, match=found):
        read_ratings(written(tmp_path / "a.csv", f"{header}\nq1,1,0,1\nq2,1,1,1\n"))


def test_a_known_value_beside_unknown_columns_is_no_score_per_item(tmp_path: Path) -> None:
    with pytest.raises(NbykError, match="with the columns item, ann, label; say which one holds the scores"):
        read_ratings(written(tmp_path / "a.csv", "item,ann,label\nq1,1,0\nq2,1,1\n"))


@pytest.mark.parametrize(
    ("choice", "values"), [("first", [0.0, 1.0, 1.0]), ("last", [0.5, 1.0, 0.0]), ("mean", [0.25, 1.0, 0.5])]
)
def test_duplicates_are_taken_as_asked_and_counted(tmp_path: Path, choice: str, values: list[float]) -> None:
    text = "item,rater,value\na,r,0\nb,r,1\na,r,0.5\nc,r,1\nc,r,0\n"
    ratings = read_ratings(written(tmp_path / "a.csv", text), on_duplicates=choice)
    assert ratings.values.tolist() == values
    assert "2 further ratings of an item by the same rater" in ratings.mended[0]
    wide = "item,r\na,0\nb,1\na,0.5\nc,1\nc,0\n"
    assert read_ratings(written(tmp_path / "w.csv", wide), on_duplicates=choice).values.tolist() == values


def test_ratings_that_another_column_tells_apart_are_no_duplicates(tmp_path: Path) -> None:
    """A rater rates each item on several dimensions, as in SummEval; none of them is a second thought."""
    dimensions = ("coherence", "consistency", "fluency", "relevance")
    names = ["item", "rater", "dimension", "value", "comment"]
    rows = [
        (item, rater, of, 1, f"{item}{rater}{of}") for item in "ab" for rater in "rs" for of in dimensions
    ]
    frame = pd.DataFrame(rows, columns=names)
    frame.to_csv(tmp_path / "long.csv", index=False)
    for given in (tmp_path / "long.csv", frame):
        with pytest.raises(NbykError) as refused:
            read_ratings(given)
        assert "rater 'r' has already rated item 'a' (12 such ratings in all)" in str(refused.value)
        assert str(refused.value).endswith(
            "they differ in column 'dimension' (coherence, consistency, fluency and relevance): give the "
            "rows of one, such as coherence, in a file of its own"
        )
        assert "on_duplicates" not in str(refused.value)
    frame.loc[frame.dimension == "coherence"].to_csv(tmp_path / "one.csv", index=False)
    assert read_ratings(tmp_path / "one.csv").n_ratings == 4


def test_a_rating_that_comes_twice_by_mistake_is_a_duplicate_whatever_is_beside_it() -> None:
    rows = [("a", "r", 1, "x"), ("b", "r", 1, "x"), ("c", "r", 1, "y"), ("a", "r", 0, "y")]
    with pytest.raises(NbykError, match=r"already rated item 'a'.*keep one of them.*`on_duplicates`"):
        read_ratings(pd.DataFrame(rows, columns=["item", "rater", "value", "mood"]))


def test_two_files_of_one_name_in_a_folder_are_not_one_run(tmp_path: Path) -> None:
    folder = tmp_path / "ours"
    folder.mkdir()
    written(folder / "seed1.csv", "item,value\nq1,1\nq2,0\n")
    written(folder / "seed1.tsv", "item\tvalue\nq3\t1\nq4\t0\n")
    other = written(tmp_path / "b.csv", "item,value\nq1,1\nq2,0\nq3,1\nq4,1\n")
    with pytest.raises(NbykError, match=r"ours: holds seed1\.csv and seed1\.tsv.*rename one"):
        read_systems({"a": folder, "b": other})


def test_duplicates_and_empty_rows_are_refused_with_their_number(tmp_path: Path) -> None:
    twice = written(tmp_path / "a.csv", "item,rater,value\na,r,0\na,r,1\nb,r,1\nb,r,1\n")
    with pytest.raises(NbykError, match=r":3: .*\(2 such ratings in all\).*`on_duplicates` first"):
        read_ratings(twice)
    empty = written(tmp_path / "b.csv", "item,rater,value\na,r,\nb,r,1\nc,r,NA\nd,r,1\n")
    with pytest.raises(NbykError, match=r":2: column 'value': found no value.*\(2 such rows in all\)"):
        read_ratings(empty)
    dropped = read_ratings(empty, on_empty="drop")
    assert (dropped.items, dropped.mended) == (
        ("b", "d"),
        (f"{empty}: 2 rows without a value were left out",),
    )
    with pytest.raises(NbykError, match="on_duplicates: found 'best', expected refuse, first, last or mean"):
        read_ratings(empty, on_duplicates="best")


def test_an_unrated_item_of_a_wide_table_is_dropped_as_asked(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "item,r,s\na,1,\nb,,\nc,0,1\n")
    assert read_ratings(path, on_empty="drop").items == ("a", "c")


def test_text_holds_one_number_per_item(tmp_path: Path) -> None:
    path = written(tmp_path / "a.txt", "0.5\n1\n0\n")
    assert read_ratings(path).matrix().tolist() == [[0.5], [1.0], [0.0]]
    np.save(tmp_path / "b.npy", np.array([0.25, 1.0, 0.5]))
    systems = read_systems([path, tmp_path / "b.npy"])
    assert systems.responses["b"].ravel().tolist() == [0.25, 1.0, 0.5]
    with pytest.raises(NbykError, match=r":2.*has no rating"):
        read_ratings(written(tmp_path / "c.txt", "1\n\n0\n"))


LONG = "model,id,seed,score,text\nA,q1,1,1,t\nA,q2,1,0,t\nB,q1,1,0,t\nB,q2,1,0,u\nA,q1,2,1,t\nA,q2,2,1,t\n"


def test_one_long_table_holds_all_systems(tmp_path: Path) -> None:
    systems = read_systems([written(tmp_path / "all.csv", LONG)])
    assert systems.names == ("A", "B")
    assert systems.responses["A"].tolist() == [[1, 1], [0, 1]]
    assert systems.recognised["A"] == "items = id (2), runs = seed (2), values = score"


def test_a_column_of_systems_is_named_where_it_is_not_known(tmp_path: Path) -> None:
    path = written(tmp_path / "all.csv", LONG.replace("model", "entry"))
    assert read_systems([path], system="entry").names == ("A", "B")
    with pytest.raises(NbykError, match=r"found one system, all, .* name their column with `system`"):
        read_systems([path])
    with pytest.raises(NbykError, match="system: found 'entry' and 2 files"):
        read_systems([path, f"b={path}"], system="entry")


def test_gold_has_columns_of_its_own(tmp_path: Path) -> None:
    gold = written(tmp_path / "gold.csv", "post,who,grade\nq1,x,1\nq2,x,0\n")
    all_of = written(tmp_path / "all.csv", LONG)
    systems = read_systems([all_of], gold, gold_columns=Columns("post", "who", "grade"))
    assert systems.gold is not None
    assert systems.gold.tolist() == [[1], [0]]


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_data_frames_are_read_as_tables_are(kind: str, tmp_path: Path) -> None:
    columns: dict[str, Any] = {"item": ["a", "a", "b"], "rater": [1, 2, 1], "value": [1, 5, 3]}
    make = {"pandas": pd.DataFrame, "pyarrow": pa.table}
    frame = pytest.importorskip("polars").DataFrame(columns) if kind == "polars" else make[kind](columns)
    ratings = read_ratings(frame, scale=Interval(1, 5))
    assert (ratings.items, ratings.values.tolist()) == (("a", "b"), [0.0, 1.0, 0.5])
    assert read_systems({"x": frame, "y": frame}, scale=Interval(1, 5)).n_items == 2
    everything = {"system": ["s", "s", "t", "t"], "item": list("abab"), "score": [0.0, 1.0, 1.0, 1.0]}
    whole = (
        pytest.importorskip("polars").DataFrame(everything) if kind == "polars" else make[kind](everything)
    )
    assert read_systems(whole).names == ("s", "t")
    with pytest.raises(NbykError, match="found list, expected a path or a data frame"):
        read_ratings([1, 2])


def test_rows_without_a_rating_are_dropped_from_data_without_names_too(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([[1.0, 0.5], [np.nan, np.nan], [0.0, np.nan]]))
    np.save(tmp_path / "b.npy", np.array([1.0, np.nan, 0.0]))
    (tmp_path / "c.txt").write_text("1\n\n0\n")
    (tmp_path / "d.json").write_text("[1, null, 0]")
    for name in ("a.npy", "b.npy", "c.txt", "d.json"):
        path = tmp_path / name
        with pytest.raises(NbykError, match=r"item '1' has no rating; .*on_empty=.drop"):
            read_ratings(path)
        ratings = read_ratings(path, on_empty="drop")
        assert ratings.items == ("0", "2")
        assert ratings.mended == (f"{path}: 1 row without a value was left out",)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"cluster": "value"}, "cluster: found 'value', the column of the values too; expected another one"),
        ({"cluster": "item"}, "cluster: found 'item', the column of the items too"),
        ({"item": "post", "cluster": "post"}, "cluster: found 'post', the column of the items too"),
        ({"cluster": "rater"}, "cluster: found 'rater', the column of the raters too"),
        ({"rater": "item"}, "rater: found 'item', the column of the items too"),
        ({"value": "rater"}, "value: found 'rater', the column of the raters too"),
    ],
)
def test_a_column_has_one_role(options: dict[str, str], says: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("item,rater,post,value\na,r,p,1\nb,r,q,0\n")
    with pytest.raises(NbykError, match=says):
        read_ratings(path, **options)
