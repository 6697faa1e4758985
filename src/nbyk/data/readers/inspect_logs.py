"""Logs of Inspect (inspect_ai): samples are items, epochs are runs, metadata can be clusters."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nbyk.data.readers.recording import Recording, library, message_of, plain, recording
from nbyk.errors import NbykError
from nbyk.files import read_bytes

_ITEM, _RUN = "sample_id", "epoch"
_IN_A_LOG = {"version", "status", "eval"}
_GRADES = {"C", "P", "I", "N"}
_WORDS = {"yes", "true", "no", "false"}


def recognises(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is named .eval, or begins as Inspect's JSON logs do."""
    if Path(path).suffix.lower() == ".eval":
        return os.path.isfile(path)
    if Path(path).suffix.lower() != ".json" or not os.path.isfile(path):
        return False
    with open(path, encoding="utf-8", errors="replace") as file:
        head = file.read(2000)
    return head.lstrip().startswith("{") and all(f"{json.dumps(key)}:" in head for key in _IN_A_LOG)


def read(path: str | os.PathLike[str]) -> Recording:
    """Return a row per sample and epoch of one log, with a column per score, read by Inspect itself."""
    log = library("inspect_ai.log", "inspect", path, "a log of Inspect")
    number = library("inspect_ai.scorer", "inspect", path, "a log of Inspect").value_to_float()
    read_bytes(path)  # notes the file as an input, and refuses one that is too large
    try:
        samples = log.read_eval_log(os.fspath(path)).samples or []
    except Exception as error:  # its reader raises the errors of zipfile, json and pydantic
        raise NbykError(
            f"Inspect cannot read it ({message_of(error)}); get the log again", file=path
        ) from None
    if not samples:
        raise NbykError("the log of Inspect holds no samples; evaluate with log_samples on", file=path)
    rows: list[dict[str, Any]] = []
    scores: dict[str, None] = {}
    for sample in samples:
        row = {_ITEM: sample.id, _RUN: sample.epoch}
        for scorer, score in (sample.scores or {}).items():
            parts = score.value if isinstance(score.value, dict) else {None: score.value}
            for part, value in parts.items():
                name = scorer if part is None else f"{scorer}/{part}"
                row[name] = None if isinstance(value, list) else graded(value, number)
                scores[name] = None
        rows.append(row | plain(sample.metadata or {}, {_ITEM, _RUN, *scores}))
    if not scores:
        raise NbykError("no sample of the log has a score; score it with `inspect score` first", file=path)
    return recording("a log of Inspect", rows, {"item": _ITEM, "rater": _RUN}, list(scores), "sample")


def graded(value: Any, number: Callable[[Any], float]) -> Any:
    """Return a score as Inspect's number; text that is no number to Inspect stays, and is refused later.

    Inspect counts such text as 0, with a warning in its own log.
    """
    if isinstance(value, str) and value not in _GRADES and value.lower() not in _WORDS:
        try:
            return float(value)
        except ValueError:
            return value
    return number(value)
