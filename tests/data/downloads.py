"""What the tests of downloads pin and wait for."""

from __future__ import annotations

import dataclasses
import hashlib
import socket
from pathlib import Path

from nbyk.data import RemoteFile, Source, source

CONTENT = bytes(range(256)) * 400
QUICK = (5.0, 0.3)
UPSTREAM = "https://upstream.invalid/x"
PATH = "/own/one.csv"


class Waits(list[float]):
    """The waits that a download asked for, none of which was waited for."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


def pinned(name: str = "one.csv", content: bytes = CONTENT, *, sized: bool = True) -> RemoteFile:
    size = len(content) if sized else None
    return RemoteFile(name, f"{UPSTREAM}/{name}", hashlib.sha256(content).hexdigest(), size)


def entry(*files: RemoteFile) -> Source:
    return dataclasses.replace(source("hs_brexit"), name="own", remote=files or (pinned(),))


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def closed_port() -> str:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{one.getsockname()[1]}"
