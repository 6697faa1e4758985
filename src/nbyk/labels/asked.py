"""What is asked of a bootstrap over label predictions: its draws, and the population of its first claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

from nbyk.errors import NbykError, unknown_name
from nbyk.labels.raters import RatedTargets
from nbyk.labels.results import Semantics
from nbyk.resampling.streams import as_seed
from nbyk.testing.decision import check_draws
from nbyk.testing.engine.run_draws import Runs
from nbyk.testing.intervals import check_confidence_level
from nbyk.testing.pvalues import Alternative, check_alternative
from nbyk.testing.systems.panel import check_factors


@dataclass(frozen=True)
class AskedOfLabels:
    """What is asked of `label_bootstrap`; the fields are its arguments, checked, and none is left open."""

    semantics: Semantics
    fraction: float
    runs: Runs
    alternative: Alternative
    n_resamples: int
    confidence_level: float
    seed: Any
    rated: RatedTargets | None
    generalise: Sequence[str] | None

    def __post_init__(self) -> None:
        if self.semantics not in get_args(Semantics):
            raise unknown_name("semantics", str(self.semantics), get_args(Semantics))
        if self.runs not in get_args(Runs):
            raise unknown_name("way to resample runs", str(self.runs), get_args(Runs))
        if self.published and self.runs != "concatenated":
            raise NbykError(f"found {self.runs!r}; published semantics concatenate runs", argument="runs")
        check_alternative(self.alternative)
        if self.published and self.alternative != "greater":
            raise NbykError(
                f"found {self.alternative!r}; published semantics are one-sided", argument="alternative"
            )
        if not 0.0 < self.fraction <= 1.0:
            raise NbykError(
                f"found {self.fraction}; expected a share of the items in (0, 1]", argument="fraction"
            )
        check_confidence_level(self.confidence_level)
        check_draws(self.n_resamples)
        object.__setattr__(self, "seed", as_seed(self.seed))

    @property
    def published(self) -> bool:
        """Whether the semantics are BooStSa's."""
        return self.semantics == "published"

    @property
    def of_new_raters(self) -> bool:
        """Whether the test also generalises over raters.

        Raises
        ------
        NbykError
            If a name to generalise over is unknown or not in the data, or "items" is missing.
        """
        appended = self.runs == "concatenated"
        there = self.rated is not None and self.rated.n_shared >= 2 and not appended
        if self.generalise is None:
            return there
        check_factors(self.generalise, ("items", "raters"))
        if "raters" in self.generalise and not there:
            why = (
                "published semantics do not support raters" if appended else "items share no two raters here"
            )
            raise NbykError(
                f"found raters, and {why}; leave raters out, or make the targets of ratings with ids",
                argument="generalise",
            )
        return "raters" in self.generalise

    def draws_runs(self, n_runs: tuple[int, ...]) -> bool:
        """Return whether resamples draw runs, of which each system has a number."""
        return max(n_runs) > 1 and self.runs in ("independent", "paired")
