"""SIGKILL, Ctrl-C and two at once: the next run gives the same bytes, and nothing is left half-written."""

from __future__ import annotations

import os
import random
import signal
import tempfile
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from tests.faults.runs import (
    RESULTS,
    check_same_bytes,
    copy,
    differing,
    printed,
    rerun,
    running,
    undo_products,
    undone,
    wait_for_job,
    wait_for_moment,
)
from tests.workflow import forked
from tests.workflow.runs import PATIENCE, snakemake

LOCKED = "Directory cannot be locked"
CELLS_ALONE = ("--until", "estimate_p")
"""A run that makes cells and leaves the report as it is, which takes longer than all else."""


@pytest.mark.faults
def test_a_run_that_was_killed_goes_on_to_the_same_bytes(
    seconds: dict[str, float], shared: Path, tmp_path: Path, moment: random.Random
) -> None:
    rule = moment.choice(["cell", "report"])
    directory = undone(shared, tmp_path, moment, products=rule == "report")
    arguments = CELLS_ALONE if rule == "cell" else ()
    with running(shared, directory, *arguments) as process:
        wait_for_job(rule, shared, directory, process)
        wait_for_moment(moment, seconds[rule], directory / RESULTS[rule], process)
        process.kill()
    assert differing(shared, directory) == []
    rerun(shared, directory, *arguments)
    check_same_bytes(shared, directory)


@pytest.mark.faults
@pytest.mark.skipif(not Path("/proc/self/comm").exists(), reason="no /proc to find a run's jobs in")
def test_a_job_that_was_killed_is_named_and_done_by_the_next_run(
    seconds: dict[str, float], shared: Path, tmp_path: Path, moment: random.Random
) -> None:
    directory = undone(shared, tmp_path, moment, products=False)
    with running(shared, directory, *CELLS_ALONE) as process:
        job = find_job("cell", directory, process)
        wait_for_moment(moment, 0.5 * seconds["cell"], directory / RESULTS["cell"], process)
        was_killed = kill_if_running(job)
        assert (process.wait(PATIENCE) != 0) == was_killed
    assert ("Error in rule estimate_p:" in printed(directory)) == was_killed
    assert differing(shared, directory) == []
    rerun(shared, directory, *CELLS_ALONE)
    check_same_bytes(shared, directory)


def find_job(step: str, directory: Path, process: forked.Started) -> int:
    """Wait until a run has a job of a step; return the job's process."""
    while not process.has_ended:
        for entry in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                is_it = (entry / "comm").read_text() == f"nbyk {step}\n"
                if is_it and (entry / "cwd").resolve() == directory.resolve():
                    return int(entry.name)
        time.sleep(0.005)
    raise AssertionError(f"no job was found before the run ended:\n{printed(directory)[-3000:]}")


@pytest.mark.faults
def test_a_second_run_in_the_same_folder_is_refused_and_the_first_goes_on(
    shared: Path, tmp_path: Path, moment: random.Random
) -> None:
    directory = copy(shared, tmp_path)
    undo_products(directory)
    with running(shared, directory) as first:
        wait_for_job("report", shared, directory, first)
        first.send_all(signal.SIGSTOP)
        code, output = snakemake(shared / "checkout", directory)
        first.send_all(signal.SIGCONT)
        assert code != 0
        assert LOCKED in output
        assert str(directory) in output
        assert "--unlock" in output
        assert "Traceback" not in output
        assert first.wait(PATIENCE) == 0, printed(directory)[-3000:]
    check_same_bytes(shared, directory)


def test_commands_that_write_the_same_file_at_once_all_end_well(
    shared: Path, tmp_path: Path, moment: random.Random
) -> None:
    words = ["study", "papers-report", str(shared / "run/results"), "--out"]
    assert forked.run("nbyk", [*words, "alone/report.html"], tmp_path, os.environ, PATIENCE)[0] == 0
    words.append("report.html")
    with ExitStack() as stack:
        writers = []
        for _ in range(4):
            output, errors = (stack.enter_context(tempfile.TemporaryFile("w+")) for _ in range(2))
            writer = forked.started("nbyk", words, tmp_path, os.environ, output, errors)
            writers.append((stack.enter_context(writer), errors))
            time.sleep(moment.uniform(0.0, 0.1))
        assert [writer.wait(PATIENCE) for writer, _ in writers] == [0] * len(writers)
        for _, errors in writers:
            errors.seek(0)
            assert errors.read() == ""
    assert sorted(os.listdir(tmp_path)) == [".nbyk", "alone", "report.html"]
    assert (tmp_path / "report.html").read_bytes() == (tmp_path / "alone/report.html").read_bytes()


def kill_if_running(process: int) -> bool:
    """Kill a process; return whether it had not ended by itself."""
    with suppress(OSError):
        os.kill(process, signal.SIGSTOP)
        while (state := Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0]) not in "TZX":
            time.sleep(0.001)
        os.kill(process, signal.SIGKILL)
        return state == "T"
    return False


LONG = {
    "plan": "plan convabuse --epsilon 0.02 --power 0.8 --precision 0.0005 --out plan",
    "true": "study cell wein2023 true_p cells=epsilon-0.1_n-200_k-5 semantics=recommended"
    ' metrics=["mae"] n_draws=5000000 seed=1 --from prior=prior.json --out true.parquet',
}
"""Commands that take many seconds, but soon print what they are at."""


class Terminal(threading.Thread):
    """A terminal that shows at once what is written to it; one that nobody reads would stop the writer."""

    def __init__(self) -> None:
        super().__init__()
        self._own, self.theirs = os.openpty()
        self._parts: list[bytes] = []
        self.has_text = threading.Event()

    def run(self) -> None:
        """Read until nobody can write to it any more."""
        with (
            open(self._own, "rb", buffering=0) as reading,
            suppress(OSError),
        ):  # Linux has an error at the end
            while part := reading.read(4096):
                self._parts.append(part)
                self.has_text.set()

    @property
    def text(self) -> str:
        """All that was written to it."""
        return b"".join(self._parts).decode()


@pytest.mark.parametrize("name", ["plan", pytest.param("true", marks=pytest.mark.faults)])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_command_that_is_stopped_says_so_and_leaves_no_file(
    number: signal.Signals, name: str, shared: Path, tmp_path: Path, moment: random.Random
) -> None:
    prior = shared / "run/results/priors/recommended/simulated.json"
    (tmp_path / "prior.json").write_bytes(prior.read_bytes())
    words = [*LONG[name].split(), "--threads", moment.choice("12")]
    terminal = Terminal()
    with open(terminal.theirs, "w") as told, tempfile.TemporaryFile("w") as output:
        with forked.started("nbyk", words, tmp_path, os.environ, output, told) as process:
            told.close()
            terminal.start()
            assert terminal.has_text.wait(PATIENCE)
            first = terminal.text
            time.sleep(moment.uniform(0.0, 0.5))
            process.send(number)
            code = process.wait(PATIENCE)
        terminal.join()
    assert code == 128 + number, terminal.text
    assert not first.startswith(("error", "Traceback"))
    assert "Traceback" not in terminal.text
    last = terminal.text.rstrip().splitlines()[-1].rpartition("\x1b[2K")[2].rpartition("\x1b[?25h")[2]
    assert last == f"error: stopped by {number.name}; no file is half-written: run it again"
    assert os.listdir(tmp_path) == ["prior.json"]
