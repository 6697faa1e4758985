"""The interface of a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from nbyk.studies.cell import Cell

if TYPE_CHECKING:
    from pydantic import BaseModel


class Study:
    """A reproduction of a paper, or another grid of simulations with a report.

    A subclass defines the parts that it has and leaves out the others. Importing its module must be cheap, so
    methods import the modules that they need.

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
        A parameter whose type is a dataclass of its module takes those that the dataclass has as fields.
    report
        The function that returns the report, an answer (`nbyk.report.answer.Answer`), as
        "package.module:function". It takes the settings and inputs of `reported` as steps do.
        ``report.html``, ``summary.json``, ``tables/`` and ``figures/`` are written from it.
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
        """Return its part of a whole configuration."""
        return getattr(config, self.name) if self.keys_of_its_own else config

    def check(self, config: Any) -> None:
        """Raise NbykError, with the key at fault as its `key`, if its keys do not go together."""

    def commands(self) -> Mapping[str, Callable[..., Any]]:
        """Return its commands by name: functions or groups (`typer.Typer`) below ``nbyk study``."""
        return {}

    def cells(self, config: Any) -> list[Cell]:
        """Return the cells that a configuration asks for, including stored ones."""
        return []

    def cell(self, config: Any, file: str) -> Cell | None:
        """Return the cell of a file below ``results/``; None if there is no such cell."""
        return next((cell for cell in self.cells(config) if cell.file == file), None)

    def reported(self, config: Any) -> Cell | None:
        """Return the settings and inputs of its report, as a cell whose file is the report's folder."""
        return None
