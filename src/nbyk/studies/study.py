"""The interface of a study, its cells, the files of results of every study, and the studies installed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, ClassVar

from nbyk.errors import NbykError, check_name
from nbyk.health import Finding

if TYPE_CHECKING:
    from pydantic import BaseModel

DOWNLOADS = Path("results/downloads")
"""Copies of downloads, which every machine of a cluster sees. Snakemake may delete them; the user's own
folder keeps the downloads, verified."""


def ratings_file(source: str) -> str:
    """Return the file of a source's normalised ratings."""
    return f"results/ratings/{source}.parquet"


def fit_file(source: str, name: str) -> str:
    """Return the "prior" that was fitted to a source's ratings, or the "check" of the fit."""
    return f"results/fits/{source}/{name}.json"


Inputs = Mapping[str, str | Sequence[str]]

_JOB_SECONDS = (60.0, 540.0)
"""Seconds that a job may take in any case, and the most on a large grid."""
_JOBS = 1000
"""Largest number of jobs of a grid before jobs become longer."""


def seconds_of_a_job(total: float, asked: float | None = None) -> float:
    """Return how long the cells that share a job may take: as asked, or by the time of all cells together."""
    shortest, longest = _JOB_SECONDS
    return min(longest, max(shortest, total / _JOBS)) if asked is None else asked


@dataclass(frozen=True)
class Cell:
    """A file of results.

    Attributes
    ----------
    file
        Its path below ``results/``: folders and a name that describe it.
    step
        The step of its study that makes it.
    settings
        The settings of the step, plain values by name.
    inputs
        The file, or the files, that the step reads, by name.
    memory, seconds
        The measured memory in MB, and time in seconds.
    disk
        Room that the file takes, in MB, if it is large.
    """

    file: str
    step: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    inputs: Inputs = field(default_factory=dict)
    memory: float = 250.0
    seconds: float = 60.0
    disk: float = 0.0

    @property
    def path(self) -> str:
        """The file in the folder of a run."""
        return f"results/{self.file}"

    def words(self) -> list[str]:
        """Return its settings as words of the command line that `settings_from` reads."""
        return [f"{name}={_written(value)}" for name, value in self.settings.items()]

    def options(self) -> list[str]:
        """Return its inputs as options of the command line."""
        options = []
        for name, files in self.inputs.items():
            if isinstance(files, str):
                options += ["--from", f"{name}={files}"]
            else:
                options += [word for file in files for word in ("--all-from", f"{name}={file}")]
        return options


def _written(value: Any) -> str:
    """Return a value as JSON, or a text unchanged if it would not be read as something else."""
    if isinstance(value, str):
        try:
            json.loads(value)
        except ValueError:
            return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def settings_from(words: Sequence[str]) -> dict[str, Any]:
    """Return the settings in words such as ``n_sets=1000`` or ``metrics=["mae","mse"]``."""
    settings: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name.isidentifier():
            raise NbykError(f"{word}: expected a setting and its value, such as n_sets=1000")
        if name in settings:
            raise NbykError(f"{name} is given twice; keep one")
        try:
            settings[name] = json.loads(text)
        except ValueError:
            settings[name] = text
    return settings


@dataclass(frozen=True)
class Step:
    """A step of a study, which is a rule of the workflow.

    Attributes
    ----------
    function
        The function that makes a cell, as "package.module:function". It takes the cell's settings and inputs
        by name, and `work` (`nbyk.studies.steps.Work`); it returns a table of pyarrow or pandas, and further
        metadata. A parameter whose type is a dataclass of its module takes those that the dataclass has as
        fields.
    folder
        The folder of its cells below ``results/``. No other step has cells there.
    """

    function: str
    folder: str


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
    keys
        The class of its keys in the configuration, an `nbyk.config.sections.Section`, which refuses others,
        as "package.module:class"; "" if it adds none.
    keys_of_its_own
        Whether its keys stand in a section of its name, and not in the configuration itself.
    steps
        The steps that make its cells, by name.
    datasets
        The datasets below ``results/`` that its results are part of ("pvalues", "rates"), each with the
        function that returns its rows, as "package.module:function". It takes those settings and inputs of
        `gathered` that it names.
    report
        The function that returns the report, an answer (`nbyk.report.answer.Answer`), as
        "package.module:function". It takes the settings and inputs of `reported` as steps do.
        ``figures/`` is written from it, and then ``report.html``, ``summary.json`` and ``tables/``.
    report_work
        The measured memory in MB, and time in seconds, that the report takes.
    """

    name: ClassVar[str]
    folder: ClassVar[str] = ""
    keys: ClassVar[str] = ""
    keys_of_its_own: ClassVar[bool] = True
    steps: ClassVar[Mapping[str, Step]] = {}
    datasets: ClassVar[Mapping[str, str]] = {}
    report: ClassVar[str] = ""
    report_work: ClassVar[tuple[float, float]] = (250.0, 60.0)

    def rule(self, part: str) -> str:
        """Return the name of the rule of one of its steps, or of "aggregate", "plot" or "report"."""
        return f"{self.name}_{part}"

    def section(self) -> type[BaseModel] | None:
        """Return the keys that it adds to the configuration."""
        return resolve_name(self.keys) if self.keys else None

    def settings(self, config: Any) -> Any:
        """Return its part of a whole configuration."""
        return getattr(config, self.name) if self.keys_of_its_own else config

    def check(self, config: Any) -> None:
        """Raise NbykError, with the key at fault as its `key`, if its keys do not go together."""

    def commands(self) -> Mapping[str, Callable[..., Any]]:
        """Return its commands by name: functions or groups (`typer.Typer`) below ``nbyk study``."""
        return {}

    def note(self, config: Any) -> str:
        """Return a line to say beside its target: what it lacks, and how to get it; "" if nothing."""
        return ""

    def cells(self, config: Any) -> list[Cell]:
        """Return the cells that a configuration asks for, including stored ones."""
        return []

    def cell(self, config: Any, file: str) -> Cell | None:
        """Return the cell of a file below ``results/``; None if there is no such cell."""
        return next((cell for cell in self.cells(config) if cell.file == file), None)

    def cell_paths(self, config: Any) -> dict[str, list[str]]:
        """Return the paths of its cells by the steps that make any."""
        cells = self.cells(config)
        paths = {step: [cell.path for cell in cells if cell.step == step] for step in self.steps}
        return {step: of_step for step, of_step in paths.items() if of_step}

    def gathered(self, config: Any) -> Cell:
        """Return the settings and inputs of its rows of the datasets: by default its cells, by step."""
        return Cell("", "aggregate", {"seed": config.seed}, self.cell_paths(config))

    def figures(self, config: Any) -> Sequence[str]:
        """Return the names of the figures of its report, each of which is a file that Snakemake knows."""
        return []

    def tables(self, config: Any) -> Sequence[str]:
        """Return the names of the tables of its report, as `figures`."""
        return []

    def reported(self, config: Any) -> Cell:
        """Return the settings and inputs of its report, as a cell whose file is the report's folder.

        By default the inputs are its cells, by step, and there are no settings.
        """
        memory, seconds = self.report_work
        inputs = self.cell_paths(config)
        return Cell(self.folder or self.name, "report", {}, inputs, memory=memory, seconds=seconds)


GROUP = "nbyk.studies"
"""Entry points of this group are studies; each is a line in its package's pyproject.toml."""


@cache
def studies() -> tuple[Study, ...]:
    """Return the studies of every installed package, by name."""
    return tuple(_of_entry(entry) for entry in _entries())


def study_named(name: str) -> Study:
    """Return the study of a name, or raise NbykError with the names there are."""
    by_name = {study.name: study for study in studies()}
    check_name("study", name, by_name)
    return by_name[name]


def examine_studies() -> Iterator[Finding]:
    """Yield the studies that are installed and cannot be loaded."""
    for entry in _entries():
        try:
            _of_entry(entry)
        except NbykError as error:
            yield Finding(entry.name, "", error.problem)


def _entries() -> list[EntryPoint]:
    return sorted(entry_points(group=GROUP), key=lambda entry: entry.name)


def _of_entry(entry: EntryPoint) -> Study:
    try:
        study: Study = entry.load()
    except Exception as error:  # another author's package may raise anything as it is imported
        what = f"a study that cannot be loaded from {entry.value} ({type(error).__name__}: {error})"
        raise NbykError(f"{what}; update its package, or uninstall it", name=entry.name) from None
    return study
