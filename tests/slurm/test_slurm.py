"""The workflow on a real Slurm: the same bytes as a local run, also when a job is cancelled on its way.

Not part of `make test`; `make test-slurm` installs what it needs. Without Slurm they fail: none is skipped.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.slurm.cluster import PACKAGES, Cluster, ClusterError, Job, one_node_cluster
from tests.workflow.runs import CONFIG, PATIENCE, ROOT, configure, results, snakemake

# As small as can be: a batch of two priors, two cells by their stages, and a page.
SMALL: dict[str, Any] = {**CONFIG, "sources": ["simulated"]}
# Without an accounting database squeue is asked: after 3 s and then, while no job ends, after 13 and 23 more.
# Two cells at the same time are done sooner than one after the other.
OPTIONS = [
    *("--slurm-status-command", "squeue"),
    *("--slurm-init-seconds-before-status-checks", "3"),
    *("--group-components", "priors=100"),
]
# What the executor says of the rules of a submission; of a job alone, its wildcards stand behind.
PRIORS = "rule_priors_prior"
CELL = "rule_estimate_p"
PAGE = "rule_page_aggregate_plot_report"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with one_node_cluster() as running:
        yield running


@dataclass(frozen=True)
class Run:
    """A finished run on Slurm, one job of which was cancelled: what is left of it."""

    output: str
    jobs: list[Job]
    cancelled: str
    results: dict[str, bytes]


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the bytes of every result of a local run."""
    directory = tmp_path_factory.mktemp("local")
    configure(directory, SMALL)
    code, output = snakemake(ROOT, directory)
    assert code == 0, output[-3000:]
    return results(directory)


@pytest.fixture(scope="module")
def run(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run the workflow on Slurm, and cancel the job of the cells when it is at work."""
    directory = tmp_path_factory.mktemp("slurm")
    configure(directory, SMALL)
    running = start(cluster, directory)
    try:
        cancelled = wait_for_a_job_of_cells(cluster, directory, running)
        cluster.call("scancel", cancelled)
    except BaseException:
        running.kill()
        raise
    output = finish(running, directory)
    return Run(output, cluster.jobs(), cancelled, results(directory))


def start(cluster: Cluster, directory: Path) -> subprocess.Popen[bytes]:
    """Start the workflow with the profile of clusters; what it prints goes to output.txt."""
    profile = ["--snakefile", ROOT / "Snakefile", "--profile", ROOT / "workflow/profiles/slurm"]
    words = [sys.executable, "-m", "snakemake", *profile, *OPTIONS, "--configfile", "mine.yaml"]
    with (directory / "output.txt").open("wb") as output:
        return subprocess.Popen(
            list(map(str, words)),
            cwd=directory,
            env=cluster.environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )


def finish(running: subprocess.Popen[bytes], directory: Path) -> str:
    """Wait for the workflow's success and return what it printed."""
    try:
        code = running.wait(PATIENCE)
    finally:
        running.kill()
        running.wait()
    output = (directory / "output.txt").read_text(encoding="utf-8", errors="replace")
    logs = (directory / ".snakemake/slurm_logs").rglob("*.log")
    assert code == 0, output[-3000:] + "".join(f"\n--- {log}\n{log.read_text()[-2000:]}" for log in logs)
    return output


def wait_for_a_job_of_cells(cluster: Cluster, directory: Path, running: subprocess.Popen[bytes]) -> str:
    """Wait until a job of the cells has left its first log behind, and return its number."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        assert running.poll() is None, (directory / "output.txt").read_text()[-3000:]
        at_work = (directory / "logs/estimated_p").exists()
        for job in cluster.jobs():
            if job.state == "RUNNING" and job.comment.startswith(CELL) and at_work:
                return job.number
        time.sleep(0.2)
    raise AssertionError(f"no job of the cells ran within {PATIENCE:g} s: {cluster.jobs()}")


def test_results_have_the_same_bytes_as_the_local_runs(local: dict[str, bytes], run: Run) -> None:
    assert sorted(run.results) == sorted(local)
    assert [name for name in local if run.results[name] != local[name]] == []


def test_what_belongs_together_is_submitted_together(run: Run) -> None:
    kept = [job for job in run.jobs if job.number != run.cancelled]
    assert {job.state for job in kept} == {"COMPLETED"}
    first, *stages, last = (job.comment.partition("_wildcards_")[0] for job in kept)
    assert (first, last) == (PRIORS, PAGE)
    assert Counter(stages) == dict.fromkeys(["rule_simulate", "rule_true_p", CELL], 2)


def test_a_cancelled_job_is_submitted_again_and_asks_for_twice_as_much(run: Run) -> None:
    assert "Trying to restart" in run.output
    assert [job.state for job in run.jobs if job.number == run.cancelled] == ["CANCELLED"]
    once, again = sorted(
        megabytes(job) for job in run.jobs if job.comment.startswith(CELL) and job.number != run.cancelled
    )
    assert again == 2 * once


def megabytes(job: Job) -> int:
    return int(job.memory.removesuffix("M"))


def test_where_slurm_is_not_installed_it_is_an_error_that_names_the_packages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tests.slurm.cluster.PROGRAMS", ("no-such-slurmctld",))
    message = f"not found: no-such-slurmctld; install {PACKAGES}"
    with pytest.raises(ClusterError, match=message), one_node_cluster():
        pass


def test_a_daemon_that_does_not_start_is_an_error_that_shows_its_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.slurm.cluster.SLURM_CONF", "NoSuchKey=1\n")
    with pytest.raises(ClusterError, match=r"slurmd did not start[^§]*NoSuchKey"), one_node_cluster():
        pass
