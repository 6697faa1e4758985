"""What a study is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import BaseModel


class Study:
    """A reproduction of a paper, or another grid of simulations with a report.

    A subclass says what it brings; what it leaves out, it does not have. Importing its module is to be cheap:
    import what the methods need inside them.

    Attributes
    ----------
    name
        Its folder below ``results/``, its section of the configuration and its target of Snakemake.
    keys_of_its_own
        Whether its keys stand in a section of its name, and not in the configuration itself.
    """

    name: str
    keys_of_its_own: bool = True

    def section(self) -> type[BaseModel] | None:
        """Return the keys that it adds to the configuration."""
        return None

    def settings(self, config: Any) -> Any:
        """Return its keys of a whole configuration."""
        return getattr(config, self.name) if self.keys_of_its_own else config

    def check(self, config: Any) -> None:
        """Raise NbykError, which begins with the key at fault, if its keys do not go together."""

    def commands(self) -> Mapping[str, Callable[..., Any]]:
        """Return its commands by name: functions or groups (`typer.Typer`) below ``nbyk study``."""
        return {}
