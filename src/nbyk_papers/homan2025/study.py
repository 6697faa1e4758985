"""Homan et al. 2025, how many ratings per item."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from nbyk.errors import NbykError
from nbyk.studies import Study

if TYPE_CHECKING:
    from pydantic import BaseModel


class Homan2025Study(Study):
    """Homan et al. 2025, how many ratings per item."""

    name = "homan2025"

    def section(self) -> type[BaseModel]:
        """Return its keys."""
        from nbyk_papers.homan2025.config import Homan2025

        return Homan2025

    def check(self, config: Any) -> None:
        """Raise NbykError if an own fit is asked for without ratings."""
        grid = self.settings(config)
        for source in grid.fitted:
            key = "sources" if source in grid.sources else "power_source"
            check_fit(config, f"homan2025.{key}", source)

    def commands(self) -> Mapping[str, Callable[..., Any]]:
        """Return its commands."""
        from nbyk_papers.homan2025 import commands

        return {"homan2025": commands.app}


def check_fit(config: Any, key: str, source: str) -> None:
    """Raise NbykError if a source, asked for under a key, is our own fit to ratings that are not at hand."""
    from nbyk_papers.homan2025.design import is_own_fit, published_source

    fitted_to = published_source(source)
    if is_own_fit(source) and not config.has_ratings(fitted_to):
        raise NbykError(
            f"{source} is fitted to ratings that are not at hand; name their path as {fitted_to} under "
            "ratings, or drop it",
            key=key,
        )


STUDY = Homan2025Study()
