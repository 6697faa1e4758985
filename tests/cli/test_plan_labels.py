"""`nbyk plan` for labels: its sources, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run

AT = "--items 40 --responses 3 --epsilon 0.5 --precision 0.05"
LABELS = [f"{i},r{j},{'yes' if (i * 7 + j * 3) % 5 < 2 else 'no'}" for i in range(30) for j in range(3)]


def written(path: str, rows: list[str], header: str = "item,rater,value") -> None:
    Path(path).write_text("\n".join([header, *rows]) + "\n")


def test_plans_from_each_source(nbyk: Run) -> None:
    written("gold.csv", LABELS)
    for name, share in (("a", 2), ("b", 5)):
        answers = [f"{i},{'no' if i % share else 'yes'}" for i in range(30)]
        written(f"{name}.csv", answers, "item,value")
    Path("prior.json").write_text('{"name": "mine", "alpha": [10, 3], "classes": ["no", "yes"]}')
    code, out, _ = nbyk("fit gold.csv --out fitted.json")
    assert code == 0
    assert "no: α " in out
    code, out, _ = nbyk("fit gold.csv --levels no,yes --out levels.json")
    assert (code, "no: lowest, " in out, "yes: from " in out) == (0, True, True)
    for source in (
        "--prior levels.json",
        "--class-alpha 10,3,3",
        "--prior prior.json",
        "--prior fitted.json",
        "--pilot gold.csv",
    ):
        code, out, _ = nbyk(f"plan {source} {AT}")
        assert code == 0
        assert "40 items with 3 labels each (120 labels)" in out
    command = " ".join(out.split()).partition("hopeful. `nbyk ")[2].partition("`")[0]
    assert "--solve raters --epsilon 0.5" in command, out
    code, out, _ = nbyk(f"{command} --items 5000")
    assert (code, "new raters" in " ".join(out.split())) == (0, True)
    pair = "plan --pilot gold.csv --pilot-systems a.csv b.csv"
    code, out, _ = nbyk(f"{pair} --items 40 --responses 3 --precision 0.05")
    assert (code, "as in the pilot" in out) == (0, True)
    code, out, _ = nbyk(f"{pair} --solve raters --power 0.5")
    assert code == 0
    assert "new raters" in " ".join(out.split())
    code, out, _ = nbyk("plan --pilot gold.csv --solve raters --effect 0.05 --power 0.8 --items 5000")
    assert (code, "label an item once" in " ".join(out.split())) == (0, True)


@pytest.mark.parametrize(
    ("rows", "options", "problem"),
    [
        ([f"{i},r{j},no" for i in range(5) for j in range(2)], "--pilot gold.csv", "'no' is the only class"),
        (LABELS[::3], "--pilot gold.csv", "every item has a single label"),
        ([*LABELS, "99,r1,"], "--pilot gold.csv", "gold.csv:92: column 'value': found no value"),
        (
            LABELS,
            "--pilot gold.csv --classes no,maybe",
            "found 'yes', expected one of the classes no and maybe",
        ),
        (
            LABELS,
            "--pilot gold.csv --pilot-systems a.csv b.csv",
            "found 'maybe', expected one of the classes",
        ),
        (LABELS, "--pilot gold.csv --raters 5", "--precision: found 0.05, which does not go with raters"),
        (LABELS, "--class-alpha 10,0", "--class-alpha: found 0 for class 2 of 2"),
        (LABELS, "--class-alpha 10,-1", "--class-alpha: found -1 for class 2 of 2"),
        (
            LABELS,
            "--prior levels.json",
            "levels.json: thresholds: found 1, 0, expected thresholds in ascending",
        ),
        (LABELS, "--class-alpha ten", "--class-alpha: found ten"),
        (LABELS, "--class-alpha 10,3 --scale 1..5", "--scale: found 1..5, but labels are no numbers"),
    ],
)
def test_bad_labels_are_one_line(rows: list[str], options: str, problem: str, nbyk: Run) -> None:
    written("gold.csv", rows)
    Path("levels.json").write_text('{"name": "mine", "thresholds": [1, 0], "item_sd": 1}')
    answers = [f"{i},{'maybe' if i == 3 else 'no'}" for i in range(30)]
    written("a.csv", answers, "item,value")
    written("b.csv", answers, "item,value")
    code, out, err = nbyk(f"plan {options} --metric accuracy {AT}")
    assert (code, out) == (2, "")
    assert problem in err
    assert err.count("\n") == 1
