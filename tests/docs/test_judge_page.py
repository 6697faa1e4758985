"""The page about people and a judge has the rows that the benchmarks wrote, and they show what it says."""

from __future__ import annotations

import csv

import pytest

from tests.docs.test_worked_example import ROOT


def rows(name: str) -> list[dict[str, str]]:
    with (ROOT / f"benchmarks/{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", ["judged", "judged_classes", "judged_real", "judged_peers"])
def test_the_tables_are_those_of_the_benchmarks(name: str) -> None:
    found = rows(name)
    lines = [f"| {' | '.join(found[0])} |", f"|{'---|' * len(found[0])}"]
    lines += [f"| {' | '.join(value or '–' for value in row.values())} |" for row in found]
    assert "\n".join(lines) in (ROOT / "docs/judge.md").read_text(encoding="utf-8")


def test_intervals_cover_in_every_world_and_set_and_answers_take_little_time() -> None:
    for row in [*rows("judged"), *rows("judged_real")]:
        assert float(row["corrected"]) >= 0.93
    for row in rows("judged_classes"):
        assert float(row["coverage, PPI++"]) >= 0.93
        assert float(row["width, PPI++"]) < float(row["width, sensitivity"])
    seconds = {row["way"]: float(row["seconds"]) for row in rows("judged_peers")}
    assert seconds["nbyk"] < 2.0
    alphas = [taken for way, taken in seconds.items() if way.startswith("α")]
    assert alphas[0] <= alphas[1]
