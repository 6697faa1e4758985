"""Programs that start at once: copies of a process that has Snakemake and nbyk loaded.

Most tests of the workflow ask what one start of Snakemake does, and most of what a start takes is importing.
The jobs of a run can start so, too: the `nbyk` that their rules call is then a function of the shell.

A copy is a process like any other, in a process group with the jobs that it starts: it can be stopped or
killed with them, and it can be in a mount namespace.
"""

from __future__ import annotations

import atexit
import ctypes
import faulthandler
import functools
import importlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NoReturn

PROGRAMS = {"snakemake": "snakemake.cli", "nbyk": "nbyk.cli"}
LOADED = (
    *PROGRAMS.values(),
    *("nbyk.cli.app", "nbyk.cli.study", "nbyk.config", "nbyk.data.download", "nbyk.report.html"),
    *("nbyk_papers.batches", "nbyk.studies.code", "nbyk_papers.boostsa2022.study"),
    *("jinja2", "requests", "smart_open", "snakemake.workflow"),
)
OF_JOBS = (
    *("matplotlib.pyplot", "matplotlib.backends.backend_svg", "pyarrow.parquet", "scipy.stats"),
    *("nbyk.priors", "nbyk.priors.curves", "nbyk.resampling.effects", "nbyk.testing.engine"),
    *("nbyk.report.answer", "nbyk.report.drawing", "nbyk.studies.steps", "nbyk.testing.shared_units"),
    *("nbyk_papers.wein2023.pvalues", "nbyk_papers.wein2023.report", "nbyk_papers.wein2023.steps"),
)
FUNCTION = "BASH_FUNC_nbyk%%"
"""What bash calls an exported function of the name `nbyk` in the environment."""
NAMESPACE = "NBYK_TESTS_NAMESPACE"
"""A process whose mount namespace a copy enters: a variable of its environment, and its jobs'."""
NEW_USER, NEW_MOUNTS = 0x10000000, 0x00020000
"""What Linux calls the kinds of namespaces."""


def run(
    program: str,
    arguments: Sequence[str],
    directory: Path,
    environment: Mapping[str, str],
    seconds: float,
    *,
    jobs_are_copies: bool = False,
) -> tuple[int, str]:
    """Run a program; return its exit code and everything it printed.

    If `jobs_are_copies`, so is each `nbyk` of the shells that it starts. Raises TimeoutError, and ends it and
    all that it started, where it takes longer than so many seconds.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
        try:
            with started(
                program, arguments, directory, environment, output, jobs_are_copies=jobs_are_copies
            ) as process:
                code = process.wait(seconds)
        except TimeoutError as late:
            output.seek(0)
            raise TimeoutError(f"{program}: {late}:\n{output.read()[-3000:]}") from None
        output.seek(0)
        return code, output.read()


class Started:
    """A program that runs; `process` is its number, and that of the process group of all that it starts."""

    def __init__(self, asked: socket.socket) -> None:
        self._asked = asked
        self._answers = asked.makefile()
        self._code: int | None = None
        self.process = int(self._answers.readline())

    def wait(self, seconds: float) -> int:
        """Return its exit code, or minus the signal that ended it.

        Raises TimeoutError after so many seconds.
        """
        if self._code is None:
            if not select.select([self._asked], [], [], seconds)[0]:
                raise TimeoutError(f"not done after {seconds:g} s")
            self._code = int(self._answers.readline())
        return self._code

    @property
    def has_ended(self) -> bool:
        """Whether it has ended, by itself or by a signal."""
        with suppress(TimeoutError):
            self.wait(0.0)
        return self._code is not None

    def send(self, number: signal.Signals) -> None:
        """Send a signal to it alone."""
        os.kill(self.process, number)

    def send_all(self, number: signal.Signals) -> None:
        """Send a signal to it and to all that it started."""
        os.killpg(self.process, number)

    def kill(self) -> None:
        """Kill it and all that it started; it has ended when this returns."""
        if not self.has_ended:
            with suppress(ProcessLookupError):
                self.send_all(signal.SIGKILL)
            self.wait(60.0)


@contextmanager
def started(
    program: str,
    arguments: Sequence[str],
    directory: Path,
    environment: Mapping[str, str],
    output: IO[str],
    errors: IO[str] | None = None,
    *,
    jobs_are_copies: bool = False,
) -> Iterator[Started]:
    """Start a program as `run` does; at the end of the block, it and all that it started are killed."""
    server = _server(environment.get("PYTHONPATH"))
    if jobs_are_copies:
        asking = f"{sys.executable} -I -S {__file__} {server}"
        environment = {**environment, FUNCTION: f'() {{ {asking} "$@"; }}'}
    with socket.socket(socket.AF_UNIX) as asked:
        asked.connect(server)
        with open(os.devnull) as nothing:
            task = [program, list(arguments), str(directory), dict(environment), 0]
            _send(asked, task, nothing, output, errors or output)
        process = Started(asked)
        try:
            yield process
        finally:
            process.kill()


def _send(asked: socket.socket, task: Sequence[object], *standard: IO[str]) -> None:
    text = json.dumps(task).encode()
    socket.send_fds(asked, [f"{len(text):20}".encode()], [file.fileno() for file in standard])
    asked.sendall(text)


@functools.cache
def _server(path: str | None) -> str:
    """Start the process that is copied, with a PYTHONPATH; return its socket. It ends with this one."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {} if path is None else {"PYTHONPATH": path}
    folder = tempfile.mkdtemp(prefix="nbyk-")  # paths of sockets must be short
    place = f"{folder}/socket"
    server = subprocess.Popen(
        [sys.executable, __file__],
        env={**environment, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(f"{place}\n".encode())
    server.stdin.flush()
    assert server.stdout.readline() == b"ready\n"
    atexit.register(shutil.rmtree, folder)
    atexit.register(server.stdin.close)
    return place


def _serve() -> None:
    """Copy this process for each task that is read; answer with the copy's number and its exit code."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(sys.stdin.readline().strip())
        listening.listen(16)
        _load(LOADED)
        importlib.import_module("nbyk.config").config_model()  # loads the studies
        importlib.import_module("snakemake.cli").get_argument_parser()  # loads the plugins
        print("ready", flush=True)
        copies: dict[int, socket.socket] = {}
        while True:
            waiting = [listening, sys.stdin, *copies.values()]
            ready, _, _ = select.select(waiting, [], [], 0.02 if copies else None)
            if sys.stdin in ready:
                return
            if listening in ready:
                asked, _ = listening.accept()
                process = _copy(asked)
                if process is None:
                    asked.close()
                else:
                    copies[process] = asked
            for process in [process for process, asked in copies.items() if asked in ready]:
                with suppress(ProcessLookupError):  # whoever asked has gone
                    (os.killpg if os.getpgid(process) == process else os.kill)(process, signal.SIGKILL)
            while copies and (ended := os.waitpid(-1, os.WNOHANG))[0]:
                with copies.pop(ended[0]) as asked, suppress(OSError):
                    asked.sendall(f"{os.waitstatus_to_exitcode(ended[1])}\n".encode())


def _load(modules: Sequence[str]) -> None:
    for module in modules:
        importlib.import_module(module)


def _copy(asked: socket.socket) -> int | None:
    """Start a copy that does what a socket asks for; return its number, or None if the asker was killed."""
    length, standard, _, _ = socket.recv_fds(asked, 20, 3)
    try:
        program, *task, group = json.loads(asked.makefile("rb").read(int(length)))
    except (OSError, ValueError):  # the request ends in the middle
        for file in standard:
            os.close(file)
        return None
    if program == "nbyk":
        _warm()
    process = os.fork()
    _join(process, group)
    if process == 0:
        arguments, directory, environment = task
        _run(program, arguments, directory, environment, standard)
    for file in standard:
        os.close(file)
    with suppress(OSError):  # whoever asked was killed: the server sees that, and ends the copy
        asked.sendall(f"{process}\n".encode())
    return process


@functools.cache
def _warm() -> None:
    """Load what jobs need, and once do what takes longer at first: call a compiled function, and draw."""
    _load(OF_JOBS)
    from matplotlib.figure import Figure

    from nbyk.report.drawing import pictures
    from nbyk.resampling.streams import Streams, stream_key

    Streams(stream_key(1), 0).uniforms("warm", (1,))
    figure = Figure()
    figure.subplots().set_title("$x$")
    pictures(figure)


def _join(process: int, group: int) -> None:
    """Move a copy (0: this process) to a process group; to one of its own if that is of another session."""
    try:
        os.setpgid(process, group)
    except OSError:
        with suppress(OSError):  # it has ended, or was faster
            os.setpgid(process, 0)


def _enter(process: int) -> None:
    """Enter the mount namespace of a process, and the user's own in which it was made where there is one."""
    libc = ctypes.CDLL(None, use_errno=True)
    for name, kind in (("user", NEW_USER), ("mnt", NEW_MOUNTS)):
        place = f"/proc/{process}/ns/{name}"
        if not os.path.samefile(place, f"/proc/self/ns/{name}"):
            handle = os.open(place, os.O_RDONLY)
            if libc.setns(handle, kind):
                raise OSError(ctypes.get_errno(), f"{place} cannot be entered")
            os.close(handle)


def _run(
    program: str, arguments: list[str], directory: str, environment: dict[str, str], standard: list[int]
) -> NoReturn:
    """Become a program in a folder and an environment; end with its exit code."""
    code = 1
    kept = None
    try:
        for number, file in enumerate(standard):
            os.dup2(file, number)
            os.close(file)
        faulthandler.enable(file=2)  # where compiled code fails, the threads' places are printed
        if NAMESPACE in environment:
            _enter(int(environment[NAMESPACE]))
        with suppress(OSError):  # a name by which a test can find it
            step = next((word for word in arguments if word != "study"), "")
            Path("/proc/self/comm").write_text(f"{program} {step}")
        os.chdir(directory)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = [program, *arguments]
        importlib.import_module(PROGRAMS[program]).main()
        code = 0
    except SystemExit as end:
        kept = end  # as `nbyk.cli.app.program` does
        code = kept.code if isinstance(kept.code, int) else int(kept.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _ask(server: str, *arguments: str) -> NoReturn:
    """Be the `nbyk` of a shell: ask the server for a copy, and end as it ends."""
    with socket.socket(socket.AF_UNIX) as asked:
        asked.connect(server)
        task = ["nbyk", arguments, os.getcwd(), dict(os.environ), os.getpgrp()]
        _send(asked, task, sys.stdin, sys.stdout, sys.stderr)
        _, code = asked.makefile()
        sys.exit(int(code))


if __name__ == "__main__":
    _ask(*sys.argv[1:]) if len(sys.argv) > 1 else _serve()
