"""Logs of Inspect (inspect_ai): samples are items, epochs are runs, metadata can be clusters."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from nbyk.bounded import Deadline, refuse_bomb, refuse_document
from nbyk.data.readers.recording import Gathering, Recording, library, message_of
from nbyk.errors import NbykError
from nbyk.files import read_bytes

_ITEM, _RUN = "sample_id", "epoch"
_IN_A_LOG = {"version", "status", "eval"}
_MOST_VALUES = 10**7  # Inspect takes up to 5 µs for each
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
    log = library("inspect_ai.log", path, "a log of Inspect")
    number = library("inspect_ai.scorer", path, "a log of Inspect").value_to_float()
    is_zipped = Path(path).suffix.lower() == ".eval"
    for document in _documents(path, read_bytes(path)) if is_zipped else [read_bytes(path)]:
        refuse_document(path, document, _MOST_VALUES)
    deadline = Deadline(path)
    gathering = Gathering("a log of Inspect", "sample", _ITEM, _RUN, path)
    try:
        if is_zipped:
            header = log.read_eval_log(os.fspath(path), header_only=True)
            samples = log.read_eval_log_sample_summaries(os.fspath(path))
        else:
            header = log.read_eval_log(os.fspath(path))
            samples = header.samples or []
    except Exception as error:  # its reader raises the errors of zipfile, json and pydantic
        raise NbykError(
            f"Inspect cannot read it ({message_of(error)}); get the log again", file=path
        ) from None
    if not samples:
        raise NbykError("the log of Inspect holds no samples; evaluate with log_samples on", file=path)
    if not any(sample.scores for sample in samples):
        raise NbykError("no sample of the log has a score; score it with `inspect score` first", file=path)
    for n, sample in enumerate(samples, start=1):
        deadline.check()
        gathering.add(sample.id, sample.epoch, _scores(sample, number), sample.metadata, number=n)
    gathering.tell("model", header.eval.model)
    gathering.tell("seed", header.eval.model_generate_config.seed)
    return gathering.recording(incomplete=_incomplete(header, len(samples)))


def _documents(path: str | os.PathLike[str], content: bytes) -> Iterator[bytes]:
    """Yield the documents of a zipped log that are read: its head and the summaries of its samples."""
    refuse_bomb(path, content, unread=("samples/",))
    with suppress(Exception), zipfile.ZipFile(io.BytesIO(content)) as archive:  # Inspect says what is wrong
        yield from (archive.read(of) for of in archive.namelist() if not of.startswith("samples/"))


def _scores(sample: Any, number: Callable[[Any], float]) -> Iterator[tuple[str, Any]]:
    for scorer, score in (sample.scores or {}).items():
        parts = score.value if isinstance(score.value, dict) else {None: score.value}
        for part, value in parts.items():
            name = scorer if part is None else f"{scorer}/{part}"
            yield name, graded(value, number) if isinstance(value, str | int | float) else value


def _incomplete(header: Any, n_samples: int) -> Iterator[str]:
    """Yield what the log says of its status, and of samples that it lacks."""
    expected = (header.eval.dataset.samples or 0) * (header.eval.config.epochs or 1)
    lacking = f"; {expected - n_samples} of {expected} samples are missing" if expected > n_samples else ""
    if header.status != "success" or lacking:
        yield f"the evaluation ended with the status {header.status!r}{lacking}"


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
