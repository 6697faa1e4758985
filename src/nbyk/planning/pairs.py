"""Two real systems of a pilot as the A and B of a plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from nbyk.data.response_set import response_set
from nbyk.errors import NbykError
from nbyk.metrics import Metric
from nbyk.resampling.pilot_items import PilotItems
from nbyk.resampling.resample import observed_effects


def better_first(pilot: PilotItems, metric: Metric, assumed: Mapping[str, object]) -> PilotItems:
    """Return a pilot whose system A is the one that looks better, with gold only if the metric needs it."""
    for name, given in assumed.items():
        if given is not None:
            raise NbykError(
                f"found {given}, but the systems are real, and nbyk assumes nothing about them; leave it out",
                argument=name,
            )
    if not metric.needs_gold:
        pilot = replace(pilot, ratings=None)
    elif pilot.ratings is None:
        raise NbykError(f"metric {metric.name} needs gold ratings, but the pilot has none; give them")
    a, b = pilot.pair
    if metric.needs == "responses" and pilot.ratings is not None and pilot.answers.shape[-1] != a.shape[1]:
        raise NbykError(
            f"metric {metric.name} needs every answer, but some items have fewer than others; choose "
            "another metric, or keep items with all answers"
        )
    effect = float(observed_effects(response_set(pilot.ratings, a, b), metric)[0])
    if effect == 0.0:
        names = " and ".join(pilot.system_names)
        raise NbykError(f"{names} do not differ on {metric.name}: there is no difference to plan for")
    if effect > 0.0:
        return pilot
    return replace(pilot, systems=(b, a), system_names=pilot.system_names[::-1])
