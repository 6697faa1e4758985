"""`nbyk study`: the commands that the workflow's rules run, nbyk's own and those of the studies installed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command as command_of

from nbyk.cli import ratings
from nbyk.cli.options import Out, OutFolder, Threads
from nbyk.cli.terminal import documented
from nbyk.errors import NbykError


class _Commands(TyperGroup):
    def list_commands(self, ctx: Any) -> list[str]:
        from nbyk.studies import studies

        study_commands = [name for study in studies() for name in study.commands()]
        return [*super().list_commands(ctx), *study_commands]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        from nbyk.studies import studies

        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        for study in studies():
            command = study.commands().get(cmd_name)
            if command is not None:
                made = typer.Typer(add_completion=False, rich_markup_mode=None)
                if isinstance(command, typer.Typer):
                    made.add_typer(command, name=cmd_name)
                else:
                    made.command(cmd_name)(command)
                    made.callback()(lambda: None)
                group: Any = command_of(made)
                return documented(group.commands[cmd_name])
        return None


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    help="Commands of the workflow's rules: the steps from ratings to p-values, and those of each study.",
)
app.command()(ratings.normalise)
app.command()(ratings.prior)

Name = Annotated[str, typer.Argument(help="Study, as `nbyk study list` names it.")]
Settings = Annotated[
    list[str] | None, typer.Argument(help='Settings, such as n_sets=1000 or metrics=["mae","mse"].')
]
From = Annotated[
    list[str] | None, typer.Option("--from", help="A file to read, by name: prior=toxicity.json.")
]
AllFrom = Annotated[
    list[str] | None,
    typer.Option(
        "--all-from", help="Like --from, for several files under one name. Repeat it for each file."
    ),
]


@app.command("list")
def list_studies() -> None:
    """List the studies that are installed, their steps and the settings of each."""
    from nbyk.studies import studies
    from nbyk.studies.steps import function_of, parameters_of

    for study in studies():
        print(f"{study.name}: {str(type(study).__doc__).strip()}")
        for step in study.steps:
            taken = [name for name in parameters_of(function_of(study, step)) if name != "work"]
            print(f"  {step}: {', '.join(taken)}")


@app.command()
def cell(
    study: Name,
    step: str,
    out: Out,
    settings: Settings = None,
    file: From = None,
    files: AllFrom = None,
    threads: Threads = 1,
) -> None:
    """Make a cell of a study: a table of results in one file.

    Parameters
    ----------
    step
        Step of the study that makes the cell.
    """
    from nbyk.studies.steps import run_step
    from nbyk.studies.study import settings_from, study_named

    run_step(study_named(study), step, settings_from(settings or ()), _files(file, files), out, threads)


def _of_study(function: str, about: str) -> Callable[..., None]:
    """Return the command that hands a study, its settings and its files to a function of `studies.steps`."""

    def command(
        study: Name, out: OutFolder, settings: Settings = None, file: From = None, files: AllFrom = None
    ) -> None:
        from nbyk.studies import steps
        from nbyk.studies.study import settings_from, study_named

        given = study_named(study), settings_from(settings or ()), _files(file, files)
        text = getattr(steps, function)(*given, out)
        if text is not None:
            print(text)

    command.__doc__ = about
    return command


app.command("aggregate")(
    _of_study("write_datasets", "Write a study's rows of the datasets of all studies: p-values, rates.")
)
app.command("plot")(_of_study("write_figures", "Draw the figures of a study's report."))
app.command("report")(
    _of_study(
        "write_report",
        "Write the report of a study: tables, the summary and the page, from the figures that `plot` drew.",
    )
)


def _files(single: Sequence[str] | None, several: Sequence[str] | None) -> dict[str, Path | list[Path]]:
    by_name: dict[str, Path | list[Path]] = {}
    for word in single or ():
        name, path = _named(word)
        if name in by_name:
            raise NbykError(f"--from {name} is given twice; keep one, or give each as --all-from {name}=…")
        by_name[name] = path
    for word in several or ():
        name, path = _named(word)
        listed = by_name.setdefault(name, [])
        if isinstance(listed, Path):
            raise NbykError(f"{name} is given by --from and --all-from; use one of them")
        listed.append(path)
    return by_name


def _named(word: str) -> tuple[str, Path]:
    name, equals, path = word.partition("=")
    if not equals or not name.isidentifier() or not path:
        raise NbykError(f"{word}: expected a name and a file, such as prior=toxicity.json")
    return name, Path(path)
