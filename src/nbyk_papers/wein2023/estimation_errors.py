"""How far the estimates of Wein et al. 2023's samplers and metrics are from the true p-values.

Every number is a mean over our test sets of |estimated − true|. The paper takes the least of six to nine such
errors on one test set; a least error says little about a choice that you make before you know it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nbyk_papers.verdicts import CLOSE
from nbyk_papers.wein2023.choices import NOT_ACCEPTABLE
from nbyk_papers.wein2023.comparison import Cells

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

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

    def lead(self, better: Sequence[Pair], worse: Sequence[Pair]) -> tuple[float, float]:
        """Return how much larger the mean error of one group of pairs is than of another, and its error.

        The test sets are paired. The error of the true p-values is added as if those of a group had the same.
        """
        lead = self._per_set(worse) - self._per_set(better)
        return float(lead.mean()), self._error(lead, better, worse)

    def below(self, limit: float, pairs: Sequence[Pair]) -> tuple[float, float]:
        """Return how far the mean error of pairs is below a limit, and its error."""
        per_set = self._per_set(pairs)
        return limit - float(per_set.mean()), self._error(per_set, pairs)

    def _per_set(self, pairs: Sequence[Pair]) -> Floats:
        """Return the mean error of pairs in each test set, shape (sets,)."""
        return np.asarray(np.mean([self.errors[pair] for pair in pairs], axis=0))

    def _error(self, per_set: Floats, *groups: Sequence[Pair]) -> float:
        of_true = [np.mean([self.true_se[pair] for pair in pairs]) for pairs in groups]
        return float(np.sqrt(per_set.var(ddof=1) / len(per_set) + np.square(of_true).sum()))


@cache
def places_of(cells: Cells) -> list[SourceErrors]:
    """Return the errors of one semantics by source and ε, in the order of the run."""
    sets = cells.by_reference.assign(
        error=(cells.by_reference["estimated_p"] - cells.by_reference["true_p"]).abs()
    )
    places = []
    for (source, _), rows in sets.groupby(["source", "epsilon_b"]):
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
    import pandas as pd

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
    import pandas as pd

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
