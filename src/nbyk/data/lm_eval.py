"""Logs that ``lm_eval --log_samples`` writes: each document's score in each run of a model, as ratings.

lm-evaluation-harness writes ``<output_path>/<model>/samples_<task>_<date>.jsonl``, one object per document
and filter, beside the run's ``results_<date>.json`` (``EvaluationTracker.save_results_samples``; the object
is made in ``lm_eval/evaluator.py``). A run has one file per task, and the model's next run writes into the
same folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from nbyk.data.makers import Gathering
from nbyk.data.tables import JSON_LINES, Table, is_number
from nbyk.data.text import json_lines
from nbyk.errors import DataPlace, NbykError
from nbyk.files import read_json

# datetime.isoformat() with "-" in place of ":"; whole seconds have no fraction.
_FILE_NAME = re.compile(
    r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(\.\d+)?)\.jsonl", re.DOTALL
)
HASHES = ("doc_hash", "target_hash")
_FIELDS = {
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "prompt_hash"),
    *HASHES,
}
# With --predict_only every score is logged under this name, always as 999.
_NO_SCORE = "bypass"
_SEEDS = ("random_seed", "numpy_seed", "torch_seed", "fewshot_seed")
_BULKY = ("target", "arguments", "resps", "filtered_resps")
_LONGEST = 200
"""Characters of the longest text of a document that can be a column, such as a subject."""


@dataclass(frozen=True)
class SampleChoice:
    """Which of the logged scores to take: name of the task, and of the filter; None for the only one."""

    task: str | None = None
    filter: str | None = None


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


def read_samples(path: str | os.PathLike[str], choice: SampleChoice | None = None) -> Table:
    """Return the per-sample scores of one model on one task, from the logs of ``lm_eval --log_samples``.

    Items are documents (``doc_id``), runs are the dates of files, and each metric is a score.

    The path is one samples file, or a folder that holds, at any depth, those of one or more runs of a model.
    Raise NbykError if there are no samples, several tasks or filters and none is chosen, samples of several
    models, or different documents of one id.
    """
    choice = choice or SampleChoice()
    gathering = Gathering("a log of lm_eval", "line", "doc_id", "run", path)
    files = [(file, name, _read(file)) for file, name in _named(_files(path, choice.task), Path(path))]
    filters = sorted({_filter(sample) for _, _, samples in files for sample in samples.values()})
    chosen = _one_of("filter", choice.filter, filters, path)
    documents: dict[str, dict[str, str]] = {}
    of_file = {
        file: match["task"] if (match := _FILE_NAME.fullmatch(file.name)) else "" for file, _, _ in files
    }
    is_group = len(set(of_file.values())) > 1
    for file, name, samples in files:
        gathering.lower.update(_lower(file))
        gathering.tell("model", _results(file).get("model_name"))
        settings: Any = _results(file).get("config")
        for seed in _SEEDS if isinstance(settings, dict) else ():
            gathering.tell("seed", settings.get(seed))
        for line, sample in samples.items():
            if _filter(sample) == chosen:
                hashes = {kind: str(sample[kind]) for kind in HASHES if sample.get(kind)}
                item = sample["doc_id"]
                if is_group and isinstance(item, str | int):
                    item = f"{of_file[file]} {item}"
                refuse_other_document(documents, str(item), hashes, DataPlace(file, line))
                doc = sample.get("doc")
                further = {
                    key: cell
                    for key, cell in (doc.items() if isinstance(doc, dict) else ())
                    if not isinstance(cell, str) or len(cell) <= _LONGEST
                }
                gathering.add(
                    item,
                    f"run {name}",
                    _scores(sample),
                    further | hashes | ({"task": of_file[file]} if is_group else {}),
                    number=line,
                    file=file,
                )
    counts = [
        said
        for file, _, samples in files
        if (said := _counted(file, {str(sample["doc_id"]) for sample in samples.values()}))
    ]
    notes = [words for words, is_whole in counts if is_whole]
    if is_group:
        notes.append(
            f"holds {len(set(of_file.values()))} tasks of a group: a mean is over documents, whatever their "
            "task, and documents of a task count as independent unless task is the column of clusters"
        )
    return gathering.table(notes=notes, incomplete=[words for words, is_whole in counts if not is_whole])


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
    groups = _groups(files)
    chosen = groups.get(task or "") or {_one_of("task", task, tasks, path, tuple(groups))}
    files = {file: match for file, match in files.items() if match["task"] in chosen}
    models = sorted(set(map(_model, files)))
    if len(models) > 1:
        raise NbykError(
            f"holds samples of {len(models)} models ({', '.join(models)}); expected the runs of one: "
            "give each model's own folder",
            file=path,
        )
    return sorted(files, key=lambda file: (files[file]["date"], file))


def _model(file: Path) -> str:
    """Return the model of a samples file: from the run's results, or else from the folder's name."""
    name = _results(file).get("model_name")
    return name if isinstance(name, str) else file.parent.name


def _groups(files: Iterable[Path]) -> dict[str, set[str]]:
    """Return the tasks in each group of tasks that the runs' results name, those of groups inside it, too."""
    inside: dict[str, list[str]] = {}
    for file in files:
        named = _results(file).get("group_subtasks")
        inside |= {
            group: of
            for group, of in (named.items() if isinstance(named, dict) else ())
            if isinstance(of, list) and of
        }

    def tasks(name: str, above: tuple[str, ...]) -> set[str]:
        below = [] if name in above else inside.get(name, [])
        return {task for of in below for task in tasks(str(of), (*above, name))} or {name}

    return {group: tasks(group, ()) for group in inside}


def _results(file: Path) -> Mapping[str, Any]:
    """Return the results of the run of a samples file, empty if they are not beside it."""
    match = _FILE_NAME.fullmatch(file.name)
    for results in sorted(file.parent.glob(f"*_{match['date']}.json")) if match else ():
        content = _read_results(results, results.stat().st_mtime_ns)
        if isinstance(content, dict) and "model_name" in content:
            return content
    return {}


def _counted(file: Path, documents: set[str]) -> tuple[str, bool] | None:
    """Return what the results of a run say of documents that it lacks, and whether that was meant."""
    match, counts = _FILE_NAME.fullmatch(file.name), _results(file).get("n-samples")
    of_task = counts.get(match["task"]) if match and isinstance(counts, dict) else None
    original, effective = (
        of_task.get(name) if isinstance(of_task, dict) else None for name in ("original", "effective")
    )
    if isinstance(effective, int) and len(documents) < effective:
        return f"{file.name}: {effective - len(documents)} of {effective} documents are missing", False
    if isinstance(original, int) and len(documents) < original:
        return f"{file.name}: {len(documents)} of {original} documents were evaluated (--limit)", True
    return None


@lru_cache(maxsize=4)
def _read_results(path: Path, changed: int) -> Any:
    """Return the content of a results file as it was changed last; each task of a run has the same."""
    return read_json(path, way_out="write it again, or move it away")


def _lower(file: Path) -> Iterator[str]:
    """Yield the metrics of which the results of the run of a samples file say that lower ones are better."""
    match, said = _FILE_NAME.fullmatch(file.name), _results(file).get("higher_is_better")
    of_task = said.get(match["task"]) if match and isinstance(said, dict) else None
    if isinstance(of_task, dict):
        yield from (name for name, higher in of_task.items() if higher is False)


def _named(files: Sequence[Path], root: Path) -> list[tuple[Path, str]]:
    """Return each file with a name for its run: its date or, if two dates are equal, its path."""
    matches = [_FILE_NAME.fullmatch(file.name) for file in files]
    dates = [match["date"] if match else file.stem for match, file in zip(matches, files, strict=True)]
    tasks = [match["task"] if match else "" for match in matches]
    if len(set(zip(tasks, dates, strict=True))) == len(dates):
        return list(zip(files, dates, strict=True))
    return [(file, file.relative_to(root).as_posix()) for file in files]


def _read(path: Path) -> dict[int, dict[str, Any]]:
    """Return the samples in a file by their line."""
    samples: dict[int, dict[str, Any]] = {}
    for line, sample in json_lines(path):
        if "doc_id" not in sample:
            raise NbykError(
                "no 'doc_id'; expected a sample as lm_eval --log_samples writes it, "
                "or keys item, rater and value in a file not called samples_…",
                file=path,
                row=line,
            )
        # Prompts and model outputs can be large, and are not needed.
        samples[line] = {key: value for key, value in sample.items() if key not in _BULKY}
    if not samples:
        raise NbykError(
            "is empty; expected one sample per line: evaluate again, or delete the file", file=path
        )
    if all(_NO_SCORE in sample for sample in samples.values()):
        raise NbykError("holds no score; evaluate again without --predict_only", file=path)
    return samples


def _filter(sample: Mapping[str, Any]) -> str:
    # Before version 0.4.7 samples did not name a filter; the harness calls the absence of a filter "none".
    return str(sample.get("filter", "none"))


def _scores(sample: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each metric of a sample; older logs do not name them, and any number may be one."""
    names = sample.get("metrics")
    for name in names if isinstance(names, list) else [name for name in sample if name not in _FIELDS]:
        score = sample.get(name) if isinstance(name, str) else None
        if isinstance(names, list) or not isinstance(score, str) or is_number(score):
            yield str(name), score


def _one_of(
    kind: str,
    wanted: str | None,
    found: Sequence[str],
    path: str | os.PathLike[str],
    groups: Sequence[str] = (),
) -> str:
    """Return the one asked for, or else the only one there is."""
    of_groups = f" (or all of a group: {', '.join(groups)})" if groups else ""
    if wanted is not None and wanted not in found:
        raise NbykError(
            f"no {kind} {wanted!r}; found {', '.join(map(repr, found))}{of_groups}: choose one with "
            f"`SampleChoice.{kind}`",
            file=path,
        )
    if wanted is None and len(found) > 1:
        raise NbykError(
            f"found {len(found)} {kind}s ({', '.join(found)}), expected one{of_groups}; choose it with "
            f"`SampleChoice.{kind}`",
            file=path,
        )
    return wanted if wanted is not None else found[0]
