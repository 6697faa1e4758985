"""Checks of the numbers that a plan is asked for."""

from __future__ import annotations

import math

from nbyk.errors import NbykError
from nbyk.testing.shared_units.collection import check_count


def check_runs(n_runs: object) -> None:
    """Raise NbykError unless a number of answers of each system to an item is None, "K", or one in range."""
    if n_runs is None or n_runs == "K":
        return
    try:
        check_count("n_runs", n_runs, 1)
    except NbykError as error:
        raise NbykError(f"{error.problem}, or K for as many as ratings per item", argument="n_runs") from None


def check_cost(argument: str, cost: float) -> None:
    """Raise NbykError about `argument` unless a cost is a number of at least 0."""
    if not 0.0 <= cost < math.inf:
        raise NbykError(f"found {cost}, expected a cost of at least 0", argument=argument)


def check_costs_of_size(cost_per_item: float, cost_per_rating: float) -> None:
    """Raise NbykError unless the costs of a size are numbers of at least 0, and one of them is above 0."""
    check_cost("cost_per_item", cost_per_item)
    check_cost("cost_per_rating", cost_per_rating)
    if cost_per_item == cost_per_rating == 0.0:
        raise NbykError(
            "found 0, and `cost_per_item` is 0 too; expected one of them above 0", argument="cost_per_rating"
        )


def check_budget(budget: float | None) -> None:
    """Raise NbykError unless a budget, if there is one, is a number above 0."""
    if budget is not None and not 0.0 < budget < math.inf:
        raise NbykError(f"found {budget:g}, expected a sum above 0", argument="budget")


def check_power(power: float | None, alpha: float) -> None:
    """Raise NbykError unless a power, if one is given, lies between α and 1."""
    if power is not None and not alpha < power < 1.0:
        raise NbykError(
            f"found {power}, expected a number between α = {alpha:g} and 1, as 0.8", argument="power"
        )
