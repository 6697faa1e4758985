"""Every data set that you have: the facts about each, as tables, figures and a page."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from nbyk.arrays import Floats
from nbyk.data import Ratings, scale_from_text, source, source_names
from nbyk.data.ratings import stored_ratings
from nbyk.errors import NbykError
from nbyk.files import read_json
from nbyk.priors import TwoStagePrior, read_prior
from nbyk.report.answer import Answer, AnswerTable
from nbyk_papers.gathered import in_order, read_rows
from nbyk_papers.shown import Page, moments_figure, study_answer, titled
from nbyk_papers.wein2023.design import COLUMNS

if TYPE_CHECKING:
    from matplotlib.figure import Figure


SHOWN_SAMPLER = "bootstrap_items/sample(K)"
"""The sampler whose p-values are shown if a run has it; else the run's first."""

_SHOWN_METRICS = ("mae", "wins_mae", "mean_of_emds")
_KEY = ["semantics", "source", "n_items", "k_responses", "sampler", "metric", "epsilon_b"]


@dataclass(frozen=True)
class DataSet:
    """A data set: its ratings, where they are from, the prior fitted to them, and its predictive check."""

    name: str
    title: str
    made: dict[str, Any]
    ratings: Ratings
    prior: TwoStagePrior
    check: dict[str, Any]

    @property
    def per_item(self) -> str:
        """The number of ratings per item: "3", or "2–7"."""
        counts = self.ratings.counts()
        low, high = int(counts.min()), int(counts.max())
        return str(low) if low == high else f"{low}–{high}"

    @property
    def scale(self) -> str:
        """The values on its scale, in words."""
        return scale_from_text(self.made["scale"]).expected


def read_data_set(name: str, ratings: Path, prior: Path, check: Path) -> DataSet:
    """Return a data set from the files that `nbyk study normalise` and `nbyk fit` wrote."""
    read, made = stored_ratings(ratings)
    title = source(name).title if name in source_names() else name
    return DataSet(name, title, made, read, read_prior(prior), read_json(check))


def interval_alpha(matrix: Floats) -> float:
    """Return Krippendorff's α of ratings, shape (N, K) with NaN where missing, with squared differences.

    It is at most 1, where all ratings of an item are alike; NaN if all ratings are. Items with fewer than two
    ratings are left out. Krippendorff (2011), Computing Krippendorff's Alpha-Reliability.
    """
    counts = (~np.isnan(matrix)).sum(axis=1)
    paired, m = matrix[counts >= 2], counts[counts >= 2]
    values = paired[~np.isnan(paired)]
    if len(values) < 2 or np.ptp(values) == 0.0:
        return float("nan")
    within = np.nansum((paired - np.nanmean(paired, axis=1, keepdims=True)) ** 2, axis=1)
    observed = float((within * m / (m - 1)).sum() / len(values))
    expected = float(((values - values.mean()) ** 2).sum() / (len(values) - 1))
    return 1.0 - observed / expected


def family_label(content: Mapping[str, Any]) -> str:
    """Return a family's name for people: "clamped mixture of 2 normals"."""
    name = str(content["family"]).replace("_", " ")
    if "of" in content:
        return f"{name} {family_label(content['of'])}"
    if "components" in content:
        parts = Counter(family_label(part) for part in content["components"])
        return f"{name} of " + " and ".join(f"{n} {part}s" if n > 1 else part for part, n in parts.items())
    return name


def p_value_table(files: Sequence[str | os.PathLike[str]], order: Sequence[str]) -> pd.DataFrame:
    """Return the p-values of every data set, metric, sampler and ε, the data sets in order.

    Columns are semantics, source, n_items, k_responses, sampler, metric, epsilon_b; estimated_p and
    estimated_sd (mean and standard deviation over test sets), n_references, true_p and true_se.
    """
    p = read_rows(files)
    lacking = [name for name in order if name not in set(p["source"])]
    if lacking:
        raise NbykError(
            f"no p-values of {', '.join(lacking)}; give the file that `nbyk study aggregate` wrote for them"
        )
    table = p.groupby(_KEY, observed=True, sort=False).agg(
        estimated_p=("estimated_p", "mean"),
        estimated_sd=("estimated_p", "std"),
        n_references=("estimated_p", "count"),
        true_p=("true_p", "first"),
        true_se=("true_se", "first"),
    )
    return in_order(table.reset_index(), ["source", "semantics", "n_items", "k_responses"], {"source": order})


def shown_p_values(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the shown sampler and of a few metrics."""
    samplers, metrics = list(table["sampler"].unique()), list(table["metric"].unique())
    sampler = SHOWN_SAMPLER if SHOWN_SAMPLER in samplers else samplers[0]
    few = [name for name in _SHOWN_METRICS if name in metrics] or metrics[:3]
    rows: pd.DataFrame = table[(table["sampler"] == sampler) & table["metric"].isin(few)]
    return rows


def description_table(data_sets: Sequence[DataSet]) -> pd.DataFrame:
    """Return a row per data set: its size, scale and licence, the fitted families and their goodness."""
    return pd.DataFrame(
        [
            {
                "source": data.name,
                "title": data.title,
                "items": data.ratings.n_items,
                "ratings": data.ratings.n_ratings,
                "raters": len(data.ratings.raters),
                "per item": data.per_item,
                "scale": data.scale,
                "licence": data.made["licence"],
                "α": interval_alpha(data.ratings.matrix()),
                "means": family_label(data.prior.mu.to_dict()),
                "KS of means": data.check["means_ks"],
                "p of means": data.check["means_p"],
                "deviations": family_label(data.prior.sigma.to_dict()),
                "KS of deviations": data.check["sds_ks"],
                "p of deviations": data.check["sds_p"],
                "check": "rejected" if data.prior.caution else "passed",
            }
            for data in data_sets
        ]
    )


def report(
    *,
    sources: Sequence[str],
    seed: int,
    pvalues: Sequence[Path],
    ratings: Sequence[Path],
    priors: Sequence[Path],
    checks: Sequence[Path],
) -> Answer:
    """Return tables, a figure of each data set and the page, from files of p-values and of each data set."""
    if not len(sources) == len(ratings) == len(priors) == len(checks) > 0:
        raise NbykError("no data sets; expected one file of ratings, one prior and one check for each source")
    data_sets = [read_data_set(*parts) for parts in zip(sources, ratings, priors, checks, strict=True)]
    p = p_value_table(pvalues, sources)
    shown = shown_p_values(p)
    n_ratings = sum(data.ratings.n_ratings for data in data_sets)
    page = Page(
        "Every data set that you have",
        Path(__file__).with_name("datasets.html"),
        first=sources[0],
        titles={data.name: _caption(data) for data in data_sets},
    )
    return study_answer(
        page,
        {
            "line": f"{len(data_sets)} data sets, {n_ratings:,} ratings",
            "cautions": [data.prior.caution for data in data_sets if data.prior.caution],
            "n_references": int(p["n_references"].max()),
            "sampler": shown["sampler"].iloc[0],
            "sections": [_section(data) for data in data_sets],
        },
        [
            ("data_sets", "Every data set that you have", description_table(data_sets)),
            *(
                (f"pvalues/{data.name}", f"p-values on {data.title}", _shown(shown, data.name))
                for data in data_sets
            ),
        ],
        {data.name: partial(fit_figure, data, seed=seed) for data in data_sets},
        files_alone=[AnswerTable("pvalues", "Every p-value", p, on_page=False)],
    )


def fit_figure(data: DataSet, *, seed: int) -> Figure:
    """Draw item means and deviations of the ratings beside those of as many ratings of the fitted prior."""
    means, deviations = (family_label(family.to_dict()) for family in (data.prior.mu, data.prior.sigma))
    return moments_figure(
        f"{data.title}: means {means}, deviations {deviations}",
        {"as many items of the fitted prior": data.prior},
        seed,
        data.ratings.matrix(),
        top=data.prior.response.top,
    )


def _section(data: DataSet) -> dict[str, Any]:
    return {
        "name": data.name,
        "title": data.title,
        "caution": data.prior.caution,
        "text": f"{data.ratings.n_items:,} items, {data.ratings.n_ratings:,} ratings by "
        f"{len(data.ratings.raters):,} raters, {data.per_item} per item. Each rating is {data.scale}.",
        "licence": data.made["licence"],
        "citation": data.made["citation"],
    }


def _caption(data: DataSet) -> str:
    check = data.check
    return (
        f"Items of {data.title} and of the fitted prior. Means: KS {check['means_ks']:.3f}, "
        f"p {check['means_p']:.3f}; standard deviations: KS {check['sds_ks']:.3f}, "
        f"p {check['sds_p']:.3f}. From {check['n_sets']} simulated data sets."
    )


def _shown(p: pd.DataFrame, source: str) -> pd.DataFrame:
    rows = p[p["source"] == source]
    titles = {"metric": "", "epsilon_b": "ε", "semantics": "", "n_items": "N", "k_responses": "K"}
    titles |= {
        "estimated_p": "estimated p",
        "estimated_sd": "its sd",
        "true_p": "true p",
        "true_se": "its error",
    }
    return titled(rows.assign(metric=rows["metric"].map(lambda name: COLUMNS.get(name, name))), titles)
