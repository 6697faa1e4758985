"""JSON that other tools export: a function for each, which returns None for content that is not its tool's.

A new reader is a function here, its name in `EXPORTS`, and a row in docs/formats.md.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from nbyk.data.readers.recording import Gathering, Recording, Unusable, said
from nbyk.errors import NbykError

Path: TypeAlias = str | os.PathLike[str]


def helm(content: Any, path: Path) -> Recording | None:
    """Return HELM's per_instance_stats.json: instances are items, training trials runs, statistics scores.

    A perturbed instance is an item of its own; instances are then the clusters, by ``instance_id``.
    """
    if not (isinstance(content, list) and content and all(map(_is_helm_entry, content))):
        return None
    gathering = Gathering("HELM's statistics per instance", "entry", "instance", "train_trial_index", path)
    for number, entry in enumerate(content, start=1):
        perturbation = _helm_name(entry.get("perturbation"))
        instance = entry["instance_id"]
        gathering.add(
            f"{instance} ({perturbation})" if perturbation else instance,
            entry["train_trial_index"],
            _helm_scores(entry["stats"], number, path),
            {"instance_id": instance},
            number=number,
        )
    return gathering.recording("instance_id")


def _helm_scores(stats: list[Any], number: int, path: Path) -> Iterator[tuple[str, Any]]:
    for statistic in stats:
        name = _helm_name(_member(statistic, "name", number, path, "entry"))
        count, total = statistic.get("count"), statistic.get("sum", 0.0)
        if name and count:
            are_numbers = all(isinstance(of, int | float) and abs(of) < 1e300 for of in (count, total))
            yield name, statistic.get("mean", total / count if are_numbers else [total, count])


def _is_helm_entry(entry: Any) -> bool:
    return (
        isinstance(entry, Mapping)
        and {"instance_id", "train_trial_index"} <= set(entry)
        and isinstance(entry.get("stats"), list)
    )


def _helm_name(named: Any) -> str:
    """Return the name of a statistic or a perturbation."""
    found = named.get("name", "") if isinstance(named, Mapping) else named
    return found if isinstance(found, str) else ""


def label_studio(content: Any, path: Path) -> Recording | None:
    """Return Label Studio's JSON export: tasks are items, people who completed an annotation are raters.

    Each control is a column; those that give a number or one choice can hold the scores. Cancelled
    annotations are left out.
    """
    if not (isinstance(content, list) and content and all(map(_is_task, content))):
        return None
    gathering = Gathering("an export of Label Studio", "annotation", "task", "completed_by", path)
    number = n_cancelled = 0
    for task in content:
        data = task.get("data")
        for annotation in task["annotations"]:
            number += 1
            if _member(annotation, "was_cancelled", number, path, "annotation"):
                n_cancelled += 1
                continue
            results = [
                (str(_member(result, "from_name", number, path, "annotation")), _label_studio_value(result))
                for result in _object(annotation.get("result") or [], number, path, "annotation", list)
            ]
            further = data if isinstance(data, Mapping) else {}
            gathering.add(task["id"], _who(annotation.get("completed_by")), results, further, number=number)
    return gathering.recording(notes=_left_out(n_cancelled, "cancelled annotations"))


def _is_task(task: Any) -> bool:
    return isinstance(task, Mapping) and "id" in task and isinstance(task.get("annotations"), list)


def _who(completed_by: Any) -> Any:
    """Return the id of the person who completed an annotation; newer exports wrap it in an object."""
    if isinstance(completed_by, Mapping):
        return completed_by.get("id", completed_by.get("email"))
    return completed_by


def _label_studio_value(result: Mapping[str, Any]) -> Any:
    """Return the number or the one choice that a control gave."""
    kind, value = result.get("type"), result.get("value")
    if not isinstance(value, Mapping):
        return None if value is None else Unusable(said(value))
    if kind in ("rating", "number"):
        return value.get(kind)
    choices = value.get("choices")
    if kind == "choices" and isinstance(choices, list):
        return choices[0] if len(choices) == 1 else Unusable(f"{len(choices)} choices {choices}"[:80])
    return Unusable(f"{said(value)} of a control {kind!r}")


def argilla(content: Any, path: Path) -> Recording | None:
    """Return records that Argilla wrote (``records.to_json``): users are raters, questions are scores.

    In records of version 1, responses are a list with one object for each user.
    """
    if not (isinstance(content, list) and content and all(map(_is_record, content))):
        return None
    gathering = Gathering("records of Argilla", "record", "id", "user_id", path)
    n_others = 0
    for number, record in enumerate(content, start=1):
        metadata = record.get("metadata")
        further = metadata if isinstance(metadata, Mapping) else {}
        for response, question, value in _responses(record["responses"] or {}, number, path):
            if response.get("status", "submitted") == "submitted":
                user = response.get("user_id")
                gathering.add(record["id"], user, [(question, value)], further, number=number)
            else:
                n_others += 1
    return gathering.recording(notes=_left_out(n_others, "responses that are drafts or discarded"))


def _responses(responses: Any, number: int, path: Path) -> Iterator[tuple[Any, str, Any]]:
    """Yield each response with its question and its value."""
    place = (number, path, "record")
    if isinstance(responses, list):
        for response in responses:
            for question, value in _object(_member(response, "values", *place) or {}, *place).items():
                yield response, question, _member(value, "value", *place)
        return
    for question, given in _object(responses, *place).items():
        for response in _object(given or [], *place, list):
            yield response, question, _member(response, "value", *place)


def _is_record(record: Any) -> bool:
    return isinstance(record, Mapping) and {"id", "fields", "responses"} <= set(record)


def promptfoo(content: Any, path: Path) -> Recording | None:
    """Return promptfoo's JSON output: tests are items, and providers are systems."""
    results = content.get("results") if isinstance(content, Mapping) else None
    results = results.get("results") if isinstance(results, Mapping) else None
    if not (isinstance(results, list) and results and isinstance(results[0], Mapping)):
        return None
    if not {"testIdx", "promptIdx"} <= set(results[0]):
        return None
    gathering = Gathering("an output of promptfoo", "result", "test", "run", path)
    for number, result in enumerate(results, start=1):
        place = (number, path, "result")
        provider = _member(result, "provider", *place)
        provider = provider if isinstance(provider, str) else _object(provider, *place).get("id")
        named = _object(result.get("namedScores") or {}, *place)
        gathering.add(
            result.get("testIdx"),
            f"run {result.get('repeatIndex', 0)} of {provider}, prompt {result.get('promptIdx')}",
            [("score", result.get("score")), ("success", result.get("success")), *named.items()],
            {"system": f"{provider}, prompt {result.get('promptIdx')}"},
            number=number,
        )
    return gathering.recording()


def _left_out(n: int, what: str) -> list[str]:
    return [f"{what} were left out: {n}"] if n else []


def _member(node: Any, key: str, number: int, path: Path, unit: str) -> Any:
    """Return a member of an object, None if it lacks it; raise NbykError if the node is no object."""
    return _object(node, number, path, unit).get(key)


def _object(node: Any, number: int, path: Path, unit: str, kind: type = Mapping) -> Any:
    """Return a node of the maker's kind; raise NbykError if it is another."""
    if isinstance(node, kind):
        return node
    expected = "a list" if kind is list else "an object"
    raise NbykError(
        f"found {said(node)}, expected {expected}; export the file again", file=path, row=f"{unit} {number}"
    )


EXPORTS: tuple[Callable[[Any, Path], Recording | None], ...] = (
    helm,
    label_studio,
    argilla,
    promptfoo,
)
"""Functions that take the content of a JSON file, and its path."""
