"""From draws of one metric to the result of a comparison."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from nbyk.metrics import Metric
from nbyk.resampling.effects import check_defined
from nbyk.resampling.samplers import Sampler
from nbyk.testing.engine.draws import Draws
from nbyk.testing.intervals import acceleration, bca_interval, percentile_interval
from nbyk.testing.pvalues import Alternative, expected_p, p_values
from nbyk.testing.systems.cautions import about_data, about_result
from nbyk.testing.systems.claims import Claim, broad_claim
from nbyk.testing.systems.margins import MarginClaim, margin_claims
from nbyk.testing.systems.panel import Panel
from nbyk.testing.systems.result import TESTED, ComparisonResult, ConfidenceInterval, ResponseCounts

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Asked:
    """The settings of a comparison; the fields are those of `compare`, with the interval's sampler parsed."""

    null: str
    alternative: Alternative
    alpha: float
    confidence_level: float
    sampler: Sampler
    n_resamples: int
    decision_error: float
    seed: int
    panel: Panel
    margins: Mapping[str, float] = field(default_factory=dict)

    def result(
        self,
        draws: Draws,
        index: int,
        null_effects: Floats,
        decided: bool,
        *,
        exact: bool,
        bootstrapped: Floats,
        left_out: Floats,
    ) -> ComparisonResult:
        """Return the result of one metric of `draws`.

        Parameters
        ----------
        draws, index
            The two systems with the metrics, and the index of this metric.
        null_effects : ndarray, shape (M,)
            Effects under the null.
        decided, exact
            As in the result.
        bootstrapped : ndarray, shape (B,)
            Bootstrapped effects; not finite if the metric is undefined.
        left_out : ndarray, shape (groups,)
            Effects of the jackknife.

        Raises
        ------
        NbykError
            If the metric is undefined on every bootstrapped test set.
        """
        metric, effect, data = draws.metrics[index], float(draws.observed[index]) + 0.0, draws.data
        drawn = bootstrapped[np.isfinite(bootstrapped)]
        if drawn.size == 0:
            check_defined([metric], bootstrapped[None])
        p = p_values(effect, null_effects)
        if exact:
            p = {side: replace(value, standard_error=0.0) for side, value in p.items()}
        level, sampler = self.confidence_level, self.sampler.name
        percentile = percentile_interval(drawn, level)
        bca = bca_interval(drawn, effect, acceleration(left_out), level)
        score_a, score_b = draws.scores(index)
        for kept in (null_effects, drawn):
            kept.setflags(write=False)
        items = Claim(
            over=("items", "clusters") if self.panel.draws_clusters else ("items",),
            population=self.panel.population((), of_clusters=self.panel.draws_clusters),
            p=p[self.alternative].p,
            p_greater=p["greater"].p,
            p_less=p["less"].p,
            p_two_sided=p["two-sided"].p,
            standard_error=p[self.alternative].standard_error,
            low=percentile[0],
            high=percentile[1],
            method=self.null,
            df=math.nan,
            decided=decided,
        )
        claims = (*self._broad(metric, items), items)
        margins: tuple[MarginClaim, ...] = ()
        if metric.name in self.margins:
            margin = self.margins[metric.name]
            margins = margin_claims(metric, data, self.panel, claims, margin=margin, alpha=self.alpha)
        result = ComparisonResult(
            metric=metric.name,
            effect=effect,
            score_a=score_a,
            score_b=score_b,
            null=self.null,
            hypothesis=TESTED[self.null],
            alternative=self.alternative,
            alpha=self.alpha,
            p_value=p[self.alternative],
            p_greater=p["greater"],
            p_less=p["less"],
            p_two_sided=p["two-sided"],
            exact=exact,
            expected_p=expected_p(drawn, null_effects),
            expected_p_sampler=sampler,
            interval_percentile=ConfidenceInterval(*percentile, level, "percentile", sampler),
            interval_bca=ConfidenceInterval(*bca, level, "bca", sampler),
            null_distribution=null_effects,
            bootstrap_distribution=drawn,
            n_items=data.n_items,
            n_clusters=data.n_clusters,
            responses_gold=_responses(data.gold) if data.has_gold else None,
            responses_a=_responses(data.a),
            responses_b=_responses(data.b),
            n_resamples=null_effects.size,
            decision_error=0.0 if exact else self.decision_error,
            claims=claims,
            margins=margins,
            warnings=(),
            seed=self.seed,
        )
        own = about_result(result, metric, data, undefined=bootstrapped.size - drawn.size)
        return replace(result, warnings=(*about_data(data, null=self.null, panel=self.panel), *own))

    def _broad(self, metric: Metric, items: Claim) -> tuple[Claim, ...]:
        if not self.panel.is_broad:
            return ()
        return (
            broad_claim(
                metric,
                self.panel,
                items,
                alternative=self.alternative,
                alpha=self.alpha,
                confidence_level=self.confidence_level,
            ),
        )


def _responses(matrix: Floats) -> ResponseCounts:
    counts = (~np.isnan(matrix)).sum(axis=1)
    return ResponseCounts(int(counts.min()), int(counts.max()), int(counts.sum()))
