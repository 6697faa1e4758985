"""What the repository says of calibration is what its counts say."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from nbyk.testing.intervals import proportion_interval
from nbyk_papers.calibration import design as calibration
from nbyk_papers.calibration.design import PEOPLE
from nbyk_papers.calibration.reading import COLUMNS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "scripts/calibration_docs.py"))


@pytest.fixture(scope="module")
def rates(script: dict[str, Any]) -> pd.DataFrame:
    found: pd.DataFrame = script["shipped_rates"]()
    return found


def test_the_page_is_that_of_the_rates(script: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        script["main"](["--check"])
    assert stop.value.code == 0, capsys.readouterr().out


def test_a_page_of_other_rates_is_another(script: dict[str, Any], rates: pd.DataFrame) -> None:
    text = (ROOT / "docs/calibration.md").read_text(encoding="utf-8")
    unlike = pd.read_csv(ROOT / "docs/calibration/unlike.csv", keep_default_na=False)
    labels = pd.read_csv(ROOT / "docs/calibration/labels.csv")
    other = rates.assign(rejections=1, rate=0.001)
    assert script["page"](text, rates, unlike, labels) == text
    assert script["page"](text, other, unlike, labels) != text


def test_labels_hold_their_level() -> None:
    """1,000 sets a rate: the standard error of .05 is .007. The page tells of correlations of entropies."""
    labels = pd.read_csv(ROOT / "docs/calibration/labels.csv")
    assert labels["n_sets"].min() >= 1000
    assert set(labels["classes"]) == set(calibration.LABEL_CLASSES)
    at_main = labels[(labels["alpha"] == 0.05) & (labels["metric"] != "entropy_correlation")]
    assert len(at_main) == 4 * 4 * (len(PEOPLE) - 3) + 6 * 4 * 3
    assert at_main["rate"].max() <= 0.08
    assert at_main.loc[at_main["people"] == "own", "rate"].max() <= 0.07


def test_the_shipped_study_is_the_default_one_in_full(rates: pd.DataFrame) -> None:
    assert (rates["n_sets"] == 1000).all()
    assert set(rates["source"]) == set(calibration.SOURCES)
    assert set(rates["metric"]) == set(calibration.METRICS)
    assert set(rates["alpha"]) == set(calibration.ALPHAS)
    of_expected = rates["definition"] == "expected_p"
    for part, sizes in (
        (rates[~of_expected], calibration.SIZES),
        (rates[of_expected], calibration.EXPECTED_SIZES),
    ):
        cells = part[["source", "n_items", "k_responses", "epsilon_a", "epsilon_b"]].drop_duplicates()
        assert set(zip(cells["n_items"], cells["k_responses"], strict=True)) == set(sizes)
        truths = 1 + len(calibration.WEAK_EPSILONS) + len(calibration.POWER_EPSILONS)
        assert len(cells) == len(calibration.SOURCES) * len(sizes) * truths


def test_the_default_holds_its_level(rates: pd.DataFrame) -> None:
    """Above their 99 % bands are no more rates than by chance, and none above bands that hold all at once."""
    summary = runpy.run_path(str(ROOT / "scripts/calibration_docs.py"))["summarise"](rates)
    default = summary["default"]
    assert default["outside_simultaneous"]["above"] == 0
    assert default["above"] <= default["outside_by_chance"]
    assert default["with_ties_at_random"]["inside"] >= 0.97 * default["rates"]
    assert summary["recommended"]["null"]["chosen"] == calibration.DEFAULT_NULL


def test_a_run_is_kept_as_its_counts(script: dict[str, Any], tmp_path: Path) -> None:
    count = {
        **dict.fromkeys(COLUMNS, 1),
        **{"metric": "mae", "definition": "p_value", "sampler": "all_items/all", "null": "swap_items"},
        **{"alternative": "two-sided", "alpha": 0.05, "n_sets": 1000, "rejections": 51, "rate": 0.051},
        **dict(zip(("low", "high"), proportion_interval(51, 1000), strict=True)),
    }
    import pyarrow as pa

    from nbyk.files import write_parquet

    for source in ("toxicity", "simulated"):
        path = tmp_path / f"rates/source={source}/cell.parquet"
        write_parquet(path, pa.Table.from_pylist([count]), {"seed": 1})
    script["pack"].__globals__["RATES"] = tmp_path / "kept.parquet"
    script["pack"](tmp_path / "rates")
    kept = script["shipped_rates"]()
    assert kept["source"].tolist() == ["simulated", "toxicity"]
    assert kept["rate"].tolist() == [0.051] * 2
    assert kept["place"].tolist() == ["inside"] * 2


def test_the_page_has_no_part_left_to_fill_in() -> None:
    text = (ROOT / "docs/calibration.md").read_text(encoding="utf-8")
    assert not re.search(r"@[A-Z_]+@", text)
    assert len(re.findall(r"<!-- \w+ -->", text)) == 2 * text.count("<!-- end -->")
