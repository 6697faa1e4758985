"""The results of the comparisons of a design."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nbyk.errors import NbykError
from nbyk.labels.designs.settings import Settings
from nbyk.labels.results import LabelTest, stars_of
from nbyk.metrics.label_scores import Kind, LabelScore
from nbyk.testing.corrections import correct_p_values, settled_decisions
from nbyk.testing.engine.run_draws import Runs
from nbyk.testing.pvalues import Alternative, bounds_of_drawn_p, sides_of
from nbyk.testing.systems.claims import Claim

Verdict: TypeAlias = Literal["better", "worse", "undecided"]


@dataclass(frozen=True)
class PairScore:
    """One score of a pair, as in `LabelComparison`; A is the treatment and B the control."""

    score: str
    score_treatment: float
    score_control: float
    effect: float
    low: float
    high: float
    p: float
    p_two_sided: float | None
    standard_error: float
    flags: tuple[str, ...]
    claims: tuple[Claim, ...]

    def asked(self, alternative: Alternative) -> PairScore:
        """Return the same with the claims' p-values of an alternative; those of tests are of "greater"."""
        if alternative == "greater":
            return self
        return replace(
            self,
            claims=tuple(
                replace(
                    claim,
                    p=claim.p_of(alternative),
                    standard_error=claim.standard_error * sides_of(alternative),
                )
                for claim in self.claims
            ),
        )


@dataclass(frozen=True)
class PairResult:
    """A treatment compared with a control by every score, before any correction.

    Attributes
    ----------
    control, treatment
        Their names.
    n_items, n_drawn
        Items N, and the number that a resample draws.
    runs_control, runs_treatment
        Number of runs of each.
    runs
        The resampling of runs.
    notes
        Notes about all scores.
    scores
        One per score.
    """

    control: str
    treatment: str
    n_items: int
    n_drawn: int
    runs_control: int
    runs_treatment: int
    runs: Runs
    notes: tuple[str, ...]
    scores: tuple[PairScore, ...]

    @classmethod
    def of(cls, control: str, treatment: str, test: LabelTest) -> PairResult:
        """Return a test's numbers by treatment and control."""
        scores = tuple(
            PairScore(
                each.score.name,
                each.score_a,
                each.score_b,
                each.effect,
                *each.interval,
                each.p,
                each.p_two_sided,
                each.standard_error,
                each.warnings,
                each.claims,
            )
            for each in test.comparisons
        )
        return cls(
            control,
            treatment,
            test.n_items,
            test.n_drawn,
            test.runs_b,
            test.runs_a,
            test.runs,
            test.warnings,
            scores,
        )


@dataclass(frozen=True)
class ConditionScore:
    """One score of a control or treatment on the data.

    Attributes
    ----------
    control
        The control that it is compared with; for a control, its own name.
    condition
        Its name.
    score
        The score's name.
    of_runs
        The score of each run; NaN if it has none.
    """

    control: str
    condition: str
    score: str
    of_runs: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Mean over runs."""
        return float(np.mean(self.of_runs))

    @property
    def sd(self) -> float:
        """Standard deviation over runs, NaN for one run."""
        return float(np.std(self.of_runs, ddof=1)) if len(self.of_runs) > 1 else float("nan")


@dataclass(frozen=True)
class ScoreVerdict:
    """One score of a pair, corrected and decided.

    Attributes
    ----------
    pair, found
        The pair and its score; p of each claim is that of the chosen alternative.
    score
        The score.
    p_uncorrected
        The p-value of the chosen alternative.
    standard_error
        Monte-Carlo standard error of `p_uncorrected`.
    p_adjusted
        The p-value that decides: corrected for its family, if a correction was asked for. Also called `p`.
    stars
        BooStSa's marks of `p_adjusted`: "**" below .01, "*" below .05, "!" above .95.
    verdict
        "better" or "worse" if the treatment is shown to be, else "undecided".
    decided
        Whether the broadest claim is conclusive and the verdict is certain: more draws would change it with a
        chance of at most .001.
    reason
        Why the data are inconclusive; "" if they are not, or if more draws are enough.
    """

    pair: PairResult
    found: PairScore
    score: LabelScore
    p_uncorrected: float
    standard_error: float
    p_adjusted: float
    stars: str
    verdict: Verdict
    decided: bool
    reason: str = ""

    @property
    def p(self) -> float:
        """The p-value that decides."""
        return self.p_adjusted


@dataclass(frozen=True)
class DesignResult:
    """All comparisons of a design.

    Attributes
    ----------
    kind
        "hard" or "soft" labels.
    settings
        The settings of the comparisons.
    scores
        The scores, the first of which decides.
    pairs
        The result of each comparison.
    conditions
        The scores of every control and treatment, arm by arm.
    epochs
        Mean training epochs by (control, condition), if they are known.
    warnings
        Cautions about the targets, one sentence each.
    """

    kind: Kind
    settings: Settings
    scores: tuple[LabelScore, ...]
    pairs: tuple[PairResult, ...]
    conditions: tuple[ConditionScore, ...]
    epochs: Mapping[tuple[str, str], float]
    warnings: tuple[str, ...] = ()

    @property
    def findings(self) -> tuple[ScoreVerdict, ...]:
        """Every score of every pair, corrected: scores in turn, and pairs within each."""
        settings = self.settings
        two_sided = settings.chosen_alternative == "two-sided"
        p = np.array(
            [[found.p_two_sided if two_sided else found.p for found in pair.scores] for pair in self.pairs],
            dtype=np.float64,
        ).T
        inconclusive = np.isnan(p)
        drawn = np.array(
            [[found.claims[0].method == "bootstrap" for found in pair.scores] for pair in self.pairs]
        ).T
        # If one of a family is inconclusive, it counts as p = 1 when the others are corrected.
        p = np.where(inconclusive, 1.0, p)
        low, high = np.vectorize(bounds_of_drawn_p)(
            p, np.where(drawn, settings.n_resamples, 0), settings.chosen_alternative
        )
        families = (-1, p.size) if settings.family == "design" else p.shape
        method = settings.chosen_correction
        corrected = np.stack([correct_p_values(of_one, method) for of_one in p.reshape(families)])
        decided = np.stack(
            [
                settled_decisions(*of_one, alpha=settings.alpha, method=method)
                for of_one in zip(*(each.reshape(families) for each in (p, low, high)), strict=True)
            ]
        )
        corrected = np.where(inconclusive, np.nan, corrected.reshape(p.shape))
        few = self._too_few(drawn)
        decided = decided.reshape(p.shape) & ~inconclusive & ~few
        p = np.where(inconclusive, np.nan, p)
        return tuple(
            ScoreVerdict(
                pair,
                pair.scores[s].asked(settings.chosen_alternative),
                score,
                float(p[s, c]),
                pair.scores[s].standard_error * (2.0 if two_sided else 1.0),
                float(corrected[s, c]),
                stars_of(float(corrected[s, c])),
                _verdict(pair.scores[s].effect, float(corrected[s, c]) <= settings.alpha and not few[s, c]),
                bool(decided[s, c]),
                pair.scores[s].claims[0].reason or (self._why_too_few(pair) if few[s, c] else ""),
            )
            for s, score in enumerate(self.scores)
            for c, pair in enumerate(self.pairs)
        )

    def _too_few(self, drawn: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return where a drawn p says nothing, because no exact test of so few items reaches α.

        The least p of an exact test of N items is 2⁻ᴺ for each side. A bootstrap of so few gives any p.
        """
        settings = self.settings
        sides = sides_of(settings.chosen_alternative)
        least = np.array([sides * 0.5**pair.n_items for pair in self.pairs])
        return drawn & (least > settings.alpha) & (settings.semantics == "recommended")

    def _why_too_few(self, pair: PairResult) -> str:
        return (
            f"with {pair.n_items} items, not even an exact test can find a difference at "
            f"α = {self.settings.alpha:g}"
        )

    @property
    def deciding(self) -> tuple[ScoreVerdict, ...]:
        """The findings by the first score."""
        return self.findings[: len(self.pairs)]

    def condition(self, control: str, name: str, score: str) -> ConditionScore:
        """Return a score of a condition in a control's arm.

        Raises
        ------
        NbykError
            If there is no such score.
        """
        for each in self.conditions:
            if (each.control, each.condition, each.score) == (control, name, score):
                return each
        raise NbykError(f"no score {score!r} of {name!r} in the arm of {control!r}")


def _verdict(effect: float, shown: bool) -> Verdict:
    if not shown:
        return "undecided"
    return "better" if effect > 0.0 else "worse"
