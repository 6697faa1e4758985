"""The tables against the paper's own: what it printed, put in for ours, gives what else it printed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from nbyk.config import validate
from nbyk.data import load_source
from nbyk.files import write_json, write_parquet
from nbyk.priors import Response, fit_prior
from nbyk.report.formats import latex, markdown
from nbyk.report.html import render_block
from nbyk.resampling.samplers import WEIN_SAMPLERS
from nbyk_papers.wein2023.comparison import Cells, minima, place_among
from nbyk_papers.wein2023.design import COLUMNS, published_minima, published_p_values
from nbyk_papers.wein2023.report import cells_report, summarise
from nbyk_papers.wein2023.study import figure_names, section_folder, table_names
from nbyk_papers.wein2023.tables import full, minima_table
from tests.written import write_table


def cells_of_the_paper() -> Cells:
    """Put the paper's p-values in the place of ours, as if from two equal test sets."""
    table = published_p_values().assign(semantics="published", true_se=0.01, n_draws=1000)
    table = table[table.legible != "no"]
    same = ("estimated_se", "estimated_mean", "estimated_low", "estimated_high", "published_estimated_p")
    table = table.assign(
        **dict.fromkeys(same, table.estimated_p), published_true_p=table.true_p, published_rank=0.5
    )
    places = [place_among(np.repeat(p, 2), p) for p in table.estimated_p]
    table = table.assign(published_place=places, n_references=2)
    table = table.assign(z_true=0.0, true_variance=1e-4, published_variance=1e-4)
    sets = pd.concat([table.assign(reference=reference) for reference in (0, 1)])
    return Cells(table, sets, tuple(COLUMNS), WEIN_SAMPLERS)


papers_cells = pytest.fixture(cells_of_the_paper, name="papers_cells")
EXCEPTIONS = {("toxicity", "metric"): 3, ("toxicity", "sampler"): 1}


@pytest.mark.parametrize("source", ["simulated", "toxicity"])
@pytest.mark.parametrize("kind", ["sampler", "metric"])
def test_tables_1_to_4_follow_from_tables_5_to_14(papers_cells: Cells, source: str, kind: str) -> None:
    """In all cells but the four that the published data's notes name (toxicity, mostly illegible rows)."""
    ours = minima(papers_cells.of("published", source), kind)
    printed = published_minima()
    printed = printed[(printed.source == source) & (printed.row_kind == kind)]
    differ = int(((ours.error - ours.published).abs() > 1.1e-5).sum())
    illegible = len(printed) - len(ours)
    assert differ + illegible == EXCEPTIONS.get((source, kind), 0)
    if source == "simulated":
        assert dict(zip(ours.row, ours.n, strict=True)) == dict(zip(printed.row, printed.n, strict=True))


def test_full_table_has_the_papers_45_rows(papers_cells: Cells) -> None:
    rows = papers_cells.of("published", "simulated").table
    table = full(rows[rows.epsilon_b == 0.1])
    assert len(table) == 45
    assert (table["difference"] - table["published difference"]).abs().max() == 0.0


def test_summary_counts_what_agrees(papers_cells: Cells) -> None:
    z = np.where(np.arange(len(papers_cells.table)) % 10 == 0, 5.0, 0.5)
    cells = Cells(
        papers_cells.table.assign(z_true=z), papers_cells.by_reference, tuple(COLUMNS), WEIN_SAMPLERS
    )
    summary = summarise(cells)
    beyond = int((z > 3).sum())
    estimated = summary["published"]["estimated_p"]
    assert summary["line"] == (
        f"{len(z) - beyond} of {len(z)} published true p-values agree; {estimated['compared']} of "
        f"{estimated['compared']} estimated p-values lie in the middle 90% of our 2 test sets, 0 outside all "
        f"of them ({estimated['trivial']} more are 0 on both sides)"
    )
    assert estimated["compared"] + estimated["trivial"] == len(z)
    assert summary["published"]["true_p"]["median_abs_z"] == 0.5
    by_table = summary["published"]["by_table"]
    assert sum(table["cells"] for table in by_table.values()) == len(z)
    assert all(table["chi2"] < table["dof"] <= table["cells"] for table in by_table.values())
    table_1 = summary["published"]["tables_1_to_4"]["table_01"]
    assert table_1["compared"] + table_1["trivial"] == 30


def test_every_table_and_figure_that_a_configuration_names_is_in_the_report(papers_cells: Cells) -> None:
    config = validate({"semantics": ["published"], "sources": ["simulated", "toxicity"]})
    later = section_folder(500, 3, 0.05)
    answer = cells_report(papers_cells, {}, seed=1, later={later: papers_cells})
    tables = {table.name for table in answer.tables}
    assert {name for name in tables if not name.startswith(later)} == set(table_names(config))
    assert {name.removeprefix(f"{later}/") for name in tables} == set(table_names(config))
    figures = {figure.name for figure in answer.figures}
    assert {name for name in figures if not name.startswith(later)} == set(figure_names(config, []))


def test_a_rejected_fit_is_said_before_anything_else(papers_cells: Cells, tmp_path: Path) -> None:
    ratings = load_source("convabuse")
    prior = fit_prior("convabuse", ratings.matrix(), Response("likert", 5), n_sets=200).prior
    write_parquet(tmp_path / "r.parquet", ratings.to_table(), {})
    write_json(tmp_path / "prior.json", prior.to_dict())
    fits = {"convabuse": (tmp_path / "r.parquet", tmp_path / "prior.json")}
    answer = cells_report(papers_cells, fits, 5)
    summary = answer.details
    assert answer.template is not None
    page = render_block(answer.template, "summary", summary=summary)
    assert prior.caution != ""
    assert page.index(prior.caution) < page.index(summary["line"])


TABLE = pd.DataFrame({"metric_name": ["a&b", "50%"], "p": [0.5, 2e-6], "z": [np.nan, -1.25]})


def test_formats_hold_the_same_table(tmp_path) -> None:  # type: ignore[no-untyped-def]
    write_table(TABLE, tmp_path / "epsilon_0.1", "Table 1: ε ≥ 0")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "epsilon_0.1.csv"), TABLE)
    assert (tmp_path / "epsilon_0.1.md").read_text() == markdown(TABLE, "Table 1: ε ≥ 0")
    assert (tmp_path / "epsilon_0.1.tex").read_text() == latex(TABLE, "Table 1: ε ≥ 0")


def test_markdown_and_latex_are_written_for_people() -> None:
    assert markdown(TABLE, "T").splitlines()[2:] == [
        "| metric_name | p | z |",
        "| --- | ---: | ---: |",
        "| a&b | 0.5000 | – |",
        "| 50% | 2.00e-06 | -1.2500 |",
    ]
    page = latex(TABLE, "ε ≥ 0")
    assert r"metric\_name & p & z \\" in page
    assert r"a\&b & 0.5000 & – \\" in page
    assert r"\caption{$\varepsilon$ $\geq$ 0}" in page


def test_minima_table_has_a_row_per_sampler_and_epsilon(papers_cells: Cells) -> None:
    table = minima_table(papers_cells.of("published", "simulated"), "sampler")
    rows = [(sampler, epsilon) for sampler in WEIN_SAMPLERS for epsilon in ("0", "0.05", "0.1", "0.3", "0.7")]
    assert list(zip(table["sampler"], table["ε"], strict=True)) == rows
    assert (table["5 %"] <= table["mean over sets"]).all()
