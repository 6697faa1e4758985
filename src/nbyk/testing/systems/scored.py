"""Many systems on the same items, with the score of each by one metric: observed and bootstrapped."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.data.response_set import Categories, ResponseSet, stack_responses
from nbyk.data.scales import FROM_0_TO_1, Scale, scale_text
from nbyk.data.systems import Systems
from nbyk.data.units import FRESH, Units
from nbyk.errors import NbykError
from nbyk.metrics import Metric, metrics_of
from nbyk.metrics.registry import usual_metric
from nbyk.resampling.effects import check_defined, run_chunks
from nbyk.testing.decision import NullDraws
from nbyk.testing.engine.draws import ItemStreams
from nbyk.testing.engine.forms import Form, Sums, form_of
from nbyk.testing.engine.rows import Rows
from nbyk.testing.results import Question, ResponseCounts, Sample
from nbyk.testing.shared_units import SharedUnitsTest
from nbyk.testing.systems.asked import Asked
from nbyk.testing.systems.claims import broad_test
from nbyk.testing.systems.panel import Panel, panel_of
from nbyk.testing.unit_cautions import shared_numbers

_LEAST = 1e-11
"""Effects of numbers that are all smaller are near rounding errors."""


@dataclass(frozen=True)
class ScoredSystems:
    """Systems that answered the same items, and a metric.

    `rows` are gold and the systems' responses; `units` the raters or runs behind them, by "gold" and the
    systems' names; `clusters`, shape (N,), those of the items; `scores`, shape (S,), NaN by a metric that
    scores no system by itself; `categories` what places in a table stand for, None for numbers; `scale` that
    of numbers before they were normalised.
    """

    names: tuple[str, ...]
    metric: Metric
    rows: Rows
    units: Mapping[str, Units]
    clusters: Integers | None
    scores: Floats
    categories: Categories | None = None
    scale: Scale = FROM_0_TO_1

    @classmethod
    def of(cls, systems: Systems, metric: str | Metric | None) -> ScoredSystems:
        """Return systems scored by a metric, by default that of their kind."""
        systems.refuse_scores()
        has_gold, lower = systems.gold is not None, systems.lower_is_better
        metric = metric or usual_metric(systems.kind, has_gold=has_gold and not lower, lower_is_better=lower)
        (chosen,) = metrics_of(systems.categories, [metric])
        if chosen.kind == "comparison" and len(systems.names) > 2:
            raise NbykError(
                f"metric {chosen.name} compares two systems and scores neither; choose one that scores each"
            )
        chosen.check_gold(has_gold)
        for name, matrix in systems.responses.items():
            chosen.check_trials(name, matrix)
        stacked = stack_responses(*systems.responses.values())
        table = None if systems.categories is None else systems.categories.table
        gold = np.empty((stacked.shape[1], 0)) if systems.gold is None else systems.gold
        if systems.categories is None and chosen.unit_power:
            _refuse_tiny(chosen, stacked, gold)
        if systems.kind == "numbers" and systems.scale == FROM_0_TO_1:
            _refuse_uncut(chosen, stacked, gold)
        rows = Rows(gold, stacked, table=table)
        behind = systems.all_units
        if chosen.takes_trials:
            behind |= dict.fromkeys(systems.names, FRESH)
        scores = np.full(len(systems.names), np.nan)
        if chosen.kind != "comparison":
            scores = check_defined([chosen], rows.scores(chosen)[None], of="systems")[0]
        clusters, categories = systems.cluster_numbers, systems.categories
        return cls(systems.names, chosen, rows, behind, clusters, scores, categories, systems.scale)

    @property
    def sample(self) -> Sample:
        """The data in numbers."""
        gold_rows = {"gold": self.rows.gold} if self.rows.gold.size else {}
        responses = gold_rows | dict(zip(self.names, self.rows.systems, strict=True))
        return Sample(
            self.rows.n_items,
            0 if self.clusters is None else int(self.clusters.max()) + 1,
            {name: ResponseCounts.of((~np.isnan(of)).sum(axis=1)) for name, of in responses.items()},
            shared_numbers(self.units),
        )

    def question(self, asked: Asked, **changed: str | None) -> Question:
        """Return what is asked of every pair by the metric; `changed` fields differ from those of draws."""
        metric, question = self.metric, asked.question(self.metric.name)
        words: dict[str, Any] = {"noun": metric.noun or metric.name, "scale": scale_text(self.scale)}
        return replace(question, direction=metric.direction, **words | changed)

    def uneven_trials(self) -> Iterator[str]:
        """Yield the caution about items that have unlike numbers of trials, if the metric is of trials."""
        numbers = [(~np.isnan(matrix)).sum(axis=1) for matrix in self.rows.systems]
        for name, counts in zip(self.names, numbers, strict=True):
            if self.metric.takes_trials and counts.min() < counts.max():
                yield (
                    f"items of {name} have from {counts.min()} to {counts.max()} trials: each counts "
                    "once, by the trials that it has"
                )

    def pair(self, a: int, b: int | None, *, against: str = "") -> ResponseSet:
        """Return gold and two systems, by their places, or one against nothing, which has a name."""
        names = (self.names[a], against if b is None else self.names[b])
        nothing = np.zeros((self.rows.n_items, 1))
        responses_b = nothing if b is None else answered(self.rows.systems[b])
        data = ResponseSet(self.rows.gold, answered(self.rows.systems[a]), responses_b, names=names)
        roles = data.names_of_roles.items()
        behind = {role: self.units[name] for role, name in roles if name in self.units}
        return replace(data, units=behind, clusters=self.clusters, categories=self.categories)

    def score_test(self, system: int, kinds: Collection[str]) -> tuple[Panel, SharedUnitsTest | None]:
        """Return the units of `kinds`, as "raters", behind a system's score, and its test against nothing.

        It is None if the score is for new items alone, or if its units are too few.
        """
        data = self.pair(system, None)
        data = data if "clusters" in kinds else replace(data, clusters=None)
        panel = panel_of(data, None)
        panel = replace(panel, sources=tuple(of for of in panel.sources if of.partition(" ")[0] in kinds))
        metric = score_alone(replace(self.metric, direction="higher"))
        return panel, broad_test(metric, panel, weighted=False)

    def bootstrapped(self, asked: Asked, *, of_clusters: bool) -> Floats:
        """Return each system's score on bootstrapped items, or clusters of them, shape (S, B).

        All systems see the same items. Scores are not finite on draws on which the metric is undefined.
        """
        form, streams = self._form_and_streams(asked, of_clusters=of_clusters)

        def work(chunk: int, _: int) -> Floats:
            return form.drawn(streams.items("bootstrap", chunk))

        n_draws = asked.decision.n_resamples
        (drawn,) = run_chunks(n_draws, work, threads=asked.threads, progress=asked.progress)
        return drawn

    def swapped(
        self, asked: Asked, pairs: Sequence[tuple[int, int]], *, of_clusters: bool
    ) -> NullDraws | None:
        """Return the function that draws the effects of pairs after swaps; None if the metric is no sum.

        Effects are those of each pair alone (`Draws.swapped`), drawn once for each system.
        """
        form, streams = self._form_and_streams(asked, of_clusters=of_clusters)
        if not isinstance(form, Sums) or form.rows.as_scored(self.metric) is not form.rows:
            return None

        def draw(which: list[int], n_draws: int, *, start: int) -> Floats:
            chosen = [pairs[index] for index in which]

            def work(chunk: int, size: int) -> Floats:
                a, b = form.swapped_pairs(streams.swaps(chunk, size), chosen).transpose(1, 0, 2)
                return np.asarray(self.metric.sign * (a - b))

            (effects,) = run_chunks(
                n_draws,
                work,
                start=start,
                together=streams.together,
                threads=asked.threads,
                progress=asked.progress,
            )
            return check_defined([self.metric] * len(chosen), effects)

        return draw

    def _form_and_streams(self, asked: Asked, *, of_clusters: bool) -> tuple[Form, ItemStreams]:
        rows = self.rows
        if of_clusters:
            rows = Rows.of(rows.gold, rows.systems, self.clusters, rows.table)
        return form_of(self.metric, rows), ItemStreams(asked.seed, rows)


def score_alone(metric: Metric, bar: float = 0.0) -> Metric:
    """Return the metric whose effect is how much better A scores than a bar, whatever B is."""
    return replace(
        metric,
        kind="comparison",
        additive=metric.is_mean_over_items,
        implementation=_above_bar,
        arguments=(("bar", bar),),
        of=metric,
    )


def _above_bar(metric: Metric, systems: Floats, gold: Floats, out: Floats, bar: float) -> None:
    out[:] = metric.scores(systems[:1], gold)[0] - bar


def _refuse_uncut(metric: Metric, stacked: Floats, gold: Floats) -> None:
    """Raise NbykError if whole numbers meet a threshold that nobody named: those beyond 1 may be classes."""
    if metric.threshold is None or "(" in metric.name:
        return
    numbers = np.concatenate([gold.ravel(), *([stacked.ravel()] if metric.cuts_systems else [])])
    least, most = np.nanmin(numbers), np.nanmax(numbers)
    if (least >= 0.0 and most <= 1.0) or (np.rint(numbers) != numbers)[~np.isnan(numbers)].any():
        return
    raise NbykError(
        f"found whole numbers from {least:g} to {most:g}, which {metric.name} cuts at {metric.threshold:g}; "
        f'for classes say `kind="classes"`, for ratings declare their `scale`, or name the threshold, as in '
        f"{metric.name}(threshold={(least + most) / 2:g})",
        argument="metric",
    )


def _refuse_tiny(metric: Metric, *responses: Floats) -> None:
    """Raise NbykError if all numbers are so small that effects tie where they differ (`tie_tolerance`)."""
    largest = max(
        max(float(np.nanmax(of, initial=0.0)), -float(np.nanmin(of, initial=0.0))) for of in responses
    )
    if 0.0 < largest ** abs(metric.unit_power) < _LEAST:
        raise NbykError(
            f"found no number beyond {largest:g} in size, so that {metric.name} is lost in rounding errors; "
            "give the numbers in a smaller unit"
        )


def answered(matrix: Floats) -> Floats:
    """Return the columns that hold a response."""
    return matrix[:, ~np.isnan(matrix).all(axis=0)]
