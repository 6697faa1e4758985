"""Ratings: from every format into one table, and back."""

from __future__ import annotations

import contextlib
import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nbyk.data import Interval, Levels, Ratings, layouts, read_ratings
from nbyk.data import tables as reading
from nbyk.data.ratings import stored_ratings
from nbyk.errors import NbykError
from nbyk.files import write_parquet

LONG = "item,rater,value\n"
# Any text but what CSV cannot carry or the reader refuses: lone surrogates, bare line ends, blank ids.
ids = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\r\0"), min_size=1, max_size=6
).filter(str.strip)
numbers = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def tables(draw: st.DrawFn) -> Ratings:
    """Ratings of 2 to 6 items by up to 4 raters, ragged, in any order of rows."""
    # Ids that differ in spaces alone are refused.
    items = draw(st.lists(ids, min_size=2, max_size=6, unique_by=str.strip))
    raters = draw(st.lists(ids, min_size=1, max_size=4, unique_by=str.strip))
    pairs = [
        (item, rater)
        for item in items
        for rater in draw(st.lists(st.sampled_from(raters), min_size=1, max_size=4, unique=True))
    ]
    pairs = draw(st.permutations(pairs))
    values = draw(st.lists(numbers, min_size=len(pairs), max_size=len(pairs)))
    return Ratings.from_columns([item for item, _ in pairs], [rater for _, rater in pairs], values)


def rows(ratings: Ratings) -> list[tuple[str, str, float]]:
    return [
        (ratings.items[i], ratings.raters[j], float(v))
        for i, j, v in zip(ratings.item_index, ratings.rater_index, ratings.values, strict=True)
    ]


def write_long(ratings: Ratings, path: Path) -> None:
    names = ("item", "rater", "value")
    if path.suffix == ".parquet":
        pq.write_table(ratings.to_table(), path)
    elif path.suffix == ".jsonl":
        lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows(ratings)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    else:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter="," if path.suffix == ".csv" else "\t")
            writer.writerows([names, *rows(ratings)])


def write(tmp_path: Path, name: str, content: str | bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ratings=tables())
def test_a_long_table_comes_back_from_every_format(tmp_path, suffix, ratings):
    path = tmp_path / f"ratings{suffix}"
    write_long(ratings, path)
    assert read_ratings(path) == ratings


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ratings=tables())
def test_the_stored_table_comes_back(tmp_path, ratings):
    write_parquet(tmp_path / "ratings.parquet", ratings.to_table(), {"source": "any"})
    read, made = stored_ratings(tmp_path / "ratings.parquet")
    assert (read, made["source"]) == (ratings, "any")


@given(tables())
def test_a_matrix_row_holds_the_items_ratings_in_order_and_nothing_else(ratings):
    matrix = ratings.matrix()
    assert matrix.shape == (ratings.n_items, ratings.counts().max())
    for name, row in zip(ratings.items, matrix, strict=True):
        expected = [value for item, _, value in rows(ratings) if item == name]
        np.testing.assert_array_equal(row, expected + [np.nan] * (len(row) - len(expected)))


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ratings=tables())
def test_long_and_wide_say_the_same(tmp_path, ratings):
    columns = [f"r{j}" for j in range(len(ratings.raters))]
    cells = {name: dict.fromkeys(columns, "") for name in ratings.items}
    for item, j, value in zip(ratings.item_index, ratings.rater_index, ratings.values, strict=True):
        cells[ratings.items[item]][columns[j]] = repr(float(value))
    with (tmp_path / "wide.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["item", *columns])
        writer.writerows([name, *row.values()] for name, row in cells.items())
    wide = read_ratings(tmp_path / "wide.csv")
    expected = {(item, f"r{ratings.raters.index(rater)}", value) for item, rater, value in rows(ratings)}
    assert set(rows(wide)) == expected
    assert wide.items == ratings.items


# Pieces of delimited text, good and bad, with the ends of lines and blanks that real files have.
lines_of_text = st.lists(
    st.one_of(
        st.sampled_from(
            ["a,r,1", "b,r,0", "b,s,0.5", " c ,r,1e-3", "", "a\tr\t1", "d,r,x", 'e,"r",1', "f,r", " "]
        ),
        st.text('ab,\t 01.\r"', max_size=6),
    ),
    max_size=6,
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    header=st.sampled_from(
        [
            *("item,rater,value", "item,r,s", "item\trater\tvalue", "item", '"item",rater,value'),
            *('"item","rater","value"', '"item,rater",value', 'item,"ra""ter",value', '"item","r\n,s"'),
            *('"item","",value', '"item""rater",value', 'item,"rater" ,value', '"item","rater,value'),
        ]
    ),
    lines=lines_of_text,
    end=st.sampled_from(["\n", "\r\n"]),
    suffix=st.sampled_from([".csv", ".tsv"]),
)
def test_the_fast_way_through_a_text_gives_what_the_careful_one_does(tmp_path, header, lines, end, suffix):
    path = tmp_path / f"r{suffix}"
    path.write_bytes(end.join([header, *lines]).encode())
    outcomes = []
    for splitter in (reading._split, lambda text, delimiter: None):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(reading, "_split", splitter)
            try:
                outcomes.append(read_ratings(path))
            except NbykError as error:
                outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]


@given(tables_of_text=st.lists(st.lists(st.text("ab 1.", max_size=3), min_size=3, max_size=3), min_size=1))
def test_plain_text_does_go_the_fast_way_to_the_same_table(tables_of_text):
    rows = "".join(",".join(row) + "\n" for row in tables_of_text)
    for head in ("item,rater,value", '"item","rater","value"'):
        text = f"{head}\r\n\n{rows}"
        fast, careful = reading._split(text, ","), reading._parsed("r.csv", text, ",")
        assert fast is not None
        assert [list(part) for part in fast] == [list(part) for part in careful]


@given(
    st.lists(
        st.one_of(
            st.floats(),
            st.integers(),
            st.integers(10**308, 10**309),
            st.booleans(),
            st.none(),
            st.binary(max_size=2),
            st.text("0123456789.eE+-_ infa", max_size=5),
        )
    )
)
def test_cells_become_the_same_numbers_all_at_once_and_one_by_one(cells):
    np.testing.assert_array_equal(layouts.as_numbers(cells), [layouts._number(cell) for cell in cells])


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_an_array_is_items_by_raters_with_nan_missing(tmp_path, suffix):
    matrix = np.array([[np.nan, 1.0, 2.0], [3.0, np.nan, np.nan]])
    path = tmp_path / f"ratings{suffix}"
    (np.save if suffix == ".npy" else np.savez)(path, matrix)
    ratings = read_ratings(path)
    assert rows(ratings) == [("0", "column 1", 1.0), ("0", "column 2", 2.0), ("1", "column 0", 3.0)]
    np.testing.assert_array_equal(ratings.matrix(), [[1, 2], [3, np.nan]])


def test_a_vector_is_one_rating_per_item(tmp_path):
    np.save(tmp_path / "runs.npy", np.array([True, False, True]))
    np.testing.assert_array_equal(read_ratings(tmp_path / "runs.npy").matrix(), [[1], [0], [1]])


def test_byte_order_mark_crlf_quotes_and_leading_zeros(tmp_path):
    text = '\ufeff"item",rater,note,value\r\n007,"Lee, Ann","two\r\nlines",1\r\n\r\n7,"say ""hi""",,2.5\r\n'
    path = write(tmp_path, "ratings.csv", text)
    assert rows(read_ratings(path)) == [("007", "Lee, Ann", 1.0), ("7", 'say "hi"', 2.5)]


def test_number_ids_are_the_same_in_json_and_parquet(tmp_path):
    lines = '{"item": 7, "rater": 1, "value": true}\n{"item": "007", "rater": 1, "value": 0}\n'
    from_json = read_ratings(write(tmp_path, "ratings.jsonl", lines))
    # pandas turns whole-number ids into floats where one is missing elsewhere in the column.
    pq.write_table(
        pa.table({"item": ["7", "007"], "rater": [1.0, 1.0], "value": [1, 0]}), tmp_path / "r.parquet"
    )
    assert (
        rows(from_json) == rows(read_ratings(tmp_path / "r.parquet")) == [("7", "1", 1.0), ("007", "1", 0.0)]
    )


def test_ratings_of_unknown_raters_are_numbered_within_the_item(tmp_path):
    path = write(tmp_path, "ratings.csv", "id,score\na,1\nb,2\na,3\n")
    ratings = read_ratings(path, item="id", rater=None, value="score")
    assert rows(ratings) == [("a", "1", 1.0), ("b", "1", 2.0), ("a", "2", 3.0)]


def test_a_wide_json_table_may_leave_raters_out(tmp_path):
    path = write(tmp_path, "ratings.jsonl", '{"item": "a", "ann": 1}\n{"item": "b", "bo": null, "cy": 2}\n')
    assert rows(read_ratings(path)) == [("a", "ann", 1.0), ("b", "cy", 2.0)]


def test_a_declared_scale_normalises(tmp_path):
    path = write(tmp_path, "ratings.csv", LONG + "a,r,1\nb,r,5\n")
    np.testing.assert_array_equal(read_ratings(path, scale=Interval(1, 5)).values, [0, 1])
    np.testing.assert_array_equal(read_ratings(path, scale=Levels((1, 2, 3, 4, 5))).values, [0, 0.8])
    np.testing.assert_array_equal(read_ratings(path).values, [1, 5])


def test_normalising_names_the_rating_that_is_off_the_scale():
    ratings = Ratings.from_columns(["a", "b"], ["r", "s"], [1, 9])
    with pytest.raises(
        NbykError, match=r"ratings: the rating of item 'b' by rater 's': found 9, expected .* 0 to 5"
    ):
        ratings.normalised(Interval(0, 5))


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.binary(max_size=60),
    suffix=st.sampled_from([".csv", ".tsv", ".jsonl", ".parquet", ".npy", ".npz"]),
)
def test_no_bytes_give_anything_but_ratings_or_a_refusal(tmp_path, content, suffix):
    path = tmp_path / f"r{suffix}"
    path.write_bytes(content)
    with contextlib.suppress(NbykError):
        assert read_ratings(path).n_items >= 2


def test_importing_the_package_leaves_the_heavy_libraries_alone():
    code = "import sys, nbyk.data; print(sorted({'pandas', 'pyarrow', 'numba', 'scipy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
