"""Parsers of published datasets: each turns the files that its authors publish into raw ratings."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

from nbyk.data.columns import Columns
from nbyk.data.kinds import ClassKind
from nbyk.data.layouts import Mending, as_ids, long_cells, without_duplicates
from nbyk.data.ratings import Ratings
from nbyk.data.reading import read_ratings, table_of
from nbyk.data.scales import Levels
from nbyk.data.tables import Table, made_table
from nbyk.data.text import json_lines, json_object, shown
from nbyk.errors import DataPlace

MHS_QUESTIONS = {
    **dict.fromkeys(("respect", "sentiment", "insult", "humiliate", "status"), Levels((0, 1, 2, 3, 4))),
    **dict.fromkeys(("dehumanize", "violence", "genocide", "attack_defend"), Levels((0, 1, 2, 3, 4))),
    "hatespeech": Levels((0, 1, 2)),
}
"""The ten questions of Measuring Hate Speech and the scales of their answers; the first is the default."""

_LEWIDI_SPLITS = ("train", "dev", "test")


def _first_ratings(table: Table, columns: Columns) -> Ratings:
    """Return the ratings in a long table; the first of a rater's of an item counts."""
    cells = long_cells(table, columns)
    cells, values, _ = without_duplicates(cells, cells.numbers(), Mending("first"))
    return cells.ratings(values)


def _of_units(
    path: str | os.PathLike[str], unit: str, rows: Sequence[tuple[Path, Any, Any, Any, Any]]
) -> Ratings:
    """Return ratings from the file, the number of the unit there, item, rater and value of each."""
    files, numbers, *cells = zip(*rows, strict=True) if rows else [()] * 5
    columns = dict(zip(("item", "rater", "value"), map(list, cells), strict=True))
    table = made_table(path, columns, numbers, unit, files)
    first: dict[str, int] = {}
    for row, item in enumerate(as_ids(table, "item", columns["item"])):
        other = first.setdefault(item, row)
        if numbers[other] != numbers[row]:
            raise table.at(row).error(
                f"item {item!r} is already on {table.at(other)}; expected each item once: delete one"
            )
    return _first_ratings(table, Columns())


def _refuse_other(table: Table, columns: Columns, upstream: str) -> None:
    """Raise NbykError if a table lacks columns of the file that its authors publish."""
    for name in filter(None, astuple(columns)):
        table.column(name, f"expected an upstream {upstream}")


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
        If the file is missing or empty, or a line is not JSON, has no ratings, a score that is no number, or
        the id of another line.

    References
    ----------
    Kumar et al. (2021), Designing Toxic Content Classification for a Diversity of Perspectives, SOUPS.
    """
    rows: list[tuple[Path, Any, Any, Any, Any]] = []
    raters_known = True
    for number, comment in json_lines(path):
        ratings = comment.get("ratings")
        if not isinstance(ratings, list) or not ratings or not all(isinstance(one, dict) for one in ratings):
            raise DataPlace(path, number).error(
                f"ratings is {shown(ratings)}; expected a list of one or more objects with a "
                "toxic_score: mend or delete the line"
            )
        item = number if comment.get("comment_id") is None else comment["comment_id"]
        workers = [one.get("worker_id") for one in ratings]
        if None in workers:
            workers, raters_known = list(range(1, len(ratings) + 1)), False
        for worker, one in zip(workers, ratings, strict=True):
            rows.append((Path(path), number, item, worker, one.get("toxic_score")))
    return replace(_of_units(path, "line", rows), raters_known=raters_known)


def parse_lewidi(path: str | os.PathLike[str]) -> Ratings:
    """Return the labels of a dataset in the layout of the shared task Learning With Disagreements.

    `path` is one file, or the folder of one dataset's files.
    A file is one object: each key is an item, with the labels in ``annotations`` ("0,1,1") and, in the same
    order, their annotators in ``annotators`` ("Ann3,Ann1,Ann7"). Each split of a dataset numbers its items
    from 1, so an item's id is the split, which ends the file's name, and the key ("test-1"). Of an
    annotator's several labels of one item the first counts, so that the ratings of an item are of different
    people.

    Raises
    ------
    NbykError
        As `lewidi_files`, or if a file is missing, not JSON or empty, or an item has no labels, one that is
        no number, or not as many annotators.

    References
    ----------
    Leonardelli et al. (2023), SemEval-2023 Task 11: Learning With Disagreements (LeWiDi), SemEval.
    """
    rows: list[tuple[Path, Any, Any, Any, Any]] = []
    for file in lewidi_files(Path(path)):
        split = file.stem.rpartition("_")[2]
        for key, item in json_object(file).items():
            names = ("annotations", "annotators")
            labels, annotators = (_listed(item.get(of) if isinstance(item, dict) else None) for of in names)
            if not labels or len(annotators) != len(labels):
                raise DataPlace(file, f"item {key!r}").error(
                    f"found {len(labels)} annotations and {len(annotators)} annotators, expected as many of "
                    "either, with commas between, as in '0,1,1': mend the item, or get the file again from "
                    "upstream"
                )
            name = f"{split}-{key}" if split in _LEWIDI_SPLITS and key.strip() else key
            rows += [(file, repr(key), name, *pair) for pair in zip(annotators, labels, strict=True)]
    return _of_units(path, "item", rows)


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
    columns = Columns("item_id", "rater_id", "Q_overall")
    table = table_of(path)
    _refuse_other(table, columns, "diverse_safety_adversarial_dialog_{350,990}.csv")
    cells = long_cells(table, columns)
    harm = ClassKind(("No", "Unsure", "Yes")).numbers(cells) / 2.0
    return cells.ratings(harm)


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
    columns = Columns("comment_id", "annotator_id", question)
    table = table_of(path)
    if columns.item not in table.names:
        return read_ratings(table)
    _refuse_other(table, columns, "measuring-hate-speech.parquet")
    return _first_ratings(table, columns)


def lewidi_files(path: Path) -> list[Path]:
    """Return a dataset's files: the file given, or a folder's …_train, …_dev and …_test.json."""
    if not path.is_dir():
        return [path]
    files: list[Path] = []
    for split in _LEWIDI_SPLITS:
        paths = sorted(path.glob(f"*_{split}.json"))
        if len(paths) > 1:
            raise DataPlace(path).error(
                f"found {paths[0].name} and {paths[1].name}; expected one dataset's files: "
                "put each dataset in a folder of its own"
            )
        files.extend(paths)
    if not files:
        raise DataPlace(path).error(
            "found no file named …_train.json, …_dev.json or …_test.json; give the folder that "
            "holds them, or one file"
        )
    return files


def _listed(text: Any) -> list[str]:
    """Return the parts of a text between its commas; none if it is empty or not text."""
    return [part.strip() for part in text.split(",")] if isinstance(text, str) and text.strip() else []
