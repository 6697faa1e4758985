"""Tables, figures and summary of Ulmer et al. 2022, from scores whose error rates are known."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from matplotlib.image import imread

from nbyk.files import read_json, read_parquet, write_parquet
from nbyk.report.answer import write_answer
from nbyk.testing.intervals import proportion_interval
from nbyk_papers import placed
from nbyk_papers.ulmer2022.comparison import compare, error_rates, read_scores
from nbyk_papers.ulmer2022.design import (
    SEMANTICS,
    TESTS,
    THRESHOLDS,
    TYPE_1,
    published_rates,
)
from nbyk_papers.ulmer2022.report import (
    agreement_table,
    outside_table,
    scores_report,
    summarise,
    tables_of,
    verdicts_of,
)


def scores_behind(errors: pd.DataFrame, kind: str, simulations: int) -> np.ndarray:  # type: ignore[type-arg]
    """Return scores that are wrong at each threshold as often as published."""
    counts = errors.sort_values("threshold")["published_errors"].to_numpy()
    edges = [0.0, *THRESHOLDS, 1.0]
    below = counts if kind == TYPE_1 else simulations - counts
    sizes = np.diff([0, *below, simulations])
    assert (sizes >= 0).all()
    # In the middle between two thresholds, so that no score equals one.
    middles = [(low + high) / 2 for low, high in pairwise(edges)]
    return np.repeat(middles, sizes)


def score_files(folder: Path) -> list[Path]:
    """Write files of scores that give the published rates under both semantics."""
    keys = ["distribution", "error", "sample_size", "lead", "test"]
    parts: dict[str, list[pd.DataFrame]] = {}
    for (distribution, error, n, lead, test), errors in published_rates().groupby(keys):
        simulations = int(errors["published_simulations"].iloc[0])
        part = pd.DataFrame({"score": scores_behind(errors, error, simulations)})
        part = part.assign(error=error, sample_size=n, lead=lead, test=test, simulation=range(simulations))
        parts.setdefault(distribution, []).append(part)
    found = []
    for semantics in SEMANTICS:
        for distribution, of in parts.items():
            path = folder / f"semantics={semantics}/distribution={distribution}/x.parquet"
            write_parquet(path, pa.Table.from_pandas(pd.concat(of), preserve_index=False), {"seed": 1})
            found.append(path)
    return found


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return score_files(tmp_path_factory.mktemp("scores"))


@pytest.fixture(scope="module")
def scores(files: list[Path]) -> pd.DataFrame:
    return read_scores(files)


@pytest.fixture(scope="module")
def rates(scores: pd.DataFrame) -> pd.DataFrame:
    return error_rates(scores, THRESHOLDS)


def test_rates_are_those_of_the_scores(rates: pd.DataFrame) -> None:
    for cells in compare(rates).values():
        assert len(cells) == 1152
        np.testing.assert_allclose(cells["rate"], cells["published_rate"], atol=1e-12)
        assert cells["agrees"].all()
        assert (cells["z"].dropna() == 0.0).all()
        assert (cells["p"] == 1.0).all()
    some = rates.iloc[100]
    interval = proportion_interval(int(some["errors"]), int(some["n_simulations"]))
    assert (some["low"], some["high"]) == interval


def test_a_score_at_the_threshold_rejects_and_is_an_error_too_as_published(scores: pd.DataFrame) -> None:
    """A p-value of α rejects under either semantics; the authors' program counts it as missed as well."""
    at = scores.assign(score=0.2)
    found = error_rates(at, [0.2])
    rate = found.groupby(["semantics", found["error"] == TYPE_1])["rate"].agg(set)
    assert rate["published", True] == rate["recommended", True] == {1.0}
    assert rate["published", False] == {1.0}
    assert rate["recommended", False] == {0.0}


def shifted(rates: pd.DataFrame, chosen: pd.Series, errors: int) -> pd.DataFrame:
    moved = rates["errors"].where(~chosen, rates["errors"] + errors)
    return rates.assign(errors=moved, rate=moved / rates["n_simulations"])


def test_what_differs_is_counted_named_and_explained(rates: pd.DataFrame) -> None:
    summary = summarise(compare(rates))
    assert len(outside_table(compare(rates))) == 0
    assert summary["line"] == "1152 of 1152 published rates lie inside the 99.9 % interval around ours"
    assert summary["published"]["share"] == 1.0
    by_test = agreement_table(compare(rates)).groupby("test")["rates"].sum()
    assert by_test.to_dict() == dict.fromkeys(TESTS.values(), 192)
    one = (
        (rates["distribution"] == "laplace")
        & (rates["sample_size"] == 20)
        & (rates["threshold"] == 0.5)
        & (rates["test"] == "welch_t")
    )
    published = one & (rates["semantics"] == "published")
    assert one.sum() == 2
    for errors, chosen, why in (
        (-78, one, "chance"),
        (-200, published, "semantics"),
        (-200, one, "unknown"),
    ):
        cells = compare(shifted(rates, chosen, errors))
        moved = summarise(cells)
        assert moved["published"]["inside"] == 1151
        (row,) = outside_table(cells).to_dict("records")
        assert (row["table"], row["test"], row["n"], row["why"]) == ("Table 7", TESTS["welch_t"], 20, why)
        assert row["ours"] == pytest.approx(row["published"] + errors / 1000)
        assert float(row["interval"].split("–")[1]) < row["published"]
        by_table = agreement_table(cells).groupby("table")["inside, published"].sum()
        assert by_table["Table 7"] == 143
    # Inside still, at two standard errors.
    assert summarise(compare(shifted(rates, one, -45)))["published"]["inside"] == 1152


def test_tables_have_the_papers_form(rates: pd.DataFrame) -> None:
    tables = {name: table for name, _, table in tables_of(rates, compare(rates))}
    numbered = [placed(semantics, f"table_0{n}") for semantics in SEMANTICS for n in range(1, 9)]
    assert list(tables) == [*numbered, "agreement", "outside"]
    first = tables["table_01"]
    assert first.shape == (24, 2 + 3 * len(TESTS))
    row = first.iloc[0]
    assert (row["sample size"], row["threshold"]) == ("5", "0.05")
    assert (row["ASO"], row["ASO published"], row["ASO 95 %"]) == (0.02, 0.02, "0.010–0.036")
    assert tables["table_06"]["lead of A"].tolist() == sorted(["0.25", "0.5", "0.75", "1"] * 6)
    assert tables["agreement"]["inside, published"].sum() == 1152
    assert len(tables["outside"]) == 0


def test_everything_is_written(scores: pd.DataFrame, rates: pd.DataFrame, tmp_path: Path) -> None:
    answer = scores_report(scores, THRESHOLDS)
    write_answer(answer, tmp_path, stem="summary", page="report")
    assert answer.sentences == (read_json(tmp_path / "summary.json")["line"],)
    assert read_parquet(tmp_path / "tables/rates.parquet", ("rate", "low", "high"))[0].num_rows == 2 * 1152
    drawn = [placed(semantics, f"figure_0{n}") for semantics in SEMANTICS for n in (3, 6, 7)]
    assert {figure.name for figure in answer.figures} == {"agreement", "figure_02", *drawn}
    for name in ("agreement", "figure_02", *drawn):
        assert imread(tmp_path / f"figures/{name}.png").std() > 0
    assert len(list((tmp_path / "tables").rglob("*.tex"))) == 20  # the rates and the verdicts as well
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "1152 of 1152 published rates" in page
    assert '<a href="case_study/report.html">' in page
    assert re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?\s*(?:https?:)?//[^"' >]*""", page) == []


def test_a_run_beyond_the_paper_has_tables_and_figures_of_its_own(
    scores: pd.DataFrame, tmp_path: Path
) -> None:
    own = scores[(scores["distribution"] == "laplace") & (scores["sample_size"] == 5)]
    own = own.assign(distribution="exponential", sample_size=7)
    rates = error_rates(own, [0.05])
    assert "published" not in " ".join(tables_of(rates, compare(rates))[0][2].columns)
    answer = scores_report(own, [0.05])
    assert answer.sentences == ("0 of 0 published rates lie inside the 99.9 % interval around ours",)
    write_answer(answer, tmp_path, stem="summary", page="report")
    drawn = {str(path.relative_to(tmp_path / "figures"))[:-4] for path in tmp_path.rglob("*.svg")}
    of_semantics = {placed(semantics, f"figure_0{n}") for semantics in SEMANTICS for n in (3, 6)}
    assert drawn == {"agreement", "figure_02"} | of_semantics
    names = [table.name for table in answer.tables if table.on_page]
    assert names == [placed(semantics, "exponential_type_1") for semantics in SEMANTICS]


def test_the_papers_statements_are_judged_by_its_own_rates(tmp_path: Path) -> None:
    """Its printed rates, put in the place of ours, do not support all that it says about them."""
    rates = error_rates(read_scores(score_files(tmp_path)), THRESHOLDS)
    found = {
        verdict.claim[1:20]: verdict for verdict in verdicts_of(rates) if verdict.semantics == "published"
    }
    assert [finding.outcome for finding in found.values()] == [
        *("holds in part", "holds", "holds in part", "holds", *["holds in part"] * 3)
    ]
    type_1 = published_rates().query("error == @TYPE_1")
    aso, others = type_1[type_1["test"] == "aso"], type_1[type_1["test"] != "aso"]
    pairs = others.merge(aso, on=["distribution", "sample_size", "threshold"], suffixes=("", "_aso"))
    n, m = pairs["published_simulations"], pairs["published_simulations_aso"]
    shares = (pairs["published_errors"] + 1) / (n + 2), (pairs["published_errors_aso"] + 1) / (m + 2)
    error = np.sqrt(shares[0] * (1 - shares[0]) / n + shares[1] * (1 - shares[1]) / m)
    lead = pairs["published_rate"] - pairs["published_rate_aso"]
    assert found["ASO achieves lower "].here == (
        f"Of {len(pairs)} comparisons of tests, {(lead > 3 * error).sum()} support the claim, "
        f"{(lead < -3 * error).sum()} contradict it and {(lead.abs() <= 3 * error).sum()} are too close to "
        "call"
    )


def test_a_run_of_one_size_has_no_step_to_judge(tmp_path: Path) -> None:
    rates = error_rates(read_scores(score_files(tmp_path)), THRESHOLDS)
    claims = {verdict.claim for verdict in verdicts_of(rates[rates["sample_size"] == 5])}
    assert len(claims) == 6
    assert not any("the more samples" in claim for claim in claims)
