"""What is asked of a comparison: the null, when to stop drawing, and the population of the claims."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import get_args

from nbyk.arrays import Floats
from nbyk.data.response_set import ResponseSet
from nbyk.errors import NbykError, check_name
from nbyk.resampling.effects import Progress, Threads, check_defined
from nbyk.resampling.samplers import check_null, get_sampler
from nbyk.testing.corrections import Correction, level_of_each, n_corrected_for, times_of_least
from nbyk.testing.decision import Decision, NullDraws
from nbyk.testing.engine.draws import Draws
from nbyk.testing.family import Hypotheses
from nbyk.testing.intervals import IntervalMethod, check_confidence_level
from nbyk.testing.results import Question
from nbyk.testing.systems.panel import Panel, panel_of

EQUALLY_GOOD = "are equally good"
ALIKE = "answer every item from the same distribution"
TESTED = {
    "swap_items": EQUALLY_GOOD,
    "shifted": EQUALLY_GOOD,
    "permutation": ALIKE,
    "pooled": ALIKE,
    "pooled_twice": ALIKE,
}
"""What each null hypothesis says of two systems."""

WHOLE_ITEMS = get_sampler("bootstrap_items/all")
"""The bootstrap of items with all of their responses."""


@dataclass(frozen=True)
class Asked:
    """What is asked of a comparison; the other fields are those of `nbyk.compare`, and all are checked.

    `decision` holds the alternative, α, the numbers of draws, and the largest error of a settled decision.
    `interval` is the method of an interval over items alone, and α and the confidence level are those of each
    of some `looks`. `family` holds the tests of all `n_pairs` pairs, with their correction.
    """

    decision: Decision
    null: str = "swap_items"
    confidence_level: float = 0.95
    generalise: Sequence[str] | None = None
    pair_runs: bool = False
    interval: IntervalMethod = "percentile"
    looks: int = 1
    correction: Correction = "holm"
    against: str | None = None
    margin: float | None = None
    max_draws: int = 30_000_000
    seed: int = 0
    threads: Threads = 1
    progress: Progress | None = None
    n_pairs: int = 1
    family: Hypotheses = field(init=False)

    def __post_init__(self) -> None:
        check_null(self.null)
        check_name("interval method", self.interval, get_args(IntervalMethod), argument="interval")
        check_confidence_level(self.confidence_level)
        if self.margin is not None and not 0.0 < self.margin < math.inf:
            raise NbykError(
                f"found {self.margin:g}, expected a number above 0: the largest difference that does not "
                "matter",
                argument="margin",
            )
        object.__setattr__(self, "family", Hypotheses(self.decision, self.correction, self.max_draws))

    def question(self, metric: str) -> Question:
        """Return what is asked of every pair, as a result says it."""
        return Question(
            metric=metric,
            test=self.null,
            hypothesis=self.hypothesis,
            alternative=self.decision.alternative,
            alpha=self.decision.alpha,
            confidence_level=self.confidence_level,
            correction=self.correction,
            against=self.against,
            seed=self.seed,
            looks=self.looks,
            n_together=self.n_together,
        )

    def check_paired(self, panels: Iterable[Panel]) -> None:
        """Raise NbykError if runs are to be paired, and no pair of systems has any of one name."""
        if self.pair_runs and not any(panel.paired for panel in panels):
            raise NbykError(
                "found runs to pair, and no two systems have runs or raters of one name that items share "
                "(trials belong to their item); give both the same names, or leave this out",
                argument="pair_runs",
            )

    @property
    def alpha_of_plans(self) -> float:
        """The level at which to plan for a pair: α, over the number of pairs if p is corrected for it."""
        return self.decision.alpha / n_corrected_for(self.correction, self.n_pairs)

    @property
    def n_together(self) -> int:
        """The number of pairs whose intervals hold all at once, as Bonferroni's do."""
        return times_of_least(self.correction, self.n_pairs)

    @property
    def pair_level(self) -> float:
        """The confidence level of the interval of each pair."""
        return level_of_each(self.confidence_level, self.correction, self.n_pairs)

    @property
    def margin_level(self) -> float:
        """The confidence level of the interval of each pair that belongs to the tests of a margin."""
        return level_of_each(1.0 - 2.0 * self.decision.alpha, self.correction, self.n_pairs)

    @property
    def hypothesis(self) -> str:
        """What the null hypothesis says of two systems."""
        return TESTED[self.null]

    def is_exact(self, draws: Draws) -> bool:
        """Return whether the null is enumerated: there are no more swaps than M draws."""
        return self.null == "swap_items" and draws.n_arrangements <= self.decision.n_resamples

    def under_null(self, draws: Draws) -> NullDraws:
        """Return the function that draws from the null at the data's own size; undefined ones are errors."""

        def draw(which: list[int], n_draws: int, *, start: int) -> Floats:
            effects = draws.under_null(which, n_draws, self.null, WHOLE_ITEMS, start=start)
            return check_defined([draws.metrics[index] for index in which], effects)

        return draw

    def panel(self, data: ResponseSet) -> Panel:
        """Return the population of the claims about two systems (`nbyk.testing.systems.panel.panel_of`)."""
        generalise = self.generalise
        if self.hypothesis != EQUALLY_GOOD:
            if generalise is None and data.clusters is not None:
                raise NbykError(
                    f"found {self.null}, which deals responses item by item, and items come in clusters; "
                    "choose swap_items or shifted, or generalise over items alone",
                    argument="null",
                )
            if generalise is not None and set(generalise) != {"items"}:
                raise NbykError(
                    f"found {', '.join(generalise)} with null {self.null}, which is about items alone; "
                    "choose swap_items or shifted",
                    argument="generalise",
                )
            generalise = ("items",)
        return panel_of(data, generalise, pair_runs=self.pair_runs)
