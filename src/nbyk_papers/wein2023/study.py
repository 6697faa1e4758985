"""Wein et al. 2023: the default run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from nbyk.errors import NbykError, unknown_name
from nbyk.studies import Study

if TYPE_CHECKING:
    from pydantic import BaseModel


class Wein2023Study(Study):
    """Wein et al. 2023: the default run."""

    name = "wein2023"
    keys_of_its_own = False

    def section(self) -> type[BaseModel]:
        """Return its keys."""
        from nbyk_papers.wein2023.config import Wein2023

        return Wein2023

    def check(self, config: Any) -> None:
        """Raise NbykError if a source is unknown, or has neither ratings nor a prior, or samplers a null."""
        from nbyk.data.sources import source_names
        from nbyk_papers.wein2023.design import PRIORS

        known = ("simulated", *source_names(), *config.own_ratings)
        for index, source in enumerate(config.sources):
            if source not in known:
                raise unknown_name("source", source, known).about(key=f"sources.{index}")
        for source in config.sources:
            if source not in PRIORS and not config.has_ratings(source):
                raise NbykError(
                    f"{source} has no published prior here, and its ratings are not at hand; name their "
                    f"path as {source} under ratings, or drop it",
                    key="sources",
                )
        fixed = [name for name in config.samplers if name.startswith("all_items")]
        if config.recommended_null == "shifted" and "recommended" in config.semantics and fixed:
            raise NbykError(
                f"the shifted null is for samplers that bootstrap items; drop {fixed[0]}",
                key="recommended_null",
            )

    def commands(self) -> Mapping[str, Callable[..., Any]]:
        """Return its commands, and those of the cells that every study of p-values can be made of."""
        from nbyk_papers.wein2023 import commands, effects

        return {**effects.COMMANDS, "wein2023": commands.app}


STUDY = Wein2023Study()
