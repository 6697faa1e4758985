"""A pilot of `nbyk plan`: its scale, its ratings, its systems, and a prior fitted to it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from nbyk.errors import NbykError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from nbyk.data import Levels, Ratings, ResponseSet, Scale, Systems
    from nbyk.data.columns import Columns
    from nbyk.data.layouts import Mending
    from nbyk.data.units import Units
    from nbyk.priors import Response
    from nbyk.resampling.pilot_items import PilotItems

_MOST_STEPS = 10
"""Steps of the longest scale, 0 to 10, whose whole numbers count as its levels."""
_ROUNDING = 1e-9


def holds_two_systems(pilot: Path, rater: str | None) -> bool:
    """Return whether a file is one table of two systems, with a column that names them."""
    from nbyk.data.columns import known_column
    from nbyk.data.reading import table_of

    try:
        table = table_of(str(pilot))
    except (NbykError, OSError):
        return False  # reading it says why
    column = known_column(table, "system")
    return column not in (None, rater) and len({*table.column(column, "")}) == 2


@dataclass(frozen=True)
class PilotFiles:
    """The files of a pilot, and how to read them.

    `gold` has people's ratings of the items, None if there are only ratings of the systems' answers;
    `systems` the answers, one file each or one table of both, None without. `again` are the words of a
    command for new raters or runs; `by_gold` says whether ratings alone show how raters differ, and `lower`
    whether the chosen metric takes lower answers for better. In place of files, `dataset` names published
    ratings.
    """

    gold: Path | None
    systems: tuple[Path, ...] | None
    columns: Columns
    mending: Mending
    again: tuple[str, ...] = ()
    by_gold: bool = True
    dataset: str | None = None
    on_missing: str = "refuse"
    lower: bool | None = None

    def answers(self, **how: Any) -> Systems:
        """Return the systems, and gold if there is any; `how` are further arguments of `read_systems`."""
        from nbyk.data import read_systems

        paths = [str(path) for path in self.systems or ()]
        how |= {"lower_is_better": self.lower, "on_missing": self.on_missing}
        how |= {**asdict(self.columns), **asdict(self.mending)}
        return read_systems(paths, self.gold, **how)

    def for_new_ones(self, solve: str) -> str:
        """Return the command that plans for new raters or runs, in a sentence."""
        return f"`{shlex.join(['nbyk', 'plan', *self.again, '--solve', solve])}` plans for new ones"

    def read(self, scale: Scale | None, *, trials: bool = False) -> ReadPilot:
        """Return two real systems, or the ratings alone; `trials` of an item are no runs that items share.

        Files need a scale.
        """
        if self.dataset is not None:
            from nbyk.data import load_source, source
            from nbyk.priors import Response

            ratings, response = load_source(self.dataset), Response.on(source(self.dataset).scale)
            way_out = "--item-sd, --severity-sd and --rating-sd plan for new ones"
            return _of_ratings(self.dataset, ratings, response, scale, way_out)
        if scale is None:
            scale = pilot_scale(None)
        if self.systems is not None:
            return _read_pair(self, self.systems, scale, trials=trials)
        assert self.gold is not None
        ratings, response, scale = read_rated(self.gold, scale, self.columns, self.mending)
        way_out = "People's ratings of both systems' answers (`pilot_systems`) plan for new ones"
        way_out = self.for_new_ones("raters") if self.by_gold else way_out
        return _of_ratings(self.gold.stem, ratings, response, scale, way_out)


def unit_cautions_of(units: Mapping[str, Units], way_out: str) -> tuple[str, ...]:
    """Return the cautions about a plan from items that share raters or runs."""
    from nbyk.testing.unit_cautions import about_units

    return tuple(about_units(units, has_gold="gold" in units, claim="size", way_out=way_out))


class ReadPilot(NamedTuple):
    """A pilot: its items with ratings from 0 to 1, its own scale, and the systems or the raters.

    `notes` say what was read and dropped, `sharing` that a plan for these raters and runs is for no others.
    """

    items: PilotItems
    scale: Scale | None
    notes: tuple[str, ...]
    sharing: tuple[str, ...]
    pair: ResponseSet | None = None
    raters: Units | None = None


def _of_ratings(
    name: str, ratings: Ratings, response: Response, scale: Scale | None, way_out: str
) -> ReadPilot:
    from nbyk.resampling.pilot_items import PilotItems

    units = ratings.units()
    cautions = unit_cautions_of({"gold": units}, way_out)
    items = PilotItems(name, ratings.matrix(), response)
    return ReadPilot(items, scale, ratings.mended, cautions, raters=units)


def read_rated(
    path: Path, scale: Scale, columns: Columns, mending: Mending
) -> tuple[Ratings, Response, Scale]:
    """Return ratings from 0 to 1, the possible ones, and their own scale; yes and no are its two ends."""
    import numpy as np

    from nbyk.data import Interval, Levels
    from nbyk.data.kinds import NumberKind
    from nbyk.data.reading import read_alone
    from nbyk.priors import Response

    ratings = read_alone(NumberKind(scale), path, columns, mending).in_order()
    is_binary = np.isin(ratings.values, (0.0, 1.0)).all()
    whole = None if is_binary else _whole_steps(ratings.values, scale)
    if whole is not None:
        values = whole.normalise(np.rint(scale.original(ratings.values)))
        scale, ratings = whole, replace(ratings, values=values)
    raw, response = scale.original(ratings.values), Response.on(scale)
    levels = scale.levels if isinstance(scale, Levels) else ()
    if response.seen_in(ratings.values).levels == 2:
        response = Response("binary")
        levels = tuple(scale.original(np.array([0.0, 0.5 if isinstance(scale, Levels) else 1.0])).tolist())
        scale = Interval(*levels)
        ratings = replace(ratings, values=(ratings.values > 0.0).astype(np.float64))
    _check_pilot(path, replace(ratings, values=raw), levels)
    return ratings, response, scale


def _read_pair(files: PilotFiles, systems: tuple[Path, ...], scale: Scale, *, trials: bool) -> ReadPilot:
    """Return a pair of real systems that answered the items of a pilot, or whose answers people rated."""
    import numpy as np

    from nbyk.priors import Response
    from nbyk.resampling.pilot_items import PilotItems
    from nbyk.testing.unit_cautions import kind_of

    gold, read = files.gold, files.answers(scale=scale)
    matrices = [matrix for matrix in (read.gold, *read.responses.values()) if matrix is not None]
    same = _same_scale(np.concatenate([matrix[~np.isnan(matrix)] for matrix in matrices]), scale)
    if same != scale:
        scale, read = same, files.answers(scale=same)
    a, b = read.names
    pair = (read.responses[a], read.responses[b])
    units = read.all_units
    name = gold.stem if gold is not None else systems[0].parent.name if len(systems) > 1 else systems[0].stem
    items = PilotItems(name or "the pilot", read.gold, Response("clamped"), pair, (a, b))
    has_gold = read.gold_units is not None
    shared = (has_gold and units["gold"].n_shared) or kind_of(
        list(units.values()), has_gold=has_gold
    ) == "rater"
    way_out = files.for_new_ones("raters" if shared else "runs")
    cautions = () if trials else unit_cautions_of(units, way_out)
    return ReadPilot(items, scale, read.notes, cautions, read.pair(a, b))


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
    if (np.abs(ranks - np.rint(ranks)) > _ROUNDING).any() or (ranks > steps).any():
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


def pilot_scale(text: str | None) -> Scale:
    """Return the scale that --scale declares, if its levels are equal steps."""
    from nbyk.data import Levels, scale_from_text

    if text is None:
        raise NbykError(
            "expected the scale of the ratings: levels, as in 1,2,3,4,5, two ends, as in 0..100, or "
            "binary for yes or no; if its columns count labels, name them with `classes`",
            argument="scale",
        )
    scale = scale_from_text(text)
    if isinstance(scale, Levels) and scale.unit is None:
        steps = [upper - lower for lower, upper in pairwise(scale.levels)]
        raise NbykError(
            f"found {text}, with steps from {min(steps):g} to {max(steps):g}; a plan takes levels for equal "
            "steps: list those that nobody chose too, number the levels evenly, or give two ends",
            argument="scale",
        )
    return scale
