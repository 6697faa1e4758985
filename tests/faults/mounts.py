"""Small and read-only file systems, mounted where only the test sees them."""

from __future__ import annotations

import functools
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.workflow import forked
from tests.workflow.runs import PATIENCE, command

PAGE = os.sysconf("SC_PAGE_SIZE")
UNSHARE = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]


@functools.cache
def refusal() -> str:
    """Return why this machine does not let a test mount a file system of its own; empty if it does."""
    try:
        tried = subprocess.run(
            [*UNSHARE, "mount", "-t", "tmpfs", "none", "/mnt"],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
    except OSError as error:
        return str(error)
    return tried.stderr.strip() or (f"exit code {tried.returncode}" if tried.returncode else "")


@dataclass(frozen=True)
class Mounted:
    """A process that keeps a mount namespace alive: what it sees, and how to run commands in it."""

    keeper: int

    def run(self, words: Sequence[str], directory: Path) -> tuple[int, str]:
        """Run a command there, in `directory`; return its exit code and everything it printed."""
        enter = ["nsenter", "--target", str(self.keeper), "--mount"]
        if os.geteuid() != 0:
            enter += ["--user", "--preserve-credentials"]
        # A process that enters a namespace starts in the root folder.
        moved = ["sh", "-c", 'cd "$0" && exec "$@"', str(directory), *words]
        done = subprocess.run(
            [*enter, *moved],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
        )
        return done.returncode, done.stdout

    def nbyk(self, words: Sequence[str], directory: Path) -> tuple[int, str]:
        """Do the same with a copy of a process that has nbyk loaded."""
        return forked.run("nbyk", words, directory, self._inside(os.environ), PATIENCE)

    def snakemake(self, checkout: Path, directory: Path) -> tuple[int, str]:
        """Do the same with Snakemake; its jobs see what it sees."""
        started = command(checkout, directory)
        words, environment = started["args"][3:], self._inside(started["env"])
        return forked.run("snakemake", words, directory, environment, PATIENCE, jobs_are_copies=True)

    def _inside(self, environment: Mapping[str, str]) -> dict[str, str]:
        return {**environment, forked.NAMESPACE: str(self.keeper)}

    def seen(self, path: Path) -> Path:
        """Return the path by which processes outside see a path of the namespace."""
        return Path(f"/proc/{self.keeper}/root{path.resolve()}")


@contextmanager
def mounted(script: str, *arguments: str | Path) -> Iterator[Mounted]:
    """Mount what a shell script mounts, in a namespace that ends with the block."""
    words = [*UNSHARE, "sh", "-ec", f"{script}\necho ready\nexec cat", "sh", *map(str, arguments)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as keeper:
        assert keeper.stdin is not None
        assert keeper.stdout is not None
        assert keeper.stdout.readline() == "ready\n"
        yield Mounted(keeper.pid)
        keeper.stdin.close()


SMALL = 'mount -t tmpfs -o size="$2" none "$1"'
"""Mounts a memory of $2 bytes at $1."""

READ_ONLY = 'mount --bind "$1" "$1"; mount -o remount,bind,ro "$1"'
"""Makes the folder $1 read-only, for root too."""


def fill(folder: Path, pages: int) -> Path:
    """Leave so many pages of a file system free, and return the file that takes the rest."""
    filler = folder / ".filler"
    space = os.statvfs(folder)
    filler.write_bytes(bytes(space.f_bavail * space.f_frsize - pages * PAGE))
    return filler


def pages_of(contents: Sequence[bytes]) -> int:
    """Return how many pages files of these contents take."""
    return sum(-(-len(content) // PAGE) for content in contents)
