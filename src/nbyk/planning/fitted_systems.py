"""Two systems and their raters as a population to simulate: a fitted prior and matching perturbations."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.data.response_set import ResponseSet
from nbyk.data.scales import Scale
from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.metrics.item_means import item_means
from nbyk.priors import Response, TwoStagePrior, fit_prior
from nbyk.resampling.population import Population
from nbyk.resampling.simulate import mean_responses
from nbyk.resampling.streams import StreamKey, Streams, stream_key

_ITEMS = 20_000
_MOST_PER_SET = 100
_TOLERANCE = 1e-4
_DOUBT = 3.0
"""Standard errors beyond which two systems' variances within items differ."""
_NODES = ((2.0 / 3.0, 0.0), (1.0 / 6.0, -math.sqrt(3.0)), (1.0 / 6.0, math.sqrt(3.0)))
"""Weights and places of Gauss and Hermite's rule of three points for a standard normal variable."""

_EXCHANGED = {"a": "b", "b": "a", "epsilon a": "epsilon b", "epsilon b": "epsilon a"}


@dataclass(frozen=True)
class RepeatedStreams:
    """The first random numbers of each role, the same at every call; those of A and B may be exchanged."""

    key: StreamKey
    names: Mapping[str, str] = field(default_factory=dict)

    def exchanged(self) -> RepeatedStreams:
        """Return the same random numbers, with A's for B."""
        return replace(self, names=_EXCHANGED)

    def uniforms(self, role: str, shape: tuple[int, ...]) -> Floats:
        """Return uniforms of this shape."""
        return Streams(self.key, 0).uniforms(self.names.get(role, role), shape)

    def normals(self, role: str, shape: tuple[int, ...]) -> Floats:
        """Return standard normals of this shape."""
        out = np.empty(shape)
        Streams(self.key, 0).fill_normals(self.names.get(role, role), out)
        return out


@dataclass(frozen=True)
class FittedSystems:
    """A population whose gold, A and B are like those of a data set in which A looks better, by a metric.

    It has the data's N and gold's responses per item K. The factors on σ give the mean of K responses the
    noise of the mean of the system's own responses. `draws` are the random numbers used for matching.
    """

    population: Population
    metric: Metric
    seed: int
    draws: RepeatedStreams

    @classmethod
    def of(
        cls, data: ResponseSet, metric: Metric, effect: float, scale: Scale | None, seed: int
    ) -> FittedSystems:
        """Return the population with A's mean squared error of item means and the same effect, above 0."""
        prior = _prior(data, scale)
        gold = _Spread.of(data.gold)
        k = max(1, round(gold.k))
        spread_a, spread_b = (system.noise_beside(gold, k) for system in _systems(data))
        draws = RepeatedStreams(stream_key(seed, purpose="fitted systems", prior=prior.key()))
        start = cls(Population(prior, data.n_items, k, 0.0, 0.0, spread_a, spread_b), metric, seed, draws)
        errors = (item_means(data.a) - item_means(data.gold)) ** 2
        return start._with(float(errors.mean()), effect)

    def beside(self, data: ResponseSet) -> tuple[tuple[float, FittedSystems], ...]:
        """Return populations with other errors of A and the same effect, and their weights; this one first.

        They are Gauss and Hermite's rule of three points over the sampling error of A's mean squared error,
        minus its noise. The benefit of more ratings per item depends on the part that is not noise.
        """
        means = item_means(data.a), item_means(data.gold)
        raw = (means[0] - means[1]) ** 2
        beyond_noise = raw - _noise_of_means(data.a) - _noise_of_means(data.gold)
        error = float(beyond_noise.std(ddof=1)) / math.sqrt(len(raw))
        effect = self.moments(self.population.k_responses)[0]
        rows = []
        for weight, place in _NODES:
            try:
                changed = self._with(float(raw.mean()) + place * error, effect) if place else self
            except NbykError:  # no perturbation gives so large an error with that effect
                changed = self
            rows.append((weight, changed))
        return tuple(rows)

    def _with(self, error: float, effect: float) -> FittedSystems:
        """Return the population in which A has a mean squared error, and A over B an effect."""

        def at(epsilon_a: float, epsilon_b: float) -> FittedSystems:
            changed = replace(self.population, epsilon_a=epsilon_a, epsilon_b=epsilon_b)
            return replace(self, population=changed)

        k = self.population.k_responses
        epsilon_a = _root(lambda epsilon: at(epsilon, 0.0)._error_of_a() - error, "A's error", below=0.0)
        epsilon_b = _root(lambda epsilon: at(epsilon_a, epsilon).moments(k)[0] - effect, "the effect")
        return at(epsilon_a, epsilon_b)

    def moments(self, k_responses: int) -> tuple[float, float]:
        """Return the expected effect with K responses, and √N times its standard deviation.

        They are those of 20,000 items, which are the same for every K, ε and factor; K responses are the
        first of a larger number. The effect is averaged over both ways to assign random numbers to A and B.
        So equal systems have an effect of 0, and nearly equal ones have little noise.
        """
        n_items = 1 if self.metric.additive else min(self.population.n_items, _MOST_PER_SET)
        dealt = [self._effects(k_responses, n_items, draws) for draws in (self.draws, self.draws.exchanged())]
        defined = np.isfinite(dealt).all(axis=0)
        if defined.sum() < 2:
            raise NbykError(f"metric {self.metric.name} is undefined on items like these")
        effects = np.array(dealt)[:, defined]
        return float(effects.mean()), float(effects.std(axis=1, ddof=1).mean()) * math.sqrt(n_items)

    def _effects(self, k: int, n_items: int, draws: RepeatedStreams) -> Floats:
        """Return the effects of sets of `n_items`, (sets,)."""
        n_sets = _ITEMS // n_items
        if self.metric.needs == "item_means":
            shape: tuple[int, ...] = (3, n_sets, n_items)
            found = self._item_means(k, draws)
        else:
            shape = (3, n_sets, n_items, k)
            respond = self.population.prior.response.respond
            responses = np.stack([respond(*of_role) for of_role in self._drawn(k, draws)])
            found = np.ascontiguousarray(responses.transpose(0, 2, 1))
        gold, *systems = found[:, : n_sets * n_items].reshape(shape)
        return self.metric.effects(np.array(systems), gold)

    def _error_of_a(self) -> float:
        gold, a, _ = self._item_means(self.population.k_responses, self.draws)
        return float(((a - gold) ** 2).mean())

    def _item_means(self, k: int, draws: RepeatedStreams) -> Floats:
        """Return the item means of gold, A and B, (3, items)."""
        response = self.population.prior.response
        return np.stack([mean_responses(response, *of_role) for of_role in self._drawn(k, draws)])

    def _drawn(self, k: int, draws: RepeatedStreams) -> Iterator[tuple[Floats, Floats, Floats]]:
        """Yield the items' means and deviations, (items,), and normals, (K, items), for gold, A and B."""
        many = replace(self.population, n_items=_ITEMS, k_responses=k)
        items = many.draw_items(draws, 1)
        means, sds = (items.gold, items.a, items.b), (items.sd_gold, items.sd_a, items.sd_b)
        for role, mean, sd in zip(("gold", "a", "b"), means, sds, strict=True):
            yield mean[0], sd[0], draws.normals(role, (k, _ITEMS))


@dataclass(frozen=True)
class _Spread:
    """One source's mean number of responses per item, and the variance within an item; None if unknown."""

    k: float
    within: float | None

    @classmethod
    def of(cls, matrix: Floats) -> _Spread:
        counts, variances = _within(matrix)
        known = variances[counts > 1]
        return cls(float(counts.mean()), float(known.mean()) if len(known) else None)

    def noise_beside(self, gold: _Spread, k: int) -> float:
        """Return the factor on σ at which K responses average to the noise of this source's."""
        if not gold.within or self.within is None:
            return 0.0
        return math.sqrt(self.within / gold.within * k / self.k)


def _within(matrix: Floats) -> tuple[Integers, Floats]:
    """Return each item's number of responses, and their variance; NaN where there is one."""
    counts = (~np.isnan(matrix)).sum(axis=1)
    variances = np.full(len(matrix), np.nan)
    if (counts > 1).any():
        variances[counts > 1] = np.nanvar(matrix[counts > 1], axis=1, ddof=1)
    return counts, variances


def _noise_of_means(matrix: Floats) -> Floats:
    """Return the noise variance of each item's mean; for an item with one response, from other items."""
    counts, variances = _within(matrix)
    if not (counts > 1).any():
        return np.zeros(len(matrix))
    return np.asarray(np.where(counts > 1, variances, np.nanmean(variances)) / counts)


def _systems(data: ResponseSet) -> tuple[_Spread, _Spread]:
    """Return A and B, with one variance within items for both unless their variances clearly differ.

    The change of an effect with K depends on that difference, and an undecided comparison has too little
    evidence on it.
    """
    a, b = _Spread.of(data.a), _Spread.of(data.b)
    if a.within is None or b.within is None:
        return a, b
    beyond = _within(data.a)[1] - _within(data.b)[1]
    beyond = beyond[~np.isnan(beyond)]
    if len(beyond) > 1 and abs(beyond.mean()) > _DOUBT * beyond.std(ddof=1) / math.sqrt(len(beyond)):
        return a, b
    of_both = 0.5 * (a.within + b.within)
    return replace(a, within=of_both), replace(b, within=of_both)


def _prior(data: ResponseSet, scale: Scale | None) -> TwoStagePrior:
    every = np.concatenate([matrix[~np.isnan(matrix)] for matrix in (data.gold, data.a, data.b)])
    if every.min() < 0.0 or every.max() > 1.0:
        raise NbykError(
            f"the responses run from {every.min():g} to {every.max():g}, but nbyk fits priors to ratings "
            "between 0 and 1: put all of them on that scale"
        )
    if data.gold.shape[1] == 1:
        raise NbykError(
            "gold has one response per item, so it does not show how raters of an item differ, or how more "
            "ratings per item would help"
        )
    response = Response("clamped") if scale is None else Response.on(scale)
    return fit_prior("these items", data.gold, response).prior


def _root(excess: Callable[[float], float], what: str, *, below: float | None = None) -> float:
    """Return the ε in [0, 1] at which `excess` grows through 0; `below` if it is above 0 from the start."""
    from scipy.optimize import brentq

    if excess(0.0) >= 0.0:
        if below is not None:
            return below
        raise NbykError(f"{what} is smaller than that of any perturbation of items like these")
    if excess(1.0) <= 0.0:
        raise NbykError(f"{what} is larger than that of any perturbation of items like these")
    # Random numbers depend on all digits, and the last digits depend on the machine's linear algebra.
    return float(f"{brentq(excess, 0.0, 1.0, xtol=_TOLERANCE):.6g}")
