"""Parsers of published datasets: each turns the files that its authors publish into raw ratings."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbyk.data.arrays import ARRAY_SUFFIXES
from nbyk.data.columns import Columns
from nbyk.data.layouts import Mending, long_cells, without_duplicates
from nbyk.data.ratings import Ratings
from nbyk.data.reading import read_ratings, read_table
from nbyk.data.scales import Binary, Levels, Scale
from nbyk.data.text import json_lines, json_object, shown
from nbyk.errors import DataPlace, NbykError

TOXICITY_SCALE = Levels((0, 1, 2, 3, 4))
BINARY_SCALE = Binary()

MHS_QUESTIONS = {
    **dict.fromkeys(("respect", "sentiment", "insult", "humiliate", "status"), Levels((0, 1, 2, 3, 4))),
    **dict.fromkeys(("dehumanize", "violence", "genocide", "attack_defend"), Levels((0, 1, 2, 3, 4))),
    "hatespeech": Levels((0, 1, 2)),
}
"""The ten questions of Measuring Hate Speech and the scales of their answers; the first is the default."""

_CONVABUSE_ANNOTATORS = range(1, 9)
_CONVABUSE_SCORES = (1, 0, -1, -2, -3)
_LEWIDI_SPLITS = ("train", "dev", "test")
_DICES_ANSWERS = {"No": 0.0, "Unsure": 0.5, "Yes": 1.0}


@dataclass(frozen=True)
class _Gathered:
    """Ratings as a parser meets them, each with the place that errors name."""

    items: list[str] = field(default_factory=list)
    raters: list[str] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    places: list[DataPlace] = field(default_factory=list)
    place_of: dict[str, DataPlace] = field(default_factory=dict)

    def add(self, item: str, given: Iterable[tuple[str, float]], at: DataPlace) -> None:
        """Add an item's ratings by their raters; the first of a rater counts."""
        if item in self.place_of:
            raise at.error(
                f"item {item!r} is already on {self.place_of[item]}; expected each item once: delete one"
            )
        self.place_of[item] = at
        first: dict[str, float] = {}
        for rater, value in given:
            first.setdefault(rater, value)
        self.items.extend([item] * len(first))
        self.raters.extend(first)
        self.values.extend(first.values())
        self.places.extend([at] * len(first))

    def ratings(self, *, raters_known: bool = True) -> Ratings:
        """Return the ratings."""
        at = self.places.__getitem__
        return Ratings.from_columns(self.items, self.raters, self.values, at=at, raters_known=raters_known)


def parse_toxicity(path: str | os.PathLike[str]) -> Ratings:
    """Return the raw scores, 0 to 4, of Kumar et al. (2021) from the decrypted ``toxicity_ratings.json``.

    Each line is one comment, an object whose ``ratings`` are objects with a ``toxic_score`` and usually a
    ``worker_id``. An item's id is its ``comment_id`` or, without one, its line number. The text cannot be the
    id, because different lines share it. If a rating has no ``worker_id``, all the line's ratings are
    numbered 1, 2, …. If a worker rates a comment more than once, the first rating counts, so that the ratings
    of an item are by different people.

    Raises
    ------
    NbykError
        If the file is missing or empty, or a line is not JSON, has no ratings, a score off the scale, or
        the id of another line.

    References
    ----------
    Kumar et al. (2021), Designing Toxic Content Classification for a Diversity of Perspectives, SOUPS.
    """
    gathered = _Gathered()
    raters_known = True
    for number, comment in json_lines(path):
        at = DataPlace(path, number)
        ratings = comment.get("ratings")
        if not isinstance(ratings, list) or not ratings or not all(isinstance(one, dict) for one in ratings):
            raise at.error(
                f"ratings is {shown(ratings)}; expected a list of one or more objects with a "
                "toxic_score: mend or delete the line"
            )
        name = _text_id(comment.get("comment_id"), str(number), at, "comment_id")
        named = all(one.get("worker_id") is not None for one in ratings)
        raters_known = raters_known and named
        workers = [
            _text_id(one["worker_id"], "", at, "worker_id") if named else str(position)
            for position, one in enumerate(ratings, start=1)
        ]
        scores = [
            _toxic_score(one.get("toxic_score"), at, position)
            for position, one in enumerate(ratings, start=1)
        ]
        gathered.add(name, zip(workers, scores, strict=True), at)
    if not gathered.items:
        raise NbykError("is empty; expected one comment per line, as JSON", file=path)
    return gathered.ratings(raters_known=raters_known)


def parse_convabuse(paths: Sequence[str | os.PathLike[str]]) -> Ratings:
    """Return the raw scores of the ConvAbuse splits, from −3 (very strongly abusive) to 1 (not abusive).

    Each row of ``ConvAbuseEMNLP{train,valid,test}.csv`` is one item. Its id is ``example_id``, which no
    two rows of the three files share, without the ``.0`` that it ends in there; ``conv_id`` names the
    conversation, of which several items may come. Annotators are ``Annotator1`` to ``Annotator8``. Five
    cells hold an annotator's score one-hot, ``AnnotatorJ_is_abuse.S`` for the score S; all five are empty
    where the annotator did not rate the item. Where one did so two or three times, each cell lists its
    values in turn (``"1, 0"``), and the first time counts, so that the ratings of an item are of different
    people; the LeWiDi shared task's edition of the data also keeps the first of two.

    Raises
    ------
    NbykError
        If a file is missing, empty or lacks a column, an item comes twice or has no rating, or an
        annotator's five cells are not one-hot.

    References
    ----------
    Cercas Curry, Abercrombie and Rieser (2021), ConvAbuse: Data, Analysis, and Benchmarks for Nuanced
    Abuse Detection in Conversational AI, EMNLP.
    """
    gathered = _Gathered()
    for path in paths:
        table = read_table(path)
        hint = "expected an upstream ConvAbuseEMNLP{train,valid,test}.csv"
        ids = table.column("example_id", hint)
        annotators = {
            f"Annotator{j}": [
                table.column(f"Annotator{j}_is_abuse.{score}", hint) for score in _CONVABUSE_SCORES
            ]
            for j in _CONVABUSE_ANNOTATORS
        }
        for row, example in enumerate(ids):
            at = table.at(row)
            rated = [
                (annotator, _one_hot_score([cells[row] for cells in columns], at, annotator))
                for annotator, columns in annotators.items()
                if any(cells[row] for cells in columns)
            ]
            if not rated:
                raise at.error(f"no annotator rated example_id {example!r}; delete the row")
            gathered.add(example.removesuffix(".0"), rated, at)
    return gathered.ratings()


def parse_lewidi(path: str | os.PathLike[str], scale: Scale = BINARY_SCALE) -> Ratings:
    """Return the labels of a dataset in the layout of the shared task Learning With Disagreements.

    `path` is one file, or the folder of one dataset's files; `scale` is that of the labels, whole numbers.
    A file is one object: each key is an item, with the labels in ``annotations`` ("0,1,1") and, in the same
    order, their annotators in ``annotators`` ("Ann3,Ann1,Ann7"). Each split of a dataset numbers its items
    from 1, so an item's id is the split, which ends the file's name, and the key ("test-1"). Of an
    annotator's several labels of one item the first counts, so that the ratings of an item are of different
    people.

    Raises
    ------
    NbykError
        As `lewidi_files`, or if a file is missing, not JSON or empty, or an item has no labels, one off the
        scale, or not as many annotators.

    References
    ----------
    Leonardelli et al. (2023), SemEval-2023 Task 11: Learning With Disagreements (LeWiDi), SemEval.
    """
    gathered = _Gathered()
    for file in lewidi_files(Path(path)):
        split = _lewidi_split(file)
        for key, item in json_object(file).items():
            at = DataPlace(file, f"item {key!r}")
            name = f"{split}-{key}" if split and key.strip() else key
            gathered.add(name, _lewidi_labels(item, at, scale), at)
    if not gathered.items:
        raise NbykError("holds no items; expected an object with one member per item", file=path)
    return gathered.ratings()


def parse_dices(path: str | os.PathLike[str]) -> Ratings:
    """Return the harm, No 0, Unsure .5 or Yes 1, that raters see in the conversations of DICES.

    Each row of ``diverse_safety_adversarial_dialog_{350,990}.csv`` holds the answers of one rater
    (``rater_id``) about one conversation (``item_id``); ``Q_overall`` says whether its last response is
    unsafe for any reason.

    Raises
    ------
    NbykError
        If the file is missing, empty or lacks a column, an answer is none of these three, or a rater answers
        twice about a conversation.

    References
    ----------
    Aroyo et al. (2023), DICES Dataset: Diversity in Conversational AI Evaluation for Safety, NeurIPS.
    """
    names = ("item_id", "rater_id", "Q_overall")
    table = read_table(path, only=names)
    hint = "expected an upstream diverse_safety_adversarial_dialog_{350,990}.csv"
    items, raters, answers = (table.column(name, hint) for name in names)
    for row, answer in enumerate(answers):
        if answer not in _DICES_ANSWERS:
            raise table.at(row).error(
                f"Q_overall is {shown(answer)}; expected Yes, No or Unsure: mend the answer or delete the row"
            )
    return Ratings.from_columns(items, raters, [_DICES_ANSWERS[answer] for answer in answers], at=table.at)


def parse_mhs(path: str | os.PathLike[str], question: str = "respect") -> Ratings:
    """Return the answers to a question of ``measuring-hate-speech.parquet``, or a table of one's own.

    Each row holds the answers of one annotator (``annotator_id``) about one comment (``comment_id``), with a
    column for each of `MHS_QUESTIONS`; a higher answer is more hateful. If an annotator answers about a
    comment more than once, the first answer counts, so that the ratings of an item are by different people.
    Homan et al. (2025) do not say which question they take. A table without ``comment_id`` is read by
    `read_ratings` and counts as answers to one question.

    Raises
    ------
    NbykError
        If the file is missing, empty or lacks a column, or an answer is no number; or as `read_ratings`.

    References
    ----------
    Sachdeva et al. (2022), The Measuring Hate Speech Corpus: Leveraging Rasch Measurement Theory for Data
    Perspectivism, NLPerspectives.
    """
    if Path(path).suffix.lower() in ARRAY_SUFFIXES:
        return read_ratings(path)
    table = read_table(path, only=("comment_id", "annotator_id", question))
    if "comment_id" not in table.names:
        return read_ratings(path)
    for name in ("annotator_id", question):
        table.column(name, "expected an upstream measuring-hate-speech.parquet")
    cells = long_cells(table, Columns("comment_id", "annotator_id", question))
    cells, values, _ = without_duplicates(cells, cells.numbers(), Mending("first"))
    return Ratings.from_columns(cells.items, cells.raters, values, at=cells.at)


def lewidi_files(path: Path) -> list[Path]:
    """Return a dataset's files: the file given, or a folder's …_train, …_dev and …_test.json."""
    if not path.is_dir():
        return [path]
    files: list[Path] = []
    for split in _LEWIDI_SPLITS:
        paths = sorted(path.glob(f"*_{split}.json"))
        if len(paths) > 1:
            raise NbykError(
                f"found {paths[0].name} and {paths[1].name}; expected one dataset's files: "
                "put each dataset in a folder of its own",
                file=path,
            )
        files.extend(paths)
    if not files:
        raise NbykError(
            "found no file named …_train.json, …_dev.json or …_test.json; give the folder that "
            "holds them, or one file",
            file=path,
        )
    return files


def _lewidi_split(file: Path) -> str:
    ending = file.stem.rpartition("_")[2]
    return ending if ending in _LEWIDI_SPLITS else ""


def _lewidi_labels(item: Any, at: DataPlace, scale: Scale) -> Iterable[tuple[str, float]]:
    """Return an item's annotators and labels."""
    parts = [item.get(name) if isinstance(item, dict) else None for name in ("annotations", "annotators")]
    labels, annotators = (_listed(text) for text in parts)
    if not labels:
        raise at.error(
            f"annotations is {shown(parts[0])}; expected labels with commas between, as in '0,1,1': "
            "mend or delete the item"
        )
    for label in labels:
        if not re.fullmatch(r"-?[0-9]", label) or scale.outside(float(label)):
            raise at.error(
                f"annotations holds {shown(label)}; expected {scale.expected}: mend the label, "
                "or delete it and its annotator"
            )
    if len(annotators) != len(labels):
        raise at.error(
            f"found {len(labels)} annotations and {len(annotators)} annotators; expected as many of "
            "either: mend the item, or get the file again from upstream"
        )
    return zip(annotators, map(float, labels), strict=True)


def _listed(text: Any) -> list[str]:
    """Return the parts of a text between its commas; none if it is empty or not text."""
    return [part.strip() for part in text.split(",")] if isinstance(text, str) and text.strip() else []


def _one_hot_score(cells: Sequence[str], at: DataPlace, annotator: str) -> float:
    """Return the first score in an annotator's five cells, each of which lists one or more 0s and 1s."""
    times = [cell.split(", ") for cell in cells]
    same_length = len({len(cell) for cell in times}) == 1
    if same_length and all(sorted(once) == ["0", "0", "0", "0", "1"] for once in zip(*times, strict=True)):
        return float(_CONVABUSE_SCORES[[cell[0] for cell in times].index("1")])
    raise at.error(
        f"{annotator}_is_abuse is {shown(list(cells))}; expected 1 in one cell and 0 in the others, or all "
        "empty: get the file again from upstream"
    )


def _toxic_score(score: Any, at: DataPlace, position: int) -> float:
    if isinstance(score, int | float) and not isinstance(score, bool) and score in TOXICITY_SCALE.levels:
        return float(score)
    raise at.error(
        f"rating {position}: toxic_score is {shown(score)}; expected {TOXICITY_SCALE.expected}: "
        "mend the score or delete the rating"
    )


def _text_id(value: Any, missing: str, at: DataPlace, key: str) -> str:
    if value is None:
        return missing
    if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
        return str(value)
    raise at.error(f"{key} is {shown(value)}; expected text or a whole number")
