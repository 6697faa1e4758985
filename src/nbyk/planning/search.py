"""The searches behind a plan, one per open quantity: by simulation, with a normal approximation first."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice

from nbyk.errors import NbykError
from nbyk.planning.item_moments import PowerCurve, smoothed
from nbyk.planning.power.estimate import Power
from nbyk.planning.result import Candidate, Plan
from nbyk.planning.root_search import Root
from nbyk.planning.simulation import NORMAL_FROM, PlanSimulation, Reached, not_found, seen_items

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
        self._fine = _SEARCH if simulation.compiled else 1.0

    def solved(self, opened: tuple[str, ...], precision: float) -> Plan:
        """Return the plan for what a request leaves open."""
        if opened[-1] == "power":
            return self.power_of_size(precision)
        if opened[-1] == "epsilon":
            return self.smallest_epsilon(precision)
        if len(opened) > 1:
            return self.cheapest_size(precision)
        return self.least_items(precision) if opened == ("n_items",) else self.least_responses(precision)

    def power_of_size(self, precision: float) -> Plan:
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
        powers = {k: self.simulation.confirm(sizes[k], k, epsilon, precision) for k in contenders}
        chosen = max(powers, key=lambda k: (powers[k].power, -k))
        if len(powers) > 1:  # the highest of several estimates is biased upwards
            powers[chosen] = self.simulation.confirm(sizes[chosen], chosen, epsilon, precision)
        found = predicted | {k: _simulated(power) for k, power in powers.items()}
        rows = [self._row(k, sizes[k], epsilon, *found[k]) for k in found]
        power = powers[chosen]
        ties = [k for k in powers if k != chosen and _as_high(powers[k], power)]
        at, ends = (sizes[chosen], chosen, epsilon), (power.low, power.high)
        return Plan.by_simulation(self.request, *at, power, ends, _by_k(rows), tuple(sorted(ties)))

    def smallest_epsilon(self, precision: float) -> Plan:
        """Return the smallest ε that the test detects with the power, at the best of several sizes."""
        asked, target = self.request, _value(self.request.power)
        sizes = self._sizes()
        contenders, guess = list(sizes), 0.1
        if len(sizes) > 1:
            contenders, guess = self._contenders_for_epsilon(sizes, target)
        searched: dict[int, Root] = {}
        for k in contenders:
            searched[k] = self.simulation.epsilon(sizes[k], k, target, self._fine * precision, guess)
            guess = guess if math.isnan(searched[k].x) else searched[k].x
        roots = {k: root for k, root in searched.items() if not math.isnan(root.x)}
        if not roots:
            seen = [Reached(root.best_power, sizes[k], k, root.best_x) for k, root in searched.items()]
            raise not_found(asked, searched.values(), seen)
        chosen = min(roots, key=lambda k: roots[k].x)
        root = roots[chosen]
        epsilon, power = self._confirmed(
            lambda epsilon: (sizes[chosen], chosen, epsilon), root.x, 3.0, precision, 1.0
        )
        rows = [self._row(k, sizes[k], found.x, target, found.power_error) for k, found in roots.items()]
        ties = [k for k in roots if k != chosen and roots[k].low <= root.high]
        at, ends = (sizes[chosen], chosen, epsilon), (min(root.low, epsilon), max(root.high, epsilon))
        return Plan.by_simulation(asked, *at, power, ends, _by_k(rows), tuple(sorted(ties)))

    def least_items(self, precision: float) -> Plan:
        """Return the least N for the given K, ε and power."""
        asked = self.request
        k, epsilon, target = int(_value(asked.k_responses)), _value(asked.epsilon), _value(asked.power)
        root = self._items(k, epsilon, target, self._fine * precision, self._guess_items(k, epsilon, target))
        if math.isnan(root.x):
            raise not_found(asked, [root], [seen_items(root, k, epsilon)])
        return self._answer_at(k, epsilon, root, precision)

    def least_responses(self, precision: float) -> Plan:
        """Return the least K for the given N, ε and power."""
        asked = self.request
        n, epsilon, target = int(_value(asked.n_items)), _value(asked.epsilon), _value(asked.power)
        root = self.simulation.responses(n, epsilon, target, self._fine * precision)
        if math.isnan(root.x):
            raise not_found(asked, [root], [Reached(root.best_power, n, round(root.best_x), epsilon)])
        found, power = self._confirmed(
            lambda k: (n, round(k), epsilon), _whole(root.x), 1.0, precision, asked.max_responses, step=1
        )
        k = round(found)
        row = self._row(k, n, epsilon, *_simulated(power))
        ends = (_whole(root.low), max(k, _whole(root.high)))
        return Plan.by_simulation(asked, n, k, epsilon, power, ends, (row,))

    def cheapest_size(self, precision: float) -> Plan:
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
        contenders = [*islice(near, _CONTENDERS if self.simulation.compiled else _SLOW_CONTENDERS)]
        searched = {
            k: self._items(k, epsilon, target, self._fine * precision, guesses[k]) for k in contenders
        }
        roots = {k: root for k, root in searched.items() if not math.isnan(root.x)}
        if not roots:
            seen = [seen_items(root, k, epsilon) for k, root in searched.items()]
            raise not_found(asked, searched.values(), seen)
        chosen = min(roots, key=lambda k: asked.cost(_whole(roots[k].x), k))
        answer = self._answer_at(chosen, epsilon, roots[chosen], precision)
        rows = [*answer.candidates]
        for k, guess in guesses.items():
            if k in roots and k != chosen:
                n, ends = _whole_items(roots[k])
                rows.append(self._row(k, n, epsilon, target, roots[k].power_error, ends=ends))
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
        if not self.simulation.approximated and self.simulation.compiled:
            for k in self.request.ladder(short=True):
                root = self._items(k, epsilon, _FIGURE_POWER, 2.0 * _COARSE, answer.n_items)
                if not math.isnan(root.x):
                    curves[k] = PowerCurve.through(k, root.x, _FIGURE_POWER, alpha)
        elif not self.simulation.approximated:
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
        sizes = {k: asked.items_within(budget, k) for k in ladder}
        return {k: n for k, n in sizes.items() if n >= 2}

    def _predicted_powers(self, sizes: dict[int, int], epsilon: float) -> dict[int, Estimate]:
        """Return the power at each size, approximated or by coarse simulation."""
        predicted: dict[int, Estimate] = {}
        for k, n in sizes.items():
            if self.simulation.approximated and n >= NORMAL_FROM:
                curve = self.simulation.curve(k, epsilon)
                predicted[k] = (curve.power(n), curve.power_error(n), "approximation")
            else:
                power = self.simulation.simulate(n, k, epsilon, 256 if self.simulation.compiled else 128)
                predicted[k] = _simulated(power)
        return predicted

    def _contenders_for_epsilon(self, sizes: dict[int, int], target: float) -> tuple[list[int], float]:
        """Return the K that may have the smallest ε, best first, and an approximation of this ε."""
        from scipy.special import ndtri

        short = {k: n for k, n in sizes.items() if k in self.request.ladder(short=True)} or sizes
        if not self.simulation.approximated:  # one K is enough for the rough ε
            middle = sorted(short)[len(short) // 2]
            short = {middle: short[middle]}
        epsilon, predicted = 0.1, {}
        for _ in range(8):
            predicted = self._predicted_powers(short, epsilon)
            best = min(max(max(power for power, *_ in predicted.values()), 0.02), 0.98)
            missing = float(ndtri(target) - ndtri(best))
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
        curves = smoothed(self.simulation.all_curves(epsilon, target))
        guesses = {k: curve.items_for(target) for k, curve in curves.items()}
        guesses = {k: max(2.0, n) for k, n in guesses.items() if n <= self.request.max_items}
        if guesses:
            return curves, guesses
        n, k = self.request.max_items, self.request.ladder()[-1]
        power = self.simulation.simulate(n, k, epsilon, _SETS_AT_LARGEST)
        if power.high < target:
            raise not_found(self.request, [], [Reached(power.power, n, k, epsilon)])
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
        searched: dict[int, Root] = {}
        found: dict[int, float] = {}

        def try_k(k: int) -> float:
            """Return the cost of the least N, infinite if the power is not reached."""
            near = min(found, key=lambda other: abs(math.log(other / k)), default=k)
            ratio = found[near] / max(2.0, rough[near]) if found and math.isfinite(rough[near]) else 1.0
            guess = max(5.0, rough[k] * ratio) if math.isfinite(rough[k]) else 500.0
            precision = _COARSE if self.simulation.compiled else 2.0 * _COARSE
            searched[k] = self._items(k, epsilon, target, precision, guess)
            if math.isnan(searched[k].x):
                return math.inf
            found[k] = searched[k].x
            return asked.cost(_whole(found[k]), k)

        best = try_k(ladder[start])
        for step in (1, -1):
            place = start + step
            while 0 <= place < len(ladder):
                cost = try_k(ladder[place])
                if cost > _WORTH * best or (step < 0 and not found):
                    break
                best = min(best, cost)
                place += step
        if not found:
            seen = [seen_items(root, k, epsilon) for k, root in searched.items()]
            raise not_found(asked, searched.values(), seen)
        return found

    def _guess_items(self, k: int, epsilon: float, target: float) -> float:
        n = self.simulation.curve(k, epsilon).items_for(target)
        if math.isinf(n) and not self.simulation.approximated:
            return 500.0
        return min(max(5.0, n), self.request.max_items)

    def _items(self, k: int, epsilon: float, target: float, precision: float, guess: float) -> Root:
        most = self.simulation.most_items(k)
        return self.simulation.items(k, epsilon, target, precision, min(guess, most), most)

    def _answer_at(self, k: int, epsilon: float, root: Root, precision: float) -> Plan:
        """Return the least N at a root, confirmed by fresh test sets."""
        found, power = self._confirmed(
            lambda n: (round(n), k, epsilon),
            max(2, _whole(root.x)),
            1.25,
            precision,
            self.request.max_items,
            step=1,
        )
        n = round(found)
        low, high = max(2, _whole(root.low)), max(n, _whole(root.high))
        row = self._row(k, n, epsilon, *_simulated(power), ends=(low, high))
        return Plan.by_simulation(self.request, n, k, epsilon, power, (low, high), (row,))

    def _confirmed(
        self,
        place: Callable[[float], tuple[int, int, float]],
        x: float,
        slope: float,
        precision: float,
        high: float,
        step: int = 0,
    ) -> tuple[float, Power]:
        """Return x and its power on fresh test sets, after moving x up if the power is below the target.

        Below means by more than a standard error. `step` is the least step, 0 if x need not be whole.
        """
        from scipy.special import ndtri

        target = _value(self.request.power)
        power = self.simulation.confirm(*place(x), precision)
        for _ in range(_REPAIRS):
            if power.power >= target - power.standard_error or x >= high:
                break
            missing = float(ndtri(target) - ndtri(max(power.power, 1e-3)))
            following = x * math.exp(missing / slope)
            x = min(high, max(_whole(following), x + step) if step else following)
            power = self.simulation.confirm(*place(x), precision)
        return x, power

    def _row(
        self,
        k: int,
        n: int,
        epsilon: float,
        power: float | None,
        error: float | None,
        by: str = "simulation",
        ends: tuple[int, int] | None = None,
    ) -> Candidate:
        """Return a candidate K; `ends` are those of the interval of the least N, if N was not given."""
        return Candidate(k, n, *(ends or (n, n)), epsilon, self.request.cost(n, k), power, error, by)

    def _guessed_row(
        self, k: int, n: float, epsilon: float, target: float, curve: PowerCurve | None
    ) -> Candidate:
        """Return the row of a K that was not among the best few, from approximation or coarse simulation."""
        reach = _reach(curve)
        size, low, high = (max(2, _whole(x)) for x in (n, n * math.exp(-reach), n * math.exp(reach)))
        if curve is None:
            return self._row(k, size, epsilon, target, _COARSE, ends=(low, high))
        return self._row(k, size, epsilon, None, None, "approximation", (low, high))


def _reach(curve: PowerCurve | None) -> float:
    """Return by what factor, as a logarithm, a guess at the number of items may be off at 95 %."""
    return 1.96 * (_COARSE * 3.0 if curve is None else 2.0 * curve.error)


def _simulated(power: Power) -> Estimate:
    return power.power, power.standard_error, "simulation"


def _whole_items(root: Root) -> tuple[int, tuple[int, int]]:
    """Return the least N at a root, and the ends of its interval."""
    n, low, high = (max(2, _whole(x)) for x in (root.x, root.low, root.high))
    return n, (low, high)


def _as_high(power: Power, best: Power) -> bool:
    spread = math.hypot(power.standard_error, best.standard_error)
    return best.power - power.power <= 1.96 * spread


def _by_k(rows: Sequence[Candidate]) -> tuple[Candidate, ...]:
    return tuple(sorted(rows, key=lambda row: row.k_responses))
