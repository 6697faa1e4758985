"""A pilot of `nbyk plan`: its scale, its ratings, its systems, and a prior fitted to it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from nbyk.cli.options import scale_named
from nbyk.errors import NbykError, unknown_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from nbyk.data import Levels, Ratings, ResponseSet, Scale
    from nbyk.data.columns import Columns
    from nbyk.data.mending import Mending
    from nbyk.data.units import Units
    from nbyk.planning.pilot import Pilot
    from nbyk.priors import Response, TwoStagePrior
    from nbyk.resampling.pilot_items import PilotItems
    from nbyk.testing.shared_units.collection import Spread

_MOST_STEPS = 10
"""Steps of the longest scale, 0 to 10, whose whole numbers count as its levels."""
_ROUNDING = 1e-9


SDS = ("item_sd", "cluster_sd", "severity_sd", "rating_sd", "run_sd", "answer_sd")
OF_SHARED = ("raters", "items_per_rater", "runs", "items_per_cluster", "cost_per_rater", "cost_per_run")
"""Options about raters, runs and clusters: a plan with one of them is for units that items share."""


def prior_of(
    dataset: str | None, file: Path | None, *, published: bool
) -> tuple[TwoStagePrior, tuple[str, ...]]:
    """Return the prior of a file, or a dataset's (fitted to ratings that come with nbyk, or published)."""
    from nbyk.data import load_source, source, source_names
    from nbyk.priors import Response, read_prior
    from nbyk.priors.published import published_names, published_prior

    if dataset is None:
        return read_prior(cast("Path", file)), ()
    embedded = [name for name in source_names() if source(name).embedded]
    known = published_names() if published else {*published_names(), *embedded}
    if dataset not in known:
        raise unknown_name("dataset", dataset, known)
    if published or dataset not in embedded:
        return published_prior(dataset), ()
    ratings = load_source(dataset)
    way_out = "--item-sd, --severity-sd and --rating-sd plan for new ones"
    cautions = _cautions({"gold": ratings.units()}, ratings.n_items, way_out)
    return fitted(dataset, ratings.matrix(), Response.on(source(dataset).scale)), cautions


def shared_source(
    pilot: Path | None,
    systems: tuple[Path, Path] | None,
    scale: str | None,
    columns: Columns,
    mending: Mending,
    sds: Mapping[str, float | None],
    asked: Mapping[str, Any],
    *,
    system_answers: str,
    pair_runs: str,
) -> tuple[Spread | Pilot, str]:
    """Return the variances of an effect, or a pilot that shows them, and their name.

    Parameters
    ----------
    pilot, systems, scale, columns, mending
        The files, the text of --scale, and how to read them.
    sds
        The standard deviations that are given; others are None.
    asked
        The arguments of `nbyk.plan`.
    system_answers
        How simulated systems answer the items of a pilot without systems.
    pair_runs
        "yes" if runs of one name are the same for both systems, else "no".
    """
    from nbyk.planning.pilot import Pilot, variances_of
    from nbyk.testing.shared_units.collection import Spread

    variances, metric = variances_of(sds), asked["metric"]
    if pair_runs not in ("yes", "no"):
        raise NbykError(f"found {pair_runs}, expected yes or no", argument="pair_runs")
    if systems is None and columns.cluster is not None:
        raise NbykError(
            f"found {columns.cluster}, but there are no systems whose effect may differ between clusters; "
            "give their answers (`pilot_systems`), or the standard deviation (`cluster_sd`)",
            argument="cluster",
        )
    if pilot is None and systems is None:
        if "items" not in variances:
            raise NbykError(
                "expected how much the effect varies between items: give a number, or a pilot with ids "
                "(`pilot`, alone or with `pilot_systems`)",
                argument="item_sd",
            )
        return Spread(**variances), "declared variances"
    if systems is None and asked["effect"] is None:
        raise NbykError(
            "expected by how much A is better, which ratings alone do not show: give a number",
            argument="effect",
        )
    read = read_pilot_of(pilot, systems, pilot_scale(scale), columns, mending)
    unit = read.unit**metric.unit_power
    if read.raters is None:
        about_runs = asked["runs"] is not None or sds["run_sd"] is not None or asked["solve"] == "runs"
        data = (cast("ResponseSet", read.pair),)
        known: dict[str, Any] = {"unit": unit, "declared": variances, "scale": pilot_scale(scale)}
        return Pilot(data, metric, about_runs, pair_runs == "yes", **known), read.items.name
    items = replace(read.items, system_answers=system_answers)
    pilot_of = Pilot.of_ratings(items, read.raters, metric, asked["effect"], unit, declared=variances)
    return pilot_of, items.name


def read_pilot_of(
    pilot: Path | None, systems: tuple[Path, Path] | None, scale: Scale, columns: Columns, mending: Mending
) -> ReadPilot:
    """Return a pilot with two real systems, or its ratings alone."""
    if systems is not None:
        return read_pair(pilot, systems, scale, columns, mending)
    return read_pilot(cast("Path", pilot), scale, columns, mending)


def fitted_to(items: PilotItems, file: Path) -> TwoStagePrior:
    """Return the prior fitted to the ratings of a pilot's file."""
    try:
        return fitted(items.name, cast("NDArray[np.float64]", items.ratings), items.response)
    except NbykError as error:
        raise error.about(file=file) from None


def _cautions(units: Mapping[str, Units], n_items: int, way_out: str) -> tuple[str, ...]:
    from nbyk.testing.unit_cautions import about_units

    return tuple(about_units(units, n_items, has_gold="gold" in units, claim="size", way_out=way_out))


def _with_people(pilot: Path | None, systems: Sequence[Path], units: Mapping[str, Units]) -> str:
    """Return the command that plans for new raters and runs, in a sentence."""
    shared = {name: of_name.n_shared for name, of_name in units.items() if of_name.n_shared}
    raters = shared.pop("gold", 0)
    if not systems:
        return f"`nbyk plan --pilot {pilot} --solve raters --effect E --power 0.8` plans for new ones"
    options = [
        *([f"--pilot {pilot}"] if pilot else []),
        f"--pilot-systems {' '.join(map(str, systems))}",
        *([f"--raters {raters}"] if raters else []),
        *([f"--runs {max(shared.values())}"] if shared and pilot else []),
    ]
    return f"`nbyk plan {' '.join(options)} --power 0.8` plans for new ones"


@dataclass(frozen=True)
class ReadPilot:
    """A pilot as it was read.

    Attributes
    ----------
    items
        Its items with their ratings, from 0 to 1, and the systems' answers if there are any.
    unit
        The size, on the pilot's own scale, of a difference of 1 in these.
    ends
        The ends of its own scale.
    warnings
        Reasons for caution about a plan, one sentence each.
    pair
        The systems' answers with the ids of raters and runs; None without systems.
    raters
        The raters of the items; None with systems.
    """

    items: PilotItems
    unit: float
    ends: tuple[float, float]
    warnings: tuple[str, ...]
    pair: ResponseSet | None = None
    raters: Units | None = None


def read_pilot(path: Path, scale: Scale, columns: Columns, mending: Mending) -> ReadPilot:
    """Return the ratings of a pilot."""
    from nbyk.resampling.pilot_items import PilotItems

    ratings, response, unit, ends = read_rated(path, scale, columns, mending)
    units = {"gold": ratings.units()}
    cautions = _cautions(units, ratings.n_items, _with_people(path, (), units))
    items = PilotItems(path.stem, ratings.matrix(), response)
    return ReadPilot(items, unit, ends, (*ratings.mended, *cautions), raters=units["gold"])


def read_rated(
    path: Path, scale: Scale, columns: Columns, mending: Mending
) -> tuple[Ratings, Response, float, tuple[float, float]]:
    """Return ratings from 0 to 1, the possible ones, and the unit and the ends of their own scale."""
    import numpy as np

    from nbyk.data import Levels
    from nbyk.data.kinds import numbers_on
    from nbyk.data.reading import read_as
    from nbyk.priors import Response

    ratings = read_as(numbers_on(scale), path, columns, "auto", mending)
    is_binary = np.isin(ratings.values, (0.0, 1.0)).all()
    whole = None if is_binary else _whole_steps(ratings.values, scale)
    if whole is not None:
        say(f"all ratings are whole numbers: raters choose among the {len(whole.levels)} levels of the scale")
        scale, ratings = whole, read_as(numbers_on(whole), path, columns, "auto", mending)
    raw, response, unit = scale.original(ratings.values), Response.on(scale), _unit(scale)
    levels = scale.levels if isinstance(scale, Levels) else ()
    if response.levels == 2 or (response.levels == 0 and np.isin(ratings.values, (0.0, 1.0)).all()):
        response = Response("binary")
        levels = tuple(scale.original(np.array([0.0, 0.5 if isinstance(scale, Levels) else 1.0])).tolist())
        unit = levels[1] - levels[0]
        ratings = replace(ratings, values=(ratings.values > 0.0).astype(np.float64))
    _check_pilot(path, replace(ratings, values=raw), levels)
    return ratings, response, unit, _ends(scale)


def read_pair(
    gold: Path | None,
    systems: tuple[Path, Path],
    scale: Scale,
    columns: Columns,
    mending: Mending,
) -> ReadPilot:
    """Return a pair of real systems that answered the items of a pilot, or whose answers people rated."""
    import numpy as np

    from nbyk.data import read_systems
    from nbyk.priors import Response
    from nbyk.resampling.pilot_items import PilotItems

    reading = partial(
        read_systems,
        [str(path) for path in systems],
        gold,
        item=columns.item,
        rater=columns.rater,
        value=columns.value,
        cluster=columns.cluster,
        on_duplicates=mending.on_duplicates,
        on_empty=mending.on_empty,
    )
    read = reading(scale=scale)
    matrices = [matrix for matrix in (read.gold, *read.responses.values()) if matrix is not None]
    same = _same_scale(np.concatenate([matrix[~np.isnan(matrix)] for matrix in matrices]), scale)
    if same != scale:
        scale, read = same, reading(scale=same)
    a, b = read.names
    pair = (read.responses[a], read.responses[b])
    units = dict(read.units) if read.gold_units is None else {"gold": read.gold_units, **read.units}
    name = systems[0].parent.name if gold is None else gold.stem
    items = PilotItems(name or "the pilot", read.gold, Response("clamped"), pair, (a, b))
    cautions = _cautions(units, read.n_items, _with_people(gold, systems, units))
    return ReadPilot(items, _unit(scale), _ends(scale), (*read.notes, *cautions), read.pair(a, b))


def _unit(scale: Scale) -> float:
    """Return the size, on a scale with equal steps, of a difference of 1 in normalised ratings."""
    unit = scale.unit
    assert unit is not None
    return unit


def _ends(scale: Scale) -> tuple[float, float]:
    from nbyk.data import Interval, Levels

    if isinstance(scale, Levels):
        return scale.levels[0], scale.levels[-1]
    return (scale.low, scale.high) if isinstance(scale, Interval) else (0.0, 1.0)


def _whole_steps(values: NDArray[np.float64], scale: Scale) -> Levels | None:
    """Return the levels that raters chose among, if a short scale was declared by its ends alone.

    A continuous prior fitted to whole numbers has too little variance within items. The sizes would then
    differ from those with the levels declared.
    """
    import numpy as np

    from nbyk.data import Interval, Levels

    if not isinstance(scale, Interval):
        return None
    steps = scale.high - scale.low
    if steps > _MOST_STEPS or not (float(scale.low).is_integer() and float(steps).is_integer()):
        return None
    ranks = values * steps
    if (np.abs(ranks - np.rint(ranks)) > _ROUNDING).any():
        return None
    return Levels(tuple(scale.low + step for step in range(int(steps) + 1)))


def _same_scale(values: NDArray[np.float64], scale: Scale) -> Scale:
    """Return the one of the ways to declare a scale that a pair is read with, so that each gives one plan."""
    from nbyk.data import Interval, Levels

    if isinstance(scale, Levels):
        return Interval(*scale.levels) if len(scale.levels) == 2 else scale
    whole = _whole_steps(values, scale)
    return scale if whole is None or len(whole.levels) == 2 else whole


def _check_pilot(path: Path, ratings: Ratings, levels: tuple[float, ...]) -> None:
    """Raise NbykError if ratings, on their own scale, do not show how items or raters of an item differ."""
    values = ratings.values
    way_out = "or plan with a DATASET or --prior of similar ratings"
    if (values == values[0]).all():
        raise NbykError(
            f"all {values.size} ratings are {values[0]:g}: nbyk cannot fit a prior; collect items "
            f"that raters see differently, {way_out}",
            file=path,
        )
    if ratings.counts().max() == 1:
        spread = f"standard deviation {values.std(ddof=1):.3g}"
        if levels:
            spread = ", ".join(f"{level:g}: {(values == level).mean():.1%}" for level in levels)
        raise NbykError(
            f"found one rating of each item, expected two or more of some items: single ratings do "
            "not show how much raters of the same item differ. They only show how ratings are distributed "
            f"(mean {values.mean():.3g}; {spread}). Collect a second rating of some items, {way_out}",
            file=path,
        )


def fitted(name: str, ratings: NDArray[np.float64], response: Response) -> TwoStagePrior:
    """Return the prior fitted to ratings (N, K), NaN where missing."""
    from nbyk.priors import fit_prior

    n_ratings = int((ratings == ratings).sum())
    say(f"fitting a prior to {n_ratings} ratings of {len(ratings)} items")
    return fit_prior(name, ratings, response).prior


def pilot_scale(text: str | None) -> Scale:
    """Return the scale that --scale declares, if its levels are equal steps."""
    from nbyk.data import Levels

    if text is None:
        raise NbykError(
            "expected the scale of the pilot's ratings: levels, as in 1,2,3,4,5, two ends, as in 0..100, or "
            "binary for yes or no",
            argument="scale",
        )
    scale = scale_named(text)
    if isinstance(scale, Levels) and scale.unit is None:
        steps = [upper - lower for lower, upper in pairwise(scale.levels)]
        raise NbykError(
            f"found {text}, with steps from {min(steps):g} to {max(steps):g}; a plan takes levels for equal "
            "steps: list those that nobody chose too, number the levels evenly, or give two ends",
            argument="scale",
        )
    return scale


def say(line: str) -> None:
    """Print a line of progress."""
    print(line, file=sys.stderr)


def now_and_then(seconds: float = 2.0) -> Callable[[str], None]:
    """Return a function that prints a line of progress unless it has printed one just before."""
    last = time.monotonic()

    def say_it(line: str) -> None:
        nonlocal last
        if time.monotonic() - last >= seconds:
            say(line)
            last = time.monotonic()

    return say_it
