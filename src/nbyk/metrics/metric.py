"""The metric: all that is known of it, its scores and its effects."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

import numpy as np

from nbyk.arrays import Floats
from nbyk.errors import NbykError, check_name

if TYPE_CHECKING:
    from nbyk.data.kinds import Kind as Responses
    from nbyk.data.scales import Scale


Direction: TypeAlias = Literal["higher", "lower"]
Smoothness: TypeAlias = Literal["linear", "smooth", "jumps"]
Change: TypeAlias = Literal["location", "scale", "monotone"]
Needs: TypeAlias = Literal["item_means", "responses", "classes", "distributions", "outputs"]
Data: TypeAlias = Literal["numbers", "classes", "distributions", "outputs"]
Kind: TypeAlias = Literal["score", "comparison"]
Implementation: TypeAlias = str | Callable[..., Any]


DATA: dict[Needs, tuple[Data, ...]] = {
    "item_means": ("numbers",),
    "responses": ("numbers",),
    "classes": ("classes",),
    "distributions": ("classes", "distributions"),
    "outputs": ("outputs",),
}
"""What a metric scores, by what it needs to see of it."""


def loaded(function: Implementation) -> Callable[..., Any]:
    """Return a function, imported if it is given as ``"module:function"``."""
    imported: Callable[..., Any] = function if callable(function) else resolve_name(function)
    return imported


@dataclass(frozen=True)
class Traits:
    """What is known of a metric. None where nobody said it; `nbyk.metrics.probe` then measures it.

    Attributes
    ----------
    smoothness
        How a score follows a rating: in proportion ("linear"), without steps ("smooth"), or in steps, as at a
        threshold, or by single items, as a maximum does ("jumps").
    unchanged_by
        The changes of one system's responses alone that change no score: a constant added to all of them
        ("location"), a positive factor ("scale"), any rising map, which includes both ("monotone").
    unit_power
        The power of the ratings' unit in a score: 2 for a mean squared error, 0 for a share.
    mean_over_items
        Whether a score is the mean over items of the scores of single items; an additive metric is one.
    follows_one_item
        Whether a single item can bring most of a small change, as in a maximum.
    score_range
        The least and the largest score, of a comparison the least and the largest effect, for ratings from 0
        to 1; of a metric without a unit, for any ratings. An end is infinite if it is unknown or depends on
        the number of items.
    """

    smoothness: Smoothness | None
    unchanged_by: tuple[Change, ...] | None = ()
    unit_power: int | None = 0
    mean_over_items: bool | None = False
    follows_one_item: bool | None = False
    score_range: tuple[float, float] | None = (-math.inf, math.inf)

    def __post_init__(self) -> None:
        if self.smoothness is not None:
            check_option("smoothness", self.smoothness, Smoothness)
        for change in self.unchanged_by or ():
            check_option("change in unchanged_by", change, Change)
        if self.score_range is not None and not self.score_range[0] < self.score_range[1]:
            raise NbykError(
                f"metric score_range: found {self.score_range}, expected the least score before the largest"
            )


def check_option(option: str, value: str, literal: Any) -> None:
    """Raise NbykError if a metric's option is not one of a literal type's values."""
    check_name(f"metric {option}", value, get_args(literal))


@dataclass(frozen=True)
class Parameter:
    """A number that a metric takes by name, as in ``accuracy(threshold=0.6)``.

    Attributes
    ----------
    name
        Its name in a spec.
    default
        Its value if the spec gives none; None if the spec must give one.
    whole
        Whether it must be a whole number.
    minimum, maximum
        The least and the greatest value accepted.
    example
        A sensible value, for messages and listings.
    """

    name: str
    default: float | None = None
    whole: bool = False
    minimum: float = float("-inf")
    maximum: float = float("inf")
    example: float = 0.5

    @property
    def expected(self) -> str:
        """The condition on a value, in words."""
        number = "a whole number" if self.whole else "a finite number"
        if self.minimum > float("-inf"):
            number += f" from {self.minimum:g} to {self.maximum:g}"
        return number


@dataclass(frozen=True)
class FromCounts:
    """How an additive metric follows from counts of responses (`nbyk.metrics.counts`).

    `kernel` names a compiled function of (gold, a, b, k, starts, out), and `unit` the size of one unit of its
    numbers: a step of an item's mean, its square, an item, or a bin.
    """

    kernel: str
    unit: Literal["response", "square", "item", "bin"]


@dataclass(frozen=True)
class FromMean:
    """A metric that is a function, with a derivative, of arrays of the scores of another, additive one."""

    metric: str
    value: Implementation
    slope: Implementation


UNSAID = Traits(None, None, None, None, None, None)


@dataclass(frozen=True)
class Metric:
    """A named way to score systems against gold, or to compare two of them. Get one with `nbyk.metrics.get`.

    Attributes
    ----------
    name
        Canonical name. Parameters are included if they are required or differ from their default.
    direction
        "higher" or "lower": which scores are better. A comparison is "higher".
    needs
        "item_means": it sees arrays of shape (..., N); "responses": of shape (..., N, K), left-packed with
        NaN behind the last response of a row; "classes" or "distributions": of systems, such arrays of the
        places of classes or distributions in a table, and of gold the shares of classes, (..., N, C);
        "outputs": of systems, the places of the items' statistics in a table, (..., N, 1), without gold.
    kind
        "score": each system is scored by itself; "comparison": two systems are compared directly.
    needs_gold
        Whether it uses gold. References of outputs are in their statistics.
    summary, source
        One line for listings, and a citation or "".
    implementation
        ``"module:function"`` of a compiled function that fills a whole batch, or a user's function, called
        once per replicate. Of outputs, a function of sums of statistics, shape (..., F), that returns scores,
        shape (...).
    parameters
        What the function takes after its arrays.
    arguments
        Parameter names and values, in the function's order; none yet on a row of the registry.
    additive
        Whether an effect is the mean over items of the effects on single items.
    of
        The metric that a constructed metric is made of: `mse` for `wins(mse)`.
    traits
        What is said about its smoothness, invariances, unit and range; the properties of these names say what
        is known, said or measured.
    table : ndarray, shape (U, C), or None
        The distributions that responses stand for, the statistics of items, or the values that all responses
        are among, once it is bound to data.
    label
        The class that it is about; "" for a metric of all classes.
    form
        How the engine scores swapped and drawn items fast: a function of (metric, rows) that returns a
        `nbyk.testing.engine.forms.Form`, or None where it does not fit. Without one, additive metrics are
        sums, and others are scored on the rows of every draw.
    counts
        How its effects follow from counts of responses, if they do.
    from_mean
        The additive metric of whose scores it is a function, if it is.
    wins
        The metric that counts who wins each item by it, if that has compiled code of its own.
    statistics
        Of a metric of outputs: the function of a system's N outputs and the references (None if there are
        none) that returns the statistics of the items, shape (N, F).
    takes_trials
        Whether the responses to an item are its own trials, of which it takes k: those of one number on two
        items have nothing in common.
    noun
        What a system has more or less of: "error". "" for its name.
    takes_order
        Whether it goes by the order of the classes.

    Raises
    ------
    NbykError
        If its direction, needs or kind is none of these, or it has statistics and no outputs, or the reverse.
    """

    name: str
    implementation: Implementation
    direction: Direction
    summary: str
    needs: Needs = "item_means"
    kind: Kind = "score"
    needs_gold: bool = True
    source: str = ""
    parameters: tuple[Parameter, ...] = ()
    arguments: tuple[tuple[str, float], ...] = ()
    additive: bool = False
    of: Metric | None = None
    traits: Traits = UNSAID
    table: Floats | None = field(default=None, compare=False, repr=False)
    label: str = ""
    form: Implementation | None = None
    counts: FromCounts | None = None
    from_mean: FromMean | None = None
    wins: str = ""
    statistics: Implementation | None = None
    takes_trials: bool = False
    noun: str = ""
    takes_order: bool = False

    def __post_init__(self) -> None:
        check_option("direction", self.direction, Direction)
        check_option("needs", self.needs, Needs)
        check_option("kind", self.kind, Kind)
        if (self.statistics is None) == (self.needs == "outputs"):
            raise NbykError(
                f"metric {self.name!r} needs {self.needs}; one that needs outputs has statistics, "
                "a function of outputs and references, and no other has"
            )

    @property
    def sign(self) -> float:
        """1 if higher is better, −1 if lower is: an effect is a difference of scores times this."""
        return 1.0 if self.direction == "higher" else -1.0

    @property
    def kinds(self) -> tuple[Data, ...]:
        """What it scores: "numbers", "classes", "distributions", "outputs"."""
        return DATA[self.needs]

    def check_kind(self, kind: Data | Responses) -> None:
        """Raise NbykError if it does not score such data."""
        if kind not in self.kinds:
            raise NbykError(
                f"metric {self.name!r} scores {' or '.join(self.kinds)}, and these are {kind}",
                argument="metric",
            )

    def bound(self, names: Sequence[str], table: Floats) -> Metric:
        """Return the metric of responses that are rows of a table of distributions over named classes."""
        if self.of is not None:
            return replace(self, table=table, of=self.of.bound(names, table))
        if not self.label:
            return replace(self, table=table)
        if self.label not in names:
            raise NbykError(
                f"found {self.name!r}, but no such class; the classes are {', '.join(names)}",
                argument="metric",
            )
        arguments = dict(self.arguments) | {"label": float(names.index(self.label))}
        return replace(self, table=table, arguments=tuple(arguments.items()))

    @property
    def base_name(self) -> str:
        """The name without parameters."""
        return self.name.partition("(")[0]

    @property
    def is_mean_over_items(self) -> bool:
        """Whether a score is the mean over items of the scores of single items."""
        return self.additive or bool(self._trait("mean_over_items"))

    @property
    def smoothness(self) -> Smoothness:
        """How a score follows a rating: in proportion, smoothly, or in jumps (`Traits`)."""
        return cast(Smoothness, self._trait("smoothness"))

    @property
    def unchanged_by(self) -> tuple[Change, ...]:
        """The changes of one system's responses alone that change no score (`Traits`)."""
        return tuple(self._trait("unchanged_by"))

    @property
    def unit_power(self) -> int:
        """The power of the ratings' unit in a score; 0 without a unit."""
        return int(self._trait("unit_power"))

    @property
    def follows_one_item(self) -> bool:
        """Whether a single item can bring most of a small change (`Traits`)."""
        return bool(self._trait("follows_one_item"))

    @property
    def score_range(self) -> tuple[float, float] | None:
        """The least and the largest score for ratings from 0 to 1, or None if both are unknown (`Traits`)."""
        low, high = self._trait("score_range")
        return None if math.isinf(low) and math.isinf(high) else (low, high)

    @property
    def effect_range(self) -> tuple[float, float] | None:
        """The least and the largest effect for ratings from 0 to 1; None if unknown."""
        if self.score_range is None:
            return None
        low, high = self.score_range
        most = high - low if self.kind == "score" else max(-low, high)
        return -most, most

    def effect_unit(self, scale: Scale) -> float:
        """Return the factor that turns an effect on [0, 1] into the unit of the ratings.

        It is 1 for a metric without a unit, and on a scale without one, such as a scale of uneven levels.
        """
        return float((scale.unit or 1.0) ** self.unit_power)

    def score_in_ratings(self, score: float, scale: Scale) -> float:
        """Return a score in the unit of the ratings; one that follows their level, as a mean, moves too."""
        follows_level = not self.needs_gold and self.unit_power == 1 and "location" not in self.unchanged_by
        least = scale.original(np.zeros(1))[0] if follows_level and scale.unit is not None else 0.0
        return float(least + self.effect_unit(scale) * score)

    @property
    def fewest_responses(self) -> int:
        """The fewest responses of a system to an item that it can score: k, if it takes k trials."""
        return int(dict(self.arguments)["k"]) if self.takes_trials else 1

    @property
    def threshold(self) -> float | None:
        """The least item mean, on [0, 1], that it calls positive; None if it has none."""
        return dict(self.arguments).get("threshold")

    @property
    def cuts_systems(self) -> bool:
        """Whether a threshold cuts the systems' means too: not if their order alone matters, as in AUC."""
        return self.threshold is not None and "monotone" not in self.unchanged_by

    def threshold_in_ratings(self, scale: Scale) -> float | None:
        """Return `threshold` in the unit of the ratings; None if that is the same or the scale has no unit.

        A mean of ratings that is at least this large is positive.
        """
        from nbyk.data.scales import Binary

        if self.threshold is None or scale.unit is None or isinstance(scale, Binary):
            return None
        least, _ = scale.ends
        cut = least + (self.threshold - float(scale.normalise([least])[0])) * scale.unit
        return None if cut == self.threshold else cut

    def _trait(self, name: str) -> Any:
        """Return a trait as it is said, or measured if nobody said it."""
        from nbyk.metrics.probe import measured_traits

        said = getattr(self.traits, name)
        return getattr(measured_traits(self), name) if said is None else said

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The function itself, imported on first use."""
        return loaded(self.implementation)

    @cached_property
    def values(self) -> tuple[float, ...]:
        """Parameter values in the function's order."""
        return tuple(value for _, value in self.arguments)

    def scores(self, systems: Floats, gold: Floats | None = None) -> Floats:
        """Return every system's score in every replicate.

        The systems' item means or responses, as `needs` says, have shape (S, R, N) or (S, R, N, K), and those
        of gold (R, N) or (R, N, K_gold); it may be left out if `needs_gold` is false. Scores have shape
        (S, R) and the metric's own scale. Shapes are checked, but values are not: with NaN among item means,
        scores and effects are undefined. `NbykError` is raised for a comparison, which gives no scores, and
        where a user's function fails.
        """
        if self.kind == "comparison":
            raise NbykError(f"metric {self.name!r} compares two systems and scores neither; use its effects")
        out = np.empty(systems.shape[:2])
        self.fill(systems, gold, out)
        return out

    def effects(self, systems: Floats, gold: Floats | None = None) -> Floats:
        """Return the effect in every replicate: by how much the first system is better than the second.

        The parameters and errors are those of `scores`; systems beyond A and B are ignored. The effects,
        shape (R,), are positive where A is better: A's score minus B's, or B's minus A's if lower is better.
        """
        if self.kind == "comparison":
            out = np.empty(systems.shape[1])
            self.fill(systems, gold, out)
            return self.sign * out
        if len(systems) < 2:
            raise NbykError(f"metric {self.name!r}: an effect needs two systems, found {len(systems)}")
        score_a, score_b = self.scores(systems[:2], gold)
        # Two perfect systems under 1/MSE give inf − inf. The result is NaN, as documented, without a warning.
        with np.errstate(invalid="ignore"):
            effect: Floats = self.sign * (score_a - score_b)
        return effect

    def fill(self, systems: Floats, gold: Floats | None, out: Floats) -> None:
        """Fill `out` with scores as of `scores`, shape (S, R), or with a comparison's numbers, (R,)."""
        if self.statistics is not None:
            out[:] = self.score_sums(self.rows_of(systems).sum(axis=-2))
            return
        if gold is None:
            self.check_gold(False)
            gold = np.empty((*systems.shape[1:3], 0)[: systems.ndim - 1])
        self._check_shapes(systems, gold, 2 if self.kind == "comparison" else 1)
        if self.of is not None:
            self.function(self.of, systems, gold, out, *self.values)
        elif callable(self.implementation):
            self._fill_one_by_one(systems, gold, out)
        elif self.table is not None:
            places = map(int, self.values)
            self.function(_compiled_layout(systems), _compiled_layout(gold), out, self.table, *places)
        else:
            self.function(_compiled_layout(systems), _compiled_layout(gold), out, *self.values)

    def item_scores(self, systems: Floats, gold: Floats | None) -> Floats:
        """Return the score of every item as a test set of its own, (S, N), or a comparison's numbers, (1, N).

        Systems have shape (S, N) or (S, N, K), as `needs` says, and gold that of one system.
        """
        n_systems, n = systems.shape[:2]
        out = np.empty((1 if self.kind == "comparison" else n_systems, n))
        alone = np.ascontiguousarray(systems.reshape(n_systems, n, 1, *systems.shape[2:]))
        gold = None if gold is None else np.ascontiguousarray(gold.reshape(n, 1, *gold.shape[1:]))
        self.fill(alone, gold, out[0] if self.kind == "comparison" else out)
        return out

    def item_statistics(self, outputs: Any, references: Any = None) -> Floats:
        """Return the statistics of a system's outputs, shape (N, F), of a metric of outputs."""
        assert self.statistics is not None, "only metrics of outputs have statistics"
        statistics = np.asarray(loaded(self.statistics)(outputs, references), dtype=np.float64)
        if statistics.ndim != 2:
            raise NbykError(f"statistics of {self.name!r}: found shape {statistics.shape}, expected (N, F)")
        if not np.isfinite(statistics).all():
            raise NbykError(f"statistics of {self.name!r}: some are NaN or infinite, expected finite numbers")
        return statistics

    def rows_of(self, systems: Floats) -> Floats:
        """Return the statistics of items, shape (..., N, F), of their places in the table, (..., N, 1)."""
        assert self.table is not None, "the metric is bound to no table"
        return self.table[systems[..., 0].astype(np.int64)]

    def score_sums(self, sums: Floats) -> Floats:
        """Return the scores, shape (...), of sums of statistics, (..., F); not finite where undefined."""
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = np.asarray(self.function(sums, *self.values), dtype=np.float64)
        if scores.shape != sums.shape[:-1]:
            raise NbykError(
                f"metric {self.name!r}: its score of sums of shape {sums.shape} has shape {scores.shape}, "
                f"expected {sums.shape[:-1]}: it must keep all axes but the last"
            )
        return scores

    def check_gold(self, has_gold: bool) -> None:
        """Raise NbykError if the metric uses gold and there is none."""
        if self.needs_gold and not has_gold:
            raise NbykError(
                f"metric {self.name!r} needs gold, and there is none; give `gold`, or, for ratings, a "
                "metric of the systems' own, such as mean"
            )

    def check_trials(self, name: str, trials: Floats) -> None:
        """Raise NbykError if an item of a system, a row of `trials`, has fewer trials than it takes."""
        fewest = int((~np.isnan(trials)).sum(axis=1).min())
        if fewest < self.fewest_responses and self.takes_trials:
            raise NbykError(
                f"metric {self.name} takes that many trials of each item, and {name} has an item with "
                f"{fewest}; choose k up to {fewest}, or give more trials",
                argument="metric",
            )

    def _check_shapes(self, systems: Floats, gold: Floats, least: int) -> None:
        # Compiled code would silently read past the end of an array that is too short.
        fits = systems.ndim == (3 if self.needs == "item_means" else 4) and gold.ndim == systems.ndim - 1
        if not (
            fits and systems.shape[1:3] == gold.shape[:2] and len(systems) >= least and systems.shape[2] > 0
        ):
            axes = "(S, R, N)" if self.needs == "item_means" else "(S, R, N, K)"
            raise NbykError(
                f"metric {self.name!r} needs systems of shape {axes}, S at least {least}, and gold of the "
                f"same R and N; found shapes {systems.shape} and {gold.shape}"
            )

    def _fill_one_by_one(self, systems: Floats, gold: Floats, out: Floats) -> None:
        # Every metric sees the same draws, so a user's function that sorts in place must not change them.
        systems, gold = systems.view(), gold.view()
        systems.flags.writeable = gold.flags.writeable = False
        for r in range(systems.shape[1]):
            reference = (gold[r],) if self.needs_gold else ()
            if self.kind == "comparison":
                out[r] = self._call(systems[0, r], systems[1, r], *reference)
            else:
                for s in range(len(systems)):
                    out[s, r] = self._call(systems[s, r], *reference)

    def _call(self, *arrays: Floats) -> float:
        try:
            value = self.function(*arrays, *self.values)
        except Exception as error:
            raise NbykError(f"metric {self.name!r} failed with {type(error).__name__}: {error}") from error
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        if not isinstance(value, numbers.Real):
            returned = f"an array of shape {value.shape}" if isinstance(value, np.ndarray) else repr(value)
            raise NbykError(f"metric {self.name!r} must return one number, but returned {returned}")
        return float(value)


def _compiled_layout(array: Floats) -> Floats:
    """Return the array as C-contiguous, writable doubles, so that one compiled version serves all."""
    if array.flags.carray and array.dtype == np.float64:
        return array
    return np.require(array, np.float64, ("C", "W"))
