"""Progress on standard error: a bar on a terminal, a line every tenth in a log; also time and memory."""

from __future__ import annotations

import os
import resource
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

USAGE_VARIABLE = "NBYK_SAY_USAGE"
"""If this environment variable is set, a command ends with a line on its time and memory."""


@contextmanager
def saying_usage() -> Iterator[None]:
    """Print the time and memory that the process took to standard error, if `USAGE_VARIABLE` is set."""
    start = time.monotonic()
    try:
        yield
    finally:
        if os.environ.get(USAGE_VARIABLE):
            usage = resource.getrusage(resource.RUSAGE_SELF)
            unit = 1e6 if sys.platform == "darwin" else 1e3  # bytes there, kilobytes elsewhere
            elapsed, processors = time.monotonic() - start, usage.ru_utime + usage.ru_stime
            print(
                f"took {elapsed:.1f} s, {processors:.1f} s of processors and {usage.ru_maxrss / unit:.0f} MB",
                file=sys.stderr,
            )


_QUIET = 60.0
"""Seconds after which a log gets another line of what moves on a terminal."""

Advance = Callable[[int], None]


def progress(description: str, total: int) -> AbstractContextManager[Advance]:
    """Give a block a function to call with the number of steps just done, of `total`; threads may call it."""
    if sys.stderr.isatty():
        return _bar(description, total)
    return nullcontext(_Steps(description, total).advance)


def stage(description: str, total: int | None = None) -> AbstractContextManager[Advance]:
    """Give a block the same, with a bar on a terminal and nothing in a log, for a step of an answer.

    Without a total the bar shows only that the step goes on, and for how long.
    """
    return _bar(description, total) if sys.stderr.isatty() else nullcontext(lambda _: None)


@contextmanager
def moving_line() -> Iterator[Callable[[str], None]]:
    """Yield a function that shows what goes on, each line in the place of the last; in a log, a few."""
    if not sys.stderr.isatty():
        last = time.monotonic()

        def say(line: str) -> None:
            nonlocal last
            if time.monotonic() - last >= _QUIET:
                last = time.monotonic()
                print(line, file=sys.stderr, flush=True)

        yield say
        return
    try:
        yield lambda line: print(f"\r\x1b[2K{line[: _columns() - 1]}", end="", file=sys.stderr, flush=True)
    finally:
        print("\r\x1b[2K", end="", file=sys.stderr, flush=True)


def show_cursor() -> None:
    """Show the cursor of a terminal, which a bar hides and, if it is stopped as it begins, leaves hidden."""
    if sys.stderr.isatty():
        print("\x1b[?25h", end="", file=sys.stderr, flush=True)


def _columns() -> int:
    return shutil.get_terminal_size().columns


@contextmanager
def _bar(description: str, total: int | None) -> Iterator[Advance]:
    from rich import progress as bars
    from rich.console import Console
    from rich.progress import Progress

    how_far: tuple[bars.ProgressColumn, ...] = (bars.TimeElapsedColumn(),)
    if total is not None:
        how_far = (bars.MofNCompleteColumn(), bars.TimeRemainingColumn())
    columns = (bars.TextColumn("{task.description}"), bars.BarColumn(), *how_far)
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=total)
        yield lambda steps: bar.advance(task, steps)


class _Steps:
    def __init__(self, description: str, total: int) -> None:
        self._description, self._total = description, max(1, total)
        self._done = self._tenths = 0
        self._start = time.monotonic()
        self._lock = threading.Lock()

    def advance(self, steps: int) -> None:
        with self._lock:
            self._done += steps
            tenths = 10 * self._done // self._total
            if tenths > self._tenths:
                self._tenths = tenths
                seconds = time.monotonic() - self._start
                print(f"{self._description}: {self._done}/{self._total} in {seconds:.1f} s", file=sys.stderr)
