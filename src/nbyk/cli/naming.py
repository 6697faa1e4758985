"""The names of the library's arguments on the command line: the options of the command that runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

from nbyk.errors import NbykError, rename_arguments

Options = Callable[[], Mapping[str, str]]

_options: ContextVar[Options] = ContextVar("options", default=dict)


def options_of(program: Any, words: Sequence[str]) -> dict[str, str]:
    """Return the options of the command that the words call, by its function's parameters.

    They have the names of parameters, and for both sides of a flag those with the value: "paired=False".

    Parameters
    ----------
    program
        The command or group of commands that typer makes of an app.
    words
        The words after "nbyk" on the command line. Groups have no options, so commands come first.
    """
    command = program
    for word in words:
        found = command.get_command(None, word) if hasattr(command, "get_command") else None
        if found is None:
            break
        command = found
    options: dict[str, str] = {}
    for parameter in command.params:
        named = [option for option in parameter.opts[:1] if option.startswith("--")]
        options |= dict.fromkeys((parameter.name, f"{parameter.name}=True"), named[0]) if named else {}
        options |= {f"{parameter.name}=False": option for option in parameter.secondary_opts}
    return options


@contextmanager
def arguments_as(options: Options) -> Iterator[None]:
    """Let `in_options` and errors call arguments by the options that a function returns."""
    options = cache(options)
    token = _options.set(options)
    try:
        yield
    except NbykError as error:
        raise error.renamed(options()) from error
    finally:
        _options.reset(token)


def in_options(text: str) -> str:
    """Return a text of the library with the command's options for the arguments that it has in backticks."""
    return rename_arguments(text, _options.get()())


def error_in_options(error: NbykError) -> str:
    """Return an error's message with the command's options for the arguments that it names."""
    return str(error.renamed(_options.get()()))
