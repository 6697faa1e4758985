"""What a run of the workflow takes, and what Snakemake's own process takes of it.

    python -m benchmarks.workflow [--cores 2] [--config FILE] [--profile] [TARGET ...]

The run starts from nothing, in an empty folder. For each job, a line has the seconds from Snakemake's start
to the job's start and to its end, its duration and its log. The last lines have the wall time, the processor
time of all jobs, and that of Snakemake's own process. `--profile` writes where Snakemake's main thread spends
its time to `scheduler.prof` (see `pstats`).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Job:
    """A job of the run: its log, and its start and end in seconds since the run started."""

    log: str
    start: float
    end: float


@dataclass(frozen=True)
class Run:
    """A finished run: its jobs, and seconds of the wall clock and of processors.

    Attributes
    ----------
    wall
        From Snakemake's start to its end.
    own
        Processor time of Snakemake's process alone.
    children
        Processor time of all that it started.
    """

    jobs: list[Job]
    wall: float
    own: float
    children: float

    def text(self, cores: int) -> str:
        lines = [
            f"{job.start:7.1f} {job.end:7.1f} {job.end - job.start:6.1f}  {job.log}" for job in self.jobs
        ]
        first = min((job.start for job in self.jobs), default=self.wall)
        busy = sum(job.end - job.start for job in self.jobs) / cores / self.wall
        return "\n".join(
            [
                *lines,
                f"wall {self.wall:.1f} s; {len(self.jobs)} jobs took {self.children:.1f} s of processors and "
                f"kept {busy:.0%} of {cores} cores busy; the first started after {first:.1f} s",
                f"Snakemake's own process: {self.own:.1f} s, {self.own / self.wall:.1%} of one core",
            ]
        )


def measured(folder: Path, cores: int, arguments: list[str], profile: Path | None = None) -> Run:
    """Run Snakemake in a folder and return what it took."""
    interpreter = [sys.executable, *(["-m", "cProfile", "-o", str(profile)] if profile else [])]
    words = [*interpreter, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--cores", str(cores)]
    words += ["--profile", str(ROOT / "workflow/profiles/default"), "--quiet", "all", *arguments]
    began, start = time.time(), time.perf_counter()
    process = subprocess.Popen(words, cwd=folder)
    # The process stays until it is asked for, and with it its times.
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    wall = time.perf_counter() - start
    times = Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    own, children = (sum(map(int, times[place : place + 2])) / TICKS for place in (11, 13))
    if process.wait() != 0:
        sys.exit(f"error: Snakemake ended with exit code {process.returncode}")
    return Run(jobs(folder, began), wall, own, children)


def jobs(folder: Path, began: float) -> list[Job]:
    """Return the jobs of a folder's run, of the records that Snakemake keeps of its outputs."""
    found = {}
    for path in (folder / ".snakemake/metadata").rglob("*"):
        if path.is_file():
            record = json.loads(path.read_text(encoding="utf-8"))
            log = record["log"][0]
            found[log] = Job(log, record["starttime"] - began, record["endtime"] - began)
    return sorted(found.values(), key=lambda job: (job.start, job.log))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.workflow", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--config", type=Path, help="a file of configuration beside config.yaml")
    parser.add_argument("--profile", action="store_true", help="write scheduler.prof")
    options = parser.parse_args()
    files = [ROOT / "config.yaml", *([options.config.resolve()] if options.config else [])]
    arguments = [*options.targets, "--configfile", *map(str, files)]
    profile = Path("scheduler.prof").resolve() if options.profile else None
    with tempfile.TemporaryDirectory() as folder:
        print(measured(Path(folder), options.cores, arguments, profile).text(options.cores))


if __name__ == "__main__":
    main()
