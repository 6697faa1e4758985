"""The keys of the study in the configuration."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from nbyk.config.sections import Distinct, Epsilon, Responses, Section, one_of
from nbyk_papers.pandita2026 import design

PriorName = Annotated[str, one_of("source", list(design.PRIORS))]
Budget = Annotated[int, Field(ge=1, le=1_000_000)]


class Pandita2026(Section):
    """Categories, Pandita et al. 2026 (docs/pandita2026.md); `snakemake pandita2026` runs it."""

    sources: Annotated[list[PriorName], Distinct] = Field(list(design.PRIORS), min_length=1)
    """The paper's Dirichlet priors: five that it fitted to ratings, and five that it calls unbalanced."""
    budgets: Annotated[list[Budget], Distinct] = Field(list(design.BUDGETS), min_length=1)
    """Budgets N·K. The study spends each with every K of `k_responses` that is not above it."""
    k_responses: Annotated[list[Responses], Distinct] = Field(list(design.K_RESPONSES), min_length=1)
    """Responses per item K at every budget."""
    epsilons: Annotated[list[Epsilon], Distinct] = Field(list(design.EPSILONS), min_length=1)
    """Perturbations ε of system B. Tables and figures show the one nearest to .3."""
    n_sets: int = Field(design.N_SETS, ge=2)
    """Test sets of each hypothesis in the grid."""
    table_sets: int = Field(design.TABLE_SETS, ge=2)
    """Test sets of each hypothesis in the cells of the paper's Table 2."""
    estimate_sets: int = Field(400, ge=2)
    """Test sets from which p is estimated, of each kind of responses and ε: skewed, nominal and ordinal."""
