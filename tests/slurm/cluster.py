"""A real Slurm of one node on the loopback, for tests; it needs no systemd and no change of the machine."""

from __future__ import annotations

import os
import pwd
import secrets
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sinfo", "squeue", "sbatch", "srun", "scancel", "scontrol")
PACKAGES = "munge slurmctld slurmd slurm-client"
MEMORY_MB = 16_000
"""Memory that the node claims to have. Slurm is told not to compare it with the machine's."""

# MinJobAge keeps finished jobs in squeue, which is how their end is seen without an accounting database.
# OverTimeLimit lets a job pass its time limit: a slow machine is not a failure.
SLURM_CONF = """\
ClusterName=nbyk
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SchedulerParameters=sched_interval=1,bf_interval=1,sched_min_interval=0,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SlurmdParameters=config_overrides
ReturnToService=2
MinJobAge=3600
KillWait=2
OverTimeLimit=UNLIMITED
EnforcePartLimits=ALL
JobRequeue=0
NodeName={host} NodeAddr=127.0.0.1 NodeHostname={host} CPUs={cpus} RealMemory={memory} State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=60 State=UP
"""

# Snakemake's job step drops every SLURM_ variable before it calls srun, and with them where the cluster is.
SRUN = """\
#!/bin/sh
SLURM_CONF={conf}
export SLURM_CONF
exec {srun} "$@"
"""


class ClusterError(RuntimeError):
    """Slurm was meant to start and did not."""


@dataclass(frozen=True)
class Job:
    """A job as squeue shows it."""

    number: str
    state: str
    memory: str
    comment: str


@dataclass(frozen=True)
class Cluster:
    """A running cluster: the folder with its logs, and the environment in which commands find it."""

    folder: Path
    environment: dict[str, str]

    def call(self, *words: str) -> str:
        """Run one of Slurm's commands and return what it printed."""
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=30)
        if done.returncode != 0:
            raise ClusterError(f"{shlex.join(words)}: exit code {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def jobs(self) -> list[Job]:
        """Return every job so far, finished ones too, in the order of submission."""
        printed = self.call("squeue", "--states=all", "--noheader", "--sort=i", "--format=%i|%T|%m|%k")
        return [Job(*line.strip().split("|", maxsplit=3)) for line in printed.splitlines()]


@contextmanager
def one_node_cluster(cpus: int = 2) -> Iterator[Cluster]:
    """Start a cluster of one node with its own configuration, key and ports; stop it and its jobs at the end.

    Raises ClusterError, with the ends of the daemons' logs, where it does not start.
    """
    path = os.pathsep.join([os.environ["PATH"], "/usr/local/sbin", "/usr/sbin", "/sbin"])
    programs = {name: shutil.which(name, path=path) for name in PROGRAMS}
    if missing := [name for name, found in programs.items() if found is None]:
        raise ClusterError(f"not found: {', '.join(missing)}; install {PACKAGES}")
    # A socket's path must be short, so the folder is not pytest's. Munge insists on a private one.
    folder = Path(tempfile.mkdtemp(prefix="nbyk-slurm-"))
    environment = _write_files(folder, cpus, path, str(programs["srun"]))
    cluster = Cluster(folder, environment)
    try:
        with ExitStack() as stack:
            stack.callback(_kill_what_is_left, folder)
            for name, options in {
                "munged": ["--foreground", "--force", *_munge_files(folder)],
                "slurmctld": ["-D", "-c", "-f", str(folder / "slurm.conf")],
                "slurmd": ["-D", "-f", str(folder / "slurm.conf")],
            }.items():
                daemon = _start([str(programs[name]), *options], folder / f"{name}.out", environment)
                stack.callback(_stop, daemon)
                if name == "munged":
                    _wait(cluster, "munged", daemon, (folder / "munge.sock").exists)
            _wait(cluster, "slurmd", daemon, lambda: _node_is_idle(cluster))
            stack.callback(_cancel_all, cluster)
            yield cluster
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write_files(folder: Path, cpus: int, path: str, srun: str) -> dict[str, str]:
    """Write the configuration, the key and the wrapper of srun; return the environment that leads to them."""
    for name in ("state", "spool", "bin"):
        (folder / name).mkdir()
    (folder / "munge.key").touch(mode=0o600)
    (folder / "munge.key").write_bytes(secrets.token_bytes(128))
    controller_port, node_port = _free_ports(2)
    conf = folder / "slurm.conf"
    conf.write_text(
        SLURM_CONF.format(
            folder=folder,
            host=socket.gethostname().partition(".")[0],
            user=_user(),
            controller_port=controller_port,
            node_port=node_port,
            cpus=cpus,
            memory=MEMORY_MB,
        ),
        encoding="utf-8",
    )
    wrapper = folder / "bin/srun"
    wrapper.write_text(SRUN.format(conf=shlex.quote(str(conf)), srun=shlex.quote(srun)), encoding="utf-8")
    wrapper.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "SBATCH_"))}
    return {**kept, "PATH": f"{folder / 'bin'}{os.pathsep}{path}", "SLURM_CONF": str(conf)}


def _user() -> str:
    return pwd.getpwuid(os.geteuid()).pw_name


def _munge_files(folder: Path) -> list[str]:
    return [
        f"--{option}-file={folder / name}"
        for option, name in {
            "key": "munge.key",
            "pid": "munged.pid",
            "log": "munged.log",
            "seed": "munge.seed",
        }.items()
    ] + [f"--socket={folder / 'munge.sock'}"]


def _free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def _start(words: list[str], output: Path, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    with output.open("wb") as file:
        return subprocess.Popen(
            words,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _wait(
    cluster: Cluster,
    name: str,
    daemon: subprocess.Popen[bytes],
    ready: Callable[[], bool],
    seconds: float = 30,
) -> None:
    deadline = time.monotonic() + seconds
    while not ready():
        if daemon.poll() is not None:
            found = f"it ended with exit code {daemon.returncode}"
        elif time.monotonic() > deadline:
            found = f"it did not answer within {seconds:g} s"
        else:
            time.sleep(0.1)
            continue
        raise ClusterError(f"{name} did not start: {found}\n{_logs(cluster.folder)}")


def _node_is_idle(cluster: Cluster) -> bool:
    with suppress(ClusterError):
        return cluster.call("sinfo", "--noheader", "--format=%T").strip() == "idle"
    return False


def _logs(folder: Path) -> str:
    files = sorted([*folder.glob("*.log"), *folder.glob("*.out")])
    tails = {file.name: file.read_text(encoding="utf-8", errors="replace")[-2000:] for file in files}
    return "\n".join(f"--- {name}\n{text}" for name, text in tails.items() if text)


def _cancel_all(cluster: Cluster) -> None:
    """Cancel every job and wait until none is left; what stays is killed later."""
    with suppress(ClusterError, subprocess.TimeoutExpired):
        cluster.call("scancel", f"--user={_user()}")
        deadline = time.monotonic() + 10
        while cluster.call("squeue", "--noheader").strip() and time.monotonic() < deadline:
            time.sleep(0.1)


def _stop(daemon: subprocess.Popen[bytes]) -> None:
    daemon.terminate()
    try:
        daemon.wait(10)
    except subprocess.TimeoutExpired:
        daemon.kill()
        daemon.wait()


def _kill_what_is_left(folder: Path) -> None:
    """Kill what was started with this cluster's configuration and is still there, such as a job."""
    mark = f"SLURM_CONF={folder / 'slurm.conf'}".encode()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark in (process / "environ").read_bytes().split(b"\0"):
                os.kill(int(process.name), signal.SIGKILL)
