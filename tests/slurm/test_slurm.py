"""The workflow on a real Slurm: the same bytes as a local run, also when a job is cancelled on its way.

Not part of `make test`; `make test-slurm` installs what it needs. Without Slurm they fail: none is skipped.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.slurm.cluster import PACKAGES, Cluster, ClusterError, one_node_cluster
from tests.workflow.test_workflow import CONFIG, ROOT, configure, results, snakemake

PATIENCE = 1200.0
"""Seconds that a run may take on a busy machine before it counts as hung."""
ONE_CELL: dict[str, Any] = {**CONFIG, "sources": ["simulated"], "semantics": ["recommended"]}
# No accounting database here: ends of jobs are seen by squeue, at once and then every second.
OPTIONS = [
    *("--slurm-status-command", "squeue"),
    *("--slurm-init-seconds-before-status-checks", "1"),
    *("--seconds-between-status-checks", "1"),
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with one_node_cluster() as running:
        yield running


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the bytes of every result of a local run."""
    directory = tmp_path_factory.mktemp("local")
    configure(directory, CONFIG)
    code, output = snakemake(ROOT, directory, seconds=PATIENCE)
    assert code == 0, output[-3000:]
    return results(directory)


def start(cluster: Cluster, directory: Path) -> subprocess.Popen[bytes]:
    """Start the workflow with the profile of clusters; what it prints goes to output.txt."""
    profile = ["--snakefile", ROOT / "Snakefile", "--profile", ROOT / "workflow/profiles/slurm"]
    words = [sys.executable, "-m", "snakemake", *profile, *OPTIONS, "--configfile", "mine.yaml"]
    # Jobs call `nbyk` by name; srun's wrapper comes before all.
    wrapper, _, rest = cluster.environment["PATH"].partition(":")
    path = ":".join([wrapper, str(Path(sys.executable).parent), rest])
    with (directory / "output.txt").open("wb") as output:
        return subprocess.Popen(
            list(map(str, words)),
            cwd=directory,
            env={**cluster.environment, "PATH": path},
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


def differing(found: dict[str, bytes], expected: dict[str, bytes]) -> list[str]:
    return sorted(name for name in found if found[name] != expected.get(name))


def test_results_have_the_same_bytes_as_the_local_runs(
    cluster: Cluster, local: dict[str, bytes], tmp_path: Path
) -> None:
    before = len(cluster.jobs())
    configure(tmp_path, CONFIG)
    finish(start(cluster, tmp_path), tmp_path)
    found = results(tmp_path)
    assert sorted(found) == sorted(local)
    assert differing(found, local) == []
    jobs = cluster.jobs()[before:]
    assert {job.state for job in jobs} == {"COMPLETED"}
    # Two priors are one submission, as are the ratings and their fit, the three cells, and the page.
    assert len(jobs) == 4


def test_a_cancelled_job_is_submitted_again_and_gives_the_same_bytes(
    cluster: Cluster, local: dict[str, bytes], tmp_path: Path
) -> None:
    before = len(cluster.jobs())
    configure(tmp_path, ONE_CELL)
    running = start(cluster, tmp_path)
    try:
        cancelled = wait_for_a_job_of_cells(cluster, before, tmp_path, running)
        cluster.call("scancel", cancelled)
    except BaseException:
        running.kill()
        raise
    output = finish(running, tmp_path)
    assert "Trying to restart" in output
    jobs = [job for job in cluster.jobs()[before:] if "cells" in job.comment]
    assert [(job.number == cancelled, job.state) for job in jobs] == [
        (True, "CANCELLED"),
        (False, "COMPLETED"),
    ]
    # The second attempt asks for twice as much.
    first, second = (int(job.memory.removesuffix("M")) for job in jobs)
    assert second == 2 * first
    found = results(tmp_path)
    cells = {name: found[name] for name in found if not name.startswith("results/wein2023")}
    assert any(name.startswith("results/pvalues") for name in cells)
    assert (tmp_path / "results/wein2023/report.html").exists()
    assert differing(cells, local) == []


def wait_for_a_job_of_cells(
    cluster: Cluster, before: int, directory: Path, running: subprocess.Popen[bytes]
) -> str:
    """Wait until a job of the cells has left its first log behind, and return its number."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        assert running.poll() is None, (directory / "output.txt").read_text()[-3000:]
        for job in cluster.jobs()[before:]:
            at_work = any((directory / "logs" / rule).exists() for rule in ("reference", "true"))
            if job.state == "RUNNING" and "cells" in job.comment and at_work:
                return job.number
        time.sleep(0.1)
    raise AssertionError(f"no job of the cells ran within {PATIENCE:g} s: {cluster.jobs()[before:]}")


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
