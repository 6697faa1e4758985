"""Whether the verdict depends on the metric, the null, or how expected p resamples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from nbyk.inference.comparison.result import plain
from nbyk.inference.pvalues import Alternative

Verdict = Literal["A", "B", "different", "undecided"]


@dataclass(frozen=True)
class Choice:
    """One way to test, and what it says.

    Attributes
    ----------
    metric, null
        The metric and the null hypothesis.
    sampler
        None for the p-value at the data's own size; or the sampler of the expected p.
    p, standard_error
        The p-value of the alternative asked for, and its Monte-Carlo standard error; None where the metric is
        undefined on a draw.
    verdict
        "A" or "B" is shown to be better, "different" under a null that says more than equally good, or
        "undecided".
    """

    metric: str
    null: str
    sampler: str | None
    p: float | None
    standard_error: float | None
    verdict: Verdict


@dataclass(frozen=True)
class MetricEffect:
    """A metric's effect on the data as they are, with its percentile interval."""

    metric: str
    effect: float
    low: float
    high: float


@dataclass(frozen=True)
class Sensitivity:
    """The verdicts of every applicable metric under every null, and under every sampler of expected p.

    Attributes
    ----------
    effects
        The metrics that apply, in the registry's order.
    choices
        Each of them under each null (p-values), then under each sampler against `null` (expected p).
    skipped
        The metrics that were left out, and why.
    null
        The null of the expected p.
    alternative, alpha, confidence_level
        As for `nbyk.compare`.
    n_items, n_resamples
        Number of items N, and draws of each distribution.
    seed
        Seed of all draws.
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

    @property
    def sentence(self) -> str:
        """In one sentence, whether the verdict depends on the choice."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON can hold it."""
        return {**{name: plain(getattr(self, name)) for name in self.__dataclass_fields__}}
