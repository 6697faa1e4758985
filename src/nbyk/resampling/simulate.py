"""Drawing response sets from a two-stage prior (Wein et al. 2023, Algorithm 3 and section 3.2.2).

Item i draws (μ_i, σ_i) from the item stage. G and A respond with mean μ_i, B with mean μ_i + v_i where
v_i ~ U(−ε_B, ε_B), clamped to [0, 1] (and A likewise with ε_A). Under the null, each single response of
either system comes from A's or from B's distribution, by a fair coin.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nbyk.data.response_set import ResponseSet
from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.priors import Response, TwoStagePrior, item_parameters
from nbyk.resampling import kernels
from nbyk.resampling.effects import (
    EffectDraws,
    Progress,
    as_metrics,
    batches,
    check_defined,
    run_chunks,
    score,
)
from nbyk.resampling.streams import StreamKey, Streams, stream_key

Floats = NDArray[np.float64]
Hypothesis = Literal["alternative", "null"]
Detail = Literal["responses", "item_means"]

_RESPONSE_CODES = {
    "normal": kernels.NORMAL,
    "clamped": kernels.CLAMPED,
    "likert": kernels.LIKERT,
    "binary": kernels.BINARY,
}


@dataclass(frozen=True)
class _Items:
    """Item parameters of a batch: means under gold, A and B, and the standard deviation, each (R, N)."""

    gold: Floats
    a: Floats
    b: Floats
    sd: Floats


@dataclass(frozen=True)
class Population:
    """What response sets are drawn from, and how large they are.

    Attributes
    ----------
    prior
        Two-stage prior of the items and their responses.
    n_items
        Items N, at least 2.
    k_responses
        Responses per item K of gold and of either system, at least 1.
    epsilon_b, epsilon_a
        Half-width ε of the uniform perturbation of B's and A's item means, in [0, 1].
    """

    prior: TwoStagePrior
    n_items: int
    k_responses: int
    epsilon_b: float
    epsilon_a: float = 0.0

    def __post_init__(self) -> None:
        if self.n_items < 2:
            raise NbykError(f"n_items: found {self.n_items}, expected at least 2 items")
        if self.k_responses < 1:
            raise NbykError(f"k_responses: found {self.k_responses}, expected at least 1 response per item")
        check_epsilon("epsilon_b", self.epsilon_b)
        check_epsilon("epsilon_a", self.epsilon_a)

    def key(self, seed: int, purpose: str) -> StreamKey:
        """Return the key of this population's streams for one purpose."""
        return stream_key(
            seed,
            purpose=purpose,
            prior=self.prior.key(),
            n=self.n_items,
            k=self.k_responses,
            epsilon_a=float(self.epsilon_a),
            epsilon_b=float(self.epsilon_b),
        )

    def draw_items(self, streams: Streams, n: int) -> _Items:
        """Draw the item parameters of `n` replicates."""
        mu_family, sigma_family = self.prior.mu, self.prior.sigma
        shape = (n, self.n_items)
        mu = mu_family.draw(streams.uniforms("mu", (*shape, mu_family.n_uniforms)))
        sd = sigma_family.draw(streams.uniforms("sigma", (*shape, sigma_family.n_uniforms)))
        return _Items(
            gold=mu,
            a=_perturbed(mu, self.epsilon_a, streams, "epsilon a"),
            b=_perturbed(mu, self.epsilon_b, streams, "epsilon b"),
            sd=sd,
        )


def simulate(
    prior: TwoStagePrior,
    *,
    n_items: int,
    k_responses: int,
    epsilon_b: float,
    epsilon_a: float = 0.0,
    hypothesis: Hypothesis = "alternative",
    seed: int = 0,
    index: int = 0,
) -> ResponseSet:
    """Draw one response set from a prior (Algorithm 3, GENTESTSET).

    Parameters
    ----------
    prior, n_items, k_responses, epsilon_b, epsilon_a
        See `Population`.
    hypothesis
        "alternative", or "null", where each response of A and of B has either system's mean by a fair coin.
    seed
        Seed of the draw.
    index
        Which of the seed's response sets to return, from 0.

    Raises
    ------
    NbykError
        If N < 2, K < 1 or an ε is outside [0, 1].
    """
    population = Population(prior, n_items, k_responses, epsilon_b, epsilon_a)
    streams = Streams(population.key(seed, f"reference {hypothesis}"), index)
    items = population.draw_items(streams, 1)
    gold, systems = _responses(prior.response, items, k_responses, streams, hypothesis)
    return ResponseSet(gold[0], systems[0, 0], systems[1, 0])


def simulate_systems(
    gold: Floats,
    response: Response,
    *,
    k_responses: int,
    epsilon_b: float,
    epsilon_a: float = 0.0,
    seed: int = 0,
    index: int = 0,
) -> ResponseSet:
    """Simulate two systems that answer the items of real gold ratings (Wein et al. 2023, section 6).

    A's responses to item i have the mean and standard deviation of the item's gold responses, B's the
    perturbed mean; both pass through the response stage.

    Parameters
    ----------
    gold : ndarray, shape (N, K_gold)
        Gold responses, NaN where missing; each item needs at least two.
    response
        Response stage of the systems.
    k_responses, epsilon_b, epsilon_a, seed, index
        As for `simulate`.

    Raises
    ------
    NbykError
        If an item has a single response, so that it has no standard deviation.
    """
    means, sds = item_parameters(gold)
    if len(sds) < len(means):
        raise NbykError(
            f"{len(means) - len(sds)} of {len(means)} items have a single gold response and so no standard "
            "deviation to give to a simulated system; keep items with at least two"
        )
    check_epsilon("epsilon_b", epsilon_b)
    check_epsilon("epsilon_a", epsilon_a)
    key = stream_key(
        seed,
        purpose="systems on real gold",
        gold=ResponseSet(gold, gold, gold).fingerprint(),
        response=json.dumps(response.to_dict(), sort_keys=True),
        k=k_responses,
        epsilon_a=float(epsilon_a),
        epsilon_b=float(epsilon_b),
    )
    streams = Streams(key, index)
    items = _Items(
        gold=means[None],
        a=_perturbed(means[None], epsilon_a, streams, "epsilon a"),
        b=_perturbed(means[None], epsilon_b, streams, "epsilon b"),
        sd=sds[None],
    )
    _, systems = _responses(response, items, k_responses, streams, "alternative")
    return ResponseSet(gold, systems[0, 0], systems[1, 0])


def simulated_effects(
    prior: TwoStagePrior,
    metrics: str | Metric | Sequence[str | Metric],
    *,
    n_items: int,
    k_responses: int,
    epsilon_b: float,
    epsilon_a: float = 0.0,
    n_draws: int = 1000,
    detail: Detail = "responses",
    seed: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> EffectDraws:
    """Draw effects of fresh response sets under the alternative and under the null: the "true" effects.

    Every draw has items, perturbations and responses of its own. All metrics see the same draws, and a
    larger `n_draws` continues them.

    Parameters
    ----------
    prior, n_items, k_responses, epsilon_b, epsilon_a
        See `Population`.
    metrics
        One metric or several, by name or as `Metric`.
    n_draws
        Draws M under either hypothesis.
    detail
        "responses" draws every response. "item_means" draws each item's mean response directly, from its
        exact distribution: one normal in place of K for normal responses, one multinomial for Likert and
        binary ones. Same distribution, other numbers, and only for metrics of item means.
    seed, threads, progress
        As for `nbyk.resampled_effects`.

    Returns
    -------
    EffectDraws

    Raises
    ------
    NbykError
        If an argument is out of range or a metric is undefined on a draw.
    """
    chosen = as_metrics(metrics)
    population = Population(prior, n_items, k_responses, epsilon_b, epsilon_a)
    if detail == "item_means":
        _check_item_means_suffice(chosen, prior.response)
    values_per_replicate = 3 * n_items * (k_responses if detail == "responses" else 1)

    def effects(hypothesis: Hypothesis) -> Floats:
        key = population.key(seed, f"true {hypothesis} {detail}")

        def work(chunk: int, size: int) -> Floats:
            streams = Streams(key, chunk)
            parts = []
            for batch in batches(size, values_per_replicate, threads):
                items = population.draw_items(streams, batch)
                draw = _responses if detail == "responses" else _item_means
                gold, systems = draw(prior.response, items, k_responses, streams, hypothesis)
                parts.append(score(chosen, systems, gold))
            return np.concatenate(parts, axis=1)

        return check_defined(chosen, run_chunks(n_draws, work, threads=threads, progress=progress))

    names = tuple(metric.name for metric in chosen)
    return EffectDraws(names, effects("alternative"), effects("null"), paired=False)


def check_epsilon(name: str, epsilon: float) -> None:
    """Raise NbykError unless ε is a number in [0, 1]."""
    if not 0.0 <= epsilon <= 1.0:
        raise NbykError(f"{name}: found {epsilon}, expected a perturbation between 0 and 1")


def _perturbed(mu: Floats, epsilon: float, streams: Streams, role: str) -> Floats:
    perturbed = mu.copy()
    uniforms = streams.uniforms(role, mu.shape) if epsilon > 0.0 else perturbed
    kernels.perturb(perturbed, epsilon, uniforms)
    return perturbed


def _responses(
    response: Response, items: _Items, k: int, streams: Streams, hypothesis: Hypothesis
) -> tuple[Floats, Floats]:
    """Draw gold responses (R, N, K) and both systems' (2, R, N, K)."""
    code = _RESPONSE_CODES[response.kind]
    shape = (*items.gold.shape, k)
    gold, systems = np.empty(shape), np.empty((2, *shape))
    streams.fill_normals("gold", gold)
    kernels.respond(items.gold, items.sd, code, response.levels, gold)
    for role, mean, out in (("a", items.a, systems[0]), ("b", items.b, systems[1])):
        streams.fill_normals(role, out)
        if hypothesis == "alternative":
            kernels.respond(mean, items.sd, code, response.levels, out)
        else:
            from_b = streams.coins(f"source of {role}", shape)
            kernels.respond_mixed(items.a, items.b, items.sd, from_b, code, response.levels, out)
    return gold, systems


def _item_means(
    response: Response, items: _Items, k: int, streams: Streams, hypothesis: Hypothesis
) -> tuple[Floats, Floats]:
    """Draw item means from their exact distribution: gold (R, N, 1) and both systems' (2, R, N, 1)."""
    draw = _normal_means if response.kind == "normal" else _categorical_means
    gold = draw(response, items.gold, items.gold, items.sd, k, streams, "gold")
    means = (items.a, items.b) if hypothesis == "alternative" else None
    a, b = (
        draw(response, *((means[s], means[s]) if means else (items.a, items.b)), items.sd, k, streams, role)
        for s, role in enumerate(("a", "b"))
    )
    return gold[..., None], np.stack([a, b])[..., None]


def _normal_means(
    response: Response, mean_a: Floats, mean_b: Floats, sd: Floats, k: int, streams: Streams, role: str
) -> Floats:
    """Draw the mean of K normals whose means are `mean_a` or `mean_b` by a fair coin each: one normal."""
    noise = np.empty(sd.shape)
    streams.fill_normals(role, noise)
    mean = mean_a
    if mean_b is not mean_a:
        share_of_b = streams.coins(f"source of {role}", (*sd.shape, k)).mean(axis=-1)
        mean = mean_a + (mean_b - mean_a) * share_of_b
    return mean + sd / math.sqrt(k) * noise


def _categorical_means(
    response: Response, mean_a: Floats, mean_b: Floats, sd: Floats, k: int, streams: Streams, role: str
) -> Floats:
    """Draw the mean of K Likert or binary responses: one multinomial per item."""
    cells = response.probabilities(mean_a, sd)
    if mean_b is not mean_a:
        cells = 0.5 * (cells + response.probabilities(mean_b, sd))
    counts = streams.generator(role).multinomial(k, cells)
    means: Floats = counts @ response.values / k
    return means


def _check_item_means_suffice(metrics: Sequence[Metric], response: Response) -> None:
    if response.kind == "clamped":
        raise NbykError("detail 'item_means' has no exact form for clamped responses; use detail 'responses'")
    for metric in metrics:
        if metric.needs != "item_means":
            raise NbykError(f"metric {metric.name} needs single responses; use detail 'responses'")
