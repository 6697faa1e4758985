"""Which metric and which sampler suit data like yours: ranked by power, and by the error of expected p."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from nbyk.errors import NbykError
from nbyk.metrics import Metric, get
from nbyk.planning.plan import plan
from nbyk.planning.power.estimate import Power
from nbyk.priors import TwoStagePrior
from nbyk.resampling.pilot_items import PilotItems
from nbyk.resampling.population import Population
from nbyk.resampling.resample import resampled_effects
from nbyk.resampling.samplers import WEIN_SAMPLERS, get_sampler
from nbyk.resampling.simulate import simulate, simulated_effects
from nbyk.resampling.streams import as_seed
from nbyk.testing.pvalues import expected_p
from nbyk.words import Row, ShownInNotebooks

CAUTION = (
    "Choose the metric and the sampler now, and keep to them. Testing with several and reporting the one "
    "that rejects is not a valid test."
)

_N_SETS = 20
_N_RESAMPLES = 200
_N_DRAWS = 1000


@dataclass(frozen=True)
class RankedMetric:
    """A metric and its power at the requested size.

    Attributes
    ----------
    metric
        Its name.
    power
        The power of the test by it.
    effect
        The expected effect on it in the long run (K → ∞), of responses from 0 to 1; None if it is undefined.
    """

    metric: str
    power: Power
    effect: float | None


@dataclass(frozen=True)
class RankedChoice:
    """A metric with a sampler, and the error of expected p by them.

    Attributes
    ----------
    metric, sampler
        Their names.
    error
        Mean of |estimated − true| over the test sets, in [0, 1].
    standard_error
        Its standard error, which includes that of the true p.
    true_p
        The expected p of fresh test sets.
    """

    metric: str
    sampler: str
    error: float
    standard_error: float
    true_p: float


@dataclass(frozen=True)
class Ranking(ShownInNotebooks):
    """Metrics by their power, and metrics with samplers by the error of expected p (Wein et al. 2023).

    Attributes
    ----------
    metrics
        The metrics, that of the largest power first.
    choices
        Metrics with samplers, that of the least error first.
    n_items, k_responses, epsilon
        The size and the perturbation of B for the ranking.
    caution
        The caution about the prior if its check rejects it; else empty.
    warnings
        Cautions about the ranking, one sentence each, such as about the ratings to which the prior is fitted.
    """

    metrics: tuple[RankedMetric, ...]
    choices: tuple[RankedChoice, ...]
    n_items: int
    k_responses: int
    epsilon: float
    caution: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def effect(self) -> float | None:
        """The expected effect on the first metric in the long run, of responses from 0 to 1."""
        return self.metrics[0].effect

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the power by the first metric, from Monte-Carlo error alone."""
        return self.metrics[0].power.low, self.metrics[0].power.high

    @property
    def standard_error(self) -> float:
        """Monte-Carlo standard error of the power by the first metric; a ranking has no p-value."""
        return self.metrics[0].power.standard_error

    @property
    def notebook_rows(self) -> Sequence[Row]:
        """The power by each metric with its 95 % interval."""
        powers = ((row.metric, row.power) for row in self.metrics)
        return (
            ("metric", "power", "low", "high"),
            *((name, *(f"{x:.3f}" for x in (of.power, of.low, of.high))) for name, of in powers),
        )

    @property
    def ties(self) -> tuple[str, ...]:
        """Metrics whose power is not shown to be below the first one's, by two standard errors of both."""
        first = self.metrics[0].power
        return tuple(
            row.metric
            for row in self.metrics[1:]
            if first.power - row.power.power <= 2.0 * np.hypot(first.standard_error, row.power.standard_error)
        )

    @property
    def sentence(self) -> str:
        """The ranking in sentences that you can quote, with a caution against choosing later."""
        best, nearest = self.metrics[0], self.choices[0]
        others = ", ".join(f"{row.metric} {row.power.power:.3f}" for row in self.metrics[1:])
        tied = f" Chance can explain the lead over {' and '.join(self.ties)}." if self.ties else ""
        first = f"{self.caution} " if self.caution else ""
        power = best.power
        return (
            f"{first}On {self.n_items} items with {self.k_responses} ratings each and ε = {self.epsilon:g}, "
            f"{power.test} has the largest power by {best.metric}: {power.power:.3f} (95 % interval "
            f"{power.low:.3f} to {power.high:.3f}). The power by the others: {others}.{tied} Expected p, the "
            "papers' p-value averaged over resampled effects, is nearest to its true value by "
            f"{nearest.metric} with {nearest.sampler}: off by {nearest.error:.3f} on average (standard error "
            f"{nearest.standard_error:.3f}). {CAUTION}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the ranking as plain values that JSON can hold."""
        return {
            "sentence": self.sentence,
            "n_items": self.n_items,
            "k_responses": self.k_responses,
            "epsilon": self.epsilon,
            "metrics": [
                {**asdict(row), "power": {**asdict(row.power), "standard_error": row.power.standard_error}}
                for row in self.metrics
            ],
            "ties": list(self.ties),
            "choices": [asdict(row) for row in self.choices],
            "warnings": list(self.warnings),
        }


def rank(
    prior: TwoStagePrior | PilotItems,
    metrics: Sequence[str | Metric],
    *,
    samplers: Sequence[str] = tuple(WEIN_SAMPLERS),
    seed: Any = 0,
    threads: int = 1,
    progress: Callable[[str], object] | None = None,
    **asked: Any,
) -> Ranking:
    """Rank metrics by power and, with samplers, by the error of expected p, at one size and ε.

    Parameters
    ----------
    prior
        The source of items and responses: a published prior, or one fitted to your ratings. nbyk cannot rank
        metrics on a pilot's own items.
    metrics
        Two or more metrics that need gold.
    samplers
        Samplers of expected p, by default the six of Wein et al. 2023.
    seed, threads, progress
        As for `nbyk.plan`.
    asked
        The other arguments of `nbyk.plan`. The size (N, K) and the perturbation ε of B are all needed
        (`n_items`, `k_responses` and `epsilon`), and `n_runs` is 1 or "K".

    Notes
    -----
    The error is the mean of |estimated − true| over 20 simulated test sets, each resampled 200 times under
    the pooled null; the true expected p is that of 1000 fresh test sets per hypothesis (Wein et al. 2023,
    section 3.2).
    """
    chosen = [metric if isinstance(metric, Metric) else get(metric) for metric in metrics]
    if not isinstance(prior, TwoStagePrior):
        raise NbykError(
            "nbyk ranks metrics on test sets drawn from a prior, and these items have none; fit one to them "
            "first (`nbyk.fit_prior`)",
            argument="prior",
        )
    seed = as_seed(seed)
    _check(chosen, asked)
    plans = [
        plan(prior, metric=metric, seed=seed, threads=threads, progress=progress, **asked)
        for metric in chosen
    ]
    first, systems = plans[0], plans[0].request.world
    size = (first.n_items, first.k_responses, first.epsilon or 0.0)
    population = Population(prior, *size, systems.epsilon_a, systems.sd_scale_a, systems.sd_scale_b)
    if progress is not None:
        progress(f"error of expected p: {len(chosen)} metrics by {len(samplers)} samplers")
    choices = _errors(population, chosen, samplers, seed, threads)
    ranked = sorted(
        (
            RankedMetric(each.simulated.metric, each.simulated, each.effect)
            for each in plans
            if each.simulated
        ),
        key=lambda row: -row.power.power,
    )
    return Ranking(
        tuple(ranked),
        tuple(sorted(choices, key=lambda row: row.error)),
        *size,
        prior.caution,
    )


def _check(metrics: Sequence[Metric], asked: dict[str, Any]) -> None:
    """Raise NbykError if the request does not allow a ranking of metrics."""
    names = [metric.name for metric in metrics]
    if len(names) < 2 or len(set(names)) < len(names):
        raise NbykError(
            f"found {', '.join(names) or 'none'}; expected two or more metrics", argument="metric"
        )
    for metric in metrics:
        metric.check_gold(True)
        if not metric.needs_gold:
            raise NbykError(
                f"found {metric.name}, which needs no gold, so ε has another meaning; plan with this metric "
                "alone",
                argument="metric",
            )
    lacking = any(asked.get(name) is None for name in ("n_items", "k_responses", "epsilon"))
    given = [f"`{name}`" for name in ("power", "budget", "effect") if asked.get(name) is not None]
    if lacking or given:
        raise NbykError(
            "nbyk ranks metrics at one size: give `n_items`, `k_responses` and `epsilon`"
            + (f", and leave out {' and '.join(given)}" if given else "")
        )
    if asked.get("n_runs") not in (None, 1, "K"):
        raise NbykError(f"found {asked['n_runs']}; nbyk ranks metrics with 1 run or K", argument="n_runs")


def _errors(
    population: Population, metrics: Sequence[Metric], samplers: Sequence[str], seed: int, threads: int
) -> list[RankedChoice]:
    sets = [simulate(population, seed=seed, index=index) for index in range(_N_SETS)]
    true: dict[int, Any] = {}
    rows = []
    for sampler in samplers:
        k = get_sampler(sampler).responses_per_item(population.k_responses)
        if k not in true:
            of_k = replace(population, k_responses=k)
            true[k] = simulated_effects(of_k, list(metrics), n_draws=_N_DRAWS, seed=seed, threads=threads)
        estimates = np.empty((len(metrics), len(sets)))
        for place, data in enumerate(sets):
            found = resampled_effects(
                data,
                list(metrics),
                sampler=sampler,
                null="pooled",
                n_resamples=_N_RESAMPLES,
                seed=seed + place,
                threads=threads,
            )
            for row in range(len(metrics)):
                estimates[row, place] = expected_p(found.alternative[row], found.null[row], paired=True).p
        for row, metric in enumerate(metrics):
            truth = expected_p(true[k].alternative[row], true[k].null[row])
            error = np.abs(estimates[row] - truth.p)
            spread = float(np.hypot(error.std(ddof=1) / len(sets) ** 0.5, truth.standard_error))
            rows.append(RankedChoice(metric.name, sampler, float(error.mean()), spread, truth.p))
    return rows
