"""Records that Argilla wrote as JSON (``records.to_json``): users are raters, questions are scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nbyk.data.readers.recording import Recording, plain, recording

_ITEM, _RATER = "id", "user_id"


def read(content: Any) -> Recording | None:
    """Return a row per record and user, with a column per question; None if this is no such export."""
    if not (isinstance(content, list) and content and all(map(_is_record, content))):
        return None
    rows: list[dict[str, Any]] = []
    scores: dict[str, None] = {}
    for record in content:
        by_user: dict[Any, dict[str, Any]] = {}
        for question, responses in (record.get("responses") or {}).items():
            for response in responses:
                if response.get("status", "submitted") == "submitted" and _is_number(response.get("value")):
                    by_user.setdefault(response.get(_RATER), {})[question] = response["value"]
                    scores[question] = None
        further = plain(record.get("metadata") or {}, {_ITEM, _RATER, *scores})
        rows += [{_ITEM: record["id"], _RATER: user} | given | further for user, given in by_user.items()]
    return recording("records of Argilla", rows, {"item": _ITEM, "rater": _RATER}, list(scores), "response")


def _is_record(record: Any) -> bool:
    return isinstance(record, Mapping) and {"id", "fields", "responses"} <= set(record)


def _is_number(value: Any) -> bool:
    """Return whether a response is a number, or a label that may be one."""
    return isinstance(value, int | float | str)
