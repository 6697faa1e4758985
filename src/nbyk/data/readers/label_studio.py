"""Label Studio's JSON export: tasks are items, people who completed an annotation are raters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nbyk.data.readers.recording import Recording, plain, recording

_ITEM, _RATER = "task", "completed_by"


def read(content: Any) -> Recording | None:
    """Return a row per annotation, with a column per control that gives a number or one choice.

    Cancelled annotations and controls of other kinds are left out. Return None if this is no such export.
    """
    if not (isinstance(content, list) and content and all(map(_is_task, content))):
        return None
    rows: list[dict[str, Any]] = []
    scores: dict[str, None] = {}
    for task in content:
        for annotation in task["annotations"]:
            if not annotation.get("was_cancelled"):
                row = {_ITEM: task["id"], _RATER: _who(annotation.get("completed_by"))}
                for result in annotation.get("result", ()):
                    value = _value(result.get("type"), result.get("value"))
                    if value is not None:
                        row[str(result.get("from_name"))] = value
                        scores[str(result.get("from_name"))] = None
                rows.append(row | plain(task.get("data", {}), {_ITEM, _RATER, *scores}))
    return recording(
        "an export of Label Studio", rows, {"item": _ITEM, "rater": _RATER}, list(scores), "annotation"
    )


def _is_task(task: Any) -> bool:
    return isinstance(task, Mapping) and "id" in task and isinstance(task.get("annotations"), list)


def _who(completed_by: Any) -> Any:
    """Return the id of the person who completed an annotation; newer exports wrap it in an object."""
    if isinstance(completed_by, Mapping):
        return completed_by.get("id", completed_by.get("email"))
    return completed_by


def _value(kind: Any, value: Any) -> Any:
    """Return the number or the one choice that a control gave; None for other controls."""
    if not isinstance(value, Mapping):
        return None
    if kind in ("rating", "number"):
        return value.get(kind)
    choices = value.get("choices")
    return choices[0] if kind == "choices" and isinstance(choices, list) and len(choices) == 1 else None
