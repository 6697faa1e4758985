"""`nbyk plan` with raters and runs that items share."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from nbyk.errors import NbykError, renaming

if TYPE_CHECKING:
    from nbyk.cli.pilot import Pilot
    from nbyk.data import ResponseSet
    from nbyk.metrics import Metric
    from nbyk.planning.people_plan import CrewRequest, PeoplePlan
    from nbyk.testing.shared_units.collection import Crew, Spread


@dataclass(frozen=True)
class People:
    """The options about raters, runs and clusters; None for those not given.

    Attributes
    ----------
    raters, items_per_rater, runs, items_per_cluster
        Raters J, or the items L of each, runs R of each system, and items in a cluster.
    cluster
        Column of clusters of the pilot's items.
    cost_per_rater, cost_per_run
        The cost of a rater, and of a run of either system.
    solve
        "raters" or "runs" to find their number, "items" or "ratings"; None to find what is left out.
    item_sd, cluster_sd, severity_sd, rating_sd, run_sd, answer_sd
        Standard deviations of the effect: between items, between clusters of them, of a rater, of a single
        rating, of a run of one system, and of a single answer.
    """

    raters: int | None = None
    items_per_rater: int | None = None
    runs: int | None = None
    items_per_cluster: int | None = None
    cluster: str | None = None
    cost_per_rater: float | None = None
    cost_per_run: float | None = None
    item_sd: float | None = None
    cluster_sd: float | None = None
    severity_sd: float | None = None
    rating_sd: float | None = None
    run_sd: float | None = None
    answer_sd: float | None = None
    solve: str | None = None

    def check_sds(self) -> None:
        """Raise NbykError unless all standard deviations can be."""
        self.variances()

    def variances(self) -> dict[str, float]:
        """Return the variances of `Spread` that the standard deviations give."""
        from nbyk.planning.people import variances_of

        return variances_of(
            {
                "item_sd": self.item_sd,
                "cluster_sd": self.cluster_sd,
                "severity_sd": self.severity_sd,
                "rating_sd": self.rating_sd,
                "run_sd": self.run_sd,
                "answer_sd": self.answer_sd,
            }
        )

    @property
    def asked(self) -> bool:
        """Whether any of them is given that is about raters or runs."""
        given = {field.name for field in fields(self) if getattr(self, field.name) is not None}
        return bool(given - {"solve"}) or self.solve in ("raters", "runs")

    def check_solve(self, n_items: int | None, k_responses: int | None) -> None:
        """Raise NbykError if the number to solve for is unknown or given."""
        given = {
            "raters": (("raters", self.raters), ("items_per_rater", self.items_per_rater)),
            "runs": (("runs", self.runs),),
            "items": (("n_items", n_items),),
            "ratings": (("k_responses", k_responses),),
        }
        if self.solve is None:
            return
        if self.solve not in given:
            raise NbykError(f"found {self.solve}, expected {' or '.join(given)}", argument="solve")
        for name, value in given[self.solve]:
            if value is not None:
                raise NbykError(
                    f"found {self.solve}, but `{name}` gives their number; leave one of the two out",
                    argument="solve",
                )
        needed = {
            "raters": ("severity_sd", "one rater's severity"),
            "runs": ("run_sd", "one run of a system"),
        }
        if self.solve in needed and self.item_sd is not None:
            option, source = needed[self.solve]
            if not getattr(self, option):
                raise NbykError(
                    f"found {self.solve}, but no standard deviation due to {source}, so their number would "
                    f"not matter; give `{option}`",
                    argument="solve",
                )

    def of_raters(self, raters: int | None) -> int | None:
        """Return the option that gives the number of raters; None if no option does."""
        return raters if self.items_per_rater is None else self.items_per_rater


def plan_people(
    people: People, asked: CrewRequest, metric: Metric, pilot: Pilot | None, out: Path | None, *, form: str
) -> None:
    """Print the plan of a collection whose items share raters or runs; write it if a folder is given.

    `asked` holds the numbers that are given; what they leave open to the pilot is added here.
    """
    from nbyk.cli.answers import give
    from nbyk.planning.people import present_crew, ratings_per_item
    from nbyk.planning.people_plan import assured_plan, plan_with_people
    from nbyk.planning.pilot_law import PilotLaw
    from nbyk.report.people_plan import people_answer

    effect, seen = asked.effect, None
    warnings: tuple[str, ...] = ()
    pair = None if pilot is None else pilot.pair
    taken: tuple[str, ...] = ()
    if pair is not None and people.solve is not None:
        before = (people, asked)
        people, asked = _as_in_pilot(people, asked, present_crew(pair, rated=_rated(people, pair)))
        taken = _taken(*before, people, asked)
    ratings, per_cluster = asked.ratings_per_item, people.items_per_cluster
    if pair is not None and pilot is not None:
        spread, seen, warnings = _of_pilot(people, metric, pair, pilot.unit)
        now = present_crew(pair)
        if not (now.raters or now.runs):
            ratings = ratings_per_item(pair) if ratings is None else ratings
            warnings += (
                "no rater and no run of this pilot answers two items, so it does not show how they differ: "
                f"the plan holds for {ratings_per_item(pair)} ratings per item, as in the pilot",
            )
        if per_cluster is None:
            per_cluster = now.items_per_cluster
    elif people.cluster is not None:
        raise NbykError(
            f"found {people.cluster}, but there are no systems whose effect may differ between clusters; "
            "give their answers (`pilot_systems`), or the standard deviation (`cluster_sd`)",
            argument="cluster",
        )
    else:
        spread = _declared(people)
    raters = people.raters if _matters(people, "raters", spread.raters, people.cost_per_rater) else 0
    runs = people.runs if _matters(people, "runs", spread.runs, people.cost_per_run) else 0
    if effect is None and (None in (asked.n_items, asked.power, runs) or people.of_raters(raters) is None):
        effect = seen
    request = replace(
        asked,
        raters=None if people.items_per_rater is not None else raters,
        ratings_per_item=ratings,
        runs=runs,
        items_per_cluster=1 if per_cluster is None else per_cluster,
        effect=effect,
    )
    with renaming({"ratings_per_item": "k_responses"}):
        found = plan_with_people(spread, request)
    if pair is not None and pilot is not None and (asked.effect is not None or effect is None):
        of_pair, of_unit = pair, pilot.unit**metric.unit_power

        def law_of(times: float) -> PilotLaw:
            law = PilotLaw.of(of_pair, metric, rated=_rated(people, of_pair), unit=of_unit, times=times)
            return law.declared(people.variances())

        found = assured_plan(found, law_of)
    elif pair is not None:
        warnings += (
            "the effect is the pilot's own, which may be larger than the true one: give --effect, and nbyk "
            "also prints the plan that holds in four of five such pilots",
        )
    found = replace(found, warnings=(*taken, *warnings, *_without_a_price(found)))
    name = "declared variances" if pilot is None else pilot.items.name
    answer = people_answer(found, name=name, for_page=out is not None or form == "html")
    give(answer, out=out, form=form, stem="plan")


def _matters(people: People, units: str, variance: float, price: float | None) -> bool:
    """Return whether the number of raters or runs counts; if not, each rating or answer has its own."""
    return bool(getattr(people, units) is not None or people.solve == units or variance or price)


def _declared(people: People) -> Spread:
    from nbyk.testing.shared_units.collection import Spread

    if people.item_sd is None:
        raise NbykError(
            "expected how much the effect varies between items: give a number, or a pilot with ids and "
            "systems (`pilot` and `pilot_systems`)",
            argument="item_sd",
        )
    return Spread(**people.variances())


def _of_pilot(
    people: People, metric: Metric, pair: ResponseSet, unit: float
) -> tuple[Spread, float, tuple[str, ...]]:
    """Return variances (declared, or else from a comparison with ids), its effect, and cautions."""
    from nbyk.planning.people import pilot_test, spread_of_pilot
    from nbyk.testing.unit_kinds import kind_of_units, plural

    test, unit = pilot_test(pair, metric), unit**metric.unit_power
    spread = spread_of_pilot(pair, metric, rated=_rated(people, pair)).times(unit)
    spread = replace(spread, **people.variances())
    units = {str(source): part.units for source, part in test.sources.items()}
    if pair.n_clusters:
        units["clusters"] = pair.n_clusters
    kind = plural(kind_of_units(pair))
    few = [f"{count} {source.replace('runs', kind)}" for source, count in units.items() if count < 5]
    warnings: tuple[str, ...] = ()
    if few:
        warnings = (f"{' and '.join(few)} of the pilot tell little of how others differ",)
    declared = {"raters": people.severity_sd, "runs": people.run_sd}
    options = {"raters": "--severity-sd", "runs": "--run-sd"}
    behind = {"raters" if source == "raters" or _rated(people, pair) else "runs" for source in test.sources}
    for name in sorted(behind):
        if declared[name] is None and not getattr(spread, name):
            warnings += (
                f"in this pilot, {name} differ as wholes by no more than chance, so the plan takes their SD "
                f"for 0: see what a small one changes with {options[name]}",
            )
    if metric.smoothness == "jumps":
        warnings += (
            f"by {metric.name}, one rating can carry an item across a threshold or a tie: nbyk then takes "
            "raters and runs to differ more than they do, and may ask for too many",
        )
    return spread, unit * abs(test.effect), warnings


def _rated(people: People, pair: ResponseSet) -> bool:
    """Return whether the units of a pilot's systems are people: not if the plan is about runs."""
    from nbyk.planning.people import rated_by_people

    about_runs = people.runs is not None or people.run_sd is not None or people.solve == "runs"
    return rated_by_people(pair) and not about_runs


def _without_a_price(plan: PeoplePlan) -> tuple[str, ...]:
    """Return the caution about a cheapest collection of people or runs that cost nothing."""
    costs = plan.request.costs
    free = [
        (name, option)
        for name, cost, option in (
            ("raters", costs.rater, "--cost-per-rater"),
            ("runs", costs.run, "--cost-per-run"),
        )
        if name in plan.open and len(plan.open) > 1 and not cost
    ]
    if not free:
        return ()
    names, options = zip(*free, strict=True)
    return (
        f"{' and '.join(names)} cost nothing here, so the plan takes many: give {' and '.join(options)}, or "
        "their number",
    )


def _taken(
    people: People, asked: CrewRequest, as_in_pilot: People, asked_as_in_pilot: CrewRequest
) -> tuple[str, ...]:
    """Return the sentence that names the numbers which `_as_in_pilot` filled in."""
    numbers = (
        (asked.n_items, asked_as_in_pilot.n_items, "items"),
        (people.raters, as_in_pilot.raters, "raters"),
        (asked.ratings_per_item, asked_as_in_pilot.ratings_per_item, "ratings per item"),
        (people.runs, as_in_pilot.runs, "runs of each system"),
    )
    filled = [f"{now} {name}" for before, now, name in numbers if before is None and now is not None]
    return (f"as in the pilot: {', '.join(filled)}",) if filled else ()


def _as_in_pilot(people: People, asked: CrewRequest, now: Crew) -> tuple[People, CrewRequest]:
    """Return the options with the pilot's numbers in place of those that are neither given nor solved for."""
    solve = people.solve
    if solve != "raters" and people.raters is None and people.items_per_rater is None and now.raters:
        people = replace(people, raters=now.raters)
    if solve != "runs" and people.runs is None and now.runs:
        people = replace(people, runs=now.runs)
    if solve != "ratings" and asked.ratings_per_item is None:
        asked = replace(asked, ratings_per_item=now.ratings_per_item)
    if solve != "items" and asked.n_items is None and asked.budget is None:
        asked = replace(asked, n_items=now.n_items)
    return people, asked
