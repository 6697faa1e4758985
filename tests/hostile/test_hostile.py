"""Every hostile input ends in an answer or in one line that refuses it, soon and in little room.

`make test-faults` runs the whole corpus; the other tests a sample of it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from functools import reduce
from itertools import product
from operator import getitem
from pathlib import Path

import pytest

from nbyk.data import Ratings, read_ratings
from nbyk.errors import NbykError
from tests.hostile import frames, makers
from tests.hostile.case import Case, Words
from tests.hostile.corpus import CASES
from tests.hostile.server import BYTES, SECONDS, Server

EVERY = 1 if os.environ.get("NBYK_FAULTS_TIMES") else 29
"""A prime, so that a sample has some of every kind."""
WRAPPED = ("in an array", "twice in an array", "in an object", "text of it")
STILL_THERE = (*WRAPPED, "a word", "a number", "minus one and a half", "true", "2 to the 53", "a line end")
"""Changes that leave the number of scores in a file as it is; those of no wrapping are made to leaves."""
SAMPLE = [case for place, case in enumerate(CASES) if place % EVERY == 0 or case.says]


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


def test_the_corpus_is_as_large_as_promised_and_no_name_comes_twice() -> None:
    assert len(CASES) >= 7_900
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", SAMPLE, ids=str)
def test_it_ends_well(case: Case, server: Server, tmp_path: Path) -> None:
    words = case.build(tmp_path)
    outcome = server.run(words, tmp_path)
    assert outcome.code in (0, 2, 3, 4), outcome
    assert outcome.seconds < SECONDS, outcome
    assert outcome.room < BYTES, outcome
    refusals = [line for line in outcome.errors.splitlines() if line.startswith("error: ")]
    assert "Traceback" not in outcome.errors
    assert outcome.errors.isprintable() or "\x1b" not in outcome.errors
    if outcome.code == 2:
        assert len(refusals) == 1, outcome
        assert not of_usage(outcome.errors) or about_the_option(words, outcome.errors), outcome
    if case.says:
        assert re.search(case.says, *refusals), outcome


def read(build: Callable[[Path], Words], folder: Path) -> Ratings | None:
    """Return the ratings in the file of a case; None if it is refused."""
    words = build(folder)
    value = words[words.index("--value") + 1] if "--value" in words else "value"
    try:
        return read_ratings(folder / words[-1].partition("=")[2], value=value)
    except NbykError:
        return None


@pytest.mark.parametrize("maker", sorted(makers.JSON_MAKERS))
def test_no_cell_of_a_changed_file_is_lost_without_a_word_and_its_table_is_the_same_data(
    maker: str, tmp_path: Path
) -> None:
    make, _ = makers.JSON_MAKERS[maker]
    whole = read(makers.of_maker(maker, (), lambda node: node), tmp_path)
    assert whole is not None
    n_read = 0
    for path in makers.nodes(make()):
        node = reduce(getitem, path, make())
        for what in STILL_THERE if path else ():
            is_kept = isinstance(node, dict | list) <= (what in WRAPPED)
            ratings = read(makers.of_maker(maker, path, makers.CHANGES[what]), tmp_path) if is_kept else None
            if ratings is None:
                continue
            n_read += 1
            if ratings.n_ratings < whole.n_ratings:
                is_another_event = path[-1] == "type"
                assert is_another_event or len(ratings.mended) > len(whole.mended), (path, what)
            assert_same_data_as_a_table(ratings, tmp_path)
    assert n_read > 5


def assert_same_data_as_a_table(ratings: Ratings, folder: Path) -> None:
    """Assert that the same ratings in lines of JSON are read as the same."""
    index = zip(ratings.item_index, ratings.rater_index, ratings.values.tolist(), strict=True)
    rows = [{"item": ratings.items[i], "rater": ratings.raters[r], "value": of} for i, r, of in index]
    (folder / "same.jsonl").write_text("\n".join(map(json.dumps, rows)))
    same = read_ratings(folder / "same.jsonl")
    assert (same.items, same.raters) == (ratings.items, ratings.raters)
    assert same.values.tolist() == ratings.values.tolist()


@pytest.mark.parametrize("cases", [makers.of_workbooks, makers.of_datasets])
def test_a_changed_container_is_refused_or_holds_every_cell(
    cases: Callable[[], Iterator[tuple[str, Callable[[Path], Words]]]], tmp_path: Path
) -> None:
    n_read = 0
    for number, (name, build) in enumerate(cases()):
        (folder := tmp_path / str(number)).mkdir()
        ratings = read(build, folder) if number % EVERY < 10 else None
        if ratings is not None:
            n_read += 1
            assert ratings.n_ratings == (18 if cases is makers.of_workbooks else 3), name
            assert_same_data_as_a_table(ratings, folder)
    assert n_read > 5


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_frame_is_refused_or_every_cell_of_it_is_read(library: str, tmp_path: Path) -> None:
    n_read = 0
    for cells, place in product(
        frames.CELLS, ("values", "items", "raters", "the index", "values of a wide frame")
    ):
        given = frames.frame(library, cells, place)
        try:
            ratings = read_ratings(given)
        except NbykError:
            continue
        n_read += 1
        is_wide = "y" in list(getattr(given, "column_names", given.columns))
        n_wide = frames.N - int(frames.CELLS[cells]().isna().sum()) if is_wide else 0
        assert ratings.n_ratings == frames.N + n_wide, (cells, place)
        assert_same_data_as_a_table(ratings, tmp_path)
    assert n_read > 30


def about_the_option(words: Words, errors: str) -> bool:
    """Return whether an error of usage is about the hostile option, which is written ``--name=``."""
    hostile = [word.partition("=")[0] for word in words if re.match("--[a-z-]+=", word)]
    said = re.search(r"^error: (?:Invalid value for ')?(--[a-z-]+)", errors)
    return of_usage(errors) and said is not None and said[1] in hostile


def of_usage(errors: str) -> bool:
    """Return whether an error is about the words of the command line."""
    return re.search(r"; nbyk [a-z ]*--help lists the options$", errors.strip()) is not None


@pytest.mark.parametrize(
    "words", [["true"], ["study", "cell"], ["compare", "--gate=x"], ["compare", "--sede=1"]]
)
def test_a_case_that_nbyk_does_not_read_is_no_case(words: Words, server: Server, tmp_path: Path) -> None:
    outcome = server.run(words, tmp_path)
    assert outcome.code == 2
    assert not about_the_option(words, outcome.errors)
