"""Fields that results of every front share, so that who knows one result knows all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol

from nbyk.errors import NbykError
from nbyk.notebook import ShownInNotebooks


class Found(Protocol):
    """The numbers of one comparison of two systems by one metric.

    Attributes
    ----------
    p
        p-value that decides, of the alternative asked for, corrected where several pairs are; NaN where there
        is none, as of Almost Stochastic Order.
    standard_error
        Monte-Carlo standard error of `p`; 0 where p is exact.
    interval
        Low and high end of the effect's confidence interval; it is not corrected.
    effect
        By how much A is better; positive where it is.
    """

    @property
    def p(self) -> float:  # noqa: D102
        ...

    @property
    def standard_error(self) -> float:  # noqa: D102
        ...

    @property
    def interval(self) -> tuple[float, float]:  # noqa: D102
        ...

    @property
    def effect(self) -> float:  # noqa: D102
        ...


class Several(ShownInNotebooks, ABC):
    """A result of several comparisons which, where there is one alone, has the numbers of that one.

    Of more, `p`, `standard_error`, `interval` and `effect` raise `NbykError`: each part has its own.
    """

    @property
    @abstractmethod
    def parts(self) -> Sequence[Found]:
        """The comparisons: pairs of systems, or scores."""

    @property
    def p(self) -> float:
        """The p-value, of one comparison alone."""
        return self._only.p

    @property
    def standard_error(self) -> float:
        """Monte-Carlo standard error of `p`, of one comparison alone."""
        return self._only.standard_error

    @property
    def interval(self) -> tuple[float, float]:
        """The effect's interval, of one comparison alone."""
        return self._only.interval

    @property
    def effect(self) -> float:
        """The effect, of one comparison alone."""
        return self._only.effect

    @property
    def _only(self) -> Found:
        if len(self.parts) != 1:
            raise NbykError(
                f"this result has {len(self.parts)} comparisons; each of `parts` has its own numbers"
            )
        return self.parts[0]
