"""The keys of the study in the configuration."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from nbyk.config.sections import Distinct, Epsilon, MetricName, NullName, SamplerName, Section, SizeSection
from nbyk.resampling.samplers import WEIN_SAMPLERS
from nbyk_papers.wein2023.design import COLUMNS


def _listed(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


class Wein2023(Section):
    """The default run, the study of Wein et al. 2023. Its keys are at the top level of the configuration."""

    semantics: Annotated[list[Literal["published", "recommended"]], Distinct] = Field(
        ["published", "recommended"], min_length=1
    )
    """How to compute p-values: as the paper computed its numbers, as nbyk recommends, or both."""
    sources: Annotated[list[str], Distinct] = Field(["simulated", "toxicity", "convabuse"], min_length=1)
    """Sources of items and responses. Each is a published prior, or ratings to which nbyk fits a prior."""
    epsilons: Annotated[list[Epsilon], Distinct] = Field([0.0, 0.05, 0.1, 0.3, 0.7], min_length=1)
    """Perturbations ε_B of system B's item means, each in [0, 1]. With 0, B is an ideal system."""
    epsilon_a: Annotated[list[Epsilon], BeforeValidator(_listed), Distinct] = Field([0.0], min_length=1)
    """Perturbations ε_A of system A's item means, one or a list, each in [0, 1]. The paper has 0, an ideal
    system. Beside any other value, the tables do not show the published numbers."""
    sizes: Annotated[list[SizeSection], Distinct] = Field(
        [SizeSection(n_items=1000, k_responses=5)], min_length=1
    )
    """Sizes (N, K) of the test sets. The report has a section for each of the first twelve, and for each ε_A.
    results/pvalues has all of them."""
    samplers: Annotated[list[SamplerName], Distinct] = Field(list(WEIN_SAMPLERS), min_length=1)
    """Pairs of an item sampler and a response sampler, which resample a test set."""
    metrics: Annotated[list[MetricName], Distinct] = Field(list(COLUMNS), min_length=1)
    """Metrics that compare a system with the gold: the paper's nine columns, any other built-in, or yours."""
    recommended_null: NullName = "pooled"
    """Null of the recommended semantics: pooled, pooled_twice, permutation, swap_items or shifted."""
    n_draws: int = Field(1000, ge=2)
    """Draws M under each hypothesis behind each true p-value."""
    n_resamples: int = Field(1000, ge=2)
    """Resamples M under each hypothesis behind each estimated p-value."""
    n_references: int = Field(20, ge=2)
    """Reference test sets per cell. The first gives the estimate; all of them together show how it varies."""
    n_spread_resamples: int = Field(200, ge=2)
    """Resamples M of the reference test sets after the first."""
    kept_sets_mb: float = Field(40.0, ge=0)
    """The largest file of reference test sets to keep, in MB. Jobs draw sets that take more from their seeds,
    when they need them, to the same numbers. Changing it computes the estimates that it concerns again."""
    job_seconds: float | None = Field(None, ge=0)
    """Cells share a job that takes up to so many seconds: by default a minute, or more on a large grid. With
    0 each cell has jobs of its own. The numbers do not depend on it."""
