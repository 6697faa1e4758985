"""Answers in one direction, about people only where there are people, with a way on that leads somewhere."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import nbyk as package
from nbyk.data.units import Units
from nbyk.report.comparison.answer import Extras, comparison_answer
from nbyk.report.comparison.figures import difference_figure, leaderboard_figure, null_figure
from nbyk.report.comparison.sentences import WITHIN_MARGIN, board_margin_sentence, claim_sentence
from tests.cli.compare.ratings import unfolded
from tests.cli.conftest import Run

Table = list[dict[str, object]]


def right_or_wrong(shares: dict[str, float], runs: int = 0, items: int = 200) -> Table:
    """Return whether systems answered items right, in a table without raters; or in some runs, by seed."""
    rng = np.random.default_rng(3)
    hard = rng.normal(0.0, 0.2, items)
    return [
        {"system": name, "item": f"q{item}", **({"seed": run} if runs else {}), "correct": int(right)}
        for name, share in shares.items()
        for run in range(runs or 1)
        for item, right in enumerate(rng.random(items) < share + hard)
    ]


def write(name: str, rows: Table) -> None:
    pd.DataFrame(rows).to_csv(name, index=False)


def next_of(text: str) -> list[str]:
    """Return the words of the command after "Next:"."""
    return shlex.split(text.partition("Next: ")[2].partition("  #")[0].splitlines()[0])[1:]


def test_one_answer_an_item_is_no_rater(nbyk: Run) -> None:
    write("many.csv", right_or_wrong({f"s{place}": 0.4 + 0.05 * place for place in range(4)}))
    write("two.csv", right_or_wrong({"old": 0.5, "new": 0.5}))
    for line in ("many.csv", "many.csv --details", "two.csv --details", "two.csv --full --format markdown"):
        code, text, errors = nbyk(f"compare {line}")
        assert code == 0
        assert "rater" not in (text + errors).replace("raters and runs", "")
    assert "with this run of each system" in nbyk("compare many.csv")[1]


def test_a_rater_column_still_means_a_person(nbyk: Run) -> None:
    rows = right_or_wrong({"old": 0.5, "new": 0.6})
    write("ann.csv", [{**row, "rater": "ann"} for row in rows])
    _, text, _ = nbyk("compare ann.csv --value correct")
    assert "with this rater of each system" in text
    assert "1 rater" in text.splitlines()[0]


def test_a_column_of_answers_is_read_by_its_name_in_both_layouts(nbyk: Run) -> None:
    write("runs.csv", right_or_wrong({"old": 0.5, "new": 0.6}, runs=3))
    code, _, errors = nbyk("compare runs.csv")
    assert code == 0
    assert "runs = seed (3), values = correct" in errors
    rows = [{**row, "latency": 3.0} for row in right_or_wrong({"old": 0.5, "new": 0.6}, runs=3)]
    write("more.csv", rows)
    code, _, errors = nbyk("compare more.csv")
    assert code == 2
    assert "no column 'value'; found 'system', 'item', 'seed', 'correct', 'latency'" in errors
    assert errors.rstrip().endswith("as in --value correct")
    assert nbyk("compare more.csv --value correct")[0] == 0


def test_numbered_columns_beside_unnamed_items_are_raters(nbyk: Run) -> None:
    """The command to paste reads them all; with one as the value, the ratings of the others were lost."""
    rng = np.random.default_rng(3)
    for name in ("new", "old"):
        rows = [
            {"output": f"q{i}", **{f"ann{r}": value for r, value in enumerate(rng.random(4))}}
            for i in range(9)
        ]
        write(f"{name}.csv", rows)
    code, _, errors = nbyk("compare new.csv old.csv")
    assert code == 2
    assert "name it with --item, as in --item output; old.csv has" in errors
    code, text, errors = nbyk("compare new.csv old.csv --item output")
    assert (code, "9 items, 4 raters" in text) == (0, True), errors


def test_the_small_file_of_the_readme_can_be_pasted(nbyk: Run) -> None:
    page = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    table, name, command = re.findall(
        r"```text\n([^`]*)```\n\nSave it as `(.*?)` and type `nbyk (.*?)`", page
    )[0]
    Path(name).write_text(table, encoding="utf-8")
    code, text, errors = nbyk(command)
    assert (code, text.startswith("Undecided: ours or theirs")) == (0, True), errors


def test_a_wrong_path_names_the_nearest_file_of_its_folder(nbyk: Run) -> None:
    Path("runs").mkdir()
    write("runs/new_model.csv", right_or_wrong({"new": 0.5}))
    write("old.csv", right_or_wrong({"old": 0.5}))
    code, _, errors = nbyk("compare runs/newmodel.csv zzzz.csv odl.csv")
    assert (code, errors) == (
        2,
        "error: runs/newmodel.csv: no such file (nearest: runs/new_model.csv), nor zzzz.csv, nor odl.csv "
        "(nearest: old.csv); check the paths\n",
    )
    assert (
        nbyk("compare nofolder/new.csv old.csv")[2]
        == "error: nofolder/new.csv: no such file; check the path\n"
    )


def test_classes_under_a_known_name_are_read_beside_the_names_of_people(nbyk: Run) -> None:
    rows: Table = [
        {"instance_id": item, "user_id": user, "prediction": "yes" if (item + user) % 3 else "no"}
        for item in range(30)
        for user in range(3)
    ]
    write("gold.csv", rows)
    for name, step in (("a", 2), ("b", 5)):
        write(
            f"{name}.csv", [{"instance_id": i, "prediction": "yes" if i % step else "no"} for i in range(30)]
        )
    code, text, errors = nbyk("compare --gold gold.csv a.csv b.csv")
    assert code == 0, errors
    assert "accuracy, 30 items, 3 raters" in text
    assert "raters = user_id (3), values = prediction" in errors


def test_accuracy_of_distributions_names_the_metric_that_is_it(nbyk: Run) -> None:
    rng = np.random.default_rng(1)
    names = np.array(["neg", "neu", "pos"])
    gold = rng.integers(0, 3, 60)
    write("gold.csv", [{"id": item, "label": names[place]} for item, place in enumerate(gold)])
    shares = {}
    for name, lead in (("a", 1.0), ("b", 2.0)):
        weights = np.exp(rng.normal(size=(60, 3)) + lead * np.eye(3)[gold])
        shares[name] = weights / weights.sum(axis=1, keepdims=True)
        rows = [{"id": item, **dict(zip(names, row, strict=True))} for item, row in enumerate(shares[name])]
        write(f"{name}.csv", rows)
    code, _, errors = nbyk("compare --gold gold.csv a.csv b.csv --metric accuracy")
    assert code == 2
    assert "for that of the likeliest class give --metric plurality_first" in errors
    code, text, _ = nbyk("compare --gold gold.csv a.csv b.csv --metric plurality_first --format json")
    right = {name: float(np.mean(rows.argmax(axis=1) == gold)) for name, rows in shares.items()}
    assert json.loads(text)["boards"][0]["pairs"][0]["scores"] == pytest.approx([right["a"], right["b"]])
    code, text, _ = nbyk("compare --gold gold.csv a.csv b.csv")
    assert "cross_entropy (nats), 60 items" in text
    code, _, errors = nbyk("compare --gold gold.csv a.csv b.csv --scale 1..5")
    assert "--scale: found 1..5, and distributions have none; leave it out" in errors


BAD_LINES = (
    *("a.csv b.csv --scale 5", "a.csv b.csv --scale 1-5", "a.csv b.csv --scale 1,1"),
    *("a.csv b.csv --kind classes --scale 1..5", "a.csv b.csv --kind scores --scale 1,2,3"),
    *("a.csv b.csv --kind classes", "a.csv b.csv --kind distributions", "a.csv b.csv --classes x,y"),
    *("a.csv b.csv --generalise raters", "a.csv b.csv --generalise people", "a.csv b.csv --metric mae"),
    *("a.csv b.csv --metric accuracy", "a.csv b.csv --margin 0", "a.csv b.csv --alpha 2", "a.csv"),
    *("a.csv b.csv --cluster none", "a.csv b.csv --lower-is-better --metric mean", "a.csv missing.csv"),
    *("a.csv b.csv --against c", "a.csv b.csv --interval t", "a.csv b.csv --null none", "a.csv a.csv"),
    *("a.csv b.csv --rater-ids shared", "a.csv b.csv --run-ids shared", "a.csv b.csv --suite item"),
    *("a.csv b.csv --weights x=1", "a.csv b.csv --test wilcoxon", "a.csv b.csv --value none"),
    *("a.csv b.csv --on-missing keep", "a.csv b.csv --looks 0", "a.csv b.csv --resamples 0"),
)


@pytest.mark.parametrize("line", BAD_LINES)
def test_no_object_of_python_is_in_a_message(nbyk: Run, line: str) -> None:
    for name, share in (("a", 0.5), ("b", 0.6)):
        rows = right_or_wrong({name: share}, items=20)
        write(f"{name}.csv", [{"item": row["item"], "value": row["correct"]} for row in rows])
    code, text, errors = nbyk(f"compare {line} --gate")
    assert code in (0, 2, 3, 4)
    for said in (text, errors):
        assert not re.search(r"\w\(\w+=|<\w+[ .]|\bobject at\b|\b[A-Z]\w+\.\w+\b|scale: scale", said), said
        assert not re.search(r"\('\w+',|\['", said), said


def test_a_gate_with_the_systems_the_wrong_way_round(nbyk: Run) -> None:
    write("two.csv", right_or_wrong({"old": 0.45, "new": 0.65}))
    for more in ("", " --against new", " --full"):
        code, text, _ = nbyk(f"compare two.csv --gate{more}")
        assert code == 3
        told = unfolded(text)
        said = re.search(r"Tested two-sided, new is better than old \((p [^)]*)\)\.", told)
        assert said is not None
        assert "No size would show it" not in told
        assert said[1] in unfolded(nbyk("compare two.csv")[1])
        words = next_of(text)
        assert words[-2:] == ["--against", "old"]
        code, text, _ = nbyk(" ".join(words))
        assert code == 0
        assert text.startswith("new is better than old")


def test_a_gate_of_a_candidate_that_is_worse_than_its_baseline(nbyk: Run) -> None:
    write("many.csv", right_or_wrong({"old": 0.4, "mid": 0.5, "new": 0.7}))
    code, text, _ = nbyk("compare many.csv --gate --against new")
    assert code == 3
    said = re.search(r"Tested two-sided, new is better than old \((p [^)]*)\)\.", " ".join(text.split()))
    assert said is not None


def test_systems_held_to_one_score_have_a_table_of_pairs(nbyk: Run) -> None:
    write("two.csv", right_or_wrong({"old": 0.4, "new": 0.5}))
    code, text, errors = nbyk("compare two.csv --against 0.6 --details")
    assert code == 0, errors
    assert "a score of 0.6" in text
    assert "with this run of each system" in " ".join(text.split())


def test_an_equivalence_under_a_gate_has_the_same_direction(nbyk: Run) -> None:
    write("two.csv", right_or_wrong({"old": 0.5, "new": 0.55}))
    code, text, _ = nbyk("compare two.csv --gate --margin 0.4")
    assert code == 0
    first, second, *_ = text.splitlines()
    says = [
        WITHIN_MARGIN["equivalent"].of_pair.format(leader=leader, other=other, size="0.4")
        for leader, other in (("new", "old"), ("old", "new"))
    ]
    assert first.startswith(tuple(says))
    assert " for " not in second.partition("├")[0]


def test_gold_among_the_systems(nbyk: Run) -> None:
    rng = np.random.default_rng(7)
    truth = rng.uniform(1.5, 4.5, 40)
    rows: Table = [
        {"item": item, "rater": f"r{rater}", "value": round(float(np.clip(mean + rng.normal(0, 0.5), 1, 5)))}
        for item, mean in enumerate(truth)
        for rater in range(6)
    ]
    write("gold.csv", rows)
    write("people.csv", rows)
    for name, error in (("a", 0.2), ("b", 0.5)):
        answers = np.clip(truth + rng.normal(0.0, error, 40), 1.0, 5.0).round(2)
        write(f"{name}.csv", [{"item": item, "score": value} for item, value in enumerate(answers)])
    for files in ("my_labels=gold.csv a.csv b.csv", "a.csv people.csv b.csv", "people.csv a.csv"):
        code, text, errors = nbyk(f"compare {files} --scale 1..5")
        assert code == 0, errors
        name = "gold.csv" if "gold" in files else "people.csv"
        careful = " ".join(text.split())
        assert f"if it is gold, give it as --gold {name}" in careful
        words = next_of(text)
        assert words[-2:] == ["--gold", name]
        code, text, _ = nbyk(" ".join(words))
        assert code == 0
        assert "looks like gold" not in text
    assert "looks like gold" not in nbyk("compare a.csv b.csv --scale 1..5")[1]
    read = package.read_systems(["a.csv", "people.csv"], scale=(1, 5))
    assert 'give it as `gold="people.csv"`' in read.notes[0]


def test_people_among_runs_are_named_as_gold_and_change_places_with_a_system(nbyk: Run) -> None:
    """Gold of 0 and 1 beside systems with runs, or a system given as gold."""
    rng = np.random.default_rng(7)
    for name, unit, share in (("people", "ann", 0.5), ("a", "run", 0.55), ("b", "run", 0.6)):
        rows: Table = [
            {"item": item, "rater": f"{unit}{r}", "value": int(rng.random() < share)}
            for item in range(40)
            for r in range(3)
        ]
        write(f"{name}.csv", rows)
    for line in ("people.csv a.csv b.csv", "--gold a.csv people.csv b.csv"):
        code, text, errors = nbyk(f"compare {line}")
        assert code == 0, errors
        assert "people looks like gold (up to 3 people for each item, and runs of" in " ".join(text.split())
        assert next_of(text) == ["compare", "a.csv", "b.csv", "--gold", "people.csv"]
    assert "looks like gold" not in nbyk("compare --gold people.csv a.csv b.csv")[1]
    assert "looks like gold" not in nbyk("compare people.csv")[1]


def test_classes_beside_another_kind_are_the_ones_named(nbyk: Run) -> None:
    rng = np.random.default_rng(7)
    shares = {name: rng.dirichlet((1, 1, 1), 30) for name in ("a", "b")}
    for name, rows in shares.items():
        table = pd.DataFrame(rows, columns=["neg", "neu", "pos"])
        table.insert(0, "item", range(30))
        table.to_csv(f"{name}.csv", index=False)
        (table * [1, 100, 100, 100]).to_csv(f"percent_{name}.csv", index=False)
    write("labels.csv", [{"item": i, "label": ("neg", "pos")[i % 2]} for i in range(30)])
    gold = (
        "labels.csv: found classes, as 'neg', expected distributions as in a.csv; if it is gold, give it as"
    )
    for line, message in (
        ("labels.csv a.csv b.csv", f"{gold} --gold labels.csv"),
        (
            "--gold a.csv labels.csv b.csv",
            f"{gold.replace('a.csv', 'b.csv')} --gold labels.csv in place of a.csv",
        ),
        (
            "--gold labels.csv percent_a.csv percent_b.csv",
            "percent_a.csv: found numbers, expected classes as in",
        ),
        ("a.csv b.csv", "needs gold, and there is none; give --gold"),
    ):
        code, _, errors = nbyk(f"compare {line}")
        assert (code, message in errors) == (2, True), errors
        assert "--metric mean" not in errors
    assert nbyk("compare --gold labels.csv a.csv b.csv")[0] == 0


def test_one_table_of_two_systems_goes_on_to_the_plan_of_its_two_files(nbyk: Run) -> None:
    rng = np.random.default_rng(5)
    items = rng.normal(3.0, 0.7, 30)
    rows: Table = [
        {
            "system": name,
            "item": i,
            "rater": f"r{r}",
            "rating": int(np.clip(round(mean + rng.normal()), 1, 5)),
        }
        for name in "AB"
        for i, mean in enumerate(items)
        for r in range(5)
    ]
    write("both.csv", rows)
    for name in "AB":
        write(
            f"{name}.csv",
            [{of: row[of] for of in row if of != "system"} for row in rows if row["system"] == name],
        )
    plans = []
    for files, pilot in (("both.csv", "--pilot both.csv"), ("A.csv B.csv", "--pilot-systems A.csv B.csv")):
        _, text, errors = nbyk(f"compare {files} --scale 1..5")
        words = next_of(text)
        assert " ".join(words).startswith(f"plan {pilot} --scale 1..5 --metric mean"), text
        code, text, errors = nbyk(" ".join(words))
        assert code == 0, errors
        plans.append(text)
    assert plans[0] == plans[1]
    _, _, errors = nbyk("plan --pilot-systems both.csv --scale 1..5 --power 0.8")
    assert errors.rstrip().endswith("give one table of both as --pilot both.csv")


def test_percentages_beside_shares_bring_the_first_caution(nbyk: Run) -> None:
    rng = np.random.default_rng(7)
    shares, percent = 0.8 + 0.01 * rng.random(5), 81.0 + rng.random(5)

    def told(a: np.ndarray, b: np.ndarray, option: str = "", column: str = "f1") -> bool:
        rows: Table = [
            {"system": name, "seed": seed, column: value}
            for name, values in (("old", a), ("new", b))
            for seed, value in enumerate(values)
        ]
        write("scores.csv", rows)
        code, text, errors = nbyk(f"compare scores.csv {option}")
        assert code == 0, errors
        return "Careful: the values of old from 0.8" in text and "divide those of new by 100" in text

    assert told(shares, percent)
    for values in (shares, 5.0 * shares, 300.0 * shares):
        assert not told(shares, values)
    assert not told(100.0 * shares, percent)
    assert not told(shares, percent, "--lower-is-better")
    assert not told(shares, percent, column="latency")
    rows = right_or_wrong({"old": 0.5, "new": 0.6})
    write(
        "items.csv",
        [
            {**row, "correct": int(str(row["correct"])) * (100 if row["system"] == "new" else 1)}
            for row in rows
        ],
    )
    text = nbyk("compare items.csv --scale 0..100")[1]
    assert "Careful: the values of old from 0 to 1 and those of new from 0 to 100 look like" in unfolded(text)


def test_a_system_whose_name_only_begins_like_gold_is_a_system(nbyk: Run) -> None:
    for name in ("label-smoothing", "gold_llama", "reference-model"):
        rows = right_or_wrong({name: 0.5}, runs=0)
        write(f"{name}.csv", [{of: row[of] for of in row if of != "system"} for row in rows])
    for pair in ("label-smoothing gold_llama", "reference-model label-smoothing"):
        code, text, errors = nbyk(f"compare {' '.join(f'{name}.csv' for name in pair.split())}")
        assert code == 0, errors
        assert "looks like gold" not in text


def test_runs_of_one_system_are_not_taken_for_gold(nbyk: Run) -> None:
    for name, runs in (("x", 3), ("y", 0)):
        rows = right_or_wrong({name: 0.5}, runs=runs)
        write(f"{name}.csv", [{of: row[of] for of in row if of != "system"} for row in rows])
    code, text, errors = nbyk("compare x.csv y.csv")
    assert code == 0, errors
    assert "looks like gold" not in text


@pytest.mark.parametrize("margin", [None, 0.3])
def test_every_part_of_an_answer_has_one_direction(nbyk: Run, margin: float | None) -> None:
    """The second system is the better one: sentences, tables and figures are all about its lead."""
    write("two.csv", right_or_wrong({"old": 0.45, "new": 0.65}))
    option = "" if margin is None else f" --margin {margin}"
    code, text, _ = nbyk(f"compare two.csv --details{option}")
    assert code == 0
    assert re.search(r"0\.\d+ higher mean {2}├", text)
    assert "lower mean" not in text
    assert "A positive effect: new is better" in " ".join(text.split())
    system = package.read_systems("two.csv")
    result = package.compare(system, margin=margin)
    assert result.effect < 0.0  # the result itself stays about A over B, and so does its frame
    assert result.to_frame()["effect"].tolist() == [result.effect]
    answer = comparison_answer({"mean": result}, system, Extras())
    table = next(iter(answer.tables)).frame
    assert table["effect"].tolist() == [-result.effect]
    assert table[["low", "high"]].to_numpy().tolist() == [[-end for end in result.interval[::-1]]]
    items = {of.name: of for of in answer.tables}["items"]
    assert items.frame["speaks for"].iloc[0] == "new"
    assert items.frame["effect"].iloc[0] > 0.0
    for figure in (difference_figure(result.pair), null_figure(result.pair)):
        (axes,) = figure.axes
        assert "← old is better | new is better →" in axes.get_xlabel()
        assert any(line.get_xdata()[0] == pytest.approx(-result.effect) for line in axes.lines)
        plt.close(figure)


def test_an_undecided_answer_names_the_one_ahead_first() -> None:
    ahead = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0])
    behind = np.array([1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 0.0])
    result = package.compare(None, {"x": behind, "y": ahead})
    assert str(result).startswith("Undecided: y or x")
    assert "higher mean" in str(result)
    flipped = package.compare(None, {"y": ahead, "x": behind})
    assert claim_sentence(flipped.pair) == claim_sentence(result.pair)
    one_sided = package.compare(None, {"x": behind, "y": ahead}, alternative="greater")
    assert "higher mean for y" in str(one_sided)


def test_an_effect_is_never_rounded_to_nothing() -> None:
    rng = np.random.default_rng(2)
    a = rng.normal(size=40)
    gains = rng.normal(size=40) * 40.0
    result = package.compare(None, {"x": a + gains - gains.mean() + 0.013, "y": a})
    (said,) = re.findall(r"^(\S+) higher mean", str(result), re.MULTILINE)
    assert float(said) == pytest.approx(0.01)
    equal = package.compare(None, {"x": a, "y": a[::-1]})
    assert "equal mean" in str(equal)


def test_a_narrower_claim_without_an_interval_says_its_p(nbyk: Run) -> None:
    assert nbyk("example")[0] == 0
    _, text, _ = nbyk(
        "compare --gold example/gold.csv example/sim_a.csv example/sim_c.csv --metric max_error"
    )
    assert re.search(r"^With these raters and runs alone: p = [\d.]+\.$", text, re.MULTILINE)


def test_a_boards_margins_in_forty_words() -> None:
    rng = np.random.default_rng(4)
    for against in (None, "s0"):
        systems = {f"s{place}": rng.random(100) + 0.03 * place for place in range(9)}
        board = package.compare(None, systems, margin=0.1, against=against)
        said = board_margin_sentence(board)
        assert len(said.split()) <= 40
        shown = [pair.margin.shown for pair in board.pairs if pair.margin is not None]
        counts = {word: shown.count(word) for word in shown}
        for number in re.findall(r"(\d+) of \d+ (?:pairs|systems)", said):
            assert int(number) in counts.values()
        assert sum(1 for part in said.split(". ") if part) == len(counts)


def test_a_fact_is_said_once_in_full_details(nbyk: Run) -> None:
    rows = right_or_wrong({"old": 0.5, "new": 0.55}, items=60)
    write("ann.csv", [{**row, "rater": "ann"} for row in rows])
    _, text, _ = nbyk("compare ann.csv --value correct --full --format markdown")
    cautions = [line for line in text.splitlines() if line.startswith("- ")]
    assert sum("items share" in line for line in cautions) == 1
    assert not any(line.startswith(("- sensitivity:", "- variance:")) for line in cautions)
    assert "with --details" not in text
    assert "more below)" in text


def test_the_page_names_its_files_and_cautions(nbyk: Run) -> None:
    write("two.csv", right_or_wrong({"old": 0.5, "new": 0.6}))
    assert nbyk("compare two.csv --out report")[0] == 0
    page = Path("report/compare.html").read_text()
    assert "All 1 cautions" not in page
    assert "as PNG and SVG, the main ones also as PDF" in page
    assert Path("report/figures/difference.pdf").exists()


def test_the_null_figure_has_the_p_of_the_claim() -> None:
    rng = np.random.default_rng(3)
    gold = np.clip(np.rint(rng.normal(3.0, 1.0, (60, 1)) + rng.normal(0.0, 0.6, (60, 8))), 1, 5) / 5.0
    mean = gold.mean(axis=1)
    a, b = (np.clip(mean + rng.normal(0.0, error, 60), 0.0, 1.0) for error in (0.05, 0.2))
    pair = package.compare(gold, a, b).pair
    figure = null_figure(pair)
    (axes,) = figure.axes
    first, *_, second = axes.get_title(loc="left").splitlines()
    assert first.startswith("p < .0001" if pair.p < 1e-4 else "p = ")
    assert "over items alone: p ≤ .0002" in second
    assert "at least as extreme" not in [text.get_text() for text in figure.legends[0].get_texts()]
    plt.close(figure)


def test_what_to_generalise_over_as_text() -> None:
    rng = np.random.default_rng(5)
    x, y = (rng.random((30, 4)) + lead for lead in (0.0, 0.3))
    people = Units("ids", tuple("abcd"), np.tile(np.arange(4, dtype=np.int32), (30, 1)))
    rated = package.response_set(None, x, y, units={"a": people, "b": people})
    for text, names in (("items", ("items",)), ("items,raters", ("items", "raters"))):
        as_text = package.compare(rated, metric="mean", generalise=text)
        assert as_text.sentence == package.compare(rated, metric="mean", generalise=names).sentence
    with pytest.raises(package.NbykError, match="found no items"):
        package.compare(rated, metric="mean", generalise="raters")


def test_a_leaderboard_says_that_its_pairs_intervals_hold_at_once(nbyk: Run) -> None:
    write("many.csv", right_or_wrong({f"s{place}": 0.4 + 0.05 * place for place in range(4)}))
    _, text, _ = nbyk("compare many.csv --details")
    assert "low to high is the simultaneous 95 % interval" in " ".join(text.split())


def test_a_system_by_itself_has_a_score_and_neither_a_verdict_nor_a_rank() -> None:
    board = package.compare(None, {"mine": np.random.default_rng(3).random((30, 3))})
    assert list(board.to_frame().columns) == ["for", "score", "low", "high"]
    figure = leaderboard_figure(board)
    assert [text.get_text() for text in figure.axes[0].texts] == []


def test_only_some_of_many_systems_are_compared(nbyk: Run) -> None:
    write("three.csv", right_or_wrong({"old": 0.45, "new": 0.65, "third": 0.5}))
    code, text, _ = nbyk("compare three.csv --only new,old")
    assert code == 0
    assert text.startswith("new is better than old")
