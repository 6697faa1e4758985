"""What items and their responses are drawn from: a prior, or the items of a pilot."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import Any, ClassVar

from nbyk.errors import NbykError


class ItemSource(ABC):
    """What items and their responses are drawn from; `of_labels` says whether responses are classes."""

    of_labels: ClassVar[bool]
    perturbed: ClassVar[str] = "item means are off by up to"
    """What an ε of a simulated system says, to precede it."""

    @property
    def of_pair(self) -> bool:
        """Whether two real systems answered the items."""
        return False

    @property
    def n_items(self) -> int:
        """The items of a pilot; 0 for a prior, which has no items of its own."""
        return 0

    @abstractmethod
    def key(self) -> str:
        """Return what fixes the items, as the key of random streams."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the source as plain values that JSON can hold."""


class Prior(ItemSource):
    """A distribution of whole data sets: of items, and of the responses within them."""

    answers: ClassVar[None] = None
    name: str
    caution: str

    def check_name(self) -> None:
        """Raise an `NbykError` unless the name is one."""
        if not isinstance(self.name, str) or not self.name:
            raise NbykError(f"prior: name is {self.name!r}; expected a name, such as mine")

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
