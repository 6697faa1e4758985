"""One cell of a study as tables: reference sets, those on real gold too, and the p-values of draws."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from nbyk.arrays import Floats
from nbyk.data.response_set import ResponseSet
from nbyk.data.responses import response_matrix
from nbyk.data.units import FRESH
from nbyk.errors import NbykError
from nbyk.priors import Response, TwoStagePrior, item_parameters
from nbyk.priors.marginal import draw_rated_items
from nbyk.resampling.effects import EffectDraws, score
from nbyk.resampling.population import ItemParameters, Population, perturbed
from nbyk.resampling.resample import resampled_effects
from nbyk.resampling.simulate import Hypothesis, draw_responses, simulate
from nbyk.resampling.streams import Streams, stream_key
from nbyk.testing.pvalues import expected_p
from nbyk_papers.metrics import as_metrics
from nbyk_papers.wein2023.design import Estimation, Semantics
from nbyk_papers.wein2023.toxicity_ratings import toxicity_ratings

if TYPE_CHECKING:
    from nbyk.studies.steps import Work


def simulate_systems(
    gold: Floats,
    response: Response,
    *,
    k_responses: int,
    epsilon_b: float,
    epsilon_a: float = 0.0,
    prior: TwoStagePrior | None = None,
    hypothesis: Hypothesis = "alternative",
    seed: int = 0,
    index: int = 0,
) -> ResponseSet:
    """Simulate two systems that answer the items of real gold ratings, shape (N, K_gold), NaN where missing.

    A's responses to item i have the item's mean and standard deviation, B's the perturbed mean; both pass
    through the response stage. Without a prior these are the mean and standard deviation of the item's gold
    responses, two or more (Wein et al. 2023, section 6): if all raters agree on a level, σ is 0 and the mean
    lies on the edge of that level. The smallest step down then moves every answer of B to the level below.
    With a prior fitted to such ratings, the latent μ and σ are drawn from their distribution given the prior
    and the item's ratings, the same for every K and ε, and a small ε has a small effect. The two hypotheses
    share B's item means, but no response.
    """
    gold_digest = ResponseSet(gold, gold, gold).fingerprint()
    if prior is None:
        means, sds = _moments_of_items(gold)
        source = {}
    else:
        source = {"prior": prior.key()}
        latent = stream_key(seed, purpose="latent items of real gold", gold=gold_digest, **source)
        means, sds = draw_rated_items(prior, gold, Streams(latent, index).uniforms("items", (len(gold), 3)))
    axes: dict[str, str | int | float] = {
        "gold": gold_digest,
        "response": json.dumps(response.to_dict(), sort_keys=True),
        "k": k_responses,
        "epsilon_a": float(epsilon_a),
        "epsilon_b": float(epsilon_b),
        **source,
    }
    streams = Streams(stream_key(seed, purpose="systems on real gold", **axes), index)
    items = ItemParameters(
        gold=means[None],
        a=perturbed(means[None], epsilon_a, streams, "epsilon a"),
        b=perturbed(means[None], epsilon_b, streams, "epsilon b"),
        sd_gold=sds[None],
        sd_a=sds[None],
        sd_b=sds[None],
    )
    if hypothesis == "null":
        streams = Streams(stream_key(seed, purpose="systems on real gold, null", **axes), index)
    _, systems = draw_responses(response, items, k_responses, streams, hypothesis)
    return ResponseSet(gold, systems[0, 0], systems[1, 0], {"a": FRESH, "b": FRESH})


def _moments_of_items(gold: Floats) -> tuple[Floats, Floats]:
    """Return the mean and standard deviation of every item's ratings, or raise NbykError if one has none."""
    means, sds = item_parameters(gold)
    if len(sds) < len(means):
        raise NbykError(
            f"{len(means) - len(sds)} of {len(means)} items have a single gold response and so no standard "
            "deviation to give to a simulated system; keep items with at least two"
        )
    return means, sds


_SYSTEMS = ("gold", "a", "b")
_NULL_SYSTEMS = ("gold", "null_a", "null_b")
"""The systems of a reference set in a table: those to judge, and those of its first true draw of the null."""


def metrics_of(semantics: Semantics, columns: Sequence[str]) -> dict[str, str]:
    """Return the metric behind each column, the columns sorted."""
    return {column: as_metrics(semantics.metric(column))[0].name for column in sorted(columns)}


def gold_of(semantics: Semantics, prior: TwoStagePrior, gold: Floats | None) -> Floats | None:
    """Return the real gold behind reference sets, or what the semantics puts in its place; None if neither.

    The published semantics has ratings in place of the toxicity data (`toxicity_ratings`).
    """
    if gold is None and semantics.has_own_draws(prior.name, real_gold=False):
        return toxicity_ratings()
    return gold


def reference_sets(
    population: Population,
    *,
    references: Iterable[int],
    seed: int,
    gold: Floats | None = None,
    latent_items: bool = True,
    hypothesis: Hypothesis = "alternative",
) -> list[ResponseSet]:
    """Draw the test sets, by their numbers from 0, from which p-values are estimated.

    A set depends on its number alone. Real gold, shape (items, ratings), NaN where missing, gives each test
    set `n_items` of its items that have at least two ratings, drawn without replacement, and simulated
    systems (Wein et al. 2023, section 6), whose responses the population's response stage makes.
    `latent_items`: they get each item's latent μ and σ, drawn given its ratings and the prior. Otherwise they
    get the mean and standard deviation of its ratings, as in the paper, and so do responses that are not put
    on a scale. The hypothesis "null" answers the same real gold by systems that are equally good: a fair coin
    chooses A's or B's distribution for each response.
    """
    prior, n_items = population.prior, population.n_items
    if gold is None:
        return [simulate(population, hypothesis=hypothesis, seed=seed, index=index) for index in references]
    rated_twice = gold[(~np.isnan(gold)).sum(axis=1) >= 2]
    if len(rated_twice) < n_items:
        raise NbykError(
            f"{prior.name}: {len(rated_twice)} items have at least two ratings, {n_items} were asked for; "
            f"set n_items to at most {len(rated_twice)}"
        )
    sets = []
    for index in references:
        stream = stream_key(seed, purpose="items of real gold", source=prior.name, n=n_items)
        generator = np.random.default_rng(stream.seed_sequence("items", index))
        chosen = np.sort(generator.choice(len(rated_twice), size=n_items, replace=False))
        matrix = response_matrix(rated_twice[chosen], prior.name)
        sets.append(
            simulate_systems(
                matrix,
                prior.response,
                k_responses=population.k_responses,
                epsilon_b=population.epsilon_b,
                epsilon_a=population.epsilon_a,
                prior=prior if latent_items and not prior.response.is_normal else None,
                hypothesis=hypothesis,
                seed=seed,
                index=index,
            )
        )
    return sets


def references_table(
    sets: Mapping[int, ResponseSet], nulls: Mapping[int, ResponseSet] | None = None
) -> pa.Table:
    """Return reference sets by their numbers as one long table: reference, system, item, response, value.

    `nulls` are the sets' own true draws of the null, if the semantics has them: systems null_a and null_b.
    """
    parts, systems = [], list(dict.fromkeys((*_SYSTEMS, *_NULL_SYSTEMS)))
    for reference, data in sets.items():
        null = (nulls or {}).get(reference)
        matrices = (data.gold, data.a, data.b, *((null.a, null.b) if null else ()))
        for place, matrix in enumerate(matrices):
            item, response = np.nonzero(~np.isnan(matrix))
            system = pa.DictionaryArray.from_arrays(np.full(len(item), place, np.int8), systems)
            columns = {
                "reference": np.full(len(item), reference, dtype=np.int32),
                "system": system,
                "item": item.astype(np.int32),
                "response": response.astype(np.int32),
                "value": matrix[item, response],
            }
            parts.append(pa.table(columns))
    return pa.concat_tables(parts)


def references_from_table(table: pa.Table, hypothesis: Hypothesis = "alternative") -> dict[int, ResponseSet]:
    """Return the sets, or the nulls, of `references_table` by their numbers; no nulls if it has none."""
    systems = _SYSTEMS if hypothesis == "alternative" else _NULL_SYSTEMS
    names = table["system"].combine_chunks()
    place_of_name = {name: place for place, name in enumerate(names.dictionary.to_pylist())}
    columns = {name: table[name].to_numpy() for name in ("reference", "item", "response", "value")}
    columns["system"] = names.indices.to_numpy()
    places = [place_of_name.get(name, -1) for name in systems]
    sets: dict[int, ResponseSet] = {}
    if not set(places) <= set(np.unique(columns["system"]).tolist()):
        return sets
    for reference in np.unique(columns["reference"]):
        rows = np.flatnonzero(columns["reference"] == reference)
        of_set = {name: column[rows] for name, column in columns.items()}
        matrices = []
        for place in places:
            of_system = of_set["system"] == place
            item, response = of_set["item"][of_system], of_set["response"][of_system]
            matrix = np.full((int(item.max()) + 1, int(response.max()) + 1), np.nan)
            matrix[item, response] = of_set["value"][of_system]
            matrices.append(matrix)
        gold, a, b = matrices
        sets[int(reference)] = ResponseSet(gold, a, b)
    return sets


def true_p_table(draws: EffectDraws, columns: Sequence[str]) -> pa.Table:
    """Return the true p-value of each metric's column, in the order of the draws' metrics.

    true_effect is the mean effect under the alternative.
    """
    rows = []
    for column, alternative, null in zip(columns, draws.alternative, draws.null, strict=True):
        numbers = _expected("true", alternative, null)
        rows.append({"metric": column, **numbers, "n_draws": len(alternative)})
    return pa.Table.from_pylist(rows)


def _expected(kind: str, alternative: Floats, null: Floats, *, paired: bool = False) -> dict[str, float]:
    """Return the expected p, its error and the mean effect, as columns of `kind`, "true" or "estimated"."""
    expected = expected_p(alternative, null, paired=paired)
    effect = float(alternative.mean())
    return {f"{kind}_p": expected.p, f"{kind}_se": expected.standard_error, f"{kind}_effect": effect}


def with_first_draw(
    draws: EffectDraws, data: ResponseSet, null: ResponseSet, k_responses: int
) -> EffectDraws:
    """Return true effects with those of a reference set, and of its null, in place of the first draws.

    The authors' code writes the reference set on real gold to index 0 of the true draws of the alternative,
    and equally good systems on the same gold to index 0 of the null. The first `k_responses` responses of
    gold, A and B are scored.
    """
    metrics, first = as_metrics(draws.metrics), []
    for drawn in (data, null):
        systems = np.stack([drawn.a, drawn.b])[:, None, :, :k_responses]
        first.append(score(metrics, systems, drawn.gold[None, :, :k_responses]))
    alternative, of_null = (
        np.concatenate([effects, fresh[:, 1:]], axis=1)
        for effects, fresh in zip(first, (draws.alternative, draws.null), strict=True)
    )
    return replace(draws, alternative=alternative, null=of_null)


def estimated_p_table(
    sets: Mapping[int, ResponseSet], metric_of_column: Mapping[str, str], how: Estimation, work: Work
) -> pa.Table:
    """Return the p-values that resamples of each set estimate: a row per sampler, reference and column.

    estimated_effect is the mean effect under the alternative.
    """
    rows = []
    for sampler, (reference, data) in product(how.samplers, sets.items()):
        draws = resampled_effects(
            data,
            list(metric_of_column.values()),
            sampler=sampler,
            null=how.null,
            share_gold=how.way.share_gold,
            n_resamples=how.resamples(reference),
            seed=how.seed,
            threads=work.threads,
            progress=work.advance,
        )
        for place, column in enumerate(metric_of_column):
            n_resamples = how.way.resamples(column, how.n_resamples)
            alternative = draws.alternative[place, :n_resamples]
            null, paired = draws.null[place, :n_resamples], how.way.paired(how.null)
            rows.append(
                {
                    "null": how.null,
                    "sampler": sampler,
                    "reference": reference,
                    "metric": column,
                    **_expected("estimated", alternative, null, paired=paired),
                    "n_resamples": len(alternative),
                }
            )
    return pa.Table.from_pylist(rows)
