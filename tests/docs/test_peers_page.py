"""The page that shows nbyk beside other packages has the rows that the benchmark wrote."""

from __future__ import annotations

import csv

from benchmarks.peers import PACKAGES, QUESTIONS
from tests.docs.test_worked_example import ROOT


def test_the_table_of_peers_is_that_of_the_benchmark() -> None:
    with (ROOT / "benchmarks" / "peers.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    answers = {(row["package"], row["question"]): row["answer"] for row in rows}
    versions = {row["package"]: row["version"] for row in rows}
    assert set(versions) == set(PACKAGES)
    lines = [
        f"| question | {' | '.join(f'{name} {version}' for name, version in versions.items())} |",
        f"|---|{'---|' * len(versions)}",
        *(
            f"| {asked} | {' | '.join(answers.get((name, question), '–') for name in versions)} |"
            for question, asked in QUESTIONS.items()
        ),
    ]
    assert "\n".join(lines) in (ROOT / "docs" / "peers.md").read_text(encoding="utf-8")
