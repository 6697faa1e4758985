"""The sizes that a plan's searches compare, and the error for a power out of reach."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from nbyk.errors import NbykError
from nbyk.planning.request import Request
from nbyk.planning.root_search import Root


@dataclass(frozen=True)
class Candidate:
    """One candidate K, with its N and ε.

    Attributes
    ----------
    k_responses, n_items
        The size: N is the least that reaches the requested power, or the most that the budget buys.
    n_low, n_high
        95 % interval of the least N; N itself if it was given.
    epsilon
        The ε; if ε was open, the smallest that reaches the requested power.
    cost
        The cost of the size.
    power, power_error
        The power at the size, and its standard error; None if the size is only an approximation.
    by
        "simulation", or "approximation" for the normal one.
    """

    k_responses: int
    n_items: int
    n_low: int
    n_high: int
    epsilon: float
    cost: float
    power: float | None
    power_error: float | None
    by: str


@dataclass(frozen=True, order=True)
class Reached:
    """A power that was seen at a size and an ε; the best one shows the highest power within reach."""

    power: float
    n_items: int
    k_responses: int
    epsilon: float


def not_found(request: Request, roots: Iterable[Root], seen: Iterable[Reached]) -> NbykError:
    """Return the error of a power that no search found, with the best that was seen."""
    best = max(seen)
    at = f"{best.power:.3f} at N = {best.n_items}, K = {best.k_responses}, ε = {best.epsilon:.4g}"
    tested = f"{request.test.name} on {request.test.metric.name}"
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
        limits.append("ε up to 1")
        if request.budget is None:
            ways.append("raise N or K")
    elif not request.of_pair:
        ways.append("raise ε")
    return NbykError(
        f"{request.power:g} is not reached with {tested} within {' and '.join(limits)}; the best "
        f"reachable is {at}; {', '.join(ways)}, or ask for less power",
        argument="power",
    )


def seen_items(root: Root, k_responses: int, epsilon: float) -> Reached:
    """Return the highest power of a search for N."""
    return Reached(root.best_power, round(root.best_x), k_responses, epsilon)


def value(quantity: float | None) -> float:
    """Return a quantity that a search needs."""
    if quantity is None:
        raise NbykError("a plan asked for a quantity that was not given")
    return quantity


def whole(x: float) -> int:
    """Return the least whole number at or above x, allowing for rounding errors."""
    return math.ceil(x - 1e-6)
