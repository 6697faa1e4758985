"""The catalogue of rating sources: a new one is a parser and an entry here."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import resources
from pathlib import Path

from nbyk.data.parsers import (
    BINARY_SCALE,
    CONVABUSE_SCALE,
    DICES_SCALE,
    MHS_QUESTIONS,
    TOXICITY_SCALE,
    lewidi_files,
    parse_convabuse,
    parse_dices,
    parse_lewidi,
    parse_mhs,
    parse_toxicity,
)
from nbyk.data.ratings import Ratings
from nbyk.data.reading import read_ratings
from nbyk.data.scales import Levels, Scale
from nbyk.errors import DataPlace, NbykError, unknown_name


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

    def load(self, path: Path | None, question: str | None = None) -> Ratings:
        """Return the raw ratings in a copy, None for those that come with nbyk."""
        if path is None and not self.embedded:
            raise self.missing()
        return self.parse(path) if question is None else self.parse(path, question)


OWN_FIT = "_fit"
"""The suffix in the name of our own fit to a source's ratings; no source's own name ends in it."""

_CC_BY = "CC BY 4.0"
_CC_BY_TERMS = "use and share them with attribution"

_AMAZON_URL = "https://arxiv.org/abs/1509.01626"
_TOXICITY_URL = "https://data.esrg.stanford.edu/study/toxicity-perspectives"
_MHS_URL = "https://huggingface.co/datasets/ucberkeley-dlab/measuring-hate-speech"
_MHS_REVISION = "211bd82042dc09d84d369819b1afa0b80038b704"

_LEWIDI_URL = "https://github.com/Le-Wi-Di/le-wi-di.github.io"
_LEWIDI_COMMIT = "45d7b06e4c36b59472d6bdf9281f7f1e395eb0e0"
_CONVABUSE_URL = "https://github.com/amandacurry/convabuse"
_CONVABUSE_COMMIT = "c0a9469f48956e868276c605d499010ea3c7c0d0"
_DICES_URL = "https://github.com/google-research-datasets/dices-dataset"
_DICES_COMMIT = "c6bc01a37eace39c904eb0a3944fc6c4230a9157"

_CONVABUSE_CITATION = (
    "Amanda Cercas Curry, Gavin Abercrombie and Verena Rieser (2021), ConvAbuse: Data, Analysis, and "
    "Benchmarks for Nuanced Abuse Detection in Conversational AI, EMNLP"
)
_DICES_CITATION = (
    "Lora Aroyo, Alex S. Taylor, Mark Díaz, Christopher M. Homan, Alicia Parrish, Greg Serapio-García, "
    "Vinodkumar Prabhakaran and Ding Wang (2023), DICES Dataset: Diversity in Conversational AI Evaluation "
    "for Safety, NeurIPS"
)


def _on_github(repository: str, commit: str, path: str, sha256: str, size: int) -> RemoteFile:
    """Return a file of a GitHub repository at a commit."""
    raw = repository.replace("https://github.com/", "https://raw.githubusercontent.com/")
    return RemoteFile(path.rpartition("/")[2], f"{raw}/{commit}/{path}", sha256, size)


def _lewidi(
    name: str,
    stem: str,
    *,
    files: dict[str, tuple[str, int]],
    note: str,
    items: int,
    ratings: int,
    citation: str,
) -> Source:
    """Return the entry of a dataset from the shared task Learning With Disagreements, its files by split."""
    folder = f"LeWiDi_2-2023/{stem}_dataset"
    return Source(
        name=name,
        title=stem,
        version=f"commit {_LEWIDI_COMMIT}, {folder}: {note}",
        url=_LEWIDI_URL,
        licence="none stated",
        terms="no licence is stated, so ask the authors before you share the data or build on them",
        citation=citation,
        n_items=items,
        n_ratings=ratings,
        scale=BINARY_SCALE,
        parse=parse_lewidi,
        remote=tuple(
            _on_github(_LEWIDI_URL, _LEWIDI_COMMIT, f"{folder}/{stem}_{split}.json", sha256, size)
            for split, (sha256, size) in files.items()
        ),
        files=lewidi_files,
    )


def _dices(items: int, ratings: int, sha256: str, size: int) -> Source:
    """Return the entry of one of the two parts of DICES, named by their numbers of items."""
    name = f"dices_{items}"
    path = f"{items}/diverse_safety_adversarial_dialog_{items}.csv"
    return Source(
        name=name,
        title=f"DICES-{items}",
        version=f"commit {_DICES_COMMIT}, {path}: every rater's answer to Q_overall",
        url=_DICES_URL,
        licence=_CC_BY,
        terms=f"{_CC_BY_TERMS}; the conversations may offend",
        citation=_DICES_CITATION,
        n_items=items,
        n_ratings=ratings,
        scale=DICES_SCALE,
        parse=parse_dices,
        remote=(_on_github(_DICES_URL, _DICES_COMMIT, path, sha256, size),),
    )


_CONVABUSE_FILES = tuple(
    _on_github(_CONVABUSE_URL, _CONVABUSE_COMMIT, f"2_splits/ConvAbuseEMNLP{split}.csv", sha256, size)
    for split, sha256, size in (
        ("train", "23abab3eff791d0e8cac681cec15a5ef299ed052699e4fca762d1d4640c36936", 878_309),
        ("valid", "a28bc3083fe3ea305b8c417539a20fda7e68057dc06365507b85c46b60e65443", 293_536),
        ("test", "8387d70332cd2245a095240534629152dd5729e8e9556e91b6b20dabdc0bb9d0", 302_095),
    )
)


def _convabuse_files(path: Path) -> list[Path]:
    return [path / file.name for file in _CONVABUSE_FILES]


def _parse_convabuse(path: Path | None) -> Ratings:
    if path is not None:
        return parse_convabuse(_convabuse_files(path))
    with resources.as_file(resources.files("nbyk.data") / "embedded" / "convabuse.csv") as embedded:
        return read_ratings(embedded)


_SOURCES = {
    source.name: source
    for source in (
        Source(
            name="amazon",
            title="Amazon reviews",
            version="a table of your own: the published files do not say which product a review is of",
            url=_AMAZON_URL,
            licence="none stated",
            terms="what the publisher of your reviews asks for",
            citation="Xiang Zhang, Junbo Zhao and Yann LeCun (2015), Character-level Convolutional Networks "
            "for Text Classification, NeurIPS",
            n_items=20_415,
            n_ratings=102_075,
            scale=Levels((1, 2, 3, 4, 5)),
            parse=read_ratings,
            get=f"the paper's reviews ({_AMAZON_URL}) are published without their products, so make a "
            "table of reviews that have one (item: product, rater: reviewer, value: 1 to 5 stars; "
            "docs/data.md shows how), and give its path",
        ),
        _lewidi(
            "armis",
            "ArMIS",
            files={
                "train": ("549dcd92484fa916e4b8076476fba451cda09b8dca0ba501e70cf5a72c1397f7", 746_259),
                "dev": ("482112222496c64a704ea22f710bf184196beee848f5109406e3ca6196502526", 159_657),
                "test": ("95498bb854fe476ee33a88cfecb3b05f26e0e1baef6c1083072a56b61586c06a", 165_545),
            },
            note="943 items of 3 labels, where Homan et al. (2025) have 964",
            items=943,
            ratings=2829,
            citation="Dina Almanea and Massimo Poesio (2022), ArMIS - The Arabic Misogyny and Sexism Corpus "
            "with Annotator Subjective Disagreements, LREC",
        ),
        Source(
            name="convabuse",
            title="ConvAbuse",
            version=f"commit {_CONVABUSE_COMMIT}, 2_splits",
            url=_CONVABUSE_URL,
            licence=_CC_BY,
            terms=_CC_BY_TERMS,
            citation=_CONVABUSE_CITATION,
            n_items=4185,
            n_ratings=12_411,
            scale=CONVABUSE_SCALE,
            parse=_parse_convabuse,
            embedded=True,
            remote=_CONVABUSE_FILES,
            files=_convabuse_files,
        ),
        replace(
            _lewidi(
                "convabuse_lewidi",
                "ConvAbuse",
                files={
                    "train": ("f68d9c1e234afaf7e582103daac4e0f362da6418be3ff38e6cce76cfa3b674fc", 2_846_714),
                    "dev": ("d95f9e740b07076e070ed47a8e010894d7cdbacb3246c89a000c26a17c61a04e", 966_416),
                    "test": ("4a88c6cf2530eb3610bd1e9e7291916ad7fdaedc01dca4e68bcc3e846310afd9", 1_005_523),
                },
                note="the shared task's edition, 4050 items of 2 to 8 labels",
                items=4050,
                ratings=12_168,
                citation=_CONVABUSE_CITATION,
            ),
            title="ConvAbuse (LeWiDi)",
            scale=CONVABUSE_SCALE,
            parse=partial(parse_lewidi, scale=CONVABUSE_SCALE),
        ),
        _dices(350, 43_050, "63cb8620eb04e64957f9e45b1f7cb3d079c4eed8e8b28909f46e0b7038ce4301", 31_143_485),
        _dices(990, 72_103, "14332b6391cdee80383b765c734de3bebf6d8553141ee7d2f47ef0910a12fcf7", 50_399_432),
        _lewidi(
            "hs_brexit",
            "HS-Brexit",
            files={
                "train": ("d204d83c7b1a73f037b3aff36aac61357c08a96f96292a37ac7655eb562d81fb", 667_673),
                "dev": ("77c17f95985cbb6db47ffcda637e717a9074f2660e15b5c0c1f9006f50da60a7", 142_353),
                "test": ("24e5e1615818ff6e3b96e50245cfe10636ef8ec0ea51f2c2a60acb68858fd195", 142_747),
            },
            note="1120 items of 6 labels",
            items=1120,
            ratings=6720,
            citation="Sohail Akhtar, Valerio Basile and Viviana Patti (2021), Whose Opinions Matter? "
            "Perspective-aware Models to Identify Opinions of Hate Speech Victims in Abusive Language "
            "Detection, arXiv:2106.15896",
        ),
        Source(
            name="mhs",
            title="Measuring Hate Speech",
            version=f"revision {_MHS_REVISION}, measuring-hate-speech.parquet: one of its ten questions",
            url=_MHS_URL,
            licence=_CC_BY,
            terms=f"{_CC_BY_TERMS}; the comments may offend",
            citation="Pratik Sachdeva et al. (2022), The Measuring Hate Speech Corpus: Leveraging Rasch "
            "Measurement Theory for Data Perspectivism, NLPerspectives",
            n_items=39_565,
            n_ratings=135_556,
            scale=next(iter(MHS_QUESTIONS.values())),
            parse=parse_mhs,
            rated_twice=False,
            remote=(
                RemoteFile(
                    "measuring-hate-speech.parquet",
                    f"{_MHS_URL}/resolve/{_MHS_REVISION}/measuring-hate-speech.parquet",
                    "bfd1ffbef0269b549e95499f138c7942e8087abd3fa441f356dc599032cdc544",
                ),
            ),
            questions=MHS_QUESTIONS,
        ),
        replace(
            _lewidi(
                "multidomain",
                "MD-Agreement",
                files={
                    "train": ("0b100595f7d10fd9b4624c647af2888597472b2dea90643dc788278714f57a6d", 3_848_592),
                    "dev": ("b42b6b54015589504de259241e14c17ff605baab4eb146effcb17a95fbfd69f5", 645_218),
                    "test": ("a30f185ece8bc99a45ce50e0311593ee1a6882a816c93f6915cabd368f3fad53", 1_783_089),
                },
                note="10,753 items of 5 labels; the 3057 of Homan et al. (2025) are MD-Agreement_test.json",
                items=10_753,
                ratings=53_764,
                citation="Elisa Leonardelli et al. (2021), Agreeing to Disagree: Annotating Offensive "
                "Language Datasets with Annotators' Disagreement, EMNLP",
            ),
            licence="on request, for non-commercial use",
            terms=(
                "ask the authors for the data, and do not use them commercially; by fetching them you "
                "confirm this"
            ),
        ),
        Source(
            name="toxicity",
            title="Stanford toxicity",
            version="toxicity_ratings.json",
            url=_TOXICITY_URL,
            licence="none published",
            terms="what its authors ask for when they give you the password",
            citation="Deepak Kumar et al. (2021), Designing Toxic Content Classification for a Diversity of "
            "Perspectives, SOUPS",
            n_items=107_620,
            n_ratings=538_100,
            scale=TOXICITY_SCALE,
            parse=parse_toxicity,
            get=f"get them from {_TOXICITY_URL} (its authors give the password), decrypt them, and give the "
            "path of your toxicity_ratings.json",
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
        If no source has that name; the message lists the nearest names.
    """
    if name not in _SOURCES:
        raise unknown_name("source", name, _SOURCES)
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
        The path of a copy: for ``convabuse`` the folder of the three upstream splits, or None for the
        embedded ratings; for the datasets of the shared task LeWiDi a file, or the folder of the splits, as
        in `parse_lewidi`; for ``toxicity`` the decrypted ``toxicity_ratings.json``; for ``dices_350``,
        ``dices_990`` and ``mhs`` the upstream file; for ``amazon``, and ``mhs`` too, a table that
        `read_ratings` reads.
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
    return entry.load(copy, question).normalised(
        scale, DataPlace(name=name) if path is None else DataPlace(path)
    )


_FOLDER = Path(__file__).parent / "embedded" / "example"


def example_files() -> dict[str, bytes]:
    """Return the example's files by name: README.md, gold.csv and a file for each system."""
    return {path.name: path.read_bytes() for path in sorted(_FOLDER.iterdir()) if path.is_file()}
