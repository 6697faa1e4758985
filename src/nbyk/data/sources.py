"""The catalogue of rating sources: a new one is a parser and an entry here."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from nbyk.data.parsers import CONVABUSE_SCALE, TOXICITY_SCALE, parse_convabuse, parse_toxicity
from nbyk.data.ratings import Ratings, read_ratings
from nbyk.data.scales import Scale
from nbyk.errors import NbykError, unknown_name

_CONVABUSE_FILES = tuple(f"ConvAbuseEMNLP{split}.csv" for split in ("train", "valid", "test"))


@dataclass(frozen=True)
class Source:
    """A published set of disaggregated ratings.

    Attributes
    ----------
    name
        What commands and configs call it.
    title
        What people call it.
    scale
        The scale of the raw ratings.
    licence
        The licence of the ratings, in words.
    citation
        Whom to cite.
    url
        Where the data come from.
    version
        The version that the parser was written for, as exactly as its publisher names it.
    embedded
        Whether the ratings come with nbyk, so that no path is needed.
    load
        Returns the raw ratings, given the path of the user's own files, or None.
    """

    name: str
    title: str
    scale: Scale
    licence: str
    citation: str
    url: str
    version: str
    embedded: bool
    load: Callable[[Path | None], Ratings]


def _load_convabuse(path: Path | None) -> Ratings:
    if path is not None:
        return parse_convabuse([path / file for file in _CONVABUSE_FILES])
    with resources.as_file(resources.files("nbyk.data") / "embedded" / "convabuse.csv") as embedded:
        return read_ratings(embedded, layout="wide")


def _load_toxicity(path: Path | None) -> Ratings:
    if path is None:
        raise NbykError(
            "source 'toxicity' comes without its data: get them from "
            "https://data.esrg.stanford.edu/study/toxicity-perspectives (its authors give the password), "
            "decrypt them, and give the path of your toxicity_ratings.json: --path, or toxicity_ratings in "
            "config.yaml"
        )
    return parse_toxicity(path)


_SOURCES = {
    source.name: source
    for source in (
        Source(
            name="convabuse",
            title="ConvAbuse",
            scale=CONVABUSE_SCALE,
            licence="CC BY 4.0",
            citation="Amanda Cercas Curry, Gavin Abercrombie and Verena Rieser (2021), ConvAbuse: Data, "
            "Analysis, and Benchmarks for Nuanced Abuse Detection in Conversational AI, EMNLP",
            url="https://github.com/amandacurry/convabuse",
            version="commit c0a9469f48956e868276c605d499010ea3c7c0d0, 2_splits",
            embedded=True,
            load=_load_convabuse,
        ),
        Source(
            name="toxicity",
            title="Stanford toxicity",
            scale=TOXICITY_SCALE,
            licence="none published",
            citation="Deepak Kumar et al. (2021), Designing Toxic Content Classification for a Diversity of "
            "Perspectives, SOUPS",
            url="https://data.esrg.stanford.edu/study/toxicity-perspectives",
            version="toxicity_ratings.json",
            embedded=False,
            load=_load_toxicity,
        ),
    )
}


def source_names() -> tuple[str, ...]:
    """Return the names of the sources, sorted."""
    return tuple(sorted(_SOURCES))


def source(name: str) -> Source:
    """Return the catalogue's entry.

    Raises
    ------
    NbykError
        If no source has that name; it says which names are near.
    """
    if name not in _SOURCES:
        raise unknown_name("source", name, _SOURCES)
    return _SOURCES[name]


def load_source(name: str, path: str | os.PathLike[str] | None = None) -> Ratings:
    """Return a source's ratings, normalised to [0, 1] by its declared scale.

    Parameters
    ----------
    name
        The source.
    path
        Where the user's own copy is: for ``toxicity`` the decrypted ``toxicity_ratings.json``; for
        ``convabuse`` the folder of the three upstream splits, or None for the embedded ratings.

    Raises
    ------
    NbykError
        If no source has that name, the source needs a path, or its files cannot be read.
    """
    entry = source(name)
    return entry.load(None if path is None else Path(path)).normalised(entry.scale, name)
