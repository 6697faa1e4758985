"""`nbyk compare`: what it prints and writes, when its gate is passed, and one line for whatever is wrong."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from matplotlib.image import imread

import nbyk as package
from nbyk.cli import main
from nbyk.data.example import example_files
from nbyk.planning.settling import simulated_sizes
from nbyk.provenance.records import read_record
from nbyk.spreadsheets import for_spreadsheets
from tests.cli.conftest import Run
from tests.data.lm_eval_log import runs
from tests.data.malformed.corpus import CASES, Case

EQUALLY_GOOD = "are equally good over the population of items"


@pytest.fixture
def nbyk(nbyk: Run) -> Run:
    """Return a function that runs a line of words beside the example."""
    for name, content in example_files().items():
        Path(name).write_bytes(content)
    return nbyk


@pytest.fixture
def few_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulate the sizes that would settle a comparison on few sets: the numbers are tested elsewhere."""
    monkeypatch.setattr(simulated_sizes, "_SETS", (64, 64))


def unfolded(text: str) -> str:
    return " ".join(text.split())


def found(nbyk: Run, line: str) -> dict:  # type: ignore[type-arg]
    code, text, errors = nbyk(f"compare {line} --format json")
    assert (code, errors) == (0, "")
    return json.loads(text)  # type: ignore[no-any-return]


def write(path: str, matrix: np.ndarray) -> None:
    rows = [
        f"q{item},r{rater},{value:g}"
        for item, ratings in enumerate(matrix)
        for rater, value in enumerate(ratings)
        if not np.isnan(value)
    ]
    Path(path).write_text("\n".join(["item,rater,value", *rows]) + "\n")


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
    assert re.search(case.expected, printed.err), printed.err
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.usefixtures("few_sets")
def test_the_example_gives_the_sentence_the_table_and_a_report(nbyk: Run, tmp_path: Path) -> None:
    code, text, errors = nbyk("compare --gold gold.csv sim_a.csv sim_b.csv --full --out report")
    assert (code, errors) == (0, "")
    systems = package.read_systems(["sim_a.csv", "sim_b.csv"], "gold.csv")
    result = package.compare(systems.pair("sim_a", "sim_b"))
    assert unfolded(text).startswith(result.sentence_about("sim_a", "sim_b"))
    assert unfolded(text).startswith(
        "sim_a and sim_b cannot be told apart on mae, for new items, raters and runs"
    )
    assert "For new items, with these 8 raters and these 5 runs of each system, " in unfolded(text)
    assert unfolded(text).count(f"sim_a and sim_b {EQUALLY_GOOD}") == 1
    # How many ways there are depends on the metrics that other tests register.
    assert re.search(r"The verdict depends on the choice: of \d+ ways to test", unfolded(text))
    assert re.search(r"it takes \d+ more items \(\d+ in all\)", unfolded(text))
    assert f"{result.p_two_sided.p:.3g} ± {result.p_two_sided.standard_error:.3g}" in text
    out = tmp_path / "report"
    assert all(imread(path).size for path in out.glob("figures/*.png"))
    assert {path.stem for path in out.glob("figures/*.svg")} == {
        "difference",
        "effect",
        "sensitivity",
        "variance",
    }
    tables = {path.stem: pq.read_table(path).to_pandas() for path in out.glob("tables/*.parquet")}
    assert set(tables) == {"comparison", "effects", "items", "sensitivity", "settlement", "variance"}
    for name, table in tables.items():
        written = pd.read_csv(out / f"tables/{name}.csv", dtype={"item": str})
        pd.testing.assert_frame_equal(written, for_spreadsheets(table), check_dtype=False)
    assert tables["effects"]["p two-sided"].tolist() == [result.p_two_sided.p]
    assert EQUALLY_GOOD in (out / "compare.html").read_text()
    assert json.loads((out / "compare.json").read_text())["results"][0]["effect"] == result.effect
    for path in out.rglob("*.*"):
        if ".nbyk" not in path.parts:
            record = read_record(path)
            assert record is not None
            assert set(record.inputs) == {"gold.csv", "sim_a.csv", "sim_b.csv"}


def read(name: str) -> np.ndarray:
    ratings = package.read_ratings(f"{name}.csv")
    return np.asarray(ratings.matrix())


def test_three_systems_give_a_leaderboard(nbyk: Run, tmp_path: Path) -> None:
    code, text, _ = nbyk("compare --gold gold.csv sim_a.csv sim_b.csv sim_c.csv --out report")
    assert code == 0
    systems = package.read_systems([f"sim_{name}.csv" for name in "abc"], "gold.csv")
    units = {"gold": systems.gold_units, **systems.units}
    board = package.compare_systems(systems.gold, systems.responses, units=units)
    assert unfolded(text).startswith(board.sentence)
    assert f"A and B, {EQUALLY_GOOD}" in unfolded(text)
    assert re.findall(r"^(sim_\w) +\d", text, re.MULTILINE) == list(board.names)
    standings = pd.read_csv(tmp_path / "report/tables/standings.csv")
    assert standings["mae"].tolist() == [standing.score for standing in board.standings]
    pairs = pd.read_csv(tmp_path / "report/tables/pairs.csv")
    assert sorted(pairs["corrected p"]) == sorted(pair.p_adjusted for pair in board.pairs)
    assert (tmp_path / "report/figures/leaderboard.png").exists()


def test_the_same_files_give_the_same_bytes_at_any_number_of_threads(nbyk: Run, tmp_path: Path) -> None:
    for threads in ("1", "2"):
        assert (
            nbyk(f"compare --gold gold.csv sim_a.csv sim_c.csv --threads {threads} --out {threads}")[0] == 0
        )
    for path in (tmp_path / "1").rglob("*.*"):
        if ".nbyk" not in path.parts:
            assert path.read_bytes() == (tmp_path / "2" / path.relative_to(tmp_path / "1")).read_bytes(), path


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("sim_a.csv sim_c.csv", 0),
        ("sim_c.csv sim_a.csv", 3),
        ("sim_c.csv sim_a.csv --against sim_c", 0),
        ("sim_a.csv sim_b.csv --alternative two-sided", 3),
        ("sim_a.csv sim_b.csv", 0),
        ("sim_a.csv sim_b.csv --alpha 0.01", 3),
        ("sim_a.csv sim_b.csv --metric mae --metric max_error", 3),
        ("sim_b.csv sim_a.csv sim_c.csv --against sim_c", 0),
        ("sim_a.csv sim_b.csv sim_c.csv --against sim_b --alpha 0.05", 3),
        ("sim_a.csv sim_b.csv sim_c.csv --against sim_b --correction none", 0),
    ],
)
def test_the_gate_is_passed_where_the_first_is_shown_to_be_better(nbyk: Run, line: str, code: int) -> None:
    ended, text, errors = nbyk(f"compare --gold gold.csv {line} --quick --gate --format json")
    assert (ended, errors) == (code, "")
    answer = json.loads(text)
    assert {0: "is passed: ", 3: "is not passed: "}[code] in " ".join(answer["sentences"])
    assert answer["gate_passed"] is (code == 0)


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("", "found 0 system(s), expected at least two"),
        ("sim_a.csv", "found 1 system(s), expected at least two"),
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
            "--correction: found 'holmes', expected ",
        ),
        ("sim_a.csv sim_b.csv --on-missing fill", "--on-missing: found 'fill', expected "),
        ("sim_a.csv sim_b.csv --scale 1-5", "--scale: scale '1-5': expected levels as in 1,2,3,4,5"),
        ("sim_a.csv sim_b.csv --resamples 0", "--resamples: found 0, expected at least 1"),
        ("sim_a.csv sim_b.csv --max-resamples 0", "--max-resamples: found 0, expected at least 1"),
        ("sim_a.csv sim_b.csv --against sim_d", "--against: unknown system 'sim_d'; did you mean sim_"),
        ("sim_a.csv sim_b.csv sim_c.csv --gate", "--gate with 3 systems needs a baseline"),
        ("sim_a.csv sim_b.csv --gate --null pooled", "--gate with --null pooled: rejecting that"),
        ("sim_a.csv sim_b.csv --gate --alternative less", "--gate asks whether A is better"),
        ("sim_a.csv sim_b.csv sim_c.csv --alternative less", "--alternative: found 'less' for all pairs"),
        ("sim_a.csv sim_b.csv gold=sim_c.csv", "a system is named 'gold'; give people's ratings with --gold"),
        ("sim_a.csv sim_b.csv --out gold.csv", "--out gold.csv: gold.csv is a file, expected a folder"),
        ("sim_a.csv sim_b.csv --task mmlu", "--samples-metric, --task and --filter choose among the scores"),
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
        "error: --metric: found mae, which compares with gold, but there is no gold; give --gold FILE, or "
        "--metric mean to compare the systems' own ratings\n"
    )


def test_without_gold_the_systems_own_ratings_are_compared(nbyk: Run) -> None:
    answer = found(nbyk, "sim_a.csv sim_b.csv")
    result = package.compare(None, read("sim_a"), read("sim_b"), metric="mean")
    assert answer["results"][0]["metric"] == "mean"
    assert answer["results"][0]["p_value"]["p"] == result.p_value.p
    assert answer["results"][0]["responses_gold"] is None
    assert not any("gold" in sentence for sentence in answer["sentences"])


@pytest.mark.parametrize("more", ["", " sim_c.csv --against sim_b --correction none"])
def test_a_gate_that_more_draws_could_open_or_shut_is_inconclusive(more: str, nbyk: Run) -> None:
    words = (
        f"compare --gold gold.csv sim_a.csv sim_b.csv{more} --quick --gate --resamples 99 --max-resamples 99"
        " --generalise items"
    )
    code, text, errors = nbyk(f"{words} --out report")
    assert (code, errors) == (4, "")
    assert "The gate is inconclusive: more draws could change whether sim_a is shown" in unfolded(text)
    answer = json.loads(Path("report/compare.json").read_text())
    assert (answer["gate"], answer["gate_passed"]) == ("inconclusive", False)
    assert read_record("report/compare.json") is not None


def test_identical_systems_have_no_effect_and_a_p_of_one(nbyk: Run) -> None:
    answer = found(nbyk, "--gold gold.csv sim_a.csv same=sim_a.csv")
    (result,) = answer["results"]
    assert (str(result["effect"]), result["p_two_sided"]["p"], result["verdict"]) == ("0.0", 1.0, "undecided")
    assert "sim_a and same gave the same responses to every item" in answer["cautions"]
    assert nbyk("compare --gold gold.csv sim_a.csv same=sim_a.csv --gate")[0] == 3


def test_constant_ratings_are_compared(nbyk: Run) -> None:
    for name, value in (("g", 0.5), ("x", 0.5), ("y", 1.0)):
        write(f"{name}.csv", np.full((30, 2), value))
    answer = found(nbyk, "--gold g.csv x.csv y.csv --generalise items")
    assert (answer["results"][0]["effect"], answer["results"][0]["verdict"]) == (0.5, "A")
    code, text, _ = nbyk("compare --gold g.csv x.csv y.csv --gate")
    assert code == 4
    assert "The gate is inconclusive: two raters and two runs of each system cannot speak" in unfolded(text)
    assert "The effect on mae does not vary over items and responses." in answer["sentences"]
    code, _, errors = nbyk("compare --gold g.csv x.csv y.csv --metric spearman")
    assert code == 2
    assert re.fullmatch(r"error: .*spearman.*\n", errors)


def test_one_response_per_item_everywhere_is_said_and_the_test_goes_on(nbyk: Run) -> None:
    rng = np.random.default_rng(0)
    for name in ("g", "x", "y"):
        write(f"{name}.csv", rng.random((40, 1)))
    answer = found(nbyk, "--gold g.csv x.csv y.csv")
    assert any(text.startswith("every item has one response, its score: ") for text in answer["cautions"])
    assert any("these data cannot separate the part of" in sentence for sentence in answer["sentences"])
    assert 0.0 < answer["results"][0]["p_value"]["p"] <= 1.0


def test_items_that_one_file_lacks_are_refused_or_dropped_and_counted(nbyk: Run) -> None:
    lines = Path("sim_b.csv").read_text().splitlines(keepends=True)
    Path("short.csv").write_text("".join([lines[0], *lines[11:]]))
    code, text, errors = nbyk("compare --gold gold.csv sim_a.csv short.csv")
    assert (code, text) == (2, "")
    assert "short.csv" in errors
    assert "--on-missing drop" in errors
    answer = found(nbyk, "--gold gold.csv sim_a.csv short.csv --on-missing drop --quick")
    assert answer["dropped"] == {"gold.csv": 2, "sim_a.csv": 2}
    assert answer["cautions"][0] == (
        "nbyk dropped items that another file lacks (2 of gold.csv and 2 of sim_a.csv) and compares the 298 "
        "others"
    )


def test_the_quoted_interval_is_the_one_asked_for(nbyk: Run) -> None:
    for method in ("percentile", "bca"):
        answer = found(nbyk, f"--gold gold.csv sim_a.csv sim_b.csv --quick --interval {method}")
        ends = answer["results"][0][f"interval_{method}"]
        assert f"{ends['low']:.3g} to {ends['high']:.3g}" in answer["sentences"][0]
        assert answer["results"][0]["sentence"] == answer["sentences"][0]


def test_several_metrics_stand_side_by_side(nbyk: Run) -> None:
    metrics = "--metric mae --metric spearman --metric accuracy(threshold=0.4)"
    line = f"--gold gold.csv sim_a.csv sim_b.csv --quick {metrics}"
    answer = found(nbyk, line)
    assert [result["metric"] for result in answer["results"]] == [
        "mae",
        "spearman",
        "accuracy(threshold=0.4)",
    ]
    assert "nbyk tested 3 metrics and did not correct p for that number" in answer["cautions"]
    of_spearman = answer["results"][1]["claims"][0]["parts"]
    assert [part["source"] for part in of_spearman][:3] == ["items", "raters", "raters × items"]
    assert answer["variance_shares"] == []
    assert nbyk(f"compare {line} --out report")[0] == 0
    stems = {path.stem for path in Path("report/figures").glob("*.png")}
    others = ("", "_spearman", "_accuracy-threshold=0.4")
    assert stems == {f"{kind}{name}" for kind in ("difference", "effect", "variance") for name in others}


def test_a_metric_of_ones_own_and_a_scale(nbyk: Run) -> None:
    Path("mine.py").write_text(
        "import numpy as np\nimport nbyk\n\n\n"
        '@nbyk.metrics.register(direction="lower")\n'
        "def halved(system, gold):\n    return 0.5 * np.abs(system - gold).mean()\n"
    )
    if "halved" in package.metrics.names():
        pytest.skip("registered by another test in this process")
    for name in ("gold", "sim_a", "sim_b"):
        ratings = read(name)
        write(f"{name}.csv", 1.0 + 4.0 * ratings)
    options = "--scale 1..5 --metric-file mine.py --metric halved --metric mae --quick"
    answer = found(nbyk, f"--gold gold.csv sim_a.csv sim_b.csv {options}")
    halved, mae = answer["results"]
    assert halved["effect"] == pytest.approx(0.5 * mae["effect"])
    assert halved["p_value"] == mae["p_value"]


@pytest.mark.usefixtures("few_sets")
def test_every_metric_and_what_would_settle_it_are_looked_at_when_asked_for(nbyk: Run) -> None:
    line = "--gold gold.csv sim_a.csv sim_b.csv --resamples 999 --max-resamples 999"
    answer = found(nbyk, line)
    assert answer["sensitivity"] is answer["settlement"] is None
    assert answer["cautions"][-1].startswith("the verdict may depend on")
    full = found(nbyk, f"{line} --full")
    assert full["results"] == answer["results"]
    assert full["sensitivity"]["choices"]
    assert full["settlement"]["items"]["n_items"] > 300
    assert not any("--full" in text for text in full["cautions"])


def test_runs_of_lm_eval_are_systems(nbyk: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    for name in ("good", "bad"):
        right = 0.9 if name == "good" else 0.4
        runs(tmp_path / name, (rng.random((3, 60)) < right).astype(float).tolist(), model=name)
    answer = found(nbyk, "good bad --quick")
    assert (answer["a"], answer["b"], answer["results"][0]["verdict"]) == ("good", "bad", "A")
    assert answer["results"][0]["responses_a"]["most"] == 3


def test_nothing_is_written_where_a_figure_cannot_be(nbyk: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def full_disk(*_: object, **__: object) -> None:
        raise package.NbykError("no room")

    monkeypatch.setattr("nbyk.report.answer.pictures", full_disk)
    before = sorted(Path().rglob("*"))
    assert nbyk("compare --gold gold.csv sim_a.csv sim_b.csv --quick --out report")[0] == 2
    assert sorted(Path().rglob("*")) == before


def test_the_example_is_copied_and_never_over_another_file(nbyk: Run, tmp_path: Path) -> None:
    code, text, _ = nbyk("example there")
    assert code == 0
    assert {path.name for path in Path("there").iterdir()} == set(example_files())
    command = text.splitlines()[-1].removeprefix("Try: nbyk ")
    assert nbyk(f"{command} --quick")[0] == 0
    assert nbyk("example there")[0] == 0
    Path("there/gold.csv").write_text("mine\n")
    code, text, errors = nbyk("example there")
    assert (code, text) == (2, "")
    assert (
        errors == "error: there/gold.csv: already exists and differs; move it away, or give another folder\n"
    )
    assert Path("there/gold.csv").read_text() == "mine\n"


def test_the_example_is_what_the_script_makes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(__file__).parents[2]
    monkeypatch.syspath_prepend(str(root / "scripts"))
    import simulate_example

    shutil.copy(simulate_example.EMBEDDED / "convabuse.csv", tmp_path)
    shipped = simulate_example.EMBEDDED / "example"
    monkeypatch.setattr(simulate_example, "EMBEDDED", tmp_path)
    assert simulate_example.main() == 0
    for path in shipped.glob("*.csv"):
        assert (tmp_path / "example" / path.name).read_bytes() == path.read_bytes()


def test_clusters_of_a_column_are_swapped_whole(nbyk: Run) -> None:
    for name in ("gold", "sim_a", "sim_c"):
        table = pd.read_csv(f"{name}.csv", dtype=str)
        table["text"] = pd.factorize(table["item"], sort=True)[0] // 30
        table.to_csv(f"{name}.csv", index=False)
    line = "--gold gold.csv sim_a.csv sim_c.csv --cluster text --quick --resamples 999"
    answer = found(nbyk, f"{line} --generalise items,clusters")
    result = answer["results"][0]
    assert "for new clusters of items, with these" in answer["sentences"][0]
    assert result["n_clusters"] == 10
    assert result["claims"][0]["over"] == ["items", "clusters"]
    assert answer["variance_shares"][0]["clusters"]["share"] is not None
    assert "clusters of items" in " ".join(answer["sentences"])
    assert found(nbyk, line)["results"][0]["claims"][0]["over"][:3] == ["items", "clusters", "raters"]
    for wrong, says in (
        ("--cluster chapter", "error: --cluster: found chapter, but no file has a column of that name"),
        ("--cluster rater", "is in cluster"),
        ("--generalise items,clusters", "error: --generalise: found clusters, but items have none here"),
    ):
        code, _, errors = nbyk(f"compare --gold gold.csv sim_a.csv sim_c.csv {wrong}")
        assert (code, errors.count("\n")) == (2, 1)
        assert says in errors
    board = found(nbyk, "--gold gold.csv sim_a.csv sim_b.csv sim_c.csv --cluster text --resamples 999")
    assert board["leaderboards"][0]["n_clusters"] == 10


@pytest.mark.parametrize(
    ("margin", "code", "says"),
    [
        ("0.2", 0, "The gate is passed: sim_c is better than sim_a, or not worse by 0.2."),
        ("0.01", 3, "The gate is not passed: sim_c is worse than sim_a by more than 0.01."),
        (
            "0.08",
            4,
            "The gate is inconclusive: these data do not show whether sim_c is worse than sim_a by 0.08.",
        ),
    ],
)
def test_the_gate_with_a_margin(margin: str, code: int, says: str, nbyk: Run) -> None:
    line = f"compare --gold gold.csv sim_c.csv sim_a.csv --margin {margin}"
    found, text, _ = nbyk(f"{line} --gate")
    assert (found, says in unfolded(text)) == (code, True)


def test_a_margin_is_in_the_unit_of_the_ratings(nbyk: Run) -> None:
    (own,) = found(nbyk, "--gold gold.csv sim_a.csv sim_c.csv --generalise items --margin 0.2")["results"]
    for name in ("gold", "sim_a", "sim_b", "sim_c"):
        write(f"{name}.csv", 1.0 + 4.0 * read(name))
    answer = found(nbyk, "--gold gold.csv sim_a.csv sim_c.csv --generalise items --margin 0.8 --scale 1..5")
    (scaled,) = answer["results"]
    assert scaled["margins"][0]["p_not_worse"] == pytest.approx(own["margins"][0]["p_not_worse"])
    assert any(
        text.startswith("In the ratings' own unit, the effect of sim_a") for text in answer["sentences"]
    )


@pytest.mark.parametrize(
    ("form", "begins", "holds"),
    [
        ("markdown", "### Is sim_a better than sim_c?", "<details><summary>Numbers</summary>"),
        ("html", "<!doctype html>", "data:image/svg+xml;base64,"),
        ("latex", "sim\\_a is better than sim\\_c", "\\toprule"),
    ],
)
def test_the_forms_of_an_answer(form: str, begins: str, holds: str, nbyk: Run) -> None:
    code, text, errors = nbyk(f"compare --gold gold.csv sim_a.csv sim_c.csv --format {form}")
    assert (code, errors) == (0, "")
    assert text.lstrip().startswith(begins)
    assert holds in text
    assert nbyk("compare --gold gold.csv sim_a.csv sim_c.csv --format pdf")[0] == 2
