"""`nbyk study`: what the workflow's rules call, nbyk's own commands and those of the studies installed."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command as command_of

from nbyk.cli import ratings
from nbyk.studies import studies


class _Commands(TyperGroup):
    """Commands of which those of the studies are looked up when they are asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        of_studies = [name for study in studies() for name in study.commands()]
        return [*super().list_commands(ctx), *of_studies]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        found = super().get_command(ctx, cmd_name)
        if found is not None:
            return found
        for study in studies():
            command = study.commands().get(cmd_name)
            if command is not None:
                made = typer.Typer(add_completion=False)
                if isinstance(command, typer.Typer):
                    made.add_typer(command, name=cmd_name)
                else:
                    made.command(cmd_name)(command)
                    made.callback()(lambda: None)
                group: Any = command_of(made)
                return group.commands[cmd_name]
        return None


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    help="What the workflow's rules call: the steps from ratings to p-values, and each study's own.",
)
app.command()(ratings.normalise)
app.command()(ratings.prior)
