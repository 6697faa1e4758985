"""The example of `nbyk compare`: people's ratings of 300 items of ConvAbuse, and three simulated systems."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parent / "embedded" / "example"


def example_files() -> dict[str, bytes]:
    """Return the example's files by name: README.md, gold.csv and a file for each system."""
    return {path.name: path.read_bytes() for path in sorted(_FOLDER.iterdir()) if path.is_file()}
