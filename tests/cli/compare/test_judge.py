"""`nbyk compare PEOPLE --judge JUDGE`: the answer, JSON, the gate and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import nbyk
from nbyk import read_judged
from nbyk.report.comparison.judged import agreement_table
from tests.cli.conftest import Run


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """People's ratings of 60 of 300 items, and a judge's scores; A is .3 better, and the judge says .8."""
    rng = np.random.default_rng(5)
    quality = 3.0 + 0.5 * rng.standard_normal((300, 2)) + np.array([0.3, 0.0])
    severity = 0.2 * rng.standard_normal(8)
    judge = ["item,system,value"] + [
        f"q{i},{'AB'[s]},{quality[i, s] + 0.5 * (s == 0) + 0.3 * rng.standard_normal():.3f}"
        for i in range(300)
        for s in (0, 1)
    ]
    people = ["item,system,rater,value"] + [
        f"q{i},{'AB'[s]},p{r},{quality[i, s] + severity[r] + 0.3 * rng.standard_normal():.3f}"
        for i in rng.choice(300, 60, replace=False)
        for r in rng.choice(8, 2, replace=False)
        for s in (0, 1)
    ]
    paths = tmp_path / "people.csv", tmp_path / "judge.csv"
    for path, lines in zip(paths, (people, judge), strict=True):
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return paths


def test_the_answer_is_on_the_peoples_scale_and_says_what_the_judge_prefers(
    run_words: Run, files: tuple[Path, Path]
) -> None:
    _, printed, _ = run_words("compare", str(files[0]), "--judge", str(files[1]), "--format", "json")
    said = json.loads(printed)
    (difference,), means = said["judged"]["differences"], said["judged"]["means"]
    assert [mean["a"] for mean in means] == ["A", "B"]
    assert difference["claims"][0]["over"] == ["items", "raters"]
    low, high = difference["claims"][0]["interval"]
    assert low < 0.3 < high < difference["judge"]
    assert difference["excess"]["p"] < 0.01
    assert "On the same outputs the judge prefers A to B by" in " ".join(said["sentences"])
    assert said["lines"][0].startswith("A is better than B")


def test_the_gate_asks_for_two_systems(run_words: Run, files: tuple[Path, Path]) -> None:
    code, printed, _ = run_words("compare", str(files[0]), "--judge", str(files[1]), "--gate")
    assert (code, "A is shown to be better than B only with reserve" in printed) == (4, True)


def test_one_system_passes_a_gate_if_it_is_better_than_a_score(
    run_words: Run, files: tuple[Path, Path]
) -> None:
    for file in files:
        table = pd.read_csv(file)
        table[table.system == "A"].drop(columns="system").to_csv(file, index=False)
    words = "compare", str(files[0]), "--judge", str(files[1]), "--gate"
    code, _, error = run_words(*words)
    assert (code, "--gate with one system needs a score" in error) == (2, True)
    codes = [run_words(*words, "--against", score)[0] for score in ("2.5", "4")]
    assert codes == [0, 3]
    _, printed, _ = run_words(*words, "--against", "3.2", "--format", "json")
    said = json.loads(printed)
    (pair,) = said["boards"][0]["pairs"]
    assert (pair["b"], pair["scores"][1]) == ("a score of 3.2", 3.2)
    assert pair["effect"] == pytest.approx(said["judged"]["means"][0]["claims"][0]["effect"] - 3.2)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--against", "C"], "--against: unknown system 'C'"),
        (["--metric", "mae"], "--metric: people and a judge have no use for it; leave it out"),
        (["--counts", "yes"], "--counts: found 'yes', expected CLASS=NUMBER, as in yes=1,no=0"),
        (["--chance", "luck"], "no column 'luck'"),
        (["--judge-name", "m"], "has no column 'judge'"),
    ],
)
def test_bad_options_are_refused_in_one_line(
    run_words: Run, files: tuple[Path, Path], options: list[str], says: str
) -> None:
    code, _, error = run_words("compare", str(files[0]), "--judge", str(files[1]), *options)
    assert code == 2
    assert says in error
    assert error.count("\n") == 1


def test_options_about_a_judge_need_one(run_words: Run, files: tuple[Path, Path]) -> None:
    code, _, error = run_words("compare", str(files[0]), "--counts", "yes=1")
    assert code == 2
    assert "there is no --judge" in error


def test_the_command_asks_for_people(run_words: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    quality = 3.0 + 0.5 * rng.standard_normal((300, 2)) + np.array([0.2, 0.0])
    taste = 0.3 * rng.standard_normal((6, 2))
    judge = [
        f"q{i},{'AB'[s]},{quality[i, s] + 0.3 * rng.standard_normal():.3f}"
        for i in range(300)
        for s in (0, 1)
    ]
    people = [
        f"q{i},{'AB'[s]},p{i % 6},{quality[i, s] + taste[i % 6, s] + 0.3 * rng.standard_normal():.3f}"
        for i in range(120)
        for s in (0, 1)
    ]
    files = [str(tmp_path / name) for name in ("people.csv", "judge.csv")]
    for file, header, rows in zip(
        files, ("item,system,rater,value", "item,system,value"), (people, judge), strict=True
    ):
        Path(file).write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    _, printed, _ = run_words("compare", files[0], "--judge", files[1])
    command = printed[printed.index("Next: nbyk ") + len("Next: nbyk ") :].partition("  #")[0].split()
    assert command[0] == "plan"
    code, printed, _ = run_words(*command[:-4], "--effect", ".17", "--power", ".8", "--cost-per-rater", "30")
    assert (code, printed.startswith("Ask ")) == (0, True)
    code, _, error = run_words(
        "plan", "--judge", files[1], "--solve", "calls", "--effect", ".1", "--power", ".8"
    )
    assert (code, error.count("\n")) == (2, 1)
    assert "no people's ratings that correct the judge; give them with --pilot" in error
    code, _, error = run_words(*command, "--counts", "yes")
    assert (code, error) == (2, "error: --counts: found 'yes', expected CLASS=NUMBER, as in yes=1,no=0\n")
    for option in (["--calls", "9"], ["--counts", "yes=1"], ["--cost-per-call", "1"]):
        sds = ["--item-sd", "1", "--severity-sd", ".1", "--raters", "5", "--effect", ".3", "--power", ".8"]
        code, _, error = run_words("plan", *sds, *option)
        assert (code, error.partition(": ")[2]) == (
            2,
            f"{option[0]}: it is about a judge, and there is none; give --judge, or leave it out\n",
        )
    code, printed, _ = run_words(*command, "--severity-sd", "0.125", "--format", "json")
    assert (code, json.loads(printed)["spread"]["raters"]) == (0, 0.125**2)
    shares = [*command, "--scale", "0..6", "--unit", "share", "--severity-sd", "0.02", "--effect", "0.03"]
    code, printed, _ = run_words(*shares, "--power", "0.8", "--format", "json")
    plan = json.loads(printed)  # before, --unit was read and not used
    assert (code, plan["given"]["effect"]) == (0, pytest.approx(0.03 * 6))
    assert plan["spread"]["raters"] == pytest.approx((0.02 * 6) ** 2)
    code, _, error = run_words(*command, "--run-sd", "1")
    assert (code, error) == (2, "error: --run-sd: people and a judge have no use for it; leave it out\n")


def test_classes_have_sensitivity_specificity_and_a_verdict_on_standing_in(
    run_words: Run, tmp_path: Path
) -> None:
    rng = np.random.default_rng(1)
    truth = rng.random(200) < 0.5
    people = ["item,rater,value"] + [
        f"q{i},p{r},{'yes' if truth[i] ^ (rng.random() < 0.1) else 'no'}" for i in range(60) for r in range(3)
    ]
    judge = ["item,value"] + [
        f"q{i},{'yes' if truth[i] ^ (rng.random() < 0.15) else 'no'}" for i in range(200)
    ]
    files = [str(tmp_path / name) for name in ("people.csv", "judge.csv")]
    for file, rows in zip(files, (people, judge), strict=True):
        Path(file).write_text("\n".join(rows) + "\n", encoding="utf-8")
    words = ["compare", files[0], "--judge", files[1], "--counts", "yes=1,no=0", "--out", str(tmp_path / "o")]
    code, printed, _ = run_words(*words, "--details")
    assert code == 0
    for measure in ("kappa", "sensitivity", "specificity", "winning rate"):
        assert measure in printed
    assert "may stand in for a person" in " ".join(printed.split())
    assert (tmp_path / "o/figures/judged.png").exists()


def test_all_is_said_of_the_leader_when_it_comes_second(run_words: Run, files: tuple[Path, Path]) -> None:
    people, judge = files
    for file in files:
        reversed_rows(file)
    _, printed, _ = run_words("compare", str(people), "--judge", str(judge), "--format", "json")
    said, text = json.loads(printed), " ".join(json.loads(printed)["sentences"])
    (difference,) = said["judged"]["differences"]
    assert (difference["a"], difference["b"]) == ("B", "A")
    assert difference["judge"] < difference["claims"][0]["effect"] < 0.0
    assert said["lines"][0].startswith("A is better than B")
    assert f"The judge alone says {-difference['judge']:.3g}; people alone 0." in text
    assert f"the judge prefers A to B by {-difference['excess']['effect']:.3g} more than people do" in text
    board = nbyk.compare_judged(nbyk.read_judged(people, judge))
    row = board.to_frame().iloc[-1]
    assert row["system"] == "A − B"
    assert row["corrected"] == -difference["claims"][0]["effect"]
    (axes,) = board.plot().axes
    points = [
        float(np.asarray(line.get_xdata(), dtype=float)[0]) for line in axes.lines if line.get_marker() == "o"
    ]
    assert len(points) == 3
    assert min(points) > 0.0


def reversed_rows(file: Path) -> None:
    header, *rows = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join([header, *reversed(rows)]), encoding="utf-8")


def test_the_gate_asks_about_the_first_system_though_the_other_leads(
    run_words: Run, files: tuple[Path, Path]
) -> None:
    for file in files:
        reversed_rows(file)
    code, printed, _ = run_words("compare", str(files[0]), "--judge", str(files[1]), "--gate")
    assert (code, "The gate is not passed by B." in printed) == (3, True)


def test_the_gate_is_inconclusive_with_too_few_people(run_words: Run, files: tuple[Path, Path]) -> None:
    people, judge = files
    header, *rows = people.read_text(encoding="utf-8").splitlines()
    people.write_text("\n".join([header, *(row for row in rows if ",p1," in row or ",p2," in row)]))
    for order in range(2):
        for file in files if order else ():
            reversed_rows(file)
        code, printed, _ = run_words("compare", str(people), "--judge", str(judge), "--gate")
        assert (code, "The gate is inconclusive: 2 raters are too few" in printed) == (4, True)
        assert "--generalise" not in printed


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_whether_the_judge_differs_has_no_better_side(
    run_words: Run, files: tuple[Path, Path], alternative: str
) -> None:
    words = ("compare", str(files[0]), "--judge", str(files[1]), "--format", "json")
    found = [
        json.loads(run_words(*words, *more)[1])["judged"]["differences"][0]["excess"]
        for more in ((), ("--alternative", alternative))
    ]
    assert found[0]["p"] == found[1]["p"] < 0.05


@pytest.mark.parametrize(
    ("raters", "who"), [(1, {"judge with these people"}), (4, {"people", "judge with people"})]
)
def test_agreement_says_if_its_interval_is_for_these_people_alone(raters: int, who: set[str]) -> None:
    rng = np.random.default_rng(1)
    judge = pd.DataFrame({"item": np.arange(60), "value": rng.standard_normal(60)})
    rated = pd.concat([judge.assign(rater=f"p{rater}") for rater in range(raters)])
    people = rated.assign(value=rated["value"] + 0.3 * rng.standard_normal(len(rated)))
    table = agreement_table(read_judged(people, judge))
    assert {*table["who"]} - {"judge"} == who


def test_ratings_that_are_all_the_same_name_no_command(run_words: Run, files: tuple[Path, Path]) -> None:
    people, judge = map(str, files)
    table = pd.read_csv(people)
    table.assign(value=3).to_csv(people, index=False)
    code, printed, _ = run_words("compare", people, "--judge", judge)
    assert (code, printed.count("Next: ")) == (0, 0)
    assert "No answer for new items and raters: all ratings are the same" in printed
    assert "only the claim" not in printed


def test_several_judges_are_named_and_one_that_adds_nothing_is_said(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    rated = [(f"q{i}", f"p{r}", int(rng.integers(1, 6))) for i in range(30) for r in range(4)]
    scored = [(f"q{i}", f"j{r}", int(rng.integers(1, 6))) for i in range(30) for r in range(3)]
    people = pd.DataFrame(rated, columns=["item", "rater", "value"])
    judges = pd.DataFrame(scored, columns=["item", "judge", "value"])
    nothing = "people rated all outputs that the judge scored, so that it adds nothing; let it score others"
    warnings = nbyk.compare_judged(read_judged(people, judges)).board.warnings
    assert {nothing, "the judge is the mean of 3: j0, j1 and j2"} <= {*warnings}
    warnings = nbyk.compare_judged(read_judged(people[:80], judges, judges="j1")).board.warnings
    assert not any("the mean of" in text or text == nothing for text in warnings)
    table = agreement_table(read_judged(people, judges))
    assert [row for row in table["measure"] if "ε" in row] == [
        f"winning rate, ε = {e}" for e in (0.2, 0.15, 0.1)
    ]
