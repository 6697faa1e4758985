"""Results kept under keys made from their inputs, so that each comparison is computed once."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from nbyk.files import write_text
from nbyk.labels.designs.columns import Array
from nbyk.provenance import record_path

_NAME = re.compile("[0-9a-f]{64}")
_CODE = (
    *("labels/**/*.py", "metrics/*.py", "resampling/*.py", "testing/pvalues.py", "testing/engine/*.py"),
    *("testing/shared_units/*.py", "testing/systems/claims.py"),
)
"""The modules that a comparison's result depends on, below the package."""


class KeptResults:
    """Results in a folder, each in a file named by the checksum of all that it depends on.

    A damaged file counts as missing. Without a folder, nothing is kept.

    Parameters
    ----------
    folder
        The folder.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self.damaged: list[Path] = []

    def get(self, key: str) -> Any:
        """Return the result of a key; None if there is none, or its file is damaged."""
        if self._folder is None:
            return None
        path = self._path(key)
        try:
            content = path.read_bytes()
        except OSError:
            return None
        with suppress(ValueError, KeyError, TypeError, RecursionError):
            kept = json.loads(content)
            if kept["key"] == key and kept["sha256"] == _checksum(kept["result"]):
                return kept["result"]
        self.damaged.append(path)
        return None

    def put(self, key: str, result: Any) -> None:
        """Keep a result, which JSON can hold."""
        if self._folder is not None:
            kept = {"key": key, "sha256": _checksum(result), "result": result}
            write_text(
                self._path(key), json.dumps(kept, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
            )

    def discard_others(self, keys: Iterable[str]) -> None:
        """Delete the results of other keys; the folder then has only the results of these keys."""
        if self._folder is None:
            return
        wanted = set(keys)
        for path in sorted(self._folder.glob("*.json")):
            if _NAME.fullmatch(path.stem) and path.stem not in wanted:
                path.unlink(missing_ok=True)
                record_path(path).unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        assert self._folder is not None
        return self._folder / f"{key}.json"


def key_of(parameters: Any, arrays: Iterable[Array]) -> str:
    """Return the checksum of parameters, arrays, the code, and numpy's version.

    Parameters
    ----------
    parameters
        Anything that JSON can hold.
    arrays
        Arrays of text or numbers.
    """
    digest = hashlib.sha256()
    for part in (json.dumps(parameters, sort_keys=True).encode(), _code().encode(), *map(_bytes, arrays)):
        digest.update(f"{len(part)}:".encode())
        digest.update(part)
    return digest.hexdigest()


def _bytes(array: Array) -> bytes:
    if array.dtype.kind == "U":
        return json.dumps(array.tolist()).encode()
    numbers = np.ascontiguousarray(array, dtype=np.float64)
    return f"{numbers.shape}".encode() + numbers.tobytes()


@cache
def _code() -> str:
    """Return an identifier of the code's and numpy's versions; other versions may draw other numbers."""
    package = Path(__file__).parents[2]
    digest = hashlib.sha256(np.__version__.encode())
    for pattern in _CODE:
        for path in sorted(package.glob(pattern)):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _checksum(result: Any) -> str:
    return hashlib.sha256(json.dumps(result, sort_keys=True, allow_nan=False).encode()).hexdigest()
