"""The gate of every command that has one: the same codes, the same words, the same keys, the same side."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Run

N, FEW = 60, 4
LINES = {
    "compare": "compare --gold gold.csv {a}.csv {b}.csv",
    "scores": "compare {a}-scores.csv {b}-scores.csv --kind scores",
    "classes": "compare --gold gold.csv {a}.csv {b}.csv --value value --kind classes",
}
"""The command for each kind of data."""


@pytest.fixture(autouse=True)
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write gold, a good, a middling and a bad system, as labels of items and as scores of the same items."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 2, N)
    systems = {name: np.where(rng.random(N) < right, gold, 1 - gold) for name, right in RIGHT.items()}
    for n, end in ((N, ""), (FEW, "-few")):
        _write(f"gold{end}.csv", gold[:n])
        for name, labels in systems.items():
            _write(f"{name}{end}.csv", labels[:n])
            _write(f"{name}-scores{end}.csv", (labels == gold)[:n].astype(int) + rng.random(n) / 10)


RIGHT = {"good": 0.95, "middling": 0.62, "bad": 0.55}


def _write(path: str, values: np.ndarray) -> None:
    rows = "\n".join(f"i{place},{value}" for place, value in enumerate(values.tolist()))
    Path(path).write_text(f"item,value\n{rows}\n")


@pytest.mark.parametrize("command", LINES)
@pytest.mark.parametrize(
    ("a", "b", "code", "gate"), [("good", "bad", 0, "yes"), ("bad", "good", 3, "no"), ("bad", "bad", 3, "no")]
)
def test_the_gate_says_and_returns_the_same_in_every_command(
    command: str, a: str, b: str, code: int, gate: str, nbyk: Run
) -> None:
    b = f"same={b}" if a == b else b
    ended, text, errors = nbyk(f"{LINES[command].format(a=a, b=b)} --gate --format json")
    assert ended == code, errors
    answer = json.loads(text)
    assert (answer["gate"], answer["gate_passed"]) == (gate, gate == "yes")
    no = "" if code == 0 else "not "
    assert any(sentence.startswith(f"The gate is {no}passed by {a}") for sentence in answer["sentences"])


@pytest.mark.parametrize("command", LINES)
def test_the_gate_asks_about_one_side_unless_told_otherwise(command: str, nbyk: Run) -> None:
    line = LINES[command].format(a="middling", b="bad")
    p = {}
    for options in ("--gate", "--alternative greater", "", "--gate --alternative two-sided"):
        found = json.loads(nbyk(f"{line} {options} --format json")[1])
        p[options] = found["boards"][0]["pairs"][0]["p"]
    assert p["--gate"] == p["--alternative greater"] < p[""] == p["--gate --alternative two-sided"]


@pytest.mark.parametrize(("a", "b"), [("good", "bad"), ("bad", "good")])
def test_so_few_labels_that_no_test_could_tell_are_inconclusive(a: str, b: str, nbyk: Run) -> None:
    line = LINES["classes"].replace(".csv", "-few.csv").format(a=a, b=b)
    ended, text, _ = nbyk(f"{line} --gate --format json")
    assert (ended, json.loads(text)["gate"]) == (4, "inconclusive")


def test_a_log_of_a_run_that_did_not_end_is_named_and_makes_the_gate_inconclusive(nbyk: Run) -> None:
    """The numbers of what is there would pass the gate; of `whole` they do."""
    events = [
        {"run_id": "r", "sample_id": f"s{i}", "type": "match", "data": {"correct": i % 10 > 0}}
        for i in range(40)
    ]
    for name, ending in (("cut", []), ("whole", [{"final_report": {"accuracy": 0.9}}])):
        lines = [{"spec": {"run_id": "r"}}, *events, *ending]
        Path(f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    rows = "".join(f"s{i},{int(i % 10 == 0)}\n" for i in range(40))
    Path("base.csv").write_text(f"item,value\n{rows}")
    assert nbyk("compare whole.jsonl base.csv --gate")[0] == 0
    for options in ("", "--kind scores", "--margin 0.1"):
        code, text, errors = nbyk(f"compare cut.jsonl base.csv --gate --format json {options}")
        assert code == 4, errors
        answer = json.loads(text)
        assert answer["gate"] == "inconclusive"
        said = "the run did not end: there is no final_report; run it to its end"
        assert f"The gate is inconclusive: cut.jsonl: {said}." in answer["sentences"]
        assert nbyk(f"compare cut.jsonl base.csv {options}")[0] == 0
