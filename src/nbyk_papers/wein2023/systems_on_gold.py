"""Simulated systems that answer the items of real gold ratings (Wein et al. 2023, section 6)."""

from __future__ import annotations

import json

from nbyk.arrays import Floats
from nbyk.data.response_set import ResponseSet
from nbyk.data.units import FRESH
from nbyk.errors import NbykError
from nbyk.priors import Response, TwoStagePrior, item_parameters
from nbyk.priors.marginal import draw_rated_items
from nbyk.resampling.population import ItemParameters, perturbed
from nbyk.resampling.simulate import Hypothesis, draw_responses
from nbyk.resampling.streams import Streams, stream_key


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
