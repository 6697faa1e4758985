"""An entry of the catalogue: a set of ratings with its authors, licence, scale and files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nbyk.data.ratings import Ratings
from nbyk.data.scales import Scale
from nbyk.errors import NbykError, unknown_name


@dataclass(frozen=True)
class RemoteFile:
    """A file that the authors of ratings publish, pinned to its bytes.

    Attributes
    ----------
    name
        The file's name, the same upstream, in a mirror and in a folder of downloads.
    url
        Its address, at a commit or revision that does not change.
    sha256
        The SHA-256 of its bytes, in hexadecimal.
    size
        Its size in bytes; None if nobody has recorded it.
    """

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
    load
        Returns the raw ratings, given the path of a copy, or None; and the question, if there are several.
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
    load: Callable[..., Ratings]
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
        """Return the scale of the answers to a question, the default one if it is None.

        Raises
        ------
        NbykError
            If the source has no such question, or no questions to choose from.
        """
        if question is None:
            return self.scale
        if not self.questions:
            raise NbykError(
                f"source {self.name!r} has no questions to choose from; leave {question!r} out",
                argument="question",
            )
        if question not in self.questions:
            raise unknown_name(f"question of {self.name}", question, self.questions).about(
                argument="question"
            )
        return self.questions[question]

    def missing(self) -> NbykError:
        """Return the error for ratings that the user lacks: it says what to get and where to put it."""
        fetch = f"run `nbyk data fetch {self.name}` (from {self.url}), or give the path of your own copy"
        return NbykError(
            f"comes without its data: {fetch if self.remote else self.get}: as `path`, or as "
            f"{self.name} under ratings in config.yaml",
            name=f"source {self.name!r}",
        )
