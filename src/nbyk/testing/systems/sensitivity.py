"""Whether the verdict depends on the metric, the null, or the sampler of expected p."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nbyk.arrays import Floats
from nbyk.data.response_set import ResponseSet
from nbyk.data.responses import response_set
from nbyk.errors import NbykError, UndefinedMetricError
from nbyk.metrics import Metric, definitions, get
from nbyk.metrics import names as names_of_metrics
from nbyk.resampling.effects import Progress, Threads, as_metrics
from nbyk.resampling.resample import observed_effects
from nbyk.resampling.samplers import WEIN_SAMPLERS, check_null, get_sampler
from nbyk.resampling.streams import as_seed
from nbyk.testing.decision import Decision
from nbyk.testing.engine.draws import Draws
from nbyk.testing.intervals import percentile_interval
from nbyk.testing.pvalues import Alternative, PValue, expected_p, null_at_least, p_value, tie_tolerance
from nbyk.testing.results import NONE, Shown, ShownAsLines, favoured, plain
from nbyk.testing.systems.asked import EQUALLY_GOOD, TESTED, WHOLE_ITEMS, Asked
from nbyk.testing.systems.panel import panel_of
from nbyk.testing.unit_cautions import about_units, named_units
from nbyk.words import listed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from nbyk.report.lines import Head


N_RESAMPLES = 999
"""Draws of each distribution, unless others are asked for."""


@dataclass(frozen=True)
class Choice:
    """One way to test, and its result.

    Attributes
    ----------
    metric, null
        The metric and the null hypothesis.
    sampler
        None for the p-value at the data's own size; or the sampler of the expected p.
    p, standard_error
        The p-value of the chosen alternative, and its Monte-Carlo standard error; None if the metric is
        undefined on a draw.
    verdict
        What is shown of A: "better", "worse", "different" (by the null alone) or "undecided".
    """

    metric: str
    null: str
    sampler: str | None
    p: float | None
    standard_error: float | None
    verdict: Shown


@dataclass(frozen=True)
class MetricEffect:
    """A metric's effect on the data in the unit of the ratings, with its percentile interval."""

    metric: str
    effect: float
    low: float
    high: float


@dataclass(frozen=True, repr=False)
class Sensitivity(ShownAsLines):
    """The verdicts of every applicable metric under every null, and under every sampler of expected p.

    Attributes
    ----------
    effects
        The metrics that apply, in the registry's order.
    choices
        Each of them under each null (p-values), then under each sampler against `null` (expected p).
    skipped
        The metrics that were left out, with the reasons.
    null, alternative, alpha, confidence_level, n_items, n_resamples, seed
        The null of the expected p; as for `nbyk.compare`; items N, and draws of each distribution.
    warnings
        Cautions about the numbers, one sentence each.
    population
        The population that all verdicts speak of, in words: "new items, with these 5 raters".
    names
        The systems' names.
    """

    effects: tuple[MetricEffect, ...]
    choices: tuple[Choice, ...]
    skipped: tuple[tuple[str, str], ...]
    null: str
    alternative: Alternative
    alpha: float
    confidence_level: float
    n_items: int
    n_resamples: int
    seed: int
    warnings: tuple[str, ...]
    population: str = "new items"
    names: tuple[str, str] = ("A", "B")

    def verdicts(self, null: str) -> dict[str, Shown]:
        """Return each metric's verdict by its p-value under a null."""
        return {
            choice.metric: choice.verdict
            for choice in self.choices
            if choice.sampler is None and choice.null == null
        }

    @property
    def depends(self) -> bool:
        """Whether some choices reject their null and others do not, or two favour different systems."""
        verdicts = {choice.verdict for choice in self.choices if choice.p is not None}
        return ("undecided" in verdicts and len(verdicts) > 1) or {"better", "worse"} <= verdicts

    def plot(self) -> Figure:
        """Return a figure of p by every metric under every null and sampler, coloured by verdict."""
        from nbyk.report.comparison.figures import sensitivity_figure

        return sensitivity_figure(self)

    @property
    def sentence(self) -> str:
        """One sentence on whether the verdict depends on the choice."""
        from nbyk.report.comparison.sentences import sensitivity_sentence

        return sensitivity_sentence(self)

    @property
    def head(self) -> Head:
        """The sentence with the warnings."""
        from nbyk.report.lines import Head

        return Head(self.sentence, "open", "", (), self.warnings, len(self.warnings))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold."""
        kept = {name: plain(getattr(self, name)) for name in self.__dataclass_fields__}
        return {**kept, "depends": self.depends, "sentence": self.sentence}


def n_draws_in_all(
    n_nulls: int = len(TESTED), n_samplers: int = len(WEIN_SAMPLERS), n_resamples: int = N_RESAMPLES
) -> int:
    """Return how many draws `sensitivity` needs; it may make a few more, in whole chunks."""
    return (1 + n_nulls + 2 * n_samplers) * n_resamples


def sensitivity(
    gold: Any,
    a: Any = None,
    b: Any = None,
    *,
    cluster: Any = None,
    metrics: Sequence[str | Metric] | None = None,
    null: str = "swap_items",
    nulls: Sequence[str] = tuple(TESTED),
    samplers: Sequence[str] = WEIN_SAMPLERS,
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    seed: Any = 0,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Sensitivity:
    """Return how the verdict depends on the metric, the null, and the sampler of expected p.

    Parameters
    ----------
    gold, a, b, cluster, alternative, alpha, confidence_level, seed, threads, progress
        As for `nbyk.compare`.
    metrics
        The metrics to test by; by default all in the registry that apply. Those with a threshold apply to
        binary gold, where every response is 0 or 1; without gold, only metrics that need none apply.
    null
        The null of expected p.
    nulls
        The nulls of the p-values.
    samplers
        The samplers of expected p, by default those of Wein et al. 2023. If items have clusters, nulls and
        samplers that draw items or responses one by one are left out, with a warning.
    n_resamples
        Draws of each distribution. Use `nbyk.compare` for more precise numbers of one choice.

    Raises
    ------
    NbykError
        As `nbyk.compare`, or if no metric applies.

    Notes
    -----
    All choices see the same draws as `nbyk.compare` with this many. Expected p (`nbyk.expected_p`) tests the
    side that the medians point to. If two-sided, it is doubled, so that all p are on one scale. If one-sided,
    it is that of the chosen side, and ties count.
    """
    for name in nulls:
        check_null(name)
    parsed = [get_sampler(name) for name in samplers]
    asked = Asked(
        Decision(alternative, alpha, n_resamples, n_resamples, 0.01),
        null=null,
        confidence_level=confidence_level,
        seed=as_seed(seed),
    )
    data = response_set(gold, a, b, cluster=cluster)
    chosen, skipped = _applicable(data, metrics)
    alone = all(metric.takes_trials for metric in chosen)
    warnings = [] if alone else [*about_units(named_units(data), has_gold=data.has_gold)]
    if data.clusters is not None:
        single = [name for name in nulls if TESTED[name] != EQUALLY_GOOD]
        single += [sampler.name for sampler in parsed if sampler != WHOLE_ITEMS]
        nulls = [name for name in nulls if name not in single]
        parsed = [sampler for sampler in parsed if sampler == WHOLE_ITEMS]
        if single:
            says = f"items come in clusters, but {listed(single)} draw single items: nbyk leaves them out"
            warnings.insert(0, says)
    draws = Draws(data, chosen, seed=asked.seed, threads=threads, progress=progress)
    every, observed = range(len(chosen)), draws.observed.tolist()
    bootstrapped = draws.bootstrapped(every, n_resamples, "bootstrap")
    effects = []
    for metric, effect, drawn in zip(chosen, observed, bootstrapped, strict=True):
        defined, unit = drawn[np.isfinite(drawn)], metric.effect_unit(data.scale)
        low, high = percentile_interval(defined, confidence_level) if defined.size else NONE
        effects.append(MetricEffect(metric.name, unit * effect, unit * low, unit * high))

    choices = []
    for name in nulls:
        drawn = draws.under_null(every, n_resamples, name, WHOLE_ITEMS)
        for metric, effect, row in zip(chosen, observed, drawn, strict=True):
            p = p_value(effect, row, alternative=alternative) if np.isfinite(row).all() else None
            choices.append(_choice(metric.name, name, None, p, effect, alpha))
    for sampler in parsed:
        if null == "shifted" and sampler.items != "bootstrap_items":
            choices += [_choice(metric.name, null, sampler.name, None, 0.0, alpha) for metric in chosen]
            continue
        if data.clusters is None:
            under = draws.redrawn(every, n_resamples, sampler, null)
            alternatives = draws.redrawn(every, n_resamples, sampler, None)
        else:
            under, alternatives = draws.under_null(every, n_resamples, null, sampler), bootstrapped
        paired = null != "shifted" and data.clusters is None
        for metric, drawn, row in zip(chosen, alternatives, under, strict=True):
            p, towards = None, 0.0
            if np.isfinite(drawn).all() and np.isfinite(row).all():
                p, towards = _expected(drawn, row, alternative, paired=paired)
            choices.append(_choice(metric.name, null, sampler.name, p, towards, alpha))
    return Sensitivity(
        effects=tuple(effects),
        choices=tuple(choices),
        skipped=tuple(skipped),
        null=null,
        alternative=alternative,
        alpha=alpha,
        confidence_level=confidence_level,
        n_items=data.n_items,
        n_resamples=n_resamples,
        seed=asked.seed,
        warnings=tuple(warnings),
        population=panel_of(data, None).population((), of_clusters=data.clusters is not None),
        names=data.names,
    )


def _applicable(
    data: ResponseSet, metrics: Sequence[str | Metric] | None
) -> tuple[tuple[Metric, ...], list[tuple[str, str]]]:
    """Return the metrics that apply, and the names of the others with the reasons why they do not."""
    is_binary = bool(np.isin(data.gold[~np.isnan(data.gold)], (0.0, 1.0)).all())
    chosen: dict[str, Metric] = {}
    skipped = []
    for given in names_of_metrics() if metrics is None else metrics:
        shown, why = given if isinstance(given, str) else given.name, ""
        if metrics is None:
            why = _used_only_if_named(shown, has_gold=data.has_gold, is_binary=is_binary)
        if not why:
            (metric,) = as_metrics(given)
            why = "needs gold" if metric.needs_gold and not data.has_gold else _undefined(metric, data)
        if why:
            skipped.append((shown, why))
        else:
            chosen[metric.name] = metric
    if not chosen:
        reasons = "; ".join(f"{name}: {why}" for name, why in skipped)
        raise NbykError(f"sensitivity: no metric applies to these data ({reasons}); name some that do")
    return tuple(chosen.values()), skipped


def _used_only_if_named(name: str, *, has_gold: bool, is_binary: bool) -> str:
    """Return why a metric of the registry is used only if it is named; "" if it is used anyway."""
    takes = definitions()[name].parameters
    needed = [parameter for parameter in takes if parameter.default is None]
    if needed:
        return f"needs {needed[0].name}; name it, as in {name}({needed[0].name}={needed[0].example:g})"
    metric = get(name)
    if has_gold and not metric.needs_gold:
        return "does not look at gold"
    if not metric.needs_gold and metric.direction == "lower":
        return "counts lower responses as better; name it if they are"
    if not is_binary and any(parameter.name == "threshold" for parameter in takes):
        return f"gold is not 0 and 1 only; name it with a threshold, as in {name}(threshold=0.5)"
    return ""


def _undefined(metric: Metric, data: ResponseSet) -> str:
    try:
        observed_effects(data, metric)
    except UndefinedMetricError:
        return "undefined on these data (a correlation of constants, or a division by zero)"
    except NbykError as error:
        return str(error)
    return ""


def _expected(drawn: Floats, null: Floats, alternative: Alternative, *, paired: bool) -> tuple[PValue, float]:
    """Return the expected p of an alternative, and an effect, 1 or −1, towards the side that it tests."""
    both = expected_p(drawn, null, paired=paired)
    if alternative == "two-sided":
        towards = -1.0 if both.flipped else 1.0
        return PValue(min(1.0, 2.0 * both.p), 2.0 * both.standard_error, alternative), towards
    sign = 1.0 if alternative == "greater" else -1.0
    at_least = null_at_least(sign * drawn, np.sort(sign * null), tie_tolerance(drawn, null))
    return PValue(float(at_least.mean()) / null.size, both.standard_error, alternative), sign


def _choice(
    metric: str, null: str, sampler: str | None, p: PValue | None, effect: float, alpha: float
) -> Choice:
    if p is None:
        return Choice(metric, null, sampler, None, None, "undecided")
    verdict: Shown = "undecided"
    if p.p <= alpha:
        verdict = favoured(effect, p.alternative, tells_which=TESTED[null] == EQUALLY_GOOD)
    return Choice(metric, null, sampler, p.p, p.standard_error, verdict)
