"""What the fault tests share: the undisturbed run that all are compared with, and the random moments.

Every moment has a seed, which is in the name of its test. NBYK_FAULTS_TIMES says how many moments each test
tries, NBYK_FAULTS_SEED which comes first: to see a failure of `test_…[123]` again, NBYK_FAULTS_SEED=123.
"""

from __future__ import annotations

import os
import random
import secrets
import shutil
import time
import zlib
from functools import cache
from pathlib import Path

import pytest

from tests.faults.runs import commands
from tests.workflow import forked
from tests.workflow.runs import CONFIG, PATIENCE, finished_run


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
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the undisturbed run; without ratings to fit a prior to, it is soon made again."""
    return finished_run(tmp_path_factory, "faults", {**CONFIG, "sources": ["simulated"]})


@pytest.fixture(scope="session")
def seconds(
    jobs: dict[str, list[str]], shared: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, float]:
    """Return how many seconds an undisturbed job of every rule takes."""
    directory, took = shutil.copytree(shared / "run", tmp_path_factory.mktemp("seconds") / "run"), {}
    for rule, words in jobs.items():
        began = time.monotonic()
        code, printed = forked.run("nbyk", words, directory, os.environ, PATIENCE)
        assert code == 0, printed
        took[rule] = time.monotonic() - began
    return took


@pytest.fixture(scope="session")
def jobs(shared: Path) -> dict[str, list[str]]:
    """Return the words of a job of every rule."""
    return commands(shared)
