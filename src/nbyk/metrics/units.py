"""The unit of a metric's effect, if ratings are on a scale of their own."""

from __future__ import annotations

from nbyk.data.scales import Binary, Levels, Scale
from nbyk.metrics.metric import Metric


def threshold_of(metric: Metric) -> float | None:
    """Return the least item mean, on [0, 1], that a metric calls positive; None if it has none."""
    return dict(metric.arguments).get("threshold")


def threshold_in_ratings(metric: Metric, scale: Scale) -> float | None:
    """Return `threshold_of` in the unit of the ratings; None if that is the same or the scale has no unit.

    A mean of ratings that is at least this large is positive.
    """
    cut = threshold_of(metric)
    if cut is None or scale.unit is None or isinstance(scale, Binary):
        return None
    least = scale.levels[0] if isinstance(scale, Levels) else scale.low
    found = least + (cut - float(scale.normalise([least])[0])) * scale.unit
    return None if found == cut else found


def effect_unit(metric: Metric, scale: Scale) -> float:
    """Return the factor that turns an effect on [0, 1] into the unit of the ratings.

    It is 1 for a metric without a unit, and on a scale without one, such as a scale of uneven levels.
    """
    return float((scale.unit or 1.0) ** metric.unit_power)
