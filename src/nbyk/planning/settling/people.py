"""The numbers of items, ratings, raters or runs that would settle the claim over new raters and runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nbyk.data.response_set import ResponseSet
from nbyk.metrics import Metric
from nbyk.planning.people import pilot_test, present_crew, spread_of_pilot
from nbyk.planning.settling.settlement import Settlement, Size
from nbyk.testing.shared_units import shared_units_test
from nbyk.testing.shared_units.collection import FEWEST_UNITS
from nbyk.testing.shared_units.power import Aim
from nbyk.testing.systems.panel import panel_of
from nbyk.words import listed

_NOUNS = {
    "n_items": "items",
    "ratings_per_item": "ratings per item",
    "raters": "raters",
    "runs": "runs",
}


def settled_with_people(data: ResponseSet, metric: Metric, found: Settlement) -> tuple[Settlement, bool]:
    """Return what would settle the claim over new items, raters and runs, and whether that is the answer.

    It is not if items share neither raters nor runs, if that claim is settled, or if the metric jumps. The
    effect is taken to stay as it is, with the variance that a comparison with ids shows
    (`nbyk.testing.shared_units.power`).
    """
    panel = panel_of(data, None)
    if panel.responses is None or not panel.sources:
        return found, False
    over = f"For {panel.population(panel.sources, of_clusters=panel.of_clusters)}"
    few = [source for source in panel.sources if panel.size(source) < FEWEST_UNITS]
    if few:
        named = " and ".join(f"{panel.size(source)} {panel.in_words(source)}" for source in few)
        return replace(
            found, people=f"{over}, {named} cannot settle it: they cannot speak for others."
        ), False
    if metric.smoothness == "jumps":
        return found, False  # its parts are far off, and so would be the numbers
    test, alternative = shared_units_test(metric, panel.responses), found.alternative
    if test.p_value(alternative) <= found.alpha:
        p = f"{test.p_value(alternative):.3g}"
        return replace(found, people=f"{over}, there is nothing to settle (p = {p})."), False
    if test.effect == 0.0 or (
        alternative != "two-sided" and (test.effect > 0.0) != (alternative == "greater")
    ):
        return found, False
    aim = Aim(
        spread_of_pilot(data, metric),
        present_crew(data),
        pilot_test(data, metric).effect,
        max(found.target, 1.001 * found.alpha),
        found.alpha,
        "two-sided" if alternative == "two-sided" else "greater",
    )
    now = aim.now
    least = {
        name: aim.least(name)
        for name in _NOUNS
        if getattr(now, name)
        and not (name == "ratings_per_item" and now.raters and now.ratings_per_item >= now.raters)
    }
    limits = {"n_items": found.max_items, "ratings_per_item": found.max_responses}
    hopeless = [_NOUNS[name] for name, count in least.items() if count is None]
    least_within = {
        name: count for name, count in least.items() if count and count <= limits.get(name, count)
    }
    ways = [
        f"{count} {_NOUNS[name]}{' of each system' * (name == 'runs')}"
        for name, count in least_within.items()
    ]
    if ways:
        no = f"; more {_any_of(hopeless)} alone would not" if hopeless else ""
        says = f"{over}, it takes {' or '.join(ways)} in all (t, power {found.target:g}){no}."
    elif not hopeless:
        says = (
            f"{over}, no number of items or ratings within the limits settles it (t, power {found.target:g})."
        )
    else:
        says = f"{over}, more {_any_of(hopeless)} alone would not settle it{_together(aim)}."

    def size(name: str, n_items: int, ratings: float) -> Size | None:
        if name not in least_within:
            return None
        crew = now.with_counts(n_items=n_items, ratings_per_item=round(ratings))
        return Size(n_items, ratings, aim.reached(crew), None)

    return replace(
        found,
        people=says,
        power=aim.reached(now),
        items=size("n_items", least_within.get("n_items", now.n_items), found.k_responses),
        responses=size("ratings_per_item", now.n_items, least_within.get("ratings_per_item", 1)),
    ), True


def _together(aim: Aim) -> str:
    """Return how many items, raters and runs settle it together; "" if far too many."""
    crew = aim.together()
    if crew is None:
        return ""
    parts = [f"{crew.n_items} items"]
    parts += [f"{crew.raters} raters"] if crew.raters else []
    parts += [f"{crew.runs} runs of each system"] if crew.runs else []
    return f"; {listed(parts)} together would (t, power {aim.power:g})"


def _any_of(names: Sequence[str]) -> str:
    """Return names as an English list of alternatives."""
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
