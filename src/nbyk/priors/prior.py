"""What every prior is: a distribution of whole data sets, with a name and what it is kept as."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import Any, ClassVar


class Prior(ABC):
    """A distribution of whole data sets: of items, and of the responses within them."""

    of_labels: ClassVar[bool]
    """Whether responses are classes."""

    of_pair: ClassVar[bool] = False
    n_items: ClassVar[int] = 0
    answers: ClassVar[None] = None
    """A prior has neither two real systems nor items of its own, as a pilot has."""

    name: str
    caution: str

    @property
    @abstractmethod
    def n_uniforms(self) -> int:
        """The number of uniforms for one item."""

    def to_dict(self) -> dict[str, Any]:
        """Return the prior as JSON can hold it; numbers survive the round trip exactly."""
        caution = {"caution": self.caution} if self.caution else {}
        return {"name": self.name, **self._content(), **self._names(), **caution}

    def key(self) -> str:
        """Return the distribution alone as canonical JSON, the key of random streams."""
        return json.dumps(self._content(), sort_keys=True, separators=(",", ":"), allow_nan=False)

    @abstractmethod
    def _content(self) -> dict[str, Any]:
        """Return the distribution alone, as JSON can hold it."""

    def _names(self) -> dict[str, Any]:
        return {}
