"""The answer names the runs or raters that nbyk pairs by name, and those without a partner."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.compare.ratings import found, results, unfolded
from tests.cli.conftest import Run

ITEMS = 12


def write_runs(name: str, runs: list[str]) -> None:
    """Write a system's file with these runs; each answers every item, but "once" answers one item."""
    rows = [
        f"q{item},{run},{(7 * item + 3 * place) % 10 / 10:g}"
        for item in range(ITEMS)
        for place, run in enumerate(runs)
        if run != "once" or item == 0
    ]
    Path(f"{name}.csv").write_text("\n".join(["item,rater,value", *rows]) + "\n")


def sentences(nbyk: Run, line: str) -> list[str]:
    return [sentence for sentence in found(nbyk, line)["sentences"] if " paired" in sentence]


def test_the_text_prints_the_pairs_and_the_runs_without_a_partner(nbyk: Run) -> None:
    write_runs("gold", ["p1", "p2", "p3"])
    write_runs("a", ["seed1", "seed2", "seed10", "seed4"])
    write_runs("b", ["seed10", "seed1", "seed2"])
    _, text, _ = nbyk("compare --gold gold.csv a.csv b.csv --pair-runs yes --details")
    assert "Runs are paired by name: seed1, seed2, seed10; unpaired: seed4 of a." in unfolded(text)
    _, text, _ = nbyk("compare --gold gold.csv b.csv a.csv --pair-runs yes --details")
    assert "Runs are paired by name: seed1, seed2, seed10; unpaired: seed4 of a." in unfolded(text)


def test_without_gold_people_are_pairs_by_equal_ids(nbyk: Run) -> None:
    write_runs("a", ["71", "w2", "cem", "dan"])
    write_runs("b", ["71", "w2", "cem"])
    for option in ("", " --pair-runs no", " --pair-runs yes"):
        assert sentences(nbyk, f"a.csv b.csv{option}") == [
            "Raters are paired by name, as the same people: 71, cem, w2; unpaired: dan of a."
        ]


def test_numbers_in_a_column_of_raters_are_people(nbyk: Run) -> None:
    write_runs("a", ["1", "2", "3"])
    write_runs("b", ["1", "2", "3"])
    assert sentences(nbyk, "a.csv b.csv") == [
        "Raters are paired by name, as the same people: 1, 2, 3; unpaired: none."
    ]


@pytest.mark.parametrize("names", ["rating1,rating2,rating3", "0,1,2", "array"])
def test_positions_are_nobodys_names(nbyk: Run, names: str) -> None:
    values = np.random.default_rng(2).random((2, ITEMS, 3)).round(3)
    for name, matrix in zip("ab", values, strict=True):
        if names == "array":
            np.save(name, matrix)
            continue
        rows = [f"q{item},{','.join(map(str, row))}" for item, row in enumerate(matrix.tolist())]
        Path(f"{name}.csv").write_text("\n".join([f"item,{names}", *rows]))
    answer = (
        found(nbyk, "a.npy b.npy")
        if names == "array"
        else json.loads(nbyk("compare a.csv b.csv --format json")[1])
    )
    (said,) = (sentence for sentence in answer["sentences"] if " paired" in sentence)
    assert said.startswith("Raters or runs are not paired: several systems have ")
    assert "for new items and raters or runs:" in answer["sentences"][0]


@pytest.mark.parametrize(("column", "unit"), [("seed", "seed"), ("attempt", "attempt"), ("run_id", "run")])
def test_a_column_of_runs_is_not_paired_unless_asked_whatever_its_name(
    nbyk: Run, column: str, unit: str
) -> None:
    for name in ("a", "b"):
        write_runs(name, ["1", "2", "3"])
        path = Path(f"{name}.csv")
        path.write_text(path.read_text().replace("item,rater,value", f"item,{column},value"))
    code, text, errors = nbyk("compare a.csv b.csv --details")
    assert code == 0, errors
    assert f"runs = {column} (3)" in errors
    assert "for new items and runs:" in unfolded(text)
    names = ", ".join(f"{unit} {number}" for number in (1, 2, 3))
    offer = "--pair-runs yes takes equal names, or columns, as the same."
    assert f"Runs are not paired: several systems have {names}; {offer}" in unfolded(text)
    _, text, _ = nbyk("compare a.csv b.csv --pair-runs yes --details")
    assert f"Runs are paired by name: {names}; unpaired: none." in unfolded(text)


def test_p_does_not_hang_on_the_name_of_a_column(nbyk: Run) -> None:
    rng = np.random.default_rng(19)
    luck = rng.normal(0.0, 0.1, 4)
    values = np.clip(0.5 + luck + rng.normal(0.0, 0.1, (2, 20, 4)) + [[[0.06]], [[0.0]]], 0.0, 1.0)
    p = {}
    for column in ("seed", "run", "epoch", "attempt", "repeat", "wide"):
        for name, matrix in zip("ab", values.round(3).tolist(), strict=True):
            if column == "wide":
                rows = [f"q{item},{','.join(map(str, row))}" for item, row in enumerate(matrix)]
                head = "item,seed1,seed2,seed3,seed4"
            else:
                head = f"item,{column},value"
                rows = [
                    f"q{item},{place},{value}"
                    for item, row in enumerate(matrix)
                    for place, value in enumerate(row)
                ]
            Path(f"{name}.csv").write_text("\n".join([head, *rows]))
        for option in ("no", "yes"):
            text = nbyk(f"compare a.csv b.csv --format json --pair-runs {option}")[1]
            p[column, option] = results(json.loads(text))[0]["p"]
    for option in ("no", "yes"):
        assert len({round(value, 12) for (_, of), value in p.items() if of == option}) == 1
    assert p["seed", "yes"] < 0.1 * p["seed", "no"]


def test_runs_without_a_name_in_common_cannot_be_paired(nbyk: Run) -> None:
    write_runs("a", ["run1", "run2", "run3"])
    write_runs("b", ["run4", "run5", "run6"])
    assert sentences(nbyk, "a.csv b.csv") == ["Runs are not paired."]
    code, _, errors = nbyk("compare a.csv b.csv --pair-runs yes")
    assert (code, errors.startswith("error: --pair-runs: found runs to pair, and no two systems have")) == (
        2,
        True,
    )


@pytest.mark.parametrize("of_b", [["1", "2", "3"], ["seed4", "seed5"], ["seed1"]])
def test_units_that_are_not_paired_are_not_named(nbyk: Run, of_b: list[str]) -> None:
    write_runs("gold", ["p1", "p2", "p3"])
    write_runs("a", ["1", "2", "3"] if of_b[0] == "1" else ["seed1", "seed2", "seed3"])
    write_runs("b", of_b)
    shared = {"1": "1, 2, 3", "seed4": "", "seed1": "seed1"}[of_b[0]]
    (sentence,) = sentences(nbyk, "--gold gold.csv a.csv b.csv")
    assert sentence.startswith(f"Runs are not paired{f': several systems have {shared};' if shared else '.'}")
    assert sentences(nbyk, "--gold gold.csv a.csv b.csv --run-ids fresh") == []


def test_a_unit_that_answers_one_item_is_in_no_pair(nbyk: Run) -> None:
    write_runs("a", ["1", "2", "once"])
    write_runs("b", ["1", "2", "once"])
    assert sentences(nbyk, "a.csv b.csv") == [
        "Raters are paired by name, as the same people: 1, 2; unpaired: none."
    ]


def test_a_leaderboard_names_the_systems_of_a_pair_that_not_all_have(nbyk: Run) -> None:
    write_runs("gold", ["p1", "p2", "p3"])
    write_runs("a", ["seed1", "seed2"])
    write_runs("b", ["seed1", "seed2"])
    write_runs("c", ["seed1", "seed3"])
    assert sentences(nbyk, "--gold gold.csv a.csv b.csv c.csv --pair-runs yes") == [
        "Runs are paired by name: seed1, seed2 (a, b); unpaired: seed3 of c."
    ]


def test_a_long_list_of_pairs_is_cut(nbyk: Run) -> None:
    names = [f"r{number}" for number in range(20)]
    write_runs("a", names)
    write_runs("b", names)
    (sentence,) = sentences(nbyk, "a.csv b.csv")
    assert sentence.endswith(" r10, r11, … (20 in all); unpaired: none.")


def test_counts_of_units_stand_before_the_name_of_their_system(nbyk: Run) -> None:
    write_runs("gold", ["p1", "p2"])
    write_runs("a", ["s1", "s2", "s3"])
    write_runs("b", ["s1"])
    _, text, _ = nbyk("compare --gold gold.csv a.csv b.csv --details")
    assert "nbyk reads ids as 2 raters of gold, 3 runs of a, 1 run of b" in unfolded(text)
    _, text, _ = nbyk("compare a.csv b.csv --details")
    assert "nbyk reads ids as 3 raters of a, 1 rater of b" in unfolded(text)


def test_the_populations_name_the_systems_even_if_one_is_called_a_or_b(
    run_words: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The system B comes first, and "model A" has the lone run: no role's letter may stand for a name."""
    monkeypatch.chdir(tmp_path)
    write_runs("gold", ["p1", "p2", "p3"])
    write_runs("many", ["r1", "r2", "r3", "r4"])
    write_runs("one", ["r1"])

    def answer(*more: str) -> tuple[str, str]:
        words = "compare", "--gold", "gold.csv", "B=many.csv", "model A=one.csv", "--details", *more
        text = unfolded(run_words(*words)[1])
        first, _, cautions = text.partition("Before you believe it")
        return first, cautions

    told, cautions = answer("--gate")
    assert "for new items, raters and runs of B, with this run of model A" in told
    assert "model model" not in told
    assert "run of B" not in told.replace("runs of B", "")
    assert "three raters and four runs of B are few" in cautions
    told, cautions = answer("other=many.csv")
    assert "for new items, raters and runs, with this run of model A" in told
    assert "three raters and four runs of B and other are few" in cautions


def test_a_board_of_mixed_populations_cautions_about_what_some_pairs_leave_as_it_is(nbyk: Run) -> None:
    """Two systems of three runs, two of one: the pairs' claims differ, and so does what each leaves out."""
    for name, runs in (("a", 3), ("b", 3), ("c", 1), ("d", 1)):
        write_runs(name, [f"seed{run}" for run in range(runs)])
    answer = found(nbyk, "a.csv b.csv c.csv d.csv")
    (board,) = answer["boards"]
    assert "for new items and runs, with this run of c and d" in answer["sentences"][0]
    few, kept = (
        next(text for text in board["warnings"] if sign in text) for sign in ("are few", "items share")
    )
    assert few.startswith("three runs of a and b are few to speak for others")
    assert kept.startswith("items share one run of each of c and d: p and the interval are about these; ")
    kept_by_all = found(nbyk, "a.csv b.csv c.csv d.csv --generalise items")["boards"][0]["warnings"]
    assert any(text.startswith("items share 1 to 3 runs of each of 4 systems") for text in kept_by_all)
    told = found(nbyk, "a.csv b.csv c.csv d.csv --generalise items")["sentences"][0]
    assert "for new items, with these 3 runs of a and b and this run of c and d" in told


@pytest.mark.parametrize(
    ("names", "kind", "paired"),
    [
        (["w1", "w2", "w3"], "raters", True),
        (["seed1", "seed2", "seed3"], "runs", False),
        (["run1", "run2", "run3"], "runs", False),
    ],
)
def test_without_gold_the_names_tell_people_from_runs(
    nbyk: Run, names: list[str], kind: str, paired: bool
) -> None:
    write_runs("a", names)
    write_runs("b", [*names, names[0].replace("1", "9")])
    answer = found(nbyk, "a.csv b.csv")
    assert f"for new items and {kind}" in answer["sentences"][0]
    assert any("are paired by name" in sentence for sentence in answer["sentences"]) == paired
    _, text, _ = nbyk("compare a.csv b.csv --details")
    (sentence,) = (text for text in answer["sentences"] if text.startswith("Where the variance"))
    assert kind in sentence
    assert (f"{kind} of a" in sentence) == (not paired)
    assert "or runs" not in text
