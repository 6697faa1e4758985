"""Every hostile input ends in an answer or in one line that refuses it, soon and in little room.

`make test-faults` runs the whole corpus; the other tests a sample of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile.case import Case
from tests.hostile.corpus import CASES
from tests.hostile.server import BYTES, SECONDS, Server

EVERY = 1 if os.environ.get("NBYK_FAULTS_TIMES") else 29
"""A prime, so that a sample has some of every kind."""


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


def test_the_corpus_is_as_large_as_promised_and_no_name_comes_twice() -> None:
    assert len(CASES) >= 800
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES[::EVERY], ids=str)
def test_it_ends_well(case: Case, server: Server, tmp_path: Path) -> None:
    outcome = server.run(case.build(tmp_path), tmp_path)
    assert outcome.code in (0, 2), outcome
    assert outcome.seconds < SECONDS, outcome
    assert outcome.room < BYTES, outcome
    refusals = [line for line in outcome.errors.splitlines() if line.startswith("error: ")]
    assert "Traceback" not in outcome.errors
    assert outcome.errors.isprintable() or "\x1b" not in outcome.errors
    if outcome.code == 2:
        assert len(refusals) == 1 or "Usage: nbyk" in outcome.errors, outcome
