"""How far the units as a whole would have to move for the effect to vanish: the check on linearity.

A jackknife reads off how steeply the effect changes at the data. Where the effect levels off, as by absolute
errors once gold has left both systems behind on one side, it sees little change, although a smaller move
to the other side would turn the effect round. So we walk there: along the direction in which the units
differ, we move all responses of a role step by step, and see where the effect is first 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nbyk.inference.shared_units.responses import Responses, Role, Source
from nbyk.inference.shared_units.statistic import Changes, effects_of_moved_sets
from nbyk.metrics import Metric

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_FARTHEST = 16.0
_STEPS = 24


def stretch(metric: Metric, data: Responses, source: Source, found: Changes, error: float) -> float:
    """Return by how much the units' standard error must grow to reach 0 where the effect does.

    With m_j the weight of unit j, all 1 in the data, and u_j the change of the effect with m_j, the direction
    is κ ∝ u, scaled so that one step changes a linear effect by one standard error. λ steps move all
    responses of item i by λ Σ_j κ_j (x_ij − x̄_i) / K_i, which is what the weights 1 + λ κ_j do to its
    mean. If the effect first vanishes after λ₀ steps, the stretch is |effect| / (λ₀ · error).

    Parameters
    ----------
    metric, data, source
        What is measured, and whose units move.
    found
        The changes of the effect without each unit.
    error
        The units' standard error by the jackknife.

    Returns
    -------
    float
        At least 1; 1 where the effect does not vanish within as many steps as a linear effect would take.
    """
    if error <= 0.0 or found.effect == 0.0:
        return 1.0
    units = data.source_units[source]
    roles = data.roles_of(source)
    slopes = np.zeros(data.n_units)
    slopes[units] = -found.units[units] * _kept_share(data, roles, units)
    size = float(np.sum(slopes**2))
    if size == 0.0:
        return 1.0
    direction = -np.sign(found.effect) * slopes * error / size
    moves = [_moves(role, direction) if any(role is one for one in roles) else None for role in data.roles]
    farthest = min(abs(found.effect) / error, _FARTHEST)
    steps = farthest * np.arange(1, _STEPS + 1) / _STEPS
    path = np.sign(found.effect) * effects_of_moved_sets(metric, data, moves, steps)
    crossed = np.flatnonzero(path <= 0.0)
    if len(crossed) == 0:
        return 1.0
    first = int(crossed[0])
    before = abs(found.effect) if first == 0 else float(path[first - 1])
    start = 0.0 if first == 0 else float(steps[first - 1])
    vanished = start + (steps[first] - start) * before / (before - float(path[first]))
    return max(1.0, abs(found.effect) / (error * float(vanished)))


def _kept_share(data: Responses, roles: tuple[Role, ...], units: Ints) -> Floats:
    """Return the mean of (K − 1) / K over a unit's responses: deleting it overstates its slope by that."""
    totals, counts = np.zeros(data.n_units), np.zeros(data.n_units)
    for role in roles:
        sizes = np.sum(~np.isnan(role.values), axis=1)
        answered = np.isin(role.units, units)
        row, _ = np.nonzero(answered)
        np.add.at(totals, role.units[answered], (sizes[row] - 1.0) / sizes[row])
        np.add.at(counts, role.units[answered], 1.0)
    share: Floats = totals[units] / np.maximum(counts[units], 1.0)
    return share


def _moves(role: Role, direction: Floats) -> Floats:
    """Return by how much each item's responses move in one step."""
    there = ~np.isnan(role.values)
    sizes = there.sum(1)
    values = np.where(there, role.values, 0.0)
    means = values.sum(1) / sizes
    weights = np.where(role.units >= 0, direction[role.units], 0.0)
    moved: Floats = np.sum(weights * np.where(there, values - means[:, None], 0.0), axis=1) / sizes
    return moved
