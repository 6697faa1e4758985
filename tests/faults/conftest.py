"""What the fault tests share: the undisturbed run that all are compared with, and the random moments.

Every moment has a seed, which is in the name of its test. NBYK_FAULTS_TIMES says how many moments each test
tries, NBYK_FAULTS_SEED which comes first: to see a failure of `test_…[123]` again, NBYK_FAULTS_SEED=123.
"""

from __future__ import annotations

import os
import random
import secrets
import zlib
from functools import cache
from pathlib import Path

import pytest

from tests.faults.runs import commands
from tests.workflow.runs import shared

__all__ = ["shared"]


@cache
def first_seed() -> int:
    """Return the seed of the first moment, the same for all workers of pytest-xdist."""
    given, session = os.environ.get("NBYK_FAULTS_SEED"), os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if given:
        return int(given)
    return secrets.randbelow(10**8) if session is None else zlib.crc32(session.encode()) % 10**8


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "moment" in metafunc.fixturenames:
        first = first_seed()
        seeds = range(first, first + int(os.environ.get("NBYK_FAULTS_TIMES") or 1))
        metafunc.parametrize("moment", seeds, ids=map(str, seeds), indirect=True)


@pytest.fixture
def moment(request: pytest.FixtureRequest) -> random.Random:
    """Return a test's own source of chance."""
    return random.Random(request.param)


@pytest.fixture(scope="session")
def jobs(shared: Path) -> dict[str, list[str]]:
    """Return the words of a job of every rule."""
    return commands(shared)
