"""`nbyk labels --gold`: files of hard labels in place of a design, and the same answer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.compare.ratings import unfolded
from tests.cli.conftest import Run
from tests.cli.label_files import GOLD, GOOD

THIRD = "b\nb\nb\na\na\na\n"
DESIGN = GOOD["design.yaml"].replace("n_resamples: 99\n", "")


@pytest.fixture
def nbyk(nbyk: Run) -> Run:
    """Return a function that runs a line of words beside files of labels."""
    files = {**GOOD, "third.txt": THIRD}
    for name, text in files.items():
        Path(name).write_text(text * 20, encoding="utf-8")
    Path("design.yaml").write_text(DESIGN, encoding="utf-8")
    return nbyk


def test_files_give_the_answer_of_the_design_that_names_them(nbyk: Run) -> None:
    of_design = nbyk("labels design.yaml --out design")
    of_files = nbyk("labels --gold gold.txt new.txt base.txt --metric accuracy --out files")
    assert of_files[:2] == of_design[:2]
    assert of_files[0] == 0
    assert Path("files/labels.json").read_bytes() == Path("design/labels.json").read_bytes()


def test_the_first_score_decides_and_without_one_it_is_the_accuracy(nbyk: Run) -> None:
    assert nbyk("labels --gold gold.txt new.txt base.txt")[1].startswith("new is better than base: accuracy ")
    _, text, _ = nbyk("labels --gold gold.txt new.txt base.txt --metric f1_macro --metric accuracy")
    assert "f1_macro 1.0000 against " in text.split(",")[0]


@pytest.mark.parametrize("wrong", ["-1", "0", "nan", "inf"])
@pytest.mark.parametrize("option", ["--alpha", "--confidence-level"])
def test_a_level_is_refused_by_its_option(nbyk: Run, option: str, wrong: str) -> None:
    code, text, errors = nbyk(f"labels --gold gold.txt new.txt base.txt {option} {wrong}")
    assert (code, text) == (2, "")
    assert re.fullmatch(f"error: {option}: found {float(wrong)}, expected a (level|share).*\n", errors)


def test_a_score_of_no_class_and_a_way_to_break_ties_are_refused_by_their_options(nbyk: Run) -> None:
    code, _, errors = nbyk("labels --gold gold.txt new.txt base.txt --metric f1(z)")
    assert (code, errors) == (2, "error: --metric: found 'f1(z)', but no such class; the classes are a, b\n")
    code, _, errors = nbyk("labels --gold gold.txt new.txt base.txt --ties nope")
    assert code == 2
    assert errors.startswith(
        "error: --ties: unknown way to break ties 'nope'; known: highest, lowest, refuse"
    )


def test_the_second_of_two_is_the_control_unless_it_is_named(nbyk: Run) -> None:
    _, text, _ = nbyk("labels --gold gold.txt A=base.txt B=new.txt --metric accuracy")
    assert re.search(r"^accuracy +A +B .* worse$", text, re.MULTILINE)
    _, text, _ = nbyk("labels --gold gold.txt A=base.txt B=new.txt --metric accuracy --against A")
    assert re.search(r"^accuracy +B +A .* better$", text, re.MULTILINE)


def test_three_files_are_compared_with_the_one_that_is_named(nbyk: Run) -> None:
    code, text, _ = nbyk("labels --gold gold.txt new.txt third.txt base.txt --metric accuracy --against base")
    assert code == 0
    assert "Of 2 comparisons by accuracy" in text
    rows = [line.split()[:3] for line in text.splitlines() if line.startswith("accuracy ")]
    assert rows == [["accuracy", "new", "base"], ["accuracy", "third", "base"]]


@pytest.mark.parametrize("column", ["item", "id", "Question_ID"])
def test_items_are_matched_by_their_ids(column: str, nbyk: Run) -> None:
    labels = GOLD.split()
    # The same labels in another order.
    for name, order in (("gold", range(6)), ("new", reversed(range(6))), ("base", (3, 1, 4, 0, 5, 2))):
        rows = "".join(f"q{item},{labels[item]}\n" for item in order)
        Path(f"{name}.csv").write_text(f"{column},label\n{rows}")
    _, text, _ = nbyk("labels --gold gold.csv new.csv base.csv --metric accuracy")
    assert re.search(r"^accuracy +new +base +1\.0000 +1\.0000 ", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("header", "row", "found"),
    [
        (
            "post,label",
            "1,a",
            "no column 'item'; found 'post', 'label'; rename the item column, or name it with",
        ),
        (
            "id,doc_id,label",
            "1,2,a",
            "the columns 'id', 'doc_id' could all be the items; name the right one with --item",
        ),
    ],
)
def test_rows_of_other_columns_are_not_matched_by_their_order(
    header: str, row: str, found: str, nbyk: Run
) -> None:
    Path("new.csv").write_text(f"{header}\n{row}\n")
    code, text, errors = nbyk("labels --gold gold.txt new.csv base.txt")
    assert (code, text) == (2, "")
    assert found in errors


def write_tables(people: bool) -> None:
    """Write the same labels under other names of columns, beside columns that are not used."""
    labels = {name: Path(f"{name}.txt").read_text().split() for name in ("gold", "new", "base")}
    for name, column in (("new", "pred"), ("base", "pred"), ("gold", "truth")):
        rows = "".join(f"{label},q{place},.5\n" for place, label in enumerate(labels[name]))
        Path(f"{name}.csv").write_text(f"{column},question,confidence\n{rows}")
    if people:
        rows = "".join(
            f"q{place},{who},{label}\n" for place, label in enumerate(labels["gold"]) for who in ("ann", "bo")
        )
        Path("gold.csv").write_text(f"question,who,truth\n{rows}")


@pytest.mark.parametrize("people", [False, True])
def test_columns_may_have_other_names(people: bool, nbyk: Run) -> None:
    write_tables(people)
    of_text = nbyk("labels --gold gold.txt new.txt base.txt --metric accuracy --generalise items")
    named = "--item question --value pred --gold-value truth" + (" --rater who" if people else "")
    of_tables = nbyk(f"labels --gold gold.csv new.csv base.csv --metric accuracy --generalise items {named}")
    row = re.compile(r"^accuracy +new +base .*$", re.MULTILINE)
    assert row.findall(of_tables[1]) == row.findall(of_text[1]) != []


def test_what_decides_has_the_options_of_the_other_commands(nbyk: Run) -> None:
    Path("settings.yaml").write_text(
        DESIGN + "n_resamples: 199\nseed: 7\nalternative: greater\nalpha: 0.01\nconfidence_level: 0.9\n"
        "correction: bonferroni\n"
    )
    options = (
        "--resamples 199 --seed 7 --alternative greater --alpha 0.01 --confidence-level 0.9 "
        "--correction bonferroni"
    )
    nbyk("labels settings.yaml --out by_keys")
    nbyk(f"labels design.yaml {options} --out by_options")
    nbyk(f"labels --gold gold.txt new.txt base.txt --metric accuracy {options} --out of_files")
    by_keys = Path("by_keys/labels.json").read_bytes()
    assert Path("by_options/labels.json").read_bytes() == by_keys
    assert Path("of_files/labels.json").read_bytes() == by_keys


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ("--alpha 2", "--alpha: found 2.0, expected a level"),
        ("--seed -1", "--seed: found -1; "),
        ("--resamples 0", "--resamples: found 0; "),
        ("--correction holmes", "--correction: unknown correction 'holmes'; did you mean holm"),
        ("--alternative less", "--alternative: found 'less'; "),
        ("--generalise runs", "--generalise: unknown factor to generalise over 'runs'"),
        (
            "--value nope",
            "new.csv: no column 'nope'; found 'pred', 'question', 'confidence'; name the column of the "
            "values with --value",
        ),
        ("--item nope", "no column 'nope'; found 'truth', 'question', 'confidence'; "),
    ],
)
def test_a_wrong_option_is_named(options: str, error: str, nbyk: Run) -> None:
    write_tables(people=False)
    named = "--item question --value pred --gold-value truth"
    code, text, errors = nbyk(f"labels --gold gold.csv new.csv base.csv {named} {options}")
    assert (code, text) == (2, "")
    assert error in errors


def test_a_file_without_columns_has_none_to_name(nbyk: Run) -> None:
    for option in ("--item", "--value"):
        code, _, errors = nbyk(f"labels --gold gold.txt new.txt base.txt {option} label")
        assert code == 2
        assert f"new.txt: {option}: has no columns; " in errors


def test_a_column_may_have_the_name_of_a_default(nbyk: Run) -> None:
    labels = {name: Path(f"{name}.txt").read_text().split() for name in ("gold", "new", "base")}
    for name, values in labels.items():
        rows = "".join(f"q{place},{label}\n" for place, label in enumerate(values))
        Path(f"{name}.csv").write_text(f"item,value\n{rows}")
    line = "labels --gold gold.csv new.csv base.csv --metric accuracy"
    of_text = nbyk("labels --gold gold.txt new.txt base.txt --metric accuracy")[1]
    assert nbyk(line)[1] == of_text
    assert nbyk(f"{line} --value value")[1] == of_text


@pytest.mark.parametrize("option", ["--item", "--rater", "--value", "--gold-item", "--gold-value"])
def test_a_design_names_its_columns_itself(option: str, nbyk: Run) -> None:
    code, _, errors = nbyk(f"labels design.yaml {option} x")
    assert code == 2
    assert f"{option}: goes with --gold; a design has its own keys" in errors


def test_the_gate_asks_whether_the_first_is_better(nbyk: Run) -> None:
    assert nbyk("labels --gold gold.txt new.txt base.txt --gate")[0] in (0, 3)
    assert nbyk("labels --gold gold.txt base.txt new.txt --gate")[0] == 3


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (
            "--gold gold.txt new.txt",
            "found one system, new, expected at least two to compare; give another file",
        ),
        (
            "--gold gold.txt new.txt base.txt third.txt",
            "--against: found no name beside 3 systems; name the one that the others are compared with, "
            "as in third",
        ),
        (
            "--gold gold.txt new.txt base.txt --against bse",
            "--against: unknown system 'bse'; did you mean base?",
        ),
        (
            "--gold gold.txt new.txt a/new.txt",
            "two systems are named 'new' (new.txt and a/new.txt); give one",
        ),
        ("--gold gold.txt new.txt base.txt --metric f1", "--metric: score 'f1' is of a class: choose "),
        (
            "--gold gold.txt new.txt base.txt --metric mae",
            "--metric: metric 'mae' scores ratings, and these are labels; ",
        ),
        (
            "--gold gold.txt new.txt base.txt --metric accuracy --metric accuracy",
            "--metric accuracy is given twice; keep one",
        ),
        ("--gold none.txt new.txt base.txt", "none.txt: no such file"),
        ("design.yaml --metric accuracy", "--metric: goes with --gold; a design has its own keys metric, "),
        ("design.yaml --against base", "--against: goes with --gold; a design has its own keys metric, "),
        (
            "new.txt base.txt",
            "found new.txt and base.txt, expected one design in YAML; to compare files of predictions, "
            "give the gold labels with --gold FILE",
        ),
        ("new.txt", "found new.txt, expected one design in YAML; to compare files of predictions, give "),
    ],
)
def test_what_does_not_go_together_is_one_line(nbyk: Run, line: str, error: str) -> None:
    code, text, errors = nbyk(f"labels {line}")
    assert (code, text) == (2, "")
    assert errors.startswith(f"error: {error}"), errors
    assert errors.count("\n") == 1


def several_people() -> str:
    rows = [f"q{item},{a},{b},{c}" for item, (a, b, c) in enumerate(["aab", "bbb", "aaa", "abb"] * 30)]
    return "post_id,ann,bo,cy\n" + "\n".join(rows) + "\n"


def test_labels_of_several_people_make_the_target_and_a_claim_about_new_ones(nbyk: Run) -> None:
    Path("people.csv").write_text(several_people())
    for name, labels in (("one", "abab"), ("two", "bbab")):
        rows = "".join(f"q{item},{label}\n" for item, label in enumerate(labels * 30))
        Path(f"{name}.csv").write_text(f"id,label\n{rows}")
    code, text, errors = nbyk("labels --gold people.csv one.csv two.csv --metric accuracy")
    assert code == 0
    assert errors == (
        "people.csv: items = post_id (120), raters = ann, bo, cy, classes = a, b\n"
        "one.csv: items = id (120), values = label\ntwo.csv: items = id (120), values = label\n"
    )
    assert "one is " in text
    assert " for new items and raters: accuracy 1.0000 against 0.7500" in unfolded(text)
    assert "with these 3 raters, this lead has a 95 % interval" in unfolded(text)
    narrow = nbyk("labels --gold people.csv one.csv two.csv --metric accuracy --generalise items")[1]
    assert "new items and raters" not in unfolded(narrow)


def test_ties_of_several_people_are_refused_or_broken_as_asked(nbyk: Run) -> None:
    Path("people.csv").write_text("item,ann,bo\n" + "x,a,b\ny,b,b\nz,a,a\n")
    for name in ("one", "two"):
        Path(f"{name}.csv").write_text("item,label\nx,a\ny,b\nz,a\n")
    code, _, errors = nbyk("labels --gold people.csv one.csv two.csv")
    assert code == 2
    assert errors == (
        "error: people.csv: found 1 of 3 items without a single most frequent label, the first is 'x'; "
        "choose --ties lowest or highest\n"
    )
    for ties, score in (("lowest", "1.0000"), ("highest", "0.6667")):
        text = nbyk(f"labels --gold people.csv one.csv two.csv --metric accuracy --ties {ties}")[1]
        assert f"accuracy of {score} against {score}" in unfolded(text)
    assert "unknown way to break ties" in nbyk("labels --gold people.csv one.csv two.csv --ties first")[2]
    assert nbyk("labels design.yaml --ties lowest")[0] == 2
