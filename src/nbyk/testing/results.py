"""Fields that all kinds of results share: if you know one result, you know all."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Protocol

import numpy as np

from nbyk.errors import NbykError
from nbyk.words import ShownInNotebooks


class Found(Protocol):
    """The numbers of one comparison of two systems by one metric.

    Attributes
    ----------
    p
        The p-value that decides: of the chosen alternative, and corrected if there are several pairs. NaN if
        the test gives none, such as Almost Stochastic Order.
    standard_error
        Monte-Carlo standard error of `p`; 0 where p is exact.
    interval
        Low and high end of the effect's confidence interval; it is not corrected.
    effect
        How much better A is; positive if A is better.
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
    """A result of comparisons; if there is only one, it has the numbers of that one.

    With more, `p`, `standard_error`, `interval` and `effect` raise `NbykError`: each part has its own.
    """

    @property
    @abstractmethod
    def parts(self) -> Sequence[Found]:
        """The comparisons: pairs of systems, or scores."""

    @property
    def p(self) -> float:
        """The p-value; only for a single comparison."""
        return self._only.p

    @property
    def standard_error(self) -> float:
        """Monte-Carlo standard error of `p`; only for a single comparison."""
        return self._only.standard_error

    @property
    def interval(self) -> tuple[float, float]:
        """The effect's interval; only for a single comparison."""
        return self._only.interval

    @property
    def effect(self) -> float:
        """The effect; only for a single comparison."""
        return self._only.effect

    @property
    def _only(self) -> Found:
        if len(self.parts) != 1:
            raise NbykError(
                f"this result has {len(self.parts)} comparisons; each of `parts` has its own numbers"
            )
        return self.parts[0]


def plain(value: Any) -> Any:
    """Return a field as a value that JSON can hold."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, np.ndarray):
        return [plain(number) for number in value.tolist()]
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
