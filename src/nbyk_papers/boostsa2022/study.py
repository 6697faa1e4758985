"""Fornaciari et al. 2022, BooStSa: bootstrap tests of label predictions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from nbyk.errors import NbykError
from nbyk.studies import Study

if TYPE_CHECKING:
    from pydantic import BaseModel


class Boostsa2022Study(Study):
    """Fornaciari et al. 2022, BooStSa: bootstrap tests of label predictions."""

    name = "boostsa2022"

    def section(self) -> type[BaseModel]:
        """Return its keys."""
        from nbyk_papers.boostsa2022.config import Boostsa2022

        return Boostsa2022

    def check(self, config: Any) -> None:
        """Raise NbykError if no score of hard labels is asked for."""
        from nbyk_papers.boostsa2022.design import HARD_SCORES

        scores = self.settings(config).scores
        if not set(scores) & set(HARD_SCORES):
            raise NbykError(
                f"found {', '.join(scores)}; expected at least one score of hard labels, such as accuracy, "
                "for Figures 1 to 3",
                key="boostsa2022.scores",
            )

    def commands(self) -> Mapping[str, Callable[..., Any]]:
        """Return its commands."""
        from nbyk_papers.boostsa2022 import commands

        return {"boostsa2022": commands.app}


STUDY = Boostsa2022Study()
