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
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from nbyk.data.makers import HASHES, Beside, Gathering, Incomplete, Row, columns_in, member, refuse_models
from nbyk.data.tables import DELIMITERS, JSON_LINES, Table, is_number
from nbyk.data.text import json_lines, some
from nbyk.errors import DataPlace, NbykError
from nbyk.files import read_json
from nbyk.words import listed

_OF_TABLES = (*DELIMITERS, *JSON_LINES, ".parquet")
"""Suffixes of files that a folder of logs may hold by mistake."""

# datetime.isoformat() with "-" in place of ":"; whole seconds have no fraction.
_FILE_NAME = re.compile(
    r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(\.\d+)?)\.jsonl", re.DOTALL
)
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
    """Return the scores of one model on one task, in a samples file or in all those below a folder.

    Items are documents (``doc_id``), runs are the dates of files, and each metric is a score.
    """
    choice = choice or SampleChoice()
    gathering = Gathering("line", "doc_id", "run", path)
    logs, tasks = _logs(path, choice.task)
    samples_of = {log.file: _read(log.file) for log in logs}
    filters = sorted({_filter(sample) for samples in samples_of.values() for sample in samples.values()})
    chosen = _one_of("filter", choice.filter, filters, path)
    n_tasks, has_dates = len({log.task for log in logs}), len({log[1:3] for log in logs}) == len(logs)
    lower = _lower_scores(logs, path)
    for log in logs:
        gathering.tell("model", log.results.get("model_name"))
        for seed in _SEEDS:
            gathering.tell("seed", member(log.results, "config", seed))
        run = log.date if has_dates else log.file.relative_to(path).as_posix()
        for line, sample in samples_of[log.file].items():
            if _filter(sample) == chosen:
                item = sample["doc_id"]
                if n_tasks > 1 and isinstance(item, str | int):
                    item = f"{log.task} {item}"
                doc = columns_in(sample.get("doc")).items()
                further = {key: of for key, of in doc if not isinstance(of, str) or len(of) <= _LONGEST}
                further |= {kind: str(sample[kind]) for kind in HASHES if sample.get(kind)}
                further |= {"task": log.task} if n_tasks > 1 else {}
                gathering.add(Row(item, f"run {run}", [*_scores(sample)], further, lower), line, log.file)
        n_documents = len({str(sample["doc_id"]) for sample in samples_of[log.file].values()})
        counts = log.of_task("n-samples")
        original, effective = (
            of if isinstance(of, int) else 0 for of in map(counts.get, ("original", "effective"))
        )
        if n_documents < effective:
            lacking = f"{effective - n_documents} of {effective} documents are missing"
            gathering.notes.append(Incomplete(f"{log.file.name}: {lacking}"))
        elif n_documents < original:
            limited = f"{n_documents} of {original} documents were evaluated (--limit)"
            gathering.notes.append(f"{log.file.name}: {limited}")
    for date in dict.fromkeys((log.file.parent, log.date) for log in logs):
        there = {log.task for log in logs if (log.file.parent, log.date) == date}
        if unlogged := sorted(tasks - there):
            lacking = f"the run of {date[1]} has no log of {listed(unlogged)}, tasks of the group"
            gathering.notes.append(Incomplete(lacking))
    stray = sorted(
        file.name
        for file in Path(path).rglob("*")
        if file.suffix.lower() in _OF_TABLES and not _FILE_NAME.fullmatch(file.name)
    )
    if stray:
        gathering.notes.append(
            f"not read, because they are not named samples_<task>_<date>.jsonl: {some(stray, str)}"
        )
    table = gathering.table()
    return replace(table, roles={**table.roles, "task": "task"}) if n_tasks > 1 else table


def _lower_scores(logs: Sequence[_Log], path: str | os.PathLike[str]) -> set[str]:
    """Return the scores of which lower ones are better, as the results say."""
    said = [item for log in logs for item in log.of_task("higher_is_better").items()]
    lower = {name for name, is_higher in said if is_higher is False}
    if both := sorted(lower & {name for name, is_higher in said if is_higher is True}):
        raise DataPlace(path).error(
            f"the score {both[0]} is better if higher in some tasks and if lower in others, expected one "
            "direction; compare the tasks one by one"
        )
    return lower


def results_beside(file: Path) -> list[Path]:
    """Return the files that may hold the results of the run of a samples file, as its name says."""
    match = _FILE_NAME.fullmatch(file.name)
    return sorted(file.parent.glob(f"*_{match['date']}.json")) if match else []


class _Log(NamedTuple):
    """A samples file, its task and date as its name says, and the results of its run that are beside it."""

    file: Path
    task: str
    date: str
    results: Mapping[str, Any]

    @classmethod
    def at(cls, file: Path) -> _Log:
        """Return the log in a file, whose name need not have a task and a date."""
        match = _FILE_NAME.fullmatch(file.name)
        for results in results_beside(file):
            content = _read_results(results, results.stat().st_mtime_ns)
            if match and isinstance(content, dict) and "model_name" in content:
                return cls(file, match["task"], match["date"], content)
        return cls(file, match["task"] if match else "", match["date"] if match else file.stem, {})

    def of_task(self, name: str) -> Mapping[str, Any]:
        """Return what the results say of the task under some name."""
        return columns_in(member(self.results, name, self.task))

    @property
    def model(self) -> str:
        """The model: from the run's results, or else from the folder's name."""
        name = self.results.get("model_name")
        return name if isinstance(name, str) else self.file.parent.name


def _logs(path: str | os.PathLike[str], task: str | None) -> tuple[list[_Log], set[str]]:
    """Return the logs of one task, or group of tasks, and one model, oldest first; and the tasks."""
    if not os.path.isdir(path):
        log = _Log.at(Path(path))
        if log.task:
            _one_of("task", task, [log.task], path)
        return [log], {log.task}
    files = [file for file in Path(path).rglob("samples_*.jsonl") if _FILE_NAME.fullmatch(file.name)]
    if not files:
        raise DataPlace(path).error(
            "is a folder without samples_<task>_<date>.jsonl; expected the output of lm_eval "
            "--log_samples, or a file of ratings"
        )
    logs = list(map(_Log.at, files))
    groups = _groups(logs)
    tasks = sorted({log.task for log in logs})
    chosen = groups.get(task or "") or {_one_of("task", task, tasks, path, tuple(groups))}
    logs = [log for log in logs if log.task in chosen]
    refuse_models(path, "samples", sorted({log.model for log in logs}))
    return sorted(logs, key=lambda log: (log.date, log.file)), chosen


def _groups(logs: Iterable[_Log]) -> dict[str, set[str]]:
    """Return the tasks in each group of tasks that the runs' results name, those of groups inside it, too."""
    inside: dict[str, list[str]] = {}
    for log in logs:
        named = columns_in(log.results.get("group_subtasks"))
        inside |= {group: of for group, of in named.items() if isinstance(of, list) and of}

    def tasks(name: str, above: tuple[str, ...]) -> set[str]:
        below = [] if name in above else inside.get(name, [])
        return {task for of in below for task in tasks(str(of), (*above, name))} or {name}

    return {group: tasks(group, ()) for group in inside}


@lru_cache(maxsize=4)
def _read_results(path: Path, changed: int) -> Any:
    """Return the content of a results file as it was changed last; each task of a run has the same."""
    return read_json(path, way_out="write it again, or move it away")


def _read(path: Path) -> dict[int, dict[str, Any]]:
    """Return the samples in a file by their line."""
    samples: dict[int, dict[str, Any]] = {}
    for line, sample in json_lines(path):
        if "doc_id" not in sample:
            raise DataPlace(path, line).error(
                "no 'doc_id'; expected a sample as lm_eval --log_samples writes it, "
                "or keys item, rater and value in a file not called samples_…"
            )
        # Prompts and model outputs can be large, and are not needed.
        samples[line] = {key: value for key, value in sample.items() if key not in _BULKY}
    if not samples:
        raise DataPlace(path).error(
            "is empty; expected one sample per line: evaluate again, or delete the file"
        )
    if all(_NO_SCORE in sample for sample in samples.values()):
        raise DataPlace(path).error("holds no score; evaluate again without --predict_only")
    return samples


def _filter(sample: Mapping[str, Any]) -> str:
    # Before version 0.4.7 samples did not name a filter; the harness calls the absence of a filter "none".
    return str(sample.get("filter", "none"))


def _scores(sample: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each metric of a sample; older logs do not name them."""
    names = sample.get("metrics")
    for name in names if isinstance(names, list) else [name for name in sample if name not in _FIELDS]:
        score = sample.get(name) if isinstance(name, str) else None
        is_text = isinstance(score, str) and not is_number(score)
        yield str(name), Beside(score) if is_text and not isinstance(names, list) else score


def _one_of(
    kind: str,
    wanted: str | None,
    found: Sequence[str],
    path: str | os.PathLike[str],
    groups: Sequence[str] = (),
) -> str:
    """Return the one asked for, or else the only one there is."""
    in_groups = f" (or all of a group: {', '.join(groups)})" if groups else ""
    if (wanted or found[0]) not in found or (wanted is None and len(found) > 1):
        raise DataPlace(path).error(
            f"found the {kind}s {some(found)}, expected {wanted or 'one'}{in_groups}; choose one with "
            f"`SampleChoice.{kind}`"
        )
    return wanted or found[0]
