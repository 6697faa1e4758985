"""The tables against the paper's own: what it printed, put in for ours, gives what else it printed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from nbyk.report.formats import latex, markdown, write_table
from nbyk.report.tables import Cells, _z_over_sets, _z_true, full, minima, minima_table, summarise
from nbyk.resampling.samplers import WEIN_SAMPLERS
from nbyk.studies.wein2023 import COLUMNS, published_minima, published_p_values


@pytest.fixture
def papers_cells() -> Cells:
    """Put the paper's p-values in the place of ours, as if from two equal test sets."""
    table = published_p_values().assign(semantics="published", true_se=0.01, n_draws=1000, estimated_sd=0.01)
    table = table[table.legible != "no"]
    table = table.assign(
        published_true_p=table.true_p, published_estimated_p=table.estimated_p, z_true=0.0, z_estimated=0.0
    )
    sets = pd.concat([table.assign(reference=reference) for reference in (0, 1)])
    return Cells(table, sets, tuple(COLUMNS), WEIN_SAMPLERS)


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
    cells = Cells(papers_cells.table.assign(z_true=z), papers_cells.by_reference, (), ())
    summary = summarise(cells)
    beyond = int((z > 3).sum())
    assert summary["line"] == f"{len(z) - beyond} of {len(z)} published cells agree"
    assert len(summary["published"]["true_p_beyond"]) == beyond
    assert summary["published"]["true_p"]["median_abs_z"] == 0.5
    assert sum(table["cells"] for table in summary["published"]["true_p_by_table"].values()) == len(z)


def test_z_of_true_p_values_is_standard_normal_where_nothing_differs() -> None:
    """Two independent estimates of one p with the stated error: z has mean 0 and SD 1 (2000 pairs)."""
    generator = np.random.default_rng(1)
    for p, se in ((0.3, 0.012), (0.004, 0.001)):
        ours, published = np.abs(generator.normal(p, se, (2, 2000)))
        error = se * np.sqrt(ours / p)  # an estimate that is low says that its error is low, too
        cells = pd.DataFrame(
            {"true_p": ours, "published_true_p": published, "true_se": error, "n_draws": 1000}
        )
        z = _z_true(cells)
        assert abs(z.mean()) < 0.1
        assert 0.85 < z.std() < 1.15


def test_z_over_few_test_sets_is_a_normal_deviate() -> None:
    """Student's t of four sets, turned into the normal deviate of the same probability (KS, 4000 draws)."""
    draws = np.random.default_rng(2).normal(size=(4000, 5))
    sets = pd.DataFrame(draws[:, :4])
    z = _z_over_sets(sets.mean(axis=1), sets.std(axis=1), 4, pd.Series(draws[:, 4]))
    assert stats.kstest(z, "norm").pvalue > 0.01


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


def test_minima_table_is_wide(papers_cells: Cells) -> None:
    table = minima_table(papers_cells.of("published", "simulated"), "sampler")
    assert list(table["sampler"]) == list(WEIN_SAMPLERS)
    assert [name for name in table.columns if name.startswith("z")] == [
        f"z, ε = {epsilon:g}" for epsilon in (0, 0.05, 0.1, 0.3, 0.7)
    ]
