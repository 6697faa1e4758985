"""The command line beside the example's files."""

from __future__ import annotations

from pathlib import Path

import pytest

from nbyk.data.sources import example_files
from nbyk.planning import settle as road
from tests.cli.conftest import Run


@pytest.fixture
def nbyk(nbyk: Run) -> Run:
    """Return a function that runs a line of words beside the example."""
    for name, content in example_files().items():
        Path(name).write_bytes(content)
    return nbyk


@pytest.fixture
def few_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulate the sizes that would settle a comparison on few sets: the numbers are tested elsewhere."""
    monkeypatch.setattr(road, "_PRECISION", 0.05)
