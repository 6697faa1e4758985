"""A suite: items in tasks, and a score that is a weighted mean of the tasks' scores.

With weights w_t that add up to 1 and the items' effects d of task t, n_t of them with variance s²_t, the
effect is Σ w_t d̄_t. Over new items of these tasks, which are strata, its variance is Σ w²_t s²_t / n_t, with
Satterthwaite's degrees of freedom (lm-evaluation-harness computes the same standard error of a macro mean).
Over new tasks, it is that of a weighted mean of T effects, T / (T − 1) Σ w²_t (d̄_t − d̄)²: new items of a
task are in it already; it is at least that over new items. The metric must be a mean over items; raters and
runs stay as they are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.errors import NbykError
from nbyk.sums import product
from nbyk.testing.corrections import correct_p_values
from nbyk.testing.family import choose_pairs
from nbyk.testing.pvalues import p_of_signs, tie_tolerance
from nbyk.testing.results import NONE, Board, Claim, Interval
from nbyk.testing.shared_units import SharedUnitsTest
from nbyk.testing.shared_units.components import Component, third_moment
from nbyk.testing.systems.asked import EQUAL_SCORES, Asked
from nbyk.testing.systems.by_formula import (
    board_by_formula,
    claim_over,
    claims_over,
    formula_test,
    without_p,
)
from nbyk.testing.systems.items_alone import p_by_t, scores_of_items
from nbyk.testing.systems.one_system import checked_bar
from nbyk.testing.systems.panel import panel_of
from nbyk.testing.systems.scored import ScoredSystems
from nbyk.testing.unit_cautions import about_units
from nbyk.words import in_full

if TYPE_CHECKING:
    import pandas as pd


Weights = str | Mapping[str, float]
"""The tasks' weights: "macro", all alike; "micro", by their numbers of items; or by their names."""


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
    """

    names: tuple[str, ...]
    of_items: Integers
    weights: Floats

    @classmethod
    def of(cls, tasks: Sequence[str], weights: Weights = "macro") -> Suite:
        """Return the suite of items with the names of their tasks; weights that do not fit are an error."""
        unique, of_items = np.unique(np.asarray(tasks, dtype=str), return_inverse=True)
        names, sizes = tuple(map(str, unique)), np.bincount(of_items).astype(np.float64)
        if len(names) < 2:
            raise NbykError(f"found one task, {names[0]}, expected two or more; leave the suite out")
        if isinstance(weights, str):
            if weights not in ("macro", "micro"):
                expected = "macro, micro or task=weight,…"
                raise NbykError(f"found {weights!r}, expected {expected}", argument="weights")
            chosen: Floats = np.ones(len(names)) if weights == "macro" else sizes
        else:
            missing = [name for name in names if name not in weights]
            unknown = [name for name in weights if name not in names]
            if missing or unknown:
                what = f"no weight for task {missing[0]!r}" if missing else f"no task {unknown[0]!r}"
                raise NbykError(f"found {what}; give each task a weight", argument="weights")
            chosen = np.array([weights[name] for name in names], dtype=np.float64)
            if not ((chosen >= 0.0).all() and 0.0 < chosen.sum() < math.inf):
                raise NbykError("found a weight below 0, or none above it", argument="weights")
        return cls(names, of_items, chosen / chosen.sum())

    @property
    def sizes(self) -> Floats:
        """The tasks' numbers of items, shape (T,)."""
        return np.bincount(self.of_items).astype(np.float64)

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

    def over_items(self, values: Floats) -> SharedUnitsTest:
        """Return the weighted mean of items' values, with its variance over new items of these tasks."""
        means, sizes = self.means(values), self.sizes
        squares = np.bincount(self.of_items, weights=(values - means[self.of_items]) ** 2)
        parts = self.weights**2 * squares / np.maximum(sizes - 1.0, 1.0) / sizes
        total, known = float(parts.sum()), float(np.sum(parts**2 / np.maximum(sizes - 1.0, 1.0)))
        df = total**2 / known if known > 0.0 else 1.0
        return formula_test(float(product(self.weights, means)), Component(values.size, total, 0.0, df, 1.0))

    def over_tasks(self, values: Floats) -> SharedUnitsTest:
        """Return the weighted mean of items' values, with its variance over new tasks."""
        test, weights = self.over_items(values), self.weights
        n = float(np.count_nonzero(weights))
        parts = -weights * (self.means(values) - test.effect) * math.sqrt(n / (n - 1.0))
        within, loads = test.items.total, float(np.sum(weights**2))
        # tasks that differ less than their items say so by chance
        total = max(float(np.sum(parts**2)), within)
        df = max(1.0, loads**2 / float(np.sum(weights**4)) - 1.0)
        tasks = Component(int(n), total, within, df, 1.0, math.nan, loads, third_moment(parts, loads))
        return formula_test(test.effect, test.items, tasks)


def board_of_suite(
    scored: ScoredSystems,
    suite: Suite,
    asked: Asked,
    *,
    new_tasks: bool = False,
    bar: float | None = None,
) -> Board:
    """Return the systems' scores on a suite, and the claims about their pairs, or about each and a bar.

    With `new_tasks`, the first claim is over new tasks like these; else it is over new items of these tasks.
    The bar and all results are in the unit of the ratings.
    """
    metric, alternative = scored.metric, asked.decision.alternative
    if not metric.is_mean_over_items or metric.kind == "comparison":
        raise NbykError(
            f"metric {metric.name} gives single items no score, so that tasks have no mean; choose a mean "
            "over items, such as accuracy or mae",
            argument="metric",
        )
    alone = [name for name, size in zip(suite.names, suite.sizes, strict=True) if size < 2.0]
    if alone and not new_tasks:
        raise NbykError(
            f"task {alone[0]!r} has one item, which does not show how its items vary; join it with another, "
            "or ask about new tasks with `generalise` items,tasks",
            argument="generalise",
        )
    if bar is not None:
        checked_bar(bar, scored)
    in_ratings = partial(metric.score_in_ratings, scale=scored.scale)
    scores = in_ratings(0.0) + metric.effect_unit(scored.scale) * scores_of_items(metric, scored.rows)

    def claims(values: Floats, a: int, b: int | None, *, has_p: bool = True) -> tuple[Claim, ...]:
        panel = panel_of(replace(scored.pair(a, b), clusters=None), ("items",))
        n_tasks, items = len(suite.names), None
        if not alone:
            population = panel.population((), of_clusters=False, beside=[f"these {n_tasks} tasks"])
            items = claim_over(suite.over_items(values), ("items",), population, asked)
        made: tuple[Claim, ...] = () if items is None else (items,)
        if new_tasks:
            kept = panel.population((), of_clusters=False).removeprefix("new items")
            first, *narrow = claims_over(items, suite.over_tasks(values), "tasks", n_tasks, asked)
            made = (replace(first, population=f"{first.population}{kept}"), *narrow)
        return made if has_p else tuple(map(without_p, made))

    is_alone = bar is not None or len(scored.names) == 1
    if is_alone:
        towards = 1.0 if bar is None else metric.sign
        claims_of_pairs = {
            (system, -1): claims(towards * (values - (bar or 0.0)), system, None, has_p=bar is not None)
            for system, values in enumerate(scores)
        }
        against = None if bar is None else f"a score of {in_full(bar)}"
    else:
        against = asked.against
        places = choose_pairs(scored.names, against, alternative)
        claims_of_pairs = {(a, b): claims(metric.sign * (scores[a] - scores[b]), a, b) for a, b in places}
    intervals: list[Interval] = []
    for system, values in enumerate(scores):
        low, high = claims(values, system, None)[0].interval
        if metric.score_range is not None and np.isin(scores, (in_ratings(0.0), in_ratings(1.0))).all():
            least, most = map(in_ratings, metric.score_range)
            low, high = max(low, least), min(high, most)
        intervals.append((low, high))
    hypothesis = EQUAL_SCORES if is_alone else asked.hypothesis
    noun = f"{suite.of_score}{metric.noun or metric.name}"
    return board_by_formula(
        scored.question(asked, against=against, test="t", hypothesis=hypothesis, noun=noun),
        replace(scored.sample, n_clusters=0),
        scored.names,
        np.array([float(product(suite.weights, suite.means(values))) for values in scores]),
        intervals,
        claims_of_pairs,
        sign=metric.sign,
        warnings=tuple(about_units(scored.units, has_gold="gold" in scored.units)),
        bar=(against or "") if is_alone else None,
        bar_score=bar,
    )


def task_table(scored: ScoredSystems, suite: Suite, board: Board) -> pd.DataFrame:
    """Return the tasks, one to a row: items, weight, scores and, of the first pair, the effect and its tests.

    p is by the sign test where items' effects are 1, 0 and −1, and by t otherwise; the corrected p counts the
    tasks.
    """
    import pandas as pd

    metric, first, alternative = scored.metric, board.pairs[0], board.question.alternative
    unit, least = metric.effect_unit(scored.scale), metric.score_in_ratings(0.0, scored.scale)
    scores = scores_of_items(metric, scored.rows)
    a, b = (scored.names.index(name) for name in (first.a, first.b))
    rows = []
    for task, name in enumerate(suite.names):
        here = scores[:, suite.of_items == task]
        effects = metric.sign * (here[a] - here[b])
        signs = int((effects > 0.0).sum()), int((effects < 0.0).sum())
        p, (low, high) = 1.0, NONE
        if effects.size > 1 and np.ptp(effects) > tie_tolerance(effects):
            p_of_sides_by_t, (low, high) = p_by_t(effects, board.question.confidence_level)
            p = p_of_sides_by_t[alternative].p
        if np.isin(effects, (-1.0, 0.0, 1.0)).all():
            p = p_of_signs(*signs)[alternative]
        rows.append(
            {
                "task": name,
                "items": effects.size,
                "weight": suite.weights[task],
                **dict(zip(scored.names, (least + unit * here.mean(axis=1)).tolist(), strict=True)),
                "effect": unit * effects.mean(),
                "low": unit * low,
                "high": unit * high,
                "p": p,
            }
        )
    table = pd.DataFrame(rows)
    corrected = correct_p_values(table["p"].to_list(), board.question.correction)
    return table.assign(**{"corrected p": corrected})
