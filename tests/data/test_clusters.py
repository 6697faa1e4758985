"""Clusters of items in files: a column of gold or of a system, one cluster per item."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from nbyk.data.intake import read_systems
from nbyk.data.reading import read_ratings
from nbyk.errors import NbykError

ITEMS = ("q1", "q2", "q3", "q4")
TEXTS = {"q1": "tree", "q2": "sea", "q3": "tree", "q4": "sea"}


def long_file(path: Path, texts: dict[str, str] | None = TEXTS, items: tuple[str, ...] = ITEMS) -> str:
    rows = [
        ",".join([item, rater, "0.5", *([texts[item]] if texts else [])]) for item in items for rater in "xy"
    ]
    path.write_text("\n".join(["item,rater,value" + (",text" if texts else ""), *rows]) + "\n")
    return str(path)


def test_a_long_table_and_a_wide_one_hold_the_same_clusters(tmp_path: Path) -> None:
    long = read_ratings(long_file(tmp_path / "long.csv"), cluster="text")
    (tmp_path / "wide.csv").write_text(
        "item,x,text,y\n" + "".join(f"{item},0.5,{TEXTS[item]},0.5\n" for item in ITEMS)
    )
    wide = read_ratings(tmp_path / "wide.csv", cluster="text")
    assert long.clusters == wide.clusters == ("tree", "sea", "tree", "sea")
    assert wide.raters == ("x", "y")
    assert read_ratings(tmp_path / "long.csv").clusters is None


def test_one_file_with_clusters_is_enough(tmp_path: Path) -> None:
    gold = long_file(tmp_path / "gold.csv", None)
    a = long_file(tmp_path / "a.csv", TEXTS, items=("q4", "q2", "q3", "q1"))
    b = long_file(tmp_path / "b.csv", None)
    systems = read_systems([a, b], gold, cluster="text")
    assert systems.clusters == ("tree", "sea", "tree", "sea")
    pair = systems.pair("a", "b")
    assert_array_equal(pair.clusters, [0, 1, 0, 1])
    assert pair.n_clusters == 2
    assert read_systems([a, b], gold).clusters is None
    in_file = read_ratings(a, cluster="text")
    read = read_systems({"a": in_file, "b": b}, gold)
    assert read.clusters == systems.clusters


def test_whole_numbers_in_parquet_name_clusters(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {"item": [1, 1, 2, 3], "rater": ["x", "y", "x", "x"], "value": 0.5, "text": [7, 7, 7, 9]}
    )
    frame.to_parquet(tmp_path / "a.parquet")
    assert read_ratings(tmp_path / "a.parquet", cluster="text").clusters == ("7", "7", "9")


def test_a_cluster_that_changes_within_an_item_is_refused(tmp_path: Path) -> None:
    path = long_file(tmp_path / "a.csv")
    Path(path).write_text(Path(path).read_text().replace("q3,y,0.5,tree", "q3,y,0.5,sea"))
    with pytest.raises(NbykError, match=r"a.csv:7: item 'q3' is in cluster 'sea', and was in 'tree'"):
        read_ratings(path, cluster="text")


def test_clusters_that_no_file_has_or_that_differ_or_are_one_are_refused(tmp_path: Path) -> None:
    a, b = long_file(tmp_path / "a.csv"), long_file(tmp_path / "b.csv", {**TEXTS, "q4": "tree"})
    with pytest.raises(NbykError, match=r"b.csv: item 'q4' is in cluster 'tree', and in 'sea' in .*a.csv"):
        read_systems([a, b], cluster="text")
    with pytest.raises(NbykError, match="no file has a column of that name"):
        read_systems([a, b], cluster="chapter")
    one = dict.fromkeys(ITEMS, "tree")
    with pytest.raises(NbykError, match="all 4 items are in one cluster, 'tree'"):
        read_systems([long_file(tmp_path / "c.csv", one), long_file(tmp_path / "d.csv", one)], cluster="text")
    with pytest.raises(NbykError, match="column 'text': the id is empty"):
        read_ratings(long_file(tmp_path / "e.csv", {**TEXTS, "q1": ""}), cluster="text")
    np.save(tmp_path / "f.npy", np.ones((4, 2)))
    with pytest.raises(NbykError, match="an array has no column 'text'"):
        read_ratings(tmp_path / "f.npy", cluster="text")
