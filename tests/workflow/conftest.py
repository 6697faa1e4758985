"""The finished run that the tests of the workflow share, and what they may change of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.workflow.runs import shared

__all__ = ["shared"]


@pytest.fixture
def checkout(shared: Path) -> Path:
    return shared / "checkout"


@pytest.fixture
def finished(shared: Path, tmp_path: Path) -> Path:
    """Return a copy of the finished run, free to be changed."""
    return Path(shutil.copytree(shared / "run", tmp_path / "run"))
