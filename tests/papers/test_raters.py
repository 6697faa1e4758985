"""The study of raters whom items share: its cells, its step, its verdicts and its report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from nbyk.config import validate
from nbyk.data import load_source
from nbyk.errors import NbykError
from nbyk.files import read_json, write_json, write_parquet
from nbyk.priors import published_prior
from nbyk.report.answer import write_answer
from nbyk.studies.steps import Work
from nbyk_papers import placed
from nbyk_papers.batches import Trials
from nbyk_papers.raters.cells import pvalues
from nbyk_papers.raters.design import FORGOTTEN, KEPT, METRICS, OTHERS, SEMANTICS
from nbyk_papers.raters.report import read_p, report, summarise, verdicts_of
from nbyk_papers.raters.study import STUDY

SIZES = [[100, 4], [200, 4]]


@pytest.fixture(scope="module")
def cell(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file of p-values against a system that errs upwards, of raters like those of ConvAbuse."""
    folder = tmp_path_factory.mktemp("raters")
    prior, ratings = folder / "prior.json", folder / "ratings.parquet"
    prior.write_text(json.dumps(published_prior("convabuse").to_dict()))
    write_parquet(ratings, load_source("convabuse", None).to_table(), {})
    made: dict[str, Any] = {"epsilon": 0.0, "shift": 0.05, "sizes": SIZES, "trials": Trials(12, 16, seed=3)}
    table, metadata = pvalues(prior, ratings, **made, work=Work("test", 1))
    assert metadata["raters_of_the_data"] == 8
    assert table.equals(pvalues(prior, ratings, **made, work=Work("test", 2))[0])
    out = folder / "source=convabuse/cell.parquet"
    out.parent.mkdir()
    write_parquet(out, table, {})
    return out


def test_there_is_a_row_for_each_way_to_treat_raters(cell: Path) -> None:
    table = read_p([cell])
    key = ["n_items", "metric", "semantics", "raters"]
    assert not table.duplicated(key).any()
    assert len(table) == len(SIZES) * len(METRICS) * len(SEMANTICS) * 3
    assert set(table["system"]) == {"shift = 0.05"}
    assert ((table["p"] >= 0) & (table["p"] <= 1) & (table["standard_error"] > 0)).all()


def test_forgetting_raters_makes_p_too_small(cell: Path) -> None:
    # The test over items has no variance of raters; by MAE it rejects more often on the very same sets.
    table = read_p([cell])
    rows = table[(table["semantics"] == "recommended") & (table["metric"] == "mae")]
    p = rows.pivot_table(index="n_items", columns="raters", values="p")
    assert p[FORGOTTEN].mean() < p[KEPT].mean()
    assert summarise(table)["counts"]["recommended"]["cells"] == 4


def test_cells_are_of_the_data_sets_with_ids() -> None:
    cells = STUDY.cells(validate({}))
    assert {"source=convabuse" in cell.file for cell in cells} == {True}
    assert [cell.step for cell in cells] == [*3 * ["pvalues"], *2 * ["categories"]]
    with_fit = STUDY.cells(validate({"raters": {"sources": ["dices_350"], "shifts": []}}))
    assert {cell.inputs["prior"] for cell in with_fit if cell.step == "pvalues"} == {
        "results/fits/dices_350/prior.json"
    }


def test_two_raters_speak_for_nobody() -> None:
    with pytest.raises(NbykError, match=r"raters\.sizes: found 100 × 2; expected 3 raters or more"):
        validate({"raters": {"sizes": [{"n_items": 100, "k_responses": 2}]}})


def test_a_rejected_fit_is_said_before_anything_else(cell: Path, tmp_path: Path) -> None:
    rejected = tmp_path / "prior.json"
    write_json(rejected, {**published_prior("convabuse").to_dict(), "caution": "This prior <is> off."})
    write_answer(report(pvalues=[cell], priors=[rejected]), tmp_path, stem="summary", page="report")
    page, caution = (tmp_path / "report.html").read_text(encoding="utf-8"), "This prior &lt;is&gt; off."
    assert page.count(caution) == 1
    assert page.index(caution) < page.index(read_json(tmp_path / "summary.json")["line"])
    config = validate({"raters": {"sources": ["convabuse", "dices_350"]}})
    files = ["results/priors/published/convabuse.json", "results/fits/dices_350/prior.json"]
    assert STUDY.reported(config).inputs["priors"] == files


def table_of(
    p: dict[tuple[str, int, int], float], *, metric: str = "mae", error: float = 0.01
) -> pd.DataFrame:
    """Rows of the recommended semantics by what is known of raters, N and K."""
    rows = [
        {"raters": raters, "n_items": n, "k_responses": k, "n_times_k": n * k, "p": value}
        for (raters, n, k), value in p.items()
    ]
    common = {
        "source": "convabuse",
        "system": "ε = 0.1",
        "epsilon": 0.1,
        "shift": 0.0,
        "metric": metric,
        "standard_error": error,
    }
    return pd.DataFrame(rows).assign(semantics="recommended", **common)


def outcomes(table: pd.DataFrame, words: str) -> dict[str, str]:
    found = [verdict for verdict in verdicts_of(table) if words in verdict.claim]
    return {verdict.semantics.split(", ", 1)[1]: verdict.outcome for verdict in found}


def test_a_conclusion_is_judged_in_each_world() -> None:
    table = table_of({(OTHERS, 1000, 24): 0.01, (FORGOTTEN, 1000, 24): 0.04, (KEPT, 1000, 24): 0.2})
    assert outcomes(table, "at least 25 raters") == {
        "other raters for each item": "does not hold",
        "the same raters, ids forgotten": "inconclusive",
        "the same raters, ids kept": "holds",
    }


@pytest.mark.parametrize(
    ("metric", "words"), [("mae", "adding more responses than items"), ("wins_mae", "Wins metric")]
)
def test_few_and_many_ratings_are_compared_at_one_budget(metric: str, words: str) -> None:
    table = table_of({(KEPT, 500, 5): 0.1, (KEPT, 50, 50): 0.3, (KEPT, 200, 50): 0.0}, metric=metric)
    expected = "does not hold" if metric == "mae" else "holds"
    assert outcomes(table, words) == {"the same raters, ids kept": expected}


def test_larger_budgets_are_compared_at_one_k() -> None:
    p = {(KEPT, 200, 5): 0.4, (KEPT, 500, 5): 0.2, (KEPT, 1000, 5): 0.3, (KEPT, 200, 10): 0.0}
    assert outcomes(table_of(p), "consistently lowers p-values") == {
        "the same raters, ids kept": "holds in part"
    }


def test_systems_that_are_shifted_are_no_case_of_the_paper() -> None:
    table = table_of({(KEPT, 1000, 24): 0.2})
    assert verdicts_of(table)
    assert verdicts_of(table.assign(shift=0.05)) == []


def test_the_report_has_a_figure_of_each_data_set_metric_and_semantics(cell: Path) -> None:
    answer = report(pvalues=[cell])
    assert "when the test forgets their ids" in answer.sentences[0]
    assert {figure.name for figure in answer.figures} == {
        placed(semantics, f"convabuse_{metric}") for semantics in SEMANTICS for metric in METRICS
    }
    drawn = answer.figures[0].draw()
    (axes,) = drawn.axes
    assert len(axes.lines) == 3 + 1
    assert all(np.isfinite(line.get_ydata()).all() for line in axes.lines)  # type: ignore[arg-type]
