"""The keys of the study in the configuration."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from nbyk.config.sections import Distinct, Epsilon, MetricName, Responses, Section, SizeSection, one_of
from nbyk.data.sources import OWN_FIT
from nbyk_papers import metrics as _  # noqa: F401  # the default names one of them
from nbyk_papers.homan2025 import design

GRID_SOURCES = (*design.LABELS, *(f"{source}{OWN_FIT}" for source in design.LABELS))
"""The paper's priors, and our own fits to their ratings."""

GridSourceName = Annotated[str, one_of("source", GRID_SOURCES)]
Budget = Annotated[int, Field(ge=2)]


class Homan2025(Section):
    """The study of sizes N × K of Homan et al. 2025; `snakemake homan2025` runs it."""

    sources: Annotated[list[GridSourceName], Distinct] = Field(
        [*design.LABELS, "convabuse_fit"], min_length=1
    )
    """The paper's priors by name, and your own fits: convabuse_fit, or SOURCE_fit if SOURCE has a path under
    `ratings`."""
    epsilons: Annotated[list[Epsilon], Distinct] = Field(list(design.EPSILONS), min_length=1)
    """Perturbations ε_B of system B's item means, each in [0, 1]."""
    budgets: Annotated[list[Budget], Distinct] = Field(list(design.BUDGETS), min_length=1)
    """Budgets N·K. The study spends each with every K of `k_responses` that gives a whole number of items."""
    k_responses: Annotated[list[Responses], Distinct] = Field(list(design.RESPONSES), min_length=1)
    """Responses per item K at every budget. The tables choose among K up to 100, as the paper's do."""
    sizes: Annotated[list[SizeSection], Distinct] = Field([])
    """Further sizes (N, K), each on its own."""
    metrics: Annotated[list[MetricName], Distinct] = Field(list(design.METRICS), min_length=1)
    """Metrics at every size: the paper's three, the Wasserstein distance of values, any other, or yours."""
    n_draws: int = Field(10_000, ge=2)
    """Draws b under each hypothesis. nbyk draws fewer if p > .2, or once p is known to 2 %."""
    claim_draws: int = Field(1000, ge=0)
    """Draws at each data set's own N and K. The paper's conclusions need these sizes; 0 leaves them out."""
    power_source: GridSourceName = "toxicity"
    """Source of Figure 6."""
    power_epsilon: Epsilon = 0.1
    """Perturbation ε_B of Figure 6."""
    power_sizes: Annotated[list[SizeSection], Distinct] = Field(
        [SizeSection(n_items=n, k_responses=k) for n, k in design.POWER_SIZES]
    )
    """Sizes (N, K) of Figure 6: N varies at K = 5 and 10, and K varies at N = 1000. An empty list drops the
    figure."""
    power_n_sets: int = Field(1000, ge=2)
    """Test sets at each size of Figure 6."""
    power_resamples: int = Field(10_000, ge=2)
    """Resamples M of each test set of Figure 6."""

    @property
    def fitted(self) -> list[str]:
        """The own fits among the sources."""
        asked = [*self.sources, *([self.power_source] if self.power_sizes else [])]
        return sorted({source for source in asked if design.is_own_fit(source)})
