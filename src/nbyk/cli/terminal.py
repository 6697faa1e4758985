"""What the terminal gives and shows: standard streams, the text of `--help`, and the names of options."""

from __future__ import annotations

import codecs
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from inspect import cleandoc
from io import TextIOWrapper
from typing import Any

from typer.core import TyperCommand

from nbyk.errors import NbykError, rename_arguments

_ESCAPING = "nbyk.escaping"


def prepare() -> None:
    """Make standard output and standard error take any text.

    A stream that the caller has closed is replaced by one that discards its output. Otherwise a file that
    nbyk opens would take the stream's number, and a library's message would end up in it. A character that
    the encoding lacks is printed as its JSON escape (``\\u2265``), so that --format json prints JSON in every
    encoding.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is that of this stream
    sys.stdout = sys.stdout or os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8", closefd=False)
    codecs.register_error(_ESCAPING, _escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=_ESCAPING)


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """Return the JSON escapes of the characters that an encoding lacks."""
    assert isinstance(error, UnicodeEncodeError)
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)), error.end


class Command(TyperCommand):
    """A command whose help has headings for its options."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options, each below its heading."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            heading = "Arguments" if parameter.param_type_name == "argument" else "Options"
            heading = getattr(parameter, "rich_help_panel", None) or heading
            record = parameter.get_help_record(ctx)
            sections.setdefault(heading, []).extend([record] if record else [])
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)


_SECTION = re.compile(r"^(.+)\n-+\n", re.MULTILINE)
_ENTRY = re.compile(r"^(\S.*)\n((?: .*\n?|\n)+)", re.MULTILINE)


def documented(command: Any) -> Any:
    """Give a command, and those below it, the help that its docstring has; return the command.

    Below its paragraphs, a section explains options, as numpydoc does: ``name, name : METAVAR``, and lines
    that are indented. A section other than ``Parameters`` is a heading of its own in the help.
    """
    text, *sections = _SECTION.split(f"{cleandoc(command.help or '')}\n")
    paragraphs = text.strip().split("\n\n")
    command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs) or None
    parameters = {parameter.name: parameter for parameter in command.params}
    for heading, body in zip(sections[::2], sections[1::2], strict=True):
        for names, words in _ENTRY.findall(body):
            names, _, metavar = names.partition(" : ")
            for name in names.split(", "):
                parameters[name].help = " ".join(words.split())
                parameters[name].metavar = metavar or parameters[name].metavar
                if heading != "Parameters":
                    parameters[name].rich_help_panel = heading
    for below in getattr(command, "commands", {}).values():
        documented(below)
    return command


Options = Callable[[], Mapping[str, str]]

_options: ContextVar[Options] = ContextVar("options", default=dict)


def called(program: Any, words: Sequence[str]) -> tuple[Any, list[str]]:
    """Return the command that words call, and those that name it; groups have no options."""
    command, names = program, list[str]()
    for word in words:
        inner = command.get_command(None, word) if hasattr(command, "get_command") else None
        if inner is None:
            break
        command = inner
        names.append(word)
    return command, names


def options_of(program: Any, words: Sequence[str]) -> dict[str, str]:
    """Return the options of the command that the words after "nbyk" call, by its function's parameters.

    They have the names of parameters, and for both sides of a switch those with the value: "paired=False".
    """
    command, _ = called(program, words)
    options: dict[str, str] = {}
    for parameter in command.params:
        named = [option for option in parameter.opts[:1] if option.startswith("--")]
        yes, no = ("", "") if getattr(parameter, "is_flag", False) else (" yes", " no")
        for option in named:
            options |= {parameter.name: option, f"{parameter.name}=True": f"{option}{yes}"}
            options |= {f"{parameter.name}=False": f"{option}{no}"} if no else {}
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
