"""nbyk compare of votes, trials, suites and one system: gates, and bad input on one line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nbyk.cli import main
from nbyk.config.sections import Comparison

VOTES = "prompt,model_a,model_b,winner,voter\n"
TRIALS = "item,run,value,task\n"


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    """Run nbyk compare beside votes.csv and trials.csv; return exit code, output and errors."""

    def run(votes: str, trials: str, *words: str) -> tuple[int, str, str]:
        monkeypatch.chdir(tmp_path)
        Path("votes.csv").write_text(VOTES + votes, encoding="utf-8")
        Path("trials.csv").write_text(TRIALS + trials, encoding="utf-8")
        monkeypatch.setattr("sys.argv", ["nbyk", "compare", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return int(ended.value.code or 0), printed.out, printed.err

    return run


def trials(n: int = 40, runs: int = 4) -> str:
    """Return rows of trials, of which about .7 pass, in three tasks."""
    passes = np.random.default_rng(1).random((n, runs)) < 0.7
    rows = [
        f"i{item:02d},r{run},{int(passes[item, run])},{('law', 'art', 'sums')[item % 3]}"
        for item in range(n)
        for run in range(runs)
    ]
    return "\n".join(rows) + "\n"


GOOD_VOTES = "q1,x,y,x,ann\nq2,y,z,y,ann\nq3,z,x,z,bob\nq4,z,x,x,bob\n"


@pytest.mark.parametrize(
    ("votes", "words", "line"),
    [
        ("q1,x,x,x,ann\n", (), "votes.csv:2: x is against itself; expected two models"),
        (
            "q1,x,y,x,ann\nq1,x,y,y,ann\n",
            (),
            "votes.csv:3: voter ann votes twice on one prompt and pair, in one order; keep one",
        ),
        (
            "q1,x,y,tie,ann\nq2,v,w,tie,ann\n",
            (),
            "votes.csv: no chain of votes links v and w with x and y; compare them apart, or collect votes",
        ),
        (GOOD_VOTES, ("--margin", "0.1"), "--margin: these are votes between two outputs; leave it out"),
        *(
            (GOOD_VOTES, (option, value), f"{option}: these are votes between two outputs; leave it out")
            for option, value in (
                *(("--cluster", "prompt"), ("--value", "nothing"), ("--system", "nothing")),
                *(("--on-empty", "drop"), ("--on-duplicates", "first"), ("--on-missing", "drop")),
            )
        ),
        (GOOD_VOTES, ("--gate",), "--gate"),
        (
            GOOD_VOTES,
            ("--judge", "votes.csv"),
            "--judge: found a judge who voted on nothing but what people saw",
        ),
    ],
)
def test_votes_that_cannot_be_used_are_one_line(
    command, votes: str, words: tuple[str, ...], line: str
) -> None:  # type: ignore[no-untyped-def]
    code, _, errors = command(votes, trials(), "votes.csv", *words)
    assert code == 2
    assert line in errors
    assert errors.rstrip().count("\n") == 0


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("--metric", "pass^5"), "takes that many trials of each item, and trials has an item with 4"),
        (("--suite", "task", "--weights", "law=1"), "--weights: found no weight for task 'art'"),
        (
            ("--suite", "task", "--weights", "law"),
            "--weights: found 'law', expected macro, micro or task=weight",
        ),
        (
            ("--suite", "task", "--weights", "law=x,art=1"),
            "--weights: found 'law=x', expected TASK=NUMBER, as in law=2,art=1",
        ),
        (("--gold-item", "no"), "--gold-item: it is about gold, and there is no --gold; leave it out"),
        (("--gold-rater", "no"), "--gold-rater: it is about gold, and there is no --gold; leave it out"),
        (("--gold-value", "no"), "--gold-value: it is about gold, and there is no --gold; leave it out"),
        (("--suite", "item"), "--suite: found 'item', the column of the items too; expected another one"),
        (("--weights", "micro"), "--weights: weights are of the tasks of a suite"),
        (("--gate",), "--gate with one system needs a score"),
        (("--against", "1.5"), "--against: found 1.5, expected a score of mean from 0 to 1"),
        (("--looks", "0"), "--looks: found 0, expected a whole number of at least 1"),
    ],
)
def test_trials_and_tasks_that_do_not_fit_are_one_line(command, words: tuple[str, ...], line: str) -> None:  # type: ignore[no-untyped-def]
    code, _, errors = command(GOOD_VOTES, trials(), "trials.csv", *words)
    assert code == 2
    assert line in errors.splitlines()[-1]


@pytest.mark.parametrize(("bar", "code"), [("0.5", 0), ("0.72", 3), ("0.9", 3)])
def test_a_gate_holds_one_system_to_a_score(command, bar: str, code: int) -> None:  # type: ignore[no-untyped-def]
    assert command("", trials(), "trials.csv", "--metric", "pass@1", "--against", bar, "--gate")[0] == code


def test_a_band_holds_for_all_numbers_of_trials(command) -> None:  # type: ignore[no-untyped-def]
    words = [word for k in (1, 2, 4) for word in ("--metric", f"pass^{k}")]
    code, printed, _ = command("", trials(), "trials.csv", *words, "--details")
    assert code == 0
    assert "A 95 % band: all scores lie in it at once" in printed


def test_items_with_fewer_trials_count_with_those_that_they_have(command) -> None:  # type: ignore[no-untyped-def]
    rows = trials(30, 3).splitlines(keepends=True)
    code, printed, _ = command("", "".join(rows[:-1]), "trials.csv", "--metric", "pass@2", "--details")
    assert code == 0
    assert "trials scores 0." in printed
    assert "items of trials have from 2 to 3 trials: each counts once" in " ".join(printed.split())
    code, _, errors = command("", "".join(rows[:-1]), "trials.csv", "--metric", "pass@3")
    assert code == 2
    assert "has an item with 2; choose k up to 2" in errors


def test_trials_are_each_items_own_so_that_no_caution_is_about_runs_that_items_share(command) -> None:  # type: ignore[no-untyped-def]
    text = trials()
    command("", text, "trials.csv")
    Path("worse.csv").write_text(TRIALS + text.replace(",1,", ",0,", 60), encoding="utf-8")
    code, printed, _ = command("", text, "trials.csv", "worse.csv", "--metric", "pass^2", "--details")
    assert code == 0
    assert "trials is better than worse" in printed
    assert "of its own" not in printed
    words = ("trials.csv", "worse.csv", "--metric", "pass^2", "--pair-runs", "yes")
    assert "that items share (trials belong to their item)" in command("", text, *words)[2]


@pytest.mark.parametrize("against", [(), ("--against", "worse")])
def test_a_suite_has_its_table_by_task_beside_a_baseline_too(command, against: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    text = trials()
    command("", text, "trials.csv")
    Path("worse.csv").write_text(TRIALS + text.replace(",1,", ",0,", 60), encoding="utf-8")
    words = ("trials.csv", "worse.csv", "--suite", "task", "--details", *against)
    code, printed, _ = command("", text, *words)
    assert code == 0
    assert "trials over worse by task; the corrected p counts the 3 tasks" in printed


@pytest.mark.parametrize(
    "systems", [["votes.csv"], ["trials.csv"], ["a.csv", "b.csv"]], ids=["votes", "one system", "scores"]
)
def test_the_workflow_compares_what_the_command_compares(command, systems: list[str], tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    for name, least in (("a", 3), ("b", 2)):
        rows = [f"s{seed},{least + 0.1 * seed}\n" for seed in range(5)]
        (tmp_path / f"{name}.csv").write_text(f"seed,score\n{''.join(rows)}", encoding="utf-8")
    options = Comparison(systems=systems).options()
    code, printed, _ = command(GOOD_VOTES, trials(), *options, "--", *systems)
    assert code == 0
    assert command(GOOD_VOTES, trials(), *systems)[1] == printed
