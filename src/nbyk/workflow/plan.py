"""The plan of a run: the files that a configuration asks for, the inputs of each, and its resources."""

from __future__ import annotations

import logging
import os
import sys
import sysconfig
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

from nbyk.config import check_files, validate
from nbyk.data import read_ratings, scale_from_text, source, source_names
from nbyk.data.download import terms_of
from nbyk.errors import NbykError
from nbyk.progress import USAGE_VARIABLE
from nbyk.studies import Study, studies
from nbyk.studies.code import checksum
from nbyk.studies.study import DOWNLOADS, Cell, Inputs


def repeated(flag: str, values: Iterable[object]) -> list[str]:
    """Return an option of the command line once for each value."""
    return [word for value in values for word in (flag, str(value))]


class StepRule(NamedTuple):
    """A step of a study as a rule: the rule's name, the study, the step, function, folder of cells."""

    rule: str
    study: Study
    step: str
    function: str
    folder: str


class RunPlan:
    """The plan that a configuration gives for the workflow: the studies that have a report, and their steps.

    `values` are the merged configuration, and `files` those that it was merged from, to name the place of a
    wrong value. Every result of a lookup is kept, because Snakemake asks for it again and again.
    """

    def __init__(self, values: Mapping[str, Any], files: Sequence[str]) -> None:
        check_files(files)
        self.config = validate(values, files=files)
        with_report = [study for study in studies() if study.report]
        self.studies = {study.name: study for study in with_report}
        self.steps = [
            StepRule(study.rule(name), study, name, step.function, step.folder)
            for study in with_report
            for name, step in study.steps.items()
        ]
        self.sources = ("simulated", *source_names(), *self.config.own_ratings)
        self._checksums: dict[str, str] = {}
        self._asked: dict[str, dict[str, Cell]] = {}
        self._parts: dict[tuple[str, str], Cell] = {}
        self._n_ratings = {name: self._own_counts(name) for name in self.config.own_ratings}

    def code(self, function: str) -> str:
        """Return the checksum of all code and data behind a function, "package.module:function".

        It is a parameter of each job, so that an edit of this code runs the job again.
        """
        if function not in self._checksums:
            self._checksums[function] = checksum(function)
        return self._checksums[function]

    # Ratings.

    def rating_files(self, name: str) -> list[str]:
        """Return the files of a source's ratings: the user's own, downloads, or none if they are embedded."""
        if self.config.downloaded(name):
            return [f"{DOWNLOADS}/{name}/{file.name}" for file in source(name).remote]
        return self.config.rating_files(name)

    def rating_options(self, name: str) -> list[str]:
        """Return the options of `nbyk study normalise`: a source's path, and the scale of a user's own."""
        if name in self.config.own_ratings:
            own = self.config.own_ratings[name]
            return ["--path", own.path, "--scale", own.scale]
        if name in self.config.ratings:
            return ["--path", self.config.ratings[name]]
        if self.config.downloaded(name):
            return ["--path", str(source(name).copy_in(DOWNLOADS))]
        return []

    def rating_work(self, name: str) -> float:
        """Return the cost of ratings relative to those of ConvAbuse, by their items or their number."""
        measured = source("convabuse")
        if name in self._n_ratings:
            n_items, n_ratings = self._n_ratings[name]
        else:
            n_items, n_ratings = source(name).n_items, source(name).n_ratings
        return max(n_items / measured.n_items, n_ratings / measured.n_ratings)

    def _own_counts(self, name: str) -> tuple[int, int]:
        """Return the number of items and of ratings in a table of the user's own."""
        own = self.config.own_ratings[name]
        try:
            counts = read_ratings(own.path, scale=scale_from_text(own.scale)).counts()
        except NbykError as error:
            raise NbykError(str(error), key=f"own_ratings.{name}") from None
        return len(counts), int(counts.sum())

    def terms(self, name: str) -> str:
        """Return a source's licence, terms and citation, to show before it is fetched."""
        return terms_of(source(name))

    def download_options(self) -> list[str]:
        """Return the folder of downloads and the address to fetch from, as options."""
        folder, mirror = self.config.downloads.folder, self.config.downloads.mirror
        return repeated("--folder", filter(None, [folder])) + repeated("--mirror", filter(None, [mirror]))

    # Comparisons of the user's own.

    def metric_files(self, comparison: str) -> list[str]:
        """Return the user's files that define the metrics of a comparison."""
        return self.config.files_of_metrics(self.config.comparisons[comparison].metrics)

    def comparison_work(self, name: str) -> float:
        """Return the cost of a comparison relative to one of a megabyte of ratings."""
        sizes = [Path(file).stat().st_size for file in self.config.comparisons[name].files()]
        return max(1.0, sum(sizes) / 1e6)

    # Studies.

    def cell(self, step: StepRule, name: str) -> Cell:
        """Return the cell of a step in a file that the configuration asks for, or that exists."""
        study, file = step.study, f"{step.folder}/{name}.parquet"
        cell = self._asked_of(study).get(file) or study.cell(self.config, file)
        if cell is None:
            raise NbykError(f"results/{file}: the configuration asks for no such cell; add it there")
        return cell

    def inputs(self, step: StepRule, name: str) -> Inputs:
        """Return the inputs of a cell. A path that nobody asks for ends the run in one line."""
        try:
            return self.cell(step, name).inputs
        except NbykError as error:
            print(f"error: {error}", file=sys.stderr)
            sys.exit(1)  # Snakemake would print a traceback with any other exception

    def part(self, study: Study, part: str) -> Cell:
        """Return settings and inputs of a study's "gathered" rows, or of its "reported" figures and page."""
        if (study.name, part) not in self._parts:
            self._parts[study.name, part] = getattr(study, part)(self.config)
        return self._parts[study.name, part]

    def cell_files(self, *names: str) -> list[str]:
        """Return the files of the cells that the configuration asks of studies."""
        return [cell.path for name in names for cell in self._asked_of(self.studies[name]).values()]

    def dataset_files(self, study: Study) -> list[str]:
        """Return the files of a study's rows of the datasets."""
        return [f"results/{dataset}/{study.name}.parquet" for dataset in study.datasets]

    def figure_files(self, study: Study) -> list[str]:
        """Return the files of a study's figures."""
        names, folder = study.figures(self.config), self.folder(study)
        return [f"{folder}/figures/{name}{suffix}" for name in names for suffix in (".svg", ".png")]

    def table_files(self, study: Study) -> list[str]:
        """Return the files of a study's tables."""
        return [f"{self.folder(study)}/tables/{name}.csv" for name in study.tables(self.config)]

    def folder(self, study: Study) -> str:
        """Return the folder of a study's report."""
        return f"results/{study.folder or study.name}"

    def report_files(self, *names: str) -> list[str]:
        """Return the reports of studies: pages, summaries, figures and tables."""
        files = []
        for study in map(self.studies.__getitem__, names):
            folder = self.folder(study)
            files += [f"{folder}/report.html", f"{folder}/summary.json"]
            files += [*self.figure_files(study), *self.table_files(study)]
        return files

    def complete(self, study: Study) -> str:
        """Return the message of a study's target, with the room that its large files take."""
        disk = sum(cell.disk for cell in self._asked_of(study).values())
        parts = [f"{self.folder(study)} is complete", study.note(self.config)]
        parts += [f"test sets take {disk:.0f} MB"] if disk >= 1 else []
        return "; ".join(filter(None, parts))

    def product_files(self, *names: str) -> list[str]:
        """Return everything that the configuration asks of studies."""
        rows = [file for name in names for file in self.dataset_files(self.studies[name])]
        return [*self.cell_files(*names), *rows, *self.report_files(*names)]

    def _asked_of(self, study: Study) -> dict[str, Cell]:
        """Return the cells that the configuration asks of a study, by file."""
        if study.name not in self._asked:
            self._asked[study.name] = {cell.file: cell for cell in study.cells(self.config)}
        return self._asked[study.name]


def prepare_jobs() -> None:
    """Let jobs find the `nbyk` of this Python, whether or not its environment is activated.

    Let them also print their time and memory at the end of their logs. Snakemake's `benchmark` would check
    each job twice a second, which takes 2 to 4 % of a core.
    """
    os.environ[USAGE_VARIABLE] = "1"
    scripts, path = sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)
    os.environ["PATH"] = os.pathsep.join([scripts, path])


Measured = float | Callable[[Any], float]
"""Memory or time of a job: a number, or a function of the job's wildcards."""

_SNAKEMAKES = 350
"""MB of the two Snakemakes that a cluster runs around a job."""


def memory(measured: Measured) -> Callable[[Any, int], int]:
    """Return the memory (MB) to ask for: twice what a job takes, and room for Snakemake.

    It grows with each attempt.
    """
    return lambda wildcards, attempt: 50 * ceil((2 * _of(measured, wildcards) + _SNAKEMAKES) / 50) * attempt


def minutes(seconds: Measured) -> Callable[[Any, int], int]:
    """Return the time limit (minutes): thrice what a job takes, and at least 2 for a cold start.

    It grows with each attempt.
    """
    return lambda wildcards, attempt: max(2, ceil(3 * _of(seconds, wildcards) / 60)) * attempt


def _of(measured: Measured, wildcards: Any) -> float:
    return measured(wildcards) if callable(measured) else measured


_SHOWN = ("terms", "download")
"""Rules whose messages a reader must see: they fetch another's data."""


_LOCKED = (
    "error: another run has locked this folder; wait for it, or, if no run is alive in it, type `make "
    "unlock` (`snakemake --unlock`), and run again"
)
"""In place of Snakemake's four lines, which do not say what to type."""


class StageLines(logging.Handler):
    """A handler of Snakemake's log that prints a line whenever a quarter of a stage's jobs is done."""

    def __init__(self) -> None:
        from snakemake.logging import DefaultFormatter

        super().__init__()
        self.formatter = DefaultFormatter(show_failed_logs=True)
        self._rules: dict[int, str] = {}
        self._asked: dict[str, int] = {}
        self._done = Counter[str]()

    def emit(self, record: logging.LogRecord) -> None:
        """Print the line that an event of the run asks for, if any."""
        event, fields = str(getattr(record, "event", None) or ""), vars(record)
        if record.levelno >= logging.ERROR or event in ("job_error", "group_error", "error"):
            text = self.format(record)
            self._print(_LOCKED if "Directory cannot be locked" in text else text)
        elif event == "run_info":
            self._asked = dict(fields["stats"])
            self._print(f"jobs to do: {self._asked.get('total', 0)}")
        elif event == "job_info":
            self._rules[fields["jobid"]] = fields["rule_name"]
            if fields["rule_name"] in _SHOWN and fields["rule_msg"]:
                self._print(fields["rule_msg"])
        elif event == "job_finished":
            self._finished(self._rules.get(fields["job_id"], ""))

    def _finished(self, rule: str) -> None:
        self._done[rule] += 1
        done, asked = self._done[rule], self._asked.get(rule, 0)
        if done == asked or (asked and done % -(-asked // 4) == 0):
            left = self._asked.get("total", 0) - self._done.total()
            self._print(f"{rule}: {done} of {asked} done; jobs left: {left}")

    @staticmethod
    def _print(text: str) -> None:
        print(text, file=sys.stderr, flush=True)


def show_stages(workflow: Any) -> None:
    """Print the stages of a run if Snakemake is told to be quiet about everything, and is no job's own."""
    from snakemake.logging import logger
    from snakemake.settings.enums import Quietness

    if workflow.is_main_process and Quietness.ALL in (workflow.output_settings.quiet or ()):
        logger.addHandler(StageLines())
