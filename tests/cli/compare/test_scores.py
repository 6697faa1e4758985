"""`nbyk compare` with scores of runs: files in; a sentence, tables, JSON and figures, or one error, out."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import nbyk as library
from nbyk.report.comparison.figures import aso_figure, null_figure
from nbyk.report.comparison.sentences import WITHIN_MARGIN
from tests.cli.conftest import Run
from tests.cli.drawn import dollars_drawn
from tests.data.malformed.scores import CASES, Case


@pytest.fixture
def nbyk(run_words: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Return a function that runs nbyk with these words in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return run_words


def write_runs(means: dict[str, float], n: int = 9) -> None:
    """Write one text file of scores per system into the working folder."""
    generator = np.random.default_rng(1)
    for name, mean in means.items():
        Path(f"{name}.txt").write_text("".join(f"{x:.4f}\n" for x in generator.normal(mean, 0.02, n)))


def scores_in(path: str) -> list[float]:
    return [float(line) for line in Path(path).read_text().split()]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_malformed_file_is_refused_in_one_line(case: Case, nbyk: Run, tmp_path: Path) -> None:
    words = case.build(tmp_path)
    before = sorted(tmp_path.iterdir())
    code, out, error = nbyk("compare", *words, "--kind", "scores", "--out", "answer")
    assert (code, out) == (2, "")
    assert error.count("\n") == 1, error
    assert re.search(case.expected, error), error
    assert sorted(tmp_path.iterdir()) == before


def test_recommended_of_few_runs_is_the_exact_permutation_test_with_welchs(nbyk: Run) -> None:
    write_runs({"a": 0.75, "b": 0.70})
    code, out, error = nbyk("compare", "a.txt", "b.txt", "--format", "json")
    assert code == 0
    assert error.startswith("scores of runs, not paired: 9 of a, 9 of b; --kind numbers takes them for")
    found = json.loads(out)
    expected = library.score_test(
        "permutation_and_welch", scores_in("a.txt"), scores_in("b.txt"), alternative="two-sided"
    )
    assert found["boards"][0]["test"] == "permutation_and_welch"
    assert found["boards"][0]["pairs"][0]["p"] == expected.p
    assert found["boards"][0]["pairs"][0]["claims"][0]["drawn"]["exact"]
    assert "all 48,620 are counted" in found["boards"][0]["reason"]
    assert found["sentences"][0].startswith("a is better than b on mean score, for new scores like these: 0.")


def test_numbers_beside_a_score_are_of_items_as_in_python(nbyk: Run) -> None:
    write_runs({"a": 0.75, "b": 0.70})
    code, out, error = nbyk("compare", "a.txt", "b.txt", "--against", "0.7", "--format", "json")
    assert code == 0, error
    board = library.compare(None, scores_in("a.txt"), scores_in("b.txt"), against=0.7)
    found = {pair["a"].upper(): pair["p"] for pair in json.loads(out)["boards"][0]["pairs"]}
    assert found == {pair.a: pair.p for pair in board.pairs}


def test_scores_with_ids_are_paired_by_them(nbyk: Run) -> None:
    generator = np.random.default_rng(2)
    items = [f"q{i}" for i in range(40)]
    a, b = generator.random(40), generator.random(40)
    pd.DataFrame({"item": items, "score": a}).to_csv("a.csv", index=False)
    order = generator.permutation(40)
    pd.DataFrame({"item": np.array(items)[order], "score": b[order]}).to_parquet("b.parquet")
    found = json.loads(nbyk("compare", "a.csv", "b.parquet", "--kind", "scores", "--format", "json")[1])
    assert found["boards"][0]["test"] == "approximate_randomisation"
    assert (
        found["boards"][0]["pairs"][0]["p"]
        == library.score_test("approximate_randomisation", a, b, alternative="two-sided").p
    )
    (said,) = [text for text in found["cautions"] if "one run of each system answered" in text]
    assert said.startswith("if each pair of scores is an item")
    unpaired = json.loads(
        nbyk("compare", "a.csv", "b.parquet", "--kind", "scores", "--format", "json", "--pair-runs", "no")[1]
    )
    assert not any("one run of each system" in text for text in unpaired["cautions"])
    assert unpaired["boards"][0]["test"] == "welch_t"


@pytest.mark.parametrize(
    "name",
    [
        "permutation",
        "approximate_randomisation",
        "bootstrap",
        "paired_bootstrap",
        "welch_t",
        "wilcoxon",
        "mann_whitney",
    ],
)
def test_every_test_by_its_name(name: str, nbyk: Run) -> None:
    from nbyk.testing.scores.facts import FACTS

    write_runs({"a": 0.75, "b": 0.74})
    words = ("--alternative", "greater", "--format", "json", "--out", "out", "--seed", "3")
    found = json.loads(nbyk("compare", "a.txt", "b.txt", "--test", name, *words)[1])
    seed = {"seed": 3} if FACTS[name].draws else {}
    expected = library.score_test(name, scores_in("a.txt"), scores_in("b.txt"), alternative="greater", **seed)
    assert found["boards"][0]["pairs"][0]["p"] == expected.p
    assert Path("out/figures/null.png").stat().st_size > 5000
    if FACTS[name].paired:
        assert any("paired by their order" in text for text in found["cautions"])


def test_the_level_of_the_intervals_is_an_option_of_its_own(nbyk: Run) -> None:
    write_runs({"a": 0.75, "b": 0.74})
    for words, level in (((), 0.95), (("--alpha", "0.01"), 0.95), (("--confidence-level", "0.9"), 0.9)):
        found = json.loads(nbyk("compare", "a.txt", "b.txt", "--format", "json", *words)[1])
        given = scores_in("a.txt"), scores_in("b.txt")
        scores = library.compare(None, *given, kind="scores", confidence_level=level)
        assert found["boards"][0]["confidence_level"] == level
        assert found["boards"][0]["pairs"][0]["interval"] == list(scores.interval)
        assert f"({100 * level:g} % interval" in found["sentences"][0]


def test_aso_says_both_ways_and_warns_below_five(nbyk: Run) -> None:
    write_runs({"a": 0.75, "b": 0.70}, n=4)
    found = json.loads(nbyk("compare", "a.txt", "b.txt", "--test", "aso", "--format", "json")[1])
    pair = found["boards"][0]["pairs"][0]
    order = pair["claims"][0]["order"]
    assert order["bound"]["n_comparisons"] == 2
    assert pair["verdict"] == ("better" if order["eps_min"] < 0.2 else "undecided")
    assert any("once in 70 times" in text and "eps_min says little" in text for text in found["cautions"])
    with pytest.warns(UserWarning, match="once in 70 times"):
        own = library.aso(scores_in("a.txt"), scores_in("b.txt"), n_comparisons=2)
    assert order["eps_min"] == own.eps_min


def test_several_systems_are_corrected(nbyk: Run) -> None:
    write_runs({"a": 0.75, "b": 0.70, "c": 0.72})
    for method in ("holm", "bonferroni", "benjamini_hochberg", "none"):
        found = json.loads(
            nbyk("compare", "a.txt", "b.txt", "c.txt", "--correction", method, "--format", "json")[1]
        )
        p = [pair["claims"][0]["p"] for pair in found["boards"][0]["pairs"]]
        corrected = p if method == "none" else library.correct_p_values(p, method).tolist()
        assert [pair["p"] for pair in found["boards"][0]["pairs"]] == pytest.approx(corrected)
    found = json.loads(nbyk("compare", "a.txt", "b.txt", "c.txt", "--against", "b", "--format", "json")[1])
    assert [(pair["a"], pair["b"]) for pair in found["boards"][0]["pairs"]] == [("a", "b"), ("c", "b")]
    found = json.loads(nbyk("compare", "a.txt", "b.txt", "c.txt", "--test", "aso", "--format", "json")[1])
    samples = {name: scores_in(f"{name}.txt") for name in "abc"}
    bounds = [pair["claims"][0]["order"]["eps_min"] for pair in found["boards"][0]["pairs"]]
    board = library.compare(None, samples, test="aso")
    assert bounds == [pair.claims[0].order.eps_min for pair in board.pairs]  # type: ignore[union-attr]
    assert bounds[0] == library.aso(samples["a"], samples["b"], n_comparisons=6).eps_min


def test_gate(nbyk: Run) -> None:
    write_runs({"new": 0.75, "old": 0.70})
    assert nbyk("compare", "new.txt", "old.txt", "--gate")[0] == 0
    assert nbyk("compare", "old.txt", "new.txt", "--gate")[0] == 3
    assert nbyk("compare", "new.txt", "old.txt", "--gate", "--alpha", "1e-9")[0] == 4
    assert nbyk("compare", "old.txt", "new.txt", "--against", "old", "--gate")[0] == 0
    assert nbyk("compare", "old.txt", "new.txt")[0] == 0
    assert (
        json.loads(nbyk("compare", "new.txt", "old.txt", "--gate", "--format", "json")[1])["boards"][0][
            "alternative"
        ]
        == "greater"
    )
    write_runs({"third": 0.65})
    assert nbyk("compare", "new.txt", "old.txt", "third.txt", "--gate", "--against", "third")[0] == 0
    for words in (("new.txt", "old.txt", "--alternative", "less"), ("new.txt", "old.txt", "third.txt")):
        code, _, error = nbyk("compare", *words, "--gate")
        assert code == 2
        assert error.startswith("error: --gate ")


def test_a_gate_that_more_draws_could_open_or_shut_is_inconclusive(nbyk: Run) -> None:
    write_runs({"new": 0.708, "old": 0.70})
    drawn = ("--test", "bootstrap", "--resamples", "99", "--format", "json")
    found = json.loads(nbyk("compare", "new.txt", "old.txt", "--alternative", "greater", *drawn)[1])
    alpha = str(found["boards"][0]["pairs"][0]["p"])
    code, text, errors = nbyk("compare", "new.txt", "old.txt", "--gate", "--alpha", alpha, *drawn)
    assert (code, errors) == (4, "")
    said = json.loads(text)
    assert not said["boards"][0]["pairs"][0]["decided"]
    assert "more draws could change it" in " ".join(said["sentences"])


def test_the_smallest_p_value_is_said_where_nothing_can_be_shown(nbyk: Run) -> None:
    Path("a.txt").write_text("9\n8\n")
    Path("b.txt").write_text("1\n2\n")
    found = json.loads(nbyk("compare", "a.txt", "b.txt", "--format", "json")[1])
    assert found["boards"][0]["pairs"][0]["p"] == pytest.approx(2 / 6)
    assert any(
        "smallest p-value that the permutation test with Welch's t-test can give here is 0.333" in said
        for said in found["cautions"]
    )
    few = ("compare", "a.txt", "b.txt", "--pair-runs", "yes", "--test", "wilcoxon")
    said = " ".join(nbyk(*few)[1].split())
    assert (
        "the smallest p-value that Wilcoxon's signed-rank test can give here is 0.5 and above α = 0.05"
        in said
    )
    code, said, _ = nbyk(*few, "--gate")
    assert code == 4
    assert "so few scores cannot show a difference" in " ".join(said.split())
    write_runs({"a": 0.75, "b": 0.70})
    found = json.loads(nbyk("compare", "a.txt", "b.txt", "--format", "json")[1])
    assert not any("smallest" in said for said in found["cautions"])


def test_out_writes_everything_alike_twice(nbyk: Run) -> None:
    write_runs({"a": 0.75, "b": 0.70, "c": 0.72})
    for out in ("one", "two"):
        code, text, _ = nbyk("compare", "a.txt", "b.txt", "c.txt", "--lift", "1.25", "--out", out)
        assert code == 0
    names = sorted(str(path.relative_to("one")) for path in Path("one").rglob("*.*"))
    for expected in ("compare.html", "compare.json", "figures/leaderboard.svg", "figures/leaderboard.png"):
        assert expected in names
    for table in ("pairs", "standings", "power"):
        assert {f"tables/{table}{suffix}" for suffix in (".csv", ".parquet", ".md", ".tex")} <= set(names)
    files = [name for name in names if not name.startswith((".nbyk", "tables/.", "figures/."))]
    assert [Path("one", name).read_bytes() for name in files] == [
        Path("two", name).read_bytes() for name in files
    ]
    assert "Careful:" in text
    written = json.loads(Path("one/compare.json").read_text())
    assert "".join("".join(written["lines"]).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("test", "others", "figures"),
    [
        ("permutation", ["b"], ["leaderboard", "null"]),
        ("permutation", ["b", "c"], ["leaderboard"]),
        ("aso", ["b"], ["leaderboard", "quantiles"]),
    ],
)
def test_figures_show_a_name_that_looks_like_mathematics_as_it_is(
    test: str, others: list[str], figures: list[str], nbyk: Run
) -> None:
    write_runs({"a$b$_x": 0.75, **dict.fromkeys(others, 0.7)})
    files = [f"{name}.txt" for name in ("a$b$_x", *others)]
    assert nbyk("compare", *files, "--test", test, "--out", "out")[0] == 0
    assert sorted(path.stem for path in Path("out/figures").glob("*.png")) == figures
    for stem in figures:
        assert dollars_drawn(Path(f"out/figures/{stem}.svg").read_text()) >= 2


@pytest.mark.parametrize("wrong", ["-1", "nan", "inf", "1e400", "1e200"])
@pytest.mark.parametrize("option", ["--lift", "--shift"])
def test_a_lift_is_refused_by_its_option(nbyk: Run, option: str, wrong: str) -> None:
    write_runs({"a": 0.75, "b": 0.70})
    code, out, error = nbyk("compare", "a.txt", "b.txt", option, wrong)
    assert (code, out) == (2, "")
    assert error.startswith(f"error: {option}: found {float(wrong):g}, ")
    assert error.count("\n") == 1


def test_many_threads_are_no_more_work(nbyk: Run) -> None:
    write_runs({"a": 0.75, "b": 0.70})
    words = ("compare", "a.txt", "b.txt", "--test", "bootstrap", "--resamples", "99")
    assert nbyk(*words, "--threads", str(10**15)) == nbyk(*words)


def test_power_is_the_bootstrap_power_analysis_of_each(nbyk: Run) -> None:
    write_runs({"a": 0.75, "b": 0.70})
    words = [
        "--test",
        "welch_t",
        "--shift",
        "0.02",
        "--format",
        "json",
        "--alternative",
        "greater",
    ]
    found = json.loads(nbyk("compare", "a.txt", "b.txt", *words)[1])
    for name in "ab":
        scores = scores_in(f"{name}.txt")
        expected = library.bootstrap_power_analysis(scores, lift=0.02, lift_is="shift", alternative="greater")
        assert found["power"][name]["power"] == expected.power
        assert 0.0 < expected.power < 1.0
    assert any("to show that a system is better by 0.02 is" in sentence for sentence in found["sentences"])
    found = json.loads(
        nbyk("compare", "a.txt", "b.txt", "--test", "aso", "--lift", "1.25", "--format", "json")[1]
    )
    assert found["power"]["a"]["power"] == 1.0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--lift", "0.5"), "--lift: found 0.5, expected a factor of at least 1"),
        (("--shift", "-1"), "--shift: found -1, expected a shift of at least 0"),
        (
            ("--lift", "2"),
            "error: a: found -1, and a factor lifts only scores that are not negative; .* (--shift)",
        ),
        (("--pair-runs", "yes", "--shift", "2"), "found approximate_randomisation, a test of pairs"),
    ],
)
def test_what_a_lift_lacks_is_refused(nbyk: Run, words: tuple[str, ...], says: str) -> None:
    for name in "ab":
        Path(f"{name}.txt").write_text("-1\n2\n3\n4\n5\n6\n")
    code, out, error = nbyk("compare", "a.txt", "b.txt", *words)
    assert (code, out, error.count("\n")) == (2, "", 1)
    assert re.search(says.replace("(", r"\(").replace(")", r"\)"), error), error


def test_the_old_command_says_what_to_type(nbyk: Run) -> None:
    code, out, error = nbyk("test", "a.txt", "b.txt", "--paired", "--test", "wilcoxon")
    assert (code, out) == (2, "")
    assert error.endswith("type: nbyk compare a.txt b.txt --pair-runs yes --test wilcoxon\n")


@pytest.mark.parametrize("words", [("--metric", "mae"), ("--scale", "1..5"), ("--looks", "2"), ("--full",)])
def test_options_that_scores_have_no_use_for_are_refused(nbyk: Run, words: tuple[str, ...]) -> None:
    for name in "ab":
        Path(f"{name}.csv").write_text("seed,score\n" + "".join(f"{n},0.{n}\n" for n in range(1, 8)))
    code, out, error = nbyk("compare", "a.csv", "b.csv", *words)
    assert (code, out, error.count("\n")) == (2, "", 1)
    assert error.startswith("error: ")


@pytest.mark.parametrize("words", [("--metric", "mean"), ("--scale", "0..1"), ("--looks", "2"), ("--full",)])
def test_plain_numbers_are_of_items_if_an_option_is(nbyk: Run, words: tuple[str, ...]) -> None:
    write_runs({"a": 0.75, "b": 0.70})
    found, asked = (nbyk("compare", "a.txt", "b.txt", *words, *more) for more in ((), ("--kind", "numbers")))
    assert found[1].splitlines()[:3] == asked[1].splitlines()[:3]
    assert "9 items" in found[1].splitlines()[0]


def test_options_of_scores_are_refused_for_responses_to_items(nbyk: Run) -> None:
    for name in "ab":
        Path(f"{name}.csv").write_text("item,value\n" + "".join(f"i{n},0.{n}\n" for n in range(1, 8)))
    code, out, error = nbyk("compare", "a.csv", "b.csv", "--tau", "0.3")
    assert (code, out) == (2, "")
    assert error == "error: --tau: these are numbers of items; leave it out\n"


def test_scores_have_a_next_command_and_an_answer_about_a_margin(nbyk: Run) -> None:
    for name, scores in (("ours", "81.2 82.5 80.9 83.1 82.0"), ("base", "80.1 81.0 79.8 81.5 80.6")):
        Path(f"{name}.txt").write_text(scores.replace(" ", "\n"))
    text = nbyk("compare", "ours.txt", "base.txt")[1]
    assert "Next: nbyk compare ours.txt base.txt --out report  # figures and all numbers" in text
    code, text, errors = nbyk("compare", "ours.txt", "base.txt", "--out", "report")
    assert (code, "Next:" in text) == (0, False), errors
    text = nbyk("compare", "ours.txt", "base.txt", "--margin", "3")[1]
    assert text.startswith(WITHIN_MARGIN["equivalent"].of_pair.format(leader="ours", other="base", size="3"))
    assert nbyk("compare", "base.txt", "ours.txt", "--margin", "3", "--gate")[0] == 0
    assert nbyk("compare", "base.txt", "ours.txt", "--margin", "0.1", "--gate")[0] == 3
    assert nbyk("compare", "base.txt", "ours.txt", "--margin", "1", "--gate")[0] == 4
    errors = nbyk("compare", "ours.txt", "base.txt", "--margin", "1", "--test", "aso")[2]
    assert "error: --margin: found 1 beside aso" in errors


def test_scores_are_paired_by_the_column_of_runs_in_any_order(nbyk: Run) -> None:
    rows = [
        f"{name},{seed},{0.8 + seed / 100 + lead + 0.003 * (seed % 3)}"
        for name, lead in (("old", 0), ("new", 0.01))
        for seed in range(1, 9)
    ]
    found = []
    for order in (rows, rows[::-1], [*rows[8:], *rows[:8][::-1]]):
        Path("runs.csv").write_text("\n".join(["system,seed,f1", *order]))
        code, out, _ = nbyk("compare", "runs.csv", "--pair-runs", "yes", "--format", "json")
        assert code == 0
        found.append(json.loads(out))
    assert {answer["boards"][0]["pairs"][0]["p"] for answer in found} == {2 / 2**8}
    assert not any("no ids" in text for answer in found for text in answer["cautions"])
    Path("runs.csv").write_text("\n".join(["system,seed,f1", *rows[1:]]))
    _, _, error = nbyk("compare", "runs.csv", "--pair-runs", "yes")
    assert "lacks" in error
    assert "(1)" in error
    assert nbyk("compare", "runs.csv", "--pair-runs", "yes", "--on-missing", "drop")[0] == 0


def test_lower_scores_are_better_in_words_figures_and_what_comes_next(nbyk: Run) -> None:
    """The mean that is lower leads, also where a figure turns effects to one direction."""
    write_runs({"slow": 0.3, "fast": 0.2})
    lower = ("compare", "slow.txt", "fast.txt", "--kind", "scores", "--lower-is-better")
    _, text, _ = nbyk(*lower)
    assert text.startswith("fast is better than slow")
    assert "lower mean score" in text
    assert "higher mean score" not in text
    read = library.read_systems(["slow.txt", "fast.txt"], kind="scores", lower_is_better=True)
    (axes,) = null_figure(library.compare(read).pair).axes
    assert axes.get_xlabel().startswith("← slow is better | fast is better →")
    (observed,) = (line for line in axes.lines if str(line.get_label()).startswith("observed"))
    assert observed.get_xdata()[0] == pytest.approx(0.1, abs=0.03)
    by_order = aso_figure(library.compare(read, test="aso").pair)
    assert "slow is above: violated" in [text.get_text() for text in by_order.legends[0].get_texts()]
    for alternative, files in (("greater", "slow.txt fast.txt"), ("less", "fast.txt slow.txt")):
        words = ("compare", *files.split(), *lower[3:], "--alternative", alternative)
        _, text, _ = nbyk(*words)
        assert "would show a difference" not in text
        (command,) = re.findall(r"^Next: nbyk (.*)  # asks whether fast is better$", text, re.MULTILINE)
        assert nbyk(*command.split())[1].startswith(("fast is better", "Better than slow: fast"))


@pytest.mark.parametrize(("shift", "is_said"), [(1e-6, False), (3e-4, True), (1e-170, False)])
def test_scores_that_nearly_agree_are_answered_at_once(shift: float, is_said: bool, nbyk: Run) -> None:
    """Millions of scores would show the difference; no count of their exchanges is as long."""
    scores = np.random.default_rng(5).normal(0, 0.1, 200)
    scores -= scores.mean()
    for name, by in (("a", 0.0), ("b", shift)):
        Path(f"{name}.txt").write_text("".join(f"{x!r}\n" for x in (scores + by).tolist()))
    code, text, _ = nbyk("compare", "a.txt", "b.txt", "--kind", "scores")
    assert code == 0
    assert bool(re.search(r"about \d{5,7} scores of each would show", text)) is is_said
    assert is_said or "would show" not in text
