"""The tables of BooStSa's study: what the paper printed, put in for ours, agrees; what differs is counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from matplotlib.image import imread
from scipy.stats import norm

from nbyk.errors import NbykError
from nbyk.files import read_json, write_parquet
from nbyk.report.answer import write_answer
from nbyk.testing.intervals import proportion_interval
from nbyk_papers.boostsa2022.comparison import (
    example,
    implied_discordances,
    onsets,
    points_of_figure_1,
    read_levels,
    read_p_values,
    steps_of_figure_1,
)
from nbyk_papers.boostsa2022.design import EXAMPLE, TAGGED_ITEMS, TAGGED_RIGHT_A, TAGGED_RIGHT_B, TAGGING
from nbyk_papers.boostsa2022.report import labels_report, summarise
from nbyk_papers.verdicts import FAILS, HOLDS, IN_PART, OPEN

SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 1.0)
Row = dict[str, Any]


def row(score: str, fraction: float, semantics: str, simulation: int, p: float, **values: Any) -> Row:
    found = {"n_items": 1000, "discordance": 0.3, "score_a": 0.81, "score_b": 0.8, "n_resamples": 1000}
    of = {"score": score, "fraction": fraction, "semantics": semantics, "simulation": simulation, "p": p}
    return {**found, **of, "effect": 0.01, **values}


def balanced_rows() -> list[Row]:
    """Return p-values of a normal effect; simulations scatter by a hundredth of p."""
    return [
        row("accuracy", f, semantics, s, norm.sf(0.02 * (f * n) ** 0.5) * (1.0 + 0.01 * s), n_items=n)
        for n in (400, 2000)
        for f in SHARES
        for semantics in ("published", "recommended")
        for s in range(2)
    ]


def tagging_rows() -> list[Row]:
    """Return Figure 2 as printed for a discordance of .007, and nothing significant for .1."""
    return [
        row(
            score,
            f,
            semantics,
            s,
            0.01 if d == 0.007 and f > 0.3 else 0.2,
            n_items=TAGGED_ITEMS,
            discordance=d,
            score_b=TAGGING[score][0],
            score_a=TAGGING[score][1],
        )
        for score in TAGGING
        for d in (0.007, 0.1)
        for f in SHARES
        for semantics in ("published", "recommended")
        for s in range(2)
    ]


def example_rows() -> list[Row]:
    """Put the printed scores and p-values in the place of ours; where all items are drawn, p is .001."""
    return [
        row(score, f, semantics, s, count / 1000 if f == 0.2 else 0.001, score_b=b, score_a=a)
        for score, (b, a, count) in EXAMPLE.items()
        for f in SHARES
        for semantics in ("published", "recommended")
        for s in range(2)
    ]


def level_rows(kind: str, scores: tuple[str, ...]) -> list[Row]:
    """Return no rejection below all items and 50 of 1000 there."""
    rows = []
    for score in scores:
        for semantics in ("published", "recommended"):
            for n in (200, 1000):
                for f in SHARES:
                    count = 50 if f == 1.0 else 0
                    low, high = proportion_interval(count, 1000)
                    rows.append(
                        {
                            **{"score": score, "semantics": semantics, "n_items": n, "fraction": f},
                            **{"alpha": 0.05, "n_sets": 1000, "n_resamples": 999, "rejections": count},
                            **{"rate": count / 1000, "low": low, "high": high},
                            **{"band_low": 0.033, "band_high": 0.069, "kind": kind},
                        }
                    )
    return rows


def written(folder: Path, partition: str, rows: dict[str, list[Row]]) -> list[Path]:
    files = []
    for name, of in rows.items():
        files.append(folder / f"{partition}={name}/part.parquet")
        table = pd.DataFrame(of).drop(columns=partition, errors="ignore")
        write_parquet(files[-1], pa.Table.from_pandas(table, preserve_index=False), {"seed": 1})
    return files


def label_p_values(folder: Path) -> pd.DataFrame:
    designs = {"balanced": balanced_rows(), "tagging": tagging_rows(), "example": example_rows()}
    return read_p_values(written(folder / "pvalues", "design", designs))


def label_levels(folder: Path) -> pd.DataFrame:
    kinds = {
        "hard": level_rows("hard", ("accuracy", "f1_macro")),
        "soft": level_rows("soft", ("js_distance",)),
    }
    return read_levels(written(folder / "levels", "kind", kinds))


@pytest.fixture
def p_values(tmp_path: Path) -> pd.DataFrame:
    return label_p_values(tmp_path)


@pytest.fixture
def levels(tmp_path: Path) -> pd.DataFrame:
    return label_levels(tmp_path)


def test_the_papers_own_numbers_agree(p_values: pd.DataFrame, levels: pd.DataFrame) -> None:
    found = example(p_values)
    assert list(found["score"]) == list(EXAMPLE)
    assert (found["scores_agree"] == 2).all()
    assert np.allclose(found["z"], 0.0)
    assert np.allclose(found["implied_fraction"], 0.2)
    assert (found["p_all"] == 0.001).all()
    summary = summarise(p_values, levels)
    assert summary["line"] == (
        "8 of 8 printed scores and 4 of 4 printed p-values agree; the largest Type-I error at level 0.05 is "
        "0 at f = 0.1, the default of BooStSa; 6 of 6 rates lie in its 99 % band at f = 1"
    )
    assert {row.outcome for row in summary["verdicts"] if row.place == "figure 3"} == {HOLDS}


def test_z_counts_the_errors_of_both_at_their_pooled_p(p_values: pd.DataFrame) -> None:
    """Ours rests on 2 · 1000 resamples, the printed one on 1000."""
    shifted = p_values.assign(p=p_values["p"] + 0.02)
    found = example(shifted).set_index("score").loc["accuracy"]
    pooled = (2000 * 0.058 + 38) / 3000
    assert found["z"] == pytest.approx(0.02 / (pooled * (1 - pooled) * (1 / 2000 + 1 / 1000)) ** 0.5)
    assert found["implied_fraction"] == pytest.approx(0.2 * (norm.isf(0.038) / norm.isf(0.058)) ** 2)


def test_other_scores_and_p_values_are_counted(p_values: pd.DataFrame, levels: pd.DataFrame) -> None:
    off = p_values.assign(
        p=p_values["p"].where(p_values["score"] != "recall_macro", 0.3),
        score_a=p_values["score_a"].where(p_values["score"] != "f1_macro", 0.7409),
    )
    summary = summarise(off, levels)
    assert summary["line"].startswith("7 of 8 printed scores and 3 of 4 printed p-values agree")
    agrees = [row.outcome for row in summary["verdicts"] if row.place == "figure 3"]
    assert agrees == [IN_PART, IN_PART]
    wrong = p_values.assign(p=p_values["p"] + 0.4, score_a=0.1, score_b=0.2)
    agrees = [row.outcome for row in summarise(wrong, levels)["verdicts"] if row.place == "figure 3"]
    assert agrees == [FAILS, FAILS]


def test_figure_2_is_as_printed_where_p_is_significant_above_three_tenths_alone(
    p_values: pd.DataFrame,
) -> None:
    found = onsets(p_values).set_index(["score", "discordance"])
    assert found["from_fraction"].to_dict() == pytest.approx(
        {(score, d): 0.4 if d == 0.007 else np.nan for score in TAGGING for d in (0.007, 0.1)}, nan_ok=True
    )
    assert found["agrees"].tolist() == [True, False] * 2
    early = onsets(p_values.assign(p=p_values["p"].where(p_values["fraction"] != 0.3, 0.04)))
    assert not early["agrees"].any()


def test_the_implied_discordances_put_p_at_the_level() -> None:
    low, high = implied_discordances()
    lead = (TAGGED_RIGHT_A - TAGGED_RIGHT_B) / TAGGED_ITEMS
    for fraction, discordance in ((0.3, low), (0.4, high)):
        z = lead * (fraction * TAGGED_ITEMS / (discordance - lead**2)) ** 0.5
        assert norm.sf(z) == pytest.approx(0.05)


def test_steps_of_figure_1_are_the_falls_of_p_from_size_to_size(p_values: pd.DataFrame) -> None:
    steps = steps_of_figure_1(points_of_figure_1(p_values, "published"))
    assert len(steps) == 5
    assert (steps["margin"] > 0.0).all()
    larger = p_values["n_items"] == 2000
    rising = p_values.assign(p=p_values["p"].where(~larger, 0.6 + 0.001 * p_values["simulation"]))
    steps = steps_of_figure_1(points_of_figure_1(rising, "published"))
    assert (steps["margin"] < -3.0 * steps["error"]).all()
    one = p_values[p_values["simulation"] == 0]
    single = steps_of_figure_1(points_of_figure_1(one, "published"))
    assert np.isinf(single["error"]).all()


def verdicts_on_shares(summary: dict[str, Any]) -> list[str]:
    """Return what was found, published, of each of the paper's statements about the share."""
    return [
        row.outcome
        for row in summary["verdicts"]
        if "Type-I error" in row.criterion and row.semantics == "published"
    ]


def test_a_run_without_the_example_has_no_verdict_on_it(p_values: pd.DataFrame, levels: pd.DataFrame) -> None:
    summary = summarise(p_values[p_values["design"] != "example"], levels)
    assert "figure 3" not in {row.place for row in summary["verdicts"]}


def test_larger_test_sets_have_smaller_p(p_values: pd.DataFrame, levels: pd.DataFrame) -> None:
    def on_sizes(rows: pd.DataFrame) -> list[str]:
        found = summarise(rows, levels)["verdicts"]
        return [row.outcome for row in found if "from each test-set size" in row.criterion]

    assert on_sizes(p_values) == [HOLDS, HOLDS]
    larger = p_values["n_items"] == 2000
    rising = p_values.assign(p=p_values["p"].where(~larger, 0.6 + 0.001 * p_values["simulation"]))
    assert on_sizes(rising) == [FAILS, FAILS]
    single = p_values[p_values["simulation"] == 0]
    assert on_sizes(single) == [OPEN, OPEN]


def test_the_advice_of_small_shares_is_contradicted_where_all_rates_lie_below(
    p_values: pd.DataFrame, levels: pd.DataFrame
) -> None:
    assert verdicts_on_shares(summarise(p_values, levels)) == [FAILS, FAILS, FAILS, FAILS]
    assert verdicts_on_shares(summarise(p_values, levels.assign(place="inside"))) == [
        FAILS,
        FAILS,
        HOLDS,
        HOLDS,
    ]
    as_it_says = levels.assign(place=np.where(levels["fraction"] == 1.0, "below", "above"))
    assert verdicts_on_shares(summarise(p_values, as_it_says)) == [HOLDS, HOLDS, FAILS, FAILS]
    half = levels.assign(place=np.where(levels["kind"] == "hard", "inside", "below"))
    assert verdicts_on_shares(summarise(p_values, half)) == [FAILS, IN_PART, IN_PART, IN_PART]
    without = summarise(p_values, levels[levels["fraction"] == 0.3])
    assert without["type_1_error"]["at_all"] is None
    assert without["line"].endswith("printed p-values agree")


def test_files_become_every_table_and_figure_and_a_page(
    p_values: pd.DataFrame, levels: pd.DataFrame, tmp_path: Path
) -> None:
    answer = labels_report(p_values, levels)
    write_answer(answer, tmp_path, stem="summary", page="report")
    (line,) = answer.sentences
    assert read_json(tmp_path / "summary.json")["line"] == line
    assert len(pd.read_csv(tmp_path / "tables/type_1_error.csv")) == len(levels)
    assert pd.read_csv(tmp_path / "tables/figure_02.csv")["items"].tolist() == [21, 306] * 2
    assert {path.stem for path in (tmp_path / "figures").glob("*.png")} == {
        *("figure_01", "figure_02", "figure_03", "type_1_error"),
    }
    assert all(imread(path).std() > 0 for path in (tmp_path / "figures").glob("*.png"))
    assert line in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_run_without_figure_2_does_without_its_table(p_values: pd.DataFrame, levels: pd.DataFrame) -> None:
    answer = labels_report(p_values[p_values["design"] != "tagging"], levels)
    tables, figures = ({part.name for part in parts} for parts in (answer.tables, answer.figures))
    assert "type_1_error" in tables
    assert "type_1_error" in figures
    assert "figure_02" not in tables | figures | set(answer.to_dict())


def test_files_out_of_their_folders_are_named(tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    write_parquet(path, pa.Table.from_pylist(example_rows()), {})
    with pytest.raises(NbykError, match=r"p\.parquet: expected it in folders design=…"):
        read_p_values([path])
