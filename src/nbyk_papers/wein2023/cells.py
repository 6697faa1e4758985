"""One cell of a study as tables: reference sets, and effect draws under both hypotheses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nbyk.data.response_set import ResponseSet, response_matrix
from nbyk.errors import NbykError
from nbyk.metrics import get
from nbyk.priors.published import TOXICITY
from nbyk.resampling.effects import EffectDraws, as_metrics, score
from nbyk.resampling.population import Population
from nbyk.resampling.resample import resampled_effects
from nbyk.resampling.simulate import Hypothesis, simulate, simulate_systems, simulated_effects
from nbyk.resampling.streams import stream_key
from nbyk_papers.wein2023.design import Estimation, Semantics
from nbyk_papers.wein2023.toxicity_ratings import toxicity_ratings

if TYPE_CHECKING:
    import pyarrow as pa

    from nbyk.priors import TwoStagePrior
    from nbyk.studies.steps import Work

Floats = NDArray[np.float64]

_SYSTEMS = ("gold", "a", "b")
_NULL_SYSTEMS = ("gold", "null_a", "null_b")
"""The systems of a reference set in a table: those to judge, and those of its first true draw of the null."""


def metrics_of(semantics: Semantics, columns: Sequence[str]) -> dict[str, str]:
    """Return the metric behind each column."""
    return {column: get(semantics.metric(column)).name for column in columns}


def gold_of(semantics: Semantics, prior: TwoStagePrior, gold: Floats | None) -> Floats | None:
    """Return the real gold behind reference sets, or what the semantics puts in its place; None if neither.

    The published semantics has ratings in place of the toxicity data (`toxicity_ratings`).
    """
    if gold is None and prior.name == TOXICITY.name and semantics.coded_gold:
        return toxicity_ratings()
    return gold


def reference_sets(
    population: Population,
    *,
    n_references: int,
    seed: int,
    gold: Floats | None = None,
    latent_items: bool = True,
    hypothesis: Hypothesis = "alternative",
) -> list[ResponseSet]:
    """Draw the test sets from which p-values are estimated.

    Parameters
    ----------
    population
        The population of the test sets. Its response stage also makes the systems' responses to real gold.
    n_references
        Test sets to draw.
    gold : ndarray, shape (items, ratings), optional
        Real gold ratings, NaN where missing. Each test set then has `n_items` of its items that have at
        least two ratings, drawn without replacement, and simulated systems (Wein et al. 2023, section 6).
    latent_items
        Whether systems on real gold get each item's latent μ and σ, drawn given its ratings and the prior.
        Otherwise they get the mean and standard deviation of its ratings, as in the paper, and so do
        responses that are not put on a scale.
    hypothesis
        "null" answers the same real gold by systems that are equally good: a fair coin chooses A's or B's
        distribution for each response.

    Raises
    ------
    NbykError
        If `gold` has too few items with two ratings.
    """
    prior, n_items = population.prior, population.n_items
    if gold is None:
        return [
            simulate(population, hypothesis=hypothesis, seed=seed, index=index)
            for index in range(n_references)
        ]
    rated_twice = gold[(~np.isnan(gold)).sum(axis=1) >= 2]
    if len(rated_twice) < n_items:
        raise NbykError(
            f"{prior.name}: {len(rated_twice)} items have at least two ratings, {n_items} were asked for; "
            f"set n_items to at most {len(rated_twice)}"
        )
    sets = []
    for index in range(n_references):
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
                sd_scale_a=population.sd_scale_a,
                sd_scale_b=population.sd_scale_b,
                prior=prior if latent_items and prior.response.kind != "normal" else None,
                hypothesis=hypothesis,
                seed=seed,
                index=index,
            )
        )
    return sets


def references_table(sets: Sequence[ResponseSet], nulls: Sequence[ResponseSet] = ()) -> pa.Table:
    """Return reference sets as one long table: reference, system, item, response, value.

    `nulls` are the sets' own true draws of the null, if the semantics has them: systems null_a and null_b.
    """
    import pyarrow as pa

    parts = []
    for reference, data in enumerate(sets):
        matrices = dict(zip(_SYSTEMS, (data.gold, data.a, data.b), strict=True))
        if nulls:
            matrices |= zip(_NULL_SYSTEMS[1:], (nulls[reference].a, nulls[reference].b), strict=True)
        for system, matrix in matrices.items():
            item, response = np.nonzero(~np.isnan(matrix))
            parts.append(
                pa.table(
                    {
                        "reference": np.full(len(item), reference, dtype=np.int32),
                        "system": [system] * len(item),
                        "item": item.astype(np.int32),
                        "response": response.astype(np.int32),
                        "value": matrix[item, response],
                    }
                )
            )
    return pa.concat_tables(parts)


def references_from_table(table: pa.Table, hypothesis: Hypothesis = "alternative") -> list[ResponseSet]:
    """Return the sets, or the nulls, of `references_table`; no nulls if it has none."""
    systems = _SYSTEMS if hypothesis == "alternative" else _NULL_SYSTEMS
    columns = {name: table[name].to_numpy() for name in table.column_names}
    if not set(systems) <= set(columns["system"]):
        return []
    sets = []
    for reference in range(int(columns["reference"].max()) + 1):
        matrices = []
        for system in systems:
            rows = (columns["reference"] == reference) & (columns["system"] == system)
            item, response = columns["item"][rows], columns["response"][rows]
            matrix = np.full((int(item.max()) + 1, int(response.max()) + 1), np.nan)
            matrix[item, response] = columns["value"][rows]
            matrices.append(matrix)
        gold, a, b = matrices
        sets.append(ResponseSet(gold, a, b))
    return sets


def true_effects_table(
    population: Population, metric_of_column: Mapping[str, str], *, n_draws: int, seed: int, work: Work
) -> pa.Table:
    """Draw true effects of each column's metric; one row per hypothesis and draw, one column per column."""
    metrics = list(metric_of_column.values())
    draws = simulated_effects(
        population, metrics, n_draws=n_draws, seed=seed, threads=work.threads, progress=work.advance
    )
    return _effects_table(draws, list(metric_of_column), {})


def with_first_draws(
    true: pa.Table,
    sets: Sequence[ResponseSet],
    nulls: Sequence[ResponseSet],
    metric_of_column: Mapping[str, str],
    k_responses: int,
) -> pa.Table:
    """Return true effects with one more for each reference set, the first draw where the set is judged.

    The authors' code writes the reference set on real gold to index 0 of the true draws of the alternative,
    and equally good systems on the same gold to index 0 of the null.

    Parameters
    ----------
    true
        From `true_effects_table`, with `k_responses` responses.
    sets, nulls
        The reference sets, and those of `hypothesis="null"`.
    k_responses
        The first so many responses of gold, A and B are scored.

    Returns
    -------
    pyarrow.Table
        `true` with a column reference: empty in the fresh draws.
    """
    import pyarrow as pa

    metrics = as_metrics(list(metric_of_column.values()))
    effects = [
        np.concatenate(
            [
                score(
                    metrics,
                    np.stack([data.a, data.b])[:, None, :, :k_responses],
                    data.gold[None, :, :k_responses],
                )
                for data in of_hypothesis
            ],
            axis=1,
        )
        for of_hypothesis in (sets, nulls)
    ]
    n = len(sets)
    content: dict[str, object] = {
        "hypothesis": ["alternative"] * n + ["null"] * n,
        "draw": np.zeros(2 * n, dtype=np.int32),
        "reference": np.tile(np.arange(n, dtype=np.int32), 2),
    }
    content |= zip(metric_of_column, np.concatenate(effects, axis=1), strict=True)
    fresh = true.append_column("reference", pa.nulls(len(true), pa.int32()))
    return pa.concat_tables([fresh, pa.table(content).select(fresh.column_names)])


def estimated_effects_table(
    sets: Sequence[ResponseSet], metric_of_column: Mapping[str, str], how: Estimation, work: Work
) -> pa.Table:
    """Resample every reference set by every sampler; one row per sampler, reference, hypothesis and draw."""
    import pyarrow as pa

    parts = []
    for sampler in how.samplers:
        for reference, data in enumerate(sets):
            draws = resampled_effects(
                data,
                list(metric_of_column.values()),
                sampler=sampler,
                null=how.null,
                share_gold=how.way.share_gold,
                n_resamples=how.n_resamples if reference == 0 else how.n_spread_resamples,
                seed=how.seed,
                threads=work.threads,
                progress=work.advance,
            )
            labels: dict[str, str | int] = {"sampler": sampler, "reference": reference}
            parts.append(_effects_table(draws, list(metric_of_column), labels))
    return pa.concat_tables(parts)


def _effects_table(draws: EffectDraws, columns: Sequence[str], labels: Mapping[str, str | int]) -> pa.Table:
    import pyarrow as pa

    n = draws.alternative.shape[1]
    content: dict[str, object] = {name: [value] * (2 * n) for name, value in labels.items()}
    content["hypothesis"] = ["alternative"] * n + ["null"] * n
    content["draw"] = np.tile(np.arange(n, dtype=np.int32), 2)
    for row, column in enumerate(columns):
        content[column] = np.concatenate([draws.alternative[row], draws.null[row]])
    return pa.table(content)
