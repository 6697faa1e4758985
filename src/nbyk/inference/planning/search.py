"""The searches behind a plan, one per open quantity: by simulation, with a normal approximation first."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nbyk.errors import NbykError
from nbyk.inference.planning.item_moments import PowerCurve, smoothed
from nbyk.inference.planning.request import Request
from nbyk.inference.planning.root_search import Root
from nbyk.inference.planning.simulation import NORMAL_FROM, PlanSimulation, Report
from nbyk.inference.power.estimate import Power

_COARSE = 0.03
_CONTENDERS = 4
_SEARCH = 0.5
"""Standard error of a search, in that of the answer: what is chosen must hold when simulated afresh."""
_REPAIRS = 4
_SETS_AT_LARGEST = 128
_FIGURE_POWER = 0.8


@dataclass(frozen=True)
class Candidate:
    """One K that was looked at, with its N and ε.

    Attributes
    ----------
    k_responses, n_items
        The size: N is the least that reaches the asked power, or the most that the budget buys.
    n_low, n_high
        95 % interval of the least N; N itself where it was given.
    epsilon
        The ε: the smallest one that reaches the asked power if that was open.
    cost
        What the size costs.
    power, power_error
        The power at it, and its standard error.
    by
        "simulation", or "approximation" for the normal one.
    """

    k_responses: int
    n_items: int
    n_low: int
    n_high: int
    epsilon: float
    cost: float
    power: float
    power_error: float
    by: str


@dataclass(frozen=True)
class Answer:
    """What a search found; the fields are those of `nbyk.inference.planning.Plan`."""

    n_items: int
    k_responses: int
    epsilon: float
    power: Power
    low: float
    high: float
    candidates: tuple[Candidate, ...]
    ties: tuple[int, ...] = ()


class PlanSearch:
    """Answers to one request, each from test sets that nothing before it has seen."""

    def __init__(self, request: Request, *, seed: int, threads: int, report: Report | None) -> None:
        self.request = request
        self.simulation = PlanSimulation(request, seed=seed, threads=threads, report=report)

    def power_of_size(self, precision: float) -> Answer:
        """Return the power at the size, or at the best one that the budget buys."""
        epsilon = _value(self.request.epsilon)
        sizes = self._sizes()
        if len(sizes) > 1:
            predicted = self._predicted_powers(sizes, epsilon)
            best = max(power for power, _ in predicted.values())
            contenders = [k for k, (power, error) in predicted.items() if power >= best - 0.02 - 2.0 * error]
            contenders = sorted(contenders, key=lambda k: -predicted[k][0])[:_CONTENDERS]
        else:
            predicted, contenders = {}, list(sizes)
        powers = {k: self.simulation.confirm(sizes[k], k, epsilon, precision) for k in contenders}
        chosen = max(powers, key=lambda k: (powers[k].power, -k))
        rows = [self._row(k, sizes[k], epsilon, powers[k]) for k in powers]
        rows += [
            self._approximate_row(k, sizes[k], epsilon, *predicted[k]) for k in predicted if k not in powers
        ]
        power = powers[chosen]
        ties = [k for k in powers if k != chosen and _as_high(powers[k], power)]
        return Answer(
            sizes[chosen], chosen, epsilon, power, power.low, power.high, _by_k(rows), tuple(sorted(ties))
        )

    def smallest_epsilon(self, precision: float) -> Answer:
        """Return the smallest ε that is found with the power, at the best size if there is a choice."""
        asked, target = self.request, _value(self.request.power)
        sizes = self._sizes()
        contenders, guess = list(sizes), 0.1
        if len(sizes) > 1:
            contenders, guess = self._contenders_for_epsilon(sizes, target)
        roots: dict[int, Root] = {}
        for k in contenders:
            root = self.simulation.epsilon(sizes[k], k, target, _SEARCH * precision, guess)
            if math.isnan(root.x) and len(contenders) == 1:
                best = f"{root.best_power:.3f} at ε = {root.best_x:g} with N = {sizes[k]}, K = {k}"
                raise self._unreachable(best)
            if not math.isnan(root.x):
                roots[k], guess = root, root.x
        if not roots:
            raise self._unreachable("less at every size that the budget buys, even at ε = 1")
        chosen = min(roots, key=lambda k: roots[k].x)
        root = roots[chosen]
        epsilon, power = self._confirmed(
            lambda epsilon: (sizes[chosen], chosen, epsilon), root.x, 3.0, precision, 1.0
        )
        rows = [
            Candidate(
                k,
                sizes[k],
                sizes[k],
                sizes[k],
                found.x,
                asked.cost(sizes[k], k),
                target,
                found.power_error,
                "simulation",
            )
            for k, found in roots.items()
        ]
        ties = [k for k in roots if k != chosen and roots[k].low <= root.high]
        low, high = min(root.low, epsilon), max(root.high, epsilon)
        return Answer(sizes[chosen], chosen, epsilon, power, low, high, _by_k(rows), tuple(sorted(ties)))

    def least_items(self, precision: float) -> Answer:
        """Return the least N for the given K, ε and power."""
        asked = self.request
        k, epsilon, target = int(_value(asked.k_responses)), _value(asked.epsilon), _value(asked.power)
        root = self._items(k, epsilon, target, _SEARCH * precision, self._guess_items(k, epsilon, target))
        if math.isnan(root.x):
            raise self._unreachable(f"{root.best_power:.3f} at N = {root.best_x:g}, K = {k}")
        return self._answer_at(k, epsilon, root, precision)

    def least_responses(self, precision: float) -> Answer:
        """Return the least K for the given N, ε and power."""
        asked = self.request
        n, epsilon, target = int(_value(asked.n_items)), _value(asked.epsilon), _value(asked.power)
        root = self.simulation.responses(n, epsilon, target, _SEARCH * precision)
        if math.isnan(root.x):
            raise self._unreachable(f"{root.best_power:.3f} at N = {n}, K = {root.best_x:g}")
        found, power = self._confirmed(
            lambda k: (n, round(k), epsilon), _whole(root.x), 1.0, precision, asked.max_responses, step=1
        )
        k = round(found)
        row = self._row(k, n, epsilon, power)
        return Answer(n, k, epsilon, power, _whole(root.low), max(k, _whole(root.high)), (row,))

    def cheapest_size(self, precision: float) -> Answer:
        """Return the cheapest (N, K) for the given ε and power."""
        asked, epsilon, target = self.request, _value(self.request.epsilon), _value(self.request.power)
        curves = smoothed(self.simulation.all_curves(epsilon, target))
        guesses = {k: curve.items_for(target) for k, curve in curves.items()}
        guesses = {k: max(2.0, n) for k, n in guesses.items() if n <= asked.max_items}
        if not guesses:
            self._check_largest(epsilon, target)
            guesses = self._coarse_items(epsilon, target)
        order = sorted(guesses, key=lambda k: asked.cost(_whole(guesses[k]), k))
        roots = {
            k: self._items(k, epsilon, target, _SEARCH * precision, guesses[k]) for k in order[:_CONTENDERS]
        }
        roots = {k: root for k, root in roots.items() if not math.isnan(root.x)}
        if not roots:
            raise self._unreachable("just below it, where an approximation had promised it")
        chosen = min(roots, key=lambda k: asked.cost(_whole(roots[k].x), k))
        answer = self._answer_at(chosen, epsilon, roots[chosen], precision)
        rows = [*answer.candidates]
        for k, n in guesses.items():
            if k in roots and k != chosen:
                rows.append(self._root_row(k, epsilon, roots[k], target))
            elif k != chosen:
                rows.append(self._guessed_row(k, n, epsilon, target, curves.get(k)))
        highest = asked.cost(int(answer.high), chosen)
        ties = [row.k_responses for row in rows if asked.cost(row.n_low, row.k_responses) <= highest]
        return Answer(
            answer.n_items,
            chosen,
            epsilon,
            answer.power,
            asked.cost(int(answer.low), chosen),
            highest,
            _by_k(rows),
            tuple(sorted(k for k in ties if k != chosen)),
        )

    def figure_curves(self, n_items: int, epsilon: float) -> tuple[PowerCurve, ...]:
        """Return power curves over the ladder of K for a figure."""
        curves = smoothed(self.simulation.all_curves(epsilon, _FIGURE_POWER))
        if not self.simulation.approximated:
            for k in self.request.short_ladder():
                root = self._items(k, epsilon, _FIGURE_POWER, 2.0 * _COARSE, n_items)
                if not math.isnan(root.x):
                    curves[k] = PowerCurve.through(k, root.x, _FIGURE_POWER, self.request.test.alpha)
        return tuple(curve for _, curve in sorted(curves.items()) if 0.0 < curve.slope < math.inf)

    def _sizes(self) -> dict[int, int]:
        """Return the N of every K to consider: one if the size is given, else what the budget buys."""
        asked = self.request
        if asked.n_items is not None and asked.k_responses is not None:
            return {asked.k_responses: asked.n_items}
        budget = _value(asked.budget)
        ladder = asked.ladder() if self.simulation.approximated else asked.short_ladder()
        sizes = {k: asked.items_within(budget, k) for k in ladder}
        return {k: n for k, n in sizes.items() if n >= 2}

    def _predicted_powers(self, sizes: dict[int, int], epsilon: float) -> dict[int, tuple[float, float]]:
        """Return the power at each size and its standard error, approximated or by coarse simulation."""
        predicted = {}
        for k, n in sizes.items():
            if self.simulation.approximated and n >= NORMAL_FROM:
                curve = self.simulation.curve(k, epsilon)
                predicted[k] = (curve.power(n), curve.power_error(n))
            else:
                power = self.simulation.simulate(n, k, epsilon, 256)
                predicted[k] = (power.power, power.standard_error)
        return predicted

    def _contenders_for_epsilon(self, sizes: dict[int, int], target: float) -> tuple[list[int], float]:
        """Return the K that may have the smallest ε, best first, and about how small it is."""
        from scipy.special import ndtri

        short = {k: n for k, n in sizes.items() if k in self.request.short_ladder()} or sizes
        epsilon, predicted = 0.1, {}
        for _ in range(8):
            predicted = self._predicted_powers(short, epsilon)
            best = min(max(max(power for power, _ in predicted.values()), 0.02), 0.98)
            missing = float(ndtri(target) - ndtri(best))
            if abs(missing) < 0.3 or (epsilon == 1.0 and missing > 0.0):
                break
            epsilon = min(1.0, epsilon * math.exp(missing / 3.0))
        predicted = self._predicted_powers(sizes, epsilon)
        order = sorted(predicted, key=lambda k: -predicted[k][0])
        top, error = predicted[order[0]]
        contenders = [k for k in order if predicted[k][0] >= top - 0.02 - 2.0 * (error + predicted[k][1])]
        return contenders[:_CONTENDERS], epsilon

    def _check_largest(self, epsilon: float, target: float) -> None:
        """Raise NbykError if even the largest size within the limits is clearly short of the power."""
        n, k = self.request.max_items, self.request.ladder()[-1]
        power = self.simulation.simulate(n, k, epsilon, _SETS_AT_LARGEST)
        if power.high < target:
            raise self._unreachable(f"{power.power:.2f} at N = {n}, K = {k}")

    def _coarse_items(self, epsilon: float, target: float) -> dict[int, float]:
        """Return about how many items each K of a short ladder takes, by coarse simulation."""
        asked = self.request
        found: dict[int, float] = {}
        guess, best_cost, best_seen = 500.0, math.inf, (0.0, "")
        for k in reversed(asked.short_ladder()):
            most = asked.max_items
            if best_cost < math.inf:
                most = max(2, min(most, asked.items_within(1.6 * best_cost, k)))
            root = self.simulation.items(k, epsilon, target, _COARSE, min(guess, most), most)
            best_seen = max(best_seen, (root.best_power, f"N = {root.best_x:g}, K = {k}"))
            if not math.isnan(root.x):
                found[k], guess = root.x, root.x
                best_cost = min(best_cost, asked.cost(_whole(root.x), k))
        if not found:
            raise self._unreachable(f"{best_seen[0]:.3f} at {best_seen[1]}")
        return found

    def _guess_items(self, k: int, epsilon: float, target: float) -> float:
        if not self.request.test.metric.additive:
            return 500.0
        n = self.simulation.curve(k, epsilon).items_for(target)
        return min(max(5.0, n), self.request.max_items)

    def _items(self, k: int, epsilon: float, target: float, precision: float, guess: float) -> Root:
        return self.simulation.items(k, epsilon, target, precision, guess, self.request.max_items)

    def _answer_at(self, k: int, epsilon: float, root: Root, precision: float) -> Answer:
        """Return the least N that a root says, confirmed by fresh test sets."""
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
        row = Candidate(
            k, n, low, high, epsilon, self.request.cost(n, k), power.power, power.standard_error, "simulation"
        )
        return Answer(n, k, epsilon, power, low, high, (row,))

    def _confirmed(
        self,
        place: Callable[[float], tuple[int, int, float]],
        x: float,
        slope: float,
        precision: float,
        high: float,
        step: int = 0,
    ) -> tuple[float, Power]:
        """Return x and its power on fresh test sets, after moving x up where that is below the target.

        Below means by more than two standard errors. `step` is the least step, 0 where x is not whole.
        """
        from scipy.special import ndtri

        target = _value(self.request.power)
        power = self.simulation.confirm(*place(x), precision)
        for _ in range(_REPAIRS):
            if power.power >= target - 2.0 * power.standard_error or x >= high:
                break
            missing = float(ndtri(target) - ndtri(max(power.power, 1e-3)))
            following = x * math.exp(missing / slope)
            x = min(high, max(_whole(following), x + step) if step else following)
            power = self.simulation.confirm(*place(x), precision)
        return x, power

    def _row(self, k: int, n: int, epsilon: float, power: Power) -> Candidate:
        cost = self.request.cost(n, k)
        return Candidate(k, n, n, n, epsilon, cost, power.power, power.standard_error, "simulation")

    def _approximate_row(self, k: int, n: int, epsilon: float, power: float, error: float) -> Candidate:
        by = "approximation" if self.simulation.approximated and n >= NORMAL_FROM else "simulation"
        return Candidate(k, n, n, n, epsilon, self.request.cost(n, k), power, error, by)

    def _guessed_row(
        self, k: int, n: float, epsilon: float, target: float, curve: PowerCurve | None
    ) -> Candidate:
        """Return the row of a K that was not among the best few: approximated, or simulated coarsely."""
        error = _COARSE if curve is None else curve.power_error(n)
        reach = 1.96 * (_COARSE * 3.0 if curve is None else 2.0 * curve.error)
        size, low, high = (max(2, _whole(x)) for x in (n, n * math.exp(-reach), n * math.exp(reach)))
        by = "simulation" if curve is None else "approximation"
        return Candidate(k, size, low, high, epsilon, self.request.cost(size, k), target, error, by)

    def _root_row(self, k: int, epsilon: float, root: Root, target: float) -> Candidate:
        n, low, high = (max(2, _whole(x)) for x in (root.x, root.low, root.high))
        cost = self.request.cost(n, k)
        return Candidate(k, n, low, high, epsilon, cost, target, root.power_error, "simulation")

    def _unreachable(self, best: str) -> NbykError:
        asked = self.request
        return NbykError(
            f"power {asked.power:g} is not reached with {asked.test.name} on {asked.test.metric.name} within "
            f"{asked.max_items} items and {asked.max_responses} responses per item; the best reachable is "
            f"{best}; raise the limits, ε or the budget, or ask for less power"
        )


def _value(quantity: float | None) -> float:
    if quantity is None:
        raise NbykError("a plan asked for a quantity that was not given")
    return quantity


def _whole(x: float) -> int:
    return math.ceil(x - 1e-6)


def _as_high(power: Power, best: Power) -> bool:
    spread = math.hypot(power.standard_error, best.standard_error)
    return best.power - power.power <= 1.96 * spread


def _by_k(rows: Sequence[Candidate]) -> tuple[Candidate, ...]:
    return tuple(sorted(rows, key=lambda row: row.k_responses))
