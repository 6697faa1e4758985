"""The move of all units that would make the effect vanish: the check on linearity.

A jackknife measures how steeply the effect changes at the data. Some effects level off: that by absolute
errors does once gold lies on one side of both systems. The jackknife then sees little change, although a
smaller move to the other side would reverse the effect. So we move all responses of a role step by step,
along the direction in which the units differ, and find the first step at which the effect is 0. Labels that
people gave move as shares of classes: the votes of those who lean one way count more.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from nbyk.arrays import Floats
from nbyk.metrics import Metric
from nbyk.testing.shared_units.components import Component
from nbyk.testing.shared_units.responses import Responses, Role, Source
from nbyk.testing.shared_units.statistic import VALUES_AT_ONCE, Changes, columns_of, effects_of_sets

_FARTHEST = 16.0
_STEPS = 24
_ROUNDING = 1e-9
"""An effect that is this share of its standard error is 0, and does not vanish on the way."""

MOST, MOST_OF_LABELS = 1.25, 2.0
"""The largest stretch: more widens intervals of numbers without bound, and holds no level better. Accuracy
by five who lean to one of two classes holds .05 at 2, and not at 1.25."""


def stretch(metric: Metric, data: Responses, found: Changes, sources: Mapping[Source, Component]) -> float:
    """Return the factor by which the units' standard error must grow to reach 0 when the effect does.

    Let m_j be the weight of unit j (1 in the data), u_j the change of the effect with m_j, and T_s the
    variance over the units of source s. The direction is κ_j = u_j T_s / (√(Σ T) Σ u²), where Σ u² is over
    the source. One step then changes a linear effect by one standard error. λ steps move all responses of
    item i by λ Σ_j κ_j (x_ij − x̄_i) / K_i. Weights 1 + λ κ_j move its mean by as much. If the effect first
    vanishes after λ₀ steps, the stretch is |effect| / (λ₀ √(Σ T)), at most `MOST` or, for labels,
    `MOST_OF_LABELS`; 1 if it does not vanish within the steps that a linear effect would take. All sources
    move at once or, where responses are classes, gold's raters alone.
    """
    if data.table is not None:
        sources = {source: part for source, part in sources.items() if source == "raters"}
    error = float(np.sqrt(sum(part.total for part in sources.values())))
    if error <= 0.0 or not abs(found.effect) > _ROUNDING * error:
        return 1.0
    slopes = -found.units * (1.0 - 1.0 / data.panel_sizes)
    direction = np.zeros(data.n_units)
    for source, part in sources.items():
        units = data.source_units[source]
        size = float(np.sum(slopes[units] ** 2))
        if size > 0.0:
            direction[units] = slopes[units] * (-np.sign(found.effect) * part.total / (error * size))
    moving = [(role.units >= 0).any() and (data.table is None or role is data.gold) for role in data.roles]
    moves = [
        _moves(role, direction, data.table) if is_moving else None
        for role, is_moving in zip(data.roles, moving, strict=True)
    ]
    farthest = min(abs(found.effect) / error, _FARTHEST)
    steps = farthest * np.arange(1, _STEPS + 1) / _STEPS
    path = np.sign(found.effect) * _effects_on_the_way(metric, data, moves, steps)
    crossed = np.flatnonzero(path <= 0.0)
    if len(crossed) == 0:
        return 1.0
    first = int(crossed[0])
    before = abs(found.effect) if first == 0 else float(path[first - 1])
    start = 0.0 if first == 0 else float(steps[first - 1])
    vanished = start + (steps[first] - start) * before / (before - float(path[first]))
    most = MOST if data.table is None else MOST_OF_LABELS
    return min(max(1.0, abs(found.effect) / (error * float(vanished))), most)


def _moves(role: Role, direction: Floats, table: Floats | None) -> Floats:
    """Return the move of each item's responses in one step, (N,), or of its shares of classes, (N, C)."""
    there = ~np.isnan(role.values)
    known = np.where(there, role.values, 0.0)
    values = known[..., np.newaxis] if table is None else table[known.astype(np.int64)]
    weights = np.where(role.units >= 0, direction[role.units], 0.0) * there
    sizes = there.sum(1, keepdims=True)
    centred = weights - weights.sum(1, keepdims=True) / sizes * there
    moved: Floats = np.sum(centred[..., np.newaxis] * values, axis=1) / sizes
    return moved[:, 0] if table is None else moved


def _effects_on_the_way(metric: Metric, data: Responses, moves: list[Floats | None], steps: Floats) -> Floats:
    """Return the effects after each number of steps of `moves`, one a role, of shape (N,)."""
    columns = columns_of(metric, data)
    at_once = max(1, VALUES_AT_ONCE // sum(column.size for column in columns))
    parts = []
    for start in range(0, len(steps), at_once):
        taken = steps[start : start + at_once].reshape(-1, *[1] * columns[1].ndim)
        moved = [
            np.broadcast_to(column, (len(taken), *column.shape))
            if move is None
            else column + taken * move.reshape(*move.shape, *[1] * (column.ndim - move.ndim))
            for column, move in zip(columns, moves, strict=True)
        ]
        if data.table is not None:
            shares = np.maximum(moved[0], 0.0)
            moved[0] = shares / shares.sum(axis=-1, keepdims=True)
        parts.append(effects_of_sets(metric, moved))
    return np.concatenate(parts)
