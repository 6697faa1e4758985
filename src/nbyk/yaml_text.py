"""YAML as users write it: mappings without repeated keys, and the line on which a key stands."""

from __future__ import annotations

import os
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import yaml

from nbyk.errors import NbykError


class _Loader(yaml.SafeLoader):
    """A loader that refuses a key that comes twice, of which YAML's own would keep the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag.endswith(":merge"):
                continue
            if key.value in seen:
                raise yaml.MarkedYAMLError(
                    problem=f"the key {key.value!r} comes twice", problem_mark=key.start_mark
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def parse_mapping(path: str | Path, content: bytes) -> dict[str, Any]:
    """Return the keys and values of a YAML file, given what it holds; of an empty file there are none.

    Raises
    ------
    NbykError
        If it is not YAML, a key comes twice, or there is anything but keys and values; the message names
        the line.
    """
    try:
        values = yaml.load(content.decode("utf-8"), _Loader)
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as error:
        where = getattr(error, "problem_mark", None)
        line = where.line + 1 if where else None
        problem = " ".join(str(getattr(error, "problem", None) or error).split())
        raise NbykError(f"not YAML ({problem})", file=path, row=line) from None
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise NbykError(f"expected keys and values, found {type(values).__name__}", file=path)
    return values


def place_of(
    location: Sequence[int | str], files: Sequence[str | os.PathLike[str]]
) -> tuple[str, int] | None:
    """Return the file and line of a key or value in the last file that has it, or None if none has.

    Parameters
    ----------
    location
        The keys, and places in lists, that lead there.
    files
        YAML files; those that cannot be read are passed over.
    """
    for path in reversed(files):
        try:
            node = yaml.compose(Path(path).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, yaml.YAMLError):
            continue
        line = _line(node, location)
        if line is not None:
            return os.fspath(path), line
    return None


def _line(node: yaml.Node | None, location: Sequence[int | str]) -> int | None:
    line = None
    for part in location:
        if isinstance(node, yaml.MappingNode):
            match = next(((key, value) for key, value in node.value if key.value == str(part)), None)
            if match is None:
                return line
            line, node = match[0].start_mark.line + 1, match[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
        else:
            return line
    return line
