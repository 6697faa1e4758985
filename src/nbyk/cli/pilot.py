"""A pilot of `nbyk plan`: its scale, its ratings, its systems, and a prior fitted to it."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from nbyk.errors import NbykError, unknown_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from nbyk.data import Interval, Levels, Ratings, ResponseSet
    from nbyk.priors import Response, TwoStagePrior
    from nbyk.resampling.pilot_items import PilotItems

_UNEVEN = 0.05
_MOST_STEPS = 10
"""Steps of the longest scale, from 0 to 10, whose whole numbers are taken for its levels."""
_ROUNDING = 1e-9


def prior_of(dataset: str, *, published: bool) -> tuple[TwoStagePrior, tuple[str, ...]]:
    """Return a dataset's prior, fitted to its ratings if they come with nbyk or published, and cautions."""
    from nbyk.data import load_source, source, source_names
    from nbyk.priors import Response
    from nbyk.priors.published import published_names, published_prior

    embedded = [name for name in source_names() if source(name).embedded]
    known = published_names() if published else {*published_names(), *embedded}
    if dataset not in known:
        raise unknown_name("dataset", dataset, known)
    if published or dataset not in embedded:
        return published_prior(dataset), ()
    ratings = load_source(dataset)
    return fitted(dataset, ratings.matrix(), Response.on(source(dataset).scale)), _cautions(ratings)


def _cautions(ratings: Ratings) -> tuple[str, ...]:
    from nbyk.testing.shared_units.cautions import about_units

    return tuple(about_units({"gold": ratings.units()}, ratings.n_items, claim="size"))


@dataclass(frozen=True)
class Pilot:
    """A pilot as it was read.

    Attributes
    ----------
    items
        Its items with their ratings, from 0 to 1, and the systems' answers if there are any.
    unit
        What 1 of these is on the pilot's own scale.
    warnings
        What to know before believing a plan, one sentence each.
    pair
        The systems' answers with the ids of raters and runs; None without systems.
    """

    items: PilotItems
    unit: float
    warnings: tuple[str, ...]
    pair: ResponseSet | None = None


def read_pilot(path: Path, scale: Levels | Interval) -> Pilot:
    """Return the ratings of a pilot."""
    import numpy as np

    from nbyk.data import Levels, read_ratings
    from nbyk.priors import Response
    from nbyk.resampling.pilot_items import PilotItems

    ratings = read_ratings(path, scale=scale)
    whole = _whole_steps(ratings, scale)
    if whole is not None:
        say(f"all ratings are whole numbers: raters choose among the {len(whole.levels)} levels of the scale")
        scale, ratings = whole, read_ratings(path, scale=whole)
    (ends, unit), response = _span(scale), Response.on(scale)
    if isinstance(scale, Levels):
        raw = np.array(scale.levels)[np.rint(ratings.values * response.levels).astype(np.intp)]
    else:
        raw = ends[0] + unit * ratings.values
    if response.levels == 2 or (response.levels == 0 and np.isin(ratings.values, (0.0, 1.0)).all()):
        response, unit = Response("binary"), ends[1] - ends[0]
        ratings = replace(ratings, values=(ratings.values > 0.0).astype(np.float64))
    levels = scale.levels if isinstance(scale, Levels) else ends if response.levels else ()
    _check_pilot(path, replace(ratings, values=raw), levels)
    return Pilot(PilotItems(path.stem, ratings.matrix(), response), unit, _cautions(ratings))


def read_pair(gold: Path | None, systems: tuple[Path, Path], scale: Levels | Interval) -> Pilot:
    """Return a pair of real systems that answered the items of a pilot, or whose answers people rated."""
    from nbyk.data import read_systems
    from nbyk.priors import Response
    from nbyk.resampling.pilot_items import PilotItems
    from nbyk.testing.shared_units.cautions import about_units

    read = read_systems([str(path) for path in systems], gold, scale=scale)
    a, b = read.names
    pair = (read.responses[a], read.responses[b])
    units = dict(read.units) if read.gold_units is None else {"gold": read.gold_units, **read.units}
    name = systems[0].parent.name if gold is None else gold.stem
    items = PilotItems(name or "the pilot", read.gold, Response("clamped"), pair, (a, b))
    cautions = tuple(about_units(units, read.n_items, claim="size"))
    return Pilot(items, _span(scale)[1], cautions, read.pair(a, b))


def _span(scale: Levels | Interval) -> tuple[tuple[float, float], float]:
    """Return the ends of a scale, and what 1 of normalised ratings is on it."""
    from nbyk.data import Levels

    if isinstance(scale, Levels):
        n_levels = len(scale.levels)
        ends = (scale.levels[0], scale.levels[-1])
        return ends, (ends[1] - ends[0]) * n_levels / (n_levels - 1)
    return (scale.low, scale.high), scale.high - scale.low


def _whole_steps(ratings: Ratings, scale: Levels | Interval) -> Levels | None:
    """Return the levels that raters chose among, if a short scale was declared by its ends alone.

    A continuous prior of whole numbers has too little variance within items, and the sizes would be those
    of other ratings than with the levels declared.
    """
    import numpy as np

    from nbyk.data import Interval, Levels

    if not isinstance(scale, Interval) or np.isin(ratings.values, (0.0, 1.0)).all():
        return None
    steps = scale.high - scale.low
    if steps > _MOST_STEPS or not (float(scale.low).is_integer() and float(steps).is_integer()):
        return None
    ranks = ratings.values * steps
    if (np.abs(ranks - np.rint(ranks)) > _ROUNDING).any():
        return None
    return Levels(tuple(scale.low + step for step in range(int(steps) + 1)))


def _check_pilot(path: Path, ratings: Ratings, levels: tuple[float, ...]) -> None:
    """Raise NbykError if ratings, on their own scale, cannot tell how items and the raters of one differ."""
    values = ratings.values
    way_out = "or plan with a DATASET or --prior of similar ratings"
    if (values == values[0]).all():
        raise NbykError(
            f"{path}: all {values.size} ratings are {values[0]:g}: there is nothing to fit; collect items "
            f"that raters see differently, {way_out}"
        )
    if ratings.counts().max() == 1:
        spread = f"standard deviation {values.std(ddof=1):.3g}"
        if levels:
            spread = ", ".join(f"{level:g}: {(values == level).mean():.1%}" for level in levels)
        raise NbykError(
            f"{path}: every item has a single rating, so sigma is not identified: how much raters of the "
            "same item differ cannot be told from how much items do. What these data do say is how single "
            f"ratings are distributed (mean {values.mean():.3g}; {spread}). Collect at least two ratings "
            f"for some items, {way_out}"
        )


def fitted(name: str, ratings: NDArray[np.float64], response: Response) -> TwoStagePrior:
    """Return the prior fitted to ratings (N, K), NaN where missing."""
    from nbyk.priors import fit_prior

    n_ratings = int((ratings == ratings).sum())
    say(f"fitting a prior to {n_ratings} ratings of {len(ratings)} items")
    return fit_prior(name, ratings, response).prior


def pilot_scale(low: float | None, high: float | None, levels: str | None) -> Levels | Interval:
    """Return the scale that --low and --high, or --levels, declare."""
    from nbyk.data import Interval

    if levels is not None and (low, high) != (None, None):
        raise NbykError("plan: found --levels and --low or --high; they are two kinds of scale: keep one")
    if levels is not None:
        return _levels(levels)
    if low is None or high is None:
        raise NbykError(
            "plan: a --pilot needs its scale: --low and --high for numbers between two ends (0 and 1 for "
            "yes or no), or --levels for a few ordered ones, as in --levels 1,2,3,4,5"
        )
    return Interval(low, high)


def _levels(text: str) -> Levels:
    from nbyk.data import Levels

    option = f"--levels {text}" if text.strip() else "--levels: is empty"
    try:
        numbers = [float(level) for level in text.split(",")]
    except ValueError:
        raise NbykError(f"{option}; expected numbers with commas between, as in 1,2,3,4,5") from None
    for number in numbers:
        if numbers.count(number) > 1:
            raise NbykError(f"{option}: {number:g} is given twice; list every level once, lowest first")
    try:
        scale = Levels(tuple(numbers))
    except NbykError as error:
        raise error.about(argument="levels") from None
    steps = [upper - lower for lower, upper in pairwise(scale.levels)]
    # Levels may be rounded, as in 0, 0.33, 0.67, 1.
    if max(steps) - min(steps) > _UNEVEN * max(steps):
        raise NbykError(
            f"{option}: found steps from {min(steps):g} to {max(steps):g}; levels are taken as equal steps: "
            "list those that nobody chose too, number the levels evenly, or give --low and --high"
        )
    return scale


def say(line: str) -> None:
    """Print a line of progress."""
    print(line, file=sys.stderr)
