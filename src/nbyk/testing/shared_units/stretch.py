"""How far the units as a whole would have to move for the effect to vanish: the check on linearity.

A jackknife reads off how steeply the effect changes at the data. Where the effect levels off, as by absolute
errors once gold has left both systems behind on one side, it sees little change, although a smaller move
to the other side would turn the effect round. So we walk there: along the direction in which the units
differ, we move all responses of a role step by step, and see where the effect is first 0.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from nbyk.metrics import Metric
from nbyk.testing.shared_units.components import Component
from nbyk.testing.shared_units.responses import Responses, Role, Source
from nbyk.testing.shared_units.statistic import Changes, effects_of_moved_sets

Floats = NDArray[np.float64]

_FARTHEST = 16.0
_STEPS = 24


def stretch(metric: Metric, data: Responses, found: Changes, sources: Mapping[Source, Component]) -> float:
    """Return by how much the units' standard error must grow to reach 0 where the effect does.

    With m_j the weight of unit j, all 1 in the data, u_j the change of the effect with m_j, and T_s the
    variance over the units of source s, the direction is κ_j = u_j T_s / (√(Σ T) Σ u²), the latter sum
    over the source, so that one step changes a linear effect by one standard error. λ steps move all
    responses of item i by λ Σ_j κ_j (x_ij − x̄_i) / K_i, which is what weights 1 + λ κ_j do to its mean.
    If the effect first vanishes after λ₀ steps, the stretch is |effect| / (λ₀ √(Σ T)). All sources move
    at once: noise that is carried along makes both systems look worse, and in step.

    Parameters
    ----------
    metric, data
        What is measured.
    found
        The changes of the effect without each unit.
    sources
        The components of the sources whose units move.

    Returns
    -------
    float
        At least 1; 1 where the effect does not vanish within as many steps as a linear effect would take.
    """
    error = float(np.sqrt(sum(part.total for part in sources.values())))
    if error <= 0.0 or not abs(found.effect) > 0.0:
        return 1.0
    slopes = -found.units * (1.0 - 1.0 / data.panel_sizes)
    direction = np.zeros(data.n_units)
    for source, part in sources.items():
        units = data.source_units[source]
        size = float(np.sum(slopes[units] ** 2))
        if size > 0.0:
            direction[units] = slopes[units] * (-np.sign(found.effect) * part.total / (error * size))
    moves = [_moves(role, direction) if (role.units >= 0).any() else None for role in data.roles]
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


def _moves(role: Role, direction: Floats) -> Floats:
    """Return by how much each item's responses move in one step."""
    there = ~np.isnan(role.values)
    sizes = there.sum(1)
    values = np.where(there, role.values, 0.0)
    means = values.sum(1) / sizes
    weights = np.where(role.units >= 0, direction[role.units], 0.0)
    moved: Floats = np.sum(weights * np.where(there, values - means[:, None], 0.0), axis=1) / sizes
    return moved
