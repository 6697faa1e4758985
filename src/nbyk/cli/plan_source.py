"""What a plan starts from: variances, a pilot, a prior; and the unit in which its numbers are typed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from nbyk.cli.options import check_files, numbers_of, taken_by
from nbyk.cli.pilot import PilotFiles, pilot_scale
from nbyk.errors import NbykError, check_choice, errors_about, unknown_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from nbyk.data import ResponseSet, Scale
    from nbyk.metrics import Metric
    from nbyk.planning.pilot import Pilot
    from nbyk.planning.result import Plan
    from nbyk.priors import TwoStagePrior
    from nbyk.resampling.pilot_items import PilotItems

OF_SHARED = (
    *("raters", "items_per_rater", "runs", "items_per_cluster", "judge", "counts", "calls"),
    *("cost_per_rater", "cost_per_run", "cost_per_call"),
)
"""Options about raters, runs, clusters and a judge: a plan with one of them is for units that items share."""


_LEAST_EPSILON, _LARGEST_SHARE = 30.0, 0.5
"""An ε of less than a thirtieth of the scale looks like a share of it, if it is at most a half."""

_LARGEST_SD = 1e75
"""Its square, times two, is the largest variance of a `Spread`."""
_VARIANCE_OF_SD = {
    "item_sd": ("items", 1.0),
    "cluster_sd": ("clusters", 1.0),
    "severity_sd": ("raters", 1.0),
    "rating_sd": ("ratings", 1.0),
    "run_sd": ("runs", 2.0),
    "answer_sd": ("answers", 2.0),
}
"""The variance of `Spread` that each standard deviation gives, and how many systems it counts for."""

SDS = tuple(_VARIANCE_OF_SD)


_SHARES = {"effect": 0.05, "item_sd": 0.2, "severity_sd": 0.03, "rating_sd": 0.2}
"""Usual sizes of an effect and of what varies, as shares of the scale."""


def declared(arguments: Mapping[str, Any]) -> str:
    """Return a command that plans for people without any data, in the unit of the scale if there is one."""
    scale, width = arguments["scale"], 1.0
    if scale is not None:
        import numpy as np

        from nbyk.data import scale_from_text

        low, high = scale_from_text(scale).original(np.array([0.0, 1.0]))
        width = float(high - low)
    words = ["nbyk plan --solve raters --items 300 --power 0.8", *([f"--scale {scale}"] if scale else [])]
    for name, share in _SHARES.items():
        words.append(f"--{name.replace('_', '-')} {arguments[name] or share * width:.3g}")
    return " ".join(words)


class PlanSource(NamedTuple):
    """What a plan starts from: the source of `nbyk.plan`, and cautions."""

    source: Any
    cautions: tuple[str, ...] = ()

    def plan(self, asked: Mapping[str, Any]) -> Plan:
        """Return the plan that `asked`, arguments of `nbyk.plan`, ask for."""
        from nbyk.planning.plan import plan

        solved = plan(self.source, **asked)
        return replace(solved, warnings=(*solved.warnings, *self.cautions))


def check_sources(arguments: Mapping[str, Any], *, with_people: bool) -> None:
    """Raise NbykError if the options do not name one source of items and ratings."""
    names = ("dataset", "pilot", "pilot_systems", "prior", "class_alpha")
    dataset, pilot, pilot_systems, prior, alpha = (arguments[name] for name in names)
    check_choice("unit", arguments["unit"], (None, "scale", "share"))
    check_choice("pair_runs", arguments["pair_runs"], ("yes", "no"))
    check_choice("items_from", arguments["items_from"], ("pilot", "prior"))
    check_files([pilot, *(pilot_systems or ()), prior])
    if dataset is not None:
        _check_dataset(dataset, published=arguments["published"])
    if with_people:
        shows_raters = {"DATASET": has_ratings(arguments), "--prior": has_labels(prior)}
        for words, name in (("DATASET", dataset), ("--prior", prior)):
            if name is not None and not shows_raters[words]:
                raise NbykError(
                    f"{words}: found {name}, which has no ratings that show how raters differ; give "
                    f"yours with `pilot`, or say how much the effect varies, as in: {declared(arguments)}"
                )
        if dataset is None or not (pilot or pilot_systems):
            return
    sources = {
        "DATASET": dataset,
        "--pilot-systems" if pilot is None else "--pilot": pilot or pilot_systems,
        "--prior": prior,
        "--class-alpha": alpha,
    }
    named = [name for name, value in sources.items() if value is not None]
    if len(named) != 1:
        raise NbykError(
            f"plan: found {' and '.join(named) or 'no data'}; expected one of DATASET, --pilot and --prior; "
            f"without data, say how much the effect varies, as in: {declared(arguments)}"
        )
    if arguments["published"] and dataset is None:
        raise NbykError(
            f"plan: found --published and {named[0]}; it chooses a DATASET's published prior over a fit to "
            "its ratings: leave it out, or name a dataset instead"
        )
    answers = arguments["system_answers"]
    if answers != "levels" and (pilot is None or pilot_systems or arguments["items_from"] == "prior"):
        raise NbykError(
            f"found {answers}, but only systems simulated on a pilot's own items take it; leave it out, or "
            "give a --pilot alone",
            argument="system_answers",
        )


def has_ratings(arguments: Mapping[str, Any]) -> bool:
    """Return whether the dataset that is named has ratings that come with nbyk."""
    from nbyk.data.sources import source, source_names

    name = arguments["dataset"]
    return not arguments["published"] and name in source_names() and source(name).embedded


def has_labels(prior: Path | None) -> bool:
    """Return whether a file holds a prior of labels."""
    if prior is None:
        return False
    from nbyk.priors.ordinal import label_prior_in

    return label_prior_in(prior) is not None


def _check_dataset(name: str, *, published: bool) -> None:
    from nbyk.data.sources import source, source_names
    from nbyk.priors import published_names

    embedded = () if published else (known for known in source_names() if source(known).embedded)
    known = {*published_names(), *embedded}
    if name not in known:
        if Path(name).exists():
            raise NbykError(
                f"is a file of yours, expected a data set's name; write --pilot {name}", file=name
            )
        raise unknown_name("dataset", name, known)


def in_the_unit(
    asked: dict[str, Any],
    sds: dict[str, float | None],
    scale: Scale | None,
    metric: Metric,
    unit: str | None,
    *,
    known: bool = True,
    shown: float | None = None,
) -> None:
    """Put typed numbers in the unit of the scale; refuse one that looks as if it were in the other unit.

    `asked` and `sds` change in place if `unit` is "share". Without a scale, `known` says whether numbers are
    on 0 to 1. `shown` is the effect of a pilot's systems, in the unit of the scale, 0 if it is not known yet;
    None without systems.
    """
    from nbyk.planning.long_run import ends_of

    if scale is None and unit == "share":
        raise NbykError(
            "found share, but there is no --scale that it is a share of; leave it out", argument="unit"
        )
    low, high = ends_of(scale) or (0.0, 1.0)
    length, most = high - low, (high - low) ** metric.unit_power
    if unit == "share":
        for name, factor in (("effect", most), ("epsilon", length), ("epsilon_a", length)):
            asked[name] = asked[name] and asked[name] * factor
        sds.update({name: sd and sd * most for name, sd in sds.items()})
    if unit is not None:
        return
    effect, epsilon = asked["effect"], asked["epsilon"]
    on = f"the scale from {low:g} to {high:g}"
    least = min(length / _LEAST_EPSILON, _LARGEST_SHARE)
    if epsilon is not None and shown is None and 0.0 < epsilon <= least and length != 1.0:
        raise NbykError(
            f"found {epsilon:g}, 1/{length / epsilon:.0f} of {on}; give `epsilon` {epsilon * length:g} if "
            f"{epsilon:g} is a share of it, or `epsilon` {epsilon:g} `unit` scale to keep it",
            argument="epsilon",
        )
    if effect is None or metric.unit_power < 1 or not known:
        return
    if effect > most:
        raise NbykError(
            f"found {effect:g}, but on {on} no effect on {metric.name} is beyond {most:g}; give `effect` "
            f"{effect / 100.0 * most:g} if you mean {effect:g} %, or the `scale` that {effect:g} is on",
            argument="effect",
        )
    if shown and most != 1.0 and (effect <= 0.1 * shown or abs(effect * most / shown - 1.0) < 0.05):
        raise NbykError(
            f"found {effect:g}, but on {on} the pilot's systems differ by {shown:.3g}; give `effect` "
            f"{effect * most:.3g} if {effect:g} is on 0 to 1, or `effect` {effect:g} `unit` scale to keep it",
            argument="effect",
        )


def shared_source(
    arguments: Mapping[str, Any], asked: dict[str, Any], files: PilotFiles, say: Callable[[str], None]
) -> PlanSource:
    """Return the variances of an effect, or a pilot that shows them.

    The numbers, the scale and the metric of `asked`, arguments of `nbyk.plan`, are put in the unit of the
    scale.
    """
    from nbyk.planning.long_run import unit_of
    from nbyk.planning.pilot import Pilot
    from nbyk.testing.shared_units.collection import Spread

    (metric, *_), pilot, systems = asked["metric"], files.gold, files.systems
    asked["metric"], unit, dataset = metric, arguments["unit"], files.dataset
    sds = {name: arguments[name] for name in SDS}
    scale = None if asked["scale"] is None and not (pilot or systems) else pilot_scale(asked["scale"])
    if systems is None and files.columns.cluster is not None:
        raise NbykError(
            f"found {files.columns.cluster}, but there are no systems whose effect may differ between "
            "clusters; give their answers (`pilot_systems`), or the standard deviation (`cluster_sd`)",
            argument="cluster",
        )
    if pilot is None and systems is None and dataset is None:
        if sds["item_sd"] is None:
            raise NbykError(
                "give a number, how much the difference between the two systems varies from item to item; or "
                "a `pilot` with ids, alone or with `pilot_systems`, that shows it; as in: "
                f"{declared(arguments)}",
                argument="item_sd",
            )
        asked["scale"] = scale
        in_the_unit(asked, sds, scale, metric, unit, known=scale is not None)
        return PlanSource(Spread(**variances_of(sds)))
    read = files.read(scale)
    asked["scale"] = read.scale
    say("variances of the pilot")
    if read.raters is not None:
        in_the_unit(asked, sds, read.scale, metric, unit)
        shown = Pilot.of_ratings(
            replace(read.items, system_answers=arguments["system_answers"]),
            read.raters,
            metric,
            asked["effect"],
            unit_of(read.scale, read.items.response),
            epsilon=asked["epsilon"],
            declared=variances_of(sds),
        )
        asked["epsilon"] = None
        return PlanSource(shown, read.notes)
    assert read.scale is not None
    assert read.pair is not None
    effect_unit = cast("float", read.scale.unit) ** metric.unit_power
    shown = pilot_of(read.pair, metric, arguments, unit=effect_unit, scale=read.scale)
    in_the_unit(asked, sds, read.scale, metric, unit, shown=abs(shown.effect))
    numbers = ("solve", "n_items", "k_responses", "budget", *OF_SHARED, *SDS)
    if asked["effect"] is not None and not any(arguments[name] for name in numbers):
        crew = shown.crew  # the number that compare's next command asks for
        asked["solve"] = "raters" if crew.raters else "runs" if crew.runs else "items"
    return PlanSource(replace(shown, declared=variances_of(sds)), read.notes)


def pilot_of(pair: ResponseSet, metric: Metric, arguments: Mapping[str, Any], **more: Any) -> Pilot:
    """Return a pilot of two systems; `more` are further arguments of `Pilot`."""
    from nbyk.planning.pilot import Pilot

    of_runs = (arguments["runs"], arguments["run_sd"])
    about_runs = of_runs != (None, None) or arguments["solve"] == "runs"
    return Pilot((pair,), metric, about_runs, arguments["pair_runs"] == "yes", **more)


def judged_source(arguments: Mapping[str, Any], asked: dict[str, Any]) -> PlanSource:
    """Return the pilot of people's ratings and a judge's scores; the plan's scale and metric are theirs."""
    from nbyk.data.judged import read_judged
    from nbyk.data.scales import as_scale
    from nbyk.metrics import get
    from nbyk.planning.pilot import Pilot

    if arguments["pilot"] is None:
        raise NbykError(
            f"found {arguments['judge']}, but no people's ratings that correct the judge; give them with "
            "`pilot`",
            argument="judge",
        )
    for name in ("pilot_systems", "cluster", "metric", "cluster_sd", "run_sd", "answer_sd"):
        if arguments[name] is not None:
            raise NbykError("people and a judge have no use for it; leave it out", argument=name)
    scale = asked["scale"] = as_scale(arguments["scale"])
    asked["metric"] = get("mean")
    sds = {name: arguments[name] for name in SDS}
    in_the_unit(asked, sds, scale, asked["metric"], arguments["unit"], known=scale is not None)
    reading = taken_by(read_judged, arguments)
    reading |= {"scale": scale, "counts": numbers_of(arguments["counts"])}
    data = read_judged(arguments["pilot"], arguments["judge"], **reading)
    pilot = Pilot.of_judged(data)
    declared = {**pilot.declared, **variances_of(sds)}
    return PlanSource(replace(pilot, declared=declared), data.notes)


def variances_of(sds: Mapping[str, Any]) -> dict[str, float]:
    """Return the variances of `Spread` for those standard deviations (`SDS`) that are given."""
    variances = {}
    for name, (part, systems) in _VARIANCE_OF_SD.items():
        sd = sds.get(name)
        if sd is not None:
            if not 0.0 <= sd <= _LARGEST_SD:
                raise NbykError(
                    f"found {sd:g}, expected a standard deviation from 0 to {_LARGEST_SD:g}", argument=name
                )
            variances[part] = systems * sd**2
    return variances


def simulated_source(
    arguments: Mapping[str, Any], asked: dict[str, Any], files: PilotFiles, say: Callable[[str], None]
) -> PlanSource:
    """Return the source of simulated items: a pilot's own, a prior fitted to a pilot's, or a given prior."""
    from nbyk.priors import published_prior, read_prior

    metrics, dataset = asked["metric"], arguments["dataset"]
    scale = None if arguments["scale"] is None else pilot_scale(arguments["scale"])
    cautions: tuple[str, ...] = ()
    if files.gold is not None or files.systems is not None or has_ratings(arguments):
        read = files.read(scale, trials=all(metric.takes_trials for metric in metrics))
        population: Any = replace(read.items, system_answers=arguments["system_answers"])
        cautions, scale = (*read.notes, *read.sharing), read.scale
        if read.pair is None and (dataset is not None or arguments["items_from"] == "prior"):
            population = _fitted(read.items, say, files.gold)
    else:
        population = read_prior(arguments["prior"]) if dataset is None else published_prior(dataset)
    asked["scale"] = scale
    shown = 0.0 if files.systems else None
    in_the_unit(asked, {}, scale, metrics[0], arguments["unit"], shown=shown)
    return PlanSource(population, cautions)


def _fitted(items: PilotItems, say: Callable[[str], None], file: Path | None) -> TwoStagePrior:
    """Return the prior fitted to the ratings of a pilot's items."""
    from nbyk.priors import fit_prior

    ratings = cast("NDArray[np.float64]", items.ratings)
    say(f"fitting a prior to {int((ratings == ratings).sum())} ratings of {len(ratings)} items")
    with errors_about(file=file):
        return fit_prior(items.name, ratings, items.response).prior
