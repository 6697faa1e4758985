"""The searches behind a plan, one per open quantity: by simulation, with a normal approximation first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from nbyk.errors import NbykError
from nbyk.planning.item_moments import PowerCurve, quantile, smoothed
from nbyk.planning.power.estimate import Power
from nbyk.planning.request import LEAST
from nbyk.planning.result import Candidate, Plan
from nbyk.planning.root_search import Root, confirmed
from nbyk.planning.simulation import NORMAL_FROM, SLOPES, PlanSimulation, Point, not_found

Estimate = tuple[float, float, str]
"""A power, its standard error, and "simulation" or "approximation"."""

_COARSE = 0.03
_CONTENDERS, _SLOW_CONTENDERS = 4, 2
_WORTH = 1.1
"""Try the next K if its cost is at most this many times that of the cheapest size so far."""
_SEARCH = 0.5
"""Standard error of a search, relative to that of the answer: the choice must hold on fresh test sets.
Searches with slow tests use the answer's standard error, and move on if the choice does not hold."""
_FAR_OFF = 1.96
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
            return self._largest_power(precision)
        if opened[-1] == "epsilon":
            return self._least("epsilon", self._guessed_epsilons(), precision)
        if len(opened) > 1:
            return self._cheapest_size(precision)
        at = Point(self.request.n_items or 0, self.request.k_responses or 0, _value(self.request.epsilon))
        guess = 5.0 if opened[0] == "k_responses" else self._guessed_items(at)
        return self._least(opened[0], {at: guess}, precision)

    def _largest_power(self, precision: float) -> Plan:
        """Return the power at the size, or at the best one that the budget buys."""
        epsilon = _value(self.request.epsilon)
        sizes = self.request.sizes(short=not self.simulation.approximated)
        predicted = self._predicted_powers(sizes, epsilon) if len(sizes) > 1 else {}
        contenders = _contenders(predicted) or [*sizes]
        powers = {k: self.simulation.confirm(Point(sizes[k], k, epsilon), precision) for k in contenders}
        chosen = max(powers, key=lambda k: (powers[k].power, -k))
        if len(powers) > 1:  # the highest of several estimates is biased upwards
            powers[chosen] = self.simulation.confirm(Point(sizes[chosen], chosen, epsilon), precision)
        power = powers[chosen]
        ties = [
            k
            for k, other in powers.items()
            if k != chosen
            and power.power - other.power <= 1.96 * math.hypot(power.standard_error, other.standard_error)
        ]
        estimates = predicted | {k: _simulated(power) for k, power in powers.items()}
        return Plan.by_simulation(
            self.request,
            Point(sizes[chosen], chosen, epsilon),
            power,
            (power.low, power.high),
            candidates=_by_k([self._row(Point(sizes[k], k, epsilon), *of) for k, of in estimates.items()]),
            ties=tuple(sorted(ties)),
        )

    def _least(self, unknown: str, guesses: Mapping[Point, float], precision: float) -> Plan:
        """Return the plan with the least ε or cost among those at the roots from several places."""
        target, simulation = _value(self.request.power), self.simulation
        searched = {
            at: simulation.root(at, unknown, target, self._fine * precision, guess)
            for at, guess in guesses.items()
        }
        roots = {at: root for at, root in searched.items() if not math.isnan(root.x)}
        if not roots:
            raise not_found(self.request, unknown, searched)

        def worth(at: Point, x: float) -> float:
            place = at.moved(unknown, _allowed(unknown, x))
            return place.epsilon if unknown == "epsilon" else self.request.cost(*place[:2])

        answers: dict[Point, Plan] = {}
        costs: dict[Point, float] = {}
        for at in sorted(roots, key=lambda at: worth(at, roots[at].x)):
            # the least of several roots is biased: confirmed, it may be more than the next
            if costs and worth(at, roots[at].x) >= min(costs.values()):
                break
            answers[at] = self._answer_at(at, unknown, roots[at], precision)
            costs[at] = worth(at, getattr(answers[at], unknown))
        chosen = min(costs, key=costs.__getitem__)
        plan, rows, ties = answers[chosen], [], []
        for at, root in roots.items():
            x, low, high = (_allowed(unknown, end) for end in (root.x, root.low, root.high))
            by_items = unknown == "n_items"
            by = "approximation" if by_items and simulation.by_formula(x) else "simulation"
            ends = (int(low), int(high)) if by_items else None
            row = self._row(at.moved(unknown, x), target, root.power_error, by, ends)
            rows.append(answers[at].candidates[0] if at in answers else row)
            if at != chosen and worth(at, low) <= worth(chosen, plan.high):
                ties.append(at.k_responses)
        return replace(plan, candidates=_by_k(rows), ties=tuple(sorted(ties)))

    def _cheapest_size(self, precision: float) -> Plan:
        """Return the cheapest (N, K) for the given ε and power."""
        asked, epsilon = self.request, _value(self.request.epsilon)
        curves, guesses = self._guessed_sizes(epsilon, _value(asked.power))

        def cost(k: int, ends: int = 0) -> float:
            """Return the cost of a guess, or of the lower (−1) or upper (1) end of its interval."""
            return asked.cost(_whole(guesses[k] * math.exp(ends * _reach(curves.get(k)))), k)

        order = sorted(guesses, key=cost)
        near = [k for k in order if cost(k, -1) <= cost(order[0], 1)]
        contenders = near[: _CONTENDERS if self.simulation.approximated else _SLOW_CONTENDERS]
        plan = self._least("n_items", {Point(0, k, epsilon): guesses[k] for k in contenders}, precision)
        low, high = (asked.cost(int(end), plan.k_responses) for end in plan.interval)
        guessed = [
            self._guessed_row(Point(_whole(n), k, epsilon), curves.get(k))
            for k, n in guesses.items()
            if k not in contenders
        ]
        ties = [row.k_responses for row in guessed if asked.cost(row.n_low, row.k_responses) <= high]
        return replace(
            plan,
            low=low,
            high=high,
            candidates=_by_k([*plan.candidates, *guessed]),
            ties=tuple(sorted((*plan.ties, *ties))),
        )

    def figure_curves(self, answer: Plan) -> tuple[PowerCurve, ...]:
        """Return power curves over the ladder of K for a figure, at an answer's ε.

        For slow tests, they are from the normal approximation to swaps, moved through the answer.
        """
        epsilon, power = _value(answer.epsilon), answer.simulated
        curves = smoothed(self.simulation.all_curves(epsilon, _FIGURE_POWER))
        own = self.simulation.curve(answer.k_responses, epsilon)
        if power and not self.simulation.approximated and 0.0 < own.slope < math.inf:
            there = own.moved_through(answer.n_items, power.rejections, power.n_sets)
            for k in self.request.ladder(short=True):
                curve = self.simulation.curve(k, epsilon)
                curves[k] = replace(curve, slope=curve.slope * there.slope / own.slope)
        return tuple(curve for _, curve in sorted(curves.items()) if 0.0 < curve.slope < math.inf)

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

    def _guessed_epsilons(self) -> dict[Point, float]:
        """Return the sizes that may have the smallest ε, and an approximation of it: that of a middle K."""
        sizes = self.request.sizes(short=not self.simulation.approximated)
        target, epsilon, contenders = _value(self.request.power), 0.1, [*sizes]
        if len(sizes) > 1:
            middle = sorted(sizes)[len(sizes) // 2]
            for _ in range(8):
                power, *_ = self._predicted_powers({middle: sizes[middle]}, epsilon)[middle]
                missing = quantile(target) - quantile(min(max(power, 0.02), 0.98))
                if abs(missing) < 0.3 or (epsilon == 1.0 and missing > 0.0):
                    break
                epsilon = min(1.0, epsilon * math.exp(missing / 3.0))
            contenders = _contenders(self._predicted_powers(sizes, epsilon))
        return {Point(sizes[k], k, 0.0): epsilon for k in contenders}

    def _guessed_items(self, at: Point) -> float:
        n = self.simulation.curve(at.k_responses, at.epsilon).items_for(_value(self.request.power))
        if math.isinf(n) and not self.simulation.approximated:
            return 500.0
        return min(max(5.0, n), self.request.max_items)

    def _guessed_sizes(self, epsilon: float, target: float) -> tuple[dict[int, PowerCurve], dict[int, float]]:
        """Return the approximate number of items for each K, and the approximate curves if they were used."""
        if not self.simulation.approximated:
            return {}, self._coarse_items(epsilon, target)
        curves = smoothed(self.simulation.all_curves(epsilon, target))
        fewest = self.request.world.test.fewest_items
        guesses = {k: max(fewest, curve.items_for(target)) for k, curve in curves.items()}
        guesses = {k: n for k, n in guesses.items() if n <= self.request.max_items}
        return curves, guesses or {self.request.ladder()[-1]: float(self.request.max_items)}

    def _coarse_items(self, epsilon: float, target: float) -> dict[int, float]:
        """Return approximate numbers of items for some K, by coarse simulation around the seemingly cheapest.

        Swaps of the same metric (or of the absolute error) give a rough first K and set size. From there, K
        moves both ways along a short ladder while the cost does not rise much. If that K does not reach the
        power, none below it does, and the least that does is sought by halves.
        """
        asked, ladder = self.request, self.request.ladder(short=True)
        rough = {k: self.simulation.curve(k, epsilon).items_for(target) for k in ladder}
        searched: dict[Point, Root] = {}
        items: dict[int, float] = {}

        def cost(k: int, n: float) -> float:
            return asked.cost(_whole(max(2.0, n)), k)

        def coarse_cost(k: int) -> float:
            """Return the cost of the least N, infinite if the power is not reached."""
            at, guess = Point(0, k, epsilon), 500.0
            if at in searched:
                return cost(k, items[k]) if k in items else math.inf
            if math.isfinite(rough[k]):
                near = min(items, key=lambda other: abs(math.log(other / k)), default=k)
                scale = items[near] / max(2.0, rough[near]) if items and math.isfinite(rough[near]) else 1.0
                guess = max(5.0, rough[k] * scale)
            searched[at] = self.simulation.root(at, "n_items", target, 2.0 * _COARSE, guess)
            if math.isnan(searched[at].x):
                return math.inf
            items[k] = searched[at].x
            return cost(k, items[k])

        within = [k for k in ladder if max(2.0, rough[k]) <= self.simulation.most("n_items", k)]
        start = ladder.index(min(within, key=lambda k: cost(k, rough[k]), default=ladder[-1]))
        if math.isinf(coarse_cost(ladder[start])):
            if math.isinf(coarse_cost(ladder[-1])):
                raise not_found(asked, "n_items", searched)
            reached = len(ladder) - 1
            while reached - start > 1:
                middle = (start + reached) // 2
                start, reached = (
                    (middle, reached) if math.isinf(coarse_cost(ladder[middle])) else (start, middle)
                )
            start = reached
        best = coarse_cost(ladder[start])
        for way in (ladder[start + 1 :], ladder[:start][::-1]):
            for k in way:
                tried = coarse_cost(k)
                if tried > _WORTH * best:
                    break
                best = min(best, tried)
        return items

    def _answer_at(self, at: Point, unknown: str, root: Root, precision: float) -> Plan:
        """Return the plan at a root, confirmed by fresh test sets."""
        target, high = _value(self.request.power), self.simulation.most(unknown, at.k_responses)
        start = _allowed(unknown, root.x)
        slope = SLOPES[unknown]

        def place_for(aim: float) -> Point:
            x = start * math.exp(max(0.0, quantile(aim) - quantile(target)) / slope)
            return at.moved(unknown, min(high, _allowed(unknown, x)))

        by_formula = unknown == "n_items" and self.simulation.is_large(start, at.k_responses)
        errors = _FAR_OFF if by_formula else 1.0  # the approximation is better than a rough simulation
        place, power = confirmed(
            place_for, lambda place: self.simulation.confirm(place, precision), target, errors
        )
        x = getattr(place, unknown)
        ends = (min(_allowed(unknown, root.low), x), max(_allowed(unknown, root.high), x))
        whole = (int(ends[0]), int(ends[1])) if unknown == "n_items" else None
        row = self._row(place, *_simulated(power), ends=whole)
        return Plan.by_simulation(self.request, place, power, ends, candidates=(row,))

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

    def _guessed_row(self, at: Point, curve: PowerCurve | None) -> Candidate:
        """Return the row of a K that was not among the best few, from approximation or coarse simulation."""
        reach, fewest = math.exp(_reach(curve)), self.request.world.test.fewest_items
        ends = max(fewest, _whole(at.n_items / reach)), max(fewest, _whole(at.n_items * reach))
        if curve is None:
            return self._row(at, self.request.power, _COARSE, ends=ends)
        return self._row(at, None, None, "approximation", ends)


def _contenders(predicted: Mapping[int, Estimate]) -> list[int]:
    """Return the K that may have the largest of several powers, best first."""
    order = sorted(predicted, key=lambda k: -predicted[k][0])
    best = predicted[order[0]][0] if order else 0.0
    return [k for k in order if predicted[k][0] >= best - 0.02 - 2.0 * predicted[k][1]][:_CONTENDERS]


def _reach(curve: PowerCurve | None) -> float:
    """Return by what factor, as a logarithm, a guess at the number of items may be off at 95 %."""
    return 1.96 * (_COARSE * 3.0 if curve is None else 2.0 * curve.error)


def _simulated(power: Power) -> Estimate:
    return power.power, power.standard_error, "simulation"


def _allowed(unknown: str, x: float) -> float:
    """Return a value of a number that may be collected: N and K are whole."""
    return x if unknown == "epsilon" else max(LEAST[unknown], _whole(x))


def _by_k(rows: Sequence[Candidate]) -> tuple[Candidate, ...]:
    return tuple(sorted(rows, key=lambda row: row.k_responses))
