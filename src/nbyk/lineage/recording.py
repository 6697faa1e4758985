"""One record for each file that a command writes, once the command has ended well.

A file F and its record R are two files, so that a command may be stopped between them. The order is: delete
the old R (for good, also if the power fails), move the new F into place, and, when the command has ended,
write the new R.

| stopped | leaves | a reader |
|---|---|---|
| before R is deleted | old F, old R | sees the old file, checked |
| before F is moved | old F, no R | sees the old file, which is whole |
| before R is written | new F, no R | sees the new file, which is whole |
| after | new F, new R | sees the new file, checked |

R therefore always describes the F beside it: no reader is refused, and none gets half a file. A file without
a record is checked again once its command has run again. Snakemake does so with a job that was stopped, and
`nbyk doctor` names files without a record. Snakemake deletes the F of a job before it runs the job, which
leaves the old R alone. Nobody reads that R, and it is deleted before the new F is moved. If two commands
write the same F at once, the one whose F is in place when it ends writes R. If the other moves its F in
between, R is wrong, and readers get an error, until the other command ends and writes its own R.
"""

from __future__ import annotations

import os
import platform
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from nbyk.files import replacing
from nbyk.provenance.journal import Journal, identity, noting
from nbyk.provenance.records import Record, record_path, shown

PACKAGES = ("numpy", "scipy", "numba", "pandas", "pyarrow", "matplotlib")
"""The packages that numbers, tables and pictures depend on, beside Python and nbyk."""

_SETTING_OF_OPTION = {
    "--seed": "seed",
    "--semantics": "semantics",
    "--null": "null",
    "--draws": "M",
    "--resamples": "M",
}


class GateShutError(SystemExit):
    """Ends a command that did its work but whose answer is not yes; its files are recorded."""


@contextmanager
def recording(arguments: Sequence[str]) -> Iterator[None]:
    """Write a record of every file that is written within the block, if it ends without an error.

    Parameters
    ----------
    arguments
        The words after ``nbyk`` on the command line. The record has them without the number of threads, on
        which no result depends, and without passwords.
    """
    words = [re.sub(r"(?<=://)\S*@", "…@", word) for word in _without(arguments, "--threads")]
    command, question = (shlex.join(["nbyk", *given]) for given in (words, _without(words, "--out")))
    with noting(command, question) as journal:
        try:
            yield
        except SystemExit as ended:  # every command line ends in SystemExit, with or without an error
            if not ended.code or isinstance(ended, GateShutError):
                _write(journal, _settings(words))
            raise
        _write(journal, _settings(words))


def versions() -> dict[str, str]:
    """Return the installed versions of Python, nbyk and the packages that its results depend on."""
    from importlib.metadata import PackageNotFoundError, version

    import nbyk

    found = {"python": platform.python_version(), "nbyk": nbyk.__version__}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "missing"
    return found


def _write(journal: Journal, given: dict[str, Any]) -> None:
    if not journal.outputs:
        return
    installed = versions()
    inputs = dict(sorted(journal.inputs.items()))
    for path, output in journal.outputs.items():
        try:
            in_place = identity(os.stat(path)) == output.identity
        except FileNotFoundError:
            in_place = False
        if in_place:
            settings = given | journal.settings.get(path, {})
            name, made_by = shown(path), journal.command
            record = Record(name, output.sha256, output.bytes, made_by, settings, inputs, installed)
            with replacing(shown(record_path(path)), noted=False) as scratch:
                scratch.write_text(record.to_json(), encoding="utf-8")


def _without(arguments: Sequence[str], option: str) -> list[str]:
    """Return the words without an option and its value."""
    words: list[str] = []
    rest = iter(arguments)
    for word in rest:
        if word == option:
            next(rest, None)
        elif not word.startswith(f"{option}="):
            words.append(word)
    return words


def _settings(words: Sequence[str]) -> dict[str, Any]:
    """Return the settings that the options give."""
    found: dict[str, Any] = {}
    for place, word in enumerate(words):
        option, equals, value = word.partition("=")
        if option in _SETTING_OF_OPTION:
            value = value if equals else "".join(words[place + 1 : place + 2])
            whole = value.isdecimal() and len(value) < 100
            found[_SETTING_OF_OPTION[option]] = int(value) if whole else value
    return found
