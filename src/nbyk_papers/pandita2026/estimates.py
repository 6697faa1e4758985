"""Wein et al. 2023's question for skewed, nominal and ordinal responses: what estimates p best from one set.

True p-values come from fresh test sets, estimated ones from a single set by the six samplers, in the
recommended semantics of the study of Wein et al. 2023.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from nbyk.data.response_set import ResponseSet
from nbyk.metrics import get
from nbyk.priors import ClassPrior, OrdinalPrior, Response, TwoStagePrior
from nbyk.priors.families import Beta, Uniform
from nbyk.priors.nominal import LabelPrior
from nbyk.report.drawing import new_panels
from nbyk.resampling.labels import LabelPopulation
from nbyk.resampling.population import Population
from nbyk.resampling.resample import resampled_effects
from nbyk.resampling.samplers import WEIN_SAMPLERS, get_sampler
from nbyk.resampling.simulate import drawn_sets, simulated_effects
from nbyk.resampling.streams import Streams
from nbyk.testing.pvalues import expected_p
from nbyk_papers.gathered import in_order, read_partitioned
from nbyk_papers.pandita2026.design import KINDS, PRIORS
from nbyk_papers.shown import look
from nbyk_papers.verdicts import Case, PaperClaim, Verdict, verdicts_on
from nbyk_papers.wein2023.choices import places_of
from nbyk_papers.wein2023.claims import BEST_SAMPLER, SEVERAL_RESPONSES
from nbyk_papers.wein2023.comparison import Cells

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from nbyk.metrics import Metric
    from nbyk.studies.steps import Work
    from nbyk_papers.wein2023.choices import SourceErrors

N_ITEMS, K_RESPONSES = 200, 5
N_DRAWS, N_RESAMPLES = 20_000, 200
"""Draws of each hypothesis behind a true p-value, and behind an estimated one."""

COLUMNS = ("epsilon_b", "sampler", "metric", "reference", "estimated_p", "true_p", "true_se")


@cache
def prior_of(source: str) -> TwoStagePrior | LabelPrior:
    """Return the prior: skewed responses clamped to [0, 1], five classes, or five levels."""
    if source == "nominal":
        return ClassPrior(source, PRIORS["unbalanced_5"])
    if source == "ordinal":
        return OrdinalPrior(source, (-1.0, -0.3, 0.4, 1.2), item_sd=1.0, rater_sd=0.3)
    return TwoStagePrior(source, Beta(1.5, 6.0), Uniform(0.0, 0.3), Response("clamped"))


def estimates(
    *, source: str, epsilon: float, n_sets: int, seed: int, work: Work
) -> tuple[pa.Table, dict[str, Any]]:
    """Estimate p from each of some test sets; return a row for each sampler, metric and set, with true p."""
    metrics, kept = (
        _metrics(source),
        {name: get_sampler(name).responses_per_item(K_RESPONSES) for name in WEIN_SAMPLERS},
    )
    true = {}
    for k in set(kept.values()):
        draws = simulated_effects(
            _population(source, epsilon, k), metrics, n_draws=N_DRAWS, seed=seed, threads=work.threads
        )
        true[k] = [expected_p(*of) for of in zip(draws.alternative, draws.null, strict=True)]
    population = _population(source, epsilon, K_RESPONSES)
    key = population.key(seed, "reference alternative")
    rows = []
    with work.progress(n_sets):
        for number in range(n_sets):
            gold, systems = next(drawn_sets(population, Streams(key, number), 1))
            data = ResponseSet(gold[0], *systems[:, 0])
            for sampler, k in kept.items():
                draws = resampled_effects(
                    data,
                    metrics,
                    sampler=sampler,
                    null="pooled",
                    n_resamples=N_RESAMPLES,
                    seed=seed,
                    threads=work.threads,
                )
                for place, metric in enumerate(metrics):
                    estimate = expected_p(draws.alternative[place], draws.null[place], paired=True)
                    truth = true[k][place]
                    rows.append(
                        {
                            "epsilon_b": epsilon,
                            "sampler": sampler,
                            "metric": metric.name,
                            "reference": number,
                            "estimated_p": estimate.p,
                            "true_p": truth.p,
                            "true_se": truth.standard_error,
                        }
                    )
            work.advance(1)
    return pa.Table.from_pylist(rows), {"M": N_RESAMPLES, "prior": prior_of(source).to_dict()}


def _metrics(source: str) -> tuple[Metric, ...]:
    prior, names = prior_of(source), KINDS[source].metrics
    if not isinstance(prior, LabelPrior):
        return tuple(map(get, names))
    classes = prior.classes
    return tuple(get(name, of="distributions").bound(classes, np.eye(len(classes))) for name in names)


def _population(source: str, epsilon: float, k: int) -> Any:
    prior = prior_of(source)
    if isinstance(prior, LabelPrior):
        return LabelPopulation(prior, N_ITEMS, k, epsilon, n_runs=None)
    return Population(prior, N_ITEMS, k, epsilon)


def read_estimates(files: Sequence[Path]) -> Cells:
    """Return files of the step as cells of Wein et al. 2023, whose tables and verdicts take them."""
    table = read_partitioned(files, COLUMNS, ("source",))
    orders = {"source": tuple(KINDS), "sampler": WEIN_SAMPLERS}
    rows = in_order(table, ["source", "epsilon_b", "sampler"], orders)
    return Cells(rows, rows, tuple(dict.fromkeys(rows["metric"])), WEIN_SAMPLERS)


def estimate_verdicts(cells: Cells) -> list[Verdict]:
    """Return verdicts on what Wein et al. 2023 found for numbers, by kind of responses."""
    claims = (
        SEVERAL_RESPONSES,
        BEST_SAMPLER,
        PaperClaim(
            "section 7",
            "the Wins(MAE) metric […] provides the most effective p-value estimate",
            "at each ε, the mean error of wins is smaller than that of each other metric",
            "comparisons of metrics",
            _wins_is_best,
        ),
        PaperClaim(
            "abstract",
            "the presence of response variance […] has a profound impact on p-value estimates",
            "the mean error changes more if one response is drawn in place of K than if items are not drawn",
            "ε",
            _responses_matter_more,
        ),
    )
    places = {
        f"recommended, {kind}": [place for place in places_of(cells) if place.source == kind]
        for kind in KINDS
    }
    told = [replace(claim, place=f"Wein et al. 2023, {claim.place}") for claim in claims]
    return verdicts_on(told, places)


def _wins_is_best(places: Sequence[SourceErrors]) -> Iterator[Case]:
    for place in places:
        wins = KINDS[place.source].wins
        for other in place.metrics:
            if other != wins:
                yield place.lead(place.of_metric(wins), place.of_metric(other))


def _responses_matter_more(places: Sequence[SourceErrors]) -> Iterator[Case]:
    """Compare main effects of two samplers of items by two of responses: all or drawn, 1 or K."""
    for place in places:
        of = {
            half: place.of_samplers(*(name for name in WEIN_SAMPLERS[:4] if half in name))
            for half in ("all_items", "bootstrap_items", "sample(1)", "sample(K)")
        }
        by_responses, error = place.lead(of["sample(K)"], of["sample(1)"])
        by_items, other = place.lead(of["bootstrap_items"], of["all_items"])
        yield Case(abs(by_responses) - abs(by_items), float(np.hypot(error, other)))


def estimates_figure(cells: Cells) -> Figure:
    """Draw the mean |estimated − true| p of each sampler: a panel for a kind, a mark for a metric."""
    rows = cells.errors
    kinds = list(dict.fromkeys(rows["source"]))
    figure, panels = new_panels(3.3 * len(kinds), 4.2, len(kinds), share_y=True)
    for axes, source in zip(panels, kinds, strict=True):
        mean = rows[rows["source"] == source].groupby(["sampler", "metric"])["error"].mean().unstack()
        for number, metric in enumerate(KINDS[source].metrics):
            values = mean.loc[list(WEIN_SAMPLERS), metric]
            places = np.arange(len(values)) + 0.12 * (number - 1.5)  # samplers have no order to join
            own = {"linestyle": "none", "markersize": 5, **look(number)}
            axes.plot(places, values, label=metric.replace("(pooled=1)", ""), **own)
        names = [name.replace("/", "\n") for name in WEIN_SAMPLERS]
        axes.set_xticks(range(len(names)), names, rotation=90, fontsize=7)
        axes.set_title(source, loc="left", fontsize=9)
        axes.legend(frameon=False, fontsize=7)
    panels[0].set_ylabel("mean |estimated p − true p|")
    panels[0].set_ylim(0.0, None)
    return figure
