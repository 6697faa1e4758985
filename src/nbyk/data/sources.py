"""The catalogue of rating sources: a new one is an entry in sources.toml, and a parser of a new layout."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from nbyk.data.parsers import (
    MHS_QUESTIONS,
    lewidi_files,
    parse_dices,
    parse_lewidi,
    parse_mhs,
    parse_toxicity,
)
from nbyk.data.ratings import Ratings
from nbyk.data.reading import read_ratings
from nbyk.data.scales import Scale, scale_from_text
from nbyk.errors import DataPlace, NbykError, check_name

_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class RemoteFile:
    """A file that the authors of ratings publish, pinned to its bytes; `size` is None if not recorded."""

    name: str
    url: str
    sha256: str
    size: int | None = None


@dataclass(frozen=True)
class Source:
    """A published set of disaggregated ratings.

    Attributes
    ----------
    name, title
        Its name in commands and configurations, and for people.
    version
        The version that the parser was written for, as precisely as the publisher names it.
    url, licence, terms, citation
        The publisher's address, the licence in words, the terms that a user accepts, and the work to cite.
    n_items, n_ratings, scale
        Number of items and of ratings in that version, and the scale of the raw ratings.
    parse
        Returns the raw ratings, given the path of a copy; and the question, if there are several.
    rated_twice, embedded
        Whether each of its items has at least two ratings, and whether they come with nbyk.
    remote, get
        The files that can be fetched; if there are none, how to get the data by hand, as part of a sentence.
    files
        Returns the files that `load` reads, given the path of a copy.
    questions
        The questions that raters answered, each with its scale, if one can be chosen; the default first.
    """

    name: str
    title: str
    version: str
    url: str
    licence: str
    terms: str
    citation: str
    n_items: int
    n_ratings: int
    scale: Scale
    parse: Callable[..., Ratings]
    rated_twice: bool = True
    embedded: bool = False
    remote: tuple[RemoteFile, ...] = ()
    get: str = ""
    files: Callable[[Path], list[Path]] = field(default=lambda path: [path])
    questions: Mapping[str, Scale] = field(default_factory=dict)

    @property
    def fetchable(self) -> bool:
        """Whether its files can be downloaded."""
        return bool(self.remote)

    @property
    def size(self) -> int | None:
        """The size in bytes of all files that can be fetched; None if the size of one is not recorded."""
        sizes = [file.size for file in self.remote]
        return None if None in sizes else sum(size for size in sizes if size is not None)

    def copy_in(self, folder: Path) -> Path:
        """Return the path of a copy in a folder of downloads: its only file, or the folder of its files."""
        place = folder / self.name
        return place / self.remote[0].name if len(self.remote) == 1 else place

    def scale_of(self, question: str | None) -> Scale:
        """Return the scale of the answers to a question, the default one if it is None."""
        if question is None:
            return self.scale
        if not self.questions:
            raise NbykError(
                f"source {self.name!r} has no questions to choose from; leave {question!r} out",
                argument="question",
            )
        check_name(f"question of {self.name}", question, self.questions, argument="question")
        return self.questions[question]

    def missing(self) -> NbykError:
        """Return the error for ratings that the user lacks: it says what to get and where to put it."""
        if self.embedded:
            return NbykError("comes with nbyk, so there is nothing to fetch", name=f"source {self.name!r}")
        fetch = f"run `nbyk data fetch {self.name}` (from {self.url}), or give the path of your own copy"
        return NbykError(
            f"comes without its data: {fetch if self.remote else self.get}: as `path`, or as "
            f"{self.name} under ratings in config.yaml",
            name=f"source {self.name!r}",
        )

    def load(self, path: Path | None, question: str | None = None) -> Ratings:
        """Return the raw ratings in a copy, None for those that come with nbyk."""
        if path is None and not self.embedded:
            raise self.missing()
        copy = path or _FOLDER / "embedded" / f"{self.name}.csv"
        return self.parse(copy) if question is None else self.parse(copy, question)


OWN_FIT = "_fit"
"""The suffix in the name of our own fit to a source's ratings; no source's own name ends in it."""


_PARSERS: Mapping[str, Callable[..., Ratings]] = {
    "table": read_ratings,
    "toxicity": parse_toxicity,
    "dices": parse_dices,
    "mhs": parse_mhs,
    "lewidi": parse_lewidi,
}


def _entry(name: str, content: dict[str, Any]) -> Source:
    layout, scale, place = (
        content.pop("layout"),
        scale_from_text(content.pop("scale")),
        content.pop("from", ""),
    )
    remote = tuple(RemoteFile(url=place + of["name"], **of) for of in content.pop("files", ()))
    made = Source(name=name, scale=scale, parse=_PARSERS[layout], remote=remote, **content)
    if layout == "lewidi":
        return replace(made, files=lewidi_files)
    return replace(made, questions=MHS_QUESTIONS) if layout == "mhs" else made


_SOURCES = {
    name: _entry(name, entry)
    for name, entry in tomllib.loads((_FOLDER / "sources.toml").read_text(encoding="utf-8")).items()
}


def source_names() -> tuple[str, ...]:
    """Return the names of the sources, sorted."""
    return tuple(sorted(_SOURCES))


def source(name: str) -> Source:
    """Return the catalogue's entry."""
    check_name("source", name, _SOURCES)
    return _SOURCES[name]


def load_source(
    name: str, path: str | os.PathLike[str] | None = None, question: str | None = None
) -> Ratings:
    """Return a source's ratings, normalised to [0, 1] by its declared scale.

    Parameters
    ----------
    name
        The source.
    path
        The path of a copy, or None for those that come with nbyk: for the datasets of the shared task LeWiDi
        a file, or the folder of the splits, as in `parse_lewidi`; for ``toxicity`` the decrypted
        ``toxicity_ratings.json``; for ``dices_350``, ``dices_990`` and ``mhs`` the upstream file; for
        ``amazon``, ``convabuse``, and ``mhs`` too, a table that `read_ratings` reads.
    question
        For ``mhs``, which of its questions.

    Raises
    ------
    NbykError
        If no source has that name, the source needs a path or has no such question, or its files cannot be
        read.
    """
    entry = source(name)
    scale = entry.scale_of(question)
    copy = None if path is None else Path(path)
    place = DataPlace(name=name) if path is None else DataPlace(path)
    return replace(entry.load(copy, question), place=place).normalised(scale)


def example_files() -> dict[str, bytes]:
    """Return the example's files by name: README.md, gold.csv and a file for each system."""
    return {
        path.name: path.read_bytes()
        for path in sorted((_FOLDER / "embedded" / "example").iterdir())
        if path.is_file()
    }
