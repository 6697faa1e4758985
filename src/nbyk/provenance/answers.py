"""The files of one answer: a list beside their records, which reveals a mixture of two answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from nbyk.bounded import content_of
from nbyk.provenance.records import FOLDER, record_folders

SUFFIX = ".answer"


def list_path(folder: Path, stem: str) -> Path:
    """Return the path of the list of an answer's files: ``.nbyk/STEM.answer`` in the answer's folder."""
    return folder / FOLDER / f"{stem}{SUFFIX}"


def list_text(checksums: Mapping[str, str]) -> str:
    """Return the list of an answer's files: the SHA-256 of each, by its path within the folder."""
    return json.dumps({"files": dict(sorted(checksums.items()))}, indent=2, ensure_ascii=False) + "\n"


def listed(path: Path) -> dict[str, str]:
    """Return the content of a list that `list_text` made; nothing if there is no list, or it is damaged."""
    try:
        files = json.loads(content_of(path).decode("utf-8"))["files"]
        items = list(files.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
    return {name: digest for name, digest in items if isinstance(digest, str) and _is_within(name)}


def _is_within(name: str) -> bool:
    return (
        not PurePosixPath(name).is_absolute() and ".." not in PurePosixPath(name).parts and "\0" not in name
    )


def answers_below(folder: Path) -> Iterator[tuple[Path, str, dict[str, str]]]:
    """Yield folder, stem and list of each answer below a folder, given by its absolute path."""
    for place in record_folders(folder):
        for path in sorted(place.glob(f"*{SUFFIX}")):
            yield place.parent, path.stem, listed(path)
