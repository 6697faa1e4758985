"""Tables, heat maps and summary of calibration, from rates that are known."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from matplotlib.image import imread
from scipy.stats import binom

from nbyk.config import validate
from nbyk.files import read_json, write_json, write_parquet
from nbyk.priors import published_prior
from nbyk.report.answer import write_answer
from nbyk.testing.intervals import proportion_interval
from nbyk_papers.calibration.reading import band, read_rates
from nbyk_papers.calibration.report import default_rates, rates_report, report, summarise, tables_of
from nbyk_papers.calibration.study import STUDY
from nbyk_papers.calibration.verdicts import BCA, EXPECTED_P, P_VALUE, PERCENTILE, TIES_AT_RANDOM

SETS = 1000
OWN, BOOT = "all_items/all", "bootstrap_items/all"
TESTS = (
    (P_VALUE, OWN, "swap_items", "two-sided"),
    (TIES_AT_RANDOM, OWN, "swap_items", "two-sided"),
    (P_VALUE, OWN, "permutation", "two-sided"),
    (P_VALUE, BOOT, "shifted", "two-sided"),
    (PERCENTILE, BOOT, "", "two-sided"),
    (BCA, BOOT, "", "two-sided"),
    (EXPECTED_P, BOOT, "pooled", "folded"),
    (EXPECTED_P, BOOT, "swap_items", "folded"),
)
TABLES = ["default", "default_metrics", "tests", "all_metrics"]
LINE = (
    "0 of 4 Type-I errors of the default test lie above the 99 % band around α, and 2 below it "
    "(2 only because of ties)"
)
CELLS = ((0.0, 0.0), (0.3, 0.3), (0.0, 0.2))


def rejections(definition: str, null: str, epsilons: tuple[float, float], metric: str) -> int:
    """Return too many for the permutation under the weak null, too few for the default by wins."""
    if epsilons == CELLS[2]:
        return {"swap_items": 500, "permutation": 700, "shifted": 400}.get(null, 450)
    if definition == EXPECTED_P:
        return 5
    if null == "permutation" and epsilons == CELLS[1]:
        return 150
    if definition == P_VALUE and null == "swap_items" and metric == "wins_mae":
        return 20
    return 55 if definition == PERCENTILE else 80 if definition == BCA else 50


def rate_files(folder: Path) -> list[Path]:
    found = []
    for a, b in CELLS:
        rows: list[dict[str, Any]] = []
        for definition, sampler, null, alternative in TESTS:
            for metric in ("mae", "wins_mae"):
                count = rejections(definition, null, (a, b), metric)
                low, high = proportion_interval(count, SETS)
                rows.append(
                    {
                        **{"epsilon_a": a, "epsilon_b": b, "n_items": 50, "k_responses": 5},
                        **{"metric": metric, "definition": definition, "sampler": sampler, "null": null},
                        **{"alternative": alternative, "alpha": 0.05, "n_resamples": 199, "n_sets": SETS},
                        **{"undefined": 0, "rejections": count, "rate": count / SETS},
                        **{"low": low, "high": high},
                    }
                )
        path = folder / f"rates/source=toxicity/epsilon-{a}-{b}.parquet"
        write_parquet(path, pa.Table.from_pylist(rows), {"seed": 1})
        found.append(path)
    return found


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    return rate_files(tmp_path)


@pytest.fixture
def rates(files: list[Path]) -> pd.DataFrame:
    return read_rates(files)


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.1])
@pytest.mark.parametrize("n_sets", [70, 1000])
def test_the_band_holds_99_in_100_and_no_narrower_one_does(n_sets: int, alpha: float) -> None:
    low, high = band(n_sets, alpha)
    assert binom.cdf(high, n_sets, alpha) - binom.cdf(low - 1, n_sets, alpha) >= 0.99
    assert binom.cdf(low, n_sets, alpha) > 0.005
    assert binom.sf(high - 1, n_sets, alpha) > 0.005


def test_rates_know_what_is_true_and_where_they_lie(rates: pd.DataFrame) -> None:
    assert rates["null"].iloc[0] == "swap_items"
    assert set(rates["scenario"]) == {"strong", "weak", "power"}
    assert (rates.loc[rates["scenario"] == "power", "place"] == "").all()
    places = rates.groupby("rejections")["place"].agg(set)
    assert places[[5, 20, 50, 55, 80, 150]].tolist() == [
        {"below"},
        {"below"},
        {"inside"},
        {"inside"},
        {"above"},
        {"above"},
    ]


def test_exceptions_of_the_default_are_explained(rates: pd.DataFrame) -> None:
    default = default_rates(rates)
    assert dict(zip(default["metric"], default["why"], strict=True)) == {"mae": "", "wins_mae": "ties"}
    undefined = rates.assign(undefined=7, place="below")
    assert set(default_rates(undefined)["why"]) == {"undefined"}
    above = rates.assign(place=rates["place"].replace({"below": "above"}))
    assert set(default_rates(above)["why"]) == {"", "chance"}


def test_the_summary_counts_and_recommends(rates: pd.DataFrame) -> None:
    summary = summarise(rates)
    assert summary["line"] == LINE
    assert summary["default"]["explained"] == {"ties": 2}
    assert summary["default"]["outside_simultaneous"] == {"below": 2, "above": 0}
    within = binom.cdf(69, SETS, 0.05) - binom.cdf(32, SETS, 0.05)
    assert summary["default"]["outside_by_chance"] == pytest.approx(4 * (1 - within))
    assert [row["metric"] for row in summary["default"]["exceptions"]] == ["wins_mae"] * 2
    assert summary["default"]["with_ties_at_random"] == {"inside": 4, "below": 0, "above": 0}
    chosen = summary["recommended"]
    # The permutation has more power, and fails under the weak null.
    assert chosen["null"]["chosen"] == "swap_items"
    assert {row["null"]: row["holds"] for row in chosen["null"]["candidates"]} == {
        "swap_items": True,
        "shifted": True,
        "permutation": False,
    }
    assert chosen["interval"]["chosen"]["definition"] == PERCENTILE
    assert chosen["interval"]["chosen"]["distance"] == pytest.approx(0.005)
    assert chosen["expected_p"]["nulls_that_hold"] == ["pooled", "swap_items"]


def test_tables_say_where_the_level_is_not_held(rates: pd.DataFrame) -> None:
    tables = {name: table for name, _, table in tables_of(rates)}
    assert list(tables) == [*TABLES, "expected_p", "power"]
    default = tables["default"]
    assert default["true"].tolist() == ["strong null", "weak null, ε = 0.3"]
    assert default["α = 0.05"].tolist() == [0.05, 0.05]
    assert default["band at 0.05"].tolist() == ["0.033–0.069"] * 2
    assert default["95 % at 0.05"].tolist() == ["0.037–0.065"] * 2  # of 50 in 1000, Clopper and Pearson
    assert default["inside"].tolist() == ["yes", "yes"]
    wins = {name: table for name, _, table in tables_of(rates[rates["metric"] == "wins_mae"])}["default"]
    assert wins["inside"].tolist() == ["below at 0.05"] * 2
    power = tables["power"].set_index("test")["50 × 5"]
    assert power["permutation"] == 0.7
    assert tables["default_metrics"]["below"].tolist() == [0, 2]


def test_everything_is_written(files: list[Path], rates: pd.DataFrame, tmp_path: Path) -> None:
    out = tmp_path / "out"
    answer = rates_report(rates)
    write_answer(answer, out, stem="summary", page="report")
    assert answer.sentences == (read_json(out / "summary.json")["line"],)
    for name in ("type_1_error", "metrics", "expected_p", "power"):
        assert imread(out / f"figures/{name}.png").std() > 0
    for suffix in ("csv", "md", "tex"):
        assert len(list((out / "tables").glob(f"*.{suffix}"))) == 6
    page = (out / "report.html").read_text(encoding="utf-8")
    assert LINE in page
    assert re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?\s*(?:https?:)?//[^"' >]*""", page) == []


def test_a_rejected_fit_is_said_before_anything_else(files: list[Path], tmp_path: Path) -> None:
    rejected = tmp_path / "prior.json"
    write_json(rejected, {**published_prior("convabuse").to_dict(), "caution": "This prior <is> off."})
    write_answer(report(rates=files, priors=[rejected]), tmp_path, stem="summary", page="report")
    page, caution = (tmp_path / "report.html").read_text(encoding="utf-8"), "This prior &lt;is&gt; off."
    assert page.count(caution) == 1
    assert page.index(caution) < page.index(LINE)
    config = validate({"calibration": {"sources": ["simulated", "convabuse_fit"]}})
    files_of_priors = [
        "results/priors/published/simulated.json",
        "results/fits/convabuse/prior.json",
    ]
    assert STUDY.reported(config).inputs["priors"] == files_of_priors


def test_a_run_without_power_and_expected_p(rates: pd.DataFrame, tmp_path: Path) -> None:
    few = rates[(rates["scenario"] != "power") & (rates["definition"] != EXPECTED_P)]
    assert [name for name, _, _ in tables_of(few)] == TABLES
    write_answer(rates_report(few), tmp_path, stem="summary", page="report")
    drawn = {path.stem for path in (tmp_path / "figures").glob("*.svg")}
    assert drawn == {"type_1_error", "metrics"}


def test_a_run_without_the_level_of_tables_shows_its_nearest(rates: pd.DataFrame, tmp_path: Path) -> None:
    others = pd.concat([rates.assign(alpha=alpha) for alpha in (0.01, 0.1)], ignore_index=True)
    answer = rates_report(others)
    shown = {table.name: table for table in answer.make_tables()}
    assert "at α = 0.01, two-sided" in shown["tests"].caption
    assert {name: len(shown[name].frame) for name in ("tests", "all_metrics", "power")} == {
        name: len(table) for name, _, table in tables_of(rates) if name in ("tests", "all_metrics", "power")
    }
    write_answer(answer, tmp_path, stem="summary", page="report")
    assert imread(tmp_path / "figures/type_1_error.png").std() > 0
