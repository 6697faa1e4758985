"""The text of `--help`, as wide as the terminal."""

from __future__ import annotations

from inspect import cleandoc
from typing import Any


def unwrap(command: Any) -> Any:
    """Join the lines of each paragraph of the help of a command and of those below it; return the command.

    A docstring ends its lines where a module does, and typer keeps these ends beside the terminal's own.
    """
    paragraphs = cleandoc(command.help or "").split("\n\n")
    command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs) or None
    for below in getattr(command, "commands", {}).values():
        unwrap(below)
    return command
