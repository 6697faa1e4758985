"""The one error that users see: the finding, the expectation, and advice."""

from __future__ import annotations

import difflib
import os
import re
import shlex
import signal
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, Self


@dataclass(frozen=True)
class DataPlace:
    """What an error is about: a file, or data that are no file, and a row there. Its text starts the error's.

    Attributes
    ----------
    file
        The file.
    row
        The line of the file, shown as file:12, or a row in words, shown as file, row 3.
    name
        The name of data that are no file, or of a part of the file: "the data frame", "column 'label'".
    """

    file: str | os.PathLike[str] | None = None
    row: int | str | None = None
    name: str = ""

    def __str__(self) -> str:
        file = "" if self.file is None else os.fspath(self.file)
        line = f":{self.row}" if isinstance(self.row, int) else ""
        row = self.row if isinstance(self.row, str) else ""
        return ", ".join(filter(None, (": ".join(filter(None, (file + line, self.name))), row)))

    def error(self, problem: str, *, argument: str | None = None) -> NbykError:
        """Return the error about this place; the parameters are those of `NbykError`."""
        return NbykError(problem, file=self.file, row=self.row, name=self.name, argument=argument)


class NbykError(ValueError):
    """Bad input, described so that its owner can correct it.

    The message names the file, row or key, says what was found there and what was expected, and gives advice.
    The command line prints it as one line and exits with code 2. A text names arguments in `backticks`, and
    the command line shows the options instead.

    Parameters
    ----------
    problem
        Text that says what was found and what was expected, and gives advice.
    file, row, name
        The place that it is about, as in `DataPlace`.
    systems
        The systems that were being compared.
    key
        The key of a configuration or design, with dots between sections: comparisons.mine.alpha.
    argument
        The name of the function's argument.
    """

    def __init__(
        self,
        problem: str,
        *,
        file: str | os.PathLike[str] | None = None,
        row: int | str | None = None,
        name: str = "",
        systems: Sequence[str] = (),
        key: str | None = None,
        argument: str | None = None,
    ) -> None:
        super().__init__(problem)
        self.problem = problem
        self.file = None if file is None else os.fspath(file)
        self.row = row
        self.name = name
        self.systems = tuple(systems)
        self.key = key
        self.argument = argument

    def about(
        self,
        *,
        file: str | os.PathLike[str] | None = None,
        row: int | str | None = None,
        name: str = "",
        systems: Sequence[str] = (),
        key: str | None = None,
        argument: str | None = None,
    ) -> Self:
        """Return the same error with more details; details that it already has stay."""
        same_file = self.file is None or file is None or self.file == os.fspath(file)
        return type(self)(
            self.problem,
            file=file if self.file is None else self.file,
            row=row if self.row is None and same_file else self.row,
            name=self.name or name,
            systems=self.systems or systems,
            key=self.key or key,
            argument=self.argument or argument,
        )

    def renamed(self, arguments: Mapping[str, str]) -> Self:
        """Return the same error with other names for arguments: a caller's arguments, or a command's options.

        Parameters
        ----------
        arguments
            New names by argument, such as {"n_resamples": "--resamples"}.
        """
        return type(self)(
            rename_arguments(self.problem, arguments),
            file=self.file,
            row=self.row,
            name=self.name,
            systems=self.systems,
            key=self.key,
            argument=arguments.get(self.argument or "", self.argument),
        )

    def __str__(self) -> str:
        place = str(DataPlace(self.file, self.row, self.name))
        about = (place, " and ".join(self.systems), self.key, self.argument)
        return ": ".join([*filter(None, about), self.problem])


class SeveralError(NbykError):
    """Several errors; each is a line of the problem."""


@contextmanager
def renaming(arguments: Mapping[str, str]) -> Iterator[None]:
    """Let the errors of a block call arguments by other names, as `NbykError.renamed`."""
    try:
        yield
    except NbykError as error:
        raise error.renamed(arguments) from None


@contextmanager
def errors_about(**place: Any) -> Iterator[None]:
    """Let the errors of a block say what they are about, as `NbykError.about`."""
    try:
        yield
    except NbykError as error:
        raise error.about(**place) from None


def argument_with(name: str, value: str) -> str:
    """Return an argument and its text in `backticks`, which `rename_arguments` knows: `rater="who"`."""
    return f"`{name}={_QUOTE}{value}{_QUOTE}`"


_QUOTE = '"'
_ARGUMENT = re.compile(r'`(([\w.]+)(?:=("[^`]*"|[\w.]+))?)`')


def rename_arguments(text: str, names: Mapping[str, str]) -> str:
    """Return a text with other names for the arguments in `backticks`, with a value or without.

    Options lose the backticks, and take a value as on a command line: `rater="who"` is --rater who. A text of
    a kind of its own, such as `nbyk.words.Remark`, keeps its kind.
    """

    def renamed(quoted: re.Match[str]) -> str:
        whole, name, value = quoted[1], quoted[2], quoted[3]
        if value is None or whole in names:
            new = names.get(whole, whole)
        else:
            other = names.get(name, name)
            is_option = other.startswith("-")
            new = (
                f"{other} {shlex.quote(value.removeprefix(_QUOTE).removesuffix(_QUOTE))}"
                if is_option
                else f"{other}={value}"
            )
        return new if new.startswith("-") else f"`{new}`"

    return type(text)(_ARGUMENT.sub(renamed, text))


class UndefinedMetricError(NbykError):
    """A metric has no value on some draws, as for a correlation of constants."""


class StoppedError(BaseException):
    """A signal asked nbyk to stop. It is not an Exception, so that no handler catches it on its way."""


@contextmanager
def hearing_signals(handler: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    """Give SIGINT, SIGTERM and SIGHUP to a handler until the block has ended, unless they are ignored."""
    in_main_thread = threading.current_thread() is threading.main_thread()
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if in_main_thread else ()
    before = {number: signal.getsignal(number) for number in numbers}
    heard = {number: usual for number, usual in before.items() if usual not in (signal.SIG_IGN, None)}
    try:
        for number in heard:
            signal.signal(number, handler)
        yield
    finally:
        for number, usual in heard.items():
            signal.signal(number, usual)


# Line ends, control characters, halves of characters, and marks that change the direction of text.
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def on_one_line(text: str) -> str:
    """Return a text with escapes (``\\n``) in place of the characters that would break or garble its line."""
    if text.isprintable():
        return text
    return _UNPRINTABLE.sub(lambda found: ascii(found[0])[1:-1], text)


def no_such_file(*paths: str | os.PathLike[str]) -> NbykError:
    """Return the error for files that are not there, each with the nearest name in its folder."""
    found = []
    for path in [os.fspath(of) for of in paths]:
        folder, name = os.path.split(path)
        try:
            names = sorted(os.listdir(folder or os.curdir))
        except OSError:
            names = []
        near = difflib.get_close_matches(name[:100], names[:1000], n=1, cutoff=0.75)
        found.append(f" (nearest: {os.path.join(folder, near[0])})" if near else "")
    others = "".join(
        f", nor {os.fspath(path)}{near}" for path, near in zip(paths[1:], found[1:], strict=True)
    )
    way_out = "check the paths" if others else "check the path"
    return NbykError(f"no such file{found[0]}{others}; {way_out}", file=paths[0])


def unknown_name(kind: str, name: str, known: Iterable[str], more: str = "") -> NbykError:
    """Return the error for a name that is not registered, with the nearest names that are.

    Parameters
    ----------
    kind
        The kind of thing: "metric", "sampler", "source", …
    name
        The name as it was given.
    known
        All names that would have been accepted.
    more
        What to say after them, if none is near.
    """
    options = sorted(known)
    # Comparing long texts takes long, and helps nobody.
    near = difflib.get_close_matches(name[:100], options[:1000], n=3, cutoff=0.55)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(options)}{more}"
    return NbykError(f"unknown {kind} {name!r}; {hint}")


def check_name(kind: str, name: object, known: Collection[Any], argument: str | None = None) -> None:
    """Raise the error for a name that is not registered unless it is."""
    if name not in known:
        raise unknown_name(kind, str(name), known).about(argument=argument)


def check_choice(argument: str, choice: object, known: Sequence[str | None]) -> None:
    """Raise NbykError if an argument is none of the known ones; None is that of one left out."""
    if choice not in known:
        *others, last = [name for name in known if name is not None]
        raise NbykError(f"found {choice!r}, expected {', '.join(others)} or {last}", argument=argument)
