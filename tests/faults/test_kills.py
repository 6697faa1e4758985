"""SIGKILL, Ctrl-C and two at once: the next run gives the same bytes, and nothing is left half-written."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from tests.faults.runs import (
    NBYK,
    OF_A_CELL,
    OF_THE_RUN,
    PATIENCE,
    check_same_bytes,
    copy,
    differing,
    kill_group,
    printed,
    rerun,
    running,
    undo_products,
    undone,
    wait_for_log,
)
from tests.workflow.runs import snakemake

LOCKED = "Directory cannot be locked"


@pytest.mark.faults
def test_a_run_that_was_killed_goes_on_to_the_same_bytes(
    shared: Path, tmp_path: Path, moment: random.Random
) -> None:
    directory = undone(shared, tmp_path, moment)
    with running(shared, directory) as process:
        seconds = wait_for_log(moment.choice(OF_A_CELL + OF_THE_RUN[:2]), shared, directory, process)
        time.sleep(moment.uniform(0.0, seconds))
        kill_group(process)
    assert differing(shared, directory) == []
    # Without the lock it came to its end before the moment. What the next run says otherwise is tested below.
    if any((directory / ".snakemake/locks").iterdir()):
        assert snakemake(shared / "checkout", directory, "--unlock")[0] == 0
    rerun(shared, directory)
    check_same_bytes(shared, directory)


@pytest.mark.faults
@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="no /proc to find a run's jobs in")
def test_a_job_that_was_killed_is_named_and_done_by_the_next_run(
    shared: Path, tmp_path: Path, moment: random.Random
) -> None:
    directory = undone(shared, tmp_path, moment)
    with running(shared, directory) as process:
        seconds = wait_for_log(moment.choice(OF_A_CELL), shared, directory, process)
        time.sleep(moment.uniform(0.0, seconds))
        rule = kill_a_job(directory, process)
        assert process.wait(PATIENCE) != 0
    assert f"Error in rule {rule}:" in printed(directory)
    assert differing(shared, directory) == []
    rerun(shared, directory)
    check_same_bytes(shared, directory)


RULES = {"report": "study_report"}
"""Rules by the command below `nbyk study` that they call, where the two have other names."""


def kill_a_job(directory: Path, process: subprocess.Popen[bytes]) -> str:
    """Kill the first nbyk job of a run that can be found, and return the rule that it belongs to."""
    while process.poll() is None:
        for entry in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                words = (entry / "cmdline").read_bytes().split(b"\0")
                if words[1:2] == [NBYK.encode()] and (entry / "cwd").resolve() == directory.resolve():
                    os.kill(int(entry.name), signal.SIGKILL)
                    return RULES.get(words[3].decode(), words[3].decode())
        time.sleep(0.01)
    raise AssertionError(f"no job was found before the run ended:\n{printed(directory)[-3000:]}")


@pytest.mark.faults
def test_a_second_run_in_the_same_folder_is_refused_and_the_first_goes_on(
    shared: Path, tmp_path: Path, moment: random.Random
) -> None:
    directory = copy(shared, tmp_path)
    undo_products(directory)
    with running(shared, directory) as first:
        wait_for_log("report", shared, directory, first)
        os.killpg(first.pid, signal.SIGSTOP)
        code, output = snakemake(shared / "checkout", directory)
        os.killpg(first.pid, signal.SIGCONT)
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
    words = [NBYK, "study", "papers-report", str(shared / "run/results"), "--out"]
    subprocess.run([*words, "alone/report.html"], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    words.append("report.html")
    with ExitStack() as stack:
        writers = []
        for _ in range(4):
            writer = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
            stack.callback(writer.kill)
            writers.append(stack.enter_context(writer))
            time.sleep(moment.uniform(0.0, 0.1))
        ends = [(writer.communicate(timeout=PATIENCE)[1], writer.returncode) for writer in writers]
    assert ends == [("", 0)] * len(writers)
    assert sorted(os.listdir(tmp_path)) == [".nbyk", "alone", "report.html"]
    assert (tmp_path / "report.html").read_bytes() == (tmp_path / "alone/report.html").read_bytes()


LONG = {
    "plan": "plan convabuse --epsilon 0.02 --power 0.8 --precision 0.0005 --out plan",
    "true": "study true prior.json --items 200 --responses 5 --epsilon 0.1 --draws 200000 --seed 1"
    " --semantics recommended --metric mae --out true.parquet",
}
"""Commands that take many seconds, but soon print what they are at."""


@pytest.mark.parametrize("name", ["plan", pytest.param("true", marks=pytest.mark.faults)])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_command_that_is_stopped_says_so_and_leaves_no_file(
    number: signal.Signals, name: str, shared: Path, tmp_path: Path, moment: random.Random
) -> None:
    prior = shared / "run/results/priors/recommended/simulated.json"
    (tmp_path / "prior.json").write_bytes(prior.read_bytes())
    words = [NBYK, *LONG[name].split(), "--threads", moment.choice("12")]
    with subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            first = process.stderr.readline()
            time.sleep(moment.uniform(0.0, 0.5))
            process.send_signal(number)
            errors = process.communicate(timeout=PATIENCE)[1]
        finally:
            process.kill()
    assert process.returncode == 128 + number
    assert not first.startswith(("error", "Traceback"))
    assert "Traceback" not in errors
    *_, last = errors.splitlines()
    assert last == f"error: stopped by {number.name}; no file is half-written: run it again"
    assert os.listdir(tmp_path) == ["prior.json"]
