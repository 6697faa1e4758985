"""The first lines of an answer: one form everywhere, in few words, and what they print can be typed back."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.power import TTestIndPower, TTestPower

import nbyk as package
from nbyk.errors import NbykError, rename_arguments
from nbyk.report.answer import Answer, answer_page
from nbyk.report.comparison.sentences import p_text
from nbyk.report.lines import Head, bar, head_text, with_decimals
from nbyk.testing.pvalues import Alternative
from nbyk.testing.scores.means import scores_to_settle
from nbyk.words import Remark, percent
from tests.cli.conftest import Run

BANNED = (
    *("under the null that", "expected p", "swap_items", "cannot speak for", "drawn as these", "rough for"),
    *(
        "will not find an effect",
        "would notice",
        "with t degrees",
        "Inconclusive",
        "In the ratings' own unit",
    ),
    *("file(s)", "leave it out", "give another file", "declare the kind", "more raters or runs alone"),
)
"""What no reader sees first."""

WORDS = 40
"""Most words of a sentence to quote."""


def ratings(lead: float = 0.6, people: int = 9, seed: int = 0) -> dict[str, np.ndarray]:
    """Return ratings from 1 to 5 of 60 items by the same people for two systems; "new" leads by `lead`."""
    rng = np.random.default_rng(seed)
    item, person = rng.uniform(1.5, 4.0, (60, 1)), rng.normal(0.0, 0.2, people)
    noise = rng.normal(0.0, 0.5, (2, 60, people))
    systems = {"new": item + lead + person + noise[0], "old": item + person + noise[1]}
    return {name: np.clip(np.rint(values), 1, 5) for name, values in systems.items()}


def write(name: str, values: np.ndarray) -> None:
    rows = [(f"q{i}", f"p{j}", int(value)) for (i, j), value in np.ndenumerate(values)]
    pd.DataFrame(rows, columns=["item", "rater", "value"]).to_csv(f"{name}.csv", index=False)


def told(nbyk_: Run, *more: str, lead: float = 0.6) -> str:
    for name, values in ratings(lead).items():
        write(name, values)
    code, text, errors = nbyk_(" ".join(["compare new.csv old.csv --scale 1..5", *more]))
    assert code == 0, errors
    return text


def test_the_first_lines_at_eighty_columns_and_wide(nbyk: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    first, second, third, *_, last = told(nbyk).splitlines()
    assert re.fullmatch(
        r"new is better than old {2,}mean on 1..5, higher is better, 60 items, 9 raters", first
    )
    assert len(first) == 80
    assert re.fullmatch(r"0\.\d\d higher mean  ├─+●─+┤  0\.\d\d to 0\.\d\d {2,}p < .0001", second)
    assert re.fullmatch(r"For new items and raters\. With these raters alone: 0\.\d\d to 0\.\d\d\.", third)
    assert last == "Next: nbyk compare new.csv old.csv --scale 1..5 --out report  # figures and all numbers"
    monkeypatch.setenv("COLUMNS", "120")
    _, second, third, *_ = told(nbyk).splitlines()
    assert second.endswith("p < .0001, for new items and raters")
    assert third.startswith("With these raters alone: ")


def test_all_forms_have_the_same_lines(nbyk: Run) -> None:
    markdown = told(nbyk, "--format markdown").replace("**", "").replace("\\", "")
    told(nbyk, "--out report")
    page = Path("report/compare.html").read_text(encoding="utf-8")
    seen = " ".join(unescape(re.sub("<[^>]+>", "", page)).split())
    read = package.read_systems(["new.csv", "old.csv"], scale="1..5")
    head = package.compare(read).head
    for text in (head.verdict, head.about, head.lines[0].left, head.lines[0].right, head.lines[1].left):
        assert text in markdown
        assert " ".join(text.split()) in seen
    assert 'class="verdict good"' in page


@pytest.mark.parametrize("lead", [0.6, 0.0])
@pytest.mark.parametrize("more", ["", "--margin 0.5", "--null permutation --generalise items", "--details"])
def test_no_answer_has_a_banned_phrase_and_sentences_are_short(nbyk: Run, lead: float, more: str) -> None:
    text = told(nbyk, more, lead=lead)
    assert [phrase for phrase in BANNED if phrase in text] == []
    result = package.compare(package.read_systems(["new.csv", "old.csv"], scale="1..5"))
    assert len(result.sentence.split()) <= WORDS


def test_what_an_undecided_answer_prints_can_be_pasted(
    nbyk: Run, run_words: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = told(nbyk, lead=0.04)
    assert text.startswith("Undecided: new or old ")
    (command,) = (line.removeprefix("Next: ") for line in text.splitlines() if line.startswith("Next: "))
    words = shlex.split(command, comments=True)
    effect = float(words[words.index("--effect") + 1])
    assert effect == pytest.approx(abs(_effect_of(text)), rel=0.2)
    code, plan, errors = run_words(*words[1:])
    assert code == 0, errors
    assert "raters" in plan


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("scale", ["1..5", "0..1", "0..100", "-3..3", "1,2,3,4,5,6,7"])
@pytest.mark.parametrize("with_gold", [False, True])
def test_what_compare_prints_plan_takes_on_twenty_data_sets(
    nbyk: Run, run_words: Run, seed: int, scale: str, with_gold: bool
) -> None:
    ends = [float(end) for end in (scale.split("..") if ".." in scale else scale.split(",")[::6])]
    answers = {**ratings(0.02, people=5, seed=seed), "gold": ratings(people=5, seed=seed + 9)["old"]}
    for name, values in answers.items():
        stretched = ends[0] + (values - 1.0) / 4.0 * (ends[1] - ends[0])
        levels = np.rint(stretched) if "," in scale else np.round(stretched, 2)
        rows = [(f"q{i}", f"p{j}", value) for (i, j), value in np.ndenumerate(levels)]
        pd.DataFrame(rows, columns=["item", "rater", "value"]).to_csv(f"{name}.csv", index=False)
    gold = "--gold gold.csv " if with_gold else ""
    code, text, errors = nbyk(f"compare {gold}new.csv old.csv --scale={scale} --resamples 499")
    assert code == 0, errors
    (following,) = (line.removeprefix("Next: ") for line in text.splitlines() if line.startswith("Next: "))
    words = shlex.split(following, comments=True)
    assert words[:2] == ["nbyk", "plan"], text
    assert words[words.index("--scale") + 1] == scale
    printed = re.findall(r"^[\d.]+", text, re.MULTILINE)[0]  # a long scale takes two lines before it
    rounding = 0.5 * 10.0 ** -len(printed.partition(".")[2])
    assert abs(float(words[words.index("--effect") + 1]) - abs(float(printed))) <= 1.1 * rounding
    code, plan, errors = run_words(*words[1:])
    assert code == 0, errors
    assert re.match(r"Collect |With |Here", plan), plan


def _effect_of(text: str) -> float:
    return float(text.splitlines()[1].split()[0])


def test_effects_scores_and_margins_are_in_the_unit_of_the_scale() -> None:
    gold = np.clip(np.rint(np.random.default_rng(1).uniform(1, 5, (60, 4))), 1, 5)
    systems = ratings()
    plain = {name: (values - 1.0) / 4.0 for name, values in systems.items()}
    for metric, factor, shift in (("mae", 4.0, 0.0), ("mse", 16.0, 0.0), ("mean", 4.0, 1.0)):
        own = package.compare(package.read_systems(plain, (gold - 1.0) / 4.0), metric=metric, margin=0.1)
        read = package.read_systems(systems, gold, scale="1..5")
        scaled = package.compare(read, metric=metric, margin=0.1 * factor)
        assert scaled.effect == pytest.approx(factor * own.effect)
        assert scaled.interval == pytest.approx([factor * end for end in own.interval])
        assert scaled.pair.scores == pytest.approx([shift + factor * score for score in own.pair.scores])
        assert scaled.standings[0].score == pytest.approx(shift + factor * own.standings[0].score)
        assert scaled.pair.margin is not None
        assert own.pair.margin is not None
        assert scaled.pair.margin.interval == pytest.approx([factor * e for e in own.pair.margin.interval])
        assert scaled.pair.margin.p_equivalent == pytest.approx(own.pair.margin.p_equivalent)
        assert scaled.p == pytest.approx(own.p)
        np.testing.assert_allclose(scaled.pair.drawn.null, factor * own.pair.drawn.null, atol=1e-12)


def test_a_pair_of_read_systems_keeps_its_names_and_scale() -> None:
    read = package.read_systems(ratings(), scale="1..5")
    of_pair, whole = (
        package.compare(read.pair("new", "old"), metric="mean"),
        package.compare(read, metric="mean"),
    )
    assert (of_pair.pair.a, of_pair.pair.b) == ("new", "old")
    assert (of_pair.effect, of_pair.p, of_pair.question.scale) == (whole.effect, whole.p, "1..5")


def test_a_result_has_a_figure_and_a_frame() -> None:
    systems = {**ratings(), "third": ratings(seed=2)["old"]}
    board = package.compare(package.read_systems(systems, scale="1..5"), n_resamples=199)
    assert list(board.to_frame()["system"]) == list(board.names)
    assert board.plot().axes
    pair = package.compare(package.read_systems(ratings(), scale="1..5"), n_resamples=199)
    assert list(pair.to_frame()["for"]) == [claim.population for claim in pair.claims]
    assert pair.plot().axes


@pytest.mark.parametrize(
    ("p", "alpha", "text"),
    [
        *((0.281, 0.05, "p = .28"), (0.0478, 0.05, "p = .048"), (0.000318, 0.05, "p = .0003")),
        *((0.04996, 0.05, "p = .050"), (0.05004, 0.05, "p = .05004"), (3e-7, 0.05, "p < .0001")),
        *((1.0, 0.05, "p = 1.00"), (0.00996, 0.01, "p = .0100"), (float("nan"), 0.05, "no p")),
    ],
)
def test_p_is_short_and_on_its_side_of_alpha(p: float, alpha: float, text: str) -> None:
    assert p_text(p, alpha) == text


def test_a_bar_has_its_dot_and_zero_in_place() -> None:
    assert bar(0.0, 0.5, 1.0, width=9) == "├───●───┤"
    assert bar(-1.0, 1.0, 3.0, width=9) == "├─┊─●───┤"
    assert bar(0.25, 0.5, 0.75, axis=(0.0, 1.0), width=9) == "  ├─●─┤  "
    assert bar(float("nan"), 0.5, 1.0) == ""
    assert with_decimals((0.0802, 0.0371, 0.1249), 0.0878) == ["0.080", "0.037", "0.125"]


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize(("side", "called"), [("two-sided", "two-sided"), ("greater", "larger")])
def test_the_number_of_scores_that_would_settle_is_that_of_statsmodels(
    paired: bool, side: Alternative, called: str
) -> None:
    rng = np.random.default_rng(4)
    for lead in (0.5, 1.0, 2.0):
        a, b = rng.normal(lead, 1.0, 12), rng.normal(0.0, 1.0, 12)
        sd = (a - b).std(ddof=1) if paired else np.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2.0)
        solver = TTestPower() if paired else TTestIndPower()
        n = solver.solve_power(abs(a.mean() - b.mean()) / sd, alpha=0.05, power=0.8, alternative=called)
        assert scores_to_settle(a, b, paired=paired, alternative=side) == pytest.approx(n, abs=1.5)
    assert scores_to_settle(np.ones(3), np.ones(3), paired=False) is None


def test_an_undecided_answer_names_first_the_system_that_its_effect_is_about(
    run_words: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """People who differ leave it open; for these alone b is better, whichever of the two is given first."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    mean = rng.uniform(0.3, 0.7, (200, 1))
    gold = mean + rng.normal(0, 0.15, (200, 5)) + rng.normal(0, 0.1, 5)
    a, b = (mean + off + rng.normal(0, 0.05, (200, 1)) for off in (0.1, -0.1))
    for name, cells in (("gold", gold), ("a", a), ("b", b)):
        table = pd.DataFrame(cells, columns=[f"r{place}" for place in range(cells.shape[1])])
        table.rename_axis("item").reset_index().to_csv(f"{name}.csv", index=False)
    for files in (("a.csv", "b.csv"), ("b.csv", "a.csv")):
        text = run_words("compare", *files, "--gold", "gold.csv", "--scale=-2..3", "--details")[1]
        assert text.startswith("Undecided: b or a ")
        assert text.splitlines()[1].startswith("0.09 lower error")
        assert "b and a cannot be told apart" in " ".join(text.split())


def test_a_caution_that_changes_no_decision_is_known_by_its_kind(nbyk: Run) -> None:
    said = "raise `max_resamples`"
    kept = NbykError(said).renamed({"max_resamples": "--max-resamples"}).problem
    assert kept == "raise --max-resamples"
    renamed = rename_arguments(Remark(said), {"max_resamples": "--max-resamples"})
    assert isinstance(renamed, Remark)
    shown = head_text(Head("x", "open", "", (), (said, renamed)), 80)
    assert "Careful: raise `max_resamples`. (1 more in `warnings`)" in shown
    two = head_text(Head("x", "open", "", (), (said, "name it. So"), n_serious=2), 80)
    assert two.splitlines()[1:] == ["Careful: raise `max_resamples`.", "Careful: name it. So."]
    assert "Careful" not in head_text(Head("x", "open", "", (), (renamed,)), 80)
    for name, values in ratings().items():
        write(name, values[:, :1])
    code, text, errors = nbyk("compare new.csv old.csv --scale 1..5")
    assert code == 0, errors
    assert "every item has one response" not in text
    assert "every item has one response" in nbyk("compare new.csv old.csv --scale 1..5 --details")[1]


def test_each_metric_has_its_verdict_on_a_row_of_its_own(nbyk: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    rows = told(nbyk, "--metric mean --metric mean_cost --resamples 199").splitlines()
    first, second = (row for row, text in enumerate(rows) if " is better than " in text)
    assert (rows[first][:3], rows[second - 1], rows[second][:3]) == ("new", "", "old")


def test_where_the_report_was_written_is_said_beside_the_answer(nbyk: Run) -> None:
    for name, values in ratings().items():
        write(name, values)
    _, text, errors = nbyk("compare new.csv old.csv --scale 1..5 --resamples 199 --out folder/report")
    assert "wrote folder/report/compare.html; tables, figures and JSON are beside it\n" in errors
    assert "wrote" not in text
    assert Path("folder/report/compare.html").exists()


def test_in_python_numbers_taken_for_scores_are_said_first() -> None:
    scores = {"new": [0.71, 0.74, 0.69, 0.73, 0.72], "old": [0.68, 0.70, 0.69, 0.71, 0.66]}
    three = {**scores, "third": [0.5, 0.6, 0.4, 0.5, 0.55]}
    for systems in (scores, three):
        said = " ".join(str(package.compare(systems)).split())
        assert "each number was taken for the score of a run" in said
        assert 'say `kind="numbers"`' in said
        for kind in ("scores", "numbers"):
            assert "was taken for" not in " ".join(package.compare(systems, kind=kind).warnings)


def test_a_value_is_given_as_python_or_the_command_takes_it() -> None:
    text = 'say `kind="scores"`, `rater="who rates"`, `paired=False` or `pair_runs=True`'
    options = {"kind": "--kind", "rater": "--rater", "paired=False": "--unpaired", "pair_runs": "--pair-runs"}
    options["pair_runs=True"] = "--pair-runs yes"
    assert rename_arguments(text, options) == (
        "say --kind scores, --rater 'who rates', --unpaired or --pair-runs yes"
    )
    assert rename_arguments(text, {"rater": "gold_rater"}) == text.replace("rater=", "gold_rater=")


def test_the_page_does_not_break_an_option_nor_say_cautions_twice() -> None:
    said = ("try a small one with --run-sd", "<b>")
    head = Head("x", "open", "", (), n_serious=1)
    first, both = (
        answer_page(Answer("x", (), tuple, (), cautions, {}, head=head), {}, stem="x")
        for cautions in (said[:1], said)
    )
    assert 'with <span class="whole">--run-sd</span>.' in first
    assert "cautions</summary>" not in first
    assert "All 2 cautions</summary>" in both
    assert "<li>&lt;b&gt;</li>" in both


def test_those_who_rate_gold_are_raters(nbyk: Run) -> None:
    for name, values in {**ratings(), "gold": ratings(seed=3)["old"]}.items():
        frame = pd.DataFrame(values[:, :1] if name != "gold" else values)
        frame.columns = ["value"] if name != "gold" else [f"ann{place}" for place in frame]
        frame.insert(0, "item", [f"q{place}" for place in range(len(frame))])
        frame.to_csv(f"{name}.csv", index=False)
    code, _, errors = nbyk("compare --gold gold.csv new.csv old.csv --scale 1..5 --resamples 199")
    assert code == 0, errors
    assert "gold.csv: items = item (60), raters = ann0, ann1" in errors


# What nbyk brings, and what a user may have: by each, the command after "Next:" works as it is printed.
PAIR = "compare --gold example/gold.csv example/sim_a.csv example/sim_b.csv"
FOLLOWED = {
    "the example, a pair": PAIR,
    "the example, its scale declared": f"{PAIR} --scale 0..1 --metric rmse",
    "the example, a board": f"{PAIR} example/sim_c.csv",
    "the example, without gold": "compare example/sim_a.csv example/sim_b.csv",
    "the example, a margin": f"{PAIR} --margin 0.01",
    "labels": "compare --gold labels.csv first.csv second.csv --kind classes",
    "labels, a board": "compare --gold labels.csv first.csv second.csv third.csv --kind classes",
    "people on 1 to 5": "compare new.csv old.csv --scale 1..5",
    "people on levels": "compare new.csv old.csv --scale 1,2,3,4,5",
}


@pytest.mark.parametrize("line", FOLLOWED.values(), ids=FOLLOWED)
def test_what_follows_can_be_pasted(nbyk: Run, run_words: Run, line: str) -> None:
    assert nbyk("example")[0] == 0
    rng = np.random.default_rng(4)
    true = rng.integers(0, 2, 80)
    for name, right in (("labels", 0.9), ("first", 0.7), ("second", 0.68), ("third", 0.66)):
        people = range(3 if name == "labels" else 1)
        shown = {person: np.where(rng.random(80) < right, true, 1 - true) for person in people}
        rows = [(f"q{i}", f"p{j}", ("no", "yes")[of[i]]) for j, of in shown.items() for i in range(80)]
        pd.DataFrame(rows, columns=["item", "rater", "label"]).to_csv(f"{name}.csv", index=False)
    for name, values in ratings(0.02).items():
        write(name, values)
    code, text, errors = nbyk(f"{line} --resamples 499")
    assert code == 0, errors
    following = [row.removeprefix("Next: ") for row in text.splitlines() if row.startswith("Next: ")]
    assert [row.split()[0] for row in following] == ["nbyk"], text
    code, _, errors = run_words(*shlex.split(following[0], comments=True)[1:])
    assert code == 0, errors


@pytest.mark.parametrize(
    ("more", "follows"),
    [
        ("--gold named.csv --gold-item post", "nbyk compare "),
        ("--gold example/gold.csv --rater-ids fresh", "nbyk compare "),
        ("--gold example/gold.csv --null shifted", "nbyk compare "),
        ("--gold example/gold.csv --alternative greater --alpha 0.01", "nbyk plan "),
    ],
)
def test_a_plan_follows_only_where_it_reads_the_same_data_and_plans_the_same_test(
    nbyk: Run, run_words: Run, more: str, follows: str
) -> None:
    assert nbyk("example")[0] == 0
    gold = Path("example/gold.csv").read_text(encoding="utf-8")
    Path("named.csv").write_text(gold.replace("item,", "post,", 1), encoding="utf-8")
    code, text, errors = nbyk(f"compare {more} example/sim_a.csv example/sim_b.csv --resamples 499")
    assert code == 0, errors
    (following,) = (row.removeprefix("Next: ") for row in text.splitlines() if row.startswith("Next: "))
    assert following.startswith(follows)
    if follows == "nbyk plan ":
        code, text, errors = run_words(*shlex.split(following, comments=True)[1:])
        assert (code, "one-sided, α = 0.01" in text) == (0, True), errors
    else:
        assert following.endswith(" --full  # what would settle it")


def test_an_end_near_zero_shows_its_side_beside_a_far_wider_interval() -> None:
    a = np.random.default_rng(0).normal(0.5, 0.1, (40, 3))
    pair = package.compare(None, {"a": a + 0.1, "b": a}, metric="mean", n_resamples=99).pair
    broad, items = pair.claims
    broad = replace(broad, effect=0.19, interval=(-0.52, 0.9), p=0.4)
    items = replace(items, effect=0.19, interval=(-0.0002, 0.3877), p=0.0503)
    text = repr(replace(pair, claims=(broad, items), p=0.4))
    assert "With these raters or runs alone: -0.0002 to 0.3877." in " ".join(text.split())


@pytest.mark.parametrize(
    ("options", "same"),
    [
        ("--alpha 0.01", ["--alpha", "0.01"]),
        ("--looks 5", ["--alpha", "0.0158"]),
        ("--alternative greater", ["--alternative", "greater"]),
        ("third.csv", ["--alpha", "0.0166667"]),
        ("third.csv --correction none", []),
        ("third.csv --against old --correction bonferroni", ["--alpha", "0.025"]),
    ],
)
def test_a_plan_to_settle_it_is_at_the_level_and_the_side_that_were_asked(
    nbyk: Run, run_words: Run, options: str, same: list[str]
) -> None:
    for name, values in {**ratings(0.02), "third": ratings(seed=5)["old"]}.items():
        write(name, values)
    code, text, errors = nbyk(f"compare new.csv old.csv {options} --scale 1..5 --resamples 499")
    assert code == 0, errors
    (following,) = (row.removeprefix("Next: ") for row in text.splitlines() if row.startswith("Next: "))
    words = shlex.split(following, comments=True)
    for option in ("--alpha", "--alternative"):
        assert (option in words) is (option in same), following
    if same:
        typed = words[words.index(same[0]) + 1]
        assert typed == same[1] or float(typed) == pytest.approx(float(same[1]), abs=1e-4)
    code, _, errors = run_words(*words[1:])
    assert code == 0, errors


def test_a_plan_drops_what_the_comparison_dropped(nbyk: Run, run_words: Run) -> None:
    for name, values in ratings(0.02).items():
        write(name, values)
    write("old", ratings(0.02)["old"][:-1])
    code, text, errors = nbyk("compare new.csv old.csv --on-missing drop --scale 1..5 --resamples 499")
    assert code == 0, errors
    (following,) = (row.removeprefix("Next: ") for row in text.splitlines() if row.startswith("Next: "))
    words = shlex.split(following, comments=True)[1:]
    place = words.index("--on-missing")
    code, text, errors = run_words(*words, "--details")
    assert code == 0, errors
    assert "nbyk dropped items that another file lacks (1 of new.csv)" in " ".join(text.split())
    code, _, errors = run_words(*words[:place], *words[place + 2 :])
    assert (code, errors.rstrip().endswith("keep those in all of them with --on-missing drop")) == (2, True)


@pytest.mark.parametrize("options", ["--gold-item who", "--generalise items,raters", "--rater-ids fresh"])
def test_no_plan_is_offered_that_reads_other_data_or_is_about_others(
    nbyk: Run, run_words: Run, options: str
) -> None:
    for name, values in ratings(0.02).items():
        write(name, values)
    write("people", ratings(seed=3)["old"])
    if "--gold-item" in options:
        table = pd.read_csv("people.csv")
        table.rename(columns={table.columns[0]: "who"}).to_csv("people.csv", index=False)
    line = f"compare --gold people.csv new.csv old.csv {options} --scale 1..5 --resamples 499"
    code, text, errors = nbyk(line)
    assert code == 0, errors
    assert text.startswith("Undecided"), text
    (following,) = (row.removeprefix("Next: ") for row in text.splitlines() if row.startswith("Next: "))
    words = shlex.split(following, comments=True)
    assert words[:2] == ["nbyk", "compare"]
    code, _, errors = run_words(*words[1:])
    assert code == 0, errors


@pytest.mark.parametrize(
    ("level", "said"), [(0.95, "95 %"), (0.984186, "98.4 %"), (0.99999, "99.999 %"), (0.5, "50 %")]
)
def test_a_level_has_two_digits_of_what_it_misses(level: float, said: str) -> None:
    assert percent(level) == said
