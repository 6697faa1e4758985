"""Programs that start at once: copies of a process that has Snakemake and nbyk loaded.

Most tests of the workflow ask what one start of Snakemake does, and most of what a start takes is importing.
The jobs of a run can start so, too: the `nbyk` that their rules call is then a function of the shell.
"""

from __future__ import annotations

import atexit
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
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

PROGRAMS = {"snakemake": "snakemake.cli", "nbyk": "nbyk.cli"}
LOADED = (
    *PROGRAMS.values(),
    *("nbyk.cli.app", "nbyk.cli.study", "nbyk.config.whole", "nbyk.data.download", "nbyk.report.html"),
    *("nbyk.studies.batches", "nbyk.studies.code", "nbyk_papers.boostsa2022.cells"),
    *("jinja2", "requests", "smart_open", "snakemake.workflow"),
)
OF_JOBS = (
    *("matplotlib.pyplot", "matplotlib.backends.backend_svg", "pyarrow.parquet", "scipy.stats"),
    *("nbyk.priors", "nbyk.resampling.effects", "nbyk.testing.engine", "nbyk.report.drawing"),
)
FUNCTION = "BASH_FUNC_nbyk%%"
"""What bash calls an exported function of the name `nbyk` in the environment."""


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
    server = _server(environment.get("PYTHONPATH"))
    if jobs_are_copies:
        asking = f"{sys.executable} -I -S {__file__} {server}"
        environment = {**environment, FUNCTION: f'() {{ {asking} "$@"; }}'}
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
        with socket.socket(socket.AF_UNIX) as asked, open(os.devnull) as nothing:
            asked.connect(server)
            task = [program, list(arguments), str(directory), dict(environment)]
            _send(asked, task, nothing, output, output)
            answers = asked.makefile()
            process = int(answers.readline())
            if not select.select([asked], [], [], seconds)[0]:
                os.killpg(process, signal.SIGKILL)
                output.seek(0)
                raise TimeoutError(f"{program}: not done after {seconds:g} s:\n{output.read()[-3000:]}")
            code = int(answers.readline())
        output.seek(0)
        return code, output.read()


def _send(asked: socket.socket, task: Sequence[object], *standard: object) -> None:
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
        importlib.import_module("nbyk.config.whole").config_model()  # loads the studies
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
                copies[_copy(asked)] = asked
            for process in [process for process, asked in copies.items() if asked in ready]:
                with suppress(ProcessLookupError):
                    os.killpg(process, signal.SIGKILL)  # whoever asked has gone
            while copies and (ended := os.waitpid(-1, os.WNOHANG))[0]:
                with copies.pop(ended[0]) as asked, suppress(OSError):
                    asked.sendall(f"{os.waitstatus_to_exitcode(ended[1])}\n".encode())


def _load(modules: Sequence[str]) -> None:
    for module in modules:
        importlib.import_module(module)


def _copy(asked: socket.socket) -> int:
    """Start a copy that does what a socket asks for; return its number."""
    length, standard, _, _ = socket.recv_fds(asked, 20, 3)
    task = json.loads(asked.makefile("rb").read(int(length)))
    if task[0] == "nbyk":
        _load(OF_JOBS)
    process = os.fork()
    if process == 0:
        os.setsid()
        _run(*task, standard)
    for file in standard:
        os.close(file)
    asked.sendall(f"{process}\n".encode())
    return process


def _run(
    program: str, arguments: list[str], directory: str, environment: dict[str, str], standard: list[int]
) -> NoReturn:
    """Become a program in a folder and an environment; end with its exit code."""
    code = 1
    try:
        for number, file in enumerate(standard):
            os.dup2(file, number)
            os.close(file)
        os.chdir(directory)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = [program, *arguments]
        importlib.import_module(PROGRAMS[program]).main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
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
        task = ["nbyk", arguments, os.getcwd(), dict(os.environ)]
        _send(asked, task, sys.stdin, sys.stdout, sys.stderr)
        _, code = asked.makefile()
        sys.exit(int(code))


if __name__ == "__main__":
    _ask(*sys.argv[1:]) if len(sys.argv) > 1 else _serve()
