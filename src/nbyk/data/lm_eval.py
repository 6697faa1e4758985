"""Logs that ``lm_eval --log_samples`` writes: each document's score in each run of a model, as ratings.

lm-evaluation-harness writes ``<output_path>/<model>/samples_<task>_<date>.jsonl``, one object per document
and filter, beside the run's ``results_<date>.json`` (``EvaluationTracker.save_results_samples``; the object
is made in ``lm_eval/evaluator.py``). A run has one file per task, and the model's next run writes into the
same folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbyk.data.layouts import Entries, as_ids
from nbyk.data.ratings import Ratings
from nbyk.data.tables import JSON_LINES, DataRows, Table
from nbyk.data.text import json_lines
from nbyk.errors import DataPlace, NbykError
from nbyk.files import read_json

# datetime.isoformat() with "-" in place of ":"; whole seconds have no fraction.
_FILE_NAME = re.compile(
    r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(\.\d+)?)\.jsonl", re.DOTALL
)
_ABOUT_THE_DOCUMENT = ("doc_hash", "target_hash")
_FIELDS = {
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "prompt_hash"),
    *_ABOUT_THE_DOCUMENT,
}
# With --predict_only every score is logged under this name, always as 999.
_NO_SCORE = "bypass"
# json.dumps(default=str) writes numpy's own booleans as text.
_BOOLEANS = {"True": 1.0, "False": 0.0}


@dataclass(frozen=True)
class SampleChoice:
    """Which of the logged scores to take if there are several.

    Attributes
    ----------
    metric
        Name of the per-sample metric, such as ``acc``; None for the only one.
    task
        Name of the task; None for the only one.
    filter
        Name of the filter, such as ``strict-match``; None for the only one.
    """

    metric: str | None = None
    task: str | None = None
    filter: str | None = None


@dataclass(frozen=True, eq=False)
class Samples:
    """A model's logged scores.

    Attributes
    ----------
    ratings
        One rating per document (item: ``doc_id``) and run (rater: the run's date, or its file).
    metric
        The metric whose values the ratings are.
    documents
        Per item, the hashes of the document that the log has (``doc_hash``, ``target_hash``).
    """

    ratings: Ratings
    metric: str
    documents: Mapping[str, Mapping[str, str]]


@dataclass
class _Run:
    """The samples in one file, of all filters at first."""

    path: Path
    name: str = ""
    samples: list[dict[str, Any]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


def holds_samples(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a folder of logs, or a JSON-lines file whose first line is a logged sample."""
    if os.path.isdir(path):
        return next(Path(path).rglob("samples_*.jsonl"), None) is not None
    if Path(path).suffix.lower() not in JSON_LINES or not os.path.exists(path):
        return False
    try:
        _, first = next(json_lines(path), (0, {}))
    except NbykError:
        return False
    return "doc_id" in first and not {"resps", "filtered_resps", "doc_hash"}.isdisjoint(first)


def read_samples(path: str | os.PathLike[str], choice: SampleChoice | None = None) -> Samples:
    """Read the per-sample scores of one model on one task from the logs of ``lm_eval --log_samples``.

    Parameters
    ----------
    path
        One samples file, or a folder that holds, at any depth, those of one or more runs of the model.
    choice
        Metric, task and filter; each may be left out if there is only one.

    Raises
    ------
    NbykError
        If there are no samples; there are several metrics, tasks or filters and none is chosen, or the one
        chosen is not among them; samples are of several models; a document is twice in a run, or two runs
        have different documents of the same id; or a score is not a number.
    """
    choice = choice or SampleChoice()
    runs = [_read(file, name) for file, name in _named(_files(path, choice.task), Path(path))]
    filters = sorted({_filter(sample) for run in runs for sample in run.samples})
    chosen = _one_of("filter", choice.filter, filters, path)
    for run in runs:
        kept = [place for place, sample in enumerate(run.samples) if _filter(sample) == chosen]
        run.samples, run.lines = [run.samples[place] for place in kept], [run.lines[place] for place in kept]
    runs = [run for run in runs if run.samples]
    metrics = sorted(set.intersection(*({*_scores(run.samples[0])} for run in runs)))
    if not metrics:
        raise NbykError(
            "no metric whose value is a number; expected one such as acc: evaluate again without "
            "--predict_only",
            file=runs[0].path,
            row=runs[0].lines[0],
        )
    metric = _one_of("metric", choice.metric, metrics, path)
    parts = [_cells(run, metric) for run in runs]
    documents: dict[str, dict[str, str]] = {}
    for run, part in zip(runs, parts, strict=True):
        for row, item in enumerate(part.items):
            refuse_other_document(documents, item, _hashes(run.samples[row]), part.at(row))
    rows = [(part, row) for part in parts for row in range(len(part.items))]
    ratings = Ratings.from_columns(
        [item for part in parts for item in part.items],
        [f"run {name}" for part in parts for name in part.raters],
        [value for part in parts for value in part.numbers().tolist()],
        at=lambda position: rows[position][0].at(rows[position][1]),
    )
    return Samples(ratings, metric, documents)


def refuse_other_document(
    known: dict[str, dict[str, str]], item: str, hashes: Mapping[str, str], where: DataPlace
) -> None:
    """Add an item's hashes to those `known` so far."""
    before = known.setdefault(item, {})
    for kind, value in hashes.items():
        if before.setdefault(kind, value) != value:
            raise where.error(
                f"document {item!r} has {kind} {value[:8]}, elsewhere {before[kind][:8]}; expected "
                "one document under one doc_id: compare runs on one version and split of the task"
            )


def _files(path: str | os.PathLike[str], task: str | None) -> list[Path]:
    """Return the samples files of one task and one model, oldest first."""
    if not os.path.isdir(path):
        match = _FILE_NAME.fullmatch(Path(path).name)
        if match:
            _one_of("task", task, [match["task"]], path)
        return [Path(path)]
    found = {file: _FILE_NAME.fullmatch(file.name) for file in Path(path).rglob("samples_*.jsonl")}
    files = {file: match for file, match in found.items() if match}
    if not files:
        raise NbykError(
            "is a folder without samples_<task>_<date>.jsonl; expected the output of lm_eval "
            "--log_samples, or a file of ratings",
            file=path,
        )
    tasks = sorted({match["task"] for match in files.values()})
    chosen = _one_of("task", task, tasks, path)
    files = {file: match for file, match in files.items() if match["task"] == chosen}
    models = sorted({_model(file, match["date"]) for file, match in files.items()})
    if len(models) > 1:
        raise NbykError(
            f"holds samples of {len(models)} models ({', '.join(models)}); expected the runs of one: "
            "give each model's own folder",
            file=path,
        )
    return sorted(files, key=lambda file: (files[file]["date"], file))


def _model(file: Path, date: str) -> str:
    """Return the model of a samples file: from the run's results, or else from the folder's name."""
    for results in sorted(file.parent.glob(f"*_{date}.json")):
        content = read_json(results, way_out="write it again, or move it away")
        if isinstance(content, dict) and isinstance(content.get("model_name"), str):
            return str(content["model_name"])
    return file.parent.name


def _named(files: Sequence[Path], root: Path) -> list[tuple[Path, str]]:
    """Return each file with a name for its run: its date or, if two dates are equal, its path."""
    matches = [_FILE_NAME.fullmatch(file.name) for file in files]
    dates = [match["date"] if match else file.stem for match, file in zip(matches, files, strict=True)]
    if len(set(dates)) == len(dates):
        return list(zip(files, dates, strict=True))
    return [(file, file.relative_to(root).as_posix()) for file in files]


def _read(path: Path, name: str) -> _Run:
    run = _Run(path, name)
    for line, sample in json_lines(path):
        if "doc_id" not in sample:
            raise NbykError(
                "no 'doc_id'; expected a sample as lm_eval --log_samples writes it, "
                "or keys item, rater and value in a file not called samples_…",
                file=path,
                row=line,
            )
        # Documents and model outputs can be large, and only scores and hashes are needed.
        run.samples.append({key: value for key, value in sample.items() if key not in _BULKY})
        run.lines.append(line)
    if not run.samples:
        raise NbykError(
            "is empty; expected one sample per line: evaluate again, or delete the file", file=path
        )
    return run


_BULKY = ("doc", "target", "arguments", "resps", "filtered_resps")


def _filter(sample: Mapping[str, Any]) -> str:
    # Before version 0.4.7 samples did not name a filter; the harness calls the absence of a filter "none".
    return str(sample.get("filter", "none"))


def _scores(sample: Mapping[str, Any]) -> list[str]:
    """Return the names of a sample's metrics whose values are numbers."""
    names = sample.get("metrics")
    if not isinstance(names, list):
        names = [name for name in sample if name not in _FIELDS]
    return [
        name for name in names if name != _NO_SCORE and isinstance(name, str) and _is_score(sample.get(name))
    ]


def _is_score(value: Any) -> bool:
    if isinstance(value, str):
        # numpy's single-precision numbers are text too.
        try:
            return value in _BOOLEANS or float(value) == float(value)
        except ValueError:
            return False
    return isinstance(value, int | float)


def _one_of(kind: str, wanted: str | None, found: Sequence[str], path: str | os.PathLike[str]) -> str:
    """Return the one asked for, or else the only one there is."""
    if wanted is not None and wanted not in found:
        raise NbykError(
            f"no {kind} {wanted!r}; found {', '.join(map(repr, found))}: choose one with "
            f"`SampleChoice.{kind}`",
            file=path,
        )
    if wanted is None and len(found) > 1:
        raise NbykError(
            f"found {len(found)} {kind}s ({', '.join(found)}), expected one; choose it with "
            f"`SampleChoice.{kind}`",
            file=path,
        )
    return wanted if wanted is not None else found[0]


def _cells(run: _Run, metric: str) -> Entries:
    table = Table(DataRows(DataPlace(run.path), "line", run.lines), (), ())
    items = as_ids(table, "doc_id", [sample["doc_id"] for sample in run.samples])
    seen: dict[str, int] = {}
    for row, item in enumerate(items):
        if item in seen:
            raise table.at(row).error(
                f"document {item!r} is already on line {run.lines[seen[item]]}; expected "
                "one sample per document, run and filter: keep one of them, or give runs a file each"
            )
        seen[item] = row
    scores = [sample.get(metric) for sample in run.samples]
    found = [_BOOLEANS.get(score, score) if isinstance(score, str) else score for score in scores]
    return Entries(items, [run.name] * len(items), found, range(len(items)), table, metric)


def _hashes(sample: Mapping[str, Any]) -> dict[str, str]:
    return {kind: str(sample[kind]) for kind in _ABOUT_THE_DOCUMENT if sample.get(kind)}
