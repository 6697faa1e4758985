"""Fornaciari et al. 2022, BooStSa: bootstrap tests of label predictions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from nbyk.errors import NbykError
from nbyk.studies import Step, Study
from nbyk.studies.study import Cell
from nbyk_papers.batches import Axis, batched
from nbyk_papers.boostsa2022.design import (
    ALPHA,
    EXAMPLE_FRACTION,
    FRACTIONS,
    HARD_SCORES,
    SCORES,
    SEMANTICS,
    SOFT_SCORES,
)

SHARES = Axis("default", tuple(str(share) for share in FRACTIONS))
SCORES_OF_KIND = {
    kind: Axis("default", tuple(name for name in SCORES if name in known))
    for kind, known in (("hard", HARD_SCORES), ("soft", SOFT_SCORES))
}


def p_value_cells(config: Any, settings: Any) -> Iterator[Cell]:
    """Yield the cells of Figures 1 to 3: of each design, by batches of shares and of scores."""
    scores = [name for name in settings.scores if name in HARD_SCORES]
    simulations = {"n_simulations": settings.n_simulations, "seed": config.seed}
    folder = "boostsa2022/pvalues"
    for n in settings.sizes:
        told = {"n_items": n, "accuracy": settings.accuracy, "n_resamples": settings.n_resamples}
        whole = Cell(f"{folder}/design=balanced/n-{n}", "balanced", told | simulations, memory=261, seconds=3)
        yield from _batches(whole, settings.fractions, "hard", scores)
    told = {"n_resamples": settings.tagging_resamples, **simulations}
    for discordance in settings.discordances:
        whole = Cell(
            f"{folder}/design=tagging/discordance-{discordance}",
            "tagging",
            {"discordance": discordance, **told},
            memory=238,
            seconds=9,
        )
        yield from _batches(whole, settings.fractions, "hard", scores)
    # The example is compared at the share that the paper printed it for.
    shares = list(dict.fromkeys([*settings.fractions, EXAMPLE_FRACTION]))
    whole = Cell(f"{folder}/design=example/all", "example", told, memory=261, seconds=5)
    yield from _batches(whole, shares, "hard", scores)


def level_cells(config: Any, settings: Any) -> Iterator[Cell]:
    """Yield the cells of Type-I error: of each kind of labels, size and semantics, by batches."""
    for kind, known in (("hard", HARD_SCORES), ("soft", SOFT_SCORES)):
        scores = [name for name in settings.scores if name in known]
        for n in settings.level_sizes:
            work = max(1000, n) / 1000 * settings.n_sets / 2000 * settings.level_resamples / 999
            for semantics in SEMANTICS:
                told = {
                    "kind": kind,
                    "n_items": n,
                    "semantics": semantics,
                    "n_sets": settings.n_sets,
                    "n_resamples": settings.level_resamples,
                    "alpha": ALPHA,
                    "seed": config.seed,
                }
                file = f"boostsa2022/levels/kind={kind}/n-{n}_{semantics}"
                whole = Cell(file, "levels", told, memory=299, seconds=113 * work)
                yield from _batches(whole, settings.fractions, kind, scores)


def _batches(whole: Cell, shares: Sequence[float], kind: str, scores: Sequence[str]) -> Iterator[Cell]:
    """Yield the cells of the batches of shares and of scores that make up a whole."""
    asked = [(SHARES, [str(share) for share in shares]), (SCORES_OF_KIND[kind], scores)]
    for file, (share_names, score_names) in batched(whole.file, asked):
        batch = {"scores": score_names, "fractions": [float(share) for share in share_names]}
        yield replace(whole, file=file, settings={**whole.settings, **batch})


class Boostsa2022Study(Study):
    """Fornaciari et al. 2022, BooStSa: bootstrap tests of label predictions."""

    name = "boostsa2022"
    keys = "nbyk_papers.boostsa2022.config:Boostsa2022"
    steps: ClassVar = {
        name: Step(f"nbyk_papers.boostsa2022.label_cells:{name}", f"boostsa2022/{folder}")
        for name, folder in {
            "balanced": "pvalues/design=balanced",
            "tagging": "pvalues/design=tagging",
            "example": "pvalues/design=example",
            "levels": "levels",
        }.items()
    }
    datasets: ClassVar = {
        "pvalues": "nbyk_papers.boostsa2022.comparison:p_value_rows",
        "rates": "nbyk_papers.boostsa2022.comparison:rate_rows",
    }
    report = "nbyk_papers.boostsa2022.report:report"
    report_work = (267.0, 8.0)

    def check(self, config: Any) -> None:
        """Raise NbykError if no score of hard labels is asked for."""
        scores = self.settings(config).scores
        if not set(scores) & set(HARD_SCORES):
            raise NbykError(
                f"found {', '.join(scores)}; expected at least one score of hard labels, such as accuracy, "
                "for Figures 1 to 3",
                key="boostsa2022.scores",
            )

    def cells(self, config: Any) -> list[Cell]:
        """Return the cells of the paper's figures and of Type-I error."""
        settings = self.settings(config)
        return [*p_value_cells(config, settings), *level_cells(config, settings)]

    def figures(self, config: Any) -> list[str]:
        tagging = ["figure_02"] if self.settings(config).discordances else []
        return ["type_1_error", "figure_01", *tagging, "figure_03"]

    def tables(self, config: Any) -> list[str]:
        return ["verdicts", *self.figures(config)]


STUDY = Boostsa2022Study()
