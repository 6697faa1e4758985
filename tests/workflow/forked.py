"""Programs that start at once: copies of a process that has Snakemake and nbyk loaded.

Most tests of the workflow ask what one start of Snakemake does, and most of what a start takes is importing.
"""

from __future__ import annotations

import atexit
import functools
import importlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

PROGRAMS = {"snakemake": "snakemake.cli", "nbyk": "nbyk.cli"}
LOADED = (
    *PROGRAMS.values(),
    "nbyk.cli.app",
    *("nbyk.config", "nbyk.data", "nbyk.data.download", "nbyk.metrics", "nbyk.resampling.samplers"),
    *(
        "nbyk_papers.calibration.design",
        "nbyk_papers.homan2025.design",
        "nbyk_papers.wein2023.design",
        "snakemake.workflow",
    ),
)


def run(
    program: str, arguments: Sequence[str], directory: Path, environment: Mapping[str, str], seconds: float
) -> tuple[int, str]:
    """Run a program; return its exit code and everything it printed.

    Raises TimeoutError, and ends it and all that it started, where it takes longer than so many seconds.
    """
    server = _server(environment.get("PYTHONPATH"))
    assert server.stdin is not None
    assert server.stdout is not None
    with tempfile.NamedTemporaryFile("r", encoding="utf-8", errors="replace") as output:
        task = [program, list(arguments), str(directory), dict(environment), output.name]
        server.stdin.write(json.dumps(task) + "\n")
        server.stdin.flush()
        if not select.select([server.stdout], [], [], seconds)[0]:
            os.killpg(server.pid, signal.SIGKILL)
            _server.cache_clear()
            raise TimeoutError(f"{program}: not done after {seconds:g} s:\n{output.read()[-3000:]}")
        return int(server.stdout.readline()), output.read()


@functools.cache
def _server(path: str | None) -> subprocess.Popen[str]:
    """Start the process that is copied, with a PYTHONPATH; it ends with this one."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {} if path is None else {"PYTHONPATH": path}
    server = subprocess.Popen(
        [sys.executable, __file__],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert server.stdin is not None
    atexit.register(server.stdin.close)
    return server


def _serve() -> None:
    """Copy this process for each task that is read; answer with the copy's exit code."""
    for module in LOADED:
        importlib.import_module(module)
    for line in sys.stdin:
        process = os.fork()
        if process == 0:
            _run(*json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)


def _run(
    program: str, arguments: list[str], directory: str, environment: dict[str, str], output: str
) -> NoReturn:
    """Become a program in a folder and an environment; end with its exit code."""
    code = 1
    try:
        printed = os.open(output, os.O_WRONLY)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for opened, standard in ((nothing, 0), (printed, 1), (printed, 2)):
            os.dup2(opened, standard)
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


if __name__ == "__main__":
    _serve()
