"""What the tests of data share: a server on loopback, and the folder of real files where there is one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.data.downloads import Waits
from tests.data.server import Server, serving

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serving() as running:
        yield running


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def datasets() -> Path:
    """Return the folder of real files: lewidi/*_dataset/*.json and convabuse/2_splits/*.csv."""
    named = os.environ.get("NBYK_TEST_DATASETS")
    folder = Path(named) if named else ROOT.parent / "shared" / "datasets"
    if not folder.is_dir():
        pytest.skip(f"no real data sets at {folder}; name their folder in NBYK_TEST_DATASETS")
    return folder
