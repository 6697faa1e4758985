"""How often the recommended test calls equally good classifiers different, for labels of 2 to 12 classes.

The first two classes are mirror images of each other. System A errs towards one and B towards the other, and
a rater or a run leans to one of them, as often to the first as to the second. So the people of a set decide
which system looks better, the systems differ on every item, and over new people both are equally good: the
weak null.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from nbyk.arrays import Floats
from nbyk.data.response_set import Categories, ResponseSet
from nbyk.data.responses import responses_and_units
from nbyk.data.units import FRESH
from nbyk.metrics import metrics_of
from nbyk.resampling.effects import run_chunks
from nbyk.resampling.streams import CHUNK, Streams, stream_key
from nbyk.testing.engine.draws import Draws
from nbyk.testing.intervals import proportion_interval
from nbyk.testing.shared_units import shared_units_test
from nbyk.testing.systems.panel import panel_of
from nbyk_papers.calibration.design import ALPHAS, IN_WORDS, PEOPLE, Answers, People
from nbyk_papers.calibration.verdicts import p_of_null
from nbyk_papers.gathered import in_order, read_partitioned

if TYPE_CHECKING:
    import pandas as pd

    from nbyk.metrics import Metric
    from nbyk.studies.steps import Work


METRICS: dict[Answers, tuple[str, ...]] = {
    "classes": ("accuracy", "f1_macro"),
    "distributions": ("cross_entropy", "js_divergence", "entropy_correlation"),
}
"""Metrics by what the systems answer."""

OF_CONFUSED: dict[Answers, tuple[str, ...]] = {
    "classes": ("accuracy", "tv_sum", "f1_macro"),
    "distributions": ("cross_entropy", "js_divergence", "brier", "entropy_correlation"),
}
"""Those for raters who confuse classes."""

_IN_ORDER = (
    "accuracy",
    "tv_sum",
    "f1_macro",
    "cross_entropy",
    "js_divergence",
    "brier",
    "entropy_correlation",
)


N_ITEMS, N_DRAWS = 200, 999
ITEM_SD, SYSTEM_SD, ERR = 1.5, 0.5, 0.4
"""Logits: the spread of an item's classes, each system's noise, and the opposite errors of A and B."""

RIGHT, CONCENTRATION = 0.7, 8.0
"""Raters who confuse classes: the mean chance of the right one, and the sum of the Dirichlet's α."""


def labels(
    *, n_classes: int, answers: Answers, people: str, n_sets: int, seed: int, work: Work
) -> tuple[pa.Table, dict[str, Any]]:
    """Return the rate at which equally good systems are told apart, two-sided, by metric and level."""
    whose = PEOPLE[people]
    names = (OF_CONFUSED if whose.confuse else METRICS)[answers]
    key = stream_key(seed, study="calibration of labels", answers=answers, classes=n_classes, people=people)

    def p_of_chunk(chunk: int, size: int) -> Floats:
        draw = Streams(key, chunk).generator("sets")
        sets = (label_set(draw, answers, n_classes, whose) for _ in range(size))
        set_p = [p_values(*one, names, seed=chunk * CHUNK + place) for place, one in enumerate(sets)]
        return np.array(set_p).T

    with work.progress(n_sets):
        (p,) = run_chunks(n_sets, p_of_chunk, threads=work.threads, progress=work.advance)
    rows = []
    for metric, metric_p in zip(names, p, strict=True):
        if np.isnan(metric_p).any():  # one label an item has no entropy to correlate with
            continue
        for alpha in ALPHAS:
            n_rejected = int((metric_p <= alpha).sum())
            low, high = proportion_interval(n_rejected, n_sets)
            counted = {"metric": metric, "alpha": alpha, "n_sets": n_sets, "rejections": n_rejected}
            rows.append(
                {
                    **{"answers": answers, "people": people, **counted, "rate": n_rejected / n_sets},
                    **{"low": low, "high": high},
                }
            )
    return pa.Table.from_pylist(rows), {"M": N_DRAWS}


def label_set(
    draw: np.random.Generator, answers: Answers, n_classes: int, people: People
) -> tuple[ResponseSet, bool]:
    """Return a set on which neither system is better over new items and people, and whether they are shared.

    Of items' logits, those of the first two classes are moved by ±λ z for a rater or a run, with z standard
    normal, and by ±.4 for a system. Raters who confuse classes label the likeliest class of an item.
    """

    def to_first(by: Floats) -> Floats:
        """Return logits, (…, M), that prefer the first class to the second by twice this."""
        return np.concatenate([by[..., None], -by[..., None], np.zeros((*by.shape, n_classes - 2))], axis=-1)

    items = draw.normal(0.0, ITEM_SD, (N_ITEMS, 1, n_classes))
    raters = people.raters or people.per_item
    lean = people.lean * draw.normal(size=(1 if people.raters else N_ITEMS, raters)) * (people.runs == 1)
    logits = confused(draw, items, raters) if people.confuse else items + to_first(lean)
    gold = (logits + draw.gumbel(size=(N_ITEMS, raters, n_classes))).argmax(axis=2).astype(np.float64)
    if people.per_item < raters:
        gold[draw.random(gold.shape).argsort(axis=1) >= people.per_item] = np.nan
    systems, tables = [], [np.eye(n_classes)]
    for err in (ERR, -ERR):
        own = items + to_first(np.full((N_ITEMS, 1), err)) + draw.normal(0.0, SYSTEM_SD, items.shape)
        if people.runs > 1:
            own = own + to_first(people.lean * draw.normal(size=(1, people.runs)))
            own = own + draw.normal(0.0, SYSTEM_SD, own.shape)
        shares = np.exp(own - own.max(axis=2, keepdims=True))
        shares /= shares.sum(axis=2, keepdims=True)
        places = shares.argmax(axis=2).astype(np.float64)
        if answers == "distributions":
            places = sum(map(len, tables)) + np.arange(shares[..., 0].size, dtype=np.float64).reshape(
                places.shape
            )
            tables.append(shares.reshape(-1, n_classes))
        systems.append(places)
    (gold, gold_units), (a, a_units), (b, b_units) = (
        responses_and_units(of, "labels") for of in (gold, *systems)
    )
    units = {"gold": gold_units if people.raters else FRESH, "a": a_units, "b": b_units}
    categories = Categories(tuple(map(str, range(n_classes))), np.concatenate(tables), answers)
    data = ResponseSet(gold, a, b, units, None, categories)
    return data, people.raters > 1 or people.runs > 1


def confused(draw: np.random.Generator, items: Floats, raters: int) -> Floats:
    """Return the logits of raters' labels, (N, R, M), each with chances of their own for items of a class."""
    n_classes = items.shape[2]
    means = np.full((n_classes, n_classes), (1.0 - RIGHT) / (n_classes - 1))
    np.fill_diagonal(means, RIGHT)
    gammas = draw.standard_gamma(np.broadcast_to(CONCENTRATION * means, (raters, n_classes, n_classes)))
    least = np.finfo(np.float64).tiny
    return np.log(np.maximum(gammas, least))[:, items[:, 0].argmax(axis=1)].transpose(1, 0, 2)


def p_values(data: ResponseSet, shared: bool, names: tuple[str, ...], *, seed: int) -> list[float]:
    """Return the two-sided p of the first claim of `nbyk.compare`, by each metric.

    Over new items it swaps them; over new people too it is the t-test of what items share.
    """
    metrics: list[Metric] = list(metrics_of(data.categories, names))
    if shared:
        panel = panel_of(data, None)
        assert panel.responses is not None
        tests = (shared_units_test(metric, panel.responses, sources=panel.sources) for metric in metrics)
        return [test.p_value("two-sided") for test in tests]
    draws = Draws(data, metrics, seed=seed)
    swapped = draws.swapped(range(len(metrics)), N_DRAWS)
    return [p_of_null(float(effect), null)[0] for effect, null in zip(draws.observed, swapped, strict=True)]


def read_labels(files: Sequence[str | os.PathLike[str]]) -> pd.DataFrame:
    """Return the rates of labels, as the step writes them, as one table with their number of classes."""
    columns = ("answers", "people", "metric", "alpha", "n_sets", "rejections", "rate", "low", "high")
    table = read_partitioned(files, columns, ("classes",))
    table["classes"] = table["classes"].astype(int)
    orders = {"metric": list(_IN_ORDER), "people": list(PEOPLE)}
    return in_order(table, ["metric", "people", "classes", "alpha"], orders)


def labels_table(rates: pd.DataFrame, alpha: float = 0.05) -> pd.DataFrame:
    """Return the rates at a level: a row for each metric and kind of people, a column for each M."""
    shown = rates[rates["alpha"] == alpha]
    wide = shown.pivot_table(index=["metric", "people"], columns="classes", values="rate", sort=False)
    wide = wide[sorted(wide.columns)].rename(columns="{} classes".format).reset_index()
    wide["people"] = wide["people"].map(IN_WORDS)
    return wide.rename(columns={"people": "raters of an item"}).rename_axis(columns=None)
