"""Every hostile input ends in an answer or in one line that refuses it, soon and in little room.

`make test-faults` runs the whole corpus; the other tests a sample of it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile.case import Case, Words
from tests.hostile.corpus import CASES
from tests.hostile.server import BYTES, SECONDS, Server

EVERY = 1 if os.environ.get("NBYK_FAULTS_TIMES") else 29
"""A prime, so that a sample has some of every kind."""
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


def about_the_option(words: Words, errors: str) -> bool:
    """Return whether an error of usage is about the hostile option, which is written ``--name=``."""
    hostile = [word.partition("=")[0] for word in words if re.match("--[a-z-]+=", word)]
    said = re.search(r"Invalid value for '(.*?)'", errors)
    return of_usage(errors) and said is not None and said[1] in hostile


def of_usage(errors: str) -> bool:
    """Return whether an error is about the words of the command line."""
    return re.search(r"; nbyk [a-z ]*--help lists the options$", errors.strip()) is not None


@pytest.mark.parametrize(
    "words", [["true"], ["study", "align"], ["compare", "--gate=x"], ["compare", "--sede=1"]]
)
def test_a_case_that_nbyk_does_not_read_is_no_case(words: Words, server: Server, tmp_path: Path) -> None:
    outcome = server.run(words, tmp_path)
    assert outcome.code == 2
    assert not about_the_option(words, outcome.errors)
