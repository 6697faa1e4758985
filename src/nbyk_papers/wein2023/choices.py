"""How far estimates are from the true p-values, and the sampler and metric to choose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from nbyk.arrays import Floats
from nbyk.testing.corrections import correct_p_values
from nbyk_papers.verdicts import CLOSE, Case
from nbyk_papers.wein2023.comparison import Cells

NOT_ACCEPTABLE = 0.05
"""An estimated p-value that differs this much from the true one is not acceptable (section 5)."""

_NOTICED = 0.001

LEVEL = 0.05
"""Chance that independent choices are wrongly called dependent at one source and ε."""


def is_off(difference: pd.Series) -> pd.Series:
    """Return whether estimates are off the true p-values by 0.05 or more, to the paper's six decimals."""
    off: pd.Series = difference.abs().round(6) >= NOT_ACCEPTABLE
    return off


@cache
def acceptable_table(cells: Cells) -> pd.DataFrame:
    """Return the number of p-values of one semantics that are not acceptable, a row per source and ε.

    Our numbers are the first test set's estimates; "of all sets" is the share over all test sets.
    """
    key, first = ["source", "epsilon_b"], cells.table
    published = first["published_estimated_p"] - first["published_true_p"]
    counted: dict[str, Any] = {
        "cells": 1,
        "not acceptable": is_off(first["estimated_p"] - first["true_p"]),
        "published cells": published.notna(),
        "not acceptable as published": is_off(published),
    }
    table = first[key].assign(**counted).groupby(key, sort=False).sum().astype(int)
    off = cells.errors.assign(off=is_off(cells.errors["error"])).groupby(key)["off"]
    table.insert(2, "of all sets", off.mean())
    shown = table.reset_index().rename(columns={"epsilon_b": "ε"})
    return shown.assign(ε=shown["ε"].map("{:g}".format))


@cache
def choices(cells: Cells) -> pd.DataFrame:
    """Return whether the best metric and the best sampler can be chosen separately, a row per source and ε.

    Chosen apart are the sampler with the least mean error over the metrics, and the metric with the least
    mean error over the samplers. Chosen together is the pair with the least mean error. The choices depend on
    each other if, for some metric, another sampler has a smaller error than the chosen one, or if, for some
    sampler, another metric has a smaller error than the chosen one. Each is a one-sided paired t-test over
    the test sets, with the Monte-Carlo error of the true p-values added; Holm's correction covers all of
    them, at 0.05. Only metrics that every sampler has are compared; there are no rows with fewer than two of
    either. The cells are of one semantics.
    """
    rows = []
    for place in places_of(cells):
        if min(len(place.samplers), len(place.metrics)) > 1:
            rows.append({"source": place.source, "ε": f"{place.epsilon:g}", **_choice(place)})
    return pd.DataFrame(rows)


def verdict(table: pd.DataFrame, semantics: str) -> dict[str, Any]:
    """Return the verdict on section 7's claim from `choices`: counts, and a sentence."""
    independent = table["independent"] == "yes"
    lost = table["error apart"] - table["error together"]
    places = [f"{source}, ε = {epsilon}" for source, epsilon in zip(table["source"], table["ε"], strict=True)]
    where = "; ".join(place for place, holds in zip(places, independent, strict=True) if not holds)
    n_lost = int((lost >= _NOTICED).sum())
    return {
        "cases": len(table),
        "independent": int(independent.sum()),
        "another_pair_is_better": n_lost,
        "most_error_lost": float(lost.max()),
        "sentence": (
            "Section 7 says that the best metric does not depend on the sampler, and that the best sampler "
            f"does not depend on the metric. Under {semantics} semantics our test sets contradict this in "
            f"{int((~independent).sum())} of {len(table)} cases{f' ({where})' if where else ''}. If you "
            "choose the sampler and the metric separately, another pair has a smaller mean error in "
            f"{n_lost} cases, by {_NOTICED} or more. The largest difference is {lost.max():.3f} "
            f"({places[int(lost.argmax())]})"
            f". {'Chance can explain these differences.' if n_lost and not where else ''}".rstrip()
        ),
    }


def _choice(place: SourceErrors) -> dict[str, Any]:
    samplers, metrics = place.samplers, place.metrics
    errors = np.array([[place.errors[s, m] for m in metrics] for s in samplers])
    mean = np.ascontiguousarray(np.moveaxis(errors, 2, 0)).mean(axis=0)
    sampler, metric = int(mean.mean(axis=1).argmin()), int(mean.mean(axis=0).argmin())
    together = np.unravel_index(int(mean.argmin()), mean.shape)
    chosen = {"metric": samplers[sampler], "sampler": metrics[metric]}
    rivals = [
        *(("metric", m, (s, m)) for m in metrics for s in samplers if s != chosen["metric"]),
        *(("sampler", s, (s, m)) for s in samplers for m in metrics if m != chosen["sampler"]),
    ]
    p = [
        _p_of_smaller(place, (chosen[kind], of) if kind == "metric" else (of, chosen[kind]), rival)
        for kind, of, rival in rivals
    ]
    smaller = correct_p_values(np.array(p), "holm") <= LEVEL
    changed = {(kind, of) for (kind, of, _), is_smaller in zip(rivals, smaller, strict=True) if is_smaller}
    return {
        "sampler": samplers[sampler],
        "metric": metrics[metric],
        "error apart": float(mean[sampler, metric]),
        "best pair": f"{samplers[together[0]]}, {metrics[together[1]]}",
        "error together": float(mean[together]),
        "metrics with another sampler": sum(kind == "metric" for kind, _ in changed),
        "samplers with another metric": sum(kind == "sampler" for kind, _ in changed),
        "independent": "no" if changed else "yes",
    }


def _p_of_smaller(place: SourceErrors, chosen: Pair, rival: Pair) -> float:
    """Return the one-sided p-value for a smaller mean error of the rival; 1 if no errors differ."""
    from scipy.stats import t

    lead, error = place.lead([rival], [chosen])
    return float(t.sf(lead / error, len(place.errors[chosen]) - 1)) if error > 0.0 else 1.0


Pair = tuple[str, str]
"""A sampler and a metric."""


@dataclass(frozen=True)
class SourceErrors:
    """|estimated − true| at one source and ε in each test set, shape (sets,), by sampler and metric."""

    source: str
    epsilon: float
    errors: Mapping[Pair, Floats]
    true_se: Mapping[Pair, float]

    @property
    def samplers(self) -> list[str]:
        """The samplers, in the order of the run."""
        return list(dict.fromkeys(sampler for sampler, _ in self.errors))

    @property
    def metrics(self) -> list[str]:
        """The metrics that every sampler has."""
        names = dict.fromkeys(metric for _, metric in self.errors)
        return [name for name in names if set(self.pairs(self.samplers, [name])) <= set(self.errors)]

    def pairs(self, samplers: Iterable[str], metrics: Iterable[str]) -> list[Pair]:
        """Return every pair of some samplers and metrics."""
        several = list(metrics)
        return [(sampler, metric) for sampler in samplers for metric in several]

    def of_samplers(self, *samplers: str) -> list[Pair]:
        """Return the pairs of some samplers with the metrics that every sampler has."""
        return self.pairs(samplers, self.metrics)

    def of_metric(self, metric: str) -> list[Pair]:
        """Return the pairs of a metric with every sampler that has it."""
        return [pair for pair in self.errors if pair[1] == metric]

    def mean(self, pairs: Sequence[Pair]) -> float:
        """Return the mean error of pairs over the test sets."""
        return float(self._per_set(pairs).mean())

    def lead(self, better: Sequence[Pair], worse: Sequence[Pair]) -> Case:
        """Return how much larger the mean error of one group of pairs is than of another, and its error.

        The test sets are paired. The error of the true p-values is added as if those of a group had the same.
        """
        lead = self._per_set(worse) - self._per_set(better)
        return Case(float(lead.mean()), self._error(lead, better, worse))

    def below(self, limit: float, pairs: Sequence[Pair]) -> Case:
        """Return how far the mean error of pairs is below a limit, and its error."""
        per_set = self._per_set(pairs)
        return Case(limit - float(per_set.mean()), self._error(per_set, pairs))

    def _per_set(self, pairs: Sequence[Pair]) -> Floats:
        """Return the mean error of pairs in each test set, shape (sets,)."""
        return np.asarray(np.mean([self.errors[pair] for pair in pairs], axis=0))

    def _error(self, per_set: Floats, *groups: Sequence[Pair]) -> float:
        of_true = [np.mean([self.true_se[pair] for pair in pairs]) for pairs in groups]
        return float(np.sqrt(per_set.var(ddof=1) / len(per_set) + np.square(of_true).sum()))


@cache
def places_of(cells: Cells) -> list[SourceErrors]:
    """Return the errors of one semantics by source and ε, in the order of the run."""
    places = []
    for (source, _), rows in cells.errors.groupby(["source", "epsilon_b"]):
        wide = rows.pivot_table(
            index="reference", columns=["sampler", "metric"], values=["error", "true_se"]
        ).dropna()
        error, true_se = ({pair: wide[name, *pair] for pair in wide[name]} for name in ("error", "true_se"))
        order = [pair for pair in product(cells.samplers, cells.columns) if pair in error]
        if len(wide) > 1:
            errors = {pair: error[pair].to_numpy(np.float64) for pair in order}
            errors_of_true = {pair: float(true_se[pair].mean()) for pair in order}
            places.append(SourceErrors(str(source), float(rows["epsilon_b"].iloc[0]), errors, errors_of_true))
    return places


def nearest_table(cells: Cells) -> pd.DataFrame:
    """Return which sampler's estimate is nearest to the true p, a row per source, ε and metric.

    Its mean error stands beside; "as near" lists the samplers whose mean error is not shown to be larger, by
    three standard errors.
    """
    rows = []
    for place in places_of(cells):
        for metric in dict.fromkeys(metric for _, metric in place.errors):
            pairs = place.of_metric(metric)
            best = min(pairs, key=lambda pair: place.mean([pair]))
            near = [pair[0] for pair in pairs if pair != best and not _is_larger(place, best, pair)]
            rows.append(
                {
                    "source": place.source,
                    "ε": f"{place.epsilon:g}",
                    "metric": metric,
                    "nearest sampler": best[0],
                    "mean error": place.mean([best]),
                    "acceptable": "yes" if place.mean([best]) < NOT_ACCEPTABLE else "no",
                    "as near": "; ".join(near),
                }
            )
    return pd.DataFrame(rows)


def sampler_table(cells: Cells) -> pd.DataFrame:
    """Return the mean error of each sampler and the share of its estimates that are not acceptable.

    A row per source and sampler, over all ε and the metrics that every sampler has.
    """
    rows: dict[Pair, list[Floats]] = {}
    for place in places_of(cells):
        for sampler in place.samplers:
            errors = np.concatenate([place.errors[pair] for pair in place.of_samplers(sampler)])
            rows.setdefault((place.source, sampler), []).append(errors)
    table = [
        {
            "source": source,
            "sampler": sampler,
            "mean error": float(np.concatenate(errors).mean()),
            "not acceptable": float((np.concatenate(errors) >= NOT_ACCEPTABLE).mean()),
            "at worst ε": float(max((part >= NOT_ACCEPTABLE).mean() for part in errors)),
        }
        for (source, sampler), errors in rows.items()
    ]
    return pd.DataFrame(table)


def best_choices(cells: Cells) -> list[dict[str, object]]:
    """Return the sampler and metric with the least mean error over all ε above 0, for each source.

    Another pair is as good if its mean error is not shown to be larger, by three standard errors at any ε.
    """
    choices = []
    places = [place for place in places_of(cells) if place.epsilon > 0.0]
    for source in dict.fromkeys(place.source for place in places):
        own = [place for place in places if place.source == source]
        pairs = [pair for pair in own[0].errors if all(pair in place.errors for place in own)]
        mean = {pair: float(np.mean([place.mean([pair]) for place in own])) for pair in pairs}
        best = min(pairs, key=lambda pair: mean[pair])
        rivals = [
            pair for pair in pairs if pair != best and not any(_is_larger(place, best, pair) for place in own)
        ]
        at = ", ".join(f"{place.epsilon:g}" for place in own)
        choices.append(
            {
                "source": source,
                "sampler": best[0],
                "metric": best[1],
                "mean_error": mean[best],
                "as_good": len(rivals),
                "pairs": len(pairs),
                "sentence": (
                    f"On {source}, estimates by {best[1]} with {best[0]} are nearest to the true p-value: "
                    f"off by {mean[best]:.3f} on average at ε = {at}. {len(rivals)} of the other "
                    f"{len(pairs) - 1} pairs of a metric and a sampler are not shown to be worse"
                ),
            }
        )
    return choices


def _is_larger(place: SourceErrors, best: Pair, other: Pair) -> bool:
    margin, error = place.lead([best], [other])
    return margin > CLOSE * error
