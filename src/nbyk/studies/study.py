"""What a study is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from nbyk.studies.cell import Cell

if TYPE_CHECKING:
    from pydantic import BaseModel


class Study:
    """A reproduction of a paper, or another grid of simulations with a report.

    A subclass says what it brings; what it leaves out, it does not have. Importing its module is to be cheap:
    import what the methods need inside them.

    Attributes
    ----------
    name
        Its section of the configuration and its target of Snakemake.
    folder
        The folder of its report below ``results/``; that of its name without one.
    store
        The folder of its cells below ``results/``; that of its name without one.
    keys_of_its_own
        Whether its keys stand in a section of its name, and not in the configuration itself.
    steps
        The functions that make its cells, by name, as "package.module:function". Each takes a cell's settings
        and inputs by name, and `work` (`nbyk.studies.steps.Work`); it returns a table and further metadata.
    report
        The function that returns what people read, an answer (`nbyk.report.answer.Answer`), as
        "package.module:function". It takes the settings and inputs of `reported` by name. ``report.html``,
        ``summary.json``, ``tables/`` and ``figures/`` are written of it.
    """

    name: ClassVar[str]
    folder: ClassVar[str] = ""
    store: ClassVar[str] = ""
    keys_of_its_own: ClassVar[bool] = True
    steps: ClassVar[Mapping[str, str]] = {}
    report: ClassVar[str] = ""

    def section(self) -> type[BaseModel] | None:
        """Return the keys that it adds to the configuration."""
        return None

    def settings(self, config: Any) -> Any:
        """Return its keys of a whole configuration."""
        return getattr(config, self.name) if self.keys_of_its_own else config

    def check(self, config: Any) -> None:
        """Raise NbykError, with the key at fault as its `key`, if its keys do not go together."""

    def commands(self) -> Mapping[str, Callable[..., Any]]:
        """Return its commands by name: functions or groups (`typer.Typer`) below ``nbyk study``."""
        return {}

    def cells(self, config: Any) -> list[Cell]:
        """Return the cells that a configuration asks for, those that are stored among them."""
        return []

    def cell(self, config: Any, file: str) -> Cell | None:
        """Return the cell of a file below ``results/``, None where there is no such cell."""
        return next((cell for cell in self.cells(config) if cell.file == file), None)

    def reported(self, config: Any) -> Cell | None:
        """Return what its report is told and reads, with the folder that it goes to as its file."""
        return None
