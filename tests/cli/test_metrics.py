"""`nbyk metrics`: every metric and score, with its direction and one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from nbyk.metrics import get, names
from nbyk.metrics.builtin import BUILTIN
from nbyk.metrics.metric import Data
from nbyk.metrics.registry import ROWS
from tests.cli.conftest import Run

OURS = {definition.name for definition in BUILTIN}
"""Other tests of a process may have registered metrics of their own, without a summary."""


@pytest.mark.quick
def test_every_metric_and_score_is_listed_with_its_direction(nbyk: Run) -> None:
    code, output, _ = nbyk("metrics")
    assert code == 0
    sections: list[list[list[str]]] = []
    for line in output.splitlines():
        if line.startswith("  "):
            sections[-1].append(line.split(maxsplit=2))
        else:
            sections.append([])
    kinds: tuple[Data, ...] = ("numbers", "classes", "outputs")
    for of, rows in zip(kinds, sections, strict=True):
        assert [name.partition("(")[0] for name, *_ in rows] == list(names(of))
        ours = [row for row in rows if of != "ratings" or row[0].partition("(")[0] in OURS]
        assert all(get(name, of).direction == direction for name, direction, _ in ours)
        assert all(summary.endswith(".") for *_, summary in ours)


def test_metrics_of_a_users_file_are_listed_too(nbyk: Run) -> None:
    Path("mine.py").write_text(
        "from nbyk.metrics import register\n\n\n@register(direction='lower')\ndef my_error(system, gold):\n"
        "    'Error of mine.'\n    return 0.0\n"
    )
    before = tuple(ROWS)
    try:
        code, output, _ = nbyk("metrics --metric-file mine.py")
    finally:
        ROWS[:] = before
    assert code == 0
    assert "my_error" in output
    assert "Error of mine." in output
