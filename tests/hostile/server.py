"""A process with everything loaded that runs each command in a copy of itself, timed and bounded."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.hostile.frames import compare

SECONDS = 5.0
BYTES = 10**9


@dataclass(frozen=True)
class Outcome:
    """How a command ended.

    Attributes
    ----------
    code
        Its exit code, or minus the signal that ended it.
    seconds
        Processor time that it took; one that waits is ended after `PATIENCE` seconds, with code −14.
    room
        Bytes that it took beyond what the server has.
    errors
        What it printed to standard error.
    """

    code: int
    seconds: float
    room: int
    errors: str


PATIENCE = 30.0
"""Seconds that a command may take where other processes have the processor; it may use `SECONDS` of them."""


class Server:
    """Runs commands one after the other."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "ARROW_IO_THREADS": "1"},
            cwd=Path(__file__).parents[2],
        )

    def run(self, words: Sequence[str], folder: Path) -> Outcome:
        """Run nbyk with these words in a folder."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([list(words), str(folder)]).encode() + b"\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the server has ended"
        return Outcome(**json.loads(line))

    def close(self) -> None:
        """End the server."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def _serve() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    _warm()
    for line in sys.stdin:
        words, folder = json.loads(line)
        answers.write(json.dumps(_outcome(words, folder)) + "\n")
        answers.flush()


def _warm() -> None:
    """Run one command of each kind, so that its copies have all modules and compiled code at hand."""
    import pyarrow.parquet  # noqa: F401

    from nbyk.cli import main
    from tests.hostile import case

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for words in (
            case.compare(Path(), "b.csv", case.GOOD),
            case.scores(Path(), "scores.txt", case.SCORES),
            case.labels(Path(), "labels.txt", case.LABELS),
        ):
            sys.argv = ["nbyk", *words]
            with contextlib.suppress(SystemExit):
                main()


def _outcome(words: list[str], folder: str) -> dict[str, object]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _become(words, folder, writing)
    os.close(writing)
    errors, ends = b"", time.monotonic() + PATIENCE
    while True:
        ready, _, _ = select.select([reading], [], [], max(0.0, ends - time.monotonic()))
        if not ready:
            os.kill(child, signal.SIGALRM)
            break
        chunk = os.read(reading, 1 << 16)
        if not chunk:
            break
        errors = (errors + chunk)[:100_000]
    os.close(reading)
    _, status, usage = os.wait4(child, 0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "code": os.waitstatus_to_exitcode(status),
        "seconds": usage.ru_utime + usage.ru_stime,
        "room": max(0, usage.ru_maxrss - before) * 1024,
        "errors": errors.decode(errors="replace"),
    }


def _become(words: list[str], folder: str, errors: int) -> None:
    """Run a command in place of this process, and end as it ends."""
    os.dup2(errors, 2)
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.stdin.close()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", closefd=False)
    os.chdir(folder)
    # Beyond twice what is promised, the machine is to be spared.
    held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + 2 * BYTES, held + 2 * BYTES))
    sys.argv = ["nbyk", *words]
    from nbyk.cli import program
    from nbyk.errors import NbykError

    try:
        if words[0] == "frame":  # Python's road
            compare(*words[1:])
            os._exit(0)
        program()
    except NbykError as error:
        print(f"error: {error}", file=sys.stderr, flush=True)
        os._exit(2)
    except BaseException:
        import traceback

        traceback.print_exc()
        sys.stderr.flush()
    os._exit(1)


if __name__ == "__main__":
    _serve()
