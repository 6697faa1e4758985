"""A suite: items in tasks, and a score that is a weighted mean of the tasks' scores.

With weights w_t that add up to 1 and the items' effects d of task t, n_t of them with variance s²_t, the
effect is Σ w_t d̄_t. Over new items of these tasks, which are strata, its variance is Σ w²_t s²_t / n_t, with
Satterthwaite's degrees of freedom (lm-evaluation-harness computes the same standard error of a macro mean).
Over new tasks, it is that of a weighted mean of T effects, as over clusters: new items of a task are in it
already; it is at least that over new items. The metric must be a mean over items; raters and
runs stay as they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtri

from nbyk.arrays import Floats, Integers
from nbyk.errors import NbykError
from nbyk.sums import product
from nbyk.testing.corrections import correct_p_values, level_of_each
from nbyk.testing.family import choose_pairs
from nbyk.testing.intervals import signs_interval
from nbyk.testing.pvalues import p_of_signs, tie_tolerance
from nbyk.testing.results import EQUAL_SCORES, NONE, Board, Claim, Doubt, Interval
from nbyk.testing.shared_units import SharedUnitsTest
from nbyk.testing.shared_units.components import Component, weighted_component
from nbyk.testing.shared_units.generalise import FEWEST_GROUPS_AT_WORK
from nbyk.testing.shared_units.statistic import items_at_work
from nbyk.testing.systems.asked import Asked
from nbyk.testing.systems.by_formula import (
    CONSTANT,
    board_by_formula,
    claim_over,
    claims_over,
    formula_test,
    without_p,
)
from nbyk.testing.systems.claims import is_within_one
from nbyk.testing.systems.items_alone import (
    about_unseen,
    p_by_t,
    scores_of_items,
    spread_of,
    unseen_share,
)
from nbyk.testing.systems.one_system import from_0_to_1
from nbyk.testing.systems.panel import Panel, of_new, panel_of, units_kept
from nbyk.testing.systems.scored import ScoredSystems
from nbyk.testing.unit_cautions import about_units
from nbyk.words import in_full

if TYPE_CHECKING:
    import pandas as pd


Weights = str | Mapping[str, float]
"""The tasks' weights: "macro", all alike; "micro", by their numbers of items; or by their names."""

_NONE_SHOWN = 0.025
"""The chance with which tasks whose items all have one value show none of the shares that they may hide."""

_REACH = float(ndtri(1.0 - _NONE_SHOWN))
"""The reach of so much of a normal law: what may be hidden counts as this many standard errors."""


def _names(tasks: Sequence[Any]) -> list[str]:
    """Return tasks as text; NumPy's numbers are Python's, as those of clusters are."""
    return [str(task) for task in np.asarray(tasks, dtype=object).tolist()]


@dataclass(frozen=True)
class Suite:
    """The tasks of N items.

    Attributes
    ----------
    names
        The T tasks' names.
    of_items : ndarray of int, shape (N,)
        The task of each item.
    weights : ndarray, shape (T,)
        They add up to 1.
    given
        The tasks of the items as they were given: in the order of the first data, or with ids of items.
    """

    names: tuple[str, ...]
    of_items: Integers
    weights: Floats
    given: Any = field(repr=False)

    @classmethod
    def of(cls, tasks: Sequence[str], weights: Weights = "macro") -> Suite:
        """Return the suite of items with the names of their tasks; weights that do not fit are an error."""
        unique, of_items = np.unique(_names(tasks), return_inverse=True)
        names, sizes = tuple(map(str, unique)), np.bincount(of_items).astype(np.float64)
        if len(names) < 2:
            raise NbykError(f"found one task, {names[0]}, expected two or more; leave the suite out")
        if isinstance(weights, str):
            if weights not in ("macro", "micro"):
                expected = "macro, micro or task=weight,…"
                raise NbykError(f"found {weights!r}, expected {expected}", argument="weights")
            chosen: Floats = np.ones(len(names)) if weights == "macro" else sizes
        else:
            weights = {str(name): weight for name, weight in weights.items()}
            missing = [name for name in names if name not in weights]
            unknown = [name for name in weights if name not in names]
            if missing or unknown:
                what = f"no weight for task {missing[0]!r}" if missing else f"no task {unknown[0]!r}"
                raise NbykError(f"found {what}; give each task a weight", argument="weights")
            chosen = np.array([weights[name] for name in names], dtype=np.float64)
            if not ((chosen >= 0.0).all() and 0.0 < chosen.sum() < math.inf):
                raise NbykError("found a weight below 0, or none above it", argument="weights")
        return cls(names, of_items, chosen / chosen.sum(), tasks)

    def in_order(self, tasks: Sequence[Any]) -> Suite:
        """Return the suite of the same items in the order in which these are their tasks."""
        places = {name: place for place, name in enumerate(self.names)}
        return replace(self, of_items=np.array([places[name] for name in _names(tasks)]))

    @property
    def sizes(self) -> Floats:
        """The tasks' numbers of items, shape (T,)."""
        return np.bincount(self.of_items).astype(np.float64)

    @property
    def n_weighed(self) -> int:
        """The number of tasks that have a weight."""
        return int(np.count_nonzero(self.weights))

    @property
    def of_score(self) -> str:
        """What a score over the tasks is called beside that over all items: "macro ", "weighted " or ""."""
        if np.allclose(self.weights, self.sizes / self.sizes.sum()):
            return ""
        return "macro " if np.ptp(self.weights) == 0.0 else "weighted "

    def means(self, values: Floats) -> Floats:
        """Return the tasks' means of items' values, shape (T,)."""
        sums = np.bincount(self.of_items, weights=values).astype(np.float64)
        return np.asarray(sums / self.sizes)

    def over_items(self, values: Floats, largest: float = 0.0) -> SharedUnitsTest:
        """Return the weighted mean of items' values, with its variance over new items of these tasks.

        Tasks whose items all have one value may hide others, which are up to `largest` apart (`_hidden`).
        """
        means, sizes = self.means(values), self.sizes
        squares = np.bincount(self.of_items, weights=(values - means[self.of_items]) ** 2)
        parts = self.weights**2 * squares / np.maximum(sizes - 1.0, 1.0) / sizes
        total, known = float(parts.sum()), float(np.sum(parts**2 / np.maximum(sizes - 1.0, 1.0)))
        df = total**2 / known if known > 0.0 else 1.0
        alike = (squares <= tie_tolerance(values) ** 2) & (self.weights > 0.0)
        if total > 0.0 and alike.any():
            total += (largest * _hidden(self.weights[alike], sizes[alike]) / _REACH) ** 2
        return formula_test(float(product(self.weights, means)), Component(values.size, total, 0.0, df, 1.0))

    def at_work(self, values: Floats) -> float:
        """Return the approximate number of items that determine the variance over new items."""
        moves = (self.weights / self.sizes)[self.of_items] * (values - self.means(values)[self.of_items])
        return items_at_work(moves)

    def about_unseen(self, effect: float, largest: float) -> tuple[Doubt, ...]:
        """Return the doubt about items of the task that could hide the most of them, if they could matter."""
        shares = unseen_share(self.sizes)
        task = int(np.argmax(self.weights * shares))
        seen, weight = f"the {self.sizes[task]:.0f} of {self.names[task]}", float(self.weights[task])
        return about_unseen(effect, float(shares[task]), largest, "items", seen, weight=weight)

    def over_tasks(self, values: Floats) -> SharedUnitsTest:
        """Return the weighted mean of items' values, with its variance over new tasks."""
        test, has_weight = self.over_items(values), self.weights > 0.0
        moves = self.means(values)[has_weight] - test.effect
        tasks = weighted_component(self.weights[has_weight], moves, self.n_weighed, math.nan)
        # tasks that differ less than their items say so by chance
        within = test.items.total
        tasks = replace(tasks, total=max(tasks.total, within), within=within)
        return formula_test(test.effect, test.items, tasks)


def board_of_suite(scored: ScoredSystems, suite: Suite, asked: Asked, *, bar: float | None = None) -> Board:
    """Return the systems' scores on a suite, and the claims about their pairs, or about each and a bar.

    If it generalises over tasks, the first claim is over new tasks like these; else it is over new items of
    these tasks. The bar and all results are in the unit of the ratings.
    """
    metric, new_tasks = scored.metric, _are_tasks_new(asked.generalise)
    if not metric.is_mean_over_items or metric.kind == "comparison":
        raise NbykError(
            f"metric {metric.name} gives single items no score, so that tasks have no mean; choose a mean "
            "over items, such as accuracy or mae",
            argument="metric",
        )
    if len(suite.of_items) != scored.rows.n_items:
        raise NbykError(
            f"found the tasks of {len(suite.of_items)} items, expected those of {scored.rows.n_items}",
            argument="suite",
        )
    counted = zip(suite.names, suite.sizes, suite.weights, strict=True)
    alone = [name for name, size, weight in counted if size < 2.0 and weight > 0.0]
    if alone and not new_tasks:
        raise NbykError(
            f"task {alone[0]!r} has one item, which does not show how its items vary; join it with another, "
            "or ask about new tasks with `generalise` items,tasks",
            argument="generalise",
        )
    scores, unit = scores_of_items(metric, scored.rows), metric.effect_unit(scored.scale)
    in_ratings = partial(metric.score_in_ratings, scale=scored.scale)
    within_one = [is_within_one(metric, scored.pair(system, system)) for system in range(len(scored.names))]
    largest = 1.0 if all(within_one) else float(np.ptp(scores))

    def population(panels: Iterable[Panel], *, of_tasks: bool) -> str:
        kept = units_kept([(panel, ()) for panel in panels])
        if of_tasks:
            return of_new(["items", "tasks"], kept)
        return of_new(["items"], [f"these {len(suite.names)} tasks", *kept])

    def claims(values: Floats, panel: Panel) -> tuple[Claim, ...]:
        items: Claim | None = None
        if not alone:
            these = population([panel], of_tasks=False)
            test, at_work = suite.over_items(values, largest), suite.at_work(values)
            items = claim_over(test, ("items",), these, asked, CONSTANT)
            if not items.is_conclusive:
                items = replace(items, effect=test.effect)
            elif at_work < FEWEST_GROUPS_AT_WORK:
                few = f"the effect rests on about {at_work:.1f} of the items; collect more"
                items = replace(items, doubts=(*items.doubts, Doubt(few)))
            items = replace(items, doubts=(*items.doubts, *suite.about_unseen(test.effect, largest)))
        made: tuple[Claim, ...] = () if items is None else (items,)
        if new_tasks:
            of_tasks = suite.over_tasks(values) if suite.n_weighed > 1 else None
            broad, *narrow = claims_over(items, of_tasks, "tasks", suite.n_weighed, asked, constant=CONSTANT)
            made = (replace(broad, population=population([panel], of_tasks=True)), *narrow)
        return tuple(claim.times(unit) for claim in made)

    systems = range(len(scored.names))
    panels = {(system, -1): _panel(scored, system) for system in systems}
    of_scores = {system: claims(scores[system], panels[system, -1]) for system in systems}
    against = asked.against
    is_alone = bar is not None or (len(systems) == 1 and against is None)
    pairs = [] if is_alone else choose_pairs(scored.names, against, asked.decision.alternative)
    asked = replace(asked, n_pairs=len(pairs) or len(systems))
    if bar is not None:
        against, normal = f"a score of {in_full(bar)}", from_0_to_1(bar, scored)
        claims_of_pairs = {
            pair: claims(metric.sign * (scores[pair[0]] - normal), panel) for pair, panel in panels.items()
        }
    elif is_alone:
        claims_of_pairs = {(0, -1): tuple(without_p(claim, in_ratings(0.0)) for claim in of_scores[0])}
    else:
        panels = {pair: _panel(scored, *pair) for pair in pairs}
        claims_of_pairs = {
            (a, b): claims(metric.sign * (scores[a] - scores[b]), panel) for (a, b), panel in panels.items()
        }
    intervals: list[Interval] = []
    for system, made in of_scores.items():
        low, high = (in_ratings(0.0) + end for end in made[0].interval)
        if metric.score_range is not None and within_one[system]:
            least, most = map(in_ratings, metric.score_range)
            low, high = max(low, least), min(high, most)
        intervals.append((low, high))
    kept_units = {
        name: units for of in panels.values() for name, units in of.left_as_they_are(scored.units).items()
    }
    hypothesis = EQUAL_SCORES if is_alone else asked.hypothesis
    noun = f"{suite.of_score}{metric.noun or metric.name}"
    board = board_by_formula(
        scored.question(asked, against=against, test="t", hypothesis=hypothesis, noun=noun),
        replace(scored.sample, n_clusters=0),
        scored.names,
        np.array([in_ratings(float(product(suite.weights, suite.means(values)))) for values in scores]),
        intervals,
        claims_of_pairs,
        sign=metric.sign,
        warnings=(
            *about_units(kept_units, has_gold=bool(scored.rows.gold.size)),
            *scored.uneven_trials(),
        ),
        bar=bar,
    )
    return replace(board, population=population(panels.values(), of_tasks=new_tasks))


def _hidden(weights: Floats, sizes: Floats) -> float:
    """Return the largest weighted share of items of other values that tasks may have and not show.

    The chance that all n_t items of each task show none of its share q_t is Π (1 − q_t)^n_t. The shares with
    a chance of .025 or more have the largest Σ w_t q_t at q_t = 1 − λ n_t / w_t, or at 0.
    """
    ratios = weights / sizes
    order = np.argsort(-ratios, kind="stable")
    sizes, ratios, weights = sizes[order], ratios[order], np.cumsum(weights[order])
    n = np.cumsum(sizes)
    level = np.exp((np.cumsum(sizes * np.log(ratios)) + math.log(_NONE_SHOWN)) / n)
    last = int(np.flatnonzero(ratios > level)[-1])
    return float(weights[last] - level[last] * n[last])


def _are_tasks_new(generalise: Sequence[str] | None) -> bool:
    """Return whether a claim is over new tasks; raise NbykError if it is over other units, which stay."""
    for factor in generalise or ():
        if factor not in ("items", "tasks"):
            raise NbykError(
                f"found {factor} beside a suite, whose raters and runs stay as they are; choose items, or "
                "items,tasks",
                argument="generalise",
            )
    return "tasks" in (generalise or ())


def _panel(scored: ScoredSystems, a: int, b: int | None = None) -> Panel:
    """Return the units behind two systems, or one, all of which stay as they are."""
    panel = panel_of(replace(scored.pair(a, b), clusters=None), ("items",))
    return panel if b is not None else replace(panel, names=(scored.names[a], ""))


def task_table(scored: ScoredSystems, suite: Suite, board: Board) -> pd.DataFrame:
    """Return the tasks, one to a row: items, weight, scores and, of the first pair, the effect and its tests.

    p is by the sign test where items' effects are 1, 0 and −1, and by t otherwise; the corrected p counts the
    tasks.
    """
    import pandas as pd

    metric, first, alternative = scored.metric, board.pairs[0], board.question.alternative
    scores, unit = scores_of_items(metric, scored.rows), metric.effect_unit(scored.scale)
    in_ratings = partial(metric.score_in_ratings, scale=scored.scale)
    a, b = (scored.names.index(name) for name in (first.a, first.b))
    asked = board.question
    level = level_of_each(asked.confidence_level, asked.correction, len(suite.names))
    rows = []
    for task, name in enumerate(suite.names):
        here = scores[:, suite.of_items == task]
        effects = metric.sign * (here[a] - here[b])
        signs = int((effects > 0.0).sum()), int((effects < 0.0).sum())
        p, (low, high) = 1.0, NONE
        if np.isin(effects, (-1.0, 0.0, 1.0)).all():
            p, (low, high) = p_of_signs(*signs)[alternative], signs_interval(*signs, effects.size, level)
        elif effects.size > 1 and np.ptp(effects) > tie_tolerance(effects):
            p_of_sides_by_t, (low, high) = p_by_t(float(effects.mean()), spread_of(effects), level)
            p = p_of_sides_by_t[alternative].p
        rows.append(
            {
                "task": name,
                "items": effects.size,
                "weight": suite.weights[task],
                **dict(zip(scored.names, map(in_ratings, here.mean(axis=1).tolist()), strict=True)),
                "effect": unit * effects.mean(),
                "low": unit * low,
                "high": unit * high,
                "p": p,
            }
        )
    table = pd.DataFrame(rows)
    corrected = correct_p_values(table["p"].to_list(), asked.correction)
    return table.assign(**{"corrected p": corrected})
