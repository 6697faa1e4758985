"""The catalogue of rating sources: a new one is a parser and an entry here."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from nbyk.data.parsers import (
    BINARY_SCALE,
    CONVABUSE_SCALE,
    TOXICITY_SCALE,
    lewidi_files,
    parse_convabuse,
    parse_lewidi,
    parse_toxicity,
)
from nbyk.data.ratings import Ratings, read_ratings
from nbyk.data.scales import Levels, Scale
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
    files
        Returns the files that are read, given that path.
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
    files: Callable[[Path], list[Path]] = field(default=lambda path: [path])


def _own(name: str, get: str, read: Callable[[Path], Ratings]) -> Callable[[Path | None], Ratings]:
    """Return the loader of a source that comes without its data; `get` says where to get them."""

    def load(path: Path | None) -> Ratings:
        if path is None:
            raise NbykError(
                f"source {name!r} comes without its data: {get}: --path, or {name} under ratings in "
                "config.yaml"
            )
        return read(path)

    return load


def _lewidi(name: str, title: str, *, citation: str, licence: str, note: str, hint: str = "") -> Source:
    """Return the entry of a dataset of 0/1 labels from the shared task Learning With Disagreements."""
    url = "https://github.com/Le-Wi-Di/le-wi-di.github.io"
    folder = f"LeWiDi_2-2023/{title}_dataset"
    get = (
        f"get {title}_train.json, {title}_dev.json and {title}_test.json from {folder} of {url}, and give "
        f"the path of their folder, or of one of them{hint}"
    )
    return Source(
        name=name,
        title=title,
        scale=BINARY_SCALE,
        licence=licence,
        citation=citation,
        url=url,
        version=f"commit 45d7b06e4c36b59472d6bdf9281f7f1e395eb0e0, {folder}: {note}",
        embedded=False,
        load=_own(name, get, parse_lewidi),
        files=lewidi_files,
    )


def _convabuse_files(path: Path) -> list[Path]:
    return [path / file for file in _CONVABUSE_FILES]


def _load_convabuse(path: Path | None) -> Ratings:
    if path is not None:
        return parse_convabuse(_convabuse_files(path))
    with resources.as_file(resources.files("nbyk.data") / "embedded" / "convabuse.csv") as embedded:
        return read_ratings(embedded, layout="wide")


_AMAZON_URL = "https://arxiv.org/abs/1509.01626"
_MHS_URL = "https://huggingface.co/datasets/ucberkeley-dlab/measuring-hate-speech"
_TOXICITY_URL = "https://data.esrg.stanford.edu/study/toxicity-perspectives"

_SOURCES = {
    source.name: source
    for source in (
        Source(
            name="amazon",
            title="Amazon reviews",
            scale=Levels((1, 2, 3, 4, 5)),
            licence="none stated",
            citation="Xiang Zhang, Junbo Zhao and Yann LeCun (2015), Character-level Convolutional Networks "
            "for Text Classification, NeurIPS",
            url=_AMAZON_URL,
            version="a table of your own: the published files do not say which product a review is of",
            embedded=False,
            load=_own(
                "amazon",
                f"the paper's reviews ({_AMAZON_URL}) are published without their products, so make a table "
                "of reviews that have one (item: product, rater: reviewer, value: 1 to 5 stars), and give "
                "its path",
                read_ratings,
            ),
        ),
        _lewidi(
            "armis",
            "ArMIS",
            citation="Dina Almanea and Massimo Poesio (2022), ArMIS - The Arabic Misogyny and Sexism Corpus "
            "with Annotator Subjective Disagreements, LREC",
            licence="none stated",
            note="943 items of 3 labels, where Homan et al. (2025) have 964",
        ),
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
            files=_convabuse_files,
        ),
        _lewidi(
            "hs_brexit",
            "HS-Brexit",
            citation="Sohail Akhtar, Valerio Basile and Viviana Patti (2021), Whose Opinions Matter? "
            "Perspective-aware Models to Identify Opinions of Hate Speech Victims in Abusive Language "
            "Detection, arXiv:2106.15896",
            licence="none stated",
            note="1120 items of 6 labels",
        ),
        Source(
            name="mhs",
            title="Measuring Hate Speech",
            scale=Levels((0, 1, 2, 3, 4)),
            licence="CC BY 4.0",
            citation="Pratik Sachdeva et al. (2022), The Measuring Hate Speech Corpus: Leveraging Rasch "
            "Measurement Theory for Data Perspectivism, NLPerspectives",
            url=_MHS_URL,
            version="a table of your own, made of measuring-hate-speech.parquet",
            embedded=False,
            load=_own(
                "mhs",
                f"get measuring-hate-speech.parquet from {_MHS_URL}, make a table of one of its questions of "
                "five levels (item: comment_id, rater: annotator_id, value: 0 to 4; the paper does not say "
                "which question it took), and give its path",
                read_ratings,
            ),
        ),
        _lewidi(
            "multidomain",
            "MD-Agreement",
            citation="Elisa Leonardelli et al. (2021), Agreeing to Disagree: Annotating Offensive Language "
            "Datasets with Annotators' Disagreement, EMNLP",
            licence="on request, for non-commercial use",
            note="10,753 items of 5 labels; the 3057 of Homan et al. (2025) are MD-Agreement_test.json",
            hint=" (MD-Agreement_test.json is what the paper has)",
        ),
        Source(
            name="toxicity",
            title="Stanford toxicity",
            scale=TOXICITY_SCALE,
            licence="none published",
            citation="Deepak Kumar et al. (2021), Designing Toxic Content Classification for a Diversity of "
            "Perspectives, SOUPS",
            url=_TOXICITY_URL,
            version="toxicity_ratings.json",
            embedded=False,
            load=_own(
                "toxicity",
                f"get them from {_TOXICITY_URL} (its authors give the password), decrypt them, and give the "
                "path of your toxicity_ratings.json",
                parse_toxicity,
            ),
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
        ``convabuse`` the folder of the three upstream splits, or None for the embedded ratings; for
        ``hs_brexit``, ``armis`` and ``multidomain`` a file, or the folder of the splits, as in
        `parse_lewidi`; for ``amazon`` and ``mhs`` a table that `read_ratings` reads.

    Raises
    ------
    NbykError
        If no source has that name, the source needs a path, or its files cannot be read.
    """
    entry = source(name)
    if path is None:
        return entry.load(None).normalised(entry.scale, name)
    return entry.load(Path(path)).normalised(entry.scale, str(path))
