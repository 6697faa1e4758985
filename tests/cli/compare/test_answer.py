"""The answer of `nbyk compare`: its sentences, tables, figures and files."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from matplotlib.image import imread

import nbyk as package
from nbyk.provenance import read_record
from nbyk.words import for_spreadsheets
from tests.cli.compare.ratings import found, read, results, unfolded, write
from tests.cli.conftest import Run

EQUALLY_GOOD = "are equally good"


@pytest.mark.usefixtures("few_sets")
def test_the_example_gives_the_sentence_the_table_and_a_report(nbyk: Run, tmp_path: Path) -> None:
    code, text, errors = nbyk("compare --gold gold.csv sim_a.csv sim_b.csv --full --out report")
    assert (code, errors) == (0, "wrote report/compare.html; tables, figures and JSON are beside it\n")
    systems = package.read_systems(["sim_a.csv", "sim_b.csv"], "gold.csv")
    result = package.compare(systems)
    verdict, effect, *_ = repr(result).splitlines()
    assert text.splitlines()[0].split() == verdict.split()
    assert text.splitlines()[1].startswith(effect.split("  ")[0])
    code, text, errors = nbyk("compare --gold gold.csv sim_a.csv sim_b.csv --full --details")
    assert result.sentence in unfolded(text)
    assert "for new items, with these 8 raters and these 5 runs of each system: " in unfolded(text)
    # How many ways there are depends on the metrics that other tests register.
    assert re.search(r"[Tt]he verdict depends on the choice: of \d+ ways to test", unfolded(text))
    assert re.search(r"Collect \d+ items with \d ratings each .*, by 8 raters, and 5 runs", unfolded(text))
    out = tmp_path / "report"
    assert all(imread(path).size for path in out.glob("figures/*.png"))
    assert {path.stem for path in out.glob("figures/*.svg")} == {
        "difference",
        "effect",
        "sensitivity",
        "variance",
    }
    tables = {path.stem: pq.read_table(path).to_pandas() for path in out.glob("tables/*.parquet")}
    assert set(tables) == {*("comparison", "standings", "items", "sensitivity", "variance")}
    for name, table in tables.items():
        written = pd.read_csv(out / f"tables/{name}.csv", dtype={"item": str})
        pd.testing.assert_frame_equal(written, for_spreadsheets(table), check_dtype=False)
    assert tables["comparison"]["p"].tolist() == [claim.p for claim in result.claims]
    assert EQUALLY_GOOD in (out / "compare.html").read_text()
    assert results(json.loads((out / "compare.json").read_text()))[0]["effect"] == result.effect
    for path in out.rglob("*.*"):
        if ".nbyk" not in path.parts:
            record = read_record(path)
            assert record is not None
            assert set(record.inputs) == {"gold.csv", "sim_a.csv", "sim_b.csv"}


def test_the_page_has_its_command_and_the_checksums_of_its_inputs(nbyk: Run) -> None:
    nbyk("compare --gold gold.csv sim_a.csv sim_b.csv --quick --threads 1 --out report")
    record = read_record("report/compare.html")
    page = Path("report/compare.html").read_text()
    assert record is not None
    assert record.command == "nbyk compare --gold gold.csv sim_a.csv sim_b.csv --quick --out report"
    assert f"<code>{record.command.removesuffix(' --out report')}</code>" in page
    assert record.inputs
    for name, checksum in record.inputs.items():
        assert f">{name}</td>" in page
        assert f"<code>{checksum}</code>" in page


def test_three_systems_give_a_leaderboard(nbyk: Run, tmp_path: Path) -> None:
    code, text, _ = nbyk("compare --gold gold.csv sim_a.csv sim_b.csv sim_c.csv --out report")
    assert code == 0
    systems = package.read_systems([f"sim_{name}.csv" for name in "abc"], "gold.csv")
    board = package.compare(systems)
    # The table comes first, and then who may be best.
    assert re.findall(r"^(sim_\w) +\d", text, re.MULTILINE) == list(board.names)
    assert text.index("sim_c ") < text.index(board.head.verdict)
    assert board.population == "new items, raters and runs"
    assert "swap_items" not in unfolded(text)
    standings = pd.read_csv(tmp_path / "report/tables/standings.csv")
    assert standings["mae"].tolist() == [standing.score for standing in board.standings]
    pairs = pd.read_csv(tmp_path / "report/tables/pairs.csv")
    assert sorted(pairs["corrected p"]) == sorted(pair.p for pair in board.pairs)
    assert (tmp_path / "report/figures/leaderboard.png").exists()


def test_the_same_files_give_the_same_bytes_at_any_number_of_threads(nbyk: Run, tmp_path: Path) -> None:
    for threads in ("1", "2"):
        assert (
            nbyk(f"compare --gold gold.csv sim_a.csv sim_c.csv --threads {threads} --out {threads}")[0] == 0
        )
    for path in (tmp_path / "1").rglob("*.*"):
        if ".nbyk" not in path.parts:
            assert path.read_bytes() == (tmp_path / "2" / path.relative_to(tmp_path / "1")).read_bytes(), path


def test_without_gold_the_systems_own_ratings_are_compared(nbyk: Run) -> None:
    answer = found(nbyk, "sim_a.csv sim_b.csv")
    result = package.compare(None, read("sim_a"), read("sim_b"), metric="mean")
    assert results(answer)[0]["metric"] == "mean"
    assert results(answer)[0]["p"] == result.p
    assert set(results(answer)[0]["sample"]["responses"]) == {"sim_a", "sim_b"}
    assert not any("gold" in sentence for sentence in answer["sentences"])


def test_identical_systems_have_no_effect_and_a_p_of_one(nbyk: Run) -> None:
    answer = found(nbyk, "--gold gold.csv sim_a.csv same=sim_a.csv")
    (result,) = results(answer)
    assert (str(result["effect"]), result["p"], result["verdict"]) == ("0.0", 1.0, "undecided")
    assert answer["cautions"].count("sim_a and same have the same ratings") == 1
    assert nbyk("compare --gold gold.csv sim_a.csv same=sim_a.csv --gate")[0] == 3


def test_one_response_per_item_everywhere_is_said_and_the_test_goes_on(nbyk: Run) -> None:
    rng = np.random.default_rng(0)
    for name in ("g", "x", "y"):
        write(f"{name}.csv", rng.random((40, 1)))
    answer = found(nbyk, "--gold g.csv x.csv y.csv")
    assert any(text.startswith("every item has one response: ") for text in answer["cautions"])
    assert any("not separable from items: " in sentence for sentence in answer["sentences"])
    assert 0.0 < results(answer)[0]["p"] <= 1.0


def test_the_quoted_interval_is_the_one_asked_for(nbyk: Run) -> None:
    for method in ("percentile", "bca"):
        answer = found(nbyk, f"--gold gold.csv sim_a.csv sim_b.csv --quick --interval {method}")
        items = results(answer)[0]["claims"][-1]
        (ends,) = re.findall(r"interval (-?[.\d]+) to (-?[.\d]+),", answer["sentences"][2])
        assert [float(end) for end in ends] == pytest.approx(items["interval"], abs=6e-4)
        assert results(answer)[0]["sentence"] == answer["sentences"][0]


def test_several_metrics_stand_side_by_side(nbyk: Run) -> None:
    metrics = "--metric mae --metric spearman --metric accuracy(threshold=0.4)"
    line = f"--gold gold.csv sim_a.csv sim_b.csv --quick {metrics}"
    answer = found(nbyk, line)
    assert [result["metric"] for result in results(answer)] == [
        "mae",
        "spearman",
        "accuracy(threshold=0.4)",
    ]
    assert "nbyk tested 3 metrics and did not correct p for that number" in answer["cautions"]
    of_spearman = results(answer)[1]["claims"][0]["parts"]
    assert [part["source"] for part in of_spearman][:3] == ["items", "raters", "raters × items"]
    assert answer["variance_shares"] == []
    assert nbyk(f"compare {line} --out report")[0] == 0
    stems = {path.stem for path in Path("report/figures").glob("*.png")}
    others = ("", "_spearman", "_accuracy-threshold=0.4")
    figures = {f"{kind}{name}" for kind in ("difference", "effect", "variance") for name in others}
    assert stems == figures - {"variance_accuracy-threshold=0.4"}
    of_accuracy = results(answer)[2]["claims"][0]["parts"]
    assert all(part["variance"] is None for part in of_accuracy)


@pytest.mark.usefixtures("few_sets")
def test_every_metric_and_what_would_settle_it_are_looked_at_when_asked_for(nbyk: Run) -> None:
    line = "--gold gold.csv sim_a.csv sim_b.csv --resamples 999 --max-resamples 999"
    answer = found(nbyk, line)
    assert answer["sensitivity"] is answer["settlement"] is None
    full = found(nbyk, f"{line} --full --threads 2")
    assert full == found(nbyk, f"{line} --full --threads 1")
    assert results(full) == results(answer)
    assert full["sensitivity"]["choices"]
    assert full["settlement"]["n_items"] > 300
    assert not any("--full" in text for text in full["cautions"])


def test_nothing_is_written_where_a_figure_cannot_be(nbyk: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def full_disk(*_: object, **__: object) -> None:
        raise package.NbykError("no room")

    monkeypatch.setattr("nbyk.report.answer.pictures", full_disk)
    before = sorted(Path().rglob("*"))
    assert nbyk("compare --gold gold.csv sim_a.csv sim_b.csv --quick --out report")[0] == 2
    assert sorted(Path().rglob("*")) == before


@pytest.mark.parametrize(
    ("form", "begins", "holds"),
    [
        (
            "markdown",
            "**sim_a is better than sim_c** · mae, 300 items",
            "<details><summary>Numbers</summary>",
        ),
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
