"""The searches behind a plan, one per open quantity: by simulation, with a normal approximation first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice

from nbyk.errors import NbykError
from nbyk.planning.item_moments import PowerCurve, quantile, smoothed
from nbyk.planning.power.estimate import Power
from nbyk.planning.result import Candidate, Plan
from nbyk.planning.root_search import Root
from nbyk.planning.simulation import LIMITS_AND_SLOPES, NORMAL_FROM, PlanSimulation, Point, not_found

Estimate = tuple[float, float, str]
"""A power, its standard error, and "simulation" or "approximation"."""

_COARSE = 0.03
_CONTENDERS, _SLOW_CONTENDERS = 4, 2
_WORTH = 1.1
"""Try the next K if its cost is at most this many times that of the cheapest size so far."""
_SEARCH = 0.5
"""Standard error of a search, relative to that of the answer: the choice must hold on fresh test sets.
Searches with slow tests use the answer's standard error, and move on if the choice does not hold."""
_REPAIRS = 4
_FAR_OFF = 3.0
_SETS_AT_LARGEST = 128
_FIGURE_POWER = 0.8


def _whole(x: float) -> int:
    """Return the least whole number at or above x, allowing for rounding errors."""
    return math.ceil(x - 1e-6)


def _value(quantity: float | None) -> float:
    """Return a quantity that a search needs."""
    if quantity is None:
        raise NbykError("a plan asked for a quantity that was not given")
    return quantity


class PlanSearch:
    """Answers to the request of a simulation, each from fresh test sets."""

    def __init__(self, simulation: PlanSimulation) -> None:
        self.simulation = simulation
        self.request = simulation.request
        self._fine = _SEARCH if simulation.approximated else 1.0

    def solved(self, opened: tuple[str, ...], precision: float) -> Plan:
        """Return the plan for what a request leaves open."""
        if opened[-1] == "power":
            return self._power_of_size(precision)
        if opened[-1] == "epsilon":
            return self._smallest_epsilon(precision)
        if len(opened) > 1:
            return self._cheapest_size(precision)
        return self._least(opened[0], precision)

    def _power_of_size(self, precision: float) -> Plan:
        """Return the power at the size, or at the best one that the budget buys."""
        epsilon = _value(self.request.epsilon)
        sizes = self._sizes()
        if len(sizes) > 1:
            predicted = self._predicted_powers(sizes, epsilon)
            best = max(power for power, *_ in predicted.values())
            contenders = [
                k for k, (power, error, _) in predicted.items() if power >= best - 0.02 - 2.0 * error
            ]
            contenders = sorted(contenders, key=lambda k: -predicted[k][0])[:_CONTENDERS]
        else:
            predicted, contenders = {}, list(sizes)
        powers = {k: self.simulation.confirm(Point(sizes[k], k, epsilon), precision) for k in contenders}
        chosen = max(powers, key=lambda k: (powers[k].power, -k))
        if len(powers) > 1:  # the highest of several estimates is biased upwards
            powers[chosen] = self.simulation.confirm(Point(sizes[chosen], chosen, epsilon), precision)
        powers_by_k = predicted | {k: _simulated(power) for k, power in powers.items()}
        rows = [self._row(Point(sizes[k], k, epsilon), *powers_by_k[k]) for k in powers_by_k]
        power = powers[chosen]
        ties = [k for k in powers if k != chosen and _as_high(powers[k], power)]
        return Plan.by_simulation(
            self.request,
            Point(sizes[chosen], chosen, epsilon),
            power,
            (power.low, power.high),
            candidates=_by_k(rows),
            ties=tuple(sorted(ties)),
        )

    def _smallest_epsilon(self, precision: float) -> Plan:
        """Return the smallest ε that the test detects with the power, at the best of several sizes."""
        target, sizes = _value(self.request.power), self._sizes()
        contenders, guess = list(sizes), 0.1
        if len(sizes) > 1:
            contenders, guess = self._contenders_for_epsilon(sizes, target)
        searched: dict[Point, Root] = {}
        for k in contenders:
            at = Point(sizes[k], k, 0.0)
            root = self.simulation.root(at, "epsilon", target, self._fine * precision, guess)
            searched[at], guess = root, guess if math.isnan(root.x) else root.x
        roots = self._reached("epsilon", searched)
        chosen = min(roots, key=lambda at: roots[at].x)
        answer = self._answer_at(chosen, "epsilon", roots[chosen], precision)
        rows = [self._row(at.moved("epsilon", of.x), target, of.power_error) for at, of in roots.items()]
        high = roots[chosen].high
        ties = sorted(at.k_responses for at, of in roots.items() if at != chosen and of.low <= high)
        return replace(answer, candidates=_by_k(rows), ties=tuple(ties))

    def _least(self, unknown: str, precision: float) -> Plan:
        """Return the least N or K, for the other one, ε and power."""
        asked, target = self.request, _value(self.request.power)
        at = Point(asked.n_items or 0, asked.k_responses or 0, _value(asked.epsilon))
        guess = 5.0 if unknown == "k_responses" else self._guess_items(at, target)
        root = self.simulation.root(at, unknown, target, self._fine * precision, guess)
        return self._answer_at(at, unknown, self._reached(unknown, {at: root})[at], precision)

    def _cheapest_size(self, precision: float) -> Plan:
        """Return the cheapest (N, K) for the given ε and power."""
        asked, epsilon, target = self.request, _value(self.request.epsilon), _value(self.request.power)
        curves, guesses = self._guessed_sizes(epsilon, target)
        order = sorted(guesses, key=lambda k: asked.cost(_whole(guesses[k]), k))
        highest = asked.cost(_whole(guesses[order[0]] * math.exp(_reach(curves.get(order[0])))), order[0])
        near = (
            k
            for k in order
            if asked.cost(_whole(guesses[k] * math.exp(-_reach(curves.get(k)))), k) <= highest
        )
        contenders = [*islice(near, _CONTENDERS if self.simulation.approximated else _SLOW_CONTENDERS)]
        searched = {
            at: self.simulation.root(at, "n_items", target, self._fine * precision, guesses[at.k_responses])
            for at in (Point(0, k, epsilon) for k in contenders)
        }
        roots = {at.k_responses: root for at, root in self._reached("n_items", searched).items()}
        chosen = min(roots, key=lambda k: asked.cost(_whole(roots[k].x), k))
        answer = self._answer_at(Point(0, chosen, epsilon), "n_items", roots[chosen], precision)
        rows = [*answer.candidates]
        for k, guess in guesses.items():
            if k in roots and k != chosen:
                n, low, high = (_allowed("n_items", x) for x in (roots[k].x, roots[k].low, roots[k].high))
                at = Point(int(n), k, epsilon)
                by = "approximation" if self.simulation.by_formula(n) else "simulation"
                rows.append(self._row(at, target, roots[k].power_error, by, (int(low), int(high))))
            elif k != chosen:
                rows.append(self._guessed_row(k, guess, epsilon, target, curves.get(k)))
        highest = asked.cost(int(answer.high), chosen)
        ties = [row.k_responses for row in rows if asked.cost(row.n_low, row.k_responses) <= highest]
        return replace(
            answer,
            low=asked.cost(int(answer.low), chosen),
            high=highest,
            candidates=_by_k(rows),
            ties=tuple(sorted(k for k in ties if k != chosen)),
        )

    def figure_curves(self, answer: Plan) -> tuple[PowerCurve, ...]:
        """Return power curves over the ladder of K for a figure, at an answer's ε.

        For slow tests, they are from the normal approximation to swaps, moved through the answer.
        """
        epsilon, alpha = _value(answer.epsilon), self.request.world.test.one_sided_alpha
        curves = smoothed(self.simulation.all_curves(epsilon, _FIGURE_POWER))
        if not self.simulation.approximated:
            reached = min(max(answer.power, 2.0 * alpha), 0.99)
            there = PowerCurve.through(answer.k_responses, answer.n_items, reached, alpha)
            ratio = there.slope / self.simulation.curve(answer.k_responses, epsilon).slope
            for k in self.request.ladder(short=True):
                curve = self.simulation.curve(k, epsilon)
                curves[k] = replace(curve, slope=curve.slope * ratio, offset=there.offset)
        return tuple(curve for _, curve in sorted(curves.items()) if 0.0 < curve.slope < math.inf)

    def _sizes(self) -> dict[int, int]:
        """Return the N of every K to consider: the given size, or the sizes that the budget buys."""
        asked = self.request
        if asked.n_items is not None and asked.k_responses is not None:
            return {asked.k_responses: asked.n_items}
        budget = _value(asked.budget)
        ladder = asked.ladder() if self.simulation.approximated else asked.ladder(short=True)
        sizes = {k: asked.affordable("n_items", budget, {"k_responses": k}) for k in ladder}
        return {k: n for k, n in sizes.items() if n >= 2}

    def _predicted_powers(self, sizes: dict[int, int], epsilon: float) -> dict[int, Estimate]:
        """Return the power at each size, approximated or by coarse simulation."""
        predicted: dict[int, Estimate] = {}
        for k, n in sizes.items():
            if self.simulation.approximated and n >= NORMAL_FROM:
                curve = self.simulation.curve(k, epsilon)
                predicted[k] = (curve.power(n), curve.power_error(n), "approximation")
            else:
                n_sets = 256 if self.simulation.approximated else 128
                predicted[k] = _simulated(self.simulation.simulate(Point(n, k, epsilon), n_sets))
        return predicted

    def _contenders_for_epsilon(self, sizes: dict[int, int], target: float) -> tuple[list[int], float]:
        """Return the K that may have the smallest ε, best first, and an approximation of this ε."""
        short = {k: n for k, n in sizes.items() if k in self.request.ladder(short=True)} or sizes
        if not self.simulation.approximated:  # one K is enough for the rough ε
            middle = sorted(short)[len(short) // 2]
            short = {middle: short[middle]}
        epsilon, predicted = 0.1, {}
        for _ in range(8):
            predicted = self._predicted_powers(short, epsilon)
            best = min(max(max(power for power, *_ in predicted.values()), 0.02), 0.98)
            missing = quantile(target) - quantile(best)
            if abs(missing) < 0.3 or (epsilon == 1.0 and missing > 0.0):
                break
            epsilon = min(1.0, epsilon * math.exp(missing / 3.0))
        predicted = self._predicted_powers(sizes, epsilon)
        order = sorted(predicted, key=lambda k: -predicted[k][0])
        top, error, _ = predicted[order[0]]
        contenders = [k for k in order if predicted[k][0] >= top - 0.02 - 2.0 * (error + predicted[k][1])]
        return contenders[:_CONTENDERS], epsilon

    def _guessed_sizes(self, epsilon: float, target: float) -> tuple[dict[int, PowerCurve], dict[int, float]]:
        """Return the approximate number of items for each K, and the approximate curves if they were used."""
        if not self.simulation.approximated:
            return {}, self._coarse_items(epsilon, target)
        seen = self.simulation.all_curves(epsilon, target)
        curves = smoothed(seen)
        guesses = {k: curve.items_for(target) for k, curve in curves.items()}
        guesses = {k: max(2.0, n) for k, n in guesses.items() if n <= self.request.max_items}
        if guesses:
            return curves, guesses
        largest = Point(self.request.max_items, self.request.ladder()[-1], epsilon)
        highest = power_reached = self.simulation.highest_power(seen, largest.n_items)
        if highest >= target or not self.simulation.is_large(largest.n_items, largest.k_responses):
            power = self.simulation.simulate(largest, _SETS_AT_LARGEST)
            highest, power_reached = power.high, power.power
        if highest < target:
            none = Root(math.nan, math.nan, math.nan, math.nan, largest.n_items, power_reached)
            raise not_found(self.request, "n_items", {largest: none})
        return {}, self._coarse_items(epsilon, target)

    def _coarse_items(self, epsilon: float, target: float) -> dict[int, float]:
        """Return approximate numbers of items for some K, by coarse simulation around the seemingly cheapest.

        Swaps of the same metric (or of the absolute error) give a rough first K and set size. From there, K
        moves both ways along a short ladder while the cost does not rise much.
        """
        asked = self.request
        ladder = asked.ladder(short=True)
        rough = {k: self.simulation.curve(k, epsilon).items_for(target) for k in ladder}
        within = [k for k in ladder if max(2.0, rough[k]) <= self.simulation.most_items(k)]
        start = len(ladder) - 1
        if within:
            start = ladder.index(min(within, key=lambda k: asked.cost(_whole(max(2.0, rough[k])), k)))
        searched: dict[Point, Root] = {}
        items_by_k: dict[int, float] = {}

        def try_k(k: int) -> float:
            """Return the cost of the least N, infinite if the power is not reached."""
            near = min(items_by_k, key=lambda other: abs(math.log(other / k)), default=k)
            ratio = (
                items_by_k[near] / max(2.0, rough[near]) if items_by_k and math.isfinite(rough[near]) else 1.0
            )
            guess = max(5.0, rough[k] * ratio) if math.isfinite(rough[k]) else 500.0
            precision = _COARSE if self.simulation.approximated else 2.0 * _COARSE
            at = Point(0, k, epsilon)
            searched[at] = self.simulation.root(at, "n_items", target, precision, guess)
            if math.isnan(searched[at].x):
                return math.inf
            items_by_k[k] = searched[at].x
            return asked.cost(_whole(items_by_k[k]), k)

        best = try_k(ladder[start])
        for step in (1, -1):
            place = start + step
            while 0 <= place < len(ladder):
                cost = try_k(ladder[place])
                if cost > _WORTH * best or (step < 0 and not items_by_k):
                    break
                best = min(best, cost)
                place += step
        self._reached("n_items", searched)
        return items_by_k

    def _reached(self, unknown: str, searched: Mapping[Point, Root]) -> dict[Point, Root]:
        """Return the roots that were found; an error if there is none."""
        roots = {at: root for at, root in searched.items() if not math.isnan(root.x)}
        if not roots:
            raise not_found(self.request, unknown, searched)
        return roots

    def _guess_items(self, at: Point, target: float) -> float:
        n = self.simulation.curve(at.k_responses, at.epsilon).items_for(target)
        if math.isinf(n) and not self.simulation.approximated:
            return 500.0
        return min(max(5.0, n), self.request.max_items)

    def _answer_at(self, at: Point, unknown: str, root: Root, precision: float) -> Plan:
        """Return the plan at a root, confirmed by fresh test sets."""
        low, start, high = (_allowed(unknown, x) for x in (root.low, root.x, root.high))
        x, power = self._confirmed(at, unknown, start, precision)
        place, ends = at.moved(unknown, x), (min(low, x), max(high, x))
        whole = (int(ends[0]), int(ends[1])) if unknown == "n_items" else None
        row = self._row(place, *_simulated(power), ends=whole)
        return Plan.by_simulation(self.request, place, power, ends, candidates=(row,))

    def _confirmed(self, at: Point, unknown: str, x: float, precision: float) -> tuple[float, Power]:
        """Return x and its power on fresh test sets, after moving x up if the power is below the target.

        Below means by more than a standard error, or three if a formula gave x.
        """
        target, high = _value(self.request.power), self.simulation.most(unknown)
        _, slope = LIMITS_AND_SLOPES[unknown]
        by_formula = unknown == "n_items" and self.simulation.is_large(x, at.k_responses)
        errors = _FAR_OFF if by_formula else 1.0  # the approximation is better than a rough simulation
        power = self.simulation.confirm(at.moved(unknown, x), precision)
        for _ in range(_REPAIRS):
            if power.power >= target - errors * power.standard_error or x >= high:
                break
            missing = quantile(target) - quantile(max(power.power, 1e-3))
            following = x * math.exp(missing / slope)
            x = min(high, following if unknown == "epsilon" else max(_whole(following), x + 1))
            power = self.simulation.confirm(at.moved(unknown, x), precision)
        return x, power

    def _row(
        self,
        at: Point,
        power: float | None,
        error: float | None,
        by: str = "simulation",
        ends: tuple[int, int] | None = None,
    ) -> Candidate:
        """Return a candidate K; `ends` are those of the interval of the least N, if N was not given."""
        n, k, epsilon = at
        return Candidate(k, n, *(ends or (n, n)), epsilon, self.request.cost(n, k), power, error, by)

    def _guessed_row(
        self, k: int, n: float, epsilon: float, target: float, curve: PowerCurve | None
    ) -> Candidate:
        """Return the row of a K that was not among the best few, from approximation or coarse simulation."""
        reach = _reach(curve)
        size, low, high = (max(2, _whole(x)) for x in (n, n * math.exp(-reach), n * math.exp(reach)))
        at = Point(size, k, epsilon)
        if curve is None:
            return self._row(at, target, _COARSE, ends=(low, high))
        return self._row(at, None, None, "approximation", (low, high))


def _reach(curve: PowerCurve | None) -> float:
    """Return by what factor, as a logarithm, a guess at the number of items may be off at 95 %."""
    return 1.96 * (_COARSE * 3.0 if curve is None else 2.0 * curve.error)


def _simulated(power: Power) -> Estimate:
    return power.power, power.standard_error, "simulation"


def _allowed(unknown: str, x: float) -> float:
    """Return a value of a number that may be collected: N and K are whole."""
    least, _ = LIMITS_AND_SLOPES[unknown]
    return x if unknown == "epsilon" else max(least, _whole(x))


def _as_high(power: Power, best: Power) -> bool:
    spread = math.hypot(power.standard_error, best.standard_error)
    return best.power - power.power <= 1.96 * spread


def _by_k(rows: Sequence[Candidate]) -> tuple[Candidate, ...]:
    return tuple(sorted(rows, key=lambda row: row.k_responses))
