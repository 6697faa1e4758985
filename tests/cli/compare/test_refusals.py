"""What `nbyk compare` refuses: one line for whatever is wrong, and no file."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from nbyk.cli import main
from nbyk.errors import rename_arguments
from tests.cli.conftest import Run
from tests.data.malformed.case import Case
from tests.data.malformed.corpus import CASES

OPTIONS = {
    "scale": "--scale",
    "on_missing": "--on-missing",
    "value": "--value",
    "SampleChoice.task": "--task",
    "SampleChoice.filter": "--filter",
}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_malformed_input_is_refused_in_one_line(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = case.build(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.setattr(sys, "argv", ["nbyk", "compare", *given.argv, "--out", str(tmp_path / "out")])
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capsys.readouterr()
    assert (ended.value.code, printed.out) == (2, "")
    assert re.fullmatch(r"error: [^\n]+\n", printed.err), printed.err
    expected = re.sub(r"=\.(.*?)\.`", r'="\1"`', case.expected)  # a point stands for a quotation mark
    assert re.search(rename_arguments(expected, OPTIONS), printed.err), printed.err
    assert "`" not in re.sub("`nbyk [^`]*`", "", printed.err)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("", "found no system, expected at least two"),
        ("sim_a.csv --gate", "--gate with one system needs a score that it should be better than"),
        ("sim_a.csv --margin 0.1", "--margin: found a margin, and no score to hold the system to"),
        ("sim_a.csv --against 1.5", "--against: found 1.5, expected a score of mae from 0 to 1"),
        ("sim_a.csv --metric wins_mae --gold sim_a.csv", "--metric: metric wins_mae compares two systems"),
        ("sim_a.csv --metric pass_hat(9)", "--metric: metric pass_hat(k=9) takes that many trials"),
        ("sim_a.csv sim_b.csv --metric maee", "--metric: unknown metric 'maee'; did you mean mae"),
        ("sim_a.csv sim_b.csv --metric mae --metric mae", "--metric mae is given twice; keep one"),
        (
            "sim_a.csv sim_b.csv --null swap",
            "--null: unknown null hypothesis 'swap'; did you mean swap_items",
        ),
        ("sim_a.csv sim_b.csv --alpha 1", "--alpha: found 1.0, expected a level between 0 and 1"),
        ("sim_a.csv sim_b.csv --confidence-level 95", "--confidence-level: found 95.0, expected a share"),
        ("sim_a.csv sim_b.csv --alternative up", "--alternative: found 'up', expected "),
        (
            "sim_a.csv sim_b.csv --interval basic",
            "--interval: found 'basic', expected ",
        ),
        (
            "sim_a.csv sim_b.csv --correction holmes",
            "--correction: unknown correction 'holmes'",
        ),
        ("sim_a.csv sim_b.csv --on-missing fill", "--on-missing: found 'fill', expected "),
        ("sim_a.csv sim_b.csv --scale 1-5", "--scale: found '1-5', expected levels as in 1,2,3,4,5"),
        ("sim_a.csv sim_b.csv --resamples 0", "--resamples: found 0, expected a whole number of at least 1"),
        (
            "sim_a.csv sim_b.csv --max-resamples 0",
            "--max-resamples: found 0, expected a whole number of at least 1",
        ),
        ("sim_a.csv sim_b.csv --against sim_d", "--against: unknown system 'sim_d'; did you mean sim_"),
        ("sim_a.csv sim_b.csv sim_c.csv --gate", "--gate with 3 systems needs a baseline"),
        ("sim_a.csv sim_b.csv --gate --null pooled", "--gate with --null pooled: rejecting that"),
        ("sim_a.csv sim_b.csv --gate --alternative less", "--gate asks whether A is better"),
        ("sim_a.csv sim_b.csv sim_c.csv --alternative less", "--alternative: found 'less' for all pairs"),
        (
            "sim_a.csv sim_b.csv gold=sim_c.csv",
            "systems: a system is called gold, the name of",
        ),
        ("sim_a.csv sim_b.csv --out gold.csv", "--out gold.csv: gold.csv is a file, expected a folder"),
        ("sim_a.csv sim_b.csv --task mmlu", "--task and --filter choose among the scores"),
        ("sim_a.csv sim_b.csv --metric-file mine.py", "mine.py: no such file"),
    ],
)
def test_a_wrong_option_is_named_in_one_line(nbyk: Run, line: str, error: str) -> None:
    before = sorted(Path().rglob("*"))
    code, text, errors = nbyk(f"compare --gold gold.csv {line}")
    assert (code, text) == (2, "")
    assert errors.startswith(f"error: {error}"), errors
    assert errors.count("\n") == 1
    assert sorted(Path().rglob("*")) == before


def test_a_metric_of_gold_without_gold_is_refused(nbyk: Run) -> None:
    code, text, errors = nbyk("compare sim_a.csv sim_b.csv --metric mae")
    assert (code, text) == (2, "")
    assert errors == (
        "error: metric 'mae' needs gold, and there is none; give --gold, or, for ratings, a metric of the "
        "systems' own, such as mean\n"
    )


LABELS = {
    "gold": "low high mid low high mid low high",
    "a": "low high mid low mid mid low high",
    "b": "low mid mid high high mid low mid",
    "unknown": "low high mid low mid other low high",
    "unlabelled": "low high mid low  mid low high",
    "short": "low high mid low mid mid low",
    "same": "low low low low low low low low",
    "alike": "low low low low low low low low",
}
"""Labels of each file, item by item."""


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (
            "--gold gold unknown b",
            "unknown.csv:7: .* 'other', expected one of the classes high, low and mid; mend",
        ),
        (
            "--gold gold unlabelled b",
            "unlabelled.csv:6: .* no value, expected a label; mend it, or leave the row",
        ),
        (
            "--gold unlabelled a b",
            "unlabelled.csv:6: .* no value, expected a label; mend it, or leave the row",
        ),
        ("--gold gold short b", "short.csv: lacks 1 of gold.csv's items .* --on-missing drop"),
        (
            "--gold same a b",
            "same.csv: 'low' is the only class, expected two or more; name them .* --classes",
        ),
        (
            "--gold same same b --classes low",
            "--classes: found 'low', expected at least two classes, each once",
        ),
        (
            "--gold gold a b --classes low,mid,high,mid",
            "--classes: found .* expected at least two classes, each o",
        ),
        (
            "--gold gold a b --classes low,mid",
            "gold.csv:3: .* 'high', expected one of the classes low and mid",
        ),
        (
            "--gold gold a b --metric quadratic_kappa",
            "--metric: .* nothing says how high, low, mid are ordered; name them with --classes, lowest",
        ),
        (
            "--gold gold a b --kind classes --metric wins(emd_levels)",
            "--metric: .* nothing says how high, low, mid are ordered; name them with --classes, lowest",
        ),
        (
            "--gold same same alike --classes low,high --metric quadratic_kappa",
            "metric quadratic_kappa is undefined on 2 of 2 systems",
        ),
        ("--gold gold a b --metric recall(huge)", "no such class; the classes are high, low, mid"),
    ],
)
def test_labels_that_cannot_be_compared_are_refused_in_one_line(nbyk: Run, line: str, error: str) -> None:
    for name, labels in LABELS.items():
        rows = (f"q{place},{label}\n" for place, label in enumerate(labels.split(" ")))
        Path(f"{name}.csv").write_text(f"item,value\n{''.join(rows)}")
    files = [f"{word}.csv" if word in LABELS else word for word in line.split(" ")]
    code, text, errors = nbyk(f"compare {' '.join(files)}")
    *_, last = errors.splitlines()
    assert (code, text) == (2, "")
    assert last.startswith("error: ")
    assert errors.count("error: ") == 1
    assert re.search(error, last), last
