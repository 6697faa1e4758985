"""The whole command line, and how it ends."""

from __future__ import annotations

import errno
import os
import shlex
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import FrameType
from typing import Any, NoReturn

import typer

from nbyk.cli import aids, checks, compare, data, fit, plan, study, terminal
from nbyk.cli.terminal import Command, arguments_as, called, documented, options_of
from nbyk.errors import NbykError, SeveralError, StoppedError, hearing_signals, on_one_line
from nbyk.lineage import recording
from nbyk.progress import saying_usage, show_cursor

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich is slow to import
    help="Is system A really better than B, and how many items N and ratings per item K show it?",
)
app.command(cls=Command)(compare.compare)
app.command(cls=Command)(plan.plan)
for function in (aids.example, aids.metrics, fit.fit, checks.why, checks.doctor):
    app.command()(function)
app.add_typer(data.app, name="data")


_NO_READER = 128 + 13
"""Exit code where nothing reads the output any more: what a shell reports of a program that SIGPIPE stops."""

_LONGEST_MESSAGE = 4000
"""Characters of an error's line; a longer name in it, such as a file's, is cut in the middle."""


@app.command()
def version() -> None:
    """Print nbyk's version; `nbyk --version` does, too."""
    import nbyk

    print(nbyk.__version__)


app.add_typer(aids.app, name="config")
app.add_typer(study.app, name="study")


_GONE = {"allow_extra_args": True, "ignore_unknown_options": True}


@app.command("labels", hidden=True, context_settings=_GONE)
def _labels(context: typer.Context) -> None:
    """Say which command compares labels."""
    raise NbykError(
        f"nbyk compare compares classes, too; type: {shlex.join(['nbyk', 'compare', *context.args])} (a "
        "design in YAML is now a folder of runs for each system, or an entry of comparisons in config.yaml)"
    )


@app.command("test", hidden=True, context_settings=_GONE)
def _test(context: typer.Context) -> None:
    """Say which command compares scores."""
    words = ["nbyk", "compare", *context.args]
    instead = {"--paired": ["--pair-runs", "yes"], "--unpaired": ["--pair-runs", "no"], "--power": []}
    words = [part for word in words for part in instead.get(word, [word])]
    if "--test" not in words:
        words += ["--kind", "scores"]
    raise NbykError(f"nbyk compare compares scores of runs, too; type: {shlex.join(words)}")


@cache
def command_line() -> Any:
    """Return the program that typer makes of the app; it is slow to make, so it is made once."""
    return documented(typer.main.get_command(app))


def program() -> NoReturn:
    """Run the command line, then end the process at once.

    A library's threads (pyarrow's readers) can outlive an error. The interpreter's ordinary shutdown, which
    ends threads one by one, then sometimes aborts.
    """
    ended = SystemExit(0)
    terminal.prepare()
    try:
        with saying_usage():
            main()
    except SystemExit as end:
        # Kept to the end with all that its frames hold: a compiler stopped at its work frees things twice.
        ended = end
    sys.stderr.flush()
    os._exit(ended.code if isinstance(ended.code, int) else int(ended.code is not None))


def main() -> None:
    """Run the command line; every error ends in one message, never in a traceback.

    The exit code is 2 for bad input and if the machine refuses something, such as to write a file. If a
    signal stops the command, it is 128 plus the signal's number: 130 for Ctrl-C, 143 for SIGTERM. If the
    reader of its output has gone, it is 141, as for programs that SIGPIPE stops.
    """
    try:
        with _stopped_by_signals():
            try:
                words = _with_words_of_input(sys.argv[1:])
                words = ["version"] if words == ["--version"] else words
                command, names = called(command_line(), words)
                name = " ".join(["nbyk", *names])
                with recording(words), arguments_as(lambda: options_of(command_line(), words)):
                    code = command(words[len(names) :], prog_name=name, standalone_mode=False)
                sys.exit(code if isinstance(code, int) else 0)
            except Exception as error:
                _refuse_usage(error)
                raise
            except SystemExit as end:
                if isinstance(end.__context__, BrokenPipeError):  # click makes it exit code 1
                    sys.exit(_NO_READER)
                raise
            finally:
                _flush_output()
    except StoppedError as stop:
        number = stop.args[0]
        show_cursor()
        name = signal.Signals(number).name
        _fail(f"stopped by {name}; no file is half-written: run it again", code=128 + number)
    except NbykError as error:
        _fail(*str(error).split("\n") if isinstance(error, SeveralError) else [str(error)])
    except MemoryError as error:
        reason = f" ({error})" if str(error) else ""
        _fail(f"out of memory{reason}; ask for fewer items, draws or threads, or give nbyk more memory")
    except UnicodeEncodeError as error:
        text = on_one_line(error.object[max(0, error.start - 30) : error.end + 30])
        _fail(f"{text!r} holds half a character, which no file can hold as text; rename it, or mend the file")
    except OSError as error:
        # A full disk under a file is an NbykError that names the file, so this error comes from printing.
        where = error.filename or ("standard output" if error.errno == errno.ENOSPC else "")
        _fail(f"{where}{': ' if where else ''}{error.strerror or error}")


def _with_words_of_input(words: list[str]) -> list[str]:
    """Return the words of a command of `nbyk study` with those of standard input in place of ``@-``.

    Each word on standard input ends in a NUL, as ``printf '%s\\0' …`` writes them. Rules pass lists this way,
    because the system limits the length of a command line: to 2 MB, or less.
    """
    if words[:1] != ["study"] or "@-" not in words or sys.stdin is None:
        return words
    place = words.index("@-")
    read = sys.stdin.buffer.read().split(b"\0")
    return [*words[:place], *map(os.fsdecode, read[:-1]), *words[place + 1 :]]


def _refuse_usage(error: Exception) -> None:
    """End with one line if an error of typer, or of the click within it, is about the words of a command."""
    context, said = getattr(error, "ctx", None), getattr(error, "format_message", None)
    if said is None:
        return
    message = _about_a_value(error) or said().strip().rstrip(".")
    command = "nbyk" if context is None else context.command_path
    if type(error).__name__ == "NoArgsIsHelpError":  # its making has printed the help, or it holds it
        print(message, end="\n" if message else "")
        sys.exit(2)
    _fail(f"{message}; {command} --help lists the options")


def _about_a_value(error: Exception) -> str:
    """Return what is wrong with an option's value in nbyk's words; "" for errors about something else."""
    from nbyk.yaml_text import expected

    names: list[str] = getattr(getattr(error, "param", None), "opts", [])
    problems: list[dict[str, Any]] = getattr(error.__cause__, "errors", list)()
    words = expected(problems[0]) if names and problems else ""
    return f"{names[0]}: found {problems[0]['input']}, expected {words}" if words else ""


def _fail(*messages: str, code: int = 2) -> NoReturn:
    lines = [on_one_line(message) for message in messages]
    most = _LONGEST_MESSAGE // 2
    shown = [line if len(line) <= 2 * most else f"{line[:most]} … {line[-most:]}" for line in lines]
    print("error:", "\n".join(shown), file=sys.stderr)
    sys.exit(code)


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """Let signals raise StoppedError."""
    came: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        if _is_in_the_compiler(frame):
            send_again(number)
            return
        came.append(number)
        raise StoppedError(number)

    def send_again(number: int) -> None:
        again = (threading.main_thread().ident, number)
        threading.Timer(0.01, signal.pthread_kill, again).start()

    before_hook = sys.unraisablehook

    def raise_again(swallowed: sys.UnraisableHookArgs) -> None:
        # Python swallows what is raised while it deletes an object or tells of its end.
        if isinstance(swallowed.exc_value, StoppedError):
            send_again(swallowed.exc_value.args[0])
        else:
            before_hook(swallowed)

    try:
        sys.unraisablehook = raise_again
        with hearing_signals(stop):
            yield
    except Exception as error:
        # While a compiled module is imported, it turns any exception into an error of its own.
        if came:
            raise StoppedError(came[0]) from error
        raise
    finally:
        sys.unraisablehook = before_hook


def _is_in_the_compiler(frame: FrameType | None) -> bool:
    """Return whether llvmlite is at work: what is raised in it is lost, or leaves LLVM with half a module."""
    while frame is not None and not frame.f_globals.get("__name__", "").startswith("llvmlite."):
        frame = frame.f_back
    return frame is not None


def _flush_output() -> None:
    """Flush standard output; print no error if its reader has gone, as `head` does."""
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            sys.exit(_NO_READER)
        raise
