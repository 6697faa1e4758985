"""Running a part of a study: a step that makes a cell, its rows of datasets, its figures or its report."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import is_dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from nbyk.errors import NbykError, check_name, unknown_name
from nbyk.files import write_parquet
from nbyk.metrics import load_file
from nbyk.progress import progress

if TYPE_CHECKING:
    from nbyk.report.answer import Answer
    from nbyk.studies.study import Study

Files = Mapping[str, Path | Sequence[Path]]


class Work:
    """The argument of a step beside its settings and inputs: threads and progress.

    Attributes
    ----------
    threads
        The number of threads that it may use; results do not depend on it.
    advance
        To be called with the number of parts just done, within `progress`; before and after, it does nothing.
    """

    def __init__(self, name: str, threads: int = 1) -> None:
        self._name = name
        self.threads = threads
        self.advance: Callable[[int], object] = _nothing

    @contextmanager
    def progress(self, total: int) -> Iterator[None]:
        """Show on standard error how many parts of the whole are done; `advance` counts them."""
        with progress(self._name, total) as self.advance:
            try:
                yield
            finally:
                self.advance = _nothing


def _nothing(steps: int) -> None:
    """Ignore the number of parts done."""


def run_step(
    study: Study, step: str, settings: Mapping[str, Any], files: Files, out: Path, threads: int
) -> None:
    """Make a cell and write it, with its settings as the file's metadata."""
    function = function_of(study, step)
    given = dict(files)
    metric_files = given.pop("metric_files", ())
    for file in [metric_files] if isinstance(metric_files, Path) else metric_files:
        load_file(file)
    work = Work(f"{study.name} {step}, {out}", threads)
    table, made = _call(function, f"{study.name} {step}", {**settings, **given, "work": work})
    write_parquet(out, table, {**settings, **made})


def write_datasets(study: Study, settings: Mapping[str, Any], files: Files, results: Path) -> None:
    """Write a study's rows of each dataset that its results are part of, ``DATASET/STUDY.parquet``."""
    for dataset, name in study.datasets.items():
        function = resolve_name(name)
        taken = parameters_of(function)
        given = {key: value for key, value in {**settings, **files}.items() if key in taken}
        table = _call(function, f"{study.name} {dataset}", given)
        write_parquet(results / dataset / f"{study.name}.parquet", table, {"study": study.name, **settings})


def write_figures(study: Study, settings: Mapping[str, Any], files: Files, out: Path) -> None:
    """Draw the figures of a study's report to ``figures/`` of a folder."""
    from nbyk.report.answer import write_figures

    write_figures(_answer(study, settings, files).figures, out)


def write_report(study: Study, settings: Mapping[str, Any], files: Files, out: Path) -> str:
    """Write the report of a study to a folder that has its figures, and return its first sentence."""
    from nbyk.report.answer import write_answer

    answer = _answer(study, settings, files)
    write_answer(answer, out, stem="summary", page="report", figures_are_there=True)
    return answer.sentences[0]


def _answer(study: Study, settings: Mapping[str, Any], files: Files) -> Answer:
    answer: Answer = _call(resolve_name(study.report), f"{study.name} report", {**settings, **files})
    return answer


def function_of(study: Study, step: str) -> Callable[..., Any]:
    """Return the function behind a step, or raise NbykError with the steps that there are."""
    check_name(f"step of {study.name}", step, study.steps)
    function: Callable[..., Any] = resolve_name(study.steps[step].function)
    return function


def parameters_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the settings and inputs of a step or a report by name, and `work`.

    Those that a dataclass groups are the fields of the dataclass, in place of its parameter.
    """
    takes: dict[str, inspect.Parameter] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        group = _group(function, parameter)
        fields = {name: parameter} if group is None else dict(inspect.signature(group).parameters)
        if group is not None and parameter.default is not parameter.empty:
            fields = {field: each.replace(default=None) for field, each in fields.items()}
        takes |= fields
    return takes


_EXPECTED: dict[str, tuple[tuple[type, ...], str]] = {
    "int": ((int,), "a whole number"),
    "float": ((int, float), "a number"),
    "str": ((str,), "a word"),
    "Sequence": ((list, tuple), "a list"),
    "Path": ((Path,), "a file, by --from"),
}
"""Kinds of values by the beginning of a parameter's annotation."""


def _group(function: Callable[..., Any], parameter: inspect.Parameter) -> type | None:
    """Return the dataclass that a parameter takes, if it takes one."""
    annotated = vars(sys.modules[function.__module__]).get(str(parameter.annotation))
    return annotated if isinstance(annotated, type) and is_dataclass(annotated) else None


def _call(function: Callable[..., Any], name: str, given: Mapping[str, Any]) -> Any:
    """Call a step or a report with what is given to it, once that is checked."""
    _check(parameters_of(function), name, given)
    left = dict(given)
    groups: dict[str, Any] = {}
    for each, parameter in inspect.signature(function).parameters.items():
        group = _group(function, parameter)
        if group is not None:
            group_fields = {
                field: left.pop(field) for field in inspect.signature(group).parameters if field in left
            }
            if group_fields or parameter.default is parameter.empty:
                groups[each] = group(**group_fields)
    return function(**left, **groups)


def _check(parameters: Mapping[str, inspect.Parameter], name: str, given: Mapping[str, Any]) -> None:
    """Raise NbykError if there is no parameter of a name, or one that is needed is not given."""
    if any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        return  # it hands them on, to a function that checks them
    for each in given:
        if each not in parameters:
            raise NbykError(f"{name}: {unknown_name('setting', each, set(parameters) - {'work'})}")
        kind = str(parameters[each].annotation).partition("[")[0]
        types, expected = _EXPECTED.get(kind, ((object,), ""))
        if not isinstance(given[each], types) or isinstance(given[each], bool):
            raise NbykError(f"{name}: {each}: found {given[each]!r}; expected {expected}")
    missing = [
        name for name, takes in parameters.items() if takes.default is takes.empty and name not in given
    ]
    if missing:
        raise NbykError(f"{name}: nothing is given for {', '.join(missing)}; give each as {missing[0]}=…")
