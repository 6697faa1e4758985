"""HELM's per_instance_stats.json: instances are items, training trials are runs, statistics are scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nbyk.data.readers.recording import Recording, recording

_ITEM, _RUN, _INSTANCE = "instance", "train_trial_index", "instance_id"


def read(content: Any) -> Recording | None:
    """Return a row per instance and trial, with a column per statistic; None if this is no such file.

    A perturbed instance is an item of its own. Its cluster is ``instance_id``.
    """
    if not (isinstance(content, list) and content and all(map(_is_entry, content))):
        return None
    rows: list[dict[str, Any]] = []
    scores: dict[str, None] = {}
    for entry in content:
        perturbation = _name(entry.get("perturbation"))
        item = f"{entry[_INSTANCE]} ({perturbation})" if perturbation else entry[_INSTANCE]
        row = {_ITEM: item, _RUN: entry[_RUN], _INSTANCE: entry[_INSTANCE]}
        for statistic in entry["stats"]:
            name = _name(statistic.get("name"))
            if name and statistic.get("count"):
                row[name] = statistic.get("mean", statistic.get("sum", 0.0) / statistic["count"])
                scores[name] = None
        rows.append(row)
    return recording(
        "HELM's statistics per instance", rows, {"item": _ITEM, "rater": _RUN}, list(scores), "entry"
    )


def _is_entry(entry: Any) -> bool:
    return (
        isinstance(entry, Mapping)
        and {_INSTANCE, _RUN} <= set(entry)
        and isinstance(entry.get("stats"), list)
    )


def _name(named: Any) -> str:
    """Return the name of a statistic or a perturbation."""
    found = named.get("name", "") if isinstance(named, Mapping) else named
    return found if isinstance(found, str) else ""
