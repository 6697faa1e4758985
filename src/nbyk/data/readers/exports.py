"""JSON that other tools export: a function for each, which returns None for content that is not its tool's.

A new reader is a function here, its name in `EXPORTS`, and a row in docs/formats.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nbyk.data.readers.recording import Recording, plain, recording


def helm(content: Any) -> Recording | None:
    """Return HELM's per_instance_stats.json: instances are items, training trials runs, statistics scores.

    A perturbed instance is an item of its own. Its cluster is ``instance_id``.
    """
    if not (isinstance(content, list) and content and all(map(_is_helm_entry, content))):
        return None
    rows: list[dict[str, Any]] = []
    scores: dict[str, None] = {}
    for entry in content:
        perturbation = _helm_name(entry.get("perturbation"))
        item = f"{entry['instance_id']} ({perturbation})" if perturbation else entry["instance_id"]
        row = {
            "instance": item,
            "train_trial_index": entry["train_trial_index"],
            "instance_id": entry["instance_id"],
        }
        for statistic in entry["stats"]:
            name = _helm_name(statistic.get("name"))
            if name and statistic.get("count"):
                row[name] = statistic.get("mean", statistic.get("sum", 0.0) / statistic["count"])
                scores[name] = None
        rows.append(row)
    return recording(
        "HELM's statistics per instance",
        rows,
        {"item": "instance", "rater": "train_trial_index"},
        list(scores),
        "entry",
    )


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


def label_studio(content: Any) -> Recording | None:
    """Return Label Studio's JSON export: tasks are items, people who completed an annotation are raters.

    Each control that gives a number or one choice is a column. Cancelled annotations and controls of other
    kinds are left out.
    """
    if not (isinstance(content, list) and content and all(map(_is_task, content))):
        return None
    rows: list[dict[str, Any]] = []
    scores: dict[str, None] = {}
    for task in content:
        for annotation in task["annotations"]:
            if not annotation.get("was_cancelled"):
                row = {"task": task["id"], "completed_by": _who(annotation.get("completed_by"))}
                for result in annotation.get("result", ()):
                    value = _label_studio_value(result.get("type"), result.get("value"))
                    if value is not None:
                        row[str(result.get("from_name"))] = value
                        scores[str(result.get("from_name"))] = None
                rows.append(row | plain(task.get("data", {}), {"task", "completed_by", *scores}))
    return recording(
        "an export of Label Studio",
        rows,
        {"item": "task", "rater": "completed_by"},
        list(scores),
        "annotation",
    )


def _is_task(task: Any) -> bool:
    return isinstance(task, Mapping) and "id" in task and isinstance(task.get("annotations"), list)


def _who(completed_by: Any) -> Any:
    """Return the id of the person who completed an annotation; newer exports wrap it in an object."""
    if isinstance(completed_by, Mapping):
        return completed_by.get("id", completed_by.get("email"))
    return completed_by


def _label_studio_value(kind: Any, value: Any) -> Any:
    """Return the number or the one choice that a control gave; None for other controls."""
    if not isinstance(value, Mapping):
        return None
    if kind in ("rating", "number"):
        return value.get(kind)
    choices = value.get("choices")
    return choices[0] if kind == "choices" and isinstance(choices, list) and len(choices) == 1 else None


def argilla(content: Any) -> Recording | None:
    """Return records that Argilla wrote (``records.to_json``): users are raters, questions are scores."""
    if not (isinstance(content, list) and content and all(map(_is_record, content))):
        return None
    rows: list[dict[str, Any]] = []
    scores: dict[str, None] = {}
    for record in content:
        by_user: dict[Any, dict[str, Any]] = {}
        for question, responses in (record.get("responses") or {}).items():
            for response in responses:
                if response.get("status", "submitted") == "submitted" and _is_argilla_value(
                    response.get("value")
                ):
                    by_user.setdefault(response.get("user_id"), {})[question] = response["value"]
                    scores[question] = None
        further = plain(record.get("metadata") or {}, {"id", "user_id", *scores})
        rows += [{"id": record["id"], "user_id": user} | given | further for user, given in by_user.items()]
    return recording("records of Argilla", rows, {"item": "id", "rater": "user_id"}, list(scores), "response")


def _is_record(record: Any) -> bool:
    return isinstance(record, Mapping) and {"id", "fields", "responses"} <= set(record)


def _is_argilla_value(value: Any) -> bool:
    """Return whether a response is a number, or a label that may be one."""
    return isinstance(value, int | float | str)


EXPORTS: tuple[Callable[[Any], Recording | None], ...] = (helm, label_studio, argilla)
"""Functions that take the content of a JSON file."""
