"""Ulmer et al. 2022, tests of scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from nbyk.studies import Study

if TYPE_CHECKING:
    from pydantic import BaseModel


class Ulmer2022Study(Study):
    """Ulmer et al. 2022, tests of scores."""

    name = "ulmer2022"

    def section(self) -> type[BaseModel]:
        """Return its keys."""
        from nbyk_papers.ulmer2022.config import Ulmer2022

        return Ulmer2022

    def commands(self) -> Mapping[str, Callable[..., Any]]:
        """Return its commands, and those of its case study."""
        from nbyk_papers.ulmer2022 import commands
        from nbyk_papers.ulmer2022.cartpole import commands as cartpole

        return {"ulmer2022": commands.app, "cartpole": cartpole.app}


STUDY = Ulmer2022Study()
