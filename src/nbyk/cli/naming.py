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
    """Return the options of the command that the words call, by the names of its function's parameters.

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
    return {
        parameter.name: option
        for parameter in command.params
        for option in parameter.opts[:1]
        if option.startswith("--")
    }


@contextmanager
def arguments_as(options: Options) -> Iterator[None]:
    """Let `in_options` and errors call arguments by the options that a function returns."""
    options = cache(options)
    token = _options.set(options)
    try:
        yield
    except NbykError as error:
        raise type(error)(error.text(options())) from error
    finally:
        _options.reset(token)


def in_options(text: str) -> str:
    """Return a text of the library with the command's options for the arguments that it has in backticks."""
    return rename_arguments(text, _options.get()())


def error_in_options(error: NbykError) -> str:
    """Return an error's message with the command's options for the arguments that it names."""
    return error.text(_options.get()())
