"""The report on every data set at hand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from nbyk.data import Ratings
from nbyk.errors import NbykError
from nbyk.files import write_json, write_parquet
from nbyk.priors import published_prior
from nbyk.report.answer import write_answer
from nbyk_papers.datasets.report import (
    description_table,
    family_label,
    interval_alpha,
    p_value_table,
    read_data_set,
    report,
    shown_p_values,
)
from nbyk_papers.gathered import P_VALUES, as_rows

NAN = np.nan
CHECK = {
    **{f"{part}_{kind}": 0.25 for part in ("means", "sds") for kind in ("ks", "p")},
    **{"n_sets": 200, "mean_data": 0.5, "mean_prior": 0.5, "mean_p": 1.0},
}
SAMPLERS = (("all_items", "all"), ("bootstrap_items", "sample(K)"))


def p_value_file(folder: Path, source: str, n_items: int, *, metrics: tuple[str, ...]) -> Path:
    """Write p-values of two test sets under one ε; the estimated ones differ by set, metric and sampler."""
    rows = [
        {
            "epsilon_b": 0.1,
            "n_items": n_items,
            "k_responses": 5,
            "semantics": "recommended",
            "source": source,
            "sampler": f"{items}/{responses}",
            "reference": reference,
            "metric": metric,
            "estimated_p": 0.1 * (1 + reference) + 0.01 * place + 0.001 * bootstrap,
            "true_p": 0.05,
            "true_se": 0.005,
        }
        for bootstrap, (items, responses) in enumerate(SAMPLERS)
        for place, metric in enumerate(metrics)
        for reference in range(2)
    ]
    path = folder / f"{source}-{n_items}.parquet"
    write_parquet(path, as_rows(P_VALUES, "datasets", 1, pd.DataFrame(rows)), {})
    return path


def data_set_files(folder: Path, name: str, **made: Any) -> tuple[str, Path, Path, Path]:
    rng = np.random.default_rng(5)
    items = np.repeat([f"item {n}" for n in range(40)], 3)
    ratings = Ratings.from_columns(items.tolist(), ["a", "b", "c"] * 40, rng.integers(0, 2, 120).tolist())
    stamp = {"licence": "CC BY 4.0", "citation": "Someone (2024)", "scale": "binary", **made}
    write_parquet(folder / f"{name}.parquet", ratings.to_table(), stamp)
    write_json(folder / f"{name}.json", published_prior("armis").to_dict())
    write_json(folder / f"{name}_check.json", CHECK)
    return name, folder / f"{name}.parquet", folder / f"{name}.json", folder / f"{name}_check.json"


def test_alpha_is_krippendorffs() -> None:
    """The example of Krippendorff (2011): four observers, twelve units, α = .849 on the interval scale."""
    observers = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
    assert interval_alpha(np.array(observers).T) == pytest.approx(0.849, abs=5e-4)


@pytest.mark.parametrize(
    ("matrix", "alpha"),
    [
        ([[0, 0], [1, 1]], 1.0),
        ([[0, 0], [0, 0]], NAN),
        ([[0, NAN], [1, NAN]], NAN),
        # Two items, each 0 and 1: observed 1/2, expected 1/3 of squared distances.
        ([[0, 1], [0, 1]], -0.5),
    ],
)
def test_alpha_of_extremes(matrix: list[list[float]], alpha: float) -> None:
    assert interval_alpha(np.array(matrix, dtype=float)) == pytest.approx(alpha, nan_ok=True)


def test_p_values_are_averaged_over_test_sets(tmp_path: Path) -> None:
    files = [p_value_file(tmp_path, name, 40, metrics=("mae", "cosine")) for name in ("armis", "mine")]
    table = p_value_table(files, ["mine", "armis"])
    assert list(table["source"].unique()) == ["mine", "armis"]
    assert len(table) == 2 * 2 * 2
    first = table[(table["sampler"] == "all_items/all") & (table["metric"] == "cosine")].iloc[0]
    assert first["estimated_p"] == pytest.approx((0.11 + 0.21) / 2)
    assert first["estimated_sd"] == pytest.approx(np.std([0.11, 0.21], ddof=1))
    assert first["n_references"] == 2
    assert set(shown_p_values(table)["sampler"]) == {"bootstrap_items/sample(K)"}
    assert set(shown_p_values(table)["metric"]) == {"mae"}
    with pytest.raises(NbykError, match="no p-values of hs_brexit;"):
        p_value_table(files, ["mine", "hs_brexit"])


def test_a_metric_of_ones_own_is_shown_where_there_is_no_other(tmp_path: Path) -> None:
    table = p_value_table([p_value_file(tmp_path, "mine", 40, metrics=("own", "b", "c", "d"))], ["mine"])
    assert set(shown_p_values(table)["metric"]) == {"own", "b", "c"}


def test_a_data_set_is_described_by_a_row(tmp_path: Path) -> None:
    data = read_data_set(*data_set_files(tmp_path, "armis"))
    (row,) = description_table([data]).to_dict("records")
    assert (row["items"], row["ratings"], row["raters"], row["per item"]) == (40, 120, 3, "3")
    assert (row["title"], row["scale"], row["licence"]) == ("ArMIS", "0 or 1", "CC BY 4.0")
    assert (row["means"], row["KS of means"]) == (family_label(data.prior.mu.to_dict()), 0.25)


def test_a_family_is_called_by_what_it_is_made_of() -> None:
    normal = {"family": "normal", "mean": 0.0, "sd": 1.0}
    mixture = {"family": "mixture", "weights": [0.5, 0.5], "components": [normal, normal]}
    assert family_label(normal) == "normal"
    assert family_label({"family": "truncated_normal"}) == "truncated normal"
    assert family_label({"family": "clamped", "of": mixture}) == "clamped mixture of 2 normals"
    beta = {"family": "beta", "a": 1.0, "b": 2.0}
    assert family_label({**mixture, "components": [beta, normal]}) == "mixture of beta and normal"


def write_report(folder: Path, data_sets: list[tuple[str, Path, Path, Path]], out: Path) -> str:
    """Write the report on data sets and return its page."""
    names, ratings, priors, checks = zip(*data_sets, strict=True)
    files = [p_value_file(folder, name, 40, metrics=("mae",)) for name in names]
    found = report(sources=names, seed=1, pvalues=files, ratings=ratings, priors=priors, checks=checks)
    write_answer(found, out, stem="summary", page="report")
    return (out / "report.html").read_text(encoding="utf-8")


def test_the_report_is_one_page_with_a_section_of_each_data_set(tmp_path: Path) -> None:
    names = ("armis", "mine")
    data = [data_set_files(tmp_path, name, licence=f"of {name} <b>") for name in names]
    page = write_report(tmp_path, data, tmp_path / "once")
    assert write_report(tmp_path, data, tmp_path / "again") == page
    assert page.count("<h2 id=") == page.count("<img ") == 2
    assert all(f"of {name} &lt;b&gt;" in page for name in names)
    assert "2 data sets, 240 ratings" in page
    assert "by the top level" in page
    assert re.findall(r"""(?:src|href)\s*=\s*["']?\s*(?:https?:)?//""", page) == []
    assert len(pd.read_csv(tmp_path / "once/tables/pvalues.csv")) == 4
    assert list(pd.read_csv(tmp_path / "once/tables/data_sets.csv")["source"]) == list(names)
    written = sorted(path.relative_to(tmp_path / "once") for path in (tmp_path / "once").rglob("[!.]*.*"))
    tables = ("pvalues", "data_sets", *(f"pvalues/{name}" for name in names))
    assert {str(path) for path in written if ".nbyk" not in str(path)} == {
        *("report.html", "summary.json"),
        *(f"tables/{name}.{suffix}" for name in tables for suffix in ("csv", "md", "tex", "parquet")),
        *(f"figures/{name}.{suffix}" for name in names for suffix in ("png", "svg")),
    }
    for path in written:
        assert (tmp_path / "once" / path).read_bytes() == (tmp_path / "again" / path).read_bytes()


def test_a_rejected_fit_is_said_before_anything_else(tmp_path: Path) -> None:
    files = data_set_files(tmp_path, "armis")
    write_json(files[2], {**published_prior("armis").to_dict(), "caution": "This prior <is> off."})
    page = write_report(tmp_path, [files], tmp_path / "out")
    caution = "This prior &lt;is&gt; off."
    assert page.count(caution) == 2
    assert page.index(caution) < page.index("1 data sets, 120 ratings")
    section = page.index('<h2 id="armis">')
    assert section < page.index(caution, section) < page.index("per item. Each rating is", section)
    assert list(pd.read_csv(tmp_path / "out/tables/data_sets.csv")["check"]) == ["rejected"]


def test_a_report_on_nothing_is_refused() -> None:
    with pytest.raises(NbykError, match="no data sets; expected one file of ratings"):
        report(sources=[], seed=1, pvalues=[], ratings=[], priors=[], checks=[])
