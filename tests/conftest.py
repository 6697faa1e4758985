"""What all tests start from."""

from __future__ import annotations

import fcntl
import hashlib
import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# A shell that starts a run in the background has it ignore Ctrl-C, and whatever the tests start would, too.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The first example may compile code, and a machine may be slow.
settings.register_profile("nbyk", deadline=None)
settings.load_profile("nbyk")


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):
        folder = Path(tempfile.gettempdir(), f"nbyk-compiling-{os.environ['PYTEST_XDIST_TESTRUNUID']}")
        folder.mkdir(exist_ok=True)
        compile_once(folder)


def compile_once(folder: Path) -> None:
    """Let one worker of pytest-xdist compile a function; the others wait, and find it in numba's cache."""
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.dispatcher import Dispatcher

    compile_here = Dispatcher.compile
    held: set[str] = set()

    def compile_or_wait(self: Any, signature: Any) -> Any:
        name = hashlib.sha256(f"{self.py_func.__module__}.{self.py_func.__qualname__}".encode()).hexdigest()
        # numba's own lock comes first, so that two threads never wait for each other.
        with global_compiler_lock, (folder / name).open("w") as lock:
            if name in held:  # a function that calls itself with another type
                return compile_here(self, signature)
            fcntl.flock(lock, fcntl.LOCK_EX)
            held.add(name)
            try:
                return compile_here(self, signature)
            finally:
                held.remove(name)

    Dispatcher.compile = compile_or_wait


@pytest.fixture(autouse=True)
def _same_metrics_afterwards() -> Iterator[None]:
    """Forget the metrics that a test registers."""
    from nbyk.metrics import own

    before = tuple(own.ROWS)
    yield
    own.ROWS[:] = before
