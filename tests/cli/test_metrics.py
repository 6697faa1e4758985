"""`nbyk metrics`: every metric and score, with its direction and one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from nbyk.metrics import get, names
from nbyk.metrics.builtin import BUILTIN
from nbyk.metrics.label_scores import score_names
from nbyk.metrics.registry import restore, snapshot
from tests.cli.conftest import Run


@pytest.mark.quick
def test_every_metric_and_score_is_listed_with_its_direction(nbyk: Run) -> None:
    code, output, _ = nbyk("metrics")
    assert code == 0
    rows = [line.split(maxsplit=2) for line in output.splitlines() if line.startswith("  ")]
    assert [name.partition("(")[0] for name, *_ in rows] == [*names(), *score_names()]
    # Other tests of this process may have registered metrics of their own, without a summary.
    own = {definition.name for definition in BUILTIN} | set(score_names())
    ours = [row for row in rows if row[0].partition("(")[0] in own]
    assert {row[0].partition("(")[0] for row in ours} == own
    of_metrics = [row for row in ours if row[0].partition("(")[0] not in score_names()]
    assert all(get(name).direction == direction for name, direction, _ in of_metrics)
    assert all(summary.endswith(".") for *_, summary in ours)


def test_metrics_of_a_users_file_are_listed_too(nbyk: Run) -> None:
    Path("mine.py").write_text(
        "from nbyk.metrics import register\n\n\n@register(direction='lower')\ndef my_error(system, gold):\n"
        "    'Error of mine.'\n    return 0.0\n"
    )
    before = snapshot()
    try:
        code, output, _ = nbyk("metrics --metric-file mine.py")
    finally:
        restore(before)
    assert code == 0
    assert "my_error" in output
    assert "Error of mine." in output
