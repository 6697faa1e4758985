"""The keys of the study in the configuration."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from nbyk.config.sections import Distinct, PositiveShare, Section, SizeSection, one_of
from nbyk_papers.raters import design

SourceName = Annotated[str, one_of("source", design.WITH_IDS)]
SizeOfSharing = Annotated[int, Field(ge=3)]


class Raters(Section):
    """The study of raters who rate several items (docs/raters.md); `snakemake raters` runs it."""

    sources: Annotated[list[SourceName], Distinct] = Field([])
    """Data sets with ids of raters. By default, all such data sets that you have."""
    n_items: Annotated[list[Annotated[int, Field(ge=50)]], Distinct] = Field(
        list(design.N_ITEMS), min_length=1
    )
    """Items N of the grid."""
    k_responses: Annotated[list[SizeOfSharing], Distinct] = Field(list(design.K_RESPONSES), min_length=1)
    """Ratings per item K of the grid: the same K people rate all items."""
    sizes: Annotated[list[SizeSection], Distinct] = Field(
        [SizeSection(n_items=n, k_responses=k) for n, k in design.FURTHER_SIZES]
    )
    """Further sizes (N, K), outside the grid."""
    epsilons: Annotated[list[PositiveShare], Distinct] = Field(list(design.EPSILONS), min_length=1)
    """Perturbations ε of B's item means, as in the papers."""
    shifts: Annotated[list[PositiveShare], Distinct] = Field([design.SHIFT])
    """Upward shifts of all of B's item means. Such a system errs in one direction, as a severe rater does."""
    n_sets: int = Field(40, ge=2)
    """Simulated test sets behind each p-value."""
    n_resamples: int = Field(64, ge=2)
    """Draws M of each hypothesis behind an expected p."""
    category_epsilons: Annotated[list[PositiveShare], Distinct] = Field([0.1, 0.3], min_length=1)
    """Perturbations ε of B's labels, where labels are categories."""
    category_sets: int = Field(1000, ge=2)
    """Test sets of categories of each hypothesis."""

    @property
    def all_sizes(self) -> list[tuple[int, int]]:
        """Every size (N, K)."""
        grid = [(n, k) for k in self.k_responses for n in self.n_items]
        return list(dict.fromkeys([*grid, *((size.n_items, size.k_responses) for size in self.sizes)]))
