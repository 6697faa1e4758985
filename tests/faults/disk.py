"""A model of a disk that forgets at a power cut what was not synced.

`recording` notes what code in this process does to a folder: names that it makes, moves and deletes, and what
it syncs. `after_power_cut` says what a disk may hold if the power went after some of these steps. As on real
ones, a file that was not synced may be empty or end anywhere, and a name is where it was put, or still where
it was before, until its folder is synced.
"""

from __future__ import annotations

import builtins
import io
import os
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

Files = dict[str, bytes]
"""What a disk holds: contents by path."""


@dataclass(frozen=True)
class Step:
    """One thing done: "create", "write", "move", "delete", "make folder", "sync" or "sync folder"."""

    what: str
    path: str
    to: str = ""
    content: bytes = b""


def files_in(folder: Path) -> Files:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in paths}


@contextmanager
def recording(folder: Path) -> Iterator[list[Step]]:
    """Yield a list that is told every step that code takes within a folder until the block ends."""
    steps: list[Step] = []
    opened: dict[int, str] = {}
    inside = f"{os.path.abspath(folder)}{os.sep}"
    real: dict[str, Any] = {
        name: getattr(os, name)
        for name in ("open", "replace", "rename", "unlink", "remove", "mkdir", "fsync")
    }
    real_open = builtins.open

    def note(what: str, path: Any, *, to: Any = "", content: bytes = b"") -> None:
        where, goal = os.path.abspath(os.fspath(path)), to and os.path.abspath(os.fspath(to))
        if f"{where}{os.sep}".startswith(inside):
            steps.append(Step(what, where, goal, content))

    def read(path: Any) -> bytes:
        with real_open(path, "rb") as file:
            content: bytes = file.read()
            return content

    def low_open(path: Any, flags: int, *rest: Any, **more: Any) -> int:
        is_new = bool(flags & os.O_CREAT) and not os.path.exists(path)
        handle: int = real["open"](path, flags, *rest, **more)
        opened[handle] = os.path.abspath(os.fspath(path))
        if is_new:
            note("create", path)
        return handle

    def high_open(path: Any, mode: str = "r", *rest: Any, **more: Any) -> Any:
        if isinstance(path, int):
            return real_open(path, mode, *rest, **more)
        is_there = os.path.exists(path)
        file = real_open(path, mode, *rest, **more)
        opened[file.fileno()] = os.path.abspath(os.fspath(path))
        if set(mode) & set("wax"):
            note("write" if is_there else "create", path)
        return file

    def move(name: str) -> Any:
        def moved(source: Any, to: Any, **more: Any) -> None:
            content = read(source)
            real[name](source, to, **more)
            note("move", source, to=to, content=content)

        return moved

    def change(name: str, what: str) -> Any:
        def changed(path: Any, *rest: Any, **more: Any) -> None:
            real[name](path, *rest, **more)
            note(what, path)

        return changed

    def fsync(handle: Any) -> None:
        path = opened[handle if isinstance(handle, int) else handle.fileno()]
        real["fsync"](handle)
        if os.path.isdir(path):
            note("sync folder", path)
        else:
            note("sync", path, content=read(path))

    replacements = {
        "open": low_open,
        "replace": move("replace"),
        "rename": move("rename"),
        "unlink": change("unlink", "delete"),
        "remove": change("remove", "delete"),
        "mkdir": change("mkdir", "make folder"),
        "fsync": fsync,
    }
    with (
        patch.multiple(os, **replacements),
        patch.object(builtins, "open", high_open),
        patch.object(io, "open", high_open),
    ):
        yield steps


def after_power_cut(before: Files, steps: Sequence[Step], chance: random.Random) -> Files:
    """Return what a disk that held `before` may hold if the power goes right after `steps`."""
    files, synced = dict(before), dict(before)
    last_sync = {step.path: number for number, step in enumerate(steps) if step.what == "sync folder"}
    lost_folders: list[str] = []
    for number, step in enumerate(steps):
        folder = os.path.dirname(step.to or step.path)
        happened = last_sync.get(folder, -1) > number or chance.random() < 0.5
        if step.what == "sync":
            synced[step.path] = step.content
            if step.path in files:
                files[step.path] = step.content
        elif not happened:
            if step.what == "make folder":
                lost_folders.append(step.path + os.sep)
        elif step.what in ("create", "write"):
            files[step.path] = b""
        elif step.what in ("move", "delete"):
            files.pop(step.path, None)
            if step.what == "move":
                whole = synced.get(step.path) == step.content
                end = len(step.content) if whole else chance.choice([0, chance.randint(0, len(step.content))])
                files[step.to] = step.content[:end]
    return {path: content for path, content in files.items() if not path.startswith(tuple(lost_folders))}
