"""Progress on standard error: a bar on a terminal, a line every tenth in a log."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(description: str, total: int) -> Iterator[Callable[[int], None]]:
    """Yield a function that is told how many of `total` steps were just done; safe to call from threads."""
    if sys.stderr.isatty():
        with _bar(description, total) as advance:
            yield advance
    else:
        yield _Log(description, total).advance


@contextmanager
def _bar(description: str, total: int) -> Iterator[Callable[[int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=total)
        yield lambda steps: bar.advance(task, steps)


class _Log:
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
