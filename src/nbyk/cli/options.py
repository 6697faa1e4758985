"""Options and arguments that several subcommands share."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nbyk.errors import NbykError, no_such_file

if TYPE_CHECKING:
    from nbyk.config import Downloads

Out = Annotated[Path, typer.Option("--out", help="File to write.")]
Seed = Annotated[int, typer.Option(help="Seed of every draw.", min=0)]
SemanticsName = Annotated[str, typer.Option("--semantics", help="published or recommended.")]
MetricFiles = Annotated[
    list[Path] | None, typer.Option("--metric-file", help="Python file with your metrics.")
]
OutFolder = Annotated[Path, typer.Option("--out", help="Folder to write to.")]
Scale = Annotated[
    str | None,
    typer.Option(help="Scale of all ratings: 1..5, levels such as 1,2,3,4,5, or binary.", metavar="SCALE"),
]
Item = Annotated[str, typer.Option("--item", help="Column of items.")]
Rater = Annotated[str, typer.Option("--rater", help="Column of raters, or of a system's runs.")]
Value = Annotated[str, typer.Option("--value", help="Column of values.")]
OnDuplicates = Annotated[
    str,
    typer.Option(help="If a rater rates an item twice: refuse, or take the first, the last or the mean."),
]
OnEmpty = Annotated[str, typer.Option(help="Rows without a value: refuse, or drop them and report how many.")]
Threads = Annotated[int, typer.Option(help="Number of threads. Results are the same with any number.", min=1)]


def is_typed(context: typer.Context, name: str) -> bool:
    """Return whether an option was typed."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def taken_by(function: Any, words: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of a command's parameters that a function takes by the same names."""
    return {name: words[name] for name in function.__kwdefaults__ if name in words}


def typed(context: typer.Context, names: Iterable[str]) -> list[str]:
    """Return the words of some options that were typed, to be typed again."""
    words: list[str] = []
    for name in names:
        value = context.params[name] if is_typed(context, name) else None
        (option,) = [of for of in context.command.params if of.name == name]
        first = option.opts[:1] if option.param_type_name == "option" else []
        for one in value if isinstance(value, list) else [] if value is None else [value]:
            words += [*first, *map(str, one if isinstance(one, tuple) else (one,))]
    return words


def downloads_of(path: Path | None) -> Downloads:
    """Return the `downloads` of a configuration: the one named, or config.yaml if it is in this folder."""
    from nbyk.config import Downloads, load_downloads

    file = config_file(path)
    return load_downloads(file) if file else Downloads.model_validate({})


def config_file(path: Path | None) -> Path | None:
    """Return the path of the configuration: the one named, or config.yaml if it is in this folder."""
    return path or (Path("config.yaml") if Path("config.yaml").exists() else None)


def check_out_folder(out: Path) -> None:
    """Raise NbykError if a folder cannot be made, or if a file is in its place."""
    for folder in (out, *out.parents):
        if folder.is_dir():
            if not os.access(folder, os.W_OK | os.X_OK):
                raise NbykError(f"--out {out}: {folder} cannot be written to; give another folder")
            return
        if folder.exists():
            raise NbykError(
                f"--out {out}: {folder} is a file, expected a folder to write to; give another one, or move "
                "the file away"
            )


def check_files(paths: Iterable[str | os.PathLike[str] | None]) -> None:
    """Raise NbykError if some of the files or folders are not there, before anything slow is imported."""
    missing = []
    for path in paths:
        if not path:
            continue
        try:
            os.stat(path)
        except FileNotFoundError:
            missing.append(os.fspath(path))
        except (OSError, ValueError):
            pass  # reading it says why
    if missing:
        raise no_such_file(*missing)


def load_metric_files(paths: Sequence[Path] | None) -> None:
    """Register the user's own metrics from each --metric-file."""
    from nbyk.metrics import load_file

    for path in paths or ():
        load_file(path)


def distinct(option: str, values: Sequence[str]) -> None:
    """Raise NbykError if an option has a value twice."""
    for index, value in enumerate(values):
        if value in values[:index]:
            raise NbykError(f"{option} {value} is given twice; keep one")


def numbers_of(
    counts: str | None, argument: str = "counts", form: str = "CLASS=NUMBER, as in yes=1,no=0"
) -> dict[str, float] | None:
    """Return what each class or task counts, from text such as "yes=1,partially=.5,no=0"."""
    if counts is None:
        return None
    by_name: dict[str, float] = {}
    for part in counts.split(","):
        name, equals, number = part.rpartition("=")
        if name.strip() in by_name:
            raise NbykError(f"found {name.strip()} twice, expected each once", argument=argument)
        try:
            by_name[name.strip()] = float(number)
        except ValueError:
            equals = ""
        if not equals or not name.strip():
            raise NbykError(f"found {part!r}, expected {form}", argument=argument)
    return by_name
