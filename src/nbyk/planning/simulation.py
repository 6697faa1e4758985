"""The simulations behind a plan: power at a size, roots of the power, and power curves for a K."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from nbyk.arrays import Floats
from nbyk.errors import NbykError
from nbyk.metrics import get
from nbyk.planning.item_moments import PowerCurve, curve_from_moments
from nbyk.planning.power.estimate import Power, power_from, rejections, until_precise
from nbyk.planning.request import SIZES, Request
from nbyk.planning.root_search import Root, RootSearch
from nbyk.resampling.effects import Threads, run_chunks
from nbyk.resampling.item_effects import item_effects
from nbyk.resampling.streams import CHUNK

Report = Callable[[str], object]

NORMAL_FROM = 1000
"""Items from which an effect is normal enough for the approximation."""

_MOST_RATINGS = 500_000
"""Largest N × K if responses are redrawn; not used if K is given."""

_LARGE = 50_000
_PER_ITEM = 5
"""Sets are large if N items with K ratings, and this much more an item, are more than that."""

_COARSEST = 0.025
"""The standard error of the power that is enough for large sets, if none is asked for."""

_TYPICAL_POWER = 0.8
_MOMENT_ITEMS = 1024
_MOST_MOMENT_CHUNKS = 24
_MOMENT_ERROR, _ROUGH_ERROR = 0.05, 0.1
_FINE_CHUNKS, _FINE_ERROR = 200, 0.01
"""The same of a curve that gives N."""
_IN_DOUBT = 2.0
"""A rough curve may show so many times the items that are needed."""


SLOPES = {"n_items": 1.25, "k_responses": 1.0, "epsilon": 3.0}
"""How the probit power grows with the logarithm of each number that is solved for."""

LEAST_EPSILON = 1e-4


class Point(NamedTuple):
    """A size and an ε to simulate."""

    n_items: int
    k_responses: int
    epsilon: float

    def moved(self, unknown: str, x: float) -> Point:
        """Return the place with another value of one number."""
        value: Any = x if unknown == "epsilon" else round(x)
        return self._replace(**{unknown: value})


def not_found(request: Request, unknown: str, searched: Mapping[Point, Root]) -> NbykError:
    """Return the error of a power that no search along one number found, with the best that was seen.

    `searched` has the roots by the place from which each search went.
    """
    roots = searched.values()
    power, best = max((root.best_power, at.moved(unknown, root.best_x)) for at, root in searched.items())
    epsilon = request.unit * best.epsilon
    at = f"{power:.3f} at N = {best.n_items}, K = {best.k_responses}, ε = {epsilon:.4g}"
    tested = f"{request.world.test.name} on {request.world.test.metric.name}"
    if not all(root.settled for root in roots):
        return NbykError(
            f"{request.power:g}: the search with {tested} did not converge: the power hardly changes over "
            f"the simulated values; the highest is {at}; give another power, a larger `precision`, or a size "
            "to see the power there",
            argument="power",
        )
    limits, ways = [], []
    if request.budget is not None:
        limits.append(f"a budget of {request.budget:g}")
        ways.append("raise the budget")
    elif request.n_items is None:
        limits.append(f"{request.max_items} items")
        ways.append("raise `max_items`")
    if request.k_responses is None:
        limits.append(f"{request.max_responses} responses per item")
        ways.append("raise `max_responses`")
    if request.epsilon is None:
        limits.append(f"ε up to {request.unit:g}")
        if request.budget is None:
            ways.append("raise N or K")
    elif not request.world.of_pair:
        ways.append("raise ε")
    return NbykError(
        f"{request.power:g} is not reached with {tested} within {' and '.join(limits)}; the best "
        f"reachable is {at}; {', '.join(ways)}, or ask for less power",
        argument="power",
    )


class PlanSimulation:
    """Simulations for one request, each on fresh test sets."""

    def __init__(
        self,
        request: Request,
        *,
        seed: int,
        threads: Threads,
        report: Report | None = None,
        patient: bool = True,
    ) -> None:
        self.request = request
        self._patient = patient
        self.approximated = request.world.test.is_compiled
        self._first_sets = 256 if self.approximated else CHUNK
        self._metric = request.world.test.metric if request.world.test.metric.additive else get("mae")
        self._points: dict[tuple[int, float], dict[float, tuple[int, int]]] = {}
        self._curves: dict[tuple[int, float], PowerCurve] = {}
        self._moved: dict[tuple[int, float], PowerCurve] = {}
        self._seed, self._threads = seed, threads
        self._report = report
        self._chunk = 0

    def by_formula(self, n_items: float) -> bool:
        """Return whether the normal approximation takes the place of a search for N.

        Effects of so many items are normal. Whoever is patient has them simulated all the same.
        """
        return self.approximated and not self._patient and n_items >= NORMAL_FROM

    def is_large(self, n_items: float, k: int) -> bool:
        """Return whether sets are so large that their power is simulated more coarsely."""
        return self.by_formula(n_items) and n_items * (k + _PER_ITEM) > _LARGE

    def simulate(self, at: Point, n_sets: int) -> Power:
        """Return the power at a place from fresh test sets, at least `n_sets` in whole chunks."""
        n_chunks = math.ceil(n_sets / CHUNK)
        first, self._chunk = self._chunk, self._chunk + n_chunks
        place = f"N = {at.n_items}, K = {at.k_responses}, ε = {self.request.unit * at.epsilon:.4g}"
        self._say(f"{place}: simulating {n_chunks * CHUNK} test sets")
        ((rejected, draws),) = rejections(
            [self.request.world.test],
            self.request.world.population(*at),
            n_chunks * CHUNK,
            first_chunk=first,
            seed=self._seed,
            threads=self._threads,
        )
        power = power_from(self.request.world.test, int(rejected.sum()), n_chunks * CHUNK)
        undefined = 0 if self.approximated else int((draws == 0).sum())
        note = f", {undefined} of them without a {self.request.world.test.metric.name}" if undefined else ""
        self._say(f"{place}: power {power.power:.3f} on {power.n_sets} test sets{note}")
        return power

    def confirm(self, at: Point, precision: float) -> Power:
        """Return the power at a place from fresh test sets, enough for the standard error `precision`.

        If the sets are large, a larger one is enough.
        """
        if self.is_large(at.n_items, at.k_responses):
            precision = max(precision, _COARSEST)
        n_rejected = until_precise(lambda _, more: self.simulate(at, more).rejections, precision)
        return power_from(self.request.world.test, *n_rejected)

    def root(self, at: Point, unknown: str, power: float, precision: float, guess: float) -> Root:
        """Return the value of one number that has a power, with the others as they are.

        For N, earlier simulations of this K and ε count too. N of many items is that of the approximation.
        """
        n_items, k, epsilon = at.moved(unknown, guess)
        if unknown == "n_items" and self.by_formula(n_items):
            return self._root_by_formula(k, epsilon, power)
        if self.is_large(n_items, k):
            precision = max(precision, _COARSEST)

        def count(x: float, n_sets: int) -> tuple[int, int]:
            estimate = self.simulate(at.moved(unknown, x), n_sets)
            return estimate.rejections, estimate.n_sets

        slope = SLOPES[unknown]
        least = self.request.least(unknown) if unknown in SIZES else LEAST_EPSILON
        most = self.most(unknown, at.k_responses)
        search = RootSearch(
            count,
            power,
            least,
            most,
            slope,
            whole=unknown != "epsilon",
            first_sets=self._first_sets,
            seen=self._points.setdefault(at[1:], {}) if unknown == "n_items" else {},
        )
        return search.run(min(guess, most), precision)

    def most(self, unknown: str, k: int) -> float:
        """Return the limit of the search for a number; N is less if one set would take seconds."""
        asked = self.request
        if unknown == "n_items" and not self.approximated and asked.k_responses is None:
            return max(2, min(asked.max_items, _MOST_RATINGS // k))
        return {"n_items": asked.max_items, "k_responses": asked.max_responses}.get(unknown, 1.0)

    def curve(self, k: int, epsilon: float) -> PowerCurve:
        """Return the approximate power curve of a K at an ε, from single items, enough for a small error.

        It is the curve for swaps, by the metric if it is additive and by the absolute error if not. For other
        tests and metrics it is a guess.
        """
        if (k, epsilon) not in self._curves:
            self._curves[k, epsilon] = self._new_curve(k, epsilon)
        return self._curves[k, epsilon]

    def all_curves(self, epsilon: float, power: float) -> dict[int, PowerCurve]:
        """Return the approximate power curves of the whole ladder of K; empty if there is no approximation.

        An effect of few items is not normal yet. Curves that reach `power` at few items are therefore moved
        to pass through the power of 256 test sets there.
        """
        if not self.approximated:
            return {}
        ladder = self.request.ladder()
        shown = f"{self.request.unit * epsilon:.4g}"
        self._say(f"effects of single items at ε = {shown}, K from {ladder[0]} to {ladder[-1]}")
        for k in ladder:
            curve = self.curve(k, epsilon)
            n = max(self.request.world.test.fewest_items, round(min(curve.items_for(power), NORMAL_FROM)))
            if n < NORMAL_FROM and (k, epsilon) not in self._moved:
                seen = self.simulate(Point(n, k, epsilon), 256)
                curve = curve.moved_through(n, seen.rejections, seen.n_sets)
            self._moved.setdefault((k, epsilon), curve)
        return {k: self._moved[k, epsilon] for k in ladder}

    def _root_by_formula(self, k: int, epsilon: float, power: float) -> Root:
        """Return the N that has a power by the normal approximation, from many items if it may be allowed."""
        most, curve = self.request.max_items, self.curve(k, epsilon)
        if curve.items_for(power) <= _IN_DOUBT * most:
            curve = self._new_curve(k, epsilon, _FINE_ERROR, _FINE_CHUNKS)
        n_items = max(curve.items_for(power), 2.0)
        if n_items > most:
            return Root(math.nan, math.nan, math.nan, math.nan, most, curve.power(most))
        factor, error = math.exp(2.0 * 1.96 * curve.error), curve.power_error(n_items)
        return Root(n_items, n_items / factor, n_items * factor, error, n_items, power)

    def _new_curve(
        self, k: int, epsilon: float, wanted_error: float | None = None, most: int = _MOST_MOMENT_CHUNKS
    ) -> PowerCurve:
        population = self.request.world.population(_MOMENT_ITEMS, k, epsilon)
        total = np.zeros(2)
        done, wanted = 0, 1
        while True:
            first = done

            def work(chunk: int, size: int, first: int = first) -> Floats:
                (effects,) = item_effects(
                    population,
                    self._metric,
                    chunk=first + chunk,
                    size=size,
                    seed=self._seed,
                    purpose="moments of a plan",
                )
                return np.stack([effects.mean(axis=1), (effects**2).mean(axis=1)])

            (more,) = run_chunks((wanted - done) * CHUNK, work, threads=self._threads)
            total += more.sum(axis=1)
            done = wanted
            mean, square = (total / (done * CHUNK)).tolist()
            sd = math.sqrt(max(0.0, square - mean * mean))
            seen = done * CHUNK * _MOMENT_ITEMS
            curve = curve_from_moments(k, mean, sd, seen, self.request.world.test.one_sided_alpha)
            small = curve.items_for(_TYPICAL_POWER) < NORMAL_FROM
            enough = wanted_error or (_ROUGH_ERROR if small else _MOMENT_ERROR)
            if curve.error <= enough or done == most:
                return curve
            needed = done * (curve.error / enough) ** 2 if curve.error < math.inf else 4.0 * done
            wanted = int(min(most, max(done + 1, needed)))

    def _say(self, line: str) -> None:
        if self._report is not None:
            self._report(line)
